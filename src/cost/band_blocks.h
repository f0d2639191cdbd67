/*
 * band_blocks.h: where the panels of a band are factored, and how wide they are: a small model of the time, from n, kl,
 * ku and a few numbers for the device. It computes and knows nothing else: no device, no band.
 *
 * One block column of nb, m = kl + nb rows, with kv = kl + ku diagonals above the main one after the swaps, takes in
 * seconds:
 *
 *      update(nb)   step + 2 kl kv nb (1 + half / nb) / rate     what a step costs whatever its size, and the product
 *      panel(nb)    nb column + (nb / leaf - 1) fold             the panel on the device, by halving down to leaves,
 *                   + nb^2 (m + kv) / panel                      and the triangular solve
 *
 *      native              update + panel
 *      hybrid, in place    update + nb host_column + nb^2 (m + kv) / host
 *      hybrid, over a bus  the longer of  update + nb^2 kv / panel                   what the device does
 *                                    and  trip + 2 m nb size / bus                   the panel's way down and up,
 *                                         + nb host_column + nb^2 m / host           LAPACK,
 *                                         + step / 2 + 2 kl nb^2 / rate              and the columns that it waits for
 *      narrow              nb = 1:  narrow_column + 2 kl kv / narrow
 *
 * and n / nb of them. The least is looked for among the multiples of `leaf`, for no block wider than the band itself.
 */
#ifndef CLS_COST_BAND_BLOCKS_H
#define CLS_COST_BAND_BLOCKS_H

#include <stdint.h>

typedef enum cls_band_mode {
    CLS_BAND_MODE_NATIVE = 1,
    CLS_BAND_MODE_HYBRID = 2,
    CLS_BAND_MODE_NARROW = 4
} cls_band_mode;

/* Orders of magnitude, not measurements of the machine at hand: band_blocks.c has a table. Seconds, operations and
 * bytes a second. */
typedef struct cls_band_machine {
    int in_place;                 /* hybrid works in the host's memory */
    int64_t leaf;                 /* blocks are multiples of it */
    int64_t widest;               /* block that is worth its memory */
    double step;                  /* launches and waits of a block column */
    double rate;                  /* of a large product */
    double half;                  /* the inner size at which a product has half of it */
    double column;                /* a column of a panel on the device, at least */
    double fold;                  /* what each leaf of it beyond the first takes besides */
    double panel;                 /* of panels and triangular solves on the device */
    double host;                  /* of panels by LAPACK */
    double host_column;           /* a column of them, at least */
    double trip;                  /* a panel to the host and back, however small */
    double bus;                   /* each way */
    double narrow_column, narrow; /* the kernels for few diagonals */
} cls_band_machine;

typedef struct cls_band_choice {
    cls_band_mode mode;
    int64_t block;  /* columns in a block, at most n; 1 for narrow */
    double seconds; /* as the model has it */
} cls_band_choice;

/* A CPU whose memory is the host's (`in_place`: its BLAS works there), or a GPU of so many compute units. */
cls_band_machine cls_band_machine_of(int host_memory, int in_place, int64_t compute_units);

/* The time of all block columns; `size`: bytes of an element. */
double cls_band_seconds(const cls_band_machine *machine, cls_band_mode mode, int64_t n, int64_t kl, int64_t kv,
                        int64_t size, int64_t block);

/* The best of `modes`, some of cls_band_mode joined by |; `block` > 0: given, and no narrow then. n > 0. */
cls_band_choice cls_band_choose(const cls_band_machine *machine, unsigned modes, int64_t n, int64_t kl, int64_t kv,
                                int64_t size, int64_t block);

#endif
