/* given.c: LAPACK's gecon and gerfs on the factors of a handle. Vectors are doubles on the host, as in all
 * refinement. */
#include "method/direct/given.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "method/check.h"
#include "method/direct/rcond.h"
#include "method/direct/vectors.h"

#define REAL    double
#define NAME(x) x##_f64
#include "method/direct/given_real.h"
#undef REAL
#undef NAME

#define REAL    float
#define NAME(x) x##_f32
#include "method/direct/given_real.h"

/* The inverse of A as the caller gave it: a tiny A was multiplied by a power of two before it was factored. */
static cls_inverse inverse_of(const cls_direct *direct) {
    cls_inverse inverse = cls_direct_inverse(direct);
    inverse.exponent = ilogb(direct->copies ? direct->copy.unit : cls_direct_uniform(direct));
    return inverse;
}

/* ---- the condition number ---- */

clsolve_status cls_direct_condition_given(cls_direct *direct, int inf, double norm, double *rcond) {
    cls_inverse inverse = inverse_of(direct);

    *rcond = direct->n == 0 ? 1 : 0;
    if (direct->n == 0 || norm == 0 || direct->info > 0) return CLSOLVE_OK;
    inverse.transposed = inf; /* ||A^-1||_inf is the 1-norm of its transpose */
    return cls_inverse_rcond(&inverse, norm, 1, rcond);
}

/* ---- the refinement ---- */

enum { STEPS = 5 };

typedef struct given {
    cls_direct *direct;
    cls_inverse inverse;
    clsolve_op op;
    const clsolve_matrix *A;
    int64_t parts;         /* doubles in an element: of x, b and r; s and w have one */
    double epsilon, least; /* LAPACK's eps, and (n + 1) times the smallest normal number */
    double *x, *b, *r, *s, *w;
} given;

/* |z| of element i, as LAPACK has it. */
static double size_of(const given *g, const double *z, int64_t i) {
    return g->parts == 2 ? fabs(z[2 * i]) + fabs(z[2 * i + 1]) : fabs(z[i]);
}

/* r = b - op(A) x, s = |op(A)| |x| + |b| */
static void residual(const given *g) {
    const clsolve_matrix *A = g->A;
    const int64_t n = A->rows;
    const int adds = (A->layout == CLSOLVE_COLUMN_MAJOR) == (g->op == CLSOLVE_NO_TRANS);

    const int conjugate = g->op == CLSOLVE_CONJ_TRANS;
    memcpy(g->r, g->b, (size_t)(n * g->parts) * sizeof *g->r);
    for (int64_t i = 0; i < n; ++i) g->s[i] = size_of(g, g->b, i);
    if (cls_is_double(A->type))
        (adds ? add_lines_f64 : dot_lines_f64)(A->data, A->ld, n, n, g->parts, conjugate, g->x, g->r, g->s);
    else
        (adds ? add_lines_f32 : dot_lines_f32)(A->data, A->ld, n, n, g->parts, conjugate, g->x, g->r, g->s);
}

static double backward_error(const given *g) {
    double error = 0;
    for (int64_t i = 0; i < g->A->rows; ++i) {
        const int small = g->s[i] <= g->least / g->epsilon;
        const double off = size_of(g, g->r, i);
        const double one = small ? (off + g->least) / (g->s[i] + g->least) : off / g->s[i];
        if (!(one <= error)) error = one; /* NaN stays */
    }
    return error;
}

/* x = x + op(A)^-1 r, rounded to the type of the matrices. */
static clsolve_status correct(const given *g) {
    CLS_TRY(cls_inverse_apply(&g->inverse, g->op, 1, g->r, g->r));
    for (int64_t k = 0; k < g->A->rows * g->parts; ++k) {
        double x = g->x[k] + g->r[k];
        g->x[k] = cls_is_double(g->A->type) ? x : (double)(float)x;
    }
    return CLSOLVE_OK;
}

/* The adjoint of op(A)^-1 diag(w), whose 1-norm is the infinity norm that is wanted. With the transpose of a complex A
 * it is that of the conjugate transpose, whose elements are as large. */
static clsolve_status weighted(void *self, clsolve_op way, double *x) {
    const given *g = self;
    const clsolve_op adjoint = cls_adjoint(g->A->type);
    const clsolve_op op = g->op == CLSOLVE_NO_TRANS ? CLSOLVE_NO_TRANS : adjoint;
    const clsolve_op other = g->op == CLSOLVE_NO_TRANS ? adjoint : CLSOLVE_NO_TRANS;
    const int64_t numbers = g->A->rows * g->parts;

    for (int64_t k = 0; way != CLSOLVE_NO_TRANS && k < numbers; ++k) x[k] *= g->w[k / g->parts];
    CLS_TRY(cls_inverse_apply(&g->inverse, way != CLSOLVE_NO_TRANS ? op : other, 1, x, x));
    for (int64_t k = 0; way == CLSOLVE_NO_TRANS && k < numbers; ++k) x[k] *= g->w[k / g->parts];
    return CLSOLVE_OK;
}

/* ||x - its solution||_inf / ||x||_inf at most: with the residual and its rounding as the weights. */
static clsolve_status forward_error(given *g, double *error) {
    const int64_t n = g->A->rows;
    double largest = 0;

    for (int64_t i = 0; i < n; ++i) {
        g->w[i] = size_of(g, g->r, i) + (double)(n + 1) * g->epsilon * g->s[i];
        if (g->s[i] <= g->least / g->epsilon) g->w[i] += g->least;
        largest = fmax(largest, size_of(g, g->x, i));
    }
    CLS_TRY(cls_norm_estimate(g->direct->device->error, n, g->parts, weighted, g, error));
    if (largest > 0) *error /= largest;
    return CLSOLVE_OK;
}

static clsolve_status refine_column(given *g, const char *call, int64_t column, double *ferr, double *berr) {
    double error, last = 3;

    for (int step = 0;; ++step) {
        residual(g);
        error = backward_error(g);
        if (!isfinite(error))
            return cls_fail(g->direct->device->error, CLSOLVE_ERROR_NONFINITE,
                            "%s: NaN or Inf in A, in B or in X, or in their products: column %lld, counted from 1",
                            call, (long long)column + 1);
        if (!(error > g->epsilon && 2 * error <= last) || step == STEPS) break;
        last = error;
        CLS_TRY(correct(g));
    }
    if (berr) berr[column] = error;
    return ferr ? forward_error(g, &ferr[column]) : CLSOLVE_OK;
}

/* `bounds`: ferr and berr of all columns. Nothing of the caller's is written before all is done. */
static clsolve_status refine_all(given *g, const char *call, const clsolve_matrix *B, const clsolve_matrix *X,
                                 double *all, double *bounds) {
    const int64_t n = X->rows, nrhs = X->cols;

    cls_vectors_get(X, 0, nrhs, all);
    for (int64_t c = 0; c < nrhs; ++c) {
        g->x = all + c * n * g->parts;
        cls_vectors_get(B, c, 1, g->b);
        CLS_TRY(refine_column(g, call, c, bounds, bounds + nrhs));
    }
    cls_vectors_put(X, 0, nrhs, all);
    return CLSOLVE_OK;
}

static given begin(cls_direct *direct, clsolve_op op, const clsolve_matrix *A, double *room) {
    const int64_t n = A->rows, parts = cls_type_parts(A->type);
    return (given){.direct = direct,
                   .inverse = inverse_of(direct),
                   .op = op,
                   .A = A,
                   .parts = parts,
                   .epsilon = cls_type_epsilon(A->type) / 2,
                   .least = (double)(n + 1) * cls_type_least(A->type),
                   .b = room,
                   .r = room + n * parts,
                   .s = room + 2 * n * parts,
                   .w = room + 2 * n * parts + n};
}

clsolve_status cls_direct_refine_given(cls_direct *direct, const char *call, clsolve_op op, const clsolve_matrix *A,
                                       const clsolve_matrix *B, const clsolve_matrix *X, double *ferr, double *berr) {
    const size_t n = (size_t)X->rows, nrhs = (size_t)X->cols, parts = (size_t)cls_type_parts(X->type);
    double *bounds = cls_alloc(2 * nrhs, sizeof *bounds), *room = cls_alloc(2 * (parts + 1) * n, sizeof *room);
    double *all = cls_alloc(n * parts, nrhs * sizeof *all);
    clsolve_status status = CLSOLVE_OK;

    if (!bounds || !room || !all) {
        status = cls_fail(direct->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "%s: no host memory for vectors", call);
    } else if (n > 0) {
        given g = begin(direct, op, A, room);
        status = refine_all(&g, call, B, X, all, bounds);
    }
    if (status == CLSOLVE_OK && ferr && nrhs > 0) memcpy(ferr, bounds, nrhs * sizeof *ferr);
    if (status == CLSOLVE_OK && berr && nrhs > 0) memcpy(berr, bounds + nrhs, nrhs * sizeof *berr);
    cls_free(bounds);
    cls_free(room);
    cls_free(all);
    return status;
}
