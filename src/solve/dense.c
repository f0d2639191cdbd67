#include "solve/dense.h"

#include <stdio.h>

#include "api/door.h"
#include "base/error.h"
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

static clsolve_status make_cholesky(clsolve_solver *solver) {
    const clsolve_cholesky_options options = cls_cholesky_options_of(&solver->options);
    if (solver->cholesky) return CLSOLVE_OK;
    return clsolve_cholesky_create(solver->context, solver->n, solver->type, &options, &solver->cholesky);
}

static clsolve_status factor_cholesky(clsolve_solver *solver, const clsolve_matrix *A) {
    CLS_TRY(cls_dense_check_symmetric(solver->context, "clsolve_solver_factor", A));
    CLS_TRY(make_cholesky(solver));
    return clsolve_cholesky_factor(solver->cholesky, CLSOLVE_LOWER, A);
}

static void choose(clsolve_solver *solver, const cls_way *way, const char *reason) {
    solver->way = way;
    (void)snprintf(solver->report.reason, sizeof solver->report.reason, "%s", reason);
}

/* LU in the place of Cholesky, and why. */
static void go_on(clsolve_solver *solver, clsolve_status status) {
    clsolve_solver_attempt *attempt = &solver->report.attempts[solver->report.attempts_count++];
    attempt->method = CLSOLVE_METHOD_CHOLESKY;
    attempt->status = status;
    cls_context_said(solver->context, attempt->text, sizeof attempt->text);
    cls_way_cholesky.close(solver);
    choose(solver, &cls_way_lu, "auto: after cholesky");
}

/* AUTO: where LU was gone on to it stays, and the memory of Cholesky is LU's then. */
static clsolve_status factor_auto(clsolve_solver *solver, const clsolve_matrix *A) {
    const cls_symmetry symmetry =
        solver->lu ? CLS_SYMMETRY_NONE : cls_dense_suits_cholesky(solver->context, &solver->options, A);
    int gives_up;

    if (symmetry == CLS_SYMMETRY_NONE) {
        choose(solver, &cls_way_lu, "auto: the matrix is dense");
        cls_way_cholesky.close(solver);
        return factor_lu(solver, A);
    }
    choose(solver, &cls_way_cholesky, cls_cholesky_reason(A->type));
    clsolve_status status = make_cholesky(solver);
    gives_up = cls_cholesky_gave_up(status);
    if (status == CLSOLVE_OK) status = cls_cholesky_try(solver->context, solver->cholesky, A, symmetry, &gives_up);
    if (!gives_up) return status;
    go_on(solver, status);
    return factor_lu(solver, A);
}

clsolve_status cls_dense_factor(clsolve_solver *solver, const clsolve_matrix *A) {
    const cls_way *asked = cls_way_of(solver->options.method);
    clsolve_status status;

    if (asked) choose(solver, asked, "asked for");
    status = !asked                           ? factor_auto(solver, A)
             : asked == &cls_way_gauss_jordan ? factor_jordan(solver, A)
             : asked == &cls_way_cholesky     ? factor_cholesky(solver, A)
                                              : factor_lu(solver, A);
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
