/* soak_band_cholesky.c: Cholesky of bands: both forms, blocks, slabs, precision, options; factors again and again, solves. */
#include "base/type.h"
#include "lu/ratios.h"
#include "soak/soak.h"

typedef enum spoil { GOOD, INDEFINITE, NONFINITE } spoil;

typedef struct band_task {
    soak *s;
    int64_t n, k, rounds;
    clsolve_type type;
    clsolve_uplo uplo;
    clsolve_band_cholesky_options o;
    clsolve_band_cholesky *handle;
    clsolve_matrix a, b;
    double *values; /* of the matrix, tight, all of it */
} band_task;

static void draw_options(soak *s, band_task *t) {
    t->o.where = soak_one_in(s, 2) ? CLSOLVE_WHERE_DEVICE : CLSOLVE_WHERE_AUTO;
    if (t->o.where == CLSOLVE_WHERE_DEVICE && soak_one_in(s, 3)) t->o.block = 64;
    if (t->o.where == CLSOLVE_WHERE_DEVICE && soak_one_in(s, 4)) t->o.slab_bytes = soak_between(s, 1, 8) * 65536;
    t->o.rcond = soak_one_in(s, 5);
    t->o.equilibrate = soak_one_in(s, 5);
    t->o.refine = soak_one_in(s, 5);
    if (cls_is_double(t->type) && soak_one_in(s, 5)) t->o.precision = CLSOLVE_PRECISION_MIXED;
    soak_say(s, " where %d block %d slab %lld rcond %d equilibrate %d refine %d mixed %d;", (int)t->o.where,
             (int)t->o.block, (long long)t->o.slab_bytes, (int)t->o.rcond, (int)t->o.equilibrate, (int)t->o.refine,
             (int)t->o.precision);
}

static clsolve_status call_create(void *task) {
    band_task *t = task;
    const clsolve_status status = clsolve_band_cholesky_create(t->s->context, t->n, t->k, t->type, &t->o, &t->handle);
    if (status != CLSOLVE_OK && t->handle) soak_wrong(t->s, "create failed and left a handle");
    return status;
}

SOAK_CALL(call_factor, band_task, clsolve_band_cholesky_factor(t->handle, t->uplo, &t->a))
SOAK_CALL(call_solve, band_task, clsolve_band_cholesky_solve(t->handle, &t->b))

static void *begin(soak *s) {
    band_task *t = soak_task(s, sizeof *t);
    int64_t above;
    t->type = soak_type(s);
    t->n = soak_size(s, 400);
    soak_diagonals(s, 150, &t->k, &above);
    t->rounds = soak_between(s, 1, 4);
    soak_say(s, " n %d k %d", (int)t->n, (int)t->k);
    draw_options(s, t);
    soak_expect(s, "create", soak_call(s, "create", call_create, t), CLSOLVE_OK, CLSOLVE_OK);
    t->values = soak_elements(t->type, t->n * t->n);
    return t;
}

/* Dominant; an element of the diagonal negative, NaN or Inf. */
static spoil draw_matrix(soak *s, band_task *t, int64_t *at) {
    const int64_t n = t->n;
    const spoil how = n > 0 && soak_one_in(s, 6) ? INDEFINITE : n > 0 && soak_one_in(s, 10) ? NONFINITE : GOOD;
    soak_fill(s, t->type, t->values, n * n);
    for (int64_t j = 0; j < n; ++j) {
        for (int64_t i = j; i < n; ++i) {
            double *below = &t->values[soak_index(t->type, i + j * n)];
            for (int part = 0; part < cls_type_parts(t->type); ++part) below[part] *= i - j <= t->k;
            soak_put_conjugate(t->type, t->values, j + i * n, i + j * n);
        }
        t->values[soak_index(t->type, j * (n + 1))] = 4 * (double)t->k + 1;
    }
    *at = n > 0 ? soak_between(s, 0, n - 1) : 0;
    double *diagonal = &t->values[soak_index(t->type, *at * (n + 1))];
    if (how == INDEFINITE) *diagonal = -1;
    if (how == NONFINITE) *diagonal = soak_one_in(s, 2) ? (double)NAN : (double)INFINITY;
    t->uplo = soak_one_in(s, 2) ? CLSOLVE_UPPER : CLSOLVE_LOWER;
    soak_say(s, " matrix %d uplo %d", (int)how, (int)t->uplo);
    return how;
}

/* Around the triangle there is NaN. */
static soak_array *put_band(soak *s, band_task *t) {
    soak_array *A = soak_matrix(s, t->type, t->k + 1, t->n);
    const int64_t parts = cls_type_parts(t->type);
    SCRATCH double *band = soak_elements(t->type, (t->k + 1) * t->n);
    for (int64_t j = 0; j < t->n; ++j)
        for (int64_t r = 0; r <= t->k; ++r)
            for (int64_t part = 0; part < parts; ++part) {
                const int64_t i = t->uplo == CLSOLVE_LOWER ? j + r : j + r - t->k;
                band[parts * (r + j * (t->k + 1)) + part] =
                    i >= 0 && i < t->n ? t->values[parts * (i + j * t->n) + part] : (double)NAN;
            }
    soak_put(A, band);
    return A;
}

static clsolve_status factor(soak *s, band_task *t, spoil how, int64_t at) {
    static const clsolve_status due[] = {CLSOLVE_OK, CLSOLVE_NOT_POSITIVE_DEFINITE, CLSOLVE_ERROR_NONFINITE};
    clsolve_report report = {0};
    const clsolve_status status = soak_call(s, "factor", call_factor, t);
    soak_expect(s, "factor", status, due[how], due[how]);
    soak_expect(s, "report", clsolve_band_cholesky_report(t->handle, &report), CLSOLVE_OK, CLSOLVE_OK);
    if (report.info != (status == CLSOLVE_NOT_POSITIVE_DEFINITE ? at + 1 : 0))
        soak_wrong(s, "info is %d", (int)report.info);
    if (status == CLSOLVE_OK && t->o.rcond && !(report.direct.rcond > 0 && report.direct.rcond <= 1.0001))
        soak_wrong(s, "rcond is %g", report.direct.rcond);
    return status;
}

static int step(soak *s, void *task) {
    band_task *t = task;
    int64_t at = 0;
    if (!t->handle || s->wrong[0]) return 0;
    const spoil how = draw_matrix(s, t, &at);
    soak_array *A = put_band(s, t);
    t->a = soak_matrix_view(A);
    const clsolve_status status = factor(s, t, how, at);
    soak_drop(s, A); /* it is not read again */
    for (int64_t k = soak_between(s, 1, 3); k > 0 && !s->wrong[0]; --k)
        soak_solve_for(s, t->type, CLSOLVE_NO_TRANS, t->n, t->values, status, &t->b, call_solve, t);
    return --t->rounds > 0;
}

static void end(soak *s, void *task) {
    SCRATCH band_task *t = task;
    (void)s;
    clsolve_band_cholesky_destroy(t->handle);
    free(t->values);
}

const soak_family soak_band_cholesky = {"band cholesky", begin, step, end};
