/* job_outcome.c: which method ran and what it did, taken from the solver for the reports. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/report.h"
#include "tool/solve_job.h"

static void take_iteration(solve_job *job) {
    const clsolve_solve_report *ran = &job->ran;
    int given_up = ran->attempts_count > 0 && ran->attempts[0].method == CLSOLVE_METHOD_BLOCK_GS;
    job->lines = ran->method == CLSOLVE_METHOD_BLOCK_GS ? ran->lines : 0;
    job->tried_lines = given_up ? ran->lines : 0;
    job->line_length = ran->line_length;
    job->singular = ran->singular;
    snprintf(job->solver_text, sizeof job->solver_text, "%s", ran->iteration);
    snprintf(job->reason, sizeof job->reason, "%s", ran->iteration_reason);
    free(job->history);
    job->history = calloc((size_t)ran->history_count + 1, sizeof *job->history);
    job->history_count = job->history != NULL ? ran->history_count : 0;
    if (job->history_count > 0) memcpy(job->history, ran->history, (size_t)job->history_count * sizeof *job->history);
}

static const char *name_of(clsolve_method method) {
    switch (method) {
    case CLSOLVE_METHOD_BLOCK_GS:
        return "block-gs";
    case CLSOLVE_METHOD_BAND:
        return "band-lu";
    case CLSOLVE_METHOD_CHOLESKY:
        return "cholesky";
    case CLSOLVE_METHOD_LDL:
        return "ldl";
    case CLSOLVE_METHOD_SPARSE_LU:
        return "sparse-lu";
    case CLSOLVE_METHOD_SPARSE_CHOLESKY:
        return "sparse-cholesky";
    case CLSOLVE_METHOD_SPARSE_LDL:
        return "sparse-ldl";
    case CLSOLVE_METHOD_AUTO:
    case CLSOLVE_METHOD_LU:
    case CLSOLVE_METHOD_GAUSS_JORDAN:
        break;
    }
    return "lu";
}

void job_take_report(solve_job *job, const clsolve_solver *solver) {
    clsolve_solve_report *ran = &job->ran;
    if (clsolve_solver_report(solver, ran) != CLSOLVE_OK) return;
    job->has_report = ran->report.method != NULL;
    job->report = ran->report;
    take_iteration(job);
    ran->history = NULL; /* the solver's */
    /* A call that failed would take the place of the message before it: so only where there is an analysis. */
    if (job->has_report && method_is_sparse(ran->method))
        job->has_analysis = clsolve_solver_sparse_analysis(solver, &job->analysis) == CLSOLVE_OK;
    job->fallback_from = NULL;
    job->method_fallback[0] = '\0';
    if (ran->attempts_count == 0) return;
    char said[SAID_SIZE];
    said_in_own_words(ran->attempts[0].text, CLSOLVE_OK, said);
    snprintf(job->method_fallback, sizeof job->method_fallback, "%.*s", (int)sizeof job->method_fallback - 1, said);
    job->fallback_from = name_of(ran->attempts[0].method);
}

/* Where rows or columns were scaled, their sizes alone may have made the condition what it is; but mixed precision
 * always scales. */
int job_is_near_singular(const solve_job *job) {
    const clsolve_report *r = &job->report;
    int lines = r->direct.equilibrated != 0 && r->direct.equilibrated != CLSOLVE_SCALED_UNIFORMLY && job->equilibrate;
    return !job->singular && r->direct.rcond >= 0 && r->direct.rcond < job->precision->eps && !lines &&
           !r->direct.rcond_is_bound && job->lines == 0;
}

void job_warn_of_condition(const solve_job *job) {
    const clsolve_report *r = &job->report;
    const char *answer = job->inverse ? "inverse" : "solution";
    char text[512];

    if (job->singular) return; /* known, and said */
    if (r->direct.rcond_is_bound) {
        snprintf(text, sizeof text,
                 "%.300s: the matrix may be singular to working precision (rcond is at most %.2g, and single-precision "
                 "factors tell no more): the solution may have no correct digit; --precision double tells%s",
                 job->matrix_path, r->direct.rcond, job->device.fp64 ? "" : ", on a device that has it");
        outcome_warn(text);
        return;
    }
    if (!job_is_near_singular(job)) return;
    snprintf(text, sizeof text,
             "%.300s: the matrix is singular to working precision (rcond %.2g): the %s may have no correct digit",
             job->matrix_path, r->direct.rcond, answer);
    outcome_warn(text);
}

const char *job_method_name(const solve_job *job) {
    if (job->ran.name != NULL) return job->ran.name;
    return job->method != NULL ? job->method->runs : NULL;
}
