/* Refinement, in fixed precision and from float factors: histories, transfers, memory, what is not finite. */
#include "lu/refine_support.h"

#include <float.h>

#include "api/context.h"
#include "blas/blas.h"

/* Without asking: a device without double solves systems of doubles all the same. */
TEST(test_by_itself) {
    test_random random = test_random_start(32);
    SCRATCH double *A = test_doubles(150 * 150);
    test_with_condition(&random, 150, 3, 1e4, A);
    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; ++op)
        for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; ++layout) {
            rs_outcome out = rs_solve(&random, &rs_plain, (clsolve_layout)layout, (clsolve_op)op, 150, 40, A);
            assert_int_equal(out.factored, CLSOLVE_OK);
            assert_int_equal(out.solved, CLSOLVE_OK);
            assert_string_equal(out.report.precision, rs_fp64 ? "double" : "mixed");
            if (!rs_fp64) assert_true(out.report.iterations > 0 && out.report.refinement.gmres_iterations == 0);
            if (!rs_fp64) assert_true(out.report.refinement.backward_error < 150 * DBL_EPSILON);
        }
}

/* Many right-hand sides, and rs_plain refinement's history: it falls. */
TEST(test_history) {
    test_random random = test_random_start(33);
    SCRATCH double *A = test_doubles(101 * 101);
    test_with_condition(&random, 101, 3, 1e5, A);
    rs_outcome out = rs_solve(&random, &rs_mixed, CLSOLVE_COLUMN_MAJOR, CLSOLVE_NO_TRANS, 101, 37, A);
    const clsolve_report *r = &out.report;
    assert_int_equal(out.solved, CLSOLVE_OK);
    assert_in_range(r->refinement.history_length, 2, CLSOLVE_REPORT_HISTORY);
    assert_true(r->refinement.history[0] > 100 * DBL_EPSILON); /* float's own answer is none of double's */
    assert_true(r->refinement.history[0] < 1e-3 &&
                r->refinement.history[r->refinement.history_length - 1] < r->refinement.history[0]);
    assert_true(r->refinement.backward_error <= r->refinement.history[r->refinement.history_length - 1]);
}

/* A limit of memory that holds the factors and not the copy of A beside them, which then is the host's; or not even the
 * factors. */
TEST(test_memory_limit) {
    enum { N = 300 };
    test_random random = test_random_start(42);
    SCRATCH double *A = test_doubles(N * N);
    test_with_condition(&random, N, 3, 1e4, A);
    for (int64_t bytes = 2; bytes <= 20; bytes += 6) {
        clsolve_lu_options options = rs_mixed;
        options.memory_limit = bytes * N * N;
        for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; ++layout) {
            rs_outcome out = rs_solve(&random, &options, (clsolve_layout)layout, CLSOLVE_NO_TRANS, N, 5, A);
            assert_int_equal(out.solved, CLSOLVE_OK);
            assert_string_equal(out.report.precision, "mixed");
            assert_true((out.report.slab_columns > 0) == (bytes == 2));
            assert_true(out.report.device_bytes <= options.memory_limit);
            int on_device = out.report.device_bytes > 12 * N * N;
            assert_int_equal(on_device, rs_copies_on_device && bytes == 20);
        }
    }
}

/* Fixed precision: a matrix with pivot growth is mended, in both types; B of zeros and none at all. */
static void refine_growth(clsolve_type type) {
    enum { N = 40 };
    clsolve_lu_options options = {.panel = rs_plain.panel, .refine = 1};
    double A[N * N], B[N], X[N];
    scratch_matrix a = test_matrix_make(type, CLSOLVE_ROW_MAJOR, N, N, 1),
                   b = test_matrix_make(type, CLSOLVE_ROW_MAJOR, N, 1, 1);
    test_random random = test_random_start(37);
    OWNED(lu) *lu = NULL;
    clsolve_report report;

    for (int64_t j = 0; j < N; ++j)
        for (int64_t i = 0; i < N; ++i) A[i + j * N] = i == j || j == N - 1 ? 1 : i > j ? -1 : 0;
    for (int64_t i = 0; i < N; ++i) B[i] = test_rounded(type, test_random_signed(&random));
    test_matrix_set(&a, A);
    test_matrix_set(&b, B);
    assert_int_equal(clsolve_lu_create(rs_context, N, type, &options, &lu), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_OK);
    test_matrix_get(&b, X);
    double ratio = ratio_solve(type, CLSOLVE_NO_TRANS, N, 1, A, X, B);
    if (!(ratio < RATIO_BOUND)) fail_msg("growth, type %d: ratio %g", (int)type, ratio);
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    assert_true(report.refinement.history_length >= 1 && report.refinement.backward_error >= 0);
    if (!(report.refinement.backward_error <
          N * 4 * test_epsilon(type))) /* as it computes that, whose rounding is of that size */
        fail_msg("growth, type %d: backward error %g after %d steps, ratio %g", (int)type,
                 report.refinement.backward_error, (int)report.iterations, ratio);

    memset(B, 0, sizeof B);
    test_matrix_set(&b, B);
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_TRANS, &b.view), CLSOLVE_OK);
    test_matrix_get(&b, X);
    for (int64_t i = 0; i < N; ++i) assert_true(X[i] == 0);
    B[7] = (double)NAN;
    test_matrix_set(&b, B);
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_TRANS, &b.view), CLSOLVE_ERROR_NONFINITE);
    assert_non_null(strstr(clsolve_context_message(rs_context), "B(8,1)"));
    b.view.cols = 0;
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_TRANS, &b.view), CLSOLVE_OK);
}

TEST(test_refine) {
    refine_growth(CLSOLVE_F32);
    refine_growth(CLSOLVE_F64);
}

/* NaN and Inf in A are found where A lies, on the host too. */
TEST(test_nonfinite) {
    double A[9] = {1, 2, 3, 4, 5, 6, 7, 8, 10}, B[3] = {1, 1, 1};
    clsolve_matrix a = clsolve_matrix_f64(3, 3, A), b = clsolve_matrix_f64(3, 1, B);
    clsolve_lu *lu = NULL;
    assert_int_equal(clsolve_lu_create(rs_context, 3, CLSOLVE_F64, &rs_mixed, &lu), CLSOLVE_OK);
    A[5] = (double)INFINITY, A[7] = (double)NAN;
    assert_int_equal(clsolve_lu_factor(lu, &a), CLSOLVE_ERROR_NONFINITE);
    assert_non_null(strstr(clsolve_context_message(rs_context), "A(3,2)"));
    a.layout = CLSOLVE_ROW_MAJOR;
    assert_int_equal(clsolve_lu_factor(lu, &a), CLSOLVE_ERROR_NONFINITE);
    assert_non_null(strstr(clsolve_context_message(rs_context), "A(3,2)"));
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b), CLSOLVE_ERROR_STATE);
    A[5] = 6, A[7] = 8;
    assert_int_equal(clsolve_lu_factor(lu, &a), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b), CLSOLVE_OK);
    clsolve_lu_destroy(lu);

    clsolve_lu_options wrong = {.precision = (clsolve_precision)7};
    assert_int_equal(clsolve_lu_create(rs_context, 3, CLSOLVE_F64, &wrong, &lu), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_lu_create(rs_context, 3, CLSOLVE_F32, &rs_mixed, &lu), CLSOLVE_ERROR_INVALID_ARGUMENT);
}

/* Float factors cross once (or A in double does, to be kept), then O(n) bytes a step and right-hand side. */
TEST(test_transfers) {
    enum { N = 200 };
    test_random random = test_random_start(38);
    clsolve_lu_options options = rs_mixed;
    SCRATCH double *A = test_doubles(N * N);
    options.block = 64;
    test_with_condition(&random, N, 3, 1e3, A);
    rs_outcome out = rs_solve(&random, &options, CLSOLVE_ROW_MAJOR, CLSOLVE_NO_TRANS, N, 1, A);
    int64_t matrix = N * N * (rs_copies_on_device ? 8 : 4), vectors = (out.report.iterations + 24) * 3 * N * 8;
    assert_int_equal(out.solved, CLSOLVE_OK);
    assert_in_range(out.report.bytes_up, matrix, matrix + vectors);
    assert_in_range(out.report.bytes_down, N * 4, vectors);
    assert_true(out.report.device_bytes >= N * N * (rs_copies_on_device ? 12 : 4));
}

/* With the copy of A on the device a step of refinement or of GMRES moves vectors alone: x and b go up, b - A x comes
 * down; a right-hand side of the factors goes up in float, and its solution comes down. */
TEST(test_steps) {
    enum { N = 150 };
    test_random random = test_random_start(46);
    double *A = test_doubles(N * N), B[N];
    for (int hard = 0; hard < 2; ++hard) {
        clsolve_lu_options options = {.panel = rs_mixed.panel, .precision = CLSOLVE_PRECISION_MIXED};
        clsolve_matrix a = clsolve_matrix_f64(N, N, A), b = clsolve_matrix_f64(N, 1, B);
        OWNED(lu) *lu = NULL;
        clsolve_report report;
        test_with_condition(&random, N, 3, hard ? 1e9 : 1e3, A);
        test_random_fill(&random, B, N);
        assert_int_equal(clsolve_lu_create(rs_context, N, CLSOLVE_F64, &options, &lu), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_factor(lu, &a), CLSOLVE_OK);
        cls_counters before = rs_context->device->counters;
        assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b), CLSOLVE_OK);
        cls_counters moved = cls_counters_since(&rs_context->device->counters, &before);
        assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
        if (hard) assert_true(report.refinement.gmres_iterations > 0 || report.direct.fallback);
        if (!report.direct.fallback) {
            /* After GMRES a residual is measured that counts as no step. */
            int64_t steps = report.iterations + 1 + hard;
            assert_in_range(moved.bytes_up, 1, steps * N * (8 + 8 + 4));
            assert_in_range(moved.bytes_down, 1, steps * N * (8 + 4));
        }
    }
    free(A);
}

/* One system with the answer it must have, under each option that refines; NULL: OVERFLOW, and B as it was. */
static void answers(int64_t n, const double *A, const double *B, const double *X) {
    const clsolve_lu_options options[] = {{.panel = rs_plain.panel},
                                          {.panel = rs_plain.panel, .refine = 1},
                                          {.panel = rs_plain.panel, .precision = CLSOLVE_PRECISION_MIXED},
                                          {.panel = rs_plain.panel, .refine = 1, .equilibrate = 1}};
    for (size_t o = 0; o < sizeof options / sizeof *options; ++o)
        for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; ++op) {
            double x[4];
            clsolve_matrix a = clsolve_matrix_f64(n, n, (double *)(uintptr_t)A), b = clsolve_matrix_f64(n, 1, x);
            OWNED(lu) *lu = NULL;
            clsolve_report report;
            memcpy(x, B, (size_t)n * sizeof *x);
            assert_int_equal(clsolve_lu_create(rs_context, n, CLSOLVE_F64, &options[o], &lu), CLSOLVE_OK);
            assert_int_equal(clsolve_lu_factor(lu, &a), CLSOLVE_OK);
            clsolve_status status = clsolve_lu_solve(lu, (clsolve_op)op, &b);
            assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
            if (status != (X ? CLSOLVE_OK : CLSOLVE_OVERFLOW))
                fail_msg("options %d: %s: %s", (int)o, clsolve_status_name(status),
                         clsolve_context_message(rs_context));
            const double *expected = X ? X : B;
            double largest = 0;
            for (int64_t i = 0; i < n; ++i) largest = fmax(largest, fabs(expected[i]));
            for (int64_t i = 0; i < n; ++i) {
                /* From float factors by the normwise backward error alone, which here sees neither the small row nor
                 * what is 1e38 times smaller than the largest element. */
                int mixed = strcmp(report.precision, "mixed") == 0;
                if (!(fabs(x[i] - expected[i]) <= (mixed ? 1e-6 * largest : 4 * DBL_EPSILON * fabs(expected[i]))))
                    fail_msg("options %d: x(%d) is %g", (int)o, (int)i + 1, x[i]);
            }
            assert_true(report.refinement.backward_error == -1 || report.refinement.backward_error < 4 * DBL_EPSILON);
            for (int64_t k = 0; k < report.refinement.history_length; ++k)
                assert_true(report.refinement.history[k] == -1 || report.refinement.history[k] >= 0);
        }
}

/* Where ||A|| ||x||, or the residual of an exact answer, or vectors of A's size leave the range of double, the answer
 * that was there without refinement stays. */
TEST(test_range) {
    answers(2, (double[]){1e200, 0, 0, 1e-200}, (double[]){1, 2}, (double[]){1e-200, 2e200});
    answers(2, (double[]){1e-290, 0, 0, 1e-290}, (double[]){1, 1e-100}, (double[]){1e290, 1e190});
    answers(2, (double[]){0x1p600, 0, 0, 0x1p-600}, (double[]){0, 0x1p300}, (double[]){0, 0x1p900});
    answers(3, (double[]){0x1p1000, 0, 0, 0, 0x1p-900, 0, 0, 0, 1}, (double[]){1, 1, 1},
            (double[]){0x1p-1000, 0x1p900, 1});
    answers(1, (double[]){1e-263}, (double[]){1e88}, NULL);
    answers(2, (double[]){1, 0, 0, 1e-263}, (double[]){1, 1e88}, NULL);
}

TEST_PROGRAM(rs_open, rs_close)
