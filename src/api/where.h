/*
 * where.h (private): whether a handle works on the context's device or on the host, and why. The host is a device too
 * (device/host/host.c), on which a handle's methods run as they are, by LAPACK and BLAS.
 */
#ifndef CLS_API_WHERE_H
#define CLS_API_WHERE_H

#include <clsolve/factorization.h>
#include <clsolve/report.h>

#include "api/context.h"
#include "cost/where.h"

typedef struct cls_choice {
    cls_device *device;
    cls_task task;
    const char *where, *reason; /* static strings, as the report has them */
    cls_seconds_pair expected;  /* zeros: nothing was compared */
} cls_choice;

/* `host_can`: the handle's options are such that the host can do the same. UNSUPPORTED where HOST was asked for and it
 * cannot. `call` begins messages. */
clsolve_status cls_where_choose(clsolve_context *context, const char *call, const cls_task *task, clsolve_where asked,
                                int host_can, cls_choice *choice);

/* Writes the choice into a report; memory of the host is not the device's, and copies in it are no
 * transfers. */
void cls_where_report(const cls_choice *choice, clsolve_report *report);

/* A handle of the choice was made: where that is on the device, its kernels are built, for this context and for later
 * ones. */
void cls_where_built(clsolve_context *context, const cls_choice *choice);

/* The seconds of the task on both sides, with the seconds until the device can begin; HUGE_VAL for a side that AUTO
 * never takes. Nothing is measured. */
clsolve_status cls_where_predict(clsolve_context *context, const cls_task *task, cls_seconds_pair *expected);

/* 1: a thread has compiled the device's kernels of the task, for which AUTO has another method meanwhile (beside.h). */
int cls_where_wants(clsolve_context *context, const cls_task *task);

/* Seconds of the task on the host where AUTO compares the two sides, as far as they are known; else HUGE_VAL. */
double cls_where_host_seconds(clsolve_context *context, const cls_task *task);

/* Seconds of the iteration for a grid with a dominant matrix of so many unknowns, from the matrix to the solution; -1:
 * it was not measured. */
double cls_where_grid_seconds(clsolve_context *context, clsolve_type type, int64_t unknowns);

/* Measures the family, unless it was, or AUTO has nothing to compare. It takes about a second. */
clsolve_status cls_where_measure(clsolve_context *context, cls_family family, clsolve_type type);

/* The same also where AUTO compares nothing, and then seconds of the task with kernels that are built. For shares of
 * several devices: a context of the host alone is not measured. */
cls_seconds_pair cls_where_seconds(clsolve_context *context, const cls_task *task);

/* Measures all families. */
clsolve_status cls_where_calibrate(clsolve_context *context, clsolve_type type);

/* Gives back what the context knows, and its host. */
void cls_where_release(clsolve_context *context);

/* The context's host, opened when first asked for. */
clsolve_status cls_context_host(clsolve_context *context, cls_device **host);

#endif
