/*
 * async.h: factor and solve on matrices of the caller's on the device, enqueued without waiting; how they went stays on
 * the device until it is asked for. For providers whose BLAS runs on the device, and matrices in its memory.
 */
#ifndef CLS_LU_ASYNC_H
#define CLS_LU_ASYNC_H

#include "method/lu/lu.h"

/* A zeroed one is valid to release, and is set up by the first call below. */
typedef struct cls_lu_async {
    cls_kernel *least, *deliver;
    cls_buffer *words; /* as in cl/verdict.cl */
    int64_t lanes;
} cls_lu_async;

/* What there was; -1 where there was nothing. Elements are numbered i + j * rows. */
typedef struct cls_lu_outcome {
    int64_t in_A, in_factors, in_B, in_X; /* the first NaN or Inf */
    int64_t info;                         /* as LAPACK's */
} cls_lu_outcome;

void cls_lu_async_release(cls_device *device, cls_lu_async *async);

clsolve_status cls_lu_async_factor(cls_lu *lu, cls_lu_async *async, const clsolve_matrix *A);
/* B is overwritten only when nothing went wrong, with `after_factor` from the enqueued factorization on. */
clsolve_status cls_lu_async_solve(cls_lu *lu, cls_lu_async *async, clsolve_op op, const clsolve_matrix *B,
                                  int after_factor);
/* Waits. */
clsolve_status cls_lu_async_outcome(cls_lu *lu, cls_lu_async *async, cls_lu_outcome *outcome);

#endif
