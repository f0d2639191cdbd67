/* lu_in_place.c: the factorization of a matrix of any shape in the caller's memory. */
#include <math.h>

#include "api/lu.h"
#include "api/validate.h"
#include "method/lu/rectangle.h"

static const char call[] = "clsolve_lu_factor_in_place";

/* ---- arguments ---- */

static clsolve_status validate_options(clsolve_context *context, const clsolve_lu_options *o, clsolve_type type) {
    cls_error *error = &context->error;

    CLS_TRY(CLS_VALIDATE_RESERVED(error, call, o->reserved));
    CLS_TRY(cls_validate_options(error, call, o->panel, o->block, o->slab_bytes, o->memory_limit, o->precision, type));
    CLS_TRY(cls_validate_pivoting(error, call, o->pivoting, CLS_PIVOTINGS_OF_LU));
    if (o->nonfinite != 0 && o->nonfinite != 1)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: nonfinite is %d: give 0 or 1", call,
                        (int)o->nonfinite);
    if (o->pivoting > CLSOLVE_PIVOTING_PARTIAL || o->precision == CLSOLVE_PRECISION_MIXED || o->equilibrate ||
        o->refine || o->rcond)
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: the factors are LAPACK's, by partial pivoting of A as it is: other pivoting, MIXED, "
                        "equilibrate, refine and rcond are for handles (clsolve_lu_create)",
                        call);
    return CLSOLVE_OK;
}

static clsolve_status validate(clsolve_context *context, const clsolve_matrix *A, const int64_t *ipiv,
                               const clsolve_lu_options *options) {
    cls_error *error = &context->error;

    if (A && A->type != CLSOLVE_F32 && A->type != CLSOLVE_F64)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: the type of A is %d: give CLSOLVE_F32 or CLSOLVE_F64", call, (int)A->type);
    CLS_TRY(cls_validate_matrix(error, call, "A", A, A ? A->type : CLSOLVE_F64, -1, -1));
    if (!ipiv && A->rows > 0 && A->cols > 0)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: ipiv is NULL: give room for %lld pivots", call,
                        (long long)(A->rows < A->cols ? A->rows : A->cols));
    if (A->place != CLSOLVE_ON_HOST)
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: A is on the device: give it on the host, or use clsolve_lu_create", call);
    return validate_options(context, options, A->type);
}

/* ---- where ---- */

cls_task cls_lu_task_of(int64_t m, int64_t n, clsolve_type type) {
    double k = (double)(m < n ? m : n), longer = (double)(m < n ? n : m);
    double order = m == n ? k : cbrt(1.5 * k * k * (longer - k / 3));
    return (cls_task){.family = CLS_FAMILY_LU, .type = type, .n = (int64_t)order, .nrhs = 1};
}

/* The device has no double, or the host is to stand in: the choice of a handle with these options otherwise. */
static clsolve_status choose(clsolve_context *context, const clsolve_matrix *A, const clsolve_lu_options *o,
                             int *host_can, cls_choice *choice) {
    cls_task task = cls_lu_task_of(A->rows, A->cols, A->type);

    *host_can = o->panel == CLSOLVE_PANEL_AUTO && o->block == 0 && o->slab_bytes == 0 && o->memory_limit == 0;
    if (A->type == CLSOLVE_F64 && !context->device->info.fp64 && *host_can && o->where == CLSOLVE_WHERE_AUTO) {
        *choice = (cls_choice){.where = "host", .reason = "auto: the device does not compute in double"};
        return cls_context_host(context, &choice->device);
    }
    CLS_TRY(cls_where_choose(context, call, &task, o->where, *host_can, choice));
    return cls_validate_double(choice->device, call, A->type);
}

/* ---- the call ---- */

static void write_report(const cls_rectangle *job, const cls_choice *choice, const clsolve_matrix *A,
                         clsolve_status status, clsolve_report *report) {
    *report = (clsolve_report){.status = status, .method = "lu"};
    report->n = A->cols;
    report->info = job->info;
    report->seconds = job->seconds;
    report->precision = A->type == CLSOLVE_F64 ? "double" : "single";
    report->device_bytes = job->device_bytes;
    report->direct.rcond = -1;
    report->direct.pivoting = report->direct.pivoting_used = "partial";
    report->refinement.backward_error = -1;
    cls_where_report(choice, report);
}

/* LAPACK takes over what the device does not have room for, or does not do. */
static int host_takes_over(clsolve_status status, const clsolve_lu_options *o, int host_can) {
    if (status == CLSOLVE_ERROR_NONFINITE) return o->nonfinite;
    return status == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY && host_can && o->where == CLSOLVE_WHERE_AUTO;
}

static clsolve_status factor(clsolve_context *context, const clsolve_matrix *A, int64_t *ipiv,
                             const clsolve_lu_options *options, clsolve_report *report) {
    cls_rectangle job = {.call = call, .options = options};
    cls_choice choice = {0};
    int host_can;

    CLS_TRY(choose(context, A, options, &host_can, &choice));
    job.device = choice.device;
    clsolve_status status = cls_rectangle_factor(&job, A, ipiv);
    if (!job.device->no_kernels && host_takes_over(status, options, host_can)) {
        choice.where = "host";
        choice.reason = status == CLSOLVE_ERROR_NONFINITE ? "NaN and Inf pass as in LAPACK"
                                                          : "auto: the device has no room for the matrix";
        job = (cls_rectangle){.call = call, .options = options};
        CLS_TRY(cls_context_host(context, &job.device));
        status = cls_rectangle_factor(&job, A, ipiv);
    } else if (status >= CLSOLVE_OK && !job.device->no_kernels && A->rows > 0 && A->cols > 0) {
        cls_where_built(context, &choice, CLS_FAMILY_LU, A->type);
    }
    if (report) write_report(&job, &choice, A, status, report);
    return status;
}

clsolve_status clsolve_lu_factor_in_place(clsolve_context *context, clsolve_matrix *A, int64_t *ipiv,
                                          const clsolve_lu_options *options, clsolve_report *report) {
    static const clsolve_lu_options defaults = {0};

    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    if (!options) options = &defaults;
    cls_enter(context);
    clsolve_status status = validate(context, A, ipiv, options);
    if (status == CLSOLVE_OK) status = factor(context, A, ipiv, options, report);
    return cls_leave(context, status);
}
