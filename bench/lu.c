/*
 * The dense LU table: factor and solve with one right-hand side, in double, from host memory to host memory: the two
 * schemes of a published study (study.h), clsolve, and LAPACK's dgesv on the host.
 */
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "study.h"

enum { PLAIN, REDUCED, NATIVE, HYBRID, DGESV, RBT, TOURNAMENT, CANDIDATES, MOST = 101 };

typedef struct problem {
    int64_t n;
    double *A, *b;    /* the system */
    double *work, *x; /* what a candidate may spoil, and its answer */
    lapack_int *pivots;
    clsolve_context *context;
    clsolve_lu *lu[CANDIDATES]; /* NULL where a candidate has no handle */
    study *study;
    char said[256]; /* why a candidate failed */
} problem;

/* A candidate's history: how long it took at the size before, and whether it still runs. */
typedef struct history {
    int64_t n;
    double seconds;
} history;

/* ---- the candidates ---- */

/* A handle that exists, as a program has that solves again and again: A up, factor, b up, solve, x down. */
static double run_handle(problem *p, int candidate) {
    clsolve_matrix A = clsolve_host_f64(p->n, p->n, p->A), X = clsolve_host_f64(p->n, 1, p->x);
    double start = bench_seconds();
    clsolve_status status = clsolve_lu_factor(p->lu[candidate], &A);
    if (status == CLSOLVE_OK) status = clsolve_lu_solve(p->lu[candidate], CLSOLVE_NO_TRANS, &X);
    if (status == CLSOLVE_OK) return bench_seconds() - start;
    (void)snprintf(p->said, sizeof p->said, "%.200s", clsolve_context_message(p->context));
    return -1;
}

/* The study's schemes and dgesv overwrite the matrix: the copy that keeps it is inside the time, as the upload is
 * inside ours. */
static double run_study(problem *p, int candidate) {
    double start = bench_seconds();
    memcpy(p->work, p->A, (size_t)(p->n * p->n) * sizeof *p->work);
    if (study_solve(p->study, candidate == PLAIN ? STUDY_PLAIN : STUDY_REDUCED, p->n, p->work, p->x) == 0)
        return bench_seconds() - start;
    (void)snprintf(p->said, sizeof p->said, "%.200s", study_message());
    return -1;
}

static double run_dgesv(problem *p, int candidate) {
    lapack_int n = (lapack_int)p->n;
    (void)candidate;
    double start = bench_seconds();
    memcpy(p->work, p->A, (size_t)(p->n * p->n) * sizeof *p->work);
    lapack_int info = LAPACKE_dgesv_work(LAPACK_COL_MAJOR, n, 1, p->work, n, p->pivots, p->x, n);
    if (info == 0) return bench_seconds() - start;
    (void)snprintf(p->said, sizeof p->said, "info is %lld", (long long)info);
    return -1;
}

static const struct {
    const char *name;
    double (*run)(problem *p, int candidate); /* seconds, or below 0 */
    clsolve_panel panel;                      /* of a handle */
    clsolve_pivoting pivoting;
} candidates[CANDIDATES] = {
    [PLAIN] = {"plain", run_study, CLSOLVE_PANEL_AUTO},
    [REDUCED] = {"reduced", run_study, CLSOLVE_PANEL_AUTO},
    [NATIVE] = {"native", run_handle, CLSOLVE_PANEL_NATIVE},
    [HYBRID] = {"hybrid", run_handle, CLSOLVE_PANEL_HYBRID},
    [DGESV] = {"dgesv", run_dgesv, CLSOLVE_PANEL_AUTO},
    [RBT] = {"rbt", run_handle, CLSOLVE_PANEL_AUTO, CLSOLVE_PIVOTING_RBT},
    [TOURNAMENT] = {"tournament", run_handle, CLSOLVE_PANEL_NATIVE, CLSOLVE_PIVOTING_TOURNAMENT}};

static double run(problem *p, int candidate) {
    memcpy(p->x, p->b, (size_t)p->n * sizeof *p->x);
    return candidates[candidate].run(p, candidate);
}

/* ---- one size ---- */

/* A scheme's work grows with n^3 from the smallest sizes on: one whose next run would pass the limit by that rule is
 * left out from here on. The others' small runs say nothing of large ones, and they are the faster ones. */
static int is_left_out(int candidate, const history *before, int64_t n, double limit) {
    if (candidates[candidate].run != run_study || before->n == 0) return 0;
    double growth = (double)n / (double)before->n;
    return before->seconds * growth * growth * growth > limit;
}

static int is_wanted(int candidate, const bench_options *options) {
    return (candidate != NATIVE || options->native) && (candidate != HYBRID || options->hybrid) &&
           (candidate != RBT || options->rbt) && (candidate != TOURNAMENT || options->tournament);
}

static int make(int64_t n, const bench_options *options, clsolve_context *context, study *schemes, problem *p) {
    size_t elements = (size_t)(n * n), size = sizeof(double);
    *p = (problem){.n = n, .context = context, .study = schemes};
    p->A = malloc(elements * size);
    p->work = malloc(elements * size);
    p->b = malloc((size_t)n * size);
    p->x = malloc((size_t)n * size);
    p->pivots = malloc((size_t)n * sizeof *p->pivots);
    if (!p->A || !p->work || !p->b || !p->x || !p->pivots) {
        (void)snprintf(p->said, sizeof p->said, "out of host memory");
        return 0;
    }
    bench_random((uint64_t)n, p->A, n * n);
    bench_random((uint64_t)n + 1, p->b, n);
    for (int c = 0; c < CANDIDATES; ++c) {
        clsolve_lu_options wanted = {
            .panel = candidates[c].panel, .memory_limit = options->memory_limit, .pivoting = candidates[c].pivoting};
        if (candidates[c].run != run_handle || !is_wanted(c, options)) continue;
        if (clsolve_lu_create(context, n, CLSOLVE_F64, &wanted, &p->lu[c]) != CLSOLVE_OK) {
            (void)snprintf(p->said, sizeof p->said, "%.200s", clsolve_context_message(context));
            return 0;
        }
    }
    return 1;
}

static void discard(problem *p) {
    for (int c = 0; c < CANDIDATES; ++c) clsolve_lu_destroy(p->lu[c]);
    free(p->A);
    free(p->work);
    free(p->b);
    free(p->x);
    free(p->pivots);
}

/* The first run, which also warms the candidate up; its seconds, or below 0 when the answer is wrong. */
static double verify(problem *p, int candidate) {
    double seconds = run(p, candidate);
    double ratio = seconds < 0 ? NAN : bench_ratio(p->n, 1, p->A, p->x, p->b);
    clsolve_report report;
    if (candidate == RBT && seconds >= 0 && clsolve_lu_report(p->lu[RBT], &report) == CLSOLVE_OK &&
        report.pivoting_fallback)
        printf("# n = %lld: rbt fell back to partial pivoting: %s\n", (long long)p->n, report.pivoting_fallback);
    if (ratio < 30) return seconds;
    fprintf(stderr, "clsolve-bench: %s at n = %lld is wrong: ratio %g; %s\n", candidates[candidate].name,
            (long long)p->n, ratio, p->said);
    return -1;
}

/* Verifies each candidate, then times them by turns. A slow one is timed less often: about 20 s of runs, and where
 * one run takes that long it was timed already. medians[c] < 0: left out. */
static int measure(problem *p, const bench_options *options, history *histories, double *medians) {
    static double times[CANDIDATES][MOST];
    int runs[CANDIDATES] = {0}, repeat = options->repeat < MOST ? options->repeat : MOST;

    for (int c = 0; c < CANDIDATES; ++c) {
        medians[c] = -1;
        if (!is_wanted(c, options) || (candidates[c].run == run_study && !p->study) ||
            is_left_out(c, &histories[c], p->n, options->limit))
            continue;
        double seconds = medians[c] = verify(p, c);
        if (seconds < 0) return 0;
        runs[c] = seconds * repeat <= 20 ? repeat : (int)(20 / seconds);
        histories[c] = (history){p->n, seconds};
    }
    for (int r = 0; r < repeat; ++r)
        for (int c = 0; c < CANDIDATES; ++c)
            if (r < runs[c]) times[c][r] = run(p, c);
    for (int c = 0; c < CANDIDATES; ++c)
        if (runs[c] > 0) medians[c] = histories[c].seconds = bench_median(times[c], runs[c]);
    return 1;
}

/* ---- the table ---- */

static void print_cell(FILE *to, const char *format, double value, const char *none) {
    if (value < 0)
        fputs(none, to);
    else
        fprintf(to, format, value);
}

/* Other pivotings have columns only where they were asked for: tables without are as they were. */
static int has_column(int candidate, const bench_options *options) {
    return candidate < RBT || is_wanted(candidate, options);
}

static void print_head(FILE *csv, const bench_options *options) {
    printf("# the study's columns: its own seconds, on a Core i5 760 (cpu) and a Barts Pro (gpu)\n%6s", "n");
    for (int c = 0; c < CANDIDATES; ++c)
        if (has_column(c, options)) printf(" %11s", candidates[c].name);
    printf(" %12s %12s %8s | %10s %10s %10s %10s\n", "native/dgesv", "hybrid/dgesv", "GFLOP/s", "cpu plain",
           "cpu reduced", "gpu plain", "gpu reduced");
    if (!csv) return;
    fprintf(csv, "n");
    for (int c = 0; c < CANDIDATES; ++c)
        if (has_column(c, options)) fprintf(csv, ",%s", candidates[c].name);
    fprintf(csv, ",study_cpu_plain,study_cpu_reduced,study_gpu_plain,study_gpu_reduced\n");
}

static void print_row(FILE *csv, const bench_options *options, int64_t size, const double *medians) {
    static const study_row nothing = {0, -1, -1, -1, -1};
    const study_row *row = study_published(size);
    double n = (double)size;

    if (!row) row = &nothing;
    const double published[] = {row->cpu_plain, row->cpu_reduced, row->gpu_plain, row->gpu_reduced};
    printf("%6lld", (long long)size);
    for (int c = 0; c < CANDIDATES; ++c)
        if (has_column(c, options)) print_cell(stdout, " %11.6f", medians[c], "           -");
    double native = medians[NATIVE], hybrid = medians[HYBRID], best = native < hybrid ? native : hybrid;
    if (native < 0 || hybrid < 0) best = fmax(native, hybrid); /* one was not wanted */
    print_cell(stdout, " %12.3f", native > 0 && medians[DGESV] > 0 ? native / medians[DGESV] : -1, "            -");
    print_cell(stdout, " %12.3f", hybrid > 0 && medians[DGESV] > 0 ? hybrid / medians[DGESV] : -1, "            -");
    print_cell(stdout, " %8.2f", best > 0 ? 2e-9 / 3 * n * n * n / best : -1, "        -");
    printf(" |");
    for (int k = 0; k < 4; ++k) print_cell(stdout, " %10.4f", published[k], "          -");
    printf("\n");
    fflush(stdout);
    if (!csv) return;
    fprintf(csv, "%lld", (long long)size);
    for (int c = 0; c < CANDIDATES; ++c)
        if (has_column(c, options)) print_cell(csv, ",%.9f", medians[c], ",");
    for (int k = 0; k < 4; ++k) print_cell(csv, ",%.4f", published[k], ",");
    fprintf(csv, "\n");
}

/* A table that begins with a large size learns first, from a small one, what would take too long there. */
static int probe(const bench_options *options, clsolve_context *context, study *schemes, history *histories) {
    bench_options once = *options;
    double medians[CANDIDATES];
    problem p;

    once.repeat = 1;
    int made = make(256, &once, context, schemes, &p);
    if (!made) fprintf(stderr, "clsolve-bench: n = 256: %s\n", p.said);
    int fine = made && measure(&p, &once, histories, medians);
    discard(&p);
    return fine;
}

static int table(const bench_options *options, clsolve_context *context, study *schemes, FILE *csv) {
    static const int64_t usual[] = {16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
    const int64_t *sizes = options->count ? options->sizes : usual;
    int count = options->count ? options->count : (int)(sizeof usual / sizeof *usual), failed = 0;
    history histories[CANDIDATES] = {{0}};

    if (sizes[0] > 256) failed = !probe(options, context, schemes, histories);
    print_head(csv, options);
    for (int s = 0; s < count && !failed; ++s) {
        double medians[CANDIDATES];
        problem p;
        failed = !make(sizes[s], options, context, schemes, &p);
        if (failed) fprintf(stderr, "clsolve-bench: n = %lld: %s\n", (long long)sizes[s], p.said);
        if (!failed) failed = !measure(&p, options, histories, medians);
        if (!failed) print_row(csv, options, sizes[s], medians);
        discard(&p);
    }
    return failed;
}

static int run_table(const bench_options *options, clsolve_context *context) {
    clsolve_device_info info = clsolve_context_device(context);
    FILE *csv = NULL;
    study *schemes = study_open(&info);

    if (!schemes) printf("# without the study's schemes on %s: %s\n", info.name, study_message());
    if (options->csv && !(csv = fopen(options->csv, "w"))) {
        fprintf(stderr, "clsolve-bench: cannot write %s\n", options->csv);
        study_close(schemes);
        return 2;
    }
    printf("# dense LU, factor and solve one right-hand side, double, host to host; seconds, medians of up to %d; each "
           "verified; the study's "
           "schemes none beyond %g s a run\n",
           options->repeat, options->limit);
    bench_print_device(stdout, context);
    int failed = table(options, context, schemes, csv);
    if (csv && fclose(csv) != 0) failed = 1;
    study_close(schemes);
    return failed;
}

int bench_lu(const bench_options *options) {
    clsolve_context *context = NULL;
    char message[512];
    clsolve_context_options wanted = {.selector = options->device, .message = message, .message_size = sizeof message};

    if (clsolve_context_create_with(&wanted, &context) != CLSOLVE_OK) {
        fprintf(stderr, "clsolve-bench: %s\n", message);
        return 6;
    }
    int failed = run_table(options, context);
    clsolve_context_destroy(context);
    return failed;
}
