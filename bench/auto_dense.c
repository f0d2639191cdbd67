/* auto_dense.c: the dense families of the table `auto`: one system by a handle and in one call, the inverse, many of them. */
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "auto.h"

int auto_allocate(auto_problem *p, int64_t a, int64_t b, int64_t work, int64_t pivots) {
    p->A = malloc((size_t)a * sizeof *p->A);
    p->B = malloc((size_t)b * sizeof *p->B);
    p->X = malloc((size_t)b * sizeof *p->X);
    p->work = malloc((size_t)work * sizeof *p->work);
    p->pivots = malloc((size_t)pivots * sizeof *p->pivots);
    return p->A && p->B && p->X && p->work && p->pivots;
}

void auto_note(auto_problem *p, const clsolve_report *report) {
    p->where = report->where;
    p->expected[0] = report->expected_host;
    p->expected[1] = report->expected_device;
}

static clsolve_where where_of(auto_choice choice) {
    return choice == AUTO_FIRST    ? CLSOLVE_WHERE_DEVICE
           : choice == AUTO_SECOND ? CLSOLVE_WHERE_HOST
                                   : CLSOLVE_WHERE_AUTO;
}

static double cube(const auto_problem *p) {
    return (double)p->n * (double)p->n * (double)p->n;
}

/* ---- one system: factor and solve ---- */

static int lu_make(auto_problem *p) {
    if (!auto_allocate(p, p->n * p->n, p->n, p->n * p->n, p->n)) return 0;
    bench_random((uint64_t)p->n, p->A, p->n * p->n);
    bench_random((uint64_t)p->n + 1, p->B, p->n);
    return 1;
}

static int lu_create(auto_problem *p, auto_choice choice) {
    clsolve_lu_options options = {.where = where_of(choice)};
    clsolve_lu *lu = NULL;
    int made = clsolve_lu_create(p->context, p->n, CLSOLVE_F64, &options, &lu) == CLSOLVE_OK;
    p->handle[choice] = lu;
    return made;
}

static void lu_destroy(void *handle) {
    clsolve_lu_destroy(handle);
}

/* As a caller without us: a copy, for A stays. */
static double run_gesv(auto_problem *p) {
    lapack_int n = (lapack_int)p->n;
    memcpy(p->X, p->B, (size_t)p->n * sizeof *p->X);
    double start = bench_seconds();
    memcpy(p->work, p->A, (size_t)(p->n * p->n) * sizeof *p->work);
    lapack_int info = LAPACKE_dgesv_work(LAPACK_COL_MAJOR, n, 1, p->work, n, p->pivots, p->X, n);
    return info == 0 ? bench_seconds() - start : -1;
}

static double lu_run(auto_problem *p, auto_choice choice) {
    clsolve_matrix A = clsolve_matrix_f64(p->n, p->n, p->A), X = clsolve_matrix_f64(p->n, 1, p->X);
    clsolve_report report;
    if (choice == AUTO_LAPACK) return run_gesv(p);
    memcpy(p->X, p->B, (size_t)p->n * sizeof *p->X);
    double start = bench_seconds();
    if (clsolve_lu_factor(p->handle[choice], &A) != CLSOLVE_OK) return -1;
    if (clsolve_lu_solve(p->handle[choice], CLSOLVE_NO_TRANS, &X) != CLSOLVE_OK) return -1;
    double seconds = bench_seconds() - start;
    if (clsolve_lu_report(p->handle[choice], &report) != CLSOLVE_OK) return -1;
    if (choice == AUTO_AUTO) auto_note(p, &report);
    return seconds;
}

static double lu_ratio(const auto_problem *p) {
    return bench_ratio(CLSOLVE_F64, p->n, 1, p->A, p->X, p->B);
}

static double lu_work(const auto_problem *p) {
    return 2.0 / 3 * cube(p);
}

const auto_family auto_lu = {"lu",
                             "dense LU: factor and solve with a handle, one right-hand side",
                             {"auto", "device", "host", NULL, "LAPACK gesv"},
                             {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096},
                             {0},
                             lu_make,
                             lu_create,
                             lu_destroy,
                             lu_run,
                             lu_ratio,
                             lu_work};

/* ---- the same in one call ---- */

static int no_handle(auto_problem *p, auto_choice choice) {
    (void)p, (void)choice;
    return 1;
}

static void nothing(void *handle) {
    (void)handle;
}

static double call_run(auto_problem *p, auto_choice choice) {
    clsolve_matrix A = clsolve_matrix_f64(p->n, p->n, p->A), X = clsolve_matrix_f64(p->n, 1, p->X);
    clsolve_solver_options options = {.where = where_of(choice)};
    clsolve_solve_report report;
    if (choice == AUTO_LAPACK) return run_gesv(p);
    memcpy(p->X, p->B, (size_t)p->n * sizeof *p->X);
    double start = bench_seconds();
    if (clsolve_solve(p->context, CLSOLVE_NO_TRANS, &A, &X, &options, &report) != CLSOLVE_OK) return -1;
    double seconds = bench_seconds() - start;
    if (choice == AUTO_AUTO) auto_note(p, &report.report);
    return seconds;
}

const auto_family auto_call = {"call",
                               "dense LU in one call, clsolve_solve",
                               {"auto", "device", "host", NULL, "LAPACK gesv"},
                               {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096},
                               {0},
                               lu_make,
                               no_handle,
                               nothing,
                               call_run,
                               lu_ratio,
                               lu_work};

/* ---- the inverse ---- */

static int inverse_make(auto_problem *p) {
    if (!auto_allocate(p, p->n * p->n, p->n * p->n, 64 * p->n, p->n)) return 0;
    bench_random((uint64_t)p->n, p->A, p->n * p->n);
    return 1;
}

static int inverse_create(auto_problem *p, auto_choice choice) {
    clsolve_gauss_jordan_options options = {.where = where_of(choice)};
    clsolve_gauss_jordan *handle = NULL;
    int made = clsolve_gauss_jordan_create(p->context, p->n, CLSOLVE_F64, &options, &handle) == CLSOLVE_OK;
    p->handle[choice] = handle;
    return made;
}

static void inverse_destroy(void *handle) {
    clsolve_gauss_jordan_destroy(handle);
}

static double run_getri(auto_problem *p) {
    lapack_int n = (lapack_int)p->n;
    double start = bench_seconds();
    memcpy(p->X, p->A, (size_t)(p->n * p->n) * sizeof *p->X);
    lapack_int info = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, p->X, n, p->pivots);
    if (info == 0) info = LAPACKE_dgetri_work(LAPACK_COL_MAJOR, n, p->X, n, p->pivots, p->work, 64 * n);
    return info == 0 ? bench_seconds() - start : -1;
}

static double inverse_run(auto_problem *p, auto_choice choice) {
    clsolve_matrix A = clsolve_matrix_f64(p->n, p->n, p->A), X = clsolve_matrix_f64(p->n, p->n, p->X);
    clsolve_report report;
    if (choice == AUTO_LAPACK) return run_getri(p);
    double start = bench_seconds();
    if (clsolve_gauss_jordan_invert(p->handle[choice], &A, &X) != CLSOLVE_OK) return -1;
    double seconds = bench_seconds() - start;
    if (clsolve_gauss_jordan_report(p->handle[choice], &report) != CLSOLVE_OK) return -1;
    if (choice == AUTO_AUTO) auto_note(p, &report);
    return seconds;
}

static double inverse_ratio(const auto_problem *p) {
    return bench_ratio_inverse(CLSOLVE_F64, p->n, p->A, p->X);
}

static double inverse_work(const auto_problem *p) {
    return 2 * cube(p);
}

const auto_family auto_inverse = {"inverse",
                                  "the inverse, with a handle",
                                  {"auto", "device", "host", NULL, "LAPACK getrf + getri"},
                                  {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096},
                                  {0},
                                  inverse_make,
                                  inverse_create,
                                  inverse_destroy,
                                  inverse_run,
                                  inverse_ratio,
                                  inverse_work};

/* ---- many small inverses ---- */

static int batched_make(auto_problem *p) {
    int64_t each = p->n * p->n;
    if (!auto_allocate(p, each * p->k, each * p->k, 64 * p->n, p->n)) return 0;
    p->info = malloc((size_t)p->k * sizeof *p->info);
    bench_random((uint64_t)p->n, p->A, each * p->k);
    for (int64_t m = 0; m < p->k; ++m)
        for (int64_t i = 0; i < p->n; ++i) p->A[m * each + (i + 1) % p->n + i * p->n] += (double)p->n;
    return p->info != NULL;
}

static int batched_create(auto_problem *p, auto_choice choice) {
    clsolve_gauss_jordan_batch_options options = {.where = where_of(choice)};
    clsolve_gauss_jordan_batch *batch = NULL;
    int made = clsolve_gauss_jordan_batch_create(p->context, p->n, p->k, CLSOLVE_F64, &options, &batch) == CLSOLVE_OK;
    p->handle[choice] = batch;
    return made;
}

static void batched_destroy(void *handle) {
    clsolve_gauss_jordan_batch_destroy(handle);
}

static double run_getri_loop(auto_problem *p) {
    lapack_int n = (lapack_int)p->n;
    int64_t each = p->n * p->n;
    double start = bench_seconds();
    memcpy(p->X, p->A, (size_t)(each * p->k) * sizeof *p->X);
    for (int64_t m = 0; m < p->k; ++m) {
        lapack_int info = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, p->X + m * each, n, p->pivots);
        if (info == 0) info = LAPACKE_dgetri_work(LAPACK_COL_MAJOR, n, p->X + m * each, n, p->pivots, p->work, 64 * n);
        if (info != 0) return -1;
    }
    return bench_seconds() - start;
}

static double batched_run(auto_problem *p, auto_choice choice) {
    clsolve_batch A = clsolve_batch_f64(p->k, p->n, p->n, p->A), X = clsolve_batch_f64(p->k, p->n, p->n, p->X);
    clsolve_report report;
    if (choice == AUTO_LAPACK) return run_getri_loop(p);
    double start = bench_seconds();
    if (clsolve_gauss_jordan_batch_invert(p->handle[choice], &A, &X, p->info) != CLSOLVE_OK) return -1;
    double seconds = bench_seconds() - start;
    if (clsolve_gauss_jordan_batch_report(p->handle[choice], &report) != CLSOLVE_OK || report.info != 0) return -1;
    if (choice == AUTO_AUTO) auto_note(p, &report);
    return seconds;
}

static double batched_ratio(const auto_problem *p) {
    int64_t each = p->n * p->n;
    double worst = 0;
    for (int64_t m = 0; m < p->k; m += 1 + p->k / 50)
        worst = fmax(worst, bench_ratio_inverse(CLSOLVE_F64, p->n, p->A + m * each, p->X + m * each));
    return worst;
}

static double batched_work(const auto_problem *p) {
    return 2 * cube(p) * (double)p->k;
}

const auto_family auto_batched = {"batched",
                                  "many small inverses, k of them",
                                  {"auto", "device", "host", NULL, "LAPACK getrf + getri, a loop"},
                                  {4, 16, 32, 64},
                                  {1, 10, 100, 1000, 10000},
                                  batched_make,
                                  batched_create,
                                  batched_destroy,
                                  batched_run,
                                  batched_ratio,
                                  batched_work};
