/*
 * substitute.h: op(L U) X = B for a few right-hand sides, by a kernel of its own (cl/substitute.cl), where the BLAS
 * provider does not work in the host's memory.
 */
#ifndef CLS_LU_SUBSTITUTE_H
#define CLS_LU_SUBSTITUTE_H

#include "method/lu/lu.h"

/* The kernel, where it is of use and right on this device. */
clsolve_status cls_lu_substitute_setup(cls_lu *lu);
void cls_lu_substitute_release(cls_lu *lu);

/* So many right-hand sides are few, and the kernels are there. */
int cls_lu_substitutes(const cls_lu *lu, int64_t cols);

/* B (n x cols) = op(L U)^-1 B in place, rows not moved. Takes no memory. Enqueues. */
clsolve_status cls_lu_substitute(cls_lu *lu, clsolve_op op, int64_t cols, cls_ref B);

#endif
