/* soak_band.c: one band: forms, panels, precision, windows, narrow ones; factors again and again, solves, exports. */
#include "band/band_support.h"
#include "soak/soak.h"

typedef struct band_task {
    soak *s;
    int64_t n, kl, ku, rounds;
    clsolve_type type;
    clsolve_band_options o;
    clsolve_band *handle;
    clsolve_op op;
    clsolve_matrix a, b;
    soak_array *ipiv;
    test_band band; /* its values */
} band_task;

static clsolve_status call_create(void *task) {
    band_task *t = task;
    t->handle = (clsolve_band *)t;
    clsolve_status status = clsolve_band_create(t->s->context, t->n, t->kl, t->ku, t->type, &t->o, &t->handle);
    if (status != CLSOLVE_OK && t->handle) soak_wrong(t->s, "create failed and left a handle");
    return status;
}

SOAK_CALL(call_factor, band_task, clsolve_band_factor(t->handle, &t->a))
SOAK_CALL(call_solve, band_task, clsolve_band_solve(t->handle, t->op, &t->b))
SOAK_CALL(call_factors, band_task, clsolve_band_factors(t->handle, &t->b, t->ipiv->data))

/* ---- draws ---- */

static void draw_size(soak *s, band_task *t) {
    t->type = soak_real_type(s);
    t->n = soak_size(s, 700);
    if (!s->quick && soak_one_in(s, 12)) t->n = soak_between(s, 700, 6000);
    soak_diagonals(s, t->n > 700 ? 17 : 50, &t->kl, &t->ku);
    soak_say(s, " n %d kl %d ku %d", (int)t->n, (int)t->kl, (int)t->ku);
}

static void draw_options(soak *s, band_task *t) {
    static const int32_t blocks[] = {0, 0, 0, 8, 16, 32, 5};
    int64_t size = t->type == CLSOLVE_F32 ? 4 : 8, bytes = (2 * t->kl + t->ku + 1) * t->n * size;
    t->o.form = (clsolve_band_form)soak_between(s, 0, 1);
    t->o.panel = (clsolve_panel)soak_between(s, 0, 2);
    t->o.block = blocks[soak_between(s, 0, s->quick ? 3 : 6)];
    t->o.rcond = soak_one_in(s, 6);
    t->o.equilibrate = soak_one_in(s, 6);
    t->o.refine = soak_one_in(s, 6);
    if (t->type == CLSOLVE_F64 && soak_one_in(s, 5)) t->o.precision = CLSOLVE_PRECISION_MIXED;
    if (soak_one_in(s, 4)) t->o.memory_limit = bytes * soak_between(s, 1, 8) / 4 + soak_between(s, 0, 3) * 100000 + 1;
    soak_say(s, " form %d panel %d block %d rcond %d equilibrate %d refine %d mixed %d limit %lld;", (int)t->o.form,
             (int)t->o.panel, (int)t->o.block, (int)t->o.rcond, (int)t->o.equilibrate, (int)t->o.refine,
             (int)t->o.precision, (long long)t->o.memory_limit);
}

/* Dominant by rows and columns, or with a small diagonal, so that rows are exchanged. With diagonals on one side alone that would be a
 * triangle of random numbers, whose condition grows like 2^n. */
static soak_kind draw_values(soak *s, band_task *t, int64_t *at) {
    static const soak_kind kinds[] = {SOAK_DOMINANT, SOAK_DOMINANT, SOAK_DOMINANT,    SOAK_RANDOM,   SOAK_RANDOM,
                                      SOAK_RANDOM,   SOAK_DOMINANT, SOAK_ZERO_COLUMN, SOAK_NONFINITE};
    soak_kind kind = kinds[soak_between(s, 0, 8)];
    int risky = t->o.precision == CLSOLVE_PRECISION_MIXED || !s->device.fp64 || t->type == CLSOLVE_F32 || t->n > 300 ||
                t->kl == 0 || t->ku == 0;
    if (t->n == 0 || (kind == SOAK_RANDOM && risky)) kind = SOAK_DOMINANT;
    double diagonal = kind == SOAK_RANDOM ? 0.5 : (double)(t->kl + t->ku + 2);
    test_band_free(&t->band);
    t->band = test_band_random(&s->random, t->type, t->n, t->kl, t->ku, diagonal);
    *at = t->n > 0 ? soak_between(s, 0, t->n - 1) : 0;
    for (int64_t i = 0; i < t->n && kind == SOAK_ZERO_COLUMN; ++i)
        if (test_band_at(&t->band, i, *at)) *test_band_at(&t->band, i, *at) = 0;
    soak_say(s, " %s at %d", soak_kind_names[kind], (int)*at);
    return kind;
}

/* The caller's array; what is not of the matrix holds NaN, for nobody may read it. */
static soak_array *store(soak *s, band_task *t, soak_kind kind) {
    int64_t fill = t->o.form == CLSOLVE_BAND_GBTRF ? t->kl : 0;
    soak_array *A = soak_matrix(s, t->type, fill + t->kl + t->ku + 1, t->n);
    for (int64_t j = 0; j < t->n; ++j)
        for (int64_t i = j - t->ku; i <= j + t->kl; ++i) {
            const double *e = test_band_at(&t->band, i, j);
            if (e) soak_set(A, fill + t->ku + i - j, j, 0, *e);
        }
    if (kind == SOAK_NONFINITE) {
        int64_t j = soak_between(s, 0, t->n - 1);
        soak_set(A, fill + t->ku, j, 0, soak_one_in(s, 2) ? (double)NAN : (double)INFINITY);
        soak_say(s, " diagonal %d", (int)j);
    }
    return A;
}

/* ---- rounds ---- */

static void factor(soak *s, band_task *t, soak_kind kind, int64_t at) {
    clsolve_report report = {0};
    clsolve_status status = soak_call(s, "factor", call_factor, t), due = CLSOLVE_OK;
    if (kind == SOAK_NONFINITE) due = CLSOLVE_ERROR_NONFINITE;
    if (kind == SOAK_ZERO_COLUMN) due = CLSOLVE_SINGULAR;
    soak_expect(s, "factor", status, due, due);
    soak_expect(s, "report", clsolve_band_report(t->handle, &report), CLSOLVE_OK, CLSOLVE_OK);
    int plain =
        !t->o.equilibrate && t->o.precision != CLSOLVE_PRECISION_MIXED && (s->device.fp64 || t->type == CLSOLVE_F32);
    if (kind == SOAK_ZERO_COLUMN && plain && report.info != at + 1)
        soak_wrong(s, "info is %d where %d is due", (int)report.info, (int)at + 1);
    if (kind == SOAK_DOMINANT && t->o.rcond && !(report.direct.rcond > 0 && report.direct.rcond <= 1.0001))
        soak_wrong(s, "rcond is %g", report.direct.rcond);
}

static void solve(soak *s, band_task *t, soak_kind kind) {
    int64_t nrhs = soak_nrhs(s), count = t->n * nrhs;
    soak_array *B = soak_matrix(s, t->type, t->n, nrhs);
    SCRATCH double *b = soak_doubles(count), *x = soak_doubles(count);
    int poisoned = count > 0 && soak_one_in(s, 15);
    clsolve_status due = CLSOLVE_OK, also;
    t->op = soak_op(s, t->type);
    soak_fill(s, t->type, b, count);
    soak_put(B, b);
    soak_say(s, " solve %d op %d", (int)nrhs, (int)t->op);
    if (poisoned) soak_poison(s, B), due = CLSOLVE_ERROR_NONFINITE;
    B->use = SOAK_RESULT;
    t->b = soak_matrix_view(B);
    if (kind == SOAK_NONFINITE) due = CLSOLVE_ERROR_STATE;
    also = due;
    if (kind == SOAK_ZERO_COLUMN)
        also = poisoned ? due : count == 0 ? CLSOLVE_OK : CLSOLVE_SINGULAR, due = CLSOLVE_SINGULAR;
    clsolve_status status = soak_call(s, "solve", call_solve, t);
    soak_expect(s, "solve", status, due, also);
    if (status == CLSOLVE_OK && kind < SOAK_ZERO_COLUMN) {
        soak_get(B, x);
        double ratio = test_band_ratio(&t->band, t->op, nrhs, x, b);
        if (!(ratio < RATIO_BOUND)) soak_wrong(s, "the residual's ratio is %g", ratio);
    }
    soak_drop(s, B);
}

/* LAPACK's solves with what is exported. */
static void export(soak *s, band_task *t) {
    clsolve_report report = {0};
    (void)clsolve_band_report(t->handle, &report);
    int mixed = report.precision && report.precision[0] == 'm';
    int64_t rows = 2 * t->kl + t->ku + 1;
    soak_array *AFB = soak_matrix(s, mixed ? CLSOLVE_F32 : t->type, rows, t->n);
    t->ipiv = soak_words(s, t->n);
    AFB->use = t->ipiv->use = SOAK_RESULT;
    t->b = soak_matrix_view(AFB);
    soak_say(s, " export");
    clsolve_status status = soak_call(s, "factors", call_factors, t);
    soak_expect(s, "factors", status, CLSOLVE_OK, CLSOLVE_OK);
    for (int64_t j = 0; j < t->n && status == CLSOLVE_OK; ++j)
        if (soak_word(t->ipiv, j) < j + 1 || soak_word(t->ipiv, j) > t->n || soak_word(t->ipiv, j) > j + 1 + t->kl)
            soak_wrong(s, "pivot %d is %d", (int)j + 1, (int)soak_word(t->ipiv, j));
    if (status == CLSOLVE_OK && t->type == CLSOLVE_F64 && !mixed && report.direct.equilibrated == 0 && t->n > 0 &&
        !s->wrong[0]) {
        SCRATCH double *factors = soak_doubles(rows * t->n), *b = soak_doubles(t->n), *x = soak_doubles(t->n);
        for (int64_t j = 0; j < t->n; ++j)
            for (int64_t r = 0; r < rows; ++r)
                if (r - t->kl - t->ku + j >= 0 && r - t->kl - t->ku + j < t->n)
                    factors[r + j * rows] = soak_at(AFB, r, j, 0);
        soak_fill(s, t->type, b, t->n);
        for (int64_t i = 0; i < t->n; ++i) x[i] = b[i];
        test_band_lapack_solve(&t->band, t->ipiv->data, factors, CLSOLVE_NO_TRANS, 1, x);
        double ratio = test_band_ratio(&t->band, CLSOLVE_NO_TRANS, 1, x, b);
        if (!(ratio < RATIO_BOUND)) soak_wrong(s, "LAPACK's ratio with the factors is %g", ratio);
    }
    soak_drop(s, t->ipiv);
    soak_drop(s, AFB);
}

static void refuse(soak *s, band_task *t) {
    soak_array *A = soak_matrix(s, t->type, t->kl + t->ku + 1 + (t->o.form == CLSOLVE_BAND_GBTRF ? t->kl : 0), t->n);
    int kind = (int)soak_between(s, 0, 4);
    soak_say(s, " refused %d", kind);
    t->a = soak_matrix_view(A);
    if (kind == 0) t->a.rows++, t->a.ld++;
    if (kind == 1) t->a.ld = 0;
    if (kind == 2) t->a.type = (clsolve_type)5;
    if (kind == 3) t->a.layout = (clsolve_layout)5;
    if (kind == 4) t->a.cols++, t->a.ld++;
    soak_expect(s, "factor", soak_call_unharmed(s, "factor", call_factor, t), CLSOLVE_ERROR_INVALID_ARGUMENT,
                CLSOLVE_ERROR_INVALID_ARGUMENT);
    soak_drop(s, A);
}

/* ---- the family ---- */

static void *begin(soak *s) {
    band_task *t = soak_task(s, sizeof *t);
    draw_size(s, t);
    draw_options(s, t);
    t->rounds = soak_between(s, 1, t->n > 300 ? 2 : 6);
    clsolve_status status = soak_call(s, "create", call_create, t);
    if (status == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY && t->o.memory_limit > 0) {
        ++s->refused;
        t->o.memory_limit = 0;
        status = soak_call(s, "create", call_create, t);
    }
    soak_expect(s, "create", status, CLSOLVE_OK, CLSOLVE_OK);
    return t;
}

static int step(soak *s, void *task) {
    band_task *t = task;
    int64_t at = 0;
    if (!t->handle || s->wrong[0]) return 0;
    if (soak_one_in(s, 12)) refuse(s, t);
    soak_kind kind = draw_values(s, t, &at);
    soak_array *A = store(s, t, kind);
    t->a = soak_matrix_view(A);
    factor(s, t, kind, at);
    if (soak_one_in(s, 2)) soak_drop(s, A), A = NULL;
    for (int64_t k = soak_between(s, 1, 3); k > 0 && !s->wrong[0]; --k) solve(s, t, kind);
    if (kind < SOAK_ZERO_COLUMN && !s->wrong[0] && soak_one_in(s, 3)) export(s, t);
    soak_drop(s, A);
    return --t->rounds > 0;
}

static void end(soak *s, void *task) {
    SCRATCH band_task *t = task;
    (void)s;
    clsolve_band_destroy(t->handle);
    test_band_free(&t->band);
}

const soak_family soak_band = {"band", begin, step, end};
