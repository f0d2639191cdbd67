/*
 * backend.h: a backend (device/opencl/, device/cuda/) as backends.c sees it: a list of its devices and a
 * way to open one of them. Nothing above src/device includes this.
 */
#ifndef CLS_BACKEND_H
#define CLS_BACKEND_H

#include "device/device.h"

/* A cls_company's devices, as far as they are in the list that a device is taken from. */
typedef struct cls_among {
    clsolve_device_info *infos;
    int64_t count;
    cls_device *const *opened;
    int64_t opened_count;
} cls_among;

/* More devices than there are. */
#define CLS_ALL_DEVICES INT64_MAX

typedef struct cls_backend {
    const char *name; /* as in the selectors "<name>" and "<name>:<index>" */

    /* The usable devices, in the order of the drivers: *list comes from cls_alloc and the caller frees it with
     * cls_free. No driver is no error: *count is 0 then, and *list NULL. The first `wanted` suffice, and drivers that
     * have none of them need not be asked. */
    clsolve_status (*list)(int64_t wanted, clsolve_device_info **list, int64_t *count, cls_error *error);

    /* Opens the device that stands at `index` in that list as `wanted`. Where the drivers give another list by now, a
     * device with the same description is opened. `among`: devices that it is to reach; NULL: none. On failure *device
     * is NULL. */
    clsolve_status (*open)(int64_t index, const clsolve_device_info *wanted, const cls_among *among,
                           const char *cache_folder, cls_error *error, cls_device **device);

    /* Why its list is empty, in words for people. */
    void (*absent)(char *text, size_t size);
} cls_backend;

/* Is it an OpenCL device below 1.2? Such devices are listed, ranked last, and refused when opened. */
int cls_device_too_old(const clsolve_device_info *info);

/* Does the selector of one device name it? And is `a` to be taken before `b`? */
int cls_selector_fits(const clsolve_device_info *info, const char *selector);
/* Copies `selector` without blanks around it, and around the colon of "cuda : 0", which has a kind of devices before
 * it. */
void cls_selector_tidy(const char *selector, char *text, size_t size);
/* "gpu", "cpu" or the name of a backend. */
int cls_selector_is_kind(const char *text);
int cls_device_better(const clsolve_device_info *a, const clsolve_device_info *b);
/* As strcmp() == 0, letter case ignored. */
int cls_same_text(const char *a, const char *b);

/* The host as a device, by a selector and a backend's name of its own: host/host.c. It is in no list. */
#define CLS_HOST "host"
clsolve_status cls_host_open(cls_error *error, cls_device **device);

/* `found`: what a backend's drivers have, structs of `stride` bytes that begin with a clsolve_device_info. As the list
 * of cls_backend.list; and the place of the device that cls_backend.open wants, `count` where it is not there. */
clsolve_status cls_backend_infos(const void *found, size_t stride, int64_t count, cls_error *error,
                                 clsolve_device_info **devices);
int64_t cls_backend_place(const void *found, size_t stride, int64_t count, int64_t index,
                          const clsolve_device_info *wanted);

/*
 * The operations that each driver's backend `b` has functions of its own for, cls_opencl_write for `write`; their types
 * are those in the table.
 *
 *      CLS_DRIVER_OPS(CLS_DECLARE_OP, opencl)                  declares the functions
 *      ... operations = {CLS_DRIVER_OPS(CLS_TABLE_OP, opencl) .destroy = ...
 */
/* clang-format off */
#define CLS_DRIVER_OPS(X, b) \
    X(b, buffer_create) X(b, buffer_destroy) X(b, memory_left) X(b, adopt) X(b, pinned_create) \
    X(b, pinned_destroy) X(b, twin) X(b, write) X(b, read) X(b, reaches) X(b, copy) X(b, copy_rect) X(b, joins) \
    X(b, fetch) X(b, fill) X(b, kernel_create) X(b, kernel_destroy) X(b, launch) X(b, launch_together) X(b, mark) \
    X(b, event_is_over) X(b, event_wait) X(b, queue_wait) X(b, event_release) X(b, elapsed) X(b, flush) \
    X(b, finish) X(b, map) X(b, unmap)
/* clang-format on */
#define CLS_DECLARE_OP(b, op) __typeof__(*((cls_device_ops *)NULL)->op) cls_##b##_##op;
#define CLS_TABLE_OP(b, op)   .op = cls_##b##_##op,

extern const cls_backend cls_backend_cuda;
extern const cls_backend cls_backend_opencl;

#endif
