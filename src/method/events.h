/* events.h: the caller's events before and behind what a call enqueues on the compute queue; queues that wait for
 * others. */
#ifndef CLS_METHOD_EVENTS_H
#define CLS_METHOD_EVENTS_H

#include "device/device.h"

/* All work that is enqueued from now on waits for these events. The host does not wait. */
clsolve_status cls_events_before(cls_device *device, const cls_wait *wait);
/* Sends off what was enqueued. *done becomes an event at its end; `done` may be NULL. On failure there is none. */
clsolve_status cls_events_behind(cls_device *device, cls_event **done);

/* *event, which is NULL or no more wanted, becomes one at the end of what the queue has, and the queue begins. */
clsolve_status cls_queue_mark(cls_device *device, cls_queue queue, cls_event **event);
/* Work enqueued in `queue` from now on starts after all work that is in `other` now. */
clsolve_status cls_queue_follow(cls_device *device, cls_queue queue, cls_queue other);
/* The same after *event, which is released and becomes NULL. NULL: nothing is waited for. */
clsolve_status cls_queue_take(cls_device *device, cls_queue queue, cls_event **event);

#endif
