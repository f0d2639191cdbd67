/*
 * test_gj_host_small.c: the inverse of a matrix of few rows on the host: LAPACK's ratio at awkward orders, rcond, zero pivots,
 * NaN and Inf, tiny and huge matrices, and that A and what lies between lines stay as they were.
 */
#include "lu/ratios.h"

#include <clsolve/gauss_jordan.h>

#include "method/gauss_jordan/host_small.h"
#include "support/fixture.h"

enum { LIMIT = CLS_GJ_HOST_SMALL_MOST, MOST = LIMIT + 3 };

static const int64_t orders[] = {1,  2,  3,  4,  5,  7,  8,  13,        16,    17,       27,
                                 28, 29, 31, 33, 34, 35, 36, LIMIT - 1, LIMIT, LIMIT + 1};
enum { ORDERS = sizeof orders / sizeof *orders };

static double A[MOST * MOST], X[MOST * MOST], kept[MOST * MOST];

typedef struct inversion {
    clsolve_gauss_jordan *handle;
    test_matrix a, x;
    clsolve_report report;
} inversion;

static inversion start(clsolve_type type, int form, int64_t n) {
    inversion v = {.handle = NULL};
    v.a = test_matrix_make(type, form % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR, n, n, n % 3);
    v.x = test_matrix_make(type, form / 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR, n, n, n % 2);
    assert_int_equal(clsolve_gauss_jordan_create(context, n, type, NULL, &v.handle), CLSOLVE_OK);
    return v;
}

/* Inverts A, rounded to the type; X is filled with sevens before. */
static void invert(inversion *v, clsolve_status wanted) {
    const int64_t n = v->a.view.rows;
    for (int64_t k = 0; k < n * n; ++k) X[k] = 7;
    test_matrix_set(&v->a, A), test_matrix_get(&v->a, A);
    test_matrix_set(&v->x, X);
    clsolve_status status = clsolve_gauss_jordan_invert(v->handle, &v->a.view, &v->x.view);
    if (status != wanted) fail_msg("n = %d: status %d: %s", (int)n, (int)status, clsolve_context_message(context));
    assert_int_equal(clsolve_gauss_jordan_report(v->handle, &v->report), CLSOLVE_OK);
    test_matrix_get(&v->a, kept);
    for (int64_t k = 0; k < n * n; ++k) assert_true(kept[k] == A[k] || (isnan(kept[k]) && isnan(A[k])));
    test_matrix_get(&v->x, X);
    for (int64_t k = 0; k < n * n && status != CLSOLVE_OK; ++k) assert_true(X[k] == 7);
    test_matrix_spare_intact(&v->a);
    test_matrix_spare_intact(&v->x);
}

static void end(inversion *v) {
    clsolve_gauss_jordan_destroy(v->handle);
    test_matrix_free(&v->a), test_matrix_free(&v->x);
}

TEST(test_accuracy) {
    test_random random = test_random_start(1);
    for (int o = 0; o < ORDERS; ++o)
        for (int form = 0; form < 8; ++form) {
            const int64_t n = orders[o];
            const clsolve_type type = form / 4 ? CLSOLVE_F32 : CLSOLVE_F64;
            inversion v = start(type, form % 4, n);
            /* Rows of a well-conditioned matrix in a cycle, so that pivots lie off the diagonal. */
            test_random_fill(&random, A, n * n);
            for (int64_t j = 0; j < n; ++j) A[(j + 1) % n + j * n] += j % 2 ? -(double)n : (double)n;
            invert(&v, CLSOLVE_OK);
            const double ratio = ratio_inverse(type, n, A, X);
            if (!(ratio < RATIO_BOUND)) fail_msg("n = %d: ratio %g", (int)n, ratio);
            double rcond = 1 / (ratio_norm(CLSOLVE_F64, n, n, A) * ratio_norm(CLSOLVE_F64, n, n, X));
            assert_true(fabs(v.report.direct.rcond / rcond - 1) < 1e-3);
            assert_int_equal(v.report.info, 0);
            assert_int_equal(v.report.nrhs, n);
            assert_string_equal(v.report.where, "host");
            assert_true(v.report.seconds.factor > 0 && v.report.seconds.total >= v.report.seconds.factor);
            end(&v);
        }
}

/* A column of zeros stays one, so its number is info. The handle goes on to another matrix. */
TEST(test_singular) {
    test_random random = test_random_start(2);
    for (int o = 0; o < ORDERS; ++o)
        for (int form = 0; form < 4; ++form) {
            const int64_t n = orders[o], column = test_random_between(&random, 0, n - 1);
            inversion v = start(form % 2 ? CLSOLVE_F32 : CLSOLVE_F64, form, n);
            test_random_fill(&random, A, n * n);
            for (int64_t i = 0; i < n; ++i) A[i + column * n] = 0;
            invert(&v, CLSOLVE_SINGULAR);
            assert_int_equal(v.report.info, column + 1);
            assert_true(v.report.direct.rcond == 0);
            for (int64_t k = 0; k < n * n; ++k) A[k] = k % (n + 1) == 0 ? 2 : 0;
            invert(&v, CLSOLVE_OK);
            for (int64_t k = 0; k < n * n; ++k) assert_true(X[k] == (k % (n + 1) == 0 ? 0.5 : 0));
            assert_int_equal(v.report.info, 0);
            end(&v);
        }
}

TEST(test_nonfinite) {
    static const double values[] = {NAN, INFINITY, -INFINITY};
    test_random random = test_random_start(3);
    for (int o = 0; o < ORDERS; ++o)
        for (int form = 0; form < 6; ++form) {
            const int64_t n = orders[o], i = test_random_between(&random, 0, n - 1);
            const int64_t j = test_random_between(&random, 0, n - 1);
            char place[32];
            inversion v = start(form % 2 ? CLSOLVE_F32 : CLSOLVE_F64, form % 4, n);
            test_random_fill(&random, A, n * n);
            A[i + j * n] = values[form / 2];
            invert(&v, CLSOLVE_ERROR_NONFINITE);
            (void)snprintf(place, sizeof place, "A(%d,%d)", (int)i + 1, (int)j + 1);
            assert_non_null(strstr(clsolve_context_message(context), place));
            assert_true(v.report.direct.rcond == -1);
            end(&v);
        }
}

/* Powers of two on the diagonal, from one end of the type to the other: X is exact, or overflows. */
TEST(test_range) {
    for (int o = 0; o < ORDERS; ++o)
        for (int form = 0; form < 2; ++form)
            for (int exponent = form ? -149 : -1074; exponent <= (form ? 127 : 1023); exponent += form ? 12 : 61) {
                const int64_t n = orders[o];
                const int overflows = exponent <= (form ? -128 : -1024);
                inversion v = start(form ? CLSOLVE_F32 : CLSOLVE_F64, 0, n);
                for (int64_t k = 0; k < n * n; ++k) A[k] = k % (n + 1) == 0 ? ldexp(1, exponent) : 0;
                invert(&v, overflows ? CLSOLVE_OVERFLOW : CLSOLVE_OK);
                for (int64_t k = 0; k < n * n && !overflows; ++k)
                    assert_true(X[k] == (k % (n + 1) == 0 ? ldexp(1, -exponent) : 0));
                assert_true(overflows || fabs(v.report.direct.rcond - 1) < 1e-6);
                end(&v);
            }
}

/* The inverse may take the place of the matrix. */
TEST(test_in_place) {
    for (int o = 0; o < ORDERS; ++o) {
        const int64_t n = orders[o];
        inversion v = start(CLSOLVE_F64, 0, n);
        for (int64_t k = 0; k < n * n; ++k) A[k] = k % (n + 1) == 0 ? 4 : 0;
        test_matrix_set(&v.a, A);
        assert_int_equal(clsolve_gauss_jordan_invert(v.handle, &v.a.view, &v.a.view), CLSOLVE_OK);
        test_matrix_get(&v.a, X);
        for (int64_t k = 0; k < n * n; ++k) assert_true(X[k] == (k % (n + 1) == 0 ? 0.25 : 0));
        end(&v);
    }
}

TEST_PROGRAM_ALONE(open_host, close_context)
