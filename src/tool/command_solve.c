/* command_solve.c: clsolve solve: read, solve on the device, judge the answer, write, report. */
#include <clsolve/clsolve.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/command.h"
#include "tool/options.h"
#include "tool/output.h"
#include "tool/report.h"
#include "tool/solve_job.h"

static const char notes[] = "\nA.mtx is a square Matrix Market file, b.mtx one with as many rows and any number of\n"
                            "columns; without it the right-hand side is A*(1,...,1). Files are written whole or not\n"
                            "at all. With -o - the report for people goes to stderr; with --json - there is none.\n"
                            "SEL: gpu, cpu, opencl, opencl:1 (see 'clsolve devices'), or a part of a name.\n"
                            "In single precision the residuals are still computed in double, against A as read.\n\n";

/* What popt fills; each string is for free(). */
typedef struct solve_options {
    char *solution, *method, *variant, *device, *precision, *json;
    int help;
} solve_options;

static void options_release(solve_options *options) {
    free(options->solution);
    free(options->method);
    free(options->variant);
    free(options->device);
    free(options->precision);
    free(options->json);
}

static exit_code set_up(const command_line *line, const solve_options *options, solve_job *job, outcome *out) {
    exit_code code = options_check_operands(line, 1, 2, "the matrix file", out);
    if (code != EXIT_CODE_OK) return code;
    job->matrix_path = line->operands[0];
    job->rhs_path = line->operands[1];
    job->solution_path = options->solution;
    job->json_path = options->json;
    job->selector = options->device;
    code = solve_method_find(options->method != NULL ? options->method : "auto", &job->method, out);
    if (code == EXIT_CODE_OK) code = gauss_jordan_variant_find("solve", options->variant, &job->variant, out);
    if (code == EXIT_CODE_OK && options->variant != NULL && job->method->run != method_gauss_jordan_run)
        code = outcome_fail(out, EXIT_CODE_USAGE, "solve: --variant goes with --method gauss-jordan");
    if (code == EXIT_CODE_OK)
        code = solve_precision_find(options->precision != NULL ? options->precision : "double", &job->precision, out);
    if (code == EXIT_CODE_OK && output_is_stdout(job->solution_path) && output_is_stdout(job->json_path))
        code = outcome_fail(out, EXIT_CODE_USAGE, "solve: -o - and --json - cannot share standard output");
    return code;
}

exit_code job_open_device(solve_job *job, clsolve_context **context, outcome *out) {
    char said[4096] = "";
    clsolve_context_options options = {.selector = job->selector, .message = said, .message_size = sizeof said};
    clsolve_status status = clsolve_context_create_with(&options, context);
    if (status == CLSOLVE_OK) {
        job->device = clsolve_context_device(*context);
        return EXIT_CODE_OK;
    }
    return outcome_fail_status(out, status, "%s; 'clsolve devices' lists what there is",
                               said[0] != '\0' ? said : clsolve_status_text(status));
}

static exit_code solve_on_device(solve_job *job, outcome *out) {
    clsolve_context *context = NULL;
    exit_code code = job_open_device(job, &context, out);
    if (code != EXIT_CODE_OK) return code;
    code = job->method->run(context, job, out);
    clsolve_context_destroy(context);
    return code;
}

/* The library ran to its end, but pivots may have grown. Written so that NaN warns too. */
static void warn_inaccurate(const solve_job *job) {
    if (job->residuals.scaled < RESIDUAL_ACCEPTED) return;
    char text[512];
    snprintf(text, sizeof text,
             "%.300s: the scaled residual %.3g is not below %d: the solution is inaccurate, as the pivots grew",
             job->matrix_path, job->residuals.scaled, RESIDUAL_ACCEPTED);
    outcome_warn(text);
}

/* Everything that may fail before there is an answer to write. */
static exit_code compute(solve_job *job, outcome *out) {
    exit_code code = output_check(job->solution_path, out);
    if (code == EXIT_CODE_OK) code = problem_read(job, out);
    if (code == EXIT_CODE_OK) code = solve_on_device(job, out);
    if (code != EXIT_CODE_OK) return code;
    if (!residuals_compute(&job->A, &job->B, &job->X, job->precision->eps, &job->residuals))
        return outcome_fail(out, EXIT_CODE_MEMORY, "%s: out of host memory for the residual", job->matrix_path);
    job->has_residuals = 1;
    warn_inaccurate(job);
    return EXIT_CODE_OK;
}

static exit_code write_solution(solve_job *job, outcome *out) {
    if (job->solution_path == NULL) return EXIT_CODE_OK;
    double start = progress_clock();
    exit_code code = output_matrix(job->solution_path, &job->X, "solution of A X = B, by clsolve", out);
    job->write_seconds = progress_clock() - start;
    return code;
}

static exit_code run_job(solve_job *job, outcome *out) {
    exit_code code = output_check(job->json_path, out);
    if (code != EXIT_CODE_OK) return code;
    progress_start(&job->bar);
    code = compute(job, out);
    if (code == EXIT_CODE_OK) code = write_solution(job, out);

    /* A failure is reported in JSON too, or a script would find the report of an earlier run. */
    outcome json_out = {0};
    if (job->json_path != NULL && report_json_solve(job->json_path, job, out, &json_out) != EXIT_CODE_OK)
        code = outcome_fail(out, json_out.code, "%s", json_out.message);
    if (code == EXIT_CODE_OK && !output_is_stdout(job->json_path))
        report_text_solve(output_is_stdout(job->solution_path) ? stderr : stdout, job);
    return code;
}

exit_code command_solve(int argc, const char **argv, outcome *out) {
    solve_options options = {0};
    const struct poptOption table[] = {
        {"output", 'o', POPT_ARG_STRING, &options.solution, 0, "Write X; - is standard output", "x.mtx"},
        {"method", '\0', POPT_ARG_STRING, &options.method, 0, "auto (default), lu or gauss-jordan", "NAME"},
        {"variant", '\0', POPT_ARG_STRING, &options.variant, 0,
         "Of gauss-jordan: two-pass, one-pass, operations or blocked", "NAME"},
        {"device", '\0', POPT_ARG_STRING, &options.device, 0, "Which device; default: the best", "SEL"},
        {"precision", '\0', POPT_ARG_STRING, &options.precision, 0, "double (default) or single", "NAME"},
        {"json", '\0', POPT_ARG_STRING, &options.json, 0, "Write a report as JSON; - is standard output", "FILE|-"},
        OPTIONS_HELP(&options.help),
        OPTIONS_END,
    };
    command_line line;
    solve_job job = {0};
    exit_code code = options_parse(&line, argc, argv, table, "A.mtx [b.mtx] [OPTION...]", out);
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
