/*
 * peers_sparse.c: the other families of bench_peers: tridiagonal lines, bands, and a block-tridiagonal system to a residual. NVIDIA's
 * libraries have the first of them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "peers.h"

/* ---- tridiagonal lines: n unknowns each, n / 2 of them ---- */

static int lines_make(problem *p) {
    p->members = p->n > 1 ? p->n / 2 : 1;
    int64_t all = p->n * p->members;
    if (!peers_allocate(p, 3 * all, all, all)) return 0;
    bench_random_of(p->type, (uint64_t)p->n, p->A, 3 * all);
    bench_random_of(p->type, (uint64_t)p->n + 1, p->B, all);
    for (int64_t o = 0; o < all; ++o) {
        bench_put(p->type, p->A, all + o, bench_get(p->type, p->A, all + o) + 4);
        if (o % p->n == 0) bench_put(p->type, p->A, o, 0);
        if (o % p->n == p->n - 1) bench_put(p->type, p->A, 2 * all + o, 0);
    }
    return 1;
}

static int lines_create(problem *p, int c) {
    clsolve_tridiagonal_batch *lines = NULL;
    int64_t all = p->n * p->members;
    clsolve_batch v[3];
    clsolve_report report;
    for (int q = 0; q < 3; ++q) v[q] = bench_batch(p->type, p->members, p->n, 1, bench_at(p->type, p->A, q * all));
    const clsolve_tridiagonal_batch_options options = {.where = CLSOLVE_WHERE_DEVICE};
    clsolve_status status =
        clsolve_tridiagonal_batch_create(peers_context(p, c), p->n, p->members, p->type, &options, &lines);
    p->handle[c] = lines;
    int64_t *info = malloc((size_t)p->members * sizeof *info);
    int made = info && status == CLSOLVE_OK &&
               clsolve_tridiagonal_batch_factor(lines, &v[0], &v[1], &v[2], info) == CLSOLVE_OK &&
               clsolve_tridiagonal_batch_report(lines, &report) == CLSOLVE_OK && report.info == 0;
    free(info);
    return made;
}

static void lines_destroy(void *handle) {
    clsolve_tridiagonal_batch_destroy(handle);
}

static double lines_run(problem *p, int c, double *device) {
    clsolve_batch B = bench_batch(p->type, p->members, p->n, 1, p->X);
    clsolve_report result;
    int64_t all = p->n * p->members;
    memcpy(p->X, p->B, (size_t)(all * cls_type_size(p->type)));
    if (!peers_context(p, c))
        return vendor_lines(p->field->vendor, p->type, p->n, p->members, p->A, bench_at(p->type, p->A, all),
                            bench_at(p->type, p->A, 2 * all), p->X, device);
    int64_t *info = malloc((size_t)p->members * sizeof *info);
    if (!info) return -1;
    double start = bench_seconds();
    clsolve_status status = clsolve_tridiagonal_batch_solve(p->handle[c], CLSOLVE_NO_TRANS, &B, info);
    double seconds = bench_seconds() - start;
    free(info);
    if (status != CLSOLVE_OK) return -1;
    if (clsolve_tridiagonal_batch_report(p->handle[c], &result) != CLSOLVE_OK || result.info != 0) return -1;
    *device = result.seconds.solve;
    return seconds;
}

/* The largest residual of an equation by the size of its terms, in units of eps. */
static double lines_ratio(const problem *p) {
    const int64_t all = p->n * p->members;
    const clsolve_type t = p->type;
    double worst = 0;
    for (int64_t o = 0; o < all; ++o) {
        double _Complex left = 0, right = 0, middle = bench_get(t, p->A, all + o) * bench_get(t, p->X, o);
        const double _Complex f = bench_get(t, p->B, o);
        if (o % p->n > 0) left = bench_get(t, p->A, o) * bench_get(t, p->X, o - 1);
        if (o % p->n + 1 < p->n) right = bench_get(t, p->A, 2 * all + o) * bench_get(t, p->X, o + 1);
        const double size = cabs(left) + cabs(middle) + cabs(right) + cabs(f);
        const double ratio = cabs(left + middle + right - f) / (size * cls_type_epsilon(t) / 2);
        if (!(ratio <= worst)) worst = ratio;
    }
    return worst;
}

static double lines_work(const problem *p) {
    return 8.0 * bench_operations(p->type) * (double)(p->n * p->members);
}

const family peers_lines = {"lines",
                            "cuSPARSE gtsv2StridedBatch",
                            "n / 2 tridiagonal systems of n unknowns",
                            "GFLOP/s",
                            {128, 512, 1024, 2048, 4096},
                            lines_make,
                            lines_create,
                            lines_destroy,
                            lines_run,
                            lines_ratio,
                            lines_work,
                            PEERS_ALL};

/* ---- a band: n unknowns, kl = ku = the first of -k, or n / 50; its pivots are off the diagonal ---- */

static int64_t rows_of(const problem *p) {
    return 2 * p->half + 1;
}

static int band_make(problem *p) {
    const bench_options *o = p->field->options;
    p->half = o->half_count ? o->halves[0] : p->n >= 50 ? p->n / 50 : 1;
    if (p->half >= p->n) p->half = p->n - 1;
    if (!peers_allocate(p, p->n * rows_of(p), p->n, p->n)) return 0;
    bench_random_of(p->type, (uint64_t)p->n, p->A, p->n * rows_of(p));
    bench_random_of(p->type, (uint64_t)p->n + 1, p->B, p->n);
    return 1;
}

static int band_create(problem *p, int c) {
    clsolve_band *band = NULL;
    const clsolve_band_options options = {.where = CLSOLVE_WHERE_DEVICE};
    clsolve_status status = clsolve_band_create(peers_context(p, c), p->n, p->half, p->half, p->type, &options, &band);
    p->handle[c] = band;
    return status == CLSOLVE_OK;
}

static void band_destroy(void *handle) {
    clsolve_band_destroy(handle);
}

static double band_run(problem *p, int c, double *device) {
    clsolve_matrix AB = bench_matrix(p->type, rows_of(p), p->n, p->A), X = bench_matrix(p->type, p->n, 1, p->X);
    clsolve_report report;
    memcpy(p->X, p->B, (size_t)(p->n * cls_type_size(p->type)));
    double start = bench_seconds();
    if (clsolve_band_factor(p->handle[c], &AB) != CLSOLVE_OK) return -1;
    if (clsolve_band_solve(p->handle[c], CLSOLVE_NO_TRANS, &X) != CLSOLVE_OK) return -1;
    double seconds = bench_seconds() - start;
    if (clsolve_band_report(p->handle[c], &report) != CLSOLVE_OK) return -1;
    *device = report.seconds.factor;
    return seconds;
}

static double band_ratio(const problem *p) {
    return bench_ratio_band(p->type, p->n, p->half, p->A, p->X, p->B);
}

static double band_work(const problem *p) {
    return 4.0 * bench_operations(p->type) * (double)p->n * (double)p->half * (double)p->half;
}

const family peers_band = {"band",
                           NULL,
                           "LU of a band of kl = ku = the first of -k, else n / 50: the factorization; and with one "
                           "right-hand side, host to host",
                           "GFLOP/s",
                           {10000, 20000},
                           band_make,
                           band_create,
                           band_destroy,
                           band_run,
                           band_ratio,
                           band_work,
                           PEERS_ALL};

/*
 * ---- n lines of n points: a Poisson equation, changed at its borders so that the solution is 1; of complex numbers one
 * with losses ----
 */

static int block_gs_make(problem *p) {
    const double _Complex losses = cls_is_complex(p->type) ? 0.01 * I : 0;
    int64_t n = p->n, all = n * n;
    if (!peers_allocate(p, 5 * all, all, all)) return 0;
    for (int64_t o = 0; o < all; ++o) {
        int64_t i = o / n, k = o % n;
        double row[5] = {i > 0 ? -1 : 0, k > 0 ? -1 : 0, 4, k + 1 < n ? -1 : 0, i + 1 < n ? -1 : 0};
        row[2] += (k == 0) + (k + 1 == n) - (i == 0) - (i + 1 == n);
        for (int q = 0; q < 5; ++q) bench_put(p->type, p->A, q * all + o, row[q] + (q == 2 ? losses : 0));
        bench_put(p->type, p->B, o, row[0] + row[1] + row[2] + row[3] + row[4] + losses);
    }
    return 1;
}

static clsolve_grid grid_of(const problem *p, void *data) {
    clsolve_grid g = clsolve_grid_c64(p->n, p->n, data);
    g.type = p->type;
    return g;
}

static int block_gs_create(problem *p, int c) {
    const clsolve_block_gs_options options = {.zero_guess = 1};
    clsolve_block_gs *handle = NULL;
    clsolve_grid g[5];
    for (int q = 0; q < 5; ++q) g[q] = grid_of(p, bench_at(p->type, p->A, q * p->n * p->n));
    clsolve_status status = clsolve_block_gs_create(peers_context(p, c), p->n, p->n, p->type, &options, &handle);
    p->handle[c] = handle;
    return status == CLSOLVE_OK && clsolve_block_gs_factor(handle, &g[0], &g[1], &g[2], &g[3], &g[4]) == CLSOLVE_OK;
}

static void block_gs_destroy(void *handle) {
    clsolve_block_gs_destroy(handle);
}

static double block_gs_run(problem *p, int c, double *device) {
    clsolve_grid F = grid_of(p, p->B), Y = grid_of(p, p->X);
    clsolve_report result;
    memset(p->X, 0, (size_t)(p->n * p->n * cls_type_size(p->type))); /* who writes nothing has no answer */
    double start = bench_seconds();
    if (clsolve_block_gs_solve(p->handle[c], &F, &Y, 1) != CLSOLVE_OK) return -1;
    double seconds = bench_seconds() - start;
    if (clsolve_block_gs_report(p->handle[c], &result) != CLSOLVE_OK) return -1;
    *device = result.seconds.solve;
    return seconds;
}

/* The relative residual by a tenth of what it was to come to. */
static double block_gs_ratio(const problem *p) {
    const clsolve_type t = p->type;
    const int64_t n = p->n, all = n * n, steps[5] = {-n, -1, 0, 1, n};
    double off = 0, size = 0;
    for (int64_t o = 0; o < all; ++o) {
        const double _Complex b = bench_get(t, p->B, o);
        double _Complex r = b;
        for (int q = 0; q < 5; ++q) { /* a coefficient of a point outside the grid is 0 */
            const int64_t other = o + steps[q];
            if (other >= 0 && other < all) r -= bench_get(t, p->A, q * all + o) * bench_get(t, p->X, other);
        }
        off += creal(r * conj(r));
        size += creal(b * conj(b));
    }
    return sqrt(off / size) / 1e-11;
}

static double block_gs_work(const problem *p) {
    return (double)p->n * (double)p->n;
}

const family peers_block_gs = {"block-gs",
                               NULL,
                               "n lines of n points to a relative residual of 1e-10 by the method of `auto`: the "
                               "solve, set up before; and host to host",
                               "Gunknowns/s",
                               {256, 1023},
                               block_gs_make,
                               block_gs_create,
                               block_gs_destroy,
                               block_gs_run,
                               block_gs_ratio,
                               block_gs_work,
                               PEERS_WIDE};
