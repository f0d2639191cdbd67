/* lu.h (private): what a clsolve_lu is. */
#ifndef CLS_API_LU_H
#define CLS_API_LU_H

#include <clsolve/lu.h>

#include "api/context.h"
#include "method/lu/async.h"
#include "method/lu/lu.h"

struct clsolve_lu {
    clsolve_context *context;
    clsolve_lu_options options;
    cls_lu lu;
    int factored;           /* lu.A holds the factors of the last matrix, whatever `outcome` says of them */
    clsolve_status outcome; /* of the last factorization */
    clsolve_status status;  /* of the last call */
    int64_t info, nrhs;
    int64_t state_bytes; /* device memory beside the matrices */
    double create_seconds, build_seconds;
    clsolve_seconds factor_seconds, solve_seconds; /* of the last one each */
    cls_counters factor_counts, solve_counts;      /* what each has moved */

    /* What was enqueued and has not been asked for: see lu_enqueue.c. */
    cls_lu_async async;
    int pending_factor, pending_solve;
};

/* NaN or Inf in a matrix as a failure: names the element. */
clsolve_status cls_lu_nonfinite(clsolve_lu *lu, clsolve_status status, const char *what, int64_t row, int64_t column);

/* The factors are there and no pivot is zero; else why not. */
clsolve_status cls_lu_validate_state(clsolve_lu *lu, const char *call);

/* Waits for what was enqueued, if anything was, and takes its outcome over: every call on the handle begins so. */
clsolve_status cls_lu_settle(clsolve_lu *lu);

#endif
