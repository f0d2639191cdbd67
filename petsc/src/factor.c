/*
 * factor.c: -pc_factor_mat_solver_type clsolve, LU of seqaij and seqdense matrices by clsolve_solver, and Cholesky's
 * factorization of these and of seqsbaij where PETSc asks for it. Cholesky's is L D L^T, so that MatGetInertia has an
 * answer, unless the matrix is known to be positive definite (MAT_SPD). PETSc's own and MUMPS's go by the same rule.
 *
 * By public calls only, the factor F is PETSc's own factor of a constant diagonal matrix D of the same size, one
 * number. Its operations are replaced by those here. PETSc's numeric factorization of D stays in use for one thing: no
 * public call sets the error that MatFactorGetError returns, and that factorization sets it, for a D of zero. So a
 * zero pivot here becomes a zero D there, and PETSc's solvers see MAT_FACTOR_NUMERIC_ZEROPIVOT.
 *
 * A factorization belongs to one process, and the other processes do not wait in it. So a failure here is no PETSc
 * error, which would end this process and leave the others waiting. It is such a factor error: MatSolve then gives
 * Inf, and KSPSolve ends on all processes with KSP_DIVERGED_PC_FAILED.
 */
#include "factor.h"

#include <math.h>

#if !CLSOLVE_PETSC_OTHER_SCALARS

#define FACTOR_DATA "ClsolveFactor" /* the name under which F has its data */

static PetscErrorCode FactorGet(Mat F, ClsolveFactor **factor) {
    PetscContainer container;
    PetscFunctionBegin;
    PetscCall(PetscObjectQuery((PetscObject)F, FACTOR_DATA, (PetscObject *)&container));
    PetscCheck(container, PetscObjectComm((PetscObject)F), PETSC_ERR_PLIB, "Not a factor of clsolve");
    PetscCall(PetscContainerGetPointer(container, (void **)factor));
    PetscFunctionReturn(0);
}

static PetscErrorCode FactorDestroy(CLSOLVE_PETSC_CONTAINED) {
    ClsolveFactor *factor = (ClsolveFactor *)CLSOLVE_PETSC_POINTER;
    PetscFunctionBegin;
    clsolve_solver_destroy(factor->solver);
    PetscCall(ClsolveContextRestore(&factor->context));
    PetscCall(MatDestroy(&factor->D));
    PetscCall(PetscFree(factor));
    PetscFunctionReturn(0);
}

/* ---- failures ---- */

static PetscErrorCode FactorFlag(Mat F, ClsolveFactor *factor);

/*
 * Takes down that there are no factors. Wrong arguments and what clsolve does not have are PETSc errors at once: all
 * processes have the same options. A zero pivot is PETSc's business to report, a failure of the device is said here.
 */
static PetscErrorCode FactorFail(Mat F, ClsolveFactor *factor, clsolve_status status, const char message[]) {
    const MPI_Comm comm = PetscObjectComm((PetscObject)F);
    const int of_values = status > 0 || status == CLSOLVE_ERROR_NONFINITE;
    const int raises = factor->raise || status == CLSOLVE_ERROR_INVALID_ARGUMENT || status == CLSOLVE_ERROR_UNSUPPORTED;
    PetscFunctionBegin;
    PetscCall(PetscStrncpy(factor->failure, message, sizeof factor->failure));
    if (raises) PetscCall(FactorFlag(F, factor)); /* for those who go on after PETSc's error */
    PetscCheck(!raises, comm, of_values ? PETSC_ERR_MAT_LU_ZRPVT : ClsolveErrorCode(status), "clsolve: %s", message);
    PetscCall(PetscInfo(F, "No factors: %s\n", message));
    if (!of_values) PetscCall(ClsolveSay(message));
    PetscFunctionReturn(0);
}

static PetscErrorCode FactorStatus(Mat F, ClsolveFactor *factor, clsolve_status status) {
    char message[CLSOLVE_PETSC_TEXT];
    PetscFunctionBegin;
    if (status == CLSOLVE_OK) PetscFunctionReturn(0);
    ClsolveMessage(factor->context, status, message);
    PetscCall(FactorFail(F, factor, status, message));
    PetscFunctionReturn(0);
}

static PetscErrorCode FactorOperations(Mat F);

/* F's error for PETSc: none while `failure` is empty. */
static PetscErrorCode FactorFlag(Mat F, ClsolveFactor *factor) {
    MatFactorInfo info;
    PetscFunctionBegin;
    PetscCall(MatFactorInfoInitialize(&info));
    PetscCall(MatZeroEntries(factor->D));
    if (!factor->failure[0]) PetscCall(MatShift(factor->D, 1.0));
    PetscCall((*factor->numeric_D)(F, factor->D, &info));
    PetscCall(FactorOperations(F));
    PetscFunctionReturn(0);
}

/* ---- the kinds of matrices ---- */

typedef struct {
    Mat rows; /* A by rows, both triangles: A itself, or a copy of one that has blocks of the upper triangle */
    const PetscInt *row_start, *column;
    const PetscScalar *values;
    clsolve_csr csr;
    clsolve_matrix matrix;
} View;

static PetscErrorCode ViewGet(const ClsolveFactor *factor, Mat A, View *view) {
    PetscFunctionBegin;
    if (factor->dense) {
        PetscInt lda;
        PetscCall(MatDenseGetLDA(A, &lda));
        PetscCall(MatDenseGetArrayRead(A, &view->values));
        view->matrix = clsolve_matrix_f64(factor->n, factor->n, (double *)view->values);
        view->matrix.ld = PetscMax(lda, 1);
    } else {
        PetscInt n;
        PetscBool done;
        view->rows = A;
        if (factor->blocks) PetscCall(MatConvert(A, MATSEQAIJ, MAT_INITIAL_MATRIX, &view->rows));
        PetscCall(MatGetRowIJ(view->rows, 0, PETSC_FALSE, PETSC_FALSE, &n, &view->row_start, &view->column, &done));
        PetscCheck(done, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP, "The matrix has no rows to read");
        PetscCall(MatSeqAIJGetArrayRead(view->rows, &view->values));
        view->csr = clsolve_csr_f64(n, NULL, NULL, view->values);
        view->csr.index = sizeof(PetscInt) == sizeof(int64_t) ? CLSOLVE_I64 : CLSOLVE_I32;
        view->csr.row_start = view->row_start;
        view->csr.column = view->column;
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode ViewRestore(const ClsolveFactor *factor, Mat A, View *view) {
    PetscFunctionBegin;
    if (factor->dense) {
        PetscCall(MatDenseRestoreArrayRead(A, &view->values));
    } else {
        PetscInt n;
        PetscBool done;
        PetscCall(MatSeqAIJRestoreArrayRead(view->rows, &view->values));
        PetscCall(MatRestoreRowIJ(view->rows, 0, PETSC_FALSE, PETSC_FALSE, &n, &view->row_start, &view->column, &done));
        if (factor->blocks) PetscCall(MatDestroy(&view->rows));
    }
    PetscFunctionReturn(0);
}

/* ---- the operations of F ---- */

/* The library orders the rows itself, so the orderings are not used. Called again when the pattern has changed. */
static PetscErrorCode FactorSymbolic(Mat F, Mat A, IS rows, IS columns, const MatFactorInfo *info) {
    ClsolveFactor *factor;
    View view;
    clsolve_status status = CLSOLVE_OK;
    char message[CLSOLVE_PETSC_TEXT];
    PetscFunctionBegin;
    (void)rows;
    (void)columns;
    (void)info;
    PetscCall(FactorGet(F, &factor));
    PetscCall(ClsolveFactorOptions(F, A, factor));
    PetscCall(PetscLogEventBegin(clsolve_petsc_events.symbolic, F, A, 0, 0));
    clsolve_solver_destroy(factor->solver);
    factor->solver = NULL;
    factor->failure[0] = '\0';
    ++factor->analyses;
    if (!factor->context) {
        PetscCall(ClsolveContextGet(factor->device, &factor->context, &status, message));
        if (status != CLSOLVE_OK) PetscCall(FactorFail(F, factor, status, message));
    }
    if (factor->context) {
        PetscCall(ViewGet(factor, A, &view));
        if (factor->dense)
            status = clsolve_solver_create(factor->context, &view.matrix, &factor->options, &factor->solver);
        else
            status = clsolve_solver_create_csr(factor->context, &view.csr, &factor->options, &factor->solver);
        PetscCall(ViewRestore(factor, A, &view));
        PetscCall(FactorStatus(F, factor, status));
    }
    PetscCall(PetscLogEventEnd(clsolve_petsc_events.symbolic, F, A, 0, 0));
    PetscFunctionReturn(0);
}

static PetscErrorCode CholeskySymbolic(Mat F, Mat A, IS rows, const MatFactorInfo *info) {
    PetscFunctionBegin;
    PetscCall(FactorSymbolic(F, A, rows, rows, info));
    PetscFunctionReturn(0);
}

static PetscErrorCode FactorNumeric(Mat F, Mat A, const MatFactorInfo *info) {
    ClsolveFactor *factor;
    View view;
    clsolve_status status;
    PetscFunctionBegin;
    (void)info;
    PetscCall(FactorGet(F, &factor));
    PetscCall(PetscLogEventBegin(clsolve_petsc_events.numeric, F, A, 0, 0));
    if (factor->solver) {
        PetscCall(ViewGet(factor, A, &view));
        if (factor->dense)
            status = clsolve_solver_factor(factor->solver, &view.matrix);
        else
            status = clsolve_solver_factor_csr(factor->solver, &view.csr);
        PetscCall(ViewRestore(factor, A, &view));
        factor->failure[0] = '\0';
        ++factor->factorizations;
        (void)clsolve_solver_report(factor->solver, &factor->report);
        PetscCall(FactorStatus(F, factor, status));
    }
    PetscCall(FactorFlag(F, factor));
    PetscCall(PetscLogEventEnd(clsolve_petsc_events.numeric, F, A, 0, 0));
    PetscFunctionReturn(0);
}

static void SolutionSetInf(const ClsolveFactor *factor, PetscInt nrhs, PetscScalar *x, PetscInt ld) {
    for (PetscInt r = 0; r < nrhs; ++r)
        for (PetscInt i = 0; i < factor->n; ++i) x[r * ld + i] = (PetscScalar)INFINITY;
}

/*
 * Solves for X, which holds the right-hand sides. A failure gives Inf, which every process sees in its norms. PETSc's
 * MatSolve does that itself where F has an error, MatMatSolve does not. A solver that has refused the last matrix still
 * has the factors of the one before: they are nobody's any more.
 */
static PetscErrorCode FactorSolve(Mat F, clsolve_op op, PetscInt nrhs, PetscScalar *x, PetscInt ld) {
    ClsolveFactor *factor;
    clsolve_matrix X;
    clsolve_status status;
    PetscFunctionBegin;
    PetscCall(FactorGet(F, &factor));
    if (factor->failure[0]) {
        SolutionSetInf(factor, nrhs, x, ld);
        PetscFunctionReturn(0);
    }
    PetscCall(PetscLogEventBegin(clsolve_petsc_events.solve, F, 0, 0, 0));
    X = clsolve_matrix_f64(factor->n, nrhs, x);
    X.ld = PetscMax(ld, 1);
    status = clsolve_solver_solve(factor->solver, op, &X);
    factor->solves += nrhs;
    (void)clsolve_solver_report(factor->solver, &factor->report);
    if (status != CLSOLVE_OK) {
        PetscBool of_side = status == CLSOLVE_ERROR_NONFINITE ? PETSC_TRUE : PETSC_FALSE;
        if (!of_side) {
            PetscCall(FactorStatus(F, factor, status));
            PetscCall(FactorFlag(F, factor));
        }
        SolutionSetInf(factor, nrhs, x, ld);
    }
    PetscCall(PetscLogEventEnd(clsolve_petsc_events.solve, F, 0, 0, 0));
    PetscFunctionReturn(0);
}

static PetscErrorCode VectorSolve(Mat F, clsolve_op op, Vec b, Vec x) {
    PetscScalar *values;
    PetscInt n;
    PetscFunctionBegin;
    PetscCall(VecCopy(b, x));
    PetscCall(VecGetLocalSize(x, &n));
    PetscCall(VecGetArray(x, &values));
    PetscCall(FactorSolve(F, op, 1, values, n));
    PetscCall(VecRestoreArray(x, &values));
    PetscFunctionReturn(0);
}

static PetscErrorCode FactorSolveVector(Mat F, Vec b, Vec x) {
    return VectorSolve(F, CLSOLVE_NO_TRANS, b, x);
}

static PetscErrorCode FactorSolveVectorTranspose(Mat F, Vec b, Vec x) {
    return VectorSolve(F, CLSOLVE_TRANS, b, x);
}

static PetscErrorCode MatrixSolve(Mat F, clsolve_op op, Mat B, Mat X) {
    PetscScalar *values;
    PetscInt nrhs, ld;
    PetscBool dense[2];
    PetscFunctionBegin;
    PetscCall(PetscObjectTypeCompareAny((PetscObject)B, &dense[0], MATSEQDENSE, MATSEQDENSECUDA, ""));
    PetscCall(PetscObjectTypeCompareAny((PetscObject)X, &dense[1], MATSEQDENSE, MATSEQDENSECUDA, ""));
    PetscCheck(dense[0] && dense[1], PetscObjectComm((PetscObject)F), PETSC_ERR_SUP,
               "clsolve solves for dense right-hand sides on one process, of type seqdense");
    if (B != X) PetscCall(MatCopy(B, X, SAME_NONZERO_PATTERN));
    PetscCall(MatGetSize(X, NULL, &nrhs));
    PetscCall(MatDenseGetLDA(X, &ld));
    PetscCall(MatDenseGetArray(X, &values));
    PetscCall(FactorSolve(F, op, nrhs, values, ld));
    PetscCall(MatDenseRestoreArray(X, &values));
    PetscFunctionReturn(0);
}

static PetscErrorCode FactorSolveMatrix(Mat F, Mat B, Mat X) {
    return MatrixSolve(F, CLSOLVE_NO_TRANS, B, X);
}

static PetscErrorCode FactorSolveMatrixTranspose(Mat F, Mat B, Mat X) {
    return MatrixSolve(F, CLSOLVE_TRANS, B, X);
}

static PetscErrorCode FactorInfo(Mat F, MatInfoType type, MatInfo *info) {
    ClsolveFactor *factor;
    clsolve_sparse_analysis analysis;
    PetscFunctionBegin;
    (void)type;
    PetscCall(FactorGet(F, &factor));
    PetscCall(PetscMemzero(info, sizeof *info));
    info->block_size = 1.0;
    info->memory = (PetscLogDouble)(factor->report.report.device_bytes + factor->report.report.host_bytes);
    info->nz_allocated = info->nz_used = info->memory / (PetscLogDouble)sizeof(double);
    if (ClsolveFactorAnalysis(factor, &analysis)) {
        info->nz_allocated = info->nz_used = analysis.factor_entries;
        info->fill_ratio_needed = analysis.factor_entries / (PetscLogDouble)PetscMax(analysis.entries, 1);
    }
    PetscFunctionReturn(0);
}

/* L D L^T counts for a singular matrix too: a shift may meet an eigenvalue. Cholesky's factors: all are positive. */
static PetscErrorCode FactorInertia(Mat F, PetscInt *negative, PetscInt *zero, PetscInt *positive) {
    ClsolveFactor *factor;
    PetscFunctionBegin;
    PetscCall(FactorGet(F, &factor));
    const clsolve_method method = factor->report.method;
    clsolve_inertia inertia = factor->report.report.direct.inertia;
    if (!factor->failure[0] && (method == CLSOLVE_METHOD_CHOLESKY || method == CLSOLVE_METHOD_SPARSE_CHOLESKY))
        inertia = (clsolve_inertia){.positive = factor->n};
    PetscCheck(factor->report.name && inertia.positive + inertia.negative + inertia.zero == factor->n,
               PetscObjectComm((PetscObject)F), PETSC_ERR_SUP, "The inertia is not known of method %s: %s",
               factor->report.name ? factor->report.name : "none",
               factor->failure[0] ? factor->failure : "use -pc_type cholesky without -mat_clsolve_method");
    if (negative) *negative = (PetscInt)inertia.negative;
    if (zero) *zero = (PetscInt)inertia.zero;
    if (positive) *positive = (PetscInt)inertia.positive;
    PetscFunctionReturn(0);
}

static PetscErrorCode FactorView(Mat F, PetscViewer viewer) {
    ClsolveFactor *factor;
    PetscBool ascii;
    PetscFunctionBegin;
    PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
    if (!ascii) PetscFunctionReturn(0);
    PetscCall(FactorGet(F, &factor));
    PetscCall(ClsolveFactorPrint(factor, viewer));
    PetscFunctionReturn(0);
}

/* ---- F itself ---- */

static PetscErrorCode FactorOperations(Mat F) {
    PetscFunctionBegin;
    PetscCall(MatSetOperation(F, MATOP_LUFACTOR_SYMBOLIC, (void (*)(void))FactorSymbolic));
    PetscCall(MatSetOperation(F, MATOP_LUFACTOR_NUMERIC, (void (*)(void))FactorNumeric));
    PetscCall(MatSetOperation(F, MATOP_CHOLESKY_FACTOR_SYMBOLIC, (void (*)(void))CholeskySymbolic));
    PetscCall(MatSetOperation(F, MATOP_CHOLESKY_FACTOR_NUMERIC, (void (*)(void))FactorNumeric));
    PetscCall(MatSetOperation(F, MATOP_ILUFACTOR_SYMBOLIC, NULL));
    PetscCall(MatSetOperation(F, MATOP_SOLVE, (void (*)(void))FactorSolveVector));
    PetscCall(MatSetOperation(F, MATOP_SOLVE_TRANSPOSE, (void (*)(void))FactorSolveVectorTranspose));
    PetscCall(MatSetOperation(F, MATOP_MAT_SOLVE, (void (*)(void))FactorSolveMatrix));
    PetscCall(MatSetOperation(F, MATOP_MAT_SOLVE_TRANSPOSE, (void (*)(void))FactorSolveMatrixTranspose));
    PetscCall(MatSetOperation(F, MATOP_GETINFO, (void (*)(void))FactorInfo));
    PetscCall(MatSetOperation(F, MATOP_GET_INERTIA, (void (*)(void))FactorInertia));
    PetscCall(MatSetOperation(F, MATOP_VIEW, (void (*)(void))FactorView));
    PetscFunctionReturn(0);
}

static PetscErrorCode FactorSolverType(Mat F, MatSolverType *type) {
    (void)F;
    *type = MATSOLVERCLSOLVE;
    return 0;
}

static PetscErrorCode FactorCreate(Mat A, MatFactorType type, Mat *F) {
    const MPI_Comm comm = PetscObjectComm((PetscObject)A);
    ClsolveFactor *factor;
    PetscContainer container;
    MatFactorInfo info;
    PetscInt n, columns;
    PetscFunctionBegin;
    PetscCall(MatGetSize(A, &n, &columns));
    PetscCheck(n == columns, comm, PETSC_ERR_ARG_WRONG,
               "clsolve factors square matrices, not %" PetscInt_FMT " x %" PetscInt_FMT, n, columns);
    PetscCall(PetscNew(&factor));
    PetscCall(PetscStrncpy(factor->device, "auto", sizeof factor->device));
    factor->n = n;
    PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &factor->dense, MATSEQDENSE, MATSEQDENSECUDA, ""));
    PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQSBAIJ, &factor->blocks));
    factor->cholesky = type == MAT_FACTOR_CHOLESKY ? PETSC_TRUE : PETSC_FALSE;
    PetscCall(MatCreateConstantDiagonal(comm, n, n, n, n, 1.0, &factor->D));
    PetscCall(MatGetFactor(factor->D, MATSOLVERPETSC, MAT_FACTOR_LU, F));
    PetscCall(MatFactorInfoInitialize(&info));
    PetscCall(MatLUFactorSymbolic(*F, factor->D, NULL, NULL, &info));
    PetscCall(MatGetOperation(*F, MATOP_LUFACTOR_NUMERIC, (void (**)(void)) & factor->numeric_D));

    PetscCall(PetscContainerCreate(comm, &container));
    PetscCall(PetscContainerSetPointer(container, factor));
    PetscCall(PetscContainerSetCtxDestroy(container, FactorDestroy));
    PetscCall(PetscObjectCompose((PetscObject)*F, FACTOR_DATA, (PetscObject)container));
    PetscCall(PetscContainerDestroy(&container));
    PetscCall(PetscObjectComposeFunction((PetscObject)*F, "MatFactorGetSolverType_C", FactorSolverType));
    PetscCall(PetscObjectChangeTypeName((PetscObject)*F, MATSOLVERCLSOLVE));
    PetscCall(FactorOperations(*F));
    PetscFunctionReturn(0);
}

PetscErrorCode ClsolveFactorRegister(void) {
    static const char *const types[] = {MATSEQAIJ, MATSEQDENSE, MATSEQAIJCUSPARSE, MATSEQDENSECUDA};
    PetscFunctionBegin;
    for (int t = 0; t < 4; ++t)
        for (int f = 0; f < 2; ++f)
            PetscCall(MatSolverTypeRegister(MATSOLVERCLSOLVE, types[t], f ? MAT_FACTOR_CHOLESKY : MAT_FACTOR_LU,
                                            FactorCreate));
    PetscCall(MatSolverTypeRegister(MATSOLVERCLSOLVE, MATSEQSBAIJ, MAT_FACTOR_CHOLESKY, FactorCreate));
    PetscFunctionReturn(0);
}

#endif
