/*
 * transfer.c: rectangles between host and device, asynchronously: directly, where the host's memory is pinned, by this
 * device or by the caller; otherwise through pinned slots (device/staging.h).
 */
#include "device/cuda/enter.h"

typedef enum direction { UP, DOWN } direction;

/* ---- one copy ---- */

static const char *call_of(direction way, const cls_rect *rect) {
    return !cls_rect_in_one_piece(rect) ? "cuMemcpy2DAsync" : way == UP ? "cuMemcpyHtoDAsync" : "cuMemcpyDtoHAsync";
}

static clsolve_status enqueue(cls_cuda *device, cls_queue queue, direction way, CUdeviceptr buffer, char *host,
                              const cls_rect *rect) {
    const cls_cuda_driver *driver = &device->driver;
    CUstream stream = device->queues[queue];
    CUdeviceptr at = buffer + rect->device_offset;
    const size_t bytes = rect->bytes * rect->columns;
    if (cls_rect_in_one_piece(rect))
        return cls_cuda_check(device, call_of(way, rect),
                              way == UP ? driver->copy_up(at, host, bytes, stream)
                                        : driver->copy_down(host, at, bytes, stream));
    CUDA_MEMCPY2D up = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = host,
                        .srcPitch = rect->host_pitch,
                        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                        .dstDevice = at,
                        .dstPitch = rect->device_pitch,
                        .WidthInBytes = rect->bytes,
                        .Height = rect->columns};
    CUDA_MEMCPY2D down = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .srcDevice = at,
                          .srcPitch = rect->device_pitch,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = host,
                          .dstPitch = rect->host_pitch,
                          .WidthInBytes = rect->bytes,
                          .Height = rect->columns};
    return cls_cuda_check(device, call_of(way, rect), cls_cuda_copy_2d(driver, way == UP ? &up : &down, stream));
}

/* ---- the two operations ---- */

/* Does the driver know this byte as pinned? */
static bool known(const cls_cuda *device, const char *host) {
    unsigned type = 0;
    return device->driver.pointer_attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)host) ==
               CUDA_SUCCESS &&
           type == CU_MEMORYTYPE_HOST;
}

static bool is_pinned(const cls_cuda *device, const char *host, size_t bytes) {
    for (const cls_pinned *p = device->pinned; p; p = p->next)
        if (host >= p->host && host + bytes <= p->host + p->bytes) return true;
    return known(device, host) && known(device, host + bytes - 1);
}

int cls_cuda_reaches(cls_device *base, const void *host, size_t bytes) {
    return !base->staged || is_pinned(cls_cuda_of(base), host, bytes);
}

static clsolve_status move(cls_cuda *device, cls_queue queue, direction way, cls_buffer *buffer, char *host,
                           const cls_rect *rect, const cls_wait *wait, cls_event **done) {
    if (!cls_cuda_reaches(&device->base, host, cls_rect_host_span(rect)))
        return way == UP ? cls_staging_write(&device->base, queue, buffer, host, rect, wait, done)
                         : cls_staging_read(&device->base, queue, buffer, host, rect, wait, done);
    CLS_TRY(cls_cuda_wait_for(device, queue, wait));
    CLS_TRY(enqueue(device, queue, way, cls_cuda_address(buffer), host, rect));
    return cls_cuda_done(device, queue, done);
}

static clsolve_status move_within(cls_cuda *device, cls_queue queue, direction way, cls_buffer *buffer, char *host,
                                  const cls_rect *rect, const cls_wait *wait, cls_event **done) {
    CLS_TRY(cls_cuda_inside(&device->base, buffer, call_of(way, rect), rect->device_offset, rect->device_pitch,
                            rect->bytes, rect->columns));
    CLS_CUDA_WITHIN(device, move(device, queue, way, buffer, host, rect, wait, done));
}

static clsolve_status transfer(cls_device *base, cls_queue queue, direction way, cls_buffer *buffer, char *host,
                               const cls_rect *rect, const cls_wait *wait, cls_event **done) {
    cls_cuda *device = cls_cuda_of(base);
    if (cls_rect_is_empty(rect)) return cls_cuda_nothing(device, queue, wait, done);
    CLS_TRY(move_within(device, queue, way, buffer, host, rect, wait, done));
    cls_rect_count(base, way == UP, rect);
    return CLSOLVE_OK;
}

/* The driver only reads the memory; both directions share their helpers, which are not const. */
clsolve_status cls_cuda_write(cls_device *base, cls_queue queue, cls_buffer *to, const void *host, const cls_rect *rect,
                              const cls_wait *wait, cls_event **done) {
    return transfer(base, queue, UP, to, (char *)(uintptr_t)host, rect, wait, done);
}

clsolve_status cls_cuda_read(cls_device *base, cls_queue queue, cls_buffer *from, void *host, const cls_rect *rect,
                             const cls_wait *wait, cls_event **done) {
    return transfer(base, queue, DOWN, from, host, rect, wait, done);
}
