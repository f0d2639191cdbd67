/*
 * plugin.h: what the files of the plug-in share.
 */
#ifndef CLSOLVE_PETSC_PLUGIN_H
#define CLSOLVE_PETSC_PLUGIN_H

#include <petscclsolve.h>

#include <clsolve/clsolve.h>

#if defined(PETSC_USE_COMPLEX) || !defined(PETSC_USE_REAL_DOUBLE)
#define CLSOLVE_PETSC_OTHER_SCALARS 1 /* clsolve's double is not this build's PetscScalar */
#else
#define CLSOLVE_PETSC_OTHER_SCALARS 0
#endif

/* Two things that PETSc 3.23 declares in another way. A container's function of destruction has the parameter
 * CLSOLVE_PETSC_CONTAINED, in which its pointer is CLSOLVE_PETSC_POINTER. */
#if PETSC_VERSION_LT(3, 23, 0)
typedef PetscOptionItems *ClsolveOptionItems;
#define PetscContainerSetCtxDestroy PetscContainerSetUserDestroy
#define CLSOLVE_PETSC_CONTAINED     void *contained
#define CLSOLVE_PETSC_POINTER       contained
#else
typedef PetscOptionItems ClsolveOptionItems;
#define CLSOLVE_PETSC_CONTAINED void **contained
#define CLSOLVE_PETSC_POINTER   (*contained)
#endif

enum { CLSOLVE_PETSC_TEXT = 512, CLSOLVE_PETSC_SELECTOR = 128 };

/* The events of -log_view. */
typedef struct {
    PetscLogEvent symbolic, numeric, solve; /* the factorization */
    PetscLogEvent zebra_setup, zebra_sweep, multigrid_setup, multigrid_cycle, halo;
} ClsolveEvents;
extern ClsolveEvents clsolve_petsc_events;

/* ---- device.c ---- */

/* Each process's number on its node. Collective on PETSC_COMM_WORLD; to be called before the others. */
PetscErrorCode ClsolveDeviceInitialize(void);

/*
 * The context of the device that `selector` names for this process. The contexts of a process are shared by all that
 * names the same device, and last until PetscFinalize. A failure is no PETSc error: *status has it, and `message` says
 * why, so that processes can agree on it.
 */
PetscErrorCode ClsolveContextGet(const char selector[], clsolve_context **context, clsolve_status *status,
                                 char message[CLSOLVE_PETSC_TEXT]);
PetscErrorCode ClsolveContextRestore(clsolve_context **context);

/* "cuda:1, NVIDIA H100, of process 1 on its node" */
PetscErrorCode ClsolveContextDescribe(clsolve_context *context, char text[CLSOLVE_PETSC_TEXT]);

/* The help text of the options -..._device. */
#define CLSOLVE_PETSC_DEVICE_HELP                                                                                      \
    "Device: auto, gpu, cpu, cuda or opencl (a process takes that of its number on the node), opencl:1, host"

/* -clsolve_view: which process takes which device. */
PetscErrorCode ClsolveDeviceView(void);

/* ---- failure.c ---- */

/* The PETSc error code that suits a status. */
PetscErrorCode ClsolveErrorCode(clsolve_status status);

/* The message of the context's last call, else the status's text. */
void ClsolveMessage(clsolve_context *context, clsolve_status status, char message[CLSOLVE_PETSC_TEXT]);

/* One line on this process's standard error: for failures that PETSc can pass on to others only as a failed solve. */
PetscErrorCode ClsolveSay(const char message[]);

/* Collective: if `status` is an error on a process, all of them return the same error with that process's message. */
PetscErrorCode ClsolveAgree(MPI_Comm comm, clsolve_status status, const char message[]);

/* ---- lines.c ---- */

/* The lines of a grid that this process has. */
typedef struct {
    PetscInt length;   /* unknowns of a line */
    PetscInt count;    /* lines of this process */
    PetscInt first;    /* number of its first line in the whole grid; -1: lines have no order (three dimensions) */
    PetscInt all;      /* lines of the whole grid */
    PetscInt *index;   /* local row of unknown k of line i: index[i * length + k] */
    PetscInt *colour;  /* of each line, 0 (red) or 1 (black), the same for any number of processes */
    const char *along; /* "x", "y", "z", or "rows" without a DMDA */
} ClsolveLines;

/* Collective. `length` is used without a DMDA; `along` is 'x', 'y', 'z', or 0: the first that is not divided. */
PetscErrorCode ClsolveLinesCreate(PC pc, Mat A, PetscInt length, char along, ClsolveLines *lines);
PetscErrorCode ClsolveLinesDestroy(ClsolveLines *lines);

/* ---- coarsen.c ---- */

/* A level's matrix, line after line, and the lines of this process. */
typedef struct {
    Mat A;
    PetscInt length, first, count, all;
} ClsolveLevel;

PetscErrorCode ClsolveLevelOf(Mat A, PetscInt length, ClsolveLevel *level);

/*
 * From a level to the next: P, the transpose of R (P itself for a matrix known to be symmetric), and R A P. *singular
 * grows by the red lines without an inverse. Collective; a failure is the same PETSc error on all processes.
 */
PetscErrorCode ClsolveCoarsen(clsolve_context *context, const ClsolveLevel *level, PetscBool symmetric, Mat *P, Mat *Rt,
                              Mat *coarse, PetscInt *singular);

/* ---- levels.c: levels on the device ---- */

typedef struct ClsolveLevels ClsolveLevels;

/*
 * The levels from `fine` down to `least` lines, and the matrix of the coarsest one. *levels is NULL where the device
 * cannot have them: other couplings than five points, lines that need row exchanges, no device. *singular grows by the
 * processes whose matrix has NaN or Inf; if there are any *coarsest is NULL. Collective; a failure is the same PETSc
 * error on all processes.
 */
PetscErrorCode ClsolveLevelsCreate(clsolve_context *context, const ClsolveLevel *fine, PetscInt least, Mat *coarsest,
                                   ClsolveLevels **levels, PetscInt *singular);
/* The solver of the coarsest level; visits of each coarser level (1: V, 2: W); sweeps before and after the
 * correction. */
PetscErrorCode ClsolveLevelsSolver(ClsolveLevels *levels, KSP coarse, PetscInt cycles, PetscInt smooth);
/* y = M^-1 b by one cycle. Failures are those of zebra.c: Inf on this process, and the reason in `pc`. */
PetscErrorCode ClsolveLevelsCycle(ClsolveLevels *levels, PC pc, Vec b, Vec y);
PetscErrorCode ClsolveLevelsView(const ClsolveLevels *levels, PetscViewer viewer);
PetscErrorCode ClsolveLevelsDestroy(ClsolveLevels **levels);

/* ---- factor.c, zebra.c, multigrid.c ---- */

PetscErrorCode ClsolveFactorRegister(void);
PetscErrorCode ClsolveZebraCreate(PC pc);
PetscErrorCode ClsolveZebraSetDevice(PC pc, const char selector[]); /* of a PCCLSOLVEZEBRA */
/* The colour that its sweeps begin with; `twin`: another one of the same matrix, whose lines it uses, or NULL. */
PetscErrorCode ClsolveZebraShare(PC pc, PC twin, PetscInt first);
PetscErrorCode ClsolveMultigridCreate(PC pc);

/* ---- shell.c: a PC type made of a PCSHELL by public calls ---- */

/*
 * Makes `pc`, whose type is being set, a shell of its own type `type`. `destroy` gives `data` back; `options` asks for
 * options, as a PC's SetFromOptions does. The caller sets the shell's operations (PCShellSetApply and others).
 */
typedef PetscErrorCode (*ClsolveShellDestroy)(void *data);
typedef PetscErrorCode (*ClsolveShellOptions)(PC pc, ClsolveOptionItems PetscOptionsObject);
PetscErrorCode ClsolveShellCreate(PC pc, const char type[], void *data, ClsolveShellDestroy destroy,
                                  ClsolveShellOptions options);
PetscErrorCode ClsolveShellGet(PC pc, void *data); /* data: address of a pointer */

#endif
