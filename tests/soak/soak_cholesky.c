/* soak_cholesky.c: Cholesky, and LDL^T by the same steps: triangles, panels, precision, options, out of core; factors again and again,
 * solves, inverses, inertia. */
#include "base/type.h"
#include "lu/ratios.h"
#include "soak/soak.h"

/* No matrix for the family: of LDL^T a singular one. */
typedef enum spoil { GOOD, UNFIT, NONFINITE } spoil;

typedef struct cholesky_task {
    soak *s;
    int64_t n, rounds;
    clsolve_type type;
    clsolve_uplo uplo;
    clsolve_cholesky_options o;
    clsolve_cholesky *handle;
    int is_ldl; /* then `ldl` and not `handle` */
    clsolve_ldl *ldl;
    int64_t negative;    /* elements of the diagonal, of which as many eigenvalues are */
    clsolve_matrix a, b; /* what a call gets */
    double *values;      /* of the matrix, tight, both triangles */
} cholesky_task;

/* ---- draws ---- */

static void draw_options(soak *s, cholesky_task *t) {
    static const int32_t blocks[] = {0, 0, 64, 128};
    const int64_t size = cls_type_size(t->type);
    t->o.panel = soak_one_in(s, 2) ? CLSOLVE_PANEL_NATIVE : CLSOLVE_PANEL_AUTO;
    t->o.block = blocks[soak_between(s, 0, s->quick ? 1 : 3)];
    if (soak_one_in(s, 6)) t->o.slab_bytes = soak_between(s, 1, 8) * t->n * 64;
    t->o.rcond = soak_one_in(s, 5);
    t->o.equilibrate = soak_one_in(s, 5);
    t->o.refine = soak_one_in(s, 5);
    if (cls_is_double(t->type) && soak_one_in(s, 5)) t->o.precision = CLSOLVE_PRECISION_MIXED;
    if (soak_one_in(s, 3) && t->n >= 150) t->o.memory_limit = t->n * t->n * size * soak_between(s, 2, 7) / 4 + 65536;
    soak_say(s, " panel %d block %d slab %lld rcond %d equilibrate %d refine %d mixed %d limit %lld;", (int)t->o.panel,
             (int)t->o.block, (long long)t->o.slab_bytes, (int)t->o.rcond, (int)t->o.equilibrate, (int)t->o.refine,
             (int)t->o.precision, (long long)t->o.memory_limit);
}

/* The real part of an element of the diagonal. */
static double *diagonal_of(const cholesky_task *t, int64_t at) {
    return &t->values[soak_index(t->type, at * (t->n + 1))];
}

/* Symmetric or hermitian, the diagonal dominant; an element of it negative, or one of the triangle that is read NaN or Inf. */
static spoil draw_matrix(soak *s, cholesky_task *t, int64_t *at) {
    const int64_t n = t->n;
    const spoil how = n > 0 && soak_one_in(s, 6) ? UNFIT : n > 0 && soak_one_in(s, 10) ? NONFINITE : GOOD;
    t->negative = 0;
    soak_fill(s, t->type, t->values, n * n);
    for (int64_t j = 0; j < n; ++j) {
        for (int64_t i = j; i < n; ++i) soak_put_conjugate(t->type, t->values, j + i * n, i + j * n);
        *diagonal_of(t, j) = (cls_is_complex(t->type) ? 2 : 1) * (double)(n + 1);
        if (!t->is_ldl || soak_one_in(s, 2)) continue;
        *diagonal_of(t, j) *= -1;
        ++t->negative;
    }
    *at = n > 0 ? soak_between(s, 0, n - 1) : 0;
    if (how == UNFIT && t->is_ldl) {
        for (int64_t k = 0; k < n; ++k)
            for (int64_t part = 0; part < cls_type_parts(t->type); ++part)
                t->values[soak_index(t->type, k + *at * n) + part] =
                    t->values[soak_index(t->type, *at + k * n) + part] = 0;
    } else if (how == UNFIT) {
        *diagonal_of(t, *at) = -1;
    }
    if (how == NONFINITE) *diagonal_of(t, *at) = soak_one_in(s, 2) ? (double)NAN : (double)INFINITY;
    t->uplo = soak_one_in(s, 2) ? CLSOLVE_UPPER : CLSOLVE_LOWER;
    soak_say(s, " matrix %d uplo %d", (int)how, (int)t->uplo);
    return how;
}

static int inside(const cholesky_task *t, int64_t i, int64_t j) {
    return t->uplo == CLSOLVE_LOWER ? i >= j : i <= j;
}

/* The triangle; what nobody may read is NaN. */
static soak_array *put_triangle(cholesky_task *t) {
    soak_array *A = soak_matrix(t->s, t->type, t->n, t->n);
    soak_put(A, t->values);
    for (int64_t j = 0; j < t->n; ++j)
        for (int64_t i = 0; i < t->n; ++i)
            if (!inside(t, i, j)) soak_set(A, i, j, 0, (double)NAN);
    return A;
}

/* ---- calls ---- */

static clsolve_ldl_options ldl_options(const cholesky_task *t) {
    return (clsolve_ldl_options){.panel = t->o.panel,
                                 .block = t->o.block,
                                 .rcond = t->o.rcond,
                                 .equilibrate = t->o.equilibrate,
                                 .refine = t->o.refine,
                                 .precision = t->o.precision};
}

static clsolve_status call_create(void *task) {
    cholesky_task *t = task;
    const clsolve_ldl_options ldl = ldl_options(t);
    clsolve_status status = t->is_ldl ? clsolve_ldl_create(t->s->context, t->n, t->type, &ldl, &t->ldl)
                                      : clsolve_cholesky_create(t->s->context, t->n, t->type, &t->o, &t->handle);
    if (status != CLSOLVE_OK && (t->handle || t->ldl)) soak_wrong(t->s, "create failed and left a handle");
    return status;
}

SOAK_CALL(call_factor, cholesky_task,
          t->is_ldl ? clsolve_ldl_factor(t->ldl, t->uplo, &t->a) : clsolve_cholesky_factor(t->handle, t->uplo, &t->a))
SOAK_CALL(call_solve, cholesky_task,
          t->is_ldl ? clsolve_ldl_solve(t->ldl, &t->b) : clsolve_cholesky_solve(t->handle, &t->b))
SOAK_CALL(call_inverse, cholesky_task,
          t->is_ldl ? clsolve_ldl_inverse(t->ldl, t->uplo, &t->b) : clsolve_cholesky_inverse(t->handle, t->uplo, &t->b))

/* ---- checks ---- */

static clsolve_status factor(soak *s, cholesky_task *t, spoil how, int64_t at) {
    const clsolve_status due[] = {CLSOLVE_OK, t->is_ldl ? CLSOLVE_SINGULAR : CLSOLVE_NOT_POSITIVE_DEFINITE,
                                  CLSOLVE_ERROR_NONFINITE};
    clsolve_report report = {0};
    const clsolve_status status = soak_call(s, "factor", call_factor, t);
    /* Float factors of a matrix that is not positive definite are followed by double ones, which may be beyond the limit. */
    const int bound = how == UNFIT && t->o.memory_limit > 0 && cls_is_double(t->type);
    soak_expect(s, "factor", status, due[how], bound ? CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY : due[how]);
    soak_expect(s, "report",
                t->is_ldl ? clsolve_ldl_report(t->ldl, &report) : clsolve_cholesky_report(t->handle, &report),
                CLSOLVE_OK, CLSOLVE_OK);
    const clsolve_inertia *i = &report.direct.inertia;
    if (t->is_ldl && status == CLSOLVE_OK && i->positive + i->negative + i->zero > 0 &&
        (i->negative != t->negative || i->zero != 0))
        soak_wrong(s, "%d negative and %d zero, not %d and 0", (int)i->negative, (int)i->zero, (int)t->negative);
    if (status == CLSOLVE_NOT_POSITIVE_DEFINITE && report.info != at + 1)
        soak_wrong(s, "info is %d where %d is due", (int)report.info, (int)at + 1);
    if (status == CLSOLVE_OK && report.info != 0) soak_wrong(s, "info is %d", (int)report.info);
    if (status == CLSOLVE_OK && t->o.rcond && !(report.direct.rcond > 0 && report.direct.rcond <= 1.0001))
        soak_wrong(s, "rcond is %g", report.direct.rcond);
    return status;
}

static void invert(soak *s, cholesky_task *t) {
    soak_array *X = put_triangle(t); /* what is there is written over */
    SCRATCH double *x = soak_elements(t->type, t->n * t->n);
    X->use = SOAK_RESULT;
    t->b = soak_matrix_view(X);
    soak_say(s, " inverse");
    soak_expect(s, "inverse", soak_call(s, "inverse", call_inverse, t), CLSOLVE_OK, CLSOLVE_OK);
    soak_get(X, x);
    for (int64_t j = 0; j < t->n; ++j)
        for (int64_t i = 0; i < t->n; ++i) {
            if (inside(t, i, j)) continue;
            if (!isnan(x[soak_index(t->type, i + j * t->n)])) soak_wrong(s, "the inverse wrote the other triangle");
            soak_put_conjugate(t->type, x, i + j * t->n, j + i * t->n);
        }
    if (!s->wrong[0] && t->n > 0) soak_check_inverse(s, t->type, t->n, t->values, x);
    soak_drop(s, X);
}

/* ---- the family ---- */

static void *begin_either(soak *s, int is_ldl) {
    cholesky_task *t = soak_task(s, sizeof *t);
    t->is_ldl = is_ldl;
    t->type = soak_type(s);
    t->n = soak_size(s, 500);
    t->rounds = soak_between(s, 1, t->n > 200 ? 2 : 5);
    soak_say(s, " n %d", (int)t->n);
    draw_options(s, t);
    if (is_ldl) t->o.slab_bytes = t->o.memory_limit = 0; /* in core and in one piece */
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

static void *begin(soak *s) {
    return begin_either(s, 0);
}

static void *begin_ldl(soak *s) {
    return begin_either(s, 1);
}

static int step(soak *s, void *task) {
    cholesky_task *t = task;
    int64_t at = 0;
    if (!(t->handle || t->ldl) || s->wrong[0]) return 0;
    const spoil how = draw_matrix(s, t, &at);
    soak_array *A = put_triangle(t);
    t->a = soak_matrix_view(A);
    const clsolve_status status = factor(s, t, how, at);
    soak_drop(s, A); /* it is not read again */
    for (int64_t k = soak_between(s, 1, 3); k > 0 && !s->wrong[0]; --k)
        soak_solve_for(s, t->type, CLSOLVE_NO_TRANS, t->n, t->values, status, &t->b, call_solve, t);
    if (status == CLSOLVE_OK && !s->wrong[0] && soak_one_in(s, 3)) invert(s, t);
    return --t->rounds > 0;
}

static void end(soak *s, void *task) {
    SCRATCH cholesky_task *t = task;
    (void)s;
    clsolve_cholesky_destroy(t->handle);
    clsolve_ldl_destroy(t->ldl);
    free(t->values);
}

const soak_family soak_cholesky = {"cholesky", begin, step, end};
const soak_family soak_ldl = {"ldl", begin_ldl, step, end};
