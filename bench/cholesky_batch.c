/*
 * Many small Cholesky factorizations, or L D L^T, at once, and a solve with each: host to host; and the factorization
 * from members on the device until their infos are on the host: on each device, side by side, against a loop of LAPACK calls and, where cuSOLVER is, its
 * potrfBatched and potrsBatched; it has none of L D L^T. Complex matrices are hermitian, of L D L^T symmetric.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

typedef struct problem {
    clsolve_type type;
    int indefinite; /* L D L^T */
    int64_t n, count;
    void *A, *work, *b, *x;
    int64_t *info;
    const bench_field *field;
    clsolve_cholesky_batch *cholesky[BENCH_DEVICES];
    clsolve_ldl_batch *ldl[BENCH_DEVICES];
} problem;

static clsolve_status make_handle(problem *p, int d) {
    const clsolve_cholesky_batch_options cholesky = {.where = CLSOLVE_WHERE_DEVICE};
    const clsolve_ldl_batch_options ldl = {.where = CLSOLVE_WHERE_DEVICE, .symmetry = CLSOLVE_SYMMETRY_TRANSPOSE};
    clsolve_context *context = p->field->candidates[d].context;
    return p->indefinite ? clsolve_ldl_batch_create(context, p->n, p->count, p->type, &ldl, &p->ldl[d])
                         : clsolve_cholesky_batch_create(context, p->n, p->count, p->type, &cholesky, &p->cholesky[d]);
}

static int make_handles(problem *p) {
    for (int d = 0; d < p->field->devices; ++d) {
        clsolve_context *context = p->field->candidates[d].context;
        if (make_handle(p, d) == CLSOLVE_OK) continue;
        fprintf(stderr, "clsolve-bench: n = %lld: %s\n", (long long)p->n, clsolve_context_message(context));
        return 0;
    }
    return 1;
}

/* Random numbers in both triangles, and on the diagonal n + 1, or twice that where an element has two of them; of L D L^T
 * nothing else. */
static void fill(problem *p) {
    const int64_t n = p->n;
    const double diagonal = bench_parts(p->type) * (double)(n + 1);
    bench_random_of(p->type, (uint64_t)n, p->A, n * n * p->count);
    for (int64_t m = 0; m < p->count; ++m) {
        void *A = bench_at(p->type, p->A, m * n * n);
        if (!p->indefinite) bench_hermitian(p->type, n, A, diagonal);
        for (int64_t j = 0; j < n && p->indefinite; ++j)
            for (int64_t i = j + 1; i < n; ++i) bench_put(p->type, A, j + i * n, bench_get(p->type, A, i + j * n));
    }
    bench_random_of(p->type, (uint64_t)n + 1, p->b, n * p->count);
}

static int make(int64_t n, const bench_field *field, int indefinite, problem *p) {
    const int64_t count = field->options->members;
    const clsolve_type type = field->options->type;
    const size_t right = (size_t)(n * count * cls_type_size(type)), elements = (size_t)n * right;
    *p = (problem){.type = type, .indefinite = indefinite, .n = n, .count = count, .field = field};
    p->A = malloc(elements);
    p->work = malloc(elements);
    p->b = malloc(right);
    p->x = malloc(right);
    p->info = malloc((size_t)count * sizeof *p->info);
    if (!p->A || !p->work || !p->b || !p->x || !p->info) {
        fprintf(stderr, "clsolve-bench: n = %lld: out of host memory\n", (long long)n);
        return 0;
    }
    fill(p);
    return make_handles(p);
}

static void discard(problem *p) {
    for (int d = 0; d < BENCH_DEVICES; ++d) {
        clsolve_cholesky_batch_destroy(p->cholesky[d]);
        clsolve_ldl_batch_destroy(p->ldl[d]);
    }
    free(p->A);
    free(p->work);
    free(p->b);
    free(p->x);
    free(p->info);
}

static int factor(problem *p, int d, double *device) {
    clsolve_batch A = bench_batch(p->type, p->count, p->n, p->n, p->A);
    clsolve_report report;
    const clsolve_status status = p->indefinite
                                      ? clsolve_ldl_batch_factor(p->ldl[d], CLSOLVE_LOWER, &A, p->info)
                                      : clsolve_cholesky_batch_factor(p->cholesky[d], CLSOLVE_LOWER, &A, p->info);
    if (status != CLSOLVE_OK) return 0;
    const clsolve_status told = p->indefinite ? clsolve_ldl_batch_report(p->ldl[d], &report)
                                              : clsolve_cholesky_batch_report(p->cholesky[d], &report);
    *device = report.seconds.factor;
    return told == CLSOLVE_OK && report.info == 0;
}

static double run_batch(problem *p, int d, double *device) {
    clsolve_batch X = bench_batch(p->type, p->count, p->n, 1, p->x);
    const double start = bench_seconds();
    if (!factor(p, d, device)) return -1;
    const clsolve_status status = p->indefinite ? clsolve_ldl_batch_solve(p->ldl[d], &X, p->info)
                                                : clsolve_cholesky_batch_solve(p->cholesky[d], &X, p->info);
    return status == CLSOLVE_OK ? bench_seconds() - start : -1;
}

static double run_lapack(problem *p) {
    const lapack_int n = (lapack_int)p->n;
    lapack_int pivots[CLSOLVE_LDL_BATCH_LARGEST];
    const double start = bench_seconds();
    memcpy(p->work, p->A, (size_t)(p->n * p->n * p->count * cls_type_size(p->type)));
    for (int64_t m = 0; m < p->count; ++m) {
        void *A = bench_at(p->type, p->work, m * p->n * p->n), *x = bench_at(p->type, p->x, m * p->n);
        if (p->indefinite ? BENCH_LAPACK(p->type, sysv, LAPACK_COL_MAJOR, 'L', n, 1, A, n, pivots, x, n)
                          : BENCH_LAPACK(p->type, posv_work, LAPACK_COL_MAJOR, 'L', n, 1, A, n, x, n))
            return -1;
    }
    return bench_seconds() - start;
}

static double run(void *problem_, int who, double *device) {
    problem *p = problem_;
    memcpy(p->x, p->b, (size_t)(p->n * p->count * cls_type_size(p->type)));
    if (who == BENCH_HOST) return run_lapack(p);
    if (who < p->field->devices) return run_batch(p, who, device);
    return p->indefinite ? -1 : vendor_cholesky_batch(p->field->vendor, p->type, p->n, p->count, p->A, p->x, device);
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

static int row(int64_t n, const bench_field *field, int indefinite) {
    const int candidates = indefinite ? field->devices : field->count;
    const int alone = field->options->alone;
    bench_contest contest = {
        field, candidates, indefinite ? "ldl-batch" : "cholesky-batch", alone ? NULL : "LAPACK loop", n,
        run,   worst_ratio};
    const long long count = field->options->members;
    bench_figures m;
    problem p;
    const int fine = make(n, field, indefinite, &p) && bench_compare(&contest, &p, &m);
    discard(&p);
    for (int c = 0; c < candidates && fine; ++c) {
        const char *name = field->candidates[c].name;
        const double host = alone ? (double)NAN : m.total[BENCH_HOST],
                     triangle = (double)(n * (n + 1) * cls_type_size(field->options->type));
        printf("%-9s %6lld %9lld %14.6f %14.6f %14.6f %10.3f %10.1f\n", name, (long long)n, count, m.total[c],
               m.device[c], host, m.total[c] / host,
               m.device[c] > 0 ? (double)count * triangle / 1e9 / m.device[c] : (double)NAN);
        fflush(stdout);
        if (field->csv)
            fprintf(field->csv, "%lld,%lld,%.9f,%.9f,%.9f,%s\n", (long long)n, count, m.total[c], m.device[c], host,
                    name);
    }
    return fine;
}

static int table(const bench_field *field, int indefinite) {
    static const int64_t usual[] = {4, 8, 16, 24, 32, 48, 64};
    const bench_options *options = field->options;
    const int64_t *sizes = options->count ? options->sizes : usual;
    int count = options->count ? options->count : (int)(sizeof usual / sizeof *usual), fine = 1;

    printf("# %d %s factorizations of order n and a solve with each, %s, host to host; the factorizations from "
           "members on the device until their infos are on the host, and the rate of reading and writing a triangle; "
           "medians of %d, by turns; samples verified\n",
           options->members, indefinite ? "LDL^T" : "Cholesky", bench_type_words(options->type), options->repeat);
    bench_print_field(field, 1);
    printf("%-9s %6s %9s %14s %14s %14s %10s %10s\n", "device", "n", "members", "total/s", "factor/s", "LAPACK loop/s",
           "ratio", "GB/s");
    if (field->csv) fprintf(field->csv, "n,members,clsolve,on_device,lapack_loop,device\n");
    for (int s = 0; s < count && fine; ++s) fine = row(sizes[s], field, indefinite);
    return !fine;
}

static int cholesky_table(const bench_field *field) {
    return table(field, 0);
}

static int ldl_table(const bench_field *field) {
    return table(field, 1);
}

static int bench_of(const bench_options *options, int most, int (*of)(const bench_field *field)) {
    for (int s = 0; s < options->count; ++s)
        if (options->sizes[s] > most) {
            fprintf(stderr, "clsolve-bench: batches are of orders up to %d: leave %lld out of -n\n", most,
                    (long long)options->sizes[s]);
            return 2;
        }
    return bench_table(options, 1, of);
}

int bench_cholesky_batch(const bench_options *options) {
    return bench_of(options, CLSOLVE_CHOLESKY_BATCH_LARGEST, cholesky_table);
}

int bench_ldl_batch(const bench_options *options) {
    return bench_of(options, CLSOLVE_LDL_BATCH_LARGEST, ldl_table);
}
