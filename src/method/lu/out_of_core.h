/*
 * out_of_core.h: dense LU of a matrix larger than the device, left-looking over slabs of columns. The factors lie in
 * the host's memory; the device has a window of one slab on them, lu->A, and one or two block columns that stream by.
 *
 *             c0    c1
 *      | K=0 | K=1 |  J  |      for each slab J:    up; for each earlier slab K: move rows of J as K's pivots say; for
 *      |  U  |  U  |     |      each block column of K, streamed: A12 = L11^-1 A12, A22 = A22 - L21 A12; then J is
 *      | L\  |     |     |      factored in core, and goes down.
 *      |  L  | L\  |     |
 *
 * Every element of A goes up once and down once; of each slab's L all that lies left goes up again for each slab right
 * of it: about n^3 / (3 slab) elements in all. So the slab is as wide as the memory allows.
 *
 * Rows of L. Slab K's L stays in the host's memory as it was when K was finished: later pivots don't move its rows.
 * Both uses interleave the moves instead, P_0, L_0^-1, P_1, L_1^-1, ..., which costs one pass over the rows of the
 * slab (or of B) that is on the device anyway; moving the rows of L would touch n^2 / 2 elements of host memory one
 * by one, and again for each slab. Only the export has to have LAPACK's form: it takes each slab through the window
 * once more and moves its rows there.
 */
#ifndef CLS_LU_OUT_OF_CORE_H
#define CLS_LU_OUT_OF_CORE_H

#include "method/direct/growth.h"
#include "method/lu/lu.h"

/* memory.c: takes the window lu->A, the streams and the host's memory; chooses lu->block anew. */
clsolve_status cls_lu_out_setup(cls_lu *lu);

/* ---- out_of_core.c ---- */

/* The caller's matrix into the host's memory of the factors. */
void cls_lu_out_stage(cls_lu *lu, const clsolve_matrix *A);

/* A factorization, for which lu->slabs is set. */
typedef struct cls_lu_slabs {
    const clsolve_matrix *A; /* the caller's; NULL: the matrix lies in the host's memory of the factors */
    double upload;           /* the seconds that it took */
    cls_measures in;         /* of A; if row >= 0, it has a NaN or Inf there, and nothing more is factored */
    cls_growth out;          /* of L\U, which is finished whatever it holds (rows as in the storage above) */
} cls_lu_slabs;

/* The columns before `from` are factored; the next slab is in the window, and they begin to stream by (columns.h). */
clsolve_status cls_lu_out_next(cls_lu *lu, int64_t from, int64_t *to);

/* The factors as LAPACK has them, into the caller's matrix. */
clsolve_status cls_lu_out_export(cls_lu *lu, const clsolve_matrix *LU);

/* cls_out.move, of a cls_lu. */
clsolve_status cls_lu_out_move(void *owner, int64_t j, const cls_matrix *B, int64_t cols, int reverse);

#endif
