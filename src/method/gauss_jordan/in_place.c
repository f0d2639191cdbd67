/*
 * in_place.c: blocked.c's steps where the device works in the host's memory and BLAS on the host's cores. The matrix
 * stays mapped from setup on, no kernel touches it, and there is one panel, P:
 *
 *          j   j+w
 *     A00  A01  A02          for each block of w columns:
 *     A10  A11  A12   j        1. the panel's LU with pivoting, by halving; its rows move along in the other columns
 *     A20  A21  A22   j+w      2. P = the panel; the panel = (0 I 0)^T, so that the rows j .. are (A10 I A12)
 *                              3. (A10 I A12) = L11^-1 (A10 I A12),  (A20 0 A22) -= L21 (A10 I A12)
 *                              4. (A10 I A12) = U11^-1 (A10 I A12),  (A00 0 A02) -= A01 (A10 I A12)
 *
 * The block row is solved where it lies, so nothing is taken out or put back. For A X = B the panel keeps L11, U11, L21
 * and A01 where they are, and there is no P at all.
 *
 * Work: 2 n^3, of which the products of step 3 and 4 do all but 2 w n^2 (the triangular solves) and n^2 w / 2 (the
 * panels). These run at a third of a large product's rate or less, so w is small against n; a product with an inner
 * size below 256 loses too, which is where large matrices stop it. Solves are halved down to SMALL rows for the same
 * reason: what the halves exchange is a product.
 */
#include "method/gauss_jordan/gauss_jordan.h"

#include <math.h>
#include <string.h>

#include <cblas.h>
#include <lapacke.h>

#include "base/blas_int.h"
#include "base/host_blas.h"
#include "base/process.h"
#include "method/mapped.h"

enum { SMALL = 64, FEW_BLOCKS = 512 };

int64_t cls_gj_in_place_block(int64_t n) {
    return n <= 256 ? 32 : n <= 512 ? 64 : n < 1536 ? 128 : 256;
}

/* C = C - A B, m x n with inner size k. */
static clsolve_status subtract(cls_gj *gj, int64_t m, int64_t n, int64_t k, cls_ref A, cls_ref B, cls_ref C) {
    if (m == 0 || n == 0) return CLSOLVE_OK;
    return cls_gemm(gj->device, CLS_BLAS_DEFAULT, gj->type, CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, m, n, k, -1, A, B, 1,
                    C);
}

/* B (m x n) = T^-1 B with the half of T that `uplo` says. */
static clsolve_status triangle(cls_gj *gj, cls_uplo uplo, int64_t m, int64_t n, cls_ref T, cls_ref B) {
    int64_t top = m / 2, rest = m - top;
    cls_ref T22 = cls_ref_at(T, top, top), B2 = cls_ref_at(B, top, 0);

    if (n == 0) return CLSOLVE_OK;
    if (m <= SMALL) return cls_trsm(gj->device, CLS_BLAS_DEFAULT, gj->type, uplo, CLSOLVE_NO_TRANS, m, n, T, B);
    if (uplo == CLS_UPPER) {
        CLS_TRY(triangle(gj, uplo, rest, n, T22, B2));
        CLS_TRY(subtract(gj, top, n, rest, cls_ref_at(T, 0, top), B2, B));
        return triangle(gj, uplo, top, n, T, B);
    }
    CLS_TRY(triangle(gj, uplo, top, n, T, B));
    CLS_TRY(subtract(gj, rest, n, top, cls_ref_at(T, top, 0), B, B2));
    return triangle(gj, uplo, rest, n, T22, B2);
}

/* LU of the rows j .. of the columns j .. j + width - 1, rows moving within these columns only. */
static clsolve_status factor_panel(cls_gj *gj, int64_t j, int64_t width, int64_t *info) {
    int64_t left = width / 2, right = width - left, k = j + left, end = j + width;

    if (width <= SMALL) {
        cls_panel_host_factor(&gj->panel, &gj->A, j, gj->n - j, width, info);
        return CLSOLVE_OK;
    }
    cls_ref L = cls_matrix_at(&gj->A, j, j), U = cls_matrix_at(&gj->A, j, k);
    CLS_TRY(factor_panel(gj, j, left, info));
    CLS_TRY(cls_panel_move_rows(&gj->panel, CLS_COMPUTE, &gj->A, k, end, end, 0, j, k, 0));
    CLS_TRY(triangle(gj, CLS_LOWER_UNIT, left, right, L, U));
    CLS_TRY(subtract(gj, gj->n - k, right, left, cls_ref_at(L, left, 0), U, cls_ref_at(U, left, 0)));
    CLS_TRY(factor_panel(gj, k, right, info));
    return cls_panel_move_rows(&gj->panel, CLS_COMPUTE, &gj->A, j, k, k, 0, k, end, 0);
}

/*
 * BLAS passes over zeros, and a pivot that is Inf makes zeros of its row: so Inf and NaN, which the panel may have
 * brought along or made, are looked for in its columns, up to that of the first zero pivot.
 */
static void find_overflow(const cls_gj *gj, int64_t j, int64_t end, int64_t *info) {
    double sum, largest;

    for (int64_t c = j; c < (*info > 0 ? *info - 1 : end); ++c) {
        cls_mapped_column(gj->type, cls_matrix_host(&gj->A, 0, c), gj->n, &sum, &largest);
        if (isfinite(sum)) continue;
        *info = -(c + 1);
        return;
    }
}

void cls_gj_in_place_scale(const cls_matrix *M, int64_t cols, double factor) {
    CLS_HOST_BLAS;
    for (int64_t c = 0; c < cols; ++c)
        if (cls_is_double(M->type))
            cblas_dscal(cls_blas_int(M->rows * cls_type_parts(M->type)), factor, cls_matrix_host(M, 0, c), 1);
        else
            cblas_sscal(cls_blas_int(M->rows * cls_type_parts(M->type)), (float)factor, cls_matrix_host(M, 0, c), 1);
}

/* The imaginary parts, every other number. */
void cls_gj_in_place_conjugate(const cls_matrix *M) {
    CLS_HOST_BLAS;
    for (int64_t c = 0; c < M->cols; ++c) {
        void *column = cls_matrix_host(M, 0, c);
        if (M->type == CLSOLVE_C64)
            cblas_dscal(cls_blas_int(M->rows), -1, (double *)column + 1, 2);
        else
            cblas_sscal(cls_blas_int(M->rows), -1, (float *)column + 1, 2);
    }
}

/* Step 2: the panel into P, which stands in for it from now on. */
static void take_panel(cls_gj *gj, int64_t j, int64_t width) {
    size_t bytes = (size_t)(gj->n * cls_type_size(gj->type));

    for (int64_t c = 0; c < width; ++c) {
        void *column = cls_matrix_host(&gj->A, 0, j + c), *one = cls_matrix_host(&gj->A, j + c, j + c);
        memcpy(cls_matrix_host(&gj->P[0], 0, c), column, bytes);
        memset(column, 0, bytes);
        cls_type_put(gj->type, one, 0, 1);
    }
}

/* Steps 3 and 4 for the columns first .. last-1 of M, the panel being the n x width columns at `panel`. */
static clsolve_status update(cls_gj *gj, const cls_matrix *M, int64_t first, int64_t last, cls_ref panel, int64_t j,
                             int64_t width) {
    int64_t end = j + width, below = gj->n - end;
    cls_ref D = cls_ref_at(panel, j, 0);

    for (int64_t c = first, run; c < last; c += run) {
        run = cls_matrix_run(M, c, last);
        cls_ref top = cls_matrix_at(M, 0, c), R = cls_ref_at(top, j, 0);
        CLS_TRY(triangle(gj, CLS_LOWER_UNIT, width, run, D, R));
        CLS_TRY(subtract(gj, below, run, width, cls_ref_at(panel, end, 0), R, cls_ref_at(top, end, 0)));
        CLS_TRY(triangle(gj, CLS_UPPER, width, run, D, R));
        CLS_TRY(subtract(gj, j, run, width, panel, R, top));
    }
    return CLSOLVE_OK;
}

/* The inverse's columns back into A's order: the rows' exchanges, undone on the columns. */
static void order_columns(cls_gj *gj) {

    CLS_HOST_BLAS;
    for (int64_t k = gj->n - 1; k >= 0; --k) {
        int64_t p = gj->panel.host_pivots[k] - 1;
        if (p == k) continue;
        void *x = cls_matrix_host(&gj->A, 0, k), *y = cls_matrix_host(&gj->A, 0, p);
        const blasint numbers = cls_blas_int(gj->n * cls_type_parts(gj->type));
        if (cls_is_double(gj->type))
            cblas_dswap(numbers, x, 1, y, 1);
        else
            cblas_sswap(numbers, x, 1, y, 1);
    }
}

static clsolve_status step(cls_gj *gj, int64_t cols, int64_t j, int64_t width) {
    int64_t n = gj->n, end = j + width;

    if (cols < 0) {
        CLS_TRY(cls_panel_move_rows(&gj->panel, CLS_COMPUTE, &gj->A, 0, n, j, width, j, end, 0));
        take_panel(gj, j, width);
        return update(gj, &gj->A, 0, n, cls_matrix_at(&gj->P[0], 0, 0), j, width);
    }
    cls_ref panel = cls_matrix_at(&gj->A, 0, j);
    CLS_TRY(cls_panel_move_rows(&gj->panel, CLS_COMPUTE, &gj->A, end, n, n, 0, j, end, 0));
    CLS_TRY(cls_panel_move_rows(&gj->panel, CLS_COMPUTE, &gj->B, 0, cols, cols, 0, j, end, 0));
    CLS_TRY(update(gj, &gj->A, end, n, panel, j, width));
    return update(gj, &gj->B, 0, cols, panel, j, width);
}

/* One pass over a matrix whose columns lie one behind the other. */
static int is_finite(const cls_gj *gj) {
    double sum, largest;
    cls_mapped_column(gj->type, cls_matrix_host(&gj->A, 0, 0), gj->n * gj->n, &sum, &largest);
    return isfinite(sum);
}

/* Small matrices: LAPACK's getrf and getri, which take fewer calls. P is the room that getri wants. */
static void invert_small(cls_gj *gj, int64_t *info) {
    lapack_int n = cls_blas_int(gj->n), ld = cls_blas_int(gj->A.ld),
               room = cls_blas_int(cls_blas_run(gj->n * gj->block));
    void *A = cls_matrix_host(&gj->A, 0, 0), *work = cls_matrix_host(&gj->P[0], 0, 0);
    int *pivots = gj->panel.host_pivots;

    *info = cls_panel_lapack(gj->type, gj->n, gj->n, A, gj->A.ld, pivots);
    if (gj->A.ld != gj->n || !is_finite(gj)) find_overflow(gj, 0, gj->n, info);
    if (*info != 0) return;
    CLS_HOST_BLAS;
    (void)CLS_LAPACKE(gj->type, getri, n, A, ld, pivots, work, room);
    if (gj->progress) gj->progress(gj->progress_user, "eliminate", 1);
}

clsolve_status cls_gj_in_place(cls_gj *gj, int64_t cols, int64_t *info) {
    if (cols < 0 && gj->device->no_kernels && gj->n > 0 && gj->n < FEW_BLOCKS) {
        invert_small(gj, info);
        return CLSOLVE_OK;
    }
    for (int64_t j = 0, width; j < gj->n; j += width) {
        width = gj->n - j < gj->block ? gj->n - j : gj->block;
        CLS_TRY(factor_panel(gj, j, width, info));
        find_overflow(gj, j, j + width, info);
        if (*info != 0) return CLSOLVE_OK; /* there is no solution to go on for */
        CLS_TRY(step(gj, cols, j, width));
        if (gj->progress) gj->progress(gj->progress_user, "eliminate", (double)(j + width) / (double)gj->n);
    }
    if (cols < 0) order_columns(gj);
    return CLSOLVE_OK;
}
