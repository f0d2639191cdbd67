/*
 * driver.h: NVIDIA's libraries, loaded at run time: tables of their functions, each declared by the toolkit's own
 * header, so that the library links none of them and works where they are not. Majors of CUDA from 11 on; what only
 * some have is marked, and may be NULL.
 *
 * A table is its owner's alone. A loaded library stays in the process (RTLD_NODELETE), for NVIDIA's libraries have
 * threads and handlers of their own; unloading only counts down.
 */
#ifndef CLS_CUDA_DRIVER_H
#define CLS_CUDA_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

#include <cublas_v2.h>
#include <cuda.h>
#include <nvrtc.h>

#include "base/error.h"

#if CUDA_VERSION < 11000
#error "libclsolve's CUDA backend wants a toolkit of CUDA 11 or newer"
#endif

/* X(member, function) */
#define CLS_CUDA_DRIVER_LIST(X)                                                                                        \
    X(init, cuInit)                                                                                                    \
    X(version, cuDriverGetVersion)                                                                                     \
    X(error_name, cuGetErrorName)                                                                                      \
    X(device_count, cuDeviceGetCount)                                                                                  \
    X(device_get, cuDeviceGet)                                                                                         \
    X(device_name, cuDeviceGetName)                                                                                    \
    X(device_attribute, cuDeviceGetAttribute)                                                                          \
    X(device_memory, cuDeviceTotalMem)                                                                                 \
    X(primary_retain, cuDevicePrimaryCtxRetain)                                                                        \
    X(primary_release, cuDevicePrimaryCtxRelease)                                                                      \
    X(context_push, cuCtxPushCurrent)                                                                                  \
    X(context_pop, cuCtxPopCurrent)                                                                                    \
    X(context_device, cuCtxGetDevice)                                                                                  \
    X(memory_info, cuMemGetInfo)                                                                                       \
    X(memory_alloc, cuMemAlloc)                                                                                        \
    X(memory_free, cuMemFree)                                                                                          \
    X(memory_range, cuMemGetAddressRange)                                                                              \
    X(host_alloc, cuMemHostAlloc)                                                                                      \
    X(host_free, cuMemFreeHost)                                                                                        \
    X(pointer_attribute, cuPointerGetAttribute)                                                                        \
    X(copy_up, cuMemcpyHtoDAsync)                                                                                      \
    X(copy_down, cuMemcpyDtoHAsync)                                                                                    \
    X(copy_across, cuMemcpyDtoDAsync)                                                                                  \
    X(copy_2d, cuMemcpy2DAsync)                                                                                        \
    X(copy_peer, cuMemcpy3DPeerAsync)                                                                                  \
    X(peer_can, cuDeviceCanAccessPeer)                                                                                 \
    X(peer_enable, cuCtxEnablePeerAccess)                                                                              \
    X(set_bytes, cuMemsetD8Async)                                                                                      \
    X(set_words, cuMemsetD32Async)                                                                                     \
    X(priorities, cuCtxGetStreamPriorityRange)                                                                         \
    X(stream_create, cuStreamCreateWithPriority)                                                                       \
    X(stream_destroy, cuStreamDestroy)                                                                                 \
    X(stream_wait, cuStreamSynchronize)                                                                                \
    X(stream_wait_event, cuStreamWaitEvent)                                                                            \
    X(stream_context, cuStreamGetCtx)                                                                                  \
    X(event_create, cuEventCreate)                                                                                     \
    X(event_destroy, cuEventDestroy)                                                                                   \
    X(event_record, cuEventRecord)                                                                                     \
    X(event_query, cuEventQuery)                                                                                       \
    X(event_wait, cuEventSynchronize)                                                                                  \
    X(event_elapsed, cuEventElapsedTime)                                                                               \
    X(module_load, cuModuleLoadData)                                                                                   \
    X(module_unload, cuModuleUnload)                                                                                   \
    X(module_function, cuModuleGetFunction)                                                                            \
    X(function_set, cuFuncSetAttribute)                                                                                \
    X(launch, cuLaunchKernel)                                                                                          \
    X(launch_together, cuLaunchCooperativeKernel)

/* cuFuncGetParamInfo, of CUDA 12.4: where the parameter `index` of a kernel lies and its size. */
typedef CUresult(CUDAAPI *cls_cuda_param_info)(CUfunction function, size_t index, size_t *offset, size_t *size);

/* cuThreadExchangeStreamCaptureMode, of CUDA 10.1: what a thread may do while another one captures a graph. */
typedef CUresult(CUDAAPI *cls_cuda_capture_mode)(CUstreamCaptureMode *mode);

#define CLS_CUDA_MEMBER(member, function) __typeof__(function) *member;

typedef struct cls_cuda_driver {
    CLS_CUDA_DRIVER_LIST(CLS_CUDA_MEMBER)
    cls_cuda_param_info param_info;     /* may be NULL */
    cls_cuda_capture_mode capture_mode; /* the same */
    void *library;
    int cuda; /* what cuDriverGetVersion says: 12040 */
} cls_cuda_driver;

#define CLS_CUDA_NVRTC_LIST(X)                                                                                         \
    X(version, nvrtcVersion)                                                                                           \
    X(error_text, nvrtcGetErrorString)                                                                                 \
    X(create, nvrtcCreateProgram)                                                                                      \
    X(destroy, nvrtcDestroyProgram)                                                                                    \
    X(compile, nvrtcCompileProgram)                                                                                    \
    X(log_size, nvrtcGetProgramLogSize)                                                                                \
    X(log, nvrtcGetProgramLog)                                                                                         \
    X(ptx_size, nvrtcGetPTXSize)                                                                                       \
    X(ptx, nvrtcGetPTX)

typedef struct cls_cuda_nvrtc {
    CLS_CUDA_NVRTC_LIST(CLS_CUDA_MEMBER)
    /* From CUDA 11.1 and 11.2 on; NULL before. */
    nvrtcResult (*cubin_size)(nvrtcProgram program, size_t *bytes);
    nvrtcResult (*cubin)(nvrtcProgram program, char *cubin);
    nvrtcResult (*arch_count)(int *count);
    nvrtcResult (*archs)(int *archs);
    void *library;
} cls_cuda_nvrtc;

#define CLS_CUDA_CUBLAS_LIST(X)                                                                                        \
    X(create, cublasCreate)                                                                                            \
    X(destroy, cublasDestroy)                                                                                          \
    X(set_stream, cublasSetStream)                                                                                     \
    X(dgemm, cublasDgemm)                                                                                              \
    X(sgemm, cublasSgemm)                                                                                              \
    X(zgemm, cublasZgemm)                                                                                              \
    X(cgemm, cublasCgemm)                                                                                              \
    X(zgemm_three, cublasZgemm3m)                                                                                      \
    X(dgemm_steps, cublasDgemmStridedBatched)                                                                          \
    X(zgemm_steps, cublasZgemmStridedBatched)                                                                          \
    X(cgemm_steps, cublasCgemmStridedBatched)

typedef struct cls_cuda_cublas {
    CLS_CUDA_CUBLAS_LIST(CLS_CUDA_MEMBER)
    void *library;
} cls_cuda_cublas;

/* Loads the driver and starts it. 0: there is none that works, and `why` says why in a line. */
int cls_cuda_driver_load(cls_cuda_driver *driver, char *why, size_t size);
void cls_cuda_driver_unload(cls_cuda_driver *driver);

/* `cuda`: as cls_cuda_driver's, for a library of a newer major does not work with that driver; 0: any will do.
 * ERROR_UNSUPPORTED where there is none. */
clsolve_status cls_cuda_nvrtc_load(cls_cuda_nvrtc *nvrtc, int cuda, cls_error *error);
clsolve_status cls_cuda_cublas_load(cls_cuda_cublas *cublas, int cuda, cls_error *error);
/* NULL is fine. */
void cls_cuda_library_close(void *library);

/* ---- names.c ---- */

/* Writes "<call> failed: <name> (<code>)" and returns the status that suits the code. */
clsolve_status cls_cuda_fail(const cls_cuda_driver *driver, cls_error *error, CUresult code, const char *call);

#endif
