#include "api/ahead.h"

#include <stdatomic.h>

#include "api/built.h"
#include "api/expected.h"
#include "api/validate.h"
#include "base/memory.h"

clsolve_status cls_ahead_warm(clsolve_context *context, const cls_task *task, cls_ahead_step *step, const void *user) {
    if (task->n == 0 || context->device->no_kernels) return CLSOLVE_OK;
    CLS_TRY(step(context, task, user));
    return cls_expected_measure(context, task->family, task->type);
}

int cls_ahead_is_warm(const clsolve_context *context, cls_family family, clsolve_type type) {
    if (!context || !cls_type_is_known(type)) return 0;
    if (context->device->no_kernels) return 1;
    return atomic_load(&((clsolve_context *)(uintptr_t)context)->where.built[family][type - CLSOLVE_F32]);
}

int cls_ahead_is_compiling(clsolve_context *context, const cls_task *task) {
    cls_choice choice = {0};
    if (!context || cls_enter(context) != CLSOLVE_OK) return 0;
    clsolve_status status = CLSOLVE_OK;
    if (cls_built_state_of(context, task) != CLS_BUILT_HERE) /* else a choice may count it as work (times.c) */
        status = cls_where_choose(context, "", task, CLSOLVE_WHERE_AUTO, 1, &choice);
    return cls_leave(context, status) == CLSOLVE_OK && choice.meanwhile;
}

static void put_ones(clsolve_type type, void *a, int64_t count, int64_t first, int64_t step) {
    for (int64_t k = 0; k < count; ++k) cls_type_put(type, a, (first + k * step) * cls_type_parts(type), 1);
}

clsolve_status cls_ahead_try(void *handle, cls_ahead_run *run, clsolve_type type, int64_t n, int64_t rows,
                             int64_t first, int64_t step) {
    const size_t size = (size_t)cls_type_size(type);
    void *a = cls_alloc((size_t)(rows * n), size), *b = cls_alloc((size_t)n, size);
    const clsolve_matrix A = {type, CLSOLVE_COLUMN_MAJOR, rows, n, rows, a, CLSOLVE_ON_HOST, 0};
    clsolve_matrix B = {type, CLSOLVE_COLUMN_MAJOR, n, 1, n, b, CLSOLVE_ON_HOST, 0};
    clsolve_status status = CLSOLVE_ERROR_OUT_OF_MEMORY;

    if (a && b) {
        put_ones(type, a, n, first, step);
        put_ones(type, b, n, 0, 1);
        status = run(handle, &A, &B);
    }
    cls_free(a);
    cls_free(b);
    return status;
}

clsolve_status cls_ahead_predict(clsolve_context *context, const char *call, const cls_task *task, int64_t nrhs,
                                 double rate, double *device, double *host) {
    cls_seconds_pair expected;
    CLS_TRY(cls_validate_predict(&context->error, call, nrhs, device, host));
    CLS_TRY(cls_expected_predict(context, task, &expected));
    /* The samples solve for one right-hand side. Others are taken to run at the rate of the factorization. */
    const double more = nrhs > 1 && task->n > 0 ? 1 + rate * (double)(nrhs - 1) / (double)task->n : 1;
    *device = expected.device * more;
    *host = expected.host * more;
    return CLSOLVE_OK;
}
