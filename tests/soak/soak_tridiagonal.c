/* soak_tridiagonal.c: many tridiagonal systems at once, with and without exchanges of rows. */
#include <math.h>
#include <stdlib.h>

#include "lu/ratios.h"
#include "soak/soak.h"

typedef struct lines_task {
    soak *s;
    int64_t N, M, nrhs, rounds;
    clsolve_type type;
    clsolve_pivoting lines;
    clsolve_block_gs *handle;
    soak_array *coefficients[3], *F; /* a, c, b */
    double *values[3];               /* point (i, k) at i + N k; nothing where a coupling leads out of the line */
} lines_task;

static clsolve_status call_create(void *task) {
    lines_task *t = task;
    t->handle = NULL;
    return clsolve_tridiagonal_create(t->s->context, t->N, t->M, t->type, t->lines, &t->handle);
}

static clsolve_status call_set(void *task) {
    lines_task *t = task;
    clsolve_grid g[3];
    for (int q = 0; q < 3; ++q) g[q] = soak_grid_view(t->coefficients[q]);
    return clsolve_tridiagonal_set(t->handle, &g[0], &g[1], &g[2]);
}

static clsolve_status call_solve(void *task) {
    lines_task *t = task;
    clsolve_grid f = soak_grid_view(t->F);
    return clsolve_tridiagonal_solve(t->handle, &f, t->nrhs);
}

static clsolve_status call_once(void *task) {
    lines_task *t = task;
    clsolve_grid g[3], f = soak_grid_view(t->F);
    for (int q = 0; q < 3; ++q) g[q] = soak_grid_view(t->coefficients[q]);
    return clsolve_tridiagonal_solve_once(t->s->context, t->N, t->M, &g[0], &g[1], &g[2], &f, t->nrhs, t->lines);
}

static void *begin(soak *s) {
    static const int64_t counts[] = {1, 2, 3, 5, 16, 17, 33, 64, 65, 130};
    lines_task *t = calloc(1, sizeof *t);
    if (!t) abort();
    t->s = s;
    t->type = soak_type(s);
    t->M = soak_size(s, 700);
    if (t->M == 0) t->M = 1;
    if (!s->quick && soak_one_in(s, 40)) t->M = soak_between(s, 1000, 20000);
    t->N = counts[soak_between(s, 0, t->M > 700 ? 2 : s->quick ? 4 : 9)];
    t->lines = (clsolve_pivoting)soak_between(s, 0, 2);
    t->rounds = soak_between(s, 1, 4);
    soak_say(s, " N %d M %d lines %d;", (int)t->N, (int)t->M, (int)t->lines);
    clsolve_status due = t->type == CLSOLVE_F64 && !s->device.fp64 ? CLSOLVE_ERROR_UNSUPPORTED : CLSOLVE_OK;
    soak_expect(s, "create", soak_call(s, "create", call_create, t), due, due);
    for (int q = 0; q < 3; ++q) t->values[q] = soak_doubles(t->N * t->M);
    return t;
}

/* Dominant, or of any kind where rows are exchanged. A line with a row of zeros is singular. */
static soak_kind draw(soak *s, lines_task *t, int64_t *at) {
    int64_t N = t->N, M = t->M;
    soak_kind kind = t->lines == CLSOLVE_PIVOTING_PARTIAL && soak_one_in(s, 2) ? SOAK_RANDOM : SOAK_DOMINANT;
    if (t->lines != CLSOLVE_PIVOTING_NONE && soak_one_in(s, 12)) kind = SOAK_ZERO_ROW;
    if (soak_one_in(s, 12)) kind = SOAK_NONFINITE;
    *at = soak_between(s, 0, N - 1);
    soak_say(s, " %s %d", soak_kind_names[kind], (int)*at);
    for (int q = 0; q < 3; ++q) soak_fill(s, t->type, t->values[q], N * M);
    for (int64_t o = 0; o < N * M; ++o) {
        double sum = fabs(t->values[0][o]) + fabs(t->values[2][o]);
        if (kind != SOAK_RANDOM) t->values[1][o] = test_rounded(t->type, t->values[1][o] < 0 ? -sum - 0.5 : sum + 0.5);
    }
    int64_t k = soak_between(s, 0, M - 1);
    for (int q = 0; q < 3 && kind == SOAK_ZERO_ROW; ++q) t->values[q][*at + k * N] = 0;
    for (int q = 0; q < 3; ++q) {
        t->coefficients[q] = soak_points(s, t->type, N, M, 1);
        soak_put(t->coefficients[q], t->values[q]);
    }
    if (kind == SOAK_NONFINITE) soak_set(t->coefficients[1], *at, k, 0, (double)(soak_one_in(s, 2) ? NAN : -INFINITY));
    for (int64_t i = 0; i < N; ++i) { /* couplings out of the line are never used */
        soak_set(t->coefficients[0], i, 0, 0, (double)NAN);
        soak_set(t->coefficients[2], i, M - 1, 0, (double)NAN);
        t->values[0][i] = t->values[2][i + N * (M - 1)] = 0;
    }
    return kind;
}

/* LAPACK's ratio of one line and right-hand side; x and f of all lines. */
static double ratio(const lines_task *t, int64_t i, const double *x, const double *f) {
    const double *a = t->values[0], *c = t->values[1], *b = t->values[2];
    double residual = 0, size = 0, norm = 0;
    for (int64_t k = 0; k < t->M; ++k) {
        int64_t o = i + k * t->N, before = o - t->N, behind = o + t->N;
        long double r = (long double)f[o] - (long double)c[o] * x[o];
        double column = fabs(c[o]);
        if (k > 0) r -= (long double)a[o] * x[before], column += fabs(b[before]);
        if (k + 1 < t->M) r -= (long double)b[o] * x[behind], column += fabs(a[behind]);
        residual += (double)fabsl(r);
        size += fabs(x[o]);
        if (column > norm) norm = column;
    }
    return residual == 0 ? 0 : residual / norm / size / ((double)t->M * test_epsilon(t->type));
}

static void solve(soak *s, lines_task *t, soak_kind kind, clsolve_status (*call)(void *task)) {
    int64_t count = t->N * t->M;
    clsolve_status due = CLSOLVE_OK;
    t->nrhs = soak_between(s, 1, 3);
    if (!s->quick && soak_one_in(s, 6)) t->nrhs = soak_between(s, 4, 17);
    if (t->nrhs * count > 200000) t->nrhs = 1;
    t->F = soak_points(s, t->type, t->N, t->M, t->nrhs);
    double *f = soak_doubles(count * t->nrhs), *x = soak_doubles(count * t->nrhs);
    soak_fill(s, t->type, f, count * t->nrhs);
    soak_put(t->F, f);
    soak_say(s, " solve%s %d", call == call_once ? " once" : "", (int)t->nrhs);
    if (kind == SOAK_NONFINITE) due = call == call_once ? CLSOLVE_ERROR_NONFINITE : CLSOLVE_ERROR_STATE;
    if (kind == SOAK_ZERO_ROW) due = call == call_once ? CLSOLVE_SINGULAR : CLSOLVE_ERROR_STATE;
    if (due == CLSOLVE_OK && soak_one_in(s, 15)) soak_poison(s, t->F), due = CLSOLVE_ERROR_NONFINITE;
    t->F->use = SOAK_RESULT;
    clsolve_status status = soak_call(s, "solve", call, t);
    soak_expect(s, "solve", status, due, due);
    soak_get(t->F, x);
    for (int64_t r = 0; r < t->nrhs && status == CLSOLVE_OK; ++r)
        for (int64_t i = 0; i < t->N; ++i) {
            double got = ratio(t, i, x + r * count, f + r * count);
            if (!(got < RATIO_BOUND))
                soak_wrong(s, "line %d, right-hand side %d: the ratio is %g", (int)i, (int)r, got);
        }
    soak_drop(s, t->F);
    free(f);
    free(x);
}

static void set(soak *s, lines_task *t, soak_kind kind, int64_t at) {
    clsolve_status due = kind == SOAK_NONFINITE  ? CLSOLVE_ERROR_NONFINITE
                         : kind == SOAK_ZERO_ROW ? CLSOLVE_SINGULAR
                                                 : CLSOLVE_OK;
    clsolve_status status = soak_call(s, "set", call_set, t);
    soak_expect(s, "set", status, due, due);
    if (status != CLSOLVE_SINGULAR) return;
    clsolve_report result;
    soak_expect(s, "result", clsolve_block_gs_report(t->handle, &result), CLSOLVE_OK, CLSOLVE_OK);
    if (result.member != at + 1) soak_wrong(s, "member is %d where %d is due", (int)result.member, (int)at + 1);
}

static void refuse(soak *s, lines_task *t) {
    soak_array *c = t->coefficients[1];
    int kind = (int)soak_between(s, 0, 2);
    soak_say(s, " refused %d", kind);
    soak_array kept = *c;
    if (kind == 0) c->type = (clsolve_type)5;
    if (kind == 1) c->s[0] = 0;
    if (kind == 2) c->s[1] = -1;
    clsolve_status status = call_set(t);
    *c = kept;
    soak_expect(s, "set", status, CLSOLVE_ERROR_INVALID_ARGUMENT, CLSOLVE_ERROR_INVALID_ARGUMENT);
}

static int step(soak *s, void *task) {
    lines_task *t = task;
    int64_t at = 0;
    if (!t->handle || s->wrong[0]) return 0;
    soak_kind kind = draw(s, t, &at);
    if (soak_one_in(s, 12)) refuse(s, t);
    if (soak_one_in(s, 4)) {
        solve(s, t, kind, call_once);
    } else {
        set(s, t, kind, at);
        for (int64_t k = soak_between(s, 1, 3); k > 0 && !s->wrong[0]; --k) solve(s, t, kind, call_solve);
    }
    for (int q = 0; q < 3; ++q) soak_drop(s, t->coefficients[q]);
    return --t->rounds > 0;
}

static void end(soak *s, void *task) {
    lines_task *t = task;
    (void)s;
    clsolve_block_gs_destroy(t->handle);
    for (int q = 0; q < 3; ++q) free(t->values[q]);
    free(t);
}

const soak_family soak_tridiagonal = {"tridiagonal", begin, step, end};
