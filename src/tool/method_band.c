/* method_band.c: --method band-lu: a sparse matrix reordered where that pays, as a band to the library's band LU. */
#include "tool/solve_job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool/dense.h"

/* How much faster a dense LU does its operations, at least where the band is narrow. */
#define DENSE_IS_FASTER 4
/* Below this order neither takes any time, and dense LU's kernels are compiled once for all shapes. */
#define LEAST_ORDER 64

exit_code method_band_check(solve_job *job, outcome *out) {
    exit_code code = band_plan_make(job->matrix_path, &job->A, &job->plan, out);
    return code == EXIT_CODE_OK ? band_plan_check(job->matrix_path, job->A.rows, &job->plan, out) : code;
}

int method_band_is_better(solve_job *job) {
    outcome ignored = {0};
    int64_t n = job->A.rows;
    if (!job->A.sparse || n < LEAST_ORDER || method_band_check(job, &ignored) != EXIT_CODE_OK) return 0;
    if (dense_check(job->matrix_path, n, n, CLSOLVE_F64, &ignored) != EXIT_CODE_OK) return 1;
    return DENSE_IS_FASTER * band_plan_work(n, job->plan.after) <= band_plan_dense_work(n);
}

static exit_code explain(clsolve_context *context, const solve_job *job, clsolve_status status, outcome *out) {
    char said[SAID_SIZE];
    said_by_context(context, status, said);
    if (status == CLSOLVE_SINGULAR && job->report.info > 0)
        return outcome_fail_status(out, status,
                                   "%s: the matrix is singular: U(%" PRId64 ",%" PRId64
                                   ") of its factors%s is exactly zero; no solution is written",
                                   job->matrix_path, job->report.info, job->report.info,
                                   job->plan.place != NULL ? ", its rows and columns reordered," : "");
    return outcome_fail_status(out, status, "%s: %s", job->matrix_path, said);
}

static exit_code solve_band(clsolve_context *context, solve_job *job, const clsolve_matrix *AB, clsolve_matrix *B,
                            outcome *out) {
    clsolve_band_options options = {.form = CLSOLVE_BAND_PLAIN,
                                    .panel = job->panel,
                                    .block = (int32_t)job->block,
                                    .memory_limit = job->memory_limit,
                                    .progress = progress_draw,
                                    .progress_user = &job->bar,
                                    .precision = job->precision->factor,
                                    .rcond = 1,
                                    .equilibrate = job->equilibrate,
                                    .refine = job->refine};
    clsolve_band *band = NULL;
    clsolve_status status = clsolve_band_create(context, job->A.rows, job->plan.after.kl, job->plan.after.ku,
                                                job->precision->type, &options, &band);
    if (status == CLSOLVE_OK) status = clsolve_band_factor(band, AB);
    if (status == CLSOLVE_OK) status = clsolve_band_solve(band, CLSOLVE_NO_TRANS, B);
    progress_erase(&job->bar);
    exit_code code = EXIT_CODE_OK;
    if (status != CLSOLVE_OK && band == NULL) code = explain(context, job, status, out);
    if (band != NULL) {
        char said[4096];
        snprintf(said, sizeof said, "%s", clsolve_context_message(context)); /* the report is a call, too */
        job->has_report = clsolve_band_report(band, &job->report) == CLSOLVE_OK;
        if (status != CLSOLVE_OK) code = explain(context, job, status, out);
    }
    clsolve_band_destroy(band);
    return code;
}

static void warn_lost(const solve_job *job, int64_t lost) {
    if (lost == 0) return;
    char text[256];
    snprintf(text, sizeof text, "%.150s: %" PRId64 " entries are so small that they are 0 in single precision",
             job->matrix_path, lost);
    outcome_warn(text);
}

exit_code method_band_run(clsolve_context *context, solve_job *job, outcome *out) {
    clsolve_type type = job->precision->type;
    clsolve_matrix AB = {0}, B = {0};
    int64_t lost = 0;
    const char *rhs = job->rhs_path != NULL ? job->rhs_path : "the right-hand side A*(1,...,1)";

    exit_code code = method_band_check(job, out);
    if (code == EXIT_CODE_OK) code = band_plan_fill(job->matrix_path, &job->A, &job->plan, type, &AB, &lost, out);
    if (code != EXIT_CODE_OK) lost = 0; /* that failure says enough */
    if (code == EXIT_CODE_OK) code = band_plan_scatter(rhs, &job->B, &job->plan, type, &B, out);
    if (code == EXIT_CODE_OK) code = solve_band(context, job, &AB, &B, out);
    if (code != EXIT_CODE_MEMORY) warn_lost(job, lost); /* else auto may go on with lu, which says it */
    if (code == EXIT_CODE_OK) band_plan_gather(&B, &job->plan, &job->X);
    free(AB.data);
    free(B.data);
    return code;
}
