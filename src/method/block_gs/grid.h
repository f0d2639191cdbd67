/*
 * grid.h: the matrix of a block-tridiagonal system on the device: its levels, their memory and kernels, set-up, sweeps
 * and cycles. cl/bt_layout.clh tells how lines lie in memory.
 */
#ifndef CLS_BLOCK_GS_GRID_H
#define CLS_BLOCK_GS_GRID_H

#include <clsolve/block_gs.h>

#include "base/type.h"
#include "blas/blas.h"
#include "device/use.h"

enum {
    CLS_BT_LEVELS = 64,
    CLS_BT_SCALARS = 512,
    CLS_BT_COLUMN = 4,
    CLS_BT_RESTART = 16,
    CLS_BT_CONTROL = 4,
    CLS_BT_ROWS_EACH = 256
};

/* Pieces of CLS_BT_ROWS_EACH rows along a line that get groups of their own, the rest being taken by these in turn: a
 * grid's second number has 16 bits on some devices, and so many fill any of them. */
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

/* Work-items in a group of the kernels in cl/bt_setup.cl, and of those in cl/bt_pivot.cl. */
static inline int64_t cls_bt_setup_group(const cls_bt_shape *shape) {
    return shape->flat > 64 ? 64 : shape->flat;
}

static inline int64_t cls_bt_pivot_group(const cls_bt_shape *shape) {
    return shape->work_group > 1 ? shape->width : 1;
}

typedef struct cls_bt_level {
    int64_t lines, panels;
    int64_t size;    /* words of a vector */
    int64_t coef_at; /* where the level's coefficients begin in their buffer */
    int64_t vec_at;  /* and its vectors in theirs */
    int64_t splits;  /* pieces that a panel is cut into where rows are independent */
} cls_bt_level;

/* The relation of a matrix to its transpose. A real symmetric matrix is CLS_BT_SYMMETRIC, a complex one may be both. */
typedef enum cls_bt_symmetry {
    CLS_BT_GENERAL = 0,
    CLS_BT_SYMMETRIC = 1, /* the matrix itself */
    CLS_BT_HERMITIAN = 2  /* complex: its conjugate; a matrix that is both is called this */
} cls_bt_symmetry;

/* A grid is asked for less or more: a compiler takes seconds for the kernels of levels, and of two grids one has
 * levels. */
typedef enum cls_bt_role {
    CLS_BT_WHOLE = 0, /* all of it */
    CLS_BT_OUTER, /* the caller's arrays, vectors and products; sweeps and levels where they are wanted in its type */
    CLS_BT_INNER, /* levels in float, where they are wanted */
    CLS_BT_LINES  /* lines alone, as tridiagonal batches have them; vectors and products where they are wanted */
} cls_bt_role;

/* Kernels that come together, those first that take a compiler long. */
typedef enum cls_bt_part {
    CLS_BT_PART_SWEEPS = 1,
    CLS_BT_PART_COARSE = 2, /* for short lines alone */
    CLS_BT_PART_RESTRICT = 4,
    CLS_BT_PART_LEVELS = 8, /* made of finer ones */
    CLS_BT_PART_FACTOR = 16,
    CLS_BT_PART_VECTORS = 32,
    CLS_BT_PART_ARRAYS = 64, /* the caller's: in, out and inspected */
    CLS_BT_PART_RESIDUAL = 128,
    CLS_BT_PART_KRYLOV = 256, /* what CG with levels in float has no use for */
    CLS_BT_PART_PIN = 512,    /* of a singular system */
    CLS_BT_PART_SCALE = 1024, /* Jacobi scaling */
    CLS_BT_LAST_PART = CLS_BT_PART_SCALE,
    /* what levels take */
    CLS_BT_PARTS_OF_LEVELS =
        CLS_BT_PART_SWEEPS | CLS_BT_PART_COARSE | CLS_BT_PART_RESTRICT | CLS_BT_PART_LEVELS | CLS_BT_PART_FACTOR
} cls_bt_part;

/* One set of levels in one type. Level 0 has buffers of its own, the others share theirs. */
typedef struct cls_bt_grid {
    cls_device *device;
    clsolve_type type;
    int64_t N, M, rhs; /* rhs: how many the vectors have room for */
    cls_bt_shape shape;
    int coefficients;                 /* arrays of a level: 8, or 10 when pivoted */
    int pivoted, symmetric, singular; /* symmetric: a cls_bt_symmetry */
    cls_bt_role role;
    unsigned parts; /* those whose kernels are there */
    cls_bt_level level[CLS_BT_LEVELS];
    int levels; /* that exist */
    int whole;  /* the first level that bt_coarse takes with all below it */

    cls_buffer *coef, *coarse_coef; /* of level 0 and of the others */
    cls_buffer *F, *Y;              /* of the coarse levels, coarse_size words a right-hand side */
    int64_t coarse_size;
    cls_buffer *Z, *joints, *partial, *control, *idle; /* idle: a control that never says stop */
    cls_buffer *states, *bits, *sizes, *weights;       /* of the set-up */
    cls_buffer *staging; /* a small array of the host's crosses by it; NULL until one has */
    size_t staging_bytes;
    cls_kernel *sweep, *sweep_begin, *sweep_join, *sweep_end, *sweep_pivoted, *sweep_transposed, *residual,
        *restriction, *coarse;
    cls_kernel *factor, *factor_pivoted, *pin, *coarsen, *inspect, *pack, *unpack, *scale;
    cls_kernel *damp; /* of complex elements */
    cls_kernel *dots, *combine, *advance, *keep, *scalar, *judge, *largest, *rescale, *times;
    cls_kernel *any_scalar; /* bt_scalar with the steps of all methods */
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
    if (cls_is_double(type))
        real.d = x;
    else
        real.f = (float)x;
    return real;
}

/* Bytes of a REAL. */
static inline size_t cls_bt_real_size(clsolve_type type) {
    return (size_t)cls_type_size(cls_real_type(type));
}

#define CLS_REAL(type, lvalue)                                                                                         \
    { CLS_ARG_VALUE, cls_bt_real_size(type), &(lvalue) }

/* ---- hierarchy.c ---- */

/* Shape, level 0 and kernels for the type. `grid` is zeroed memory; on failure the caller still releases it. */
clsolve_status cls_bt_grid_create(cls_device *device, clsolve_type type, int64_t N, int64_t M,
                                  const cls_bt_shape *shape, cls_bt_role role, int pivoted, cls_bt_grid *grid);
/* Announces the programs that cls_bt_grid_create asks for, of a grid like this one. */
clsolve_status cls_bt_grid_announce(const cls_bt_grid *like);
/* Parts whose kernels are not there yet, of those that can be used with lines of this length. */
unsigned cls_bt_parts_missing(const cls_bt_grid *grid, unsigned parts);
/* A grid gets the kernels that its role does not ask for when they are first launched, if not before. */
clsolve_status cls_bt_parts_build(cls_bt_grid *grid, unsigned parts);
void cls_bt_grid_release(cls_bt_grid *grid);
/* `levels`: there are coarse ones. `single`: levels in float of the same shape are wanted too. */
cls_bt_shape cls_bt_shape_for(const cls_device *device, clsolve_type type, int levels, int single, int64_t N,
                              int64_t M);

/* Room for `rhs` right-hand sides in what the grid holds itself (Z, partial sums, coarse vectors). */
clsolve_status cls_bt_grid_reserve(cls_bt_grid *grid, int64_t rhs);
/* The same in Z alone: all that cls_bt_solve_lines takes. */
clsolve_status cls_bt_lines_reserve(cls_bt_grid *grid, int64_t rhs);

/* Tiles of a line; whether half a sweep over so many panels is cut into them. Words of Z a right-hand side. */
int64_t cls_bt_tiles(const cls_bt_grid *grid);
int cls_bt_split(const cls_bt_grid *grid, int64_t panels, int64_t rhs);
int64_t cls_bt_z_size(const cls_bt_grid *grid);
void cls_bt_measure_levels(cls_bt_grid *grid);

/* ---- setup.c ---- */

/* Properties of the coefficients of level 0: bits of cl/bt_setup.cl. */
enum {
    CLS_BT_BAD = 1,
    CLS_BT_ZERO_DIAGONAL = 2,
    CLS_BT_ASYMMETRIC = 4,
    CLS_BT_NOT_M = 8,
    CLS_BT_NOT_DOMINANT = 16,
    CLS_BT_HAS_SUM = 32,
    CLS_BT_POSITIVE = 64,
    CLS_BT_NEGATIVE = 128,
    CLS_BT_NOT_HERMITIAN = 256 /* of complex elements */
};
/* *largest: the largest coefficient, -1 where one is NaN or Inf. */
clsolve_status cls_bt_inspect(cls_bt_grid *grid, int *bits, double *largest);

/*
 * Line factors of a level. *unsafe counts lines that want row exchanges, *line is the first that is singular (from 0)
 * or -1. infos: NULL, or for each line the row of its first pivot that is zero, from 1; 0: none. All NULL: nothing is
 * read.
 */
clsolve_status cls_bt_factor(cls_bt_grid *grid, int level, int64_t *unsafe, int64_t *line, int32_t *infos);

/* Levels 1, 2, ... with their factors. */
clsolve_status cls_bt_coarsen(cls_bt_grid *grid);
/* Losses added to level 0, whose elements are complex, before its lines are factored: bt_damp of cl/bt_setup.cl.
 * Enqueues. */
clsolve_status cls_bt_damp(cls_bt_grid *grid, double part);
/* Level 1 alone. The other drops the levels again; it waits. */
clsolve_status cls_bt_coarsen_once(cls_bt_grid *grid);
clsolve_status cls_bt_forget_levels(cls_bt_grid *grid);

clsolve_status cls_bt_make(cls_bt_grid *grid, size_t words, cls_buffer **buffer); /* zeroed */

/* ---- pack.c ---- */

/* The ranges of a plain array outside which it becomes zero. */
typedef struct cls_bt_range {
    int64_t first_line, last_line, first_k, last_k;
} cls_bt_range;

/* Right-hand sides r .. r + count - 1 of `host` to `vector` from word `at` on, one behind the other, and back. Both
 * wait where the array is on the host; where it is on the device they enqueue. */
clsolve_status cls_bt_upload(cls_bt_grid *grid, const clsolve_grid *host, int64_t r, int64_t count, cls_buffer *vector,
                             int64_t at, const cls_bt_range *range);
clsolve_status cls_bt_download(cls_bt_grid *grid, cls_buffer *vector, int64_t at, const clsolve_grid *host, int64_t r,
                               int64_t count);

/* Lines line .. line + lines - 1, one behind the other in the host's memory, through `staging`, which has room for
 * `most` lines. Both wait. */
clsolve_status cls_bt_put_lines(cls_bt_grid *grid, const void *values, int64_t line, int64_t lines, cls_buffer *vector,
                                int64_t at, const cls_bt_range *range, cls_buffer *staging, int64_t most);
clsolve_status cls_bt_get_lines(cls_bt_grid *grid, void *values, int64_t line, int64_t lines, cls_buffer *vector,
                                int64_t at, cls_buffer *staging, int64_t most);

/* INVALID_ARGUMENT when an array on the device does not lie in its buffer; nothing is touched. */
clsolve_status cls_bt_reaches(cls_bt_grid *grid, const clsolve_grid *theirs, int64_t nrhs);

/* Every point of the grid becomes the one value at one->data; the padding stays. */
clsolve_status cls_bt_upload_constant(cls_bt_grid *grid, const clsolve_grid *one, cls_buffer *vector);

/* ---- sweep.c: everything enqueues ---- */

/* Half a sweep of level 0, colour 0 or 1; `line` >= 0: that line alone. */
clsolve_status cls_bt_half_sweep(cls_bt_grid *grid, cls_bt_vector F, cls_bt_vector Y, int64_t rhs, int colour,
                                 int fresh, int64_t line, double omega, cls_buffer *control);
/* All lines solved by themselves, as if nothing coupled them, with their matrices or with the transposes. *examined:
 * the launch has flagged those whose solution holds NaN or Inf (cl/bt_members.cl). */
clsolve_status cls_bt_solve_lines(cls_bt_grid *grid, cls_bt_vector F, cls_bt_vector Y, int64_t rhs, int transposed,
                                  cls_buffer *flags, int *examined);
clsolve_status cls_bt_sweep(cls_bt_grid *grid, cls_bt_vector F, cls_bt_vector Y, int64_t rhs, int sequential,
                            double omega, cls_buffer *control);

/* The weights of a level's red lines, with the sign turned, as cl/bt_setup.cl wants them. */
clsolve_status cls_bt_weigh(cls_bt_grid *grid, int number, cls_buffer *weights);

/* The result of cls_bt_residual, and of its partial sums. */
typedef enum cls_bt_rest {
    CLS_BT_REST = 0,         /* R = F - A Y; the squares of R */
    CLS_BT_PRODUCT = 1,      /* R = A Y; R . conj(Y) */
    CLS_BT_PLAIN_PRODUCT = 2 /* R = A Y; R . Y */
} cls_bt_rest;

/* R (NULL: only the sums), and partial sums for *groups groups a right-hand side. */
clsolve_status cls_bt_residual(cls_bt_grid *grid, cls_bt_vector F, cls_bt_vector Y, int64_t rhs, cls_bt_vector R,
                               cls_bt_rest what, cls_buffer *control, int64_t *groups);

typedef struct cls_bt_cycle {
    clsolve_block_gs_cycle kind;
    int before, after;
} cls_bt_cycle;

/* Y at the beginning of a cycle: anything; to count as zero; as a cycle for the same F left it, black lines solved. */
typedef enum cls_bt_state { CLS_BT_ANY = 0, CLS_BT_ZERO = 1, CLS_BT_CYCLED = 2 } cls_bt_state;

/* The first half of a cycle on level 0: smooth and restrict, with the partial sums of the residual. */
clsolve_status cls_bt_cycle_down(cls_bt_grid *grid, const cls_bt_cycle *cycle, cls_bt_vector F, cls_bt_vector Y,
                                 int64_t rhs, cls_bt_state state, cls_buffer *control, int64_t *groups);
/* The second half: coarse levels, correction, smoothing. */
clsolve_status cls_bt_cycle_up(cls_bt_grid *grid, const cls_bt_cycle *cycle, cls_bt_vector F, cls_bt_vector Y,
                               int64_t rhs, cls_buffer *control);

#endif
