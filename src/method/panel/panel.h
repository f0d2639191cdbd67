/*
 * panel.h: the engine that factors panels, P A = L U of tall block columns, for dense LU, bands and Gauss-Jordan
 * elimination.
 *
 *      cls_panel panel = {0};
 *      const cls_panel_shape shape = {.type = CLSOLVE_F64, .rows = n, .cols = n, .leaf = 32, .block = 128};
 *      CLS_TRY(cls_panel_create(device, &shape, &panel));                         takes the memory
 *      CLS_TRY(cls_panel_open(&panel));                                           takes the kernels, tested
 *      CLS_TRY(cls_panel_start(&panel, CLS_PANEL_REPEATABLE));
 *      CLS_TRY(cls_panel_factor(&panel, &A, j, n - j, width));                    and the columns right of it:
 *      CLS_TRY(cls_panel_step(&panel, CLS_COMPUTE, &(cls_block_column){cls_matrix_at(&A, j, j), j, width, n}, &A,
 *                             j + width, n));
 *      CLS_TRY(cls_panel_end(&panel, &info, &again));                             waits
 *
 * The matrix and the place in it are arguments of each call: a panel holds no matrix and no order. Element (j, j) is
 * the first of a panel at j; its columns lie in one slab. No field is written outside of this room.
 *
 *      factor.c      halving, down to leaves                 host.c             LAPACK's panels on the host
 *      step.c        a factored panel applied to columns     steps.c            a leaf by a launch a column, or in one
 *      resident.c    a leaf of many rows in one launch       moves.c            the rows of other columns
 *      unpivoted.c   a leaf without pivots                   unpivoted_host.c   the same of panels on the host
 *      import.c      pivots of the caller's                  selftest.c         the kernels on a known system
 *      open.c        kernels that work                       sizes.c            columns of leaves and blocks
 */
#ifndef CLS_PANEL_H
#define CLS_PANEL_H

#include "blas/blas.h"
#include "device/matrix.h"
#include "method/together.h"

/* ---- sizes.c ---- */

typedef struct cls_panel_sizes {
    int64_t leaf;  /* columns that are factored without a matrix product */
    int64_t block; /* columns of a panel, a multiple of leaf */
} cls_panel_sizes;

/* The most columns of a leaf of so many rows that one launch factors (resident.c); 0 where the device cannot. */
int64_t cls_panel_resident_width(const cls_device *device, clsolve_type type, int64_t rows);

/*
 * For a square matrix of order n. `block`: the caller's choice, or 0. `wide`: leaves of one launch (resident.c) may
 * be used.
 */
cls_panel_sizes cls_panel_sizes_of(const cls_device *device, clsolve_type type, int64_t n, int hybrid, int wide,
                                   int64_t block);
/* The columns of a leaf of panels of `width` columns and at most `rows` rows. */
int64_t cls_panel_leaf_of(const cls_device *device, clsolve_type type, int64_t rows, int64_t width, int hybrid);

/* ---- the panel ---- */

/* Each kind of leaf has its part, which is all zeros where no such leaf is made. */
typedef struct cls_panel_steps {
    cls_kernel *begin, *step, *whole, *swaps; /* cl/lu_panel.cl */
    int64_t work_group, rows_at_once, groups; /* `groups` is the most that a launch has */
    int64_t whole_rows;                       /* leaves of up to so many rows take one launch of one group */
    cls_buffer *positions, *values, *rows, *places, *pivots; /* of one leaf */
} cls_panel_steps;

enum { CLS_PANEL_ROWS = 4, CLS_PANEL_BATCHES = 3 };
typedef struct cls_panel_resident {
    cls_kernel *kernel[CLS_PANEL_ROWS][CLS_PANEL_BATCHES]; /* by rows of a work-item and by groups; NULL: not needed */
    cls_offers candidates;                                 /* see cl/lu_resident.cl */
    cls_buffer *upper;                                     /* see cl/lu_together.cl */
    int64_t rows;                                          /* leaves of up to so many rows; 0: none */
    int64_t together;                                      /* groups that run at the same time; 0: not known yet */
    int32_t most_groups;                                   /* groups that `candidates` has room for */
    int allowed;                                           /* by cls_panel_start */
} cls_panel_resident;

typedef struct cls_panel_unpivoted {
    int on;      /* the next leaves are factored without pivots */
    double tiny; /* pivots that are no larger count as zeros */
    int64_t lanes;
    cls_kernel *diagonal, *rows;
} cls_panel_unpivoted;

typedef struct cls_panel_moves {
    cls_kernel *rows, *merged, *merge;           /* cl/lu_rows.cl */
    int64_t x, y;                                /* the work-group */
    int64_t done;                                /* the moves of the columns before this one are merged */
    cls_buffer *merged_sources, *merged_targets; /* NULL: moves go leaf by leaf */
} cls_panel_moves;

typedef struct cls_panel {
    cls_device *device;
    clsolve_type type;
    int hybrid;           /* LAPACK factors the panels, where they are (mapped); a band's also travel to the host */
    int whole_range;      /* of the products in a panel: see cls_blas_options */
    int steady;           /* likewise */
    int mapped;           /* the matrices lie in the host's memory, and no kernel works on them */
    int64_t rows;         /* of the tallest panel */
    int64_t leaf;         /* columns */
    int64_t block;        /* columns whose moves are merged into one list */
    int64_t memory_limit; /* the caller's bound on the device memory, or 0 */

    /* Results of a factorization, for shape->cols columns: LAPACK's pivots, counted from 1; the moves of rows, 2 a
     * column. info[0]: the number of the first column without a pivot, or 0. info[1] is not 0 when a resident leaf
     * has failed. After the last move has been enqueued `sources` is free for other uses. */
    cls_buffer *ipiv, *sources, *targets, *info;

    /* Hybrid: the same pivots, as LAPACK's integers. For panels that travel: their moves, and room for one panel. */
    int *host_pivots;
    int64_t *host_sources, *host_targets;
    cls_pinned *pinned;
    void *staged;

    cls_panel_steps steps;
    cls_panel_resident resident;
    cls_panel_unpivoted unpivoted;
    cls_panel_moves moves;
} cls_panel;

typedef struct cls_panel_shape {
    clsolve_type type;
    int64_t rows, cols;   /* of the tallest panel; of all panels together */
    int64_t leaf, block;  /* as sizes.c has them */
    int hybrid, mapped;   /* as in cls_panel; mapped ones take no device memory */
    int unpivoted;        /* panels without pivots may be asked for */
    int by_steps;         /* no leaf in one launch */
    int64_t memory_limit; /* the caller's bound on the device memory, or 0 */
} cls_panel_shape;

/*
 * factor.c. `panel` is zeroed memory. On failure the caller still calls cls_panel_release. The lists are empty: no
 * moves, and pivots beyond the last row.
 */
clsolve_status cls_panel_create(cls_device *device, const cls_panel_shape *shape, cls_panel *panel);
void cls_panel_release(cls_panel *panel); /* waits for the device */

/* open.c: gets the kernels, and tests them before their first use on a device, driver and type; or announces them.
 * Where all leaves are resident ones, those by steps are got when they are needed. Nothing where mapped. */
clsolve_status cls_panel_open(cls_panel *panel);

/* host.c: takes the host's memory of hybrid panels: `cols` pivots, and for panels that travel room for `elements`,
 * which are 0 for others. */
clsolve_status cls_panel_take_host(cls_panel *panel, int64_t cols, int64_t elements);

/* Blocks have `block` columns from now on, at most as many as at create. */
void cls_panel_set_block(cls_panel *panel, int64_t block);

/* unpivoted.c: the next factorizations do without pivots and moves of rows; pivots up to `tiny` count as zeros. Or with
 * both. */
void cls_panel_without_pivots(cls_panel *panel, double tiny);
void cls_panel_with_pivots(cls_panel *panel);

/* Products in the panels of the next factorizations keep the whole range of the type (cls_blas_options), or need
 * not. */
void cls_panel_set_range(cls_panel *panel, int whole_range);

/* Whether the panels of the next factorization are the host's. */
int cls_panel_on_host(const cls_panel *panel);
/* Whether panels of a matrix of order n are worth factoring during the trailing update. */
int cls_panel_worth_ahead(const cls_panel *panel, int64_t n);
/* sizes.c: the columns that are then looked ahead at a time: a leaf, or several narrow ones. */
int64_t cls_panel_strip(const cls_panel *panel, int64_t rows);

/* ---- a factorization ---- */

/* ONCE: no leaf is of a kind that may have to be made again, so cls_panel_end need not be called. The
 * first time that leaves by steps are needed as well as resident ones, their kernels are got and tested. */
typedef enum cls_panel_repeat { CLS_PANEL_REPEATABLE, CLS_PANEL_ONCE } cls_panel_repeat;
clsolve_status cls_panel_start(cls_panel *panel, cls_panel_repeat repeat);
/* Waits. *info as LAPACK's; panels on the host have set it already. *again becomes 1 where a resident leaf failed and
 * the matrix is spoilt: restore it and begin anew. That happens once at most. */
clsolve_status cls_panel_end(cls_panel *panel, int64_t *info, int *again);
/* resident.c: no such leaf any more on this device. For callers that have found info[1] themselves. */
void cls_panel_resident_failed(cls_panel *panel);

/* Factors the rows j .. j+rows-1 of the columns j .. j+cols-1 of A, and moves rows within these columns only.
 * Enqueues. */
clsolve_status cls_panel_factor(cls_panel *panel, const cls_matrix *A, int64_t j, int64_t rows, int64_t cols);

/* import.c: `n` pivots, counted from 1, and the moves that they ask for, as after a factorization whose panels, of
 * `width` columns each, are in the matrix already. Waits. */
clsolve_status cls_panel_set_pivots(cls_panel *panel, int64_t n, const int64_t *ipiv, int64_t width);

/* ---- moves.c ---- */

/* Merges the moves of the leaves of the block at j, which has been factored. Enqueues in that queue. */
clsolve_status cls_panel_merge_moves(cls_panel *panel, cls_queue queue, int64_t j, int64_t width);
/*
 * Moves rows of `matrix` as the leaves of the columns begin .. end-1 did, in the columns first .. last-1 of it but not
 * in hole .. hole+hole_width-1; `reverse` moves them back. Enqueues in that queue.
 */
clsolve_status cls_panel_move_rows(cls_panel *panel, cls_queue queue, const cls_matrix *matrix, int64_t first,
                                   int64_t last, int64_t hole, int64_t hole_width, int64_t begin, int64_t end,
                                   int reverse);

/* ---- step.c ---- */

/*
 * The step of LU: a factored block column, columns j .. j+width-1 in one slab, wherever it lies, is applied to the
 * columns from .. to-1 of A in three parts:
 *
 *           j     k=j+width   from      to
 *        j  | L11 |     . . . | A12 |         1. the rows of A12 and A22 move as the panel has moved its own
 *        k  | L21 |           | A22 |         2. A12 = L11^-1 A12, which are rows of U
 *      end  |-----|           |-----|         3. A22 = A22 - L21 A12
 */
typedef struct cls_block_column {
    cls_ref at; /* of element (j, j) */
    int64_t j, width;
    int64_t end; /* the row behind the last one that L21 has */
} cls_block_column;

/* All three; the second and the third; the second. They enqueue in that queue. */
clsolve_status cls_panel_step(cls_panel *panel, cls_queue queue, const cls_block_column *L, const cls_matrix *A,
                              int64_t from, int64_t to);
clsolve_status cls_panel_update(const cls_panel *panel, cls_queue queue, const cls_block_column *L, const cls_matrix *A,
                                int64_t from, int64_t to);
clsolve_status cls_panel_solve(const cls_panel *panel, cls_queue queue, const cls_block_column *L, const cls_matrix *A,
                               int64_t from, int64_t to);
/* The third of any number of columns p .. q-1 of L in A, for the rows top .. bottom-1 alone. */
clsolve_status cls_panel_multiply(const cls_panel *panel, cls_queue queue, const cls_matrix *A, int64_t top,
                                  int64_t bottom, int64_t p, int64_t q, int64_t from, int64_t to);

/* ---- host.c ---- */

/* LAPACK's laswp: the exchanges first .. last of `pivots`, which count from 1, in that order or with -1 backwards. */
void cls_panel_laswp(clsolve_type type, int64_t columns, void *A, int64_t lda, int64_t first, int64_t last,
                     const int *pivots, int order);
/* LU of m x n elements by LAPACK; pivots count from 1 within them. Returns LAPACK's info. */
int64_t cls_panel_lapack(clsolve_type type, int64_t m, int64_t n, void *A, int64_t ld, int *pivots);
/* The same by this thread alone. It suits while compilers work, for matrices that it factors in tenths of a second. */
int cls_panel_alone_suits(int64_t m, int64_t n);
int64_t cls_panel_alone(clsolve_type type, int64_t m, int64_t n, void *A, int64_t ld, int *pivots);
/* cls_panel_factor for a mapped matrix, without halving. *info as LAPACK's, kept when it is not 0. */
void cls_panel_host_factor(cls_panel *panel, const cls_matrix *A, int64_t j, int64_t rows, int64_t cols, int64_t *info);
/* The moves of the panel at j, leaf by leaf, from `width` pivots that count from 1: 2 width sources and targets. */
void cls_panel_list_moves(const cls_panel *panel, const int *pivots, int64_t j, int64_t width, int64_t *sources,
                          int64_t *targets);
/* Lists the same from host_pivots and sends them up to the device. Enqueues. */
clsolve_status cls_panel_send_moves(cls_panel *panel, int64_t j, int64_t width);

/* ---- selftest.c ---- */

/*
 * Tests the kernels on a small system whose solution is known, once per device, driver and type; the outcome is kept
 * on disk. *form: CLS_PANEL_KERNELS_RIGHT, or the form that is wrong and must not be used.
 */
typedef enum cls_panel_kernels {
    CLS_PANEL_KERNELS_RIGHT = 1,
    CLS_PANEL_KERNELS_NO_WHOLE = 2, /* a leaf in one launch is wrong; by steps it is right */
    CLS_PANEL_KERNELS_WRONG = 3
} cls_panel_kernels;
/* `leaf`: that of the panel that is opened, whose programs the test takes where they suit. `resident`: with resident
 * leaves, which have passed a test of their own, and not with leaves by steps; *form is RIGHT or WRONG. */
clsolve_status cls_panel_self_test(cls_device *device, clsolve_type type, int64_t leaf, int resident,
                                   cls_panel_kernels *form);
/* Announces the programs of a test that is still to be made. */
clsolve_status cls_panel_self_test_announce(cls_device *device, clsolve_type type, int64_t leaf, int resident);

/* ---- selftest_system.c ---- */

/* A system of order n, tight, by columns or by rows, whose factorization exchanges rows in every column; and whether X
 * is its solution. */
void cls_panel_test_system(clsolve_type type, int64_t n, int by_columns, void *A, void *B);
int cls_panel_test_right(clsolve_type type, int64_t n, const void *X);

#endif
