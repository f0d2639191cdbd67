/* refine_rcond.c: the condition number from factors that are not accurate enough for it. */
#include <math.h>

#include "base/memory.h"
#include "method/direct/rcond.h"
#include "method/direct/refine.h"
#include "method/direct/vectors.h"

typedef struct conditioned {
    const cls_refine *plain, *transposed;
    double size;  /* the inverse is taken times this */
    double *b;    /* n */
    double least; /* the inverse's norm, times size, is this at the least */
    int loose;    /* a solve did not get near its right-hand side: from then on the factors alone do */
} conditioned;

/* Whatever x is, ||A^-1|| >= ||x|| / ||A x||: each product that refinement and GMRES form says so of some x, and
 * what comes of hopeless steps is as a rule rich in the direction that A nearly loses. */
static clsolve_status watched_residual(void *self, clsolve_op op, int64_t cols, const double *X, const double *B,
                                       double *R) {
    conditioned *w = self;
    int64_t n = w->plain->n;

    CLS_TRY(w->plain->residual(w->plain->self, op, cols, X, B, R));
    for (int64_t c = 0; c < cols && op == CLSOLVE_NO_TRANS; ++c) {
        double x = 0, product = 0;
        for (int64_t k = c * n; k < (c + 1) * n; ++k) {
            x += fabs(X[k]);
            product += fabs(B ? B[k] - R[k] : R[k]);
        }
        double least = x / (product / w->size);
        if (isfinite(least) && least > w->least) w->least = least;
    }
    return CLSOLVE_OK;
}

static clsolve_status watched_precondition(void *self, clsolve_op op, int64_t cols, const double *R, double *D) {
    const conditioned *w = self;
    return w->plain->precondition(w->plain->self, op, cols, R, D);
}

/* x = op(A)^-1 x up to a residual of a hundredth of b: more digits of a condition number nobody needs. */
static clsolve_status solve_one(void *self, clsolve_op op, double *x) {
    conditioned *w = self;
    cls_refine problem = op == CLSOLVE_NO_TRANS ? *w->plain : *w->transposed;
    cls_refined result = {.converged = 1};

    problem.goal = w->loose ? (double)INFINITY : 0.01;
    problem.cycles = problem.cycles < 5 ? problem.cycles : 5;
    problem.self = w;
    problem.residual = watched_residual;
    problem.precondition = watched_precondition;
    for (int64_t i = 0; i < problem.n; ++i) w->b[i] = x[i] * w->size;
    CLS_TRY(cls_refine_solve(&problem, 1, w->b, x, &result));
    w->loose = w->loose || !result.converged;
    return CLSOLVE_OK;
}

clsolve_status cls_refine_rcond(const cls_refine *plain, const cls_refine *transposed, double norm1, double *rcond,
                                int *bound) {
    /* Near the end of the range products of A and solutions that are not accurate need room, 2^64 of it. */
    double unit = cls_vector_unit(norm1), size = unit > 0x1p900 ? unit * 0x1p-64 : unit,
           norm = norm1 / size / CLS_NORM_SCALE;
    conditioned w = {plain, transposed, size, cls_alloc((size_t)plain->n, sizeof(double)), 0, 0};

    if (!w.b)
        return cls_fail(plain->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the condition number's vectors");
    clsolve_status status = cls_rcond(plain->error, plain->order, plain->n / plain->order, norm, solve_one, &w, rcond);
    cls_free(w.b);
    *rcond = fmin(*rcond, 1); /* more is rounding */
    *bound = w.loose;
    if (status == CLSOLVE_OK && w.loose) *rcond = w.least > 0 ? fmin(1, 1 / norm / w.least) : -1;
    return status;
}
