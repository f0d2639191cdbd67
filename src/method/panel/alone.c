/*
 * alone.c: LU with row exchanges on the host by the calling thread alone, for while compilers have some of the cores.
 * OpenBLAS has a thread for each core, and all wait for the slowest at each of some hundred steps: a matrix of order
 * 1000 then takes up to fifty times as long as otherwise, by one thread five times. OpenBLAS's number of threads is the
 * program's. So the matrix goes by blocks of which each call is too small for OpenBLAS to share out.
 *
 * The right-looking block algorithm of LAPACK's getrf (Anderson et al., LAPACK Users' Guide, 3rd ed., section 3.2).
 */
#include "method/panel/parts.h"

#include <complex.h>
#include <string.h>

#include "base/blas_int.h"
#include "base/host_blas.h"
#include "base/process.h"

/* OpenBLAS 0.3 takes threads for products of more than 262144 terms, and for triangular solves of 8 columns or more. */
enum { WIDTH = 32, TILE = 64, LEAST = 100, MOST = 1536 };

typedef struct matrix {
    clsolve_type type;
    int64_t m, n, ld;
    char *data;
    int *pivots;
} matrix;

static void *at(const matrix *A, int64_t i, int64_t j) {
    return A->data + (i + j * A->ld) * cls_type_size(A->type);
}

/* The row of the largest element of column j, from row j on. */
static int64_t pivot_of(const matrix *A, int64_t j) {
    const blasint count = cls_blas_int(A->m - j);
    const void *x = at(A, j, j);
    return j + (int64_t)(A->type == CLSOLVE_F32   ? cblas_isamax(count, x, 1)
                         : A->type == CLSOLVE_F64 ? cblas_idamax(count, x, 1)
                         : A->type == CLSOLVE_C32 ? cblas_icamax(count, x, 1)
                                                  : cblas_izamax(count, x, 1));
}

static int is_zero(const matrix *A, const void *x) {
    return A->type == CLSOLVE_F32   ? *(const float *)x == 0
           : A->type == CLSOLVE_F64 ? *(const double *)x == 0
           : A->type == CLSOLVE_C32 ? *(const float _Complex *)x == 0
                                    : *(const double _Complex *)x == 0;
}

#define DIVIDE(TYPE)                                                                                                   \
    for (int64_t i = 0; i < count; i++) ((TYPE *)x)[i] /= *(const TYPE *)pivot

static void divide(clsolve_type type, int64_t count, const void *pivot, void *x) {
    if (type == CLSOLVE_F32)
        DIVIDE(float);
    else if (type == CLSOLVE_F64)
        DIVIDE(double);
    else if (type == CLSOLVE_C32)
        DIVIDE(float _Complex);
    else
        DIVIDE(double _Complex);
}

/* Exchanges of rows [first, last), one behind the other, in columns [begin, end). */
static void exchange(const matrix *A, int64_t first, int64_t last, int64_t begin, int64_t end) {
    const size_t size = (size_t)cls_type_size(A->type);
    char kept[sizeof(double _Complex)];
    for (int64_t j = begin; j < end; j++)
        for (int64_t i = first; i < last; i++) {
            void *x = at(A, i, j), *y = at(A, A->pivots[i] - 1, j);
            if (x == y) continue;
            memcpy(kept, x, size);
            memcpy(x, y, size);
            memcpy(y, kept, size);
        }
}

static void product(const matrix *A, int64_t i, int64_t j, int64_t rows, int64_t cols, int64_t k, int64_t terms) {
    const blasint ld = cls_blas_int(A->ld);
    cls_host_gemm(A->type, CblasNoTrans, CblasNoTrans, cls_blas_int(rows), cls_blas_int(cols), cls_blas_int(terms), -1,
                  at(A, i, k), ld, at(A, k, j), ld, 1, at(A, i, j), ld);
}

/* Columns [first, last) from row `first` on; info as getrf's. */
static int64_t factor_columns(const matrix *A, int64_t first, int64_t last, int64_t info) {
    for (int64_t j = first; j < last; j++) {
        A->pivots[j] = (int)pivot_of(A, j) + 1;
        if (is_zero(A, at(A, A->pivots[j] - 1, j))) {
            A->pivots[j] = (int)j + 1; /* the column is zero, and stays */
            if (info == 0) info = j + 1;
            continue;
        }
        exchange(A, j, j + 1, first, last);
        divide(A->type, A->m - j - 1, at(A, j, j), at(A, j + 1, j));
        product(A, j + 1, j + 1, A->m - j - 1, last - j - 1, j, 1);
    }
    return info;
}

int cls_panel_alone_suits(int64_t m, int64_t n) {
    return m >= LEAST && n >= LEAST && m <= MOST && n <= MOST && cls_process_compiles();
}

int64_t cls_panel_alone(clsolve_type type, int64_t m, int64_t n, void *data, int64_t ld, int *pivots) {
    const matrix A = {type, m, n, ld, data, pivots};
    const int64_t steps = m < n ? m : n;
    int64_t info = 0;
    CLS_HOST_BLAS;
    for (int64_t j = 0, last; j < steps; j = last) {
        last = steps - j < WIDTH ? steps : j + WIDTH;
        info = factor_columns(&A, j, last, info);
        exchange(&A, j, last, 0, j);
        exchange(&A, j, last, last, n);
        for (int64_t c = last; c < n; c++)
            CLS_CBLAS(type, trsv, CblasLower, CblasNoTrans, CblasUnit, cls_blas_int(last - j), at(&A, j, j),
                      cls_blas_int(ld), at(&A, j, c), 1);
        for (int64_t c = last; c < n; c += TILE)
            for (int64_t i = last; i < m; i += TILE)
                product(&A, i, c, m - i < TILE ? m - i : TILE, n - c < TILE ? n - c : TILE, j, last - j);
    }
    return info;
}
