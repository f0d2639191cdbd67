/*
 * stand_in.h: NVIDIA's driver, NVRTC and cuBLAS played by a CPU, so that all of device/cuda/ is tested without a GPU. Three
 * shared libraries under NVIDIA's names, in a folder that a test puts into LD_LIBRARY_PATH:
 *
 *     libcuda.so.1      device memory is OpenCL's shared virtual memory on PoCL, a stream is an in-order queue, an event a
 *                       marker. A stream begins as late as it may: when it, or an event in it, is waited for. So whatever
 *                       needs another stream's work and does not wait for it comes too early, each time. The default
 *                       streams are such streams too, which wait for no other; NULL, which is CUDA's third name for one of
 *                       them, is refused
 *     libnvrtc.so.13    "compiles" a source into a text of itself and its options, after it was seen to build
 *     libcublas.so.13   OpenBLAS, behind what is in the stream
 *
 * Kernels are built from the OpenCL half of cl/dialect.clh; that the other half compiles is test_nvrtc's to say. It is strict
 * where the driver is not: a call without the right current context fails, as does memory or a stream of another one. There
 * are two devices, so that what belongs to one is not taken for the other's.
 *
 * Environment: CLSOLVE_STAND_IN_CUDA is the driver's CUDA (12040; else 13000), CLSOLVE_STAND_IN_FREE the bytes of its memory
 * that are free, CLSOLVE_STAND_IN_BROKEN the number of a device that does not tell its memory, CLSOLVE_STAND_IN_PROHIBITED of one
 * that its administrator keeps from computing.
 */
#ifndef STAND_IN_H
#define STAND_IN_H

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <cuda.h>

#include <stdatomic.h>

/* What an image of libnvrtc's begins with; the options, a line's end and the source follow, ended by a zero. */
#define STAND_IN_IMAGE "stand-in image 1\n"

struct CUctx_st {
    int ordinal;
    _Atomic int retained;
    CUstream legacy; /* its default stream, made when it is first used */
};

struct CUstream_st {
    cl_command_queue queue;
    CUcontext context;
    _Atomic(cl_event) gate; /* what was enqueued waits for it; NULL: nothing waits */
};

struct CUevent_st {
    cl_event marker; /* NULL: never recorded */
    CUcontext context;
    CUstream stream; /* that it was recorded in */
};

/* PoCL's first device in a context of its own, made once in a process; 0: there is none. */
typedef struct stand_in_device {
    cl_device_id id;
    cl_context context;
} stand_in_device;

const stand_in_device *stand_in_device_get(void);

/* The stream that a handle names to the calling thread: CUDA's two names for default streams are no addresses. NULL: none. Of
 * libcuda.so.1. */
CUstream stand_in_named(CUstream handle);

/* Lets what is in the stream begin. */
void stand_in_open(CUstream stream);

/* Builds a source; NULL: it does not build, and *log, from malloc, says why. */
cl_program stand_in_build(const char *options, const char *source, char **log);

#endif
