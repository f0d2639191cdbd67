#include "device/cuda/enter.h"

clsolve_status cls_cuda_enter(cls_cuda *device) {
    CLS_TRY_CU(device, "cuCtxPushCurrent", device->driver.context_push(device->context));
    return CLSOLVE_OK;
}

clsolve_status cls_cuda_leave(cls_cuda *device, clsolve_status status) {
    CUcontext popped;
    CUresult code = device->driver.context_pop(&popped);
    if (status == CLSOLVE_OK) CLS_TRY_CU(device, "cuCtxPopCurrent", code);
    return status;
}
