/*
 * LU factorizations of many matrices at once, and a solve with each: the time of the factorizations alone, and of both, from members that
 * are on the device until their infos are on the host; and host to host. On each device, side by side, against a loop of LAPACK calls
 * and, where cuBLAS is, its getrfBatched and getrsBatched.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

typedef struct problem {
    clsolve_type type;
    int64_t n, count;
    void *A, *work, *b, *x;
    int64_t *info;
    lapack_int *pivots;
    int solves; /* the device's time covers the solve too */
    const bench_field *field;
    clsolve_lu_batch *batch[BENCH_DEVICES];
} problem;

static int make_handles(problem *p) {
    const clsolve_lu_batch_options options = {.where = CLSOLVE_WHERE_DEVICE};
    for (int d = 0; d < p->field->devices; ++d) {
        clsolve_context *context = p->field->candidates[d].context;
        if (clsolve_lu_batch_create(context, p->n, p->count, p->type, &options, &p->batch[d]) == CLSOLVE_OK) continue;
        fprintf(stderr, "clsolve-bench: n = %lld: %s\n", (long long)p->n, clsolve_context_message(context));
        return 0;
    }
    return 1;
}

static int make(int64_t n, const bench_field *field, problem *p) {
    const int64_t count = field->options->members;
    const clsolve_type type = field->options->type;
    const size_t right = (size_t)(n * count * cls_type_size(type)), elements = (size_t)n * right;
    *p = (problem){.type = type, .n = n, .count = count, .field = field};
    p->A = malloc(elements);
    p->work = malloc(elements);
    p->b = malloc(right);
    p->x = malloc(right);
    p->info = malloc((size_t)count * sizeof *p->info);
    p->pivots = malloc((size_t)n * sizeof *p->pivots);
    if (!p->A || !p->work || !p->b || !p->x || !p->info || !p->pivots) {
        fprintf(stderr, "clsolve-bench: n = %lld: out of host memory\n", (long long)n);
        return 0;
    }
    bench_random_of(type, (uint64_t)n, p->A, n * n * count);
    bench_random_of(type, (uint64_t)n + 1, p->b, n * count);
    return make_handles(p);
}

static void discard(problem *p) {
    for (int d = 0; d < BENCH_DEVICES; ++d) clsolve_lu_batch_destroy(p->batch[d]);
    free(p->A);
    free(p->work);
    free(p->b);
    free(p->x);
    free(p->info);
    free(p->pivots);
}

static double run_batch(problem *p, int d, double *device) {
    clsolve_batch A = bench_batch(p->type, p->count, p->n, p->n, p->A);
    clsolve_batch X = bench_batch(p->type, p->count, p->n, 1, p->x);
    clsolve_report report;
    const double start = bench_seconds();
    if (clsolve_lu_batch_factor(p->batch[d], &A, p->info) != CLSOLVE_OK) return -1;
    if (clsolve_lu_batch_report(p->batch[d], &report) != CLSOLVE_OK || report.info != 0) return -1;
    *device = report.seconds.factor;
    if (clsolve_lu_batch_solve(p->batch[d], CLSOLVE_NO_TRANS, &X, p->info) != CLSOLVE_OK) return -1;
    const double seconds = bench_seconds() - start;
    if (clsolve_lu_batch_report(p->batch[d], &report) != CLSOLVE_OK || report.info != 0) return -1;
    if (p->solves) *device += report.seconds.solve;
    return seconds;
}

static double run_lapack(problem *p) {
    const lapack_int n = (lapack_int)p->n;
    const double start = bench_seconds();
    memcpy(p->work, p->A, (size_t)(p->n * p->n * p->count * cls_type_size(p->type)));
    for (int64_t m = 0; m < p->count; ++m) {
        void *A = bench_at(p->type, p->work, m * p->n * p->n), *x = bench_at(p->type, p->x, m * p->n);
        if (BENCH_LAPACK(p->type, gesv_work, LAPACK_COL_MAJOR, n, 1, A, n, p->pivots, x, n) != 0) return -1;
    }
    return bench_seconds() - start;
}

static double run(void *problem_, int who, double *device) {
    problem *p = problem_;
    memcpy(p->x, p->b, (size_t)(p->n * p->count * cls_type_size(p->type)));
    if (who == BENCH_HOST) return run_lapack(p);
    if (who < p->field->devices) return run_batch(p, who, device);
    return vendor_lu_batch(p->field->vendor, p->type, p->n, p->count, p->A, p->x, p->solves, device);
}

/* Some of the members, spread over the batch; the largest ratio. */
static double worst_ratio(const void *problem_) {
    const problem *p = problem_;
    double worst = 0;
    for (int64_t m = 0; m < p->count; m += 1 + p->count / 100) {
        const double ratio = bench_ratio(p->type, p->n, 1, bench_at(p->type, p->A, m * p->n * p->n),
                                         bench_at(p->type, p->x, m * p->n), bench_at(p->type, p->b, m * p->n));
        if (!(ratio <= worst)) worst = ratio;
    }
    return worst;
}

static int row(int64_t n, const bench_field *field) {
    const int alone = field->options->alone;
    bench_contest contest = {field, field->count, "lu-batch", alone ? NULL : "LAPACK loop", n, run, worst_ratio};
    const long long count = field->options->members;
    bench_figures factor, both;
    problem p;
    int fine = make(n, field, &p) && bench_compare(&contest, &p, &factor);
    p.solves = 1;
    fine = fine && bench_compare(&contest, &p, &both);
    discard(&p);
    for (int c = 0; c < field->count && fine; ++c) {
        const char *name = field->candidates[c].name;
        const double host = alone ? (double)NAN : both.total[BENCH_HOST];
        printf("%-9s %6lld %9lld %14.6f %14.6f %14.6f %14.6f %10.3f\n", name, (long long)n, count, both.total[c],
               factor.device[c], both.device[c], host, both.total[c] / host);
        fflush(stdout);
        if (field->csv)
            fprintf(field->csv, "%lld,%lld,%.9f,%.9f,%.9f,%.9f,%s\n", (long long)n, count, both.total[c],
                    factor.device[c], both.device[c], host, name);
    }
    return fine;
}

static int table(const bench_field *field) {
    static const int64_t usual[] = {4, 8, 16, 32, 64, 128};
    const bench_options *options = field->options;
    const int64_t *sizes = options->count ? options->sizes : usual;
    int count = options->count ? options->count : (int)(sizeof usual / sizeof *usual), fine = 1;

    printf(
        "# %d LU factorizations of order n and a solve with each, %s, host to host; the factorizations, and both, from "
        "members on the device until their infos are on the host; medians of %d, by turns; samples verified\n",
        options->members, bench_type_words(options->type), options->repeat);
    bench_print_field(field, 1);
    printf("%-9s %6s %9s %14s %14s %14s %14s %10s\n", "device", "n", "members", "total/s", "factor/s", "factor+solve/s",
           "LAPACK loop/s", "ratio");
    if (field->csv) fprintf(field->csv, "n,members,clsolve,factor,factor_and_solve,lapack_loop,device\n");
    for (int s = 0; s < count && fine; ++s) fine = row(sizes[s], field);
    return !fine;
}

int bench_lu_batch(const bench_options *options) {
    for (int s = 0; s < options->count; ++s)
        if (options->sizes[s] > CLSOLVE_LU_BATCH_LARGEST) {
            fprintf(stderr, "clsolve-bench: batches are of orders up to %d: leave %lld out of -n\n",
                    CLSOLVE_LU_BATCH_LARGEST, (long long)options->sizes[s]);
            return 2;
        }
    return bench_table(options, 1, table);
}
