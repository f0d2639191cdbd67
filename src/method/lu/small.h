/*
 * small.h: dense LU of a matrix of few rows on a GPU, where launches and waits would take longer than the work: the
 * check of A, the factorization, the moves of rows and the outcome by one kernel (cl/lu_small.cl).
 *
 *      n <= CLS_LU_SMALL_WHOLE     one launch for all of it
 *      n <= CLS_LU_SMALL_PACKED    A crosses in one copy from pinned memory; a solve with few right-hand sides is one
 *                                  copy, one launch and one read
 *      n <= CLS_LU_SMALL_MOST      a launch for 16 columns, two more at the end
 *
 * The kernels want waves whose work-items exchange values in one instruction: NVIDIA's GPUs from compute capability 8.0
 * on, through both backends. Elsewhere the panel room factors (method/panel).
 *
 * The outcome comes to the host in one read of a few words, with the only wait.
 */
#ifndef CLS_LU_SMALL_H
#define CLS_LU_SMALL_H

#include "method/lu/lu.h"

/* Right-hand sides that are few, as many as the handle has room for. */
enum { CLS_LU_SMALL_INFO = 3 }; /* the word of the record with LAPACK's info */
enum { CLS_LU_SMALL_WHOLE = 64, CLS_LU_SMALL_PACKED = 128, CLS_LU_SMALL_MOST = 512, CLS_LU_SMALL_SIDES = 16 };

/* ---- small_setup.c ---- */

/* Before the rest of a handle. *there: so are the kernels, and they are right on this device. */
clsolve_status cls_lu_small_setup(cls_lu *lu, const clsolve_lu_options *options, int *there);
void cls_lu_small_release(cls_lu *lu);

/* ---- small.c ---- */

/* lu->A in place. Enqueues. */
clsolve_status cls_lu_small_factor(cls_lu *lu);
/* From the caller's matrix. Enqueues; returns when the caller's memory on the host is free again. *upload: seconds. */
clsolve_status cls_lu_small_factor_view(cls_lu *lu, const clsolve_matrix *A, double *upload);
/* The outcome, into lu->small, and the factors where the host keeps them: waits. */
clsolve_status cls_lu_small_read(cls_lu *lu);

/*
 * The estimate of the condition number solves for some five vectors of the host, one after the other. For few rows the
 * factors come to the host with the outcome, in the same wait, and the host solves.
 */
clsolve_status cls_lu_small_keep(cls_lu *lu);
/* x becomes op(A)^-1 x: `cols` columns of tight doubles. lu->small.host_is_new. */
void cls_lu_small_host_solve(const cls_lu *lu, clsolve_op op, int64_t cols, double *x);

/* ---- small_solve.c ---- */

/* The rows of lu->B's first `cols` columns move as those of A did, or back. Enqueues. */
clsolve_status cls_lu_small_move(cls_lu *lu, int64_t cols, int reverse);

/* Is one launch to solve for B? */
int cls_lu_small_solves(const cls_lu *lu, const clsolve_matrix *B);
/* As cls_direct_ops.solve_unrefined: B becomes X, where neither has a NaN or Inf. */
clsolve_status cls_lu_small_solve(cls_lu *lu, clsolve_op op, const clsolve_matrix *B, cls_place *in, cls_place *out);

#endif
