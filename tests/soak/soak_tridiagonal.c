/* soak_tridiagonal.c: batches of tridiagonal matrices, with and without exchanges of rows; members without a solution. */
#include "lu/ratios.h"
#include "soak/soak.h"

typedef struct lines_task {
    soak *s;
    int64_t N, M, nrhs, rounds;
    clsolve_type type;
    clsolve_tridiagonal_batch_options options;
    clsolve_tridiagonal_batch *handle;
    clsolve_op op;
    clsolve_batch a[3], b;
    soak_array *coefficients[3], *F, *info; /* dl, d, du */
    int64_t *due;                           /* each member's info */
    double *values[3]; /* point (i, k) at i + N k; nothing where a coupling leads out of the line */
} lines_task;

static clsolve_status call_create(void *task) {
    lines_task *t = task;
    t->handle = NULL;
    return clsolve_tridiagonal_batch_create(t->s->context, t->M, t->N, t->type, &t->options, &t->handle);
}

SOAK_CALL(call_factor, lines_task,
          clsolve_tridiagonal_batch_factor(t->handle, &t->a[0], &t->a[1], &t->a[2], t->info->data))
SOAK_CALL(call_solve, lines_task, clsolve_tridiagonal_batch_solve(t->handle, t->op, &t->b, t->info->data))

/* Row k and column r of member i are point (i, k, r). Rows or columns are one element apart. */
static int is_batch(const soak_array *a) {
    return a->s[1] == 1 || a->s[2] == 1 || a->d[2] == 1;
}

static clsolve_batch view_of(const soak_array *a) {
    const int by_column = a->s[1] == 1;
    clsolve_batch v = {.type = a->type, .count = a->d[0], .rows = a->d[1], .cols = a->d[2], .stride = a->s[0]};
    v.data = a->data;
    v.layout = by_column ? CLSOLVE_COLUMN_MAJOR : CLSOLVE_ROW_MAJOR;
    v.ld = !by_column ? a->s[1] : v.cols > 1 ? a->s[2] : v.rows;
    return v;
}

static void *begin(soak *s) {
    static const int64_t counts[] = {1, 2, 3, 5, 16, 17, 33, 64, 65, 130};
    lines_task *t = soak_task(s, sizeof *t);
    t->type = soak_real_type(s);
    t->M = soak_size(s, 700);
    if (t->M == 0) t->M = 1;
    if (!s->quick && soak_one_in(s, 40)) t->M = soak_between(s, 1000, 20000);
    t->N = counts[soak_between(s, 0, t->M > 700 ? 2 : s->quick ? 4 : 9)];
    t->options.pivoting = (clsolve_pivoting)soak_between(s, 0, 2);
    t->rounds = soak_between(s, 1, 4);
    soak_say(s, " n %d members %d pivoting %d;", (int)t->M, (int)t->N, (int)t->options.pivoting);
    clsolve_status due = t->type == CLSOLVE_F64 && !s->device.fp64 ? CLSOLVE_ERROR_UNSUPPORTED : CLSOLVE_OK;
    soak_expect(s, "create", soak_call(s, "create", call_create, t), due, due);
    for (int q = 0; q < 3; ++q) t->values[q] = soak_doubles(t->N * t->M);
    t->due = calloc((size_t)t->N, sizeof *t->due);
    if (!t->due) abort();
    return t;
}

/*
 * Dominant, or of any kind where rows are exchanged. Some members have a row of zeros: with exchanges it waits for its pivot to
 * the end, as in LAPACK's gttrf. Some hold NaN or Inf.
 */
static void draw_member(soak *s, lines_task *t, int64_t i, int any) {
    const int64_t M = t->M, k = soak_between(s, 0, M - 1);
    const int kind = (int)soak_between(s, 1, 30);
    double *const *v = t->values;
    t->due[i] = kind == 1 ? (t->options.pivoting == CLSOLVE_PIVOTING_NONE ? k + 1 : M) : kind == 2 ? -1 : 0;
    for (int64_t o = i; o < t->N * M; o += t->N) {
        double sum = fabs(v[0][o]) + fabs(v[2][o]);
        if (!any || kind == 1) v[1][o] = test_rounded(t->type, v[1][o] < 0 ? -sum - 0.5 : sum + 0.5);
    }
    for (int q = 0; q < 3 && kind == 1; ++q) v[q][i + k * t->N] = 0;
    v[0][i] = v[2][i + t->N * (M - 1)] = 0;
    for (int q = 0; q < 3; ++q)
        for (int64_t row = 0; row < M; ++row) soak_set(t->coefficients[q], i, row, 0, v[q][i + row * t->N]);
    if (kind == 2) soak_set(t->coefficients[1], i, k, 0, (double)(soak_one_in(s, 2) ? NAN : -INFINITY));
    soak_set(t->coefficients[0], i, 0, 0, (double)NAN); /* couplings out of the matrix are never used */
    soak_set(t->coefficients[2], i, M - 1, 0, (double)NAN);
}

static void draw(soak *s, lines_task *t) {
    const int any = t->options.pivoting == CLSOLVE_PIVOTING_PARTIAL && soak_one_in(s, 2);
    for (int q = 0; q < 3; ++q) {
        soak_fill(s, t->type, t->values[q], t->N * t->M);
        t->coefficients[q] = soak_points(s, t->type, t->N, t->M, 1);
    }
    for (int64_t i = 0; i < t->N; ++i) draw_member(s, t, i, any);
    for (int q = 0; q < 3; ++q) t->a[q] = view_of(t->coefficients[q]);
    t->info = soak_words(s, t->N);
}

static void check_infos(soak *s, const lines_task *t, const char *call, int64_t poisoned) {
    for (int64_t i = 0; i < t->N; ++i) {
        int64_t due = t->due[i] == 0 && i == poisoned ? -1 : t->due[i];
        if (soak_word(t->info, i) != due)
            soak_wrong(s, "%s: member %d has info %d where %d is due", call, (int)i, (int)soak_word(t->info, i),
                       (int)due);
    }
}

/* LAPACK's ratio of one line and right-hand side; x and f of all lines. */
static double ratio(const lines_task *t, int64_t i, const double *x, const double *f) {
    const int trans = t->op == CLSOLVE_TRANS;
    const double *a = t->values[0], *c = t->values[1], *b = t->values[2];
    double residual = 0, size = 0, norm = 0;
    for (int64_t k = 0; k < t->M; ++k) {
        int64_t o = i + k * t->N, before = o - t->N, behind = o + t->N;
        long double r = (long double)f[o] - (long double)c[o] * x[o];
        double column = fabs(c[o]);
        if (k > 0) r -= (long double)(trans ? b[before] : a[o]) * x[before], column += fabs(trans ? a[o] : b[before]);
        if (k + 1 < t->M)
            r -= (long double)(trans ? a[behind] : b[o]) * x[behind], column += fabs(trans ? b[o] : a[behind]);
        residual += (double)fabsl(r);
        size += fabs(x[o]);
        if (column > norm) norm = column;
    }
    return residual == 0 ? 0 : residual / norm / size / ((double)t->M * test_epsilon(t->type));
}

/* Member i: solved, or as it was in F. `poisoned`: F of this member holds a NaN, which f does not. */
static void check_member(soak *s, const lines_task *t, int64_t i, int64_t poisoned, const double *f, const double *x) {
    const int64_t count = t->N * t->M;
    for (int64_t r = 0; r < t->nrhs; ++r) {
        const double *got = x + r * count, *was = f + r * count;
        int changed = 0;
        for (int64_t o = i; o < count; o += t->N) changed |= got[o] != was[o] && !isnan(got[o]);
        if (t->due[i] != 0 || i == poisoned) {
            if (changed) soak_wrong(s, "member %d has changed", (int)i);
            continue;
        }
        double found = ratio(t, i, got, was);
        if (!(found < RATIO_BOUND))
            soak_wrong(s, "member %d, right-hand side %d, op %d: the ratio is %g", (int)i, (int)r, (int)t->op, found);
    }
}

static void solve(soak *s, lines_task *t) {
    int64_t count = t->N * t->M, poisoned = soak_one_in(s, 15) ? soak_between(s, 0, t->N - 1) : -1;
    t->nrhs = soak_between(s, 1, 3);
    if (!s->quick && soak_one_in(s, 6)) t->nrhs = soak_between(s, 4, 17);
    if (t->nrhs * count > 200000) t->nrhs = 1;
    t->op = soak_op(s, t->type);
    while (t->F = soak_points(s, t->type, t->N, t->M, t->nrhs), !is_batch(t->F)) soak_drop(s, t->F);
    SCRATCH double *f = soak_doubles(count * t->nrhs), *x = soak_doubles(count * t->nrhs);
    soak_fill(s, t->type, f, count * t->nrhs);
    soak_put(t->F, f);
    if (poisoned >= 0)
        soak_set(t->F, poisoned, soak_between(s, 0, t->M - 1), soak_between(s, 0, t->nrhs - 1), (double)NAN);
    soak_say(s, " solve %d op %d", (int)t->nrhs, (int)t->op);
    t->F->use = SOAK_RESULT;
    t->b = view_of(t->F);
    clsolve_status status = soak_call(s, "solve", call_solve, t);
    soak_expect(s, "solve", status, CLSOLVE_OK, CLSOLVE_OK);
    soak_get(t->F, x);
    if (status == CLSOLVE_OK) check_infos(s, t, "solve", poisoned);
    for (int64_t i = 0; i < t->N && status == CLSOLVE_OK; ++i) check_member(s, t, i, poisoned, f, x);
    soak_drop(s, t->F);
}

static void factor(soak *s, lines_task *t) {
    clsolve_report report;
    int64_t first = 0;
    t->info->use = SOAK_RESULT;
    clsolve_status status = soak_call(s, "factor", call_factor, t);
    soak_expect(s, "factor", status, CLSOLVE_OK, CLSOLVE_OK);
    if (status != CLSOLVE_OK) return;
    check_infos(s, t, "factor", -1);
    soak_expect(s, "report", clsolve_tridiagonal_batch_report(t->handle, &report), CLSOLVE_OK, CLSOLVE_OK);
    while (first < t->N && t->due[first] == 0) ++first;
    if (report.member != (first < t->N ? first + 1 : 0))
        soak_wrong(s, "the report names member %d", (int)report.member);
}

static void refuse(soak *s, lines_task *t) {
    clsolve_batch kept = t->a[1];
    int kind = (int)soak_between(s, 0, 2);
    soak_say(s, " refused %d", kind);
    if (kind == 0) t->a[1].type = (clsolve_type)5;
    if (kind == 1) t->a[1].ld = 0;
    if (kind == 2) t->a[1].count++;
    soak_expect(s, "factor", soak_call_unharmed(s, "factor", call_factor, t), CLSOLVE_ERROR_INVALID_ARGUMENT,
                CLSOLVE_ERROR_INVALID_ARGUMENT);
    t->a[1] = kept;
}

static int step(soak *s, void *task) {
    lines_task *t = task;
    if (!t->handle || s->wrong[0]) return 0;
    draw(s, t);
    if (soak_one_in(s, 12)) refuse(s, t);
    factor(s, t);
    for (int64_t k = soak_between(s, 1, 3); k > 0 && !s->wrong[0]; --k) solve(s, t);
    for (int q = 0; q < 3; ++q) soak_drop(s, t->coefficients[q]);
    soak_drop(s, t->info);
    return --t->rounds > 0;
}

static void end(soak *s, void *task) {
    SCRATCH lines_task *t = task;
    (void)s;
    clsolve_tridiagonal_batch_destroy(t->handle);
    for (int q = 0; q < 3; ++q) free(t->values[q]);
    free(t->due);
}

const soak_family soak_tridiagonal = {"tridiagonal", begin, step, end};
