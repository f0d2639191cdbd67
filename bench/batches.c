/*
 * Many matrices at once, host to host, and from members on the device until their infos are on the host: LU, Cholesky or
 * L D L^T and a solve with each, or inverses. On each device, side by side, against a loop of LAPACK calls and, where cuBLAS
 * and cuSOLVER are, their batched calls; they have none of L D L^T. Complex matrices of L D L^T are symmetric.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

typedef struct problem {
    const struct kind *kind;
    clsolve_type type;
    int64_t n, count;
    void *A, *work, *b, *x; /* x: the solutions, or the inverses */
    int64_t *info;
    lapack_int *pivots;
    int solves; /* of LU: the device's time covers the solve too */
    const bench_field *field;
    void *handle[BENCH_DEVICES];
} problem;

typedef enum { LU, CHOLESKY, LDL, INVERSE } family;

/* A table: its family, and what the head says of it. */
typedef struct kind {
    family family;
    const char *title, *what;
    int most;
    clsolve_status (*create)(clsolve_context *context, const problem *p, void **handle);
    clsolve_status (*factor)(void *handle, const problem *p, const clsolve_batch *A); /* or invert */
    clsolve_status (*solve)(void *handle, const problem *p, clsolve_batch *X);
    clsolve_status (*report)(void *handle, clsolve_report *report);
    void (*destroy)(void *handle);
} kind;

#define FAMILY(name, OPTIONS, FACTOR, SOLVE)                                                                           \
    static clsolve_status name##_create(clsolve_context *context, const problem *p, void **handle) {                   \
        const clsolve_##name##_batch_options options = OPTIONS;                                                        \
        clsolve_##name##_batch *made = NULL;                                                                           \
        const clsolve_status status =                                                                                  \
            clsolve_##name##_batch_create(context, p->n, p->count, p->type, &options, &made);                          \
        *handle = made;                                                                                                \
        return status;                                                                                                 \
    }                                                                                                                  \
    static clsolve_status name##_factor(void *handle, const problem *p, const clsolve_batch *A) {                      \
        return FACTOR;                                                                                                 \
    }                                                                                                                  \
    static clsolve_status name##_solve(void *handle, const problem *p, clsolve_batch *X) {                             \
        return ((void)p, (void)X, SOLVE);                                                                              \
    }                                                                                                                  \
    static clsolve_status name##_report(void *handle, clsolve_report *report) {                                        \
        return clsolve_##name##_batch_report(handle, report);                                                          \
    }                                                                                                                  \
    static void name##_destroy(void *handle) {                                                                         \
        clsolve_##name##_batch_destroy(handle);                                                                        \
    }
#define CALLS(name) name##_create, name##_factor, name##_solve, name##_report, name##_destroy
#define ON_DEVICE                                                                                                      \
    { .where = CLSOLVE_WHERE_DEVICE }
#define SYMMETRIC                                                                                                      \
    { .where = CLSOLVE_WHERE_DEVICE, .symmetry = CLSOLVE_SYMMETRY_TRANSPOSE }

static clsolve_status invert(void *handle, const problem *p, const clsolve_batch *A) {
    clsolve_batch X = bench_batch(p->type, p->count, p->n, p->n, p->x);
    return clsolve_gauss_jordan_batch_invert(handle, A, &X, p->info);
}

FAMILY(lu, ON_DEVICE, clsolve_lu_batch_factor(handle, A, p->info),
       clsolve_lu_batch_solve(handle, CLSOLVE_NO_TRANS, X, p->info))
FAMILY(cholesky, ON_DEVICE, clsolve_cholesky_batch_factor(handle, CLSOLVE_LOWER, A, p->info),
       clsolve_cholesky_batch_solve(handle, X, p->info))
FAMILY(ldl, SYMMETRIC, clsolve_ldl_batch_factor(handle, CLSOLVE_LOWER, A, p->info),
       clsolve_ldl_batch_solve(handle, X, p->info))
FAMILY(gauss_jordan, ON_DEVICE, invert(handle, p, A), ((void)handle, CLSOLVE_OK))

static const kind kinds[] = {
    {LU, "lu-batch", "LU factorizations of order n and a solve with each", CLSOLVE_LU_BATCH_LARGEST, CALLS(lu)},
    {CHOLESKY, "cholesky-batch", "Cholesky factorizations of order n and a solve with each",
     CLSOLVE_CHOLESKY_BATCH_LARGEST, CALLS(cholesky)},
    {LDL, "ldl-batch", "LDL^T factorizations of order n and a solve with each", CLSOLVE_LDL_BATCH_LARGEST, CALLS(ldl)},
    {INVERSE, "batched", "inverses of order n", CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST, CALLS(gauss_jordan)}};

/* Random numbers; of Cholesky and of inverses with a large diagonal, of L D L^T symmetric. */
static void fill(problem *p) {
    const int64_t n = p->n;
    const family of = p->kind->family;
    bench_random_of(p->type, (uint64_t)n, p->A, n * n * p->count);
    for (int64_t m = 0; m < p->count; ++m) {
        void *A = bench_at(p->type, p->A, m * n * n);
        if (of == CHOLESKY) bench_hermitian(p->type, n, A, bench_parts(p->type) * (double)(n + 1));
        if (of == INVERSE) bench_strengthen(p->type, n, A);
        for (int64_t j = 0; j < n && of == LDL; ++j)
            for (int64_t i = j + 1; i < n; ++i) bench_put(p->type, A, j + i * n, bench_get(p->type, A, i + j * n));
    }
    bench_random_of(p->type, (uint64_t)n + 1, p->b, n * p->count);
}

static size_t bytes_of_answer(const problem *p) {
    return (size_t)(p->n * p->count * cls_type_size(p->type) * (p->kind->family == INVERSE ? p->n : 1));
}

static int make(int64_t n, const bench_field *field, const kind *kind, problem *p) {
    const int64_t count = field->options->members;
    const clsolve_type type = field->options->type;
    const size_t size = (size_t)cls_type_size(type), elements = (size_t)(n * n * count) * size;
    *p = (problem){.kind = kind, .type = type, .n = n, .count = count, .field = field};
    p->A = malloc(elements);
    p->work = malloc(kind->family == INVERSE ? (size_t)(64 * n) * size : elements);
    p->b = malloc((size_t)(n * count) * size);
    p->x = malloc(bytes_of_answer(p));
    p->info = malloc((size_t)count * sizeof *p->info);
    p->pivots = malloc((size_t)n * sizeof *p->pivots);
    if (!p->A || !p->work || !p->b || !p->x || !p->info || !p->pivots) {
        fprintf(stderr, "clsolve-bench: n = %lld: out of host memory\n", (long long)n);
        return 0;
    }
    fill(p);
    for (int d = 0; d < field->devices; ++d) {
        clsolve_context *context = field->candidates[d].context;
        if (kind->create(context, p, &p->handle[d]) == CLSOLVE_OK) continue;
        fprintf(stderr, "clsolve-bench: n = %lld: %s\n", (long long)n, clsolve_context_message(context));
        return 0;
    }
    return 1;
}

static void discard(problem *p) {
    for (int d = 0; d < BENCH_DEVICES; ++d) p->kind->destroy(p->handle[d]);
    free(p->A);
    free(p->work);
    free(p->b);
    free(p->x);
    free(p->info);
    free(p->pivots);
}

static double run_batch(problem *p, int d, double *device) {
    const clsolve_batch A = bench_batch(p->type, p->count, p->n, p->n, p->A);
    clsolve_batch X = bench_batch(p->type, p->count, p->n, 1, p->x);
    clsolve_report report;
    const double start = bench_seconds();
    if (p->kind->factor(p->handle[d], p, &A) != CLSOLVE_OK) return -1;
    if (p->kind->report(p->handle[d], &report) != CLSOLVE_OK || report.info != 0) return -1;
    *device = report.seconds.factor;
    if (p->kind->solve(p->handle[d], p, &X) != CLSOLVE_OK) return -1;
    const double seconds = bench_seconds() - start;
    if (p->kind->report(p->handle[d], &report) != CLSOLVE_OK || report.info != 0) return -1;
    if (p->solves) *device += report.seconds.solve;
    return seconds;
}

static int lapack_member(const problem *p, int64_t m) {
    const lapack_int n = (lapack_int)p->n;
    void *A = bench_at(p->type, p->work, m * p->n * p->n), *x = bench_at(p->type, p->x, m * p->n);
    void *X = bench_at(p->type, p->x, m * p->n * p->n);
    switch (p->kind->family) {
    case LU:
        return BENCH_LAPACK(p->type, gesv_work, LAPACK_COL_MAJOR, n, 1, A, n, p->pivots, x, n) == 0;
    case CHOLESKY:
        return BENCH_LAPACK(p->type, posv_work, LAPACK_COL_MAJOR, 'L', n, 1, A, n, x, n) == 0;
    case LDL:
        return BENCH_LAPACK(p->type, sysv, LAPACK_COL_MAJOR, 'L', n, 1, A, n, p->pivots, x, n) == 0;
    default:
        return BENCH_LAPACK(p->type, getrf_work, LAPACK_COL_MAJOR, n, n, X, n, p->pivots) == 0 &&
               BENCH_LAPACK(p->type, getri_work, LAPACK_COL_MAJOR, n, X, n, p->pivots, p->work, 64 * n) == 0;
    }
}

/* The copy that keeps A is inside the time. */
static double run_lapack(problem *p) {
    const double start = bench_seconds();
    memcpy(p->kind->family == INVERSE ? p->x : p->work, p->A,
           (size_t)(p->n * p->n * p->count * cls_type_size(p->type)));
    for (int64_t m = 0; m < p->count; ++m)
        if (!lapack_member(p, m)) return -1;
    return bench_seconds() - start;
}

static double run(void *problem_, int who, double *device) {
    problem *p = problem_;
    vendor *v = p->field->vendor;
    if (p->kind->family == INVERSE)
        memset(p->x, 0xff, bytes_of_answer(p)); /* NaN: who writes nothing has no answer */
    else
        memcpy(p->x, p->b, bytes_of_answer(p));
    if (who == BENCH_HOST) return run_lapack(p);
    if (who < p->field->devices) return run_batch(p, who, device);
    switch (p->kind->family) {
    case LU:
        return vendor_lu_batch(v, p->type, p->n, p->count, p->A, p->x, p->solves, device);
    case CHOLESKY:
        return vendor_cholesky_batch(v, p->type, p->n, p->count, p->A, p->x, device);
    case INVERSE:
        return vendor_batched(v, p->type, p->n, p->count, p->A, p->x, device);
    default:
        return -1;
    }
}

/* Some of the members, spread over the batch; the largest ratio. */
static double worst_ratio(const void *problem_) {
    const problem *p = problem_;
    double worst = 0;
    for (int64_t m = 0; m < p->count; m += 1 + p->count / 100) {
        const void *A = bench_at(p->type, p->A, m * p->n * p->n);
        const double ratio = p->kind->family == INVERSE
                                 ? bench_ratio_inverse(p->type, p->n, A, bench_at(p->type, p->x, m * p->n * p->n))
                                 : bench_ratio(p->type, p->n, 1, A, bench_at(p->type, p->x, m * p->n),
                                               bench_at(p->type, p->b, m * p->n));
        if (!(ratio <= worst)) worst = ratio;
    }
    return worst;
}

static int row(int64_t n, const bench_field *field, const kind *kind) {
    const int candidates = kind->family == LDL ? field->devices : field->count, alone = field->options->alone;
    bench_contest contest = {field, candidates, kind->title, alone ? NULL : "LAPACK loop", n, run, worst_ratio};
    const long long count = field->options->members;
    const double triangle = (double)(n * (n + 1) * cls_type_size(field->options->type));
    bench_figures factor, m;
    problem p;
    int fine = make(n, field, kind, &p) && bench_compare(&contest, &p, &factor);
    m = factor;
    p.solves = kind->family == LU;
    if (fine && p.solves) fine = bench_compare(&contest, &p, &m);
    discard(&p);
    for (int c = 0; c < candidates && fine; ++c) {
        const double host = alone ? (double)NAN : m.total[BENCH_HOST];
        printf("%-9s %6lld %9lld %14.6f %14.6f", field->candidates[c].name, (long long)n, count, m.total[c],
               factor.device[c]);
        if (p.solves) printf(" %14.6f", m.device[c]);
        printf(" %14.6f %10.3f", host, m.total[c] / host);
        if (kind->family == CHOLESKY || kind->family == LDL)
            printf(" %10.1f", m.device[c] > 0 ? (double)count * triangle / 1e9 / m.device[c] : (double)NAN);
        printf("\n");
        fflush(stdout);
        if (!field->csv) continue;
        fprintf(field->csv, "%lld,%lld,%.9f,%.9f,", (long long)n, count, m.total[c], factor.device[c]);
        if (p.solves) fprintf(field->csv, "%.9f,", m.device[c]);
        fprintf(field->csv, "%.9f,%s\n", host, field->candidates[c].name);
    }
    return fine;
}

static int table(const bench_field *field, const kind *kind) {
    static const int64_t usual[] = {4, 8, 16, 24, 32, 48, 64}, usual_of_lu[] = {4, 8, 16, 32, 64, 128};
    const bench_options *options = field->options;
    const int is_lu = kind->family == LU, is_half = kind->family == CHOLESKY || kind->family == LDL;
    const int64_t *sizes = options->count ? options->sizes : is_lu ? usual_of_lu : usual;
    const int count = options->count ? options->count : is_lu ? 6 : 7;
    int fine = 1;

    printf(
        "# %d %s, %s, host to host; %sfrom members on the device until their infos are on the host%s; medians of %d, "
        "by turns; samples verified\n",
        options->members, kind->what, bench_type_words(options->type),
        is_lu     ? "the factorizations, and both, "
        : is_half ? "the factorizations "
                  : "and ",
        is_half ? ", and the rate of reading and writing a triangle" : "", options->repeat);
    bench_print_field(field, 1);
    printf("%-9s %6s %9s %14s %14s%s %14s %10s%s\n", "device", "n", "members", "total/s",
           kind->family == INVERSE ? "device/s" : "factor/s", is_lu ? " factor+solve/s" : "", "LAPACK loop/s", "ratio",
           is_half ? "       GB/s" : "");
    if (field->csv)
        fprintf(field->csv, "n,members,clsolve,%s,lapack_loop,device\n",
                is_lu ? "factor,factor_and_solve" : "on_device");
    for (int s = 0; s < count && fine; ++s) fine = row(sizes[s], field, kind);
    return !fine;
}

#define TABLE(name, of)                                                                                                \
    static int of##_table(const bench_field *field) {                                                                  \
        return table(field, &kinds[of]);                                                                               \
    }                                                                                                                  \
    int bench_##name(const bench_options *options) {                                                                   \
        for (int s = 0; s < options->count; ++s)                                                                       \
            if (options->sizes[s] > kinds[of].most) {                                                                  \
                fprintf(stderr, "clsolve-bench: batches are of orders up to %d: leave %lld out of -n\n",               \
                        kinds[of].most, (long long)options->sizes[s]);                                                 \
                return 2;                                                                                              \
            }                                                                                                          \
        return bench_table(options, 1, of##_table);                                                                    \
    }
TABLE(lu_batch, LU)
TABLE(cholesky_batch, CHOLESKY)
TABLE(ldl_batch, LDL)
TABLE(batched, INVERSE)
