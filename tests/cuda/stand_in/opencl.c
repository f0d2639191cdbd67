/* opencl.c: PoCL, for libcuda.so.1 and libnvrtc.so.13 each by itself. */
#include "stand_in.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static stand_in_device device;

static void find(void) {
    cl_platform_id platforms[16];
    cl_uint count = 0;
    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) return;
    for (cl_uint p = 0; p < count && p < 16; p++) {
        char name[256] = "";
        cl_uint devices = 0;
        (void)clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strcmp(name, "Portable Computing Language") != 0 ||
            clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 1, &device.id, &devices) != CL_SUCCESS || devices == 0)
            continue;
        device.context = clCreateContext(NULL, 1, &device.id, NULL, NULL, NULL);
        return;
    }
}

const stand_in_device *stand_in_device_get(void) {
    (void)pthread_once(&once, find);
    return device.context ? &device : NULL;
}

void stand_in_open(CUstream stream) {
    cl_event gate = atomic_exchange(&stream->gate, NULL);
    if (!gate) return;
    (void)clSetUserEventStatus(gate, CL_COMPLETE);
    (void)clReleaseEvent(gate);
    (void)clFlush(stream->queue);
}

cl_program stand_in_build(const char *options, const char *source, char **log) {
    const stand_in_device *on = stand_in_device_get();
    char all[1024];
    size_t bytes = 0;
    cl_int code = CL_SUCCESS;
    *log = NULL;
    if (!on) return NULL;
    cl_program program = clCreateProgramWithSource(on->context, 1, &source, NULL, &code);
    if (!program) return NULL;
    /* What the stand-in is for is the host's part: the kernels are compiled soon rather than well. */
    (void)snprintf(all, sizeof all, "-cl-kernel-arg-info -cl-opt-disable -DCLS_ROLLED %s", options);
    if (clBuildProgram(program, 1, &on->id, all, NULL, NULL) == CL_SUCCESS) return program;
    if (clGetProgramBuildInfo(program, on->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) == CL_SUCCESS) {
        *log = calloc(bytes + 1, 1);
        if (*log) (void)clGetProgramBuildInfo(program, on->id, CL_PROGRAM_BUILD_LOG, bytes, *log, NULL);
    }
    (void)clReleaseProgram(program);
    return NULL;
}
