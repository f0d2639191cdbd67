/*
 * lines.c: which rows of a matrix are the lines of a grid, and the colours of the lines.
 *
 * A process has whole lines. On a DMDA it has them where the grid is not divided along the lines: a slab. Colours count
 * in the whole grid, so they do not depend on the number of processes.
 */
#include "plugin.h"

#include <petscdmda.h>

static PetscErrorCode LinesAllocate(ClsolveLines *lines) {
    PetscFunctionBegin;
    PetscCall(PetscMalloc1(PetscMax(lines->count * lines->length, 1), &lines->index));
    PetscCall(PetscMalloc1(PetscMax(lines->count, 1), &lines->colour));
    PetscFunctionReturn(0);
}

/* Each `length` rows are a line. */
static PetscErrorCode LinesOfRows(Mat A, PetscInt length, ClsolveLines *lines) {
    PetscInt first, end, rows, wrong, all_wrong;
    PetscFunctionBegin;
    PetscCall(MatGetOwnershipRange(A, &first, &end));
    PetscCall(MatGetSize(A, &rows, NULL));
    wrong = first % length != 0 || end % length != 0;
    PetscCallMPI(MPI_Allreduce(&wrong, &all_wrong, 1, MPIU_INT, MPI_MAX, PetscObjectComm((PetscObject)A)));
    PetscCheck(!all_wrong, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_SIZ,
               "A process has no whole lines of %" PetscInt_FMT " rows", length);
    lines->length = length;
    lines->count = (end - first) / length;
    lines->first = first / length;
    lines->all = rows / length;
    lines->along = "rows";
    PetscCall(LinesAllocate(lines));
    for (PetscInt i = 0; i < lines->count; ++i) lines->colour[i] = (lines->first + i) % 2;
    for (PetscInt r = 0; r < lines->count * length; ++r) lines->index[r] = r;
    PetscFunctionReturn(0);
}

/* The direction of the lines: as asked for, else the first one in which the grid is not divided. */
static PetscErrorCode LinesDirection(MPI_Comm comm, PetscInt dim, const PetscInt processes[3],
                                     const DMBoundaryType boundaries[3], char along, PetscInt *direction) {
    PetscFunctionBegin;
    *direction = along ? along - 'x' : 0;
    while (!along && *direction + 1 < dim && processes[*direction] > 1) ++*direction;
    PetscCheck(*direction >= 0 && *direction < dim, comm, PETSC_ERR_ARG_OUTOFRANGE,
               "The grid has %" PetscInt_FMT " dimensions, so no lines along %c", dim, along);
    PetscCheck(processes[*direction] == 1, comm, PETSC_ERR_SUP,
               "Lines along %c are divided among %" PetscInt_FMT " processes; -da_processors_%c 1 makes slabs of whole "
               "lines",
               (char)('x' + *direction), processes[*direction], (char)('x' + *direction));
    PetscCheck(boundaries[*direction] != DM_BOUNDARY_PERIODIC, comm, PETSC_ERR_SUP,
               "Lines along a periodic direction are not tridiagonal");
    PetscFunctionReturn(0);
}

static PetscErrorCode LinesOfGrid(DM da, Mat A, char along, ClsolveLines *lines) {
    static const char *const names[3] = {"x", "y", "z"};
    const MPI_Comm comm = PetscObjectComm((PetscObject)A);
    PetscInt dim, sizes[3], processes[3], dof, first[3], count[3], step[3], direction, rows, line = 0;
    DMBoundaryType boundaries[3];
    PetscFunctionBegin;
    PetscCall(DMDAGetInfo(da, &dim, &sizes[0], &sizes[1], &sizes[2], &processes[0], &processes[1], &processes[2], &dof,
                          NULL, &boundaries[0], &boundaries[1], &boundaries[2], NULL));
    PetscCall(DMDAGetCorners(da, &first[0], &first[1], &first[2], &count[0], &count[1], &count[2]));
    PetscCheck(dof == 1, comm, PETSC_ERR_SUP, "Lines of a grid with %" PetscInt_FMT " unknowns a point: 1 is supported",
               dof);
    PetscCall(MatGetLocalSize(A, &rows, NULL));
    PetscCheck(rows == count[0] * count[1] * count[2], comm, PETSC_ERR_ARG_SIZ, "The matrix is not one of the DMDA");
    PetscCall(LinesDirection(comm, dim, processes, boundaries, along, &direction));
    step[0] = 1;
    step[1] = count[0];
    step[2] = count[0] * count[1];

    const PetscInt p = direction == 0 ? 1 : 0, q = direction == 2 ? 1 : 2; /* across the lines */
    lines->length = sizes[direction];
    lines->count = count[p] * count[q];
    lines->all = sizes[p] * sizes[q];
    lines->first = direction == 0 && dim == 2 ? first[1] : dim == 1 ? 0 : -1;
    lines->along = names[direction];
    PetscCall(LinesAllocate(lines));
    for (PetscInt j = 0; j < count[q]; ++j)
        for (PetscInt i = 0; i < count[p]; ++i, ++line) {
            lines->colour[line] = (first[p] + i + first[q] + j) % 2;
            for (PetscInt k = 0; k < lines->length; ++k)
                lines->index[line * lines->length + k] = i * step[p] + j * step[q] + k * step[direction];
        }
    PetscFunctionReturn(0);
}

PetscErrorCode ClsolveLinesCreate(PC pc, Mat A, PetscInt length, char along, ClsolveLines *lines) {
    DM dm;
    PetscBool grid = PETSC_FALSE;
    PetscFunctionBegin;
    PetscCall(PetscMemzero(lines, sizeof *lines));
    PetscCall(PCGetDM(pc, &dm));
    if (dm) PetscCall(PetscObjectTypeCompare((PetscObject)dm, DMDA, &grid));
    PetscCheck(length > 0 || grid, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_WRONGSTATE,
               "Nothing says what the lines are: the solver needs a DMDA (KSPSetDM), or the length of a line");
    if (length > 0)
        PetscCall(LinesOfRows(A, length, lines));
    else
        PetscCall(LinesOfGrid(dm, A, along, lines));
    PetscFunctionReturn(0);
}

PetscErrorCode ClsolveLinesDestroy(ClsolveLines *lines) {
    PetscFunctionBegin;
    PetscCall(PetscFree(lines->index));
    PetscCall(PetscFree(lines->colour));
    PetscFunctionReturn(0);
}
