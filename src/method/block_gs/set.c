/* set.c: the caller's coefficients to the device, and where a solve starts. */
#include "method/block_gs/block_gs.h"

clsolve_status cls_bt_take(cls_bt *bt, const clsolve_grid *const arrays[5]) {
    cls_bt_grid *g = &bt->grid;
    const cls_bt_range all = {0, INT64_MAX, 0, INT64_MAX};
    cls_bt_range ranges[5] = {all, all, all, all, all};
    ranges[0].first_k = 1;
    ranges[2].last_k = g->M - 2;
    ranges[3].first_line = 1;
    ranges[4].last_line = g->N - 2;
    for (int q = 0; q < 5; ++q)
        if (arrays[q]) CLS_TRY(cls_bt_upload(g, arrays[q], 0, 1, g->coef, q * g->level[0].size, &ranges[q]));
    return CLSOLVE_OK;
}

clsolve_status cls_bt_scale_rows(cls_bt *bt) {
    cls_bt_grid *g = &bt->grid;
    size_t local = (size_t)(g->shape.flat > 64 ? 64 : g->shape.flat);
    cls_grid grid = {{(size_t)(g->N < 65535 ? g->N : 65535) * local, 1, 1}, {local, 1, 1}};
    cls_arg args[] = {CLS_BUFFER(g->coef), CLS_VALUE(g->level[0].size),   CLS_BUFFER(bt->scale),
                      CLS_VALUE(g->N),     CLS_VALUE(g->level[0].panels), CLS_VALUE(g->M)};
    CLS_TRY(cls_bt_parts_build(g, CLS_BT_PART_SCALE));
    return cls_launch(g->device, CLS_COMPUTE, g->scale, &grid, CLS_ARGS(args));
}

clsolve_status cls_bt_guess_zeros(cls_bt *bt, int64_t rhs) {
    size_t bytes = (size_t)(bt->grid.level[0].size * rhs * cls_type_size(bt->grid.type));
    return bt->device->ops->fill(bt->device, CLS_COMPUTE, bt->Y, 0, bytes, 0);
}

clsolve_status cls_bt_finish(cls_bt *bt) {
    return bt->device->ops->finish(bt->device, CLS_COMPUTE);
}
