/*
 * gmres.c: a cycle of flexible GMRES (Saad 1993, algorithm 2.2) on several columns that step together, so that the
 * matrices are read once for all of them. Each has its own basis V, its own preconditioned Z and its own H:
 *
 *     z_j = M^-1 v_j,   w = A z_j made orthogonal to v_0 .. v_j,   then min ||beta e_1 - H y||,   d = Z y
 */
#include "method/direct/refine.h"

#include <math.h>
#include <string.h>

#include <cblas.h>

#include "base/blas_int.h"
#include "base/memory.h"
#include "base/process.h"

typedef struct krylov {
    int64_t n, most;     /* most: vectors in the basis */
    double *V, *Z;       /* n x (most + 1), n x most */
    double *H;           /* (most + 1) x most, turned into a triangle as it grows */
    double *g, *cs, *sn; /* right-hand side of the small problem, and the rotations */
    int64_t size;        /* steps taken */
    double left;         /* the residual's 2-norm after them */
    double target;
    int open;
} krylov;

static double dot(int64_t n, const double *x, const double *y) {
    CLS_HOST_BLAS;
    return cblas_ddot(cls_blas_int(n), x, 1, y, 1);
}

static void add(int64_t n, double factor, const double *x, double *y) {
    CLS_HOST_BLAS;
    cblas_daxpy(cls_blas_int(n), factor, x, 1, y, 1);
}

static void krylov_free(krylov *k) {
    cls_free(k->V);
    cls_free(k->Z);
    cls_free(k->H);
    cls_free(k->g);
    *k = (krylov){0};
}

/* v_0 = r / ||r||; false without memory. */
static int krylov_begin(krylov *k, int64_t n, int64_t most, const double *r, double target) {
    size_t rows = (size_t)n, m = (size_t)most;
    *k = (krylov){.n = n, .most = most, .target = target};
    k->V = cls_alloc(rows * (m + 1), sizeof(double));
    k->Z = cls_alloc(rows * m, sizeof(double));
    k->H = cls_alloc((m + 1) * m, sizeof(double));
    k->g = cls_alloc(3 * m + 1, sizeof(double));
    if (!k->V || !k->Z || !k->H || !k->g) return 0;
    k->cs = k->g + m + 1;
    k->sn = k->cs + m;
    CLS_HOST_BLAS;
    k->left = k->g[0] = cblas_dnrm2(cls_blas_int(n), r, 1);
    k->open = isfinite(k->left) && k->left > target;
    for (int64_t i = 0; k->open && i < n; ++i) k->V[i] = r[i] / k->left;
    return 1;
}

/* The rotations so far, and a new one that clears h(j+1, j). */
static void rotate(krylov *k, int64_t j) {
    double *h = k->H + j * (k->most + 1);
    for (int64_t i = 0; i < j; ++i) {
        double a = h[i], b = h[i + 1];
        h[i] = k->cs[i] * a + k->sn[i] * b;
        h[i + 1] = k->cs[i] * b - k->sn[i] * a;
    }
    double length = hypot(h[j], h[j + 1]);
    k->cs[j] = length > 0 ? h[j] / length : 1;
    k->sn[j] = length > 0 ? h[j + 1] / length : 0;
    h[j] = length;
    h[j + 1] = 0;
    k->g[j + 1] = -k->sn[j] * k->g[j];
    k->g[j] *= k->cs[j];
    k->left = fabs(k->g[j + 1]);
}

/* Takes in w = A z_j. Orthogonalised twice: once is not enough for a basis that nearly closes. */
static void krylov_extend(krylov *k, const double *w, const double *z) {
    int64_t n = k->n, j = k->size;
    double *h = k->H + j * (k->most + 1), *v = k->V + (j + 1) * n;

    memcpy(v, w, (size_t)n * sizeof *v);
    memcpy(k->Z + j * n, z, (size_t)n * sizeof *z);
    CLS_HOST_BLAS;
    double before = cblas_dnrm2(cls_blas_int(n), v, 1);
    for (int pass = 0; pass < 2; ++pass)
        for (int64_t i = 0; i <= j; ++i) {
            double factor = dot(n, v, k->V + i * n);
            h[i] += factor;
            add(n, -factor, k->V + i * n, v);
        }
    double length = cblas_dnrm2(cls_blas_int(n), v, 1);
    if (!isfinite(length)) { /* the preconditioner gave no number: what there is so far stays */
        k->open = 0;
        return;
    }
    h[j + 1] = length;
    rotate(k, j);
    k->size = j + 1;
    int closed = !(length > 1e-14 * before);
    if (!closed) cblas_dscal(cls_blas_int(n), 1 / length, v, 1);
    k->open = !closed && k->left > k->target && k->size < k->most;
}

/* x += Z y with H y = g. */
static void krylov_finish(krylov *k, double *x) {
    for (int64_t j = k->size - 1; j >= 0; --j) {
        const double *h = k->H + j * (k->most + 1);
        double y = h[j] != 0 ? k->g[j] / h[j] : 0;
        for (int64_t i = 0; i < j; ++i) k->g[i] -= y * h[i];
        add(k->n, y, k->Z + j * k->n, x);
    }
}

/* One step of all open columns, packed into W and Z (n x cols). */
static clsolve_status step(const cls_refine *p, int64_t cols, krylov *k, double *W, double *Z) {
    int64_t n = p->n, packed = 0, of[CLS_REFINE_COLUMNS];
    for (int64_t c = 0; c < cols; ++c) {
        if (!k[c].open) continue;
        memcpy(W + packed * n, k[c].V + k[c].size * n, (size_t)n * sizeof *W);
        of[packed++] = c;
    }
    CLS_TRY(p->precondition(p->self, p->op, packed, W, Z));
    CLS_TRY(p->residual(p->self, p->op, packed, Z, NULL, W));
    for (int64_t i = 0; i < packed * n; ++i) W[i] = -W[i];
    for (int64_t i = 0; i < packed; ++i) krylov_extend(&k[of[i]], W + i * n, Z + i * n);
    return CLSOLVE_OK;
}

static clsolve_status cycle(const cls_refine *p, int64_t cols, const int *open, const double *target, const double *R,
                            double *X, krylov *k, double *work, int64_t *steps) {
    int64_t n = p->n, most = p->basis < n ? p->basis : n;
    int any = 0;
    for (int64_t c = 0; c < cols; ++c) {
        if (!open[c]) continue;
        if (!krylov_begin(&k[c], n, most, R + c * n, target[c]))
            return cls_fail(p->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for GMRES: %lld vectors of %lld",
                            (long long)(2 * most + 1), (long long)n);
        any = any || k[c].open;
    }
    for (*steps = 0; any; ++*steps) {
        CLS_TRY(step(p, cols, k, work, work + n * cols));
        any = 0;
        for (int64_t c = 0; c < cols; ++c) any = any || k[c].open;
    }
    for (int64_t c = 0; c < cols; ++c) krylov_finish(&k[c], X + c * n);
    return CLSOLVE_OK;
}

clsolve_status cls_gmres_cycle(const cls_refine *problem, int64_t cols, const int *open, const double *target,
                               const double *R, double *X, int64_t *steps) {
    krylov k[CLS_REFINE_COLUMNS] = {{0}};
    double *work = cls_alloc(2 * (size_t)problem->n * (size_t)cols, sizeof *work);
    clsolve_status status = work ? cycle(problem, cols, open, target, R, X, k, work, steps)
                                 : cls_fail(problem->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for GMRES");
    for (int64_t c = 0; c < cols; ++c) krylov_free(&k[c]);
    cls_free(work);
    return status;
}
