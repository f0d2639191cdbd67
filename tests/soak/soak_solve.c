/* soak_solve.c: clsolve_solve, the one call, by dense LU and by Gauss-Jordan. */
#include "soak/soak.h"

typedef struct solve_task {
    soak *s;
    clsolve_solver_options o;
    clsolve_op op;
    clsolve_matrix a, b;
    clsolve_solve_report report;
    int64_t rounds;
} solve_task;

SOAK_CALL(call, solve_task, clsolve_solve(t->s->context, t->op, &t->a, &t->b, &t->o, &t->report))

static void *begin(soak *s) {
    solve_task *t = soak_task(s, sizeof *t);
    t->rounds = soak_between(s, 1, 4);
    return t;
}

static void check(soak *s, solve_task *t, soak_kind kind, clsolve_status status, int64_t nrhs) {
    int jordan = t->o.method == CLSOLVE_METHOD_GAUSS_JORDAN;
    clsolve_status due = CLSOLVE_OK, also;
    if (kind == SOAK_NONFINITE) due = CLSOLVE_ERROR_NONFINITE;
    if (kind == SOAK_ZERO_COLUMN || kind == SOAK_ZERO_ROW) due = CLSOLVE_SINGULAR;
    also = nrhs == 0 ? CLSOLVE_OK : due; /* without right-hand sides a method need not look at A */
    if (!s->device.fp64 && t->a.type == CLSOLVE_F64) {
        if (jordan) due = also = CLSOLVE_ERROR_UNSUPPORTED;
        if (due == CLSOLVE_OK) also = CLSOLVE_NOT_CONVERGED;
    }
    soak_expect(s, "solve", status, due, also);
    if (t->report.report.status != status)
        soak_wrong(s, "the report's status is %s", clsolve_status_name(t->report.report.status));
}

static int step(soak *s, void *task) {
    solve_task *t = task;
    clsolve_type type = soak_real_type(s);
    int64_t n = soak_size(s, 400), nrhs = soak_nrhs(s), at = 0;
    SCRATCH double *a = soak_doubles(n * n), *b = soak_doubles(n * nrhs), *x = soak_doubles(n * nrhs);
    t->o = (clsolve_solver_options){.method = (clsolve_method)soak_between(s, 0, 2)};
    t->op = soak_op(s, CLSOLVE_F64);
    soak_say(s, " n %d nrhs %d method %d op %d", (int)n, (int)nrhs, (int)t->o.method, (int)t->op);
    soak_kind kind = soak_dense(s, type, n, a, &at);
    if (kind == SOAK_RANDOM && t->o.method == CLSOLVE_METHOD_GAUSS_JORDAN) /* its residual grows with the condition */
        soak_dense_of(s, SOAK_PERMUTED, type, n, a, &at);
    soak_array *A = soak_matrix(s, type, n, n), *B = soak_matrix(s, type, n, nrhs);
    soak_fill(s, type, b, n * nrhs);
    soak_put(A, a);
    soak_put(B, b);
    if (kind == SOAK_NONFINITE) soak_poison(s, A);
    B->use = SOAK_RESULT;
    t->a = soak_matrix_view(A);
    t->b = soak_matrix_view(B);
    clsolve_status status = soak_call(s, "solve", call, t);
    check(s, t, kind, status, nrhs);
    if (status == CLSOLVE_OK && kind < SOAK_ZERO_COLUMN) {
        soak_get(B, x);
        soak_check_solution(s, type, t->op, n, nrhs, a, x, b);
    }
    soak_drop(s, A);
    soak_drop(s, B);
    return --t->rounds > 0;
}

static void end(soak *s, void *task) {
    (void)s;
    free(task);
}

const soak_family soak_solve = {"solve", begin, step, end};
