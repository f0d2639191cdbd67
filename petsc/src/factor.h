/*
 * factor.h: a factor of clsolve, for the files that make it.
 */
#ifndef CLSOLVE_PETSC_FACTOR_H
#define CLSOLVE_PETSC_FACTOR_H

#include "plugin.h"

typedef PetscErrorCode (*NumericFunction)(Mat, Mat, const MatFactorInfo *);

typedef struct {
    char device[CLSOLVE_PETSC_SELECTOR];
    clsolve_context *context;
    clsolve_solver *solver;
    clsolve_solver_options options;
    Mat D;                     /* factor.c says what for */
    NumericFunction numeric_D; /* PETSc's, which sets the error of F */
    PetscBool options_read, dense, cholesky, raise;
    PetscBool blocks; /* seqsbaij: one triangle, by blocks */
    PetscInt n, analyses, factorizations, solves;
    char failure[CLSOLVE_PETSC_TEXT]; /* why there are no factors; "": there are */
    clsolve_solve_report report;
} ClsolveFactor;

/* Takes the options from the database at the first call. */
PetscErrorCode ClsolveFactorOptions(Mat F, Mat A, ClsolveFactor *factor);

/* The findings of the analysis of a sparse method; 0: another method has factored, or none. */
int ClsolveFactorAnalysis(const ClsolveFactor *factor, clsolve_sparse_analysis *analysis);

/* Prints the lines of -ksp_view. */
PetscErrorCode ClsolveFactorPrint(const ClsolveFactor *factor, PetscViewer viewer);

#endif
