/* block_gs_enqueue.c: the enqueueing calls of grids, which work before they return; and the call for their outcome. */
#include "api/block_gs.h"
#include "api/enqueue.h"

clsolve_status clsolve_block_gs_status(clsolve_block_gs *handle) {
    if (!handle) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(handle->context));
    return cls_leave(handle->context, cls_enqueue_tell(handle->context, handle->status, &handle->message));
}

clsolve_status clsolve_block_gs_factor_enqueue(clsolve_block_gs *handle, const clsolve_grid *up, const clsolve_grid *a,
                                               const clsolve_grid *c, const clsolve_grid *b, const clsolve_grid *down,
                                               const clsolve_events *events) {
    const cls_enqueue how = cls_enqueue_as("clsolve_block_gs_factor_enqueue", events);
    const char *names[] = {"a", "c", "b", "up", "down"};
    const clsolve_grid *arrays[] = {a, c, b, up, down};
    if (!handle) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = handle->context;
    CLS_TRY(cls_enter(context));
    clsolve_status status = cls_block_gs_check_factor(handle, how.call, arrays);
    if (status == CLSOLVE_OK) status = cls_enqueue_check(context, &how);
    for (int q = 0; q < 5 && status == CLSOLVE_OK; ++q)
        status = cls_enqueue_check_place(context, &how, names[q], "grid", arrays[q]->place);
    if (status != CLSOLVE_OK) return cls_leave(context, status);
    status = cls_enqueue_begin(context, &how);
    if (status == CLSOLVE_OK) status = cls_block_gs_factor(handle, how.call, arrays);
    return cls_leave(context, cls_enqueue_end(context, &how, status, &handle->status, &handle->message));
}

clsolve_status clsolve_block_gs_solve_enqueue(clsolve_block_gs *handle, const clsolve_grid *F, clsolve_grid *Y,
                                              int64_t nrhs, const clsolve_events *events) {
    const cls_enqueue how = cls_enqueue_as("clsolve_block_gs_solve_enqueue", events);
    if (!handle) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = handle->context;
    CLS_TRY(cls_enter(context));
    int nothing = cls_enqueue_is_outcome(handle->factor_status);
    clsolve_status status = cls_block_gs_check_sides(handle, how.call, F, Y, nrhs);
    if (status == CLSOLVE_OK) status = cls_enqueue_check(context, &how);
    if (status == CLSOLVE_OK) status = cls_enqueue_check_place(context, &how, "F", "grid", F->place);
    if (status == CLSOLVE_OK) status = cls_enqueue_check_place(context, &how, "Y", "grid", Y->place);
    if (status == CLSOLVE_OK && !nothing) status = cls_block_gs_check_solve(handle, how.call, F, Y, nrhs);
    if (status != CLSOLVE_OK) return cls_leave(context, status);
    if (nothing)
        return cls_leave(context,
                         cls_enqueue_nothing(context, &how, handle->factor_status, &handle->status, &handle->message));
    status = cls_enqueue_begin(context, &how);
    const clsolve_grid *guess = handle->bt.options.zero_guess ? NULL : Y;
    if (status == CLSOLVE_OK) status = cls_block_gs_solve(handle, how.call, F, guess, Y, nrhs);
    return cls_leave(context, cls_enqueue_end(context, &how, status, &handle->status, &handle->message));
}
