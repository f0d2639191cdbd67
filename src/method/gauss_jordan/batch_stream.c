/*
 * batch_stream.c: a batch of inverses in slices, which cross in both directions at once:
 *
 *      UP        slices s + 1, s + 2, ...     packed by the pool's threads
 *      COMPUTE   slice s, then its infos      behind its crossing
 *      DOWN      slices .. s - 1              when their infos are there: of a singular member nothing is written
 *
 * The thread that drives the device looks by turns for what can go on, and waits for none of it, so that neither
 * direction is empty while the other is late (device/staging.h).
 */
#include "base/clock.h"
#include "base/memory.h"
#include "device/matrix.h"
#include "device/staging.h"
#include "method/gauss_jordan/batch.h"
#include "method/members.h"

#include <string.h>

enum {
    SLICES = 16, /* few, so that each has some of the bus's time; many, so that little crosses alone */
    LEAST = 8    /* staging slots' worth of bytes that are worth it */
};

typedef struct slice {
    int64_t begin, end;
    cls_move up, down;
    cls_event *told; /* it is inverted, and its infos are in pinned memory */
} slice;

typedef struct stream {
    cls_gj_batch *batch;
    const clsolve_batch *A, *X;
    cls_gj_members a, b;     /* in the handle's memory */
    int32_t *infos, *pinned; /* the caller's; on their way */
    clsolve_seconds *seconds;
    slice slices[SLICES];
    int inverted, home; /* slices whose inversion is enqueued; that are on their way down */
} stream;

static int64_t bytes_of(const cls_gj_batch *batch) {
    return batch->count * batch->n * batch->n * cls_type_size(batch->type);
}

int cls_gj_batch_can_stream(const cls_gj_batch *batch, const clsolve_batch *A, const clsolve_batch *X) {
    const cls_device *device = batch->device;
    cls_rect a, x;
    char *from, *to;

    if (device->no_kernels || device->info.host_memory || device->shares_memory || batch->count < SLICES ||
        bytes_of(batch) < LEAST * (int64_t)device->staging_bytes)
        return 0;
    if (!cls_members_rect(A, 0, A->count, &a, &from) || !cls_members_rect(X, 0, X->count, &x, &to)) return 0;
    return from + cls_rect_host_span(&a) <= to || to + cls_rect_host_span(&x) <= from;
}

static clsolve_status post_up(stream *s, int64_t number) {
    const int64_t count = s->batch->count;
    slice *one = &s->slices[number];

    one->begin = count * number / SLICES;
    one->end = count * (number + 1) / SLICES;
    one->up = (cls_move){.way = CLS_WAY_UP, .queue = CLS_UP, .buffer = s->batch->A};
    (void)cls_members_rect(s->A, one->begin, one->end, &one->up.rect, &one->up.host);
    return cls_staging_post(s->batch->device, &one->up);
}

static clsolve_status invert(stream *s, slice *one) {
    cls_device *device = s->batch->device;
    const size_t bytes = (size_t)(one->end - one->begin) * sizeof *s->infos;
    const cls_rect rect = {bytes, 1, (size_t)one->begin * sizeof *s->infos, bytes, bytes};

    CLS_TRY(device->ops->queue_wait(device, CLS_COMPUTE, one->up.done));
    CLS_TRY(cls_gj_batch_run_part(s->batch, 0, &s->a, &s->b, one->begin, one->end));
    CLS_TRY(device->ops->read(device, CLS_COMPUTE, s->batch->info, s->pinned + one->begin, &rect, NULL, &one->told));
    return device->ops->flush(device, CLS_COMPUTE);
}

static int is_sound(const stream *s, const slice *one) {
    for (int64_t m = one->begin; m < one->end; ++m)
        if (s->infos[m] != 0) return 0;
    return 1;
}

/* Members around singular ones are several rectangles, for which this thread waits. */
static clsolve_status send_home(stream *s, slice *one) {
    cls_device *device = s->batch->device;

    CLS_TRY(device->ops->event_wait(device, one->told)); /* it is over, and may have failed */
    memcpy(s->infos + one->begin, s->pinned + one->begin, (size_t)(one->end - one->begin) * sizeof *s->infos);
    CLS_TRY(cls_gj_batch_again(s->batch, 0, &s->a, &s->b, one->begin, one->end, s->infos));
    if (!is_sound(s, one)) return cls_members_down_some(device, s->X, s->batch->A, s->infos, one->begin, one->end);
    one->down = (cls_move){.way = CLS_WAY_DOWN, .queue = CLS_DOWN, .buffer = s->batch->A};
    (void)cls_members_rect(s->X, one->begin, one->end, &one->down.rect, &one->down.host);
    return cls_staging_post(device, &one->down);
}

/* Seconds of the slice on the device: since it came, or since the one before it was done, where that is later. */
static double seconds_of(const stream *s, int number) {
    const cls_device_ops *ops = s->batch->device->ops;
    const slice *one = &s->slices[number];
    const double since_up = ops->elapsed(s->batch->device, one->up.done, one->told);
    if (number == 0) return since_up;
    const double since_last = ops->elapsed(s->batch->device, one[-1].told, one->told);
    return since_last < since_up ? since_last : since_up;
}

/* Enqueues what can be. seconds.upload lasts until the last slice is on its way up; seconds.factor is what the device
 * takes for all of them, meanwhile for the most part. */
static clsolve_status advance(stream *s, double start) {
    cls_device *device = s->batch->device;

    CLS_TRY(cls_staging_poll(device));
    while (s->inverted < SLICES && s->slices[s->inverted].up.done) {
        CLS_TRY(invert(s, &s->slices[s->inverted]));
        if (++s->inverted == SLICES) s->seconds->upload = cls_seconds() - start;
    }
    while (s->home < s->inverted && device->ops->event_is_over(device, s->slices[s->home].told)) {
        CLS_TRY(send_home(s, &s->slices[s->home]));
        s->seconds->factor += seconds_of(s, s->home++);
    }
    return CLSOLVE_OK;
}

static clsolve_status run(stream *s) {
    cls_device *device = s->batch->device;
    const double start = cls_seconds();
    void *memory = NULL;

    CLS_TRY(device->ops->finish(device, CLS_COMPUTE)); /* what is there may still be in use */
    CLS_TRY(cls_staging_scratch(device, (size_t)s->batch->count * sizeof *s->pinned, &memory));
    s->pinned = memory;
    for (int64_t k = 0; k < SLICES; ++k) CLS_TRY(post_up(s, k));
    while (s->home < SLICES) {
        CLS_TRY(advance(s, start));
        cls_staging_pause(device);
    }
    CLS_TRY(cls_staging_land(device));
    CLS_TRY(device->ops->finish(device, CLS_DOWN));
    const double rest = cls_seconds() - start - s->seconds->upload - s->seconds->factor;
    s->seconds->download = rest > 0 ? rest : 0;
    return CLSOLVE_OK;
}

/* Nothing crosses any more, whatever happened. */
static void end(stream *s) {
    cls_device *device = s->batch->device;
    cls_error first = *device->error;

    cls_staging_drop(device, CLS_WAY_UP, CLS_UP);
    cls_staging_drop(device, CLS_WAY_DOWN, CLS_DOWN);
    (void)device->ops->finish(device, CLS_COMPUTE);
    for (int64_t k = 0; k < SLICES; ++k) {
        device->ops->event_release(device, s->slices[k].up.done);
        device->ops->event_release(device, s->slices[k].down.done);
        device->ops->event_release(device, s->slices[k].told);
    }
    *device->error = first;
}

clsolve_status cls_gj_batch_stream(cls_gj_batch *batch, const clsolve_batch *A, const clsolve_batch *X, int32_t *infos,
                                   clsolve_seconds *seconds) {
    cls_counters before = batch->device->counters, *counters = &batch->device->counters;

    CLS_TRY(cls_gj_batch_reserve_A(batch));
    stream *s = cls_alloc(1, sizeof *s);
    if (!s) return cls_no_memory(batch->device->error, "a batch's slices");
    *s = (stream){.batch = batch, .A = A, .X = X, .infos = infos, .seconds = seconds};
    s->a = cls_gj_batch_tight(A, CLSOLVE_NO_TRANS, batch->A);
    s->b = cls_gj_batch_tight(X, CLSOLVE_NO_TRANS, batch->A);
    clsolve_status status = run(s);
    end(s);
    cls_free(s);
    /* It is one batch, and one list of infos. */
    if (counters->transfers_up > before.transfers_up) counters->transfers_up = before.transfers_up + 1;
    counters->transfers_down -= 2 * (SLICES - 1);
    if (counters->transfers_down < before.transfers_down) counters->transfers_down = before.transfers_down;
    return status;
}
