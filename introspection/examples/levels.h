/* A hierarchy of communicators for one communicator: that of the hardware, or one that ignores it. On every
 * level those who take part are the lowest ranks of the parts of one group, and whoever belongs to no part of
 * it. */
#ifndef STRATA_EXAMPLE_LEVELS_H
#define STRATA_EXAMPLE_LEVELS_H

#include <mpi.h>

enum { MOST_LEVELS = 32 };

struct levels {
    int count; /* levels, from the widest to the narrowest, that there are around the caller */
    MPI_Comm comm[MOST_LEVELS]; /* MPI_COMM_NULL where the caller takes no part */
    int* local_root;            /* by rank: who stands for it on the widest level ... */
    int* place;                 /* ... and which rank that one has there */
};

/* What to use: "simple" (no levels), "topological" (the hardware's), or numbers of parts from the widest
 * level to the narrowest, "2,4": two parts of neighbours, each in four parts, each of which is a last level.
 * Collective; aborts with a message about what it cannot understand. */
void make_levels(MPI_Comm comm, const char* what, struct levels* levels);
void free_levels(struct levels* levels);

/* Broadcast from any root: it hands the data to who stands for it on the widest level, and from there they go
 * down. */
void broadcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm,
               const struct levels* levels);

#endif
