/* gauss_jordan.h (private): what a clsolve_gauss_jordan is, for the files that serve it. */
#ifndef CLS_API_GAUSS_JORDAN_H
#define CLS_API_GAUSS_JORDAN_H

#include <clsolve/gauss_jordan.h>

#include "api/context.h"
#include "api/where.h"
#include "base/clock.h"
#include "method/gauss_jordan/whole.h"

struct clsolve_gauss_jordan {
    clsolve_context *context;
    cls_choice choice; /* on the device, or on the host */
    cls_gj gj;
    clsolve_status status; /* of the last call, and what came of it */
    cls_error message;     /* see enqueue.h */
    cls_gj_outcome last;
    int64_t nrhs;
    int64_t device_bytes;
    double create_seconds, build_seconds;
    cls_counters before; /* the device's when it began */
    double start;
    cls_counters moved; /* what it has moved */
};

/* Every call that computes stands between these two; `end` returns `status` and gives the context's lock back. */
void cls_gauss_jordan_begin(clsolve_gauss_jordan *handle);

/* The first step of `end`: the time and the transfers of the call. */
void cls_gauss_jordan_account(clsolve_gauss_jordan *handle);

/* The arguments are valid; and the work of a call whose arguments are. */
clsolve_status cls_gauss_jordan_check_solve(clsolve_gauss_jordan *handle, const char *call, clsolve_op op,
                                            const clsolve_matrix *A, const clsolve_matrix *B);
clsolve_status cls_gauss_jordan_solve_now(clsolve_gauss_jordan *handle, clsolve_op op, const clsolve_matrix *A,
                                          const clsolve_matrix *B);
clsolve_status cls_gauss_jordan_check_invert(clsolve_gauss_jordan *handle, const char *call, const clsolve_matrix *A,
                                             const clsolve_matrix *X);
clsolve_status cls_gauss_jordan_invert_now(clsolve_gauss_jordan *handle, const clsolve_matrix *A,
                                           const clsolve_matrix *X);

#endif
