/* lu_ahead.c: what a caller can know and prepare before a matrix is there: predicted times, kernels that are
 * compiled. */
#include "api/ahead.h"
#include "api/lu_state.h"
#include "api/validate.h"

static clsolve_status validate(clsolve_context *context, const char *call, int64_t m, int64_t n, clsolve_type type) {
    if (m < 0 || n < 0)
        return cls_fail(&context->error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: %lld x %lld: sizes start at 0", call,
                        (long long)m, (long long)n);
    return cls_validate_type(&context->error, call, "type", type, CLS_ALL_TYPES);
}

clsolve_status clsolve_lu_predict(clsolve_context *context, int64_t m, int64_t n, int64_t nrhs, clsolve_type type,
                                  double *device_seconds, double *host_seconds) {
    const char *call = "clsolve_lu_predict";
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    clsolve_status status = validate(context, call, m, n, type);
    const cls_task task = cls_lu_task_of(m, n, type);
    if (status == CLSOLVE_OK) status = cls_ahead_predict(context, call, &task, nrhs, 3, device_seconds, host_seconds);
    return cls_leave(context, status);
}

/* ---- kernels ---- */

/* The handle of a call's order, which compiles what that order needs. */
static clsolve_status make(clsolve_context *context, int64_t n, clsolve_type type, clsolve_lu **lu) {
    const clsolve_lu_options options = {.where = CLSOLVE_WHERE_DEVICE};
    return clsolve_lu_create(context, n, type, &options, lu);
}

static clsolve_status run(void *lu, const clsolve_matrix *A, clsolve_matrix *B) {
    CLS_TRY(clsolve_lu_factor(lu, A));
    return clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, B);
}

static clsolve_status warm(clsolve_context *context, const cls_task *task) {
    const clsolve_type type = task->type;
    const int64_t n = task->n, tried = n < CLS_AHEAD_TRIED ? n : CLS_AHEAD_TRIED;
    clsolve_lu *lu = NULL;

    if (n > tried) {
        CLS_TRY(make(context, n, type, &lu));
        clsolve_lu_destroy(lu);
    }
    CLS_TRY(make(context, tried, type, &lu));
    clsolve_status status = cls_ahead_try(lu, run, type, tried, tried, 0, tried + 1);
    clsolve_lu_destroy(lu);
    return status;
}

clsolve_status clsolve_lu_warm(clsolve_context *context, int64_t m, int64_t n, clsolve_type type) {
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    clsolve_status status = validate(context, "clsolve_lu_warm", m, n, type);
    const cls_task task = cls_lu_task_of(m, n, type);
    if (status == CLSOLVE_OK) status = cls_ahead_warm(context, &task, warm);
    return cls_leave(context, status);
}

int clsolve_lu_is_warm(const clsolve_context *context, clsolve_type type) {
    return cls_ahead_is_warm(context, CLS_FAMILY_LU, type);
}
