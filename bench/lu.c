/* The dense LU table: factor and solve with one right-hand side, in double, from host memory to host memory. */
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

typedef struct problem {
    int64_t n;
    double *A, *b;    /* the system */
    double *work, *x; /* what a candidate may spoil, and its answer */
    lapack_int *pivots;
    clsolve_context *context;
    clsolve_lu *lu;
    const char *error;
} problem;

static int make(int64_t n, clsolve_context *context, problem *p) {
    size_t elements = (size_t)(n * n), size = sizeof(double);
    *p = (problem){.n = n, .context = context};
    p->A = malloc(elements * size);
    p->work = malloc(elements * size);
    p->b = malloc((size_t)n * size);
    p->x = malloc((size_t)n * size);
    p->pivots = malloc((size_t)n * sizeof *p->pivots);
    if (!p->A || !p->work || !p->b || !p->x || !p->pivots) return 0;
    bench_random((uint64_t)n, p->A, n * n);
    bench_random((uint64_t)n + 1, p->b, n);
    return clsolve_lu_create(context, n, CLSOLVE_F64, NULL, &p->lu) == CLSOLVE_OK;
}

static void discard(problem *p) {
    clsolve_lu_destroy(p->lu);
    free(p->A);
    free(p->work);
    free(p->b);
    free(p->x);
    free(p->pivots);
}

/* A handle that exists, as a program has that solves again and again: A up, factor, b up, solve, x down. */
static double run_handle(void *problem_) {
    problem *p = problem_;
    clsolve_matrix A = clsolve_host_f64(p->n, p->n, p->A), X = clsolve_host_f64(p->n, 1, p->x);
    memcpy(p->x, p->b, (size_t)p->n * sizeof *p->x);
    double start = bench_seconds();
    clsolve_status status = clsolve_lu_factor(p->lu, &A);
    if (status == CLSOLVE_OK) status = clsolve_lu_solve(p->lu, CLSOLVE_NO_TRANS, &X);
    return status == CLSOLVE_OK ? bench_seconds() - start : -1;
}

/* dgesv overwrites the matrix: the copy that keeps it is inside the time, as the upload is inside ours. */
static double run_dgesv(void *problem_) {
    problem *p = problem_;
    lapack_int n = (lapack_int)p->n;
    memcpy(p->x, p->b, (size_t)p->n * sizeof *p->x);
    double start = bench_seconds();
    memcpy(p->work, p->A, (size_t)(p->n * p->n) * sizeof *p->work);
    lapack_int info = LAPACKE_dgesv_work(LAPACK_COL_MAJOR, n, 1, p->work, n, p->pivots, p->x, n);
    return info == 0 ? bench_seconds() - start : -1;
}

static const struct {
    const char *name;
    bench_run run;
} candidates[] = {{"clsolve", run_handle}, {"dgesv", run_dgesv}};
enum { CANDIDATES = sizeof candidates / sizeof *candidates, MOST = 101 };

/* Verifies each candidate, which also warms it up, then times them by turns. */
static int measure(problem *p, int repeat, double *medians) {
    static double times[CANDIDATES][MOST];

    for (int c = 0; c < CANDIDATES; ++c) {
        double seconds = candidates[c].run(p);
        double ratio = seconds < 0 ? NAN : bench_ratio(p->n, 1, p->A, p->x, p->b);
        if (!(ratio < 30)) {
            fprintf(stderr, "clsolve-bench: %s at n = %lld is wrong: ratio %g; %s\n", candidates[c].name,
                    (long long)p->n, ratio, clsolve_context_message(p->context));
            return 0;
        }
    }
    for (int r = 0; r < repeat; ++r)
        for (int c = 0; c < CANDIDATES; ++c) times[c][r] = candidates[c].run(p);
    for (int c = 0; c < CANDIDATES; ++c) medians[c] = bench_median(times[c], repeat);
    return 1;
}

static int table(const bench_options *options, clsolve_context *context, FILE *csv) {
    static const int64_t usual[] = {16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
    const int64_t *sizes = options->count ? options->sizes : usual;
    int count = options->count ? options->count : (int)(sizeof usual / sizeof *usual);
    int repeat = options->repeat < MOST ? options->repeat : MOST, failed = 0;

    printf("%8s %14s %14s %10s %12s\n", "n", "clsolve/s", "dgesv/s", "ratio", "GFLOP/s");
    if (csv) fprintf(csv, "n,clsolve,dgesv\n");
    for (int s = 0; s < count && !failed; ++s) {
        double n = (double)sizes[s], medians[CANDIDATES];
        problem p;
        failed = !make(sizes[s], context, &p);
        if (failed) fprintf(stderr, "clsolve-bench: n = %.0f: %s\n", n, clsolve_context_message(context));
        if (!failed) failed = !measure(&p, repeat, medians);
        if (!failed) {
            printf("%8.0f %14.6f %14.6f %10.3f %12.1f\n", n, medians[0], medians[1], medians[0] / medians[1],
                   2e-9 / 3 * n * n * n / medians[0]);
            fflush(stdout);
            if (csv) fprintf(csv, "%.0f,%.9f,%.9f\n", n, medians[0], medians[1]);
        }
        discard(&p);
    }
    return failed;
}

int bench_lu(const bench_options *options) {
    clsolve_context *context = NULL;
    char message[512];
    clsolve_context_options wanted = {.selector = options->device, .message = message, .message_size = sizeof message};
    FILE *csv = NULL;

    if (clsolve_context_create_with(&wanted, &context) != CLSOLVE_OK) {
        fprintf(stderr, "clsolve-bench: %s\n", message);
        return 6;
    }
    if (options->csv && !(csv = fopen(options->csv, "w"))) {
        fprintf(stderr, "clsolve-bench: cannot write %s\n", options->csv);
        clsolve_context_destroy(context);
        return 2;
    }
    printf("# dense LU, factor and solve one right-hand side, double, host to host; medians of %d; each verified\n",
           options->repeat);
    bench_print_device(stdout, context);
    int failed = table(options, context, csv);
    if (csv && fclose(csv) != 0) failed = 1;
    clsolve_context_destroy(context);
    return failed;
}
