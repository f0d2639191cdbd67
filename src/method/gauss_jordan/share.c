/* share.c: the parts that the variants share: the grid of a launch, the identity, progress. */
#include "method/gauss_jordan/gauss_jordan.h"

cls_grid cls_gj_grid(const cls_gj *gj, int64_t rows, int64_t cols) {
    int64_t tile = gj->work_group * gj->rows_at_once;
    int64_t down = (rows + tile - 1) / tile, across = cols;

    /* A CPU wants a few long loops, a GPU a work-item an element as far as a grid reaches. */
    if (gj->groups > 0 && across > gj->groups) across = gj->groups;
    if (across > 65535) across = 65535;
    cls_grid grid = {{(size_t)(down * gj->work_group), (size_t)across, 1}, {(size_t)gj->work_group, 1, 1}};
    return grid;
}

clsolve_status cls_gj_identity(cls_gj *gj, cls_ref ref, int64_t rows, int64_t cols, int64_t first) {
    cls_grid grid = cls_gj_grid(gj, rows, cols);
    cls_arg args[] = {CLS_REF(ref), CLS_VALUE(rows), CLS_VALUE(cols), CLS_VALUE(first)};
    cls_device *device = gj->device;
    return cls_launch(device, CLS_COMPUTE, gj->kernels.identity, &grid, CLS_ARGS(args));
}

clsolve_status cls_gj_tell(cls_gj *gj, double fraction) {
    cls_device *device = gj->device;
    cls_event *now = NULL;

    if (!gj->progress) return CLSOLVE_OK;
    CLS_TRY(device->ops->mark(device, CLS_COMPUTE, &now));
    clsolve_status status = device->ops->flush(device, CLS_COMPUTE);
    if (status == CLSOLVE_OK && gj->told) status = device->ops->event_wait(device, gj->told);
    device->ops->event_release(device, gj->told);
    gj->told = now;
    if (status == CLSOLVE_OK) gj->progress(gj->progress_user, "eliminate", fraction);
    return status;
}
