/*
 * block_gs.h: iterative solution of block-tridiagonal systems with tridiagonal blocks: any 5-point operator on a
 * grid.
 *
 * Example, given clsolve_context *context, int64_t N, int64_t M, double *coefs[5], double *f, double *y:
 *
 *     clsolve_block_gs *handle;
 *     clsolve_grid q[5], F = clsolve_grid_f64(N, M, f), Y = clsolve_grid_f64(N, M, y); // point (i,k): f[i * M + k]
 *     for (int j = 0; j < 5; j++) q[j] = clsolve_grid_f64(N, M, coefs[j]);             // up, a, c, b, down
 *     clsolve_status status = clsolve_block_gs_create(context, N, M, CLSOLVE_F64, NULL, &handle);
 *     if (status == CLSOLVE_OK) status = clsolve_block_gs_factor(handle, &q[0], &q[1], &q[2], &q[3], &q[4]);
 *     if (status == CLSOLVE_OK) status = clsolve_block_gs_solve(handle, &F, &Y, 1); // y: guess, then solution
 *     if (status != CLSOLVE_OK) puts(clsolve_context_message(context));
 *     clsolve_block_gs_destroy(handle);
 *
 * The system. The grid has N lines of M unknowns. Line i, i = 0 .. N-1, in the names of the papers below, is
 *
 *     A_i Y_{i-1} + C_i Y_i + B_i Y_{i+1} = F_i        C_i tridiagonal (a, c, b), A_i and B_i diagonal
 *
 * and its unknown k, k = 0 .. M-1, is
 *
 *     up(i,k) Y(i-1,k) + a(i,k) Y(i,k-1) + c(i,k) Y(i,k) + b(i,k) Y(i,k+1) + down(i,k) Y(i+1,k) = F(i,k)
 *
 *                       up                  The five coefficients of a point; lines run from left to right.
 *                        |
 *                   a -- c -- b
 *                        |
 *                      down
 *
 * All coefficients may vary, and the matrix need not be symmetric. Couplings that lead out of the grid are never used,
 * whatever they hold. They are a at k = 0, b at k = M-1, up at i = 0, and down at i = N-1.
 *
 * Transfers. The coefficients go up once, at factor. F and Y go up at each solve, and Y comes back. Arrays on the
 * device
 * do not cross to the host. During the iteration only a few words travel, because the device decides by itself when
 * to stop.
 *
 * Methods. One sweep solves every line for its unknowns: the even lines (red) first, then the odd lines (black). The
 * Thomas algorithm solves a line, with factors computed once. This is red-black block Gauss-Seidel, or "zebra".
 *
 *   MULTIGRID                 Every second line is a coarse line (semicoarsening). The sweep is the smoother on every
 *                             level. Weights depend on the operator, and the coarse operators have five points again.
 *   SOR                       omega is given, or estimated on the way. If the estimate was too large, omega is 1 again.
 *   CG, COCG,                 Krylov methods, with multigrid or sweeps as the preconditioner.
 *   BICGSTAB, FGMRES
 *
 * Sources of the methods:
 *
 *   MULTIGRID                 S. Schaffer, SIAM J. Sci. Comput. 20 (1998), section 3; J. E. Dendy et al., Multigrid
 *                             semi-coarsening, 1989. cl/bt_setup.cl has the formulas.
 *   SOR                       L. A. Hageman, D. M. Young, Applied Iterative Methods, 1981, chapter 9
 *   CG, BICGSTAB, FGMRES      Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., algorithms 9.1, 7.7, 9.6
 *   COCG                      H. A. van der Vorst, J. B. M. Melissen, IEEE Trans. Magn. 26 (1990)
 *
 * Complex coefficients. All methods take them; CG and COCG want a kind of symmetry:
 *
 *   matrix                                       method
 *   hermitian, A = A^H, positive definite        CG
 *   complex symmetric, A = A^T                   COCG: waves with losses (Helmholtz's equation with damping), eddy
 *                                                currents
 *   any other                                    BICGSTAB, FGMRES; MULTIGRID and sweeps where the diagonal dominates
 *
 * AUTO chooses so. Waves need losses: k^2 (1 + i loss) in the equation, where k is the wave number. Without them the
 * coarse grids of MULTIGRID have too few points for the waves that they carry. If AUTO fails, NOT_CONVERGED is
 * returned, and the LU of band.h solves the system.
 *
 * An iteration may not converge, above all for an indefinite matrix. The LU of band.h solves this system, with kl =
 * ku = M. If N is less than M, number the unknowns across the lines; then kl = ku = N.
 */
#ifndef CLSOLVE_BLOCK_GS_H
#define CLSOLVE_BLOCK_GS_H

#include <stdint.h>

#include <clsolve/context.h>
#include <clsolve/enqueue.h>
#include <clsolve/export.h>
#include <clsolve/factorization.h>
#include <clsolve/matrix.h>
#include <clsolve/report.h>
#include <clsolve/status.h>

typedef struct clsolve_block_gs clsolve_block_gs;

/*
 * A view of values on the grid in the caller's memory, on the host or on the device. Point (i, k) of right-hand side
 * r is
 *
 *     data[offset + i * line_stride + k * stride + r * rhs_stride]
 *
 * Strides and offset count elements. Each stride is at least 1. rhs_stride is used only with several right-hand sides.
 *
 * On the device, `data` is the caller's own buffer (clsolve_opencl_grid in clsolve/opencl.h) or address
 * (clsolve_cuda_grid in clsolve/cuda.h). The context must be made from the caller's own OpenCL or CUDA objects. The
 * values never cross to the host.
 */
typedef struct clsolve_grid {
    clsolve_type type;
    int64_t line_stride, stride, rhs_stride;
    void *data;
    clsolve_place place;
    int64_t offset; /* device: where point (0, 0) lies in the buffer, in elements; host: 0 */
} clsolve_grid;

/* Views on the host of line after line without gaps, one right-hand side after the other. */
static inline clsolve_grid clsolve_grid_f64(int64_t N, int64_t M, double *data) {
    clsolve_grid g = {CLSOLVE_F64, M, 1, N * M, data, CLSOLVE_ON_HOST, 0};
    return g;
}

static inline clsolve_grid clsolve_grid_f32(int64_t N, int64_t M, float *data) {
    clsolve_grid g = {CLSOLVE_F32, M, 1, N * M, data, CLSOLVE_ON_HOST, 0};
    return g;
}

/* The same of complex numbers: arrays of C's double _Complex and float _Complex, or of C++'s std::complex. */
static inline clsolve_grid clsolve_grid_c64(int64_t N, int64_t M, void *data) {
    clsolve_grid g = {CLSOLVE_C64, M, 1, N * M, data, CLSOLVE_ON_HOST, 0};
    return g;
}

static inline clsolve_grid clsolve_grid_c32(int64_t N, int64_t M, void *data) {
    clsolve_grid g = {CLSOLVE_C32, M, 1, N * M, data, CLSOLVE_ON_HOST, 0};
    return g;
}

typedef enum clsolve_block_gs_method {
    CLSOLVE_BLOCK_GS_AUTO = 0,         /* chosen by the matrix; other methods follow where one fails */
    CLSOLVE_BLOCK_GS_SWEEPS = 1,       /* exactly `sweeps` sweeps: no stop test, no mean subtracted */
    CLSOLVE_BLOCK_GS_GAUSS_SEIDEL = 2, /* sweeps to the tolerance */
    CLSOLVE_BLOCK_GS_SOR = 3,
    CLSOLVE_BLOCK_GS_MULTIGRID = 4,
    CLSOLVE_BLOCK_GS_CG = 5, /* for symmetric definite matrices only; complex ones are to be hermitian */
    CLSOLVE_BLOCK_GS_BICGSTAB = 6,
    CLSOLVE_BLOCK_GS_FGMRES = 7,
    CLSOLVE_BLOCK_GS_COCG = 8 /* for symmetric matrices, A = A^T, above all complex ones; they need not be definite */
} clsolve_block_gs_method;

typedef enum clsolve_block_gs_preconditioner {
    CLSOLVE_BLOCK_GS_PRECONDITIONER_AUTO = 0,      /* multigrid, or zebra where a line needs pivoting */
    CLSOLVE_BLOCK_GS_PRECONDITIONER_ZEBRA = 1,     /* a symmetric sweep: red, black, red */
    CLSOLVE_BLOCK_GS_PRECONDITIONER_MULTIGRID = 2, /* one cycle */
    CLSOLVE_BLOCK_GS_PRECONDITIONER_NONE = 3
} clsolve_block_gs_preconditioner;

/* The kind of multigrid cycle. V visits the next coarser level once, W twice, F once by an F and once by a V cycle. */
typedef enum clsolve_block_gs_cycle {
    CLSOLVE_BLOCK_GS_CYCLE_V = 0,
    CLSOLVE_BLOCK_GS_CYCLE_W = 1,
    CLSOLVE_BLOCK_GS_CYCLE_F = 2
} clsolve_block_gs_cycle;

/* All zeros are the defaults. */
typedef struct clsolve_block_gs_options {
    clsolve_block_gs_method method;
    clsolve_block_gs_preconditioner preconditioner; /* of the Krylov methods */
    clsolve_block_gs_cycle cycle;
    clsolve_pivoting pivoting;           /* of the lines: AUTO, PARTIAL or NONE (factorization.h) */
    int32_t smooth_before, smooth_after; /* sweeps before and after the correction in a multigrid cycle; 0: 1 */
    int64_t sweeps;                      /* number of sweeps of method SWEEPS, at most 10^7; 0: 1 */
    double tolerance;                    /* ||F - A Y||_2 <= tolerance ||F||_2; 0: 1e-10 in double, 1e-5 in float */
    /*
     * The largest number of iterations (sweeps, cycles or Krylov steps), at most 10^7. It bounds all methods together
     * that AUTO tries. 0: 10000 sweeps, 1000 Krylov steps or 100 cycles; AUTO has a limit for each method, 40 to 2000.
     */
    int64_t max_iterations;
    double omega;              /* of SOR, below 2; 0: estimated */
    int32_t sequential;        /* 1: sweeps take the lines in the order 0, 1, 2, ... with one launch a line */
    int32_t jacobi;            /* 1: each equation is first divided by its diagonal; residuals are of that system */
    int32_t single_precision;  /* 1: preconditioner in float for a Krylov method in double; AUTO may do so on a GPU */
    int32_t zero_guess;        /* 1: the guess is zero, and Y is not read */
    clsolve_progress progress; /* called during the solve (report.h); NULL: none */
    void *progress_user;       /* first argument of `progress` */
    int64_t reserved[8];       /* zeros */
} clsolve_block_gs_options;

CLSOLVE_BEGIN_DECLS

/*
 * Creates a handle for N lines of M unknowns: takes the device memory and builds the kernels. For a large grid in
 * double the first matrix that wants levels in double, or in float, brings their kernels.
 *
 *   N, M      at least 1
 *   type      of coefficients, F and Y: any clsolve_type, the complex ones too
 *   options   NULL: the defaults
 *   handle    out: the handle; NULL on failure
 *
 *   status                       when
 *   ERROR_INVALID_ARGUMENT       an argument or an option is out of range
 *   ERROR_UNSUPPORTED            the pivoting is of another family (factorization.h)
 *   ERROR_UNSUPPORTED            the type is in double, and the device has no double precision
 *   ERROR_OUT_OF_MEMORY          the host has no room
 *   ERROR_OUT_OF_DEVICE_MEMORY   the device has no room
 *   ERROR_BUILD                  a kernel did not build
 *   ERROR_DEVICE                 the driver failed
 */
CLSOLVE_API clsolve_status clsolve_block_gs_create(clsolve_context *context, int64_t N, int64_t M, clsolve_type type,
                                                   const clsolve_block_gs_options *options, clsolve_block_gs **handle);

/*
 * Takes the coefficients to the device, factors the lines, and makes the coarse levels there. The call may be repeated
 * with new values.
 *
 *   up, a, c, b, down   in: the five coefficient arrays; the values may be near either end of the type's range
 *
 *   status                   when
 *   SINGULAR                 the matrix of a line by itself is singular, even with pivoting; the report's member has
 *                            its number, counted from 1. The whole matrix may be regular: band.h solves it then.
 *                            With pivoting NONE a pivot is exactly zero, and the line may be regular too.
 *   SINGULAR                 option jacobi meets a zero on the diagonal
 *   OVERFLOW                 option jacobi leaves the type's range
 *   ERROR_INVALID_ARGUMENT   an array is not valid
 *   ERROR_NONFINITE          a coefficient that is used holds NaN or Inf
 */
CLSOLVE_API clsolve_status clsolve_block_gs_factor(clsolve_block_gs *handle, const clsolve_grid *up,
                                                   const clsolve_grid *a, const clsolve_grid *c, const clsolve_grid *b,
                                                   const clsolve_grid *down);

/*
 * Solves for `nrhs` right-hand sides, each by itself.
 *
 *   F         in: the right-hand sides; may be the same array as Y
 *   Y         in: the initial guess; out: the solution
 *   nrhs      at least 1
 *
 *   status                   when
 *   NOT_CONVERGED            some right-hand sides did not converge; the others are solved
 *   OVERFLOW                 a solution leaves the type's range; its Y is as it was. Returned before NOT_CONVERGED.
 *   ERROR_NONFINITE          F or Y holds NaN or Inf; all of Y is as it was
 *   ERROR_STATE              no factor has succeeded; all of Y is as it was
 *   ERROR_INVALID_ARGUMENT   an array is not valid
 *
 * A right-hand side that did not converge gets the best iterate that was kept, or zero if zero is better. The report
 * has the residual of this iterate, the number of these right-hand sides, and the first of them.
 *
 * A guess counts as zero if F is zero, or if its residual is 1e12 times F or more. The values may be near either end
 * of the type's range: they are scaled by powers of two. If memory or one launch cannot take all right-hand sides at
 * once, they are solved in portions; F and Y go up twice then. docs/block-gs.md has the details.
 */
CLSOLVE_API clsolve_status clsolve_block_gs_solve(clsolve_block_gs *handle, const clsolve_grid *F, clsolve_grid *Y,
                                                  int64_t nrhs);

/* The calls that enqueue, for arrays on the device, and the call that returns their outcome (enqueue.h). */
CLSOLVE_API clsolve_status clsolve_block_gs_factor_enqueue(clsolve_block_gs *handle, const clsolve_grid *up,
                                                           const clsolve_grid *a, const clsolve_grid *c,
                                                           const clsolve_grid *b, const clsolve_grid *down,
                                                           const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_block_gs_solve_enqueue(clsolve_block_gs *handle, const clsolve_grid *F,
                                                          clsolve_grid *Y, int64_t nrhs, const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_block_gs_status(clsolve_block_gs *handle);

/*
 * Writes into `report` how the last factorization and the last solve went (report.h). n is N M, `iterations` counts
 * complete cycles, sweeps or Krylov steps, and the part block_gs has the method, the history and what did not converge.
 */
CLSOLVE_API clsolve_status clsolve_block_gs_report(const clsolve_block_gs *handle, clsolve_report *report);

/* Releases the handle. `handle` may be NULL. */
CLSOLVE_API void clsolve_block_gs_destroy(clsolve_block_gs *handle);

CLSOLVE_END_DECLS

#endif
