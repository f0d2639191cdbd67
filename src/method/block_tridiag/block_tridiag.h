/*
 * block_tridiag.h: block-tridiagonal systems on the device. cl/bt_layout.clh tells how lines lie in memory.
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
 *   krylov.c     CG, BiCGStab, FGMRES
 *
 * Nothing here waits for the device but what set-up finds out of the matrix, the packing of arrays on the host, the largest
 * elements of F and Y, and the stop test, which is read a few iterations behind.
 */
#ifndef CLS_BLOCK_TRIDIAG_H
#define CLS_BLOCK_TRIDIAG_H

#include <clsolve/block_tridiag.h>

#include "device/blas.h"
#include "device/device.h"

enum {
    CLS_BT_LEVELS = 64,
    CLS_BT_SCALARS = 512,
    CLS_BT_COLUMN = 4,
    CLS_BT_RESTART = 16,
    CLS_BT_CONTROL = 4,
    CLS_BT_ROWS_EACH = 256
};

/* Pieces of CLS_BT_ROWS_EACH rows along a line that get groups of their own, the rest being taken by these in turn: a grid's
 * second number has 16 bits on some devices, and so many fill any of them. */
enum { CLS_BT_PIECES = 1024 };

/* Groups that look at a matrix. */
enum { CLS_BT_INSPECTORS = 2048 };

/* Groups along a line, in pieces of CLS_BT_ROWS_EACH rows. */
static inline int64_t cls_bt_pieces(int64_t M) {
    int64_t pieces = (M + CLS_BT_ROWS_EACH - 1) / CLS_BT_ROWS_EACH;
    return pieces < CLS_BT_PIECES ? pieces : CLS_BT_PIECES;
}

/* The residuals of all tests are kept, on the device and on the host: 8 bytes each. */
enum { CLS_BT_MOST_ITERATIONS = 10000000 };

/* How lines are spread over work-items, see cl/bt_lines.clh. */
typedef struct cls_bt_shape {
    int64_t width;      /* W: lanes of a panel */
    int64_t parts;      /* P: work-items on a line */
    int64_t steps;      /* S: unknowns of a work-item at a time */
    int64_t work_group; /* W * P, or 1 on a CPU */
    int64_t flat;       /* work-group of kernels that run over whole vectors */
    int64_t run;        /* words at a time there */
    int64_t groups;     /* enough of them to fill the device */
    int64_t units;      /* compute units */
} cls_bt_shape;

typedef struct cls_bt_level {
    int64_t lines, panels;
    int64_t size;    /* words of a vector */
    int64_t coef_at; /* where the level's coefficients begin in their buffer */
    int64_t vec_at;  /* and its vectors in theirs */
    int64_t splits;  /* pieces that a panel is cut into where rows are independent */
} cls_bt_level;

/* One set of levels in one type. Level 0 has buffers of its own, the others share theirs. */
typedef struct cls_bt_grid {
    cls_device *device;
    clsolve_type type;
    int64_t N, M, rhs; /* rhs: how many the vectors have room for */
    cls_bt_shape shape;
    int coefficients; /* arrays of a level: 8, or 10 when pivoted */
    int pivoted, symmetric, singular;
    cls_bt_level level[CLS_BT_LEVELS];
    int levels; /* that exist */
    int whole;  /* the first level that bt_coarse takes with all below it */

    cls_buffer *coef, *coarse_coef; /* of level 0 and of the others */
    cls_buffer *F, *Y;              /* of the coarse levels, coarse_size words a right-hand side */
    int64_t coarse_size;
    cls_buffer *Z, *joints, *partial, *control, *idle; /* idle: a control that never says stop */
    cls_buffer *states, *bits, *sizes, *weights;       /* of the set-up */
    cls_kernel *sweep, *sweep_begin, *sweep_join, *sweep_end, *sweep_pivoted, *residual, *restriction, *coarse;
    cls_kernel *factor, *factor_pivoted, *pin, *coarsen, *inspect, *pack, *unpack, *scale;
    cls_kernel *dots, *combine, *advance, *keep, *scalar, *reference, *judge, *reset, *largest, *most, *rescale, *times;
} cls_bt_grid;

/* A vector of level 0: `size` words a right-hand side. */
typedef cls_buffer *cls_bt_vector;

/* A number as a kernel's REAL. */
typedef union cls_bt_real {
    float f;
    double d;
} cls_bt_real;

static inline cls_bt_real cls_bt_real_of(clsolve_type type, double x) {
    cls_bt_real real;
    if (type == CLSOLVE_F64)
        real.d = x;
    else
        real.f = (float)x;
    return real;
}

#define CLS_REAL(type, lvalue)                                                                                         \
    { CLS_ARG_VALUE, (size_t)cls_type_size(type), &(lvalue) }

/* ---- hierarchy.c ---- */

/* Shape, level 0 and kernels for the type. `grid` is zeroed memory; on failure the caller still releases it. */
clsolve_status cls_bt_grid_create(cls_device *device, clsolve_type type, int64_t N, int64_t M,
                                  const cls_bt_shape *shape, int pivoted, cls_bt_grid *grid);
void cls_bt_grid_release(cls_bt_grid *grid);
/* `single`: levels in float of the same shape are to stand beside it. */
cls_bt_shape cls_bt_shape_for(const cls_device *device, clsolve_type type, int single, int64_t N, int64_t M);

/* Room for `rhs` right-hand sides in what the grid holds itself (Z, partial sums, coarse vectors). */
clsolve_status cls_bt_grid_reserve(cls_bt_grid *grid, int64_t rhs);

/* Tiles of a line; whether half a sweep over so many panels is cut into them. Words of Z a right-hand side. */
int64_t cls_bt_tiles(const cls_bt_grid *grid);
int cls_bt_split(const cls_bt_grid *grid, int64_t panels, int64_t rhs);
int64_t cls_bt_z_size(const cls_bt_grid *grid);
void cls_bt_measure_levels(cls_bt_grid *grid);

/* ---- setup.c ---- */

/* What the coefficients of level 0 are: bits of cl/bt_setup.cl. */
enum {
    CLS_BT_BAD = 1,
    CLS_BT_ZERO_DIAGONAL = 2,
    CLS_BT_ASYMMETRIC = 4,
    CLS_BT_NOT_M = 8,
    CLS_BT_NOT_DOMINANT = 16,
    CLS_BT_HAS_SUM = 32,
    CLS_BT_POSITIVE = 64,
    CLS_BT_NEGATIVE = 128
};
/* *largest: the largest coefficient, -1 where one is NaN or Inf. */
clsolve_status cls_bt_inspect(cls_bt_grid *grid, int *bits, double *largest);

/*
 * Line factors of a level. *unsafe counts lines whose pivots are small, *line is the first that is singular (from 0) or -1.
 */
clsolve_status cls_bt_factor(cls_bt_grid *grid, int level, int64_t *unsafe, int64_t *line);

/* Levels 1, 2, ... with their factors. */
clsolve_status cls_bt_coarsen(cls_bt_grid *grid);

clsolve_status cls_bt_make(cls_bt_grid *grid, size_t words, cls_buffer **buffer); /* zeroed */

/* ---- pack.c ---- */

/* What of a plain array becomes zero: everything outside these ranges. */
typedef struct cls_bt_range {
    int64_t first_line, last_line, first_k, last_k;
} cls_bt_range;

/* Right-hand sides r .. r + count - 1 of `host` to `vector` from word `at` on, one behind the other, and back. Both wait where
 * the array is on the host; where it is on the device they enqueue. */
clsolve_status cls_bt_upload(cls_bt_grid *grid, const clsolve_grid *host, int64_t r, int64_t count, cls_buffer *vector,
                             int64_t at, const cls_bt_range *range);
clsolve_status cls_bt_download(cls_bt_grid *grid, cls_buffer *vector, int64_t at, const clsolve_grid *host, int64_t r,
                               int64_t count);

/* INVALID_ARGUMENT when an array on the device does not lie in its buffer; nothing is touched. */
clsolve_status cls_bt_reaches(cls_bt_grid *grid, const clsolve_grid *theirs, int64_t nrhs);

/* Every point of the grid becomes the one value at one->data; the padding stays. */
clsolve_status cls_bt_upload_constant(cls_bt_grid *grid, const clsolve_grid *one, cls_buffer *vector);

/* ---- sweep.c: everything enqueues ---- */

/* Half a sweep of level 0, colour 0 or 1; `line` >= 0: that line alone. */
clsolve_status cls_bt_half_sweep(cls_bt_grid *grid, cls_bt_vector F, cls_bt_vector Y, int64_t rhs, int colour,
                                 int fresh, int64_t line, double omega, cls_buffer *control);
clsolve_status cls_bt_sweep(cls_bt_grid *grid, cls_bt_vector F, cls_bt_vector Y, int64_t rhs, int sequential,
                            double omega, cls_buffer *control);

/* The weights of a level's red lines, with the sign turned, as cl/bt_setup.cl wants them. */
clsolve_status cls_bt_weigh(cls_bt_grid *grid, int number, cls_buffer *weights);

/* R = F - A Y (R NULL: only the norm), squares' partial sums for *groups groups a right-hand side. `product`: R = A Y, and
 * the sums are of Y.R. */
clsolve_status cls_bt_residual(cls_bt_grid *grid, cls_bt_vector F, cls_bt_vector Y, int64_t rhs, cls_bt_vector R,
                               int product, cls_buffer *control, int64_t *groups);

typedef struct cls_bt_cycle {
    clsolve_cycle kind;
    int before, after;
} cls_bt_cycle;

/* What Y is when a cycle begins: anything; to count as zero; as a cycle for the same F left it, black lines solved. */
typedef enum cls_bt_state { CLS_BT_ANY = 0, CLS_BT_ZERO = 1, CLS_BT_CYCLED = 2 } cls_bt_state;

/* The first half of a cycle on level 0: smooth and restrict, with the partial sums of the residual. */
clsolve_status cls_bt_cycle_down(cls_bt_grid *grid, const cls_bt_cycle *cycle, cls_bt_vector F, cls_bt_vector Y,
                                 int64_t rhs, cls_bt_state state, cls_buffer *control, int64_t *groups);
/* The second half: coarse levels, correction, smoothing. */
clsolve_status cls_bt_cycle_up(cls_bt_grid *grid, const cls_bt_cycle *cycle, cls_bt_vector F, cls_bt_vector Y,
                               int64_t rhs, cls_buffer *control);

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
/* Of CG with levels in float (cl/bt_convert.cl): x.wide; p = wide + beta p; cls_bt_advance that leaves r in narrow as well. */
struct cls_bt;
clsolve_status cls_bt_dot_float(struct cls_bt *bt, cls_bt_vector x, int64_t *groups);
clsolve_status cls_bt_direction(struct cls_bt *bt, cls_bt_vector p);
clsolve_status cls_bt_advance_float(struct cls_bt *bt, cls_bt_vector p, cls_bt_vector r, cls_bt_vector q,
                                    int64_t *groups);
clsolve_status cls_bt_scalar(cls_bt_run *run, int64_t groups, int step, int i, int j, cls_buffer *control);
clsolve_status cls_bt_set_reference(cls_bt_run *run, int64_t groups, int first);

/* Modes of the stop test: see bt_judge in cl/bt_vector.cl. */
enum {
    CLS_BT_JUDGE_FIRST = 1,
    CLS_BT_JUDGE_KEEPS = 2,
    CLS_BT_JUDGE_IF_SLOW = 4,
    CLS_BT_JUDGE_AGAIN = 8,
    CLS_BT_JUDGE_KEPT = 16,
    CLS_BT_JUDGE_QUIET = 32
};
/* groups 0: by the estimate among the scalars. */
clsolve_status cls_bt_judge(cls_bt_run *run, int64_t groups, double tolerance, int64_t patience, int mode);
/* What the last cls_bt_judge has flagged: columns kept; all others back from there; guesses that are worse than zero. */
clsolve_status cls_bt_keep(cls_bt_run *run, cls_bt_vector Y, cls_bt_vector best);
clsolve_status cls_bt_restore(cls_bt_run *run, cls_bt_vector best, cls_bt_vector Y);
clsolve_status cls_bt_reset(cls_bt_run *run, cls_bt_vector Y);

/* The largest element of each right-hand side, -1 where there is NaN or Inf; with a y two numbers each, its beside x's: waits. */
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
    clsolve_block_tridiag_options options; /* defaults filled in */
    cls_bt_grid grid, single;              /* single: the preconditioner in float, where wanted */
    int has_single, has_levels;            /* has_levels: a matrix on which multigrid can be tried */
    int single_ready;                      /* the levels in float are made */
    int use_single;                        /* by the method that runs now */
    int bits;                              /* of cls_bt_inspect */
    cls_buffer *scale;                     /* 1 / diagonal, where Jacobi scaling is on */
    cls_buffer *narrow; /* kernels of bt_convert.cl work on these: the preconditioner's vectors in float */
    cls_buffer *wide;
    cls_kernel *to_float, *to_double, *dot_float, *direction, *advance_float;
    cls_bt_run run;
    int direct;                                 /* nothing couples the lines: one sweep solves them */
    int exponent;                               /* the matrix is the caller's times 2^-exponent */
    int64_t rhs;                                /* that the vectors below have room for */
    cls_bt_vector F, Y, best, ones;             /* ones: only of a singular system */
    cls_bt_vector work[2 * CLS_BT_RESTART + 4]; /* of Krylov methods */
    int works;

    /* of the solve that runs */
    cls_pinned *pinned; /* two looks' worth of control */
    int64_t *looks;
    clsolve_preconditioner preconditioner;
    double tolerance;
    int64_t patience; /* tests without halving the residual that mean standstill; 0: never */
    int keep;         /* the next test keeps the iterate if it is the best, also where tests gain a digit each */

    char method[64], reason[128];
    int64_t iterations;
    int ended;                    /* why the last method did: CLS_BT_RUNS at its limit */
    double residual, omega;       /* the largest of all columns */
    int64_t columns;              /* that the next three have room for */
    double *residuals;            /* of each */
    double *sizes;                /* its largest elements, twice */
    int *shifts;                  /* F of the column is the caller's times 2^-shift */
    int64_t failed, first_failed; /* columns that did not converge; the first, counted from 1, or 0 */
    int64_t omega_changed;        /* tests there were when it last was */
    double *history;
    int64_t history_count, history_room;
} cls_bt;

clsolve_status cls_bt_setup(cls_device *device, int64_t N, int64_t M, clsolve_type type,
                            const clsolve_block_tridiag_options *options, cls_bt *bt);
void cls_bt_release(cls_bt *bt);
/* The coefficients are in the grid: inspect, factor, coarsen. *line: the singular line, or -1. */
clsolve_status cls_bt_prepare(cls_bt *bt, int64_t *line);
/* Enqueues bt->to_float or bt->to_double. */
clsolve_status cls_bt_convert(cls_bt *bt, cls_kernel *kernel, cls_buffer *from, cls_buffer *to, int64_t words);
/* Room for `rhs` right-hand sides; bt->rhs says for how many there is. */
clsolve_status cls_bt_reserve(cls_bt *bt, int64_t rhs);
clsolve_status cls_bt_reserve_works(cls_bt *bt, int works);
/* The levels in the system's own type, with room for the right-hand sides, where there are none yet. */
clsolve_status cls_bt_make_levels(cls_bt *bt);
/* Is the matrix, as far as cls_bt_inspect can tell, symmetric and definite? */
int cls_bt_definite(const cls_bt *bt);
/* ---- range.c ---- */

/* The matrix, once it is inspected: scaled where its numbers are near the ends of the type's range. */
clsolve_status cls_bt_scale_matrix(cls_bt *bt, double largest, int *scaled);
/*
 * F and Y, which are on the device, by a power of two for each column, so that norms of what the iteration sees can be taken.
 * A column whose F is zero gets a guess of zero. *finite: what they held was. Waits.
 */
clsolve_status cls_bt_scale_in(cls_bt *bt, int *finite);
/* Y as the caller's own numbers; bt->sizes[r] is -1 for a column that these leave. Waits. */
clsolve_status cls_bt_scale_out(cls_bt *bt);
/* F and Y are on the device; bt->run.rhs of them. OK or NOT_CONVERGED, the latter with the message still to be written. */
clsolve_status cls_bt_solve(cls_bt *bt);

/* What solve.c asks of a method. All but `look` only enqueue. */
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
    clsolve_preconditioner preconditioner;
    int64_t limit; /* iterations */
    int64_t patience;
    int single; /* the preconditioner in float */
    const char *reason;
} cls_bt_attempt;

enum { CLS_BT_ATTEMPTS = 4 };

/* What is to be tried, in order; returns how many. */
int cls_bt_choose(const cls_bt *bt, cls_bt_attempt list[CLS_BT_ATTEMPTS]);
/* bt->method and bt->reason for this attempt; `before`: the one that failed, or NULL. */
void cls_bt_name(cls_bt *bt, const cls_bt_attempt *a, const cls_bt_attempt *before);

extern const cls_bt_method cls_bt_gauss_seidel, cls_bt_sor, cls_bt_estimated_sor, cls_bt_multigrid;
extern const cls_bt_method cls_bt_cg, cls_bt_bicgstab, cls_bt_fgmres;

/* The stop test inside a step; groups 0: by the estimate among the scalars. */
clsolve_status cls_bt_test(cls_bt *bt, int64_t groups);

/* The same as z = M^-1 r, of narrow r into wide, where the levels are in float. */
clsolve_status cls_bt_precondition_float(cls_bt *bt);
/* z = M^-1 r. */
clsolve_status cls_bt_precondition(cls_bt *bt, cls_bt_vector r, cls_bt_vector z);

#endif
