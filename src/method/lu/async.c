#include "method/lu/async.h"

#include "method/lu/sweep.h"

clsolve_status cls_lu_async_factor_panels(cls_lu *lu, cls_async *async, const clsolve_matrix *A) {
    cls_device *device = lu->device;

    CLS_TRY(cls_async_forget(device, async, CLS_ASYNC_A));
    CLS_TRY(cls_upload_square(device, &lu->transfer, A, &lu->A));
    CLS_TRY(cls_async_search(device, async, &lu->check, &lu->A, lu->n, CLS_CHECK_WHOLE, CLS_ASYNC_A));
    CLS_TRY(cls_lu_factor_enqueue(lu));
    return cls_async_search(device, async, &lu->check, &lu->A, lu->n, CLS_CHECK_WHOLE, CLS_ASYNC_FACTORS);
}

clsolve_status cls_lu_async_factor(cls_direct *direct, cls_async *async, const clsolve_matrix *A) {
    cls_lu *lu = direct->factors;

    CLS_TRY(cls_async_setup(lu->device, lu->type, async));
    return lu->engine->enqueue(lu, async, A);
}

/* If groups do not meet in a sweep, X is no number, B stays, and the caller learns it with the outcome. Where a
 * solve that waits is one launch, products take less time. */
static clsolve_status apply(cls_lu *lu, clsolve_op op, int64_t cols) {
    cls_lu_sweep_begin(lu);
    if (lu->small.sides) cls_lu_sweep_end(lu);
    const clsolve_status status = cls_lu_apply(lu, op, cols);
    cls_lu_sweep_end(lu);
    return status;
}

clsolve_status cls_lu_async_solve(cls_direct *direct, cls_async *async, clsolve_op op, const clsolve_matrix *B,
                                  int after_factor) {
    cls_lu *lu = direct->factors;
    cls_device *device = lu->device;
    const int64_t cols = B->cols;

    CLS_TRY(cls_async_setup(device, lu->type, async));
    CLS_TRY(cls_async_forget(device, async, after_factor ? CLS_ASYNC_B : CLS_ASYNC_A));
    if (lu->n == 0 || cols == 0) return CLSOLVE_OK;
    CLS_TRY(cls_lu_reserve(lu, cols, B->layout == CLSOLVE_ROW_MAJOR));
    CLS_TRY(cls_upload(device, &lu->transfer, B, 0, cols, &lu->B, &lu->scratch));
    CLS_TRY(cls_async_search(device, async, &lu->check, &lu->B, cols, CLS_CHECK_WHOLE, CLS_ASYNC_B));
    CLS_TRY(apply(lu, op, cols));
    CLS_TRY(cls_async_search(device, async, &lu->check, &lu->B, cols, CLS_CHECK_WHOLE, CLS_ASYNC_X));
    return cls_async_deliver(device, async, after_factor ? lu->panel.info : NULL, &lu->B, B);
}

cls_buffer *cls_lu_async_state(const cls_direct *direct) {
    return ((const cls_lu *)direct->factors)->panel.info;
}

clsolve_status cls_lu_async_failed(cls_direct *direct, int *again) {
    return cls_lu_sweep_failed(direct->factors, again);
}
