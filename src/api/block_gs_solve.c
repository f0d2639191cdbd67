/* block_gs_solve.c: the solve of block-tridiagonal systems: its arguments, and what is kept of it for the report. */
#include "api/block_gs.h"
#include "api/door.h"
#include "base/clock.h"

clsolve_status cls_block_gs_solve(clsolve_block_gs *h, const char *call, const clsolve_grid *F, const clsolve_grid *Y,
                                  const clsolve_grid *to, int64_t nrhs) {
    cls_device *device = h->context->device;
    cls_counters before = device->counters;
    double start = cls_seconds();

    h->nrhs = nrhs;
    clsolve_status status = cls_bt_solve_system(&h->bt, call, &(cls_bt_sides){F, Y, to, nrhs}, &h->solved);
    h->solved.seconds.total = cls_seconds() - start;
    h->device_bytes = device->counters.buffer_bytes - h->before_bytes;
    h->solve_counts = cls_counters_since(&device->counters, &before);
    return status;
}

void cls_block_gs_aim(clsolve_block_gs *handle, double tolerance) {
    if (cls_enter(handle->context) != CLSOLVE_OK) return;
    handle->bt.options.tolerance = tolerance;
    (void)cls_leave(handle->context, CLSOLVE_OK);
}

static clsolve_status check_ready(clsolve_block_gs *h, const char *call) {
    if (h->ready) return CLSOLVE_OK;
    return cls_fail(&h->context->error, CLSOLVE_ERROR_STATE,
                    "%s: call clsolve_block_gs_factor, and let it succeed, first", call);
}

clsolve_status cls_block_gs_check_sides(clsolve_block_gs *h, const char *call, const clsolve_grid *F,
                                        const clsolve_grid *Y, int64_t nrhs) {
    if (nrhs < 1)
        return cls_fail(&h->context->error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: nrhs is %lld: give 1 or more", call,
                        (long long)nrhs);
    CLS_TRY(cls_block_gs_check_grid(h, call, "F", F, nrhs));
    return cls_block_gs_check_grid(h, call, "Y", Y, nrhs);
}

clsolve_status cls_block_gs_check_solve(clsolve_block_gs *h, const char *call, const clsolve_grid *F,
                                        const clsolve_grid *Y, int64_t nrhs) {
    CLS_TRY(cls_block_gs_check_sides(h, call, F, Y, nrhs));
    return check_ready(h, call);
}

clsolve_status clsolve_block_gs_solve(clsolve_block_gs *handle, const clsolve_grid *F, clsolve_grid *Y, int64_t nrhs) {
    static const char call[] = "clsolve_block_gs_solve";
    if (!handle) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(handle->context));
    handle->message.text[0] = 0;
    clsolve_status status = cls_block_gs_check_solve(handle, call, F, Y, nrhs);
    if (status == CLSOLVE_OK)
        status = cls_block_gs_solve(handle, call, F, handle->bt.options.zero_guess ? NULL : Y, Y, nrhs);
    /* Y in the caller's buffer is written behind the iteration. It must be there for other queues when the call
     * ends. */
    if (F && Y && (F->place == CLSOLVE_ON_DEVICE || Y->place == CLSOLVE_ON_DEVICE)) {
        clsolve_status finished = cls_bt_finish(&handle->bt);
        if (status >= 0 && finished != CLSOLVE_OK) status = finished;
    }
    handle->status = status;
    return cls_leave(handle->context, status);
}
