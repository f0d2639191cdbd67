/* Condition numbers from float factors: as LAPACK has them in double, or a bound that says that it is one. */
#include "lu/refine_support.h"

#include <float.h>
#include <lapacke.h>

static double condition_by_lapack(int64_t n, const double *A) {
    double *LU = test_doubles(n * n), rcond = -1;
    lapack_int order = (lapack_int)n, *ipiv = test_room(n, sizeof *ipiv);
    memcpy(LU, A, (size_t)(n * n) * sizeof *LU);
    double norm = LAPACKE_dlange(LAPACK_COL_MAJOR, '1', order, order, A, order);
    assert_int_equal(LAPACKE_dgetrf(LAPACK_COL_MAJOR, order, order, LU, order, ipiv), 0);
    assert_int_equal(LAPACKE_dgecon(LAPACK_COL_MAJOR, '1', order, LU, order, norm, &rcond), 0);
    free(LU);
    free(ipiv);
    return rcond;
}

static clsolve_report factor(clsolve_layout layout, int64_t n, const double *A) {
    scratch_matrix a = test_matrix_make(CLSOLVE_F64, layout, n, n, 1);
    OWNED(lu) *lu = NULL;
    clsolve_report report;
    test_matrix_set(&a, A);
    assert_int_equal(clsolve_lu_create(rs_context, n, CLSOLVE_F64, &rs_mixed, &lu), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    return report;
}

/* `wanted` is the reciprocal condition in double. A bound holds and is below what float itself can tell. */
static void check(const clsolve_report *report, double wanted, const char *what, int64_t n) {
    if (report->direct.fallback) { /* float factors with a zero pivot: then it is double's */
        assert_true(rs_fp64 && !report->direct.rcond_is_bound);
        assert_string_equal(report->direct.det_precision, "double");
    } else if (report->direct.det_sign != 0) {
        assert_string_equal(report->direct.det_precision, "single");
    }
    if (wanted < 100 * (double)n * DBL_EPSILON &&
        !report->direct.rcond_is_bound) { /* LAPACK's own is rounding errors, too */
        assert_true(report->direct.rcond >= 0 && report->direct.rcond < 10000 * (double)n * DBL_EPSILON);
        return;
    }
    int right = report->direct.rcond_is_bound
                    ? report->direct.rcond >= wanted / 3 && report->direct.rcond < (double)FLT_EPSILON && wanted < 1e-9
                    : report->direct.rcond >= wanted / 3 && report->direct.rcond <= 3 * wanted;
    if (!right)
        fail_msg("%s of order %d: rcond %g (bound: %d), dgecon has %g", what, (int)n, report->direct.rcond,
                 (int)report->direct.rcond_is_bound, wanted);
}

/* Up to order 10 GMRES gets there; from order 13 on no solve in double has a digit. */
TEST(test_hilbert) {
    for (int64_t n = 1; n <= 20; ++n) {
        SCRATCH double *A = test_doubles(n * n);
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = 0; i < n; ++i) A[i + j * n] = 1 / (double)(i + j + 1);
        clsolve_report report = factor(n % 2 ? CLSOLVE_COLUMN_MAJOR : CLSOLVE_ROW_MAJOR, n, A);
        check(&report, condition_by_lapack(n, A), "Hilbert's matrix", n);
        if (n <= 9) assert_int_equal(report.direct.rcond_is_bound, 0);
        if (n >= 13 && !report.direct.fallback) assert_int_equal(report.direct.rcond_is_bound, 1);
    }
}

/* One small singular value, or all the way down to it. */
TEST(test_known) {
    test_random random = test_random_start(51);
    static const int64_t orders[] = {2, 3, 29, 67, 130};
    for (size_t s = 0; s < sizeof orders / sizeof *orders; ++s)
        for (int mode = 2; mode <= 3; ++mode)
            for (int digits = 2; digits <= 11; digits += 3) {
                int64_t n = orders[s];
                SCRATCH double *A = test_doubles(n * n);
                test_with_condition(&random, n, mode, pow(10, digits), A);
                clsolve_report report = factor(digits % 2 ? CLSOLVE_COLUMN_MAJOR : CLSOLVE_ROW_MAJOR, n, A);
                check(&report, condition_by_lapack(n, A), "a matrix of known condition", n);
                if (digits <= 5) assert_int_equal(report.direct.rcond_is_bound, 0);
            }
}

/* What the ends of double's range do to norms. */
TEST(test_range) {
    enum { N = 30 };
    test_random random = test_random_start(52);
    SCRATCH double *A = test_doubles(N * N), *S = test_doubles(N * N);
    test_with_condition(&random, N, 3, 1e5, A);
    double wanted = condition_by_lapack(N, A);
    for (int exponent = -1020; exponent <= 1020; exponent += 340) {
        for (int64_t k = 0; k < N * N; ++k) S[k] = ldexp(A[k], exponent);
        clsolve_report report = factor(CLSOLVE_COLUMN_MAJOR, N, S);
        assert_int_equal(report.direct.rcond_is_bound, 0);
        check(&report, wanted, "a matrix at the ends of the range", N);
    }
}

TEST_PROGRAM(rs_open, rs_close)
