#include "method/sparse/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/type.h"
#include "device/matrix.h"

/* NEAR: rows of panels in local memory. LARGE: fronts with more pivots are large, and those with so many operations. ROOM: as in
 * front_move.cl and front_solve.cl. FRONTS: of one launch, which CUDA bounds. */
enum { NEAR = 64, LARGE = 256, ROOM = 256, FRONTS = 32768, ALIGNED = 32 };
static const double large_operations = 1e8;

/* Kinds of fronts: near and far ones by the power of two of their rows. */
enum { FAR_KIND = 100, LARGE_KIND = 200 };

/* ---- levels and classes ---- */

typedef struct placed_front {
    int64_t depth, kind, s;
} placed_front;

static int by_place(const void *a, const void *b) {
    const placed_front *x = a, *y = b;
    if (x->depth != y->depth) return x->depth < y->depth ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    return x->s < y->s ? -1 : x->s > y->s;
}

static int64_t kind_of(int64_t f, int64_t b) {
    int64_t size = 0;
    const double m = (double)(f + b);
    while ((int64_t)1 << size < f + b) size++;
    if (f > LARGE || (double)f * m * m >= large_operations) return LARGE_KIND;
    return (f > NEAR ? FAR_KIND : 0) + size;
}

static void add_to_class(const cls_sparse_device *sparse, int64_t s, cls_front_class *class) {
    const int64_t f = cls_front_of(sparse, s, CLS_PIVOTS), b = cls_front_of(sparse, s, CLS_BORDER);
    class->count++;
    class->most_pivots = f > class->most_pivots ? f : class->most_pivots;
    class->most_border = b > class->most_border ? b : class->most_border;
    class->most_rows = f + b > class->most_rows ? f + b : class->most_rows;
    class->parents |= cls_front_of(sparse, s, CLS_CHILDREN) > 0;
}

/* sorted: fronts by depth and kind. The rests of a level lie behind each other; *most: of each parity the most elements. */
static void make_classes(cls_sparse_device *sparse, const placed_front *sorted, int64_t *most) {
    const int64_t count = sparse->symbolic->tree.fronts;
    int64_t classes = 0, rest = 0;
    for (int64_t k = 0; k < count; k++) {
        const placed_front *at = &sorted[k];
        const int new_level = k == 0 || at->depth != at[-1].depth;
        if (new_level || at->kind != at[-1].kind || at->kind >= LARGE_KIND) {
            sparse->classes[classes++] =
                (cls_front_class){.from = k, .near = at->kind < FAR_KIND, .large = at->kind >= LARGE_KIND};
            if (new_level) sparse->level[sparse->levels++] = classes - 1;
        }
        if (new_level) rest = 0;
        const int64_t b = cls_front_of(sparse, at->s, CLS_BORDER);
        sparse->front[at->s * CLS_FRONT_FIELDS + CLS_REST] = rest;
        rest += b * b;
        if (rest > most[at->depth % 2]) most[at->depth % 2] = rest;
        sparse->list[k] = (int32_t)at->s;
        add_to_class(sparse, at->s, &sparse->classes[classes - 1]);
    }
    sparse->level[sparse->levels] = classes;
}

/* Returns the elements of the arena. */
static int64_t describe(cls_sparse_device *sparse) {
    const cls_symbolic *symbolic = sparse->symbolic;
    int64_t arena = 0;
    for (int64_t s = 0; s < symbolic->tree.fronts; s++) {
        const int64_t f = symbolic->tree.first[s + 1] - symbolic->tree.first[s], b = symbolic->tree.rows[s] - f;
        int64_t *front = sparse->front + s * CLS_FRONT_FIELDS;
        front[CLS_PIVOTS] = f;
        front[CLS_BORDER] = b;
        const int large = kind_of(f, b) >= LARGE_KIND;
        const int64_t ld = large ? cls_matrix_ld(f, cls_type_size(sparse->type)) : f;
        if (large) arena = (arena + ALIGNED - 1) / ALIGNED * ALIGNED;
        front[CLS_LD] = ld;
        front[CLS_PIVOT] = arena;
        front[CLS_UP_AT] = arena += ld * f;
        if (!sparse->cholesky) arena += ld * b;
        front[CLS_LOW_AT] = arena;
        arena += ld * b;
        front[CLS_FIRST] = symbolic->tree.first[s];
        front[CLS_RELATIVE] = symbolic->border_start[s];
        front[CLS_CHILD] = symbolic->child_start[s];
        front[CLS_CHILDREN] = symbolic->child_start[s + 1] - symbolic->child_start[s];
    }
    return arena;
}

static int sort_fronts(cls_sparse_device *sparse, int64_t *most) {
    const cls_tree *tree = &sparse->symbolic->tree;
    placed_front *sorted = cls_alloc((size_t)tree->fronts + 1, sizeof *sorted);
    if (!sorted) return 0;
    for (int64_t s = tree->fronts - 1; s >= 0; s--)
        sorted[s] =
            (placed_front){.depth = tree->parent[s] < 0 ? 0 : sorted[tree->parent[s]].depth + 1,
                           .kind = kind_of(cls_front_of(sparse, s, CLS_PIVOTS), cls_front_of(sparse, s, CLS_BORDER)),
                           .s = s};
    qsort(sorted, (size_t)tree->fronts, sizeof *sorted, by_place);
    make_classes(sparse, sorted, most);
    cls_free(sorted);
    return 1;
}

/* ---- where entries go ---- */

static int64_t place_of(const cls_sparse_device *sparse, int64_t s, const cls_placed *placed, int *conjugate) {
    const int64_t *front = sparse->front + s * CLS_FRONT_FIELDS, f = front[CLS_PIVOTS], ld = front[CLS_LD];
    if (placed->row < f && placed->column < f) return front[CLS_PIVOT] + placed->row + placed->column * ld;
    if (placed->row < f) return front[CLS_UP_AT] + placed->row + (placed->column - f) * ld;
    if (sparse->cholesky) *conjugate = !*conjugate;
    return front[CLS_LOW_AT] + placed->column + (placed->row - f) * ld;
}

static void place_entries(const cls_sparse_device *sparse, int64_t *place) {
    const cls_symbolic *symbolic = sparse->symbolic;
    for (int64_t s = 0; s < symbolic->tree.fronts; s++)
        for (int64_t k = symbolic->placed_start[s]; k < symbolic->placed_start[s + 1]; k++) {
            const cls_placed *placed = &symbolic->placed[k];
            int conjugate = placed->entry < 0;
            const int64_t entry = conjugate ? -1 - placed->entry : placed->entry;
            const int64_t to = place_of(sparse, s, placed, &conjugate) + 1;
            place[entry] = conjugate ? -to : to;
        }
}

/* ---- memory and kernels ---- */

static clsolve_status no_memory(const cls_sparse_device *sparse) {
    return cls_fail(sparse->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the lists of fronts");
}

clsolve_status cls_front_put(cls_sparse_device *sparse, cls_buffer *to, size_t offset, const void *from, size_t bytes) {
    const cls_rect rect = {bytes, 1, offset, bytes, bytes};
    if (bytes == 0) return CLSOLVE_OK;
    CLS_TRY(sparse->device->ops->write(sparse->device, CLS_COMPUTE, to, from, &rect, NULL, NULL));
    return sparse->device->ops->finish(sparse->device, CLS_COMPUTE);
}

clsolve_status cls_front_get(cls_sparse_device *sparse, cls_buffer *from, size_t offset, void *to, size_t bytes) {
    const cls_rect rect = {bytes, 1, offset, bytes, bytes};
    if (bytes == 0) return CLSOLVE_OK;
    CLS_TRY(sparse->device->ops->read(sparse->device, CLS_COMPUTE, from, to, &rect, NULL, NULL));
    return sparse->device->ops->finish(sparse->device, CLS_COMPUTE);
}

clsolve_status cls_front_stage(cls_sparse_device *sparse, int64_t elements) {
    const size_t bytes = (size_t)(elements * cls_type_size(sparse->type));
    if (bytes <= sparse->staged_bytes) return CLSOLVE_OK;
    cls_free(sparse->staged);
    sparse->staged = cls_alloc(bytes, 1);
    sparse->staged_bytes = sparse->staged ? bytes : 0;
    return sparse->staged ? CLSOLVE_OK : no_memory(sparse);
}

static clsolve_status take(cls_sparse_device *sparse, int64_t elements, int64_t size, cls_buffer **buffer) {
    sparse->bytes += (double)elements * (double)size;
    return sparse->device->ops->buffer_create(sparse->device, (size_t)(elements * size), buffer);
}

static clsolve_status take_memory(cls_sparse_device *sparse, const int64_t *most) {
    const cls_symbolic *symbolic = sparse->symbolic;
    const int64_t size = cls_type_size(sparse->type), fronts = symbolic->tree.fronts;
    CLS_TRY(take(sparse, sparse->arena_elements, size, &sparse->arena));
    CLS_TRY(take(sparse, most[0], size, &sparse->rests[0]));
    CLS_TRY(take(sparse, most[1], size, &sparse->rests[1]));
    CLS_TRY(take(sparse, sparse->entries, size, &sparse->value));
    CLS_TRY(take(sparse, sparse->entries, (int64_t)sizeof(int64_t), &sparse->place));
    CLS_TRY(take(sparse, fronts * CLS_FRONT_FIELDS, (int64_t)sizeof(int64_t), &sparse->fronts));
    CLS_TRY(take(sparse, fronts, (int64_t)sizeof(int32_t), &sparse->lists));
    CLS_TRY(take(sparse, fronts, (int64_t)sizeof(int32_t), &sparse->children));
    CLS_TRY(take(sparse, fronts, (int64_t)sizeof(int32_t), &sparse->replaced));
    CLS_TRY(take(sparse, sparse->borders, (int64_t)sizeof(int32_t), &sparse->relative));
    CLS_TRY(take(sparse, sparse->borders, (int64_t)sizeof(int32_t), &sparse->border));
    CLS_TRY(take(sparse, sparse->n, (int64_t)sizeof(int32_t), &sparse->ipiv));
    return take(sparse, sparse->n, (int64_t)sizeof(int32_t), &sparse->order);
}

static clsolve_status put_narrow(cls_sparse_device *sparse, cls_buffer *to, const int64_t *from, int64_t count,
                                 int32_t *room) {
    for (int64_t k = 0; k < count; k++) room[k] = (int32_t)from[k];
    return cls_front_put(sparse, to, 0, room, (size_t)count * sizeof *room);
}

static clsolve_status put_lists(cls_sparse_device *sparse) {
    const cls_symbolic *symbolic = sparse->symbolic;
    const int64_t fronts = symbolic->tree.fronts;
    int64_t *place = cls_alloc((size_t)sparse->entries + 1, sizeof *place);
    int32_t *room = cls_alloc((size_t)(sparse->borders > fronts ? sparse->borders : fronts) + 1, sizeof *room);
    clsolve_status status = place && room ? CLSOLVE_OK : no_memory(sparse);
    if (status == CLSOLVE_OK) {
        place_entries(sparse, place);
        status = cls_front_put(sparse, sparse->place, 0, place, (size_t)sparse->entries * sizeof *place);
    }
    if (status == CLSOLVE_OK)
        status = cls_front_put(sparse, sparse->fronts, 0, sparse->front,
                               (size_t)(fronts * CLS_FRONT_FIELDS) * sizeof *sparse->front);
    if (status == CLSOLVE_OK)
        status = cls_front_put(sparse, sparse->lists, 0, sparse->list, (size_t)fronts * sizeof *sparse->list);
    if (status == CLSOLVE_OK)
        status = put_narrow(sparse, sparse->children, symbolic->child, symbolic->child_start[fronts], room);
    if (status == CLSOLVE_OK) status = put_narrow(sparse, sparse->border, symbolic->border, sparse->borders, room);
    if (status == CLSOLVE_OK)
        status = cls_front_put(sparse, sparse->relative, 0, symbolic->relative,
                               (size_t)sparse->borders * sizeof *symbolic->relative);
    cls_free(place);
    cls_free(room);
    return status;
}

typedef struct wanted_kernel {
    const char *program, *name, *more; /* more: options */
    cls_kernel **kernel;
} wanted_kernel;

static clsolve_status get_kernels(cls_sparse_device *sparse) {
    cls_device *device = sparse->device;
    /* Compilers for CPUs take long for unrolled loops over 32 rows. */
    const int rolled = device->rolled || device->info.type == CLSOLVE_DEVICE_CPU;
    char options[160], near[32], far[32], items[32];
    (void)snprintf(near, sizeof near, " -DNEAR=%d -DLS=%d", (int)NEAR, (int)sparse->local);
    (void)snprintf(far, sizeof far, " -DLS=%d", (int)sparse->far_local);
    (void)snprintf(items, sizeof items, " -DLS=%d", (int)sparse->local);
    const wanted_kernel wanted[] = {{"front_move", "front_scatter", items, &sparse->scatter},
                                    {"front_move", "front_gather", items, &sparse->gather},
                                    {"front_move", "front_order", items, &sparse->sort},
                                    {"front_move", "front_pivots", items, &sparse->diagonal},
                                    {"front_panel", "front_panel", near, &sparse->near},
                                    {"front_panel", "front_panel", far, &sparse->far},
                                    {"front_right", "front_right", "", &sparse->right},
                                    {"front_right", "front_invert", "", &sparse->invert},
                                    {"front_product", "front_trailing", "", &sparse->trailing},
                                    {"front_product", "front_rest", "", &sparse->rest},
                                    {"front_solve", "front_up", items, &sparse->up[0]},
                                    {"front_solve", "front_down", items, &sparse->down[0]},
                                    {"front_solve", "front_up", far, &sparse->up[1]},
                                    {"front_solve", "front_down", far, &sparse->down[1]},
                                    {"front_solve", "front_children", items, &sparse->child},
                                    {"front_solve", "front_rows", items, &sparse->row}};
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++) {
        const int panels =
            strcmp(wanted[k].program, "front_move") != 0 && strcmp(wanted[k].program, "front_product") != 0;
        char width[16] = "";
        cls_program *program;
        if (panels) (void)snprintf(width, sizeof width, " -DW=%d", (int)sparse->width);
        (void)snprintf(options, sizeof options, "%s -DCHOLESKY=%d%s%s%s", cls_type_option(sparse->type),
                       sparse->cholesky, width, wanted[k].more, rolled ? " -DCLS_ROLLED" : "");
        CLS_TRY(device->ops->program_get(device, wanted[k].program, options, &program));
        CLS_TRY(device->ops->kernel_create(device, program, wanted[k].name, wanted[k].kernel));
    }
    return CLSOLVE_OK;
}

/* ---- open, close ---- */

int cls_sparse_device_may(const cls_device *device) {
    return !device->no_kernels && !device->weak_barriers && device->info.local_memory >= 32 << 10 &&
           device->info.max_work_group >= 64;
}

static int64_t most_large(const cls_sparse_device *sparse) {
    int64_t most = 0;
    for (int64_t c = 0; c < sparse->level[sparse->levels]; c++)
        if (sparse->classes[c].large && sparse->classes[c].most_pivots > most) most = sparse->classes[c].most_pivots;
    return most;
}

static clsolve_status open_parts(cls_sparse_device *sparse) {
    const cls_symbolic *symbolic = sparse->symbolic;
    const size_t fronts = (size_t)symbolic->tree.fronts + 2, n = (size_t)sparse->n + 1;
    int64_t most[2] = {0, 0};
    sparse->front = cls_alloc(fronts * CLS_FRONT_FIELDS, sizeof *sparse->front);
    sparse->list = cls_alloc(fronts, sizeof *sparse->list);
    sparse->counts = cls_alloc(fronts, sizeof *sparse->counts);
    sparse->level = cls_alloc(fronts, sizeof *sparse->level);
    sparse->classes = cls_alloc(fronts, sizeof *sparse->classes);
    sparse->exchanged = cls_alloc(n, sizeof *sparse->exchanged);
    sparse->made = cls_alloc(n, sizeof *sparse->made);
    if (!sparse->front || !sparse->list || !sparse->counts || !sparse->level || !sparse->classes ||
        !sparse->exchanged || !sparse->made)
        return no_memory(sparse);
    sparse->arena_elements = describe(sparse);
    if (!sort_fronts(sparse, most)) return no_memory(sparse);
    CLS_TRY(take_memory(sparse, most));
    CLS_TRY(put_lists(sparse));
    CLS_TRY(get_kernels(sparse));
    return cls_front_engine_open(sparse, most_large(sparse));
}

clsolve_status cls_sparse_device_open(cls_device *device, const cls_symbolic *symbolic, clsolve_type type, int cholesky,
                                      int64_t entries, cls_sparse_device **made) {
    cls_sparse_device *sparse = cls_alloc(1, sizeof *sparse);
    *made = NULL;
    if (!sparse) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for sparse factors");
    *sparse = (cls_sparse_device){.device = device,
                                  .symbolic = symbolic,
                                  .type = type,
                                  .cholesky = cholesky,
                                  .entries = entries,
                                  .parts = cls_type_parts(type),
                                  .n = symbolic->tree.n,
                                  .borders = symbolic->border_start[symbolic->tree.fronts],
                                  .width = cls_type_size(type) > 8 ? 16 : 32,
                                  .local = cls_work_group(device, 64),
                                  .far_local = cls_work_group(device, 256)};
    const clsolve_status status = open_parts(sparse);
    if (status == CLSOLVE_OK)
        *made = sparse;
    else
        cls_sparse_device_close(sparse);
    return status;
}

void cls_sparse_device_close(cls_sparse_device *sparse) {
    if (!sparse) return;
    cls_device *device = sparse->device;
    const cls_error first = *device->error; /* the wait may overwrite it */
    cls_buffer *const buffers[] = {sparse->fronts,   sparse->lists, sparse->children, sparse->relative,
                                   sparse->border,   sparse->place, sparse->order,    sparse->ipiv,
                                   sparse->replaced, sparse->value, sparse->arena,    sparse->rests[0],
                                   sparse->rests[1], sparse->x,     sparse->other,    sparse->left};
    cls_kernel *const kernels[] = {sparse->scatter,  sparse->gather,  sparse->sort,  sparse->diagonal,
                                   sparse->near,     sparse->far,     sparse->right, sparse->invert,
                                   sparse->trailing, sparse->rest,    sparse->up[0], sparse->down[0],
                                   sparse->up[1],    sparse->down[1], sparse->child, sparse->row};
    (void)device->ops->finish(device, CLS_COMPUTE);
    cls_front_engine_close(sparse);
    for (size_t k = 0; k < sizeof buffers / sizeof buffers[0]; k++) device->ops->buffer_destroy(device, buffers[k]);
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) device->ops->kernel_destroy(device, kernels[k]);
    cls_free(sparse->front);
    cls_free(sparse->list);
    cls_free(sparse->counts);
    cls_free(sparse->level);
    cls_free(sparse->classes);
    cls_free(sparse->exchanged);
    cls_free(sparse->made);
    cls_free(sparse->staged);
    cls_free(sparse);
    *device->error = first;
}

/* ---- for the other files ---- */

/* In two steps, each of which is in the range of double. */
void cls_front_scale(clsolve_type type, const double *from, int64_t count, int exponent, void *to) {
    const double first = exp2(exponent / 2), second = exp2(exponent - exponent / 2);
    double *doubles = to;
    float *floats = to;
    if (cls_is_double(type))
        for (int64_t k = 0; k < count; k++) doubles[k] = from[k] * first * second;
    else
        for (int64_t k = 0; k < count; k++) floats[k] = (float)(from[k] * first * second);
}

void cls_front_unscale(clsolve_type type, const void *from, int64_t count, int exponent, double *to) {
    const double first = exp2(exponent / 2), second = exp2(exponent - exponent / 2);
    const double *doubles = from;
    const float *floats = from;
    if (cls_is_double(type))
        for (int64_t k = 0; k < count; k++) to[k] = doubles[k] * first * second;
    else
        for (int64_t k = 0; k < count; k++) to[k] = (double)floats[k] * first * second;
}

clsolve_status cls_front_run_class(cls_sparse_device *sparse, const cls_front_class *of, const cls_front_launch *launch,
                                   int from_at, cls_arg *args, int32_t count) {
    for (int64_t done = 0; done < of->count; done += FRONTS) {
        const int64_t fronts = of->count - done < FRONTS ? of->count - done : FRONTS;
        const int64_t from = of->from + done;
        args[from_at] = (cls_arg)CLS_VALUE(from);
        const size_t *local = launch->local;
        const size_t first = (size_t)(launch->across ? fronts : launch->groups),
                     second = (size_t)(launch->across ? launch->groups : fronts);
        const cls_grid grid = {{first * local[0], second * local[1], 1}, {local[0], local[1], 1}};
        CLS_TRY(cls_launch(sparse->device, CLS_COMPUTE, launch->kernel, &grid, ((cls_args){args, count})));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_front_triangle(cls_sparse_device *sparse, cls_uplo uplo, clsolve_op op, int64_t m, int64_t n,
                                  cls_ref T, cls_ref B) {
    cls_device *device = sparse->device;
    const int64_t most = device->blas->trsm_block;
    const int down = (uplo != CLS_UPPER) == (op == CLSOLVE_NO_TRANS);
    for (int64_t done = 0, block; done < m; done += block) {
        block = m - done < most ? m - done : most;
        const int64_t at = down ? done : m - done - block, open = down ? at + block : 0, rows = down ? m - open : at;
        CLS_TRY(cls_trsm(device, CLS_BLAS_DEFAULT, sparse->type, uplo, op, block, n, cls_ref_at(T, at, at),
                         cls_ref_at(B, at, 0)));
        if (rows == 0) continue;
        const cls_ref beside = op == CLSOLVE_NO_TRANS ? cls_ref_at(T, open, at) : cls_ref_at(T, at, open);
        CLS_TRY(cls_gemm(device, CLS_BLAS_DEFAULT, sparse->type, op, CLSOLVE_NO_TRANS, rows, n, block, -1, beside,
                         cls_ref_at(B, at, 0), 1, cls_ref_at(B, open, 0)));
    }
    return CLSOLVE_OK;
}
