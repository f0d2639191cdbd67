/*
 * Which bands want the whole range of float in their products: such as no other method factors without bringing them to another size
 * first. A matrix unit's numbers end sooner than float's, so those products are not for it. And the option equilibrate where
 * columns, or rows, are of sizes from one end of the range to the other.
 */
#include <math.h>
#include <stdlib.h>

#include "api/context.h"
#include "band/band_support.h"
#include "blas/builtin.h"

static clsolve_context *context;

static struct {
    const cls_blas_provider *real;
    int products, wanted; /* of those, with the whole range */
} spy;

static clsolve_status noted(cls_device *device, const cls_product *product) {
    spy.products++;
    spy.wanted += product->options.whole_range;
    return spy.real->gemm(device, product);
}

/* What the products of a factorization and of a solve ask for. */
static void expect(clsolve_type type, double scale, int window, int whole) {
    enum { N = 60, KL = 5, KU = 4, COLUMNS = 9 };
    test_random random = test_random_start(1);
    test_band A = test_band_random(&random, type, N, KL, KU, 12);
    clsolve_band_options options = test_band_options();
    cls_device *device = context->device;
    cls_blas_provider noting = *device->blas->provider;
    clsolve_band *band = NULL;
    double *B = test_doubles(N * COLUMNS);

    for (int64_t k = 0; k < N * (KL + KU + 1); ++k) A.values[k] = test_rounded(type, A.values[k] * scale);
    for (int64_t k = 0; k < N * COLUMNS; ++k) B[k] = scale;
    test_matrix ab = test_band_view(&A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR, 0, 0);
    test_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, N, COLUMNS, 0);
    test_matrix_set(&b, B);
    spy.real = device->blas->provider;
    noting.gemm = noted;
    device->blas->provider = &noting;

    options.block = 25;
    if (window) options.memory_limit = test_band_least_limit(context, type, N, KL, KU, &options);
    BAND_EXPECT(context, clsolve_band_create(context, N, KL, KU, type, &options, &band), CLSOLVE_OK);
    spy.products = spy.wanted = 0;
    BAND_EXPECT(context, clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
    assert_true(spy.products > 0);
    assert_int_equal(spy.wanted, whole ? spy.products : 0);
    spy.products = spy.wanted = 0;
    BAND_EXPECT(context, clsolve_band_solve(band, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_OK);
    assert_true(spy.products > 0);
    assert_int_equal(spy.wanted, whole ? spy.products : 0);

    device->blas->provider = spy.real;
    clsolve_band_destroy(band);
    test_matrix_free(&ab);
    test_matrix_free(&b);
    test_band_free(&A);
    free(B);
}

static void test_bands(void **state) {
    (void)state;
    expect(CLSOLVE_F32, 1, 0, 0);
    expect(CLSOLVE_F32, 0x1p-90, 0, 0);
    expect(CLSOLVE_F32, 0x1p-120, 0, 1);
    expect(CLSOLVE_F32, 0x1p-136, 0, 1);
    expect(CLSOLVE_F32, 1, 1, 1); /* how large it is comes to be known with its last columns */
    if (!clsolve_context_device(context).fp64) return;
    expect(CLSOLVE_F64, 1, 0, 0);
    expect(CLSOLVE_F64, 0x1p-1030, 0, 1);
}

/* And what that does. */
static void test_matrix_unit(void **state) {
    cls_device device = {.matrix_unit = 90};
    cls_product p = {.type = CLSOLVE_F32, .m = 64, .n = 64, .k = 64, .alpha = -1, .beta = 1};
    (void)state;

    assert_true(cls_builtin_mma_takes(&device, &p));
    p.options.whole_range = 1;
    assert_false(cls_builtin_mma_takes(&device, &p));
    p.type = CLSOLVE_F64; /* its products are double's own */
    assert_true(cls_builtin_mma_takes(&device, &p));
}

/* The residual of each row is small beside the sizes of the row's terms: no element of X is lost. */
static void test_equilibrate(void **state) {
    enum { N = 60, KL = 3, KU = 2, LENGTH = KL + KU + 1 };
    test_random random = test_random_start(2);
    test_band A = test_band_random(&random, CLSOLVE_F64, N, KL, KU, 0);
    clsolve_band_options options = test_band_options();
    clsolve_band *band = NULL;
    double *size = test_doubles(N), *B = test_doubles(N), *X = test_doubles(N);
    (void)state;

    if (!clsolve_context_device(context).fp64) skip(); /* float factors do not hold the scaled matrix */
    for (int64_t j = 0; j < N; ++j) {
        size[j] = ldexp(1, (int)(32 * j - 16 * (N - 1)));
        for (int64_t k = 0; k < LENGTH; ++k) A.values[k + j * LENGTH] *= size[j];
        A.values[KU + j * LENGTH] = 9 * size[j];
    }
    options.equilibrate = 1;
    test_matrix ab = test_band_view(&A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR, 0, 0);
    test_matrix b = test_matrix_make(CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, N, 1, 0);
    BAND_EXPECT(context, clsolve_band_create(context, N, KL, KU, CLSOLVE_F64, &options, &band), CLSOLVE_OK);
    BAND_EXPECT(context, clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; ++op) {
        for (int64_t i = 0; i < N; ++i) B[i] = test_random_signed(&random) * (op ? size[i] : 1);
        test_matrix_set(&b, B);
        BAND_EXPECT(context, clsolve_band_solve(band, (clsolve_op)op, &b.view), CLSOLVE_OK);
        test_matrix_get(&b, X);
        for (int64_t i = 0; i < N; ++i) {
            long double rest = B[i], sum = fabs(B[i]);
            for (int64_t j = 0; j < N; ++j) {
                const int64_t row = op ? j : i, column = op ? i : j;
                if (row - column > KL || column - row > KU) continue;
                const long double term = (long double)A.values[KU + row - column + column * LENGTH] * X[j];
                rest -= term;
                sum += fabsl(term);
            }
            if (!(fabsl(rest) <= 1e-12L * sum)) fail_msg("op %d, row %d: %Lg of %Lg", op, (int)i, rest, sum);
        }
    }
    clsolve_band_destroy(band);
    test_matrix_free(&ab), test_matrix_free(&b);
    test_band_free(&A);
    free(size), free(B), free(X);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bands), cmocka_unit_test(test_matrix_unit),
                                       cmocka_unit_test(test_equilibrate)};
    test_require_device();
    context = test_context(0);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    clsolve_context_destroy(context);
    return failed;
}
