/*
 * dense.c: few large members of LU, one after the other by the engine of dense LU, which fills the device with one of
 * them. The engine has no matrix of its own: its matrix is a view of the factors of one member.
 */
#include "base/memory.h"
#include "method/direct_batch/batch.h"
#include "method/lu/lu.h"

struct cls_direct_dense {
    cls_lu lu;
};

static cls_matrix view_of(cls_direct_batch *batch, int64_t m) {
    const int64_t n = cls_direct_batch_order(batch, m);
    return (cls_matrix){.type = batch->type,
                        .rows = n,
                        .cols = n,
                        .ld = n,
                        .slab_cols = n,
                        .slabs = 1,
                        .slab = &batch->F,
                        .offset = cls_direct_batch_factors_of(batch, m)};
}

void cls_direct_dense_close(cls_direct_batch *batch) {
    if (!batch->dense) return;
    cls_lu_release(&batch->dense->lu);
    cls_free(batch->dense);
    batch->dense = NULL;
}

/* For the largest member. */
static clsolve_status open_engine(cls_direct_batch *batch) {
    cls_device *device = batch->device;
    const int64_t most = batch->n;
    if (batch->dense) return CLSOLVE_OK;
    batch->dense = cls_alloc(1, sizeof *batch->dense);
    if (!batch->dense) return cls_no_memory(device->error, "large members");
    cls_lu *lu = &batch->dense->lu;
    *lu = (cls_lu){.in_core_only = 1, .borrows = 1, .A = view_of(batch, 0)};
    lu->A.rows = lu->A.cols = lu->A.ld = lu->A.slab_cols = most;
    const clsolve_status status = cls_lu_setup(device, most, batch->type, NULL, lu);
    lu->arrival_columns = 0;
    if (status != CLSOLVE_OK) cls_direct_dense_close(batch);
    return status;
}

clsolve_status cls_direct_dense_factor(cls_direct_batch *batch, int64_t m, int32_t *info, int *again) {
    int64_t gone = 0;
    CLS_TRY(open_engine(batch));
    cls_lu *lu = &batch->dense->lu;
    lu->n = lu->rows = cls_direct_batch_order(batch, m);
    lu->A = view_of(batch, m);
    lu->ahead = cls_panel_worth_ahead(&lu->panel, lu->n);
    CLS_TRY(cls_lu_factor(lu, NULL, &gone, again));
    *info = (int32_t)gone;
    return CLSOLVE_OK;
}

cls_buffer *cls_direct_dense_pivots(const cls_direct_batch *batch) {
    return batch->dense->lu.panel.ipiv;
}
