#include "levels.h"

#include <MPIX_Hardware.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void give_up(const char *what) {
    fprintf(stderr, "hierarchy '%s': known are simple, topological, and numbers of parts per level as in 2,4\n", what);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

/* The stand-ins that the library hands out: one communicator per level, rank 0 of each part. */
static void follow_hardware(MPI_Comm comm, struct levels *levels) {
    MPI_Comm *parts = NULL, *roots = NULL;
    int i;
    MPIX_Comm_hierarchy(comm, MPI_INFO_NULL, &levels->count, &parts, &roots);
    for (i = 0; i < levels->count && i < MOST_LEVELS; ++i) {
        levels->roots[i] = roots[i];
        roots[i] = MPI_COMM_NULL; /* ours now */
    }
    MPIX_Comm_hierarchy_free(levels->count, &parts, &roots);
}

/* Neighbours by rank, as even as can be, level by level; what is left below the last level is one more. */
static void follow_numbers(MPI_Comm comm, const char *numbers, struct levels *levels) {
    MPI_Comm around;
    MPI_Comm_dup(comm, &around);
    while (levels->count < MOST_LEVELS) {
        MPI_Comm inner;
        char *end = NULL;
        long parts = strtol(numbers, &end, 10);
        int rank, size, part, inner_rank;
        MPI_Comm_rank(around, &rank);
        MPI_Comm_size(around, &size);
        if (*numbers == '\0' || parts > size) parts = size;
        if (parts < 1 || (*numbers != '\0' && (end == numbers || (*end != ',' && *end != '\0')))) give_up(numbers);
        part = (int)((parts * (rank + 1) - 1) / size);
        MPI_Comm_split(around, part, rank, &inner);
        MPI_Comm_rank(inner, &inner_rank);
        MPI_Comm_split(around, inner_rank == 0 ? 0 : MPI_UNDEFINED, rank, &levels->roots[levels->count++]);
        MPI_Comm_free(&around);
        around = inner;
        if (parts == size) break;
        numbers = *end == ',' ? end + 1 : end;
    }
    MPI_Comm_free(&around);
}

void make_levels(MPI_Comm comm, const char *what, struct levels *levels) {
    int i;
    levels->count = 0;
    for (i = 0; i < MOST_LEVELS; ++i) levels->roots[i] = MPI_COMM_NULL;
    if (strcmp(what, "topological") == 0) {
        follow_hardware(comm, levels);
    } else if (what[0] >= '1' && what[0] <= '9') {
        follow_numbers(comm, what, levels);
    } else if (strcmp(what, "simple") != 0) {
        give_up(what);
    }
}

void free_levels(struct levels *levels) {
    while (levels->count > 0) {
        MPI_Comm *roots = &levels->roots[--levels->count];
        if (*roots != MPI_COMM_NULL) MPI_Comm_free(roots);
    }
}

void broadcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, const struct levels *levels) {
    int rank, size, i;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (size == 1) return;
    if (levels->count == 0) {
        MPI_Bcast(data, count, type, root, comm);
        return;
    }
    if (root != 0 && rank == root) MPI_Send(data, count, type, 0, 0, comm);
    if (root != 0 && rank == 0) MPI_Recv(data, count, type, root, 0, comm, MPI_STATUS_IGNORE);
    for (i = 0; i < levels->count; ++i) {
        if (levels->roots[i] != MPI_COMM_NULL) MPI_Bcast(data, count, type, 0, levels->roots[i]);
    }
}
