/*
 * band.h: LU with partial pivoting of a band matrix, by block columns: LAPACK's gbtrf on a storage in which every block of
 * the algorithm is an ordinary dense one.
 *
 * Storage. Column j of the window holds a(i,j) at physical row top + i - j, so going one column to the right along a row
 * of the matrix is ld - 1 elements: every rectangle of the matrix that lies within the stored diagonals is a dense
 * column-major block of leading dimension ld - 1, see cls_band_at. LAPACK's gbtrf keeps the corners of its panel that stick
 * out of the band (A13, A31) in work arrays; here the storage is wider by a block on either side, zero there, and they
 * exist.
 *
 *      top    = kv + block - 1     diagonals kept above the main one, kv = kl + ku of them with something in them
 *      bottom = kl + block - 1     and below it: the panel's swaps move L's rows within the block column
 *
 *                  j      k = j+block     k+kv
 *               j  |  U11  |     U12      |        for each block column:   m = kl + block rows
 *                  |  L11  |              |          1. panel: LU of the m x block block column, rows swapped
 *               k  |-------|--------------|          2. the same swaps right of it
 *                  |  L21  |     A22      |          3. U12 = L11^-1 A12
 *            k+kl  |-------|--------------|          4. A22 = A22 - L21 U12, kl x kv
 *
 * Columns left of the panel are never touched again. Within the block column the rows of L are swapped to its end; gbtrf's
 * form, which undoes that, is made at the export. So to solve, swaps and triangles are taken by turns, block by block.
 *
 * The window is a ring of `capacity` columns: column j of the matrix is column j % capacity of it. With capacity >= n the
 * whole band is there; else stream.c brings block columns and takes them away.
 */
#ifndef CLS_BAND_H
#define CLS_BAND_H

#include <clsolve/band.h>

#include "device/matrix.h"
#include "method/check.h"
#include "method/lu/lu.h"

typedef struct cls_band cls_band;
typedef struct cls_band_stream cls_band_stream; /* stream.h */

/* One way to factor and solve a band that is in band->window as a whole: blocked.c, or narrow.c for few diagonals. */
typedef struct cls_band_way {
    const char *name; /* as the report's `panel` */
    /* Factors band->window in place, ipiv and info into band->panel.ipiv and .info, or hybrid's on the host. Enqueues. */
    clsolve_status (*factor)(cls_band *band, const clsolve_band_options *options);
    /* The first `cols` columns of band->B become op(A)^-1 times them. Enqueues. */
    clsolve_status (*apply)(cls_band *band, clsolve_op op, int64_t cols);
    void (*release)(cls_band *band); /* what its setup took; NULL is fine */
} cls_band_way;

struct cls_band {
    cls_device *device;
    clsolve_type type; /* of the factors */
    int64_t n;
    int64_t kl, ku, kv; /* as used: no more than n - 1 each, kv = min(kl + ku, n - 1) */
    int64_t block;      /* columns in a block; 1 for a way that keeps gbtrf's own form */
    int64_t top;        /* physical row of the main diagonal; bottom = window.rows - 1 - top */
    cls_matrix window;  /* top + 1 + bottom rows, `capacity` columns */
    int64_t capacity;

    const cls_band_way *way;
    void *own; /* of the way: its kernels and what it keeps */

    /* The panels' state and what a factorization leaves beside its factors: ipiv (n, from 1, absolute), sources and targets
     * (2 n), info[0] the first column without a pivot. panel.A is a view, set anew for each panel. */
    cls_lu panel;
    int64_t info; /* after cls_band_factor */

    cls_check check; /* of A; panel.check: of U and B */
    cls_matrix B, scratch;
    cls_band_stream *stream; /* NULL: the band is in the window as a whole */

    int64_t memory_limit, slab_bytes, base_bytes; /* as in cls_lu */
};

/* Element (i, j); good for the rows that are stored of each column and the columns up to the end of cls_band_run. ld is the
 * window's less 1. */
cls_ref cls_band_at(const cls_band *band, int64_t i, int64_t j);
/* How many of the columns j, j+1, ..., limit-1 lie side by side. */
int64_t cls_band_run(const cls_band *band, int64_t j, int64_t limit);

#endif
