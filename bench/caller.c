/* caller.c: see caller.h. CUDA's driver is loaded at run time, and needs no header of CUDA. */
#include "caller.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clsolve/cuda.h>
#include <clsolve/opencl.h>

/* CUDA's driver: 0 is success. */
typedef struct cuda_driver {
    void *library;
    int (*init)(unsigned flags);
    int (*primary_retain)(void **context, int device);
    int (*primary_release)(int device);
    int (*push)(void *context);
    int (*pop)(void **context);
    int (*alloc)(unsigned long long *memory, size_t bytes);
    int (*release)(unsigned long long memory);
    int (*stream_create)(void **stream, unsigned flags);
    int (*stream_destroy)(void *stream);
    int (*finish)(void *stream);
    int (*up)(unsigned long long to, const void *from, size_t bytes, void *stream);
    int (*down)(void *to, unsigned long long from, size_t bytes, void *stream);
} cuda_driver;

struct bench_caller {
    clsolve_context *context;
    cuda_driver cuda;       /* library NULL: the device is one of OpenCL */
    void *primary, *stream; /* of its copies: the context has streams of its own, which are urgent */
    int device;
    cl_context cl;
    cl_command_queue queue;
};

static char said[256];

const char *bench_caller_message(void) {
    return said;
}

clsolve_context *bench_caller_context(const bench_caller *caller) {
    return caller->context;
}

/* ---- CUDA ---- */

static int load(cuda_driver *cuda) {
    cuda->library = dlopen("libcuda.so.1", RTLD_NOW);
    const struct {
        void *function;
        const char *name;
    } list[] = {{&cuda->init, "cuInit"},
                {&cuda->primary_retain, "cuDevicePrimaryCtxRetain"},
                {&cuda->primary_release, "cuDevicePrimaryCtxRelease_v2"},
                {&cuda->push, "cuCtxPushCurrent_v2"},
                {&cuda->pop, "cuCtxPopCurrent_v2"},
                {&cuda->alloc, "cuMemAlloc_v2"},
                {&cuda->release, "cuMemFree_v2"},
                {&cuda->stream_create, "cuStreamCreate"},
                {&cuda->stream_destroy, "cuStreamDestroy_v2"},
                {&cuda->finish, "cuStreamSynchronize"},
                {&cuda->up, "cuMemcpyHtoDAsync_v2"},
                {&cuda->down, "cuMemcpyDtoHAsync_v2"}};
    int found = cuda->library != NULL;
    for (size_t k = 0; k < sizeof list / sizeof *list && found; k++) {
        void *const function = dlsym(cuda->library, list[k].name);
        memcpy(list[k].function, &function, sizeof function);
        found = function != NULL;
    }
    return found;
}

static int open_cuda(bench_caller *c, const clsolve_device_info *info) {
    c->device = atoi(info->selector + strlen("cuda:"));
    void *popped;
    if (!load(&c->cuda) || c->cuda.init(0) != 0 || c->cuda.primary_retain(&c->primary, c->device) != 0) return 0;
    if (c->cuda.push(c->primary) != 0) return 0;
    const int code = c->cuda.stream_create(&c->stream, 1); /* waits for no other one */
    (void)c->cuda.pop(&popped);
    if (code != 0) return 0;
    const clsolve_context_options options = {.message = said, .message_size = sizeof said};
    return clsolve_context_create_cuda(c->device, NULL, &options, &c->context) == CLSOLVE_OK;
}

/* ---- OpenCL ---- */

static int is_named(cl_device_id device, const clsolve_device_info *info) {
    char name[256] = "", platform_name[256] = "";
    cl_platform_id platform = NULL;
    (void)clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    (void)clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    (void)clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof platform_name, platform_name, NULL);
    return strstr(name, info->name) && strstr(platform_name, info->platform);
}

/* The first one of that name. */
static int find_opencl(const clsolve_device_info *info, cl_device_id *found) {
    enum { MOST = 16 };
    cl_platform_id platforms[MOST];
    cl_uint count = 0;
    if (clGetPlatformIDs(MOST, platforms, &count) != CL_SUCCESS) return 0;
    for (cl_uint p = 0; p < count && p < MOST; p++) {
        cl_device_id ids[MOST];
        cl_uint devices = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MOST, ids, &devices) != CL_SUCCESS) continue;
        for (cl_uint d = 0; d < devices && d < MOST; d++) {
            *found = ids[d];
            if (is_named(ids[d], info)) return 1;
        }
    }
    return 0;
}

static int open_opencl(bench_caller *c, const clsolve_device_info *info) {
    cl_device_id device;
    cl_int code = CL_SUCCESS;
    if (!find_opencl(info, &device)) return 0;
    c->cl = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    if (c->cl) c->queue = clCreateCommandQueue(c->cl, device, 0, &code);
    if (code != CL_SUCCESS) return 0;
    const clsolve_context_options options = {.message = said, .message_size = sizeof said};
    return clsolve_context_create_opencl(c->cl, device, c->queue, &options, &c->context) == CLSOLVE_OK;
}

/* ---- both ---- */

static int find_info(const char *selector, clsolve_device_info *info) {
    clsolve_context *any = NULL;
    const clsolve_context_options options = {.selector = selector, .message = said, .message_size = sizeof said};
    if (clsolve_context_create_with(&options, &any) != CLSOLVE_OK) return 0;
    *info = clsolve_context_device(any);
    clsolve_context_destroy(any);
    return 1;
}

bench_caller *bench_caller_open(const char *selector) {
    clsolve_device_info info;
    bench_caller *c = calloc(1, sizeof *c);
    (void)snprintf(said, sizeof said, "%s", "no memory");
    if (!c || !find_info(selector, &info)) {
        free(c);
        return NULL;
    }
    (void)snprintf(said, sizeof said, "%s has no memory that a program can take by itself", info.selector);
    const int is_cuda = strcmp(info.backend, "cuda") == 0, is_opencl = strcmp(info.backend, "opencl") == 0;
    if ((is_cuda && open_cuda(c, &info)) || (is_opencl && open_opencl(c, &info))) return c;
    bench_caller_close(c);
    return NULL;
}

void bench_caller_close(bench_caller *c) {
    if (!c) return;
    clsolve_context_destroy(c->context);
    if (c->queue) (void)clReleaseCommandQueue(c->queue);
    if (c->cl) (void)clReleaseContext(c->cl);
    if (c->stream && c->cuda.push(c->primary) == 0) {
        (void)c->cuda.stream_destroy(c->stream);
        (void)c->cuda.pop(&c->stream);
    }
    if (c->primary) (void)c->cuda.primary_release(c->device);
    if (c->cuda.library) (void)dlclose(c->cuda.library);
    free(c);
}

typedef enum action { TAKE, DROP, PUT, GET } action;

static int act_by_cuda(const bench_caller *c, action what, clsolve_matrix *column, void *host) {
    const size_t bytes = (size_t)column->rows * sizeof(double);
    unsigned long long memory = (uintptr_t)column->data;
    void *popped;
    if (c->cuda.push(c->primary) != 0) return 0;
    int code = what == TAKE   ? c->cuda.alloc(&memory, bytes + 1)
               : what == DROP ? c->cuda.release(memory)
               : what == PUT  ? c->cuda.up(memory, host, bytes, c->stream)
                              : c->cuda.down(host, memory, bytes, c->stream);
    if ((what == PUT || what == GET) && code == 0) code = c->cuda.finish(c->stream);
    (void)c->cuda.pop(&popped);
    if (what == TAKE && code == 0) column->data = (void *)(uintptr_t)memory;
    return code == 0;
}

static int act_by_opencl(const bench_caller *c, action what, clsolve_matrix *column, void *host) {
    const size_t bytes = (size_t)column->rows * sizeof(double);
    cl_mem memory = column->data;
    cl_int code = CL_SUCCESS;
    if (what == TAKE) column->data = clCreateBuffer(c->cl, CL_MEM_READ_WRITE, bytes + 1, NULL, &code);
    if (what == DROP) code = clReleaseMemObject(memory);
    if (what == PUT) code = clEnqueueWriteBuffer(c->queue, memory, CL_TRUE, 0, bytes, host, 0, NULL, NULL);
    if (what == GET) code = clEnqueueReadBuffer(c->queue, memory, CL_TRUE, 0, bytes, host, 0, NULL, NULL);
    return code == CL_SUCCESS;
}

static int act(const bench_caller *c, action what, clsolve_matrix *column, void *host) {
    return c->primary ? act_by_cuda(c, what, column, host) : act_by_opencl(c, what, column, host);
}

int bench_caller_take(bench_caller *c, int64_t count, clsolve_matrix *column) {
    *column = clsolve_matrix_f64(count, 1, NULL);
    column->place = CLSOLVE_ON_DEVICE;
    return act(c, TAKE, column, NULL);
}

void bench_caller_drop(bench_caller *c, clsolve_matrix *column) {
    if (column->data) (void)act(c, DROP, column, NULL);
    column->data = NULL;
}

int bench_caller_put(bench_caller *c, const clsolve_matrix *column, const double *from) {
    clsolve_matrix view = *column;
    return act(c, PUT, &view, (void *)(uintptr_t)from); /* it is only read */
}

int bench_caller_get(bench_caller *c, const clsolve_matrix *column, double *to) {
    clsolve_matrix view = *column;
    return act(c, GET, &view, to);
}
