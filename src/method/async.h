/*
 * async.h: how a dense factorization and a solve went that were enqueued without waiting: what was found stays on the
 * device until it is asked for, and right-hand sides are overwritten only where all went well. For providers whose BLAS
 * runs on the device, and matrices in its memory.
 *
 *     factor     forget(0), the caller's A to the device, search(A), factor, search(FACTORS)
 *     solve      forget(B), the caller's B to the device, search(B), solve, search(X), deliver
 *     outcome    waits
 */
#ifndef CLS_METHOD_ASYNC_H
#define CLS_METHOD_ASYNC_H

#include "device/matrix.h"
#include "method/check.h"

/* The words that say where the first NaN or Inf was. */
enum { CLS_ASYNC_A, CLS_ASYNC_FACTORS, CLS_ASYNC_B, CLS_ASYNC_X, CLS_ASYNC_WORDS };

/* A zeroed one is valid to release. */
typedef struct cls_async {
    cls_kernel *least, *take, *deliver;
    cls_buffer *words; /* as in cl/verdict.cl */
    int64_t lanes;
} cls_async;

/* The places that were found; -1: none. Elements are numbered i + j * rows. */
typedef struct cls_async_outcome {
    int64_t found[CLS_ASYNC_WORDS];
    int64_t info; /* as LAPACK's */
} cls_async_outcome;

/* Does nothing where that is done. */
clsolve_status cls_async_setup(cls_device *device, clsolve_type type, cls_async *async);
void cls_async_release(cls_device *device, cls_async *async);

/* The words from `first` on: nothing found yet. */
clsolve_status cls_async_forget(cls_device *device, cls_async *async, int64_t first);
/* The first NaN or Inf of the columns 0 .. cols-1, or of the lower triangle of them, into that word. */
clsolve_status cls_async_search(cls_device *device, cls_async *async, cls_check *check, const cls_matrix *matrix,
                                int64_t cols, cls_check_part part, int64_t word);
/* All words and `info` from the record of a factorization by lu_small.cl, in the place of what forget(0) and searches
 * do. */
clsolve_status cls_async_take(cls_device *device, cls_async *async, cls_buffer *record, cls_buffer *info);
/* X's columns into the caller's B on the device, unless a word or `info`, one int64_t, says that something went
 * wrong. info: NULL where the host knows that the factorization succeeded; what the buffer holds then may be of
 * another one, because factorizations that are waited for, and factors that are imported, need not write it. */
clsolve_status cls_async_deliver(cls_device *device, cls_async *async, cls_buffer *info, const cls_matrix *X,
                                 const clsolve_matrix *B);
/* Waits. */
clsolve_status cls_async_wait(cls_device *device, cls_async *async, cls_buffer *info, cls_async_outcome *outcome);

#endif
