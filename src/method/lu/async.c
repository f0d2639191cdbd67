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

/* If groups do not meet in a sweep, X is no number, B stays, and the caller learns it with the outcome. */
clsolve_status cls_lu_async_solve(cls_direct *direct, cls_async *async, clsolve_op op, const clsolve_matrix *B,
                                  int after_factor) {
    const cls_sides sides = cls_lu_sides(direct->factors, B->cols);
    return cls_sides_solve_enqueue(direct->device, &sides, op, async, cls_lu_async_state(direct), B, after_factor);
}

cls_buffer *cls_lu_async_state(const cls_direct *direct) {
    return ((const cls_lu *)direct->factors)->panel.info;
}

clsolve_status cls_lu_async_failed(cls_direct *direct, int *again) {
    return cls_lu_sweep_failed(direct->factors, again);
}
