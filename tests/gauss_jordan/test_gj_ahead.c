/*
 * The next panel beside the products (src/method/gauss_jordan/blocked.c, src/method/lu/factor.c), on any device: the device
 * under test is told to be one whose queues run beside each other. With the same pivots the answer without that is the
 * same but for rounding; a wait that is missing shows where the two queues do run so.
 */
#include <clsolve/clsolve.h>

#include "api/context.h"
#include "api/gauss_jordan.h"
#include "api/lu_state.h"
#include "gauss_jordan/gj_support.h"
#include "method/panel/panel.h"

/* No multiple of a block. On a CPU the queues are not beside each other, so the order counts for nothing; elsewhere
 * it is beyond the least that panels are factored beside. */
enum { MOST = 2051, LESS = 643 };
static int64_t N;

static clsolve_context *context;
static const clsolve_type type = CLSOLVE_F32;
static double *A;

static int setup(void **state) {
    test_random random = test_random_start(1);
    context = test_context(1);
    N = strcmp(clsolve_context_device(context).platform, "Portable Computing Language") == 0 ? LESS : MOST;
    A = test_doubles(N * N);
    for (int64_t k = 0; k < N * N; ++k) A[k] = test_rounded(type, test_random_signed(&random));
    return 0;
}

static int teardown(void **state) {
    free(A);
    clsolve_context_destroy(context);
    return 0;
}

/* Panels beside the products of every order, or of none: the library's own choice depends on the order and the device. */
static int ahead;

int __wrap_cls_panel_worth_ahead(const cls_panel *panel, int64_t n);
int __wrap_cls_panel_worth_ahead(const cls_panel *panel, int64_t n) {
    (void)panel;
    (void)n;
    return ahead;
}

static void look_ahead(int beside) {
    ahead = beside;
}

static void invert(int beside, double *X) {
    clsolve_gauss_jordan_options options = {.variant = CLSOLVE_GAUSS_JORDAN_BLOCKED};
    scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, N, N, 0);
    OWNED(gauss_jordan) *gj = NULL;

    test_matrix_set(&a, A);
    look_ahead(beside);
    assert_int_equal(clsolve_gauss_jordan_create(context, N, type, &options, &gj), CLSOLVE_OK);
    assert_int_equal(gj->gj.ahead, beside);
    /* And once more in the same memory, in the order of larger matrices. */
    for (int round = 0; round <= beside; ++round) {
        gj->gj.products_first = round;
        test_matrix x = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, N, N, 0);
        assert_int_equal(clsolve_gauss_jordan_invert(gj, &a.view, &x.view), CLSOLVE_OK);
        test_matrix_get(&x, X);
        test_matrix_free(&x);
        double ratio = ratio_inverse(type, N, A, X);
        if (!(ratio < 30)) fail_msg("beside %d, round %d: ratio %g", beside, round, ratio);
    }
}

TEST(test_inverse) {
    SCRATCH double *X = test_doubles(N * N), *Y = test_doubles(N * N);
    double most = 0, off = 0;
    invert(0, X);
    invert(1, Y);
    for (int64_t k = 0; k < N * N; ++k) {
        most = fmax(most, fabs(X[k]));
        off = test_worst(off, fabs(X[k] - Y[k]));
    }
    /* Both are off by their condition's share; a row or a column out of its place by all of it. */
    if (!(off <= 0.05 * most)) fail_msg("the largest difference is %g of %g", off, most);
}

typedef struct shape {
    int64_t n, block, slab; /* columns of a block, or 0; of a slab, or 0 */
} shape;

/* The largest element of |A X - B| over epsilon and what rounding may leave, for X from the leading n x n of A. */
static double solve_ratio(int ahead, const shape *s) {
    clsolve_lu_options options = {.panel = CLSOLVE_PANEL_NATIVE, .block = (int32_t)s->block};
    test_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, N, N, 0);
    test_matrix x = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, s->n, 1, 0);
    static double B[MOST], X[MOST];
    double residual = 0, norm = 0;
    clsolve_lu *lu = NULL;

    options.slab_bytes = s->slab * s->n * 4 + s->slab * 4 * 64; /* padding too */
    for (int64_t i = 0; i < s->n; ++i) B[i] = (double)(i % 11 - 5);
    test_matrix_set(&a, A);
    test_matrix_set(&x, B);
    a.view.rows = a.view.cols = s->n;
    look_ahead(ahead);
    assert_int_equal(clsolve_lu_create(context, s->n, type, &options, &lu), CLSOLVE_OK);
    if (s->slab > 0) assert_true(lu->lu.A.slabs > 2);
    assert_int_equal(lu->lu.ahead, ahead);
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

TEST(test_factors) {
    /* As they come; strips that divide their blocks, that don't, and blocks of one strip; L in several buffers. */
    const shape shapes[] = {{N, 0, 0}, {N, 256, 0}, {N, 288, 0}, {331, 32, 0}, {N, 128, 256}, {288, 288, 0}};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; ++k)
        for (int ahead = 0; ahead < 2; ++ahead) {
            double ratio = solve_ratio(ahead, &shapes[k]);
            if (!(ratio <= 30)) fail_msg("ahead %d, shape %d: ratio %g", ahead, (int)k, ratio);
        }
}

TEST_PROGRAM_ALONE(setup, teardown)
