/* calibrate.h (private): the samples by which where.h compares the device with the host. */
#ifndef CLS_API_CALIBRATE_H
#define CLS_API_CALIBRATE_H

#include "api/context.h"
#include "cost/where.h"

/* Measures the samples of a family, in some 50 ms and what its programs take to compile. On failure `times` stay. */
clsolve_status cls_calibrate(clsolve_context *context, cls_device *host, cls_family family, clsolve_type type,
                             cls_times *times);

#endif
