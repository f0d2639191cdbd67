/*
 * The same systems on several devices and through NVIDIA's own libraries, side by side: dense LU, the inverse, many small
 * inverses, tridiagonal lines. In double. All of a row's candidates are verified, and then timed by turns. Two figures each:
 * seconds on the device, between the copies (of LU, the factorization alone; of lines, the solve, for ours are factored
 * before, and cuSPARSE's factor each time), and from host memory to host memory.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "vendor.h"

enum { MOST_CANDIDATES = BENCH_DEVICES + 1, MOST = 101 };

/* A device of ours, or NVIDIA's libraries. */
typedef struct candidate {
    char name[32];
    clsolve_context *context; /* NULL: the vendor */
} candidate;

typedef struct field {
    candidate candidates[MOST_CANDIDATES];
    int count;
    vendor *vendor;
    FILE *csv;
    const bench_options *options;
} field;

/* One size of one family: the data, and a handle for each candidate of ours. */
typedef struct problem {
    const field *field;
    int64_t n, members;
    double *A, *B, *X; /* what is given, and the answer */
    int64_t *info;
    void *handle[MOST_CANDIDATES];
} problem;

/* What a family is to the table: each function is for one candidate, seconds below 0 or 0 for a failure. */
typedef struct family {
    const char *name, *vendor, *title;
    int (*make)(problem *p); /* the data */
    int (*create)(problem *p, int c);
    void (*destroy)(void *handle);
    double (*run)(problem *p, int c, double *device);
    double (*ratio)(const problem *p); /* of the answer: good below 30 */
    double (*work)(const problem *p);  /* floating-point operations on the device */
} family;

static clsolve_context *context_of(const problem *p, int c) {
    return p->field->candidates[c].context;
}

static int allocate(problem *p, int64_t a, int64_t b, int64_t x) {
    p->A = malloc((size_t)a * sizeof *p->A);
    p->B = malloc((size_t)b * sizeof *p->B);
    p->X = malloc((size_t)x * sizeof *p->X);
    p->info = malloc((size_t)p->members * sizeof *p->info);
    return p->A && p->B && p->X && p->info;
}

/* ---- dense LU ---- */

static int lu_make(problem *p) {
    if (!allocate(p, p->n * p->n, p->n, p->n)) return 0;
    bench_random((uint64_t)p->n, p->A, p->n * p->n);
    bench_random((uint64_t)p->n + 1, p->B, p->n);
    return 1;
}

static int lu_create(problem *p, int c) {
    clsolve_lu *lu = NULL;
    clsolve_status status = clsolve_lu_create(context_of(p, c), p->n, CLSOLVE_F64, NULL, &lu);
    p->handle[c] = lu;
    return status == CLSOLVE_OK;
}

static void lu_destroy(void *handle) {
    clsolve_lu_destroy(handle);
}

static double lu_run(problem *p, int c, double *device) {
    clsolve_matrix A = clsolve_host_f64(p->n, p->n, p->A), X = clsolve_host_f64(p->n, 1, p->X);
    clsolve_report report;
    memcpy(p->X, p->B, (size_t)p->n * sizeof *p->X);
    if (!context_of(p, c)) return vendor_lu(p->field->vendor, p->n, p->A, p->X, device);
    double start = bench_seconds();
    if (clsolve_lu_factor(p->handle[c], &A) != CLSOLVE_OK) return -1;
    if (clsolve_lu_solve(p->handle[c], CLSOLVE_NO_TRANS, &X) != CLSOLVE_OK) return -1;
    double seconds = bench_seconds() - start;
    if (clsolve_lu_report(p->handle[c], &report) != CLSOLVE_OK) return -1;
    *device = report.seconds.factor;
    return seconds;
}

static double lu_ratio(const problem *p) {
    return bench_ratio(p->n, 1, p->A, p->X, p->B);
}

static double lu_work(const problem *p) {
    double n = (double)p->n;
    return 2.0 / 3 * n * n * n;
}

/* ---- the inverse ---- */

static int inverse_make(problem *p) {
    if (!allocate(p, p->n * p->n, 1, p->n * p->n)) return 0;
    bench_random((uint64_t)p->n, p->A, p->n * p->n);
    return 1;
}

static int gj_create(problem *p, int c) {
    clsolve_gauss_jordan *gj = NULL;
    clsolve_status status = clsolve_gauss_jordan_create(context_of(p, c), p->n, CLSOLVE_F64, NULL, &gj);
    p->handle[c] = gj;
    return status == CLSOLVE_OK;
}

static void gj_destroy(void *handle) {
    clsolve_gauss_jordan_destroy(handle);
}

static double inverse_run(problem *p, int c, double *device) {
    clsolve_matrix A = clsolve_host_f64(p->n, p->n, p->A), X = clsolve_host_f64(p->n, p->n, p->X);
    clsolve_report report;
    if (!context_of(p, c)) return vendor_inverse(p->field->vendor, p->n, p->A, p->X, device);
    double start = bench_seconds();
    if (clsolve_gauss_jordan_invert(p->handle[c], &A, &X) != CLSOLVE_OK) return -1;
    double seconds = bench_seconds() - start;
    if (clsolve_gauss_jordan_report(p->handle[c], &report) != CLSOLVE_OK) return -1;
    *device = report.seconds.factor;
    return seconds;
}

static double inverse_ratio(const problem *p) {
    return bench_ratio_inverse(p->n, p->A, p->X);
}

static double inverse_work(const problem *p) {
    double n = (double)p->n;
    return 2 * n * n * n;
}

/* ---- many small inverses ---- */

static int batched_make(problem *p) {
    int64_t each = p->n * p->n;
    p->members = p->field->options->members;
    if (!allocate(p, each * p->members, 1, each * p->members)) return 0;
    bench_random((uint64_t)p->n, p->A, each * p->members);
    for (int64_t m = 0; m < p->members; ++m) /* well-conditioned, but the pivots are off the diagonal */
        for (int64_t i = 0; i < p->n; ++i) p->A[m * each + (i + 1) % p->n + i * p->n] += (double)p->n;
    return 1;
}

static double batched_run(problem *p, int c, double *device) {
    clsolve_batch A = {.type = CLSOLVE_F64,
                       .layout = CLSOLVE_COLUMN_MAJOR,
                       .count = p->members,
                       .rows = p->n,
                       .cols = p->n,
                       .ld = p->n,
                       .stride = p->n * p->n,
                       .data = p->A};
    clsolve_batch X = A;
    clsolve_report report;
    X.data = p->X;
    if (!context_of(p, c)) return vendor_batched(p->field->vendor, p->n, p->members, p->A, p->X, device);
    double start = bench_seconds();
    if (clsolve_gauss_jordan_invert_batch(p->handle[c], &A, &X, p->info) != CLSOLVE_OK) return -1;
    double seconds = bench_seconds() - start;
    if (clsolve_gauss_jordan_report(p->handle[c], &report) != CLSOLVE_OK || report.info != 0) return -1;
    *device = report.seconds.factor;
    return seconds;
}

/* Some of the members, spread over the batch; the largest ratio. */
static double batched_ratio(const problem *p) {
    double worst = 0;
    for (int64_t m = 0; m < p->members; m += 1 + p->members / 100) {
        double ratio = bench_ratio_inverse(p->n, p->A + m * p->n * p->n, p->X + m * p->n * p->n);
        if (!(ratio <= worst)) worst = ratio;
    }
    return worst;
}

static double batched_work(const problem *p) {
    return inverse_work(p) * (double)p->members;
}

/* ---- tridiagonal lines: n unknowns each, n / 2 of them ---- */

static int lines_make(problem *p) {
    p->members = p->n > 1 ? p->n / 2 : 1;
    int64_t all = p->n * p->members;
    if (!allocate(p, 3 * all, all, all)) return 0;
    double *a = p->A, *c = a + all, *b = c + all;
    bench_random((uint64_t)p->n, a, 3 * all);
    bench_random((uint64_t)p->n + 1, p->B, all);
    for (int64_t o = 0; o < all; ++o) {
        c[o] += 4;
        if (o % p->n == 0) a[o] = 0;
        if (o % p->n == p->n - 1) b[o] = 0;
    }
    return 1;
}

static int lines_create(problem *p, int c) {
    clsolve_block_tridiag *lines = NULL;
    int64_t all = p->n * p->members;
    clsolve_grid g[3];
    for (int q = 0; q < 3; ++q) g[q] = clsolve_grid_f64(p->members, p->n, p->A + q * all);
    clsolve_status status =
        clsolve_tridiagonal_create(context_of(p, c), p->members, p->n, CLSOLVE_F64, CLSOLVE_LINES_AUTO, &lines);
    p->handle[c] = lines;
    return status == CLSOLVE_OK && clsolve_tridiagonal_set(lines, &g[0], &g[1], &g[2]) == CLSOLVE_OK;
}

static void lines_destroy(void *handle) {
    clsolve_block_tridiag_destroy(handle);
}

static double lines_run(problem *p, int c, double *device) {
    clsolve_grid F = clsolve_grid_f64(p->members, p->n, p->X);
    clsolve_block_tridiag_result result;
    int64_t all = p->n * p->members;
    memcpy(p->X, p->B, (size_t)all * sizeof *p->X);
    if (!context_of(p, c))
        return vendor_lines(p->field->vendor, p->n, p->members, p->A, p->A + all, p->A + 2 * all, p->X, device);
    double start = bench_seconds();
    if (clsolve_tridiagonal_solve(p->handle[c], &F, 1) != CLSOLVE_OK) return -1;
    double seconds = bench_seconds() - start;
    if (clsolve_block_tridiag_result_get(p->handle[c], &result) != CLSOLVE_OK) return -1;
    *device = result.report.seconds.solve;
    return seconds;
}

/* The largest residual of an equation by the size of its terms, in units of eps. */
static double lines_ratio(const problem *p) {
    int64_t all = p->n * p->members;
    const double *a = p->A, *c = a + all, *b = c + all, *x = p->X;
    double worst = 0;
    for (int64_t o = 0; o < all; ++o) {
        double left = o % p->n > 0 ? a[o] * x[o - 1] : 0, right = o % p->n + 1 < p->n ? b[o] * x[o + 1] : 0;
        double size = fabs(left) + fabs(c[o] * x[o]) + fabs(right) + fabs(p->B[o]);
        double ratio = fabs(left + c[o] * x[o] + right - p->B[o]) / (size * DBL_EPSILON / 2);
        if (!(ratio <= worst)) worst = ratio;
    }
    return worst;
}

static double lines_work(const problem *p) {
    return 8.0 * (double)(p->n * p->members);
}

/* ---- one size ---- */

static const char *why(const problem *p, int c) {
    return context_of(p, c) ? clsolve_context_message(context_of(p, c)) : vendor_message();
}

static int verify(const family *f, problem *p, int c) {
    double device = 0, seconds = f->run(p, c, &device);
    double ratio = seconds < 0 ? (double)NAN : f->ratio(p);
    if (ratio < 30) return 1;
    fprintf(stderr, "clsolve-bench: %s, n = %lld, %s: wrong: ratio %g; %s\n", f->name, (long long)p->n,
            p->field->candidates[c].name, ratio, why(p, c));
    return 0;
}

/* Seconds of each candidate on the device and in all. */
typedef struct figures {
    double device[MOST_CANDIDATES], total[MOST_CANDIDATES];
} figures;

static int measure(const family *f, problem *p, figures *medians) {
    static double times[2][MOST_CANDIDATES][MOST];
    int repeat = p->field->options->repeat < MOST ? p->field->options->repeat : MOST;
    for (int c = 0; c < p->field->count; ++c) {
        if (!context_of(p, c) || f->create(p, c)) continue;
        fprintf(stderr, "clsolve-bench: %s, n = %lld, %s: %s\n", f->name, (long long)p->n, p->field->candidates[c].name,
                why(p, c));
        return 0;
    }
    for (int c = 0; c < p->field->count; ++c)
        if (!verify(f, p, c)) return 0;
    for (int r = 0; r < repeat; ++r)
        for (int c = 0; c < p->field->count; ++c)
            if ((times[1][c][r] = f->run(p, c, &times[0][c][r])) < 0) return 0;
    for (int c = 0; c < p->field->count; ++c) {
        medians->device[c] = bench_median(times[0][c], repeat);
        medians->total[c] = bench_median(times[1][c], repeat);
    }
    return 1;
}

static void print_row(const family *f, const problem *p, const figures *t) {
    int peer = p->field->vendor ? p->field->count - 1 : -1;
    printf("%8lld", (long long)p->n);
    for (int c = 0; c < p->field->count; ++c)
        printf(" | %11.6f %11.6f %9.1f", t->device[c], t->total[c], 1e-9 * f->work(p) / t->device[c]);
    if (peer > 0) printf(" | %8.2f", t->device[peer] / t->device[0]);
    printf("\n");
    fflush(stdout);
    for (int c = 0; c < p->field->count && p->field->csv; ++c)
        fprintf(p->field->csv, "%s,%lld,%lld,%s,%.9f,%.9f\n", f->name, (long long)p->n, (long long)p->members,
                context_of(p, c) ? p->field->candidates[c].name : f->vendor, t->device[c], t->total[c]);
}

static int row(const family *f, const field *all, int64_t n) {
    figures medians;
    problem p = {.field = all, .n = n, .members = 1};
    int made = f->make(&p);
    if (!made) fprintf(stderr, "clsolve-bench: out of host memory\n");
    int fine = made && measure(f, &p, &medians);
    if (fine) print_row(f, &p, &medians);
    for (int c = 0; c < all->count; ++c)
        if (p.handle[c]) f->destroy(p.handle[c]);
    free(p.A);
    free(p.B);
    free(p.X);
    free(p.info);
    return fine;
}

/* ---- the tables ---- */

static const family families[] = {
    {"lu", "cuSOLVER getrf + getrs", "dense LU: the factorization; and with one right-hand side, host to host", lu_make,
     lu_create, lu_destroy, lu_run, lu_ratio, lu_work},
    {"inverse", "cuSOLVER getrf + getrs(I)", "the inverse", inverse_make, gj_create, gj_destroy, inverse_run,
     inverse_ratio, inverse_work},
    {"batched", "cuBLAS matinv/getrf+getriBatched", "many small inverses, --members of them", batched_make, gj_create,
     gj_destroy, batched_run, batched_ratio, batched_work},
    {"lines", "cuSPARSE gtsv2StridedBatch", "n / 2 tridiagonal systems of n unknowns", lines_make, lines_create,
     lines_destroy, lines_run, lines_ratio, lines_work}};
enum { FAMILIES = sizeof families / sizeof *families, SIZES = 8 };

static const int64_t usual[FAMILIES][SIZES] = {{512, 1024, 2048, 4096, 8192, 16384},
                                               {512, 1024, 2048, 4096, 8192},
                                               {4, 8, 16, 24, 32, 48, 64},
                                               {128, 512, 1024, 2048, 4096}};

static int family_table(int k, const field *all) {
    const family *f = &families[k];
    const bench_options *o = all->options;
    printf("\n# %s; seconds on the device, host to host, and GFLOP/s on the device\n%8s", f->title, "n");
    for (int c = 0; c < all->count; ++c)
        printf(" | %33.33s", all->candidates[c].context ? all->candidates[c].name : f->vendor);
    printf("%s\n", all->vendor ? " | vendor's seconds by the first's" : "");
    for (int s = 0; o->count ? s < o->count : s < SIZES && usual[k][s]; ++s) {
        int64_t n = o->count ? o->sizes[s] : usual[k][s];
        if (strcmp(f->name, "batched") == 0 && n > CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST) continue;
        if (!row(f, all, n)) return 0;
    }
    return 1;
}

static int open_all(field *all, const bench_options *options) {
    int cuda = -1;
    all->options = options;
    int count = options->devices > 0 ? options->devices : 1;
    for (int d = 0; d < count; ++d) {
        char message[512];
        clsolve_context_options wanted = {.selector = options->devices > 0 ? options->device_list[d] : NULL,
                                          .message = message,
                                          .message_size = sizeof message};
        candidate *c = &all->candidates[all->count];
        if (clsolve_context_create_with(&wanted, &c->context) != CLSOLVE_OK) {
            fprintf(stderr, "clsolve-bench: %s\n", message);
            return 0;
        }
        clsolve_device_info info = clsolve_context_device(c->context);
        (void)snprintf(c->name, sizeof c->name, "%s", info.selector);
        if (strcmp(info.backend, "cuda") == 0 && cuda < 0) cuda = atoi(info.selector + strlen("cuda:"));
        printf("# %s: ", c->name);
        bench_print_device(stdout, c->context);
        all->count++;
    }
    /* Beside OpenCL alone NVIDIA's libraries compute on the first GPU. */
    all->vendor = vendor_open(cuda > 0 ? cuda : 0);
    if (all->vendor)
        (void)snprintf(all->candidates[all->count++].name, sizeof all->candidates->name, "vendor");
    else
        printf("# without NVIDIA's libraries: %s\n", vendor_message());
    return 1;
}

int bench_peers(const bench_options *options) {
    field all = {0};
    int code = open_all(&all, options) ? 0 : 6;
    if (code == 0 && options->csv && !(all.csv = fopen(options->csv, "w"))) {
        fprintf(stderr, "clsolve-bench: cannot write %s\n", options->csv);
        code = 2;
    }
    if (code == 0) printf("# double; medians of %d, by turns; each verified first\n", options->repeat);
    if (all.csv) fprintf(all.csv, "family,n,members,candidate,device,host_to_host\n");
    for (int k = 0; k < FAMILIES && code == 0; ++k) code = family_table(k, &all) ? 0 : 1;
    if (all.csv && fclose(all.csv) != 0) code = 1;
    vendor_close(all.vendor);
    for (int c = 0; c < all.count; ++c) clsolve_context_destroy(all.candidates[c].context);
    return code;
}
