/* method_solver.c: every method but gauss-jordan: the system goes to the library's solver, and its report into the
 * job. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/dense.h"
#include "tool/solve_job.h"
#include "tool/system.h"

exit_code method_block_gs_solver(const char *name, clsolve_block_gs_method *solver, outcome *out) {
    static const char *const names[] = {
        "auto", "",         "gauss-seidel", "sor", "multigrid",
        "cg",   "bicgstab", "fgmres",       "cocg"}; /* as clsolve_block_gs_method; given sweeps have no name here */
    const int found = options_word(name, names, 9);
    if (found < 0 || found == CLSOLVE_BLOCK_GS_SWEEPS)
        return outcome_fail(
            out, EXIT_CODE_USAGE,
            "solve: --solver '%s' is unknown; use auto, gauss-seidel, sor, multigrid, cg, cocg, bicgstab or fgmres",
            name);
    *solver = (clsolve_block_gs_method)found;
    return EXIT_CODE_OK;
}

int method_block_gs_lacks(const solve_job *job) {
    return job->equilibrate || job->refine || job->memory_limit > 0 || job->block > 0 ||
           job->panel != CLSOLVE_PANEL_AUTO || job->precision->factor == CLSOLVE_PRECISION_MIXED;
}

exit_code method_dense_check(solve_job *job, outcome *out) {
    /* In double, whatever the precision. */
    return dense_check(job->matrix_path, job->A.rows, job->A.cols, CLSOLVE_F64, out);
}

exit_code method_sparse_check(solve_job *job, outcome *out) {
    return job->A.sparse ? EXIT_CODE_OK : method_dense_check(job, out);
}

static clsolve_solver_options options_of(solve_job *job) {
    clsolve_solver_options options = {.method = job->method->method,
                                      .progress = progress_draw,
                                      .progress_user = &job->bar,
                                      .nrhs = job->B.cols,
                                      .panel = job->panel,
                                      .where = job->where,
                                      .block = (int32_t)job->block,
                                      .memory_limit = job->memory_limit,
                                      .precision = job->precision->factor,
                                      .equilibrate = job->equilibrate,
                                      .refine = job->refine,
                                      .rcond = 1,
                                      .pivoting = job->pivoting,
                                      .seed = job->seed,
                                      .iteration = job->solver,
                                      .tolerance = job->tolerance,
                                      .max_iterations = job->max_iterations,
                                      .order = job->order,
                                      .permutation = job->permutation};
    if (options.method != CLSOLVE_METHOD_AUTO) return options;
    /* Pivoting by name is dense LU's, and a plot shows an iteration. */
    if (job->pivoting_asked) options.method = CLSOLVE_METHOD_LU;
    if (job->plot_path != NULL && options.tolerance == 0) options.tolerance = job_tolerance(job);
    return options;
}

static clsolve_status solve(clsolve_context *context, solve_job *job, system_data *data) {
    clsolve_solver_options options = options_of(job);
    clsolve_solver *solver = NULL;
    clsolve_status status = data->sparse ? clsolve_solver_create_csr(context, &data->csr, &options, &solver)
                                         : clsolve_solver_create(context, &data->A, &options, &solver);
    if (status == CLSOLVE_OK)
        status = data->sparse ? clsolve_solver_factor_csr(solver, &data->csr) : clsolve_solver_factor(solver, &data->A);
    if (status == CLSOLVE_OK) status = clsolve_solver_solve(solver, CLSOLVE_NO_TRANS, &data->B);
    if (solver != NULL) job_take_report(job, solver);
    if (status == CLSOLVE_ERROR_INVALID_ARGUMENT) job->has_report = 0; /* refused before anything was factored */
    clsolve_solver_destroy(solver);
    return status;
}

/* Rows or columns were, and not the whole matrix by one number. */
static int is_scaled(const solve_job *job) {
    int32_t scaled = job->report.direct.equilibrated;
    return scaled != 0 && scaled != CLSOLVE_SCALED_UNIFORMLY;
}

/* Columns count in the order that the band has them in. */
static int is_reordered_band(const solve_job *job) {
    return job->ran.reordered && strncmp(job->ran.name, "band", 4) == 0;
}

/* The library names row and column of the matrix as it was read. */
static exit_code explain_sparse(const solve_job *job, clsolve_status status, const char *said, outcome *out) {
    return outcome_fail_status(out, status, "%s: %s; no solution is written%s%s%s", job->matrix_path, said,
                               status == CLSOLVE_NOT_POSITIVE_DEFINITE ? "; try --method sparse-ldl" : "",
                               job->method_fallback[0] != '\0' ? "; before that " : "", job->method_fallback);
}

/* For symmetric matrices of any signs, in the form that Cholesky had. */
static const char *indefinite_method(const solve_job *job) {
    return strncmp(job->ran.name, "band", 4) == 0 ? "sparse-ldl" : "ldl";
}

static exit_code explain(clsolve_context *context, const solve_job *job, clsolve_status status, outcome *out) {
    clsolve_method ran = job->ran.method;
    char said[SAID_SIZE];

    said_by_context(context, status, said);
    if (method_is_sparse(ran) && (status == CLSOLVE_SINGULAR || status == CLSOLVE_NOT_POSITIVE_DEFINITE))
        return explain_sparse(job, status, said, out);
    if (status == CLSOLVE_SINGULAR && ran != CLSOLVE_METHOD_BLOCK_GS && job->report.info > 0)
        return outcome_fail_status(out, status,
                                   "%s: the matrix is singular: %s(%" PRId64 ",%" PRId64
                                   ") of its factors%s is exactly zero%s; an equation is missing or follows from "
                                   "others; no solution is written%s%s",
                                   job->matrix_path, ran == CLSOLVE_METHOD_LDL ? "D" : "U", job->report.info,
                                   job->report.info, is_reordered_band(job) ? ", its rows and columns reordered," : "",
                                   is_scaled(job) ? "; it was scaled, and elements may have underflowed to 0" : "",
                                   job->method_fallback[0] != '\0' ? "; before that " : "", job->method_fallback);
    if (status == CLSOLVE_SINGULAR && ran == CLSOLVE_METHOD_BLOCK_GS)
        return outcome_fail_status(out, status, "%s: %s; no solution is written", job->matrix_path, said);
    if (status == CLSOLVE_NOT_POSITIVE_DEFINITE && job->report.info > 0)
        return outcome_fail_status(out, status,
                                   "%s: the matrix is not positive definite: its leading minor of order %" PRId64
                                   "%s is not positive; no solution is written; try --method %s",
                                   job->matrix_path, job->report.info,
                                   is_reordered_band(job) ? ", its rows and columns reordered," : "",
                                   indefinite_method(job));
    if (status == CLSOLVE_ERROR_UNSUPPORTED && ran == CLSOLVE_METHOD_BLOCK_GS && job->precision->type == CLSOLVE_F64 &&
        !job->device.fp64)
        return outcome_fail_status(out, status,
                                   "%s: %s does not compute in double; use --precision single, or another --device",
                                   job->device.selector, job->device.name);
    if (status == CLSOLVE_ERROR_INVALID_ARGUMENT && method_is_sparse(ran) && ran != CLSOLVE_METHOD_SPARSE_LU)
        return outcome_fail_status(out, status, "%s: %s; --method %s takes symmetric or hermitian matrices",
                                   job->matrix_path, said, job->method->name);
    if (status == CLSOLVE_ERROR_INVALID_ARGUMENT && ran == CLSOLVE_METHOD_BLOCK_GS)
        return outcome_fail(out, EXIT_CODE_USAGE, "%s: %s", job->matrix_path, said);
    return outcome_fail_status(out, status, "%s: %s", job->matrix_path, said);
}

exit_code method_solver_run(clsolve_context *context, solve_job *job, outcome *out) {
    const clsolve_method method = job->method->method;
    int sparse = method == CLSOLVE_METHOD_BAND || method == CLSOLVE_METHOD_BLOCK_GS || method_is_sparse(method);
    system_data data;
    exit_code code = system_make(job, sparse ? SYSTEM_SPARSE : SYSTEM_AS_READ, &data, out);
    if (code == EXIT_CODE_OK) {
        clsolve_status status = solve(context, job, &data);
        progress_erase(&job->bar);
        if (status != CLSOLVE_OK) code = explain(context, job, status, out);
    }
    if (code == EXIT_CODE_OK) system_take_solution(&data, &job->X);
    system_free(&data);
    return code;
}
