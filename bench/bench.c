#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double bench_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void bench_random(uint64_t seed, double *data, int64_t count) {
    for (int64_t k = 0; k < count; ++k) { /* splitmix64 */
        uint64_t z = (seed += UINT64_C(0x9e3779b97f4a7c15));
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        data[k] = (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1.0;
    }
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *times, int count) {
    qsort(times, (size_t)count, sizeof *times, ascending);
    return count % 2 ? times[count / 2] : 0.5 * (times[count / 2 - 1] + times[count / 2]);
}

double bench_ratio(int64_t n, int64_t nrhs, const double *A, const double *X, const double *B) {
    double *R = malloc((size_t)(n * nrhs) * sizeof *R), norm = 0, worst = 0;
    if (!R) return NAN;
    memcpy(R, B, (size_t)(n * nrhs) * sizeof *R);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)nrhs, (int)n, -1, A, (int)n, X, (int)n, 1, R,
                (int)n);
    for (int64_t j = 0; j < n; ++j) norm = fmax(norm, cblas_dasum((int)n, A + j * n, 1));
    for (int64_t j = 0; j < nrhs; ++j) {
        double ratio = cblas_dasum((int)n, R + j * n, 1) / norm / cblas_dasum((int)n, X + j * n, 1) /
                       ((double)n * DBL_EPSILON / 2);
        if (!(ratio <= worst)) worst = ratio;
    }
    free(R);
    return worst;
}

double bench_ratio_inverse(int64_t n, const double *A, const double *X) {
    double *R = calloc((size_t)(n * n), sizeof *R), norm_A = 0, norm_X = 0, norm_R = 0;
    if (!R) return (double)NAN;
    for (int64_t i = 0; i < n; ++i) R[i + i * n] = -1;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)n, (int)n, 1, A, (int)n, X, (int)n, 1, R,
                (int)n);
    for (int64_t j = 0; j < n; ++j) {
        double sum = cblas_dasum((int)n, R + j * n, 1);
        norm_A = fmax(norm_A, cblas_dasum((int)n, A + j * n, 1));
        norm_X = fmax(norm_X, cblas_dasum((int)n, X + j * n, 1));
        if (!(sum <= norm_R)) norm_R = sum;
    }
    free(R);
    return norm_R / norm_A / norm_X / ((double)n * DBL_EPSILON / 2);
}
