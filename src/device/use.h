/*
 * use.h: what users of a device do again and again, in one line each: bytes of a buffer, the wait behind a failure,
 * lists of kernels and buffers, and a test of kernels.
 */
#ifndef CLS_USE_H
#define CLS_USE_H

#include "device/device.h"

/* ---- bytes ---- */

/* `bytes` of the buffer, from byte `at` on, from or to the host's memory. Enqueued: cls_device_ops.write, .read. */
static inline clsolve_status cls_bytes_write(cls_device *device, cls_queue queue, cls_buffer *to, size_t at,
                                             const void *from, size_t bytes) {
    const cls_rect rect = {bytes, 1, at, bytes, bytes};
    return bytes == 0 ? CLSOLVE_OK : device->ops->write(device, queue, to, from, &rect, NULL, NULL);
}
static inline clsolve_status cls_bytes_read(cls_device *device, cls_queue queue, cls_buffer *from, size_t at, void *to,
                                            size_t bytes) {
    const cls_rect rect = {bytes, 1, at, bytes, bytes};
    return bytes == 0 ? CLSOLVE_OK : device->ops->read(device, queue, from, to, &rect, NULL, NULL);
}

/* Waits for the queue, also where `status`, of the work before, is a failure, which then counts. */
static inline clsolve_status cls_finish(cls_device *device, cls_queue queue, clsolve_status status) {
    const clsolve_status done = device->ops->finish(device, queue);
    return status != CLSOLVE_OK ? status : done;
}

/* The same as above in CLS_COMPUTE, done when they return. */
static inline clsolve_status cls_bytes_put(cls_device *device, cls_buffer *to, size_t at, const void *from,
                                           size_t bytes) {
    return cls_finish(device, CLS_COMPUTE, cls_bytes_write(device, CLS_COMPUTE, to, at, from, bytes));
}
static inline clsolve_status cls_bytes_get(cls_device *device, cls_buffer *from, size_t at, void *to, size_t bytes) {
    return cls_finish(device, CLS_COMPUTE, cls_bytes_read(device, CLS_COMPUTE, from, at, to, bytes));
}

/* A new buffer that holds them. On failure *made is NULL. */
clsolve_status cls_bytes_make(cls_device *device, const void *from, size_t bytes, cls_buffer **made);

/* ---- lists ---- */

/* A kernel, and where it goes. */
typedef struct cls_named_kernel {
    const char *name;
    cls_kernel **kernel;
} cls_named_kernel;

/* Some kernels of one program. */
clsolve_status cls_kernels_make(cls_device *device, const char *program, const char *options,
                                const cls_named_kernel *list, size_t count);
#define CLS_KERNELS_MAKE(device, program, options, list)                                                               \
    cls_kernels_make(device, program, options, list, sizeof(list) / sizeof *(list))

/* NULL in a list is fine. */
typedef cls_kernel *cls_kernel_at;
typedef cls_buffer *cls_buffer_at;
void cls_kernels_destroy(cls_device *device, const cls_kernel_at *list, size_t count);
void cls_buffers_destroy(cls_device *device, const cls_buffer_at *list, size_t count);
#define CLS_LIST(type, ...)              (const type[]){__VA_ARGS__}, sizeof((const type[]){__VA_ARGS__}) / sizeof(type)
#define CLS_KERNELS_DESTROY(device, ...) cls_kernels_destroy(device, CLS_LIST(cls_kernel_at, __VA_ARGS__))
#define CLS_BUFFERS_DESTROY(device, ...) cls_buffers_destroy(device, CLS_LIST(cls_buffer_at, __VA_ARGS__))

/* ---- tests ---- */

/* Runs `test` once on a device and driver: its outcome is kept with the compiled programs, under `name`. Launches and
 * bytes of the test are not counted. */
clsolve_status cls_test_once(cls_device *device, const char *name, clsolve_status (*test)(void *what, int *right),
                             void *what, int *right);

/* UNSUPPORTED: `kernels`, as "the kernels of X in double", have failed their test. */
clsolve_status cls_fail_test(const cls_device *device, const char *kernels, clsolve_type type);

#endif
