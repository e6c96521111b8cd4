/* A hierarchy of communicators for one communicator: that of the hardware, or one that ignores it. Level 0 is the
 * widest; at each level the stand-ins of the parts of one group form a communicator. */
#ifndef STRATA_EXAMPLE_LEVELS_H
#define STRATA_EXAMPLE_LEVELS_H

#include <mpi.h>

enum { MOST_LEVELS = 16 };

struct levels {
    int count;                   /* of those below that the caller takes part in, or that lie below it */
    MPI_Comm roots[MOST_LEVELS]; /* MPI_COMM_NULL where the caller does not stand for a part */
};

/* What to use: "simple" (no levels), "topological" (the hardware's), or group sizes from the widest level to the
 * narrowest, "2,4": the ranks in two groups, each in four. Collective; aborts with a message about what it cannot
 * understand. */
void make_levels(MPI_Comm comm, const char *what, struct levels *levels);
void free_levels(struct levels *levels);

/* Broadcast from any root: it hands the data to rank 0, and from there they go down level by level. */
void broadcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, const struct levels *levels);

#endif
