/* way_band.c: band LU of a sparse matrix, its rows and columns in the order of the analysis. */
#include "base/type.h"
#include "solve/solver.h"

static clsolve_status create(clsolve_solver *solver) {
    const clsolve_solver_options *o = &solver->options;
    cls_order_band diagonals = solver->analysis.after;
    clsolve_band_options options = {.form = CLSOLVE_BAND_PLAIN,
                                    .panel = o->panel,
                                    .block = o->block,
                                    .memory_limit = o->memory_limit,
                                    .slab_bytes = o->slab_bytes,
                                    .progress = o->progress,
                                    .progress_user = o->progress_user,
                                    .precision = o->precision,
                                    .rcond = o->rcond,
                                    .equilibrate = o->equilibrate,
                                    .refine = o->refine,
                                    .where = o->where};
    return clsolve_band_create(solver->context, solver->n, diagonals.kl, diagonals.ku, solver->type, &options,
                               &solver->band);
}

static clsolve_status factor(clsolve_solver *solver) {
    if (!solver->band) {
        clsolve_status status = create(solver);
        if (status != CLSOLVE_OK) return status;
    }
    const cls_csr *A = &solver->A;
    const clsolve_csr view = {cls_double_type(solver->type), CLSOLVE_I64, 0, A->n, A->n, A->start, A->column, A->value};
    return clsolve_band_factor_csr(solver->band, &view, solver->analysis.place, solver->analysis.place);
}

static clsolve_status staged(clsolve_solver *solver, clsolve_op op, clsolve_matrix *B) {
    return clsolve_band_solve(solver->band, op, B);
}

static clsolve_status solve(clsolve_solver *solver, clsolve_op op, double *x, int64_t nrhs) {
    return cls_stage(solver, solver->analysis.place, op, x, nrhs, staged);
}

static void report(const clsolve_solver *solver, clsolve_report *report) {
    if (solver->band) (void)clsolve_band_report(solver->band, report);
}

static void band_close(clsolve_solver *solver) {
    clsolve_band_destroy(solver->band);
    solver->band = NULL;
}

const cls_way cls_way_band = {CLSOLVE_METHOD_BAND, "band-lu", factor, solve, report, band_close};
