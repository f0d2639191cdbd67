/* dense.h (private): a solver made from a dense matrix: its views go to the method's handle as they are. */
#ifndef CLS_SOLVE_DENSE_H
#define CLS_SOLVE_DENSE_H

#include "solve/solver.h"

clsolve_status cls_solver_dense_factor(clsolve_solver *solver, const clsolve_matrix *A);
clsolve_status cls_solver_dense_solve(clsolve_solver *solver, clsolve_op op, clsolve_matrix *B);
#endif
