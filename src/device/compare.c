/* compare.c: descriptions of devices, compared and listed, for backends and for the list of them. */
#include "device/backend.h"

#include <ctype.h>
#include <stdio.h>

#include "base/memory.h"

int cls_same_text(const char *a, const char *b) {
    while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) a++, b++;
    return tolower((unsigned char)*a) == tolower((unsigned char)*b);
}

/* The same device or one just like it, by name and driver. */
static int are_same(const clsolve_device_info *a, const clsolve_device_info *b) {
    return cls_same_text(a->name, b->name) && cls_same_text(a->vendor, b->vendor) &&
           cls_same_text(a->platform, b->platform) && cls_same_text(a->version, b->version) &&
           cls_same_text(a->driver, b->driver);
}

int cls_device_too_old(const clsolve_device_info *info) {
    int major, minor;
    if (sscanf(info->version, "OpenCL %d.%d", &major, &minor) != 2)
        return 0; /* another backend, or a driver that errs */
    return major < 1 || (major == 1 && minor < 2);
}

static const clsolve_device_info *info_at(const void *found, size_t stride, int64_t i) {
    return (const void *)((const char *)found + (size_t)i * stride);
}

clsolve_status cls_backend_infos(const void *found, size_t stride, int64_t count, cls_error *error,
                                 clsolve_device_info **devices) {
    *devices = NULL;
    if (count == 0) return CLSOLVE_OK;
    *devices = cls_alloc((size_t)count, sizeof **devices);
    if (!*devices) return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no memory for the list of devices");
    for (int64_t i = 0; i < count; i++) (*devices)[i] = *info_at(found, stride, i);
    return CLSOLVE_OK;
}

int64_t cls_backend_place(const void *found, size_t stride, int64_t count, int64_t index,
                          const clsolve_device_info *wanted) {
    if (index < count && are_same(info_at(found, stride, index), wanted)) return index;
    int64_t at = 0;
    while (at < count && !are_same(info_at(found, stride, at), wanted)) at++;
    return at;
}
