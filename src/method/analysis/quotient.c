/*
 * quotient.c: the graph that is dissected. Unknowns at one node of a mesh have the same neighbours, and become one
 * vertex with a weight. A few vertices with very many neighbours would be in each separator; they come last.
 */
#include <math.h>

#include "base/arrays.h"
#include "method/analysis/quotient.h"

static int64_t degree(const cls_graph *graph, int64_t v) {
    return graph->start[v + 1] - graph->start[v];
}

typedef struct search {
    const cls_graph *graph;
    uint64_t *key;   /* of each vertex: the sum of it and its neighbours; later 1: it has very many of them */
    int64_t *mark;   /* v + 1: a neighbour of v, or v itself */
    int32_t *leader; /* the first vertex with the same neighbours; -1: left out */
} search;

static void mark_neighbours(const search *s, int64_t v) {
    const cls_graph *graph = s->graph;
    if (s->mark[v] == v + 1) return;
    s->mark[v] = v + 1;
    for (int64_t e = graph->start[v]; e < graph->start[v + 1]; e++) s->mark[graph->next[e]] = v + 1;
}

/* Whether v and its neighbour u have all other neighbours in common. */
static int are_same(const search *s, int64_t v, int64_t u) {
    const cls_graph *graph = s->graph;
    if (s->key[u] != s->key[v] || degree(graph, u) != degree(graph, v)) return 0;
    mark_neighbours(s, v);
    for (int64_t e = graph->start[u]; e < graph->start[u + 1]; e++)
        if (s->mark[graph->next[e]] != v + 1) return 0;
    return 1;
}

static void find_leaders(const search *s) {
    const cls_graph *graph = s->graph;
    for (int64_t v = 0; v < graph->n; v++) {
        s->key[v] = (uint64_t)v;
        for (int64_t e = graph->start[v]; e < graph->start[v + 1]; e++) s->key[v] += (uint64_t)graph->next[e];
    }
    for (int64_t v = 0; v < graph->n; v++) {
        s->leader[v] = (int32_t)v;
        for (int64_t e = graph->start[v]; e < graph->start[v + 1] && s->leader[v] == v; e++) {
            const int64_t u = graph->next[e];
            if (u < v && s->leader[u] == u && are_same(s, v, u)) s->leader[v] = (int32_t)u;
        }
    }
}

static int64_t leading_neighbours(const search *s, int64_t v) {
    const cls_graph *graph = s->graph;
    int64_t count = 0;
    for (int64_t e = graph->start[v]; e < graph->start[v + 1]; e++)
        count += s->leader[graph->next[e]] == graph->next[e];
    return count;
}

/* Neighbours are counted in the quotient. If more than an eighth of the graph has very many, that is no exception. */
static void leave_out(const search *s) {
    enum { PART = 8 };
    const int64_t n = s->graph->n;
    int64_t leaders = 0, out = 0;
    for (int64_t v = 0; v < n; v++) leaders += s->leader[v] == v;
    const double many = fmax(16, 10 * sqrt((double)leaders));
    for (int64_t v = 0; v < n; v++) {
        if (s->leader[v] == v) s->key[v] = (double)leading_neighbours(s, v) > many;
        out += s->key[s->leader[v]] == 1;
    }
    for (int64_t v = 0; v < n && PART * out <= n; v++)
        if (s->key[s->leader[v]] == 1) s->leader[v] = -1;
}

/* Looks at some vertices across the graph. 1: one in twenty has two neighbours that are neighbours of each other. */
static int has_triangles(const search *s) {
    enum { SOME = 1000 };
    const cls_graph *graph = s->graph;
    const int64_t step = graph->n / SOME + 1;
    int64_t looked = 0, found = 0;
    for (int64_t v = 0; v < graph->n; v += step) {
        int in_one = 0;
        if (s->leader[v] != v) continue;
        mark_neighbours(s, v);
        for (int64_t e = graph->start[v]; e < graph->start[v + 1] && !in_one; e++) {
            const int64_t u = graph->next[e];
            if (s->leader[u] != u) continue;
            for (int64_t k = graph->start[u]; k < graph->start[u + 1] && !in_one; k++)
                in_one = graph->next[k] != v && s->mark[graph->next[k]] == v + 1;
        }
        looked++;
        found += in_one;
    }
    return 20 * found > looked;
}

/* Vertices of the quotient in the order of their leaders. */
static int fill(const search *s, cls_quotient *q) {
    const cls_graph *graph = s->graph;
    int32_t n = 0, end = 0;
    for (int64_t v = 0; v < graph->n; v++) {
        const int32_t leader = s->leader[v];
        q->vertex_of[v] = leader < 0 ? -1 : leader == v ? n++ : q->vertex_of[leader];
    }
    q->count = n;
    if (!cls_weighted_open(n, graph->start[graph->n], 0, &q->graph)) return 0;
    for (int64_t v = 0; v < graph->n; v++) {
        const int32_t c = q->vertex_of[v];
        if (c < 0) continue;
        q->graph.weight[c]++;
        q->graph.total++;
        if (s->leader[v] != v) continue;
        for (int64_t e = graph->start[v]; e < graph->start[v + 1]; e++) {
            const int64_t u = graph->next[e];
            if (s->leader[u] == u) q->graph.next[end++] = q->vertex_of[u];
        }
        q->graph.start[c + 1] = end;
    }
    return 1;
}

int cls_quotient_make(const cls_graph *graph, cls_quotient *q) {
    const size_t n = (size_t)graph->n + 1;
    search s = {.graph = graph};
    *q = (cls_quotient){.vertex_of = cls_alloc(n, sizeof *q->vertex_of)};
    int done = CLS_ALLOC_ALL(CLS_ARRAY(s.key, n), CLS_ARRAY(s.mark, n), CLS_ARRAY(s.leader, n)) && q->vertex_of != NULL;
    if (done) {
        find_leaders(&s);
        leave_out(&s);
        q->triangles = has_triangles(&s);
        done = fill(&s, q);
    }
    cls_free(s.key); /* and all others */
    if (!done) cls_quotient_free(q);
    return done;
}

void cls_quotient_free(cls_quotient *q) {
    cls_weighted_free(&q->graph);
    cls_free(q->vertex_of);
    *q = (cls_quotient){0};
}

int cls_quotient_places(const cls_quotient *q, int64_t n, const int32_t *at, int64_t *place) {
    int64_t *first = cls_alloc((size_t)q->count + 2, sizeof *first);
    if (!first) return 0;
    for (int64_t v = 0; v < n; v++) first[q->vertex_of[v] < 0 ? 0 : at[q->vertex_of[v]] + 1]++;
    first[0] = 0;
    for (int32_t k = 0; k < q->count; k++) first[k + 1] += first[k];
    int64_t last = first[q->count];
    for (int64_t v = 0; v < n; v++) place[v] = q->vertex_of[v] < 0 ? last++ : first[at[q->vertex_of[v]]]++;
    cls_free(first);
    return 1;
}
