/*
 * identity.h: the inverse as a solve for the identity, on the device or by way of the host.
 */
#ifndef CLS_IDENTITY_H
#define CLS_IDENTITY_H

#include "method/direct/direct.h"

/* The first `cols` columns of B, all rows, become those of the identity from column `first` on. Waits. */
clsolve_status cls_identity_put(cls_device *device, const cls_matrix *B, int64_t first, int64_t cols);

/* *T becomes a square of X's order and type on the host, by columns and tight, of zeros. The caller frees T->data. */
clsolve_status cls_identity_room(const cls_direct *direct, const char *call, const clsolve_matrix *X,
                                 clsolve_matrix *T);
/* Ones on the diagonal of such a square. */
void cls_identity_ones(const clsolve_matrix *T);

clsolve_status cls_identity_overflow(const cls_direct *direct, const char *call);

/* X becomes the inverse by cls_direct_solve; on any status but OK it is as it was. */
clsolve_status cls_identity_solve(cls_direct *direct, const char *call, const clsolve_matrix *X);
/* T, which is the inverse if `status` is OK, goes to X if it is finite, and is freed. */
clsolve_status cls_identity_deliver(const cls_direct *direct, const char *call, clsolve_status status,
                                    const clsolve_matrix *T, const clsolve_matrix *X);

#endif
