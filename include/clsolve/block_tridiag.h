/*
 * block_tridiag.h: block-tridiagonal systems with tridiagonal blocks: any 5-point operator on a grid of N x M points.
 *
 * N lines of M unknowns. Line i, i = 0 .. N-1, and unknown k, k = 0 .. M-1, in the names of the papers below:
 *
 *     A_i Y_{i-1} + C_i Y_i + B_i Y_{i+1} = F_i        C_i tridiagonal (a, c, b), A_i and B_i diagonal:
 *
 *     up(i,k) Y(i-1,k) + a(i,k) Y(i,k-1) + c(i,k) Y(i,k) + b(i,k) Y(i,k+1) + down(i,k) Y(i+1,k) = F(i,k)
 *
 * All coefficients may vary and the matrix need not be symmetric. Couplings that lead out of the grid (a at k = 0, b at
 * k = M-1, up at i = 0, down at i = N-1) are never used, whatever they hold.
 *
 * Coefficients go up once, at set; F and Y at each solve, Y comes back (arrays on the device do not). In between only a
 * few words travel: the device decides by itself when to stop.
 *
 * Methods. One sweep solves every line for its unknowns, the even lines (red) first, then the odd ones (black), each line
 * by the Thomas algorithm with factors computed once (red-black block Gauss-Seidel, "zebra").
 *   Multigrid: every second line is a coarse line (semicoarsening), the sweep is the smoother on every level; weights
 *     depend on the operator (S. Schaffer, SIAM J. Sci. Comput. 20 (1998), section 3; J. E. Dendy et al., Multigrid
 *     semi-coarsening, 1989); the coarse operators have five points again (cl/bt_setup.cl has the formulas).
 *   SOR: omega given, or estimated on the way (L. A. Hageman, D. M. Young, Applied Iterative Methods, 1981, chapter 9),
 *     and 1 again where that was too large.
 *   CG, BiCGStab, FGMRES: Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., algorithms 9.1, 7.7, 9.6, with
 *     multigrid or sweeps as the preconditioner.
 */
#ifndef CLSOLVE_BLOCK_TRIDIAG_H
#define CLSOLVE_BLOCK_TRIDIAG_H

#include <stdint.h>

#include <clsolve/context.h>
#include <clsolve/export.h>
#include <clsolve/matrix.h>
#include <clsolve/report.h>
#include <clsolve/status.h>

typedef struct clsolve_block_tridiag clsolve_block_tridiag;

/*
 * Values on the grid in the caller's memory, on the host or on the device: point (i, k) of right-hand side r at
 *
 *     data[offset + i * line_stride + k * stride + r * rhs_stride]          in elements; strides are each at least 1
 *
 * rhs_stride is looked at only where there are several right-hand sides. On the device `data` is the caller's own
 * buffer (clsolve_opencl_grid in clsolve/opencl.h) or address (clsolve_cuda_grid in clsolve/cuda.h), on a context made of
 * the caller's own; what it holds never crosses to the host.
 */
typedef struct clsolve_grid {
    clsolve_type type;
    int64_t line_stride, stride, rhs_stride;
    void *data;
    clsolve_place place;
    int64_t offset; /* on the host: 0 */
} clsolve_grid;

/* Line after line without gaps, one right-hand side after the other. */
static inline clsolve_grid clsolve_grid_f64(int64_t N, int64_t M, double *data) {
    clsolve_grid g = {CLSOLVE_F64, M, 1, N * M, data, CLSOLVE_ON_HOST, 0};
    return g;
}

static inline clsolve_grid clsolve_grid_f32(int64_t N, int64_t M, float *data) {
    clsolve_grid g = {CLSOLVE_F32, M, 1, N * M, data, CLSOLVE_ON_HOST, 0};
    return g;
}

typedef enum clsolve_block_tridiag_method {
    CLSOLVE_BLOCK_TRIDIAG_AUTO = 0,
    CLSOLVE_BLOCK_TRIDIAG_SWEEPS = 1,       /* exactly `sweeps` sweeps: no stop test, no mean taken off */
    CLSOLVE_BLOCK_TRIDIAG_GAUSS_SEIDEL = 2, /* sweeps to the tolerance */
    CLSOLVE_BLOCK_TRIDIAG_SOR = 3,
    CLSOLVE_BLOCK_TRIDIAG_MULTIGRID = 4,
    CLSOLVE_BLOCK_TRIDIAG_CG = 5, /* for symmetric definite matrices only */
    CLSOLVE_BLOCK_TRIDIAG_BICGSTAB = 6,
    CLSOLVE_BLOCK_TRIDIAG_FGMRES = 7
} clsolve_block_tridiag_method;

typedef enum clsolve_preconditioner {
    CLSOLVE_PRECONDITIONER_AUTO = 0,  /* multigrid, or zebra where the lines want pivoting */
    CLSOLVE_PRECONDITIONER_ZEBRA = 1, /* a sweep forth and back: red, black, red */
    CLSOLVE_PRECONDITIONER_MULTIGRID = 2,
    CLSOLVE_PRECONDITIONER_NONE = 3
} clsolve_preconditioner;

typedef enum clsolve_cycle { CLSOLVE_CYCLE_V = 0, CLSOLVE_CYCLE_W = 1, CLSOLVE_CYCLE_F = 2 } clsolve_cycle;

typedef enum clsolve_line_factors {
    CLSOLVE_LINES_AUTO = 0,    /* pivoted where numbers grow in the elimination of some line, 1000 times the row */
    CLSOLVE_LINES_PIVOTED = 1, /* always */
    CLSOLVE_LINES_PLAIN = 2    /* never */
} clsolve_line_factors;

/* All zeros are the defaults. */
typedef struct clsolve_block_tridiag_options {
    clsolve_block_tridiag_method method;
    clsolve_preconditioner preconditioner; /* of the Krylov methods */
    clsolve_cycle cycle;
    clsolve_line_factors lines;
    int32_t smooth_before, smooth_after; /* sweeps of a multigrid cycle; 0: 1 */
    int64_t sweeps;                      /* of method SWEEPS; 0: 1 */
    double tolerance;                    /* ||F - A Y||_2 <= tolerance ||F||_2; 0: 1e-10 in double, 1e-5 in float */
    int64_t max_iterations; /* cycles, sweeps, Krylov steps, to 10^7, of all that AUTO tries together; 0: 10000 sweeps,
                                  1000 Krylov, 100 cycles, less of each that AUTO tries */
    double omega;           /* of SOR, between 0 and 2; 0: estimated */
    int32_t sequential;     /* 1: sweeps take the lines in their order 0, 1, 2, ... (one launch a line) */
    int32_t jacobi;         /* 1: each equation is divided by its diagonal first; residuals are of that system */
    int32_t single_precision;  /* 1: preconditioner in float inside a Krylov method in double; on a GPU AUTO does it */
    int32_t zero_guess;        /* 1: what Y holds is not read */
    clsolve_progress progress; /* NULL: none */
    void *progress_user;
} clsolve_block_tridiag_options;

/* What the last solve did. The texts are static; the history is the handle's, until the next solve. */
typedef struct clsolve_block_tridiag_result {
    clsolve_report report;    /* n = N M; iterations: complete cycles, sweeps or Krylov steps; seconds.factor: setup */
    const char *method;       /* what ran: "multigrid V(1,1)", "cg + multigrid" */
    const char *reason;       /* why: "asked for", "auto: symmetric M-matrix" */
    double relative_residual; /* ||F - A Y||_2 / ||F||_2 of what is handed back, the largest of all right-hand sides;
                                 -1: not measured, of tridiagonal systems */
    const double *history;    /* relative residuals as the stop tests had them, the largest of all right-hand sides;
                                 [0] of the initial guess; of several portions the last one's */
    int64_t history_count;
    double omega;      /* of SOR at the end; else 0 */
    int32_t symmetric; /* 1: the matrix is */
    int32_t singular;  /* 1: all row sums are zero: Y is known up to a constant; the guess counts without its mean, and
                          the solution with mean 0 is returned (not by method SWEEPS) */
    int32_t pivoted;   /* 1: line factors with row exchanges, for the matrix set last */
    int64_t levels;    /* of multigrid; 0: none set up */
    int64_t failed;    /* right-hand sides that did not converge */
    int64_t first_failed; /* the first of them, counted from 1; 0: none */
} clsolve_block_tridiag_result;

CLSOLVE_BEGIN_DECLS

/*
 * Takes the device memory for N lines of M unknowns (both at least 1) and builds the kernels. `options` may be NULL.
 * Errors: INVALID_ARGUMENT, UNSUPPORTED (double on a device without it), OUT_OF_MEMORY, OUT_OF_DEVICE_MEMORY,
 * BUILD, DEVICE. On failure *handle is NULL.
 */
CLSOLVE_API clsolve_status clsolve_block_tridiag_create(clsolve_context *context, int64_t N, int64_t M,
                                                        clsolve_type type, const clsolve_block_tridiag_options *options,
                                                        clsolve_block_tridiag **handle);

/*
 * The five coefficient arrays go up, the lines are factored and the coarse levels made, all on the device. The arrays are
 * only read, and may be near either end of the type's range. May be called again with new values. Errors: INVALID_ARGUMENT;
 * ERROR_NONFINITE for NaN or Inf in a coefficient that counts. SINGULAR where the matrix of a line by itself is singular, even
 * with pivoting (its number, counted from 1, in the report's info), which solving line by line cannot do with, or Jacobi
 * scaling meets a zero; OVERFLOW where that scaling leaves the range.
 */
CLSOLVE_API clsolve_status clsolve_block_tridiag_set(clsolve_block_tridiag *handle, const clsolve_grid *up,
                                                     const clsolve_grid *a, const clsolve_grid *c,
                                                     const clsolve_grid *b, const clsolve_grid *down);

/*
 * Solves for `nrhs` right-hand sides, any number of them, in portions where they are more than a launch or memory takes at once
 * (then F and Y go up twice). Y holds the initial guess and becomes the solution; a guess whose residual is 1e12 times F, and
 * any guess where F is zero, counts as zero. F and Y may be near either end of the type's range: they are scaled by powers
 * of two on the way. F and Y are of the handle's type and may be the same array.
 *
 * Each right-hand side fares by itself, and those that can be solved are. Returns OK; NOT_CONVERGED where some did not: these
 * have the iterate with the smallest residual of those that were kept, one a test where a test gains less than a digit and
 * else at least each fourth, or zero where that is better, the result tells that iterate's own residual, which right-hand side
 * was the first, and how many were; OVERFLOW where a solution leaves the type's range: that right-hand side's Y is as it was.
 * ERROR_NONFINITE for NaN or Inf in F or Y, ERROR_STATE before a successful set: then all of Y is as it was.
 *
 * What no iteration here converges on, indefinite matrices above all, the LU of clsolve/band.h solves, with kl = ku = M, or N if
 * that is less and the unknowns are numbered across the lines.
 */
CLSOLVE_API clsolve_status clsolve_block_tridiag_solve(clsolve_block_tridiag *handle, const clsolve_grid *F,
                                                       clsolve_grid *Y, int64_t nrhs);

CLSOLVE_API clsolve_status clsolve_block_tridiag_result_get(const clsolve_block_tridiag *handle,
                                                            clsolve_block_tridiag_result *result);

/* NULL is fine. */
CLSOLVE_API void clsolve_block_tridiag_destroy(clsolve_block_tridiag *handle);

/*
 * Many independent tridiagonal systems at once: system i, i = 0 .. N-1, of M unknowns:
 * a(i,k) y(i,k-1) + c(i,k) y(i,k) + b(i,k) y(i,k+1) = f(i,k). Factors and coefficients stay in the handle, so factor
 * once, solve again and again; `lines` says whether rows are exchanged. SINGULAR (set) with the first system, counted from
 * 1, in the report's info; OVERFLOW (solve) where a solution leaves the type's range, that right-hand side as it was.
 * Otherwise as the calls above; the result is read and the handle destroyed by them too. Set and solve of one kind are
 * INVALID_ARGUMENT with a handle of the other.
 */
CLSOLVE_API clsolve_status clsolve_tridiagonal_create(clsolve_context *context, int64_t N, int64_t M, clsolve_type type,
                                                      clsolve_line_factors lines, clsolve_block_tridiag **handle);
CLSOLVE_API clsolve_status clsolve_tridiagonal_set(clsolve_block_tridiag *handle, const clsolve_grid *a,
                                                   const clsolve_grid *c, const clsolve_grid *b);
/* F becomes Y in place. */
CLSOLVE_API clsolve_status clsolve_tridiagonal_solve(clsolve_block_tridiag *handle, clsolve_grid *F, int64_t nrhs);
/* All in one: set and solve. */
CLSOLVE_API clsolve_status clsolve_tridiagonal_solve_once(clsolve_context *context, int64_t N, int64_t M,
                                                          const clsolve_grid *a, const clsolve_grid *c,
                                                          const clsolve_grid *b, clsolve_grid *F, int64_t nrhs,
                                                          clsolve_line_factors lines);

CLSOLVE_END_DECLS

#endif
