/*
 * device.h: all that a method may ask of a device. One table of operations, one implementation a backend;
 * src/blas and src/method speak only this file (and matrix.h, ref.h next to it) and name no OpenCL or CUDA type.
 *
 * Queues. In-order queues: COMPUTE runs kernels, UP carries host to device, DOWN carries device to host, SOON and
 * BESIDE run kernels that have nothing to do with those in COMPUTE (see cls_queue). Work on one queue runs in the order
 * it was enqueued; between queues only events order it. A queue is flushed by whatever waits for it, and by `flush`.
 *
 * Errors. Every operation that can fail returns a status and has then written the driver's call, its code and its
 * name into device->error. Nothing here prints or aborts.
 *
 * Events. An operation that takes `const cls_wait *wait` starts after all events in it (NULL: none); one that takes
 * `cls_event **done` hands back an event that the caller releases with event_release (NULL: none wanted).
 */
#ifndef CLS_DEVICE_H
#define CLS_DEVICE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <clsolve/context.h>
#include <clsolve/matrix.h>
#include <clsolve/status.h>

#include "base/error.h"
#include "base/pool.h"
#include "device/program_cache.h"

typedef struct cls_device cls_device;
typedef struct cls_buffer cls_buffer; /* device memory */
typedef struct cls_pinned cls_pinned; /* host memory that the bus reaches at full speed */
typedef struct cls_event cls_event;
typedef struct cls_program cls_program; /* owned by the device, see program_get */
typedef struct cls_kernel cls_kernel;
typedef struct cls_compiler cls_compiler; /* compiler.h */
typedef struct cls_fact cls_fact;         /* facts.c */
typedef struct cls_shelf cls_shelf;       /* shelf.h */
typedef struct cls_staging cls_staging;   /* staging.h */
typedef struct cls_blas cls_blas;         /* of the room above this one, which alone looks inside */

/* BESIDE is for work that may last; SOON for what COMPUTE will wait for before long. */
typedef enum cls_queue {
    CLS_COMPUTE = 0,
    CLS_UP = 1,
    CLS_DOWN = 2,
    CLS_BESIDE = 3,
    CLS_SOON = 4,
    CLS_QUEUES = 5
} cls_queue;

/* The way of a device's `fetch` from another one. */
typedef enum cls_joint {
    CLS_APART = 0,   /* there is no way */
    CLS_BY_HOST = 1, /* the host's memory */
    CLS_DIRECT = 2   /* nothing else */
} cls_joint;

typedef struct cls_wait {
    int32_t count;
    cls_event *const *events;
} cls_wait;

/*
 * A rectangle of `columns` columns of `bytes` contiguous bytes each. Column c lies at
 * device_offset + c * device_pitch in the buffer and at c * host_pitch from the host pointer. All in bytes; the
 * pitches are at least `bytes`. A rectangle without columns or bytes is no copy at all and is not counted.
 */
typedef struct cls_rect {
    size_t bytes, columns;
    size_t device_offset, device_pitch;
    size_t host_pitch;
} cls_rect;

/* A rectangle between two buffers: as cls_rect, with a second device side in the host's place. */
typedef struct cls_span {
    size_t bytes, columns;
    size_t from_offset, from_pitch;
    size_t to_offset, to_pitch;
} cls_span;

/* An argument of a kernel, in the order of its parameters. Use the macros below. */
typedef struct cls_arg {
    enum { CLS_ARG_VALUE, CLS_ARG_BUFFER, CLS_ARG_LOCAL } kind;
    size_t size;         /* VALUE: sizeof; LOCAL: bytes of local memory */
    const void *pointer; /* VALUE: the value; BUFFER: the cls_buffer */
} cls_arg;

#define CLS_VALUE(lvalue)                                                                                              \
    { CLS_ARG_VALUE, sizeof(lvalue), &(lvalue) }
#define CLS_BUFFER(buffer)                                                                                             \
    { CLS_ARG_BUFFER, 0, (buffer) }
#define CLS_REF(ref) CLS_BUFFER((ref).buffer), CLS_VALUE((ref).offset), CLS_VALUE((ref).ld) /* three arguments */
#define CLS_LOCAL(bytes)                                                                                               \
    { CLS_ARG_LOCAL, (bytes), NULL }

/* The work-items of a launch. `local` is always given and divides `global`; unused dimensions are 1. */
typedef struct cls_grid {
    size_t global[3], local[3];
} cls_grid;

/* Bytes that have crossed the bus, and how often they were asked to; kernel launches too. Only ever grows. */
typedef struct cls_counters {
    int64_t bytes_up, bytes_down;
    int64_t transfers_up, transfers_down;
    int64_t launches;
    int64_t buffers; /* device buffers alive now */
    int64_t buffer_bytes;
} cls_counters;

typedef struct cls_device_ops {
    /* Waits for all queues, then releases everything, the device itself too. */
    void (*destroy)(cls_device *device);

    /* Another device for the same GPU in the same context of the driver's, with queues, memory and a message of its
     * own: for a thread of its own, which may outlive this device. NULL: there are none. */
    clsolve_status (*twin)(cls_device *device, cls_error *error, cls_device **twin);

    /* Uninitialised device memory. A size above max_allocation or beyond what is free: OUT_OF_DEVICE_MEMORY, and
     * the message says how much was wanted and how much the device has. 0 bytes gives a valid buffer. */
    clsolve_status (*buffer_create)(cls_device *device, size_t bytes, cls_buffer **buffer);
    void (*buffer_destroy)(cls_device *device, cls_buffer *buffer); /* NULL is fine */

    /* Bytes that this context's buffers may still take: the device's memory less theirs, or what the driver says is
     * free, where it says it and that is less. Others may take of it at any time. */
    int64_t (*memory_left)(cls_device *device);

    /* A buffer of the caller's own, as the backend names it, until buffer_destroy; it counts for nothing here. *bytes
     * is its size. INVALID_ARGUMENT for one that is not of the device's context. */
    clsolve_status (*adopt)(cls_device *device, void *memory, cls_buffer **buffer, size_t *bytes);

    clsolve_status (*pinned_create)(cls_device *device, size_t bytes, cls_pinned **pinned, void **memory);
    void (*pinned_destroy)(cls_device *device, cls_pinned *pinned); /* NULL is fine */

    /* A buffer in the host's pinned memory, of zeros: kernels write it where it is, few words that the host reads at
     * *memory after a wait, without a copy. It ends with buffer_destroy. NULL: kernels do not reach such memory. */
    clsolve_status (*seen_create)(cls_device *device, size_t bytes, cls_buffer **buffer, void **memory);

    /* Asynchronous 2-D copies; `host` stays untouched by the caller until `done`. Counted. */
    clsolve_status (*write)(cls_device *device, cls_queue queue, cls_buffer *to, const void *host, const cls_rect *rect,
                            const cls_wait *wait, cls_event **done);
    clsolve_status (*read)(cls_device *device, cls_queue queue, cls_buffer *from, void *host, const cls_rect *rect,
                           const cls_wait *wait, cls_event **done);

    /* Does the bus reach these bytes of the host's memory by themselves: are they pinned, or the device's own? */
    int (*reaches)(cls_device *device, const void *host, size_t bytes);

    /* Device to device; offsets and sizes in bytes; the ranges don't overlap. Not counted as transfers. */
    clsolve_status (*copy)(cls_device *device, cls_queue queue, cls_buffer *from, size_t from_offset, cls_buffer *to,
                           size_t to_offset, size_t bytes);
    /* The same for a rectangle. */
    clsolve_status (*copy_rect)(cls_device *device, cls_queue queue, cls_buffer *from, cls_buffer *to,
                                const cls_span *span);
    /* peer.h, where both devices are of this table: how `fetch` brings memory of `other` here, made ready for it; and
     * a rectangle from a buffer of `other` to one of the device, after events of either. Both NULL: there is no way. */
    cls_joint (*joins)(cls_device *device, cls_device *other);
    clsolve_status (*fetch)(cls_device *device, cls_queue queue, cls_device *other, cls_buffer *from, cls_buffer *to,
                            const cls_span *span, const cls_wait *wait, cls_event **done);
    /* Every byte of the range becomes `value`. */
    clsolve_status (*fill)(cls_device *device, cls_queue queue, cls_buffer *buffer, size_t offset, size_t bytes,
                           unsigned char value);

    /*
     * The program made of cl/<name>.cl behind cl/dialect.clh with these options ("-DREAL=double -DTILE=16"): from
     * this device's list when asked before, else from the cache on disk, else compiled. Owned by the device.
     * On failure ERROR_BUILD with the compiler's log.
     */
    clsolve_status (*program_get)(cls_device *device, const char *name, const char *options, cls_program **program);
    /* A small number by a name, kept between runs for this device, its driver and these kernels, where programs are
     * kept; 0: nothing is known. */
    int (*recall)(cls_device *device, const char *name);
    void (*remember)(cls_device *device, const char *name, int number);
    /* Without a program, which only announcements give, the kernel is NULL. */
    clsolve_status (*kernel_create)(cls_device *device, cls_program *program, const char *name, cls_kernel **kernel);
    void (*kernel_destroy)(cls_device *device, cls_kernel *kernel); /* NULL is fine */

    /* Enqueues the kernel; a grid with a 0 in it is no launch. Argument values are taken at once. ERROR_DEVICE where
     * `count` is not the kernel's. Callers use cls_launch below. */
    clsolve_status (*launch)(cls_device *device, cls_queue queue, cls_kernel *kernel, const cls_grid *grid,
                             const cls_arg *args, int32_t count, const cls_wait *wait, cls_event **done);
    /* The same for a kernel whose groups wait for each other: at most groups_together of them. */
    clsolve_status (*launch_together)(cls_device *device, cls_queue queue, cls_kernel *kernel, const cls_grid *grid,
                                      const cls_arg *args, int32_t count, const cls_wait *wait, cls_event **done);

    /* An event that is done when all that is in the queue now is. */
    clsolve_status (*mark)(cls_device *device, cls_queue queue, cls_event **done);
    /* Would event_wait return at once? */
    int (*event_is_over)(cls_device *device, cls_event *event);
    /* The host waits. */
    clsolve_status (*event_wait)(cls_device *device, cls_event *event);
    /* The queue waits: what is enqueued later starts after the event. */
    clsolve_status (*queue_wait)(cls_device *device, cls_queue queue, cls_event *event);
    void (*event_release)(cls_device *device, cls_event *event); /* NULL is fine */
    /* Seconds between the ends of two finished events; 0 where the driver keeps no times. */
    double (*elapsed)(cls_device *device, cls_event *begin, cls_event *end);

    clsolve_status (*flush)(cls_device *device, cls_queue queue);
    clsolve_status (*finish)(cls_device *device, cls_queue queue); /* the host waits for all in the queue */

    /* The memory of a buffer as the host sees it, for devices with info.host_memory only; waits for the compute queue.
     * No copy is made. Until the last unmap (each map wants one) kernels must not touch the buffer; write, read and a
     * BLAS of the host work in the mapping and are done when they return. */
    clsolve_status (*map)(cls_device *device, cls_buffer *buffer, void **memory);
    clsolve_status (*unmap)(cls_device *device, cls_buffer *buffer, void *memory);
} cls_device_ops;

/* By what words kernels exchange values within sub-groups, as CLS_BY_SUB_GROUPS of cl/dialect.clh has them. */
typedef enum cls_sub_groups {
    CLS_SUB_GROUPS_NONE = 0,
    CLS_SUB_GROUPS_KHR = 1,   /* cl_khr_subgroups */
    CLS_SUB_GROUPS_INTEL = 2, /* cl_intel_subgroups, in any OpenCL C */
    CLS_SUB_GROUPS_CORE = 3   /* a feature of OpenCL C 3.0 */
} cls_sub_groups;

/* Every backend's device begins with this. */
struct cls_device {
    const cls_device_ops *ops;
    clsolve_device_info info;
    cls_error *error; /* the context's */
    cls_counters counters;
    double build_seconds; /* spent in program_get so far, the waits for threads that compile among them */
    /* So many groups of a launch run at the same time and may wait for each other: where the maker promises it, one a
     * compute unit. OpenCL promises it nowhere; elsewhere it is to be tried, behind a test and with bounded waits. 0:
     * not to be tried. */
    int groups_together;
    int promised_together;
    int whole_words;  /* 1: kernels write and read 64-bit words whole, while others do */
    int beside;       /* 1: kernels in BESIDE run at the same time as those in COMPUTE and give way to them */
    int matrix_unit;  /* 10 times NVIDIA's compute capability, where its PTX can be written in kernels; 0 elsewhere */
    int double_ratio; /* so many times faster than double is float, where the maker says so; 0: it is to be measured */
    int matrix_core;  /* 1: an AMD GPU with matrix instructions in float and double (cl/gemm_mfma.cl) */
    int no_kernels;   /* 1: it has none, and works in the host's memory by BLAS and LAPACK alone */
    cls_sub_groups sub_groups; /* NONE too where a self-test found them wrong */
    int rolled;                /* 1: loops over registers stay loops, which compile in seconds less and run slower */
    cls_blas *blas;            /* NULL until it is made */
    void (*blas_release)(cls_device *device); /* destroy calls it before the programs go; NULL: there is no blas */
    cls_fact *facts;                          /* see cls_fact_get */
    cls_program *programs;                    /* programs.c: made so far, and under way */
    cls_pool *builders;                       /* threads that compile; NULL until programs are announced */
    int splits;     /* 1: programs compile in as long as the longest takes: so they are small */
    int announcing; /* 1: programs are announced, and not got (programs.h) */
    int ahead;      /* 1: then they are compiled all the same; 2: looked for alone */
    const cls_compiler *compiler;
    char *cache_folder;     /* of compiled programs, from cls_alloc; NULL: no cache on disk */
    cls_waiting waiting;    /* for other processes that compile the same */
    int64_t cache_hits;     /* programs that came from it */
    int64_t shipped;        /* programs that were compiled with the library */
    int64_t compiled;       /* programs that the compiler made */
    char kernels_key[33];   /* recall.c: of all kernels; "" until it is asked for */
    cls_shelf *shelf;       /* shelf.h: programs that twins share; NULL: it has none */
    const atomic_int *stop; /* not NULL: while it is set no program is begun, and program_get fails */
    double compiles_from;   /* with `stop`: no compiler begins sooner, by cls_seconds */
    int callers;            /* made of the caller's own handles: only then is memory of the caller's adopted */
    int staged;             /* transfers of pageable memory go through pinned slots of the device's own (staging.h) */
    int weak_barriers;      /* 1: the compiler has lost values of private arrays over barriers in loops */
    int shares_memory;    /* 1: a GPU whose buffers lie in the host's memory: large ones are mapped, and copied once */
    size_t staging_bytes; /* of one slot */
    int threads;          /* of the host, next to the caller's, that fill and empty them */
    cls_staging *staging; /* NULL until it is used */
    cls_pool *pool;       /* these threads; see cls_device_pool. NULL until it is used */
};

/* ---- backends (device/backends.c lists them, device/opencl/ is one) ---- */

/* Appends the devices of every backend; as clsolve_devices. */
clsolve_status cls_devices_list(clsolve_device_info *list, int64_t capacity, int64_t *count, cls_error *error);

/* Opens the device that `selector` (context.h) names. `cache_folder` as in clsolve_context_options. */
clsolve_status cls_device_open(const char *selector, const char *cache_folder, cls_error *error, cls_device **device);
/*
 * selectors.c: the selectors, each of one device, that a selector of several stands for (context.h): *list, from
 * cls_alloc, of *count texts. `is_list`: may it be one of several?
 */
typedef struct cls_selector {
    char text[128];
} cls_selector;
int cls_selector_is_list(const char *selector);
clsolve_status cls_selectors_expand(const char *selector, cls_selector **list, int64_t *count, cls_error *error);
enum { CLS_DEVICES_MOST = 64 }; /* in one context */

/* cls_device_open for one of several devices that are to reach each other's memory (peer.h), where their drivers let
 * them. */
typedef struct cls_company {
    const cls_selector *selectors; /* of all of them */
    int64_t count;
    cls_device *const *opened; /* so far, in any order */
    int64_t opened_count;
} cls_company;
clsolve_status cls_device_open_among(const cls_company *company, const char *selector, const char *cache_folder,
                                     cls_error *error, cls_device **device);
/* Closes a device however it was made; NULL is fine. */
void cls_device_close(cls_device *device);

/* Pinned memory of the device's, for rooms that know no table of operations. */
static inline clsolve_status cls_pinned_create(cls_device *device, size_t bytes, cls_pinned **pinned, void **memory) {
    return device->ops->pinned_create(device, bytes, pinned, memory);
}
static inline void cls_pinned_destroy(cls_device *device, cls_pinned *pinned) {
    device->ops->pinned_destroy(device, pinned);
}

/* cls_device_ops.twin, which shares the device's programs; UNSUPPORTED where there is none. */
clsolve_status cls_device_twin(cls_device *device, cls_error *error, cls_device **twin);

/* The difference between two looks at a device's counters. */
static inline cls_counters cls_counters_since(const cls_counters *now, const cls_counters *before) {
    return (cls_counters){.bytes_up = now->bytes_up - before->bytes_up,
                          .bytes_down = now->bytes_down - before->bytes_down,
                          .transfers_up = now->transfers_up - before->transfers_up,
                          .transfers_down = now->transfers_down - before->transfers_down};
}

/* ---- numbers by name, for as long as the device is open ---- */

/* 0: nothing was set under that name. `recall` and `remember` keep one between runs. */
int cls_fact_get(const cls_device *device, const char *name);
/* `name` is a literal. It begins with the family that asks, so that no two meet. OUT_OF_MEMORY. */
clsolve_status cls_fact_set(cls_device *device, const char *name, int number);
/* For a backend's destroy. */
void cls_facts_destroy(cls_device *device);

/*
 * facts.c: how many groups of a kernel were found to run together, kept between runs; or a failure, which is negative.
 * A busy device runs fewer than it can. So a number that is not the `best` that was asked for is kept only when three
 * runs, one after the other, have found it; until then the next run recalls 0, and tests anew.
 */
int cls_groups_recall(cls_device *device, const char *name);
void cls_groups_remember(cls_device *device, const char *name, int found, int best);

/* facts.c: sub-groups are wrong on the device: programs do without from now on, in later runs too. */
void cls_sub_groups_fail(cls_device *device);
/* For a backend's open: what an earlier run found. */
void cls_sub_groups_recall(cls_device *device);

/* The option by which a program uses sub-groups: only behind a self-test, and "" where the device has none. */
static inline const char *cls_sub_groups_option(const cls_device *device) {
    static const char *const options[] = {"", " -DCLS_BY_SUB_GROUPS=1", " -DCLS_BY_SUB_GROUPS=2",
                                          " -DCLS_BY_SUB_GROUPS=3"};
    return options[device->sub_groups];
}

/* ---- programs before they are needed ---- */

/* Runs `build`, which gets programs and makes kernels of them: the programs are begun and not waited for (programs.h).
 * Launches do nothing meanwhile; `build` takes no memory of the device and moves nothing. */
static inline clsolve_status cls_announce(cls_device *device, clsolve_status (*build)(void *what), void *what) {
    device->announcing = 1;
    clsolve_status status = build(what);
    device->announcing = 0;
    return status;
}

/* ---- launches ---- */

/* The arguments of a launch. CLS_ARGS takes the array itself, not a pointer, so that the compiler counts them;
 * CLS_ARGS_BUT leaves the last `without` of them out. */
typedef struct cls_args {
    const cls_arg *list;
    int32_t count;
} cls_args;
#define CLS_ARGS(array)              ((cls_args){(array), (int32_t)(sizeof(array) / sizeof((array)[0]))})
#define CLS_ARGS_BUT(array, without) ((cls_args){(array), (int32_t)(sizeof(array) / sizeof((array)[0])) - (without)})

/* The one way to launch a kernel; cls_announce has none launched. The backend refuses another number of arguments than
 * the kernel has. */
static inline clsolve_status cls_launch(cls_device *device, cls_queue queue, cls_kernel *kernel, const cls_grid *grid,
                                        cls_args args) {
    if (device->announcing) return CLSOLVE_OK;
    return device->ops->launch(device, queue, kernel, grid, args.list, args.count, NULL, NULL);
}

static inline clsolve_status cls_launch_together(cls_device *device, cls_queue queue, cls_kernel *kernel,
                                                 const cls_grid *grid, cls_args args) {
    if (device->announcing) return CLSOLVE_OK;
    return device->ops->launch_together(device, queue, kernel, grid, args.list, args.count, NULL, NULL);
}

/* The largest power of two that is at most `wanted` and that the device takes as a work-group. */
static inline int64_t cls_work_group(const cls_device *device, int64_t wanted) {
    int64_t size = 1;
    while (2 * size <= wanted && 2 * size <= device->info.max_work_group) size *= 2;
    return size;
}

#endif
