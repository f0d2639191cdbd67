/* lu_state.c: what a call on an LU handle finds: outcomes of what was enqueued, factors, a place for matrices. */
#include "api/enqueue.h"
#include "api/lu_state.h"
#include "api/validate.h"
#include "method/direct/failure.h"

/* ---- what was enqueued before ---- */

static clsolve_status nonfinite_at(clsolve_lu *lu, clsolve_status status, const char *call, const char *what,
                                   int64_t index) {
    return cls_nonfinite(&lu->context->error, status, call, what, index % lu->lu.n, index / lu->lu.n);
}

static clsolve_status take_factor(clsolve_lu *lu, const cls_async_outcome *o) {
    lu->direct.info = o->info;
    if (o->found[CLS_ASYNC_A] >= 0) {
        lu->direct.factored = 0;
        return nonfinite_at(lu, CLSOLVE_ERROR_NONFINITE, "clsolve_lu_factor_enqueue", "A", o->found[CLS_ASYNC_A]);
    }
    if (o->found[CLS_ASYNC_FACTORS] >= 0)
        return nonfinite_at(lu, CLSOLVE_OVERFLOW, "clsolve_lu_factor_enqueue", "L\\U", o->found[CLS_ASYNC_FACTORS]);
    if (o->info > 0) return cls_singular(&lu->context->error, "clsolve_lu_factor_enqueue", "U", o->info, 0);
    return CLSOLVE_OK;
}

static clsolve_status take_solve(clsolve_lu *lu, const cls_async_outcome *o) {
    if (!lu->direct.factored || lu->direct.outcome != CLSOLVE_OK) return lu->direct.outcome;
    if (o->found[CLS_ASYNC_B] >= 0)
        return nonfinite_at(lu, CLSOLVE_ERROR_NONFINITE, "clsolve_lu_solve_enqueue", "B", o->found[CLS_ASYNC_B]);
    if (o->found[CLS_ASYNC_X] >= 0)
        return nonfinite_at(lu, CLSOLVE_OVERFLOW, "clsolve_lu_solve_enqueue", "X", o->found[CLS_ASYNC_X]);
    return CLSOLVE_OK;
}

clsolve_status cls_lu_settle(clsolve_lu *lu) {
    cls_async_outcome o;
    if (!lu->pending_factor && !lu->pending_solve) return lu->status;
    clsolve_status status = cls_async_wait(lu->lu.device, &lu->async, lu->lu.panel.info, &o);
    if (status == CLSOLVE_OK) {
        if (lu->pending_factor) status = lu->direct.outcome = take_factor(lu, &o);
        if (lu->pending_solve) status = take_solve(lu, &o);
    } else {
        lu->direct.factored = 0; /* nobody knows */
    }
    lu->pending_factor = lu->pending_solve = 0;
    lu->status = status;
    cls_enqueue_save(lu->context, status, &lu->message);
    return status;
}

/* ---- what a call needs ---- */

clsolve_status cls_lu_validate_state(clsolve_lu *lu, const char *call) {
    return cls_validate_factors(&lu->direct, call, "clsolve_lu_factor");
}

clsolve_type cls_lu_type_in_use(const clsolve_lu *lu) {
    const void *in_use = cls_direct_in_use(&lu->direct);
    return cls_lu_is_many(lu) ? ((const cls_many *)in_use)->type : ((const cls_lu *)in_use)->type;
}

/* Out of core the host's memory is where the factors are. */
clsolve_status cls_lu_validate_place(clsolve_lu *lu, const char *call, const clsolve_matrix *m) {
    if (m->place == CLSOLVE_ON_HOST) return CLSOLVE_OK;
    if (cls_lu_is_many(lu))
        return cls_fail(
            &lu->context->error, CLSOLVE_ERROR_UNSUPPORTED,
            "%s: the matrix is on a device, and a handle over several devices takes none: give it on the host", call);
    if (lu->lu.out.slab == 0) return cls_transfer_fits(lu->lu.device, m);
    return cls_fail(&lu->context->error, CLSOLVE_ERROR_UNSUPPORTED,
                    "%s: the matrix is on the device, and out of core the handle takes none: give it on the host",
                    call);
}
