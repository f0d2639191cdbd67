/*
 * host.c: the engine where the matrix is mapped. Numbers of double precision are factored as a front of a sparse matrix
 * is (method/fronts_host/front.h), others and those with rook pivots by LAPACK's sytrf_rk or hetrf_rk. Partial pivots
 * are LAPACK's sytrf or hetrf. Solves and inverses are by sytrs_3 and sytri_3. cls_ldl_setup has seen that sizes fit.
 */
#include <complex.h>
#include <limits.h>
#include <string.h>

#include <lapacke.h>

#include "base/blas_int.h"
#include "base/host_blas.h"
#include "base/memory.h"
#include "base/process.h"
#include "device/move.h"
#include "method/ldl/direct.h"
#include "method/fronts_host/front.h"

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
    void *work;      /* n x BLOCK elements; not of a front */
    int64_t *labels; /* of a front, n rows and n columns */
} host;

/* Multipliers are no larger than those of kernels (cl/ldl_panel.cl). */
static const double threshold = 0.125;

static int is_front(const cls_ldl *ldl) {
    return cls_is_double(ldl->type) && !ldl->partial && !ldl->rook;
}

static clsolve_status setup(cls_ldl *ldl, const clsolve_ldl_options *options) {
    const size_t n = (size_t)ldl->n, size = (size_t)cls_type_size(ldl->type);
    host *own = cls_alloc(1, sizeof *own);

    (void)options;
    ldl->own = own;
    if (own) own->pivots = cls_alloc(n + 1, sizeof *own->pivots);
    if (own && is_front(ldl)) own->labels = cls_alloc(2 * n + 1, sizeof *own->labels);
    if (own && !is_front(ldl)) own->work = cls_alloc(n + 1, BLOCK * size);
    if (own && own->pivots && (own->work || own->labels)) return CLSOLVE_OK;
    return cls_no_memory(ldl->device->error, "the pivots of %lld columns", (long long)ldl->n);
}

static void release(cls_ldl *ldl) {
    host *own = ldl->own;
    if (!own) return;
    cls_free(own->pivots);
    cls_free(own->work);
    cls_free(own->labels);
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

static clsolve_status factor_by_lapack(cls_ldl *ldl, int64_t *info) {
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
    return CLSOLVE_OK;
}

/* D. A front has D(t,t+1) of a block of order 2 above the diagonal. */
static void take_front(cls_ldl *ldl, const cls_front *front) {
    const size_t size = (size_t)cls_type_size(ldl->type);
    const int turns = cls_is_complex(ldl->type) && ldl->hermitian;
    for (int64_t k = 0; k < ldl->n; ++k) {
        char *e = (char *)ldl->e + (size_t)k * size;
        memcpy((char *)ldl->d + (size_t)k * size, cls_matrix_host(&ldl->A, k, k), size);
        memset(e, 0, size);
        if (cls_front_pairs(front, k) != 1) continue;
        memcpy(e, cls_matrix_host(&ldl->A, k, k + 1), size);
        if (turns) ((double *)(void *)e)[1] = -((double *)(void *)e)[1];
    }
}

static clsolve_status factor_as_front(cls_ldl *ldl, int64_t *info) {
    enum { FOR_THREADS = 400 }; /* smaller ones are done sooner by one thread */
    const host *own = ldl->own;
    const int64_t n = ldl->n, size = cls_type_size(ldl->type);
    const int conjugated = cls_is_complex(ldl->type) && ldl->hermitian;
    cls_front front = {.f = n,
                       .m = ldl->A.ld,
                       .columns = cls_matrix_host(&ldl->A, 0, 0),
                       .row = own->labels,
                       .column = own->labels + n};
    int found = 0;

    for (int64_t j = 0; j < n && front.m > n; ++j)
        memset((char *)front.columns + (n + j * front.m) * size, 0, (size_t)((front.m - n) * size));
    const clsolve_status status = cls_front_factor_dense(
        &front, conjugated ? CLSOLVE_SPARSE_HERMITIAN : CLSOLVE_SPARSE_SYMMETRIC, cls_type_parts(ldl->type), threshold,
        n < FOR_THREADS ? NULL : cls_device_pool(ldl->device));
    if (status != CLSOLVE_OK) return cls_fail(ldl->device->error, status, "no host memory for a panel of LDL^T");
    take_front(ldl, &front);
    CLS_TRY(cls_ldl_find_exchanges(ldl, front.column, &found));
    *info = cls_ldl_first_zero(ldl);
    return put(ldl);
}

static clsolve_status factor(cls_ldl *ldl, const clsolve_ldl_options *options, int64_t *info) {
    CLS_TRY(is_front(ldl) ? factor_as_front(ldl, info) : factor_by_lapack(ldl, info));
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
    if (!work) return cls_no_memory(ldl->device->error, "an inverse's work space");
    (void)LAPACK_LDL(ldl, tri_3, 'L', n, values, n, ldl->e, own->pivots, work, (lapack_int)words);
    cls_free(work);
    return CLSOLVE_OK;
}

const cls_ldl_engine cls_ldl_on_host = {
    .setup = setup, .release = release, .factor = factor, .apply = apply, .put = put, .invert = invert};
