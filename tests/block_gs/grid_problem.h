/* grid_problem.h: systems on a grid in double, plain sequential references for them, and their views in either type. */
#ifndef CLSOLVE_TEST_GRID_PROBLEM_H
#define CLSOLVE_TEST_GRID_PROBLEM_H

#include <clsolve/clsolve.h>

#include "support/test_support.h"

/* Point (i, k) at [i * M + k]. */
typedef struct grid_problem {
    int64_t N, M;
    double *up, *a, *c, *b, *down, *F;
} grid_problem;

/* What has no business in the coefficients, the couplings out of the grid, is NaN. */
grid_problem grid_hemodynamics_1(int64_t N, int64_t M);
grid_problem grid_hemodynamics_2(int64_t N, int64_t M);
grid_problem grid_random(int64_t N, int64_t M, uint64_t use); /* nonsymmetric, dominant */
/* -div(K grad), K >= 0 a cell, times `ratio` along the lines; Dirichlet, or with `closed` Neumann: singular. F random. */
grid_problem grid_diffusion(int64_t N, int64_t M, double ratio, const double *K, int closed, uint64_t use);
/* Couplings -1 - w and -1 + w across the lines, with v along them, and 4: complex eigenvalues where w or v pass 1. F random. */
grid_problem grid_drift(int64_t N, int64_t M, double w, double v, uint64_t use);
void grid_free(grid_problem *p);
#define scratch_grid SCRATCH_BY(grid_free) grid_problem

/* `sweeps` of the study's algorithm on Y: lines in sequence, or red ones then black ones. */
void grid_sweep(const grid_problem *p, int sequential, int64_t sweeps, double *Y);
/* Each new line Y + omega (solved - Y) instead. */
void grid_relax(const grid_problem *p, int sequential, int64_t sweeps, double omega, double *Y);
/* ||F - A Y||_2 / ||F||_2 */
double grid_residual(const grid_problem *p, const double *Y);
/* By LAPACK, for small ones. */
void grid_solve_dense(const grid_problem *p, double *Y);

/* The same problem on the device: coefficients set, in the type. Fails the test otherwise. */
clsolve_block_gs *grid_set(clsolve_context *context, const grid_problem *p, clsolve_type type,
                           const clsolve_block_gs_options *options);
/* Y, double on the host, through a solve in the type. */
clsolve_status grid_solve(clsolve_block_gs *handle, const grid_problem *p, clsolve_type type, double *Y);

#endif
