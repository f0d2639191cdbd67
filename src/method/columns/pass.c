/* pass.c: the block columns of triangular factors applied to right-hand sides: pass.h has the picture. */
#include "method/columns/pass.h"

/* The block column that begins with column `at`, or backward ends before it, as if all of its rows were stored. */
static cls_pass_column column_at(const cls_pass *pass, int64_t at) {
    const int64_t last = pass->backward ? at - 1 : at, slab = pass->slab > 0 ? last / pass->slab * pass->slab : 0;
    const int64_t begin = slab + (last - slab) / pass->block * pass->block, left = pass->n - begin;
    const int64_t end = pass->slab > 0 && pass->slab - (begin - slab) < left ? slab + pass->slab : pass->n;
    const int64_t j = !pass->backward ? at : begin > pass->first ? begin : pass->first;
    const int64_t k = pass->backward ? at : end - begin < pass->block ? end : begin + pass->block;
    const int lower = pass->half != CLS_UPPER;

    return (cls_pass_column){.j = j, .width = k - j, .begin = lower ? j : 0, .end = lower ? pass->n : k};
}

static clsolve_status solve(const cls_pass *pass, const cls_pass_column *F, int64_t c, int64_t run) {
    const cls_ref T = cls_ref_at(F->at, F->j - F->begin, 0);
    return cls_trsm(pass->device, pass->triangle, pass->B.type, pass->half, pass->op, F->width, run, T,
                    cls_matrix_at(&pass->B, F->j, c));
}

static clsolve_status multiply(const cls_pass *pass, const cls_pass_column *F, int64_t c, int64_t run) {
    const int lower = pass->half != CLS_UPPER, plain = pass->op == CLSOLVE_NO_TRANS;
    const int64_t k = F->j + F->width, top = lower ? k : F->begin, rows = lower ? F->end - k : F->j - F->begin;

    if (rows == 0) return CLSOLVE_OK;
    const cls_ref rest = lower ? cls_ref_at(F->at, F->width, 0) : F->at;
    const cls_ref mine = cls_matrix_at(&pass->B, F->j, c), others = cls_matrix_at(&pass->B, top, c);
    return cls_gemm(pass->device, pass->product, pass->B.type, pass->op, CLSOLVE_NO_TRANS, plain ? rows : F->width, run,
                    plain ? F->width : rows, -1.0, rest, plain ? mine : others, 1.0, plain ? others : mine);
}

static clsolve_status apply(const cls_pass *pass, const cls_pass_column *F) {
    const int plain = pass->op == CLSOLVE_NO_TRANS;

    for (int64_t c = pass->from, run; c < pass->to; c += run) {
        run = cls_matrix_run(&pass->B, c, pass->to);
        if (pass->most > 0 && run > pass->most) run = pass->most;
        if (!plain) CLS_TRY(multiply(pass, F, c, run));
        CLS_TRY(solve(pass, F, c, run));
        if (plain) CLS_TRY(multiply(pass, F, c, run));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_pass_run(cls_pass *pass, clsolve_op op, int second, const cls_matrix *B, int64_t from, int64_t to) {
    const cls_pass_ops *ops = pass->ops;
    const int symmetric = pass->lower == CLS_LOWER, plain = op == CLSOLVE_NO_TRANS;

    pass->half = symmetric || plain != second ? pass->lower : CLS_UPPER;
    pass->op = symmetric && second ? cls_adjoint(B->type) : op;
    pass->backward = second;
    pass->B = *B;
    pass->from = from;
    pass->to = to;
    const int moves = ops->move && pass->half != CLS_UPPER;
    if (ops->begin) CLS_TRY(ops->begin(pass));
    for (int64_t at = second ? pass->n : pass->first; second ? at > pass->first : at < pass->n;) {
        cls_pass_column F = column_at(pass, at);
        CLS_TRY(ops->take(pass, &F));
        if (moves && plain) CLS_TRY(ops->move(pass, &F));
        CLS_TRY(apply(pass, &F));
        if (moves && !plain) CLS_TRY(ops->move(pass, &F));
        if (ops->used) CLS_TRY(ops->used(pass, &F));
        at = second ? F.j : F.j + F.width;
    }
    return CLSOLVE_OK;
}

clsolve_status cls_pass_both(cls_pass *pass, clsolve_op op, const cls_matrix *B, int64_t from, int64_t to) {
    CLS_TRY(cls_pass_run(pass, op, 0, B, from, to));
    return cls_pass_run(pass, op, 1, B, from, to);
}
