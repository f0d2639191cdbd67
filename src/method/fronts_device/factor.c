/* factor.c: the numbers of all fronts on the device, a level after the other. */
#include <math.h>
#include <string.h>

#include "base/type.h"
#include "method/events.h"
#include "method/fronts_device/device.h"

/* As in the kernels. */
enum { STRIP = 8, TILE = 32, LX = 8 };
enum { VANISHED = 1 << 30, AGAIN = 1 << 29 };
enum { LEAST = -30, MOST = 30 }; /* exponents of values in double that need no scaling */

static int64_t parts_of(int64_t n, int64_t part) {
    return (n + part - 1) / part;
}

/* ---- entries ---- */

static clsolve_status put_up(cls_sparse_device *sparse, const void *value, size_t bytes) {
    CLS_TRY(cls_bytes_write(sparse->device, CLS_UP, sparse->value, 0, value, bytes));
    return sparse->device->ops->finish(sparse->device, CLS_UP);
}

int cls_front_set_range(cls_sparse_device *sparse, int exponent) {
    const int as_they_are = cls_is_double(sparse->type) && exponent >= LEAST && exponent <= MOST;
    sparse->range = exponent;
    sparse->exponent = as_they_are ? 0 : exponent;
    sparse->magnitude = as_they_are ? exp2(exponent) : 1;
    return sparse->exponent;
}

static clsolve_status put_values(cls_sparse_device *sparse, const double *value) {
    const int64_t count = sparse->entries * sparse->parts;
    const size_t bytes = (size_t)(sparse->entries * cls_type_size(sparse->type));
    if (cls_front_set_range(sparse, cls_front_exponent(sparse->device, value, count)) == 0 &&
        cls_is_double(sparse->type))
        return put_up(sparse, value, bytes);
    CLS_TRY(cls_front_stage(sparse, sparse->entries));
    cls_front_scale(sparse->type, value, count, -sparse->exponent, sparse->staged);
    return put_up(sparse, sparse->staged, bytes);
}

/* Entries into a slab, which is zero. */
static clsolve_status scatter(cls_sparse_device *sparse, int64_t slab) {
    enum { GROUPS = 4096 };
    const cls_front_slab *to = &sparse->slab[slab];
    cls_device *device = sparse->device;
    const size_t local = (size_t)sparse->far_local;
    size_t groups = ((size_t)sparse->entries + local - 1) / local;
    if (groups > GROUPS) groups = GROUPS;
    const cls_grid grid = {{groups * local, 1, 1}, {local, 1, 1}};
    cls_arg args[] = {CLS_BUFFER(sparse->place), CLS_BUFFER(sparse->value), CLS_VALUE(sparse->entries),
                      CLS_VALUE(to->begin),      CLS_VALUE(to->elements),   CLS_BUFFER(*cls_front_arena(sparse, slab))};
    return cls_launch(device, CLS_COMPUTE, sparse->scatter, &grid, CLS_ARGS(args));
}

/* Replaced pivots of each front, and behind them of L D L^T the negative eigenvalues of D. */
static int64_t count_of_counts(const cls_sparse_device *sparse) {
    return sparse->symbolic->tree.fronts * (sparse->ldl ? 2 : 1);
}

/* While the values go up. */
static clsolve_status clear(cls_sparse_device *sparse) {
    cls_device *device = sparse->device;
    const size_t counts = (size_t)count_of_counts(sparse) * sizeof(int32_t);
    cls_front_forget_slabs(sparse);
    CLS_TRY(cls_front_end_aside(sparse)); /* after a failure */
    CLS_TRY(cls_front_clear_slab(sparse, 0));
    CLS_TRY(device->ops->fill(device, CLS_COMPUTE, sparse->replaced, 0, counts, 0));
    return device->ops->flush(device, CLS_COMPUTE);
}

/* ---- steps of a class ---- */

typedef struct level_run {
    cls_sparse_device *sparse;
    float tiny_single, zero_single;
    double tiny, zero; /* pivots that are smaller are replaced; are as good as zero */
} level_run;

static clsolve_status gather(const level_run *run, const cls_front_class *of) {
    cls_sparse_device *sparse = run->sparse;
    /* Neither strips nor chunks of rows have pivots and border, so there is one more of each. */
    const int32_t strips = (int32_t)parts_of(of->most_rows, STRIP) + 1;
    cls_arg args[] = {CLS_VALUE(strips),
                      CLS_BUFFER(sparse->children),
                      CLS_BUFFER(sparse->relative),
                      CLS_BUFFER(sparse->rests),
                      CLS_BUFFER(cls_front_buffer(sparse, of)),
                      CLS_BUFFER(sparse->rests)};
    const cls_front_launch launch = {sparse->gather,
                                     strips * (parts_of(of->most_rows, sparse->far_local) + 1),
                                     {(size_t)sparse->far_local, 1},
                                     0,
                                     CLS_COMPUTE};
    return cls_front_run_class(sparse, of, &launch, args, 6);
}

/* The bounds of pivots, in the type that the kernels have them in. */
static cls_arg bound(const level_run *run, const double *exact, const float *single) {
    if (cls_is_double(run->sparse->type)) return (cls_arg)CLS_VALUE(*exact);
    return (cls_arg)CLS_VALUE(*single);
}

static clsolve_status small_fronts(const level_run *run, const cls_front_class *of, cls_queue queue) {
    cls_sparse_device *sparse = run->sparse;
    const int many = of->most_rows > CLS_MOST_TINY;
    cls_arg args[] = {CLS_BUFFER(sparse->children),
                      CLS_BUFFER(sparse->relative),
                      CLS_BUFFER(sparse->rests),
                      CLS_BUFFER(cls_front_buffer(sparse, of)),
                      CLS_BUFFER(sparse->rests),
                      CLS_BUFFER(sparse->order),
                      bound(run, &run->tiny, &run->tiny_single),
                      bound(run, &run->zero, &run->zero_single),
                      CLS_BUFFER(sparse->replaced),
                      CLS_BUFFER(sparse->blocks),
                      CLS_BUFFER(sparse->ipiv),
                      CLS_VALUE(sparse->symbolic->tree.fronts)};
    const cls_front_launch launch = {sparse->small[many], 1, {many ? CLS_MOST_SMALL : CLS_MOST_TINY, 1}, 1, queue};
    return cls_front_run_class(sparse, of, &launch, args, sparse->ldl ? 12 : 9);
}

/* Columns of a panel. */
static int64_t width_of(const cls_sparse_device *sparse, const cls_front_class *of) {
    return of->kind >= CLS_MIDDLE ? sparse->width / 2 : sparse->width;
}

/* Work-items of a front's panels. */
static size_t items_of(const cls_sparse_device *sparse, const cls_front_class *of) {
    if (of->kind == CLS_NEAR) return (size_t)sparse->local;
    return (size_t)(of->kind >= CLS_MIDDLE ? cls_front_middle_group(sparse->device) : sparse->far_local);
}

/* Applies the panel before column k, and makes the one there. */
static clsolve_status panel(const level_run *run, const cls_front_class *of, int64_t k) {
    cls_sparse_device *sparse = run->sparse;
    const int64_t width = width_of(sparse, of), right = of->most_pivots - k - width;
    const int64_t groups = 1 + (k > 0 && right > 0 ? parts_of(right, width) : 0) +
                           (k > width && !sparse->cholesky ? (k - width) / width : 0);
    const int32_t column = (int32_t)k, begin = 0, end = INT32_MAX;
    cls_arg args[] = {CLS_VALUE(column),
                      CLS_VALUE(begin),
                      CLS_VALUE(end),
                      CLS_BUFFER(cls_front_buffer(sparse, of)),
                      CLS_BUFFER(sparse->ipiv),
                      bound(run, &run->tiny, &run->tiny_single),
                      bound(run, &run->zero, &run->zero_single),
                      CLS_BUFFER(sparse->replaced)};
    const cls_front_launch launch = {sparse->panel[of->kind], groups, {items_of(sparse, of), 1}, 0, CLS_COMPUTE};
    return cls_front_run_class(sparse, of, &launch, args, 8);
}

/* Windows of L D L^T have width - width / 4 pivots at least, the last one as many as are left. Its rows are exchanged
 * on its left by another launch. */
static clsolve_status windows(const level_run *run, const cls_front_class *of) {
    cls_sparse_device *sparse = run->sparse;
    const int64_t width = width_of(sparse, of), more = of->most_pivots - width;
    const int32_t launches = more <= 0 ? 1 : 2 + (int32_t)parts_of(more, width - width / 4);
    for (int32_t t = 0; t < launches; t++) {
        cls_arg args[] = {CLS_VALUE(t),
                          CLS_BUFFER(cls_front_buffer(sparse, of)),
                          CLS_BUFFER(sparse->windows),
                          CLS_BUFFER(sparse->order),
                          bound(run, &run->tiny, &run->tiny_single),
                          bound(run, &run->zero, &run->zero_single),
                          CLS_BUFFER(sparse->replaced),
                          CLS_BUFFER(sparse->blocks),
                          CLS_BUFFER(sparse->ipiv),
                          CLS_VALUE(sparse->symbolic->tree.fronts)};
        const cls_front_launch launch = {sparse->panel[of->kind],
                                         t == 0 ? 1 : 2 + parts_of(of->most_pivots, width),
                                         {items_of(sparse, of), 1},
                                         0,
                                         CLS_COMPUTE};
        CLS_TRY(cls_front_run_class(sparse, of, &launch, args, 10));
    }
    return CLSOLVE_OK;
}

/* The last panel of LU has been made before it is applied to columns on its left. */
static clsolve_status panels(const level_run *run, const cls_front_class *of) {
    const int64_t width = width_of(run->sparse, of),
                  end = of->most_pivots + (run->sparse->cholesky || of->most_pivots <= width ? 0 : width);
    for (int64_t k = 0; k < end; k += width) CLS_TRY(panel(run, of, k));
    return CLSOLVE_OK;
}

static clsolve_status edge(cls_sparse_device *sparse, const cls_front_class *of) {
    const int64_t strips = parts_of(of->most_border, width_of(sparse, of)) * (cls_front_is_one_sided(sparse) ? 1 : 2);
    cls_arg args[] = {CLS_BUFFER(cls_front_buffer(sparse, of)), CLS_BUFFER(sparse->ldl ? sparse->order : sparse->ipiv),
                      CLS_BUFFER(sparse->blocks), CLS_BUFFER(sparse->ipiv)};
    const cls_front_launch launch = {sparse->edge[of->kind], strips, {items_of(sparse, of), 1}, 0, CLS_COMPUTE};
    return strips == 0 ? CLSOLVE_OK : cls_front_run_class(sparse, of, &launch, args, sparse->ldl ? 4 : 2);
}

static clsolve_status rest(cls_sparse_device *sparse, const cls_front_class *of) {
    const int64_t tiles = parts_of(of->most_border, TILE);
    cls_arg args[] = {CLS_BUFFER(cls_front_buffer(sparse, of)), CLS_BUFFER(sparse->rests), CLS_BUFFER(sparse->blocks),
                      CLS_BUFFER(sparse->ipiv)};
    const cls_front_launch launch = {sparse->rest, tiles * tiles, {LX, LX}, 0, CLS_COMPUTE};
    if (tiles == 0) return CLSOLVE_OK;
    return cls_front_run_class(sparse, of, &launch, args, sparse->ldl ? 4 : 2);
}

/* The rows of the fronts in the order of their pivots. */
static clsolve_status sort_rows(cls_sparse_device *sparse, const cls_front_class *of, cls_queue queue) {
    cls_arg args[] = {CLS_BUFFER(sparse->ipiv), CLS_BUFFER(sparse->order)};
    const cls_front_launch launch = {
        sparse->sort, parts_of(of->most_pivots, sparse->far_local), {(size_t)sparse->far_local, 1}, 1, queue};
    return cls_front_is_one_sided(sparse) ? CLSOLVE_OK : cls_front_run_class(sparse, of, &launch, args, 2);
}

/* The rests of WIDE and larger fronts are dense products, which go aside. */
static clsolve_status make_rests(cls_sparse_device *sparse, const cls_front_class *of) {
    if (of->most_border == 0) return CLSOLVE_OK;
    CLS_TRY(cls_front_go_aside(sparse));
    for (int64_t k = of->from; k < of->from + of->count; k++) {
        const int fresh = cls_front_of(sparse, sparse->list[k], CLS_CHILDREN) == 0;
        CLS_TRY(cls_front_rest(sparse, of, k, fresh));
    }
    return cls_front_mark_rests(sparse);
}

static clsolve_status run_class(const level_run *run, const cls_front_class *of) {
    cls_sparse_device *sparse = run->sparse;
    if (of->parents) CLS_TRY(gather(run, of));
    if (sparse->ldl && cls_front_engine_takes(sparse, of))
        CLS_TRY(cls_front_engine_run_ldl(sparse, of, bound(run, &run->tiny, &run->tiny_single),
                                         bound(run, &run->zero, &run->zero_single)));
    else
        CLS_TRY(sparse->ldl ? windows(run, of) : panels(run, of));
    if (of->kind == CLS_MIDDLE || of->kind == CLS_BROAD) {
        CLS_TRY(sort_rows(sparse, of, CLS_COMPUTE));
        CLS_TRY(cls_front_invert_class(sparse, of));
    } else {
        CLS_TRY(edge(sparse, of));
    }
    return of->kind < CLS_WIDE ? rest(sparse, of) : make_rests(sparse, of);
}

/* Small fronts leave much of a device idle, and the others of the level need not wait. `last`: there are none. */
static clsolve_status run_small(const level_run *run, const cls_front_class *of, int last) {
    if (last) return small_fronts(run, of, CLS_COMPUTE);
    CLS_TRY(cls_front_go_aside(run->sparse));
    CLS_TRY(small_fronts(run, of, cls_front_aside(run->sparse)));
    return cls_front_mark_rests(run->sparse);
}

/* ---- a large front ---- */

static clsolve_status run_large(const level_run *run, const cls_front_class *of) {
    cls_sparse_device *sparse = run->sparse;
    const int64_t s = sparse->list[of->from], f = of->most_pivots, b = of->most_border;
    const cls_ref P = cls_front_ref(sparse, of, s, CLS_PIVOT), low = cls_front_ref(sparse, of, s, CLS_LOW_AT);
    if (of->parents) CLS_TRY(gather(run, of));
    CLS_TRY(cls_front_engine_run(sparse, of));
    if (b == 0) return CLSOLVE_OK;
    CLS_TRY(cls_front_go_aside(sparse));
    CLS_TRY(sparse->cholesky ? cls_front_triangle(sparse, CLS_LOWER, CLSOLVE_NO_TRANS, f, b, P, low)
                             : cls_front_triangle(sparse, CLS_UPPER, CLSOLVE_TRANS, f, b, P, low));
    return make_rests(sparse, of);
}

/* Solves want the order of rows, and the triangles on the diagonal as inverses. `of`: all fronts of a kind up to FAR in
 * a slab, which are done. */
static clsolve_status prepare_aside(cls_sparse_device *sparse, const cls_front_class *of) {
    const cls_queue queue = cls_front_aside(sparse);
    cls_arg args[] = {CLS_BUFFER(cls_front_buffer(sparse, of))};
    const cls_front_launch invert = {
        sparse->invert, parts_of(of->most_pivots, sparse->width), {(size_t)sparse->width, 1}, 0, queue};
    CLS_TRY(cls_front_go_aside(sparse));
    if (of->kind != CLS_SMALL) CLS_TRY(sort_rows(sparse, of, queue));
    CLS_TRY(cls_front_run_class(sparse, of, &invert, args, 1));
    return sparse->device->ops->flush(sparse->device, queue);
}

/* The same of the others, in COMPUTE: they share scratch memory. */
static clsolve_status prepare_wide(cls_sparse_device *sparse, const cls_front_slab *slab) {
    const cls_front_class *wide = &slab->whole[CLS_WIDE], *large = &slab->whole[CLS_LARGE];
    if (wide->count > 0) {
        CLS_TRY(sort_rows(sparse, wide, CLS_COMPUTE));
        CLS_TRY(cls_front_invert_class(sparse, wide));
    }
    if (large->count > 0) CLS_TRY(sort_rows(sparse, large, CLS_COMPUTE));
    return slab->triangles.count > 0 ? cls_front_invert_class(sparse, &slab->triangles) : CLSOLVE_OK;
}

clsolve_status cls_front_find_outcome(cls_sparse_device *sparse) {
    const int64_t fronts = sparse->symbolic->tree.fronts;
    CLS_TRY(cls_bytes_get(sparse->device, sparse->replaced, 0, sparse->counts,
                          (size_t)count_of_counts(sparse) * sizeof *sparse->counts));
    sparse->replaced_pivots = sparse->negative = 0;
    sparse->vanished = sparse->again = 0;
    for (int64_t s = 0; s < fronts && sparse->ldl; s++) sparse->negative += sparse->counts[fronts + s];
    for (int64_t s = 0; s < fronts; s++) {
        sparse->vanished |= (sparse->counts[s] & VANISHED) != 0;
        sparse->again |= (sparse->counts[s] & AGAIN) != 0;
        sparse->replaced_pivots += sparse->counts[s] & (AGAIN - 1);
    }
    return CLSOLVE_OK;
}

static clsolve_status end_slab(cls_sparse_device *sparse, int64_t slab) {
    CLS_TRY(cls_queue_take(sparse->device, CLS_COMPUTE, &sparse->rests_made)); /* triangles are read until then */
    CLS_TRY(prepare_wide(sparse, &sparse->slab[slab]));
    return cls_front_leave_slab(sparse, slab, 1);
}

/* The work on one slab has been enqueued before the host carries another one. */
static clsolve_status next_slab(cls_sparse_device *sparse, int64_t slab) {
    CLS_TRY(end_slab(sparse, slab - 1));
    CLS_TRY(cls_front_clear_slab(sparse, slab));
    return scatter(sparse, slab);
}

/* The fronts of the level, whose children are done. *slab: the one that has been begun; done: its fronts of each kind
 * that are done. */
static clsolve_status factor_level(const level_run *run, int64_t d, int64_t *slab, int64_t done[CLS_FRONT_KINDS]) {
    cls_sparse_device *sparse = run->sparse;
    CLS_TRY(cls_queue_take(sparse->device, CLS_COMPUTE, &sparse->rests_made));
    for (int64_t c = sparse->level[d]; c < sparse->level[d + 1]; c++) {
        const cls_front_class *of = &sparse->classes[c];
        if (of->count == 0) continue; /* on other devices alone */
        if (of->slab > *slab) {
            CLS_TRY(next_slab(sparse, ++*slab));
            memset(done, 0, CLS_FRONT_KINDS * sizeof *done);
        }
        const int last = c + 1 == sparse->level[d + 1], large = of->kind == CLS_LARGE && sparse->engine;
        CLS_TRY(of->kind == CLS_SMALL ? run_small(run, of, last) : large ? run_large(run, of) : run_class(run, of));
        const cls_front_class *whole = &sparse->slab[*slab].whole[of->kind];
        done[of->kind] += of->count;
        if (of->kind <= CLS_FAR && done[of->kind] == whole->count) CLS_TRY(prepare_aside(sparse, whole));
    }
    return CLSOLVE_OK;
}

/* From the values, which are on the device. The first slab is clear. */
static clsolve_status factor_levels(const level_run *run) {
    cls_sparse_device *sparse = run->sparse;
    int64_t slab = 0, done[CLS_FRONT_KINDS] = {0};
    CLS_TRY(scatter(sparse, 0));
    for (int64_t d = 0; d < sparse->levels; d++) CLS_TRY(factor_level(run, d, &slab, done));
    CLS_TRY(end_slab(sparse, slab));
    return cls_front_end_aside(sparse);
}

/* For values in the range that is set. */
static level_run run_of(cls_sparse_device *sparse) {
    const double epsilon = cls_type_epsilon(sparse->type), tiny = sqrt(epsilon) * sparse->magnitude,
                 zero = epsilon * sparse->magnitude;
    return (level_run){sparse, (float)tiny, (float)zero, tiny, zero};
}

clsolve_status cls_front_factor_enqueue(cls_sparse_device *sparse) {
    const level_run run = run_of(sparse);
    sparse->vanished = 0; /* as far as is known */
    CLS_TRY(clear(sparse));
    return factor_levels(&run);
}

static clsolve_status factor_and_look(cls_sparse_device *sparse, const level_run *run) {
    CLS_TRY(factor_levels(run));
    CLS_TRY(cls_front_save_slabs(sparse));
    return cls_front_find_outcome(sparse);
}

clsolve_status cls_front_factor_here(cls_sparse_device *sparse, const double *value) {
    CLS_TRY(clear(sparse));
    if (value) CLS_TRY(put_values(sparse, value));
    const level_run run = run_of(sparse);
    CLS_TRY(factor_and_look(sparse, &run));
    if (!sparse->again) return CLSOLVE_OK;
    cls_front_engine_failed(sparse);
    CLS_TRY(clear(sparse));
    CLS_TRY(factor_and_look(sparse, &run));
    if (!sparse->again) return CLSOLVE_OK;
    return cls_fail(sparse->device->error, CLSOLVE_ERROR_DEVICE, "a panel of a large front fails on the device");
}
