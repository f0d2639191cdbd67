/* stream.c: block columns into the window and out of it, of factorizations and of solves: stream.h has the picture. */
#include "method/band/stream_memory.h"
#include "method/events.h"

static int64_t slot_of(const cls_band *band, int64_t j) {
    return j / band->block % band->stream->slots;
}

static void forget(cls_device *device, cls_event **event) {
    device->ops->event_release(device, *event);
    *event = NULL;
}

/* ---- up ---- */

/* A provider that maps buffers has the whole window in its hands: nothing else may be under way then. */
static clsolve_status settle(cls_band *band, cls_queue queue) {
    return band->device->blas->in_place ? band->device->ops->finish(band->device, queue)
                                        : band->device->ops->flush(band->device, queue);
}

/* The UP queue waits until nobody wants what is in that slot. */
static clsolve_status wait_for_slot(cls_band *band, int64_t slot) {
    cls_band_stream *s = band->stream;
    cls_device *device = band->device;

    for (int k = 0; k < 2; ++k) {
        cls_event **event = k == 0 ? &s->used[slot] : &s->gone[slot];
        if (*event) CLS_TRY(device->ops->queue_wait(device, CLS_UP, *event));
        forget(device, event);
    }
    forget(device, &s->come[slot]);
    return CLSOLVE_OK;
}

static clsolve_status ask(cls_band *band) {
    cls_band_stream *s = band->stream;
    cls_device *device = band->device;
    int64_t j = s->asked, width = cls_band_width(band, j), slot = slot_of(band, j);
    int64_t size = cls_type_size(band->type);
    cls_matrix block = cls_band_physical(band, j, width, 0, band->window.rows);

    CLS_TRY(wait_for_slot(band, slot));
    CLS_TRY(device->ops->fill(device, CLS_UP, block.slab[0], (size_t)(block.offset * size),
                              (size_t)(width * block.ld * size), 0));
    CLS_TRY(cls_band_send(band, s->source, j, width, &band->up[j / band->block % CLS_BAND_RING], &s->come[slot]));
    s->asked += width;
    return settle(band, CLS_UP);
}

static clsolve_status ask_all(cls_band *band, int64_t limit) {
    while (band->stream->asked < band->n && band->stream->asked < limit) CLS_TRY(ask(band));
    return CLSOLVE_OK;
}

clsolve_status cls_band_stream_begin(cls_band *band, const cls_band_source *source) {
    cls_band_stream *s = band->stream;

    if (!s) return CLSOLVE_OK;
    cls_band_stream_drop(band);
    s->source = source;
    s->asked = s->waited = 0;
    return ask_all(band, band->capacity);
}

clsolve_status cls_band_stream_need(cls_band *band, int64_t to) {
    cls_band_stream *s = band->stream;
    cls_device *device = band->device;

    while (s && s->waited < to && s->waited < band->n) {
        int64_t width = cls_band_width(band, s->waited), slot = slot_of(band, s->waited);
        CLS_TRY(device->ops->queue_wait(device, CLS_COMPUTE, s->come[slot]));
        CLS_TRY(cls_band_measure(band, s->waited, width));
        s->waited += width;
    }
    return CLSOLVE_OK;
}

/* ---- down ---- */

/* A column without a pivot has a zero on its diagonal. */
static void note(cls_band *band, int64_t j, int64_t width, const int64_t *locals) {
    int64_t lead = cls_band_lead(band, j);

    for (int64_t t = 0; t < width; ++t) {
        const void *u = cls_band_stream_element(band, j + t, j + t);
        int zero = cls_type_is_zero(band->type, u);
        if (zero && (band->info == 0 || j + t + 1 < band->info)) band->info = j + t + 1;
        band->stream->pivots[j + t] = lead + locals[t];
    }
}

/* Waits until the block column is in pinned memory, and has it taken from there. */
static clsolve_status take_over(cls_band *band, cls_band_descent *d) {
    cls_device *device = band->device;
    int64_t size = cls_type_size(band->type), first = band->block - 1;
    size_t bytes = (size_t)((band->window.rows - first) * size);

    if (d->slot.width == 0 || d->job.posted) return CLSOLVE_OK;
    CLS_TRY(device->ops->event_wait(device, d->slot.busy));
    forget(device, &d->slot.busy);
    d->haul = (cls_band_haul){.to = (char *)cls_band_stream_column(band, d->slot.j) + first * size,
                              .from = d->slot.memory,
                              .bytes = bytes,
                              .to_pitch = (size_t)(band->window.ld * size),
                              .from_pitch = bytes,
                              .cols = d->slot.width};
    cls_band_haul_job(&d->haul, &d->job);
    cls_pool_post(band->pool, &d->job);
    return CLSOLVE_OK;
}

/* The pinned memory is free again. */
static clsolve_status keep(cls_band *band, cls_band_descent *d) {
    if (d->slot.width == 0) return CLSOLVE_OK;
    CLS_TRY(take_over(band, d));
    cls_pool_wait(band->pool, &d->job);
    if (!band->panel.hybrid) note(band, d->slot.j, d->slot.width, cls_band_stream_state_of(band, &d->slot));
    d->slot.width = 0;
    return CLSOLVE_OK;
}

/* The pivots of the block column at j: of host panels they are there, of others they come down behind the column. */
static clsolve_status keep_pivots(cls_band *band, int64_t j, int64_t width, cls_band_slot *slot) {
    cls_device *device = band->device;
    int64_t lead = cls_band_lead(band, j), here = j - lead;
    size_t bytes = (size_t)width * sizeof(int64_t);
    cls_rect rect = {bytes, 1, (size_t)here * sizeof(int64_t), bytes, bytes};

    if (!band->panel.hybrid)
        return device->ops->read(device, CLS_DOWN, band->panel.ipiv, cls_band_stream_state_of(band, slot), &rect, NULL,
                                 &slot->busy);
    for (int64_t t = 0; t < width; ++t) band->stream->pivots[j + t] = lead + band->panel.host_pivots[here + t];
    return device->ops->mark(device, CLS_DOWN, &slot->busy);
}

/* Nothing is above the first block - 1 physical rows. */
clsolve_status cls_band_stream_final(cls_band *band, int64_t j) {
    cls_band_stream *s = band->stream;
    cls_device *device = band->device;

    if (!s) return CLSOLVE_OK;
    int64_t width = cls_band_width(band, j), first = band->block - 1, rows = band->window.rows - first;
    int64_t size = cls_type_size(band->type);
    cls_band_descent *d = &s->down[j / band->block % CLS_BAND_DOWN],
                     *before = &s->down[(j / band->block + 1) % CLS_BAND_DOWN];
    cls_band_slot *slot = &d->slot;
    cls_matrix block = cls_band_physical(band, j, width, first, rows);
    cls_rect rect = {(size_t)(rows * size), (size_t)width, (size_t)(block.offset * size), (size_t)(block.ld * size),
                     (size_t)(rows * size)};
    cls_event *final = NULL;

    CLS_TRY(keep(band, d));
    CLS_TRY(cls_band_look_at(band, j, width));
    CLS_TRY(device->ops->mark(device, CLS_COMPUTE, &final));
    cls_wait wait = {1, &final};
    clsolve_status status = device->ops->flush(device, CLS_COMPUTE);
    if (status == CLSOLVE_OK)
        status = device->ops->read(device, CLS_DOWN, block.slab[0], slot->memory, &rect, &wait, NULL);
    device->ops->event_release(device, final);
    CLS_TRY(status);
    CLS_TRY(keep_pivots(band, j, width, slot));
    slot->j = j;
    slot->width = width;
    CLS_TRY(device->ops->mark(device, CLS_DOWN, &s->gone[slot_of(band, j)]));
    CLS_TRY(settle(band, CLS_DOWN));
    return take_over(band, before); /* the oldest on its way; its memory is wanted next */
}

clsolve_status cls_band_stream_done(cls_band *band, int64_t j) {
    cls_band_stream *s = band->stream;

    if (!s) return CLSOLVE_OK;
    CLS_TRY(cls_queue_mark(band->device, CLS_COMPUTE, &s->used[slot_of(band, j)]));
    return ask_all(band, j + band->block + band->capacity);
}

clsolve_status cls_band_stream_end(cls_band *band) {
    if (!band->stream) return CLSOLVE_OK;
    for (int r = 0; r < CLS_BAND_DOWN; ++r) CLS_TRY(keep(band, &band->stream->down[r]));
    cls_band_stream_drop(band);
    return CLSOLVE_OK;
}

/* ---- solves ---- */

/* The moves of the block column at j, behind it in its pinned memory, for they are on the device for a window alone. */
static clsolve_status bring_moves(cls_band *band, int64_t j, int64_t width, cls_band_slot *slot) {
    cls_device *device = band->device;
    int64_t lead = cls_band_lead(band, j), here = j - lead, *sources = cls_band_stream_state_of(band, slot);
    int64_t *targets = sources + 2 * width;
    int *locals = band->stream->locals;
    size_t bytes = (size_t)(2 * width) * sizeof(int64_t);
    cls_rect rect = {bytes, 1, (size_t)(2 * here) * sizeof(int64_t), bytes, bytes};

    for (int64_t t = 0; t < width; ++t) locals[t] = (int)(band->stream->pivots[j + t] - lead);
    cls_panel_list_moves(&band->panel, locals, here, width, sources, targets);
    CLS_TRY(device->ops->write(device, CLS_UP, band->panel.sources, sources, &rect, NULL, NULL));
    return device->ops->write(device, CLS_UP, band->panel.targets, targets, &rect, NULL, NULL);
}

static clsolve_status bring(cls_band *band) {
    cls_band_stream *s = band->stream;
    cls_device *device = band->device;
    int64_t j = s->next, width = cls_band_width(band, j), slot = slot_of(band, j), size = cls_type_size(band->type);
    /* L's rows behind the diagonal, or U's on and above it. */
    int64_t first = s->half == CLS_UPPER ? band->block - 1 : band->top + 1;
    int64_t rows = (s->half == CLS_UPPER ? band->top + 1 : band->window.rows) - first;
    size_t bytes = (size_t)(rows * size);
    cls_band_slot *pinned = &band->up[j / band->block % CLS_BAND_RING];
    cls_matrix block = cls_band_physical(band, j, width, first, rows);
    cls_rect rect = {bytes, (size_t)width, (size_t)(block.offset * size), (size_t)(block.ld * size), bytes};

    CLS_TRY(cls_band_slot_wait(band, pinned));
    cls_job job;
    cls_band_haul haul = {.to = pinned->memory,
                          .from = (const char *)cls_band_stream_column(band, j) + first * size,
                          .bytes = bytes,
                          .to_pitch = bytes,
                          .from_pitch = (size_t)(band->window.ld * size),
                          .cols = width};
    cls_band_haul_job(&haul, &job);
    cls_pool_run(band->pool, &job);
    CLS_TRY(wait_for_slot(band, slot));
    if (s->half == CLS_LOWER_UNIT) CLS_TRY(bring_moves(band, j, width, pinned));
    CLS_TRY(device->ops->write(device, CLS_UP, block.slab[0], pinned->memory, &rect, NULL, &s->come[slot]));
    CLS_TRY(device->ops->mark(device, CLS_UP, &pinned->busy));
    s->next += s->backward ? -band->block : band->block;
    s->left -= 1;
    return settle(band, CLS_UP);
}

clsolve_status cls_band_stream_read(cls_band *band, cls_uplo half, int backward) {
    cls_band_stream *s = band->stream;

    if (!s) return CLSOLVE_OK;
    cls_band_stream_drop(band);
    s->half = half;
    s->backward = backward;
    s->next = backward ? cls_band_before(band, band->n) : 0;
    s->left = s->slots;
    return CLSOLVE_OK;
}

clsolve_status cls_band_stream_take(cls_band *band, int64_t j) {
    cls_band_stream *s = band->stream;

    if (!s) return CLSOLVE_OK;
    /* The pinned ring bounds what this call prefetches: else the host would wait for its own device. */
    int64_t ahead = j + (s->backward ? -CLS_BAND_RING : CLS_BAND_RING) * band->block;
    while (s->left > 0 && s->next >= 0 && s->next < band->n && (s->backward ? s->next > ahead : s->next < ahead))
        CLS_TRY(bring(band));
    return band->device->ops->queue_wait(band->device, CLS_COMPUTE, s->come[slot_of(band, j)]);
}

clsolve_status cls_band_stream_leave(cls_band *band, int64_t j) {
    cls_band_stream *s = band->stream;

    if (!s) return CLSOLVE_OK;
    s->left += 1;
    return cls_queue_mark(band->device, CLS_COMPUTE, &s->used[slot_of(band, j)]);
}
