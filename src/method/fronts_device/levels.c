/* levels.c: fronts by levels and kinds, slabs of their factors, and blocks of large ones. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/type.h"
#include "device/matrix.h"
#include "method/fronts_device/device.h"

static const double wide_operations = 5e7; /* of the product f b b */

/* ---- kinds and classes ---- */

/* size: small, near and far fronts are classes by the power of four of their rows, or of two. */
typedef struct placed_front {
    int64_t level, kind, size, s;
} placed_front;

static int by_place(const void *a, const void *b) {
    const placed_front *x = a, *y = b;
    if (x->level != y->level) return x->level < y->level ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->size != y->size) return x->size < y->size ? -1 : 1;
    return x->s < y->s ? -1 : x->s > y->s;
}

static cls_front_kind kind_of(clsolve_type type, int64_t f, int64_t b) {
    if (f + b <= (cls_type_size(type) > 8 ? CLS_MOST_TINY : CLS_MOST_SMALL)) return CLS_SMALL;
    if (f <= CLS_MOST_NEAR) return CLS_NEAR;
    if (f > CLS_MOST_FAR) return f > CLS_FRONT_BLOCK ? CLS_LARGE : f > CLS_MOST_MIDDLE ? CLS_BROAD : CLS_MIDDLE;
    return (double)f * (double)b * (double)b >= wide_operations ? CLS_WIDE : CLS_FAR;
}

static int64_t size_of(cls_front_kind kind, int64_t rows) {
    int64_t size = 3;
    if (kind == CLS_SMALL) return rows > CLS_MOST_TINY;
    while (kind <= CLS_FAR && (int64_t)1 << 2 * size < rows) size++;
    return size;
}

/* A class has the sizes of its fronts on all devices: so all of them sum in the same way. */
static void measure(const cls_sparse_device *sparse, int64_t s, cls_front_class *class) {
    const int64_t f = cls_front_of(sparse, s, CLS_PIVOTS), b = cls_front_of(sparse, s, CLS_BORDER);
    class->most_pivots = f > class->most_pivots ? f : class->most_pivots;
    class->most_border = b > class->most_border ? b : class->most_border;
    class->most_rows = f + b > class->most_rows ? f + b : class->most_rows;
    class->parents |= cls_front_of(sparse, s, CLS_CHILDREN) > 0;
}

static void add_to_class(const cls_sparse_device *sparse, int64_t s, cls_front_class *class) {
    measure(sparse, s, class);
    class->count++;
}

/* Fronts that are products of their own begin at multiples of this. */
static int64_t alignment_of(const cls_sparse_device *sparse, int64_t s) {
    enum { ALIGNED = 32 };
    const int64_t f = cls_front_of(sparse, s, CLS_PIVOTS), b = cls_front_of(sparse, s, CLS_BORDER);
    return kind_of(sparse->type, f, b) >= CLS_WIDE ? ALIGNED : 1;
}

int64_t cls_front_elements(const cls_sparse_device *sparse, int64_t s) {
    const int64_t f = cls_front_of(sparse, s, CLS_PIVOTS), b = cls_front_of(sparse, s, CLS_BORDER);
    return cls_front_of(sparse, s, CLS_LD) * (f + (cls_front_is_one_sided(sparse) ? 1 : 2) * b);
}

int64_t cls_front_room(const cls_sparse_device *sparse, int64_t s) {
    return cls_front_elements(sparse, s) + alignment_of(sparse, s) - 1;
}

/* The sorted fronts get their places, one slab after the other. A slab has at most `most` elements, or one front. */
static void fill_slabs(cls_sparse_device *sparse, const placed_front *sorted, int64_t most) {
    const int64_t count = sparse->symbolic->tree.fronts;
    cls_front_slab *slab = sparse->slab;
    int64_t at = 0;
    *slab = (cls_front_slab){0};
    for (int64_t k = 0; k < count; k++) {
        const int64_t s = sorted[k].s, elements = cls_front_elements(sparse, s), align = alignment_of(sparse, s);
        if (!cls_front_is_here(sparse, s)) continue;
        if (slab->count > 0 && slab->elements + cls_front_room(sparse, s) > most) {
            slab[1] = (cls_front_slab){.from = at, .begin = slab->begin + slab->elements};
            slab++;
        }
        at++;
        slab->elements = (slab->elements + align - 1) / align * align;
        for (int field = CLS_PIVOT; field <= CLS_LOW_AT; field++)
            sparse->front[s * CLS_FRONT_FIELDS + field] += slab->elements;
        slab->count++;
        slab->elements += elements;
    }
    sparse->slabs = slab - sparse->slab + 1;
}

/* sorted: fronts by level and kind. The rests of a level lie behind each other. A class may have no front here. */
static void make_classes(cls_sparse_device *sparse, const placed_front *sorted) {
    const int64_t count = sparse->symbolic->tree.fronts;
    const cls_front_plan *plan = &sparse->plan;
    int64_t classes = 0, rest = 0, slab = 0, here = 0;
    sparse->levels = 0;
    for (int64_t k = 0; k < count; k++) {
        const placed_front *at = &sorted[k];
        const int is_here = cls_front_is_here(sparse, at->s), new_level = k == 0 || at->level != at[-1].level,
                  new_slab = is_here && slab + 1 < sparse->slabs && here == sparse->slab[slab + 1].from;
        slab += new_slab;
        if (new_level || new_slab || at->kind != at[-1].kind || at->size != at[-1].size || at->kind == CLS_LARGE) {
            sparse->classes[classes++] =
                (cls_front_class){.from = here, .kind = (cls_front_kind)at->kind, .slab = slab};
            if (new_level) sparse->level[sparse->levels++] = classes - 1;
        }
        measure(sparse, at->s, &sparse->classes[classes - 1]);
        sparse->classes[classes - 1].all++;
        if (new_level) rest = plan->rests[at->level];
        if (!is_here) continue;
        const int64_t b = cls_front_of(sparse, at->s, CLS_BORDER);
        sparse->front[at->s * CLS_FRONT_FIELDS + CLS_REST] = rest;
        rest += cls_front_is_dealt(sparse, at->s) ? 0 : b * b;
        sparse->list[here++] = (int32_t)at->s;
        sparse->classes[classes - 1].count++;
    }
    sparse->level[sparse->levels] = classes;
}

/* Rests of subtrees that were dealt out, in their part and in the top. */
static void place_behind(cls_sparse_device *sparse) {
    int64_t rest = sparse->plan.elements - sparse->plan.behind;
    for (int64_t r = 0; sparse->deal && r < sparse->deal->roots; r++) {
        const int64_t s = sparse->deal->root[r], b = cls_front_of(sparse, s, CLS_BORDER);
        if (sparse->part != 0 && !cls_front_is_here(sparse, s)) continue;
        sparse->front[s * CLS_FRONT_FIELDS + CLS_REST] = rest;
        rest += b * b;
    }
}

static void describe_front(cls_sparse_device *sparse, int64_t s) {
    const cls_symbolic *symbolic = sparse->symbolic;
    const int64_t f = symbolic->tree.first[s + 1] - symbolic->tree.first[s], b = symbolic->tree.rows[s] - f;
    const cls_front_kind kind = kind_of(sparse->type, f, b);
    const int64_t ld = kind >= CLS_WIDE ? cls_matrix_ld(f, cls_type_size(sparse->type)) : f;
    int64_t *front = sparse->front + s * CLS_FRONT_FIELDS;
    front[CLS_PIVOTS] = f;
    front[CLS_BORDER] = b;
    front[CLS_LD] = ld;
    front[CLS_PIVOT] = 0;
    front[CLS_UP_AT] = ld * f;
    front[CLS_LOW_AT] = ld * (cls_front_is_one_sided(sparse) ? f : f + b);
    front[CLS_FIRST] = symbolic->tree.first[s];
    front[CLS_RELATIVE] = symbolic->border_start[s];
    front[CLS_CHILD] = symbolic->child_start[s];
    front[CLS_CHILDREN] = symbolic->child_start[s + 1] - symbolic->child_start[s];
    measure(sparse, s, &sparse->whole[kind]);
    if (!cls_front_is_here(sparse, s)) return;
    sparse->whole[kind].count++;
    if (kind != CLS_LARGE) return;
    sparse->triangles.count += (f + CLS_FRONT_BLOCK - 1) / CLS_FRONT_BLOCK;
    sparse->triangles.most_pivots = CLS_FRONT_BLOCK;
}

static int64_t count_blocks(const cls_sparse_device *sparse) {
    const cls_tree *tree = &sparse->symbolic->tree;
    int64_t blocks = 0;
    for (int64_t s = 0; s < tree->fronts; s++) {
        const int64_t f = tree->first[s + 1] - tree->first[s];
        if (cls_front_is_here(sparse, s) && kind_of(sparse->type, f, 0) == CLS_LARGE)
            blocks += (f + CLS_FRONT_BLOCK - 1) / CLS_FRONT_BLOCK;
    }
    return blocks;
}

static int take_lists(cls_sparse_device *sparse) {
    const int64_t blocks = count_blocks(sparse);
    const size_t fronts = (size_t)sparse->symbolic->tree.fronts + 2, described = fronts + 3 * (size_t)blocks;
    sparse->described = (int64_t)described - 2;
    sparse->front = cls_alloc(described * CLS_FRONT_FIELDS, sizeof *sparse->front);
    sparse->list = cls_alloc(fronts + described, sizeof *sparse->list);
    sparse->level = cls_alloc(fronts, sizeof *sparse->level);
    sparse->classes = cls_alloc(fronts, sizeof *sparse->classes);
    return sparse->front && sparse->list && sparse->level && sparse->classes;
}

int cls_front_describe(cls_sparse_device *sparse) {
    if (!sparse->front && !take_lists(sparse)) return 0;
    memset(sparse->whole, 0, sizeof sparse->whole);
    sparse->triangles = (cls_front_class){.kind = CLS_WIDE};
    for (int kind = 0; kind < CLS_FRONT_KINDS; kind++) sparse->whole[kind].kind = (cls_front_kind)kind;
    for (int64_t s = 0; s < sparse->symbolic->tree.fronts; s++) describe_front(sparse, s);
    return 1;
}

/* Leaves the fronts that are here, which are those of the slabs; `whole` has the sizes of all. */
static void leave_here(cls_sparse_device *sparse, placed_front *sorted) {
    const int64_t count = sparse->symbolic->tree.fronts;
    int64_t here = 0;
    memset(sparse->whole, 0, sizeof sparse->whole);
    for (int64_t k = 0; k < count; k++) {
        measure(sparse, sorted[k].s, &sparse->whole[sorted[k].kind]);
        if (cls_front_is_here(sparse, sorted[k].s)) sorted[here++] = sorted[k];
    }
}

/* All fronts of each slab once more, by their kinds: what does not depend on levels is one launch a kind. */
static void make_whole(cls_sparse_device *sparse, const placed_front *sorted) {
    int64_t at = sparse->symbolic->tree.fronts;
    for (int64_t i = 0; i < sparse->slabs; i++)
        for (int kind = 0; kind < CLS_FRONT_KINDS; kind++) {
            cls_front_slab *slab = &sparse->slab[i];
            cls_front_class *whole = &slab->whole[kind];
            *whole = (cls_front_class){.from = at, .kind = (cls_front_kind)kind, .slab = i};
            sparse->whole[kind].kind = (cls_front_kind)kind;
            for (int64_t k = slab->from; k < slab->from + slab->count; k++) {
                if (sorted[k].kind != kind) continue;
                sparse->list[at++] = (int32_t)sorted[k].s;
                add_to_class(sparse, sorted[k].s, whole);
                add_to_class(sparse, sorted[k].s, &sparse->whole[kind]);
            }
        }
}

static void describe_block(cls_sparse_device *sparse, cls_front_class *class, int64_t *at, const int64_t *front) {
    int64_t *to = sparse->front + sparse->described * CLS_FRONT_FIELDS;
    memcpy(to, front, CLS_FRONT_FIELDS * sizeof *to);
    sparse->list[*at] = (int32_t)sparse->described;
    add_to_class(sparse, sparse->described++, class);
    ++*at;
}

/* The blocks of the LARGE front of that class; *at: places in the list for triangles, below, right_of. */
static void describe_blocks(cls_sparse_device *sparse, cls_front_class *class, int64_t *at) {
    const int64_t s = sparse->list[class->from], f = class->most_pivots, ld = cls_front_of(sparse, s, CLS_LD);
    const int64_t pivot = cls_front_of(sparse, s, CLS_PIVOT), first = cls_front_of(sparse, s, CLS_FIRST);
    cls_front_class *triangles = &sparse->slab[class->slab].triangles;
    class->diagonal = at[0] - sparse->triangles.from;
    if (triangles->count == 0) *triangles = (cls_front_class){.from = at[0], .kind = CLS_WIDE, .slab = class->slab};
    for (int64_t k = 0; k < f; k += CLS_FRONT_BLOCK) {
        const int64_t w = f - k < CLS_FRONT_BLOCK ? f - k : CLS_FRONT_BLOCK, next = k + w, rest = f - next;
        const int64_t triangle[] = {
            [CLS_PIVOTS] = w, [CLS_PIVOT] = pivot + k + k * ld, [CLS_FIRST] = first + k, [CLS_LD] = ld};
        const int64_t below[] = {
            [CLS_PIVOTS] = rest,        [CLS_BORDER] = w,           [CLS_UP_AT] = pivot + next + k * ld,
            [CLS_FIRST] = first + next, [CLS_RELATIVE] = first + k, [CLS_LD] = ld};
        const int64_t right_of[] = {
            [CLS_PIVOTS] = w,        [CLS_BORDER] = rest,           [CLS_UP_AT] = pivot + k + next * ld,
            [CLS_FIRST] = first + k, [CLS_RELATIVE] = first + next, [CLS_LD] = ld};
        describe_block(sparse, &sparse->triangles, &at[0], triangle);
        add_to_class(sparse, sparse->described - 1, triangles);
        describe_block(sparse, &sparse->below, &at[1], below);
        describe_block(sparse, &sparse->right_of, &at[2], right_of);
    }
}

static void describe_all_blocks(cls_sparse_device *sparse, int64_t blocks) {
    const int64_t fronts = sparse->symbolic->tree.fronts;
    int64_t at[] = {2 * fronts, 2 * fronts + blocks, 2 * fronts + 2 * blocks};
    sparse->described = fronts;
    sparse->triangles = (cls_front_class){.from = at[0], .kind = CLS_WIDE};
    sparse->below = (cls_front_class){.from = at[1], .kind = CLS_WIDE};
    sparse->right_of = (cls_front_class){.from = at[2], .kind = CLS_WIDE};
    for (int64_t c = 0; c < sparse->level[sparse->levels]; c++)
        if (sparse->classes[c].kind == CLS_LARGE && sparse->classes[c].count > 0)
            describe_blocks(sparse, &sparse->classes[c], at);
}

/* ---- few fronts are no class of their own ---- */

static int64_t end_of_run(const placed_front *sorted, int64_t k, int64_t count) {
    const placed_front *at = &sorted[k];
    while (k < count && sorted[k].level == at->level && sorted[k].kind == at->kind && sorted[k].size == at->size) k++;
    return k;
}

/* A launch has as many groups for each front as for the largest. Some that end at once cost less than more launches. */
static int may_join(const cls_sparse_device *sparse, const placed_front *sorted, int64_t from, int64_t to,
                    int64_t end) {
    enum { FEW = 256, GROUPS = 1 << 14, TILE = 32 };
    const placed_front *few = &sorted[from], *next = &sorted[to];
    int64_t tiles = 1;
    if (next->level != few->level || next->kind > CLS_FAR) return 0;
    if (few->kind == CLS_SMALL) return next->kind == CLS_SMALL && to - from <= FEW;
    if (next->kind != few->kind && to - from > FEW) return 0;
    for (int64_t k = to; k < end; k++) {
        const int64_t rows = sparse->symbolic->tree.rows[sorted[k].s];
        if (rows / TILE + 1 > tiles) tiles = rows / TILE + 1;
    }
    return (to - from) * tiles * tiles <= GROUPS;
}

static void join_few(const cls_sparse_device *sparse, placed_front *sorted) {
    const int64_t count = sparse->symbolic->tree.fronts;
    for (int64_t from = 0; from < count;) {
        const int64_t to = end_of_run(sorted, from, count), end = to < count ? end_of_run(sorted, to, count) : to;
        if (to < count && may_join(sparse, sorted, from, to, end))
            for (int64_t k = from; k < to; k++) {
                sorted[k].kind = sorted[to].kind;
                sorted[k].size = sorted[to].size;
            }
        else
            from = to;
    }
}

static int sort_fronts(cls_sparse_device *sparse, int64_t most) {
    const cls_tree *tree = &sparse->symbolic->tree;
    placed_front *sorted = cls_alloc((size_t)tree->fronts + 1, sizeof *sorted);
    if (!sorted) return 0;
    for (int64_t s = 0; s < tree->fronts; s++) {
        const int64_t f = cls_front_of(sparse, s, CLS_PIVOTS), b = cls_front_of(sparse, s, CLS_BORDER);
        const cls_front_kind kind = kind_of(sparse->type, f, b);
        sorted[s] = (placed_front){.level = sparse->plan.level[s], .kind = kind, .size = size_of(kind, f + b), .s = s};
    }
    qsort(sorted, (size_t)tree->fronts, sizeof *sorted, by_place);
    join_few(sparse, sorted);
    fill_slabs(sparse, sorted, most);
    make_classes(sparse, sorted);
    place_behind(sparse);
    leave_here(sparse, sorted);
    make_whole(sparse, sorted);
    cls_free(sorted);
    return 1;
}

int cls_front_make_levels(cls_sparse_device *sparse, int64_t most) {
    int64_t elements = 0;
    for (int64_t s = 0; s < sparse->symbolic->tree.fronts; s++)
        if (cls_front_is_here(sparse, s)) elements += cls_front_room(sparse, s);
    cls_free(sparse->slab); /* two that follow each other have more than `most` elements */
    sparse->slab = cls_alloc((size_t)(2 * (elements / most) + 2), sizeof *sparse->slab);
    if (!sparse->slab || !sort_fronts(sparse, most)) return 0;
    describe_all_blocks(sparse, count_blocks(sparse));
    return 1;
}

/* ---- scratch memory ---- */

enum { PARTS = 3 }; /* L^-1, room, U^-1 */

int64_t cls_front_scratch_ld(int64_t f) {
    enum { LINE = 32 };
    return (f + LINE - 1) / LINE * LINE;
}

int64_t cls_front_some_of(const cls_sparse_device *sparse, const cls_front_class *of, int64_t *apart) {
    *apart = PARTS * cls_front_scratch_ld(of->most_pivots) * of->most_pivots;
    const int64_t some = sparse->triangles_at_once / *apart;
    return some < 1 ? 1 : some < of->count ? some : of->count;
}

/* Elements that the class wants for its triangles, and for a block of UP or LOW. */
static void find_room(const cls_sparse_device *sparse, const cls_front_class *of, int64_t *triangles, int64_t *block) {
    const int64_t most = sparse->triangles_at_once;
    int64_t apart;
    *triangles = *block = 0;
    if (of->count == 0) return;
    (void)cls_front_some_of(sparse, of, &apart);
    *triangles = of->count * apart; /* a part of it may have more fronts at once than all of it, but smaller ones */
    if (*triangles > most) *triangles = apart > most ? apart : most;
    if (of->kind >= (sparse->ldl ? CLS_WIDE : CLS_MIDDLE))
        *block = cls_front_scratch_ld(of->most_pivots) * of->most_border;
}

void cls_front_reserve_scratch(cls_sparse_device *sparse) {
    const cls_front_class *const of[] = {&sparse->whole[CLS_WIDE], &sparse->whole[CLS_MIDDLE],
                                         &sparse->whole[CLS_BROAD], &sparse->triangles};
    int64_t most = 0;
    sparse->scratch_block = 0;
    for (int k = 0; k < 4; k++) {
        int64_t triangles, block;
        find_room(sparse, of[k], &triangles, &block);
        if (triangles > sparse->scratch_block) sparse->scratch_block = triangles;
        if (block > most) most = block;
    }
    sparse->scratch_elements = sparse->scratch_block + most;
}
