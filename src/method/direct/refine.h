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
 * The backward error is normwise, in the 1-norm: e = ||b - op(A) x|| / (||op(A)|| ||x|| + ||b||). LAPACK's dsgesv
 * stops by f = ||b - op(A) x|| / (||op(A)|| ||x||) in the infinity norm, at sqrt(n) epsilon. A column has one of three
 * levels:
 *
 *     reached      e <= max(sqrt(n), 4) epsilon and f <= sqrt(n) epsilon / 2
 *     settled      the same e and f <= max(sqrt(n) / 2, 4) epsilon
 *     acceptable   e <= max(n, 10) epsilon
 *
 * Plain steps go on until all columns are `reached`, or until neither e nor f halves. Half of dsgesv's bound is left to
 * the rounding of a residual that someone else computes. In a few rows that rounding alone may keep f above its bound,
 * for n = 1 where no x has fl(a x) = b; `settled` allows for that. GMRES, and then better factors, are for columns that
 * are not settled. An acceptable answer stands where there are no better factors, or no memory for them. So rounding
 * never turns an answer into a failure.
 *
 * dsgesv takes up to 30 steps whatever they gain; a step that does not halve the error is the last here, because GMRES
 * takes over. dsgesv factors in double where its bound is not met, also where only rounding is in the way.
 *
 * All parts are kept with exponents of their own, because ||op(A)|| ||x|| may be no double though x is. Where
 * b - op(A) x itself is none, all of the column is made smaller for once. A first solution is never given up for
 * another one that is not better.
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
    int64_t n;     /* doubles in a column: of complex systems two an element, whose norms are then of |re| + |im| */
    int64_t order; /* elements in a column; 0: n */
    clsolve_op op;
    double norm;     /* of op(A), in the 1-norm, times CLS_NORM_SCALE: huge matrices have one too */
    double norm_inf; /* the same in the infinity norm */
    double epsilon;  /* unit roundoff of the solution's type */
    int single;      /* the solution is rounded to float */
    int gmres;       /* may be used */
    int working;     /* the solver is the one that an unrefined solve would take: what it cannot answer has no answer */
    int strict;  /* an answer counts only where it is settled: there is a better solver to go to at no cost in memory */
    double goal; /* 0: as above; else until ||b - op(A) x||_1 <= goal ||b||_1 and nothing more */
    int64_t basis; /* vectors of GMRES before it starts anew, and how often it may */
    int cycles;

    void *self;
    /* R = B - op(A) X (n x cols), B NULL: zeros. */
    clsolve_status (*residual)(void *self, clsolve_op op, int64_t cols, const double *X, const double *B, double *R);
    /* D, about op(A)^-1 R; D may be R. */
    clsolve_status (*precondition)(void *self, clsolve_op op, int64_t cols, const double *R, double *D);
} cls_refine;

typedef struct cls_refined {
    int converged;          /* every column is acceptable; with `strict` settled */
    int unsettled;          /* some column is not settled */
    int64_t iterations;     /* residuals computed after the first, those of GMRES too */
    int64_t gmres;          /* how many of them were GMRES's */
    int overflowed;         /* the answer of some column leaves the range of double: X holds Inf there */
    double backward_error;  /* the largest of all columns, at the end, NaN where it cannot be known; with a goal that of
                               ||b - op(A) x|| / ||b|| */
    int64_t history_length; /* backward errors after the first solution and after each step or cycle */
    double history[CLSOLVE_REPORT_HISTORY];
} cls_refined;

/* At most CLS_REFINE_COLUMNS columns: X from B. Results of several calls join in *result, which begins zeroed with
 * converged = 1. Whatever the outcome, X is the best found. */
clsolve_status cls_refine_solve(const cls_refine *problem, int64_t cols, const double *B, double *X,
                                cls_refined *result);

/* The same for op(A) X = B where the problem is of `unit` A, a power of two (cls_scaling_unit): each column of B is
 * brought to size 1, and X takes both numbers back. */
clsolve_status cls_refine_solve_scaled(const cls_refine *problem, double unit, int64_t cols, const double *B, double *X,
                                       cls_refined *result);

/* One cycle: for the columns that `open` marks X += D with op(A) D = R about solved. R and X are n x cols; *steps is
 * how many steps it took. In gmres.c. */
clsolve_status cls_gmres_cycle(const cls_refine *problem, int64_t cols, const int *open, const double *target,
                               const double *R, double *X, int64_t *steps);

/*
 * The reciprocal condition number with a solver that is not accurate enough to estimate it with. `plain` and
 * `transposed`: the problem with A and with A^T, of the same operators; norm1 = ||A||_1 times CLS_NORM_SCALE. *bound:
 * the solver did not get there, and *rcond is only known to be at most that, or -1.
 */
clsolve_status cls_refine_rcond(const cls_refine *plain, const cls_refine *transposed, double norm1, double *rcond,
                                int *bound);

#endif
