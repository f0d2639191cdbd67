/*
 * staging_lane.h (private to staging): the slots of one way and what is done with them. staging.c drives them.
 *
 *      up     take_slot, a thread packs     ->  cls_lane_send: it crosses
 *      down   take_slot, it crosses         ->  cls_lane_deliver: a thread unpacks
 */
#ifndef CLS_STAGING_LANE_H
#define CLS_STAGING_LANE_H

#include "device/move.h"

enum { CLS_MOST_SLOTS = 32 };

typedef struct cls_slot {
    cls_pinned *pinned;
    char *memory;
    cls_event *busy; /* its crossing, when it is enqueued and may not be over */
    cls_job job;     /* the copy between it and the caller's memory */
    cls_rect piece;
    char *host;     /* where the piece lies in the caller's memory */
    cls_move *move; /* whose it is */
    bool is_first, is_last;
    bool past_caches; /* down: it is unpacked so */
} cls_slot;

/* Slots of one way, used in turn. Piece number p is in slot p % count. */
typedef struct cls_lane {
    cls_slot slots[CLS_MOST_SLOTS];
    int64_t count;
    size_t bytes;          /* of a slot */
    int64_t first;         /* up: pieces that were given to a thread; down: whose crossing was enqueued */
    int64_t second;        /* up: whose crossing was enqueued; down: that were given to a thread */
    cls_move *head, *tail; /* the moves with pieces that have no slot yet */
} cls_lane;

struct cls_staging {
    cls_lane large[2], small[2]; /* by cls_way */
    cls_pinned *scratch;
    void *scratch_memory;
    size_t scratch_bytes;
};

static inline cls_slot *cls_slot_of(cls_lane *l, int64_t piece) {
    return &l->slots[piece % l->count];
}

/* Large enough for the bus's full speed, small enough that all threads have some; no element is in two. */
size_t cls_piece_bytes(const cls_rect *rect, size_t slot_bytes);

/* The move is the last of the lane's. */
void cls_lane_append(cls_device *device, cls_lane *l, cls_move *m);

/* The next pieces have slots, as far as these are free: up they are given to threads, down their crossing is enqueued.
 * To wait for a slot that is in use costs what is ready to go on: so only where nothing else is under way, and `wait`
 * allows. */
clsolve_status cls_lane_give(cls_device *device, cls_lane *l, bool wait);
clsolve_status cls_lane_fetch(cls_device *device, cls_lane *l, bool wait);
/* The next piece goes on when it can: up it crosses, when it is packed; down it is given to a thread, when it has
 * crossed. */
clsolve_status cls_lane_send(cls_device *device, cls_lane *l);
clsolve_status cls_lane_deliver(cls_device *device, cls_lane *l);
/* The copies that threads make for the lane are done. */
void cls_lane_wait_for_copies(cls_device *device, cls_lane *l);
/* Nothing is in work or on its way any more. The outcome of the wait is ignored: the message stays. */
void cls_lane_settle(cls_device *device, cls_lane *l);
/* With its slots. */
void cls_lane_destroy(cls_device *device, cls_lane *l);

#endif
