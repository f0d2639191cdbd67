/* async.c: LDL^T enqueued without waiting. NaN in A, windows of pivots that fail, and solutions are looked at on the
 * device. */
#include "method/ldl/direct.h"

clsolve_status cls_ldl_async_factor(cls_direct *direct, cls_async *async, const clsolve_matrix *A) {
    cls_ldl *ldl = direct->factors;
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

cls_buffer *cls_ldl_async_state(const cls_direct *direct) {
    const cls_ldl *ldl = direct->factors;
    return ldl->engine->state(ldl);
}

clsolve_status cls_ldl_async_finish(cls_direct *direct, cls_async_outcome *outcome) {
    cls_ldl *ldl = direct->factors;
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
