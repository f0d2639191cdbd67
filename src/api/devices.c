#include <clsolve/context.h>

#include "base/guard.h"
#include "device/device.h"

clsolve_status clsolve_devices(clsolve_device_info *list, int64_t capacity, int64_t *count) {
    cls_error error;
    CLS_GUARD;
    if (!count || capacity < 0 || (capacity > 0 && !list)) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    return cls_devices_list(list, capacity, count, &error);
}
