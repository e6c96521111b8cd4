/* A hierarchy of communicators below one communicator: that of the hardware, or one that ignores it. The
 * members of a level's communicator are the lowest ranks of the parts of one group, and the group's ranks
 * outside all parts. */
#ifndef STRATA_EXAMPLE_LEVELS_H
#define STRATA_EXAMPLE_LEVELS_H

#include <mpi.h>

enum { MOST_LEVELS = 32 };

struct levels {
    int count;                  /* levels around the caller, from the widest to the narrowest */
    MPI_Comm comm[MOST_LEVELS]; /* MPI_COMM_NULL if the caller takes no part */
    int* local_root;            /* by rank: its local root on the widest level ... */
    int* place;                 /* ... and the rank of that local root there */
};

/* Makes the levels: "simple" (none), "topological" (the hardware's), or numbers of parts from the widest
 * level to the narrowest; "2,4" is two parts of consecutive ranks, each split in four parts. Collective;
 * aborts with a message for other values. */
void make_levels(MPI_Comm comm, const char* what, struct levels* levels);
void free_levels(struct levels* levels);

/* Broadcasts from any root: the root sends the data to its local root on the widest level, and every level
 * broadcasts them downwards. */
void broadcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm,
               const struct levels* levels);

#endif
