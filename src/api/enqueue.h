/*
 * enqueue.h (private): what the enqueueing calls of all families share: clsolve/enqueue.h has their contract.
 *
 * head.h has the frame of a call. `how` is made before all else, because *done becomes NULL:
 *
 *     const cls_enqueue how = cls_enqueue_as("clsolve_..._enqueue", events);
 */
#ifndef CLS_API_ENQUEUE_H
#define CLS_API_ENQUEUE_H

#include <clsolve/batch.h>
#include <clsolve/enqueue.h>

#include "api/context.h"

/* How a caller asked for it. */
typedef struct cls_enqueue {
    const char *call, *backend; /* the public call; the backend of its events, NULL: it has none */
    cls_wait wait;              /* the backend's own events */
    cls_event **done;           /* NULL so far, receives one that the caller releases; may be NULL */
} cls_enqueue;

cls_enqueue cls_enqueue_as(const char *call, const clsolve_events *events);
/* The context is on the events' backend, the wait list is one, and the views are of clsolve_<backend>_<view>, of the
 * context's backend. `how` NULL: nothing is checked. */
clsolve_status cls_enqueue_check(clsolve_context *context, const cls_enqueue *how, const char *view, int count,
                                 const char *const names[], const clsolve_place places[]);

/* An outcome of the numbers is no failure to enqueue: clsolve_<family>_status tells it. */
static inline int cls_enqueue_is_outcome(clsolve_status status) {
    return status > 0 || status == CLSOLVE_ERROR_NONFINITE;
}

/* Calls that fail in between write their own line over the one that belongs to `status`. */
static inline void cls_enqueue_save(const clsolve_context *context, clsolve_status status, cls_error *message) {
    *message = context->error;
    if (status == CLSOLVE_OK) message->text[0] = 0;
}

/* The status for clsolve_<family>_status, with its message in the context. */
static inline clsolve_status cls_enqueue_tell(clsolve_context *context, clsolve_status status,
                                              const cls_error *message) {
    if (message->text[0]) context->error = *message;
    return status;
}

#endif
