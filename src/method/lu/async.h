/* async.h: dense LU on matrices of the caller's on the device, enqueued without waiting: method/async.h. */
#ifndef CLS_LU_ASYNC_H
#define CLS_LU_ASYNC_H

#include "method/lu/direct.h"

/* cls_lu_engine.enqueue of panels. */
clsolve_status cls_lu_async_factor_panels(cls_lu *lu, cls_async *async, const clsolve_matrix *A);
/* cls_direct_ops.enqueue, .solve_enqueue, .state and .solve_failed, in core. */
clsolve_status cls_lu_async_factor(cls_direct *direct, cls_async *async, const clsolve_matrix *A);
clsolve_status cls_lu_async_solve(cls_direct *direct, cls_async *async, clsolve_op op, const clsolve_matrix *B,
                                  int after_factor);
cls_buffer *cls_lu_async_state(const cls_direct *direct);
clsolve_status cls_lu_async_failed(cls_direct *direct, int *again);

#endif
