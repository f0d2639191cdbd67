#include "device/rect.h"

#include <string.h>

bool cls_rect_piece(const cls_rect *rect, size_t slot, size_t index, cls_rect *piece, size_t *host_offset) {
    if (rect->bytes <= slot) {
        size_t group = slot / rect->bytes, first = index * group;
        if (first >= rect->columns) return false;
        *piece = *rect;
        piece->columns = rect->columns - first < group ? rect->columns - first : group;
        piece->device_offset = rect->device_offset + first * rect->device_pitch;
        *host_offset = first * rect->host_pitch;
        return true;
    }
    size_t parts = (rect->bytes + slot - 1) / slot;
    size_t column = index / parts, begin = index % parts * slot;
    if (column >= rect->columns) return false;
    *piece = *rect;
    piece->columns = 1;
    piece->bytes = rect->bytes - begin < slot ? rect->bytes - begin : slot;
    piece->device_offset = rect->device_offset + column * rect->device_pitch + begin;
    *host_offset = column * rect->host_pitch + begin;
    return true;
}

size_t cls_rect_pieces(const cls_rect *rect, size_t slot) {
    if (rect->bytes > slot) return (rect->bytes + slot - 1) / slot * rect->columns;
    const size_t group = slot / rect->bytes;
    return (rect->columns + group - 1) / group;
}

/* Column by column between the host's memory and a slot, where columns lie one behind the other. */
void cls_rect_pack(char *slot, const char *host, const cls_rect *piece) {
    if (piece->host_pitch == piece->bytes) {
        memcpy(slot, host, piece->bytes * piece->columns);
        return;
    }
    for (size_t c = 0; c < piece->columns; c++)
        memcpy(slot + c * piece->bytes, host + c * piece->host_pitch, piece->bytes);
}

void cls_rect_unpack(char *host, const char *slot, const cls_rect *piece) {
    for (size_t c = 0; c < piece->columns; c++)
        memcpy(host + c * piece->host_pitch, slot + c * piece->bytes, piece->bytes);
}
