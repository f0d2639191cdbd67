/*
 * Jacobians of the power flow of a network over scenarios: one pattern, many sets of values. A factorization of all members and a
 * solve with each, from host to host, beside KLU: each thread refactors and solves its members one after the other. And
 * the same with values and right-hand sides on the device, where solutions are written, from call to return.
 */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <suitesparse/klu.h>
#include <unistd.h>

#include "bench.h"
#include "caller.h"
#include "network.h"

enum { THREADS = 256 };

typedef struct problem {
    network net;
    int64_t count, entries;
    double *values, *b, *x;
    int64_t *info;
    const bench_field *field;
    clsolve_sparse_batch *batch[BENCH_DEVICES];
    double factor[BENCH_DEVICES], solve[BENCH_DEVICES]; /* seconds of the last run, without transfers */
    bench_caller *caller[BENCH_DEVICES];                /* NULL: no arrays there */
    clsolve_sparse_batch *there[BENCH_DEVICES];
    clsolve_matrix values_there[BENCH_DEVICES], b_there[BENCH_DEVICES];
    int threads;
    klu_symbolic *symbolic;
    klu_common common[THREADS];
    klu_numeric *numeric[THREADS];
} problem;

/* ---- KLU ---- */

/* Compressed rows are the compressed columns of the transpose. Pivots are those of member 0, as ours. */
static int make_klu(problem *p) {
    network *net = &p->net;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    p->threads = cores < 1 ? 1 : cores > THREADS ? THREADS : (int)cores;
    for (int t = 0; t < p->threads; ++t) (void)klu_defaults(&p->common[t]);
    p->symbolic = klu_analyze(net->n, net->start, net->column, &p->common[0]);
    for (int t = 0; t < p->threads && p->symbolic; ++t) {
        p->numeric[t] = klu_factor(net->start, net->column, p->values, p->symbolic, &p->common[t]);
        if (!p->numeric[t]) return 0;
    }
    return p->symbolic != NULL;
}

typedef struct share {
    problem *p;
    int thread, fine;
} share;

static void *do_share(void *what) {
    share *s = what;
    problem *p = s->p;
    network *net = &p->net;
    klu_numeric *numeric = p->numeric[s->thread];
    klu_common *common = &p->common[s->thread];
    s->fine = 1;
    for (int64_t m = s->thread; m < p->count; m += p->threads) {
        double *x = p->x + m * net->n;
        s->fine &= klu_refactor(net->start, net->column, p->values + m * p->entries, p->symbolic, numeric, common);
        s->fine &= klu_tsolve(p->symbolic, numeric, net->n, 1, x, common);
    }
    return NULL;
}

static double run_klu(problem *p) {
    static share shares[THREADS];
    pthread_t threads[THREADS];
    int fine = 1, begun = 1;
    const double start = bench_seconds();
    for (int t = 0; t < p->threads; ++t) shares[t] = (share){p, t, 0};
    for (int t = 1; t < p->threads; ++t, ++begun)
        if (pthread_create(&threads[t], NULL, do_share, &shares[t]) != 0) break;
    (void)do_share(&shares[0]);
    for (int t = 1; t < begun; ++t) (void)pthread_join(threads[t], NULL);
    for (int t = 0; t < p->threads; ++t) fine &= shares[t].fine;
    return fine ? bench_seconds() - start : -1;
}

/* ---- the problem ---- */

static int make_handles(problem *p) {
    const clsolve_sparse_batch_options options = {.where = CLSOLVE_WHERE_DEVICE};
    const clsolve_csr A = clsolve_csr_f64(p->net.n, p->net.start, p->net.column, p->values);
    for (int d = 0; d < p->field->devices; ++d) {
        clsolve_context *context = p->field->candidates[d].context;
        const double start = bench_seconds();
        clsolve_sparse_batch_analysis a;
        if (clsolve_sparse_batch_create_csr(context, &A, p->count, &options, &p->batch[d]) != CLSOLVE_OK) {
            fprintf(stderr, "clsolve-bench: %s\n", clsolve_context_message(context));
            return 0;
        }
        (void)clsolve_sparse_batch_get_analysis(p->batch[d], &a);
        printf(
            "# %s: n = %lld, %lld entries, %lld of L + U, %lld products, %lld levels; create %.3f s, analysis %.4f s\n",
            p->field->candidates[d].name, (long long)a.n, (long long)a.entries, (long long)a.factor_entries,
            (long long)a.products, (long long)a.levels, bench_seconds() - start, a.seconds);
    }
    return 1;
}

/* Where a program can have arrays on the device. */
static int make_there(problem *p) {
    const clsolve_sparse_batch_options options = {.where = CLSOLVE_WHERE_DEVICE};
    const clsolve_csr A = clsolve_csr_f64(p->net.n, p->net.start, p->net.column, p->values);
    for (int d = 0; d < p->field->devices; ++d) {
        bench_caller *c = p->caller[d] = bench_caller_open(p->field->candidates[d].name);
        if (!c) continue;
        if (!bench_caller_take(c, p->entries * p->count, &p->values_there[d]) ||
            !bench_caller_take(c, p->net.n * p->count, &p->b_there[d]) ||
            !bench_caller_put(c, &p->values_there[d], p->values) ||
            clsolve_sparse_batch_create_csr(bench_caller_context(c), &A, p->count, &options, &p->there[d]) !=
                CLSOLVE_OK) {
            fprintf(stderr, "clsolve-bench: %s\n", clsolve_context_message(bench_caller_context(c)));
            return 0;
        }
    }
    return 1;
}

static int make(int buses, int64_t count, const bench_field *field, problem *p) {
    memset(p, 0, sizeof *p);
    p->count = count;
    p->field = field;
    if (!network_make(buses, &p->net)) return 0;
    p->entries = p->net.start[p->net.n];
    p->values = malloc((size_t)(p->entries * count) * sizeof *p->values);
    p->b = malloc((size_t)(p->net.n * count) * sizeof *p->b);
    p->x = malloc((size_t)(p->net.n * count) * sizeof *p->x);
    p->info = malloc((size_t)count * sizeof *p->info);
    if (!p->values || !p->b || !p->x || !p->info) {
        fprintf(stderr, "clsolve-bench: out of host memory\n");
        return 0;
    }
    for (int64_t m = 0; m < count; ++m) network_values(&p->net, (uint64_t)m, p->values + m * p->entries);
    bench_random_of(CLSOLVE_F64, 1, p->b, p->net.n * count);
    return make_handles(p) && make_there(p) && make_klu(p);
}

static void discard(problem *p) {
    for (int d = 0; d < BENCH_DEVICES; ++d) {
        clsolve_sparse_batch_destroy(p->batch[d]);
        clsolve_sparse_batch_destroy(p->there[d]);
        if (!p->caller[d]) continue;
        bench_caller_drop(p->caller[d], &p->values_there[d]);
        bench_caller_drop(p->caller[d], &p->b_there[d]);
        bench_caller_close(p->caller[d]);
    }
    for (int t = 0; t < p->threads; ++t)
        if (p->numeric[t]) (void)klu_free_numeric(&p->numeric[t], &p->common[t]);
    if (p->symbolic) (void)klu_free_symbolic(&p->symbolic, &p->common[0]);
    network_free(&p->net);
    free(p->values);
    free(p->b);
    free(p->x);
    free(p->info);
}

static double run_batch(problem *p, int d) {
    clsolve_batch values = clsolve_batch_f64(p->count, p->entries, 1, p->values);
    clsolve_batch X = clsolve_batch_f64(p->count, p->net.n, 1, p->x);
    clsolve_report report;
    const double start = bench_seconds();
    if (clsolve_sparse_batch_factor(p->batch[d], &values, p->info) != CLSOLVE_OK) return -1;
    if (clsolve_sparse_batch_report(p->batch[d], &report) != CLSOLVE_OK || report.info != 0) return -1;
    p->factor[d] = report.seconds.factor;
    if (clsolve_sparse_batch_solve(p->batch[d], CLSOLVE_NO_TRANS, &X, p->info) != CLSOLVE_OK) return -1;
    const double seconds = bench_seconds() - start;
    if (clsolve_sparse_batch_report(p->batch[d], &report) != CLSOLVE_OK || report.info != 0) return -1;
    p->solve[d] = report.seconds.solve;
    return seconds;
}

/* Seconds of the factorizations and solves together, as a median; NaN: no arrays there, below 0: it failed. */
static double run_there(problem *p, int d) {
    enum { MOST = 101 };
    const int repeat = p->field->options->repeat < MOST ? p->field->options->repeat : MOST;
    double seconds[MOST];
    if (!p->caller[d]) return (double)NAN;
    clsolve_batch values = clsolve_batch_f64(p->count, p->entries, 1, p->values_there[d].data);
    clsolve_batch X = clsolve_batch_f64(p->count, p->net.n, 1, p->b_there[d].data);
    values.place = X.place = CLSOLVE_ON_DEVICE;
    for (int r = -1; r < repeat; ++r) {
        if (!bench_caller_put(p->caller[d], &p->b_there[d], p->b)) return -1;
        const double start = bench_seconds();
        if (clsolve_sparse_batch_factor(p->there[d], &values, p->info) != CLSOLVE_OK ||
            clsolve_sparse_batch_solve(p->there[d], CLSOLVE_NO_TRANS, &X, p->info) != CLSOLVE_OK)
            return -1;
        if (r >= 0) seconds[r] = bench_seconds() - start;
    }
    if (!bench_caller_get(p->caller[d], &p->b_there[d], p->x)) return -1;
    return bench_median(seconds, repeat);
}

static double run(void *problem_, int who, double *device) {
    problem *p = problem_;
    *device = 0;
    memcpy(p->x, p->b, (size_t)(p->net.n * p->count) * sizeof *p->x);
    if (who == BENCH_HOST) return run_klu(p);
    const double seconds = run_batch(p, who);
    *device = p->factor[who] + p->solve[who];
    return seconds;
}

/* The backward error of some of the members, in units of what a ratio of 30 would be: epsilon times 10. */
static double worst_ratio(const void *problem_) {
    const problem *p = problem_;
    const network *net = &p->net;
    double worst = 0;
    for (int64_t m = 0; m < p->count; m += 1 + p->count / 100) {
        const double *a = p->values + m * p->entries, *x = p->x + m * net->n, *b = p->b + m * net->n;
        double rest = 0, norm = 0, of_x = 0, of_b = 0;
        for (int i = 0; i < net->n; ++i) {
            double sum = b[i], row = 0;
            for (int e = net->start[i]; e < net->start[i + 1]; ++e) {
                sum -= a[e] * x[net->column[e]];
                row += fabs(a[e]);
            }
            rest = fmax(rest, sum == sum ? fabs(sum) : INFINITY);
            norm = fmax(norm, row);
            of_x = fmax(of_x, fabs(x[i]));
            of_b = fmax(of_b, fabs(b[i]));
        }
        worst = fmax(worst, rest / (norm * of_x + of_b) / 1.1e-16 / fmax(1, sqrt((double)net->n) / 10));
    }
    return worst;
}

static double measured_there(problem *p, int d, int buses) {
    const double seconds = run_there(p, d);
    if (seconds != seconds) return seconds;
    if (seconds >= 0 && worst_ratio(p) < 30) return seconds;
    fprintf(stderr, "clsolve-bench: sparse-batch, %d buses, %s, arrays on the device: wrong; %s\n", buses,
            p->field->candidates[d].name, clsolve_context_message(bench_caller_context(p->caller[d])));
    return -1;
}

static int row(int buses, int64_t count, const bench_field *field) {
    bench_contest contest = {field, field->devices, "sparse-batch", "KLU", buses, run, worst_ratio};
    bench_figures m;
    static problem p;
    int fine = make(buses, count, field, &p) && bench_compare(&contest, &p, &m);
    for (int c = 0; c < field->devices && fine; ++c) {
        const char *name = field->candidates[c].name;
        const double klu = m.total[BENCH_HOST];
        clsolve_sparse_batch_analysis a;
        (void)clsolve_sparse_batch_get_analysis(p.batch[c], &a);
        const double there = measured_there(&p, c, buses);
        fine = !(there < 0);
        printf("%-9s %6d %6d %9lld %12.6f %12.6f %12.6f %12.6f %12.6f %9.2f %6lld\n", name, buses, p.net.n,
               (long long)count, m.total[c], p.factor[c], p.solve[c], there, klu, klu / m.total[c], (long long)a.again);
        fflush(stdout);
        if (field->csv)
            fprintf(field->csv, "%d,%d,%lld,%.9f,%.9f,%.9f,%.9f,%.9f,%s\n", buses, p.net.n, (long long)count,
                    m.total[c], p.factor[c], p.solve[c], there, klu, name);
    }
    discard(&p);
    return fine;
}

static int table(const bench_field *field) {
    static const int64_t usual[] = {118, 2000};
    const bench_options *options = field->options;
    const int64_t *sizes = options->count ? options->sizes : usual;
    const int count = options->count ? options->count : 2;
    int fine = 1;
    printf(
        "# factorizations of Jacobians of a network and a solve with each, in double, host to host; factor and solve "
        "without transfers; both with arrays on the device; KLU on all cores; medians of %d, by turns; samples "
        "verified\n",
        options->repeat);
    bench_print_field(field, 0);
    printf("%-9s %6s %6s %9s %12s %12s %12s %12s %12s %9s %6s\n", "device", "buses", "n", "members", "total/s",
           "factor/s", "solve/s", "there/s", "KLU/s", "KLU/total", "again");
    if (field->csv) fprintf(field->csv, "buses,n,members,clsolve,factor,solve,there,klu,device\n");
    for (int s = 0; s < count && fine; ++s)
        fine = row((int)sizes[s], options->count || sizes[s] < 1000 ? options->members : options->members / 10, field);
    return !fine;
}

int bench_sparse_batch(const bench_options *options) {
    return bench_table(options, 0, table);
}
