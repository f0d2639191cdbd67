/*
 * The Gauss-Jordan table: one right-hand side, in double, as in the two tables of Gauss-Jordan en GPU (COMTEL 2012): the
 * elimination on the device, and the same with the copy of the solution back; the matrix is there before. Candidates: a
 * sequential program on the host, the study's two models with a work-item a row, the library's variants, and cuSOLVER's
 * getrf and getrs where they are (on the device alone); on several devices side by side, by turns. The matrix is
 * diagonally dominant, for the study does not pivot. Then the unstable operations at small orders, with their residuals.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "study_gauss_jordan.h"

enum { SEQUENTIAL, MODEL_1, MODEL_2, TWO_PASS, ONE_PASS, OPERATIONS, BLOCKED, VENDOR, CANDIDATES, MOST = 101 };
static const char *const names[CANDIDATES] = {"sequential", "model-1",    "model-2", "two-pass",
                                              "one-pass",   "operations", "blocked", "cusolver"};

typedef struct problem {
    int64_t n;
    double *A, *AB, *b, *x, *work; /* A by columns; AB = (A|b) by rows */
    const bench_field *field;
    gj_study *const *studies; /* of each device; NULL: it has none */
    clsolve_gauss_jordan *handle[BENCH_DEVICES][CANDIDATES];
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
    if (!allocate(n, p)) {
        fprintf(stderr, "clsolve-bench: n = %lld: out of host memory\n", (long long)n);
        return 0;
    }
    bench_random((uint64_t)n, p->A, n * n);
    bench_random((uint64_t)n + 1, p->b, n);
    for (int64_t k = 0; kind == DIGITS && k < n * n; ++k) p->A[k] = floor(5 * (p->A[k] + 1));
    for (int64_t i = 0; i < n; ++i) {
        if (kind == DOMINANT) p->A[i + i * n] = (double)n;
        for (int64_t j = 0; j < n; ++j) p->AB[i * (n + 1) + j] = p->A[i + j * n];
        p->AB[i * (n + 1) + n] = p->b[i];
    }
    for (int d = 0; d < p->field->devices; ++d)
        for (int c = TWO_PASS; c <= BLOCKED; ++c) {
            clsolve_context *context = p->field->candidates[d].context;
            clsolve_gauss_jordan_options options = {
                .variant = (clsolve_gauss_jordan_variant)(c - TWO_PASS + CLSOLVE_GAUSS_JORDAN_TWO_PASS)};
            if (clsolve_gauss_jordan_create(context, n, CLSOLVE_F64, &options, &p->handle[d][c]) == CLSOLVE_OK)
                continue;
            fprintf(stderr, "clsolve-bench: n = %lld: %s\n", (long long)n, clsolve_context_message(context));
            return 0;
        }
    return 1;
}

static void discard(problem *p) {
    for (int d = 0; d < BENCH_DEVICES; ++d)
        for (int c = 0; c < CANDIDATES; ++c) clsolve_gauss_jordan_destroy(p->handle[d][c]);
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

static double run_handle(problem *p, int d, int candidate, double *computed) {
    clsolve_gauss_jordan *handle = p->handle[d][candidate];
    clsolve_matrix A = clsolve_matrix_f64(p->n, p->n, p->A), X = clsolve_matrix_f64(p->n, 1, p->x);
    clsolve_report report;
    memcpy(p->x, p->b, (size_t)p->n * sizeof *p->x);
    if (clsolve_gauss_jordan_solve(handle, CLSOLVE_NO_TRANS, &A, &X) != CLSOLVE_OK) return -1;
    if (clsolve_gauss_jordan_report(handle, &report) != CLSOLVE_OK) return -1;
    *computed = report.seconds.factor;
    return report.seconds.factor + report.seconds.download;
}

/* Its way from host to host is another thing than the copy of the solution: the device's time counts for both. */
static double run_vendor(problem *p, double *computed) {
    memcpy(p->x, p->b, (size_t)p->n * sizeof *p->x);
    return vendor_lu(p->field->vendor, CLSOLVE_F64, p->n, p->A, p->x, 1, computed) < 0 ? -1 : *computed;
}

static double run(problem *p, int d, int candidate, double *computed) {
    if (candidate == SEQUENTIAL) return run_sequential(p, computed);
    if (candidate == VENDOR) return run_vendor(p, computed);
    if (candidate == MODEL_1) return gj_study_solve(p->studies[d], STUDY_MODEL_1, p->n, p->AB, p->x, computed);
    if (candidate == MODEL_2) return gj_study_solve(p->studies[d], STUDY_MODEL_2, p->n, p->AB, p->x, computed);
    return run_handle(p, d, candidate, computed);
}

/* ---- the table ---- */

/* Medians of each size, device and candidate, without and with the copy of the solution; below 0: no figure. */
typedef struct figures {
    double computed[BENCH_DEVICES][CANDIDATES], copied[BENCH_DEVICES][CANDIDATES];
} figures;

/* Who takes no part, or not any more: beyond the limit, or not there. */
typedef struct absent {
    int is[BENCH_DEVICES][CANDIDATES];
} absent;

/* What does not run on one of our devices: one figure for all of them. */
static int is_apart(int candidate) {
    return candidate == SEQUENTIAL || candidate == VENDOR;
}

static int wrong(const problem *p, int d, int c, double ratio) {
    fprintf(stderr, "clsolve-bench: %s of %s at n = %lld is wrong: ratio %g; %s\n", names[c],
            p->field->candidates[d].name, (long long)p->n, ratio,
            c == VENDOR ? vendor_message() : bench_why(p->field, d));
    return 0;
}

static int verify(problem *p, int d, int c) {
    double once = 0, seconds = run(p, d, c, &once);
    double ratio = seconds < 0 ? (double)NAN : bench_ratio(CLSOLVE_F64, p->n, 1, p->A, p->x, p->b);
    return ratio < 30 ? 1 : wrong(p, d, c, ratio);
}

/* A candidate whose median passes the limit is absent from then on. */
static int measure(problem *p, absent *out, figures *medians) {
    static double times[2][BENCH_DEVICES][CANDIDATES][MOST];
    int repeat = p->field->options->repeat, devices = p->field->devices;

    for (int d = 0; d < devices; ++d)
        for (int c = 0; c < CANDIDATES; ++c)
            if (!out->is[d][c] && !verify(p, d, c)) return 0;
    for (int r = 0; r < repeat; ++r)
        for (int d = 0; d < devices; ++d)
            for (int c = 0; c < CANDIDATES; ++c)
                if (!out->is[d][c] && (times[1][d][c][r] = run(p, d, c, &times[0][d][c][r])) < 0)
                    return wrong(p, d, c, (double)NAN);
    for (int d = 0; d < devices; ++d)
        for (int c = 0; c < CANDIDATES; ++c) {
            int of = is_apart(c) ? 0 : d;
            medians->computed[d][c] = d > of ? medians->computed[of][c] : -1;
            medians->copied[d][c] = d > of ? medians->copied[of][c] : -1;
            if (out->is[d][c]) continue;
            medians->computed[d][c] = bench_median(times[0][d][c], repeat);
            medians->copied[d][c] = bench_median(times[1][d][c], repeat);
            out->is[d][c] = medians->copied[d][c] > p->field->options->limit;
        }
    return 1;
}

static int has_column(const bench_field *field, int c) {
    return c != VENDOR || field->vendor;
}

static void print_row(const bench_field *field, int d, int64_t n, const double *times) {
    printf("%-9s %8lld", field->candidates[d].name, (long long)n);
    for (int c = 0; c < CANDIDATES; ++c) {
        if (!has_column(field, c)) continue;
        if (times[c] < 0)
            printf(" %12s", "-");
        else
            printf(" %12.6f", times[c]);
    }
    printf("\n");
    fflush(stdout);
}

static void print_head(const bench_field *field, const char *title) {
    printf("# %s, seconds\n%-9s %8s", title, "device", "n");
    for (int c = 0; c < CANDIDATES; ++c)
        if (has_column(field, c)) printf(" %12s", names[c]);
    printf("\n");
}

static void head_csv(const bench_field *field) {
    fprintf(field->csv, "n");
    for (int c = 0; c < CANDIDATES; ++c)
        if (has_column(field, c)) fprintf(field->csv, ",%s,%s-copied", names[c], names[c]);
    fprintf(field->csv, ",device\n");
}

static void row_csv(const bench_field *field, int d, int64_t n, const figures *medians) {
    fprintf(field->csv, "%lld", (long long)n);
    for (int c = 0; c < CANDIDATES; ++c) {
        double computed = medians->computed[d][c];
        if (!has_column(field, c)) continue;
        computed < 0 ? fprintf(field->csv, ",,") : fprintf(field->csv, ",%.9f,%.9f", computed, medians->copied[d][c]);
    }
    fprintf(field->csv, ",%s\n", field->candidates[d].name);
}

/*
 * The unstable operations beside the stable ones. Random entries hide their fault, for the quotients that rows are scaled
 * by balance; a zero where a multiplier is wanted, as whole numbers have them, gives Inf and then NaN.
 */
static int print_unstable(const bench_field *field, gj_study *const *studies, int d) {
    static const int64_t orders[] = {5, 10, 20, 50, 100, 400};
    int failed = 0;
    printf("# scaled residual (good below 30) of the unstable operations and of the library's, %s\n",
           field->candidates[d].name);
    printf("%8s %14s %14s %14s %14s\n", "n", "unstable", "operations", "unstable 0..9", "operations 0..9");
    for (size_t o = 0; o < sizeof orders / sizeof *orders && !failed; ++o) {
        double ratio[4] = {(double)NAN, (double)NAN, (double)NAN, (double)NAN}, ignored;
        for (int k = 0; k < 2 && !failed; ++k) {
            problem p = {.field = field, .studies = studies};
            failed = !make(orders[o], k == 0 ? RANDOM : DIGITS, &p);
            if (!failed && gj_study_solve(studies[d], STUDY_UNSTABLE, p.n, p.AB, p.x, &ignored) >= 0)
                ratio[2 * k] = bench_ratio(CLSOLVE_F64, p.n, 1, p.A, p.x, p.b);
            if (!failed && run_handle(&p, d, OPERATIONS, &ignored) >= 0)
                ratio[2 * k + 1] = bench_ratio(CLSOLVE_F64, p.n, 1, p.A, p.x, p.b);
            discard(&p);
        }
        printf("%8lld %14.3g %14.3g %14.3g %14.3g\n", (long long)orders[o], ratio[0], ratio[1], ratio[2], ratio[3]);
    }
    return failed;
}

static int tables(const bench_field *field, gj_study *const *studies) {
    static const int64_t usual[] = {100, 200, 500, 1000, 2000, 3000, 4000, 5000};
    static figures medians[32];
    const bench_options *options = field->options;
    const int64_t *sizes = options->count ? options->sizes : usual;
    int count = options->count ? options->count : (int)(sizeof usual / sizeof *usual), failed = 0;
    absent out = {{{0}}};

    for (int d = 0; d < field->devices; ++d) {
        out.is[d][MODEL_1] = out.is[d][MODEL_2] = !studies[d];
        out.is[d][VENDOR] = !field->vendor;
        for (int c = 0; c < CANDIDATES && d > 0; ++c) out.is[d][c] |= is_apart(c);
    }
    print_head(field, "without the copy of the solution");
    if (field->csv) head_csv(field);
    for (int k = 0; k < count && !failed; ++k) {
        problem p = {.field = field, .studies = studies};
        failed = !make(sizes[k], DOMINANT, &p) || !measure(&p, &out, &medians[k]);
        for (int d = 0; d < field->devices && !failed; ++d) {
            print_row(field, d, sizes[k], medians[k].computed[d]);
            if (field->csv) row_csv(field, d, sizes[k], &medians[k]);
        }
        discard(&p);
    }
    if (failed) return 1;
    print_head(field, "with the copy of the solution");
    for (int k = 0; k < count; ++k)
        for (int d = 0; d < field->devices; ++d) print_row(field, d, sizes[k], medians[k].copied[d]);
    for (int d = 0; d < field->devices && !failed; ++d)
        if (studies[d]) failed = print_unstable(field, studies, d);
    return failed;
}

static int table(const bench_field *field) {
    gj_study *studies[BENCH_DEVICES] = {0};

    for (int d = 0; d < field->devices; ++d) {
        clsolve_device_info info = clsolve_context_device(field->candidates[d].context);
        studies[d] = gj_study_open(info.name, info.platform);
    }
    printf("# Gauss-Jordan, one right-hand side, double; medians of %d, by turns; each verified\n",
           field->options->repeat);
    bench_print_field(field, 1);
    int failed = tables(field, studies);
    for (int d = 0; d < field->devices; ++d) gj_study_close(studies[d]);
    return failed;
}

int bench_gauss_jordan(const bench_options *options) {
    return bench_table(options, 1, table);
}
