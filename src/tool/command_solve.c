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
    char *solution, *method, *device, *precision, *json, *solver, *tolerance, *max_iterations, *plot;
    int help;
} solve_options;

static void options_release(solve_options *options) {
    free(options->solution);
    free(options->method);
    free(options->device);
    free(options->precision);
    free(options->json);
    free(options->solver);
    free(options->tolerance);
    free(options->max_iterations);
    free(options->plot);
}

/* Those that only an iteration has. */
static exit_code set_up_iteration(const command_line *line, const solve_options *options, solve_job *job,
                                  outcome *out) {
    exit_code code = EXIT_CODE_OK;
    job->plot_path = options->plot;
    if ((options->solver || options->tolerance || options->max_iterations || options->plot) &&
        strcmp(job->method->name, "lu") == 0)
        return outcome_fail(out, EXIT_CODE_USAGE,
                            "solve: --solver, --tolerance, --max-iterations and --plot are for --method block-gs");
    if (options->solver != NULL) code = method_block_gs_solver(options->solver, &job->solver, out);
    if (code == EXIT_CODE_OK && options->max_iterations != NULL)
        code = options_count(line, "--max-iterations", options->max_iterations, &job->max_iterations, out);
    if (code != EXIT_CODE_OK || options->tolerance == NULL) return code;
    char *end = NULL;
    job->tolerance = strtod(options->tolerance, &end);
    if (*options->tolerance == '\0' || *end != '\0' || !(job->tolerance > 0 && job->tolerance < 1))
        return outcome_fail(out, EXIT_CODE_USAGE, "solve: --tolerance '%s' is not a number between 0 and 1",
                            options->tolerance);
    return EXIT_CODE_OK;
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
    if (code == EXIT_CODE_OK)
        code = solve_precision_find(options->precision != NULL ? options->precision : "double", &job->precision, out);
    if (code == EXIT_CODE_OK) code = set_up_iteration(line, options, job, out);
    if (code == EXIT_CODE_OK && output_is_stdout(job->solution_path) && output_is_stdout(job->json_path))
        code = outcome_fail(out, EXIT_CODE_USAGE, "solve: -o - and --json - cannot share standard output");
    return code;
}

static exit_code open_device(const solve_job *job, clsolve_context **context, outcome *out) {
    char said[4096] = "";
    clsolve_context_options options = {.selector = job->selector, .message = said, .message_size = sizeof said};
    clsolve_status status = clsolve_context_create_with(&options, context);
    if (status == CLSOLVE_OK) return EXIT_CODE_OK;
    return outcome_fail_status(out, status, "%s; 'clsolve devices' lists what there is",
                               said[0] != '\0' ? said : clsolve_status_text(status));
}

static exit_code solve_on_device(solve_job *job, outcome *out) {
    clsolve_context *context = NULL;
    exit_code code = open_device(job, &context, out);
    if (code != EXIT_CODE_OK) return code;
    job->device = clsolve_context_device(context);
    code = job->method->run(context, job, out);
    clsolve_context_destroy(context);
    return code;
}

/* The library ran to its end, but pivots may have grown. Written so that NaN warns too. */
static void warn_inaccurate(const solve_job *job) {
    if (job->lines > 0 || job->residuals.scaled < RESIDUAL_ACCEPTED) return; /* an iteration has its tolerance */
    char text[512];
    snprintf(text, sizeof text,
             "%.300s: the scaled residual %.3g is not below %d: the solution is inaccurate, as the pivots grew",
             job->matrix_path, job->residuals.scaled, RESIDUAL_ACCEPTED);
    outcome_warn(text);
}

/* Everything that may fail before there is an answer to write. */
static exit_code compute(solve_job *job, outcome *out) {
    exit_code code = output_check(job->solution_path, out);
    if (code == EXIT_CODE_OK) code = output_check(job->plot_path, out);
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
    if (job->history_count > 0 && job->plot_path != NULL) {
        outcome plot_out = {0};
        if (plot_history(job->plot_path, job, &plot_out) != EXIT_CODE_OK && code == EXIT_CODE_OK)
            code = outcome_fail(out, plot_out.code, "%s", plot_out.message);
    }

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
        {"method", '\0', POPT_ARG_STRING, &options.method, 0, "auto (default), lu or block-gs", "NAME"},
        {"device", '\0', POPT_ARG_STRING, &options.device, 0, "Which device; default: the best", "SEL"},
        {"precision", '\0', POPT_ARG_STRING, &options.precision, 0, "double (default) or single", "NAME"},
        {"json", '\0', POPT_ARG_STRING, &options.json, 0, "Write a report as JSON; - is standard output", "FILE|-"},
        {"solver", '\0', POPT_ARG_STRING, &options.solver, 0,
         "block-gs: auto (default), gauss-seidel, sor, multigrid, cg, bicgstab or fgmres", "NAME"},
        {"tolerance", '\0', POPT_ARG_STRING, &options.tolerance, 0, "block-gs: relative residual; default 1e-10", "T"},
        {"max-iterations", '\0', POPT_ARG_STRING, &options.max_iterations, 0, "block-gs: at most so many", "K"},
        {"plot", '\0', POPT_ARG_STRING, &options.plot, 0, "block-gs: draw the residual history", "FILE.svg"},
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
