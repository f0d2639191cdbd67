/* tuning.h (private): what the calls of <clsolve/tune.h> check alike. tune.c has them. */
#ifndef CLS_API_TUNING_H
#define CLS_API_TUNING_H

#include <clsolve/tune.h>

#include "device/device.h"

/* A type that the device has. `call` begins the message. */
clsolve_status cls_tune_check_type(cls_device *device, const char *call, clsolve_type type);

/* The type, the options, and unless dry the folder. */
clsolve_status cls_tune_check(cls_device *device, const char *call, clsolve_type type,
                              const clsolve_tune_options *options);

#endif
