/*
 * given.h: factors that the caller gives, and what LAPACK computes from factors and from what the caller knows
 * besides: the condition number from a given norm (gecon, gbcon), and the refinement of a given solution with bounds of
 * its error (gerfs).
 */
#ifndef CLS_DIRECT_GIVEN_H
#define CLS_DIRECT_GIVEN_H

#include "method/direct/direct.h"

/*
 * import.c: the caller's factors, on the host, and pivots from 1, in the place of a factorization: direct->factored and
 * ->outcome. For a handle without a copy of A. `name` is the array's in messages.
 */
clsolve_status cls_direct_import(cls_direct *direct, const char *call, const char *name, const clsolve_matrix *F,
                                 const int64_t *ipiv);

/* *rcond = 1 / (norm * estimate of ||A^-1||), of the 1-norms, or where `inf` of the infinity norms. */
clsolve_status cls_direct_condition_given(cls_direct *direct, int inf, double norm, double *rcond);

/*
 * X, an approximate solution of op(A) X = B, is refined in the type of the matrices, by residuals of A as it is
 * given. `ferr`, `berr`: an element a column, or NULL. All three matrices lie on the host.
 */
clsolve_status cls_direct_refine_given(cls_direct *direct, const char *call, clsolve_op op, const clsolve_matrix *A,
                                       const clsolve_matrix *B, const clsolve_matrix *X, double *ferr, double *berr);

#endif
