/* lu_enqueue.c: the calls that enqueue and don't wait, and the one that asks how they went. */
#include "api/lu_enqueue.h"

#include <string.h>

#include "api/validate.h"

/* Without it the call does its work while the caller waits. */
static int runs_ahead(const clsolve_lu *lu) {
    return !cls_in_place(lu->context->device) && !lu->lu.hybrid && lu->lu.out.slab == 0 && !lu->refined.device &&
           !lu->options.equilibrate && !lu->options.rcond;
}

/* ---- what was enqueued before ---- */

static clsolve_status nonfinite_at(clsolve_lu *lu, clsolve_status status, const char *what, int64_t index) {
    return cls_nonfinite(lu->context, status, what, index % lu->lu.n, index / lu->lu.n);
}

static clsolve_status take_factor(clsolve_lu *lu, const cls_lu_outcome *o) {
    lu->info = o->info;
    if (o->in_A >= 0) {
        lu->factored = 0;
        return nonfinite_at(lu, CLSOLVE_ERROR_NONFINITE, "clsolve_lu_factor_enqueue: A", o->in_A);
    }
    if (o->in_factors >= 0) return nonfinite_at(lu, CLSOLVE_OVERFLOW, "clsolve_lu_factor_enqueue: L\\U", o->in_factors);
    if (o->info > 0) return cls_singular(lu->context, "clsolve_lu_factor_enqueue", o->info);
    return CLSOLVE_OK;
}

static clsolve_status take_solve(clsolve_lu *lu, const cls_lu_outcome *o) {
    if (!lu->factored || lu->outcome != CLSOLVE_OK) return lu->outcome;
    if (o->in_B >= 0) return nonfinite_at(lu, CLSOLVE_ERROR_NONFINITE, "clsolve_lu_solve_enqueue: B", o->in_B);
    if (o->in_X >= 0) return nonfinite_at(lu, CLSOLVE_OVERFLOW, "clsolve_lu_solve_enqueue: X", o->in_X);
    return CLSOLVE_OK;
}

/* Calls that fail in between write their own line over the one that belongs to the outcome. */
static void keep_message(clsolve_lu *lu) {
    lu->told = lu->context->error;
    if (lu->status == CLSOLVE_OK) lu->told.text[0] = 0;
}

clsolve_status cls_lu_settle(clsolve_lu *lu) {
    cls_lu_outcome o;
    if (!lu->pending_factor && !lu->pending_solve) return lu->status;
    clsolve_status status = cls_lu_async_outcome(&lu->lu, &lu->async, &o);
    if (status == CLSOLVE_OK) {
        if (lu->pending_factor) status = lu->outcome = take_factor(lu, &o);
        if (lu->pending_solve) status = take_solve(lu, &o);
    } else {
        lu->factored = 0; /* nobody knows */
    }
    lu->pending_factor = lu->pending_solve = 0;
    lu->status = status;
    keep_message(lu);
    return status;
}

clsolve_status clsolve_lu_status(clsolve_lu *lu) {
    if (!lu) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    cls_enter(lu->context);
    clsolve_status status = cls_lu_settle(lu);
    if (lu->told.text[0]) lu->context->error = lu->told;
    return cls_leave(lu->context, status);
}

/* ---- enqueueing ---- */

static clsolve_status validate(clsolve_lu *lu, const cls_enqueue *how, const char *argument, const clsolve_matrix *m,
                               int64_t cols) {
    cls_error *error = &lu->context->error;
    CLS_TRY(cls_validate_matrix(error, how->call, argument, m, lu->type, lu->lu.n, cols));
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

static clsolve_status wait_for(clsolve_lu *lu, const cls_wait *wait) {
    cls_device *device = lu->context->device;
    for (int32_t e = 0; e < wait->count; e++) CLS_TRY(device->ops->queue_wait(device, CLS_COMPUTE, wait->events[e]));
    return CLSOLVE_OK;
}

/* The event that is owed, and the queue sent off. */
static clsolve_status close_up(clsolve_lu *lu, cls_event **done) {
    cls_device *device = lu->context->device;
    if (done) CLS_TRY(device->ops->mark(device, CLS_COMPUTE, done));
    return device->ops->flush(device, CLS_COMPUTE);
}

/* An outcome of the numbers is no failure to enqueue: clsolve_lu_status tells it. */
static clsolve_status enqueued(clsolve_status status) {
    return status > 0 || status == CLSOLVE_ERROR_NONFINITE ? CLSOLVE_OK : status;
}

/* The factorization is known to have come to no factors: there is nothing to solve, and its outcome is the one to tell. */
static int nothing_to_solve(const clsolve_lu *lu) {
    return !lu->pending_factor && lu->outcome != CLSOLVE_OK && enqueued(lu->outcome) == CLSOLVE_OK;
}

static void begin_factor(clsolve_lu *lu) {
    lu->factored = lu->pending_factor = lu->pending_solve = 0;
    cls_lu_trust_forget(lu);
    lu->scaling.rows = 0; /* what a factorization before may have needed: nothing is scaled here */
    lu->scaling.uniform = 1;
    lu->info = lu->nrhs = 0;
    lu->status = lu->outcome = CLSOLVE_OK;
    lu->told.text[0] = 0;
    memset(&lu->costs.factor, 0, sizeof lu->costs.factor);
    memset(&lu->costs.solve, 0, sizeof lu->costs.solve);
    memset(&lu->costs.factor_moved, 0, sizeof lu->costs.factor_moved);
    memset(&lu->costs.solve_moved, 0, sizeof lu->costs.solve_moved);
}

clsolve_status cls_lu_enqueue_factor(clsolve_lu *lu, const clsolve_matrix *A, const cls_enqueue *how) {
    if (how->done) *how->done = NULL;
    if (!lu) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    cls_enter(lu->context);
    clsolve_status status = validate(lu, how, "A", A, lu->lu.n);
    if (status != CLSOLVE_OK) return cls_leave(lu->context, status); /* what is to be told of calls before stays */
    status = wait_for(lu, &how->wait);
    if (status == CLSOLVE_OK && runs_ahead(lu)) {
        begin_factor(lu);
        status = cls_lu_async_factor(&lu->lu, &lu->async, A);
        lu->factored = lu->pending_factor = status == CLSOLVE_OK;
    } else if (status == CLSOLVE_OK) {
        (void)cls_leave(lu->context, status);
        status = enqueued(clsolve_lu_factor(lu, A));
        cls_enter(lu->context);
        keep_message(lu);
    }
    if (status == CLSOLVE_OK) status = close_up(lu, how->done);
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
    status = wait_for(lu, &how->wait);
    if (status == CLSOLVE_OK && nothing) {
        lu->status = lu->outcome;
    } else if (status == CLSOLVE_OK && runs_ahead(lu)) {
        lu->nrhs = B->cols;
        status = cls_lu_async_solve(&lu->lu, &lu->async, op, B, lu->pending_factor);
        if (status == CLSOLVE_OK) lu->pending_solve = 1;
    } else if (status == CLSOLVE_OK) {
        (void)cls_leave(lu->context, status);
        status = enqueued(clsolve_lu_solve(lu, op, B));
        cls_enter(lu->context);
        keep_message(lu);
    }
    if (status == CLSOLVE_OK) status = close_up(lu, how->done);
    if (status != CLSOLVE_OK) lu->status = status;
    return cls_leave(lu->context, status);
}
