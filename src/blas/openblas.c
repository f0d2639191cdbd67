/*
 * openblas.c: BLAS for a device that works in the host's memory: its buffers are mapped, which copies nothing,
 * and OpenBLAS works in place. Mapping waits for the compute queue; what is enqueued there later comes after the
 * unmapping.
 */
#include "blas/provider.h"

#include <complex.h>
#include <limits.h>
#include <math.h>
#include <cblas.h>

#include "base/blas_int.h"
#include "base/host_blas.h"
#include "base/process.h"

enum { OPERANDS = 3 };

/* The operands of a call, each distinct buffer mapped once: a buffer mapped twice may not be written. */
typedef struct mapping {
    int count;
    cls_buffer *buffers[OPERANDS];
    void *memory[OPERANDS];
} mapping;

static clsolve_status map_one(cls_device *device, mapping *maps, const cls_ref *ref, int64_t size, void **element) {
    int i = 0;
    while (i < maps->count && maps->buffers[i] != ref->buffer) i++;
    if (i == maps->count) {
        CLS_TRY(device->ops->map(device, ref->buffer, &maps->memory[i]));
        maps->buffers[i] = ref->buffer;
        maps->count++;
    }
    *element = (char *)maps->memory[i] + ref->offset * size;
    return CLSOLVE_OK;
}

static clsolve_status unmap_all(cls_device *device, mapping *maps) {
    clsolve_status status = CLSOLVE_OK;
    for (int i = 0; i < maps->count; i++) {
        clsolve_status one = device->ops->unmap(device, maps->buffers[i], maps->memory[i]);
        if (status == CLSOLVE_OK) status = one;
    }
    return status;
}

/* Maps all operands or none. */
static clsolve_status map_all(cls_device *device, mapping *maps, const cls_ref *refs, int count, int64_t size,
                              void **elements) {
    maps->count = 0;
    for (int i = 0; i < count; i++) {
        clsolve_status status = map_one(device, maps, &refs[i], size, &elements[i]);
        if (status != CLSOLVE_OK) {
            (void)unmap_all(device, maps);
            return status;
        }
    }
    return CLSOLVE_OK;
}

/* A leading dimension cannot be split, so rows are not either; columns are (base/blas_int.h). */
static clsolve_status check_range(cls_device *device, const int64_t *sizes, int count) {
    for (int i = 0; i < count; i++)
        if (!CLS_BLAS_FITS(sizes[i]))
            return cls_fail(device->error, CLSOLVE_ERROR_UNSUPPORTED,
                            "a dimension of %lld is more than OpenBLAS can count (%d)", (long long)sizes[i], INT_MAX);
    return CLSOLVE_OK;
}

static CBLAS_TRANSPOSE trans_of(clsolve_op op) {
    return op == CLSOLVE_NO_TRANS ? CblasNoTrans : op == CLSOLVE_TRANS ? CblasTrans : CblasConjTrans;
}

/* C = alpha op(A) op(B) + beta C for `n` columns of C; `lds`: of A, B and C. */
static void multiply(const cls_product *p, clsolve_op op_a, clsolve_op op_b, int64_t n, int64_t k, const int64_t *lds,
                     const void *A, const void *B, void *C) {
    const blasint bm = cls_blas_int(p->m), bn = cls_blas_int(n), bk = cls_blas_int(k);
    const blasint lda = cls_blas_int(lds[0]), ldb = cls_blas_int(lds[1]), ldc = cls_blas_int(lds[2]);
    cls_host_gemm(p->type, trans_of(op_a), trans_of(op_b), bm, bn, bk, p->alpha, A, lda, B, ldb, p->beta, C, ldc);
}

static clsolve_status gemm(cls_device *device, const cls_product *p) {
    if (device->announcing) return CLSOLVE_OK; /* nothing is compiled */
    const int64_t m = p->m, n = p->n;
    int64_t k = p->k;
    clsolve_op op_a = p->op_a, op_b = p->op_b;
    cls_ref A = p->A, B = p->B;
    const cls_ref C = p->C;
    if (m == 0 || n == 0) return CLSOLVE_OK;
    if (k == 0 || p->alpha == 0) {
        /* C = beta C: A and B count for nothing and may be anything, so C stands in for them. */
        if (p->beta == 1) return CLSOLVE_OK;
        A = B = C;
        op_a = op_b = CLSOLVE_NO_TRANS;
        k = 0;
    }
    const int64_t sizes[] = {m, k, A.ld, B.ld, C.ld}, size = cls_type_size(p->type);
    CLS_TRY(check_range(device, sizes, 5));
    const cls_ref refs[] = {A, B, C};
    void *at[OPERANDS];
    mapping maps;
    CLS_TRY(map_all(device, &maps, refs, 3, size, at));
    const int64_t step = op_b == CLSOLVE_NO_TRANS ? B.ld : 1; /* to what the next column of C needs of B */
    CLS_HOST_BLAS;
    for (int64_t c = 0, run; c < n; c += run) {
        run = cls_blas_run(n - c);
        multiply(p, op_a, op_b, run, k, &sizes[2], at[0], (char *)at[1] + c * step * size,
                 (char *)at[2] + c * C.ld * size);
    }
    return unmap_all(device, &maps);
}

/* ---- pivots whose reciprocals overflow: OpenBLAS multiplies by the inverse of the diagonal ---- */

#define ELEMENT      double
#define WIDE         double
#define CONJUGATE(x) (x)
#define NAME(x)      x##_f64
#include "blas/divide.h"
#undef ELEMENT
#undef NAME
#define ELEMENT float
#define NAME(x) x##_f32
#include "blas/divide.h"
#undef ELEMENT
#undef WIDE
#undef CONJUGATE
#undef NAME
#define ELEMENT      double _Complex
#define WIDE         double _Complex
#define CONJUGATE(x) conj(x)
#define NAME(x)      x##_c64
#include "blas/divide.h"
#undef ELEMENT
#undef NAME
#define ELEMENT float _Complex
#define NAME(x) x##_c32
#include "blas/divide.h"

/* B = op(U)^-1 B, plainly and with quotients. The L of Cholesky has roots on its diagonal, which are never so small. */
static void divide_upper(clsolve_type type, clsolve_op op, int64_t m, int64_t n, const void *U, int64_t ldu, void *B,
                         int64_t ldb) {
    CLS_FOR_TYPE(type, divide_upper, op, m, n, U, ldu, B, ldb);
}

/* The larger part of a complex pivot counts, and a huge one too: OpenBLAS forms |pivot|^2 / |part| on the way. */
static int has_unsafe_pivot(clsolve_type type, int64_t m, const void *T, int64_t ld) {
    const double least = cls_type_least(type), most = cls_type_most(type) / 4;
    const int64_t parts = cls_type_parts(type);
    for (int64_t i = 0; i < m; i++) {
        const double re = fabs(cls_type_get(type, T, parts * (i + i * ld)));
        const double im = parts == 2 ? fabs(cls_type_get(type, T, parts * (i + i * ld) + 1)) : 0;
        const double pivot = fmax(re, im);
        if ((pivot != 0 && pivot < least) || (parts == 2 && pivot > most)) return 1;
    }
    return 0;
}

/* A trsm packs its triangle first, which takes as long again as one column's solve. */
static void solve_column(clsolve_type type, CBLAS_UPLO half, CBLAS_TRANSPOSE trans, CBLAS_DIAG diagonal, blasint m,
                         const void *T, blasint ldt, void *b) {
    CLS_HOST_BLAS;
    CLS_CBLAS(type, trsv, half, trans, diagonal, m, T, ldt, b, 1);
}

static void solve_columns(clsolve_type type, CBLAS_UPLO half, CBLAS_TRANSPOSE trans, CBLAS_DIAG diagonal, blasint m,
                          blasint n, const void *T, blasint ldt, void *B, blasint ldb) {
    CLS_HOST_BLAS;
    cls_host_trsm(type, CblasLeft, half, trans, diagonal, m, n, T, ldt, B, ldb);
}

static clsolve_status trsm(cls_device *device, const cls_triangle *t) {
    if (device->announcing) return CLSOLVE_OK; /* nothing is compiled */
    const clsolve_type type = t->type;
    const cls_uplo uplo = t->uplo;
    const clsolve_op op = t->op;
    const int64_t m = t->m, n = t->n;
    const cls_ref T = t->T, B = t->B;
    if (m == 0 || n == 0) return CLSOLVE_OK;
    const int64_t sizes[] = {m, T.ld, B.ld};
    CLS_TRY(check_range(device, sizes, 3));
    const cls_ref refs[] = {T, B};
    void *at[OPERANDS];
    mapping maps;
    CLS_TRY(map_all(device, &maps, refs, 2, cls_type_size(type), at));
    CBLAS_UPLO half = uplo == CLS_UPPER ? CblasUpper : CblasLower;
    CBLAS_DIAG diagonal = uplo == CLS_LOWER_UNIT ? CblasUnit : CblasNonUnit;
    const blasint bm = cls_blas_int(m), ldt = cls_blas_int(T.ld), ldb = cls_blas_int(B.ld);
    if (uplo == CLS_UPPER && has_unsafe_pivot(type, m, at[0], T.ld)) {
        divide_upper(type, op, m, n, at[0], T.ld, at[1], B.ld);
        return unmap_all(device, &maps);
    }
    const CBLAS_TRANSPOSE trans = trans_of(op);
    if (n == 1) solve_column(type, half, trans, diagonal, bm, at[0], ldt, at[1]);
    for (int64_t c = 0, run; n > 1 && c < n; c += run) {
        run = cls_blas_run(n - c);
        solve_columns(type, half, trans, diagonal, bm, cls_blas_int(run), at[0], ldt,
                      (char *)at[1] + c * B.ld * cls_type_size(type), ldb);
    }
    return unmap_all(device, &maps);
}

const cls_blas_provider cls_blas_openblas = {"OpenBLAS", INT64_MAX, 1, 1, gemm, trsm, NULL, NULL, NULL, NULL};
