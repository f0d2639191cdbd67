/*
 * grid.c: a grid of two dimensions in slabs of whole lines, to be solved as PETSc's options say.
 *
 *     -u_xx - e u_yy + c u_x + s u = f on the unit square, u = 0 around it; f = 1
 *
 *     mpirun -n 2 grid -da_grid_x 129 -da_grid_y 65 -ksp_converged_reason -pc_type clsolvemg
 *
 *   -anisotropy e    1
 *   -convection c    0; upwind differences
 *   -solves          1: solves with s = 0, 1, 2, ..., the same nonzeros with new values
 */
#include <petscclsolve.h>
#include <petscdmda.h>

typedef struct {
    PetscReal anisotropy, convection, reaction;
} Equation;

static PetscErrorCode ComputeMatrix(KSP ksp, Mat unused, Mat A, void *context) {
    const Equation *equation = (const Equation *)context;
    DM da;
    PetscInt x, y, columns, lines, first_x, first_y, m, n;
    PetscFunctionBegin;
    (void)unused;
    PetscCall(KSPGetDM(ksp, &da));
    PetscCall(DMDAGetInfo(da, NULL, &columns, &lines, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    PetscCall(DMDAGetCorners(da, &first_x, &first_y, NULL, &m, &n, NULL));
    const PetscReal h = 1.0 / (PetscReal)(columns + 1), k = 1.0 / (PetscReal)(lines + 1);
    const PetscScalar west = -k / h - equation->convection * k, east = -k / h, north = -equation->anisotropy * h / k;
    const PetscScalar centre = -west - east - 2 * north + equation->reaction * h * k;
    for (y = first_y; y < first_y + n; ++y)
        for (x = first_x; x < first_x + m; ++x) {
            const MatStencil row = {.i = x, .j = y};
            MatStencil stencil[5];
            PetscScalar values[5];
            PetscInt entries = 0;
            const PetscInt steps[5][2] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
            const PetscScalar all[5] = {centre, west, east, north, north};
            for (int e = 0; e < 5; ++e) {
                const PetscInt i = x + steps[e][0], j = y + steps[e][1];
                if (i < 0 || j < 0 || i >= columns || j >= lines) continue;
                stencil[entries] = (MatStencil){.i = i, .j = j};
                values[entries++] = all[e];
            }
            PetscCall(MatSetValuesStencil(A, 1, &row, entries, stencil, values, INSERT_VALUES));
        }
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

static PetscErrorCode ComputeRhs(KSP ksp, Vec b, void *context) {
    PetscInt size;
    PetscFunctionBegin;
    (void)ksp;
    (void)context;
    PetscCall(VecGetSize(b, &size));
    PetscCall(VecSet(b, 1.0 / (PetscScalar)size));
    PetscFunctionReturn(0);
}

/* Solves, and prints how it went. */
static PetscErrorCode Solve(KSP ksp, PetscInt number) {
    Mat A;
    Vec x, b, r;
    PetscReal of_b, of_r;
    PetscInt iterations;
    const char *reason;
    PetscFunctionBegin;
    PetscCall(KSPSolve(ksp, NULL, NULL));
    PetscCall(KSPGetSolution(ksp, &x));
    PetscCall(KSPGetRhs(ksp, &b));
    PetscCall(KSPGetOperators(ksp, &A, NULL));
    PetscCall(VecDuplicate(b, &r));
    PetscCall(MatMult(A, x, r));
    PetscCall(VecAYPX(r, -1.0, b));
    PetscCall(VecNorm(b, NORM_2, &of_b));
    PetscCall(VecNorm(r, NORM_2, &of_r));
    PetscCall(VecDestroy(&r));
    PetscCall(KSPGetIterationNumber(ksp, &iterations));
    PetscCall(KSPGetConvergedReasonString(ksp, &reason));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "solve %d: %s, iterations %d, relative residual %.1e\n", (int)number,
                          reason, (int)iterations, (double)(of_r / of_b)));
    PetscFunctionReturn(0);
}

int main(int argc, char **argv) {
    DM da;
    KSP ksp;
    Equation equation = {1.0, 0.0, 0.0};
    PetscInt solves = 1;
    PetscCall(PetscInitialize(&argc, &argv, NULL, "A grid in slabs of whole lines\n"));
    PetscCall(PetscClsolveRegister());
    PetscCall(PetscOptionsGetReal(NULL, NULL, "-anisotropy", &equation.anisotropy, NULL));
    PetscCall(PetscOptionsGetReal(NULL, NULL, "-convection", &equation.convection, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-solves", &solves, NULL));

    PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 65, 65, 1,
                           PETSC_DECIDE, 1, 1, NULL, NULL, &da));
    PetscCall(DMSetFromOptions(da));
    PetscCall(DMSetUp(da));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetDM(ksp, da));
    PetscCall(KSPSetComputeRHS(ksp, ComputeRhs, NULL));
    PetscCall(KSPSetFromOptions(ksp));
    for (PetscInt s = 0; s < solves; ++s) {
        equation.reaction = (PetscReal)s;
        PetscCall(KSPSetComputeOperators(ksp, ComputeMatrix, &equation));
        PetscCall(Solve(ksp, s + 1));
    }
    PetscCall(KSPDestroy(&ksp));
    PetscCall(DMDestroy(&da));
    PetscCall(PetscFinalize());
    return 0;
}
