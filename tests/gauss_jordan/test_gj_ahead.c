/*
 * The next panel beside the products (src/method/gauss_jordan/blocked.c, src/method/lu/lookahead.c), on any device: the device
 * under test is told to be one whose queues run beside each other. With the same pivots the answer without that is the
 * same but for rounding; a wait that is missing shows where the two queues do run so.
 */
#include <clsolve/clsolve.h>

#include <math.h>
#include <stdlib.h>

#include "api/context.h"
#include "api/gauss_jordan.h"
#include "api/lu.h"
#include "gauss_jordan/gj_support.h"

enum { N = 2051 }; /* beyond the least that panels are factored beside, and no multiple of a block */

static clsolve_context *context;
static const clsolve_type type = CLSOLVE_F32;
static double *A;

static int setup(void **state) {
    test_random random = test_random_start(1);
    (void)state;
    context = test_context(1);
    A = gj_doubles((int64_t)N * N);
    for (int64_t k = 0; k < (int64_t)N * N; ++k) A[k] = test_rounded(type, test_random_signed(&random));
    return 0;
}

static int teardown(void **state) {
    (void)state;
    free(A);
    clsolve_context_destroy(context);
    return 0;
}

/* The largest element of |A X - I| in a few columns of X, over n ||A|| ||X|| epsilon. */
static double inverse_ratio(const double *X) {
    double worst = 0, norm_a = 0, norm_x = 0;
    for (int64_t i = 0; i < N; ++i) {
        double row_a = 0, row_x = 0;
        for (int64_t j = 0; j < N; ++j) {
            row_a += fabs(A[i + j * N]);
            row_x += fabs(X[i + j * N]);
        }
        norm_a = fmax(norm_a, row_a);
        norm_x = fmax(norm_x, row_x);
    }
    for (int64_t j = 0; j < N; j += 127)
        for (int64_t i = 0; i < N; ++i) {
            double sum = i == j ? -1 : 0;
            for (int64_t k = 0; k < N; ++k) sum += A[i + k * N] * X[k + j * N];
            worst = test_worst(worst, fabs(sum));
        }
    return worst / (norm_a * norm_x * N * test_epsilon(type));
}

static void invert(int beside, double *X) {
    clsolve_gauss_jordan_options options = {.variant = CLSOLVE_GAUSS_JORDAN_BLOCKED};
    test_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, N, N, 0);
    clsolve_gauss_jordan *gj = NULL;
    int before = context->device->beside;

    test_matrix_set(&a, A);
    context->device->beside = beside;
    clsolve_status status = clsolve_gauss_jordan_create(context, N, type, &options, &gj);
    context->device->beside = before;
    assert_int_equal(status, CLSOLVE_OK);
    /* And once more in the same memory, in the order of larger matrices. */
    for (int round = 0; round <= beside; ++round) {
        gj->gj.products_first = round;
        test_matrix x = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, N, N, 0);
        assert_int_equal(clsolve_gauss_jordan_invert(gj, &a.view, &x.view), CLSOLVE_OK);
        test_matrix_get(&x, X);
        test_matrix_free(&x);
        double ratio = inverse_ratio(X);
        if (!(ratio < 30)) fail_msg("beside %d, round %d: ratio %g", beside, round, ratio);
    }
    clsolve_gauss_jordan_destroy(gj);
    test_matrix_free(&a);
}

static void test_inverse(void **state) {
    double *X = gj_doubles((int64_t)N * N), *Y = gj_doubles((int64_t)N * N), most = 0, off = 0;
    (void)state;
    invert(0, X);
    invert(1, Y);
    for (int64_t k = 0; k < (int64_t)N * N; ++k) {
        most = fmax(most, fabs(X[k]));
        off = test_worst(off, fabs(X[k] - Y[k]));
    }
    /* Both are off by their condition's share; a row or a column out of its place by all of it. */
    if (!(off <= 0.05 * most)) fail_msg("the largest difference is %g of %g", off, most);
    free(X);
    free(Y);
}

typedef struct shape {
    int64_t n, block, slab; /* columns of a block, or 0; of a slab, or 0 */
} shape;

/* The largest element of |A X - B| over epsilon and what rounding may leave, for X from the leading n x n of A. */
static double solve_ratio(int ahead, const shape *s) {
    clsolve_lu_options options = {.panel = CLSOLVE_PANEL_NATIVE, .block = (int32_t)s->block};
    test_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, N, N, 0);
    test_matrix x = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, s->n, 1, 0);
    double B[N], X[N], residual = 0, norm = 0;
    clsolve_lu *lu = NULL;
    int before = context->device->beside;

    options.slab_bytes = s->slab * s->n * 4 + s->slab * 4 * 64; /* padding too */
    for (int64_t i = 0; i < s->n; ++i) B[i] = (double)(i % 11 - 5);
    test_matrix_set(&a, A);
    test_matrix_set(&x, B);
    a.view.rows = a.view.cols = s->n;
    context->device->beside = ahead;
    clsolve_status status = clsolve_lu_create(context, s->n, type, &options, &lu);
    context->device->beside = before;
    assert_int_equal(status, CLSOLVE_OK);
    if (s->slab > 0) assert_true(lu->lu.A.slabs > 2);
    lu->lu.ahead = ahead;
    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &x.view), CLSOLVE_OK);
    test_matrix_get(&x, X);
    clsolve_lu_destroy(lu);
    test_matrix_free(&x);
    test_matrix_free(&a);
    for (int64_t i = 0; i < s->n; ++i) {
        double sum = -B[i], size = fabs(B[i]);
        for (int64_t k = 0; k < s->n; ++k) {
            sum += A[i + k * N] * X[k];
            size += fabs(A[i + k * N] * X[k]);
        }
        residual = test_worst(residual, fabs(sum));
        norm = fmax(norm, size);
    }
    return residual / (norm * (double)s->n * test_epsilon(type));
}

static void test_factors(void **state) {
    /* As they come; strips that divide their blocks, that don't, and blocks of one strip; L in several buffers. */
    const shape shapes[] = {{N, 0, 0}, {1027, 384, 0}, {1027, 288, 0}, {999, 32, 0}, {1027, 256, 256}, {640, 640, 0}};
    (void)state;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; ++k)
        for (int ahead = 0; ahead < 2; ++ahead) {
            double ratio = solve_ratio(ahead, &shapes[k]);
            if (!(ratio <= 30)) fail_msg("ahead %d, shape %d: ratio %g", ahead, (int)k, ratio);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_inverse), cmocka_unit_test(test_factors)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
