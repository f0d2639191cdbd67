/*
 * factor.c: A = L L^T. The panel is factored by halves, the triangle right of it is brought up to date by halves too, so
 * that most of both is in products of large blocks; cholesky.h has the picture.
 *
 * With look-ahead the triangle but for the next panel's columns comes in the queue BESIDE, concurrently with that panel:
 *
 *      COMPUTE  panel j | update of panel j+1's columns | panel j+1 | ...
 *      BESIDE           | update of the other columns . . . . . . . . . |
 */
#include "method/cholesky/cholesky.h"

#include <math.h>

#include "blas/blas.h"
#include "method/mapped.h"

enum { BASE = 256 };       /* columns of a triangle that is multiplied as a square */
enum { ROWS = 64 };        /* of a work-group of cholesky_rows */
enum { LEAF_ITEMS = 256 }; /* of cholesky_leaf */
enum { WATCHED = 2048 };   /* from so many columns on it is worth asking whether the factorization has failed */

/* ---- products ---- */

/* The rows top .. bottom - 1 of the columns from .. to - 1, less what the columns p .. q - 1 of L make of them. */
static clsolve_status multiply(cls_cholesky *c, cls_queue queue, int64_t top, int64_t bottom, int64_t from, int64_t to,
                               int64_t p, int64_t q) {
    if (top >= bottom) return CLSOLVE_OK;
    for (int64_t j = from, run; j < to; j += run) { /* slab by slab */
        run = cls_matrix_run(&c->A, j, to);
        for (int64_t k = p, inner; k < q; k += inner) {
            inner = cls_matrix_run(&c->A, k, q);
            CLS_TRY(cls_gemm(c->device, cls_blas_in(queue), c->type, CLSOLVE_NO_TRANS, CLSOLVE_TRANS, bottom - top, run,
                             inner, -1.0, cls_matrix_at(&c->A, top, k), cls_matrix_at(&c->A, j, k), 1.0,
                             cls_matrix_at(&c->A, top, j)));
        }
    }
    return CLSOLVE_OK;
}

/* The same of the lower triangle of the rows and columns from .. to - 1. What lies above the diagonal in squares of BASE
 * columns is computed too, and nobody reads it. */
static clsolve_status multiply_triangle(cls_cholesky *c, cls_queue queue, int64_t from, int64_t to, int64_t p,
                                        int64_t q) {
    if (to - from <= BASE) return multiply(c, queue, from, to, from, to, p, q);
    const int64_t middle = from + (to - from + 2 * BASE - 1) / (2 * BASE) * BASE;
    CLS_TRY(multiply_triangle(c, queue, from, middle, p, q));
    CLS_TRY(multiply(c, queue, middle, to, from, middle, p, q));
    return multiply_triangle(c, queue, middle, to, p, q);
}

/* ---- the panel ---- */

clsolve_status cls_cholesky_leaf(cls_cholesky *cholesky, int64_t j, int64_t width) {
    cls_cholesky *c = cholesky;
    const cls_ref at = cls_matrix_at(&c->A, j, j);
    const int64_t rows = c->n - j - width;
    const int32_t m = (int32_t)width;
    cls_grid one = {{LEAF_ITEMS, 1, 1}, {LEAF_ITEMS, 1, 1}};
    cls_grid all = {{(size_t)((rows + ROWS - 1) / ROWS * ROWS), 1, 1}, {ROWS, 1, 1}};
    cls_arg diagonal[] = {CLS_BUFFER(at.buffer), CLS_VALUE(at.offset), CLS_VALUE(at.ld),
                          CLS_VALUE(m),          CLS_VALUE(j),         CLS_BUFFER(c->info)};
    cls_arg below[] = {CLS_BUFFER(at.buffer), CLS_VALUE(at.offset), CLS_VALUE(at.ld),
                       CLS_VALUE(m),          CLS_VALUE(rows),      CLS_BUFFER(c->info)};

    CLS_TRY(cls_launch(c->device, CLS_COMPUTE, c->leaf_kernel, &one, CLS_ARGS(diagonal)));
    return rows > 0 ? cls_launch(c->device, CLS_COMPUTE, c->rows_kernel, &all, CLS_ARGS(below)) : CLSOLVE_OK;
}

/* The columns j .. j + width - 1, all rows from j on. */
static clsolve_status factor_panel(cls_cholesky *c, int64_t j, int64_t width) {
    if (width <= c->leaf) return cls_cholesky_leaf(c, j, width);
    const int64_t left = (width / 2 + c->leaf - 1) / c->leaf * c->leaf;
    CLS_TRY(factor_panel(c, j, left));
    CLS_TRY(multiply(c, CLS_COMPUTE, j + left, c->n, j + left, j + width, j, j + left));
    return factor_panel(c, j + left, width - left);
}

/* ---- the loop ---- */

typedef struct loop {
    cls_cholesky *c;
    const clsolve_cholesky_options *options;
    cls_event *seen[2]; /* the word has come that says how the panel before last went */
    cls_event *panel;   /* the panel is done */
    cls_event *beside;  /* BESIDE has brought all columns up to date with the panel before */
    int turn, failed;
} loop;

static void forget(loop *l, cls_event **event) {
    l->c->device->ops->event_release(l->c->device, *event);
    *event = NULL;
}

/* The host runs ahead of the device. It waits for the panel before last, to say how far the device is, and to end where
 * that one failed. */
static clsolve_status watch(loop *l, int64_t done) {
    cls_cholesky *c = l->c;
    cls_device *device = c->device;
    const clsolve_cholesky_options *o = l->options;
    const int turn = l->turn, told = o && o->progress;
    const double left = (double)(c->n - done) / (double)c->n;
    const cls_rect rect = {sizeof(int64_t), 1, 0, sizeof(int64_t), sizeof(int64_t)};

    if (!told && c->n < WATCHED) return CLSOLVE_OK;
    CLS_TRY(device->ops->read(device, CLS_COMPUTE, c->info, &c->words[turn], &rect, NULL, &l->seen[turn]));
    CLS_TRY(device->ops->flush(device, CLS_COMPUTE));
    l->turn = 1 - turn;
    if (l->seen[l->turn]) {
        CLS_TRY(device->ops->event_wait(device, l->seen[l->turn]));
        forget(l, &l->seen[l->turn]);
        l->failed = c->words[l->turn] != 0;
    }
    if (told) o->progress(o->progress_user, "factor", 1.0 - left * left * left);
    return CLSOLVE_OK;
}

/* The columns behind the panel j .. k - 1, the next panel's first. */
static clsolve_status update_ahead(loop *l, int64_t j, int64_t k, int64_t next) {
    cls_cholesky *c = l->c;
    const cls_device_ops *ops = c->device->ops;

    forget(l, &l->panel);
    CLS_TRY(ops->mark(c->device, CLS_COMPUTE, &l->panel));
    if (l->beside) CLS_TRY(ops->queue_wait(c->device, CLS_COMPUTE, l->beside));
    CLS_TRY(multiply(c, CLS_COMPUTE, k, c->n, k, next, j, k));
    if (next >= c->n) return CLSOLVE_OK;
    CLS_TRY(ops->queue_wait(c->device, CLS_BESIDE, l->panel));
    CLS_TRY(multiply_triangle(c, CLS_BESIDE, next, c->n, j, k));
    forget(l, &l->beside);
    CLS_TRY(ops->mark(c->device, CLS_BESIDE, &l->beside));
    CLS_TRY(ops->flush(c->device, CLS_COMPUTE));
    return ops->flush(c->device, CLS_BESIDE);
}

static clsolve_status factor_blocks(loop *l) {
    cls_cholesky *c = l->c;
    const int64_t n = c->n;

    for (int64_t j = 0; j < n && !l->failed; j += c->block) {
        const int64_t k = j + c->block < n ? j + c->block : n, next = k + c->block < n ? k + c->block : n;
        CLS_TRY(factor_panel(c, j, k - j));
        CLS_TRY(watch(l, k));
        if (k == n) break;
        CLS_TRY(c->ahead ? update_ahead(l, j, k, next) : multiply_triangle(c, CLS_COMPUTE, k, n, j, k));
    }
    return CLSOLVE_OK;
}

static clsolve_status run_loop(cls_cholesky *c, const clsolve_cholesky_options *options) {
    loop l = {.c = c, .options = options};

    clsolve_status status = c->device->ops->fill(c->device, CLS_COMPUTE, c->info, 0, sizeof(int64_t), 0);
    if (status == CLSOLVE_OK) status = factor_blocks(&l);
    /* Nothing is under way when the caller goes on, whether it went well or not. */
    clsolve_status beside = l.beside ? c->device->ops->finish(c->device, CLS_BESIDE) : CLSOLVE_OK;
    clsolve_status compute = c->device->ops->finish(c->device, CLS_COMPUTE);
    forget(&l, &l.seen[0]);
    forget(&l, &l.seen[1]);
    forget(&l, &l.panel);
    forget(&l, &l.beside);
    return status != CLSOLVE_OK ? status : beside != CLSOLVE_OK ? beside : compute;
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
    CLS_TRY(run_loop(c, options));
    CLS_TRY(c->device->ops->read(c->device, CLS_COMPUTE, c->info, info, &rect, NULL, NULL));
    return c->device->ops->finish(c->device, CLS_COMPUTE);
}

/* ---- the determinant: the square of that of L ---- */

static clsolve_status multiply_diagonal(cls_cholesky *c, double *mantissa, int64_t *exponent) {
    enum { JOIN = 32 }; /* as in cl/lu_det.cl */
    cls_grid one = {{JOIN, 1, 1}, {JOIN, 1, 1}};
    int64_t words[CLS_RECORD_WORDS];
    cls_measures none;

    c->check.is_mapped = 0;
    for (int64_t j = 0, run; j < c->n; j += run) {
        run = cls_matrix_run(&c->A, j, c->n);
        cls_ref ref = cls_matrix_at(&c->A, 0, j);
        int32_t swapped = 0, more = j > 0;
        cls_arg args[] = {CLS_BUFFER(ref.buffer), CLS_VALUE(ref.offset), CLS_VALUE(ref.ld),
                          CLS_VALUE(j),           CLS_VALUE(run),        CLS_BUFFER(c->info),
                          CLS_VALUE(swapped),     CLS_VALUE(more),       CLS_BUFFER(c->check.record)};
        CLS_TRY(cls_launch(c->device, CLS_COMPUTE, c->det, &one, CLS_ARGS(args)));
    }
    CLS_TRY(cls_check_read(c->device, &c->check, c->n, &none, words));
    *mantissa = cls_check_real(&c->check, &words[CLS_RECORD_MANTISSA]);
    *exponent = words[CLS_RECORD_EXPONENT];
    return CLSOLVE_OK;
}

clsolve_status cls_cholesky_determinant(cls_cholesky *cholesky, cls_growth *growth) {
    double mantissa[2] = {1, 0};
    int64_t exponent = 0;

    *growth = cls_growth_begin();
    if (cholesky->n == 0) return CLSOLVE_OK;
    if (cholesky->A.mapped)
        cls_mapped_diagonal(&cholesky->A, mantissa, &exponent);
    else
        CLS_TRY(multiply_diagonal(cholesky, &mantissa[0], &exponent));
    growth->log_abs_det = 2 * (log(fabs(mantissa[0])) + (double)exponent * log(2));
    return CLSOLVE_OK;
}
