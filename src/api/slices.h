/*
 * slices.h (private): a batch whose members are dealt out over the devices of the context. The caller's handle has a
 * handle of one device for each slice, on the context of that device, and a thread for each drives it:
 *
 *      members   0 ........... firsts[1] ....... firsts[2] ..... count
 *                the lead, the   peer 0,           peer 1
 *                caller's thread a thread
 *
 * Each device does what it does alone, with its slice of the caller's arrays. Where devices fail, the others finish,
 * and the call returns the error of the first. Infos go to the caller only when all devices are done.
 */
#ifndef CLS_API_SLICES_H
#define CLS_API_SLICES_H

#include <clsolve/batch.h>
#include <clsolve/factorization.h>
#include <clsolve/report.h>

#include "api/context.h"

struct cls_batch;

typedef struct cls_slices {
    clsolve_context *context;
    int64_t devices; /* 0: the handle works on one device, and all else is unused */
    int64_t firsts[CLS_DEVICES_MOST + 1];
    struct cls_batch *handles[CLS_DEVICES_MOST]; /* of one device each; NULL: without members */
    clsolve_status status[CLS_DEVICES_MOST];     /* of the last call */
    int64_t *infos;                              /* of all members, until all devices are done */
} cls_slices;

/*
 * Deals the task's members out, where the context has several devices and the members take `bytes` enough: few stay on
 * the lead. needs_kernels: a device without any takes no part. s->devices is 0 afterwards where nothing is dealt out.
 */
clsolve_status cls_slices_setup(cls_slices *s, clsolve_context *context, const char *call, const cls_task *task,
                                double bytes, int needs_kernels);
void cls_slices_release(cls_slices *s, void (*destroy)(struct cls_batch *batch));

/* The option `where` of the handle of device d, where the caller's handle has `asked`. */
clsolve_where cls_slices_where(const cls_slices *s, int64_t d, clsolve_where asked);

/* one(what, d) for each device that has members, all at the same time. */
clsolve_status cls_slices_each(cls_slices *s, const char *call, clsolve_status (*one)(void *what, int64_t d),
                               void *what);

/* The members of device d. */
clsolve_batch cls_slices_of(const cls_slices *s, int64_t d, const clsolve_batch *all);

/* INVALID_ARGUMENT for a call that enqueues, and for an array on the device: the context is of no caller's device. */
clsolve_status cls_slices_check_host(const cls_slices *s, const char *call, int enqueues,
                                     const clsolve_batch *const *views, int count);

/* Into `report`, which has the call's own fields: times, transfers and memory of all devices. Phases are those of the
 * device that took longest. */
void cls_slices_report(const cls_slices *s, clsolve_status (*of)(const struct cls_batch *batch, clsolve_report *report),
                       clsolve_report *report);

#endif
