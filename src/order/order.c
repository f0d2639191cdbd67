/*
 * order.c: reverse Cuthill-McKee. Among the libraries that Debian has, SCOTCH's Gibbs-Poole-Stockmeyer left bands up to
 * 30
 * % wider on real matrices, and Boost.Graph would make C++ a requirement of the build.
 */
#include "order/order.h"

#include <string.h>

#include "base/memory.h"

typedef int32_t vertex;

/* The neighbours of v: to[start[v]] .. to[start[v + 1] - 1]. */
typedef struct graph {
    vertex n;
    int64_t *start;
    vertex *to;
} graph;

static void *allocate(int64_t count, size_t size) {
    if ((uint64_t)count >= SIZE_MAX / size) return NULL;
    return cls_alloc((size_t)count + 1, size);
}

static void graph_free(graph *g) {
    cls_free(g->start);
    cls_free(g->to);
    *g = (graph){0};
}

static int64_t degree(const graph *g, vertex v) {
    return g->start[v + 1] - g->start[v];
}

cls_order_band cls_order_band_of(int64_t n, const int64_t *start, const int64_t *row, const int64_t *place) {
    cls_order_band band = {0, 0};
    for (int64_t j = 0; j < n; j++)
        for (int64_t e = start[j]; e < start[j + 1]; e++) {
            int64_t below = place != NULL ? place[row[e]] - place[j] : row[e] - j;
            if (below > band.kl) band.kl = below;
            if (-below > band.ku) band.ku = -below;
        }
    return band;
}

/* Both ends of every entry off the diagonal; a pair that A has twice, as (i,j) and (j,i), comes twice. */
static int connect(int64_t n, const int64_t *start, const int64_t *row, graph *g) {
    g->n = (vertex)n;
    g->start = cls_alloc((size_t)n + 2, sizeof *g->start);
    g->to = allocate(2 * start[n], sizeof *g->to);
    if (g->start == NULL || g->to == NULL) return 0;
    int64_t *end = g->start + 1; /* end[v]: where v's next neighbour goes; at last where they end */
    for (int64_t j = 0; j < n; j++)
        for (int64_t e = start[j]; e < start[j + 1]; e++)
            if (row[e] != j) {
                if (j + 1 < n) end[j + 1]++;
                if (row[e] + 1 < n) end[row[e] + 1]++;
            }
    for (int64_t v = 1; v < n; v++) end[v] += end[v - 1];
    for (int64_t j = 0; j < n; j++)
        for (int64_t e = start[j]; e < start[j + 1]; e++)
            if (row[e] != j) {
                g->to[end[j]++] = (vertex)row[e];
                g->to[end[row[e]]++] = (vertex)j;
            }
    return 1;
}

/* Keeps the first of equal neighbours. `seen`: n of them. */
static void drop_twins(graph *g, vertex *seen) {
    int64_t kept = 0, first = 0;
    for (vertex v = 0; v < g->n; v++) seen[v] = -1;
    for (vertex v = 0; v < g->n; v++) {
        int64_t last = g->start[v + 1];
        for (int64_t e = first; e < last; e++) {
            vertex w = g->to[e];
            if (seen[w] == v) continue;
            seen[w] = v;
            g->to[kept++] = w;
        }
        first = last;
        g->start[v + 1] = kept;
    }
}

/* The vertices by ascending degree, of equal ones the first first. */
static int by_degree(const graph *g, vertex *sorted) {
    int64_t *place = cls_alloc((size_t)g->n + 1, sizeof *place);
    if (place == NULL) return 0;
    for (vertex v = 0; v < g->n; v++) place[degree(g, v) + 1]++; /* a degree is at most n - 1 */
    for (vertex d = 1; d < g->n; d++) place[d] += place[d - 1];
    for (vertex v = 0; v < g->n; v++) sorted[place[degree(g, v)]++] = v;
    cls_free(place);
    return 1;
}

/* The same graph with each vertex's neighbours by ascending degree: vertices come up in that order and enter all their
 * neighbours' lists. `next`: n of them. */
static int sort_neighbours(graph *g, const vertex *sorted, int64_t *next) {
    vertex *to = allocate(g->start[g->n], sizeof *to);
    if (to == NULL) return 0;
    memcpy(next, g->start, (size_t)g->n * sizeof *next);
    for (vertex s = 0; s < g->n; s++) {
        vertex v = sorted[s];
        for (int64_t e = g->start[v]; e < g->start[v + 1]; e++) to[next[g->to[e]]++] = v;
    }
    cls_free(g->to);
    g->to = to;
    return 1;
}

/* The result of a search from `root`: its queue's end, where its last level begins, and how many levels it has. */
typedef struct levels {
    vertex end, last, count;
} levels;

/* Breadth first into queue[0 ..]; `seen` holds `stamp` for those that are in it. */
static levels search(const graph *g, vertex root, vertex *queue, int64_t *seen, int64_t stamp) {
    levels found = {1, 0, 1};
    queue[0] = root;
    seen[root] = stamp;
    for (vertex head = 0, level_end = 1; head < found.end; head++) {
        if (head == level_end) {
            found.last = head;
            found.count++;
            level_end = found.end;
        }
        vertex v = queue[head];
        for (int64_t e = g->start[v]; e < g->start[v + 1]; e++)
            if (seen[g->to[e]] != stamp) {
                seen[g->to[e]] = stamp;
                queue[found.end++] = g->to[e];
            }
    }
    return found;
}

/* From one end of the part to the other, until the way gets no longer: the vertex of least degree in the last level is
 * where the next search begins. The queue is then that of a search from the vertex returned. */
static vertex far_end(const graph *g, vertex root, vertex *queue, int64_t *seen, int64_t *stamp, vertex *end) {
    levels now = search(g, root, queue, seen, ++*stamp);
    for (;;) {
        vertex best = queue[now.last];
        for (vertex q = now.last; q < now.end; q++)
            if (degree(g, queue[q]) < degree(g, best)) best = queue[q];
        levels next = search(g, best, queue, seen, ++*stamp);
        *end = next.end;
        if (next.count <= now.count) return best;
        now = next;
    }
}

/* `done[v]`: v has its number. A search takes neighbours by ascending degree, so its queue is the Cuthill-McKee
 * order. */
static int number(const graph *g, const vertex *sorted, int64_t *place) {
    vertex *queue = allocate(g->n, sizeof *queue);
    int64_t *seen = cls_alloc((size_t)g->n + 1, sizeof *seen), stamp = 0, from = g->n;
    unsigned char *done = cls_alloc((size_t)g->n + 1, 1);
    int fine = queue != NULL && seen != NULL && done != NULL;
    for (vertex s = 0; fine && s < g->n; s++) {
        vertex end;
        if (done[sorted[s]]) continue;
        (void)far_end(g, sorted[s], queue, seen, &stamp, &end);
        for (vertex q = 0; q < end; q++) {
            place[queue[q]] = --from; /* reversed */
            done[queue[q]] = 1;
        }
    }
    cls_free(queue);
    cls_free(seen);
    cls_free(done);
    return fine;
}

int cls_order_reverse_cuthill_mckee(int64_t n, const int64_t *start, const int64_t *row, int64_t *place) {
    graph g = {0};
    if (n < 0 || n > INT32_MAX) return 0;
    vertex *sorted = allocate(n, sizeof *sorted);
    int64_t *next = allocate(n, sizeof *next);
    int fine = sorted != NULL && next != NULL && connect(n, start, row, &g);
    if (fine) drop_twins(&g, sorted);
    fine = fine && by_degree(&g, sorted) && sort_neighbours(&g, sorted, next) && number(&g, sorted, place);
    graph_free(&g);
    cls_free(sorted);
    cls_free(next);
    return fine;
}
