/* Many small inverses at once, in double, host to host, and the device's share of it; against a loop of LAPACK calls. */
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

typedef struct problem {
    int64_t n, count;
    double *A, *X, *work;
    int64_t *info;
    lapack_int *pivots;
    clsolve_gauss_jordan *gj;
    double device; /* seconds of the last batch on the device alone */
} problem;

static int make(int64_t n, int64_t count, clsolve_context *context, problem *p) {
    size_t elements = (size_t)(n * n * count);
    *p = (problem){.n = n, .count = count};
    p->A = malloc(elements * sizeof *p->A);
    p->X = malloc(elements * sizeof *p->X);
    p->work = malloc((size_t)(64 * n) * sizeof *p->work);
    p->info = malloc((size_t)count * sizeof *p->info);
    p->pivots = malloc((size_t)n * sizeof *p->pivots);
    if (!p->A || !p->X || !p->work || !p->info || !p->pivots) return 0;
    bench_random((uint64_t)n, p->A, n * n * count);
    for (int64_t m = 0; m < count; ++m) /* well-conditioned, but the pivots are off the diagonal */
        for (int64_t i = 0; i < n; ++i) p->A[m * n * n + (i + 1) % n + i * n] += (double)n;
    return clsolve_gauss_jordan_create(context, n, CLSOLVE_F64, NULL, &p->gj) == CLSOLVE_OK;
}

static void discard(problem *p) {
    clsolve_gauss_jordan_destroy(p->gj);
    free(p->A);
    free(p->X);
    free(p->work);
    free(p->info);
    free(p->pivots);
}

static double run_batch(void *problem_) {
    problem *p = problem_;
    clsolve_batch A = {.type = CLSOLVE_F64,
                       .layout = CLSOLVE_COLUMN_MAJOR,
                       .count = p->count,
                       .rows = p->n,
                       .cols = p->n,
                       .ld = p->n,
                       .stride = p->n * p->n,
                       .data = p->A};
    clsolve_batch X = A;
    clsolve_report report;
    X.data = p->X;
    double start = bench_seconds();
    if (clsolve_gauss_jordan_invert_batch(p->gj, &A, &X, p->info) != CLSOLVE_OK) return -1;
    double seconds = bench_seconds() - start;
    if (clsolve_gauss_jordan_report(p->gj, &report) != CLSOLVE_OK || report.info != 0) return -1;
    p->device = report.seconds.factor;
    return seconds;
}

static double run_lapack(void *problem_) {
    problem *p = problem_;
    lapack_int n = (lapack_int)p->n;
    double start = bench_seconds();
    memcpy(p->X, p->A, (size_t)(p->n * p->n * p->count) * sizeof *p->X);
    for (int64_t m = 0; m < p->count; ++m) {
        double *X = p->X + m * p->n * p->n;
        if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, X, n, p->pivots) != 0) return -1;
        if (LAPACKE_dgetri_work(LAPACK_COL_MAJOR, n, X, n, p->pivots, p->work, 64 * n) != 0) return -1;
    }
    return bench_seconds() - start;
}

static const struct {
    const char *name;
    bench_run run;
} candidates[] = {{"clsolve", run_batch}, {"loop", run_lapack}};
enum { CANDIDATES = sizeof candidates / sizeof *candidates, MOST = 101 };

/* Some of the members, spread over the batch; the largest ratio. */
static double worst_ratio(const problem *p) {
    double worst = 0;
    for (int64_t m = 0; m < p->count; m += 1 + p->count / 100) {
        double ratio = bench_ratio_inverse(p->n, p->A + m * p->n * p->n, p->X + m * p->n * p->n);
        if (!(ratio <= worst)) worst = ratio;
    }
    return worst;
}

static int row(int64_t n, int64_t count, clsolve_context *context, const bench_options *options, FILE *csv) {
    static double times[CANDIDATES + 1][MOST];
    double medians[CANDIDATES + 1];
    int repeat = options->repeat < MOST ? options->repeat : MOST, fine;
    problem p;

    fine = make(n, count, context, &p);
    for (int c = 0; c < CANDIDATES && fine; ++c) {
        double ratio = candidates[c].run(&p) < 0 ? (double)NAN : worst_ratio(&p);
        if (!(ratio < 30)) fprintf(stderr, "clsolve-bench: %s is wrong: ratio %g\n", candidates[c].name, ratio);
        fine = ratio < 30;
    }
    for (int r = 0; r < repeat && fine; ++r)
        for (int c = 0; c < CANDIDATES; ++c) {
            times[c][r] = candidates[c].run(&p);
            if (c == 0) times[CANDIDATES][r] = p.device;
        }
    if (!fine) fprintf(stderr, "clsolve-bench: n = %lld: %s\n", (long long)n, clsolve_context_message(context));
    for (int c = 0; c <= CANDIDATES && fine; ++c) medians[c] = bench_median(times[c], repeat);
    if (fine) {
        printf("%6lld %9lld %14.6f %14.6f %14.6f %10.3f\n", (long long)n, (long long)count, medians[0],
               medians[CANDIDATES], medians[1], medians[0] / medians[1]);
        fflush(stdout);
        if (csv)
            fprintf(csv, "%lld,%lld,%.9f,%.9f,%.9f\n", (long long)n, (long long)count, medians[0], medians[CANDIDATES],
                    medians[1]);
    }
    discard(&p);
    return !fine;
}

static int table(const bench_options *options, clsolve_context *context, FILE *csv) {
    static const int64_t usual[] = {4, 8, 16, 24, 32, 48, 64};
    const int64_t *sizes = options->count ? options->sizes : usual;
    int count = options->count ? options->count : (int)(sizeof usual / sizeof *usual), failed = 0;

    printf("# %d inverses of order n, double, host to host; the device's share; medians of %d; samples verified\n",
           options->members, options->repeat);
    bench_print_device(stdout, context);
    printf("%6s %9s %14s %14s %14s %10s\n", "n", "members", "clsolve/s", "device/s", "LAPACK loop/s", "ratio");
    if (csv) fprintf(csv, "n,members,clsolve,device,lapack_loop\n");
    for (int s = 0; s < count && !failed; ++s) {
        failed = sizes[s] > CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST;
        if (failed) fprintf(stderr, "clsolve-bench: batches go up to %d\n", CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST);
        if (!failed) failed = row(sizes[s], options->members, context, options, csv);
    }
    return failed;
}

int bench_batched(const bench_options *options) {
    return bench_table(options, table);
}
