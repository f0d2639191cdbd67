/* singular.c: systems of which one line or one block is singular by itself: every process must see the solve fail. */
#include "singular.h"

#include <petscclsolve.h>

#include "check.h"

/* `rows` rows on each process: `diagonal` there, but 0 in the rows zero .. zero + zeros - 1, and -1 `apart` rows beside. */
static PetscErrorCode StripesMake(PetscInt rows, PetscInt apart, PetscScalar diagonal, PetscInt zero, PetscInt zeros,
                                  Mat *A) {
    PetscInt first, end, all;
    PetscFunctionBegin;
    PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, rows, rows, PETSC_DETERMINE, PETSC_DETERMINE, 3, NULL, 2, NULL, A));
    PetscCall(MatGetSize(*A, &all, NULL));
    PetscCall(MatGetOwnershipRange(*A, &first, &end));
    for (PetscInt row = first; row < end; ++row) {
        const PetscScalar value = row >= zero && row < zero + zeros ? 0.0 : diagonal;
        PetscCall(MatSetValue(*A, row, row, value, INSERT_VALUES));
        if (row >= apart) PetscCall(MatSetValue(*A, row, row - apart, -1.0, INSERT_VALUES));
        if (row + apart < all) PetscCall(MatSetValue(*A, row, row + apart, -1.0, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

/* The whole diagonal becomes `diagonal`. */
static PetscErrorCode StripesRepair(Mat A, PetscScalar diagonal) {
    PetscInt first, end;
    PetscFunctionBegin;
    PetscCall(MatGetOwnershipRange(A, &first, &end));
    for (PetscInt row = first; row < end; ++row) PetscCall(MatSetValue(A, row, row, diagonal, INSERT_VALUES));
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

/* A matrix of lines of `length`, of which one is singular by itself. */
PetscErrorCode TestSingularLine(const char type[]) {
    const PetscInt length = 4, lines = 12, singular = 7;
    Mat A;
    Vec b, x;
    KSP ksp;
    PC pc;
    PCFailedReason failed;
    KSPConvergedReason reason;
    PetscMPIInt processes;
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &processes));
    PetscCall(StripesMake(lines / processes * length, length, 4.0, (singular - 1) * length, length, &A));
    PetscCall(MatCreateVecs(A, &x, &b));
    PetscCall(VecSet(b, 1.0));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, type));
    PetscCall(PCClsolveSetLineLength(pc, length));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(PCGetFailedReason(pc, &failed));
    CHECK(reason == KSP_DIVERGED_PC_FAILED, "%s with a singular line: reason %d", type, (int)reason);
    CHECK(failed == PC_FACTOR_NUMERIC_ZEROPIVOT, "%s with a singular line: failed reason %d", type, (int)failed);

    /* A matrix that is regular afterwards is solved with. */
    PetscCall(StripesRepair(A, 4.0));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    CHECK(reason > 0, "%s after a singular line: reason %d", type, (int)reason);

    /* What every process must refuse alike. */
    PetscCall(PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL));
    PetscCall(PCSetType(pc, PCJACOBI));
    PetscCall(PCSetType(pc, type));
    const PetscErrorCode unknown = PCSetUp(pc);
    PetscCall(PCClsolveSetLineLength(pc, 5));
    const PetscErrorCode wrong = PCSetUp(pc);
    PetscCall(PetscPopErrorHandler());
    CHECK(unknown == PETSC_ERR_ARG_WRONGSTATE, "%s without lines: error %d", type, (int)unknown);
    CHECK(wrong == PETSC_ERR_ARG_SIZ, "%s with lines that do not fit: error %d", type, (int)wrong);
    PetscCall(KSPDestroy(&ksp));
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
    PetscCall(MatDestroy(&A));
    PetscFunctionReturn(0);
}

/* bjacobi, and the block of the last process is singular: each process must see the solve fail. */
PetscErrorCode TestSingularBlock(const char solver[]) {
    const PetscInt rows = 6;
    Mat A;
    Vec b, x;
    KSP ksp, *block;
    PC pc;
    KSPConvergedReason reason;
    PetscMPIInt processes;
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &processes));
    PetscCall(StripesMake(rows, rows, 2.0, rows * processes - 2, 1, &A));
    PetscCall(MatCreateVecs(A, &x, &b));
    PetscCall(VecSet(b, 1.0));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCBJACOBI));
    PetscCall(KSPSetUp(ksp));
    PetscCall(PCBJacobiGetSubKSP(pc, NULL, NULL, &block));
    PetscCall(KSPGetPC(block[0], &pc));
    PetscCall(PCSetType(pc, PCLU));
    PetscCall(PCFactorSetMatSolverType(pc, solver));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    CHECK(reason == KSP_DIVERGED_PC_FAILED, "a singular block with solver %s: reason %d", solver, (int)reason);
    PetscCall(KSPDestroy(&ksp));
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
    PetscCall(MatDestroy(&A));
    PetscFunctionReturn(0);
}
