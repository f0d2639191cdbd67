/*
 * peer.c: rectangles from the memory of another GPU: over NVLink or PCI Express where the two reach each other, else
 * the driver goes through the host's memory by itself.
 */
#include "device/cuda/enter.h"

/* Both directions' copies work without access too, by way of the host; so a refusal is no failure. */
static clsolve_status enable(cls_cuda *device, const cls_cuda *other, cls_joint *joint) {
    int can = 0;
    *joint = CLS_BY_HOST;
    if (device->driver.peer_can(&can, device->id, other->id) != CUDA_SUCCESS || !can) return CLSOLVE_OK;
    const CUresult code = device->driver.peer_enable(other->context, 0);
    if (code == CUDA_SUCCESS || code == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) *joint = CLS_DIRECT;
    return CLSOLVE_OK;
}

cls_joint cls_cuda_joins(cls_device *base, cls_device *other) {
    cls_cuda *device = cls_cuda_of(base), *theirs = cls_cuda_of(other);
    cls_joint joint = CLS_DIRECT;
    if (device->context == theirs->context) return joint;
    if (cls_cuda_enter(device) != CLSOLVE_OK) return CLS_APART;
    return cls_cuda_leave(device, enable(device, theirs, &joint)) == CLSOLVE_OK ? joint : CLS_APART;
}

/* Two devices of this library may be one GPU, with one context. */
static clsolve_status within_context(cls_cuda *device, cls_queue queue, CUdeviceptr from, CUdeviceptr to,
                                     const cls_span *span) {
    CUDA_MEMCPY2D all = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                         .srcDevice = from,
                         .srcPitch = span->columns > 1 ? span->from_pitch : span->bytes,
                         .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                         .dstDevice = to,
                         .dstPitch = span->columns > 1 ? span->to_pitch : span->bytes,
                         .WidthInBytes = span->bytes,
                         .Height = span->columns};
    return cls_cuda_check(device, "cuMemcpy2DAsync", cls_cuda_copy_2d(&device->driver, &all, device->queues[queue]));
}

static clsolve_status across(cls_cuda *device, cls_queue queue, const cls_cuda *other, CUdeviceptr from, CUdeviceptr to,
                             const cls_span *span) {
    CUDA_MEMCPY3D_PEER all = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                              .srcDevice = from,
                              .srcContext = other->context,
                              .srcPitch = span->columns > 1 ? span->from_pitch : span->bytes,
                              .srcHeight = span->columns,
                              .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                              .dstDevice = to,
                              .dstContext = device->context,
                              .dstPitch = span->columns > 1 ? span->to_pitch : span->bytes,
                              .dstHeight = span->columns,
                              .WidthInBytes = span->bytes,
                              .Height = span->columns,
                              .Depth = 1};
    return cls_cuda_check(device, "cuMemcpy3DPeerAsync", device->driver.copy_peer(&all, device->queues[queue]));
}

static clsolve_status fetch(cls_cuda *device, cls_queue queue, const cls_cuda *other, CUdeviceptr from, CUdeviceptr to,
                            const cls_span *span, const cls_wait *wait, cls_event **done) {
    CLS_TRY(cls_cuda_wait_for(device, queue, wait));
    if (span->bytes > 0 && span->columns > 0)
        CLS_TRY(device->context == other->context ? within_context(device, queue, from, to, span)
                                                  : across(device, queue, other, from, to, span));
    return cls_cuda_done(device, queue, done);
}

clsolve_status cls_cuda_fetch(cls_device *base, cls_queue queue, cls_device *other, cls_buffer *from, cls_buffer *to,
                              const cls_span *span, const cls_wait *wait, cls_event **done) {
    static const char call[] = "cuMemcpy3DPeerAsync";
    cls_cuda *device = cls_cuda_of(base);
    if (span->bytes > 0 && span->columns > 0) {
        CLS_TRY(cls_cuda_inside(base, from, call, span->from_offset, span->from_pitch, span->bytes, span->columns));
        CLS_TRY(cls_cuda_inside(base, to, call, span->to_offset, span->to_pitch, span->bytes, span->columns));
    }
    CLS_CUDA_WITHIN(device, fetch(device, queue, cls_cuda_of(other), cls_cuda_address(from) + span->from_offset,
                                  cls_cuda_address(to) + span->to_offset, span, wait, done));
}
