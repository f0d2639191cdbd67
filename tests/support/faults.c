/* faults.c: see faults.h. Each wrapper: fail in turn, else the call itself, and count the objects it makes or frees. */
#include "support/test_support.h"
#include "support/faults.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <CL/cl.h>
#ifdef CLSOLVE_CLBLAST
#include <clblast_c.h>
#endif

/* Programs are compiled by several threads. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool armed;
static fault_kind kind;
static int64_t left, seen;
static _Atomic int64_t objects, allocations;
static const char *failed, *only; /* NULL: any name */

static void arm(fault_kind wanted, const char *name, int64_t k) {
    (void)pthread_mutex_lock(&lock);
    armed = true;
    kind = wanted;
    left = k;
    seen = 0;
    failed = NULL;
    only = name;
    (void)pthread_mutex_unlock(&lock);
}

void faults_arm(fault_kind wanted, int64_t k) {
    arm(wanted, NULL, k);
}

void faults_arm_call(const char *name, int64_t k) {
    arm(FAULT_DEVICE, name, k);
}

const char *faults_disarm(void) {
    (void)pthread_mutex_lock(&lock);
    armed = false;
    const char *name = failed;
    (void)pthread_mutex_unlock(&lock);
    return name;
}

int64_t faults_seen(void) {
    (void)pthread_mutex_lock(&lock);
    int64_t calls = seen;
    (void)pthread_mutex_unlock(&lock);
    return calls;
}

int64_t faults_objects(void) {
    return objects;
}

static bool fails(fault_kind of, const char *name) {
    (void)pthread_mutex_lock(&lock);
    bool counted = armed && kind == of && !failed && (!only || strcmp(only, name) == 0), now = counted && left-- <= 0;
    if (now)
        failed = name;
    else
        seen += counted;
    (void)pthread_mutex_unlock(&lock);
    return now;
}

int faults_fails(const char *name) {
    return fails(FAULT_DEVICE, name);
}

int64_t faults_allocations(void) {
    return allocations;
}

void faults_count(int64_t change) {
    objects += change;
}

WRAPS(void *, cls_alloc, (size_t count, size_t size)) {
    void *memory = fails(FAULT_ALLOCATION, "cls_alloc") ? NULL : __real_cls_alloc(count, size);
    if (memory) allocations++;
    return memory;
}

WRAPS(void, cls_free, (void *memory)) {
    if (memory) allocations--;
    __real_cls_free(memory);
}

/* A call that makes an object and writes its code behind `code`. */
#define MAKES(type, name, error, params, args)                                                                         \
    type __real_##name params;                                                                                         \
    type __wrap_##name params;                                                                                         \
    type __wrap_##name params {                                                                                        \
        if (fails(FAULT_DEVICE, #name)) {                                                                              \
            if (code) *code = (error);                                                                                 \
            return NULL;                                                                                               \
        }                                                                                                              \
        type made = __real_##name args;                                                                                \
        objects += made != NULL;                                                                                       \
        return made;                                                                                                   \
    }

/* A call that enqueues, with its event behind `done`. */
#define ENQUEUES(name, params, args)                                                                                   \
    cl_int __real_##name params;                                                                                       \
    cl_int __wrap_##name params;                                                                                       \
    cl_int __wrap_##name params {                                                                                      \
        if (fails(FAULT_DEVICE, #name)) return CL_OUT_OF_RESOURCES;                                                    \
        cl_int code = __real_##name args;                                                                              \
        objects += code == CL_SUCCESS && done != NULL;                                                                 \
        return code;                                                                                                   \
    }

/* Any other; `objects` changes by `change` where it succeeds. */
#define CALLS(name, error, change, params, args)                                                                       \
    cl_int __real_##name params;                                                                                       \
    cl_int __wrap_##name params;                                                                                       \
    cl_int __wrap_##name params {                                                                                      \
        if (fails(FAULT_DEVICE, #name)) return (error);                                                                \
        cl_int code = __real_##name args;                                                                              \
        if (code == CL_SUCCESS) objects += (change);                                                                   \
        return code;                                                                                                   \
    }

/* A wait, which waits before it fails. */
#define WAITS(name, params, args)                                                                                      \
    cl_int __real_##name params;                                                                                       \
    cl_int __wrap_##name params;                                                                                       \
    cl_int __wrap_##name params {                                                                                      \
        cl_int code = __real_##name args;                                                                              \
        return fails(FAULT_DEVICE, #name) ? CL_OUT_OF_RESOURCES : code;                                                \
    }

/* A release, which never fails. */
#define RELEASES(name, type)                                                                                           \
    cl_int __real_##name(type object);                                                                                 \
    cl_int __wrap_##name(type object);                                                                                 \
    cl_int __wrap_##name(type object) {                                                                                \
        objects--;                                                                                                     \
        return __real_##name(object);                                                                                  \
    }

typedef void(CL_CALLBACK *built)(cl_program program, void *user);
typedef void(CL_CALLBACK *told)(const char *text, const void *info, size_t bytes, void *user);

#define __real_clCreateContext ran_create_context /* which may keep it open (ran_wraps.c) */
MAKES(cl_context, clCreateContext, CL_OUT_OF_RESOURCES,
      (const cl_context_properties *p, cl_uint n, const cl_device_id *ids, told f, void *user, cl_int *code),
      (p, n, ids, f, user, code))
MAKES(cl_command_queue, clCreateCommandQueue, CL_OUT_OF_RESOURCES,
      (cl_context context, cl_device_id id, cl_command_queue_properties p, cl_int *code), (context, id, p, code))
MAKES(cl_mem, clCreateBuffer, CL_MEM_OBJECT_ALLOCATION_FAILURE,
      (cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *code),
      (context, flags, bytes, host, code))
MAKES(cl_program, clCreateProgramWithSource, CL_OUT_OF_RESOURCES,
      (cl_context context, cl_uint n, const char **texts, const size_t *lengths, cl_int *code),
      (context, n, texts, lengths, code))
MAKES(cl_program, clCreateProgramWithBinary, CL_INVALID_BINARY,
      (cl_context context, cl_uint n, const cl_device_id *ids, const size_t *lengths, const unsigned char **binaries,
       cl_int *status, cl_int *code),
      (context, n, ids, lengths, binaries, status, code))
MAKES(cl_kernel, clCreateKernel, CL_OUT_OF_RESOURCES, (cl_program program, const char *name, cl_int *code),
      (program, name, code))

/* Mapping makes no object. */
WRAPS(void *, clEnqueueMapBuffer,
      (cl_command_queue q, cl_mem m, cl_bool blocking, cl_map_flags flags, size_t offset, size_t bytes, cl_uint n,
       const cl_event *wait, cl_event *done, cl_int *code)) {
    if (fails(FAULT_DEVICE, "clEnqueueMapBuffer")) {
        if (code) *code = CL_MAP_FAILURE;
        return NULL;
    }
    return __real_clEnqueueMapBuffer(q, m, blocking, flags, offset, bytes, n, wait, done, code);
}

#define QUEUE cl_command_queue q
#define LIST  cl_uint n, const cl_event *wait, cl_event *done
ENQUEUES(clEnqueueUnmapMemObject, (QUEUE, cl_mem m, void *memory, LIST), (q, m, memory, n, wait, done))
ENQUEUES(clEnqueueCopyBuffer, (QUEUE, cl_mem from, cl_mem to, size_t a, size_t b, size_t bytes, LIST),
         (q, from, to, a, b, bytes, n, wait, done))
ENQUEUES(clEnqueueCopyBufferRect,
         (QUEUE, cl_mem from, cl_mem to, const size_t *a, const size_t *b, const size_t *region, size_t ra, size_t sa,
          size_t rb, size_t sb, LIST),
         (q, from, to, a, b, region, ra, sa, rb, sb, n, wait, done))
ENQUEUES(clEnqueueFillBuffer, (QUEUE, cl_mem m, const void *pattern, size_t width, size_t at, size_t bytes, LIST),
         (q, m, pattern, width, at, bytes, n, wait, done))
ENQUEUES(clEnqueueReadBuffer, (QUEUE, cl_mem m, cl_bool blocking, size_t at, size_t bytes, void *host, LIST),
         (q, m, blocking, at, bytes, host, n, wait, done))
ENQUEUES(clEnqueueWriteBuffer, (QUEUE, cl_mem m, cl_bool blocking, size_t at, size_t bytes, const void *host, LIST),
         (q, m, blocking, at, bytes, host, n, wait, done))
#define RECT const size_t *a, const size_t *b, const size_t *region, size_t ra, size_t sa, size_t rb, size_t sb
ENQUEUES(clEnqueueReadBufferRect, (QUEUE, cl_mem m, cl_bool blocking, RECT, void *host, LIST),
         (q, m, blocking, a, b, region, ra, sa, rb, sb, host, n, wait, done))
ENQUEUES(clEnqueueWriteBufferRect, (QUEUE, cl_mem m, cl_bool blocking, RECT, const void *host, LIST),
         (q, m, blocking, a, b, region, ra, sa, rb, sb, host, n, wait, done))
ENQUEUES(clEnqueueNDRangeKernel,
         (QUEUE, cl_kernel kernel, cl_uint d, const size_t *at, const size_t *global, const size_t *local, LIST),
         (q, kernel, d, at, global, local, n, wait, done))
ENQUEUES(clEnqueueMarkerWithWaitList, (QUEUE, LIST), (q, n, wait, done))
ENQUEUES(clEnqueueBarrierWithWaitList, (QUEUE, LIST), (q, n, wait, done))

WAITS(clFinish, (QUEUE), (q))
WAITS(clWaitForEvents, (cl_uint n, const cl_event *events), (n, events))

#define INFO size_t bytes, void *value, size_t *size
CALLS(clFlush, CL_OUT_OF_RESOURCES, 0, (QUEUE), (q))
CALLS(clSetKernelArg, CL_OUT_OF_RESOURCES, 0, (cl_kernel kernel, cl_uint i, size_t bytes, const void *value),
      (kernel, i, bytes, value))
CALLS(clBuildProgram, CL_BUILD_PROGRAM_FAILURE, 0,
      (cl_program program, cl_uint n, const cl_device_id *ids, const char *options, built f, void *user),
      (program, n, ids, options, f, user))
CALLS(clGetPlatformIDs, CL_OUT_OF_HOST_MEMORY, 0, (cl_uint n, cl_platform_id *ids, cl_uint *count), (n, ids, count))
CALLS(clGetPlatformInfo, CL_OUT_OF_HOST_MEMORY, 0, (cl_platform_id id, cl_platform_info what, INFO),
      (id, what, bytes, value, size))
CALLS(clGetDeviceIDs, CL_OUT_OF_RESOURCES, 0,
      (cl_platform_id id, cl_device_type type, cl_uint n, cl_device_id *ids, cl_uint *count), (id, type, n, ids, count))
CALLS(clGetDeviceInfo, CL_OUT_OF_RESOURCES, 0, (cl_device_id id, cl_device_info what, INFO),
      (id, what, bytes, value, size))
CALLS(clGetContextInfo, CL_OUT_OF_RESOURCES, 0, (cl_context id, cl_context_info what, INFO),
      (id, what, bytes, value, size))
CALLS(clGetCommandQueueInfo, CL_OUT_OF_RESOURCES, 0, (QUEUE, cl_command_queue_info what, INFO),
      (q, what, bytes, value, size))
CALLS(clGetMemObjectInfo, CL_OUT_OF_RESOURCES, 0, (cl_mem m, cl_mem_info what, INFO), (m, what, bytes, value, size))
CALLS(clGetProgramInfo, CL_OUT_OF_RESOURCES, 0, (cl_program program, cl_program_info what, INFO),
      (program, what, bytes, value, size))
CALLS(clGetProgramBuildInfo, CL_OUT_OF_RESOURCES, 0,
      (cl_program program, cl_device_id id, cl_program_build_info what, INFO), (program, id, what, bytes, value, size))
CALLS(clGetKernelInfo, CL_OUT_OF_RESOURCES, 0, (cl_kernel kernel, cl_kernel_info what, INFO),
      (kernel, what, bytes, value, size))
CALLS(clGetEventInfo, CL_OUT_OF_RESOURCES, 0, (cl_event event, cl_event_info what, INFO),
      (event, what, bytes, value, size))
CALLS(clGetEventProfilingInfo, CL_OUT_OF_RESOURCES, 0, (cl_event event, cl_profiling_info what, INFO),
      (event, what, bytes, value, size))
CALLS(clRetainEvent, CL_OUT_OF_RESOURCES, 1, (cl_event event), (event))
CALLS(clRetainMemObject, CL_OUT_OF_RESOURCES, 1, (cl_mem m), (m))
CALLS(clRetainContext, CL_OUT_OF_RESOURCES, 1, (cl_context context), (context))
CALLS(clRetainCommandQueue, CL_OUT_OF_RESOURCES, 1, (QUEUE), (q))

RELEASES(clReleaseContext, cl_context)
RELEASES(clReleaseCommandQueue, cl_command_queue)
RELEASES(clReleaseMemObject, cl_mem)
RELEASES(clReleaseProgram, cl_program)
RELEASES(clReleaseKernel, cl_kernel)
RELEASES(clReleaseEvent, cl_event)

#ifdef CLSOLVE_CLBLAST
#define GEMM(name, real)                                                                                               \
    CLBlastStatusCode __real_##name(CLBlastLayout layout, CLBlastTranspose ta, CLBlastTranspose tb, size_t m,          \
                                    size_t n, size_t k, real alpha, cl_mem A, size_t oa, size_t lda, cl_mem B,         \
                                    size_t ob, size_t ldb, real beta, cl_mem C, size_t oc, size_t ldc,                 \
                                    cl_command_queue *q, cl_event *done);                                              \
    CLBlastStatusCode __wrap_##name(CLBlastLayout layout, CLBlastTranspose ta, CLBlastTranspose tb, size_t m,          \
                                    size_t n, size_t k, real alpha, cl_mem A, size_t oa, size_t lda, cl_mem B,         \
                                    size_t ob, size_t ldb, real beta, cl_mem C, size_t oc, size_t ldc,                 \
                                    cl_command_queue *q, cl_event *done);                                              \
    CLBlastStatusCode __wrap_##name(CLBlastLayout layout, CLBlastTranspose ta, CLBlastTranspose tb, size_t m,          \
                                    size_t n, size_t k, real alpha, cl_mem A, size_t oa, size_t lda, cl_mem B,         \
                                    size_t ob, size_t ldb, real beta, cl_mem C, size_t oc, size_t ldc,                 \
                                    cl_command_queue *q, cl_event *done) {                                             \
        if (fails(FAULT_DEVICE, "CLBlast")) return CLBlastOpenCLOutOfResources;                                        \
        return __real_##name(layout, ta, tb, m, n, k, alpha, A, oa, lda, B, ob, ldb, beta, C, oc, ldc, q, done);       \
    }
GEMM(CLBlastDgemm, double)
GEMM(CLBlastSgemm, float)
GEMM(CLBlastCgemm, cl_float2)
GEMM(CLBlastZgemm, cl_double2)
#endif
