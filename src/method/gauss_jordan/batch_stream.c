/*
 * batch_stream.c: a batch of inverses in slices, which cross in both directions at once:
 *
 *      UP        slice s + 1, s + 2, ...      packed by the pool's threads
 *      COMPUTE   slice s                      behind its crossing
 *      DOWN      slice s - LAG                its infos first: of a singular member nothing is written
 *
 * The thread that drives the device sends what is packed while it waits for what comes down (device/staging.h).
 */
#include "base/clock.h"
#include "base/memory.h"
#include "device/staging.h"
#include "method/gauss_jordan/batch.h"
#include "device/matrix.h"
#include "method/members.h"

enum {
    SLICES = 16, /* few, so that little is told of each; many, so that little crosses alone */
    LAG = 2,     /* slices that are computed, or wait to be, before the first goes down */
    LEAST = 8    /* staging slots' worth of bytes that are worth it */
};

typedef struct slice {
    int64_t begin, end;
    cls_move move;
    cls_event *inverted;
} slice;

typedef struct stream {
    cls_gj_batch *batch;
    const clsolve_batch *A, *X;
    cls_gj_strides a, b;
    int32_t *infos;
    clsolve_seconds *seconds;
    slice slices[SLICES];
} stream;

static int64_t bytes_of(const cls_gj_batch *batch) {
    return batch->count * batch->n * batch->n * cls_type_size(batch->type);
}

int cls_gj_batch_can_stream(const cls_gj_batch *batch, const clsolve_batch *A, const clsolve_batch *X) {
    const cls_device *device = batch->device;
    cls_rect a, x;
    char *from, *to;

    if (device->no_kernels || device->info.host_memory || batch->count < SLICES ||
        bytes_of(batch) < LEAST * (int64_t)device->staging_bytes)
        return 0;
    if (!cls_members_rect(A, 0, A->count, &a, &from) || !cls_members_rect(X, 0, X->count, &x, &to)) return 0;
    return from + cls_rect_host_span(&a) <= to || to + cls_rect_host_span(&x) <= from;
}

static clsolve_status post(stream *s, int64_t number) {
    const int64_t count = s->batch->count;
    slice *one = &s->slices[number];

    one->begin = count * number / SLICES;
    one->end = count * (number + 1) / SLICES;
    one->move = (cls_move){.queue = CLS_UP, .buffer = s->batch->A};
    (void)cls_members_rect(s->A, one->begin, one->end, &one->move.rect, &one->move.host);
    return cls_staging_post(s->batch->device, &one->move);
}

static clsolve_status invert(stream *s, int64_t number) {
    cls_device *device = s->batch->device;
    slice *one = &s->slices[number];
    const double start = cls_seconds();

    CLS_TRY(cls_staging_reach(device, &one->move));
    s->seconds->upload += cls_seconds() - start;
    CLS_TRY(device->ops->queue_wait(device, CLS_COMPUTE, one->move.done));
    CLS_TRY(cls_gj_batch_run_part(s->batch, 0, s->a, s->b, one->begin, one->end));
    CLS_TRY(device->ops->mark(device, CLS_COMPUTE, &one->inverted));
    return device->ops->flush(device, CLS_COMPUTE);
}

static clsolve_status send_home(stream *s, int64_t number) {
    cls_device *device = s->batch->device;
    slice *one = &s->slices[number];
    const size_t bytes = (size_t)(one->end - one->begin) * sizeof *s->infos;
    const cls_rect rect = {bytes, 1, (size_t)one->begin * sizeof *s->infos, bytes, bytes};
    const double start = cls_seconds();

    CLS_TRY(device->ops->queue_wait(device, CLS_DOWN, one->inverted));
    CLS_TRY(device->ops->read(device, CLS_DOWN, s->batch->info, s->infos + one->begin, &rect, NULL, NULL));
    CLS_TRY(device->ops->finish(device, CLS_DOWN));
    CLS_TRY(cls_members_down_some(device, s->X, s->batch->A, s->infos, one->begin, one->end));
    s->seconds->download += cls_seconds() - start;
    return CLSOLVE_OK;
}

static clsolve_status run(stream *s) {
    cls_device *device = s->batch->device;

    CLS_TRY(device->ops->finish(device, CLS_COMPUTE)); /* what is there may still be in use */
    for (int64_t k = 0; k < SLICES; ++k) CLS_TRY(post(s, k));
    for (int64_t k = 0; k < SLICES + LAG; ++k) {
        if (k < SLICES) CLS_TRY(invert(s, k));
        if (k >= LAG) CLS_TRY(send_home(s, k - LAG));
    }
    return device->ops->finish(device, CLS_DOWN);
}

/* Nothing crosses any more, whatever happened. */
static void end(stream *s) {
    cls_device *device = s->batch->device;
    cls_error first = *device->error;

    cls_staging_drop(device, CLS_UP);
    (void)device->ops->finish(device, CLS_COMPUTE);
    (void)device->ops->finish(device, CLS_DOWN);
    for (int64_t k = 0; k < SLICES; ++k) {
        device->ops->event_release(device, s->slices[k].move.done);
        device->ops->event_release(device, s->slices[k].inverted);
    }
    *device->error = first;
}

clsolve_status cls_gj_batch_stream(cls_gj_batch *batch, const clsolve_batch *A, const clsolve_batch *X,
                                   cls_gj_strides a, cls_gj_strides b, int32_t *infos, clsolve_seconds *seconds) {
    cls_counters before = batch->device->counters, *counters = &batch->device->counters;
    stream *s = cls_alloc(1, sizeof *s);

    if (!s) return cls_fail(batch->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a batch's slices");
    *s = (stream){.batch = batch, .A = A, .X = X, .a = a, .b = b, .infos = infos, .seconds = seconds};
    clsolve_status status = run(s);
    end(s);
    cls_free(s);
    /* It is one batch, and one list of infos. */
    if (counters->transfers_up > before.transfers_up) counters->transfers_up = before.transfers_up + 1;
    counters->transfers_down -= 2 * (SLICES - 1);
    if (counters->transfers_down < before.transfers_down) counters->transfers_down = before.transfers_down;
    return status;
}
