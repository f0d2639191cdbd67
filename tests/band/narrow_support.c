#include "band/narrow_support.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *doubles(int64_t count) {
    double *memory = calloc((size_t)count + 1, sizeof *memory);
    assert_non_null(memory);
    return memory;
}

static int inside(const narrow_band *band, int64_t i, int64_t j) {
    return i >= 0 && i < band->n && i - j <= band->kl && j - i <= band->ku;
}

narrow_band narrow_band_random(test_random *random, int64_t n, int64_t kl, int64_t ku, double spare) {
    narrow_band band = {n, kl, ku, 2 * kl + ku + 1, doubles((2 * kl + ku + 1) * n)};
    for (int64_t j = 0; j < n; ++j)
        for (int64_t r = 0; r < band.ld; ++r)
            band.a[r + j * band.ld] = inside(&band, r - kl - ku + j, j) ? test_random_signed(random) : spare;
    return band;
}

void narrow_band_free(narrow_band *band) {
    free(band->a);
    band->a = NULL;
}

void narrow_band_round(const narrow_band *band, clsolve_type type) {
    for (int64_t k = 0; type == CLSOLVE_F32 && k < band->ld * band->n; ++k) band->a[k] = (double)(float)band->a[k];
}

int64_t narrow_band_gbtrf(const narrow_band *band, double *factors, int64_t *pivots) {
    lapack_int n = (lapack_int)band->n, *ipiv = calloc((size_t)n + 1, sizeof *ipiv);
    assert_non_null(ipiv);
    memcpy(factors, band->a, (size_t)(band->ld * band->n) * sizeof *factors);
    for (int64_t j = 0; j < band->n; ++j) /* the rows of fill-in, whatever stood there */
        for (int64_t r = 0; r < band->kl; ++r) factors[r + j * band->ld] = 0;
    lapack_int info = LAPACKE_dgbtrf_work(LAPACK_COL_MAJOR, n, n, (lapack_int)band->kl, (lapack_int)band->ku, factors,
                                          (lapack_int)band->ld, ipiv);
    for (int64_t j = 0; j < band->n; ++j) pivots[j] = ipiv[j];
    free(ipiv);
    return info;
}

double narrow_band_ratio(const narrow_band *band, clsolve_type type, clsolve_op op, int64_t columns, const double *B,
                         const double *X) {
    int64_t n = band->n;
    double worst = 0, norm = 0, *sums = doubles(n), *r = doubles(n);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = j > band->ku ? j - band->ku : 0; i < n && i <= j + band->kl; ++i)
            sums[op == CLSOLVE_TRANS ? i : j] += fabs(*narrow_band_at(band, i, j));
    for (int64_t j = 0; j < n; ++j) norm = fmax(norm, sums[j]);
    for (int64_t c = 0; c < columns; ++c) {
        const double *b = B + c * n, *x = X + c * n;
        double residual = 0, size = 0;
        for (int64_t i = 0; i < n; ++i) r[i] = b[i];
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = j > band->ku ? j - band->ku : 0; i < n && i <= j + band->kl; ++i) {
                if (op == CLSOLVE_TRANS)
                    r[j] -= *narrow_band_at(band, i, j) * x[i];
                else
                    r[i] -= *narrow_band_at(band, i, j) * x[j];
            }
        for (int64_t i = 0; i < n; ++i) {
            residual += fabs(r[i]);
            size += fabs(x[i]);
        }
        double eps = type == CLSOLVE_F32 ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
        double ratio = residual == 0 ? 0 : residual / norm / size / eps;
        if (worst == worst && !(ratio <= worst)) worst = ratio; /* NaN stays */
    }
    free(sums);
    free(r);
    return worst;
}
