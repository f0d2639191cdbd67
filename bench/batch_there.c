/*
 * batch_there.c: many LU or Cholesky factorizations of members on the device, enqueued one behind the other, and the same with a solve
 * behind each: the time of one of them, from a wait to a wait, where nothing but the last call's infos comes to the host. NVIDIA's libraries
 * take part in the same way: they enqueue, and their infos stay on the device. Each call has members of its own, because cuBLAS works in
 * place.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "caller.h"

enum { CALLS = 10 };

typedef struct entrant {
    bench_caller *caller;
    clsolve_lu_batch *lu;
    clsolve_cholesky_batch *cholesky;
    clsolve_matrix A[CALLS], b[CALLS]; /* on the device */
} entrant;

typedef struct problem {
    const bench_field *field;
    clsolve_type type;
    int is_cholesky, calls;
    int64_t n, count;
    void *A, *b, *x;
    int64_t *info;
    entrant entrants[BENCH_DEVICES];
} problem;

/* ---- what is made before a clock runs ---- */

/* Doubles that have the bytes of so many elements. */
static int64_t doubles_of(const problem *p, int64_t elements) {
    return (elements * cls_type_size(p->type) + 7) / 8;
}

static int make_entrant(problem *p, const char *selector, entrant *e) {
    const clsolve_lu_batch_options lu = {.where = CLSOLVE_WHERE_DEVICE};
    const clsolve_cholesky_batch_options cholesky = {.where = CLSOLVE_WHERE_DEVICE};
    e->caller = bench_caller_open(selector);
    if (!e->caller) {
        fprintf(stderr, "clsolve-bench: %s\n", bench_caller_message());
        return 0;
    }
    clsolve_context *context = bench_caller_context(e->caller);
    int fine =
        (p->is_cholesky ? clsolve_cholesky_batch_create(context, p->n, p->count, p->type, &cholesky, &e->cholesky)
                        : clsolve_lu_batch_create(context, p->n, p->count, p->type, &lu, &e->lu)) == CLSOLVE_OK;
    for (int k = 0; k < p->calls && fine; ++k)
        fine = bench_caller_take(e->caller, doubles_of(p, p->n * p->n * p->count), &e->A[k]) &&
               bench_caller_take(e->caller, doubles_of(p, p->n * p->count), &e->b[k]) &&
               bench_caller_put(e->caller, &e->A[k], p->A);
    if (!fine) fprintf(stderr, "clsolve-bench: %s: %s\n", selector, clsolve_context_message(context));
    return fine;
}

static int make(int64_t n, const bench_field *field, problem *p) {
    enum { ROOM = 1 << 30 }; /* bytes of members */
    const int64_t count = field->options->members, each = n * n * count * cls_type_size(field->options->type);
    *p = (problem){.field = field, .type = field->options->type, .n = n, .count = count};
    p->is_cholesky = field->options->families && strcmp(field->options->families, "cholesky") == 0;
    p->calls = each * CALLS <= ROOM ? CALLS : each * 2 <= ROOM ? (int)(ROOM / each) : 2;
    p->A = malloc((size_t)each + 8);
    p->b = malloc((size_t)(each / n) + 8);
    p->x = malloc((size_t)(each / n) + 8);
    p->info = malloc((size_t)count * sizeof *p->info);
    int fine = p->A && p->b && p->x && p->info;
    if (!fine) fprintf(stderr, "clsolve-bench: n = %lld: out of host memory\n", (long long)n);
    if (fine) {
        bench_random_of(p->type, (uint64_t)n, p->A, n * n * count);
        bench_random_of(p->type, (uint64_t)n + 1, p->b, n * count);
    }
    for (int64_t m = 0; m < count && fine && p->is_cholesky; ++m)
        bench_hermitian(p->type, n, bench_at(p->type, p->A, m * n * n), bench_parts(p->type) * (double)(n + 1));
    for (int d = 0; d < field->devices && fine; ++d) fine = make_entrant(p, field->candidates[d].name, &p->entrants[d]);
    return fine;
}

static void discard(problem *p) {
    for (int d = 0; d < p->field->devices; ++d) {
        entrant *e = &p->entrants[d];
        clsolve_lu_batch_destroy(e->lu);
        clsolve_cholesky_batch_destroy(e->cholesky);
        for (int k = 0; k < p->calls && e->caller; ++k) {
            bench_caller_drop(e->caller, &e->A[k]);
            bench_caller_drop(e->caller, &e->b[k]);
        }
        bench_caller_close(e->caller);
    }
    free(p->A);
    free(p->b);
    free(p->x);
    free(p->info);
}

/* ---- a run ---- */

static clsolve_batch view(const problem *p, const clsolve_matrix *column, int64_t cols) {
    const int64_t n = p->n;
    return (clsolve_batch){p->type, CLSOLVE_COLUMN_MAJOR, p->count,          n, cols, n, n * cols,
                           NULL,    column->data,         CLSOLVE_ON_DEVICE, 0};
}

static int enqueue(const problem *p, const entrant *e, int k, int solves) {
    clsolve_batch A = view(p, &e->A[k], p->n), b = view(p, &e->b[k], 1);
    clsolve_status status = p->is_cholesky
                                ? clsolve_cholesky_batch_factor_enqueue(e->cholesky, CLSOLVE_LOWER, &A, NULL, NULL)
                                : clsolve_lu_batch_factor_enqueue(e->lu, &A, NULL, NULL);
    if (status == CLSOLVE_OK && solves)
        status = p->is_cholesky ? clsolve_cholesky_batch_solve_enqueue(e->cholesky, &b, NULL, NULL)
                                : clsolve_lu_batch_solve_enqueue(e->lu, CLSOLVE_NO_TRANS, &b, NULL, NULL);
    return status == CLSOLVE_OK;
}

static int wait(const problem *p, const entrant *e) {
    int64_t bad = 0;
    if ((p->is_cholesky ? clsolve_cholesky_batch_infos(e->cholesky, p->info)
                        : clsolve_lu_batch_infos(e->lu, p->info)) != CLSOLVE_OK)
        return 0;
    for (int64_t m = 0; m < p->count; ++m) bad += p->info[m] != 0;
    return bad == 0;
}

/* The seconds of one call; below 0: it failed. */
static double run_calls(const problem *p, const entrant *e, int solves) {
    const double start = bench_seconds();
    for (int k = 0; k < p->calls; ++k)
        if (!enqueue(p, e, k, solves)) return -1;
    return wait(p, e) ? (bench_seconds() - start) / p->calls : -1;
}

static double run(void *problem_, int who, double *both) {
    problem *p = problem_;
    if (who >= p->field->devices) {
        memcpy(p->x, p->b, (size_t)(p->n * p->count * cls_type_size(p->type)));
        return vendor_batch_there(p->field->vendor, p->is_cholesky, p->type, p->n, p->count, p->calls, p->A, p->x,
                                  both);
    }
    const entrant *e = &p->entrants[who];
    for (int k = 0; k < p->calls; ++k)
        if (!bench_caller_put(e->caller, &e->b[k], p->b)) return -1;
    const double factor = run_calls(p, e, 0);
    *both = run_calls(p, e, 1);
    if (factor < 0 || *both < 0 || !bench_caller_get(e->caller, &e->b[p->calls - 1], p->x)) return -1;
    return factor;
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
    bench_contest contest = {field, field->count, "batch-there", NULL, n, run, worst_ratio};
    bench_figures m;
    problem p;
    const int fine = make(n, field, &p) && bench_compare(&contest, &p, &m);
    for (int c = 0; c < field->count && fine; ++c) {
        const double none = (double)NAN, of = field->vendor ? m.total[field->count - 1] : none,
                     of_both = field->vendor ? m.device[field->count - 1] : none;
        printf("%-9s %6lld %9lld %12.6f %12.6f %8.2f %8.2f\n", field->candidates[c].name, (long long)n,
               (long long)p.count, m.total[c], m.device[c], of / m.total[c], of_both / m.device[c]);
        fflush(stdout);
        if (field->csv)
            fprintf(field->csv, "%lld,%lld,%.9f,%.9f,%s\n", (long long)n, (long long)p.count, m.total[c], m.device[c],
                    field->candidates[c].name);
    }
    discard(&p);
    return fine;
}

static int table(const bench_field *field) {
    static const int64_t usual[] = {4, 8, 16, 32, 64, 128};
    const bench_options *options = field->options;
    const int64_t *sizes = options->count ? options->sizes : usual;
    int count = options->count ? options->count : (int)(sizeof usual / sizeof *usual), fine = 1;

    printf("# factorizations of %d matrices of order n on the device, %s, enqueued; then with a solve each: the time "
           "of one; the vendor's by ours; medians of %d, by turns; samples verified\n",
           options->members, bench_type_words(options->type), options->repeat);
    bench_print_field(field, 1);
    printf("%-9s %6s %9s %12s %12s %8s %8s\n", "device", "n", "members", "factor/s", "and solve/s", "ratio", "ratio");
    if (field->csv) fprintf(field->csv, "n,members,factor,factor_and_solve,device\n");
    for (int s = 0; s < count && fine; ++s) fine = row(sizes[s], field);
    return !fine;
}

int bench_batch_there(const bench_options *options) {
    for (int s = 0; s < options->count; ++s)
        if (options->sizes[s] < 1 || options->sizes[s] > CLSOLVE_LU_BATCH_LARGEST) {
            fprintf(stderr, "clsolve-bench: batches are of orders up to %d: leave %lld out of -n\n",
                    CLSOLVE_LU_BATCH_LARGEST, (long long)options->sizes[s]);
            return 2;
        }
    return bench_table(options, 1, table);
}
