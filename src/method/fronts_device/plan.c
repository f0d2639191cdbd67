/*
 * plan.c: which fronts are a level, where their rests lie, and how much of the factors stays on the device.
 *
 * The rests lie in one buffer, as two stacks that grow towards each other. The rests of a level are read by the next
 * one, which writes its own to the other stack; then they go. So fronts by the depth of the tree take the memory of two
 * levels that follow each other. Where that is too much, one subtree of a root is planned alone, by the same rule,
 * until its own rest is all that is left of it; then the next one. The subtree that needs the most memory beyond its
 * rest comes first (J. W. H. Liu, The multifrontal method for sparse matrix solution, SIAM Review 34, 1992). Both
 * stacks stay stacks, because the rests of all children of a front are on the same one.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/type.h"
#include "method/fronts_device/device.h"

/* ---- levels ---- */

typedef struct planning {
    cls_sparse_device *sparse;
    cls_front_plan *plan;
    double budget;         /* elements of rests, if that can be */
    int64_t *depth, *size; /* of each front: from its root; fronts of its subtree, which are numbered up to itself */
    int64_t *child;        /* as symbolic->child, but the order changes */
    int64_t *sum;          /* of rests by depths; zeros between two uses */
    int64_t height[2];     /* of the stacks */
} planning;

/* On the stacks. */
static int64_t rest_of(const planning *p, int64_t s) {
    const int64_t b = cls_front_of(p->sparse, s, CLS_BORDER);
    return cls_front_is_here(p->sparse, s) && !cls_front_is_dealt(p->sparse, s) ? b * b : 0;
}

/* Elements of the rests of subtrees that were dealt out. */
static int64_t rests_behind(const cls_sparse_device *sparse) {
    int64_t elements = 0;
    for (int64_t r = 0; sparse->deal && r < sparse->deal->roots; r++) {
        const int64_t s = sparse->deal->root[r], b = cls_front_of(sparse, s, CLS_BORDER);
        if (sparse->part == 0 || cls_front_is_here(sparse, s)) elements += b * b;
    }
    return elements;
}

/* Adds the rests of the subtree of s, by depths from s on. Returns the deepest, or `deepest`. */
static int64_t add_subtree(planning *p, int64_t s, int64_t deepest) {
    for (int64_t t = s - p->size[s] + 1; t <= s; t++) {
        const int64_t depth = p->depth[t] - p->depth[s];
        p->sum[depth] += rest_of(p, t);
        if (depth > deepest) deepest = depth;
    }
    return deepest;
}

/* The most that two depths which follow each other have; all sums become zeros. */
static int64_t take_peak(planning *p, int64_t deepest) {
    int64_t peak = p->sum[deepest];
    for (int64_t d = 0; d < deepest; d++)
        if (p->sum[d] + p->sum[d + 1] > peak) peak = p->sum[d] + p->sum[d + 1];
    memset(p->sum, 0, (size_t)(deepest + 1) * sizeof *p->sum);
    return peak;
}

/* A level whose rests go to a stack. On the second one places count from the end, by
 * numbers below 0. */
static int64_t push_level(planning *p, int stack, int64_t elements) {
    cls_front_plan *plan = p->plan;
    plan->rests[plan->levels] = stack == 0 ? p->height[0] : -(p->height[1] + elements) - 1;
    p->height[stack] += elements;
    if (p->height[0] + p->height[1] > plan->elements) plan->elements = p->height[0] + p->height[1];
    return plan->levels++;
}

/* The subtrees of `count` roots together, whose sums are there. Their own rests stay on the stack. */
static void plan_depths(planning *p, const int64_t *root, int64_t count, int64_t deepest, int stack) {
    const int64_t first = p->plan->levels;
    for (int64_t d = deepest; d >= 0; d--) {
        const int on = d % 2 == 0 ? stack : !stack;
        (void)push_level(p, on, p->sum[d]);
        if (d < deepest) p->height[!on] -= p->sum[d + 1];
    }
    for (int64_t k = 0; k < count; k++)
        for (int64_t t = root[k] - p->size[root[k]] + 1; t <= root[k]; t++)
            p->plan->level[t] = first + deepest - (p->depth[t] - p->depth[root[k]]);
    memset(p->sum, 0, (size_t)(deepest + 1) * sizeof *p->sum);
}

/* Brings the root whose subtree takes the most memory, beyond what is left of it, to the end. */
static void put_worst_last(planning *p, int64_t *root, int64_t count) {
    int64_t most = -1, worst = 0;
    for (int64_t k = 0; k < count; k++) {
        const int64_t gain = take_peak(p, add_subtree(p, root[k], 0)) - rest_of(p, root[k]);
        if (gain > most) {
            most = gain;
            worst = k;
        }
    }
    const int64_t last = root[count - 1];
    root[count - 1] = root[worst];
    root[worst] = last;
}

static void plan_forest(planning *p, int64_t *root, int64_t count, int stack, int nested) {
    enum { NESTED = 64, ALONE = 64 }; /* deeper, and for more subtrees of one front, nothing is gained */
    const cls_symbolic *symbolic = p->sparse->symbolic;
    for (int alone = 0; count > 0; alone++) {
        int64_t deepest = 0;
        for (int64_t k = 0; k < count; k++) deepest = add_subtree(p, root[k], deepest);
        const double peak = (double)(p->height[0] + p->height[1] + take_peak(p, deepest));
        if (peak <= p->budget || nested == NESTED || alone == ALONE) {
            for (int64_t k = 0; k < count; k++) (void)add_subtree(p, root[k], deepest);
            plan_depths(p, root, count, deepest, stack);
            return;
        }
        put_worst_last(p, root, count);
        const int64_t s = root[--count], before = p->height[!stack];
        plan_forest(p, p->child + symbolic->child_start[s], symbolic->child_start[s + 1] - symbolic->child_start[s],
                    !stack, nested + 1);
        p->plan->level[s] = push_level(p, stack, rest_of(p, s));
        p->height[!stack] = before;
    }
}

/* root: room for all. */
static void plan_all(planning *p, int64_t *root) {
    const cls_tree *tree = &p->sparse->symbolic->tree;
    cls_front_plan *plan = p->plan;
    int64_t count = 0;
    plan->levels = plan->elements = 0;
    for (int64_t s = 0; s < tree->fronts; s++) p->size[s] = 1;
    for (int64_t s = 0; s < tree->fronts; s++)
        if (tree->parent[s] >= 0) p->size[tree->parent[s]] += p->size[s];
    for (int64_t s = tree->fronts - 1; s >= 0; s--) {
        p->depth[s] = tree->parent[s] < 0 ? 0 : p->depth[tree->parent[s]] + 1;
        if (tree->parent[s] < 0) root[count++] = s;
    }
    plan_forest(p, root, count, 0, 0);
    for (int64_t d = 0; d < plan->levels; d++)
        if (plan->rests[d] < 0) plan->rests[d] += plan->elements + 1;
    plan->elements += plan->behind;
}

/* Levels whose rests have at most `budget` elements at once, where that can be. 0: no memory. */
static int plan_once(cls_sparse_device *sparse, double budget) {
    const cls_symbolic *symbolic = sparse->symbolic;
    const size_t fronts = (size_t)symbolic->tree.fronts + 2;
    cls_front_plan *plan = &sparse->plan;
    if (!plan->level) plan->level = cls_alloc(fronts, sizeof *plan->level);
    if (!plan->rests) plan->rests = cls_alloc(fronts, sizeof *plan->rests);
    int64_t *room = cls_alloc(5 * fronts, sizeof *room);
    if (!plan->level || !plan->rests || !room) {
        cls_free(room);
        return 0;
    }
    memset(room, 0, 5 * fronts * sizeof *room);
    plan->behind = rests_behind(sparse);
    planning p = {.sparse = sparse,
                  .plan = plan,
                  .budget = budget - (double)plan->behind,
                  .depth = room,
                  .size = room + fronts,
                  .child = room + 2 * fronts,
                  .sum = room + 3 * fronts};
    for (int64_t k = 0; k < symbolic->child_start[symbolic->tree.fronts]; k++) p.child[k] = symbolic->child[k];
    plan_all(&p, room + 4 * fronts);
    cls_free(room);
    return 1;
}

/* The same; what cannot be is asked for no more, so that subtrees are not taken apart in vain. */
static int plan_levels(cls_sparse_device *sparse, double budget) {
    if (!plan_once(sparse, budget)) return 0;
    const double least = (double)sparse->plan.elements;
    return least <= budget || plan_once(sparse, least);
}

/* ---- memory ---- */

static clsolve_status no_memory(const cls_sparse_device *sparse) {
    return cls_no_memory(sparse->device->error, "the lists of fronts");
}

double cls_front_limit(const cls_sparse_device *sparse) {
    const double left = (double)sparse->device->ops->memory_left(sparse->device) - sparse->beside_free;
    const double limit = (double)sparse->limit - sparse->beside;
    return sparse->limit > 0 && limit < left ? limit : left;
}

/* Bytes of what a right-hand side takes, in substitution, and where A is in refinement. */
static double side_bytes(const cls_sparse_device *sparse) {
    return (double)((sparse->part == 0 ? 5 : 2) * sparse->n + sparse->borders) * (double)cls_type_size(sparse->type);
}

/* Bytes of lists, values, the pattern for refinement with A and A^T, and one right-hand side. */
static double fixed_bytes(const cls_sparse_device *sparse) {
    enum { LITTLE = 1 << 18 }; /* maxima of work-groups, and a kernel's few numbers */
    const double entries = (double)sparse->entries, fronts = (double)sparse->symbolic->tree.fronts,
                 n = (double)sparse->n, size = (double)cls_type_size(sparse->type);
    const double lists = 8 * CLS_FRONT_FIELDS * (double)sparse->described +
                         4 * (3 * fronts + (double)sparse->described) + 8 * (double)sparse->borders + 8 * n;
    const double widest = sparse->whole[CLS_LARGE].count > 0 ? (double)sparse->whole[CLS_LARGE].most_pivots : 0;
    const double engine = 64 * widest * size * 8; /* panels of few columns */
    const double pattern = sparse->part == 0 ? 2 * (4 * entries + 12 * n) + 32 * n : 0;
    const double of_d = sparse->ldl ? n * (CLS_OF_BLOCK * size + 4 * (CLS_OF_POSITION - 1)) + fronts * 20 : 0;
    return LITTLE + entries * (size + 8) + lists + engine + pattern + of_d + side_bytes(sparse);
}

/* Elements of an allocation, at most. */
static double most_of(const cls_sparse_device *sparse) {
    const double most = (double)sparse->device->info.max_allocation / (double)cls_type_size(sparse->type);
    return most >= 1 ? floor(most) : 0x1p52;
}

static void scratch_of(cls_sparse_device *sparse, int64_t triangles_at_once) {
    sparse->triangles_at_once = triangles_at_once;
    cls_front_reserve_scratch(sparse);
}

typedef struct factors_size {
    double all, largest; /* elements of all fronts, and of one, at most */
} factors_size;

static factors_size size_of_factors(const cls_sparse_device *sparse) {
    factors_size size = {0, 0};
    for (int64_t s = 0; s < sparse->symbolic->tree.fronts; s++) {
        const double elements = cls_front_is_here(sparse, s) ? (double)cls_front_room(sparse, s) : 0;
        size.all += elements;
        size.largest = fmax(size.largest, elements);
    }
    return size;
}

static clsolve_status too_large(const cls_sparse_device *sparse, double wanted, double limit) {
    return cls_fail(sparse->device->error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
                    "sparse factors want %.0f bytes of device memory at least, and %s has %.0f", wanted,
                    sparse->limit > 0 ? "device_memory_limit" : sparse->device->info.name, limit);
}

/* All on the device, in slabs as large as an allocation. */
static clsolve_status plan_resident(cls_sparse_device *sparse, double most) {
    if (!cls_front_make_levels(sparse, (int64_t)most)) return no_memory(sparse);
    sparse->streamed = sparse->slots = 0;
    return CLSOLVE_OK;
}

/* room: elements. The last slabs stay on the device, because a solve turns there. */
static clsolve_status plan_streamed(cls_sparse_device *sparse, double room, double most, double largest) {
    const double part = fmin(most, floor(room / 8)), slab = fmax(largest, fmin(part, most));
    sparse->slots = room >= 2 * slab ? 2 : 1;
    if (!cls_front_make_levels(sparse, (int64_t)slab)) return no_memory(sparse);
    double left = room - (double)sparse->slots * slab;
    sparse->streamed = sparse->slabs;
    while (sparse->streamed > 0 && (double)sparse->slab[sparse->streamed - 1].elements <= left)
        left -= (double)sparse->slab[--sparse->streamed].elements;
    if (sparse->streamed == 0) sparse->slots = 0;
    if (sparse->streamed < sparse->slots) sparse->slots = sparse->streamed;
    return CLSOLVE_OK;
}

/* Elements of all buffers of factors. */
static double resident_elements(const cls_sparse_device *sparse) {
    double elements = 0, slot = 0;
    for (int64_t i = 0; i < sparse->slabs; i++)
        if (i < sparse->streamed)
            slot = fmax(slot, (double)sparse->slab[i].elements);
        else
            elements += (double)sparse->slab[i].elements;
    return elements + slot * (double)sparse->slots;
}

static void count_bytes(cls_sparse_device *sparse, double fixed) {
    const double size = (double)cls_type_size(sparse->type);
    sparse->streamed_bytes = 0;
    for (int64_t i = 0; i < sparse->streamed; i++) sparse->streamed_bytes += (double)sparse->slab[i].elements * size;
    sparse->bytes =
        fixed + size * (resident_elements(sparse) + (double)sparse->plan.elements + (double)sparse->scratch_elements);
}

/* Right-hand sides at once: the memory has room for them, and so has an allocation for each of their vectors. */
static void choose_sides(cls_sparse_device *sparse, double limit) {
    enum { MOST = 16 };
    const double longest = (double)(sparse->n > sparse->borders ? sparse->n : sparse->borders);
    const double sides =
        fmin(1 + floor((limit - sparse->bytes) / side_bytes(sparse)), floor(most_of(sparse) / longest));
    sparse->most_sides = sides >= MOST ? MOST : sides > 1 ? (int64_t)sides : 1;
}

static clsolve_status plan_in(cls_sparse_device *sparse, double limit, double fixed) {
    enum { AT_ONCE = 1 << 25, LEAST_AT_ONCE = 1 << 16 };
    const double elements = (limit - fixed) / (double)cls_type_size(sparse->type), most = most_of(sparse);
    const factors_size factors = size_of_factors(sparse);
    scratch_of(sparse, AT_ONCE);
    if (!plan_levels(sparse, HUGE_VAL)) return no_memory(sparse);
    if (factors.largest > most)
        return cls_fail(sparse->device->error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
                        "the largest front of a sparse factorization wants %.0f bytes, and an allocation of %s has at "
                        "most %lld",
                        factors.largest * (double)cls_type_size(sparse->type), sparse->device->info.name,
                        (long long)sparse->device->info.max_allocation);
    if ((double)sparse->plan.elements > most && !plan_levels(sparse, most)) return no_memory(sparse);
    if (factors.all + (double)(sparse->plan.elements + sparse->scratch_elements) <= elements &&
        (double)sparse->plan.elements <= most && (double)sparse->scratch_elements <= most)
        return plan_resident(sparse, most);
    for (int64_t once = AT_ONCE; once >= LEAST_AT_ONCE && (double)sparse->scratch_elements > fmin(elements / 8, most);
         once /= 2)
        scratch_of(sparse, once);
    const double room = elements - (double)sparse->scratch_elements;
    if ((double)sparse->plan.elements > fmin(room / 3, most) && !plan_levels(sparse, fmin(room / 3, most)))
        return no_memory(sparse);
    const double left = room - (double)sparse->plan.elements;
    if (factors.all <= left) return plan_resident(sparse, most);
    if (factors.largest > left || (double)sparse->plan.elements > most)
        return too_large(sparse,
                         limit + fmax((factors.largest - left), (double)sparse->plan.elements - most) *
                                     (double)cls_type_size(sparse->type),
                         limit);
    return plan_streamed(sparse, left, most, factors.largest);
}

clsolve_status cls_front_make_plan(cls_sparse_device *sparse, double limit) {
    if (!cls_front_describe(sparse)) return no_memory(sparse);
    const double fixed = fixed_bytes(sparse);
    CLS_TRY(plan_in(sparse, limit, fixed));
    count_bytes(sparse, fixed);
    choose_sides(sparse, limit);
    return CLSOLVE_OK;
}
