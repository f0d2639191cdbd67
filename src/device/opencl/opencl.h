/*
 * opencl.h: what the files of device/opencl/ share. Only they include it, and tests of their inside.
 *
 * An event has no struct of its own: a cls_event * is a cl_event under another name, so that a launch allocates nothing
 * and a cls_wait is handed to the driver as it is.
 */
#ifndef CLS_OPENCL_H
#define CLS_OPENCL_H

#include <stdbool.h>
#include <stddef.h>

#include <CL/cl.h>

#include "device/backend.h"
#include "device/buffer.h"
#include "device/device.h"
#include "device/opencl/names.h"
#include "device/programs.h"
#include "device/rect.h"
#include "device/shipped.h"
#include "device/staging.h"

struct cls_pinned {
    cl_mem memory; /* mapped; NULL: `plain`, an allocation in which `host` lies, takes its place */
    char *plain;
    char *host;
    size_t bytes;
    cls_pinned *next; /* in the device's list, by which transfers know pinned memory from pageable */
};

/* The state of an argument of a kernel: as it was last set. */
typedef struct cls_set_argument {
    size_t size;             /* of the value or of the local memory; 0: it is not known */
    int64_t serial;          /* of the buffer; 0: it is none */
    unsigned char value[16]; /* a complex double is the longest */
} cls_set_argument;

/* Work-groups for which a kernel was launched. */
typedef struct cls_launched {
    size_t local[3];
    int wide; /* the grid is */
} cls_launched;

struct cls_kernel {
    cl_kernel handle;
    int32_t count;           /* of its parameters; -1 where the driver does not say */
    cls_set_argument *set;   /* `count` of them; NULL: each launch sets all */
    const cls_program *late; /* late.c: its program, where launches compile; else NULL */
    cls_launched launched[4];
    int launched_count;
};

/* Events as the driver takes them. */
typedef struct cls_wait_list {
    cl_uint count;
    const cl_event *events; /* NULL when count is 0, as the driver demands */
} cls_wait_list;

typedef struct cls_opencl_ring cls_opencl_ring;

typedef struct cls_opencl {
    cls_device base; /* first: a cls_device * is a cls_opencl * */
    cl_platform_id platform;
    cl_device_id id;
    cl_context context;
    cl_command_queue queues[CLS_QUEUES];

    cls_pinned *pinned;    /* all that is alive, the staging slots too */
    int64_t serial;        /* of the buffer that was made last, from 1 on */
    cls_opencl_ring *ring; /* peer.c: by which it fetches from others; NULL until it is used */

    bool plain;              /* kernels are written as for a device of another maker than NVIDIA */
    int lanes;               /* of a sub-group, as kernels ask for it; 0: the compiler chooses */
    atomic_int all_builtins; /* 1: a program did not build with few_builtins.clh, and no further one is tried so */
    cls_shipped *shipped;    /* programs compiled with the library, for NVIDIA's GPUs; NULL: none */
    int knows_buffers;       /* 1: the driver takes them, -1: it does not; 0: no program was tried yet */
    const char *standard; /* what programs that use sub-groups are compiled as: "", or an option that begins with " " */
} cls_opencl;

static inline cls_opencl *cls_opencl_of(cls_device *device) {
    return (cls_opencl *)device;
}

/* device.c: the options of compilers apart from a method's; `standard` goes with programs that use sub-groups. 0:
 * `all` has no room for it. */
int cls_opencl_options(const char *options, bool plain, int rolled, int lanes, const char *standard, char *all,
                       size_t size);

/* The status of a call of OpenCL's, whose name its message has. */
static inline clsolve_status cls_opencl_check(const cls_device *device, const char *call, cl_int code) {
    return code == CL_SUCCESS ? CLSOLVE_OK : cls_opencl_fail(device->error, code, call);
}
#define CLS_TRY_CL(device, call, expression) CLS_TRY(cls_opencl_check((device), (call), (expression)))

/* The operations of cls_device_ops. */
CLS_DRIVER_OPS(CLS_DECLARE_OP, opencl)

/* ---- late.c: kernels that are compiled when they are launched ---- */

typedef struct cls_late {
    cls_cache_key key;
    int claim; /* -1: there is none */
} cls_late;

int cls_opencl_is_pocl(const cls_device *device);
/* Before a kernel is launched: waits for another process that compiles it for the same work-group. */
cls_late cls_opencl_late_begin(cls_device *device, cls_kernel *kernel, const cls_grid *grid);
/* The event of the launch, or NULL: others may go on when it runs. */
void cls_opencl_late_end(cls_device *device, const cls_late *late, cl_event event);

/* ---- discover.c ---- */

typedef struct cls_opencl_found {
    clsolve_device_info info; /* first (backend.h) */
    cl_platform_id platform;
    cl_device_id id;
    int shares_memory; /* a GPU in the host's memory */
    const char
        *failed; /* the first query of it that failed, and its code, or NULL: such a device is listed and not opened */
    cl_int code;
} cls_opencl_found;

/* The usable devices, or the first `wanted` and maybe more: later drivers are not asked then (backend.h). The caller
 * frees *found with cls_free. */
clsolve_status cls_opencl_discover(int64_t wanted, cls_opencl_found **found, int64_t *count, cls_error *error);

/* One device that need not be among them. */
void cls_opencl_describe(cl_platform_id platform, cl_device_id id, cls_opencl_found *found);

/* A platform's text, spaces trimmed, cut to fit; empty where it is not told. */
cl_int cls_opencl_platform_text(cl_platform_id platform, cl_platform_info what, char *text, size_t size);

/* ---- device.c ---- */

/* The device, with queues of its own but for `compute`, which is retained; NULL: one of its own too. */
clsolve_status cls_opencl_create(const cls_opencl_found *found, const char *cache_folder, cl_context context,
                                 cl_command_queue compute, cls_error *error, cls_device **device);

/* 1: a GPU of AMD's whose matrix instructions cl/gemm_mfma.cl is written for, by its name. AMD's OpenCL names a GPU by
 * its architecture and what is switched on, "gfx90a:sramecc+:xnack-"; others, like rusticl, have no such builtins. */
int cls_opencl_has_matrix_core(const clsolve_device_info *info);

/* How many times faster float is than double on NVIDIA's GPUs of a compute capability (90 for 9.0); 0: it is not
 * known. */
int cls_opencl_double_ratio(int capability);

/* ---- sub_groups.c ---- */

/* A driver's description of itself; texts may be NULL. */
typedef struct cls_opencl_words {
    const char *extensions; /* of the device */
    const char *version;    /* of its OpenCL C: "OpenCL C 1.2 ..." */
    int has_c_3;            /* it compiles OpenCL C 3.0, whatever `version` says */
    int has_feature;        /* __opencl_c_subgroups is among the features of its OpenCL C 3.0 */
} cls_opencl_words;

/* By what words its kernels may use sub-groups, and what such programs are compiled as. */
cls_sub_groups cls_opencl_sub_groups_of(const cls_opencl_words *words, const char **standard);
/* Asks the device. */
void cls_opencl_find_sub_groups(cls_opencl *device);

/* ---- transfer.c ---- */

/* One rectangle between memory that the bus reaches and a buffer; `done` may be NULL. */
clsolve_status cls_opencl_write_rect(cls_device *device, cl_command_queue queue, cls_buffer *to, char *host,
                                     const cls_rect *rect, cls_wait_list wait, cl_event *done);
clsolve_status cls_opencl_read_rect(cls_device *device, cl_command_queue queue, cls_buffer *from, char *host,
                                    const cls_rect *rect, cls_wait_list wait, cl_event *done);

/* ---- peer.c ---- */

/* A context over the device at `at` and those of the same platform among which it is opened, retained; NULL: it is
 * alone, or the driver gives none. */
cl_context cls_opencl_common_context(const cls_opencl_found *found, int64_t count, int64_t at, const cls_among *among);
void cls_opencl_peers_release(cls_opencl *device);

/* ---- program.c ---- */

extern const cls_compiler cls_opencl_compiler;

/* ---- shipped.c, where the library reads archives (CLSOLVE_SHIPPED) ---- */

void cls_opencl_shipped_open(cls_opencl *device);
/* cls_compiler.shipped. */
void *cls_opencl_shipped(cls_device *device, const cls_source *source, size_t *bytes);
/* 0: the driver does not know which parameters of machine code are buffers, so the program must not be launched. */
int cls_opencl_shipped_is_usable(cls_opencl *device, cl_program program, const void *binary, size_t bytes);

/* ---- launch.c ---- */

/* The wait list for an enqueue. It flushes the queues of its events, because a queue that waits for an event of an
 * unflushed one may wait for ever. */
cls_wait_list cls_opencl_wait_list(const cls_wait *wait);

/* The work of a call that had nothing to enqueue: an event is still owed if the caller wants one. */
clsolve_status cls_opencl_nothing(cls_device *device, cls_queue queue, const cls_wait *wait, cls_event **done);

#endif
