/*
 * multigrid.c: -pc_type clsolvemg, semicoarsening multigrid on slabs of whole lines.
 *
 * The levels are on the device of each process (levels.c) where the matrix has five points and no line needs row
 * exchanges. For other matrices a PCMG of PETSc does the cycles, and this file gives it levels. Coarse line J is line 2
 * J + 1 of the finer level, so that red lines (even numbers) lie between coarse ones. A process has the coarse lines
 * that it had as fine lines: no line moves, and a level needs of a neighbour one line at most. The weights are those of
 * block_gs.h, from the operator:
 *
 *     C w = -A e,  C w' = -B e          C, A, B: a red line's couplings within, to the line above, to the line below;
 *                                       e = (1, ..., 1); the batch of tridiagonal systems is solved on the device
 *     prolongation   P: a coarse line itself; on a red line w of the line above and w' of the line below
 *     restriction    R: the same of the transposed matrix
 *     coarse matrix  R A P
 *
 * S. Schaffer, A Semicoarsening Multigrid Method for Elliptic Partial Differential Equations with Highly Discontinuous
 * and Anisotropic Coefficients, SIAM J. Sci. Comput. 20 (1998), section 3. Unlike there and in block_gs.h, R A P is
 * used as it is, with nine points, because zebra.c takes any couplings between lines.
 *
 * Levels on the device have the coarse matrices of block_gs.h, with five points.
 *
 * The coarsest matrix is gathered: each process factors all of it (PCREDUNDANT).
 */
#include "plugin.h"

#if !CLSOLVE_PETSC_OTHER_SCALARS

enum { LEVELS = 32 };
enum { AUTO = 0, DEVICE = 1, PETSC = 2 }; /* where the levels are */

typedef struct {
    char device[CLSOLVE_PETSC_SELECTOR];
    PetscInt length;               /* of a line, for matrices without a DMDA; 0: not given */
    PetscInt coarse_lines;         /* coarsening ends at so many; 0: as many as processes, at least 3 */
    PetscInt where, cycle, smooth; /* of levels on the device: 0 V, 1 W; sweeps before and after */
    clsolve_context *context;
    ClsolveLevels *on_device; /* NULL: the levels are PETSc's */
    PC cycles;
    PetscInt levels, lines[LEVELS]; /* from the finest */
} Multigrid;

static PetscErrorCode MultigridDestroy(void *data) {
    Multigrid *multigrid = (Multigrid *)data;
    PetscFunctionBegin;
    PetscCall(PCDestroy(&multigrid->cycles));
    PetscCall(ClsolveLevelsDestroy(&multigrid->on_device));
    PetscCall(ClsolveContextRestore(&multigrid->context));
    PetscCall(PetscFree(multigrid));
    PetscFunctionReturn(0);
}

static PetscErrorCode MultigridOptions(PC pc, ClsolveOptionItems PetscOptionsObject) {
    static const char *const places[] = {"auto", "device", "petsc"}, *const cycles[] = {"v", "w"};
    Multigrid *multigrid;
    PetscFunctionBegin;
    PetscCall(ClsolveShellGet(pc, &multigrid));
    PetscOptionsHeadBegin(PetscOptionsObject, "Options of clsolve's multigrid");
    PetscCall(PetscOptionsString("-pc_clsolvemg_device", CLSOLVE_PETSC_DEVICE_HELP, "PCCLSOLVEMG", multigrid->device,
                                 multigrid->device, sizeof multigrid->device, NULL));
    PetscCall(PetscOptionsInt("-pc_clsolvemg_line_length", "Rows of a line, without a DMDA", "PCClsolveSetLineLength",
                              multigrid->length, &multigrid->length, NULL));
    PetscCall(PetscOptionsInt("-pc_clsolvemg_coarse_lines", "Coarsening ends at so many lines; 0: chosen",
                              "PCCLSOLVEMG", multigrid->coarse_lines, &multigrid->coarse_lines, NULL));
    PetscCheck(multigrid->coarse_lines >= 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
               "-pc_clsolvemg_coarse_lines is %" PetscInt_FMT ": 0 at least", multigrid->coarse_lines);
    PetscCall(PetscOptionsEList("-pc_clsolvemg_levels",
                                "Where the levels are; auto: on the device if the matrix has five points",
                                "PCCLSOLVEMG", places, 3, places[multigrid->where], &multigrid->where, NULL));
    PetscCall(PetscOptionsEList("-pc_clsolvemg_cycle", "Cycle of levels on the device", "PCCLSOLVEMG", cycles, 2,
                                cycles[multigrid->cycle], &multigrid->cycle, NULL));
    PetscCall(PetscOptionsInt("-pc_clsolvemg_smooth", "Sweeps before and after the correction, of levels on the device",
                              "PCCLSOLVEMG", multigrid->smooth, &multigrid->smooth, NULL));
    PetscCheck(multigrid->smooth > 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
               "-pc_clsolvemg_smooth is %" PetscInt_FMT ": 1 at least", multigrid->smooth);
    PetscOptionsHeadEnd();
    PetscFunctionReturn(0);
}

/* ---- the cycles ---- */

/*
 * Before the correction black lines are swept, then red ones; after it red lines, then black ones. So the residual that
 * is restricted is zero on red lines, and the red sweep that follows the correction is its interpolation. The cycle is
 * symmetric where the matrix is, as CG needs it. Both smoothers use the same lines.
 */
static PetscErrorCode SmootherSet(Multigrid *multigrid, PetscInt level, Mat A, PetscInt length) {
    KSP ksps[2];
    PC zebras[2];
    PetscFunctionBegin;
    PetscCall(PCMGGetSmootherDown(multigrid->cycles, level, &ksps[0]));
    PetscCall(PCMGGetSmootherUp(multigrid->cycles, level, &ksps[1]));
    for (int up = 0; up < 2; ++up) {
        PetscCall(KSPSetOperators(ksps[up], A, A));
        PetscCall(KSPSetType(ksps[up], KSPRICHARDSON));
        PetscCall(KSPSetNormType(ksps[up], KSP_NORM_NONE));
        PetscCall(KSPSetTolerances(ksps[up], PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, 1));
        PetscCall(KSPGetPC(ksps[up], &zebras[up]));
        PetscCall(PCSetType(zebras[up], PCCLSOLVEZEBRA));
        PetscCall(PCClsolveSetLineLength(zebras[up], length));
        PetscCall(ClsolveZebraSetDevice(zebras[up], multigrid->device));
        PetscCall(ClsolveZebraShare(zebras[up], up ? zebras[0] : NULL, up ? 0 : 1));
    }
    PetscFunctionReturn(0);
}

/* Each process factors the whole coarsest matrix by clsolve. */
static PetscErrorCode CoarseSet(KSP ksp, Mat A) {
    PC pc;
    PetscMPIInt processes;
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &processes));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(KSPSetType(ksp, KSPPREONLY));
    PetscCall(KSPGetPC(ksp, &pc));
    if (processes > 1) {
        PetscCall(PCSetType(pc, PCREDUNDANT));
        PetscCall(PCRedundantGetKSP(pc, &ksp));
        PetscCall(KSPSetType(ksp, KSPPREONLY));
        PetscCall(KSPGetPC(ksp, &pc));
    }
    PetscCall(PCSetType(pc, PCLU));
    PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERCLSOLVE));
    PetscFunctionReturn(0);
}

/* A singular matrix with a null space has a singular coarsest matrix. The shift makes it regular; it lets a multiple of
 * the null space in, which KSP takes out of the preconditioned residual. */
static PetscErrorCode CoarseShift(Mat fine, Mat coarse) {
    MatNullSpace kernel;
    PetscReal norm;
    PetscFunctionBegin;
    PetscCall(MatGetNullSpace(fine, &kernel));
    if (!kernel) PetscFunctionReturn(0);
    PetscCall(MatNorm(coarse, NORM_INFINITY, &norm));
    PetscCall(MatShift(coarse, 1e-10 * norm));
    PetscFunctionReturn(0);
}

static PetscErrorCode CyclesCreate(PC pc, Multigrid *multigrid, PetscInt levels) {
    const char *prefix;
    PetscFunctionBegin;
    PetscCall(PCDestroy(&multigrid->cycles));
    PetscCall(PCCreate(PetscObjectComm((PetscObject)pc), &multigrid->cycles));
    PetscCall(PetscObjectIncrementTabLevel((PetscObject)multigrid->cycles, (PetscObject)pc, 1));
    PetscCall(PCGetOptionsPrefix(pc, &prefix));
    PetscCall(PCSetOptionsPrefix(multigrid->cycles, prefix));
    PetscCall(PCAppendOptionsPrefix(multigrid->cycles, "clsolvemg_"));
    PetscCall(PCSetType(multigrid->cycles, PCMG));
    PetscCall(PCMGSetLevels(multigrid->cycles, levels, NULL));
    PetscCall(PCMGSetDistinctSmoothUp(multigrid->cycles));
    PetscCall(PCMGSetGalerkin(multigrid->cycles, PC_MG_GALERKIN_NONE));
    PetscFunctionReturn(0);
}

/* The lines of the finest level, one after the other in the order of the rows. */
static PetscErrorCode FineLines(PC pc, const Multigrid *multigrid, Mat A, PetscInt *length) {
    ClsolveLines lines;
    PetscBool ordered;
    PetscFunctionBegin;
    PetscCall(ClsolveLinesCreate(pc, A, multigrid->length, multigrid->length > 0 ? '\0' : 'x', &lines));
    ordered = lines.first >= 0 ? PETSC_TRUE : PETSC_FALSE;
    *length = lines.length;
    PetscCall(ClsolveLinesDestroy(&lines));
    PetscCheck(ordered, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
               "Semicoarsening is for grids of two dimensions; PCMG with -mg_levels_pc_type clsolvezebra takes three");
    PetscFunctionReturn(0);
}

/* Coarsening ends at so many lines: a process has one at least. */
static PetscErrorCode LeastLines(PC pc, const Multigrid *multigrid, PetscInt *least) {
    PetscMPIInt processes;
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)pc), &processes));
    *least = multigrid->coarse_lines > 0 ? multigrid->coarse_lines : PetscMax(3, processes);
    PetscFunctionReturn(0);
}

/* Levels on the device, or none where they cannot be there. */
static PetscErrorCode DeviceLevelsCreate(PC pc, Multigrid *multigrid, Mat A, PetscInt *singular) {
    const MPI_Comm comm = PetscObjectComm((PetscObject)pc);
    const char *prefix;
    ClsolveLevel fine;
    PetscInt length, least;
    Mat coarsest = NULL;
    KSP ksp;
    PetscFunctionBegin;
    PetscCall(ClsolveLevelsDestroy(&multigrid->on_device));
    if (multigrid->where == PETSC) PetscFunctionReturn(0);
    PetscCall(FineLines(pc, multigrid, A, &length));
    PetscCall(LeastLines(pc, multigrid, &least));
    PetscCall(ClsolveLevelOf(A, length, &fine));
    if (fine.all > least)
        PetscCall(ClsolveLevelsCreate(multigrid->context, &fine, least, &coarsest, &multigrid->on_device, singular));
    PetscCheck(multigrid->on_device || multigrid->where != DEVICE, comm, PETSC_ERR_SUP,
               "-pc_clsolvemg_levels device wants a device, more than %" PetscInt_FMT
               " lines, a matrix of five points, and lines that need no row exchanges",
               least);
    if (!coarsest) PetscFunctionReturn(0);
    PetscCall(CoarseShift(A, coarsest));
    PetscCall(KSPCreate(comm, &ksp));
    PetscCall(PetscObjectIncrementTabLevel((PetscObject)ksp, (PetscObject)pc, 1));
    PetscCall(PCGetOptionsPrefix(pc, &prefix));
    PetscCall(KSPSetOptionsPrefix(ksp, prefix));
    PetscCall(KSPAppendOptionsPrefix(ksp, "clsolvemg_mg_coarse_"));
    PetscCall(CoarseSet(ksp, coarsest));
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(KSPSetUp(ksp));
    PetscCall(ClsolveLevelsSolver(multigrid->on_device, ksp, multigrid->cycle + 1, multigrid->smooth));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(MatDestroy(&coarsest));
    PetscFunctionReturn(0);
}

static PetscErrorCode HierarchyCreate(PC pc, Multigrid *multigrid, Mat A, PetscInt *singular) {
    Mat matrices[LEVELS] = {A}, prolongations[LEVELS], restrictions[LEVELS];
    PetscInt length = 0, levels = 1, least;
    PetscBool known, symmetric;
    ClsolveLevel level;
    KSP coarse;
    PetscFunctionBegin;
    PetscCall(FineLines(pc, multigrid, A, &length));
    PetscCall(LeastLines(pc, multigrid, &least));
    PetscCall(MatIsSymmetricKnown(A, &known, &symmetric));
    symmetric = known && symmetric ? PETSC_TRUE : PETSC_FALSE;
    PetscCall(PetscObjectReference((PetscObject)A));
    for (;; ++levels) {
        PetscCall(ClsolveLevelOf(matrices[levels - 1], length, &level));
        multigrid->lines[levels - 1] = level.all;
        if (level.all <= least || levels == LEVELS) break;
        PetscCall(ClsolveCoarsen(multigrid->context, &level, symmetric, &prolongations[levels], &restrictions[levels],
                                 &matrices[levels], singular));
    }
    multigrid->levels = levels;
    if (levels > 1) PetscCall(CoarseShift(A, matrices[levels - 1]));

    PetscCall(CyclesCreate(pc, multigrid, levels));
    PetscCall(PCSetOperators(multigrid->cycles, A, A));
    for (PetscInt l = 1; l < levels; ++l) {
        PetscCall(PCMGSetInterpolation(multigrid->cycles, levels - l, prolongations[l]));
        PetscCall(PCMGSetRestriction(multigrid->cycles, levels - l, restrictions[l]));
        PetscCall(SmootherSet(multigrid, levels - l, matrices[l - 1], length));
        PetscCall(MatDestroy(&prolongations[l]));
        PetscCall(MatDestroy(&restrictions[l]));
    }
    PetscCall(PCMGGetCoarseSolve(multigrid->cycles, &coarse));
    PetscCall(CoarseSet(coarse, matrices[levels - 1]));
    for (PetscInt l = 0; l < levels; ++l) PetscCall(MatDestroy(&matrices[l]));
    PetscFunctionReturn(0);
}

static PetscErrorCode MultigridSetUp(PC pc) {
    Multigrid *multigrid;
    Mat A;
    PetscInt singular = 0;
    PCFailedReason reason;
    clsolve_status status = CLSOLVE_OK;
    char message[CLSOLVE_PETSC_TEXT] = "";
    PetscFunctionBegin;
    PetscCall(ClsolveShellGet(pc, &multigrid));
    PetscCall(PCGetOperators(pc, NULL, &A));
    PetscCall(PetscLogEventBegin(clsolve_petsc_events.multigrid_setup, pc, A, 0, 0));
    PetscCall(PCSetFailedReason(pc, PC_NOERROR)); /* of the matrix before */
    if (!multigrid->context) PetscCall(ClsolveContextGet(multigrid->device, &multigrid->context, &status, message));
    PetscCall(ClsolveAgree(PetscObjectComm((PetscObject)pc), status, message));
    PetscCall(DeviceLevelsCreate(pc, multigrid, A, &singular));
    if (!multigrid->on_device) PetscCall(HierarchyCreate(pc, multigrid, A, &singular));
    if (singular) {
        PetscCall(PetscInfo(pc, "%" PetscInt_FMT " lines are singular by themselves\n", singular));
        PetscCall(PCSetFailedReason(pc, PC_FACTOR_NUMERIC_ZEROPIVOT));
    } else if (!multigrid->on_device) {
        PetscCall(PCSetFromOptions(multigrid->cycles));
        PetscCall(PCSetUp(multigrid->cycles));
        PetscCall(PCGetFailedReason(multigrid->cycles, &reason));
        PetscCall(PCSetFailedReason(pc, reason));
    }
    PetscCall(PetscLogEventEnd(clsolve_petsc_events.multigrid_setup, pc, A, 0, 0));
    PetscFunctionReturn(0);
}

static PetscErrorCode MultigridApply(PC pc, Vec b, Vec y) {
    Multigrid *multigrid;
    PetscFunctionBegin;
    PetscCall(ClsolveShellGet(pc, &multigrid));
    if (multigrid->on_device)
        PetscCall(ClsolveLevelsCycle(multigrid->on_device, pc, b, y));
    else
        PetscCall(PCApply(multigrid->cycles, b, y));
    PetscFunctionReturn(0);
}

static PetscErrorCode MultigridView(PC pc, PetscViewer viewer) {
    Multigrid *multigrid;
    PetscBool ascii;
    PetscFunctionBegin;
    PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
    if (!ascii) PetscFunctionReturn(0);
    PetscCall(ClsolveShellGet(pc, &multigrid));
    if (multigrid->on_device) PetscCall(ClsolveLevelsView(multigrid->on_device, viewer));
    if (multigrid->on_device || !multigrid->cycles) PetscFunctionReturn(0);
    PetscCall(PetscViewerASCIIPrintf(viewer, "%" PetscInt_FMT " levels, lines from the finest:", multigrid->levels));
    PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_FALSE));
    for (PetscInt l = 0; l < multigrid->levels; ++l)
        PetscCall(PetscViewerASCIIPrintf(viewer, " %" PetscInt_FMT, multigrid->lines[l]));
    PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
    PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_TRUE));
    PetscCall(PCView(multigrid->cycles, viewer));
    PetscFunctionReturn(0);
}

static PetscErrorCode MultigridSetLineLength(PC pc, PetscInt length) {
    Multigrid *multigrid;
    PetscFunctionBegin;
    PetscCall(ClsolveShellGet(pc, &multigrid));
    multigrid->length = length;
    PetscFunctionReturn(0);
}

PetscErrorCode ClsolveMultigridCreate(PC pc) {
    Multigrid *multigrid;
    PetscFunctionBegin;
    PetscCall(PetscNew(&multigrid));
    PetscCall(PetscStrncpy(multigrid->device, "auto", sizeof multigrid->device));
    multigrid->smooth = 1;
    PetscCall(ClsolveShellCreate(pc, PCCLSOLVEMG, multigrid, MultigridDestroy, MultigridOptions));
    PetscCall(PCShellSetSetUp(pc, MultigridSetUp));
    PetscCall(PCShellSetApply(pc, MultigridApply));
    PetscCall(PCShellSetView(pc, MultigridView));
    PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCClsolveSetLineLength_C", MultigridSetLineLength));
    PetscFunctionReturn(0);
}

#endif
