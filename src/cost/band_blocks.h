/*
 * band_blocks.h: where the panels of a band are factored, and how wide they are, by the clock of rates.h. It computes
 * and knows nothing else: no device, no band.
 *
 * One block column of nb, m = kl + nb rows, with kv = kl + ku diagonals above the main one after the swaps, takes
 *
 *      update     a call, and 2 kl kv nb operations of size nb
 *      panel      nb columns, and nb^2 (m + kv) operations: the panel by halving down to leaves, of which each but the
 *                 first is a call, and the triangular solve
 *
 *      native              update + panel
 *      hybrid, in place    update + panel by LAPACK
 *      hybrid, over a bus  the longer of  update + nb^2 kv operations of the triangular solve    what the device does
 *                                    and  the panel's way down and up, nb^2 m operations by LAPACK,
 *                                         and the columns that it waits for
 *      narrow              nb = 1:  a column, and 2 kl kv operations
 *
 * and n / nb of them. The least is looked for among the multiples of `leaf`, for no block wider than the band itself.
 */
#ifndef CLS_COST_BAND_BLOCKS_H
#define CLS_COST_BAND_BLOCKS_H

#include "cost/rates.h"

typedef enum cls_band_mode {
    CLS_BAND_MODE_NATIVE = 1,
    CLS_BAND_MODE_HYBRID = 2,
    CLS_BAND_MODE_NARROW = 4
} cls_band_mode;

typedef struct cls_band_choice {
    cls_band_mode mode;
    int64_t block;  /* columns in a block, at most n; 1 for narrow */
    double seconds; /* as the model has it */
} cls_band_choice;

/* The time of all block columns; `size`: bytes of an element. */
double cls_band_seconds(const cls_band_machine *machine, cls_band_mode mode, int64_t n, int64_t kl, int64_t kv,
                        int64_t size, int64_t block);

/* The best of `modes`, some of cls_band_mode joined by |; `block` > 0: given, and no narrow then. n > 0. */
cls_band_choice cls_band_choose(const cls_band_machine *machine, unsigned modes, int64_t n, int64_t kl, int64_t kv,
                                int64_t size, int64_t block);

#endif
