/* Refinement and mixed precision: double answers from float factors, on devices with and without double. */
#include <clsolve/clsolve.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lu/ratios.h"
#include "support/test_support.h"

static clsolve_context *context;
static int fp64;
static clsolve_lu_options plain, mixed; /* with the panel under test */

static const int64_t sizes[] = {0, 1, 2, 3, 5, 16, 67, 101, 129};
enum { SIZES = sizeof sizes / sizeof *sizes };

static double *doubles(int64_t count) {
    double *memory = calloc((size_t)count + 1, sizeof *memory);
    assert_non_null(memory);
    return memory;
}

/* B = op(A) X in long double, so that there is a solution of known size. */
static void right_side(test_random *random, clsolve_op op, int64_t n, int64_t nrhs, const double *A, double *B) {
    double *X = doubles(n * nrhs);
    test_random_fill(random, X, n * nrhs);
    for (int64_t c = 0; c < nrhs; ++c)
        for (int64_t i = 0; i < n; ++i) {
            long double sum = 0;
            for (int64_t k = 0; k < n; ++k)
                sum += (long double)(op == CLSOLVE_NO_TRANS ? A[i + k * n] : A[k + i * n]) * X[k + c * n];
            B[i + c * n] = (double)sum;
        }
    free(X);
}

typedef struct outcome {
    clsolve_status factored, solved;
    clsolve_report report;
} outcome;

/* Factors A, solves, checks the answer against LAPACK's bound in double, or that B is untouched where there is none. */
static outcome solve(test_random *random, const clsolve_lu_options *options, clsolve_layout layout, clsolve_op op,
                     int64_t n, int64_t nrhs, const double *A) {
    double *B = doubles(n * nrhs), *X = doubles(n * nrhs);
    test_matrix a = test_matrix_make(CLSOLVE_F64, layout, n, n, 2),
                b = test_matrix_make(CLSOLVE_F64, layout, n, nrhs, 1);
    clsolve_lu *lu = NULL;
    outcome out = {.solved = CLSOLVE_OK};

    right_side(random, op, n, nrhs, A, B);
    test_matrix_set(&a, A);
    test_matrix_set(&b, B);
    assert_int_equal(clsolve_lu_create(context, n, CLSOLVE_F64, options, &lu), CLSOLVE_OK);
    out.factored = clsolve_lu_factor(lu, &a.view);
    if (out.factored == CLSOLVE_OK) out.solved = clsolve_lu_solve(lu, op, &b.view);
    assert_int_equal(clsolve_lu_report(lu, &out.report), CLSOLVE_OK);
    test_matrix_get(&b, X);
    test_matrix_spare_intact(&b);
    if (out.factored == CLSOLVE_OK && out.solved == CLSOLVE_OK) {
        double ratio = ratio_solve(CLSOLVE_F64, op, n, nrhs, A, X, B);
        if (!(ratio < RATIO_BOUND))
            fail_msg("n %d, op %d, %s: ratio %g, backward error %g", (int)n, (int)op, out.report.precision, ratio,
                     out.report.backward_error);
    } else {
        assert_true(out.factored >= 0 && out.solved >= 0);
        for (int64_t k = 0; k < n * nrhs; ++k) assert_true(X[k] == B[k]);
    }
    clsolve_lu_destroy(lu);
    test_matrix_free(&a);
    test_matrix_free(&b);
    free(B);
    free(X);
    return out;
}

/* LAPACK's kinds, those near the ends of double's range too, which no float can hold as they are. */
static void test_kinds(void **state) {
    test_random random = test_random_start(31);
    (void)state;
    for (int s = 0; s < SIZES; ++s)
        for (int kind = 1; kind <= TEST_KINDS; ++kind) {
            int64_t n = sizes[s];
            double *A = doubles(n * n);
            test_kind_make(&random, CLSOLVE_F64, kind, n, A);
            outcome out = solve(&random, &mixed, s % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR,
                                kind % 2 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS, n, (s + kind) % 5, A);
            if (test_kind_singular(kind) && n > 0) {
                assert_int_equal(out.factored, CLSOLVE_SINGULAR);
                assert_true(out.report.rcond == 0 && out.report.info > 0);
            } else if (kind == 9 && !fp64) { /* beyond what float factors can be refined from, but for luck */
                assert_true(out.solved == CLSOLVE_OK || out.solved == CLSOLVE_NOT_CONVERGED);
            } else if (out.solved != CLSOLVE_OK) {
                fail_msg("n %d, %s: %s: %s", (int)n, test_kind_names[kind], clsolve_status_name(out.solved),
                         clsolve_context_message(context));
            } else if (kind <= 4 || kind >= 10) {
                assert_string_equal(out.report.precision, "mixed");
                assert_null(out.report.fallback);
            }
            free(A);
        }
}

/* Without asking: a device without double solves systems of doubles all the same. */
static void test_by_itself(void **state) {
    test_random random = test_random_start(32);
    double *A = doubles(150 * 150);
    (void)state;
    test_with_condition(&random, 150, 3, 1e4, A);
    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; ++op)
        for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; ++layout) {
            outcome out = solve(&random, &plain, (clsolve_layout)layout, (clsolve_op)op, 150, 40, A);
            assert_int_equal(out.factored, CLSOLVE_OK);
            assert_int_equal(out.solved, CLSOLVE_OK);
            assert_string_equal(out.report.precision, fp64 ? "double" : "mixed");
            if (!fp64) assert_true(out.report.iterations > 0 && out.report.gmres_iterations == 0);
            if (!fp64) assert_true(out.report.backward_error < 150 * DBL_EPSILON);
        }
    free(A);
}

/* Many right-hand sides, and plain refinement's history: it falls. */
static void test_history(void **state) {
    test_random random = test_random_start(33);
    double *A = doubles(101 * 101);
    (void)state;
    test_with_condition(&random, 101, 3, 1e5, A);
    outcome out = solve(&random, &mixed, CLSOLVE_COLUMN_MAJOR, CLSOLVE_NO_TRANS, 101, 37, A);
    const clsolve_report *r = &out.report;
    assert_int_equal(out.solved, CLSOLVE_OK);
    assert_in_range(r->history_length, 2, CLSOLVE_HISTORY);
    assert_true(r->history[0] > 100 * DBL_EPSILON); /* float's own answer is none of double's */
    assert_true(r->history[0] < 1e-3 && r->history[r->history_length - 1] < r->history[0]);
    assert_true(r->backward_error <= r->history[r->history_length - 1]);
    free(A);
}

/* Condition 1e12: plain refinement with float factors has nothing to hold on to, GMRES has. */
static void test_gmres(void **state) {
    test_random random = test_random_start(34);
    static const int64_t orders[] = {2, 3, 29, 101, 150};
    int with_gmres = 0;
    (void)state;
    for (size_t s = 0; s < sizeof orders / sizeof *orders; ++s)
        for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; ++op)
            for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; ++layout) {
                int64_t n = orders[s];
                double *A = doubles(n * n);
                test_with_condition(&random, n, 2, 1e12, A);
                outcome out = solve(&random, &mixed, (clsolve_layout)layout, (clsolve_op)op, n, 5, A);
                assert_int_equal(out.factored, CLSOLVE_OK);
                if (out.solved != CLSOLVE_OK) fail_msg("n %d: %s", (int)n, clsolve_context_message(context));
                /* Now and then the last pivot comes out as zero in float, or GMRES takes longer than double factors
                 * would: those take over, where there are some. */
                assert_true(!out.report.fallback || fp64);
                if (n > 3 && !out.report.fallback) {
                    with_gmres++;
                    assert_string_equal(out.report.precision, "mixed");
                    assert_true(out.report.gmres_iterations > 0);
                    assert_true(out.report.iterations > out.report.gmres_iterations);
                }
                free(A);
            }
    assert_true(with_gmres > 3);
}

/* Condition 1e18 and float factors: double ones where there are some; else GMRES gets there or says that it did not. */
static void test_fallback(void **state) {
    test_random random = test_random_start(35);
    double *A = doubles(120 * 120);
    (void)state;
    for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; ++layout) {
        test_with_condition(&random, 120, 3, 1e18, A);
        outcome out = solve(&random, &mixed, (clsolve_layout)layout, CLSOLVE_TRANS, 120, 20, A);
        assert_int_equal(out.factored, CLSOLVE_OK);
        if (fp64) {
            assert_int_equal(out.solved, CLSOLVE_OK);
            assert_string_equal(out.report.precision, "double");
            assert_non_null(strstr(out.report.fallback, "did not converge"));
            assert_true(out.report.rcond > 0 && out.report.rcond < 1e-14);
        } else {
            assert_true(out.solved == CLSOLVE_OK || out.solved == CLSOLVE_NOT_CONVERGED);
            assert_string_equal(out.report.precision, "mixed");
        }
    }
    free(A);
}

/* Half the singular values far below double's precision, and a right-hand side that needs them. */
static void test_rank_deficient(void **state) {
    enum { N = 200, HALF = 100 };
    test_random random = test_random_start(39);
    double *A = doubles(N * N), *left = doubles(N * HALF), *right = doubles(N * HALF), *B = doubles(N), *X = doubles(N);
    (void)state;
    test_random_fill(&random, left, N * HALF);
    test_random_fill(&random, right, N * HALF);
    test_random_fill(&random, B, N);
    for (int64_t j = 0; j < N; ++j)
        for (int64_t i = 0; i < N; ++i)
            for (int64_t k = 0; k < HALF; ++k) A[i + j * N] += left[i + k * N] * right[j + k * N];
    memcpy(X, B, N * sizeof *X);
    clsolve_matrix a = clsolve_host_f64(N, N, A), x = clsolve_host_f64(N, 1, X);
    clsolve_solve_options options = {.lu = mixed};
    clsolve_report report;
    clsolve_status status = clsolve_solve(context, &a, &x, &options, &report);
    assert_int_equal(report.status, status);
    if (status == CLSOLVE_OK) {
        double ratio = ratio_solve(CLSOLVE_F64, CLSOLVE_NO_TRANS, N, 1, A, X, B);
        if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g", ratio);
    } else {
        assert_int_equal(status, CLSOLVE_NOT_CONVERGED);
        assert_true(!fp64);
        for (int64_t i = 0; i < N; ++i) assert_true(X[i] == B[i]);
    }
    free(A), free(left), free(right), free(B), free(X);
}

/* A zero pivot in float that is none in double; the next matrix starts in float again. */
static void test_zero_pivot_in_float(void **state) {
    double A[4] = {1, 1, 1, 1 + 0x1p-40}, good[4] = {2, 1, 1, 3}, B[2] = {2, 2 + 0x1p-40};
    clsolve_matrix a = clsolve_host_f64(2, 2, A), g = clsolve_host_f64(2, 2, good), b = clsolve_host_f64(2, 1, B);
    clsolve_lu *lu = NULL;
    clsolve_report report;
    (void)state;
    assert_int_equal(clsolve_lu_create(context, 2, CLSOLVE_F64, &mixed, &lu), CLSOLVE_OK);
    clsolve_status status = clsolve_lu_factor(lu, &a);
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    if (fp64) {
        double LU[4];
        int64_t ipiv[2];
        clsolve_matrix f = clsolve_host_f64(2, 2, LU);
        assert_int_equal(status, CLSOLVE_OK);
        assert_string_equal(report.precision, "double");
        assert_non_null(strstr(report.fallback, "zero pivot"));
        assert_int_equal(report.info, 0);
        assert_true(fabs(report.log_abs_det + 40 * log(2)) < 1e-9);
        assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b), CLSOLVE_OK);
        assert_true(B[0] == 1 && B[1] == 1);
        assert_int_equal(clsolve_lu_factors(lu, &f, ipiv), CLSOLVE_OK);
        assert_true(LU[3] == 0x1p-40);
    } else {
        assert_int_equal(status, CLSOLVE_OK); /* mended */
        assert_int_equal(report.info, 0);
        assert_int_equal(report.det_sign, 0);
        assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b), CLSOLVE_OK);
        assert_true(fabs(B[0] - 1) < 1e-3 && fabs(B[1] - 1) < 1e-3); /* condition 4e12 */
        A[3] = 1, B[0] = 1, B[1] = 2;                                /* singular indeed, and no solution */
        assert_int_equal(clsolve_lu_factor(lu, &a), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b), CLSOLVE_NOT_CONVERGED);
        assert_non_null(strstr(clsolve_context_message(context), "ill-conditioned"));
        assert_true(B[0] == 1 && B[1] == 2);
    }
    assert_int_equal(clsolve_lu_factor(lu, &g), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    assert_string_equal(report.precision, "mixed");
    assert_null(report.fallback);
    assert_int_equal(report.equilibrated, 3);
    float single[4];
    clsolve_matrix f = clsolve_host_f32(2, 2, single);
    assert_int_equal(clsolve_lu_factors(lu, &f, NULL), CLSOLVE_OK); /* float factors, as the report says */
    B[0] = 3, B[1] = 4;
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_TRANS, &b), CLSOLVE_OK);
    assert_true(fabs(B[0] - 1) < 1e-15 && fabs(B[1] - 1) < 1e-15);
    clsolve_lu_destroy(lu);
}

/* Rows and columns over the whole range of double: no scaling by one number brings that into float. */
static void test_graded(void **state) {
    test_random random = test_random_start(36);
    enum { N = 60 };
    double *A = doubles(N * N);
    (void)state;
    for (int64_t j = 0; j < N; ++j)
        for (int64_t i = 0; i < N; ++i)
            A[i + j * N] = ldexp(test_random_signed(&random) + (i == j ? 4 : 0), (int)(8 * (i - j)));
    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; ++op) {
        outcome out = solve(&random, &mixed, CLSOLVE_COLUMN_MAJOR, (clsolve_op)op, N, 3, A);
        assert_int_equal(out.factored, CLSOLVE_OK);
        assert_int_equal(out.solved, CLSOLVE_OK);
        assert_string_equal(out.report.precision, "mixed");
    }
    free(A);
}

/* A limit of memory that holds the factors and not the copy of A beside them, or not even the factors. */
static void test_memory_limit(void **state) {
    enum { N = 300 };
    clsolve_lu_options options = mixed;
    clsolve_lu *lu = NULL;
    (void)state;
    options.memory_limit = N * N * 4 / 2;
    assert_int_equal(clsolve_lu_create(context, N, CLSOLVE_F64, &options, &lu), CLSOLVE_ERROR_UNSUPPORTED);
    assert_non_null(strstr(clsolve_context_message(context), "out of core"));
    assert_null(lu);
    options.memory_limit = N * N * 10;
    clsolve_status status = clsolve_lu_create(context, N, CLSOLVE_F64, &options, &lu);
    if (fp64) assert_int_equal(status, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY);
    if (!fp64) assert_int_equal(status, CLSOLVE_OK); /* the copy is on the host */
    clsolve_lu_destroy(lu);
}

/* Sums of a column that no double holds. */
static void test_huge(void **state) {
    test_random random = test_random_start(41);
    enum { N = 64 };
    double *A = doubles(N * N), *B = doubles(N), *X = doubles(N);
    (void)state;
    for (int64_t k = 0; k < N * N; ++k) A[k] = 1.7e308 * test_random_signed(&random);
    for (int64_t i = 0; i < N; ++i) A[i + i * N] = 1.7e308, X[i] = B[i] = test_random_signed(&random);
    clsolve_solve_options options = {.lu = mixed};
    clsolve_matrix a = clsolve_host_f64(N, N, A), x = clsolve_host_f64(N, 1, X);
    clsolve_report report;
    assert_int_equal(clsolve_solve(context, &a, &x, &options, &report), CLSOLVE_OK);
    assert_string_equal(report.precision, "mixed");
    for (int64_t k = 0; k < N * N; ++k) A[k] *= 0x1p-60; /* for the ratio's own sums */
    for (int64_t k = 0; k < N; ++k) X[k] *= 0x1p60;
    double ratio = ratio_solve(CLSOLVE_F64, CLSOLVE_NO_TRANS, N, 1, A, X, B);
    if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g", ratio);
    free(A), free(B), free(X);
}

/* Fixed precision: a matrix with pivot growth is mended, in both types; B of zeros and none at all. */
static void refine_growth(clsolve_type type) {
    enum { N = 40 };
    clsolve_lu_options options = {.panel = plain.panel, .refine = 1};
    double A[N * N], B[N], X[N];
    test_matrix a = test_matrix_make(type, CLSOLVE_ROW_MAJOR, N, N, 1),
                b = test_matrix_make(type, CLSOLVE_ROW_MAJOR, N, 1, 1);
    test_random random = test_random_start(37);
    clsolve_lu *lu = NULL;
    clsolve_report report;

    for (int64_t j = 0; j < N; ++j)
        for (int64_t i = 0; i < N; ++i) A[i + j * N] = i == j || j == N - 1 ? 1 : i > j ? -1 : 0;
    for (int64_t i = 0; i < N; ++i) B[i] = test_rounded(type, test_random_signed(&random));
    test_matrix_set(&a, A);
    test_matrix_set(&b, B);
    assert_int_equal(clsolve_lu_create(context, N, type, &options, &lu), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_OK);
    test_matrix_get(&b, X);
    double ratio = ratio_solve(type, CLSOLVE_NO_TRANS, N, 1, A, X, B);
    if (!(ratio < RATIO_BOUND)) fail_msg("growth, type %d: ratio %g", (int)type, ratio);
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    assert_true(report.history_length >= 1 && report.backward_error >= 0);
    assert_true(report.backward_error < N * 2 * test_epsilon(type));

    memset(B, 0, sizeof B);
    test_matrix_set(&b, B);
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_TRANS, &b.view), CLSOLVE_OK);
    test_matrix_get(&b, X);
    for (int64_t i = 0; i < N; ++i) assert_true(X[i] == 0);
    B[7] = (double)NAN;
    test_matrix_set(&b, B);
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_TRANS, &b.view), CLSOLVE_ERROR_NONFINITE);
    assert_non_null(strstr(clsolve_context_message(context), "B(8,1)"));
    b.view.cols = 0;
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_TRANS, &b.view), CLSOLVE_OK);
    clsolve_lu_destroy(lu);
    test_matrix_free(&a);
    test_matrix_free(&b);
}

static void test_refine(void **state) {
    (void)state;
    refine_growth(CLSOLVE_F32);
    refine_growth(CLSOLVE_F64);
}

/* NaN and Inf in A are found where A lies, on the host too. */
static void test_nonfinite(void **state) {
    double A[9] = {1, 2, 3, 4, 5, 6, 7, 8, 10}, B[3] = {1, 1, 1};
    clsolve_matrix a = clsolve_host_f64(3, 3, A), b = clsolve_host_f64(3, 1, B);
    clsolve_lu *lu = NULL;
    (void)state;
    assert_int_equal(clsolve_lu_create(context, 3, CLSOLVE_F64, &mixed, &lu), CLSOLVE_OK);
    A[5] = (double)INFINITY, A[7] = (double)NAN;
    assert_int_equal(clsolve_lu_factor(lu, &a), CLSOLVE_ERROR_NONFINITE);
    assert_non_null(strstr(clsolve_context_message(context), "A(3,2)"));
    a.layout = CLSOLVE_ROW_MAJOR;
    assert_int_equal(clsolve_lu_factor(lu, &a), CLSOLVE_ERROR_NONFINITE);
    assert_non_null(strstr(clsolve_context_message(context), "A(3,2)"));
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b), CLSOLVE_ERROR_STATE);
    A[5] = 6, A[7] = 8;
    assert_int_equal(clsolve_lu_factor(lu, &a), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b), CLSOLVE_OK);
    clsolve_lu_destroy(lu);

    clsolve_lu_options wrong = {.precision = (clsolve_precision)7};
    assert_int_equal(clsolve_lu_create(context, 3, CLSOLVE_F64, &wrong, &lu), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_lu_create(context, 3, CLSOLVE_F32, &mixed, &lu), CLSOLVE_ERROR_INVALID_ARGUMENT);
}

/* Float factors cross once (or A in double does, to be kept), then O(n) bytes a step and right-hand side. */
static void test_transfers(void **state) {
    enum { N = 200 };
    test_random random = test_random_start(38);
    double *A = doubles(N * N);
    (void)state;
    test_with_condition(&random, N, 3, 1e3, A);
    outcome out = solve(&random, &mixed, CLSOLVE_ROW_MAJOR, CLSOLVE_NO_TRANS, N, 1, A);
    int64_t matrix = N * N * (fp64 ? 8 : 4), vectors = (out.report.iterations + 24) * 3 * N * 8;
    assert_int_equal(out.solved, CLSOLVE_OK);
    assert_in_range(out.report.bytes_up, matrix, matrix + vectors);
    assert_in_range(out.report.bytes_down, N * 4, vectors);
    assert_true(out.report.device_bytes >= N * N * (fp64 ? 12 : 4));
    free(A);
}

static int open_context(void **state) {
    (void)state;
    context = test_context(1);
    fp64 = clsolve_context_device(context).fp64;
    plain = mixed = test_lu_options();
    mixed.precision = CLSOLVE_PRECISION_MIXED;
    mixed.rcond = 1;
    return 0;
}

static int close_context(void **state) {
    (void)state;
    clsolve_context_destroy(context);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),          cmocka_unit_test(test_by_itself),
        cmocka_unit_test(test_history),        cmocka_unit_test(test_gmres),
        cmocka_unit_test(test_fallback),       cmocka_unit_test(test_zero_pivot_in_float),
        cmocka_unit_test(test_graded),         cmocka_unit_test(test_refine),
        cmocka_unit_test(test_nonfinite),      cmocka_unit_test(test_transfers),
        cmocka_unit_test(test_rank_deficient), cmocka_unit_test(test_huge),
        cmocka_unit_test(test_memory_limit),
    };
    test_require_device();
    return cmocka_run_group_tests(tests, open_context, close_context);
}
