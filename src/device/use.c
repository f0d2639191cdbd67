#include "device/use.h"

#include "base/type.h"

clsolve_status cls_bytes_make(cls_device *device, const void *from, size_t bytes, cls_buffer **made) {
    *made = NULL;
    CLS_TRY(device->ops->buffer_create(device, bytes, made));
    const clsolve_status status = cls_bytes_put(device, *made, 0, from, bytes);
    if (status == CLSOLVE_OK) return status;
    device->ops->buffer_destroy(device, *made);
    *made = NULL;
    return status;
}

clsolve_status cls_kernels_make(cls_device *device, const char *program, const char *options,
                                const cls_named_kernel *list, size_t count) {
    cls_program *made;
    CLS_TRY(device->ops->program_get(device, program, options, &made));
    for (size_t k = 0; k < count; ++k) CLS_TRY(device->ops->kernel_create(device, made, list[k].name, list[k].kernel));
    return CLSOLVE_OK;
}

void cls_kernels_destroy(cls_device *device, const cls_kernel_at *list, size_t count) {
    for (size_t k = 0; k < count; ++k) device->ops->kernel_destroy(device, list[k]);
}

void cls_buffers_destroy(cls_device *device, const cls_buffer_at *list, size_t count) {
    for (size_t k = 0; k < count; ++k) device->ops->buffer_destroy(device, list[k]);
}

clsolve_status cls_test_once(cls_device *device, const char *name, clsolve_status (*test)(void *what, int *right),
                             void *what, int *right) {
    enum { RIGHT = 1, WRONG = 2 };
    const cls_counters before = device->counters;
    const int known = device->ops->recall(device, name);
    *right = known == RIGHT;
    if (known == RIGHT || known == WRONG) return CLSOLVE_OK;
    CLS_TRY(test(what, right));
    device->counters = before;
    device->ops->remember(device, name, *right ? RIGHT : WRONG);
    return CLSOLVE_OK;
}

clsolve_status cls_fail_test(const cls_device *device, const char *kernels, clsolve_type type) {
    return cls_fail(device->error, CLSOLVE_ERROR_UNSUPPORTED,
                    "%s in %s give wrong results on %s with driver %s, a fault of its compiler as a rule: use another "
                    "device or driver",
                    kernels, cls_is_double(type) ? "double" : "single", device->info.name, device->info.driver);
}
