/* The matrices of the NAS Parallel Benchmarks' conjugate gradient kernel: a weighted sum of outer products of
 * sparse random vectors, minus a shift on the diagonal.
 *
 * Source: The NAS Parallel Benchmarks, RNR-94-007, the section on the kernel CG and that on random numbers.
 */
#ifndef STRATA_EXAMPLE_NAS_MATRIX_H
#define STRATA_EXAMPLE_NAS_MATRIX_H

#include <stddef.h>

/* A problem size. */
struct nas_class {
    char letter;
    int size;         /* rows of the matrix */
    int nonzeros;     /* nonzeros in a random vector of which the matrix is made */
    int iterations;   /* of the power method */
    double shift;     /* subtracted from the diagonal */
    double published; /* eigenvalue estimate that verifies the result */
};

/* Returns a null pointer for an unknown letter; known are S, W, A, B, C and D. */
const struct nas_class* find_nas_class(char letter);

/* The part of a matrix that one process holds, row by row. */
struct nas_block {
    int first_row, rows, first_column, columns;
    size_t* start; /* by row: place of its first element; one more entry for the end */
    int* column;   /* counted from first_column; ascending in a row */
    double* value;
};

/* Makes the elements for first_row, rows, first_column and columns, which the caller has set. Local: each
 * process goes through the random numbers of the whole matrix, size * nonzeros of them, and stores its own
 * elements. Returns 0, or -1 if memory is lacking. */
int make_nas_block(const struct nas_class* of, struct nas_block* block);
void free_nas_block(struct nas_block* block);

/* Marks local work, in elements of a product of matrix and vector. A simulation defines it: its clock stands
 * still meanwhile. */
#ifndef LOCAL_WORK
#define LOCAL_WORK(elements) ((void)0)
#endif

#endif
