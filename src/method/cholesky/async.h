/* async.h: Cholesky on matrices of the caller's on the device, enqueued without waiting: method/async.h. */
#ifndef CLS_CHOLESKY_ASYNC_H
#define CLS_CHOLESKY_ASYNC_H

#include "method/async.h"
#include "method/cholesky/cholesky.h"

/* The triangle cholesky->uplo of A. */
clsolve_status cls_cholesky_async_factor(cls_cholesky *cholesky, cls_async *async, const clsolve_matrix *A);
/* B is overwritten only when nothing went wrong, with `after_factor` from the enqueued factorization on. */
clsolve_status cls_cholesky_async_solve(cls_cholesky *cholesky, cls_async *async, const clsolve_matrix *B,
                                        int after_factor);

#endif
