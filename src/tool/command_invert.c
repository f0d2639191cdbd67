/* command_invert.c: clsolve invert: read, invert on the device, check the inverse, write, report. */
#include <clsolve/clsolve.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/command.h"
#include "tool/options.h"
#include "tool/output.h"
#include "tool/solve_job.h"
#include "tool/system.h"

static const char notes[] =
    "\nA.mtx is a square Matrix Market file. The inverse is made by Gauss-Jordan elimination with\n"
    "partial pivoting and written whole or not at all. The report has its scaled residual,\n"
    "||A X - I||_1 / (||A||_1 ||X||_1 n eps), computed in double against the matrix as read,\n"
    "and 1 / (||A||_1 ||X||_1), the reciprocal condition.\n\n";

/* The values that popt fills in. */
typedef struct invert_options {
    char *inverse, *variant, *device, *where, *precision, *json, *method;
} invert_options;

/* The names, known or not, so that a refusal of something else can be reported too. */
static void take_names(const command_line *line, const invert_options *options, solve_job *job) {
    job->matrix_path = line->operands[0];
    job->solution_path = options->inverse;
    job->json_path = options->json;
    job->selector = options->device;
}

static exit_code set_up(const command_line *line, const invert_options *options, solve_job *job, outcome *out) {
    exit_code code = options_check_operands(line, 1, 1, "the matrix file", out);
    if (code == EXIT_CODE_OK && options->method && strcmp(options->method, "gauss-jordan") != 0)
        code = outcome_fail(out, EXIT_CODE_USAGE,
                            "invert: --method is for solve, and an inverse is made by gauss-jordan: leave it out, or "
                            "choose a --variant");
    if (code == EXIT_CODE_OK) code = solve_method_find("gauss-jordan", &job->method, out);
    if (code == EXIT_CODE_OK) code = gauss_jordan_variant_find("invert", options->variant, &job->variant, out);
    if (code == EXIT_CODE_OK) code = solve_where_find("invert", options->where, &job->where, out);
    if (code == EXIT_CODE_OK) code = solve_precision_find(options->precision, &job->precision, out);
    if (code == EXIT_CODE_OK && job->precision->factor == CLSOLVE_PRECISION_MIXED)
        code = outcome_fail(out, EXIT_CODE_USAGE, "invert: --precision takes double or single");
    return code;
}

static exit_code invert(clsolve_context *context, solve_job *job, outcome *out) {
    clsolve_gauss_jordan_options options = {
        .variant = job->variant, .where = job->where, .progress = progress_draw, .progress_user = &job->bar};
    clsolve_gauss_jordan *handle = NULL;
    system_data data;

    exit_code code = system_make(job, SYSTEM_DENSE, &data, out);
    if (code == EXIT_CODE_OK) {
        clsolve_status status = clsolve_gauss_jordan_create(context, job->A.rows, data.A.type, &options, &handle);
        if (status == CLSOLVE_OK) status = clsolve_gauss_jordan_invert(handle, &data.A, &data.B);
        if (handle != NULL) job->has_report = clsolve_gauss_jordan_report(handle, &job->report) == CLSOLVE_OK;
        progress_erase(&job->bar);
        if (status != CLSOLVE_OK) code = gauss_jordan_explain(context, job, status, out);
        clsolve_gauss_jordan_destroy(handle);
    }
    if (code == EXIT_CODE_OK) system_take_solution(&data, &job->X);
    system_free(&data);
    return code;
}

static exit_code compute(solve_job *job, outcome *out) {
    exit_code code = output_check(job->solution_path, out);
    if (code == EXIT_CODE_OK) job_begin_device(job);
    if (code == EXIT_CODE_OK) code = problem_read(job, out);
    if (code == EXIT_CODE_OK) code = job_on_device(job, invert, out);
    job_drop_device(job);
    if (code == EXIT_CODE_OK) code = job_measure(job, out);
    if (code != EXIT_CODE_OK) return code;
    if (!(job->residuals.scaled < RESIDUAL_ACCEPTED))
        return outcome_fail(out, EXIT_CODE_NOT_CONVERGED,
                            "%s: the scaled residual %.3g is not below %d: the pivots grew; no inverse is written",
                            job->matrix_path, job->residuals.scaled, RESIDUAL_ACCEPTED);
    return EXIT_CODE_OK;
}

static exit_code run_job(solve_job *job, outcome *out) {
    progress_start(&job->bar);
    exit_code code = compute(job, out);
    if (code == EXIT_CODE_OK) code = job_write(job, "inverse, by clsolve", out);
    if (code == EXIT_CODE_OK) job_warn_of_condition(job);
    return code == EXIT_CODE_OK ? job_report_to_people(job, out) : code;
}

exit_code command_invert(int argc, const char **argv, outcome *out) {
    invert_options options = {0};
    command_line line;
    const struct poptOption table[] = {
        OPTIONS_STRING("output", 'o', &options.inverse, "Write the inverse; - is standard output", "X.mtx"),
        OPTIONS_STRING("variant", '\0', &options.variant, "two-pass, one-pass, operations or blocked; default: by size",
                       "NAME"),
        OPTIONS_STRING("device", '\0', &options.device, "Which device; default: the best", "SEL"),
        OPTIONS_STRING("where", '\0', &options.where, "auto (default), device or host", "NAME"),
        OPTIONS_STRING("precision", '\0', &options.precision, "double (default) or single", "NAME"),
        OPTIONS_STRING("json", '\0', &options.json, "Write a report as JSON; - is standard output", "FILE|-"),
        {"method", '\0', POPT_ARG_STRING | POPT_ARGFLAG_DOC_HIDDEN, &options.method, 1, NULL, NULL}, /* of solve */
        OPTIONS_HELP(line),
        OPTIONS_END,
    };
    solve_job job = {
        .inverse = 1, .unrefined_residual = (double)NAN, .read_seconds = (double)NAN, .started = progress_clock()};
    exit_code code = options_parse(&line, argc, argv, table, "A.mtx [OPTION...]", out);
    if (!options_helped(&line, code, notes)) {
        take_names(&line, &options, &job);
        if (job_check_places("invert", &job, out) != EXIT_CODE_OK) code = out->code;
        if (code == EXIT_CODE_OK) code = set_up(&line, &options, &job, out);
        if (code == EXIT_CODE_OK) run_job(&job, out);
    }
    return job_end(&job, &line, out);
}
