/* stream_memory.c: the memory of a window on a band, and the factors of a band in the host's memory. */
#include "method/band/stream_memory.h"

#include "base/memory.h"

static void forget(cls_device *device, cls_event **event) {
    device->ops->event_release(device, *event);
    *event = NULL;
}

/* A pinned block column: its elements, and from the next place for a 64-bit number on its pivots or moves. */
static size_t elements_of(const cls_band *band) {
    size_t bytes = (size_t)(band->window.ld * band->block * cls_type_size(band->type));
    return (bytes + sizeof(int64_t) - 1) / sizeof(int64_t) * sizeof(int64_t);
}

int64_t *cls_band_stream_state_of(const cls_band *band, const cls_band_slot *slot) {
    return (int64_t *)(void *)((char *)slot->memory + elements_of(band));
}

size_t cls_band_stream_state(const cls_band *band) {
    return (size_t)(4 * band->block + 1) * sizeof(int64_t);
}

int64_t *cls_band_stream_pivots(const cls_band *band) {
    return band->stream ? band->stream->pivots : NULL;
}

clsolve_status cls_band_stream_setup(cls_band *band) {
    cls_device *device = band->device;
    cls_band_stream *s = band->stream = cls_alloc(1, sizeof *s);
    int64_t size = cls_type_size(band->type), there = cls_host_memory();
    double wanted = (double)band->n * (double)(band->window.ld * size + (int64_t)sizeof *s->pivots);
    size_t slot = elements_of(band) + cls_band_stream_state(band);

    if (!s) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a window on a band");
    s->slots = band->capacity / band->block;
    s->come = cls_alloc((size_t)s->slots, sizeof(cls_event *));
    s->gone = cls_alloc((size_t)s->slots, sizeof(cls_event *));
    s->used = cls_alloc((size_t)s->slots, sizeof(cls_event *));
    s->locals = cls_alloc((size_t)band->block, sizeof *s->locals);
    if (there == 0 || wanted <= (double)there) {
        s->host = cls_alloc((size_t)band->n, (size_t)(band->window.ld * size));
        s->pivots = cls_alloc((size_t)band->n, sizeof *s->pivots);
    }
    if (!s->host || !s->pivots || !s->locals || !s->come || !s->gone || !s->used)
        return cls_fail(
            device->error, band->memory_limit > 0 ? CLSOLVE_ERROR_OUT_OF_MEMORY : CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
            "the factors of a band of order %lld want %.0f bytes: %s has no room for them, and the host, with "
            "%lld in all, has none either",
            (long long)band->n, wanted, device->info.name, (long long)there);
    s->host_bytes = band->n * (band->window.ld * size + (int64_t)sizeof *s->pivots);
    for (int r = 0; r < CLS_BAND_DOWN; ++r)
        CLS_TRY(device->ops->pinned_create(device, slot, &s->down[r].slot.pinned, &s->down[r].slot.memory));
    return CLSOLVE_OK;
}

void cls_band_stream_drop(cls_band *band) {
    cls_device *device = band->device;
    cls_band_stream *s = band->stream;

    if (!s) return;
    for (int q = 0; q < CLS_QUEUES; ++q) (void)device->ops->finish(device, (cls_queue)q);
    for (int r = 0; r < CLS_BAND_RING; ++r) forget(device, &band->up[r].busy);
    for (int r = 0; r < CLS_BAND_DOWN; ++r) {
        cls_pool_wait(band->pool, &s->down[r].job);
        forget(device, &s->down[r].slot.busy);
        s->down[r].slot.width = 0;
    }
    for (int64_t k = 0; k < s->slots; ++k) {
        if (s->come) forget(device, &s->come[k]);
        if (s->gone) forget(device, &s->gone[k]);
        if (s->used) forget(device, &s->used[k]);
    }
}

void cls_band_stream_release(cls_band *band) {
    cls_band_stream *s = band->stream;

    if (!s) return;
    cls_band_stream_drop(band);
    for (int r = 0; r < CLS_BAND_DOWN; ++r) band->device->ops->pinned_destroy(band->device, s->down[r].slot.pinned);
    cls_free(s->come);
    cls_free(s->gone);
    cls_free(s->used);
    cls_free(s->host);
    cls_free(s->pivots);
    cls_free(s->locals);
    cls_free(s);
    band->stream = NULL;
}

void *cls_band_stream_column(const cls_band *band, int64_t j) {
    return band->stream->host + j * band->window.ld * cls_type_size(band->type);
}

void *cls_band_stream_element(const cls_band *band, int64_t i, int64_t j) {
    return (char *)cls_band_stream_column(band, j) + (band->top + i - j) * cls_type_size(band->type);
}

int64_t cls_band_stream_bytes(const cls_band *band) {
    return band->stream ? band->stream->host_bytes : 0;
}
