/* gather_combine [OPTIONS]: every process has a vector of complex numbers. Level by level, from the narrowest
 * to the widest, the local root of each group gathers the vectors of its parts and combines them: it adds
 * them and divides by the squared magnitudes of a local vector.
 *
 *   --elements N        complex numbers in a vector (4096)
 *   --hierarchies LIST  separated by ';': simple (all at once), topological, or numbers of parts per level
 * such as 2,4 (2,4;topological)
 *   --repetitions N     (20)
 *   --spoil N           corrupts the first N elements of every result, to test the check (0)
 *
 * Rank 0 prints for each hierarchy the median over the repetitions of the slowest process's time. Each
 * repetition runs all hierarchies in turn. The magnitudes are 1, so that every hierarchy must give the same
 * sum; every element is checked, and the exit status is 1 if one is wrong.
 *
 * Source: "A Hierarchical Model to Manage Hardware Topology in MPI Applications", section 7.4 and
 * algorithm 5. */
#include <complex.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "levels.h"

enum { MOST_HIERARCHIES = 8 };
typedef double complex element;

/* Whole numbers, so that sums are exact. */
static element own_element(int rank, int i) { return (rank + i) % 11 + I * (rank % 5 - i % 3); }

static void fill(element* vector, int elements, int rank) {
    int i;
    for (i = 0; i < elements; ++i) vector[i] = own_element(rank, i);
}

/* `gathered`: `parts` concatenated vectors. */
static void combine(element* sum, const element* gathered, int parts, const element* local, int elements) {
    int i, part;
    for (i = 0; i < elements; ++i) {
        element total = 0;
        for (part = 0; part < parts; ++part) total += gathered[(size_t)part * (size_t)elements + (size_t)i];
        sum[i] = total / (creal(local[i]) * creal(local[i]) + cimag(local[i]) * cimag(local[i]));
    }
}

static void gather_and_combine_in(MPI_Comm comm, element* vector, element* space, const element* local,
                                  int elements) {
    int rank, size;
    if (comm == MPI_COMM_NULL) return;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Gather(vector, elements, MPI_C_DOUBLE_COMPLEX, space, elements, MPI_C_DOUBLE_COMPLEX, 0, comm);
    if (rank == 0) combine(vector, space, size, local, elements);
}

/* Afterwards `vector` has the result on rank 0, and on the others the partial result that they sent. */
static void gather_and_combine(element* vector, element* space, const element* local, int elements,
                               const struct levels* levels) {
    int level;
    if (levels->count == 0) gather_and_combine_in(MPI_COMM_WORLD, vector, space, local, elements);
    for (level = levels->count; level-- > 0;)
        gather_and_combine_in(levels->comm[level], vector, space, local, elements);
}

static int wrong_elements(const element* vector, int elements, int size) {
    int wrong = 0, i, rank;
    for (i = 0; i < elements; ++i) {
        element wanted = 0;
        for (rank = 0; rank < size; ++rank) wanted += own_element(rank, i);
        wrong += vector[i] != wanted;
    }
    return wrong;
}

static void spoil(element* vector, int elements) {
    while (elements-- > 0) vector[elements] += 1;
}

static int compare_doubles(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static int measure(char* names[], int count, int elements, int repetitions, int spoiled) {
    struct levels levels[MOST_HIERARCHIES];
    double* times = malloc((size_t)count * (size_t)repetitions * sizeof *times);
    element *vector = malloc((size_t)elements * sizeof *vector),
            *local = malloc((size_t)elements * sizeof *local), *space;
    int wrong = 0, rank, size, one, i;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    space = malloc((size_t)elements * (size_t)size * sizeof *space);
    for (i = 0; i < elements; ++i) local[i] = i % 2 == 0 ? I : -1;
    for (one = 0; one < count; ++one) make_levels(MPI_COMM_WORLD, names[one], &levels[one]);
    for (i = -1; i < repetitions; ++i) { /* the first one is a warm-up */
        for (one = 0; one < count; ++one) {
            double own, slowest;
            fill(vector, elements, rank);
            MPI_Barrier(MPI_COMM_WORLD);
            own = MPI_Wtime();
            gather_and_combine(vector, space, local, elements, &levels[one]);
            own = MPI_Wtime() - own;
            if (rank == 0) spoil(vector, spoiled < elements ? spoiled : elements);
            if (rank == 0) wrong += wrong_elements(vector, elements, size);
            MPI_Reduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
            if (i >= 0) times[one * repetitions + i] = slowest;
        }
    }
    for (one = 0; one < count; ++one) {
        double* own = times + one * repetitions;
        qsort(own, (size_t)repetitions, sizeof *own, compare_doubles);
        if (rank == 0) printf("%-16s %12.1f us\n", names[one], 1e6 * own[repetitions / 2]);
        free_levels(&levels[one]);
    }
    free(space);
    free(local);
    free(vector);
    free(times);
    MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d wrong elements\n", wrong);
    return wrong;
}

int main(int argc, char** argv) {
    char list[256] = "2,4;topological";
    char* names[MOST_HIERARCHIES];
    int elements = 4096, repetitions = 20, spoiled = 0, count = 0, wrong, i;
    char* name;
    MPI_Init(&argc, &argv);
    for (i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--elements") == 0)
            elements = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--repetitions") == 0)
            repetitions = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--spoil") == 0)
            spoiled = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--hierarchies") == 0)
            snprintf(list, sizeof list, "%s", argv[i + 1]);
        else
            break;
    }
    if (i < argc || repetitions < 1 || elements < 1) {
        fprintf(stderr,
                "gather_combine: options are --elements, --repetitions, --hierarchies and --spoil, each with "
                "a value\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (name = strtok(list, ";"); name != NULL && count < MOST_HIERARCHIES; name = strtok(NULL, ";"))
        names[count++] = name;
    wrong = measure(names, count, elements, repetitions, spoiled);
    MPI_Finalize();
    return wrong != 0;
}
