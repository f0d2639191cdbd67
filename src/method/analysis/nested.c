/*
 * nested.c: nested dissection (A. George, Nested dissection of a regular finite element mesh, SIAM J. Numer. Anal. 10,
 * 1973). A separator comes last, and before it the two sides, each in an order of the same kind; AMD orders small
 * parts. The order of a part depends on nothing but its graph, so it is the same by any number of threads.
 */
#include "method/analysis/nested.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <suitesparse/amd.h>

#include "base/memory.h"
#include "method/analysis/quotient.h"

enum { SMALL = 150, SHARE = 4 }; /* SMALL: vertices of a part that AMD orders; SHARE: parts for each thread */

/* A part of the graph. Its vertices have the positions from `first` on. */
typedef struct part {
    cls_weighted graph;
    int32_t *vertex; /* of the whole graph */
    int32_t first;
    uint64_t seed;
    int stuck; /* it is nearly all of the part that was divided: AMD orders it */
} part;

static void free_part(part *p) {
    cls_weighted_free(&p->graph);
    cls_free(p->vertex);
    *p = (part){0};
}

/* ---- one part ---- */

typedef struct dissection {
    int even;           /* of cls_separate */
    int32_t *at;        /* the position of each vertex */
    part *parts, *next; /* those of this level, and their halves */
    _Atomic int failed; /* there was no memory */
} dissection;

static int order_small(const part *p, int32_t *at) {
    const int32_t n = p->graph.n;
    int32_t *order = cls_alloc((size_t)n + 1, sizeof *order);
    const int said = order ? amd_order(n, p->graph.start, p->graph.next, order, NULL, NULL) : AMD_OUT_OF_MEMORY;
    const int done = said == AMD_OK || said == AMD_OK_BUT_JUMBLED;
    for (int32_t k = 0; k < n && done; k++) at[p->vertex[order[k]]] = p->first + k;
    cls_free(order);
    return done;
}

/* The n vertices of one side, with so many edges at most. local: their numbers in it. */
static int take_side(const part *p, const unsigned char *side, int which, const int32_t *local, int32_t n, int64_t ends,
                     part *to) {
    const cls_weighted *graph = &p->graph;
    int32_t end = 0, k = 0;
    to->vertex = cls_alloc((size_t)n + 1, sizeof *to->vertex);
    if (!to->vertex || !cls_weighted_open(n, ends, 0, &to->graph)) return 0;
    for (int32_t v = 0; v < graph->n; v++) {
        if (side[v] != which) continue;
        for (int32_t e = graph->start[v]; e < graph->start[v + 1]; e++)
            if (side[graph->next[e]] == which) to->graph.next[end++] = local[graph->next[e]];
        to->vertex[k] = p->vertex[v];
        to->graph.weight[k] = graph->weight[v];
        to->graph.total += graph->weight[v];
        to->graph.start[++k] = end;
    }
    return 1;
}

/* Both sides become parts of their own, and the separator has its positions. */
static int split(const part *p, const unsigned char *side, int32_t *at, part *halves) {
    const cls_weighted *graph = &p->graph;
    int32_t count[3] = {0}, *local = cls_alloc((size_t)graph->n + 1, sizeof *local);
    int64_t ends[3] = {0};
    uint64_t seed = p->seed;
    int done = local != NULL;
    for (int32_t v = 0; v < graph->n && done; v++) {
        local[v] = count[side[v]]++;
        ends[side[v]] += graph->start[v + 1] - graph->start[v];
    }
    for (int which = 0; which < 2 && done; which++) {
        halves[which].first = p->first + (which ? count[0] : 0);
        halves[which].seed = cls_random(&seed);
        halves[which].stuck = count[which] > graph->n - graph->n / 20;
        done = take_side(p, side, which, local, count[which], ends[which], &halves[which]);
    }
    for (int32_t v = 0; v < graph->n && done; v++)
        if (side[v] == CLS_SEPARATOR) at[p->vertex[v]] = p->first + count[0] + count[1] + local[v];
    cls_free(local);
    return done;
}

/* Orders p if it is small or stuck; else the halves are what is left of it. Frees p. 0: no memory. */
static int divide(const dissection *d, part *p, part *halves) {
    unsigned char *side = NULL;
    int done = 1;
    halves[0] = halves[1] = (part){0};
    if (p->graph.n > 0 && (p->graph.n <= SMALL || p->stuck || p->graph.start[p->graph.n] == 0)) {
        done = order_small(p, d->at);
    } else if (p->graph.n > 0) {
        side = cls_alloc((size_t)p->graph.n + 1, 1);
        done = side && cls_separate(&p->graph, d->even, p->seed, side) && split(p, side, d->at, halves);
    }
    cls_free(side);
    free_part(p);
    return done;
}

/* Orders p and frees it. */
static int order_whole(const dissection *d, part *p) {
    part halves[2];
    int done = divide(d, p, halves);
    for (int which = 0; which < 2; which++) {
        if (halves[which].graph.n > 0 && done) done = order_whole(d, &halves[which]);
        free_part(&halves[which]);
    }
    return done;
}

/* ---- all parts ---- */

static void divide_one(void *what, int64_t k) {
    dissection *d = what;
    if (!divide(d, &d->parts[k], &d->next[2 * k])) d->failed = 1;
}

static void order_one(void *what, int64_t k) {
    dissection *d = what;
    if (!d->failed && !order_whole(d, &d->parts[k])) d->failed = 1;
}

/* The largest first: so no thread comes late to a large one. */
static int by_size(const void *a, const void *b) {
    const part *x = a, *y = b;
    if (x->graph.n != y->graph.n) return x->graph.n > y->graph.n ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Divides each part, and takes what is left in its place. Returns the parts that there are now. */
static int64_t divide_level(dissection *d, int64_t count, cls_pool *pool) {
    cls_job level = {.work = divide_one, .what = d, .parts = count};
    int64_t left = 0;
    cls_pool_run(pool, &level);
    for (int64_t k = 0; k < 2 * count; k++) {
        if (d->next[k].graph.n > 0)
            d->parts[left++] = d->next[k];
        else
            free_part(&d->next[k]);
        d->next[k] = (part){0};
    }
    qsort(d->parts, (size_t)left, sizeof *d->parts, by_size);
    return left;
}

/* Level by level, until there are `enough` parts; then each on its own. 0: no memory, or not wanted. */
static int dissect(dissection *d, int64_t enough, cls_nested_question question, cls_pool *pool) {
    const int64_t total = d->parts[0].graph.total;
    int64_t count = divide_level(d, 1, pool), separator = total;
    for (int64_t k = 0; k < count; k++) separator -= d->parts[k].graph.total;
    const int wanted = d->failed || !question.goes_on || question.goes_on(question.of, separator);
    while (count > 0 && count < enough && wanted && !d->failed) count = divide_level(d, count, pool);
    cls_job rest = {.work = order_one, .what = d, .parts = count};
    if (wanted && !d->failed) cls_pool_run(pool, &rest);
    for (int64_t k = 0; k < count; k++) free_part(&d->parts[k]);
    return wanted && !d->failed;
}

/* Takes the graph of the quotient over. */
static int order_quotient(cls_quotient *q, cls_nested_question question, cls_pool *pool, int32_t *at) {
    const int64_t enough = SHARE * (cls_pool_threads(pool) + 1);
    dissection d = {.even = q->triangles,
                    .at = at,
                    .parts = cls_alloc(2 * (size_t)enough, sizeof *d.parts),
                    .next = cls_alloc(2 * (size_t)enough, sizeof *d.next)};
    int32_t *vertex = cls_alloc((size_t)q->count + 1, sizeof *vertex);
    int done = d.parts && d.next && vertex;
    if (done) {
        for (int32_t v = 0; v < q->count; v++) vertex[v] = v;
        d.parts[0] = (part){.graph = q->graph, .vertex = vertex, .seed = 1};
        q->graph = (cls_weighted){0};
        done = dissect(&d, pool ? enough : 1, question, pool);
    } else {
        cls_free(vertex);
    }
    cls_free(d.parts);
    cls_free(d.next);
    return done;
}

int cls_nested(const cls_graph *graph, cls_pool *pool, cls_nested_question question, int64_t *place) {
    cls_quotient quotient;
    int32_t *at = cls_alloc((size_t)graph->n + 1, sizeof *at);
    const int done = at && cls_quotient_make(graph, &quotient);
    const int ordered = done && order_quotient(&quotient, question, pool, at);
    const int placed = ordered && cls_quotient_places(&quotient, graph->n, at, place);
    if (done) cls_quotient_free(&quotient);
    cls_free(at);
    return placed;
}
