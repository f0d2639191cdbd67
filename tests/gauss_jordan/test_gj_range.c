/*
 * The ends of the type's range: an elimination that overflows is told, never taken for zeros; matrices of subnormal numbers are
 * solved; rcond where the norm of A is beyond the range. All variants, with pivoting and without, both types, and batches.
 */
#include <clsolve/clsolve.h>

#include <float.h>

#include "gauss_jordan/fixture.h"

enum { FIRST = CLSOLVE_GAUSS_JORDAN_TWO_PASS, LAST = CLSOLVE_GAUSS_JORDAN_BLOCKED };

static int has_type(clsolve_type type) {
    return type == CLSOLVE_F32 || clsolve_context_device(context).fp64;
}

static double largest(clsolve_type type) {
    return type == CLSOLVE_F32 ? (double)FLT_MAX : DBL_MAX;
}

static test_matrix matrix_of(clsolve_type type, int64_t rows, int64_t cols, const double *values) {
    test_matrix m = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, rows, cols, 0);
    test_matrix_set(&m, values);
    return m;
}

typedef struct system {
    clsolve_type type;
    int64_t n;
    const double *A, *b;
    int variant, no_pivoting, block;
} system_;

/* Solve into x and invert into X (either may be NULL), which hold what they held where the status is not OK. */
static clsolve_status apply(const system_ *s, double *x, double *X, clsolve_report *report) {
    clsolve_gauss_jordan_options options = {.variant = (clsolve_gauss_jordan_variant)s->variant,
                                            .pivoting = s->no_pivoting ? CLSOLVE_PIVOTING_NONE : CLSOLVE_PIVOTING_AUTO,
                                            .block = s->block};
    OWNED(gauss_jordan) *gj = gj_make(context, s->n, s->type, &options);
    double *values = x ? x : X;
    scratch_matrix a = matrix_of(s->type, s->n, s->n, s->A), m = matrix_of(s->type, s->n, x ? 1 : s->n, values);
    clsolve_status status = x ? clsolve_gauss_jordan_solve(gj, CLSOLVE_NO_TRANS, &a.view, &m.view)
                              : clsolve_gauss_jordan_invert(gj, &a.view, &m.view);
    assert_int_equal(clsolve_gauss_jordan_report(gj, report), CLSOLVE_OK);
    test_matrix_get(&m, values);
    return status;
}

/* OVERFLOW of both, nothing written, no info. */
static void overflows(const system_ *s) {
    SCRATCH double *x = test_doubles(s->n), *X = test_doubles(s->n * s->n);
    clsolve_report report;

    memcpy(x, s->b, (size_t)s->n * sizeof *x);
    for (int inverse = 0; inverse <= 1; ++inverse) {
        clsolve_status status = apply(s, inverse ? NULL : x, inverse ? X : NULL, &report);
        if (status != CLSOLVE_OVERFLOW)
            fail_msg("%s, type %d, n %d, pivoting %d, inverse %d: %s", gj_variant_names[s->variant], (int)s->type,
                     (int)s->n, !s->no_pivoting, inverse, clsolve_status_name(status));
        assert_non_null(strstr(clsolve_context_message(context), "scale"));
        assert_int_equal(report.info, 0);
        assert_true(report.direct.rcond == -1);
    }
    for (int64_t i = 0; i < s->n; ++i) assert_true(x[i] == s->b[i]);
    for (int64_t k = 0; k < s->n * s->n; ++k) assert_true(X[k] == 0);
}

/* The pivot of the last column becomes Inf, and would make a zero of x there. */
TEST(test_pivot_overflows) {
    for (int type = CLSOLVE_F32; type <= CLSOLVE_F64; ++type)
        for (int variant = 0; variant <= LAST && has_type((clsolve_type)type); ++variant)
            for (int plain = 0; plain <= 1; ++plain) {
                double most = largest((clsolve_type)type), A[4] = {1, 1, -most, most}, b[2] = {0, 2};
                system_ s = {(clsolve_type)type, 2, A, b, variant, plain, 0};
                overflows(&s);
                /* The same without pivoting by a multiplier. */
                double small = type == CLSOLVE_F32 ? 1e-38 : 1e-308, B[4] = {small, 1, 10, 1}, c[2] = {1, 0};
                system_ t = {(clsolve_type)type, 2, B, c, variant, 1, 0};
                if (plain) overflows(&t);
            }
}

/* J. H. Wilkinson's matrix: its last column doubles with each pivot, and 2^128 is no float. In one panel and in several, and
 * with a zero column behind it, which then is no first zero pivot. */
TEST(test_growth) {
    for (int variant = FIRST; variant <= LAST; ++variant)
        for (int block = 0; block <= 160; block += block ? 128 : 32)
            for (int64_t extra = 0; extra <= 1; ++extra) {
                if (test_reduced() && extra != (block > 0)) continue;
                enum { GROWS = 132 };
                int64_t n = GROWS + extra;
                SCRATCH double *A = test_doubles(n * n), *b = test_doubles(n);
                for (int64_t j = 0; j < GROWS; ++j)
                    for (int64_t i = 0; i < GROWS; ++i) A[i + j * n] = i == j || j == GROWS - 1 ? 1 : i > j ? -1 : 0;
                for (int64_t i = 0; i < n; ++i) b[i] = (double)(i % 3);
                system_ s = {CLSOLVE_F32, n, A, b, variant, 0, block};
                overflows(&s);
                s.no_pivoting = 1;
                overflows(&s);
            }
}

/* A zero pivot before the one that overflows: singular. */
TEST(test_zero_first) {
    for (int variant = FIRST; variant <= LAST; ++variant) {
        double most = (double)FLT_MAX, A[16] = {1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, -most, most};
        double b[4] = {1, 2, 3, 4};
        clsolve_report report;
        system_ s = {CLSOLVE_F32, 4, A, b, variant, 0, 0};
        assert_int_equal(apply(&s, b, NULL, &report), CLSOLVE_SINGULAR);
        assert_int_equal(report.info, 2);
        s.block = 2;
        assert_int_equal(apply(&s, b, NULL, &report), CLSOLVE_SINGULAR);
        assert_int_equal(report.info, 2);
    }
}

TEST(test_batch) {
    for (int type = CLSOLVE_F32; type <= CLSOLVE_F64; ++type) {
        if (!has_type((clsolve_type)type)) continue;
        enum { COUNT = 5 };
        double most = largest((clsolve_type)type);
        /* Overflow; NaN and a zero column; a zero column and then overflow; sound; NaN alone. */
        double A[COUNT * 9] = {1, 1, 0,           -most, most, 0, 0, 0, 1, 0,           0,    0, 1, 2, 3,
                               4, 5, (double)NAN, 0,     0,    0, 1, 1, 0, -most,       most, 1, 2, 0, 0,
                               0, 4, 0,           0,     0,    8, 1, 0, 0, (double)NAN, 1,    0, 0, 0, 1};
        int64_t expected[COUNT] = {-1, -1, 1, 0, -1}, info[COUNT];
        double X[COUNT * 9] = {0}, b[COUNT * 3 * 20];
        scratch_matrix a = matrix_of((clsolve_type)type, 3, 3 * COUNT, A),
                       x = matrix_of((clsolve_type)type, 3, 3 * COUNT, X);
        for (int k = 0; k < COUNT * 60; ++k) b[k] = k % 3 == 1 ? 2 : 0;
        b[2 * 60 + 59] = (double)NAN; /* in a later launch: more than that member's zero pivot */
        scratch_matrix B = matrix_of((clsolve_type)type, 3, 20 * COUNT, b);
        OWNED(gauss_jordan_batch) *gj = gj_batch_make(context, 3, COUNT, (clsolve_type)type);
        clsolve_batch av = {(clsolve_type)type, CLSOLVE_COLUMN_MAJOR, COUNT, 3, 3, 3, 9, NULL,
                            a.view.data,        CLSOLVE_ON_HOST,      0},
                      xv = av, bv = av;
        xv.data = x.view.data;
        bv.data = B.view.data, bv.cols = 20, bv.stride = 60;
        assert_int_equal(a.view.ld, 3);
        assert_int_equal(clsolve_gauss_jordan_batch_invert(gj, &av, &xv, info), CLSOLVE_OK);
        for (int m = 0; m < COUNT; ++m) assert_int_equal(info[m], expected[m]);
        test_matrix_get(&x, X);
        for (int m = 0; m < COUNT; ++m)
            for (int k = 0; k < 9; ++k) assert_true(X[9 * m + k] == (m == 3 && k % 4 == 0 ? 1 / A[27 + k] : 0));
        assert_int_equal(clsolve_gauss_jordan_batch_solve(gj, CLSOLVE_NO_TRANS, &av, &bv, info), CLSOLVE_OK);
        expected[2] = -1;
        for (int m = 0; m < COUNT; ++m) assert_int_equal(info[m], expected[m]);
    }
}

enum { TINY_MEMBERS = 5, TINY_COLS = 20 };

/* Members of order 3: tiny as a whole; of ordinary size; [2s 1; s 1] and a 1; with a tiny row; tiny and singular. */
static void set_tiny_members(double s, double *A) {
    const double plain[9] = {8, 1, 2, 1, 9, 3, 2, 1, 7}, column[9] = {2 * s, s, 0, 1, 1, 0, 0, 0, 1};
    for (int k = 0; k < 9; ++k) {
        A[k] = s * plain[k];
        A[9 + k] = plain[k];
        A[18 + k] = column[k];
        A[27 + k] = (k % 3 == 1 ? s : 1) * plain[k];
        A[36 + k] = s * (double)(1 + k % 3);
    }
}

static double wanted_of(int member, int row, int col) {
    return member == 2 && row == 1 ? 0 : (row + 2 * col) % 7 - 3;
}

static void check_tiny_solutions(clsolve_type type, const double *X, const int64_t *info) {
    const double epsilon = type == CLSOLVE_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
    for (int m = 0; m < TINY_MEMBERS; ++m) {
        assert_int_equal(info[m], m == 4 ? 2 : 0);
        for (int c = 0; c < TINY_COLS && m < 4; ++c)
            for (int i = 0; i < 3; ++i) {
                const double x = X[i + 3 * c + 3 * TINY_COLS * m], wanted = wanted_of(m, i, c);
                if (!(fabs(x - wanted) <= 16 * epsilon))
                    fail_msg("type %d, member %d: x(%d,%d) is %.17g, not %g", type, m, i, c, x, wanted);
            }
    }
}

/* Members whose numbers are tiny, or those of a row or column, have the digits that single systems have. */
TEST(test_tiny_members) {
    for (int type = CLSOLVE_F32; type <= CLSOLVE_F64; ++type) {
        if (!has_type((clsolve_type)type)) continue;
        double A[9 * TINY_MEMBERS], B[3 * TINY_COLS * TINY_MEMBERS], X[9 * TINY_MEMBERS] = {0};
        int64_t info[TINY_MEMBERS];
        set_tiny_members(type == CLSOLVE_F32 ? 0x1p-143 : 0x1p-1060, A);
        for (int m = 0; m < TINY_MEMBERS; ++m)
            for (int c = 0; c < TINY_COLS; ++c)
                for (int i = 0; i < 3; ++i) {
                    double *b = &B[i + 3 * c + 3 * TINY_COLS * m];
                    *b = 0;
                    for (int j = 0; j < 3; ++j) *b += A[9 * m + i + 3 * j] * wanted_of(m, j, c);
                }
        scratch_matrix a = matrix_of((clsolve_type)type, 3, 3 * TINY_MEMBERS, A),
                       b = matrix_of((clsolve_type)type, 3, TINY_COLS * TINY_MEMBERS, B);
        OWNED(gauss_jordan_batch) *gj = gj_batch_make(context, 3, TINY_MEMBERS, (clsolve_type)type);
        clsolve_batch av = {(clsolve_type)type,
                            CLSOLVE_COLUMN_MAJOR,
                            TINY_MEMBERS,
                            3,
                            3,
                            3,
                            9,
                            NULL,
                            a.view.data,
                            CLSOLVE_ON_HOST,
                            0},
                      bv = av;
        bv.data = b.view.data, bv.cols = TINY_COLS, bv.stride = 3 * TINY_COLS;
        assert_int_equal(clsolve_gauss_jordan_batch_solve(gj, CLSOLVE_NO_TRANS, &av, &bv, info), CLSOLVE_OK);
        test_matrix_get(&b, B);
        check_tiny_solutions((clsolve_type)type, B, info);
        /* The inverse of [2s 1; s 1] is [1/s -1/s; -1 2]. */
        const double s = type == CLSOLVE_F32 ? 0x1p-124 : 0x1p-1020;
        set_tiny_members(s, A);
        test_matrix_set(&a, A);
        assert_int_equal(clsolve_gauss_jordan_batch_invert(gj, &av, &av, info), CLSOLVE_OK);
        test_matrix_get(&a, X);
        for (int m = 0; m < TINY_MEMBERS; ++m) assert_int_equal(info[m], m == 4 ? 2 : 0);
        for (int k = 0; k < 9; ++k) assert_true(fabs(X[k] * s - X[9 + k]) <= 1e-6);
        assert_true(X[18] == 1 / s && X[19] == -1 && X[21] == -1 / s && X[22] == 2 && X[26] == 1);
    }
}

/* 1 / pivot is beyond the range, the solution is not. */
TEST(test_subnormal) {
    for (int type = CLSOLVE_F32; type <= CLSOLVE_F64; ++type)
        for (int variant = 0; variant <= LAST && has_type((clsolve_type)type); ++variant)
            for (int plain = 0; plain <= 1; ++plain) {
                double unit = type == CLSOLVE_F32 ? 0x1p-140 : 0x1p-1060;
                double A[4] = {unit, 0, 0, unit}, b[2] = {unit, 2 * unit}, X[4] = {0};
                clsolve_report report;
                system_ s = {(clsolve_type)type, 2, A, b, variant, plain, 0};
                clsolve_status status = apply(&s, b, NULL, &report);
                if (status != CLSOLVE_OK || b[0] != 1 || b[1] != 2)
                    fail_msg("%s, type %d, pivoting %d: %s, (%g, %g)", gj_variant_names[variant], type, !plain,
                             clsolve_status_name(status), b[0], b[1]);
                assert_int_equal(apply(&s, NULL, X, &report), CLSOLVE_OVERFLOW); /* for its inverse is */
                /* Tiny, with an inverse: 1/x of the smallest normal number is in the range. */
                unit = type == CLSOLVE_F32 ? (double)FLT_MIN : DBL_MIN;
                A[0] = A[3] = unit;
                A[2] = unit / 2;
                assert_int_equal(apply(&s, NULL, X, &report), CLSOLVE_OK);
                assert_true(X[0] == 1 / unit && X[1] == 0 && X[2] == -0.5 / unit && X[3] == 1 / unit);
                assert_true(fabs(report.direct.rcond - 1 / 2.25) < 1e-6);
            }
}

/* A pivot below the normal numbers among larger ones. Blocked, whose triangular solves are BLAS's, may refuse. */
TEST(test_subnormal_pivot) {
    for (int type = CLSOLVE_F32; type <= CLSOLVE_F64; ++type)
        for (int variant = FIRST; variant < LAST && has_type((clsolve_type)type); ++variant) {
            double unit = type == CLSOLVE_F32 ? 0x1p-140 : 0x1p-1060;
            double A[4] = {1, 0, 0, unit}, b[2] = {1, 2 * unit};
            clsolve_report report;
            system_ s = {(clsolve_type)type, 2, A, b, variant, 0, 0};
            assert_int_equal(apply(&s, b, NULL, &report), CLSOLVE_OK);
            assert_true(b[0] == 1 && b[1] == 2);
        }
}

TEST(test_rcond) {
    for (int type = CLSOLVE_F32; type <= CLSOLVE_F64; ++type)
        for (int variant = 0; variant <= LAST && has_type((clsolve_type)type); ++variant) {
            /* ||A||_1 is 2.2 / 1.8 of the largest number; the inverse of [15 7; 7 15] is [15 -7; -7 15] / 176. */
            double unit = largest((clsolve_type)type) / 18, A[4] = {15 * unit, 7 * unit, 7 * unit, 15 * unit};
            double X[4] = {0};
            clsolve_report report;
            system_ s = {(clsolve_type)type, 2, A, NULL, variant, 0, 0};
            assert_int_equal(apply(&s, NULL, X, &report), CLSOLVE_OK);
            if (!(fabs(report.direct.rcond - 176.0 / 22 / 22) < 1e-5))
                fail_msg("%s, type %d: rcond %g", gj_variant_names[variant], type, report.direct.rcond);
        }
}

TEST_PROGRAM(open_context, close_context)
