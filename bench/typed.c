/* typed.c: see typed.h. */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "typed.h"

const char *bench_type_words(clsolve_type type) {
    static const char *const words[] = {"", "float", "double", "complex float", "complex double"};
    return words[type];
}

clsolve_matrix bench_matrix(clsolve_type type, int64_t rows, int64_t cols, void *data) {
    clsolve_matrix m = clsolve_matrix_c64(rows, cols, data);
    m.type = type;
    return m;
}

clsolve_batch bench_batch(clsolve_type type, int64_t count, int64_t rows, int64_t cols, void *data) {
    clsolve_batch b = clsolve_batch_f64(count, rows, cols, NULL);
    b.type = type;
    b.data = data;
    return b;
}

void bench_random_of(clsolve_type type, uint64_t seed, void *data, int64_t count) {
    enum { PIECE = 512 };
    const int64_t all = count * cls_type_parts(type);
    double numbers[PIECE];

    if (cls_is_double(type)) {
        bench_random(seed, data, all);
        return;
    }
    for (int64_t k = 0; k < all; k += PIECE, ++seed) {
        const int64_t some = all - k < PIECE ? all - k : PIECE;
        bench_random(seed, numbers, some);
        for (int64_t i = 0; i < some; ++i) ((float *)data)[k + i] = (float)numbers[i];
    }
}

void bench_hermitian(clsolve_type type, int64_t n, void *A, double diagonal) {
    for (int64_t j = 0; j < n; ++j) {
        for (int64_t i = j + 1; i < n; ++i) bench_put(type, A, j + i * n, conj(bench_get(type, A, i + j * n)));
        bench_put(type, A, j * (n + 1), diagonal);
    }
}

void bench_strengthen(clsolve_type type, int64_t n, void *A) {
    for (int64_t i = 0; i < n; ++i) {
        const int64_t at = (i + 1) % n + i * n;
        bench_put(type, A, at, bench_get(type, A, at) + (double)n);
    }
}

/* ---- BLAS in the type ---- */

static double sum_of(clsolve_type type, int64_t n, const void *x) {
    switch (type) {
    case CLSOLVE_F32:
        return (double)cblas_sasum((int)n, x, 1);
    case CLSOLVE_C32:
        return (double)cblas_scasum((int)n, x, 1);
    case CLSOLVE_C64:
        return cblas_dzasum((int)n, x, 1);
    default:
        return cblas_dasum((int)n, x, 1);
    }
}

/* R += alpha A X, A of order n, X and R with `cols` columns. */
static void add_product(clsolve_type type, int64_t order, int64_t cols, double alpha, const void *A, const void *X,
                        void *R) {
    const CBLAS_ORDER columns = CblasColMajor;
    const CBLAS_TRANSPOSE as_is = CblasNoTrans;
    const double wide[2] = {alpha, 0}, one_wide[2] = {1, 0};
    const float narrow[2] = {(float)alpha, 0}, one_narrow[2] = {1, 0};
    const int n = (int)order, m = (int)cols;
    switch (type) {
    case CLSOLVE_F32:
        cblas_sgemm(columns, as_is, as_is, n, m, n, narrow[0], A, n, X, n, 1, R, n);
        return;
    case CLSOLVE_C32:
        cblas_cgemm(columns, as_is, as_is, n, m, n, narrow, A, n, X, n, one_narrow, R, n);
        return;
    case CLSOLVE_C64:
        cblas_zgemm(columns, as_is, as_is, n, m, n, wide, A, n, X, n, one_wide, R, n);
        return;
    default:
        cblas_dgemm(columns, as_is, as_is, n, m, n, alpha, A, n, X, n, 1, R, n);
    }
}

/* r -= A x, A a band. */
static void subtract_band(clsolve_type type, int64_t order, int64_t half, const void *AB, const void *x, void *r) {
    const CBLAS_ORDER columns = CblasColMajor;
    const CBLAS_TRANSPOSE as_is = CblasNoTrans;
    const double minus_wide[2] = {-1, 0}, one_wide[2] = {1, 0};
    const float minus_narrow[2] = {-1, 0}, one_narrow[2] = {1, 0};
    const int n = (int)order, k = (int)half, rows = 2 * k + 1;
    switch (type) {
    case CLSOLVE_F32:
        cblas_sgbmv(columns, as_is, n, n, k, k, -1, AB, rows, x, 1, 1, r, 1);
        return;
    case CLSOLVE_C32:
        cblas_cgbmv(columns, as_is, n, n, k, k, minus_narrow, AB, rows, x, 1, one_narrow, r, 1);
        return;
    case CLSOLVE_C64:
        cblas_zgbmv(columns, as_is, n, n, k, k, minus_wide, AB, rows, x, 1, one_wide, r, 1);
        return;
    default:
        cblas_dgbmv(columns, as_is, n, n, k, k, -1, AB, rows, x, 1, 1, r, 1);
    }
}

/* The largest sum of a column's magnitudes, of columns `from` to `to`; NaN where one is. */
static double norm_of(clsolve_type type, int64_t rows, int64_t from, int64_t to, const void *A) {
    double norm = 0;
    for (int64_t j = from; j < to; ++j) {
        const double sum = sum_of(type, rows, bench_at(type, A, j * rows));
        if (!(sum <= norm)) norm = sum;
    }
    return norm;
}

/* n eps, eps the unit roundoff. */
static double unit(clsolve_type type, int64_t n) {
    return (double)n * cls_type_epsilon(type) / 2;
}

/* ---- ratios ---- */

double bench_ratio(clsolve_type type, int64_t n, int64_t nrhs, const void *A, const void *X, const void *B) {
    const size_t bytes = (size_t)(n * nrhs * cls_type_size(type));
    const double norm = norm_of(type, n, 0, n, A);
    double worst = 0;
    void *R = malloc(bytes);
    if (!R) return (double)NAN;
    memcpy(R, B, bytes);
    add_product(type, n, nrhs, -1, A, X, R);
    for (int64_t j = 0; j < nrhs; ++j) {
        const double rest = sum_of(type, n, bench_at(type, R, j * n));
        const double ratio = rest / norm / sum_of(type, n, bench_at(type, X, j * n)) / unit(type, n);
        if (!(ratio <= worst)) worst = ratio;
    }
    free(R);
    return worst;
}

double bench_ratio_inverse(clsolve_type type, int64_t n, const void *A, const void *X) {
    void *R = calloc((size_t)(n * n), (size_t)cls_type_size(type));
    if (!R) return (double)NAN;
    for (int64_t i = 0; i < n; ++i) bench_put(type, R, i + i * n, -1);
    add_product(type, n, n, 1, A, X, R);
    const double rest = norm_of(type, n, 0, n, R);
    free(R);
    return rest / norm_of(type, n, 0, n, A) / norm_of(type, n, 0, n, X) / unit(type, n);
}

double bench_ratio_band(clsolve_type type, int64_t n, int64_t k, const void *AB, const void *x, const void *b) {
    const size_t bytes = (size_t)(n * cls_type_size(type));
    double norm = norm_of(type, 2 * k + 1, k, n - k, AB);
    void *r = malloc(bytes);
    if (!r) return (double)NAN;
    if (norm == 0) norm = norm_of(type, 2 * k + 1, 0, n, AB);
    memcpy(r, b, bytes);
    subtract_band(type, n, k, AB, x, r);
    const double rest = sum_of(type, n, r);
    free(r);
    return rest / norm / sum_of(type, n, x) / unit(type, n);
}
