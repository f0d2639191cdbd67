/* context.c: of libcuda.so.1 the driver, devices and contexts, see stand_in.h. */
#include "driver.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES = 2, DEPTH = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of primary */
static struct CUctx_st primary[DEVICES] = {{0, 0, NULL}, {1, 0, NULL}};

static _Thread_local CUcontext stack[DEPTH];
static _Thread_local int depth;

CUcontext stand_in_current(void) {
    return depth > 0 ? stack[depth - 1] : NULL;
}

CUresult stand_in_outcome(cl_int code) {
    return code == CL_SUCCESS ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

CUresult cuInit(unsigned flags) {
    (void)flags;
    return stand_in_device_get() ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}

CUresult cuDriverGetVersion(int *version) {
    const char *told = getenv("CLSOLVE_STAND_IN_CUDA"); /* of another driver: 12040 */
    *version = told ? atoi(told) : 13000;
    return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult code, const char **name) {
    *name = code == CUDA_ERROR_INVALID_VALUE     ? "CUDA_ERROR_INVALID_VALUE"
            : code == CUDA_ERROR_OUT_OF_MEMORY   ? "CUDA_ERROR_OUT_OF_MEMORY"
            : code == CUDA_ERROR_INVALID_CONTEXT ? "CUDA_ERROR_INVALID_CONTEXT"
            : code == CUDA_ERROR_INVALID_HANDLE  ? "CUDA_ERROR_INVALID_HANDLE"
            : code == CUDA_ERROR_NOT_FOUND       ? "CUDA_ERROR_NOT_FOUND"
            : code == CUDA_ERROR_INVALID_IMAGE   ? "CUDA_ERROR_INVALID_IMAGE"
                                                 : "CUDA_ERROR_UNKNOWN";
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count) {
    *count = DEVICES;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    if (ordinal < 0 || ordinal >= DEVICES) return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
    (void)snprintf(name, (size_t)size, "Stand-in %d", (int)device);
    return CUDA_SUCCESS;
}

/* The device whose number is in this environment variable. */
static int is_named(CUdevice device, const char *variable) {
    const char *told = getenv(variable);
    return told && atoi(told) == device;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device) {
    if (is_named(device, "CLSOLVE_STAND_IN_BROKEN")) return CUDA_ERROR_UNKNOWN;
    *bytes = (size_t)1 << 32;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute what, CUdevice device) {
    const char *told;
    switch (what) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: /* 7.5, without the matrix unit of cl/gemm_mma.cl: no PTX runs here */
        *value = 7;
        break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        *value = 5;
        break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        *value = 8;
        break;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
        *value = 1000000;
        break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = 1024;
        break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
        *value = 48 * 1024;
        break;
    case CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO:
        told = getenv("CLSOLVE_STAND_IN_RATIO"); /* else none is known: PoCL's is measured */
        *value = told ? atoi(told) : 0;
        break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
        *value = is_named(device, "CLSOLVE_STAND_IN_PROHIBITED") ? CU_COMPUTEMODE_PROHIBITED : CU_COMPUTEMODE_DEFAULT;
        break;
    default:
        *value = 0; /* no cooperative launch either: PoCL runs group after group */
    }
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
    if (device < 0 || device >= DEVICES) return CUDA_ERROR_INVALID_DEVICE;
    (void)pthread_mutex_lock(&lock);
    primary[device].retained++;
    (void)pthread_mutex_unlock(&lock);
    *context = &primary[device];
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
    (void)pthread_mutex_lock(&lock);
    primary[device].retained--;
    (void)pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context) {
    if (depth == DEPTH) return CUDA_ERROR_UNKNOWN;
    stack[depth++] = context;
    return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext *context) {
    if (depth == 0) return CUDA_ERROR_INVALID_CONTEXT;
    *context = stack[--depth];
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context) {
    *context = stand_in_current();
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device) {
    NEED_CONTEXT();
    *device = stand_in_current()->ordinal;
    return CUDA_SUCCESS;
}
