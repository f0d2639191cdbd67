/*
 * faults_cuda.c: the CUDA half of faults.c: the tables that the library loads receive wrappers in the functions' places. A
 * function that a table gains and that has none here is found by faults_cuda_complete.
 *
 * Without a wrapper on purpose: pushing and popping the current context, which fail only when it is gone with all that is
 * in it, and what gives names to codes.
 */
#include "support/test_support.h"
#include "support/faults.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "device/cuda/driver.h"

static cls_cuda_driver driver; /* the real ones */
static cls_cuda_nvrtc nvrtc;
static cls_cuda_cublas cublas;

/* Any call; the count of objects changes by `change` where it succeeds. */
#define CALLS(table, type, member, name, error, change, params, args)                                                  \
    static type fail_##member params {                                                                                 \
        if (faults_fails(name)) return (error);                                                                        \
        type code = table.member args;                                                                                 \
        if (code == 0) faults_count(change);                                                                           \
        return code;                                                                                                   \
    }
#define DRIVER(member, name, change, params, args)                                                                     \
    CALLS(driver, CUresult, member, name, CUDA_ERROR_LAUNCH_FAILED, change, params, args)
#define TAKES(member, name, params, args)                                                                              \
    CALLS(driver, CUresult, member, name, CUDA_ERROR_OUT_OF_MEMORY, 1, params, args)
#define RELEASES(member, params, args)                                                                                 \
    static CUresult fail_##member params {                                                                             \
        faults_count(-1);                                                                                              \
        return driver.member args;                                                                                     \
    }
/* A wait, which waits before it fails. */
#define WAITS(member, name, params, args)                                                                              \
    static CUresult fail_##member params {                                                                             \
        CUresult code = driver.member args;                                                                            \
        return faults_fails(name) ? CUDA_ERROR_LAUNCH_FAILED : code;                                                   \
    }

DRIVER(device_count, "cuDeviceGetCount", 0, (int *count), (count))
DRIVER(device_get, "cuDeviceGet", 0, (CUdevice * id, int i), (id, i))
DRIVER(device_name, "cuDeviceGetName", 0, (char *text, int size, CUdevice id), (text, size, id))
DRIVER(device_attribute, "cuDeviceGetAttribute", 0, (int *value, CUdevice_attribute what, CUdevice id),
       (value, what, id))
DRIVER(device_memory, "cuDeviceTotalMem", 0, (size_t * bytes, CUdevice id), (bytes, id))
DRIVER(primary_retain, "cuDevicePrimaryCtxRetain", 1, (CUcontext * context, CUdevice id), (context, id))
RELEASES(primary_release, (CUdevice id), (id))
DRIVER(context_device, "cuCtxGetDevice", 0, (CUdevice * id), (id))
DRIVER(memory_info, "cuMemGetInfo", 0, (size_t * left, size_t *all), (left, all))
TAKES(memory_alloc, "cuMemAlloc", (CUdeviceptr * address, size_t bytes), (address, bytes))
RELEASES(memory_free, (CUdeviceptr address), (address))
DRIVER(memory_range, "cuMemGetAddressRange", 0, (CUdeviceptr * begin, size_t *bytes, CUdeviceptr address),
       (begin, bytes, address))
TAKES(host_alloc, "cuMemHostAlloc", (void **memory, size_t bytes, unsigned flags), (memory, bytes, flags))
RELEASES(host_free, (void *memory), (memory))
DRIVER(pointer_attribute, "cuPointerGetAttribute", 0, (void *value, CUpointer_attribute what, CUdeviceptr address),
       (value, what, address))
DRIVER(copy_up, "cuMemcpyHtoDAsync", 0, (CUdeviceptr to, const void *from, size_t bytes, CUstream s),
       (to, from, bytes, s))
DRIVER(copy_down, "cuMemcpyDtoHAsync", 0, (void *to, CUdeviceptr from, size_t bytes, CUstream s), (to, from, bytes, s))
DRIVER(copy_across, "cuMemcpyDtoDAsync", 0, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream s),
       (to, from, bytes, s))
DRIVER(copy_2d, "cuMemcpy2DAsync", 0, (const CUDA_MEMCPY2D *copy, CUstream s), (copy, s))
DRIVER(copy_peer, "cuMemcpy3DPeerAsync", 0, (const CUDA_MEMCPY3D_PEER *copy, CUstream s), (copy, s))
DRIVER(peer_can, "cuDeviceCanAccessPeer", 0, (int *can, CUdevice id, CUdevice other), (can, id, other))
DRIVER(peer_enable, "cuCtxEnablePeerAccess", 0, (CUcontext other, unsigned flags), (other, flags))
DRIVER(set_bytes, "cuMemsetD8Async", 0, (CUdeviceptr to, unsigned char value, size_t count, CUstream s),
       (to, value, count, s))
DRIVER(set_words, "cuMemsetD32Async", 0, (CUdeviceptr to, unsigned value, size_t count, CUstream s),
       (to, value, count, s))
DRIVER(priorities, "cuCtxGetStreamPriorityRange", 0, (int *least, int *greatest), (least, greatest))
DRIVER(stream_create, "cuStreamCreateWithPriority", 1, (CUstream * s, unsigned flags, int priority),
       (s, flags, priority))
RELEASES(stream_destroy, (CUstream s), (s))
WAITS(stream_wait, "cuStreamSynchronize", (CUstream s), (s))
DRIVER(stream_wait_event, "cuStreamWaitEvent", 0, (CUstream s, CUevent event, unsigned flags), (s, event, flags))
DRIVER(stream_context, "cuStreamGetCtx", 0, (CUstream s, CUcontext *context), (s, context))
DRIVER(event_create, "cuEventCreate", 1, (CUevent * event, unsigned flags), (event, flags))
RELEASES(event_destroy, (CUevent event), (event))
DRIVER(event_record, "cuEventRecord", 0, (CUevent event, CUstream s), (event, s))
DRIVER(event_query, "cuEventQuery", 0, (CUevent event), (event))
WAITS(event_wait, "cuEventSynchronize", (CUevent event), (event))
DRIVER(event_elapsed, "cuEventElapsedTime", 0, (float *milliseconds, CUevent a, CUevent b), (milliseconds, a, b))
DRIVER(module_load, "cuModuleLoadData", 1, (CUmodule * module, const void *image), (module, image))
RELEASES(module_unload, (CUmodule module), (module))
DRIVER(module_function, "cuModuleGetFunction", 0, (CUfunction * function, CUmodule module, const char *name),
       (function, module, name))
DRIVER(function_set, "cuFuncSetAttribute", 0, (CUfunction function, CUfunction_attribute what, int value),
       (function, what, value))
#define SHAPE unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, CUstream s
DRIVER(launch, "cuLaunchKernel", 0, (CUfunction function, SHAPE, void **params, void **extra),
       (function, gx, gy, gz, bx, by, bz, shared, s, params, extra))
DRIVER(launch_together, "cuLaunchCooperativeKernel", 0, (CUfunction function, SHAPE, void **params),
       (function, gx, gy, gz, bx, by, bz, shared, s, params))

#define NVRTC(member, name, error, params, args) CALLS(nvrtc, nvrtcResult, member, name, error, 0, params, args)
NVRTC(create, "nvrtcCreateProgram", NVRTC_ERROR_PROGRAM_CREATION_FAILURE,
      (nvrtcProgram * program, const char *source, const char *name, int n, const char *const *texts,
       const char *const *names),
      (program, source, name, n, texts, names))
NVRTC(compile, "nvrtcCompileProgram", NVRTC_ERROR_COMPILATION,
      (nvrtcProgram program, int n, const char *const *options), (program, n, options))
NVRTC(log_size, "nvrtcGetProgramLogSize", NVRTC_ERROR_INVALID_PROGRAM, (nvrtcProgram program, size_t *bytes),
      (program, bytes))
NVRTC(log, "nvrtcGetProgramLog", NVRTC_ERROR_INVALID_PROGRAM, (nvrtcProgram program, char *log), (program, log))
NVRTC(ptx_size, "nvrtcGetPTXSize", NVRTC_ERROR_INVALID_PROGRAM, (nvrtcProgram program, size_t *bytes), (program, bytes))
NVRTC(ptx, "nvrtcGetPTX", NVRTC_ERROR_INVALID_PROGRAM, (nvrtcProgram program, char *ptx), (program, ptx))
NVRTC(cubin_size, "nvrtcGetCUBINSize", NVRTC_ERROR_INVALID_PROGRAM, (nvrtcProgram program, size_t *bytes),
      (program, bytes))
NVRTC(cubin, "nvrtcGetCUBIN", NVRTC_ERROR_INVALID_PROGRAM, (nvrtcProgram program, char *cubin), (program, cubin))

static cublasStatus_t fail_handle_create(cublasHandle_t *handle) {
    if (faults_fails("cublasCreate")) return CUBLAS_STATUS_NOT_INITIALIZED;
    cublasStatus_t code = cublas.create(handle);
    if (code == CUBLAS_STATUS_SUCCESS) faults_count(1);
    return code;
}

static cublasStatus_t fail_handle_destroy(cublasHandle_t handle) {
    faults_count(-1);
    return cublas.destroy(handle);
}

#define CUBLAS(member, name, params, args)                                                                             \
    CALLS(cublas, cublasStatus_t, member, name, CUBLAS_STATUS_EXECUTION_FAILED, 0, params, args)
CUBLAS(set_stream, "cublasSetStream", (cublasHandle_t handle, cudaStream_t s), (handle, s))
#define GEMM(member, name, real)                                                                                       \
    CUBLAS(member, name,                                                                                               \
           (cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const real *alpha, \
            const real *A, int lda, const real *B, int ldb, const real *beta, real *C, int ldc),                       \
           (handle, ta, tb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc))
GEMM(dgemm, "cublasDgemm", double)
GEMM(sgemm, "cublasSgemm", float)
GEMM(zgemm, "cublasZgemm", cuDoubleComplex)
GEMM(cgemm, "cublasCgemm", cuComplex)
GEMM(zgemm_three, "cublasZgemm3m", cuDoubleComplex)
#define GEMM_STEPS(member, name, real)                                                                                 \
    CUBLAS(member, name,                                                                                               \
           (cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const real *alpha, \
            const real *A, int lda, long long from_a, const real *B, int ldb, long long from_b, const real *beta,      \
            real *C, int ldc, long long from_c, int count),                                                            \
           (handle, ta, tb, m, n, k, alpha, A, lda, from_a, B, ldb, from_b, beta, C, ldc, from_c, count))
GEMM_STEPS(dgemm_steps, "cublasDgemmStridedBatched", double)
GEMM_STEPS(zgemm_steps, "cublasZgemmStridedBatched", cuDoubleComplex)
GEMM_STEPS(cgemm_steps, "cublasCgemmStridedBatched", cuComplex)

/* ---- the tables ---- */

/* Those that keep their own functions, beside what is left out above. */
static int left_alone(const char *name) {
    static const char *const names[] = {"init",        "version", "error_name", "context_push",
                                        "context_pop", "destroy", "error_text"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return 1;
    return 0;
}

static const char *forgotten;

#define SAME(member, function)                                                                                         \
    if (table->member == real->member && !left_alone(#member)) forgotten = #function;

#define PUT(member) table->member = fail_##member

WRAPS(int, cls_cuda_driver_load, (cls_cuda_driver * table, char *why, size_t size)) {
    const cls_cuda_driver *real = &driver;
    if (!__real_cls_cuda_driver_load(table, why, size)) return 0;
    driver = *table;
    PUT(device_count), PUT(device_get), PUT(device_name), PUT(device_attribute), PUT(device_memory);
    PUT(primary_retain), PUT(primary_release), PUT(context_device), PUT(memory_info), PUT(memory_alloc);
    PUT(memory_free), PUT(memory_range), PUT(host_alloc), PUT(host_free), PUT(pointer_attribute);
    PUT(copy_up), PUT(copy_down), PUT(copy_across), PUT(copy_2d), PUT(copy_peer), PUT(peer_can), PUT(peer_enable),
        PUT(set_bytes), PUT(set_words);
    PUT(priorities), PUT(stream_create), PUT(stream_destroy), PUT(stream_wait), PUT(stream_wait_event),
        PUT(stream_context);
    PUT(event_create), PUT(event_destroy), PUT(event_record), PUT(event_query), PUT(event_wait), PUT(event_elapsed);
    PUT(module_load), PUT(module_unload), PUT(module_function), PUT(function_set), PUT(launch), PUT(launch_together);
    CLS_CUDA_DRIVER_LIST(SAME)
    return 1;
}

WRAPS(clsolve_status, cls_cuda_nvrtc_load, (cls_cuda_nvrtc * table, int cuda, cls_error *error)) {
    const cls_cuda_nvrtc *real = &nvrtc;
    CLS_TRY(__real_cls_cuda_nvrtc_load(table, cuda, error));
    nvrtc = *table;
    PUT(create), PUT(compile), PUT(log_size), PUT(log), PUT(ptx_size), PUT(ptx);
    if (nvrtc.cubin_size) PUT(cubin_size);
    if (nvrtc.cubin) PUT(cubin);
    CLS_CUDA_NVRTC_LIST(SAME)
    return CLSOLVE_OK;
}

WRAPS(clsolve_status, cls_cuda_cublas_load, (cls_cuda_cublas * table, int cuda, cls_error *error)) {
    const cls_cuda_cublas *real = &cublas;
    CLS_TRY(__real_cls_cuda_cublas_load(table, cuda, error));
    cublas = *table;
    table->create = fail_handle_create;
    table->destroy = fail_handle_destroy;
    PUT(set_stream), PUT(dgemm), PUT(sgemm), PUT(zgemm), PUT(cgemm), PUT(zgemm_three);
    PUT(dgemm_steps), PUT(zgemm_steps), PUT(cgemm_steps);
    CLS_CUDA_CUBLAS_LIST(SAME)
    return CLSOLVE_OK;
}

const char *faults_cuda_forgotten(void) {
    return forgotten;
}
