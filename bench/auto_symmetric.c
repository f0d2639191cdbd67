/* auto_symmetric.c: the symmetric families of the table `auto`: a dense matrix in one call, and a band by a handle. */
#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "auto.h"

/* ---- a dense positive definite matrix, in one call: what AUTO makes of it, beside Cholesky and LU by name, and
 * Cholesky on the device ---- */

static int no_handle(auto_problem *p, auto_choice choice) {
    (void)p, (void)choice;
    return 1;
}

static void nothing(void *handle) {
    (void)handle;
}

static int dense_make(auto_problem *p) {
    const int64_t n = p->n;
    if (!auto_allocate(p, n * n, n, n * n, 1)) return 0;
    bench_random((uint64_t)n, p->A, n * n);
    bench_random((uint64_t)n + 1, p->B, n);
    for (int64_t j = 0; j < n; ++j) {
        p->A[j * (n + 1)] = (double)n;
        for (int64_t i = j + 1; i < n; ++i) p->A[j + i * n] = p->A[i + j * n];
    }
    return 1;
}

/* As a caller without us: a copy, for A stays. */
static double run_posv(auto_problem *p) {
    const lapack_int n = (lapack_int)p->n;
    memcpy(p->X, p->B, (size_t)p->n * sizeof *p->X);
    const double start = bench_seconds();
    memcpy(p->work, p->A, (size_t)(p->n * p->n) * sizeof *p->work);
    const lapack_int info = LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'L', n, 1, p->work, n, p->X, n);
    return info == 0 ? bench_seconds() - start : -1;
}

static double dense_run(auto_problem *p, auto_choice choice) {
    static const clsolve_solver_options asked[] = {{.method = CLSOLVE_METHOD_AUTO},
                                                   {.method = CLSOLVE_METHOD_CHOLESKY},
                                                   {.method = CLSOLVE_METHOD_LU},
                                                   {.method = CLSOLVE_METHOD_CHOLESKY, .where = CLSOLVE_WHERE_DEVICE}};
    clsolve_matrix A = clsolve_matrix_f64(p->n, p->n, p->A), X = clsolve_matrix_f64(p->n, 1, p->X);
    clsolve_solve_report report;
    if (choice == AUTO_LAPACK) return run_posv(p);
    memcpy(p->X, p->B, (size_t)p->n * sizeof *p->X);
    const double start = bench_seconds();
    if (clsolve_solve(p->context, CLSOLVE_NO_TRANS, &A, &X, &asked[choice], &report) != CLSOLVE_OK) return -1;
    const double seconds = bench_seconds() - start;
    if (choice == AUTO_AUTO) auto_note(p, &report.report);
    if (choice == AUTO_AUTO) p->method = report.name;
    return seconds;
}

static double dense_ratio(const auto_problem *p) {
    return bench_ratio(CLSOLVE_F64, p->n, 1, p->A, p->X, p->B);
}

static double dense_work(const auto_problem *p) {
    return 1.0 / 3 * (double)p->n * (double)p->n * (double)p->n;
}

const auto_family auto_symmetric = {"symmetric",
                                    "a dense positive definite matrix in one call, clsolve_solve",
                                    {"auto", "cholesky", "lu", "device", "LAPACK posv"},
                                    {128, 256, 512, 1024, 2048, 4096, 8192},
                                    {0},
                                    dense_make,
                                    no_handle,
                                    nothing,
                                    dense_run,
                                    dense_ratio,
                                    dense_work};

/* ---- a positive definite band of k diagonals on either side: factor and solve ---- */

static int band_make(auto_problem *p) {
    if (p->k >= p->n) p->k = p->n - 1;
    const int64_t rows = p->k + 1;
    if (!auto_allocate(p, p->n * rows, p->n, p->n * rows, 1)) return 0;
    bench_random((uint64_t)p->n, p->A, p->n * rows);
    bench_random((uint64_t)p->n + 1, p->B, p->n);
    for (int64_t j = 0; j < p->n; ++j) p->A[j * rows] = 2 * (double)p->k + 1;
    return 1;
}

static int band_create(auto_problem *p, auto_choice choice) {
    static const clsolve_where places[] = {CLSOLVE_WHERE_AUTO, CLSOLVE_WHERE_DEVICE, CLSOLVE_WHERE_HOST};
    const clsolve_band_cholesky_options options = {.where = places[choice]};
    clsolve_band_cholesky *band = NULL;
    const int made = clsolve_band_cholesky_create(p->context, p->n, p->k, CLSOLVE_F64, &options, &band) == CLSOLVE_OK;
    p->handle[choice] = band;
    return made;
}

static void band_destroy(void *handle) {
    clsolve_band_cholesky_destroy(handle);
}

static double run_pbsv(auto_problem *p) {
    const lapack_int n = (lapack_int)p->n, k = (lapack_int)p->k;
    memcpy(p->X, p->B, (size_t)p->n * sizeof *p->X);
    const double start = bench_seconds();
    memcpy(p->work, p->A, (size_t)(p->n * (p->k + 1)) * sizeof *p->work);
    const lapack_int info = LAPACKE_dpbsv_work(LAPACK_COL_MAJOR, 'L', n, k, 1, p->work, k + 1, p->X, n);
    return info == 0 ? bench_seconds() - start : -1;
}

static double band_run(auto_problem *p, auto_choice choice) {
    clsolve_matrix AB = clsolve_matrix_f64(p->k + 1, p->n, p->A), X = clsolve_matrix_f64(p->n, 1, p->X);
    clsolve_report report;
    if (choice == AUTO_LAPACK) return run_pbsv(p);
    memcpy(p->X, p->B, (size_t)p->n * sizeof *p->X);
    const double start = bench_seconds();
    if (clsolve_band_cholesky_factor(p->handle[choice], CLSOLVE_LOWER, &AB) != CLSOLVE_OK) return -1;
    if (clsolve_band_cholesky_solve(p->handle[choice], &X) != CLSOLVE_OK) return -1;
    const double seconds = bench_seconds() - start;
    if (clsolve_band_cholesky_report(p->handle[choice], &report) != CLSOLVE_OK) return -1;
    if (choice == AUTO_AUTO) auto_note(p, &report);
    return seconds;
}

/* ||b - A x||_1 / (||A|| ||x||_1 n eps), with 2 k + 1 times the largest element for the norm, which it is at least half of. */
static double band_ratio(const auto_problem *p) {
    const int n = (int)p->n, k = (int)p->k;
    double *r = p->work;
    memcpy(r, p->B, (size_t)p->n * sizeof *r);
    cblas_dsbmv(CblasColMajor, CblasLower, n, k, -1, p->A, k + 1, p->X, 1, 1, r, 1);
    return cblas_dasum(n, r, 1) / (2 * (double)p->k + 1) / cblas_dasum(n, p->X, 1) / ((double)p->n * DBL_EPSILON / 2);
}

static double band_work(const auto_problem *p) {
    return (double)p->n * (double)p->k * (double)p->k;
}

const auto_family auto_band_cholesky = {"band-cholesky",
                                        "a positive definite band with k diagonals on either side, with a handle",
                                        {"auto", "device", "host", NULL, "LAPACK pbsv"},
                                        {100, 1000, 10000, 100000},
                                        {1, 8, 32, 64, 128, 256, 512, 1024},
                                        band_make,
                                        band_create,
                                        band_destroy,
                                        band_run,
                                        band_ratio,
                                        band_work};
