/* lu_in_place.c: the factorization of a matrix of any shape in the caller's memory. */
#include "api/in_place.h"
#include "api/lu_state.h"
#include "api/validate.h"
#include "method/lu/rectangle.h"

static const char call[] = "clsolve_lu_factor_in_place";

/* ---- arguments ---- */

static clsolve_status validate_options(clsolve_context *context, const clsolve_lu_options *o, clsolve_type type) {
    cls_error *error = &context->error;

    CLS_TRY(CLS_VALIDATE_RESERVED(error, call, o->reserved));
    CLS_TRY(cls_validate_options(error, call, CLS_COMMON_OPTIONS(o, o->panel), type));
    /* RBT is dense LU's, and is refused below, with the call that takes it. */
    const int taken = o->pivoting == CLSOLVE_PIVOTING_RBT ? CLS_PIVOTINGS_OF_LU : CLS_PIVOTINGS_OF_BANDS;
    CLS_TRY(cls_validate_pivoting(error, call, o->pivoting, taken));
    CLS_TRY(cls_validate_flag(error, call, "nonfinite", o->nonfinite));
    return cls_in_place_refuse(error, call, "clsolve_lu_create",
                               o->pivoting > CLSOLVE_PIVOTING_PARTIAL || o->precision == CLSOLVE_PRECISION_MIXED ||
                                   o->equilibrate || o->refine || o->rcond);
}

static clsolve_status validate(clsolve_context *context, const clsolve_matrix *A, const int64_t *ipiv,
                               const clsolve_lu_options *options) {
    cls_error *error = &context->error;

    if (A) CLS_TRY(cls_validate_type(error, call, "the type of A", A->type, CLS_ALL_TYPES));
    CLS_TRY(cls_validate_matrix(error, call, "A", A, A ? A->type : CLSOLVE_F64, -1, -1));
    CLS_TRY(cls_in_place_check(error, call, "clsolve_lu_create", "A", A, A->rows, A->cols, ipiv));
    return validate_options(context, options, A->type);
}

/* ---- the call ---- */

static void write_report(const cls_rectangle *job, const cls_choice *choice, const clsolve_matrix *A,
                         clsolve_status status, clsolve_report *report) {
    *report = cls_in_place_report("lu", A->type, A->cols, status);
    report->info = job->info;
    report->seconds = job->seconds;
    report->device_bytes = job->device_bytes;
    report->direct.pivoting = report->direct.pivoting_used = "partial";
    cls_where_report(choice, report);
}

static clsolve_status factor(clsolve_context *context, const clsolve_matrix *A, int64_t *ipiv,
                             const clsolve_lu_options *options, clsolve_report *report) {
    const cls_task task = cls_handle_task_of(CLS_FAMILY_LU, A->rows, A->cols, A->type);
    const int host_can =
        options->panel == CLSOLVE_PANEL_AUTO && !options->block && !options->slab_bytes && !options->memory_limit;
    cls_rectangle job = {.call = call, .options = options};
    cls_choice choice = {0};

    CLS_TRY(cls_in_place_choose(context, call, &task, options->where, host_can, &choice));
    job.device = choice.device;
    clsolve_status status = cls_rectangle_factor(&job, A, ipiv);
    const int passes = status == CLSOLVE_ERROR_NONFINITE && options->nonfinite;
    if (!job.device->no_kernels && (passes || cls_in_place_gives_up(status, options->where, host_can))) {
        CLS_TRY(cls_in_place_to_host(
            context, passes ? "NaN and Inf pass as in LAPACK" : "auto: the device has no room for the matrix",
            &choice));
        job = (cls_rectangle){.call = call, .options = options, .device = choice.device};
        status = cls_rectangle_factor(&job, A, ipiv);
    } else if (status >= CLSOLVE_OK && !job.device->no_kernels && A->rows > 0 && A->cols > 0) {
        cls_where_built(context, &choice);
    }
    if (report) write_report(&job, &choice, A, status, report);
    return status;
}

clsolve_status clsolve_lu_factor_in_place(clsolve_context *context, clsolve_matrix *A, int64_t *ipiv,
                                          const clsolve_lu_options *options, clsolve_report *report) {
    static const clsolve_lu_options defaults = {0};

    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    if (!options) options = &defaults;
    CLS_TRY(cls_enter(context));
    clsolve_status status = validate(context, A, ipiv, options);
    if (status == CLSOLVE_OK) status = factor(context, A, ipiv, options, report);
    return cls_leave(context, status);
}
