/*
 * batch_again.c: members that the kernels leave to the host (AGAIN in cl/cholesky_batch.cl and
 * cl/cholesky_batch_solve.cl), because they have tiny pivots: their numbers may be subnormal, and have few digits. Few
 * members are such. Each comes down by itself, is done by batch_host.c, which scales it, and its factor or solutions go
 * back to where the kernel would have them.
 */
#include "base/memory.h"
#include "base/type.h"
#include "method/cholesky/batch.h"
#include "method/members.h"

enum { AGAIN = -2 };

/* `bytes` of a buffer from `offset` on, to the host or from there. Waits. */
static clsolve_status move(cls_device *device, cls_buffer *buffer, size_t offset, size_t bytes, void *host, int up) {
    const cls_rect rect = {bytes, 1, offset, bytes, bytes};
    const clsolve_status status = up ? device->ops->write(device, CLS_COMPUTE, buffer, host, &rect, NULL, NULL)
                                     : device->ops->read(device, CLS_COMPUTE, buffer, host, &rect, NULL, NULL);
    const clsolve_status done = device->ops->finish(device, CLS_COMPUTE);
    return status != CLSOLVE_OK ? status : done;
}

/* The caller's member m alone. */
static clsolve_batch member_of(const clsolve_batch *view, int64_t m) {
    const int64_t begin = view->offsets ? view->offsets[m] : m * view->stride;
    clsolve_batch one = *view;
    one.count = 1;
    one.offsets = NULL;
    if (view->place == CLSOLVE_ON_DEVICE)
        one.offset += begin;
    else
        one.data = (char *)view->data + begin * cls_type_size(view->type);
    return one;
}

static int find(int64_t count, const int32_t *infos) {
    for (int64_t m = 0; m < count; ++m)
        if (infos[m] == AGAIN) return 1;
    return 0;
}

/* A comes tight into the place of its factor. */
static clsolve_status factor_one(cls_cholesky_batch *batch, const clsolve_batch *view, int upper, int64_t m, void *A,
                                 void *L, cls_buffer *between, int32_t *info) {
    cls_device *device = batch->device;
    const size_t bytes = (size_t)(batch->n * batch->n * cls_type_size(batch->type));
    const clsolve_batch member = member_of(view, m);
    const int down = (view->layout == CLSOLVE_COLUMN_MAJOR) != upper; /* the other triangle is read as the lower one */
    const cls_cholesky_one one = {
        .A = A, .L = L, .row = down ? 1 : batch->n, .column = down ? batch->n : 1, .choice = upper, .info = info};

    CLS_TRY(cls_members_up(device, &member, between));
    CLS_TRY(move(device, between, 0, bytes, A, 0));
    cls_cholesky_batch_host_one(batch, &one);
    if (*info == 0) CLS_TRY(move(device, batch->L, (size_t)m * bytes, bytes, L, 1));
    return move(device, batch->info, (size_t)m * sizeof *info, sizeof *info, info, 1);
}

clsolve_status cls_cholesky_batch_again(cls_cholesky_batch *batch, clsolve_uplo uplo, const clsolve_batch *A,
                                        int32_t *infos) {
    cls_device *device = batch->device;
    const size_t elements = (size_t)(batch->n * batch->n), size = (size_t)cls_type_size(batch->type);
    cls_buffer *between = NULL;

    if (!find(batch->count, infos)) return CLSOLVE_OK;
    char *room = cls_alloc(2 * elements, size);
    clsolve_status status =
        room ? device->ops->buffer_create(device, elements * size, &between)
             : cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a member of a batch");
    for (int64_t m = 0; m < batch->count && status == CLSOLVE_OK; ++m)
        if (infos[m] == AGAIN)
            status = factor_one(batch, A, uplo == CLSOLVE_UPPER, m, room, room + elements * size, between, &infos[m]);
    device->ops->buffer_destroy(device, between);
    cls_free(room);
    return status;
}

static clsolve_status solve_one(cls_cholesky_batch *batch, const cls_cholesky_members *B, int64_t m,
                                const cls_cholesky_one *one) {
    cls_device *device = batch->device;
    const size_t size = (size_t)cls_type_size(batch->type);
    const size_t bytes = (size_t)(batch->n * batch->n) * size, side = (size_t)(batch->n * one->rhs) * size;

    CLS_TRY(move(device, batch->L, (size_t)m * bytes, bytes, one->L, 0));
    CLS_TRY(move(device, B->buffer, (size_t)m * side, side, one->A, 0));
    cls_cholesky_batch_host_one(batch, one);
    return *one->outcome == 0 ? move(device, B->buffer, (size_t)m * side, side, one->A, 1) : CLSOLVE_OK;
}

clsolve_status cls_cholesky_batch_solve_again(cls_cholesky_batch *batch, const cls_cholesky_members *B, int64_t rhs,
                                              int inverse_of, int32_t *outcomes) {
    const size_t n = (size_t)batch->n, size = (size_t)cls_type_size(batch->type);
    clsolve_status status = CLSOLVE_OK;
    int32_t info = 0;

    if (!find(batch->count, outcomes)) return CLSOLVE_OK;
    char *room = cls_alloc(n * (n + (size_t)rhs), size);
    if (!room)
        return cls_fail(batch->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a member of a batch");
    for (int64_t m = 0; m < batch->count && status == CLSOLVE_OK; ++m) {
        const cls_cholesky_one one = {.A = room + n * n * size,
                                      .L = room,
                                      .row = B->row,
                                      .column = B->column,
                                      .rhs = rhs,
                                      .choice = inverse_of,
                                      .info = &info,
                                      .outcome = &outcomes[m]};
        if (outcomes[m] == AGAIN) status = solve_one(batch, B, m, &one);
    }
    cls_free(room);
    return status;
}
