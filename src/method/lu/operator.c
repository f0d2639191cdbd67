/* operator.c: factors on the device as an operator on vectors of the host. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "method/lu/out_of_core.h"
#include "method/lu/trust.h"
#include "method/rcond.h"
#include "method/vectors.h"

/* x = op(A)^-1 x with factors that stream by. */
static clsolve_status apply_streamed(cls_lu *lu, clsolve_op op, int64_t cols, double *x) {
    int64_t count = lu->n * cols;
    clsolve_matrix view = clsolve_host_f64(lu->n, cols, x);
    clsolve_seconds seconds = {0};
    cls_place in, out;
    float *singles = NULL;

    if (lu->type == CLSOLVE_F32) {
        singles = cls_alloc((size_t)count, sizeof *singles);
        if (!singles) return cls_fail(lu->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for vectors");
        for (int64_t k = 0; k < count; ++k) singles[k] = (float)x[k];
        view = clsolve_host_f32(lu->n, cols, singles);
    }
    clsolve_status status = cls_lu_out_solve(lu, op, &view, &seconds, &in, &out);
    for (int64_t k = 0; singles && k < count; ++k) x[k] = (double)singles[k];
    for (int64_t k = 0; status == CLSOLVE_OK && (in.row >= 0 || out.row >= 0) && k < count; ++k) x[k] = (double)NAN;
    cls_free(singles);
    return status;
}

static clsolve_status apply_in_core(cls_lu *lu, clsolve_op op, int64_t cols, double *x) {
    CLS_TRY(cls_lu_reserve(lu, cols, 0));
    CLS_TRY(cls_vectors_up(lu->device, &lu->transfer, cols, x, &lu->B));
    CLS_TRY(cls_lu_apply(lu, op, cols));
    return cls_vectors_down(lu->device, &lu->transfer, cols, &lu->B, x);
}

/* to = op(A)^-1 from, the columns brought to the size of `factors->unit` or left as they are. */
static clsolve_status apply_sized(const cls_lu_operator *factors, clsolve_op op, int64_t cols, int bring,
                                  const double *from, double *to, int *sizes) {
    cls_lu *lu = factors->lu;
    int64_t n = lu->n;
    /* diag(r) A diag(c) z = diag(r) b, x = diag(c) z; and for the transpose the other way round. */
    const double *in = op == CLSOLVE_NO_TRANS ? factors->r : factors->c;
    const double *out = op == CLSOLVE_NO_TRANS ? factors->c : factors->r;

    for (int64_t c = 0; c < cols; ++c) {
        if (bring) sizes[c] = cls_vector_bring_in(n, in, factors->unit, from + c * n, to + c * n);
        if (bring) continue;
        sizes[c] = 0;
        memmove(to + c * n, from + c * n, (size_t)n * sizeof *to);
        cls_vector_bring_out(n, in, 0, to + c * n);
    }
    clsolve_status status = lu->out.slab > 0 ? apply_streamed(lu, op, cols, to) : apply_in_core(lu, op, cols, to);
    for (int64_t c = 0; c < cols; ++c) cls_vector_bring_out(n, out, sizes[c] + factors->exponent, to + c * n);
    return status;
}

static int all_finite(int64_t count, const double *x) {
    for (int64_t k = 0; k < count; ++k)
        if (!isfinite(x[k])) return 0;
    return 1;
}

/* As it is, column by column; brought to a size what has no answer so. */
static clsolve_status apply_plain_first(const cls_lu_operator *factors, clsolve_op op, int64_t cols, const double *from,
                                        double *to, int *sizes, double *kept) {
    int64_t n = factors->lu->n;

    memcpy(kept, from, (size_t)(n * cols) * sizeof *kept);
    CLS_TRY(apply_sized(factors, op, cols, 0, from, to, sizes));
    for (int64_t c = 0; c < cols; ++c)
        if (!all_finite(n, to + c * n) && all_finite(n, kept + c * n))
            CLS_TRY(apply_sized(factors, op, 1, 1, kept + c * n, to + c * n, sizes));
    return CLSOLVE_OK;
}

clsolve_status cls_lu_apply_host(const cls_lu_operator *factors, clsolve_op op, int64_t cols, const double *from,
                                 double *to) {
    cls_lu *lu = factors->lu;
    size_t count = (size_t)lu->n * (size_t)cols;

    if (count == 0) return CLSOLVE_OK;
    int *sizes = cls_alloc((size_t)cols, sizeof *sizes);
    double *kept = factors->plain ? cls_alloc(count, sizeof *kept) : NULL;
    clsolve_status status;
    if (!sizes || (factors->plain && !kept))
        status = cls_fail(lu->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a few vectors");
    else if (factors->plain)
        status = apply_plain_first(factors, op, cols, from, to, sizes, kept);
    else
        status = apply_sized(factors, op, cols, 1, from, to, sizes);
    cls_free(sizes);
    cls_free(kept);
    return status;
}

/* ---- the condition number ---- */

static clsolve_status solve_one(void *self, clsolve_op op, double *x) {
    return cls_lu_apply_host(self, op, 1, x, x);
}

clsolve_status cls_lu_rcond(const cls_lu_operator *factors, double norm1, double *rcond) {
    cls_lu_operator sized = *factors;
    double size = cls_vector_unit(norm1);
    /* ||A|| / size and ||A^-1|| * size: both stay in range where the norms themselves may not. */
    sized.exponent = ilogb(size);
    return cls_rcond(sized.lu->device->error, sized.lu->n, norm1 / size / CLS_NORM_SCALE, solve_one, &sized, rcond);
}
