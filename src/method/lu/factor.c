#include "method/lu/rbt.h"

clsolve_status cls_lu_update_rows(cls_lu *lu, int64_t j, int64_t width, int64_t from, int64_t to) {
    cls_device *device = lu->device;
    cls_ref L11 = cls_matrix_at(&lu->A, j, j);

    for (int64_t c = from, run; c < to; c += run) { /* slab by slab */
        run = cls_matrix_run(&lu->A, c, to);
        CLS_TRY(device->blas->trsm(device, lu->type, CLS_LOWER_UNIT, CLSOLVE_NO_TRANS, width, run, L11,
                                   cls_matrix_at(&lu->A, j, c)));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_lu_multiply(cls_lu *lu, int64_t top, int64_t bottom, int64_t p, int64_t q, int64_t from,
                               int64_t to) {
    cls_device *device = lu->device;

    if (top >= bottom) return CLSOLVE_OK;
    for (int64_t c = from, run; c < to; c += run) {
        run = cls_matrix_run(&lu->A, c, to);
        for (int64_t k = p, inner; k < q; k += inner) {
            inner = cls_matrix_run(&lu->A, k, q);
            CLS_TRY(device->blas->gemm(device, lu->type, CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, bottom - top, run, inner,
                                       -1.0, cls_matrix_at(&lu->A, top, k), cls_matrix_at(&lu->A, k, c), 1.0,
                                       cls_matrix_at(&lu->A, top, c)));
        }
    }
    return CLSOLVE_OK;
}

clsolve_status cls_lu_update(cls_lu *lu, int64_t j, int64_t width, int64_t from, int64_t to) {
    CLS_TRY(cls_lu_update_rows(lu, j, width, from, to));
    return cls_lu_multiply(lu, j + width, lu->n, j, j + width, from, to);
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

static clsolve_status factor_blocks(cls_lu *lu, int64_t begin, int64_t end, const clsolve_lu_options *options,
                                    cls_event **previous) {
    for (int64_t j = begin; j < end; j += lu->block) {
        int64_t width = end - j < lu->block ? end - j : lu->block;
        CLS_TRY(cls_lu_panel(lu, j, width));
        CLS_TRY(cls_lu_merge_moves(lu, j, width));
        if (end - begin > width) CLS_TRY(cls_lu_move_rows(lu, &lu->A, begin, end, j, width, j, j + width, 0));
        CLS_TRY(cls_lu_update(lu, j, width, j + width, end));
        CLS_TRY(cls_lu_tell(lu, options, j + width, previous));
    }
    return CLSOLVE_OK;
}

/* Without pivots there is nothing that the host does better, but where the matrix lies in its memory. */
static int panels_on_host(const cls_lu *lu) {
    return lu->rbt.on ? lu->A.mapped != NULL : lu->hybrid;
}

clsolve_status cls_lu_factor_begin(cls_lu *lu, int64_t *info) {
    cls_device *device = lu->device;

    *info = 0;
    lu->merged = 0;
    if (panels_on_host(lu)) return CLSOLVE_OK;
    return device->ops->fill(device, CLS_COMPUTE, lu->info, 0, 2 * sizeof(int64_t), 0);
}

clsolve_status cls_lu_factor_columns(cls_lu *lu, int64_t begin, int64_t end, const clsolve_lu_options *options,
                                     int64_t *info) {
    cls_event *previous = NULL;

    if (panels_on_host(lu)) return cls_lu_hybrid_factor(lu, begin, end, options, info);
    clsolve_status status = lu->ahead ? cls_lu_factor_ahead(lu, begin, end, options, &previous)
                                      : factor_blocks(lu, begin, end, options, &previous);
    lu->device->ops->event_release(lu->device, previous);
    return status;
}

clsolve_status cls_lu_factor_end(cls_lu *lu, int64_t *info, int *again) {
    cls_device *device = lu->device;
    int64_t words[2] = {0, 0};
    cls_rect rect = {sizeof words, 1, 0, sizeof words, sizeof words};

    if (panels_on_host(lu)) return device->ops->finish(device, CLS_COMPUTE);
    CLS_TRY(device->ops->read(device, CLS_COMPUTE, lu->info, words, &rect, NULL, NULL));
    CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
    *info = words[0];
    if (words[1] != 0) {
        device->resident_leaf[lu->type == CLSOLVE_F64] = -1;
        lu->resident = 0; /* by steps from now on; lu->whole may stay 0 */
        *again = 1;
    }
    return CLSOLVE_OK;
}

clsolve_status cls_lu_factor_enqueue(cls_lu *lu) {
    cls_event *none = NULL;
    int64_t resident = lu->resident;

    CLS_TRY(lu->device->ops->fill(lu->device, CLS_COMPUTE, lu->info, 0, 2 * sizeof(int64_t), 0));
    /* A leaf that might have to be done again asks the host; by steps it does not. */
    lu->resident = 0;
    lu->merged = 0;
    clsolve_status status = factor_blocks(lu, 0, lu->n, NULL, &none);
    lu->resident = resident;
    return status;
}

clsolve_status cls_lu_factor(cls_lu *lu, const clsolve_lu_options *options, int64_t *info, int *again) {
    *again = 0;
    CLS_TRY(cls_lu_factor_begin(lu, info));
    if (lu->rbt.on) CLS_TRY(cls_lu_rbt_transform(lu));
    CLS_TRY(cls_lu_factor_columns(lu, 0, lu->n, options, info));
    return cls_lu_factor_end(lu, info, again);
}

clsolve_status cls_lu_pivots(cls_lu *lu, int64_t *ipiv) {
    cls_device *device = lu->device;
    size_t bytes = (size_t)lu->n * sizeof *ipiv;
    cls_rect rect = {bytes, 1, 0, bytes, bytes};

    if (lu->hybrid) {
        for (int64_t k = 0; k < lu->n; ++k) ipiv[k] = lu->host_pivots[k];
        return CLSOLVE_OK;
    }
    CLS_TRY(device->ops->read(device, CLS_COMPUTE, lu->ipiv, ipiv, &rect, NULL, NULL));
    return device->ops->finish(device, CLS_COMPUTE);
}
