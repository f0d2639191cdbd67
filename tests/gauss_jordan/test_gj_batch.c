/*
 * Batches of small inverses and systems: orders to 64, counts 1, 2 and 200, by stride and by offsets, both layouts,
 * against LAPACK's ratios; a singular member and one with NaN among sound ones.
 */
#include <clsolve/clsolve.h>

#include <float.h>

#include "gauss_jordan/batch_members.h"
#include "gauss_jordan/fixture.h"

static void check_infos(const clsolve_gauss_jordan_batch *gj, int64_t count, int64_t nrhs, const int64_t *info) {
    clsolve_report report;
    for (int64_t c = 0; c < count; ++c) assert_int_equal(info[c], 0);
    assert_int_equal(clsolve_gauss_jordan_batch_report(gj, &report), CLSOLVE_OK);
    assert_int_equal(report.info, 0);
    assert_int_equal(report.member, 0);
    assert_int_equal(report.nrhs, nrhs);
    assert_int_equal(report.members, count);
    assert_string_equal(report.method, "gauss-jordan");
    assert_true(report.direct.rcond == -1); /* each member has its own, and none is asked for */
}

static void check_inverses(test_random *random, int64_t n, int64_t count, int how) {
    members a = members_make(type, count, n, n, how % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR, how);
    members x =
        members_make(type, count, n, n, (how + n) % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR, (how + 1) % 4);
    clsolve_gauss_jordan_batch *gj = gj_batch_make(context, n, count, type);
    SCRATCH int64_t *info = calloc((size_t)count + 1, sizeof *info);
    SCRATCH double *X = test_doubles(count * n * n);

    members_fill(random, &a);
    members_store(&a), members_store(&x);
    for (int64_t c = 0; c < count; ++c) info[c] = 99;
    clsolve_status status = clsolve_gauss_jordan_batch_invert(gj, &a.view, &x.view, info);
    if (status != CLSOLVE_OK) fail_msg("batch_invert: %s", clsolve_context_message(context));
    check_infos(gj, count, n, info);
    members_load(&x, X);
    for (int64_t c = 0; c < count; ++c) {
        double ratio = ratio_inverse(type, n, a.values + c * n * n, X + c * n * n);
        if (!(ratio < RATIO_BOUND)) fail_msg("n %d, member %d of %d: ratio %g", (int)n, (int)c, (int)count, ratio);
    }
    /* In place gives the same bits. */
    status = clsolve_gauss_jordan_batch_invert(gj, &a.view, &a.view, info);
    assert_int_equal(status, CLSOLVE_OK);
    members_load(&a, a.values);
    for (int64_t k = 0; k < count * n * n; ++k) assert_true(a.values[k] == X[k]);
    clsolve_gauss_jordan_batch_destroy(gj);
    members_discard(&a);
    members_discard(&x);
}

static void check_systems(test_random *random, clsolve_op op, int64_t n, int64_t count, int64_t nrhs, int how) {
    members a = members_make(type, count, n, n, how % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR, how);
    members b =
        members_make(type, count, n, nrhs, (how / 2) % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR, (how + 2) % 4);
    clsolve_gauss_jordan_batch *gj = gj_batch_make(context, n, count, type);
    SCRATCH int64_t *info = calloc((size_t)count + 1, sizeof *info);
    SCRATCH double *X = test_doubles(count * n * nrhs);

    members_fill(random, &a);
    for (int64_t k = 0; k < count * n * nrhs; ++k) b.values[k] = test_rounded(type, test_random_signed(random));
    members_store(&a), members_store(&b);
    clsolve_status status = clsolve_gauss_jordan_batch_solve(gj, op, &a.view, &b.view, info);
    if (status != CLSOLVE_OK) fail_msg("batch_solve: %s", clsolve_context_message(context));
    check_infos(gj, count, nrhs, info);
    members_load(&b, X);
    for (int64_t c = 0; c < count; ++c) {
        double ratio = ratio_solve(type, op, n, nrhs, a.values + c * n * n, X + c * n * nrhs, b.values + c * n * nrhs);
        if (!(ratio < RATIO_BOUND))
            fail_msg("n %d, %d right-hand sides, member %d: ratio %g", (int)n, (int)nrhs, (int)c, ratio);
    }
    clsolve_gauss_jordan_batch_destroy(gj);
    members_discard(&a);
    members_discard(&b);
}

/* Each order and number of right-hand sides, 1, 4 or 16, is a kernel of its own, so the tests of this file share a few.
 * The first ones are in every shape. */
static const struct {
    int64_t n;
    int rhs;
} kernels[] = {{1, 1}, {3, 1 | 4 | 16}, {16, 1}, {33, 4}, {2, 4}, {17, 4}, {64, 16}};
enum { KERNELS = sizeof kernels / sizeof *kernels, KERNELS_REDUCED = 4 };

/* nrhs 0: an inverse. The host, which compiles nothing, takes the smallest orders and those about multiples of 8. */
static int is_wanted(int64_t n, int64_t nrhs) {
    const char *host = getenv("CLSOLVE_HOST");
    const int rhs = nrhs <= 1 ? 1 : nrhs <= 4 ? 4 : 16;
    if (host && strcmp(host, "always") == 0) return n <= 9 || (n + 1) % 8 <= 2;
    for (int k = 0; k < (gj_shaped() || test_reduced() ? KERNELS_REDUCED : KERNELS); ++k)
        if (kernels[k].n == n) return nrhs == 0 || (kernels[k].rhs & rhs) != 0;
    return 0;
}

TEST(test_orders) {
    test_random random = test_random_start(200);
    for (int64_t n = 1; n <= 64; ++n) {
        if (!is_wanted(n, 0)) continue;
        check_inverses(&random, n, 1, (int)n % 4);
        check_inverses(&random, n, 2, (int)(n + 1) % 4);
        if (n % 8 == 1 || n % 16 == 0) check_inverses(&random, n, 200, (int)(n / 8) % 4);
    }
}

TEST(test_systems) {
    static const int64_t orders[] = {3, 1, 2, 7, 16, 17, 32, 33, 64};
    /* 37 right-hand sides are more than a launch takes. */
    static const struct {
        clsolve_op op;
        int64_t count, nrhs;
        int how; /* -1: as the order's place says */
    } trials[] = {{CLSOLVE_NO_TRANS, 1, 1, 0},
                  {CLSOLVE_TRANS, 2, 3, 1},
                  {CLSOLVE_NO_TRANS, 200, 1, -1},
                  {CLSOLVE_TRANS, 5, 37, 3},
                  {CLSOLVE_TRANS, 5, 4, 2}};
    test_random random = test_random_start(201);
    for (size_t o = 0; o < sizeof orders / sizeof *orders; ++o)
        for (size_t t = 0; t < sizeof trials / sizeof *trials; ++t)
            if (is_wanted(orders[o], trials[t].nrhs))
                check_systems(&random, trials[t].op, orders[o], trials[t].count, trials[t].nrhs,
                              trials[t].how < 0 ? (int)o % 4 : trials[t].how);
}

/* A singular member, one with NaN, one with Inf and one whose inverse overflows, between sound ones; every place. */
TEST(test_bad_members) {
    static const int64_t orders[] = {1, 2, 3, 5, 16, 31, 32, 33, 64};
    test_random random = test_random_start(202);
    double tiny = type == CLSOLVE_F64 ? DBL_MIN / 16 : (double)FLT_MIN / 16;
    for (size_t o = 0; o < sizeof orders / sizeof *orders; ++o)
        for (int how = 0; how < 4 && is_wanted(orders[o], 0); ++how) {
            int64_t n = orders[o], size = n * n, count = 11, column = n / 2, info[11], expected[11] = {0};
            members a = members_make(type, count, n, n, CLSOLVE_COLUMN_MAJOR, how),
                    x = members_make(type, count, n, n, CLSOLVE_ROW_MAJOR, how);
            clsolve_gauss_jordan_batch *gj = gj_batch_make(context, n, count, type);
            SCRATCH double *X = test_doubles(count * size);
            clsolve_report report;
            members_fill(&random, &a);
            for (int64_t i = 0; i < n; ++i) a.values[3 * size + i + column * n] = 0;
            a.values[0] = NAN;
            a.values[7 * size + size - 1] = -INFINITY;
            for (int64_t k = 0; k < size; ++k) a.values[10 * size + k] = k % (n + 1) == 0 ? tiny : 0;
            expected[3] = column + 1;
            expected[0] = expected[7] = expected[10] = -1;
            members_store(&a), members_store(&x);
            assert_int_equal(clsolve_gauss_jordan_batch_invert(gj, &a.view, &x.view, info), CLSOLVE_OK);
            for (int64_t c = 0; c < count; ++c) assert_int_equal(info[c], expected[c]);
            assert_int_equal(clsolve_gauss_jordan_batch_report(gj, &report), CLSOLVE_OK);
            assert_int_equal(report.info, -1);
            assert_int_equal(report.member, 1);
            assert_true(report.direct.rcond == -1);
            members_load(&x, X);
            for (int64_t c = 0; c < count; ++c) {
                if (info[c] == 0) assert_true(ratio_inverse(type, n, a.values + c * size, X + c * size) < RATIO_BOUND);
                for (int64_t k = 0; info[c] != 0 && k < size; ++k) assert_true(X[c * size + k] == 0); /* as it was */
            }
            clsolve_gauss_jordan_batch_destroy(gj);
            members_discard(&a);
            members_discard(&x);
        }
}

/* The same for systems; a right-hand side with NaN in one launch and none in the next must not be forgotten. */
TEST(test_bad_systems) {
    test_random random = test_random_start(203);
    int64_t n = 3, nrhs = 20, count = 4, info[4];
    members a = members_make(type, count, n, n, CLSOLVE_ROW_MAJOR, 0),
            b = members_make(type, count, n, nrhs, CLSOLVE_COLUMN_MAJOR, 2);
    clsolve_gauss_jordan_batch *gj = gj_batch_make(context, n, count, type);
    SCRATCH double *X = test_doubles(count * n * nrhs);
    members_fill(&random, &a);
    for (int64_t k = 0; k < count * n * nrhs; ++k) b.values[k] = 1;
    b.values[1 * n * nrhs + 3] = NAN;
    for (int64_t j = 0; j < n; ++j) a.values[2 * n * n + 1 + j * n] = 0; /* a zero row: no pivot for the last column */
    members_store(&a), members_store(&b);
    assert_int_equal(clsolve_gauss_jordan_batch_solve(gj, CLSOLVE_NO_TRANS, &a.view, &b.view, info), CLSOLVE_OK);
    assert_int_equal(info[0], 0);
    assert_int_equal(info[1], -1);
    assert_int_equal(info[2], n);
    assert_int_equal(info[3], 0);
    members_load(&b, X);
    for (int64_t k = 0; k < n * nrhs; ++k) assert_true(X[2 * n * nrhs + k] == 1);
    for (int64_t k = 0; k < n * nrhs; ++k) assert_true(k == 3 ? isnan(X[n * nrhs + k]) : X[n * nrhs + k] == 1);
    clsolve_gauss_jordan_batch_destroy(gj);
    members_discard(&a);
    members_discard(&b);
}

/* Of equals the first row is the pivot, in every shape: else other bits, where the division shows which it was. */
TEST(test_ties) {
    enum { ORDER = 16 };
    double third = test_rounded(type, 1.0 / 3), A[ORDER * ORDER];
    int64_t info;
    /* Column 0 has equals from row `first` on; the rows' second elements are so that the choice decides the last bits. */
    for (int first = 0; first < 3; ++first) {
        members a = members_make(type, 1, ORDER, ORDER, CLSOLVE_COLUMN_MAJOR, 0),
                b = members_make(type, 1, ORDER, 1, CLSOLVE_COLUMN_MAJOR, 0);
        clsolve_gauss_jordan_batch *gj = gj_batch_make(context, ORDER, 1, type);
        double x[ORDER];
        memset(A, 0, sizeof A);
        for (int i = 0; i < ORDER; ++i) A[i] = i < first ? 1 : i % 2 ? -3 : 3;
        for (int i = 0; i < ORDER; ++i) A[i + (i == first ? 0 : i > first ? i : i + 1) * ORDER] += i == first ? 0 : 1;
        /* Row `first` says x_0 = 0: exactly, if it is the pivot; the others' right-hand sides are rounded. */
        memcpy(a.values, A, sizeof A);
        for (int i = 0; i < ORDER; ++i) b.values[i] = i == first ? 0 : third * (i + 1);
        members_store(&a), members_store(&b);
        assert_int_equal(clsolve_gauss_jordan_batch_solve(gj, CLSOLVE_NO_TRANS, &a.view, &b.view, &info), CLSOLVE_OK);
        assert_int_equal(info, 0);
        members_load(&b, x);
        assert_true(x[0] == 0);
        for (int i = 0; i < ORDER; ++i) /* untouched by the pivot's row, for it holds x_0 alone */
            if (i != first) assert_true(x[i > first ? i : i + 1] == test_rounded(type, third * (i + 1)));
        clsolve_gauss_jordan_batch_destroy(gj);
        members_discard(&a);
        members_discard(&b);
    }
}

/* Members that Gauss-Jordan elimination answers with wrong digits, and LU with right ones: the unit upper triangle with -1
 * above the diagonal, whose solution is exact; and a Gaussian kernel, whose columns are nearly dependent. */
TEST(test_stable) {
    static const int64_t orders[] = {16, 33, 64};
    for (size_t o = 0; o < sizeof orders / sizeof *orders; ++o) {
        const int64_t n = orders[o], nrhs = n == 33 ? 3 : n == 64 ? 9 : 1, count = 2;
        if (!is_wanted(n, nrhs)) continue;
        members a = members_make(type, count, n, n, CLSOLVE_COLUMN_MAJOR, 0);
        members b = members_make(type, count, n, nrhs, CLSOLVE_COLUMN_MAJOR, 0);
        clsolve_gauss_jordan_batch *gj = gj_batch_make(context, n, count, type);
        int64_t info[2] = {99, 99};
        double *X = test_doubles(count * n * nrhs), *kernel = a.values + n * n;
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = 0; i < n; ++i) {
                const double apart = (double)(i - j) / (double)n;
                a.values[i + j * n] = i == j ? 1 : i < j ? -1 : 0;
                kernel[i + j * n] = test_rounded(type, exp(-8 * apart * apart) + (i == j ? 1e-6 : 0));
            }
        for (int64_t k = 0; k < count * n * nrhs; ++k) b.values[k] = (double)(2 - n + k % n);
        members_store(&a), members_store(&b);
        assert_int_equal(clsolve_gauss_jordan_batch_solve(gj, CLSOLVE_NO_TRANS, &a.view, &b.view, info), CLSOLVE_OK);
        check_infos(gj, count, nrhs, info);
        members_load(&b, X);
        for (int64_t k = 0; k < n * nrhs; ++k) assert_true(X[k] == 1);
        const double ratio = ratio_solve(type, CLSOLVE_NO_TRANS, n, nrhs, kernel, X + n * nrhs, b.values + n * nrhs);
        if (!(ratio < RATIO_BOUND)) fail_msg("n %d: ratio %g", (int)n, ratio);
        clsolve_gauss_jordan_batch_destroy(gj);
        members_discard(&a);
        members_discard(&b);
        free(X);
    }
}

TEST_PROGRAM(open_context, close_context)
