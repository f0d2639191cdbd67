/* accuracy.c: residuals, norms and the determinant. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/type.h"
#include "method/sparse/engine.h"

typedef struct number {
    double re, im;
} number;

static number get(const double *x, int64_t k, int64_t parts) {
    return (number){x[k * parts], parts == 2 ? x[k * parts + 1] : 0};
}

static double absolute(number x) {
    return x.im == 0 ? fabs(x.re) : hypot(x.re, x.im);
}

/* ---- entries ---- */

typedef void (*seen)(void *user, int64_t row, int64_t column, number value);

/* Calls `see` for each entry of A, for those that are the mirror of the triangle too. */
static void each(const cls_sparse *sparse, seen see, void *user) {
    const cls_csr *A = &sparse->A;
    const clsolve_sparse_part part = sparse->whole ? CLSOLVE_SPARSE_WHOLE : sparse->options.part;
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) {
            number value = get(A->value, e, A->parts);
            if (!cls_sparse_reads(part, i, A->column[e])) continue;
            see(user, i, A->column[e], value);
            if (part == CLSOLVE_SPARSE_WHOLE || A->column[e] == i) continue;
            value.im = -value.im;
            see(user, A->column[e], i, value);
        }
}

typedef struct product {
    int op;
    const double *x;
    double *r;
} product;

static void subtract_real(void *user, int64_t row, int64_t column, number value) {
    const product *p = user;
    if (p->op == CLSOLVE_NO_TRANS)
        p->r[row] -= value.re * p->x[column];
    else
        p->r[column] -= value.re * p->x[row];
}

static void subtract_complex(void *user, int64_t row, int64_t column, number value) {
    const product *p = user;
    const int64_t to = 2 * (p->op == CLSOLVE_NO_TRANS ? row : column),
                  from = 2 * (p->op == CLSOLVE_NO_TRANS ? column : row);
    const double im = p->op == CLSOLVE_CONJ_TRANS ? -value.im : value.im;
    p->r[to] -= value.re * p->x[from] - im * p->x[from + 1];
    p->r[to + 1] -= value.re * p->x[from + 1] + im * p->x[from];
}

/* The usual case without a call for each entry. */
static void subtract_rows(const cls_csr *A, const double *x, double *r) {
    for (int64_t i = 0; i < A->n; i++) {
        double sum = r[i];
        for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) sum -= A->value[e] * x[A->column[e]];
        r[i] = sum;
    }
}

static double largest(const double *x, int64_t n, int64_t parts) {
    double most = 0;
    for (int64_t k = 0; k < n && parts == 1; k++) most = fabs(x[k]) > most || isnan(x[k]) ? fabs(x[k]) : most;
    if (parts == 1) return most;
    for (int64_t k = 0; k < n; k++) {
        const double size = absolute(get(x, k, parts));
        if (!(size <= most)) most = size;
    }
    return most;
}

double cls_sparse_residual(const cls_sparse *sparse, clsolve_op op, const double *b, const double *x, int64_t nrhs,
                           double *r) {
    const int64_t n = sparse->A.n, parts = sparse->A.parts;
    const double norm = op == CLSOLVE_NO_TRANS ? sparse->norm_inf : sparse->norm_1;
    double worst = 0;
    for (int64_t j = 0; j < nrhs; j++) {
        const int64_t at = j * n * parts;
        product p = {op, x + at, r + at};
        memcpy(r + at, b + at, (size_t)(n * parts) * sizeof *r);
        if (parts == 1 && sparse->whole && op == CLSOLVE_NO_TRANS)
            subtract_rows(&sparse->A, x + at, r + at);
        else
            each(sparse, parts == 2 ? subtract_complex : subtract_real, &p);
        const double above = largest(r + at, n, parts), of_b = largest(b + at, n, parts),
                     of_x = largest(x + at, n, parts);
        const double error = above == 0 ? 0 : (double)((long double)above / ((long double)norm * of_x + of_b));
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

/* ---- norms ---- */

static void add_sizes(void *user, int64_t row, int64_t column, number value) {
    double *sums = user;
    const double size = absolute(value);
    sums[2 * row] += size;
    sums[2 * column + 1] += size;
}

/* The usual case without a call for each entry. */
static void add_rows(const cls_csr *A, double *sums) {
    for (int64_t i = 0; i < A->n; i++) {
        double row = 0;
        for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) {
            const double size = fabs(A->value[e]);
            row += size;
            sums[2 * A->column[e] + 1] += size;
        }
        sums[2 * i] = row;
    }
}

void cls_sparse_norms(cls_sparse *sparse) {
    memset(sparse->work, 0, (size_t)(2 * sparse->A.n) * sizeof *sparse->work);
    if (sparse->A.parts == 1 && sparse->whole)
        add_rows(&sparse->A, sparse->work);
    else
        each(sparse, add_sizes, sparse->work);
    sparse->norm_inf = sparse->norm_1 = 0;
    for (int64_t i = 0; i < sparse->A.n; i++) {
        sparse->norm_inf = fmax(sparse->norm_inf, sparse->work[2 * i]);
        sparse->norm_1 = fmax(sparse->norm_1, sparse->work[2 * i + 1]);
    }
}

static int64_t find(const cls_csr *A, int64_t row, int64_t column) {
    int64_t low = A->start[row], high = A->start[row + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (A->column[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < A->start[row + 1] && A->column[low] == column ? low : -1;
}

int cls_sparse_is_hermitian(const cls_sparse *sparse, int64_t *row, int64_t *column) {
    const cls_csr *A = &sparse->A;
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) {
            const int64_t j = A->column[e];
            if (i == j) continue;
            const int64_t twin = find(A, j, i);
            const number a = get(A->value, e, A->parts);
            const number b = twin < 0 ? (number){0, 0} : get(A->value, twin, A->parts);
            if (a.re == b.re && a.im == -b.im) continue;
            /* Sums of several terms, added in another order. Residuals are those of A as it is. */
            if (hypot(a.re - b.re, a.im + b.im) <= 0x1p-46 * (absolute(a) + absolute(b))) continue;
            *row = i;
            *column = j;
            return 0;
        }
    return 1;
}

/* ---- the determinant ---- */

/* 1 or -1. `seen`: n bytes, zeros before and after. */
static int sign_of(const int64_t *permutation, int64_t n, char *seen_before) {
    int sign = 1;
    for (int64_t k = 0; k < n; k++) {
        if (seen_before[k]) continue;
        int64_t length = 0;
        for (int64_t at = k; !seen_before[at]; at = permutation[at], length++) seen_before[at] = 1;
        if (length % 2 == 0) sign = -sign;
    }
    for (int64_t k = 0; k < n; k++) seen_before[k] = 0;
    return sign;
}

typedef struct pivots {
    double log, phase;
    int sign;
} pivots;

static void take_pivot(pivots *of, number pivot, int64_t parts) {
    of->log += log(absolute(pivot));
    if (parts == 2)
        of->phase += atan2(pivot.im, pivot.re);
    else if (pivot.re < 0)
        of->sign = -of->sign;
}

static pivots all_pivots(const cls_sparse *sparse) {
    const int64_t n = sparse->A.n, parts = sparse->A.parts;
    pivots of = {0, 0, 1};
    double pivot[2] = {0, 0};
    for (int64_t k = 0; k < n && sparse->klu; k++) {
        cls_klu_pivot(sparse->klu, k, pivot);
        take_pivot(&of, get(pivot, 0, parts), parts);
    }
    for (int64_t s = 0; s < sparse->symbolic.tree.fronts && !sparse->klu; s++) {
        const cls_front *front = &sparse->factors.front[s];
        for (int64_t k = 0; k < front->k; k++) take_pivot(&of, get(front->columns, k + k * front->m, parts), parts);
    }
    if (sparse->options.form == CLSOLVE_SPARSE_POSITIVE_DEFINITE) return (pivots){2 * of.log, 0, 1};
    for (int64_t i = 0; i < n && sparse->row_scale && !sparse->klu; i++)
        of.log -= log(sparse->row_scale[i]) + log(sparse->col_scale[i]);
    return of;
}

/* max |u| / max |a| of the matrix as it was factored. */
static double growth_of(const cls_sparse *sparse) {
    const int64_t parts = sparse->A.parts;
    const double of_A = largest(sparse->scaled ? sparse->scaled : sparse->A.value, sparse->A.entries, parts);
    double most = 0;
    if (sparse->klu || of_A == 0 || sparse->options.form == CLSOLVE_SPARSE_POSITIVE_DEFINITE) return 0;
    for (int64_t s = 0; s < sparse->symbolic.tree.fronts; s++) {
        const cls_front *front = &sparse->factors.front[s];
        for (int64_t j = 0; j < front->f; j++)
            most = fmax(most, largest((const double *)front->columns + j * front->m * parts,
                                      j < front->k ? j + 1 : front->k, parts));
        for (int64_t j = 0; j < front->m - front->f; j++)
            most = fmax(most, largest((const double *)front->rows + j * front->f * parts, front->k, parts));
    }
    return most / of_A;
}

void cls_sparse_measure(cls_sparse *sparse) {
    const double pi = acos(-1);
    const int64_t n = sparse->A.n;
    int64_t *order = cls_alloc((size_t)n + 1, 2 * sizeof *order);
    char *seen_before = cls_alloc((size_t)n + 1, 1);
    sparse->growth = 0;
    sparse->det_sign = 0;
    if (order && seen_before && sparse->factored) {
        const pivots of = all_pivots(sparse);
        cls_sparse_order(sparse, order, order + n);
        const int sign = sign_of(order, n, seen_before) * sign_of(order + n, n, seen_before);
        sparse->log_abs_det = of.log;
        sparse->det_sign = sparse->A.parts == 2 ? 1 : of.sign * sign;
        sparse->det_phase = sparse->A.parts == 2 ? remainder(of.phase + (sign < 0 ? pi : 0), 2 * pi) : 0;
        sparse->growth = growth_of(sparse);
    }
    cls_free(order);
    cls_free(seen_before);
}
