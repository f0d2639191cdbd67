/*
 * host_small.h: dense LU of a matrix of few rows on the host (device/host/host.c), by plain loops. A call of BLAS takes
 * longer than its few operations here, and so do reads of the clock between the phases.
 *
 *     A --> lu->A, measured --> L\U, pivots, growth and determinant          B --> X in a room of its own --> B
 *
 * Factors and pivots are where LAPACK would have left them, and have its form. So all else that works with them sees no
 * difference. host_small_element.h has the mathematics.
 */
#ifndef CLS_LU_HOST_SMALL_H
#define CLS_LU_HOST_SMALL_H

#include "method/lu/direct.h"

enum {
    CLS_LU_HOST_SMALL_MOST = 64,    /* rows, beyond which LAPACK is as fast */
    CLS_LU_HOST_BLOCKED_MOST = 256, /* of members of batches, which go by blocks of columns then */
    CLS_LU_HOST_SMALL_ROOM = 1024,  /* elements of all right-hand sides of a call that are solved so */
    CLS_LU_HOST_SMALL_SIDES = 8     /* and their number: products of BLAS are faster for more of them */
};

/* At create, when lu->A is there: is it factored so? */
int cls_lu_host_small_suits(const cls_lu *lu);

/* The caller's matrix into lu->A: its first NaN or Inf, its largest element and its norm. */
void cls_lu_host_small_take(cls_lu *lu, const clsolve_matrix *A, int wants_norm, cls_measures *measures);
/* lu->A becomes L\U, as LAPACK's getrf leaves it, *info as its own. 0: it has NaN or Inf, and where is not known. */
int cls_lu_host_small_factor(cls_lu *lu, int64_t *info, cls_growth *growth);

/* Is B solved so, by factors of few rows? */
int cls_lu_host_small_solves(const cls_lu *lu, const clsolve_matrix *B);
/* B becomes X, unless there is NaN or Inf in B (`in`) or in X (`out`). */
void cls_lu_host_small_solve(const cls_lu *lu, clsolve_op op, const clsolve_matrix *B, cls_place *in, cls_place *out);

/* ---- one matrix alone, tight, of up to CLS_LU_HOST_BLOCKED_MOST rows ---- */

/* A becomes L\U, as LAPACK's getrf leaves it; returns its info. *largest: the largest |u(i,j)|. */
int64_t cls_lu_host_one_factor(clsolve_type type, void *A, int64_t n, int *pivots, double *largest);
/* By these factors; x: `cols` columns, tight. */
void cls_lu_host_one_solve(clsolve_type type, clsolve_op op, const void *A, int64_t n, const int *pivots, void *x,
                           int64_t cols);

#endif
