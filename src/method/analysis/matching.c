/*
 * matching.c: a pairing of rows and columns with the largest product of absolute values, and scales that bring the
 * paired entries to about 1 and all others below.
 *
 * I. S. Duff, J. Koster, On algorithms for permuting large entries to the diagonal of a sparse matrix, SIMAX 22 (2001),
 * section 4: with costs c(i,j) = log max_k |a(i,k)| - log |a(i,j)|, which are not negative, the pairing of the least
 * sum is sought by shortest augmenting paths. u(i) and v(j) are the duals: u(i) + v(j) <= c(i,j), with equality at
 * paired places. The scales are exp(u(i)) / max_k |a(i,k)| and exp(v(j)), rounded to powers of two (Olschowka, Neumaier
 * 1996). A symmetric matrix takes the geometric mean of both as the scale of row and column i (I. S. Duff, S. Pralet,
 * Strategies for scaling and pivoting for sparse symmetric indefinite problems, SIMAX 27, 2005, section 2).
 */
#include <math.h>

#include "base/arrays.h"
#include "method/analysis/analysis.h"

typedef struct state {
    const cls_csr *A;
    double *cost;               /* of each entry; infinite: the entry is zero */
    double *u, *v;              /* duals */
    int64_t *column_of;         /* of rows */
    int64_t *row_of;            /* of columns; -1: free */
    int64_t *entry_of;          /* of rows: the paired entry */
    double *distance;           /* of columns */
    int64_t *from;              /* of columns: the entry by which the path comes */
    int64_t *from_row;          /* and its row */
    int64_t *heap, *at, heaped; /* columns by distance; place of a column in the heap; -1: not there, -2: settled */
    int64_t *seen, seen_count;  /* columns with a distance */
} state;

static int state_make(const cls_csr *A, int64_t *column_of, state *s) {
    const size_t n = (size_t)A->n + 1;
    *s = (state){.A = A, .column_of = column_of};
    return CLS_ALLOC_ALL(CLS_ARRAY(s->cost, A->entries + 1), CLS_ARRAY(s->u, n), CLS_ARRAY(s->v, n),
                         CLS_ARRAY(s->row_of, n), CLS_ARRAY(s->entry_of, n), CLS_ARRAY(s->distance, n),
                         CLS_ARRAY(s->from, n), CLS_ARRAY(s->from_row, n), CLS_ARRAY(s->heap, n), CLS_ARRAY(s->at, n),
                         CLS_ARRAY(s->seen, n));
}

/* ---- costs ---- */

static double size_of(const cls_csr *A, int64_t e) {
    return A->parts == 2 ? hypot(A->value[2 * e], A->value[2 * e + 1]) : fabs(A->value[e]);
}

static double largest_of(const cls_csr *A, int64_t row) {
    double largest = 0;
    for (int64_t e = A->start[row]; e < A->start[row + 1]; e++) largest = fmax(largest, size_of(A, e));
    return largest;
}

/* Without values all entries cost the same. */
static void find_costs(state *s, int values) {
    const cls_csr *A = s->A;
    for (int64_t i = 0; i < A->n && values; i++) {
        const double most = log(largest_of(A, i));
        for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) {
            const double size = size_of(A, e);
            s->cost[e] = size > 0 ? fmax(most - log(size), 0) : HUGE_VAL;
        }
    }
}

/* ---- a first pairing: duals that are allowed, and places of equality as far as they are free ---- */

static void pair(state *s, int64_t row, int64_t entry) {
    const int64_t column = s->A->column[entry];
    s->column_of[row] = column;
    s->entry_of[row] = entry;
    s->row_of[column] = row;
}

static void begin(state *s) {
    const cls_csr *A = s->A;
    for (int64_t j = 0; j < A->n; j++) {
        s->v[j] = HUGE_VAL;
        s->row_of[j] = s->column_of[j] = s->at[j] = -1;
        s->distance[j] = HUGE_VAL;
    }
    for (int64_t e = 0; e < A->entries; e++) s->v[A->column[e]] = fmin(s->v[A->column[e]], s->cost[e]);
    for (int64_t i = 0; i < A->n; i++) {
        double least = HUGE_VAL;
        for (int64_t e = A->start[i]; e < A->start[i + 1]; e++)
            if (s->cost[e] < HUGE_VAL) least = fmin(least, s->cost[e] - s->v[A->column[e]]);
        s->u[i] = least;
        for (int64_t e = A->start[i]; e < A->start[i + 1] && s->column_of[i] < 0; e++)
            if (s->cost[e] < HUGE_VAL && s->cost[e] - s->v[A->column[e]] <= least && s->row_of[A->column[e]] < 0)
                pair(s, i, e);
    }
}

/* ---- a heap of columns ---- */

static void heap_set(state *s, int64_t at, int64_t column) {
    s->heap[at] = column;
    s->at[column] = at;
}

static void heap_up(state *s, int64_t at) {
    const int64_t column = s->heap[at];
    while (at > 0 && s->distance[column] < s->distance[s->heap[(at - 1) / 2]]) {
        heap_set(s, at, s->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    heap_set(s, at, column);
}

static int64_t heap_take(state *s) {
    const int64_t taken = s->heap[0], last = s->heap[--s->heaped];
    int64_t at = 0;
    for (;;) {
        int64_t child = 2 * at + 1;
        if (child >= s->heaped) break;
        if (child + 1 < s->heaped && s->distance[s->heap[child + 1]] < s->distance[s->heap[child]]) child++;
        if (s->distance[last] <= s->distance[s->heap[child]]) break;
        heap_set(s, at, s->heap[child]);
        at = child;
    }
    if (s->heaped > 0) heap_set(s, at, last);
    s->at[taken] = -2;
    return taken;
}

/* ---- shortest augmenting paths ---- */

/* Columns of the row come nearer by a path that reaches the row after `length`. */
static void relax_row(state *s, int64_t row, double length, double bound) {
    const cls_csr *A = s->A;
    for (int64_t e = A->start[row]; e < A->start[row + 1]; e++) {
        const int64_t j = A->column[e];
        if (s->at[j] == -2 || !(s->cost[e] < HUGE_VAL)) continue;
        const double longer = length + fmax(s->cost[e] - s->u[row] - s->v[j], 0);
        if (!(longer < s->distance[j]) || longer >= bound) continue;
        if (s->at[j] < 0) {
            s->seen[s->seen_count++] = j;
            heap_set(s, s->heaped++, j);
        }
        s->distance[j] = longer;
        s->from[j] = e;
        s->from_row[j] = row;
        heap_up(s, s->at[j]);
    }
}

static void augment(state *s, int64_t column, int64_t root) {
    for (;;) {
        const int64_t row = s->from_row[column], before = s->column_of[row];
        pair(s, row, s->from[column]);
        if (row == root) return;
        column = before;
    }
}

/* 0: the row has no column that is free at the end of any path. */
static int search(state *s, int64_t root) {
    int64_t free_column = -1;
    double shortest = HUGE_VAL;
    s->heaped = s->seen_count = 0;
    relax_row(s, root, 0, HUGE_VAL);
    while (s->heaped > 0) {
        const int64_t j = heap_take(s);
        if (s->row_of[j] < 0) {
            free_column = j;
            shortest = s->distance[j];
            break;
        }
        relax_row(s, s->row_of[j], s->distance[j], HUGE_VAL);
    }
    for (int64_t k = 0; k < s->seen_count && free_column >= 0; k++) {
        const int64_t j = s->seen[k];
        if (s->at[j] == -2 && s->distance[j] < shortest) s->v[j] += s->distance[j] - shortest;
    }
    for (int64_t k = 0; k < s->seen_count && free_column >= 0; k++) { /* rows of settled columns, by the old pairing */
        const int64_t j = s->seen[k], row = s->row_of[j];
        if (s->at[j] == -2 && row >= 0) s->u[row] = s->cost[s->entry_of[row]] - s->v[j];
    }
    if (free_column >= 0) {
        augment(s, free_column, root);
        s->u[root] = s->cost[s->entry_of[root]] - s->v[s->column_of[root]];
    }
    for (int64_t k = 0; k < s->seen_count; k++) {
        s->distance[s->seen[k]] = HUGE_VAL;
        s->at[s->seen[k]] = -1;
    }
    return free_column >= 0;
}

/* ---- scales ---- */

static double power_of_two(double exponent) {
    return isfinite(exponent) ? ldexp(1, (int)fmax(-1000, fmin(1000, nearbyint(exponent / 0.69314718055994530942))))
                              : 1;
}

static void find_scales(const state *s, cls_match by, cls_matching *matching) {
    for (int64_t i = 0; i < s->A->n; i++) {
        const double most = largest_of(s->A, i);
        double of_row = most > 0 ? s->u[i] - log(most) : 0, of_column = s->v[i];
        if (by == CLS_MATCH_SYMMETRIC) of_row = of_column = (of_row + of_column) / 2;
        matching->row_scale[i] = power_of_two(of_row);
        matching->col_scale[i] = power_of_two(of_column);
    }
}

int cls_matching_make(const cls_csr *A, cls_match by, cls_matching *matching) {
    const int values = by != CLS_MATCH_PATTERN;
    state s;
    *matching = (cls_matching){0, cls_alloc((size_t)A->n + 1, sizeof *matching->column_of), NULL, NULL};
    if (values) {
        matching->row_scale = cls_alloc((size_t)A->n + 1, sizeof *matching->row_scale);
        matching->col_scale = cls_alloc((size_t)A->n + 1, sizeof *matching->col_scale);
    }
    const int room = state_make(A, matching->column_of, &s) && matching->column_of &&
                     (!values || (matching->row_scale && matching->col_scale));
    if (room) {
        find_costs(&s, values);
        begin(&s);
        for (int64_t i = 0; i < A->n; i++)
            if (matching->column_of[i] >= 0 || search(&s, i)) matching->rank++;
        if (values) find_scales(&s, by, matching);
    } else {
        cls_matching_free(matching);
    }
    cls_free(s.cost); /* and all others */
    return room;
}

void cls_matching_free(cls_matching *matching) {
    cls_free(matching->column_of);
    cls_free(matching->row_scale);
    cls_free(matching->col_scale);
    *matching = (cls_matching){0};
}

/* ---- the structural rank ---- */

/* I. S. Duff, On algorithms for obtaining a maximum transversal, ACM TOMS 7, 1981: depth first, free columns first. */
typedef struct transversal {
    const cls_csr *A;
    int64_t *row_of;       /* of columns; -1: free */
    int64_t *mark;         /* of columns: the root that was there last */
    int64_t *unseen;       /* of rows: entries before it have no free column */
    int64_t *next;         /* of rows on the way: the entry to go on with */
    int64_t *row, *column; /* the way: a row, and the column by which it goes on */
} transversal;

static int64_t free_column(transversal *t, int64_t row) {
    while (t->unseen[row] < t->A->start[row + 1]) {
        const int64_t column = t->A->column[t->unseen[row]++];
        if (t->row_of[column] < 0) return column;
    }
    return -1;
}

/* The next column of the row whose row the way has not seen from this root; -1: there is none. */
static int64_t step_on(transversal *t, int64_t row, int64_t root) {
    while (t->next[row] < t->A->start[row + 1]) {
        const int64_t column = t->A->column[t->next[row]++];
        if (t->mark[column] == root) continue;
        t->mark[column] = root;
        return column;
    }
    return -1;
}

/* 1: the row has a column now, and no other one has lost its own. */
static int pair_row(transversal *t, int64_t root) {
    int64_t depth = 0;
    t->row[0] = root;
    t->next[root] = t->A->start[root];
    while (depth >= 0) {
        const int64_t row = t->row[depth];
        int64_t column = t->next[row] == t->A->start[row] ? free_column(t, row) : -1;
        if (column >= 0) {
            t->column[depth] = column;
            for (; depth >= 0; depth--) t->row_of[t->column[depth]] = t->row[depth];
            return 1;
        }
        column = step_on(t, row, root);
        if (column < 0) {
            depth--;
            continue;
        }
        t->column[depth++] = column;
        t->row[depth] = t->row_of[column];
        t->next[t->row[depth]] = t->A->start[t->row[depth]];
    }
    return 0;
}

int64_t cls_structural_rank(const cls_csr *A, int64_t *row) {
    const int64_t n = A->n;
    int64_t *memory = cls_alloc((size_t)n + 1, 7 * sizeof *memory), rank, count = 0;
    if (!memory) return -1;
    int64_t *left = memory + 6 * n;
    transversal t = {A, memory, memory + n, memory + 2 * n, memory + 3 * n, memory + 4 * n, memory + 5 * n};
    for (int64_t k = 0; k < n; k++) {
        t.row_of[k] = t.mark[k] = -1;
        t.unseen[k] = A->start[k];
    }
    for (int64_t i = 0; i < n; i++) { /* most rows have an entry on the diagonal: few are left for a search */
        for (int64_t e = A->start[i]; e < A->start[i + 1]; e++)
            if (A->column[e] == i) t.row_of[i] = i;
        if (t.row_of[i] < 0) left[count++] = i;
    }
    rank = n - count;
    *row = -1;
    for (int64_t k = 0; k < count; k++) {
        if (pair_row(&t, left[k]))
            rank++;
        else if (*row < 0)
            *row = left[k];
    }
    cls_free(memory);
    return rank;
}
