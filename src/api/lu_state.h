/* lu_state.h (private): what a clsolve_lu is, and what the files of its calls share. */
#ifndef CLS_API_LU_STATE_H
#define CLS_API_LU_STATE_H

#include <clsolve/lu.h>

#include "api/context.h"
#include "api/where.h"
#include "method/lu/async.h"
#include "method/lu/direct.h"
#include "method/many/direct.h"

struct clsolve_lu {
    clsolve_context *context;
    clsolve_lu_options options;
    cls_choice choice;     /* on the device, or on the host */
    cls_lu lu;             /* over several devices its order and type alone */
    cls_many many;         /* the factors over several devices; zeroed: there is one */
    cls_direct direct;     /* what became of the factorization, and what makes its answers accurate */
    clsolve_status status; /* of the last call */
    /* The work that was enqueued and has not been asked for: see lu_enqueue.c. */
    cls_async async;
    int pending_factor, pending_solve;
    cls_error message; /* the line that belongs to `status`, when that is an enqueued call's; else empty */
};

/* ---- lu_many.c ---- */

static inline int cls_lu_is_many(const clsolve_lu *lu) {
    return lu->many.count > 0;
}

/* Whether a handle of that order works on all devices of its context, whose choice has been made. */
int cls_lu_wants_many(const clsolve_lu *lu, int64_t n);
clsolve_status cls_lu_many_setup(clsolve_lu *lu, int64_t n, clsolve_type type);
void cls_lu_many_release(clsolve_lu *lu);
/* For a call that one device alone does. */
clsolve_status cls_lu_many_refuse(clsolve_lu *lu, const char *call);

/* ---- lu_state.c ---- */

/* The factors are there and no pivot is zero; else why not. */
clsolve_status cls_lu_validate_state(clsolve_lu *lu, const char *call);

/* A matrix on the device is refused where the handle takes none. */
clsolve_status cls_lu_validate_place(clsolve_lu *lu, const char *call, const clsolve_matrix *m);

/* The type of the factors that answer now. */
clsolve_type cls_lu_type_in_use(const clsolve_lu *lu);

/* Writes the report of clsolve_lu_report. Between cls_enter and cls_leave. */
void cls_lu_write_report(const clsolve_lu *lu, clsolve_report *report);

/* Waits for what was enqueued, if anything was, and takes its outcome over: every call on the handle begins so. */
clsolve_status cls_lu_settle(clsolve_lu *lu);

/* The square matrix that takes as many operations as an m x n one, for the model of the time. */
cls_task cls_lu_task_of(int64_t m, int64_t n, clsolve_type type);

/* The work of a call whose arguments are valid, while the caller waits. Between cls_enter and cls_leave. */
clsolve_status cls_lu_factor_now(clsolve_lu *lu, const clsolve_matrix *A);
clsolve_status cls_lu_solve_now(clsolve_lu *lu, clsolve_op op, const clsolve_matrix *B);

#endif
