/* async.h: dense LU on matrices of the caller's on the device, enqueued without waiting: method/async.h. */
#ifndef CLS_LU_ASYNC_H
#define CLS_LU_ASYNC_H

#include "method/async.h"
#include "method/lu/lu.h"

clsolve_status cls_lu_async_factor(cls_lu *lu, cls_async *async, const clsolve_matrix *A);
/* B is overwritten only when nothing went wrong, with `after_factor` from the enqueued factorization on. */
clsolve_status cls_lu_async_solve(cls_lu *lu, cls_async *async, clsolve_op op, const clsolve_matrix *B,
                                  int after_factor);

#endif
