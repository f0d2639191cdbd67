/* names.c: the driver's error codes by name, and the status that each becomes. */
#include "device/cuda/driver.h"

clsolve_status cls_cuda_fail(const cls_cuda_driver *driver, cls_error *error, CUresult code, const char *call) {
    const char *name = NULL;
    if (driver->error_name(code, &name) != CUDA_SUCCESS || !name) name = "unknown error";
    clsolve_status status =
        code == CUDA_ERROR_OUT_OF_MEMORY ? CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY : CLSOLVE_ERROR_DEVICE;
    return cls_fail(error, status, "%s failed: %s (%d)", call, name, (int)code);
}
