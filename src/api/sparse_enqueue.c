/* sparse_enqueue.c: the enqueueing calls of sparse systems, and the call for their outcome. Where the host has to
 * decide between the launches, they work before they return. */
#include "api/enqueue.h"
#include "api/sparse.h"

clsolve_status clsolve_sparse_status(clsolve_sparse *sparse) {
    CLS_TRY(cls_head_enter((cls_head *)sparse));
    cls_sparse_settle_pending(sparse);
    return cls_leave(sparse->head.context,
                     cls_enqueue_tell(sparse->head.context, sparse->head.status, &sparse->head.message));
}

static clsolve_status check_place(clsolve_sparse *sparse, const cls_enqueue *how, const char *name,
                                  const clsolve_matrix *view) {
    return cls_enqueue_check(sparse->head.context, how, "matrix", 1, &name, &view->place);
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

static clsolve_status factor_enqueued(clsolve_sparse *sparse, const char *call, const clsolve_matrix *values) {
    int taken;
    clsolve_status status = factor_ahead(sparse, values, &taken);
    if (status == CLSOLVE_OK && !taken) {
        cls_sparse_settle_pending(sparse);
        status = cls_sparse_factor_now(sparse, call, NULL, values);
        /* The caller does not know the outcome yet: no solve may go by the factors of before. */
        if (status == CLSOLVE_ERROR_NONFINITE) cls_sparse_begin_factors(&sparse->engine);
    }
    sparse->head.outcome = cls_enqueue_is_outcome(status) ? status : CLSOLVE_OK;
    return status;
}

clsolve_status clsolve_sparse_factor_values_enqueue(clsolve_sparse *sparse, const clsolve_matrix *values,
                                                    const clsolve_events *events) {
    const cls_enqueue how = cls_enqueue_as("clsolve_sparse_factor_values_enqueue", events);
    CLS_TRY(cls_head_enter((cls_head *)sparse));
    clsolve_status status = cls_sparse_check_array(sparse, how.call, values);
    if (status == CLSOLVE_OK) status = check_place(sparse, &how, "values", values);
    if (status == CLSOLVE_OK) status = cls_head_begin(&sparse->head, &how);
    if (status == CLSOLVE_OK) status = factor_enqueued(sparse, how.call, values);
    return cls_head_end(&sparse->head, &how, status);
}

/* A solve before may have factored with stricter pivots, or on the host, and have come to no factors. */
static clsolve_status check_factors(clsolve_sparse *sparse, const char *call) {
    cls_head *head = &sparse->head;
    if (head->outcome != CLSOLVE_OK) return CLSOLVE_OK;
    const clsolve_status status = cls_sparse_check_factors(&head->context->error, call, &sparse->engine);
    if (!cls_enqueue_is_outcome(status)) return status;
    head->outcome = status;
    cls_enqueue_save(head->context, status, &head->message);
    return CLSOLVE_OK;
}

static clsolve_status solve_enqueued(clsolve_sparse *sparse, const char *call, clsolve_op op, clsolve_matrix *B) {
    int taken;
    CLS_TRY(solve_ahead(sparse, op, B, &taken));
    if (taken) return CLSOLVE_OK;
    cls_sparse_settle_pending(sparse);
    return cls_sparse_solve_now(sparse, call, op, B);
}

clsolve_status clsolve_sparse_solve_enqueue(clsolve_sparse *sparse, clsolve_op op, clsolve_matrix *B,
                                            const clsolve_events *events) {
    const cls_enqueue how = cls_enqueue_as("clsolve_sparse_solve_enqueue", events);
    CLS_TRY(cls_head_enter((cls_head *)sparse));
    clsolve_status status = cls_sparse_check_sides(sparse, how.call, op, B);
    if (status == CLSOLVE_OK) status = check_place(sparse, &how, "B", B);
    if (status == CLSOLVE_OK && !cls_sparse_may_solve_ahead(&sparse->engine, B)) cls_sparse_settle_pending(sparse);
    if (status == CLSOLVE_OK) status = check_factors(sparse, how.call);
    if (status == CLSOLVE_OK && sparse->head.outcome != CLSOLVE_OK) return cls_head_tell_outcome(&sparse->head, &how);
    if (status == CLSOLVE_OK) status = cls_head_begin(&sparse->head, &how);
    if (status == CLSOLVE_OK) status = solve_enqueued(sparse, how.call, op, B);
    return cls_head_end(&sparse->head, &how, status);
}
