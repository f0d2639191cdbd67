/* methods.c: the tables behind --method and --precision; the first row of each is what is taken without the option. */
#include "tool/solve_job.h"

#include <stdio.h>
#include <string.h>

static const solve_method methods[] = {
    {"auto", method_auto_check, method_auto_run, "lu"},
    {"lu", method_lu_check, method_lu_run, "lu"},
    {"gauss-jordan", method_lu_check, method_gauss_jordan_run, "gauss-jordan"},
    {"band-lu", method_band_check, method_band_run, "band-lu"},
    {"block-gs", method_block_gs_check, method_block_gs_run, "block-gs"},
};

static const solve_precision precisions[] = {
    {"double", CLSOLVE_F64, CLSOLVE_PRECISION_WORKING, 0x1p-53},
    {"single", CLSOLVE_F32, CLSOLVE_PRECISION_WORKING, 0x1p-24},
    {"mixed", CLSOLVE_F64, CLSOLVE_PRECISION_MIXED, 0x1p-53},
};

#define METHOD_COUNT    (sizeof methods / sizeof methods[0])
#define PRECISION_COUNT (sizeof precisions / sizeof precisions[0])

/* A grid goes to block-gs, unless something was asked for that only lu has; a band that takes less than dense LU does to
 * band-lu; all else to lu, and what is to be pivoted in its own way. The job then says which. */
static int takes_grid(const solve_job *job) {
    outcome ignored = {0};
    return !job->pivoting_asked && !method_block_gs_lacks(job) && method_block_gs_is_grid(job, &ignored);
}

static int takes_band(solve_job *job) {
    return !job->pivoting_asked && method_band_is_better(job);
}

exit_code method_auto_check(solve_job *job, outcome *out) {
    return takes_grid(job) || takes_band(job) ? EXIT_CODE_OK : method_lu_check(job, out);
}

static const solve_method *row_of(exit_code (*run)(clsolve_context *, solve_job *, outcome *)) {
    size_t i = METHOD_COUNT - 1;
    while (i > 0 && methods[i].run != run) i--;
    return &methods[i];
}

/* What no iteration solves LU may: where nothing but the matrix stood in the way, and nothing was asked of the iteration. */
static int iteration_gave_up(const solve_job *job, const outcome *out) {
    return (out->status == CLSOLVE_SINGULAR || out->status == CLSOLVE_NOT_CONVERGED) &&
           job->solver == CLSOLVE_BLOCK_TRIDIAG_AUTO && job->max_iterations == 0;
}

/* What a method said becomes the reason why another one ran: without the path, which the report has anyway. */
static void keep_reason(solve_job *job, const solve_method *from, const char *said) {
    const char *path = job->matrix_path;
    size_t length = strlen(path);

    if (strncmp(said, path, length) == 0 && strncmp(said + length, ": ", 2) == 0) said += length + 2;
    job->fallback_from = from->name;
    snprintf(job->method_fallback, sizeof job->method_fallback, "%.*s", (int)sizeof job->method_fallback - 1, said);
}

/* Where memory does not hold a band and its right-hand side, dense LU may still do, in slabs of columns. When it does not,
 * what band-lu said tells what to do: that is the method that suits the matrix. */
static exit_code run_band(clsolve_context *context, solve_job *job, outcome *out) {
    outcome first = {0}, second = {0};

    job->method = row_of(method_band_run);
    if (job->method->run(context, job, &first) != EXIT_CODE_MEMORY || method_lu_check(job, &second) != EXIT_CODE_OK) {
        *out = first;
        return out->code;
    }
    clsolve_report report = job->report;
    int has_report = job->has_report;
    job->report = (clsolve_report){0};
    job->has_report = 0;
    job->method = row_of(method_lu_run);
    if (job->method->run(context, job, &second) == EXIT_CODE_MEMORY) {
        job->method = row_of(method_band_run);
        job->report = report;
        job->has_report = has_report;
        *out = first;
        return out->code;
    }
    if (job->method_fallback[0] == '\0') keep_reason(job, row_of(method_band_run), first.message);
    *out = second;
    return out->code;
}

/* A singular grid's solution is known up to a constant: the one with mean 0, as block-gs hands back. */
static void remove_means(mm_matrix *X) {
    for (int64_t j = 0; j < X->cols; j++) {
        double *x = X->value + j * X->rows, mean = 0;
        for (int64_t i = 0; i < X->rows; i++) mean += x[i] / (double)X->rows;
        for (int64_t i = 0; i < X->rows; i++) x[i] -= mean;
    }
}

/* LU solves a singular matrix by the last pivot that rounding leaves: well where B is in its range, and the residual
 * tells; else what block-gs said stands, for there is nothing to be solved. */
static exit_code judge_singular(solve_job *job, exit_code code, outcome *out) {
    if (code != EXIT_CODE_OK) return code;
    remove_means(&job->X);
    code = job_measure(job, out);
    int fits = job_is_within_tolerance(job) && job->residuals.scaled < RESIDUAL_ACCEPTED;
    if (code != EXIT_CODE_OK || fits) return code;
    return outcome_fail(out, EXIT_CODE_NOT_CONVERGED, "%s: not in the range", job->matrix_path);
}

/* After block-gs: band-lu or lu, unless that one cannot take the matrix or, where it is singular, does no better. */
static exit_code fall_back(clsolve_context *context, solve_job *job, const outcome *first, outcome *out) {
    const solve_method *block_gs = row_of(method_block_gs_run);
    const clsolve_report report = job->report;
    const int64_t lines = job->lines;
    int as_band = takes_band(job);
    outcome second = {0};
    exit_code code = EXIT_CODE_OK;

    job->method = block_gs;
    if (!as_band && method_lu_check(job, &second) != EXIT_CODE_OK) {
        *out = *first;
        return out->code;
    }
    keep_reason(job, block_gs, first->message);
    char *advice = strstr(job->method_fallback, "; "); /* which is taken now */
    if (advice != NULL) *advice = '\0';
    job->tried_lines = lines;
    job->lines = 0;
    job->report = (clsolve_report){0};
    if (as_band) {
        code = run_band(context, job, &second);
    } else {
        job->method = row_of(method_lu_run);
        code = job->method->run(context, job, &second);
    }
    if (!job->singular) {
        *out = second;
        return code;
    }
    if (judge_singular(job, code, &second) == EXIT_CODE_OK) return EXIT_CODE_OK;
    job->method = block_gs;
    job->report = report;
    job->lines = lines;
    job->tried_lines = 0;
    job->fallback_from = NULL;
    job->method_fallback[0] = '\0';
    job->has_residuals = 0;
    *out = *first;
    return out->code;
}

exit_code method_auto_run(clsolve_context *context, solve_job *job, outcome *out) {
    /* Where the device has no double, lu can still give one. */
    int can = job->precision->type != CLSOLVE_F64 || job->device.fp64;
    outcome first = {0};

    if (can && takes_grid(job)) {
        job->method = row_of(method_block_gs_run);
        exit_code code = job->method->run(context, job, &first);
        if (code == EXIT_CODE_OK) return code;
        if (iteration_gave_up(job, &first)) return fall_back(context, job, &first, out);
        *out = first;
        return code;
    }
    if (takes_band(job)) return run_band(context, job, out);
    job->method = row_of(method_lu_run);
    exit_code code = can ? EXIT_CODE_OK : job->method->check(job, out);
    return code == EXIT_CODE_OK ? job->method->run(context, job, out) : code;
}

/* Appends "a, b or c" by one name: which separator comes before it depends on how many are left. */
static void append_name(char *list, size_t size, const char *name, size_t left) {
    size_t used = strlen(list);
    const char *before = used == 0 ? "" : left == 0 ? " or " : ", ";
    snprintf(list + used, size - used, "%s%s", before, name);
}

void solve_method_names(char *list, size_t size) {
    list[0] = '\0';
    for (size_t i = 0; i < METHOD_COUNT; i++) append_name(list, size, methods[i].name, METHOD_COUNT - 1 - i);
}

void solve_precision_names(char *list, size_t size) {
    list[0] = '\0';
    for (size_t i = 0; i < PRECISION_COUNT; i++) append_name(list, size, precisions[i].name, PRECISION_COUNT - 1 - i);
}

static exit_code refuse(const char *option, const char *name, const char *list, outcome *out) {
    return outcome_fail(out, EXIT_CODE_USAGE, "solve: %s '%s' is unknown; use %s", option, name, list);
}

exit_code solve_method_find(const char *name, const solve_method **method, outcome *out) {
    if (name == NULL) name = methods[0].name;
    for (size_t i = 0; i < METHOD_COUNT; i++) {
        if (strcmp(methods[i].name, name) != 0) continue;
        *method = &methods[i];
        return EXIT_CODE_OK;
    }
    char list[SOLVE_NAMES];
    solve_method_names(list, sizeof list);
    return refuse("--method", name, list, out);
}

exit_code solve_precision_find(const char *name, const solve_precision **precision, outcome *out) {
    if (name == NULL) name = precisions[0].name;
    for (size_t i = 0; i < PRECISION_COUNT; i++) {
        if (strcmp(precisions[i].name, name) != 0) continue;
        *precision = &precisions[i];
        return EXIT_CODE_OK;
    }
    char list[SOLVE_NAMES];
    solve_precision_names(list, sizeof list);
    return refuse("--precision", name, list, out);
}
