/* tune_measure.c: rates of updates, by the wall clock over several calls in a row, as a factorization sees them. */
#include "blas/tune_measure.h"

#include <string.h>

#include "base/clock.h"
#include "base/memory.h"

enum { LARGEST_GPU = 4096, LARGEST_CPU = 1024, SMALLEST = 128, LD_EXTRA = 24, PIECE = 1 << 16 };

/* Uniform in [-1, 1): powers of two for a modulus suffice here (D. Knuth, The Art of Computer Programming 2, 3.2.1). */
static double next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*state >> 11) / 4503599627370496.0 - 1.0;
}

static clsolve_status fill_buffer(const cls_bench *bench, cls_buffer *buffer, size_t bytes, void *piece) {
    const cls_device_ops *ops = bench->device->ops;
    const size_t most = PIECE * (size_t)cls_type_size(bench->type);
    for (size_t at = 0; at < bytes; at += most) {
        const size_t part = bytes - at < most ? bytes - at : most;
        const cls_rect rect = {part, 1, at, part, part};
        CLS_TRY(ops->write(bench->device, CLS_COMPUTE, buffer, piece, &rect, NULL, NULL));
    }
    return ops->finish(bench->device, CLS_COMPUTE);
}

static clsolve_status fill_all(const cls_bench *bench, size_t bytes) {
    uint64_t state = 20;
    clsolve_status status = CLSOLVE_OK;
    double *piece = cls_alloc(PIECE, sizeof *piece);
    if (!piece) return cls_fail(bench->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for random numbers");
    for (int64_t i = 0; i < PIECE; i++) {
        double x = next_random(&state);
        if (bench->type == CLSOLVE_F64)
            piece[i] = x;
        else
            ((float *)piece)[i] = (float)x;
    }
    for (int b = 0; b < 3 && status == CLSOLVE_OK; b++) status = fill_buffer(bench, bench->buffer[b], bytes, piece);
    cls_free(piece);
    return status;
}

clsolve_status cls_bench_create(cls_device *device, clsolve_type type, cls_bench *bench) {
    const clsolve_device_info *info = &device->info;
    const int64_t size = cls_type_size(type);
    int64_t n = info->type == CLSOLVE_DEVICE_CPU ? LARGEST_CPU : LARGEST_GPU;
    clsolve_status status = CLSOLVE_OK;
    while (n > SMALLEST && (n * (n + LD_EXTRA) * size > info->max_allocation ||
                            3 * n * (n + LD_EXTRA) * size > info->global_memory / 4))
        n /= 2;
    memset(bench, 0, sizeof *bench);
    bench->device = device;
    bench->type = type;
    bench->n = n;
    bench->ld = n + LD_EXTRA; /* no power of two: columns would fall on the same lines of caches */
    const size_t bytes = (size_t)(n * bench->ld * size);
    for (int b = 0; b < 3; b++)
        CLS_TRY_GOTO(status, device->ops->buffer_create(device, bytes, &bench->buffer[b]), failed);
    CLS_TRY_GOTO(status, fill_all(bench, bytes), failed);
    return CLSOLVE_OK;
failed:
    cls_bench_destroy(bench);
    return status;
}

void cls_bench_destroy(cls_bench *bench) {
    if (!bench->device) return;
    (void)bench->device->ops->finish(bench->device, CLS_COMPUTE);
    for (int b = 0; b < 3; b++) bench->device->ops->buffer_destroy(bench->device, bench->buffer[b]);
    memset(bench, 0, sizeof *bench);
}

/* ---- rates ---- */

cls_product cls_bench_update(const cls_bench *bench, clsolve_op op_a, clsolve_op op_b, int shape) {
    const cls_record_shape *s = &cls_record_shapes[shape];
    cls_product p = {CLS_BLAS_DEFAULT,
                     bench->type,
                     op_a,
                     op_b,
                     bench->n,
                     s->columns ? s->columns : bench->n,
                     s->k < bench->n ? s->k : bench->n,
                     -1.0,
                     1.0,
                     {bench->buffer[0], 0, bench->ld},
                     {bench->buffer[1], 0, bench->ld},
                     {bench->buffer[2], 0, bench->ld},
                     0};
    return p;
}

/* `count` calls and the wait for them. */
static clsolve_status run(const cls_bench *bench, const cls_contender *by, const cls_product *p, int count,
                          double *seconds) {
    cls_device *device = bench->device;
    const double start = cls_seconds();
    for (int i = 0; i < count; i++) {
        if (by->kernel)
            CLS_TRY(cls_builtin_tiled_launch(device, by->kernel, by->tile, p));
        else
            CLS_TRY(device->blas->rival->gemm(device, p));
    }
    CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
    *seconds = cls_seconds() - start;
    return CLSOLVE_OK;
}

clsolve_status cls_bench_rate(const cls_bench *bench, const cls_contender *by, const cls_product *p, double *gflops) {
    const double wanted = 0.02;
    enum { ROUNDS = 2, MOST = 100 };
    double one, best = 0;
    CLS_TRY(run(bench, by, p, 1, &one));
    CLS_TRY(run(bench, by, p, 1, &one));
    const int count = one * MOST < wanted ? MOST : one < wanted ? (int)(wanted / one) + 1 : 1;
    for (int round = 0; round < ROUNDS; round++) {
        double seconds;
        CLS_TRY(run(bench, by, p, count, &seconds));
        if (round == 0 || seconds < best) best = seconds;
    }
    *gflops = best > 0 ? 2e-9 * (double)p->m * (double)p->n * (double)p->k * count / best : 0;
    return CLSOLVE_OK;
}

clsolve_status cls_bench_fit(cls_bench *bench, double *seconds) {
    const cls_contender rival = {NULL, NULL};
    const double most = 0.05;
    enum { RANK_128 = 2 };
    cls_product p = cls_bench_update(bench, CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, RANK_128);
    p.n = p.m = p.m < 256 ? p.m : 256;
    double one;
    CLS_TRY(run(bench, &rival, &p, 1, seconds));
    for (;; bench->n /= 2) {
        p = cls_bench_update(bench, CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, RANK_128);
        CLS_TRY(run(bench, &rival, &p, 1, &one)); /* a larger product may be another kernel of the rival's */
        if (one > most) CLS_TRY(run(bench, &rival, &p, 1, &one));
        if (one <= most || bench->n <= SMALLEST) return CLSOLVE_OK;
    }
}
