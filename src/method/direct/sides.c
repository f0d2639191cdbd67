#include "method/direct/sides.h"

#include "base/clock.h"
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

clsolve_status cls_sides_solve_vectors(cls_device *device, const cls_sides *sides, int64_t cols, double *x) {
    CLS_TRY(cls_sides_reserve(device, sides, cols, 0));
    CLS_TRY(cls_vectors_up(device, sides->transfer, cols, x, sides->B));
    const clsolve_status status = sides->apply(sides->factors, cols);
    if (status != CLSOLVE_OK) return cls_vectors_stop(device, status);
    return cls_vectors_down(device, sides->transfer, cols, sides->B, x);
}

/* With what was scaled: A^-1 = diag(c) F^-1 diag(r). One number for all of A goes into B, so that a small B has its
 * digits. */
static clsolve_status apply_scaled(cls_direct *direct, const cls_sides *s, int64_t cols) {
    CLS_TRY(cls_scaling_rows(direct->device, &direct->scaling, s->B, cols, 1));
    CLS_TRY(s->apply(s->factors, cols));
    return cls_scaling_rows(direct->device, &direct->scaling, s->B, cols, 0);
}

/* B becomes the solution, and both are examined. On the device the host waits once: a B with NaN or Inf is solved for
 * in vain. */
static clsolve_status apply_examined(cls_direct *direct, const cls_sides *s, int64_t cols, cls_place *in,
                                     cls_place *out) {
    cls_device *device = direct->device;
    cls_measures before, now;

    if (s->B->mapped) {
        CLS_TRY(cls_check_finite(device, s->check, s->B, cols, &in->row, &in->column));
        if (in->row >= 0) return CLSOLVE_OK;
        CLS_TRY(apply_scaled(direct, s, cols));
        return cls_check_finite(device, s->check, s->B, cols, &out->row, &out->column);
    }
    CLS_TRY(cls_check_enqueue(device, s->check, s->B, cols, CLS_CHECK_WHOLE));
    cls_check_turn(s->check);
    CLS_TRY(apply_scaled(direct, s, cols));
    CLS_TRY(cls_check_enqueue(device, s->check, s->B, cols, CLS_CHECK_WHOLE));
    CLS_TRY(cls_check_read_both(device, s->check, s->B->rows, &before, &now));
    *in = (cls_place){before.row, before.column};
    *out = (cls_place){now.row, now.column};
    return CLSOLVE_OK;
}

clsolve_status cls_sides_solve(cls_direct *direct, const cls_sides *sides, const clsolve_matrix *B, cls_place *in,
                               cls_place *out) {
    const cls_sides *s = sides;
    cls_device *device = direct->device;
    clsolve_seconds *seconds = &direct->costs.solve;
    const int64_t cols = B->cols;
    double start = cls_seconds();

    CLS_TRY(cls_sides_reserve(device, s, cols, B->layout == CLSOLVE_ROW_MAJOR));
    CLS_TRY(cls_upload(device, s->transfer, B, 0, cols, s->B, s->scratch));
    seconds->upload = cls_seconds() - start;

    start = cls_seconds();
    CLS_TRY(apply_examined(direct, s, cols, in, out));
    seconds->solve = cls_seconds() - start;
    if (in->row >= 0 || out->row >= 0) return CLSOLVE_OK;

    start = cls_seconds();
    CLS_TRY(cls_download(device, s->transfer, s->B, cols, B, 0, s->scratch));
    seconds->download = cls_seconds() - start;
    return CLSOLVE_OK;
}

clsolve_status cls_sides_solve_enqueue(cls_device *device, const cls_sides *sides, cls_async *async, cls_buffer *state,
                                       const clsolve_matrix *B, int after_factor) {
    const cls_sides *s = sides;
    const int64_t cols = B->cols;

    CLS_TRY(cls_async_setup(device, s->type, async));
    CLS_TRY(cls_async_forget(device, async, after_factor ? CLS_ASYNC_B : CLS_ASYNC_A));
    if (s->n == 0 || cols == 0) return CLSOLVE_OK;
    CLS_TRY(cls_sides_reserve(device, s, cols, B->layout == CLSOLVE_ROW_MAJOR));
    CLS_TRY(cls_upload(device, s->transfer, B, 0, cols, s->B, s->scratch));
    CLS_TRY(cls_async_search(device, async, s->check, s->B, cols, CLS_CHECK_WHOLE, CLS_ASYNC_B));
    CLS_TRY(s->apply(s->factors, cols));
    CLS_TRY(cls_async_search(device, async, s->check, s->B, cols, CLS_CHECK_WHOLE, CLS_ASYNC_X));
    return cls_async_deliver(device, async, after_factor ? state : NULL, s->B, B);
}
