/* adopt.c: a device made of the caller's own CUDA: its number and a stream. */
#include "device/interop.h"

#include "base/memory.h"
#include "device/cuda/cuda_device.h"

static clsolve_status refuse(cls_error *error, const char *why) {
    return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "clsolve_context_create_cuda: %s", why);
}

#define TRY_QUERY(driver, error, call, expression)                                                                     \
    do {                                                                                                               \
        CUresult code_ = (expression);                                                                                 \
        if (code_ != CUDA_SUCCESS) return cls_cuda_fail(driver, error, code_, call);                                   \
    } while (0)

/* CUDA's names for the default streams are no addresses; these are of whichever context is current: of the primary one,
 * here. */
static int is_default_stream(CUstream stream) {
    return stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
}

/* The context of the caller's stream, which has to be of that device; `refused` is what to say of another. */
static clsolve_status context_of(const cls_cuda_driver *driver, CUdevice id, CUstream stream, CUcontext *context,
                                 clsolve_status (*refused)(cls_error *error, const char *why), cls_error *error) {
    CUdevice its_id = -1;
    CUcontext popped;
    TRY_QUERY(driver, error, "cuStreamGetCtx", driver->stream_context(stream, context));
    TRY_QUERY(driver, error, "cuCtxPushCurrent", driver->context_push(*context));
    CUresult code = driver->context_device(&its_id);
    (void)driver->context_pop(&popped);
    TRY_QUERY(driver, error, "cuCtxGetDevice", code);
    return its_id == id ? CLSOLVE_OK : refused(error, "the stream is of another device");
}

/* As clsolve_devices() lists it, selector and all. */
static clsolve_status describe(const cls_cuda_driver *driver, int id, cls_cuda_found *result, cls_error *error) {
    cls_cuda_found *found = NULL;
    int64_t count = 0, i = 0;
    CLS_TRY(cls_cuda_discover(driver, &found, &count, error));
    while (i < count && (int)found[i].id != id) i++;
    if (i < count) *result = found[i];
    cls_free(found);
    return i < count ? CLSOLVE_OK : refuse(error, "there is no CUDA device of that number");
}

clsolve_status cls_device_adopt_cuda(int id, void *stream, const char *cache_folder, cls_error *error,
                                     cls_device **device) {
    cls_cuda_driver driver;
    cls_cuda_found found;
    CUcontext context = NULL;
    clsolve_status status = CLSOLVE_OK;
    char why[256];
    *device = NULL;
    if (!cls_cuda_driver_load(&driver, why, sizeof why))
        return cls_fail(error, CLSOLVE_ERROR_NO_DEVICE, "clsolve_context_create_cuda: no CUDA device: %s", why);
    CLS_TRY_GOTO(status, describe(&driver, id, &found, error), failed);
    if (stream && !is_default_stream(stream))
        CLS_TRY_GOTO(status, context_of(&driver, found.id, stream, &context, refuse, error), failed);
    CLS_TRY(cls_cuda_create(&driver, &found, cache_folder, context, stream, error, device));
    (*device)->callers = 1;
    return CLSOLVE_OK;
failed:
    cls_cuda_driver_unload(&driver);
    return status;
}

/* ---- the caller's other streams ---- */

static clsolve_status refuse_follow(cls_error *error, const char *why) {
    return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "clsolve_context_follow_cuda: %s", why);
}

/* An event is recorded within the context that it and its stream are of; other contexts' streams may wait for it. */
static clsolve_status follow(cls_cuda *device, CUstream stream) {
    const cls_cuda_driver *driver = &device->driver;
    CUevent there = NULL;

    CLS_TRY_CU(device, "cuEventCreate", driver->event_create(&there, CU_EVENT_DISABLE_TIMING));
    CUresult code = driver->event_record(there, stream);
    clsolve_status status = code == CUDA_SUCCESS ? cls_cuda_queue_wait(&device->base, CLS_COMPUTE, (cls_event *)there)
                                                 : cls_cuda_fail(driver, device->base.error, code, "cuEventRecord");
    (void)driver->event_destroy(there); /* what waits for it still does */
    return status;
}

clsolve_status cls_device_follow_cuda(cls_device *base, void *stream) {
    cls_cuda *device = cls_cuda_of(base);
    CUcontext context = device->context, popped;

    if (!base->callers)
        return refuse_follow(base->error, "this context is not made of the caller's own CUDA: make it by "
                                          "clsolve_context_create_cuda");
    if (!stream)
        return refuse_follow(base->error, "stream is NULL: give CU_STREAM_LEGACY (cudaStreamLegacy) for CUDA's default "
                                          "stream");
    if (!is_default_stream(stream))
        CLS_TRY(context_of(&device->driver, device->id, stream, &context, refuse_follow, base->error));
    CLS_TRY_CU(device, "cuCtxPushCurrent", device->driver.context_push(context));
    clsolve_status status = follow(device, stream);
    (void)device->driver.context_pop(&popped);
    return status;
}
