/* ldl_ahead.c: what a caller can know and prepare before a matrix is there: predicted times, compiled kernels. */
#include "api/ahead.h"
#include "api/ldl.h"
#include "api/validate.h"

static cls_task task_of(int64_t n, clsolve_type type) {
    return (cls_task){.family = CLS_FAMILY_LDL, .type = type, .n = n, .nrhs = 1};
}

clsolve_status clsolve_ldl_predict(clsolve_context *context, int64_t n, int64_t nrhs, clsolve_type type,
                                   double *device_seconds, double *host_seconds) {
    const char *call = "clsolve_ldl_predict";
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    clsolve_status status = cls_validate_square(&context->error, call, n, type);
    const cls_task task = task_of(n, type);
    if (status == CLSOLVE_OK) status = cls_ahead_predict(context, call, &task, nrhs, 6, device_seconds, host_seconds);
    return cls_leave(context, status);
}

/* ---- kernels ---- */

static clsolve_status run(void *ldl, const clsolve_matrix *A, clsolve_matrix *B) {
    CLS_TRY(clsolve_ldl_factor(ldl, CLSOLVE_LOWER, A));
    return clsolve_ldl_solve(ldl, B);
}

/* All orders share their kernels. */
static clsolve_status warm(clsolve_context *context, const cls_task *task) {
    const clsolve_ldl_options options = {.where = CLSOLVE_WHERE_DEVICE};
    const int64_t n = task->n < CLS_AHEAD_TRIED ? task->n : CLS_AHEAD_TRIED;
    clsolve_ldl *ldl = NULL;

    CLS_TRY(clsolve_ldl_create(context, n, task->type, &options, &ldl));
    clsolve_status status = cls_ahead_try(ldl, run, task->type, n, n, 0, n + 1);
    clsolve_ldl_destroy(ldl);
    return status;
}

clsolve_status clsolve_ldl_warm(clsolve_context *context, int64_t n, clsolve_type type) {
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    clsolve_status status = cls_validate_square(&context->error, "clsolve_ldl_warm", n, type);
    const cls_task task = task_of(n, type);
    if (status == CLSOLVE_OK) status = cls_ahead_warm(context, &task, warm);
    return cls_leave(context, status);
}

int clsolve_ldl_is_warm(const clsolve_context *context, clsolve_type type) {
    return cls_ahead_is_warm(context, CLS_FAMILY_LDL, type);
}
