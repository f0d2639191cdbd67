#include "method/direct/rcond.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { ITERATIONS = 5 };

typedef struct estimate {
    int64_t n;
    cls_vector_solve solve;
    void *self;
    double *x;
    signed char *sign; /* of the last y = A^-1 x */
} estimate;

static double norm_1(const estimate *e) {
    double sum = 0;
    for (int64_t i = 0; i < e->n; ++i) sum += fabs(e->x[i]);
    return sum;
}

static int64_t largest(const estimate *e) {
    int64_t at = 0;
    for (int64_t i = 1; i < e->n; ++i)
        if (fabs(e->x[i]) > fabs(e->x[at])) at = i;
    return at;
}

/* x = e_j */
static void set_unit(estimate *e, int64_t j) {
    memset(e->x, 0, (size_t)e->n * sizeof *e->x);
    e->x[j] = 1;
}

/* x = sign(x). Says whether the signs are those of the last time: then the estimate has converged. */
static int set_signs(estimate *e) {
    int same = 1;
    for (int64_t i = 0; i < e->n; ++i) {
        signed char sign = e->x[i] < 0 ? -1 : 1;
        same = same && sign == e->sign[i];
        e->sign[i] = sign;
        e->x[i] = sign;
    }
    return same;
}

/* The alternating vector of the paper's end, against matrices whose signs mislead the climb. */
static void set_alternating(estimate *e) {
    for (int64_t i = 0; i < e->n; ++i) {
        double value = 1 + (double)i / (double)(e->n - 1);
        e->x[i] = i % 2 ? -value : value;
    }
}

/* *norm: the estimate of ||A^-1||_1; NaN or Inf when a solution was. */
static clsolve_status climb(estimate *e, double *norm) {
    int64_t n = e->n, j;

    for (int64_t i = 0; i < n; ++i) e->x[i] = 1 / (double)n;
    CLS_TRY(e->solve(e->self, CLSOLVE_NO_TRANS, e->x));
    *norm = norm_1(e);
    if (n == 1 || !isfinite(*norm)) return CLSOLVE_OK;
    (void)set_signs(e);
    CLS_TRY(e->solve(e->self, CLSOLVE_TRANS, e->x));
    j = largest(e);
    for (int k = 2; k <= ITERATIONS; ++k) {
        double before = *norm;
        set_unit(e, j);
        CLS_TRY(e->solve(e->self, CLSOLVE_NO_TRANS, e->x));
        double now = norm_1(e);
        if (!(now <= before)) *norm = now;
        if (!isfinite(now)) return CLSOLVE_OK;
        if (set_signs(e) || now <= before) break;
        CLS_TRY(e->solve(e->self, CLSOLVE_TRANS, e->x));
        int64_t last = j;
        j = largest(e);
        if (fabs(e->x[last]) == fabs(e->x[j])) break;
    }
    set_alternating(e);
    CLS_TRY(e->solve(e->self, CLSOLVE_NO_TRANS, e->x));
    double other = 2 * norm_1(e) / (3 * (double)n);
    if (!(other <= *norm)) *norm = other;
    return CLSOLVE_OK;
}

clsolve_status cls_norm_estimate(cls_error *error, int64_t n, cls_vector_solve solve, void *self, double *norm) {
    estimate e = {.n = n, .solve = solve, .self = self};

    *norm = 0;
    if (n == 0) return CLSOLVE_OK;
    e.x = cls_alloc((size_t)n, sizeof *e.x);
    e.sign = cls_alloc((size_t)n, sizeof *e.sign);
    clsolve_status status = e.x && e.sign ? climb(&e, norm)
                                          : cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                                                     "no host memory for the condition number's vectors");
    cls_free(e.x);
    cls_free(e.sign);
    return status;
}

clsolve_status cls_rcond(cls_error *error, int64_t n, double norm, cls_vector_solve solve, void *self, double *rcond) {
    double inverse = 0;

    *rcond = n == 0 ? 1 : 0;
    if (n == 0 || !(norm > 0)) return CLSOLVE_OK;
    clsolve_status status = cls_norm_estimate(error, n, solve, self, &inverse);
    if (status == CLSOLVE_OK && isfinite(inverse) && inverse > 0) *rcond = 1 / norm / inverse;
    return status;
}
