/*
 * own_gemm.c: the product by a matrix unit. Two tiles: the large one reads its operands less often, the small one gives
 * work to all compute units when C is small.
 */
#include "device/own.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* As cl/gemm_mma.cl has them: the tile of a work-group and the part of a warp of 32 work-items. */
static const struct tile {
    int bm, bn, wm, wn, stages;
} tiles[CLS_MMA_TILES] = {{64, 64, 32, 32, 4}, {128, 64, 64, 32, 4}};

typedef struct product {
    clsolve_op op_a, op_b;
    int64_t m, n, k;
    double alpha, beta;
    cls_ref A, B, C;
} product;

int cls_own_gemm_suits(const cls_device *device, clsolve_type type) {
    return type == CLSOLVE_F64 && device->matrix_unit >= 80 && !(device->own && device->own->mma_fails);
}

static int64_t groups_of(cls_mma_tile tile, const product *p) {
    return (p->m + tiles[tile].bm - 1) / tiles[tile].bm * ((p->n + tiles[tile].bn - 1) / tiles[tile].bn);
}

static clsolve_status launch(cls_device *device, cls_kernel *kernel, cls_mma_tile tile, const product *p) {
    size_t items = (size_t)(tiles[tile].bm / tiles[tile].wm * (tiles[tile].bn / tiles[tile].wn) * 32);
    int64_t groups = groups_of(tile, p);
    if (device->blas_groups > 0 && device->blas_groups < groups) groups = device->blas_groups;
    cls_grid grid = {{(size_t)groups * items, 1, 1}, {items, 1, 1}};
    cls_arg args[] = {CLS_VALUE(p->m),         CLS_VALUE(p->n),        CLS_VALUE(p->k),    CLS_VALUE(p->alpha),
                      CLS_BUFFER(p->A.buffer), CLS_VALUE(p->A.offset), CLS_VALUE(p->A.ld), CLS_BUFFER(p->B.buffer),
                      CLS_VALUE(p->B.offset),  CLS_VALUE(p->B.ld),     CLS_VALUE(p->beta), CLS_BUFFER(p->C.buffer),
                      CLS_VALUE(p->C.offset),  CLS_VALUE(p->C.ld)};
    return device->ops->launch(device, device->blas_queue, kernel, &grid, args, 14, NULL, NULL);
}

/* ---- the self-test ---- */

/* Whole numbers: the product is exact in any order. More than a tile each way, and no multiple of one. */
enum { TEST_M = 131, TEST_N = 67, TEST_K = 21, TEST_LD = 132, TEST_SIZE = TEST_LD * TEST_M };

static double test_value(int64_t i, int64_t j) {
    return (double)((7 * i + 11 * j + i * j) % 17 - 8);
}

static int is_right(const double *C) {
    for (int64_t j = 0; j < TEST_N; j++)
        for (int64_t i = 0; i < TEST_LD; i++) {
            double expected = test_value(i, j);
            for (int64_t l = 0; l < TEST_K && i < TEST_M; l++) expected -= test_value(i, l) * test_value(l, j);
            if (!(C[i + j * TEST_LD] == expected)) return 0;
        }
    return 1;
}

/* Column-major with TEST_LD, `trans`: transposed. */
static void fill(double *to, int trans) {
    for (int64_t j = 0; j < TEST_M; j++)
        for (int64_t i = 0; i < TEST_LD; i++) to[i + j * TEST_LD] = trans ? test_value(j, i) : test_value(i, j);
}

static clsolve_status try_product(cls_device *device, cls_kernel *kernel, cls_mma_tile tile, clsolve_op op_a,
                                  clsolve_op op_b, double *host, int *right) {
    const cls_device_ops *ops = device->ops;
    const size_t bytes = TEST_SIZE * sizeof *host;
    cls_rect rect = {bytes, 1, 0, bytes, bytes};
    cls_buffer *buffer[3] = {NULL, NULL, NULL};
    int trans[3] = {op_a == CLSOLVE_TRANS, op_b == CLSOLVE_TRANS, 0};
    clsolve_status status = CLSOLVE_OK;

    for (int b = 0; b < 3; b++) {
        CLS_TRY_GOTO(status, ops->buffer_create(device, bytes, &buffer[b]), end);
        fill(host, trans[b]);
        CLS_TRY_GOTO(status, ops->write(device, CLS_COMPUTE, buffer[b], host, &rect, NULL, NULL), end);
        CLS_TRY_GOTO(status, ops->finish(device, CLS_COMPUTE), end);
    }
    product p = {op_a,
                 op_b,
                 TEST_M,
                 TEST_N,
                 TEST_K,
                 -1.0,
                 1.0,
                 {buffer[0], 0, TEST_LD},
                 {buffer[1], 0, TEST_LD},
                 {buffer[2], 0, TEST_LD}};
    CLS_TRY_GOTO(status, launch(device, kernel, tile, &p), end);
    CLS_TRY_GOTO(status, ops->read(device, CLS_COMPUTE, buffer[2], host, &rect, NULL, NULL), end);
    CLS_TRY_GOTO(status, ops->finish(device, CLS_COMPUTE), end);
    *right = is_right(host);
end:
    for (int b = 0; b < 3; b++) ops->buffer_destroy(device, buffer[b]);
    return status;
}

/* The outcome is kept with the compiled programs. What the test moves is not counted: it is no caller's. */
static clsolve_status test(cls_device *device, cls_kernel *kernel, cls_mma_tile tile, clsolve_op op_a, clsolve_op op_b,
                           int walk, const char *options) {
    enum { RIGHT = 1, WRONG = 2 };
    int known = device->ops->recall(device, options);
    if (known == 0) {
        cls_counters before = device->counters;
        double *host = cls_alloc(TEST_SIZE, sizeof *host);
        int right = 0;
        if (!host) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory to test a kernel with");
        const cls_queue queue = device->blas_queue;
        const int64_t groups = device->blas_groups;
        device->blas_queue = CLS_COMPUTE;
        device->blas_groups = walk;
        clsolve_status status = try_product(device, kernel, tile, op_a, op_b, host, &right);
        device->blas_queue = queue;
        device->blas_groups = groups;
        cls_free(host);
        device->counters = before;
        CLS_TRY(status);
        known = right ? RIGHT : WRONG;
        device->ops->remember(device, options, known);
    }
    device->own->mma_fails |= known != RIGHT;
    return CLSOLVE_OK;
}

/* ---- the product ---- */

static clsolve_status prepare(cls_device *device, cls_kernel **slot, cls_mma_tile tile, clsolve_op op_a,
                              clsolve_op op_b, int vector, int walk) {
    const struct tile *t = &tiles[tile];
    char options[160];
    cls_kernel *kernel = NULL;
    (void)snprintf(
        options, sizeof options,
        "-DCLS_UNIT=%d -DBM=%d -DBN=%d -DWM=%d -DWN=%d -DSTAGES=%d -DTRANS_A=%d -DTRANS_B=%d -DVECTOR=%d -DWALK=%d",
        device->matrix_unit, t->bm, t->bn, t->wm, t->wn, t->stages, op_a == CLSOLVE_TRANS, op_b == CLSOLVE_TRANS,
        vector, walk);
    CLS_TRY(cls_own_kernel(device, &kernel, "gemm_mma", "gemm_mma", CLSOLVE_F64, options));
    clsolve_status status = test(device, kernel, tile, op_a, op_b, walk, options);
    if (status == CLSOLVE_OK && !device->own->mma_fails)
        *slot = kernel;
    else
        device->ops->kernel_destroy(device, kernel);
    return status;
}

clsolve_status cls_own_gemm(cls_device *device, clsolve_op op_a, clsolve_op op_b, int64_t m, int64_t n, int64_t k,
                            double alpha, cls_ref A, cls_ref B, double beta, cls_ref C, int *right) {
    product p = {op_a, op_b, m, n, k, alpha, beta, A, B, C};
    cls_own *own;

    *right = 1;
    if (m == 0 || n == 0) return CLSOLVE_OK;
    if (k == 0 || alpha == 0) return cls_own_scale(device, CLSOLVE_F64, m, n, beta, C);
    CLS_TRY(cls_own_get(device, &own));
    cls_mma_tile tile = groups_of(CLS_MMA_LARGE, &p) >= device->info.compute_units ? CLS_MMA_LARGE : CLS_MMA_SMALL;
    int pairs = (A.offset | A.ld | B.offset | B.ld) % 2 == 0;
    int walk = device->blas_groups > 0 && device->blas_groups < groups_of(tile, &p);
    cls_kernel **slot = &own->mma[tile][op_a == CLSOLVE_TRANS][op_b == CLSOLVE_TRANS][pairs][walk];
    if (!*slot) CLS_TRY(prepare(device, slot, tile, op_a, op_b, 1 + pairs, walk));
    *right = !own->mma_fails;
    return *right ? launch(device, *slot, tile, &p) : CLSOLVE_OK;
}
