/*
 * cuda_device.h: what the files of device/cuda/ share. Only they include it, and tests of their inside.
 *
 * A cls_event * is a CUevent under another name, so that a cls_wait is handed on as it is and a caller's own event is
 * one.
 *
 * The current context. Each operation makes the device's context the calling thread's current one and puts the caller's
 * back (CLS_CUDA_WITHIN): the caller may use CUDA in the same thread, and several threads and devices work at once.
 */
#ifndef CLS_CUDA_DEVICE_H
#define CLS_CUDA_DEVICE_H

#include <stdint.h>

#include "device/backend.h"
#include "device/buffer.h"
#include "device/cuda/driver.h"
#include "device/device.h"
#include "device/programs.h"
#include "device/rect.h"
#include "device/shipped.h"
#include "device/staging.h"

struct cls_pinned {
    char *host;
    size_t bytes;
    cls_pinned *next; /* in the device's list, by which transfers know pinned memory from pageable */
};

enum { CLS_CUDA_PARAMS = 40 }; /* parameters of a kernel, at most */

struct cls_kernel {
    CUfunction function;
    int count;                    /* of parameters; -1 where the driver does not say */
    size_t size[CLS_CUDA_PARAMS]; /* of each, in bytes */
    size_t shared;                /* bytes of local memory as arguments that it has been made ready for */
    char name[64];
};

typedef struct cls_cuda {
    cls_device base; /* first: a cls_device * is a cls_cuda * */
    cls_cuda_driver driver;
    CUdevice id;
    CUcontext context;
    bool primary; /* the context is the device's primary one, retained */
    CUstream queues[CLS_QUEUES];
    bool owned[CLS_QUEUES]; /* not the caller's */
    int capability;         /* 90 for 9.0; base.matrix_unit is the same */
    cls_cuda_nvrtc nvrtc;   /* loaded when it is first needed */
#ifdef CLSOLVE_SHIPPED
    cls_shipped *shipped; /* NULL: not looked for yet, or there is none */
    bool looked_for;
#endif

    cls_pinned *pinned; /* all that is alive, the staging slots too */
} cls_cuda;

static inline cls_cuda *cls_cuda_of(cls_device *device) {
    return (cls_cuda *)device;
}

static inline CUdeviceptr cls_cuda_address(const cls_buffer *buffer) {
    return (CUdeviceptr)(uintptr_t)buffer->memory;
}

/* The status of a call of CUDA's, whose name its message has. */
static inline clsolve_status cls_cuda_check(const cls_cuda *device, const char *call, CUresult code) {
    return code == CUDA_SUCCESS ? CLSOLVE_OK : cls_cuda_fail(&device->driver, device->base.error, code, call);
}
#define CLS_TRY_CU(device, call, expression) CLS_TRY(cls_cuda_check((device), (call), (expression)))

/* The operations of cls_device_ops, and one that OpenCL has not. */
CLS_DRIVER_OPS(CLS_DECLARE_OP, cuda)
CLS_DECLARE_OP(cuda, seen_create)

/* ---- device.c ---- */

typedef struct cls_cuda_found {
    clsolve_device_info info; /* first (backend.h) */
    CUdevice id;
    int capability; /* of computing, 90 for 9.0 */
    const char
        *failed; /* the first query of it that failed, and its code, or NULL: such a device is listed and not opened */
    CUresult code;
} cls_cuda_found;

/* Every usable device; the caller frees *found with cls_free. */
clsolve_status cls_cuda_discover(const cls_cuda_driver *driver, cls_cuda_found **found, int64_t *count,
                                 cls_error *error);

/*
 * Takes the driver over, whatever comes of it. `context` is the caller's, for as long as the device lives; NULL: the
 * device's primary one. `compute`: the caller's stream, or NULL for one of its own.
 */
clsolve_status cls_cuda_create(cls_cuda_driver *driver, const cls_cuda_found *found, const char *cache_folder,
                               CUcontext context, CUstream compute, cls_error *error, cls_device **device);

/* ---- buffer.c ---- */

/* The driver does not see a copy that ends beyond a buffer but within what it rounded it up to. `columns` of `bytes`
 * each, none of them 0. */
clsolve_status cls_cuda_inside(cls_device *device, const cls_buffer *buffer, const char *call, size_t offset,
                               size_t pitch, size_t bytes, size_t columns);

/* One call, or one a column where a pitch is beyond what a driver takes. */
CUresult cls_cuda_copy_2d(const cls_cuda_driver *driver, CUDA_MEMCPY2D *copy, CUstream stream);

/* ---- program.c ---- */

extern const cls_compiler cls_cuda_compiler;

/* ---- shipped.c ---- */

/* cls_compiler.shipped: machine code for the device's own capability, or for an older one of its generation; else PTX.
 * The device's destruction closes the archive. */
void *cls_cuda_shipped(cls_device *device, const cls_source *source, size_t *bytes);

/* The key under which a program lies in an archive of `capability`. The options are those of a device of `own`; where
 * they name that, the archive's stands in its place. Options that are too long: a zero key, which no program has. */
cls_cache_key cls_cuda_shipped_key(int capability, int own, const cls_source *source);

/*
 * Compiles for a GPU of that capability, 90 for 9.0: *binary, from cls_alloc, is a cubin, or where this NVRTC knows no
 * GPU so new (or gives no cubins) PTX for the newest that it knows, which a driver compiles on. `ptx`, may be NULL: the
 * PTX too.
 */
clsolve_status cls_cuda_compile(const cls_cuda_nvrtc *nvrtc, int capability, const cls_source *source, cls_error *error,
                                void **binary, size_t *bytes, char **ptx);

/* ---- launch.c ---- */

/* Within the context: the queue waits for all of them. */
clsolve_status cls_cuda_wait_for(cls_cuda *device, cls_queue queue, const cls_wait *wait);
/* Within the context: mark, when an event is wanted. */
clsolve_status cls_cuda_done(cls_cuda *device, cls_queue queue, cls_event **done);
/* Both, for a call that has nothing to enqueue. Makes the context current. */
clsolve_status cls_cuda_nothing(cls_cuda *device, cls_queue queue, const cls_wait *wait, cls_event **done);

#endif
