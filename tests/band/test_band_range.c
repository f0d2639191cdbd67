/*
 * Which bands want the whole range of float in their products: those that pass through a window, because how large they
 * are is known with their last columns. A matrix unit's numbers end sooner than float's, so those products are not for
 * it. Bands of tiny numbers, which are scaled. And the option equilibrate where columns, or rows, are of sizes from one
 * end of the range to the other.
 */
#include "api/context.h"
#include "base/type.h"
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
    scratch_band A = test_band_random(&random, type, N, KL, KU, 12);
    clsolve_band_options options = test_band_options();
    cls_device *device = context->device;
    cls_blas_provider noting = *device->blas->provider;
    OWNED(band) *band = NULL;
    SCRATCH double *B = test_doubles(N * COLUMNS);

    for (int64_t k = 0; k < N * (KL + KU + 1); ++k) A.values[k] = test_rounded(type, A.values[k] * scale);
    for (int64_t k = 0; k < N * COLUMNS; ++k) B[k] = scale;
    scratch_matrix ab = test_band_view(&A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR, 0, 0);
    scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, N, COLUMNS, 0);
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
}

TEST(test_bands) {
    expect(CLSOLVE_F32, 1, 0, 0);
    expect(CLSOLVE_F32, 0x1p-90, 0, 0);
    expect(CLSOLVE_F32, 0x1p-136, 0, 0); /* it is scaled */
    expect(CLSOLVE_F32, 1, 1, 1);        /* how large it is comes to be known with its last columns */
    if (!clsolve_context_device(context).fp64) return;
    expect(CLSOLVE_F64, 1, 0, 0);
    expect(CLSOLVE_F64, 0x1p-1030, 0, 0);
}

/* A band of integers, its solution and its right-hand sides, times 2^exponent. */
typedef struct tiny_system {
    clsolve_type type;
    int64_t n, kl, ku;
    int exponent;
    const clsolve_band_options *options;
} tiny_system;

enum { SIDES = 2 };

static double wanted_of(int64_t i, int64_t c) {
    return (double)((i + 2 * c) % 5 - 2);
}

static void solves(const tiny_system *s, const test_band *plain, clsolve_band *band, clsolve_op op) {
    SCRATCH double *X = test_doubles(s->n * SIDES), *B = test_doubles(s->n * SIDES);
    scratch_matrix b = test_matrix_make(s->type, CLSOLVE_ROW_MAJOR, s->n, SIDES, 1);
    for (int64_t k = 0; k < s->n * SIDES; ++k) X[k] = wanted_of(k % s->n, k / s->n);
    test_band_multiply(plain, op, SIDES, X, B);
    for (int64_t k = 0; k < s->n * SIDES; ++k) B[k] = ldexp(B[k], s->exponent);
    test_matrix_set(&b, B);
    BAND_EXPECT(context, clsolve_band_solve(band, op, &b.view), CLSOLVE_OK);
    test_matrix_get(&b, B);
    for (int64_t k = 0; k < s->n * SIDES; ++k)
        if (!(fabs(B[k] - X[k]) <= 100 * cls_type_epsilon(s->type)))
            fail_msg("%s, n %d, block %d, op %d: x(%d) is %.17g, not %g", cls_type_name(s->type), (int)s->n,
                     (int)s->options->block, (int)op, (int)k, B[k], X[k]);
    /* X leaves the range, and B stays. */
    for (int64_t k = 0; k < s->n * SIDES; ++k) B[k] = s->type == CLSOLVE_F32 ? 0x1p60 : 0x1p600;
    test_matrix_set(&b, B);
    BAND_EXPECT(context, clsolve_band_solve(band, op, &b.view), CLSOLVE_OVERFLOW);
    test_matrix_get(&b, X);
    for (int64_t k = 0; k < s->n * SIDES; ++k) assert_true(X[k] == B[k]);
    B[1] = (double)NAN;
    test_matrix_set(&b, B);
    BAND_EXPECT(context, clsolve_band_solve(band, op, &b.view), CLSOLVE_ERROR_NONFINITE);
}

/* U of a plain band, times the power of two; L as it is. */
static void exports(const tiny_system *s, const test_band *plain, clsolve_band *band) {
    const int64_t rows = 2 * s->kl + s->ku + 1, kv = s->kl + s->ku;
    SCRATCH double *AFB = test_doubles(rows * s->n);
    SCRATCH int64_t *ipiv = malloc((size_t)s->n * sizeof *ipiv);
    scratch_matrix f = test_matrix_make(s->type, CLSOLVE_COLUMN_MAJOR, rows, s->n, 0);
    assert_non_null(ipiv);
    BAND_EXPECT(context, clsolve_band_factors(band, &f.view, ipiv), CLSOLVE_OK);
    test_matrix_get(&f, AFB);
    for (int64_t k = 0; k < rows * s->n; ++k)
        if (k % rows <= kv) AFB[k] = ldexp(AFB[k], -s->exponent);
    test_band_judge_factors(plain, AFB, ipiv, "a tiny band");
}

static void check_tiny(const tiny_system *s) {
    test_random random = test_random_start(4);
    scratch_band A = test_band_random(&random, s->type, s->n, s->kl, s->ku, 0);
    clsolve_report plain, tiny;
    OWNED(band) *band = NULL;

    for (int64_t j = 0; j < s->n; ++j)
        for (int64_t i = 0; i < s->n; ++i) {
            double *a = test_band_at(&A, i, j);
            if (a) *a = floor(4 * *a) + (i == j ? 32 : 0);
        }
    BAND_EXPECT(context, clsolve_band_create(context, s->n, s->kl, s->ku, s->type, s->options, &band), CLSOLVE_OK);
    test_matrix ab = test_band_view(&A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR, 0, 0);
    BAND_EXPECT(context, clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
    BAND_EXPECT(context, clsolve_band_report(band, &plain), CLSOLVE_OK);
    test_matrix_free(&ab);
    scratch_band scaled = A;
    scaled.values = test_doubles(s->n * (s->kl + s->ku + 1));
    for (int64_t k = 0; k < s->n * (s->kl + s->ku + 1); ++k) scaled.values[k] = ldexp(A.values[k], s->exponent);
    ab = test_band_view(&scaled, CLSOLVE_BAND_PLAIN, CLSOLVE_ROW_MAJOR, 1, (double)NAN);
    BAND_EXPECT(context, clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
    solves(s, &A, band, CLSOLVE_NO_TRANS);
    solves(s, &A, band, CLSOLVE_TRANS);
    BAND_EXPECT(context, clsolve_band_report(band, &tiny), CLSOLVE_OK);
    assert_int_equal(tiny.direct.equilibrated, 4);
    assert_true(tiny.direct.det_sign == plain.direct.det_sign);
    assert_true(fabs(tiny.direct.log_abs_det - plain.direct.log_abs_det - (double)s->n * s->exponent * log(2)) < 0.01);
    assert_true(fabs(tiny.direct.rcond / plain.direct.rcond - 1) < 0.01);
    assert_true(fabs(tiny.direct.growth / plain.direct.growth - 1) < 0.01);
    if (s->exponent > (cls_is_double(s->type) ? -1020 : -120)) exports(s, &A, band);
    test_matrix_free(&ab);
}

/* A band of tiny numbers is solved with the digits of one of ordinary numbers, in a narrow band, by blocks, through a
 * window, and with a copy; and its factors, determinant and condition are its own. */
TEST(test_tiny) {
    for (int type = CLSOLVE_F32; type <= CLSOLVE_F64; ++type)
        for (int how = 0; how < 8 && (type == CLSOLVE_F32 || clsolve_context_device(context).fp64); ++how) {
            clsolve_band_options options = test_band_options();
            const int exponents[] = {type == CLSOLVE_F32 ? -143 : -1060, type == CLSOLVE_F32 ? -110 : -980};
            tiny_system s = {(clsolve_type)type, 60, 5, 4, exponents[how % 2], &options};
            options.rcond = 1;
            if (how < 2 || how >= 6) s.n = 28, s.kl = 2, s.ku = 1;
            if (how >= 6) options.refine = 1;
            if (how >= 2 && how < 6) options.block = 25;
            if (how >= 4 && how < 6)
                options.memory_limit = test_band_least_limit(context, s.type, s.n, s.kl, s.ku, &options);
            check_tiny(&s);
        }
}

/* And what that does. */
TEST(test_matrix_unit) {
    cls_device device = {.matrix_unit = 90};
    cls_product p = {.type = CLSOLVE_F32, .m = 64, .n = 64, .k = 64, .alpha = -1, .beta = 1};

    assert_true(cls_builtin_mma_takes(&device, &p));
    p.options.whole_range = 1;
    assert_false(cls_builtin_mma_takes(&device, &p));
    p.type = CLSOLVE_F64; /* its products are double's own */
    assert_true(cls_builtin_mma_takes(&device, &p));
}

/* The residual of each row is small beside the sizes of the row's terms: no element of X is lost. */
TEST(test_equilibrate) {
    enum { N = 60, KL = 3, KU = 2, LENGTH = KL + KU + 1 };
    test_random random = test_random_start(2);
    scratch_band A = test_band_random(&random, CLSOLVE_F64, N, KL, KU, 0);
    clsolve_band_options options = test_band_options();
    OWNED(band) *band = NULL;
    SCRATCH double *size = test_doubles(N), *B = test_doubles(N), *X = test_doubles(N);

    if (!clsolve_context_device(context).fp64) skip(); /* float factors do not hold the scaled matrix */
    for (int64_t j = 0; j < N; ++j) {
        size[j] = ldexp(1, (int)(32 * j - 16 * (N - 1)));
        for (int64_t k = 0; k < LENGTH; ++k) A.values[k + j * LENGTH] *= size[j];
        A.values[KU + j * LENGTH] = 9 * size[j];
    }
    options.equilibrate = 1;
    scratch_matrix ab = test_band_view(&A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR, 0, 0);
    scratch_matrix b = test_matrix_make(CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, N, 1, 0);
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
}

int main(void) {
    test_require_device();
    context = test_context(0);
    int failed = test_run(NULL, NULL);
    clsolve_context_destroy(context);
    return failed;
}
