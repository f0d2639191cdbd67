#include "method/direct/rcond.h"

#include <math.h>
#include <stdint.h>

#include "base/memory.h"

enum { ITERATIONS = 5 };

/* The product that cls_climb_next has asked for last. */
enum { NOTHING, AVERAGE, FIRST_ADJOINT, UNIT, ADJOINT, ALTERNATING };

static double modulus(const cls_climb *e, const double *x, int64_t i) {
    return e->parts == 2 ? hypot(x[2 * i], x[2 * i + 1]) : fabs(x[i]);
}

static void set(const cls_climb *e, double *x, int64_t i, double value) {
    x[i * e->parts] = value;
    if (e->parts == 2) x[2 * i + 1] = 0;
}

static double norm_1(const cls_climb *e, const double *x) {
    double sum = 0;
    for (int64_t i = 0; i < e->n; ++i) sum += modulus(e, x, i);
    return sum;
}

static int64_t largest(const cls_climb *e, const double *x) {
    int64_t at = 0;
    for (int64_t i = 1; i < e->n; ++i)
        if (modulus(e, x, i) > modulus(e, x, at)) at = i;
    return at;
}

/* x = x / |x|, element by element, with 1 for 0. */
static void set_directions(const cls_climb *e, double *x) {
    for (int64_t i = 0; i < e->n; ++i) {
        double *z = x + 2 * i;
        const double largest_part = fmax(fabs(z[0]), fabs(z[1]));
        const int exponent = largest_part > 0 && isfinite(largest_part) ? ilogb(largest_part) : 0;
        const double re = ldexp(z[0], -exponent), im = ldexp(z[1], -exponent), size = hypot(re, im);
        z[0] = size > 0 ? re / size : 1;
        z[1] = size > 0 ? im / size : 0;
    }
}

/* x = sign(x). Says whether the signs are those of the last time: then the estimate has converged. Complex ones never
 * are. */
static int set_signs(const cls_climb *e, double *x) {
    int same = 1;
    if (e->parts == 2) {
        set_directions(e, x);
        return 0;
    }
    for (int64_t i = 0; i < e->n; ++i) {
        signed char sign = x[i] < 0 ? -1 : 1;
        same = same && sign == e->sign[i];
        e->sign[i] = sign;
        x[i] = sign;
    }
    return same;
}

static int ask_average(cls_climb *e, double *x, clsolve_op *op) {
    for (int64_t i = 0; i < e->n; ++i) set(e, x, i, 1 / (double)e->n);
    e->stage = AVERAGE;
    *op = CLSOLVE_NO_TRANS;
    return 1;
}

/* x = e_j for the largest element j. */
static int ask_unit(cls_climb *e, double *x) {
    e->at = largest(e, x);
    for (int64_t i = 0; i < e->n; ++i) set(e, x, i, i == e->at);
    e->stage = UNIT;
    return 1;
}

/* The transpose is applied to the signs, which x has. */
static int ask_adjoint(cls_climb *e, int stage, clsolve_op *op) {
    e->stage = stage;
    *op = e->parts == 2 ? CLSOLVE_CONJ_TRANS : CLSOLVE_TRANS;
    return 1;
}

/* The alternating vector of the paper's end, against matrices whose signs mislead the climb. */
static int ask_alternating(cls_climb *e, double *x) {
    for (int64_t i = 0; i < e->n; ++i) {
        double value = 1 + (double)i / (double)(e->n - 1);
        set(e, x, i, i % 2 ? -value : value);
    }
    e->stage = ALTERNATING;
    return 1;
}

int cls_climb_next(cls_climb *e, double *x, clsolve_op *op) {
    double now = 0, before = e->norm;
    if (e->stage == NOTHING) return ask_average(e, x, op);
    *op = CLSOLVE_NO_TRANS;
    switch (e->stage) {
    case AVERAGE:
        e->norm = norm_1(e, x);
        if (e->n == 1 || !isfinite(e->norm)) return 0;
        (void)set_signs(e, x);
        return ask_adjoint(e, FIRST_ADJOINT, op);
    case UNIT:
        now = norm_1(e, x);
        if (!(now <= before)) e->norm = now;
        if (!isfinite(now)) return 0;
        if (set_signs(e, x) || now <= before) return ask_alternating(e, x);
        return ask_adjoint(e, ADJOINT, op);
    case FIRST_ADJOINT:
    case ADJOINT:
        e->turn++;
        if (e->turn == ITERATIONS) return ask_alternating(e, x);
        if (e->stage == ADJOINT && modulus(e, x, e->at) == modulus(e, x, largest(e, x))) return ask_alternating(e, x);
        return ask_unit(e, x);
    default:
        now = 2 * norm_1(e, x) / (3 * (double)e->n);
        if (!(now <= e->norm)) e->norm = now;
        return 0;
    }
}

clsolve_status cls_norm_estimate(cls_error *error, int64_t n, int64_t parts, cls_vector_solve solve, void *self,
                                 double *norm) {
    cls_climb climb = {.n = n, .parts = parts};
    clsolve_status status = CLSOLVE_OK;
    clsolve_op op;

    *norm = 0;
    if (n == 0) return CLSOLVE_OK;
    double *x = cls_alloc((size_t)(n * parts), sizeof *x);
    climb.sign = cls_alloc((size_t)n, sizeof *climb.sign);
    if (!x || !climb.sign)
        status = cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the condition number's vectors");
    while (status == CLSOLVE_OK && cls_climb_next(&climb, x, &op)) status = solve(self, op, x);
    *norm = climb.norm;
    cls_free(x);
    cls_free(climb.sign);
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

/* ---- the bound ---- */

/* Number k of a fixed sequence, uniform in -1 .. 1 (splitmix64: G. L. Steele, D. Lea, C. H. Flood, Fast splittable
 * pseudorandom number generators, OOPSLA 2014). */
static double uniform(int64_t k) {
    uint64_t z = ((uint64_t)k + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return ldexp((double)((z ^ z >> 31) >> 11), -52) - 1;
}

clsolve_status cls_norm_bound(cls_error *error, int64_t n, int64_t parts, double enough, cls_vector_solve solve,
                              void *self, double *bound) {
    enum { VECTORS = 2, BITS = 30 };
    const cls_climb shape = {.n = n, .parts = parts};
    clsolve_status status = CLSOLVE_OK;
    double most = 0;

    *bound = 0;
    if (n == 0) return CLSOLVE_OK;
    double *w = cls_alloc((size_t)(n * parts), sizeof *w);
    if (!w) return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the condition number's vectors");
    for (int k = 1; k <= VECTORS && (k == 1 || *bound > enough) && status == CLSOLVE_OK; ++k) {
        for (int64_t i = 0; i < n * parts; ++i) w[i] = uniform((k - 1) * n * parts + i);
        status = solve(self, CLSOLVE_NO_TRANS, w);
        const double norm = norm_1(&shape, w);
        if (!(norm <= most)) most = norm;                           /* NaN too: then the bound is none */
        *bound = isnan(norm) ? (double)NAN : ldexp(most, BITS / k); /* times 1 / f */
        if (isnan(norm)) break;
    }
    cls_free(w);
    return status;
}
