/* dense_ahead.c: what a caller of a dense handle can know and prepare before a matrix is there: predicted times,
 * compiled kernels. */
#include <math.h>

#include "api/ahead.h"
#include "api/dense.h"

static clsolve_status check(const cls_dense_family *family, clsolve_context *context, const char *call, int64_t m,
                            int64_t n, clsolve_type type) {
    cls_error *error = &context->error;

    if (n < 0 && family->uplo)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: n is %lld: sizes start at 0", call, (long long)n);
    if (m < 0 || n < 0)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: %lld x %lld: sizes start at 0", call, (long long)m,
                        (long long)n);
    return cls_validate_type(error, call, "type", type, CLS_ALL_TYPES);
}

cls_task cls_dense_task_of(cls_family family, int64_t m, int64_t n, clsolve_type type) {
    const double k = (double)(m < n ? m : n), longer = (double)(m < n ? n : m);
    const double order = cbrt(1.5 * k * k * (longer - k / 3));
    return (cls_task){.family = family, .type = type, .n = m == n ? n : (int64_t)order, .nrhs = 1};
}

clsolve_status cls_dense_predict(const cls_dense_family *family, clsolve_context *context, int64_t m, int64_t n,
                                 int64_t nrhs, clsolve_type type, double *device_seconds, double *host_seconds) {
    const char *call = family->names.predict;
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    clsolve_status status = check(family, context, call, m, n, type);
    const cls_task task = cls_dense_task_of(family->model, m, n, type);
    if (status == CLSOLVE_OK)
        status = cls_ahead_predict(context, call, &task, nrhs, family->rate, device_seconds, host_seconds);
    return cls_leave(context, status);
}

/* ---- kernels ---- */

static clsolve_status run(void *it, const clsolve_matrix *A, clsolve_matrix *B) {
    CLS_TRY(cls_dense_factor(it, CLSOLVE_LOWER, A));
    return cls_dense_solve(it, CLSOLVE_NO_TRANS, B);
}

static clsolve_status warm(clsolve_context *context, const cls_task *task, const void *its_family) {
    const cls_dense_family *family = its_family;
    const int64_t n = task->n, tried = n < CLS_AHEAD_TRIED ? n : CLS_AHEAD_TRIED;
    void *it = NULL;

    if (n > tried && family->kernels_by_size) {
        CLS_TRY(cls_dense_create(family, context, n, task->type, family->on_device, &it));
        cls_dense_destroy(it);
    }
    CLS_TRY(cls_dense_create(family, context, tried, task->type, family->on_device, &it));
    const clsolve_status status = cls_ahead_try(it, run, task->type, tried, tried, 0, tried + 1);
    cls_dense_destroy(it);
    return status;
}

clsolve_status cls_dense_warm(const cls_dense_family *family, clsolve_context *context, int64_t m, int64_t n,
                              clsolve_type type) {
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    clsolve_status status = check(family, context, family->names.warm, m, n, type);
    const cls_task task = cls_dense_task_of(family->model, m, n, type);
    if (status == CLSOLVE_OK) status = cls_ahead_warm(context, &task, warm, family);
    return cls_leave(context, status);
}
