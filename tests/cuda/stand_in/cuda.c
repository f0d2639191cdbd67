/* cuda.c: libcuda.so.1, see stand_in.h. */
#include "stand_in.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES = 2, DEPTH = 8, PARAMS = 48 };

/* Memory that was handed out, of the device or pinned on the host. */
typedef struct block {
    char *begin;
    size_t bytes;
    CUmemorytype type;
    CUcontext context;
    struct block *next;
} block;

struct CUmod_st {
    cl_program program;
};

struct CUfunc_st {
    cl_kernel kernel;
    cl_uint count;
    size_t size[PARAMS];
    cl_kernel_arg_address_qualifier place[PARAMS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all below */
static struct CUctx_st primary[DEVICES] = {{0, 0}, {1, 0}};
static block *blocks;
static struct CUstream_st *streams[256];

static _Thread_local CUcontext stack[DEPTH];
static _Thread_local int depth;

static CUcontext current(void) {
    return depth > 0 ? stack[depth - 1] : NULL;
}

#define NEED_CONTEXT()                                                                                                 \
    do {                                                                                                               \
        if (!current() || current()->retained < 1) return CUDA_ERROR_INVALID_CONTEXT;                                  \
    } while (0)
#define NEED_STREAM(stream)                                                                                            \
    do {                                                                                                               \
        NEED_CONTEXT();                                                                                                \
        if (!(stream) || (stream)->context != current()) return CUDA_ERROR_INVALID_HANDLE;                             \
    } while (0)

/* Before something is enqueued. */
static void close_gate(CUstream stream) {
    if (atomic_load(&stream->gate)) return;
    cl_event gate = clCreateUserEvent(stand_in_device_get()->context, NULL);
    (void)clEnqueueBarrierWithWaitList(stream->queue, 1, &gate, NULL);
    atomic_store(&stream->gate, gate);
}

static cl_int finish(CUstream stream) {
    stand_in_open(stream);
    return clFinish(stream->queue);
}

static CUresult outcome(cl_int code) {
    return code == CL_SUCCESS ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

/* ---- driver, devices, contexts ---- */

CUresult cuInit(unsigned flags) {
    (void)flags;
    return stand_in_device_get() ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}

CUresult cuDriverGetVersion(int *version) {
    *version = 13000;
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

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device) {
    (void)device;
    *bytes = (size_t)1 << 32;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute what, CUdevice device) {
    (void)device;
    switch (what) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *value = 9;
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
    *context = current();
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device) {
    NEED_CONTEXT();
    *device = current()->ordinal;
    return CUDA_SUCCESS;
}

/* ---- memory ---- */

static block *block_of(const char *address) {
    block *found = NULL;
    (void)pthread_mutex_lock(&lock);
    for (block *b = blocks; b && !found; b = b->next)
        if (address >= b->begin && address < b->begin + b->bytes) found = b;
    (void)pthread_mutex_unlock(&lock);
    return found;
}

static CUresult hand_out(char *memory, size_t bytes, CUmemorytype type) {
    block *made = malloc(sizeof *made);
    if (!memory || !made) return CUDA_ERROR_OUT_OF_MEMORY;
    (void)pthread_mutex_lock(&lock);
    *made = (block){memory, bytes, type, current(), blocks};
    blocks = made;
    (void)pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

/* NULL: it was none of that kind, or is of another context. */
static char *take_back(char *memory, CUmemorytype type) {
    char *begin = NULL;
    (void)pthread_mutex_lock(&lock);
    for (block **link = &blocks; *link; link = &(*link)->next) {
        block *b = *link;
        if (b->begin != memory || b->type != type || b->context != current()) continue;
        *link = b->next;
        begin = b->begin;
        free(b);
        break;
    }
    (void)pthread_mutex_unlock(&lock);
    return begin;
}

static void finish_all(void) {
    for (size_t s = 0; s < sizeof streams / sizeof *streams; s++) {
        (void)pthread_mutex_lock(&lock);
        cl_command_queue queue = streams[s] ? streams[s]->queue : NULL;
        if (queue) (void)clRetainCommandQueue(queue);
        if (queue) stand_in_open(streams[s]);
        (void)pthread_mutex_unlock(&lock);
        if (!queue) continue;
        (void)clFinish(queue);
        (void)clReleaseCommandQueue(queue);
    }
}

CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes) {
    NEED_CONTEXT();
    if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    char *memory = clSVMAlloc(stand_in_device_get()->context, CL_MEM_READ_WRITE, bytes, 128);
    CUresult code = hand_out(memory, bytes, CU_MEMORYTYPE_DEVICE);
    *address = (CUdeviceptr)memory;
    return code;
}

CUresult cuMemFree(CUdeviceptr address) {
    NEED_CONTEXT();
    finish_all();
    char *memory = take_back((char *)address, CU_MEMORYTYPE_DEVICE);
    if (!memory) return CUDA_ERROR_INVALID_VALUE;
    clSVMFree(stand_in_device_get()->context, memory);
    return CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void **memory, size_t bytes, unsigned flags) {
    NEED_CONTEXT();
    (void)flags;
    *memory = malloc(bytes);
    return hand_out(*memory, bytes, CU_MEMORYTYPE_HOST);
}

CUresult cuMemFreeHost(void *memory) {
    NEED_CONTEXT();
    char *begin = take_back(memory, CU_MEMORYTYPE_HOST);
    free(begin);
    return begin ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemGetInfo(size_t *left, size_t *all) {
    NEED_CONTEXT();
    *left = *all = (size_t)1 << 32;
    return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange(CUdeviceptr *begin, size_t *bytes, CUdeviceptr address) {
    NEED_CONTEXT();
    block *b = block_of((const char *)address);
    if (!b || b->type != CU_MEMORYTYPE_DEVICE) return CUDA_ERROR_INVALID_VALUE;
    *begin = (CUdeviceptr)b->begin;
    *bytes = b->bytes;
    return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void *value, CUpointer_attribute what, CUdeviceptr address) {
    NEED_CONTEXT();
    block *b = block_of((const char *)address);
    if (!b) return CUDA_ERROR_INVALID_VALUE;
    if (what == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
        *(unsigned *)value = (unsigned)b->type;
    else if (what == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
        *(int *)value = b->context->ordinal;
    else
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

/* Of this context, and all of it within one block. */
static bool is_memory(const void *address, size_t bytes, CUmemorytype type) {
    const char *at = address;
    block *b = block_of(at);
    if (type == CU_MEMORYTYPE_HOST) return !b || b->type == CU_MEMORYTYPE_HOST;
    return b && b->type == CU_MEMORYTYPE_DEVICE && b->context == current() && at + bytes <= b->begin + b->bytes;
}

static CUresult copy(CUstream stream, void *to, CUmemorytype to_type, const void *from, CUmemorytype from_type,
                     size_t bytes) {
    NEED_STREAM(stream);
    if (!is_memory(to, bytes, to_type) || !is_memory(from, bytes, from_type)) return CUDA_ERROR_INVALID_VALUE;
    close_gate(stream);
    return outcome(clEnqueueSVMMemcpy(stream->queue, CL_FALSE, to, from, bytes, 0, NULL, NULL));
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
    return copy(stream, (void *)to, CU_MEMORYTYPE_DEVICE, from, CU_MEMORYTYPE_HOST, bytes);
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copy(stream, to, CU_MEMORYTYPE_HOST, (const void *)from, CU_MEMORYTYPE_DEVICE, bytes);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copy(stream, (void *)to, CU_MEMORYTYPE_DEVICE, (const void *)from, CU_MEMORYTYPE_DEVICE, bytes);
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *c, CUstream stream) {
    if (c->srcPitch < c->WidthInBytes || c->dstPitch < c->WidthInBytes) return CUDA_ERROR_INVALID_VALUE;
    for (size_t y = 0; y < c->Height; y++) {
        const char *from = c->srcMemoryType == CU_MEMORYTYPE_HOST ? c->srcHost : (const void *)c->srcDevice;
        char *to = c->dstMemoryType == CU_MEMORYTYPE_HOST ? c->dstHost : (void *)c->dstDevice;
        CUresult code = copy(stream, to + y * c->dstPitch, c->dstMemoryType, from + y * c->srcPitch, c->srcMemoryType,
                             c->WidthInBytes);
        if (code != CUDA_SUCCESS) return code;
    }
    return CUDA_SUCCESS;
}

static CUresult fill(CUdeviceptr to, const void *pattern, size_t width, size_t bytes, CUstream stream) {
    NEED_STREAM(stream);
    if (to % width != 0 || !is_memory((void *)to, bytes, CU_MEMORYTYPE_DEVICE)) return CUDA_ERROR_INVALID_VALUE;
    close_gate(stream);
    return outcome(clEnqueueSVMMemFill(stream->queue, (void *)to, pattern, width, bytes, 0, NULL, NULL));
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
    return fill(to, &value, 1, count, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
    return fill(to, &value, 4, 4 * count, stream);
}

/* ---- streams and events ---- */

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
    NEED_CONTEXT();
    *least = 0;
    *greatest = -5;
    return CUDA_SUCCESS;
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority) {
    NEED_CONTEXT();
    (void)flags;
    if (priority > 0 || priority < -5) return CUDA_ERROR_INVALID_VALUE;
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    const stand_in_device *on = stand_in_device_get();
    CUresult code = CUDA_ERROR_UNKNOWN;
    *stream = calloc(1, sizeof **stream);
    (*stream)->context = current();
    (*stream)->queue = clCreateCommandQueueWithProperties(on->context, on->id, properties, NULL);
    (void)pthread_mutex_lock(&lock);
    for (size_t s = 0; s < sizeof streams / sizeof *streams && code != CUDA_SUCCESS; s++) {
        if (streams[s]) continue;
        streams[s] = *stream;
        code = CUDA_SUCCESS;
    }
    (void)pthread_mutex_unlock(&lock);
    return code;
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
    return cuStreamCreateWithPriority(stream, flags, 0);
}

CUresult cuStreamDestroy(CUstream stream) {
    NEED_STREAM(stream);
    (void)finish(stream);
    (void)pthread_mutex_lock(&lock);
    for (size_t s = 0; s < sizeof streams / sizeof *streams; s++)
        if (streams[s] == stream) streams[s] = NULL;
    (void)pthread_mutex_unlock(&lock);
    (void)clReleaseCommandQueue(stream->queue);
    free(stream);
    return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream) {
    NEED_STREAM(stream);
    return outcome(finish(stream));
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) {
    *context = stream->context;
    return CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
    NEED_STREAM(stream);
    (void)flags;
    if (!event->marker) return CUDA_SUCCESS;
    close_gate(stream);
    if (event->stream != stream) stand_in_open(event->stream);
    return outcome(clEnqueueBarrierWithWaitList(stream->queue, 1, &event->marker, NULL));
}

CUresult cuEventCreate(CUevent *event, unsigned flags) {
    NEED_CONTEXT();
    (void)flags;
    *event = calloc(1, sizeof **event);
    (*event)->context = current();
    return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent event) {
    if (event->marker) (void)clReleaseEvent(event->marker);
    free(event);
    return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
    NEED_STREAM(stream);
    if (event->context != stream->context) return CUDA_ERROR_INVALID_HANDLE;
    if (event->marker) (void)clReleaseEvent(event->marker);
    event->marker = NULL;
    event->stream = stream;
    close_gate(stream);
    return outcome(clEnqueueMarkerWithWaitList(stream->queue, 0, NULL, &event->marker));
}

CUresult cuEventSynchronize(CUevent event) {
    if (!event->marker) return CUDA_SUCCESS;
    stand_in_open(event->stream);
    return outcome(clWaitForEvents(1, &event->marker));
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent begin, CUevent end) {
    cl_ulong first = 0, last = 0;
    if (!begin->marker || !end->marker) return CUDA_ERROR_INVALID_HANDLE;
    if (clGetEventProfilingInfo(begin->marker, CL_PROFILING_COMMAND_END, sizeof first, &first, NULL) != CL_SUCCESS ||
        clGetEventProfilingInfo(end->marker, CL_PROFILING_COMMAND_END, sizeof last, &last, NULL) != CL_SUCCESS)
        return CUDA_ERROR_NOT_READY;
    *milliseconds = (float)(1e-6 * ((double)last - (double)first));
    return CUDA_SUCCESS;
}

/* ---- modules and launches ---- */

/* Functions live as long as their module; here, as long as the process, which a test's is not. */
CUresult cuModuleLoadData(CUmodule *module, const void *image) {
    NEED_CONTEXT();
    const char *text = image, *end;
    char options[512], *log;
    if (strncmp(text, STAND_IN_IMAGE, strlen(STAND_IN_IMAGE)) != 0) return CUDA_ERROR_INVALID_IMAGE;
    text += strlen(STAND_IN_IMAGE);
    end = strchr(text, '\n');
    (void)snprintf(options, sizeof options, "%.*s", (int)(end - text), text);
    (void)pthread_mutex_lock(&lock);
    cl_program program = stand_in_build(options, end + 1, &log);
    (void)pthread_mutex_unlock(&lock);
    free(log);
    if (!program) return CUDA_ERROR_INVALID_IMAGE;
    *module = calloc(1, sizeof **module);
    (*module)->program = program;
    return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module) {
    NEED_CONTEXT();
    (void)clReleaseProgram(module->program);
    free(module);
    return CUDA_SUCCESS;
}

/* Of a parameter that is no pointer; 0: of a type that no kernel has. */
static size_t size_of(const char *type) {
    static const struct {
        const char *name;
        size_t size;
    } types[] = {{"idx_t", 8}, {"long", 8}, {"ulong", 8},        {"double", 8},
                 {"int", 4},   {"uint", 4}, {"unsigned int", 4}, {"float", 4}};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (strcmp(type, types[t].name) == 0) return types[t].size;
    return 0;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
    NEED_CONTEXT();
    cl_kernel kernel = clCreateKernel(module->program, name, NULL);
    if (!kernel) return CUDA_ERROR_NOT_FOUND;
    CUfunction made = calloc(1, sizeof *made);
    made->kernel = kernel;
    (void)clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof made->count, &made->count, NULL);
    for (cl_uint i = 0; i < made->count && i < PARAMS; i++) {
        char type[64] = "";
        (void)clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof made->place[i], &made->place[i],
                                 NULL);
        (void)clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL);
        made->size[i] = made->place[i] == CL_KERNEL_ARG_ADDRESS_PRIVATE ? size_of(type)
                        : made->place[i] == CL_KERNEL_ARG_ADDRESS_LOCAL ? sizeof(unsigned)
                                                                        : sizeof(CUdeviceptr);
        if (made->size[i] == 0) fprintf(stderr, "stand-in: %s has a parameter of type \"%s\"\n", name, type);
    }
    *function = made;
    return CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size) {
    if (index >= function->count) return CUDA_ERROR_INVALID_VALUE;
    *offset = 0;
    *size = function->size[index];
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute what, int value) {
    (void)function, (void)what, (void)value;
    return CUDA_SUCCESS;
}

static CUresult set_arguments(CUfunction function, void **params) {
    for (cl_uint i = 0; i < function->count; i++) {
        cl_int code;
        if (function->place[i] == CL_KERNEL_ARG_ADDRESS_PRIVATE) {
            code = clSetKernelArg(function->kernel, i, function->size[i], params[i]);
        } else {
            char *address = *(char **)params[i];
            if (!is_memory(address, 1, CU_MEMORYTYPE_DEVICE)) return CUDA_ERROR_INVALID_VALUE;
            code = clSetKernelArgSVMPointer(function->kernel, i, address);
        }
        if (code != CL_SUCCESS) return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                        unsigned bz, unsigned shared, CUstream stream, void **params, void **extra) {
    NEED_STREAM(stream);
    (void)shared, (void)extra;
    if (gx < 1 || gy < 1 || gz < 1 || gy > 65535 || gz > 65535 || bx * by * bz > 1024) return CUDA_ERROR_INVALID_VALUE;
    const size_t global[] = {(size_t)gx * bx, (size_t)gy * by, (size_t)gz * bz}, local[] = {bx, by, bz};
    CUresult code = set_arguments(function, params);
    if (code != CUDA_SUCCESS) return code;
    close_gate(stream);
    return outcome(clEnqueueNDRangeKernel(stream->queue, function->kernel, 3, NULL, global, local, 0, NULL, NULL));
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                   unsigned bz, unsigned shared, CUstream stream, void **params) {
    (void)function, (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)stream,
        (void)params;
    return CUDA_ERROR_NOT_SUPPORTED;
}
