#include "cholesky/hermitian_support.h"

#include <cblas.h>

#include "base/type.h"

int triangle_has(clsolve_uplo uplo, int64_t i, int64_t j) {
    return uplo == CLSOLVE_LOWER ? i >= j : i <= j;
}

static double complex hermitian_rounded(clsolve_type type, double complex a) {
    return test_rounded(type, creal(a)) + (cls_is_complex(type) ? test_rounded(type, cimag(a)) * I : 0);
}

double complex hermitian_drawn(test_random *random, clsolve_type type) {
    const double re = test_random_signed(random), im = test_random_signed(random);
    return hermitian_rounded(type, cls_is_complex(type) ? re + im * I : re);
}

double hermitian_norm(int64_t rows, int64_t cols, const double complex *A) {
    return ratio_norm(CLSOLVE_C64, rows, cols, (const double *)A);
}

double hermitian_rest(int64_t n, int64_t inner, int64_t cols, const double complex *A, const double complex *B,
                      int adjoint, const double complex *C) {
    const double complex one = 1, minus = -1;
    SCRATCH double complex *R = test_room(n * cols + 1, sizeof *R);
    memcpy(R, C, (size_t)(n * cols) * sizeof *R);
    if (n > 0 && cols > 0 && inner > 0)
        cblas_zgemm(CblasColMajor, CblasNoTrans, adjoint ? CblasConjTrans : CblasNoTrans, (blasint)n, (blasint)cols,
                    (blasint)inner, &minus, A, (blasint)n, B, (blasint)(adjoint ? cols : inner), &one, R, (blasint)n);
    return hermitian_norm(n, cols, R);
}

/* F: L where lower, else U = L^H; the other triangle of it is nothing. */
double hermitian_factor_ratio(clsolve_type type, int64_t n, const double complex *A, const double complex *F,
                              clsolve_uplo uplo) {
    SCRATCH double complex *L = test_room((n * n) + 1, sizeof *L);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = j; i < n; ++i) L[i + j * n] = uplo == CLSOLVE_LOWER ? F[i + j * n] : conj(F[j + i * n]);
    for (int64_t j = 0; j < n; ++j) assert_true(creal(L[j + j * n]) > 0 && cimag(L[j + j * n]) == 0);
    const double ratio =
        hermitian_rest(n, n, n, L, L, 1, A) / ((double)n * hermitian_norm(n, n, A) * test_epsilon(type));
    return ratio;
}

double hermitian_inverse_ratio(clsolve_type type, int64_t n, const double complex *A, const double complex *F,
                               clsolve_uplo uplo) {
    SCRATCH double complex *X = test_room(n * n, sizeof *X), *one = test_room(n * n, sizeof *one);
    for (int64_t j = 0; j < n; ++j) {
        one[j + j * n] = 1;
        for (int64_t i = 0; i < n; ++i) X[i + j * n] = triangle_has(uplo, i, j) ? F[i + j * n] : conj(F[j + i * n]);
    }
    return hermitian_rest(n, n, n, A, X, 0, one) /
           ((double)n * hermitian_norm(n, n, A) * hermitian_norm(n, n, X) * test_epsilon(type));
}

double hermitian_solve_ratio(clsolve_type type, int64_t n, int64_t nrhs, const double complex *A,
                             const double complex *X, const double complex *B) {
    double worst = 0;
    for (int64_t j = 0; j < nrhs; ++j)
        worst = test_worst(
            worst, hermitian_rest(n, n, 1, A, X + j * n, 0, B + j * n) /
                       (hermitian_norm(n, n, A) * hermitian_norm(n, 1, X + j * n) * (double)n * test_epsilon(type)));
    return worst;
}
