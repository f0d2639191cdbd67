#include <clsolve/opencl.h>

#include "api/context.h"

clsolve_status clsolve_context_create_opencl(cl_context cl, cl_device_id device, cl_command_queue queue,
                                             const clsolve_context_options *options, clsolve_context **context) {
    cls_opencl_handles handles = {cl, device, queue};
    return cls_context_make("clsolve_context_create_opencl", &handles, options, context);
}
