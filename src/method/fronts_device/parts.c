/*
 * parts.c: one matrix on several devices. Each device factors its subtrees, driven by a thread of its own, while
 * the others factor theirs. Then the rests of the subtrees come to the first device, which factors the top. Solves go
 * the same way up, and back:
 *
 *      device 0    subtrees --+-- top --+-- subtrees       what crosses: rests of the subtrees' roots, and of each
 *      device 1    subtrees --+         +-- subtrees       right-hand side the rows of subtrees and of borders
 *
 * A part has the numbers of all fronts and positions, but memory for its own factors and rests alone. Classes and
 * kernels are those of one device, so the bits are the same.
 *
 * Memory crosses between devices that reach each other (device/peer.h), else by the host's memory. The caller's thread
 * does that, while no other one drives a device.
 */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/type.h"
#include "device/peer.h"
#include "method/fronts_device/device.h"

/* With fewer operations, or a smaller gain, one device has all, unless its memory does not suffice. */
static const double least_operations = 1e11, least_gain = 1.15;

typedef struct cls_front_parts {
    cls_front_deal deal;
    cls_pool *drivers;
    int64_t devices;
    cls_sparse_device *part[CLS_DEVICES_MOST]; /* part d + 1 of the deal; NULL: the device has none */
    cls_joint there[CLS_DEVICES_MOST];         /* how device d fetches from the first one; */
    cls_joint here[CLS_DEVICES_MOST];          /* and the first one from it */
    clsolve_status status[CLS_DEVICES_MOST];
    void *host; /* a chunk on its way */
} cls_front_parts;

enum { CHUNK = 1 << 25 }; /* bytes that cross by the host's memory at a time */

static clsolve_status no_memory(const cls_sparse_device *sparse) {
    return cls_no_memory(sparse->device->error, "a matrix on several devices");
}

/* The failure of a device goes into the message of the first one. */
static clsolve_status tell(const cls_sparse_device *top, const cls_device *device, clsolve_status status) {
    const cls_error said = *device->error;
    if (status == CLSOLVE_OK || device == top->device) return status;
    return cls_fail(top->device->error, status, "device %s (%s): %.3800s", device->info.selector, device->info.name,
                    said.text);
}

/* ---- plans ---- */

static void find_ways(const cls_sparse_device *top) {
    cls_front_parts *others = top->others;
    for (int64_t d = 0; d < others->devices; d++) {
        if (!others->part[d] || others->part[d]->device == top->device) continue;
        others->there[d] = cls_device_joins(others->part[d]->device, top->device);
        others->here[d] = cls_device_joins(top->device, others->part[d]->device);
    }
}

void cls_front_parts_bound_sides(cls_sparse_device *top) {
    for (int64_t d = 0; top->others && d < top->others->devices; d++)
        if (top->others->part[d] && top->others->part[d]->most_sides < top->most_sides)
            top->most_sides = top->others->part[d]->most_sides;
}

/* Where contributions go through the host's memory, they take longer than what is gained. */
static int saves_time(const cls_sparse_device *top, const cls_sparse_company *company) {
    const cls_front_deal *deal = &top->others->deal;
    double operations = 0;
    for (int64_t p = 0; p <= company->count; p++) operations += deal->operations[p];
    if (company->always) return 1;
    for (int64_t d = 1; d < company->count; d++)
        if (deal->operations[d + 1] > 0 && cls_device_joins(top->device, company->devices[d]) != CLS_DIRECT) return 0;
    return operations >= least_operations && deal->gain >= least_gain;
}

/* sparse->others NULL, and OK: nothing is worth to be dealt out. */
static clsolve_status plan_parts(cls_sparse_device *sparse, const cls_sparse_company *company, int by_memory) {
    cls_front_parts *others = sparse->others = cls_alloc(1, sizeof *others);
    if (!others) return no_memory(sparse);
    *others = (cls_front_parts){.drivers = company->drivers, .devices = company->count};
    if (!cls_front_deal_make(sparse, company, by_memory, &others->deal)) return no_memory(sparse);
    if (others->deal.roots == 0 || (!by_memory && !saves_time(sparse, company))) {
        cls_front_parts_close(sparse);
        return CLSOLVE_OK;
    }
    for (int64_t r = 0; r < others->deal.roots; r++) {
        const int64_t d = others->deal.part_of[others->deal.root[r]] - 1;
        cls_device *device = company->devices[d];
        if (others->part[d]) continue;
        CLS_TRY(
            tell(sparse, device, cls_front_make_part(sparse, device, &others->deal, (int32_t)d + 1, &others->part[d])));
    }
    sparse->deal = &others->deal;
    sparse->beside = sparse->beside_free = others->part[0] ? others->part[0]->bytes : 0;
    CLS_TRY(cls_front_make_plan(sparse, cls_front_limit(sparse)));
    cls_front_parts_bound_sides(sparse);
    find_ways(sparse);
    return CLSOLVE_OK;
}

clsolve_status cls_front_parts_plan(cls_sparse_device *sparse, const cls_sparse_company *company,
                                    clsolve_status alone) {
    const int short_of = alone == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY || (alone == CLSOLVE_OK && sparse->streamed > 0);
    const double streamed = alone == CLSOLVE_OK ? sparse->streamed_bytes : HUGE_VAL;
    const cls_error before = *sparse->device->error;
    if (company->count == 1 || (alone != CLSOLVE_OK && !short_of)) return alone;
    const clsolve_status status = plan_parts(sparse, company, short_of);
    if (status == CLSOLVE_OK && !sparse->others) return alone;
    double left = 0;
    for (int64_t d = 0; d < company->count; d++) left += cls_front_share_of(sparse, d).streamed_bytes;
    if (status == CLSOLVE_OK && (short_of ? left < streamed : left == 0)) return CLSOLVE_OK;
    cls_front_parts_close(sparse);
    *sparse->device->error = before;
    return cls_front_make_plan(sparse, cls_front_limit(sparse));
}

cls_front_share cls_front_share_of(const cls_sparse_device *sparse, int64_t d) {
    const cls_front_parts *others = sparse->others;
    const cls_sparse_device *part = others && d < others->devices ? others->part[d] : NULL;
    cls_front_share share = {0, 0, 0};
    if (d == 0) share = (cls_front_share){1, sparse->bytes, sparse->streamed_bytes};
    if (!others) return share;
    double all = 0;
    for (int64_t p = 0; p <= others->devices; p++) all += others->deal.operations[p];
    share.operations = ((d == 0 ? others->deal.operations[0] : 0) + others->deal.operations[d + 1]) / all;
    share.bytes += part ? part->bytes : 0;
    share.streamed_bytes += part ? part->streamed_bytes : 0;
    return share;
}

/* ---- open, close ---- */

clsolve_status cls_front_parts_open(cls_sparse_device *sparse) {
    cls_front_parts *others = sparse->others;
    if (!others) return CLSOLVE_OK;
    for (int64_t d = 0; d < others->devices; d++)
        if (others->part[d]) CLS_TRY(tell(sparse, others->part[d]->device, cls_front_open(others->part[d])));
    const cls_sparse_device *beside = others->part[0];
    sparse->beside = beside ? beside->bytes : 0;
    sparse->beside_free = 0;
    return CLSOLVE_OK;
}

void cls_front_parts_close(cls_sparse_device *sparse) {
    cls_front_parts *others = sparse->others;
    if (!others) return;
    for (int64_t d = 0; d < others->devices; d++) cls_front_close(others->part[d]);
    cls_front_deal_free(&others->deal);
    cls_free(others->host);
    cls_free(others);
    sparse->others = NULL;
    sparse->deal = NULL;
    sparse->beside = sparse->beside_free = 0;
}

/* ---- memory on its way ---- */

typedef struct crossing {
    cls_sparse_device *top, *from, *to;
    int64_t d; /* of the part */
    cls_joint joint;
} crossing;

static crossing to_part(cls_sparse_device *top, int64_t d) {
    return (crossing){top, top, top->others->part[d], d, top->others->there[d]};
}

static crossing to_top(cls_sparse_device *top, int64_t d) {
    return (crossing){top, top->others->part[d], top, d, top->others->here[d]};
}

static clsolve_status by_host(const crossing *way, cls_buffer *from, cls_buffer *to, const cls_span *span) {
    cls_front_parts *others = way->top->others;
    if (!others->host) others->host = cls_alloc(CHUNK, 1);
    if (!others->host) return no_memory(way->top);
    for (size_t c = 0; c < span->columns; c++)
        for (size_t done = 0; done < span->bytes; done += CHUNK) {
            const size_t bytes = span->bytes - done < CHUNK ? span->bytes - done : CHUNK,
                         there = span->from_offset + c * span->from_pitch + done,
                         here = span->to_offset + c * span->to_pitch + done;
            CLS_TRY(
                tell(way->top, way->from->device, cls_bytes_get(way->from->device, from, there, others->host, bytes)));
            CLS_TRY(tell(way->top, way->to->device, cls_bytes_put(way->to->device, to, here, others->host, bytes)));
        }
    return CLSOLVE_OK;
}

/* All that has been done with both buffers was waited for. */
static clsolve_status cross(const crossing *way, cls_buffer *from, cls_buffer *to, const cls_span *span) {
    cls_device *device = way->to->device;
    if (span->bytes == 0 || span->columns == 0) return CLSOLVE_OK;
    if (device == way->from->device) return device->ops->copy_rect(device, CLS_COMPUTE, from, to, span);
    if (way->joint == CLS_APART) return by_host(way, from, to, span);
    return tell(way->top, device,
                device->ops->fetch(device, CLS_COMPUTE, way->from->device, from, to, span, NULL, NULL));
}

/* `rows` of all right-hand sides from `first` on, which lie `apart` elements from each other. */
static clsolve_status cross_rows(const crossing *way, cls_buffer *from, cls_buffer *to, int64_t first, int64_t rows,
                                 int64_t apart, int64_t sides) {
    const size_t size = (size_t)cls_type_size(way->to->type), pitch = (size_t)apart * size,
                 offset = (size_t)first * size;
    const cls_span span = {(size_t)rows * size, (size_t)sides, offset, pitch, offset, pitch};
    return cross(way, from, to, &span);
}

/* Subtree r is the part's. */
static int is_of(const crossing *way, int64_t r) {
    const cls_front_deal *deal = &way->top->others->deal;
    return deal->part_of[deal->root[r]] == way->d + 1;
}

/* The rows of the part's subtrees. */
static clsolve_status cross_subtrees(const crossing *way, int64_t sides) {
    const cls_sparse_device *top = way->top;
    const cls_front_deal *deal = &top->others->deal;
    const int64_t *first = top->symbolic->tree.first;
    for (int64_t r = 0; r < deal->roots; r++)
        if (is_of(way, r))
            CLS_TRY(cross_rows(way, way->from->x, way->to->x, first[deal->begin[r]],
                               first[deal->root[r] + 1] - first[deal->begin[r]], top->n, sides));
    return CLSOLVE_OK;
}

/* The rows of the top, which lie between subtrees. */
static clsolve_status cross_top(const crossing *way, int64_t sides) {
    const cls_sparse_device *top = way->top;
    const cls_front_deal *deal = &top->others->deal;
    const int64_t *first = top->symbolic->tree.first;
    int64_t from = 0;
    for (int64_t r = 0; r <= deal->roots; r++) {
        const int64_t to = r < deal->roots ? first[deal->begin[r]] : top->n;
        CLS_TRY(cross_rows(way, way->from->x, way->to->x, from, to - from, top->n, sides));
        if (r < deal->roots) from = first[deal->root[r] + 1];
    }
    return CLSOLVE_OK;
}

/* Their contributions to the rows of their borders. */
static clsolve_status cross_left(const crossing *way, int64_t sides) {
    const cls_sparse_device *top = way->top;
    const cls_front_deal *deal = &top->others->deal;
    for (int64_t r = 0; r < deal->roots; r++)
        if (is_of(way, r))
            CLS_TRY(cross_rows(way, way->from->left, way->to->left, cls_front_of(top, deal->root[r], CLS_RELATIVE),
                               cls_front_of(top, deal->root[r], CLS_BORDER), top->borders, sides));
    return CLSOLVE_OK;
}

static clsolve_status cross_rests(const crossing *way, int64_t sides) {
    const cls_sparse_device *top = way->top;
    const cls_front_deal *deal = &top->others->deal;
    const size_t size = (size_t)cls_type_size(top->type);
    (void)sides;
    for (int64_t r = 0; r < deal->roots; r++) {
        const int64_t s = deal->root[r], b = cls_front_of(top, s, CLS_BORDER);
        const size_t bytes = (size_t)(b * b) * size, from = (size_t)cls_front_of(way->from, s, CLS_REST) * size,
                     to = (size_t)cls_front_of(top, s, CLS_REST) * size;
        const cls_span span = {bytes, 1, from, bytes, to, bytes};
        if (is_of(way, r)) CLS_TRY(cross(way, way->from->rests, way->to->rests, &span));
    }
    return CLSOLVE_OK;
}

/* The same from all parts to the top, or the other way. */
static clsolve_status cross_all(cls_sparse_device *top, int to_the_top,
                                clsolve_status (*some)(const crossing *way, int64_t sides), int64_t sides) {
    for (int64_t d = 0; d < top->others->devices; d++) {
        if (!top->others->part[d]) continue;
        const crossing way = to_the_top ? to_top(top, d) : to_part(top, d);
        CLS_TRY(some(&way, sides));
    }
    return CLSOLVE_OK;
}

/* ---- all parts at once ---- */

typedef struct task {
    cls_sparse_device *top;
    clsolve_status (*work)(cls_sparse_device *part, const struct task *task);
    const double *value;
    int transposed;
    int64_t sides;
} task;

static void do_part(const task *t, int64_t d) {
    cls_front_parts *others = t->top->others;
    cls_sparse_device *part = others->part[d];
    others->status[d] = CLSOLVE_OK;
    if (!part) return;
    const clsolve_status status = t->work(part, t);
    const cls_error first = *part->device->error; /* the wait may overwrite it */
    const clsolve_status ended = part->device->ops->finish(part->device, CLS_COMPUTE);
    if (status != CLSOLVE_OK) *part->device->error = first;
    others->status[d] = status != CLSOLVE_OK ? status : ended;
}

static void do_peer(void *what, int64_t peer) {
    do_part(what, peer + 1);
}

static clsolve_status do_all(task *t) {
    cls_front_parts *others = t->top->others;
    cls_job peers = {.work = do_peer, .what = t, .parts = others->devices - 1};
    cls_pool_post(others->drivers, &peers);
    do_part(t, 0);
    cls_pool_wait(others->drivers, &peers);
    for (int64_t d = 0; d < others->devices; d++)
        if (others->status[d] != CLSOLVE_OK) return tell(t->top, others->part[d]->device, others->status[d]);
    return CLSOLVE_OK;
}

static clsolve_status settle(const cls_sparse_device *sparse) {
    return sparse->device->ops->finish(sparse->device, CLS_COMPUTE);
}

/* ---- factor ---- */

static clsolve_status factor_part(cls_sparse_device *part, const task *t) {
    return cls_front_factor_here(part, t->value);
}

clsolve_status cls_front_parts_factor(cls_sparse_device *sparse, const double *value) {
    cls_front_parts *others = sparse->others;
    task t = {.top = sparse, .work = factor_part, .value = value};
    if (!others) return CLSOLVE_OK;
    CLS_TRY(do_all(&t));
    return cross_all(sparse, 1, cross_rests, 0);
}

void cls_front_parts_count(cls_sparse_device *sparse) {
    const cls_front_parts *others = sparse->others;
    for (int64_t d = 0; others && d < others->devices; d++) {
        const cls_sparse_device *part = others->part[d];
        if (!part) continue;
        sparse->replaced_pivots += part->replaced_pivots;
        sparse->negative += part->negative;
        sparse->vanished |= part->vanished;
    }
}

clsolve_status cls_front_parts_pivots(cls_sparse_device *sparse, double *pivot, int64_t *row) {
    cls_front_parts *others = sparse->others;
    for (int64_t d = 0; others && d < others->devices; d++) {
        cls_sparse_device *part = others->part[d];
        if (part) CLS_TRY(tell(sparse, part->device, cls_front_pivots(part, pivot, row)));
    }
    return CLSOLVE_OK;
}

/* ---- solve ---- */

clsolve_status cls_front_parts_reserve(cls_sparse_device *sparse, int64_t sides) {
    cls_front_parts *others = sparse->others;
    if (!others || sides <= sparse->sides) return CLSOLVE_OK;
    CLS_TRY(settle(sparse)); /* a solve that failed may have left copies under way, on any device */
    for (int64_t d = 0; d < others->devices; d++) {
        cls_sparse_device *part = others->part[d];
        if (!part) continue;
        CLS_TRY(tell(sparse, part->device, settle(part)));
        CLS_TRY(tell(sparse, part->device, cls_front_take_sides(part, sides)));
    }
    return CLSOLVE_OK;
}

static clsolve_status go_up(cls_sparse_device *part, const task *t) {
    return cls_front_go_up(part, t->transposed, t->sides);
}

static clsolve_status go_down(cls_sparse_device *part, const task *t) {
    return cls_front_go_down(part, t->transposed, t->sides);
}

clsolve_status cls_front_parts_substitute(cls_sparse_device *sparse, int transposed, int64_t sides) {
    task t = {.top = sparse, .work = go_up, .transposed = transposed, .sides = sides};
    CLS_TRY(settle(sparse)); /* right-hand sides are there */
    CLS_TRY(cross_all(sparse, 0, cross_subtrees, sides));
    CLS_TRY(do_all(&t));
    CLS_TRY(cross_all(sparse, 1, cross_left, sides));
    CLS_TRY(cls_front_go_up(sparse, transposed, sides));
    CLS_TRY(cls_front_go_down(sparse, transposed, sides));
    CLS_TRY(settle(sparse));
    CLS_TRY(cross_all(sparse, 0, cross_top, sides));
    t.work = go_down;
    CLS_TRY(do_all(&t));
    CLS_TRY(cross_all(sparse, 1, cross_subtrees, sides));
    return settle(sparse);
}
