/* cholesky_state.h (private): what a clsolve_cholesky is, and what the files of its calls share. */
#ifndef CLS_API_CHOLESKY_STATE_H
#define CLS_API_CHOLESKY_STATE_H

#include <clsolve/cholesky.h>

#include "api/context.h"
#include "api/where.h"
#include "method/cholesky/async.h"
#include "method/cholesky/direct.h"

struct clsolve_cholesky {
    clsolve_context *context;
    clsolve_cholesky_options options;
    cls_choice choice; /* on the device, or on the host */
    cls_cholesky factors;
    cls_direct direct;     /* what became of the factorization, and what makes its answers accurate */
    clsolve_status status; /* of the last call */
    /* The work that was enqueued and has not been asked for: see cholesky_enqueue.c. */
    cls_async async;
    int pending_factor, pending_solve;
    cls_error message; /* the line that belongs to `status`, when that is an enqueued call's; else empty */
};

/* ---- cholesky_state.c ---- */

/* A matrix on the device is refused where the handle takes none, or where its buffer is too small. */
clsolve_status cls_cholesky_validate_place(clsolve_cholesky *cholesky, const char *call, const clsolve_matrix *m);

/* Waits for what was enqueued, if anything was, and takes its outcome over: every call that needs the factors begins
 * so. */
clsolve_status cls_cholesky_settle(clsolve_cholesky *cholesky);
/* Forgets enqueued work whose outcome was not asked for. */
void cls_cholesky_begin(clsolve_cholesky *cholesky);

#endif
