/*
 * ragged.c: the ways of members of orders of their own, to the device and back: see batch.h. Members in a buffer
 * on the device are taken where they lie. From the host they come in one copy, gathered into one piece of memory, in
 * which member m is tight in the view's layout:
 *
 *      of matrices          where its factors are in F
 *      of right-hand sides  at as many columns times its first row
 */
#include <string.h>

#include "base/memory.h"
#include "base/type.h"
#include "device/matrix.h"
#include "device/use.h"
#include "method/direct_batch/batch.h"

/* How the elements of a member lie: `lines` contiguous lines of `length`, `pitch` apart. */
typedef struct lines {
    int64_t length, lines, pitch;
} lines;

static lines lines_of(const clsolve_batch *view, int64_t order, int square) {
    const int64_t cols = square ? order : view->cols;
    const int by_column = view->layout == CLSOLVE_COLUMN_MAJOR;
    lines l = {.length = by_column ? order : cols, .lines = by_column ? cols : order};
    l.pitch = view->ld > 0 ? view->ld : l.length;
    return l;
}

int64_t cls_direct_ragged_extent(const clsolve_batch *view, int64_t order, int square) {
    const lines l = lines_of(view, order, square);
    return l.length == 0 || l.lines == 0 ? 0 : (l.lines - 1) * l.pitch + l.length;
}

static int64_t begin_of(const clsolve_batch *view, int64_t m) {
    return view->offsets ? view->offsets[m] : m * view->stride;
}

static int64_t tight_at(const cls_direct_batch *batch, const clsolve_batch *view, int64_t m, int square) {
    return square ? cls_direct_batch_factors_of(batch, m) : cls_direct_batch_rows_of(batch, m) * view->cols;
}

static size_t bytes_of(const cls_direct_batch *batch, const clsolve_batch *view, int square) {
    return (size_t)((square ? batch->elements : batch->all_rows * view->cols) * cls_type_size(batch->type));
}

/* All members from the caller's memory into `tight`, or back those whose info is 0. */
static void copy_all(const cls_direct_batch *batch, const clsolve_batch *view, int square, char *tight,
                     const int32_t *infos) {
    const int64_t size = cls_type_size(batch->type);
    for (int64_t m = 0; m < batch->count; ++m) {
        const lines l = lines_of(view, cls_direct_batch_order(batch, m), square);
        char *at = tight + tight_at(batch, view, m, square) * size;
        char *member = (char *)view->data + begin_of(view, m) * size;
        for (int64_t k = 0; k < l.lines && (!infos || infos[m] == 0); ++k) {
            char *const line = member + k * l.pitch * size, *const its = at + k * l.length * size;
            if (infos)
                memcpy(line, its, (size_t)(l.length * size));
            else
                memcpy(its, line, (size_t)(l.length * size));
        }
    }
}

static clsolve_status no_memory(const cls_direct_batch *batch) {
    return cls_no_memory(batch->device->error, "members of a batch");
}

static clsolve_status copy_up(cls_direct_batch *batch, const clsolve_batch *view, int square, cls_buffer *buffer) {
    cls_device *device = batch->device;
    const size_t bytes = bytes_of(batch, view, square);
    char *tight = cls_alloc(bytes, 1);
    if (!tight) return no_memory(batch);
    copy_all(batch, view, square, tight, NULL);
    clsolve_status status = device->ops->finish(device, CLS_COMPUTE);
    if (status == CLSOLVE_OK) status = cls_bytes_write(device, CLS_UP, buffer, 0, tight, bytes);
    status = cls_finish(device, CLS_UP, status);
    cls_free(tight);
    return status;
}

clsolve_status cls_direct_ragged_down(cls_direct_batch *batch, const clsolve_batch *view, int square,
                                      cls_buffer *buffer, const int32_t *infos) {
    cls_device *device = batch->device;
    const size_t bytes = bytes_of(batch, view, square);
    char *tight = cls_alloc(bytes, 1);
    if (!tight) return no_memory(batch);
    const clsolve_status status =
        cls_finish(device, CLS_DOWN, cls_bytes_read(device, CLS_DOWN, buffer, 0, tight, bytes));
    if (status == CLSOLVE_OK) copy_all(batch, view, square, tight, infos);
    cls_free(tight);
    return status;
}

clsolve_status cls_direct_ragged_adopt(cls_direct_batch *batch, const clsolve_batch *view, int square, int written,
                                       cls_buffer **theirs) {
    cls_device *device = batch->device;
    const int64_t size = cls_type_size(batch->type);
    int64_t last = 0;
    size_t bytes;
    for (int64_t m = 0; m < batch->count; ++m) {
        const int64_t extent = cls_direct_ragged_extent(view, cls_direct_batch_order(batch, m), square);
        if (extent > 0 && begin_of(view, m) + extent > last) last = begin_of(view, m) + extent;
    }
    CLS_TRY(device->ops->adopt(device, view->data, theirs, &bytes));
    const int64_t elements = (int64_t)bytes / size;
    clsolve_status status = CLSOLVE_OK;
    if (view->offset > elements || last > elements - view->offset)
        status = cls_fail(device->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                          "the batch takes %lld elements from offset %lld on, and its buffer has %lld", (long long)last,
                          (long long)view->offset, (long long)elements);
    else if (!cls_buffer_takes_kernels(*theirs, view->offset, size, written))
        status = cls_fail(device->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                          "kernels may not take the batch where it lies: begin it at a multiple of its elements' size");
    if (status == CLSOLVE_OK) return CLSOLVE_OK;
    device->ops->buffer_destroy(device, *theirs);
    *theirs = NULL;
    return status;
}

/* The places on the device, where they are read by kernels. */
static clsolve_status put_places(cls_direct_batch *batch, const int64_t *places) {
    if (batch->device->no_kernels) return CLSOLVE_OK;
    return cls_bytes_put(batch->device, batch->places, 0, places, (size_t)batch->count * sizeof *places);
}

clsolve_status cls_direct_ragged_bring(cls_direct_batch *batch, const clsolve_batch *view, int square, int written,
                                       int fetch, cls_buffer *buffer, cls_direct_members *members,
                                       cls_buffer **theirs) {
    const int by_column = view->layout == CLSOLVE_COLUMN_MAJOR, is_near = !written && !fetch,
              there = is_near || view->place == CLSOLVE_ON_DEVICE;
    int64_t *places = cls_alloc((size_t)batch->count, sizeof *places);
    clsolve_status status = places ? CLSOLVE_OK : no_memory(batch);
    *theirs = NULL;
    if (status == CLSOLVE_OK && there && !is_near)
        status = cls_direct_ragged_adopt(batch, view, square, written, theirs);
    if (status == CLSOLVE_OK && !there && fetch) status = copy_up(batch, view, square, buffer);
    for (int64_t m = 0; m < batch->count && status == CLSOLVE_OK; ++m)
        places[m] = there ? begin_of(view, m) : tight_at(batch, view, m, square);
    if (status == CLSOLVE_OK) status = put_places(batch, places);
    if (status != CLSOLVE_OK) {
        batch->device->ops->buffer_destroy(batch->device, *theirs);
        *theirs = NULL;
        cls_free(places);
        return status;
    }
    const int64_t step = there ? view->ld : 0;
    *members = (cls_direct_members){.buffer = there ? *theirs : buffer,
                                    .host = is_near ? view->data : NULL,
                                    .offset = there && !is_near ? view->offset : 0,
                                    .row = by_column ? 1 : step,
                                    .column = by_column ? step : 1,
                                    .places = places};
    return CLSOLVE_OK;
}
