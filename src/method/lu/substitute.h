/*
 * substitute.h: op(L U) X = B for a few right-hand sides, by a kernel of its own (cl/substitute.cl), where the BLAS
 * provider does not work in the host's memory.
 */
#ifndef CLS_LU_SUBSTITUTE_H
#define CLS_LU_SUBSTITUTE_H

#include "method/lu/lu.h"

/* The kernel, where it is of use and right on this device. `later`: it is not expected to be needed, so it is compiled
 * by cls_lu_substitute_get. NVIDIA's OpenCL takes longest for it of all programs of dense LU. */
clsolve_status cls_lu_substitute_setup(cls_lu *lu, int later);
void cls_lu_substitute_release(cls_lu *lu);

/* So many right-hand sides are few, and the kernel is there, or will be with cls_lu_substitute_get. */
int cls_lu_substitutes(const cls_lu *lu, int64_t cols);
/* The kernel, if it is not there yet; after that cls_lu_substitutes says whether it is right. */
clsolve_status cls_lu_substitute_get(cls_lu *lu);

/* B (n x cols) = op(L U)^-1 B in place, rows not moved. Takes no memory. Enqueues. */
clsolve_status cls_lu_substitute(cls_lu *lu, clsolve_op op, int64_t cols, cls_ref B);

#endif
