/*
 * Several devices of one process: dense LU in double, the matrix on the devices before the clock of the factorization runs;
 * the first solve with one right-hand side, the next one, and the inverse from host memory to host memory. Each --device is a context, of one
 * device ("cuda:0") or of several ("cuda:0,1"); the row "cusolverMg" is NVIDIA's over the most CUDA devices that one of them
 * has.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "vendor_many.h"

enum { MOST = 101 };

typedef struct problem {
    int64_t n;
    double *A, *b, *x, *X;
    const bench_field *field;
} problem;

typedef struct times {
    double upload[MOST], factor[MOST], solve[MOST], again[MOST], inverse[MOST];
} times;

/* As it was asked for: a context's own is that of its first device. */
static const char *name_of(const bench_field *field, int c) {
    return field->options->devices > 0 ? field->options->device_list[c] : field->candidates[c].name;
}

static int fails(const bench_field *field, int c, int64_t n) {
    fprintf(stderr, "clsolve-bench: many, n = %lld, %s: %s\n", (long long)n, field->candidates[c].name,
            clsolve_context_message(field->candidates[c].context));
    return 0;
}

/* One run; `r` below 0 is the first, which is verified and not counted. */
static int solve_once(const problem *p, int c, clsolve_lu *lu, double *seconds) {
    clsolve_matrix x = clsolve_matrix_f64(p->n, 1, p->x);
    memcpy(p->x, p->b, (size_t)p->n * sizeof *p->x);
    const double start = bench_seconds();
    if (clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &x) != CLSOLVE_OK) return fails(p->field, c, p->n);
    *seconds = bench_seconds() - start;
    return 1;
}

static int run_once(const problem *p, int c, clsolve_lu *lu, int inverse, times *t, int r) {
    clsolve_matrix A = clsolve_matrix_f64(p->n, p->n, p->A), X = clsolve_matrix_f64(p->n, p->n, p->X);
    clsolve_report report;
    double solve, again;

    if (clsolve_lu_factor(lu, &A) != CLSOLVE_OK || clsolve_lu_report(lu, &report) != CLSOLVE_OK)
        return fails(p->field, c, p->n);
    if (!solve_once(p, c, lu, &solve) || !solve_once(p, c, lu, &again)) return 0;
    const double start = bench_seconds();
    if (inverse && clsolve_lu_inverse(lu, &X) != CLSOLVE_OK) return fails(p->field, c, p->n);
    if (r < 0) return 1;
    t->upload[r] = report.seconds.upload;
    t->factor[r] = report.seconds.factor;
    t->solve[r] = solve;
    t->again[r] = again;
    t->inverse[r] = inverse ? bench_seconds() - start : (double)NAN;
    return 1;
}

static int verified(const problem *p, const char *who) {
    const double ratio = bench_ratio(CLSOLVE_F64, p->n, 1, p->A, p->x, p->b);
    if (ratio < 30) return 1;
    fprintf(stderr, "clsolve-bench: many, n = %lld, %s: wrong: ratio %g\n", (long long)p->n, who, ratio);
    return 0;
}

static void print(const problem *p, const char *name, int devices, const double median[5]) {
    const double n = (double)p->n;
    printf("%-16s %8.0f %8d %12.6f %12.6f %12.6f %12.6f %12.6f %10.1f\n", name, n, devices, median[0], median[1],
           median[2], median[3], median[4], 2 * n * n * n / 3e9 / median[1]);
    fflush(stdout);
    if (p->field->csv)
        fprintf(p->field->csv, "%s,%.0f,%d,%.9f,%.9f,%.9f,%.9f,%.9f\n", name, n, devices, median[0], median[1],
                median[2], median[3], median[4]);
}

static int candidate(const problem *p, int c, int inverse) {
    static times t;
    const int repeat = p->field->options->repeat;
    const clsolve_lu_options options = {.where = CLSOLVE_WHERE_DEVICE,
                                        .precision = CLSOLVE_PRECISION_WORKING,
                                        .block =
                                            p->field->options->block_count ? (int32_t)p->field->options->blocks[0] : 0};
    clsolve_context *context = p->field->candidates[c].context;
    clsolve_lu *lu = NULL;
    clsolve_report report = {0};

    int fine = clsolve_lu_create(context, p->n, CLSOLVE_F64, &options, &lu) == CLSOLVE_OK || fails(p->field, c, p->n);
    for (int r = -1; r < repeat && fine; ++r) {
        fine = run_once(p, c, lu, inverse, &t, r);
        if (fine && r < 0) fine = verified(p, name_of(p->field, c));
    }
    if (fine) fine = clsolve_lu_report(lu, &report) == CLSOLVE_OK;
    clsolve_lu_destroy(lu);
    if (!fine) return 0;
    const double median[5] = {bench_median(t.upload, repeat), bench_median(t.factor, repeat),
                              bench_median(t.solve, repeat), bench_median(t.again, repeat),
                              bench_median(t.inverse, repeat)};
    print(p, name_of(p->field, c), (int)report.direct.devices, median);
    return 1;
}

/* The numbers in "cuda:0,1,cuda:2"; 0: it is none of CUDA's. */
static int numbers_of(const char *selector, int numbers[VENDOR_MANY_DEVICES]) {
    int count = 0;
    if (!selector || strncmp(selector, "cuda:", 5) != 0) return 0;
    for (const char *at = selector; *at && count < VENDOR_MANY_DEVICES;) {
        char *end = NULL;
        if (strncmp(at, "cuda:", 5) == 0) at += 5;
        numbers[count] = (int)strtol(at, &end, 10);
        if (end == at) return 0;
        ++count;
        at = *end == ',' ? end + 1 : end;
        if (*end && *end != ',') return 0;
    }
    return count;
}

static int vendor_row(const problem *p) {
    const bench_options *options = p->field->options;
    int numbers[VENDOR_MANY_DEVICES], most[VENDOR_MANY_DEVICES], count = 0;
    double factor[MOST], solve[MOST], seconds[2];
    const char *why = "";

    for (int d = 0; d < options->devices; ++d) {
        const int these = numbers_of(options->device_list[d], numbers);
        if (these <= count) continue;
        count = these;
        memcpy(most, numbers, sizeof most);
    }
    if (count < 2) return 1;
    for (int r = -1; r < options->repeat; ++r) {
        memcpy(p->x, p->b, (size_t)p->n * sizeof *p->x);
        if (!vendor_many_lu(most, count, p->n, p->A, p->x, seconds, &why)) {
            printf("# without cusolverMg: %s\n", why);
            return 1;
        }
        if (r < 0 && !verified(p, "cusolverMg")) return 0;
        if (r >= 0) factor[r] = seconds[0], solve[r] = seconds[1];
    }
    const double unknown = (double)NAN, median[5] = {unknown, bench_median(factor, options->repeat),
                                                     bench_median(solve, options->repeat), unknown, unknown};
    print(p, "cusolverMg", count, median);
    return 1;
}

static int row(int64_t n, const bench_field *field) {
    problem p = {.n = n, .field = field};
    const int inverse = !field->options->families || strstr(field->options->families, "inverse") != NULL;
    const size_t square = (size_t)n * (size_t)n;

    p.A = malloc(square * sizeof *p.A);
    p.X = malloc((inverse ? square : 1) * sizeof *p.X);
    p.b = malloc((size_t)n * sizeof *p.b);
    p.x = malloc((size_t)n * sizeof *p.x);
    int fine = p.A && p.X && p.b && p.x;
    if (fine) {
        bench_random((uint64_t)n, p.A, n * n);
        bench_random((uint64_t)n + 1, p.b, n);
    } else {
        fprintf(stderr, "clsolve-bench: n = %lld: out of host memory\n", (long long)n);
    }
    for (int c = 0; c < field->devices && fine; ++c) fine = candidate(&p, c, inverse);
    if (fine) fine = vendor_row(&p);
    free(p.A);
    free(p.X);
    free(p.b);
    free(p.x);
    return fine;
}

static int table(const bench_field *field) {
    static const int64_t usual[] = {512, 1024, 2048};
    const bench_options *options = field->options;
    const int64_t *sizes = options->count ? options->sizes : usual;
    const int count = options->count ? options->count : (int)(sizeof usual / sizeof *usual);
    int fine = 1;

    printf(
        "# dense LU, double: the way up, the factorization on the devices and its rate; the first solve, the next and "
        "the inverse from host to host, cusolverMg's on the devices; medians of %d; each verified\n",
        options->repeat);
    bench_print_field(field, 0);
    printf("%-16s %8s %8s %12s %12s %12s %12s %12s %10s\n", "device", "n", "devices", "upload/s", "factor/s", "solve/s",
           "again/s", "inverse/s", "GFLOP/s");
    if (field->csv) fprintf(field->csv, "device,n,devices,upload,factor,solve,again,inverse\n");
    for (int s = 0; s < count && fine; ++s) fine = row(sizes[s], field);
    return !fine;
}

int bench_many(const bench_options *options) {
    return bench_table(options, 0, table);
}
