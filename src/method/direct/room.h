/*
 * room.h: what a factorization asks of its device before it takes memory. Each function says in its message what would
 * do.
 */
#ifndef CLS_ROOM_H
#define CLS_ROOM_H

#include <clsolve/lu.h>

#include "device/matrix.h"

/* A matrix of n columns of `column` bytes each, next to as many bytes as `sides` columns have. */
typedef struct cls_room {
    cls_device *device;
    const char *what; /* "LDL^T" */
    int64_t n, column, sides;
    int64_t limit, taken; /* the caller's bound on the device memory, or 0; what is taken of it */
} cls_room;

/* Columns of right-hand sides that a matrix leaves room for under a limit. */
int64_t cls_room_sides(int64_t n, int64_t limit);
/* Is there room? The bytes that are left go to *had. */
int cls_room_fits(const cls_room *room, int64_t *had);
/* OUT_OF_DEVICE_MEMORY if there is none. */
clsolve_status cls_room_check(const cls_room *room);

/* UNSUPPORTED: hybrid panels are asked of a device with memory of its own. */
clsolve_status cls_room_hybrid(const cls_device *device, clsolve_panel panel);
/* Maps A for LAPACK, which wants it in one piece and counts in 32 bits. If it cannot be so: UNSUPPORTED where it
 * `must`, else A stays as it is. */
clsolve_status cls_room_map(cls_device *device, cls_matrix *A, int must);

#endif
