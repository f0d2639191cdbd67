/* sparse_enqueue.c: the enqueueing calls of sparse systems, and the call for their outcome. Where the host has to
 * decide between the launches, they work before they return. */
#include "api/enqueue.h"
#include "api/sparse.h"

clsolve_status clsolve_sparse_status(clsolve_sparse *sparse) {
    if (!sparse) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(sparse->context));
    cls_sparse_settle_pending(sparse);
    return cls_leave(sparse->context, cls_enqueue_tell(sparse->context, sparse->status, &sparse->message));
}

/* *taken 0: the call has to wait. */
static clsolve_status factor_ahead(clsolve_sparse *sparse, const clsolve_matrix *values, int *taken) {
    *taken = 0;
    if (!cls_sparse_may_factor_ahead(&sparse->engine, values)) return CLSOLVE_OK;
    const clsolve_status status = cls_sparse_factor_ahead(&sparse->engine, values, taken);
    if (status != CLSOLVE_OK) *taken = 1;
    if (!*taken) return status;
    cls_sparse_begin_call(sparse, 1);
    sparse->pending_factor = status == CLSOLVE_OK;
    sparse->pending_solve = 0;
    return status;
}

static clsolve_status solve_ahead(clsolve_sparse *sparse, clsolve_op op, const clsolve_matrix *B, int *taken) {
    *taken = 0;
    if (!cls_sparse_may_solve_ahead(&sparse->engine, B)) return CLSOLVE_OK;
    const clsolve_status status =
        cls_sparse_solve_ahead(&sparse->engine, op, B, cls_sparse_promised(&sparse->engine), taken);
    if (status != CLSOLVE_OK) *taken = 1;
    if (!*taken) return status;
    cls_sparse_begin_call(sparse, 0);
    sparse->nrhs = B->cols;
    sparse->pending_solve = status == CLSOLVE_OK;
    return status;
}

clsolve_status clsolve_sparse_factor_values_enqueue(clsolve_sparse *sparse, const clsolve_matrix *values,
                                                    const clsolve_events *events) {
    const cls_enqueue how = cls_enqueue_as("clsolve_sparse_factor_values_enqueue", events);
    if (!sparse) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = sparse->context;
    CLS_TRY(cls_enter(context));
    clsolve_status status = cls_sparse_check_array(sparse, how.call, values);
    if (status == CLSOLVE_OK) status = cls_enqueue_check(context, &how);
    if (status == CLSOLVE_OK) status = cls_enqueue_check_place(context, &how, "values", "matrix", values->place);
    if (status != CLSOLVE_OK) return cls_leave(context, status);
    int taken = 0;
    status = cls_enqueue_begin(context, &how);
    if (status == CLSOLVE_OK) status = factor_ahead(sparse, values, &taken);
    if (status == CLSOLVE_OK && !taken) {
        cls_sparse_settle_pending(sparse);
        status = cls_sparse_factor_now(sparse, how.call, NULL, values);
        /* The caller does not know the outcome yet: no solve may go by the factors of before. */
        if (status == CLSOLVE_ERROR_NONFINITE) cls_sparse_begin_factors(&sparse->engine);
    }
    sparse->outcome = cls_enqueue_is_outcome(status) ? status : CLSOLVE_OK;
    return cls_leave(context, cls_enqueue_end(context, &how, status, &sparse->status, &sparse->message));
}

clsolve_status clsolve_sparse_solve_enqueue(clsolve_sparse *sparse, clsolve_op op, clsolve_matrix *B,
                                            const clsolve_events *events) {
    const cls_enqueue how = cls_enqueue_as("clsolve_sparse_solve_enqueue", events);
    if (!sparse) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = sparse->context;
    CLS_TRY(cls_enter(context));
    clsolve_status status = cls_sparse_check_sides(sparse, how.call, op, B);
    if (status == CLSOLVE_OK) status = cls_enqueue_check(context, &how);
    if (status == CLSOLVE_OK) status = cls_enqueue_check_place(context, &how, "B", "matrix", B->place);
    if (status == CLSOLVE_OK && !cls_sparse_may_solve_ahead(&sparse->engine, B)) cls_sparse_settle_pending(sparse);
    if (status == CLSOLVE_OK && sparse->outcome == CLSOLVE_OK) {
        status = cls_sparse_check_factors(&context->error, how.call, &sparse->engine);
        if (cls_enqueue_is_outcome(status)) { /* a solve before has factored with stricter pivots, or on the host */
            sparse->outcome = status;
            cls_enqueue_save(context, status, &sparse->message);
            status = CLSOLVE_OK;
        }
    }
    if (status != CLSOLVE_OK) return cls_leave(context, status);
    if (sparse->outcome != CLSOLVE_OK)
        return cls_leave(context,
                         cls_enqueue_nothing(context, &how, sparse->outcome, &sparse->status, &sparse->message));
    int taken = 0;
    status = cls_enqueue_begin(context, &how);
    if (status == CLSOLVE_OK) status = solve_ahead(sparse, op, B, &taken);
    if (status == CLSOLVE_OK && !taken) {
        cls_sparse_settle_pending(sparse);
        status = cls_sparse_solve_now(sparse, how.call, op, B);
    }
    return cls_leave(context, cls_enqueue_end(context, &how, status, &sparse->status, &sparse->message));
}
