#include "device/rect.h"

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Bytes of a column, and of a piece, that are unpacked past the caches. */
enum { COLUMN_PAST_CACHES = 2048, PIECE_PAST_CACHES = 128 * 1024 };

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

/* Into memory past the caches, which otherwise read each line of it before it is written. Nothing of a large piece
 * would stay in the caches for the caller anyway. */
static void copy_past_caches(char *to, const char *from, size_t bytes) {
#if defined(__SSE2__)
    enum { LINE = 64 };
    const size_t head = (size_t)(-(uintptr_t)to % LINE);
    size_t at = 0;
    if (bytes > head + LINE) {
        memcpy(to, from, head);
        for (at = head; at + LINE <= bytes; at += LINE) {
            const __m128i *source = (const __m128i *)(const void *)(from + at);
            __m128i *target = (__m128i *)(void *)(to + at);
            for (int q = 0; q < 4; ++q) _mm_stream_si128(target + q, _mm_loadu_si128(source + q));
        }
    }
    memcpy(to + at, from + at, bytes - at);
    _mm_sfence();
#else
    memcpy(to, from, bytes);
#endif
}

void cls_rect_unpack(char *host, const char *slot, const cls_rect *piece, bool past_caches) {
    const bool large =
        past_caches && piece->bytes >= COLUMN_PAST_CACHES && piece->bytes * piece->columns >= PIECE_PAST_CACHES;
    for (size_t c = 0; c < piece->columns; c++) {
        char *to = host + c * piece->host_pitch;
        const char *from = slot + c * piece->bytes;
        if (large)
            copy_past_caches(to, from, piece->bytes);
        else
            memcpy(to, from, piece->bytes);
    }
}
