/* handle_ahead.c: what a caller of a dense handle can know and prepare before a matrix is there: predicted times,
 * compiled kernels. */
#include <math.h>

#include "api/ahead.h"
#include "api/handle.h"

static clsolve_status check(const cls_handle_family *family, clsolve_context *context, const char *call, int64_t m,
                            int64_t n, clsolve_type type) {
    cls_error *error = &context->error;

    if (n < 0 && family->uplo)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: n is %lld: sizes start at 0", call, (long long)n);
    if (m < 0 || n < 0)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: %lld x %lld: sizes start at 0", call, (long long)m,
                        (long long)n);
    return cls_validate_type(error, call, "type", type, CLS_ALL_TYPES);
}

cls_task cls_handle_task_of(cls_family family, int64_t m, int64_t n, clsolve_type type) {
    const double k = (double)(m < n ? m : n), longer = (double)(m < n ? n : m);
    const double order = cbrt(1.5 * k * k * (longer - k / 3));
    return (cls_task){.family = family, .type = type, .n = m == n ? n : (int64_t)order, .nrhs = 1};
}

clsolve_status cls_handle_predict(const cls_handle_family *family, clsolve_context *context, int64_t m, int64_t n,
                                  int64_t nrhs, clsolve_type type, double *device_seconds, double *host_seconds) {
    const char *call = family->names.predict;
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    clsolve_status status = check(family, context, call, m, n, type);
    const cls_task task = cls_handle_task_of(family->model, m, n, type);
    if (status == CLSOLVE_OK)
        status = cls_ahead_predict(context, call, &task, nrhs, family->rate, device_seconds, host_seconds);
    return cls_leave(context, status);
}

/* ---- kernels ---- */

static clsolve_status run(void *it, const clsolve_matrix *A, clsolve_matrix *B) {
    CLS_TRY(cls_handle_factor(it, CLSOLVE_LOWER, A));
    return cls_handle_solve(it, CLSOLVE_NO_TRANS, B);
}

static clsolve_status make(const cls_handle_family *family, clsolve_context *context, const cls_handle_shape *shape,
                           clsolve_type type, cls_handle **it) {
    return cls_handle_create(family, context, shape, type, family->on_device, it);
}

static clsolve_status warm(clsolve_context *context, const cls_task *task, const void *its_family) {
    const cls_handle_family *family = its_family;
    cls_handle_shape shape = {task->n, task->kl, task->ku};
    cls_handle *it = NULL;

    if (shape.n > CLS_AHEAD_TRIED) {
        if (family->kernels_by_size) CLS_TRY(make(family, context, &shape, task->type, &it));
        cls_head_destroy((cls_head *)it);
        shape.n = CLS_AHEAD_TRIED;
    }
    if (shape.kl > shape.n - 1) shape.kl = shape.n - 1;
    if (shape.ku > shape.n - 1) shape.ku = shape.n - 1;
    CLS_TRY(make(family, context, &shape, task->type, &it));
    const int64_t n = shape.n, band = shape.kl + shape.ku + 1;
    const clsolve_status status = family->banded ? cls_ahead_try(it, run, task->type, n, band, shape.ku, band)
                                                 : cls_ahead_try(it, run, task->type, n, n, 0, n + 1);
    cls_head_destroy((cls_head *)it);
    return status;
}

clsolve_status cls_handle_warm(const cls_handle_family *family, clsolve_context *context, int64_t m,
                               const cls_handle_shape *shape, clsolve_type type) {
    const char *call = family->names.warm;
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    clsolve_status status = family->banded ? cls_handle_check_shape(family, &context->error, call, shape, type)
                                           : check(family, context, call, m, shape->n, type);
    cls_task task = cls_handle_task_of(family->model, m, shape->n, type);
    task.kl = shape->kl;
    task.ku = shape->ku;
    if (status == CLSOLVE_OK) status = cls_ahead_warm(context, &task, warm, family);
    return cls_leave(context, status);
}
