/* cuda.c: the calls of clsolve/cuda.h. They are in every build, so that programs link with each alike. */
#include <clsolve/cuda.h>

#include "api/context.h"
#include "device/interop.h"

static clsolve_status adopt(const cls_handles *handles, const char *cache_folder, cls_error *error,
                            cls_device **device) {
    return cls_device_adopt_cuda(handles->number, handles->queue, cache_folder, error, device);
}

clsolve_status clsolve_context_create_cuda(int device, struct CUstream_st *stream,
                                           const clsolve_context_options *options, clsolve_context **context) {
    cls_handles handles = {.adopt = adopt, .number = device, .queue = stream};
    return cls_context_make("clsolve_context_create_cuda", &handles, options, context);
}

clsolve_status clsolve_context_follow_cuda(clsolve_context *context, struct CUstream_st *stream) {
    return cls_context_follow(context, "clsolve_context_follow_cuda", "cuda", cls_device_follow_cuda, stream);
}
