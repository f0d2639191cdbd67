/*
 * rect.h: rectangles (device.h) cut into pieces for staging slots: pinned memory of the device's own through which the
 * host's pageable memory crosses the bus, for every backend.
 */
#ifndef CLS_RECT_H
#define CLS_RECT_H

#include <stdbool.h>

#include "device/device.h"

enum { CLS_STAGING_BYTES = 2 * 1024 * 1024 }; /* of a slot: long enough for the bus's full speed, short to fill */

static inline bool cls_rect_is_empty(const cls_rect *rect) {
    return rect->bytes == 0 || rect->columns == 0;
}

/* One call for what lies in one piece on both sides, another for a rectangle. */
static inline bool cls_rect_in_one_piece(const cls_rect *rect) {
    return rect->columns == 1 || (rect->device_pitch == rect->bytes && rect->host_pitch == rect->bytes);
}

/* Bytes from its first to its last, on the host and in the buffer. */
static inline size_t cls_rect_host_span(const cls_rect *rect) {
    return (rect->columns - 1) * rect->host_pitch + rect->bytes;
}

/* The rectangle has crossed the bus. */
static inline void cls_rect_count(cls_device *device, int up, const cls_rect *rect) {
    cls_counters *counters = &device->counters;
    *(up ? &counters->transfers_up : &counters->transfers_down) += 1;
    *(up ? &counters->bytes_up : &counters->bytes_down) += (int64_t)(rect->bytes * rect->columns);
}

/*
 * A rectangle is cut into pieces that fit a slot: whole columns where a column fits, else parts of one column.
 * Gives piece number `index` as a rectangle of its own, its place in the host's memory into *host_offset, and false
 * behind the last.
 */
bool cls_rect_piece(const cls_rect *rect, size_t slot, size_t index, cls_rect *piece, size_t *host_offset);

/* How many pieces there are. */
size_t cls_rect_pieces(const cls_rect *rect, size_t slot);

/* Column by column between the host's memory and a slot, where columns lie one behind the other. */
void cls_rect_pack(char *slot, const char *host, const cls_rect *piece);
/* `past_caches`: large pieces are written past the caches. */
void cls_rect_unpack(char *host, const char *slot, const cls_rect *piece, bool past_caches);

#endif
