#define _DEFAULT_SOURCE /* mincore */

#include "device/staging.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"

enum {
    PIECES = 8,              /* a rectangle of few bytes is cut into so many, so that as many threads have one */
    SMALL_BYTES = 64 * 1024, /* of a slot for transfers of one piece */
    SMALL_SLOTS = 2,
    LINE = 64, /* bytes of a cache's line */
    MOST_SLOTS = 32,
    INLINE_PART = 16 /* what the driving thread copies by itself: less than this part of a slot */
};

/* ---- slots ---- */

typedef struct slot {
    cls_pinned *pinned;
    char *memory;
    cls_event *busy; /* its crossing, when it is enqueued and may not be over */
    cls_job job;     /* the copy between it and the caller's memory */
    cls_rect piece;
    char *host;     /* where the piece lies in the caller's memory */
    cls_move *move; /* whose it is */
    bool is_first, is_last;
} slot;

/* Slots of one way, used in turn. Piece number p is in slot p % count. */
typedef struct lane {
    slot slots[MOST_SLOTS];
    int64_t count;
    size_t bytes;          /* of a slot */
    int64_t first;         /* up: pieces that were given to a thread; down: whose crossing was enqueued */
    int64_t second;        /* up: whose crossing was enqueued; down: that were given to a thread */
    cls_move *head, *tail; /* up: the moves with pieces that were not given to a thread */
} lane;

struct cls_staging {
    lane large[2], small[2]; /* by cls_way */
    cls_pinned *scratch;
    void *scratch_memory;
    size_t scratch_bytes;
};

static void pack(void *what, int64_t part) {
    slot *s = what;
    (void)part;
    cls_rect_pack(s->memory, s->host, &s->piece);
}

static void unpack(void *what, int64_t part) {
    slot *s = what;
    (void)part;
    cls_rect_unpack(s->host, s->memory, &s->piece);
}

static slot *slot_of(lane *l, int64_t piece) {
    return &l->slots[piece % l->count];
}

cls_pool *cls_device_pool(cls_device *device) {
    if (!device->pool && device->threads > 0) device->pool = cls_pool_create(device->threads);
    return device->pool;
}

static void post(cls_device *device, slot *s) {
    const size_t bytes = s->piece.bytes * s->piece.columns;
    cls_pool *pool = bytes < device->staging_bytes / INLINE_PART ? NULL : cls_device_pool(device);
    cls_pool_post(pool, &s->job);
    if (!pool) s->job.posted = 0;
}

/* The slot's crossing is over, and its copy. */
static clsolve_status slot_wait(cls_device *device, slot *s) {
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
static void go_on_with_a_free_slot(cls_device *device, lane *l) {
    if (l->head || l->first != l->second) return;
    for (int64_t s = 0; s < l->count && l->slots[s].pinned; s++) {
        slot *one = &l->slots[s];
        if (!cls_pool_is_over(device->pool, &one->job)) continue;
        if (one->busy && !device->ops->event_is_over(device, one->busy)) continue;
        l->first = l->second = s;
        return;
    }
}

/* The slot for the piece `number`, free, with the next piece of the move in it. */
static clsolve_status take_slot(cls_device *device, lane *l, int64_t number, cls_move *m) {
    slot *s = slot_of(l, number);
    cls_rect piece, behind;
    size_t at, there;
    void *memory;

    if (!cls_rect_piece(&m->rect, m->each, m->next, &piece, &at)) return CLSOLVE_OK; /* no rectangle here is empty */
    CLS_TRY(slot_wait(device, s)); /* its copy reads the piece before */
    if (!s->pinned) {
        CLS_TRY(device->ops->pinned_create(device, l->bytes, &s->pinned, &memory));
        s->memory = memory;
    }
    s->piece = piece;
    s->host = m->host + at;
    s->move = m;
    s->is_first = m->next++ == 0;
    m->more = cls_rect_piece(&m->rect, m->each, m->next, &behind, &there);
    s->is_last = !m->more;
    return CLSOLVE_OK;
}

/* The driver's copy between a slot and the device. The whole is counted, and not its pieces. */
static clsolve_status cross(cls_device *device, cls_way way, slot *s) {
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

/* ---- up ---- */

/* Gives pieces to threads as far as slots are free. What is packed is to cross before this thread waits for a slot that
 * still crosses: so only where nothing is packed, and `wait` allows. */
static clsolve_status give(cls_device *device, lane *l, bool wait) {
    while (l->head && l->first - l->second < l->count) {
        cls_move *m = l->head;
        slot *s = slot_of(l, l->first);
        if (s->busy && !(wait && l->second == l->first) && !device->ops->event_is_over(device, s->busy)) break;
        CLS_TRY(take_slot(device, l, l->first, m));
        s->job = (cls_job){.work = pack, .what = s, .parts = 1};
        post(device, s);
        l->first++;
        if (m->more) continue;
        l->head = m->after;
        if (!l->head) l->tail = NULL;
    }
    return CLSOLVE_OK;
}

/* The next packed piece crosses. */
static clsolve_status send(cls_device *device, lane *l) {
    slot *s = slot_of(l, l->second);

    cls_pool_wait(device->pool, &s->job);
    CLS_TRY(cross(device, CLS_WAY_UP, s));
    l->second++;
    if (s->is_last && s->move->marked) return device->ops->mark(device, s->move->queue, &s->move->done);
    return CLSOLVE_OK;
}

static void append(cls_device *device, lane *l, cls_move *m) {
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

/* Until the move, and all before it, has been enqueued. Behind it nothing may be posted yet where it has no event. */
static clsolve_status drive(cls_device *device, lane *l, const cls_move *m) {
    while (m->more || (m->marked ? !m->done : l->second < l->first)) {
        CLS_TRY(give(device, l, true));
        if (l->second < l->first) CLS_TRY(send(device, l));
    }
    return CLSOLVE_OK;
}

/* ---- down ---- */

/* What was posted goes on while something else comes down. */
static clsolve_status go_on_up(cls_device *device) {
    lane *up = &device->staging->large[CLS_WAY_UP];
    return up->head || up->second < up->first ? cls_staging_poll(device) : CLSOLVE_OK;
}

static clsolve_status move_down(cls_device *device, lane *l, cls_move *m) {
    go_on_with_a_free_slot(device, l);
    const int64_t begin = l->first;

    for (m->more = 1; m->more || l->second < l->first;) {
        while (m->more && l->first - l->second < l->count) {
            slot *s = slot_of(l, l->first);
            /* What has crossed is to be copied out before this thread waits for a slot that is copied out. */
            if (l->second < l->first && !cls_pool_is_over(device->pool, &s->job)) break;
            CLS_TRY(take_slot(device, l, l->first, m));
            CLS_TRY(cross(device, CLS_WAY_DOWN, s));
            l->first++;
        }
        CLS_TRY(go_on_up(device));
        slot *s = slot_of(l, l->second);
        CLS_TRY(slot_wait(device, s));
        s->job = (cls_job){.work = unpack, .what = s, .parts = 1};
        post(device, s);
        l->second++;
    }
    for (int64_t piece = begin; piece < l->first; piece++) cls_pool_wait(device->pool, &slot_of(l, piece)->job);
    return CLSOLVE_OK;
}

/* ---- both ---- */

/* Nothing is in work or on its way any more. What the wait says is nobody's affair: the message stays. */
static void settle(cls_device *device, lane *l) {
    cls_error first = *device->error;
    for (int64_t s = 0; s < l->count; s++) (void)slot_wait(device, &l->slots[s]);
    l->first = l->second = 0;
    l->head = l->tail = NULL;
    *device->error = first;
}

/* After a failure, also of one that left a crossing without an event. */
static void stop(cls_device *device, lane *l, cls_queue queue) {
    cls_error first = *device->error;
    settle(device, l);
    (void)device->ops->finish(device, queue);
    *device->error = first;
}

/* Memory that nobody has touched comes into being page by page while it is written; in large pages far faster. */
static void ask_for_large_pages(char *host, size_t bytes) {
    unsigned char resident = 1;
    long page = sysconf(_SC_PAGESIZE);
    if (page <= 0) return;
    uintptr_t begin = ((uintptr_t)host + (uintptr_t)page - 1) & ~((uintptr_t)page - 1);
    if (bytes < (size_t)(2 * page) || mincore((void *)begin, (size_t)page, &resident) != 0 || (resident & 1)) return;
    cls_large_pages(host, bytes);
}

/* Slots for twice as many pieces as there are threads, so that half of them cross. */
static cls_staging *staging_of(cls_device *device) {
    if (device->staging) return device->staging;
    cls_staging *made = cls_alloc(1, sizeof *made);
    int64_t count = 2 * (int64_t)device->threads + 2;
    for (int way = 0; made && way < 2; way++) {
        made->large[way].count = count < MOST_SLOTS ? count : MOST_SLOTS;
        made->large[way].bytes = device->staging_bytes;
        made->small[way].count = SMALL_SLOTS;
        made->small[way].bytes = device->staging_bytes < SMALL_BYTES ? device->staging_bytes : SMALL_BYTES;
    }
    return device->staging = made;
}

/* Large enough for the bus's full speed, small enough that all threads have some; no element is in two. */
static size_t piece_bytes(const cls_rect *rect, size_t slot_bytes) {
    size_t each = (rect->bytes * rect->columns / PIECES + LINE - 1) / LINE * LINE, least = slot_bytes / 4;
    return each >= slot_bytes || least == 0 ? slot_bytes : each < least ? least : each;
}

/* The lane for a rectangle, and what a piece of it is in that. */
static clsolve_status lane_for(cls_device *device, cls_way way, cls_move *m, lane **l) {
    cls_staging *staging = staging_of(device);

    if (!staging) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for staging slots");
    bool small = m->rect.bytes * m->rect.columns <= staging->small[way].bytes;
    *l = small ? &staging->small[way] : &staging->large[way];
    m->each = small ? (*l)->bytes : piece_bytes(&m->rect, (*l)->bytes);
    return CLSOLVE_OK;
}

clsolve_status cls_staging_write(cls_device *device, cls_queue queue, cls_buffer *to, const void *host,
                                 const cls_rect *rect, const cls_wait *wait, cls_event **done) {
    cls_move m = {.queue = queue, .buffer = to, .host = (char *)(uintptr_t)host, .rect = *rect, .wait = wait};
    lane *l = NULL;

    CLS_TRY(lane_for(device, CLS_WAY_UP, &m, &l));
    append(device, l, &m);
    clsolve_status status = drive(device, l, &m);
    if (status == CLSOLVE_OK && done) status = device->ops->mark(device, queue, done);
    if (status != CLSOLVE_OK) stop(device, l, queue);
    return status;
}

clsolve_status cls_staging_read(cls_device *device, cls_queue queue, cls_buffer *from, void *host, const cls_rect *rect,
                                const cls_wait *wait, cls_event **done) {
    cls_move m = {.queue = queue, .buffer = from, .host = host, .rect = *rect, .wait = wait};
    lane *l = NULL;

    CLS_TRY(lane_for(device, CLS_WAY_DOWN, &m, &l));
    ask_for_large_pages(host, cls_rect_host_span(rect));
    clsolve_status status = move_down(device, l, &m);
    if (status == CLSOLVE_OK && done) status = device->ops->mark(device, queue, done);
    if (status != CLSOLVE_OK) stop(device, l, queue);
    return status;
}

clsolve_status cls_staging_scratch(cls_device *device, size_t bytes, void **memory) {
    cls_staging *staging = staging_of(device);

    if (!staging) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for staging");
    if (bytes > staging->scratch_bytes) {
        device->ops->pinned_destroy(device, staging->scratch);
        staging->scratch = NULL;
        staging->scratch_bytes = 0;
        CLS_TRY(device->ops->pinned_create(device, bytes, &staging->scratch, &staging->scratch_memory));
        staging->scratch_bytes = bytes;
    }
    *memory = staging->scratch_memory;
    return CLSOLVE_OK;
}

/* ---- posted ---- */

clsolve_status cls_staging_post(cls_device *device, cls_move *move) {
    const cls_rect *r = &move->rect;

    if (device->ops->reaches(device, move->host, cls_rect_host_span(r)))
        return device->ops->write(device, move->queue, move->buffer, move->host, r, NULL, &move->done);
    CLS_TRY(staging_of(device) ? CLSOLVE_OK
                               : cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for staging"));
    lane *l = &device->staging->large[CLS_WAY_UP]; /* one for all of them, so that their order stays */
    move->each = piece_bytes(r, l->bytes);
    move->marked = 1;
    append(device, l, move);
    device->counters.transfers_up++;
    device->counters.bytes_up += (int64_t)(r->bytes * r->columns);
    return CLSOLVE_OK;
}

clsolve_status cls_staging_poll(cls_device *device) {
    if (!device->staging) return CLSOLVE_OK;
    lane *l = &device->staging->large[CLS_WAY_UP];
    do {
        CLS_TRY(give(device, l, false));
        if (l->second == l->first || !cls_pool_is_over(device->pool, &slot_of(l, l->second)->job)) break;
        CLS_TRY(send(device, l));
    } while (l->head || l->second < l->first);
    return CLSOLVE_OK;
}

clsolve_status cls_staging_reach(cls_device *device, cls_move *move) {
    return move->done ? CLSOLVE_OK : drive(device, &device->staging->large[CLS_WAY_UP], move);
}

void cls_staging_drop(cls_device *device, cls_queue queue) {
    if (device->staging) stop(device, &device->staging->large[CLS_WAY_UP], queue);
}

void cls_staging_settle(cls_device *device) {
    for (int way = 0; device->staging && way < 2; way++) {
        settle(device, &device->staging->large[way]);
        settle(device, &device->staging->small[way]);
    }
}

static void lane_destroy(cls_device *device, lane *l) {
    for (int64_t s = 0; s < l->count; s++) device->ops->pinned_destroy(device, l->slots[s].pinned);
}

void cls_staging_destroy(cls_device *device) {
    cls_staging_settle(device);
    for (int way = 0; device->staging && way < 2; way++) {
        lane_destroy(device, &device->staging->large[way]);
        lane_destroy(device, &device->staging->small[way]);
    }
    if (device->staging) device->ops->pinned_destroy(device, device->staging->scratch);
    cls_free(device->staging);
    cls_pool_destroy(device->pool);
    device->staging = NULL;
    device->pool = NULL;
}
