/* async.c: LDL^T enqueued without waiting. NaN in A, windows of pivots that fail, and solutions are looked at on the
 * device. */
#include "method/direct/sides.h"
#include "method/ldl/direct.h"

clsolve_status cls_ldl_async_factor(cls_ldl *ldl, cls_async *async, const clsolve_matrix *A) {
    cls_device *device = ldl->device;
    cls_triangle_view view = cls_symmetric_view(A, ldl->uplo);

    if (cls_ldl_mirrors(ldl) == CLS_TRANSPOSES) view.conjugate = CLS_TRANSPOSES;
    CLS_TRY(cls_async_setup(device, ldl->type, async));
    CLS_TRY(cls_async_forget(device, async, CLS_ASYNC_A));
    if (ldl->n > 0) {
        CLS_TRY(cls_symmetric_upload(device, &ldl->transfer, &view.matrix, view.upper, &ldl->A));
        CLS_TRY(cls_symmetric_to_lower(device, &ldl->mirror, &ldl->A, &view));
        CLS_TRY(cls_async_search(device, async, &ldl->check, &ldl->A, ldl->n, CLS_CHECK_LOWER, CLS_ASYNC_A));
    }
    ldl->pending = 1;
    return ldl->engine->enqueue(ldl);
}

clsolve_status cls_ldl_async_solve(cls_ldl *ldl, cls_async *async, const clsolve_matrix *B, int after_factor) {
    cls_device *device = ldl->device;
    const cls_sides sides = cls_ldl_sides(ldl);
    const int64_t cols = B->cols;

    CLS_TRY(cls_async_setup(device, ldl->type, async));
    CLS_TRY(cls_async_forget(device, async, after_factor ? CLS_ASYNC_B : CLS_ASYNC_A));
    if (ldl->n == 0 || cols == 0) return CLSOLVE_OK;
    CLS_TRY(cls_sides_reserve(device, &sides, cols, B->layout == CLSOLVE_ROW_MAJOR));
    CLS_TRY(cls_upload(device, &ldl->transfer, B, 0, cols, &ldl->B, &ldl->scratch));
    CLS_TRY(cls_async_search(device, async, &ldl->check, &ldl->B, cols, CLS_CHECK_WHOLE, CLS_ASYNC_B));
    CLS_TRY(ldl->engine->apply(ldl, cols));
    CLS_TRY(cls_async_search(device, async, &ldl->check, &ldl->B, cols, CLS_CHECK_WHOLE, CLS_ASYNC_X));
    return cls_async_deliver(device, async, after_factor ? ldl->engine->state(ldl) : NULL, &ldl->B, B);
}

clsolve_status cls_ldl_async_finish(cls_ldl *ldl, cls_async_outcome *outcome) {
    const int64_t word = outcome->info;
    cls_growth growth;

    outcome->info = 0;
    if (outcome->found[CLS_ASYNC_A] >= 0) return CLSOLVE_OK;
    CLS_TRY(ldl->engine->finish(ldl, word, &outcome->info));
    ldl->pending = 0;
    CLS_TRY(cls_ldl_examine(ldl, &growth));
    if (growth.row >= 0) outcome->found[CLS_ASYNC_FACTORS] = growth.row + growth.column * ldl->n;
    return CLSOLVE_OK;
}
