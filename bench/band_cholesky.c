/*
 * Cholesky of a band: factor and solve with one right-hand side, against LAPACK's pbsv; band LU of the same matrix
 * on the device of the context, or where the library chooses, beside them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

typedef struct problem {
    clsolve_type type;
    int64_t n, k;
    void *AB, *full, *work, *b, *x; /* lower form; both triangles */
    const bench_field *field;
    clsolve_band_cholesky *cholesky[BENCH_DEVICES];
    clsolve_band *lu[BENCH_DEVICES];
} problem;

static void fill(problem *p) {
    const int64_t n = p->n, k = p->k, rows = 2 * k + 1;
    bench_random_of(p->type, (uint64_t)n, p->AB, n * (k + 1));
    memset(p->full, 0, (size_t)(n * rows * cls_type_size(p->type)));
    for (int64_t j = 0; j < n; ++j) {
        bench_put(p->type, p->AB, j * (k + 1), bench_parts(p->type) * (2 * (double)k + 1));
        for (int64_t d = 0; d <= k && j + d < n; ++d) {
            const double _Complex a = bench_get(p->type, p->AB, d + j * (k + 1));
            bench_put(p->type, p->full, k - d + (j + d) * rows, conj(a));
            bench_put(p->type, p->full, k + d + j * rows, a);
        }
    }
    bench_random_of(p->type, (uint64_t)n + 1, p->b, n);
}

static int make(int64_t n, int64_t k, const bench_field *field, problem *p) {
    const clsolve_type type = field->options->type;
    const size_t vector = (size_t)(n * cls_type_size(type)), band = (size_t)(k + 1) * vector;
    *p = (problem){.type = type, .n = n, .k = k, .field = field};
    p->AB = malloc(band);
    p->full = malloc(2 * band);
    p->work = malloc(band);
    p->b = malloc(vector);
    p->x = malloc(vector);
    if (!p->AB || !p->full || !p->work || !p->b || !p->x) {
        fprintf(stderr, "clsolve-bench: n = %lld: out of host memory\n", (long long)n);
        return 0;
    }
    fill(p);
    for (int d = 0; d < field->devices; ++d) {
        clsolve_context *context = field->candidates[d].context;
        if (clsolve_band_cholesky_create(context, n, k, type, NULL, &p->cholesky[d]) == CLSOLVE_OK &&
            clsolve_band_create(context, n, k, k, type, NULL, &p->lu[d]) == CLSOLVE_OK)
            continue;
        fprintf(stderr, "clsolve-bench: %s: %s\n", field->candidates[d].name, clsolve_context_message(context));
        return 0;
    }
    return 1;
}

static void discard(problem *p) {
    for (int d = 0; d < BENCH_DEVICES; ++d) {
        clsolve_band_cholesky_destroy(p->cholesky[d]);
        clsolve_band_destroy(p->lu[d]);
    }
    free(p->AB);
    free(p->full);
    free(p->work);
    free(p->b);
    free(p->x);
}

static double run_cholesky(problem *p, int d, double *device) {
    clsolve_matrix AB = bench_matrix(p->type, p->k + 1, p->n, p->AB), X = bench_matrix(p->type, p->n, 1, p->x);
    clsolve_report report;
    const double start = bench_seconds();
    if (clsolve_band_cholesky_factor(p->cholesky[d], CLSOLVE_LOWER, &AB) != CLSOLVE_OK) return -1;
    if (clsolve_band_cholesky_solve(p->cholesky[d], &X) != CLSOLVE_OK) return -1;
    const double seconds = bench_seconds() - start;
    if (clsolve_band_cholesky_report(p->cholesky[d], &report) == CLSOLVE_OK) *device = report.seconds.factor;
    return seconds;
}

static double run_lu(problem *p, int d, double *device) {
    clsolve_matrix AB = bench_matrix(p->type, 2 * p->k + 1, p->n, p->full);
    clsolve_matrix X = bench_matrix(p->type, p->n, 1, p->x);
    clsolve_report report;
    const double start = bench_seconds();
    if (clsolve_band_factor(p->lu[d], &AB) != CLSOLVE_OK) return -1;
    if (clsolve_band_solve(p->lu[d], CLSOLVE_NO_TRANS, &X) != CLSOLVE_OK) return -1;
    const double seconds = bench_seconds() - start;
    if (clsolve_band_report(p->lu[d], &report) == CLSOLVE_OK) *device = report.seconds.factor;
    return seconds;
}

/* The copy that keeps A is inside the time, as it is inside ours. */
static double run_lapack(problem *p) {
    const lapack_int n = (lapack_int)p->n, k = (lapack_int)p->k;
    const double start = bench_seconds();
    memcpy(p->work, p->AB, (size_t)((p->k + 1) * p->n * cls_type_size(p->type)));
    if (BENCH_LAPACK(p->type, pbsv_work, LAPACK_COL_MAJOR, 'L', n, k, 1, p->work, k + 1, p->x, n) != 0) return -1;
    return bench_seconds() - start;
}

static double run(void *problem_, int who, double *device) {
    problem *p = problem_;
    memcpy(p->x, p->b, (size_t)(p->n * cls_type_size(p->type)));
    return who == BENCH_HOST ? run_lapack(p) : run_cholesky(p, who, device);
}

static double run_beside(void *problem_, int who, double *device) {
    problem *p = problem_;
    memcpy(p->x, p->b, (size_t)(p->n * cls_type_size(p->type)));
    return run_lu(p, who, device);
}

static double ratio(const void *problem_) {
    const problem *p = problem_;
    return bench_ratio_band(p->type, p->n, p->k, p->full, p->x, p->b);
}

static int row(int64_t n, int64_t k, const bench_field *field) {
    bench_contest contest = {field, field->devices, "band-cholesky", "pbsv", n, run, ratio};
    bench_contest beside = {field, field->devices, "band-lu", NULL, n, run_beside, ratio};
    bench_figures m, lu;
    problem p;
    const int fine = make(n, k, field, &p) && bench_compare(&contest, &p, &m) && bench_compare(&beside, &p, &lu);
    discard(&p);
    for (int c = 0; c < field->devices && fine; ++c) {
        const double host = m.total[BENCH_HOST];
        printf("%-9s %9lld %5lld %14.6f %14.6f %14.6f %10.3f %14.6f\n", field->candidates[c].name, (long long)n,
               (long long)k, m.total[c], m.device[c], host, m.total[c] / host, lu.total[c]);
        fflush(stdout);
        if (field->csv)
            fprintf(field->csv, "%lld,%lld,%.9f,%.9f,%.9f,%.9f,%s\n", (long long)n, (long long)k, m.total[c],
                    m.device[c], host, lu.total[c], field->candidates[c].name);
    }
    return fine;
}

static int table(const bench_field *field) {
    static const int64_t usual[] = {1000, 10000, 100000}, halves[] = {1, 4, 16, 64, 200};
    const bench_options *o = field->options;
    const int64_t *sizes = o->count ? o->sizes : usual, *widths = o->half_count ? o->halves : halves;
    const int count = o->count ? o->count : (int)(sizeof usual / sizeof *usual);
    const int wide = o->half_count ? o->half_count : (int)(sizeof halves / sizeof *halves);
    int fine = 1;

    printf("# Cholesky of a band of k diagonals on either side and a solve, %s; the factorization; lu: band LU and a "
           "solve; "
           "both where the library chooses; medians of %d, by turns; each verified\n",
           bench_type_words(o->type), o->repeat);
    bench_print_field(field, 0);
    printf("%-9s %9s %5s %14s %14s %14s %10s %14s\n", "device", "n", "k", "total/s", "factor/s", "pbsv/s", "ratio",
           "lu/s");
    if (field->csv) fprintf(field->csv, "n,k,clsolve,factor,pbsv,lu,device\n");
    for (int s = 0; s < count && fine; ++s)
        for (int w = 0; w < wide && fine; ++w) fine = widths[w] >= sizes[s] || row(sizes[s], widths[w], field);
    return !fine;
}

int bench_band_cholesky(const bench_options *options) {
    return bench_table(options, 0, table);
}
