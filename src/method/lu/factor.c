/*
 * factor.c: P A = L U by block columns. There is one loop, wherever the columns lie (method/columns/columns.h):
 *
 *      a square, a rectangle              in core (whole.c), or arriving; in the host's memory LAPACK factors panels
 *      a large front, a large member      in a larger array (method/fronts_device/large.c, direct_batch/dense.c)
 *      a matrix larger than the device    in slabs, group by group (out_of_core.h)
 *      a matrix without pivots            it is randomized before the loop, and panels move no rows (rbt.h)
 *      a band                             in a ring, as far as a step reaches (method/band/factor.c)
 *      block columns of several devices   a loop for each of them (method/several/factor.c)
 *
 * A panel is factored by panel/factor.c, which may halve it, and a step is panel/step.c. Far columns, where they are
 * many, take several blocks at once (far.c).
 *
 * Whole factorizations by other means: few rows by one kernel (small.h) or by plain loops on the host (host_small.h),
 * the caller's matrix on the host by LAPACK (rectangle.h), narrow bands (method/band/narrow.h, few.h), the other
 * members of batches (method/direct_batch), and the other fronts of sparse matrices (method/fronts_device).
 *
 * Columns that come group by group are factored left-looking by groups: a group takes the block columns of all groups
 * before it, which pass by, and is factored as a matrix of its own.
 *
 * Without look-ahead all work is in COMPUTE, block by block:
 *
 *      panel of the block | its moves of rows in all other columns | A12 = L11^-1 A12 | A22 = A22 - L21 A12
 *
 * With look-ahead panels run under the trailing update (J. Kurzak, J. Dongarra, Implementing linear algebra routines on
 * multi-core processors with pipelining and a look ahead, PARA 2006).
 *
 * Ahead by a strip, the widest that the panel's room factors at once. Three queues:
 *
 *      COMPUTE  strip i | its update of strip i+1 | strip i+1                          | its update of strip i+2 | ...
 *      SOON                                       | its update of near columns         |
 *      BESIDE                                                       | far columns . . . . . . . . . . . . . . .
 *
 * The near columns are the rest of the strip's block and the block behind it, or two blocks where a block is one strip.
 * SOON updates them strip by strip. COMPUTE waits for SOON before it touches the strip after the next. By then BESIDE
 * has applied all blocks before to them. The far columns lie behind the near ones (loop.h).
 *
 * SOON and BESIDE start when the next strip is up to date, and not before. So the groups of its panel, which may have
 * to run together, find room, and the products take the rest of the device. BESIDE then moves no rows that SOON still
 * reads for the strip before.
 *
 * Ahead by a block column, for columns whose panels travel: to other devices, or to the host and back:
 *
 *      owner of b+1   COMPUTE  take b | its update of b+1 | panel b+1        | take b+1 ...
 *                     BESIDE                              | its update of the rest . . . . .
 *      others         COMPUTE  take b
 *                     BESIDE          | its update of all that they have . . . . . . . . . .
 *
 * So the panel, its way and the update of the next block column are hidden as long as the update of the rest takes
 * longer, which only the last block columns' does not. The block column that comes after the next is the first of the
 * rest: COMPUTE then waits for its update alone, and not for the rest's. A panel may go by strips of its own, ahead as
 * above, but with its moves in SOON. Then only its first strip is in COMPUTE's update of b+1; the others are in SOON.
 */
#include "method/lu/factor.h"

#include "method/events.h"
#include "method/lu/loop.h"

/* ---- what every scheme does ---- */

static clsolve_status run(cls_lu_loop *f);

static clsolve_status factor_panel(const cls_lu_loop *f, int64_t c, int64_t k) {
    return f->columns->ops->factor(f->columns->holder, c, k, f->ready);
}

/* The factored columns c .. k-1 become those that are applied. */
static clsolve_status take(cls_lu_loop *f, int64_t c, int64_t k) {
    f->c = c;
    return f->columns->ops->take(f->columns->holder, c, k, &f->L);
}

/* They are applied to the columns from .. to-1, as far as these lie side by side at once. */
static clsolve_status step(const cls_lu_loop *f, cls_queue queue, int64_t from, int64_t to) {
    const cls_columns *columns = f->columns;
    const int64_t lead = f->c - f->L.j;

    for (int64_t x = from, run; x < to; x += run) {
        const cls_matrix A = columns->ops->view(columns->holder, lead, x, to, &run);
        CLS_TRY(cls_panel_step(columns->panel, queue, &f->L, &A, x - lead, x - lead + run));
    }
    return CLSOLVE_OK;
}

static clsolve_status factored(const cls_lu_loop *f, int64_t c, int64_t k) {
    const cls_columns *columns = f->columns;
    return columns->ops->factored ? columns->ops->factored(columns->holder, c, k) : CLSOLVE_OK;
}

static clsolve_status used(const cls_lu_loop *f, int64_t c, int64_t k) {
    const cls_columns *columns = f->columns;
    return columns->ops->used ? columns->ops->used(columns->holder, c, k, columns->beside) : CLSOLVE_OK;
}

static int is_stopped(const cls_lu_loop *f) {
    return f->columns->stop && *f->columns->stop != 0;
}

/* The host runs ahead of the device; to say how far the device is, it waits for the block before last. */
static clsolve_status tell(cls_lu_loop *f, int64_t done) {
    const cls_columns *columns = f->columns;
    cls_event *before = f->told;

    if (!columns->progress) return CLSOLVE_OK;
    if (!columns->panel->mapped) {
        f->told = NULL;
        clsolve_status status = cls_queue_mark(f->device, CLS_COMPUTE, &f->told);
        if (status == CLSOLVE_OK && before) status = f->device->ops->event_wait(f->device, before);
        f->device->ops->event_release(f->device, before);
        CLS_TRY(status);
    }
    columns->progress(columns->progress_user, "factor", cls_columns_share(columns, done));
    return CLSOLVE_OK;
}

/* ---- without look-ahead ---- */

/* The block column c .. k-1 is applied. Rows left and right of it move in one launch. */
static clsolve_status apply(cls_lu_loop *f, int64_t c, int64_t k) {
    const cls_columns *columns = f->columns;
    int64_t run;

    if (columns->rows_stay) return step(f, CLS_COMPUTE, k, cls_columns_reach(f->columns, c, k));
    const cls_matrix A = columns->ops->view(columns->holder, 0, columns->begin, columns->last, &run);
    CLS_TRY(cls_panel_merge_moves(columns->panel, CLS_COMPUTE, c, k - c));
    if (columns->last - columns->begin > k - c)
        CLS_TRY(cls_panel_move_rows(columns->panel, CLS_COMPUTE, &A, columns->begin, columns->last, c, k - c, c, k, 0));
    return cls_panel_update(columns->panel, CLS_COMPUTE, &f->L, &A, k, columns->last);
}

static clsolve_status block_by_block(cls_lu_loop *f) {
    const cls_columns *columns = f->columns;

    for (int64_t c = columns->begin, k; c < columns->end; c = k) {
        k = cls_lesser(c + columns->block, columns->end);
        CLS_TRY(cls_lu_need(f, CLS_COMPUTE, cls_columns_reach(f->columns, c, k)));
        CLS_TRY(factor_panel(f, c, k));
        if (is_stopped(f)) break;
        CLS_TRY(factored(f, c, k));
        CLS_TRY(take(f, c, k));
        CLS_TRY(apply(f, c, k));
        CLS_TRY(used(f, c, k));
        CLS_TRY(tell(f, k));
    }
    return CLSOLVE_OK;
}

/* ---- ahead by a strip ---- */

/* The end of the strip at c. */
static int64_t strip_end(const cls_lu_loop *f, int64_t c) {
    const cls_columns *columns = f->columns;
    return cls_lesser(c + columns->strip, cls_lu_column_at(f, (c - columns->begin) / columns->block + 1));
}

/* The near columns, after the strip of block b that ends at k. */
static clsolve_status update_near(cls_lu_loop *f, int64_t b, int64_t k) {
    const int64_t end = cls_lu_column_at(f, b + 1 + f->near_blocks);

    CLS_TRY(cls_queue_take(f->device, CLS_SOON, &f->next));
    CLS_TRY(cls_lu_need(f, CLS_SOON, end));
    CLS_TRY(step(f, CLS_SOON, strip_end(f, k), end));
    return cls_queue_mark(f->device, CLS_SOON, &f->soon);
}

/* The next strip brought up to date by the one before it. */
static clsolve_status update_next(cls_lu_loop *f, int64_t k) {
    CLS_TRY(cls_queue_take(f->device, CLS_COMPUTE, &f->soon));
    CLS_TRY(cls_lu_need(f, CLS_COMPUTE, strip_end(f, k)));
    return step(f, CLS_COMPUTE, k, strip_end(f, k));
}

/* SOON and `beside` go on behind the event. */
static clsolve_status begin_both(const cls_lu_loop *f, cls_event *event) {
    const cls_queue beside = f->columns->beside;

    CLS_TRY(f->device->ops->queue_wait(f->device, CLS_SOON, event));
    return beside == CLS_SOON ? CLSOLVE_OK : f->device->ops->queue_wait(f->device, beside, event);
}

/* After the strip c .. k-1: the next strip, and concurrently all else. */
static clsolve_status look_ahead(cls_lu_loop *f, int64_t c, int64_t k) {
    cls_device *device = f->device;
    const cls_device_ops *ops = device->ops;
    cls_event *ready = NULL;
    const int64_t b = (c - f->columns->begin) / f->columns->block;

    clsolve_status status = take(f, c, k);
    if (status == CLSOLVE_OK) status = update_next(f, k);
    if (status == CLSOLVE_OK) status = ops->mark(device, CLS_COMPUTE, &ready);
    if (status == CLSOLVE_OK && k < f->columns->end) status = factor_panel(f, k, strip_end(f, k));
    if (status == CLSOLVE_OK) status = ops->flush(device, CLS_COMPUTE); /* not after concurrent work */
    if (status == CLSOLVE_OK) status = begin_both(f, ready);
    if (status == CLSOLVE_OK) status = update_near(f, b, k);
    if (status == CLSOLVE_OK) status = cls_lu_far(f, b, c, k);
    ops->event_release(device, ready);
    return status;
}

/* The panel of a strip comes before the rest of the update by the strip before. */
static clsolve_status strip_by_strip(cls_lu_loop *f) {
    const cls_columns *columns = f->columns;
    int64_t run;

    f->A = columns->ops->view(columns->holder, 0, columns->begin, columns->last, &run);
    f->near_blocks = columns->strip < columns->block ? 1 : 2;
    f->come = columns->ops->arrived ? cls_lu_column_at(f, 1 + f->near_blocks) : columns->last;
    for (int64_t c = columns->begin, k; c < columns->end; c = k) {
        k = strip_end(f, c);
        if (c == columns->begin) CLS_TRY(cls_lu_need(f, CLS_COMPUTE, k));
        if (c == columns->begin) CLS_TRY(factor_panel(f, c, k));
        CLS_TRY(look_ahead(f, c, k));
        if (k == columns->end || (k - columns->begin) % columns->block == 0) CLS_TRY(tell(f, k));
    }
    /* COMPUTE is done when `beside` is; for SOON it has waited. */
    return cls_queue_follow(f->device, CLS_COMPUTE, columns->beside);
}

/* ---- ahead by a block column ---- */

static int owns(const cls_lu_loop *f, int64_t c) {
    const cls_columns *columns = f->columns;
    return c < columns->end && (!columns->ops->owns || columns->ops->owns(columns->holder, c));
}

/* The own block column c .. k-1, the first strip of which is up to date; the others are when f->soon is. */
static clsolve_status factor_block(cls_lu_loop *f, int64_t c, int64_t k) {
    const cls_columns *columns = f->columns;

    if (columns->strip < k - c) {
        cls_lu_loop inside = {
            .columns = columns->ops->inside(columns->holder, c, k), .device = f->device, .soon = f->soon};
        f->soon = NULL;
        CLS_TRY(run(&inside));
    } else {
        CLS_TRY(factor_panel(f, c, k));
    }
    f->device->ops->event_release(f->device, f->ready);
    f->ready = NULL;
    return factored(f, c, k);
}

/* Work concurrent with the next panel starts after all that is in COMPUTE. A panel that travels waits for that too. */
static clsolve_status begin_beside(cls_lu_loop *f) {
    const cls_queue beside = f->columns->beside;

    if (beside != CLS_COMPUTE) return cls_queue_follow(f->device, beside, CLS_COMPUTE);
    return f->columns->travels ? cls_queue_mark(f->device, CLS_COMPUTE, &f->ready) : CLSOLVE_OK;
}

/* The next block column, own columns from .. to-1: its first strip in COMPUTE, the others in SOON. */
static clsolve_status update_next_block(cls_lu_loop *f, int64_t from, int64_t to) {
    const int64_t first = cls_lesser(from + f->columns->strip, to);

    CLS_TRY(cls_queue_take(f->device, CLS_COMPUTE, &f->next));
    CLS_TRY(step(f, CLS_COMPUTE, from, first));
    if (first == to) return CLSOLVE_OK;
    CLS_TRY(cls_queue_follow(f->device, CLS_SOON, CLS_COMPUTE));
    CLS_TRY(step(f, CLS_SOON, first, to));
    CLS_TRY(cls_queue_mark(f->device, CLS_SOON, &f->soon));
    return f->device->ops->mark(f->device, CLS_SOON, &f->applied);
}

/* The own columns from .. to-1; the block column that is next but one, if it is own, comes first. */
static clsolve_status update_rest(cls_lu_loop *f, int64_t c, int64_t from, int64_t to) {
    const cls_columns *columns = f->columns;

    if (columns->beside != CLS_COMPUTE && owns(f, c)) {
        const int64_t end = from + cls_lesser(columns->block, columns->end - c);
        CLS_TRY(step(f, columns->beside, from, end));
        CLS_TRY(cls_queue_mark(f->device, columns->beside, &f->next));
        from = end;
    }
    return step(f, columns->beside, from, to);
}

/* The block column c .. k-1 is applied; the one behind it, if it is own, is factored. */
static clsolve_status look_a_block_ahead(cls_lu_loop *f, int64_t c, int64_t k) {
    const cls_columns *columns = f->columns;
    const int64_t end = cls_lesser(k + columns->block, columns->end), last = cls_columns_reach(f->columns, c, k);
    int64_t from = columns->ops->behind ? columns->ops->behind(columns->holder, k) : k;

    CLS_TRY(take(f, c, k));
    CLS_TRY(cls_panel_merge_moves(columns->panel, CLS_COMPUTE, f->L.j, k - c));
    if (owns(f, k)) {
        const int64_t to = cls_lesser(from + end - k, last);
        CLS_TRY(update_next_block(f, from, to));
        from = to;
    }
    CLS_TRY(begin_beside(f));
    if (owns(f, k) && !columns->travels) CLS_TRY(factor_block(f, k, end));
    CLS_TRY(cls_lu_need(f, CLS_COMPUTE, last));
    CLS_TRY(update_rest(f, end, from, last));
    CLS_TRY(cls_queue_take(f->device, columns->beside, &f->applied));
    CLS_TRY(used(f, c, k));
    CLS_TRY(tell(f, k));
    if (!owns(f, k) || !columns->travels) return CLSOLVE_OK;
    CLS_TRY(cls_lu_need(f, CLS_COMPUTE, end + columns->block));
    return factor_block(f, k, end);
}

static clsolve_status by_block_columns(cls_lu_loop *f) {
    const cls_columns *columns = f->columns;
    int64_t k = cls_lu_column_at(f, 1);

    CLS_TRY(cls_lu_need(f, CLS_COMPUTE, k + columns->block));
    if (columns->travels) CLS_TRY(f->device->ops->mark(f->device, CLS_COMPUTE, &f->ready));
    if (owns(f, columns->begin)) CLS_TRY(factor_block(f, columns->begin, k));
    for (int64_t c = columns->begin; c < columns->end; c = k) {
        k = cls_lesser(c + columns->block, columns->end);
        CLS_TRY(look_a_block_ahead(f, c, k));
    }
    return CLSOLVE_OK;
}

/* ---- group by group ---- */

/* The group takes the block columns from `first` on of all groups before it. Rows of a group have moved together. */
static clsolve_status take_earlier(cls_lu_loop *f, int64_t first) {
    const cls_columns *columns = f->columns;
    const int64_t begin = columns->begin, end = columns->end;

    for (int64_t c = first, k; c < begin; c = k) {
        k = cls_lesser(c + columns->block, begin);
        CLS_TRY(take(f, c, k));
        for (int64_t x = begin, run; x < end; x += run) {
            const cls_matrix A = columns->ops->view(columns->holder, 0, x, end, &run);
            if (x == begin && (c - first) % columns->group == 0)
                CLS_TRY(
                    cls_panel_move_rows(columns->panel, CLS_COMPUTE, &A, begin, end, end, 0, c, c + columns->group, 0));
            CLS_TRY(cls_panel_update(columns->panel, CLS_COMPUTE, &f->L, &A, x, x + run));
        }
        CLS_TRY(used(f, c, k));
    }
    return CLSOLVE_OK;
}

/* ---- the loop ---- */

static clsolve_status run(cls_lu_loop *f) {
    cls_device *device = f->device;
    const cls_ahead ahead = f->columns->ahead;

    const clsolve_status status = ahead == CLS_AHEAD_STRIP   ? strip_by_strip(f)
                                  : ahead == CLS_AHEAD_BLOCK ? by_block_columns(f)
                                                             : block_by_block(f);
    cls_event *events[] = {f->soon, f->told, f->next, f->applied, f->ready};
    for (size_t e = 0; e < sizeof events / sizeof *events; ++e) device->ops->event_release(device, events[e]);
    /* After a failure nothing may still run in memory that its owner gives back. */
    if (status != CLSOLVE_OK && ahead != CLS_AHEAD_NOT) {
        (void)device->ops->finish(device, CLS_SOON);
        (void)device->ops->finish(device, CLS_BESIDE);
    }
    return status;
}

clsolve_status cls_lu_factor_loop(const cls_columns *columns) {
    cls_columns group = *columns;

    group.end = columns->begin;
    for (;;) {
        cls_lu_loop f = {.columns = &group, .device = columns->panel->device};
        CLS_TRY(cls_columns_next(columns, &group.begin, &group.end));
        if (group.begin == group.end) return CLSOLVE_OK;
        if (columns->ops->next) group.last = group.end;
        CLS_TRY(take_earlier(&f, columns->begin));
        CLS_TRY(run(&f));
    }
}
