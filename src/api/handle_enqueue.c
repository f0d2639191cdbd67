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
    CLS_TRY(cls_head_enter((cls_head *)it));
    const clsolve_status status = cls_handle_settle(it);
    return cls_leave(it->head.context, cls_enqueue_tell(it->head.context, status, &it->head.message));
}

static clsolve_status check_place(cls_handle *it, const cls_enqueue *how, const char *name, const clsolve_matrix *m) {
    CLS_TRY(cls_enqueue_check(it->head.context, how, "matrix", 1, &name, &m->place));
    return cls_handle_check_place(it, how->call, m); /* before anything waits for the list */
}

static clsolve_status begin_factor(cls_handle *it, clsolve_uplo uplo, const clsolve_matrix *A) {
    cls_direct_forget(&it->direct);
    it->pending_factor = it->pending_solve = 0;
    it->head.status = CLSOLVE_OK;
    it->head.message.text[0] = 0;
    if (it->family->uplo) *it->family->uplo(it) = uplo;
    const clsolve_status status = it->direct.ops->enqueue(&it->direct, &it->async, A);
    it->direct.factored = it->pending_factor = status == CLSOLVE_OK;
    return status;
}

clsolve_status cls_handle_factor_enqueue(cls_handle *it, clsolve_uplo uplo, const clsolve_matrix *A,
                                         const clsolve_events *events) {
    const cls_enqueue how = cls_enqueue_as(it ? it->family->names.factor_enqueue : "", events);
    CLS_TRY(cls_head_enter((cls_head *)it));
    clsolve_status status = cls_handle_check_A(it, how.call, uplo, A);
    if (status == CLSOLVE_OK) status = check_place(it, &how, cls_handle_matrix(it), A);
    if (status == CLSOLVE_OK) status = cls_head_begin(&it->head, &how);
    if (status == CLSOLVE_OK)
        status = runs_ahead(it) ? begin_factor(it, uplo, A) : cls_handle_factor_now(it, how.call, uplo, A);
    return cls_head_end(&it->head, &how, status);
}

/* Without a factorization under way: its outcome, or there has been none. */
static clsolve_status check_factors(cls_handle *it, const char *call) {
    const cls_direct *direct = &it->direct;
    it->head.outcome = !it->pending_factor && cls_enqueue_is_outcome(direct->outcome) ? direct->outcome : CLSOLVE_OK;
    if (it->pending_factor || it->head.outcome != CLSOLVE_OK) return CLSOLVE_OK;
    return cls_validate_factors(direct, call, it->family->names.factor);
}

static clsolve_status begin_solve(cls_handle *it, clsolve_op op, const clsolve_matrix *B) {
    it->direct.nrhs = B->cols;
    CLS_TRY(it->direct.ops->solve_enqueue(&it->direct, &it->async, op, B, it->pending_factor));
    it->pending_solve = 1;
    return CLSOLVE_OK;
}

clsolve_status cls_handle_solve_enqueue(cls_handle *it, clsolve_op op, const clsolve_matrix *B,
                                        const clsolve_events *events) {
    const cls_enqueue how = cls_enqueue_as(it ? it->family->names.solve_enqueue : "", events);
    CLS_TRY(cls_head_enter((cls_head *)it));
    clsolve_status status = cls_handle_check_B(it, how.call, op, B);
    if (status == CLSOLVE_OK) status = check_place(it, &how, "B", B);
    if (status == CLSOLVE_OK) status = check_factors(it, how.call);
    /* The factorization has come to no factors: there is nothing to solve, and its outcome is the one to tell. */
    if (status == CLSOLVE_OK && it->head.outcome != CLSOLVE_OK) return cls_head_tell_outcome(&it->head, &how);
    if (status == CLSOLVE_OK) status = cls_head_begin(&it->head, &how);
    if (status == CLSOLVE_OK)
        status = runs_ahead(it) ? begin_solve(it, op, B) : cls_handle_solve_now(it, how.call, op, B);
    return cls_head_end(&it->head, &how, status);
}
