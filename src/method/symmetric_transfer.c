/*
 * symmetric_transfer.c: one triangle across the bus, a slab of columns at a time, each from its first row to its last:
 *
 *      |x              x: what crosses, n (n + width) / 2 elements for a triangle of order n
 *      |xx
 *      |xxx x
 *      |xxx xx
 */
#include "method/symmetric.h"

enum { PARTS = 32, LEAST = 64 }; /* slabs of a large matrix; columns of one, because each is a transfer of its own */

static int64_t width_of(int64_t n) {
    return n / PARTS > LEAST ? n / PARTS : LEAST;
}

static clsolve_status enqueue_slab(cls_device *device, const cls_matrix *matrix, const clsolve_matrix *view, int upper,
                                   int64_t j, int64_t width, int up) {
    const int64_t size = cls_type_size(matrix->type), first = upper ? 0 : j, end = upper ? j + width : matrix->rows;
    const cls_ref at = cls_matrix_at(matrix, first, j);
    const cls_rect rect = {(size_t)((end - first) * size), (size_t)width, (size_t)(at.offset * size),
                           (size_t)(at.ld * size), (size_t)(view->ld * size)};
    char *host = (char *)view->data + (first + j * view->ld) * size;

    if (up) return device->ops->write(device, CLS_UP, at.buffer, host, &rect, NULL, NULL);
    return device->ops->read(device, CLS_DOWN, at.buffer, host, &rect, NULL, NULL);
}

static clsolve_status enqueue_slabs(cls_device *device, const cls_matrix *matrix, const clsolve_matrix *view, int upper,
                                    int up) {
    const int64_t n = matrix->rows, most = width_of(n);

    for (int64_t j = 0, width; j < n; j += width) {
        width = cls_matrix_run(matrix, j, n - j < most ? n : j + most);
        CLS_TRY(enqueue_slab(device, matrix, view, upper, j, width, up));
    }
    return CLSOLVE_OK;
}

/* Copies that did start must not touch the caller's memory any more; the first failure is the one to tell. */
static clsolve_status move(cls_device *device, const cls_matrix *matrix, const clsolve_matrix *view, int upper,
                           int up) {
    const cls_queue queue = up ? CLS_UP : CLS_DOWN;

    CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
    const clsolve_status status = enqueue_slabs(device, matrix, view, upper, up);
    if (status == CLSOLVE_OK) return device->ops->finish(device, queue);
    const cls_error first = *device->error;
    (void)device->ops->finish(device, queue);
    *device->error = first;
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
