/*
 * out_of_core_solve.c: op(A) X = B with factors that stream by, first one half and then the other. B lies in the window
 * that the factorization has on A.
 *
 *      A:    for each slab K: move rows of B as its pivots say, B = L_K^-1 B;   then U from the right
 *      A^T:  U^T from the left;   then for each slab K from the right: B = L_K^-T B, move rows back
 */
#include "method/lu/out_of_core.h"

#include <string.h>

#include "base/clock.h"
#include "base/memory.h"

typedef struct right_side {
    cls_matrix B;
    int64_t cols;
    clsolve_op op;
} right_side;

static clsolve_status solve_block(cls_lu *lu, const right_side *r, cls_uplo half, int64_t j, int64_t width, cls_ref at,
                                  int64_t c, int64_t run) {
    cls_ref T = half == CLS_LOWER_UNIT ? at : cls_ref_at(at, j, 0);
    return cls_trsm(lu->device, CLS_BLAS_DEFAULT, lu->type, half, r->op, width, run, T, cls_matrix_at(&r->B, j, c));
}

/* What lies off the block's diagonal: rows first.. of B, `rows` of them, for A receive, for A^T give. */
static clsolve_status apply_rest(cls_lu *lu, const right_side *r, int64_t j, int64_t width, cls_ref rest, int64_t first,
                                 int64_t rows, int64_t c, int64_t run) {
    cls_ref mine = cls_matrix_at(&r->B, j, c), others = cls_matrix_at(&r->B, first < lu->n ? first : 0, c);
    if (rows == 0) return CLSOLVE_OK;
    if (r->op == CLSOLVE_NO_TRANS)
        return cls_gemm(lu->device, CLS_BLAS_DEFAULT, lu->type, r->op, CLSOLVE_NO_TRANS, rows, run, width, -1.0, rest,
                        mine, 1.0, others);
    return cls_gemm(lu->device, CLS_BLAS_DEFAULT, lu->type, r->op, CLSOLVE_NO_TRANS, width, run, rows, -1.0, rest,
                    others, 1.0, mine);
}

static clsolve_status use_half(cls_lu *lu, const right_side *r, cls_uplo half, int64_t j, int64_t width, cls_ref at) {
    int64_t k = j + width, lower = half == CLS_LOWER_UNIT;
    int64_t first = lower ? k : 0, rows = lower ? lu->n - k : j;
    cls_ref rest = lower ? cls_ref_at(at, width, 0) : at;

    for (int64_t c = 0, run; c < r->cols; c += run) {
        run = cls_matrix_run(&r->B, c, r->cols);
        if (run > CLS_LU_OUT_COLUMNS) run = CLS_LU_OUT_COLUMNS;
        if (r->op != CLSOLVE_NO_TRANS) CLS_TRY(apply_rest(lu, r, j, width, rest, first, rows, c, run));
        CLS_TRY(solve_block(lu, r, half, j, width, at, c, run));
        if (r->op == CLSOLVE_NO_TRANS) CLS_TRY(apply_rest(lu, r, j, width, rest, first, rows, c, run));
    }
    return CLSOLVE_OK;
}

/* The moves of the slab that begins at column j, forth or back; none where no slab begins. */
static clsolve_status move(cls_lu *lu, const right_side *r, int64_t j) {
    int64_t end = lu->n - j < lu->out.slab ? lu->n : j + lu->out.slab;
    if (j % lu->out.slab != 0) return CLSOLVE_OK;
    return cls_panel_move_rows(&lu->panel, CLS_COMPUTE, &r->B, 0, r->cols, r->cols, 0, j, end,
                               r->op != CLSOLVE_NO_TRANS);
}

static clsolve_status use_lower(cls_lu *lu, int64_t j, int64_t width, cls_ref at, void *user) {
    const right_side *r = user;
    if (r->op == CLSOLVE_NO_TRANS) CLS_TRY(move(lu, r, j));
    CLS_TRY(use_half(lu, r, CLS_LOWER_UNIT, j, width, at));
    return r->op != CLSOLVE_NO_TRANS ? move(lu, r, j) : CLSOLVE_OK;
}

static clsolve_status use_upper(cls_lu *lu, int64_t j, int64_t width, cls_ref at, void *user) {
    return use_half(lu, user, CLS_UPPER, j, width, at);
}

static clsolve_status check(cls_lu *lu, const right_side *r, int64_t begin, cls_place *place) {
    CLS_TRY(cls_check_finite(lu->device, &lu->check, &r->B, r->cols, &place->row, &place->column));
    place->column += begin;
    return CLSOLVE_OK;
}

/* Columns begin .. begin+cols-1 of B, into the same of X. */
static clsolve_status solve_columns(cls_lu *lu, clsolve_op op, const clsolve_matrix *B, const clsolve_matrix *X,
                                    int64_t begin, int64_t cols, clsolve_seconds *seconds, cls_place *in,
                                    cls_place *out) {
    right_side r = {cls_matrix_from(&lu->A, 0), cols, op};
    int plain = op == CLSOLVE_NO_TRANS;
    double start = cls_seconds(), now;

    CLS_TRY(cls_lu_out_fetch(lu, B, begin, cols));
    CLS_TRY(check(lu, &r, begin, in));
    seconds->upload += (now = cls_seconds()) - start;
    if (in->row >= 0) return CLSOLVE_OK;

    start = now;
    CLS_TRY(cls_lu_stream(lu, plain ? CLS_LOWER_UNIT : CLS_UPPER, lu->n, 0, plain ? use_lower : use_upper, &r));
    CLS_TRY(cls_lu_stream(lu, plain ? CLS_UPPER : CLS_LOWER_UNIT, lu->n, 1, plain ? use_upper : use_lower, &r));
    CLS_TRY(check(lu, &r, begin, out));
    seconds->solve += (now = cls_seconds()) - start;
    if (out->row >= 0) return CLSOLVE_OK;

    start = now;
    CLS_TRY(cls_lu_out_store(lu, X, begin, cols));
    seconds->download += cls_seconds() - start;
    return CLSOLVE_OK;
}

static void copy_lines(const clsolve_matrix *from, const clsolve_matrix *to) {
    int column = from->layout == CLSOLVE_COLUMN_MAJOR;
    int64_t size = cls_type_size(from->type), lines = column ? from->cols : from->rows;
    size_t length = (size_t)((column ? from->rows : from->cols) * size);

    for (int64_t line = 0; line < lines; ++line)
        memcpy((char *)to->data + line * to->ld * size, (const char *)from->data + line * from->ld * size, length);
}

/* X is gathered beside B, which stays as it is until all of X is there and known to be finite. */
clsolve_status cls_lu_out_solve(cls_lu *lu, clsolve_op op, const clsolve_matrix *B, clsolve_seconds *seconds,
                                cls_place *in, cls_place *out) {
    clsolve_status status = CLSOLVE_OK;
    clsolve_matrix X = *B;
    int64_t most = lu->A.cols;

    in->row = out->row = -1;
    X.ld = B->layout == CLSOLVE_COLUMN_MAJOR ? B->rows : B->cols;
    X.data = cls_alloc((size_t)B->rows * (size_t)B->cols, (size_t)cls_type_size(B->type));
    if (!X.data)
        return cls_fail(lu->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                        "no host memory for a solution of %lld columns: solve for fewer at a time", (long long)B->cols);
    for (int64_t c = 0; c < B->cols && status == CLSOLVE_OK && in->row < 0 && out->row < 0; c += most) {
        int64_t cols = B->cols - c < most ? B->cols - c : most;
        status = solve_columns(lu, op, B, &X, c, cols, seconds, in, out);
    }
    if (status == CLSOLVE_OK && in->row < 0 && out->row < 0) copy_lines(&X, B);
    cls_free(X.data);
    return status;
}
