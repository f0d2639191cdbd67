/*
 * test_band_host_small.c: bands of few rows on the host: LAPACK's ratio for awkward shapes, with NaN in the corners of the
 * storage that are outside of the matrix; growth against the exported factors; NaN, zero pivots; B unchanged on failure;
 * subnormal numbers.
 */
#include "lu/ratios.h"

#include <clsolve/band.h>

#include "base/type.h"
#include "support/fixture.h"

enum { MOST = 101, WIDEST = 9, ROWS = 3 * WIDEST + 1 };

typedef struct shape {
    int64_t n, kl, ku;
} shape;

static const shape shapes[] = {{1, 0, 0},  {2, 1, 0},  {3, 1, 1},  {5, 0, 2},  {5, 2, 1},  {7, 3, 2},  {10, 1, 1},
                               {10, 4, 4}, {11, 8, 8}, {16, 0, 0}, {17, 1, 7}, {31, 7, 1}, {97, 2, 2}, {MOST, 9, 9}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static double A[MOST * MOST], AB[ROWS * MOST], AFB[ROWS * MOST], B[MOST], X[MOST];

static int inside(const shape *s, int64_t i, int64_t j) {
    return i >= 0 && i < s->n && i <= j + s->kl && j <= i + s->ku;
}

/* A, in double as the type rounds it, into the storage; NaN where there is no element. */
static void store(const shape *s, clsolve_type type, const test_matrix *ab) {
    const int64_t rows = s->kl + s->ku + 1;
    for (int64_t j = 0; j < s->n; ++j)
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t i = r - s->ku + j;
            if (inside(s, i, j)) A[i + j * s->n] = test_rounded(type, A[i + j * s->n]);
            AB[r + j * rows] = inside(s, i, j) ? A[i + j * s->n] : (double)NAN;
        }
    test_matrix_set(ab, AB);
}

static void random_band(test_random *random, const shape *s, double diagonal) {
    memset(A, 0, sizeof A);
    for (int64_t j = 0; j < s->n; ++j)
        for (int64_t i = 0; i < s->n; ++i)
            if (inside(s, i, j)) A[i + j * s->n] = test_random_signed(random) + (i == j ? diagonal : 0);
}

static double growth_of(const shape *s) {
    const int64_t ld = 2 * s->kl + s->ku + 1;
    double largest = 0, most = 0;
    for (int64_t k = 0; k < s->n * s->n; ++k) largest = fmax(largest, fabs(A[k]));
    for (int64_t j = 0; j < s->n; ++j)
        for (int64_t r = 0; r <= s->kl + s->ku; ++r)
            if (r - s->kl - s->ku + j >= 0) most = fmax(most, fabs(AFB[r + j * ld]));
    return most / largest;
}

static void check(test_random *random, const shape *s, clsolve_type type, clsolve_layout layout) {
    const int64_t n = s->n;
    const clsolve_band_options options = {.rcond = (int32_t)test_random_between(random, 0, 1)};
    scratch_matrix ab = test_matrix_make(type, layout, s->kl + s->ku + 1, n, 1);
    scratch_matrix f = test_matrix_make(type, layout, 2 * s->kl + s->ku + 1, n, 1);
    OWNED(band) *band = NULL;
    clsolve_report report;

    random_band(random, s, 3);
    store(s, type, &ab);
    assert_int_equal(clsolve_band_create(context, n, s->kl, s->ku, type, &options, &band), CLSOLVE_OK);
    if (clsolve_band_factor(band, &ab.view) != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(context));
    for (int op = 0; op < 2; ++op) {
        scratch_matrix b = test_matrix_make(type, layout, n, 1, op);
        test_random_fill(random, B, n);
        test_matrix_set(&b, B), test_matrix_get(&b, B);
        assert_int_equal(clsolve_band_solve(band, op ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS, &b.view), CLSOLVE_OK);
        test_matrix_get(&b, X);
        if (!(ratio_solve(type, op ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS, n, 1, A, X, B) < RATIO_BOUND))
            fail_msg("n = %d, kl = %d, ku = %d, op %d", (int)n, (int)s->kl, (int)s->ku, op);
    }
    assert_int_equal(clsolve_band_factors(band, &f.view, NULL), CLSOLVE_OK);
    assert_int_equal(clsolve_band_report(band, &report), CLSOLVE_OK);
    test_matrix_get(&f, AFB);
    assert_true(fabs(report.direct.growth / growth_of(s) - 1) < 1e-6);
    assert_true(options.rcond ? report.direct.rcond > 0 && report.direct.rcond <= 1 + 1e-3 : report.direct.rcond == -1);
    assert_string_equal(report.where, "host");
    assert_true(report.seconds.factor > 0 && report.seconds.solve > 0);
}

TEST(test_accuracy) {
    test_random random = test_random_start(1);
    for (int k = 0; k < SHAPES; ++k)
        for (int form = 0; form < 4; ++form)
            check(&random, &shapes[k], form % 2 ? CLSOLVE_F32 : CLSOLVE_F64,
                  form / 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR);
}

/* A number that is none, or a column of zeros, which stays one: the place is told, and the handle goes on. */
static void check_failure(test_random *random, const shape *s, clsolve_type type, int nonfinite) {
    const int64_t n = s->n, j = test_random_between(random, 0, n - 1);
    scratch_matrix ab = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, s->kl + s->ku + 1, n, 0);
    scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, 1, 0);
    OWNED(band) *band = NULL;
    clsolve_report report;
    char place[32];

    random_band(random, s, 3);
    for (int64_t i = 0; i < n; ++i) A[i + j * n] = 0;
    if (nonfinite) A[j + j * n] = j % 2 ? (double)NAN : -(double)INFINITY;
    store(s, type, &ab);
    assert_int_equal(clsolve_band_create(context, n, s->kl, s->ku, type, NULL, &band), CLSOLVE_OK);
    assert_int_equal(clsolve_band_factor(band, &ab.view), nonfinite ? CLSOLVE_ERROR_NONFINITE : CLSOLVE_SINGULAR);
    (void)snprintf(place, sizeof place, "%s(%d,%d)", nonfinite ? "A" : "U", (int)j + 1, (int)j + 1);
    if (!strstr(clsolve_context_message(context), place)) fail_msg("%s: %s", place, clsolve_context_message(context));
    assert_int_equal(clsolve_band_report(band, &report), CLSOLVE_OK);
    assert_int_equal(report.info, nonfinite ? 0 : j + 1);
    memset(A, 0, sizeof A);
    for (int64_t i = 0; i < n; ++i) A[i + i * n] = 4, B[i] = i == j ? (double)NAN : 8;
    store(s, type, &ab);
    test_matrix_set(&b, B);
    assert_int_equal(clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
    assert_int_equal(clsolve_band_solve(band, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_ERROR_NONFINITE);
    test_matrix_get(&b, X);
    for (int64_t i = 0; i < n; ++i) assert_true(i == j ? isnan(X[i]) : X[i] == 8);
    B[j] = 8;
    test_matrix_set(&b, B);
    assert_int_equal(clsolve_band_solve(band, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_OK);
    test_matrix_get(&b, X);
    for (int64_t i = 0; i < n; ++i) assert_true(X[i] == 2);
}

TEST(test_failures) {
    test_random random = test_random_start(2);
    for (int k = 0; k < SHAPES; ++k)
        for (int form = 0; form < 4; ++form)
            check_failure(&random, &shapes[k], form % 2 ? CLSOLVE_F32 : CLSOLVE_F64, form / 2);
}

/* Blocks make it LAPACK's panels on a window, also where that would have one row. */
TEST(test_one_row) {
    const clsolve_band_options options = {.block = 8};
    for (int64_t k = 0; k < 2; ++k) {
        double a[3] = {0, 0, 0}, b[1] = {8};
        OWNED(band) *band = NULL;
        clsolve_matrix ab = clsolve_matrix_f64(2 * k + 1, 1, a), B = clsolve_matrix_f64(1, 1, b);
        ab.layout = CLSOLVE_COLUMN_MAJOR;
        ab.ld = 2 * k + 1;
        a[k] = 4;
        assert_int_equal(clsolve_band_create(context, 1, k, k, CLSOLVE_F64, &options, &band), CLSOLVE_OK);
        assert_int_equal(clsolve_band_factor(band, &ab), CLSOLVE_OK);
        assert_int_equal(clsolve_band_solve(band, CLSOLVE_NO_TRANS, &B), CLSOLVE_OK);
        assert_true(b[0] == 2);
    }
}

/* A and B of subnormal numbers, all of them exact: what is computed on the way keeps the digits. */
TEST(test_subnormal) {
    enum { N = 7, KL = 2, KU = 1, LENGTH = KL + KU + 1 };

    for (int t = 0; t < CLS_TYPES; ++t)
        for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; ++op) {
            const clsolve_type type = (clsolve_type)(CLSOLVE_F32 + t);
            const int64_t parts = cls_type_parts(type);
            const double tiny = ldexp(1, cls_is_double(type) ? -1055 : -140);
            const clsolve_band_options options = {.equilibrate = 1};
            OWNED(band) *band = NULL;
            scratch_matrix ab = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, LENGTH, N, 0);
            scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, N, 1, 0);
            double values[N * LENGTH * 2] = {0}, sums[N * 2] = {0};
            for (int64_t j = 0; j < N; ++j)
                for (int64_t i = j > KU ? j - KU : 0; i <= j + KL && i < N; ++i) {
                    const double a = tiny * (i == j ? 7 : (double)(1 + (i + 2 * j) % 2));
                    values[(KU + i - j + j * LENGTH) * parts] = a;
                    sums[(op ? j : i) * parts] += a;
                }
            test_matrix_set(&ab, values);
            test_matrix_set(&b, sums);
            assert_int_equal(clsolve_band_create(context, N, KL, KU, type, &options, &band), CLSOLVE_OK);
            assert_int_equal(clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
            assert_int_equal(clsolve_band_solve(band, (clsolve_op)op, &b.view), CLSOLVE_OK);
            test_matrix_get(&b, sums);
            for (int64_t k = 0; k < N * parts; ++k) {
                const double error = fabs(sums[k] - (k % parts == 0));
                if (!(error <= 100 * cls_type_epsilon(type)))
                    fail_msg("%s, op %d, element %d: %g", cls_type_name(type), op, (int)k, error);
            }
        }
}

/* Right-hand sides that are raised where A has a pivot so small that X overflows by that: they go as they are. */
TEST(test_tiny_pivot) {
    double a[] = {1, 0x1p-1060}, x[] = {0x1p-1000, 0x1p-1000};
    clsolve_matrix ab = clsolve_matrix_f64(1, 2, a), b = clsolve_matrix_f64(2, 1, x);
    const clsolve_band_options options = {.refine = 1};
    OWNED(band) *band = NULL;

    assert_int_equal(clsolve_band_create(context, 2, 0, 0, CLSOLVE_F64, &options, &band), CLSOLVE_OK);
    assert_int_equal(clsolve_band_factor(band, &ab), CLSOLVE_OK);
    assert_int_equal(clsolve_band_solve(band, CLSOLVE_NO_TRANS, &b), CLSOLVE_OK);
    assert_true(x[0] == 0x1p-1000 && x[1] == 0x1p60);
}

TEST_PROGRAM_ALONE(open_host, close_context)
