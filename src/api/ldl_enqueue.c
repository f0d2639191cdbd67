/* ldl_enqueue.c: the enqueueing calls of LDL^T, and the call that tells their outcome. They work before they return,
 * because the host reads the pivots. */
#include "api/enqueue.h"
#include "api/ldl.h"
#include "api/validate.h"

clsolve_status clsolve_ldl_status(clsolve_ldl *ldl) {
    if (!ldl) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(ldl->context));
    return cls_leave(ldl->context, cls_enqueue_tell(ldl->context, ldl->status, &ldl->message));
}

static clsolve_status validate(clsolve_ldl *ldl, const cls_enqueue *how, const char *argument, const clsolve_matrix *m,
                               int64_t cols) {
    const cls_direct *direct = &ldl->direct;

    CLS_TRY(cls_validate_matrix(&ldl->context->error, how->call, argument, m, direct->type, direct->n, cols));
    CLS_TRY(cls_enqueue_check(ldl->context, how));
    CLS_TRY(cls_enqueue_check_place(ldl->context, how, argument, "matrix", m->place));
    return cls_transfer_fits(direct->device, m);
}

clsolve_status clsolve_ldl_factor_enqueue(clsolve_ldl *ldl, clsolve_uplo uplo, const clsolve_matrix *A,
                                          const clsolve_events *events) {
    const cls_enqueue how = cls_enqueue_as("clsolve_ldl_factor_enqueue", events);
    if (!ldl) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = ldl->context;
    CLS_TRY(cls_enter(context));
    clsolve_status status = cls_validate_uplo(&context->error, how.call, uplo);
    if (status == CLSOLVE_OK) status = validate(ldl, &how, "A", A, ldl->direct.n);
    if (status != CLSOLVE_OK) return cls_leave(context, status);
    ldl->factors.uplo = uplo;
    status = cls_enqueue_begin(context, &how);
    if (status == CLSOLVE_OK) status = cls_direct_factor(&ldl->direct, how.call, A);
    return cls_leave(context, cls_enqueue_end(context, &how, status, &ldl->status, &ldl->message));
}

clsolve_status clsolve_ldl_solve_enqueue(clsolve_ldl *ldl, clsolve_matrix *B, const clsolve_events *events) {
    const cls_enqueue how = cls_enqueue_as("clsolve_ldl_solve_enqueue", events);
    if (!ldl) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = ldl->context;
    cls_direct *direct = &ldl->direct;
    CLS_TRY(cls_enter(context));
    clsolve_status status = validate(ldl, &how, "B", B, -1);
    /* The factorization is known to have come to no factors: its outcome is the one to tell. */
    const int nothing = cls_enqueue_is_outcome(direct->outcome);
    if (status == CLSOLVE_OK && !nothing) status = cls_validate_factors(direct, how.call, "clsolve_ldl_factor");
    if (status != CLSOLVE_OK) return cls_leave(context, status);
    if (nothing)
        return cls_leave(context, cls_enqueue_nothing(context, &how, direct->outcome, &ldl->status, &ldl->message));
    status = cls_enqueue_begin(context, &how);
    if (status == CLSOLVE_OK) status = cls_direct_solve(direct, how.call, CLSOLVE_NO_TRANS, B);
    return cls_leave(context, cls_enqueue_end(context, &how, status, &ldl->status, &ldl->message));
}
