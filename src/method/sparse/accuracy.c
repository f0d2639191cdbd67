/* accuracy.c: residuals and norms. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/type.h"
#include "method/sparse/engine.h"
#include "method/sparse/number.h"

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
    sparse->norm_inf = fmin(sparse->norm_inf, DBL_MAX); /* a sum beyond the range would make each error 0 */
    sparse->norm_1 = fmin(sparse->norm_1, DBL_MAX);
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
