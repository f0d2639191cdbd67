/* job.c: what solve and invert have in common: where reports may go, the device, the residual, and how a command
 * ends. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tool/output.h"
#include "tool/report.h"
#include "tool/solve_job.h"

/* A report or a picture never takes the place of an input. A solution may: X replaces B as in LAPACK, once both are
 * read and X is whole. */
static exit_code check_inputs(const char *command, const char *option, const char *path, const solve_job *job,
                              outcome *out) {
    if (path == NULL || output_is_stdout(path)) return EXIT_CODE_OK;
    exit_code code = output_check_different(command, option, path, "the matrix", job->matrix_path, out);
    if (code != EXIT_CODE_OK) return code;
    code = output_check_different(command, option, path, "the right-hand side", job->rhs_path, out);
    if (code != EXIT_CODE_OK) return code;
    return output_check_different(command, option, path, "the order", job->order_path, out);
}

/* First of all: a report may go only to a place that is its own and can be written. */
exit_code job_check_places(const char *command, solve_job *job, outcome *out) {
    exit_code code = output_check(job->json_path, out);
    if (code == EXIT_CODE_OK) code = check_inputs(command, "--json", job->json_path, job, out);
    if (code == EXIT_CODE_OK)
        code = output_check_different(command, "-o", job->solution_path, "--json", job->json_path, out);
    if (code == EXIT_CODE_OK)
        code = output_check_different(command, "--plot", job->plot_path, "--json", job->json_path, out);
    job->json_refused = code != EXIT_CODE_OK;
    if (code == EXIT_CODE_OK)
        code = output_check_different(command, "-o", job->solution_path, "--plot", job->plot_path, out);
    if (code == EXIT_CODE_OK) code = check_inputs(command, "--plot", job->plot_path, job, out);
    return code;
}

exit_code job_measure(solve_job *job, outcome *out) {
    if (!residuals_compute(&job->A, &job->B, &job->X, job->precision->eps, &job->residuals))
        return outcome_fail(out, EXIT_CODE_MEMORY, "%s: out of host memory for the residual", job->matrix_path);
    job->has_residuals = 1;
    return EXIT_CODE_OK;
}

double job_tolerance(const solve_job *job) {
    if (job->tolerance > 0) return job->tolerance;
    return job->precision->type == CLSOLVE_F64 ? 1e-10 : 1e-5;
}

int job_is_within_tolerance(const solve_job *job) {
    return job->residuals.relative <= 100 * fmax(job_tolerance(job), job->precision->eps);
}

exit_code job_write(solve_job *job, const char *title, outcome *out) {
    if (job->solution_path == NULL) return EXIT_CODE_OK;
    double start = progress_clock();
    exit_code code = output_matrix(job->solution_path, &job->X, title, out);
    job->write_seconds = progress_clock() - start;
    return code;
}

/* A reader that is not there or a disk that is full is to be known before the JSON says how it ended. */
exit_code job_report_to_people(const solve_job *job, outcome *out) {
    if (output_is_stdout(job->json_path)) return EXIT_CODE_OK;
    if (output_is_stdout(job->solution_path) || output_is_stdout(job->plot_path)) {
        report_text_solve(stderr, job);
        return EXIT_CODE_OK;
    }
    report_text_solve(stdout, job);
    errno = 0;
    if (fflush(stdout) == 0 && ferror(stdout) == 0) return EXIT_CODE_OK;
    return outcome_fail(out, EXIT_CODE_FILE, "standard output: cannot write: %s",
                        errno != 0 ? strerror(errno) : "an earlier write failed");
}

/* A failure is reported in JSON too, or a script would find the report of an earlier run; but not into a place that is
 * itself what is wrong. */
static exit_code report_to_programs(const solve_job *job, outcome *out) {
    outcome json_out = {0};
    if (job->json_path == NULL || job->json_refused) return out->code;
    if (report_json_solve(job->json_path, job, out, &json_out) == EXIT_CODE_OK) return out->code;
    return outcome_fail(out, json_out.code, "%s", json_out.message);
}

exit_code job_end(solve_job *job, command_line *line, outcome *out) {
    exit_code code = report_to_programs(job, out);
    problem_free(job);
    job_free_devices(job);
    options_free(line);
    return code;
}
