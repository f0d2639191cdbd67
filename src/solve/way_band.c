/* way_band.c: band LU of a sparse matrix, its rows and columns in the order of the analysis. */
#include "api/door.h"
#include "base/memory.h"
#include "base/type.h"
#include "solve/options.h"
#include "solve/solver.h"

static clsolve_status create(clsolve_solver *solver) {
    const clsolve_solver_options *o = &solver->options;
    cls_order_band diagonals = solver->analysis.after;
    const clsolve_band_options options = {CLS_OPTIONS_OF(o), .form = CLSOLVE_BAND_PLAIN};
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

/* ---- Cholesky of the lower triangle ---- */

typedef struct lower_array {
    clsolve_matrix AB; /* k + 1 rows */
    const int64_t *place;
} lower_array;

static void put_lower(void *user, int64_t row, int64_t column, const double *value) {
    const lower_array *band = user;
    int64_t i = band->place ? band->place[row] : row, j = band->place ? band->place[column] : column;
    if (i >= j) cls_stage_put_element(&band->AB, i - j + j * band->AB.rows, value);
}

static clsolve_status factor_lower(clsolve_solver *solver) {
    const clsolve_solver_options *o = &solver->options;
    const clsolve_band_cholesky_options options = {CLS_OPTIONS_OF_BANDS(o)};
    const int64_t k = solver->analysis.after.kl;
    lower_array band = {cls_stage_zeros(solver->type, k + 1, solver->n), solver->analysis.place};
    const char *kind = cls_is_complex(solver->type) ? "hermitian" : "symmetric";
    clsolve_status status = CLSOLVE_OK;

    if (!solver->analysis.hermitian) {
        cls_free(band.AB.data);
        return cls_context_fail(solver->context, CLSOLVE_ERROR_INVALID_ARGUMENT,
                                "the matrix is not %s; CLSOLVE_METHOD_CHOLESKY takes %s ones", kind, kind);
    }
    if (!band.AB.data)
        return cls_context_fail(solver->context, CLSOLVE_ERROR_OUT_OF_MEMORY,
                                "out of host memory: n = %lld with %lld diagonals below the main one",
                                (long long)solver->n, (long long)k);
    cls_csr_each(&solver->A, 0, put_lower, &band);
    if (!solver->band_cholesky)
        status =
            clsolve_band_cholesky_create(solver->context, solver->n, k, solver->type, &options, &solver->band_cholesky);
    if (status == CLSOLVE_OK) status = clsolve_band_cholesky_factor(solver->band_cholesky, CLSOLVE_LOWER, &band.AB);
    cls_free(band.AB.data);
    return status;
}

static clsolve_status staged_lower(clsolve_solver *solver, clsolve_op op, clsolve_matrix *B) {
    (void)op;
    return clsolve_band_cholesky_solve(solver->band_cholesky, B);
}

/* A^T x = b of a hermitian A is A conj(x) = conj(b). */
static void conjugate(const clsolve_solver *solver, clsolve_op op, double *x, int64_t nrhs) {
    const int wanted = cls_is_complex(solver->type) && op == CLSOLVE_TRANS;
    for (int64_t k = 1; wanted && k < 2 * solver->n * nrhs; k += 2) x[k] = -x[k];
}

static clsolve_status solve_lower(clsolve_solver *solver, clsolve_op op, double *x, int64_t nrhs) {
    conjugate(solver, op, x, nrhs);
    const clsolve_status status = cls_stage(solver, solver->analysis.place, CLSOLVE_NO_TRANS, x, nrhs, staged_lower);
    conjugate(solver, op, x, nrhs);
    return status;
}

static void report_lower(const clsolve_solver *solver, clsolve_report *report) {
    if (solver->band_cholesky) (void)clsolve_band_cholesky_report(solver->band_cholesky, report);
}

static void close_lower(clsolve_solver *solver) {
    clsolve_band_cholesky_destroy(solver->band_cholesky);
    solver->band_cholesky = NULL;
}

const cls_way cls_way_band_cholesky = {
    CLSOLVE_METHOD_CHOLESKY, "band-cholesky", factor_lower, solve_lower, report_lower, close_lower};
