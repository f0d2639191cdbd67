/*
 * interop.h: a device made of what the caller already has. The pointers are the backend's own handles under the name
 * void *, so that src/api names no backend.
 */
#ifndef CLS_INTEROP_H
#define CLS_INTEROP_H

#include "device/device.h"

/*
 * `context`, `id` and `queue` are a cl_context, a cl_device_id of it and an in-order cl_command_queue of both, which
 * becomes the compute queue; NULL: one of its own. Context and queue are retained.
 */
clsolve_status cls_device_adopt_opencl(void *context, void *id, void *queue, const char *cache_folder, cls_error *error,
                                       cls_device **device);

/*
 * `id` is a CUdevice and `stream` a CUstream of it, or one of CUDA's default streams, which becomes the compute queue;
 * NULL: one of its own. The stream and its context stay the caller's. UNSUPPORTED in a build without CUDA.
 */
clsolve_status cls_device_adopt_cuda(int id, void *stream, const char *cache_folder, cls_error *error,
                                     cls_device **device);

/*
 * The caller's work in `queue`, of the device's cl_context, or in `stream`, of the device, is done before the work that
 * is enqueued on the compute queue from now on. The host does not wait. The device is of that backend.
 */
clsolve_status cls_device_follow_opencl(cls_device *device, void *queue);
clsolve_status cls_device_follow_cuda(cls_device *device, void *stream);

#endif
