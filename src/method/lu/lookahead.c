/*
 * lookahead.c: panels under the trailing update (J. Kurzak, J. Dongarra, Implementing linear algebra routines on multi-
 * core processors with pipelining and a look ahead, PARA 2006), a strip of columns looked ahead, the widest that
 * panel.c factors at once. Three queues:
 *
 *      COMPUTE  strip i | its update of strip i+1 | strip i+1                          | its update of strip i+2 | ...
 *      SOON                                       | its update of near columns         |
 *      BESIDE                                                       | far columns . . . . . . . . . . . . . . .
 *
 * Near are what is left of the strip's block and the block behind it, two where a block is one strip: SOON updates them
 * strip by strip, and COMPUTE waits for SOON before it touches the next but one strip. Far columns are updated by a
 * whole block when it is done: their rows are moved and solved for, the block column that is near next gets its
 * products at once, and the others in as many parts as the next block has strips, one beside each. So what COMPUTE has
 * between two strips never waits for more than a part where a device begins all groups of one kernel before those of
 * the next.
 *
 * What is beside a panel begins with it and not before: so its groups, which may have to run together, find room, and
 * the products take the rest of the device; and what BESIDE moves is no longer read by what SOON did for the strip
 * before.
 */
#include "method/lu/lu.h"

/* Columns of a strip whose leaves are narrower: beyond LARGE rows, where the products count for more than the
 * panels, the wide one. */
enum { STRIP = 128, WIDE_STRIP = 256, LARGE = 16384 };
enum { EVEN = 64 }; /* parts are multiples of so many columns */

typedef struct ahead {
    cls_lu *lu;
    int64_t begin, end;
    int64_t strip;
    int64_t near_blocks;    /* behind the one of the strip */
    int64_t p, q, from, to; /* the columns p .. q-1 of L are still to be multiplied into those from .. to-1 */
    cls_event *soon;        /* SOON has done what COMPUTE wants next; NULL: it wants nothing */
    cls_event *next;        /* BESIDE has brought up to date what is near next; NULL: nothing was to be */
} ahead;

static int64_t at_most(int64_t value, int64_t most) {
    return value < most ? value : most;
}

/* Where block column b begins. */
static int64_t column_at(const ahead *a, int64_t b) {
    return at_most(a->begin + b * a->lu->block, a->end);
}

/* Where the strip at c ends. */
static int64_t strip_end(const ahead *a, int64_t c) {
    return at_most(c + a->strip, column_at(a, (c - a->begin) / a->lu->block + 1));
}

/* What the columns p .. q-1 of L do to the columns from .. to-1: move rows, solve, multiply. */
static clsolve_status apply(cls_lu *lu, int64_t p, int64_t q, int64_t from, int64_t to) {
    if (from >= to) return CLSOLVE_OK;
    CLS_TRY(cls_lu_move_rows(lu, &lu->A, from, to, to, 0, p, q, 0));
    return cls_lu_update(lu, p, q - p, from, to);
}

/* ---- far columns ---- */

/* A part of the products, the one beside the strip that begins at k; none beside the first of several, which has
 * moves and solves beside it. */
static clsolve_status multiply_part(ahead *a, int64_t k, int first) {
    const int64_t block_end = column_at(a, (k - a->begin) / a->lu->block + 1);
    const int64_t parts = (block_end - k + a->strip - 1) / a->strip;
    int64_t columns = parts > 1 ? (a->to - a->from) / parts : a->to - a->from;

    if (first && parts > 1) return CLSOLVE_OK;
    columns = at_most((columns + EVEN - 1) / EVEN * EVEN, a->to - a->from);
    CLS_TRY(cls_lu_update_rest(a->lu, a->p, a->q - a->p, a->from, a->from + columns));
    a->from += columns;
    return CLSOLVE_OK;
}

/* Block b has just been done. */
static clsolve_status begin_far(ahead *a, int64_t b) {
    cls_lu *lu = a->lu;
    const int64_t j = column_at(a, b), end = column_at(a, b + 1);
    const int64_t first = column_at(a, b + 1 + a->near_blocks), rest = column_at(a, b + 2 + a->near_blocks);

    CLS_TRY(cls_lu_merge_moves(lu, j, end - j));
    if (first < a->end) {
        CLS_TRY(cls_lu_move_rows(lu, &lu->A, first, a->end, a->end, 0, j, end, 0));
        CLS_TRY(cls_lu_update(lu, j, end - j, first, rest));
        CLS_TRY(lu->device->ops->mark(lu->device, CLS_BESIDE, &a->next));
    }
    if (rest < a->end) CLS_TRY(cls_lu_update_rows(lu, j, end - j, rest, a->end));
    a->p = j, a->q = end;
    a->from = rest, a->to = a->end;
    return CLSOLVE_OK;
}

/* What is beside the strip at k, after the strip c .. k-1 of block b. */
static clsolve_status beside(ahead *a, int64_t b, int64_t c, int64_t k) {
    cls_lu *lu = a->lu;
    const cls_device_ops *ops = lu->device->ops;
    const int64_t j = column_at(a, b), end = column_at(a, b + 1);

    if (c > j) CLS_TRY(cls_lu_move_rows(lu, &lu->A, j, c, c, 0, c, k, 0));
    if (k == end) CLS_TRY(begin_far(a, b));
    if (a->soon && lu->device->beside) CLS_TRY(ops->queue_wait(lu->device, CLS_BESIDE, a->soon));
    CLS_TRY(multiply_part(a, k, k == end));
    if (k == end && b > 0) CLS_TRY(cls_lu_move_rows(lu, &lu->A, a->begin, j, j, 0, j, end, 0));
    return ops->flush(lu->device, CLS_BESIDE);
}

/* ---- near columns ---- */

/* What follows the strip c .. k-1 of block b. */
static clsolve_status soon(ahead *a, int64_t b, int64_t c, int64_t k) {
    cls_lu *lu = a->lu;
    const cls_device_ops *ops = lu->device->ops;

    if (a->next) CLS_TRY(ops->queue_wait(lu->device, CLS_SOON, a->next));
    ops->event_release(lu->device, a->next);
    a->next = NULL;
    CLS_TRY(apply(lu, c, k, strip_end(a, k), column_at(a, b + 1 + a->near_blocks)));
    CLS_TRY(ops->mark(lu->device, CLS_SOON, &a->soon));
    return ops->flush(lu->device, CLS_SOON);
}

/* ---- the strips ---- */

/* The next strip brought up to date by the one before it, c .. k-1. */
static clsolve_status bring_next(ahead *a, int64_t c, int64_t k) {
    cls_device *device = a->lu->device;

    if (a->soon) CLS_TRY(device->ops->queue_wait(device, CLS_COMPUTE, a->soon));
    device->ops->event_release(device, a->soon);
    a->soon = NULL;
    return apply(a->lu, c, k, k, strip_end(a, k));
}

/* What follows the strip c .. k-1: the next one, and beside it all else. */
static clsolve_status follow(ahead *a, int64_t c, int64_t k) {
    cls_lu *lu = a->lu;
    cls_device *device = lu->device;
    const cls_device_ops *ops = device->ops;
    cls_event *ready = NULL;
    const int64_t b = (c - a->begin) / lu->block, next = strip_end(a, k) - k;

    clsolve_status status = bring_next(a, c, k);
    if (status == CLSOLVE_OK) status = ops->mark(device, CLS_COMPUTE, &ready);
    if (status == CLSOLVE_OK && next > 0) status = cls_lu_panel(lu, k, next);
    if (status == CLSOLVE_OK) status = ops->flush(device, CLS_COMPUTE); /* not after what is beside it */
    if (status == CLSOLVE_OK) status = ops->queue_wait(device, CLS_SOON, ready);
    if (status == CLSOLVE_OK) status = ops->queue_wait(device, CLS_BESIDE, ready);
    device->blas_queue = CLS_SOON;
    if (status == CLSOLVE_OK) status = soon(a, b, c, k);
    device->blas_queue = CLS_BESIDE;
    if (status == CLSOLVE_OK) status = beside(a, b, c, k);
    device->blas_queue = CLS_COMPUTE;
    ops->event_release(device, ready);
    return status;
}

/* COMPUTE is done when BESIDE is; for SOON it has waited. */
static clsolve_status join(const ahead *a) {
    cls_device *device = a->lu->device;
    cls_event *done = NULL;

    clsolve_status status = device->ops->mark(device, CLS_BESIDE, &done);
    if (status == CLSOLVE_OK) status = device->ops->flush(device, CLS_BESIDE);
    if (status == CLSOLVE_OK) status = device->ops->queue_wait(device, CLS_COMPUTE, done);
    device->ops->event_release(device, done);
    return status;
}

clsolve_status cls_lu_factor_ahead(cls_lu *lu, int64_t begin, int64_t end, const clsolve_lu_options *options,
                                   cls_event **previous) {
    cls_device *device = lu->device;
    ahead a = {.lu = lu, .begin = begin, .end = end, .strip = lu->leaf};
    const int64_t wanted = lu->n > LARGE ? WIDE_STRIP : STRIP;

    if (begin >= end) return CLSOLVE_OK;
    if (a.strip < wanted) a.strip = wanted / lu->leaf * lu->leaf;
    a.near_blocks = a.strip < lu->block ? 1 : 2;
    clsolve_status status = cls_lu_panel(lu, begin, strip_end(&a, begin) - begin);
    for (int64_t c = begin, k; c < end && status == CLSOLVE_OK; c = k) {
        k = strip_end(&a, c);
        status = follow(&a, c, k);
        if (status == CLSOLVE_OK && (k == end || (k - begin) % lu->block == 0))
            status = cls_lu_tell(lu, options, k, previous);
    }
    if (status == CLSOLVE_OK) status = join(&a);
    device->ops->event_release(device, a.soon);
    device->ops->event_release(device, a.next);
    /* After a failure nothing may still run in memory that its owner gives back. */
    if (status != CLSOLVE_OK) {
        (void)device->ops->finish(device, CLS_SOON);
        (void)device->ops->finish(device, CLS_BESIDE);
    }
    return status;
}
