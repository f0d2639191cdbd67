/* lu_enqueue.h: factor and solve enqueued, for the calls of clsolve/opencl.h and clsolve/cuda.h. */
#ifndef CLS_API_LU_ENQUEUE_H
#define CLS_API_LU_ENQUEUE_H

#include "api/context.h"
#include "api/lu.h"

/* How a caller asked for it. */
typedef struct cls_enqueue {
    const char *call, *backend, *matrix; /* the public call; the backend that it is for, and that one's views */
    cls_wait wait;                       /* the backend's own events */
    cls_event **done;                    /* receives one that the caller releases; may be NULL */
} cls_enqueue;

clsolve_status cls_lu_enqueue_factor(clsolve_lu *lu, const clsolve_matrix *A, const cls_enqueue *how);
clsolve_status cls_lu_enqueue_solve(clsolve_lu *lu, clsolve_op op, clsolve_matrix *B, const cls_enqueue *how);

#endif
