/*
 * csr.h: a view of a sparse matrix in compressed sparse row (CSR) form, in the caller's memory on the host.
 *
 * Row i, i = 0 .. rows - 1, has the entries e = row_start[i] - base .. row_start[i + 1] - base - 1. Entry e is in
 * column column[e] - base and has the value values[e].
 *
 *     | 4 1 0 |      int32_t row_start[] = {0, 2, 5, 7};
 *     | 1 4 1 |      int32_t column[] = {0, 1, 0, 1, 2, 1, 2};
 *     | 0 1 4 |      double values[] = {4, 1, 1, 4, 1, 1, 4};
 *                    clsolve_csr A = clsolve_csr_f64(3, row_start, column, values);
 *
 * The columns of a row may stand in any order. Entries with the same row and column are added, in the order in which
 * they stand. An entry with the value zero is an entry: it counts for the pattern. The view owns nothing.
 */
#ifndef CLSOLVE_CSR_H
#define CLSOLVE_CSR_H

#include <stdint.h>

#include <clsolve/export.h>
#include <clsolve/matrix.h>

/* The type of row_start and column. */
typedef enum clsolve_index { CLSOLVE_I32 = 1, CLSOLVE_I64 = 2 } clsolve_index;

typedef struct clsolve_csr {
    clsolve_type type;     /* of values: any clsolve_type */
    clsolve_index index;   /* of row_start and column */
    int32_t base;          /* 0 or 1: the number of the first row, column and entry */
    int64_t rows, cols;    /* a linear system has as many columns as rows */
    const void *row_start; /* rows + 1 indices, ascending; the first is `base` */
    const void *column;    /* row_start[rows] - base indices, base .. base + cols - 1; may be NULL when there is none */
    const void *values;    /* as many values; NULL where a call takes the pattern alone */
} clsolve_csr;

/* Views of n x n matrices with base 0. Change `base` afterwards for matrices that count from 1. */
static inline clsolve_csr clsolve_csr_f64(int64_t n, const int32_t *row_start, const int32_t *column,
                                          const double *values) {
    clsolve_csr A = {CLSOLVE_F64, CLSOLVE_I32, 0, n, n, row_start, column, values};
    return A;
}

static inline clsolve_csr clsolve_csr_f32(int64_t n, const int32_t *row_start, const int32_t *column,
                                          const float *values) {
    clsolve_csr A = {CLSOLVE_F32, CLSOLVE_I32, 0, n, n, row_start, column, values};
    return A;
}

/* The same with indices of 64 bits. */
static inline clsolve_csr clsolve_csr_i64_f64(int64_t n, const int64_t *row_start, const int64_t *column,
                                              const double *values) {
    clsolve_csr A = {CLSOLVE_F64, CLSOLVE_I64, 0, n, n, row_start, column, values};
    return A;
}

static inline clsolve_csr clsolve_csr_i64_f32(int64_t n, const int64_t *row_start, const int64_t *column,
                                              const float *values) {
    clsolve_csr A = {CLSOLVE_F32, CLSOLVE_I64, 0, n, n, row_start, column, values};
    return A;
}

/* The same of complex numbers, as of matrices (matrix.h). */
static inline clsolve_csr clsolve_csr_c64(int64_t n, const int32_t *row_start, const int32_t *column,
                                          const void *values) {
    clsolve_csr A = {CLSOLVE_C64, CLSOLVE_I32, 0, n, n, row_start, column, values};
    return A;
}

static inline clsolve_csr clsolve_csr_c32(int64_t n, const int32_t *row_start, const int32_t *column,
                                          const void *values) {
    clsolve_csr A = {CLSOLVE_C32, CLSOLVE_I32, 0, n, n, row_start, column, values};
    return A;
}

static inline clsolve_csr clsolve_csr_i64_c64(int64_t n, const int64_t *row_start, const int64_t *column,
                                              const void *values) {
    clsolve_csr A = {CLSOLVE_C64, CLSOLVE_I64, 0, n, n, row_start, column, values};
    return A;
}

static inline clsolve_csr clsolve_csr_i64_c32(int64_t n, const int64_t *row_start, const int64_t *column,
                                              const void *values) {
    clsolve_csr A = {CLSOLVE_C32, CLSOLVE_I64, 0, n, n, row_start, column, values};
    return A;
}

#endif
