/* solve.c: substitution on the device, from the deepest level to the roots and back. */
#include "base/type.h"
#include "method/fronts_device/device.h"

enum { CHUNK = 256, TALL = 16 }; /* as in front_solve.cl */
enum { ROWS_OF_BORDER, TO_PIVOTS, FROM_PIVOTS, BY_INVERSE };
enum {
    OF_UP = 1,
    OF_LOW = 2,
    TRANSPOSED = 4,
    CONJUGATED = 8,
    TRIANGLE_L = 16,
    UNIT = 32,
    BY_ORDER = 64,
    TO_ORDER = 128,
    LESS = 256
};

typedef struct passage {
    cls_sparse_device *sparse;
    int32_t transposed;
    int64_t sides;
    int64_t slab; /* which is there; -1: none so far */
} passage;

/* ---- a class ---- */

static clsolve_status launch(const passage *p, const cls_front_class *of, cls_kernel *kernel, int64_t local,
                             const cls_arg *args, int32_t count) {
    const cls_front_launch run = {kernel, p->sides, {(size_t)local, 1}, 1, CLS_COMPUTE};
    return cls_front_run_class(p->sparse, of, &run, args, count);
}

static clsolve_status take_children(const passage *p, const cls_front_class *of) {
    cls_sparse_device *sparse = p->sparse;
    const int32_t chunks = (int32_t)((of->most_rows + CHUNK - 1) / CHUNK);
    cls_arg args[] = {CLS_VALUE(chunks),         CLS_BUFFER(sparse->children), CLS_BUFFER(sparse->relative),
                      CLS_BUFFER(sparse->x),     CLS_VALUE(sparse->n),         CLS_BUFFER(sparse->left),
                      CLS_VALUE(sparse->borders)};
    const cls_front_launch run = {sparse->child, chunks * p->sides, {(size_t)sparse->far_local, 1}, 0, CLS_COMPUTE};
    return cls_front_run_class(sparse, of, &run, args, 7);
}

/* x: rows of the fronts; other: room. */
static clsolve_status change_rows(const passage *p, const cls_front_class *of, int32_t way, cls_buffer *x,
                                  cls_buffer *other) {
    cls_sparse_device *sparse = p->sparse;
    cls_arg args[] = {CLS_VALUE(way),
                      CLS_BUFFER(sparse->border),
                      CLS_BUFFER(sparse->order),
                      CLS_BUFFER(x),
                      CLS_VALUE(sparse->n),
                      CLS_BUFFER(other),
                      CLS_BUFFER(sparse->left),
                      CLS_VALUE(sparse->borders),
                      CLS_BUFFER(sparse->blocks),
                      CLS_BUFFER(sparse->ipiv)};
    return launch(p, of, sparse->row, sparse->far_local, args, sparse->ldl ? 10 : 8);
}

static clsolve_status move_rows(const passage *p, const cls_front_class *of, int32_t way) {
    return change_rows(p, of, way, p->sparse->x, p->sparse->other);
}

/* x = D^-1 x. */
static clsolve_status divide_by_d(const passage *p, const cls_front_class *of, cls_buffer *x, cls_buffer *other) {
    return p->sparse->ldl ? change_rows(p, of, BY_INVERSE, x, other) : CLSOLVE_OK;
}

/* ---- a product with a block, or with the inverse of a triangle ---- */

/* Parts of front_apply by which the passage goes up: the triangle, the border, and PIVOT below a triangle; and down. */
typedef struct passage_parts {
    int32_t first, border, below, border_down, behind, second;
} passage_parts;

static passage_parts parts_of(const passage *p) {
    static const passage_parts plain = {
        TRIANGLE_L | UNIT, OF_LOW | TRANSPOSED | LESS, OF_UP | LESS, OF_UP | LESS, OF_UP | LESS, 0};
    static const passage_parts transposed = {TRANSPOSED,    OF_UP | TRANSPOSED | LESS, OF_UP | TRANSPOSED | LESS,
                                             OF_LOW | LESS, OF_UP | TRANSPOSED | LESS, TRIANGLE_L | UNIT | TRANSPOSED};
    static const passage_parts cholesky = {
        TRIANGLE_L,    OF_LOW | TRANSPOSED | CONJUGATED | LESS, OF_UP | LESS,
        OF_LOW | LESS, OF_UP | TRANSPOSED | CONJUGATED | LESS,  TRIANGLE_L | TRANSPOSED | CONJUGATED};
    static const passage_parts ldl = {
        TRIANGLE_L | UNIT, OF_LOW | TRANSPOSED | LESS, 0, OF_LOW | LESS, 0, TRIANGLE_L | UNIT | TRANSPOSED};
    static const passage_parts conjugated = {TRIANGLE_L | UNIT,
                                             OF_LOW | TRANSPOSED | CONJUGATED | LESS,
                                             0,
                                             OF_LOW | LESS,
                                             0,
                                             TRIANGLE_L | UNIT | TRANSPOSED | CONJUGATED};
    if (p->sparse->ldl) return p->sparse->ldl == CLS_LDL_CONJUGATED ? conjugated : ldl;
    return p->sparse->cholesky ? cholesky : p->transposed ? transposed : plain;
}

/* Vectors of front rows are x or other, those of borders left. */
static clsolve_status apply(const passage *p, const cls_front_class *of, int32_t parts, cls_buffer *from,
                            cls_buffer *to) {
    cls_sparse_device *sparse = p->sparse;
    const int by_border = (parts & (OF_UP | OF_LOW)) && (parts & TRANSPOSED);
    const int32_t groups = (int32_t)(((by_border ? of->most_border : of->most_pivots) + TALL - 1) / TALL);
    const int64_t ld_from = from == sparse->left ? sparse->borders : sparse->n,
                  ld_to = to == sparse->left ? sparse->borders : sparse->n;
    cls_arg args[] = {CLS_VALUE(parts),
                      CLS_VALUE(groups),
                      CLS_BUFFER(sparse->order),
                      CLS_BUFFER(cls_front_buffer(sparse, of)),
                      CLS_BUFFER(from),
                      CLS_VALUE(ld_from),
                      CLS_BUFFER(to),
                      CLS_VALUE(ld_to)};
    const cls_front_launch run = {sparse->apply, groups * p->sides, {(size_t)sparse->far_local, 1}, 0, CLS_COMPUTE};
    if (groups == 0) return CLSOLVE_OK;
    return cls_front_run_class(sparse, of, &run, args, 8);
}

/* ---- SMALL, NEAR, FAR ---- */

static clsolve_status up(const passage *p, const cls_front_class *of, int32_t apart) {
    cls_sparse_device *sparse = p->sparse;
    cls_arg args[] = {CLS_VALUE(p->transposed),     CLS_VALUE(apart),          CLS_BUFFER(sparse->children),
                      CLS_BUFFER(sparse->relative), CLS_BUFFER(sparse->order), CLS_BUFFER(cls_front_buffer(sparse, of)),
                      CLS_BUFFER(sparse->x),        CLS_VALUE(sparse->n),      CLS_BUFFER(sparse->left),
                      CLS_VALUE(sparse->borders)};
    return launch(p, of, sparse->up[of->kind > CLS_NEAR], of->kind <= CLS_NEAR ? sparse->near_local : sparse->far_local,
                  args, 10);
}

static clsolve_status down(const passage *p, const cls_front_class *of, int32_t apart) {
    cls_sparse_device *sparse = p->sparse;
    cls_arg args[] = {CLS_VALUE(p->transposed),
                      CLS_VALUE(apart),
                      CLS_BUFFER(sparse->border),
                      CLS_BUFFER(sparse->order),
                      CLS_BUFFER(cls_front_buffer(sparse, of)),
                      CLS_BUFFER(sparse->x),
                      CLS_VALUE(sparse->n),
                      CLS_BUFFER(sparse->left),
                      CLS_VALUE(sparse->borders),
                      CLS_BUFFER(sparse->blocks),
                      CLS_BUFFER(sparse->ipiv)};
    return launch(p, of, sparse->down[of->kind > CLS_NEAR],
                  of->kind <= CLS_NEAR ? sparse->near_local : sparse->far_local, args, sparse->ldl ? 11 : 9);
}

/* Blocks of so many elements are too much for one work-group. */
static int is_apart(const cls_front_class *of) {
    enum { MUCH = 1 << 14 };
    return of->most_pivots * of->most_border > MUCH;
}

static clsolve_status narrow_up(const passage *p, const cls_front_class *of) {
    cls_sparse_device *sparse = p->sparse;
    if (!is_apart(of)) return up(p, of, 0);
    CLS_TRY(take_children(p, of));
    CLS_TRY(up(p, of, 1));
    return apply(p, of, parts_of(p).border, sparse->x, sparse->left);
}

static clsolve_status narrow_down(const passage *p, const cls_front_class *of) {
    cls_sparse_device *sparse = p->sparse;
    if (!is_apart(of)) return down(p, of, 0);
    CLS_TRY(divide_by_d(p, of, sparse->x, sparse->other));
    CLS_TRY(move_rows(p, of, ROWS_OF_BORDER));
    CLS_TRY(apply(p, of, parts_of(p).border_down, sparse->left, sparse->x));
    return down(p, of, 1);
}

/* ---- WIDE, MIDDLE: triangles are whole inverses ---- */

/* other = T^-1 P x, and the border loses M^T other: see front_solve.cl. */
static clsolve_status wide_up(const passage *p, const cls_front_class *of) {
    cls_sparse_device *sparse = p->sparse;
    const int32_t by_order = p->transposed || sparse->cholesky ? 0 : BY_ORDER;
    CLS_TRY(take_children(p, of));
    CLS_TRY(apply(p, of, parts_of(p).first | by_order, sparse->x, sparse->other));
    return apply(p, of, parts_of(p).border, sparse->other, sparse->left);
}

static clsolve_status wide_border_down(const passage *p, const cls_front_class *of) {
    cls_sparse_device *sparse = p->sparse;
    if (of->most_border == 0) return CLSOLVE_OK;
    CLS_TRY(move_rows(p, of, ROWS_OF_BORDER));
    return apply(p, of, parts_of(p).border_down, sparse->left, sparse->other);
}

static clsolve_status wide_down(const passage *p, const cls_front_class *of) {
    cls_sparse_device *sparse = p->sparse;
    const int32_t to_order = p->transposed || sparse->ldl ? TO_ORDER : 0;
    CLS_TRY(divide_by_d(p, of, sparse->other, sparse->x));
    CLS_TRY(wide_border_down(p, of));
    return apply(p, of, parts_of(p).second | to_order, sparse->other, sparse->x);
}

/* ---- LARGE: so are blocks of the triangles ---- */

/* Block i of a class of them, of the front `of`. */
static cls_front_class block_of(const cls_front_class *all, const cls_front_class *of, int64_t i) {
    cls_front_class block = *all;
    block.slab = of->slab;
    block.from += i;
    block.count = 1;
    return block;
}

static int64_t blocks_of(const cls_front_class *of) {
    return (of->most_pivots + CLS_FRONT_BLOCK - 1) / CLS_FRONT_BLOCK;
}

static clsolve_status large_up(const passage *p, const cls_front_class *of) {
    cls_sparse_device *sparse = p->sparse;
    const int64_t end = of->diagonal + blocks_of(of);
    CLS_TRY(take_children(p, of));
    if (!p->transposed && !sparse->cholesky) CLS_TRY(move_rows(p, of, TO_PIVOTS));
    for (int64_t i = of->diagonal; i < end; i++) {
        const cls_front_class triangle = block_of(&sparse->triangles, of, i),
                              rest = block_of(p->transposed ? &sparse->right_of : &sparse->below, of, i);
        CLS_TRY(apply(p, &triangle, parts_of(p).first, sparse->x, sparse->other));
        if (i + 1 < end) CLS_TRY(apply(p, &rest, parts_of(p).below, sparse->other, sparse->x));
    }
    return apply(p, of, parts_of(p).border, sparse->other, sparse->left);
}

static clsolve_status large_down(const passage *p, const cls_front_class *of) {
    cls_sparse_device *sparse = p->sparse;
    const int64_t end = of->diagonal + blocks_of(of);
    CLS_TRY(wide_border_down(p, of));
    for (int64_t i = end - 1; i >= of->diagonal; i--) {
        const cls_front_class triangle = block_of(&sparse->triangles, of, i),
                              rest = block_of(p->transposed || sparse->cholesky ? &sparse->below : &sparse->right_of,
                                              of, i);
        if (i + 1 < end) CLS_TRY(apply(p, &rest, parts_of(p).behind, sparse->x, sparse->other));
        CLS_TRY(apply(p, &triangle, parts_of(p).second, sparse->other, sparse->x));
    }
    return p->transposed ? move_rows(p, of, FROM_PIVOTS) : CLSOLVE_OK;
}

/* ---- all levels ---- */

static clsolve_status up_class(const passage *p, const cls_front_class *of) {
    if (of->kind == CLS_LARGE) return large_up(p, of);
    return of->kind >= CLS_WIDE ? wide_up(p, of) : narrow_up(p, of);
}

static clsolve_status down_class(const passage *p, const cls_front_class *of) {
    if (of->kind == CLS_LARGE) return large_down(p, of);
    return of->kind >= CLS_WIDE ? wide_down(p, of) : narrow_down(p, of);
}

static int may_join(const cls_front_class *run, const cls_front_class *next) {
    if (next->slab != run->slab || run->kind > CLS_FAR || next->kind > CLS_FAR) return 0;
    return (run->kind > CLS_NEAR) == (next->kind > CLS_NEAR) && is_apart(run) == is_apart(next);
}

/* Fronts of several sizes that one kernel solves for are solved for together: class c becomes *run with those that
 * follow on the way to `end`. Returns the next one. */
static int64_t join_classes(const cls_sparse_device *sparse, int64_t c, int64_t end, cls_front_class *run) {
    const int64_t step = end > c ? 1 : -1;
    *run = sparse->classes[c];
    for (c += step; c != end && may_join(run, &sparse->classes[c]); c += step) {
        const cls_front_class *next = &sparse->classes[c];
        run->from = next->from < run->from ? next->from : run->from;
        run->count += next->count;
        run->most_border = next->most_border > run->most_border ? next->most_border : run->most_border;
        run->most_pivots = next->most_pivots > run->most_pivots ? next->most_pivots : run->most_pivots;
        run->most_rows = next->most_rows > run->most_rows ? next->most_rows : run->most_rows;
    }
    return c;
}

/* The factors of the class are on the device. */
static clsolve_status reach(passage *p, const cls_front_class *of) {
    if (of->slab == p->slab) return CLSOLVE_OK;
    if (p->slab >= 0) CLS_TRY(cls_front_leave_slab(p->sparse, p->slab, 0));
    p->slab = of->slab;
    return cls_front_bring_slab(p->sparse, of->slab);
}

/* The classes from c on to `end`, of one level. */
static clsolve_status pass_level(passage *p, int64_t c, int64_t end,
                                 clsolve_status (*solve)(const passage *p, const cls_front_class *of)) {
    cls_front_class run;
    while (c != end) {
        c = join_classes(p->sparse, c, end, &run);
        if (run.count == 0) continue; /* on other devices alone */
        CLS_TRY(reach(p, &run));
        CLS_TRY(solve(p, &run));
    }
    return CLSOLVE_OK;
}

static clsolve_status end_way(const passage *p) {
    return p->slab < 0 ? CLSOLVE_OK : cls_front_leave_slab(p->sparse, p->slab, 0);
}

clsolve_status cls_front_go_up(cls_sparse_device *sparse, int transposed, int64_t sides) {
    passage p = {sparse, cls_front_is_one_sided(sparse) ? 0 : transposed, sides, -1};
    for (int64_t d = 0; d < sparse->levels; d++)
        CLS_TRY(pass_level(&p, sparse->level[d], sparse->level[d + 1], up_class));
    return end_way(&p);
}

/* Meets the slabs in the opposite order. */
clsolve_status cls_front_go_down(cls_sparse_device *sparse, int transposed, int64_t sides) {
    passage p = {sparse, cls_front_is_one_sided(sparse) ? 0 : transposed, sides, -1};
    for (int64_t d = sparse->levels - 1; d >= 0; d--)
        CLS_TRY(pass_level(&p, sparse->level[d + 1] - 1, sparse->level[d] - 1, down_class));
    return end_way(&p);
}

clsolve_status cls_front_take_sides(cls_sparse_device *sparse, int64_t sides) {
    cls_device *device = sparse->device;
    const int64_t size = cls_type_size(sparse->type) * sides;
    if (sides <= sparse->sides) return CLSOLVE_OK;
    cls_buffer **const buffers[] = {&sparse->x, &sparse->other, &sparse->left};
    sparse->sides = 0;
    for (int k = 0; k < 3; k++) {
        device->ops->buffer_destroy(device, *buffers[k]);
        *buffers[k] = NULL;
        CLS_TRY(device->ops->buffer_create(device, (size_t)((k < 2 ? sparse->n : sparse->borders) * size), buffers[k]));
    }
    sparse->sides = sides;
    return CLSOLVE_OK;
}
