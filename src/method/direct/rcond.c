#include "method/direct/rcond.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { ITERATIONS = 5 };

typedef struct estimate {
    int64_t n, parts;
    clsolve_op adjoint; /* the transpose, of complex elements the conjugate one */
    cls_vector_solve solve;
    void *self;
    double *x;
    signed char *sign; /* of the last y = A^-1 x */
} estimate;

static double modulus(const estimate *e, int64_t i) {
    return e->parts == 2 ? hypot(e->x[2 * i], e->x[2 * i + 1]) : fabs(e->x[i]);
}

static void set(const estimate *e, int64_t i, double value) {
    e->x[i * e->parts] = value;
    if (e->parts == 2) e->x[2 * i + 1] = 0;
}

static double norm_1(const estimate *e) {
    double sum = 0;
    for (int64_t i = 0; i < e->n; ++i) sum += modulus(e, i);
    return sum;
}

static int64_t largest(const estimate *e) {
    int64_t at = 0;
    for (int64_t i = 1; i < e->n; ++i)
        if (modulus(e, i) > modulus(e, at)) at = i;
    return at;
}

/* x = e_j */
static void set_unit(estimate *e, int64_t j) {
    for (int64_t i = 0; i < e->n; ++i) set(e, i, i == j);
}

/* x = x / |x|, element by element, with 1 for 0. */
static void set_directions(const estimate *e) {
    for (int64_t i = 0; i < e->n; ++i) {
        double *z = e->x + 2 * i;
        const double largest_part = fmax(fabs(z[0]), fabs(z[1]));
        const int exponent = largest_part > 0 && isfinite(largest_part) ? ilogb(largest_part) : 0;
        const double re = ldexp(z[0], -exponent), im = ldexp(z[1], -exponent), size = hypot(re, im);
        z[0] = size > 0 ? re / size : 1;
        z[1] = size > 0 ? im / size : 0;
    }
}

/* x = sign(x). Says whether the signs are those of the last time: then the estimate has converged. Complex ones never
 * are. */
static int set_signs(estimate *e) {
    int same = 1;
    if (e->parts == 2) {
        set_directions(e);
        return 0;
    }
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
        set(e, i, i % 2 ? -value : value);
    }
}

/* *norm: the estimate of ||A^-1||_1; NaN or Inf when a solution was. */
static clsolve_status climb(estimate *e, double *norm) {
    int64_t n = e->n, j;

    for (int64_t i = 0; i < n; ++i) set(e, i, 1 / (double)n);
    CLS_TRY(e->solve(e->self, CLSOLVE_NO_TRANS, e->x));
    *norm = norm_1(e);
    if (n == 1 || !isfinite(*norm)) return CLSOLVE_OK;
    (void)set_signs(e);
    CLS_TRY(e->solve(e->self, e->adjoint, e->x));
    j = largest(e);
    for (int k = 2; k <= ITERATIONS; ++k) {
        double before = *norm;
        set_unit(e, j);
        CLS_TRY(e->solve(e->self, CLSOLVE_NO_TRANS, e->x));
        double now = norm_1(e);
        if (!(now <= before)) *norm = now;
        if (!isfinite(now)) return CLSOLVE_OK;
        if (set_signs(e) || now <= before) break;
        CLS_TRY(e->solve(e->self, e->adjoint, e->x));
        int64_t last = j;
        j = largest(e);
        if (modulus(e, last) == modulus(e, j)) break;
    }
    set_alternating(e);
    CLS_TRY(e->solve(e->self, CLSOLVE_NO_TRANS, e->x));
    double other = 2 * norm_1(e) / (3 * (double)n);
    if (!(other <= *norm)) *norm = other;
    return CLSOLVE_OK;
}

clsolve_status cls_norm_estimate(cls_error *error, int64_t n, int64_t parts, cls_vector_solve solve, void *self,
                                 double *norm) {
    estimate e = {.n = n,
                  .parts = parts,
                  .adjoint = parts == 2 ? CLSOLVE_CONJ_TRANS : CLSOLVE_TRANS,
                  .solve = solve,
                  .self = self};

    *norm = 0;
    if (n == 0) return CLSOLVE_OK;
    e.x = cls_alloc((size_t)(n * parts), sizeof *e.x);
    e.sign = cls_alloc((size_t)n, sizeof *e.sign);
    clsolve_status status = e.x && e.sign ? climb(&e, norm)
                                          : cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                                                     "no host memory for the condition number's vectors");
    cls_free(e.x);
    cls_free(e.sign);
    return status;
}

clsolve_status cls_rcond(cls_error *error, int64_t n, int64_t parts, double norm, cls_vector_solve solve, void *self,
                         double *rcond) {
    double inverse = 0;

    *rcond = n == 0 ? 1 : 0;
    if (n == 0 || !(norm > 0)) return CLSOLVE_OK;
    clsolve_status status = cls_norm_estimate(error, n, parts, solve, self, &inverse);
    if (status == CLSOLVE_OK && isfinite(inverse) && inverse > 0) *rcond = 1 / norm / inverse;
    return status;
}
