/* memory.c: of libcuda.so.1 the memory and its copies, see stand_in.h. */
#include "driver.h"

#include <pthread.h>
#include <stdlib.h>

/* Memory that was handed out, of the device or pinned on the host. */
typedef struct block {
    char *begin;
    size_t bytes;
    CUmemorytype type;
    CUcontext context;
    struct block *next;
} block;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of blocks */
static block *blocks;

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
    *made = (block){memory, bytes, type, stand_in_current(), blocks};
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
        if (b->begin != memory || b->type != type || b->context != stand_in_current()) continue;
        *link = b->next;
        begin = b->begin;
        free(b);
        break;
    }
    (void)pthread_mutex_unlock(&lock);
    return begin;
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
    stand_in_finish_all();
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
    const char *told = getenv("CLSOLVE_STAND_IN_FREE"); /* bytes that others have left */
    *all = (size_t)1 << 32;
    *left = told ? (size_t)strtoull(told, NULL, 10) : *all;
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

static bool is_memory_of(CUcontext context, const void *address, size_t bytes) {
    const char *at = address;
    block *b = block_of(at);
    return b && b->type == CU_MEMORYTYPE_DEVICE && b->context == context && at + bytes <= b->begin + b->bytes;
}

bool stand_in_is_memory(const void *address, size_t bytes, CUmemorytype type) {
    block *b = block_of(address);
    if (type == CU_MEMORYTYPE_HOST) return !b || b->type == CU_MEMORYTYPE_HOST;
    return is_memory_of(stand_in_current(), address, bytes);
}

static CUresult copy(CUstream stream, void *to, CUmemorytype to_type, const void *from, CUmemorytype from_type,
                     size_t bytes) {
    NEED_STREAM(stream);
    if (!stand_in_is_memory(to, bytes, to_type) || !stand_in_is_memory(from, bytes, from_type))
        return CUDA_ERROR_INVALID_VALUE;
    stand_in_close(stream);
    return stand_in_outcome(clEnqueueSVMMemcpy(stream->queue, CL_FALSE, to, from, bytes, 0, NULL, NULL));
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

/* Between devices, for which alone the library has it. */
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *c, CUstream stream) {
    NEED_STREAM(stream);
    const bool device = c->srcMemoryType == CU_MEMORYTYPE_DEVICE && c->dstMemoryType == CU_MEMORYTYPE_DEVICE;
    if (!device || c->srcContext == c->dstContext || c->Depth != 1) return CUDA_ERROR_INVALID_VALUE;
    if (c->srcPitch < c->WidthInBytes || c->dstPitch < c->WidthInBytes) return CUDA_ERROR_INVALID_VALUE;
    if (c->srcHeight < c->Height || c->dstHeight < c->Height) return CUDA_ERROR_INVALID_VALUE;
    stand_in_close(stream);
    for (size_t y = 0; y < c->Height; y++) {
        const char *from = (const char *)c->srcDevice + y * c->srcPitch;
        char *to = (char *)c->dstDevice + y * c->dstPitch;
        if (!is_memory_of(c->srcContext, from, c->WidthInBytes) || !is_memory_of(c->dstContext, to, c->WidthInBytes))
            return CUDA_ERROR_INVALID_VALUE;
        if (clEnqueueSVMMemcpy(stream->queue, CL_FALSE, to, from, c->WidthInBytes, 0, NULL, NULL) != CL_SUCCESS)
            return CUDA_ERROR_UNKNOWN;
    }
    return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice other) {
    *can = device != other;
    return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext other, unsigned flags) {
    NEED_CONTEXT();
    return other == stand_in_current() || flags != 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

static CUresult fill(CUdeviceptr to, const void *pattern, size_t width, size_t bytes, CUstream stream) {
    NEED_STREAM(stream);
    if (to % width != 0 || !stand_in_is_memory((void *)to, bytes, CU_MEMORYTYPE_DEVICE))
        return CUDA_ERROR_INVALID_VALUE;
    stand_in_close(stream);
    return stand_in_outcome(clEnqueueSVMMemFill(stream->queue, (void *)to, pattern, width, bytes, 0, NULL, NULL));
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
    return fill(to, &value, 1, count, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
    return fill(to, &value, 4, 4 * count, stream);
}
