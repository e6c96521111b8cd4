#include "nas_matrix.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static const struct nas_class classes[] = {
    {'S', 1400, 7, 15, 10, 8.5971775078648},     {'W', 7000, 8, 15, 12, 10.362595087124},
    {'A', 14000, 11, 15, 20, 17.130235054029},   {'B', 75000, 13, 75, 60, 22.712745482631},
    {'C', 150000, 15, 75, 110, 28.973605592845}, {'D', 1500000, 21, 100, 500, 52.514532105794},
};

const struct nas_class* find_nas_class(char letter) {
    size_t i;
    for (i = 0; i < sizeof classes / sizeof *classes; ++i) {
        if (classes[i].letter == letter) return &classes[i];
    }
    return NULL;
}

enum { BITS = 46, MOST_NONZEROS = 32 };

static const double CONDITION = 0.1; /* of the matrix before the shift, reciprocal */

/* A linear congruential generator: x = 5^13 x mod 2^46, in integers. */
static uint64_t next_random(uint64_t* x) {
    *x = *x * UINT64_C(1220703125) & ((UINT64_C(1) << BITS) - 1);
    return *x;
}

/* A sparse vector. */
struct sparse {
    int count;
    int place[MOST_NONZEROS];
    double value[MOST_NONZEROS];
};

/* Position of a place in a vector, or the vector's count. */
static int find_place(const struct sparse* vector, int place) {
    int i = 0;
    while (i < vector->count && vector->place[i] != place) ++i;
    return i;
}

/* Draws values and places in pairs until there are enough different places below `size`; the places are the
 * leading bits of the random numbers, `place_bits` of them. */
static void draw_vector(uint64_t* x, int size, int place_bits, int nonzeros, struct sparse* vector) {
    vector->count = 0;
    while (vector->count < nonzeros) {
        const double value = ldexp((double)next_random(x), -BITS);
        const uint64_t place = next_random(x) >> (BITS - place_bits);
        if (place >= (uint64_t)size || find_place(vector, (int)place) < vector->count) continue;
        vector->place[vector->count] = (int)place;
        vector->value[vector->count++] = value;
    }
}

/* Calls use(context, row, column, value) for each contribution to the block's elements, in the order of the
 * vectors, rows and columns counted from the block's first ones: the sum of weight v v^T over a random vector
 * v for each row i, with v[i] = 1/2 and weights falling from 1 to about CONDITION; then the diagonal. */
static void contribute(const struct nas_class* of, const struct nas_block* block,
                       void (*use)(void* context, int row, int column, double value), void* context) {
    const double ratio = pow(CONDITION, 1.0 / of->size);
    double weight = 1;
    uint64_t x = 314159265;
    int place_bits = 0, i, one, other;
    while (1 << place_bits < of->size) ++place_bits;
    next_random(&x); /* the kernel discards one */
    for (i = 0; i < of->size; ++i, weight *= ratio) {
        struct sparse vector;
        int own;
        draw_vector(&x, of->size, place_bits, of->nonzeros, &vector);
        own = find_place(&vector, i);
        vector.place[own] = i;
        vector.value[own] = 0.5;
        if (own == vector.count) ++vector.count;
        for (one = 0; one < vector.count; ++one) {
            const int row = vector.place[one] - block->first_row;
            if (row < 0 || row >= block->rows) continue;
            for (other = 0; other < vector.count; ++other) {
                const int column = vector.place[other] - block->first_column;
                if (column < 0 || column >= block->columns) continue;
                use(context, row, column, weight * vector.value[one] * vector.value[other]);
            }
        }
    }
    for (i = 0; i < block->rows; ++i) {
        const int column = block->first_row + i - block->first_column;
        if (column >= 0 && column < block->columns) use(context, i, column, CONDITION - of->shift);
    }
}

/* All contributions, sorted by column. */
struct by_column {
    size_t* next; /* by column: number of contributions, then the place of the next one */
    int* row;
    double* value;
};

static void count_one(void* context, int row, int column, double value) {
    struct by_column* all = context;
    (void)row, (void)value;
    ++all->next[column];
}

static void store_one(void* context, int row, int column, double value) {
    struct by_column* all = context;
    const size_t place = all->next[column]++;
    all->row[place] = row;
    all->value[place] = value;
}

/* Replaces numbers by the sums of those before; returns the sum of all. */
static size_t places_of(size_t* numbers, int count) {
    size_t sum = 0;
    int i;
    for (i = 0; i < count; ++i) {
        const size_t number = numbers[i];
        numbers[i] = sum;
        sum += number;
    }
    return sum;
}

/* Deals the contributions out to their rows, column by column, and adds those to the same element. `end`: an
 * entry per row. */
static void sort_by_row(const struct by_column* all, struct nas_block* block, size_t* end) {
    size_t i = 0, kept = 0;
    int row, column;
    for (row = 0; row <= block->rows; ++row) block->start[row] = 0;
    for (; block->columns > 0 && i < all->next[block->columns - 1]; ++i) ++block->start[all->row[i]];
    places_of(block->start, block->rows + 1);
    for (row = 0; row < block->rows; ++row) end[row] = block->start[row];
    for (column = 0, i = 0; column < block->columns; ++column) {
        for (; i < all->next[column]; ++i) { /* which is now the end of the column */
            row = all->row[i];
            if (end[row] == block->start[row] || block->column[end[row] - 1] != column) {
                block->column[end[row]] = column;
                block->value[end[row]++] = 0;
            }
            block->value[end[row] - 1] += all->value[i];
        }
    }
    for (row = 0; row < block->rows; ++row) {
        for (i = block->start[row], block->start[row] = kept; i < end[row]; ++i, ++kept) {
            block->column[kept] = block->column[i];
            block->value[kept] = block->value[i];
        }
    }
    block->start[block->rows] = kept;
}

int make_nas_block(const struct nas_class* of, struct nas_block* block) {
    struct by_column all = {calloc((size_t)block->columns + 1, sizeof *all.next), NULL, NULL};
    size_t* end = malloc(((size_t)block->rows + 1) * sizeof *end);
    size_t count;
    int made = 0;
    block->start = malloc(((size_t)block->rows + 1) * sizeof *block->start);
    block->column = NULL;
    block->value = NULL;
    if (all.next != NULL && end != NULL && block->start != NULL) {
        contribute(of, block, count_one, &all);
        count =
            places_of(all.next, block->columns) + 1; /* not 0, for which malloc may return a null pointer */
        all.row = malloc(count * sizeof *all.row);
        all.value = malloc(count * sizeof *all.value);
        block->column = malloc(count * sizeof *block->column);
        block->value = malloc(count * sizeof *block->value);
        made = all.row != NULL && all.value != NULL && block->column != NULL && block->value != NULL;
    }
    if (made) {
        contribute(of, block, store_one, &all);
        sort_by_row(&all, block, end);
    }
    free(all.next);
    free(all.row);
    free(all.value);
    free(end);
    if (!made) free_nas_block(block);
    return made ? 0 : -1;
}

void free_nas_block(struct nas_block* block) {
    free(block->start);
    free(block->column);
    free(block->value);
}
