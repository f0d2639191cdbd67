/*
 * enqueue.h (private): what the enqueueing calls of all families share: clsolve/enqueue.h has their contract.
 *
 * A call of a family runs these steps, all but the first between cls_enter and cls_leave:
 *
 *     const cls_enqueue how = cls_enqueue_as("clsolve_..._enqueue", events);     before all else: *done is NULL
 *     status = cls_enqueue_check(context, &how);                      the backend, the wait list
 *     ...                                                             the family's own checks
 *     status = cls_enqueue_check_place(context, &how, "A", "matrix", A->place);
 *     if (status != CLSOLVE_OK) return cls_leave(context, status);    a refused call changes nothing
 *     status = cls_enqueue_begin(context, &how);
 *     ...                                                             the work
 *     status = cls_enqueue_end(context, &how, status, &handle->status, &handle->message);
 *
 * A handle has two fields for them: the status of its last call, and the message that belongs to this status if the
 * call enqueued; else the message is empty. Calls that wait clear it.
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
/* The context is on the events' backend, and the wait list is one. */
clsolve_status cls_enqueue_check(clsolve_context *context, const cls_enqueue *how);
/* The view is one of clsolve_<backend>_<view>, of the context's backend. */
clsolve_status cls_enqueue_check_place(clsolve_context *context, const cls_enqueue *how, const char *argument,
                                       const char *view, clsolve_place place);

/* The work waits for the wait list. */
clsolve_status cls_enqueue_begin(clsolve_context *context, const cls_enqueue *how);
/* The checks of a batch's call; nothing for a call without _enqueue, whose `how` is NULL. Batches have one function for
 * both, which works before it returns. */
clsolve_status cls_enqueue_check_batches(clsolve_context *context, const cls_enqueue *how, const char *const names[],
                                         const clsolve_batch *const views[], int count);

/* The same for matrices. */
clsolve_status cls_enqueue_check_matrices(clsolve_context *context, const cls_enqueue *how, const char *const names[],
                                          const clsolve_matrix *const views[], int count);

/* Sends the work off, and fills *done. A failure is stored in *kept, with its message, and returned. */
clsolve_status cls_enqueue_send(clsolve_context *context, const cls_enqueue *how, clsolve_status *kept,
                                cls_error *message);
/* Stores `status`, that of the begin and of the work, with its message. An outcome of the numbers is sent off and
 * becomes OK; a failure is returned. */
clsolve_status cls_enqueue_end(clsolve_context *context, const cls_enqueue *how, clsolve_status status,
                               clsolve_status *kept, cls_error *message);

/* All of a solve after a factorization with `outcome`, which has no factors: the outcome is told, with the message that
 * is there. */
clsolve_status cls_enqueue_nothing(clsolve_context *context, const cls_enqueue *how, clsolve_status outcome,
                                   clsolve_status *kept, cls_error *message);

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
