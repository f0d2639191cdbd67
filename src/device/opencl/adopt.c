/* adopt.c: a device made of the caller's own context, device and queue. */
#include "device/interop.h"

#include "base/memory.h"
#include "device/backend.h"
#include "device/opencl/opencl.h"

static clsolve_status refuse(cls_error *error, const char *why) {
    return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "clsolve_context_create_opencl: %s", why);
}

#define TRY_QUERY(error, call, expression)                                                                             \
    do {                                                                                                               \
        cl_int code_ = (expression);                                                                                   \
        if (code_ != CL_SUCCESS) return cls_opencl_fail(error, code_, call);                                           \
    } while (0)

static clsolve_status check_context(cl_context context, cl_device_id id, cls_error *error) {
    cl_device_id ids[64];
    size_t bytes = 0;
    TRY_QUERY(error, "clGetContextInfo", clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof ids, ids, &bytes));
    for (size_t i = 0; i < bytes / sizeof *ids; i++)
        if (ids[i] == id) return CLSOLVE_OK;
    return refuse(error, "the device is not one of the context's");
}

static clsolve_status check_queue(cl_context context, cl_device_id id, cl_command_queue queue, cls_error *error) {
    cl_context its_context = NULL;
    cl_device_id its_id = NULL;
    cl_command_queue_properties properties = 0;
    if (!queue) return CLSOLVE_OK;
    TRY_QUERY(error, "clGetCommandQueueInfo",
              clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof its_context, &its_context, NULL));
    TRY_QUERY(error, "clGetCommandQueueInfo",
              clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof its_id, &its_id, NULL));
    TRY_QUERY(error, "clGetCommandQueueInfo",
              clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL));
    if (its_context != context || its_id != id) return refuse(error, "the queue is of another context or device");
    if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        return refuse(error, "the queue runs out of order: give one without CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, or "
                             "NULL for one of the library's own");
    return CLSOLVE_OK;
}

/* As clsolve_devices() lists it, selector and all; a sub-device, say, is not listed and gets no selector. */
static clsolve_status describe(cl_device_id id, cls_opencl_found *result, cls_error *error) {
    cls_opencl_found *found = NULL;
    int64_t count = 0, i = 0;
    cl_platform_id platform = NULL;
    CLS_TRY(cls_opencl_discover(CLS_ALL_DEVICES, &found, &count, error));
    while (i < count && found[i].id != id) i++;
    if (i < count) *result = found[i];
    cls_free(found);
    if (i < count) return CLSOLVE_OK;
    TRY_QUERY(error, "clGetDeviceInfo", clGetDeviceInfo(id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    cls_opencl_describe(platform, id, result);
    return CLSOLVE_OK;
}

clsolve_status cls_device_adopt_opencl(void *context, void *id, void *queue, const char *cache_folder, cls_error *error,
                                       cls_device **device) {
    cls_opencl_found found;
    *device = NULL;
    if (!context || !id) return refuse(error, "the cl_context or the cl_device_id is NULL");
    CLS_TRY(check_context(context, id, error));
    CLS_TRY(check_queue(context, id, queue, error));
    CLS_TRY(describe(id, &found, error));
    CLS_TRY(cls_opencl_create(&found, cache_folder, context, queue, error, device));
    (*device)->callers = 1;
    return CLSOLVE_OK;
}

/* ---- the caller's other queues ---- */

static clsolve_status refuse_follow(cls_device *device, const char *why) {
    return cls_fail(device->error, CLSOLVE_ERROR_INVALID_ARGUMENT, "clsolve_context_follow_opencl: %s", why);
}

clsolve_status cls_device_follow_opencl(cls_device *device, void *queue) {
    cl_context its_context = NULL;
    cl_event there = NULL;

    if (!device->callers)
        return refuse_follow(device, "this context has no cl_context of the caller's: make it by "
                                     "clsolve_context_create_opencl");
    if (!queue) return refuse_follow(device, "queue is NULL");
    TRY_QUERY(device->error, "clGetCommandQueueInfo",
              clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof its_context, &its_context, NULL));
    if (its_context != cls_opencl_of(device)->context)
        return refuse_follow(device, "the queue is of another cl_context than the one that "
                                     "clsolve_context_create_opencl was given");
    CLS_TRY_CL(device, "clEnqueueMarkerWithWaitList", clEnqueueMarkerWithWaitList(queue, 0, NULL, &there));
    clsolve_status status = cls_opencl_queue_wait(device, CLS_COMPUTE, (cls_event *)there); /* sends `queue` off too */
    (void)clReleaseEvent(there);
    return status;
}
