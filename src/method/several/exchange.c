#define _POSIX_C_SOURCE 200809L
/*
 * exchange.c: block columns on their way from the device that has them to the others. A device fetches from its peer by
 * itself, after the event that the peer's thread has posted. Elsewhere the owner's thread enqueues the way down to the
 * host's memory, in chunks, and posts their events; the others' threads look for them, and send chunk by chunk up.
 * Where the owner works in the host's memory itself, all is there already.
 *
 * The others wait for their way up when the next block column's turn has come, with all enqueued that they have to do
 * meanwhile. An owner has a few places in the host's memory by turns: one is free again when all have taken what was
 * there.
 */
#include "method/several/several.h"

#include "method/events.h"

#include <time.h>

enum { LEAST_CHUNK = 64 }; /* columns */

static int is_owner(const cls_several_part *part, int64_t k) {
    return part->several->owner[cls_several_at(part->several, k)] == part->number;
}

/* The rows first .. first+rows-1 of the block column b pass. */
static void rows_of(const cls_several *several, int64_t b, int64_t *first, int64_t *rows) {
    const int lower = several->half == CLS_LOWER_UNIT;
    *first = lower ? cls_several_column(several, b) : 0;
    *rows = lower ? several->n - *first : cls_several_column(several, b + 1);
}

static cls_ref own(const cls_several_part *part, int64_t b) {
    const cls_matrix window = cls_several_window(part, b);
    int64_t first, rows;
    rows_of(part->several, b, &first, &rows);
    return cls_matrix_at(&window, first, cls_several_column(part->several, b));
}

/* ---- a pass ---- */

clsolve_status cls_several_pass_begin(cls_several *several, cls_uplo half, int backward, int with_pivots) {
    several->half = half;
    several->backward = backward;
    several->with_pivots = with_pivots;
    for (int64_t k = 0; k < several->blocks; ++k) several->posts[k] = (cls_several_post){0};
    for (int from = 0; from < several->count; ++from) {
        cls_several_part *part = &several->parts[from];
        part->by_host = 0;
        part->coming = -1;
        part->sent = 0;
        for (int w = 0; w < CLS_SEVERAL_WAYS; ++w) part->way[w].holds = -1;
        for (int to = 0; to < several->count; ++to)
            part->by_host += to != from && several->parts[to].active && !several->peer[to * several->count + from];
    }
    return CLSOLVE_OK;
}

void cls_several_pass_end(cls_several *several) {
    for (int64_t k = 0; k < several->blocks; ++k) {
        cls_device *device = several->parts[several->owner[cls_several_at(several, k)]].lu.device;
        device->ops->event_release(device, several->posts[k].ready);
        for (int c = 0; c < CLS_SEVERAL_CHUNKS; ++c) device->ops->event_release(device, several->posts[k].chunks[c]);
        several->posts[k] = (cls_several_post){0};
    }
}

/* ---- posts ---- */

/* Until *number is at least `wanted`. */
static clsolve_status await(cls_several *several, const int *number, int wanted) {
    (void)pthread_mutex_lock(&several->lock);
    while (*number < wanted && !several->failed) (void)pthread_cond_wait(&several->changed, &several->lock);
    const int failed = several->failed;
    (void)pthread_mutex_unlock(&several->lock);
    return failed ? cls_several_stopped() : CLSOLVE_OK;
}

static void raise_number(cls_several *several, int *number) {
    (void)pthread_mutex_lock(&several->lock);
    ++*number;
    (void)pthread_cond_broadcast(&several->changed);
    (void)pthread_mutex_unlock(&several->lock);
}

clsolve_status cls_several_acknowledge(cls_several_part *part) {
    cls_several *several = part->several;
    cls_device *device = part->lu.device;

    if (part->coming < 0) return CLSOLVE_OK;
    CLS_TRY(device->ops->event_wait(device, part->slot[part->coming % CLS_SEVERAL_SLOTS].come));
    raise_number(several, &several->posts[part->coming].taken);
    part->coming = -1;
    return CLSOLVE_OK;
}

/* ---- the owner ---- */

/* Chunks of columns in which a block column of that width goes through the host's memory: while one goes up to another
 * device, the next comes down. */
static int64_t chunk_of(int64_t width) {
    const int64_t each = (width + CLS_SEVERAL_CHUNKS - 1) / CLS_SEVERAL_CHUNKS;
    return each < LEAST_CHUNK ? LEAST_CHUNK : each;
}

/* Begins the way down of the block column at place k into a place of the host's memory that is free. */
static clsolve_status send_down(cls_several_part *part, int64_t k, cls_several_way *way) {
    cls_several *several = part->several;
    cls_device *device = part->lu.device;
    cls_several_post *post = &several->posts[k];
    const int64_t b = cls_several_at(several, k), width = cls_several_width(several, b), chunk = chunk_of(width);
    const cls_ref at = own(part, b);
    int64_t first, rows;

    rows_of(several, b, &first, &rows);
    const size_t size = (size_t)cls_type_size(several->type), pitch = (size_t)rows * size;
    const cls_wait wait = {post->ready ? 1 : 0, &post->ready};
    const size_t word = sizeof(int64_t), column = (size_t)cls_several_column(several, b) * word;
    const size_t bytes = (size_t)width * word;
    const cls_rect pivots = {bytes, 1, column, bytes, bytes};

    post->host = way->host;
    post->pitch = pitch;
    post->pivots = way->pivots;
    if (several->with_pivots)
        CLS_TRY(device->ops->read(device, CLS_DOWN, part->lu.panel.ipiv, way->pivots, &pivots, &wait, NULL));
    for (int64_t c = 0; c < width; c += chunk) {
        const int64_t cols = width - c < chunk ? width - c : chunk;
        const cls_rect rect = {pitch, (size_t)cols, (size_t)(at.offset + c * at.ld) * size, (size_t)at.ld * size,
                               pitch};
        CLS_TRY(device->ops->read(device, CLS_DOWN, at.buffer, (char *)way->host + (size_t)c * pitch, &rect, &wait,
                                  &post->chunks[c / chunk]));
    }
    return device->ops->flush(device, CLS_DOWN);
}

static void post_chunks(cls_several *several, int64_t k) {
    (void)pthread_mutex_lock(&several->lock);
    several->posts[k].hosted = 1;
    (void)pthread_cond_broadcast(&several->changed);
    (void)pthread_mutex_unlock(&several->lock);
}

/* Posts the place of a block column that a device made in the host's memory: the others read it there. */
static void show(cls_several_part *part, int64_t k) {
    cls_several *several = part->several;
    cls_several_post *post = &several->posts[k];
    const int64_t b = cls_several_at(several, k);
    const cls_matrix window = cls_several_window(part, b);
    int64_t first, rows;

    rows_of(several, b, &first, &rows);
    post->host = cls_matrix_host(&window, first, cls_several_column(several, b));
    post->pitch = (size_t)(window.ld * cls_type_size(several->type));
    post_chunks(several, k);
}

/* A place of the host's memory is free again when all have taken what was there. The thread itself may be one of those.
 */
static clsolve_status await_place(cls_several_part *part, const cls_several_way *way) {
    if (way->holds < 0) return CLSOLVE_OK;
    CLS_TRY(cls_several_acknowledge(part));
    return await(part->several, &part->several->posts[way->holds].taken, part->by_host);
}

clsolve_status cls_several_offer(cls_several_part *part, int64_t k, int made) {
    cls_several *several = part->several;
    cls_device *device = part->lu.device;
    cls_several_post *post = &several->posts[k];

    if (made) CLS_TRY(cls_queue_mark(device, CLS_COMPUTE, &post->ready));
    raise_number(several, &post->enqueued);
    if (part->by_host == 0) return CLSOLVE_OK;
    if (part->lu.panel.mapped) {
        show(part, k);
        return CLSOLVE_OK;
    }
    cls_several_way *way = &part->way[part->sent++ % CLS_SEVERAL_WAYS];
    CLS_TRY(await_place(part, way));
    way->holds = k;
    CLS_TRY(send_down(part, k, way));
    post_chunks(several, k);
    return CLSOLVE_OK;
}

/* ---- the others ---- */

/* Words of a list that both devices have, at the same place. */
static clsolve_status fetch_words(cls_several_part *part, cls_device *other, cls_buffer *from, cls_buffer *to,
                                  int64_t begin, int64_t count, const cls_wait *wait) {
    const size_t bytes = (size_t)count * sizeof(int64_t), offset = (size_t)begin * sizeof(int64_t);
    const cls_span span = {bytes, 1, offset, bytes, offset, bytes};
    return part->lu.device->ops->fetch(part->lu.device, CLS_UP, other, from, to, &span, wait, NULL);
}

static clsolve_status fetch_lists(cls_several_part *part, cls_several_part *owner, int64_t j, int64_t width,
                                  const cls_wait *wait) {
    const cls_panel *theirs = &owner->lu.panel, *ours = &part->lu.panel;
    cls_device *other = owner->lu.device;

    CLS_TRY(fetch_words(part, other, theirs->sources, ours->sources, 2 * j, 2 * width, wait));
    return fetch_words(part, other, theirs->targets, ours->targets, 2 * j, 2 * width, NULL);
}

/* From a peer, which has been told to make it. */
static clsolve_status fetch(cls_several_part *part, int64_t k, cls_several_slot *slot, cls_ref to) {
    cls_several *several = part->several;
    cls_device *device = part->lu.device;
    cls_several_post *post = &several->posts[k];
    const int64_t b = cls_several_at(several, k), width = cls_several_width(several, b);
    cls_several_part *owner = &several->parts[several->owner[b]];
    const cls_ref from = own(owner, b);
    const size_t size = (size_t)cls_type_size(several->type);
    cls_event *events[2] = {post->ready ? post->ready : slot->used, slot->used};
    const int32_t count = (post->ready ? 1 : 0) + (slot->used ? 1 : 0);
    const cls_wait wait = {count, events};
    int64_t first, rows;

    rows_of(several, b, &first, &rows);
    const cls_span span = {(size_t)rows * size,        (size_t)width,
                           (size_t)from.offset * size, (size_t)from.ld * size,
                           (size_t)to.offset * size,   (size_t)to.ld * size};
    if (several->with_pivots) CLS_TRY(fetch_lists(part, owner, cls_several_column(several, b), width, &wait));
    return device->ops->fetch(device, CLS_UP, owner->lu.device, from.buffer, to.buffer, &span, &wait, &slot->come);
}

static clsolve_status write_words(cls_several_part *part, cls_buffer *to, int64_t begin, const int64_t *words,
                                  int64_t count) {
    const size_t bytes = (size_t)count * sizeof *words;
    const cls_rect rect = {bytes, 1, (size_t)begin * sizeof *words, bytes, bytes};
    return part->lu.device->ops->write(part->lu.device, CLS_UP, to, words, &rect, NULL, NULL);
}

/* The pivots that another device's panel found, and the moves that they ask for, in this device's leaves. */
static clsolve_status send_lists(cls_several_part *part, int64_t k, cls_several_slot *slot) {
    cls_several *several = part->several;
    cls_panel *panel = &part->lu.panel;
    const int64_t b = cls_several_at(several, k), j = cls_several_column(several, b),
                  width = cls_several_width(several, b);
    const cls_panel *theirs = &several->parts[several->owner[b]].lu.panel;
    int64_t *sources = slot->lists, *targets = slot->lists + 2 * width;
    int *pivots = panel->mapped ? panel->host_pivots + j : slot->pivots;

    for (int64_t t = 0; t < width; ++t)
        pivots[t] = theirs->mapped ? theirs->host_pivots[j + t] : (int)several->posts[k].pivots[t];
    if (panel->mapped) return CLSOLVE_OK;
    cls_panel_list_moves(panel, pivots, j, width, sources, targets);
    CLS_TRY(write_words(part, panel->sources, 2 * j, sources, 2 * width));
    return write_words(part, panel->targets, 2 * j, targets, 2 * width);
}

/* Looks for itself whether the chunk has come down, for its owner's thread may have other things to do. A copy that
 * fails is over too; the owner finds that out. */
static clsolve_status await_chunk(cls_several_part *part, int64_t k, int64_t chunk) {
    const struct timespec moment = {0, 10000};
    cls_several *several = part->several;
    cls_device *owner = several->parts[several->owner[cls_several_at(several, k)]].lu.device;
    cls_event *event = several->posts[k].chunks[chunk];

    while (event && !owner->ops->event_is_over(owner, event)) {
        (void)pthread_mutex_lock(&several->lock);
        const int failed = several->failed;
        (void)pthread_mutex_unlock(&several->lock);
        if (failed) return cls_several_stopped();
        (void)nanosleep(&moment, NULL);
    }
    return CLSOLVE_OK;
}

static clsolve_status send_up(cls_several_part *part, int64_t k, cls_several_slot *slot, cls_ref to) {
    cls_several *several = part->several;
    cls_device *device = part->lu.device;
    cls_several_post *post = &several->posts[k];
    const int64_t b = cls_several_at(several, k), width = cls_several_width(several, b), chunk = chunk_of(width);
    const size_t size = (size_t)cls_type_size(several->type);
    const cls_wait wait = {slot->used ? 1 : 0, &slot->used};
    int64_t first, rows;

    CLS_TRY(await(several, &post->hosted, 1)); /* before anything of the post is read */
    rows_of(several, b, &first, &rows);
    for (int64_t c = 0; c < width; c += chunk) {
        const int64_t cols = width - c < chunk ? width - c : chunk;
        CLS_TRY(await_chunk(part, k, c / chunk));
        const cls_rect rect = {(size_t)rows * size, (size_t)cols, (size_t)(to.offset + c * to.ld) * size,
                               (size_t)to.ld * size, post->pitch};
        if (c == 0 && several->with_pivots) CLS_TRY(send_lists(part, k, slot));
        CLS_TRY(device->ops->write(device, CLS_UP, to.buffer, post->host + (size_t)c * post->pitch, &rect, &wait,
                                   c + cols == width ? &slot->come : NULL));
        CLS_TRY(device->ops->flush(device, CLS_UP));
    }
    part->coming = k;
    return CLSOLVE_OK;
}

clsolve_status cls_several_take(cls_several_part *part, int64_t k, cls_ref *at) {
    cls_several *several = part->several;
    cls_device *device = part->lu.device;
    const int64_t b = cls_several_at(several, k);
    cls_several_slot *slot = &part->slot[k % CLS_SEVERAL_SLOTS];
    const int peer = several->peer[part->number * several->count + several->owner[b]];

    CLS_TRY(cls_several_acknowledge(part));
    *at = is_owner(part, k) ? own(part, b) : cls_matrix_at(&slot->L, 0, 0);
    if (is_owner(part, k)) return CLSOLVE_OK;
    if (cls_several_home_takes(part)) {
        const int64_t j = cls_several_column(several, b);
        *at = cls_matrix_at(&several->home.lu.A, j, j);
    }
    if (peer) CLS_TRY(await(several, &several->posts[k].enqueued, 1));
    device->ops->event_release(device, slot->come);
    slot->come = NULL;
    CLS_TRY(peer ? fetch(part, k, slot, *at) : send_up(part, k, slot, *at));
    CLS_TRY(device->ops->flush(device, CLS_UP));
    return device->ops->queue_wait(device, CLS_COMPUTE, slot->come);
}

clsolve_status cls_several_used(cls_several_part *part, int64_t k, cls_queue queue) {
    cls_device *device = part->lu.device;
    cls_several_slot *slot = &part->slot[k % CLS_SEVERAL_SLOTS];

    if (is_owner(part, k)) return device->ops->flush(device, queue);
    return cls_queue_mark(device, queue, &slot->used);
}

/* ---- finished factors ---- */

clsolve_status cls_several_next(cls_several_part *part, int64_t k, cls_ref *at) {
    const cls_several *several = part->several;

    if (k == 0 && is_owner(part, 0)) CLS_TRY(cls_several_offer(part, 0, 0));
    if (k + 1 < several->blocks && is_owner(part, k + 1)) CLS_TRY(cls_several_offer(part, k + 1, 0));
    return part->active ? cls_several_take(part, k, at) : CLSOLVE_OK;
}
