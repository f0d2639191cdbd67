/*
 * test_lu_host_small.c: dense LU of few rows on the host, by a handle and in one call: LAPACK's ratios for its own test
 * matrices at awkward orders, zero pivots, NaN and Inf, overflow, and that A and what lies between lines stay as they were.
 * And what a memory limit says in a context of the host alone, and LU by one thread while compilers work.
 */
#include "lu/ratios.h"

#include <clsolve/band.h>
#include <clsolve/cholesky.h>

#include "base/process.h"
#include "method/lu/direct.h"
#include "method/lu/host_small.h"
#include "method/lu/small.h"
#include "method/panel/panel.h"
#include "support/fixture.h"

enum { LIMIT = CLS_LU_HOST_SMALL_MOST, MOST = LIMIT + 3, SIDES = CLS_LU_HOST_SMALL_SIDES + 1 };

static const int64_t orders[] = {1, 2, 3, 5, 7, 8, 9, 13, 16, 17, 31, 33, 61, LIMIT - 1, LIMIT, LIMIT + 1};
enum { ORDERS = sizeof orders / sizeof *orders };

static double A[2 * MOST * MOST], kept[2 * MOST * MOST], LU[2 * MOST * MOST], B[2 * MOST * SIDES], X[2 * MOST * SIDES];
static int64_t pivots[MOST];

/* Doubles in an element. */
static int64_t parts_of(clsolve_type type) {
    return test_numbers(type, 1);
}

static int in_double(clsolve_type type) {
    return parts_of(type) * 8 == cls_type_size(type);
}

static void unchanged(const test_matrix *m, const double *before, int64_t elements) {
    const int64_t count = parts_of(m->view.type) * elements;
    test_matrix_get(m, kept);
    test_matrix_spare_intact(m);
    for (int64_t k = 0; k < count; ++k) assert_true(kept[k] == before[k] || (isnan(kept[k]) && isnan(before[k])));
}

static void solve(clsolve_lu *lu, const clsolve_matrix *a, clsolve_op op, test_matrix *b, clsolve_status wanted) {
    clsolve_status status =
        lu ? clsolve_lu_solve(lu, op, &b->view) : clsolve_solve(context, op, a, &b->view, NULL, NULL);
    if (status != wanted) fail_msg("status %d: %s", (int)status, clsolve_context_message(context));
}

/* ---- accuracy ---- */

static void check(test_random *random, clsolve_type type, clsolve_layout layout, int kind, int64_t n, int64_t nrhs) {
    scratch_matrix a = test_matrix_make(type, layout, n, n, n % 3), f = test_matrix_make(type, layout, n, n, 2);
    OWNED(lu) *lu = NULL;

    test_kind_make(random, type, kind, n, A);
    test_matrix_set(&a, A);
    test_matrix_get(&a, A); /* rounded to the type */
    assert_int_equal(clsolve_lu_create(context, n, type, NULL, &lu), CLSOLVE_OK);
    clsolve_status status = clsolve_lu_factor(lu, &a.view);
    assert_int_equal(status, test_kind_singular(kind) ? CLSOLVE_SINGULAR : CLSOLVE_OK);
    unchanged(&a, A, n * n);
    assert_int_equal(clsolve_lu_factors(lu, &f.view, pivots), CLSOLVE_OK);
    test_matrix_get(&f, LU);
    if (!(ratio_factors(type, n, A, LU, pivots) < RATIO_BOUND)) fail_msg("%s, n = %d", test_kind_names[kind], (int)n);
    for (int op = 0; op < 4 && status == CLSOLVE_OK; ++op) {
        const clsolve_op trans = kind % 2 == op / 2 ? CLSOLVE_CONJ_TRANS : CLSOLVE_TRANS;
        clsolve_op which = op % 2 ? trans : CLSOLVE_NO_TRANS;
        scratch_matrix b = test_matrix_make(type, op < 2 ? layout : CLSOLVE_COLUMN_MAJOR, n, nrhs, n % 2);
        test_random_fill(random, B, parts_of(type) * n * nrhs);
        test_matrix_set(&b, B);
        test_matrix_get(&b, B);
        solve(op < 2 ? lu : NULL, &a.view, which, &b, CLSOLVE_OK);
        test_matrix_get(&b, X);
        test_matrix_spare_intact(&b);
        double ratio = ratio_solve(type, which, n, nrhs, A, X, B);
        if (!(ratio < RATIO_BOUND)) fail_msg("%s, n = %d, op %d: %g", test_kind_names[kind], (int)n, op, ratio);
    }
}

TEST(test_accuracy) {
    test_random random = test_random_start(1);
    for (int o = 0; o < ORDERS; ++o)
        for (int kind = 1; kind <= TEST_KINDS; ++kind)
            for (int form = 0; form < 8; ++form)
                check(&random, (clsolve_type)(CLSOLVE_F32 + form % 4),
                      form / 4 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR, kind, orders[o],
                      (kind + o) % 4 == 0 ? SIDES : 1 + (kind + o) % 3);
}

TEST(test_nothing) {
    scratch_matrix a = test_matrix_make(CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, 0, 0, 1);
    scratch_matrix b = test_matrix_make(CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, 0, 2, 1);
    for (int round = 0; round < 2; ++round)
        assert_int_equal(clsolve_solve(context, CLSOLVE_NO_TRANS, &a.view, &b.view, NULL, NULL), CLSOLVE_OK);
}

/* ---- the report ---- */

/* Triangular, with pivots that are powers of two and rows in a known order: all is exact. */
static void check_report(clsolve_type type, int64_t n) {
    scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, n, 1);
    scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, 1, 1);
    clsolve_solve_report report;
    const int64_t parts = parts_of(type);
    const int is_negative = (n - 1 + n / 2) % 2 != 0;

    memset(A, 0, sizeof A);
    memset(B, 0, sizeof B);
    for (int64_t j = 0; j < n; ++j) /* a cycle of rows: n - 1 exchanges */
        A[parts * ((j + 1) % n + j * n)] = j % 2 ? -4 : 0.5;
    for (int64_t i = 0; i < n; ++i) B[parts * i] = 1;
    for (int round = 0; round < 2; ++round) {
        test_matrix_set(&a, A);
        test_matrix_set(&b, B);
        assert_int_equal(clsolve_solve(context, CLSOLVE_NO_TRANS, &a.view, &b.view, NULL, &report), CLSOLVE_OK);
        test_matrix_get(&b, X);
        for (int64_t j = 0; j < n; ++j) assert_true(X[parts * j] == (j % 2 ? -0.25 : 2));
        for (int64_t j = 0; j < n; ++j) assert_true(parts == 1 || X[parts * j + 1] == 0);
        assert_int_equal(report.method, CLSOLVE_METHOD_LU);
        assert_string_equal(report.name, "lu");
        assert_string_equal(report.reason, "auto: the matrix is dense");
        assert_string_equal(report.report.where, "host");
        assert_int_equal(report.report.n, n);
        assert_int_equal(report.report.nrhs, 1);
        assert_int_equal(report.report.info, 0);
        assert_true(report.report.direct.growth == 1);
        assert_int_equal(report.report.direct.det_sign, is_negative && parts == 1 ? -1 : 1);
        assert_true(fabs(fabs(report.report.direct.det_phase) - (is_negative && parts == 2 ? acos(-1) : 0)) < 1e-12);
        double log_det = log(2) * ((double)(n / 2) * 2 - (double)(n - n / 2));
        assert_true(fabs(report.report.direct.log_abs_det - log_det) <= 1e-12 * (1 + fabs(log_det)));
        assert_true(report.report.host_bytes >= n * n * cls_type_size(type));
        assert_true(report.report.seconds.factor > 0 && report.report.seconds.solve > 0);
        assert_true(report.report.seconds.total >= report.report.seconds.factor + report.report.seconds.solve);
        assert_true(report.seconds_solve > 0);
    }
}

TEST(test_report) {
    for (int o = 0; o < ORDERS; ++o)
        for (int type = CLSOLVE_F32; type <= CLSOLVE_C64; ++type) check_report((clsolve_type)type, orders[o]);
}

/* ---- failures ---- */

/* A column of zeros stays one, so its number is info. */
static void check_singular(test_random *random, clsolve_type type, int64_t n, int64_t column) {
    scratch_matrix a = test_matrix_make(type, CLSOLVE_ROW_MAJOR, n, n, 1),
                   b = test_matrix_make(type, CLSOLVE_ROW_MAJOR, n, 2, 1);
    clsolve_solve_report report;

    test_random_fill(random, A, parts_of(type) * n * n);
    test_random_fill(random, B, parts_of(type) * 2 * n);
    for (int64_t k = 0; k < parts_of(type) * n; ++k) A[k + parts_of(type) * column * n] = 0;
    test_matrix_set(&a, A), test_matrix_get(&a, A);
    test_matrix_set(&b, B), test_matrix_get(&b, B);
    for (int round = 0; round < 2; ++round) {
        assert_int_equal(clsolve_solve(context, CLSOLVE_NO_TRANS, &a.view, &b.view, NULL, &report), CLSOLVE_SINGULAR);
        assert_int_equal(report.report.status, CLSOLVE_SINGULAR);
        assert_int_equal(report.report.info, column + 1);
        assert_int_equal(report.report.direct.det_sign, 0);
        assert_true(isinf(report.report.direct.log_abs_det));
        unchanged(&a, A, n * n);
        unchanged(&b, B, 2 * n);
    }
}

TEST(test_singular) {
    test_random random = test_random_start(2);
    for (int o = 0; o < ORDERS; ++o)
        for (int type = CLSOLVE_F32; type <= CLSOLVE_C64; ++type)
            check_singular(&random, (clsolve_type)type, orders[o], test_random_between(&random, 0, orders[o] - 1));
}

/* One number of A or of B is no number: the message says which. */
static void check_nonfinite(test_random *random, clsolve_type type, int64_t n, double value) {
    scratch_matrix a = test_matrix_make(type, CLSOLVE_ROW_MAJOR, n, n, 1);
    scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, 3, 1);
    for (int in_B = 0; in_B < 2; ++in_B) {
        int64_t i = test_random_between(random, 0, n - 1), j = test_random_between(random, 0, in_B ? 2 : n - 1);
        char place[32];
        const int64_t parts = parts_of(type), part = test_random_between(random, 0, parts - 1);
        test_random_fill(random, A, parts * n * n);
        test_random_fill(random, B, parts * 3 * n);
        for (int64_t k = 0; k < n; ++k) A[parts * (k + k * n)] += 4;
        (in_B ? B : A)[parts * (i + j * n) + part] = value;
        test_matrix_set(&a, A), test_matrix_get(&a, A);
        test_matrix_set(&b, B), test_matrix_get(&b, B);
        solve(NULL, &a.view, CLSOLVE_TRANS, &b, CLSOLVE_ERROR_NONFINITE);
        (void)snprintf(place, sizeof place, "%s(%d,%d)", in_B ? "B" : "A", (int)i + 1, (int)j + 1);
        assert_non_null(strstr(clsolve_context_message(context), place));
        unchanged(&a, A, n * n);
        unchanged(&b, B, 3 * n);
    }
}

TEST(test_nonfinite) {
    static const double values[] = {NAN, INFINITY, -INFINITY};
    test_random random = test_random_start(3);
    for (int o = 0; o < ORDERS; ++o)
        for (int v = 0; v < 12; ++v)
            check_nonfinite(&random, (clsolve_type)(CLSOLVE_F32 + v % 4), orders[o], values[v / 4]);
}

/* The factors of check_overflow's A are no numbers, and those of its scaled copy are. Exporting them writes nothing. */
static void check_no_export(clsolve_type type, int64_t n, const test_matrix *a) {
    scratch_matrix f = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, n, 0);
    OWNED(lu) *lu = NULL;

    test_matrix_set(&f, A);
    pivots[0] = -7;
    assert_int_equal(clsolve_lu_create(context, n, type, NULL, &lu), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_factor(lu, &a->view), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_factors(lu, &f.view, pivots), CLSOLVE_OVERFLOW);
    assert_non_null(strstr(clsolve_context_message(context), "elements of U"));
    unchanged(&f, A, n * n);
    assert_int_equal(pivots[0], -7);
    assert_int_equal(clsolve_lu_factors(lu, NULL, pivots), CLSOLVE_OK);
    assert_int_equal(pivots[0], 1);
}

/* Elements near the largest number, whose sums are none; and a small A with a large B. Complex A of that size is scaled
 * first, so that it is solved. */
static void check_overflow(clsolve_type type, int64_t n, int in_X) {
    scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, n, 1);
    scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, 1, 1);
    const int high = in_double(type) ? 1023 : 127, low = in_double(type) ? -200 : -30;
    const double large = ldexp(1, high);
    const int64_t parts = parts_of(type), last = parts * (n - 1) * (1 + n), left = parts * n;

    memset(A, 0, sizeof A);
    memset(B, 0, sizeof B);
    for (int64_t k = 0; k < n; ++k) A[parts * (k + k * n)] = in_X ? ldexp(1, low) : 1;
    if (!in_X) A[last - left - parts] = A[last - parts] = A[last] = large;
    if (!in_X) A[last - left] = -large;
    for (int64_t i = 0; i < n; ++i) B[parts * i] = in_X ? large : 1;
    test_matrix_set(&a, A);
    test_matrix_set(&b, B);
    const int is_scaled = parts == 2 && !in_X;
    solve(NULL, &a.view, CLSOLVE_NO_TRANS, &b, is_scaled ? CLSOLVE_OK : CLSOLVE_OVERFLOW);
    unchanged(&a, A, n * n);
    if (is_scaled) {
        test_matrix_get(&b, X);
        assert_true(ratio_solve(type, CLSOLVE_NO_TRANS, n, 1, A, X, B) < RATIO_BOUND);
        check_no_export(type, n, &a);
        return;
    }
    char place[32];
    (void)snprintf(place, sizeof place, "%s(%d,%d)", in_X ? "X" : "L\\U", in_X ? 1 : (int)n, in_X ? 1 : (int)n);
    assert_non_null(strstr(clsolve_context_message(context), place));
    unchanged(&b, B, n);
}

TEST(test_overflow) {
    for (int o = 1; o < ORDERS; ++o)
        for (int form = 0; form < 8; ++form)
            check_overflow((clsolve_type)(CLSOLVE_F32 + form % 4), orders[o], form / 4);
}

/* 1 / 0x1p-1070 overflows, and 1 / 0x1p-140 in float: pivots divide, and where LAPACK's do not the column is scaled. */
TEST(test_no_reciprocal) {
    for (int o = 1; o < ORDERS; ++o)
        for (int form = 0; form < 8; ++form) {
            const clsolve_type type = (clsolve_type)(CLSOLVE_F32 + form % 4);
            const clsolve_op op = form / 4 ? CLSOLVE_CONJ_TRANS : CLSOLVE_NO_TRANS;
            const int64_t n = orders[o], parts = parts_of(type);
            clsolve_solver_options options = {.method = CLSOLVE_METHOD_LU};
            scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, n, 0);
            scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, 1, 0);
            memset(A, 0, sizeof A);
            memset(B, 0, sizeof B);
            for (int64_t k = 0; k < n; ++k) {
                double *a = A + parts * (k + k * n);
                a[0] = k == n / 2 ? (in_double(type) ? 0x1p-1070 : 0x1p-140) : 2;
                B[parts * k] = 3 * a[0];
            }
            test_matrix_set(&a, A);
            test_matrix_set(&b, B);
            assert_int_equal(clsolve_solve(context, op, &a.view, &b.view, &options, NULL), CLSOLVE_OK);
            test_matrix_get(&b, X);
            for (int64_t k = 0; k < n; ++k) assert_true(X[parts * k] == 3 && (parts == 1 || X[parts * k + 1] == 0));
        }
}

/* Integers, a dominant diagonal, and column n / 2 times 2^exponent. */
static void set_tiny_column(clsolve_type type, int64_t n, int exponent) {
    const int64_t parts = parts_of(type);
    for (int64_t k = 0; k < n * n; ++k) {
        const int64_t i = k % n, j = k / n;
        A[parts * k] = i == j ? 4 * (double)n : (double)((i + 2 * j) % 3 - 1);
        if (parts == 2) A[2 * k + 1] = (double)((i * j) % 3 - 1);
        for (int64_t p = 0; p < parts && j == n / 2; ++p) A[parts * k + p] = ldexp(A[parts * k + p], exponent);
    }
}

/* B = op(A) X for real X. */
static void multiply_by(clsolve_type type, clsolve_op op, int64_t n, const double *x) {
    const int64_t parts = parts_of(type);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t p = 0; p < parts; ++p) {
            B[parts * i + p] = 0;
            for (int64_t j = 0; j < n; ++j)
                B[parts * i + p] += A[parts * (op == CLSOLVE_NO_TRANS ? i + j * n : j + i * n) + p] * x[j];
        }
}

/* A x = b with x zero in the tiny column, or nowhere else; A^T x = b. */
static void check_tiny_column(clsolve_lu *lu, clsolve_type type, int64_t n, int which) {
    const clsolve_op op = which == 2 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS;
    const int64_t parts = parts_of(type), q = n / 2;
    scratch_matrix b = test_matrix_make(type, CLSOLVE_ROW_MAJOR, n, 1, 2);
    SCRATCH double *x = test_doubles(n);
    for (int64_t j = 0; j < n; ++j) x[j] = which == 2 || (j == q) == which ? 1 + (double)(j % 3) : 0;
    multiply_by(type, op, n, x);
    test_matrix_set(&b, B);
    assert_int_equal(clsolve_lu_solve(lu, op, &b.view), CLSOLVE_OK);
    test_matrix_get(&b, X);
    for (int64_t j = 0; j < n; ++j) /* by a tiny column rounding errors of b are any number */
        if ((which != 0 || j != q) && !(fabs(X[parts * j] - x[j]) <= (64 + 4 * (double)n) * test_epsilon(type)))
            fail_msg("type %d, n %d, system %d: x(%d) is %.17g, not %g", type, (int)n, which, (int)j, X[parts * j],
                     x[j]);
}

/* One column of subnormal numbers, in LAPACK's panels and in loops: solutions have their digits, factors are A's. */
TEST(test_tiny_column) {
    static const int64_t sizes[] = {2, 5, LIMIT, LIMIT + 1, MOST};
    for (int t = 0; t < 4; ++t)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
            const clsolve_type type = (clsolve_type)(CLSOLVE_F32 + t);
            const int64_t n = sizes[s], parts = parts_of(type), q = n / 2;
            const int exponent = in_double(type) ? -1060 : -143, less = in_double(type) ? -1000 : -110;
            scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, n, 0);
            clsolve_lu_options options = {.where = CLSOLVE_WHERE_HOST};
            clsolve_report report;
            OWNED(lu) *lu = NULL;
            assert_int_equal(clsolve_lu_create(context, n, type, &options, &lu), CLSOLVE_OK);
            set_tiny_column(type, n, exponent);
            test_matrix_set(&a, A);
            assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
            for (int which = 0; which < 3; ++which) check_tiny_column(lu, type, n, which);
            assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
            assert_int_equal(report.direct.equilibrated, 2);
            /* U of numbers that are tiny but normal is that of ordinary ones. */
            set_tiny_column(type, n, less);
            test_matrix_set(&a, A);
            assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
            assert_int_equal(clsolve_lu_factors(lu, &a.view, NULL), CLSOLVE_OK);
            test_matrix_get(&a, A);
            SCRATCH double *tiny = test_room(parts * n * n, sizeof *tiny);
            memcpy(tiny, A, (size_t)(parts * n * n) * sizeof *tiny);
            set_tiny_column(type, n, 0);
            test_matrix_set(&a, A);
            assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
            assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
            assert_int_equal(report.direct.equilibrated, 0);
            assert_int_equal(clsolve_lu_factors(lu, &a.view, NULL), CLSOLVE_OK);
            test_matrix_get(&a, A);
            for (int64_t k = 0; k < parts * n * n; ++k) {
                const int64_t i = k / parts % n, j = k / parts / n;
                const double wanted = j == q && i <= j ? ldexp(A[k], less) : A[k], size = 8 * (double)n;
                const double unit = j == q && i <= j ? ldexp(size, less) : size;
                assert_true(fabs(tiny[k] - wanted) <= 16 * test_epsilon(type) * unit);
            }
        }
}

/* ---- calls that differ, one after the other ---- */

TEST(test_turns) {
    test_random random = test_random_start(4);
    for (int round = 0; round < 200; ++round) {
        const clsolve_type type = (clsolve_type)test_random_between(&random, CLSOLVE_F32, CLSOLVE_C64);
        const int64_t parts = parts_of(type);
        int64_t n = test_random_between(&random, 1, 4), choice = test_random_between(&random, 0, 3);
        scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, n, 0);
        scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, 1, 0);
        clsolve_solver_options options = {.rcond = choice == 1, .refine = choice == 2, .equilibrate = choice == 3};
        clsolve_solve_report report;
        memset(A, 0, sizeof A);
        memset(B, 0, sizeof B);
        for (int64_t k = 0; k < n; ++k) A[parts * (k + k * n)] = 2, B[parts * k] = (double)(k + round);
        test_matrix_set(&a, A);
        test_matrix_set(&b, B);
        assert_int_equal(clsolve_solve(context, CLSOLVE_TRANS, &a.view, &b.view, &options, &report), CLSOLVE_OK);
        test_matrix_get(&b, X);
        for (int64_t k = 0; k < parts * n; ++k) assert_true(X[k] == B[k] / 2);
        assert_true(choice == 1 ? fabs(report.report.direct.rcond - 1) < 0.01 : report.report.direct.rcond == -1);
        assert_true(choice == 2 ? report.backward_error == 0 : report.backward_error == -1);
    }
}

/* Either the host does it within the limit, or the message names the limit. */
static int does_within(clsolve_status status) {
    if (status == CLSOLVE_OK) return 1;
    assert_int_equal(status, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_non_null(strstr(clsolve_context_message(context), "memory_limit"));
    return 0;
}

TEST(test_memory_limit) {
    enum { DENSE, BAND, CHOLESKY, FAMILIES };
    int can[FAMILIES] = {0}, cannot[FAMILIES] = {0};
    for (int64_t limit = 1000; limit < 900000; limit += limit / 4)
        for (clsolve_precision precision = 0; precision <= CLSOLVE_PRECISION_WORKING; ++precision) {
            clsolve_lu_options for_lu = {.precision = precision, .memory_limit = limit};
            clsolve_band_options for_band = {.precision = precision, .memory_limit = limit};
            clsolve_cholesky_options for_cholesky = {.precision = precision, .memory_limit = limit};
            OWNED(lu) *lu = NULL;
            OWNED(band) *band = NULL;
            OWNED(cholesky) *cholesky = NULL;
            int does[FAMILIES];
            does[DENSE] = does_within(clsolve_lu_create(context, 121, CLSOLVE_F64, &for_lu, &lu));
            does[BAND] = does_within(clsolve_band_create(context, 121, 3, 3, CLSOLVE_F64, &for_band, &band));
            does[CHOLESKY] = does_within(clsolve_cholesky_create(context, 121, CLSOLVE_F64, &for_cholesky, &cholesky));
            for (int f = 0; f < FAMILIES; ++f) *(does[f] ? &can[f] : &cannot[f]) += 1;
        }
    for (int f = 0; f < FAMILIES; ++f) assert_true(can[f] > 0 && cannot[f] > 0);
}

/* ---- the factors of a device's handle, which the host has for the condition number ---- */

static void check_kept(test_random *random, clsolve_type type, int64_t n, int64_t cols) {
    const int64_t parts = parts_of(type), count = parts * n * cols;
    double largest;
    int host_pivots[LIMIT];
    scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, n, 0);
    cls_lu lu = {.type = type, .n = n};

    test_random_fill(random, A, parts * n * n);
    for (int64_t k = 0; k < n; ++k) A[parts * (k + k * n)] += 4;
    test_matrix_set(&a, A);
    test_matrix_get(&a, A); /* rounded to the type */
    assert_int_equal(cls_lu_host_one_factor(type, a.view.data, n, host_pivots, &largest), 0);
    lu.small = (cls_lu_small){.whole = 1, .host = a.view.data, .host_pivots = host_pivots, .host_is_new = 1};
    for (int op = 0; op < 3; ++op) {
        test_random_fill(random, B, count);
        for (int64_t k = 0; k < count && !in_double(type); ++k) B[k] = (double)(float)B[k];
        memcpy(X, B, (size_t)count * sizeof *X);
        assert_int_equal(cls_lu_few.solve_vectors(&lu, (clsolve_op)op, cols, X), CLSOLVE_OK);
        const double ratio = ratio_solve(type, (clsolve_op)op, n, cols, A, X, B);
        if (!(ratio < RATIO_BOUND)) fail_msg("type %d, n = %d, op %d: %g", (int)type, (int)n, op, ratio);
    }
}

TEST(test_kept_factors) {
    test_random random = test_random_start(9);
    for (int o = 0; o < ORDERS; ++o)
        for (int type = CLSOLVE_F32; type <= CLSOLVE_C64 && orders[o] <= CLS_LU_SMALL_WHOLE; ++type)
            for (int64_t cols = 1; cols <= 3; ++cols) check_kept(&random, (clsolve_type)type, orders[o], cols);
}

/* ---- while compilers work (method/panel/alone.c) ---- */

/* Of LAPACK's kind if there is one, which is square. */
static void check_alone(test_random *random, clsolve_type type, int kind, int64_t m, int64_t n) {
    const int64_t steps = m < n ? m : n;
    scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, m, n, 3);
    SCRATCH double *values = test_elements(type, m * n), *factors = test_elements(type, m * n);
    SCRATCH int *counted = calloc((size_t)steps, sizeof *counted);
    SCRATCH int64_t *rows = calloc((size_t)steps, sizeof *rows);

    if (kind > 0)
        test_kind_make(random, type, kind, n, values);
    else
        test_random_fill(random, values, parts_of(type) * m * n);
    test_matrix_set(&a, values);
    test_matrix_get(&a, values); /* rounded to the type */
    const int64_t info = cls_panel_lapack(type, m, n, a.view.data, a.view.ld, counted);
    assert_int_equal(info > 0, kind > 0 && test_kind_singular(kind));
    test_matrix_spare_intact(&a);
    test_matrix_get(&a, factors);
    for (int64_t k = 0; k < steps; k++) {
        rows[k] = counted[k];
        assert_true(rows[k] > k && rows[k] <= m);
    }
    const double ratio = ratio_rectangle(type, m, n, values, factors, rows);
    if (!(ratio < RATIO_BOUND)) fail_msg("kind %d, %d x %d, type %d: %g", kind, (int)m, (int)n, (int)type, ratio);
}

TEST(test_beside_compilers) {
    static const int64_t sizes[][2] = {{100, 100}, {127, 127}, {128, 200}, {200, 101}, {257, 257}};
    test_random random = test_random_start(11);
    assert_false(cls_panel_alone_suits(200, 200));
    assert_true(cls_process_compile_begin(NULL));
    assert_true(cls_panel_alone_suits(200, 200));
    for (int type = CLSOLVE_F32; type <= CLSOLVE_C64; ++type) {
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            check_alone(&random, (clsolve_type)type, 0, sizes[k][0], sizes[k][1]);
        for (int kind = 1; kind <= TEST_KINDS; ++kind) check_alone(&random, (clsolve_type)type, kind, 129, 129);
    }
    cls_process_compile_end();
    assert_false(cls_panel_alone_suits(200, 200));
}

TEST_PROGRAM_ALONE(open_host, close_context)
