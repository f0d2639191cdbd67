/*
 * levels.c: the levels of semicoarsening multigrid on the device of each process (clsolve/grid_slab.h).
 *
 * Vectors stay on the device through a cycle. Each half-sweep is followed by an exchange of the lines of its colour at
 * the ends of the slabs, through PETSc's star forests; only these lines cross to the host. The right-hand side of the
 * finest level goes up and its solution comes down once a cycle.
 *
 *     cycle of a level:   black, red;  residual on black lines, restricted;  coarser level;  its correction to black
 *                         lines;  red, black
 *
 * The matrix has five points, and lines need no row exchanges. Others have their levels in PETSc (multigrid.c).
 */
#include "plugin.h"

#if !CLSOLVE_PETSC_OTHER_SCALARS

#include <petscsf.h>
#include <math.h>

enum { LEVELS = 32, UP = 0, DOWN = 4 }; /* of the five arrays up, a, c, b, down */

typedef struct {
    clsolve_grid_slab *slab;
    PetscInt first, count, all;
    PetscSF
        halo[2]; /* of each colour: from lines at the ends (0: first, 1: last) to ghost lines (0: above, 1: below) */
} Level;

struct ClsolveLevels {
    clsolve_context *context;
    MPI_Comm comm;
    PetscMPIInt processes;
    PetscInt length, levels, cycles, smooth, half_sweeps;
    Level level[LEVELS]; /* from the finest */
    MPI_Datatype line;
    PetscScalar *ends, *ghosts; /* two lines each */
    KSP coarse;
    Vec b, x; /* of the coarsest level */
    PetscBool failed;
};

/* ---- lines at the ends of slabs ---- */

/* The process that has the line: `places` has first and count of each. */
static PetscInt OwnerOf(const PetscInt places[], PetscMPIInt processes, PetscInt line) {
    for (PetscMPIInt p = 0; p < processes; ++p)
        if (line >= places[2 * p] && line < places[2 * p] + places[2 * p + 1]) return p;
    return -1;
}

static PetscErrorCode HaloCreate(ClsolveLevels *levels, Level *level) {
    PetscInt place[2] = {level->first, level->count}, *places;
    const PetscInt ghosts[2] = {level->first - 1, level->first + level->count};
    PetscFunctionBegin;
    PetscCall(PetscMalloc1(2 * (size_t)levels->processes, &places));
    PetscCallMPI(MPI_Allgather(place, 2, MPIU_INT, places, 2, MPIU_INT, levels->comm));
    for (int colour = 0; colour < 2; ++colour) {
        PetscInt leaves = 0, leaf[2];
        PetscSFNode root[2];
        for (int g = 0; g < 2 && level->count > 0; ++g) {
            if (ghosts[g] < 0 || ghosts[g] >= level->all || ghosts[g] % 2 != colour) continue;
            leaf[leaves] = g;
            root[leaves].rank = OwnerOf(places, levels->processes, ghosts[g]);
            root[leaves++].index = 1 - g;
        }
        PetscCall(PetscSFCreate(levels->comm, &level->halo[colour]));
        PetscCall(PetscSFSetGraph(level->halo[colour], 2, leaves, leaf, PETSC_COPY_VALUES, root, PETSC_COPY_VALUES));
        PetscCall(PetscSFSetUp(level->halo[colour]));
    }
    PetscCall(PetscFree(places));
    PetscFunctionReturn(0);
}

/* The number of the line at an end, or of the ghost line there, if it is of the colour and a neighbour is there; else
 * -1. */
static PetscInt LineAt(const Level *level, int end, PetscInt ghost, int colour) {
    const PetscInt line = end ? level->first + level->count - 1 : level->first, beside = end ? line + 1 : line - 1;
    const PetscInt wanted = ghost ? beside : line;
    if (level->count == 0 || beside < 0 || beside >= level->all || wanted % 2 != colour) return -1;
    return wanted;
}

static PetscErrorCode HaloSend(ClsolveLevels *levels, Level *level, int colour) {
    PetscFunctionBegin;
    PetscCall(PetscSFBcastBegin(level->halo[colour], levels->line, levels->ends, levels->ghosts, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(level->halo[colour], levels->line, levels->ends, levels->ghosts, MPI_REPLACE));
    PetscFunctionReturn(0);
}

/* The ghost lines of Y of a colour. *status is the device's: the exchange itself is collective, so no process leaves
 * it. */
static PetscErrorCode HaloExchange(ClsolveLevels *levels, Level *level, int colour, clsolve_status *status) {
    PetscFunctionBegin;
    if (levels->processes == 1) PetscFunctionReturn(0);
    PetscCall(PetscLogEventBegin(clsolve_petsc_events.halo, levels->coarse, 0, 0, 0));
    for (int end = 0; end < 2; ++end) {
        const PetscInt line = LineAt(level, end, 0, colour);
        if (line >= 0 && *status == CLSOLVE_OK)
            *status =
                clsolve_grid_slab_get(level->slab, CLSOLVE_GRID_SLAB_Y, line, 1, levels->ends + end * levels->length);
    }
    PetscCall(HaloSend(levels, level, colour));
    for (int end = 0; end < 2; ++end) {
        const PetscInt line = LineAt(level, end, 1, colour);
        if (line >= 0 && *status == CLSOLVE_OK)
            *status =
                clsolve_grid_slab_put(level->slab, CLSOLVE_GRID_SLAB_Y, line, 1, levels->ghosts + end * levels->length);
    }
    PetscCall(PetscLogEventEnd(clsolve_petsc_events.halo, levels->coarse, 0, 0, 0));
    PetscFunctionReturn(0);
}

/* The ghost lines' coefficients, from what the processes that own these lines have at their ends. */
static PetscErrorCode HaloCoefficients(ClsolveLevels *levels, Level *level, clsolve_status *status) {
    const PetscInt length = levels->length;
    const size_t elements = 5 * (size_t)length;
    PetscScalar *of_ends[2], *of_ghosts[2];
    PetscFunctionBegin;
    if (levels->processes == 1) PetscFunctionReturn(0);
    PetscCall(
        PetscCalloc4(elements, &of_ends[0], elements, &of_ends[1], elements, &of_ghosts[0], elements, &of_ghosts[1]));
    for (int end = 0; end < 2 && level->count > 0; ++end) {
        PetscScalar *q = of_ends[end];
        const PetscInt line = end ? level->first + level->count - 1 : level->first;
        if (*status == CLSOLVE_OK)
            *status = clsolve_grid_slab_get_coefficients(level->slab, line, 1, q, q + length, q + 2 * length,
                                                         q + 3 * length, q + 4 * length);
    }
    for (int q = 0; q < 5; ++q) {
        for (int end = 0; end < 2; ++end)
            PetscCall(PetscArraycpy(levels->ends + end * length, of_ends[end] + q * length, length));
        for (int colour = 0; colour < 2; ++colour) PetscCall(HaloSend(levels, level, colour));
        for (int end = 0; end < 2; ++end)
            PetscCall(PetscArraycpy(of_ghosts[end] + q * length, levels->ghosts + end * length, length));
    }
    for (int end = 0; end < 2; ++end) {
        const PetscScalar *q = of_ghosts[end];
        const PetscInt line = PetscMax(LineAt(level, end, 1, 0), LineAt(level, end, 1, 1));
        if (line >= 0 && *status == CLSOLVE_OK)
            *status = clsolve_grid_slab_put_coefficients(level->slab, line, 1, q, q + length, q + 2 * length,
                                                         q + 3 * length, q + 4 * length);
    }
    PetscCall(PetscFree4(of_ends[0], of_ends[1], of_ghosts[0], of_ghosts[1]));
    PetscFunctionReturn(0);
}

/* ---- setting up ---- */

/* The five coefficients of this process's rows, or *others: entries that are none of them. */
static PetscErrorCode MatrixRead(const ClsolveLevel *fine, double *const q[5], PetscInt *others) {
    const PetscInt length = fine->length;
    PetscFunctionBegin;
    for (PetscInt r = 0; r < fine->count * length; ++r) {
        const PetscInt row = fine->first * length + r, line = row / length, k = row % length;
        const PetscInt *columns;
        const PetscScalar *values;
        PetscInt entries;
        PetscCall(MatGetRow(fine->A, row, &entries, &columns, &values));
        for (PetscInt e = 0; e < entries; ++e) {
            const PetscInt across = columns[e] / length - line, along = columns[e] % length - k;
            if (along == 0 && across >= -1 && across <= 1)
                q[across < 0 ? UP : across > 0 ? DOWN : 2][r] += values[e];
            else if (across == 0 && (along == -1 || along == 1))
                q[along < 0 ? 1 : 3][r] += values[e];
            else
                *others += values[e] != 0.0;
        }
        PetscCall(MatRestoreRow(fine->A, row, &entries, &columns, &values));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode FinestCreate(ClsolveLevels *levels, const ClsolveLevel *fine, PetscInt *others,
                                   clsolve_status *status) {
    const PetscInt rows = fine->count * fine->length;
    Level *level = &levels->level[0];
    double *q[5];
    PetscFunctionBegin;
    level->first = fine->first;
    level->count = fine->count;
    level->all = fine->all;
    PetscCall(PetscCalloc5(rows, &q[0], rows, &q[1], rows, &q[2], rows, &q[3], rows, &q[4]));
    PetscCall(MatrixRead(fine, q, others));
    if (*others == 0)
        *status = clsolve_grid_slab_create(levels->context, level->all, levels->length, level->first, level->count,
                                           CLSOLVE_F64, &level->slab);
    if (*others == 0 && *status == CLSOLVE_OK)
        *status =
            clsolve_grid_slab_put_coefficients(level->slab, level->first, level->count, q[0], q[1], q[2], q[3], q[4]);
    PetscCall(PetscFree5(q[0], q[1], q[2], q[3], q[4]));
    PetscFunctionReturn(0);
}

/* Sums up the outcome of factor over the processes: can the device have this level; processes with NaN or Inf;
 * errors. */
static PetscErrorCode LevelFactor(ClsolveLevels *levels, Level *level, clsolve_status status, PetscInt others,
                                  PetscBool *taken, PetscInt *singular, PetscInt *symmetric) {
    PetscInt counts[3] = {0, 0, 0}, all[3];
    int32_t here = 1;
    char message[CLSOLVE_PETSC_TEXT] = "";
    PetscFunctionBegin;
    if (others == 0 && status == CLSOLVE_OK) status = clsolve_grid_slab_factor(level->slab, &here);
    counts[0] = others > 0 || status == CLSOLVE_ERROR_UNSUPPORTED;
    counts[1] = status == CLSOLVE_ERROR_NONFINITE;
    counts[2] = !here;
    if (counts[0] || counts[1]) status = CLSOLVE_OK;
    if (status != CLSOLVE_OK) ClsolveMessage(levels->context, status, message);
    PetscCall(ClsolveAgree(levels->comm, status, message));
    PetscCallMPI(MPI_Allreduce(counts, all, 3, MPIU_INT, MPI_SUM, levels->comm));
    *taken = all[0] == 0 ? PETSC_TRUE : PETSC_FALSE;
    *singular += all[1];
    *symmetric = all[2] == 0;
    PetscFunctionReturn(0);
}

/* The coarsest level as a matrix of PETSc. */
static PetscErrorCode CoarsestMatrix(ClsolveLevels *levels, Mat *A) {
    const Level *level = &levels->level[levels->levels - 1];
    const PetscInt length = levels->length, rows = level->count * length;
    const PetscInt steps[5] = {-length, -1, 0, 1, length};
    double *q[5];
    clsolve_status status;
    char message[CLSOLVE_PETSC_TEXT] = "";
    PetscFunctionBegin;
    PetscCall(PetscCalloc5(rows, &q[0], rows, &q[1], rows, &q[2], rows, &q[3], rows, &q[4]));
    status = clsolve_grid_slab_get_coefficients(level->slab, level->first, level->count, q[0], q[1], q[2], q[3], q[4]);
    if (status != CLSOLVE_OK) ClsolveMessage(levels->context, status, message);
    PetscCall(ClsolveAgree(levels->comm, status, message));
    PetscCall(MatCreateAIJ(levels->comm, rows, rows, level->all * length, level->all * length, 5, NULL, 2, NULL, A));
    for (PetscInt r = 0; r < rows; ++r) {
        const PetscInt row = level->first * length + r, k = row % length;
        const PetscBool there[5] = {row >= length, k > 0, PETSC_TRUE, k + 1 < length,
                                    row + length < level->all * length};
        for (int s = 0; s < 5; ++s) {
            const PetscInt column = row + steps[s];
            if (there[s]) PetscCall(MatSetValues(*A, 1, &row, 1, &column, &q[s][r], INSERT_VALUES));
        }
    }
    PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
    PetscCall(PetscFree5(q[0], q[1], q[2], q[3], q[4]));
    PetscCall(MatCreateVecs(*A, &levels->x, &levels->b));
    PetscFunctionReturn(0);
}

static PetscErrorCode LevelsAllocate(ClsolveLevels *levels) {
    PetscMPIInt length;
    PetscFunctionBegin;
    PetscCall(PetscMPIIntCast(levels->length, &length));
    PetscCallMPI(MPI_Comm_size(levels->comm, &levels->processes));
    PetscCallMPI(MPI_Type_contiguous(length, MPIU_SCALAR, &levels->line));
    PetscCallMPI(MPI_Type_commit(&levels->line));
    const size_t elements = 2 * (size_t)levels->length;
    PetscCall(PetscCalloc2(elements, &levels->ends, elements, &levels->ghosts));
    PetscFunctionReturn(0);
}

PetscErrorCode ClsolveLevelsCreate(clsolve_context *context, const ClsolveLevel *fine, PetscInt least, Mat *coarsest,
                                   ClsolveLevels **made, PetscInt *singular) {
    ClsolveLevels *levels;
    PetscBool taken = PETSC_FALSE;
    PetscInt others = 0, symmetric, ignored;
    clsolve_status status = CLSOLVE_OK;
    PetscFunctionBegin;
    *made = NULL;
    *coarsest = NULL;
    PetscCall(PetscNew(&levels));
    levels->context = context;
    levels->comm = PetscObjectComm((PetscObject)fine->A);
    levels->length = fine->length;
    levels->levels = 1;
    PetscCall(LevelsAllocate(levels));
    PetscCall(FinestCreate(levels, fine, &others, &status));
    for (Level *level = levels->level;; ++level) {
        PetscCall(HaloCreate(levels, level));
        if (others > 0) status = CLSOLVE_ERROR_UNSUPPORTED; /* there is no slab to exchange with */
        PetscCall(HaloCoefficients(levels, level, &status));
        PetscCall(LevelFactor(levels, level, status, others, &taken, singular,
                              level == levels->level ? &symmetric : &ignored));
        if (!taken || *singular || level->all <= least || levels->levels == LEVELS) break;
        status = clsolve_grid_slab_coarsen(level->slab, (int32_t)symmetric, &level[1].slab);
        level[1].first = level->first / 2;
        level[1].count = (level->first + level->count) / 2 - level[1].first;
        level[1].all = level->all / 2;
        ++levels->levels;
    }
    if (taken && !*singular) PetscCall(CoarsestMatrix(levels, coarsest));
    if (taken)
        *made = levels;
    else
        PetscCall(ClsolveLevelsDestroy(&levels));
    PetscFunctionReturn(0);
}

PetscErrorCode ClsolveLevelsDestroy(ClsolveLevels **pointer) {
    ClsolveLevels *levels = *pointer;
    PetscFunctionBegin;
    if (!levels) PetscFunctionReturn(0);
    for (PetscInt l = 0; l < levels->levels; ++l) {
        clsolve_grid_slab_destroy(levels->level[l].slab);
        PetscCall(PetscSFDestroy(&levels->level[l].halo[0]));
        PetscCall(PetscSFDestroy(&levels->level[l].halo[1]));
    }
    PetscCallMPI(MPI_Type_free(&levels->line));
    PetscCall(PetscFree2(levels->ends, levels->ghosts));
    PetscCall(KSPDestroy(&levels->coarse));
    PetscCall(VecDestroy(&levels->b));
    PetscCall(VecDestroy(&levels->x));
    PetscCall(PetscFree(levels));
    *pointer = NULL;
    PetscFunctionReturn(0);
}

PetscErrorCode ClsolveLevelsSolver(ClsolveLevels *levels, KSP coarse, PetscInt cycles, PetscInt smooth) {
    PetscFunctionBegin;
    PetscCall(PetscObjectReference((PetscObject)coarse));
    PetscCall(KSPDestroy(&levels->coarse));
    levels->coarse = coarse;
    levels->cycles = cycles;
    levels->smooth = smooth;
    PetscFunctionReturn(0);
}

/* ---- cycles ---- */

static PetscErrorCode HalfSweep(ClsolveLevels *levels, Level *level, int colour, int zero, clsolve_status *status) {
    PetscFunctionBegin;
    ++levels->half_sweeps;
    if (*status == CLSOLVE_OK) *status = clsolve_grid_slab_half_sweep(level->slab, colour, zero);
    PetscCall(HaloExchange(levels, level, colour, status));
    PetscCall(PetscLogFlops(5.0 * (PetscLogDouble)(level->count * levels->length)));
    PetscFunctionReturn(0);
}

static PetscErrorCode CoarsestSolve(ClsolveLevels *levels, PC pc, clsolve_status *status) {
    Level *level = &levels->level[levels->levels - 1];
    PetscScalar *values;
    PetscFunctionBegin;
    PetscCall(VecGetArray(levels->b, &values));
    if (*status == CLSOLVE_OK)
        *status = clsolve_grid_slab_get(level->slab, CLSOLVE_GRID_SLAB_F, level->first, level->count, values);
    PetscCall(VecRestoreArray(levels->b, &values));
    PetscCall(KSPSolve(levels->coarse, levels->b, levels->x));
    PetscCall(KSPCheckSolve(levels->coarse, pc, levels->x));
    PetscCall(VecGetArray(levels->x, &values));
    if (*status == CLSOLVE_OK)
        *status = clsolve_grid_slab_put(level->slab, CLSOLVE_GRID_SLAB_Y, level->first, level->count, values);
    PetscCall(VecRestoreArray(levels->x, &values));
    PetscFunctionReturn(0);
}

static PetscErrorCode Visit(ClsolveLevels *levels, PC pc, PetscInt number, int zero, clsolve_status *status) {
    Level *level = &levels->level[number], *coarse = level + 1;
    PetscFunctionBegin;
    if (number == levels->levels - 1) {
        PetscCall(CoarsestSolve(levels, pc, status));
        PetscFunctionReturn(0);
    }
    for (PetscInt s = 0; s < levels->smooth; ++s) {
        PetscCall(HalfSweep(levels, level, 1, zero && s == 0, status));
        PetscCall(HalfSweep(levels, level, 0, 0, status));
    }
    if (*status == CLSOLVE_OK) *status = clsolve_grid_slab_residual(level->slab);
    if (*status == CLSOLVE_OK) *status = clsolve_grid_slab_restrict(level->slab, coarse->slab);
    for (PetscInt c = 0; c < (number + 2 == levels->levels ? 1 : levels->cycles); ++c)
        PetscCall(Visit(levels, pc, number + 1, c == 0, status));
    if (*status == CLSOLVE_OK) *status = clsolve_grid_slab_prolong(level->slab, coarse->slab);
    PetscCall(HaloExchange(levels, level, 1, status));
    for (PetscInt s = 0; s < levels->smooth; ++s) {
        PetscCall(HalfSweep(levels, level, 0, 0, status));
        PetscCall(HalfSweep(levels, level, 1, 0, status));
    }
    PetscFunctionReturn(0);
}

PetscErrorCode ClsolveLevelsCycle(ClsolveLevels *levels, PC pc, Vec b, Vec y) {
    const Level *level = &levels->level[0];
    const PetscScalar *of_b;
    PetscScalar *of_y;
    clsolve_status status;
    PetscFunctionBegin;
    if (!levels->coarse) { /* NaN or Inf in the matrix */
        PetscCall(VecSet(y, (PetscScalar)INFINITY));
        PetscFunctionReturn(0);
    }
    PetscCall(PetscLogEventBegin(clsolve_petsc_events.multigrid_cycle, pc, b, y, 0));
    PetscCall(VecGetArrayRead(b, &of_b));
    status = clsolve_grid_slab_put(level->slab, CLSOLVE_GRID_SLAB_F, level->first, level->count, of_b);
    PetscCall(VecRestoreArrayRead(b, &of_b));
    PetscCall(Visit(levels, pc, 0, 1, &status));
    PetscCall(VecGetArray(y, &of_y));
    if (status == CLSOLVE_OK)
        status = clsolve_grid_slab_get(level->slab, CLSOLVE_GRID_SLAB_Y, level->first, level->count, of_y);
    for (PetscInt r = 0; status != CLSOLVE_OK && r < level->count * levels->length; ++r)
        of_y[r] = (PetscScalar)INFINITY;
    PetscCall(VecRestoreArray(y, &of_y));
    if (status != CLSOLVE_OK && !levels->failed) {
        char message[CLSOLVE_PETSC_TEXT];
        levels->failed = PETSC_TRUE;
        ClsolveMessage(levels->context, status, message);
        PetscCall(ClsolveSay(message));
    }
    if (levels->failed) PetscCall(PCSetFailedReason(pc, PC_SUBPC_ERROR)); /* KSP asks all processes when it meets Inf */
    PetscCall(PetscLogEventEnd(clsolve_petsc_events.multigrid_cycle, pc, b, y, 0));
    PetscFunctionReturn(0);
}

/* ---- what -ksp_view prints ---- */

PetscErrorCode ClsolveLevelsView(const ClsolveLevels *levels, PetscViewer viewer) {
    char device[CLSOLVE_PETSC_TEXT];
    long long memory = 0, up = 0, down = 0;
    PetscFunctionBegin;
    PetscCall(ClsolveContextDescribe(levels->context, device));
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "%" PetscInt_FMT " levels on the device, lines from the finest:", levels->levels));
    PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_FALSE));
    for (PetscInt l = 0; l < levels->levels; ++l)
        PetscCall(PetscViewerASCIIPrintf(viewer, " %" PetscInt_FMT, levels->level[l].all));
    PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
    PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_TRUE));
    PetscCall(PetscViewerASCIIPrintf(viewer, "cycle %s, sweeps before and after %" PetscInt_FMT "\n",
                                     levels->cycles > 1 ? "w" : "v", levels->smooth));
    for (PetscInt l = 0; l < levels->levels; ++l) {
        clsolve_report report;
        if (clsolve_grid_slab_report(levels->level[l].slab, &report) != CLSOLVE_OK) continue;
        memory += report.device_bytes;
        up += report.bytes_up;
        down += report.bytes_down;
    }
    PetscCall(PetscViewerASCIIPushSynchronized(viewer));
    PetscCall(PetscViewerASCIISynchronizedPrintf(
        viewer,
        "clsolve: device %s: lines %" PetscInt_FMT ", device memory %lld bytes, half-sweeps %" PetscInt_FMT
        ", bytes up %lld, bytes down %lld\n",
        device, levels->level[0].count, memory, levels->half_sweeps, up, down));
    PetscCall(PetscViewerFlush(viewer));
    PetscCall(PetscViewerASCIIPopSynchronized(viewer));
    if (levels->coarse) PetscCall(KSPView(levels->coarse, viewer));
    PetscFunctionReturn(0);
}

#endif
