/* pivots.c: what the pivots tell: the order of elimination, the determinant, and how much numbers have grown. */
#include <math.h>

#include "base/memory.h"
#include "method/sparse/engine.h"
#include "method/fronts_host/number.h"

/* Without memory, or where the device fails, the order of the analysis. */
static void order_there(const cls_sparse *sparse, int64_t *rows, int64_t *columns) {
    const int64_t n = sparse->A.n, *place = sparse->symbolic.tree.place;
    double *pivot = cls_alloc((size_t)n + 1, (size_t)sparse->A.parts * sizeof *pivot);
    int64_t *row = cls_alloc((size_t)n + 1, 2 * sizeof *row);
    const int known = pivot && row && cls_sparse_pivots_there(sparse, pivot, row);
    for (int64_t v = 0; v < n; v++) {
        if (columns) columns[place[v]] = v;
        const int64_t at = place[sparse->row_of ? sparse->row_of[v] : v];
        if (known)
            row[n + at] = v;
        else if (rows)
            rows[at] = v;
    }
    for (int64_t k = 0; k < n && rows && known; k++) rows[k] = row[n + row[k]];
    cls_free(pivot);
    cls_free(row);
}

void cls_sparse_order(const cls_sparse *sparse, int64_t *rows, int64_t *columns) {
    const int64_t *place = sparse->symbolic.tree.place;
    int64_t *at = (int64_t *)sparse->work; /* of each position the row, then the column */
    int64_t k = 0;
    if (sparse->klu) {
        cls_klu_order(sparse->klu, sparse->factored, rows, columns);
        return;
    }
    if (sparse->made_there) {
        order_there(sparse, rows, columns);
        return;
    }
    for (int64_t v = 0; v < sparse->A.n; v++) {
        at[2 * place[sparse->row_of ? sparse->row_of[v] : v]] = v;
        at[2 * place[v] + 1] = v;
    }
    for (; k < sparse->A.n && !sparse->factored; k++) {
        if (rows) rows[k] = at[2 * k];
        if (columns) columns[k] = at[2 * k + 1];
    }
    for (int64_t s = 0; s < sparse->symbolic.tree.fronts && sparse->factored; s++) {
        const cls_front *front = &sparse->factors.front[s];
        for (int64_t t = 0; t < front->k; t++, k++) {
            if (rows) rows[k] = at[2 * front->row[t]];
            if (columns) columns[k] = at[2 * front->column[t] + 1];
        }
    }
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

/* The determinant of a block of order 2 of D, by its largest element: squares may leave the range. */
static void take_block(pivots *of, const cls_sparse *sparse, const double *d, int64_t m) {
    const int64_t parts = sparse->A.parts;
    const number a = get(d, 0, parts), b = get(d, m, parts), c = get(d, m + 1, parts);
    const double s = fmax(absolute(b), fmax(absolute(a), absolute(c)));
    const double sign = cls_form_conjugates(sparse->options.form) ? -1 : 1; /* of the imaginary part of D(t+1,t) */
    const number other = {b.re / s, sign * b.im / s};
    const number det = {
        (a.re / s) * (c.re / s) - (a.im / s) * (c.im / s) - ((b.re / s) * other.re - (b.im / s) * other.im),
        (a.re / s) * (c.im / s) + (a.im / s) * (c.re / s) - ((b.re / s) * other.im + (b.im / s) * other.re)};
    take_pivot(of, det, parts);
    of->log += 2 * log(s);
}

static pivots all_pivots(const cls_sparse *sparse) {
    const int64_t n = sparse->A.n, parts = sparse->A.parts;
    pivots of = {0, 0, 1};
    double pivot[2] = {0, 0};
    for (int64_t k = 0; k < n && sparse->klu; k++) {
        cls_klu_pivot(sparse->klu, k, pivot);
        take_pivot(&of, get(pivot, 0, parts), parts);
    }
    if (sparse->made_there) {
        double *there = cls_alloc((size_t)n + 1, (size_t)parts * sizeof *there);
        int64_t *row = cls_alloc((size_t)n + 1, sizeof *row);
        if (there && row && cls_sparse_pivots_there(sparse, there, row))
            for (int64_t k = 0; k < n; k++) take_pivot(&of, get(there, k, parts), parts);
        cls_free(there);
        cls_free(row);
    }
    for (int64_t s = 0; s < sparse->symbolic.tree.fronts && !sparse->klu && !sparse->made_there; s++) {
        const cls_front *front = &sparse->factors.front[s];
        for (int64_t k = 0; k < front->k; k++) {
            const double *d = (const double *)front->columns + k * (front->m + 1) * parts;
            if (!cls_form_is_ldl(sparse->options.form) || !cls_front_pairs(front, k))
                take_pivot(&of, get(d, 0, parts), parts);
            else
                take_block(&of, sparse, d, front->m), k++;
        }
    }
    const int exponent = sparse->klu ? 0 : sparse->made_there ? sparse->there->exponent : sparse->exponent;
    if (sparse->options.form == CLSOLVE_SPARSE_POSITIVE_DEFINITE) of = (pivots){2 * of.log, 0, 1}; /* they are roots */
    of.log += (double)n * exponent * log(2);
    for (int64_t i = 0; i < n && sparse->row_scale && !sparse->klu; i++)
        of.log -= log(sparse->row_scale[i]) + log(sparse->col_scale[i]);
    return of;
}

/* The largest element of D. */
static double largest_of_blocks(const cls_front *front, int64_t parts) {
    double most = 0;
    for (int64_t t = 0; t < front->k; t++) {
        const double *d = (const double *)front->columns + t * (front->m + 1) * parts;
        most = fmax(most, largest(cls_front_pairs(front, t) == 2 ? d - parts : d,
                                  cls_front_pairs(front, t) == 2 ? 2 : 1, parts));
    }
    return most;
}

/* max |u| / max |a| of the matrix as it was factored; of L D L^T D stands in U's place. */
static double growth_of(const cls_sparse *sparse) {
    const int64_t parts = sparse->A.parts;
    double most = 0;
    if (sparse->klu || sparse->made_there || sparse->options.form == CLSOLVE_SPARSE_POSITIVE_DEFINITE) return 0;
    const double of_A = largest(cls_sparse_factored_values(sparse), sparse->A.entries, parts);
    if (of_A == 0) return 0;
    for (int64_t s = 0; s < sparse->symbolic.tree.fronts; s++) {
        const cls_front *front = &sparse->factors.front[s];
        if (cls_form_is_ldl(sparse->options.form)) {
            most = fmax(most, largest_of_blocks(front, parts));
            continue;
        }
        for (int64_t j = 0; j < front->f; j++)
            most = fmax(most, largest((const double *)front->columns + j * front->m * parts,
                                      j < front->k ? j + 1 : front->k, parts));
        for (int64_t j = 0; j < front->m - front->f; j++)
            most = fmax(most, largest((const double *)front->rows + j * front->f * parts, front->k, parts));
    }
    return most / of_A;
}

/* There: as the kernels have counted, if no pivot was replaced, nor rounded to float. */
static clsolve_inertia inertia_there(const cls_sparse *sparse) {
    const cls_sparse_device *there = sparse->there;
    if (there->replaced_pivots > 0 || cls_sparse_is_rough(sparse)) return (clsolve_inertia){0};
    return (clsolve_inertia){.positive = sparse->A.n - there->negative, .negative = there->negative};
}

clsolve_inertia cls_sparse_inertia(const cls_sparse *sparse) {
    const clsolve_sparse_form form = sparse->options.form;
    if (sparse->factored && form == CLSOLVE_SPARSE_POSITIVE_DEFINITE)
        return (clsolve_inertia){.positive = cls_sparse_is_rough(sparse) ? 0 : sparse->A.n};
    if (!cls_form_is_ldl(form) || (sparse->A.parts == 2 && !cls_form_conjugates(form))) return (clsolve_inertia){0};
    return sparse->factored && sparse->made_there ? inertia_there(sparse) : sparse->inertia;
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
        const int sign = cls_form_is_one_sided(sparse->options.form)
                             ? 1
                             : sign_of(order, n, seen_before) * sign_of(order + n, n, seen_before);
        sparse->log_abs_det = of.log;
        sparse->det_sign = sparse->A.parts == 2 ? 1 : of.sign * sign;
        sparse->det_phase = sparse->A.parts == 2 ? remainder(of.phase + (sign < 0 ? pi : 0), 2 * pi) : 0;
        sparse->growth = growth_of(sparse);
    }
    cls_free(order);
    cls_free(seen_before);
}
