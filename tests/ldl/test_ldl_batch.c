/*
 * Batches of LDL^T, of all types and both symmetries: LAPACK's ratios at awkward orders for members of each kind of
 * matrix, both triangles, layouts, strides and offsets, one right-hand side and many; the inverse; LAPACK's factors;
 * condition numbers; inertia against eigenvalues; determinants; members of orders of their own; members that are singular, or hold NaN; arguments. With
 * CLSOLVE_TEST_SHAPE=32 work-groups are small.
 */
#include <clsolve/clsolve.h>

#include <complex.h>
#include <lapacke.h>

#include "api/context.h"
#include "base/type.h"
#include "cholesky/members.h"
#include "cholesky/ragged.h"
#include "ldl/ldl_support.h"
#include "support/fixture.h"

#define RATIO(what, value)                                                                                             \
    do {                                                                                                               \
        const double ratio_ = (value);                                                                                 \
        if (!(ratio_ < RATIO_BOUND))                                                                                   \
            fail_msg("%s, %s, n %d, how %d, member %d: ratio %g", what, shape->name, (int)n, how, (int)c, ratio_);     \
    } while (0)

static int is_hermitian(const ldl_shape *shape) {
    return shape->symmetry == CLSOLVE_SYMMETRY_HERMITIAN;
}

static clsolve_ldl_batch *handle_of(int64_t n, int64_t count, const ldl_shape *shape) {
    const clsolve_ldl_batch_options options = {.symmetry = shape->symmetry, .condition = 1};
    clsolve_ldl_batch *batch = NULL;
    if (clsolve_ldl_batch_create(context, n, count, shape->type, &options, &batch) != CLSOLVE_OK)
        fail_msg("%s", clsolve_context_message(context));
    return batch;
}

/* B = A X0, so that X is in range whatever the size of A. */
static void multiply(test_random *random, clsolve_type type, int64_t n, int64_t cols, const double complex *A,
                     double complex *B) {
    memset(B, 0, (size_t)(n * cols) * sizeof *B);
    for (int64_t c = 0; c < cols; ++c)
        for (int64_t j = 0; j < n; ++j) {
            const double complex x = hermitian_drawn(random, type);
            for (int64_t i = 0; i < n; ++i) B[i + c * n] += A[i + j * n] * x;
        }
}

/* ||A X - I|| / (n ||A|| ||X|| eps) of a triangle of X; *rcond: 1 / (||A|| ||X||). */
static double inverse_ratio(const ldl_shape *shape, int64_t n, const double complex *A, const double complex *F,
                            clsolve_uplo uplo, double *rcond) {
    SCRATCH double complex *X = ldl_elements(n * n), *one = ldl_elements(n * n);
    for (int64_t j = 0; j < n; ++j) {
        one[j * (n + 1)] = 1;
        for (int64_t i = 0; i < n; ++i) {
            const double complex other = is_hermitian(shape) ? conj(F[j + i * n]) : F[j + i * n];
            X[i + j * n] = triangle_has(uplo, i, j) ? F[i + j * n] : other;
        }
    }
    *rcond = 1 / hermitian_norm(n, n, A) / hermitian_norm(n, n, X);
    return hermitian_rest(n, n, n, A, X, 0, one) * *rcond / ((double)n * test_epsilon(shape->type));
}

/* ---- D ---- */

/* Eigenvalues by signs, where none is as small as rounding may make it. */
static void check_inertia(const ldl_shape *shape, int64_t n, const double complex *A, clsolve_inertia count,
                          int64_t c) {
    double complex *V = ldl_elements(n * n);
    double values[64], least = (double)INFINITY, largest = 0;
    int64_t positive = 0;
    memcpy(V, A, (size_t)(n * n) * sizeof *V);
    assert_int_equal(LAPACKE_zheev(LAPACK_COL_MAJOR, 'N', 'L', (lapack_int)n, V, (lapack_int)n, values), 0);
    for (int64_t k = 0; k < n; ++k) {
        positive += values[k] > 0;
        least = fmin(least, fabs(values[k]));
        largest = fmax(largest, fabs(values[k]));
    }
    free(V);
    assert_int_equal(count.positive + count.negative + count.zero, n);
    if (!(least > 100 * (double)n * test_epsilon(shape->type) * largest)) return;
    if (count.positive != positive || count.zero != 0)
        fail_msg("%s, n %d, %s: %d positive, not %d; %d zeros", shape->name, (int)n, ldl_names[c % LDL_KINDS],
                 (int)count.positive, (int)positive, (int)count.zero);
}

static void check_d(const ldl_shape *shape, int64_t n, int64_t count, const double complex *A,
                    clsolve_ldl_batch *batch) {
    const int64_t parts = cls_type_parts(shape->type);
    clsolve_inertia *inertias = test_room(count, sizeof *inertias);
    SCRATCH double *sign = test_room(count * parts, sizeof *sign), *size = test_room(count, sizeof *size);
    const clsolve_status status = clsolve_ldl_batch_inertia(batch, inertias);
    assert_int_equal(status, is_hermitian(shape) ? CLSOLVE_OK : CLSOLVE_ERROR_UNSUPPORTED);
    test_works(context, clsolve_ldl_batch_determinant(batch, NULL, sign, size));
    for (int64_t c = 0; c < count && c < LDL_KINDS; ++c) {
        const double complex *its = A + c * n * n;
        double argument;
        if (is_hermitian(shape)) check_inertia(shape, n, its, inertias[c], c);
        if (c == LDL_ILL || c == LDL_TINY || c == LDL_HUGE || c == LDL_GRADED) continue;
        const double expected = ldl_log_det(n, its, &argument), tolerance = 1e4 * (double)n * test_epsilon(shape->type);
        const double complex turned =
            CMPLX(sign[c * parts], parts == 2 ? sign[c * parts + 1] : 0) * cexp(-argument * I);
        if (!(fabs(size[c] - expected) < tolerance && cabs(turned - 1) < tolerance))
            fail_msg("%s, n %d, %s: log |det| %g, not %g; turned by %g", shape->name, (int)n, ldl_names[c], size[c],
                     expected, cabs(turned - 1));
    }
    free(inertias);
}

/* ---- factors, condition ---- */

/* What is not exported is as it was: members_load looks. */
static void check_factors(const ldl_shape *shape, int64_t n, int64_t count, const double complex *A,
                          clsolve_ldl_batch *batch, int how) {
    members f = members_make(shape->type, count, n, n, how);
    SCRATCH int64_t *ipiv = test_room(count * n, sizeof *ipiv), *alone = test_room(count * n, sizeof *alone);
    members_store(&f, CLSOLVE_LOWER);
    test_works(context, clsolve_ldl_batch_factors(batch, &f.view, ipiv));
    test_works(context, clsolve_ldl_batch_factors(batch, NULL, alone));
    members_load(&f, CLSOLVE_LOWER);
    assert_memory_equal(ipiv, alone, (size_t)(count * n) * sizeof *ipiv);
    for (int64_t c = 0; c < count; ++c)
        RATIO("factors", ldl_factor_ratio(shape, n, A + c * n * n, f.values + c * n * n, ipiv + c * n, 1));
    members_drop(&f);
}

/* The inverses are those of the batch, so both condition numbers have the same error but for rounding. */
static void check_condition(const ldl_shape *shape, int64_t n, int64_t count, const double *expected,
                            clsolve_ldl_batch *batch) {
    double *rcond = test_room(count, sizeof *rcond);
    test_works(context, clsolve_ldl_batch_condition(batch, rcond));
    for (int64_t c = 0; c < count; ++c) {
        const int64_t kind = c % LDL_KINDS;
        const int is_far = kind == LDL_ILL || kind == LDL_TINY || kind == LDL_HUGE || kind == LDL_GRADED;
        if (!(rcond[c] > 0 && rcond[c] < 1.01) || (!is_far && fabs(rcond[c] - expected[c]) > 0.01 * expected[c]))
            fail_msg("%s, n %d, %s: rcond %g, not %g", shape->name, (int)n, ldl_names[kind], rcond[c], expected[c]);
    }
    free(rcond);
}

/* ---- accuracy ---- */

static void check(test_random *random, const ldl_shape *shape, int64_t n, int64_t count, int64_t nrhs, int how) {
    const clsolve_uplo read = how & 1 ? CLSOLVE_UPPER : CLSOLVE_LOWER;
    const clsolve_uplo written = how & 2 ? CLSOLVE_UPPER : CLSOLVE_LOWER;
    scratch_members a = members_make(shape->type, count, n, n, how),
                    f = members_make(shape->type, count, n, n, (how + 3) % 8);
    scratch_members b = members_make(shape->type, count, n, nrhs, (how + 5) % 8);
    OWNED(ldl_batch) *batch = handle_of(n, count, shape);
    SCRATCH double complex *right = ldl_elements(count * n * nrhs);
    SCRATCH int64_t *info = test_room(count, sizeof *info);
    SCRATCH double *rcond = test_room(count, sizeof *rcond);
    clsolve_report report;

    for (int64_t c = 0; c < count; ++c) {
        info[c] = 99;
        ldl_make(random, shape, (ldl_kind)(c % LDL_KINDS), n, a.values + c * n * n);
        multiply(random, shape->type, n, nrhs, a.values + c * n * n, b.values + c * n * nrhs);
    }
    members_store(&a, (int)read);
    test_works(context, clsolve_ldl_batch_factor(batch, read, &a.view, info));
    for (int64_t c = 0; c < count; ++c)
        if (info[c] != 0) fail_msg("%s, n %d, %s: %d", shape->name, (int)n, ldl_names[c % LDL_KINDS], (int)info[c]);
    check_d(shape, n, count, a.values, batch);

    members_store(&b, MEMBERS_ALL);
    members_load(&b, MEMBERS_ALL); /* rounded */
    members_store(&b, MEMBERS_ALL);
    memcpy(right, b.values, (size_t)(count * n * nrhs) * sizeof *right);
    test_works(context, clsolve_ldl_batch_solve(batch, &b.view, info));
    for (int64_t c = 0; c < count; ++c) assert_int_equal(info[c], 0);
    test_works(context, clsolve_ldl_batch_report(batch, &report));
    assert_string_equal(report.method, "ldl");
    assert_int_equal(report.nrhs, nrhs);
    assert_int_equal(report.members, count);
    members_load(&b, MEMBERS_ALL);
    for (int64_t c = 0; c < count; ++c)
        RATIO("solve", hermitian_solve_ratio(shape->type, n, nrhs, a.values + c * n * n, b.values + c * n * nrhs,
                                             right + c * n * nrhs));

    members_store(&f, (int)written);
    test_works(context, clsolve_ldl_batch_inverse(batch, written, &f.view, info));
    members_load(&f, (int)written);
    for (int64_t c = 0; c < count; ++c)
        if (c % LDL_KINDS != LDL_TINY && c % LDL_KINDS != LDL_HUGE)
            RATIO("inverse", inverse_ratio(shape, n, a.values + c * n * n, f.values + c * n * n, written, &rcond[c]));
    check_factors(shape, n, count, a.values, batch, (how + 2) % 8);
    check_condition(shape, n, count, rcond, batch);
}

/* Each order, type and symmetry is a program of its own, so kernels are built for few: all of them are for the host. */
static int is_wanted(int64_t n, int s) {
    const int small = test_env("CLSOLVE_TEST_SHAPE") != NULL;
    if (test_on_host()) return 1;
    if (small) return (n == 33 && s == 3) || (n == 5 && s == 1);
    return (n == 9 && s == 0) || (n == 17 && s == 4) || (n == 33 && s == 1) || (n == 64 && s == 2) ||
           (n == 3 && s == 5);
}

TEST(test_orders) {
    static const int64_t orders[] = {1, 2, 3, 5, 8, 9, 16, 17, 31, 32, 33, 63, 64};
    test_random random = test_random_start(710);
    for (size_t o = 0; o < sizeof orders / sizeof *orders; ++o)
        for (int s = 0; s < LDL_SHAPES; ++s) {
            const ldl_shape *shape = &ldl_shapes[s];
            if (!is_wanted(orders[o], s) || !test_has_type(context, shape->type)) continue;
            check(&random, shape, orders[o], LDL_KINDS + (int64_t)o % 2, orders[o] == 17 || orders[o] == 64 ? 1 : 19,
                  (int)(o + (size_t)s) % 8);
            if (orders[o] == 9) check(&random, shape, 9, 300, 10, (4 + s) % 8);
        }
}

/* Orders from 0 on, tight or padded. */
TEST(test_ragged) {
    static const int64_t orders[RAGGED_COUNT] = {9, 0, 3, 64, 33, 8, 1, 7, 31, 0, 2};
    static ragged_values A, B, X;
    static int64_t ipiv[RAGGED_COUNT * RAGGED_MOST];
    const ldl_shape *shape = &ldl_shapes[1];
    const clsolve_ldl_batch_options options = {.symmetry = shape->symmetry, .condition = 1};
    test_random random = test_random_start(711);
    OWNED(ldl_batch) *batch = NULL;
    int64_t info[RAGGED_COUNT];
    clsolve_inertia inertias[RAGGED_COUNT];
    double rcond[RAGGED_COUNT];

    test_works(context, clsolve_ldl_batch_create_ragged(context, orders, RAGGED_COUNT, shape->type, &options, &batch));
    for (int how = 0; how < 7; how += 3) {
        ragged a = ragged_make(shape->type, orders, 1, how), b = ragged_make(shape->type, orders, 0, (how + 4) % 7);
        const clsolve_uplo uplo = how ? CLSOLVE_UPPER : CLSOLVE_LOWER;
        a.view.rows = a.view.cols = b.view.rows = CLSOLVE_LDL_BATCH_LARGEST;
        for (int64_t c = 0; c < RAGGED_COUNT; ++c) {
            ldl_make(&random, shape, c == 3 ? LDL_SADDLE : LDL_RANDOM, orders[c], A[c]);
            multiply(&random, shape->type, orders[c], RAGGED_SIDES, A[c], B[c]);
        }
        A[4][33 * 5 + 4] = A[4][33 * 4 + 5] = NAN;
        ragged_move(&a, A, (int)uplo, 0);
        ragged_move(&b, B, RAGGED_ALL, 0);
        ragged_move(&b, B, RAGGED_ALL, 1); /* rounded */
        ragged_move(&b, B, RAGGED_ALL, 0);
        test_works(context, clsolve_ldl_batch_factor(batch, uplo, &a.view, info));
        for (int64_t c = 0; c < RAGGED_COUNT; ++c) assert_int_equal(info[c], c == 4 ? -1 : 0);
        test_works(context, clsolve_ldl_batch_solve(batch, &b.view, info));
        test_works(context, clsolve_ldl_batch_inertia(batch, inertias));
        ragged_move(&b, X, RAGGED_ALL, 1);
        for (int64_t c = 0; c < RAGGED_COUNT; ++c) {
            const int64_t n = orders[c];
            assert_int_equal(info[c], c == 4 ? -1 : 0);
            if (c == 4 || n == 0) continue;
            RATIO("solve", hermitian_solve_ratio(shape->type, n, RAGGED_SIDES, A[c], X[c], B[c]));
            check_inertia(shape, n, A[c], inertias[c], LDL_RANDOM);
        }
        assert_true(inertias[4].positive == -1 && inertias[4].negative == -1 && inertias[4].zero == -1);
        ragged f = ragged_make(shape->type, orders, 1, (how + 2) % 7);
        f.view.rows = f.view.cols = CLSOLVE_LDL_BATCH_LARGEST;
        ragged_move(&f, A, CLSOLVE_LOWER, 0);
        test_works(context, clsolve_ldl_batch_factors(batch, &f.view, ipiv));
        ragged_move(&f, X, CLSOLVE_LOWER, 1);
        test_works(context, clsolve_ldl_batch_condition(batch, rcond));
        for (int64_t c = 0, first = 0; c < RAGGED_COUNT; first += orders[c++]) {
            const int64_t n = orders[c];
            assert_true(c == 4 ? isnan(rcond[c]) : n == 0 ? rcond[c] == 1 : rcond[c] > 0 && rcond[c] < 1.01);
            if (c != 4 && n > 0) RATIO("factors", ldl_factor_ratio(shape, n, A[c], X[c], ipiv + first, 1));
        }
        free(f.view.data);
        free(a.view.data);
        free(b.view.data);
    }
}

/* ---- members without factors ---- */

static void check_bad(const ldl_shape *shape, int64_t n, clsolve_uplo uplo) {
    enum { COUNT = 9, SIDES = 5, NONE = 1, SINGULAR = 3, NUMBERLESS = 6, INFINITE = 7, BAD_SIDE = 8 };
    test_random random = test_random_start(712);
    const int64_t size = n * n, low = uplo == CLSOLVE_LOWER ? n - 1 : (n - 1) * n; /* an element of the triangle */
    scratch_members a = members_make(shape->type, COUNT, n, n, uplo == CLSOLVE_LOWER ? 0 : 2),
                    b = members_make(shape->type, COUNT, n, SIDES, 1);
    OWNED(ldl_batch) *batch = handle_of(n, COUNT, shape);
    int64_t info[COUNT];
    clsolve_inertia inertias[COUNT];
    double size_of_det[COUNT], rcond[COUNT];
    clsolve_report report;

    for (int64_t c = 0; c < COUNT; ++c) ldl_make(&random, shape, LDL_SADDLE, n, a.values + c * size);
    memset(a.values + NONE * size, 0, (size_t)size * sizeof *a.values);
    memset(a.values + SINGULAR * size, 0, (size_t)size * sizeof *a.values);
    /* Of small integers, whose factors are exact. Two rows are linked, and pivot 2 or, behind the two, 4 is the first zero:
     * kernels differ in which of equal diagonal elements comes first. */
    a.values[SINGULAR * size] = 4;
    a.values[SINGULAR * size + 1 + 2 * n] = a.values[SINGULAR * size + 2 + n] = 2;
    a.values[NUMBERLESS * size + low] = NAN;
    a.values[INFINITE * size + low] = INFINITY;
    members_store(&a, (int)uplo);
    test_works(context, clsolve_ldl_batch_factor(batch, uplo, &a.view, info));
    for (int64_t c = 0; c < COUNT; ++c) {
        const int64_t expected = c == NONE ? 1 : c == SINGULAR ? 4 : c == NUMBERLESS || c == INFINITE ? -1 : 0;
        if (c != SINGULAR || info[c] != 2) assert_int_equal(info[c], expected);
    }
    test_works(context, clsolve_ldl_batch_report(batch, &report));
    assert_true(report.info == 1 && report.member == NONE + 1);
    if (is_hermitian(shape)) {
        test_works(context, clsolve_ldl_batch_inertia(batch, inertias));
        assert_true(inertias[NONE].zero == n && inertias[SINGULAR].positive == 2 && inertias[SINGULAR].negative == 1);
        assert_int_equal(inertias[SINGULAR].zero, n - 3);
        assert_int_equal(inertias[NUMBERLESS].zero, -1);
    }
    test_works(context, clsolve_ldl_batch_determinant(batch, NULL, NULL, size_of_det));
    assert_true(isinf(size_of_det[SINGULAR]) && size_of_det[SINGULAR] < 0 && isnan(size_of_det[INFINITE]));

    members_store(&a, (int)uplo);
    test_works(context, clsolve_ldl_batch_factors(batch, &a.view, NULL));
    test_works(context, clsolve_ldl_batch_condition(batch, rcond));
    for (int64_t c = 0; c < COUNT; ++c)
        assert_true(c == NONE || c == SINGULAR ? rcond[c] == 0 : info[c] < 0 ? isnan(rcond[c]) : rcond[c] > 0);

    for (int64_t k = 0; k < COUNT * n * SIDES; ++k) b.values[k] = 1;
    b.values[BAD_SIDE * n * SIDES + n] = NAN; /* the second column of the last member */
    members_store(&b, MEMBERS_ALL);
    test_works(context, clsolve_ldl_batch_solve(batch, &b.view, info));
    assert_int_equal(info[BAD_SIDE], -1);
    members_load(&b, MEMBERS_ALL);
    for (int64_t c = 0; c < COUNT; ++c) {
        const int how = 0;
        double complex one[64 * SIDES];
        for (int64_t k = 0; k < n * SIDES; ++k) one[k] = 1;
        if (info[c] == 0)
            RATIO("solve",
                  hermitian_solve_ratio(shape->type, n, SIDES, a.values + c * size, b.values + c * n * SIDES, one));
        for (int64_t k = 0; info[c] != 0 && k < n * SIDES; ++k) {
            const double complex x = b.values[c * n * SIDES + k];
            assert_true(c == BAD_SIDE && k == n ? isnan(creal(x)) : creal(x) == 1 && cimag(x) == 0);
        }
    }
}

TEST(test_bad_members) {
    static const int64_t orders[] = {5, 9, 17, 33};
    for (int s = 0; s < LDL_SHAPES; ++s)
        for (size_t k = 0; k < sizeof orders / sizeof *orders; ++k)
            if (is_wanted(orders[k], s) && test_has_type(context, ldl_shapes[s].type))
                check_bad(&ldl_shapes[s], orders[k], s % 2 ? CLSOLVE_UPPER : CLSOLVE_LOWER);
}

/* ---- the contract ---- */

#define EXPECT(call, wanted, words) TEST_EXPECT(context, call, wanted, words)

/* What LDL^T alone has (tests/batch): inertias and condition numbers, also of nothing, and the options. */
TEST(test_arguments) {
    const ldl_shape *shape = &ldl_shapes[1];
    scratch_members a = members_make(shape->type, 2, 5, 5, 0);
    clsolve_ldl_batch *batch = handle_of(5, 2, shape), *empty = handle_of(0, 2, shape), *made = NULL;
    const clsolve_ldl_batch_options options = {.symmetry = (clsolve_symmetry)7}, twice = {.condition = 2};
    double rcond[2];
    clsolve_inertia inertias[2] = {{9, 9, 9}, {9, 9, 9}};
    int64_t info[2] = {7, 7};
    test_random random = test_random_start(713);

    for (int64_t c = 0; c < 2; ++c) ldl_make(&random, shape, LDL_RANDOM, 5, a.values + c * 25);
    members_store(&a, MEMBERS_ALL);
    EXPECT(clsolve_ldl_batch_inertia(batch, inertias), CLSOLVE_ERROR_STATE, "clsolve_ldl_batch_factor");
    test_works(context, clsolve_ldl_batch_factor(batch, CLSOLVE_LOWER, &a.view, info));
    EXPECT(clsolve_ldl_batch_inertia(batch, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "inertias is NULL");
    assert_int_equal(clsolve_ldl_batch_inertia(NULL, inertias), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_ldl_batch_determinant(NULL, NULL, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);

    clsolve_batch nothing = {shape->type, CLSOLVE_ROW_MAJOR, 2, 0, 0, 1, 0, NULL, NULL, CLSOLVE_ON_HOST, 0};
    test_works(context, clsolve_ldl_batch_factor(empty, CLSOLVE_UPPER, &nothing, info));
    test_works(context, clsolve_ldl_batch_inertia(empty, inertias));
    assert_true(inertias[1].positive == 0 && inertias[1].negative == 0 && inertias[1].zero == 0);
    test_works(context, clsolve_ldl_batch_condition(empty, rcond));
    assert_true(rcond[0] == 1 && rcond[1] == 1);
    test_works(context, clsolve_ldl_batch_factors(empty, NULL, NULL));

    EXPECT(clsolve_ldl_batch_create(context, 5, 1, shape->type, &options, &made), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "symmetry is 7");
    EXPECT(clsolve_ldl_batch_create(context, 5, 1, shape->type, &twice, &made), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "condition");
    assert_null(made);
    clsolve_ldl_batch_destroy(batch);
    clsolve_ldl_batch_destroy(empty);
}

TEST_PROGRAM(open_shaped, close_context)
