/* one_call.c: the one-call forms. The dense one gives A and B to the method as they are, so nothing is copied here. */
#include <clsolve/solve.h>

#include <string.h>

#include "api/door.h"
#include "api/validate.h"
#include "base/clock.h"
#include "base/guard.h"
#include "base/type.h"
#include "solve/short.h"
#include "solve/solver.h"
#include "solve/symmetric.h"

/* ---- dense ---- */

static const char dense_call[] = "clsolve_solve";

/* Everything that can be wrong with the arguments is found before the long work. */
static clsolve_status check(cls_error *error, clsolve_op op, const clsolve_matrix *A, const clsolve_matrix *B,
                            const clsolve_solver_options *options) {
    if (!A || !B) return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: A or B is NULL", dense_call);
    CLS_TRY(cls_validate_op(error, dense_call, op));
    /* before B is measured by it */
    CLS_TRY(cls_validate_type(error, dense_call, "the type of A", A->type, CLS_ALL_TYPES));
    if (B->type != A->type)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: the type of B is %d where that of A is %d: they must be the same", dense_call,
                        (int)B->type, (int)A->type);
    CLS_TRY(cls_solver_check_options(error, dense_call, options, A->type, 0));
    CLS_TRY(cls_validate_matrix(error, dense_call, "A", A, A->type, A->rows, A->rows));
    return cls_validate_matrix(error, dense_call, "B", B, A->type, A->rows, -1);
}

static clsolve_status validate(clsolve_context *context, clsolve_op op, const clsolve_matrix *A,
                               const clsolve_matrix *B, const clsolve_solver_options *options) {
    cls_error error;
    error.text[0] = 0; /* the rest of it is long */
    clsolve_status status = check(&error, op, A, B, options);
    return status == CLSOLVE_OK ? status : cls_context_fail(context, status, "%s", error.text);
}

static clsolve_status solve_lu(clsolve_context *context, clsolve_op op, const clsolve_matrix *A, clsolve_matrix *B,
                               const clsolve_solver_options *options, clsolve_report *report) {
    clsolve_lu *lu = NULL;
    clsolve_lu_options taken = cls_lu_options_of(options);
    clsolve_status status;

    if (cls_lu_once(context, op, A, B, &taken, report, &status)) return status;
    status = clsolve_lu_create(context, A->rows, A->type, &taken, &lu);
    if (status == CLSOLVE_OK) status = clsolve_lu_factor(lu, A);
    if (status == CLSOLVE_OK) status = clsolve_lu_solve(lu, op, B);
    if (lu) (void)clsolve_lu_report(lu, report);
    cls_lu_keep(lu, A);
    return status;
}

static clsolve_status solve_gauss_jordan(clsolve_context *context, clsolve_op op, const clsolve_matrix *A,
                                         clsolve_matrix *B, const clsolve_solver_options *options,
                                         clsolve_report *report) {
    clsolve_gauss_jordan *handle = NULL;
    clsolve_gauss_jordan_options taken = cls_gauss_jordan_options_of(options);
    clsolve_status status = clsolve_gauss_jordan_create(context, A->rows, A->type, &taken, &handle);
    if (status == CLSOLVE_OK) status = clsolve_gauss_jordan_solve(handle, op, A, B);
    if (handle) (void)clsolve_gauss_jordan_report(handle, report);
    clsolve_gauss_jordan_destroy(handle);
    return status;
}

/* Cholesky or LDL^T, which A suits. *gives_up: B is as it was, and under AUTO another method follows. */
static clsolve_status solve_half(clsolve_context *context, clsolve_op op, const clsolve_matrix *A, clsolve_matrix *B,
                                 const clsolve_solver_options *options, const cls_suits *suits, clsolve_report *report,
                                 int *gives_up) {
    const cls_half_family *half = suits->half;
    void *handle = half->once ? half->once(context, A, B, options) : NULL;
    clsolve_status status = CLSOLVE_OK;

    if (!handle) status = half->create(context, A->rows, A->type, half->symmetry, options, &handle);
    *gives_up = cls_half_gave_up(status);
    if (status == CLSOLVE_OK) {
        status = cls_half_try(context, suits, handle, A, gives_up);
        if (status == CLSOLVE_OK) status = cls_half_solve_op(context, half, handle, op, B);
        (void)cls_door_report(handle, report);
        *gives_up = *gives_up || cls_half_gave_up(status);
    }
    if (half->keep)
        half->keep(handle, A);
    else
        cls_door_destroy(handle);
    return status;
}

static void name_method(clsolve_solve_report *out, const cls_way *way, const char *reason) {
    out->method = way->method;
    out->report.method = out->name = way->name;
    strcpy(out->reason, reason);
}

/* B is as it was where a method gives up. */
static clsolve_status solve_auto(clsolve_context *context, clsolve_op op, const clsolve_matrix *A, clsolve_matrix *B,
                                 const clsolve_solver_options *options, clsolve_solve_report *out) {
    cls_suits suits = cls_dense_suits(context, options, A);
    const char *reason = cls_suits_reason(&suits, A->type);

    while (suits.method != CLSOLVE_METHOD_LU) {
        int gives_up;
        name_method(out, cls_way_of(suits.method), reason);
        const clsolve_status status = solve_half(context, op, A, B, options, &suits, &out->report, &gives_up);
        if (!gives_up) return status;
        clsolve_solver_attempt *attempt = &out->attempts[out->attempts_count++];
        attempt->method = suits.method;
        attempt->status = status;
        cls_context_said(context, attempt->text, sizeof attempt->text);
        reason = cls_after_reason(suits.method);
        suits = cls_dense_after(context, options, A, suits.method, status);
    }
    name_method(out, &cls_way_lu, reason);
    return solve_lu(context, op, A, B, options, &out->report);
}

static clsolve_status solve_dense(clsolve_context *context, clsolve_op op, const clsolve_matrix *A, clsolve_matrix *B,
                                  const clsolve_solver_options *options, clsolve_solve_report *out) {
    const cls_way *asked = cls_way_of(options->method);
    cls_suits suits = {.symmetry = CLS_SYMMETRY_WHOLE};
    int gives_up;

    if (!asked) return solve_auto(context, op, A, B, options, out);
    name_method(out, asked, "asked for");
    if (asked == &cls_way_gauss_jordan) return solve_gauss_jordan(context, op, A, B, options, &out->report);
    if (asked == &cls_way_lu) return solve_lu(context, op, A, B, options, &out->report);
    CLS_TRY(cls_dense_check_symmetric(context, dense_call, asked->method, A, &suits.half));
    return solve_half(context, op, A, B, options, &suits, &out->report, &gives_up);
}

clsolve_status clsolve_solve(clsolve_context *context, clsolve_op op, const clsolve_matrix *A, clsolve_matrix *B,
                             const clsolve_solver_options *options, clsolve_solve_report *report) {
    static const clsolve_solver_options defaults = {0};
    clsolve_solve_report made = {.backward_error = -1}, *out = report ? report : &made;

    *out = made;
    out->report.direct.rcond = out->report.refinement.backward_error = -1; /* nothing is known yet */
    out->report.status = CLSOLVE_ERROR_INVALID_ARGUMENT;
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_GUARD;
    if (!options) options = &defaults;
    clsolve_status status = cls_context_is_own(context);
    if (status == CLSOLVE_OK) status = validate(context, op, A, B, options);
    if (status == CLSOLVE_OK) {
        double begin = cls_seconds();
        status = solve_dense(context, op, A, B, options, out);
        out->backward_error = out->report.refinement.backward_error;
        out->seconds_solve = cls_seconds() - begin;
    }
    out->report.status = status;
    return status;
}

/* ---- sparse ---- */

/* Parts of the report that belong to a solver go with it. */
static void forget_solver(clsolve_solve_report *report) {
    clsolve_report_block_gs *part = &report->report.block_gs;
    report->history = part->history = NULL;
    report->history_count = part->history_count = 0;
    part->method = part->reason = NULL;
}

clsolve_status clsolve_solve_csr(clsolve_context *context, clsolve_op op, const clsolve_csr *A, clsolve_matrix *B,
                                 const clsolve_solver_options *options, clsolve_solve_report *report) {
    clsolve_solver *solver = NULL;
    clsolve_solver_options taken = {0};
    CLS_GUARD;
    if (report) memset(report, 0, sizeof *report);
    if (cls_short_way(context, op, A, B, options, report)) return CLSOLVE_OK;
    if (report) memset(report, 0, sizeof *report);
    if (options) taken = *options;
    if (taken.nrhs == 0 && B && B->cols > 0) taken.nrhs = B->cols;
    if (report) report->backward_error = report->report.refinement.backward_error = report->report.direct.rcond = -1;

    clsolve_status status = clsolve_solver_create_csr(context, A, &taken, &solver);
    if (status == CLSOLVE_OK) status = clsolve_solver_factor_csr(solver, A);
    if (status == CLSOLVE_OK) status = clsolve_solver_solve(solver, op, B);
    if (report && solver) (void)clsolve_solver_report(solver, report);
    if (report) report->report.status = status;
    if (report) forget_solver(report);
    clsolve_solver_destroy(solver);
    return status;
}
