/*
 * test_band_few.c: LU of few diagonals without BLAS: scaled residuals of A x = b and of A^T x = b for awkward orders and
 * shapes in both types, zero pivots, pivots that have no reciprocal, and that nothing outside the band's storage is touched.
 */
#include "support/test_support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "method/band/few.h"

enum { MOST = 97, ROWS = 3 * MOST };

static const double guard = -777.25;

typedef struct shape {
    int64_t n, kl, ku, ld;
} shape;

static double A[MOST][MOST]; /* rows, columns */
static double ab[ROWS * (MOST + 2)], x[MOST];
static float ab32[ROWS * (MOST + 2)], x32[MOST];
static int32_t pivots[MOST];

static void fill(const shape *s, uint64_t seed, double diagonal) {
    test_random random = test_random_start(seed);
    memset(A, 0, sizeof A);
    for (int64_t j = 0; j < s->n; ++j)
        for (int64_t i = j > s->ku ? j - s->ku : 0; i < s->n && i <= j + s->kl; ++i)
            A[i][j] = (double)(float)test_random_signed(&random) + (i == j ? diagonal : 0);
}

/* In gbtrf's storage, with a column before and behind, and a row below, that are not its own. */
static double *store(const shape *s) {
    double *first = ab + s->ld;
    for (int64_t k = 0; k < ROWS * (MOST + 2); ++k) ab[k] = guard;
    for (int64_t j = 0; j < s->n; ++j) {
        for (int64_t r = 0; r <= 2 * s->kl + s->ku; ++r) first[r + j * s->ld] = 0;
        for (int64_t i = j > s->ku ? j - s->ku : 0; i < s->n && i <= j + s->kl; ++i)
            first[s->kl + s->ku + i - j + j * s->ld] = A[i][j];
    }
    for (int64_t k = 0; k < ROWS * (MOST + 2); ++k) ab32[k] = (float)ab[k];
    return first;
}

static void check_guards(const shape *s) {
    const int64_t rows = 2 * s->kl + s->ku + 1;
    for (int64_t k = 0; k < ROWS * (MOST + 2); ++k) {
        int64_t j = k / s->ld - 1, r = k % s->ld;
        if (j >= 0 && j < s->n && r < rows) continue;
        assert_true(ab[k] == guard && ab32[k] == (float)guard);
    }
}

static int64_t factor(const shape *s, clsolve_type type) {
    const int64_t kv = s->kl + s->ku;
    return type == CLSOLVE_F64 ? cls_few_factor_f64(ab + s->ld, s->ld, s->n, s->kl, kv, pivots)
                               : cls_few_factor_f32(ab32 + s->ld, s->ld, s->n, s->kl, kv, pivots);
}

static void solve(const shape *s, clsolve_type type, int transposed) {
    const int64_t kv = s->kl + s->ku;
    for (int64_t i = 0; i < s->n; ++i) x32[i] = (float)x[i];
    if (type == CLSOLVE_F64)
        (transposed ? cls_few_solve_transposed_f64 : cls_few_solve_f64)(ab + s->ld, s->ld, s->n, s->kl, kv, pivots, x);
    else
        (transposed ? cls_few_solve_transposed_f32 : cls_few_solve_f32)(ab32 + s->ld, s->ld, s->n, s->kl, kv, pivots,
                                                                        x32);
    for (int64_t i = 0; type == CLSOLVE_F32 && i < s->n; ++i) x[i] = (double)x32[i];
}

static double right_side(int64_t i) {
    return 1 + (double)(i % 5) / 4;
}

/* ||b - op(A) x|| / (n eps (||A|| ||x|| + ||b||)), by largest elements and row sums. */
static double ratio(const shape *s, clsolve_type type, int transposed) {
    double residual = 0, norm = 0, size = 0;
    for (int64_t i = 0; i < s->n; ++i) {
        double r = right_side(i), sum = 0;
        for (int64_t j = 0; j < s->n; ++j) {
            double a = transposed ? A[j][i] : A[i][j];
            r -= a * x[j];
            sum += fabs(a);
        }
        residual = fmax(residual, fabs(r));
        norm = fmax(norm, sum);
        size = fmax(size, fabs(x[i]));
    }
    return residual /
           ((double)s->n * (type == CLSOLVE_F64 ? DBL_EPSILON : (double)FLT_EPSILON) / 2 * (norm * size + 2));
}

static void check_shape(int64_t n, int64_t kl, int64_t ku) {
    const shape s = {n, kl, ku, 2 * kl + ku + 2};
    for (int both = 0; both < 2; ++both) {
        const clsolve_type type = both ? CLSOLVE_F64 : CLSOLVE_F32;
        fill(&s, (uint64_t)(n * 10000 + kl * 100 + ku), 0.25);
        (void)store(&s);
        assert_int_equal(factor(&s, type), 0);
        for (int64_t j = 0; j < n; ++j) assert_in_range(pivots[j], j + 1, j + kl + 1 < n ? j + kl + 1 : n);
        for (int transposed = 0; transposed < 2; ++transposed) {
            for (int64_t i = 0; i < n; ++i) x[i] = right_side(i);
            solve(&s, type, transposed);
            double got = ratio(&s, type, transposed);
            if (!(got < 30)) fail_msg("n %d kl %d ku %d: ratio %g", (int)n, (int)kl, (int)ku, got);
        }
        check_guards(&s);
    }
}

static void test_shapes(void **state) {
    static const int64_t orders[] = {1, 2, 3, 5, 8, 9, 31, 64, 65, 97};
    (void)state;
    for (size_t o = 0; o < sizeof orders / sizeof *orders; ++o)
        for (int64_t kl = 0; kl < orders[o]; kl += kl < 6 ? 1 : 13)
            for (int64_t ku = 0; ku < orders[o]; ku += ku < 6 ? 1 : 11)
                /* A triangular band of random numbers is as good as singular when it is long. */
                if (orders[o] < 10 || (kl > 0 && ku > 0)) check_shape(orders[o], kl, ku);
}

/* A column of zeros below and above: LAPACK's info, and the columns behind are eliminated all the same. */
static void test_zero_pivot(void **state) {
    const shape s = {31, 2, 3, 8};
    (void)state;
    fill(&s, 5, 3);
    for (int64_t i = 0; i < s.n; ++i) A[i][11] = A[i][20] = 0;
    (void)store(&s);
    assert_int_equal(factor(&s, CLSOLVE_F64), 12);
    assert_int_equal(factor(&s, CLSOLVE_F32), 12);
    assert_true(ab[s.ld + s.kl + s.ku + 30 * s.ld] != 0);
}

/* 1 / 0x1p-1070 overflows, and 1 / 0x1p-140 in float. */
static void test_no_reciprocal(void **state) {
    const shape s = {9, 1, 1, 5};
    (void)state;
    for (int both = 0; both < 2; ++both) {
        const double tiny = both ? 0x1p-1070 : 0x1p-140;
        memset(A, 0, sizeof A);
        for (int64_t i = 0; i < s.n; ++i) A[i][i] = i == 4 ? tiny : 2;
        (void)store(&s);
        assert_int_equal(factor(&s, both ? CLSOLVE_F64 : CLSOLVE_F32), 0);
        for (int transposed = 0; transposed < 2; ++transposed) {
            for (int64_t i = 0; i < s.n; ++i) x[i] = A[i][i] * 3;
            solve(&s, both ? CLSOLVE_F64 : CLSOLVE_F32, transposed);
            for (int64_t i = 0; i < s.n; ++i) assert_true(x[i] == 3);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes), cmocka_unit_test(test_zero_pivot),
                                       cmocka_unit_test(test_no_reciprocal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
