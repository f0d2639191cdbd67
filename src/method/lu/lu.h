/*
 * lu.h: dense LU with partial pivoting on the device: P A = L U by blocks of columns, right-looking.
 *
 *      j    j+b
 *      |  U  |   U12           for each block of b columns:
 *      |-----|---------          1. panel: factor rows j.. of the block (method/panel), moving its rows
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
#include "method/direct/growth.h"
#include "method/direct/sides.h"
#include "method/entries.h"
#include "method/out_of_core/out_of_core.h"
#include "method/panel/panel.h"
#include "method/transfer.h"

typedef struct cls_lu cls_lu;
typedef struct cls_lu_engine cls_lu_engine; /* direct.h */
typedef struct cls_arrival cls_arrival;     /* method/arrival.h */

/* Random butterflies instead of pivots: see rbt.h. */
typedef struct cls_lu_rbt {
    int offered;    /* the handle has them */
    int on;         /* lu->A is, or will be, L\U of W^T A V, without pivots */
    uint64_t seed;  /* of their numbers */
    double log_det; /* ln |det W det V|; its sign is + */
    double *host;   /* the numbers where the matrix is mapped; else NULL */
    cls_buffer *diagonals;
    cls_kernel *matrix, *vectors;
    int64_t lanes;
} cls_lu_rbt;

/* Few right-hand sides in one launch a triangle: see sweep.h. */
typedef struct cls_lu_swept {
    cls_kernel *kernel[2]; /* for one right-hand side, and for two */
    cls_offers words;
    cls_buffer *late;
    int32_t groups; /* at most; 0: not on this device */
    int used;       /* by the last solve */
} cls_lu_swept;

/* Few rows: see small.h. */
typedef struct cls_lu_small {
    int whole;                 /* one launch does all */
    int64_t span, parts, each; /* the work-group, and rows of a work-item: cl/lu_small.cl */
    cls_kernel *steps, *solve, *move;
    cls_buffer *rows, *columns, *places, *record;
    cls_buffer *source, *sides; /* of few rows: A as it came; right-hand sides, and what was found in them */
    /* The factors on the host, tight, and their pivots, for the condition number of CLS_LU_SMALL_WHOLE rows at most.
     * NULL: they are not wanted. */
    void *host;
    int64_t *host_ipiv;
    int *host_pivots;
    int host_is_new; /* they are those of lu->A */
    /* The outcome of the last factorization, when it has been read. */
    int64_t info;
    cls_measures measures;
    cls_growth growth;
} cls_lu_small;

struct cls_lu {
    cls_device *device;
    clsolve_type type;
    int64_t n;
    int64_t rows;       /* of A: n, but for a rectangle's (rectangle.h), whose panels are n columns in all */
    int64_t behind;     /* columns of A behind these n, which are brought up to date with them: a wide rectangle's */
    int64_t block;      /* columns in a block, a multiple of panel.leaf */
    int64_t slab_bytes; /* the caller's bound on a buffer, or 0 */

    int64_t memory_limit; /* the caller's bound on the device memory of the handle, or 0 */
    int64_t base_bytes;   /* device memory taken by cls_lu_setup */
    int64_t beside;       /* device memory of the handle's other factors, under the same limit */
    int in_core_only;     /* these factors are not made out of core; both are set before cls_lu_setup */
    int borrows; /* A is a view of the caller's, in core, and set before cls_lu_setup; without kernels for solves */

    cls_matrix A; /* L\U after the factorization; out of core a window on it */
    cls_out out;  /* where it does not fit the device; all zeros in core */

    int64_t arrival_columns;    /* A comes while it is factored, so many columns at a time; 0: it comes before */
    cls_arrival *arrival;       /* while it comes; else NULL */
    struct cls_lu_slabs *slabs; /* while it is factored out of core (out_of_core.h); else NULL */
    const cls_entries *entries; /* of a factorization under way whose matrix came as a sparse one; else NULL */

    int ahead; /* look-ahead is worth its queues here */

    cls_panel panel; /* and the pivots and moves of all blocks */
    cls_kernel *det, *mend;
    cls_check check;
    cls_transfer transfer;
    cls_lu_rbt rbt;
    cls_lu_swept sweep;
    cls_lu_small small;
    const cls_lu_engine *engine; /* of a matrix in core; NULL but for cls_lu_setup's */

    cls_matrix B, scratch; /* right-hand sides, and the same transposed; grown when more of them come */
};

/* As the kernels of few right-hand sides have it: 0, 1 for the transpose, 2 for the conjugate transpose. */
static inline int32_t cls_lu_trans_of(clsolve_op op) {
    return op == CLSOLVE_NO_TRANS ? 0 : op == CLSOLVE_TRANS ? 1 : 2;
}

/* `lu` is zeroed memory. On failure the caller still calls cls_lu_release. */
clsolve_status cls_lu_setup(cls_device *device, int64_t n, clsolve_type type, const clsolve_lu_options *options,
                            cls_lu *lu);
void cls_lu_release(cls_lu *lu);
/* The panel and lu->block, for lu->rows and lu->n. UNSUPPORTED: hybrid panels are asked of a device with memory of its
 * own. */
clsolve_status cls_lu_take_panel(cls_lu *lu, const clsolve_lu_options *options, clsolve_panel panel);
/* lu->A stays mapped, and LAPACK factors its panels: the host's memory for them. */
clsolve_status cls_lu_map(cls_lu *lu);
/* The kernels, for a matrix that is not mapped: a part of the setup, after the panel's memory is there. */
clsolve_status cls_lu_build(cls_lu *lu);

/* ---- whole.c ---- */

/*
 * Factors lu->A in place, in core. *info as LAPACK's. `options` may be NULL. Returns when the device is done. *again
 * becomes 1 where a resident leaf failed and lu->A is spoilt: restore it and call again. That happens once at most.
 */
clsolve_status cls_lu_factor(cls_lu *lu, const clsolve_lu_options *options, int64_t *info, int *again);

/* The same of the columns begin .. end-1 of lu->A, whose rows from `begin` on become L\U, between cls_panel_start and
 * cls_panel_end. It enqueues, or in the host's memory works; *info is kept when it is not 0. */
clsolve_status cls_lu_factor_columns(cls_lu *lu, int64_t begin, int64_t end, const clsolve_lu_options *options,
                                     int64_t *info);

/* All columns without waiting and without look-ahead: panel.info is left on the device. */
clsolve_status cls_lu_factor_enqueue(cls_lu *lu);

/* The columns c .. k-1 of L, which lie in one slab. */
static inline cls_block_column cls_lu_block_column(const cls_lu *lu, int64_t c, int64_t k) {
    return (cls_block_column){cls_matrix_at(&lu->A, c, c), c, k - c, lu->rows};
}

/* ---- solve.c ---- */

/* LAPACK's pivots, counted from 1. */
clsolve_status cls_lu_pivots(cls_lu *lu, int64_t *ipiv);

/* The first `cols` columns of lu->B become op(A)^-1 times them. Enqueues. */
clsolve_status cls_lu_apply(void *lu, clsolve_op op, int64_t cols);

/* memory.c: whether the matrix is held whole, by what lu has taken so far; else in a window, see out_of_core.h. */
int cls_lu_fits_in_core(const cls_lu *lu);
/* Fails with that status: says the bytes wanted and had, and why they would have to be had. */
clsolve_status cls_lu_not_in_core(const cls_lu *lu, clsolve_status status, const char *why);

/* The right-hand sides, as method/direct/sides.h has them, for solves with `cols` of them. */
cls_sides cls_lu_sides(void *lu, int64_t cols);
/* Makes lu->B (and with `row_major` lu->scratch) hold `cols` columns. Keeps what is there when it is enough. */
clsolve_status cls_lu_reserve(cls_lu *lu, int64_t cols, int row_major);

#endif
