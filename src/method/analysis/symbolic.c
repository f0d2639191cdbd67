/*
 * symbolic.c: rows of each front, and the places of all that is added into it.
 *
 * The border of front s has row i if and only if s lies on the way from some front with an entry in row i up to the
 * front of i (row subtrees: J. W. H. Liu, SIMAX 11, 1990, section 5). So rows are taken one by one, in ascending order,
 * and each walks up from its entries until it meets its own way. Every border comes out sorted.
 */
#include <string.h>

#include "base/arrays.h"
#include "method/analysis/analysis.h"

typedef struct walk {
    const cls_csr *A;
    const int64_t *row_of;
    clsolve_sparse_part part;
    int64_t *front_of; /* of each position */
    int64_t *end;      /* of each border, as far as it is known */
    int64_t *mark;     /* of fronts */
    int64_t *vertex;   /* at each position */
} walk;

static int64_t row_place(const walk *w, const cls_symbolic *s, int64_t row) {
    return s->tree.place[w->row_of ? w->row_of[row] : row];
}

/* ---- borders ---- */

static void find_borders(walk *w, const cls_graph *graph, cls_symbolic *s) {
    const cls_tree *tree = &s->tree;
    for (int64_t v = 0; v < tree->n; v++) w->vertex[tree->place[v]] = v;
    for (int64_t f = 0; f < tree->fronts; f++) {
        w->end[f] = s->border_start[f];
        w->mark[f] = -1;
    }
    for (int64_t i = 0; i < tree->n; i++) {
        const int64_t v = w->vertex[i];
        w->mark[w->front_of[i]] = i;
        for (int64_t e = graph->start[v]; e < graph->start[v + 1]; e++) {
            const int64_t j = tree->place[graph->next[e]];
            if (j > i) continue;
            for (int64_t f = w->front_of[j]; w->mark[f] != i; f = tree->parent[f]) {
                w->mark[f] = i;
                s->border[w->end[f]++] = i;
            }
        }
    }
}

/* ---- places ---- */

static void find_relative(cls_symbolic *s) {
    const cls_tree *tree = &s->tree;
    for (int64_t f = 0; f < tree->fronts; f++) {
        const int64_t above = tree->parent[f];
        if (above < 0) continue;
        const int64_t begin = tree->first[above], end = tree->first[above + 1];
        int64_t at = s->border_start[above];
        for (int64_t k = s->border_start[f]; k < s->border_start[f + 1]; k++) {
            const int64_t position = s->border[k];
            if (position < end) {
                s->relative[k] = (int32_t)(position - begin);
                continue;
            }
            while (s->border[at] < position) at++;
            s->relative[k] = (int32_t)(end - begin + at - s->border_start[above]);
        }
    }
}

/* Entries by their front; then, front by front, their places with the help of a map of its border. */
static void place_entries(walk *w, cls_symbolic *s) {
    const cls_csr *A = w->A;
    const cls_tree *tree = &s->tree;
    int64_t *local = w->mark, *end = w->end;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t row = 0; row < A->n; row++) {
            const int64_t p = row_place(w, s, row);
            for (int64_t e = A->start[row]; e < A->start[row + 1]; e++) {
                const int64_t q = tree->place[A->column[e]], f = w->front_of[p < q ? p : q];
                if (!cls_sparse_reads(w->part, row, A->column[e])) continue;
                if (pass == 0)
                    s->placed_start[f + 1]++;
                else
                    s->placed[end[f]++] = (cls_placed){e, (int32_t)p, (int32_t)q};
            }
        }
        if (pass == 1) break;
        for (int64_t f = 0; f < tree->fronts; f++) {
            s->placed_start[f + 1] += s->placed_start[f];
            end[f] = s->placed_start[f];
        }
    }
    for (int64_t f = 0; f < tree->fronts; f++) {
        const int64_t begin = tree->first[f], own = tree->first[f + 1] - begin;
        for (int64_t k = s->border_start[f]; k < s->border_start[f + 1]; k++)
            local[s->border[k]] = own + k - s->border_start[f];
        for (int64_t k = begin; k < begin + own; k++) local[k] = k - begin;
        for (int64_t k = s->placed_start[f]; k < s->placed_start[f + 1]; k++) {
            cls_placed *placed = &s->placed[k];
            placed->row = (int32_t)local[placed->row];
            placed->column = (int32_t)local[placed->column];
        }
    }
}

/* One-sided forms take the lower triangle of positions: an entry above it goes to (column, row), and is conjugated if
 * the form says so. */
static void turn_down(clsolve_sparse_form form, cls_symbolic *s) {
    for (int64_t k = 0; k < s->placed_start[s->tree.fronts]; k++) {
        cls_placed *placed = &s->placed[k];
        if (placed->row >= placed->column) continue;
        const int32_t row = placed->row;
        placed->row = placed->column;
        placed->column = row;
        if (cls_form_conjugates(form)) placed->entry = -1 - placed->entry;
    }
}

/* ---- sizes ---- */

static void find_sizes(cls_symbolic *s, clsolve_sparse_form form) {
    const cls_tree *tree = &s->tree;
    int64_t columns = 0, rows = 0;
    for (int64_t f = 0; f < tree->fronts; f++) {
        const int64_t own = tree->first[f + 1] - tree->first[f], m = tree->rows[f];
        s->columns_at[f] = columns;
        s->rows_at[f] = rows;
        columns += own * m;
        if (!cls_form_is_one_sided(form)) rows += own * (m - own);
        if (m > s->largest) s->largest = m;
    }
    s->columns_at[tree->fronts] = columns;
    s->rows_at[tree->fronts] = rows;
}

static void find_children(cls_symbolic *s, int64_t *end) {
    const cls_tree *tree = &s->tree;
    for (int64_t f = 0; f < tree->fronts; f++)
        if (tree->parent[f] >= 0) s->child_start[tree->parent[f] + 1]++;
    for (int64_t f = 0; f < tree->fronts; f++) {
        s->child_start[f + 1] += s->child_start[f];
        end[f] = s->child_start[f];
    }
    for (int64_t f = 0; f < tree->fronts; f++)
        if (tree->parent[f] >= 0) s->child[end[tree->parent[f]]++] = f;
}

static void find_depth(cls_symbolic *s, int64_t *depth) {
    const cls_tree *tree = &s->tree;
    for (int64_t f = tree->fronts - 1; f >= 0; f--) {
        depth[f] = 1 + (tree->parent[f] < 0 ? 0 : depth[tree->parent[f]]);
        if (depth[f] > s->levels) s->levels = depth[f];
    }
}

int cls_symbolic_reserve(cls_symbolic *s, int64_t fronts, int64_t borders, int64_t entries) {
    const int64_t n = fronts + 2;
    return CLS_ALLOC_ALL(CLS_ARRAY(s->border_start, n), CLS_ARRAY(s->placed_start, n), CLS_ARRAY(s->child_start, n),
                         CLS_ARRAY(s->child, n), CLS_ARRAY(s->columns_at, n), CLS_ARRAY(s->rows_at, n),
                         CLS_ARRAY(s->border, borders + 1), CLS_ARRAY(s->relative, borders + 1),
                         CLS_ARRAY(s->placed, entries + 1));
}

static int make_room(const cls_csr *A, cls_symbolic *s) {
    const cls_tree *tree = &s->tree;
    int64_t borders = 0;
    for (int64_t f = 0; f < tree->fronts; f++) borders += tree->rows[f] - (tree->first[f + 1] - tree->first[f]);
    if (!cls_symbolic_reserve(s, tree->fronts, borders, A->entries)) return 0;
    for (int64_t f = 0; f < tree->fronts; f++)
        s->border_start[f + 1] = s->border_start[f] + tree->rows[f] - (tree->first[f + 1] - tree->first[f]);
    return 1;
}

int cls_symbolic_make(const cls_csr *A, const cls_graph *graph, const int64_t *row_of, clsolve_sparse_part part,
                      clsolve_sparse_form form, cls_tree *tree, cls_symbolic *symbolic) {
    const size_t n = (size_t)A->n + 1;
    int64_t *lists = cls_alloc(n, 4 * sizeof *lists);
    *symbolic = (cls_symbolic){.tree = *tree};
    *tree = (cls_tree){0};
    const int room = lists && make_room(A, symbolic);
    if (room) {
        walk w = {A, row_of, part, lists, lists + n, lists + 2 * n, lists + 3 * n};
        for (int64_t f = 0; f < symbolic->tree.fronts; f++)
            for (int64_t k = symbolic->tree.first[f]; k < symbolic->tree.first[f + 1]; k++) w.front_of[k] = f;
        find_borders(&w, graph, symbolic);
        find_relative(symbolic);
        place_entries(&w, symbolic);
        if (cls_form_is_one_sided(form)) turn_down(form, symbolic);
        find_sizes(symbolic, form);
        find_children(symbolic, w.end);
        find_depth(symbolic, w.mark);
    }
    cls_free(lists);
    if (!room) cls_symbolic_free(symbolic);
    return room;
}

void cls_symbolic_free(cls_symbolic *s) {
    cls_tree_free(&s->tree);
    cls_free(s->border_start); /* and all other lists */
    *s = (cls_symbolic){0};
}
