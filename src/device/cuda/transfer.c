/*
 * transfer.c: rectangles between host and device, asynchronously.
 *
 * Directly, where the host's memory is pinned, by this device or by the caller. Otherwise through two pinned slots
 * that the device owns: while one crosses the bus the host fills (or empties) the other, because the driver copies
 * pageable memory in small steps of its own, and makes the whole call wait.
 *
 * A staged write returns when all of the host's data is in the slots, the last of them perhaps still crossing. A
 * staged read has to return with the data in place, for nobody would copy it out of the slot later.
 */
#include "device/cuda/cuda_device.h"

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
    if (cls_rect_in_one_piece(rect)) {
        size_t bytes = rect->bytes * rect->columns;
        CLS_TRY_CU(device, call_of(way, rect),
                   way == UP ? driver->copy_up(at, host, bytes, stream) : driver->copy_down(host, at, bytes, stream));
        return CLSOLVE_OK;
    }
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
    CLS_TRY_CU(device, call_of(way, rect), cls_cuda_copy_2d(driver, way == UP ? &up : &down, stream));
    return CLSOLVE_OK;
}

/* ---- the slots ---- */

static clsolve_status slots_create(cls_cuda *device) {
    for (int s = 0; s < CLS_STAGING_SLOTS; s++) {
        cls_cuda_slot *slot = &device->slots[s];
        if (!slot->pinned)
            CLS_TRY(cls_cuda_pinned_create(&device->base, device->base.staging_bytes, &slot->pinned, &slot->host));
        if (!slot->done)
            CLS_TRY_CU(device, "cuEventCreate", device->driver.event_create(&slot->done, CU_EVENT_DISABLE_TIMING));
    }
    return CLSOLVE_OK;
}

static clsolve_status slot_wait(cls_cuda *device, int s) {
    cls_cuda_slot *slot = &device->slots[s];
    if (!slot->busy) return CLSOLVE_OK;
    slot->busy = false;
    CLS_TRY_CU(device, "cuEventSynchronize", device->driver.event_wait(slot->done));
    return CLSOLVE_OK;
}

void cls_cuda_slots_destroy(cls_cuda *device) {
    for (int s = 0; s < CLS_STAGING_SLOTS; s++) {
        cls_cuda_slot *slot = &device->slots[s];
        if (slot->done) (void)device->driver.event_destroy(slot->done);
        cls_cuda_pinned_destroy(&device->base, slot->pinned);
        *slot = (cls_cuda_slot){0};
    }
}

/* Enqueues one piece from or to its slot and remembers when the slot is free again. */
static clsolve_status enqueue_piece(cls_cuda *device, cls_queue queue, direction way, CUdeviceptr buffer, int s,
                                    const cls_rect *piece) {
    cls_cuda_slot *slot = &device->slots[s];
    cls_rect packed = *piece;
    packed.host_pitch = piece->bytes;
    CLS_TRY(enqueue(device, queue, way, buffer, slot->host, &packed));
    CUresult code = device->driver.event_record(slot->done, device->queues[queue]);
    if (code != CUDA_SUCCESS)
        (void)device->driver.stream_wait(device->queues[queue]); /* the slot is not lost sight of */
    CLS_TRY_CU(device, "cuEventRecord", code);
    slot->busy = true;
    return CLSOLVE_OK;
}

static clsolve_status staged_write(cls_cuda *device, cls_queue queue, CUdeviceptr to, const char *host,
                                   const cls_rect *rect) {
    cls_rect piece;
    size_t at;
    for (size_t i = 0; cls_rect_piece(rect, device->base.staging_bytes, i, &piece, &at); i++) {
        int s = (int)(i % CLS_STAGING_SLOTS);
        CLS_TRY(slot_wait(device, s));
        cls_rect_pack(device->slots[s].host, host + at, &piece);
        CLS_TRY(enqueue_piece(device, queue, UP, to, s, &piece));
    }
    return CLSOLVE_OK;
}

/* Piece i + 1 is under way while piece i is copied out. */
static clsolve_status staged_read(cls_cuda *device, cls_queue queue, CUdeviceptr from, char *host,
                                  const cls_rect *rect) {
    cls_rect piece, next;
    size_t at, next_at;
    bool more = cls_rect_piece(rect, device->base.staging_bytes, 0, &next, &next_at);
    if (!more) return CLSOLVE_OK;
    CLS_TRY(slot_wait(device, 0));
    CLS_TRY(enqueue_piece(device, queue, DOWN, from, 0, &next));
    for (size_t i = 0; more; i++) {
        int s = (int)(i % CLS_STAGING_SLOTS), other = (int)((i + 1) % CLS_STAGING_SLOTS);
        piece = next;
        at = next_at;
        more = cls_rect_piece(rect, device->base.staging_bytes, i + 1, &next, &next_at);
        if (more) {
            CLS_TRY(slot_wait(device, other));
            CLS_TRY(enqueue_piece(device, queue, DOWN, from, other, &next));
        }
        CLS_TRY(slot_wait(device, s));
        cls_rect_unpack(host + at, device->slots[s].host, &piece);
    }
    return CLSOLVE_OK;
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

static clsolve_status move(cls_cuda *device, cls_queue queue, direction way, const cls_buffer *buffer, char *host,
                           const cls_rect *rect, const cls_wait *wait, cls_event **done) {
    CUdeviceptr address = cls_cuda_address(buffer);
    CLS_TRY(cls_cuda_wait_for(device, queue, wait));
    if (device->base.staged && !is_pinned(device, host, cls_rect_host_span(rect))) {
        CLS_TRY(slots_create(device));
        CLS_TRY(way == UP ? staged_write(device, queue, address, host, rect)
                          : staged_read(device, queue, address, host, rect));
    } else {
        CLS_TRY(enqueue(device, queue, way, address, host, rect));
    }
    return cls_cuda_done(device, queue, done);
}

static clsolve_status move_within(cls_cuda *device, cls_queue queue, direction way, const cls_buffer *buffer,
                                  char *host, const cls_rect *rect, const cls_wait *wait, cls_event **done) {
    CLS_TRY(cls_cuda_inside(&device->base, buffer, call_of(way, rect), rect->device_offset, rect->device_pitch,
                            rect->bytes, rect->columns));
    CLS_CUDA_WITHIN(device, move(device, queue, way, buffer, host, rect, wait, done));
}

static clsolve_status nothing(cls_cuda *device, cls_queue queue, const cls_wait *wait, cls_event **done) {
    CLS_TRY(cls_cuda_wait_for(device, queue, wait));
    return cls_cuda_done(device, queue, done);
}

static clsolve_status nothing_within(cls_cuda *device, cls_queue queue, const cls_wait *wait, cls_event **done) {
    CLS_CUDA_WITHIN(device, nothing(device, queue, wait, done));
}

clsolve_status cls_cuda_write(cls_device *base, cls_queue queue, cls_buffer *to, const void *host, const cls_rect *rect,
                              const cls_wait *wait, cls_event **done) {
    cls_cuda *device = cls_cuda_of(base);
    if (cls_rect_is_empty(rect)) return nothing_within(device, queue, wait, done);
    /* The driver only reads the memory; both directions share their helpers, which are not const. */
    CLS_TRY(move_within(device, queue, UP, to, (char *)(uintptr_t)host, rect, wait, done));
    base->counters.transfers_up++;
    base->counters.bytes_up += (int64_t)(rect->bytes * rect->columns);
    return CLSOLVE_OK;
}

clsolve_status cls_cuda_read(cls_device *base, cls_queue queue, cls_buffer *from, void *host, const cls_rect *rect,
                             const cls_wait *wait, cls_event **done) {
    cls_cuda *device = cls_cuda_of(base);
    if (cls_rect_is_empty(rect)) return nothing_within(device, queue, wait, done);
    CLS_TRY(move_within(device, queue, DOWN, from, host, rect, wait, done));
    base->counters.transfers_down++;
    base->counters.bytes_down += (int64_t)(rect->bytes * rect->columns);
    return CLSOLVE_OK;
}
