/*
 * coarsen.c: from a level of semicoarsening multigrid to the next: transfers that depend on the operator, and the
 * coarse matrix. multigrid.c says what they are.
 */
#include "plugin.h"

#if !CLSOLVE_PETSC_OTHER_SCALARS

PetscErrorCode ClsolveLevelOf(Mat A, PetscInt length, ClsolveLevel *level) {
    PetscInt first, end, rows;
    PetscFunctionBegin;
    PetscCall(MatGetOwnershipRange(A, &first, &end));
    PetscCall(MatGetSize(A, &rows, NULL));
    level->A = A;
    level->length = length;
    level->first = first / length;
    level->count = (end - first) / length;
    level->all = rows / length;
    PetscFunctionReturn(0);
}

/* The systems of the process's red lines, `length` elements a line in each array: the bands, and the right-hand sides
 * -A e and -B e, which become w and w'. */
typedef struct {
    PetscInt lines;
    double *dl, *d, *du, *above, *below;
    int64_t *info;
} RedLines;

static PetscErrorCode RedLinesCreate(const ClsolveLevel *level, RedLines *red) {
    PetscInt elements;
    PetscFunctionBegin;
    red->lines = (level->first + level->count + 1) / 2 - (level->first + 1) / 2;
    elements = red->lines * level->length;
    PetscCall(PetscCalloc5(elements, &red->dl, elements, &red->d, elements, &red->du, elements, &red->above, elements,
                           &red->below));
    PetscCall(PetscCalloc1(red->lines, &red->info));
    PetscFunctionReturn(0);
}

static PetscErrorCode RedLinesDestroy(RedLines *red) {
    PetscFunctionBegin;
    PetscCall(PetscFree5(red->dl, red->d, red->du, red->above, red->below));
    PetscCall(PetscFree(red->info));
    PetscFunctionReturn(0);
}

/* Reads the red lines of `A`, the level's matrix or its transpose. *far counts entries that are no neighbours. */
static PetscErrorCode RedLinesRead(const ClsolveLevel *level, Mat A, RedLines *red, PetscInt *far) {
    const PetscInt length = level->length;
    PetscFunctionBegin;
    for (PetscInt i = 0, line = level->first + level->first % 2; i < red->lines; ++i, line += 2)
        for (PetscInt k = 0; k < length; ++k) {
            const PetscInt row = line * length + k, r = i * length + k;
            const PetscInt *columns;
            const PetscScalar *values;
            PetscInt entries;
            PetscCall(MatGetRow(A, row, &entries, &columns, &values));
            for (PetscInt e = 0; e < entries; ++e) {
                const PetscInt across = columns[e] / length - line, along = columns[e] % length - k;
                if (across < -1 || across > 1 || along < -1 || along > 1) {
                    *far += values[e] != 0.0;
                    continue;
                }
                if (across == 0) *(along == 0 ? &red->d[r] : along < 0 ? &red->dl[r] : &red->du[r]) += values[e];
                if (across != 0) *(across < 0 ? &red->above[r] : &red->below[r]) -= values[e];
            }
            PetscCall(MatRestoreRow(A, row, &entries, &columns, &values));
        }
    PetscFunctionReturn(0);
}

static clsolve_status RedLinesSolve(const ClsolveLevel *level, clsolve_context *context, RedLines *red) {
    const PetscInt length = level->length, lines = red->lines;
    clsolve_tridiagonal_batch *batch = NULL;
    clsolve_batch DL = clsolve_batch_f64(lines, length, 1, red->dl), D = clsolve_batch_f64(lines, length, 1, red->d);
    clsolve_batch DU = clsolve_batch_f64(lines, length, 1, red->du);
    clsolve_batch above = clsolve_batch_f64(lines, length, 1, red->above);
    clsolve_batch below = clsolve_batch_f64(lines, length, 1, red->below);
    clsolve_status status;
    if (lines == 0) return CLSOLVE_OK;
    status = clsolve_tridiagonal_batch_create(context, length, lines, CLSOLVE_F64, NULL, &batch);
    if (status == CLSOLVE_OK) status = clsolve_tridiagonal_batch_factor(batch, &DL, &D, &DU, red->info);
    if (status == CLSOLVE_OK) status = clsolve_tridiagonal_batch_solve(batch, CLSOLVE_NO_TRANS, &above, red->info);
    if (status == CLSOLVE_OK) status = clsolve_tridiagonal_batch_solve(batch, CLSOLVE_NO_TRANS, &below, red->info);
    clsolve_tridiagonal_batch_destroy(batch);
    return status;
}

/* P of the level, from the red lines of `A`. *singular counts red lines without an inverse, on all processes. */
static PetscErrorCode Transfer(clsolve_context *context, const ClsolveLevel *level, Mat A, Mat *P, PetscInt *singular) {
    const MPI_Comm comm = PetscObjectComm((PetscObject)A);
    const PetscInt length = level->length, coarse = level->all / 2, coarse_first = level->first / 2;
    const PetscInt coarse_count = (level->first + level->count) / 2 - coarse_first;
    PetscInt counts[2] = {0, 0}, all_counts[2];
    RedLines red;
    clsolve_status status;
    char message[CLSOLVE_PETSC_TEXT] = "";
    PetscFunctionBegin;
    PetscCall(RedLinesCreate(level, &red));
    PetscCall(RedLinesRead(level, A, &red, &counts[0]));
    status = RedLinesSolve(level, context, &red);
    if (status != CLSOLVE_OK) ClsolveMessage(context, status, message);
    PetscCall(ClsolveAgree(comm, status, message));
    for (PetscInt i = 0; i < red.lines; ++i) counts[1] += red.info[i] != 0;
    PetscCallMPI(MPI_Allreduce(counts, all_counts, 2, MPIU_INT, MPI_SUM, comm));
    PetscCheck(all_counts[0] == 0, comm, PETSC_ERR_SUP,
               "%" PetscInt_FMT " entries of the matrix couple points that are no neighbours on the grid of lines of "
               "%" PetscInt_FMT,
               all_counts[0], length);
    *singular += all_counts[1];

    PetscCall(MatCreateAIJ(comm, level->count * length, coarse_count * length, level->all * length, coarse * length, 2,
                           NULL, 2, NULL, P));
    for (PetscInt line = level->first, i = 0; line < level->first + level->count; ++line) {
        const PetscInt above = line % 2 ? line / 2 : line / 2 - 1; /* number of the coarse line */
        for (PetscInt k = 0; k < length; ++k) {
            const PetscInt row = line * length + k, columns[2] = {above * length + k, (above + 1) * length + k};
            const PetscScalar one = 1.0;
            if (line % 2) PetscCall(MatSetValues(*P, 1, &row, 1, columns, &one, INSERT_VALUES));
            if (line % 2 == 0 && above >= 0)
                PetscCall(MatSetValues(*P, 1, &row, 1, columns, &red.above[i * length + k], INSERT_VALUES));
            if (line % 2 == 0 && above + 1 < coarse)
                PetscCall(MatSetValues(*P, 1, &row, 1, columns + 1, &red.below[i * length + k], INSERT_VALUES));
        }
        i += line % 2 == 0;
    }
    PetscCall(MatAssemblyBegin(*P, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*P, MAT_FINAL_ASSEMBLY));
    PetscCall(RedLinesDestroy(&red));
    PetscFunctionReturn(0);
}

/* From a level to the next: P, the transpose of R (P itself for a matrix known to be symmetric), and R A P. */
PetscErrorCode ClsolveCoarsen(clsolve_context *context, const ClsolveLevel *level, PetscBool symmetric, Mat *P, Mat *Rt,
                              Mat *coarse, PetscInt *singular) {
    Mat transpose, product;
    PetscFunctionBegin;
    PetscCall(Transfer(context, level, level->A, P, singular));
    if (symmetric) {
        PetscCall(PetscObjectReference((PetscObject)*P));
        *Rt = *P;
        PetscCall(MatPtAP(level->A, *P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, coarse));
        PetscFunctionReturn(0);
    }
    PetscCall(MatTranspose(level->A, MAT_INITIAL_MATRIX, &transpose));
    PetscCall(Transfer(context, level, transpose, Rt, singular));
    PetscCall(MatDestroy(&transpose));
    PetscCall(MatMatMult(level->A, *P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &product));
    PetscCall(MatTransposeMatMult(*Rt, product, MAT_INITIAL_MATRIX, PETSC_DEFAULT, coarse));
    PetscCall(MatDestroy(&product));
    PetscFunctionReturn(0);
}

#endif
