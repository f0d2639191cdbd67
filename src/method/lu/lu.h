/*
 * lu.h: dense LU with partial pivoting on the device: P A = L U by blocks of columns, right-looking.
 *
 *      j    j+b
 *      |  U  |   U12           for each block of b columns:
 *      |-----|---------          1. panel: factor rows j.. of the block (panel.c), moving its rows
 *   j  | L\U |   A12             2. move the same rows left and right of it
 *      |  L  |   A22             3. A12 = L11^-1 A12
 *                                4. A22 = A22 - L21 A12
 *
 * Nothing in the loop waits for the host or crosses the bus where the BLAS provider runs on the device.
 */
#ifndef CLS_LU_H
#define CLS_LU_H

#include <clsolve/lu.h>

#include "device/matrix.h"
#include "method/check.h"
#include "method/transfer.h"

/* resident.c: see there. */
enum { CLS_LU_ROWS = 4, CLS_LU_BATCHES = 3 };

/* What a factorization that does not fit the device has beside the rest: see out_of_core.c. */
typedef struct cls_lu_out {
    int64_t slab;          /* columns in the window lu->A on the matrix, a multiple of block; 0: all is in core */
    void *host;            /* the factors, n x n, column-major, ld n, in pageable memory */
    int64_t streams;       /* how many of these there are: each holds a block column on its way up */
    cls_buffer *stream[2]; /* n x block, or block x n */
    cls_event *up[2];      /* the block column has come */
    cls_event *used[2];    /* what was enqueued to use it is done */
} cls_lu_out;

/* Random butterflies instead of pivots: see rbt.h. */
typedef struct cls_lu_rbt {
    int offered;    /* the handle has them */
    int on;         /* lu->A is, or will be, L\U of W^T A V, without pivots */
    uint64_t seed;  /* of their numbers */
    double log_det; /* ln |det W det V|; its sign is + */
    double tiny;    /* pivots that are no larger count as zeros */
    double *host;   /* the numbers where the matrix is mapped; else NULL */
    cls_buffer *diagonals;
    cls_kernel *matrix, *vectors, *diagonal, *rows;
    int64_t lanes;
} cls_lu_rbt;

/* Few right-hand sides: see substitute.h. */
typedef struct cls_lu_few {
    int32_t block; /* rows of a launch; 0: not on this device */
    cls_kernel *kernel;
} cls_lu_few;

/* Pivots found by a tournament: see tournament.h. */
typedef struct cls_lu_tournament {
    int on;
    int64_t lanes; /* of a round's work-groups: work-items, and rows */
    cls_kernel *round, *rows;
    cls_buffer *winners[2], *elements[2]; /* their numbers in the leaf and their rows, of one round and the next */
    cls_buffer *upper;                    /* the leaf's U */
} cls_lu_tournament;

typedef struct cls_lu {
    cls_device *device;
    clsolve_type type;
    int64_t n;
    int64_t block;      /* columns in a block, a multiple of leaf */
    int64_t leaf;       /* columns that panel.c factors column by column */
    int64_t slab_bytes; /* the caller's bound on a buffer, or 0 */

    int64_t memory_limit; /* the caller's bound on the device memory of the handle, or 0 */
    int64_t base_bytes;   /* device memory taken by cls_lu_setup */
    int64_t beside;       /* device memory that something else of the handle's takes of the same limit */
    int in_core_only;     /* these factors are not made out of core; both are set before cls_lu_setup */

    cls_matrix A;   /* L\U after the factorization; out of core a window on it */
    cls_lu_out out; /* all zeros in core */

    /* Step by step state of a leaf, see cl/lu_panel.cl. `groups` is the most that a launch has. */
    int hybrid; /* panels are LAPACK's: in place where A is mapped, else they travel (hybrid.c, host.c) */
    int ahead;  /* 1: the next panel is factored beside the trailing update (lookahead.c) */
    int64_t work_group, rows_at_once, groups;
    int64_t whole;    /* leaves of up to this many rows take one launch of one group */
    int64_t resident; /* and up to this many one launch of many groups that wait for each other; 0: none */
    uint32_t marks;   /* of its steps so far: see cl/lu_resident.cl */
    cls_buffer *offers;
    int32_t most_groups; /* that it has room for */
    cls_buffer *positions, *values, *rows, *places, *pivots;

    /* What the factorization leaves beside L\U: LAPACK's pivots (n, from 1), the moves of rows (2 n each), and the
     * number of the first column without a pivot, or 0; info[1] is not 0 when a resident leaf has failed. */
    cls_buffer *ipiv, *sources, *targets, *info;

    int64_t move_x, move_y; /* work-group of lu_move_rows */
    int64_t merged;         /* the moves of the columns before this one are merged, block by block; moves.c */
    cls_buffer *merged_sources, *merged_targets; /* NULL: not on this device */
    cls_kernel *move_merged, *merge_moves;
    cls_kernel *leaf_begin, *leaf_step, *leaf_whole, *leaf_swaps, *move_rows, *det, *mend;
    cls_kernel *leaf_resident[CLS_LU_ROWS][CLS_LU_BATCHES]; /* by rows of a work-item and by groups; NULL: not needed */
    cls_check check;
    cls_transfer transfer;
    cls_lu_rbt rbt;
    cls_lu_tournament tournament;
    cls_lu_few substitute;

    /* Hybrid: LAPACK's pivots (n, from 1); and where A is not mapped, the panel on
     * its way and the moves to send up. */
    int *host_pivots; /* lapack_int */
    int64_t *host_sources, *host_targets;
    cls_pinned *pinned;
    void *panel;

    cls_matrix B, scratch; /* right-hand sides, and the same transposed; grown when more of them come */
} cls_lu;

/* `lu` is zeroed memory. On failure the caller still calls cls_lu_release. */
clsolve_status cls_lu_setup(cls_device *device, int64_t n, clsolve_type type, const clsolve_lu_options *options,
                            cls_lu *lu);
void cls_lu_release(cls_lu *lu);

/*
 * Without a matrix: what cls_lu_panel and cls_lu_move_rows want for panels of at most rows x width in the columns 0 .. n-1,
 * whose views come into lu->A and their end into lu->n. With `mapped` only the host works, and only
 * lu->host_pivots is taken.
 */
clsolve_status cls_lu_setup_panels(cls_device *device, int64_t n, int64_t rows, int64_t width, clsolve_type type,
                                   int hybrid, int mapped, cls_lu *lu);

/*
 * Factors lu->A in place. *info as LAPACK's. `progress` may be NULL. Returns when the device is done. With *again the
 * device did not do what it was taken to do and lu->A is spoilt: set it anew and call again; it happens once at most.
 */
clsolve_status cls_lu_factor(cls_lu *lu, const clsolve_lu_options *options, int64_t *info, int *again);

/*
 * The same in parts, for a matrix that is not there as a whole: begin; the columns begin .. end-1 of lu->A as they are,
 * rows begin.. (enqueues, or with hybrid panels waits); end, which waits.
 */
clsolve_status cls_lu_factor_begin(cls_lu *lu, int64_t *info);
clsolve_status cls_lu_factor_columns(cls_lu *lu, int64_t begin, int64_t end, const clsolve_lu_options *options,
                                     int64_t *info);
clsolve_status cls_lu_factor_end(cls_lu *lu, int64_t *info, int *again);

/* The same without waiting: lu->info is left on the device. */
clsolve_status cls_lu_factor_enqueue(cls_lu *lu);

/* The lists of the first `cols` columns: no moves, and pivots beyond the last row. So a handle's are before a leaf has filled
 * them: one that gives up leaves them as they are, and what follows it has been enqueued. */
clsolve_status cls_lu_empty_lists(cls_lu *lu, int64_t cols);

/* Factors rows j.. of the columns j .. j + width - 1 and moves rows within these columns only. Enqueues. */
clsolve_status cls_lu_panel(cls_lu *lu, int64_t j, int64_t width);

/* The columns begin .. end-1, each panel beside the update that the one before it asks for. Enqueues. */
clsolve_status cls_lu_factor_ahead(cls_lu *lu, int64_t begin, int64_t end, const clsolve_lu_options *options,
                                   cls_event **previous);

/* Enqueue. For the block at j, in the columns from .. to-1 right of it: A12 = L11^-1 A12; and that, then A22 = A22 - L21 A12.
 * _multiply: the columns p .. q-1 of L into the rows top .. bottom-1 of the columns from .. to-1. */
clsolve_status cls_lu_update_rows(cls_lu *lu, int64_t j, int64_t width, int64_t from, int64_t to);
clsolve_status cls_lu_update(cls_lu *lu, int64_t j, int64_t width, int64_t from, int64_t to);
clsolve_status cls_lu_multiply(cls_lu *lu, int64_t top, int64_t bottom, int64_t p, int64_t q, int64_t from, int64_t to);

/* Tells the caller's progress, as far as the device is. */
clsolve_status cls_lu_tell(cls_lu *lu, const clsolve_lu_options *options, int64_t done, cls_event **previous);

/* LAPACK's pivots, counted from 1. */
clsolve_status cls_lu_pivots(cls_lu *lu, int64_t *ipiv);

/* hybrid.c: the same with LAPACK's panels, of the columns begin .. end-1; *info as LAPACK's, kept when it is not 0. */
clsolve_status cls_lu_hybrid_setup(cls_lu *lu);
void cls_lu_hybrid_release(cls_lu *lu);
clsolve_status cls_lu_hybrid_factor(cls_lu *lu, int64_t begin, int64_t end, const clsolve_lu_options *options,
                                    int64_t *info);

/* Its memory for n pivots, and where panels travel for their moves and one of `panel` elements. */
clsolve_status cls_lu_host_state(cls_lu *lu, int64_t n, int64_t panel);
/* The moves of the block at j, leaf by leaf, from its pivots (`width` of them, counted from 1): 2 width sources and targets. */
void cls_lu_list_block_moves(const cls_lu *lu, const int *pivots, int64_t j, int64_t width, int64_t *sources,
                             int64_t *targets);

/* host.c: the work on matrices in the host's memory. */
/* LU of an m x n panel; pivots count from 1 within it. Returns LAPACK's info. */
int64_t cls_lu_host_panel(clsolve_type type, int64_t m, int64_t n, void *A, int64_t ld, int *pivots);
/* cls_lu_move_rows for a mapped matrix. */
void cls_lu_host_moves(const cls_lu *lu, const cls_matrix *matrix, int64_t first, int64_t last, int64_t begin,
                       int64_t end, int reverse);

/*
 * selftest.c: do the kernels of dense LU compute what they should on this device? Tried once per device, driver and type
 * on a small matrix, and kept on disk. *form: CLS_LU_KERNELS_RIGHT, or what was found wrong and must not be used.
 */
typedef enum cls_lu_kernels {
    CLS_LU_KERNELS_RIGHT = 1,
    CLS_LU_KERNELS_NO_WHOLE = 2, /* a leaf in one launch is wrong; by steps it is right */
    CLS_LU_KERNELS_WRONG = 3
} cls_lu_kernels;
clsolve_status cls_lu_self_test(cls_device *device, clsolve_type type, cls_lu_kernels *form);

/* Its system, row-major, and whether X is the solution. One leaf: a matrix product is not ours, and may take long to
 * compile. */
enum { CLS_LU_TEST_ORDER = 24 };
void cls_lu_self_test_system(clsolve_type type, void *A, void *B);
int cls_lu_self_test_right(clsolve_type type, const void *X);

/* resident.c: leaves in one launch where the device can. _width: the most columns of one, where the first has so many
 * rows; 0 where it can't. _setup prepares, after the rest of lu; tests the device once. */
int64_t cls_lu_resident_width(const cls_device *device, clsolve_type type, int64_t rows);
clsolve_status cls_lu_resident_setup(cls_lu *lu);
clsolve_status cls_lu_resident_leaf(cls_lu *lu, int64_t j, int64_t width);

/* moves.c. Prepares, after the rest of lu. */
clsolve_status cls_lu_moves_setup(cls_lu *lu);
/* Merges the moves of the leaves of a block that has been factored. Enqueues. */
clsolve_status cls_lu_merge_moves(cls_lu *lu, int64_t j, int64_t width);

/*
 * Moves rows of `matrix` as the leaves of the columns begin .. end-1 did, in the columns first .. last-1 of it but not
 * in hole .. hole+hole_width-1; `reverse` moves them back. Enqueues.
 */
clsolve_status cls_lu_move_rows(cls_lu *lu, const cls_matrix *matrix, int64_t first, int64_t last, int64_t hole,
                                int64_t hole_width, int64_t begin, int64_t end, int reverse);

/* The first `cols` columns of lu->B become op(A)^-1 times them. Enqueues. */
clsolve_status cls_lu_apply(cls_lu *lu, clsolve_op op, int64_t cols);

/* memory.c: whether the matrix is held whole, by what lu has taken so far; else in a window, see out_of_core.h. */
int cls_lu_fits_in_core(const cls_lu *lu);
/* Says so, with the bytes wanted and had: for factors that have no other place, and for those without pivots. */
clsolve_status cls_lu_not_in_core(const cls_lu *lu);
clsolve_status cls_lu_rbt_not_in_core(const cls_lu *lu);

/* Makes lu->B (and with `row_major` lu->scratch) hold `cols` columns. Keeps what is there when it is enough. */
clsolve_status cls_lu_reserve(cls_lu *lu, int64_t cols, int row_major);

#endif
