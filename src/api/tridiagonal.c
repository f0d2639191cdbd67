/* tridiagonal.c: many tridiagonal systems at once: lines that nothing couples, solved by one sweep of the same kernel. */
#include "api/block_gs.h"

static clsolve_status create(clsolve_context *context, int64_t N, int64_t M, clsolve_type type, clsolve_pivoting lines,
                             clsolve_block_gs **handle) {
    clsolve_block_gs_options options = {.method = CLSOLVE_BLOCK_GS_SWEEPS, .pivoting = lines, .sweeps = 1};
    return cls_block_gs_make(context, "clsolve_tridiagonal_create", N, M, type, &options, 1, handle);
}

clsolve_status clsolve_tridiagonal_create(clsolve_context *context, int64_t N, int64_t M, clsolve_type type,
                                          clsolve_pivoting lines, clsolve_block_gs **handle) {
    if (handle) *handle = NULL;
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    cls_enter(context);
    if (!handle)
        return cls_leave(context, cls_fail(&context->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                                           "clsolve_tridiagonal_create: handle is NULL: give a pointer's address"));
    return cls_leave(context, create(context, N, M, type, lines, handle));
}

clsolve_status clsolve_tridiagonal_set(clsolve_block_gs *handle, const clsolve_grid *a, const clsolve_grid *c,
                                       const clsolve_grid *b) {
    static const char call[] = "clsolve_tridiagonal_set";
    if (!handle) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    const clsolve_grid *arrays[] = {a, c, b, NULL, NULL};
    const char *names[] = {"a", "c", "b"};
    cls_enter(handle->context);
    clsolve_status status = cls_block_gs_check_kind(handle, call, 1);
    for (int q = 0; q < 3 && status == CLSOLVE_OK; ++q)
        status = cls_block_gs_check_grid(handle, call, names[q], arrays[q], 1);
    if (status == CLSOLVE_OK) status = cls_block_gs_set(handle, call, arrays);
    handle->status = status;
    return cls_leave(handle->context, status);
}

clsolve_status clsolve_tridiagonal_solve(clsolve_block_gs *handle, clsolve_grid *F, int64_t nrhs) {
    static const char call[] = "clsolve_tridiagonal_solve";
    if (!handle) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    cls_enter(handle->context);
    clsolve_status status = cls_block_gs_check_kind(handle, call, 1);
    if (status == CLSOLVE_OK) status = cls_block_gs_check_solve(handle, call, F, F, nrhs);
    if (status == CLSOLVE_OK) status = cls_block_gs_solve(handle, call, F, NULL, F, nrhs);
    handle->status = status;
    return cls_leave(handle->context, status);
}

clsolve_status clsolve_tridiagonal_solve_once(clsolve_context *context, int64_t N, int64_t M, const clsolve_grid *a,
                                              const clsolve_grid *c, const clsolve_grid *b, clsolve_grid *F,
                                              int64_t nrhs, clsolve_pivoting lines) {
    clsolve_block_gs *handle = NULL;
    clsolve_status status = clsolve_tridiagonal_create(context, N, M, F ? F->type : CLSOLVE_F64, lines, &handle);
    if (status == CLSOLVE_OK) status = clsolve_tridiagonal_set(handle, a, c, b);
    if (status == CLSOLVE_OK) status = clsolve_tridiagonal_solve(handle, F, nrhs);
    clsolve_block_gs_destroy(handle);
    return status;
}
