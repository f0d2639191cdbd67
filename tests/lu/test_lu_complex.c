/*
 * Complex matrices: what the tests of all types do not ask. Determinant, condition and inverse against LAPACK; options;
 * |z| beyond the range of its parts; NaN and Inf; hermitian and complex-symmetric forms of real matrices.
 */
#include "lu/complex_support.h"

#include <complex.h>
#include <lapacke.h>

#include "io/matrix_market.h"

static const int64_t sizes[] = {1, 2, 3, 5, 16, 31, 33, 67, 129};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* ---- every option: the answer, and what is reported of it ---- */

static const char *const pivoting_names[] = {"partial", "partial", NULL, NULL, "rbt"};

/* LAPACK's factors of A in double, and what it computes from them. */
typedef struct expected {
    double *LU;
    lapack_int *ipiv;
    double rcond[2], log_abs_det, phase;
} expected;

static expected expect(int64_t n, const double *A) {
    expected e = {.LU = zlu_elements(n * n), .ipiv = calloc((size_t)n, sizeof(lapack_int))};
    lapack_complex_double *LU = (lapack_complex_double *)(void *)e.LU;
    const lapack_int order = (lapack_int)n;

    assert_non_null(e.ipiv);
    memcpy(e.LU, A, (size_t)(2 * n * n) * sizeof *A);
    const double one = LAPACKE_zlange(LAPACK_COL_MAJOR, '1', order, order, LU, order);
    const double inf = LAPACKE_zlange(LAPACK_COL_MAJOR, 'I', order, order, LU, order);
    assert_int_equal(LAPACKE_zgetrf(LAPACK_COL_MAJOR, order, order, LU, order, e.ipiv), 0);
    assert_int_equal(LAPACKE_zgecon(LAPACK_COL_MAJOR, '1', order, LU, order, one, &e.rcond[0]), 0);
    assert_int_equal(LAPACKE_zgecon(LAPACK_COL_MAJOR, 'I', order, LU, order, inf, &e.rcond[1]), 0);
    for (int64_t k = 0; k < n; ++k) {
        const double *u = e.LU + 2 * (k + k * n);
        e.log_abs_det += log(hypot(u[0], u[1]));
        e.phase += atan2(u[1], u[0]) + (e.ipiv[k] != k + 1 ? acos(-1) : 0);
    }
    return e;
}

static void check_determinant(const clsolve_report *report, const expected *e, double bound) {
    const double apart = remainder(report->direct.det_phase - e->phase, 2 * acos(-1));
    assert_int_equal(report->direct.det_sign, 1);
    if (!(fabs(report->direct.log_abs_det - e->log_abs_det) <= bound * (1 + fabs(e->log_abs_det))))
        fail_msg("log|det| %.17g, not %.17g", report->direct.log_abs_det, e->log_abs_det);
    if (!(fabs(apart) <= bound)) fail_msg("the determinant's phase is off by %g", apart);
    assert_true(fabs(report->direct.det_phase) <= 3.1416);
}

static void check_options(test_random *random, clsolve_type type, clsolve_layout layout, int64_t n,
                          clsolve_lu_options options) {
    const int64_t nrhs = 3, count = 2 * n * nrhs;
    SCRATCH double *A = zlu_elements(n * n), *B = zlu_elements(n * nrhs), *X = zlu_elements(n * nrhs);
    scratch_matrix a = test_matrix_make(type, layout, n, n, 2);

    options.rcond = 1;
    test_kind_make(random, type, 8, n, A);
    /* Rows and columns of other sizes: what equilibration takes away. */
    for (int64_t k = 0; options.equilibrate && k < 2 * n * n; ++k)
        A[k] = ldexp(A[k], (int)(k / 2 % n % 5) * 3 - (int)(k / 2 / n % 3) * 4);
    test_matrix_set(&a, A);
    clsolve_lu *lu = zlu_make(n, type, &options);
    if (clsolve_lu_factor(lu, &a.view) != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(zlu_context));
    clsolve_report report = zlu_report_of(lu);
    expected e = expect(n, A);
    /* The factors are those of a matrix nearby, and so is the determinant. */
    const int in_double = strcmp(report.direct.det_precision, "double") == 0;
    const double off = 10 * (double)n * test_epsilon(in_double ? CLSOLVE_F64 : CLSOLVE_F32) / e.rcond[0];
    const int by_pivots = options.pivoting != CLSOLVE_PIVOTING_RBT; /* else growth is what the draw makes it */
    if (by_pivots) check_determinant(&report, &e, off);
    assert_true(report.direct.growth > 0.5 / (double)n && (!by_pivots || report.direct.growth < 100 * (double)n));
    assert_string_equal(report.direct.pivoting, pivoting_names[options.pivoting]);
    if (by_pivots) assert_string_equal(report.direct.pivoting_used, report.direct.pivoting);
    if (by_pivots && !(report.direct.rcond <= 4 * e.rcond[0] && report.direct.rcond >= e.rcond[0] / 4))
        fail_msg("n %d: rcond %g where zgecon gives %g", (int)n, report.direct.rcond, e.rcond[0]);
    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_CONJ_TRANS; ++op) {
        scratch_matrix b = test_matrix_make(type, layout, n, nrhs, 1);
        for (int64_t k = 0; k < count; ++k) B[k] = test_rounded(type, test_random_signed(random));
        test_matrix_set(&b, B);
        if (clsolve_lu_solve(lu, (clsolve_op)op, &b.view) != CLSOLVE_OK)
            fail_msg("%s", clsolve_context_message(zlu_context));
        test_matrix_get(&b, X);
        test_matrix_spare_intact(&b);
        const double ratio = ratio_solve(type, (clsolve_op)op, n, nrhs, A, X, B);
        if (!(ratio < RATIO_BOUND)) fail_msg("n %d, %s, op %d: ratio %g", (int)n, test_type_names[type], op, ratio);
        report = zlu_report_of(lu);
        if (options.refine || options.precision == CLSOLVE_PRECISION_MIXED)
            assert_true(report.refinement.backward_error >= 0 &&
                        report.refinement.backward_error < RATIO_BOUND * (double)n * test_epsilon(type));
    }
    clsolve_lu_destroy(lu);
    free(e.LU);
    free(e.ipiv);
}

TEST(test_options) {
    static const clsolve_lu_options options[] = {
        {.rcond = 1},
        {.equilibrate = 1},
        {.refine = 1},
        {.precision = CLSOLVE_PRECISION_MIXED},
        {.pivoting = CLSOLVE_PIVOTING_RBT},
        {.pivoting = CLSOLVE_PIVOTING_RBT, .precision = CLSOLVE_PRECISION_MIXED}};
    test_random random = test_random_start(1);

    for (size_t o = 0; o < sizeof options / sizeof *options; ++o)
        for (int s = 0; s < SIZES; s += test_reduced() ? 3 : 1)
            for (int type = CLSOLVE_C32; type <= CLSOLVE_C64; ++type) {
                const int mixed = options[o].precision == CLSOLVE_PRECISION_MIXED;
                const clsolve_layout layout = (s + type) % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
                if (mixed ? type == CLSOLVE_C32 : !test_has_type(zlu_context, (clsolve_type)type)) continue;
                check_options(&random, (clsolve_type)type, layout, sizes[s], options[o]);
            }
}

/* On a device without double a handle of complex doubles is mixed, as one of doubles is. */
TEST(test_without_double) {
    const clsolve_lu_options options = {.rcond = 0};
    test_random random = test_random_start(2);
    if (zlu_has_double()) skip();
    for (int s = 0; s < SIZES; ++s) {
        const clsolve_layout layout = s % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
        check_options(&random, CLSOLVE_C64, layout, sizes[s], options);
    }
}

/* ---- what LAPACK computes from factors ---- */

/* A solution that is off comes back to the true one, within the bound that is told, and with a small backward error. */
static void check_refine(test_random *random, clsolve_lu *lu, clsolve_type type, clsolve_layout layout, clsolve_op op,
                         int64_t n, const double *A) {
    const int64_t nrhs = 2;
    SCRATCH double *B = zlu_elements(n * nrhs), *X = zlu_elements(n * nrhs), *Y = zlu_elements(n * nrhs);
    double ferr[2], berr[2];
    test_matrix a = test_matrix_make(type, layout, n, n, 1), b = test_matrix_make(type, layout, n, nrhs, 0);
    scratch_matrix x = test_matrix_make(type, layout, n, nrhs, 2);

    test_matrix_set(&a, A);
    for (int64_t k = 0; k < 2 * n * nrhs; ++k) B[k] = test_rounded(type, test_random_signed(random));
    test_matrix_set(&b, B);
    test_matrix_set(&x, B);
    assert_int_equal(clsolve_lu_solve(lu, op, &x.view), CLSOLVE_OK);
    test_matrix_get(&x, Y);
    for (int64_t k = 0; k < 2 * n * nrhs; ++k)
        X[k] = test_rounded(type, Y[k] * (1 + 1e-3 * test_random_signed(random)));
    test_matrix_set(&x, X);
    if (clsolve_lu_refine(lu, op, &a.view, &b.view, &x.view, ferr, berr) != CLSOLVE_OK)
        fail_msg("%s", clsolve_context_message(zlu_context));
    test_matrix_get(&x, X);
    test_matrix_spare_intact(&x);
    const double ratio = ratio_solve(type, op, n, nrhs, A, X, B);
    if (!(ratio < RATIO_BOUND)) fail_msg("refined, op %d: ratio %g", (int)op, ratio);
    for (int64_t c = 0; c < nrhs; ++c) {
        double apart = 0, largest = 0;
        for (int64_t k = 2 * n * c; k < 2 * n * (c + 1); ++k) {
            apart = fmax(apart, fabs(X[k] - Y[k]));
            largest = fmax(largest, fabs(X[k]));
        }
        /* Y has an error of its own, of a well-conditioned system. */
        assert_true(apart <= (2 * ferr[c] + 1000 * (double)n * test_epsilon(type)) * largest);
        assert_true(ferr[c] >= 0 && ferr[c] < 1e5 * (double)n * test_epsilon(type));
        assert_true(berr[c] >= 0 && berr[c] < 4 * (double)(n + 1) * test_epsilon(type));
    }
    test_matrix_free(&a);
    test_matrix_free(&b);
}

static void check_from_factors(test_random *random, clsolve_type type, clsolve_layout layout, int64_t n) {
    const clsolve_lu_options options = {.precision = CLSOLVE_PRECISION_WORKING};
    SCRATCH double *A = zlu_elements(n * n), *X = zlu_elements(n * n), *unit = zlu_elements(n * n);
    SCRATCH int64_t *ipiv = test_room(n, sizeof *ipiv);
    scratch_matrix a = test_matrix_make(type, layout, n, n, 1), f = test_matrix_make(type, layout, n, n, 0);
    clsolve_lu *lu = zlu_make(n, type, &options), *other = zlu_make(n, type, &options);

    test_kind_make(random, type, 4, n, A);
    test_matrix_set(&a, A);
    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_factors(lu, &f.view, ipiv), CLSOLVE_OK);
    if (clsolve_lu_import(other, &f.view, ipiv) != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(zlu_context));
    expected e = expect(n, A);
    for (int which = 0; which < 2; ++which) {
        clsolve_lu *with = which ? other : lu;
        clsolve_report report = zlu_report_of(with);
        check_determinant(&report, &e, type == CLSOLVE_C64 ? 1e-10 : 1e-3);
        for (int norm = CLSOLVE_NORM_ONE; norm <= CLSOLVE_NORM_INF; ++norm) {
            const double size = LAPACKE_zlange(LAPACK_COL_MAJOR, norm == CLSOLVE_NORM_ONE ? '1' : 'I', (lapack_int)n,
                                               (lapack_int)n, (lapack_complex_double *)(void *)A, (lapack_int)n);
            double rcond = -1;
            assert_int_equal(clsolve_lu_condition(with, (clsolve_norm)norm, size, &rcond), CLSOLVE_OK);
            if (!(rcond <= 3 * e.rcond[norm] && rcond >= e.rcond[norm] / 3))
                fail_msg("rcond %g where zgecon gives %g", rcond, e.rcond[norm]);
        }
        assert_int_equal(clsolve_lu_inverse(with, &f.view), CLSOLVE_OK);
        test_matrix_get(&f, X);
        /* A X is the identity, column by column. */
        for (int64_t k = 0; k < n; ++k) unit[2 * (k + k * n)] = 1;
        const double ratio = ratio_solve(type, CLSOLVE_NO_TRANS, n, n, A, X, unit);
        if (!(ratio < RATIO_BOUND)) fail_msg("inverse of n %d: ratio %g", (int)n, ratio);
    }
    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_CONJ_TRANS; ++op)
        check_refine(random, lu, type, layout, (clsolve_op)op, n, A);
    clsolve_lu_destroy(lu);
    clsolve_lu_destroy(other);
    free(e.LU);
    free(e.ipiv);
}

TEST(test_from_factors) {
    test_random random = test_random_start(3);
    for (int s = 0; s < SIZES; s += test_reduced() ? 3 : 1)
        for (int type = CLSOLVE_C32; type <= (zlu_has_double() ? CLSOLVE_C64 : CLSOLVE_C32); ++type)
            check_from_factors(&random, (clsolve_type)type, s % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR, sizes[s]);
}

/* ---- in place, any shape ---- */

TEST(test_in_place) {
    static const int64_t shapes[][2] = {{1, 1}, {5, 3}, {3, 5}, {33, 33}, {70, 31}, {31, 70}, {0, 3}, {129, 65}};
    test_random random = test_random_start(4);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s)
        for (int type = CLSOLVE_C32; type <= (zlu_has_double() ? CLSOLVE_C64 : CLSOLVE_C32); ++type) {
            const int64_t m = shapes[s][0], n = shapes[s][1];
            const clsolve_layout layout = (s + (size_t)type) % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
            const clsolve_lu_options options = {.panel = test_lu_options().panel};
            SCRATCH double *A = zlu_elements(m * n), *LU = zlu_elements(m * n);
            int64_t ipiv[129];
            scratch_matrix a = test_matrix_make((clsolve_type)type, layout, m, n, 2);
            for (int64_t k = 0; k < 2 * m * n; ++k)
                A[k] = test_rounded((clsolve_type)type, test_random_signed(&random));
            test_matrix_set(&a, A);
            if (clsolve_lu_factor_in_place(zlu_context, &a.view, ipiv, &options, NULL) != CLSOLVE_OK)
                fail_msg("%d x %d: %s", (int)m, (int)n, clsolve_context_message(zlu_context));
            test_matrix_get(&a, LU);
            test_matrix_spare_intact(&a);
            const double ratio = ratio_rectangle((clsolve_type)type, m, n, A, LU, ipiv);
            if (!(ratio < RATIO_BOUND)) fail_msg("%d x %d: ratio %g", (int)m, (int)n, ratio);
        }
}

/* ---- real matrices made hermitian, and complex-symmetric ---- */

enum { HERMITIAN, SYMMETRIC, SHIFTED, FORMS };

static void check_matrix(const char *name, int form) {
    mm_matrix M;
    const char *path = test_matrix_path(name);
    test_random random = test_random_start(6);
    if (!path) return;
    assert_int_equal(mm_read(path, &M, NULL), MM_OK);
    const int64_t n = M.rows;
    const clsolve_type type = zlu_has_double() ? CLSOLVE_C64 : CLSOLVE_C32;
    SCRATCH double *D = test_doubles(n * n), *A = zlu_elements(n * n), *B = zlu_elements(n), *X = zlu_elements(n);
    mm_to_dense(&M, D, n);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) {
            const double a = D[i + j * n], t = D[j + i * n];
            double *z = A + 2 * (i + j * n);
            z[0] = form == SHIFTED ? a : (a + t) / 2;
            z[1] = form == HERMITIAN ? (a - t) / 2 : form == SYMMETRIC && i == j ? 0.25 : i == j ? -1 : 0;
        }
    for (int64_t k = 0; k < 2 * n * n; ++k) A[k] = test_rounded(type, A[k]);
    scratch_matrix a = test_matrix_make(type, CLSOLVE_ROW_MAJOR, n, n, 0),
                   b = test_matrix_make(type, CLSOLVE_ROW_MAJOR, n, 1, 0);
    for (int64_t k = 0; k < 2 * n; ++k) B[k] = test_rounded(type, test_random_signed(&random));
    test_matrix_set(&a, A);
    test_matrix_set(&b, B);
    if (clsolve_solve(zlu_context, CLSOLVE_NO_TRANS, &a.view, &b.view, NULL, NULL) != CLSOLVE_OK)
        fail_msg("%s: %s", name, clsolve_context_message(zlu_context));
    test_matrix_get(&b, X);
    const double ratio = ratio_solve(type, CLSOLVE_NO_TRANS, n, 1, A, X, B);
    if (!(ratio < RATIO_BOUND)) fail_msg("%s, form %d: ratio %g", name, form, ratio);
    mm_free(&M);
}

TEST(test_matrices) {
    static const char *const names[] = {"gre__115", "west0479", "lns__131", "olm500"};
    if (!test_matrix_path(names[0])) skip();
    for (size_t k = 0; k < sizeof names / sizeof *names; k += test_reduced() ? 3 : 1)
        for (int form = HERMITIAN; form < FORMS; ++form) check_matrix(names[k], form);
}

static int open_context(void **state) {
    zlu_context = test_context(1);
    return 0;
}

static int close_context(void **state) {
    clsolve_context_destroy(zlu_context);
    return 0;
}

TEST_PROGRAM(open_context, close_context)
