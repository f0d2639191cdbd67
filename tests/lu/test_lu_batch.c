/*
 * LU of many matrices at once, of all types: LAPACK's ratios at awkward orders of each class, layouts, strides and offsets, right-hand
 * sides of all operations, inverse, determinant, condition, LAPACK's pivots; matrices that Gauss-Jordan elimination fails
 * on; members that are singular, hold NaN, or are subnormal or huge, beside good ones; more members than a grid has
 * groups; arguments. With CLSOLVE_TEST_SHAPE=32 work-groups are small.
 */
#include <clsolve/clsolve.h>

#include <complex.h>
#include <float.h>

#include "api/context.h"
#include "base/type.h"
#include "cholesky/hermitian_support.h"
#include "cholesky/members.h"
#include "support/fixture.h"

static clsolve_lu_batch *handle_of(int64_t n, int64_t count, clsolve_type type, int condition) {
    const clsolve_lu_batch_options options = {.condition = condition};
    clsolve_lu_batch *batch = NULL;
    test_works(context, clsolve_lu_batch_create(context, n, count, type, &options, &batch));
    return batch;
}

#define RATIO(what, value)                                                                                             \
    do {                                                                                                               \
        const double ratio_ = (value);                                                                                 \
        if (!(ratio_ < RATIO_BOUND))                                                                                   \
            fail_msg("%s, %s, n %d, member %d: ratio %g", what, cls_type_name(type), (int)n, (int)c, ratio_);          \
    } while (0)

/* ---- accuracy ---- */

static void fill(test_random *random, members *m) {
    for (int64_t k = 0; k < m->view.count * m->view.rows * m->view.cols; ++k)
        m->values[k] = hermitian_drawn(random, m->view.type);
}

/* dget01: |P A - L U|_1 / (n |A|_1 eps). */
static double factor_ratio(clsolve_type type, int64_t n, const double complex *A, const double complex *F,
                           const int64_t *ipiv) {
    SCRATCH double complex *P = test_room(n * n, sizeof *P), *L = test_room(n * n, sizeof *L),
                           *U = test_room(n * n, sizeof *U);
    memcpy(P, A, (size_t)(n * n) * sizeof *P);
    for (int64_t k = 0; k < n; ++k) {
        assert_true(ipiv[k] > k && ipiv[k] <= n);
        for (int64_t j = 0; j < n && ipiv[k] - 1 != k; ++j) {
            const double complex a = P[k + j * n];
            P[k + j * n] = P[ipiv[k] - 1 + j * n];
            P[ipiv[k] - 1 + j * n] = a;
        }
    }
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) {
            *((i > j ? L : U) + i + j * n) = F[i + j * n];
            if (i == j) L[i + j * n] = 1;
        }
    return hermitian_rest(n, n, n, L, U, 0, P) / hermitian_norm(n, n, A) / (double)n / cls_type_epsilon(type);
}

/* op(A) as it is. */
static void transpose(int64_t n, clsolve_op op, const double complex *A, double complex *T) {
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) {
            const double complex a = op == CLSOLVE_NO_TRANS ? A[i + j * n] : A[j + i * n];
            T[i + j * n] = op == CLSOLVE_CONJ_TRANS ? conj(a) : a;
        }
}

/* `whole`: by the call that factors too, with the factors' members in *a. */
static void check_solve(test_random *random, clsolve_lu_batch *batch, const members *a, clsolve_op op, int64_t nrhs,
                        int how, int whole) {
    const clsolve_type type = a->view.type;
    const int64_t n = a->view.rows, count = a->view.count;
    members b = members_make(type, count, n, nrhs, how);
    SCRATCH double complex *right = test_room(count * n * nrhs, sizeof *right), *T = test_room(n * n, sizeof *T);
    SCRATCH int64_t *info = test_room(count, sizeof *info);
    clsolve_report report;
    fill(random, &b);
    memcpy(right, b.values, (size_t)(count * n * nrhs) * sizeof *right);
    members_store(&b, MEMBERS_ALL);
    test_works(context, whole ? clsolve_lu_batch_factor_solve(batch, op, &a->view, &b.view, info)
                              : clsolve_lu_batch_solve(batch, op, &b.view, info));
    test_works(context, clsolve_lu_batch_report(batch, &report));
    assert_string_equal(report.method, "lu");
    assert_int_equal(report.nrhs, nrhs);
    assert_int_equal(report.members, count);
    members_load(&b, MEMBERS_ALL);
    for (int64_t c = 0; c < count; ++c) {
        assert_int_equal(info[c], 0);
        transpose(n, op, a->values + c * n * n, T);
        RATIO("solve", hermitian_solve_ratio(type, n, nrhs, T, b.values + c * n * nrhs, right + c * n * nrhs));
    }
    members_drop(&b);
}

/* |I - A X|_1 / (n |A|_1 |X|_1 eps), and *rcond. */
static double inverse_ratio(clsolve_type type, int64_t n, const double complex *A, const double complex *X,
                            double *rcond) {
    SCRATCH double complex *E = test_room(n * n, sizeof *E);
    for (int64_t k = 0; k < n; ++k) E[k + k * n] = 1;
    const double norms = hermitian_norm(n, n, A) * hermitian_norm(n, n, X);
    const double ratio = hermitian_rest(n, n, n, A, X, 0, E) / norms / (double)n / cls_type_epsilon(type);
    *rcond = 1 / norms;
    return ratio;
}

static double complex product_of_pivots(int64_t n, const double complex *F, const int64_t *ipiv) {
    double complex det = 1;
    for (int64_t k = 0; k < n; ++k) det *= ipiv[k] == k + 1 ? F[k + k * n] : -F[k + k * n];
    return det;
}

static void check(test_random *random, clsolve_type type, int64_t n, int64_t count, int how) {
    const int64_t parts = cls_type_parts(type), size = n * n;
    scratch_members a = members_make(type, count, n, n, how), f = members_make(type, count, n, n, (how + 3) % 8);
    OWNED(lu_batch) *batch = handle_of(n, count, type, 1);
    SCRATCH int64_t *info = test_room(count, sizeof *info), *ipiv = test_room(count * n, sizeof *ipiv);
    double *numbers = test_room(count * 6, sizeof *numbers), *det = numbers, *sign = numbers + 2 * count,
           *log_abs = numbers + 4 * count, *rcond = numbers + 5 * count;
    fill(random, &a);
    members_store(&a, MEMBERS_ALL);
    test_works(context, clsolve_lu_batch_factor(batch, &a.view, info));
    for (int64_t c = 0; c < count; ++c) assert_int_equal(info[c], 0);
    members_store(&f, MEMBERS_ALL);
    test_works(context, clsolve_lu_batch_factors(batch, &f.view, ipiv));
    test_works(context, clsolve_lu_batch_determinant(batch, det, sign, log_abs));
    members_load(&f, MEMBERS_ALL);
    for (int64_t c = 0; c < count; ++c) {
        RATIO("factor", factor_ratio(type, n, a.values + c * size, f.values + c * size, ipiv + c * n));
        const double complex of = product_of_pivots(n, f.values + c * size, ipiv + c * n),
                             got = det[c * parts] + (parts == 2 ? det[c * parts + 1] * I : 0),
                             unit = sign[c * parts] + (parts == 2 ? sign[c * parts + 1] * I : 0);
        const double most = 10 * (double)n * cls_type_epsilon(type);
        if (n < 100) assert_true(cabs(got - of) <= most * cabs(of));
        if (n < 100) assert_true(cabs(unit * exp(log_abs[c]) - of) <= 10 * most * cabs(of));
        for (int64_t k = 0; k < size; ++k) f.values[c * size + k] = 7;
    }
    check_solve(random, batch, &a, CLSOLVE_NO_TRANS, 1, (how + 1) % 8, 0);
    check_solve(random, batch, &a, CLSOLVE_CONJ_TRANS, 1, (how + 2) % 8, 0);
    check_solve(random, batch, &a, CLSOLVE_TRANS, 19, (how + 5) % 8, 0);
    check_solve(random, batch, &a, CLSOLVE_NO_TRANS, 19, (how + 6) % 8, 0);
    members_store(&f, MEMBERS_ALL);
    test_works(context, clsolve_lu_batch_inverse(batch, &f.view, info));
    members_load(&f, MEMBERS_ALL);
    test_works(context, clsolve_lu_batch_condition(batch, rcond));
    for (int64_t c = 0; c < count; ++c) {
        double expected;
        RATIO("inverse", inverse_ratio(type, n, a.values + c * size, f.values + c * size, &expected));
        assert_true(fabs(rcond[c] - expected) <= 0.1 * expected);
    }
    test_works(context, clsolve_lu_batch_factor(batch, &f.view, info)); /* factors of other members are there */
    check_solve(random, batch, &a, CLSOLVE_CONJ_TRANS, 1, (how + 4) % 8, 1);
    check_solve(random, batch, &a, CLSOLVE_NO_TRANS, 19, (how + 7) % 8, 1);
    assert_int_equal(clsolve_lu_batch_inverse(batch, &f.view, info), CLSOLVE_ERROR_STATE); /* no factors stay */
    free(numbers);
}

/* Each class of orders and type is a program of its own, so kernels are built for few: all of them are for the host. Reduced: for
 * those that the functions below want too, and all classes and types are among them. */
typedef struct order_of_type {
    int64_t n;
    clsolve_type type;
} order_of_type;
static const order_of_type few[] = {{3, CLSOLVE_F64},  {9, CLSOLVE_C32},  {31, CLSOLVE_C64},
                                    {32, CLSOLVE_F32}, {33, CLSOLVE_F64}, {63, CLSOLVE_C32},
                                    {64, CLSOLVE_F64}, {97, CLSOLVE_C64}, {127, CLSOLVE_F32}},
                           fewer[] = {{3, CLSOLVE_F32},  {9, CLSOLVE_C32},  {32, CLSOLVE_F32},
                                      {33, CLSOLVE_F64}, {64, CLSOLVE_F64}, {97, CLSOLVE_C64}};

static int is_wanted(int64_t n, clsolve_type type) {
    const order_of_type *list = test_reduced() ? fewer : few;
    const size_t count = test_reduced() ? sizeof fewer / sizeof *fewer : sizeof few / sizeof *few;
    int wanted = test_on_host();
    for (size_t k = 0; k < count; k++) wanted = wanted || (list[k].n == n && list[k].type == type);
    return wanted && test_has_type(context, type);
}

TEST(test_orders) {
    static const int64_t orders[] = {1, 2, 3, 5, 9, 31, 32, 33, 63, 64, 65, 97, 127, 128, 129};
    test_random random = test_random_start(710);
    for (size_t o = 0; o < sizeof orders / sizeof *orders; ++o)
        for (int t = 0; t < CLS_TYPES; ++t) {
            const clsolve_type type = (clsolve_type)(CLSOLVE_F32 + t);
            if (!is_wanted(orders[o], type)) continue;
            check(&random, type, orders[o], 1 + (int64_t)o % 3, (int)(o + (size_t)t) % 8);
            if (orders[o] == 9) check(&random, type, 9, 37, (int)(4 + t) % 8);
        }
}

/* Large groups, several rows a work-item, and solves of several blocks. */
/* One member of 1030 rows is dense LU's on a GPU. */
TEST(test_large) {
    test_random random = test_random_start(711);
    check(&random, CLSOLVE_F32, 530, 2, 0);
    check(&random, CLSOLVE_F32, 1030, 1, 5);
}

/* ---- matrices that elimination without stability fails on ---- */

/* The unit upper triangle with -1 above the diagonal, and its row sums: every number is an integer, so x is exact. */
TEST(test_triangle) {
    enum { N = 64, COUNT = 5 };
    const clsolve_type type = test_has_type(context, CLSOLVE_F64) ? CLSOLVE_F64 : CLSOLVE_F32;
    scratch_members a = members_make(type, COUNT, N, N, 0), b = members_make(type, COUNT, N, 1, 0);
    OWNED(lu_batch) *batch = handle_of(N, COUNT, type, 0);
    int64_t info[COUNT];
    for (int64_t c = 0; c < COUNT; ++c)
        for (int64_t i = 0; i < N; ++i) {
            for (int64_t j = 0; j < N; ++j) a.values[c * N * N + i + j * N] = i == j ? 1 : i < j ? -1 : 0;
            b.values[c * N + i] = 1 - (double)(N - 1 - i);
        }
    members_store(&a, MEMBERS_ALL);
    members_store(&b, MEMBERS_ALL);
    test_works(context, clsolve_lu_batch_factor(batch, &a.view, info));
    test_works(context, clsolve_lu_batch_solve(batch, CLSOLVE_NO_TRANS, &b.view, info));
    members_load(&b, MEMBERS_ALL);
    for (int64_t k = 0; k < COUNT * N; ++k) assert_true(b.values[k] == 1);
}

/* A Gaussian kernel and a millionth of the identity. */
TEST(test_kernel) {
    enum { N = 32, COUNT = 3 };
    const clsolve_type type = CLSOLVE_F32;
    const int64_t n = N;
    scratch_members a = members_make(type, COUNT, N, N, 0), b = members_make(type, COUNT, N, 1, 0);
    OWNED(lu_batch) *batch = handle_of(N, COUNT, type, 0);
    double complex right[COUNT * N];
    int64_t info[COUNT];
    for (int64_t c = 0; c < COUNT; ++c)
        for (int64_t i = 0; i < N; ++i) {
            for (int64_t j = 0; j < N; ++j) {
                const double d = (double)(i - j) / N;
                a.values[c * N * N + i + j * N] = test_rounded(type, exp(-d * d * 2) + (i == j ? 1e-6 : 0));
            }
            right[c * N + i] = b.values[c * N + i] = test_rounded(type, sin((double)i));
        }
    members_store(&a, MEMBERS_ALL);
    members_store(&b, MEMBERS_ALL);
    test_works(context, clsolve_lu_batch_factor(batch, &a.view, info));
    test_works(context, clsolve_lu_batch_solve(batch, CLSOLVE_NO_TRANS, &b.view, info));
    members_load(&b, MEMBERS_ALL);
    for (int64_t c = 0; c < COUNT; ++c)
        RATIO("kernel", hermitian_solve_ratio(type, N, 1, a.values + c * N * N, b.values + c * N, right + c * N));
}

/* ---- members that fail ---- */

static void check_bad(clsolve_type type, int64_t n) {
    enum { COUNT = 9, SIDES = 5, ZERO = 1, MIDDLE = 3, NUMBERLESS = 6, INFINITE = 7, SPOILT = 8 };
    test_random random = test_random_start(712);
    const int64_t size = n * n;
    scratch_members a = members_make(type, COUNT, n, n, 2), b = members_make(type, COUNT, n, SIDES, 1),
                    f = members_make(type, COUNT, n, n, 4);
    OWNED(lu_batch) *batch = handle_of(n, COUNT, type, 0);
    int64_t info[COUNT], expected[COUNT] = {0}, *ipiv = test_room(COUNT * n, sizeof *ipiv);
    SCRATCH double complex *right = test_room(COUNT * n * SIDES, sizeof *right);
    double log_abs[COUNT];
    clsolve_report report;
    fill(&random, &a);
    for (int64_t i = 0; i < n; ++i) {
        a.values[ZERO * size + i] = 0; /* the first column */
        a.values[MIDDLE * size + i + n / 2 * n] = 0;
    }
    a.values[NUMBERLESS * size + size - 1] = NAN;
    a.values[INFINITE * size] = INFINITY;
    expected[ZERO] = 1;
    expected[MIDDLE] = n / 2 + 1;
    expected[NUMBERLESS] = expected[INFINITE] = -1;
    members_store(&a, MEMBERS_ALL);
    test_works(context, clsolve_lu_batch_factor(batch, &a.view, info));
    for (int64_t c = 0; c < COUNT; ++c) assert_int_equal(info[c], expected[c]);
    test_works(context, clsolve_lu_batch_report(batch, &report));
    assert_true(report.info == 1 && report.member == ZERO + 1);
    test_works(context, clsolve_lu_batch_determinant(batch, NULL, NULL, log_abs));
    for (int64_t c = 0; c < COUNT; ++c)
        assert_true(expected[c] < 0 ? isnan(log_abs[c]) : (isinf(log_abs[c]) != 0) == (expected[c] > 0));

    fill(&random, &b);
    memcpy(right, b.values, (size_t)(COUNT * n * SIDES) * sizeof *right);
    expected[SPOILT] = -1;
    for (int whole = 1; whole >= 0; --whole) { /* by one call; then with the factors */
        memcpy(b.values, right, (size_t)(COUNT * n * SIDES) * sizeof *right);
        b.values[SPOILT * n * SIDES + n] = NAN; /* its second column */
        members_store(&b, MEMBERS_ALL);
        if (whole)
            test_works(context, clsolve_lu_batch_factor_solve(batch, CLSOLVE_NO_TRANS, &a.view, &b.view, info));
        else
            test_works(context, clsolve_lu_batch_factor(batch, &a.view, info));
        if (!whole) test_works(context, clsolve_lu_batch_solve(batch, CLSOLVE_NO_TRANS, &b.view, info));
        members_load(&b, MEMBERS_ALL);
        for (int64_t c = 0; c < COUNT; ++c) {
            assert_int_equal(info[c], expected[c]);
            const double complex *x = b.values + c * SIDES * n, *rhs = right + c * SIDES * n;
            if (expected[c] == 0) RATIO("beside", hermitian_solve_ratio(type, n, SIDES, a.values + c * size, x, rhs));
            for (int64_t k = 0; expected[c] != 0 && k < SIDES * n; ++k)
                assert_true(c == SPOILT && k == n ? isnan(creal(x[k])) : x[k] == rhs[k]);
        }
    }
    expected[SPOILT] = 0;
    members_store(&f, MEMBERS_ALL); /* zeros */
    test_works(context, clsolve_lu_batch_factors(batch, &f.view, ipiv));
    members_load(&f, MEMBERS_ALL);
    for (int64_t c = 0; c < COUNT; ++c) {
        if (expected[c] < 0)
            assert_true(f.values[c * size] == 0);
        else
            RATIO("factor", factor_ratio(type, n, a.values + c * size, f.values + c * size, ipiv + c * n));
    }
    free(ipiv);
}

TEST(test_bad_members) {
    check_bad(CLSOLVE_C32, 9);
    if (test_has_type(context, CLSOLVE_F64)) check_bad(CLSOLVE_F64, 33);
    if (test_has_type(context, CLSOLVE_C64)) check_bad(CLSOLVE_C64, 97); /* by panels in every form */
}

/* Members times a power of two, and their right-hand sides: the solutions are the same numbers. */
static void check_range(clsolve_type type, int64_t n) {
    enum { COUNT = 4 };
    const int low = cls_is_double(type) ? -1060 : -138, high = cls_is_double(type) ? 1010 : 120;
    const int powers[COUNT] = {low, 0, high, low + 20};
    scratch_members a = members_make(type, COUNT, n, n, 0), b = members_make(type, COUNT, n, 1, 0);
    OWNED(lu_batch) *batch = handle_of(n, COUNT, type, 1);
    int64_t info[COUNT];
    double rcond[COUNT];
    for (int c = 0; c < COUNT; ++c)
        for (int64_t i = 0; i < n; ++i) { /* integers; x(j) = 1 + j % 3 */
            b.values[c * n + i] = 0;
            for (int64_t j = 0; j < n; ++j) {
                double complex *at = &a.values[(c * n + j) * n + i];
                *at = i == j
                          ? 37
                          : (double)((i * 7 + j * 3) % 5 - 2) + (cls_is_complex(type) ? (double)((i + j) % 3) * I : 0);
                b.values[c * n + i] += *at * (double)(1 + j % 3);
            }
        }
    for (int64_t k = 0; k < COUNT * n * n; ++k) {
        const int power = powers[k / (n * n)];
        a.values[k] = ldexp(creal(a.values[k]), power) + ldexp(cimag(a.values[k]), power) * I;
    }
    for (int64_t k = 0; k < COUNT * n; ++k)
        b.values[k] = ldexp(creal(b.values[k]), powers[k / n]) + ldexp(cimag(b.values[k]), powers[k / n]) * I;
    members_store(&a, MEMBERS_ALL);
    members_store(&b, MEMBERS_ALL);
    test_works(context, clsolve_lu_batch_factor(batch, &a.view, info));
    test_works(context, clsolve_lu_batch_solve(batch, CLSOLVE_NO_TRANS, &b.view, info));
    members_load(&b, MEMBERS_ALL);
    for (int c = 0; c < COUNT; ++c)
        for (int64_t i = 0; i < n; ++i) {
            const double complex x = b.values[c * n + i];
            if (info[c] != 0 || !(cabs(x - (double)(1 + i % 3)) <= 64 * cls_type_epsilon(type)))
                fail_msg("%s, n %d, member %d, info %d: x(%d) is %.17g", cls_type_name(type), (int)n, c, (int)info[c],
                         (int)i, creal(x));
        }
    test_works(context, clsolve_lu_batch_condition(batch, rcond)); /* a factor makes no difference to it */
    for (int c = 0; c < COUNT; ++c) assert_true(rcond[c] > 0 && fabs(rcond[c] - rcond[1]) <= 0.001 * rcond[1]);
}

TEST(test_range) {
    check_range(CLSOLVE_C32, 9);
    if (test_has_type(context, CLSOLVE_F64)) check_range(CLSOLVE_F64, 33);
}

/* More members than a grid has groups in its second dimension, of panels too. */
static void check_many(int64_t n, int64_t count) {
    const clsolve_type type = CLSOLVE_F32;
    SCRATCH float *a = test_room(count * n * n, sizeof *a), *b = test_room(count * n, sizeof *b);
    SCRATCH int64_t *info = test_room(count, sizeof *info);
    OWNED(lu_batch) *batch = handle_of(n, count, type, 0);
    for (int64_t c = 0; c < count; ++c)
        for (int64_t i = 0; i < n; ++i) {
            a[(c * n + (i + 1) % n) * n + i] = (float)(2 << c % 5); /* a cycle of rows */
            b[c * n + i] = (float)(int)(i + 1);
        }
    clsolve_batch A = clsolve_batch_f32(count, n, n, a), B = clsolve_batch_f32(count, n, 1, b);
    test_works(context, clsolve_lu_batch_factor(batch, &A, info));
    test_works(context, clsolve_lu_batch_solve(batch, CLSOLVE_NO_TRANS, &B, info));
    for (int64_t c = 0; c < count; ++c)
        for (int64_t i = 0; i < n; ++i)
            if (info[c] != 0 || b[c * n + (i + 1) % n] * (float)(2 << c % 5) != (float)(int)(i + 1))
                fail_msg("member %d of %d, n %d", (int)c, (int)count, (int)n);
}

TEST(test_many) {
    check_many(2, (1 << 20) + 5);
    if (test_on_host() || !test_env("CLSOLVE_TEST_SHAPE")) check_many(33, 66000);
}

/* ---- the contract ---- */

#define EXPECT(call, wanted, words) TEST_EXPECT(context, call, wanted, words)

/* What LU alone has (tests/batch): determinants and conditions, also of nothing. */
TEST(test_arguments) {
    const clsolve_type type = CLSOLVE_C32;
    scratch_members a = members_make(type, 3, 9, 9, 0);
    clsolve_lu_batch *batch = handle_of(9, 3, type, 0), *empty = handle_of(0, 2, type, 1), *made = NULL;
    const clsolve_lu_batch_options options = {.condition = 2};
    int64_t info[3];
    double numbers[6];
    test_random random = test_random_start(713);
    fill(&random, &a);
    members_store(&a, MEMBERS_ALL);
    EXPECT(clsolve_lu_batch_determinant(batch, numbers, NULL, NULL), CLSOLVE_ERROR_STATE, "factor first");
    test_works(context, clsolve_lu_batch_factor(batch, &a.view, info));
    EXPECT(clsolve_lu_batch_condition(batch, numbers), CLSOLVE_ERROR_STATE, "condition");
    test_works(context, clsolve_lu_batch_factors(batch, NULL, NULL));
    assert_int_equal(clsolve_lu_batch_determinant(NULL, NULL, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);

    const clsolve_batch none = {type, CLSOLVE_ROW_MAJOR, 2, 0, 0, 1, 0, NULL, NULL, CLSOLVE_ON_HOST, 0};
    test_works(context, clsolve_lu_batch_factor(empty, &none, info));
    test_works(context, clsolve_lu_batch_determinant(empty, numbers, NULL, numbers + 4));
    assert_true(numbers[0] == 1 && numbers[1] == 0 && numbers[2] == 1 && numbers[4] == 0 && numbers[5] == 0);
    test_works(context, clsolve_lu_batch_condition(empty, numbers));
    assert_true(numbers[0] == 1 && numbers[1] == 1);
    EXPECT(clsolve_lu_batch_create(context, 1, 1, type, &options, &made), CLSOLVE_ERROR_INVALID_ARGUMENT, "condition");
    assert_null(made);
    clsolve_lu_batch_destroy(batch);
    clsolve_lu_batch_destroy(empty);
}

static int open_all(void **state) {
    const char *shape = test_env("CLSOLVE_TEST_SHAPE");
    (void)open_context(state);
    if (!shape) return 0;
    assert_string_equal(shape, "32"); /* work-groups of 32 at most: larger members are left to the host */
    context->device->info.max_work_group = 32;
    return 0;
}

TEST_PROGRAM(open_all, close_context)
