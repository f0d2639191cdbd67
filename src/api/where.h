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
    int meanwhile;              /* 1: the host, only because a thread compiles the device's kernels */
} cls_choice;

/* `host_can`: 1: the handle's options are such that the host can do the same; CLS_HOST_IN_DOUBLE: and AUTO shall take
 * it, because the device does not compute in double. UNSUPPORTED where HOST was asked for and it cannot. `call` begins
 * messages. */
enum { CLS_HOST_IN_DOUBLE = 2 };
clsolve_status cls_where_choose(clsolve_context *context, const char *call, const cls_task *task, clsolve_where asked,
                                int host_can, cls_choice *choice);

/* Writes the choice into a report; memory of the host is not the device's, and copies in it are no
 * transfers. */
void cls_where_report(const cls_choice *choice, clsolve_report *report);

/* A handle of the choice was made: where that is on the device, its kernels are built, for this context and for later
 * ones. */
void cls_where_built(clsolve_context *context, const cls_choice *choice);

/* Gives back what the context knows, and its host. */
void cls_where_release(clsolve_context *context);

#endif
