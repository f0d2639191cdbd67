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

/*
 * A bound of ||M||_1 from above by products with one random vector, or with two where the bound is more than `enough`
 * then: wrong with a probability of at most 2^-30. The vectors are the same ones each time.
 *
 * The method is small-sample estimation (C. S. Kenney, A. J. Laub, Small-sample statistical condition estimates for
 * general matrix functions, SIAM J. Sci. Comput. 15 (1994)), with numbers uniform in -1 .. 1. Let w be such a vector,
 * and m the column of M with the largest sum. Then M w = w_j m + r, and r does not depend on w_j. The w_j with
 * ||w_j m + r||_1 < f ||m||_1 lie in an interval of length 2 f, so their probability is at most f. For the larger one
 * of two products it is f^2.
 */
clsolve_status cls_norm_bound(cls_error *error, int64_t n, int64_t parts, double enough, cls_vector_solve solve,
                              void *self, double *bound);

/*
 * The estimate in the caller's own hands, as LAPACK's dlacn2: for many matrices at once, each with a climb.
 *
 *     cls_climb climb = {.n = n, .parts = parts, .sign = room for n}
 *     while (cls_climb_next(&climb, x, &op))
 *         x becomes M x, or its transpose times x where op says so
 *
 * climb.norm is the estimate, NaN or Inf where a product was. n is at least 1.
 */
typedef struct cls_climb {
    int64_t n, parts;
    signed char *sign; /* of the last product */
    int stage, turn;   /* rcond.c's */
    int64_t at;        /* the unit vector of the last turn */
    double norm;
} cls_climb;

/* x: the last product; it becomes the next vector. 0: there is none. */
int cls_climb_next(cls_climb *climb, double *x, clsolve_op *op);

#endif
