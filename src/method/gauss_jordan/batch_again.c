/*
 * batch_again.c: members that a kernel leaves to the host (AGAIN in cl/gj_batch.cl): they have a tiny pivot, so that
 * quotients may leave the range or subnormal numbers lose digits. Few members are such. Each comes down by itself, is
 * done by batch_host.c, and its result goes to where the kernel would have written it.
 */
#include "base/memory.h"
#include "base/type.h"
#include "method/gauss_jordan/batch_host.h"

enum { AGAIN = -2 };

typedef struct again {
    cls_gj_batch *batch;
    cls_buffer *between; /* the caller's buffers may be forbidden to the host */
    void *A, *B; /* a member on the host, tight, in the order of its lines; B NULL: an inverse, in the place of A */
} again;

static int goes_by_columns(const cls_gj_members *at) {
    return at->strides.row == 1;
}

static cls_gj_strides tight(const cls_gj_members *at, int64_t rows, int64_t cols) {
    const int by_columns = goes_by_columns(at);
    return (cls_gj_strides){by_columns ? 1 : cols, by_columns ? rows : 1, at->strides.conjugate};
}

/* Member m, n x cols elements, to `host` or from there. Waits. */
static clsolve_status move(const again *s, const cls_gj_members *at, int64_t m, int64_t cols, void *host, int up) {
    cls_device *device = s->batch->device;
    const cls_device_ops *ops = device->ops;
    const int by_columns = goes_by_columns(at);
    const size_t size = (size_t)cls_type_size(s->batch->type);
    const size_t line = (size_t)(by_columns ? s->batch->n : cols) * size,
                 lines = (size_t)(by_columns ? cols : s->batch->n);
    const size_t offset = (size_t)(at->offset + m * at->member) * size,
                 pitch = (size_t)(by_columns ? at->strides.column : at->strides.row) * size;
    const cls_rect whole = {line * lines, 1, 0, line * lines, line * lines};
    const cls_span out = {line, lines, offset, pitch, 0, line}, in = {line, lines, 0, line, offset, pitch};
    clsolve_status status;

    if (up) {
        status = ops->write(device, CLS_COMPUTE, s->between, host, &whole, NULL, NULL);
        if (status == CLSOLVE_OK) status = ops->copy_rect(device, CLS_COMPUTE, s->between, at->buffer, &in);
    } else {
        status = ops->copy_rect(device, CLS_COMPUTE, at->buffer, s->between, &out);
        if (status == CLSOLVE_OK) status = ops->read(device, CLS_COMPUTE, s->between, host, &whole, NULL, NULL);
    }
    const clsolve_status done = ops->finish(device, CLS_COMPUTE);
    return status != CLSOLVE_OK ? status : done;
}

static clsolve_status one(const again *s, int64_t rhs, const cls_gj_members *A, const cls_gj_members *B, int64_t m,
                          int32_t *info) {
    const int64_t n = s->batch->n, cols = rhs > 0 ? rhs : n;
    void *result = rhs > 0 ? s->B : s->A;

    CLS_TRY(move(s, A, m, n, s->A, 0));
    if (rhs > 0) CLS_TRY(move(s, B, m, cols, s->B, 0));
    *info = cls_gj_batch_host_member(s->batch, rhs, s->A, tight(A, n, n), s->B, tight(B, n, cols));
    return *info == 0 ? move(s, B, m, cols, result, 1) : CLSOLVE_OK;
}

clsolve_status cls_gj_batch_again(cls_gj_batch *batch, int64_t rhs, const cls_gj_members *A, const cls_gj_members *B,
                                  int64_t first, int64_t end, int32_t *infos) {
    const int64_t n = batch->n, most = rhs > n ? rhs : n;
    const size_t size = (size_t)cls_type_size(batch->type);
    cls_device *device = batch->device;
    again s = {.batch = batch};

    while (first < end && infos[first] != AGAIN) ++first;
    if (first == end) return CLSOLVE_OK;
    s.A = cls_alloc((size_t)(n * n), size);
    if (rhs > 0) s.B = cls_alloc((size_t)(n * rhs), size);
    clsolve_status status = device->ops->buffer_create(device, (size_t)(n * most) * size, &s.between);
    if (!s.A || (rhs > 0 && !s.B)) status = cls_no_memory(device->error, "a member of a batch");
    for (int64_t m = first; m < end && status == CLSOLVE_OK; ++m)
        if (infos[m] == AGAIN) status = one(&s, rhs, A, B, m, &infos[m]);
    device->ops->buffer_destroy(device, s.between);
    cls_free(s.A);
    cls_free(s.B);
    return status;
}
