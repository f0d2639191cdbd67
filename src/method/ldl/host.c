/* host.c: LAPACK's sytrf_rk, sytrs_3 and sytri_3 where the matrix is mapped, of hermitian ones hetrf_rk and so on; for
 * partial pivots sytrf. cls_ldl_setup has seen that sizes fit. */
#include <complex.h>
#include <limits.h>
#include <string.h>

#include <lapacke.h>

#include "base/blas_int.h"
#include "base/host_blas.h"
#include "base/memory.h"
#include "base/process.h"
#include "method/ldl/direct.h"

/* The routine for the type and the symmetry: sy and the name, or he and the name. */
#define LAPACK_LDL(ldl, name, ...)                                                                                     \
    ((ldl)->type == CLSOLVE_F32   ? LAPACKE_ssy##name##_work(LAPACK_COL_MAJOR, __VA_ARGS__)                            \
     : (ldl)->type == CLSOLVE_F64 ? LAPACKE_dsy##name##_work(LAPACK_COL_MAJOR, __VA_ARGS__)                            \
     : (ldl)->type == CLSOLVE_C32 ? ((ldl)->hermitian ? LAPACKE_che##name##_work(LAPACK_COL_MAJOR, __VA_ARGS__)        \
                                                      : LAPACKE_csy##name##_work(LAPACK_COL_MAJOR, __VA_ARGS__))       \
     : (ldl)->hermitian           ? LAPACKE_zhe##name##_work(LAPACK_COL_MAJOR, __VA_ARGS__)                            \
                                  : LAPACKE_zsy##name##_work(LAPACK_COL_MAJOR, __VA_ARGS__))

/* Columns of a block: as many as the routines' work space has room for. LAPACK's own number is 64; the columns of a
 * block go by products with vectors, so fewer are faster for small matrices: by 7 to 19 % below order 1500 (double,
 * OpenBLAS 0.3.21). */
enum { BLOCK = 48 };
static lapack_int block_of(int64_t n) {
    enum { NARROW = 24, MIDDLE = 32, FEW_ROWS = 800, MANY_ROWS = 1400 };
    return n < FEW_ROWS ? NARROW : n < MANY_ROWS ? MIDDLE : BLOCK;
}

typedef struct host {
    lapack_int *pivots;
    void *work; /* n x BLOCK elements */
} host;

static clsolve_status setup(cls_ldl *ldl, const clsolve_ldl_options *options) {
    const size_t n = (size_t)ldl->n, size = (size_t)cls_type_size(ldl->type);
    host *own = cls_alloc(1, sizeof *own);

    (void)options;
    ldl->own = own;
    if (own) own->pivots = cls_alloc(n + 1, sizeof *own->pivots);
    if (own) own->work = cls_alloc(n + 1, BLOCK * size);
    if (own && own->pivots && own->work) return CLSOLVE_OK;
    return cls_fail(ldl->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the pivots of %lld columns",
                    (long long)ldl->n);
}

static void release(cls_ldl *ldl) {
    host *own = ldl->own;
    if (!own) return;
    cls_free(own->pivots);
    cls_free(own->work);
    cls_free(own);
    ldl->own = NULL;
}

static clsolve_status put(cls_ldl *ldl) {
    const host *own = ldl->own;
    for (int64_t k = 0; k < ldl->n; ++k) own->pivots[k] = (lapack_int)ldl->ipiv[k];
    return CLSOLVE_OK;
}

/* LAPACK's factors as ldl.h has them. */
static void take_partial(cls_ldl *ldl) {
    const host *own = ldl->own;
    for (int64_t k = 0; k < ldl->n; ++k) ldl->ipiv[k] = own->pivots[k];
    cls_ldl_from_partial(ldl->n, ldl->ipiv);
    cls_ldl_take_exchanges(ldl, cls_matrix_host(&ldl->A, 0, 0), ldl->A.ld);
    (void)put(ldl);
}

static void take_rook(cls_ldl *ldl) {
    const host *own = ldl->own;
    const size_t size = (size_t)cls_type_size(ldl->type);
    for (int64_t k = 0; k < ldl->n; ++k) {
        ldl->ipiv[k] = own->pivots[k];
        memcpy((char *)ldl->d + (size_t)k * size, cls_matrix_host(&ldl->A, k, k), size);
    }
}

static clsolve_status factor(cls_ldl *ldl, const clsolve_ldl_options *options, int64_t *info) {
    const host *own = ldl->own;
    const lapack_int n = cls_blas_int(ldl->n), ld = cls_blas_int(ldl->A.ld), room = n * block_of(n);
    void *a = cls_matrix_host(&ldl->A, 0, 0);

    CLS_HOST_BLAS;
    *info = ldl->partial ? LAPACK_LDL(ldl, trf, 'L', n, a, ld, own->pivots, own->work, room)
                         : LAPACK_LDL(ldl, trf_rk, 'L', n, a, ld, ldl->e, own->pivots, own->work, room);
    if (ldl->partial)
        take_partial(ldl);
    else
        take_rook(ldl);
    if (options && options->progress) options->progress(options->progress_user, "factor", 1);
    return CLSOLVE_OK;
}

static clsolve_status apply(cls_ldl *ldl, int64_t cols) {
    const host *own = ldl->own;
    const lapack_int n = cls_blas_int(ldl->n), ld = cls_blas_int(ldl->A.ld), ldb = cls_blas_int(ldl->B.ld);
    const void *a = cls_matrix_host(&ldl->A, 0, 0);

    for (int64_t j = 0, run; j < cols; j += run) {
        run = cls_blas_run(cls_matrix_run(&ldl->B, j, cols));
        void *b = cls_matrix_host(&ldl->B, 0, j);
        CLS_HOST_BLAS;
        /* arguments alone can be wrong */
        (void)LAPACK_LDL(ldl, trs_3, 'L', n, cls_blas_int(run), a, ld, ldl->e, own->pivots, b, ldb);
    }
    return CLSOLVE_OK;
}

static clsolve_status invert(cls_ldl *ldl, void *values) {
    const host *own = ldl->own;
    const lapack_int n = cls_blas_int(ldl->n);
    double asked[2] = {0, 0}; /* room for an element of any type, whose real part is the answer */

    CLS_HOST_BLAS;
    (void)LAPACK_LDL(ldl, tri_3, 'L', n, values, n, ldl->e, own->pivots, (void *)asked, -1);
    const double words = cls_type_get(ldl->type, asked, 0) * (1 + 1e-6) + 1; /* a float may have rounded it down */
    void *work = words < INT_MAX ? cls_alloc((size_t)words, (size_t)cls_type_size(ldl->type)) : NULL;
    if (!work)
        return cls_fail(ldl->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for an inverse's work space");
    (void)LAPACK_LDL(ldl, tri_3, 'L', n, values, n, ldl->e, own->pivots, work, (lapack_int)words);
    cls_free(work);
    return CLSOLVE_OK;
}

const cls_ldl_engine cls_ldl_on_host = {
    .setup = setup, .release = release, .factor = factor, .apply = apply, .put = put, .invert = invert};
