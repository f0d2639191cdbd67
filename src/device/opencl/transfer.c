/*
 * transfer.c: rectangles between host and device: directly, where the host's memory is pinned or the device works in it
 * anyway; in the mapped buffer, where a GPU shares the host's memory and the rectangle is large, which is one copy;
 * otherwise through pinned slots (device/staging.h), which are two.
 */
#include "device/opencl/opencl.h"

#include <string.h>

#include "base/memory.h"

typedef enum direction { UP, DOWN } direction;

/* ---- one enqueue ---- */

static cl_int one_call(cl_command_queue q, direction way, cls_buffer *buffer, char *host, const cls_rect *rect,
                       cls_wait_list wait, cl_event *done) {
    size_t pitch = rect->device_pitch, bytes = rect->bytes * rect->columns;
    if (cls_rect_in_one_piece(rect))
        return way == UP ? clEnqueueWriteBuffer(q, buffer->memory, CL_FALSE, rect->device_offset, bytes, host,
                                                wait.count, wait.events, done)
                         : clEnqueueReadBuffer(q, buffer->memory, CL_FALSE, rect->device_offset, bytes, host,
                                               wait.count, wait.events, done);
    /* Offsets as rows and bytes within a row: some drivers refuse a first coordinate beyond the pitch. */
    size_t origin[3] = {rect->device_offset % pitch, rect->device_offset / pitch, 0};
    size_t host_origin[3] = {0, 0, 0};
    size_t region[3] = {rect->bytes, rect->columns, 1};
    return way == UP ? clEnqueueWriteBufferRect(q, buffer->memory, CL_FALSE, origin, host_origin, region, pitch, 0,
                                                rect->host_pitch, 0, host, wait.count, wait.events, done)
                     : clEnqueueReadBufferRect(q, buffer->memory, CL_FALSE, origin, host_origin, region, pitch, 0,
                                               rect->host_pitch, 0, host, wait.count, wait.events, done);
}

static cl_int enqueue(cl_command_queue q, direction way, cls_buffer *buffer, char *host, const cls_rect *rect,
                      cls_wait_list wait, cl_event *done);

/* Two parts, for drivers that refuse the whole: the second begins `bytes` further down each column, or behind
 * `columns`. */
static cl_int enqueue_parts(cl_command_queue q, direction way, cls_buffer *buffer, char *host, const cls_rect *rect,
                            size_t bytes, size_t columns, cls_wait_list wait, cl_event *done) {
    const cls_wait_list none = {0, NULL};
    cls_rect first = *rect, second = *rect;
    if (bytes > 0) {
        first.bytes = bytes;
        second.bytes -= bytes;
        second.device_offset += bytes;
    } else {
        first.columns = columns;
        second.columns -= columns;
        second.device_offset += columns * rect->device_pitch;
    }
    cl_int code = enqueue(q, way, buffer, host, &first, wait, NULL);
    if (code != CL_SUCCESS) return code;
    return enqueue(q, way, buffer, host + (bytes > 0 ? bytes : columns * rect->host_pitch), &second, none, done);
}

/* NVIDIA's driver takes no rectangle whose columns pass the end of a pitch, counted from the buffer's start; a buffer
 * that ends within the last pitch is kept clear of too. */
static cl_int enqueue(cl_command_queue q, direction way, cls_buffer *buffer, char *host, const cls_rect *rect,
                      cls_wait_list wait, cl_event *done) {
    size_t pitch = rect->device_pitch;
    if (!cls_rect_in_one_piece(rect)) {
        size_t within = rect->device_offset % pitch, row = rect->device_offset / pitch;
        if (within + rect->bytes > pitch)
            return enqueue_parts(q, way, buffer, host, rect, pitch - within, 0, wait, done);
        if ((row + rect->columns) * pitch > buffer->bytes)
            return enqueue_parts(q, way, buffer, host, rect, 0, rect->columns - 1, wait, done);
    }
    return one_call(q, way, buffer, host, rect, wait, done);
}

static clsolve_status check(cl_int code, cls_device *device, direction way, const cls_rect *rect) {
    static const char *const calls[2][2] = {{"clEnqueueWriteBufferRect", "clEnqueueWriteBuffer"},
                                            {"clEnqueueReadBufferRect", "clEnqueueReadBuffer"}};
    if (code == CL_SUCCESS) return CLSOLVE_OK;
    return cls_opencl_fail(device->error, code, calls[way == DOWN][cls_rect_in_one_piece(rect)]);
}

clsolve_status cls_opencl_write_rect(cls_device *device, cl_command_queue queue, cls_buffer *to, char *host,
                                     const cls_rect *rect, cls_wait_list wait, cl_event *done) {
    return check(enqueue(queue, UP, to, host, rect, wait, done), device, UP, rect);
}

clsolve_status cls_opencl_read_rect(cls_device *device, cl_command_queue queue, cls_buffer *from, char *host,
                                    const cls_rect *rect, cls_wait_list wait, cl_event *done) {
    return check(enqueue(queue, DOWN, from, host, rect, wait, done), device, DOWN, rect);
}

/* ---- the two operations ---- */

static bool is_pinned(const cls_opencl *device, const char *host, size_t bytes) {
    for (const cls_pinned *p = device->pinned; p; p = p->next)
        if (host >= p->host && host + bytes <= p->host + p->bytes) return true;
    return false;
}

int cls_opencl_reaches(cls_device *base, const void *host, size_t bytes) {
    return !base->staged || is_pinned(cls_opencl_of(base), host, bytes);
}

/* In a mapped buffer the host copies by itself, at once. */
static clsolve_status copy_held(cls_device *base, cls_queue queue, cls_buffer *buffer, direction way, char *host,
                                const cls_rect *rect, const cls_wait *wait, cls_event **done) {
    for (int32_t e = 0; wait && e < wait->count; e++) CLS_TRY(cls_opencl_event_wait(base, wait->events[e]));
    for (size_t c = 0; c < rect->columns; c++) {
        char *device_side = buffer->held + rect->device_offset + c * rect->device_pitch;
        char *host_side = host + c * rect->host_pitch;
        memcpy(way == UP ? device_side : host_side, way == UP ? host_side : device_side, rect->bytes);
    }
    return done ? cls_opencl_mark(base, queue, done) : CLSOLVE_OK;
}

/* OpenCL lets nothing else use a buffer while any of it is mapped: so only what is worth it, and never what streams. */
static bool is_mapped_for(cls_device *base, const char *host, const cls_rect *rect) {
    return base->shares_memory && rect->bytes * rect->columns >= base->staging_bytes &&
           !is_pinned(cls_opencl_of(base), host, cls_rect_host_span(rect));
}

static clsolve_status copy_mapped(cls_opencl *device, cls_queue queue, direction way, cls_buffer *buffer, char *host,
                                  const cls_rect *rect, cls_wait_list wait, cl_event *done) {
    const size_t span = (rect->columns - 1) * rect->device_pitch + rect->bytes;
    const cl_map_flags all = cls_rect_in_one_piece(rect) ? CL_MAP_WRITE_INVALIDATE_REGION : CL_MAP_WRITE;
    cl_int code = CL_SUCCESS;
    char *memory = clEnqueueMapBuffer(device->queues[queue], buffer->memory, CL_TRUE, way == UP ? all : CL_MAP_READ,
                                      rect->device_offset, span, wait.count, wait.events, NULL, &code);
    if (!memory) return cls_opencl_fail(device->base.error, code, "clEnqueueMapBuffer");
    cls_rect within = *rect;
    within.device_offset = 0;
    cls_staging_copy(&device->base, way == UP ? CLS_WAY_UP : CLS_WAY_DOWN, memory, host, &within);
    return cls_opencl_check(&device->base, "clEnqueueUnmapMemObject",
                            clEnqueueUnmapMemObject(device->queues[queue], buffer->memory, memory, 0, NULL, done));
}

static clsolve_status transfer(cls_device *base, cls_queue queue, direction way, cls_buffer *buffer, char *host,
                               const cls_rect *rect, const cls_wait *wait, cls_event **done) {
    cls_opencl *device = cls_opencl_of(base);
    if (cls_rect_is_empty(rect)) return cls_opencl_nothing(base, queue, wait, done);
    const cls_wait_list list = cls_opencl_wait_list(wait);
    cl_event *event = (cl_event *)done;
    if (buffer->held)
        CLS_TRY(copy_held(base, queue, buffer, way, host, rect, wait, done));
    else if (is_mapped_for(base, host, rect))
        CLS_TRY(copy_mapped(device, queue, way, buffer, host, rect, list, event));
    else if (cls_opencl_reaches(base, host, cls_rect_host_span(rect)))
        CLS_TRY(check(enqueue(device->queues[queue], way, buffer, host, rect, list, event), base, way, rect));
    else
        CLS_TRY(way == UP ? cls_staging_write(base, queue, buffer, host, rect, wait, done)
                          : cls_staging_read(base, queue, buffer, host, rect, wait, done));
    cls_rect_count(base, way == UP, rect);
    return CLSOLVE_OK;
}

/* The driver only reads the memory; both directions share their helpers, which are not const. */
clsolve_status cls_opencl_write(cls_device *base, cls_queue queue, cls_buffer *to, const void *host,
                                const cls_rect *rect, const cls_wait *wait, cls_event **done) {
    return transfer(base, queue, UP, to, (char *)(uintptr_t)host, rect, wait, done);
}

clsolve_status cls_opencl_read(cls_device *base, cls_queue queue, cls_buffer *from, void *host, const cls_rect *rect,
                               const cls_wait *wait, cls_event **done) {
    return transfer(base, queue, DOWN, from, host, rect, wait, done);
}
