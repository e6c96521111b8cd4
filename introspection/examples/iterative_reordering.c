/* iterative_reordering [OPTIONS]: an iterative program monitors one iteration, reorders its ranks, moves its
 * data, and continues with less communication between distant processes. Requires Open MPI's monitoring:
 *
 *   strata-monitor mpirun -n 16 ./iterative_reordering --pattern cg
 *
 *   --pattern NAME      bcast, reduce: a vector from or to rank 0
 *                       groups: an Allgather in every group of consecutive ranks
 *                       cg: sums along the rows of a grid of processes by exchanges at halving distances,
 *                       and an exchange with the transposed process, as in a conjugate gradient solver
 *                       (powers of two)
 *   --bytes N,...       size of a process's vector (262144)
 *   --group N           ranks in a group (the square root of their number)
 *   --iterations N,...  (20)
 *   --most-seconds S    skip numbers of iterations that would take longer in the old order, estimated from
 * the number before (no limit)
 *   --record PREFIX     write for each number of bytes the traffic of the monitored iteration,
 *                       PREFIX-BYTES_sizes.0.prof and PREFIX-BYTES_counts.0.prof, and the new order,
 *                       PREFIX-BYTES.order, one rank per process, for strata-traffic --permutation
 *
 * Each number of bytes and of iterations starts again from MPI_COMM_WORLD. Rank 0 prints, in seconds of the
 * slowest process: t1, the iterations in the old order; t2, the reordering from the session to the moved
 * data, without the monitored iteration, which is work of the program; t3, the iterations in the new order,
 * new connections included; the gain, 100 (t1 - t2 - t3) / t1; and the monitored iteration. The results of
 * both orders must be equal, bit by bit: exit status 1 otherwise; 77 if monitoring is off.
 *
 * Source: the paper on introspection monitoring, figure 1 and sections 6.3 to 6.5. */
#include <MPIX_Reorder.h>
#include <MPI_Monitoring.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77, MOST_STEPS = 32, MOST_NUMBERS = 16 };

/* The work of a process, determined by its rank. */
struct work {
    const char* pattern;
    MPI_Comm comm;
    MPI_Comm group;           /* pattern groups */
    int partners[MOST_STEPS]; /* pattern cg: partners of the exchanges, in order */
    int steps;
    int elements;           /* doubles in a vector */
    double *vector, *other; /* the process's data, and a buffer (of a whole group for the pattern groups) */
    int group_size;
};

/* NAS CG's grid: rows are twice as long as columns if the number of ranks is no square. */
static void find_partners(struct work* work, int rank, int size) {
    int rows = 1, columns, column, distance;
    while (rows * rows * 2 < size) rows *= 2;
    columns = size / rows;
    column = rank % columns;
    work->steps = 0;
    for (distance = columns / 2; distance > 0; distance /= 2) {
        work->partners[work->steps++] = rank - column + (column ^ distance);
    }
    work->partners[work->steps++] = rows == columns
                                        ? column * rows + rank / columns
                                        : ((rank / 2) % rows * rows + rank / 2 / rows) * 2 + rank % 2;
}

static void begin(struct work* work, MPI_Comm comm) {
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    work->comm = comm;
    work->group = MPI_COMM_NULL;
    if (strcmp(work->pattern, "groups") == 0)
        MPI_Comm_split(comm, rank / work->group_size, rank, &work->group);
    if (strcmp(work->pattern, "cg") == 0) find_partners(work, rank, size);
}

static void end(struct work* work) {
    if (work->group != MPI_COMM_NULL) MPI_Comm_free(&work->group);
}

static void iterate(struct work* work) {
    const int n = work->elements;
    const double* last; /* vector of the last rank in the group */
    int i, step, size = 0;
    if (strcmp(work->pattern, "bcast") == 0) {
        MPI_Bcast(work->vector, n, MPI_DOUBLE, 0, work->comm);
    } else if (strcmp(work->pattern, "reduce") == 0) {
        MPI_Reduce(work->vector, work->other, n, MPI_DOUBLE, MPI_MAX, 0, work->comm);
    } else if (work->group != MPI_COMM_NULL) {
        MPI_Comm_size(work->group, &size);
        MPI_Allgather(work->vector, n, MPI_DOUBLE, work->other, n, MPI_DOUBLE, work->group);
        last = work->other + (size_t)(size - 1) * (size_t)n;
        for (i = 0; i < n; ++i) work->vector[i] = (work->vector[i] + work->other[i] + last[i]) / 3;
    } else {
        for (step = 0; step < work->steps; ++step) {
            MPI_Sendrecv(work->vector, n, MPI_DOUBLE, work->partners[step], 0, work->other, n, MPI_DOUBLE,
                         work->partners[step], 0, work->comm, MPI_STATUS_IGNORE);
            for (i = 0; i < n; ++i) work->vector[i] = (work->vector[i] + work->other[i]) / 2;
        }
    }
}

/* Returns the seconds of the slowest process. In a Bcast or a Reduce some processes finish long before
 * others: a barrier, which is not timed, keeps two calls from overlapping. */
static double iterate_times(struct work* work, int iterations) {
    const int apart = strcmp(work->pattern, "bcast") == 0 || strcmp(work->pattern, "reduce") == 0;
    double seconds = 0, begun;
    MPI_Barrier(work->comm);
    while (iterations-- > 0) {
        if (apart) MPI_Barrier(work->comm);
        begun = MPI_Wtime();
        iterate(work);
        seconds += MPI_Wtime() - begun;
    }
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, work->comm);
    return seconds;
}

/* Returns a checksum of the rank's vector, or of the result of a Reduce. */
static double digest(const struct work* work) {
    const double* result = work->vector;
    double sum = 0;
    int rank, i;
    MPI_Comm_rank(work->comm, &rank);
    if (strcmp(work->pattern, "reduce") == 0 && rank == 0) result = work->other;
    for (i = 0; i < work->elements; ++i) sum += result[i] * (1 + i % 7);
    return sum;
}

static void fill(struct work* work) {
    int rank, i;
    MPI_Comm_rank(work->comm, &rank);
    for (i = 0; i < work->elements; ++i) work->vector[i] = (rank * 31 + i) % 1024;
}

/* Measurements for a number of bytes and of iterations. */
struct cell {
    double t1, t2, t3, watched;
    int moved, wrong;
};

static void write_order(const char* prefix, const int* k, int size) {
    char name[1024];
    FILE* file;
    int i;
    snprintf(name, sizeof name, "%s.order", prefix);
    file = fopen(name, "w");
    if (file == NULL) {
        perror(name);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (i = 0; i < size; ++i) fprintf(file, "%d\n", k[i]);
    fclose(file);
}

/* Monitors one iteration in the old communicator and reorders; k as in MPIX_Reorder.h. `watched`: seconds of
 * that iteration. `prefix`: of the files to write, or null. Returns the seconds that writing takes. All times
 * are the caller's. */
static double reorder(struct work* work, const char* prefix, MPI_Comm* made, int* k, double* watched) {
    int rank, size;
    unsigned long *sizes, *counts;
    double writing = 0;
    MPI_M_msid watch;
    MPI_Comm_rank(work->comm, &rank);
    MPI_Comm_size(work->comm, &size);
    sizes = malloc(2 * (size_t)size * sizeof *sizes);
    counts = sizes + size;
    MPI_M_start(work->comm, &watch);
    *watched = MPI_Wtime();
    iterate(work);
    *watched = MPI_Wtime() - *watched;
    MPI_M_suspend(watch);
    if (MPI_M_get_data(watch, counts, sizes, MPI_M_P2P_ONLY) != MPI_SUCCESS) {
        fprintf(stderr, "iterative_reordering: point-to-point messages are not counted here\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (prefix != NULL) {
        writing = MPI_Wtime();
        if (MPI_M_rootflush(watch, 0, prefix, MPI_M_P2P_ONLY) != MPI_SUCCESS) {
            if (rank == 0) fprintf(stderr, "iterative_reordering: cannot write %s_sizes.0.prof\n", prefix);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        writing = MPI_Wtime() - writing;
    }
    MPI_M_free(watch);
    MPIX_Comm_reorder(work->comm, sizes, counts, MPI_INFO_NULL, made, k);
    free(sizes);
    return writing;
}

/* Begins the work in the new order and moves its data. `start`: a copy of the initial data in the old order;
 * `before`: the checksum of its result, which moves as well. */
static void change_order(struct work* work, const char* prefix, const double* start, double* before, int* k,
                         struct cell* cell) {
    int rank, size, i;
    double seconds[2]; /* total, and of the monitored iteration */
    double writing;
    MPI_Comm made;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    seconds[0] = MPI_Wtime();
    writing = reorder(work, prefix, &made, k, &seconds[1]);
    memcpy(work->vector, start, (size_t)work->elements * sizeof *start);
    MPIX_Redistribute(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, work->vector, work->elements, MPI_DOUBLE, k,
                      MPI_COMM_WORLD);
    end(work);
    begin(work, made);
    seconds[0] = MPI_Wtime() - seconds[0] - writing;
    MPI_Allreduce(MPI_IN_PLACE, seconds, 2, MPI_DOUBLE, MPI_MAX, made);
    MPIX_Redistribute(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, before, 1, MPI_DOUBLE, k, MPI_COMM_WORLD);
    cell->watched = seconds[1];
    cell->t2 = seconds[0] - seconds[1];
    cell->moved = 0;
    for (i = 0; i < size; ++i) cell->moved += k[i] != i;
    if (prefix != NULL && rank == 0) write_order(prefix, k, size);
}

static struct cell compare(struct work* work, int iterations, const char* prefix) {
    struct cell cell;
    double before;
    double* start = malloc((size_t)work->elements * sizeof *start);
    int size;
    int* k;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    k = malloc((size_t)size * sizeof *k);
    begin(work, MPI_COMM_WORLD);
    fill(work);
    iterate(work); /* establishes connections */
    fill(work);
    memcpy(start, work->vector, (size_t)work->elements * sizeof *start);
    cell.t1 = iterate_times(work, iterations);
    before = digest(work);
    change_order(work, prefix, start, &before, k, &cell);
    cell.t3 = iterate_times(work, iterations);
    cell.wrong = before != digest(work);
    MPI_Allreduce(MPI_IN_PLACE, &cell.wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    end(work);
    MPI_Comm_free(&work->comm);
    free(k);
    free(start);
    return cell;
}

/* A list of numbers on the command line. */
struct numbers {
    long of[MOST_NUMBERS];
    int count;
};

struct options {
    struct numbers bytes, iterations;
    double most_seconds; /* 0: no limit */
    const char* record;
};

/* Measures all numbers of iterations for a number of bytes; returns the number of wrong results, equal on all
 * processes. */
static int compare_all(struct work* work, long bytes, const struct options* options) {
    char prefix[1000];
    int rank, size, i, wrong = 0;
    double expected = 0; /* seconds of one iteration */
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    work->elements = (int)(bytes / 8);
    if (options->record != NULL) snprintf(prefix, sizeof prefix, "%s-%ld", options->record, bytes);
    for (i = 0; i < options->iterations.count; ++i) {
        const long iterations = options->iterations.of[i];
        struct cell cell;
        if (options->most_seconds > 0 && expected * (double)iterations > options->most_seconds) continue;
        cell = compare(work, (int)iterations, i == 0 && options->record != NULL ? prefix : NULL);
        expected = cell.t1 / (double)iterations;
        wrong += cell.wrong;
        if (rank != 0) continue;
        printf(
            "%ld bytes, %ld iterations: t1 %.6f t2 %.6f t3 %.6f gain %.1f %% ratio %.2f, %d of %d ranks "
            "moved, watched %.6f\n",
            bytes, iterations, cell.t1, cell.t2, cell.t3, 100 * (cell.t1 - cell.t2 - cell.t3) / cell.t1,
            cell.t1 / cell.t3, cell.moved, size, cell.watched);
        fflush(stdout);
    }
    return wrong;
}

static void usage(const char* why) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0) MPI_Barrier(MPI_COMM_WORLD); /* until rank 0 aborts, after its message */
    fprintf(stderr,
            "iterative_reordering: %s; options are --pattern bcast|reduce|groups|cg, --bytes, --group, "
            "--iterations, "
            "--most-seconds and --record\n",
            why);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

/* Parses "N,N,...", each from `least` to INT_MAX. */
static struct numbers numbers_of(const char* text, long least) {
    struct numbers numbers = {{0}, 0};
    char* rest;
    for (;; text = rest + 1) {
        const long number = strtol(text, &rest, 10);
        if (rest == text || (*rest != ',' && *rest != '\0')) usage("a list of numbers is expected");
        if (number < least) usage("a number is too small");
        if (number > INT_MAX) usage("a number is too large");
        if (numbers.count == MOST_NUMBERS) usage("a list is too long");
        numbers.of[numbers.count++] = number;
        if (*rest == '\0') return numbers;
    }
}

static struct options read_options(int argc, char** argv, struct work* work) {
    static const char* const patterns[] = {"bcast", "reduce", "groups", "cg"};
    struct options options = {{{262144}, 1}, {{20}, 1}, 0, NULL};
    int size, i;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--pattern") == 0)
            work->pattern = argv[i + 1];
        else if (strcmp(argv[i], "--bytes") == 0)
            options.bytes = numbers_of(argv[i + 1], 8);
        else if (strcmp(argv[i], "--group") == 0)
            work->group_size = (int)numbers_of(argv[i + 1], 1).of[0];
        else if (strcmp(argv[i], "--iterations") == 0)
            options.iterations = numbers_of(argv[i + 1], 1);
        else if (strcmp(argv[i], "--most-seconds") == 0)
            options.most_seconds = atof(argv[i + 1]);
        else if (strcmp(argv[i], "--record") == 0)
            options.record = argv[i + 1];
        else
            break;
    }
    if (i < argc) usage("unknown option");
    for (i = 0; i < 4 && strcmp(work->pattern, patterns[i]) != 0; ++i) continue;
    if (i == 4) usage("unknown pattern");
    if (strcmp(work->pattern, "cg") == 0 && (size & (size - 1)) != 0)
        usage("the pattern cg needs a power of two of ranks");
    if (work->group_size == 0) {
        while (work->group_size * work->group_size < size) ++work->group_size;
    }
    return options;
}

int main(int argc, char** argv) {
    struct work work = {"cg", MPI_COMM_NULL, MPI_COMM_NULL, {0}, 0, 0, NULL, NULL, 0};
    struct options options;
    size_t space = 0;
    int rank, wrong = 0, i;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    options = read_options(argc, argv, &work);
    for (i = 0; i < options.bytes.count; ++i) {
        if ((size_t)options.bytes.of[i] > space) space = (size_t)options.bytes.of[i];
    }
    work.vector = malloc(space);
    work.other = malloc(space * (size_t)work.group_size);
    if (MPI_M_init() != MPI_SUCCESS) {
        MPI_Finalize();
        return SKIPPED;
    }
    for (i = 0; i < options.bytes.count; ++i) wrong += compare_all(&work, options.bytes.of[i], &options);
    if (rank == 0) printf("%d wrong results\n", wrong);
    MPI_M_finalize();
    free(work.vector);
    free(work.other);
    MPI_Finalize();
    return wrong != 0;
}
