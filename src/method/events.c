#include "method/events.h"

clsolve_status cls_events_before(cls_device *device, const cls_wait *wait) {
    for (int32_t e = 0; e < wait->count; e++) CLS_TRY(device->ops->queue_wait(device, CLS_COMPUTE, wait->events[e]));
    return CLSOLVE_OK;
}

clsolve_status cls_events_behind(cls_device *device, cls_event **done) {
    if (done) CLS_TRY(device->ops->mark(device, CLS_COMPUTE, done));
    clsolve_status status = device->ops->flush(device, CLS_COMPUTE);
    if (status == CLSOLVE_OK || !done) return status;
    device->ops->event_release(device, *done);
    *done = NULL;
    return status;
}

clsolve_status cls_queue_mark(cls_device *device, cls_queue queue, cls_event **event) {
    device->ops->event_release(device, *event);
    *event = NULL;
    CLS_TRY(device->ops->mark(device, queue, event));
    return device->ops->flush(device, queue);
}

clsolve_status cls_queue_follow(cls_device *device, cls_queue queue, cls_queue other) {
    cls_event *now = NULL;

    clsolve_status status = cls_queue_mark(device, other, &now);
    if (status == CLSOLVE_OK) status = device->ops->queue_wait(device, queue, now);
    device->ops->event_release(device, now);
    return status;
}

clsolve_status cls_queue_take(cls_device *device, cls_queue queue, cls_event **event) {
    const clsolve_status status = *event ? device->ops->queue_wait(device, queue, *event) : CLSOLVE_OK;

    device->ops->event_release(device, *event);
    *event = NULL;
    return status;
}
