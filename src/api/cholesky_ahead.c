/* cholesky_ahead.c: what a caller can know and prepare before a matrix is there: predicted times, compiled kernels. */
#include "api/ahead.h"
#include "api/cholesky_state.h"
#include "api/validate.h"

static clsolve_status validate(clsolve_context *context, const char *call, int64_t n, clsolve_type type) {
    if (n < 0)
        return cls_fail(&context->error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: n is %lld: sizes start at 0", call,
                        (long long)n);
    return cls_validate_type(&context->error, call, "type", type, CLS_ALL_TYPES);
}

static cls_task task_of(int64_t n, clsolve_type type) {
    return (cls_task){.family = CLS_FAMILY_CHOLESKY, .type = type, .n = n, .nrhs = 1};
}

clsolve_status clsolve_cholesky_predict(clsolve_context *context, int64_t n, int64_t nrhs, clsolve_type type,
                                        double *device_seconds, double *host_seconds) {
    const char *call = "clsolve_cholesky_predict";
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    clsolve_status status = validate(context, call, n, type);
    const cls_task task = task_of(n, type);
    if (status == CLSOLVE_OK) status = cls_ahead_predict(context, call, &task, nrhs, 6, device_seconds, host_seconds);
    return cls_leave(context, status);
}

/* ---- kernels ---- */

static clsolve_status run(void *cholesky, const clsolve_matrix *A, clsolve_matrix *B) {
    CLS_TRY(clsolve_cholesky_factor(cholesky, CLSOLVE_LOWER, A));
    return clsolve_cholesky_solve(cholesky, B);
}

/* All orders share their kernels. */
static clsolve_status warm(clsolve_context *context, const cls_task *task) {
    const clsolve_cholesky_options options = {.where = CLSOLVE_WHERE_DEVICE};
    const int64_t n = task->n < CLS_AHEAD_TRIED ? task->n : CLS_AHEAD_TRIED;
    clsolve_cholesky *cholesky = NULL;

    CLS_TRY(clsolve_cholesky_create(context, n, task->type, &options, &cholesky));
    clsolve_status status = cls_ahead_try(cholesky, run, task->type, n, n, 0, n + 1);
    clsolve_cholesky_destroy(cholesky);
    return status;
}

clsolve_status clsolve_cholesky_warm(clsolve_context *context, int64_t n, clsolve_type type) {
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    clsolve_status status = validate(context, "clsolve_cholesky_warm", n, type);
    const cls_task task = task_of(n, type);
    if (status == CLSOLVE_OK) status = cls_ahead_warm(context, &task, warm);
    return cls_leave(context, status);
}

int clsolve_cholesky_is_warm(const clsolve_context *context, clsolve_type type) {
    return cls_ahead_is_warm(context, CLS_FAMILY_CHOLESKY, type);
}
