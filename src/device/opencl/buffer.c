/* buffer.c: device memory, pinned host memory, and what moves or fills it without the host. */
#include "device/opencl/opencl.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

static clsolve_status refused(cls_device *device, size_t bytes, cl_int code) {
    char why[96];
    (void)snprintf(why, sizeof why, "; clCreateBuffer failed: %s (%d)", cls_opencl_error_name(code), (int)code);
    return cls_buffer_too_much(device, bytes, why);
}

/* cl_amd_device_attribute_query: KiB that are free, and the largest piece of them. AMD's drivers alone know it; any
 * other answers CL_INVALID_VALUE. */
enum { GLOBAL_FREE_MEMORY_AMD = 0x4039 };

int64_t cls_opencl_memory_left(cls_device *base) {
    size_t kib[2] = {0, 0};
    int64_t counted = base->info.global_memory - base->counters.buffer_bytes;
    if (counted < 0) counted = 0;
    if (clGetDeviceInfo(cls_opencl_of(base)->id, GLOBAL_FREE_MEMORY_AMD, sizeof kib, kib, NULL) != CL_SUCCESS ||
        kib[0] > (size_t)counted / 1024)
        return counted;
    return (int64_t)kib[0] * 1024;
}

clsolve_status cls_opencl_buffer_create(cls_device *device, size_t bytes, cls_buffer **buffer) {
    *buffer = NULL;
    CLS_TRY(cls_buffer_check(device, bytes));
    cls_buffer *made = cls_alloc(1, sizeof *made);
    if (!made) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no memory for a buffer's record");
    /* Where the device works in the host's memory, the driver is asked for memory that maps without a copy. */
    cl_mem_flags flags = CL_MEM_READ_WRITE | (device->info.host_memory ? CL_MEM_ALLOC_HOST_PTR : 0);
    cl_int code = CL_SUCCESS;
    made->bytes = bytes;
    made->serial = ++cls_opencl_of(device)->serial;
    made->memory = clCreateBuffer(cls_opencl_of(device)->context, flags, bytes > 0 ? bytes : 1, NULL, &code);
    if (!made->memory) {
        cls_free(made);
        if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES || code == CL_INVALID_BUFFER_SIZE)
            return refused(device, bytes, code);
        return cls_opencl_fail(device->error, code, "clCreateBuffer");
    }
    device->counters.buffers++;
    device->counters.buffer_bytes += (int64_t)bytes;
    *buffer = made;
    return CLSOLVE_OK;
}

void cls_opencl_buffer_destroy(cls_device *device, cls_buffer *buffer) {
    if (!buffer) return;
    (void)clReleaseMemObject(buffer->memory);
    if (!buffer->adopted) {
        device->counters.buffers--;
        device->counters.buffer_bytes -= (int64_t)buffer->bytes;
    }
    cls_free(buffer);
}

/* Buffers on the caller's own memory overlap where that does, other ones where they are parts of one buffer. */
static clsolve_status place(cls_device *base, cl_mem mem, cls_buffer *made) {
    cl_mem_flags flags = 0;
    cl_mem whole = NULL;
    void *host = NULL;

    CLS_TRY_CL(base, "clGetMemObjectInfo", clGetMemObjectInfo(mem, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
    CLS_TRY_CL(base, "clGetMemObjectInfo",
               clGetMemObjectInfo(mem, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(cl_mem), &whole, NULL));
    CLS_TRY_CL(base, "clGetMemObjectInfo",
               clGetMemObjectInfo(mem, CL_MEM_OFFSET, sizeof made->begin, &made->begin, NULL));
    CLS_TRY_CL(base, "clGetMemObjectInfo", clGetMemObjectInfo(mem, CL_MEM_HOST_PTR, sizeof host, &host, NULL));
    made->unread = flags & CL_MEM_WRITE_ONLY;
    made->unwritten = flags & CL_MEM_READ_ONLY;
    made->whole = whole ? whole : mem;
    if (!host) return CLSOLVE_OK;
    made->whole = NULL;
    made->begin = (size_t)(uintptr_t)host;
    return CLSOLVE_OK;
}

clsolve_status cls_opencl_adopt(cls_device *base, void *memory, cls_buffer **buffer, size_t *bytes) {
    cl_mem mem = memory;
    cl_context context = NULL;
    cl_mem_object_type type = 0;
    *buffer = NULL;
    *bytes = 0;
    /* Before the driver looks at a pointer that may be none of its objects. */
    if (!base->callers)
        return cls_fail(base->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "the matrix is on the device, but this context has no cl_context of the caller's: make it by "
                        "clsolve_context_create_opencl");
    CLS_TRY_CL(base, "clGetMemObjectInfo", clGetMemObjectInfo(mem, CL_MEM_CONTEXT, sizeof context, &context, NULL));
    CLS_TRY_CL(base, "clGetMemObjectInfo", clGetMemObjectInfo(mem, CL_MEM_TYPE, sizeof type, &type, NULL));
    CLS_TRY_CL(base, "clGetMemObjectInfo", clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof *bytes, bytes, NULL));
    if (context != cls_opencl_of(base)->context)
        return cls_fail(
            base->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
            "the buffer is of another cl_context than the one that clsolve_context_create_opencl was given");
    if (type != CL_MEM_OBJECT_BUFFER)
        return cls_fail(base->error, CLSOLVE_ERROR_INVALID_ARGUMENT, "the cl_mem is an image, not a buffer");
    cls_buffer *made = cls_alloc(1, sizeof *made);
    if (!made) return cls_fail(base->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no memory for a buffer's record");
    clsolve_status status = place(base, mem, made);
    cl_int code = status == CLSOLVE_OK ? clRetainMemObject(mem) : CL_SUCCESS;
    if (code != CL_SUCCESS) status = cls_opencl_fail(base->error, code, "clRetainMemObject");
    if (status != CLSOLVE_OK) {
        cls_free(made);
        return status;
    }
    made->memory = mem;
    made->serial = ++cls_opencl_of(base)->serial;
    made->bytes = *bytes;
    made->adopted = true;
    *buffer = made;
    return CLSOLVE_OK;
}

/*
 * A GPU that shares the host's memory gains nothing by pinned memory, and Intel's driver has failed to copy from a
 * buffer into a mapped one there (docs/quirks.md): plain memory takes its place, at the start of a page.
 */
static clsolve_status plain_create(cls_device *base, cls_pinned *made) {
    const uintptr_t page = 4096;

    if (made->bytes <= SIZE_MAX - page) made->plain = cls_alloc(made->bytes + page, 1);
    if (!made->plain)
        return cls_fail(base->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory of %zu bytes", made->bytes);
    made->host = made->plain + (page - (uintptr_t)made->plain % page) % page;
    return CLSOLVE_OK;
}

/*
 * OpenCL has no call for pinned memory. Drivers with a bus give it for a buffer that they allocate on the host, as
 * long as it stays mapped; the mapped pointer is then recognised by their copies.
 */
static clsolve_status mapped_create(cls_device *base, cls_pinned *made) {
    cls_opencl *device = cls_opencl_of(base);
    cl_int code = CL_SUCCESS;

    made->memory = clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, made->bytes, NULL, &code);
    if (!made->memory)
        return cls_fail(base->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                        "no pinned host memory of %zu bytes: clCreateBuffer failed: %s (%d)", made->bytes,
                        cls_opencl_error_name(code), (int)code);
    made->host = clEnqueueMapBuffer(device->queues[CLS_UP], made->memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                    made->bytes, 0, NULL, NULL, &code);
    if (made->host) return CLSOLVE_OK;
    (void)clReleaseMemObject(made->memory);
    return cls_opencl_fail(base->error, code, "clEnqueueMapBuffer");
}

clsolve_status cls_opencl_pinned_create(cls_device *base, size_t bytes, cls_pinned **pinned, void **memory) {
    cls_opencl *device = cls_opencl_of(base);
    *pinned = NULL;
    *memory = NULL;
    cls_pinned *made = cls_alloc(1, sizeof *made);
    if (!made) return cls_fail(base->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no memory for a pinned buffer's record");
    made->bytes = bytes > 0 ? bytes : 1;
    clsolve_status status = base->shares_memory ? plain_create(base, made) : mapped_create(base, made);
    if (status != CLSOLVE_OK) {
        cls_free(made);
        return status;
    }
    made->next = device->pinned;
    device->pinned = made;
    *pinned = made;
    *memory = made->host;
    return CLSOLVE_OK;
}

void cls_opencl_pinned_destroy(cls_device *base, cls_pinned *pinned) {
    cls_opencl *device = cls_opencl_of(base);
    if (!pinned) return;
    cls_pinned **link = &device->pinned;
    while (*link && *link != pinned) link = &(*link)->next;
    if (*link) *link = pinned->next;
    if (pinned->memory) {
        (void)clEnqueueUnmapMemObject(device->queues[CLS_UP], pinned->memory, pinned->host, 0, NULL, NULL);
        (void)clFinish(device->queues[CLS_UP]);
        (void)clReleaseMemObject(pinned->memory);
    }
    cls_free(pinned->plain);
    cls_free(pinned);
}

clsolve_status cls_opencl_copy(cls_device *device, cls_queue queue, cls_buffer *from, size_t from_offset,
                               cls_buffer *to, size_t to_offset, size_t bytes) {
    if (bytes == 0) return CLSOLVE_OK;
    return cls_opencl_check(device, "clEnqueueCopyBuffer",
                            clEnqueueCopyBuffer(cls_opencl_of(device)->queues[queue], from->memory, to->memory,
                                                from_offset, to_offset, bytes, 0, NULL, NULL));
}

/* Whether some driver refuses the rectangle of a buffer, see transfer.c: the columns pass the end of a pitch, *bytes
 * then being what is left of it; or the last pitch ends behind the buffer. */
static bool passes_pitch(size_t offset, size_t pitch, size_t bytes, size_t *left) {
    *left = pitch - offset % pitch;
    return bytes > *left;
}

static bool passes_end(const cls_buffer *buffer, size_t offset, size_t pitch, size_t columns) {
    return (offset / pitch + columns) * pitch > buffer->bytes;
}

static clsolve_status copy_one(cls_device *device, cls_queue queue, cls_buffer *from, cls_buffer *to,
                               const cls_span *span) {
    size_t origin[3] = {span->from_offset % span->from_pitch, span->from_offset / span->from_pitch, 0};
    size_t target[3] = {span->to_offset % span->to_pitch, span->to_offset / span->to_pitch, 0};
    size_t region[3] = {span->bytes, span->columns, 1};
    return cls_opencl_check(device, "clEnqueueCopyBufferRect",
                            clEnqueueCopyBufferRect(cls_opencl_of(device)->queues[queue], from->memory, to->memory,
                                                    origin, target, region, span->from_pitch, 0, span->to_pitch, 0, 0,
                                                    NULL, NULL));
}

/* As rectangles between host and device, in parts that every driver takes. */
clsolve_status cls_opencl_copy_rect(cls_device *device, cls_queue queue, cls_buffer *from, cls_buffer *to,
                                    const cls_span *span) {
    cls_span first = *span, second = *span;
    size_t left;
    if (span->bytes == 0 || span->columns == 0) return CLSOLVE_OK;
    if (span->columns == 1 || (span->from_pitch == span->bytes && span->to_pitch == span->bytes))
        return cls_opencl_copy(device, queue, from, span->from_offset, to, span->to_offset,
                               span->bytes * span->columns);
    if (passes_pitch(span->from_offset, span->from_pitch, span->bytes, &left) ||
        passes_pitch(span->to_offset, span->to_pitch, span->bytes, &left)) {
        first.bytes = left;
        second.bytes -= left;
        second.from_offset += left;
        second.to_offset += left;
    } else if (passes_end(from, span->from_offset, span->from_pitch, span->columns) ||
               passes_end(to, span->to_offset, span->to_pitch, span->columns)) {
        first.columns -= 1;
        second.columns = 1;
        second.from_offset += first.columns * span->from_pitch;
        second.to_offset += first.columns * span->to_pitch;
    } else {
        return copy_one(device, queue, from, to, span);
    }
    CLS_TRY(cls_opencl_copy_rect(device, queue, from, to, &first));
    return cls_opencl_copy_rect(device, queue, from, to, &second);
}

clsolve_status cls_opencl_fill(cls_device *device, cls_queue queue, cls_buffer *buffer, size_t offset, size_t bytes,
                               unsigned char value) {
    if (bytes == 0) return CLSOLVE_OK;
    /* The widest pattern that the range allows: drivers fill one pattern a work-item. */
    unsigned char pattern[16];
    size_t width = sizeof pattern;
    memset(pattern, value, sizeof pattern);
    while (offset % width != 0 || bytes % width != 0) width /= 2;
    return cls_opencl_check(device, "clEnqueueFillBuffer",
                            clEnqueueFillBuffer(cls_opencl_of(device)->queues[queue], buffer->memory, pattern, width,
                                                offset, bytes, 0, NULL, NULL));
}

/* A buffer that its owner has forbidden the host (CL_MEM_HOST_NO_ACCESS and its like): a second one is mapped in its
 * place, and copied on the device before and after. */
static clsolve_status map_shadow(cls_device *device, cls_buffer *buffer, size_t bytes, void **memory) {
    cls_opencl *opencl = cls_opencl_of(device);
    cl_command_queue queue = opencl->queues[CLS_COMPUTE];
    cl_int code = CL_SUCCESS;

    buffer->shadow = clCreateBuffer(opencl->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &code);
    if (!buffer->shadow) return cls_opencl_fail(device->error, code, "clCreateBuffer");
    code = clEnqueueCopyBuffer(queue, buffer->memory, buffer->shadow, 0, 0, bytes, 0, NULL, NULL);
    const char *call = "clEnqueueCopyBuffer";
    if (code == CL_SUCCESS) {
        call = "clEnqueueMapBuffer";
        *memory = clEnqueueMapBuffer(queue, buffer->shadow, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL,
                                     NULL, &code);
    }
    if (*memory) return CLSOLVE_OK;
    (void)clReleaseMemObject(buffer->shadow);
    buffer->shadow = NULL;
    return cls_opencl_fail(device->error, code, call);
}

static clsolve_status unmap_shadow(cls_device *device, cls_buffer *buffer, void *memory) {
    cl_command_queue queue = cls_opencl_of(device)->queues[CLS_COMPUTE];
    const char *call = "clEnqueueUnmapMemObject";
    cl_int code = clEnqueueUnmapMemObject(queue, buffer->shadow, memory, 0, NULL, NULL);

    if (code == CL_SUCCESS) {
        call = "clEnqueueCopyBuffer";
        code = clEnqueueCopyBuffer(queue, buffer->shadow, buffer->memory, 0, 0, buffer->bytes, 0, NULL, NULL);
    }
    (void)clReleaseMemObject(buffer->shadow); /* the driver keeps it until the copy is done */
    buffer->shadow = NULL;
    return code == CL_SUCCESS ? CLSOLVE_OK : cls_opencl_fail(device->error, code, call);
}

/* Whether the caller's flags of a buffer forbid the host to map it for both reading and writing. */
static int is_forbidden(const cls_buffer *buffer) {
    cl_mem_flags flags = 0;
    if (clGetMemObjectInfo(buffer->memory, CL_MEM_FLAGS, sizeof flags, &flags, NULL) != CL_SUCCESS) return 0;
    return (flags & (CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)) != 0;
}

clsolve_status cls_opencl_map(cls_device *device, cls_buffer *buffer, void **memory) {
    *memory = NULL;
    if (!device->info.host_memory)
        return cls_fail(device->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s does not work in the host's memory: its buffers cannot be mapped", device->info.name);
    if (buffer->holds > 0) {
        buffer->holds++;
        *memory = buffer->held;
        return CLSOLVE_OK;
    }
    cl_int code = CL_SUCCESS;
    size_t bytes = buffer->bytes > 0 ? buffer->bytes : 1;
    /* Blocking in the in-order compute queue: it returns when all that was enqueued there before is done. */
    if (buffer->adopted && is_forbidden(buffer)) {
        CLS_TRY(map_shadow(device, buffer, bytes, memory));
    } else {
        *memory = clEnqueueMapBuffer(cls_opencl_of(device)->queues[CLS_COMPUTE], buffer->memory, CL_TRUE,
                                     CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &code);
        if (!*memory) return cls_opencl_fail(device->error, code, "clEnqueueMapBuffer");
    }
    buffer->held = *memory;
    buffer->holds = 1;
    return CLSOLVE_OK;
}

/* For a buffer of the caller's it waits, because other queues of the caller's may use the buffer next. */
clsolve_status cls_opencl_unmap(cls_device *device, cls_buffer *buffer, void *memory) {
    if (--buffer->holds > 0) return CLSOLVE_OK;
    buffer->held = NULL;
    if (buffer->shadow)
        CLS_TRY(unmap_shadow(device, buffer, memory));
    else
        CLS_TRY_CL(
            device, "clEnqueueUnmapMemObject",
            clEnqueueUnmapMemObject(cls_opencl_of(device)->queues[CLS_COMPUTE], buffer->memory, memory, 0, NULL, NULL));
    return buffer->adopted ? cls_opencl_finish(device, CLS_COMPUTE) : CLSOLVE_OK;
}
