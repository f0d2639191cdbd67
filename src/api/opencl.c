/* opencl.c: the calls of clsolve/opencl.h. */
#include <clsolve/opencl.h>

#include "api/context.h"
#include "device/interop.h"

static clsolve_status adopt(const cls_handles *handles, const char *cache_folder, cls_error *error,
                            cls_device **device) {
    return cls_device_adopt_opencl(handles->context, handles->id, handles->queue, cache_folder, error, device);
}

clsolve_status clsolve_context_create_opencl(cl_context cl, cl_device_id device, cl_command_queue queue,
                                             const clsolve_context_options *options, clsolve_context **context) {
    cls_handles handles = {.adopt = adopt, .context = cl, .id = device, .queue = queue};
    return cls_context_make("clsolve_context_create_opencl", &handles, options, context);
}

clsolve_status clsolve_context_follow_opencl(clsolve_context *context, cl_command_queue queue) {
    return cls_context_follow(context, "clsolve_context_follow_opencl", "opencl", cls_device_follow_opencl, queue);
}
