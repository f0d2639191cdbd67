/* one_call.c: the one-call forms. The dense one hands its options to the methods as they are. */
#include <clsolve/solve.h>

#include <string.h>

#include "api/door.h"
#include "api/validate.h"

/* Everything that can be wrong with the arguments is found before the long work. */
static clsolve_status check(cls_error *error, const clsolve_matrix *A, const clsolve_matrix *B, clsolve_op op) {
    CLS_TRY(cls_validate_op(error, "clsolve_solve", op));
    if (A->type != CLSOLVE_F32 && A->type != CLSOLVE_F64) /* before B is measured by it */
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "clsolve_solve: the type of A is %d: give CLSOLVE_F32 or CLSOLVE_F64", (int)A->type);
    if (B->type != A->type)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "clsolve_solve: the type of B is %d where that of A is %d: they must be the same", (int)B->type,
                        (int)A->type);
    CLS_TRY(cls_validate_matrix(error, "clsolve_solve", "A", A, A->type, A->rows, A->rows));
    return cls_validate_matrix(error, "clsolve_solve", "B", B, A->type, A->rows, -1);
}

static clsolve_status refuse(clsolve_context *context, const char *text) {
    return cls_context_fail(context, CLSOLVE_ERROR_INVALID_ARGUMENT, "clsolve_solve: %s", text);
}

static clsolve_status validate(clsolve_context *context, const clsolve_matrix *A, const clsolve_matrix *B,
                               clsolve_op op) {
    cls_error error = {""};
    clsolve_status status = check(&error, A, B, op);
    return status == CLSOLVE_OK ? status : cls_context_fail(context, status, "%s", error.text);
}

static clsolve_status solve_lu(clsolve_context *context, const clsolve_matrix *A, clsolve_matrix *B,
                               const clsolve_solve_options *options, clsolve_report *report) {
    clsolve_lu *lu = NULL;
    clsolve_op op = options->op;

    clsolve_status status = validate(context, A, B, op);
    if (status == CLSOLVE_OK) status = clsolve_lu_create(context, A->rows, A->type, &options->lu, &lu);
    if (status == CLSOLVE_OK) status = clsolve_lu_factor(lu, A);
    if (status == CLSOLVE_OK) status = clsolve_lu_solve(lu, op, B);
    if (report && lu) (void)clsolve_lu_report(lu, report);
    if (report) report->status = status;
    clsolve_lu_destroy(lu);
    return status;
}

static clsolve_status solve_gauss_jordan(clsolve_context *context, const clsolve_matrix *A, clsolve_matrix *B,
                                         const clsolve_solve_options *options, clsolve_report *report) {
    clsolve_gauss_jordan *handle = NULL;
    clsolve_op op = options->op;

    clsolve_status status = validate(context, A, B, op);
    if (status == CLSOLVE_OK)
        status = clsolve_gauss_jordan_create(context, A->rows, A->type, &options->gauss_jordan, &handle);
    if (status == CLSOLVE_OK) status = clsolve_gauss_jordan_solve(handle, op, A, B);
    if (report) report->method = "gauss-jordan";
    if (report && handle) (void)clsolve_gauss_jordan_report(handle, report);
    if (report) report->status = status;
    clsolve_gauss_jordan_destroy(handle);
    return status;
}

clsolve_status clsolve_solve(clsolve_context *context, const clsolve_matrix *A, clsolve_matrix *B,
                             const clsolve_solve_options *options, clsolve_report *report) {
    static const clsolve_solve_options defaults = {0};

    if (report) memset(report, 0, sizeof *report);
    if (report) report->method = "lu";
    if (report) report->direct.rcond = report->refinement.backward_error = -1; /* nothing is known yet */
    if (report) report->status = CLSOLVE_ERROR_INVALID_ARGUMENT;
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    if (!A || !B) return refuse(context, "A or B is NULL");
    if (!options) options = &defaults;
    switch (options->method) {
    case CLSOLVE_METHOD_AUTO:
    case CLSOLVE_METHOD_LU:
        return solve_lu(context, A, B, options, report);
    case CLSOLVE_METHOD_GAUSS_JORDAN:
        return solve_gauss_jordan(context, A, B, options, report);
    case CLSOLVE_METHOD_BAND:
    case CLSOLVE_METHOD_BLOCK_GS:
        return refuse(context, "this method takes sparse matrices: see clsolve_solve_csr");
    }
    return refuse(context, "there is no such method: see clsolve_method");
}

clsolve_status clsolve_solve_csr(clsolve_context *context, clsolve_op op, const clsolve_csr *A, clsolve_matrix *B,
                                 const clsolve_solver_options *options, clsolve_solve_report *report) {
    clsolve_solver *solver = NULL;
    clsolve_solver_options taken = {0};
    if (options) taken = *options;
    if (taken.nrhs == 0 && B && B->cols > 0) taken.nrhs = B->cols;
    if (report) memset(report, 0, sizeof *report);
    if (report) report->backward_error = -1;

    clsolve_status status = clsolve_solver_create_csr(context, A, &taken, &solver);
    if (status == CLSOLVE_OK) status = clsolve_solver_factor_csr(solver, A);
    if (status == CLSOLVE_OK) status = clsolve_solver_solve(solver, op, B);
    if (report && solver) (void)clsolve_solver_report(solver, report);
    if (report) report->report.status = status;
    if (report) report->history = NULL; /* it was the solver's */
    if (report) report->history_count = 0;
    clsolve_solver_destroy(solver);
    return status;
}
