/*
 * coarsen.c: a graph with about half the vertices, and the same shape. Vertices are joined over their heaviest edges
 * (G. Karypis, V. Kumar, A fast and high quality multilevel scheme for partitioning irregular graphs, SISC 20, 1998).
 */
#include "method/analysis/coarsen.h"

#include <string.h>

#include "base/memory.h"

int cls_weighted_open(int32_t n, int64_t ends, int edges, cls_weighted *graph) {
    *graph = (cls_weighted){.n = n,
                            .start = cls_alloc((size_t)n + 1, sizeof *graph->start),
                            .next = cls_alloc((size_t)ends + 1, sizeof *graph->next),
                            .edge = edges ? cls_alloc((size_t)ends + 1, sizeof *graph->edge) : NULL,
                            .weight = cls_alloc((size_t)n + 1, sizeof *graph->weight)};
    if (graph->start && graph->next && graph->weight && (graph->edge || !edges)) return 1;
    cls_weighted_free(graph);
    return 0;
}

void cls_weighted_free(cls_weighted *graph) {
    cls_free(graph->start);
    cls_free(graph->next);
    cls_free(graph->edge);
    cls_free(graph->weight);
    *graph = (cls_weighted){0};
}

/* splitmix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014). */
uint64_t cls_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* The neighbour without a mate over the heaviest edge; of equal ones the lightest, then any. -1: none. */
static int32_t heaviest_neighbour(const cls_weighted *graph, int32_t v, int64_t most, const int32_t *mate,
                                  uint64_t *random) {
    int32_t best = -1, best_edge = 0, equal = 0;
    const uint64_t draw = cls_random(random);
    for (int32_t e = graph->start[v]; e < graph->start[v + 1]; e++) {
        const int32_t u = graph->next[e], edge = graph->edge ? graph->edge[e] : 1;
        if (edge < best_edge || mate[u] >= 0 || graph->weight[u] > most) continue;
        if (edge > best_edge || graph->weight[u] < graph->weight[best]) {
            best = u;
            best_edge = edge;
            equal = 1;
        } else if (graph->weight[u] == graph->weight[best]) {
            equal++;
            if ((draw >> (e & 31)) % (uint64_t)equal == 0) best = u;
        }
    }
    return best;
}

/* Vertices that are left over are paired where they have a first neighbour in common, or none at all. */
static void pair_rest(const cls_weighted *graph, int64_t heaviest, int32_t *mate, int32_t *waiting) {
    for (int32_t v = 0; v < graph->n; v++) {
        if (mate[v] != v) continue;
        int32_t *slot = &waiting[graph->start[v] < graph->start[v + 1] ? graph->next[graph->start[v]] : graph->n];
        const int32_t other = *slot - 1;
        *slot = other < 0 ? v + 1 : 0;
        if (other < 0) continue;
        if ((int64_t)graph->weight[v] + graph->weight[other] > heaviest) continue;
        mate[v] = other;
        mate[other] = v;
    }
}

/*
 * All vertices, those of each stretch in any order: a chance order gives coarse graphs that have no direction of their
 * own. The neighbours of a stretch fit the cache.
 */
static void shuffle(int32_t n, uint64_t *random, int32_t *order) {
    enum { STRETCH = 4096 };
    for (int32_t k = 0; k < n; k++) {
        const int32_t begin = k - k % STRETCH;
        const int32_t other = begin + (int32_t)(cls_random(random) % (uint64_t)(k - begin + 1));
        order[k] = order[other];
        order[other] = k;
    }
}

static int32_t count_pairs(int32_t n, const int32_t *mate) {
    int32_t pairs = 0;
    for (int32_t v = 0; v < n; v++) pairs += mate[v] > v;
    return pairs;
}

/* mate[v]: v itself where it stays alone. room: n + 1 elements. Returns the vertices of the coarse graph. */
static int32_t find_mates(const cls_weighted *graph, int64_t heaviest, uint64_t *random, int32_t *mate, int32_t *room) {
    const int32_t n = graph->n;
    shuffle(n, random, room);
    for (int32_t v = 0; v < n; v++) mate[v] = -1;
    for (int32_t k = 0; k < n; k++) {
        const int32_t v = room[k];
        if (mate[v] >= 0) continue;
        const int32_t u = heaviest_neighbour(graph, v, heaviest - graph->weight[v], mate, random);
        mate[v] = u < 0 ? v : u;
        if (u >= 0) mate[u] = v;
    }
    if (count_pairs(n, mate) < n / 3) {
        memset(room, 0, ((size_t)n + 1) * sizeof *room);
        pair_rest(graph, heaviest, mate, room);
    }
    return n - count_pairs(n, mate);
}

/* Adds the neighbours of fine vertex v to coarse vertex c, whose neighbours stand from `begin` on. slot[u] - 1: where
 * neighbour u stands, if it is one of them. Returns their end. */
static int32_t add_neighbours(const cls_weighted *graph, int32_t v, int32_t c, int32_t begin, int32_t end,
                              const int32_t *coarse_of, int32_t *slot, cls_weighted *coarse) {
    for (int32_t e = graph->start[v]; e < graph->start[v + 1]; e++) {
        const int32_t u = coarse_of[graph->next[e]], edge = graph->edge ? graph->edge[e] : 1;
        if (u == c) continue;
        if (slot[u] > begin) {
            coarse->edge[slot[u] - 1] += edge;
            continue;
        }
        coarse->next[end] = u;
        coarse->edge[end++] = edge;
        slot[u] = end;
    }
    return end;
}

static void join_pairs(const cls_weighted *graph, const int32_t *mate, const int32_t *coarse_of, int32_t *slot,
                       cls_weighted *coarse) {
    int32_t c = 0, end = 0;
    for (int32_t v = 0; v < graph->n; v++) {
        const int32_t u = mate[v], begin = end;
        if (u < v) continue;
        end = add_neighbours(graph, v, c, begin, end, coarse_of, slot, coarse);
        if (u != v) end = add_neighbours(graph, u, c, begin, end, coarse_of, slot, coarse);
        coarse->weight[c] = graph->weight[v] + (u == v ? 0 : graph->weight[u]);
        coarse->start[++c] = end;
    }
    coarse->total = graph->total;
}

int cls_coarsen(const cls_weighted *graph, int64_t heaviest, uint64_t *random, int32_t *coarse_of,
                cls_weighted *coarse) {
    int32_t *mate = cls_alloc((size_t)graph->n + 1, sizeof *mate);
    int32_t *slot = cls_alloc((size_t)graph->n + 1, sizeof *slot);
    int32_t count = 0;
    int done = mate && slot;
    *coarse = (cls_weighted){0};
    if (done) {
        const int32_t n = find_mates(graph, heaviest, random, mate, slot);
        for (int32_t v = 0; v < graph->n; v++) {
            slot[v] = 0;
            coarse_of[v] = mate[v] < v ? coarse_of[mate[v]] : count++;
        }
        done = cls_weighted_open(n, graph->start[graph->n], 1, coarse);
        if (done) join_pairs(graph, mate, coarse_of, slot, coarse);
    }
    cls_free(mate);
    cls_free(slot);
    return done;
}
