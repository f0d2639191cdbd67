/* gauss_jordan_enqueue.c: the enqueueing calls of Gauss-Jordan, and the call that tells their outcome. They work before
 * they return. */
#include "api/enqueue.h"
#include "api/gauss_jordan.h"

clsolve_status clsolve_gauss_jordan_status(clsolve_gauss_jordan *handle) {
    if (!handle) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(handle->context));
    return cls_leave(handle->context, cls_enqueue_tell(handle->context, handle->status, &handle->message));
}

/* Checks two valid matrices, before anything waits for the list. */
static clsolve_status check(clsolve_gauss_jordan *handle, const cls_enqueue *how, const clsolve_matrix *A,
                            const char *name, const clsolve_matrix *M) {
    CLS_TRY(cls_enqueue_check(handle->context, how));
    CLS_TRY(cls_enqueue_check_place(handle->context, how, "A", "matrix", A->place));
    CLS_TRY(cls_enqueue_check_place(handle->context, how, name, "matrix", M->place));
    CLS_TRY(cls_transfer_fits(handle->choice.device, A));
    return cls_transfer_fits(handle->choice.device, M);
}

static clsolve_status finish(clsolve_gauss_jordan *handle, const cls_enqueue *how, clsolve_status status) {
    cls_gauss_jordan_account(handle);
    status = cls_enqueue_end(handle->context, how, status, &handle->status, &handle->message);
    return cls_leave(handle->context, status);
}

clsolve_status clsolve_gauss_jordan_solve_enqueue(clsolve_gauss_jordan *handle, clsolve_op op, const clsolve_matrix *A,
                                                  clsolve_matrix *B, const clsolve_events *events) {
    const cls_enqueue how = cls_enqueue_as("clsolve_gauss_jordan_solve_enqueue", events);
    if (!handle) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(handle->context));
    clsolve_status status = cls_gauss_jordan_check_solve(handle, how.call, op, A, B);
    if (status == CLSOLVE_OK) status = check(handle, &how, A, "B", B);
    if (status != CLSOLVE_OK) return cls_leave(handle->context, status);
    cls_gauss_jordan_begin(handle);
    status = cls_enqueue_begin(handle->context, &how);
    if (status == CLSOLVE_OK) status = cls_gauss_jordan_solve_now(handle, op, A, B);
    return finish(handle, &how, status);
}

clsolve_status clsolve_gauss_jordan_invert_enqueue(clsolve_gauss_jordan *handle, const clsolve_matrix *A,
                                                   clsolve_matrix *X, const clsolve_events *events) {
    const cls_enqueue how = cls_enqueue_as("clsolve_gauss_jordan_invert_enqueue", events);
    if (!handle) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(handle->context));
    clsolve_status status = cls_gauss_jordan_check_invert(handle, how.call, A, X);
    if (status == CLSOLVE_OK) status = check(handle, &how, A, "X", X);
    if (status != CLSOLVE_OK) return cls_leave(handle->context, status);
    cls_gauss_jordan_begin(handle);
    status = cls_enqueue_begin(handle->context, &how);
    if (status == CLSOLVE_OK) status = cls_gauss_jordan_invert_now(handle, A, X);
    return finish(handle, &how, status);
}
