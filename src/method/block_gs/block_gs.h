/*
 * block_gs.h: block-tridiagonal systems on the device. grid.h has the matrix and its levels.
 *
 *   hierarchy.c  the levels: their shape, memory, kernels
 *   setup.c      what kind of matrix it is, line factors, coarse operators
 *   sweep.c      launches: half sweeps, residuals, the multigrid cycle
 *   pack.c       the caller's arrays to vectors and back
 *   vector.c     sums, combinations, the stop test
 *   system.c     a whole system: its memory, and what of it is set up
 *   range.c      numbers brought into the middle of the type's range, and back
 *   choose.c     which method runs, and why
 *   solve.c      the loop around it
 *   stationary.c the methods that only sweep or cycle; preconditioners
 *   krylov.c     CG, COCG, BiCGStab, FGMRES
 *   members.c    lines that nothing couples: many tridiagonal systems (members.h)
 *
 * Nothing here waits for the device but what set-up finds out of the matrix, the packing of arrays on the host, the
 * largest elements of F and Y, and the stop test, which is read a few iterations behind.
 */
#ifndef CLS_BLOCK_GS_H
#define CLS_BLOCK_GS_H

#include <clsolve/block_gs.h>

#include "method/block_gs/grid.h"

/* ---- vector.c ---- */

/* A term of a combination: sign * scalar[index] * vector, or sign * vector where index is -1. */
typedef struct cls_bt_term {
    cls_bt_vector vector;
    int index;
    double sign;
} cls_bt_term;

/* One iteration's state on the device, for one right-hand side or several. */
typedef struct cls_bt_run {
    cls_bt_grid *grid;
    int64_t rhs;
    cls_buffer *scalars, *columns, *flags, *history, *control; /* cl/bt_vector.cl */
    int64_t capacity;                                          /* of the history */
    int plain; /* products of two vectors are x . y, else x . conj(y): for COCG */
} cls_bt_run;

clsolve_status cls_bt_run_create(cls_bt_grid *grid, int64_t rhs, int64_t capacity, cls_bt_run *run);
void cls_bt_run_release(cls_bt_run *run);
/* Begins: control to zero, history empty. */
clsolve_status cls_bt_run_start(cls_bt_run *run);
/* Goes on after an end, best and history kept. */
clsolve_status cls_bt_run_resume(cls_bt_run *run);

/* The names of cl/bt_vector.cl. */
enum { CLS_BT_ALPHA = 1, CLS_BT_BETA = 2, CLS_BT_OMEGA = 3, CLS_BT_BETA_OMEGA = 4, CLS_BT_SCALE = 5, CLS_BT_DOT = 6 };
enum { CLS_BT_G_Y = 32 + 3 * CLS_BT_RESTART + 1 };
enum {
    CLS_BT_CG_BETA = 0,
    CLS_BT_MAKE_ALPHA = 1,
    CLS_BT_BI_BETA = 2,
    CLS_BT_BI_OMEGA = 3,
    CLS_BT_G_START = 4,
    CLS_BT_G_DOT = 5,
    CLS_BT_G_COLUMN = 6,
    CLS_BT_G_SOLVE = 7,
    CLS_BT_MEAN = 8,
    CLS_BT_SUMS = 9
};

clsolve_status cls_bt_dots(cls_bt_run *run, cls_bt_vector x, cls_bt_vector y, cls_bt_vector u, cls_bt_vector v,
                           int64_t *groups);
clsolve_status cls_bt_combine(cls_bt_run *run, cls_bt_vector out, const cls_bt_term *terms, int count,
                              cls_buffer *control);
/* y += alpha p, r -= alpha q; the partial sums of r.r. */
clsolve_status cls_bt_advance(cls_bt_run *run, cls_bt_vector y, cls_bt_vector p, cls_bt_vector r, cls_bt_vector q,
                              int64_t *groups);
/* For CG with levels in float (cl/bt_convert.cl): x.wide; p = wide + beta p; cls_bt_advance that leaves r in narrow as
 * well. */
struct cls_bt;
clsolve_status cls_bt_dot_float(struct cls_bt *bt, cls_bt_vector x, int64_t *groups);
clsolve_status cls_bt_direction(struct cls_bt *bt, cls_bt_vector p);
clsolve_status cls_bt_advance_float(struct cls_bt *bt, cls_bt_vector p, cls_bt_vector r, cls_bt_vector q,
                                    int64_t *groups);
clsolve_status cls_bt_scalar(cls_bt_run *run, int64_t groups, int step, int i, int j, cls_buffer *control);

/* Modes of the stop test: see bt_judge in cl/bt_vector.cl. */
enum {
    CLS_BT_JUDGE_FIRST = 1,
    CLS_BT_JUDGE_KEEPS = 2,
    CLS_BT_JUDGE_IF_SLOW = 4,
    CLS_BT_JUDGE_AGAIN = 8,
    CLS_BT_JUDGE_KEPT = 16,
    CLS_BT_JUDGE_QUIET = 32,
    CLS_BT_JUDGE_REFERS = 64
};
/* groups 0: by the estimate among the scalars. */
clsolve_status cls_bt_judge(cls_bt_run *run, int64_t groups, double tolerance, int64_t patience, int mode);
/* Does what the last cls_bt_judge has flagged: columns kept; all others back from there; guesses that are worse than
 * zero. */
clsolve_status cls_bt_keep(cls_bt_run *run, cls_bt_vector Y, cls_bt_vector best);
clsolve_status cls_bt_restore(cls_bt_run *run, cls_bt_vector best, cls_bt_vector Y);
clsolve_status cls_bt_reset(cls_bt_run *run, cls_bt_vector Y);

/* The largest element of each right-hand side, -1 where there is NaN or Inf; with a y two numbers each, x's and y's.
 * Waits. */
clsolve_status cls_bt_measure(cls_bt_run *run, cls_bt_vector x, cls_bt_vector y, double *largest);
/* The relative residual of what is kept, and of the last test, of each right-hand side: wait. */
clsolve_status cls_bt_read_best(cls_bt_run *run, double *residuals);
clsolve_status cls_bt_read_last(cls_bt_run *run, double *residuals);
/* x = x 2^exponent, `length` words from `at` on. */
clsolve_status cls_bt_rescale(cls_bt_grid *grid, cls_buffer *x, int64_t at, int64_t length, int exponent);
/* Each right-hand side of x times y, element by element. */
clsolve_status cls_bt_times(cls_bt_run *run, cls_bt_vector x, cls_bt_vector y);

/* ---- system.c, solve.c, stationary.c, krylov.c ---- */

enum { CLS_BT_RUNS = 0, CLS_BT_CONVERGED = 1, CLS_BT_BROKEN = 2, CLS_BT_STALLED = 3 };

/* A whole system: what the public handle owns. */
typedef struct cls_bt {
    cls_device *device;
    clsolve_block_gs_options options; /* defaults filled in */
    cls_bt_grid grid, single;         /* single: the preconditioner in float, or with losses, where wanted */
    int has_single, has_levels;       /* has_levels: a matrix on which multigrid can be tried */
    int single_ready;                 /* the levels in float, or those with losses, are made */
    int damped;                       /* `single` has losses added; without has_single it is of the grid's own type */
    int use_single;                   /* by the method that runs now */
    int bits;                         /* of cls_bt_inspect */
    cls_buffer *scale;                /* 1 / diagonal, where Jacobi scaling is on */
    cls_buffer *narrow; /* kernels of bt_convert.cl work on these: the preconditioner's vectors in float */
    cls_buffer *wide;
    cls_kernel *to_float, *to_double, *dot_float, *direction, *advance_float;
    cls_bt_run run;
    int exponent;                               /* the matrix is the caller's times 2^-exponent */
    int64_t rhs;                                /* that the vectors below have room for */
    cls_bt_vector F, Y, best, ones;             /* ones: only of a singular system */
    cls_bt_vector work[2 * CLS_BT_RESTART + 4]; /* of Krylov methods */
    int works;

    /* of the solve that runs */
    cls_pinned *pinned; /* two looks' worth of control */
    int64_t *looks;
    clsolve_block_gs_preconditioner preconditioner;
    double tolerance;
    int64_t patience; /* tests without halving the residual that mean standstill; 0: never */
    int keep;         /* the next test keeps the iterate if it is the best, also where tests gain a digit each */

    char method[96], reason[128];
    int64_t iterations;
    int ended;                    /* why the last method did: CLS_BT_RUNS at its limit */
    double residual, omega;       /* the largest of all columns */
    int64_t columns;              /* that the next three have room for */
    double *residuals;            /* of each */
    double *sizes;                /* its largest elements, twice */
    int *shifts;                  /* F of the column is the caller's times 2^-shift */
    int64_t failed, first_failed; /* columns that did not converge; the first, counted from 1, or 0 */
    int64_t omega_changed;        /* tests there were when it last was; INT64_MAX: it is not any more */
    double omega_mark;            /* the residual that is to halve under a raised omega ... */
    int64_t omega_marked;         /* ... as it was after so many tests */
    double *history;
    int64_t history_count, history_room;
} cls_bt;

clsolve_status cls_bt_setup(cls_device *device, int64_t N, int64_t M, clsolve_type type,
                            const clsolve_block_gs_options *options, cls_bt *bt);
/* The kernels that some matrix may want: a handle gets those of levels with the first matrix that wants them. */
clsolve_status cls_bt_build_all(cls_bt *bt);
void cls_bt_release(cls_bt *bt);
/* The coefficients are in the grid: inspect, factor, coarsen. *line: the singular line, or -1. */
clsolve_status cls_bt_prepare(cls_bt *bt, int64_t *line);
/*
 * The factors of the lines, with row exchanges where the options or a line want them. *line: the first singular line,
 * or -1. infos, NULL or one for each line: the row of the line's first pivot that is zero, from 1, or 0.
 */
clsolve_status cls_bt_factor_lines(cls_bt *bt, int64_t *line, int32_t *infos);
/* Enqueues bt->to_float or bt->to_double. */
clsolve_status cls_bt_convert(cls_bt *bt, cls_kernel *kernel, cls_buffer *from, cls_buffer *to, int64_t elements);
/* Room for `rhs` right-hand sides; bt->rhs says for how many there is. */
clsolve_status cls_bt_reserve(cls_bt *bt, int64_t rhs);
clsolve_status cls_bt_reserve_works(cls_bt *bt, int works);
/* The levels in the system's own type, with room for the right-hand sides, where there are none yet. */
clsolve_status cls_bt_make_levels(cls_bt *bt);
/* The symmetry that cls_bt_inspect has found. */
cls_bt_symmetry cls_bt_symmetry_of(const cls_bt *bt);
/* Is the matrix, as far as cls_bt_inspect can tell, symmetric, or hermitian, and definite? */
int cls_bt_definite(const cls_bt *bt);

/* ---- set.c ---- */

/* Coefficients a, c, b, up, down into the grid; NULL where all are 0. Couplings that lead out of the grid become 0. */
clsolve_status cls_bt_take(cls_bt *bt, const clsolve_grid *const arrays[5]);
/* Jacobi scaling: each row divided by its diagonal. bt->scale receives the reciprocals. Enqueues. */
clsolve_status cls_bt_scale_rows(cls_bt *bt);
/* The first `rhs` columns of Y become zeros. Enqueues. */
clsolve_status cls_bt_guess_zeros(cls_bt *bt, int64_t rhs);
/* Waits for all that was enqueued. */
clsolve_status cls_bt_finish(cls_bt *bt);

/* ---- range.c ---- */

/* So far from 1, in powers of two, numbers may be. */
int cls_bt_comfort(const cls_bt *bt);
/* The matrix, once it is inspected: scaled where its numbers are near the ends of the type's range. */
clsolve_status cls_bt_scale_matrix(cls_bt *bt, double largest, int *scaled);
/*
 * F and Y, which are on the device, by a power of two for each column, so that norms of what the iteration sees can be
 * taken. A column whose F is zero gets a guess of zero. *finite: what they held was. Waits.
 */
clsolve_status cls_bt_scale_in(cls_bt *bt, int *finite);
/* Y as the caller's own numbers; bt->sizes[r] is -1 for a column that these leave. Waits. */
clsolve_status cls_bt_scale_out(cls_bt *bt);
/* F and Y are on the device; bt->run.rhs of them. OK or NOT_CONVERGED, the latter with the message still to be
 * written. */
clsolve_status cls_bt_solve(cls_bt *bt);

/* The operations of a method, for solve.c. All but `look` only enqueue. */
typedef struct cls_bt_method {
    const char *name;
    /* One iteration; `number` counts from 0 since the last start. */
    clsolve_status (*step)(cls_bt *bt, int64_t number);
    clsolve_status (*start)(cls_bt *bt); /* before the first one and after every resumption; may be NULL */
    clsolve_status (*end)(cls_bt *bt);   /* once it is over, whatever the reason; may be NULL */
    clsolve_status (*look)(cls_bt *bt, int64_t tests); /* at each look of the host, which then waits; may be NULL */
    int64_t ahead;                                     /* iterations between looks */
    int64_t each;                                      /* iterations between stop tests */
    int works;                                         /* vectors wanted */
} cls_bt_method;

typedef struct cls_bt_attempt {
    const cls_bt_method *method;
    clsolve_block_gs_preconditioner preconditioner;
    int64_t limit; /* iterations */
    int64_t patience;
    int single; /* the preconditioner in float */
    const char *reason;
} cls_bt_attempt;

enum { CLS_BT_ATTEMPTS = 5 };

/* Lists the attempts, in order; returns how many. */
int cls_bt_choose(const cls_bt *bt, cls_bt_attempt list[CLS_BT_ATTEMPTS]);
/* bt->method and bt->reason for this attempt; `before`: the one that failed, or NULL. */
void cls_bt_name(cls_bt *bt, const cls_bt_attempt *a, const cls_bt_attempt *before);

extern const cls_bt_method cls_bt_gauss_seidel, cls_bt_sor, cls_bt_estimated_sor, cls_bt_multigrid;
extern const cls_bt_method cls_bt_cg, cls_bt_cocg, cls_bt_bicgstab, cls_bt_fgmres;

/* The stop test inside a step; groups 0: by the estimate among the scalars. */
clsolve_status cls_bt_test(cls_bt *bt, int64_t groups);

/* The same as z = M^-1 r, of narrow r into wide, where the levels are in float. */
clsolve_status cls_bt_precondition_float(cls_bt *bt);
/* z = M^-1 r. */
clsolve_status cls_bt_precondition(cls_bt *bt, cls_bt_vector r, cls_bt_vector z);

#endif
