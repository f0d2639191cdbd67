/*
 * test_band_few.c: LU of few diagonals without BLAS: scaled residuals of A x = b and of A^T x = b for awkward orders and
 * shapes in both types, zero pivots, pivots that have no reciprocal, and that nothing outside the band's storage is touched.
 */
#include "support/test_support.h"

#include <float.h>

#include "method/band/few.h"

enum { MOST = 300, ROWS = 3 * MOST };

static const double guard = -777.25;

/* kv: the diagonals stored above the main one, kl + ku, or n - 1 where that is less. */
typedef struct shape {
    int64_t n, kl, ku, ld, kv;
} shape;

static double A[MOST][MOST]; /* rows, columns */
static double ab[ROWS * (MOST + 2)], x[MOST];
static float ab32[ROWS * (MOST + 2)], x32[MOST];
static int32_t pivots[MOST];
static int64_t above;

/* Of ab: a column before the band's own, and one behind. */
static int64_t room(const shape *s) {
    return s->ld * (s->n + 2);
}

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
    for (int64_t k = 0; k < room(s); ++k) ab[k] = guard;
    for (int64_t j = 0; j < s->n; ++j) {
        for (int64_t r = 0; r <= s->kl + s->kv; ++r) first[r + j * s->ld] = 0;
        for (int64_t i = j > s->ku ? j - s->ku : 0; i < s->n && i <= j + s->kl; ++i)
            first[s->kv + i - j + j * s->ld] = A[i][j];
    }
    for (int64_t k = 0; k < room(s); ++k) ab32[k] = (float)ab[k];
    return first;
}

static void check_guards(const shape *s) {
    const int64_t rows = s->kl + s->kv + 1;
    for (int64_t k = 0; k < room(s); ++k) {
        int64_t j = k / s->ld - 1, r = k % s->ld;
        if (j >= 0 && j < s->n && r < rows) continue;
        assert_true(ab[k] == guard && ab32[k] == (float)guard);
    }
}

static int64_t factor(const shape *s, clsolve_type type) {
    void *its = type == CLSOLVE_F64 ? (void *)(ab + s->ld) : (void *)(ab32 + s->ld);
    return cls_few_of(type)->factor(its, s->ld, s->n, s->kl, s->ku, s->kv, pivots, &above);
}

static void solve(const shape *s, clsolve_type type, int transposed) {
    const int64_t kv = s->kv;
    for (int64_t i = 0; i < s->n; ++i) x32[i] = (float)x[i];
    const cls_few *few = cls_few_of(type);
    const void *its = type == CLSOLVE_F64 ? (const void *)(ab + s->ld) : (const void *)(ab32 + s->ld);
    (transposed ? few->solve_transposed : few->solve)(its, s->ld, s->n, s->kl, kv, above, pivots,
                                                      type == CLSOLVE_F64 ? (void *)x : (void *)x32);
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

/* What lies higher in the columns than `above` says is zero. */
static void check_above(const shape *s, clsolve_type type) {
    for (int64_t j = 0; j < s->n; ++j)
        for (int64_t r = 0; r < s->kv - above; ++r) {
            const int64_t at = r + (j + 1) * s->ld;
            assert_true(type == CLSOLVE_F64 ? ab[at] == 0 : ab32[at] == 0);
        }
}

/* `diagonal`: 0.25 makes many exchanges, and one above all sums of a row or a column makes none. */
static void check_stored(int64_t n, int64_t kl, int64_t ku, int64_t kv, double diagonal) {
    const shape s = {n, kl, ku, kl + kv + 2, kv};
    for (int both = 0; both < 2; ++both) {
        const clsolve_type type = both ? CLSOLVE_F64 : CLSOLVE_F32;
        fill(&s, (uint64_t)(n * 10000 + kl * 100 + ku), diagonal);
        (void)store(&s);
        const int64_t info = factor(&s, type);
        /* A long band of random numbers with more diagonals on one side is as good as singular: rounding decides. */
        if (kl == ku || n < 10 || diagonal > (double)(kl + ku)) assert_int_equal(info, 0);
        const int64_t reach = diagonal > (double)(kl + ku) ? 0 : kl;
        for (int64_t j = 0; j < n; ++j) assert_in_range(pivots[j], j + 1, j + reach + 1 < n ? j + reach + 1 : n);
        assert_in_range(above, 0, ku + reach < n - 1 ? ku + reach : n - 1);
        check_above(&s, type);
        for (int transposed = 0; info == 0 && transposed < 2; ++transposed) {
            for (int64_t i = 0; i < n; ++i) x[i] = right_side(i);
            solve(&s, type, transposed);
            double got = ratio(&s, type, transposed);
            if (!(got < 30)) fail_msg("n %d kl %d ku %d: ratio %g", (int)n, (int)kl, (int)ku, got);
        }
        check_guards(&s);
    }
}

static void check_shape(int64_t n, int64_t kl, int64_t ku, double diagonal) {
    check_stored(n, kl, ku, kl + ku, diagonal);
    if (kl + ku > n - 1) check_stored(n, kl, ku, n - 1, diagonal);
}

TEST(test_shapes) {
    static const int64_t orders[] = {1, 2, 3, 5, 8, 9, 31, 64, 65, 97};
    for (size_t o = 0; o < sizeof orders / sizeof *orders; ++o)
        for (int64_t kl = 0; kl < orders[o]; kl += kl < 6 ? 1 : 13)
            for (int64_t ku = 0; ku < orders[o]; ku += ku < 6 ? 1 : 11)
                /* A triangular band of random numbers is as good as singular when it is long. */
                for (int dominant = 0; dominant < 2; ++dominant)
                    if (dominant || orders[o] < 10 || (kl > 0 && ku > 0))
                        check_shape(orders[o], kl, ku, dominant ? 1 + (double)(kl + ku) : 0.25);
}

/* Around the numbers of diagonals where columns come one at a time, four at a time, and one at a time again; orders
 * around the ends of panels. */
TEST(test_panels) {
    static const int64_t below[] = {CLS_FEW_PANELS_FROM - 1, CLS_FEW_PANELS_FROM, CLS_FEW_PANELS_FROM + 1, 37};
    static const int64_t most[] = {CLS_FEW_PANELS_TO - 1, CLS_FEW_PANELS_TO, CLS_FEW_PANELS_TO + 1};
    for (size_t b = 0; b < 4; ++b)
        for (int64_t n = below[b] + 1; n < below[b] + 24; n += n < below[b] + 14 ? 1 : 3)
            for (int64_t ku = 0; ku < n; ku += ku < 6 ? 1 : 7)
                for (int dominant = ku == 0; dominant < 2; ++dominant)
                    check_shape(n, below[b], ku, dominant ? 1 + (double)(below[b] + ku) : 0.25);
    for (size_t b = 0; b < 3; ++b) {
        check_shape(283, most[b], 11, 0.25);
        check_shape(283, most[b], 11, 300);
    }
}

/* A column of zeros in each place of a panel, and two in one. */
TEST(test_zero_pivot_in_panel) {
    const shape s = {61, CLS_FEW_PANELS_FROM, 3, 3 * CLS_FEW_PANELS_FROM, CLS_FEW_PANELS_FROM + 3};
    for (int64_t at = 4; at < 9; ++at) {
        fill(&s, (uint64_t)at, 50);
        for (int64_t i = 0; i < s.n; ++i) A[i][at] = A[i][at + 2] = 0;
        (void)store(&s);
        assert_int_equal(factor(&s, CLSOLVE_F64), at + 1);
        assert_int_equal(factor(&s, CLSOLVE_F32), at + 1);
        assert_true(ab[s.ld + s.kl + s.ku + 60 * s.ld] != 0);
    }
}

/* A column of zeros below and above: LAPACK's info, and the columns behind are eliminated all the same. */
TEST(test_zero_pivot) {
    const shape s = {31, 2, 3, 8, 5};
    fill(&s, 5, 3);
    for (int64_t i = 0; i < s.n; ++i) A[i][11] = A[i][20] = 0;
    (void)store(&s);
    assert_int_equal(factor(&s, CLSOLVE_F64), 12);
    assert_int_equal(factor(&s, CLSOLVE_F32), 12);
    assert_true(ab[s.ld + s.kl + s.ku + 30 * s.ld] != 0);
}

/* 1 / 0x1p-1070 overflows, and 1 / 0x1p-140 in float. */
TEST(test_no_reciprocal) {
    const shape s = {9, 1, 1, 5, 2};
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

TEST_PROGRAM_ALONE(NULL, NULL)
