/*
 * Cholesky of bands, of all types, in both forms and layouts: LAPACK's ratios at awkward orders and widths, by the loops and by
 * LAPACK; condition, refinement, scaling and mixed precision; bands that are not positive definite, or hold NaN; arguments.
 *
 * With CLSOLVE_HOST=never all of it is done on the device, by kernels where that has memory of its own.
 */
#include <clsolve/clsolve.h>

#include <lapacke.h>

#include "base/type.h"
#include "cholesky/hermitian_support.h"
#include "support/fixture.h"

static const double spare = -77.25;

typedef struct array {
    clsolve_matrix view;
    int64_t elements;
} array;

static array make(clsolve_type type, int64_t rows, int64_t cols, int by_rows) {
    array a = {.view = {.type = type, .rows = rows, .cols = cols}};
    const int64_t line = by_rows ? cols : rows, lines = by_rows ? rows : cols;
    a.view.layout = by_rows ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
    a.view.ld = line + 2;
    a.elements = a.view.ld * lines + 1;
    a.view.data = calloc((size_t)a.elements, (size_t)cls_type_size(type));
    assert_non_null(a.view.data);
    for (int64_t k = 0; k < a.elements * cls_type_parts(type); ++k) cls_type_put(type, a.view.data, k, spare);
    return a;
}

static int64_t at(const array *a, int64_t row, int64_t column) {
    return a->view.layout == CLSOLVE_ROW_MAJOR ? row * a->view.ld + column : row + column * a->view.ld;
}

static void put(const array *a, int64_t row, int64_t column, double complex value) {
    const int64_t k = at(a, row, column) * cls_type_parts(a->view.type);
    cls_type_put(a->view.type, a->view.data, k, creal(value));
    if (cls_is_complex(a->view.type)) cls_type_put(a->view.type, a->view.data, k + 1, cimag(value));
}

static double complex get(const array *a, int64_t row, int64_t column) {
    const int64_t k = at(a, row, column) * cls_type_parts(a->view.type);
    const double re = cls_type_get(a->view.type, a->view.data, k);
    return cls_is_complex(a->view.type) ? re + cls_type_get(a->view.type, a->view.data, k + 1) * I : re;
}

/* Element (i, j) of the triangle; the row of the array in which it lies. */
static int64_t row_of(clsolve_uplo uplo, int64_t k, int64_t i, int64_t j) {
    return uplo == CLSOLVE_LOWER ? i - j : k + i - j;
}

static int has(clsolve_uplo uplo, int64_t k, int64_t i, int64_t j) {
    return triangle_has(uplo, i, j) && i - j <= k && j - i <= k;
}

/* Imaginary parts on the diagonal count for nothing, whatever they are. */
static void store(const array *AB, clsolve_uplo uplo, int64_t k, const double complex *A) {
    const int64_t n = AB->view.cols;
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i)
            if (has(uplo, k, i, j))
                put(AB, row_of(uplo, k, i, j), j, i == j ? CMPLX(creal(A[i + j * n]), NAN) : A[i + j * n]);
}

/* Everything outside of the triangle must still be `spare`. */
static void load(const array *AB, clsolve_uplo uplo, int64_t k, double complex *A) {
    const int64_t n = AB->view.cols;
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) {
            A[i + j * n] = 0;
            if (!has(uplo, k, i, j)) continue;
            A[i + j * n] = get(AB, row_of(uplo, k, i, j), j);
            put(AB, row_of(uplo, k, i, j), j, spare + (cls_is_complex(AB->view.type) ? spare * I : 0));
        }
    for (int64_t e = 0; e < AB->elements * cls_type_parts(AB->view.type); ++e)
        assert_true(cls_type_get(AB->view.type, AB->view.data, e) == spare);
}

static double complex *fill(test_random *random, clsolve_type type, int64_t n, int64_t k) {
    double complex *A = test_room((n * n) + 1, sizeof *A);
    const int64_t wide = k < n ? k : n;
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = j; i < n && i <= j + k; ++i) {
            A[i + j * n] = i == j ? test_rounded(type, 3 * (double)wide + 1 + test_random_unit(random))
                                  : hermitian_drawn(random, type);
            A[j + i * n] = conj(A[i + j * n]);
        }
    return A;
}

static int on_device(void) {
    const char *host = getenv("CLSOLVE_HOST");
    return host && strcmp(host, "never") == 0 && strcmp(clsolve_context_device(context).backend, "host") != 0;
}

static int by_kernels(void) {
    return on_device() && !clsolve_context_device(context).host_memory;
}

/* 1: rcond and refine; 2: equilibrate; 3: mixed, of doubles. */
static clsolve_band_cholesky_options options_of(clsolve_type type, int trusted) {
    clsolve_band_cholesky_options options = {
        .rcond = trusted == 1, .refine = trusted == 1, .equilibrate = trusted == 2};
    if (trusted == 3 && cls_is_double(type)) options.precision = CLSOLVE_PRECISION_MIXED;
    return options;
}

static clsolve_band_cholesky *handle_of(int64_t n, int64_t k, clsolve_type type, int trusted) {
    const clsolve_band_cholesky_options options = options_of(type, trusted);
    clsolve_band_cholesky *band = NULL;
    test_works(context, clsolve_band_cholesky_create(context, n, k, type, &options, &band));
    return band;
}

#define EXPECT(call, wanted, words) TEST_EXPECT(context, call, wanted, words)

#define RATIO(what, value)                                                                                             \
    do {                                                                                                               \
        const double ratio_ = (value);                                                                                 \
        if (!(ratio_ < RATIO_BOUND))                                                                                   \
            fail_msg("%s, %s, n %d, k %d: ratio %g", what, cls_type_name(type), (int)n, (int)k, ratio_);               \
    } while (0)

static void check_with(test_random *random, clsolve_type type, int64_t n, int64_t k, int how,
                       const clsolve_band_cholesky_options *options) {
    const int mixed = options->precision == CLSOLVE_PRECISION_MIXED;
    const int copies = mixed || options->refine || options->equilibrate;
    const clsolve_type inner = mixed ? cls_single_type(type) : type;
    const clsolve_uplo read = how & 1 ? CLSOLVE_UPPER : CLSOLVE_LOWER;
    const clsolve_uplo written = how & 2 ? CLSOLVE_UPPER : CLSOLVE_LOWER;
    const int64_t nrhs = 1 + how % 3;
    SCRATCH double complex *A = fill(random, type, n, k), *F = test_room(n * n, sizeof *F);
    SCRATCH double complex *X = test_room(n * nrhs, sizeof *X), *B = test_room(n * nrhs, sizeof *B);
    array AB = make(type, k + 1, n, how & 4), b = make(type, n, nrhs, how & 2);
    array factor = make(inner, k + 1, n, how & 4);
    clsolve_band_cholesky *band = NULL;
    clsolve_report report;
    double rcond = -1;

    test_works(context, clsolve_band_cholesky_create(context, n, k, type, options, &band));
    store(&AB, read, k, A);
    test_works(context, clsolve_band_cholesky_factor(band, read, &AB.view));
    load(&AB, read, k, F);
    test_works(context, clsolve_band_cholesky_factors(band, written, &factor.view));
    load(&factor, written, k, F);
    if (n > 0) RATIO("factor", hermitian_factor_ratio(inner, n, A, F, written));
    for (int64_t e = 0; e < n * nrhs; ++e) put(&b, e % n, e / n, B[e] = hermitian_drawn(random, type));
    test_works(context, clsolve_band_cholesky_solve(band, &b.view));
    for (int64_t e = 0; e < n * nrhs; ++e) X[e] = get(&b, e % n, e / n);
    if (n > 0) RATIO("solve", hermitian_solve_ratio(type, n, nrhs, A, X, B));

    test_works(context, clsolve_band_cholesky_report(band, &report));
    assert_string_equal(report.method, "band-cholesky");
    assert_string_equal(report.where, on_device() ? "device" : "host");
    assert_string_equal(report.band.panel, by_kernels() ? "native" : "lapack");
    if (mixed) assert_string_equal(report.precision, "mixed");
    assert_int_equal(report.band.lower, k < n ? k : n > 0 ? n - 1 : 0);
    if (!mixed) { /* float factors only bound it */
        test_works(context, clsolve_band_cholesky_condition(band, n > 0 ? hermitian_norm(n, n, A) : 0, &rcond));
        assert_true(n == 0 ? rcond == 1 : rcond > 0.01 && rcond <= 1.01); /* dominant */
    }
    if (options->rcond && n > 0) assert_true(fabs(report.direct.rcond - rcond) <= 0.01 * rcond);
    if (n > 0) assert_true(report.direct.det_sign == 1);
    if (!copies) { /* the factor given back solves as well */
        array given = make(type, k + 1, n, how & 2);
        store(&given, written, k, F);
        test_works(context, clsolve_band_cholesky_import(band, written, &given.view));
        for (int64_t e = 0; e < n * nrhs; ++e) put(&b, e % n, e / n, B[e]);
        test_works(context, clsolve_band_cholesky_solve(band, &b.view));
        for (int64_t e = 0; e < n * nrhs; ++e) X[e] = get(&b, e % n, e / n);
        if (n > 0) RATIO("import", hermitian_solve_ratio(type, n, nrhs, A, X, B));
        free(given.view.data);
    }
    clsolve_band_cholesky_destroy(band);
    free(factor.view.data);
    free(AB.view.data);
    free(b.view.data);
}

static void check(test_random *random, clsolve_type type, int64_t n, int64_t k, int how) {
    const clsolve_band_cholesky_options options = options_of(type, how % 5 == 0    ? 1
                                                                   : how % 7 == 0  ? 2
                                                                   : how % 11 == 0 ? 3
                                                                                   : 0);
    check_with(random, type, n, k, how, &options);
}

TEST(test_orders) {
    static const int64_t orders[] = {0, 1, 2, 3, 5, 17, 40}, widths[] = {0, 1, 2, 3, 4, 5, 8, 9, 41};
    test_random random = test_random_start(720);
    int how = 0;
    for (int t = 0; t < CLS_TYPES; ++t) {
        for (size_t o = 0; o < sizeof orders / sizeof *orders; ++o)
            for (size_t w = 0; w < sizeof widths / sizeof *widths; ++w) {
                if (test_reduced() && ((size_t)t + w) % CLS_TYPES)
                    continue; /* each width is a program of its own: in one type */
                check(&random, (clsolve_type)(CLSOLVE_F32 + t), orders[o], widths[w], how++ % 40);
            }
        check(&random, (clsolve_type)(CLSOLVE_F32 + t), 150, 129, how++ % 40); /* LAPACK's */
    }
}

/* Several blocks, leaves of a block and slabs, where the device factors. */
TEST(test_blocks) {
    static const struct {
        int64_t n, k;
        int32_t block;
        int64_t slab_bytes;
    } shapes[] = {{128, 0, 0, 0},     {129, 1, 0, 0},     {200, 64, 0, 0},       {257, 63, 0, 0},
                  {130, 129, 128, 0}, {260, 100, 256, 0}, {331, 70, 64, 150000}, {300, 299, 64, 400000},
                  {211, 40, 64, 1},   {530, 150, 128, 0}, /* look-ahead, where the device has it */
                  {400, 150, 128, 0}};
    test_random random = test_random_start(725);
    int how = 0;
    if (!by_kernels()) return;
    for (int t = 0; t < CLS_TYPES; ++t)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s, ++how) {
            const clsolve_type type = (clsolve_type)(CLSOLVE_F32 + t);
            clsolve_band_cholesky_options options = options_of(type, how % 4);
            if (test_reduced() && shapes[s].n < 500 && (s + (size_t)t) % 2) continue;
            if (shapes[s].n > 500 ? type != CLSOLVE_F64 : (how + t) % 3 > 0 && shapes[s].n > 250) continue;
            options.block = shapes[s].block;
            options.slab_bytes = shapes[s].slab_bytes;
            check_with(&random, type, shapes[s].n, shapes[s].k, how, &options);
        }
}

/* Rows of very different size: equal but for powers of two, so that what is scaled has the factor of the plain matrix. */
TEST(test_scaling) {
    enum { N = 40, K = 5 };
    test_random random = test_random_start(726);
    for (int t = 0; t < CLS_TYPES; ++t)
        for (int trusted = 2; trusted < 4; ++trusted) {
            const clsolve_type type = (clsolve_type)(CLSOLVE_F32 + t);
            const clsolve_band_cholesky_options options = options_of(type, trusted);
            const clsolve_type inner = options.precision == CLSOLVE_PRECISION_MIXED ? cls_single_type(type) : type;
            double complex *A = fill(&random, type, N, K), X[N], B[N], F[N * N];
            array AB = make(type, K + 1, N, 1), b = make(type, N, 1, 0), factor = make(inner, K + 1, N, 0);
            clsolve_band_cholesky *band = handle_of(N, K, type, trusted);
            clsolve_report report;
#define SIZE(i) ldexp(1, 3 * (int)(i) % 17 - 8)
            for (int64_t e = 0; e < N * N; ++e) A[e] *= SIZE(e % N) * SIZE(e / N);
            store(&AB, CLSOLVE_UPPER, K, A);
            test_works(context, clsolve_band_cholesky_factor(band, CLSOLVE_UPPER, &AB.view));
            test_works(context, clsolve_band_cholesky_factors(band, CLSOLVE_LOWER, &factor.view));
            load(&factor, CLSOLVE_LOWER, K, F);
            for (int64_t e = 0; e < N; ++e) put(&b, e, 0, B[e] = hermitian_drawn(&random, type));
            test_works(context, clsolve_band_cholesky_solve(band, &b.view));
            for (int64_t e = 0; e < N; ++e) {
                X[e] = get(&b, e, 0) * SIZE(e);
                B[e] /= SIZE(e);
            }
            for (int64_t e = 0; e < N * N; ++e) {
                A[e] /= SIZE(e % N) * SIZE(e / N);
                F[e] /= SIZE(e % N);
            }
            const int64_t n = N, k = K;
            RATIO("scaled solve", hermitian_solve_ratio(type, N, 1, A, X, B));
            RATIO("scaled factor", hermitian_factor_ratio(inner, N, A, F, CLSOLVE_LOWER));
            test_works(context, clsolve_band_cholesky_report(band, &report));
            if (trusted == 2) assert_int_equal(report.direct.equilibrated, 3);
#undef SIZE
            clsolve_band_cholesky_destroy(band);
            free(factor.view.data);
            free(AB.view.data);
            free(b.view.data);
            free(A);
        }
}

/* Not positive definite in float alone: double factors take the place. */
TEST(test_fall_back) {
    const double e = 0x1p-30;
    double ab[] = {1, 1 - e, 1, 0}, b[] = {2 - e, 2 - e};
    clsolve_matrix AB = clsolve_matrix_f64(2, 2, ab), B = clsolve_matrix_f64(2, 1, b);
    OWNED(band_cholesky) *band = handle_of(2, 1, CLSOLVE_F64, 3);
    clsolve_report report;
    const int has_double = clsolve_context_device(context).fp64;
    const clsolve_status status = clsolve_band_cholesky_factor(band, CLSOLVE_LOWER, &AB);
    assert_int_equal(status, has_double ? CLSOLVE_OK : CLSOLVE_NOT_POSITIVE_DEFINITE);
    if (has_double) {
        test_works(context, clsolve_band_cholesky_solve(band, &B));
        assert_true(fabs(b[0] - 1) < 1e-5 && fabs(b[1] - 1) < 1e-5);
        test_works(context, clsolve_band_cholesky_report(band, &report));
        assert_int_equal(report.direct.fallback_reason, CLSOLVE_FALLBACK_SINGULAR);
    }
}

/* Scaled into float's range, the factor is a float one. That of A itself is not. */
TEST(test_float_range) {
    for (int k = 0; k < 2; ++k) {
        const double a = ldexp(1, k ? 300 : -400);
        double ab[] = {4 * a, a, 4 * a, 0, 4 * a, 0}, b[] = {5 * a, 5 * a, 4 * a};
        float kept[6] = {7, 7, 7, 7, 7, 7};
        clsolve_matrix AB = clsolve_matrix_f64(2, 3, ab), B = clsolve_matrix_f64(3, 1, b);
        clsolve_matrix F = clsolve_matrix_f32(2, 3, kept);
        OWNED(band_cholesky) *band = handle_of(3, 1, CLSOLVE_F64, 3);
        test_works(context, clsolve_band_cholesky_factor(band, CLSOLVE_LOWER, &AB));
        EXPECT(clsolve_band_cholesky_factors(band, CLSOLVE_LOWER, &F), CLSOLVE_OVERFLOW, "range of float");
        for (int e = 0; e < 6; ++e) assert_true(kept[e] == 7);
        test_works(context, clsolve_band_cholesky_solve(band, &B));
        for (int e = 0; e < 3; ++e) assert_true(fabs(b[e] - 1) < 1e-12);
    }
}

/* The logarithm of the determinant and the condition against LAPACK's. */
TEST(test_numbers_of_report) {
    enum { N = 30, K = 4 };
    const clsolve_type type = CLSOLVE_F64;
    test_random random = test_random_start(721);
    SCRATCH double complex *A = fill(&random, type, N, K);
    array AB = make(type, K + 1, N, 0);
    clsolve_band_cholesky *band = handle_of(N, K, type, 1);
    double ab[(K + 1) * N], work[3 * N], rcond, log_det = 0;
    lapack_int iwork[N];
    clsolve_report report;
    store(&AB, CLSOLVE_LOWER, K, A);
    for (int64_t j = 0; j < N; ++j)
        for (int64_t d = 0; d <= K; ++d) ab[d + j * (K + 1)] = j + d < N ? creal(A[j + d + j * N]) : 0;
    assert_int_equal(LAPACKE_dpbtrf_work(LAPACK_COL_MAJOR, 'L', N, K, ab, K + 1), 0);
    assert_int_equal(
        LAPACKE_dpbcon_work(LAPACK_COL_MAJOR, 'L', N, K, ab, K + 1, hermitian_norm(N, N, A), &rcond, work, iwork), 0);
    for (int64_t j = 0; j < N; ++j) log_det += 2 * log(ab[j * (K + 1)]);
    test_works(context, clsolve_band_cholesky_factor(band, CLSOLVE_LOWER, &AB.view));
    test_works(context, clsolve_band_cholesky_report(band, &report));
    assert_true(fabs(report.direct.log_abs_det - log_det) <= 1e-9);
    assert_true(report.direct.rcond <= 3 * rcond && rcond <= 3 * report.direct.rcond);
    clsolve_band_cholesky_destroy(band);
    free(AB.view.data);
}

/* Near the ends of the range of the type, with a copy and without. */
TEST(test_range) {
    test_random random = test_random_start(722);
    for (int t = 0; t < CLS_TYPES; ++t)
        for (int how = 0; how < 4; ++how) {
            const clsolve_type type = (clsolve_type)(CLSOLVE_F32 + t);
            enum { N = 12, K = 3 };
            const int64_t n = N, k = K;
            const double unit = how & 1 ? 0x1p-100 : 0x1p100;
            double complex *A = fill(&random, type, N, K), X[N], B[N];
            array AB = make(type, K + 1, N, 0), b = make(type, N, 1, 0);
            clsolve_band_cholesky *band = handle_of(N, K, type, how & 2);
            for (int e = 0; e < N * N; ++e) A[e] *= unit;
            store(&AB, CLSOLVE_LOWER, K, A);
            test_works(context, clsolve_band_cholesky_factor(band, CLSOLVE_LOWER, &AB.view));
            for (int64_t e = 0; e < N; ++e) put(&b, e, 0, B[e] = hermitian_drawn(&random, type));
            test_works(context, clsolve_band_cholesky_solve(band, &b.view));
            for (int64_t e = 0; e < N; ++e) X[e] = get(&b, e, 0);
            for (int e = 0; e < N * N; ++e) A[e] /= unit;
            for (int e = 0; e < N; ++e) X[e] *= unit;
            RATIO("range", hermitian_solve_ratio(type, N, 1, A, X, B));
            clsolve_band_cholesky_destroy(band);
            free(AB.view.data);
            free(b.view.data);
            free(A);
        }
}

/* A and a column of B of subnormal numbers, all of them exact: what is computed on the way keeps the digits, with a
 * copy of A and without. The other column of B is of ordinary size. The factor and the determinant are those of A. */
TEST(test_subnormal) {
    enum { N = 5, K = 1, COLUMNS = 2 };
    for (int t = 0; t < CLS_TYPES; ++t)
        for (int trusted = 0; trusted <= 2; ++trusted) {
            const clsolve_type type = (clsolve_type)(CLSOLVE_F32 + t);
            const int tiny = cls_is_double(type) ? -1056 : -140, sizes[COLUMNS] = {0, cls_is_double(type) ? 1000 : 100};
            const double complex off = cls_is_complex(type) ? I : 1;
            const int64_t n = N, k = K;
            double complex A[N * N] = {0}, F[N * N] = {0};
            array AB = make(type, K + 1, N, 0), b = make(type, N, COLUMNS, 0), f = make(type, K + 1, N, 0);
            clsolve_band_cholesky *band = handle_of(N, K, type, trusted);
            clsolve_report report;
            for (int i = 0; i < N; ++i) A[i * (N + 1)] = ldexp(3, tiny);
            for (int i = 1; i < N; ++i) {
                A[i + (i - 1) * N] = off * ldexp(1, tiny);
                A[i - 1 + i * N] = conj(A[i + (i - 1) * N]);
            }
            store(&AB, CLSOLVE_LOWER, K, A);
            test_works(context, clsolve_band_cholesky_factor(band, CLSOLVE_LOWER, &AB.view));
            for (int64_t e = 0; e < N * COLUMNS; ++e) {
                double complex sum = 0;
                for (int64_t j = 0; j < N; ++j) sum += A[e % N + j * N];
                put(&b, e % N, e / N, sum * ldexp(1, sizes[e / N]));
            }
            test_works(context, clsolve_band_cholesky_solve(band, &b.view));
            for (int64_t e = 0; e < N * COLUMNS; ++e) {
                const double error = cabs(get(&b, e % N, e / N) * ldexp(1, -sizes[e / N]) - 1);
                if (!(error <= 100 * cls_type_epsilon(type)))
                    fail_msg("%s, trusted %d, column %d: %g", cls_type_name(type), trusted, (int)(e / N), error);
            }
            test_works(context, clsolve_band_cholesky_factors(band, CLSOLVE_LOWER, &f.view));
            load(&f, CLSOLVE_LOWER, K, F);
            for (int e = 0; e < N * N; ++e)
                A[e] = A[e] * ldexp(1, -tiny / 2) * ldexp(1, -tiny / 2), F[e] *= ldexp(1, -tiny / 2);
            RATIO("factor of subnormal numbers", hermitian_factor_ratio(type, n, A, F, CLSOLVE_LOWER));
            test_works(context,
                       clsolve_band_cholesky_report(band, &report)); /* [3 1; 1 3 1; ...] has the determinant 144 */
            assert_true(fabs(report.direct.log_abs_det - log(144) - N * tiny * log(2)) < 1e-3);
            if (trusted == 1) assert_true(report.direct.rcond > 0.1 && report.direct.rcond < 1);
            clsolve_band_cholesky_destroy(band);
            free(f.view.data);
            free(AB.view.data);
            free(b.view.data);
        }
}

/* ---- failures ---- */

TEST(test_not_definite) {
    enum { N = 140 };
    static const int64_t places[] = {0, N / 2, N - 1};
    test_random random = test_random_start(723);
    for (int t = 0; t < CLS_TYPES; ++t)
        for (int64_t k = 2; k < N; k += 128)
            for (int p = 0; p < 3; ++p) {
                const clsolve_type type = (clsolve_type)(CLSOLVE_F32 + t);
                SCRATCH double complex *A = fill(&random, type, N, k);
                array AB = make(type, k + 1, N, 0), b = make(type, N, 1, 0);
                clsolve_band_cholesky *band = handle_of(N, k, type, 0);
                clsolve_report report;
                A[places[p] * (N + 1)] = p == 1 ? 0 : -1;
                store(&AB, CLSOLVE_LOWER, k, A);
                EXPECT(clsolve_band_cholesky_factor(band, CLSOLVE_LOWER, &AB.view), CLSOLVE_NOT_POSITIVE_DEFINITE,
                       "not positive definite");
                test_works(context, clsolve_band_cholesky_report(band, &report));
                assert_int_equal(report.info, places[p] + 1);
                EXPECT(clsolve_band_cholesky_solve(band, &b.view), CLSOLVE_NOT_POSITIVE_DEFINITE, "positive definite");
                clsolve_band_cholesky_destroy(band);
                free(AB.view.data);
                free(b.view.data);
            }
}

TEST(test_arguments) {
    enum { N = 6, K = 2 };
    const clsolve_type type = CLSOLVE_C32;
    test_random random = test_random_start(724);
    SCRATCH double complex *A = fill(&random, type, N, K);
    array AB = make(type, K + 1, N, 0), b = make(type, N, 1, 0);
    clsolve_band_cholesky_options options = {.rcond = 1};
    clsolve_band_cholesky *band = handle_of(N, K, type, 0), *none = NULL;
    clsolve_matrix there = AB.view;
    there.place = CLSOLVE_ON_DEVICE;
    store(&AB, CLSOLVE_UPPER, K, A);
    EXPECT(clsolve_band_cholesky_solve(band, &b.view), CLSOLVE_ERROR_STATE, "clsolve_band_cholesky_factor");
    EXPECT(clsolve_band_cholesky_factor(band, CLSOLVE_LOWER, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "AB");
    EXPECT(clsolve_band_cholesky_factor(band, (clsolve_uplo)5, &AB.view), CLSOLVE_ERROR_INVALID_ARGUMENT, "uplo");
    EXPECT(clsolve_band_cholesky_factor(band, CLSOLVE_LOWER, &b.view), CLSOLVE_ERROR_INVALID_ARGUMENT, "AB");
    there.data = NULL;
    EXPECT(clsolve_band_cholesky_factor(band, CLSOLVE_UPPER, &there), CLSOLVE_ERROR_INVALID_ARGUMENT, "AB");
    put(&AB, row_of(CLSOLVE_UPPER, K, 1, 3), 3, NAN);
    EXPECT(clsolve_band_cholesky_factor(band, CLSOLVE_UPPER, &AB.view), CLSOLVE_ERROR_NONFINITE, "A(2,4)");
    store(&AB, CLSOLVE_UPPER, K, A);
    test_works(context, clsolve_band_cholesky_factor(band, CLSOLVE_UPPER, &AB.view));
    clsolve_band_cholesky *refining = handle_of(N, K, type, 1);
    EXPECT(clsolve_band_cholesky_import(refining, CLSOLVE_UPPER, &AB.view), CLSOLVE_ERROR_UNSUPPORTED, "copy of A");
    clsolve_band_cholesky_destroy(refining);
    put(&b, 4, 0, INFINITY);
    EXPECT(clsolve_band_cholesky_solve(band, &b.view), CLSOLVE_ERROR_NONFINITE, "B");
    assert_int_equal(clsolve_band_cholesky_factor(NULL, CLSOLVE_UPPER, &AB.view), CLSOLVE_ERROR_INVALID_ARGUMENT);
#define CREATE(n, k, type, options, band) clsolve_band_cholesky_create(context, n, k, type, options, band)
    EXPECT(CREATE(-1, 1, type, NULL, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "n = -1");
    EXPECT(CREATE(1, -1, type, NULL, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "-1 diagonals");
    EXPECT(CREATE(1, 1, (clsolve_type)9, NULL, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "type is 9");
    EXPECT(CREATE(1, 1, type, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "band is NULL");
    options.precision = CLSOLVE_PRECISION_MIXED;
    EXPECT(CREATE(1, 1, type, &options, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "mixed precision");
    options.precision = CLSOLVE_PRECISION_AUTO;
    options.block = -1;
    EXPECT(CREATE(1, 1, type, &options, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "block is -1");
    options.block = 0;
    options.rcond = 3;
    EXPECT(CREATE(1, 1, type, &options, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "rcond is 3");
    options.rcond = 1;
    options.equilibrate = -1;
    EXPECT(CREATE(1, 1, type, &options, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "equilibrate is -1");
    options.equilibrate = 1;
    options.refine = 3;
    EXPECT(CREATE(1, 1, type, &options, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "refine is 3");
    options.refine = 1;
    options.reserved[3] = 1;
    EXPECT(CREATE(1, 1, type, &options, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "reserved");
    assert_null(none);
#undef CREATE
    clsolve_band_cholesky_destroy(band);
    clsolve_band_cholesky_destroy(NULL);
    free(AB.view.data);
    free(b.view.data);
}

TEST_PROGRAM(open_context, close_context)
