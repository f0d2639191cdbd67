/*
 * blocked.c: Gauss-Jordan by blocks of columns, in place (after E. S. Quintana-Orti, G. Quintana-Orti, X. Sun, R. van de
 * Geijn, A note on parallel matrix inversion, SIAM J. Sci. Comput. 22 (2001), section 4).
 *
 *          j   j+w
 *     A00  A01  A02          for each block of w columns:
 *     A10  A11  A12   j        1. the panel's LU with pivoting, A11 = L11 U11 and A21 = L21 U11; the other columns' rows
 *     A20  A21  A22   j+w         move along; P = the panel, n x w, as it stands then; the panel becomes zero
 *                              2. R = (A10 I A12), w x n
 *                              3. R = L11^-1 R,  (A20 0 A22) -= L21 R
 *                              4. R = U11^-1 R,  (A00 0 A02) -= A01 R,  and R is the new block row
 *
 * Nearly all the work is in the two products, which together have n rows. After the last block A holds the inverse of the
 * matrix with its rows moved; moving the columns back by the same list gives A^-1. For A X = B only the columns right of
 * the panel and B take part, and B becomes X.
 *
 * The published form multiplies by A11^-1 made explicit. Then the residual A X - I grows with the condition of A11, by
 * ten digits for the last block of a nearly singular matrix; solving with L11 and U11 costs 2 w n^2 more and keeps it as
 * small as that of the variants without blocks.
 */
#include "method/gauss_jordan/gauss_jordan.h"

static clsolve_status launch(cls_gj *gj, cls_kernel *kernel, int64_t groups, const cls_arg *args, int32_t count) {
    cls_device *device = gj->lu.device;
    cls_grid grid = {{(size_t)(groups * gj->work_group), 1, 1}, {(size_t)gj->work_group, 1, 1}};
    return device->ops->launch(device, CLS_COMPUTE, kernel, &grid, args, count, NULL, NULL);
}

/* C = C - A B, m x n with inner size k. */
static clsolve_status subtract(cls_gj *gj, int64_t m, int64_t n, int64_t k, cls_ref A, cls_ref B, cls_ref C) {
    cls_device *device = gj->lu.device;
    if (m == 0) return CLSOLVE_OK;
    return device->blas->gemm(device, gj->lu.type, CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, m, n, k, -1, A, B, 1, C);
}

/* The columns j .. j + width - 1 lie together in one slab, in A as in P: what is between columns may go along. */
static clsolve_status take_panel(cls_gj *gj, int64_t j, int64_t width, int clear) {
    cls_device *device = gj->lu.device;
    cls_ref A = cls_matrix_at(&gj->lu.A, 0, j), P = cls_matrix_at(&gj->P, 0, 0);
    size_t size = (size_t)cls_type_size(gj->lu.type), bytes = (size_t)(A.ld * width) * size;

    CLS_TRY(device->ops->copy(device, CLS_COMPUTE, A.buffer, (size_t)A.offset * size, P.buffer, (size_t)P.offset * size,
                              bytes));
    if (!clear) return CLSOLVE_OK;
    return device->ops->fill(device, CLS_COMPUTE, A.buffer, (size_t)A.offset * size, bytes, 0);
}

/* Step 1. Without pivoting only A11 is factored, by one work-group, and P keeps A21 itself. What the panel holds is
 * measured, for find_overflow in gauss_jordan.c. */
static clsolve_status factor_panel(cls_gj *gj, int64_t j, int64_t width, int64_t cols) {
    cls_lu *lu = &gj->lu;
    int64_t n = lu->n, end = j + width;

    if (!gj->pivoting) {
        cls_ref D = cls_matrix_at(&gj->P, j, 0);
        cls_arg args[] = {CLS_BUFFER(D.buffer), CLS_VALUE(D.offset), CLS_VALUE(D.ld),
                          CLS_VALUE(width),     CLS_VALUE(j),        CLS_BUFFER(lu->info)};
        CLS_TRY(cls_check_accumulate(lu->device, &lu->check, &lu->A, j, width, j > 0));
        CLS_TRY(take_panel(gj, j, width, cols < 0));
        return launch(gj, gj->kernels.block_factor, 1, args, 6);
    }
    CLS_TRY(cls_lu_panel(lu, j, width));
    CLS_TRY(cls_check_accumulate(lu->device, &lu->check, &lu->A, j, width, j > 0));
    CLS_TRY(take_panel(gj, j, width, cols < 0));
    if (cols < 0) return n > width ? cls_lu_move_rows(lu, &lu->A, 0, n, j, width, j, end, 0) : CLSOLVE_OK;
    CLS_TRY(cls_lu_move_rows(lu, &lu->A, end, n, n, 0, j, end, 0));
    return cls_lu_move_rows(lu, &lu->B, 0, cols, cols, 0, j, end, 0);
}

/* Steps 2 to 4 for `cols` columns that lie together at M, the first of which is column `first` of A; columns of B count
 * as if they stood right of A. R's columns from `at` on are used. */
static clsolve_status update(cls_gj *gj, cls_ref M, int64_t cols, int64_t first, int64_t at, int64_t j, int64_t width) {
    cls_lu *lu = &gj->lu;
    cls_device *device = lu->device;
    const cls_blas *blas = device->blas;
    int64_t end = j + width, below = lu->n - end;
    int64_t groups = gj->groups > 0 && cols > gj->groups ? gj->groups : cols;
    cls_ref R = cls_matrix_at(&gj->R, 0, at), P = cls_matrix_at(&gj->P, 0, 0), D = cls_ref_at(P, j, 0);
    cls_arg take[] = {CLS_BUFFER(M.buffer), CLS_VALUE(M.offset), CLS_VALUE(M.ld),  CLS_VALUE(cols),
                      CLS_VALUE(first),     CLS_VALUE(j),        CLS_VALUE(width), CLS_BUFFER(R.buffer),
                      CLS_VALUE(R.offset),  CLS_VALUE(R.ld)};
    cls_arg put[] = {CLS_BUFFER(M.buffer), CLS_VALUE(M.offset),  CLS_VALUE(M.ld),     CLS_VALUE(cols), CLS_VALUE(j),
                     CLS_VALUE(width),     CLS_BUFFER(R.buffer), CLS_VALUE(R.offset), CLS_VALUE(R.ld)};

    CLS_TRY(launch(gj, gj->kernels.take_rows, groups, take, 10));
    CLS_TRY(blas->trsm(device, lu->type, CLS_LOWER_UNIT, CLSOLVE_NO_TRANS, width, cols, D, R));
    if (gj->pivoting) CLS_TRY(subtract(gj, below, cols, width, cls_ref_at(P, end, 0), R, cls_ref_at(M, end, 0)));
    CLS_TRY(blas->trsm(device, lu->type, CLS_UPPER, CLSOLVE_NO_TRANS, width, cols, D, R));
    if (!gj->pivoting) CLS_TRY(subtract(gj, below, cols, width, cls_ref_at(P, end, 0), R, cls_ref_at(M, end, 0)));
    CLS_TRY(subtract(gj, j, cols, width, P, R, M));
    return launch(gj, gj->kernels.put_rows, groups, put, 9);
}

static clsolve_status update_all(cls_gj *gj, int64_t cols, int64_t j, int64_t width) {
    cls_lu *lu = &gj->lu;

    for (int64_t c = cols < 0 ? 0 : j + width, run; c < lu->n; c += run) {
        run = cls_matrix_run(&lu->A, c, lu->n);
        CLS_TRY(update(gj, cls_matrix_at(&lu->A, 0, c), run, c, c, j, width));
    }
    for (int64_t c = 0, run; c < cols; c += run) { /* as many columns of B at a time as R holds */
        run = cls_matrix_run(&lu->B, c, cols);
        if (run > lu->n) run = lu->n;
        CLS_TRY(update(gj, cls_matrix_at(&lu->B, 0, c), run, lu->n, 0, j, width));
    }
    return CLSOLVE_OK;
}

/* Columns in order by R: as many rows at a time as R has, each read and written twice, whatever the exchanges are. */
static clsolve_status gather_columns(cls_gj *gj) {
    cls_lu *lu = &gj->lu;
    int64_t n = lu->n, groups = (n + gj->work_group - 1) / gj->work_group;
    cls_ref A = cls_matrix_at(&lu->A, 0, 0), R = cls_matrix_at(&gj->R, 0, 0);
    cls_arg find[] = {CLS_VALUE(n), CLS_BUFFER(lu->ipiv), CLS_BUFFER(lu->sources)};

    CLS_TRY(launch(gj, gj->kernels.column_sources, groups, find, 3));
    for (int64_t j = 0; j < n; j += lu->block) {
        int64_t width = n - j < lu->block ? n - j : lu->block;
        cls_arg gather[] = {CLS_BUFFER(A.buffer), CLS_VALUE(A.offset), CLS_VALUE(A.ld),         CLS_VALUE(n),
                            CLS_VALUE(j),         CLS_VALUE(width),    CLS_BUFFER(lu->sources), CLS_BUFFER(R.buffer),
                            CLS_VALUE(R.offset),  CLS_VALUE(R.ld)};
        cls_arg put[] = {CLS_BUFFER(A.buffer), CLS_VALUE(A.offset),  CLS_VALUE(A.ld),     CLS_VALUE(n),   CLS_VALUE(j),
                         CLS_VALUE(width),     CLS_BUFFER(R.buffer), CLS_VALUE(R.offset), CLS_VALUE(R.ld)};
        CLS_TRY(launch(gj, gj->kernels.gather_rows, n, gather, 10));
        CLS_TRY(launch(gj, gj->kernels.put_rows, n, put, 9));
    }
    return CLSOLVE_OK;
}

/* The inverse's columns back into A's order. In one buffer by R or, where the rows of a group stay in a core's cache, pair by
 * pair in one launch; across slabs pair by pair, from the host. */
static clsolve_status order_columns(cls_gj *gj) {
    cls_lu *lu = &gj->lu;
    cls_device *device = lu->device;
    int64_t n = lu->n, tile = gj->work_group * gj->rows_at_once, groups = (n + tile - 1) / tile;

    if (lu->A.slabs == 1 && gj->R.slabs == 1 && device->info.type != CLSOLVE_DEVICE_CPU) return gather_columns(gj);
    if (lu->A.slabs == 1) {
        cls_ref A = cls_matrix_at(&lu->A, 0, 0);
        cls_arg args[] = {CLS_BUFFER(A.buffer), CLS_VALUE(A.offset), CLS_VALUE(A.ld), CLS_VALUE(n),
                          CLS_BUFFER(lu->ipiv)};
        return launch(gj, gj->kernels.swap_columns, groups, args, 5);
    }
    int64_t pivots[256];
    for (int64_t end = n, begin; end > 0; end = begin) {
        begin = end > 256 ? end - 256 : 0;
        size_t bytes = (size_t)(end - begin) * sizeof *pivots;
        cls_rect rect = {bytes, 1, (size_t)begin * sizeof *pivots, bytes, bytes};
        CLS_TRY(device->ops->read(device, CLS_COMPUTE, lu->ipiv, pivots, &rect, NULL, NULL));
        CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
        for (int64_t k = end - 1; k >= begin; --k) {
            int64_t p = pivots[k - begin] - 1;
            if (p == k) continue;
            cls_ref x = cls_matrix_at(&lu->A, 0, k), y = cls_matrix_at(&lu->A, 0, p);
            cls_arg args[] = {CLS_BUFFER(x.buffer), CLS_VALUE(x.offset), CLS_BUFFER(y.buffer), CLS_VALUE(y.offset),
                              CLS_VALUE(n)};
            CLS_TRY(launch(gj, gj->kernels.swap_pair, groups, args, 5));
        }
    }
    return CLSOLVE_OK;
}

clsolve_status cls_gj_blocked(cls_gj *gj, int64_t cols) {
    cls_lu *lu = &gj->lu;

    for (int64_t j = 0; j < lu->n; j += lu->block) {
        int64_t width = lu->n - j < lu->block ? lu->n - j : lu->block;
        CLS_TRY(factor_panel(gj, j, width, cols));
        CLS_TRY(update_all(gj, cols, j, width));
        CLS_TRY(cls_gj_tell(gj, (double)(j + width) / (double)lu->n));
    }
    return cols < 0 && gj->pivoting && lu->n > 1 ? order_columns(gj) : CLSOLVE_OK;
}
