#include "method/direct/room.h"

#include <limits.h>

#include "blas/blas.h"

int64_t cls_room_sides(int64_t n, int64_t limit) {
    enum { RIGHT_SIDES = 64 };
    return limit > 0 ? cls_lesser(n, RIGHT_SIDES) : 0;
}

int cls_room_fits(const cls_room *room, int64_t *had) {
    const int64_t there = room->device->ops->memory_left(room->device), allowed = room->limit - room->taken;
    *had = room->limit > 0 ? cls_lesser(there, allowed) : there;
    return room->n == 0 || (*had > 0 && room->n + room->sides <= *had / room->column);
}

clsolve_status cls_room_check(const cls_room *room) {
    const cls_device *device = room->device;
    int64_t had;

    if (cls_room_fits(room, &had)) return CLSOLVE_OK;
    return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
                    "%s of order %lld wants %.0f bytes of memory in core, and %s leaves %lld", room->what,
                    (long long)room->n, (double)room->column * (double)(room->n + room->sides),
                    room->limit > 0 && had == room->limit - room->taken ? "memory_limit" : device->info.name,
                    (long long)(had > 0 ? had : 0));
}

clsolve_status cls_room_hybrid(const cls_device *device, clsolve_panel panel) {
    if (panel != CLSOLVE_PANEL_HYBRID || cls_in_place(device)) return CLSOLVE_OK;
    return cls_fail(device->error, CLSOLVE_ERROR_UNSUPPORTED,
                    "hybrid panels are for devices that work in the host's memory, and %s is none: use "
                    "CLSOLVE_PANEL_NATIVE",
                    device->info.name);
}

clsolve_status cls_room_map(cls_device *device, cls_matrix *A, int must) {
    if (A->slabs <= 1 && A->ld <= INT_MAX / 2) return cls_matrix_map(device, A);
    if (!must) return CLSOLVE_OK;
    return cls_fail(device->error, CLSOLVE_ERROR_UNSUPPORTED,
                    "LAPACK takes a matrix in one piece and counts in 32 bits: n = %lld is in %lld slabs: use "
                    "CLSOLVE_PANEL_NATIVE",
                    (long long)A->cols, (long long)A->slabs);
}
