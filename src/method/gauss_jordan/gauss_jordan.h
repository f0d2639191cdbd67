/*
 * gauss_jordan.h: Gauss-Jordan elimination on the device, on (A|B) or, for the inverse, on A in place.
 *
 *   rows.c        two-pass and one-pass: a pivot a launch, an element a work-item (cl/gj_rows.cl)
 *   operations.c  the operations A to E, each a launch (cl/gj_operations.cl)
 *   blocked.c     a panel of columns, then one matrix product for all the rest (cl/gj_block.cl)
 *   in_place.c    the same where the device works in the host's memory: mapped, by BLAS and LAPACK alone
 *
 * The panels of the blocked variant are those of method/panel.
 */
#ifndef CLS_GAUSS_JORDAN_H
#define CLS_GAUSS_JORDAN_H

#include <clsolve/gauss_jordan.h>

#include "device/use.h"
#include "method/check.h"
#include "method/panel/panel.h"
#include "method/transfer.h"

/* Which rows a launch of gj_rows is for. */
enum { CLS_GJ_BELOW = 1, CLS_GJ_ABOVE = 2 };

typedef struct cls_gj_kernels {
    cls_kernel *pivot, *rows, *extract, *identity;                         /* gj_rows.cl */
    cls_kernel *multipliers, *eliminate, *clear, *reciprocals, *normalise; /* gj_operations.cl */
    cls_kernel *take_rows, *put_rows, *swap_columns, *swap_pair, *column_sources, *gather_rows, *block_factor, *norm,
        *conjugate; /* gj_block.cl; conjugate of complex matrices alone */
} cls_gj_kernels;

typedef struct cls_gj {
    cls_device *device;
    clsolve_type type;
    int64_t n;
    int64_t block;      /* columns in a panel */
    int64_t slab_bytes; /* the caller's bound on a buffer, or 0 */
    cls_panel panel;    /* its info is that of all variants */
    cls_matrix A, B;    /* the matrix; right-hand sides, grown when more of them come */
    cls_matrix scratch; /* the same transposed */
    cls_check check;
    cls_transfer transfer;

    clsolve_gauss_jordan_variant variant;
    int pivoting;
    int in_place;                     /* blocked, with A mapped: in_place.c and no kernels at all */
    int64_t work_group, rows_at_once; /* of all kernels here */
    int64_t groups;                   /* on a CPU as many as it has cores, else 0: no bound */
    cls_gj_kernels kernels;

    cls_buffer *place, *pivots;          /* n each, see cl/gj_rows.cl */
    cls_buffer *multipliers, *diagonals; /* n and 2 n: m, and d with s, of the operations */
    cls_buffer *partial;                 /* of the norm */
    cls_matrix X;                        /* the solution of all variants but blocked; grown as B is */
    cls_matrix P[2],
        R;     /* blocked: a panel n x block (mapped as A is), another one where the next is factored during the
                         * products, and, unless in place, a block row block x n */
    int ahead; /* 1: so it is, for the inverse */
    int products_first; /* 1: with it, products begin before what the next panel wants: they take longer than that */

    clsolve_progress progress;
    void *progress_user;
    cls_event *told; /* the mark before last, see cls_gj_tell */
} cls_gj;

/* `gj` is zeroed memory. On failure the caller still calls cls_gj_release. */
clsolve_status cls_gj_setup(cls_device *device, int64_t n, clsolve_type type,
                            const clsolve_gauss_jordan_options *options, cls_gj *gj);
void cls_gj_release(cls_gj *gj);

/* Makes B, with `row_major` scratch, and X hold `cols` columns. Keeps what is there when it is enough. */
clsolve_status cls_gj_reserve(cls_gj *gj, int64_t cols, int row_major);

/*
 * From (A | the first `cols` columns of B) the solution into *result, which is B or X. *info as LAPACK's, and less
 * than 0 where the elimination came to Inf or NaN before any zero pivot; where it is not 0 the result is no solution.
 * Returns when the device is done.
 */
clsolve_status cls_gj_solve(cls_gj *gj, int64_t cols, const cls_matrix **result, int64_t *info);
/* The same with the inverse of A, n x n, which is A itself for blocked. */
clsolve_status cls_gj_invert(cls_gj *gj, const cls_matrix **result, int64_t *info);

/* ||M||_1 = *norm 2^*exponent of a matrix of the handle's type, whose norm1 by gj->check is `measured`. That suffices
 * unless the matrix is tiny; then it waits. */
clsolve_status cls_gj_norm(cls_gj *gj, const cls_matrix *M, double measured, double *norm, int *exponent);

/* The first `cols` columns of M times `factor`. */
clsolve_status cls_gj_scale(cls_gj *gj, const cls_matrix *M, int64_t cols, double factor);

/* A becomes its conjugate; enqueues. */
clsolve_status cls_gj_conjugate(cls_gj *gj);

/* ---- the variants; each enqueues ---- */

/* Before any of the row variants: no row has been a pivot. */
clsolve_status cls_gj_begin(cls_gj *gj);
/* Chooses the row of pivot k and notes a zero. */
clsolve_status cls_gj_choose(cls_gj *gj, int64_t k);
clsolve_status cls_gj_two_pass(cls_gj *gj, int64_t cols);
clsolve_status cls_gj_one_pass(cls_gj *gj, int64_t cols);
clsolve_status cls_gj_operations(cls_gj *gj, int64_t cols);
/* cols < 0: the inverse in place. */
clsolve_status cls_gj_blocked(cls_gj *gj, int64_t cols);
/* The same in the host's memory, done when it returns; *info as cls_gj_solve's, and it stops there. */
clsolve_status cls_gj_in_place(cls_gj *gj, int64_t cols, int64_t *info);
int64_t cls_gj_in_place_block(int64_t n); /* columns in a panel there, unless the caller says */
void cls_gj_in_place_scale(const cls_matrix *M, int64_t cols, double factor);
void cls_gj_in_place_conjugate(const cls_matrix *M);

/* ---- share.c ---- */

/* Ones at (first + j, j) of the rows x cols matrix at `ref`, zeros elsewhere. */
clsolve_status cls_gj_identity(cls_gj *gj, cls_ref ref, int64_t rows, int64_t cols, int64_t first);

/* Tells how much is done; as the host runs ahead of the device, it waits for the mark before last. */
clsolve_status cls_gj_tell(cls_gj *gj, double fraction);

/* A grid of work-items over `rows` rows (blocks of work_group * rows_at_once) and `cols` columns. */
cls_grid cls_gj_grid(const cls_gj *gj, int64_t rows, int64_t cols);

#endif
