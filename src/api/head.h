/*
 * head.h (private): what all handles begin with, and the frame of each call on one:
 *
 *      struct clsolve_x {
 *          cls_head head;                                                    first
 *          cls_x work;                                                       the method's
 *      };
 *
 *      CLS_TRY(cls_head_enter((cls_head *)x));                               also refuses NULL
 *      clsolve_status status = check(x, ...);                                the arguments
 *      if (status == CLSOLVE_OK) status = cls_head_begin(&x->head, how);     waits for the events of the caller's
 *      if (status == CLSOLVE_OK) status = work(x, ...);
 *      return cls_head_end(&x->head, how, status);
 *
 * `how` is an enqueueing call's, else NULL. Where such calls work before they return, both forms are one function. A
 * call that was to enqueue and is refused changes nothing; any other one leaves its status. Who needs neither the
 * seconds nor the counters of a call that waits leaves cls_head_begin out.
 */
#ifndef CLS_API_HEAD_H
#define CLS_API_HEAD_H

#include <stddef.h>

#include <clsolve/report.h>

#include "api/enqueue.h"
#include "api/where.h"

typedef struct cls_head cls_head;

/* A family of handles. */
typedef struct cls_head_kind {
    const char *create, *argument, *report; /* as messages name them: public calls, and the argument of create */
    const char *handle;                     /* "a Gauss-Jordan handle" */
    const char *method;                     /* in reports */
    const char *device_alone;               /* why it never works on the host; NULL: `setup` chooses */
    size_t bytes;
    /* Create was asked for something valid; NULL: `setup` finds out. `setup` chooses head->choice, if not device_alone,
     * and then calls cls_head_count. `release` also after a failure. */
    clsolve_status (*check)(clsolve_context *context, const void *asked);
    clsolve_status (*setup)(cls_head *head, const void *asked);
    void (*release)(cls_head *head);
} cls_head_kind;

#define CLS_HEAD_KIND(x)                                                                                               \
    .create = "clsolve_" #x "_create", .report = "clsolve_" #x "_report", .bytes = sizeof(clsolve_##x)

struct cls_head {
    const cls_head_kind *kind;
    clsolve_context *context;
    cls_choice choice;      /* on the device, or on the host */
    clsolve_status status;  /* of the last call */
    clsolve_status outcome; /* of a factorization that came to no factors, which enqueued solves tell; else OK */
    cls_error message;      /* the line that belongs to `status`, if that is an enqueued call's; else empty */
    int began;              /* the call under way was not refused */
    double start, built;    /* when it began, and the device's seconds in compilers and counters then */
    cls_counters before;
    double seconds;     /* of the last call, and what it moved */
    cls_counters moved; /* all 0 of a refused one */
    double create_seconds, build_seconds;
    int64_t device_bytes;
};

/* `handle`: the address of the caller's pointer, which becomes NULL on failure. */
clsolve_status cls_head_create(const cls_head_kind *kind, clsolve_context *context, const void *asked, void *handle);
/* The same without its checks, between cls_enter and cls_leave. */
clsolve_status cls_head_make(const cls_head_kind *kind, clsolve_context *context, const void *asked, cls_head **head);
void cls_head_count(cls_head *head);
void cls_head_destroy(cls_head *head);

clsolve_status cls_head_enter(cls_head *head);
clsolve_status cls_head_begin(cls_head *head, const cls_enqueue *how);
clsolve_status cls_head_end(cls_head *head, const cls_enqueue *how, clsolve_status status);
/* In the place of the last two, for an enqueued solve where head->outcome is not OK. */
clsolve_status cls_head_tell_outcome(cls_head *head, const cls_enqueue *how);

/* clsolve_x_status, for work that is done when the call returns. */
clsolve_status cls_head_status(cls_head *head);

/* The family completes a report between the two. The first fills in status, method, order, precision, what `moved`
 * says, the bytes and the build; NULL as a report is refused. The second adds the place, and leaves. */
clsolve_status cls_head_report_begin(const cls_head *head, clsolve_type type, int64_t n, clsolve_report *report);
clsolve_status cls_head_report_end(const cls_head *head, clsolve_report *report);

#endif
