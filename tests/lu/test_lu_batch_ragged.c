/*
 * LU of many matrices whose orders differ, empty ones among them, tight or padded, in both layouts: residuals of solves by all
 * operations and of inverses, determinants, LAPACK's pivots, members that are singular or hold NaN; memory.
 */
#include <clsolve/clsolve.h>

#include <complex.h>

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
TEST(test_orders) {
    const char *host = getenv("CLSOLVE_HOST");
    check(CLSOLVE_C32, 2);
    check(CLSOLVE_C32, 5);
    for (int t = 0; host && strcmp(host, "always") == 0 && t < CLS_TYPES; ++t)
        for (int how = 0; how < 7; ++how)
            if (how != 3) check((clsolve_type)(CLSOLVE_F32 + t), how);
}

/* Many small members next to a large one: memory is for the elements that they have, and the host, which has room for them, takes
 * them. */
TEST(test_memory) {
    enum { MANY = 2001, SMALL_ONE = 2, LARGE_ONE = 150, LARGEST = 4000, HOST_MANY = 30000 };
    static int64_t of[HOST_MANY], info[MANY];
    int64_t elements = 0;
    (void)state;
    for (int64_t m = 0; m < MANY; ++m) of[m] = m == 1000 ? LARGE_ONE : SMALL_ONE;
    for (int64_t m = 0; m < MANY; ++m) elements += of[m] * of[m];
    SCRATCH double *a = test_room(elements, sizeof *a);
    SCRATCH int64_t *offsets = test_room(MANY, sizeof *offsets);
    for (int64_t m = 0, at = 0; m < MANY; at += of[m] * of[m], ++m) {
        offsets[m] = at;
        for (int64_t i = 0; i < of[m]; ++i) a[at + i * (of[m] + 1)] = (double)(i + 2);
    }
    clsolve_batch view = clsolve_batch_f64(MANY, LARGE_ONE, LARGE_ONE, a);
    view.ld = 0;
    view.offsets = offsets;
    clsolve_lu_batch *batch = NULL;
    clsolve_report report;
    test_works(context, clsolve_lu_batch_create_ragged(context, of, MANY, CLSOLVE_F64, NULL, &batch));
    test_works(context, clsolve_lu_batch_factor(batch, &view, info));
    test_works(context, clsolve_lu_batch_inverse(batch, &view, info));
    test_works(context, clsolve_lu_batch_report(batch, &report));
    assert_true(report.device_bytes + report.host_bytes < 4 * elements * 8 + MANY * 200);
    for (int64_t m = 0; m < MANY; ++m)
        for (int64_t k = 0; k < of[m] * of[m]; ++k) {
            const int64_t i = k % (of[m] + 1) == 0 ? k / (of[m] + 1) : -1;
            assert_true(fabs(a[offsets[m] + k] - (i < 0 ? 0 : 1 / (double)(i + 2))) < 1e-15);
        }
    clsolve_lu_batch_destroy(batch);
    for (int64_t m = 0; m < HOST_MANY; ++m) of[m] = m == 0 ? LARGEST : 1;
    const clsolve_lu_batch_options options = {.where = CLSOLVE_WHERE_HOST};
    test_works(context, clsolve_lu_batch_create_ragged(context, of, HOST_MANY, CLSOLVE_F64, &options, &batch));
    clsolve_lu_batch_destroy(batch);
}

TEST_PROGRAM(open_context, close_context)
