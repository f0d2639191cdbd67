/*
 * deal.c: which subtrees each of several devices has. From the roots down the largest subtree is taken apart,
 * time and again: its root joins the top, and its children are dealt out, the largest first, each to the device that is
 * done with it first (G. A. Geist, E. Ng, Task scheduling for parallel sparse Cholesky factorization, Int. J. Parallel
 * Programming 18, 1989). The best of these deals is taken. It depends on nothing but the pattern and the shares.
 *
 * By time, the top comes after all subtrees. By memory, the first device has the top besides its subtrees.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arrays.h"
#include "method/fronts_device/device.h"

/* Smaller parts of the whole stay in the top; and a deal with more subtrees has to be better by so much. */
static const double least_part = 1.0 / 64, better = 0.98;

typedef struct subtree {
    double weight;
    int64_t root;
    int32_t device;
} subtree;

typedef struct dealing {
    const cls_sparse_device *sparse;
    const cls_sparse_company *company;
    int by_memory;
    double *weight; /* of the subtree of each front */
    int64_t *size;  /* fronts of each subtree, which are numbered up to its root */
    double all;     /* weight of all fronts */
    double least;   /* weight of a subtree that is dealt out */
    subtree *now, *best;
    int64_t room, count, best_count;
    double least_cost;
} dealing;

/* ---- weights ---- */

static double operations_of(const cls_sparse_device *sparse, int64_t s) {
    const double f = (double)cls_front_of(sparse, s, CLS_PIVOTS), b = (double)cls_front_of(sparse, s, CLS_BORDER);
    const double of_cholesky = f * f * f / 3 + f * f * b + f * b * b;
    return of_cholesky * (cls_front_is_one_sided(sparse) ? 1 : 2) * (sparse->parts == 2 ? 4 : 1);
}

static double rest_of(const cls_sparse_device *sparse, int64_t s) {
    const double b = (double)cls_front_of(sparse, s, CLS_BORDER);
    return b * b;
}

static void weigh(dealing *d) {
    const cls_tree *tree = &d->sparse->symbolic->tree;
    for (int64_t s = 0; s < tree->fronts; s++) {
        const double own = d->by_memory ? (double)cls_front_elements(d->sparse, s) : operations_of(d->sparse, s);
        d->weight[s] += own;
        d->size[s]++;
        d->all += own;
        if (tree->parent[s] < 0) continue;
        d->weight[tree->parent[s]] += d->weight[s];
        d->size[tree->parent[s]] += d->size[s];
    }
    d->least = d->all * least_part / (double)d->company->count;
}

/* ---- one deal ---- */

static int by_weight(const void *a, const void *b) {
    const subtree *x = a, *y = b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return x->root < y->root ? -1 : x->root > y->root;
}

static double share_of(const dealing *d, int64_t device) {
    return fmax(d->company->shares[device], 1e-6);
}

/* Deals `now` out. Returns what the deal costs; HUGE_VAL: one device has all. */
static double deal_out(dealing *d) {
    double load[CLS_DEVICES_MOST] = {0}, top = d->all, most = 0;
    int others = 0;
    qsort(d->now, (size_t)d->count, sizeof *d->now, by_weight);
    for (int64_t k = 0; k < d->count; k++)
        top += (d->by_memory ? rest_of(d->sparse, d->now[k].root) : 0) - d->now[k].weight;
    if (d->by_memory) load[0] = top;
    for (int64_t k = 0; k < d->count; k++) {
        subtree *of = &d->now[k];
        of->device = 0;
        for (int32_t to = 1; to < d->company->count; to++)
            if ((load[to] + of->weight) / share_of(d, to) < (load[of->device] + of->weight) / share_of(d, of->device))
                of->device = to;
        load[of->device] += of->weight;
        others |= of->device != 0;
    }
    for (int64_t to = 0; to < d->company->count; to++) most = fmax(most, load[to] / share_of(d, to));
    return !others ? HUGE_VAL : d->by_memory ? most : most + top / share_of(d, 0);
}

static void add(dealing *d, int64_t root) {
    if (d->weight[root] >= d->least && d->weight[root] > 0 && d->count < d->room)
        d->now[d->count++] = (subtree){.weight = d->weight[root], .root = root};
}

/* 0: the largest subtree is a leaf. */
static int take_apart(dealing *d) {
    const cls_symbolic *symbolic = d->sparse->symbolic;
    if (d->count == 0) return 0;
    const int64_t s = d->now[0].root;
    if (symbolic->child_start[s] == symbolic->child_start[s + 1]) return 0;
    d->now[0] = d->now[--d->count];
    for (int64_t c = symbolic->child_start[s]; c < symbolic->child_start[s + 1]; c++) add(d, symbolic->child[c]);
    return 1;
}

static void find_best(dealing *d) {
    enum { STEPS = 256 };
    const cls_tree *tree = &d->sparse->symbolic->tree;
    d->least_cost = HUGE_VAL;
    for (int64_t s = 0; s < tree->fronts; s++)
        if (tree->parent[s] < 0) add(d, s);
    for (int step = 0; step < STEPS; step++) {
        const double cost = deal_out(d);
        if (cost < better * d->least_cost) {
            d->least_cost = cost;
            d->best_count = d->count;
            memcpy(d->best, d->now, (size_t)d->count * sizeof *d->now);
        }
        if (!take_apart(d)) return;
    }
}

/* ---- the deal ---- */

static int by_root(const void *a, const void *b) {
    const subtree *x = a, *y = b;
    return x->root < y->root ? -1 : x->root > y->root;
}

static void take_best(dealing *d, cls_front_deal *deal) {
    qsort(d->best, (size_t)d->best_count, sizeof *d->best, by_root);
    for (int64_t r = 0; r < d->best_count; r++) {
        const int64_t root = d->best[r].root;
        deal->root[r] = root;
        deal->begin[r] = root - d->size[root] + 1;
        for (int64_t s = deal->begin[r]; s <= root; s++) deal->part_of[s] = d->best[r].device + 1;
    }
    deal->roots = d->best_count;
    for (int64_t s = 0; s < d->sparse->symbolic->tree.fronts; s++)
        deal->operations[deal->part_of[s]] += operations_of(d->sparse, s);
    deal->gain = d->all / share_of(d, 0) / d->least_cost;
}

int cls_front_deal_make(const cls_sparse_device *sparse, const cls_sparse_company *company, int by_memory,
                        cls_front_deal *deal) {
    const size_t fronts = (size_t)sparse->symbolic->tree.fronts + 1,
                 room = (size_t)((double)company->count / least_part) + 2;
    dealing d = {.sparse = sparse, .company = company, .by_memory = by_memory, .room = (int64_t)room};
    *deal = (cls_front_deal){0};
    const int made =
        CLS_ALLOC_ALL(CLS_ARRAY(d.weight, fronts), CLS_ARRAY(d.size, fronts), CLS_ARRAY(d.now, room),
                      CLS_ARRAY(d.best, room)) &&
        CLS_ALLOC_ALL(CLS_ARRAY(deal->part_of, fronts), CLS_ARRAY(deal->root, room), CLS_ARRAY(deal->begin, room));
    if (made) {
        weigh(&d);
        find_best(&d);
        take_best(&d, deal);
    }
    cls_free(d.weight); /* and all others */
    return made;
}

void cls_front_deal_free(cls_front_deal *deal) {
    cls_free(deal->part_of); /* and all others */
    *deal = (cls_front_deal){0};
}
