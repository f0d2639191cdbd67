/*
 * ldl.h: factorization of a symmetric or hermitian indefinite matrix in core, by Bunch-Kaufman pivoting with rook
 * exchange: P^T A P = L D L^T, of a hermitian matrix with L^H.
 *
 * The factors have the form of LAPACK's sytrf_rk with UPLO = 'L'. Each exchange is applied to all columns of L, also to
 * those before it, so that a solve is two triangular solves of many columns:
 *
 *      d0                  d: D's diagonal, and e its elements below the diagonal, apart from A
 *      0  d1      e0       0: L(k+1,k) where rows k and k+1 are one block of order 2
 *      l  l  d2            l: L, unit lower triangular; |l| < 2.8, by kernels |l| <= 8
 *      l  l  l  d3
 *
 * The upper triangle of A is undefined. An engine factors and solves: cls_ldl_on_host by LAPACK, where the matrix is
 * mapped, and one by kernels elsewhere. D and the pivots are on the host too, where determinant and inertia are
 * counted.
 */
#ifndef CLS_LDL_H
#define CLS_LDL_H

#include <clsolve/ldl.h>

#include "device/matrix.h"
#include "method/check.h"
#include "method/direct/growth.h"
#include "method/direct/sides.h"
#include "method/symmetric.h"
#include "method/transfer.h"

typedef struct cls_ldl cls_ldl;

typedef struct cls_ldl_engine {
    /* Kernels and buffers, into ldl->own. ldl->A is there; n may be 0. */
    clsolve_status (*setup)(cls_ldl *ldl, const clsolve_ldl_options *options);
    /* Also after a setup that failed: ldl->own may be NULL. */
    void (*release)(cls_ldl *ldl);
    /* The lower triangle of ldl->A becomes L and D's diagonal; ldl->d, ->e and ->ipiv are filled. *info: 0, or the
     * first column, from 1, whose pivot of order 1 is exactly zero; the factorization goes on behind it. Returns when
     * the device is done. n > 0. `options` may have a progress function. */
    clsolve_status (*factor)(cls_ldl *ldl, const clsolve_ldl_options *options, int64_t *info);
    /* The first `cols` columns of ldl->B become A^-1 times them. Enqueues. n, cols > 0, and no pivot is zero. */
    clsolve_status (*apply)(cls_ldl *ldl, int64_t cols);
    /* `factor` without a wait: as far as the device goes without the host, in CLS_COMPUTE. The word state() is 0 then,
     * or says where `finish` goes on; until then what is solved for is no solution. NULL: not by this engine. */
    clsolve_status (*enqueue)(cls_ldl *ldl);
    cls_buffer *(*state)(const cls_ldl *ldl);
    /* The rest of it, with the device's word; *info as from `factor`. */
    clsolve_status (*finish)(cls_ldl *ldl, int64_t word, int64_t *info);
    /* ldl->A, ->d, ->e and ->ipiv came from the caller: to where `apply` wants them. NULL: they are there. */
    clsolve_status (*put)(cls_ldl *ldl);
    /* n x n tight values with L and D's diagonal in the lower triangle, which becomes that of the inverse. NULL: by
     * solves. */
    clsolve_status (*invert)(cls_ldl *ldl, void *values);
} cls_ldl_engine;

struct cls_ldl {
    cls_device *device;
    clsolve_type type;
    int hermitian; /* of complex elements; a real matrix is as well */
    int partial;   /* a block of order 2 has the row at its first place: its first pivot is that place */
    int rook;      /* on the host LAPACK's rook pivots */
    int64_t n;
    int64_t slab_bytes;   /* the caller's bound on a buffer, or 0 */
    int64_t memory_limit; /* the caller's bound on the device memory of the handle, or 0 */
    int64_t base_bytes;   /* device memory taken by cls_ldl_setup */
    int64_t beside;       /* device memory of the handle's other factors, under the same limit; set before setup */
    int steady;           /* products have the same bits each time: see cls_blas_options */

    clsolve_uplo uplo; /* the caller's triangle of the matrix that comes next */
    cls_matrix A;      /* see above */
    int64_t *ipiv;     /* n pivots from 1, as sytrf_rook has them for UPLO = 'L' */
    void *d, *e;       /* n elements each: D(k,k); D(k+1,k) at the first row of a block of order 2, else 0 */
    int pending;       /* enqueued: d, e and ipiv are not there yet */
    const cls_ldl_engine *engine;
    void *own; /* the engine's */

    cls_check check;
    cls_transfer transfer;
    cls_symmetric mirror;
    cls_matrix B, scratch; /* right-hand sides, and the same transposed; grown when more of them come */
};

/* The transpose that belongs to A: of a hermitian matrix the conjugate one. */
static inline clsolve_op cls_ldl_adjoint(const cls_ldl *ldl) {
    return ldl->hermitian ? cls_adjoint(ldl->type) : CLSOLVE_TRANS;
}
/* The mirror's `conjugate` (method/symmetric.h) for complex elements that are those of A. */
static inline int cls_ldl_mirrors(const cls_ldl *ldl) {
    return ldl->hermitian || !cls_is_complex(ldl->type) ? 0 : CLS_TRANSPOSES;
}
/* Are rows k and k + 1 a block of order 2? */
static inline int cls_ldl_is_pair(const cls_ldl *ldl, int64_t k) {
    return ldl->ipiv[k] < 0 && k + 1 < ldl->n;
}

/* ---- setup.c ---- */

/* `ldl` is zeroed memory but for `beside`. On failure the caller still calls cls_ldl_release. */
clsolve_status cls_ldl_setup(cls_device *device, int64_t n, clsolve_type type, const clsolve_ldl_options *options,
                             cls_ldl *ldl);
void cls_ldl_release(cls_ldl *ldl);
/* The right-hand sides, as method/direct/sides.h has them. */
cls_sides cls_ldl_sides(void *ldl, int64_t cols);

/* ---- exchanges.c ---- */

/* ldl->ipiv from the order of rows, order[k] the row of A that row k of L is, and ldl->e. *found 0: that is no order,
 * or with partial pivots none of one exchange a block. */
clsolve_status cls_ldl_find_exchanges(cls_ldl *ldl, const int64_t *order, int *found);
/* The first pivot of order 1 that is exactly zero, counted from 1; 0: none. */
int64_t cls_ldl_first_zero(const cls_ldl *ldl);

/* ---- export.c ---- */

/* Such factors at T, tight, become those that LAPACK leaves; e as ldl->e, and only type, n, hermitian, partial and ipiv
 * of `ldl` are read. The n pivots go to `ipiv`. */
void cls_ldl_give_exchanges(const cls_ldl *ldl, const void *e, void *T, int64_t *ipiv);

/* ---- engines ---- */

extern const cls_ldl_engine cls_ldl_on_host, cls_ldl_on_device; /* device.h */

/* ---- examine.c: what D says ---- */

/* The growth and the determinant of the factors; growth->row of the first NaN or Inf in them. */
clsolve_status cls_ldl_examine(cls_ldl *ldl, cls_growth *growth);
clsolve_inertia cls_ldl_count(const cls_ldl *ldl);
/* The first block of D that is singular, counted from 1; 0: none. */
int64_t cls_ldl_zero_pivot(const cls_ldl *ldl);

#endif
