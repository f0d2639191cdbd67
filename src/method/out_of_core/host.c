/* host.c: the factors in the host's memory, and what lies between a caller's layout and the window. */
#include "method/out_of_core/out_of_core.h"

#include "base/memory.h"

/* ---- memory ---- */

void cls_out_release(cls_out *out) {
    cls_device *device = out->device;

    if (!device) return;
    if (out->stream[0]) (void)device->ops->finish(device, CLS_UP);
    for (int s = 0; s < 2; ++s) {
        device->ops->event_release(device, out->up[s]);
        device->ops->event_release(device, out->used[s]);
        device->ops->buffer_destroy(device, out->stream[s]);
    }
    cls_free(out->host);
    *out = (cls_out){0};
}

cls_matrix cls_out_matrix(cls_out *out) {
    cls_matrix m = {.type = out->type, .rows = out->n, .cols = out->n, .ld = out->n, .slab_cols = out->n, .slabs = 1};
    m.mapped = &out->host;
    return m;
}

clsolve_matrix cls_out_view(const cls_out *out) {
    clsolve_matrix view = {out->type, CLSOLVE_COLUMN_MAJOR, out->n, out->n, out->n, out->host, CLSOLVE_ON_HOST, 0};
    return view;
}

/* ---- between the caller's layout and the window ---- */

/* A row-major view goes through a stream's buffer, a block column at a time; a column-major one needs none. */
static int64_t part_of(const cls_out *out, const clsolve_matrix *view, int64_t left) {
    return view->layout == CLSOLVE_COLUMN_MAJOR || left < out->block ? left : out->block;
}

clsolve_status cls_out_fetch(cls_out *out, const clsolve_matrix *view, int64_t begin, int64_t cols) {
    for (int64_t q = 0, width; q < cols; q += width) {
        width = part_of(out, view, cols - q);
        cls_matrix part = cls_matrix_from(out->window, -q);
        cls_matrix scratch = cls_matrix_in(&out->stream[0], out->type, width, out->n);
        CLS_TRY(cls_upload(out->device, out->transfer, view, begin + q, width, &part, &scratch));
    }
    /* The stream's buffer is free again, and so is the window for a copy from the host. */
    return out->device->ops->finish(out->device, CLS_COMPUTE);
}

clsolve_status cls_out_store(cls_out *out, const clsolve_matrix *view, int64_t begin, int64_t cols) {
    for (int64_t q = 0, width; q < cols; q += width) {
        width = part_of(out, view, cols - q);
        cls_matrix part = cls_matrix_from(out->window, -q);
        cls_matrix scratch = cls_matrix_in(&out->stream[0], out->type, width, out->n);
        CLS_TRY(cls_download(out->device, out->transfer, &part, width, view, begin + q, &scratch));
    }
    return CLSOLVE_OK;
}
