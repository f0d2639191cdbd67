/* soak_lu.c: dense LU: pivoting, panels, precision, options, out of core; factors again and again, solves, exports. */
#include "api/context.h"
#include "base/type.h"
#include "blas/blas.h"
#include "lu/ratios.h"
#include "soak/soak.h"

typedef struct lu_task {
    soak *s;
    int64_t n, nrhs, rounds;
    clsolve_type type;
    clsolve_lu_options o;
    clsolve_lu *lu;
    clsolve_op op;
    clsolve_matrix a, b; /* what a call gets */
    soak_array *ipiv;
    double *values; /* of the matrix, tight */
} lu_task;

/* ---- draws ---- */

/* Panels, block and pivoting; what the header refuses is left out. */
static void draw_shape(soak *s, lu_task *t) {
    static const int32_t blocks[] = {0, 0, 0, 8, 16, 32, 64, 5};
    t->o.panel = (clsolve_panel)soak_between(s, 0, cls_in_place(s->context->device) ? 2 : 1);
    t->o.block = blocks[soak_between(s, 0, s->quick ? 3 : 7)];
    if (soak_one_in(s, 4)) t->o.pivoting = soak_one_in(s, 2) ? CLSOLVE_PIVOTING_RBT : CLSOLVE_PIVOTING_PARTIAL;
    if (t->o.pivoting == CLSOLVE_PIVOTING_RBT) t->o.seed = test_random_bits(&s->random);
    if (soak_one_in(s, 6)) t->o.slab_bytes = soak_between(s, 1, 8) * t->n * 64;
    soak_say(s, " panel %d block %d pivoting %d slab %lld", (int)t->o.panel, (int)t->o.block, (int)t->o.pivoting,
             (long long)t->o.slab_bytes);
}

static void draw_options(soak *s, lu_task *t) {
    int64_t size = cls_type_size(t->type);
    t->o.rcond = soak_one_in(s, 5);
    t->o.equilibrate = soak_one_in(s, 5);
    t->o.refine = soak_one_in(s, 5);
    if (cls_is_double(t->type) && soak_one_in(s, 5)) t->o.precision = CLSOLVE_PRECISION_MIXED;
    if (soak_one_in(s, 5) && t->n >= 30 && t->o.pivoting != CLSOLVE_PIVOTING_RBT)
        t->o.memory_limit = t->n * t->n * size * soak_between(s, 1, 7) / 4 + soak_between(s, 0, 3) * 65536;
    soak_say(s, " rcond %d equilibrate %d refine %d mixed %d limit %lld;", (int)t->o.rcond, (int)t->o.equilibrate,
             (int)t->o.refine, (int)t->o.precision, (long long)t->o.memory_limit);
}

/* ---- calls ---- */

static clsolve_status call_create(void *task) {
    lu_task *t = task;
    t->lu = (clsolve_lu *)t;
    clsolve_status status = clsolve_lu_create(t->s->context, t->n, t->type, &t->o, &t->lu);
    if (status != CLSOLVE_OK && t->lu) soak_wrong(t->s, "create failed and left a handle");
    return status;
}

SOAK_CALL(call_factor, lu_task, clsolve_lu_factor(t->lu, &t->a))
SOAK_CALL(call_solve, lu_task, clsolve_lu_solve(t->lu, t->op, &t->b))
SOAK_CALL(call_factors, lu_task, clsolve_lu_factors(t->lu, &t->b, t->ipiv->data))

/* ---- checks ---- */

static clsolve_report report_of(const lu_task *t) {
    clsolve_report report = {0};
    soak_expect(t->s, "report", clsolve_lu_report(t->lu, &report), CLSOLVE_OK, CLSOLVE_OK);
    return report;
}

/* Is it one that need not converge: float factors without double ones to fall back to? */
static int may_stall(const lu_task *t) {
    return cls_is_double(t->type) && (!t->s->device.fp64 || t->o.memory_limit > 0);
}

static clsolve_status factor(soak *s, lu_task *t, soak_kind kind, int64_t at) {
    int plain =
        !t->o.equilibrate && t->o.precision != CLSOLVE_PRECISION_MIXED && (s->device.fp64 || !cls_is_double(t->type));
    clsolve_status status = soak_call(s, "factor", call_factor, t);
    if (kind == SOAK_NONFINITE) {
        soak_expect(s, "factor", status, CLSOLVE_ERROR_NONFINITE, CLSOLVE_ERROR_NONFINITE);
    } else if (kind == SOAK_ZERO_COLUMN || kind == SOAK_ZERO_ROW) {
        int rbt = t->o.pivoting == CLSOLVE_PIVOTING_RBT;
        /* Float factors cannot tell a singular matrix, and the double ones that can may be beyond the limit. */
        int bound = t->o.precision == CLSOLVE_PRECISION_MIXED && t->o.memory_limit > 0;
        soak_expect(s, "factor", status, CLSOLVE_SINGULAR,
                    rbt     ? CLSOLVE_OK
                    : bound ? CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY
                            : CLSOLVE_SINGULAR);
        int64_t info = report_of(t).info, due = kind == SOAK_ZERO_COLUMN ? at + 1 : t->n;
        if (!rbt && plain && info != due) soak_wrong(s, "info is %d where %d is due", (int)info, (int)due);
    } else {
        soak_expect(s, "factor", status, CLSOLVE_OK, CLSOLVE_OK);
        clsolve_report report = report_of(t);
        if (report.n != t->n || report.info != 0)
            soak_wrong(s, "the report has n %d, info %d", (int)report.n, (int)report.info);
        if (t->o.rcond && !(report.direct.rcond > 0 && report.direct.rcond <= 1.0001))
            soak_wrong(s, "rcond is %g", report.direct.rcond);
    }
    return status;
}

static void solve(soak *s, lu_task *t, clsolve_status factored, int singular) {
    t->nrhs = soak_nrhs(s);
    t->op = soak_op(s, t->type);
    soak_array *B = soak_matrix(s, t->type, t->n, t->nrhs);
    double *b = soak_elements(t->type, t->n * t->nrhs), *x = soak_elements(t->type, t->n * t->nrhs);
    int empty = t->n == 0 || t->nrhs == 0, poisoned = !empty && soak_one_in(s, 15);
    soak_fill(s, t->type, b, t->n * t->nrhs);
    soak_put(B, b);
    soak_say(s, " solve %d op %d", (int)t->nrhs, (int)t->op);
    if (poisoned) soak_poison(s, B);
    B->use = SOAK_RESULT;
    t->b = soak_matrix_view(B);
    clsolve_status status = soak_call(s, "solve", call_solve, t);
    if (factored < 0)
        soak_expect(s, "solve", status, CLSOLVE_ERROR_STATE, CLSOLVE_ERROR_STATE);
    else if (singular)
        soak_expect(s, "solve", status, poisoned ? CLSOLVE_ERROR_NONFINITE : CLSOLVE_SINGULAR,
                    empty ? CLSOLVE_OK : CLSOLVE_SINGULAR);
    else if (poisoned)
        soak_expect(s, "solve", status, CLSOLVE_ERROR_NONFINITE, CLSOLVE_ERROR_NONFINITE);
    else
        soak_expect(s, "solve", status, CLSOLVE_OK, may_stall(t) ? CLSOLVE_NOT_CONVERGED : CLSOLVE_OK);
    if (status == CLSOLVE_OK && !singular) {
        soak_get(B, x);
        soak_check_solution(s, t->type, t->op, t->n, t->nrhs, t->values, x, b);
    }
    free(b);
    free(x);
    soak_drop(s, B);
}

/* L, U and the pivots, of the matrix itself where it was not scaled. */
static void export(soak *s, lu_task *t) {
    clsolve_report report = report_of(t);
    int mixed = strcmp(report.precision, "mixed") == 0,
        rbt = report.direct.pivoting_used && strcmp(report.direct.pivoting_used, "rbt") == 0;
    soak_array *LU = soak_matrix(s, mixed ? cls_single_type(t->type) : t->type, t->n, t->n);
    t->ipiv = soak_words(s, t->n);
    LU->use = t->ipiv->use = SOAK_RESULT;
    t->b = soak_matrix_view(LU);
    soak_say(s, " export");
    clsolve_status due = rbt && t->n > 0 ? CLSOLVE_ERROR_UNSUPPORTED : CLSOLVE_OK;
    clsolve_status status = soak_call(s, "factors", call_factors, t);
    soak_expect(s, "factors", status, due, due);
    int scaled = report.direct.equilibrated != 0 && report.direct.equilibrated != CLSOLVE_SCALED_UNIFORMLY;
    if (status == CLSOLVE_OK && !scaled && !mixed && t->n > 0) {
        SCRATCH double *lu = soak_elements(t->type, t->n * t->n);
        soak_get(LU, lu);
        for (int64_t i = 0; i < t->n; ++i)
            if (soak_word(t->ipiv, i) < i + 1 || soak_word(t->ipiv, i) > t->n)
                soak_wrong(s, "pivot %d is out of range", (int)i);
        double ratio = s->wrong[0] ? 0 : ratio_factors(t->type, t->n, t->values, lu, t->ipiv->data);
        if (!(ratio < RATIO_BOUND)) soak_wrong(s, "the factors' ratio is %g", ratio);
    }
    soak_drop(s, t->ipiv);
    soak_drop(s, LU);
}

/* ---- invalid arguments ---- */

static void refuse(soak *s, lu_task *t) {
    soak_array *A = soak_matrix(s, t->type, t->n, t->n);
    clsolve_status status;
    t->a = t->b = soak_matrix_view(A);
    int kind = (int)soak_between(s, 0, 7);
    soak_say(s, " refused %d", kind);
    if (kind == 0) t->a.rows++, t->a.ld++;
    if (kind == 1) t->a.ld = t->n - 1;
    if (kind == 2) t->a.type = t->type == CLSOLVE_F32 ? CLSOLVE_F64 : CLSOLVE_F32;
    if (kind == 3) t->a.layout = (clsolve_layout)7;
    if (kind == 4) t->a.offset = 1;
    if (kind == 5) t->a.place = CLSOLVE_ON_DEVICE;
    if (kind == 6) t->b.rows++, t->b.ld++;
    t->op = kind == 7 ? (clsolve_op)9 : CLSOLVE_NO_TRANS;
    if (kind == 5 && t->n == 0) t->a.place = (clsolve_place)9;
    if (kind <= 5)
        status = soak_call_unharmed(s, "factor", call_factor, t);
    else
        status = soak_call_unharmed(s, "solve", call_solve, t);
    clsolve_status also = kind == 5  ? CLSOLVE_ERROR_UNSUPPORTED
                          : kind > 5 ? CLSOLVE_ERROR_STATE
                                     : CLSOLVE_ERROR_INVALID_ARGUMENT;
    soak_expect(s, "a call with a bad argument", status, CLSOLVE_ERROR_INVALID_ARGUMENT, also);
    soak_drop(s, A);
}

/* ---- the family ---- */

static void *begin(soak *s) {
    lu_task *t = soak_task(s, sizeof *t);
    t->type = soak_type(s);
    t->n = soak_size(s, 700);
    t->rounds = soak_between(s, 1, t->n > 200 ? 2 : 6);
    soak_say(s, " n %d", (int)t->n);
    draw_shape(s, t);
    draw_options(s, t);
    clsolve_status status = soak_call(s, "create", call_create, t);
    if (status == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY && t->o.memory_limit > 0) {
        ++s->refused;
        t->o.memory_limit = 0;
        status = soak_call(s, "create", call_create, t);
    }
    soak_expect(s, "create", status, CLSOLVE_OK, CLSOLVE_OK);
    t->values = soak_elements(t->type, t->n * t->n);
    return t;
}

static int step(soak *s, void *task) {
    lu_task *t = task;
    int64_t at = 0;
    if (!t->lu || s->wrong[0]) return 0;
    if (soak_one_in(s, 12)) refuse(s, t);
    soak_kind kind = soak_dense(s, t->type, t->n, t->values, &at);
    soak_array *A = soak_matrix(s, t->type, t->n, t->n);
    soak_put(A, t->values);
    if (kind == SOAK_NONFINITE) soak_poison(s, A);
    t->a = soak_matrix_view(A);
    clsolve_status status = factor(s, t, kind, at);
    int singular = kind == SOAK_ZERO_COLUMN || kind == SOAK_ZERO_ROW;
    if (soak_one_in(s, 2)) soak_drop(s, A), A = NULL; /* it is not read again */
    for (int64_t k = soak_between(s, 1, 3); k > 0 && !s->wrong[0]; --k) solve(s, t, status, singular);
    if (kind < SOAK_ZERO_COLUMN && !s->wrong[0] && soak_one_in(s, 3)) export(s, t);
    soak_drop(s, A);
    return --t->rounds > 0;
}

static void end(soak *s, void *task) {
    SCRATCH lu_task *t = task;
    (void)s;
    clsolve_lu_destroy(t->lu);
    free(t->values);
}

const soak_family soak_lu = {"lu", begin, step, end};
