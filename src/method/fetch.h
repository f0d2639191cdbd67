/*
 * fetch.h: a caller's matrix on the device, where a method works in the host's memory, or keeps it after the call.
 *
 * The lines of a view are its columns, or with CLSOLVE_ROW_MAJOR its rows. Copies go through a buffer of the library,
 * some megabytes at a time, because the caller's buffer may be forbidden to the host. They run on the compute queue,
 * behind what the caller has enqueued there.
 */
#ifndef CLS_METHOD_FETCH_H
#define CLS_METHOD_FETCH_H

#include <clsolve/matrix.h>

#include "device/device.h"

/* The lines begin .. begin + count - 1 of a view on the device into `host`, one after the other without gaps; and from
 * there into the view. Both are done when they return. */
clsolve_status cls_fetch_lines(cls_device *device, const clsolve_matrix *view, int64_t begin, int64_t count,
                               void *host);
clsolve_status cls_store_lines(cls_device *device, const clsolve_matrix *view, int64_t begin, int64_t count,
                               const void *host);

/* A matrix in the host's memory: the caller's own, or a tight copy in the same layout of one on the device. */
typedef struct cls_fetched {
    clsolve_matrix view;
    void *copy; /* NULL: the view is the caller's own */
} cls_fetched;

clsolve_status cls_fetch(cls_device *device, const clsolve_matrix *view, cls_fetched *fetched);
/* Writes the copy back to the view that it was fetched from. */
clsolve_status cls_store(cls_device *device, const cls_fetched *fetched, const clsolve_matrix *view);
void cls_fetched_free(cls_fetched *fetched);

/* A copy of a view on the device, on the device: *kept is a view of *buffer, which stays until cls_keep_release. On
 * failure *buffer is NULL. */
clsolve_status cls_keep(cls_device *device, const clsolve_matrix *view, clsolve_matrix *kept, cls_buffer **buffer);
void cls_keep_release(cls_device *device, cls_buffer *buffer); /* NULL is fine */

#endif
