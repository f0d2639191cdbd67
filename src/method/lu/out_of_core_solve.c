/*
 * out_of_core_solve.c: op(A) X = B with factors that stream by, first one half and then the other. B lies in the window
 * that the factorization has on A.
 *
 *      A:    for each slab K: move rows of B as its pivots say, B = L_K^-1 B;   then U from the right
 *      A^T:  U^T from the left;   then for each slab K from the right: B = L_K^-T B, move rows back
 */
#include "method/lu/out_of_core.h"

typedef struct right_side {
    const cls_matrix *B;
    int64_t cols;
    clsolve_op op;
} right_side;

static clsolve_status move(cls_lu *lu, const right_side *r, int64_t j) {
    int64_t end = lu->n - j < lu->out.slab ? lu->n : j + lu->out.slab;
    if (j % lu->out.slab != 0) return CLSOLVE_OK;
    return cls_panel_move_rows(&lu->panel, CLS_COMPUTE, r->B, 0, r->cols, r->cols, 0, j, end,
                               r->op != CLSOLVE_NO_TRANS);
}

static clsolve_status use_lower(void *owner, int64_t j, int64_t width, cls_ref at, void *user) {
    cls_lu *lu = owner;
    const right_side *r = user;
    if (r->op == CLSOLVE_NO_TRANS) CLS_TRY(move(lu, r, j));
    CLS_TRY(cls_out_substitute(&lu->out, CLS_LOWER_UNIT, r->op, r->B, r->cols, j, width, at));
    return r->op != CLSOLVE_NO_TRANS ? move(lu, r, j) : CLSOLVE_OK;
}

static clsolve_status use_upper(void *owner, int64_t j, int64_t width, cls_ref at, void *user) {
    cls_lu *lu = owner;
    const right_side *r = user;
    return cls_out_substitute(&lu->out, CLS_UPPER, r->op, r->B, r->cols, j, width, at);
}

clsolve_status cls_lu_out_apply(void *owner, clsolve_op op, const cls_matrix *B, int64_t cols) {
    cls_lu *lu = owner;
    right_side r = {B, cols, op};
    const int plain = op == CLSOLVE_NO_TRANS;

    CLS_TRY(cls_out_stream(&lu->out, plain ? CLS_LOWER_UNIT : CLS_UPPER, lu->n, 0, plain ? use_lower : use_upper, &r));
    return cls_out_stream(&lu->out, plain ? CLS_UPPER : CLS_LOWER_UNIT, lu->n, 1, plain ? use_upper : use_lower, &r);
}
