/*
 * The dense LU table: factor and solve with one right-hand side, from host memory to host memory: the two schemes of a
 * published study (study.h), which are in double alone, clsolve, LAPACK's gesv on the host and cuSOLVER's getrf and getrs
 * where they are; on several devices side by side, each of a size's candidates in its turn.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "study.h"

enum { PLAIN, REDUCED, NATIVE, HYBRID, GESV, RBT, VENDOR, CANDIDATES, MOST = 101 };

typedef struct problem {
    clsolve_type type;
    int64_t n;
    void *A, *b;    /* the system */
    void *work, *x; /* what a candidate may spoil, and its answer */
    lapack_int *pivots;
    const bench_field *field;
    study *const *studies;                     /* of each device; NULL: it has none */
    clsolve_lu *lu[BENCH_DEVICES][CANDIDATES]; /* NULL where a candidate has no handle */
    char said[256];                            /* why a candidate failed */
} problem;

/* A candidate's history: how long it took at the size before, and whether it still runs. */
typedef struct history {
    int64_t n;
    double seconds;
} history;

/* ---- the candidates ---- */

/* A handle that exists, as a program has that solves again and again: A up, factor, b up, solve, x down. */
static double run_handle(problem *p, int d, int candidate) {
    clsolve_matrix A = bench_matrix(p->type, p->n, p->n, p->A), X = bench_matrix(p->type, p->n, 1, p->x);
    double start = bench_seconds();
    clsolve_status status = clsolve_lu_factor(p->lu[d][candidate], &A);
    if (status == CLSOLVE_OK) status = clsolve_lu_solve(p->lu[d][candidate], CLSOLVE_NO_TRANS, &X);
    if (status == CLSOLVE_OK) return bench_seconds() - start;
    (void)snprintf(p->said, sizeof p->said, "%.200s", clsolve_context_message(p->field->candidates[d].context));
    return -1;
}

/* The study's schemes and gesv overwrite the matrix: the copy that keeps it is inside the time, as the upload is
 * inside ours. */
static double run_study(problem *p, int d, int candidate) {
    double start = bench_seconds();
    memcpy(p->work, p->A, (size_t)(p->n * p->n * cls_type_size(p->type)));
    if (study_solve(p->studies[d], candidate == PLAIN ? STUDY_PLAIN : STUDY_REDUCED, p->n, p->work, p->x) == 0)
        return bench_seconds() - start;
    (void)snprintf(p->said, sizeof p->said, "%.200s", study_message());
    return -1;
}

static double run_gesv(problem *p, int d, int candidate) {
    lapack_int n = (lapack_int)p->n;
    (void)d, (void)candidate;
    double start = bench_seconds();
    memcpy(p->work, p->A, (size_t)(p->n * p->n * cls_type_size(p->type)));
    lapack_int info = BENCH_LAPACK(p->type, gesv_work, LAPACK_COL_MAJOR, n, 1, p->work, n, p->pivots, p->x, n);
    if (info == 0) return bench_seconds() - start;
    (void)snprintf(p->said, sizeof p->said, "info is %lld", (long long)info);
    return -1;
}

static double run_vendor(problem *p, int d, int candidate) {
    double device, seconds = vendor_lu(p->field->vendor, p->type, p->n, p->A, p->x, 1, &device);
    (void)d, (void)candidate;
    if (seconds < 0) (void)snprintf(p->said, sizeof p->said, "%.200s", vendor_message());
    return seconds;
}

static const struct {
    const char *name;
    double (*run)(problem *p, int d, int candidate); /* on device d; seconds, or below 0 */
    clsolve_panel panel;                             /* of a handle */
    clsolve_pivoting pivoting;
} candidates[CANDIDATES] = {[PLAIN] = {"plain", run_study, CLSOLVE_PANEL_AUTO},
                            [REDUCED] = {"reduced", run_study, CLSOLVE_PANEL_AUTO},
                            [NATIVE] = {"native", run_handle, CLSOLVE_PANEL_NATIVE},
                            [HYBRID] = {"hybrid", run_handle, CLSOLVE_PANEL_HYBRID},
                            [GESV] = {"gesv", run_gesv, CLSOLVE_PANEL_AUTO},
                            [RBT] = {"rbt", run_handle, CLSOLVE_PANEL_AUTO, CLSOLVE_PIVOTING_RBT},
                            [VENDOR] = {"cusolver", run_vendor, CLSOLVE_PANEL_AUTO}};

/* LAPACK's routine has the type's letter. */
static const char *name_of(int candidate, clsolve_type type) {
    static const char *const gesv[] = {"", "sgesv", "dgesv", "cgesv", "zgesv"};
    return candidate == GESV ? gesv[type] : candidates[candidate].name;
}

static double run(problem *p, int d, int candidate) {
    memcpy(p->x, p->b, (size_t)(p->n * cls_type_size(p->type)));
    return candidates[candidate].run(p, d, candidate);
}

/* ---- one size ---- */

/* A scheme's work grows with n^3 from the smallest sizes on: one whose next run would pass the limit by that rule is
 * left out from here on. The others' small runs say nothing of large ones, and they are the faster ones. */
static int is_left_out(int candidate, const history *before, int64_t n, double limit) {
    if (candidates[candidate].run != run_study || before->n == 0) return 0;
    double growth = (double)n / (double)before->n;
    return before->seconds * growth * growth * growth > limit;
}

static int is_wanted(int candidate, const bench_field *field) {
    const bench_options *options = field->options;
    return (candidate != NATIVE || options->native) && (candidate != HYBRID || options->hybrid) &&
           (candidate != RBT || options->rbt) && (candidate != VENDOR || field->vendor);
}

/* What does not run on one of our devices: one figure for all of them. */
static int is_apart(int candidate) {
    return candidate == GESV || candidate == VENDOR;
}

/* What a device has not (the host has no kernels) stays out of the table; a device that has nothing ends it. */
static int create(problem *p, int d) {
    clsolve_context *context = p->field->candidates[d].context;
    int made = 0;
    for (int c = 0; c < CANDIDATES; ++c) {
        clsolve_lu_options wanted = {.where = CLSOLVE_WHERE_DEVICE,
                                     .panel = candidates[c].panel,
                                     .precision = CLSOLVE_PRECISION_WORKING,
                                     .memory_limit = p->field->options->memory_limit,
                                     .pivoting = candidates[c].pivoting};
        if (candidates[c].run != run_handle || !is_wanted(c, p->field)) continue;
        const clsolve_status status = clsolve_lu_create(context, p->n, p->type, &wanted, &p->lu[d][c]);
        made += status == CLSOLVE_OK;
        if (status == CLSOLVE_OK) continue;
        (void)snprintf(p->said, sizeof p->said, "%.200s", clsolve_context_message(context));
        if (status != CLSOLVE_ERROR_UNSUPPORTED) return 0;
    }
    return made > 0;
}

static int make(int64_t n, const bench_field *field, study *const *studies, problem *p) {
    const clsolve_type type = field->options->type;
    size_t elements = (size_t)(n * n), size = (size_t)cls_type_size(type);
    int fine = 1;
    *p = (problem){.type = type, .n = n, .field = field, .studies = studies};
    p->A = malloc(elements * size);
    p->work = malloc(elements * size);
    p->b = malloc((size_t)n * size);
    p->x = malloc((size_t)n * size);
    p->pivots = malloc((size_t)n * sizeof *p->pivots);
    if (!p->A || !p->work || !p->b || !p->x || !p->pivots) {
        (void)snprintf(p->said, sizeof p->said, "out of host memory");
        return 0;
    }
    bench_random_of(type, (uint64_t)n, p->A, n * n);
    bench_random_of(type, (uint64_t)n + 1, p->b, n);
    for (int d = 0; d < field->devices && fine; ++d) fine = create(p, d);
    return fine;
}

static void discard(problem *p) {
    for (int d = 0; d < BENCH_DEVICES; ++d)
        for (int c = 0; c < CANDIDATES; ++c) clsolve_lu_destroy(p->lu[d][c]);
    free(p->A);
    free(p->work);
    free(p->b);
    free(p->x);
    free(p->pivots);
}

static int wrong(const problem *p, int d, int candidate, double ratio) {
    fprintf(stderr, "clsolve-bench: %s of %s at n = %lld is wrong: ratio %g; %s\n", name_of(candidate, p->type),
            p->field->candidates[d].name, (long long)p->n, ratio, p->said);
    return 0;
}

/* The first run, which also warms the candidate up; its seconds, or below 0 when the answer is wrong. */
static double verify(problem *p, int d, int candidate) {
    double seconds = run(p, d, candidate);
    double ratio = seconds < 0 ? NAN : bench_ratio(p->type, p->n, 1, p->A, p->x, p->b);
    clsolve_report report;
    if (candidate == RBT && seconds >= 0 && clsolve_lu_report(p->lu[d][RBT], &report) == CLSOLVE_OK &&
        report.direct.pivoting_fallback)
        printf("# n = %lld: rbt fell back to partial pivoting: %s\n", (long long)p->n, report.direct.pivoting_fallback);
    if (!(ratio < 30)) (void)wrong(p, d, candidate, ratio);
    return ratio < 30 ? seconds : -1;
}

/* Of each device and candidate. */
typedef struct figures {
    double seconds[BENCH_DEVICES][CANDIDATES]; /* below 0: none */
} figures;

/* Verifies each candidate, then times them by turns. A slow one is timed less often: about 20 s of runs, and where
 * one run takes that long it was timed already. Medians below 0: left out. */
static int measure(problem *p, const bench_options *options, history (*histories)[CANDIDATES], figures *medians) {
    static double times[BENCH_DEVICES][CANDIDATES][MOST];
    int runs[BENCH_DEVICES][CANDIDATES] = {{0}}, repeat = options->repeat < MOST ? options->repeat : MOST;
    int devices = p->field->devices;

    for (int d = 0; d < devices; ++d)
        for (int c = 0; c < CANDIDATES; ++c) {
            medians->seconds[d][c] = -1;
            if (!is_wanted(c, p->field) || (candidates[c].run == run_study && !p->studies[d]) ||
                (candidates[c].run == run_handle && !p->lu[d][c]) || (is_apart(c) && d > 0) ||
                is_left_out(c, &histories[d][c], p->n, options->limit))
                continue;
            double seconds = medians->seconds[d][c] = verify(p, d, c);
            if (seconds < 0) return 0;
            runs[d][c] = seconds * repeat <= 20 ? repeat : (int)(20 / seconds);
            histories[d][c] = (history){p->n, seconds};
        }
    for (int r = 0; r < repeat; ++r)
        for (int d = 0; d < devices; ++d)
            for (int c = 0; c < CANDIDATES; ++c)
                if (r < runs[d][c] && (times[d][c][r] = run(p, d, c)) < 0) return wrong(p, d, c, NAN);
    for (int d = 0; d < devices; ++d)
        for (int c = 0; c < CANDIDATES; ++c) {
            if (runs[d][c] > 0)
                medians->seconds[d][c] = histories[d][c].seconds = bench_median(times[d][c], runs[d][c]);
            if (is_apart(c)) medians->seconds[d][c] = medians->seconds[0][c];
        }
    return 1;
}

/* ---- the table ---- */

static void print_cell(FILE *to, const char *format, double value, const char *none) {
    if (value < 0)
        fputs(none, to);
    else
        fprintf(to, format, value);
}

/* Others than the usual ones have columns only where they were asked for, or are there. */
static int has_column(int candidate, const bench_field *field) {
    return candidate < RBT || is_wanted(candidate, field);
}

static void print_head(const bench_field *field) {
    const clsolve_type type = field->options->type;
    printf("# the study's columns: its own seconds, on a Core i5 760 (cpu) and a Barts Pro (gpu)\n%-9s %6s", "device",
           "n");
    for (int c = 0; c < CANDIDATES; ++c)
        if (has_column(c, field)) printf(" %11s", name_of(c, type));
    const char *host = name_of(GESV, type);
    printf(" native/%s hybrid/%s %8s | %10s %10s %10s %10s\n", host, host, "GFLOP/s", "cpu plain", "cpu reduced",
           "gpu plain", "gpu reduced");
    if (!field->csv) return;
    fprintf(field->csv, "n");
    for (int c = 0; c < CANDIDATES; ++c)
        if (has_column(c, field)) fprintf(field->csv, ",%s", name_of(c, type));
    fprintf(field->csv, ",study_cpu_plain,study_cpu_reduced,study_gpu_plain,study_gpu_reduced,device\n");
}

static void print_row(const bench_field *field, int d, int64_t size, const double *medians) {
    static const study_row nothing = {0, -1, -1, -1, -1};
    const study_row *row = field->options->type == CLSOLVE_F64 ? study_published(size) : NULL;
    double n = (double)size, operations = bench_operations(field->options->type);

    if (!row) row = &nothing;
    const double published[] = {row->cpu_plain, row->cpu_reduced, row->gpu_plain, row->gpu_reduced};
    printf("%-9s %6lld", field->candidates[d].name, (long long)size);
    for (int c = 0; c < CANDIDATES; ++c)
        if (has_column(c, field)) print_cell(stdout, " %11.6f", medians[c], "           -");
    double native = medians[NATIVE], hybrid = medians[HYBRID], best = native < hybrid ? native : hybrid;
    if (native < 0 || hybrid < 0) best = fmax(native, hybrid); /* one was not wanted */
    print_cell(stdout, " %12.3f", native > 0 && medians[GESV] > 0 ? native / medians[GESV] : -1, "            -");
    print_cell(stdout, " %12.3f", hybrid > 0 && medians[GESV] > 0 ? hybrid / medians[GESV] : -1, "            -");
    print_cell(stdout, " %8.2f", best > 0 ? 2e-9 / 3 * operations * n * n * n / best : -1, "        -");
    printf(" |");
    for (int k = 0; k < 4; ++k) print_cell(stdout, " %10.4f", published[k], "          -");
    printf("\n");
    fflush(stdout);
    if (!field->csv) return;
    fprintf(field->csv, "%lld", (long long)size);
    for (int c = 0; c < CANDIDATES; ++c)
        if (has_column(c, field)) print_cell(field->csv, ",%.9f", medians[c], ",");
    for (int k = 0; k < 4; ++k) print_cell(field->csv, ",%.4f", published[k], ",");
    fprintf(field->csv, ",%s\n", field->candidates[d].name);
}

static int row(int64_t n, const bench_field *field, const bench_options *options, study *const *studies,
               history (*histories)[CANDIDATES], figures *medians) {
    problem p;
    int made = make(n, field, studies, &p);
    if (!made) fprintf(stderr, "clsolve-bench: n = %lld: %s\n", (long long)n, p.said);
    int fine = made && measure(&p, options, histories, medians);
    discard(&p);
    return fine;
}

static int rows(const bench_field *field, study *const *studies) {
    static const int64_t usual[] = {16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
    const bench_options *options = field->options;
    const int64_t *sizes = options->count ? options->sizes : usual;
    int count = options->count ? options->count : (int)(sizeof usual / sizeof *usual), fine = 1;
    history histories[BENCH_DEVICES][CANDIDATES] = {{{0}}};
    bench_options once = *options;
    figures medians;

    /* A table that begins with a large size learns first, from a small one, what would take too long there. */
    once.repeat = 1;
    if (sizes[0] > 256) fine = row(256, field, &once, studies, histories, &medians);
    print_head(field);
    for (int s = 0; s < count && fine; ++s) {
        fine = row(sizes[s], field, options, studies, histories, &medians);
        for (int d = 0; d < field->devices && fine; ++d) print_row(field, d, sizes[s], medians.seconds[d]);
    }
    return !fine;
}

static int table(const bench_field *field) {
    study *studies[BENCH_DEVICES] = {0};

    for (int d = 0; d < field->devices; ++d) {
        clsolve_device_info info = clsolve_context_device(field->candidates[d].context);
        if (field->options->type != CLSOLVE_F64) continue;
        if (!(studies[d] = study_open(&info)))
            printf("# without the study's schemes on %s: %s\n", info.name, study_message());
    }
    printf("# dense LU, factor and solve one right-hand side, %s, host to host; seconds, medians of up to %d, by "
           "turns; each verified; the study's schemes none beyond %g s a run\n",
           bench_type_words(field->options->type), field->options->repeat, field->options->limit);
    bench_print_field(field, 1);
    int failed = rows(field, studies);
    for (int d = 0; d < field->devices; ++d) study_close(studies[d]);
    return failed;
}

int bench_lu(const bench_options *options) {
    return bench_table(options, 1, table);
}
