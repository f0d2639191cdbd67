/* complex_range.c: complex dense LU at the ends of the range, with NaN and Inf, and singular. */
#include <float.h>

#include "lu/complex_support.h"

/* diag(z) x = z b with |z| beyond the range, or far below it: x is b. Each panel, each operation. */
static void check_scale(clsolve_type type, double re, double im, int64_t n) {
    const clsolve_lu_options options = {.precision = CLSOLVE_PRECISION_WORKING};
    SCRATCH double *A = zlu_elements(n * n), *B = zlu_elements(n);
    OWNED(lu) *lu = zlu_make(n, type, &options);
    scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, n, 0);

    for (int64_t k = 0; k < n; ++k) {
        A[2 * (k + (n - 1 - k) * n)] = re;
        A[2 * (k + (n - 1 - k) * n) + 1] = im;
    }
    test_matrix_set(&a, A);
    if (clsolve_lu_factor(lu, &a.view) != CLSOLVE_OK)
        fail_msg("%g + %g i: %s", re, im, clsolve_context_message(zlu_context));
    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_CONJ_TRANS; ++op) {
        scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, 1, 0);
        for (int64_t k = 0; k < n; ++k) {
            B[2 * k] = re;
            B[2 * k + 1] = op == CLSOLVE_CONJ_TRANS ? -im : im;
        }
        test_matrix_set(&b, B);
        if (clsolve_lu_solve(lu, (clsolve_op)op, &b.view) != CLSOLVE_OK)
            fail_msg("%g + %g i: %s", re, im, clsolve_context_message(zlu_context));
        test_matrix_get(&b, B);
        for (int64_t k = 0; k < n; ++k)
            if (!(fabs(B[2 * k] - 1) < 64 * test_epsilon(type) && fabs(B[2 * k + 1]) < 64 * test_epsilon(type)))
                fail_msg("%s, %g + %g i, op %d: %g + %g i", test_type_names[type], re, im, op, B[2 * k], B[2 * k + 1]);
    }
}

TEST(test_range) {
    for (int type = CLSOLVE_C32; type <= (zlu_has_double() ? CLSOLVE_C64 : CLSOLVE_C32); ++type) {
        const double most = type == CLSOLVE_C64 ? DBL_MAX : (double)FLT_MAX;
        const double least = type == CLSOLVE_C64 ? DBL_MIN : (double)FLT_MIN;
        const double values[][2] = {{0.9 * most, 0.9 * most},
                                    {0, -0.9 * most},
                                    {-0.7 * most, 0.1 * most},
                                    {4 * least, 4 * least},
                                    {0, 16 * least},
                                    {0, 1},
                                    {3, -4},
                                    {1e-30, 1}};
        for (size_t k = 0; k < sizeof values / sizeof *values; ++k) {
            check_scale((clsolve_type)type, test_rounded((clsolve_type)type, values[k][0]),
                        test_rounded((clsolve_type)type, values[k][1]), 3);
            check_scale((clsolve_type)type, test_rounded((clsolve_type)type, values[k][0]),
                        test_rounded((clsolve_type)type, values[k][1]), 40);
        }
    }
}

/* NaN and Inf in either part are found where they are, in A and in B. */
TEST(test_nonfinite) {
    static const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    const clsolve_lu_options options = {.rcond = 0};
    const clsolve_type type = zlu_has_double() ? CLSOLVE_C64 : CLSOLVE_C32;
    const int64_t n = 37;
    SCRATCH double *A = zlu_elements(n * n), *B = zlu_elements(n);
    test_random random = test_random_start(5);

    for (int which = 0; which < 6; ++which) {
        OWNED(lu) *lu = zlu_make(n, type, &options);
        scratch_matrix a = test_matrix_make(type, which % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR, n, n, 0);
        scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, 1, 0);
        test_kind_make(&random, type, 4, n, A);
        test_random_fill(&random, B, 2 * n);
        A[2 * (6 + 30 * n) + which / 3] = bad[which % 3];
        test_matrix_set(&a, A);
        assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_ERROR_NONFINITE);
        assert_non_null(strstr(clsolve_context_message(zlu_context), "A(7,31)"));
        A[2 * (6 + 30 * n) + which / 3] = 0.5;
        B[2 * 4 + which / 3] = bad[which % 3];
        test_matrix_set(&a, A);
        test_matrix_set(&b, B);
        assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_TRANS, &b.view), CLSOLVE_ERROR_NONFINITE);
        assert_non_null(strstr(clsolve_context_message(zlu_context), "B(5,1)"));
    }
}

/* Singular exactly: a column that is i times another one. */
TEST(test_singular) {
    const clsolve_lu_options options = {.rcond = 1};
    float a[8] = {1, 0, 0, 1, 0, 1, -1, 0}, b[4] = {1, 2, 3, 4};
    clsolve_matrix A = clsolve_matrix_c32(2, 2, a), B = clsolve_matrix_c32(2, 1, b);
    OWNED(lu) *lu = zlu_make(2, CLSOLVE_C32, &options);
    assert_int_equal(clsolve_lu_factor(lu, &A), CLSOLVE_SINGULAR);
    clsolve_report report = zlu_report_of(lu);
    assert_int_equal(report.info, 2);
    assert_true(report.direct.rcond == 0 && report.direct.det_sign == 0 && report.direct.det_phase == 0);
    assert_true(isinf(report.direct.log_abs_det));
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_CONJ_TRANS, &B), CLSOLVE_SINGULAR);
    assert_true(b[0] == 1 && b[3] == 4);
}

/* Parts near the largest number, where LAPACK's reciprocals of pivots are 0. L is there in its first column. */
TEST(test_huge) {
    static const int64_t orders[] = {2, 5, 65, 100};
    const clsolve_lu_options options = {0};
    for (size_t o = 0; o < 2 * sizeof orders / sizeof *orders; ++o) {
        const clsolve_type type = o % 2 ? CLSOLVE_C32 : CLSOLVE_C64;
        const double most = 0.7 * (o % 2 ? FLT_MAX : DBL_MAX), small = 0x1p-10;
        const int64_t n = orders[o / 2];
        if (type == CLSOLVE_C64 && !zlu_has_double()) continue;
        SCRATCH double *A = zlu_elements(n * n), *B = zlu_elements(n);
        OWNED(lu) *lu = zlu_make(n, type, &options);
        scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, n, 1);
        scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, 1, 0);
        for (int64_t i = 0; i < n; ++i) {
            A[2 * (i + i * n)] = A[2 * (i + i * n) + 1] = most;
            if (i > 0) A[2 * i] = A[2 * i + 1] = most / 2;
            B[2 * i] = B[2 * i + 1] = small * most * (i > 0 ? 1.5 : 1);
        }
        test_matrix_set(&a, A);
        test_matrix_set(&b, B);
        assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_OK);
        test_matrix_get(&b, B);
        for (int64_t i = 0; i < n; ++i)
            if (!(fabs(B[2 * i] - small) + fabs(B[2 * i + 1]) < 1e-4 * small))
                fail_msg("n %d, %s: x(%d) is %g + %gi", (int)n, type == CLSOLVE_C64 ? "c64" : "c32", (int)i, B[2 * i],
                         B[2 * i + 1]);
    }
}
