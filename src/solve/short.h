/*
 * short.h (private): the short way of clsolve_solve_csr: a narrow band that the host solves takes less time than a
 * solver takes to be made. It copies no pattern and makes no handle: the caller's entries go into the band, and the
 * backward error is measured with the caller's arrays.
 */
#ifndef CLS_SOLVE_SHORT_H
#define CLS_SOLVE_SHORT_H

#include <clsolve/solve.h>

/*
 * 1: B is X, within the backward error that AUTO promises, and `report` (all zeros before; NULL: not wanted) is
 * written.
 * 0: nothing has changed but `report`, which holds anything, and a solver is to be made: the system is not for the
 * short way, or something is wrong with it, which the solver finds and tells.
 */
int cls_short_way(clsolve_context *context, clsolve_op op, const clsolve_csr *A, clsolve_matrix *B,
                  const clsolve_solver_options *options, clsolve_solve_report *report);

#endif
