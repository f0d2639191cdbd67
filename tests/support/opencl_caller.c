#include "support/opencl_caller.h"

#include <string.h>

#include "api/context.h"
#include "device/staging.h"
#include "support/test_support.h"

static int find_device(cl_device_id *id) {
    clsolve_context *any = test_context(1);
    clsolve_device_info info = clsolve_context_device(any);
    cl_platform_id platforms[16];
    cl_uint count = 0;
    clsolve_context_destroy(any);
    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) return 0;
    for (cl_uint p = 0; p < count && p < 16; p++) {
        cl_device_id ids[16];
        cl_uint devices = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, ids, &devices) != CL_SUCCESS) continue;
        for (cl_uint d = 0; d < devices && d < 16; d++) {
            char name[256] = "";
            (void)clGetDeviceInfo(ids[d], CL_DEVICE_NAME, sizeof name, name, NULL);
            *id = ids[d];
            if (strstr(name, info.name)) return 1;
        }
    }
    return 0;
}

int opencl_caller_open(opencl_caller *caller) {
    cl_int code = CL_SUCCESS;
    *caller = (opencl_caller){.context = NULL};
    if (!find_device(&caller->id)) return -1;
    caller->cl = clCreateContext(NULL, 1, &caller->id, NULL, NULL, &code);
    if (caller->cl) caller->queue = clCreateCommandQueue(caller->cl, caller->id, 0, &code);
    if (code != CL_SUCCESS) return -1;
    if (clsolve_context_create_opencl(caller->cl, caller->id, caller->queue, NULL, &caller->context) != CLSOLVE_OK)
        return -1;
    caller->type = clsolve_context_device(caller->context).fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    return 0;
}

/* What the context and the device have for later calls is no buffer that a handle has left. */
static void let_go(clsolve_context *context) {
    cls_device *device = context->device;
    cls_context_let_go(context);
    cls_staging_destroy(device);
    if (device->blas_release) device->blas_release(device);
    device->blas_release = NULL;
}

int opencl_caller_close(opencl_caller *caller) {
    if (!caller->context) return -1;
    let_go(caller->context);
    const int64_t left = test_buffers(caller->context->device);
    if (left != 0) print_error("%d buffers of the device are left\n", (int)left);
    clsolve_context_destroy(caller->context);
    (void)clReleaseCommandQueue(caller->queue);
    (void)clReleaseContext(caller->cl);
    return left == 0 ? 0 : -1;
}
