/* way_dense.c: a sparse matrix for dense LU; the same spelled out, for Cholesky, LDL^T and Gauss-Jordan. */
#include "api/door.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/type.h"
#include "solve/options.h"
#include "solve/solver.h"
#include "solve/symmetric.h"

clsolve_lu_options cls_lu_options_of(const clsolve_solver_options *o) {
    return (clsolve_lu_options){CLS_OPTIONS_OF(o), .pivoting = o->pivoting, .seed = o->seed};
}

clsolve_gauss_jordan_options cls_gauss_jordan_options_of(const clsolve_solver_options *o) {
    return (clsolve_gauss_jordan_options){.variant = o->variant,
                                          .pivoting = o->pivoting,
                                          .block = o->block,
                                          .slab_bytes = o->slab_bytes,
                                          .where = o->where,
                                          .progress = o->progress,
                                          .progress_user = o->progress_user};
}

static void put_entry(void *user, int64_t row, int64_t column, const double *value) {
    const clsolve_matrix *matrix = user;
    cls_stage_put_element(matrix, row + column * matrix->rows, value);
}

static clsolve_status spell_out(clsolve_solver *solver, clsolve_matrix *full) {
    *full = cls_stage_zeros(solver->type, solver->n, solver->n);
    if (!full->data)
        return cls_context_fail(solver->context, CLSOLVE_ERROR_OUT_OF_MEMORY,
                                "out of host memory: a dense matrix of %lld x %lld", (long long)solver->n,
                                (long long)solver->n);
    cls_csr_each(&solver->A, 0, put_entry, full);
    return CLSOLVE_OK;
}

/* ---- what the direct ways share ---- */

clsolve_status cls_kept_apply(clsolve_solver *solver, clsolve_op op, clsolve_matrix *B) {
    const cls_way *way = solver->way;
    void *handle = solver->kept[way->kept];
    if (way->kept < CLS_KEPT_CHOLESKY) return cls_door_solve(handle, op, B);
    return cls_half_solve_op(solver->context, cls_half_of(way->method, solver->ldl_symmetry), handle, op, B);
}

/* The rows of a band are in the order of the analysis. */
clsolve_status cls_way_solve(clsolve_solver *solver, clsolve_op op, double *x, int64_t nrhs) {
    const cls_way *way = solver->way;
    const int banded = way == &cls_way_band || way == &cls_way_band_cholesky;
    if (way->solve) return way->solve(solver, op, x, nrhs);
    return cls_stage(solver, banded ? solver->analysis.place : NULL, op, x, nrhs, cls_kept_apply);
}

void cls_way_report(const clsolve_solver *solver, clsolve_report *report) {
    const void *handle = solver->kept[solver->way->kept];
    if (solver->way->report) solver->way->report(solver, report);
    if (handle) (void)cls_door_report(handle, report);
}

void cls_way_close(clsolve_solver *solver, const cls_way *way) {
    if (way->close) way->close(solver);
    cls_door_destroy(solver->kept[way->kept]);
    solver->kept[way->kept] = NULL;
}

/* ---- LU ---- */

clsolve_status cls_solver_make_lu(clsolve_solver *solver) {
    const clsolve_lu_options options = cls_lu_options_of(&solver->options);
    clsolve_lu *made;
    if (solver->kept[CLS_KEPT_LU]) return CLSOLVE_OK;
    const clsolve_status status = clsolve_lu_create(solver->context, solver->n, solver->type, &options, &made);
    solver->kept[CLS_KEPT_LU] = made;
    return status;
}

static clsolve_status lu_factor(clsolve_solver *solver) {
    const clsolve_csr view = cls_solver_view(solver);
    CLS_TRY(cls_solver_make_lu(solver));
    return clsolve_lu_factor_csr(solver->kept[CLS_KEPT_LU], &view, NULL, NULL);
}

const cls_way cls_way_lu = {CLSOLVE_METHOD_LU, "lu", CLS_KEPT_LU, .factor = lu_factor};

/* ---- Cholesky, LDL^T: the method of solver->way ---- */

clsolve_status cls_solver_make_half(clsolve_solver *solver, const cls_half_family *half, void **handle) {
    void **kept = &solver->kept[half->method == CLSOLVE_METHOD_LDL ? CLS_KEPT_LDL : CLS_KEPT_CHOLESKY];
    if (half->method == CLSOLVE_METHOD_LDL && half->symmetry != solver->ldl_symmetry) {
        cls_way_close(solver, &cls_way_ldl);
        solver->ldl_symmetry = half->symmetry;
    }
    if (!*kept) CLS_TRY(half->create(solver->context, solver->n, solver->type, half->symmetry, &solver->options, kept));
    *handle = *kept;
    return CLSOLVE_OK;
}

/* A complex matrix is looked at when it is spelled out, and the message that it is not hermitian is of that one. */
static clsolve_status half_factor(clsolve_solver *solver) {
    const int transposed = cls_is_complex(solver->type) && !solver->analysis.hermitian && solver->analysis.symmetric;
    const cls_half_family *half =
        cls_half_of(solver->way->method, transposed ? CLSOLVE_SYMMETRY_TRANSPOSE : CLSOLVE_SYMMETRY_HERMITIAN);
    clsolve_matrix full = {0};
    void *handle;

    if (!cls_is_complex(solver->type) && !solver->analysis.symmetric)
        return cls_context_fail(solver->context, CLSOLVE_ERROR_INVALID_ARGUMENT,
                                "the matrix is not symmetric; %s takes symmetric ones", half->name);
    CLS_TRY(cls_solver_make_half(solver, half, &handle));
    clsolve_status status = spell_out(solver, &full);
    if (status == CLSOLVE_OK && cls_is_complex(solver->type) && !solver->analysis.hermitian)
        status = cls_dense_check_symmetric(solver->context, "clsolve_solver_factor_csr", half->method, &full, &half);
    if (status == CLSOLVE_OK) status = cls_door_factor(handle, &full);
    cls_free(full.data);
    return status;
}

const cls_way cls_way_cholesky = {CLSOLVE_METHOD_CHOLESKY, "cholesky", CLS_KEPT_CHOLESKY, .factor = half_factor};
const cls_way cls_way_ldl = {CLSOLVE_METHOD_LDL, "ldl", CLS_KEPT_LDL, .factor = half_factor};

/* ---- Gauss-Jordan ---- */

void cls_dense_forget(clsolve_solver *solver) {
    if (solver->dense_buffer)
        cls_context_release(solver->context, solver->dense_buffer);
    else
        cls_free(solver->dense.data);
    solver->dense_buffer = NULL;
    solver->dense.data = NULL;
}

clsolve_status cls_solver_make_jordan(clsolve_solver *solver) {
    const clsolve_gauss_jordan_options options = cls_gauss_jordan_options_of(&solver->options);
    if (solver->gauss_jordan) return CLSOLVE_OK;
    return clsolve_gauss_jordan_create(solver->context, solver->n, solver->type, &options, &solver->gauss_jordan);
}

/* The elimination takes the matrix with each B, so factor keeps it. */
static clsolve_status jordan_factor(clsolve_solver *solver) {
    CLS_TRY(cls_solver_make_jordan(solver));
    cls_dense_forget(solver);
    return spell_out(solver, &solver->dense);
}

static clsolve_status jordan_staged(clsolve_solver *solver, clsolve_op op, clsolve_matrix *B) {
    return clsolve_gauss_jordan_solve(solver->gauss_jordan, op, &solver->dense, B);
}

static clsolve_status jordan_solve(clsolve_solver *solver, clsolve_op op, double *x, int64_t nrhs) {
    return cls_stage(solver, NULL, op, x, nrhs, jordan_staged);
}

static void jordan_report(const clsolve_solver *solver, clsolve_report *report) {
    if (solver->gauss_jordan) (void)clsolve_gauss_jordan_report(solver->gauss_jordan, report);
}

static void jordan_close(clsolve_solver *solver) {
    clsolve_gauss_jordan_destroy(solver->gauss_jordan);
    solver->gauss_jordan = NULL;
    cls_dense_forget(solver);
}

const cls_way cls_way_gauss_jordan = {CLSOLVE_METHOD_GAUSS_JORDAN,
                                      "gauss-jordan",
                                      CLS_NOT_KEPT,
                                      jordan_factor,
                                      jordan_solve,
                                      jordan_report,
                                      jordan_close};
