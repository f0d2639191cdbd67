/*
 * factor.c: -pc_factor_mat_solver_type clsolve on one process: residuals of LAPACK's kind at sizes around the tiles, new
 * values and new patterns, many right-hand sides, transposes, and matrices that have no factors.
 * Sparse methods on a random pattern.
 *
 * CLSOLVE_TEST_SEED is the seed, 1 without it. One line for each failure; the exit status is their number.
 */
#include <petscclsolve.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"

int failures;

/* ---- matrices ---- */

/* -1 .. 1 */
static PetscReal Random(PetscRandom random) {
    PetscReal value = 0;
    (void)PetscRandomGetValueReal(random, &value);
    return 2 * value - 1;
}

/* A diagonally dominant matrix with `width` random diagonals below and one above. */
static PetscErrorCode MatrixMake(PetscRandom random, PetscInt n, PetscInt width, PetscBool dense, Mat *A) {
    PetscFunctionBegin;
    if (dense) {
        PetscCall(MatCreate(PETSC_COMM_SELF, A));
        PetscCall(MatSetSizes(*A, n, n, n, n));
        PetscCall(MatSetType(*A, MATSEQDENSE));
        PetscCall(MatDenseSetLDA(*A, n + 3));
        PetscCall(MatSetUp(*A));
    } else {
        PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, width + 2, NULL, A));
    }
    for (PetscInt i = 0; i < n; ++i)
        for (PetscInt j = PetscMax(0, i - width); j <= PetscMin(n - 1, i + 1); ++j)
            PetscCall(MatSetValue(*A, i, j, Random(random) + (i == j ? (PetscReal)width + 2 : 0), INSERT_VALUES));
    PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

static PetscErrorCode VectorMake(PetscRandom random, Mat A, Vec *b) {
    PetscScalar *values;
    PetscInt n;
    PetscFunctionBegin;
    PetscCall(MatCreateVecs(A, NULL, b));
    PetscCall(VecGetLocalSize(*b, &n));
    PetscCall(VecGetArray(*b, &values));
    for (PetscInt i = 0; i < n; ++i) values[i] = Random(random);
    PetscCall(VecRestoreArray(*b, &values));
    PetscFunctionReturn(0);
}

/* ||b - op(A) x|| / (||A|| ||x|| n epsilon) in the norm that A has both ways. */
static PetscErrorCode Ratio(Mat A, PetscBool transposed, Vec x, Vec b, PetscReal *ratio) {
    Vec r;
    PetscReal of_A, of_x, of_r;
    PetscInt n;
    PetscFunctionBegin;
    PetscCall(VecGetSize(b, &n));
    PetscCall(VecDuplicate(b, &r));
    if (transposed)
        PetscCall(MatMultTranspose(A, x, r));
    else
        PetscCall(MatMult(A, x, r));
    PetscCall(VecAYPX(r, -1.0, b));
    PetscCall(MatNorm(A, NORM_FROBENIUS, &of_A));
    PetscCall(VecNorm(x, NORM_2, &of_x));
    PetscCall(VecNorm(r, NORM_2, &of_r));
    PetscCall(VecDestroy(&r));
    *ratio = n == 0 ? 0 : of_r / (of_A * of_x * (PetscReal)n * PETSC_MACHINE_EPSILON);
    PetscFunctionReturn(0);
}

/* ---- solves ---- */

static PetscErrorCode SolveVectors(PetscRandom random, Mat A, Mat F, const char what[]) {
    Vec b, x;
    PetscReal ratio;
    PetscInt n;
    PetscFunctionBegin;
    PetscCall(MatGetSize(A, &n, NULL));
    PetscCall(VectorMake(random, A, &b));
    PetscCall(VecDuplicate(b, &x));
    PetscCall(MatSolve(F, b, x));
    PetscCall(Ratio(A, PETSC_FALSE, x, b, &ratio));
    CHECK(ratio < 30, "%s, n = %d: MatSolve's residual is %g", what, (int)n, (double)ratio);
    PetscCall(MatSolveTranspose(F, b, x));
    PetscCall(Ratio(A, PETSC_TRUE, x, b, &ratio));
    CHECK(ratio < 30, "%s, n = %d: MatSolveTranspose's residual is %g", what, (int)n, (double)ratio);
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
    PetscFunctionReturn(0);
}

static PetscErrorCode SolveMatrices(PetscRandom random, Mat A, Mat F, const char what[]) {
    const PetscInt nrhs = 3;
    PetscInt n;
    Mat B, X;
    PetscFunctionBegin;
    PetscCall(MatGetSize(A, &n, NULL));
    PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, n, nrhs, NULL, &B));
    PetscCall(MatCreate(PETSC_COMM_SELF, &X));
    PetscCall(MatSetSizes(X, n, nrhs, n, nrhs));
    PetscCall(MatSetType(X, MATSEQDENSE));
    PetscCall(MatDenseSetLDA(X, n + 2));
    PetscCall(MatSetUp(X));
    for (PetscInt j = 0; j < nrhs; ++j)
        for (PetscInt i = 0; i < n; ++i) PetscCall(MatSetValue(B, i, j, Random(random), INSERT_VALUES));
    PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
    for (int transposed = 0; transposed < 2; ++transposed) {
        if (transposed)
            PetscCall(MatMatSolveTranspose(F, B, X));
        else
            PetscCall(MatMatSolve(F, B, X));
        for (PetscInt j = 0; j < nrhs; ++j) {
            Vec b, x;
            PetscReal ratio;
            PetscCall(MatDenseGetColumnVecRead(B, j, &b));
            PetscCall(MatDenseGetColumnVecRead(X, j, &x));
            PetscCall(Ratio(A, transposed ? PETSC_TRUE : PETSC_FALSE, x, b, &ratio));
            CHECK(ratio < 30, "%s, n = %d: MatMatSolve%s, column %d: the residual is %g", what, (int)n,
                  transposed ? "Transpose" : "", (int)j, (double)ratio);
            PetscCall(MatDenseRestoreColumnVecRead(X, j, &x));
            PetscCall(MatDenseRestoreColumnVecRead(B, j, &b));
        }
    }
    PetscCall(MatDestroy(&B));
    PetscCall(MatDestroy(&X));
    PetscFunctionReturn(0);
}

/* Values, other values, another pattern: each time all solves. */
static PetscErrorCode TestSolves(PetscRandom random, PetscInt n, PetscBool dense, const char method[],
                                 const char precision[]) {
    char what[64];
    Mat A, wider, F;
    MatFactorInfo info;
    MatSolverType type;
    MatFactorError error;
    PetscFunctionBegin;
    PetscCall(PetscSNPrintf(what, sizeof what, "%s, method %s, precision %s", dense ? "seqdense" : "seqaij", method,
                            precision));
    PetscCall(PetscOptionsSetValue(NULL, "-mat_clsolve_method", method));
    PetscCall(PetscOptionsSetValue(NULL, "-mat_clsolve_precision", precision));
    PetscCall(MatFactorInfoInitialize(&info));
    PetscCall(MatrixMake(random, n, 2, dense, &A));
    PetscCall(MatGetFactor(A, MATSOLVERCLSOLVE, MAT_FACTOR_LU, &F));
    PetscCall(MatFactorGetSolverType(F, &type));
    CHECK(strcmp(type, MATSOLVERCLSOLVE) == 0, "the solver's type is %s", type);
    PetscCall(MatLUFactorSymbolic(F, A, NULL, NULL, &info));
    for (int values = 0; values < 2; ++values) {
        if (values) PetscCall(MatShift(A, 3.0));
        PetscCall(MatLUFactorNumeric(F, A, &info));
        PetscCall(MatFactorGetError(F, &error));
        CHECK(error == MAT_FACTOR_NOERROR, "%s, n = %d: error %d", what, (int)n, (int)error);
        PetscCall(SolveVectors(random, A, F, what));
        PetscCall(SolveMatrices(random, A, F, what));
    }
    PetscCall(MatDestroy(&A));

    PetscCall(MatrixMake(random, n, 4, dense, &wider));
    PetscCall(MatLUFactorSymbolic(F, wider, NULL, NULL, &info));
    PetscCall(MatLUFactorNumeric(F, wider, &info));
    PetscCall(SolveVectors(random, wider, F, what));
    PetscCall(MatDestroy(&wider));
    PetscCall(MatDestroy(&F));
    PetscCall(PetscOptionsClearValue(NULL, "-mat_clsolve_method"));
    PetscCall(PetscOptionsClearValue(NULL, "-mat_clsolve_precision"));
    PetscFunctionReturn(0);
}

/* ---- failures ---- */

/* A solve of any kind gives no number where F has no factors, and none of the factors before. */
static PetscErrorCode CheckInf(PetscRandom random, Mat A, Mat F) {
    PetscErrorCode (*const vectors[2])(Mat, Vec, Vec) = {MatSolve, MatSolveTranspose};
    PetscErrorCode (*const matrices[2])(Mat, Mat, Mat) = {MatMatSolve, MatMatSolveTranspose};
    PetscReal norm;
    PetscInt n;
    Vec b, x;
    Mat B, X;
    PetscFunctionBegin;
    PetscCall(VectorMake(random, A, &b));
    PetscCall(VecDuplicate(b, &x));
    PetscCall(VecGetSize(b, &n));
    PetscCall(MatrixMake(random, n, 2, PETSC_TRUE, &B));
    PetscCall(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &X));
    for (int k = 0; k < 2; ++k) {
        PetscCall(vectors[k](F, b, x));
        PetscCall(VecNorm(x, NORM_INFINITY, &norm));
        CHECK(PetscIsInfOrNanReal(norm), "solve %d of a vector without factors gave %g", k, (double)norm);
        PetscCall(matrices[k](F, B, X));
        PetscCall(MatNorm(X, NORM_FROBENIUS, &norm));
        CHECK(PetscIsInfOrNanReal(norm), "solve %d of a matrix without factors gave %g", k, (double)norm);
    }
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
    PetscCall(MatDestroy(&B));
    PetscCall(MatDestroy(&X));
    PetscFunctionReturn(0);
}

/* A zero column, then NaN, a good matrix, NaN, a zero column: the error of the factor says so each time. */
static PetscErrorCode TestErrors(PetscRandom random, PetscBool dense) {
    const PetscInt n = 12, zero = 5;
    const PetscScalar none = PETSC_INFINITY - PETSC_INFINITY;
    Mat A, F;
    MatFactorInfo info;
    MatFactorError error;
    PetscFunctionBegin;
    PetscCall(MatFactorInfoInitialize(&info));
    PetscCall(MatrixMake(random, n, 2, dense, &A));
    PetscCall(MatGetFactor(A, MATSOLVERCLSOLVE, MAT_FACTOR_LU, &F));
    PetscCall(MatLUFactorSymbolic(F, A, NULL, NULL, &info));
    for (int round = 0; round < 5; ++round) {
        for (PetscInt i = PetscMax(0, zero - 1); i <= PetscMin(n - 1, zero + 2); ++i) {
            const PetscScalar values[5] = {0.0, none, i == zero ? 6.0 : 0.5, none, 0.0};
            PetscCall(MatSetValue(A, i, zero, values[round], INSERT_VALUES));
        }
        PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
        PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
        PetscCall(MatLUFactorNumeric(F, A, &info));
        PetscCall(MatFactorGetError(F, &error));
        if (round == 2) {
            CHECK(error == MAT_FACTOR_NOERROR, "a good matrix after bad ones: error %d", (int)error);
            PetscCall(SolveVectors(random, A, F, "after a bad matrix"));
        } else {
            CHECK(error == MAT_FACTOR_NUMERIC_ZEROPIVOT, "a matrix without factors: error %d", (int)error);
            PetscCall(CheckInf(random, A, F));
        }
    }
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&F));
    PetscFunctionReturn(0);
}

/* A matrix of another pattern without its symbolic phase is a PETSc error, and the factors before are gone with it. */
static PetscErrorCode TestPattern(PetscRandom random) {
    Mat A, other, F;
    MatFactorInfo info;
    MatFactorError error;
    PetscFunctionBegin;
    PetscCall(MatFactorInfoInitialize(&info));
    PetscCall(MatrixMake(random, 12, 2, PETSC_FALSE, &A));
    PetscCall(MatrixMake(random, 12, 4, PETSC_FALSE, &other));
    PetscCall(MatGetFactor(A, MATSOLVERCLSOLVE, MAT_FACTOR_LU, &F));
    PetscCall(MatLUFactorSymbolic(F, A, NULL, NULL, &info));
    PetscCall(MatLUFactorNumeric(F, A, &info));
    PetscCall(PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL));
    const PetscErrorCode refused = MatLUFactorNumeric(F, other, &info);
    PetscCall(PetscPopErrorHandler());
    CHECK(refused == PETSC_ERR_ARG_WRONG, "another pattern: error %d", (int)refused);
    PetscCall(MatFactorGetError(F, &error));
    CHECK(error != MAT_FACTOR_NOERROR, "another pattern: the factor has no error");
    PetscCall(CheckInf(random, A, F));
    PetscCall(MatLUFactorNumeric(F, A, &info));
    PetscCall(SolveVectors(random, A, F, "after another pattern"));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&other));
    PetscCall(MatDestroy(&F));
    PetscFunctionReturn(0);
}

/* What must be refused, by the code of PETSc's error. */
static PetscErrorCode TestRefusals(PetscRandom random) {
    Mat A, B, X, F, wide;
    MatFactorInfo info;
    PetscFunctionBegin;
    PetscCall(MatFactorInfoInitialize(&info));
    PetscCall(MatrixMake(random, 6, 1, PETSC_FALSE, &A));
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &X));
    PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 6, 7, 1, NULL, &wide));
    PetscCall(MatAssemblyBegin(wide, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(wide, MAT_FINAL_ASSEMBLY));
    PetscCall(MatGetFactor(A, MATSOLVERCLSOLVE, MAT_FACTOR_LU, &F));
    PetscCall(MatLUFactorSymbolic(F, A, NULL, NULL, &info));
    PetscCall(MatLUFactorNumeric(F, A, &info));

    PetscCall(PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL));
    const PetscErrorCode sparse = MatMatSolve(F, B, X);
    Mat none = NULL;
    const PetscErrorCode not_square = MatGetFactor(wide, MATSOLVERCLSOLVE, MAT_FACTOR_LU, &none);
    const PetscErrorCode incomplete = MatGetFactor(A, MATSOLVERCLSOLVE, MAT_FACTOR_ICC, &none);
    PetscCall(PetscOptionsSetValue(NULL, "-mat_clsolve_method", "gauss-jordan"));
    PetscCall(PetscOptionsSetValue(NULL, "-mat_clsolve_precision", "mixed"));
    PetscCall(MatDestroy(&F));
    PetscCall(MatGetFactor(A, MATSOLVERCLSOLVE, MAT_FACTOR_LU, &F));
    const PetscErrorCode options = MatLUFactorSymbolic(F, A, NULL, NULL, &info);
    PetscCall(PetscOptionsClearValue(NULL, "-mat_clsolve_method"));
    PetscCall(PetscOptionsClearValue(NULL, "-mat_clsolve_precision"));
    PetscCall(MatDestroy(&F));
    PetscCall(MatGetFactor(A, MATSOLVERCLSOLVE, MAT_FACTOR_CHOLESKY, &F));
    PetscCall(MatCholeskyFactorSymbolic(F, A, NULL, &info));
    const PetscErrorCode not_symmetric = MatCholeskyFactorNumeric(F, A, &info);
    PetscCall(PetscPopErrorHandler());
    CHECK(sparse != 0, "sparse right-hand sides were taken");
    CHECK(not_square == PETSC_ERR_ARG_WRONG, "a matrix that is not square: error %d", (int)not_square);
    CHECK(incomplete == PETSC_ERR_MISSING_FACTOR, "ICC: error %d", (int)incomplete);
    CHECK(options == PETSC_ERR_ARG_WRONG, "options that exclude each other: error %d", (int)options);
    CHECK(not_symmetric == PETSC_ERR_ARG_WRONG, "Cholesky, not symmetric: error %d", (int)not_symmetric);

    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&B));
    PetscCall(MatDestroy(&X));
    PetscCall(MatDestroy(&F));
    PetscCall(MatDestroy(&wide));
    PetscFunctionReturn(0);
}

/* ---- Cholesky's factorization as PETSc means it ---- */

/* `diagonal` on the diagonal, -1 on either side. */
static PetscErrorCode TridiagonalMake(MatType type, PetscInt n, PetscReal diagonal, Mat *A) {
    PetscFunctionBegin;
    PetscCall(MatCreate(PETSC_COMM_SELF, A));
    PetscCall(MatSetSizes(*A, n, n, n, n));
    PetscCall(MatSetType(*A, type));
    if (strcmp(type, MATSEQSBAIJ) == 0 && n % 2 == 0) PetscCall(MatSetBlockSize(*A, 2));
    PetscCall(MatSetUp(*A));
    if (strcmp(type, MATSEQSBAIJ) == 0) PetscCall(MatSetOption(*A, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE));
    for (PetscInt i = 0; i < n; ++i)
        for (PetscInt j = PetscMax(0, i - 1); j <= PetscMin(n - 1, i + 1); ++j)
            PetscCall(MatSetValue(*A, i, j, i == j ? diagonal : -1.0, INSERT_VALUES));
    PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
    PetscFunctionReturn(0);
}

/* Pivots without exchanges have the signs of the eigenvalues (Sturm). A pivot of zero is followed by an infinite one,
 * whose sign is of no account, and at the end it is an eigenvalue. */
static void SignsOf(PetscInt n, PetscReal diagonal, PetscInt signs[3]) {
    PetscReal pivot = diagonal;
    signs[0] = signs[1] = signs[2] = 0;
    for (PetscInt k = 0; k < n; ++k) {
        ++signs[pivot < 0 ? 0 : pivot == 0 && k == n - 1 ? 1 : 2];
        pivot = diagonal - 1 / pivot;
    }
}

/*
 * KSPSolve with PCCHOLESKY, new values on the same PC, and the inertia: of matrices with eigenvalues of both signs and
 * of a singular one, unless they are declared to be positive definite.
 */
static PetscErrorCode TestSymmetric(MatType type, PetscInt n, PetscBool declared) {
    static const PetscReal diagonals[] = {2.5, 1.6, 0.0, 0.7, -1.1, -2.5};
    PetscInt signs[3], found[3];
    Vec b, x;
    KSP ksp;
    PC pc;
    PetscFunctionBegin;
    PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
    PetscCall(KSPSetType(ksp, KSPPREONLY));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCCHOLESKY));
    PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERCLSOLVE));
    PetscCall(VecCreateSeq(PETSC_COMM_SELF, n, &b));
    PetscCall(VecDuplicate(b, &x));
    for (size_t k = 0; k < sizeof diagonals / sizeof *diagonals; ++k) {
        Mat A, F;
        KSPConvergedReason reason;
        PetscReal ratio = 0;
        SignsOf(n, diagonals[k], signs);
        const PetscBool fails = signs[1] > 0 || (declared && signs[0] > 0) ? PETSC_TRUE : PETSC_FALSE;
        PetscCall(TridiagonalMake(type, n, diagonals[k], &A));
        if (declared) PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
        PetscCall(VecSet(b, 1.0));
        PetscCall(KSPSetOperators(ksp, A, A));
        PetscCall(KSPSolve(ksp, b, x));
        PetscCall(KSPGetConvergedReason(ksp, &reason));
        if (!fails) PetscCall(Ratio(A, PETSC_FALSE, x, b, &ratio));
        CHECK(fails ? reason == KSP_DIVERGED_PC_FAILED : reason > 0 && ratio < 30,
              "Cholesky of %s, n = %d, diagonal %g: reason %d, residual %g", type, (int)n, (double)diagonals[k],
              (int)reason, (double)ratio);
        PetscCall(PCFactorGetMatrix(pc, &F));
        PetscCall(PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL));
        const PetscErrorCode code = MatGetInertia(F, &found[0], &found[1], &found[2]);
        PetscCall(PetscPopErrorHandler());
        if (fails && declared)
            CHECK(code == PETSC_ERR_SUP, "inertia of %s without factors: error %d", type, (int)code);
        else
            CHECK(code == 0 && memcmp(found, signs, sizeof signs) == 0,
                  "inertia of %s, n = %d, diagonal %g: error %d, %d negative, %d zero, %d positive", type, (int)n,
                  (double)diagonals[k], (int)code, (int)found[0], (int)found[1], (int)found[2]);
        PetscCall(MatDestroy(&A));
    }
    PetscCall(KSPDestroy(&ksp));
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
    PetscFunctionReturn(0);
}

/* A method by name counts nothing unless it has signs. */
static PetscErrorCode TestNoInertia(void) {
    MatFactorInfo info;
    PetscInt negative;
    Mat A, F;
    PetscFunctionBegin;
    PetscCall(PetscOptionsSetValue(NULL, "-mat_clsolve_method", "band"));
    PetscCall(TridiagonalMake(MATSEQAIJ, 30, 2.5, &A));
    PetscCall(MatFactorInfoInitialize(&info));
    PetscCall(MatGetFactor(A, MATSOLVERCLSOLVE, MAT_FACTOR_CHOLESKY, &F));
    PetscCall(MatCholeskyFactorSymbolic(F, A, NULL, &info));
    PetscCall(MatCholeskyFactorNumeric(F, A, &info));
    PetscCall(PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL));
    const PetscErrorCode code = MatGetInertia(F, &negative, NULL, NULL);
    PetscCall(PetscPopErrorHandler());
    CHECK(code == PETSC_ERR_SUP, "inertia of band LU: error %d", (int)code);
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&F));
    PetscCall(PetscOptionsClearValue(NULL, "-mat_clsolve_method"));
    PetscFunctionReturn(0);
}

/* ---- sparse matrices of any pattern ---- */

/* Rows and columns of the pattern are random: neither a band nor a grid. Every third diagonal element is zero. */
static PetscErrorCode ScatteredMake(PetscRandom random, PetscInt n, PetscBool symmetric, Mat *A) {
    PetscFunctionBegin;
    PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 24, NULL, A));
    PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    for (PetscInt i = 0; i < n; ++i) {
        PetscCall(MatSetValue(*A, i, i, symmetric ? 20.0 : i % 3 ? 6.0 : 0.0, INSERT_VALUES));
        PetscCall(MatSetValue(*A, i, (i + 1) % n, symmetric ? -1.0 : 3.0, INSERT_VALUES));
        if (symmetric) PetscCall(MatSetValue(*A, (i + 1) % n, i, -1.0, INSERT_VALUES));
        for (int k = 0; k < 2; ++k) {
            const PetscInt j = PetscMin(n - 1, (PetscInt)((Random(random) + 1) / 2 * (PetscReal)n));
            if (j == i || j == (i + 1) % n || i == (j + 1) % n) continue;
            PetscCall(MatSetValue(*A, i, j, -0.5, INSERT_VALUES));
            if (symmetric) PetscCall(MatSetValue(*A, j, i, -0.5, INSERT_VALUES));
        }
    }
    PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

/* "auto" takes a sparse method: the factors have fewer entries than dense ones. `entries` gets their number. */
static PetscErrorCode TestScattered(PetscRandom random, MatFactorType type, const char method[], const char order[],
                                    double *entries) {
    const PetscInt n = 1000;
    const PetscBool cholesky = type == MAT_FACTOR_CHOLESKY ? PETSC_TRUE : PETSC_FALSE;
    char what[64];
    Mat A, F;
    MatFactorInfo info;
    MatInfo found;
    PetscFunctionBegin;
    PetscCall(PetscSNPrintf(what, sizeof what, "%s, method %s, order %s", cholesky ? "Cholesky" : "LU", method, order));
    PetscCall(PetscOptionsSetValue(NULL, "-mat_clsolve_method", method));
    PetscCall(PetscOptionsSetValue(NULL, "-mat_clsolve_order", order));
    PetscCall(ScatteredMake(random, n, cholesky, &A));
    PetscCall(MatFactorInfoInitialize(&info));
    PetscCall(MatGetFactor(A, MATSOLVERCLSOLVE, type, &F));
    if (cholesky)
        PetscCall(MatCholeskyFactorSymbolic(F, A, NULL, &info));
    else
        PetscCall(MatLUFactorSymbolic(F, A, NULL, NULL, &info));
    for (int values = 0; values < 2; ++values) {
        if (values) PetscCall(MatScale(A, 3.0));
        if (cholesky)
            PetscCall(MatCholeskyFactorNumeric(F, A, &info));
        else
            PetscCall(MatLUFactorNumeric(F, A, &info));
        PetscCall(SolveVectors(random, A, F, what));
        PetscCall(SolveMatrices(random, A, F, what));
    }
    PetscCall(MatGetInfo(F, MAT_LOCAL, &found));
    CHECK(found.fill_ratio_needed > 0.5 && found.nz_used < 0.9 * (double)n * (double)n, "%s: %g entries, fill %g", what,
          found.nz_used, found.fill_ratio_needed);
    *entries = found.nz_used;
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&F));
    PetscCall(PetscOptionsClearValue(NULL, "-mat_clsolve_method"));
    PetscCall(PetscOptionsClearValue(NULL, "-mat_clsolve_order"));
    PetscFunctionReturn(0);
}

static PetscErrorCode TestOrders(PetscRandom random) {
    double best, natural;
    PetscFunctionBegin;
    PetscCall(TestScattered(random, MAT_FACTOR_LU, "sparse-lu", "auto", &best));
    PetscCall(TestScattered(random, MAT_FACTOR_LU, "auto", "metis", &best));
    PetscCall(TestScattered(random, MAT_FACTOR_LU, "auto", "nested", &best));
    PetscCall(TestScattered(random, MAT_FACTOR_LU, "auto", "auto", &best));
    PetscCall(TestScattered(random, MAT_FACTOR_LU, "auto", "natural", &natural));
    CHECK(natural > 1.2 * best, "LU: %g entries in the natural order, %g in the best", natural, best);
    PetscCall(TestScattered(random, MAT_FACTOR_CHOLESKY, "auto", "auto", &best));
    PetscCall(TestScattered(random, MAT_FACTOR_CHOLESKY, "auto", "natural", &natural));
    CHECK(natural > 1.2 * best, "Cholesky: %g entries in the natural order, %g in the best", natural, best);
    PetscFunctionReturn(0);
}

int main(int argc, char **argv) {
    static const PetscInt sizes[] = {0, 1, 2, 3, 5, 31, 32, 33, 67};
    static const MatType symmetric[] = {MATSEQAIJ, MATSEQSBAIJ, MATSEQDENSE};
    const char *given = getenv("CLSOLVE_TEST_SEED");
    const unsigned long seed = !given                        ? 1
                               : strcmp(given, "clock") == 0 ? (unsigned long)time(NULL)
                                                             : strtoul(given, NULL, 10);
    PetscRandom random;
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscClsolveRegister());
    PetscCall(PetscClsolveRegister()); /* a second time does nothing */
    PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "seed %lu\n", seed));
    PetscCall(PetscRandomSetSeed(random, (unsigned)seed));
    PetscCall(PetscRandomSeed(random));
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        PetscCall(TestSolves(random, sizes[s], PETSC_FALSE, "auto", "auto"));
        PetscCall(TestSolves(random, sizes[s], PETSC_FALSE, "band", "working"));
        PetscCall(TestSolves(random, sizes[s], PETSC_TRUE, "auto", "auto"));
    }
    PetscCall(TestSolves(random, 33, PETSC_FALSE, "band", "mixed"));
    PetscCall(TestSolves(random, 33, PETSC_FALSE, "lu", "working"));
    PetscCall(TestSolves(random, 33, PETSC_TRUE, "lu", "mixed"));
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
        PetscCall(TestSolves(random, sizes[s], PETSC_FALSE, "sparse-lu", "auto"));
    PetscCall(TestOrders(random));
    PetscCall(TestErrors(random, PETSC_FALSE));
    PetscCall(TestErrors(random, PETSC_TRUE));
    PetscCall(TestPattern(random));
    PetscCall(TestRefusals(random));
    for (size_t s = 0; s < sizeof symmetric / sizeof *symmetric; ++s)
        for (PetscInt n = 1; n < 300; n = 4 * n + 3)
            for (int declared = 0; declared < 2; ++declared)
                for (PetscInt odd = 0; odd < 2; ++odd)
                    PetscCall(TestSymmetric(symmetric[s], n + odd, declared ? PETSC_TRUE : PETSC_FALSE));
    PetscCall(TestNoInertia());
    PetscCall(PetscRandomDestroy(&random));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "factor: %d failures\n", failures));
    PetscCall(PetscFinalize());
    return failures;
}
