#include "method/fronts_device/device.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/type.h"

/* The most fronts of one launch: CUDA bounds their number. */
enum { FRONTS = 32768 };

/* ---- where entries go ---- */

/* begin: of the front's slab, in all slabs. */
static int64_t place_of(const cls_sparse_device *sparse, int64_t s, int64_t begin, const cls_placed *placed,
                        int *conjugate) {
    const int64_t *front = sparse->front + s * CLS_FRONT_FIELDS, f = front[CLS_PIVOTS], ld = front[CLS_LD];
    if (placed->row < f && placed->column < f) return begin + front[CLS_PIVOT] + placed->row + placed->column * ld;
    if (placed->row < f) return begin + front[CLS_UP_AT] + placed->row + (placed->column - f) * ld;
    if (cls_front_conjugates(sparse)) *conjugate = !*conjugate;
    return begin + front[CLS_LOW_AT] + placed->column + (placed->row - f) * ld;
}

static void place_front(const cls_sparse_device *sparse, int64_t s, int64_t begin, int64_t *place) {
    const cls_symbolic *symbolic = sparse->symbolic;
    for (int64_t k = symbolic->placed_start[s]; k < symbolic->placed_start[s + 1]; k++) {
        const cls_placed *placed = &symbolic->placed[k];
        int conjugate = placed->entry < 0;
        const int64_t entry = conjugate ? -1 - placed->entry : placed->entry;
        const int64_t to = place_of(sparse, s, begin, placed, &conjugate) + 1;
        place[entry] = conjugate ? -to : to;
    }
}

static void place_entries(const cls_sparse_device *sparse, int64_t *place) {
    for (int64_t i = 0; i < sparse->slabs; i++) {
        const cls_front_slab *slab = &sparse->slab[i];
        for (int64_t k = slab->from; k < slab->from + slab->count; k++)
            place_front(sparse, sparse->list[k], slab->begin, place);
    }
}

/* ---- memory and kernels ---- */

static clsolve_status no_memory(const cls_sparse_device *sparse) {
    return cls_no_memory(sparse->device->error, "the lists of fronts");
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
    return sparse->device->ops->buffer_create(sparse->device, (size_t)(elements * size), buffer);
}

static clsolve_status take_memory(cls_sparse_device *sparse) {
    const cls_symbolic *symbolic = sparse->symbolic;
    const int64_t size = cls_type_size(sparse->type), fronts = symbolic->tree.fronts;
    CLS_TRY(cls_front_take_slabs(sparse));
    CLS_TRY(take(sparse, sparse->plan.elements, size, &sparse->rests));
    CLS_TRY(take(sparse, sparse->entries, size, &sparse->value));
    CLS_TRY(take(sparse, sparse->entries, (int64_t)sizeof(int64_t), &sparse->place));
    CLS_TRY(take(sparse, sparse->described * CLS_FRONT_FIELDS, (int64_t)sizeof(int64_t), &sparse->fronts));
    CLS_TRY(take(sparse, fronts + sparse->described, (int64_t)sizeof(int32_t), &sparse->lists));
    CLS_TRY(take(sparse, fronts, (int64_t)sizeof(int32_t), &sparse->children));
    CLS_TRY(take(sparse, sparse->ldl ? 2 * fronts : fronts, (int64_t)sizeof(int32_t), &sparse->replaced));
    CLS_TRY(take(sparse, sparse->borders, (int64_t)sizeof(int32_t), &sparse->relative));
    CLS_TRY(take(sparse, sparse->borders, (int64_t)sizeof(int32_t), &sparse->border));
    CLS_TRY(take(sparse, sparse->scratch_elements, size, &sparse->scratch));
    CLS_TRY(
        take(sparse, sparse->ldl ? CLS_OF_POSITION * sparse->n : sparse->n, (int64_t)sizeof(int32_t), &sparse->ipiv));
    if (sparse->ldl) {
        CLS_TRY(take(sparse, CLS_OF_BLOCK * sparse->n, size, &sparse->blocks));
        CLS_TRY(take(sparse, CLS_OF_WINDOWS * fronts, (int64_t)sizeof(int32_t), &sparse->windows));
    }
    return take(sparse, sparse->n, (int64_t)sizeof(int32_t), &sparse->order);
}

static clsolve_status put_narrow(cls_sparse_device *sparse, cls_buffer *to, const int64_t *from, int64_t count,
                                 int32_t *room) {
    for (int64_t k = 0; k < count; k++) room[k] = (int32_t)from[k];
    return cls_bytes_put(sparse->device, to, 0, room, (size_t)count * sizeof *room);
}

static clsolve_status put_lists(cls_sparse_device *sparse) {
    const cls_symbolic *symbolic = sparse->symbolic;
    const int64_t fronts = symbolic->tree.fronts;
    int64_t *place = cls_alloc((size_t)sparse->entries + 1, sizeof *place);
    int32_t *room = cls_alloc((size_t)(sparse->borders > fronts ? sparse->borders : fronts) + 1, sizeof *room);
    clsolve_status status = place && room ? CLSOLVE_OK : no_memory(sparse);
    if (status == CLSOLVE_OK) {
        place_entries(sparse, place);
        status = cls_bytes_put(sparse->device, sparse->place, 0, place, (size_t)sparse->entries * sizeof *place);
    }
    if (status == CLSOLVE_OK)
        status = cls_bytes_put(sparse->device, sparse->fronts, 0, sparse->front,
                               (size_t)(sparse->described * CLS_FRONT_FIELDS) * sizeof *sparse->front);
    if (status == CLSOLVE_OK)
        status = cls_bytes_put(sparse->device, sparse->lists, 0, sparse->list,
                               (size_t)(fronts + sparse->described) * sizeof *sparse->list);
    if (status == CLSOLVE_OK)
        status = put_narrow(sparse, sparse->children, symbolic->child, symbolic->child_start[fronts], room);
    if (status == CLSOLVE_OK) status = put_narrow(sparse, sparse->border, symbolic->border, sparse->borders, room);
    if (status == CLSOLVE_OK)
        status = cls_bytes_put(sparse->device, sparse->relative, 0, symbolic->relative,
                               (size_t)sparse->borders * sizeof *symbolic->relative);
    cls_free(place);
    cls_free(room);
    return status;
}

/* ---- open, close ---- */

int cls_sparse_device_may(const cls_device *device) {
    return !device->no_kernels && !device->weak_barriers && device->info.local_memory >= 32 << 10 &&
           device->info.max_work_group >= CLS_MOST_FAR;
}

static clsolve_status take_host(cls_sparse_device *sparse) {
    const size_t fronts = (size_t)sparse->symbolic->tree.fronts + 2, n = (size_t)sparse->n + 1;
    sparse->counts = cls_alloc(2 * fronts, sizeof *sparse->counts);
    sparse->made = cls_alloc(n, sizeof *sparse->made);
    return sparse->counts && sparse->made ? CLSOLVE_OK : no_memory(sparse);
}

clsolve_status cls_front_open(cls_sparse_device *sparse) {
    const double limit = cls_front_limit(sparse);
    if (sparse->bytes > limit) CLS_TRY(cls_front_make_plan(sparse, limit));
    CLS_TRY(cls_front_announce_kernels(sparse)); /* they compile while the lists go up */
    CLS_TRY(take_host(sparse));
    CLS_TRY(take_memory(sparse));
    CLS_TRY(put_lists(sparse));
    CLS_TRY(cls_front_engine_open(sparse)); /* announces kernels of its own */
    CLS_TRY(cls_front_get_kernels(sparse));
    sparse->opened = 1;
    return CLSOLVE_OK;
}

static cls_front_ldl ldl_of(clsolve_sparse_form form) {
    if (!cls_form_is_ldl(form)) return CLS_NO_LDL;
    return cls_form_conjugates(form) ? CLS_LDL_CONJUGATED : CLS_LDL_TRANSPOSED;
}

cls_sparse_device cls_front_begin(cls_device *device, clsolve_type type, clsolve_sparse_form form) {
    return (cls_sparse_device){.device = device,
                               .type = type,
                               .form = form,
                               .cholesky = form == CLSOLVE_SPARSE_POSITIVE_DEFINITE,
                               .ldl = ldl_of(form),
                               .parts = cls_type_parts(type),
                               .width = cls_type_size(type) > 8 ? 16 : 32,
                               .local = CLS_MOST_NEAR,
                               .near_local = cls_front_is_rolled(device) ? CLS_MOST_FAR : 2 * CLS_MOST_NEAR,
                               .far_local = CLS_MOST_FAR};
}

/* L D L^T has no LARGE fronts. */
static clsolve_status make_plan(cls_sparse_device *sparse) {
    if (sparse->ldl) {
        if (!cls_symbolic_split(sparse->symbolic, CLS_FRONT_BLOCK, &sparse->split)) return no_memory(sparse);
        sparse->symbolic = &sparse->split;
        sparse->borders = sparse->split.border_start[sparse->split.tree.fronts];
    }
    return cls_front_make_plan(sparse, cls_front_limit(sparse));
}

static clsolve_status no_object(const cls_device *device) {
    return cls_no_memory(device->error, "sparse factors");
}

/* NULL: no memory. */
static cls_sparse_device *begin(cls_device *device, const cls_symbolic *symbolic, clsolve_type type,
                                clsolve_sparse_form form, int64_t entries, int64_t limit) {
    cls_sparse_device *sparse = cls_alloc(1, sizeof *sparse);
    if (!sparse) return sparse;
    *sparse = cls_front_begin(device, type, form);
    sparse->symbolic = symbolic;
    sparse->entries = entries;
    sparse->limit = limit;
    sparse->n = symbolic->tree.n;
    sparse->borders = symbolic->border_start[symbolic->tree.fronts];
    return sparse;
}

clsolve_status cls_front_make(cls_device *device, const cls_symbolic *symbolic, clsolve_type type,
                              clsolve_sparse_form form, int64_t entries, int64_t limit, cls_sparse_device **made) {
    *made = begin(device, symbolic, type, form, entries, limit);
    return *made ? make_plan(*made) : no_object(device);
}

clsolve_status cls_front_make_part(const cls_sparse_device *top, cls_device *device, const cls_front_deal *deal,
                                   int32_t part, cls_sparse_device **made) {
    cls_sparse_device *sparse = *made = begin(device, top->symbolic, top->type, top->form, top->entries, top->limit);
    if (!sparse) return no_object(device);
    sparse->deal = deal;
    sparse->part = part;
    return cls_front_make_plan(sparse, cls_front_limit(sparse));
}

void cls_front_close(cls_sparse_device *sparse) {
    if (!sparse) return;
    cls_device *device = sparse->device;
    const cls_error first = *device->error; /* the wait may overwrite it */
    (void)device->ops->finish(device, CLS_COMPUTE);
    (void)device->ops->finish(device, cls_front_aside(sparse));
    device->ops->event_release(device, sparse->rests_made);
    cls_front_engine_close(sparse);
    cls_front_free_slabs(sparse);
    CLS_BUFFERS_DESTROY(device, sparse->fronts, sparse->lists, sparse->children, sparse->relative, sparse->border,
                        sparse->place, sparse->order, sparse->ipiv, sparse->windows, sparse->blocks, sparse->replaced,
                        sparse->value, sparse->rests, sparse->x, sparse->other, sparse->left, sparse->scratch);
    cls_front_drop_kernels(sparse);
    cls_symbolic_free(&sparse->split);
    cls_free(sparse->plan.level);
    cls_free(sparse->plan.rests);
    cls_free(sparse->slab);
    cls_free(sparse->front);
    cls_free(sparse->list);
    cls_free(sparse->counts);
    cls_free(sparse->level);
    cls_free(sparse->classes);
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
                                   const cls_arg *args, int32_t count) {
    enum { FIRST = 3, MOST = 16 };
    int64_t from = of->from;
    cls_arg all[MOST] = {CLS_BUFFER(sparse->fronts), CLS_BUFFER(sparse->lists), CLS_VALUE(from)};
    memcpy(all + FIRST, args, (size_t)count * sizeof *args);
    for (int64_t done = 0; done < of->count; done += FRONTS) {
        const int64_t fronts = of->count - done < FRONTS ? of->count - done : FRONTS;
        from = of->from + done;
        const size_t *local = launch->local;
        const size_t first = (size_t)(launch->across ? fronts : launch->groups),
                     second = (size_t)(launch->across ? launch->groups : fronts);
        const cls_grid grid = {{first * local[0], second * local[1], 1}, {local[0], local[1], 1}};
        CLS_TRY(cls_launch(sparse->device, launch->queue, launch->kernel, &grid, ((cls_args){all, FIRST + count})));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_front_triangle(cls_sparse_device *sparse, cls_uplo uplo, clsolve_op op, int64_t m, int64_t n,
                                  cls_ref T, cls_ref B) {
    cls_device *device = sparse->device;
    const cls_blas_options how = {.queue = cls_front_aside(sparse), .steady = 1};
    const int64_t most = device->blas->trsm_block;
    const int down = (uplo != CLS_UPPER) == (op == CLSOLVE_NO_TRANS);
    for (int64_t done = 0, block; done < m; done += block) {
        block = m - done < most ? m - done : most;
        const int64_t at = down ? done : m - done - block, open = down ? at + block : 0, rows = down ? m - open : at;
        CLS_TRY(cls_trsm(device, how, sparse->type, uplo, op, block, n, cls_ref_at(T, at, at), cls_ref_at(B, at, 0)));
        if (rows == 0) continue;
        const cls_ref beside = op == CLSOLVE_NO_TRANS ? cls_ref_at(T, open, at) : cls_ref_at(T, at, open);
        CLS_TRY(cls_gemm(device, how, sparse->type, op, CLSOLVE_NO_TRANS, rows, n, block, -1, beside,
                         cls_ref_at(B, at, 0), 1, cls_ref_at(B, open, 0)));
    }
    return CLSOLVE_OK;
}
