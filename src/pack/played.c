/* played.c: see played.h. All but programs and launches is the host's, as a device: its memory, its empty queues. */
#include "pack/played.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "device/backend.h"
#include "device/opencl/opencl.h"
#include "pack/played_cuda.h"

/* As clinfo prints them. ROCm counts the units of RDNA in pairs, and gives work-groups of 256 by itself. */
#define AMD   "Advanced Micro Devices, Inc.", "AMD Accelerated Parallel Processing"
#define INTEL "Intel(R) Corporation", "Intel(R) OpenCL HD Graphics"
#define CUDA  "NVIDIA Corporation", "CUDA"
const played_gpu played_gpus[] = {
    {"gfx906", AMD, "gfx906:sramecc+:xnack-", "3590.0", 60, 256, 65536, 1, 0, CLS_SUB_GROUPS_KHR, 0, 0, 0},
    {"gfx90a", AMD, "gfx90a:sramecc+:xnack-", "3590.0", 104, 256, 65536, 1, 0, CLS_SUB_GROUPS_KHR, 0, 0, 0},
    {"gfx942", AMD, "gfx942:sramecc+:xnack-", "3590.0", 304, 256, 65536, 1, 0, CLS_SUB_GROUPS_KHR, 0, 0, 0},
    {"gfx1030", AMD, "gfx1030", "3590.0", 36, 256, 65536, 1, 0, CLS_SUB_GROUPS_KHR, 0, 0, 0},
    {"gfx1100", AMD, "gfx1100", "3590.0", 48, 256, 65536, 1, 0, CLS_SUB_GROUPS_KHR, 0, 0, 0},
    {"gfx1201", AMD, "gfx1201", "3590.0", 32, 256, 65536, 1, 0, CLS_SUB_GROUPS_KHR, 0, 0, 0},
    {"dg2", INTEL, "Intel(R) Arc(TM) A770 Graphics", "22.43.24595", 512, 1024, 65536, 0, 0, CLS_SUB_GROUPS_INTEL, 0, 0,
     0},
    {"pvc", INTEL, "Intel(R) Data Center GPU Max 1550", "22.43.24595", 896, 1024, 131072, 1, 0, CLS_SUB_GROUPS_INTEL,
     16, 0, 0},
    {"adl-s", INTEL, "Intel(R) UHD Graphics 770", "22.43.24595", 32, 512, 65536, 0, 1, CLS_SUB_GROUPS_INTEL, 0, 0, 0},
    /* Through CUDA, by their makers' sheets: of each generation those whose numbers of units differ the most. */
    {"v100", CUDA, "Tesla V100", "0", 80, 1024, 49152, 1, 0, CLS_SUB_GROUPS_NONE, 0, 70, 2},
    {"t4", CUDA, "Tesla T4", "0", 40, 1024, 49152, 1, 0, CLS_SUB_GROUPS_NONE, 0, 75, 32},
    {"rtx6000", CUDA, "Quadro RTX 6000", "0", 72, 1024, 49152, 1, 0, CLS_SUB_GROUPS_NONE, 0, 75, 32},
    {"a30", CUDA, "A30", "0", 56, 1024, 49152, 1, 0, CLS_SUB_GROUPS_NONE, 0, 80, 2},
    {"a100", CUDA, "A100", "0", 108, 1024, 49152, 1, 0, CLS_SUB_GROUPS_NONE, 0, 80, 2},
    {"rtx3050", CUDA, "GeForce RTX 3050", "0", 20, 1024, 49152, 1, 0, CLS_SUB_GROUPS_NONE, 0, 86, 64},
    {"a10", CUDA, "A10", "0", 72, 1024, 49152, 1, 0, CLS_SUB_GROUPS_NONE, 0, 86, 64},
    {"l4", CUDA, "L4", "0", 58, 1024, 49152, 1, 0, CLS_SUB_GROUPS_NONE, 0, 89, 64},
    {"l40s", CUDA, "L40S", "0", 142, 1024, 49152, 1, 0, CLS_SUB_GROUPS_NONE, 0, 89, 64},
    {"h100", CUDA, "H100 PCIe", "0", 114, 1024, 49152, 1, 0, CLS_SUB_GROUPS_NONE, 0, 90, 2},
    {"h200", CUDA, "H200", "0", 132, 1024, 49152, 1, 0, CLS_SUB_GROUPS_NONE, 0, 90, 2},
    {"b200", CUDA, "B200", "0", 148, 1024, 49152, 1, 0, CLS_SUB_GROUPS_NONE, 0, 100, 2},
    {"rtx5060", CUDA, "GeForce RTX 5060", "0", 30, 1024, 49152, 1, 0, CLS_SUB_GROUPS_NONE, 0, 120, 64},
    {"rtx5090", CUDA, "GeForce RTX 5090", "0", 170, 1024, 49152, 1, 0, CLS_SUB_GROUPS_NONE, 0, 120, 64},
    {NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, CLS_SUB_GROUPS_NONE, 0, 0, 0},
};

static played_asked on_asked;
static played_kind on_kind;
static int on_lanes, on_capability;
static const char *on_standard;

void played_begin(played_asked asked, played_kind kind) {
    on_asked = asked;
    on_kind = kind;
}

/* Nobody looks inside a program or a kernel, so any address that is not NULL is one. */
static clsolve_status program_get(cls_device *device, const char *name, const char *options, cls_program **program) {
    char all[512];
    if (on_capability > 0)
        on_asked(name, options ? options : "");
    else if (cls_opencl_options(options, false, 0, on_lanes, on_standard, all, sizeof all))
        on_asked(name, all);
    *program = (cls_program *)device;
    return CLSOLVE_OK;
}

/* The kernel that tells where the first NaN or Inf is: nowhere, so that a call goes on to its end (cl/measure.cl). */
static char finite;

static clsolve_status kernel_create(cls_device *device, cls_program *program, const char *name, cls_kernel **kernel) {
    (void)program;
    *kernel = on_capability > 0 && strcmp(name, "measure_join") == 0 ? (cls_kernel *)&finite : (cls_kernel *)device;
    return CLSOLVE_OK;
}

static clsolve_status launch(cls_device *device, cls_queue queue, cls_kernel *kernel, const cls_grid *grid,
                             const cls_arg *args, int32_t count, const cls_wait *wait, cls_event **done) {
    (void)queue, (void)grid, (void)wait;
    if (kernel == (cls_kernel *)&finite) *(int64_t *)((const cls_buffer *)args[count - 1].pointer)->memory = INT64_MAX;
    if (done) *done = (cls_event *)device;
    return CLSOLVE_OK;
}

/* Every self-test keeps 1 for "right". A cuBLAS that takes long to start leaves the first products to kernels. */
static int recall(cls_device *device, const char *name) {
    (void)device;
    if (on_kind == PLAYED_ERRS && strncmp(name, "ldl ", 4) == 0)
        return 2; /* wrong: its test would multiply by CLBlast */
    if (on_kind != PLAYED_ERRS && strcmp(name, "cublas start") == 0) return INT_MAX;
    return on_kind != PLAYED_ERRS;
}

/* Large matrices need not move: nobody reads them there. */
static clsolve_status leave(cls_device *device, cls_queue queue, cls_buffer *to, const void *host, const cls_rect *rect,
                            const cls_wait *wait, cls_event **done) {
    (void)queue, (void)to, (void)host, (void)rect, (void)wait;
    if (done) *done = (cls_event *)device;
    return CLSOLVE_OK;
}

static clsolve_status copy(cls_device *device, cls_queue queue, cls_buffer *from, size_t from_offset, cls_buffer *to,
                           size_t to_offset, size_t bytes) {
    (void)device, (void)queue, (void)from, (void)from_offset, (void)to, (void)to_offset, (void)bytes;
    return CLSOLVE_OK;
}

static clsolve_status copy_rect(cls_device *device, cls_queue queue, cls_buffer *from, cls_buffer *to,
                                const cls_span *span) {
    (void)device, (void)queue, (void)from, (void)to, (void)span;
    return CLSOLVE_OK;
}

static clsolve_status fill(cls_device *device, cls_queue queue, cls_buffer *buffer, size_t offset, size_t bytes,
                           unsigned char value) {
    (void)device, (void)queue, (void)buffer, (void)offset, (void)bytes, (void)value;
    return CLSOLVE_OK;
}

/* Memory of the caller's, for calls that enqueue. */
static clsolve_status adopt(cls_device *device, void *memory, cls_buffer **buffer, size_t *bytes) {
    (void)memory;
    *bytes = (size_t)1 << 40;
    return device->ops->buffer_create(device, 1, buffer);
}

/* Nothing moves, so no slots are needed. */
static int reaches(cls_device *device, const void *host, size_t bytes) {
    (void)device, (void)host, (void)bytes;
    return 1;
}

static clsolve_device_info describe(const played_gpu *gpu) {
    clsolve_device_info info = {.type = CLSOLVE_DEVICE_GPU,
                                .compute_units = gpu->compute_units,
                                .clock_mhz = 1500,
                                .max_work_group = gpu->max_work_group,
                                .local_memory = gpu->local_memory,
                                .global_memory = (int64_t)16 << 30,
                                .max_allocation = (int64_t)4 << 30,
                                .fp64 = gpu->fp64};
    (void)snprintf(info.selector, sizeof info.selector, "%s", gpu->target);
    (void)snprintf(info.backend, sizeof info.backend, gpu->capability > 0 ? "cuda" : "opencl");
    (void)snprintf(info.name, sizeof info.name, "%s", gpu->name);
    (void)snprintf(info.vendor, sizeof info.vendor, "%s", gpu->vendor);
    (void)snprintf(info.platform, sizeof info.platform, "%s", gpu->platform);
    (void)snprintf(info.version, sizeof info.version, "OpenCL 2.0");
    (void)snprintf(info.driver, sizeof info.driver, "%s", gpu->driver);
    return info;
}

clsolve_status __real_cls_device_open(const char *selector, const char *cache_folder, cls_error *error,
                                      cls_device **device);
clsolve_status __wrap_cls_device_open(const char *selector, const char *cache_folder, cls_error *error,
                                      cls_device **device);

clsolve_status __wrap_cls_device_open(const char *selector, const char *cache_folder, cls_error *error,
                                      cls_device **device) {
    static cls_device_ops operations; /* the host's, but for these */
    const played_gpu *gpu = played_gpus;
    while (gpu->target && (!selector || strcmp(gpu->target, selector) != 0)) gpu++;
    if (!gpu->target) return __real_cls_device_open(selector, cache_folder, error, device);
    CLS_TRY(cls_host_open(error, device));
#ifdef CLSOLVE_CUDA
    if (gpu->capability > 0) CLS_TRY(played_cuda_widen(device));
#endif
    operations = *(*device)->ops;
    operations.program_get = program_get;
    operations.kernel_create = kernel_create;
    operations.launch = operations.launch_together = launch;
    operations.recall = recall;
    operations.write = leave;
    operations.copy = copy;
    operations.copy_rect = copy_rect;
    operations.fill = fill;
    operations.adopt = adopt;
    operations.reaches = reaches;
    on_lanes = gpu->lanes;
    on_capability = gpu->capability;
    on_standard = gpu->sub_groups == CLS_SUB_GROUPS_KHR ? " -cl-std=CL2.0" : ""; /* as ROCm has them */
    (*device)->ops = &operations;
    (*device)->info = describe(gpu);
    (*device)->no_kernels = 0;
    (*device)->callers = 1;
    (*device)->shares_memory = gpu->shares_memory;
    (*device)->matrix_core = cls_opencl_has_matrix_core(&(*device)->info);
    (*device)->groups_together = gpu->compute_units;
    (*device)->whole_words = 1;
    (*device)->sub_groups = on_kind == PLAYED_WORKS ? gpu->sub_groups : CLS_SUB_GROUPS_NONE;
#ifdef CLSOLVE_CUDA
    if (gpu->capability > 0) played_cuda_set(*device, gpu->capability, gpu->double_ratio);
#endif
    return CLSOLVE_OK;
}
