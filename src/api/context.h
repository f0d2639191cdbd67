/* context.h (private): what a clsolve_context is. */
#ifndef CLS_API_CONTEXT_H
#define CLS_API_CONTEXT_H

#include <pthread.h>

#include <clsolve/context.h>
#include <clsolve/factorization.h>

#include "api/once_slot.h"
#include "api/where_known.h"
#include "base/error.h"
#include "base/guard.h"
#include "base/type.h"
#include "device/device.h"
#include "method/symmetric_check.h"

enum { CLS_RECALLED = 8 };

/* door.c: a number that was looked for on disk, so that it is looked for once. */
typedef struct cls_recalled {
    char name[64];
    int number;
} cls_recalled;

typedef struct cls_beside cls_beside;

struct clsolve_context {
    pthread_mutex_t lock; /* held by every public call on the context or on a handle of it; recursive, so that a
                             thread can hold it over several calls */
    int depth;            /* of public calls, which make others, under the lock */
    cls_guard guard;      /* of the outermost one */
    unsigned generation;  /* cls_process_generation of the process that made it */
    cls_error error;
    cls_device *device;
    cls_where_known where;
    cls_beside *beside; /* beside.h; NULL until it is used */
    cls_recalled recalled[CLS_RECALLED];
    int recalled_count;
    cls_once_slot kept[CLS_ONCE_FAMILIES];      /* once.h: handles for calls that make none of their own */
    cls_symmetric_checker symmetric[CLS_TYPES]; /* door.c: zeros until the type is asked for */
    struct cls_callers_memory *memory;          /* what clsolve_host_alloc gave and nobody has given back */
    /* Several devices: the context itself leads, with `device`. Each other device has a whole context of
     * its own, which nobody else reaches: who holds the lock of the lead has all of them. NULL: one device. */
    struct clsolve_context **peers;
    int64_t peer_count;
    cls_device **devices; /* of the lead and of the peers */
    double *shares;       /* theirs, of the last handle over all of them; zeros before */
    cls_pool *drivers;    /* a thread for each peer; NULL until it is used */
};

/* Releases what stays with the context from one call to the next: handles, and the search for symmetric matrices. */
void cls_context_let_go(clsolve_context *context);

/*
 * ---- several devices: context_many.c ----
 *
 * An engine that spreads one problem over the devices takes them as they are, under the lock of the lead:
 *
 *      int64_t count;
 *      cls_device *const *devices = cls_context_devices(context, &count);   devices[0] is context->device
 *      double shares[CLS_DEVICES_MOST];
 *      cls_context_shares(context, &task, shares);                          sum 1; shares[d]: what devices[d] does
 *      ...
 *      if (status != CLSOLVE_OK) return cls_context_failed_on(context, call, d, status);
 *
 * A device writes its failures into the message of its own context. `failed_on` copies the message, with the device's
 * name, into that of the lead. A device may have no kernels (the host) or no double: the engine asks each.
 */

/* One device, or more; valid as long as the context. */
cls_device *const *cls_context_devices(const clsolve_context *context, int64_t *count);

/* The context of device `d`: the lead itself for 0. Its calls are those of one device, but for the lead's. */
clsolve_context *cls_context_of(clsolve_context *context, int64_t d);

/* Device `d` has failed with `status`, which is returned, and its message is in cls_context_of(context, d). */
clsolve_status cls_context_failed_on(clsolve_context *context, const char *call, int64_t d, clsolve_status status);

/* Every device computes in `type`: UNSUPPORTED, which names the first that does not. */
clsolve_status cls_context_check_type(clsolve_context *context, const char *call, clsolve_type type);

/* Bytes and transfers of all devices, and seconds that they have spent in compilers. */
cls_counters cls_context_counters(const clsolve_context *context);
double cls_context_build_seconds(const clsolve_context *context);

/* The threads that drive peers, while the caller's drives the lead; NULL: no memory, so that the caller does
 * all. */
cls_pool *cls_context_drivers(clsolve_context *context);

/*
 * shares.c: which part of a task each device of the context does, by the time that each takes for the whole of it;
 * their sum is 1. Devices of one kind have equal shares, and nothing is measured for them. Others are measured once for
 * the family and type, in about a second, and remembered (where.h). CLSOLVE_SHARES stands in the place of measurements.
 */
void cls_context_shares(clsolve_context *context, const cls_task *task, double *shares);

/* All devices of the context are of one kind. */
int cls_context_is_uniform(const clsolve_context *context);

/* For clsolve_context_share_at, where an engine takes other shares than these; of any sum. */
void cls_context_note_shares(clsolve_context *context, const double *shares);

/* Deals `count` things out: device d has those from firsts[d] to firsts[d + 1], which may be none. */
void cls_deal(int64_t count, int64_t devices, const double *shares, int64_t *firsts);

/* host_memory.c: gives all of it back. */
void cls_callers_memory_release(clsolve_context *context);

/* The caller's own handles, by the backend's function that makes a device of them (device/interop.h). */
typedef struct cls_handles {
    clsolve_status (*adopt)(const struct cls_handles *handles, const char *cache_folder, cls_error *error,
                            cls_device **device);
    void *context, *id, *queue; /* OpenCL's; CUDA has a number and a stream, `queue` */
    int number;
} cls_handles;

/* Shared by the calls that create a context; `handles` NULL: the device that options->selector names. */
clsolve_status cls_context_make(const char *call, const cls_handles *handles, const clsolve_context_options *options,
                                clsolve_context **context);

/* Shared by the calls that follow a queue: `follow` is the backend's (device/interop.h), and the context has to be on
 * that backend. */
clsolve_status cls_context_follow(clsolve_context *context, const char *call, const char *backend,
                                  clsolve_status (*follow)(cls_device *device, void *queue), void *queue);

/* Every public call on a context stands between these two: it has the lock, and the thread is guarded (guard.h).
 * ERROR_FORKED: nothing was entered, because the context is of the process that forked this one. */
clsolve_status cls_enter(clsolve_context *context);
clsolve_status cls_leave(clsolve_context *context, clsolve_status status); /* returns `status` */

/* The same for a call that creates a handle; `name` is the argument for the handle's address, `handle`. Only OK is to
 * be left. */
clsolve_status cls_enter_create(clsolve_context *context, const char *call, const char *name, const void *handle);

/* A call for a report without a place for it. */
clsolve_status cls_refuse_no_report(clsolve_context *context, const char *call);

#endif
