/*
 * petscclsolve.h: libclsolve as a plug-in of PETSc.
 *
 * Any PETSc program takes it by an option, without being changed:
 *
 *     program -dll_prepend /where/it/lies/libpetscclsolve.so -pc_type lu -pc_factor_mat_solver_type clsolve
 *
 * A program of one's own links with it and registers it by one call:
 *
 *     PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
 *     PetscCall(PetscClsolveRegister());
 *
 * From then on these names work in PETSc's options and calls:
 *
 *   MATSOLVERCLSOLVE   LU of seqaij and seqdense matrices, and of their CUDA forms (through the host's memory)
 *   PCCLSOLVEZEBRA     line relaxation in two colours, on a DMDA or on lines of a given length
 *   PCCLSOLVEMG        semicoarsening multigrid with that smoother
 *
 * petsc/README.md lists the options; -help prints them.
 */
#ifndef PETSCCLSOLVE_H
#define PETSCCLSOLVE_H

#include <petscksp.h>

#define MATSOLVERCLSOLVE "clsolve"
#define PCCLSOLVEZEBRA   "clsolvezebra"
#define PCCLSOLVEMG      "clsolvemg"

/*
 * Registers all of it, after PetscInitialize. A second call does nothing. Collective on PETSC_COMM_WORLD, because each
 * process learns its number on its node, which is the number of its device.
 */
PETSC_EXTERN PetscErrorCode PetscClsolveRegister(void);

/*
 * The lines of a PCCLSOLVEZEBRA or PCCLSOLVEMG without a DMDA: each `length` rows of the matrix are a line, and a
 * process has whole lines. Other types ignore the call. The option -pc_clsolvezebra_line_length (or
 * -pc_clsolvemg_line_length) says the same.
 */
PETSC_EXTERN PetscErrorCode PCClsolveSetLineLength(PC pc, PetscInt length);

#endif
