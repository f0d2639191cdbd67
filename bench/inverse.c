/*
 * The inverse, from host memory to host memory: Gauss-Jordan in place on each device, side by side, against
 * LAPACK's getrf and getri and, where cuSOLVER is, its getrf and getrs on the unit matrix.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

typedef struct problem {
    clsolve_type type;
    int64_t n;
    void *A, *X;
    lapack_int *pivots;
    const bench_field *field;
    clsolve_gauss_jordan *gj[BENCH_DEVICES];
} problem;

static int make(int64_t n, const bench_field *field, problem *p) {
    const clsolve_type type = field->options->type;
    size_t bytes = (size_t)(n * n * cls_type_size(type));
    *p = (problem){.type = type, .n = n, .field = field};
    p->A = malloc(bytes);
    p->X = malloc(bytes);
    p->pivots = malloc((size_t)n * sizeof *p->pivots);
    if (!p->A || !p->X || !p->pivots) {
        fprintf(stderr, "clsolve-bench: n = %lld: out of host memory\n", (long long)n);
        return 0;
    }
    bench_random_of(type, (uint64_t)n, p->A, n * n);
    return bench_inverters(field, n, p->gj);
}

static void discard(problem *p) {
    for (int d = 0; d < BENCH_DEVICES; ++d) clsolve_gauss_jordan_destroy(p->gj[d]);
    free(p->A);
    free(p->X);
    free(p->pivots);
}

/* A handle that exists: A up, inverted in place, X down. *device: of it the device's share. */
static double run_handle(problem *p, int d, double *device) {
    clsolve_matrix A = bench_matrix(p->type, p->n, p->n, p->A), X = bench_matrix(p->type, p->n, p->n, p->X);
    clsolve_report report;
    double start = bench_seconds();
    if (clsolve_gauss_jordan_invert(p->gj[d], &A, &X) != CLSOLVE_OK) return -1;
    double seconds = bench_seconds() - start;
    if (clsolve_gauss_jordan_report(p->gj[d], &report) == CLSOLVE_OK) *device = report.seconds.factor;
    return seconds;
}

/* The copy that keeps A is inside the time, as the upload is inside ours. */
static double run_lapack(problem *p) {
    lapack_int n = (lapack_int)p->n;
    double start = bench_seconds();
    memcpy(p->X, p->A, (size_t)(p->n * p->n * cls_type_size(p->type)));
    if (BENCH_LAPACK(p->type, getrf, LAPACK_COL_MAJOR, n, n, p->X, n, p->pivots) != 0) return -1;
    if (BENCH_LAPACK(p->type, getri, LAPACK_COL_MAJOR, n, p->X, n, p->pivots) != 0) return -1;
    return bench_seconds() - start;
}

static double run(void *problem_, int who, double *device) {
    problem *p = problem_;
    memset(p->X, 0xff, (size_t)(p->n * p->n * cls_type_size(p->type))); /* NaN: who writes nothing has no answer */
    if (who == BENCH_HOST) return run_lapack(p);
    if (who < p->field->devices) return run_handle(p, who, device);
    return vendor_inverse(p->field->vendor, p->type, p->n, p->A, p->X, device);
}

static double ratio(const void *problem_) {
    const problem *p = problem_;
    return bench_ratio_inverse(p->type, p->n, p->A, p->X);
}

static int row(int64_t n_, const bench_field *field) {
    bench_contest contest = {field, field->count, "inverse", "getrf+getri", n_, run, ratio};
    double n = (double)n_, operations = bench_operations(field->options->type);
    bench_figures m;
    problem p;
    int fine = make(n_, field, &p) && bench_compare(&contest, &p, &m);
    discard(&p);
    for (int c = 0; c < field->count && fine; ++c) {
        double host = m.total[BENCH_HOST];
        double rate =
            m.device[c] > 0 ? 2e-9 * operations * n * n * n / m.device[c] : (double)NAN; /* a clock may be too coarse */
        printf("%-9s %8.0f %14.6f %14.6f %14.6f %10.3f %12.1f\n", field->candidates[c].name, n, m.total[c], m.device[c],
               host, m.total[c] / host, rate);
        fflush(stdout);
        if (field->csv)
            fprintf(field->csv, "%.0f,%.9f,%.9f,%.9f,%s\n", n, m.total[c], m.device[c], host,
                    field->candidates[c].name);
    }
    return fine;
}

static int table(const bench_field *field) {
    static const int64_t usual[] = {64, 128, 256, 512, 1024, 2048, 4096};
    const bench_options *options = field->options;
    const int64_t *sizes = options->count ? options->sizes : usual;
    int count = options->count ? options->count : (int)(sizeof usual / sizeof *usual), fine = 1;

    printf("# inverse, %s, host to host; the device's share and its rate for 2 n^3, of complex numbers 8 n^3; medians "
           "of %d, by turns; each "
           "verified\n",
           bench_type_words(options->type), options->repeat);
    bench_print_field(field, 1);
    printf("%-9s %8s %14s %14s %14s %10s %12s\n", "device", "n", "total/s", "device/s", "getrf+getri/s", "ratio",
           "GFLOP/s");
    if (field->csv) fprintf(field->csv, "n,clsolve,on_device,getrf_getri,device\n");
    for (int s = 0; s < count && fine; ++s) fine = row(sizes[s], field);
    return !fine;
}

int bench_inverse(const bench_options *options) {
    return bench_table(options, 1, table);
}
