/* schemes.c: the table of the schemes by which a matrix is factored, and the one place that chooses from it. */
#include "method/lu/out_of_core.h"
#include "method/lu/rbt.h"
#include "method/lu/small.h"

static int suits_out_of_core(const cls_lu *lu) {
    return lu->out.slab > 0;
}

static int suits_all(const cls_lu *lu) {
    (void)lu;
    return 1;
}

/* The first scheme that suits is taken. Out of core, each slab is factored by the first that suits after
 * "out of core". */
static const cls_lu_scheme schemes[] = {{"out of core", suits_out_of_core, cls_lu_factor_slabs},
                                        {"small", cls_lu_small_suits, cls_lu_small_factor},
                                        {"hybrid", cls_lu_suits_hybrid, cls_lu_factor_hybrid},
                                        {"look-ahead", cls_lu_suits_ahead, cls_lu_factor_ahead},
                                        {"right-looking", suits_all, cls_lu_right_looking}};

static const cls_lu_scheme *first_from(const cls_lu *lu, size_t first) {
    while (!schemes[first].suits(lu)) ++first;
    return &schemes[first];
}

clsolve_status cls_lu_factor_begin(cls_lu *lu, int64_t *info) {
    *info = 0;
    lu->scheme = first_from(lu, 0);
    lu->columns = first_from(lu, 1);
    lu->small.factored = cls_lu_small_suits(lu);
    if (lu->small.factored) return CLSOLVE_OK;
    return cls_panel_start(&lu->panel, CLS_PANEL_REPEATABLE);
}

clsolve_status cls_lu_factor_columns(cls_lu *lu, int64_t begin, int64_t end, const clsolve_lu_options *options,
                                     int64_t *info) {
    return lu->columns->factor(lu, begin, end, options, info);
}

clsolve_status cls_lu_factor_end(cls_lu *lu, int64_t *info, int *again) {
    if (!lu->small.factored) return cls_panel_end(&lu->panel, info, again);
    CLS_TRY(cls_lu_small_read(lu));
    *info = lu->small.info;
    return CLSOLVE_OK;
}

clsolve_status cls_lu_factor(cls_lu *lu, const clsolve_lu_options *options, int64_t *info, int *again) {
    *again = 0;
    CLS_TRY(cls_lu_factor_begin(lu, info));
    if (lu->rbt.on) CLS_TRY(cls_lu_rbt_transform(lu));
    CLS_TRY(lu->scheme->factor(lu, 0, lu->n, options, info));
    return cls_lu_factor_end(lu, info, again);
}
