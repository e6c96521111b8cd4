/* Shared by test programs of this folder: expectations, counted by process. */
#ifndef STRATA_TESTS_EXPECT_H
#define STRATA_TESTS_EXPECT_H

#include <MPIX_Hardware.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;
static int rank = 0;

static void expect(int condition, const char* what) {
    if (condition) return;
    ++failures;
    printf("rank %d: FAILED: %s\n", rank, what);
}

static int class_of(int code) {
    int class = 0;
    MPI_Error_class(code, &class);
    return class;
}

static void expect_shared(MPI_Comm comm, int count, const int* ranks, const char* wanted) {
    char* type = NULL;
    expect(MPIX_Comm_get_min_hlevel(comm, count, ranks, &type) == MPI_SUCCESS, "get_min_hlevel fails");
    if (type == NULL || strcmp(type, wanted) != 0) {
        ++failures;
        printf("rank %d: FAILED: shared level is %s, not %s\n", rank, type == NULL ? "null" : type, wanted);
    }
}

/* Ends the program: the exit status. */
static int conclude(const char* name) {
    int sum = 0;
    fflush(stdout);
    MPI_Allreduce(&failures, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("%s: %d failures\n", name, sum);
    MPI_Finalize();
    return sum == 0 ? 0 : 1;
}

#endif
