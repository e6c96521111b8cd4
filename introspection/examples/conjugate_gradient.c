/* conjugate_gradient [OPTIONS]: the conjugate gradient kernel of the NAS Parallel Benchmarks, which estimates
 * an eigenvalue of a sparse matrix. It can monitor its untimed first iteration, reorder its ranks by it, and
 * do the timed ones in the new order. Requires a power of two of processes and, to reorder, Open MPI's
 * monitoring:
 *
 *   strata-monitor mpirun -n 16 ./conjugate_gradient --class A --reorder
 *
 *   --class LETTER      problem size: S, W, A, B, C or D (S)
 *   --reorder           reorder the ranks after the untimed iteration
 *   --repeat N          repetitions, each from MPI_COMM_WORLD (1)
 *   --shift X           replaces the class's shift: far from it zeta has not converged, which tests the
 *                       verification
 *   --help
 *
 * Rank 0 prints a line per repetition, in seconds: execution, the timed iterations of the slowest process;
 * communication, its part in MPI calls on the slowest process, the mean and rank 0; reordering, from the
 * session to the new communicator, without the monitored iteration of the slowest process, which the kernel
 * has anyway; data, the matrix made anew for the new ranks. New connections are part of the timed iterations.
 * The estimate, zeta, must be the published one to 1e-10: exit status 1 otherwise, or if monitoring or
 * reordering fails; 2 for wrong options; 77 if monitoring is off.
 *
 * Processes form a grid, whose rows are as long as its columns or twice as long. Each holds a block of the
 * matrix, and the part of all vectors that belongs to its columns, which is the same in the whole column:
 *
 *   4 processes: 0 1   8 processes: 0 1 2 3   A product is summed along a row by exchanges at the distances
 *                2 3                4 5 6 7   1, 2, ... and goes to the transposed process; in the wide grid
 *                                             each process sums the half that its transposed process needs.
 *
 * For a product a process sends (L + 1) 8 n / C bytes, where the grid has C = 2^L columns, 8 n / C less on a
 * diagonal; for a sum L messages of 8 bytes. A step has one product and two sums.
 *
 * Sources: The NAS Parallel Benchmarks, RNR-94-007, the section on the kernel CG; the paper on introspection
 * monitoring, section 6.5. */
#include <MPIX_Reorder.h>
#include <MPI_Monitoring.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nas_matrix.h"

enum { WRONG = 1, USAGE = 2, SKIPPED = 77, MOST_STEPS = 32 };

enum { STEPS = 25 }; /* of the solver in an iteration of the power method */

static const double TOLERANCE = 1e-10;

static void give_up(const char* why, int status) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (status == USAGE && rank != 0)
        MPI_Barrier(MPI_COMM_WORLD); /* until rank 0 aborts, after its message */
    fprintf(stderr, "conjugate_gradient: %s\n", why);
    MPI_Abort(MPI_COMM_WORLD, status);
}

/* The place of a process in the grid, and the processes with which it exchanges data. */
struct grid {
    int rows, columns, wide; /* wide: columns / rows, 1 or 2 */
    int row, column;
    int partners[MOST_STEPS], steps; /* in its row, at distances 1, 2, ... */
    int transposed;
};

static struct grid make_grid(int rank, int size) {
    struct grid grid = {1, 0, 0, 0, 0, {0}, 0, 0};
    int distance;
    while (grid.rows * grid.rows * 4 <= size) grid.rows *= 2;
    grid.columns = size / grid.rows;
    grid.wide = grid.columns / grid.rows;
    grid.row = rank / grid.columns;
    grid.column = rank % grid.columns;
    for (distance = 1; distance < grid.columns; distance *= 2)
        grid.partners[grid.steps++] = grid.row * grid.columns + (grid.column ^ distance);
    grid.transposed = grid.column / grid.wide * grid.columns + grid.row * grid.wide + grid.column % grid.wide;
    return grid;
}

/* Blocks of rows differ by one row at most; a block of rows is divided into `wide` blocks of columns. */
static int first_row(const struct grid* grid, int size, int row) {
    return (int)((long long)size * row / grid->rows);
}

static int first_column(const struct grid* grid, int size, int column) {
    const int row = column / grid->wide, first = first_row(grid, size, row);
    return first + (first_row(grid, size, row + 1) - first) / grid->wide * (column % grid->wide);
}

/* A process's part of the work. */
struct solver {
    MPI_Comm comm;
    struct grid grid;
    struct nas_block matrix;
    double *x, *z, *p, *q, *r;  /* vectors, by columns */
    double *product, *received; /* by rows */
    double communication;       /* seconds in MPI calls */
};

static double* allocate(int count) {
    double* made = calloc((size_t)count + 1, sizeof *made);
    if (made == NULL) give_up("out of memory", WRONG);
    return made;
}

static void begin(struct solver* solver, const struct nas_class* of, MPI_Comm comm) {
    struct nas_block* matrix = &solver->matrix;
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    solver->comm = comm;
    solver->grid = make_grid(rank, size);
    matrix->first_row = first_row(&solver->grid, of->size, solver->grid.row);
    matrix->rows = first_row(&solver->grid, of->size, solver->grid.row + 1) - matrix->first_row;
    matrix->first_column = first_column(&solver->grid, of->size, solver->grid.column);
    matrix->columns = first_column(&solver->grid, of->size, solver->grid.column + 1) - matrix->first_column;
    if (make_nas_block(of, matrix) != 0) give_up("out of memory", WRONG);
    LOCAL_WORK(16.0 * of->size * of->nonzeros); /* a random number and its place: measured */
    solver->x = allocate(5 * matrix->columns);
    solver->z = solver->x + matrix->columns;
    solver->p = solver->z + matrix->columns;
    solver->q = solver->p + matrix->columns;
    solver->r = solver->q + matrix->columns;
    solver->product = allocate(2 * matrix->rows);
    solver->received = solver->product + matrix->rows;
}

static void end(struct solver* solver) {
    free_nas_block(&solver->matrix);
    free(solver->x);
    free(solver->product);
    if (solver->comm != MPI_COMM_WORLD) MPI_Comm_free(&solver->comm);
}

static void exchange(struct solver* solver, int partner, const double* sent, int count, double* received,
                     int capacity) {
    const double begun = MPI_Wtime();
    MPI_Sendrecv(sent, count, MPI_DOUBLE, partner, 0, received, capacity, MPI_DOUBLE, partner, 0,
                 solver->comm, MPI_STATUS_IGNORE);
    solver->communication += MPI_Wtime() - begun;
}

/* Sums values along the row of processes, at halving distances; all get the same bits. */
static double sum(struct solver* solver, double value) {
    int step = solver->grid.steps;
    double other;
    while (step-- > 0) {
        exchange(solver, solver->grid.partners[step], &value, 1, &other, 1);
        value += other;
    }
    return value;
}

static double dot(struct solver* solver, const double* one, const double* other) {
    double own = 0;
    int i;
    for (i = 0; i < solver->matrix.columns; ++i) own += one[i] * other[i];
    return sum(solver, own);
}

/* result = matrix * vector */
static void multiply(struct solver* solver, const double* vector, double* result) {
    const struct grid* grid = &solver->grid;
    const struct nas_block* matrix = &solver->matrix;
    const int half = matrix->rows / 2; /* rows of the first half */
    int kept = 0, count = matrix->rows, row, step;
    size_t i;
    for (row = 0; row < matrix->rows; ++row) {
        double own = 0;
        for (i = matrix->start[row]; i < matrix->start[row + 1]; ++i)
            own += matrix->value[i] * vector[matrix->column[i]];
        solver->product[row] = own;
    }
    LOCAL_WORK((double)matrix->start[matrix->rows] + 10.0 * matrix->columns); /* and a step's vectors */
    for (step = 0; step < grid->steps; ++step) {
        int sent = kept, sent_count = count;
        if (grid->wide == 2 && step == 0) {
            const int second = grid->column % 2;
            kept = second ? half : 0;
            count = second ? matrix->rows - half : half;
            sent = second ? 0 : half;
            sent_count = matrix->rows - count;
        }
        exchange(solver, grid->partners[step], solver->product + sent, sent_count, solver->received, count);
        for (row = 0; row < count; ++row) solver->product[kept + row] += solver->received[row];
    }
    if (grid->transposed == grid->row * grid->columns + grid->column)
        memcpy(result, solver->product + kept, (size_t)count * sizeof *result);
    else
        exchange(solver, grid->transposed, solver->product + kept, count, result, matrix->columns);
}

/* Solves matrix * z = x approximately, by a fixed number of steps. Returns the residual's norm. */
static double solve(struct solver* solver) {
    const int n = solver->matrix.columns;
    double rho, before, alpha;
    int i, step;
    for (i = 0; i < n; ++i) {
        solver->z[i] = 0;
        solver->p[i] = solver->r[i] = solver->x[i];
    }
    rho = dot(solver, solver->r, solver->r);
    for (step = 0; step < STEPS; ++step) {
        multiply(solver, solver->p, solver->q);
        alpha = rho / dot(solver, solver->p, solver->q);
        for (i = 0; i < n; ++i) {
            solver->z[i] += alpha * solver->p[i];
            solver->r[i] -= alpha * solver->q[i];
        }
        before = rho;
        rho = dot(solver, solver->r, solver->r);
        for (i = 0; i < n; ++i) solver->p[i] = solver->r[i] + rho / before * solver->p[i];
    }
    multiply(solver, solver->z, solver->r);
    for (i = 0; i < n; ++i) solver->r[i] -= solver->x[i];
    return sqrt(dot(solver, solver->r, solver->r));
}

/* Results of a repetition. */
struct result {
    double execution;
    double slowest, mean, first; /* in MPI calls; `first`: of rank 0 */
    double reordering, data;
    int moved;
    double zeta, residual;
};

static void start_vector(struct solver* solver) {
    int i;
    for (i = 0; i < solver->matrix.columns; ++i) solver->x[i] = 1;
}

/* An iteration of the inverse power method. */
static void iterate(struct solver* solver, double shift, struct result* result) {
    double xz, scale;
    int i;
    result->residual = solve(solver);
    xz = dot(solver, solver->x, solver->z);
    scale = 1 / sqrt(dot(solver, solver->z, solver->z));
    result->zeta = shift + 1 / xz;
    for (i = 0; i < solver->matrix.columns; ++i) solver->x[i] = scale * solver->z[i];
}

/* Monitors an iteration and continues with the ranks that fit its traffic best. */
static void iterate_and_reorder(struct solver* solver, const struct nas_class* of, struct result* result) {
    double seconds[2]; /* of the reordering, and for new data */
    double watched;
    unsigned long* sizes;
    MPI_M_msid watch;
    MPI_Comm made;
    int size, code, i, *k;
    MPI_Comm_size(solver->comm, &size);
    sizes = malloc(2 * (size_t)size * sizeof *sizes); /* and counts */
    k = malloc((size_t)size * sizeof *k);
    if (sizes == NULL || k == NULL) give_up("out of memory", WRONG);
    MPI_Barrier(solver->comm);
    seconds[0] = MPI_Wtime();
    if (MPI_M_start(solver->comm, &watch) != MPI_SUCCESS) give_up("MPI_M_start failed", WRONG);
    watched = MPI_Wtime();
    iterate(solver, of->shift, result);
    if (MPI_M_suspend(watch) != MPI_SUCCESS) give_up("MPI_M_suspend failed", WRONG);
    MPI_Barrier(solver->comm); /* not monitored; the wait for the slowest process is the iteration's */
    watched = MPI_Wtime() - watched;
    code = MPI_M_get_data(watch, sizes + size, sizes, MPI_M_P2P_ONLY);
    if (code == MPI_M_MPIT_FAIL) give_up("point-to-point messages are not counted here", WRONG);
    if (code != MPI_SUCCESS) give_up("MPI_M_get_data failed", WRONG);
    if (MPI_M_free(watch) != MPI_SUCCESS) give_up("MPI_M_free failed", WRONG);
    code = MPIX_Comm_reorder(solver->comm, sizes, sizes + size, MPI_INFO_NULL, &made, k);
    if (code != MPI_SUCCESS) give_up("MPIX_Comm_reorder failed", WRONG);
    seconds[0] = MPI_Wtime() - seconds[0] - watched;
    for (i = 0; i < size; ++i) result->moved += k[i] != i;
    seconds[1] = MPI_Wtime();
    if (result->moved > 0) {
        end(solver);
        begin(solver, of, made);
    } else {
        MPI_Comm_free(&made);
    }
    seconds[1] = MPI_Wtime() - seconds[1];
    MPI_Allreduce(MPI_IN_PLACE, seconds, 2, MPI_DOUBLE, MPI_MAX, solver->comm);
    result->reordering = seconds[0];
    result->data = seconds[1];
    free(sizes);
    free(k);
}

static struct result repeat(const struct nas_class* of, int reordering) {
    struct result result = {0};
    struct solver solver = {0};
    double most[2]; /* of the processes: total, and in MPI calls */
    int size, i;
    begin(&solver, of, MPI_COMM_WORLD);
    start_vector(&solver);
    if (reordering)
        iterate_and_reorder(&solver, of, &result);
    else
        iterate(&solver, of->shift, &result); /* as in the benchmark: establishes connections */
    start_vector(&solver);
    MPI_Barrier(solver.comm);
    solver.communication = 0;
    most[0] = MPI_Wtime();
    for (i = 0; i < of->iterations; ++i) iterate(&solver, of->shift, &result);
    most[0] = MPI_Wtime() - most[0];
    most[1] = result.mean = result.first = solver.communication;
    MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, solver.comm);
    MPI_Allreduce(MPI_IN_PLACE, &result.mean, 1, MPI_DOUBLE, MPI_SUM, solver.comm);
    MPI_Bcast(&result.first, 1, MPI_DOUBLE, 0, solver.comm);
    result.execution = most[0];
    result.slowest = most[1];
    MPI_Comm_size(solver.comm, &size);
    result.mean /= size;
    end(&solver);
    return result;
}

/* Returns whether the result is right. */
static int report(const struct nas_class* of, const struct result* result) {
    const int right = fabs(result->zeta - of->published) <= TOLERANCE * of->published;
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank != 0) return right;
    printf("class %c, %d ranks: execution %.6f ", of->letter, size, result->execution);
    printf("communication %.6f mean %.6f rank 0 %.6f ", result->slowest, result->mean, result->first);
    printf("reordering %.6f data %.6f, ", result->reordering, result->data);
    printf("%d of %d ranks moved, residual %.3e ", result->moved, size, result->residual);
    printf("zeta %.17g, verified %s\n", result->zeta, right ? "yes" : "no");
    fflush(stdout);
    return right;
}

struct options {
    struct nas_class of;
    int reordering, repetitions, help;
};

static const char OPTIONS[] = "options are --class S|W|A|B|C|D, --reorder, --repeat N, --shift X and --help";

static struct options read_options(int argc, char** argv) {
    struct options options = {*find_nas_class('S'), 0, 1, 0};
    double shift = 0;
    int shifted = 0, i;
    for (i = 1; i < argc; ++i) {
        const char* value = i + 1 < argc ? argv[i + 1] : NULL;
        char* rest = NULL;
        if (strcmp(argv[i], "--help") == 0) {
            options.help = 1;
        } else if (strcmp(argv[i], "--reorder") == 0) {
            options.reordering = 1;
        } else if (value != NULL && strcmp(argv[i], "--class") == 0) {
            const struct nas_class* found = strlen(value) == 1 ? find_nas_class(*value) : NULL;
            if (found == NULL) give_up("unknown class; known are S, W, A, B, C and D", USAGE);
            options.of = *found;
            ++i;
        } else if (value != NULL && strcmp(argv[i], "--repeat") == 0) {
            const long number = strtol(value, &rest, 10);
            if (rest == value || *rest != '\0' || number < 1 || number > 1000000)
                give_up("--repeat expects a number from 1 to 1000000", USAGE);
            options.repetitions = (int)number;
            ++i;
        } else if (value != NULL && strcmp(argv[i], "--shift") == 0) {
            shift = strtod(value, &rest);
            if (rest == value || *rest != '\0') give_up("--shift expects a number", USAGE);
            shifted = 1;
            ++i;
        } else {
            give_up(OPTIONS, USAGE);
        }
    }
    if (shifted) options.of.shift = shift;
    return options;
}

int main(int argc, char** argv) {
    struct options options;
    int rank, size, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    options = read_options(argc, argv);
    if (options.help) {
        if (rank == 0) printf("conjugate_gradient: %s\n", OPTIONS);
        MPI_Finalize();
        return 0;
    }
    if ((size & (size - 1)) != 0) give_up("a power of two of processes is needed", USAGE);
    if (options.reordering && MPI_M_init() != MPI_SUCCESS) {
        MPI_Finalize();
        return SKIPPED;
    }
    while (options.repetitions-- > 0) {
        const struct result result = repeat(&options.of, options.reordering);
        wrong |= !report(&options.of, &result);
    }
    if (options.reordering) MPI_M_finalize();
    MPI_Finalize();
    return wrong ? WRONG : 0;
}
