/* command_invert.c: clsolve invert: read, invert on the device, judge the inverse, write, report. */
#include <clsolve/clsolve.h>

#include <inttypes.h>
#include <stdlib.h>

#include "tool/command.h"
#include "tool/dense.h"
#include "tool/options.h"
#include "tool/output.h"
#include "tool/report.h"
#include "tool/solve_job.h"

static const char notes[] =
    "\nA.mtx is a square Matrix Market file. The inverse is made by Gauss-Jordan elimination with\n"
    "partial pivoting and written whole or not at all. The report has its scaled residual,\n"
    "||A X - I||_1 / (||A||_1 ||X||_1 n eps), computed in double against the matrix as read,\n"
    "and 1 / (||A||_1 ||X||_1), the reciprocal condition.\n\n";

/* What popt fills; each string is for free(). */
typedef struct invert_options {
    char *inverse, *variant, *device, *precision, *json;
    int help;
} invert_options;

static void options_release(invert_options *options) {
    free(options->inverse);
    free(options->variant);
    free(options->device);
    free(options->precision);
    free(options->json);
}

static exit_code set_up(const command_line *line, const invert_options *options, solve_job *job, outcome *out) {
    exit_code code = options_check_operands(line, 1, 1, "the matrix file", out);
    if (code != EXIT_CODE_OK) return code;
    job->matrix_path = line->operands[0];
    job->solution_path = options->inverse;
    job->json_path = options->json;
    job->selector = options->device;
    code = solve_method_find("gauss-jordan", &job->method, out);
    if (code == EXIT_CODE_OK) code = gauss_jordan_variant_find("invert", options->variant, &job->variant, out);
    if (code == EXIT_CODE_OK)
        code = solve_precision_find(options->precision != NULL ? options->precision : "double", &job->precision, out);
    if (code == EXIT_CODE_OK && output_is_stdout(job->solution_path) && output_is_stdout(job->json_path))
        code = outcome_fail(out, EXIT_CODE_USAGE, "invert: -o - and --json - cannot share standard output");
    return code;
}

static exit_code invert_views(clsolve_context *context, solve_job *job, outcome *out) {
    clsolve_gauss_jordan_options options = {
        .variant = job->variant, .progress = progress_draw, .progress_user = &job->bar};
    clsolve_gauss_jordan *handle = NULL;
    gauss_jordan_data data;

    exit_code code = gauss_jordan_views(job, "the unit matrix", &data, out);
    if (code == EXIT_CODE_OK) {
        clsolve_status status =
            clsolve_gauss_jordan_create(context, job->A.rows, job->precision->type, &options, &handle);
        if (status == CLSOLVE_OK) status = clsolve_gauss_jordan_invert(handle, &data.A, &data.B);
        if (handle != NULL) clsolve_gauss_jordan_report(handle, &job->report);
        progress_erase(&job->bar);
        if (status != CLSOLVE_OK) code = gauss_jordan_explain(context, job, status, out);
        clsolve_gauss_jordan_destroy(handle);
    }
    if (code == EXIT_CODE_OK) gauss_jordan_keep(&data, &job->X);
    gauss_jordan_data_free(&data);
    return code;
}

static exit_code invert_on_device(solve_job *job, outcome *out) {
    clsolve_context *context = NULL;
    exit_code code = job_open_device(job, &context, out);
    if (code != EXIT_CODE_OK) return code;
    code = invert_views(context, job, out);
    clsolve_context_destroy(context);
    return code;
}

static exit_code compute(solve_job *job, outcome *out) {
    exit_code code = output_check(job->solution_path, out);
    if (code == EXIT_CODE_OK) code = problem_read_identity(job, out);
    if (code == EXIT_CODE_OK) code = invert_on_device(job, out);
    if (code != EXIT_CODE_OK) return code;
    if (!residuals_compute(&job->A, &job->B, &job->X, job->precision->eps, &job->residuals))
        return outcome_fail(out, EXIT_CODE_MEMORY, "%s: out of host memory for the residual", job->matrix_path);
    job->has_residuals = 1;
    if (!(job->residuals.scaled < RESIDUAL_ACCEPTED)) {
        char text[512];
        snprintf(text, sizeof text, "%.300s: the scaled residual %.3g is not below %d: the inverse is inaccurate",
                 job->matrix_path, job->residuals.scaled, RESIDUAL_ACCEPTED);
        outcome_warn(text);
    }
    return EXIT_CODE_OK;
}

static exit_code run_job(solve_job *job, outcome *out) {
    exit_code code = output_check(job->json_path, out);
    if (code != EXIT_CODE_OK) return code;
    progress_start(&job->bar);
    code = compute(job, out);
    if (code == EXIT_CODE_OK && job->solution_path != NULL) {
        double start = progress_clock();
        code = output_matrix(job->solution_path, &job->X, "inverse, by clsolve", out);
        job->write_seconds = progress_clock() - start;
    }
    /* A failure is reported in JSON too, or a script would find the report of an earlier run. */
    outcome json_out = {0};
    if (job->json_path != NULL && report_json_solve(job->json_path, job, out, &json_out) != EXIT_CODE_OK)
        code = outcome_fail(out, json_out.code, "%s", json_out.message);
    if (code == EXIT_CODE_OK && !output_is_stdout(job->json_path))
        report_text_solve(output_is_stdout(job->solution_path) ? stderr : stdout, job);
    return code;
}

exit_code command_invert(int argc, const char **argv, outcome *out) {
    invert_options options = {0};
    const struct poptOption table[] = {
        {"output", 'o', POPT_ARG_STRING, &options.inverse, 0, "Write the inverse; - is standard output", "X.mtx"},
        {"variant", '\0', POPT_ARG_STRING, &options.variant, 0,
         "two-pass, one-pass, operations or blocked; default: by size", "NAME"},
        {"device", '\0', POPT_ARG_STRING, &options.device, 0, "Which device; default: the best", "SEL"},
        {"precision", '\0', POPT_ARG_STRING, &options.precision, 0, "double (default) or single", "NAME"},
        {"json", '\0', POPT_ARG_STRING, &options.json, 0, "Write a report as JSON; - is standard output", "FILE|-"},
        OPTIONS_HELP(&options.help),
        OPTIONS_END,
    };
    command_line line;
    solve_job job = {.inverse = 1};
    exit_code code = options_parse(&line, argc, argv, table, "A.mtx [OPTION...]", out);
    if (code == EXIT_CODE_OK && options.help) {
        options_print_help(&line, notes);
        fputs(outcome_help, stdout);
    } else if (code == EXIT_CODE_OK) {
        code = set_up(&line, &options, &job, out);
        if (code == EXIT_CODE_OK) code = run_job(&job, out);
    }
    problem_free(&job);
    options_release(&options);
    options_free(&line);
    return code;
}
