#include "solve/dense.h"

#include <stdio.h>

#include "api/door.h"
#include "base/memory.h"
#include "base/type.h"
#include "solve/symmetric.h"

static void take_report(clsolve_solver *solver) {
    clsolve_solve_report *report = &solver->report;
    solver->way->report(solver, &report->report);
    report->method = solver->way->method;
    report->name = solver->way->name;
    report->backward_error = report->report.refinement.backward_error; /* where the method refines */
}

/* Gauss-Jordan takes the matrix with each B, so the solver keeps a copy, on the device if the matrix is there. */
static clsolve_status copy_matrix(clsolve_solver *solver, const clsolve_matrix *A) {
    if (A->place == CLSOLVE_ON_DEVICE || solver->dense_buffer) cls_dense_forget(solver);
    if (A->place == CLSOLVE_ON_DEVICE)
        return cls_context_keep(solver->context, A, &solver->dense, &solver->dense_buffer);
    if (!solver->dense.data) solver->dense = cls_stage_zeros(solver->type, solver->n, solver->n);
    if (!solver->dense.data)
        return cls_context_fail(solver->context, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a copy of A");
    for (int64_t j = 0; j < solver->n; j++)
        for (int64_t i = 0; i < solver->n; i++) {
            double element[2];
            cls_stage_get_element(A, A->layout == CLSOLVE_COLUMN_MAJOR ? i + j * A->ld : i * A->ld + j, element);
            cls_stage_put_element(&solver->dense, i + j * solver->n, element);
        }
    return CLSOLVE_OK;
}

/* ---- factor ---- */

static clsolve_status factor_jordan(clsolve_solver *solver, const clsolve_matrix *A) {
    const clsolve_gauss_jordan_options options = cls_gauss_jordan_options_of(&solver->options);
    clsolve_status status = CLSOLVE_OK;
    if (!solver->gauss_jordan)
        status = clsolve_gauss_jordan_create(solver->context, solver->n, solver->type, &options, &solver->gauss_jordan);
    return status == CLSOLVE_OK ? copy_matrix(solver, A) : status;
}

static clsolve_status factor_lu(clsolve_solver *solver, const clsolve_matrix *A) {
    const clsolve_lu_options options = cls_lu_options_of(&solver->options);
    clsolve_status status = CLSOLVE_OK;
    if (!solver->lu) status = clsolve_lu_create(solver->context, solver->n, solver->type, &options, &solver->lu);
    return status == CLSOLVE_OK ? clsolve_lu_factor(solver->lu, A) : status;
}

static clsolve_status factor_cholesky(clsolve_solver *solver, const clsolve_matrix *A) {
    const clsolve_cholesky_options options = cls_cholesky_options_of(&solver->options);
    clsolve_status status = CLSOLVE_OK;
    if (solver->options.method == CLSOLVE_METHOD_CHOLESKY)
        status = cls_dense_check_symmetric(solver->context, "clsolve_solver_factor", A);
    if (status == CLSOLVE_OK && !solver->cholesky)
        status = clsolve_cholesky_create(solver->context, solver->n, solver->type, &options, &solver->cholesky);
    return status == CLSOLVE_OK ? clsolve_cholesky_factor(solver->cholesky, CLSOLVE_LOWER, A) : status;
}

/* AUTO: where LU was gone on to it stays, and the memory of Cholesky is LU's then. */
static void choose(clsolve_solver *solver, const clsolve_matrix *A) {
    const char *reason = "asked for";
    solver->way = cls_way_of(solver->options.method);
    if (!solver->way && !solver->lu && cls_dense_suits_cholesky(solver->context, &solver->options, A)) {
        solver->way = &cls_way_cholesky;
        reason = cls_cholesky_reason(A->type);
    } else if (!solver->way) {
        solver->way = &cls_way_lu;
        reason = "auto: the matrix is dense";
        cls_way_cholesky.close(solver);
    }
    (void)snprintf(solver->report.reason, sizeof solver->report.reason, "%s", reason);
}

/* LU in the place of Cholesky, and why. */
static void go_on(clsolve_solver *solver, clsolve_status status) {
    clsolve_solver_attempt *attempt = &solver->report.attempts[solver->report.attempts_count++];
    attempt->method = CLSOLVE_METHOD_CHOLESKY;
    attempt->status = status;
    cls_context_said(solver->context, attempt->text, sizeof attempt->text);
    cls_way_cholesky.close(solver);
    solver->way = &cls_way_lu;
    (void)snprintf(solver->report.reason, sizeof solver->report.reason, "auto: after cholesky");
}

clsolve_status cls_dense_factor(clsolve_solver *solver, const clsolve_matrix *A) {
    clsolve_status status;

    choose(solver, A);
    if (solver->way == &cls_way_gauss_jordan) {
        status = factor_jordan(solver, A);
    } else if (solver->way == &cls_way_cholesky) {
        status = factor_cholesky(solver, A);
        if (solver->options.method == CLSOLVE_METHOD_AUTO && cls_cholesky_gave_up(status)) {
            go_on(solver, status);
            status = factor_lu(solver, A);
        }
    } else {
        status = factor_lu(solver, A);
    }
    take_report(solver);
    return status;
}

/* ---- solve ---- */

clsolve_status cls_dense_solve(clsolve_solver *solver, clsolve_op op, clsolve_matrix *B) {
    clsolve_status status =
        solver->way == &cls_way_gauss_jordan ? clsolve_gauss_jordan_solve(solver->gauss_jordan, op, &solver->dense, B)
        : solver->way == &cls_way_cholesky   ? cls_cholesky_solve_op(solver->context, solver->cholesky, op, B)
                                             : clsolve_lu_solve(solver->lu, op, B);
    take_report(solver);
    return status;
}
