/*
 * transfer.c: rectangles between host and device.
 *
 * Directly, where the host's memory is pinned or the device works in it anyway. Otherwise through two pinned slots
 * that the device owns: while one crosses the bus the host fills (or empties) the other, because a driver copies
 * pageable memory in small steps of its own, or makes the whole call wait.
 *
 * A staged write returns when all of the host's data is in the slots, the last of them perhaps still crossing. A
 * staged read has to return with the data in place, for nobody would copy it out of the slot later.
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

static cl_int enqueue(cls_opencl *device, cls_queue queue, direction way, cls_buffer *buffer, char *host,
                      const cls_rect *rect, cls_wait_list wait, cl_event *done);

/* Two parts, for drivers that refuse the whole: the second begins `bytes` further down each column, or behind `columns`. */
static cl_int enqueue_parts(cls_opencl *device, cls_queue queue, direction way, cls_buffer *buffer, char *host,
                            const cls_rect *rect, size_t bytes, size_t columns, cls_wait_list wait, cl_event *done) {
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
    cl_int code = enqueue(device, queue, way, buffer, host, &first, wait, NULL);
    if (code != CL_SUCCESS) return code;
    return enqueue(device, queue, way, buffer, host + (bytes > 0 ? bytes : columns * rect->host_pitch), &second, none,
                   done);
}

/* NVIDIA's driver takes no rectangle whose columns pass the end of a pitch, counted from the buffer's start; a buffer that
 * ends within the last pitch is kept clear of too. */
static cl_int enqueue(cls_opencl *device, cls_queue queue, direction way, cls_buffer *buffer, char *host,
                      const cls_rect *rect, cls_wait_list wait, cl_event *done) {
    cl_command_queue q = device->queues[queue];
    size_t pitch = rect->device_pitch;
    if (!cls_rect_in_one_piece(rect)) {
        size_t within = rect->device_offset % pitch, row = rect->device_offset / pitch;
        if (within + rect->bytes > pitch)
            return enqueue_parts(device, queue, way, buffer, host, rect, pitch - within, 0, wait, done);
        if ((row + rect->columns) * pitch > buffer->bytes)
            return enqueue_parts(device, queue, way, buffer, host, rect, 0, rect->columns - 1, wait, done);
    }
    return one_call(q, way, buffer, host, rect, wait, done);
}

static clsolve_status check(cl_int code, cls_device *device, direction way, const cls_rect *rect) {
    static const char *const calls[2][2] = {{"clEnqueueWriteBufferRect", "clEnqueueWriteBuffer"},
                                            {"clEnqueueReadBufferRect", "clEnqueueReadBuffer"}};
    if (code == CL_SUCCESS) return CLSOLVE_OK;
    return cls_opencl_fail(device->error, code, calls[way == DOWN][cls_rect_in_one_piece(rect)]);
}

/* ---- the staging slots ---- */

static clsolve_status staging_create(cls_opencl *device) {
    for (int s = 0; s < CLS_STAGING_SLOTS; s++)
        if (!device->staging[s])
            CLS_TRY(cls_opencl_pinned_create(&device->base, device->base.staging_bytes, &device->staging[s],
                                             &device->staging_host[s]));
    return CLSOLVE_OK;
}

static clsolve_status slot_wait(cls_opencl *device, int slot) {
    cl_event busy = device->staging_busy[slot];
    if (!busy) return CLSOLVE_OK;
    cl_int code = clWaitForEvents(1, &busy);
    (void)clReleaseEvent(busy);
    device->staging_busy[slot] = NULL;
    CLS_TRY_CL(&device->base, "clWaitForEvents", code);
    return CLSOLVE_OK;
}

void cls_opencl_staging_destroy(cls_opencl *device) {
    for (int s = 0; s < CLS_STAGING_SLOTS; s++) {
        if (device->staging_busy[s]) (void)clReleaseEvent(device->staging_busy[s]);
        cls_opencl_pinned_destroy(&device->base, device->staging[s]);
        device->staging_busy[s] = NULL;
        device->staging[s] = NULL;
    }
}

/* Enqueues one piece from or to its slot and remembers when the slot is free again. */
static clsolve_status enqueue_piece(cls_opencl *device, cls_queue queue, direction way, cls_buffer *buffer, int slot,
                                    const cls_rect *piece, cls_wait_list wait) {
    cls_rect packed = *piece;
    packed.host_pitch = piece->bytes;
    CLS_TRY(check(
        enqueue(device, queue, way, buffer, device->staging_host[slot], &packed, wait, &device->staging_busy[slot]),
        &device->base, way, &packed));
    CLS_TRY_CL(&device->base, "clFlush", clFlush(device->queues[queue]));
    return CLSOLVE_OK;
}

static cls_wait_list no_wait(void) {
    return (cls_wait_list){0, NULL};
}

/* The queue runs in order, so its first piece alone has to wait for the caller's events. */
static clsolve_status staged_write(cls_opencl *device, cls_queue queue, cls_buffer *to, const char *host,
                                   const cls_rect *rect, cls_wait_list wait, cls_event **done) {
    cls_rect piece;
    size_t at;
    int slot = 0;
    for (size_t i = 0; cls_rect_piece(rect, device->base.staging_bytes, i, &piece, &at); i++) {
        slot = (int)(i % CLS_STAGING_SLOTS);
        CLS_TRY(slot_wait(device, slot));
        cls_rect_pack(device->staging_host[slot], host + at, &piece);
        CLS_TRY(enqueue_piece(device, queue, UP, to, slot, &piece, i == 0 ? wait : no_wait()));
    }
    if (done) {
        CLS_TRY_CL(&device->base, "clRetainEvent", clRetainEvent(device->staging_busy[slot]));
        *done = (cls_event *)device->staging_busy[slot];
    }
    return CLSOLVE_OK;
}

/* Piece i + 1 is under way while piece i is copied out. */
static clsolve_status staged_read(cls_opencl *device, cls_queue queue, cls_buffer *from, char *host,
                                  const cls_rect *rect, cls_wait_list wait) {
    cls_rect piece, next;
    size_t at, next_at;
    bool more = cls_rect_piece(rect, device->base.staging_bytes, 0, &next, &next_at);
    if (!more) return CLSOLVE_OK;
    CLS_TRY(slot_wait(device, 0));
    CLS_TRY(enqueue_piece(device, queue, DOWN, from, 0, &next, wait));
    for (size_t i = 0; more; i++) {
        int slot = (int)(i % CLS_STAGING_SLOTS), other = (int)((i + 1) % CLS_STAGING_SLOTS);
        piece = next;
        at = next_at;
        more = cls_rect_piece(rect, device->base.staging_bytes, i + 1, &next, &next_at);
        if (more) {
            CLS_TRY(slot_wait(device, other));
            CLS_TRY(enqueue_piece(device, queue, DOWN, from, other, &next, no_wait()));
        }
        CLS_TRY(slot_wait(device, slot));
        cls_rect_unpack(host + at, device->staging_host[slot], &piece);
    }
    return CLSOLVE_OK;
}

/* ---- the two operations ---- */

static bool is_pinned(const cls_opencl *device, const char *host, size_t bytes) {
    for (const cls_pinned *p = device->pinned; p; p = p->next)
        if (host >= p->host && host + bytes <= p->host + p->bytes) return true;
    return false;
}

static bool goes_staged(const cls_opencl *device, const void *host, const cls_rect *rect) {
    return device->base.staged && !is_pinned(device, host, cls_rect_host_span(rect));
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

clsolve_status cls_opencl_write(cls_device *base, cls_queue queue, cls_buffer *to, const void *host,
                                const cls_rect *rect, const cls_wait *wait, cls_event **done) {
    cls_opencl *device = cls_opencl_of(base);
    if (cls_rect_is_empty(rect)) return cls_opencl_nothing(base, queue, wait, done);
    cls_wait_list list = cls_opencl_wait_list(wait);
    if (to->held) {
        CLS_TRY(copy_held(base, queue, to, UP, (char *)(uintptr_t)host, rect, wait, done));
    } else if (goes_staged(device, host, rect)) {
        CLS_TRY(staging_create(device));
        CLS_TRY(staged_write(device, queue, to, host, rect, list, done));
    } else {
        /* The driver only reads the memory; its rectangle calls share one helper here, which is not const. */
        char *source = (char *)(uintptr_t)host;
        CLS_TRY(check(enqueue(device, queue, UP, to, source, rect, list, (cl_event *)done), base, UP, rect));
    }
    base->counters.transfers_up++;
    base->counters.bytes_up += (int64_t)(rect->bytes * rect->columns);
    return CLSOLVE_OK;
}

clsolve_status cls_opencl_read(cls_device *base, cls_queue queue, cls_buffer *from, void *host, const cls_rect *rect,
                               const cls_wait *wait, cls_event **done) {
    cls_opencl *device = cls_opencl_of(base);
    if (cls_rect_is_empty(rect)) return cls_opencl_nothing(base, queue, wait, done);
    cls_wait_list list = cls_opencl_wait_list(wait);
    if (from->held) {
        CLS_TRY(copy_held(base, queue, from, DOWN, host, rect, wait, done));
    } else if (goes_staged(device, host, rect)) {
        CLS_TRY(staging_create(device));
        CLS_TRY(staged_read(device, queue, from, host, rect, list));
        if (done) CLS_TRY(cls_opencl_mark(base, queue, done));
    } else {
        CLS_TRY(check(enqueue(device, queue, DOWN, from, host, rect, list, (cl_event *)done), base, DOWN, rect));
    }
    base->counters.transfers_down++;
    base->counters.bytes_down += (int64_t)(rect->bytes * rect->columns);
    return CLSOLVE_OK;
}
