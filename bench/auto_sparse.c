/* auto_sparse.c: the sparse families of the table `auto`: bands, grids in one call, tridiagonal lines. */
#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"

static clsolve_where where_of(auto_choice choice) {
    return choice == AUTO_FIRST    ? CLSOLVE_WHERE_DEVICE
           : choice == AUTO_SECOND ? CLSOLVE_WHERE_HOST
                                   : CLSOLVE_WHERE_AUTO;
}

/* ---- a band of k diagonals on either side: factor and solve ---- */

static int64_t rows_of(const auto_problem *p) {
    return 2 * p->k + 1;
}

static int band_make(auto_problem *p) {
    if (p->k >= p->n) p->k = p->n - 1;
    if (!auto_allocate(p, p->n * rows_of(p), p->n, p->n * (3 * p->k + 1), p->n)) return 0;
    bench_random((uint64_t)p->n, p->A, p->n * rows_of(p));
    bench_random((uint64_t)p->n + 1, p->B, p->n);
    return 1;
}

static int band_create(auto_problem *p, auto_choice choice) {
    clsolve_band_options options = {.where = where_of(choice)};
    clsolve_band *band = NULL;
    int made = clsolve_band_create(p->context, p->n, p->k, p->k, CLSOLVE_F64, &options, &band) == CLSOLVE_OK;
    p->handle[choice] = band;
    return made;
}

static void band_destroy(void *handle) {
    clsolve_band_destroy(handle);
}

/* The array of gbsv has k rows more than ours. */
static double run_gbsv(auto_problem *p) {
    lapack_int n = (lapack_int)p->n, k = (lapack_int)p->k;
    size_t rows = (size_t)rows_of(p), ld = rows + (size_t)p->k;
    memcpy(p->X, p->B, (size_t)p->n * sizeof *p->X);
    double start = bench_seconds();
    for (size_t j = 0; j < (size_t)p->n; ++j) memcpy(p->work + j * ld + p->k, p->A + j * rows, rows * sizeof *p->work);
    lapack_int info = LAPACKE_dgbsv_work(LAPACK_COL_MAJOR, n, k, k, 1, p->work, (lapack_int)ld, p->pivots, p->X, n);
    return info == 0 ? bench_seconds() - start : -1;
}

static double band_run(auto_problem *p, auto_choice choice) {
    clsolve_matrix AB = clsolve_matrix_f64(rows_of(p), p->n, p->A), X = clsolve_matrix_f64(p->n, 1, p->X);
    clsolve_report report;
    if (choice == AUTO_LAPACK) return run_gbsv(p);
    memcpy(p->X, p->B, (size_t)p->n * sizeof *p->X);
    double start = bench_seconds();
    if (clsolve_band_factor(p->handle[choice], &AB) != CLSOLVE_OK) return -1;
    if (clsolve_band_solve(p->handle[choice], CLSOLVE_NO_TRANS, &X) != CLSOLVE_OK) return -1;
    double seconds = bench_seconds() - start;
    if (clsolve_band_report(p->handle[choice], &report) != CLSOLVE_OK) return -1;
    if (choice == AUTO_AUTO) auto_note(p, &report);
    return seconds;
}

/* ||b - A x||_1 / (||A||_1 ||x||_1 n eps) */
static double band_ratio(const auto_problem *p) {
    int n = (int)p->n, k = (int)p->k, rows = (int)rows_of(p);
    double *r = p->work, norm = 0;
    memcpy(r, p->B, (size_t)p->n * sizeof *r);
    cblas_dgbmv(CblasColMajor, CblasNoTrans, n, n, k, k, -1, p->A, rows, p->X, 1, 1, r, 1);
    for (int64_t j = 0; j < p->n; ++j)
        for (int64_t i = 0, at; i < rows; ++i) {
            at = j + i - p->k;
            if (at >= 0 && at < p->n) norm = fmax(norm, fabs(p->A[i + j * rows]));
        }
    return cblas_dasum(n, r, 1) / (norm * rows) / cblas_dasum(n, p->X, 1) / ((double)p->n * DBL_EPSILON / 2);
}

static double band_work(const auto_problem *p) {
    return 4 * (double)p->n * (double)p->k * (double)p->k;
}

const auto_family auto_band = {"band",
                               "a band with k diagonals on either side: factor and solve with a handle",
                               {"auto", "device", "host", NULL, "LAPACK gbsv"},
                               {2, 10, 100, 1000, 10000, 100000},
                               {1, 4, 8, 16, 24, 32, 64, 256},
                               band_make,
                               band_create,
                               band_destroy,
                               band_run,
                               band_ratio,
                               band_work};

/* ---- a grid of n x n points, a sparse matrix in one call ---- */

static int64_t points_of(const auto_problem *p) {
    return p->n * p->n;
}

static void put(auto_problem *p, int32_t *at, int64_t column, double value) {
    p->column[*at] = (int32_t)column;
    p->A[(*at)++] = value;
}

/* The five-point Laplacian with a small convection, which makes it unsymmetric. */
static int grid_make(auto_problem *p) {
    int64_t n = points_of(p);
    int32_t at = 0;
    p->k = p->n;
    if (!auto_allocate(p, 5 * n, n, n * (3 * p->n + 1), n)) return 0;
    p->start = malloc((size_t)(n + 1) * sizeof *p->start);
    p->column = malloc((size_t)(5 * n) * sizeof *p->column);
    if (!p->start || !p->column) return 0;
    for (int64_t i = 0; i < n; ++i) {
        p->start[i] = at;
        if (i >= p->n) put(p, &at, i - p->n, -1);
        if (i % p->n > 0) put(p, &at, i - 1, -1.1);
        put(p, &at, i, 4);
        if (i % p->n < p->n - 1) put(p, &at, i + 1, -0.9);
        if (i + p->n < n) put(p, &at, i + p->n, -1);
    }
    p->start[n] = at;
    bench_random((uint64_t)n, p->B, n);
    return 1;
}

static int no_handle(auto_problem *p, auto_choice choice) {
    (void)p, (void)choice;
    return 1;
}

static void nothing(void *handle) {
    (void)handle;
}

/* The same for LAPACK, which takes a band. */
static double run_grid_gbsv(auto_problem *p) {
    lapack_int n = (lapack_int)points_of(p), k = (lapack_int)(p->n > 1 ? p->n : 0), ld = 3 * k + 1;
    memcpy(p->X, p->B, (size_t)n * sizeof *p->X);
    double start = bench_seconds();
    memset(p->work, 0, (size_t)n * (size_t)ld * sizeof *p->work);
    for (int32_t i = 0; i < n; ++i)
        for (int32_t e = p->start[i]; e < p->start[i + 1]; ++e)
            p->work[(size_t)(2 * k + i - p->column[e]) + (size_t)p->column[e] * (size_t)ld] = p->A[e];
    lapack_int info = LAPACKE_dgbsv_work(LAPACK_COL_MAJOR, n, k, k, 1, p->work, ld, p->pivots, p->X, n);
    return info == 0 ? bench_seconds() - start : -1;
}

static double grid_run(auto_problem *p, auto_choice choice) {
    static const clsolve_method methods[] = {CLSOLVE_METHOD_AUTO, CLSOLVE_METHOD_BAND, CLSOLVE_METHOD_BLOCK_GS,
                                             CLSOLVE_METHOD_LU};
    int64_t n = points_of(p);
    clsolve_csr A = clsolve_csr_f64(n, p->start, p->column, p->A);
    clsolve_matrix X = clsolve_matrix_f64(n, 1, p->X);
    clsolve_solve_report report;
    if (choice == AUTO_LAPACK) return run_grid_gbsv(p);
    clsolve_solver_options options = {.method = methods[choice]};
    if (choice == AUTO_SECOND) options.tolerance = 1e-14; /* for an answer like a direct method's */
    memcpy(p->X, p->B, (size_t)n * sizeof *p->X);
    double start = bench_seconds();
    if (clsolve_solve_csr(p->context, CLSOLVE_NO_TRANS, &A, &X, &options, &report) != CLSOLVE_OK) return -1;
    double seconds = bench_seconds() - start;
    if (choice == AUTO_AUTO) p->where = report.name;
    return seconds;
}

/* The backward error by what AUTO promises. */
static double grid_ratio(const auto_problem *p) {
    int64_t n = points_of(p);
    double r = 0, x = 0, b = 0;
    for (int64_t i = 0; i < n; ++i) {
        double sum = p->B[i];
        for (int32_t e = p->start[i]; e < p->start[i + 1]; ++e) sum -= p->A[e] * p->X[p->column[e]];
        r = fmax(r, fabs(sum));
        x = fmax(x, fabs(p->X[i]));
        b = fmax(b, fabs(p->B[i]));
    }
    return 30 * r / (8 * x + b) / (fmax((double)p->n, 10) * DBL_EPSILON / 2);
}

static double grid_work(const auto_problem *p) {
    return 4 * (double)points_of(p) * (double)p->n * (double)p->n;
}

const auto_family auto_grid = {"grid",
                               "a sparse matrix of a grid of n x n points, clsolve_solve_csr in one call",
                               {"auto", "band-lu", "block-gs", NULL, "LAPACK gbsv"},
                               {2, 5, 10, 20, 40, 80, 160, 320, 640},
                               {0},
                               grid_make,
                               no_handle,
                               nothing,
                               grid_run,
                               grid_ratio,
                               grid_work};

/* ---- tridiagonal lines: k of them, n unknowns each, factored and solved ---- */

static int lines_make(auto_problem *p) {
    int64_t all = p->n * p->k;
    if (!auto_allocate(p, 3 * all, all, 4 * all, all)) return 0;
    p->info = malloc((size_t)p->k * sizeof *p->info);
    bench_random((uint64_t)p->n, p->A, 3 * all);
    bench_random((uint64_t)p->n + 1, p->B, all);
    for (int64_t o = 0; o < all; ++o) {
        p->A[all + o] += 4;
        if (o % p->n == 0) p->A[o] = 0;
        if (o % p->n == p->n - 1) p->A[2 * all + o] = 0;
    }
    return p->info != NULL;
}

static int lines_create(auto_problem *p, auto_choice choice) {
    clsolve_tridiagonal_batch_options options = {.where = where_of(choice)};
    clsolve_tridiagonal_batch *lines = NULL;
    int made = clsolve_tridiagonal_batch_create(p->context, p->n, p->k, CLSOLVE_F64, &options, &lines) == CLSOLVE_OK;
    p->handle[choice] = lines;
    return made;
}

static void lines_destroy(void *handle) {
    clsolve_tridiagonal_batch_destroy(handle);
}

static double run_gttrf(auto_problem *p) {
    int64_t all = p->n * p->k;
    lapack_int n = (lapack_int)p->n;
    double *a = p->work, *c = a + all, *b = c + all, *up = b + all;
    memcpy(p->X, p->B, (size_t)all * sizeof *p->X);
    double start = bench_seconds();
    memcpy(p->work, p->A, (size_t)(3 * all) * sizeof *p->work);
    for (int64_t m = 0; m < p->k; ++m) { /* with factors that stay, as ours do */
        int64_t o = m * p->n;
        if (LAPACKE_dgttrf_work(n, a + o + 1, c + o, b + o, up + o, p->pivots + o) != 0) return -1;
    }
    for (int64_t m = 0; m < p->k; ++m) {
        int64_t o = m * p->n;
        (void)LAPACKE_dgttrs_work(LAPACK_COL_MAJOR, 'N', n, 1, a + o + 1, c + o, b + o, up + o, p->pivots + o, p->X + o,
                                  n);
    }
    return bench_seconds() - start;
}

static double lines_run(auto_problem *p, auto_choice choice) {
    int64_t all = p->n * p->k;
    clsolve_batch v[3], X = clsolve_batch_f64(p->k, p->n, 1, p->X);
    clsolve_report report;
    if (choice == AUTO_LAPACK) return run_gttrf(p);
    for (int q = 0; q < 3; ++q) v[q] = clsolve_batch_f64(p->k, p->n, 1, p->A + q * all);
    memcpy(p->X, p->B, (size_t)all * sizeof *p->X);
    double start = bench_seconds();
    if (clsolve_tridiagonal_batch_factor(p->handle[choice], &v[0], &v[1], &v[2], p->info) != CLSOLVE_OK) return -1;
    if (clsolve_tridiagonal_batch_solve(p->handle[choice], CLSOLVE_NO_TRANS, &X, p->info) != CLSOLVE_OK) return -1;
    double seconds = bench_seconds() - start;
    if (clsolve_tridiagonal_batch_report(p->handle[choice], &report) != CLSOLVE_OK || report.info != 0) return -1;
    if (choice == AUTO_AUTO) auto_note(p, &report);
    return seconds;
}

/* The largest residual of an equation by the size of its terms, in units of eps. */
static double lines_ratio(const auto_problem *p) {
    int64_t all = p->n * p->k;
    const double *a = p->A, *c = a + all, *b = c + all, *x = p->X;
    double worst = 0;
    for (int64_t o = 0; o < all; ++o) {
        double left = o % p->n > 0 ? a[o] * x[o - 1] : 0, right = o % p->n + 1 < p->n ? b[o] * x[o + 1] : 0;
        double size = fabs(left) + fabs(c[o] * x[o]) + fabs(right) + fabs(p->B[o]);
        worst = fmax(worst, fabs(left + c[o] * x[o] + right - p->B[o]) / (size * DBL_EPSILON / 2));
    }
    return worst;
}

static double lines_work(const auto_problem *p) {
    return 20 * (double)p->n * (double)p->k;
}

const auto_family auto_lines = {"lines",
                                "k tridiagonal systems of n unknowns: factor and solve with a handle",
                                {"auto", "device", "host", NULL, "LAPACK gttrf"},
                                {16, 128, 1024, 8192},
                                {1, 10, 100, 1000},
                                lines_make,
                                lines_create,
                                lines_destroy,
                                lines_run,
                                lines_ratio,
                                lines_work};
