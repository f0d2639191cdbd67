/*
 * factor.c: P A = L U by block columns, for every dense matrix on one device:
 *
 *      a square, a rectangle              in core
 *      a slab of columns                  of a matrix larger than the device (out_of_core.h)
 *      a matrix that still comes up       the loop waits for the columns that it touches next (arrival.h)
 *      a matrix in the host's memory      LAPACK factors the panels
 *      a matrix without pivots            it is randomized before the loop, and panels move no rows (rbt.h)
 *
 * Bands (method/band/factor.c) and several devices (method/several/factor.c) have loops of their own over the same
 * panels and the same step (method/panel/step.c). Whole factorizations by other means: few rows by one kernel (small.h)
 * or by plain loops on the host (host_small.h), and batches (method/direct_batch).
 *
 * Without look-ahead a strip is a block, and all work is in COMPUTE:
 *
 *      panel of the strip | its moves of rows in all other columns | A12 = L11^-1 A12 | A22 = A22 - L21 A12
 *
 * With look-ahead panels run under the trailing update (J. Kurzak, J. Dongarra, Implementing linear algebra routines on
 * multi-core processors with pipelining and a look ahead, PARA 2006). A strip of columns is looked ahead, the widest
 * that the panel's room factors at once. Three queues:
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
 */
#include "method/events.h"
#include "method/lu/loop.h"
#include "method/lu/rbt.h"
#include "method/lu/small.h"

/* The end of the strip at c. */
static int64_t strip_end(const cls_lu_loop *f, int64_t c) {
    return cls_lu_at_most(c + f->strip, cls_lu_column_at(f, (c - f->begin) / f->lu->block + 1));
}

/* The strip c .. k-1, which is up to date. */
static clsolve_status factor_strip(cls_lu_loop *f, int64_t c, int64_t k) {
    cls_lu *lu = f->lu;

    if (!lu->A.mapped) return cls_panel_factor(&lu->panel, &lu->A, c, lu->rows - c, k - c);
    cls_panel_host_factor(&lu->panel, &lu->A, c, lu->rows - c, k - c, f->info);
    return CLSOLVE_OK;
}

/* ---- without look-ahead ---- */

/* The update by the strip c .. k-1, which is a block: rows left and right of it move in one launch. */
static clsolve_status update(cls_lu_loop *f, int64_t c, int64_t k) {
    cls_lu *lu = f->lu;
    const cls_block_column L = cls_lu_block_column(lu, c, k);

    CLS_TRY(cls_panel_merge_moves(&lu->panel, CLS_COMPUTE, c, k - c));
    if (f->last - f->begin > k - c)
        CLS_TRY(cls_panel_move_rows(&lu->panel, CLS_COMPUTE, &lu->A, f->begin, f->last, c, k - c, c, k, 0));
    return cls_panel_update(&lu->panel, CLS_COMPUTE, &L, &lu->A, k, f->last);
}

/* ---- with look-ahead ---- */

/* The near columns, after the strip c .. k-1 of block b. */
static clsolve_status update_near(cls_lu_loop *f, int64_t b, int64_t c, int64_t k) {
    cls_lu *lu = f->lu;
    const cls_device_ops *ops = lu->device->ops;
    const cls_block_column L = cls_lu_block_column(lu, c, k);
    const int64_t end = cls_lu_column_at(f, b + 1 + f->near_blocks);

    CLS_TRY(cls_queue_take(lu->device, CLS_SOON, &f->next));
    CLS_TRY(cls_arrival_await(lu->arrival, CLS_SOON, end));
    CLS_TRY(cls_panel_step(&lu->panel, CLS_SOON, &L, &lu->A, strip_end(f, k), end));
    CLS_TRY(ops->mark(lu->device, CLS_SOON, &f->soon));
    return ops->flush(lu->device, CLS_SOON);
}

/* The next strip brought up to date by the one before it, c .. k-1. */
static clsolve_status update_next(cls_lu_loop *f, int64_t c, int64_t k) {
    cls_lu *lu = f->lu;
    const cls_block_column L = cls_lu_block_column(lu, c, k);

    CLS_TRY(cls_queue_take(lu->device, CLS_COMPUTE, &f->soon));
    CLS_TRY(cls_arrival_await(lu->arrival, CLS_COMPUTE, strip_end(f, k)));
    return cls_panel_step(&lu->panel, CLS_COMPUTE, &L, &lu->A, k, strip_end(f, k));
}

/* After the strip c .. k-1: the next strip, and concurrently all else. */
static clsolve_status look_ahead(cls_lu_loop *f, int64_t c, int64_t k) {
    cls_device *device = f->lu->device;
    const cls_device_ops *ops = device->ops;
    cls_event *ready = NULL;
    const int64_t b = (c - f->begin) / f->lu->block;

    clsolve_status status = cls_arrival_poll(f->lu->arrival);
    if (status == CLSOLVE_OK) status = update_next(f, c, k);
    if (status == CLSOLVE_OK) status = ops->mark(device, CLS_COMPUTE, &ready);
    if (status == CLSOLVE_OK && k < f->end) status = factor_strip(f, k, strip_end(f, k));
    if (status == CLSOLVE_OK) status = ops->flush(device, CLS_COMPUTE); /* not after concurrent work */
    if (status == CLSOLVE_OK) status = ops->queue_wait(device, CLS_SOON, ready);
    if (status == CLSOLVE_OK) status = ops->queue_wait(device, CLS_BESIDE, ready);
    if (status == CLSOLVE_OK) status = update_near(f, b, c, k);
    if (status == CLSOLVE_OK) status = cls_lu_far(f, b, c, k);
    ops->event_release(device, ready);
    return status;
}

/* ---- the loop ---- */

/* The host runs ahead of the device; to say how far the device is, it waits for the block before last. */
clsolve_status cls_lu_tell(cls_lu *lu, const clsolve_lu_options *options, int64_t done, cls_event **previous) {
    cls_device *device = lu->device;
    double left = (double)(lu->n - done) / (double)lu->n;

    if (!options || !options->progress) return CLSOLVE_OK;
    if (!lu->A.mapped) {
        cls_event *now = NULL;
        CLS_TRY(device->ops->mark(device, CLS_COMPUTE, &now));
        clsolve_status status = device->ops->flush(device, CLS_COMPUTE);
        if (status == CLSOLVE_OK && *previous) status = device->ops->event_wait(device, *previous);
        device->ops->event_release(device, *previous);
        *previous = now;
        CLS_TRY(status);
    }
    options->progress(options->progress_user, "factor", 1.0 - left * left * left);
    return CLSOLVE_OK;
}

/* Strip by strip. With look-ahead the panel of a strip comes before the rest of the update by the strip before. */
static clsolve_status factor_strips(cls_lu_loop *f, int ahead, const clsolve_lu_options *options) {
    cls_lu *lu = f->lu;

    for (int64_t c = f->begin, k; c < f->end; c = k) {
        k = strip_end(f, c);
        if (c == f->begin) CLS_TRY(cls_arrival_await(lu->arrival, CLS_COMPUTE, k));
        if (c == f->begin || !ahead) CLS_TRY(factor_strip(f, c, k));
        if (lu->rbt.on && *f->info > 0) break; /* nobody uses what would come of the rest */
        CLS_TRY(ahead ? look_ahead(f, c, k) : update(f, c, k));
        if (k == f->end || (k - f->begin) % lu->block == 0) CLS_TRY(cls_lu_tell(lu, options, k, &f->told));
    }
    /* COMPUTE is done when BESIDE is; for SOON it has waited. */
    return ahead ? cls_queue_follow(lu->device, CLS_COMPUTE, CLS_BESIDE) : CLSOLVE_OK;
}

static clsolve_status factor_columns(cls_lu *lu, int64_t begin, int64_t end, int ahead,
                                     const clsolve_lu_options *options, int64_t *info) {
    const cls_device_ops *ops = lu->device->ops;
    cls_lu_loop f = {.lu = lu, .begin = begin, .end = end, .last = end, .strip = lu->block, .info = info};

    if (begin >= end) return CLSOLVE_OK;
    if (end == lu->n) f.last += lu->behind;
    if (ahead) f.strip = cls_panel_strip(&lu->panel, lu->rows);
    f.near_blocks = f.strip < lu->block ? 1 : 2;
    f.come = lu->arrival ? cls_lu_column_at(&f, 1 + f.near_blocks) : f.last;
    const clsolve_status status = factor_strips(&f, ahead, options);
    ops->event_release(lu->device, f.soon);
    ops->event_release(lu->device, f.next);
    ops->event_release(lu->device, f.told);
    /* After a failure nothing may still run in memory that its owner gives back. */
    if (status != CLSOLVE_OK && ahead) {
        (void)ops->finish(lu->device, CLS_SOON);
        (void)ops->finish(lu->device, CLS_BESIDE);
    }
    return status;
}

clsolve_status cls_lu_factor_begin(cls_lu *lu, int64_t *info) {
    *info = 0;
    return cls_panel_start(&lu->panel, CLS_PANEL_REPEATABLE);
}

clsolve_status cls_lu_factor_columns(cls_lu *lu, int64_t begin, int64_t end, const clsolve_lu_options *options,
                                     int64_t *info) {
    return factor_columns(lu, begin, end, lu->ahead, options, info);
}

clsolve_status cls_lu_factor_end(cls_lu *lu, int64_t *info, int *again) {
    return cls_panel_end(&lu->panel, info, again);
}

clsolve_status cls_lu_factor(cls_lu *lu, const clsolve_lu_options *options, int64_t *info, int *again) {
    *again = 0;
    lu->small.host_is_new = 0;
    if (lu->small.on) {
        CLS_TRY(cls_lu_small_factor(lu));
        CLS_TRY(cls_lu_small_read(lu));
        *info = lu->small.info;
        return CLSOLVE_OK;
    }
    CLS_TRY(cls_lu_factor_begin(lu, info));
    if (lu->rbt.on) CLS_TRY(cls_lu_rbt_transform(lu));
    CLS_TRY(cls_lu_factor_columns(lu, 0, lu->n, options, info));
    return cls_lu_factor_end(lu, info, again);
}

clsolve_status cls_lu_factor_enqueue(cls_lu *lu) {
    int64_t info = 0; /* it stays on the device */

    lu->small.host_is_new = 0;
    if (lu->small.on) {
        const size_t word = sizeof info;
        CLS_TRY(cls_lu_small_factor(lu));
        return lu->device->ops->copy(lu->device, CLS_COMPUTE, lu->small.record, CLS_LU_SMALL_INFO * word,
                                     lu->panel.info, 0, word);
    }
    /* A leaf that might have to be done again asks the host; by steps it does not. */
    CLS_TRY(cls_panel_start(&lu->panel, CLS_PANEL_ONCE));
    return factor_columns(lu, 0, lu->n, 0, NULL, &info);
}

clsolve_status cls_lu_update(cls_lu *lu, cls_queue queue, int64_t j, int64_t width, int64_t from, int64_t to) {
    const cls_block_column L = cls_lu_block_column(lu, j, j + width);
    return cls_panel_update(&lu->panel, queue, &L, &lu->A, from, to);
}
