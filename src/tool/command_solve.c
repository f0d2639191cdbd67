/* command_solve.c: clsolve solve: read, solve on the device, check the answer, write, report. */
#include <clsolve/clsolve.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/command.h"
#include "tool/options.h"
#include "tool/output.h"
#include "tool/solve_job.h"

static const char notes[] = "\nA.mtx is a square Matrix Market file, b.mtx one with as many rows and any number of\n"
                            "columns; without it the right-hand side is A*(1,...,1). Files are written whole or not\n"
                            "at all. With -o - the report for people goes to stderr; with --json - there is none.\n"
                            "SEL: gpu, cpu, opencl, opencl:1, cuda:0 (see 'clsolve devices'), or a part of a name.\n"
                            "In single precision the residuals are still computed in double, against A as read. Mixed\n"
                            "factors in single and refines to double; a device without double does so by itself.\n\n";

/* As clsolve/block_gs.h has it. */
#define MOST_ITERATIONS 10000000

/* The values that popt fills in. */
typedef struct solve_options {
    char *solution, *method, *variant, *device, *precision, *json, *memory_limit, *block, *panel, *pivoting, *seed;
    char *solver, *tolerance, *max_iterations, *plot, *where, *order, *order_file;
    int equilibrate, refine;
} solve_options;

/* The names that a report of a wrong command line can have, however wrong the rest is. */
static void take_names(const command_line *line, const solve_options *options, solve_job *job) {
    job->matrix_path = line->operands[0];
    job->rhs_path = line->operands[0] != NULL ? line->operands[1] : NULL;
    job->solution_path = options->solution;
    job->json_path = options->json;
    job->plot_path = options->plot;
    job->selector = options->device;
    job->order_path = options->order_file;
    job->equilibrate = options->equilibrate;
    job->refine = options->refine;
}

static int asks_for_iteration(const solve_options *options) {
    return options->solver || options->tolerance || options->max_iterations || options->plot;
}

/* The options that only an iteration has, and those that it does not have. */
static exit_code set_up_iteration(const command_line *line, const solve_options *options, solve_job *job,
                                  outcome *out) {
    exit_code code = EXIT_CODE_OK;
    if (asks_for_iteration(options) && job->method->method != CLSOLVE_METHOD_BLOCK_GS &&
        job->method->method != CLSOLVE_METHOD_AUTO)
        return outcome_fail(out, EXIT_CODE_USAGE,
                            "solve: --solver, --tolerance, --max-iterations and --plot are for --method block-gs");
    if (asks_for_iteration(options) && options->pivoting)
        return outcome_fail(
            out, EXIT_CODE_USAGE,
            "solve: --pivoting is for --method lu, and --solver, --tolerance, --max-iterations and --plot "
            "for block-gs: leave one of them out");
    if (job->method->method == CLSOLVE_METHOD_BLOCK_GS && method_block_gs_lacks(job))
        return outcome_fail(out, EXIT_CODE_USAGE,
                            "solve: --equilibrate, --refine, --memory-limit, --block and --precision mixed are not for "
                            "--method block-gs");
    if (options->solver != NULL) code = method_block_gs_solver(options->solver, &job->solver, out);
    if (code == EXIT_CODE_OK && options->max_iterations != NULL)
        code = options_count(line, "--max-iterations", options->max_iterations, &job->max_iterations, out);
    if (code == EXIT_CODE_OK && job->max_iterations > MOST_ITERATIONS)
        return outcome_fail(out, EXIT_CODE_USAGE,
                            "solve: --max-iterations '%s' is above %d, of which a history can be kept",
                            options->max_iterations, MOST_ITERATIONS);
    if (code != EXIT_CODE_OK || options->tolerance == NULL) return code;
    char *end = NULL;
    job->tolerance = strtod(options->tolerance, &end);
    if (*options->tolerance == '\0' || *end != '\0' || !(job->tolerance > 0 && job->tolerance < 1))
        return outcome_fail(out, EXIT_CODE_USAGE, "solve: --tolerance '%s' is not a number between 0 and 1",
                            options->tolerance);
    return EXIT_CODE_OK;
}

static exit_code panel_find(const char *name, clsolve_panel *panel, outcome *out) {
    static const char *const names[] = {"auto", "native", "hybrid"}; /* in the order of clsolve_panel */
    const int found = options_word(name, names, 3);
    if (found < 0)
        return outcome_fail(out, EXIT_CODE_USAGE, "solve: no panel '%s'; there are auto, native and hybrid", name);
    *panel = (clsolve_panel)found;
    return EXIT_CODE_OK;
}

static exit_code set_up_pivoting(const command_line *line, const solve_options *options, solve_job *job, outcome *out) {
    static const char *const names[] = {"partial", "rbt", "tournament"};
    static const clsolve_pivoting pivotings[] = {CLSOLVE_PIVOTING_PARTIAL, CLSOLVE_PIVOTING_RBT,
                                                 CLSOLVE_PIVOTING_TOURNAMENT};
    const int asked = options_word(options->pivoting, names, 3);
    if (asked < 0)
        return outcome_fail(out, EXIT_CODE_USAGE, "solve: no pivoting '%s'; there are partial and rbt",
                            options->pivoting);
    job->pivoting = options->pivoting != NULL ? pivotings[asked] : CLSOLVE_PIVOTING_AUTO;
    job->pivoting_asked = options->pivoting != NULL;
    if (options->pivoting != NULL && job->method->method != CLSOLVE_METHOD_LU &&
        job->method->method != CLSOLVE_METHOD_AUTO)
        return outcome_fail(out, EXIT_CODE_USAGE, "solve: --pivoting goes with --method lu, not %s", job->method->name);
    if (job->pivoting == CLSOLVE_PIVOTING_TOURNAMENT) /* as the library, and before it reads the matrix */
        return outcome_fail_status(
            out, CLSOLVE_ERROR_UNSUPPORTED,
            "solve: --pivoting tournament was removed: use --pivoting partial or --pivoting rbt");
    if (options->seed == NULL) return EXIT_CODE_OK;
    if (job->pivoting != CLSOLVE_PIVOTING_RBT)
        return outcome_fail(out, EXIT_CODE_USAGE, "solve: --seed goes with --pivoting rbt");
    return options_seed(line, "--seed", options->seed, &job->seed, out);
}

/* Options that only dense LU takes are refused elsewhere rather than forgotten. */
static exit_code check_gauss_jordan(const solve_options *options, const solve_job *job, outcome *out) {
    int gauss_jordan = job->method->method == CLSOLVE_METHOD_GAUSS_JORDAN;
    if (options->variant != NULL && !gauss_jordan)
        return outcome_fail(out, EXIT_CODE_USAGE, "solve: --variant goes with --method gauss-jordan");
    if (gauss_jordan && method_block_gs_lacks(job))
        return outcome_fail(out, EXIT_CODE_USAGE,
                            "solve: --equilibrate, --refine, --memory-limit, --block, --panel and --precision mixed go "
                            "with --method lu, cholesky, ldl and band-lu, not gauss-jordan");
    return EXIT_CODE_OK;
}

/* Options of dense LU, but for the memory, which the sparse methods have a limit for too. */
static int sparse_lacks(const solve_job *job) {
    solve_job rest = *job;
    rest.memory_limit = 0;
    return method_block_gs_lacks(&rest);
}

/* The sparse methods work on the host, so no device is opened unless one is asked for. */
static exit_code set_up_sparse(const solve_options *options, solve_job *job, outcome *out) {
    const int sparse = method_is_sparse(job->method->method);
    if (!sparse && (options->order != NULL || options->order_file != NULL))
        return outcome_fail(
            out, EXIT_CODE_USAGE,
            "solve: --order and --order-file go with --method sparse-lu, sparse-cholesky and sparse-ldl, not %s",
            job->method->name);
    if (sparse && sparse_lacks(job))
        return outcome_fail(out, EXIT_CODE_USAGE,
                            "solve: --equilibrate, --refine, --block, --panel and --precision mixed are not for "
                            "--method %s",
                            job->method->name);
    if (sparse && job->selector == NULL && job->where != CLSOLVE_WHERE_DEVICE) job->selector = "host";
    return order_find("solve", options->order, options->order_file, job, out);
}

static exit_code set_up(const command_line *line, const solve_options *options, solve_job *job, outcome *out) {
    exit_code code = options_check_operands(line, 1, 2, "the matrix file", out);
    if (code == EXIT_CODE_OK && job->rhs_path != NULL && strcmp(job->matrix_path, "-") == 0 &&
        strcmp(job->rhs_path, "-") == 0)
        code =
            outcome_fail(out, EXIT_CODE_USAGE, "solve: A and b cannot share standard input; give one of them a file");
    if (code == EXIT_CODE_OK) code = solve_method_find(options->method, &job->method, out);
    if (code == EXIT_CODE_OK) code = gauss_jordan_variant_find("solve", options->variant, &job->variant, out);
    if (code == EXIT_CODE_OK) code = solve_where_find("solve", options->where, &job->where, out);
    if (code == EXIT_CODE_OK && options->where != NULL && job->method->method == CLSOLVE_METHOD_BLOCK_GS)
        code = outcome_fail(out, EXIT_CODE_USAGE,
                            "solve: --where is not for --method block-gs, which has kernels for the device alone");
    if (code == EXIT_CODE_OK) code = panel_find(options->panel, &job->panel, out);
    if (code == EXIT_CODE_OK) code = solve_precision_find(options->precision, &job->precision, out);
    if (code == EXIT_CODE_OK && options->memory_limit != NULL)
        code = options_bytes(line, "--memory-limit", options->memory_limit, &job->memory_limit, out);
    if (code == EXIT_CODE_OK && options->block != NULL)
        code = options_count(line, "--block", options->block, &job->block, out);
    if (code == EXIT_CODE_OK && job->block > INT32_MAX)
        code = outcome_fail(out, EXIT_CODE_USAGE, "solve: --block '%s' is more columns than a block can have",
                            options->block);
    if (code == EXIT_CODE_OK) code = set_up_pivoting(line, options, job, out);
    if (code == EXIT_CODE_OK) code = check_gauss_jordan(options, job, out);
    if (code == EXIT_CODE_OK) code = set_up_iteration(line, options, job, out);
    if (code == EXIT_CODE_OK) code = set_up_sparse(options, job, out);
    return code;
}

/* An iteration stopped by its own tolerance, and what was measured agrees with that. */
static int iteration_kept_its_word(const solve_job *job) {
    return job->lines == 0 || job_is_within_tolerance(job);
}

/* Written so that NaN is none. An iteration stopped by its own tolerance. */
static int accepted(const solve_job *job) {
    return job->lines > 0 || job->residuals.scaled < RESIDUAL_ACCEPTED;
}

static exit_code solve_and_measure(clsolve_context *context, solve_job *job, outcome *out) {
    exit_code code = job->method->run(context, job, out);
    return code == EXIT_CODE_OK ? job_measure(job, out) : code;
}

/* The pivots grew. Refinement costs a second factorization and a copy of A, but only those who need it pay. Where it
 * fails, what the first solve measured stands. */
static void refine_unasked(clsolve_context *context, solve_job *job) {
    clsolve_report report = job->report;
    clsolve_solve_report ran = job->ran;
    residuals measured = job->residuals;
    outcome unheard = {0};
    job->refine = 1;
    job->unrefined_residual = measured.scaled;
    if (solve_and_measure(context, job, &unheard) == EXIT_CODE_OK) return;
    job->refine = 0;
    job->unrefined_residual = (double)NAN;
    job->report = report;
    job->ran = ran;
    job->residuals = measured;
}

/* Asked for, or chosen by the library. */
static int ran_mixed(const solve_job *job) {
    const char *factors = job->report.precision;
    int chosen = job->device.fp64 && factors != NULL && strcmp(factors, "mixed") == 0;
    return job->precision->factor == CLSOLVE_PRECISION_MIXED || chosen;
}

/* The work of a job on its open device. */
static exit_code work(clsolve_context *context, solve_job *job, outcome *out) {
    exit_code code = solve_and_measure(context, job, out);
    int refined = job->method->method == CLSOLVE_METHOD_GAUSS_JORDAN || job->refine || ran_mixed(job) ||
                  job->pivoting == CLSOLVE_PIVOTING_RBT || method_is_sparse(job->ran.method);
    if (code == EXIT_CODE_OK && !accepted(job) && !refined) refine_unasked(context, job);
    return code;
}

/* Advice on what has not been tried yet. */
static const char *advice(const solve_job *job) {
    if (job->method->method == CLSOLVE_METHOD_GAUSS_JORDAN) return "try --method lu, which refines";
    if (job->precision->type == CLSOLVE_F32) return "try --precision double";
    if (ran_mixed(job)) return "try --precision double --refine";
    if (method_is_sparse(job->ran.method)) return "try --method band-lu";
    /* Elements that grew want other pivots, rows that differ much want scales. */
    int takes_rbt = job->ran.method == CLSOLVE_METHOD_LU && job->pivoting != CLSOLVE_PIVOTING_RBT;
    if (takes_rbt)
        return job->equilibrate ? "try --pivoting rbt" : "try --pivoting rbt, --equilibrate or --precision mixed";
    return job->equilibrate ? "try --precision mixed" : "try --equilibrate or --precision mixed";
}

/* The library ran to its end, but pivots may have grown, or the matrix is as good as singular. */
static exit_code judge(const solve_job *job, outcome *out) {
    if (!iteration_kept_its_word(job))
        return outcome_fail(
            out, EXIT_CODE_NOT_CONVERGED,
            "%s: the iteration took itself for converged, but the relative residual is %.3g; no solution "
            "is written; try --method lu",
            job->matrix_path, job->residuals.relative);
    if (!accepted(job))
        return outcome_fail(out, EXIT_CODE_NOT_CONVERGED,
                            "%s: the scaled residual %.3g is not below %d%s: the pivots grew; no solution is written; "
                            "%s",
                            job->matrix_path, job->residuals.scaled, RESIDUAL_ACCEPTED,
                            job->refine ? ", after refinement" : "", advice(job));
    job_warn_of_condition(job);
    return EXIT_CODE_OK;
}

/* Everything that may fail before there is an answer to write. */
static exit_code compute(solve_job *job, outcome *out) {
    exit_code code = output_check(job->solution_path, out);
    if (code == EXIT_CODE_OK) code = output_check(job->plot_path, out);
    if (code == EXIT_CODE_OK) job_begin_device(job);
    if (code == EXIT_CODE_OK) code = problem_read(job, out);
    if (code == EXIT_CODE_OK) code = order_read(job, out);
    if (code == EXIT_CODE_OK) code = job_on_device(job, work, out);
    job_drop_device(job);
    if (code == EXIT_CODE_OK) code = judge(job, out);
    return code;
}

/* The history is worth seeing where the iteration failed, too; then that is what is told. */
static exit_code write_plot(const solve_job *job, exit_code code, outcome *out) {
    outcome plot_out = {0};
    if (job->history_count == 0 || job->plot_path == NULL) return code;
    if (plot_history(job->plot_path, job, &plot_out) == EXIT_CODE_OK || code != EXIT_CODE_OK) return code;
    return outcome_fail(out, plot_out.code, "%s", plot_out.message);
}

static exit_code run_job(solve_job *job, outcome *out) {
    progress_start(&job->bar);
    exit_code code = compute(job, out);
    if (code == EXIT_CODE_OK) code = job_write(job, "solution of A X = B, by clsolve", out);
    code = write_plot(job, code, out);
    if (code == EXIT_CODE_OK) code = job_report_to_people(job, out);
    return code;
}

/* The names of a table for --help. */
static void describe(char text[SOLVE_NAMES], void (*names)(char *list, size_t size)) {
    names(text, SOLVE_NAMES);
    size_t used = strlen(text);
    snprintf(text + used, SOLVE_NAMES - used, "; default: the first");
}

exit_code command_solve(int argc, const char **argv, outcome *out) {
    solve_options options = {0};
    char methods[SOLVE_NAMES], precisions[SOLVE_NAMES];
    describe(methods, solve_method_names);
    describe(precisions, solve_precision_names);
    command_line line;
    const struct poptOption table[] = {
        OPTIONS_STRING("output", 'o', &options.solution, "Write X; - is standard output", "x.mtx"),
        OPTIONS_STRING("method", '\0', &options.method, methods, "NAME"),
        OPTIONS_STRING("variant", '\0', &options.variant, "Of gauss-jordan: two-pass, one-pass, operations or blocked",
                       "NAME"),
        OPTIONS_STRING("device", '\0', &options.device, "Which device; default: the best", "SEL"),
        OPTIONS_STRING("where", '\0', &options.where,
                       "auto (default): the device or the host, as expected to be faster; device: all that --device "
                       "names; host",
                       "NAME"),
        OPTIONS_STRING("precision", '\0', &options.precision, precisions, "NAME"),
        {"equilibrate", '\0', POPT_ARG_NONE, &options.equilibrate, 0, "Scale rows and columns that differ much", NULL},
        {"refine", '\0', POPT_ARG_NONE, &options.refine, 0, "Refine the solution", NULL},
        OPTIONS_STRING("panel", '\0', &options.panel,
                       "Of lu, cholesky, ldl and band-lu, where panels are factored: auto (default), native or hybrid",
                       "NAME"),
        OPTIONS_STRING("pivoting", '\0', &options.pivoting,
                       "Of lu: partial (default) or rbt, none in a randomised matrix, refined", "NAME"),
        OPTIONS_STRING("seed", '\0', &options.seed, "Of rbt's random numbers; default: 0", "S"),
        OPTIONS_STRING("order", '\0', &options.order,
                       "Of the sparse methods, how columns are ordered: auto (default), amd, nested, metis or natural",
                       "NAME"),
        OPTIONS_STRING("order-file", '\0', &options.order_file,
                       "Of the same: an order of your own, a column number on each line, from 1", "FILE"),
        OPTIONS_STRING("block", '\0', &options.block, "Columns in a block; default: by device and size", "N"),
        OPTIONS_STRING("memory-limit", '\0', &options.memory_limit,
                       "Device memory to take, in bytes or as 512M, 4G; larger matrices stream through", "BYTES"),
        OPTIONS_STRING("json", '\0', &options.json, "Write a report as JSON; - is standard output", "FILE|-"),
        OPTIONS_STRING("solver", '\0', &options.solver,
                       "Of block-gs: auto (default), gauss-seidel, sor, multigrid, cg, cocg, bicgstab or fgmres",
                       "NAME"),
        OPTIONS_STRING("tolerance", '\0', &options.tolerance, "Of block-gs: relative residual; default 1e-10", "T"),
        OPTIONS_STRING("max-iterations", '\0', &options.max_iterations, "Of block-gs: at most so many", "K"),
        OPTIONS_STRING("plot", '\0', &options.plot, "Of block-gs: draw the residual history", "FILE.svg"),
        OPTIONS_HELP(line),
        OPTIONS_END,
    };
    solve_job job = {.unrefined_residual = (double)NAN, .read_seconds = (double)NAN, .started = progress_clock()};
    exit_code code = options_parse(&line, argc, argv, table, "A.mtx [b.mtx] [OPTION...]", out);
    if (!options_helped(&line, code, notes)) {
        take_names(&line, &options, &job);
        if (job_check_places("solve", &job, out) != EXIT_CODE_OK) code = out->code;
        if (code == EXIT_CODE_OK) code = set_up(&line, &options, &job, out);
        if (code == EXIT_CODE_OK) run_job(&job, out);
    }
    return job_end(&job, &line, out);
}
