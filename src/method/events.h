/* events.h: the caller's events before and behind what a call enqueues on the compute queue. */
#ifndef CLS_METHOD_EVENTS_H
#define CLS_METHOD_EVENTS_H

#include "device/device.h"

/* All work that is enqueued from now on waits for these events. The host does not wait. */
clsolve_status cls_events_before(cls_device *device, const cls_wait *wait);
/* Sends off what was enqueued. *done becomes an event at its end; `done` may be NULL. On failure there is none. */
clsolve_status cls_events_behind(cls_device *device, cls_event **done);

#endif
