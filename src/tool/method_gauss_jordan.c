/* method_gauss_jordan.c: --method gauss-jordan: the matrix spelled out and given to the library's Gauss-Jordan. */
#include "tool/dense.h"
#include "tool/solve_job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    clsolve_gauss_jordan_variant variant;
} variants[] = {
    {"two-pass", CLSOLVE_GAUSS_JORDAN_TWO_PASS},
    {"one-pass", CLSOLVE_GAUSS_JORDAN_ONE_PASS},
    {"operations", CLSOLVE_GAUSS_JORDAN_OPERATIONS},
    {"blocked", CLSOLVE_GAUSS_JORDAN_BLOCKED},
};

exit_code gauss_jordan_variant_find(const char *command, const char *name, clsolve_gauss_jordan_variant *variant,
                                    outcome *out) {
    *variant = CLSOLVE_GAUSS_JORDAN_AUTO;
    if (name == NULL) return EXIT_CODE_OK;
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++)
        if (strcmp(name, variants[i].name) == 0) {
            *variant = variants[i].variant;
            return EXIT_CODE_OK;
        }
    return outcome_fail(out, EXIT_CODE_USAGE,
                        "%s: --variant '%s' is unknown; use two-pass, one-pass, operations or blocked", command, name);
}

exit_code gauss_jordan_explain(clsolve_context *context, const solve_job *job, clsolve_status status, outcome *out) {
    char said[SAID_SIZE];
    said_by_context(context, status, said);
    if (status == CLSOLVE_SINGULAR && job->report.info > 0)
        return outcome_fail_status(out, status,
                                   "%s: the matrix is singular: the pivot of column %" PRId64
                                   " is exactly zero; nothing is written",
                                   job->matrix_path, job->report.info);
    if (status == CLSOLVE_ERROR_UNSUPPORTED && job->precision->type == CLSOLVE_F64 && !job->device.fp64)
        return outcome_fail_status(out, status,
                                   "%s: %s does not compute in double; use --precision single, or another --device",
                                   job->device.selector, job->device.name);
    return outcome_fail_status(out, status, "%s: %s", job->matrix_path, said);
}

exit_code gauss_jordan_views(solve_job *job, const char *rhs, gauss_jordan_data *data, outcome *out) {
    clsolve_type type = job->precision->type;
    int64_t lost = 0;
    *data = (gauss_jordan_data){0};

    exit_code code = dense_view(job->matrix_path, &job->A, type, &data->A, &data->owned_A, &lost, out);
    if (lost > 0) {
        char text[256];
        snprintf(text, sizeof text, "%.150s: %" PRId64 " entries are so small that they are 0 in single precision",
                 job->matrix_path, lost);
        outcome_warn(text);
    }
    if (code == EXIT_CODE_OK) code = dense_view(rhs, &job->B, type, &data->B, &data->owned_B, NULL, out);
    if (code == EXIT_CODE_OK && data->owned_B == NULL) {
        /* The library would overwrite job->B, which the residual needs: let it work in X's memory. */
        if (job->B.entries > 0)
            memcpy(job->X.value, job->B.value, (size_t)(job->B.entries * mm_numbers(&job->B)) * sizeof *job->X.value);
        data->B.data = job->X.value;
    }
    return code;
}

void gauss_jordan_keep(const gauss_jordan_data *data, mm_matrix *X) {
    const float *from = data->B.data;
    if (data->B.type == CLSOLVE_F64 || data->B.type == CLSOLVE_C64) return; /* it was made there */
    for (int64_t k = 0; k < X->entries * mm_numbers(X); k++) X->value[k] = (double)from[k];
}

void gauss_jordan_data_free(gauss_jordan_data *data) {
    free(data->owned_A);
    free(data->owned_B);
}

exit_code method_gauss_jordan_run(clsolve_context *context, solve_job *job, outcome *out) {
    clsolve_solver_options options = {.method = CLSOLVE_METHOD_GAUSS_JORDAN,
                                      .variant = job->variant,
                                      .where = job->where,
                                      .progress = progress_draw,
                                      .progress_user = &job->bar};
    clsolve_solve_report report = {0};
    gauss_jordan_data data;

    exit_code code =
        gauss_jordan_views(job, job->rhs_path != NULL ? job->rhs_path : "the right-hand side A*(1,...,1)", &data, out);
    if (code == EXIT_CODE_OK) {
        clsolve_status status = clsolve_solve(context, CLSOLVE_NO_TRANS, &data.A, &data.B, &options, &report);
        job->report = report.report;
        job->has_report = report.report.where != NULL; /* else it was refused before anything was done */
        progress_erase(&job->bar);
        if (status != CLSOLVE_OK) code = gauss_jordan_explain(context, job, status, out);
    }
    if (code == EXIT_CODE_OK) gauss_jordan_keep(&data, &job->X);
    gauss_jordan_data_free(&data);
    return code;
}
