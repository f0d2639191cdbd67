/* singular.h: systems of which a part is singular; see singular.c. Each process counts its failures (check.h). */
#ifndef CLS_TEST_PETSC_SINGULAR_H
#define CLS_TEST_PETSC_SINGULAR_H

#include <petscksp.h>

PetscErrorCode TestSingularLine(const char type[]);
PetscErrorCode TestSingularBlock(const char solver[]);

#endif
