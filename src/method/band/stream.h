/*
 * stream.h: a band that is larger than the device: a window of block columns on it, the factors in the host's memory.
 *
 *      host   pack 9  pack 10             keep 3             the three run side by side; the window has `slots` blocks
 *      up     | 8      | 9      | 10
 *      compute         | step 4          | step 5           step 5 wants the block columns 5 .. 5 + kv / block
 *      down                 | 3     | 4
 *
 * Block column q takes the slot q % slots when the one before it there has been used for the last time and gone down. A
 * block column is final, and goes down, as soon as its panel is done.
 *
 * In the host's memory a column has the window's physical rows: the factors by blocks, as band.h says. A solve brings
 * the half that it wants of one block column after the other, L's below the diagonal or U's on and above it, and with
 * L's the moves of its rows, made from the pivots, which came down with the panels: nothing on the device is of n
 * numbers.
 */
#ifndef CLS_BAND_STREAM_H
#define CLS_BAND_STREAM_H

#include "method/band/stream_memory.h"

/* These five do nothing where the band is in the window as a whole. */
/* A factorization of `source` begins. */
clsolve_status cls_band_stream_begin(cls_band *band, const cls_band_source *source);
/* Work that is enqueued from now on has the columns before `to`, which are measured. */
clsolve_status cls_band_stream_need(cls_band *band, int64_t to);
/* The block column at j is final. */
clsolve_status cls_band_stream_final(cls_band *band, int64_t j);
/* It has been used for the last time. */
clsolve_status cls_band_stream_done(cls_band *band, int64_t j);
/* Waits until all factors are in the host's memory. */
clsolve_status cls_band_stream_end(cls_band *band);

/* For solves: that half of all block columns is wanted, from the left or from the right; the one at j, which is next;
 * it has been used. Nothing where the band is in the window as a whole. */
clsolve_status cls_band_stream_read(cls_band *band, cls_uplo half, int backward);
clsolve_status cls_band_stream_take(cls_band *band, int64_t j);
clsolve_status cls_band_stream_leave(cls_band *band, int64_t j);

#endif
