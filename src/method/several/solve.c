/*
 * solve.c: op(A) X = B for many right-hand sides: each device has a slice of the columns of B, and all block columns of
 * L and of U pass by. For few of them one device has all factors (home.c), or the factors stay and B goes round
 * (chain.c).
 *
 *      A:    for each block column from the left: move rows of B, B = L^-1 B;   then U from the right
 *      A^T:  U^T from the left;   then for each block column from the right: B = L^-T B, move rows back
 */
#include "method/direct/identity.h"
#include "method/several/several.h"

typedef struct solve {
    clsolve_op op;
    const clsolve_matrix *B;
} solve;

/* ---- the passes ---- */

/* The place in the pass of the block column that has column j. */
static int64_t place_of(const cls_several *several, int64_t j) {
    return cls_several_at(several, j / several->width);
}

static clsolve_status take_block(cls_pass *pass, cls_pass_column *F) {
    cls_several_part *part = pass->holder;
    return cls_several_next(part, place_of(part->several, F->j), &F->at);
}

static clsolve_status move(cls_pass *pass, const cls_pass_column *F) {
    return cls_several_move(pass->holder, pass, F);
}

static clsolve_status used(cls_pass *pass, const cls_pass_column *F) {
    cls_several_part *part = pass->holder;
    return part->active ? cls_several_used(part, place_of(part->several, F->j), CLS_COMPUTE) : CLSOLVE_OK;
}

static clsolve_status run(cls_several_part *part, void *what) {
    static const cls_pass_ops ops = {NULL, take_block, move, used};
    const solve *s = what;
    const cls_several *several = part->several;
    cls_pass pass = cls_pass_of(&ops, part, part->lu.device, CLS_LOWER_UNIT, several->n, several->width);

    CLS_TRY(cls_pass_run(&pass, s->op, several->backward, &part->lu.B, 0, part->sides));
    return cls_several_acknowledge(part);
}

static clsolve_status run_pass(cls_several *several, solve *s, cls_uplo half, int backward) {
    CLS_TRY(cls_several_pass_begin(several, half, backward, 0));
    const clsolve_status status = cls_several_run(several, run, s);
    cls_several_pass_end(several);
    return status;
}

/* ---- B ---- */

static clsolve_status take(cls_several_part *part, void *what) {
    const solve *s = what;
    cls_lu *lu = &part->lu;

    part->in = part->out = (cls_place){-1, -1};
    if (!part->active) return CLSOLVE_OK;
    CLS_TRY(cls_lu_reserve(lu, part->sides, s->B->layout == CLSOLVE_ROW_MAJOR));
    CLS_TRY(cls_upload(lu->device, &lu->transfer, s->B, part->begin, part->sides, &lu->B, &lu->scratch));
    CLS_TRY(cls_check_finite(lu->device, &lu->check, &lu->B, part->sides, &part->in.row, &part->in.column));
    part->in.column += part->begin;
    /* One number for all of A may as well go into B: a small B then has its digits in the solve. */
    if (part->in.row >= 0 || part->several->uniform == 1) return CLSOLVE_OK;
    return cls_scaling_rows(lu->device, &part->copy.scaling, &lu->B, part->sides, 1);
}

/* The device's columns of the identity. */
static clsolve_status take_identity(cls_several_part *part, void *what) {
    const solve *s = what;
    cls_lu *lu = &part->lu;

    part->in = part->out = (cls_place){-1, -1};
    if (!part->active) return CLSOLVE_OK;
    CLS_TRY(cls_lu_reserve(lu, part->sides, s->B->layout == CLSOLVE_ROW_MAJOR));
    return cls_identity_put(lu->device, &lu->B, part->begin, part->sides);
}

static clsolve_status check(cls_several_part *part, void *what) {
    cls_lu *lu = &part->lu;

    (void)what;
    if (!part->active) return CLSOLVE_OK;
    CLS_TRY(cls_check_finite(lu->device, &lu->check, &lu->B, part->sides, &part->out.row, &part->out.column));
    part->out.column += part->begin;
    return CLSOLVE_OK;
}

static clsolve_status give(cls_several_part *part, void *what) {
    const solve *s = what;
    cls_lu *lu = &part->lu;

    if (!part->active) return CLSOLVE_OK;
    return cls_download(lu->device, &lu->transfer, &lu->B, part->sides, s->B, part->begin, &lu->scratch);
}

/* Slices of the columns, as even as may be. */
static void deal(cls_several *several, int64_t cols) {
    for (int p = 0; p < several->count; ++p) {
        cls_several_part *part = &several->parts[p];
        part->begin = cols * p / several->count;
        part->sides = cols * (p + 1) / several->count - part->begin;
        part->active = part->sides > 0;
    }
}

static void join(const cls_several *several, cls_place *in, cls_place *out) {
    *in = *out = (cls_place){-1, -1};
    for (int p = several->count - 1; p >= 0; --p) {
        if (several->parts[p].in.row >= 0) *in = several->parts[p].in;
        if (several->parts[p].out.row >= 0) *out = several->parts[p].out;
    }
}

void cls_several_set_uniform(cls_several *several, double uniform) {
    several->uniform = uniform;
}

/* The columns that were taken become X; the caller's are written when all of X is known to be finite. */
static clsolve_status solve_taken(cls_several *several, solve *s, cls_place *in, cls_place *out) {
    const int plain = s->op == CLSOLVE_NO_TRANS;

    CLS_TRY(run_pass(several, s, plain ? CLS_LOWER_UNIT : CLS_UPPER, 0));
    CLS_TRY(run_pass(several, s, plain ? CLS_UPPER : CLS_LOWER_UNIT, 1));
    CLS_TRY(cls_several_run(several, check, s));
    join(several, in, out);
    return out->row >= 0 ? CLSOLVE_OK : cls_several_run(several, give, s);
}

clsolve_status cls_several_solve_identity(cls_several *several, const clsolve_matrix *X, cls_place *out) {
    solve s = {CLSOLVE_NO_TRANS, X};
    cls_place in;

    deal(several, X->cols);
    CLS_TRY(cls_several_run(several, take_identity, &s));
    return solve_taken(several, &s, &in, out);
}

clsolve_status cls_several_solve(cls_several *several, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                                 cls_place *out) {
    solve s = {op, B};

    if (cls_several_home_pays(several, B->cols)) return cls_several_home_solve(several, op, B, in, out);
    if (B->cols <= several->chained) return cls_several_chain(several, op, B, in, out);
    deal(several, B->cols);
    CLS_TRY(cls_several_run(several, take, &s));
    join(several, in, out);
    return in->row >= 0 ? CLSOLVE_OK : solve_taken(several, &s, in, out);
}
