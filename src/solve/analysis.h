/*
 * analysis.h (private): what is known of a sparse matrix before a method is chosen: its band, before and after reverse
 * Cuthill-McKee, whether it is a grid, and symmetry; of its values, whether they suit an iteration.
 */
#ifndef CLS_SOLVE_ANALYSIS_H
#define CLS_SOLVE_ANALYSIS_H

#include <float.h>
#include <math.h>

#include "order/order.h"
#include "base/csr.h"

/* |re + i im| of doubles and of residuals. In an exponent range of four doubles no square overflows, and the root takes
 * a part of hypotl's time. */
static inline long double cls_modulus(long double re, long double im) {
#if LDBL_MAX_EXP >= 4 * DBL_MAX_EXP
    return sqrtl(re * re + im * im);
#else
    return hypotl(re, im);
#endif
}

typedef struct cls_analysis {
    int64_t n, entries;
    cls_order_band before, after;
    int64_t *place; /* row and column i stand at place[i] in the band `after`; NULL: where they are */
    int symmetric_pattern;
    int64_t lines, line_length; /* of a grid with N lines of M unknowns; 0: none */
    char no_grid[256];          /* why it is none */

    /* Findings about the values. */
    int symmetric;         /* A is its transpose, of complex values too */
    int hermitian;         /* A is its conjugate transpose; of real values the same */
    int positive_diagonal; /* each a(i,i) is there and more than 0 */
    int dominant;          /* |a(i,i)| is at least the sum of the others' absolute values in each row */
    int weak_diagonal;     /* some |a(i,i)| is less than a hundredth of the row's others: LU exchanges rows */
    int sums_to_zero;      /* all row sums are zero: a grid's solution is known up to a constant */
    long double norm_1, norm_inf;
    long double *work; /* n, of complex values 2 n, for anyone */
} cls_analysis;

/* Whether it is a grid of N lines of M unknowns with all of its entries, N >= M: no order of rows and columns makes its
 * band narrower (J. Chvatalova, Optimal labelling of a product of two paths, Discrete Mathematics 11, 1975). */
int cls_order_cannot_help(int64_t entries, int64_t N, int64_t M);

/* Only the pattern is looked at. OUT_OF_MEMORY without memory for the new order. */
clsolve_status cls_analyse_pattern(cls_error *error, const char *call, const cls_csr *csr, cls_analysis *analysis);

/* `epsilon`: unit roundoff of the caller's type. */
void cls_analyse_values(const cls_csr *csr, double epsilon, cls_analysis *analysis);

void cls_analysis_free(cls_analysis *analysis);

/* A grid all row sums of which are zero: its solution is known up to a constant. A zero matrix has no solution. */
static inline int cls_analysis_singular_grid(const cls_analysis *analysis) {
    return analysis->lines > 0 && analysis->sums_to_zero && analysis->norm_inf > 0;
}

#endif
