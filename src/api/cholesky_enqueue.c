/* cholesky_enqueue.c: the calls that enqueue and don't wait, and the one that asks how they went. */
#include "api/cholesky_state.h"
#include "api/enqueue.h"
#include "api/validate.h"

/* Without it the call does its work while the caller waits. */
static int runs_ahead(const clsolve_cholesky *cholesky) {
    return !cls_in_place(cholesky->context->device) && !cholesky->factors.A.mapped && !cholesky->direct.copies &&
           !cholesky->options.equilibrate && !cholesky->options.rcond;
}

/* ---- how it went ---- */

clsolve_status clsolve_cholesky_status(clsolve_cholesky *cholesky) {
    if (!cholesky) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(cholesky->context));
    const clsolve_status status = cls_cholesky_settle(cholesky);
    return cls_leave(cholesky->context, cls_enqueue_tell(cholesky->context, status, &cholesky->message));
}

/* ---- enqueueing ---- */

static clsolve_status validate(clsolve_cholesky *cholesky, const cls_enqueue *how, const char *argument,
                               const clsolve_matrix *m, int64_t cols) {
    const cls_direct *direct = &cholesky->direct;

    CLS_TRY(cls_validate_matrix(&cholesky->context->error, how->call, argument, m, direct->type, direct->n, cols));
    CLS_TRY(cls_enqueue_check(cholesky->context, how));
    CLS_TRY(cls_enqueue_check_place(cholesky->context, how, argument, "matrix", m->place));
    return cls_cholesky_validate_place(cholesky, how->call, m); /* before anything waits for the list */
}

static clsolve_status begin_factor(clsolve_cholesky *cholesky, const clsolve_matrix *A) {
    cls_direct_forget(&cholesky->direct);
    cholesky->status = CLSOLVE_OK;
    cholesky->message.text[0] = 0;
    const clsolve_status status = cls_cholesky_async_factor(&cholesky->factors, &cholesky->async, A);
    cholesky->direct.factored = cholesky->pending_factor = status == CLSOLVE_OK;
    return status;
}

clsolve_status clsolve_cholesky_factor_enqueue(clsolve_cholesky *cholesky, clsolve_uplo uplo, const clsolve_matrix *A,
                                               const clsolve_events *events) {
    const cls_enqueue how = cls_enqueue_as("clsolve_cholesky_factor_enqueue", events);
    if (!cholesky) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = cholesky->context;
    CLS_TRY(cls_enter(context));
    clsolve_status status = cls_validate_uplo(&cholesky->context->error, how.call, uplo);
    if (status == CLSOLVE_OK) status = validate(cholesky, &how, "A", A, cholesky->direct.n);
    if (status != CLSOLVE_OK) return cls_leave(context, status); /* what is to be told of calls before stays */
    status = cls_enqueue_begin(context, &how);
    if (status == CLSOLVE_OK) {
        cls_cholesky_begin(cholesky);
        cholesky->factors.uplo = uplo;
        status = runs_ahead(cholesky) ? begin_factor(cholesky, A) : cls_direct_factor(&cholesky->direct, how.call, A);
    }
    return cls_leave(context, cls_enqueue_end(context, &how, status, &cholesky->status, &cholesky->message));
}

clsolve_status clsolve_cholesky_solve_enqueue(clsolve_cholesky *cholesky, clsolve_matrix *B,
                                              const clsolve_events *events) {
    const cls_enqueue how = cls_enqueue_as("clsolve_cholesky_solve_enqueue", events);
    if (!cholesky) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = cholesky->context;
    cls_direct *direct = &cholesky->direct;
    CLS_TRY(cls_enter(context));
    clsolve_status status = validate(cholesky, &how, "B", B, -1);
    /* The factorization is known to have come to no factors: its outcome is the one to tell. */
    const int nothing = !cholesky->pending_factor && cls_enqueue_is_outcome(direct->outcome);
    if (status == CLSOLVE_OK && !cholesky->pending_factor && !nothing)
        status = cls_validate_factors(direct, how.call, "clsolve_cholesky_factor");
    if (status != CLSOLVE_OK) return cls_leave(context, status);
    if (nothing)
        return cls_leave(context,
                         cls_enqueue_nothing(context, &how, direct->outcome, &cholesky->status, &cholesky->message));
    status = cls_enqueue_begin(context, &how);
    if (status == CLSOLVE_OK && runs_ahead(cholesky)) {
        direct->nrhs = B->cols;
        status = cls_cholesky_async_solve(&cholesky->factors, &cholesky->async, B, cholesky->pending_factor);
        if (status == CLSOLVE_OK) {
            cholesky->pending_solve = 1;
            return cls_leave(context, cls_enqueue_send(context, &how, &cholesky->status, &cholesky->message));
        }
    } else if (status == CLSOLVE_OK) {
        status = cls_direct_solve(direct, how.call, CLSOLVE_NO_TRANS, B);
    }
    return cls_leave(context, cls_enqueue_end(context, &how, status, &cholesky->status, &cholesky->message));
}
