#include "solve/dense.h"

#include <stdio.h>

#include "api/door.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/type.h"
#include "solve/symmetric.h"

static void take_report(clsolve_solver *solver) {
    clsolve_solve_report *report = &solver->report;
    cls_way_report(solver, &report->report);
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
    CLS_TRY(cls_solver_make_jordan(solver));
    return copy_matrix(solver, A);
}

static clsolve_status factor_lu(clsolve_solver *solver, const clsolve_matrix *A) {
    CLS_TRY(cls_solver_make_lu(solver));
    return cls_door_factor(solver->kept[CLS_KEPT_LU], A);
}

static clsolve_status factor_half(clsolve_solver *solver, const clsolve_matrix *A, clsolve_method method) {
    const cls_half_family *half;
    void *handle;
    CLS_TRY(cls_dense_check_symmetric(solver->context, "clsolve_solver_factor", method, A, &half));
    CLS_TRY(cls_solver_make_half(solver, half, &handle));
    return cls_door_factor(handle, A);
}

static void choose(clsolve_solver *solver, const cls_way *way, const char *reason) {
    solver->way = way;
    (void)snprintf(solver->report.reason, sizeof solver->report.reason, "%s", reason);
}

/* Another method in the place of this one, and why. */
static void give_up(clsolve_solver *solver, clsolve_status status) {
    clsolve_solver_attempt *attempt = &solver->report.attempts[solver->report.attempts_count++];
    attempt->method = solver->way->method;
    attempt->status = status;
    cls_context_said(solver->context, attempt->text, sizeof attempt->text);
    cls_way_close(solver, solver->way);
}

/* A method that values before were gone on to stays. */
static cls_suits suits_of(clsolve_solver *solver, const clsolve_matrix *A) {
    if (solver->kept[CLS_KEPT_LU]) return (cls_suits){CLSOLVE_METHOD_LU, CLS_SYMMETRY_NONE, NULL};
    cls_suits suits = cls_dense_suits(solver->context, &solver->options, A);
    if (suits.method == CLSOLVE_METHOD_CHOLESKY && solver->kept[CLS_KEPT_LDL] &&
        solver->ldl_symmetry == CLSOLVE_SYMMETRY_HERMITIAN) {
        suits.method = CLSOLVE_METHOD_LDL;
        suits.half = cls_half_of(suits.method, CLSOLVE_SYMMETRY_HERMITIAN);
    }
    return suits;
}

/* AUTO: the memory of a method that was given up is the next one's. */
static clsolve_status factor_auto(clsolve_solver *solver, const clsolve_matrix *A) {
    cls_suits suits = suits_of(solver, A);
    const char *reason = cls_suits_reason(&suits, A->type);

    while (suits.method != CLSOLVE_METHOD_LU) {
        void *handle;
        choose(solver, cls_way_of(suits.method), reason);
        clsolve_status status = cls_solver_make_half(solver, suits.half, &handle);
        int gives_up = cls_half_gave_up(status);
        if (status == CLSOLVE_OK) status = cls_half_try(solver->context, &suits, handle, A, &gives_up);
        if (!gives_up) return status;
        reason = cls_after_reason(suits.method);
        give_up(solver, status);
        suits = cls_dense_after(solver->context, &solver->options, A, suits.method, status);
    }
    choose(solver, &cls_way_lu, reason);
    cls_way_close(solver, &cls_way_cholesky);
    cls_way_close(solver, &cls_way_ldl);
    return factor_lu(solver, A);
}

clsolve_status cls_solver_dense_factor(clsolve_solver *solver, const clsolve_matrix *A) {
    const cls_way *asked = cls_way_of(solver->options.method);
    clsolve_status status;

    if (asked) choose(solver, asked, "asked for");
    status = !asked                           ? factor_auto(solver, A)
             : asked == &cls_way_gauss_jordan ? factor_jordan(solver, A)
             : asked == &cls_way_lu           ? factor_lu(solver, A)
                                              : factor_half(solver, A, asked->method);
    take_report(solver);
    return status;
}

/* ---- solve ---- */

clsolve_status cls_solver_dense_solve(clsolve_solver *solver, clsolve_op op, clsolve_matrix *B) {
    clsolve_status status = solver->way == &cls_way_gauss_jordan
                                ? clsolve_gauss_jordan_solve(solver->gauss_jordan, op, &solver->dense, B)
                                : cls_kept_apply(solver, op, B);
    take_report(solver);
    return status;
}
