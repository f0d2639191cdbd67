/*
 * pairing.c: rows and columns that are paired before the order is chosen, for large elements in the places of pivots;
 * and the structural rank.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "method/sparse/engine.h"
#include "method/fronts_host/number.h"

/* ---- whether the diagonal is large ---- */

/* A row whose diagonal entry is so much smaller than its largest one wants another row in its place. */
static const double large_diagonal = 0.01;

/* size[2 i]: of a(i,i); size[2 i + 1]: the largest of row i, of both triangles; with these scales, NULL: without. */
static void find_largest(const cls_sparse *sparse, const double *scale, double *size) {
    const cls_csr *A = &sparse->A;
    const clsolve_sparse_form form = sparse->options.form;
    for (int64_t i = 0; i < 2 * A->n; i++) size[i] = 0;
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) {
            const int64_t j = A->column[e];
            const double of_entry = absolute(get(A->value, e, A->parts)) * (scale ? scale[i] * scale[j] : 1);
            if (!cls_sparse_reads(sparse->options.part, i, j)) continue;
            if (i == j) size[2 * i] = of_entry;
            size[2 * i + 1] = fmax(size[2 * i + 1], of_entry);
            if (cls_form_is_one_sided(form)) size[2 * j + 1] = fmax(size[2 * j + 1], of_entry);
        }
}

static int has_large_diagonal(const double *size, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if (!(size[2 * i] > 0) || size[2 * i] < large_diagonal * size[2 * i + 1]) return 0;
    return 1;
}

/* ---- matching ---- */

/* Entries that are zero now may have values later: then the pattern alone is paired, without scales. */
static int match_pattern(const cls_csr *A, cls_matching *matching) {
    cls_matching_free(matching);
    return cls_matching_make(A, CLS_MATCH_PATTERN, matching);
}

/* Rows without a column fill the places that are left: the matrix is singular. */
static int fill_places(int64_t n, int64_t *column_of) {
    char *taken = cls_alloc((size_t)n + 1, 1);
    int64_t column = 0;
    if (!taken) return 0;
    for (int64_t i = 0; i < n; i++)
        if (column_of[i] >= 0) taken[column_of[i]] = 1;
    for (int64_t i = 0; i < n; i++) {
        if (column_of[i] >= 0) continue;
        while (taken[column]) column++;
        column_of[i] = column++;
    }
    cls_free(taken);
    return 1;
}

/* Row i comes to its column's place. 0: no memory. */
static int take_matching(cls_sparse *sparse) {
    const int64_t n = sparse->A.n;
    cls_matching matching;
    if (!cls_matching_make(&sparse->A, CLS_MATCH_VALUES, &matching)) return 0;
    if (matching.rank < n && !match_pattern(&sparse->A, &matching)) return 0;
    if (matching.rank < n && !fill_places(n, matching.column_of)) {
        cls_matching_free(&matching);
        return 0;
    }
    sparse->analysis.structural_rank = matching.rank;
    sparse->row_of = matching.column_of;
    sparse->row_scale = matching.row_scale;
    sparse->col_scale = matching.col_scale;
    sparse->analysis.matched = 1;
    return 1;
}

/* ---- both triangles of a matrix that is given by one ---- */

static void mirror_entry(const cls_csr *A, int64_t e, int64_t row, int64_t column, int64_t *end, cls_csr *whole) {
    const int64_t at = end[row]++;
    whole->column[at] = column;
    if (whole->value) whole->value[at] = absolute(get(A->value, e, A->parts));
}

/* The pattern, and with `sizes` the absolute values. The columns of a row do not ascend. 0: no memory. */
static int mirror(const cls_csr *A, clsolve_sparse_part part, int sizes, cls_csr *whole) {
    int64_t *end = cls_alloc((size_t)A->n + 1, sizeof *end);
    *whole = (cls_csr){.n = A->n, .parts = 1, .start = cls_alloc((size_t)A->n + 1, sizeof *whole->start)};
    for (int64_t i = 0; i < A->n && whole->start; i++)
        for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) {
            if (!cls_sparse_reads(part, i, A->column[e])) continue;
            whole->start[i + 1]++;
            if (A->column[e] != i) whole->start[A->column[e] + 1]++;
        }
    for (int64_t i = 0; i < A->n && whole->start; i++) whole->start[i + 1] += whole->start[i];
    if (whole->start) {
        whole->entries = whole->start[A->n];
        whole->column = cls_alloc((size_t)whole->entries + 1, sizeof *whole->column);
        if (sizes) whole->value = cls_alloc((size_t)whole->entries + 1, sizeof *whole->value);
    }
    const int room = end && whole->column && (!sizes || whole->value);
    for (int64_t i = 0; i < A->n && room; i++) end[i] = whole->start[i];
    for (int64_t i = 0; i < A->n && room; i++)
        for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) {
            const int64_t j = A->column[e];
            if (!cls_sparse_reads(part, i, j)) continue;
            mirror_entry(A, e, i, j, end, whole);
            if (i != j) mirror_entry(A, e, j, i, end, whole);
        }
    cls_free(end);
    if (!room) cls_csr_free(whole);
    return room;
}

/* ---- symmetric matrices ---- */

/* size: of find_largest. Without a matching of all rows there is nothing to go by. 0: no memory. */
static int take_pairs(cls_sparse *sparse, const cls_csr *whole, double *size) {
    const int64_t n = sparse->A.n;
    cls_matching matching;
    if (!cls_matching_make(whole, CLS_MATCH_SYMMETRIC, &matching)) return 0;
    if (matching.rank < n) {
        const int found = match_pattern(whole, &matching);
        sparse->analysis.structural_rank = matching.rank;
        cls_matching_free(&matching);
        return found;
    }
    sparse->analysis.structural_rank = n;
    sparse->analysis.matched = 1;
    sparse->row_scale = matching.row_scale;
    sparse->col_scale = matching.col_scale;
    sparse->partner = cls_alloc((size_t)n + 1, sizeof *sparse->partner);
    for (int64_t i = 0; i < n; i++) size[i] = size[2 * i];
    const int done =
        sparse->partner && cls_pairs_make(n, matching.column_of, matching.row_scale, size, sparse->partner);
    cls_free(matching.column_of);
    return done;
}

static int match_symmetric(cls_sparse *sparse, double *size) {
    cls_csr whole = {0};
    if (sparse->whole) return take_pairs(sparse, &sparse->A, size);
    if (!mirror(&sparse->A, sparse->options.part, 1, &whole)) return 0;
    const int done = take_pairs(sparse, &whole, size);
    cls_csr_free(&whole);
    return done;
}

/* ---- scales without a matching ---- */

/* Rows that differ more than this are scaled before the first factorization, others only if that delays many
 * pivots. */
static const double unlike = 1e9;

static int are_alike(const double *size, int64_t n, double ratio) {
    double least = HUGE_VAL, most = 0;
    for (int64_t i = 0; i < n; i++) {
        if (size[2 * i + 1] > 0) least = fmin(least, size[2 * i + 1]);
        most = fmax(most, size[2 * i + 1]);
    }
    return !(most > ratio * least);
}

/*
 * Scales that bring the largest element of each row, and so of each column, to about 1: the roots of these elements, in
 * a few steps (D. Ruiz, A scaling algorithm to equilibrate both rows and columns norms in matrices, RAL-TR-2001-034).
 * 0: no memory.
 */
static int equilibrate(cls_sparse *sparse, double *size) {
    enum { STEPS = 6 };
    const int64_t n = sparse->A.n;
    sparse->row_scale = cls_alloc((size_t)n + 1, sizeof *sparse->row_scale);
    sparse->col_scale = cls_alloc((size_t)n + 1, sizeof *sparse->col_scale);
    if (!sparse->row_scale || !sparse->col_scale) return 0;
    for (int64_t i = 0; i < n; i++) sparse->row_scale[i] = 1;
    for (int step = 0; step < STEPS && !(step > 0 && are_alike(size, n, 4)); step++) {
        for (int64_t i = 0; i < n; i++) {
            int exponent = 0;
            if (size[2 * i + 1] > 0) (void)frexp(size[2 * i + 1], &exponent);
            sparse->row_scale[i] = ldexp(sparse->row_scale[i], -exponent / 2);
        }
        find_largest(sparse, sparse->row_scale, size);
    }
    memcpy(sparse->col_scale, sparse->row_scale, (size_t)n * sizeof *sparse->row_scale);
    return 1;
}

int cls_sparse_equilibrate(cls_sparse *sparse) {
    double *size = cls_alloc((size_t)sparse->A.n + 1, 2 * sizeof *size);
    if (size) find_largest(sparse, NULL, size);
    const int done = size && equilibrate(sparse, size);
    cls_free(size);
    if (done) return 1;
    cls_free(sparse->row_scale);
    cls_free(sparse->col_scale);
    sparse->row_scale = sparse->col_scale = NULL;
    return 0;
}

/* ---- what is paired ---- */

/*
 * A device replaces pivots that the host delays, and then the columns are paired and all is factored again. Rows that
 * differ so much, as those of interior points, are the sign of that. Pairs make more entries, so large matrices wait
 * for the first factorization: for few entries launches take the time.
 */
static int pairs_there(const cls_sparse *sparse, const double *size) {
    enum { FEW_ENTRIES = 1 << 18 };
    const double unlike_there = 1e3;
    return sparse->options.where == CLSOLVE_WHERE_DEVICE && sparse->A.entries <= FEW_ENTRIES &&
           !are_alike(size, sparse->A.n, unlike_there);
}

/* Columns with a small diagonal. 0: no memory. */
static int find_weak(cls_sparse *sparse, const double *size) {
    const int64_t n = sparse->A.n;
    sparse->weak = cls_alloc((size_t)n + 1, 1);
    for (int64_t i = 0; i < n && sparse->weak; i++)
        sparse->weak[i] = !(size[2 * i] > 0) || size[2 * i] < large_diagonal * size[2 * i + 1];
    return sparse->weak != NULL;
}

int cls_sparse_pair(cls_sparse *sparse) {
    const clsolve_sparse_options *o = &sparse->options;
    const int ldl = cls_form_is_ldl(o->form),
              may = o->form != CLSOLVE_SPARSE_POSITIVE_DEFINITE && (ldl || o->matching != CLSOLVE_CHOICE_OFF);
    double *size = may ? cls_alloc((size_t)sparse->A.n + 1, 2 * sizeof *size) : NULL;
    int done = !may || size;
    if (size) find_largest(sparse, NULL, size);
    const int small = size && !has_large_diagonal(size, sparse->A.n);
    const int matches =
        may && o->matching != CLSOLVE_CHOICE_OFF &&
        (o->matching == CLSOLVE_CHOICE_ON || sparse->pairs || (small && (!ldl || pairs_there(sparse, size))));
    if (done && ldl && small) done = find_weak(sparse, size);
    if (done && matches) done = ldl ? match_symmetric(sparse, size) : take_matching(sparse);
    if (done && ldl && small && !matches && o->matching == CLSOLVE_CHOICE_AUTO && !are_alike(size, sparse->A.n, unlike))
        done = equilibrate(sparse, size);
    if (done && sparse->analysis.structural_rank < 0) done = cls_sparse_find_rank(sparse);
    cls_free(size);
    return done;
}

/* ---- the structural rank ---- */

static int has_diagonal(const cls_csr *A, int64_t i) {
    for (int64_t e = A->start[i]; e < A->start[i + 1]; e++)
        if (A->column[e] == i) return 1;
    return 0;
}

int64_t cls_sparse_structural_rank(const cls_sparse *sparse, int64_t *row) {
    cls_csr whole = {0};
    if (sparse->whole) return cls_structural_rank(&sparse->A, row);
    if (!mirror(&sparse->A, sparse->options.part, 0, &whole)) return -1;
    const int64_t rank = cls_structural_rank(&whole, row);
    cls_csr_free(&whole);
    return rank;
}

/* A whole diagonal is a pairing; few matrices have none, and then one is looked for. */
int cls_sparse_find_rank(cls_sparse *sparse) {
    const cls_csr *A = &sparse->A;
    int64_t i = 0, row;
    while (i < A->n && has_diagonal(A, i)) i++;
    sparse->analysis.structural_rank = i == A->n ? A->n : cls_sparse_structural_rank(sparse, &row);
    return sparse->analysis.structural_rank >= 0;
}
