#include "method/fetch.h"

#include "base/memory.h"
#include "device/matrix.h"
#include "method/transfer.h"

static const size_t piece = 4 << 20; /* bytes of the buffer between the caller's and the host */

/* A move of lines between the caller's buffer and the host. */
typedef struct move {
    cls_device *device;
    cls_buffer *theirs, *between;
    size_t first, pitch; /* bytes: where the first line begins in `theirs`, and from line to line */
    char *host;
    int up; /* from the host */
} move;

/* `columns` pieces of `bytes` each, `from` bytes behind the first line's begin, to or from host + to, tight there. */
static clsolve_status move_piece(const move *m, size_t from, size_t to, size_t bytes, size_t columns) {
    const cls_device_ops *ops = m->device->ops;
    cls_span out = {bytes, columns, m->first + from, m->pitch, 0, bytes};
    cls_span in = {bytes, columns, 0, bytes, m->first + from, m->pitch};
    cls_rect tight = {bytes * columns, 1, 0, bytes * columns, bytes * columns};

    if (m->up) {
        CLS_TRY(ops->write(m->device, CLS_COMPUTE, m->between, m->host + to, &tight, NULL, NULL));
        return ops->copy_rect(m->device, CLS_COMPUTE, m->between, m->theirs, &in);
    }
    CLS_TRY(ops->copy_rect(m->device, CLS_COMPUTE, m->theirs, m->between, &out));
    return ops->read(m->device, CLS_COMPUTE, m->between, m->host + to, &tight, NULL, NULL);
}

/* Several lines at a time, or where one is longer than the buffer, parts of it. */
static clsolve_status move_lines(const move *m, size_t line, size_t count) {
    size_t width = line < piece ? line : piece, run = piece / width;

    for (size_t l = 0; l < count; l += run) {
        size_t lines = count - l < run ? count - l : run;
        for (size_t at = 0; at < line; at += width) {
            size_t bytes = line - at < width ? line - at : width;
            CLS_TRY(move_piece(m, l * m->pitch + at, l * line + at, bytes, lines));
        }
    }
    return CLSOLVE_OK;
}

/* Waits, so that nothing reaches the host's memory or the caller's any more. The first failure is the one to tell. */
static clsolve_status settle(cls_device *device, clsolve_status status) {
    if (status == CLSOLVE_OK) return device->ops->finish(device, CLS_COMPUTE);
    cls_error first = *device->error;
    (void)device->ops->finish(device, CLS_COMPUTE);
    *device->error = first;
    return status;
}

/* Its pieces are one transfer of the counters. */
static clsolve_status move_all(cls_device *device, const clsolve_matrix *view, int64_t begin, int64_t count, char *host,
                               int up) {
    const cls_device_ops *ops = device->ops;
    size_t size = (size_t)cls_type_size(view->type), pitch = (size_t)view->ld * size;
    size_t line = (size_t)(view->layout == CLSOLVE_COLUMN_MAJOR ? view->rows : view->cols) * size;
    size_t all = line * (size_t)count;
    cls_counters before = device->counters;
    move m = {device, NULL, NULL, (size_t)view->offset * size + (size_t)begin * pitch, pitch, host, up};

    if (all == 0) return CLSOLVE_OK;
    CLS_TRY(cls_transfer_adopt(device, view, &m.theirs));
    clsolve_status status = ops->buffer_create(device, all < piece ? all : piece, &m.between);
    if (status == CLSOLVE_OK) status = move_lines(&m, line, (size_t)count);
    status = settle(device, status);
    if (device->counters.transfers_up > before.transfers_up) device->counters.transfers_up = before.transfers_up + 1;
    if (device->counters.transfers_down > before.transfers_down)
        device->counters.transfers_down = before.transfers_down + 1;
    ops->buffer_destroy(device, m.between);
    ops->buffer_destroy(device, m.theirs);
    return status;
}

clsolve_status cls_fetch_lines(cls_device *device, const clsolve_matrix *view, int64_t begin, int64_t count,
                               void *host) {
    return move_all(device, view, begin, count, host, 0);
}

clsolve_status cls_store_lines(cls_device *device, const clsolve_matrix *view, int64_t begin, int64_t count,
                               const void *host) {
    return move_all(device, view, begin, count, (char *)(uintptr_t)host, 1); /* only read on the way up */
}

static int64_t line_of(const clsolve_matrix *view) {
    return view->layout == CLSOLVE_COLUMN_MAJOR ? view->rows : view->cols;
}

static int64_t lines_of(const clsolve_matrix *view) {
    return view->layout == CLSOLVE_COLUMN_MAJOR ? view->cols : view->rows;
}

clsolve_status cls_fetch(cls_device *device, const clsolve_matrix *view, cls_fetched *fetched) {
    int64_t line = line_of(view), lines = lines_of(view);

    *fetched = (cls_fetched){.view = *view};
    if (view->place == CLSOLVE_ON_HOST || line == 0 || lines == 0) return CLSOLVE_OK;
    fetched->copy = cls_alloc((size_t)line, (size_t)(lines * cls_type_size(view->type)));
    if (!fetched->copy)
        return cls_no_memory(device->error, "a copy of %lld x %lld elements", (long long)view->rows,
                             (long long)view->cols);
    fetched->view.place = CLSOLVE_ON_HOST;
    fetched->view.offset = 0;
    fetched->view.ld = line;
    fetched->view.data = fetched->copy;
    clsolve_status status = cls_fetch_lines(device, view, 0, lines, fetched->copy);
    if (status != CLSOLVE_OK) cls_fetched_free(fetched);
    return status;
}

clsolve_status cls_store(cls_device *device, const cls_fetched *fetched, const clsolve_matrix *view) {
    return fetched->copy ? cls_store_lines(device, view, 0, lines_of(view), fetched->copy) : CLSOLVE_OK;
}

void cls_fetched_free(cls_fetched *fetched) {
    cls_free(fetched->copy);
    fetched->copy = NULL;
}

/* `buffer` gets the view's lines, tight. */
static clsolve_status copy_to(cls_device *device, const clsolve_matrix *view, cls_buffer *buffer) {
    size_t size = (size_t)cls_type_size(view->type), line = (size_t)line_of(view) * size;
    cls_span span = {line, (size_t)lines_of(view), (size_t)view->offset * size, (size_t)view->ld * size, 0, line};
    cls_buffer *theirs;

    CLS_TRY(cls_transfer_adopt(device, view, &theirs));
    clsolve_status status = settle(device, device->ops->copy_rect(device, CLS_COMPUTE, theirs, buffer, &span));
    device->ops->buffer_destroy(device, theirs);
    return status;
}

clsolve_status cls_keep(cls_device *device, const clsolve_matrix *view, clsolve_matrix *kept, cls_buffer **buffer) {
    int64_t elements = view->rows * view->cols;
    clsolve_status status = CLSOLVE_OK;

    CLS_TRY(device->ops->buffer_create(device, (size_t)(elements * cls_type_size(view->type)), buffer));
    if (elements > 0) status = copy_to(device, view, *buffer);
    if (status != CLSOLVE_OK) {
        cls_keep_release(device, *buffer);
        *buffer = NULL;
        return status;
    }
    *kept = *view;
    kept->ld = line_of(view) > 0 ? line_of(view) : 1;
    kept->offset = 0;
    kept->data = cls_buffer_handle(*buffer);
    return CLSOLVE_OK;
}

void cls_keep_release(cls_device *device, cls_buffer *buffer) {
    device->ops->buffer_destroy(device, buffer);
}
