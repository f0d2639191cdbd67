/* handle_enqueue.c: the calls of dense handles that enqueue and don't wait, and the one that asks how they went. */
#include "api/handle.h"
#include "api/enqueue.h"
#include "blas/blas.h"

/* Without it the call does its work while the caller waits. */
static int runs_ahead(const cls_handle *it) {
    const cls_direct *direct = &it->direct;
    return direct->ops->enqueue && !cls_in_place(direct->device) && !direct->copies && !direct->equilibrate &&
           !direct->wants_rcond;
}

clsolve_status cls_handle_status(cls_handle *it) {
    if (!it) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(it->context));
    const clsolve_status status = cls_handle_settle(it);
    return cls_leave(it->context, cls_enqueue_tell(it->context, status, &it->message));
}

static clsolve_status check(cls_handle *it, const cls_enqueue *how, const char *argument, const clsolve_matrix *m,
                            int64_t rows, int64_t cols) {
    const cls_direct *direct = &it->direct;

    CLS_TRY(cls_validate_matrix(&it->context->error, how->call, argument, m, direct->type, rows, cols));
    CLS_TRY(cls_enqueue_check(it->context, how));
    CLS_TRY(cls_enqueue_check_place(it->context, how, argument, "matrix", m->place));
    return cls_handle_check_place(it, how->call, m); /* before anything waits for the list */
}

static clsolve_status begin_factor(cls_handle *it, clsolve_uplo uplo, const clsolve_matrix *A) {
    cls_direct_forget(&it->direct);
    it->pending_factor = it->pending_solve = 0;
    it->status = CLSOLVE_OK;
    it->message.text[0] = 0;
    if (it->family->uplo) *it->family->uplo(it) = uplo;
    const clsolve_status status = it->direct.ops->enqueue(&it->direct, &it->async, A);
    it->direct.factored = it->pending_factor = status == CLSOLVE_OK;
    return status;
}

clsolve_status cls_handle_factor_enqueue(cls_handle *it, clsolve_uplo uplo, const clsolve_matrix *A,
                                         const clsolve_events *events) {
    const cls_enqueue how = cls_enqueue_as(it ? it->family->names.factor_enqueue : "", events);
    clsolve_status status = CLSOLVE_OK;
    if (!it) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = it->context;
    CLS_TRY(cls_enter(context));
    if (it->family->uplo) status = cls_validate_uplo(&context->error, how.call, uplo);
    if (status == CLSOLVE_OK) status = check(it, &how, cls_handle_matrix(it), A, cls_handle_rows(it), it->direct.n);
    if (status != CLSOLVE_OK) return cls_leave(context, status); /* what is to be told of calls before stays */
    status = cls_enqueue_begin(context, &how);
    if (status == CLSOLVE_OK)
        status = runs_ahead(it) ? begin_factor(it, uplo, A) : cls_handle_factor_now(it, how.call, uplo, A);
    return cls_leave(context, cls_enqueue_end(context, &how, status, &it->status, &it->message));
}

clsolve_status cls_handle_solve_enqueue(cls_handle *it, clsolve_op op, const clsolve_matrix *B,
                                        const clsolve_events *events) {
    const cls_enqueue how = cls_enqueue_as(it ? it->family->names.solve_enqueue : "", events);
    if (!it) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = it->context;
    cls_direct *direct = &it->direct;
    CLS_TRY(cls_enter(context));
    clsolve_status status = cls_validate_op(&context->error, how.call, op);
    if (status == CLSOLVE_OK) status = check(it, &how, "B", B, it->direct.n, -1);
    /* The factorization is known to have come to no factors: there is nothing to solve, and its outcome is the one to
     * tell. */
    const int nothing = !it->pending_factor && cls_enqueue_is_outcome(direct->outcome);
    if (status == CLSOLVE_OK && !it->pending_factor && !nothing)
        status = cls_validate_factors(direct, how.call, it->family->names.factor);
    if (status != CLSOLVE_OK) return cls_leave(context, status);
    if (nothing)
        return cls_leave(context, cls_enqueue_nothing(context, &how, direct->outcome, &it->status, &it->message));
    status = cls_enqueue_begin(context, &how);
    if (status == CLSOLVE_OK && runs_ahead(it)) {
        direct->nrhs = B->cols;
        status = direct->ops->solve_enqueue(direct, &it->async, op, B, it->pending_factor);
        if (status == CLSOLVE_OK) {
            it->pending_solve = 1;
            return cls_leave(context, cls_enqueue_send(context, &how, &it->status, &it->message));
        }
    } else if (status == CLSOLVE_OK) {
        status = cls_handle_solve_now(it, how.call, op, B);
    }
    return cls_leave(context, cls_enqueue_end(context, &how, status, &it->status, &it->message));
}
