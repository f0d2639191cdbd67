/*
 * register.c: the names of the plug-in enter PETSc's lists, by PetscClsolveRegister or by -dll_prepend.
 */
#include "plugin.h"

ClsolveEvents clsolve_petsc_events;

#if CLSOLVE_PETSC_OTHER_SCALARS

static PetscErrorCode FactorRefuse(Mat A, MatFactorType type, Mat *F) {
    (void)type;
    (void)F;
    SETERRQ(PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
            "clsolve solves real systems in double precision: take a build of PETSc with such scalars");
}

static PetscErrorCode PreconditionerRefuse(PC pc) {
    SETERRQ(PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
            "clsolve solves real systems in double precision: take a build of PETSc with such scalars");
}

static PetscErrorCode NamesRegister(void) {
    PetscFunctionBegin;
    PetscCall(MatSolverTypeRegister(MATSOLVERCLSOLVE, MATSEQAIJ, MAT_FACTOR_LU, FactorRefuse));
    PetscCall(MatSolverTypeRegister(MATSOLVERCLSOLVE, MATSEQDENSE, MAT_FACTOR_LU, FactorRefuse));
    PetscCall(PCRegister(PCCLSOLVEZEBRA, PreconditionerRefuse));
    PetscCall(PCRegister(PCCLSOLVEMG, PreconditionerRefuse));
    PetscFunctionReturn(0);
}

PetscErrorCode PCClsolveSetLineLength(PC pc, PetscInt length) {
    (void)pc;
    (void)length;
    return 0;
}

#else

static PetscErrorCode NamesRegister(void) {
    PetscFunctionBegin;
    PetscCall(ClsolveFactorRegister());
    PetscCall(PCRegister(PCCLSOLVEZEBRA, ClsolveZebraCreate));
    PetscCall(PCRegister(PCCLSOLVEMG, ClsolveMultigridCreate));
    PetscFunctionReturn(0);
}

PetscErrorCode PCClsolveSetLineLength(PC pc, PetscInt length) {
    PetscErrorCode (*function)(PC, PetscInt);
    PetscFunctionBegin;
    PetscCall(PetscObjectQueryFunction((PetscObject)pc, "PCClsolveSetLineLength_C", &function));
    if (function) PetscCall((*function)(pc, length));
    PetscFunctionReturn(0);
}

#endif

/* Names across a PetscFinalize and another PetscInitialize: PETSc empties its lists at its end. */
static PetscBool registered = PETSC_FALSE;

static PetscErrorCode Unregister(void) {
    registered = PETSC_FALSE;
    return 0;
}

PetscErrorCode PetscClsolveRegister(void) {
    PetscBool view = PETSC_FALSE;
    PetscFunctionBegin;
    if (registered) PetscFunctionReturn(0);
    registered = PETSC_TRUE;

    /* PETSc fills its lists when a package is first used, unless they have entries: then its own solvers never get in.
     * So its packages come first. */
    PetscCall(MatInitializePackage());
    PetscCall(PCInitializePackage());
    PetscCall(KSPInitializePackage());

    PetscCall(PetscRegisterFinalize(Unregister));
    PetscCall(ClsolveDeviceInitialize());
    PetscCall(PetscLogEventRegister("ClsolveSymbolic", MAT_CLASSID, &clsolve_petsc_events.symbolic));
    PetscCall(PetscLogEventRegister("ClsolveNumeric", MAT_CLASSID, &clsolve_petsc_events.numeric));
    PetscCall(PetscLogEventRegister("ClsolveSolve", MAT_CLASSID, &clsolve_petsc_events.solve));
    PetscCall(PetscLogEventRegister("ClsolveZebraSet", PC_CLASSID, &clsolve_petsc_events.zebra_setup));
    PetscCall(PetscLogEventRegister("ClsolveZebra", PC_CLASSID, &clsolve_petsc_events.zebra_sweep));
    PetscCall(PetscLogEventRegister("ClsolveMGSetUp", PC_CLASSID, &clsolve_petsc_events.multigrid_setup));
    PetscCall(PetscLogEventRegister("ClsolveMGCycle", PC_CLASSID, &clsolve_petsc_events.multigrid_cycle));
    PetscCall(PetscLogEventRegister("ClsolveHalo", PC_CLASSID, &clsolve_petsc_events.halo));
    PetscCall(NamesRegister());

    PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Options of clsolve", NULL);
    PetscCall(PetscOptionsBool("-clsolve_view", "Print which process takes which device", "PetscClsolveRegister", view,
                               &view, NULL));
    PetscOptionsEnd();
    if (view) PetscCall(ClsolveDeviceView());
    PetscFunctionReturn(0);
}

/* The name that PETSc makes of libpetscclsolve.so. */
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_petscclsolve(void);
PetscErrorCode PetscDLLibraryRegister_petscclsolve(void) {
    return PetscClsolveRegister();
}
