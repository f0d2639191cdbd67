/*
 * sweep.h: op(L U) X = B for a few right-hand sides in two launches, of groups that wait for each other
 * (cl/lu_sweep.cl), on devices where a test has found that they run together.
 */
#ifndef CLS_LU_SWEEP_H
#define CLS_LU_SWEEP_H

#include "method/lu/lu.h"

/* The kernels, where they are of use and right on this device. After the matrix. */
clsolve_status cls_lu_sweep_setup(cls_lu *lu);
void cls_lu_sweep_release(cls_lu *lu);
/* After _setup: few right-hand sides will be solved so. While programs are announced: they are expected to be. */
int cls_lu_sweep_is_there(const cls_lu *lu);

/* Whether so many right-hand sides are solved for so. */
int cls_lu_sweeps(const cls_lu *lu, int64_t cols);
/* B (n x cols) = op(L U)^-1 B in place, rows not moved. Enqueues. */
clsolve_status cls_lu_sweep(cls_lu *lu, clsolve_op op, int64_t cols, cls_ref B);

/*
 * cls_sides.failed, of a cls_lu. Where groups have not met, the solution has elements that are no numbers: who finds
 * some asks, and waits. *again becomes 1 where that is why: the solution is none, and there will be no more sweeps on
 * this device. That happens once at most.
 */
clsolve_status cls_lu_sweep_failed(void *factors, int *again);

#endif
