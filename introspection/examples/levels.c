#include "levels.h"

#include <MPIX_Hardware.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the next step of a hierarchy that ignores the hardware: consecutive ranks, in parts as even as
 * possible. Advances `numbers`; after the last one nothing is split. */
static MPI_Comm part_by_number(MPI_Comm around, const char** numbers) {
    MPI_Comm part = MPI_COMM_NULL;
    char* end = NULL;
    const long parts = strtol(*numbers, &end, 10);
    int rank, size;
    if (**numbers == '\0') return MPI_COMM_NULL;
    if (parts < 1 || (*end != '\0' && *end != ',')) {
        fprintf(stderr,
                "hierarchy '%s': known are simple, topological, and numbers of parts per level as in 2,4\n",
                *numbers);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    *numbers = *end == ',' ? end + 1 : end;
    MPI_Comm_rank(around, &rank);
    MPI_Comm_size(around, &size);
    MPI_Comm_split(around, (int)((parts < size ? parts : size) * rank / size), rank, &part);
    return part;
}

static int lowest_rank_of(MPI_Comm part, int rank_in_comm) {
    if (part != MPI_COMM_NULL) MPI_Bcast(&rank_in_comm, 1, MPI_INT, 0, part);
    return rank_in_comm;
}

/* Records the local root of each rank on the widest level. */
static void note_local_roots(MPI_Comm comm, MPI_Comm part, struct levels* levels) {
    int rank, size, own, i, places = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    levels->local_root = malloc(2 * (size_t)size * sizeof *levels->local_root);
    levels->place = levels->local_root + size;
    own = lowest_rank_of(part, rank);
    MPI_Allgather(&own, 1, MPI_INT, levels->local_root, 1, MPI_INT, comm);
    for (i = 0; i < size; ++i) {
        levels->place[i] = levels->local_root[i] == i ? places++ : levels->place[levels->local_root[i]];
    }
}

void make_levels(MPI_Comm comm, const char* what, struct levels* levels) {
    const int by_hardware = strcmp(what, "topological") == 0;
    MPI_Comm around, part;
    levels->count = 0;
    levels->local_root = levels->place = NULL;
    if (strcmp(what, "simple") == 0) return;
    MPI_Comm_dup(comm, &around);
    while (around != MPI_COMM_NULL && levels->count < MOST_LEVELS) {
        int rank, rank_in_part = 0;
        MPI_Comm_rank(around, &rank);
        if (by_hardware) MPIX_Comm_hsplit(around, MPI_INFO_NULL, &part);
        if (!by_hardware) part = part_by_number(around, &what);
        if (part != MPI_COMM_NULL) MPI_Comm_rank(part, &rank_in_part);
        MPI_Comm_split(around, rank_in_part == 0 ? 0 : MPI_UNDEFINED, rank, &levels->comm[levels->count]);
        if (levels->count++ == 0) note_local_roots(comm, part, levels);
        MPI_Comm_free(&around);
        around = part;
    }
    if (around != MPI_COMM_NULL) MPI_Comm_free(&around);
}

void free_levels(struct levels* levels) {
    while (levels->count > 0) {
        MPI_Comm* comm = &levels->comm[--levels->count];
        if (*comm != MPI_COMM_NULL) MPI_Comm_free(comm);
    }
    free(levels->local_root);
}

void broadcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm,
               const struct levels* levels) {
    int rank, level;
    if (levels->count == 0) {
        MPI_Bcast(data, count, type, root, comm);
        return;
    }
    MPI_Comm_rank(comm, &rank);
    if (levels->local_root[root] != root) {
        if (rank == root) MPI_Send(data, count, type, levels->local_root[root], 0, comm);
        if (rank == levels->local_root[root]) MPI_Recv(data, count, type, root, 0, comm, MPI_STATUS_IGNORE);
    }
    for (level = 0; level < levels->count; ++level) {
        if (levels->comm[level] == MPI_COMM_NULL) continue;
        MPI_Bcast(data, count, type, level == 0 ? levels->place[root] : 0, levels->comm[level]);
    }
}
