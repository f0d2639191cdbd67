/*
 * symmetric_transfer.c: one triangle across the bus, a slab of columns at a time, each from its first row to its last:
 *
 *      |x              x: what crosses, n (n + width) / 2 elements for a triangle of order n
 *      |xx
 *      |xxx x
 *      |xxx xx
 *
 * All slabs are under way at once, one behind the other (device/staging.h): the threads that copy one go on with the
 * next.
 */
#include "base/memory.h"
#include "device/staging.h"
#include "method/symmetric.h"

enum { PARTS = 32, LEAST = 64 }; /* slabs of a large matrix; columns of one, because each is a transfer of its own */

static int64_t width_of(int64_t n) {
    return n / PARTS > LEAST ? n / PARTS : LEAST;
}

/* The slabs of a triangle of `matrix`, in `list` where that is there. Returns how many. */
static int64_t make_slabs(const cls_matrix *matrix, const clsolve_matrix *view, int upper, int up, cls_move *list) {
    const int64_t n = matrix->rows, most = width_of(n);
    int64_t count = 0;

    for (int64_t j = 0, width; j < n; j += width, ++count) {
        width = cls_matrix_run(matrix, j, n - j < most ? n : j + most);
        if (list) list[count] = cls_transfer_part(matrix, view, upper ? 0 : j, upper ? j + width : n, j, width, up);
    }
    return count;
}

static clsolve_status cross(cls_device *device, cls_move *list, int64_t count, int up) {
    for (int64_t s = 0; s < count; ++s) CLS_TRY(cls_staging_post(device, &list[s]));
    if (!up) CLS_TRY(cls_staging_land(device));
    for (int64_t s = 0; s < count && up; ++s) CLS_TRY(cls_staging_reach(device, &list[s]));
    return device->ops->finish(device, up ? CLS_UP : CLS_DOWN);
}

/* A triangle of one slab is a transfer like any other, and may be a small one. If the device lies in the host's
 * memory, slots would be a second copy. */
static int goes_plainly(const cls_device *device, int64_t count) {
    return count == 1 || device->shares_memory;
}

static clsolve_status cross_plainly(cls_device *device, const cls_move *list, int64_t count, int up) {
    const cls_device_ops *ops = device->ops;

    for (const cls_move *m = list; m < list + count; ++m)
        CLS_TRY(up ? ops->write(device, m->queue, m->buffer, m->host, &m->rect, NULL, NULL)
                   : ops->read(device, m->queue, m->buffer, m->host, &m->rect, NULL, NULL));
    return ops->finish(device, list->queue);
}

/* Copies that did start must not touch the caller's memory any more; the first failure is the one to tell. */
static clsolve_status move(cls_device *device, const cls_matrix *matrix, const clsolve_matrix *view, int upper,
                           int up) {
    const int64_t count = make_slabs(matrix, view, upper, up, NULL);

    if (count == 0) return CLSOLVE_OK;
    CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
    cls_move *list = cls_alloc((size_t)count, sizeof *list);
    if (!list) return cls_no_memory(device->error, "the list of %lld copies", (long long)count);
    (void)make_slabs(matrix, view, upper, up, list);
    clsolve_status status =
        goes_plainly(device, count) ? cross_plainly(device, list, count, up) : cross(device, list, count, up);
    const cls_error first = *device->error;
    if (!goes_plainly(device, count)) cls_staging_drop(device, up ? CLS_WAY_UP : CLS_WAY_DOWN, list->queue);
    if (status != CLSOLVE_OK) (void)device->ops->finish(device, list->queue);
    *device->error = first;
    for (int64_t s = 0; s < count; ++s) device->ops->event_release(device, list[s].done);
    cls_free(list);
    return status;
}

clsolve_status cls_symmetric_upload(cls_device *device, cls_transfer *transfer, const clsolve_matrix *view, int upper,
                                    const cls_matrix *matrix) {
    if (matrix->mapped || view->place == CLSOLVE_ON_DEVICE) return cls_upload_square(device, transfer, view, matrix);
    return move(device, matrix, view, upper, 1);
}

clsolve_status cls_symmetric_download(cls_device *device, cls_transfer *transfer, const cls_matrix *matrix, int upper,
                                      const clsolve_matrix *view) {
    if (matrix->mapped) return cls_download(device, transfer, matrix, matrix->cols, view, 0, NULL);
    return move(device, matrix, view, upper, 0);
}
