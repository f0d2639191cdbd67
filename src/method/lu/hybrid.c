/*
 * hybrid.c: LU whose panels the host factors by LAPACK. Where the device works in the host's memory the matrix stays
 * mapped and nothing travels. Elsewhere the panel goes down, is factored, and goes up again while the device is busy
 * (lookahead 1; S. Tomov, J. Dongarra, M. Baboulin, Towards dense linear algebra for hybrid GPU accelerated manycore
 * systems, Parallel Computing 36 (2010), section 4):
 *
 *      compute  moves | update block j+1 | update the rest . . . . . . . . | moves | ...
 *      down                               panel j+1
 *      host                                     LAPACK
 *      up                                             panel j+1, moves
 */
#include "method/lu/lu.h"

#include <limits.h>

clsolve_status cls_lu_hybrid_setup(cls_lu *lu) {
    int64_t n = lu->rows;

    if (n > INT_MAX / 2 || lu->A.ld > INT_MAX)
        return cls_fail(lu->device->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "LAPACK counts in 32 bits, too few for n = %lld: use CLSOLVE_PANEL_NATIVE", (long long)n);
    CLS_TRY(cls_panel_take_host(&lu->panel, lu->n, lu->panel.mapped ? 0 : n * (lu->block < lu->n ? lu->block : lu->n)));
    return lu->panel.mapped ? cls_matrix_map(lu->device, &lu->A) : CLSOLVE_OK;
}

int cls_lu_suits_hybrid(const cls_lu *lu) {
    return cls_panel_on_host(&lu->panel);
}

/* ---- a mapped matrix ---- */

static clsolve_status factor_mapped(cls_lu *lu, int64_t begin, int64_t end, const clsolve_lu_options *options,
                                    int64_t *info) {
    for (int64_t j = begin, width; j < end; j += width) {
        width = end - j < lu->block ? end - j : lu->block;
        cls_panel_host_factor(&lu->panel, &lu->A, j, lu->rows - j, width, info);
        if (lu->rbt.on && *info > 0) break; /* nobody uses what would come of the rest */
        CLS_TRY(cls_panel_move_rows(&lu->panel, CLS_COMPUTE, &lu->A, begin, end, j, width, j, j + width, 0));
        CLS_TRY(cls_lu_update(lu, CLS_COMPUTE, j, width, j + width, end));
        if (options && options->progress) {
            double left = (double)(lu->n - j - width) / (double)lu->n;
            options->progress(options->progress_user, "factor", 1.0 - left * left * left);
        }
    }
    return CLSOLVE_OK;
}

/* ---- panels that travel ---- */

static clsolve_status factor_travelling(cls_lu *lu, int64_t begin, int64_t end, const clsolve_lu_options *options,
                                        cls_event **ready, cls_event **told, int64_t *info) {
    const cls_device_ops *ops = lu->device->ops;

    /* The first panel may still be in work. */
    CLS_TRY(ops->mark(lu->device, CLS_COMPUTE, ready));
    for (int64_t j = begin, width; j < end; j += width) {
        width = end - j < lu->block ? end - j : lu->block;
        int64_t k = j + width, next = k + lu->block < end ? k + lu->block : end;
        CLS_TRY(cls_panel_travel(&lu->panel, &lu->A, j, lu->rows - j, width, *ready, info));
        ops->event_release(lu->device, *ready);
        *ready = NULL;
        CLS_TRY(cls_panel_move_rows(&lu->panel, CLS_COMPUTE, &lu->A, begin, end, j, width, j, k, 0));
        CLS_TRY(cls_lu_update(lu, CLS_COMPUTE, j, width, k, next));
        CLS_TRY(ops->mark(lu->device, CLS_COMPUTE, ready));
        CLS_TRY(cls_lu_update(lu, CLS_COMPUTE, j, width, next, end));
        CLS_TRY(ops->flush(lu->device, CLS_COMPUTE));
        CLS_TRY(cls_lu_tell(lu, options, k, told));
    }
    return ops->finish(lu->device, CLS_COMPUTE);
}

clsolve_status cls_lu_factor_hybrid(cls_lu *lu, int64_t begin, int64_t end, const clsolve_lu_options *options,
                                    int64_t *info) {
    cls_event *ready = NULL, *told = NULL;

    if (lu->A.mapped) return factor_mapped(lu, begin, end, options, info);
    clsolve_status status = factor_travelling(lu, begin, end, options, &ready, &told, info);
    lu->device->ops->event_release(lu->device, ready);
    lu->device->ops->event_release(lu->device, told);
    return status;
}
