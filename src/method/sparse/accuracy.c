/* accuracy.c: residuals and norms, and their bounds. */
#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "base/type.h"
#include "method/sparse/engine.h"
#include "method/fronts_host/number.h"

/* ---- entries ---- */

typedef void (*seen)(void *user, int64_t row, int64_t column, number value);

/* Calls `see` for each entry of A, for those that are the mirror of the triangle too. */
static inline void each(const cls_sparse *sparse, seen see, void *user) {
    const cls_csr *A = &sparse->A;
    const clsolve_sparse_part part = sparse->whole ? CLSOLVE_SPARSE_WHOLE : sparse->options.part;
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) {
            number value = get(A->value, e, A->parts);
            if (!cls_sparse_reads(part, i, A->column[e])) continue;
            see(user, i, A->column[e], value);
            if (part == CLSOLVE_SPARSE_WHOLE || A->column[e] == i) continue;
            if (cls_form_conjugates(sparse->options.form)) value.im = -value.im;
            see(user, A->column[e], i, value);
        }
}

typedef struct product {
    int op;
    const double *x;
    double *r, *low;
} product;

/*
 * high + low -= term, where `low` collects what roundings of `high` lose (D. E. Knuth, The Art of Computer Programming,
 * volume 2, 4.2.2). A row of thousands of entries of one sign loses a digit or two otherwise. Refinement then stops at
 * an error that it does not see.
 */
static inline void subtract(double *high, double *low, double term) {
    const double sum = *high - term, back = sum - *high;
    const double lost = (*high - (sum - back)) - (term + back);
    *high = sum;
    *low += isfinite(lost) ? lost : 0;
}

static void subtract_real(void *user, int64_t row, int64_t column, number value) {
    const product *p = user;
    const int64_t to = p->op == CLSOLVE_NO_TRANS ? row : column, from = p->op == CLSOLVE_NO_TRANS ? column : row;
    subtract(p->r + to, p->low + to, value.re * p->x[from]);
}

static void subtract_complex(void *user, int64_t row, int64_t column, number value) {
    const product *p = user;
    const int64_t to = 2 * (p->op == CLSOLVE_NO_TRANS ? row : column),
                  from = 2 * (p->op == CLSOLVE_NO_TRANS ? column : row);
    const double im = p->op == CLSOLVE_CONJ_TRANS ? -value.im : value.im;
    subtract(p->r + to, p->low + to, value.re * p->x[from] - im * p->x[from + 1]);
    subtract(p->r + to + 1, p->low + to + 1, value.re * p->x[from + 1] + im * p->x[from]);
}

enum { LONG_ROW = 128 }; /* entries; in shorter rows roundings do not matter */

/* The usual case without a call for each entry. */
static void subtract_rows(const cls_csr *A, const double *x, double *r) {
    for (int64_t i = 0; i < A->n; i++) {
        double sum = r[i], low = 0;
        const int64_t end = A->start[i + 1];
        if (end - A->start[i] > LONG_ROW)
            for (int64_t e = A->start[i]; e < end; e++) subtract(&sum, &low, A->value[e] * x[A->column[e]]);
        else
            for (int64_t e = A->start[i]; e < end; e++) sum -= A->value[e] * x[A->column[e]];
        r[i] = sum + low;
    }
}

/* The other cases. */
static void subtract_each(const cls_sparse *sparse, const product *p) {
    const int64_t count = sparse->A.n * sparse->A.parts;
    product with = *p;
    with.low = sparse->work;
    memset(with.low, 0, (size_t)count * sizeof *with.low);
    if (sparse->A.parts == 2)
        each(sparse, subtract_complex, &with);
    else
        each(sparse, subtract_real, &with);
    for (int64_t k = 0; k < count; k++) with.r[k] += with.low[k];
}

double cls_sparse_residual(const cls_sparse *sparse, clsolve_op op, const double *b, const double *x, int64_t nrhs,
                           double *r) {
    const int64_t n = sparse->A.n, parts = sparse->A.parts;
    const double norm = op == CLSOLVE_NO_TRANS ? sparse->norm_inf : sparse->norm_1;
    double worst = 0;
    for (int64_t j = 0; j < nrhs; j++) {
        const int64_t at = j * n * parts;
        const product p = {op, x + at, r + at, NULL};
        memcpy(r + at, b + at, (size_t)(n * parts) * sizeof *r);
        if (parts == 1 && sparse->whole && op == CLSOLVE_NO_TRANS)
            subtract_rows(&sparse->A, x + at, r + at);
        else
            subtract_each(sparse, &p);
        const double above = largest(r + at, n, parts), of_b = largest(b + at, n, parts),
                     of_x = largest(x + at, n, parts);
        const double error = above == 0 ? 0 : (double)((long double)above / ((long double)norm * of_x + of_b));
        if (!(error <= worst) && !isnan(worst)) worst = error;
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

/* The usual case without a call for each entry: sums of rows, or of columns. */
static double largest_row(const cls_csr *A) {
    double most = 0;
    for (int64_t i = 0; i < A->n; i++) {
        double row = 0;
        for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) row += fabs(A->value[e]);
        most = row > most ? row : most;
    }
    return most;
}

static double largest_column(const cls_csr *A, double *sums) {
    double most = 0;
    memset(sums, 0, (size_t)A->n * sizeof *sums);
    for (int64_t e = 0; e < A->entries; e++) sums[A->column[e]] += fabs(A->value[e]);
    for (int64_t j = 0; j < A->n; j++) most = sums[j] > most ? sums[j] : most;
    return most;
}

void cls_sparse_find_norm(cls_sparse *sparse, clsolve_op op) {
    double *norm = op == CLSOLVE_NO_TRANS ? &sparse->norm_inf : &sparse->norm_1;
    if (*norm >= 0) return;
    if (sparse->A.parts == 1 && sparse->whole) {
        *norm = op == CLSOLVE_NO_TRANS ? largest_row(&sparse->A) : largest_column(&sparse->A, sparse->work);
    } else {
        memset(sparse->work, 0, (size_t)(2 * sparse->A.n) * sizeof *sparse->work);
        each(sparse, add_sizes, sparse->work);
        for (int64_t i = op == CLSOLVE_NO_TRANS ? 0 : 1; i < 2 * sparse->A.n; i += 2)
            *norm = fmax(*norm, sparse->work[i]);
    }
    *norm = fmin(fmax(*norm, 0), DBL_MAX); /* a sum beyond the range would make each error 0 */
}

/* ---- symmetry ---- */

enum { SLICE = 1 << 16 }; /* entries that one thread looks at, at a time */

/*
 * twin[e] for all entries: rows ascend, and so do the columns of a row. So when row i comes, the next entry of row j
 * that was not met yet is in column i, or in none of the rows before. `next`: n.
 */
static void find_twins(const cls_csr *A, int64_t *next, int32_t *twin) {
    for (int64_t i = 0; i < A->n; i++) next[i] = A->start[i];
    for (int64_t e = 0; e < A->entries; e++) twin[e] = -1;
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t e = next[i]; e < A->start[i + 1]; e++) {
            const int64_t j = A->column[e];
            if (j < i) continue; /* the other side has no such entry */
            while (next[j] < A->start[j + 1] && A->column[next[j]] < i) next[j]++;
            if (next[j] == A->start[j + 1] || A->column[next[j]] != i) continue;
            twin[e] = (int32_t)next[j];
            twin[next[j]++] = (int32_t)e;
        }
}

typedef struct symmetry {
    const cls_csr *A;
    int conjugated;
    const int32_t *twin;
    atomic_int fails;
} symmetry;

/* Sums of several terms, added in another order, differ in the last bits. Residuals are those of A as it is. */
static int is_mirrored(number a, number b, int conjugated) {
    if (!conjugated) b.im = -b.im;
    if (a.re == b.re && a.im == -b.im) return 1;
    return hypot(a.re - b.re, a.im + b.im) <= 0x1p-46 * (absolute(a) + absolute(b));
}

static void compare_twins(void *what, int64_t slice) {
    symmetry *of = what;
    const cls_csr *A = of->A;
    const int64_t end = (slice + 1) * SLICE < A->entries ? (slice + 1) * SLICE : A->entries;
    for (int64_t e = slice * SLICE; e < end; e++) {
        const int64_t twin = of->twin[e];
        if (twin >= 0 && twin <= e) continue; /* the diagonal; a pair is compared at its first entry */
        const number b = twin < 0 ? (number){0, 0} : get(A->value, twin, A->parts);
        if (!is_mirrored(get(A->value, e, A->parts), b, of->conjugated)) of->fails = 1;
    }
}

/* 0: no memory. */
int cls_sparse_make_twins(cls_sparse *sparse) {
    const cls_csr *A = &sparse->A;
    if (sparse->twin) return 1;
    if (A->entries >= INT32_MAX) return 0;
    int64_t *next = cls_alloc((size_t)A->n + 1, sizeof *next);
    sparse->twin = cls_alloc((size_t)A->entries + 1, sizeof *sparse->twin);
    if (next && sparse->twin) {
        find_twins(A, next, sparse->twin);
    } else {
        cls_free(sparse->twin);
        sparse->twin = NULL;
    }
    cls_free(next);
    return sparse->twin != NULL;
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

/* Entry by entry, without a list of twins. */
static int search(const cls_csr *A, int conjugated, int64_t *row, int64_t *column) {
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) {
            const int64_t j = A->column[e];
            if (i == j) continue;
            const int64_t twin = find(A, j, i);
            const number a = get(A->value, e, A->parts);
            const number b = twin < 0 ? (number){0, 0} : get(A->value, twin, A->parts);
            if (is_mirrored(a, b, conjugated)) continue;
            *row = i;
            *column = j;
            return 0;
        }
    return 1;
}

int cls_sparse_is_symmetric(cls_sparse *sparse, int64_t *row, int64_t *column) {
    symmetry of = {.A = &sparse->A, .conjugated = cls_form_conjugates(sparse->options.form)};
    cls_job job = {.work = compare_twins, .what = &of, .parts = (sparse->A.entries + SLICE - 1) / SLICE};
    if (!cls_sparse_make_twins(sparse)) return search(of.A, of.conjugated, row, column);
    of.twin = sparse->twin;
    cls_pool_run(job.parts > 1 ? sparse->A.pool : NULL, &job);
    return !of.fails || search(of.A, of.conjugated, row, column); /* which finds the first place */
}

/* ---- bounds ---- */

double cls_sparse_promised(const cls_sparse *sparse) {
    return fmax(sqrt((double)sparse->A.n), 10) * (cls_type_epsilon(sparse->type) / 2);
}

/*
 * With A^T u = 0, b - A x is at least |u^T b| / ||u||_1, which for most b is ||b|| / sqrt(n) or more. A backward error
 * within the promise takes an x of this size divided by the promise. Less is asked for, but a well-posed A has room.
 */
double cls_sparse_most_growth(const cls_sparse *sparse) {
    const double promised = cls_sparse_promised(sparse);
    if (!sparse->made_there || sparse->there->replaced_pivots == 0) return 0;
    return fmax(0.1 / (sqrt((double)sparse->A.n) * promised), pow(promised, -0.75));
}
