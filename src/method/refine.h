/*
 * refine.h: solutions of op(A) X = B made accurate with a solver that is not: iterative refinement, and where its steps
 * no longer gain, GMRES with that solver as its preconditioner.
 *
 *     X = M^-1 B;   repeat   R = B - op(A) X  in double,   X = X + M^-1 R
 *
 * Refinement converges while M^-1 A is nearer to I than 1, with factors in float up to a condition of about 1e7. Beyond
 * it, flexible GMRES on A D = R (Y. Saad, SIAM J. Sci. Comput. 14 (1993); M. Arioli and I. S. Duff, Using FGMRES to
 * obtain backward stability in mixed precision, ETNA 33 (2009); as a part of refinement: E. Carson and N. J. Higham,
 * SIAM J. Sci. Comput. 40 (2018)) sees the true residual, so a poor preconditioner costs steps and not accuracy.
 *
 * The backward error is normwise, in the 1-norm: ||b - op(A) x|| / (||op(A)|| ||x|| + ||b||). Its parts are kept with
 * exponents of their own, for ||op(A)|| ||x|| may be no double though x is; and where b - op(A) x itself is none, all of the
 * column is made smaller for once. A first solution is never given up for what is not better.
 *
 * Vectors are tight column-major doubles on the host; the matrices behind the two operators lie where they will.
 */
#ifndef CLS_REFINE_H
#define CLS_REFINE_H

#include <clsolve/matrix.h>
#include <clsolve/report.h>

#include "base/error.h"
#include "method/check.h"

enum { CLS_REFINE_COLUMNS = 16 }; /* the most that one call takes: a bound on the memory of a cycle of GMRES */

typedef struct cls_refine {
    cls_error *error;
    int64_t n;
    clsolve_op op;
    double norm;    /* of op(A), in the 1-norm, times CLS_NORM_SCALE: huge matrices have one too */
    double epsilon; /* unit roundoff of the solution's type */
    int single;     /* the solution is rounded to float */
    int gmres;      /* may be used */
    int working;    /* the solver is the one that an unrefined solve would take: what it cannot answer has no answer */
    int strict;     /* an answer counts only where refinement stops by itself, and not within LAPACK's bound: there is a
                       better solver to go to */
    double goal; /* 0: until the backward error is of the order of epsilon; else until ||b - op(A) x|| <= goal ||b|| */
    int64_t basis; /* vectors of GMRES before it starts anew, and how often it may */
    int cycles;

    void *self;
    /* R = B - op(A) X (n x cols), B NULL: zeros. */
    clsolve_status (*residual)(void *self, clsolve_op op, int64_t cols, const double *X, const double *B, double *R);
    /* D, about op(A)^-1 R; D may be R. */
    clsolve_status (*precondition)(void *self, clsolve_op op, int64_t cols, const double *R, double *D);
} cls_refine;

typedef struct cls_refined {
    int converged;          /* every column's backward error is of the order of epsilon */
    int64_t iterations;     /* residuals computed after the first, those of GMRES too */
    int64_t gmres;          /* how many of them were GMRES's */
    int overflowed;         /* the answer of some column leaves the range of double: X holds Inf there */
    double backward_error;  /* the largest of all columns, at the end, NaN where it cannot be known; with a goal that of
                               ||b - op(A) x|| / ||b|| */
    int64_t history_length; /* backward errors after the first solution and after each step or cycle */
    double history[CLSOLVE_HISTORY];
} cls_refined;

/* At most CLS_REFINE_COLUMNS columns: X from B. Results of several calls join in *result, which begins zeroed with
 * converged = 1. Whatever the outcome, X is the best found. */
clsolve_status cls_refine_solve(const cls_refine *problem, int64_t cols, const double *B, double *X,
                                cls_refined *result);

/* The same for op(A) X = B where the problem is of `unit` A, a power of two (cls_scaling_lift): each column of B is brought to size
 * 1, and X takes both numbers back. */
clsolve_status cls_refine_solve_lifted(const cls_refine *problem, double unit, int64_t cols, const double *B, double *X,
                                       cls_refined *result);

/* One cycle: for the columns that `open` marks X += D with op(A) D = R about solved. R and X are n x cols; *steps is
 * how many steps it took. In gmres.c. */
clsolve_status cls_gmres_cycle(const cls_refine *problem, int64_t cols, const int *open, const double *target,
                               const double *R, double *X, int64_t *steps);

/*
 * The reciprocal condition number with a solver that is not accurate enough to estimate it with. `plain` and `transposed`:
 * the problem with A and with A^T, of the same operators; norm1 = ||A||_1 times CLS_NORM_SCALE. *bound: the solver did not
 * get there, and *rcond is only known to be at most that, or -1.
 */
clsolve_status cls_refine_rcond(const cls_refine *plain, const cls_refine *transposed, double norm1, double *rcond,
                                int *bound);

#endif
