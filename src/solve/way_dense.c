/* way_dense.c: a sparse matrix for dense LU; the same spelled out, for Cholesky, LDL^T and Gauss-Jordan. */
#include "api/door.h"
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

/* ---- LU ---- */

static clsolve_status lu_factor(clsolve_solver *solver) {
    clsolve_lu_options options = cls_lu_options_of(&solver->options);
    const cls_csr *A = &solver->A;
    const clsolve_csr view = {cls_double_type(solver->type), CLSOLVE_I64, 0, A->n, A->n, A->start, A->column, A->value};
    clsolve_status status = CLSOLVE_OK;
    if (!solver->lu) status = clsolve_lu_create(solver->context, solver->n, solver->type, &options, &solver->lu);
    return status == CLSOLVE_OK ? clsolve_lu_factor_csr(solver->lu, &view, NULL, NULL) : status;
}

static clsolve_status lu_staged(clsolve_solver *solver, clsolve_op op, clsolve_matrix *B) {
    return clsolve_lu_solve(solver->lu, op, B);
}

static clsolve_status lu_solve(clsolve_solver *solver, clsolve_op op, double *x, int64_t nrhs) {
    return cls_stage(solver, NULL, op, x, nrhs, lu_staged);
}

static void lu_report(const clsolve_solver *solver, clsolve_report *report) {
    if (solver->lu) (void)clsolve_lu_report(solver->lu, report);
}

static void lu_close(clsolve_solver *solver) {
    clsolve_lu_destroy(solver->lu);
    solver->lu = NULL;
}

const cls_way cls_way_lu = {CLSOLVE_METHOD_LU, "lu", lu_factor, lu_solve, lu_report, lu_close};

/* ---- Cholesky, LDL^T: the method of solver->way ---- */

static void **half_handle(clsolve_solver *solver, const cls_half_family *half) {
    return half->method == CLSOLVE_METHOD_LDL ? &solver->ldl : &solver->cholesky;
}

const cls_half_family *cls_solver_half(const clsolve_solver *solver) {
    return cls_half_of(solver->way->method, solver->ldl_symmetry);
}

clsolve_status cls_solver_make_half(clsolve_solver *solver, const cls_half_family *half, void **handle) {
    void **kept = half_handle(solver, half);
    if (half->method == CLSOLVE_METHOD_LDL && half->symmetry != solver->ldl_symmetry) {
        half->destroy(*kept);
        *kept = NULL;
        solver->ldl_symmetry = half->symmetry;
    }
    if (!*kept) CLS_TRY(half->create(solver->context, solver->n, solver->type, &solver->options, kept));
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
    if (status == CLSOLVE_OK) status = half->factor(handle, &full);
    cls_free(full.data);
    return status;
}

static clsolve_status half_staged(clsolve_solver *solver, clsolve_op op, clsolve_matrix *B) {
    const cls_half_family *half = cls_solver_half(solver);
    return cls_half_solve_op(solver->context, half, *half_handle(solver, half), op, B);
}

static clsolve_status half_solve(clsolve_solver *solver, clsolve_op op, double *x, int64_t nrhs) {
    return cls_stage(solver, NULL, op, x, nrhs, half_staged);
}

static void half_report(const clsolve_solver *solver, clsolve_report *report) {
    const cls_half_family *half = cls_solver_half(solver);
    const void *handle = half->method == CLSOLVE_METHOD_LDL ? solver->ldl : solver->cholesky;
    if (handle) (void)half->report(handle, report);
}

static void half_close(clsolve_solver *solver, clsolve_method method) {
    const cls_half_family *half = cls_half_of(method, solver->ldl_symmetry);
    void **handle = half_handle(solver, half);
    half->destroy(*handle);
    *handle = NULL;
}

static void cholesky_close(clsolve_solver *solver) {
    half_close(solver, CLSOLVE_METHOD_CHOLESKY);
}

static void ldl_close(clsolve_solver *solver) {
    half_close(solver, CLSOLVE_METHOD_LDL);
}

const cls_way cls_way_cholesky = {CLSOLVE_METHOD_CHOLESKY, "cholesky", half_factor, half_solve, half_report,
                                  cholesky_close};
const cls_way cls_way_ldl = {CLSOLVE_METHOD_LDL, "ldl", half_factor, half_solve, half_report, ldl_close};

/* ---- Gauss-Jordan ---- */

void cls_dense_forget(clsolve_solver *solver) {
    if (solver->dense_buffer)
        cls_context_release(solver->context, solver->dense_buffer);
    else
        cls_free(solver->dense.data);
    solver->dense_buffer = NULL;
    solver->dense.data = NULL;
}

/* The elimination takes the matrix with each B, so factor keeps it. */
static clsolve_status jordan_factor(clsolve_solver *solver) {
    clsolve_gauss_jordan_options options = cls_gauss_jordan_options_of(&solver->options);
    if (!solver->gauss_jordan) {
        clsolve_status status =
            clsolve_gauss_jordan_create(solver->context, solver->n, solver->type, &options, &solver->gauss_jordan);
        if (status != CLSOLVE_OK) return status;
    }
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

const cls_way cls_way_gauss_jordan = {
    CLSOLVE_METHOD_GAUSS_JORDAN, "gauss-jordan", jordan_factor, jordan_solve, jordan_report, jordan_close};
