/* host.c: panels by LAPACK: in place where the window is mapped, else down, LAPACK, and up again while the device is busy. */
#include <lapacke.h>

#include "method/band/band.h"

static void note(cls_band *band, int64_t j, int64_t width, int64_t panel_info) {
    int *pivots = band->panel.host_pivots + j;
    if (panel_info > 0 && band->info == 0) band->info = j + panel_info;
    for (int64_t t = 0; t < width; ++t) pivots[t] += (int)j;
}

/* ---- a mapped window ---- */

static void panel_mapped(cls_band *band, int64_t j) {
    int64_t width = cls_band_width(band, j), m = cls_band_below(band, j) - j;
    note(band, j, width,
         cls_lu_host_panel(band->type, m, width, cls_band_host(band, j, j), band->window.ld - 1,
                           band->panel.host_pivots + j));
}

/* laswp of the rows from j on: its pivots count from there. */
static void swap_rows(const cls_band *band, int64_t j, int64_t cols, void *at_row_j, int64_t ld, int reverse) {
    int *pivots = band->panel.host_pivots + j, width = (int)cls_band_width(band, j);

    for (int t = 0; t < width; ++t) pivots[t] -= (int)j;
    if (band->type == CLSOLVE_F64)
        LAPACKE_dlaswp_work(LAPACK_COL_MAJOR, (lapack_int)cols, at_row_j, (lapack_int)ld, 1, width, pivots,
                            reverse ? -1 : 1);
    else
        LAPACKE_slaswp_work(LAPACK_COL_MAJOR, (lapack_int)cols, at_row_j, (lapack_int)ld, 1, width, pivots,
                            reverse ? -1 : 1);
    for (int t = 0; t < width; ++t) pivots[t] += (int)j;
}

void cls_band_host_swaps(const cls_band *band, int64_t j, int64_t from, int64_t to) {
    for (int64_t c = from, run; c < to; c += run) {
        run = cls_band_run(band, c, to);
        swap_rows(band, j, run, cls_band_host(band, j, c), band->window.ld - 1, 0);
    }
}

void cls_band_host_swap_rows(const cls_band *band, int64_t j, int64_t cols, int reverse) {
    for (int64_t c = 0, run; c < cols; c += run) {
        run = cls_matrix_run(&band->B, c, cols);
        swap_rows(band, j, run, cls_matrix_host(&band->B, j, c), band->B.ld, reverse);
    }
}

/* ---- panels that travel ---- */

static clsolve_status send_moves(cls_band *band, int64_t j, int64_t width) {
    cls_device *device = band->device;
    cls_lu *panel = &band->panel;
    size_t bytes = (size_t)(2 * width) * sizeof(int64_t), from = (size_t)(2 * j) * sizeof(int64_t);
    cls_rect rect = {bytes, 1, from, bytes, bytes};

    for (int64_t c = j; c < j + width; c += panel->leaf)
        cls_lu_list_moves(panel, c, j + width - c < panel->leaf ? j + width - c : panel->leaf);
    CLS_TRY(device->ops->write(device, CLS_UP, panel->sources, panel->host_sources + 2 * j, &rect, NULL, NULL));
    return device->ops->write(device, CLS_UP, panel->targets, panel->host_targets + 2 * j, &rect, NULL, NULL);
}

clsolve_status cls_band_host_panel(cls_band *band, int64_t j, cls_event *ready) {
    cls_device *device = band->device;
    const cls_device_ops *ops = device->ops;
    int64_t width = cls_band_width(band, j), m = cls_band_below(band, j) - j, size = cls_type_size(band->type);
    cls_wait wait = {ready ? 1 : 0, &ready};
    cls_event *event = NULL;

    if (band->window.mapped) {
        panel_mapped(band, j);
        return CLSOLVE_OK;
    }
    cls_ref ref = cls_band_at(band, j, j);
    cls_rect rect = {(size_t)(m * size), (size_t)width, (size_t)(ref.offset * size), (size_t)(ref.ld * size),
                     (size_t)(m * size)};
    CLS_TRY(ops->read(device, CLS_DOWN, ref.buffer, band->panel.panel, &rect, &wait, &event));
    clsolve_status status = ops->event_wait(device, event);
    ops->event_release(device, event);
    CLS_TRY(status);
    note(band, j, width, cls_lu_host_panel(band->type, m, width, band->panel.panel, m, band->panel.host_pivots + j));
    CLS_TRY(send_moves(band, j, width));
    event = NULL;
    CLS_TRY(ops->write(device, CLS_UP, ref.buffer, band->panel.panel, &rect, NULL, &event));
    status = ops->flush(device, CLS_UP);
    if (status == CLSOLVE_OK) status = ops->queue_wait(device, CLS_COMPUTE, event);
    ops->event_release(device, event);
    if (status == CLSOLVE_OK && device->blas->in_place) status = ops->finish(device, CLS_UP);
    return status;
}
