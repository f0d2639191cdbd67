/* sparse_enqueue.c: the enqueueing calls of sparse systems, which work before they return; and the call for their
 * outcome. */
#include "api/enqueue.h"
#include "api/sparse.h"

clsolve_status clsolve_sparse_status(clsolve_sparse *sparse) {
    if (!sparse) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(sparse->context));
    return cls_leave(sparse->context, cls_enqueue_tell(sparse->context, sparse->status, &sparse->message));
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
    status = cls_enqueue_begin(context, &how);
    if (status == CLSOLVE_OK) status = cls_sparse_factor_now(sparse, how.call, NULL, values);
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
    const int nothing = sparse->outcome != CLSOLVE_OK;
    if (status == CLSOLVE_OK && !nothing) status = cls_sparse_check_factors(&context->error, how.call, &sparse->engine);
    if (status != CLSOLVE_OK) return cls_leave(context, status);
    if (nothing)
        return cls_leave(context,
                         cls_enqueue_nothing(context, &how, sparse->outcome, &sparse->status, &sparse->message));
    status = cls_enqueue_begin(context, &how);
    if (status == CLSOLVE_OK) status = cls_sparse_solve_now(sparse, how.call, op, B);
    return cls_leave(context, cls_enqueue_end(context, &how, status, &sparse->status, &sparse->message));
}
