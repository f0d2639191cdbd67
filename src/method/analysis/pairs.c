/*
 * pairs.c: columns of a symmetric matrix that are to be eliminated two at a time.
 *
 * A matching is a permutation. Where it exchanges columns i and j, and a(i,i) or a(j,j) is small, the block of order 2
 * with the large element a(i,j) is a good pivot, and i alone is none. Longer cycles are cut into such pairs; of an odd
 * one the column with the largest diagonal stays alone. The order is chosen for a graph in which both columns of a pair
 * look alike (I. S. Duff, S. Pralet, SIMAX 27, 2005, section 4; the same, Towards stable mixed pivoting strategies,
 * SIMAX 29, 2007).
 */
#include <math.h>

#include "base/memory.h"
#include "method/analysis/analysis.h"

/* A scaled diagonal element of this size is a pivot of its own: the largest elements of its column are about 1. */
static const double large_alone = 0.1;

/* Pairs along the cycle that begins with `first`, but for the column `alone`; -1: none. */
static void pair_cycle(const int64_t *column_of, int64_t first, int64_t alone, const double *size, int64_t *partner) {
    const int64_t begin = alone >= 0 ? column_of[alone] : first, end = alone >= 0 ? alone : first;
    for (int64_t v = begin;;) {
        const int64_t w = column_of[v];
        if (size[v] < large_alone || size[w] < large_alone) {
            partner[v] = w;
            partner[w] = v;
        }
        v = column_of[w];
        if (v == end) return;
    }
}

int cls_pairs_make(int64_t n, const int64_t *column_of, const double *scale, const double *diagonal, int64_t *partner) {
    char *seen = cls_alloc((size_t)n + 1, 1);
    double *size = cls_alloc((size_t)n + 1, sizeof *size);
    for (int64_t v = 0; v < n && size; v++) {
        partner[v] = -1;
        size[v] = diagonal[v] * scale[v] * scale[v];
    }
    for (int64_t first = 0; first < n && seen && size; first++) {
        int64_t length = 0, largest = first;
        for (int64_t v = first; !seen[v]; v = column_of[v], length++) {
            seen[v] = 1;
            if (size[v] > size[largest]) largest = v;
        }
        if (length > 1) pair_cycle(column_of, first, length % 2 ? largest : -1, size, partner);
    }
    const int room = seen && size;
    cls_free(seen);
    cls_free(size);
    return room;
}

/* ---- the graph ---- */

/* Counts the neighbours of v in the new graph, and writes v into the lists of these, if there are such. mark: vertices
 * that have been met for v. */
static void meet(const cls_graph *graph, const int64_t *partner, int64_t v, int64_t *mark, int64_t *count,
                 int64_t *next) {
    const int64_t of[2] = {v, partner[v]};
    mark[v] = v;
    for (int side = 0; side < 2 && of[side] >= 0; side++)
        for (int64_t e = graph->start[of[side]] - 1; e < graph->start[of[side] + 1]; e++) {
            const int64_t u = e < graph->start[of[side]] ? of[side] : graph->next[e], both[2] = {u, partner[u]};
            for (int k = 0; k < 2 && both[k] >= 0; k++) {
                if (mark[both[k]] == v) continue;
                mark[both[k]] = v;
                if (next) next[count[both[k]]] = v;
                count[both[k]]++;
            }
        }
}

int cls_graph_pair(cls_graph *graph, const int64_t *partner) {
    const int64_t n = graph->n;
    int64_t *mark = cls_alloc((size_t)n + 1, sizeof *mark), *end = cls_alloc((size_t)n + 1, sizeof *end);
    cls_graph paired = {.n = n, .start = cls_alloc((size_t)n + 1, sizeof *paired.start)};
    for (int pass = 0; pass < 2 && mark && end && paired.start; pass++) {
        if (pass == 1) {
            for (int64_t v = 0; v < n; v++) paired.start[v + 1] = paired.start[v] + end[v];
            for (int64_t v = 0; v < n; v++) end[v] = paired.start[v];
            paired.next = cls_alloc((size_t)paired.start[n] + 1, sizeof *paired.next);
            if (!paired.next) break;
        }
        for (int64_t v = 0; v < n; v++) mark[v] = -1;
        for (int64_t v = 0; v < n; v++) meet(graph, partner, v, mark, end, paired.next);
    }
    cls_free(mark);
    cls_free(end);
    cls_graph_free(graph);
    if (!paired.next) cls_graph_free(&paired);
    *graph = paired;
    return paired.next != NULL;
}

/* ---- the order ---- */

/*
 * A weak column that has an eliminated neighbour gets a diagonal by that. Else its block of order 2 is with the next
 * neighbour that is in no other block: as a rule its parent in the elimination tree, so that this causes no fill.
 */
void cls_partners_make(const cls_graph *graph, const cls_factor_columns *columns, const int64_t *place, char *weak,
                       int64_t *with) {
    enum { FREE = 0, WEAK = 1, TAKEN = 2 };
    for (int64_t k = 0; k < graph->n; k++) {
        const int64_t v = columns->vertex[k];
        int64_t next = -1;
        with[k] = -1;
        for (int64_t e = graph->start[v]; e < graph->start[v + 1] && weak[v] == WEAK; e++) {
            const int64_t u = graph->next[e];
            if (place[u] < k && weak[u] != WEAK) weak[v] = FREE;
            if (place[u] > k && weak[u] != TAKEN && (next < 0 || place[u] < next)) next = place[u];
        }
        if (weak[v] != WEAK || next < 0) continue;
        with[k] = next;
        weak[v] = weak[columns->vertex[next]] = TAKEN;
    }
}

/* Within a front any order will do. */
int cls_tree_pair(cls_tree *tree, const int64_t *partner) {
    int64_t *vertex = cls_alloc((size_t)tree->n + 1, sizeof *vertex), at = 0;
    char *moved = cls_alloc((size_t)tree->n + 1, 1);
    const int room = vertex && moved;
    for (int64_t v = 0; v < tree->n && room; v++) vertex[tree->place[v]] = v;
    for (int64_t s = 0; s < tree->fronts && room; s++)
        for (int64_t k = tree->first[s]; k < tree->first[s + 1]; k++) {
            const int64_t v = vertex[k], w = partner[v];
            if (moved[v]) continue;
            const int both = w >= 0 && tree->place[w] > k && tree->place[w] < tree->first[s + 1];
            moved[v] = 1;
            if (both) moved[w] = 1;
            tree->place[v] = at++;
            if (both) tree->place[w] = at++;
        }
    cls_free(vertex);
    cls_free(moved);
    return room;
}
