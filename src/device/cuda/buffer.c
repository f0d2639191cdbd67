/* buffer.c: device memory, pinned host memory, and what moves or fills it without the host. */
#include "device/cuda/enter.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

static clsolve_status refused(cls_cuda *device, size_t bytes) {
    char why[128];
    size_t left = 0, all = 0;
    if (device->driver.memory_info(&left, &all) == CUDA_SUCCESS)
        (void)snprintf(why, sizeof why, "; cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (2), %zu bytes are free", left);
    else
        (void)snprintf(why, sizeof why, "; cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (2)");
    return cls_buffer_too_much(&device->base, bytes, why);
}

/* cuBLAS takes workspaces of the free memory when it first multiplies. */
static int64_t less_reserve(int64_t left) {
    const int64_t most = 128 * 1024 * 1024;
    return left - (left / 8 < most ? left / 8 : most);
}

int64_t cls_cuda_memory_left(cls_device *base) {
    cls_cuda *device = cls_cuda_of(base);
    size_t left = 0, all = 0;
    int64_t counted = base->info.global_memory - base->counters.buffer_bytes;
    if (counted < 0) counted = 0;
    if (device->driver.context_push(device->context) != CUDA_SUCCESS) return counted;
    CUcontext popped;
    CUresult code = device->driver.memory_info(&left, &all);
    (void)device->driver.context_pop(&popped);
    if (code != CUDA_SUCCESS || left > INT64_MAX) return counted;
    int64_t there = less_reserve((int64_t)left);
    return there < counted ? there : counted;
}

static clsolve_status take(cls_cuda *device, size_t bytes, CUdeviceptr *address) {
    CUresult code = device->driver.memory_alloc(address, bytes > 0 ? bytes : 1);
    if (code == CUDA_ERROR_OUT_OF_MEMORY) return refused(device, bytes);
    return cls_cuda_check(device, "cuMemAlloc", code);
}

static clsolve_status take_within(cls_cuda *device, size_t bytes, CUdeviceptr *address) {
    CLS_CUDA_WITHIN(device, take(device, bytes, address));
}

clsolve_status cls_cuda_buffer_create(cls_device *base, size_t bytes, cls_buffer **buffer) {
    CUdeviceptr address = 0;
    *buffer = NULL;
    CLS_TRY(cls_buffer_check(base, bytes));
    cls_buffer *made = cls_alloc(1, sizeof *made);
    if (!made) return cls_fail(base->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no memory for a buffer's record");
    clsolve_status status = take_within(cls_cuda_of(base), bytes, &address);
    if (status != CLSOLVE_OK) {
        cls_free(made);
        return status;
    }
    made->memory = (void *)(uintptr_t)address;
    made->bytes = bytes;
    base->counters.buffers++;
    base->counters.buffer_bytes += (int64_t)bytes;
    *buffer = made;
    return CLSOLVE_OK;
}

void cls_cuda_buffer_destroy(cls_device *base, cls_buffer *buffer) {
    cls_cuda *device = cls_cuda_of(base);
    if (!buffer) return;
    if (buffer->pinned) {
        cls_cuda_pinned_destroy(base, buffer->pinned);
    } else if (!buffer->adopted) {
        /* Freeing waits for all that is on the device, the caller's work too. */
        if (cls_cuda_enter(device) == CLSOLVE_OK) {
            (void)device->driver.memory_free(cls_cuda_address(buffer));
            (void)cls_cuda_leave(device, CLSOLVE_OK);
        }
        base->counters.buffers--;
        base->counters.buffer_bytes -= (int64_t)buffer->bytes;
    }
    cls_free(buffer);
}

static clsolve_status no_memory_of_it(cls_device *device, const char *why) {
    return cls_fail(device->error, CLSOLVE_ERROR_INVALID_ARGUMENT, "the matrix's data is %s", why);
}

/* How much there is from the pointer on. */
static clsolve_status measure(cls_cuda *device, CUdeviceptr address, size_t *bytes) {
    unsigned type = 0;
    int ordinal = -1;
    CUdeviceptr begin = 0;
    size_t all = 0;
    if (device->driver.pointer_attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) != CUDA_SUCCESS ||
        type != CU_MEMORYTYPE_DEVICE)
        return no_memory_of_it(&device->base, "no memory on a CUDA device: give a pointer of cuMemAlloc or cudaMalloc");
    if (device->driver.pointer_attribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address) != CUDA_SUCCESS ||
        ordinal != (int)device->id)
        return no_memory_of_it(&device->base, "on another CUDA device than the one of the context");
    CLS_TRY_CU(device, "cuMemGetAddressRange", device->driver.memory_range(&begin, &all, address));
    *bytes = (size_t)(begin + all - address);
    return CLSOLVE_OK;
}

static clsolve_status measure_within(cls_cuda *device, CUdeviceptr address, size_t *bytes) {
    CLS_CUDA_WITHIN(device, measure(device, address, bytes));
}

clsolve_status cls_cuda_adopt(cls_device *base, void *memory, cls_buffer **buffer, size_t *bytes) {
    *buffer = NULL;
    *bytes = 0;
    /* Work of the caller's and of this context's own queues are in no order. */
    if (!base->callers)
        return cls_fail(
            base->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
            "the matrix is on the device, but this context is not made of the caller's own CUDA: make it by "
            "clsolve_context_create_cuda");
    CLS_TRY(measure_within(cls_cuda_of(base), (CUdeviceptr)(uintptr_t)memory, bytes));
    cls_buffer *made = cls_alloc(1, sizeof *made);
    if (!made) return cls_fail(base->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no memory for a buffer's record");
    made->memory = memory;
    made->bytes = *bytes;
    made->begin = (size_t)(uintptr_t)memory;
    made->adopted = true;
    *buffer = made;
    return CLSOLVE_OK;
}

/* ---- pinned memory ---- */

static CUresult host_alloc(cls_cuda *device, void **memory, size_t bytes) {
    CUcontext popped;
    CUresult code = device->driver.context_push(device->context);
    if (code != CUDA_SUCCESS) return code;
    code = device->driver.host_alloc(memory, bytes, CU_MEMHOSTALLOC_PORTABLE);
    (void)device->driver.context_pop(&popped);
    return code;
}

clsolve_status cls_cuda_pinned_create(cls_device *base, size_t bytes, cls_pinned **pinned, void **memory) {
    cls_cuda *device = cls_cuda_of(base);
    *pinned = NULL;
    *memory = NULL;
    cls_pinned *made = cls_alloc(1, sizeof *made);
    if (!made) return cls_fail(base->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no memory for a pinned buffer's record");
    void *host = NULL;
    made->bytes = bytes > 0 ? bytes : 1;
    CUresult code = host_alloc(device, &host, made->bytes);
    if (code != CUDA_SUCCESS) {
        cls_free(made);
        const char *name = NULL;
        if (device->driver.error_name(code, &name) != CUDA_SUCCESS || !name) name = "unknown error";
        return cls_fail(base->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                        "no pinned host memory of %zu bytes: cuMemHostAlloc failed: %s (%d)", bytes, name, (int)code);
    }
    made->host = host;
    made->next = device->pinned;
    device->pinned = made;
    *pinned = made;
    *memory = made->host;
    return CLSOLVE_OK;
}

void cls_cuda_pinned_destroy(cls_device *base, cls_pinned *pinned) {
    cls_cuda *device = cls_cuda_of(base);
    CUcontext popped;
    if (!pinned) return;
    cls_pinned **link = &device->pinned;
    while (*link && *link != pinned) link = &(*link)->next;
    if (*link) *link = pinned->next;
    if (device->driver.context_push(device->context) == CUDA_SUCCESS) {
        /* A copy may still be under way. */
        for (int q = 0; q < CLS_QUEUES; q++)
            if (device->queues[q]) (void)device->driver.stream_wait(device->queues[q]);
        (void)device->driver.host_free(pinned->host);
        (void)device->driver.context_pop(&popped);
    }
    cls_free(pinned);
}

/* With unified addresses, which each GPU of a 64-bit system has, the host's pointer is the device's too. */
clsolve_status cls_cuda_seen_create(cls_device *base, size_t bytes, cls_buffer **buffer, void **memory) {
    cls_pinned *pinned;
    *buffer = NULL;
    CLS_TRY(cls_cuda_pinned_create(base, bytes, &pinned, memory));
    cls_buffer *made = cls_alloc(1, sizeof *made);
    if (!made) {
        cls_cuda_pinned_destroy(base, pinned);
        return cls_fail(base->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no memory for a buffer's record");
    }
    memset(*memory, 0, bytes);
    *made = (cls_buffer){.memory = *memory, .bytes = bytes, .pinned = pinned};
    *buffer = made;
    return CLSOLVE_OK;
}

/* ---- without the host ---- */

clsolve_status cls_cuda_inside(cls_device *device, const cls_buffer *buffer, const char *call, size_t offset,
                               size_t pitch, size_t bytes, size_t columns) {
    size_t left = offset <= buffer->bytes ? buffer->bytes - offset : 0;
    if (offset <= buffer->bytes && bytes <= left && (columns == 1 || pitch <= (left - bytes) / (columns - 1)))
        return CLSOLVE_OK;
    return cls_fail(
        device->error, CLSOLVE_ERROR_DEVICE,
        "%s failed: CUDA_ERROR_INVALID_VALUE (1): %zu x %zu bytes from %zu on, %zu apart, are beyond a buffer "
        "of %zu",
        call, columns, bytes, offset, pitch, buffer->bytes);
}

clsolve_status cls_cuda_copy(cls_device *base, cls_queue queue, cls_buffer *from, size_t from_offset, cls_buffer *to,
                             size_t to_offset, size_t bytes) {
    cls_cuda *device = cls_cuda_of(base);
    if (bytes == 0) return CLSOLVE_OK;
    CLS_TRY(cls_cuda_inside(base, from, "cuMemcpyDtoDAsync", from_offset, bytes, bytes, 1));
    CLS_TRY(cls_cuda_inside(base, to, "cuMemcpyDtoDAsync", to_offset, bytes, bytes, 1));
    const CUdeviceptr source = cls_cuda_address(from) + from_offset, target = cls_cuda_address(to) + to_offset;
    CLS_CUDA_WITHIN(device, cls_cuda_check(device, "cuMemcpyDtoDAsync",
                                           device->driver.copy_across(target, source, bytes, device->queues[queue])));
}

CUresult cls_cuda_copy_2d(const cls_cuda_driver *driver, CUDA_MEMCPY2D *all, CUstream stream) {
    if (all->srcPitch <= INT_MAX && all->dstPitch <= INT_MAX) return driver->copy_2d(all, stream);
    CUDA_MEMCPY2D one = *all;
    one.Height = 1;
    one.srcPitch = one.dstPitch = one.WidthInBytes;
    for (size_t c = 0; c < all->Height; c++) {
        one.srcHost = (const char *)all->srcHost + (all->srcMemoryType == CU_MEMORYTYPE_HOST ? c * all->srcPitch : 0);
        one.dstHost = (char *)all->dstHost + (all->dstMemoryType == CU_MEMORYTYPE_HOST ? c * all->dstPitch : 0);
        one.srcDevice = all->srcDevice + c * all->srcPitch;
        one.dstDevice = all->dstDevice + c * all->dstPitch;
        CUresult code = driver->copy_2d(&one, stream);
        if (code != CUDA_SUCCESS) return code;
    }
    return CUDA_SUCCESS;
}

clsolve_status cls_cuda_copy_rect(cls_device *base, cls_queue queue, cls_buffer *from, cls_buffer *to,
                                  const cls_span *span) {
    cls_cuda *device = cls_cuda_of(base);
    size_t bytes = span->bytes, columns = span->columns;
    if (bytes == 0 || columns == 0) return CLSOLVE_OK;
    CLS_TRY(cls_cuda_inside(base, from, "cuMemcpy2DAsync", span->from_offset, span->from_pitch, bytes, columns));
    CLS_TRY(cls_cuda_inside(base, to, "cuMemcpy2DAsync", span->to_offset, span->to_pitch, bytes, columns));
    CUDA_MEMCPY2D all = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                         .srcDevice = cls_cuda_address(from) + span->from_offset,
                         .srcPitch = columns > 1 ? span->from_pitch : bytes,
                         .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                         .dstDevice = cls_cuda_address(to) + span->to_offset,
                         .dstPitch = columns > 1 ? span->to_pitch : bytes,
                         .WidthInBytes = bytes,
                         .Height = columns};
    CLS_CUDA_WITHIN(device, cls_cuda_check(device, "cuMemcpy2DAsync",
                                           cls_cuda_copy_2d(&device->driver, &all, device->queues[queue])));
}

/* By words where the range is made of them: a byte at a time is slower. */
static clsolve_status fill(cls_cuda *device, cls_queue queue, CUdeviceptr at, size_t bytes, unsigned char value) {
    if (at % 4 == 0 && bytes % 4 == 0)
        CLS_TRY_CU(device, "cuMemsetD32Async",
                   device->driver.set_words(at, value * 0x01010101u, bytes / 4, device->queues[queue]));
    else
        CLS_TRY_CU(device, "cuMemsetD8Async", device->driver.set_bytes(at, value, bytes, device->queues[queue]));
    return CLSOLVE_OK;
}

clsolve_status cls_cuda_fill(cls_device *base, cls_queue queue, cls_buffer *buffer, size_t offset, size_t bytes,
                             unsigned char value) {
    cls_cuda *device = cls_cuda_of(base);
    if (bytes == 0) return CLSOLVE_OK;
    CLS_TRY(cls_cuda_inside(base, buffer, "cuMemsetD8Async", offset, bytes, bytes, 1));
    CLS_CUDA_WITHIN(device, fill(device, queue, cls_cuda_address(buffer) + offset, bytes, value));
}

clsolve_status cls_cuda_map(cls_device *device, cls_buffer *buffer, void **memory) {
    (void)buffer;
    *memory = NULL;
    return cls_fail(device->error, CLSOLVE_ERROR_UNSUPPORTED,
                    "%s does not work in the host's memory: its buffers cannot be mapped", device->info.name);
}

clsolve_status cls_cuda_unmap(cls_device *device, cls_buffer *buffer, void *memory) {
    return cls_cuda_map(device, buffer, &memory);
}
