/* stream_memory.h: what a window on a band holds, for stream.c and stream_memory.c alone. */
#ifndef CLS_BAND_STREAM_MEMORY_H
#define CLS_BAND_STREAM_MEMORY_H

#include "method/band/stream.h"

enum { CLS_BAND_DOWN = CLS_BAND_RING + 1 }; /* one of them is being taken over by the pool */

/* A block column on its way down: into pinned memory, when `busy` is over, and then by the pool to where it stays. */
typedef struct cls_band_descent {
    cls_band_slot slot;
    cls_band_haul haul;
    cls_job job;
} cls_band_descent;

struct cls_band_stream {
    int64_t slots; /* block columns in the window */
    char *host;    /* n physical columns */
    int64_t host_bytes;
    int64_t *pivots; /* n, from 1 */
    int *locals;     /* those of one block column, from its lead */
    cls_band_descent down[CLS_BAND_DOWN];
    cls_event **come, **gone, **used; /* of each slot of the window: NULL: nothing to wait for */

    const cls_band_source *source;
    int64_t asked, waited; /* the columns before are on their way; the compute queue waits for those before */

    /* These belong to a solve. */
    cls_uplo half;
    int backward;
    int64_t next,
        left; /* the first column of the next block column to bring; how many may be brought before one is left */
};

/* Points to the pivots or the moves that a pinned block column has behind its elements. */
int64_t *cls_band_stream_state_of(const cls_band *band, const cls_band_slot *slot);

#endif
