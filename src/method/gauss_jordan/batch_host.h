/* batch_host.h: cls_gj_batch_run on a device without kernels, which is the host. */
#ifndef CLS_GAUSS_JORDAN_BATCH_HOST_H
#define CLS_GAUSS_JORDAN_BATCH_HOST_H

#include "method/gauss_jordan/batch.h"

/* For fewer operations, counted as n^3 for a member's inverse, no thread is woken: it would take longer. */
enum { CLS_GJ_BATCH_SERIAL = 400000 };

/* As cls_gj_batch_run, for a count of at least 1; done when it returns. */
clsolve_status cls_gj_batch_host_run(cls_gj_batch *batch, int64_t rhs, cls_gj_strides a, cls_gj_strides b);

/* One member, which becomes its inverse where rhs is 0, or its right-hand sides their solutions, and its info. They lie
 * in the host's memory; an inverse lies by the strides of B. */
int32_t cls_gj_batch_host_member(const cls_gj_batch *batch, int64_t rhs, void *A, cls_gj_strides a, void *B,
                                 cls_gj_strides b);

#endif
