/* calibrate.h (private): the samples by which where.h compares the device with the host. */
#ifndef CLS_API_CALIBRATE_H
#define CLS_API_CALIBRATE_H

#include "cost/where.h"
#include "device/device.h"

/* Measures the samples of a family, in some 50 ms and what its programs take to compile. On failure `times` stay.
 * Without a host the device runs them alone, so that its programs are compiled, and `times` are of no use. */
clsolve_status cls_calibrate(cls_device *device, cls_device *host, cls_family family, clsolve_type type,
                             cls_times *times);

#endif
