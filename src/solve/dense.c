#include "solve/dense.h"

#include <stdio.h>

#include "api/door.h"
#include "base/memory.h"

static int is_gauss_jordan(const clsolve_solver *solver) {
    return solver->options.method == CLSOLVE_METHOD_GAUSS_JORDAN;
}

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
        for (int64_t i = 0; i < solver->n; i++)
            cls_stage_put(&solver->dense, i + j * solver->n,
                          cls_stage_get(A, A->layout == CLSOLVE_COLUMN_MAJOR ? i + j * A->ld : i * A->ld + j));
    return CLSOLVE_OK;
}

clsolve_status cls_dense_factor(clsolve_solver *solver, const clsolve_matrix *A) {
    clsolve_lu_options lu = cls_lu_options_of(&solver->options);
    clsolve_gauss_jordan_options jordan = cls_gauss_jordan_options_of(&solver->options);
    clsolve_status status = CLSOLVE_OK;

    solver->way = is_gauss_jordan(solver) ? &cls_way_gauss_jordan : &cls_way_lu;
    (void)snprintf(solver->report.reason, sizeof solver->report.reason, "%s",
                   solver->options.method == CLSOLVE_METHOD_AUTO ? "auto: the matrix is dense" : "asked for");
    if (!is_gauss_jordan(solver)) {
        if (!solver->lu) status = clsolve_lu_create(solver->context, solver->n, solver->type, &lu, &solver->lu);
        if (status == CLSOLVE_OK) status = clsolve_lu_factor(solver->lu, A);
    } else {
        if (!solver->gauss_jordan)
            status =
                clsolve_gauss_jordan_create(solver->context, solver->n, solver->type, &jordan, &solver->gauss_jordan);
        if (status == CLSOLVE_OK) status = copy_matrix(solver, A);
    }
    take_report(solver);
    return status;
}

clsolve_status cls_dense_solve(clsolve_solver *solver, clsolve_op op, clsolve_matrix *B) {
    clsolve_status status = is_gauss_jordan(solver)
                                ? clsolve_gauss_jordan_solve(solver->gauss_jordan, op, &solver->dense, B)
                                : clsolve_lu_solve(solver->lu, op, B);
    take_report(solver);
    return status;
}
