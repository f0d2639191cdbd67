/* batch_launch.c: the launches of cl/gj_batch.cl: a kernel for each order and number of right-hand sides at a time. */
#include "method/gauss_jordan/batch.h"

#include <stdio.h>
#include <string.h>

#include "device/ref.h"
#include "method/gauss_jordan/batch_host.h"

/* Right-hand sides that a kernel takes at once; more go in several launches, each of which eliminates anew. */
static const int32_t shapes[CLS_GJ_BATCH_SHAPES] = {0, 1, 4, 16};

static int shape_for(int64_t rhs) {
    int s = rhs > 0;
    while (s > 0 && s + 1 < CLS_GJ_BATCH_SHAPES && shapes[s] < rhs) ++s;
    return s;
}

/* A matrix has as many work-items as rows, if the device can; small ones share a group of about a warp. On a CPU a
 * work-item has a matrix: 48 KiB of private memory at the most, which PoCL gives. Mesa's llvmpipe takes the kernel and
 * writes beyond what it has, so other CPUs do as GPUs do. */
static void choose_group(const cls_gj_batch *batch, int64_t *x, int64_t *y) {
    const cls_device *device = batch->device;
    *x = *y = 1;
    if (device->info.type == CLSOLVE_DEVICE_CPU && strcmp(device->info.platform, "Portable Computing Language") == 0)
        return;
    int64_t most = cls_work_group(device, 64);
    while (*x < batch->n && *x < most) *x *= 2;
    while (*x * *y < 32 && 2 * *x * *y <= most) *y *= 2;
}

static clsolve_status kernel_for(cls_gj_batch *batch, int shape, int64_t *x, int64_t *y, cls_kernel **kernel) {
    cls_device *device = batch->device;
    cls_program *program;
    char options[160];

    choose_group(batch, x, y);
    if (!batch->kernel[shape]) {
        (void)snprintf(options, sizeof options, "%s -DCLS_UNIT=%d -DN=%d -DRHS=%d -DLX=%d -DLY=%d",
                       cls_type_option(batch->type), device->matrix_unit, (int)batch->n, (int)shapes[shape], (int)*x,
                       (int)*y);
        CLS_TRY(device->ops->program_get(device, "gj_batch", options, &program));
        CLS_TRY(device->ops->kernel_create(device, program, "gj_batch", &batch->kernel[shape]));
    }
    *kernel = batch->kernel[shape];
    return CLSOLVE_OK;
}

/* *bytes = count * n * cols elements, refused where they are more than 64 bits count. */
static clsolve_status bytes_of(const cls_gj_batch *batch, int64_t cols, int64_t *bytes) {
    int64_t most = INT64_MAX / 16, n = batch->n > 0 ? batch->n : 1;

    if (cols > 0 && batch->count > most / n / cols)
        return cls_fail(batch->device->error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
                        "a batch of %lld has more bytes than 64 bits can count", (long long)batch->count);
    *bytes = batch->count * batch->n * cols * cls_type_size(batch->type);
    return CLSOLVE_OK;
}

/* On a context of the caller's own handles members may lie on the device: room is taken when they do not. */
clsolve_status cls_gj_batch_setup(cls_device *device, int64_t n, int64_t count, clsolve_type type,
                                  cls_gj_batch *batch) {
    int64_t bytes;

    batch->device = device;
    batch->n = n;
    batch->count = count;
    batch->type = type;
    CLS_TRY(bytes_of(batch, n, &bytes));
    if (!device->callers) CLS_TRY(cls_gj_batch_reserve_A(batch));
    return device->ops->buffer_create(device, (size_t)count * sizeof(int32_t), &batch->info);
}

clsolve_status cls_gj_batch_reserve_A(cls_gj_batch *batch) {
    cls_device *device = batch->device;
    int64_t bytes = 0;

    if (batch->A) return CLSOLVE_OK;
    CLS_TRY(bytes_of(batch, batch->n, &bytes));
    return device->ops->buffer_create(device, (size_t)bytes, &batch->A);
}

clsolve_status cls_gj_batch_reserve_B(cls_gj_batch *batch, int64_t rhs) {
    cls_device *device = batch->device;
    int64_t bytes = 0;

    CLS_TRY(bytes_of(batch, rhs, &bytes));
    if (batch->B && batch->B_bytes >= bytes) return CLSOLVE_OK;
    device->ops->buffer_destroy(device, batch->B);
    batch->B = NULL;
    batch->B_bytes = 0;
    CLS_TRY(device->ops->buffer_create(device, (size_t)bytes, &batch->B));
    batch->B_bytes = bytes;
    return CLSOLVE_OK;
}

int64_t cls_gj_batch_launch_rhs(void) {
    return shapes[CLS_GJ_BATCH_SHAPES - 1];
}

clsolve_status cls_gj_batch_run_part(cls_gj_batch *batch, int64_t rhs, const cls_gj_members *A, const cls_gj_members *B,
                                     int64_t first, int64_t end) {
    cls_device *device = batch->device;
    const cls_gj_strides a = A->strides, b = B->strides;
    int64_t x, y;
    int shape = shape_for(rhs);
    cls_kernel *kernel;

    CLS_TRY(kernel_for(batch, shape, &x, &y, &kernel));
    cls_grid grid = {{(size_t)((end - first + y - 1) / y * x), (size_t)y, 1}, {(size_t)x, (size_t)y, 1}};
    for (int64_t c = 0; c == 0 || c < rhs; c += shapes[shape]) {
        int64_t run = rhs - c < shapes[shape] ? rhs - c : shapes[shape], offset = B->offset + c * b.column;
        int32_t keep = (c > 0) + (cls_is_complex(batch->type) && a.conjugate ? 2 : 0);
        cls_arg args[] = {CLS_BUFFER(A->buffer), CLS_VALUE(A->offset),  CLS_VALUE(a.row),       CLS_VALUE(a.column),
                          CLS_VALUE(A->member),  CLS_BUFFER(B->buffer), CLS_VALUE(offset),      CLS_VALUE(b.row),
                          CLS_VALUE(b.column),   CLS_VALUE(B->member),  CLS_VALUE(run),         CLS_VALUE(first),
                          CLS_VALUE(end),        CLS_VALUE(keep),       CLS_BUFFER(batch->info)};
        CLS_TRY(cls_launch(device, CLS_COMPUTE, kernel, &grid, CLS_ARGS(args)));
        if (shapes[shape] == 0) break;
    }
    return CLSOLVE_OK;
}

clsolve_status cls_gj_batch_run(cls_gj_batch *batch, int64_t rhs, const cls_gj_members *A, const cls_gj_members *B) {
    if (batch->device->no_kernels) return cls_gj_batch_host_run(batch, rhs, A->strides, B->strides);
    return cls_gj_batch_run_part(batch, rhs, A, B, 0, batch->count);
}

clsolve_status cls_gj_batch_finish(cls_gj_batch *batch) {
    return batch->device->ops->finish(batch->device, CLS_COMPUTE);
}

clsolve_status cls_gj_batch_infos(cls_gj_batch *batch, int32_t *infos) {
    return cls_bytes_get(batch->device, batch->info, 0, infos, (size_t)batch->count * sizeof *infos);
}

void cls_gj_batch_release(cls_gj_batch *batch) {
    cls_device *device = batch->device;
    if (!device) return;
    (void)device->ops->finish(device, CLS_COMPUTE); /* what still runs uses these buffers */
    cls_kernels_destroy(device, batch->kernel, CLS_GJ_BATCH_SHAPES);
    CLS_BUFFERS_DESTROY(device, batch->A, batch->B, batch->info);
}
