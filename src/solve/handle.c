/* handle.c: the public handle: checks arguments, copies right-hand sides, delegates. */
#include <clsolve/solve.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/door.h"
#include "api/validate.h"
#include "base/clock.h"
#include "base/guard.h"
#include "base/memory.h"
#include "solve/dense.h"
#include "solve/solver.h"

/* ---- create ---- */

static int pivotings_of(clsolve_method method) {
    if (method == CLSOLVE_METHOD_GAUSS_JORDAN || method == CLSOLVE_METHOD_BLOCK_GS) return CLS_PIVOTINGS_OF_ROWS;
    if (method == CLSOLVE_METHOD_BAND) return CLS_PIVOTINGS_OF_BANDS;
    if (method == CLSOLVE_METHOD_CHOLESKY || method == CLSOLVE_METHOD_SPARSE_CHOLESKY || method == CLSOLVE_METHOD_LDL)
        return 1 << CLSOLVE_PIVOTING_AUTO;
    if (method == CLSOLVE_METHOD_SPARSE_LU || method == CLSOLVE_METHOD_SPARSE_LDL) return CLS_PIVOTINGS_OF_BANDS;
    return CLS_PIVOTINGS_OF_LU;
}

/* An option that the method asked for does not have is refused, not forgotten. */
static clsolve_status check_method(cls_error *error, const char *call, const clsolve_solver_options *o) {
    int jordan = o->method == CLSOLVE_METHOD_GAUSS_JORDAN, grid = o->method == CLSOLVE_METHOD_BLOCK_GS;
    clsolve_solver_options rest = *o;
    if (jordan) rest.block = 0;
    if (jordan) rest.where = CLSOLVE_WHERE_AUTO;
    CLS_TRY(cls_validate_pivoting(error, call, o->pivoting, pivotings_of(o->method)));
    if ((jordan || grid) && cls_options_want_direct(&rest))
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: where HOST, panel, block, memory_limit, precision, equilibrate and refine are options of "
                        "LU, CHOLESKY, "
                        "LDL and BAND",
                        call);
    if (cls_is_sparse_method(o->method) && !cls_options_let_sparse(o))
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: panel, block, precision MIXED, equilibrate and refine are no options of SPARSE_LU, "
                        "SPARSE_CHOLESKY and SPARSE_LDL: leave them 0",
                        call);
    if (o->method != CLSOLVE_METHOD_AUTO && !grid && cls_options_set_iteration(o))
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: iteration, tolerance and max_iterations are options of BLOCK_GS: leave them 0", call);
    return CLSOLVE_OK;
}

clsolve_status cls_solver_check_options(cls_error *error, const char *call, const clsolve_solver_options *o,
                                        clsolve_type type, int sparse) {
    if (o->method != CLSOLVE_METHOD_AUTO && !cls_way_of(o->method))
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: there is no method %d: see clsolve_method", call,
                        (int)o->method);
    if (!sparse &&
        (o->method == CLSOLVE_METHOD_BAND || o->method == CLSOLVE_METHOD_BLOCK_GS || cls_is_sparse_method(o->method)))
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: BAND, BLOCK_GS, SPARSE_LU, SPARSE_CHOLESKY and SPARSE_LDL take sparse matrices: give a "
                        "clsolve_csr",
                        call);
    if (o->order < CLSOLVE_ORDER_AUTO || o->order > CLSOLVE_ORDER_GIVEN ||
        (o->order == CLSOLVE_ORDER_GIVEN) != (o->permutation != NULL))
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: order is %d: see clsolve_sparse_order; GIVEN and permutation belong together", call,
                        (int)o->order);
    if (o->order != CLSOLVE_ORDER_AUTO && !cls_is_sparse_method(o->method))
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: order is an option of SPARSE_LU, SPARSE_CHOLESKY and SPARSE_LDL: leave it 0", call);
    if (o->nrhs < 0 || o->max_iterations < 0 || !(o->tolerance >= 0 && o->tolerance < 1))
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: nrhs is %lld, max_iterations %lld, tolerance %g: give 0 or more, a tolerance below 1",
                        call, (long long)o->nrhs, (long long)o->max_iterations, o->tolerance);
    CLS_TRY(CLS_VALIDATE_RESERVED(error, call, o->reserved));
    CLS_TRY(check_method(error, call, o));
    return cls_validate_options(error, call, CLS_COMMON_OPTIONS(o, o->panel), type);
}

static clsolve_status make(cls_error *error, const char *call, clsolve_context *context,
                           const clsolve_solver_options *options, clsolve_type type, int64_t n, int sparse,
                           clsolve_solver **solver) {
    static const clsolve_solver_options defaults = {0};
    if (!options) options = &defaults;
    CLS_TRY(cls_solver_check_options(error, call, options, type, sparse));
    clsolve_solver *made = cls_alloc(1, sizeof *made);
    if (!made || pthread_mutex_init(&made->lock, NULL) != 0) {
        cls_free(made);
        return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "%s: no host memory for a solver", call);
    }
    made->context = context;
    made->options = *options;
    made->type = type;
    made->n = n;
    made->sparse = sparse;
    made->report.backward_error = -1;
    *solver = made;
    return CLSOLVE_OK;
}

/* The message of what this file and its like found; OK leaves the context's as it is. */
static clsolve_status hand_over(clsolve_context *context, clsolve_status status, const cls_error *error) {
    return status == CLSOLVE_OK ? status : cls_context_fail(context, status, "%s", error->text);
}

clsolve_status clsolve_solver_create(clsolve_context *context, const clsolve_matrix *A,
                                     const clsolve_solver_options *options, clsolve_solver **solver) {
    static const char call[] = "clsolve_solver_create";
    cls_error error = {""};
    CLS_GUARD;
    if (solver) *solver = NULL;
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_context_is_own(context));
    if (!A || !solver)
        return cls_context_fail(context, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: A or solver is NULL", call);
    clsolve_status status = cls_validate_type(&error, call, "the type of A", A->type, CLS_ALL_TYPES);
    if (status == CLSOLVE_OK && (A->rows < 0 || A->rows != A->cols))
        status = cls_fail(&error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: A is %lld x %lld: give a square matrix", call,
                          (long long)A->rows, (long long)A->cols);
    if (status == CLSOLVE_OK) status = make(&error, call, context, options, A->type, A->rows, 0, solver);
    return hand_over(context, status, &error);
}

static void take_analysis(clsolve_solver *solver) {
    const cls_analysis *a = &solver->analysis;
    clsolve_solve_report *report = &solver->report;
    report->entries = a->entries;
    report->lower = a->after.kl;
    report->upper = a->after.ku;
    report->lower_before = a->before.kl;
    report->upper_before = a->before.ku;
    report->reordered = a->place != NULL;
    report->symmetric_pattern = a->symmetric_pattern;
    report->lines = a->lines;
    report->line_length = a->line_length;
}

clsolve_status clsolve_solver_create_csr(clsolve_context *context, const clsolve_csr *A,
                                         const clsolve_solver_options *options, clsolve_solver **solver) {
    static const char call[] = "clsolve_solver_create_csr";
    cls_error error = {""};
    CLS_GUARD;
    double begin = cls_seconds();
    if (solver) *solver = NULL;
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_context_is_own(context));
    if (!A || !solver)
        return cls_context_fail(context, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: A or solver is NULL", call);
    clsolve_solver *made = NULL;
    clsolve_status status = cls_validate_type(&error, call, "the type of A", A->type, CLS_ALL_TYPES);
    if (status == CLSOLVE_OK) status = make(&error, call, context, options, A->type, A->rows, 1, &made);
    if (status == CLSOLVE_OK) status = cls_csr_take_pattern(&error, call, A, &made->A);
    if (status == CLSOLVE_OK) status = cls_analyse_pattern(&error, call, &made->A, &made->analysis);
    if (status != CLSOLVE_OK) {
        clsolve_solver_destroy(made);
        return hand_over(context, status, &error);
    }
    take_analysis(made);
    made->report.seconds_analysis = cls_seconds() - begin;
    *solver = made;
    return CLSOLVE_OK;
}

void clsolve_solver_destroy(clsolve_solver *solver) {
    static const cls_way *const ways[] = {&cls_way_lu,           &cls_way_cholesky,  &cls_way_ldl,
                                          &cls_way_gauss_jordan, &cls_way_band,      &cls_way_band_cholesky,
                                          &cls_way_grid,         &cls_way_sparse_lu, &cls_way_sparse_cholesky,
                                          &cls_way_sparse_ldl};
    if (!solver || cls_context_is_own(solver->context) != CLSOLVE_OK) return;
    CLS_GUARD;
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) cls_way_close(solver, ways[w]);
    cls_csr_free(&solver->A);
    cls_free(solver->spare);
    cls_analysis_free(&solver->analysis);
    cls_free(solver->history);
    (void)pthread_mutex_destroy(&solver->lock);
    cls_free(solver);
}

/* ---- factor ---- */

/* A failure deeper down begins with the name of the call that saw it; the caller hears the name of the call that was
 * made. */
static clsolve_status named(clsolve_solver *solver, const char *call, clsolve_status status) {
    if (status != CLSOLVE_OK) {
        cls_error said;
        cls_context_said(solver->context, said.text, sizeof said.text);
        (void)cls_context_fail(solver->context, status, "%s: %s", call, said.text);
    }
    solver->report.report.status = status;
    return status;
}

static void begin_factor(clsolve_solver *solver) {
    clsolve_solve_report *report = &solver->report;
    memset(&report->report, 0, sizeof report->report);
    report->attempts_count = report->corrections = report->history_count = 0;
    report->history = NULL;
    report->iteration[0] = report->iteration_reason[0] = '\0';
    report->singular = 0;
    report->backward_error = -1;
    report->seconds_solve = 0;
    solver->factored = 0;
}

/* Values that are refused leave those of the factors. */
static clsolve_status take_values(clsolve_solver *solver, cls_error *error, const char *call, const clsolve_csr *A) {
    cls_csr to = solver->A;
    if (!solver->factored) return cls_csr_take_values(error, call, A, CLSOLVE_SPARSE_WHOLE, 0, &to);
    if (!solver->spare) solver->spare = cls_alloc((size_t)to.entries + 1, (size_t)to.parts * sizeof *solver->spare);
    if (!solver->spare) return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "%s: no host memory for values", call);
    to.value = solver->spare;
    CLS_TRY(cls_csr_take_values(error, call, A, CLSOLVE_SPARSE_WHOLE, 0, &to));
    solver->spare = solver->A.value;
    solver->A.value = to.value;
    return CLSOLVE_OK;
}

/* A matrix that is refused here leaves the factors of the last one. */
static clsolve_status take_csr(clsolve_solver *solver, const char *call, const clsolve_csr *A) {
    cls_error error = {""};
    if (!solver->sparse || !A || A->type != solver->type)
        return cls_context_fail(solver->context, CLSOLVE_ERROR_INVALID_ARGUMENT,
                                "%s: give a sparse matrix of the type that the solver was made for", call);
    clsolve_status status = cls_csr_check_same(&error, call, A, &solver->A);
    if (status == CLSOLVE_OK) status = take_values(solver, &error, call, A);
    return hand_over(solver->context, status, &error);
}

static clsolve_status check_array(clsolve_solver *solver, const char *call, const clsolve_matrix *values) {
    cls_error error = {""};
    if (!solver->sparse)
        return cls_context_fail(solver->context, CLSOLVE_ERROR_INVALID_ARGUMENT,
                                "%s: the solver was made for a dense matrix: use clsolve_solver_factor", call);
    clsolve_status status = cls_validate_matrix(&error, call, "values", values, solver->type, solver->A.given, 1);
    if (status == CLSOLVE_OK && values->layout == CLSOLVE_ROW_MAJOR && values->ld > 1 && values->rows > 1)
        status = cls_fail(&error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                          "%s: values have gaps of %lld elements: give one after the other", call,
                          (long long)values->ld - 1);
    return hand_over(solver->context, status, &error);
}

/* Values on the host, or brought there. */
static clsolve_status fetch_array(clsolve_solver *solver, const char *call, const clsolve_matrix *values) {
    cls_error error = {""};
    clsolve_matrix here;
    CLS_TRY(cls_context_fetch(solver->context, values, &here));
    const clsolve_csr view = {.type = solver->type, .values = here.data};
    const clsolve_status status = take_values(solver, &error, call, &view);
    if (here.data != values->data) cls_free(here.data);
    return hand_over(solver->context, status, &error);
}

static clsolve_status check_dense(clsolve_solver *solver, const char *call, const clsolve_matrix *A) {
    cls_error error = {""};
    if (solver->sparse)
        return cls_context_fail(solver->context, CLSOLVE_ERROR_INVALID_ARGUMENT,
                                "%s: the solver was made for a sparse matrix: use clsolve_solver_factor_csr", call);
    clsolve_status status = cls_validate_matrix(&error, call, "A", A, solver->type, solver->n, solver->n);
    return hand_over(solver->context, status, &error);
}

static clsolve_status factor_csr(clsolve_solver *solver, const char *call) {
    solver->values_there = 0;
    cls_analyse_values(&solver->A, cls_epsilon(solver->type), &solver->analysis);
    solver->report.symmetric = solver->analysis.symmetric;
    return cls_attempt_factor(solver, call);
}

/* Under the lock, A is checked. dense NULL: a sparse matrix, whose values are taken. */
static clsolve_status factor(clsolve_solver *solver, const char *call, const clsolve_matrix *dense) {
    begin_factor(solver);
    clsolve_status status = dense ? cls_solver_dense_factor(solver, dense) : factor_csr(solver, call);
    solver->factored = status == CLSOLVE_OK;
    const int has_none = status == CLSOLVE_SINGULAR || status == CLSOLVE_NOT_POSITIVE_DEFINITE;
    solver->ended = has_none ? status : CLSOLVE_OK;
    return status;
}

static clsolve_status take(clsolve_solver *solver, const char *call, int is_sparse, const clsolve_csr *sparse,
                           const clsolve_matrix *dense) {
    if (!solver) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_context_is_own(solver->context));
    CLS_GUARD;
    (void)pthread_mutex_lock(&solver->lock);
    double begin = cls_seconds();
    clsolve_status status = is_sparse ? take_csr(solver, call, sparse) : check_dense(solver, call, dense);
    if (status == CLSOLVE_OK) status = factor(solver, call, dense);
    (void)named(solver, call, status);
    solver->report.seconds_factor = cls_seconds() - begin;
    (void)pthread_mutex_unlock(&solver->lock);
    return status;
}

clsolve_status clsolve_solver_factor_csr(clsolve_solver *solver, const clsolve_csr *A) {
    return take(solver, "clsolve_solver_factor_csr", 1, A, NULL);
}

/* Under the lock. Values that the sparse handle takes never come to solver->A. */
static clsolve_status factor_array(clsolve_solver *solver, const char *call, const clsolve_matrix *values) {
    int done = 0;
    CLS_TRY(check_array(solver, call, values));
    CLS_TRY(cls_sparse_factor_device(solver, values, &done));
    if (!done) {
        CLS_TRY(fetch_array(solver, call, values));
        return factor(solver, call, NULL);
    }
    begin_factor(solver);
    solver->factored = solver->values_there = 1;
    solver->ended = CLSOLVE_OK;
    solver->way->report(solver, &solver->report.report);
    return CLSOLVE_OK;
}

clsolve_status clsolve_solver_factor_values(clsolve_solver *solver, const clsolve_matrix *values) {
    static const char call[] = "clsolve_solver_factor_values";
    if (!solver) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_context_is_own(solver->context));
    CLS_GUARD;
    (void)pthread_mutex_lock(&solver->lock);
    const double begin = cls_seconds();
    const clsolve_status status = named(solver, call, factor_array(solver, call, values));
    solver->report.seconds_factor = cls_seconds() - begin;
    (void)pthread_mutex_unlock(&solver->lock);
    return status;
}

clsolve_status clsolve_solver_factor(clsolve_solver *solver, const clsolve_matrix *A) {
    return take(solver, "clsolve_solver_factor", 0, NULL, A);
}

/* ---- solve ---- */

/* Element (i, j) of a view on the host. */
static int64_t element(const clsolve_matrix *B, int64_t i, int64_t j) {
    return B->layout == CLSOLVE_COLUMN_MAJOR ? i + j * B->ld : i * B->ld + j;
}

/* b gets B, which must hold neither NaN nor Inf. */
static clsolve_status take_sides(clsolve_solver *solver, const clsolve_matrix *B, double *b) {
    for (int64_t j = 0; j < B->cols; j++)
        for (int64_t i = 0; i < B->rows; i++) {
            double *value = b + (i + j * B->rows) * cls_type_parts(B->type);
            cls_stage_get_element(B, element(B, i, j), value);
            if (!isfinite(value[0]) || !isfinite(value[cls_type_parts(B->type) - 1]))
                return cls_context_fail(solver->context, CLSOLVE_ERROR_NONFINITE, "B(%lld,%lld) is NaN or Inf",
                                        (long long)i + 1, (long long)j + 1);
        }
    return CLSOLVE_OK;
}

/* B lies on the host. */
static clsolve_status solve_there(clsolve_solver *solver, clsolve_op op, const clsolve_matrix *B) {
    int64_t n = solver->n, nrhs = B->cols, parts = cls_type_parts(solver->type);
    if (n == 0 || nrhs == 0) return CLSOLVE_OK;
    size_t room = nrhs > (INT64_MAX / 32) / n ? SIZE_MAX : (size_t)(n * nrhs * parts);
    double *b = cls_alloc(room, sizeof *b), *x = cls_alloc(room, sizeof *x);
    clsolve_status status =
        b && x ? take_sides(solver, B, b)
               : cls_context_fail(solver->context, CLSOLVE_ERROR_OUT_OF_MEMORY,
                                  "no host memory for copies of B: %lld x %lld", (long long)n, (long long)nrhs);
    if (status == CLSOLVE_OK) status = cls_attempt_solve(solver, op, b, x, nrhs);
    for (int64_t j = 0; status == CLSOLVE_OK && j < nrhs; j++)
        for (int64_t i = 0; i < n; i++) cls_stage_put_element(B, element(B, i, j), x + (i + j * n) * parts);
    cls_free(b);
    cls_free(x);
    return status;
}

/* The sparse methods keep the promise of the backward error by themselves. */
static int stays_there(const clsolve_solver *solver) {
    return cls_is_sparse_method(solver->way->method) && cls_is_double(solver->type) && !solver->report.singular;
}

/* The matrix lies on the host, and residuals are taken there: B crosses once to the host, and X back. A sparse method
 * whose factors are on the device solves there. If it fails, the host takes the usual ways on. */
static clsolve_status solve_csr(clsolve_solver *solver, clsolve_op op, clsolve_matrix *B) {
    clsolve_matrix there;
    if (solver->values_there) return cls_sparse_solve_device(solver, op, B);
    if (B->place == CLSOLVE_ON_HOST) return solve_there(solver, op, B);
    if (stays_there(solver) && cls_sparse_solve_device(solver, op, B) == CLSOLVE_OK) return CLSOLVE_OK;
    clsolve_status status = cls_context_fetch(solver->context, B, &there);
    if (status != CLSOLVE_OK) return status;
    status = solve_there(solver, op, &there);
    if (status == CLSOLVE_OK) status = cls_context_store(solver->context, &there, B);
    if (there.data != B->data) cls_free(there.data);
    return status;
}

static clsolve_status solve(clsolve_solver *solver, const char *call, clsolve_op op, clsolve_matrix *B) {
    cls_error error = {""};
    clsolve_status status = cls_validate_op(&error, call, op);
    if (status == CLSOLVE_OK) status = cls_validate_matrix(&error, call, "B", B, solver->type, solver->n, -1);
    if (status != CLSOLVE_OK) return hand_over(solver->context, status, &error);
    if (solver->ended != CLSOLVE_OK)
        return cls_context_fail(solver->context, solver->ended,
                                "%s: the matrix of the last factor is %s: give another one", call,
                                solver->ended != CLSOLVE_SINGULAR                   ? "not positive definite"
                                : solver->options.pivoting == CLSOLVE_PIVOTING_NONE ? "singular without pivoting"
                                                                                    : "singular");
    if (!solver->factored)
        return cls_context_fail(solver->context, CLSOLVE_ERROR_STATE, "%s: factor a matrix, and let it succeed, first",
                                call);
    return solver->sparse ? solve_csr(solver, op, B) : cls_solver_dense_solve(solver, op, B);
}

clsolve_status clsolve_solver_solve(clsolve_solver *solver, clsolve_op op, clsolve_matrix *B) {
    static const char call[] = "clsolve_solver_solve";
    if (!solver) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_context_is_own(solver->context));
    CLS_GUARD;
    (void)pthread_mutex_lock(&solver->lock);
    double begin = cls_seconds();
    solver->report.corrections = 0;
    solver->report.backward_error = -1;
    clsolve_status status = named(solver, call, solve(solver, call, op, B));
    solver->report.seconds_solve = cls_seconds() - begin;
    (void)pthread_mutex_unlock(&solver->lock);
    return status;
}

/* ---- report ---- */

static clsolve_status unlocked(const clsolve_solver *solver, clsolve_status status) {
    (void)pthread_mutex_unlock((pthread_mutex_t *)&solver->lock); /* const is the solver's state, not its lock */
    return status;
}

clsolve_status clsolve_solver_report(const clsolve_solver *solver, clsolve_solve_report *report) {
    if (!solver) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_context_is_own(solver->context));
    CLS_GUARD;
    if (!report)
        return cls_context_fail(solver->context, CLSOLVE_ERROR_INVALID_ARGUMENT,
                                "clsolve_solver_report: report is NULL");
    (void)pthread_mutex_lock((pthread_mutex_t *)&solver->lock);
    *report = solver->report;
    clsolve_report whole; /* with a determinant, which only this call asks for */
    if (solver->sparse_handle && solver->way && cls_is_sparse_method(solver->way->method) &&
        clsolve_sparse_report(solver->sparse_handle, &whole) == CLSOLVE_OK)
        report->report.direct = whole.direct;
    return unlocked(solver, CLSOLVE_OK);
}

/* The handle of the sparse method that factored last; while it is used the solver is locked. An error, with a message
 * for `call`, where another method was the last, or none: the solver is not locked. */
static clsolve_status lock_sparse(const clsolve_solver *solver, const char *call, clsolve_sparse **sparse) {
    if (!solver) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_context_is_own(solver->context));
    (void)pthread_mutex_lock((pthread_mutex_t *)&solver->lock);
    *sparse = solver->way && cls_is_sparse_method(solver->way->method) ? solver->sparse_handle : NULL;
    if (*sparse) return CLSOLVE_OK;
    (void)cls_context_fail(solver->context, CLSOLVE_ERROR_STATE,
                           "%s: the solver has factored no matrix by a sparse method", call);
    return unlocked(solver, CLSOLVE_ERROR_STATE);
}

clsolve_status clsolve_solver_sparse_analysis(const clsolve_solver *solver, clsolve_sparse_analysis *analysis) {
    clsolve_sparse *sparse;
    CLS_GUARD;
    CLS_TRY(lock_sparse(solver, "clsolve_solver_sparse_analysis", &sparse));
    return unlocked(solver, clsolve_sparse_get_analysis(sparse, analysis));
}

clsolve_status clsolve_solver_sparse_permutations(const clsolve_solver *solver, int64_t *rows, int64_t *columns) {
    clsolve_sparse *sparse;
    CLS_GUARD;
    CLS_TRY(lock_sparse(solver, "clsolve_solver_sparse_permutations", &sparse));
    return unlocked(solver, clsolve_sparse_permutations(sparse, rows, columns));
}
