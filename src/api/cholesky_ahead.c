/* cholesky_ahead.c: what a caller can know and prepare before a matrix is there: predicted times, compiled kernels. */
#include <math.h>

#include "api/ahead.h"
#include "api/cholesky.h"
#include "api/validate.h"
#include "base/memory.h"

static clsolve_status validate(clsolve_context *context, const char *call, int64_t n, clsolve_type type) {
    if (n < 0)
        return cls_fail(&context->error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: n is %lld: sizes start at 0", call,
                        (long long)n);
    return cls_validate_type(&context->error, call, "type", type, CLS_ALL_TYPES);
}

static cls_task task_of(int64_t n, clsolve_type type) {
    return (cls_task){.family = CLS_FAMILY_CHOLESKY, .type = type, .n = n, .nrhs = 1};
}

/* ---- times ---- */

static clsolve_status predict(clsolve_context *context, int64_t n, int64_t nrhs, clsolve_type type, double *device,
                              double *host) {
    const char *call = "clsolve_cholesky_predict";
    const cls_task task = task_of(n, type);
    cls_seconds_pair expected;

    CLS_TRY(validate(context, call, n, type));
    CLS_TRY(cls_validate_predict(&context->error, call, nrhs, device, host));
    CLS_TRY(cls_where_predict(context, &task, &expected));
    /* The samples solve for one right-hand side. Others are taken to run at the rate of the factorization. */
    const double more = nrhs > 1 && n > 0 ? 1 + 6 * (double)(nrhs - 1) / (double)n : 1;
    *device = expected.device * more;
    *host = expected.host * more;
    return CLSOLVE_OK;
}

clsolve_status clsolve_cholesky_predict(clsolve_context *context, int64_t n, int64_t nrhs, clsolve_type type,
                                        double *device_seconds, double *host_seconds) {
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    return cls_leave(context, predict(context, n, nrhs, type, device_seconds, host_seconds));
}

/* ---- kernels ---- */

enum { TRIED = 512 }; /* the order of a matrix that is factored, so that queues and copies have run too */

/* The identity, and a solve with it. */
static clsolve_status try_identity(clsolve_cholesky *cholesky, int64_t n, clsolve_type type) {
    const size_t size = (size_t)cls_type_size(type);
    void *a = cls_alloc((size_t)(n * n), size), *b = cls_alloc((size_t)n, size);
    clsolve_matrix A = {type, CLSOLVE_COLUMN_MAJOR, n, n, n, a, CLSOLVE_ON_HOST, 0}, B = A;
    clsolve_status status = CLSOLVE_ERROR_OUT_OF_MEMORY;

    if (a && b) {
        cls_ahead_put_ones(type, a, n, n + 1);
        cls_ahead_put_ones(type, b, n, 1);
        B.cols = 1;
        B.data = b;
        status = clsolve_cholesky_factor(cholesky, CLSOLVE_LOWER, &A);
        if (status == CLSOLVE_OK) status = clsolve_cholesky_solve(cholesky, &B);
    }
    cls_free(a);
    cls_free(b);
    return status;
}

/* All orders share their kernels. */
static clsolve_status warm(clsolve_context *context, const cls_task *task) {
    const clsolve_cholesky_options options = {.where = CLSOLVE_WHERE_DEVICE};
    const int64_t n = task->n < TRIED ? task->n : TRIED;
    clsolve_cholesky *cholesky = NULL;

    CLS_TRY(clsolve_cholesky_create(context, n, task->type, &options, &cholesky));
    clsolve_status status = try_identity(cholesky, n, task->type);
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
