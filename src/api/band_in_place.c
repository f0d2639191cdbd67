/* band_in_place.c: the factorization of a band of any shape in the caller's memory, and its predicted time. */
#include "api/band.h"
#include "api/expected.h"
#include "api/in_place.h"
#include "api/validate.h"
#include "method/band/in_place.h"

/* ---- arguments ---- */

static clsolve_status validate_shape(cls_error *error, const char *call, int64_t m, int64_t n, int64_t kl, int64_t ku,
                                     clsolve_type type) {
    CLS_TRY(cls_band_check_shape(error, call, &(cls_handle_shape){m, kl, ku}, type));
    return cls_band_check_shape(error, call, &(cls_handle_shape){n, kl, ku}, type);
}

static clsolve_status validate_options(cls_error *error, const char *call, const clsolve_band_options *o,
                                       clsolve_type type) {
    CLS_TRY(CLS_VALIDATE_RESERVED(error, call, o->reserved));
    CLS_TRY(cls_band_check_form(error, call, o->form));
    CLS_TRY(cls_validate_options(error, call, CLS_COMMON_OPTIONS(o, o->panel), type));
    CLS_TRY(cls_validate_flag(error, call, "nonfinite", o->nonfinite));
    return cls_in_place_refuse(error, call, "clsolve_band_create",
                               o->precision == CLSOLVE_PRECISION_MIXED || o->equilibrate || o->refine || o->rcond);
}

static clsolve_status validate(cls_error *error, const cls_band_job *job, const clsolve_matrix *AB,
                               const int64_t *ipiv) {
    const clsolve_type type = AB ? AB->type : CLSOLVE_F64;

    CLS_TRY(validate_shape(error, job->call, job->m, job->n, job->kl, job->ku, type));
    CLS_TRY(cls_validate_matrix(error, job->call, "AB", AB, type, 2 * job->kl + job->ku + 1, job->n));
    CLS_TRY(cls_in_place_check(error, job->call, "clsolve_band_create", "AB", AB, job->m, job->n, ipiv));
    return validate_options(error, job->call, job->options, type);
}

/* ---- the call ---- */

static cls_task task_of(int64_t m, int64_t n, int64_t kl, int64_t ku, clsolve_type type) {
    const cls_band_square square = cls_band_square_of(m, n, kl, ku);
    return (cls_task){
        .family = CLS_FAMILY_BAND, .type = type, .n = square.n, .kl = square.kl, .ku = square.ku, .nrhs = 1};
}

static clsolve_status factor(clsolve_context *context, cls_band_job *job, const clsolve_matrix *AB, int64_t *ipiv,
                             clsolve_report *report) {
    const cls_task task = task_of(job->m, job->n, job->kl, job->ku, AB->type);
    const clsolve_where asked = job->options->where;
    const int host_can = cls_host_can(CLS_COMMON_OPTIONS(job->options, job->options->panel));
    cls_choice choice = {0};

    CLS_TRY(cls_in_place_choose(context, job->call, &task, asked, host_can, &choice));
    job->device = choice.device;
    clsolve_status status = cls_band_in_place(job, AB, ipiv);
    if (status == CLSOLVE_ERROR_NONFINITE && job->options->nonfinite) {
        CLS_TRY(cls_in_place_to_host(context, "NaN and Inf pass as in LAPACK", &choice));
        status = cls_band_by_lapack(job, AB, ipiv);
    } else if (!job->device->no_kernels && cls_in_place_gives_up(status, asked, host_can)) {
        CLS_TRY(cls_in_place_to_host(context, "auto: the device has no room for the matrix", &choice));
        job->device = choice.device;
        status = cls_band_in_place(job, AB, ipiv);
    } else if (status >= CLSOLVE_OK && !job->device->no_kernels && job->m > 0 && job->n > 0) {
        cls_where_built(context, &choice);
    }
    if (!report) return status;
    *report = cls_in_place_report("band-lu", AB->type, job->n, status);
    report->info = job->report.info;
    report->seconds = job->report.seconds;
    report->device_bytes = job->report.device_bytes;
    report->host_bytes = job->report.host_bytes;
    report->slab_columns = job->report.slab_columns;
    report->band = job->report.band;
    cls_where_report(&choice, report);
    return status;
}

clsolve_status clsolve_band_factor_in_place(clsolve_context *context, int64_t m, int64_t n, int64_t kl, int64_t ku,
                                            clsolve_matrix *AB, int64_t *ipiv, const clsolve_band_options *options,
                                            clsolve_report *report) {
    static const clsolve_band_options defaults = {0};
    cls_band_job job = {.call = "clsolve_band_factor_in_place", .m = m, .n = n, .kl = kl, .ku = ku};

    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    job.options = options ? options : &defaults;
    CLS_TRY(cls_enter(context));
    clsolve_status status = validate(&context->error, &job, AB, ipiv);
    if (status == CLSOLVE_OK) status = factor(context, &job, AB, ipiv, report);
    return cls_leave(context, status);
}

/* ---- times ---- */

/* The samples solve for one right-hand side. Others are taken to run at the rate of the factorization. */
static double seconds_more(const cls_task *task, int64_t nrhs) {
    const double upper = (double)(task->kl + task->ku), factor = (double)task->kl * upper;
    const double solve = (double)task->kl + upper + 1;
    return nrhs > 1 ? (factor + (double)nrhs * solve) / (factor + solve) : 1;
}

static clsolve_status predict(clsolve_context *context, const cls_task *task, int64_t nrhs, double *device,
                              double *host) {
    cls_seconds_pair expected;

    CLS_TRY(cls_expected_predict(context, task, &expected));
    *device = expected.device * seconds_more(task, nrhs);
    *host = expected.host * seconds_more(task, nrhs);
    return CLSOLVE_OK;
}

clsolve_status clsolve_band_predict(clsolve_context *context, int64_t m, int64_t n, int64_t kl, int64_t ku,
                                    int64_t nrhs, clsolve_type type, double *device_seconds, double *host_seconds) {
    const char *call = "clsolve_band_predict";

    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    clsolve_status status = validate_shape(&context->error, call, m, n, kl, ku, type);
    if (status == CLSOLVE_OK) status = cls_validate_predict(&context->error, call, nrhs, device_seconds, host_seconds);
    if (status == CLSOLVE_OK) {
        const cls_task task = task_of(m, n, kl, ku, type);
        status = predict(context, &task, nrhs, device_seconds, host_seconds);
    }
    return cls_leave(context, status);
}
