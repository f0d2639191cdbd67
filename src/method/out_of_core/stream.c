/* stream.c: block columns of the factors from the host's memory past the device, one on its way while one is in use. */
#include "method/out_of_core/out_of_core.h"

#include "method/events.h"

/* ---- slabs ---- */

void cls_out_turn(cls_out *out, int64_t begin) {
    out->window_begin = begin;
    out->window_end = out->n - begin < out->slab ? out->n : begin + out->slab;
}

/* The work of a left-looking factorization up to that column, as a fraction of all. */
static double work_to(const cls_out *out, int64_t column) {
    const double x = (double)column / (double)out->n;
    return out->lower == CLS_LOWER ? x * x * (3 - 2 * x) : x * x * (3 - x) / 2; /* Cholesky's, LU's */
}

void cls_out_tell(const cls_out *out, double part) {
    const double before = work_to(out, out->window_begin), after = work_to(out, out->window_end);
    if (out->progress) out->progress(out->progress_user, "factor", before + (after - before) * part);
}

/* ---- block columns ---- */

static int64_t width_at(const cls_out *out, int64_t j) {
    return out->n - j < out->block ? out->n - j : out->block;
}

/* Enqueues the copy of the next block column, if there is one; it starts when the slot's last use is over. */
static clsolve_status bring(cls_out *out) {
    cls_device *device = out->device;
    const int64_t size = cls_type_size(out->type), j = out->next, width = width_at(out, j);
    const int64_t row = out->half != CLS_UPPER ? j : 0, end = out->half != CLS_UPPER ? out->n : j + width;
    const int64_t slot = out->turn % out->streams;
    const cls_rect rect = {(size_t)((end - row) * size), (size_t)width, 0, (size_t)(out->window->ld * size),
                           (size_t)(out->n * size)};
    const cls_wait wait = {out->used[slot] ? 1 : 0, &out->used[slot]};

    if (j < 0 || j >= out->end) return CLSOLVE_OK;
    out->next += out->backward ? -out->block : out->block;
    device->ops->event_release(device, out->up[slot]);
    out->up[slot] = NULL;
    CLS_TRY(device->ops->write(device, CLS_UP, out->stream[slot], (const char *)out->host + (row + j * out->n) * size,
                               &rect, &wait, &out->up[slot]));
    return device->ops->flush(device, CLS_UP);
}

clsolve_status cls_out_stream_read(cls_out *out, cls_uplo half, int64_t end, int backward) {
    out->half = half;
    out->backward = backward;
    out->end = end;
    out->next = backward ? (end - 1) / out->block * out->block : 0;
    out->turn = 0;
    return bring(out);
}

clsolve_status cls_out_stream_take(cls_out *out, cls_ref *at) {
    const int64_t slot = out->turn % out->streams;
    *at = (cls_ref){out->stream[slot], 0, out->window->ld};
    return out->device->ops->queue_wait(out->device, CLS_COMPUTE, out->up[slot]);
}

/* The use of one block column is enqueued before the next is brought, for that may make the host wait for a slot. */
clsolve_status cls_out_stream_leave(cls_out *out) {
    CLS_TRY(cls_queue_mark(out->device, CLS_COMPUTE, &out->used[out->turn++ % out->streams]));
    return bring(out);
}

/* After a failure nothing may still read the host's memory when the caller goes on. */
clsolve_status cls_out_stream_end(cls_out *out, clsolve_status status) {
    if (status == CLSOLVE_OK || out->slab == 0) return status;
    (void)out->device->ops->finish(out->device, CLS_UP);
    (void)out->device->ops->finish(out->device, CLS_COMPUTE);
    return status;
}

clsolve_status cls_out_stream_used(cls_out *out, int64_t c, int64_t k) {
    if (c >= out->window_begin) return CLSOLVE_OK;
    cls_out_tell(out, (double)k / (double)out->window_end);
    return cls_out_stream_leave(out);
}
