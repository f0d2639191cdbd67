#include "device/staging_lane.h"

enum {
    PIECES = 8,      /* a rectangle of few bytes is cut into so many, so that as many threads have one */
    LINE = 64,       /* bytes of a cache's line */
    INLINE_PART = 16 /* what the driving thread copies by itself: less than this part of a slot */
};

cls_pool *cls_device_pool(cls_device *device) {
    if (!device->pool && device->threads > 0) device->pool = cls_pool_create(device->threads);
    return device->pool;
}

/* ---- slots ---- */

static void pack(void *what, int64_t part) {
    cls_slot *s = what;
    (void)part;
    cls_rect_pack(s->memory, s->host, &s->piece);
}

static void unpack(void *what, int64_t part) {
    cls_slot *s = what;
    (void)part;
    cls_rect_unpack(s->host, s->memory, &s->piece, s->past_caches);
}

static void post(cls_device *device, cls_slot *s) {
    const size_t bytes = s->piece.bytes * s->piece.columns;
    cls_pool *pool = bytes < device->staging_bytes / INLINE_PART ? NULL : cls_device_pool(device);
    cls_pool_post(pool, &s->job);
    if (!pool) s->job.posted = 0;
}

/* The slot's crossing is over, and its copy. */
static clsolve_status slot_wait(cls_device *device, cls_slot *s) {
    cls_event *busy = s->busy;
    s->busy = NULL;
    cls_pool_wait(device->pool, &s->job);
    if (!busy) return CLSOLVE_OK;
    clsolve_status status = device->ops->event_wait(device, busy);
    device->ops->event_release(device, busy);
    return status;
}

/* An idle lane goes on with a slot that is there and free: to make one takes a millisecond, and few are used by short
 * transfers, one after the other. */
static void go_on_with_a_free_slot(cls_device *device, cls_lane *l) {
    if (l->head || l->first != l->second) return;
    for (int64_t s = 0; s < l->count && l->slots[s].pinned; s++) {
        cls_slot *one = &l->slots[s];
        if (!cls_pool_is_over(device->pool, &one->job)) continue;
        if (one->busy && !device->ops->event_is_over(device, one->busy)) continue;
        l->first = l->second = s;
        return;
    }
}

/* Makes the slot of the next piece. Without memory for one more the lane goes on with those before it, which are all
 * there are: no slot was used before all before it. *made is false then. */
static clsolve_status make_slot(cls_device *device, cls_lane *l, bool *made) {
    cls_slot *s = cls_slot_of(l, l->first);
    void *memory;

    *made = true;
    if (s->pinned) return CLSOLVE_OK;
    const cls_error first = *device->error;
    clsolve_status status = device->ops->pinned_create(device, l->bytes, &s->pinned, &memory);
    *made = status == CLSOLVE_OK;
    if (*made) s->memory = memory;
    if (*made || s == l->slots) return status;
    *device->error = first;
    l->count = s - l->slots;
    return CLSOLVE_OK;
}

/* The slot for the piece `number`, free, with the next piece of the move in it. */
static clsolve_status take_slot(cls_device *device, cls_lane *l, int64_t number, cls_move *m) {
    cls_slot *s = cls_slot_of(l, number);
    cls_rect piece, behind;
    size_t at, there;

    if (!cls_rect_piece(&m->rect, m->each, m->next, &piece, &at)) return CLSOLVE_OK; /* no rectangle here is empty */
    CLS_TRY(slot_wait(device, s)); /* its copy reads the piece before */
    s->piece = piece;
    s->host = m->host + at;
    s->move = m;
    s->is_first = m->next++ == 0;
    m->more = cls_rect_piece(&m->rect, m->each, m->next, &behind, &there);
    s->is_last = !m->more;
    return CLSOLVE_OK;
}

/* The driver's copy between a slot and the device. The whole is counted, and not its pieces. */
static clsolve_status cross(cls_device *device, cls_way way, cls_slot *s) {
    cls_counters counters = device->counters;
    const cls_move *m = s->move;
    cls_rect packed = s->piece;

    packed.host_pitch = packed.bytes;
    const cls_wait *wait = s->is_first ? m->wait : NULL; /* the queue runs in order */
    clsolve_status status = way == CLS_WAY_UP
                                ? device->ops->write(device, m->queue, m->buffer, s->memory, &packed, wait, &s->busy)
                                : device->ops->read(device, m->queue, m->buffer, s->memory, &packed, wait, &s->busy);
    device->counters = counters;
    CLS_TRY(status);
    return device->ops->flush(device, m->queue);
}

/* ---- lanes ---- */

size_t cls_piece_bytes(const cls_rect *rect, size_t slot_bytes) {
    size_t each = (rect->bytes * rect->columns / PIECES + LINE - 1) / LINE * LINE, least = slot_bytes / 4;
    return each >= slot_bytes || least == 0 ? slot_bytes : each < least ? least : each;
}

void cls_lane_append(cls_device *device, cls_lane *l, cls_move *m) {
    go_on_with_a_free_slot(device, l);
    m->next = 0;
    m->more = 1;
    m->after = NULL;
    if (l->tail)
        l->tail->after = m;
    else
        l->head = m;
    l->tail = m;
}

/* The head's next piece has a slot now. */
static void next_piece(cls_lane *l) {
    if (l->head->more) return;
    l->head = l->head->after;
    if (!l->head) l->tail = NULL;
}

clsolve_status cls_lane_give(cls_device *device, cls_lane *l, bool wait) {
    bool made;
    while (l->head && l->first - l->second < l->count) {
        cls_slot *s = cls_slot_of(l, l->first);
        if (s->busy && !(wait && l->second == l->first) && !device->ops->event_is_over(device, s->busy)) break;
        CLS_TRY(make_slot(device, l, &made));
        if (!made) continue;
        CLS_TRY(take_slot(device, l, l->first, l->head));
        s->job = (cls_job){.work = pack, .what = s, .parts = 1};
        post(device, s);
        l->first++;
        next_piece(l);
    }
    return CLSOLVE_OK;
}

clsolve_status cls_lane_send(cls_device *device, cls_lane *l) {
    cls_slot *s = cls_slot_of(l, l->second);

    cls_pool_wait(device->pool, &s->job);
    CLS_TRY(cross(device, CLS_WAY_UP, s));
    l->second++;
    if (s->is_last && s->move->marked) return device->ops->mark(device, s->move->queue, &s->move->done);
    return CLSOLVE_OK;
}

clsolve_status cls_lane_fetch(cls_device *device, cls_lane *l, bool wait) {
    bool made;
    while (l->head && l->first - l->second < l->count) {
        cls_slot *s = cls_slot_of(l, l->first);
        if (!(wait && l->second == l->first) && !cls_pool_is_over(device->pool, &s->job)) break;
        CLS_TRY(make_slot(device, l, &made));
        if (!made) continue;
        CLS_TRY(take_slot(device, l, l->first, l->head));
        CLS_TRY(cross(device, CLS_WAY_DOWN, s));
        l->first++;
        next_piece(l);
    }
    return CLSOLVE_OK;
}

/* The threads that pack and those that unpack then share the memory, which bounds both (docs/findings/transfers.md). */
static bool goes_up(const cls_device *device) {
    const cls_lane *up = &device->staging->large[CLS_WAY_UP];
    return up->head || up->second < up->first;
}

clsolve_status cls_lane_deliver(cls_device *device, cls_lane *l) {
    cls_slot *s = cls_slot_of(l, l->second);

    CLS_TRY(slot_wait(device, s));
    s->past_caches = goes_up(device);
    s->job = (cls_job){.work = unpack, .what = s, .parts = 1};
    post(device, s);
    l->second++;
    return CLSOLVE_OK;
}

void cls_lane_wait_for_copies(cls_device *device, cls_lane *l) {
    for (int64_t s = 0; s < l->count; s++) cls_pool_wait(device->pool, &l->slots[s].job);
}

void cls_lane_settle(cls_device *device, cls_lane *l) {
    cls_error first = *device->error;
    for (int64_t s = 0; s < l->count; s++) (void)slot_wait(device, &l->slots[s]);
    l->first = l->second = 0;
    l->head = l->tail = NULL;
    *device->error = first;
}

void cls_lane_destroy(cls_device *device, cls_lane *l) {
    for (int64_t s = 0; s < l->count; s++) device->ops->pinned_destroy(device, l->slots[s].pinned);
}
