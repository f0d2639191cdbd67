/* lu_ahead.c: what a caller can know and prepare before a matrix is there: predicted times, kernels that are
 * compiled. */
#include <math.h>

#include "api/ahead.h"
#include "api/lu.h"
#include "api/validate.h"
#include "base/memory.h"

static clsolve_status validate(clsolve_context *context, const char *call, int64_t m, int64_t n, clsolve_type type) {
    if (m < 0 || n < 0)
        return cls_fail(&context->error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: %lld x %lld: sizes start at 0", call,
                        (long long)m, (long long)n);
    return cls_validate_type(&context->error, call, "type", type, CLS_ALL_TYPES);
}

/* ---- times ---- */

static clsolve_status predict(clsolve_context *context, int64_t m, int64_t n, int64_t nrhs, clsolve_type type,
                              double *device, double *host) {
    const char *call = "clsolve_lu_predict";
    cls_seconds_pair expected;

    CLS_TRY(validate(context, call, m, n, type));
    CLS_TRY(cls_validate_predict(&context->error, call, nrhs, device, host));
    const cls_task task = cls_lu_task_of(m, n, type);
    CLS_TRY(cls_where_predict(context, &task, &expected));
    /* The samples solve for one right-hand side. Others are taken to run at the rate of the factorization. */
    const double more = nrhs > 1 && task.n > 0 ? 1 + 3 * (double)(nrhs - 1) / (double)task.n : 1;
    *device = expected.device * more;
    *host = expected.host * more;
    return CLSOLVE_OK;
}

clsolve_status clsolve_lu_predict(clsolve_context *context, int64_t m, int64_t n, int64_t nrhs, clsolve_type type,
                                  double *device_seconds, double *host_seconds) {
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    return cls_leave(context, predict(context, m, n, nrhs, type, device_seconds, host_seconds));
}

/* ---- kernels ---- */

enum { TRIED = 512 }; /* the order of a matrix that is factored, so that queues and copies have run too */

/* The handle of a call's order, which compiles what that order needs. */
static clsolve_status make(clsolve_context *context, int64_t n, clsolve_type type, clsolve_lu **lu) {
    const clsolve_lu_options options = {.where = CLSOLVE_WHERE_DEVICE};
    return clsolve_lu_create(context, n, type, &options, lu);
}

/* The identity, and a solve with it. */
static clsolve_status try_identity(clsolve_lu *lu, int64_t n, clsolve_type type) {
    const size_t size = (size_t)cls_type_size(type);
    void *a = cls_alloc((size_t)(n * n), size), *b = cls_alloc((size_t)n, size);
    clsolve_matrix A = {type, CLSOLVE_COLUMN_MAJOR, n, n, n, a, CLSOLVE_ON_HOST, 0}, B = A;
    clsolve_status status = CLSOLVE_ERROR_OUT_OF_MEMORY;

    if (a && b) {
        cls_ahead_put_ones(type, a, n, n + 1);
        cls_ahead_put_ones(type, b, n, 1);
        B.cols = 1;
        B.data = b;
        status = clsolve_lu_factor(lu, &A);
        if (status == CLSOLVE_OK) status = clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &B);
    }
    cls_free(a);
    cls_free(b);
    return status;
}

static clsolve_status warm(clsolve_context *context, const cls_task *task) {
    const clsolve_type type = task->type;
    const int64_t n = task->n, tried = n < TRIED ? n : TRIED;
    clsolve_lu *lu = NULL;

    if (n > tried) {
        CLS_TRY(make(context, n, type, &lu));
        clsolve_lu_destroy(lu);
    }
    CLS_TRY(make(context, tried, type, &lu));
    clsolve_status status = try_identity(lu, tried, type);
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
