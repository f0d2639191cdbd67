/*
 * Batches of Cholesky factorizations, of all types: LAPACK's ratios at awkward orders, both triangles, layouts, strides and
 * offsets, one right-hand side and many, the inverse; members that are not positive definite, or hold NaN; arguments;
 * faults of the host's memory. With CLSOLVE_TEST_SHAPE=32 work-groups are small.
 */
#include <clsolve/clsolve.h>

#include <complex.h>
#include <float.h>

#include "api/context.h"
#include "base/type.h"
#include "cholesky/hermitian_support.h"
#include "cholesky/members.h"
#include "support/fixture.h"

/* ---- members ---- */

/* Hermitian, with a diagonal that is larger than the rest of its row. */
static void fill(test_random *random, members *m) {
    const int64_t n = m->view.rows;
    for (int64_t c = 0; c < m->view.count; ++c) {
        double complex *A = m->values + c * n * n;
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = j; i < n; ++i) {
                A[i + j * n] = i == j ? test_rounded(m->view.type, 1.5 * (double)n + test_random_unit(random))
                                      : hermitian_drawn(random, m->view.type);
                A[j + i * n] = conj(A[i + j * n]);
            }
    }
}

/* ---- ratios ---- */

#define RATIO(what, value)                                                                                             \
    do {                                                                                                               \
        const double ratio_ = (value);                                                                                 \
        if (!(ratio_ < RATIO_BOUND))                                                                                   \
            fail_msg("%s, %s, n %d, how %d, member %d: ratio %g", what, cls_type_name(type), (int)n, how, (int)c,      \
                     ratio_);                                                                                          \
    } while (0)

/* ---- accuracy ---- */

enum { LONG = 200 }; /* orders from which a work-item may have several rows; their inverses take long here */

static clsolve_cholesky_batch *handle_of(int64_t n, int64_t count, clsolve_type type) {
    clsolve_cholesky_batch *batch = NULL;
    if (clsolve_cholesky_batch_create(context, n, count, type, NULL, &batch) != CLSOLVE_OK)
        fail_msg("%s", clsolve_context_message(context));
    return batch;
}

static void check(test_random *random, clsolve_type type, int64_t n, int64_t count, int64_t nrhs, int how) {
    const clsolve_uplo read = how & 1 ? CLSOLVE_UPPER : CLSOLVE_LOWER;
    const clsolve_uplo written = how & 2 ? CLSOLVE_UPPER : CLSOLVE_LOWER;
    scratch_members a = members_make(type, count, n, n, how), f = members_make(type, count, n, n, (how + 3) % 8);
    scratch_members b = members_make(type, count, n, nrhs, (how + 5) % 8);
    OWNED(cholesky_batch) *batch = handle_of(n, count, type);
    SCRATCH double complex *right = test_room(count * n * nrhs, sizeof *right);
    SCRATCH int64_t *info = test_room(count, sizeof *info);
    clsolve_report report;

    for (int64_t c = 0; c < count; ++c) info[c] = 99;
    fill(random, &a);
    members_store(&a, read);
    test_works(context, clsolve_cholesky_batch_factor(batch, read, &a.view, info));
    for (int64_t c = 0; c < count; ++c) assert_int_equal(info[c], 0);

    members_store(&f, written);
    test_works(context, clsolve_cholesky_batch_factors(batch, written, &f.view));
    members_load(&f, written);
    for (int64_t c = 0; c < count; ++c)
        RATIO("factor", hermitian_factor_ratio(type, n, a.values + c * n * n, f.values + c * n * n, written));

    for (int64_t k = 0; k < count * n * nrhs; ++k) right[k] = b.values[k] = hermitian_drawn(random, type);
    members_store(&b, MEMBERS_ALL);
    test_works(context, clsolve_cholesky_batch_solve(batch, &b.view, info));
    for (int64_t c = 0; c < count; ++c) assert_int_equal(info[c], 0);
    test_works(context, clsolve_cholesky_batch_report(batch, &report));
    assert_string_equal(report.method, "cholesky");
    assert_int_equal(report.nrhs, nrhs);
    assert_int_equal(report.members, count);
    assert_int_equal(report.info, 0);
    members_load(&b, MEMBERS_ALL);
    for (int64_t c = 0; c < count; ++c)
        RATIO("solve", hermitian_solve_ratio(type, n, nrhs, a.values + c * n * n, b.values + c * n * nrhs,
                                             right + c * n * nrhs));

    members_store(&f, written);
    if (n < LONG) test_works(context, clsolve_cholesky_batch_inverse(batch, written, &f.view, info));
    members_load(&f, written);
    for (int64_t c = 0; c < count && n < LONG; ++c)
        RATIO("inverse", hermitian_inverse_ratio(type, n, a.values + c * n * n, f.values + c * n * n, written));
}

/* Each order and type is a program of its own, so kernels are built for few: all of them are for the host. */
static int is_wanted(int64_t n, int t) {
    const char *host = getenv("CLSOLVE_HOST");
    if (host && strcmp(host, "always") == 0) return n < LONG || t == 0;
    const int small = test_env("CLSOLVE_TEST_SHAPE") != NULL;
    return (n == 9 && t == 0) || (n == 17 && t == 3) || (n == (small ? 33 : 64) && t == (small ? 2 : 1)) ||
           (n == 100 && t == 2 && !small) || (n == 530 && t == 0 && !small);
}

TEST(test_orders) {
    static const int64_t orders[] = {1, 2, 3, 5, 8, 9, 16, 17, 31, 32, 33, 63, 64, 65, 100, 129, 530};
    test_random random = test_random_start(700);
    for (size_t o = 0; o < sizeof orders / sizeof *orders; ++o)
        for (int t = 0; t < CLS_TYPES; ++t) {
            const clsolve_type type = (clsolve_type)(CLSOLVE_F32 + t);
            if (!is_wanted(orders[o], t) || !test_has_type(context, type)) continue;
            check(&random, type, orders[o], orders[o] < LONG ? 1 + (int64_t)o % 3 : 1,
                  orders[o] == 17 || orders[o] == 64 || orders[o] >= LONG ? 1 : 19, (int)(o + (size_t)t) % 8);
            if (orders[o] == 9) check(&random, type, 9, 300, 10, (int)(4 + t) % 8);
        }
}

/* Orders of which kernels are built. */
static const int64_t built[] = {1, 9, 17, 100};

/* ---- members without a factor ---- */

static void check_bad(clsolve_type type, int64_t n, clsolve_uplo uplo) {
    enum { COUNT = 9, SIDES = 5, FIRST = 1, MIDDLE = 3, LAST = 4, NUMBERLESS = 6, INFINITE = 7 };
    test_random random = test_random_start(701);
    const int64_t size = n * n, low = uplo == CLSOLVE_LOWER ? n - 1 : (n - 1) * n; /* an element of the triangle */
    scratch_members a = members_make(type, COUNT, n, n, uplo == CLSOLVE_LOWER ? 0 : 2),
                    b = members_make(type, COUNT, n, SIDES, 1), f = members_make(type, COUNT, n, n, 4);
    OWNED(cholesky_batch) *batch = handle_of(n, COUNT, type);
    int64_t info[COUNT], expected[COUNT] = {0};
    clsolve_report report;

    fill(&random, &a);
    a.values[FIRST * size] = -1;
    a.values[MIDDLE * size + n / 2 * (n + 1)] = 0;
    a.values[LAST * size + (n - 1) * (n + 1)] = -2;
    a.values[NUMBERLESS * size] = -1; /* NaN counts more */
    a.values[NUMBERLESS * size + low] = NAN;
    a.values[INFINITE * size + low] = INFINITY;
    expected[FIRST] = 1;
    expected[MIDDLE] = n / 2 + 1;
    expected[LAST] = n;
    expected[NUMBERLESS] = expected[INFINITE] = -1;
    members_store(&a, (int)uplo);
    test_works(context, clsolve_cholesky_batch_factor(batch, uplo, &a.view, info));
    for (int64_t c = 0; c < COUNT; ++c) assert_int_equal(info[c], expected[c]);
    test_works(context, clsolve_cholesky_batch_report(batch, &report));
    assert_int_equal(report.info, 1);
    assert_int_equal(report.member, FIRST + 1);

    for (int64_t k = 0; k < COUNT * n * SIDES; ++k) b.values[k] = 1;
    b.values[8 * n * SIDES + n] = NAN; /* the second column of the last member */
    members_store(&b, MEMBERS_ALL);
    expected[8] = -1;
    test_works(context, clsolve_cholesky_batch_solve(batch, &b.view, info));
    for (int64_t c = 0; c < COUNT; ++c) assert_int_equal(info[c], expected[c]);
    members_load(&b, MEMBERS_ALL);
    for (int64_t c = 0; c < COUNT; ++c)
        for (int64_t k = 0; expected[c] != 0 && k < SIDES * n; ++k) {
            const double complex x = b.values[c * SIDES * n + k];
            assert_true(c == 8 && k == n ? isnan(creal(x)) : creal(x) == 1 && cimag(x) == 0);
        }
    expected[8] = 0;
    members_store(&f, MEMBERS_ALL); /* zeros */
    test_works(context, clsolve_cholesky_batch_factors(batch, CLSOLVE_LOWER, &f.view));
    members_load(&f, MEMBERS_ALL);
    for (int64_t c = 0; c < COUNT; ++c) assert_true((creal(f.values[c * size]) > 0) == (expected[c] == 0));
    members_store(&f, MEMBERS_ALL);
    test_works(context, clsolve_cholesky_batch_inverse(batch, CLSOLVE_UPPER, &f.view, info));
    for (int64_t c = 0; c < COUNT; ++c) assert_int_equal(info[c], expected[c]);
}

TEST(test_bad_members) {
    for (int t = 0; t < CLS_TYPES; ++t) {
        const clsolve_type type = (clsolve_type)(CLSOLVE_F32 + t);
        for (size_t k = 0; k < sizeof built / sizeof *built; ++k)
            if (is_wanted(built[k], t) && test_has_type(context, type))
                check_bad(type, built[k], t % 2 ? CLSOLVE_UPPER : CLSOLVE_LOWER);
    }
}

/* The inverse of a tiny number, and a solution by it, are out of range: the member stays as it was. */
TEST(test_overflow) {
    enum { N = 9, COUNT = 2 };
    const double tiny = (double)FLT_MIN / 4;
    scratch_members a = members_make(CLSOLVE_F32, COUNT, N, N, 0), x = members_make(CLSOLVE_F32, COUNT, N, N, 0);
    OWNED(cholesky_batch) *batch = handle_of(N, COUNT, CLSOLVE_F32);
    int64_t info[COUNT];
    for (int64_t k = 0; k < COUNT * N * N; ++k) {
        a.values[k] = k % (N * N) % (N + 1) == 0 ? 4 : 0;
        x.values[k] = 1e30;
    }
    a.values[COUNT * N * N - 1] = tiny;
    members_store(&a, MEMBERS_ALL);
    test_works(context, clsolve_cholesky_batch_factor(batch, CLSOLVE_LOWER, &a.view, info));
    if (info[1] == 0) { /* else the device has no subnormal numbers */
        members_store(&x, MEMBERS_ALL);
        test_works(context, clsolve_cholesky_batch_inverse(batch, CLSOLVE_LOWER, &x.view, info));
        assert_true(info[0] == 0 && info[1] == -1);
        test_works(context, clsolve_cholesky_batch_solve(batch, &x.view, info));
        assert_true(info[0] == 0 && info[1] == -1);
        members_load(&x, MEMBERS_ALL);
        for (int64_t k = 0; k < N * N; ++k) assert_true(creal(x.values[N * N + k]) == test_rounded(CLSOLVE_F32, 1e30));
        assert_true(fabs(creal(x.values[0]) - 0.0625) < 1e-5);
    }
}

/* Integers in a hermitian matrix that is not far from n times the identity, and s(i) s(j) times that: s(i) is `whole`,
 * and of row 2 `one` as well. */
static void fill_tiny(double complex *A, int64_t n, clsolve_type type, double whole, double one) {
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) {
            const double re = i == j ? 4 * (double)n : (double)((i + j) % 3 - 1);
            const double im = i == j || !cls_is_complex(type) ? 0 : (i > j ? 1 : -1) * (double)((i * j) % 2);
            A[i + j * n] = (re + im * I) * whole * whole * (i == 2 ? one : 1) * (j == 2 ? one : 1);
        }
}

static void check_tiny(clsolve_type type, int64_t n, clsolve_uplo uplo) {
    enum { COUNT = 4 }; /* tiny; ordinary; with a tiny row and column; tiny and not positive definite */
    const double half = cls_is_double(type) ? 0x1p-529 : 0x1p-69, wholes[COUNT] = {half, 1, 1, half};
    scratch_members a = members_make(type, COUNT, n, n, 0), b = members_make(type, COUNT, n, 1, 0);
    OWNED(cholesky_batch) *batch = handle_of(n, COUNT, type);
    int64_t info[COUNT];

    for (int c = 0; c < COUNT; ++c) {
        double complex *A = a.values + c * n * n;
        fill_tiny(A, n, type, wholes[c], c == 2 ? half : 1);
        if (c == 3) A[1 + n] = 0;
        for (int64_t i = 0; i < n; ++i) { /* x(j) = 1 + j % 3; of the tiny column x is 0 */
            b.values[c * n + i] = 0;
            for (int64_t j = 0; j < n; ++j)
                if (c != 2 || j != 2) b.values[c * n + i] += A[i + j * n] * (double)(1 + j % 3);
        }
    }
    members_store(&a, uplo);
    members_store(&b, MEMBERS_ALL);
    test_works(context, clsolve_cholesky_batch_factor(batch, uplo, &a.view, info));
    for (int c = 0; c < COUNT; ++c) assert_int_equal(info[c], c == 3 ? 2 : 0);
    test_works(context, clsolve_cholesky_batch_solve(batch, &b.view, info));
    for (int c = 0; c < COUNT; ++c) assert_int_equal(info[c], c == 3 ? 2 : 0);
    members_load(&b, MEMBERS_ALL);
    for (int c = 0; c < COUNT - 1; ++c)
        for (int64_t i = 0; i < n; ++i) {
            const double complex x = b.values[c * n + i];
            if (c == 2 && i == 2) continue; /* what rounding leaves, by a tiny number */
            if (!(cabs(x - (double)(1 + i % 3)) <= 64 * cls_type_epsilon(type)))
                fail_msg("%s, n %d, member %d: x(%d) is %.17g", cls_type_name(type), (int)n, c, (int)i, creal(x));
        }
    members_store(&a, MEMBERS_ALL);
    test_works(context, clsolve_cholesky_batch_factors(batch, uplo, &a.view));
    members_load(&a, MEMBERS_ALL);
    SCRATCH double complex *A = test_room(n * n, sizeof *A), *F = test_room(n * n, sizeof *F);
    fill_tiny(A, n, type, 1, 1);
    for (int64_t k = 0; k < n * n; ++k) F[k] = a.values[k] / half;
    assert_true(hermitian_factor_ratio(type, n, A, F, uplo) < RATIO_BOUND);
}

/* Numbers of members that are subnormal have the digits that those of single systems have. */
TEST(test_tiny) {
    for (int t = 0; t < CLS_TYPES; ++t) {
        const clsolve_type type = (clsolve_type)(CLSOLVE_F32 + t);
        for (size_t k = 1; k < sizeof built / sizeof *built; ++k)
            if (is_wanted(built[k], t) && test_has_type(context, type))
                check_tiny(type, built[k], t % 2 ? CLSOLVE_UPPER : CLSOLVE_LOWER);
    }
}

/* ---- the contract ---- */

#define EXPECT(call, wanted, words) TEST_EXPECT(context, call, wanted, words)

/* What tests/batch has not: the factors. */
TEST(test_arguments) {
    const clsolve_type type = CLSOLVE_F32;
    scratch_members a = members_make(type, 3, 9, 9, 0);
    OWNED(cholesky_batch) *batch = handle_of(9, 3, type);
    int64_t info[3];
    test_random random = test_random_start(702);

    fill(&random, &a);
    members_store(&a, MEMBERS_ALL);
    EXPECT(clsolve_cholesky_batch_factors(batch, CLSOLVE_LOWER, &a.view), CLSOLVE_ERROR_STATE, "factor first");
    test_works(context, clsolve_cholesky_batch_factor(batch, CLSOLVE_LOWER, &a.view, info));
    EXPECT(clsolve_cholesky_batch_factors(batch, CLSOLVE_UPPER, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "F is NULL");
}

TEST_PROGRAM(open_shaped, close_context)
