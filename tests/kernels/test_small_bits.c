/*
 * The copy of A in double where the device does not compute in double, at sizes that a simulator can run: its measures
 * and scaling against those of a copy on the host, the floats that it writes, and its residuals against sums in long
 * double. Also under Oclgrind.
 */
#include "kernels/small_support.h"

#include <float.h>

#include "method/direct/copy.h"
#include "method/direct/refine.h"

/* Elements by a matrix: of size 1; over most of the range, with zeros; subnormal ones; near the largest. */
enum { PLAIN, WIDE, TINY, VAST, MATRICES };

static double element(test_random *random, int matrix) {
    double x, power;
    test_random_fill(random, &x, 1);
    test_random_fill(random, &power, 1);
    if (matrix == WIDE) return power > 0.9 ? 0 : ldexp(x, (int)(900 * power));
    if (matrix == TINY) return ldexp(x, -1060);
    return matrix == VAST ? ldexp(x, 1020) : x;
}

/* One matrix as both copies have it. */
typedef struct both {
    int64_t n;
    int matrix;
    double *A; /* column-major */
    test_matrix a;
    cls_copy bits, host;
} both;

static void set_up(both *s, test_random *random, int matrix, clsolve_layout layout, int64_t n, int64_t slab_bytes) {
    memset(s, 0, sizeof *s);
    s->n = n;
    s->matrix = matrix;
    s->A = small_doubles(n * n);
    for (int64_t k = 0; k < n * n; k++) s->A[k] = element(random, matrix);
    s->a = test_matrix_make(CLSOLVE_F64, layout, n, n, 1);
    test_matrix_set(&s->a, s->A);
    assert_ok(small_device, cls_copy_setup(small_device, n, CLSOLVE_F64, CLSOLVE_F32, 0, 0, slab_bytes, &s->bits));
    assert_ok(small_device, cls_copy_setup(small_device, n, CLSOLVE_F64, CLSOLVE_F32, 0, 1, 0, &s->host));
    assert_true(s->bits.bits.on && !s->host.bits.on);
}

static void tear_down(both *s) {
    cls_copy_release(&s->bits);
    cls_copy_release(&s->host);
    test_matrix_free(&s->a);
    free(s->A);
}

static void check_near(const char *what, double got, double expected) {
    if (!(fabs(got - expected) <= 1e-14 * fabs(expected))) fail_msg("%s: %g, not %g", what, got, expected);
}

static void check_measures(const both *s) {
    const cls_measures *bits = &s->bits.measures, *host = &s->host.measures;
    assert_int_equal(bits->row, host->row);
    assert_int_equal(bits->column, host->column);
    if (host->row >= 0) return;
    assert_true(s->bits.unit == s->host.unit && bits->largest == host->largest);
    check_near("norm1", bits->norm1, host->norm1);
    check_near("norm_inf", s->bits.norm_inf, s->host.norm_inf);
    assert_int_equal(s->bits.empty_line, s->host.empty_line);
    for (int64_t i = 0; i < s->n; i++)
        if (!(s->bits.r[i] == s->host.r[i] && s->bits.c[i] == s->host.c[i]))
            fail_msg("matrix %d, n %d: scale %d is %g, %g, not %g, %g", s->matrix, (int)s->n, (int)i, s->bits.r[i],
                     s->bits.c[i], s->host.r[i], s->host.c[i]);
}

/* The products of three may have no double on the way: they are formed by exponents. */
static void check_floats(both *s) {
    cls_matrix T = {0};
    int64_t n = s->n;
    SCRATCH float *got = test_room(n * n, sizeof *got);
    assert_ok(small_device, cls_matrix_create(small_device, CLSOLVE_F32, n, n, 1, 7 * 4 * n, &T));
    assert_ok(small_device, cls_copy_write(&s->bits, &T));
    cls_transfer none = {0};
    clsolve_matrix view = clsolve_matrix_f32(n, n, got);
    assert_ok(small_device, cls_download(small_device, &none, &T, n, &view, 0, NULL));
    for (int64_t k = 0; k < n * n; k++) {
        int power = ilogb(s->bits.unit) + ilogb(s->bits.r[k % n]) + ilogb(s->bits.c[k / n]);
        float expected = (float)ldexp(s->A[k], power);
        if (got[k] != expected) fail_msg("matrix %d, element %d: %a, not %a", s->matrix, (int)k, got[k], expected);
    }
    cls_matrix_destroy(small_device, &T);
}

/* Rounded once a slab, and before that wrong by no more than a few of the 62 bits that each product keeps. */
static void check_residual(both *s, test_random *random, clsolve_op op, int64_t cols, int with_b) {
    int64_t n = s->n, slabs = s->bits.A.slabs;
    int power = s->matrix == WIDE ? 0 : s->matrix == VAST ? -1000 : 0;
    SCRATCH double *X = small_doubles(n * cols);
    SCRATCH double *B = small_doubles(n * cols), *R = small_doubles(n * cols);
    for (int64_t k = 0; k < n * cols; k++) {
        X[k] = ldexp(element(random, s->matrix == WIDE ? WIDE : PLAIN), power - (s->matrix == WIDE ? 0 : (int)(k % 9)));
        B[k] = ldexp(element(random, PLAIN), s->matrix == TINY ? -500 : 0);
    }
    assert_ok(small_device, cls_copy_residual(&s->bits, op, cols, X, with_b ? B : NULL, R));
    for (int64_t k = 0; k < n * cols; k++) {
        long double sum = with_b ? B[k] : 0, size = fabsl(sum);
        for (int64_t j = 0; j < n; j++) {
            int64_t at = op == CLSOLVE_NO_TRANS ? k % n + j * n : j + k % n * n;
            long double product = (long double)s->bits.unit * s->A[at] * X[j + k / n * n];
            sum -= product;
            size += fabsl(product);
        }
        long double allowed = DBL_EPSILON / 2 * (fabsl(sum) * 1.001L + (slabs > 1 ? slabs * size : 0)) +
                              (n + 2) * 0x1p-61L * size + DBL_TRUE_MIN;
        if (isinf(R[k])) /* of one slab after the other, the sum may leave the range before it comes back */
            assert_true(fabsl(sum) > DBL_MAX || (slabs > 1 && size > DBL_MAX));
        else if (!(fabsl(R[k] - sum) <= allowed))
            fail_msg("matrix %d, n %d, op %d, element %d: %.17g, not %.17Lg", s->matrix, (int)n, (int)op, (int)k, R[k],
                     sum);
    }
}

static void one(test_random *random, int matrix, clsolve_layout layout, int64_t n, int64_t slab_bytes) {
    both s;
    set_up(&s, random, matrix, layout, n, slab_bytes);
    for (int scale = 0; scale <= 2; scale += 2) {
        assert_ok(small_device, cls_copy_take(&s.bits, &s.a.view, scale));
        assert_ok(small_device, cls_copy_take(&s.host, &s.a.view, scale));
        check_measures(&s);
    }
    check_floats(&s);
    check_residual(&s, random, CLSOLVE_NO_TRANS, 1, 1);
    check_residual(&s, random, CLSOLVE_TRANS, 5, 0);
    tear_down(&s);
}

static void without_double(void (*run)(test_random *random)) {
    int had = small_device->info.fp64;
    test_random random = test_random_start(60);
    small_device->info.fp64 = 0;
    run(&random);
    small_device->info.fp64 = had;
}

static void run_matrices(test_random *random) {
    for (int matrix = 0; matrix < MATRICES; matrix++) {
        one(random, matrix, CLSOLVE_COLUMN_MAJOR, 21, 0);
        if (matrix == 0 || !test_reduced()) one(random, matrix, CLSOLVE_ROW_MAJOR, 34, 9 * 34 * 8);
    }
    for (int64_t n = 1; n <= 3; n++) one(random, WIDE, n == 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR, n, 0);
}

TEST(test_matrices) {
    without_double(run_matrices);
}

/* The first one in column order; and X that is none makes a column of R none, and no other. */
static void run_nonfinite(test_random *random) {
    for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; layout++) {
        both s;
        set_up(&s, random, PLAIN, (clsolve_layout)layout, 6, 0);
        double X[12] = {1, 2, (double)INFINITY}, R[12];
        assert_ok(small_device, cls_copy_take(&s.bits, &s.a.view, 2));
        assert_ok(small_device, cls_copy_residual(&s.bits, CLSOLVE_NO_TRANS, 2, X, NULL, R));
        for (int k = 0; k < 12; k++) assert_true(k < 6 ? isnan(R[k]) : R[k] == 0);
        s.A[4 + 1 * 6] = (double)NAN;
        s.A[2 + 3 * 6] = -(double)INFINITY;
        test_matrix_set(&s.a, s.A);
        assert_ok(small_device, cls_copy_take(&s.bits, &s.a.view, 2));
        assert_ok(small_device, cls_copy_take(&s.host, &s.a.view, 2));
        check_measures(&s);
        assert_true(s.bits.measures.row == 4 && s.bits.measures.column == 1);
        tear_down(&s);
    }
}

/* Products of 27 and 27 bits: half of those that do not fit lie in the middle between two doubles, and go to the even
 * one. */
static void run_rounding(test_random *random) {
    enum { N = 40 };
    both s;
    double X[N], R[N];
    set_up(&s, random, PLAIN, CLSOLVE_COLUMN_MAJOR, N, 0);
    memset(s.A, 0, N * N * sizeof *s.A);
    for (int i = 0; i < N; i++) {
        s.A[i + i * N] = floor(ldexp(1 + fabs(element(random, PLAIN)), 26)) * (i % 3 ? 1 : -1);
        X[i] = floor(ldexp(1 + fabs(element(random, PLAIN)), 26));
    }
    test_matrix_set(&s.a, s.A);
    assert_ok(small_device, cls_copy_take(&s.bits, &s.a.view, 0));
    assert_ok(small_device, cls_copy_residual(&s.bits, CLSOLVE_NO_TRANS, 1, X, NULL, R));
    for (int i = 0; i < N; i++) assert_true(R[i] == -(s.A[i + i * N] * X[i]));
    tear_down(&s);
}

TEST(test_rounding) {
    without_double(run_rounding);
}

TEST(test_nonfinite) {
    without_double(run_nonfinite);
}

TEST_PROGRAM(small_open, small_close)
