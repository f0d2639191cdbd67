/*
 * inverse.h: factors as an operator on vectors of the host: op(A)^-1, for refinement and for the condition number.
 *
 * The factors are those of diag(r) A diag(c). Vectors are brought to the size of A's largest element before they are
 * solved, so that tiny and huge ones pass through float.
 */
#ifndef CLS_INVERSE_H
#define CLS_INVERSE_H

#include <clsolve/matrix.h>

#include "base/error.h"

typedef struct cls_inverse {
    cls_error *error;
    int64_t n, parts; /* the order, and doubles in an element: 2 of complex factors */
    void *factors;
    /* x = op(diag(r) A diag(c))^-1 x, n x cols tight elements. Not finite where the factors make it so. */
    clsolve_status (*solve)(void *factors, clsolve_op op, int64_t cols, double *x);
    const double *r, *c; /* n powers of two each; NULL: ones */
    double unit;         /* a power of two near the largest element of the factored matrix */
    int exponent;        /* the inverse is taken times 2^exponent, so that a huge one stays in range */
    int transposed;      /* cls_inverse_rcond is of the transpose */
    /* Vectors go as they are, as in an unrefined solve, and are sized only where that overflows: what such a solve
     * answers stays answered. Or vectors are sized first: those with an element below `tiny`, where it raises them. */
    int plain_first;
    double tiny; /* products with smaller numbers lose digits: they end among the subnormal numbers of the type */
} cls_inverse;

/* to = op(A)^-1 from, n x cols tight elements; both may be the same. */
clsolve_status cls_inverse_apply(const cls_inverse *inverse, clsolve_op op, int64_t cols, const double *from,
                                 double *to);

/* norm1 is ||A||_1 times `scale`, of A without r and c. cls_measures has it with CLS_NORM_SCALE; a caller's own norm
 * may be so small that it must not be multiplied. */
clsolve_status cls_inverse_rcond(const cls_inverse *inverse, double norm1, double scale, double *rcond);

/* *least: rcond is at least that, by cls_norm_bound, which ends where it is at least `enough`; 0 where nothing can be
 * said. */
clsolve_status cls_inverse_rcond_least(const cls_inverse *inverse, double enough, double norm1, double scale,
                                       double *least);

#endif
