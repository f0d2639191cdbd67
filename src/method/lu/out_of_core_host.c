/* out_of_core_host.c: the factors in the host's memory, and what lies between a caller's layout and the window. */
#include "method/lu/out_of_core.h"

#include <string.h>

#include "base/memory.h"

/* ---- memory ---- */

void cls_lu_out_release(cls_lu *lu) {
    cls_device *device = lu->device;

    if (lu->out.stream[0]) (void)device->ops->finish(device, CLS_UP);
    for (int s = 0; s < 2; ++s) {
        device->ops->event_release(device, lu->out.up[s]);
        device->ops->event_release(device, lu->out.used[s]);
        device->ops->buffer_destroy(device, lu->out.stream[s]);
    }
    cls_free(lu->out.host);
    memset(&lu->out, 0, sizeof lu->out);
}

cls_matrix cls_lu_out_matrix(cls_lu *lu) {
    cls_matrix m = {.type = lu->type, .rows = lu->n, .cols = lu->n, .ld = lu->n, .slab_cols = lu->n, .slabs = 1};
    m.mapped = &lu->out.host;
    return m;
}

void cls_lu_out_stage(cls_lu *lu, const clsolve_matrix *A) {
    int64_t n = lu->n, size = cls_type_size(lu->type);

    if (A->layout == CLSOLVE_COLUMN_MAJOR)
        for (int64_t j = 0; j < n; ++j)
            memcpy((char *)lu->out.host + j * n * size, (const char *)A->data + j * A->ld * size, (size_t)(n * size));
    else
        cls_transpose_host(lu->type, n, n, A->data, A->ld, lu->out.host, n);
}

clsolve_matrix cls_lu_out_view(const cls_lu *lu) {
    clsolve_matrix view = {lu->type, CLSOLVE_COLUMN_MAJOR, lu->n, lu->n, lu->n, lu->out.host, CLSOLVE_ON_HOST, 0};
    return view;
}

/* ---- between the caller's layout and the window ---- */

/* A row-major view goes through a stream's buffer, a block column at a time; a column-major one needs none. */
static int64_t part_of(const cls_lu *lu, const clsolve_matrix *view, int64_t left) {
    return view->layout == CLSOLVE_COLUMN_MAJOR || left < lu->block ? left : lu->block;
}

clsolve_status cls_lu_out_fetch(cls_lu *lu, const clsolve_matrix *view, int64_t begin, int64_t cols) {
    for (int64_t q = 0, width; q < cols; q += width) {
        width = part_of(lu, view, cols - q);
        cls_matrix part = cls_matrix_from(&lu->A, -q);
        cls_matrix scratch = cls_matrix_in(&lu->out.stream[0], lu->type, width, lu->n);
        CLS_TRY(cls_upload(lu->device, &lu->transfer, view, begin + q, width, &part, &scratch));
    }
    /* The stream's buffer is free again, and so is the window for a copy from the host. */
    return lu->device->ops->finish(lu->device, CLS_COMPUTE);
}

clsolve_status cls_lu_out_store(cls_lu *lu, const clsolve_matrix *view, int64_t begin, int64_t cols) {
    for (int64_t q = 0, width; q < cols; q += width) {
        width = part_of(lu, view, cols - q);
        cls_matrix part = cls_matrix_from(&lu->A, -q);
        cls_matrix scratch = cls_matrix_in(&lu->out.stream[0], lu->type, width, lu->n);
        CLS_TRY(cls_download(lu->device, &lu->transfer, &part, width, view, begin + q, &scratch));
    }
    return CLSOLVE_OK;
}
