#include "method/direct/sides.h"

#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "method/direct/vectors.h"

static clsolve_status grow(cls_device *device, const cls_sides *s, cls_matrix *matrix, int64_t rows, int64_t cols,
                           int64_t others) {
    if (matrix->slab && matrix->rows >= rows && matrix->cols >= cols) return CLSOLVE_OK;
    cls_matrix_destroy(device, matrix);
    const int64_t column = cls_matrix_ld(rows, cls_type_size(s->type)) * cls_type_size(s->type);
    const int64_t left = s->left - others;
    if (s->limited && cols > left / column)
        return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
                        "%lld right-hand sides want %.0f bytes of device memory, and the memory limit leaves %lld: "
                        "solve for fewer at a time",
                        (long long)(rows == s->n ? cols : rows), (double)column * (double)cols, (long long)left);
    return cls_matrix_reserve(device, s->type, rows, cols, s->slab_bytes, s->mapped, matrix);
}

clsolve_status cls_sides_reserve(cls_device *device, const cls_sides *sides, int64_t cols, int row_major) {
    CLS_TRY(grow(device, sides, sides->B, sides->n, cols, sides->scratch->bytes));
    return row_major && !sides->mapped ? grow(device, sides, sides->scratch, cols, sides->n, sides->B->bytes)
                                       : CLSOLVE_OK;
}

/* ---- vectors on the host ---- */

static clsolve_status solve_once(cls_device *device, const cls_sides *s, clsolve_op op, int64_t cols, const double *b,
                                 double *x) {
    CLS_TRY(cls_vectors_up(device, s->transfer, cols, b, s->B));
    const clsolve_status status = s->apply(s->factors, op, cols);
    if (status != CLSOLVE_OK) return cls_vectors_stop(device, status);
    return cls_vectors_down(device, s->transfer, cols, s->B, x);
}

static int all_finite(int64_t count, const double *x) {
    double sum = 0; /* it becomes NaN with the first NaN or Inf */
    for (int64_t k = 0; k < count; ++k) sum += 0 * x[k];
    return sum == 0;
}

/* A second solve begins with a copy of x. */
static clsolve_status solve_or_again(cls_device *device, const cls_sides *s, clsolve_op op, int64_t cols, double *x) {
    const size_t count = (size_t)(s->n * cols * cls_type_parts(s->type));
    double *b = cls_alloc(count, sizeof *b);
    int again = 0;

    if (!b) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for vectors");
    memcpy(b, x, count * sizeof *b);
    clsolve_status status = solve_once(device, s, op, cols, b, x);
    if (status == CLSOLVE_OK && !all_finite((int64_t)count, x)) status = s->failed(s->factors, &again);
    if (status == CLSOLVE_OK && again) status = solve_once(device, s, op, cols, b, x);
    cls_free(b);
    return status;
}

clsolve_status cls_sides_solve_vectors(cls_device *device, const cls_sides *sides, clsolve_op op, int64_t cols,
                                       double *x) {
    CLS_TRY(cls_sides_reserve(device, sides, cols, 0));
    return sides->failed ? solve_or_again(device, sides, op, cols, x) : solve_once(device, sides, op, cols, x, x);
}

/* ---- the caller's right-hand sides ---- */

/* With what was scaled: A^-1 = diag(c) F^-1 diag(r). */
static clsolve_status apply_scaled(cls_direct *direct, const cls_sides *s, clsolve_op op, int64_t cols, int first) {
    CLS_TRY(cls_scaling_rows(direct->device, &direct->scaling, s->B, cols, first));
    CLS_TRY(s->apply(s->factors, op, cols));
    return cls_scaling_rows(direct->device, &direct->scaling, s->B, cols, !first);
}

clsolve_status cls_sides_apply(cls_direct *direct, const cls_sides *sides, clsolve_op op, int64_t cols, int first,
                               cls_place *out) {
    CLS_TRY(apply_scaled(direct, sides, op, cols, first));
    return cls_check_finite(direct->device, sides->check, sides->B, cols, &out->row, &out->column);
}

/* B becomes the solution, and both are examined. On the device the host waits once: a B with NaN or Inf is solved for
 * in vain. */
static clsolve_status apply_examined(cls_direct *direct, const cls_sides *s, clsolve_op op, int64_t cols, int first,
                                     cls_place *in, cls_place *out) {
    cls_device *device = direct->device;
    cls_measures before, now;

    if (s->B->mapped) {
        CLS_TRY(cls_check_finite(device, s->check, s->B, cols, &in->row, &in->column));
        return in->row >= 0 ? CLSOLVE_OK : cls_sides_apply(direct, s, op, cols, first, out);
    }
    CLS_TRY(cls_check_enqueue(device, s->check, s->B, cols, CLS_CHECK_WHOLE));
    cls_check_turn(s->check);
    CLS_TRY(apply_scaled(direct, s, op, cols, first));
    CLS_TRY(cls_check_enqueue(device, s->check, s->B, cols, CLS_CHECK_WHOLE));
    CLS_TRY(cls_check_read_both(device, s->check, s->B->rows, &before, &now));
    *in = (cls_place){before.row, before.column};
    *out = (cls_place){now.row, now.column};
    return CLSOLVE_OK;
}

clsolve_status cls_sides_solve(cls_direct *direct, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                               cls_place *out) {
    const cls_sides sides = direct->ops->sides(direct->factors, B->cols), *s = &sides;
    cls_device *device = direct->device;
    clsolve_seconds *seconds = &direct->costs.solve;
    const int64_t cols = B->cols;
    /* One number for all of A may as well go into B for its transpose: a small B then has its digits in the solve. */
    const int first = op == CLSOLVE_NO_TRANS || cls_direct_uniform(direct) != 1;
    int again = 0;
    double start = cls_seconds();

    CLS_TRY(cls_sides_reserve(device, s, cols, B->layout == CLSOLVE_ROW_MAJOR));
    CLS_TRY(cls_upload(device, s->transfer, B, 0, cols, s->B, s->scratch));
    seconds->upload = cls_seconds() - start;

    start = cls_seconds();
    CLS_TRY(apply_examined(direct, s, op, cols, first, in, out));
    if (s->failed && in->row < 0 && out->row >= 0) CLS_TRY(s->failed(s->factors, &again));
    if (again) {
        CLS_TRY(cls_upload(device, s->transfer, B, 0, cols, s->B, s->scratch));
        CLS_TRY(cls_sides_apply(direct, s, op, cols, first, out));
    }
    seconds->solve = cls_seconds() - start;
    if (in->row >= 0 || out->row >= 0) return CLSOLVE_OK;

    start = cls_seconds();
    CLS_TRY(cls_download(device, s->transfer, s->B, cols, B, 0, s->scratch));
    seconds->download = cls_seconds() - start;
    return CLSOLVE_OK;
}

/* If X is no number because `apply` failed, B stays, and the caller learns it with the outcome. */
clsolve_status cls_sides_solve_enqueue(cls_direct *direct, cls_async *async, clsolve_op op, const clsolve_matrix *B,
                                       int after_factor) {
    const cls_sides sides = direct->ops->sides(direct->factors, B->cols), *s = &sides;
    cls_device *device = direct->device;
    const int64_t cols = B->cols;

    CLS_TRY(cls_async_setup(device, s->type, async));
    CLS_TRY(cls_async_forget(device, async, after_factor ? CLS_ASYNC_B : CLS_ASYNC_A));
    if (s->n == 0 || cols == 0) return CLSOLVE_OK;
    CLS_TRY(cls_sides_reserve(device, s, cols, B->layout == CLSOLVE_ROW_MAJOR));
    CLS_TRY(cls_upload(device, s->transfer, B, 0, cols, s->B, s->scratch));
    CLS_TRY(cls_async_search(device, async, s->check, s->B, cols, CLS_CHECK_WHOLE, CLS_ASYNC_B));
    CLS_TRY(s->apply(s->factors, op, cols));
    CLS_TRY(cls_async_search(device, async, s->check, s->B, cols, CLS_CHECK_WHOLE, CLS_ASYNC_X));
    return cls_async_deliver(device, async, after_factor ? direct->ops->state(direct) : NULL, s->B, B);
}
