/*
 * context.h: a context is a device with its queues, its compiled kernels and its last message; or several devices of
 * one machine.
 *
 * Example:
 *
 *     clsolve_context *context;
 *     char message[256];
 *     clsolve_context_options options = {.selector = "gpu", .message = message, .message_size = sizeof message};
 *     clsolve_status status = clsolve_context_create_with(&options, &context);
 *     if (status == CLSOLVE_OK)
 *         printf("the device is %s\n", clsolve_context_device(context).name);
 *     else
 *         printf("%s: %s\n", clsolve_status_name(status), message);
 *     clsolve_context_destroy(context); // after the handles that were made from it
 *
 * Threads. Every call on a context, or on a handle made from it, takes the lock of the context. So calls of several
 * threads on one context run one after the other. Two contexts share nothing, and their calls run concurrently.
 * Devices are listed and opened by one thread of the process at a time. A thread that is cancelled (pthread_cancel)
 * ends after its call.
 *
 * Forks. Drivers do not survive a fork. In the child
 *
 *   a context of the parent, and its handles       calls return ERROR_FORKED; destroy calls release nothing
 *   a new context, if the parent used a device     ERROR_FORKED, and so has clsolve_devices
 *   a new context on the host ("host")             works
 *   a new context, if the parent used no device    works
 *
 * The parent goes on as before. fork() waits in it until no thread of the library is within a call of BLAS or LAPACK on
 * the host, because OpenBLAS ends its threads at a fork. Programs that are started by posix_spawn, vfork or exec are
 * not concerned.
 *
 * Stack. A call needs 128 KB of stack, which was measured with OpenBLAS 0.3.21 and PoCL 3.1. LAPACK's getrf needs more
 * there, with two threads and more up to 4.3 MB: on a thread that has less than 6 MB it runs on a thread of the
 * library's. A driver's compiler may need more.
 *
 * Floating point. No call raises a trap or a flag of floating-point exceptions (but FE_INEXACT), on the caller's
 * thread or on the library's. The caller's setting (feenableexcept, a compiler's -ffpe-trap) is there again when the
 * call returns. A driver that the program itself used before, with traps set, has threads with traps.
 */
#ifndef CLSOLVE_CONTEXT_H
#define CLSOLVE_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include <clsolve/export.h>
#include <clsolve/matrix.h>
#include <clsolve/status.h>

typedef struct clsolve_context clsolve_context;

/* The driver's answer; OTHER is an accelerator or a custom device. */
typedef enum clsolve_device_type {
    CLSOLVE_DEVICE_CPU = 1,
    CLSOLVE_DEVICE_GPU = 2,
    CLSOLVE_DEVICE_OTHER = 3
} clsolve_device_type;

typedef struct clsolve_device_info {
    char selector[32];  /* "opencl:0": names this device as long as the installed drivers do not change */
    char backend[16];   /* "opencl", "cuda" or "host" */
    char name[128];     /* from the driver, without spaces around it */
    char vendor[128];   /* from the driver */
    char platform[128]; /* "Portable Computing Language", "NVIDIA CUDA" (OpenCL); "CUDA" (backend cuda) */
    char version[128];  /* "OpenCL 3.0 ...", "CUDA 13.0, compute capability 9.0" */
    char driver[128];   /* version of the driver */
    clsolve_device_type type;
    int32_t compute_units;
    int32_t clock_mhz;      /* MHz; 0: the driver does not report the clock */
    int64_t max_work_group; /* largest work-group, in work-items */
    int64_t local_memory;   /* bytes for each work-group */
    int64_t global_memory;  /* bytes */
    int64_t max_allocation; /* bytes of the largest buffer */
    int fp64;               /* 1: computes in double */
    int host_memory;        /* 1: works in the host's own memory */
    int64_t reserved[8];
} clsolve_device_info;

typedef struct clsolve_context_options {
    /*
     * The device:
     *
     *   NULL or ""     the best device, see below
     *   "gpu", "cpu"   the best device of that type
     *   "opencl"       the best device of that backend; or "cuda"
     *   "opencl:1"     the device with this selector in clsolve_devices(); or "cuda:0"
     *   "host"         the host alone, by LAPACK and BLAS: for LU and Cholesky, dense, sparse and of bands,
     *                  Gauss-Jordan, batches of Cholesky, of inverses and of tridiagonal matrices. Other families
     *                  return ERROR_UNSUPPORTED. It is in no list of devices
     *   other text     the best device whose name, vendor or platform contains the text, in upper or lower case
     *   "cuda:0,1"     several devices, as described below: selectors with commas between them. A number alone belongs
     *                  to the backend before it. Backends may be mixed: "cuda:0,opencl:0,host"
     *   "gpu:all"      all GPUs; also "cpu:all", "cuda:all", "opencl:all", and "all" for all devices. The best device
     *                  comes first. A GPU that both backends list is taken once, through CUDA
     *
     * The best device is found by these rules, in this order:
     *
     *   1. a GPU before other devices, and a CPU last
     *   2. a device with double precision before one without
     *   3. the faster device
     *   4. an NVIDIA GPU through CUDA (in a build with CUDA) before the same GPU through OpenCL
     */
    const char *selector;
    /*
     * The folder in which compiled kernels are kept:
     *
     *   NULL         $XDG_CACHE_HOME/clsolve or ~/.cache/clsolve
     *   ""           none: no cache on disk
     *   other text   the folder of this name, below the folder that is current now
     *
     * A folder or a file that another user owns, or that others may write to, is not used. If the folder is such a one,
     * clsolve_context_message says so after the creation. Both are examined at every use.
     */
    const char *cache_folder;
    char *message;       /* out: why the creation failed, because no context exists then to ask; may be NULL */
    size_t message_size; /* bytes of `message` */
    int64_t reserved[8]; /* zeros */
} clsolve_context_options;

CLSOLVE_BEGIN_DECLS

/*
 * Lists the devices.
 *
 *   list       out: the first devices, at most `capacity` of them; may be NULL when capacity is 0
 *   capacity   entries of `list`, at least 0
 *   count      out: the number of all devices; 0, and no error, if there is no driver
 */
CLSOLVE_API clsolve_status clsolve_devices(clsolve_device_info *list, int64_t capacity, int64_t *count);

/*
 * Creates a context on the device that `selector` names (clsolve_context_options), with the defaults of all other
 * options. *context is NULL on failure. Errors: see clsolve_context_create_with.
 */
CLSOLVE_API clsolve_status clsolve_context_create(const char *selector, clsolve_context **context);

/*
 * Creates a context.
 *
 *   options   NULL: the defaults
 *   context   out: the context; NULL on failure
 *
 *   status                   when
 *   ERROR_INVALID_ARGUMENT   an argument or an environment variable of the library is not valid
 *   ERROR_NO_DEVICE          no device fits the selector
 *   ERROR_UNSUPPORTED        the device or its driver is too old, or lacks a library that it needs
 *   ERROR_OUT_OF_MEMORY      the host has no room
 *   ERROR_DEVICE             the driver failed
 *   ERROR_FORKED             the process was forked from one that had used a device
 */
CLSOLVE_API clsolve_status clsolve_context_create_with(const clsolve_context_options *options,
                                                       clsolve_context **context);

/*
 * Creates a context over several devices of one machine, as the selector "cuda:0,1" does.
 *
 *     const char *const selectors[] = {"cuda:0", "cuda:1"};
 *     clsolve_status status = clsolve_context_create_many(NULL, 2, selectors, &context);
 *
 *   options     NULL: the defaults; its selector is NULL or ""
 *   count       number of devices, from 1 to 64
 *   selectors   each names one device, by clsolve_context_options
 *   context     out: the context; NULL on failure
 *
 *   status                   when
 *   ERROR_INVALID_ARGUMENT   a device is named twice, a selector is a list, or CLSOLVE_SHARES has another count of
 *                            numbers
 *   others                   as for clsolve_context_create_with; the message names the selector
 *
 * Several devices. The first device leads: clsolve_context_device is this device. Handles that use one device use the
 * lead, and each header says what its handles spread over the devices. A device has a share of the work by its measured
 * speed. So GPUs of two makers, or a GPU and a CPU, work together. Devices of one kind have equal shares. Devices of
 * different kinds are measured once for each family and type, and the result is kept with the compiled kernels.
 *
 * Matrices lie on the host. The calls for a caller's own device arrays and queues want a context of one device, by
 * clsolve_context_create_opencl or clsolve_context_create_cuda. When a device fails, the others finish. The call then
 * returns the error of the first that failed, and the message names the device.
 */
CLSOLVE_API clsolve_status clsolve_context_create_many(const clsolve_context_options *options, int64_t count,
                                                       const char *const *selectors, clsolve_context **context);

/* Waits for all work of the context, and releases it. `context` may be NULL. Its handles must be destroyed before. */
CLSOLVE_API void clsolve_context_destroy(clsolve_context *context);

/*
 * The message of the last call, on this context or on its handles, that did not return OK; "" if there is none. The
 * message is one line, or more after a kernel failed to build.
 *
 * The text stays valid until the next call on the context. Threads that share a context must read it under a lock of
 * their own.
 */
CLSOLVE_API const char *clsolve_context_message(const clsolve_context *context);

/*
 * Runs the self-test of the kernels for `type`, unless it has run before, and describes its outcome.
 *
 *   type   CLSOLVE_F32 or CLSOLVE_F64
 *   text   out: the outcome in one line for people, at most `size` bytes; may be NULL
 *
 *   status              when
 *   OK                  all kernels, or enough of them, give right results
 *   ERROR_UNSUPPORTED   no kernels do, or the device has no double precision
 *
 * The library also runs the self-test by itself, before the first use of the kernels, once for each driver. The kernels
 * solve a small system. Kernels that the driver's compiler got wrong are not used.
 */
CLSOLVE_API clsolve_status clsolve_context_self_test(clsolve_context *context, clsolve_type type, char *text,
                                                     size_t size);

/*
 * Can the context keep what it compiles and measures, for later runs? A context works without that too.
 *
 *   status                   when
 *   ERROR_INVALID_ARGUMENT   context is NULL
 *   ERROR_FILE               the context has no folder of compiled kernels, or cannot store in it; the message says why
 */
CLSOLVE_API clsolve_status clsolve_context_check_cache(clsolve_context *context);

/*
 * Takes the lock of the context for the calling thread, unless another thread holds it. The thread's own calls on the
 * context go on; those of other threads wait until clsolve_context_unlock. Each try_lock that returned OK wants one
 * unlock, in the same thread. For programs that would rather do the work elsewhere than wait.
 *
 *   status                   when
 *   ERROR_BUSY               another thread is inside a call on the context, or holds its lock
 *   ERROR_FORKED             the context is of the process that forked this one
 *   ERROR_INVALID_ARGUMENT   context is NULL
 *
 * Neither call changes clsolve_context_message. A context must not be destroyed while it is locked.
 */
CLSOLVE_API clsolve_status clsolve_context_try_lock(clsolve_context *context);
CLSOLVE_API void clsolve_context_unlock(clsolve_context *context);

/* The device of the context, or the first of several. All fields are zero if `context` is NULL. */
CLSOLVE_API clsolve_device_info clsolve_context_device(const clsolve_context *context);

/* The number of devices of the context; 0 if `context` is NULL. */
CLSOLVE_API int64_t clsolve_context_device_count(const clsolve_context *context);

/*
 * The part of the work, from 0 to 1, that device `i` has of the handle that was made last over several devices; 0
 * before, 1 for the one device of a context.
 */
CLSOLVE_API double clsolve_context_share_at(clsolve_context *context, int64_t i);

/* Device `i` of the context, from 0. All fields are zero if `context` is NULL or has no device `i`. */
CLSOLVE_API clsolve_device_info clsolve_context_device_at(const clsolve_context *context, int64_t i);

/*
 * Memory of the host that the bus of the context's device reaches by itself ("pinned" or "page-locked"): a matrix in it
 * crosses without being copied on the host. It may be read and written as any other memory, and used with other
 * contexts. To get it takes far longer than malloc, and the system has less of it: for matrices that are used again and
 * again. On an H200 LU with a solve of n = 4096 takes 9.1 ms from it instead of 12.2 (docs/performance.md). It is
 * pinned for the backend of this context: through another one it crosses as any other memory.
 *
 *   bytes    at least 0
 *   memory   out: the memory, aligned for any type, not cleared; NULL on failure
 *
 *   status                   when
 *   ERROR_INVALID_ARGUMENT   context or memory is NULL
 *   ERROR_OUT_OF_MEMORY      the system gives no more of it
 *   ERROR_DEVICE             the driver failed
 */
CLSOLVE_API clsolve_status clsolve_host_alloc(clsolve_context *context, size_t bytes, void **memory);

/*
 * Gives it back, after all calls that used it have returned, and what they enqueued is done. NULL is fine. Memory
 * that is still there when the context is destroyed is given back then.
 *
 *   status                   when
 *   ERROR_INVALID_ARGUMENT   context is NULL, or the memory is not from this context's clsolve_host_alloc
 */
CLSOLVE_API clsolve_status clsolve_host_free(clsolve_context *context, void *memory);

CLSOLVE_END_DECLS

#endif
