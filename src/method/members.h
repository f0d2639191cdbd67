/* members.h: the members of a batch to the device and back. */
#ifndef CLS_MEMBERS_H
#define CLS_MEMBERS_H

#include <clsolve/batch.h>

#include "device/device.h"

/* The view's members to and from `buffer`, where they lie tight, each in the view's layout; down only those whose info
 * is
 * 0. Return when the copies are done; before `down` the host has waited for the compute queue. A view on the device is
 * copied there, on the compute queue, and `up` does not wait for it. */
clsolve_status cls_members_up(cls_device *device, const clsolve_batch *view, cls_buffer *buffer);
clsolve_status cls_members_down(cls_device *device, const clsolve_batch *view, cls_buffer *buffer, const int32_t *info);

/* The place of the members begin .. end - 1 of a view on the host there, and in the buffer; 0: not at even
 * distances. */
int cls_members_rect(const clsolve_batch *view, int64_t begin, int64_t end, cls_rect *rect, char **host);

/* Some members of such a view down; may still cross when it returns. */
clsolve_status cls_members_down_some(cls_device *device, const clsolve_batch *view, cls_buffer *buffer,
                                     const int32_t *info, int64_t begin, int64_t end);

/* Members that kernels take where they lie: by stride, in a buffer on the device that its owner lets kernels read, or
 * read and write where they are `written`. *theirs is the buffer, adopted, and NULL where copies are to be made.
 * INVALID_ARGUMENT as below. */
clsolve_status cls_members_there(cls_device *device, const clsolve_batch *view, int written, cls_buffer **theirs);
/* For two such views: have their members memory in common, gaps included; do their first elements lie in one place? */
int cls_members_meet(const clsolve_batch *a, const cls_buffer *at_a, const clsolve_batch *b, const cls_buffer *at_b);
int cls_members_begin_together(const clsolve_batch *a, const cls_buffer *at_a, const clsolve_batch *b,
                               const cls_buffer *at_b);

/* The members first .. first + count - 1 of a view. */
clsolve_batch cls_members_of(const clsolve_batch *view, int64_t first, int64_t count);

/* Does a view on the device lie within the caller's buffer? If not, ERROR_INVALID_ARGUMENT. */
clsolve_status cls_members_fit(cls_device *device, const clsolve_batch *view);

#endif
