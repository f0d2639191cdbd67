/*
 * substitute_system.h: the system op(L U) X = B that tests the kernel of substitute.h: L\U by columns, and B; and
 * whether X is the solution.
 */
#ifndef CLS_LU_SUBSTITUTE_SYSTEM_H
#define CLS_LU_SUBSTITUTE_SYSTEM_H

#include <clsolve/matrix.h>

enum { CLS_LU_SUBSTITUTE_ORDER = 24 };
void cls_lu_substitute_system(clsolve_type type, clsolve_op op, void *LU, void *B);
int cls_lu_substitute_right(clsolve_type type, const void *X);

#endif
