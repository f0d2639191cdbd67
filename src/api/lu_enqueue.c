/* lu_enqueue.c: the calls that enqueue and don't wait, and the one that asks how they went. */
#include "api/lu_enqueue.h"

#include <string.h>

#include "api/validate.h"

/* Without it the call does its work while the caller waits. */
static int runs_ahead(const clsolve_lu *lu) {
    return !cls_in_place(lu->context->device) && !lu->lu.panel.hybrid && lu->lu.out.slab == 0 && !lu->direct.copies &&
           !lu->options.equilibrate && !lu->options.rcond;
}

/* ---- how it went ---- */

clsolve_status clsolve_lu_status(clsolve_lu *lu) {
    if (!lu) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    cls_enter(lu->context);
    clsolve_status status = cls_lu_settle(lu);
    if (lu->message.text[0]) lu->context->error = lu->message;
    return cls_leave(lu->context, status);
}

/* ---- enqueueing ---- */

static clsolve_status validate(clsolve_lu *lu, const cls_enqueue *how, const char *argument, const clsolve_matrix *m,
                               int64_t cols) {
    cls_error *error = &lu->context->error;
    CLS_TRY(cls_validate_matrix(error, how->call, argument, m, lu->direct.type, lu->lu.n, cols));
    if (strcmp(lu->context->device->info.backend, how->backend) != 0)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: the handle's context is on %s", how->call,
                        lu->context->device->info.selector);
    if (m->place != CLSOLVE_ON_DEVICE)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: %s is on the host: give one of %s", how->call,
                        argument, how->matrix);
    if (how->wait.count < 0 || (how->wait.count > 0) != (how->wait.events != NULL))
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: the wait list and its count disagree", how->call);
    for (int32_t e = 0; e < how->wait.count; e++)
        if (!how->wait.events[e])
            return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: event %d of the wait list is NULL", how->call,
                            (int)e);
    return cls_lu_validate_place(lu, how->call, m); /* before anything waits for the list */
}

/* An outcome of the numbers is no failure to enqueue: clsolve_lu_status tells it. */
static clsolve_status enqueued(clsolve_status status) {
    return status > 0 || status == CLSOLVE_ERROR_NONFINITE ? CLSOLVE_OK : status;
}

/* The factorization is known to have come to no factors: there is nothing to solve, and its outcome is the one to
 * tell. */
static int nothing_to_solve(const clsolve_lu *lu) {
    return !lu->pending_factor && lu->direct.outcome != CLSOLVE_OK && enqueued(lu->direct.outcome) == CLSOLVE_OK;
}

static void begin_factor(clsolve_lu *lu) {
    cls_direct_forget(&lu->direct);
    lu->pending_factor = lu->pending_solve = 0;
    lu->status = CLSOLVE_OK;
    lu->message.text[0] = 0;
}

clsolve_status cls_lu_enqueue_factor(clsolve_lu *lu, const clsolve_matrix *A, const cls_enqueue *how) {
    if (how->done) *how->done = NULL;
    if (!lu) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    cls_enter(lu->context);
    clsolve_status status = validate(lu, how, "A", A, lu->lu.n);
    if (status != CLSOLVE_OK) return cls_leave(lu->context, status); /* what is to be told of calls before stays */
    status = cls_lu_async_wait(&lu->lu, &how->wait);
    if (status == CLSOLVE_OK && runs_ahead(lu)) {
        begin_factor(lu);
        status = cls_lu_async_factor(&lu->lu, &lu->async, A);
        lu->direct.factored = lu->pending_factor = status == CLSOLVE_OK;
    } else if (status == CLSOLVE_OK) {
        (void)cls_leave(lu->context, status);
        status = enqueued(clsolve_lu_factor(lu, A));
        cls_enter(lu->context);
        cls_lu_save_message(lu);
    }
    if (status == CLSOLVE_OK) status = cls_lu_async_flush(&lu->lu, how->done);
    if (status != CLSOLVE_OK) lu->status = status;
    return cls_leave(lu->context, status);
}

clsolve_status cls_lu_enqueue_solve(clsolve_lu *lu, clsolve_op op, clsolve_matrix *B, const cls_enqueue *how) {
    if (how->done) *how->done = NULL;
    if (!lu) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    cls_enter(lu->context);
    clsolve_status status = cls_validate_op(&lu->context->error, how->call, op);
    if (status == CLSOLVE_OK) status = validate(lu, how, "B", B, -1);
    int nothing = nothing_to_solve(lu);
    if (status == CLSOLVE_OK && !lu->pending_factor && !nothing) status = cls_lu_validate_state(lu, how->call);
    if (status != CLSOLVE_OK) return cls_leave(lu->context, status);
    status = cls_lu_async_wait(&lu->lu, &how->wait);
    if (status == CLSOLVE_OK && nothing) {
        lu->status = lu->direct.outcome;
    } else if (status == CLSOLVE_OK && runs_ahead(lu)) {
        lu->direct.nrhs = B->cols;
        status = cls_lu_async_solve(&lu->lu, &lu->async, op, B, lu->pending_factor);
        if (status == CLSOLVE_OK) lu->pending_solve = 1;
    } else if (status == CLSOLVE_OK) {
        (void)cls_leave(lu->context, status);
        status = enqueued(clsolve_lu_solve(lu, op, B));
        cls_enter(lu->context);
        cls_lu_save_message(lu);
    }
    if (status == CLSOLVE_OK) status = cls_lu_async_flush(&lu->lu, how->done);
    if (status != CLSOLVE_OK) lu->status = status;
    return cls_leave(lu->context, status);
}
