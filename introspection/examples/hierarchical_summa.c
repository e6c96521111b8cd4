/* hierarchical_summa [OPTIONS]: multiplies two matrices by SUMMA on a grid of processes; hierarchies of communicators
 * broadcast the blocks along rows and columns.
 *
 *   --rows N            rows of the grid (the largest divisor of the number of processes up to its square root)
 *   --block N           doubles in a row of a process's block (8)
 *   --hierarchies LIST  separated by ';': simple, topological, or numbers of parts per level such as 2 or 2,4
 *                       (simple;2;topological)
 *   --repetitions N     (20)
 *   --spoil N           corrupts the first N elements of every process's results, to test the check (0)
 *
 * Rank 0 prints for each hierarchy the medians over the repetitions of the slowest process's time and communication time.
 * Each repetition runs all hierarchies in turn. Every element of every result is checked; exit status 1 if one is wrong.
 *
 * Source: "A Hierarchical Model to Manage Hardware Topology in MPI Applications", section 7.3. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "levels.h"

enum { MOST_HIERARCHIES = 8 };

struct grid {
    int rows, columns, row, column; /* row and column: of the process */
    int block;                      /* a process has block x block elements of each matrix */
    MPI_Comm along_row, along_column;
};

struct times {
    double all, communication; /* seconds */
};

/* Elements are small whole numbers, so that sums are exact. */
static double left_element(int i, int k) { return (i + 2 * k) % 7 - 3; }
static double right_element(int k, int j) { return (3 * k + j) % 5 - 2; }

static void fill(double *block, const struct grid *grid, double (*element)(int, int)) {
    int i, j;
    for (i = 0; i < grid->block; ++i) {
        for (j = 0; j < grid->block; ++j) {
            block[i * grid->block + j] = element(grid->row * grid->block + i, grid->column * grid->block + j);
        }
    }
}

/* result += left * right, all b x b */
static void multiply_add(double *result, const double *left, const double *right, int b) {
    int i, j, k;
    for (i = 0; i < b; ++i) {
        for (k = 0; k < b; ++k) {
            for (j = 0; j < b; ++j) result[i * b + j] += left[i * b + k] * right[k * b + j];
        }
    }
}

/* The left matrix has as many columns of blocks as the grid, and the right one as many rows of blocks, dealt out over
 * the grid's rows: on a grid that is not square a process has several. */
static struct times multiply(double *result, const struct grid *grid, const struct levels *row, const struct levels *column) {
    const size_t elements = (size_t)grid->block * (size_t)grid->block;
    double *left = malloc(2 * elements * sizeof *left), *right = left + elements;
    struct times times = {0, 0};
    double start = MPI_Wtime();
    int step, i, j;
    memset(result, 0, elements * sizeof *result);
    for (step = 0; step < grid->columns; ++step) {
        double before;
        if (grid->column == step) fill(left, grid, left_element);
        if (grid->row == step % grid->rows) {
            for (i = 0; i < grid->block; ++i) {
                for (j = 0; j < grid->block; ++j) {
                    right[i * grid->block + j] = right_element(step * grid->block + i, grid->column * grid->block + j);
                }
            }
        }
        before = MPI_Wtime();
        broadcast(left, (int)elements, MPI_DOUBLE, step, grid->along_row, row);
        broadcast(right, (int)elements, MPI_DOUBLE, step % grid->rows, grid->along_column, column);
        times.communication += MPI_Wtime() - before;
        multiply_add(result, left, right, grid->block);
    }
    times.all = MPI_Wtime() - start;
    free(left);
    return times;
}

static int wrong_elements(const double *result, const struct grid *grid) {
    const int depth = grid->columns * grid->block;
    int wrong = 0, i, j, k;
    for (i = 0; i < grid->block; ++i) {
        for (j = 0; j < grid->block; ++j) {
            double wanted = 0;
            for (k = 0; k < depth; ++k) {
                wanted += left_element(grid->row * grid->block + i, k) * right_element(k, grid->column * grid->block + j);
            }
            wrong += result[i * grid->block + j] != wanted;
        }
    }
    return wrong;
}

static void spoil(double *result, int elements) {
    while (elements-- > 0) result[elements] += 1;
}

static int compare_doubles(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static struct grid make_grid(int rows, int block) {
    struct grid grid = {rows, 0, 0, 0, block, MPI_COMM_NULL, MPI_COMM_NULL};
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (grid.rows == 0) {
        for (grid.rows = 1; (grid.rows + 1) * (grid.rows + 1) <= size; ++grid.rows) continue;
        while (size % grid.rows != 0) --grid.rows;
    }
    if (grid.rows < 0 || size % grid.rows != 0 || block < 1) {
        if (rank != 0) MPI_Barrier(MPI_COMM_WORLD); /* until rank 0 aborts, after its message */
        fprintf(stderr, "hierarchical_summa: %d rows do not divide %d processes, or the block is empty\n", rows, size);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    grid.columns = size / grid.rows;
    grid.row = rank / grid.columns;
    grid.column = rank % grid.columns;
    MPI_Comm_split(MPI_COMM_WORLD, grid.row, grid.column, &grid.along_row);
    MPI_Comm_split(MPI_COMM_WORLD, grid.column, grid.row, &grid.along_column);
    return grid;
}

static int measure(const struct grid *grid, char *names[], int count, int repetitions, int spoiled) {
    struct levels along_row[MOST_HIERARCHIES], along_column[MOST_HIERARCHIES];
    double *all = malloc(2 * (size_t)count * (size_t)repetitions * sizeof *all);
    double *communication = all + (size_t)count * (size_t)repetitions;
    double *result = malloc((size_t)grid->block * (size_t)grid->block * sizeof *result);
    int wrong = 0, rank, one, i;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (one = 0; one < count; ++one) {
        make_levels(grid->along_row, names[one], &along_row[one]);
        make_levels(grid->along_column, names[one], &along_column[one]);
    }
    for (i = -1; i < repetitions; ++i) { /* the first one is a warm-up */
        for (one = 0; one < count; ++one) {
            struct times own, slowest;
            MPI_Barrier(MPI_COMM_WORLD);
            own = multiply(result, grid, &along_row[one], &along_column[one]);
            spoil(result, spoiled < grid->block * grid->block ? spoiled : grid->block * grid->block);
            wrong += wrong_elements(result, grid);
            MPI_Reduce(&own, &slowest, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
            if (i >= 0) all[one * repetitions + i] = slowest.all;
            if (i >= 0) communication[one * repetitions + i] = slowest.communication;
        }
    }
    for (one = 0; one < count; ++one) {
        if (rank == 0) {
            const double us = 1e6 * median(all + one * repetitions, repetitions);
            printf("%-16s %12.1f us, in communication %12.1f us\n", names[one], us,
                   1e6 * median(communication + one * repetitions, repetitions));
        }
        free_levels(&along_row[one]);
        free_levels(&along_column[one]);
    }
    free(result);
    free(all);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("%d wrong elements\n", wrong);
    return wrong;
}

int main(int argc, char **argv) {
    char list[256] = "simple;2;topological";
    char *names[MOST_HIERARCHIES];
    int rows = 0, block = 8, repetitions = 20, spoiled = 0, count = 0, wrong, i;
    char *name;
    struct grid grid;
    MPI_Init(&argc, &argv);
    for (i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--rows") == 0) rows = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--block") == 0) block = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--repetitions") == 0) repetitions = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--spoil") == 0) spoiled = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--hierarchies") == 0) snprintf(list, sizeof list, "%s", argv[i + 1]);
        else break;
    }
    if (i < argc || repetitions < 1) {
        fprintf(stderr, "hierarchical_summa: options are --rows, --block, --repetitions, --hierarchies, --spoil, each with a value\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (name = strtok(list, ";"); name != NULL && count < MOST_HIERARCHIES; name = strtok(NULL, ";")) names[count++] = name;
    grid = make_grid(rows, block);
    wrong = measure(&grid, names, count, repetitions, spoiled);
    MPI_Comm_free(&grid.along_row);
    MPI_Comm_free(&grid.along_column);
    MPI_Finalize();
    return wrong != 0;
}
