/*
 * once.h (private): handles that stay with the context from one call of clsolve_solve to the next, one of each
 * family, under its lock. A handle takes and gives back some ten pieces of memory: longer than the work where few
 * rows are factored. It serves calls of the same order, type, place and
 * options. It has at most 64 rows on the host; on the device 512 KB of matrix and of right-hand sides each, or a
 * thousandth of its memory where that is more. A device that works in the host's memory keeps none for matrices there.
 */
#ifndef CLS_API_ONCE_H
#define CLS_API_ONCE_H

#include "api/handle.h"

/* For options of dense LU or Cholesky: all are defaults but those that cls_once has, and pivoting. */
#define CLS_ONCE_IS_PLAIN(o)                                                                                           \
    ((o)->panel == CLSOLVE_PANEL_AUTO && (o)->block == 0 && (o)->slab_bytes == 0 && !(o)->progress &&                  \
     (o)->precision != CLSOLVE_PRECISION_MIXED && !(o)->equilibrate && !(o)->refine && (o)->memory_limit == 0)

/* The handle for a call with A, whose options are plain; NULL: there is none. The choice between device and host is
 * made as for a new handle. This one and the next stand between cls_enter and cls_leave. */
cls_handle *cls_once_find(clsolve_context *context, cls_once_family family, const cls_once *wanted,
                          const clsolve_matrix *A);
/* The handle does not stay. */
void cls_once_take(clsolve_context *context, cls_once_family family);
/* After the call: the handle, which has solved with A and has room of so many bytes for right-hand sides, stays, and
 * the one before it is destroyed. A handle that may not stay, because its options are not plain, the call failed or it
 * is not small, is destroyed itself. */
void cls_once_keep(cls_handle *handle, cls_once_family family, const cls_once *of, const clsolve_matrix *A,
                   int64_t sides, int may_stay);

/* Destroys all that have stayed. */
void cls_once_release(clsolve_context *context);

#endif
