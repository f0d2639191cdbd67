/* method_gauss_jordan.c: --method gauss-jordan: the matrix spelled out and given to the library's Gauss-Jordan. */
#include <inttypes.h>

#include "tool/solve_job.h"
#include "tool/system.h"

exit_code gauss_jordan_variant_find(const char *command, const char *name, clsolve_gauss_jordan_variant *variant,
                                    outcome *out) {
    static const char *const names[] = {NULL, "two-pass", "one-pass", "operations", "blocked"}; /* as the variants */
    const int found = name != NULL ? options_word(name, names + 1, 4) + 1 : CLSOLVE_GAUSS_JORDAN_AUTO;
    if (name != NULL && found == 0)
        return outcome_fail(out, EXIT_CODE_USAGE,
                            "%s: --variant '%s' is unknown; use two-pass, one-pass, operations or blocked", command,
                            name);
    *variant = (clsolve_gauss_jordan_variant)found;
    return EXIT_CODE_OK;
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

exit_code method_gauss_jordan_run(clsolve_context *context, solve_job *job, outcome *out) {
    clsolve_solver_options options = {.method = CLSOLVE_METHOD_GAUSS_JORDAN,
                                      .variant = job->variant,
                                      .where = job->where,
                                      .progress = progress_draw,
                                      .progress_user = &job->bar};
    clsolve_solve_report report = {0};
    system_data data;

    exit_code code = system_make(job, SYSTEM_DENSE, &data, out);
    if (code == EXIT_CODE_OK) {
        clsolve_status status = clsolve_solve(context, CLSOLVE_NO_TRANS, &data.A, &data.B, &options, &report);
        job->report = report.report;
        job->has_report = report.report.where != NULL; /* else it was refused before anything was done */
        progress_erase(&job->bar);
        if (status != CLSOLVE_OK) code = gauss_jordan_explain(context, job, status, out);
    }
    if (code == EXIT_CODE_OK) system_take_solution(&data, &job->X);
    system_free(&data);
    return code;
}
