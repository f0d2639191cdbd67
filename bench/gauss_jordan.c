/*
 * The Gauss-Jordan table: one right-hand side, in double, as in the two tables of Gauss-Jordan en GPU (COMTEL 2012): the
 * elimination on the device, and the same with the copy of the solution back; the matrix is there before. Candidates: a
 * sequential program on the host, the study's two models with a work-item a row, and the library's variants. The matrix is
 * diagonally dominant, for the study does not pivot. Then the unstable operations at small orders, with their residuals.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "study_gauss_jordan.h"

enum { SEQUENTIAL, MODEL_1, MODEL_2, TWO_PASS, ONE_PASS, OPERATIONS, BLOCKED, CANDIDATES, MOST = 101 };
static const char *const names[CANDIDATES] = {"sequential", "model-1",    "model-2", "two-pass",
                                              "one-pass",   "operations", "blocked"};

typedef struct problem {
    int64_t n;
    double *A, *AB, *b, *x, *work; /* A by columns; AB = (A|b) by rows */
    clsolve_context *context;
    gj_study *study;
    clsolve_gauss_jordan *handle[CANDIDATES];
} problem;

static int allocate(int64_t n, problem *p) {
    size_t size = sizeof(double), elements = (size_t)(n * (n + 1)) * size;
    p->n = n;
    p->A = malloc(elements);
    p->AB = malloc(elements);
    p->work = malloc(elements);
    p->b = malloc((size_t)n * size);
    p->x = malloc((size_t)n * size);
    return p->A && p->AB && p->work && p->b && p->x;
}

enum { RANDOM, DOMINANT, DIGITS }; /* entries in [-1, 1), the same with n on the diagonal, whole numbers from 0 to 9 */

static int make(int64_t n, int kind, problem *p) {
    if (!allocate(n, p)) return 0;
    bench_random((uint64_t)n, p->A, n * n);
    bench_random((uint64_t)n + 1, p->b, n);
    for (int64_t k = 0; kind == DIGITS && k < n * n; ++k) p->A[k] = floor(5 * (p->A[k] + 1));
    for (int64_t i = 0; i < n; ++i) {
        if (kind == DOMINANT) p->A[i + i * n] = (double)n;
        for (int64_t j = 0; j < n; ++j) p->AB[i * (n + 1) + j] = p->A[i + j * n];
        p->AB[i * (n + 1) + n] = p->b[i];
    }
    for (int c = TWO_PASS; c <= BLOCKED; ++c) {
        clsolve_gauss_jordan_options options = {
            .variant = (clsolve_gauss_jordan_variant)(c - TWO_PASS + CLSOLVE_GAUSS_JORDAN_TWO_PASS)};
        if (clsolve_gauss_jordan_create(p->context, n, CLSOLVE_F64, &options, &p->handle[c]) != CLSOLVE_OK) return 0;
    }
    return 1;
}

static void discard(problem *p) {
    for (int c = 0; c < CANDIDATES; ++c) {
        clsolve_gauss_jordan_destroy(p->handle[c]);
        p->handle[c] = NULL;
    }
    free(p->A);
    free(p->AB);
    free(p->work);
    free(p->b);
    free(p->x);
}

/* As the study's program for the CPU: row by row, no pivoting. */
static double run_sequential(problem *p, double *computed) {
    int64_t n = p->n, width = n + 1;
    memcpy(p->work, p->AB, (size_t)(n * width) * sizeof *p->work);
    double start = bench_seconds();
    for (int64_t k = 0; k < n; ++k) {
        const double *pivot = p->work + k * width;
        for (int64_t i = 0; i < n; ++i) {
            double *row = p->work + i * width, factor = row[k] / pivot[k];
            if (i == k) continue;
            for (int64_t j = k; j <= n; ++j) row[j] -= factor * pivot[j];
        }
    }
    for (int64_t i = 0; i < n; ++i) p->x[i] = p->work[i * width + n] / p->work[i * width + i];
    return *computed = bench_seconds() - start;
}

static double run_handle(problem *p, int candidate, double *computed) {
    clsolve_matrix A = clsolve_host_f64(p->n, p->n, p->A), X = clsolve_host_f64(p->n, 1, p->x);
    clsolve_report report;
    memcpy(p->x, p->b, (size_t)p->n * sizeof *p->x);
    if (clsolve_gauss_jordan_solve(p->handle[candidate], CLSOLVE_NO_TRANS, &A, &X) != CLSOLVE_OK) return -1;
    if (clsolve_gauss_jordan_report(p->handle[candidate], &report) != CLSOLVE_OK) return -1;
    *computed = report.seconds.factor;
    return report.seconds.factor + report.seconds.download;
}

static double run(problem *p, int candidate, double *computed) {
    if (candidate == SEQUENTIAL) return run_sequential(p, computed);
    if (candidate == MODEL_1) return gj_study_solve(p->study, STUDY_MODEL_1, p->n, p->AB, p->x, computed);
    if (candidate == MODEL_2) return gj_study_solve(p->study, STUDY_MODEL_2, p->n, p->AB, p->x, computed);
    return run_handle(p, candidate, computed);
}

/* Medians of the candidates that are not given up; a candidate beyond the limit is. -1 where there is no figure. */
static int measure(problem *p, const bench_options *options, int *given_up, double *computed, double *copied) {
    static double times[2][CANDIDATES][MOST];
    int repeat = options->repeat < MOST ? options->repeat : MOST;

    for (int c = 0; c < CANDIDATES; ++c) {
        computed[c] = copied[c] = -1;
        if (given_up[c]) continue;
        double once = 0, seconds = run(p, c, &once);
        double ratio = seconds < 0 ? (double)NAN : bench_ratio(p->n, 1, p->A, p->x, p->b);
        if (!(ratio < 30)) {
            fprintf(stderr, "clsolve-bench: %s at n = %lld is wrong: ratio %g; %s\n", names[c], (long long)p->n, ratio,
                    clsolve_context_message(p->context));
            return 0;
        }
    }
    for (int r = 0; r < repeat; ++r)
        for (int c = 0; c < CANDIDATES; ++c)
            if (!given_up[c]) times[1][c][r] = run(p, c, &times[0][c][r]);
    for (int c = 0; c < CANDIDATES; ++c) {
        if (given_up[c]) continue;
        computed[c] = bench_median(times[0][c], repeat);
        copied[c] = bench_median(times[1][c], repeat);
        given_up[c] = copied[c] > options->limit;
    }
    return 1;
}

static void print_row(int64_t n, const double *times) {
    printf("%8lld", (long long)n);
    for (int c = 0; c < CANDIDATES; ++c)
        if (times[c] < 0)
            printf(" %12s", "-");
        else
            printf(" %12.6f", times[c]);
    printf("\n");
}

static void print_head(const char *title) {
    printf("# %s, seconds\n%8s", title, "n");
    for (int c = 0; c < CANDIDATES; ++c) printf(" %12s", names[c]);
    printf("\n");
}

/*
 * The unstable operations beside the stable ones. Random entries hide their fault, for the quotients that rows are scaled
 * by balance; a zero where a multiplier is wanted, as whole numbers have them, gives Inf and then NaN.
 */
static int print_unstable(clsolve_context *context, gj_study *s) {
    static const int64_t orders[] = {5, 10, 20, 50, 100, 400};
    int failed = 0;
    printf("# scaled residual (good below 30) of the unstable operations and of the library's\n");
    printf("%8s %14s %14s %14s %14s\n", "n", "unstable", "operations", "unstable 0..9", "operations 0..9");
    for (size_t o = 0; o < sizeof orders / sizeof *orders && !failed; ++o) {
        double ratio[4] = {(double)NAN, (double)NAN, (double)NAN, (double)NAN}, ignored;
        for (int k = 0; k < 2 && !failed; ++k) {
            problem p = {.context = context, .study = s};
            failed = !make(orders[o], k == 0 ? RANDOM : DIGITS, &p);
            if (!failed && gj_study_solve(s, STUDY_UNSTABLE, p.n, p.AB, p.x, &ignored) >= 0)
                ratio[2 * k] = bench_ratio(p.n, 1, p.A, p.x, p.b);
            if (!failed && run_handle(&p, OPERATIONS, &ignored) >= 0)
                ratio[2 * k + 1] = bench_ratio(p.n, 1, p.A, p.x, p.b);
            discard(&p);
        }
        printf("%8lld %14.3g %14.3g %14.3g %14.3g\n", (long long)orders[o], ratio[0], ratio[1], ratio[2], ratio[3]);
    }
    return failed;
}

static int table(const bench_options *options, clsolve_context *context, FILE *csv) {
    static const int64_t usual[] = {100, 200, 500, 1000, 2000, 3000, 4000, 5000};
    const int64_t *sizes = options->count ? options->sizes : usual;
    int count = options->count ? options->count : (int)(sizeof usual / sizeof *usual), failed = 0,
        given_up[CANDIDATES] = {0};
    static double computed[32][CANDIDATES], copied[32][CANDIDATES];
    clsolve_device_info info = clsolve_context_device(context);
    gj_study *s = gj_study_open(info.name, info.platform);

    printf("# Gauss-Jordan, one right-hand side, double; medians of %d; each verified\n", options->repeat);
    bench_print_device(stdout, context);
    print_head("without the copy of the solution");
    for (int k = 0; k < count && !failed; ++k) {
        problem p = {.context = context, .study = s};
        for (int c = MODEL_1; !s && c <= MODEL_2; ++c) given_up[c] = 1;
        failed = !make(sizes[k], DOMINANT, &p) || !measure(&p, options, given_up, computed[k], copied[k]);
        if (!failed) print_row(sizes[k], computed[k]);
        fflush(stdout);
        discard(&p);
    }
    if (!failed) print_head("with the copy of the solution");
    for (int k = 0; k < count && !failed; ++k) print_row(sizes[k], copied[k]);
    if (csv) {
        fprintf(csv, "n");
        for (int c = 0; c < CANDIDATES; ++c) fprintf(csv, ",%s,%s-copied", names[c], names[c]);
        for (int k = 0; k < count && !failed; ++k) {
            fprintf(csv, "\n%lld", (long long)sizes[k]);
            for (int c = 0; c < CANDIDATES; ++c)
                computed[k][c] < 0 ? fprintf(csv, ",,") : fprintf(csv, ",%.9f,%.9f", computed[k][c], copied[k][c]);
        }
        fprintf(csv, "\n");
    }
    if (!failed && s) failed = print_unstable(context, s);
    gj_study_close(s);
    return failed;
}

int bench_gauss_jordan(const bench_options *options) {
    return bench_table(options, table);
}
