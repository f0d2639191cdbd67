/* soak_gauss_jordan.c: Gauss-Jordan elimination: systems and inverses by every variant. */
#include "base/type.h"
#include "soak/soak.h"

typedef struct jordan_task {
    soak *s;
    int64_t n, rounds;
    clsolve_type type;
    clsolve_gauss_jordan_options o;
    clsolve_gauss_jordan *handle;
    clsolve_op op;
    clsolve_matrix a, b;
    double *values;
} jordan_task;

static clsolve_status call_create(void *task) {
    jordan_task *t = task;
    t->handle = (clsolve_gauss_jordan *)t;
    clsolve_status status = clsolve_gauss_jordan_create(t->s->context, t->n, t->type, &t->o, &t->handle);
    if (status != CLSOLVE_OK && t->handle) soak_wrong(t->s, "create failed and left a handle");
    return status;
}

SOAK_CALL(call_solve, jordan_task, clsolve_gauss_jordan_solve(t->handle, t->op, &t->a, &t->b))
SOAK_CALL(call_invert, jordan_task, clsolve_gauss_jordan_invert(t->handle, &t->a, &t->b))

static void *begin(soak *s) {
    static const int32_t blocks[] = {0, 0, 8, 16, 32, 5};
    jordan_task *t = soak_task(s, sizeof *t);
    t->type = soak_type(s);
    t->n = soak_size(s, 400);
    t->rounds = soak_between(s, 1, t->n > 100 ? 2 : 6);
    t->o.variant = (clsolve_gauss_jordan_variant)soak_between(s, 0, 4);
    t->o.block = blocks[soak_between(s, 0, s->quick ? 2 : 5)];
    t->o.pivoting = soak_one_in(s, 6) ? CLSOLVE_PIVOTING_NONE : CLSOLVE_PIVOTING_PARTIAL;
    if (soak_one_in(s, 6)) t->o.slab_bytes = soak_between(s, 1, 8) * t->n * 64;
    soak_say(s, " n %d variant %d block %d pivoting %d slab %lld;", (int)t->n, (int)t->o.variant, (int)t->o.block,
             (int)t->o.pivoting, (long long)t->o.slab_bytes);
    clsolve_status due = cls_is_double(t->type) && !s->device.fp64 ? CLSOLVE_ERROR_UNSUPPORTED : CLSOLVE_OK;
    soak_expect(s, "create", soak_call(s, "create", call_create, t), due, due);
    t->values = soak_elements(t->type, t->n * t->n);
    return t;
}

/* Forward stable, not backward: systems of small condition alone have small residuals. */
static soak_kind draw_kind(soak *s, jordan_task *t, int64_t *at) {
    soak_kind kind = soak_dense(s, t->type, t->n, t->values, at);
    if (kind == SOAK_RANDOM) soak_dense_of(s, kind = SOAK_PERMUTED, t->type, t->n, t->values, at);
    if (t->o.pivoting == CLSOLVE_PIVOTING_NONE && (kind == SOAK_PERMUTED || kind == SOAK_SCALED))
        soak_dense_of(s, kind = SOAK_DOMINANT, t->type, t->n, t->values, at);
    return kind;
}

static void expect(soak *s, jordan_task *t, const char *call, clsolve_status status, soak_kind kind, int64_t at) {
    clsolve_report report = {0};
    clsolve_status due = CLSOLVE_OK;
    if (kind == SOAK_NONFINITE) due = CLSOLVE_ERROR_NONFINITE;
    if (kind == SOAK_ZERO_COLUMN || kind == SOAK_ZERO_ROW) due = CLSOLVE_SINGULAR;
    soak_expect(s, call, status, due, due);
    soak_expect(s, "report", clsolve_gauss_jordan_report(t->handle, &report), CLSOLVE_OK, CLSOLVE_OK);
    if (status == CLSOLVE_SINGULAR && kind == SOAK_ZERO_COLUMN && t->op == CLSOLVE_NO_TRANS && report.info != at + 1)
        soak_wrong(s, "info is %d where %d is due", (int)report.info, (int)at + 1);
}

static void solve(soak *s, jordan_task *t) {
    int64_t nrhs = soak_nrhs(s), at = 0;
    soak_array *A = soak_matrix(s, t->type, t->n, t->n), *B = soak_matrix(s, t->type, t->n, nrhs);
    SCRATCH double *b = soak_elements(t->type, t->n * nrhs), *x = soak_elements(t->type, t->n * nrhs);
    t->op = soak_op(s, t->type);
    soak_say(s, " solve %d op %d", (int)nrhs, (int)t->op);
    soak_kind kind = draw_kind(s, t, &at);
    soak_fill(s, t->type, b, t->n * nrhs);
    soak_put(A, t->values);
    soak_put(B, b);
    if (nrhs == 0 || t->n == 0) kind = SOAK_DOMINANT; /* A is not looked at */
    if (kind == SOAK_NONFINITE) soak_poison(s, soak_one_in(s, 2) ? A : B);
    B->use = SOAK_RESULT;
    t->a = soak_matrix_view(A);
    t->b = soak_matrix_view(B);
    clsolve_status status = soak_call(s, "solve", call_solve, t);
    expect(s, t, "solve", status, kind, at);
    soak_get(B, x);
    if (status == CLSOLVE_OK) soak_check_solution(s, t->type, t->op, t->n, nrhs, t->values, x, b);
    soak_drop(s, A);
    soak_drop(s, B);
}

static void invert(soak *s, jordan_task *t) {
    int64_t at = 0;
    int in_place = soak_one_in(s, 3);
    soak_array *A = soak_matrix(s, t->type, t->n, t->n), *X = in_place ? A : soak_matrix(s, t->type, t->n, t->n);
    SCRATCH double *x = soak_elements(t->type, t->n * t->n);
    clsolve_report report = {0};
    t->op = CLSOLVE_NO_TRANS;
    soak_say(s, " invert%s", in_place ? " in place" : "");
    soak_kind kind = draw_kind(s, t, &at);
    soak_put(A, t->values);
    if (kind == SOAK_NONFINITE) soak_poison(s, A);
    X->use = SOAK_RESULT;
    t->a = soak_matrix_view(A);
    t->b = soak_matrix_view(X);
    clsolve_status status = soak_call(s, "invert", call_invert, t);
    expect(s, t, "invert", status, kind, at);
    (void)clsolve_gauss_jordan_report(t->handle, &report);
    if (status == CLSOLVE_OK) {
        soak_get(X, x);
        soak_check_inverse(s, t->type, t->n, t->values, x);
        if (!(report.direct.rcond > 0 && report.direct.rcond <= 1.0001))
            soak_wrong(s, "rcond is %g", report.direct.rcond);
    }
    soak_drop(s, A);
    if (!in_place) soak_drop(s, X);
}

static void refuse(soak *s, jordan_task *t) {
    soak_array *A = soak_matrix(s, t->type, t->n, t->n);
    int kind = (int)soak_between(s, 0, 4);
    soak_say(s, " refused %d", kind);
    t->a = t->b = soak_matrix_view(A);
    t->op = kind == 0 ? (clsolve_op)9 : CLSOLVE_NO_TRANS;
    if (kind == 1) t->a.rows++, t->a.ld++;
    if (kind == 2) t->b.ld = 0;
    if (kind == 3) t->b.type = (clsolve_type)5;
    if (kind == 4) t->a.cols--;
    soak_expect(s, "solve", soak_call_unharmed(s, "solve", call_solve, t), CLSOLVE_ERROR_INVALID_ARGUMENT,
                CLSOLVE_ERROR_INVALID_ARGUMENT);
    soak_drop(s, A);
}

static int step(soak *s, void *task) {
    jordan_task *t = task;
    if (!t->handle || s->wrong[0]) return 0;
    if (soak_one_in(s, 12)) refuse(s, t);
    if (soak_one_in(s, 2))
        solve(s, t);
    else
        invert(s, t);
    return --t->rounds > 0;
}

static void end(soak *s, void *task) {
    SCRATCH jordan_task *t = task;
    (void)s;
    clsolve_gauss_jordan_destroy(t->handle);
    free(t->values);
}

const soak_family soak_gauss_jordan = {"gauss-jordan", begin, step, end};
