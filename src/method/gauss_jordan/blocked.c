/*
 * blocked.c: Gauss-Jordan by blocks of columns, in place (after E. S. Quintana-Orti, G. Quintana-Orti, X. Sun, R. van
 * de Geijn, A note on parallel matrix inversion, SIAM J. Sci. Comput. 22 (2001), section 4).
 *
 *          j   j+w
 *     A00  A01  A02          for each block of w columns:
 *     A10  A11  A12   j        1. the panel's LU with pivoting, A11 = L11 U11 and A21 = L21 U11; the other columns'
 *     A20  A21  A22   j+w         rows move along; P = the panel, n x w, as it stands then; the panel becomes zero
 *                              2. R = (A10 I A12), w x n
 *                              3. R = L11^-1 R,  (A20 0 A22) -= L21 R
 *                              4. R = U11^-1 R,  (A00 0 A02) -= A01 R,  and R is the new block row
 *
 * Nearly all the work is in the two products, which together have n rows. After the last block A holds the inverse of
 * the matrix with its rows moved; moving the columns back by the same list gives A^-1. For A X = B only the columns
 * right of the panel and B take part, and B becomes X.
 *
 * The published form multiplies by A11^-1 made explicit. Then the residual A X - I grows with the condition of A11, by
 * ten digits for the last block of a nearly singular matrix; solving with L11 and U11 costs 2 w n^2 more and keeps it
 * as small as that of the variants without blocks.
 *
 * Where kernels in a second queue are known to run concurrently with those in the first, the next panel overlaps the
 * products, as in lu/factor.c:
 *
 *      COMPUTE  panel j | columns of panel j+1 as block j wants them | panel j+1 | ...
 *      BESIDE           | all other columns . . . . . . . . . . . . . . . . . . .| ...
 *
 * The panel that BESIDE multiplies by and the one that COMPUTE factors are then two.
 */
#include "method/gauss_jordan/gauss_jordan.h"

static clsolve_status launch(cls_gj *gj, cls_queue queue, cls_kernel *kernel, int64_t groups, cls_args args) {
    cls_grid grid = {{(size_t)(groups * gj->work_group), 1, 1}, {(size_t)gj->work_group, 1, 1}};
    return cls_launch(gj->device, queue, kernel, &grid, args);
}

/* A block of columns, and which of the two panels it has. `cols`: right-hand sides, below 0 for the inverse. */
typedef struct block {
    int64_t j, width, cols;
    int slot;
} block;

static block block_at(const cls_gj *gj, int64_t j, int64_t cols) {
    int64_t left = gj->n - j, size = gj->block;
    int slot = gj->ahead && j / size % 2 == 1;
    return (block){j, left < size ? left : size, cols, slot};
}

/* C = C - A B, m x n with inner size k. */
static clsolve_status subtract(cls_gj *gj, cls_queue queue, int64_t m, int64_t n, int64_t k, cls_ref A, cls_ref B,
                               cls_ref C) {
    if (m == 0) return CLSOLVE_OK;
    return cls_gemm(gj->device, cls_blas_in(queue), gj->type, CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, m, n, k, -1, A, B, 1,
                    C);
}

/* The columns j .. j + width - 1 lie together in one slab, in A as in P: what is between columns may go along. */
static clsolve_status take_panel(cls_gj *gj, block k) {
    cls_device *device = gj->device;
    cls_ref A = cls_matrix_at(&gj->A, 0, k.j), P = cls_matrix_at(&gj->P[k.slot], 0, 0);
    size_t size = (size_t)cls_type_size(gj->type), bytes = (size_t)(A.ld * k.width) * size;

    CLS_TRY(device->ops->copy(device, CLS_COMPUTE, A.buffer, (size_t)A.offset * size, P.buffer, (size_t)P.offset * size,
                              bytes));
    if (k.cols >= 0) return CLSOLVE_OK;
    return device->ops->fill(device, CLS_COMPUTE, A.buffer, (size_t)A.offset * size, bytes, 0);
}

/* Step 1, but for the other columns' rows. Without pivoting only A11 is factored, by one work-group, and P keeps A21
 * itself. The panel is measured, for find_overflow in eliminate.c. */
static clsolve_status factor_panel(cls_gj *gj, block k) {

    if (gj->pivoting) {
        CLS_TRY(cls_panel_factor(&gj->panel, &gj->A, k.j, gj->n - k.j, k.width));
        CLS_TRY(cls_panel_merge_moves(&gj->panel, CLS_COMPUTE, k.j, k.width));
    }
    CLS_TRY(cls_check_accumulate(gj->device, &gj->check, CLS_COMPUTE, &gj->A, k.j, k.width, CLS_CHECK_WHOLE, k.j > 0));
    CLS_TRY(take_panel(gj, k));
    if (gj->pivoting) return CLSOLVE_OK;
    cls_ref D = cls_matrix_at(&gj->P[k.slot], k.j, 0);
    cls_arg args[] = {CLS_REF(D), CLS_VALUE(k.width), CLS_VALUE(k.j), CLS_BUFFER(gj->panel.info)};
    return launch(gj, CLS_COMPUTE, gj->kernels.block_factor, 1, CLS_ARGS(args));
}

/* Steps 2 to 4 for `cols` columns that lie together at M, the first of which is column `first` of A; columns of B count
 * as if they stood right of A. R's columns from `at` on are used. */
static clsolve_status update(cls_gj *gj, cls_queue queue, block k, cls_ref M, int64_t cols, int64_t first, int64_t at) {
    cls_device *device = gj->device;
    int64_t j = k.j, width = k.width, end = j + width, below = gj->n - end;
    int64_t groups = gj->groups > 0 && cols > gj->groups ? gj->groups : cols;
    cls_ref R = cls_matrix_at(&gj->R, 0, at), P = cls_matrix_at(&gj->P[k.slot], 0, 0), D = cls_ref_at(P, j, 0);
    cls_arg take[] = {CLS_REF(M), CLS_VALUE(cols), CLS_VALUE(first), CLS_VALUE(j), CLS_VALUE(width), CLS_REF(R)};
    cls_arg put[] = {CLS_REF(M), CLS_VALUE(cols), CLS_VALUE(j), CLS_VALUE(width), CLS_REF(R)};

    CLS_TRY(launch(gj, queue, gj->kernels.take_rows, groups, CLS_ARGS(take)));
    CLS_TRY(cls_trsm(device, cls_blas_in(queue), gj->type, CLS_LOWER_UNIT, CLSOLVE_NO_TRANS, width, cols, D, R));
    if (gj->pivoting) CLS_TRY(subtract(gj, queue, below, cols, width, cls_ref_at(P, end, 0), R, cls_ref_at(M, end, 0)));
    CLS_TRY(cls_trsm(device, cls_blas_in(queue), gj->type, CLS_UPPER, CLSOLVE_NO_TRANS, width, cols, D, R));
    if (!gj->pivoting)
        CLS_TRY(subtract(gj, queue, below, cols, width, cls_ref_at(P, end, 0), R, cls_ref_at(M, end, 0)));
    CLS_TRY(subtract(gj, queue, j, cols, width, P, R, M));
    return launch(gj, queue, gj->kernels.put_rows, groups, CLS_ARGS(put));
}

/* The step of block k, in that queue, on the columns from .. to-1 of A, the panel's own, which are zeros by now, or
 * none of those among them. */
static clsolve_status apply(cls_gj *gj, cls_queue queue, block k, int64_t from, int64_t to) {
    int64_t end = k.j + k.width;
    int own = from <= k.j && end <= to;

    if (from >= to) return CLSOLVE_OK;
    if (gj->pivoting && !(own && to - from == k.width))
        CLS_TRY(
            cls_panel_move_rows(&gj->panel, queue, &gj->A, from, to, own ? k.j : to, own ? k.width : 0, k.j, end, 0));
    for (int64_t c = from, run; c < to; c += run) {
        run = cls_matrix_run(&gj->A, c, to);
        CLS_TRY(update(gj, queue, k, cls_matrix_at(&gj->A, 0, c), run, c, c));
    }
    return CLSOLVE_OK;
}

static clsolve_status apply_to_sides(cls_gj *gj, block k) {

    if (k.cols > 0 && gj->pivoting)
        CLS_TRY(cls_panel_move_rows(&gj->panel, CLS_COMPUTE, &gj->B, 0, k.cols, k.cols, 0, k.j, k.j + k.width, 0));
    for (int64_t c = 0, run; c < k.cols; c += run) { /* as many columns of B at a time as R holds */
        run = cls_matrix_run(&gj->B, c, k.cols);
        if (run > gj->n) run = gj->n;
        CLS_TRY(update(gj, CLS_COMPUTE, k, cls_matrix_at(&gj->B, 0, c), run, gj->n, 0));
    }
    return CLSOLVE_OK;
}

/* Columns in order by R: as many rows at a time as R has, each read and written twice, whatever the exchanges are. */
static clsolve_status gather_columns(cls_gj *gj) {
    int64_t n = gj->n, groups = (n + gj->work_group - 1) / gj->work_group;
    cls_ref A = cls_matrix_at(&gj->A, 0, 0), R = cls_matrix_at(&gj->R, 0, 0);
    cls_arg find[] = {CLS_VALUE(n), CLS_BUFFER(gj->panel.ipiv), CLS_BUFFER(gj->panel.sources)};

    CLS_TRY(launch(gj, CLS_COMPUTE, gj->kernels.column_sources, groups, CLS_ARGS(find)));
    for (int64_t j = 0; j < n; j += gj->block) {
        int64_t width = n - j < gj->block ? n - j : gj->block;
        cls_arg gather[] = {CLS_REF(A), CLS_VALUE(n), CLS_VALUE(j), CLS_VALUE(width), CLS_BUFFER(gj->panel.sources),
                            CLS_REF(R)};
        cls_arg put[] = {CLS_REF(A), CLS_VALUE(n), CLS_VALUE(j), CLS_VALUE(width), CLS_REF(R)};
        CLS_TRY(launch(gj, CLS_COMPUTE, gj->kernels.gather_rows, n, CLS_ARGS(gather)));
        CLS_TRY(launch(gj, CLS_COMPUTE, gj->kernels.put_rows, n, CLS_ARGS(put)));
    }
    return CLSOLVE_OK;
}

/* The inverse's columns back into A's order. In one buffer by R or, where the rows of a group stay in a core's cache,
 * pair by pair in one launch; across slabs pair by pair, from the host. */
static clsolve_status order_columns(cls_gj *gj) {
    cls_device *device = gj->device;
    int64_t n = gj->n, tile = gj->work_group * gj->rows_at_once, groups = (n + tile - 1) / tile;

    if (gj->A.slabs == 1 && gj->R.slabs == 1 && device->info.type != CLSOLVE_DEVICE_CPU) return gather_columns(gj);
    if (gj->A.slabs == 1) {
        cls_ref A = cls_matrix_at(&gj->A, 0, 0);
        cls_arg args[] = {CLS_REF(A), CLS_VALUE(n), CLS_BUFFER(gj->panel.ipiv)};
        return launch(gj, CLS_COMPUTE, gj->kernels.swap_columns, groups, CLS_ARGS(args));
    }
    int64_t pivots[256];
    for (int64_t end = n, begin; end > 0; end = begin) {
        begin = end > 256 ? end - 256 : 0;
        size_t bytes = (size_t)(end - begin) * sizeof *pivots;
        CLS_TRY(cls_bytes_get(device, gj->panel.ipiv, (size_t)begin * sizeof *pivots, pivots, bytes));
        for (int64_t k = end - 1; k >= begin; --k) {
            int64_t p = pivots[k - begin] - 1;
            if (p == k || p < 0 || p >= n) continue; /* beyond n: of a leaf that gave up, see method/panel/resident.c */
            cls_ref x = cls_matrix_at(&gj->A, 0, k), y = cls_matrix_at(&gj->A, 0, p);
            cls_arg args[] = {CLS_BUFFER(x.buffer), CLS_VALUE(x.offset), CLS_BUFFER(y.buffer), CLS_VALUE(y.offset),
                              CLS_VALUE(n)};
            CLS_TRY(launch(gj, CLS_COMPUTE, gj->kernels.swap_pair, groups, CLS_ARGS(args)));
        }
    }
    return CLSOLVE_OK;
}

static clsolve_status tell(cls_gj *gj, block k) {
    return cls_gj_tell(gj, (double)(k.j + k.width) / (double)gj->n);
}

static clsolve_status eliminate(cls_gj *gj, int64_t cols) {
    for (int64_t j = 0; j < gj->n; j += gj->block) {
        const block k = block_at(gj, j, cols);
        CLS_TRY(factor_panel(gj, k));
        CLS_TRY(apply(gj, CLS_COMPUTE, k, cols < 0 ? 0 : j + k.width, gj->n));
        CLS_TRY(apply_to_sides(gj, k));
        CLS_TRY(tell(gj, k));
    }
    return CLSOLVE_OK;
}

/* ---- the next panel, concurrently with the products ---- */

/* All columns but those of the next panel, `next` of them, once COMPUTE has come to `ready`. *done: BESIDE has done. */
static clsolve_status beside(cls_gj *gj, block k, int64_t next, cls_event *ready, cls_event **done) {
    cls_device *device = gj->device;
    const cls_device_ops *ops = device->ops;
    int64_t end = k.j + k.width;

    clsolve_status status = ops->flush(device, CLS_COMPUTE);
    if (status == CLSOLVE_OK) status = ops->queue_wait(device, CLS_BESIDE, ready);
    if (status == CLSOLVE_OK) status = apply(gj, CLS_BESIDE, k, end + next, gj->n);
    if (status == CLSOLVE_OK && k.cols < 0) status = apply(gj, CLS_BESIDE, k, 0, end);
    if (status == CLSOLVE_OK) status = ops->mark(device, CLS_BESIDE, done);
    if (status == CLSOLVE_OK) status = ops->flush(device, CLS_BESIDE);
    return status;
}

/*
 * One block, whose panel is factored. *done: BESIDE has done with the block before; becomes the same of this one. Where
 * products take longer than a panel they begin before what the next panel wants; else with that panel, so that its
 * groups, which may have to run together, find room.
 */
static clsolve_status step(cls_gj *gj, block k, cls_event **done) {
    cls_device *device = gj->device;
    const cls_device_ops *ops = device->ops;
    cls_event *ready = NULL, *before = *done;
    int64_t end = k.j + k.width;
    const block next = block_at(gj, end, k.cols);
    const int products_first = gj->products_first;
    clsolve_status status = CLSOLVE_OK;

    *done = NULL;
    if (products_first) status = ops->mark(device, CLS_COMPUTE, &ready);
    if (status == CLSOLVE_OK && products_first) status = beside(gj, k, next.width, ready, done);
    if (status == CLSOLVE_OK && before) status = ops->queue_wait(device, CLS_COMPUTE, before);
    if (status == CLSOLVE_OK) status = apply(gj, CLS_COMPUTE, k, end, end + next.width);
    if (status == CLSOLVE_OK && !products_first) status = ops->mark(device, CLS_COMPUTE, &ready);
    if (status == CLSOLVE_OK && next.width > 0) status = factor_panel(gj, next);
    if (status == CLSOLVE_OK && !products_first) status = beside(gj, k, next.width, ready, done);
    ops->event_release(device, ready);
    ops->event_release(device, before);
    return status;
}

static clsolve_status eliminate_ahead(cls_gj *gj) {
    cls_device *device = gj->device;
    cls_event *done = NULL;
    clsolve_status status = factor_panel(gj, block_at(gj, 0, -1));

    for (int64_t j = 0; j < gj->n && status == CLSOLVE_OK; j += gj->block) {
        const block k = block_at(gj, j, -1);
        status = step(gj, k, &done);
        if (status == CLSOLVE_OK) status = tell(gj, k);
    }
    if (status == CLSOLVE_OK && done) status = device->ops->queue_wait(device, CLS_COMPUTE, done);
    device->ops->event_release(device, done);
    /* After a failure nothing may still run in memory that its owner gives back. */
    if (status != CLSOLVE_OK) (void)device->ops->finish(device, CLS_BESIDE);
    return status;
}

clsolve_status cls_gj_blocked(cls_gj *gj, int64_t cols) {
    CLS_TRY(gj->ahead && cols < 0 ? eliminate_ahead(gj) : eliminate(gj, cols));
    return cols < 0 && gj->pivoting && gj->n > 1 ? order_columns(gj) : CLSOLVE_OK;
}
