/* stream_memory.h: what a window on a band holds (stream.h). Its members are for stream.c and stream_memory.c alone. */
#ifndef CLS_BAND_STREAM_MEMORY_H
#define CLS_BAND_STREAM_MEMORY_H

#include "method/band/band.h"

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

clsolve_status cls_band_stream_setup(cls_band *band);
void cls_band_stream_release(cls_band *band);
/* After a failure: waits for what is under way and forgets it. */
void cls_band_stream_drop(cls_band *band);

/* Column j of a streamed band's factors, physical columns one behind the other; and element (i, j). */
void *cls_band_stream_column(const cls_band *band, int64_t j);
void *cls_band_stream_element(const cls_band *band, int64_t i, int64_t j);
int64_t cls_band_stream_bytes(const cls_band *band);
/* LAPACK's pivots, n of them, counted from 1; NULL where the band is in the window as a whole. */
int64_t *cls_band_stream_pivots(const cls_band *band);
/* Bytes that a pinned block column has behind its elements, for its pivots or its moves. */
size_t cls_band_stream_state(const cls_band *band);

/* Points to the pivots or the moves that a pinned block column has behind its elements. */
int64_t *cls_band_stream_state_of(const cls_band *band, const cls_band_slot *slot);

#endif
