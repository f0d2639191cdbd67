/* Matrices of numbers so small that reciprocals of their pivots overflow: scaled by themselves. */
#include "lu/refine_support.h"

/* A + 4 I times 2^exponent, down to numbers of one bit, against the same without it: solutions of both operators, factors,
 * condition and determinant. Refined and not. */
static void check_tiny(clsolve_type type, clsolve_layout layout, int exponent, const clsolve_lu_options *options) {
    enum { N = 37 };
    test_random random = test_random_start(26);
    double *A = test_doubles(N * N), *F[2] = {test_doubles(N * N), test_doubles(N * N)}, X[2][N], B[N];
    int64_t ipiv[2][N];
    clsolve_report report[2];

    for (int64_t k = 0; k < N * N; ++k) A[k] = floor(8 * test_random_signed(&random)) / 8 + (k % (N + 1) == 0 ? 4 : 0);
    test_random_fill(&random, B, N);
    for (int tiny = 0; tiny < 2; ++tiny) {
        scratch_matrix a = test_matrix_make(type, layout, N, N, 1), b = test_matrix_make(type, layout, N, 1, 1);
        OWNED(lu) *lu = NULL;
        for (int64_t k = 0; k < N * N; ++k) F[1][k] = tiny ? ldexp(A[k], exponent) : A[k];
        test_matrix_set(&a, F[1]);
        assert_int_equal(clsolve_lu_create(rs_context, N, type, options, &lu), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
        for (int op = 0; op < 2; ++op) {
            /* With a right-hand side as small: of the numbers that it loses its bits to, the solution is as good. */
            for (int64_t i = 0; i < N; ++i)
                X[tiny][i] = tiny ? ldexp(floor(4 * B[i]), exponent + 3) : 8 * floor(4 * B[i]);
            test_matrix_set(&b, X[tiny]);
            clsolve_status status = clsolve_lu_solve(lu, op ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS, &b.view);
            if (status != CLSOLVE_OK) fail_msg("2^%d: %s", exponent, clsolve_context_message(rs_context));
        }
        test_matrix_get(&b, X[tiny]);
        assert_int_equal(clsolve_lu_report(lu, &report[tiny]), CLSOLVE_OK);
        scratch_matrix f =
            test_matrix_make(strcmp(report[tiny].precision, "mixed") == 0 ? CLSOLVE_F32 : type, layout, N, N, 1);
        assert_int_equal(clsolve_lu_factors(lu, &f.view, ipiv[tiny]), CLSOLVE_OK);
        test_matrix_get(&f, F[tiny]);
        test_matrix_spare_intact(&f);
    }
    double eps = 1000 * test_epsilon(type), least = type == CLSOLVE_F64 ? 0x1p-1074 : 0x1p-149;
    int mixed = strcmp(report[1].precision, "mixed") == 0;
    double largest = 1;
    for (int64_t i = 0; i < N; ++i) largest = fmax(largest, fabs(X[0][i]));
    for (int64_t i = 0; i < N; ++i) {
        if (!mixed) assert_int_equal(ipiv[0][i], ipiv[1][i]); /* mixed scales numbers above and below 1 differently */
        if (!(fabs(X[0][i] - X[1][i]) <= eps * largest))
            fail_msg("2^%d: x(%d) %g, not %g", exponent, (int)i, X[1][i], X[0][i]);
    }
    for (int64_t j = 0; j < N && !mixed; ++j)
        for (int64_t i = 0; i < N; ++i) {
            double wanted = i > j ? F[0][i + j * N] : ldexp(F[0][i + j * N], exponent), got = F[1][i + j * N];
            double unit = i > j ? 0 : least;
            assert_true(fabs(got - wanted) <= eps * fabs(wanted) + ldexp(eps, i > j ? 0 : exponent) + unit);
        }
    assert_true(fabs(report[1].direct.rcond / report[0].direct.rcond - 1) < (mixed ? 1e-2 : 1e-3));
    assert_int_equal(report[1].direct.rcond_is_bound, 0);
    assert_int_equal(report[1].direct.det_sign, report[0].direct.det_sign);
    double log_det = report[0].direct.log_abs_det + N * exponent * log(2);
    assert_true(fabs(report[1].direct.log_abs_det - log_det) < 1e-5 * fabs(log_det));
    assert_true(mixed || fabs(report[1].direct.growth / report[0].direct.growth - 1) < 1e-3);
    assert_int_equal(report[0].direct.equilibrated, mixed ? 3 : 0);
    assert_int_equal(report[1].direct.equilibrated, mixed ? 3 : CLSOLVE_SCALED_UNIFORMLY);
    assert_string_equal(report[1].direct.det_precision, mixed || type == CLSOLVE_F32 ? "single" : "double");
    free(A), free(F[0]), free(F[1]);
}

TEST(test_tiny) {
    for (int refine = 0; refine < 2; ++refine)
        for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; ++layout) {
            clsolve_lu_options options = {.panel = rs_plain.panel, .block = 16, .rcond = 1, .refine = refine};
            /* 2^-1071 makes an eighth the smallest number there is. */
            check_tiny(CLSOLVE_F64, (clsolve_layout)layout, -1071, &options);
            check_tiny(CLSOLVE_F64, (clsolve_layout)layout, -1000, &options);
            check_tiny(CLSOLVE_F32, (clsolve_layout)layout, -115, &options);
        }
    clsolve_lu_options mixed = {.panel = rs_plain.panel, .rcond = 1, .precision = CLSOLVE_PRECISION_MIXED};
    check_tiny(CLSOLVE_F64, CLSOLVE_ROW_MAJOR, -1071, &mixed);
}

/* The one handle for a tiny matrix, one that is none, and a tiny one again. */
TEST(test_tiny_then_not) {
    clsolve_type type = rs_fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    clsolve_lu_options options = {.panel = rs_plain.panel, .rcond = 1};
    scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, 2, 2, 0),
                   b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, 2, 1, 0);
    OWNED(lu) *lu = NULL;
    clsolve_report report;
    assert_int_equal(clsolve_lu_create(rs_context, 2, type, &options, &lu), CLSOLVE_OK);
    for (int round = 0; round < 3; ++round) {
        double s = round == 1            ? 1
                   : type == CLSOLVE_F64 ? 1e-310
                                         : 1e-32,
               A[4] = {3 * s, s, 2 * s, 4 * s}, X[2] = {5 * s, 5 * s};
        test_matrix_set(&a, A);
        test_matrix_set(&b, X);
        assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_OK);
        test_matrix_get(&b, X);
        assert_true(fabs(X[0] - 1) < 1e-5 && fabs(X[1] - 1) < 1e-5);
        assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
        assert_int_equal(report.direct.equilibrated, round == 1 ? 0 : CLSOLVE_SCALED_UNIFORMLY);
        assert_true(fabs(report.direct.rcond - 1.0 / 3) < 1e-5);
    }
}

TEST_PROGRAM(rs_open, rs_close)
