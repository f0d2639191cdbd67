/*
 * Many small inverses at once, host to host, and from members on the device until their infos are on the host: on each device, against
 * a loop of LAPACK calls and, where cuBLAS is, its batched calls.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

typedef struct problem {
    clsolve_type type;
    int64_t n, count;
    void *A, *X, *work;
    int64_t *info;
    lapack_int *pivots;
    const bench_field *field;
    clsolve_gauss_jordan_batch *gj[BENCH_DEVICES];
} problem;

static int make_handles(problem *p) {
    const clsolve_gauss_jordan_batch_options options = {.where = CLSOLVE_WHERE_DEVICE};
    for (int d = 0; d < p->field->devices; ++d) {
        clsolve_context *context = p->field->candidates[d].context;
        if (clsolve_gauss_jordan_batch_create(context, p->n, p->count, p->type, &options, &p->gj[d]) == CLSOLVE_OK)
            continue;
        fprintf(stderr, "clsolve-bench: n = %lld: %s\n", (long long)p->n, clsolve_context_message(context));
        return 0;
    }
    return 1;
}

static int make(int64_t n, const bench_field *field, problem *p) {
    int64_t count = field->options->members;
    const clsolve_type type = field->options->type;
    const size_t size = (size_t)cls_type_size(type), elements = (size_t)(n * n * count);
    *p = (problem){.type = type, .n = n, .count = count, .field = field};
    p->A = malloc(elements * size);
    p->X = malloc(elements * size);
    p->work = malloc((size_t)(64 * n) * size);
    p->info = malloc((size_t)count * sizeof *p->info);
    p->pivots = malloc((size_t)n * sizeof *p->pivots);
    if (!p->A || !p->X || !p->work || !p->info || !p->pivots) {
        fprintf(stderr, "clsolve-bench: n = %lld: out of host memory\n", (long long)n);
        return 0;
    }
    bench_random_of(type, (uint64_t)n, p->A, n * n * count);
    for (int64_t m = 0; m < count; ++m) bench_strengthen(type, n, bench_at(type, p->A, m * n * n));
    return make_handles(p);
}

static void discard(problem *p) {
    for (int d = 0; d < BENCH_DEVICES; ++d) clsolve_gauss_jordan_batch_destroy(p->gj[d]);
    free(p->A);
    free(p->X);
    free(p->work);
    free(p->info);
    free(p->pivots);
}

static double run_batch(problem *p, int d, double *device) {
    clsolve_batch A = bench_batch(p->type, p->count, p->n, p->n, p->A);
    clsolve_batch X = bench_batch(p->type, p->count, p->n, p->n, p->X);
    clsolve_report report;
    double start = bench_seconds();
    if (clsolve_gauss_jordan_batch_invert(p->gj[d], &A, &X, p->info) != CLSOLVE_OK) return -1;
    double seconds = bench_seconds() - start;
    if (clsolve_gauss_jordan_batch_report(p->gj[d], &report) != CLSOLVE_OK || report.info != 0) return -1;
    *device = report.seconds.factor;
    return seconds;
}

static double run_lapack(problem *p) {
    lapack_int n = (lapack_int)p->n;
    double start = bench_seconds();
    memcpy(p->X, p->A, (size_t)(p->n * p->n * p->count * cls_type_size(p->type)));
    for (int64_t m = 0; m < p->count; ++m) {
        void *X = bench_at(p->type, p->X, m * p->n * p->n);
        if (BENCH_LAPACK(p->type, getrf_work, LAPACK_COL_MAJOR, n, n, X, n, p->pivots) != 0) return -1;
        if (BENCH_LAPACK(p->type, getri_work, LAPACK_COL_MAJOR, n, X, n, p->pivots, p->work, 64 * n) != 0) return -1;
    }
    return bench_seconds() - start;
}

static double run(void *problem_, int who, double *device) {
    problem *p = problem_;
    memset(p->X, 0xff,
           (size_t)(p->n * p->n * p->count * cls_type_size(p->type))); /* NaN: who writes nothing has no answer */
    if (who == BENCH_HOST) return run_lapack(p);
    if (who < p->field->devices) return run_batch(p, who, device);
    return vendor_batched(p->field->vendor, p->type, p->n, p->count, p->A, p->X, device);
}

/* Some of the members, spread over the batch; the largest ratio. */
static double worst_ratio(const void *problem_) {
    const problem *p = problem_;
    double worst = 0;
    for (int64_t m = 0; m < p->count; m += 1 + p->count / 100) {
        const int64_t at = m * p->n * p->n;
        double ratio = bench_ratio_inverse(p->type, p->n, bench_at(p->type, p->A, at), bench_at(p->type, p->X, at));
        if (!(ratio <= worst)) worst = ratio;
    }
    return worst;
}

static int row(int64_t n, const bench_field *field) {
    bench_contest contest = {field, field->count, "batched", "LAPACK loop", n, run, worst_ratio};
    long long count = field->options->members;
    bench_figures m;
    problem p;
    int fine = make(n, field, &p) && bench_compare(&contest, &p, &m);
    discard(&p);
    for (int c = 0; c < field->count && fine; ++c) {
        const char *name = field->candidates[c].name;
        double host = m.total[BENCH_HOST];
        printf("%-9s %6lld %9lld %14.6f %14.6f %14.6f %10.3f\n", name, (long long)n, count, m.total[c], m.device[c],
               host, m.total[c] / host);
        fflush(stdout);
        if (field->csv)
            fprintf(field->csv, "%lld,%lld,%.9f,%.9f,%.9f,%s\n", (long long)n, count, m.total[c], m.device[c], host,
                    name);
    }
    return fine;
}

static int table(const bench_field *field) {
    static const int64_t usual[] = {4, 8, 16, 24, 32, 48, 64};
    const bench_options *options = field->options;
    const int64_t *sizes = options->count ? options->sizes : usual;
    int count = options->count ? options->count : (int)(sizeof usual / sizeof *usual), fine = 1;

    printf(
        "# %d inverses of order n, %s, host to host, and from members on the device until their infos are on the host; "
        "medians of %d, by turns; samples verified\n",
        options->members, bench_type_words(options->type), options->repeat);
    bench_print_field(field, 1);
    printf("%-9s %6s %9s %14s %14s %14s %10s\n", "device", "n", "members", "total/s", "device/s", "LAPACK loop/s",
           "ratio");
    if (field->csv) fprintf(field->csv, "n,members,clsolve,on_device,lapack_loop,device\n");
    for (int s = 0; s < count && fine; ++s) fine = row(sizes[s], field);
    return !fine;
}

int bench_batched(const bench_options *options) {
    for (int s = 0; s < options->count; ++s)
        if (options->sizes[s] > CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST) {
            fprintf(stderr, "clsolve-bench: batches are of orders up to %d: leave %lld out of -n\n",
                    CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST, (long long)options->sizes[s]);
            return 2;
        }
    return bench_table(options, 1, table);
}
