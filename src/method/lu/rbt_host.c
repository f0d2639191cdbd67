/* rbt_host.c: what cl/lu_rbt.cl does, for a device that works in the host's memory: there OpenBLAS multiplies in place, and
 * LAPACK has no LU without pivoting. */
#include <math.h>

#include <cblas.h>

#include "method/lu/rbt.h"

/* One group of four, in the arithmetic of the matrix; see cl/lu_rbt.cl. */
#define MIX(REAL, name)                                                                                                \
    static void mix_##name(REAL x[4], const double *inner, const double *outer, int64_t q) {                           \
        REAL a = (x[0] + x[1]) * (REAL)inner[0], b = (x[0] - x[1]) * (REAL)inner[q];                                   \
        REAL c = (x[2] + x[3]) * (REAL)inner[2 * q], d = (x[2] - x[3]) * (REAL)inner[3 * q];                           \
        x[0] = (a + c) * (REAL)outer[0];                                                                               \
        x[1] = (b + d) * (REAL)outer[q];                                                                               \
        x[2] = (a - c) * (REAL)outer[2 * q];                                                                           \
        x[3] = (b - d) * (REAL)outer[3 * q];                                                                           \
    }                                                                                                                  \
    static void mix_back_##name(REAL x[4], const double *inner, const double *outer, int64_t q) {                      \
        REAL a = (REAL)outer[0] * x[0] + (REAL)outer[2 * q] * x[2];                                                    \
        REAL c = (REAL)outer[0] * x[0] - (REAL)outer[2 * q] * x[2];                                                    \
        REAL b = (REAL)outer[q] * x[1] + (REAL)outer[3 * q] * x[3];                                                    \
        REAL d = (REAL)outer[q] * x[1] - (REAL)outer[3 * q] * x[3];                                                    \
        x[0] = (REAL)inner[0] * a + (REAL)inner[q] * b;                                                                \
        x[1] = (REAL)inner[0] * a - (REAL)inner[q] * b;                                                                \
        x[2] = (REAL)inner[2 * q] * c + (REAL)inner[3 * q] * d;                                                        \
        x[3] = (REAL)inner[2 * q] * c - (REAL)inner[3 * q] * d;                                                        \
    }                                                                                                                  \
    static void column_##name(REAL *x, int64_t n, const double *levels, int back) {                                    \
        int64_t q = (n + 3) / 4;                                                                                       \
        for (int64_t i = 0; i < q; ++i) {                                                                              \
            REAL four[4] = {0};                                                                                        \
            for (int64_t r = 0; r < 4 && i + r * q < n; ++r) four[r] = x[i + r * q];                                   \
            if (back)                                                                                                  \
                mix_back_##name(four, levels + i, levels + 4 * q + i, q);                                              \
            else                                                                                                       \
                mix_##name(four, levels + i, levels + 4 * q + i, q);                                                   \
            for (int64_t r = 0; r < 4 && i + r * q < n; ++r) x[i + r * q] = four[r];                                   \
        }                                                                                                              \
    }                                                                                                                  \
    /* Columns j, j + q, ... at x[0 .. members-1]. */                                                                  \
    static void columns_##name(REAL *const x[4], int members, int64_t n, const double *levels, int64_t j) {            \
        int64_t q = (n + 3) / 4;                                                                                       \
        for (int64_t i = 0; i < n; ++i) {                                                                              \
            REAL four[4] = {0};                                                                                        \
            for (int k = 0; k < members; ++k) four[k] = x[k][i];                                                       \
            mix_##name(four, levels + j, levels + 4 * q + j, q);                                                       \
            for (int k = 0; k < members; ++k) x[k][i] = four[k];                                                       \
        }                                                                                                              \
    }

MIX(double, f64)
MIX(float, f32)

void cls_lu_rbt_host_vectors(const cls_matrix *B, int64_t cols, const double *diagonals, int64_t begin, int back) {
    for (int64_t c = 0; c < cols; ++c) {
        if (B->type == CLSOLVE_F64)
            column_f64(cls_matrix_host(B, 0, c), B->rows, diagonals + begin, back);
        else
            column_f32(cls_matrix_host(B, 0, c), B->rows, diagonals + begin, back);
    }
}

void cls_lu_rbt_host_matrix(const cls_matrix *A, const double *diagonals) {
    int64_t n = A->rows, q = (n + 3) / 4;

    for (int64_t j = 0; j < q; ++j) {
        void *x[4];
        int members = 0;
        for (int64_t c = j; c < n && members < 4; c += q) x[members++] = cls_matrix_host(A, 0, c);
        double *const f64[4] = {x[0], members > 1 ? x[1] : NULL, members > 2 ? x[2] : NULL, members > 3 ? x[3] : NULL};
        float *const f32[4] = {x[0], members > 1 ? x[1] : NULL, members > 2 ? x[2] : NULL, members > 3 ? x[3] : NULL};
        if (A->type == CLSOLVE_F64)
            columns_f64(f64, members, n, diagonals + 8 * q, j);
        else
            columns_f32(f32, members, n, diagonals + 8 * q, j);
    }
    cls_lu_rbt_host_vectors(A, n, diagonals, 0, 0);
}

/* ---- LU without pivoting ---- */

enum { BASE = 16 };

typedef struct panel {
    clsolve_type type;
    void *A;
    int64_t ld;
    double tiny;
} panel;

static void *at(const panel *p, int64_t i, int64_t j) {
    return (char *)p->A + (i + j * p->ld) * cls_type_size(p->type);
}

#define UNBLOCKED(REAL, name)                                                                                          \
    static int64_t unblocked_##name(REAL *A, int64_t n, int64_t ld, double tiny) {                                     \
        for (int64_t t = 0; t < n; ++t) {                                                                              \
            REAL pivot = A[t + t * ld];                                                                                \
            if (!(fabs((double)pivot) > tiny)) return t + 1;                                                           \
            for (int64_t i = t + 1; i < n; ++i) A[i + t * ld] /= pivot;                                                \
            for (int64_t k = t + 1; k < n; ++k)                                                                        \
                for (int64_t i = t + 1; i < n; ++i) A[i + k * ld] -= A[i + t * ld] * A[t + k * ld];                    \
        }                                                                                                              \
        return 0;                                                                                                      \
    }

UNBLOCKED(double, f64)
UNBLOCKED(float, f32)

/* A(i.., j..), m x n, becomes L^-1 of the triangle at (t, t) times it, or it times U^-1. */
static void solve_beside(const panel *p, int64_t t, int64_t i, int64_t j, int64_t m, int64_t n, int left) {
    enum CBLAS_SIDE side = left ? CblasLeft : CblasRight;
    enum CBLAS_UPLO half = left ? CblasLower : CblasUpper;
    enum CBLAS_DIAG unit = left ? CblasUnit : CblasNonUnit;
    blasint rows = (blasint)m, cols = (blasint)n, ld = (blasint)p->ld;

    if (m == 0 || n == 0) return;
    if (p->type == CLSOLVE_F64)
        cblas_dtrsm(CblasColMajor, side, half, CblasNoTrans, unit, rows, cols, 1, at(p, t, t), ld, at(p, i, j), ld);
    else
        cblas_strsm(CblasColMajor, side, half, CblasNoTrans, unit, rows, cols, 1, at(p, t, t), ld, at(p, i, j), ld);
}

/* A(k.., k..), n x n, less L21 U12 with the s columns of L from column t on. */
static void subtract(const panel *p, int64_t t, int64_t k, int64_t s, int64_t n) {
    blasint m = (blasint)n, inner = (blasint)s, ld = (blasint)p->ld;

    if (p->type == CLSOLVE_F64)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, m, inner, -1, at(p, k, t), ld, at(p, t, k), ld, 1,
                    at(p, k, k), ld);
    else
        cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, m, inner, -1, at(p, k, t), ld, at(p, t, k), ld, 1,
                    at(p, k, k), ld);
}

/* The square at (t, t), halved down to BASE. */
static int64_t factor_square(const panel *p, int64_t t, int64_t n) {
    if (n <= BASE) {
        int64_t bad = p->type == CLSOLVE_F64 ? unblocked_f64(at(p, t, t), n, p->ld, p->tiny)
                                             : unblocked_f32(at(p, t, t), n, p->ld, p->tiny);
        return bad > 0 ? t + bad : 0;
    }
    int64_t s = n / 2 / BASE * BASE, rest, k;
    if (s < BASE) s = BASE;
    rest = n - s;
    k = t + s;
    int64_t bad = factor_square(p, t, s);
    if (bad > 0) return bad;
    solve_beside(p, t, t, k, s, rest, 1);
    solve_beside(p, t, k, t, rest, s, 0);
    subtract(p, t, k, s, rest);
    return factor_square(p, k, rest);
}

int64_t cls_lu_rbt_host_panel(clsolve_type type, int64_t m, int64_t n, void *A, int64_t ld, double tiny) {
    panel p = {type, A, ld, tiny};
    int64_t bad = factor_square(&p, 0, n);
    if (bad == 0) solve_beside(&p, 0, n, 0, m - n, n, 0);
    return bad;
}
