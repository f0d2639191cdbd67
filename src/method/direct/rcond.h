/*
 * rcond.h: the reciprocal condition number by Hager's and Higham's estimate of ||A^-1||_1 (N. J. Higham, FORTRAN codes
 * for estimating the one-norm of a real or complex matrix, ACM TOMS 14 (1988), algorithm 4.1; LAPACK's dlacn2 and
 * zlacn2): at most six solves with A and five with its transpose; never more than the norm itself, rarely less than a
 * third of it.
 */
#ifndef CLS_RCOND_H
#define CLS_RCOND_H

#include <clsolve/matrix.h>

#include "base/error.h"

/* x (n elements of one double, or of two that are a complex number) becomes op(A)^-1 x. */
typedef clsolve_status (*cls_vector_solve)(void *self, clsolve_op op, double *x);

/*
 * `parts`: doubles in an element. *rcond = 1 / (norm * estimate of ||A^-1||_1) where norm is ||A||_1: 1 for n = 0, 0
 * where the inverse is too large to be counted. A norm that is not A's may make it more than 1. A and its inverse may
 * be taken times a number and its reciprocal, so that neither leaves the range of double. Work on the host: O(n)
 * numbers a solve.
 */
clsolve_status cls_rcond(cls_error *error, int64_t n, int64_t parts, double norm, cls_vector_solve solve, void *self,
                         double *rcond);

/* *norm: that estimate of ||M||_1, where `solve` applies M (NO_TRANS) and its transpose (TRANS, of `parts` 2
 * CONJ_TRANS); 0 for n = 0. */
clsolve_status cls_norm_estimate(cls_error *error, int64_t n, int64_t parts, cls_vector_solve solve, void *self,
                                 double *norm);

#endif
