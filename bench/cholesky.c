/*
 * Cholesky, or LDL^T, from host memory to host memory: factor and solve with one right-hand side on each device, side by
 * side, against LAPACK's posv or sysv and, where cuSOLVER is, its potrf and potrs, or sytrf; dense LU of the same matrix
 * beside them. Complex matrices of LDL^T are symmetric, as those of sytrf.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

typedef struct problem {
    clsolve_type type;
    int indefinite; /* LDL^T */
    int64_t n;
    void *A, *work, *b, *x;
    const bench_field *field;
    clsolve_cholesky *cholesky[BENCH_DEVICES];
    clsolve_ldl *ldl[BENCH_DEVICES];
    clsolve_lu *lu[BENCH_DEVICES];
} problem;

/* Random numbers in both triangles, and on the diagonal n, or 2 n where an element has two of them; or nothing else. */
static void fill(problem *p) {
    const int64_t n = p->n;
    bench_random_of(p->type, (uint64_t)n, p->A, n * n);
    if (!p->indefinite) bench_hermitian(p->type, n, p->A, bench_parts(p->type) * (double)n);
    for (int64_t j = 0; j < n && p->indefinite; ++j)
        for (int64_t i = j + 1; i < n; ++i) bench_put(p->type, p->A, j + i * n, bench_get(p->type, p->A, i + j * n));
    bench_random_of(p->type, (uint64_t)n + 1, p->b, n);
}

static clsolve_status make_handle(problem *p, int d) {
    const clsolve_cholesky_options cholesky = {.where = CLSOLVE_WHERE_DEVICE, .precision = CLSOLVE_PRECISION_WORKING};
    const clsolve_ldl_options ldl = {
        .where = CLSOLVE_WHERE_DEVICE, .precision = CLSOLVE_PRECISION_WORKING, .symmetry = CLSOLVE_SYMMETRY_TRANSPOSE};
    clsolve_context *context = p->field->candidates[d].context;
    return p->indefinite ? clsolve_ldl_create(context, p->n, p->type, &ldl, &p->ldl[d])
                         : clsolve_cholesky_create(context, p->n, p->type, &cholesky, &p->cholesky[d]);
}

static int make(int64_t n, const bench_field *field, int indefinite, problem *p) {
    const clsolve_lu_options lu = {.where = CLSOLVE_WHERE_DEVICE, .precision = CLSOLVE_PRECISION_WORKING};
    const clsolve_type type = field->options->type;
    const size_t vector = (size_t)(n * cls_type_size(type)), bytes = (size_t)n * vector;

    *p = (problem){.type = type, .indefinite = indefinite, .n = n, .field = field};
    p->A = malloc(bytes);
    p->work = malloc(bytes);
    p->b = malloc(vector);
    p->x = malloc(vector);
    if (!p->A || !p->work || !p->b || !p->x) {
        fprintf(stderr, "clsolve-bench: n = %lld: out of host memory\n", (long long)n);
        return 0;
    }
    fill(p);
    for (int d = 0; d < field->devices; ++d) {
        clsolve_context *context = field->candidates[d].context;
        if (make_handle(p, d) == CLSOLVE_OK && clsolve_lu_create(context, n, type, &lu, &p->lu[d]) == CLSOLVE_OK)
            continue;
        fprintf(stderr, "clsolve-bench: %s: %s\n", field->candidates[d].name, clsolve_context_message(context));
        return 0;
    }
    return 1;
}

static void discard(problem *p) {
    for (int d = 0; d < BENCH_DEVICES; ++d) {
        clsolve_cholesky_destroy(p->cholesky[d]);
        clsolve_ldl_destroy(p->ldl[d]);
        clsolve_lu_destroy(p->lu[d]);
    }
    free(p->A);
    free(p->work);
    free(p->b);
    free(p->x);
}

static int factor(problem *p, int d, clsolve_uplo uplo) {
    const clsolve_matrix A = bench_matrix(p->type, p->n, p->n, p->A);
    return (p->indefinite ? clsolve_ldl_factor(p->ldl[d], uplo, &A)
                          : clsolve_cholesky_factor(p->cholesky[d], uplo, &A)) == CLSOLVE_OK;
}

/* The factorization alone. A lower triangle may come while it is factored, and no clock tells one from the other; an upper one
 * comes before. */
static double factor_alone(problem *p, int d) {
    clsolve_report report;
    if (!factor(p, d, CLSOLVE_UPPER)) return -1;
    return (p->indefinite ? clsolve_ldl_report(p->ldl[d], &report)
                          : clsolve_cholesky_report(p->cholesky[d], &report)) == CLSOLVE_OK
               ? report.seconds.factor
               : -1;
}

/* A handle that exists: A up, factor, b up, solve, x down. */
static double run_ours(problem *p, int d, double *device) {
    clsolve_matrix X = bench_matrix(p->type, p->n, 1, p->x);
    double start = bench_seconds();
    if (!factor(p, d, CLSOLVE_LOWER)) return -1;
    if ((p->indefinite ? clsolve_ldl_solve(p->ldl[d], &X) : clsolve_cholesky_solve(p->cholesky[d], &X)) != CLSOLVE_OK)
        return -1;
    double seconds = bench_seconds() - start;
    *device = factor_alone(p, d);
    return seconds;
}

static double run_lu(problem *p, int d, double *device) {
    clsolve_matrix A = bench_matrix(p->type, p->n, p->n, p->A), X = bench_matrix(p->type, p->n, 1, p->x);
    clsolve_report report;
    double start = bench_seconds();
    if (clsolve_lu_factor(p->lu[d], &A) != CLSOLVE_OK) return -1;
    if (clsolve_lu_solve(p->lu[d], CLSOLVE_NO_TRANS, &X) != CLSOLVE_OK) return -1;
    double seconds = bench_seconds() - start;
    if (clsolve_lu_report(p->lu[d], &report) == CLSOLVE_OK) *device = report.seconds.factor;
    return seconds;
}

/* The copy that keeps A is inside the time, as the upload is inside ours. */
static double run_lapack(problem *p) {
    lapack_int n = (lapack_int)p->n;
    double start = bench_seconds();
    memcpy(p->work, p->A, (size_t)(p->n * p->n * cls_type_size(p->type)));
    if (p->indefinite) {
        lapack_int *pivots = calloc((size_t)n, sizeof *pivots);
        const int bad =
            !pivots || BENCH_LAPACK(p->type, sysv, LAPACK_COL_MAJOR, 'L', n, 1, p->work, n, pivots, p->x, n);
        free(pivots);
        if (bad) return -1;
    } else if (BENCH_LAPACK(p->type, posv_work, LAPACK_COL_MAJOR, 'L', n, 1, p->work, n, p->x, n) != 0)
        return -1;
    return bench_seconds() - start;
}

static double run(void *problem_, int who, double *device) {
    problem *p = problem_;
    memcpy(p->x, p->b, (size_t)(p->n * cls_type_size(p->type)));
    if (who == BENCH_HOST) return run_lapack(p);
    if (who < p->field->devices) return run_ours(p, who, device);
    if (p->indefinite) return vendor_ldl(p->field->vendor, p->type, p->n, p->A, p->x, device);
    return vendor_cholesky(p->field->vendor, p->type, p->n, p->A, p->x, device);
}

static double run_beside(void *problem_, int who, double *device) {
    problem *p = problem_;
    memcpy(p->x, p->b, (size_t)(p->n * cls_type_size(p->type)));
    return run_lu(p, who, device);
}

static double ratio(const void *problem_) {
    const problem *p = problem_;
    return bench_ratio(p->type, p->n, 1, p->A, p->x, p->b);
}

/* LAPACK's sytrf has 10 GFLOP/s at least on hosts of today. */
static int outlasts(const bench_field *field, double n) {
    return bench_operations(field->options->type) * n * n * n / 3e10 > field->options->limit;
}

static int row(int64_t n_, const bench_field *field, int indefinite) {
    const char *of_host = !indefinite ? "posv" : outlasts(field, (double)n_) ? NULL : "sysv";
    bench_contest contest = {field, field->count, indefinite ? "ldl" : "cholesky", of_host, n_, run, ratio};
    bench_contest beside = {field, field->devices, "lu", NULL, n_, run_beside, ratio};
    const double n = (double)n_, operations = bench_operations(field->options->type);
    bench_figures m, lu;
    problem p;
    int fine = make(n_, field, indefinite, &p) && bench_compare(&contest, &p, &m) && bench_compare(&beside, &p, &lu);
    discard(&p);
    for (int c = 0; c < field->count && fine; ++c) {
        const double host = of_host ? m.total[BENCH_HOST] : (double)NAN,
                     other = c < field->devices ? lu.total[c] : (double)NAN;
        const double alone = c < field->devices ? lu.device[c] : (double)NAN;
        const double rate =
            m.device[c] > 0 ? operations * n * n * n / 3e9 / m.device[c] : (double)NAN; /* a clock may be too coarse */
        printf("%-9s %8.0f %14.6f %14.6f %14.6f %10.3f %14.6f %14.6f %10.1f\n", field->candidates[c].name, n,
               m.total[c], m.device[c], host, m.total[c] / host, other, alone, rate);
        fflush(stdout);
        if (field->csv)
            fprintf(field->csv, "%.0f,%.9f,%.9f,%.9f,%.9f,%.9f,%s\n", n, m.total[c], m.device[c], host, other, alone,
                    field->candidates[c].name);
    }
    return fine;
}

static int table(const bench_field *field, int indefinite) {
    static const int64_t usual[] = {64, 128, 256, 512, 1024, 2048, 4096};
    const bench_options *options = field->options;
    const int64_t *sizes = options->count ? options->sizes : usual;
    int count = options->count ? options->count : (int)(sizeof usual / sizeof *usual), fine = 1;

    printf("# %s and a solve, %s, host to host; the factorization and its rate for n^3 / 3, of complex numbers 4 "
           "n^3 / 3; lu: dense LU and a "
           "solve; medians of %d, by turns; each verified\n",
           indefinite ? "ldl" : "cholesky", bench_type_words(options->type), options->repeat);
    bench_print_field(field, 1);
    printf("%-9s %8s %14s %14s %14s %10s %14s %14s %10s\n", "device", "n", "total/s", "factor/s",
           indefinite ? "sysv/s" : "posv/s", "ratio", "lu/s", "lu factor/s", "GFLOP/s");
    if (field->csv)
        fprintf(field->csv, "n,clsolve,on_device,%s,lu,lu_on_device,device\n", indefinite ? "sysv" : "posv");
    for (int s = 0; s < count && fine; ++s) fine = row(sizes[s], field, indefinite);
    return !fine;
}

static int cholesky_table(const bench_field *field) {
    return table(field, 0);
}

static int ldl_table(const bench_field *field) {
    return table(field, 1);
}

int bench_cholesky(const bench_options *options) {
    return bench_table(options, 1, cholesky_table);
}

int bench_ldl(const bench_options *options) {
    return bench_table(options, 1, ldl_table);
}
