/* unpivoted_host.c: LU without pivoting of a panel in the host's memory, by halving: LAPACK has none. */
#include <cblas.h>

#include "base/blas_int.h"
#include "base/host_blas.h"
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

#define EACH_ELEMENT "method/panel/unpivoted_element.h"
#include "base/process.h"
#include "method/elements_each.h"

static int64_t unblocked(const panel *p, int64_t t, int64_t n) {
    void *A = at(p, t, t);
    return CLS_FOR_TYPE(p->type, unblocked, A, n, p->ld, p->tiny);
}

/* A(i.., j..), m x n, becomes L^-1 of the triangle at (t, t) times it, or it times U^-1. */
static void solve_beside(const panel *p, int64_t t, int64_t i, int64_t j, int64_t m, int64_t n, int left) {
    enum CBLAS_SIDE side = left ? CblasLeft : CblasRight;
    enum CBLAS_UPLO half = left ? CblasLower : CblasUpper;
    enum CBLAS_DIAG unit = left ? CblasUnit : CblasNonUnit;
    blasint rows = cls_blas_int(m), cols = cls_blas_int(n), ld = cls_blas_int(p->ld);

    if (m == 0 || n == 0) return;
    CLS_HOST_BLAS;
    cls_host_trsm(p->type, side, half, CblasNoTrans, unit, rows, cols, at(p, t, t), ld, at(p, i, j), ld);
}

/* A(k.., k..), n x n, less L21 U12 with the s columns of L from column t on. */
static void subtract(const panel *p, int64_t t, int64_t k, int64_t s, int64_t n) {
    blasint m = cls_blas_int(n), inner = cls_blas_int(s), ld = cls_blas_int(p->ld);
    CLS_HOST_BLAS;
    cls_host_gemm(p->type, CblasNoTrans, CblasNoTrans, m, m, inner, -1, at(p, k, t), ld, at(p, t, k), ld, 1,
                  at(p, k, k), ld);
}

/* The square at (t, t), halved down to BASE. */
static int64_t factor_square(const panel *p, int64_t t, int64_t n) {
    if (n <= BASE) {
        const int64_t bad = unblocked(p, t, n);
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
