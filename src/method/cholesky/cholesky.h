/*
 * cholesky.h: Cholesky factorization of a symmetric positive definite matrix on the device: A = L L^T by blocks of
 * columns (factor.c has the picture). No pivot is looked for. A word on the device keeps the first column whose minor
 * is not positive.
 *
 * On the device the factor is always L, in the lower triangle. Where the device works in the host's memory the matrix
 * stays mapped and LAPACK's potrf does it all, in the triangle that the caller's array has; symmetric.h says which.
 * For a hermitian matrix, of complex elements, each transpose here is the conjugate one.
 */
#ifndef CLS_CHOLESKY_H
#define CLS_CHOLESKY_H

#include <clsolve/cholesky.h>

#include "device/matrix.h"
#include "method/arrival.h"
#include "method/check.h"
#include "method/direct/growth.h"
#include "method/direct/sides.h"
#include "method/out_of_core/out_of_core.h"
#include "method/panel/panel.h"
#include "method/symmetric.h"
#include "method/together.h"
#include "method/trailing.h"
#include "method/transfer.h"

typedef struct cls_cholesky {
    cls_device *device;
    clsolve_type type;
    int64_t n;
    int64_t block, leaf; /* columns in a block, a multiple of those in a leaf */
    int64_t slab_bytes;  /* the caller's bound on a buffer, or 0 */

    int64_t memory_limit; /* the caller's bound on the device memory of the handle, or 0 */
    int64_t base_bytes;   /* device memory taken by cls_cholesky_setup */
    int64_t beside;       /* device memory of the handle's other factors, under the same limit; set before setup */

    clsolve_uplo uplo; /* the caller's triangle of the matrix that comes next */
    int upper;         /* of a mapped matrix: the factor is U in the upper triangle, in memory */
    cls_matrix A;      /* the factor after the factorization; out of core a window on it */
    cls_out out;       /* where it does not fit the device; all zeros in core */
    cls_matrix whole;  /* the memory of `out` as a mapped matrix: A, and the factor after the factorization */
    int in_core_only;  /* this factor is not made out of core; set before setup, as `beside` */
    int borrows;       /* A is a view of the caller's, in core, and set before setup */
    int ahead;         /* panels overlap products */
    int tiles;         /* a leaf is cl/cholesky_tiles.cl's, and not cl/cholesky.cl's */
    int is_band;       /* A is a view of a band's storage */
    int64_t reach;     /* rows below a block of columns that have something: n, of a band its diagonals */
    int whole_range;   /* products keep the type's whole range: of a huge band, or of a factor from the caller */
    int steady;        /* products have the same bits each time: see cls_blas_options */

    int64_t together; /* up to so many rows below a leaf are solved for in its launch; 0: none */

    int64_t arrival_columns; /* A comes while it is factored, so many columns at a time; 0: it comes before */
    cls_arrival *arrival;    /* while it comes; else NULL */

    cls_kernel *leaf_kernel, *rows_kernel, *panel_kernel, *det;
    cls_buffer *info;    /* one int64_t: 0, or the first column that failed, from 1 */
    cls_offers offers;   /* of panel_kernel's groups to each other */
    cls_pinned *watched; /* where the host reads it during a factorization */
    int64_t *words;      /* CLS_WATCHED + 1 of them */
    cls_check check;
    cls_transfer transfer;
    cls_symmetric mirror;

    cls_matrix B, scratch; /* right-hand sides, and the same transposed; grown when more of them come */
} cls_cholesky;

/* `cholesky` is zeroed memory but for `beside` and `in_core_only`. On failure the caller still calls
 * cls_cholesky_release. */
clsolve_status cls_cholesky_setup(cls_device *device, int64_t n, clsolve_type type,
                                  const clsolve_cholesky_options *options, cls_cholesky *cholesky);
void cls_cholesky_release(cls_cholesky *cholesky);

/*
 * The same of a band with k diagonals below the main one, k < n or 0. The options block, slab_bytes, memory_limit and
 * progress count.
 *
 * Column j of the storage has element (i, j) of L at row top + i - j. So the next element of a row is ld - 1 elements
 * away, and every rectangle within the stored diagonals is a dense block of that leading dimension:
 *
 *      top        a block's diagonals or more above the main one, where squares on the diagonal leave what nobody reads
 *      1 + k      the diagonals of L
 *      block - 1  diagonals of zeros, in which the lower left corners of the blocks' rectangles lie
 */
clsolve_status cls_cholesky_setup_band(cls_device *device, int64_t n, int64_t k, clsolve_type type,
                                       const clsolve_cholesky_options *options, cls_cholesky *cholesky);
/* A band's storage as it lies: physical rows, the main diagonal in row cholesky->A.offset. */
cls_matrix cls_cholesky_stored(const cls_cholesky *cholesky);

/* The row behind those that the columns up to `end` reach. */
static inline int64_t cls_cholesky_bottom(const cls_cholesky *cholesky, int64_t end) {
    return cholesky->n - end < cholesky->reach ? cholesky->n : end + cholesky->reach;
}

/* ---- whole.c ---- */

/* Factors all of cls_cholesky_matrix in place, which comes by cholesky->arrival or is there; *info as LAPACK's potrf.
 * Returns when the device is done. `options` may be NULL. */
clsolve_status cls_cholesky_factor(cls_cholesky *cholesky, const clsolve_cholesky_options *options, int64_t *info);
/* Factors all of cholesky->A, in core and not mapped, without waiting: the word stays on the device. */
clsolve_status cls_cholesky_factor_enqueue(cls_cholesky *cholesky);

/* ---- panel.c: on the device; both enqueue ---- */

/* The columns j .. j + width - 1, all rows from j on that they reach. */
clsolve_status cls_cholesky_panel(cls_cholesky *cholesky, int64_t j, int64_t width);
/* The same of a leaf at most. */
clsolve_status cls_cholesky_leaf(cls_cholesky *cholesky, int64_t j, int64_t width);
/* How columns of L are applied to others. */
static inline cls_trailing cls_cholesky_trailing(const cls_cholesky *c) {
    return (cls_trailing){
        c->device, {CLS_COMPUTE, c->whole_range, c->steady}, c->type, cls_adjoint(c->type), &c->A, &c->A, &c->A};
}

/* ---- determinant.c ---- */

/* The determinant of the product, after a factorization without failure. */
clsolve_status cls_cholesky_determinant(cls_cholesky *cholesky, cls_growth *growth);
/* The same in two parts, of a matrix that is not mapped: enqueues, and leaves it in c->check.record; a record that has
 * been read. */
clsolve_status cls_cholesky_multiply_diagonal(cls_cholesky *cholesky);
void cls_cholesky_take_determinant(const cls_cholesky *cholesky, const int64_t *record, cls_growth *growth);

/* ---- out_of_core.c ---- */

/* The matrix that A is taken to, and that becomes the factor: cholesky->A, or out of core cholesky->whole. */
static inline cls_matrix *cls_cholesky_matrix(cls_cholesky *cholesky) {
    return cholesky->out.slab > 0 ? &cholesky->whole : &cholesky->A;
}
/* Takes the window cholesky->A, the streams and the host's memory, after the kernels; chooses cholesky->block anew. */
clsolve_status cls_cholesky_out_setup(cls_cholesky *cholesky);
/* cls_columns_ops.next, .take, .view and .used of slabs, of a cls_cholesky. They tell the progress too. */
clsolve_status cls_cholesky_next_slab(void *holder, int64_t from, int64_t *to);
clsolve_status cls_cholesky_take_slab(void *holder, int64_t c, int64_t k, cls_block_column *L);
cls_matrix cls_cholesky_view_slab(void *holder, int64_t lead, int64_t c, int64_t to, int64_t *run);
clsolve_status cls_cholesky_used_slab(void *holder, int64_t c, int64_t k, cls_queue queue);

/* ---- selftest.c ---- */

/* UNSUPPORTED where the kernels are wrong on the device. The outcome is kept with the compiled programs, under the
 * options that they were built with. */
clsolve_status cls_cholesky_self_test(cls_cholesky *cholesky, const char *options);

/* ---- lapack.c: the same of a mapped matrix, and what else it has ---- */

void cls_cholesky_lapack_factor(const cls_cholesky *cholesky, int64_t *info);
/* `cols` columns of cholesky->B, which is mapped too. */
void cls_cholesky_lapack_solve(const cls_cholesky *cholesky, int64_t cols);
/* n x n values with the factor in one triangle, which becomes that of the inverse. */
void cls_cholesky_lapack_invert(clsolve_type type, int64_t n, int upper, void *values);

/* ---- solve.c ---- */

/* The first `cols` columns of cholesky->B become A^-1 times them. Enqueues. */
clsolve_status cls_cholesky_apply(cls_cholesky *cholesky, int64_t cols);
/* The same of the rows and columns of A from `top` on: the rows of B before it are neither read nor written. Not of a
 * mapped matrix. */
clsolve_status cls_cholesky_apply_from(cls_cholesky *cholesky, int64_t top, int64_t cols);

/* The right-hand sides, as method/direct/sides.h has them. */
cls_sides cls_cholesky_sides(void *cholesky, int64_t cols);
/* cls_direct_ops.solve in core: A^-1 is its own adjoint. */
clsolve_status cls_cholesky_solve_host(void *factors, clsolve_op op, int64_t cols, double *x);
/* Makes cholesky->B (and with `row_major` cholesky->scratch) hold `cols` columns. Keeps what is there when it is
 * enough. */
clsolve_status cls_cholesky_reserve(cls_cholesky *cholesky, int64_t cols, int row_major);

#endif
