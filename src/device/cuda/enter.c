#include "device/cuda/enter.h"

/* A thread that works for itself (api/beside.h) does not end the capture of a graph by the caller's threads. */
static void let_capture(const cls_cuda *device) {
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    if (device->base.stop && device->driver.capture_mode) (void)device->driver.capture_mode(&mode);
}

clsolve_status cls_cuda_enter(cls_cuda *device) {
    let_capture(device);
    return cls_cuda_check(device, "cuCtxPushCurrent", device->driver.context_push(device->context));
}

clsolve_status cls_cuda_leave(cls_cuda *device, clsolve_status status) {
    CUcontext popped;
    CUresult code = device->driver.context_pop(&popped);
    if (status == CLSOLVE_OK) CLS_TRY_CU(device, "cuCtxPopCurrent", code);
    return status;
}
