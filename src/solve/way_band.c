/* way_band.c: band LU of a sparse matrix, its rows and columns in the order of the analysis. */
#include "api/door.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/type.h"
#include "solve/options.h"
#include "solve/solver.h"

static clsolve_status create(clsolve_solver *solver) {
    const clsolve_solver_options *o = &solver->options;
    const cls_order_band diagonals = solver->analysis.after;
    const clsolve_band_options options = {CLS_OPTIONS_OF(o), .form = CLSOLVE_BAND_PLAIN};
    clsolve_band *made;
    const clsolve_status status =
        clsolve_band_create(solver->context, solver->n, diagonals.kl, diagonals.ku, solver->type, &options, &made);
    solver->kept[CLS_KEPT_BAND] = made;
    return status;
}

static clsolve_status factor(clsolve_solver *solver) {
    const clsolve_csr view = cls_solver_view(solver);
    const int64_t *place = solver->analysis.place;
    if (!solver->kept[CLS_KEPT_BAND]) CLS_TRY(create(solver));
    return clsolve_band_factor_csr(solver->kept[CLS_KEPT_BAND], &view, place, place);
}

const cls_way cls_way_band = {CLSOLVE_METHOD_BAND, "band-lu", CLS_KEPT_BAND, .factor = factor};

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
    if (!solver->kept[CLS_KEPT_BAND_CHOLESKY]) {
        clsolve_band_cholesky *made;
        status = clsolve_band_cholesky_create(solver->context, solver->n, k, solver->type, &options, &made);
        solver->kept[CLS_KEPT_BAND_CHOLESKY] = made;
    }
    if (status == CLSOLVE_OK) status = cls_door_factor(solver->kept[CLS_KEPT_BAND_CHOLESKY], &band.AB);
    cls_free(band.AB.data);
    return status;
}

const cls_way cls_way_band_cholesky = {CLSOLVE_METHOD_CHOLESKY, "band-cholesky", CLS_KEPT_BAND_CHOLESKY,
                                       .factor = factor_lower};
