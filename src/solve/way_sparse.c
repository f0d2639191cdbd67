/* way_sparse.c: sparse LU, Cholesky and L D L^T, in double whatever the solver's type is. */
#include <math.h>

#include "api/door.h"
#include "base/type.h"
#include "solve/solver.h"

static int is_cholesky(const cls_way *way) {
    return way->method == CLSOLVE_METHOD_SPARSE_CHOLESKY;
}

/* L D L^T takes a complex matrix that is its transpose, and not its conjugate transpose, too. */
static clsolve_sparse_form form_of(const clsolve_solver *solver, const cls_way *way) {
    const cls_analysis *a = &solver->analysis;
    if (is_cholesky(way)) return CLSOLVE_SPARSE_POSITIVE_DEFINITE;
    if (way->method != CLSOLVE_METHOD_SPARSE_LDL) return CLSOLVE_SPARSE_GENERAL;
    return a->symmetric && !a->hermitian ? CLSOLVE_SPARSE_SYMMETRIC : CLSOLVE_SPARSE_HERMITIAN;
}

clsolve_status cls_sparse_prepare(clsolve_solver *solver, const cls_way *way) {
    const clsolve_solver_options *o = &solver->options;
    const clsolve_csr A = cls_solver_view(solver);
    const clsolve_sparse_options options = {.form = form_of(solver, way),
                                            .order = o->order,
                                            .permutation = o->permutation,
                                            .rcond = o->rcond != 0,
                                            .memory_limit = o->memory_limit,
                                            .where = o->where,
                                            .progress = o->progress,
                                            .progress_user = o->progress_user};
    if (solver->sparse_handle && solver->sparse_way == way && solver->sparse_form == options.form) return CLSOLVE_OK;
    cls_sparse_forget(solver);
    solver->sparse_way = way;
    solver->sparse_form = options.form;
    return clsolve_sparse_create_csr(solver->context, &A, &options, &solver->sparse_handle);
}

void cls_sparse_forget(clsolve_solver *solver) {
    clsolve_sparse_destroy(solver->sparse_handle);
    solver->sparse_handle = NULL;
    solver->sparse_way = NULL;
}

static clsolve_status factor_as(clsolve_solver *solver, const cls_way *way) {
    const clsolve_csr A = cls_solver_view(solver);
    const clsolve_status status = cls_sparse_prepare(solver, way);
    if (status != CLSOLVE_OK) return status;
    return clsolve_sparse_factor_csr(solver->sparse_handle, &A);
}

static clsolve_status factor_lu(clsolve_solver *solver) {
    return factor_as(solver, &cls_way_sparse_lu);
}

/* sparse.h does not read imaginary parts on the diagonal. The solver solves with the matrix that it was given. */
static clsolve_status check_diagonal(const clsolve_solver *solver) {
    const cls_csr *A = &solver->A;
    for (int64_t i = 0; i < A->n && A->parts == 2; i++)
        for (int64_t e = A->start[i]; e < A->start[i + 1]; e++)
            if (A->column[e] == i && !(fabs(A->value[2 * e + 1]) <= 0x1p-46 * fabs(A->value[2 * e])))
                return cls_context_fail(solver->context, CLSOLVE_ERROR_INVALID_ARGUMENT,
                                        "the matrix is not hermitian: A(%lld,%lld), counted from 1, is not real",
                                        (long long)i + 1, (long long)i + 1);
    return CLSOLVE_OK;
}

static clsolve_status factor_hermitian(clsolve_solver *solver, const cls_way *way) {
    const clsolve_status status =
        form_of(solver, way) == CLSOLVE_SPARSE_SYMMETRIC ? CLSOLVE_OK : check_diagonal(solver);
    return status == CLSOLVE_OK ? factor_as(solver, way) : status;
}

static clsolve_status factor_cholesky(clsolve_solver *solver) {
    return factor_hermitian(solver, &cls_way_sparse_cholesky);
}

static clsolve_status factor_ldl(clsolve_solver *solver) {
    return factor_hermitian(solver, &cls_way_sparse_ldl);
}

/* Rounds X to float, so that its backward error is that of the answer. */
static clsolve_status round_to_single(clsolve_solver *solver, double *x, int64_t nrhs) {
    const int64_t parts = cls_type_parts(solver->type), numbers = solver->n * parts;
    for (int64_t k = 0; k < numbers * nrhs; k++) {
        x[k] = (double)(float)x[k];
        if (!isfinite(x[k]))
            return cls_context_fail(solver->context, CLSOLVE_OVERFLOW,
                                    "X(%lld,%lld), counted from 1, is NaN or Inf: the matrix leaves the range of the "
                                    "type; scale it",
                                    (long long)(k % numbers / parts + 1), (long long)(k / numbers + 1));
    }
    return CLSOLVE_OK;
}

static clsolve_status solve(clsolve_solver *solver, clsolve_op op, double *x, int64_t nrhs) {
    clsolve_matrix B = clsolve_matrix_f64(solver->n, nrhs, x);
    B.type = cls_double_type(solver->type);
    const clsolve_status status = clsolve_sparse_solve(solver->sparse_handle, op, &B);
    return status == CLSOLVE_OK && !cls_is_double(solver->type) ? round_to_single(solver, x, nrhs) : status;
}

static void report(const clsolve_solver *solver, clsolve_report *report) {
    if (solver->sparse_handle) cls_sparse_glance(solver->sparse_handle, report);
}

/* The handle has the pattern of solver->A: values that create sorted or added go by the host. So do those of a complex
 * hermitian matrix, because check_diagonal looks at them. */
static int takes_there(const clsolve_solver *solver, const clsolve_matrix *values) {
    return values->place == CLSOLVE_ON_DEVICE && solver->factored && cls_is_sparse_method(solver->way->method) &&
           cls_is_double(solver->type) && !solver->report.singular && !solver->A.slot &&
           (solver->A.parts == 1 || !cls_form_conjugates(solver->sparse_form));
}

clsolve_status cls_sparse_factor_device(clsolve_solver *solver, const clsolve_matrix *values, int *done) {
    *done = 0;
    if (!takes_there(solver, values)) return CLSOLVE_OK;
    const clsolve_status status = clsolve_sparse_factor_values(solver->sparse_handle, values);
    *done = status == CLSOLVE_OK || status == CLSOLVE_ERROR_NONFINITE;
    return *done ? status : CLSOLVE_OK;
}

clsolve_status cls_sparse_solve_device(clsolve_solver *solver, clsolve_op op, clsolve_matrix *B) {
    const clsolve_status status = clsolve_sparse_solve(solver->sparse_handle, op, B);
    clsolve_solve_report *all = &solver->report;
    if (status != CLSOLVE_OK) return status;
    report(solver, &all->report);
    all->backward_error = all->report.refinement.backward_error;
    return status;
}

const cls_way cls_way_sparse_lu = {CLSOLVE_METHOD_SPARSE_LU, "sparse-lu", CLS_NOT_KEPT, factor_lu, solve, report,
                                   cls_sparse_forget};
const cls_way cls_way_sparse_cholesky = {
    CLSOLVE_METHOD_SPARSE_CHOLESKY, "sparse-cholesky", CLS_NOT_KEPT, factor_cholesky, solve, report, cls_sparse_forget};
const cls_way cls_way_sparse_ldl = {CLSOLVE_METHOD_SPARSE_LDL, "sparse-ldl", CLS_NOT_KEPT, factor_ldl, solve, report,
                                    cls_sparse_forget};

/* ---- the model ---- */

/* With fewer entries in a row, on the average, KLU analyses as a rule, and it matches by the pattern. */
enum { ENTRIES_OF_FRONTS = 6 };

int cls_sparse_pays(const clsolve_solver *solver, const cls_way *way, double others) {
    const cls_analysis *a = &solver->analysis;
    const int is_plane = a->entries <= ENTRIES_OF_FRONTS * a->n;
    const int one_triangle = way != &cls_way_sparse_lu;
    const cls_sparse_kind kind = one_triangle       ? is_plane ? CLS_SPARSE_CHOLESKY : CLS_SPARSE_FULLER_CHOLESKY
                                 : is_plane         ? CLS_SPARSE_BY_KLU
                                 : a->weak_diagonal ? CLS_SPARSE_MATCHED_LU
                                                    : CLS_SPARSE_LU;
    return others > cls_sparse_least_seconds((double)a->entries, kind);
}

/* The analysis is made: its time counts no more. */
double cls_sparse_seconds(clsolve_solver *solver, const cls_way *way) {
    clsolve_sparse_analysis analysis;
    const double nrhs = solver->options.nrhs > 0 ? (double)solver->options.nrhs : 1;
    if (cls_sparse_prepare(solver, way) != CLSOLVE_OK ||
        clsolve_sparse_get_analysis(solver->sparse_handle, &analysis) != CLSOLVE_OK)
        return HUGE_VAL;
    return analysis.expected_factor + nrhs * analysis.expected_solve;
}
