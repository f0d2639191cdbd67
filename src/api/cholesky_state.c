/* cholesky_state.c: what a call on a Cholesky handle finds: outcomes of what was enqueued, a triangle, a place for
 * matrices. */
#include "api/cholesky_state.h"
#include "api/enqueue.h"
#include "api/validate.h"
#include "method/direct/failure.h"

/* ---- what was enqueued before ---- */

static const char factor_call[] = "clsolve_cholesky_factor_enqueue", solve_call[] = "clsolve_cholesky_solve_enqueue";

static clsolve_status nonfinite_at(clsolve_cholesky *cholesky, clsolve_status status, const char *call,
                                   const char *what, cls_place place) {
    return cls_nonfinite(&cholesky->context->error, status, call, what, place.row, place.column);
}

static clsolve_status take_factor(clsolve_cholesky *cholesky, const cls_async_outcome *o) {
    const int64_t n = cholesky->direct.n, at = o->found[CLS_ASYNC_A];

    cholesky->direct.info = o->info;
    if (at >= 0) {
        cholesky->direct.info = cholesky->direct.factored = 0;
        return nonfinite_at(cholesky, CLSOLVE_ERROR_NONFINITE, factor_call, "A",
                            cls_symmetric_place(cholesky->factors.uplo, at % n, at / n));
    }
    return o->info > 0 ? cls_direct_refuse(&cholesky->direct, factor_call) : CLSOLVE_OK;
}

static clsolve_status take_solve(clsolve_cholesky *cholesky, const cls_async_outcome *o) {
    const int64_t n = cholesky->direct.n, in_B = o->found[CLS_ASYNC_B], in_X = o->found[CLS_ASYNC_X];

    if (!cholesky->direct.factored || cholesky->direct.outcome != CLSOLVE_OK) return cholesky->direct.outcome;
    if (in_B >= 0)
        return nonfinite_at(cholesky, CLSOLVE_ERROR_NONFINITE, solve_call, "B", (cls_place){in_B % n, in_B / n});
    if (in_X >= 0) return nonfinite_at(cholesky, CLSOLVE_OVERFLOW, solve_call, "X", (cls_place){in_X % n, in_X / n});
    return CLSOLVE_OK;
}

clsolve_status cls_cholesky_settle(clsolve_cholesky *cholesky) {
    cls_async_outcome o;

    if (!cholesky->pending_factor && !cholesky->pending_solve) return cholesky->status;
    clsolve_status status = cls_async_wait(cholesky->direct.device, &cholesky->async, cholesky->factors.info, &o);
    if (status == CLSOLVE_OK) {
        if (cholesky->pending_factor) status = cholesky->direct.outcome = take_factor(cholesky, &o);
        if (cholesky->pending_solve) status = take_solve(cholesky, &o);
    } else {
        cholesky->direct.factored = 0; /* nobody knows */
    }
    cholesky->pending_factor = cholesky->pending_solve = 0;
    cholesky->status = status;
    cls_enqueue_save(cholesky->context, status, &cholesky->message);
    return status;
}

void cls_cholesky_begin(clsolve_cholesky *cholesky) {
    cholesky->pending_factor = cholesky->pending_solve = 0;
}

/* ---- what a call needs ---- */

/* Out of core the host's memory is where the factor is. */
clsolve_status cls_cholesky_validate_place(clsolve_cholesky *cholesky, const char *call, const clsolve_matrix *m) {
    if (m->place == CLSOLVE_ON_HOST) return CLSOLVE_OK;
    if (cholesky->factors.out.slab == 0) return cls_transfer_fits(cholesky->direct.device, m);
    return cls_fail(&cholesky->context->error, CLSOLVE_ERROR_UNSUPPORTED,
                    "%s: the matrix is on the device, and out of core the handle takes none: give it on the host",
                    call);
}
