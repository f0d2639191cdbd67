/* graph.c: the graph of A + A^T, whose vertices are the columns. */
#include "base/memory.h"
#include "method/analysis/analysis.h"

static int64_t row_of_entry(const int64_t *row_of, int64_t row) {
    return row_of ? row_of[row] : row;
}

/* Degrees of the union of both directions, with entries that have a twin counted twice. */
static void count(const cls_csr *A, const int64_t *row_of, clsolve_sparse_part part, int64_t *start) {
    for (int64_t row = 0; row < A->n; row++) {
        const int64_t i = row_of_entry(row_of, row);
        for (int64_t e = A->start[row]; e < A->start[row + 1]; e++) {
            const int64_t j = A->column[e];
            if (i == j || !cls_sparse_reads(part, row, j)) continue;
            start[i + 1]++;
            start[j + 1]++;
        }
    }
    for (int64_t v = 0; v < A->n; v++) start[v + 1] += start[v];
}

static void fill(const cls_csr *A, const int64_t *row_of, clsolve_sparse_part part, int64_t *end, int64_t *next) {
    for (int64_t row = 0; row < A->n; row++) {
        const int64_t i = row_of_entry(row_of, row);
        for (int64_t e = A->start[row]; e < A->start[row + 1]; e++) {
            const int64_t j = A->column[e];
            if (i == j || !cls_sparse_reads(part, row, j)) continue;
            next[end[i]++] = j;
            next[end[j]++] = i;
        }
    }
}

/* Neighbours once each. mark[v] == u: v is a neighbour of u already. */
static void unite(cls_graph *graph, int64_t *mark) {
    int64_t kept = 0, begin = 0;
    for (int64_t v = 0; v < graph->n; v++) mark[v] = -1;
    for (int64_t u = 0; u < graph->n; u++) {
        const int64_t end = graph->start[u + 1];
        graph->start[u] = kept;
        for (int64_t e = begin; e < end; e++) {
            const int64_t v = graph->next[e];
            if (mark[v] == u) continue;
            mark[v] = u;
            graph->next[kept++] = v;
        }
        begin = end;
    }
    graph->start[graph->n] = kept;
}

int cls_graph_make(const cls_csr *A, const int64_t *row_of, clsolve_sparse_part part, cls_graph *graph) {
    int64_t *end = cls_alloc((size_t)A->n + 1, sizeof *end);
    *graph = (cls_graph){A->n, cls_alloc((size_t)A->n + 1, sizeof *graph->start), NULL};
    if (end && graph->start) {
        count(A, row_of, part, graph->start);
        graph->next = cls_alloc((size_t)graph->start[A->n] + 1, sizeof *graph->next);
    }
    if (graph->next) {
        for (int64_t v = 0; v < A->n; v++) end[v] = graph->start[v];
        fill(A, row_of, part, end, graph->next);
        unite(graph, end);
    } else {
        cls_graph_free(graph);
    }
    cls_free(end);
    return graph->next != NULL;
}

void cls_graph_free(cls_graph *graph) {
    cls_free(graph->start);
    cls_free(graph->next);
    *graph = (cls_graph){0};
}
