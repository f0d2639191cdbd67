/*
 * factor.c: A = L L^T. The panel is factored by halves, the triangle right of it is brought up to date by halves too,
 * so that most of both is in products of large blocks; cholesky.h has the picture.
 *
 * With look-ahead the triangle but for the next panel's columns comes in the queues BESIDE and UP, concurrently with
 * that panel; UP has part of it where products of one size go together:
 *
 *      COMPUTE         panel j | update of panel j+1's columns | panel j+1 | ...
 *      BESIDE, UP              | update of the other columns . . . . . . . . . |
 */
#include "method/cholesky/cholesky.h"

#include "method/trailing.h"

enum { FEW = 256 };                               /* columns of a group that are subtracted from as a square */
enum { ROWS = 64, LEAF_ITEMS = 256 };             /* work-items of cholesky_rows, a row each, and of cholesky_leaf */
enum { WATCHED = 2048, WATCHED_BY_TILES = 8192 }; /* from so many columns on it is worth asking whether it has failed */

/* ---- products: trailing.h ---- */

static cls_trailing of(const cls_cholesky *c) {
    return (cls_trailing){
        c->device, {CLS_COMPUTE, c->whole_range, c->steady}, c->type, cls_adjoint(c->type), &c->A, &c->A, &c->A};
}

static clsolve_status multiply(const cls_cholesky *c, cls_queue queue, int64_t top, int64_t bottom, int64_t from,
                               int64_t to, int64_t p, int64_t q) {
    const cls_trailing trailing = of(c);
    return cls_trailing_rectangle(&trailing, queue, top, bottom, from, to, p, q);
}

static clsolve_status multiply_triangle(const cls_cholesky *c, const cls_queue queues[2], int64_t from, int64_t to,
                                        int64_t p, int64_t q) {
    const cls_trailing trailing = of(c);
    return cls_trailing_triangle(&trailing, queues, from, to, p, q);
}

/* ---- the panel ---- */

/* By tiles a leaf of 16 t columns has t + 3 waves. */
static size_t leaf_items_of(const cls_cholesky *c) {
    return c->tiles ? (size_t)(2 * c->leaf + 96) : LEAF_ITEMS;
}

size_t cls_cholesky_offer_bytes(const cls_cholesky *cholesky) {
    enum { PAIR_OF_WORDS = 16 }; /* bytes, as in cl/dialect.clh; a complex double takes two */
    return (size_t)(cholesky->leaf * cholesky->leaf) * (cholesky->type == CLSOLVE_C64 ? 2 : 1) * PAIR_OF_WORDS;
}

/* A mark that no word has. Marks count up to 2^16; then, as at first, all words are cleared. */
static clsolve_status next_mark(cls_cholesky *c, uint32_t *mark) {
    enum { MARKS = 0xffff };
    if (c->launches == MARKS) c->launches = 0;
    if (c->launches == 0)
        CLS_TRY(c->device->ops->fill(c->device, CLS_COMPUTE, c->offers, 0, cls_cholesky_offer_bytes(c), 0));
    *mark = ++c->launches << 16;
    return CLSOLVE_OK;
}

/* The leaf and the rows below it in one launch. */
static clsolve_status leaf_with_rows(cls_cholesky *c, int64_t j, int32_t m, int64_t rows) {
    const cls_ref at = cls_matrix_at(&c->A, j, j);
    const size_t items = leaf_items_of(c), of_group = (size_t)c->leaf / 2;
    const cls_grid grid = {{(1 + ((size_t)rows + of_group - 1) / of_group) * items, 1, 1}, {items, 1, 1}};
    uint32_t mark;
    CLS_TRY(next_mark(c, &mark));
    const cls_arg args[] = {CLS_REF(at),         CLS_VALUE(m),          CLS_VALUE(j),   CLS_VALUE(rows),
                            CLS_BUFFER(c->info), CLS_BUFFER(c->offers), CLS_VALUE(mark)};
    return cls_launch(c->device, CLS_COMPUTE, c->panel_kernel, &grid, CLS_ARGS(args));
}

clsolve_status cls_cholesky_leaf(cls_cholesky *cholesky, int64_t j, int64_t width) {
    cls_cholesky *c = cholesky;
    const cls_ref at = cls_matrix_at(&c->A, j, j);
    const int64_t rows = cls_cholesky_bottom(c, j + width) - j - width;
    const int32_t m = (int32_t)width;
    if (rows > 0 && rows <= c->together) return leaf_with_rows(c, j, m, rows);
    /* By tiles a group of rows has a work-item for each column, for half as many rows. */
    const size_t leaf_items = leaf_items_of(c);
    const int64_t items = c->tiles ? c->leaf : ROWS, of_group = c->tiles ? c->leaf / 2 : ROWS;
    cls_grid one = {{leaf_items, 1, 1}, {leaf_items, 1, 1}};
    cls_grid all = {{(size_t)((rows + of_group - 1) / of_group * items), 1, 1}, {(size_t)items, 1, 1}};
    cls_arg diagonal[] = {CLS_REF(at), CLS_VALUE(m), CLS_VALUE(j), CLS_BUFFER(c->info)};
    cls_arg below[] = {CLS_REF(at), CLS_VALUE(m), CLS_VALUE(rows), CLS_BUFFER(c->info)};

    CLS_TRY(cls_launch(c->device, CLS_COMPUTE, c->leaf_kernel, &one, CLS_ARGS(diagonal)));
    return rows > 0 ? cls_launch(c->device, CLS_COMPUTE, c->rows_kernel, &all, CLS_ARGS(below)) : CLSOLVE_OK;
}

/* The columns j .. j + width - 1, all rows from j on that they reach. */
static clsolve_status factor_panel(cls_cholesky *c, int64_t j, int64_t width) {
    CLS_TRY(cls_arrival_poll(c->arrival));
    if (width <= c->leaf) return cls_cholesky_leaf(c, j, width);
    const int64_t left = (width / 2 + c->leaf - 1) / c->leaf * c->leaf;
    const int64_t bottom = cls_cholesky_bottom(c, j + left), to = j + width < bottom ? j + width : bottom;
    CLS_TRY(factor_panel(c, j, left));
    CLS_TRY(multiply(c, CLS_COMPUTE, j + left, bottom, j + left, to, j, j + left));
    return factor_panel(c, j + left, width - left);
}

/* ---- the loop ---- */

typedef struct loop {
    cls_cholesky *c;
    const clsolve_cholesky_options *options;
    cls_event *seen[CLS_CHOLESKY_WATCHED]; /* the word has come that says how that panel went */
    cls_event *panel;                      /* the panel is done */
    cls_event *others[2]; /* the others' queues have brought all columns up to date with the panel before */
    cls_event *begun;     /* what has come was brought up to date: its panels come next */
    int turn, failed;
    int late;  /* columns behind those that are factored now have not come, or nothing of them was done */
    int quiet; /* the host neither asks nor waits */
} loop;

static void forget(loop *l, cls_event **event) {
    l->c->device->ops->event_release(l->c->device, *event);
    *event = NULL;
}

/* The word comes in a queue of its own where queues overlap, so that no panel waits for the bus. */
static clsolve_status ask(loop *l) {
    cls_cholesky *c = l->c;
    const cls_device_ops *ops = c->device->ops;
    const cls_queue queue = c->ahead ? CLS_DOWN : CLS_COMPUTE;
    const cls_rect rect = {sizeof(int64_t), 1, 0, sizeof(int64_t), sizeof(int64_t)};

    if (c->ahead) CLS_TRY(ops->queue_wait(c->device, CLS_DOWN, l->panel));
    CLS_TRY(ops->read(c->device, queue, c->info, &c->words[l->turn], &rect, NULL, &l->seen[l->turn]));
    return ops->flush(c->device, queue);
}

/* The host runs ahead of the device. It waits for the panel a few blocks before, to say how far the device is, and to
 * end where that one failed. */
static clsolve_status watch(loop *l, int64_t done) {
    cls_cholesky *c = l->c;
    cls_device *device = c->device;
    const clsolve_cholesky_options *o = l->options;
    const int told = o && o->progress;
    const double left = (double)(c->n - done) / (double)c->n;
    const double share = l->late ? cls_cholesky_work_to(c, done) : c->is_band ? 1.0 - left : 1.0 - left * left * left;

    if (l->quiet || (!told && c->n < (c->tiles ? WATCHED_BY_TILES : WATCHED))) return CLSOLVE_OK;
    CLS_TRY(ask(l));
    l->turn = (l->turn + 1) % CLS_CHOLESKY_WATCHED;
    if (l->seen[l->turn]) {
        CLS_TRY(cls_arrival_wait(c->arrival, device, l->seen[l->turn]));
        forget(l, &l->seen[l->turn]);
        l->failed = c->words[l->turn] != 0;
    }
    if (told) o->progress(o->progress_user, "factor", share);
    return CLSOLVE_OK;
}

/* The columns behind the panel j .. k - 1, the next panel's first. */
static clsolve_status update_ahead(loop *l, int64_t j, int64_t k, int64_t next) {
    /* SOON would be as urgent as the panel; UP is not, and has no other work during a factorization. */
    static const cls_queue queues[2] = {CLS_BESIDE, CLS_UP};
    cls_cholesky *c = l->c;
    const cls_device_ops *ops = c->device->ops;
    const int64_t bottom = cls_cholesky_bottom(c, k);

    for (int q = 0; q < 2; ++q)
        if (l->others[q]) CLS_TRY(ops->queue_wait(c->device, CLS_COMPUTE, l->others[q]));
    CLS_TRY(multiply(c, CLS_COMPUTE, k, bottom, k, next < bottom ? next : bottom, j, k));
    CLS_TRY(ops->flush(c->device, CLS_COMPUTE));
    for (int q = 0; q < 2 && next < bottom; ++q) {
        CLS_TRY(ops->queue_wait(c->device, queues[q], l->panel));
        /* Squares of the panel before may lie in the other queue. */
        if (l->others[1 - q]) CLS_TRY(ops->queue_wait(c->device, queues[q], l->others[1 - q]));
    }
    if (next >= bottom) return CLSOLVE_OK;
    CLS_TRY(multiply_triangle(c, queues, next, bottom, j, k));
    for (int q = 0; q < 2; ++q) {
        forget(l, &l->others[q]);
        CLS_TRY(ops->mark(c->device, queues[q], &l->others[q]));
        CLS_TRY(ops->flush(c->device, queues[q]));
    }
    return CLSOLVE_OK;
}

/* After each panel that others wait for. */
static clsolve_status mark_panel(loop *l) {
    if (!l->c->ahead) return CLSOLVE_OK;
    forget(l, &l->panel);
    return l->c->device->ops->mark(l->c->device, CLS_COMPUTE, &l->panel);
}

/* The columns begin .. end-1; with look-ahead all that are left. */
static clsolve_status factor_blocks(loop *l, int64_t begin, int64_t end) {
    static const cls_queue alone[2] = {CLS_COMPUTE, CLS_COMPUTE};
    cls_cholesky *c = l->c;

    for (int64_t j = begin; j < end && !l->failed; j += c->block) {
        const int64_t k = j + c->block < end ? j + c->block : end, next = k + c->block < end ? k + c->block : end;
        CLS_TRY(factor_panel(c, j, k - j));
        CLS_TRY(mark_panel(l));
        CLS_TRY(watch(l, k));
        if (k == end) break;
        const int64_t bottom = cls_cholesky_bottom(c, k), to = end < bottom ? end : bottom;
        CLS_TRY(c->ahead && !l->late ? update_ahead(l, j, k, next) : multiply_triangle(c, alone, k, to, j, k));
        CLS_TRY(multiply(c, CLS_COMPUTE, end, bottom, k, end, j, k));
    }
    return CLSOLVE_OK;
}

/* ---- columns that come ---- */

/* The columns from .. to-1, less what all columns before them make of them. */
static clsolve_status subtract(cls_cholesky *c, int64_t from, int64_t to) {
    static const cls_queue alone[2] = {CLS_COMPUTE, CLS_COMPUTE};

    if (from == 0) return CLSOLVE_OK;
    if (to - from <= FEW) return multiply(c, CLS_COMPUTE, from, c->n, from, to, 0, from);
    CLS_TRY(multiply_triangle(c, alone, from, to, 0, from));
    return multiply(c, CLS_COMPUTE, to, c->n, from, to, 0, from);
}

/* One group, or all that have come. The host asks when the device has begun with the panels before: until then more
 * columns come, and products of few columns leave much of a device idle. */
static clsolve_status next_columns(loop *l, int64_t from, int64_t *to) {
    cls_cholesky *c = l->c;
    const int64_t next = from + c->arrival_columns;

    if (l->begun) CLS_TRY(cls_arrival_wait(c->arrival, c->device, l->begun));
    forget(l, &l->begun);
    const int64_t arrived = cls_arrival_arrived(c->arrival);
    *to = arrived > next ? arrived : next;
    if (*to > c->n) *to = c->n;
    return cls_arrival_await(c->arrival, CLS_COMPUTE, *to);
}

/* A matrix that turns out to have no factor comes to its end all the same: its last columns may hold a NaN. */
static clsolve_status factor_arriving(loop *l) {
    cls_cholesky *c = l->c;

    for (int64_t j = 0, to; j < c->n && !l->failed; j = to) {
        CLS_TRY(next_columns(l, j, &to));
        l->late = to < c->n;
        CLS_TRY(subtract(c, j, to));
        CLS_TRY(c->device->ops->mark(c->device, CLS_COMPUTE, &l->begun));
        CLS_TRY(c->device->ops->flush(c->device, CLS_COMPUTE));
        CLS_TRY(factor_blocks(l, j, to));
    }
    return cls_arrival_await(c->arrival, CLS_COMPUTE, c->n);
}

/* Nothing is under way when it returns. The first failure is the one to tell. */
static clsolve_status finish(cls_cholesky *c, clsolve_status status) {
    static const cls_queue others[] = {CLS_DOWN, CLS_BESIDE, CLS_UP};
    for (size_t q = 0; q < sizeof others / sizeof *others && c->ahead; ++q) {
        const clsolve_status one = c->device->ops->finish(c->device, others[q]);
        if (status == CLSOLVE_OK) status = one;
    }
    const clsolve_status compute = c->device->ops->finish(c->device, CLS_COMPUTE);
    return status != CLSOLVE_OK ? status : compute;
}

/* Whether it went well or not, nothing is under way when the caller goes on, but for a loop that is quiet and went
 * well: the compute queue's last panel is behind all that is in other queues. */
static clsolve_status run_loop(loop *l, int64_t begin, int64_t end) {
    clsolve_status status = l->c->arrival ? factor_arriving(l) : factor_blocks(l, begin, end);
    if (!l->quiet || status != CLSOLVE_OK) status = finish(l->c, status);
    for (int turn = 0; turn < CLS_CHOLESKY_WATCHED; ++turn) forget(l, &l->seen[turn]);
    forget(l, &l->begun);
    forget(l, &l->panel);
    forget(l, &l->others[0]);
    forget(l, &l->others[1]);
    return status;
}

clsolve_status cls_cholesky_factor_columns(cls_cholesky *cholesky, const clsolve_cholesky_options *options,
                                           int64_t begin, int64_t end) {
    loop l = {.c = cholesky, .options = options};
    return run_loop(&l, begin, end);
}

clsolve_status cls_cholesky_factor_enqueue(cls_cholesky *cholesky) {
    cls_device *device = cholesky->device;
    loop l = {.c = cholesky, .quiet = 1};

    CLS_TRY(device->ops->fill(device, CLS_COMPUTE, cholesky->info, 0, sizeof(int64_t), 0));
    return run_loop(&l, 0, cholesky->n);
}

clsolve_status cls_cholesky_factor(cls_cholesky *cholesky, const clsolve_cholesky_options *options, int64_t *info) {
    cls_cholesky *c = cholesky;
    const cls_rect rect = {sizeof *info, 1, 0, sizeof *info, sizeof *info};

    *info = 0;
    if (c->n == 0) return CLSOLVE_OK;
    if (c->A.mapped) {
        cls_cholesky_lapack_factor(c, info);
        if (options && options->progress) options->progress(options->progress_user, "factor", 1);
        return CLSOLVE_OK;
    }
    CLS_TRY(c->device->ops->fill(c->device, CLS_COMPUTE, c->info, 0, sizeof(int64_t), 0));
    CLS_TRY(cls_cholesky_factor_columns(c, options, 0, c->n));
    CLS_TRY(c->device->ops->read(c->device, CLS_COMPUTE, c->info, info, &rect, NULL, NULL));
    return c->device->ops->finish(c->device, CLS_COMPUTE);
}
