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
 *
 * Memory. The factors are pageable (they may be most of the host's memory, too much to pin). Copies go through the
 * device layer's pinned slots where the device is behind a bus; the host packs the next block column there while the
 * device computes with the one before. Slabs themselves go up and down with nothing computed meanwhile.
 */
#ifndef CLS_LU_OUT_OF_CORE_H
#define CLS_LU_OUT_OF_CORE_H

#include <clsolve/report.h>

#include "method/direct/growth.h"
#include "method/lu/lu.h"

/* The most columns of one product: the workspace that a BLAS provider may take for itself stays small. */
enum { CLS_LU_OUT_COLUMNS = 2048 };

/* memory.c: takes the window lu->A, the streams and the host's memory; chooses lu->block anew. */
clsolve_status cls_lu_out_setup(cls_lu *lu);

/* ---- out_of_core_host.c ---- */

void cls_lu_out_release(cls_lu *lu);

/* The host's memory of the factors as a matrix that is mapped (mapped.h): what is written there can be factored in
 * place. It lives as long as lu. */
cls_matrix cls_lu_out_matrix(cls_lu *lu);
/* The same as the view of a caller's matrix. */
clsolve_matrix cls_lu_out_view(const cls_lu *lu);

/* The caller's matrix into that memory. */
void cls_lu_out_stage(cls_lu *lu, const clsolve_matrix *A);

/* The caller's columns begin .. begin+cols-1 to and from the first columns of the window. Either layout. */
clsolve_status cls_lu_out_fetch(cls_lu *lu, const clsolve_matrix *view, int64_t begin, int64_t cols);
clsolve_status cls_lu_out_store(cls_lu *lu, const clsolve_matrix *view, int64_t begin, int64_t cols);

/* ---- out_of_core.c ---- */

/*
 * The input and the results of the next cls_lu_factor. `A`: the caller's matrix; NULL: the matrix lies in the host's
 * memory of the factors. `upload`: the seconds that A took. in.row >= 0: A has a NaN or Inf there, and nothing is
 * factored. `out`: of L\U, which is finished whatever it holds (rows as in the storage above).
 */
struct cls_lu_slabs {
    const clsolve_matrix *A;
    double upload;
    cls_measures in;
    cls_growth out;
};
/* `work` stays where it is until that call has returned. */
void cls_lu_out_begin(cls_lu *lu, const clsolve_matrix *A, cls_lu_slabs *work);

/* A scheme, see lu.h. */
clsolve_status cls_lu_factor_slabs(cls_lu *lu, int64_t begin, int64_t end, const clsolve_lu_options *options,
                                   int64_t *info);

/* The factors as LAPACK has them, into the caller's matrix. */
clsolve_status cls_lu_out_export(cls_lu *lu, const clsolve_matrix *LU);

/* ---- out_of_core_solve.c ---- */

/*
 * B becomes op(A)^-1 B, as many columns at a time as the window has. Is there a NaN or Inf, `in` B or `out` of X,
 * then B is as it was.
 */
clsolve_status cls_lu_out_solve(cls_lu *lu, clsolve_op op, const clsolve_matrix *B, clsolve_seconds *seconds,
                                cls_place *in, cls_place *out);

/* ---- stream.c ---- */

/*
 * A block column on the device: columns j .. j+width-1, and of the lower half rows j..n-1 (`at` is (j, j)), of the
 * upper half rows 0..j+width-1 (`at` is (0, j)). What it enqueues goes to the compute queue.
 */
typedef clsolve_status (*cls_lu_block_use)(cls_lu *lu, int64_t j, int64_t width, cls_ref at, void *user);

/* Streams that half of the block columns in 0 .. end-1, from the left or (`backward`) from the right, each to `use`. */
clsolve_status cls_lu_stream(cls_lu *lu, cls_uplo half, int64_t end, int backward, cls_lu_block_use use, void *user);

#endif
