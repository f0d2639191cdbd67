/* peer.h: memory of one device fetched by another one, for which the host only enqueues. */
#ifndef CLS_PEER_H
#define CLS_PEER_H

#include "device/device.h"

/* How `device` fetches from `other` by itself. Makes the way ready. */
static inline cls_joint cls_device_joins(cls_device *device, cls_device *other) {
    return device->ops == other->ops && device->ops->joins ? device->ops->joins(device, other) : CLS_APART;
}

#endif
