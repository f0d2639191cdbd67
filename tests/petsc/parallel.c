/*
 * parallel.c: -pc_type clsolvezebra and clsolvemg on any number of processes, against plain loops and against the library's
 * own multigrid on one device.
 *
 *     mpirun -n 2 parallel       one line for each failure; the exit status is not 0 if there are any
 */
#include <petscclsolve.h>
#include <petscdmda.h>

#include <clsolve/clsolve.h>

#include <stdlib.h>

#include "check.h"
#include "singular.h"

int failures;

/* ---- a grid that every process knows whole ---- */

typedef struct {
    PetscInt size[3]; /* points in x, y, z; 1 in a direction that it does not have */
    PetscInt dim, along;
    PetscBool box; /* diagonal neighbours too */
} Grid;

static PetscInt Point(const Grid *grid, const PetscInt at[3]) {
    return at[0] + grid->size[0] * (at[1] + grid->size[1] * at[2]);
}

/* 0 .. 1, the same on every process */
static PetscReal Hash(PetscInt a, PetscInt b) {
    unsigned h = (unsigned)a * 2654435761u + (unsigned)b * 40503u + 12345u;
    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
    return (PetscReal)(h % 100003u) / 100003.0;
}

/* The neighbours of a point with their values, the point itself first. The values grow with `version`. */
static PetscInt Row(const Grid *grid, const PetscInt at[3], PetscReal version, PetscInt points[27][3],
                    PetscScalar values[27]) {
    const PetscInt row = Point(grid, at);
    PetscInt entries = 1;
    values[0] = 0.5;
    for (int d = 0; d < 3; ++d) points[0][d] = at[d];
    for (PetscInt n = 0; n < 27; ++n) {
        const PetscInt step[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
        PetscInt inside = 1, steps = 0, to[3];
        for (int d = 0; d < 3; ++d) {
            to[d] = at[d] + step[d];
            inside = inside && to[d] >= 0 && to[d] < grid->size[d];
            steps += step[d] != 0;
        }
        if (!inside || steps == 0 || (steps > 1 && !grid->box)) continue;
        for (int d = 0; d < 3; ++d) points[entries][d] = to[d];
        values[entries] = -(0.1 + version * Hash(row, Point(grid, to)));
        values[0] -= values[entries++];
    }
    return entries;
}

static PetscReal Side(PetscInt point) {
    return Hash(point, 77) - 0.3;
}

/* ---- zebra by plain loops ---- */

/* One line: the rest of its rows goes to the right-hand side with the values `old`, and Thomas' algorithm solves it. */
static PetscErrorCode LineSolve(const Grid *grid, PetscReal version, const PetscInt begin[3], const PetscScalar *old,
                                PetscScalar *y) {
    const PetscInt length = grid->size[grid->along];
    PetscScalar *du, *f, dl = 0;
    PetscFunctionBegin;
    PetscCall(PetscMalloc2(length, &du, length, &f));
    for (PetscInt k = 0; k < length; ++k) {
        PetscInt at[3] = {begin[0], begin[1], begin[2]}, points[27][3];
        PetscScalar values[27], d;
        at[grid->along] = k;
        const PetscInt entries = Row(grid, at, version, points, values);
        dl = du[k] = 0;
        f[k] = Side(Point(grid, at));
        for (PetscInt e = 1; e < entries; ++e) {
            PetscInt across = 0;
            for (int c = 0; c < 3; ++c) across += c != grid->along && points[e][c] != at[c];
            if (across)
                f[k] -= values[e] * old[Point(grid, points[e])];
            else if (points[e][grid->along] < k)
                dl = values[e];
            else
                du[k] = values[e];
        }
        d = values[0] - (k > 0 ? dl * du[k - 1] : 0);
        f[k] = (f[k] - (k > 0 ? dl * f[k - 1] : 0)) / d;
        du[k] /= d;
    }
    for (PetscInt k = length - 1; k >= 0; --k) {
        PetscInt at[3] = {begin[0], begin[1], begin[2]};
        at[grid->along] = k;
        if (k + 1 < length) f[k] -= du[k] * f[k + 1];
        y[Point(grid, at)] = f[k];
    }
    PetscCall(PetscFree2(du, f));
    PetscFunctionReturn(0);
}

/* Lines of one colour are solved at once, also where a box couples them. */
static PetscErrorCode Sweep(const Grid *grid, PetscReal version, PetscScalar *y) {
    const PetscInt points = grid->size[0] * grid->size[1] * grid->size[2];
    PetscScalar *old;
    PetscFunctionBegin;
    PetscCall(PetscMalloc1(points, &old));
    for (PetscInt colour = 0; colour < 2; ++colour) {
        PetscInt at[3];
        PetscCall(PetscArraycpy(old, y, points));
        for (at[2] = 0; at[2] < grid->size[2]; ++at[2])
            for (at[1] = 0; at[1] < grid->size[1]; ++at[1])
                for (at[0] = 0; at[0] < grid->size[0]; ++at[0])
                    if (at[grid->along] == 0 && (at[0] + at[1] + at[2]) % 2 == colour)
                        PetscCall(LineSolve(grid, version, at, old, y));
    }
    PetscCall(PetscFree(old));
    PetscFunctionReturn(0);
}

/* ---- the same by PETSc ---- */

/* A process has whole lines: the grid is divided in the last other direction alone. */
static PetscErrorCode GridCreate(const Grid *grid, DM *da) {
    const DMDAStencilType stencil = grid->box ? DMDA_STENCIL_BOX : DMDA_STENCIL_STAR;
    const PetscInt *size = grid->size;
    PetscMPIInt processes;
    PetscInt parts[3] = {1, 1, 1};
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &processes));
    parts[grid->along == grid->dim - 1 ? grid->dim - 2 : grid->dim - 1] = processes;
    if (grid->dim == 2)
        PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, stencil, size[0], size[1],
                               parts[0], parts[1], 1, 1, NULL, NULL, da));
    else
        PetscCall(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, stencil, size[0],
                               size[1], size[2], parts[0], parts[1], parts[2], 1, 1, NULL, NULL, NULL, da));
    PetscCall(DMSetUp(*da));
    PetscFunctionReturn(0);
}

static PetscErrorCode GridFill(const Grid *grid, DM da, PetscReal version, Mat A, Vec b) {
    PetscInt first[3], count[3], at[3], local = 0;
    PetscScalar *side;
    PetscFunctionBegin;
    PetscCall(DMDAGetCorners(da, &first[0], &first[1], &first[2], &count[0], &count[1], &count[2]));
    PetscCall(VecGetArray(b, &side));
    for (at[2] = first[2]; at[2] < first[2] + count[2]; ++at[2])
        for (at[1] = first[1]; at[1] < first[1] + count[1]; ++at[1])
            for (at[0] = first[0]; at[0] < first[0] + count[0]; ++at[0]) {
                const MatStencil row = {.i = at[0], .j = at[1], .k = at[2]};
                PetscInt points[27][3];
                PetscScalar values[27];
                MatStencil columns[27];
                const PetscInt entries = Row(grid, at, version, points, values);
                for (PetscInt e = 0; e < entries; ++e)
                    columns[e] = (MatStencil){.i = points[e][0], .j = points[e][1], .k = points[e][2]};
                PetscCall(MatSetValuesStencil(A, 1, &row, entries, columns, values, INSERT_VALUES));
                side[local++] = Side(Point(grid, at));
            }
    PetscCall(VecRestoreArray(b, &side));
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

/* The largest difference between this process's part of y and the grid's values. */
static PetscErrorCode Difference(const Grid *grid, DM da, Vec y, const PetscScalar *values, PetscReal *difference) {
    PetscInt first[3], count[3], at[3], local = 0;
    const PetscScalar *of_y;
    PetscFunctionBegin;
    *difference = 0;
    PetscCall(DMDAGetCorners(da, &first[0], &first[1], &first[2], &count[0], &count[1], &count[2]));
    PetscCall(VecGetArrayRead(y, &of_y));
    for (at[2] = first[2]; at[2] < first[2] + count[2]; ++at[2])
        for (at[1] = first[1]; at[1] < first[1] + count[1]; ++at[1])
            for (at[0] = first[0]; at[0] < first[0] + count[0]; ++at[0]) {
                const PetscReal here = PetscAbsScalar(of_y[local++] - values[Point(grid, at)]);
                if (!(here <= *difference)) *difference = here;
            }
    PetscCall(VecRestoreArrayRead(y, &of_y));
    PetscFunctionReturn(0);
}

/* One and three sweeps from zero, then again with new values of the matrix. */
static PetscErrorCode TestZebra(Grid grid) {
    DM da;
    Mat A;
    Vec b, y;
    KSP ksp;
    PC pc;
    PetscScalar *expected;
    const PetscInt points = grid.size[0] * grid.size[1] * grid.size[2];
    PetscFunctionBegin;
    PetscCall(GridCreate(&grid, &da));
    PetscCall(DMCreateMatrix(da, &A));
    PetscCall(DMCreateGlobalVector(da, &b));
    PetscCall(VecDuplicate(b, &y));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetDM(ksp, da));
    PetscCall(KSPSetDMActive(ksp, PETSC_FALSE));
    PetscCall(KSPSetType(ksp, KSPRICHARDSON));
    PetscCall(KSPSetNormType(ksp, KSP_NORM_NONE));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCCLSOLVEZEBRA));
    PetscCall(PCSetType(pc, PCJACOBI)); /* and back: a shell that was left and taken again */
    PetscCall(PCSetType(pc, PCCLSOLVEZEBRA));
    {
        const char *const names[3] = {"x", "y", "z"};
        PetscCall(PetscOptionsSetValue(NULL, "-pc_clsolvezebra_lines", names[grid.along]));
    }
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(PetscMalloc1(points, &expected));
    for (int version = 1; version <= 2; ++version) {
        PetscCall(GridFill(&grid, da, version, A, b));
        PetscCall(KSPSetOperators(ksp, A, A));
        for (PetscInt sweeps = 1; sweeps <= 3; sweeps += 2) {
            PetscReal difference;
            PetscCall(PetscArrayzero(expected, points));
            for (PetscInt s = 0; s < sweeps; ++s) PetscCall(Sweep(&grid, version, expected));
            PetscCall(KSPSetTolerances(ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, sweeps));
            PetscCall(KSPSolve(ksp, b, y));
            PetscCall(Difference(&grid, da, y, expected, &difference));
            CHECK(difference < 1e-11, "%d x %d x %d, lines along %d, values %d, %d sweeps: y differs by %g",
                  (int)grid.size[0], (int)grid.size[1], (int)grid.size[2], (int)grid.along, version, (int)sweeps,
                  (double)difference);
        }
    }
    PetscCall(PetscOptionsClearValue(NULL, "-pc_clsolvezebra_lines"));
    PetscCall(PetscFree(expected));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&y));
    PetscCall(MatDestroy(&A));
    PetscCall(DMDestroy(&da));
    PetscFunctionReturn(0);
}

/* -x'' along lines of `length` rows, which are not coupled, and `shift` on the diagonal. */
static PetscErrorCode RowsMake(PetscInt rows, PetscInt length, PetscReal shift, Mat *A) {
    PetscInt first, end;
    PetscFunctionBegin;
    PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, rows, rows, PETSC_DETERMINE, PETSC_DETERMINE, 3, NULL, 0, NULL, A));
    PetscCall(MatGetOwnershipRange(*A, &first, &end));
    for (PetscInt row = first; row < end; ++row) {
        PetscCall(MatSetValue(*A, row, row, 2.0 + shift, INSERT_VALUES));
        if (row % length > 0) PetscCall(MatSetValue(*A, row, row - 1, -1.0, INSERT_VALUES));
        if (row % length < length - 1) PetscCall(MatSetValue(*A, row, row + 1, -1.0, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

/* Lines that are not coupled are solved by one sweep, whatever the PC solved before: another matrix, other lines. The
 * first two have as many entries. */
static PetscErrorCode TestOtherMatrices(void) {
    static const PetscInt rows[3] = {24, 30, 30}, lengths[3] = {4, 2, 6};
    PC pc;
    PetscFunctionBegin;
    PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
    PetscCall(PCSetType(pc, PCCLSOLVEZEBRA));
    for (int m = 0; m < 3; ++m) {
        Mat A;
        Vec b, x, r;
        PetscReal norm;
        PetscCall(RowsMake(rows[m], lengths[m], m, &A));
        PetscCall(MatCreateVecs(A, &x, &b));
        PetscCall(VecDuplicate(b, &r));
        PetscCall(VecSet(b, 1.0));
        PetscCall(PCSetOperators(pc, A, A));
        PetscCall(PCClsolveSetLineLength(pc, lengths[m]));
        PetscCall(PCApply(pc, b, x));
        PetscCall(MatMult(A, x, r));
        PetscCall(VecAXPY(r, -1.0, b));
        PetscCall(VecNorm(r, NORM_INFINITY, &norm));
        CHECK(norm < 1e-12, "matrix %d in the same PC: the residual is %g", m, (double)norm);
        PetscCall(VecDestroy(&b));
        PetscCall(VecDestroy(&x));
        PetscCall(VecDestroy(&r));
        PetscCall(MatDestroy(&A));
        if (m < 2) PetscCall(PCReset(pc)); /* else PETSc refuses a matrix of another size */
    }
    PetscCall(PCDestroy(&pc));
    PetscFunctionReturn(0);
}

/* ---- multigrid ---- */

/* Cycles of the library's multigrid on one device, to the same residual. */
static PetscErrorCode LibraryCycles(const Grid *grid, double tolerance, PetscInt *cycles) {
    const PetscInt M = grid->size[0], N = grid->size[1];
    const clsolve_block_gs_options options = {
        .method = CLSOLVE_BLOCK_GS_MULTIGRID, .tolerance = tolerance, .zero_guess = 1};
    clsolve_context *context = NULL;
    clsolve_block_gs *handle = NULL;
    clsolve_report report = {0};
    clsolve_grid views[7];
    double *arrays[7];
    PetscFunctionBegin;
    for (int q = 0; q < 7; ++q) {
        PetscCall(PetscCalloc1((size_t)(M * N), &arrays[q]));
        views[q] = clsolve_grid_f64(N, M, arrays[q]);
    }
    for (PetscInt i = 0; i < N; ++i)
        for (PetscInt k = 0; k < M; ++k) {
            const PetscInt at[3] = {k, i, 0};
            PetscInt points[27][3];
            PetscScalar values[27];
            const PetscInt entries = Row(grid, at, 1, points, values), here = i * M + k;
            for (PetscInt e = 0; e < entries; ++e) {
                const PetscInt line = points[e][1] - i, unknown = points[e][0] - k;
                arrays[line < 0 ? 0 : line > 0 ? 4 : 2 + unknown][here] = values[e];
            }
            arrays[5][here] = Side(here);
        }
    clsolve_status status = clsolve_context_create(NULL, &context);
    if (status == CLSOLVE_OK) status = clsolve_block_gs_create(context, N, M, CLSOLVE_F64, &options, &handle);
    if (status == CLSOLVE_OK)
        status = clsolve_block_gs_factor(handle, &views[0], &views[1], &views[2], &views[3], &views[4]);
    if (status == CLSOLVE_OK) status = clsolve_block_gs_solve(handle, &views[5], &views[6], 1);
    if (status == CLSOLVE_OK) status = clsolve_block_gs_report(handle, &report);
    CHECK(status == CLSOLVE_OK, "the library's multigrid: %s", clsolve_status_name(status));
    *cycles = (PetscInt)report.iterations;
    clsolve_block_gs_destroy(handle);
    clsolve_context_destroy(context);
    for (int q = 0; q < 7; ++q) PetscCall(PetscFree(arrays[q]));
    PetscFunctionReturn(0);
}

/* As many cycles as the library's on one device, one more at most. */
static PetscErrorCode TestMultigrid(void) {
    const Grid grid = {.size = {45, 70, 1}, .dim = 2, .along = 0, .box = PETSC_FALSE};
    DM da;
    Mat A;
    Vec b, y;
    KSP ksp;
    PC pc;
    PetscInt iterations, cycles = 0;
    KSPConvergedReason reason;
    PetscFunctionBegin;
    PetscCall(LibraryCycles(&grid, 1e-9, &cycles));
    PetscCall(GridCreate(&grid, &da));
    PetscCall(DMCreateMatrix(da, &A));
    PetscCall(DMCreateGlobalVector(da, &b));
    PetscCall(VecDuplicate(b, &y));
    PetscCall(GridFill(&grid, da, 1, A, b));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(KSPSetType(ksp, KSPRICHARDSON));
    PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
    PetscCall(KSPSetTolerances(ksp, 1e-9, PETSC_DEFAULT, PETSC_DEFAULT, 100));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCCLSOLVEMG));
    PetscCall(PCClsolveSetLineLength(pc, grid.size[0]));
    PetscCall(KSPSolve(ksp, b, y));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(KSPGetIterationNumber(ksp, &iterations));
    CHECK(reason > 0, "multigrid did not converge: %d", (int)reason);
    CHECK(iterations <= cycles + 1, "multigrid took %d cycles, the library's %d", (int)iterations, (int)cycles);
    PetscCall(
        PetscPrintf(PETSC_COMM_WORLD, "cycles: %d, the library's on one device: %d\n", (int)iterations, (int)cycles));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&y));
    PetscCall(MatDestroy(&A));
    PetscCall(DMDestroy(&da));
    PetscFunctionReturn(0);
}

int main(int argc, char **argv) {
    int all;
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscClsolveRegister());
    PetscCall(TestZebra((Grid){{13, 9, 1}, 2, 0, PETSC_FALSE}));
    PetscCall(TestZebra((Grid){{13, 9, 1}, 2, 1, PETSC_TRUE}));
    PetscCall(TestZebra((Grid){{5, 6, 7}, 3, 0, PETSC_FALSE}));
    PetscCall(TestZebra((Grid){{6, 5, 4}, 3, 2, PETSC_TRUE}));
    PetscCall(TestZebra((Grid){{1, 8, 1}, 2, 0, PETSC_FALSE}));
    PetscCall(TestOtherMatrices());
    PetscCall(TestMultigrid());
    PetscCall(TestSingularLine(PCCLSOLVEZEBRA));
    PetscCall(TestSingularLine(PCCLSOLVEMG));
    PetscCall(TestSingularBlock(MATSOLVERPETSC));
    PetscCall(TestSingularBlock(MATSOLVERCLSOLVE));
    PetscCallMPI(MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "parallel: %d failures\n", all));
    PetscCall(PetscFinalize());
    return all != 0;
}
