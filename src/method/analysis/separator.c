/*
 * separator.c: the coarsest graph is divided by growing one side from some vertices, and the best of several separators
 * is carried to the finer graphs. At each level it is moved as long as that makes it lighter: a vertex of the separator
 * goes to one side, and its neighbours on the other side come into the separator (C. Ashcraft, J. W. H. Liu, A
 * partition improvement algorithm for generalized nested dissection, 1996; the moves are those of C. M. Fiduccia, R. M.
 * Mattheyses, 19th Design Automation Conference, 1982).
 */
#include "method/analysis/separator.h"

#include <string.h>

#include "base/arrays.h"

/* ---- a queue of vertices, that with the largest gain first ---- */

typedef struct queue {
    int32_t count;
    int32_t *vertex;
    int32_t *gain; /* of each vertex */
    int32_t *at;   /* of each vertex: its place + 1; 0: it is not there */
} queue;

static int goes_before(const queue *q, int32_t a, int32_t b) {
    return q->gain[a] > q->gain[b];
}

static void put(queue *q, int32_t at, int32_t v) {
    q->vertex[at] = v;
    q->at[v] = at + 1;
}

/* Vertex v comes to its place from `at`, upwards or downwards. */
static void sift(queue *q, int32_t at, int32_t v) {
    while (at > 0 && goes_before(q, v, q->vertex[(at - 1) / 2])) {
        put(q, at, q->vertex[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    for (int32_t below = 2 * at + 1; below < q->count; below = 2 * at + 1) {
        if (below + 1 < q->count && goes_before(q, q->vertex[below + 1], q->vertex[below])) below++;
        if (!goes_before(q, q->vertex[below], v)) break;
        put(q, at, q->vertex[below]);
        at = below;
    }
    put(q, at, v);
}

static void set_gain(queue *q, int32_t v, int32_t gain) {
    if (!q->at[v]) q->at[v] = ++q->count;
    q->gain[v] = gain;
    sift(q, q->at[v] - 1, v);
}

static void take_out(queue *q, int32_t v) {
    const int32_t at = q->at[v] - 1;
    if (at < 0) return;
    q->at[v] = 0;
    if (at != --q->count) sift(q, at, q->vertex[q->count]);
}

static void clear(queue *q) {
    while (q->count > 0) q->at[q->vertex[--q->count]] = 0;
}

/* ---- moves ---- */

typedef struct work {
    const cls_weighted *graph;
    unsigned char *side;
    int64_t part[3]; /* weights of the sides and of the separator */
    int64_t most;    /* weight of a side, at most */
    int even;        /* 1: of cls_separate */
    int32_t count;   /* vertices of the separator, in `list` */
    int32_t *list;
    queue queue[2];       /* vertices that may go to side 0, and to side 1 */
    int32_t *moved;       /* vertices that have left the separator, in order */
    int32_t *entered;     /* vertices that have come into it */
    int32_t *entered_end; /* of each move: the end of those that it has brought */
    unsigned char *stays; /* of each vertex: it has moved already */
} work;

/* Vertex v waits for its move. Its gain towards a side is what the separator loses in weight. */
static void await(work *w, int32_t v) {
    const cls_weighted *graph = w->graph;
    int64_t gain[3] = {graph->weight[v], graph->weight[v], 0};
    for (int32_t e = graph->start[v]; e < graph->start[v + 1]; e++)
        gain[w->side[graph->next[e]]] -= graph->weight[graph->next[e]];
    for (int to = 0; to < 2; to++) set_gain(&w->queue[to], v, (int32_t)gain[1 - to]);
}

/* The gain of v towards side `to` has changed, if v waits for its move. */
static void change_gain(work *w, int32_t v, int to, int32_t change) {
    if (w->queue[to].at[v]) set_gain(&w->queue[to], v, w->queue[to].gain[v] + change);
}

/* Vertex u of side `from` comes into the separator. */
static void enter(work *w, int32_t u, int from) {
    const cls_weighted *graph = w->graph;
    w->side[u] = CLS_SEPARATOR;
    w->part[from] -= graph->weight[u];
    w->part[CLS_SEPARATOR] += graph->weight[u];
    for (int32_t e = graph->start[u]; e < graph->start[u + 1]; e++)
        if (w->side[graph->next[e]] == CLS_SEPARATOR) change_gain(w, graph->next[e], 1 - from, graph->weight[u]);
    if (!w->stays[u]) await(w, u);
}

/* Vertex v leaves the separator for side `to`. Returns the end of those that have entered. */
static int32_t leave(work *w, int32_t v, int to, int32_t entered) {
    const cls_weighted *graph = w->graph;
    for (int side = 0; side < 2; side++) take_out(&w->queue[side], v);
    w->stays[v] = 1;
    w->side[v] = (unsigned char)to;
    w->part[to] += graph->weight[v];
    w->part[CLS_SEPARATOR] -= graph->weight[v];
    for (int32_t e = graph->start[v]; e < graph->start[v + 1]; e++) {
        const int32_t u = graph->next[e];
        if (w->side[u] == CLS_SEPARATOR) change_gain(w, u, 1 - to, -graph->weight[v]);
        if (w->side[u] != 1 - to) continue;
        w->entered[entered++] = u;
        enter(w, u, 1 - to);
    }
    return entered;
}

static int fits(const work *w, int to) {
    const queue *q = &w->queue[to];
    return q->count > 0 && w->part[to] + w->graph->weight[q->vertex[0]] <= w->most;
}

/* The side of the next move; `turn` if both gain the same. -1: there is none. */
static int next_side(const work *w, int turn) {
    const int may[2] = {fits(w, 0), fits(w, 1)};
    if (!may[0] || !may[1]) return may[0] ? 0 : may[1] ? 1 : -1;
    const int32_t gain[2] = {w->queue[0].gain[w->queue[0].vertex[0]], w->queue[1].gain[w->queue[1].vertex[0]]};
    return gain[0] != gain[1] ? gain[0] < gain[1] : turn;
}

static int64_t heavier(const int64_t *part) {
    return part[0] > part[1] ? part[0] : part[1];
}

/* The weight of the separator; with `even`, a gap between the sides makes it count for more. */
static double cost(const work *w, const int64_t *part) {
    const double gap = (double)(part[0] - part[1]) / (double)(part[0] + part[1] + part[CLS_SEPARATOR] + 1);
    return (double)part[CLS_SEPARATOR] * (w->even ? 1 + 2 * gap * gap : 1);
}

/* First no side is to be too heavy, then the cost is to be small, then the sides are to be even. */
static int is_better(const work *w, const int64_t *a, const int64_t *b) {
    const int64_t over_a = heavier(a) > w->most ? heavier(a) : 0, over_b = heavier(b) > w->most ? heavier(b) : 0;
    if (over_a != over_b) return over_a < over_b;
    const double cost_a = cost(w, a), cost_b = cost(w, b);
    return cost_a != cost_b ? cost_a < cost_b : heavier(a) < heavier(b);
}

/* Takes the moves from `moves` down to `kept` back. */
static void undo(work *w, int32_t moves, int32_t kept) {
    for (int32_t m = moves - 1; m >= kept; m--) {
        const unsigned char to = w->side[w->moved[m]];
        w->side[w->moved[m]] = CLS_SEPARATOR;
        for (int32_t k = m > 0 ? w->entered_end[m - 1] : 0; k < w->entered_end[m]; k++)
            w->side[w->entered[k]] = (unsigned char)(1 - to);
    }
}

/* Lists the vertices that are in the separator now, once each. They were in it, or are among the first of `entered`. */
static void list_separator(work *w, int32_t entered) {
    int32_t count = 0;
    for (int32_t k = 0; k < w->count + entered; k++) {
        const int32_t v = k < w->count ? w->list[k] : w->entered[k - w->count];
        if (w->side[v] != CLS_SEPARATOR || w->stays[v]) continue;
        w->stays[v] = 1;
        w->list[count++] = v;
    }
    for (int32_t k = 0; k < count; k++) w->stays[w->list[k]] = 0;
    w->count = count;
}

/* Moves without success after which a pass ends. */
static int32_t patience(const work *w) {
    return w->count < 150 ? 2 * w->count : 300 + w->count / 4;
}

static void end_moves(work *w, int32_t moves) {
    for (int to = 0; to < 2; to++) clear(&w->queue[to]);
    for (int32_t m = 0; m < moves; m++) w->stays[w->moved[m]] = 0;
}

/* One pass: each vertex moves once at most. 0: the separator is no better than before. */
static int pass(work *w, int turn) {
    int64_t best[3];
    int32_t moves = 0, kept = 0, entered = 0;
    const int32_t most_vain = patience(w);
    memcpy(best, w->part, sizeof best);
    for (int32_t k = 0; k < w->count; k++) await(w, w->list[k]);
    for (int to = next_side(w, turn); to >= 0 && moves - kept < most_vain; to = next_side(w, turn)) {
        w->moved[moves] = w->queue[to].vertex[0];
        entered = w->entered_end[moves] = leave(w, w->moved[moves], to, entered);
        moves++;
        if (!is_better(w, w->part, best)) continue;
        memcpy(best, w->part, sizeof best);
        kept = moves;
    }
    undo(w, moves, kept);
    memcpy(w->part, best, sizeof best);
    end_moves(w, moves);
    list_separator(w, kept > 0 ? w->entered_end[kept - 1] : 0);
    return kept > 0;
}

enum { PASSES = 6 };

/* Improves the sides of a graph. The passes lean to one side and to the other by turns: so the separator crosses
 * stretches where it weighs the same everywhere. */
static void refine(work *w, const cls_weighted *graph, unsigned char *side) {
    w->graph = graph;
    w->side = side;
    w->count = 0;
    memset(w->part, 0, sizeof w->part);
    for (int32_t v = 0; v < graph->n; v++) {
        w->part[side[v]] += graph->weight[v];
        if (side[v] == CLS_SEPARATOR) w->list[w->count++] = v;
    }
    for (int p = 0, vain = 0; p < PASSES && vain < 2; p++) vain = pass(w, p % 2) ? 0 : vain + 1;
}

/* ---- the coarsest graph ---- */

/*
 * Side 0 grows from a vertex until it has half the weight: by breadth, or by the vertex with the largest gain. The
 * separator is what touches it. Balls have the smaller surfaces in grids with neighbours along the axes alone.
 */
static void grow(work *w, const cls_weighted *graph, int by_gain, uint64_t *random, unsigned char *side) {
    int32_t other = (int32_t)(cls_random(random) % (uint64_t)graph->n), moves = 0, entered = 0;
    memset(side, 1, (size_t)graph->n);
    w->graph = graph;
    w->side = side;
    w->part[0] = w->part[CLS_SEPARATOR] = 0;
    w->part[1] = graph->total;
    while (2 * w->part[0] + w->part[CLS_SEPARATOR] < graph->total) {
        if (by_gain ? w->queue[0].count == 0 : moves == entered) {
            while (side[other] != 1) other = other + 1 < graph->n ? other + 1 : 0;
            enter(w, other, 1);
            w->entered[entered++] = other;
        }
        w->moved[moves] = by_gain ? w->queue[0].vertex[0] : w->entered[moves];
        entered = leave(w, w->moved[moves], 0, entered);
        moves++;
    }
    end_moves(w, moves);
}

enum { COARSEST = 60, TRIALS = 5, RUNS = 4 };

/* The best of some. `trial`: n elements of room. */
static void divide_coarsest(work *w, const cls_weighted *graph, uint64_t *random, unsigned char *trial,
                            unsigned char *side) {
    int64_t best[3];
    for (int t = 0; t < TRIALS; t++) {
        grow(w, graph, w->even && t % 2, random, trial);
        refine(w, graph, trial);
        if (t > 0 && !is_better(w, w->part, best)) continue;
        memcpy(best, w->part, sizeof best);
        memcpy(side, trial, (size_t)graph->n);
    }
    memcpy(w->part, best, sizeof best);
}

/* ---- levels ---- */

static int separate(work *w, const cls_weighted *graph, int32_t runs_at, uint64_t *random, unsigned char *side);

/* Through a graph with about half the vertices; without, where that has nearly as many. */
static int by_coarse(work *w, const cls_weighted *graph, int32_t runs_at, uint64_t *random, unsigned char *side) {
    const int64_t heaviest = 3 * graph->total / (2 * COARSEST) + 1;
    int32_t *coarse_of = cls_alloc((size_t)graph->n + 1, sizeof *coarse_of);
    unsigned char *coarse_side = cls_alloc((size_t)graph->n + 1, 1);
    cls_weighted coarse = {0};
    int done = coarse_of && coarse_side && cls_coarsen(graph, heaviest, random, coarse_of, &coarse);
    if (done && coarse.n > graph->n - graph->n / 20) {
        divide_coarsest(w, graph, random, coarse_side, side);
    } else if (done) {
        done = separate(w, &coarse, runs_at, random, coarse_side);
        for (int32_t v = 0; v < graph->n; v++) side[v] = coarse_side[coarse_of[v]];
        if (done) refine(w, graph, side);
    }
    cls_weighted_free(&coarse);
    cls_free(coarse_side);
    cls_free(coarse_of);
    return done;
}

/* The best of several runs. */
static int by_runs(work *w, const cls_weighted *graph, uint64_t *random, unsigned char *side) {
    unsigned char *trial = cls_alloc((size_t)graph->n + 1, 1);
    int64_t best[3];
    int done = trial != NULL;
    for (int run = 0; run < RUNS && done; run++) {
        done = by_coarse(w, graph, 0, random, trial);
        if (!done || (run > 0 && !is_better(w, w->part, best))) continue;
        memcpy(best, w->part, sizeof best);
        memcpy(side, trial, (size_t)graph->n);
    }
    cls_free(trial);
    return done;
}

/* The first graph with at most `runs_at` vertices has several runs. */
static int separate(work *w, const cls_weighted *graph, int32_t runs_at, uint64_t *random, unsigned char *side) {
    unsigned char trial[COARSEST];
    if (graph->n <= runs_at) return by_runs(w, graph, random, side);
    if (graph->n > COARSEST) return by_coarse(w, graph, runs_at, random, side);
    divide_coarsest(w, graph, random, trial, side);
    return 1;
}

static int open_work(const cls_weighted *graph, int even, work *w) {
    const size_t room = (size_t)graph->n + 2;
    queue *a = &w->queue[0], *b = &w->queue[1];
    *w = (work){.most = 3 * graph->total / 5 + 1, .even = even};
    return CLS_ALLOC_ALL(CLS_ARRAY(w->list, room), CLS_ARRAY(w->moved, room), CLS_ARRAY(w->entered, 2 * room),
                         CLS_ARRAY(w->entered_end, room), CLS_ARRAY(w->stays, room), CLS_ARRAY(a->vertex, room),
                         CLS_ARRAY(a->gain, room), CLS_ARRAY(a->at, room), CLS_ARRAY(b->vertex, room),
                         CLS_ARRAY(b->gain, room), CLS_ARRAY(b->at, room));
}

int cls_separate(const cls_weighted *graph, int even, uint64_t seed, unsigned char *side) {
    enum { LARGE = 5000, PART = 32 };
    const int32_t runs_at = graph->n < LARGE ? 0 : graph->n / PART;
    work w;
    const int done = open_work(graph, even, &w) && (graph->n == 0 || separate(&w, graph, runs_at, &seed, side));
    cls_free(w.list); /* and all others */
    return done;
}
