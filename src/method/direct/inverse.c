#include "method/direct/inverse.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "method/check.h"
#include "method/direct/rcond.h"
#include "method/direct/vectors.h"

/* to = op(A)^-1 from, the columns brought to the size of `unit` or left as they are. */
static clsolve_status apply_sized(const cls_inverse *inverse, clsolve_op op, int64_t cols, int bring,
                                  const double *from, double *to, int *sizes) {
    const int64_t n = inverse->n, parts = inverse->parts, length = n * parts;
    /* diag(r) A diag(c) z = diag(r) b, x = diag(c) z; and for the transpose the other way round. */
    const double *in = op == CLSOLVE_NO_TRANS ? inverse->r : inverse->c;
    const double *out = op == CLSOLVE_NO_TRANS ? inverse->c : inverse->r;

    for (int64_t c = 0; c < cols; ++c) {
        const double *b = from + c * length;
        double *x = to + c * length;
        if (bring) sizes[c] = cls_vector_bring_in(n, parts, in, inverse->unit, b, x);
        if (bring) continue;
        sizes[c] = 0;
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

/* As they are; then, column by column, brought to a size what has no answer so. `before`: n x cols of room. */
static clsolve_status apply_plain_first(const cls_inverse *inverse, clsolve_op op, int64_t cols, const double *from,
                                        double *to, int *sizes, double *before) {
    const int64_t n = inverse->n * inverse->parts;

    memcpy(before, from, (size_t)(n * cols) * sizeof *before);
    CLS_TRY(apply_sized(inverse, op, cols, 0, from, to, sizes));
    for (int64_t c = 0; c < cols; ++c)
        if (!all_finite(n, to + c * n) && all_finite(n, before + c * n))
            CLS_TRY(apply_sized(inverse, op, 1, 1, before + c * n, to + c * n, sizes));
    return CLSOLVE_OK;
}

clsolve_status cls_inverse_apply(const cls_inverse *inverse, clsolve_op op, int64_t cols, const double *from,
                                 double *to) {
    size_t count = (size_t)(inverse->n * inverse->parts) * (size_t)cols;

    if (count == 0) return CLSOLVE_OK;
    int *sizes = cls_alloc((size_t)cols, sizeof *sizes);
    double *before = inverse->plain_first ? cls_alloc(count, sizeof *before) : NULL;
    clsolve_status status;
    if (!sizes || (inverse->plain_first && !before))
        status = cls_fail(inverse->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a few vectors");
    else if (inverse->plain_first)
        status = apply_plain_first(inverse, op, cols, from, to, sizes, before);
    else
        status = apply_sized(inverse, op, cols, 1, from, to, sizes);
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

clsolve_status cls_inverse_rcond(const cls_inverse *inverse, double norm1, double *rcond) {
    cls_inverse sized = *inverse;
    double size = cls_vector_unit(norm1);
    /* ||A|| / size and ||A^-1|| * size: both stay in range where the norms themselves may not. */
    sized.exponent += ilogb(size);
    return cls_rcond(sized.error, sized.n, sized.parts, norm1 / size / CLS_NORM_SCALE, solve_one, &sized, rcond);
}
