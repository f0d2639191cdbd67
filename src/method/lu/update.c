/* update.c: the steps that the schemes share: a panel, and the update right of it. */
#include "method/lu/lu.h"

clsolve_status cls_lu_panel(cls_lu *lu, int64_t j, int64_t width) {
    return cls_panel_factor(&lu->panel, &lu->A, j, lu->rows - j, width);
}

/* Columns of L that lie in one slab. */
static cls_block_column column(const cls_lu *lu, int64_t j, int64_t width) {
    return (cls_block_column){cls_matrix_at(&lu->A, j, j), j, width, lu->rows};
}

clsolve_status cls_lu_update_rows(cls_lu *lu, cls_queue queue, int64_t j, int64_t width, int64_t from, int64_t to) {
    const cls_block_column L = column(lu, j, width);
    return cls_panel_solve(&lu->panel, queue, &L, &lu->A, from, to);
}

clsolve_status cls_lu_multiply(cls_lu *lu, cls_queue queue, int64_t top, int64_t bottom, int64_t p, int64_t q,
                               int64_t from, int64_t to) {
    cls_device *device = lu->device;

    if (top >= bottom) return CLSOLVE_OK;
    for (int64_t c = from, run; c < to; c += run) {
        run = cls_matrix_run(&lu->A, c, to);
        for (int64_t k = p, inner; k < q; k += inner) {
            inner = cls_matrix_run(&lu->A, k, q);
            CLS_TRY(cls_gemm(device, cls_blas_in(queue), lu->type, CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, bottom - top,
                             run, inner, -1.0, cls_matrix_at(&lu->A, top, k), cls_matrix_at(&lu->A, k, c), 1.0,
                             cls_matrix_at(&lu->A, top, c)));
        }
    }
    return CLSOLVE_OK;
}

clsolve_status cls_lu_update(cls_lu *lu, cls_queue queue, int64_t j, int64_t width, int64_t from, int64_t to) {
    const cls_block_column L = column(lu, j, width);
    return cls_panel_update(&lu->panel, queue, &L, &lu->A, from, to);
}

/* The host runs ahead of the device; to say how far the device is, it waits for the block before last. */
clsolve_status cls_lu_tell(cls_lu *lu, const clsolve_lu_options *options, int64_t done, cls_event **previous) {
    cls_device *device = lu->device;
    double left = (double)(lu->n - done) / (double)lu->n;
    cls_event *now = NULL;

    if (!options || !options->progress) return CLSOLVE_OK;
    CLS_TRY(device->ops->mark(device, CLS_COMPUTE, &now));
    clsolve_status status = device->ops->flush(device, CLS_COMPUTE);
    if (status == CLSOLVE_OK && *previous) status = device->ops->event_wait(device, *previous);
    device->ops->event_release(device, *previous);
    *previous = now;
    if (status == CLSOLVE_OK) options->progress(options->progress_user, "factor", 1.0 - left * left * left);
    return status;
}
