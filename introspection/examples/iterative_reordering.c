/* iterative_reordering [OPTIONS]: an iterative program watches its first iteration, deals its ranks out anew, moves its
 * data, and goes on with less communication between far processes. It has to run with Open MPI's monitoring switched on:
 *
 *   strata-monitor mpirun -n 16 ./iterative_reordering --pattern cg
 *
 *   --pattern NAME      bcast, reduce: a vector from or to rank 0
 *                       groups: an Allgather in every group of consecutive ranks
 *                       cg: sums along the rows of a grid of processes by exchanges at halving distances, and an exchange
 *                       with the transposed process, as in a conjugate gradient solver (numbers of ranks: powers of two)
 *   --bytes N           of a process's vector (262144)
 *   --group N           ranks in a group (the square root of their number)
 *   --iterations N      (20)
 *
 * Rank 0 prints the seconds of the iterations in the old order (t1), of the reordering (t2) and of as many iterations in
 * the new order (t3), all of the slowest process, and the gain, 100 (t1 - t2 - t3) / t1. The results of both must be
 * equal, bit by bit: exit status 1 if not; 77 if monitoring is off.
 *
 * Source: the paper on introspection monitoring, figure 1 and sections 6.3 to 6.5. */
#include <MPIX_Reorder.h>
#include <MPI_Monitoring.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77, MOST_STEPS = 32 };

/* What a process does, which its rank decides. */
struct work {
    const char *pattern;
    MPI_Comm comm;
    MPI_Comm group;              /* pattern groups */
    int partners[MOST_STEPS];    /* pattern cg: with whom vectors are exchanged, one after the other */
    int steps;
    int elements;                /* doubles in a vector */
    double *vector, *other;      /* the process's data, and space: of a whole group for the pattern groups */
    int group_size;
};

/* The rows of the grid are twice as long as its columns where the number of ranks is no square (NAS CG's grid). */
static void find_partners(struct work *work, int rank, int size) {
    int rows = 1, columns, column, distance;
    while (rows * rows * 2 < size) rows *= 2;
    columns = size / rows;
    column = rank % columns;
    work->steps = 0;
    for (distance = columns / 2; distance > 0; distance /= 2) {
        work->partners[work->steps++] = rank - column + (column ^ distance);
    }
    work->partners[work->steps++] = rows == columns ? column * rows + rank / columns
                                                    : ((rank / 2) % rows * rows + rank / 2 / rows) * 2 + rank % 2;
}

static void begin(struct work *work, MPI_Comm comm) {
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    work->comm = comm;
    work->group = MPI_COMM_NULL;
    if (strcmp(work->pattern, "groups") == 0) MPI_Comm_split(comm, rank / work->group_size, rank, &work->group);
    if (strcmp(work->pattern, "cg") == 0) find_partners(work, rank, size);
}

static void end(struct work *work) {
    if (work->group != MPI_COMM_NULL) MPI_Comm_free(&work->group);
}

static void iterate(struct work *work) {
    const int n = work->elements;
    int i, step, size = 0;
    if (strcmp(work->pattern, "bcast") == 0) {
        MPI_Bcast(work->vector, n, MPI_DOUBLE, 0, work->comm);
    } else if (strcmp(work->pattern, "reduce") == 0) {
        MPI_Reduce(work->vector, work->other, n, MPI_DOUBLE, MPI_MAX, 0, work->comm);
    } else if (work->group != MPI_COMM_NULL) {
        MPI_Comm_size(work->group, &size);
        MPI_Allgather(work->vector, n, MPI_DOUBLE, work->other, n, MPI_DOUBLE, work->group);
        for (i = 0; i < n; ++i) work->vector[i] = work->other[i] + work->other[(size_t)(size - 1) * (size_t)n + (size_t)i] / 4;
    } else {
        for (step = 0; step < work->steps; ++step) {
            MPI_Sendrecv(work->vector, n, MPI_DOUBLE, work->partners[step], 0, work->other, n, MPI_DOUBLE, work->partners[step],
                         0, work->comm, MPI_STATUS_IGNORE);
            for (i = 0; i < n; ++i) work->vector[i] = (work->vector[i] + work->other[i]) / 2;
        }
    }
}

/* Seconds of the slowest process. */
static double iterate_times(struct work *work, int iterations) {
    double seconds;
    MPI_Barrier(work->comm);
    seconds = MPI_Wtime();
    while (iterations-- > 0) iterate(work);
    seconds = MPI_Wtime() - seconds;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, work->comm);
    return seconds;
}

/* One number per rank: what its vector has come to. */
static double digest(const struct work *work) {
    double sum = 0;
    int i;
    for (i = 0; i < work->elements; ++i) sum += work->vector[i] * (1 + i % 7);
    return sum;
}

static void fill(struct work *work) {
    int rank, i;
    MPI_Comm_rank(work->comm, &rank);
    for (i = 0; i < work->elements; ++i) work->vector[i] = (rank * 31 + i) % 1024;
}

/* The old communicator's traffic of one iteration to a new one; k as in MPIX_Reorder.h. */
static MPI_Comm reorder(struct work *work, int *k) {
    int size;
    unsigned long *sizes, *counts;
    MPI_M_msid watch;
    MPI_Comm made;
    MPI_Comm_size(work->comm, &size);
    sizes = malloc(2 * (size_t)size * sizeof *sizes);
    counts = sizes + size;
    MPI_M_start(work->comm, &watch);
    iterate(work);
    MPI_M_suspend(watch);
    if (MPI_M_get_data(watch, counts, sizes, MPI_M_P2P_ONLY) != MPI_SUCCESS) {
        fprintf(stderr, "iterative_reordering: point-to-point messages are not counted here\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_M_free(watch);
    MPIX_Comm_reorder(work->comm, sizes, counts, MPI_INFO_NULL, &made, k);
    free(sizes);
    return made;
}

static int compare(struct work *work, int iterations) {
    int rank, size, i, moved = 0, wrong = 0;
    double t1, t2, t3, before, after;
    double *start = malloc((size_t)work->elements * sizeof *start);
    int *k;
    MPI_Comm made;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    k = malloc((size_t)size * sizeof *k);
    begin(work, MPI_COMM_WORLD);
    fill(work);
    iterate(work); /* connections are made */
    fill(work);
    memcpy(start, work->vector, (size_t)work->elements * sizeof *start);
    t1 = iterate_times(work, iterations);
    before = digest(work);

    t2 = MPI_Wtime();
    made = reorder(work, k);
    memcpy(work->vector, start, (size_t)work->elements * sizeof *start);
    MPIX_Redistribute(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, work->vector, work->elements, MPI_DOUBLE, k, MPI_COMM_WORLD);
    MPIX_Redistribute(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, &before, 1, MPI_DOUBLE, k, MPI_COMM_WORLD);
    end(work);
    begin(work, made);
    t2 = MPI_Wtime() - t2;
    MPI_Allreduce(MPI_IN_PLACE, &t2, 1, MPI_DOUBLE, MPI_MAX, made);

    memcpy(start, work->vector, (size_t)work->elements * sizeof *start);
    iterate(work); /* as before */
    memcpy(work->vector, start, (size_t)work->elements * sizeof *start);
    t3 = iterate_times(work, iterations);
    after = digest(work);
    wrong = before != after;
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (i = 0; i < size; ++i) moved += k[i] != i;
    if (rank == 0) {
        printf("t1 %.6f t2 %.6f t3 %.6f gain %.1f %% ratio %.2f, %d of %d ranks moved\n%d wrong results\n", t1, t2, t3,
               100 * (t1 - t2 - t3) / t1, t1 / t3, moved, size, wrong);
    }
    end(work);
    MPI_Comm_free(&made);
    free(k);
    free(start);
    return wrong;
}

static void usage(const char *why) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0) MPI_Barrier(MPI_COMM_WORLD); /* until rank 0 has said it */
    fprintf(stderr, "iterative_reordering: %s; options are --pattern bcast|reduce|groups|cg, --bytes, --group and --iterations\n", why);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

int main(int argc, char **argv) {
    struct work work = {"cg", MPI_COMM_NULL, MPI_COMM_NULL, {0}, 0, 0, NULL, NULL, 0};
    int size, iterations = 20, wrong, i;
    long bytes = 262144;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--pattern") == 0) work.pattern = argv[i + 1];
        else if (strcmp(argv[i], "--bytes") == 0) bytes = atol(argv[i + 1]);
        else if (strcmp(argv[i], "--group") == 0) work.group_size = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--iterations") == 0) iterations = atoi(argv[i + 1]);
        else break;
    }
    if (i < argc) usage("unknown option");
    if (strcmp(work.pattern, "bcast") && strcmp(work.pattern, "reduce") && strcmp(work.pattern, "groups") && strcmp(work.pattern, "cg"))
        usage("unknown pattern");
    if (strcmp(work.pattern, "cg") == 0 && (size & (size - 1)) != 0) usage("the pattern cg needs a power of two of ranks");
    if (bytes < 8 || iterations < 1 || work.group_size < 0) usage("a number is too small");
    if (work.group_size == 0) {
        while (work.group_size * work.group_size < size) ++work.group_size;
    }
    work.elements = (int)(bytes / 8);
    work.vector = malloc((size_t)work.elements * sizeof *work.vector);
    work.other = malloc((size_t)work.elements * (size_t)work.group_size * sizeof *work.other);
    if (MPI_M_init() != MPI_SUCCESS) {
        MPI_Finalize();
        return SKIPPED;
    }
    wrong = compare(&work, iterations);
    MPI_M_finalize();
    free(work.vector);
    free(work.other);
    MPI_Finalize();
    return wrong != 0;
}
