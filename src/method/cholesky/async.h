/*
 * async.h: Cholesky on matrices of the caller's on the device, enqueued without waiting (method/async.h):
 * cls_direct_ops.enqueue, .solve_enqueue and .state, in core.
 */
#ifndef CLS_CHOLESKY_ASYNC_H
#define CLS_CHOLESKY_ASYNC_H

#include "method/cholesky/direct.h"

clsolve_status cls_cholesky_async_factor(cls_direct *direct, cls_async *async, const clsolve_matrix *A);
clsolve_status cls_cholesky_async_solve(cls_direct *direct, cls_async *async, clsolve_op op, const clsolve_matrix *B,
                                        int after_factor);
cls_buffer *cls_cholesky_async_state(const cls_direct *direct);

#endif
