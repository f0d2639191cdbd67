#include "method/direct/inverse.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "method/check.h"
#include "method/direct/rcond.h"
#include "method/direct/vectors.h"

/* diag(r) A diag(c) z = diag(r) b, x = diag(c) z; and for the transpose the other way round. */
static const double *factors_in(const cls_inverse *inverse, clsolve_op op) {
    return op == CLSOLVE_NO_TRANS ? inverse->r : inverse->c;
}

static const double *factors_out(const cls_inverse *inverse, clsolve_op op) {
    return op == CLSOLVE_NO_TRANS ? inverse->c : inverse->r;
}

/* to = op(A)^-1 from, each column brought to the size of `unit` or left as it is. */
static clsolve_status apply_sized(const cls_inverse *inverse, clsolve_op op, int64_t cols, const int *bring,
                                  const double *from, double *to, int *sizes) {
    const int64_t n = inverse->n, parts = inverse->parts, length = n * parts;
    const double *in = factors_in(inverse, op), *out = factors_out(inverse, op);

    for (int64_t c = 0; c < cols; ++c) {
        const double *b = from + c * length;
        double *x = to + c * length;
        sizes[c] = bring[c] ? cls_vector_bring_in(n, parts, in, inverse->unit, b, x) : 0;
        if (bring[c]) continue;
        memmove(x, b, (size_t)length * sizeof *to);
        cls_vector_bring_out(n, parts, in, 0, x);
    }
    clsolve_status status = inverse->solve(inverse->factors, op, cols, to);
    for (int64_t c = 0; c < cols; ++c)
        cls_vector_bring_out(n, parts, out, sizes[c] + inverse->exponent, to + c * length);
    return status;
}

static int all_finite(int64_t count, const double *x) {
    for (int64_t k = 0; k < count; ++k)
        if (!isfinite(x[k])) return 0;
    return 1;
}

/*
 * Is v .* b better brought to the size of `unit` than left as it is? An element of b may be exact where the products of
 * a solve, which are of its size, are rounded as subnormal numbers. A column that is only raised loses nothing.
 */
static int better_raised(const cls_inverse *inverse, const double *v, const double *b) {
    const int unit = ilogb(inverse->unit), tiny = ilogb(inverse->tiny);
    int any = 0;

    for (int64_t k = 0; k < inverse->n * inverse->parts; ++k) {
        if (b[k] == 0) continue;
        if (!isfinite(b[k])) return 0;
        const int e = ilogb(b[k]) + (v ? ilogb(v[k / inverse->parts]) : 0);
        if (e >= unit) return 0;
        any = any || e < tiny;
    }
    return any;
}

/* As they are or raised; then, column by column, the other way what has no answer so. `before`: n x cols of room. */
static clsolve_status apply_plain_first(const cls_inverse *inverse, clsolve_op op, int64_t cols, const double *from,
                                        double *to, int *bring, int *sizes, double *before) {
    const int64_t n = inverse->n * inverse->parts;

    memcpy(before, from, (size_t)(n * cols) * sizeof *before);
    for (int64_t c = 0; c < cols; ++c) bring[c] = better_raised(inverse, factors_in(inverse, op), before + c * n);
    CLS_TRY(apply_sized(inverse, op, cols, bring, before, to, sizes));
    for (int64_t c = 0; c < cols; ++c) {
        if (all_finite(n, to + c * n) || !all_finite(n, before + c * n)) continue;
        bring[c] = !bring[c];
        CLS_TRY(apply_sized(inverse, op, 1, bring + c, before + c * n, to + c * n, sizes + c));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_inverse_apply(const cls_inverse *inverse, clsolve_op op, int64_t cols, const double *from,
                                 double *to) {
    size_t count = (size_t)(inverse->n * inverse->parts) * (size_t)cols;

    if (count == 0) return CLSOLVE_OK;
    int *sizes = cls_alloc((size_t)cols, 2 * sizeof *sizes), *bring = sizes ? sizes + cols : NULL;
    double *before = inverse->plain_first ? cls_alloc(count, sizeof *before) : NULL;
    clsolve_status status;
    for (int64_t c = 0; bring && c < cols; ++c) bring[c] = 1;
    if (!sizes || (inverse->plain_first && !before))
        status = cls_fail(inverse->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a few vectors");
    else if (inverse->plain_first)
        status = apply_plain_first(inverse, op, cols, from, to, bring, sizes, before);
    else
        status = apply_sized(inverse, op, cols, bring, from, to, sizes);
    cls_free(sizes);
    cls_free(before);
    return status;
}

/* ---- the condition number ---- */

static clsolve_status solve_one(void *self, clsolve_op op, double *x) {
    const cls_inverse *inverse = self;
    const clsolve_op adjoint = inverse->parts == 2 ? CLSOLVE_CONJ_TRANS : CLSOLVE_TRANS;
    const clsolve_op other = op == CLSOLVE_NO_TRANS ? adjoint : CLSOLVE_NO_TRANS;
    return cls_inverse_apply(inverse, inverse->transposed ? other : op, 1, x, x);
}

/* The inverse times `size`, which is near ||A||: both ||A|| / size and ||A^-1|| * size stay in range where the norms
 * themselves may not. */
static cls_inverse sized_by(const cls_inverse *inverse, double size) {
    cls_inverse sized = *inverse;
    sized.exponent += ilogb(size);
    return sized;
}

clsolve_status cls_inverse_rcond(const cls_inverse *inverse, double norm1, double scale, double *rcond) {
    const double size = cls_vector_unit(norm1);
    cls_inverse sized = sized_by(inverse, size);
    return cls_rcond(sized.error, sized.n, sized.parts, norm1 / size / scale, solve_one, &sized, rcond);
}

clsolve_status cls_inverse_rcond_least(const cls_inverse *inverse, double enough, double norm1, double scale,
                                       double *least) {
    const double size = cls_vector_unit(norm1), norm = norm1 / size / scale;
    cls_inverse sized = sized_by(inverse, size);
    double bound = 0;
    const clsolve_status status =
        cls_norm_bound(sized.error, sized.n, sized.parts, 1 / enough / norm, solve_one, &sized, &bound);
    const double product = norm * bound;
    *least = status == CLSOLVE_OK && product > 0 && isfinite(product) ? 1 / product : 0;
    return status;
}
