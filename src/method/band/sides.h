/*
 * sides.h: right-hand sides. They lie on the device as a whole where they take little of it: band->B, n rows. Else
 * they lie in the host's memory, and band->B has `side_rows` of their rows, a window that slides down in the first
 * sweep of a solve and up again in the second:
 *
 *        base                           base + side_rows            down, as the next block wants rows lo .. hi-1:
 *          |-------|------------------------|
 *     host    down    copied on the device     up    host           1. the rows before lo go to the host
 *                  |------------------------|-------|               2. the others move to the window's begin
 *                  lo = new base                                    3. the rows behind them come
 *
 * Each row goes up once and down once a sweep; those in which the first sweep ends are there for the second.
 */
#ifndef CLS_BAND_SIDES_H
#define CLS_BAND_SIDES_H

#include "method/band/band.h"

int cls_band_slides(const cls_band *band);
/* The fewest rows of a window: those that stay and those that come may not overlap. */
int64_t cls_band_least_sides(const cls_band *band);

/* Makes room for `cols` right-hand sides, and with `row_major` for as many transposed. Keeps what is there when it is
 * enough. */
clsolve_status cls_band_reserve(cls_band *band, int64_t cols, int row_major);
/* Room for them on the host: band->sides. Reserving a window does it too. */
clsolve_status cls_band_sides_reserve(cls_band *band, int64_t cols);
void cls_band_sides_release(cls_band *band);

/* The place of element (i, c) of the right-hand sides; row i is there. */
cls_ref cls_band_side(const cls_band *band, int64_t i, int64_t c);
/* band->B with rows that are numbered from `lead` on. */
cls_matrix cls_band_sides(const cls_band *band, int64_t lead);

/* Around the two sweeps of a solve, and before the rows lo .. hi-1 are used. Nothing where all are there. */
clsolve_status cls_band_sides_begin(cls_band *band, int64_t cols);
clsolve_status cls_band_sides_reach(cls_band *band, int64_t lo, int64_t hi, int64_t cols);
clsolve_status cls_band_sides_end(cls_band *band, int64_t cols);

/* For right-hand sides in the host's memory: copies the columns begin .. begin+cols-1 of `view`, on the host, into the
 * first ones there, and back; `view` is of either layout and type. */
void cls_band_sides_take(cls_band *band, const clsolve_matrix *view, int64_t begin, int64_t cols);
void cls_band_sides_give(const cls_band *band, const clsolve_matrix *view, int64_t begin, int64_t cols);
/* The first NaN or Inf of them; row -1: none. */
cls_place cls_band_sides_check(const cls_band *band, int64_t cols);

#endif
