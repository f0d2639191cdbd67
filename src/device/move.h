/* move.h: a transfer that staging.h has under way, and the threads that copy for it. */
#ifndef CLS_MOVE_H
#define CLS_MOVE_H

#include "base/pool.h"
#include "device/device.h"
#include "device/rect.h"

typedef enum cls_way { CLS_WAY_UP = 0, CLS_WAY_DOWN = 1 } cls_way;

/*
 * A rectangle on its way to the device or from it. The move is the caller's, and its host's memory too, untouched until
 * it has crossed; zeros but for the first members.
 *
 *      post(first), post(second)      begins
 *      poll ... poll                  between other work: what is packed crosses, what can be packed is; what has come
 *                                     down is unpacked
 *      reach(first)                   up: waits until all of it is enqueued: `done` is the event of its crossing
 *      ... use(first) behind `done` ...
 *      land                           down: waits until all that was posted is in its place
 *      drop                           whatever has happened, each way; the caller then releases each `done`
 *
 * A move down is posted when its bytes are there: the host has waited for the work that makes it. Pinned memory has a
 * `done` down too, and is in its place when the queue is finished.
 */
typedef struct cls_move {
    cls_way way;
    cls_queue queue;
    cls_buffer *buffer;
    char *host; /* only read where it goes up */
    cls_rect rect;
    cls_event *done; /* NULL: not enqueued to its end */
    /* staging.c's own */
    const cls_wait *wait; /* of its first piece */
    size_t each;          /* bytes of a piece */
    size_t next;          /* the piece to be begun next */
    int more;             /* there are such */
    int marked;           /* `done` is wanted */
    struct cls_move *after;
} cls_move;

/* The threads of this device, started when first asked for; NULL: none. */
cls_pool *cls_device_pool(cls_device *device);

#endif
