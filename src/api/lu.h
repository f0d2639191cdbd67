/* lu.h (private): what a clsolve_lu is, and what lu_trust.c and lu_enqueue.c do for lu.c. */
#ifndef CLS_API_LU_H
#define CLS_API_LU_H

#include <clsolve/lu.h>

#include "api/context.h"
#include "api/trust.h"
#include "method/lu/async.h"
#include "method/lu/lu.h"
#include "method/lu/trust.h"

struct clsolve_lu {
    clsolve_context *context;
    clsolve_lu_options options;
    clsolve_type type; /* of the caller's matrices; lu.type is that of the factors */
    cls_lu lu;
    int factored;           /* lu.A holds the factors of the last matrix, whatever `outcome` says of them */
    clsolve_status outcome; /* of the last factorization */
    clsolve_status status;  /* of the last call */
    int64_t info, nrhs;
    int64_t state_bytes; /* device memory beside the matrices */
    cls_costs costs;

    /* Trust. Either `refined` is in use, or `scaling` may be: see cls_lu_take. */
    cls_lu_refined refined;
    cls_scaling scaling;
    cls_measures measures; /* of A as the caller gave it, but for the one number that may multiply all of it */
    double largest;        /* max |a(i,j)| of what was factored */
    cls_lu_verdict verdict;
    double rcond; /* -1: not known */
    int rcond_is_bound;
    cls_refined steps; /* of the last solve */
    /* What was enqueued and has not been asked for: see lu_enqueue.c. */
    cls_lu_async async;
    int pending_factor, pending_solve;
    cls_error told; /* the line that belongs to `status`, when that is an enqueued call's; else empty */
};

/* The factors in use: lu->lu, or the double ones after falling back. */
cls_lu *cls_lu_in_use(clsolve_lu *lu);

/* At create, after cls_lu_setup; and at destroy, before cls_lu_release. */
clsolve_status cls_lu_trust_setup(clsolve_lu *lu);
void cls_lu_trust_release(clsolve_lu *lu);

/* Before a factorization nothing is known. */
void cls_lu_trust_forget(clsolve_lu *lu);

/* A to the device, measured, kept and scaled as the options say. measures.row >= 0: it holds NaN or Inf. */
clsolve_status cls_lu_take(clsolve_lu *lu, const clsolve_matrix *A);

/* Out of core, and cls_lu_take leaves what is to be factored in the memory of the factors. */
int cls_lu_stages(const clsolve_lu *lu);

/* After the factorization: growth, determinant, condition number; float factors that are no use are replaced. */
clsolve_status cls_lu_examine(clsolve_lu *lu);
clsolve_status cls_lu_condition(clsolve_lu *lu);

/* The solve of a handle that refines: vectors on the host, the matrices where they are. */
clsolve_status cls_lu_solve_refined(clsolve_lu *lu, clsolve_op op, const clsolve_matrix *B);

/* The solve of a handle that equilibrates out of core. */
clsolve_status cls_lu_solve_scaled(clsolve_lu *lu, clsolve_op op, const clsolve_matrix *B);

/* The power of two by which A as a whole, and no row or column apart, was multiplied before it was factored: 1 for most. */
double cls_lu_lifted(const clsolve_lu *lu);

void cls_lu_trust_report(const clsolve_lu *lu, clsolve_report *report);
/* The factors are there and no pivot is zero; else why not. */
clsolve_status cls_lu_validate_state(clsolve_lu *lu, const char *call);

/* A matrix on the device is refused where the handle takes none. */
clsolve_status cls_lu_validate_place(clsolve_lu *lu, const char *call, const clsolve_matrix *m);

/* Waits for what was enqueued, if anything was, and takes its outcome over: every call on the handle begins so. */
clsolve_status cls_lu_settle(clsolve_lu *lu);

#endif
