/*
 * LU of many matrices whose orders differ, empty ones among them, tight or padded, in both layouts: residuals of solves by all
 * operations and of inverses, determinants, LAPACK's pivots, members that are singular or hold NaN; arguments.
 */
#include <clsolve/clsolve.h>

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/type.h"
#include "cholesky/hermitian_support.h"
#include "cholesky/ragged.h"
#include "support/fixture.h"

enum { COUNT = RAGGED_COUNT, MOST = RAGGED_MOST, SIDES = RAGGED_SIDES, SINGULAR = 4, NUMBERLESS = 7 };
static const int64_t orders[COUNT] = {5, 0, 9, 33, 17, 1, 64, 2, 70, 31, 0};

static ragged_values A, B, X;
static double complex T[MOST * MOST];

#define RATIO(what, value)                                                                                             \
    do {                                                                                                               \
        const double ratio_ = (value);                                                                                 \
        if (!(ratio_ < RATIO_BOUND))                                                                                   \
            fail_msg("%s, %s, how %d, member %d: ratio %g", what, cls_type_name(type), how, (int)m, ratio_);           \
    } while (0)

static void check_solve(clsolve_lu_batch *batch, clsolve_type type, clsolve_op op, int how) {
    ragged b = ragged_make(type, orders, 0, how);
    int64_t info[COUNT];
    ragged_move(&b, B, RAGGED_ALL, 0);
    test_works(context, clsolve_lu_batch_solve(batch, op, &b.view, info));
    ragged_move(&b, X, RAGGED_ALL, 1);
    for (int64_t m = 0; m < COUNT; ++m) {
        const int64_t n = orders[m];
        assert_int_equal(info[m], m == SINGULAR ? 3 : m == NUMBERLESS ? -1 : 0);
        for (int64_t k = 0; info[m] != 0 && k < n * SIDES; ++k) assert_true(X[m][k] == B[m][k]);
        if (info[m] != 0 || n == 0) continue;
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = 0; i < n; ++i) {
                const double complex a = op == CLSOLVE_NO_TRANS ? A[m][i + j * n] : A[m][j + i * n];
                T[i + j * n] = op == CLSOLVE_CONJ_TRANS ? conj(a) : a;
            }
        RATIO("solve", hermitian_solve_ratio(type, n, SIDES, T, X[m], B[m]));
    }
    free(b.view.data);
}

static void check_factors(clsolve_lu_batch *batch, clsolve_type type, int how) {
    ragged f = ragged_make(type, orders, 1, how);
    int64_t ipiv[COUNT * MOST], info[COUNT], first = 0;
    const int64_t parts = cls_type_parts(type);
    double det[2 * COUNT], rcond[COUNT];
    memset(X, 0, sizeof X);
    ragged_move(&f, X, RAGGED_ALL, 0);
    test_works(context, clsolve_lu_batch_factors(batch, &f.view, ipiv));
    test_works(context, clsolve_lu_batch_determinant(batch, det, NULL, NULL));
    test_works(context, clsolve_lu_batch_condition(batch, rcond));
    ragged_move(&f, X, RAGGED_ALL, 1);
    for (int64_t m = 0; m < COUNT; first += orders[m++]) {
        const int64_t n = orders[m];
        double complex product = 1;
        for (int64_t k = 0; k < n; ++k) product *= ipiv[first + k] == k + 1 ? X[m][k + k * n] : -X[m][k + k * n];
        const double complex got = det[m * parts] + (parts == 2 ? det[m * parts + 1] * I : 0);
        if (m != NUMBERLESS) assert_true(cabs(got - product) <= 1000 * cls_type_epsilon(type) * cabs(product));
        assert_true(m == NUMBERLESS ? isnan(rcond[m]) : (rcond[m] > 0) == (m != SINGULAR));
        if (n == 0) assert_true(rcond[m] == 1);
    }
    memset(X, 0, sizeof X);
    ragged_move(&f, X, RAGGED_ALL, 0);
    test_works(context, clsolve_lu_batch_inverse(batch, &f.view, info));
    ragged_move(&f, X, RAGGED_ALL, 1);
    for (int64_t m = 0; m < COUNT; ++m) {
        const int64_t n = orders[m];
        if (info[m] != 0 || n == 0) continue;
        memset(T, 0, sizeof T);
        for (int64_t k = 0; k < n; ++k) T[k + k * n] = 1;
        RATIO("inverse", hermitian_rest(n, n, n, A[m], X[m], 0, T) / hermitian_norm(n, n, A[m]) /
                             hermitian_norm(n, n, X[m]) / (double)n / cls_type_epsilon(type));
    }
    free(f.view.data);
}

static void check(clsolve_type type, int how) {
    const clsolve_lu_batch_options options = {.condition = 1};
    test_random random = test_random_start(720);
    ragged a = ragged_make(type, orders, 1, how);
    clsolve_lu_batch *batch = NULL;
    int64_t info[COUNT];
    for (int64_t m = 0; m < COUNT; ++m)
        for (int64_t k = 0; k < MOST * MOST; ++k) {
            A[m][k] = hermitian_drawn(&random, type);
            B[m][k] = hermitian_drawn(&random, type);
            if (m == SINGULAR && k / orders[m] == 2) A[m][k] = 0;
        }
    A[NUMBERLESS][1] = NAN;
    ragged_move(&a, A, RAGGED_ALL, 0);
    test_works(context, clsolve_lu_batch_create_ragged(context, orders, COUNT, type, &options, &batch));
    test_works(context, clsolve_lu_batch_factor(batch, &a.view, info));
    for (int64_t m = 0; m < COUNT; ++m) assert_int_equal(info[m], m == SINGULAR ? 3 : m == NUMBERLESS ? -1 : 0);
    check_solve(batch, type, CLSOLVE_NO_TRANS, how);
    check_solve(batch, type, CLSOLVE_CONJ_TRANS, (how + 5) % 7);
    check_solve(batch, type, CLSOLVE_TRANS, 2);
    check_factors(batch, type, how);
    clsolve_lu_batch_destroy(batch);
    free(a.view.data);
}

/* Each type is programs of its own for each class of orders: all types on the host. */
static void test_orders(void **state) {
    const char *host = getenv("CLSOLVE_HOST");
    check(CLSOLVE_C32, 2);
    check(CLSOLVE_C32, 5);
    for (int t = 0; host && strcmp(host, "always") == 0 && t < CLS_TYPES; ++t)
        for (int how = 0; how < 7; ++how)
            if (how != 3) check((clsolve_type)(CLSOLVE_F32 + t), how);
}

static void test_arguments(void **state) {
    static const int64_t bad[2] = {3, -1};
    clsolve_lu_batch *batch = NULL;
    ragged a = ragged_make(CLSOLVE_C32, orders, 1, 0);
    int64_t info[COUNT];
    clsolve_batch view = a.view;
    assert_int_equal(clsolve_lu_batch_create_ragged(context, bad, 2, CLSOLVE_C32, NULL, &batch),
                     CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(clsolve_context_message(context), "orders"));
    assert_int_equal(clsolve_lu_batch_create_ragged(context, NULL, 2, CLSOLVE_C32, NULL, &batch),
                     CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_null(batch);
    test_works(context, clsolve_lu_batch_create_ragged(context, NULL, 0, CLSOLVE_C32, NULL, &batch));
    clsolve_lu_batch_destroy(batch);
    test_works(context, clsolve_lu_batch_create_ragged(context, orders, COUNT, CLSOLVE_C32, NULL, &batch));
    memset(a.view.data, 0, (size_t)(a.elements * cls_type_size(CLSOLVE_C32)));
    view.offsets = a.offsets;
    view.rows = 64;
    assert_int_equal(clsolve_lu_batch_factor(batch, &view, info), CLSOLVE_ERROR_INVALID_ARGUMENT);
    view.rows = MOST;
    test_works(context, clsolve_lu_batch_factor(batch, &view, info));
    int64_t offsets[COUNT];
    memcpy(offsets, a.offsets, sizeof offsets);
    offsets[3] -= 1; /* into member 2 */
    view.offsets = offsets;
    assert_int_equal(clsolve_lu_batch_inverse(batch, &view, info), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(clsolve_context_message(context), "overlap"));
    clsolve_lu_batch_destroy(batch);
    free(a.view.data);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_orders), cmocka_unit_test(test_arguments)};
    test_require_device();
    return cmocka_run_group_tests(tests, open_context, close_context);
}
