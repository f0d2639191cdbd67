#include "device/staging.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "device/staging_lane.h"

enum { SMALL_BYTES = 64 * 1024, SMALL_SLOTS = 2 }; /* slots for transfers of one piece */

/* ---- up ---- */

/* Until the move, and all before it, has been enqueued. Behind it nothing may be posted yet where it has no event. */
static clsolve_status drive(cls_device *device, cls_lane *l, const cls_move *m) {
    while (m->more || (m->marked ? !m->done : l->second < l->first)) {
        CLS_TRY(cls_lane_give(device, l, true));
        if (l->second < l->first) CLS_TRY(cls_lane_send(device, l));
    }
    return CLSOLVE_OK;
}

/* Posted moves go on as far as they can without a wait. */
static clsolve_status go_on_up(cls_device *device) {
    cls_lane *up = &device->staging->large[CLS_WAY_UP];

    do {
        CLS_TRY(cls_lane_give(device, up, false));
        if (up->second == up->first || !cls_pool_is_over(device->pool, &cls_slot_of(up, up->second)->job)) break;
        CLS_TRY(cls_lane_send(device, up));
    } while (up->head || up->second < up->first);
    return CLSOLVE_OK;
}

/* ---- down ---- */

static clsolve_status go_on_down(cls_device *device) {
    cls_lane *down = &device->staging->large[CLS_WAY_DOWN];

    do {
        CLS_TRY(cls_lane_fetch(device, down, false));
        if (down->second == down->first) break;
        const cls_slot *s = cls_slot_of(down, down->second);
        if (s->busy && !device->ops->event_is_over(device, s->busy)) break;
        CLS_TRY(cls_lane_deliver(device, down));
    } while (down->head || down->second < down->first);
    return CLSOLVE_OK;
}

/* Until all that the lane has is in its place. */
static clsolve_status land(cls_device *device, cls_lane *l) {
    while (l->head || l->second < l->first) {
        CLS_TRY(cls_lane_fetch(device, l, true));
        CLS_TRY(go_on_up(device));
        CLS_TRY(cls_lane_deliver(device, l));
    }
    cls_lane_wait_for_copies(device, l);
    return CLSOLVE_OK;
}

/* ---- both ---- */

/* After a failure, also of one that left a crossing without an event. */
static void stop(cls_device *device, cls_lane *l, cls_queue queue) {
    cls_error first = *device->error;
    cls_lane_settle(device, l);
    (void)device->ops->finish(device, queue);
    *device->error = first;
}

/* Memory that nobody has touched comes into being page by page while it is written; in large pages far faster. */
static void ask_for_large_pages(char *host, size_t bytes) {
    if (cls_host_untouched(host, bytes)) cls_large_pages(host, bytes);
}

/* Slots for twice as many pieces as there are threads, so that half of them cross. */
static cls_staging *staging_of(cls_device *device) {
    if (device->staging) return device->staging;
    cls_staging *made = cls_alloc(1, sizeof *made);
    int64_t count = 2 * (int64_t)device->threads + 2;
    for (int way = 0; made && way < 2; way++) {
        made->large[way].count = count < CLS_MOST_SLOTS ? count : CLS_MOST_SLOTS;
        made->large[way].bytes = device->staging_bytes;
        made->small[way].count = SMALL_SLOTS;
        made->small[way].bytes = device->staging_bytes < SMALL_BYTES ? device->staging_bytes : SMALL_BYTES;
    }
    return device->staging = made;
}

/* The lane for a rectangle, and what a piece of it is in that. */
static clsolve_status lane_for(cls_device *device, cls_way way, cls_move *m, cls_lane **l) {
    cls_staging *staging = staging_of(device);

    if (!staging) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for staging slots");
    bool small = m->rect.bytes * m->rect.columns <= staging->small[way].bytes;
    *l = small ? &staging->small[way] : &staging->large[way];
    m->each = small ? (*l)->bytes : cls_piece_bytes(&m->rect, (*l)->bytes);
    return CLSOLVE_OK;
}

clsolve_status cls_staging_write(cls_device *device, cls_queue queue, cls_buffer *to, const void *host,
                                 const cls_rect *rect, const cls_wait *wait, cls_event **done) {
    cls_move m = {.queue = queue, .buffer = to, .host = (char *)(uintptr_t)host, .rect = *rect, .wait = wait};
    cls_lane *l = NULL;

    CLS_TRY(lane_for(device, CLS_WAY_UP, &m, &l));
    cls_lane_append(device, l, &m);
    clsolve_status status = drive(device, l, &m);
    if (status == CLSOLVE_OK && done) status = device->ops->mark(device, queue, done);
    if (status != CLSOLVE_OK) stop(device, l, queue);
    return status;
}

clsolve_status cls_staging_read(cls_device *device, cls_queue queue, cls_buffer *from, void *host, const cls_rect *rect,
                                const cls_wait *wait, cls_event **done) {
    cls_move m = {.queue = queue, .buffer = from, .host = host, .rect = *rect, .wait = wait};
    cls_lane *l = NULL;

    CLS_TRY(lane_for(device, CLS_WAY_DOWN, &m, &l));
    ask_for_large_pages(host, cls_rect_host_span(rect));
    cls_lane_append(device, l, &m);
    clsolve_status status = land(device, l);
    if (status == CLSOLVE_OK && done) status = device->ops->mark(device, queue, done);
    if (status != CLSOLVE_OK) stop(device, l, queue);
    return status;
}

typedef struct straight {
    cls_way way;
    char *mapped, *host;
    const cls_rect *rect;
    size_t each;
} straight;

static void copy_piece(void *what, int64_t part) {
    const straight *s = what;
    cls_rect piece;
    size_t at;
    if (!cls_rect_piece(s->rect, s->each, (size_t)part, &piece, &at)) return;
    for (size_t c = 0; c < piece.columns; c++) {
        char *there = s->mapped + piece.device_offset + c * piece.device_pitch;
        char *here = s->host + at + c * piece.host_pitch;
        memcpy(s->way == CLS_WAY_UP ? there : here, s->way == CLS_WAY_UP ? here : there, piece.bytes);
    }
}

void cls_staging_copy(cls_device *device, cls_way way, char *mapped, char *host, const cls_rect *rect) {
    const size_t each = cls_piece_bytes(rect, device->staging_bytes), pieces = cls_rect_pieces(rect, each);
    straight s = {way, mapped, host, rect, each};
    cls_job job = {.work = copy_piece, .what = &s, .parts = (int64_t)pieces};
    if (way == CLS_WAY_DOWN) ask_for_large_pages(host, cls_rect_host_span(rect));
    cls_pool_run(pieces > 1 ? cls_device_pool(device) : NULL, &job);
}

clsolve_status cls_staging_scratch(cls_device *device, size_t bytes, void **memory) {
    cls_staging *staging = staging_of(device);

    if (!staging) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for staging");
    if (bytes > staging->scratch_bytes) {
        if (staging->scratch) CLS_TRY(device->ops->finish(device, CLS_COMPUTE)); /* what crosses from it */
        device->ops->pinned_destroy(device, staging->scratch);
        staging->scratch = NULL;
        staging->scratch_bytes = 0;
        CLS_TRY(device->ops->pinned_create(device, bytes, &staging->scratch, &staging->scratch_memory));
        staging->scratch_bytes = bytes;
    }
    *memory = staging->scratch_memory;
    return CLSOLVE_OK;
}

static size_t in_words(size_t bytes) {
    return (bytes + 15) / 16 * 16;
}

clsolve_status cls_staging_fetch(cls_device *device, const cls_fetch_part *parts, int count) {
    void *scratch = NULL;
    size_t all = 0, at = 0;
    clsolve_status status = CLSOLVE_OK;

    for (int p = 0; p < count; p++) all += in_words(parts[p].bytes);
    if (device->staged) CLS_TRY(cls_staging_scratch(device, all, &scratch));
    for (int p = 0; p < count && status == CLSOLVE_OK; p++, at += in_words(parts[p - 1].bytes)) {
        const size_t bytes = parts[p].bytes;
        const cls_rect rect = {bytes, 1, parts[p].at, bytes, bytes};
        void *to = scratch ? (char *)scratch + at : parts[p].to;
        status = device->ops->read(device, CLS_COMPUTE, parts[p].from, to, &rect, NULL, NULL);
    }
    const clsolve_status waited = device->ops->finish(device, CLS_COMPUTE); /* whatever is under way comes to its end */
    CLS_TRY(status);
    CLS_TRY(waited);
    at = 0;
    for (int p = 0; scratch && p < count; at += in_words(parts[p++].bytes))
        memcpy(parts[p].to, (char *)scratch + at, parts[p].bytes);
    return CLSOLVE_OK;
}

/* ---- posted ---- */

/* Memory that the bus reaches by itself: all of it is enqueued at once. */
static clsolve_status post_directly(cls_device *device, cls_move *move) {
    const cls_device_ops *ops = device->ops;
    return move->way == CLS_WAY_UP
               ? ops->write(device, move->queue, move->buffer, move->host, &move->rect, NULL, &move->done)
               : ops->read(device, move->queue, move->buffer, move->host, &move->rect, NULL, &move->done);
}

clsolve_status cls_staging_post(cls_device *device, cls_move *move) {
    const cls_rect *r = &move->rect;
    cls_counters *counters = &device->counters;
    const int up = move->way == CLS_WAY_UP;

    if (device->ops->reaches(device, move->host, cls_rect_host_span(r))) return post_directly(device, move);
    CLS_TRY(staging_of(device) ? CLSOLVE_OK
                               : cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for staging"));
    cls_lane *l = &device->staging->large[move->way]; /* one for all of them, so that their order stays */
    if (!up) ask_for_large_pages(move->host, cls_rect_host_span(r));
    move->each = cls_piece_bytes(r, l->bytes);
    move->marked = up;
    cls_lane_append(device, l, move);
    *(up ? &counters->transfers_up : &counters->transfers_down) += 1;
    *(up ? &counters->bytes_up : &counters->bytes_down) += (int64_t)(r->bytes * r->columns);
    return CLSOLVE_OK;
}

clsolve_status cls_staging_poll(cls_device *device) {
    if (!device->staging) return CLSOLVE_OK;
    CLS_TRY(go_on_up(device));
    return go_on_down(device);
}

void cls_staging_pause(cls_device *device) {
    cls_pool_pause(device->pool);
}

clsolve_status cls_staging_reach(cls_device *device, cls_move *move) {
    return move->done ? CLSOLVE_OK : drive(device, &device->staging->large[CLS_WAY_UP], move);
}

clsolve_status cls_staging_land(cls_device *device) {
    return device->staging ? land(device, &device->staging->large[CLS_WAY_DOWN]) : CLSOLVE_OK;
}

void cls_staging_drop(cls_device *device, cls_way way, cls_queue queue) {
    if (device->staging) stop(device, &device->staging->large[way], queue);
}

/* Waits until nothing crosses; no event is left behind. */
static void settle(cls_device *device) {
    for (int way = 0; device->staging && way < 2; way++) {
        cls_lane_settle(device, &device->staging->large[way]);
        cls_lane_settle(device, &device->staging->small[way]);
    }
}

void cls_staging_destroy(cls_device *device) {
    settle(device);
    for (int way = 0; device->staging && way < 2; way++) {
        cls_lane_destroy(device, &device->staging->large[way]);
        cls_lane_destroy(device, &device->staging->small[way]);
    }
    if (device->staging) device->ops->pinned_destroy(device, device->staging->scratch);
    cls_free(device->staging);
    cls_pool_destroy(device->pool);
    device->staging = NULL;
    device->pool = NULL;
}
