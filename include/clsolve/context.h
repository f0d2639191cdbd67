/*
 * context.h: one device with its queues, its compiled kernels and its last message.
 *
 * A context may be used by one thread at a time, or by several: every call on it, or on a handle made from
 * it, takes the context's own lock, so calls from two threads run one after the other. Two contexts share
 * nothing and run side by side. A handle must be destroyed before its context.
 */
#ifndef CLSOLVE_CONTEXT_H
#define CLSOLVE_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include <clsolve/export.h>
#include <clsolve/matrix.h>
#include <clsolve/status.h>

typedef struct clsolve_context clsolve_context;

typedef enum clsolve_device_type {
    CLSOLVE_DEVICE_CPU = 1,
    CLSOLVE_DEVICE_GPU = 2,
    CLSOLVE_DEVICE_OTHER = 3
} clsolve_device_type;

typedef struct clsolve_device_info {
    char selector[32]; /* "opencl:0": names this device for as long as the installed drivers stay the same */
    char backend[16];  /* "opencl", "cuda" */
    char name[128];    /* as the driver gives it, spaces trimmed */
    char vendor[128];
    char platform[128]; /* the implementation: "Portable Computing Language", "NVIDIA CUDA"; "CUDA" of backend cuda */
    char version[128];  /* "OpenCL 3.0 ...", "CUDA 13.0, compute capability 9.0" */
    char driver[128];
    clsolve_device_type type;
    int32_t compute_units;
    int32_t clock_mhz;      /* 0 where the driver does not say */
    int64_t max_work_group; /* work-items */
    int64_t local_memory;   /* bytes a work-group */
    int64_t global_memory;  /* bytes */
    int64_t max_allocation; /* bytes in one buffer */
    int fp64;               /* 1: computes in double */
    int host_memory;        /* 1: the device works in the host's own memory */
} clsolve_device_info;

typedef struct clsolve_context_options {
    /*
     * Which device:
     *   NULL or ""     the best there is: a GPU before a CPU, double before none, then the faster; an NVIDIA GPU
     *                  that is there through CUDA (a build with it) and through OpenCL: through CUDA
     *   "gpu", "cpu"   the best of that type
     *   "opencl"       the best of that backend; or "cuda"
     *   "opencl:1"     exactly that one of clsolve_devices(); or "cuda:0"
     *   anything else  the best whose name, vendor or platform contains it, letter case ignored
     */
    const char *selector;
    /* Folder of the compiled kernels; NULL: $XDG_CACHE_HOME/clsolve or ~/.cache/clsolve; "": no cache on disk. */
    const char *cache_folder;
    /* Where the message goes when creation fails, for there is no context then to ask; may be NULL. */
    char *message;
    size_t message_size;
} clsolve_context_options;

CLSOLVE_BEGIN_DECLS

/*
 * Writes up to `capacity` devices into `list` and how many there are in all into `count` (call with 0 and NULL
 * to ask). No driver at all is no error: the count is 0.
 */
CLSOLVE_API clsolve_status clsolve_devices(clsolve_device_info *list, int64_t capacity, int64_t *count);

/* The short form: selector as above, default options. On failure *context is NULL. */
CLSOLVE_API clsolve_status clsolve_context_create(const char *selector, clsolve_context **context);

CLSOLVE_API clsolve_status clsolve_context_create_with(const clsolve_context_options *options,
                                                       clsolve_context **context);

/* Waits for what runs and releases everything. NULL is fine. */
CLSOLVE_API void clsolve_context_destroy(clsolve_context *context);

/*
 * One line (more after a failed build) on the last call on this context or its handles that did not return
 * CLSOLVE_OK; "" before. Valid until the next call on the context; a thread that shares the context reads it
 * under a lock of its own.
 */
CLSOLVE_API const char *clsolve_context_message(const clsolve_context *context);

/*
 * Each device's kernels solve a small system before their first use, once per driver; what a driver's compiler got wrong is
 * not used. This does it now, for `type`, if it was not done before, and writes how it went into `text`, one line for
 * people. OK: all or enough works; ERROR_UNSUPPORTED: nothing does, or the device has no double.
 */
CLSOLVE_API clsolve_status clsolve_context_self_test(clsolve_context *context, clsolve_type type, char *text,
                                                     size_t size);

/* The device that the context runs on; all zeros for NULL. */
CLSOLVE_API clsolve_device_info clsolve_context_device(const clsolve_context *context);

CLSOLVE_END_DECLS

#endif
