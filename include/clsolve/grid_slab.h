/*
 * grid_slab.h: the steps of zebra and of semicoarsening multigrid on a slab of whole lines. It is for programs that
 * spread a grid over several devices or machines and send the messages themselves.
 *
 * The example sweeps over N lines of M unknowns once. Lines first .. first + count - 1 are here, and the grid goes on
 * at both ends.
 *
 * Example, given clsolve_context *context, int64_t N, int64_t M, int64_t first, int64_t count, const double *q[5],
 * const double *f, double *y, void (*exchange)(clsolve_grid_slab *slab, int colour):
 *
 *     clsolve_grid_slab *slab;
 *     clsolve_status status = clsolve_grid_slab_create(context, N, M, first, count, CLSOLVE_F64, &slab);
 *     if (status == CLSOLVE_OK) // up, a, c, b, down; both ghost lines among them
 *         status = clsolve_grid_slab_put_coefficients(slab, first - 1, count + 2, q[0], q[1], q[2], q[3], q[4]);
 *     if (status == CLSOLVE_OK) status = clsolve_grid_slab_factor(slab, NULL);
 *     if (status == CLSOLVE_OK) status = clsolve_grid_slab_put(slab, CLSOLVE_GRID_SLAB_F, first, count, f);
 *     for (int colour = 0; status == CLSOLVE_OK && colour < 2; colour++) {
 *         status = clsolve_grid_slab_half_sweep(slab, colour, 0);
 *         exchange(slab, colour); // gets lines at the ends, sends, receives, puts ghost lines
 *     }
 *     if (status == CLSOLVE_OK) status = clsolve_grid_slab_get(slab, CLSOLVE_GRID_SLAB_Y, first, count, y);
 *     if (status != CLSOLVE_OK) puts(clsolve_context_message(context));
 *     clsolve_grid_slab_destroy(slab);
 *
 * The equations and the names up, a, c, b, down are those of block_gs.h. The methods are those of its sweeps and of its
 * multigrid. Here they come step by step, so that messages fit between the steps.
 *
 *     line first - 1            ghost: a copy of the neighbour's last line
 *     line first                own
 *     ...                       own
 *     line first + count - 1    own
 *     line first + count        ghost: a copy of the neighbour's first line
 *
 * Lines are numbered in the whole grid, from 0 to N - 1. A slab at an end of the grid has no ghost line there. Even
 * lines are red (colour 0), odd lines are black (colour 1), whichever slab they are in.
 *
 * F, Y and R stay on the device. Between two steps only ghost lines cross. A half-sweep also changes the ghost lines of
 * its colour, to values without a meaning. So these have to be put again before a step reads them:
 *
 *   step                      reads ghost lines of Y
 *   half_sweep of a colour    of the other colour
 *   residual                  of both colours
 *   restrict, prolong         none
 *
 * A two-grid cycle from zero; in multigrid the coarse slab does the same with its own coarse slab:
 *
 *   step on the fine slab               why
 *   half_sweep of black, of red         smooths; afterwards the residual is zero on red lines
 *   residual, restrict                  black lines are the coarse lines, so their residual suffices
 *   Y of the coarse slab is computed
 *   prolong                             corrects black lines; the next half-sweep interpolates to red lines
 *   half_sweep of red, of black         smooths
 *
 * Coarse line J is line 2 J + 1 of the finer grid, and it is on the slab that has that line. docs/block-gs.md has the
 * coarse operator.
 *
 * Numbers are not scaled: coefficients near the ends of the type's range belong into block_gs.h. Lines are factored
 * without row exchanges. A context on the host alone has no slabs.
 */
#ifndef CLSOLVE_GRID_SLAB_H
#define CLSOLVE_GRID_SLAB_H

#include <stdint.h>

#include <clsolve/context.h>
#include <clsolve/export.h>
#include <clsolve/matrix.h>
#include <clsolve/report.h>
#include <clsolve/status.h>

typedef struct clsolve_grid_slab clsolve_grid_slab;

typedef enum clsolve_grid_slab_vector {
    CLSOLVE_GRID_SLAB_F = 0, /* right-hand side */
    CLSOLVE_GRID_SLAB_Y = 1, /* solution; zeros at first */
    CLSOLVE_GRID_SLAB_R = 2  /* residual */
} clsolve_grid_slab_vector;

CLSOLVE_BEGIN_DECLS

/*
 * Creates a slab: takes the device memory and builds the kernels.
 *
 *   N, M           lines of the whole grid, unknowns of a line; at least 1
 *   first, count   the slab's own lines; count may be 0: then all calls do nothing
 *   type           of coefficients and vectors: any clsolve_type, the complex ones too
 *   slab           out: the handle; NULL on failure
 *
 *   status                       when
 *   ERROR_INVALID_ARGUMENT       an argument is out of range
 *   ERROR_UNSUPPORTED            the device has no kernels, or no double precision for CLSOLVE_F64 and CLSOLVE_C64
 *   ERROR_OUT_OF_MEMORY          the host has no room
 *   ERROR_OUT_OF_DEVICE_MEMORY   the device has no room
 *   ERROR_BUILD, ERROR_DEVICE    a kernel did not build, or the driver failed
 */
CLSOLVE_API clsolve_status clsolve_grid_slab_create(clsolve_context *context, int64_t N, int64_t M, int64_t first,
                                                    int64_t count, clsolve_type type, clsolve_grid_slab **slab);

/*
 * Copies coefficients of lines line .. line + lines - 1 to the device, or to the host. Each array has lines * M
 * elements of the slab's type, line after line. The lines are own lines or ghost lines. All of them have to be put
 * before factor.
 *
 *   status                   when
 *   ERROR_INVALID_ARGUMENT   a line is neither an own line nor a ghost line, or an array is NULL
 */
CLSOLVE_API clsolve_status clsolve_grid_slab_put_coefficients(clsolve_grid_slab *slab, int64_t line, int64_t lines,
                                                              const void *up, const void *a, const void *c,
                                                              const void *b, const void *down);
CLSOLVE_API clsolve_status clsolve_grid_slab_get_coefficients(clsolve_grid_slab *slab, int64_t line, int64_t lines,
                                                              void *up, void *a, void *c, void *b, void *down);

/*
 * Factors the lines.
 *
 *   symmetric   out: what the matrix of these lines is, up to rounding; may be NULL:
 *
 *                 0   neither of these
 *                 1   symmetric, A = A^T
 *                 2   complex and hermitian, A = A^H
 *                 3   complex, and both: its coefficients are real
 *
 * The whole matrix is what all slabs are: the bitwise `and` of their numbers.
 *
 *   status              when
 *   ERROR_UNSUPPORTED   a line needs row exchanges, or it is singular by itself. The report's member is the number of
 *                       the first line with a zero pivot, from 1, or 0. tridiagonal_batch.h tells which it is.
 *   ERROR_NONFINITE     a coefficient is NaN or Inf
 */
CLSOLVE_API clsolve_status clsolve_grid_slab_factor(clsolve_grid_slab *slab, int32_t *symmetric);

/*
 * Creates the slab of the next coarser grid, of N / 2 lines, with the coefficients of its own lines. The coefficients
 * of its ghost lines come from the neighbours (get_coefficients, put_coefficients). Then it is factored.
 *
 *   symmetric   what the whole matrix is, as factor tells it, and the coarse matrix is to be; the same on all slabs
 *   coarse      out: the handle; NULL on failure
 *
 *   status                   when
 *   ERROR_STATE              no factor has succeeded
 *   ERROR_INVALID_ARGUMENT   the grid has one line
 */
CLSOLVE_API clsolve_status clsolve_grid_slab_coarsen(clsolve_grid_slab *slab, int32_t symmetric,
                                                     clsolve_grid_slab **coarse);

/*
 * Copies lines of a vector to the device, or to the host: lines * M elements, line after line. The host waits. Own
 * lines and ghost lines are taken; only those of Y have a meaning on ghost lines.
 */
CLSOLVE_API clsolve_status clsolve_grid_slab_put(clsolve_grid_slab *slab, clsolve_grid_slab_vector vector, int64_t line,
                                                 int64_t lines, const void *values);
CLSOLVE_API clsolve_status clsolve_grid_slab_get(clsolve_grid_slab *slab, clsolve_grid_slab_vector vector, int64_t line,
                                                 int64_t lines, void *values);

/*
 * The steps. They enqueue and do not wait.
 *
 *   half_sweep   solves each line of the colour for its unknowns; `zero` 1: all other lines count as zero
 *   residual     R = F - A Y
 *   restrict     F of the coarse slab becomes R on the lines that are coarse lines
 *   prolong      adds Y of the coarse slab to Y on these lines
 *
 *   status                   when
 *   ERROR_STATE              no factor has succeeded (half_sweep)
 *   ERROR_INVALID_ARGUMENT   colour is neither 0 nor 1; the slabs are not of one context, or not fine and coarse
 */
CLSOLVE_API clsolve_status clsolve_grid_slab_half_sweep(clsolve_grid_slab *slab, int32_t colour, int32_t zero);
CLSOLVE_API clsolve_status clsolve_grid_slab_residual(clsolve_grid_slab *slab);
CLSOLVE_API clsolve_status clsolve_grid_slab_restrict(clsolve_grid_slab *slab, clsolve_grid_slab *coarse);
CLSOLVE_API clsolve_status clsolve_grid_slab_prolong(clsolve_grid_slab *slab, const clsolve_grid_slab *coarse);

/* Writes into `report` the slab's memory, and the bytes and copies each way since it was created (report.h). */
CLSOLVE_API clsolve_status clsolve_grid_slab_report(const clsolve_grid_slab *slab, clsolve_report *report);

/* Releases the slab. `slab` may be NULL. */
CLSOLVE_API void clsolve_grid_slab_destroy(clsolve_grid_slab *slab);

CLSOLVE_END_DECLS

#endif
