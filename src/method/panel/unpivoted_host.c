/* unpivoted_host.c: LU without pivoting of a panel in the host's memory, by halving: LAPACK has none. */
#include <math.h>

#include <cblas.h>

#include "method/panel/parts.h"

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

int64_t cls_panel_unpivoted_host(clsolve_type type, int64_t m, int64_t n, void *A, int64_t ld, double tiny) {
    panel p = {type, A, ld, tiny};
    int64_t bad = factor_square(&p, 0, n);
    if (bad == 0) solve_beside(&p, 0, n, 0, m - n, n, 0);
    return bad;
}
