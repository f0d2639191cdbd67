/*
 * Cholesky of many matrices whose orders differ, empty ones among them, tight or padded, in both layouts and triangles: LAPACK's ratios
 * of factors, solves and inverses; members that are not positive definite, hold NaN, or are tiny; arguments.
 */
#include <clsolve/clsolve.h>

#include <complex.h>

#include "base/type.h"
#include "cholesky/hermitian_support.h"
#include "cholesky/ragged.h"
#include "support/fixture.h"

enum { COUNT = RAGGED_COUNT, MOST = RAGGED_MOST, SIDES = RAGGED_SIDES, INDEFINITE = 3, NUMBERLESS = 4, TINY = 5 };
static const int64_t orders[COUNT] = {40, 0, 3, 66, 33, 64, 1, 70, 65, 0, 69};

static ragged_values A, B, X;

#define RATIO(what, value)                                                                                             \
    do {                                                                                                               \
        const double ratio_ = (value);                                                                                 \
        if (!(ratio_ < RATIO_BOUND))                                                                                   \
            fail_msg("%s, %s, how %d, member %d: ratio %g", what, cls_type_name(type), how, (int)m, ratio_);           \
    } while (0)

static int64_t expected_of(int64_t m) {
    return m == INDEFINITE ? 50 : m == NUMBERLESS ? -1 : 0;
}

/* Hermitian, with a diagonal that is larger than the rest of its row; of few digits, which a tiny member has too. */
static void fill(test_random *random, clsolve_type type) {
    for (int64_t m = 0; m < COUNT; ++m) {
        const int64_t n = orders[m];
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = j; i < n; ++i) {
                const double complex drawn = hermitian_drawn(random, type);
                A[m][i + j * n] =
                    i == j ? 2 * (double)n : round(creal(drawn) * 8) / 8 + round(cimag(drawn) * 8) / 8 * I;
                A[m][j + i * n] = conj(A[m][i + j * n]);
            }
        for (int64_t k = 0; k < n * SIDES; ++k) B[m][k] = 2 + round(creal(hermitian_drawn(random, type)) * 8) / 8;
    }
    A[INDEFINITE][49 * (orders[INDEFINITE] + 1)] = -1;
    A[INDEFINITE][60 * (orders[INDEFINITE] + 1)] = -1; /* the first counts */
    A[NUMBERLESS][5] = A[NUMBERLESS][5 * orders[NUMBERLESS]] = NAN;
}

/* The tiny member is multiplied by a power of two; `parts` halves of its exponent. */
static void scale(ragged_values values, clsolve_type type, int64_t each, int parts) {
    const int half = cls_is_double(type) ? -526 : -68;
    for (int64_t k = 0; k < orders[TINY] * each; ++k) {
        const double complex v = values[TINY][k];
        values[TINY][k] = ldexp(creal(v), parts * half) + ldexp(cimag(v), parts * half) * I;
    }
}

static void check_factors(clsolve_cholesky_batch *batch, clsolve_type type, clsolve_uplo uplo, int how) {
    ragged f = ragged_make(type, orders, 1, how);
    int64_t info[COUNT];
    memset(X, 0, sizeof X);
    ragged_move(&f, X, (int)uplo, 0);
    test_works(context, clsolve_cholesky_batch_factors(batch, uplo, &f.view));
    ragged_move(&f, X, (int)uplo, 1);
    scale(X, type, orders[TINY], -1);
    for (int64_t m = 0; m < COUNT; ++m) {
        const int64_t n = orders[m];
        if (expected_of(m) == 0 && n > 0) RATIO("factor", hermitian_factor_ratio(type, n, A[m], X[m], uplo));
        for (int64_t k = 0; expected_of(m) != 0 && k < n * n; ++k) assert_true(X[m][k] == 0);
    }
    ragged_move(&f, X, (int)uplo, 0);
    test_works(context, clsolve_cholesky_batch_inverse(batch, uplo, &f.view, info));
    for (int64_t m = 0; m < COUNT; ++m) /* that of tiny numbers is beyond the range */
        assert_true(info[m] == expected_of(m) || (m == TINY && info[m] == -1));
    ragged_move(&f, X, (int)uplo, 1);
    for (int64_t m = 0; m < COUNT; ++m)
        if (info[m] == 0 && m != TINY && orders[m] > 0)
            RATIO("inverse", hermitian_inverse_ratio(type, orders[m], A[m], X[m], uplo));
    free(f.view.data);
}

static void check(clsolve_type type, clsolve_uplo uplo, int how) {
    test_random random = test_random_start(721);
    ragged a = ragged_make(type, orders, 1, how), b = ragged_make(type, orders, 0, (how + 5) % 7);
    clsolve_cholesky_batch *batch = NULL;
    int64_t info[COUNT];
    fill(&random, type);
    scale(A, type, orders[TINY], 2);
    scale(B, type, SIDES, 2);
    ragged_move(&a, A, (int)uplo, 0);
    test_works(context, clsolve_cholesky_batch_create_ragged(context, orders, COUNT, type, NULL, &batch));
    test_works(context, clsolve_cholesky_batch_factor(batch, uplo, &a.view, info));
    for (int64_t m = 0; m < COUNT; ++m) assert_int_equal(info[m], expected_of(m));
    ragged_move(&b, B, RAGGED_ALL, 0);
    test_works(context, clsolve_cholesky_batch_solve(batch, &b.view, info));
    ragged_move(&b, X, RAGGED_ALL, 1);
    scale(A, type, orders[TINY], -2);
    scale(B, type, SIDES, -2);
    for (int64_t m = 0; m < COUNT; ++m) {
        assert_int_equal(info[m], expected_of(m));
        for (int64_t k = 0; info[m] != 0 && k < orders[m] * SIDES; ++k) assert_true(X[m][k] == B[m][k]);
        if (info[m] == 0 && orders[m] > 0)
            RATIO("solve", hermitian_solve_ratio(type, orders[m], SIDES, A[m], X[m], B[m]));
    }
    check_factors(batch, type, how % 2 ? CLSOLVE_UPPER : CLSOLVE_LOWER, how);
    clsolve_cholesky_batch_destroy(batch);
    free(a.view.data);
    free(b.view.data);
}

/* Each type is programs of its own for each class of orders: all types on the host. */
TEST(test_orders) {
    const char *host = getenv("CLSOLVE_HOST");
    check(CLSOLVE_C32, CLSOLVE_LOWER, 2);
    check(CLSOLVE_C32, CLSOLVE_UPPER, 5);
    for (int t = 0; host && strcmp(host, "always") == 0 && t < CLS_TYPES; ++t)
        for (int how = 0; how < 7; ++how)
            if (how != 3) check((clsolve_type)(CLSOLVE_F32 + t), how % 3 ? CLSOLVE_LOWER : CLSOLVE_UPPER, how);
}

TEST_PROGRAM(open_context, close_context)
