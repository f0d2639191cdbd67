/* peer.h: memory of one device fetched by another one without the host between them. */
#ifndef CLS_PEER_H
#define CLS_PEER_H

#include "device/device.h"

/* Whether `device` fetches from `other` by itself. Makes the way ready. */
static inline int cls_device_joins(cls_device *device, cls_device *other) {
    return device->ops == other->ops && device->ops->joins && device->ops->joins(device, other);
}

#endif
