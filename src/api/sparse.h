/* sparse.h (private): the handle of a sparse system, and what its calls with and without _enqueue share. */
#ifndef CLS_API_SPARSE_H
#define CLS_API_SPARSE_H

#include <clsolve/sparse.h>

#include "api/head.h"
#include "method/sparse/engine.h"

struct clsolve_sparse {
    cls_head head;
    cls_sparse engine;
    int is_open;                       /* the engine is to be closed */
    int pending_factor, pending_solve; /* enqueued, and not looked at */
    double factor_seconds, solve_seconds, build_seconds;
    cls_counters factored, solved; /* what crossed in the last factorization, and in the last solve */
    int64_t nrhs;                  /* of the last solve */
};

/* Waits for what was enqueued and not looked at. Its outcome becomes the status, with its message. */
void cls_sparse_settle_pending(clsolve_sparse *sparse);
/* Within the context. The check changes nothing. */
clsolve_status cls_sparse_check_array(clsolve_sparse *sparse, const char *call, const clsolve_matrix *values);
clsolve_status cls_sparse_check_sides(clsolve_sparse *sparse, const char *call, clsolve_op op, const clsolve_matrix *B);
/* One of A and values, NULL the other. */
clsolve_status cls_sparse_factor_now(clsolve_sparse *sparse, const char *call, const clsolve_csr *A,
                                     const clsolve_matrix *values);
clsolve_status cls_sparse_solve_now(clsolve_sparse *sparse, const char *call, clsolve_op op, clsolve_matrix *B);
/* A call that enqueues alone: what the report has of the call before is forgotten. */
void cls_sparse_begin_call(clsolve_sparse *sparse, int factor);

#endif
