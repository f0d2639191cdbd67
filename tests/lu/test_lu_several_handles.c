#define _POSIX_C_SOURCE 200809L
/*
 * LU handles over several devices, by the public calls: each option and each call of a handle, with the same matrix on
 * one device beside it: the same determinant, condition and inverse, solutions of the same ratio.
 */
#include <clsolve/clsolve.h>

#include "api/context.h"
#include "lu/ratios.h"

enum { MOST = 8, N = 131, NRHS = 5 };

static int64_t devices;
static char shares[4 * MOST];

static clsolve_context *several, *one;
static test_random numbers;

/* All devices of the platform under test, and the host: it works in its own memory, also beside a GPU's shape. */
static int open_all(void **state) {
    const char *selectors[MOST + 1];
    char message[512];
    const clsolve_context_options options = {.message = message, .message_size = sizeof message};
    one = test_context(1);
    devices = test_platform_selectors(selectors, MOST);
    selectors[devices++] = "host";
    /* As if the host were half as fast as the others. */
    for (int64_t d = 0; d < devices; ++d) (void)strcat(shares, d + 1 < devices ? "2," : "1");
    assert_int_equal(setenv("CLSOLVE_SHARES", shares, 1), 0);
    if (clsolve_context_create_many(&options, devices, selectors, &several) != CLSOLVE_OK) fail_msg("%s", message);
    numbers = test_random_start(2302);
    return 0;
}

static int close_all(void **state) {
    clsolve_context_destroy(several);
    clsolve_context_destroy(one);
    return 0;
}

static void expect(clsolve_context *context, clsolve_status wanted, clsolve_status status) {
    if (status != wanted) fail_msg("%s: %s", clsolve_status_name(status), clsolve_context_message(context));
}

/* A handle of each context with these options, factored. */
typedef struct pair {
    clsolve_lu *several, *one;
    clsolve_report report[2];
} pair;

static pair make(clsolve_type type, clsolve_lu_options options, const clsolve_matrix *A, clsolve_status wanted) {
    pair p;
    const clsolve_lu_options device = test_lu_options();
    options.where = CLSOLVE_WHERE_DEVICE;
    options.block = 16;
    options.panel = device.panel;
    expect(several, CLSOLVE_OK, clsolve_lu_create(several, A->rows, type, &options, &p.several));
    expect(one, CLSOLVE_OK, clsolve_lu_create(one, A->rows, type, &options, &p.one));
    expect(several, wanted, clsolve_lu_factor(p.several, A));
    expect(one, wanted, clsolve_lu_factor(p.one, A));
    (void)clsolve_lu_report(p.several, &p.report[0]);
    (void)clsolve_lu_report(p.one, &p.report[1]);
    assert_int_equal(p.report[0].direct.devices, devices);
    assert_int_equal(p.report[1].direct.devices, 1);
    return p;
}

static void end(pair *p) {
    clsolve_lu_destroy(p->several);
    clsolve_lu_destroy(p->one);
}

static void check_solutions(const pair *p, clsolve_type type, clsolve_layout layout, const double *A, clsolve_op op) {
    scratch_matrix b = test_matrix_make(type, layout, N, NRHS, 1);
    SCRATCH double *B = test_elements(type, N * NRHS), *X = test_elements(type, N * NRHS);

    test_random_fill(&numbers, B, test_numbers(type, N * NRHS));
    test_matrix_set(&b, B);
    test_matrix_get(&b, B);
    expect(several, CLSOLVE_OK, clsolve_lu_solve(p->several, op, &b.view));
    test_matrix_get(&b, X);
    const double ratio = ratio_solve(type, op, N, NRHS, A, X, B);
    if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g", ratio);
    test_matrix_spare_intact(&b);
}

static void alike(double a, double b, double bound) {
    if (!(fabs(a - b) <= bound * fmax(fabs(a), fabs(b)))) fail_msg("%g and %g", a, b);
}

static void check_report(const pair *p, double digits) {
    const clsolve_report_direct *m = &p->report[0].direct, *o = &p->report[1].direct;
    alike(m->log_abs_det, o->log_abs_det, digits);
    assert_int_equal(m->det_sign, o->det_sign);
    alike(m->growth, o->growth, 1e-2);
    assert_int_equal(m->equilibrated, o->equilibrated);
    if (o->rcond >= 0) assert_true(m->rcond > 0.2 * o->rcond && m->rcond < 5 * o->rcond);
    assert_string_equal(p->report[0].precision, p->report[1].precision);
}

/* A handle with these options, for a matrix one row of which is 1 / scale times as large as the others. */
static void check(clsolve_type type, clsolve_layout layout, clsolve_lu_options options, double scale, double digits) {
    SCRATCH double *A = test_elements(type, N * N);
    const int64_t parts = cls_is_complex(type) ? 2 : 1;
    scratch_matrix a = test_matrix_make(type, layout, N, N, 2);

    if (!test_has_type(one, type)) return;
    test_random_fill(&numbers, A, test_numbers(type, N * N));
    for (int64_t k = 0; k < parts * N * N; ++k) A[k] *= k / parts % N == 7 ? 1 : scale;
    test_matrix_set(&a, A);
    test_matrix_get(&a, A);
    pair p = make(type, options, &a.view, CLSOLVE_OK);
    check_report(&p, digits);
    check_solutions(&p, type, layout, A, CLSOLVE_NO_TRANS);
    check_solutions(&p, type, layout, A, cls_is_complex(type) ? CLSOLVE_CONJ_TRANS : CLSOLVE_TRANS);
    end(&p);
}

TEST(test_options) {
    const clsolve_lu_options plain = {.rcond = 1, .precision = CLSOLVE_PRECISION_WORKING};
    const clsolve_lu_options refined = {.rcond = 1, .refine = 1, .precision = CLSOLVE_PRECISION_WORKING};
    const clsolve_lu_options scaled = {.rcond = 1, .equilibrate = 1, .precision = CLSOLVE_PRECISION_WORKING};
    for (int layout = 0; layout < 2; ++layout) {
        const clsolve_layout l = layout ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
        check(CLSOLVE_F64, l, plain, 1, 1e-9);
        check(CLSOLVE_F32, l, refined, 1, 1e-3);
        check(CLSOLVE_C64, l, refined, 1, 1e-9);
        check(CLSOLVE_F64, l, scaled, 1e-6, 1e-9);
    }
    check(CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, (clsolve_lu_options){.rcond = 1, .precision = CLSOLVE_PRECISION_MIXED}, 1,
          1e-3);
    check(CLSOLVE_C64, CLSOLVE_ROW_MAJOR, (clsolve_lu_options){.rcond = 1, .precision = CLSOLVE_PRECISION_MIXED}, 1,
          1e-3);
}

/* So small that reciprocals of pivots overflow. */
TEST(test_tiny) {
    const clsolve_lu_options plain = {.rcond = 1, .precision = CLSOLVE_PRECISION_WORKING};
    SCRATCH double *A = test_elements(CLSOLVE_F64, N * N);
    scratch_matrix a = test_matrix_make(CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, N, N, 0);
    test_random_fill(&numbers, A, N * N);
    for (int64_t k = 0; k < N * N; ++k) A[k] *= 0x1p-1010;
    test_matrix_set(&a, A);
    pair p = make(CLSOLVE_F64, plain, &a.view, CLSOLVE_OK);
    check_report(&p, 1e-9);
    double b[N], x[N], y[N];
    clsolve_matrix X = clsolve_matrix_f64(N, 1, x), Y = clsolve_matrix_f64(N, 1, y);
    for (int i = 0; i < N; ++i) x[i] = y[i] = b[i] = A[i];
    expect(several, CLSOLVE_OK, clsolve_lu_solve(p.several, CLSOLVE_NO_TRANS, &X));
    expect(one, CLSOLVE_OK, clsolve_lu_solve(p.one, CLSOLVE_NO_TRANS, &Y));
    for (int i = 0; i < N; ++i) assert_true(fabs(x[i] - (i == 0)) < 1e-6 && fabs(y[i] - (i == 0)) < 1e-6);
    SCRATCH double *LU = test_elements(CLSOLVE_F64, N * N), *other = test_elements(CLSOLVE_F64, N * N);
    clsolve_matrix F = clsolve_matrix_f64(N, N, LU), G = clsolve_matrix_f64(N, N, other);
    expect(several, CLSOLVE_OK, clsolve_lu_factors(p.several, &F, NULL));
    expect(one, CLSOLVE_OK, clsolve_lu_factors(p.one, &G, NULL));
    for (int64_t k = 0; k < N; ++k) alike(LU[k + k * N], other[k + k * N], 1e-6);
    end(&p);
}

/* Float factors with a zero pivot: double ones take their place. */
TEST(test_fallback) {
    const clsolve_lu_options mixed = {.precision = CLSOLVE_PRECISION_MIXED};
    SCRATCH double *A = test_elements(CLSOLVE_F64, N * N);
    scratch_matrix a = test_matrix_make(CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, N, N, 0);
    if (several->device->info.fp64) {
        for (int64_t i = 0; i < N; ++i) A[i + i * N] = 1;
        A[4 + 5 * N] = A[5 + 4 * N] = 1; /* two columns that float cannot tell apart */
        A[5 + 5 * N] = 1 + 0x1p-40;
        test_matrix_set(&a, A);
        pair p = make(CLSOLVE_F64, mixed, &a.view, CLSOLVE_OK);
        check_solutions(&p, CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, A, CLSOLVE_NO_TRANS);
        clsolve_report report;
        (void)clsolve_lu_report(p.several, &report);
        assert_string_equal(report.precision, "double");
        end(&p);
    }
}

static void check_inverse(clsolve_type type, clsolve_layout layout, clsolve_lu_options options) {
    SCRATCH double *A = test_elements(type, N * N), *X = test_elements(type, N * N), *Y = test_elements(type, N * N);
    double most = 0, off = 0;
    scratch_matrix a = test_matrix_make(type, layout, N, N, 1), x = test_matrix_make(type, layout, N, N, 2);

    test_random_fill(&numbers, A, N * N);
    for (int64_t k = 0; k < N; ++k) A[k + k * N] += 8;
    test_matrix_set(&a, A);
    pair p = make(type, options, &a.view, CLSOLVE_OK);
    expect(several, CLSOLVE_OK, clsolve_lu_inverse(p.several, &x.view));
    test_matrix_get(&x, X);
    test_matrix_spare_intact(&x);
    expect(one, CLSOLVE_OK, clsolve_lu_inverse(p.one, &x.view));
    test_matrix_get(&x, Y);
    for (int64_t k = 0; k < N * N; ++k) {
        most = fmax(most, fabs(Y[k]));
        off = test_worst(off, fabs(X[k] - Y[k]));
    }
    assert_true(off <= 1e6 * test_epsilon(type) * most);
    end(&p);
}

TEST(test_inverse) {
    check_inverse(CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, (clsolve_lu_options){.precision = CLSOLVE_PRECISION_WORKING});
    check_inverse(CLSOLVE_F32, CLSOLVE_ROW_MAJOR, (clsolve_lu_options){.precision = CLSOLVE_PRECISION_WORKING});
    check_inverse(CLSOLVE_F64, CLSOLVE_ROW_MAJOR, (clsolve_lu_options){.precision = CLSOLVE_PRECISION_MIXED});
}

/* What LAPACK computes from factors; calls that one device alone has. */
TEST(test_calls) {
    double *A = test_elements(CLSOLVE_F64, N * N), rcond[2], ferr[1], berr[1], b[N], x[N];
    int64_t ipiv[N];
    clsolve_matrix a = clsolve_matrix_f64(N, N, A), B = clsolve_matrix_f64(N, 1, b), X = clsolve_matrix_f64(N, 1, x);
    test_random_fill(&numbers, A, N * N);
    test_random_fill(&numbers, b, N);
    memcpy(x, b, sizeof x);
    pair p = make(CLSOLVE_F64, (clsolve_lu_options){.precision = CLSOLVE_PRECISION_WORKING}, &a, CLSOLVE_OK);
    expect(several, CLSOLVE_OK, clsolve_lu_condition(p.several, CLSOLVE_NORM_INF, 1, &rcond[0]));
    expect(one, CLSOLVE_OK, clsolve_lu_condition(p.one, CLSOLVE_NORM_INF, 1, &rcond[1]));
    alike(rcond[0], rcond[1], 1e-6);
    expect(several, CLSOLVE_OK, clsolve_lu_solve(p.several, CLSOLVE_NO_TRANS, &X));
    expect(several, CLSOLVE_OK, clsolve_lu_refine(p.several, CLSOLVE_NO_TRANS, &a, &B, &X, ferr, berr));
    assert_true(berr[0] < 1e-14);
    expect(several, CLSOLVE_OK, clsolve_lu_factors(p.several, &a, ipiv));
    expect(several, CLSOLVE_ERROR_UNSUPPORTED, clsolve_lu_import(p.several, &a, ipiv));
    end(&p);
    free(A);
}

TEST(test_singular) {
    double *A = test_elements(CLSOLVE_F64, N * N), b[N] = {0};
    clsolve_matrix a = clsolve_matrix_f64(N, N, A), B = clsolve_matrix_f64(N, 1, b);
    test_random_fill(&numbers, A, N * N);
    for (int64_t i = 0; i < N; ++i) A[i + 77 * N] = 0;
    pair p = make(CLSOLVE_F64, (clsolve_lu_options){.rcond = 1, .precision = CLSOLVE_PRECISION_WORKING}, &a,
                  CLSOLVE_SINGULAR);
    assert_int_equal(p.report[0].info, 78);
    expect(several, CLSOLVE_SINGULAR, clsolve_lu_solve(p.several, CLSOLVE_NO_TRANS, &B));
    A[5] = (double)NAN;
    expect(several, CLSOLVE_ERROR_NONFINITE, clsolve_lu_factor(p.several, &a));
    end(&p);
    free(A);
}

/* No rows are no reason to refuse anything, whichever device leads. */
TEST(test_empty) {
    const clsolve_device_info device = clsolve_context_device(one);
    const char *const selectors[] = {"host", device.selector};
    static const clsolve_panel panels[] = {CLSOLVE_PANEL_AUTO, CLSOLVE_PANEL_NATIVE, CLSOLVE_PANEL_HYBRID};
    clsolve_context *led = NULL, *contexts[2] = {several, NULL};
    clsolve_matrix nothing = clsolve_matrix_f32(0, 0, NULL), B = clsolve_matrix_f32(0, 2, NULL);
    assert_int_equal(setenv("CLSOLVE_SHARES", "1,1", 1), 0);
    assert_int_equal(clsolve_context_create_many(NULL, 2, selectors, &led), CLSOLVE_OK);
    contexts[1] = led;
    for (int c = 0; c < 2; ++c)
        for (size_t k = 0; k < sizeof panels / sizeof *panels; ++k) {
            const clsolve_lu_options options = {.where = CLSOLVE_WHERE_DEVICE, .panel = panels[k]};
            clsolve_lu *lu = NULL;
            expect(contexts[c], CLSOLVE_OK, clsolve_lu_create(contexts[c], 0, CLSOLVE_F32, &options, &lu));
            expect(contexts[c], CLSOLVE_OK, clsolve_lu_factor(lu, &nothing));
            expect(contexts[c], CLSOLVE_OK, clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &B));
            clsolve_lu_destroy(lu);
        }
    clsolve_context_destroy(led);
}

TEST_PROGRAM(open_all, close_all)
