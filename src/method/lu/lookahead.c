/*
 * lookahead.c: panels under the trailing update (J. Kurzak, J. Dongarra, Implementing linear algebra routines on multi-
 * core processors with pipelining and a look ahead, PARA 2006), a strip of columns looked ahead, the widest that
 * the panel's room factors at once. Three queues:
 *
 *      COMPUTE  strip i | its update of strip i+1 | strip i+1                          | its update of strip i+2 | ...
 *      SOON                                       | its update of near columns         |
 *      BESIDE                                                       | far columns . . . . . . . . . . . . . . .
 *
 * Near are what is left of the strip's block and the block behind it, two where a block is one strip: SOON updates them
 * strip by strip, and COMPUTE waits for SOON before it touches the next but one strip. What they want from blocks
 * before, BESIDE has done by then.
 *
 * Far columns are not brought up to date block by block, right-looking, for then most of the products would come with
 * the first blocks, where they take longer than the panels, and few with the last ones, where little is beside the
 * panels. They come in Crout's order, as LAPACK's variant SRC/VARIANTS/lu/CR of getrf has it: when block b, rows and
 * columns p .. q-1, is done,
 *
 *      the columns that are near next      their rows are moved and solved for; block b is multiplied into all below
 *      the far columns behind them         their rows are moved; into the rows p .. q-1 all columns of L before p are
 *                                          multiplied, and these rows are solved for: they are rows of U now
 *      the first block column of those     into its rows from q on, all columns of L before q are multiplied
 *
 * which is as much for each block in the middle and less at either end. The last two are cut, along the columns of L,
 * into as many parts as the next block has strips but one, one beside each; moves are beside the first. So what
 * COMPUTE has between two strips never waits for more than a part where a device begins all groups of one kernel
 * before those of the next.
 *
 * Where the matrix still comes up (method/arrival.h), the far columns of a block are those that have come. The others are
 * brought up to date when they have: their rows are moved as all blocks before did, and solved for with all of L at
 * once. Of COMPUTE, SOON and BESIDE each waits for the columns that it is to touch.
 *
 * What is beside a panel begins with it and not before: so its groups, which may have to run together, find room, and
 * the products take the rest of the device; and what BESIDE moves is no longer read by what SOON did for the strip
 * before.
 */
#include "method/lu/arrival.h"

/* Columns of a strip whose leaves are narrower: beyond LARGE rows, where the products count for more than the
 * panels, the wide one. */
enum { STRIP = 128, WIDE_STRIP = 256, LARGE = 16384 };
enum { EVEN = 64 }; /* parts have multiples of so many columns of L */
enum { SOLVE = 8 }; /* a solve takes so many times a product's time, operation by operation */

typedef struct ahead {
    cls_lu *lu;
    int64_t begin, end;
    int64_t strip;
    int64_t near_blocks; /* behind the one of the strip */
    int64_t p, q;        /* the far columns' rows that become U's next */
    int64_t from, to;    /* the far columns */
    int64_t come;        /* the columns before this one have what far columns have; those behind it are not there yet */
    int64_t next_far;    /* those before this one get all their rows below brought up to date too */
    int64_t above, below; /* the columns of L before this one are multiplied into the rows p .. q-1; into those below */
    int solved;           /* 1: the rows p .. q-1 are solved for */
    cls_event *soon;      /* SOON has done what COMPUTE wants next; NULL: it wants nothing */
    cls_event *next;      /* BESIDE has brought up to date what is near next; NULL: nothing was to be */
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

/* What the columns p .. q-1 of L do, in that queue, to the columns from .. to-1: move rows, solve, multiply. */
static clsolve_status apply(cls_lu *lu, cls_queue queue, int64_t p, int64_t q, int64_t from, int64_t to) {
    if (from >= to) return CLSOLVE_OK;
    CLS_TRY(cls_panel_move_rows(&lu->panel, queue, &lu->A, from, to, to, 0, p, q, 0));
    return cls_lu_update(lu, queue, p, q - p, from, to);
}

/* ---- far columns ---- */

/* So many of `most` columns of L as take `share`, `each` column's operations. */
static int64_t part_of(double share, double each, int64_t most) {
    if (share >= each * (double)most) return most;
    return at_most(((int64_t)(share / each) + EVEN - 1) / EVEN * EVEN, most);
}

/* One of `parts` parts of what is left of the products and the solve. */
static clsolve_status do_part(ahead *a, int64_t parts) {
    cls_lu *lu = a->lu;
    const double across = (double)(a->q - a->p) * (double)(a->to - a->from);
    const double down = (double)(lu->rows - a->q) * (double)(a->next_far - a->from);
    const double solve = a->solved ? 0 : across * (double)(SOLVE * (a->q - a->p));
    double share = across * (double)(a->p - a->above) + solve + down * (double)(a->q - a->below);

    if (parts > 1) share /= (double)parts;
    if (a->above < a->p && share > 0) {
        const int64_t columns = part_of(share, across, a->p - a->above);
        CLS_TRY(cls_lu_multiply(lu, CLS_BESIDE, a->p, a->q, a->above, a->above + columns, a->from, a->to));
        a->above += columns;
        share -= across * (double)columns;
    }
    if (a->above == a->p && !a->solved && (share > 0 || parts == 1)) {
        CLS_TRY(cls_lu_update_rows(lu, CLS_BESIDE, a->p, a->q - a->p, a->from, a->to));
        a->solved = 1;
        share -= solve;
    }
    if (a->solved && a->below < a->q && (share > 0 || parts == 1)) {
        const int64_t columns = parts == 1 ? a->q - a->below : part_of(share, down, a->q - a->below);
        CLS_TRY(cls_lu_multiply(lu, CLS_BESIDE, a->q, lu->rows, a->below, a->below + columns, a->from, a->next_far));
        a->below += columns;
    }
    return CLSOLVE_OK;
}

/* The part beside the strip that begins at k; none beside the first of several, which has moves beside it. */
static clsolve_status next_part(ahead *a, int64_t k, int first) {
    const int64_t block_end = column_at(a, (k - a->begin) / a->lu->block + 1);
    const int64_t parts = (block_end - k + a->strip - 1) / a->strip;

    if (a->from >= a->to || (first && parts > 1)) return CLSOLVE_OK;
    return do_part(a, parts > 1 ? parts : 1);
}

/* The columns up to `come` become far columns as block b - 1 left those that were there. */
static clsolve_status receive(ahead *a, int64_t b, int64_t come) {
    cls_lu *lu = a->lu;
    const int64_t from = a->come;

    if (come <= from) return CLSOLVE_OK;
    CLS_TRY(cls_arrival_await(lu->arrival, CLS_BESIDE, come));
    for (int64_t p = 0; p < b; p++)
        CLS_TRY(cls_panel_move_rows(&lu->panel, CLS_BESIDE, &lu->A, from, come, come, 0, column_at(a, p),
                                    column_at(a, p + 1), 0));
    if (b > 0) CLS_TRY(cls_lu_update_rows(lu, CLS_BESIDE, a->begin, column_at(a, b) - a->begin, from, come));
    a->come = come;
    return CLSOLVE_OK;
}

/* Block b has just been done. */
static clsolve_status begin_far(ahead *a, int64_t b) {
    cls_lu *lu = a->lu;
    const int64_t j = column_at(a, b), end = column_at(a, b + 1);
    const int64_t first = column_at(a, b + 1 + a->near_blocks), rest = column_at(a, b + 2 + a->near_blocks);
    const int64_t wanted = column_at(a, b + 3 + a->near_blocks); /* the products of this block go so far */

    CLS_TRY(receive(a, b, wanted));
    CLS_TRY(cls_panel_merge_moves(&lu->panel, CLS_BESIDE, j, end - j));
    if (first < a->end) {
        CLS_TRY(cls_panel_move_rows(&lu->panel, CLS_BESIDE, &lu->A, first, wanted, wanted, 0, j, end, 0));
        CLS_TRY(cls_lu_update(lu, CLS_BESIDE, j, end - j, first, rest));
        CLS_TRY(lu->device->ops->mark(lu->device, CLS_BESIDE, &a->next));
    }
    /* What else is there, behind what COMPUTE waits for. */
    if (a->come < a->end) CLS_TRY(receive(a, b, at_most(cls_arrival_arrived(lu->arrival), a->end)));
    if (wanted < a->come)
        CLS_TRY(cls_panel_move_rows(&lu->panel, CLS_BESIDE, &lu->A, wanted, a->come, a->come, 0, j, end, 0));
    if (b > 0) CLS_TRY(cls_panel_move_rows(&lu->panel, CLS_BESIDE, &lu->A, a->begin, j, j, 0, j, end, 0));
    a->p = j, a->q = end;
    a->from = rest, a->next_far = wanted, a->to = a->come;
    a->above = a->below = a->begin;
    a->solved = 0;
    return CLSOLVE_OK;
}

/* What is beside the strip at k, after the strip c .. k-1 of block b. */
static clsolve_status beside(ahead *a, int64_t b, int64_t c, int64_t k) {
    cls_lu *lu = a->lu;
    const cls_device_ops *ops = lu->device->ops;
    const int64_t j = column_at(a, b), end = column_at(a, b + 1);

    if (c > j) CLS_TRY(cls_panel_move_rows(&lu->panel, CLS_BESIDE, &lu->A, j, c, c, 0, c, k, 0));
    if (k == end) CLS_TRY(begin_far(a, b));
    CLS_TRY(next_part(a, k, k == end));
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
    CLS_TRY(cls_arrival_await(lu->arrival, CLS_SOON, column_at(a, b + 1 + a->near_blocks)));
    CLS_TRY(apply(lu, CLS_SOON, c, k, strip_end(a, k), column_at(a, b + 1 + a->near_blocks)));
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
    CLS_TRY(cls_arrival_await(a->lu->arrival, CLS_COMPUTE, strip_end(a, k)));
    return apply(a->lu, CLS_COMPUTE, c, k, k, strip_end(a, k));
}

/* What follows the strip c .. k-1: the next one, and beside it all else. */
static clsolve_status follow(ahead *a, int64_t c, int64_t k) {
    cls_lu *lu = a->lu;
    cls_device *device = lu->device;
    const cls_device_ops *ops = device->ops;
    cls_event *ready = NULL;
    const int64_t b = (c - a->begin) / lu->block, next = strip_end(a, k) - k;

    clsolve_status status = cls_arrival_poll(lu->arrival);
    if (status == CLSOLVE_OK) status = bring_next(a, c, k);
    if (status == CLSOLVE_OK) status = ops->mark(device, CLS_COMPUTE, &ready);
    if (status == CLSOLVE_OK && next > 0) status = cls_lu_panel(lu, k, next);
    if (status == CLSOLVE_OK) status = ops->flush(device, CLS_COMPUTE); /* not after what is beside it */
    if (status == CLSOLVE_OK) status = ops->queue_wait(device, CLS_SOON, ready);
    if (status == CLSOLVE_OK) status = ops->queue_wait(device, CLS_BESIDE, ready);
    if (status == CLSOLVE_OK) status = soon(a, b, c, k);
    if (status == CLSOLVE_OK) status = beside(a, b, c, k);
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

int cls_lu_suits_ahead(const cls_lu *lu) {
    return lu->ahead;
}

clsolve_status cls_lu_factor_ahead(cls_lu *lu, int64_t begin, int64_t end, const clsolve_lu_options *options,
                                   int64_t *info) {
    cls_device *device = lu->device;
    cls_event *previous = NULL;
    ahead a = {.lu = lu, .begin = begin, .end = end, .strip = lu->panel.leaf};
    const int64_t wanted = lu->rows > LARGE ? WIDE_STRIP : STRIP;

    (void)info; /* it is on the device */
    if (begin >= end) return CLSOLVE_OK;
    if (a.strip < wanted) a.strip = wanted / lu->panel.leaf * lu->panel.leaf;
    a.near_blocks = a.strip < lu->block ? 1 : 2;
    a.come = lu->arrival ? at_most(column_at(&a, 1 + a.near_blocks), end) : end;
    clsolve_status status = cls_arrival_await(lu->arrival, CLS_COMPUTE, strip_end(&a, begin));
    if (status == CLSOLVE_OK) status = cls_lu_panel(lu, begin, strip_end(&a, begin) - begin);
    for (int64_t c = begin, k; c < end && status == CLSOLVE_OK; c = k) {
        k = strip_end(&a, c);
        status = follow(&a, c, k);
        if (status == CLSOLVE_OK && (k == end || (k - begin) % lu->block == 0))
            status = cls_lu_tell(lu, options, k, &previous);
    }
    if (status == CLSOLVE_OK) status = join(&a);
    device->ops->event_release(device, a.soon);
    device->ops->event_release(device, a.next);
    device->ops->event_release(device, previous);
    /* After a failure nothing may still run in memory that its owner gives back. */
    if (status != CLSOLVE_OK) {
        (void)device->ops->finish(device, CLS_SOON);
        (void)device->ops->finish(device, CLS_BESIDE);
    }
    return status;
}
