/*
 * Complex bands and batches of them: scaled residuals of solves with A, its transpose and its conjugate transpose; factors,
 * condition and determinant against LAPACK's zgbtrf and zgbcon; every option and way; |z| beyond the range of its parts.
 */
#include "band/complex_support.h"

#include <complex.h>
#include <float.h>
#include <lapacke.h>

static const zband_shape shapes[] = {{0, 0, 0}, {1, 2, 1},   {2, 1, 1},    {40, 3, 2},    {5, 7, 9},   {17, 1, 1},
                                     {3, 0, 2}, {67, 20, 9}, {97, 71, 31}, {131, 41, 40}, {150, 60, 8}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* ---- what LAPACK has of A, in double ---- */

typedef struct expected {
    double rcond, log_abs_det, phase;
    lapack_complex_double *LU;
    lapack_int *ipiv, info;
} expected;

static expected expect(const zband_shape *s, const double *A) {
    const lapack_int n = (lapack_int)s->n, kl = (lapack_int)s->kl, ku = (lapack_int)s->ku, rows = 2 * kl + ku + 1;
    expected e = {.LU = calloc((size_t)(rows * n) + 1, sizeof *e.LU), .ipiv = calloc((size_t)n + 1, sizeof *e.ipiv)};
    double norm = 0;
    assert_true(e.LU && e.ipiv);
    for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t i = 0; i < n; ++i) {
            const double *a = A + 2 * (i + j * n);
            if (!zband_is_in(s, i, j)) continue;
            e.LU[kl + ku + i - j + j * rows] = lapack_make_complex_double(a[0], a[1]);
            sum += hypot(a[0], a[1]);
        }
        norm = fmax(norm, sum);
    }
    e.info = LAPACKE_zgbtrf(LAPACK_COL_MAJOR, n, n, kl, ku, e.LU, rows, e.ipiv);
    if (e.info != 0) return e;
    assert_int_equal(LAPACKE_zgbcon(LAPACK_COL_MAJOR, '1', n, kl, ku, e.LU, rows, e.ipiv, norm, &e.rcond), 0);
    for (int64_t k = 0; k < n; ++k) {
        const lapack_complex_double u = e.LU[kl + ku + k * rows];
        e.log_abs_det += log(cabs(u));
        e.phase += carg(u) + (e.ipiv[k] != k + 1 ? acos(-1) : 0);
    }
    return e;
}

static void forget(expected *e) {
    free(e->LU);
    free(e->ipiv);
}

static void check_report(const clsolve_band *band, const zband_shape *s, const double *A) {
    clsolve_report report;
    expected e = expect(s, A);
    assert_int_equal(clsolve_band_report(band, &report), CLSOLVE_OK);
    const int in_double = s->n == 0 || strcmp(report.direct.det_precision, "double") == 0;
    const double off = 10 * (double)(s->n + 1) * test_epsilon(in_double ? CLSOLVE_F64 : CLSOLVE_F32) / e.rcond;
    assert_int_equal(e.info, 0);
    if (!(fabs(report.direct.log_abs_det - e.log_abs_det) <= off * (1 + fabs(e.log_abs_det))))
        fail_msg("n %d: log|det| %.17g, not %.17g", (int)s->n, report.direct.log_abs_det, e.log_abs_det);
    if (!(fabs(remainder(report.direct.det_phase - e.phase, 2 * acos(-1))) <= off)) fail_msg("phase");
    if (report.direct.rcond >= 0 && s->n > 0 &&
        !(report.direct.rcond <= 4 * e.rcond && report.direct.rcond >= e.rcond / 4))
        fail_msg("n %d: rcond %g where zgbcon gives %g", (int)s->n, report.direct.rcond, e.rcond);
    forget(&e);
}

/* ---- a handle ---- */

/* Solves by each op: the ratio. */
static void check_solves(test_random *random, clsolve_band *band, clsolve_type type, clsolve_layout layout,
                         const zband_shape *s, const double *A) {
    const int64_t n = s->n;
    double *B = zband_sides(random, type, n), *X = test_elements(type, n * ZBAND_SIDES);
    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_CONJ_TRANS; ++op) {
        scratch_matrix b = test_matrix_make(type, layout, n, ZBAND_SIDES, 1);
        test_matrix_set(&b, B);
        if (clsolve_band_solve(band, (clsolve_op)op, &b.view) != CLSOLVE_OK)
            fail_msg("solve: %s", clsolve_context_message(zband_context));
        test_matrix_get(&b, X);
        test_matrix_spare_intact(&b);
        const double ratio = n > 0 ? ratio_solve(type, (clsolve_op)op, n, ZBAND_SIDES, A, X, B) : 0;
        if (!(ratio < RATIO_BOUND))
            fail_msg("n %d kl %d ku %d %s op %d: ratio %g", (int)n, (int)s->kl, (int)s->ku, test_type_names[type], op,
                     ratio);
    }
    free(B);
    free(X);
}

/* The exported factors solve by LAPACK's gbtrs, and go back in by the import. */
static void check_factors(test_random *random, clsolve_band *band, clsolve_type type, clsolve_layout layout,
                          const zband_shape *s, const double *A) {
    const int64_t n = s->n, rows = 2 * s->kl + s->ku + 1;
    scratch_matrix f = zband_store(type, layout, s, s->kl, A);
    SCRATCH int64_t *ipiv = test_room(n, sizeof *ipiv);
    SCRATCH double *all = test_elements(type, rows * n), *B = zband_sides(random, type, n);
    SCRATCH double *X = test_elements(type, n * ZBAND_SIDES);
    SCRATCH lapack_int *pivots = test_room(n, sizeof *pivots);
    clsolve_band *other = NULL;
    if (clsolve_band_factors(band, &f.view, ipiv) != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(zband_context));
    test_matrix_spare_intact(&f);
    test_matrix_get(&f, all);
    for (int64_t k = 0; k < 2 * rows * n; ++k) all[k] = isnan(all[k]) ? 0 : all[k];
    for (int64_t k = 0; k < n; ++k) pivots[k] = (lapack_int)ipiv[k];
    memcpy(X, B, (size_t)(2 * n * ZBAND_SIDES) * sizeof *B);
    if (n > 0) {
        assert_int_equal(LAPACKE_zgbtrs(LAPACK_COL_MAJOR, 'C', (lapack_int)n, (lapack_int)s->kl, (lapack_int)s->ku,
                                        ZBAND_SIDES, (lapack_complex_double *)(void *)all, (lapack_int)rows, pivots,
                                        (lapack_complex_double *)(void *)X, (lapack_int)n),
                         0);
        const double ratio = ratio_solve(type, CLSOLVE_CONJ_TRANS, n, ZBAND_SIDES, A, X, B);
        if (!(ratio < RATIO_BOUND)) fail_msg("gbtrs with the factors: ratio %g", ratio);
    }
    const clsolve_band_options plain = {.panel = test_lu_options().panel, .precision = CLSOLVE_PRECISION_WORKING};
    assert_int_equal(clsolve_band_create(zband_context, n, s->kl, s->ku, type, &plain, &other), CLSOLVE_OK);
    if (clsolve_band_import(other, &f.view, ipiv) != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(zband_context));
    check_solves(random, other, type, layout, s, A);
    check_report(other, s, A);
    clsolve_band_destroy(other);
}

static void check(test_random *random, clsolve_type type, clsolve_layout layout, const zband_shape *s,
                  clsolve_band_options options) {
    SCRATCH double *A = zband_dense(random, type, s);
    const int64_t fill = options.form == CLSOLVE_BAND_GBTRF ? s->kl : 0;
    /* Rows and columns of other sizes: what equilibration takes away. */
    for (int64_t k = 0; options.equilibrate && k < 2 * s->n * s->n; ++k)
        A[k] = ldexp(A[k], (int)(k / 2 % s->n % 5) * 3 - (int)(k / 2 / s->n % 3) * 4);
    scratch_matrix a = zband_store(type, layout, s, fill, A);
    clsolve_band *band = NULL;
    if (options.panel == CLSOLVE_PANEL_AUTO) options.panel = test_lu_options().panel;
    if (clsolve_band_create(zband_context, s->n, s->kl, s->ku, type, &options, &band) != CLSOLVE_OK ||
        clsolve_band_factor(band, &a.view) != CLSOLVE_OK)
        fail_msg("%s", clsolve_context_message(zband_context));
    check_report(band, s, A);
    check_solves(random, band, type, layout, s, A);
    if (options.precision != CLSOLVE_PRECISION_MIXED && !options.equilibrate && !options.refine)
        check_factors(random, band, type, layout, s, A);
    clsolve_band_destroy(band);
}

TEST(test_shapes) {
    static const clsolve_band_options options[] = {
        {.rcond = 1}, {.panel = CLSOLVE_PANEL_NATIVE, .block = 8}, {.panel = CLSOLVE_PANEL_HYBRID, .block = 8}};
    test_random random = test_random_start(1);
    for (int type = CLSOLVE_C32; type <= (int)zband_last_type(); ++type)
        for (int k = 0; k < SHAPES; k += test_reduced() ? 3 : 1)
            for (int o = 0; o < 3 && zband_is_taken((clsolve_type)type, &shapes[k]); ++o) {
                clsolve_band_options mine = options[o];
                mine.form = k % 2 ? CLSOLVE_BAND_GBTRF : CLSOLVE_BAND_PLAIN;
                check(&random, (clsolve_type)type, (k + o) % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR, &shapes[k],
                      mine);
            }
}

TEST(test_options) {
    static const clsolve_band_options options[] = {
        {.equilibrate = 1, .rcond = 1}, {.refine = 1}, {.precision = CLSOLVE_PRECISION_MIXED, .rcond = 1}};
    static const zband_shape some[] = {{2, 1, 1}, {50, 3, 2}, {150, 60, 8}};
    test_random random = test_random_start(2);
    for (int type = CLSOLVE_C32; type <= (int)zband_last_type(); ++type)
        for (int k = 0; k < (test_reduced() ? 2 : 3); ++k)
            for (int o = 0; o < (type == CLSOLVE_C64 ? 3 : 2) && zband_is_taken((clsolve_type)type, &some[k]); ++o)
                check(&random, (clsolve_type)type, CLSOLVE_COLUMN_MAJOR, &some[k], options[o]);
}

/* A window on a band that is larger than the memory it may take. */
TEST(test_window) {
    const zband_shape s = {500, 9, 5};
    test_random random = test_random_start(3);
    for (int type = CLSOLVE_C32; type <= (int)zband_last_type(); ++type) {
        const int64_t size = type == CLSOLVE_C64 ? 16 : 8;
        check(&random, (clsolve_type)type, CLSOLVE_COLUMN_MAJOR, &s,
              (clsolve_band_options){
                  .panel = CLSOLVE_PANEL_NATIVE, .block = 8, .memory_limit = 256 * 1024 + 160 * 48 * size, .rcond = 1});
        check(&random, (clsolve_type)type, CLSOLVE_ROW_MAJOR, &s,
              (clsolve_band_options){
                  .panel = CLSOLVE_PANEL_HYBRID, .block = 8, .memory_limit = 256 * 1024 + 160 * 48 * size});
    }
}

/* ---- a rectangle in the caller's memory ---- */

static void check_in_place(test_random *random, clsolve_type type, clsolve_layout layout, const zband_shape *s) {
    const int64_t n = s->n, rows = 2 * s->kl + s->ku + 1;
    SCRATCH double *A = zband_dense(random, type, s);
    SCRATCH double *B = zband_sides(random, type, n), *all = test_elements(type, rows * n);
    scratch_matrix a = zband_store(type, layout, s, s->kl, A);
    SCRATCH int64_t *ipiv = test_room(n + 1, sizeof *ipiv);
    clsolve_report report;
    const clsolve_band_options options = {.panel = test_lu_options().panel};
    if (clsolve_band_factor_in_place(zband_context, n, n, s->kl, s->ku, &a.view, ipiv, &options, &report) != CLSOLVE_OK)
        fail_msg("%s", clsolve_context_message(zband_context));
    test_matrix_get(&a, all);
    SCRATCH lapack_int *pivots = test_room(n + 1, sizeof *pivots);
    SCRATCH double *X = test_elements(type, n * ZBAND_SIDES);
    for (int64_t k = 0; k < 2 * rows * n; ++k) all[k] = isnan(all[k]) ? 0 : all[k];
    for (int64_t k = 0; k < n; ++k) pivots[k] = (lapack_int)ipiv[k];
    memcpy(X, B, (size_t)(2 * n * ZBAND_SIDES) * sizeof *B);
    if (n > 0) {
        assert_int_equal(LAPACKE_zgbtrs(LAPACK_COL_MAJOR, 'T', (lapack_int)n, (lapack_int)s->kl, (lapack_int)s->ku,
                                        ZBAND_SIDES, (lapack_complex_double *)(void *)all, (lapack_int)rows, pivots,
                                        (lapack_complex_double *)(void *)X, (lapack_int)n),
                         0);
        const double ratio = ratio_solve(type, CLSOLVE_TRANS, n, ZBAND_SIDES, A, X, B);
        if (!(ratio < RATIO_BOUND)) fail_msg("in place, n %d: ratio %g", (int)n, ratio);
    }
}

TEST(test_in_place) {
    test_random random = test_random_start(4);
    for (int type = CLSOLVE_C32; type <= (int)zband_last_type(); ++type)
        for (int k = 0; k < SHAPES; k += test_reduced() ? 3 : 1)
            if (zband_is_taken((clsolve_type)type, &shapes[k]))
                check_in_place(&random, (clsolve_type)type, k % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR,
                               &shapes[k]);
}

/* ---- range, NaN and Inf, singular ---- */

/* A tridiagonal z times one of small integers whose elimination is exact: the solution is what it would be without. */
static void check_scale(clsolve_type type, const clsolve_band_options *options, double re, double im, int64_t n) {
    const zband_shape s = {n, 1, 1};
    SCRATCH double *A = test_elements(type, n * n), *B = test_elements(type, n);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = j > 0 ? j - 1 : 0; i < n && i <= j; ++i) { /* upper bidiagonal by columns: row j - 1, row j */
            const double f = i == j ? 1 : 0.5;
            A[2 * (i + j * n)] = f * re;
            A[2 * (i + j * n) + 1] = f * im;
        }
    scratch_matrix a = zband_store(type, CLSOLVE_COLUMN_MAJOR, &s, 0, A);
    OWNED(band) *band = NULL;
    assert_int_equal(clsolve_band_create(zband_context, n, 1, 1, type, options, &band), CLSOLVE_OK);
    if (clsolve_band_factor(band, &a.view) != CLSOLVE_OK)
        fail_msg("%g + %g i: %s", re, im, clsolve_context_message(zband_context));
    scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, 1, 0);
    for (int64_t k = 0; k < 2 * n; ++k) B[k] = (k < 2 * (n - 1) ? 0.75 : 0.5) * (k % 2 ? im : re);
    test_matrix_set(&b, B);
    if (clsolve_band_solve(band, CLSOLVE_NO_TRANS, &b.view) != CLSOLVE_OK)
        fail_msg("%g + %g i: %s", re, im, clsolve_context_message(zband_context));
    test_matrix_get(&b, B);
    for (int64_t k = 0; k < n; ++k)
        if (!(fabs(B[2 * k] - 0.5) < 64 * test_epsilon(type) && fabs(B[2 * k + 1]) < 64 * test_epsilon(type)))
            fail_msg("%s, %g + %g i: %g + %g i", test_type_names[type], re, im, B[2 * k], B[2 * k + 1]);
}

TEST(test_range) {
    for (int type = test_reduced() ? (int)zband_last_type() : CLSOLVE_C32; type <= (int)zband_last_type(); ++type) {
        const double most = type == CLSOLVE_C64 ? DBL_MAX : (double)FLT_MAX;
        const double least = type == CLSOLVE_C64 ? DBL_MIN : (double)FLT_MIN;
        const double values[][2] = {{0.9 * most, 0.9 * most}, {0, -0.9 * most}, {-0.7 * most, 0.1 * most},
                                    {8 * least, 8 * least},   {0, 16 * least},  {3, -4}};
        const clsolve_band_options options[] = {{.panel = test_lu_options().panel},
                                                {.panel = CLSOLVE_PANEL_HYBRID, .block = 4}};
        for (size_t k = 0; k < sizeof values / sizeof *values; ++k)
            for (int o = 0; o < 2; ++o)
                check_scale((clsolve_type)type, &options[o], test_rounded((clsolve_type)type, values[k][0]),
                            test_rounded((clsolve_type)type, values[k][1]), 20);
    }
}

TEST(test_nonfinite) {
    static const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    const zband_shape s = {37, 3, 2};
    const clsolve_type type = zband_last_type();
    const clsolve_band_options options = {.panel = test_lu_options().panel};
    test_random random = test_random_start(5);
    for (int which = 0; which < 6; ++which) {
        SCRATCH double *A = zband_dense(&random, type, &s), *B = zband_sides(&random, type, s.n);
        OWNED(band) *band = NULL;
        double *at = A + 2 * (6 + 7 * s.n) + which / 3;
        *at = bad[which % 3];
        test_matrix a = zband_store(type, CLSOLVE_COLUMN_MAJOR, &s, 0, A);
        assert_int_equal(clsolve_band_create(zband_context, s.n, 3, 2, type, &options, &band), CLSOLVE_OK);
        assert_int_equal(clsolve_band_factor(band, &a.view), CLSOLVE_ERROR_NONFINITE);
        assert_non_null(strstr(clsolve_context_message(zband_context), "A(7,8)"));
        test_matrix_free(&a);
        *at = 0.5;
        a = zband_store(type, CLSOLVE_COLUMN_MAJOR, &s, 0, A);
        assert_int_equal(clsolve_band_factor(band, &a.view), CLSOLVE_OK);
        scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, s.n, 1, 0);
        B[2 * 4 + which / 3] = bad[which % 3];
        test_matrix_set(&b, B);
        assert_int_equal(clsolve_band_solve(band, CLSOLVE_TRANS, &b.view), CLSOLVE_ERROR_NONFINITE);
        assert_non_null(strstr(clsolve_context_message(zband_context), "B(5,1)"));
        test_matrix_free(&a);
    }
}

/* A column that is i times another one. */
TEST(test_singular) {
    static const clsolve_band_options options[] = {{.rcond = 1}, {.panel = CLSOLVE_PANEL_HYBRID, .block = 1}};
    float a[12] = {0, 0, 1, 0, 0, 1, 0, 1, -1, 0, 0, 0}, b[4] = {1, 2, 3, 4};
    clsolve_matrix A = {CLSOLVE_C32, CLSOLVE_COLUMN_MAJOR, 3, 2, 3, a, CLSOLVE_ON_HOST, 0};
    clsolve_matrix B = clsolve_matrix_c32(2, 1, b);
    for (int o = 0; o < 2; ++o) {
        clsolve_report report;
        OWNED(band) *band = NULL;
        assert_int_equal(clsolve_band_create(zband_context, 2, 1, 1, CLSOLVE_C32, &options[o], &band), CLSOLVE_OK);
        assert_int_equal(clsolve_band_factor(band, &A), CLSOLVE_SINGULAR);
        assert_int_equal(clsolve_band_report(band, &report), CLSOLVE_OK);
        assert_int_equal(report.info, 2);
        assert_true(report.direct.det_sign == 0 && report.direct.det_phase == 0);
        assert_int_equal(clsolve_band_solve(band, CLSOLVE_CONJ_TRANS, &B), CLSOLVE_SINGULAR);
        assert_true(b[0] == 1 && b[3] == 4);
    }
}

static int setup(void **state) {
    zband_context = test_context(1);
    return 0;
}

static int teardown(void **state) {
    clsolve_context_destroy(zband_context);
    return 0;
}

TEST_PROGRAM(setup, teardown)
