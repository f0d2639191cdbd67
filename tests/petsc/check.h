/* check.h: how the programs here count what is wrong: one line for each failure. */
#ifndef CLS_TEST_PETSC_CHECK_H
#define CLS_TEST_PETSC_CHECK_H

#include <petscsys.h>

extern int failures; /* the program's main has it */

#define CHECK(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            ++failures;                                                                                                \
            (void)PetscPrintf(PETSC_COMM_SELF, "FAILED, line %d: ", __LINE__);                                         \
            (void)PetscPrintf(PETSC_COMM_SELF, __VA_ARGS__);                                                           \
            (void)PetscPrintf(PETSC_COMM_SELF, "\n");                                                                  \
        }                                                                                                              \
    } while (0)

#endif
