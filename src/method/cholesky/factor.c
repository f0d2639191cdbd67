/*
 * factor.c: A = L L^H by block columns. There is one loop, wherever the columns lie (method/columns/columns.h):
 *
 *      a matrix                           in core (whole.c)
 *      a band                             in storage in which its blocks are dense (cls_cholesky_setup_band)
 *      a large front                      in a larger array (method/fronts_device/large.c)
 *      a matrix that arrives              in groups of the columns that have come (whole.c)
 *      a matrix larger than the device    in slabs, which are groups too (out_of_core.c)
 *      L D L^H                            with panels that pivot, and D L for L (method/ldl/device_factor.c)
 *
 * Whole factorizations by other means: a mapped matrix by LAPACK (lapack.c), bands on the host (band_host.c), batches
 * (method/direct_batch), and the other fronts of sparse matrices (method/fronts_device).
 *
 *             c    k         end
 *      |      |    |          |       for each group of columns, up to `end`, which has come: it becomes up to date
 *   c  |   L  |----|----------|       with all columns before it (left-looking);
 *      |      | A11|          |          for each block column c .. k-1 of the group (right-looking):
 *   k  |      |----|----------|             1. it is factored, all rows that it reaches (panel.c)
 *      |      |    |   A22    |             2. A22 = A22 - L21 L21^H, the lower triangle and the rows below it:
 * end  |      | A21|----------|                nearly all the work
 *      |      |    |          |
 *
 * Nothing waits for the host, but for large matrices, where the host asks now and then whether a column has failed.
 *
 * With look-ahead the triangle but for the next block column comes in the queues BESIDE and UP, concurrently with that
 * block column; UP has part of it where products of one size go together:
 *
 *      COMPUTE         block j | its update of block j+1 | block j+1 | ...
 *      BESIDE, UP              | its update of the other columns . . . . . . . . . |
 *
 * The last group alone is factored so: behind the others lie columns that have not come, or to which nothing was done.
 */
#include "method/cholesky/factor.h"

#include "method/events.h"

typedef struct loop {
    const cls_columns *columns;
    cls_device *device;
    int enqueues;                 /* the host neither asks nor waits */
    int ahead;                    /* in this group */
    cls_event *begun;             /* the group is up to date: its panels come next */
    cls_event *panel;             /* the block column is factored */
    cls_event *others[2];         /* BESIDE and UP have applied the block column before to all columns */
    cls_event *seen[CLS_WATCHED]; /* the word has come that says how that block column went */
    int turn, failed;
} loop;

static void forget(const loop *f, cls_event **event) {
    f->device->ops->event_release(f->device, *event);
    *event = NULL;
}

/* ---- the word ---- */

static clsolve_status read_word(const loop *f, cls_queue queue, int64_t *word, cls_event **done) {
    const cls_rect rect = {sizeof *word, 1, 0, sizeof *word, sizeof *word};
    return f->device->ops->read(f->device, queue, f->columns->word, word, &rect, NULL, done);
}

/* It comes in a queue of its own where queues overlap, so that no panel waits for the bus. */
static clsolve_status ask(loop *f) {
    const cls_queue queue = f->columns->ahead ? CLS_DOWN : CLS_COMPUTE;

    if (f->columns->ahead) CLS_TRY(f->device->ops->queue_wait(f->device, queue, f->panel));
    CLS_TRY(read_word(f, queue, &f->columns->words[f->turn], &f->seen[f->turn]));
    return f->device->ops->flush(f->device, queue);
}

static clsolve_status wait_for(const loop *f, cls_event *event) {
    const cls_columns *columns = f->columns;
    return columns->ops->wait ? columns->ops->wait(columns->holder, event)
                              : f->device->ops->event_wait(f->device, event);
}

/* Left-looking the work up to column `done` has been done, and right-looking also what these columns make of others. */
static double share_of(const loop *f, int64_t done, int is_last) {
    const double x = (double)done / (double)f->columns->end;
    return is_last ? cls_columns_share(f->columns, done) : x * x * (3 - 2 * x);
}

/* The host runs ahead of the device. It waits for the block a few blocks before, to say how far the device is, and to
 * end where that one failed. */
static clsolve_status watch(loop *f, int64_t done, int64_t end) {
    const cls_columns *columns = f->columns;

    if (f->enqueues || (!columns->progress && !columns->watched)) return CLSOLVE_OK;
    CLS_TRY(ask(f));
    f->turn = (f->turn + 1) % CLS_WATCHED;
    if (f->seen[f->turn]) {
        CLS_TRY(wait_for(f, f->seen[f->turn]));
        forget(f, &f->seen[f->turn]);
        f->failed = columns->words[f->turn] != 0;
    }
    if (columns->progress && !f->failed)
        columns->progress(columns->progress_user, "factor", share_of(f, done, end == columns->end));
    return CLSOLVE_OK;
}

/* ---- a step ---- */

/* The block column c .. k-1 is applied to the columns from `from` on: to those before `next` in COMPUTE. */
static clsolve_status update_ahead(loop *f, int64_t c, int64_t k, int64_t from, int64_t next, int64_t bottom) {
    /* SOON would be as urgent as the panel; UP is not, and has no other work during a factorization. */
    static const cls_queue queues[2] = {CLS_BESIDE, CLS_UP};
    const cls_device_ops *ops = f->device->ops;

    for (int q = 0; q < 2; ++q)
        if (f->others[q]) CLS_TRY(ops->queue_wait(f->device, CLS_COMPUTE, f->others[q]));
    CLS_TRY(cls_trailing_rectangle(f->columns->trailing, CLS_COMPUTE, from, bottom, from, next, c, k));
    CLS_TRY(ops->flush(f->device, CLS_COMPUTE));
    if (next >= bottom) return CLSOLVE_OK;
    for (int q = 0; q < 2; ++q) {
        CLS_TRY(ops->queue_wait(f->device, queues[q], f->panel));
        /* Squares of the block before may lie in the other queue. */
        if (f->others[1 - q]) CLS_TRY(ops->queue_wait(f->device, queues[q], f->others[1 - q]));
    }
    CLS_TRY(cls_trailing_triangle(f->columns->trailing, queues, next, bottom, c, k));
    for (int q = 0; q < 2; ++q) CLS_TRY(cls_queue_mark(f->device, queues[q], &f->others[q]));
    return CLSOLVE_OK;
}

/* It is applied to the columns before `end`, the group's. */
static clsolve_status update(loop *f, int64_t c, int64_t k, int64_t end) {
    static const cls_queue alone[2] = {CLS_COMPUTE, CLS_COMPUTE};
    const cls_columns *columns = f->columns;
    const int64_t bottom = cls_columns_reach(columns, c, k), to = cls_lesser(end, bottom);
    const int64_t from = cls_lesser(k + columns->over, to), next = cls_lesser(k + columns->block + columns->over, to);

    if (f->ahead) return update_ahead(f, c, k, from, next, bottom);
    if (from < to) CLS_TRY(cls_trailing_triangle(columns->trailing, alone, from, to, c, k));
    return cls_trailing_rectangle(columns->trailing, CLS_COMPUTE, to, bottom, from, to, c, k);
}

/* ---- group by group ---- */

/* Subtracts the products of all columns before from the columns begin .. end-1. The columns before lie where they were
 * factored. Few columns are updated as a square. */
static clsolve_status subtract_at_once(const loop *f, int64_t begin, int64_t end) {
    enum { FEW = 256 };
    static const cls_queue alone[2] = {CLS_COMPUTE, CLS_COMPUTE};
    const cls_columns *columns = f->columns;
    const int64_t first = columns->begin, middle = end - begin <= FEW ? begin : end;

    if (begin == first) return CLSOLVE_OK;
    if (begin < middle) CLS_TRY(cls_trailing_triangle(columns->trailing, alone, begin, middle, first, begin));
    return cls_trailing_rectangle(columns->trailing, CLS_COMPUTE, middle, columns->last, begin, end, first, begin);
}

/* The same of a factored block column, which is on its way. */
static clsolve_status subtract(const loop *f, const cls_block_column *L, int64_t begin, int64_t end) {
    const cls_columns *columns = f->columns;
    cls_buffer *buffer = L->at.buffer;
    cls_trailing trailing = *columns->trailing;
    cls_matrix there = cls_matrix_in(&buffer, trailing.type, L->end, L->width);

    there.ld = L->at.ld;
    there.origin = L->j;
    there.offset = L->at.offset - L->j;
    trailing.L = trailing.W = &there;
    for (int64_t x = begin, run; x < end; x += run) {
        (void)columns->ops->view(columns->holder, 0, x, end, &run);
        CLS_TRY(cls_trailing_rectangle(&trailing, CLS_COMPUTE, x, L->end, x, x + run, L->j, L->j + L->width));
    }
    return CLSOLVE_OK;
}

static clsolve_status subtract_earlier(const loop *f, int64_t begin, int64_t end) {
    const cls_columns *columns = f->columns;
    const cls_columns_ops *ops = columns->ops;

    if (!ops->take) return subtract_at_once(f, begin, end);
    for (int64_t c = columns->begin, k; c < begin; c = k) {
        cls_block_column L;
        k = cls_lesser(c + columns->block, begin);
        CLS_TRY(ops->take(columns->holder, c, k, &L));
        CLS_TRY(subtract(f, &L, begin, end));
        CLS_TRY(ops->used(columns->holder, c, k, CLS_COMPUTE));
    }
    return CLSOLVE_OK;
}

/* The next group. Where columns arrive, the host asks for it when the device has begun with the panels before: until
 * then more columns come, and products of few columns leave much of a device idle. */
static clsolve_status next_group(loop *f, int64_t *begin, int64_t *end) {
    const cls_columns *columns = f->columns;

    if (f->begun && *end < columns->end) CLS_TRY(wait_for(f, f->begun));
    CLS_TRY(cls_columns_next(columns, begin, end));
    if (*begin == *end) return CLSOLVE_OK;
    CLS_TRY(subtract_earlier(f, *begin, *end));
    return columns->ops->wait ? cls_queue_mark(f->device, CLS_COMPUTE, &f->begun) : CLSOLVE_OK;
}

/* ---- the loop ---- */

/* After each block column that others wait for. */
static clsolve_status mark_panel(loop *f) {
    if (!f->columns->ahead) return CLSOLVE_OK;
    forget(f, &f->panel);
    return f->device->ops->mark(f->device, CLS_COMPUTE, &f->panel);
}

/* The group begin .. end-1. */
static clsolve_status factor_blocks(loop *f, int64_t begin, int64_t end) {
    const cls_columns *columns = f->columns;

    f->ahead = columns->ahead && end == columns->end;
    for (int64_t c = begin, k; c < end && !f->failed; c = k) {
        k = cls_lesser(c + columns->block, end);
        CLS_TRY(columns->ops->factor(columns->holder, c, k, NULL));
        CLS_TRY(mark_panel(f));
        CLS_TRY(watch(f, k, end));
        if (k < end) CLS_TRY(update(f, c, k, end));
    }
    return CLSOLVE_OK;
}

static clsolve_status factor_groups(loop *f) {
    const cls_columns *columns = f->columns;
    int64_t begin, end = columns->begin;

    do {
        CLS_TRY(next_group(f, &begin, &end));
        CLS_TRY(factor_blocks(f, begin, end));
    } while (begin < end && !f->failed);
    return CLSOLVE_OK;
}

/* Nothing is under way when it returns. The first failure is the one to tell. */
static clsolve_status finish(const loop *f, clsolve_status status) {
    static const cls_queue queues[] = {CLS_COMPUTE, CLS_DOWN, CLS_BESIDE, CLS_UP};
    for (size_t q = 0; q < (f->columns->ahead ? sizeof queues / sizeof *queues : 1); ++q) {
        const clsolve_status one = f->device->ops->finish(f->device, queues[q]);
        if (status == CLSOLVE_OK) status = one;
    }
    return status;
}

clsolve_status cls_cholesky_factor_loop(const cls_columns *columns, int64_t *word) {
    loop f = {.columns = columns, .device = columns->trailing->device, .enqueues = !word};

    clsolve_status status = factor_groups(&f);
    /* COMPUTE's last block column is behind all that is in other queues. */
    if (status == CLSOLVE_OK && word) status = read_word(&f, CLS_COMPUTE, &columns->words[CLS_WATCHED], NULL);
    if (status != CLSOLVE_OK || word) status = finish(&f, status);
    if (status == CLSOLVE_OK && word) *word = columns->words[CLS_WATCHED];
    for (int turn = 0; turn < CLS_WATCHED; ++turn) forget(&f, &f.seen[turn]);
    forget(&f, &f.begun);
    forget(&f, &f.panel);
    forget(&f, &f.others[0]);
    forget(&f, &f.others[1]);
    return status;
}
