/* solve.c: op(A) X = B with factors that stream by, as many columns of B at a time as the window has. */
#include "base/clock.h"
#include "base/memory.h"
#include "method/columns/pass.h"
#include "method/out_of_core/out_of_core.h"
#include "method/view.h"

/* ---- the passes ---- */

static clsolve_status begin(cls_pass *pass) {
    return cls_out_stream_read(pass->holder, pass->half, pass->n, pass->backward);
}

static clsolve_status take(cls_pass *pass, cls_pass_column *F) {
    return cls_out_stream_take(pass->holder, &F->at);
}

/* A slab's moves come with its first block column. */
static clsolve_status move(cls_pass *pass, const cls_pass_column *F) {
    const cls_out *out = pass->holder;
    if (!out->move || F->j % out->slab != 0) return CLSOLVE_OK;
    return out->move(out->owner, F->j, &pass->B, pass->to, pass->op != CLSOLVE_NO_TRANS);
}

static clsolve_status used(cls_pass *pass, const cls_pass_column *F) {
    (void)F;
    return cls_out_stream_leave(pass->holder);
}

/* The first `cols` columns of B, in the window, become op(A)^-1 times them; an A = L L^H is its own adjoint. */
static clsolve_status apply(cls_out *out, clsolve_op op, const cls_matrix *B, int64_t cols) {
    static const cls_pass_ops ops = {begin, take, move, used};
    cls_pass pass = cls_pass_of(&ops, out, out->device, out->lower, out->n, out->block);

    pass.most = CLS_OUT_COLUMNS;
    if (out->lower == CLS_LOWER) op = CLSOLVE_NO_TRANS;
    return cls_out_stream_end(out, cls_pass_both(&pass, op, B, 0, cols));
}

/* ---- all right-hand sides ---- */

static clsolve_status check(cls_out *out, const cls_matrix *B, int64_t cols, int64_t begin, cls_place *place) {
    CLS_TRY(cls_check_finite(out->device, out->check, B, cols, &place->row, &place->column));
    place->column += begin;
    return CLSOLVE_OK;
}

/* Columns begin .. begin+cols-1 of B, into the same of X. */
static clsolve_status solve_columns(cls_out *out, clsolve_op op, const clsolve_matrix *B, const clsolve_matrix *X,
                                    int64_t begin, int64_t cols, clsolve_seconds *seconds, cls_place *in,
                                    cls_place *to) {
    const cls_matrix window = cls_matrix_from(out->window, 0);
    double start = cls_seconds(), now;

    CLS_TRY(cls_out_fetch(out, B, begin, cols));
    CLS_TRY(check(out, &window, cols, begin, in));
    seconds->upload += (now = cls_seconds()) - start;
    if (in->row >= 0) return CLSOLVE_OK;

    start = now;
    CLS_TRY(apply(out, op, &window, cols));
    CLS_TRY(check(out, &window, cols, begin, to));
    seconds->solve += (now = cls_seconds()) - start;
    if (to->row >= 0) return CLSOLVE_OK;

    start = now;
    CLS_TRY(cls_out_store(out, X, begin, cols));
    seconds->download += cls_seconds() - start;
    return CLSOLVE_OK;
}

/* X is gathered in memory of its own, and B stays as it is until all of X is there and known to be finite. */
clsolve_status cls_out_solve(cls_out *out, clsolve_op op, const clsolve_matrix *B, clsolve_seconds *seconds,
                             cls_place *in, cls_place *to) {
    clsolve_status status = CLSOLVE_OK;
    clsolve_matrix X = *B;
    int64_t most = out->window->cols;

    in->row = to->row = -1;
    X.ld = B->layout == CLSOLVE_COLUMN_MAJOR ? B->rows : B->cols;
    X.data = cls_alloc((size_t)B->rows * (size_t)B->cols, (size_t)cls_type_size(B->type));
    if (!X.data)
        return cls_fail(out->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                        "no host memory for a solution of %lld columns: solve for fewer at a time", (long long)B->cols);
    for (int64_t c = 0; c < B->cols && status == CLSOLVE_OK && in->row < 0 && to->row < 0; c += most) {
        int64_t cols = B->cols - c < most ? B->cols - c : most;
        status = solve_columns(out, op, B, &X, c, cols, seconds, in, to);
    }
    if (status == CLSOLVE_OK && in->row < 0 && to->row < 0) cls_view_copy(&X, B);
    cls_free(X.data);
    return status;
}

static clsolve_status solve_view(void *owner, clsolve_op op, const clsolve_matrix *B, cls_place *in, cls_place *to) {
    clsolve_seconds seconds = {0};
    return cls_out_solve(owner, op, B, &seconds, in, to);
}

clsolve_status cls_out_solve_vectors(cls_out *out, clsolve_op op, int64_t cols, double *x) {
    return cls_view_solve_doubles(out->device->error, out->type, out->n, cols, x, op, solve_view, out);
}
