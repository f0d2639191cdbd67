/*
 * The block-tridiagonal tables, in double: the study's experiments with its own seconds (sequential and best parallel, RTX
 * 3060) beside ours, the study's scheme and plain sequential C in the same run; a red-black iteration and what of the copy
 * bandwidth it uses at 88 bytes an unknown; the same for few long lines; the time to a relative residual of 1e-10 by each
 * method. On several devices side by side.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "study_block_gs.h"

typedef struct system {
    int64_t N, M;
    double *array[6], *Y, *Z; /* up, a, c, b, down, F; two iterates */
    const bench_field *field;
    int d;             /* the device whose turn it is */
    double sequential; /* seconds of plain C, for all devices */
    char method[64];   /* the one that ran last, for the handle that knows it is gone */
} system_;

static int no_memory(int64_t N, int64_t M) {
    fprintf(stderr, "clsolve-bench: no host memory for %lld lines of %lld\n", (long long)N, (long long)M);
    return 0;
}

static int make(system_ *s, int64_t N, int64_t M, int experiment) {
    size_t n = (size_t)(N * M);
    s->N = N;
    s->M = M;
    for (int q = 0; q < 6; ++q) s->array[q] = malloc(n * sizeof(double));
    s->Y = calloc(n, sizeof(double));
    s->Z = calloc(n, sizeof(double));
    for (int q = 0; q < 6; ++q)
        if (!s->array[q] || !s->Y || !s->Z) return no_memory(N, M);
    for (int64_t i = 0; i < N; ++i)
        for (int64_t k = 0; k < M; ++k) {
            int64_t o = i * M + k;
            double m = experiment == 1 ? (double)(2 * (i + 1) + k + 1) / (double)(2 * N + M) : -1;
            double row[5] = {i > 0 ? m : 0, k > 0 ? m : 0, 4, k + 1 < M ? m : 0, i + 1 < N ? m : 0};
            if (experiment == 2) row[2] += (k == 0) + (k + 1 == M) - (i == 0) - (i + 1 == N);
            s->array[5][o] = row[0] + row[1] + row[2] + row[3] + row[4];
            for (int q = 0; q < 5; ++q) s->array[q][o] = row[q];
        }
    return 1;
}

static void discard(system_ *s) {
    for (int q = 0; q < 6; ++q) free(s->array[q]);
    free(s->Y);
    free(s->Z);
}

static clsolve_context *context_of(const system_ *s) {
    return s->field->candidates[s->d].context;
}

static const char *device_of(const system_ *s) {
    return s->field->candidates[s->d].name;
}

/* ---- candidates ---- */

/* Plain sequential C, the study's algorithm; seconds. */
static double run_sequential(system_ *s, int64_t sweeps, double *Y) {
    int64_t N = s->N, M = s->M;
    const double *up = s->array[0], *a = s->array[1], *c = s->array[2], *b = s->array[3], *down = s->array[4];
    double *alpha = calloc((size_t)M + 1, sizeof *alpha), *beta = calloc((size_t)M + 1, sizeof *beta);
    if (!alpha || !beta) return -1;
    memset(Y, 0, (size_t)(N * M) * sizeof *Y);
    double start = bench_seconds();
    for (int64_t l = 0; l < sweeps; ++l)
        for (int64_t i = 0; i < N; ++i) {
            for (int64_t k = 0; k < M; ++k) {
                int64_t o = i * M + k;
                double f = s->array[5][o];
                if (i > 0) f -= up[o] * Y[o - M];
                if (i + 1 < N) f -= down[o] * Y[o + M];
                double below = c[o] + a[o] * alpha[k];
                alpha[k + 1] = -b[o] / below;
                beta[k + 1] = (f - a[o] * beta[k]) / below;
            }
            double y = 0;
            for (int64_t k = M - 1; k >= 0; --k) Y[i * M + k] = y = alpha[k + 1] * y + beta[k + 1];
        }
    double seconds = bench_seconds() - start;
    free(alpha);
    free(beta);
    return seconds;
}

/* Ours: seconds between F and Y on the device; set-up goes to *setup where wanted. */
static double run_ours(system_ *s, const clsolve_block_gs_options *options, clsolve_report *result) {
    clsolve_block_gs *handle = NULL;
    clsolve_grid g[6], Y = clsolve_grid_f64(s->N, s->M, s->Y);
    double times[101], seconds = -1;
    for (int q = 0; q < 6; ++q) g[q] = clsolve_grid_f64(s->N, s->M, s->array[q]);
    clsolve_status status = clsolve_block_gs_create(context_of(s), s->N, s->M, CLSOLVE_F64, options, &handle);
    if (status == CLSOLVE_OK) status = clsolve_block_gs_factor(handle, &g[0], &g[1], &g[2], &g[3], &g[4]);
    for (int r = 0; r <= s->field->options->repeat && status == CLSOLVE_OK; ++r) { /* the first warms up */
        status = clsolve_block_gs_solve(handle, &g[5], &Y, 1);
        if (clsolve_block_gs_report(handle, result) != CLSOLVE_OK) break;
        (void)snprintf(s->method, sizeof s->method, "%s", result->block_gs.method);
        if (r > 0) times[r - 1] = result->seconds.solve;
    }
    if (status == CLSOLVE_OK)
        seconds = bench_median(times, s->field->options->repeat);
    else
        fprintf(stderr, "clsolve-bench: %s\n", clsolve_context_message(context_of(s)));
    clsolve_block_gs_destroy(handle);
    return seconds;
}

/* How far the answer is from the solution, all ones; below 0, with a word, where it is none. */
static double error_of(const system_ *s) {
    double worst = 0;
    for (int64_t o = 0; o < s->N * s->M; ++o)
        if (!(fabs(s->Y[o] - 1) <= worst)) worst = fabs(s->Y[o] - 1);
    if (worst < 1e-2) return worst;
    fprintf(stderr, "clsolve-bench: %lld lines of %lld, %s on %s, is wrong: off by %g\n", (long long)s->N,
            (long long)s->M, s->method, device_of(s), worst);
    return -1;
}

static double run_sweeps(system_ *s, int64_t sweeps) {
    clsolve_block_gs_options options = {.method = CLSOLVE_BLOCK_GS_SWEEPS, .sweeps = sweeps, .zero_guess = 1};
    clsolve_report result;
    return run_ours(s, &options, &result);
}

/* Of the first `side` lines of as many: a small one is enough to ask how fast the device copies. */
static bt_study *study_of(system_ *s, int64_t side) {
    clsolve_device_info info = clsolve_context_device(context_of(s));
    const double *const arrays[6] = {s->array[0], s->array[1], s->array[2], s->array[3], s->array[4], s->array[5]};
    return bt_study_create(info.name, side, side, arrays);
}

/* ---- tables ---- */

static const struct {
    int experiment;
    int64_t side, sweeps;
    double sequential, parallel; /* the study's */
} rows[] = {
    {1, 128, 8, 0.0071, 0.0207},   {1, 128, 16, 0.0184, 0.0386},  {1, 128, 32, 0.0387, 0.0652},
    {1, 512, 16, 0.2059, 0.1297},  {1, 512, 32, 0.4162, 0.2142},  {1, 512, 64, 1.3904, 0.3901},
    {1, 1024, 16, 0.7961, 0.2351}, {1, 1024, 32, 2.6544, 0.4282}, {1, 1024, 64, 5.4103, 0.7711},
    {2, 128, 8192, 7.28, 9.64},    {2, 128, 12288, 10.66, 14.56}, {2, 128, 16384, 14.52, 19.24},
};

static int study_row(system_ *s, int r) {
    int64_t sweeps = rows[r].sweeps;
    double worst = 0;
    bt_study *study = study_of(s, s->N);
    double warm = study ? bt_study_run(study, 1, NULL) : -1,
           theirs = warm < 0 ? NAN : bt_study_run(study, sweeps, s->Z);
    bt_study_destroy(study);
    double ours = run_sweeps(s, sweeps);
    /* Red-black both: the same iterate to rounding, or neither is believed. */
    for (int64_t o = 0; o < s->N * s->M && warm >= 0; ++o) worst = fmax(worst, fabs(s->Y[o] - s->Z[o]));
    if (ours < 0 || !(worst < 1e-8)) {
        fprintf(stderr, "clsolve-bench: iterates differ by %g\n", worst);
        return 1;
    }
    if (s->d == 0) s->sequential = run_sequential(s, sweeps, s->Z);
    double sequential = s->sequential;
    printf("%-9s %4d %6lld %7lld %12.4f %12.4f %12.4f %12.4f %12.4f %9.2f\n", device_of(s), rows[r].experiment,
           (long long)rows[r].side, (long long)sweeps, rows[r].sequential, rows[r].parallel, sequential, theirs, ours,
           sequential / ours);
    fflush(stdout);
    if (s->field->csv)
        fprintf(s->field->csv, "study,%d,%lld,%lld,%.6f,%.6f,%.6f,%.6f,%.6f,%s\n", rows[r].experiment,
                (long long)rows[r].side, (long long)sweeps, rows[r].sequential, rows[r].parallel, sequential, theirs,
                ours, device_of(s));
    return 0;
}

static int study_table(system_ *s) {
    printf("\n# the study's experiments, seconds for all sweeps\n%-9s %4s %6s %7s %12s %12s %12s %12s %12s %9s\n",
           "device", "exp", "N=M", "sweeps", "study seq", "study par", "seq C", "its scheme", "clsolve", "seq/ours");
    for (int r = 0; r < (int)(sizeof rows / sizeof *rows); ++r) {
        int failed = !make(s, rows[r].side, rows[r].side, rows[r].experiment);
        for (s->d = 0; s->d < s->field->devices && !failed; ++s->d) failed = study_row(s, r);
        discard(s);
        if (failed) return 1;
    }
    return 0;
}

/*
 * A red-black iteration: the difference between many sweeps and few, so that starting costs nothing. So many that they take
 * twice as long at least, or the difference would be noise on small grids; -1 on failure.
 */
static double time_of_sweep(system_ *s) {
    enum { FEW = 10, MOST = 200000 };
    double few = run_sweeps(s, FEW);
    for (int64_t more = 50; few >= 0; more *= 4) {
        double many = run_sweeps(s, FEW + more);
        if (many < 0) return -1;
        if (!(fabs(s->Y[0] - 1) < 0.9)) { /* the corner is near the solution soon, on whatever grid */
            fprintf(stderr, "clsolve-bench: %lld lines of %lld, sweeps on %s, are wrong: %g in the corner for 1\n",
                    (long long)s->N, (long long)s->M, device_of(s), s->Y[0]);
            return -1;
        }
        if (many >= 2 * few || more > MOST) return (many - few) / (double)more;
    }
    return -1;
}

static int iteration_row(system_ *s) {
    double each = time_of_sweep(s);
    int suits = s->N <= 4096; /* its private arrays are as long as a line */
    bt_study *study = study_of(s, suits ? s->N : 16);
    double warm = study && suits ? bt_study_run(study, 1, NULL) : -1,
           theirs = warm < 0 ? NAN : bt_study_run(study, 5, NULL) / 5;
    double copy = study ? bt_study_copy_rate(study, 256 << 20) : 0, rate = 88.0 * (double)(s->N * s->M) / each;
    bt_study_destroy(study);
    if (!(each > 0)) {
        fprintf(stderr, "clsolve-bench: %lld lines of %lld: no time of a sweep on %s\n", (long long)s->N,
                (long long)s->M, device_of(s));
        return 1;
    }
    printf("%-9s %6lld %12.2f %12.2f %10.1f %10.1f %9.3f\n", device_of(s), (long long)s->N, 1e6 * each, 1e6 * theirs,
           1e-9 * rate, 1e-9 * copy, copy > 0 ? rate / copy : NAN);
    fflush(stdout);
    if (s->field->csv)
        fprintf(s->field->csv, "iteration,%lld,%.9f,%.9f,%.4e,%.4e,%s\n", (long long)s->N, each, theirs, rate, copy,
                device_of(s));
    return 0;
}

static const struct {
    clsolve_block_gs_options options;
    int64_t most; /* the largest side it is tried on */
} methods[] = {
    {{.method = CLSOLVE_BLOCK_GS_GAUSS_SEIDEL, .max_iterations = 100000}, 128},
    {{.method = CLSOLVE_BLOCK_GS_SOR}, 256},
    {{.method = CLSOLVE_BLOCK_GS_CG, .preconditioner = CLSOLVE_BLOCK_GS_PRECONDITIONER_ZEBRA, .max_iterations = 4000},
     4100},
    {{.method = CLSOLVE_BLOCK_GS_MULTIGRID}, 1 << 20},
    {{.method = CLSOLVE_BLOCK_GS_CG}, 1 << 20},
    {{.method = CLSOLVE_BLOCK_GS_FGMRES}, 4100},
    {{.method = CLSOLVE_BLOCK_GS_CG, .single_precision = 1}, 1 << 20},
    {{.method = CLSOLVE_BLOCK_GS_AUTO}, 1 << 20},
};

static int method_rows(system_ *s) {
    for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
        clsolve_block_gs_options options = methods[m].options;
        clsolve_report result;
        if (s->N > methods[m].most) continue;
        options.zero_guess = 1;
        double seconds = run_ours(s, &options, &result);
        if (seconds < 0) continue; /* said why: the next may do better */
        double worst = error_of(s);
        if (worst < 0) return 1;
        int64_t iterations = result.iterations;
        printf("%-9s %6lld %8lld %12.6f %12.6f %12.6f %10.1f %10.2e  %s\n", device_of(s), (long long)s->N,
               (long long)iterations, seconds, iterations > 0 ? seconds / (double)iterations : NAN,
               result.seconds.factor, 1e-6 * (double)(s->N * s->M) / seconds, worst, s->method);
        fflush(stdout);
        if (s->field->csv)
            fprintf(s->field->csv, "method,%lld,%lld,%.9f,%.9f,%s,%s\n", (long long)s->N, (long long)result.iterations,
                    seconds, result.seconds.factor, s->method, device_of(s));
    }
    return 0;
}

/* Few long lines: an iteration, sequential C's, and the whole way to 1e-10. */
static int long_row(system_ *s) {
    clsolve_block_gs_options options = {.zero_guess = 1};
    clsolve_report result;
    double each = time_of_sweep(s);
    if (s->d == 0) s->sequential = run_sequential(s, 3, s->Z) / 3;
    double sequential = s->sequential, rate = 88.0 * (double)(s->N * s->M) / each;
    double seconds = each > 0 ? run_ours(s, &options, &result) : -1;
    if (seconds < 0) return 1;
    double worst = error_of(s);
    if (worst < 0) return 1;
    printf("%-9s %6lld %9lld %12.2f %12.2f %10.1f %6lld %12.6f %12.6f %10.2e  %s\n", device_of(s), (long long)s->N,
           (long long)s->M, 1e6 * each, 1e6 * sequential, 1e-9 * rate, (long long)result.iterations, seconds,
           result.seconds.factor, worst, s->method);
    fflush(stdout);
    if (s->field->csv)
        fprintf(s->field->csv, "long,%lld,%lld,%.9f,%.9f,%.4e,%lld,%.9f,%.9f,%s\n", (long long)s->N, (long long)s->M,
                each, sequential, rate, (long long)result.iterations, seconds, result.seconds.factor, device_of(s));
    return 0;
}

static int each_device(system_ *s, int (*row)(system_ *)) {
    int failed = 0;
    for (s->d = 0; s->d < s->field->devices && !failed; ++s->d) failed = row(s);
    return failed;
}

/* 64 lines of 100000 and one of a million; of sizes that were asked for, as many unknowns in 64 lines. */
static int long_table(const bench_options *options, system_ *s) {
    static const int64_t usual[][2] = {{64, 100000}, {1, 1000000}};
    int count = options->count ? options->count : 2;
    printf(
        "\n# few long lines: one red-black iteration (GB/s at 88 bytes an unknown), hemodynamics-2 to 1e-10 by auto\n"
        "device     lines    length   clsolve/us     seq C/us       GB/s  iters      solve/s      setup/s      error  "
        "method\n");
    for (int i = 0; i < count; ++i) {
        int64_t n = options->count ? options->sizes[i] : 0, length = n > 8 ? n * n / 64 : 1;
        int failed = !make(s, n ? 64 : usual[i][0], n ? length : usual[i][1], 2) || each_device(s, long_row);
        discard(s);
        if (failed) return 1;
    }
    return 0;
}

static int by_size(const bench_options *options, system_ *s, const char *head, int (*row)(system_ *), int most) {
    static const int64_t usual[] = {127, 128, 512, 1023, 1024, 2048};
    const int64_t *sizes = options->count ? options->sizes : usual;
    int count = options->count ? options->count : (int)(sizeof usual / sizeof *usual);
    fputs(head, stdout);
    for (int i = 0; i < count; ++i) {
        if (sizes[i] > most) continue;
        int failed = !make(s, sizes[i], sizes[i], 2) || each_device(s, row);
        discard(s);
        if (failed) return 1;
    }
    return 0;
}

static int tables(const bench_options *options, system_ *s) {
    static const char iterations[] =
        "\n# one red-black iteration; bandwidth at 88 bytes an unknown, of a copy counted "
        "both ways\ndevice       N=M      clsolve/us  scheme/us       GB/s  copy GB/s  fraction\n";
    static const char times[] =
        "\n# hemodynamics-2 from zero to a relative residual of 1e-10, F and Y on the device\n"
        "device       N=M    iters      solve/s       s/iter      setup/s  Munknown/s    error  method\n";
    int failed = options->count == 0 && study_table(s);
    if (!failed) failed = by_size(options, s, iterations, iteration_row, 1 << 30);
    if (!failed) failed = long_table(options, s);
    return failed || by_size(options, s, times, method_rows, 1 << 30);
}

static int table(const bench_field *field) {
    system_ s = {.field = field};
    printf("# block-tridiagonal systems, double; medians of %d; each verified\n", field->options->repeat);
    bench_print_field(field, 0);
    return tables(field->options, &s);
}

int bench_block_gs(const bench_options *options) {
    return bench_table(options, 0, table);
}
