/*
 * staging.h: staging: pageable memory of the host crosses the bus through pinned slots that the device owns, because
 * one core copies far less in a second than a bus carries, and a driver copies pageable memory with one. Threads of the
 * device's pool copy pieces of a rectangle between the caller's memory and the slots, several at a time; the thread
 * that drives the device enqueues the crossings, in order. Up and down have slots of their own, and transfers of one
 * piece have others, so that none of them waits for what is on its way in the other direction or at length.
 *
 * For backends, whose `write` and `read` come here with memory that is not pinned; and for methods that work while
 * something large is on its way (cls_staging_post).
 */
#ifndef CLS_STAGING_H
#define CLS_STAGING_H

#include "base/pool.h"
#include "device/device.h"
#include "device/move.h"
#include "device/rect.h"

/* Threads of a device that is not measured: with more of them an H200's bus carries no more. */
enum { CLS_STAGING_THREADS = 12 };

static inline int cls_staging_threads(void) {
    return cls_pool_spare_cores(CLS_STAGING_THREADS);
}

/* ---- how many threads (staging_threads.c) ---- */

/* For a backend that opens a device, when its programs can be asked for: slots, and the threads as measured before. */
void cls_staging_configure(cls_device *device);
/* Measures; the queues must be finished, and slots and threads are made anew when they are needed. */
clsolve_status cls_staging_calibrate(cls_device *device);

/* ---- for backends: as the operations `write` and `read`, whose errors these have; the caller counts ---- */

/* Returns when all of the host's data is in the slots, the last of them perhaps still crossing. */
clsolve_status cls_staging_write(cls_device *device, cls_queue queue, cls_buffer *to, const void *host,
                                 const cls_rect *rect, const cls_wait *wait, cls_event **done);
/* Returns with the data in place, for nobody would copy it out of the slots later. */
clsolve_status cls_staging_read(cls_device *device, cls_queue queue, cls_buffer *from, void *host, const cls_rect *rect,
                                const cls_wait *wait, cls_event **done);
/* The rectangle between the host's memory and `mapped`, where the buffer's first byte would be: by the device's
 * threads, in pieces. */
void cls_staging_copy(cls_device *device, cls_way way, char *mapped, char *host, const cls_rect *rect);
/* With the pool. The queues must be finished. */
void cls_staging_destroy(cls_device *device);

/* ---- for methods: up and down, while something else is done ---- */

/* Moves one way cross in the order in which they were posted. Counted as `write` and `read` count. */
clsolve_status cls_staging_post(cls_device *device, cls_move *move);
clsolve_status cls_staging_poll(cls_device *device);
/* Between two polls that wait for the same: others run, and where there are few threads this one copies too. */
void cls_staging_pause(cls_device *device);
clsolve_status cls_staging_reach(cls_device *device, cls_move *move);
clsolve_status cls_staging_land(cls_device *device);
/* Nothing of what was posted that way is copied or crosses any more, and it is forgotten. */
void cls_staging_drop(cls_device *device, cls_way way, cls_queue queue);

/* ---- for all ---- */

/* Pinned memory of at least so many bytes, for a method that packs and unpacks by itself: the device's own, so that
 * what crosses is to be over before the method returns to its caller. It lasts until the next call, and what is in
 * it. */
clsolve_status cls_staging_scratch(cls_device *device, size_t bytes, void **memory);

/* Bytes of a buffer, and where they go to. */
typedef struct cls_fetch_part {
    cls_buffer *from;
    void *to;
    size_t bytes, at; /* how many, and where they begin in the buffer */
} cls_fetch_part;
/* A few bytes of some buffers behind what is in CLS_COMPUTE, with one wait for all of them: an outcome. */
clsolve_status cls_staging_fetch(cls_device *device, const cls_fetch_part *parts, int count);

#endif
