/* Growth, determinant, condition, scaling, refinement and mixed precision of matrices that pass through the device. */
#include "lu/out_of_core_support.h"

#include <float.h>

/* A limit that leaves some slabs; the handle is out of core or the test fails. */
static clsolve_lu *make_small(clsolve_type t, int64_t n, const clsolve_lu_options *options) {
    clsolve_lu_options mine = *options;
    int single = options->precision == CLSOLVE_PRECISION_MIXED || (t == CLSOLVE_F64 && ooc_type == CLSOLVE_F32);
    mine.block = 16;
    mine.memory_limit = ooc_least_limit(single ? CLSOLVE_F32 : t, n, 16) + n * 8 * 20;
    clsolve_lu *lu = ooc_make(t, n, &mine);
    assert_in_range(ooc_report_of(lu).slab_columns, 16, n / 2);
    return lu;
}

static void near(double got, double wanted, double relative, const char *what) {
    if (!(fabs(got - wanted) <= relative * fabs(wanted))) fail_msg("%s: %.17g, in core %.17g", what, got, wanted);
}

/* Both chose the same pivots. Where two candidates are nearly equal rounding chooses, and the growth may differ. */
static int same_pivots(clsolve_lu *lu[2], int64_t n) {
    int64_t *ipiv[2];
    for (int out = 0; out < 2; ++out) {
        ipiv[out] = calloc((size_t)n, sizeof *ipiv[out]);
        assert_non_null(ipiv[out]);
        assert_int_equal(clsolve_lu_factors(lu[out], NULL, ipiv[out]), CLSOLVE_OK);
    }
    int same = memcmp(ipiv[0], ipiv[1], (size_t)n * sizeof *ipiv[0]) == 0;
    free(ipiv[0]);
    free(ipiv[1]);
    return same;
}

/* All that is known of a matrix in core is known out of core. */
TEST(test_report) {
    test_random random = test_random_start(61);
    static const int64_t sizes[] = {97, 130, 211};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
        for (int which = 0; which < 4; ++which) {
            int64_t n = sizes[s];
            clsolve_type t = which % 2 ? CLSOLVE_F32 : ooc_type;
            clsolve_lu_options options = {.rcond = 1, .block = 16};
            clsolve_lu *lu[2] = {ooc_make(t, n, &options), make_small(t, n, &options)};
            clsolve_report r[2];
            SCRATCH double *A = ooc_doubles(n * n);
            scratch_matrix a = test_matrix_make(t, which < 2 ? CLSOLVE_COLUMN_MAJOR : CLSOLVE_ROW_MAJOR, n, n, 1);
            test_kind_make(&random, t, 4, n, A);
            for (int64_t i = 0; i < n; ++i) A[i + 5 * n] = -A[i + 5 * n]; /* either sign */
            test_matrix_set(&a, A);
            for (int out = 0; out < 2; ++out) {
                assert_int_equal(clsolve_lu_factor(lu[out], &a.view), CLSOLVE_OK);
                r[out] = ooc_report_of(lu[out]);
            }
            double eps = test_epsilon(t);
            near(r[1].direct.growth, r[0].direct.growth, same_pivots(lu, n) ? 1e4 * eps : 0.9, "growth");
            near(r[1].direct.rcond, r[0].direct.rcond, 1e5 * eps, "rcond");
            near(r[1].direct.log_abs_det, r[0].direct.log_abs_det, 1e4 * eps, "log|det|");
            assert_int_equal(r[1].direct.det_sign, r[0].direct.det_sign);
            assert_string_equal(r[1].direct.det_precision, r[0].precision);
            assert_int_equal(r[1].slabs, (n + r[1].slab_columns - 1) / r[1].slab_columns);
            assert_true(r[1].slabs > 1 && r[0].slab_columns == 0 && r[0].slabs >= 1);

            for (int64_t i = 0; i < n; ++i) A[i + (n - 20) * n] = 0; /* singular, in a late slab */
            test_matrix_set(&a, A);
            assert_int_equal(clsolve_lu_factor(lu[1], &a.view), CLSOLVE_SINGULAR);
            r[1] = ooc_report_of(lu[1]);
            assert_true(r[1].direct.rcond == 0 && r[1].direct.det_sign == 0 && r[1].info == n - 19);
            assert_true(isinf(r[1].direct.log_abs_det) && r[1].direct.log_abs_det < 0);
            clsolve_lu_destroy(lu[0]);
            clsolve_lu_destroy(lu[1]);
        }
}

/* Rows and columns of very different sizes. Solves with both operators, the factors those of the scaled matrix. */
static void equilibrate(clsolve_type t, clsolve_layout layout, int refine) {
    test_random random = test_random_start(62);
    int64_t n = 130, nrhs = 70;
    int step = t == CLSOLVE_F64 ? 6 : 2;
    clsolve_lu_options options = {.rcond = 1, .equilibrate = 1, .refine = refine, .block = 16};
    clsolve_lu *lu[2] = {ooc_make(t, n, &options), make_small(t, n, &options)};
    SCRATCH double *A = ooc_doubles(n * n), *B = ooc_doubles(n * nrhs);
    double *X[2] = {ooc_doubles(n * nrhs), ooc_doubles(n * nrhs)};
    scratch_matrix a = test_matrix_make(t, layout, n, n, 1), b = test_matrix_make(t, layout, n, nrhs, 2);
    clsolve_report r[2];

    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i)
            A[i + j * n] = ldexp(test_random_signed(&random) + (i == j ? 20 : 0), (int)(i % 16 - j % 8) * step);
    test_matrix_set(&a, A);
    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; ++op) {
        for (int64_t k = 0; k < n * nrhs; ++k) B[k] = test_rounded(t, test_random_signed(&random));
        for (int out = 0; out < 2; ++out) {
            test_matrix_set(&b, B);
            assert_int_equal(clsolve_lu_factor(lu[out], &a.view), CLSOLVE_OK);
            if (clsolve_lu_solve(lu[out], (clsolve_op)op, &b.view) != CLSOLVE_OK)
                fail_msg("%s", clsolve_context_message(ooc_context));
            test_matrix_get(&b, X[out]);
            test_matrix_spare_intact(&b);
            r[out] = ooc_report_of(lu[out]);
        }
        /* A component's error is of the order of those that are scaled alike. */
        for (int64_t c = 0; c < nrhs; ++c)
            for (int64_t i = 0; i < n; ++i) {
                double size = 0;
                for (int64_t k = i % 16; k < n; k += 16) size = fmax(size, fabs(X[0][k + c * n]));
                if (!(fabs(X[1][i + c * n] - X[0][i + c * n]) <= 1e4 * test_epsilon(t) * size))
                    fail_msg("op %d, x(%d,%d): %g, in core %g", op, (int)i, (int)c, X[1][i + c * n], X[0][i + c * n]);
            }
    }
    assert_int_equal(r[0].direct.equilibrated, 3);
    assert_int_equal(r[1].direct.equilibrated, 3);
    near(r[1].direct.rcond, r[0].direct.rcond, 1e-2, "rcond");
    near(r[1].direct.log_abs_det, r[0].direct.log_abs_det, 1e-4, "log|det|");
    near(r[1].direct.growth, r[0].direct.growth, 1e-3, "growth");
    if (refine)
        assert_true(r[1].refinement.backward_error >= 0 &&
                    r[1].refinement.backward_error < (double)n * 2 * test_epsilon(t));

    B[3 + 5 * n] = (double)NAN;
    test_matrix_set(&b, B);
    OOC_EXPECT(clsolve_lu_solve(lu[1], CLSOLVE_TRANS, &b.view), CLSOLVE_ERROR_NONFINITE, "B(4,6)");
    A[7 + 9 * n] = (double)INFINITY;
    test_matrix_set(&a, A);
    OOC_EXPECT(clsolve_lu_factor(lu[1], &a.view), CLSOLVE_ERROR_NONFINITE, "A(8,10)");
    OOC_EXPECT(clsolve_lu_solve(lu[1], CLSOLVE_TRANS, &b.view), CLSOLVE_ERROR_STATE, "factor");
    clsolve_lu_destroy(lu[0]);
    clsolve_lu_destroy(lu[1]);
    free(X[0]), free(X[1]);
}

TEST(test_equilibrate) {
    for (int refine = 0; refine < 2; ++refine)
        for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; ++layout) {
            equilibrate(CLSOLVE_F32, (clsolve_layout)layout, refine);
            if (ooc_type == CLSOLVE_F64) equilibrate(CLSOLVE_F64, (clsolve_layout)layout, refine);
        }
}

/* A matrix whose pivots grow, and one that they do not: LAPACK's bound after refinement, and never above the limit. */
static void refine(clsolve_type t, clsolve_layout layout, const clsolve_lu_options *options, int grows) {
    test_random random = test_random_start(63);
    int64_t n = 97, nrhs = 40;
    SCRATCH double *A = ooc_doubles(n * n), *B = ooc_doubles(n * nrhs), *X = ooc_doubles(n * nrhs);
    scratch_matrix a = test_matrix_make(t, layout, n, n, 1), b = test_matrix_make(t, layout, n, nrhs, 1);

    int64_t limit = ooc_least_limit(t, n, 16) + n * 8 * 20; /* no less than that of the factors */
    (void)ooc_least_limit(CLSOLVE_F32, n, 16);              /* the kernels have been tested now */
    ooc_start_watch();
    clsolve_lu *lu = make_small(t, n, options);
    test_kind_make(&random, t, 4, n, A);
    for (int64_t j = 0; grows && j < n; ++j)
        for (int64_t i = 0; i < n; ++i)
            A[i + j * n] = i == j || j == n - 1 ? 1 : i > j && i / 12 == j / 12 ? -1 : 0; /* 2^11 */
    test_matrix_set(&a, A);
    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; ++op) {
        for (int64_t k = 0; k < n * nrhs; ++k) B[k] = test_rounded(t, test_random_signed(&random));
        test_matrix_set(&b, B);
        if (clsolve_lu_solve(lu, (clsolve_op)op, &b.view) != CLSOLVE_OK)
            fail_msg("%s", clsolve_context_message(ooc_context));
        test_matrix_get(&b, X);
        test_matrix_spare_intact(&b);
        double ratio = ratio_solve(t, (clsolve_op)op, n, nrhs, A, X, B);
        if (!(ratio < RATIO_BOUND)) fail_msg("op %d, type %d, growth %d: ratio %g", op, (int)t, grows, ratio);
        clsolve_report r = ooc_report_of(lu);
        assert_true(r.refinement.history_length >= 1 && r.refinement.backward_error >= 0);
        assert_true(r.refinement.backward_error <= fmax((double)n, 10) * test_epsilon(t));
        int mixed = options->precision == CLSOLVE_PRECISION_MIXED || (t == CLSOLVE_F64 && ooc_type == CLSOLVE_F32);
        assert_string_equal(r.precision, mixed ? "mixed" : t == CLSOLVE_F64 ? "double" : "single");
        if (mixed) assert_true(r.iterations > 0 && r.direct.rcond > 0 && !r.direct.rcond_is_bound);
        if (mixed) assert_string_equal(r.direct.det_precision, "single");
    }
    assert_in_range(ooc_peak, 1, limit);
    clsolve_lu_destroy(lu);
    assert_int_equal(ooc_context->device->counters.buffer_bytes, ooc_base);
}

TEST(test_refine) {
    clsolve_lu_options options = {.refine = 1};
    for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; ++layout)
        for (int grows = 0; grows < 2; ++grows) {
            refine(CLSOLVE_F32, (clsolve_layout)layout, &options, grows);
            if (ooc_type == CLSOLVE_F64) refine(CLSOLVE_F64, (clsolve_layout)layout, &options, grows);
        }
}

/* Asked for, and by itself on a device without double. */
TEST(test_mixed) {
    clsolve_lu_options mixed = {.precision = CLSOLVE_PRECISION_MIXED, .rcond = 1}, plain = {.rcond = 1};
    for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; ++layout)
        for (int grows = 0; grows < 2; ++grows) {
            refine(CLSOLVE_F64, (clsolve_layout)layout, &mixed, grows);
            if (ooc_type == CLSOLVE_F32) refine(CLSOLVE_F64, (clsolve_layout)layout, &plain, grows);
        }
}

/* Two rows that differ beyond float: a zero pivot that is mended; two that do not differ: an answer
 * that stands the test, or none, and B as it was. */
TEST(test_mended) {
    enum { N = 97 };
    test_random random = test_random_start(64);
    clsolve_lu_options mixed = {.precision = CLSOLVE_PRECISION_MIXED, .rcond = 1};
    double *A = ooc_doubles(N * N), B[N], X[N];
    clsolve_matrix a = clsolve_matrix_f64(N, N, A), x = clsolve_matrix_f64(N, 1, X);
    OWNED(lu) *lu = make_small(CLSOLVE_F64, N, &mixed);
    for (int same = 0; same < 2; ++same) {
        for (int64_t k = 0; k < N * N; ++k) A[k] = k % (N + 1) == 0 ? 8 : 0;
        A[80 + 81 * N] = A[81 + 80 * N] = A[80 + 80 * N] = A[81 + 81 * N] = 1;
        if (!same) A[81 + 81 * N] = 1 + 0x1p-30;
        for (int64_t i = 0; i < N; ++i) X[i] = B[i] = test_random_signed(&random);
        assert_int_equal(clsolve_lu_factor(lu, &a), CLSOLVE_OK);
        clsolve_report r = ooc_report_of(lu);
        assert_true(r.info == 0 && r.direct.det_sign == 0 && r.direct.det_precision && r.direct.rcond < 1e-7);
        /* Of the singular one too there may be an X, huge, whose residual is as small as double's. */
        clsolve_status status = clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &x);
        if (same && status == CLSOLVE_NOT_CONVERGED) {
            assert_non_null(strstr(clsolve_context_message(ooc_context), "ill-conditioned"));
            for (int64_t i = 0; i < N; ++i) assert_true(X[i] == B[i]);
        } else {
            assert_int_equal(status, CLSOLVE_OK);
            double ratio = ratio_solve(CLSOLVE_F64, CLSOLVE_NO_TRANS, N, 1, A, X, B);
            if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g", ratio);
        }
    }
    for (int64_t i = 0; i < N; ++i) A[i + 40 * N] = 0; /* a column of zeros is singular in any precision */
    OOC_EXPECT(clsolve_lu_factor(lu, &a), CLSOLVE_SINGULAR, "singular");
    free(A);
}

/* Each device call and each option: the status says that it failed, B is as it was, nothing stays. */
TEST(test_failures) {
    test_random random = test_random_start(65);
    int64_t n = 60;
    for (int which = 0; which < 3; ++which) {
        clsolve_lu_options options = {.rcond = 1, .equilibrate = which == 0, .refine = which == 1};
        if (which == 2) options.precision = CLSOLVE_PRECISION_MIXED;
        clsolve_type t = which == 2 ? CLSOLVE_F64 : CLSOLVE_F32;
        SCRATCH double *A = ooc_doubles(n * n), *B = ooc_doubles(n), *X = ooc_doubles(n);
        scratch_matrix a = test_matrix_make(t, CLSOLVE_ROW_MAJOR, n, n, 0);
        scratch_matrix b = test_matrix_make(t, CLSOLVE_COLUMN_MAJOR, n, 1, 0);
        test_kind_make(&random, t, 4, n, A);
        for (int64_t i = 0; i < n; ++i) B[i] = 1;
        test_matrix_set(&a, A);
        test_matrix_set(&b, B);
        ooc_start_watch();
        clsolve_lu *lu = make_small(t, n, &options);
        int64_t k = 1;
        clsolve_status status = CLSOLVE_ERROR_DEVICE;
        for (; status == CLSOLVE_ERROR_DEVICE; ++k) {
            ooc_fail_at = k;
            status = clsolve_lu_factor(lu, &a.view);
            ooc_fail_at = 0;
        }
        assert_true(status == CLSOLVE_OK && k > 30);
        for (k = 1, status = CLSOLVE_ERROR_DEVICE; status == CLSOLVE_ERROR_DEVICE; ++k) {
            ooc_fail_at = k;
            status = clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.view);
            ooc_fail_at = 0;
            if (status == CLSOLVE_OK) break;
            test_matrix_get(&b, X);
            for (int64_t i = 0; i < n; ++i) assert_true(X[i] == 1);
        }
        assert_true(status == CLSOLVE_OK && k > 10);
        test_matrix_get(&b, X);
        assert_true(ratio_solve(t, CLSOLVE_NO_TRANS, n, 1, A, X, B) < RATIO_BOUND);
        clsolve_lu_destroy(lu);
        assert_int_equal(ooc_context->device->counters.buffer_bytes, ooc_base);
    }
}

TEST_PROGRAM(ooc_open, ooc_close)
