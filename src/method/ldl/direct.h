/* direct.h: LDL^T as a direct method (method/direct/direct.h): what its table of operations does, and the calls that it
 * alone has. */
#ifndef CLS_LDL_DIRECT_H
#define CLS_LDL_DIRECT_H

#include "method/async.h"
#include "method/direct/direct.h"
#include "method/ldl/ldl.h"

/* Takes all that a handle needs; `options` and `ldl` (zeroed memory) stay where they are. On failure the caller still
 * calls cls_direct_release and then cls_ldl_release. */
clsolve_status cls_ldl_direct_setup(cls_device *device, int64_t n, clsolve_type type,
                                    const clsolve_ldl_options *options, cls_ldl *ldl, cls_direct *direct);

/* ---- export.c: in the lower triangle of a matrix on the host ---- */

/* The factors of A itself as sytrf_rook leaves them, with partial pivots sytrf, in the type of the factors in use. */
clsolve_status cls_ldl_export(cls_direct *direct, const char *call, const clsolve_matrix *F, int64_t *ipiv);
/* cls_direct_ops.import; the pivots are in range. */
clsolve_status cls_ldl_import(cls_direct *direct, const clsolve_matrix *F, const int64_t *ipiv);
/* sytrf's n pivots become sytrf_rook's. */
void cls_ldl_from_partial(int64_t n, int64_t *ipiv);
/* LAPACK's factors at T with leading dimension `ld`, whose exchanges are in ldl->ipiv, become those of ldl.h. D goes to
 * ldl->d and ldl->e. */
void cls_ldl_take_exchanges(cls_ldl *ldl, void *T, int64_t ld);

/* ---- async.c: matrices of the caller's on the device, enqueued without waiting: method/async.h ---- */

/* cls_direct_ops.enqueue, .solve_enqueue, .state and .finish. */
clsolve_status cls_ldl_async_factor(cls_direct *direct, cls_async *async, const clsolve_matrix *A);
cls_buffer *cls_ldl_async_state(const cls_direct *direct);
clsolve_status cls_ldl_async_finish(cls_direct *direct, cls_async_outcome *outcome);

/* ---- invert.c ---- */

/* The triangle `uplo` of X; on any status but OK X is as it was. */
clsolve_status cls_ldl_invert(cls_direct *direct, const char *call, clsolve_uplo uplo, const clsolve_matrix *X);

#endif
