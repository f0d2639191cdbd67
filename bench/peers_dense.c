/* peers_dense.c: the dense families of bench_peers: the data, a handle, one run, and how good the answer is. */
#include <stdlib.h>
#include <string.h>

#include "peers.h"

clsolve_context *peers_context(const problem *p, int c) {
    return p->field->candidates[c].context;
}

/* Pinned memory is that of the first device's context. */
static void *array_of(problem *p, int64_t count) {
    void *memory = NULL;
    size_t bytes = (size_t)(count * cls_type_size(p->type));
    if (!p->field->options->pinned) return malloc(bytes);
    return clsolve_host_alloc(peers_context(p, 0), bytes, &memory) == CLSOLVE_OK ? memory : NULL;
}

void peers_free_array(problem *p, void *array) {
    if (p->field->options->pinned)
        clsolve_host_free(peers_context(p, 0), array);
    else
        free(array);
}

int peers_allocate(problem *p, int64_t a, int64_t b, int64_t x) {
    p->A = array_of(p, a);
    p->B = array_of(p, b);
    p->X = array_of(p, x);
    p->info = malloc((size_t)p->members * sizeof *p->info);
    return p->A && p->B && p->X && p->info;
}

/* ---- dense LU ---- */

static int lu_make(problem *p) {
    if (!peers_allocate(p, p->n * p->n, p->n, p->n)) return 0;
    bench_random_of(p->type, (uint64_t)p->n, p->A, p->n * p->n);
    bench_random_of(p->type, (uint64_t)p->n + 1, p->B, p->n);
    return 1;
}

/* All of the library's are of the device, never of the host. */
static int create_with(problem *p, int c, const clsolve_lu_options *options) {
    clsolve_lu_options taken = *options;
    clsolve_lu *lu = NULL;
    taken.where = CLSOLVE_WHERE_DEVICE;
    clsolve_status status = clsolve_lu_create(peers_context(p, c), p->n, p->type, &taken, &lu);
    p->handle[c] = lu;
    return status == CLSOLVE_OK;
}

static int lu_create(problem *p, int c) {
    const clsolve_lu_options options = {.precision = CLSOLVE_PRECISION_WORKING};
    return create_with(p, c, &options);
}

static int mixed_create(problem *p, int c) {
    const clsolve_lu_options options = {.precision = CLSOLVE_PRECISION_MIXED};
    return create_with(p, c, &options);
}

static int rbt_create(problem *p, int c) {
    const clsolve_lu_options options = {.pivoting = CLSOLVE_PIVOTING_RBT};
    return create_with(p, c, &options);
}

static void lu_destroy(void *handle) {
    clsolve_lu_destroy(handle);
}

/* *device: of the factorization, or of the solve too. */
static double run_lu(problem *p, int c, int both, double *device) {
    clsolve_matrix A = bench_matrix(p->type, p->n, p->n, p->A), X = bench_matrix(p->type, p->n, 1, p->X);
    clsolve_report report;
    memcpy(p->X, p->B, (size_t)(p->n * cls_type_size(p->type)));
    if (!peers_context(p, c)) return vendor_lu(p->field->vendor, p->type, p->n, p->A, p->X, both, device);
    double start = bench_seconds();
    if (clsolve_lu_factor(p->handle[c], &A) != CLSOLVE_OK) return -1;
    if (clsolve_lu_solve(p->handle[c], CLSOLVE_NO_TRANS, &X) != CLSOLVE_OK) return -1;
    double seconds = bench_seconds() - start;
    if (clsolve_lu_report(p->handle[c], &report) != CLSOLVE_OK || report.direct.fallback ||
        report.direct.pivoting_fallback)
        return -1;
    *device = report.seconds.factor + (both ? report.seconds.solve : 0);
    return seconds;
}

static double lu_run(problem *p, int c, double *device) {
    return run_lu(p, c, 0, device);
}

static double solve_run(problem *p, int c, double *device) {
    return run_lu(p, c, 1, device);
}

static double lu_ratio(const problem *p) {
    return bench_ratio(p->type, p->n, 1, p->A, p->X, p->B);
}

static double lu_work(const problem *p) {
    double n = (double)p->n;
    return 2.0 / 3 * bench_operations(p->type) * n * n * n;
}

/* ---- the inverse ---- */

static int inverse_make(problem *p) {
    if (!peers_allocate(p, p->n * p->n, 1, p->n * p->n)) return 0;
    bench_random_of(p->type, (uint64_t)p->n, p->A, p->n * p->n);
    return 1;
}

static int gj_create(problem *p, int c) {
    clsolve_gauss_jordan *gj = NULL;
    const clsolve_gauss_jordan_options options = {.where = CLSOLVE_WHERE_DEVICE};
    clsolve_status status = clsolve_gauss_jordan_create(peers_context(p, c), p->n, p->type, &options, &gj);
    p->handle[c] = gj;
    return status == CLSOLVE_OK;
}

static void gj_destroy(void *handle) {
    clsolve_gauss_jordan_destroy(handle);
}

static double inverse_run(problem *p, int c, double *device) {
    clsolve_matrix A = bench_matrix(p->type, p->n, p->n, p->A), X = bench_matrix(p->type, p->n, p->n, p->X);
    clsolve_report report;
    memset(p->X, 0xff, (size_t)(p->n * p->n * cls_type_size(p->type))); /* NaN: who writes nothing has no answer */
    if (!peers_context(p, c)) return vendor_inverse(p->field->vendor, p->type, p->n, p->A, p->X, device);
    double start = bench_seconds();
    if (clsolve_gauss_jordan_invert(p->handle[c], &A, &X) != CLSOLVE_OK) return -1;
    double seconds = bench_seconds() - start;
    if (clsolve_gauss_jordan_report(p->handle[c], &report) != CLSOLVE_OK) return -1;
    *device = report.seconds.factor;
    return seconds;
}

static double inverse_ratio(const problem *p) {
    return bench_ratio_inverse(p->type, p->n, p->A, p->X);
}

static double inverse_work(const problem *p) {
    double n = (double)p->n;
    return 2 * bench_operations(p->type) * n * n * n;
}

/* ---- many small inverses ---- */

static int batched_make(problem *p) {
    int64_t each = p->n * p->n;
    p->members = p->field->options->members;
    if (!peers_allocate(p, each * p->members, 1, each * p->members)) return 0;
    bench_random_of(p->type, (uint64_t)p->n, p->A, each * p->members);
    for (int64_t m = 0; m < p->members; ++m) bench_strengthen(p->type, p->n, bench_at(p->type, p->A, m * each));
    return 1;
}

static int batched_create(problem *p, int c) {
    clsolve_gauss_jordan_batch *batch = NULL;
    const clsolve_gauss_jordan_batch_options options = {.where = CLSOLVE_WHERE_DEVICE};
    clsolve_status status =
        clsolve_gauss_jordan_batch_create(peers_context(p, c), p->n, p->members, p->type, &options, &batch);
    p->handle[c] = batch;
    return status == CLSOLVE_OK;
}

static void batched_destroy(void *handle) {
    clsolve_gauss_jordan_batch_destroy(handle);
}

static double batched_run(problem *p, int c, double *device) {
    clsolve_batch A = bench_batch(p->type, p->members, p->n, p->n, p->A);
    clsolve_batch X = bench_batch(p->type, p->members, p->n, p->n, p->X);
    clsolve_report report;
    memset(p->X, 0xff, (size_t)(p->n * p->n * p->members * cls_type_size(p->type))); /* likewise */
    if (!peers_context(p, c)) return vendor_batched(p->field->vendor, p->type, p->n, p->members, p->A, p->X, device);
    double start = bench_seconds();
    if (clsolve_gauss_jordan_batch_invert(p->handle[c], &A, &X, p->info) != CLSOLVE_OK) return -1;
    double seconds = bench_seconds() - start;
    if (clsolve_gauss_jordan_batch_report(p->handle[c], &report) != CLSOLVE_OK || report.info != 0) return -1;
    *device = report.seconds.factor;
    return seconds;
}

/* Some of the members, spread over the batch; the largest ratio. */
static double batched_ratio(const problem *p) {
    double worst = 0;
    for (int64_t m = 0; m < p->members; m += 1 + p->members / 100) {
        const int64_t at = m * p->n * p->n;
        double ratio = bench_ratio_inverse(p->type, p->n, bench_at(p->type, p->A, at), bench_at(p->type, p->X, at));
        if (!(ratio <= worst)) worst = ratio;
    }
    return worst;
}

static double batched_work(const problem *p) {
    return inverse_work(p) * (double)p->members;
}

const family peers_lu = {"lu",
                         "cuSOLVER getrf + getrs",
                         "dense LU: the factorization; and with one right-hand side, host to host",
                         "GFLOP/s",
                         {512, 1024, 2048, 4096, 8192, 16384},
                         lu_make,
                         lu_create,
                         lu_destroy,
                         lu_run,
                         lu_ratio,
                         lu_work,
                         PEERS_ALL};
const family peers_mixed = {"mixed",
                            "cuSOLVER getrf + getrs",
                            "one system: factors in float, refined to double (NVIDIA's in double), factor and solve",
                            "GFLOP/s",
                            {1024, 4096, 16384},
                            lu_make,
                            mixed_create,
                            lu_destroy,
                            solve_run,
                            lu_ratio,
                            lu_work,
                            PEERS_WIDE};
const family peers_rbt = {"rbt",
                          "cuSOLVER getrf + getrs",
                          "one system: butterflies instead of pivots, refined (NVIDIA's with pivots), factor and solve",
                          "GFLOP/s",
                          {1024, 4096, 16384},
                          lu_make,
                          rbt_create,
                          lu_destroy,
                          solve_run,
                          lu_ratio,
                          lu_work,
                          PEERS_REAL};
const family peers_inverse = {"inverse",
                              "cuSOLVER getrf + getrs(I)",
                              "the inverse",
                              "GFLOP/s",
                              {512, 1024, 2048, 4096, 8192},
                              inverse_make,
                              gj_create,
                              gj_destroy,
                              inverse_run,
                              inverse_ratio,
                              inverse_work,
                              PEERS_ALL};
const family peers_batched = {"batched",
                              "cuBLAS matinv/getrf+getriBatched",
                              "many small inverses, --members of them",
                              "GFLOP/s",
                              {4, 8, 16, 24, 32, 48, 64},
                              batched_make,
                              batched_create,
                              batched_destroy,
                              batched_run,
                              batched_ratio,
                              batched_work,
                              PEERS_ALL};
