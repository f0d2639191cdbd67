/*
 * blocked.c: Gauss-Jordan by blocks of columns (E. S. Quintana-Orti, G. Quintana-Orti, X. Sun, R. van de Geijn, A note on
 * parallel matrix inversion, SIAM J. Sci. Comput. 22 (2001), section 4).
 *
 *          j   j+w
 *     A00  A01  A02          for each block of w columns, with A11 the pivots' block after the rows have moved:
 *     A10  A11  A12   j        1. the panel's transformation  P = ( -A01 A11^-1 ; A11^-1 ; -A21 A11^-1 ), n x w
 *     A20  A21  A22   j+w      2. R = (A10 I A12), w x n; A's block row and its panel become zero
 *                              3. A = A + P R: nearly all the work, one product
 *
 * The panel is that of dense LU: A11 = L11 U11, A21 = L21 U11, so A11^-1 = U11^-1 L11^-1 and A21 A11^-1 = L21 L11^-1. After
 * the last block A holds the inverse of the matrix with its rows moved; moving the columns back by the same list
 * gives A^-1. For A X = B only the columns right of the panel and B take part, and B becomes X.
 */
#include "method/gauss_jordan/gauss_jordan.h"

static clsolve_status launch(cls_gj *gj, cls_kernel *kernel, int64_t groups, const cls_arg *args, int32_t count) {
    cls_device *device = gj->lu.device;
    cls_grid grid = {{(size_t)(groups * gj->work_group), 1, 1}, {(size_t)gj->work_group, 1, 1}};
    return device->ops->launch(device, CLS_COMPUTE, kernel, &grid, args, count, NULL, NULL);
}

static clsolve_status product(cls_gj *gj, int64_t m, int64_t n, int64_t k, double alpha, cls_ref A, cls_ref B,
                              double beta, cls_ref C) {
    cls_device *device = gj->lu.device;
    return device->blas->gemm(device, gj->lu.type, CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, m, n, k, alpha, A, B, beta, C);
}

/* Step 1 with pivoting: the panel's LU, the same rows moved in the other columns and in B, and P from L and U. */
static clsolve_status transformation(cls_gj *gj, int64_t j, int64_t width, int64_t cols) {
    cls_lu *lu = &gj->lu;
    const cls_blas *blas = lu->device->blas;
    int64_t n = lu->n, end = j + width;
    cls_ref D = cls_matrix_at(&lu->A, j, j), Q = cls_matrix_at(&gj->P, j, 0);

    CLS_TRY(cls_lu_panel(lu, j, width));
    if (cols < 0) {
        if (n > width) CLS_TRY(cls_lu_move_rows(lu, &lu->A, 0, n, j, width, j, end, 0));
    } else {
        CLS_TRY(cls_lu_move_rows(lu, &lu->A, end, n, n, 0, j, end, 0));
        CLS_TRY(cls_lu_move_rows(lu, &lu->B, 0, cols, cols, 0, j, end, 0));
    }
    CLS_TRY(cls_gj_identity(gj, Q, width, width, 0));
    CLS_TRY(blas->trsm(lu->device, lu->type, CLS_LOWER_UNIT, CLSOLVE_NO_TRANS, width, width, D, Q));
    if (end < n)
        CLS_TRY(product(gj, n - end, width, width, -1, cls_ref_at(D, width, 0), Q, 0, cls_ref_at(Q, width, 0)));
    CLS_TRY(blas->trsm(lu->device, lu->type, CLS_UPPER, CLSOLVE_NO_TRANS, width, width, D, Q));
    if (j > 0)
        CLS_TRY(product(gj, j, width, width, -1, cls_matrix_at(&lu->A, 0, j), Q, 0, cls_matrix_at(&gj->P, 0, 0)));
    return CLSOLVE_OK;
}

/* Step 1 without pivoting: A11 is inverted by one work-group. */
static clsolve_status plain_transformation(cls_gj *gj, int64_t j, int64_t width) {
    cls_lu *lu = &gj->lu;
    int64_t n = lu->n, end = j + width;
    cls_ref D = cls_matrix_at(&lu->A, j, j), Q = cls_matrix_at(&gj->P, j, 0);
    cls_arg args[] = {CLS_BUFFER(D.buffer), CLS_VALUE(D.offset), CLS_VALUE(D.ld),
                      CLS_BUFFER(Q.buffer), CLS_VALUE(Q.offset), CLS_VALUE(Q.ld),
                      CLS_VALUE(width),     CLS_VALUE(j),        CLS_BUFFER(lu->info)};

    CLS_TRY(launch(gj, gj->kernels.block_inverse, 1, args, 9));
    if (end < n)
        CLS_TRY(product(gj, n - end, width, width, -1, cls_ref_at(D, width, 0), Q, 0, cls_ref_at(Q, width, 0)));
    if (j > 0)
        CLS_TRY(product(gj, j, width, width, -1, cls_matrix_at(&lu->A, 0, j), Q, 0, cls_matrix_at(&gj->P, 0, 0)));
    return CLSOLVE_OK;
}

/* Step 2 for the columns first .. last-1 of M, in one slab, into the columns of R from `at` on; `shift` is what tells
 * M's columns from the matrix's: a column of B is in no panel. */
static clsolve_status take_rows(cls_gj *gj, cls_ref M, int64_t cols, int64_t first, int64_t j, int64_t width,
                                int64_t at) {
    cls_ref R = cls_matrix_at(&gj->R, 0, at);
    int64_t groups = gj->groups > 0 && cols > gj->groups ? gj->groups : cols;
    cls_arg args[] = {CLS_BUFFER(M.buffer), CLS_VALUE(M.offset), CLS_VALUE(M.ld),  CLS_VALUE(cols),
                      CLS_VALUE(first),     CLS_VALUE(j),        CLS_VALUE(width), CLS_BUFFER(R.buffer),
                      CLS_VALUE(R.offset),  CLS_VALUE(R.ld)};
    return launch(gj, gj->kernels.take_rows, groups, args, 10);
}

/* Steps 2 and 3 for the columns first .. last-1 of A. */
static clsolve_status update(cls_gj *gj, int64_t first, int64_t last, int64_t j, int64_t width) {
    cls_lu *lu = &gj->lu;
    cls_device *device = lu->device;

    for (int64_t c = first, run; c < last; c += run) {
        run = cls_matrix_run(&lu->A, c, last);
        cls_ref A = cls_matrix_at(&lu->A, 0, c);
        CLS_TRY(take_rows(gj, A, run, c, j, width, c));
        if (c <= j && j < c + run) {
            /* The panel's columns lie together: what is between them may be cleared too. */
            cls_ref panel = cls_matrix_at(&lu->A, 0, j);
            size_t size = (size_t)cls_type_size(lu->type);
            CLS_TRY(device->ops->fill(device, CLS_COMPUTE, panel.buffer, (size_t)panel.offset * size,
                                      (size_t)(panel.ld * width) * size, 0));
        }
        CLS_TRY(product(gj, lu->n, run, width, 1, cls_matrix_at(&gj->P, 0, 0), cls_matrix_at(&gj->R, 0, c), 1, A));
    }
    return CLSOLVE_OK;
}

/* Steps 2 and 3 for B, as many columns at a time as R holds. */
static clsolve_status update_rhs(cls_gj *gj, int64_t cols, int64_t j, int64_t width) {
    cls_lu *lu = &gj->lu;

    for (int64_t c = 0, run; c < cols; c += run) {
        run = cls_matrix_run(&lu->B, c, cols);
        if (run > lu->n) run = lu->n;
        cls_ref B = cls_matrix_at(&lu->B, 0, c);
        CLS_TRY(take_rows(gj, B, run, lu->n, j, width, 0)); /* as if they stood right of A: in no panel */
        CLS_TRY(product(gj, lu->n, run, width, 1, cls_matrix_at(&gj->P, 0, 0), cls_matrix_at(&gj->R, 0, 0), 1, B));
    }
    return CLSOLVE_OK;
}

/* The inverse's columns back into A's order. A list for one buffer; across slabs pair by pair, from the host. */
static clsolve_status order_columns(cls_gj *gj) {
    cls_lu *lu = &gj->lu;
    cls_device *device = lu->device;
    int64_t n = lu->n, tile = gj->work_group * gj->rows_at_once, groups = (n + tile - 1) / tile;

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
        CLS_TRY(gj->pivoting ? transformation(gj, j, width, cols) : plain_transformation(gj, j, width));
        CLS_TRY(update(gj, cols < 0 ? 0 : j + width, lu->n, j, width));
        if (cols > 0) CLS_TRY(update_rhs(gj, cols, j, width));
        CLS_TRY(cls_gj_tell(gj, (double)(j + width) / (double)lu->n));
    }
    return cols < 0 && gj->pivoting && lu->n > 1 ? order_columns(gj) : CLSOLVE_OK;
}
