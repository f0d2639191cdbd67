/* lu_enqueue.c: the calls that enqueue and don't wait, and the one that asks how they went. */
#include "api/enqueue.h"
#include "api/lu_state.h"
#include "api/validate.h"

/* Without it the call does its work while the caller waits. */
static int runs_ahead(const clsolve_lu *lu) {
    return !cls_lu_is_many(lu) && !cls_in_place(lu->context->device) && lu->lu.out.slab == 0 && !lu->direct.copies &&
           !lu->options.equilibrate && !lu->options.rcond;
}

/* ---- how it went ---- */

clsolve_status clsolve_lu_status(clsolve_lu *lu) {
    if (!lu) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(lu->context));
    clsolve_status status = cls_lu_settle(lu);
    return cls_leave(lu->context, cls_enqueue_tell(lu->context, status, &lu->message));
}

/* ---- enqueueing ---- */

static clsolve_status validate(clsolve_lu *lu, const cls_enqueue *how, const char *argument, const clsolve_matrix *m,
                               int64_t cols) {
    CLS_TRY(cls_validate_matrix(&lu->context->error, how->call, argument, m, lu->direct.type, lu->lu.n, cols));
    CLS_TRY(cls_enqueue_check(lu->context, how));
    CLS_TRY(cls_enqueue_check_place(lu->context, how, argument, "matrix", m->place));
    return cls_lu_validate_place(lu, how->call, m); /* before anything waits for the list */
}

/* The factorization is known to have come to no factors: there is nothing to solve, and its outcome is the one to
 * tell. */
static int nothing_to_solve(const clsolve_lu *lu) {
    return !lu->pending_factor && cls_enqueue_is_outcome(lu->direct.outcome);
}

static void begin_factor(clsolve_lu *lu) {
    cls_direct_forget(&lu->direct);
    lu->pending_factor = lu->pending_solve = 0;
    lu->status = CLSOLVE_OK;
    lu->message.text[0] = 0;
}

clsolve_status clsolve_lu_factor_enqueue(clsolve_lu *lu, const clsolve_matrix *A, const clsolve_events *events) {
    const cls_enqueue how = cls_enqueue_as("clsolve_lu_factor_enqueue", events);
    if (!lu) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = lu->context;
    CLS_TRY(cls_enter(context));
    clsolve_status status = validate(lu, &how, "A", A, lu->lu.n);
    if (status != CLSOLVE_OK) return cls_leave(context, status); /* what is to be told of calls before stays */
    status = cls_enqueue_begin(context, &how);
    if (status == CLSOLVE_OK && runs_ahead(lu)) {
        begin_factor(lu);
        status = cls_lu_async_factor(&lu->lu, &lu->async, A);
        lu->direct.factored = lu->pending_factor = status == CLSOLVE_OK;
    } else if (status == CLSOLVE_OK) {
        status = cls_lu_factor_now(lu, A);
    }
    return cls_leave(context, cls_enqueue_end(context, &how, status, &lu->status, &lu->message));
}

clsolve_status clsolve_lu_solve_enqueue(clsolve_lu *lu, clsolve_op op, clsolve_matrix *B,
                                        const clsolve_events *events) {
    const cls_enqueue how = cls_enqueue_as("clsolve_lu_solve_enqueue", events);
    if (!lu) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = lu->context;
    CLS_TRY(cls_enter(context));
    clsolve_status status = cls_validate_op(&context->error, how.call, op);
    if (status == CLSOLVE_OK) status = validate(lu, &how, "B", B, -1);
    int nothing = nothing_to_solve(lu);
    if (status == CLSOLVE_OK && !lu->pending_factor && !nothing) status = cls_lu_validate_state(lu, how.call);
    if (status != CLSOLVE_OK) return cls_leave(context, status);
    if (nothing)
        return cls_leave(context, cls_enqueue_nothing(context, &how, lu->direct.outcome, &lu->status, &lu->message));
    status = cls_enqueue_begin(context, &how);
    if (status == CLSOLVE_OK && runs_ahead(lu)) {
        lu->direct.nrhs = B->cols;
        status = cls_lu_async_solve(&lu->lu, &lu->async, op, B, lu->pending_factor);
        if (status == CLSOLVE_OK) {
            lu->pending_solve = 1;
            return cls_leave(context, cls_enqueue_send(context, &how, &lu->status, &lu->message));
        }
    } else if (status == CLSOLVE_OK) {
        status = cls_lu_solve_now(lu, op, B);
    }
    return cls_leave(context, cls_enqueue_end(context, &how, status, &lu->status, &lu->message));
}
