/*
 * aside.c: small fronts, rests of large ones, and what solves want of finished ones, concurrently with other
 * fronts of the level and with later ones.
 */
#include "method/events.h"
#include "method/fronts_device/device.h"

cls_queue cls_front_aside(const cls_sparse_device *sparse) {
    /* Products of complex numbers want room of their own in each queue; those of L D L^T share scratch memory. */
    const int apart = sparse->device->beside && sparse->streamed == 0 && sparse->parts == 1 && !sparse->ldl &&
                      !cls_in_place(sparse->device);
    return apart ? CLS_DOWN : CLS_COMPUTE;
}

clsolve_status cls_front_go_aside(cls_sparse_device *sparse) {
    const cls_queue queue = cls_front_aside(sparse);
    if (queue == CLS_COMPUTE) return CLSOLVE_OK;
    sparse->aside = 1;
    return cls_queue_follow(sparse->device, queue, CLS_COMPUTE);
}

clsolve_status cls_front_mark_rests(cls_sparse_device *sparse) {
    const cls_queue queue = cls_front_aside(sparse);
    if (queue == CLS_COMPUTE) return CLSOLVE_OK;
    sparse->device->ops->event_release(sparse->device, sparse->rests_made);
    sparse->rests_made = NULL;
    CLS_TRY(sparse->device->ops->mark(sparse->device, queue, &sparse->rests_made));
    return sparse->device->ops->flush(sparse->device, queue);
}

clsolve_status cls_front_end_aside(cls_sparse_device *sparse) {
    sparse->device->ops->event_release(sparse->device, sparse->rests_made);
    sparse->rests_made = NULL;
    if (!sparse->aside) return CLSOLVE_OK;
    sparse->aside = 0;
    return cls_queue_follow(sparse->device, CLS_COMPUTE, cls_front_aside(sparse));
}
