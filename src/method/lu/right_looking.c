/* right_looking.c: block by block: a panel, the moves left and right of it, the update right of it. lu.h has the
 * picture. */
#include "method/lu/small.h"

static clsolve_status factor_blocks(cls_lu *lu, int64_t begin, int64_t end, const clsolve_lu_options *options,
                                    cls_event **previous) {
    for (int64_t j = begin; j < end; j += lu->block) {
        int64_t width = end - j < lu->block ? end - j : lu->block;
        CLS_TRY(cls_lu_panel(lu, j, width));
        CLS_TRY(cls_panel_merge_moves(&lu->panel, CLS_COMPUTE, j, width));
        if (end - begin > width)
            CLS_TRY(cls_panel_move_rows(&lu->panel, CLS_COMPUTE, &lu->A, begin, end, j, width, j, j + width, 0));
        CLS_TRY(cls_lu_update(lu, CLS_COMPUTE, j, width, j + width, end));
        CLS_TRY(cls_lu_tell(lu, options, j + width, previous));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_lu_right_looking(cls_lu *lu, int64_t begin, int64_t end, const clsolve_lu_options *options,
                                    int64_t *info) {
    cls_event *previous = NULL;

    (void)info; /* it is on the device */
    clsolve_status status = factor_blocks(lu, begin, end, options, &previous);
    lu->device->ops->event_release(lu->device, previous);
    return status;
}

/* The outcome's info to where other factorizations leave it. */
static clsolve_status factor_small(cls_lu *lu) {
    const size_t word = sizeof(int64_t);
    int64_t info;

    CLS_TRY(cls_lu_small_factor(lu, 0, lu->n, NULL, &info));
    return lu->device->ops->copy(lu->device, CLS_COMPUTE, lu->small.record, CLS_LU_SMALL_INFO * word, lu->panel.info, 0,
                                 word);
}

clsolve_status cls_lu_factor_enqueue(cls_lu *lu) {
    cls_event *none = NULL;

    lu->small.factored = cls_lu_small_suits(lu);
    if (lu->small.factored) return factor_small(lu);
    /* A leaf that might have to be done again asks the host; by steps it does not. */
    CLS_TRY(cls_panel_start(&lu->panel, CLS_PANEL_ONCE));
    return factor_blocks(lu, 0, lu->n, NULL, &none);
}
