/*
 * Where LU without pivoting is no good: matrices that have no such LU, singular ones, numbers at the ends of the range. The answer
 * is that of partial pivoting then, and the report says so.
 */
#include "lu/rbt_support.h"

#include <float.h>

/* ---- what it is not good for ---- */

typedef struct hard {
    const char *name;
    void (*make)(int64_t n, double *A);
    int falls_back; /* 1: for certain, and in every precision; 0: that is its own matter */
} hard;

static void reversal(int64_t n, double *A) {
    for (int64_t j = 0; j < n; ++j) A[n - 1 - j + j * n] = 1;
}

/* [0 1; 1 0] along the diagonal. */
static void exchanges(int64_t n, double *A) {
    for (int64_t j = 0; j < n; ++j) A[(j ^ 1) + j * n] = 1;
}

static void wilkinson(int64_t n, double *A) {
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) A[i + j * n] = i == j || j == n - 1 ? 1 : i > j ? -1 : 0;
}

/* L. V. Foster, SIAM J. Matrix Anal. Appl. 15 (1994): a Volterra equation by the trapezoidal rule, k h = 0.6, C = 6. */
static void foster(int64_t n, double *A) {
    for (int64_t j = 0; j < n - 1; ++j)
        for (int64_t i = j; i < n; ++i) A[i + j * n] = (j == 0 ? -0.3 : -0.6) + (i == j ? 1.3 : 0);
    for (int64_t i = 0; i < n; ++i) A[i + (n - 1) * n] = -1.0 / 6 + (i == n - 1 ? 0.7 : 0);
}

/* S. J. Wright, SIAM J. Sci. Comput. 14 (1993): a boundary value problem by multiple shooting, y' = [-1/6 1; 1 -1/6] y with
 * steps of 0.3. */
static void wright(int64_t n, double *A) {
    const double e = exp(-0.3 / 6), c = e * cosh(0.3), s = e * sinh(0.3);
    for (int64_t i = 0; i < n; ++i) A[i + i * n] = 1;
    for (int64_t k = 2; k + 1 < n; k += 2) {
        A[k + (k - 2) * n] = A[k + 1 + (k - 1) * n] = -c;
        A[k + (k - 1) * n] = A[k + 1 + (k - 2) * n] = -s;
    }
    A[0 + (n - 2) * n] = A[1 + (n - 1) * n] = 1;
}

static void hilbert(int64_t n, double *A) {
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) A[i + j * n] = 1 / (double)(i + j + 1);
}

static void graded(int64_t n, double *A) {
    test_random random = test_random_start(60);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i)
            A[i + j * n] = ldexp(test_random_signed(&random) + (i == j ? 2 : 0), (int)(-100 * i / n));
}

/* A full matrix whose leading block is zero: no pivots, no LU, but for the butterflies. */
static void zero_block(int64_t n, double *A) {
    test_random random = test_random_start(61);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i)
            A[i + j * n] = i < n / 2 && j < n / 2 ? 0 : test_random_signed(&random) + (i == n - 1 - j ? 8 : 0);
}

static const hard hards[] = {{"reversal", reversal, 1},   {"exchanges", exchanges, 1}, {"cycle", rbt_cycle, 1},
                             {"wilkinson", wilkinson, 0}, {"foster", foster, 0},       {"wright", wright, 0},
                             {"hilbert", hilbert, 1},     {"graded", graded, 1},       {"zero block", zero_block, 0}};

/* The answer is there whatever the matrix, and partial pivoting's where butterflies are no help. */
TEST(test_hard) {
    enum { N = 64 };
    test_random random = test_random_start(54);
    SCRATCH double *A = test_doubles(N * N);
    for (size_t h = 0; h < sizeof hards / sizeof *hards; ++h)
        for (int type = CLSOLVE_F32; type <= CLSOLVE_C64; ++type)
            for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; ++op) {
                clsolve_lu_options options = rbt_options(h);
                memset(A, 0, N * N * sizeof *A);
                hards[h].make(N, A);
                double *turned = rs_turned((clsolve_type)type, N, A);
                rbt_answer out = rbt_solve(&random, (clsolve_type)type, CLSOLVE_COLUMN_MAJOR, &options, (clsolve_op)op,
                                           N, 2, turned);
                free(turned);
                int alone = !rbt_reaches((clsolve_type)type); /* then float factors, scaled, are all there is */
                if (out.factored != CLSOLVE_OK || (out.solved != CLSOLVE_OK && !alone))
                    fail_msg("%s, type %d: %s", hards[h].name, type, clsolve_context_message(rs_context));
                if (hards[h].falls_back && !(alone && hards[h].make == graded)) {
                    if (strcmp(out.report.direct.pivoting_used, "partial") != 0 || !out.report.direct.pivoting_fallback)
                        fail_msg("%s, type %d: %s", hards[h].name, type, out.report.direct.pivoting_used);
                }
            }
}

/* Partial pivoting loses Wilkinson's matrix of order 64, half of its digits at least; butterflies do not. */
TEST(test_wilkinson_stays) {
    enum { N = 64 };
    test_random random = test_random_start(55);
    SCRATCH double *A = test_doubles(N * N);
    wilkinson(N, A);
    for (uint64_t seed = 0; seed < 5; ++seed) {
        clsolve_lu_options options = rbt_options(seed);
        rbt_answer out = rbt_solve(&random, CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, &options, CLSOLVE_NO_TRANS, N, 2, A);
        assert_int_equal(out.solved, CLSOLVE_OK);
        assert_string_equal(out.report.direct.pivoting_used, "rbt");
        assert_true(out.report.direct.growth < 1e6); /* partial pivoting: 2^63 */
    }
}

/* Exactly singular: SINGULAR from one call or the other, with the column that partial pivoting has. */
TEST(test_singular) {
    static const int64_t sizes[] = {1, 2, 3, 5, 16, 33, 70};
    test_random random = test_random_start(56);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
        for (int64_t place = 0; place < 3; ++place)
            for (int rcond = 0; rcond < 2; ++rcond)
                for (int type = CLSOLVE_F32; type <= CLSOLVE_C64; ++type) {
                    const int64_t parts = test_numbers((clsolve_type)type, 1);
                    int64_t n = sizes[s], column = place * (n - 1) / 2;
                    clsolve_lu_options options = rbt_options(s), partial = rs_plain;
                    SCRATCH double *A = rbt_random_matrix(&random, (clsolve_type)type, n);
                    for (int64_t k = 0; k < parts * n; ++k) A[parts * column * n + k] = 0;
                    options.rcond = rcond;
                    rbt_answer a =
                        rbt_solve(&random, (clsolve_type)type, CLSOLVE_ROW_MAJOR, &options, CLSOLVE_NO_TRANS, n, 5, A);
                    rbt_answer b =
                        rbt_solve(&random, (clsolve_type)type, CLSOLVE_ROW_MAJOR, &partial, CLSOLVE_NO_TRANS, n, 5, A);
                    assert_int_equal(b.factored, CLSOLVE_SINGULAR);
                    assert_true(a.factored == CLSOLVE_SINGULAR || (!rcond && a.solved == CLSOLVE_SINGULAR));
                    assert_int_equal(a.report.info, b.report.info);
                    assert_int_equal(a.report.status, CLSOLVE_SINGULAR);
                    assert_string_equal(a.report.direct.pivoting_used, "partial");
                    assert_non_null(a.report.direct.pivoting_fallback);
                    if (rcond) assert_true(a.report.direct.rcond == 0);
                }
}

/* After a fallback the handle is one of partial pivoting, until the next matrix. */
TEST(test_after_fallback) {
    enum { N = 40 };
    test_random random = test_random_start(57);
    SCRATCH double *A = test_doubles(N * N), *good = rbt_random_matrix(&random, CLSOLVE_F64, N);
    double LU[N * N], X[N];
    int64_t ipiv[N];
    clsolve_lu_options options = rbt_options(3);
    clsolve_matrix a = clsolve_matrix_f64(N, N, A), g = clsolve_matrix_f64(N, N, good), x = clsolve_matrix_f64(N, 1, X);
    clsolve_matrix f = clsolve_matrix_f64(N, N, LU);
    OWNED(lu) *lu = NULL;
    clsolve_report report;
    if (!rs_fp64) skip(); /* its factors are floats, scaled */
    rbt_cycle(N, A);
    for (int64_t i = 0; i < N; ++i) good[i + i * N] += 4, X[i] = (double)i;
    assert_int_equal(clsolve_lu_create(rs_context, N, CLSOLVE_F64, &options, &lu), CLSOLVE_OK);
    for (int round = 0; round < 2; ++round) {
        assert_int_equal(clsolve_lu_factor(lu, &g), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
        assert_string_equal(report.direct.pivoting_used, "rbt");
        int64_t bytes = report.device_bytes;
        memset(LU, 7, sizeof LU);
        double before[N * N];
        memcpy(before, LU, sizeof LU);
        assert_int_equal(clsolve_lu_factors(lu, &f, ipiv), CLSOLVE_ERROR_UNSUPPORTED);
        assert_non_null(strstr(clsolve_context_message(rs_context), "CLSOLVE_PIVOTING_PARTIAL"));
        assert_memory_equal(before, LU, sizeof LU);
        assert_int_equal(clsolve_lu_factor(lu, &a), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_factors(lu, &f, ipiv), CLSOLVE_OK);
        assert_true(ratio_factors(CLSOLVE_F64, N, A, LU, ipiv) < RATIO_BOUND);
        assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_TRANS, &x), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
        assert_string_equal(report.direct.pivoting_used, "partial");
        assert_true(report.device_bytes <=
                    bytes + 16 * N * 8 + 65536); /* the first right-hand side, and no factors more */
        assert_int_equal(report.direct.det_sign, N % 2 ? 1 : -1);
        assert_true(fabs(report.direct.log_abs_det) < 1e-12);
    }
}

TEST(test_nonfinite) {
    double A[25], B[5] = {1, 2, 3, 4, 5};
    test_random random = test_random_start(58);
    clsolve_lu_options options = rbt_options(0);
    clsolve_matrix a = clsolve_matrix_f64(5, 5, A), b = clsolve_matrix_f64(5, 1, B);
    OWNED(lu) *lu = NULL;
    test_random_fill(&random, A, 25);
    for (int i = 0; i < 5; ++i) A[6 * i] += 4;
    assert_int_equal(clsolve_lu_create(rs_context, 5, CLSOLVE_F64, &options, &lu), CLSOLVE_OK);
    A[7] = (double)NAN, A[11] = (double)INFINITY;
    assert_int_equal(clsolve_lu_factor(lu, &a), CLSOLVE_ERROR_NONFINITE);
    assert_non_null(strstr(clsolve_context_message(rs_context), "A(3,2)"));
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b), CLSOLVE_ERROR_STATE);
    A[7] = A[11] = 0.5;
    assert_int_equal(clsolve_lu_factor(lu, &a), CLSOLVE_OK);
    B[3] = (double)INFINITY;
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b), CLSOLVE_ERROR_NONFINITE);
    assert_non_null(strstr(clsolve_context_message(rs_context), "B(4,1)"));
    B[3] = 1;
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b), CLSOLVE_OK);
}

/* Near the ends of the range: what leaves it on the way is for partial pivoting. */
TEST(test_ends_of_the_range) {
    enum { N = 20 };
    static const int exponents[] = {-1060, -1000, 0, 1000, 1022};
    test_random random = test_random_start(59);
    if (!rs_fp64) skip();
    for (size_t e = 0; e < sizeof exponents / sizeof *exponents; ++e) {
        double *A = rbt_random_matrix(&random, CLSOLVE_F32, N), B[N], X[N];
        clsolve_lu_options options = rbt_options(e);
        clsolve_matrix a = clsolve_matrix_f64(N, N, A), x = clsolve_matrix_f64(N, 1, X);
        OWNED(lu) *lu = NULL;
        for (int64_t i = 0; i < N; ++i) A[i + i * N] += 4, B[i] = test_random_signed(&random);
        for (int64_t k = 0; k < N * N; ++k) A[k] = ldexp(A[k], exponents[e] - 3);
        for (int64_t i = 0; i < N; ++i) X[i] = ldexp(B[i], exponents[e] - 3);
        assert_int_equal(clsolve_lu_create(rs_context, N, CLSOLVE_F64, &options, &lu), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_factor(lu, &a), CLSOLVE_OK);
        if (clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &x) != CLSOLVE_OK)
            fail_msg("2^%d: %s", exponents[e], clsolve_context_message(rs_context));
        /* In long double, which has the range. */
        for (int64_t i = 0; i < N; ++i) {
            long double sum = 0, size = 0;
            for (int64_t j = 0; j < N; ++j)
                sum += (long double)A[i + j * N] * X[j], size += fabsl((long double)A[i + j * N] * X[j]);
            long double b = ldexpl((long double)B[i], exponents[e] - 3);
            /* Of A and B near the smallest number digits are lost before. */
            long double rounding = 64 * 1.1e-16L * size + ldexpl(40, -1074);
            if (!(fabsl(sum - b) <= rounding)) fail_msg("2^%d: row %d", exponents[e], (int)i);
        }
        clsolve_report report; /* ||A|| ||x|| / ||b|| is moderate, though ||x|| / ||b|| may be no number */
        assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
        if (exponents[e] <= 1000 && report.direct.pivoting_fallback)
            fail_msg("2^%d: %s", exponents[e], report.direct.pivoting_fallback);
        free(A);
    }
}

TEST_PROGRAM(rs_open, rs_close)
