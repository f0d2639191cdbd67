/*
 * attempt.c: a sparse system by the chosen method and, with AUTO, by another one where that cannot do it.
 *
 *   an iteration that stops, a line that is singular, an answer that stays inaccurate    the quickest direct method
 *   a method that does not fit the memory                                                the other direct method
 *   Cholesky of a matrix that is not positive definite                                   the quickest of LU and band LU
 *
 * The method that was gone on to stays with the solver. If memory holds no direct method either, the first method's
 * failure is what the caller hears, because that method suits the matrix.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/door.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/type.h"
#include "solve/solver.h"
#include "solve/symmetric.h"

static int is_memory(clsolve_status status) {
    return status == CLSOLVE_ERROR_OUT_OF_MEMORY || status == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY;
}

static int is_auto(const clsolve_solver *solver) {
    return solver->options.method == CLSOLVE_METHOD_AUTO;
}

/* May another method do what this one could not? */
static int may_follow(const clsolve_solver *solver, clsolve_status status) {
    const clsolve_solver_options *o = &solver->options;
    int free_iteration = o->iteration == CLSOLVE_BLOCK_GS_AUTO && o->max_iterations == 0;
    int gave_up = status == CLSOLVE_SINGULAR || status == CLSOLVE_NOT_CONVERGED;
    if (is_auto(solver) && cls_is_cholesky(solver->way) && cls_half_gave_up(status)) return 1;
    if (is_auto(solver) && cls_is_sparse_method(solver->way->method) && status == CLSOLVE_NOT_CONVERGED) return 1;
    return is_auto(solver) && (is_memory(status) || (solver->way == &cls_way_grid && gave_up && free_iteration));
}

static void take_report(clsolve_solver *solver) {
    solver->report.method = solver->way->method;
    solver->report.name = solver->way->name;
    cls_way_report(solver, &solver->report.report);
}

static void note_attempt(clsolve_solver *solver, clsolve_status status, const char *text) {
    if (solver->report.attempts_count < CLSOLVE_SOLVER_ATTEMPTS) {
        clsolve_solver_attempt *attempt = &solver->report.attempts[solver->report.attempts_count++];
        attempt->method = solver->way->method;
        attempt->status = status;
        (void)snprintf(attempt->text, sizeof attempt->text, "%.*s", (int)sizeof attempt->text - 1, text);
        char *advice = solver->way == &cls_way_grid ? strstr(attempt->text, "; ") : NULL;
        if (advice) *advice = '\0'; /* it is what happens now */
    }
    if (solver->first.way) return;
    solver->first.way = solver->way;
    solver->first.status = status;
    solver->first.report = solver->report;
    (void)snprintf(solver->first.text, sizeof solver->first.text, "%s", text);
}

/* Gives the method up for another one; 0: there is none. */
static int go_on(clsolve_solver *solver, clsolve_status status, const char *text) {
    solver->tried |= 1u << solver->way->method;
    const cls_way *next = cls_choose_direct(solver);
    if (!next) return 0;
    note_attempt(solver, status, text);
    cls_way_close(solver, solver->way);
    (void)snprintf(solver->report.reason, sizeof solver->report.reason, "auto: after %s", solver->way->name);
    solver->way = next;
    memset(&solver->report.report, 0, sizeof solver->report.report);
    return 1;
}

/* The first method's failure is what is told: as if no other had been tried. */
static clsolve_status go_back(clsolve_solver *solver) {
    clsolve_status status = solver->first.status;
    const double *history = solver->report.history;
    int64_t history_count = solver->report.history_count;
    cls_way_close(solver, solver->way);
    solver->way = solver->first.way;
    solver->report = solver->first.report;
    solver->report.attempts_count = 0;
    solver->report.history = history;
    solver->report.history_count = history_count;
    return cls_context_fail(solver->context, status, "%s", solver->first.text);
}

static clsolve_status factor_on(clsolve_solver *solver) {
    char said[1024];
    for (;;) {
        clsolve_status status = solver->way->factor(solver);
        take_report(solver);
        if (status == CLSOLVE_OK) cls_remember_build(solver, solver->way);
        if (status == CLSOLVE_OK) return status;
        int first_is_told = solver->first.way && (is_memory(status) || solver->report.singular);
        if (may_follow(solver, status)) {
            cls_context_said(solver->context, said, sizeof said);
            if (go_on(solver, status, said)) continue;
        }
        return first_is_told ? go_back(solver) : status;
    }
}

clsolve_status cls_attempt_factor(clsolve_solver *solver, const char *call) {
    const cls_analysis *a = &solver->analysis;
    solver->tried = 0;
    solver->first.way = NULL;
    if (!solver->way) {
        CLS_TRY(cls_choose(solver, call));
    } else if (is_auto(solver) && solver->way != &cls_way_grid && cls_analysis_singular_grid(a)) {
        cls_way_close(solver, solver->way); /* new values that no LU can take */
        CLS_TRY(cls_choose(solver, call));
    } else if (is_auto(solver) && ((cls_is_cholesky(solver->way) && !(a->hermitian && a->positive_diagonal)) ||
                                   (solver->way == &cls_way_sparse_ldl && !a->hermitian && !a->symmetric))) {
        cls_way_close(solver, solver->way); /* new values that the method cannot take */
        CLS_TRY(cls_choose(solver, call));
    }
    return factor_on(solver);
}

/* ---- solve ---- */

static int promises(const clsolve_solver *solver) {
    return is_auto(solver) && !cls_options_set_iteration(&solver->options);
}

/* LU solves a singular matrix by the last pivot that rounding leaves. The answer is good where B is in the matrix's
 * range, and the residual tells: as small as the iteration would have left it, and below LAPACK's bound of 30. */
static int fits_singular(const clsolve_solver *solver, const cls_accuracy *accuracy) {
    double tolerance = solver->options.tolerance > 0 ? solver->options.tolerance
                       : cls_is_double(solver->type) ? 1e-10
                                                     : 1e-5;
    return accuracy->relative <= 100 * fmax(tolerance, cls_epsilon(solver->type)) && accuracy->scaled < 30;
}

typedef struct attempt_run {
    clsolve_op op;
    int64_t nrhs;
    const double *b;
    double *x, *r;
} attempt_run;

/* The chosen method's answer, measured and corrected. */
static clsolve_status solve_and_measure(clsolve_solver *solver, const attempt_run *run, cls_accuracy *accuracy) {
    int64_t n = solver->n, nrhs = run->nrhs;
    memcpy(run->x, run->b, (size_t)(n * nrhs * cls_type_parts(solver->type)) * sizeof *run->x);
    clsolve_status status = cls_way_solve(solver, run->op, run->x, nrhs);
    take_report(solver);
    if (status != CLSOLVE_OK) return status;
    if (solver->report.singular && solver->way != &cls_way_grid)
        cls_remove_means(n, nrhs, cls_type_parts(solver->type), run->x);
    cls_measure(solver, run->op, run->b, run->x, nrhs, run->r, accuracy);
    if (promises(solver)) cls_correct(solver, run->op, run->b, run->x, nrhs, run->r, accuracy);
    solver->report.backward_error = isfinite(accuracy->backward) ? accuracy->backward : -1;
    return CLSOLVE_OK;
}

/* Another method, factored. */
static clsolve_status solve_on(clsolve_solver *solver, clsolve_status status, const char *text, int *goes_on) {
    *goes_on = go_on(solver, status, text);
    if (!*goes_on) return status;
    solver->report.corrections = 0;
    return factor_on(solver);
}

clsolve_status cls_attempt_solve(clsolve_solver *solver, clsolve_op op, const double *b, double *x, int64_t nrhs) {
    char said[1024];
    int goes_on = 1;
    attempt_run run = {op, nrhs, b, x,
                       cls_alloc((size_t)(solver->n * nrhs * cls_type_parts(solver->type)) + 1, sizeof *run.r)};
    clsolve_status status = CLSOLVE_OK;
    if (!run.r) return cls_context_fail(solver->context, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a residual");
    while (goes_on) {
        cls_accuracy accuracy = {0};
        goes_on = 0;
        status = solve_and_measure(solver, &run, &accuracy);
        double promised = cls_accuracy_promised(solver);
        int is_grid = solver->way == &cls_way_grid, after_grid = solver->report.singular && !is_grid;
        if (status == CLSOLVE_OK && is_grid && promises(solver) && !solver->report.singular &&
            !(accuracy.backward <= promised)) {
            (void)snprintf(said, sizeof said, "the backward error %.2g stays above %.2g", accuracy.backward, promised);
            status = solve_on(solver, CLSOLVE_OK, said, &goes_on);
        } else if (status == CLSOLVE_OK && after_grid && !fits_singular(solver, &accuracy)) {
            status = go_back(solver);
        } else if (status != CLSOLVE_OK && may_follow(solver, status)) {
            cls_context_said(solver->context, said, sizeof said);
            status = solve_on(solver, status, said, &goes_on);
        }
        if (status != CLSOLVE_OK) break;
    }
    cls_free(run.r);
    return status;
}
