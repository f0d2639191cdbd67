/* Mixed precision: double answers from float factors, on devices with and without double. */
#include "lu/refine_support.h"

#include <float.h>

static const int64_t sizes[] = {0, 1, 2, 3, 5, 16, 67, 101, 129};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* LAPACK's kinds, those near the ends of double's range too, which no float can hold as they are. */
TEST(test_kinds) {
    test_random random = test_random_start(31);
    for (int s = 0; s < SIZES; ++s)
        for (int kind = 1; kind <= TEST_KINDS; ++kind) {
            int64_t n = sizes[s];
            SCRATCH double *A = test_doubles(n * n);
            test_kind_make(&random, CLSOLVE_F64, kind, n, A);
            rs_outcome out = rs_solve(&random, &rs_mixed, s % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR,
                                      kind % 2 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS, n, (s + kind) % 5, A);
            if (test_kind_singular(kind) && n > 0) {
                assert_int_equal(out.factored, CLSOLVE_SINGULAR);
                assert_true(out.report.direct.rcond == 0 && out.report.info > 0);
            } else if (kind == 9 && !rs_fp64) { /* beyond what float factors can be refined from, but for luck */
                assert_true(out.solved == CLSOLVE_OK || out.solved == CLSOLVE_NOT_CONVERGED);
            } else if (out.solved != CLSOLVE_OK) {
                fail_msg("n %d, %s: %s: %s", (int)n, test_kind_names[kind], clsolve_status_name(out.solved),
                         clsolve_context_message(rs_context));
            } else if (kind <= 4 || kind >= 10) {
                assert_string_equal(out.report.precision, "mixed");
                assert_null(out.report.direct.fallback);
            }
        }
}

/* Condition 1e12: rs_plain refinement with float factors has nothing to hold on to, GMRES has. */
TEST(test_gmres) {
    test_random random = test_random_start(34);
    static const int64_t orders[] = {2, 3, 29, 101, 150};
    int with_gmres = 0;
    for (size_t s = 0; s < sizeof orders / sizeof *orders; ++s)
        for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; ++op)
            for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; ++layout) {
                int64_t n = orders[s];
                SCRATCH double *A = test_doubles(n * n);
                test_with_condition(&random, n, 2, 1e12, A);
                rs_outcome out = rs_solve(&random, &rs_mixed, (clsolve_layout)layout, (clsolve_op)op, n, 5, A);
                assert_int_equal(out.factored, CLSOLVE_OK);
                if (out.solved != CLSOLVE_OK) fail_msg("n %d: %s", (int)n, clsolve_context_message(rs_context));
                /* Now and then the last pivot comes out as zero in float, or GMRES takes longer than double factors
                 * would: those take over, where there are some. */
                assert_true(!out.report.direct.fallback || rs_fp64);
                if (n > 3 && !out.report.direct.fallback) {
                    with_gmres++;
                    assert_string_equal(out.report.precision, "mixed");
                    assert_true(out.report.refinement.gmres_iterations > 0);
                    assert_true(out.report.iterations > out.report.refinement.gmres_iterations);
                }
            }
    assert_true(with_gmres > 3);
}

/* Condition 1e18 and float factors: double ones where there are some; else GMRES gets there or says that it did not. */
TEST(test_fallback) {
    test_random random = test_random_start(35);
    SCRATCH double *A = test_doubles(120 * 120);
    for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; ++layout) {
        test_with_condition(&random, 120, 3, 1e18, A);
        rs_outcome out = rs_solve(&random, &rs_mixed, (clsolve_layout)layout, CLSOLVE_TRANS, 120, 20, A);
        assert_int_equal(out.factored, CLSOLVE_OK);
        if (rs_fp64) {
            assert_int_equal(out.solved, CLSOLVE_OK);
            assert_string_equal(out.report.precision, "double");
            assert_non_null(strstr(out.report.direct.fallback, "did not converge"));
            assert_int_equal(out.report.direct.fallback_reason, CLSOLVE_FALLBACK_NOT_CONVERGED);
            assert_true(out.report.direct.rcond > 0 && out.report.direct.rcond < 1e-14);
            assert_true(out.report.iterations >
                        out.report.refinement.history_length - 1); /* those with float factors count */
        } else {
            assert_true(out.solved == CLSOLVE_OK || out.solved == CLSOLVE_NOT_CONVERGED);
            assert_string_equal(out.report.precision, "mixed");
        }
    }
}

/* The bytes that the last message asks for: the number after `words`. */
static int64_t bytes_wanted(const char *words) {
    const char *at = strstr(clsolve_context_message(rs_context), words);
    if (!at) fail_msg("%s", clsolve_context_message(rs_context));
    return strtoll(at + strlen(words), NULL, 10);
}

/* A limit with room for float factors and none for double ones beside them: each solve says so, with what would do; nothing
 * of the attempt stays behind. */
TEST(test_no_room_to_fall_back) {
    enum { N = 200, LEAST = 700000, STEP = 20000 };
    test_random random = test_random_start(45);
    double *A = test_doubles(N * N), B[N], X[N];
    clsolve_matrix a = clsolve_matrix_f64(N, N, A), x = clsolve_matrix_f64(N, 1, X);
    clsolve_lu_options options = {.panel = rs_mixed.panel, .precision = CLSOLVE_PRECISION_MIXED, .memory_limit = LEAST};
    clsolve_report report;
    int refused = 0;
    if (!rs_fp64) skip();
    test_random_fill(&random, A, N * N);
    for (int64_t k = N * N / 2; k < N * N; ++k) A[k] = A[k - N * N / 2] + A[k] * 1e-11;
    for (int64_t i = 0; i < N; ++i) B[i] = (double)(i % 7 - 3);
    clsolve_lu *probe = NULL; /* the least differs from device to device */
    while (clsolve_lu_create(rs_context, N, CLSOLVE_F64, &options, &probe) == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY)
        options.memory_limit += STEP;
    clsolve_lu_destroy(probe);
    for (int64_t limit = options.memory_limit; limit > 0;) {
        clsolve_lu *lu = NULL;
        options.memory_limit = limit;
        limit = 0;
        if (clsolve_lu_create(rs_context, N, CLSOLVE_F64, &options, &lu) != CLSOLVE_OK)
            fail_msg("%lld bytes: %s", (long long)options.memory_limit, clsolve_context_message(rs_context));
        clsolve_status factored = clsolve_lu_factor(lu, &a);
        if (factored == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY) { /* where a pivot in float comes out as exactly zero */
            limit = bytes_wanted("wants ");
            assert_true(limit > options.memory_limit);
            refused += 3;
            clsolve_lu_destroy(lu);
            continue;
        }
        assert_int_equal(factored, CLSOLVE_OK);
        for (int64_t solves = 0, before = 0; solves < 3; ++solves) {
            memcpy(X, B, sizeof X);
            clsolve_status status = clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &x);
            assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
            assert_true(report.device_bytes <= options.memory_limit);
            assert_int_equal(report.slab_columns, 0);
            if (status == CLSOLVE_OK) {
                assert_string_equal(report.precision, "double");
                continue;
            }
            if (status != CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY) fail_msg("%s", clsolve_context_message(rs_context));
            assert_memory_equal(X, B, sizeof X);
            assert_string_equal(report.precision, "mixed");
            limit = bytes_wanted("wants ");
            assert_true(limit > options.memory_limit);
            if (solves > 0) assert_int_equal(report.device_bytes, before);
            before = report.device_bytes;
            refused++;
        }
        clsolve_lu_destroy(lu);
    }
    /* With more room the copy of A is the device's, and where work-groups run together they take room too: it is asked for next. */
    assert_in_range(refused, 3, 9);
    free(A);
}

/* Half the singular values far below double's precision, and a right-hand side that needs them. */
TEST(test_rank_deficient) {
    enum { N = 200, HALF = 100 };
    test_random random = test_random_start(39);
    SCRATCH double *A = test_doubles(N * N), *left = test_doubles(N * HALF), *right = test_doubles(N * HALF),
                   *B = test_doubles(N), *X = test_doubles(N);
    test_random_fill(&random, left, N * HALF);
    test_random_fill(&random, right, N * HALF);
    test_random_fill(&random, B, N);
    for (int64_t j = 0; j < N; ++j)
        for (int64_t i = 0; i < N; ++i)
            for (int64_t k = 0; k < HALF; ++k) A[i + j * N] += left[i + k * N] * right[j + k * N];
    memcpy(X, B, N * sizeof *X);
    clsolve_matrix a = clsolve_matrix_f64(N, N, A), x = clsolve_matrix_f64(N, 1, X);
    clsolve_solver_options options = test_solver_options(&rs_mixed);
    clsolve_solve_report whole;
    clsolve_report report;
    clsolve_status status = clsolve_solve(rs_context, CLSOLVE_NO_TRANS, &a, &x, &options, &whole);
    report = whole.report;
    assert_int_equal(report.status, status);
    if (status == CLSOLVE_OK) {
        double ratio = ratio_solve(CLSOLVE_F64, CLSOLVE_NO_TRANS, N, 1, A, X, B);
        if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g", ratio);
    } else {
        assert_int_equal(status, CLSOLVE_NOT_CONVERGED);
        assert_true(!rs_fp64);
        for (int64_t i = 0; i < N; ++i) assert_true(X[i] == B[i]);
    }
}

/* A zero pivot in float that is none in double; the next matrix starts in float again. */
TEST(test_zero_pivot_in_float) {
    double A[4] = {1, 1, 1, 1 + 0x1p-40}, good[4] = {2, 1, 1, 3}, B[2] = {2, 2 + 0x1p-40};
    clsolve_matrix a = clsolve_matrix_f64(2, 2, A), g = clsolve_matrix_f64(2, 2, good), b = clsolve_matrix_f64(2, 1, B);
    OWNED(lu) *lu = NULL;
    clsolve_report report;
    assert_int_equal(clsolve_lu_create(rs_context, 2, CLSOLVE_F64, &rs_mixed, &lu), CLSOLVE_OK);
    clsolve_status status = clsolve_lu_factor(lu, &a);
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    if (rs_fp64) {
        double LU[4];
        int64_t ipiv[2];
        clsolve_matrix f = clsolve_matrix_f64(2, 2, LU);
        assert_int_equal(status, CLSOLVE_OK);
        assert_string_equal(report.precision, "double");
        assert_non_null(strstr(report.direct.fallback, "zero pivot"));
        assert_int_equal(report.direct.fallback_reason, CLSOLVE_FALLBACK_SINGULAR);
        assert_int_equal(report.info, 0);
        assert_true(fabs(report.direct.log_abs_det + 40 * log(2)) < 1e-9);
        assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b), CLSOLVE_OK);
        assert_true(B[0] == 1 && B[1] == 1);
        assert_int_equal(clsolve_lu_factors(lu, &f, ipiv), CLSOLVE_OK);
        assert_true(LU[3] == 0x1p-40);
    } else {
        assert_int_equal(status, CLSOLVE_OK); /* mended */
        assert_int_equal(report.info, 0);
        assert_true(report.direct.det_sign == 0 &&
                    report.direct.log_abs_det == 0); /* not known, whatever A was scaled by */
        assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b), CLSOLVE_OK);
        assert_true(fabs(B[0] - 1) < 1e-3 && fabs(B[1] - 1) < 1e-3); /* condition 4e12 */
        A[3] = 1, B[0] = 1, B[1] = 2;                                /* singular indeed, and no solution */
        assert_int_equal(clsolve_lu_factor(lu, &a), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b), CLSOLVE_NOT_CONVERGED);
        assert_non_null(strstr(clsolve_context_message(rs_context), "ill-conditioned"));
        assert_true(B[0] == 1 && B[1] == 2);
    }
    assert_int_equal(clsolve_lu_factor(lu, &g), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    assert_string_equal(report.precision, "mixed");
    assert_null(report.direct.fallback);
    assert_int_equal(report.direct.equilibrated, 3);
    float single[4];
    clsolve_matrix f = clsolve_matrix_f32(2, 2, single);
    assert_int_equal(clsolve_lu_factors(lu, &f, NULL), CLSOLVE_OK); /* float factors, as the report says */
    B[0] = 3, B[1] = 4;
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_TRANS, &b), CLSOLVE_OK);
    assert_true(fabs(B[0] - 1) < 1e-15 && fabs(B[1] - 1) < 1e-15);
}

/* Rows and columns over the whole range of double: no scaling by one number brings that into float. */
TEST(test_graded) {
    test_random random = test_random_start(36);
    enum { N = 60 };
    SCRATCH double *A = test_doubles(N * N);
    for (int64_t j = 0; j < N; ++j)
        for (int64_t i = 0; i < N; ++i)
            A[i + j * N] = ldexp(test_random_signed(&random) + (i == j ? 4 : 0), (int)(8 * (i - j)));
    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; ++op) {
        rs_outcome out = rs_solve(&random, &rs_mixed, CLSOLVE_COLUMN_MAJOR, (clsolve_op)op, N, 3, A);
        assert_int_equal(out.factored, CLSOLVE_OK);
        assert_int_equal(out.solved, CLSOLVE_OK);
        assert_string_equal(out.report.precision, "mixed");
    }
}

/* Sums of a column that no double holds. */
TEST(test_huge) {
    test_random random = test_random_start(41);
    enum { N = 64 };
    SCRATCH double *A = test_doubles(N * N), *B = test_doubles(N), *X = test_doubles(N);
    for (int64_t k = 0; k < N * N; ++k) A[k] = 1.7e308 * test_random_signed(&random);
    for (int64_t i = 0; i < N; ++i) A[i + i * N] = 1.7e308, X[i] = B[i] = test_random_signed(&random);
    clsolve_solver_options options = test_solver_options(&rs_mixed);
    clsolve_matrix a = clsolve_matrix_f64(N, N, A), x = clsolve_matrix_f64(N, 1, X);
    clsolve_solve_report whole;
    clsolve_report report;
    assert_int_equal(clsolve_solve(rs_context, CLSOLVE_NO_TRANS, &a, &x, &options, &whole), CLSOLVE_OK);
    report = whole.report;
    assert_string_equal(report.precision, "mixed");
    for (int64_t k = 0; k < N * N; ++k) A[k] *= 0x1p-60; /* for the ratio's own sums */
    for (int64_t k = 0; k < N; ++k) X[k] *= 0x1p60;
    double ratio = ratio_solve(CLSOLVE_F64, CLSOLVE_NO_TRANS, N, 1, A, X, B);
    if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g", ratio);
}

TEST_PROGRAM(rs_open, rs_close)
