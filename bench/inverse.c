/* The inverse, in double, from host memory to host memory: Gauss-Jordan in place against LAPACK's getrf and getri. */
#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

typedef struct problem {
    int64_t n;
    double *A, *X;
    lapack_int *pivots;
    clsolve_context *context;
    clsolve_gauss_jordan *gj;
    double device; /* seconds of ours on the device alone, of the last run */
} problem;

static int make(int64_t n, clsolve_context *context, problem *p) {
    size_t bytes = (size_t)(n * n) * sizeof(double);
    *p = (problem){.n = n, .context = context};
    p->A = malloc(bytes);
    p->X = malloc(bytes);
    p->pivots = malloc((size_t)n * sizeof *p->pivots);
    if (!p->A || !p->X || !p->pivots) return 0;
    bench_random((uint64_t)n, p->A, n * n);
    return clsolve_gauss_jordan_create(context, n, CLSOLVE_F64, NULL, &p->gj) == CLSOLVE_OK;
}

static void discard(problem *p) {
    clsolve_gauss_jordan_destroy(p->gj);
    free(p->A);
    free(p->X);
    free(p->pivots);
}

/* A handle that exists: A up, inverted in place, X down. */
static double run_handle(void *problem_) {
    problem *p = problem_;
    clsolve_matrix A = clsolve_host_f64(p->n, p->n, p->A), X = clsolve_host_f64(p->n, p->n, p->X);
    clsolve_report report;
    double start = bench_seconds();
    if (clsolve_gauss_jordan_invert(p->gj, &A, &X) != CLSOLVE_OK) return -1;
    double seconds = bench_seconds() - start;
    if (clsolve_gauss_jordan_report(p->gj, &report) == CLSOLVE_OK) p->device = report.seconds.factor;
    return seconds;
}

/* The copy that keeps A is inside the time, as the upload is inside ours. */
static double run_lapack(void *problem_) {
    problem *p = problem_;
    lapack_int n = (lapack_int)p->n;
    double start = bench_seconds();
    memcpy(p->X, p->A, (size_t)(p->n * p->n) * sizeof *p->X);
    if (LAPACKE_dgetrf(LAPACK_COL_MAJOR, n, n, p->X, n, p->pivots) != 0) return -1;
    if (LAPACKE_dgetri(LAPACK_COL_MAJOR, n, p->X, n, p->pivots) != 0) return -1;
    return bench_seconds() - start;
}

static const struct {
    const char *name;
    bench_run run;
} candidates[] = {{"clsolve", run_handle}, {"getrf+getri", run_lapack}};
enum { CANDIDATES = sizeof candidates / sizeof *candidates, MOST = 101 };

static int measure(problem *p, int repeat, double *medians) {
    static double times[CANDIDATES + 1][MOST];

    for (int c = 0; c < CANDIDATES; ++c) {
        double seconds = candidates[c].run(p);
        double ratio = seconds < 0 ? (double)NAN : bench_ratio_inverse(p->n, p->A, p->X);
        if (!(ratio < 30)) {
            fprintf(stderr, "clsolve-bench: %s at n = %lld is wrong: ratio %g; %s\n", candidates[c].name,
                    (long long)p->n, ratio, clsolve_context_message(p->context));
            return 0;
        }
    }
    for (int r = 0; r < repeat; ++r)
        for (int c = 0; c < CANDIDATES; ++c) {
            times[c][r] = candidates[c].run(p);
            if (c == 0) times[CANDIDATES][r] = p->device;
        }
    for (int c = 0; c <= CANDIDATES; ++c) medians[c] = bench_median(times[c], repeat);
    return 1;
}

static int row(int64_t n, clsolve_context *context, const bench_options *options, FILE *csv) {
    double medians[CANDIDATES + 1], size = (double)n;
    problem p;
    int made = make(n, context, &p);
    if (!made) fprintf(stderr, "clsolve-bench: n = %.0f: %s\n", size, clsolve_context_message(context));
    int fine = made && measure(&p, options->repeat < MOST ? options->repeat : MOST, medians);
    discard(&p);
    if (!fine) return 1;
    printf("%8.0f %14.6f %14.6f %14.6f %10.3f %12.1f\n", size, medians[0], medians[CANDIDATES], medians[1],
           medians[0] / medians[1], 2e-9 * size * size * size / medians[CANDIDATES]);
    fflush(stdout);
    if (csv) fprintf(csv, "%.0f,%.9f,%.9f,%.9f\n", size, medians[0], medians[CANDIDATES], medians[1]);
    return 0;
}

static int table(const bench_options *options, clsolve_context *context, FILE *csv) {
    static const int64_t usual[] = {64, 128, 256, 512, 1024, 2048, 4096};
    const int64_t *sizes = options->count ? options->sizes : usual;
    int count = options->count ? options->count : (int)(sizeof usual / sizeof *usual), failed = 0;

    printf("# inverse, double, host to host; the device's share and its rate for 2 n^3; medians of %d; each verified\n",
           options->repeat);
    bench_print_device(stdout, context);
    printf("%8s %14s %14s %14s %10s %12s\n", "n", "clsolve/s", "device/s", "getrf+getri/s", "ratio", "GFLOP/s");
    if (csv) fprintf(csv, "n,clsolve,device,getrf_getri\n");
    for (int s = 0; s < count && !failed; ++s) failed = row(sizes[s], context, options, csv);
    return failed;
}

int bench_inverse(const bench_options *options) {
    return bench_table(options, table);
}
