/*
 * lu_resident_matrices.h: matrices for a leaf, m rows by `width` columns, tight and by columns, and their LU with partial pivoting.
 */
#ifndef CLSOLVE_TEST_LU_RESIDENT_MATRICES_H
#define CLSOLVE_TEST_LU_RESIDENT_MATRICES_H

#include <stdint.h>

#include <clsolve/matrix.h>

#include "support/test_support.h"

/* Where all of a leaf's numbers come from: for main to start. */
extern test_random leaf_random;
int64_t leaf_between(int64_t low, int64_t high);

typedef enum {
    RANDOM,
    COPIES,
    WHOLE,
    ZERO_COLUMNS,
    GRADED,
    SUBNORMAL,
    LAST_ROWS,
    CLOSE,
    OVERTAKEN,
    NOT_FINITE,
    KINDS
} kind;
extern const char *const leaf_kind_names[];
/* COPIES: in each column some elements are as large, and nothing is ever rounded. WHOLE: as large in the first columns.
 * LAST_ROWS: they are the pivots', the last one first. CLOSE: at first all as large but for the last bits.
 * OVERTAKEN: rows of one lane are as large, and the one that was above has been moved below the other. */
void leaf_matrix(kind what, clsolve_type type, int64_t m, int64_t width, double *A);

void leaf_swap_rows(int64_t m, int64_t width, int64_t i, int64_t j, double *A);

/* The kernel's operations, one after the other. Each is rounded to the type: of two floats a double holds enough for that.
 * Pivots count from 1; returns the first step without one, from 1, or 0. */
int64_t leaf_factor(clsolve_type type, int64_t m, int64_t width, double *A, int64_t *ipiv);

#endif
