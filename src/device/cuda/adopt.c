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

/* CUDA's names for the default streams are no addresses; these are of whichever context is current: of the primary one, here. */
static int is_default_stream(CUstream stream) {
    return stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
}

/* The context of the caller's stream, which has to be of that device. */
static clsolve_status context_of(const cls_cuda_driver *driver, CUdevice id, CUstream stream, CUcontext *context,
                                 cls_error *error) {
    CUdevice its_id = -1;
    CUcontext popped;
    TRY_QUERY(driver, error, "cuStreamGetCtx", driver->stream_context(stream, context));
    TRY_QUERY(driver, error, "cuCtxPushCurrent", driver->context_push(*context));
    CUresult code = driver->context_device(&its_id);
    (void)driver->context_pop(&popped);
    TRY_QUERY(driver, error, "cuCtxGetDevice", code);
    return its_id == id ? CLSOLVE_OK : refuse(error, "the stream is of another device");
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
        CLS_TRY_GOTO(status, context_of(&driver, found.id, stream, &context, error), failed);
    CLS_TRY(cls_cuda_create(&driver, &found, cache_folder, context, stream, error, device));
    (*device)->callers = 1;
    return CLSOLVE_OK;
failed:
    cls_cuda_driver_unload(&driver);
    return status;
}
