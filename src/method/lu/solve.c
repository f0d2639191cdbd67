#include "method/lu/rbt.h"
#include "method/lu/small.h"
#include "method/lu/sweep.h"

/* A block of a triangular solve: as many columns of A as suit the provider and lie in one slab. */
static int64_t block_at(const cls_lu *lu, int64_t j) {
    int64_t run = cls_matrix_run(&lu->A, j, lu->n), most = lu->device->blas->trsm_block;
    return run < most ? run : most;
}

/* The block that ends before column `end`. Blocks start at multiples of the provider's order from a slab's start. */
static int64_t block_before(const cls_lu *lu, int64_t end) {
    int64_t slab = (end - 1) / lu->A.slab_cols * lu->A.slab_cols, most = lu->device->blas->trsm_block;
    return slab + (end - 1 - slab) / most * most;
}

static clsolve_status product(cls_lu *lu, clsolve_op op, int64_t m, int64_t cols, int64_t k, cls_ref A, cls_ref from,
                              cls_ref to) {
    return cls_gemm(lu->device, CLS_BLAS_DEFAULT, lu->type, op, CLSOLVE_NO_TRANS, m, cols, k, -1.0, A, from, 1.0, to);
}

static clsolve_status triangle(cls_lu *lu, cls_uplo uplo, clsolve_op op, int64_t j, int64_t width, int64_t cols,
                               cls_ref B) {
    return cls_trsm(lu->device, CLS_BLAS_DEFAULT, lu->type, uplo, op, width, cols, cls_matrix_at(&lu->A, j, j),
                    cls_ref_at(B, j, 0));
}

/* L then U: each solved block leaves the rows that are still open. */
static clsolve_status solve_plain(cls_lu *lu, int64_t cols, cls_ref B) {
    int64_t n = lu->n;

    for (int64_t j = 0, width; j < n; j += width) {
        width = block_at(lu, j);
        CLS_TRY(triangle(lu, CLS_LOWER_UNIT, CLSOLVE_NO_TRANS, j, width, cols, B));
        if (j + width < n)
            CLS_TRY(product(lu, CLSOLVE_NO_TRANS, n - j - width, cols, width, cls_matrix_at(&lu->A, j + width, j),
                            cls_ref_at(B, j, 0), cls_ref_at(B, j + width, 0)));
    }
    for (int64_t end = n; end > 0;) {
        int64_t j = block_before(lu, end), width = end - j;
        CLS_TRY(triangle(lu, CLS_UPPER, CLSOLVE_NO_TRANS, j, width, cols, B));
        CLS_TRY(product(lu, CLSOLVE_NO_TRANS, j, cols, width, cls_matrix_at(&lu->A, 0, j), cls_ref_at(B, j, 0), B));
        end = j;
    }
    return CLSOLVE_OK;
}

/* op(U) then op(L), transposed or conjugate too: each block first takes what the solved rows leave, so that A is still
 * read by block columns. */
static clsolve_status solve_transposed(cls_lu *lu, clsolve_op op, int64_t cols, cls_ref B) {
    int64_t n = lu->n;

    for (int64_t j = 0, width; j < n; j += width) {
        width = block_at(lu, j);
        CLS_TRY(product(lu, op, width, cols, j, cls_matrix_at(&lu->A, 0, j), B, cls_ref_at(B, j, 0)));
        CLS_TRY(triangle(lu, CLS_UPPER, op, j, width, cols, B));
    }
    for (int64_t end = n; end > 0;) {
        int64_t j = block_before(lu, end), width = end - j;
        if (end < n)
            CLS_TRY(product(lu, op, width, cols, n - end, cls_matrix_at(&lu->A, end, j), cls_ref_at(B, end, 0),
                            cls_ref_at(B, j, 0)));
        CLS_TRY(triangle(lu, CLS_LOWER_UNIT, op, j, width, cols, B));
        end = j;
    }
    return CLSOLVE_OK;
}

static clsolve_status solve_slab(cls_lu *lu, clsolve_op op, int64_t cols, cls_ref B) {
    if (cls_lu_sweeps(lu, cols)) return cls_lu_sweep(lu, op, cols, B);
    return op == CLSOLVE_NO_TRANS ? solve_plain(lu, cols, B) : solve_transposed(lu, op, cols, B);
}

static clsolve_status move_rows(cls_lu *lu, int64_t cols, int reverse) {
    if (lu->small.on) return cls_lu_small_move(lu, cols, reverse);
    return cls_panel_move_rows(&lu->panel, CLS_COMPUTE, &lu->B, 0, cols, cols, 0, 0, lu->n, reverse);
}

clsolve_status cls_lu_apply(cls_lu *lu, clsolve_op op, int64_t cols) {
    if (lu->n == 0 || cols == 0) return CLSOLVE_OK;
    if (lu->rbt.on) CLS_TRY(cls_lu_rbt_before(lu, op, cols));
    if (op == CLSOLVE_NO_TRANS) CLS_TRY(move_rows(lu, cols, 0));
    for (int64_t c = 0, run; c < cols; c += run) {
        run = cls_matrix_run(&lu->B, c, cols);
        CLS_TRY(solve_slab(lu, op, run, cls_matrix_at(&lu->B, 0, c)));
    }
    if (op != CLSOLVE_NO_TRANS) CLS_TRY(move_rows(lu, cols, 1));
    return lu->rbt.on ? cls_lu_rbt_after(lu, op, cols) : CLSOLVE_OK;
}

static clsolve_status grow(cls_lu *lu, cls_matrix *matrix, int64_t rows, int64_t cols, int64_t others) {
    if (matrix->slab && matrix->rows >= rows && matrix->cols >= cols) return CLSOLVE_OK;
    cls_matrix_destroy(lu->device, matrix);
    int64_t column = cls_matrix_ld(rows, cls_type_size(lu->type)) * cls_type_size(lu->type);
    int64_t left = lu->memory_limit - lu->beside - lu->base_bytes - others;
    if (lu->memory_limit > 0 && cols > left / column)
        return cls_fail(lu->device->error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
                        "%lld right-hand sides want %.0f bytes of device memory, and the memory limit leaves %lld: "
                        "solve for fewer at a time",
                        (long long)(rows == lu->n ? cols : rows), (double)column * (double)cols, (long long)left);
    return cls_matrix_reserve(lu->device, lu->type, rows, cols, lu->slab_bytes, lu->A.mapped != NULL, matrix);
}

clsolve_status cls_lu_reserve(cls_lu *lu, int64_t cols, int row_major) {
    CLS_TRY(grow(lu, &lu->B, lu->n, cols, lu->scratch.bytes));
    return row_major && !lu->A.mapped ? grow(lu, &lu->scratch, cols, lu->n, lu->B.bytes) : CLSOLVE_OK;
}

clsolve_status cls_lu_pivots(cls_lu *lu, int64_t *ipiv) {
    cls_device *device = lu->device;
    size_t bytes = (size_t)lu->n * sizeof *ipiv;
    cls_rect rect = {bytes, 1, 0, bytes, bytes};

    if (lu->panel.hybrid) {
        for (int64_t k = 0; k < lu->n; ++k) ipiv[k] = lu->panel.host_pivots[k];
        return CLSOLVE_OK;
    }
    CLS_TRY(device->ops->read(device, CLS_COMPUTE, lu->panel.ipiv, ipiv, &rect, NULL, NULL));
    return device->ops->finish(device, CLS_COMPUTE);
}
