/* context.h (private): what a clsolve_context is. */
#ifndef CLS_API_CONTEXT_H
#define CLS_API_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>

#include <clsolve/context.h>

#include "base/error.h"
#include "base/type.h"
#include "cost/where.h"
#include "device/device.h"

enum { CLS_RECALLED = 8 };

/* door.c: a number that was looked for on disk, so that it is looked for once. */
typedef struct cls_recalled {
    char name[64];
    int number;
} cls_recalled;

struct clsolve_context {
    pthread_mutex_t lock; /* held by every public call on the context or on a handle of it; recursive, so that a
                             thread can hold it over several calls */
    cls_error error;
    cls_device *device;
    cls_device *host; /* where.c: the host as a device; NULL until it is used */
    /* The context has the kernels of the family for the type, from CLSOLVE_F32 on; read without the lock. */
    atomic_int built[CLS_FAMILIES][CLS_TYPES];
    cls_times times[CLS_FAMILIES][2]; /* zeros until they are asked for */
    double unsure[CLS_FAMILIES][2];   /* seconds of the work for which they did not decide */
    cls_recalled recalled[CLS_RECALLED];
    int recalled_count;
    void *kept; /* lu_once.c: a handle for calls that make none of their own; NULL: none */
    void (*destroy_kept)(void *kept);
    clsolve_context **peers; /* of several devices: one context each, the first of the device that is here; else NULL */
    int peer_count;
    struct cls_callers_memory *memory; /* what clsolve_host_alloc gave and nobody has given back */
};

/* host_memory.c: gives all of it back. */
void cls_callers_memory_release(clsolve_context *context);

/* The caller's own handles, by the backend's function that makes a device of them (device/interop.h). */
typedef struct cls_handles {
    clsolve_status (*adopt)(const struct cls_handles *handles, const char *cache_folder, cls_error *error,
                            cls_device **device);
    void *context, *id, *queue; /* OpenCL's; CUDA has a number and a stream, `queue` */
    int number;
} cls_handles;

/* What the calls that create a context share; `handles` NULL: the device that options->selector names. */
clsolve_status cls_context_make(const char *call, const cls_handles *handles, const clsolve_context_options *options,
                                clsolve_context **context);

/* What the calls that follow a queue share: `follow` is the backend's (device/interop.h), and the context has to be on
 * that backend. */
clsolve_status cls_context_follow(clsolve_context *context, const char *call, const char *backend,
                                  clsolve_status (*follow)(cls_device *device, void *queue), void *queue);

/* Every public call on a context stands between these two. */
static inline void cls_enter(clsolve_context *context) {
    (void)pthread_mutex_lock(&context->lock);
}

static inline clsolve_status cls_leave(clsolve_context *context, clsolve_status status) {
    (void)pthread_mutex_unlock(&context->lock);
    return status;
}

/* A call for a report without a place for it. */
clsolve_status cls_refuse_no_report(clsolve_context *context, const char *call);

#endif
