/*
 * large.c: the pivots of a large front by the engine of dense LU, Cholesky or LDL^T, whose matrix is for that
 * time a view of the arena: PIVOT, and for LU also UP, which lies behind it with the same leading dimension. The engine
 * has no matrix of its own. L D L^T has fronts of kind BROAD at most. If its engine finds no pivots for one within
 * windows, all fronts are made again without it, from then on.
 */
#include "base/memory.h"
#include "method/cholesky/cholesky.h"
#include "method/ldl/device.h"
#include "method/lu/lu.h"
#include "method/fronts_device/device.h"

typedef struct cls_front_engine {
    cls_lu lu;
    cls_cholesky cholesky;
    cls_buffer *none; /* NULL */
    cls_ldl ldl;
    int fails; /* the engine of L D L^T has found no pivots */
} cls_front_engine;

static cls_matrix view_of(cls_sparse_device *sparse, const cls_front_class *of, int64_t columns) {
    const int64_t s = sparse->list[of->from];
    const cls_matrix view = {.type = sparse->type,
                             .rows = cls_front_of(sparse, s, CLS_PIVOTS),
                             .cols = columns,
                             .ld = cls_front_of(sparse, s, CLS_LD),
                             .slab_cols = columns,
                             .slabs = 1,
                             .slab = cls_front_arena(sparse, of->slab),
                             .offset = cls_front_of(sparse, s, CLS_PIVOT)};
    return view;
}

/* The fronts that it may have, and the largest of them. */
static const cls_front_class *fronts_of_engine(const cls_sparse_device *sparse) {
    return &sparse->whole[sparse->ldl ? CLS_BROAD : CLS_LARGE];
}

/* As large as the largest, of memory that is not there yet: for the choice of kernels. */
static cls_matrix largest(const cls_sparse_device *sparse, cls_buffer **none) {
    const int64_t most = fronts_of_engine(sparse)->most_pivots;
    return (cls_matrix){.type = sparse->type,
                        .rows = most,
                        .cols = most,
                        .ld = cls_matrix_ld(most, cls_type_size(sparse->type)),
                        .slab_cols = most,
                        .slabs = 1,
                        .slab = none};
}

static clsolve_status open_ldl(cls_sparse_device *sparse, const cls_matrix *view) {
    static const clsolve_ldl_options options = {.panel = CLSOLVE_PANEL_NATIVE};
    cls_ldl *ldl = &sparse->engine->ldl;
    *ldl = (cls_ldl){.device = sparse->device,
                     .type = sparse->type,
                     .hermitian = sparse->ldl == CLS_LDL_CONJUGATED || sparse->parts == 1,
                     .steady = 1,
                     .n = view->rows,
                     .A = *view};
    return cls_ldl_on_device.setup(ldl, &options);
}

clsolve_status cls_front_engine_open(cls_sparse_device *sparse) {
    cls_device *device = sparse->device;
    const cls_front_class *of = fronts_of_engine(sparse);
    const int64_t most = of->most_pivots;
    if (of->count == 0 || cls_in_place(device)) return CLSOLVE_OK;
    sparse->engine = cls_alloc(1, sizeof *sparse->engine);
    if (!sparse->engine) return cls_no_memory(device->error, "the engine of large fronts");
    cls_front_engine *engine = sparse->engine;
    const cls_matrix view = largest(sparse, &engine->none);
    *engine = (cls_front_engine){.lu = {.in_core_only = 1, .borrows = 1, .A = view},
                                 .cholesky = {.in_core_only = 1, .borrows = 1, .A = view}};
    if (sparse->ldl) return open_ldl(sparse, &view);
    if (sparse->cholesky) {
        CLS_TRY(cls_cholesky_setup(device, most, sparse->type, NULL, &engine->cholesky));
        engine->cholesky.arrival_columns = 0;
        engine->cholesky.steady = 1;
        return CLSOLVE_OK;
    }
    CLS_TRY(cls_lu_setup(device, most, sparse->type, NULL, &engine->lu));
    engine->lu.arrival_columns = 0;
    engine->lu.panel.steady = 1;
    return CLSOLVE_OK;
}

void cls_front_engine_close(cls_sparse_device *sparse) {
    cls_front_engine *engine = sparse->engine;
    if (!engine) return;
    if (engine->cholesky.device) cls_cholesky_release(&engine->cholesky);
    if (engine->ldl.device) cls_ldl_on_device.release(&engine->ldl);
    cls_lu_release(&engine->lu);
    cls_free(engine);
    sparse->engine = NULL;
}

/* A wide rectangle: UP is brought up to date as the columns of PIVOT are factored. */
static clsolve_status run_lu(cls_sparse_device *sparse, const cls_front_class *of) {
    cls_lu *lu = &sparse->engine->lu;
    const int64_t f = of->most_pivots, b = of->most_border;
    int64_t info = 0; /* it stays on the device */
    lu->n = lu->rows = f;
    lu->behind = b;
    lu->A = view_of(sparse, of, f + b);
    lu->ahead = cls_panel_worth_ahead(&lu->panel, f);
    CLS_TRY(cls_panel_start(&lu->panel, CLS_PANEL_REPEATABLE));
    return cls_lu_factor_columns(lu, 0, f, NULL, &info);
}

static clsolve_status run_cholesky(cls_sparse_device *sparse, const cls_front_class *of) {
    cls_cholesky *cholesky = &sparse->engine->cholesky;
    cholesky->n = cholesky->reach = of->most_pivots;
    cholesky->A = view_of(sparse, of, cholesky->n);
    cholesky->ahead = sparse->device->beside && cholesky->n > 4 * cholesky->block;
    return cls_cholesky_factor_enqueue(cholesky);
}

/* Takes what the engine has of the front, before the next one overwrites it. */
static clsolve_status take_outcome(cls_sparse_device *sparse, const cls_front_class *of) {
    const cls_panel *panel = &sparse->engine->lu.panel;
    const int64_t s = sparse->list[of->from], first = cls_front_of(sparse, s, CLS_FIRST);
    const size_t local = (size_t)sparse->far_local;
    const int32_t words = sparse->cholesky ? 1 : 2, f = sparse->cholesky ? 0 : (int32_t)of->most_pivots;
    cls_buffer *info = sparse->cholesky ? sparse->engine->cholesky.info : panel->info;
    const cls_grid grid = {{((size_t)f / local + 1) * local, 1, 1}, {local, 1, 1}};
    const cls_arg args[] = {CLS_BUFFER(info),
                            CLS_VALUE(words),
                            CLS_VALUE(s),
                            CLS_VALUE(f),
                            CLS_VALUE(first),
                            CLS_BUFFER(sparse->cholesky ? info : panel->ipiv),
                            CLS_BUFFER(sparse->ipiv),
                            CLS_BUFFER(sparse->replaced)};
    return cls_launch(sparse->device, CLS_COMPUTE, sparse->outcome, &grid, CLS_ARGS(args));
}

clsolve_status cls_front_engine_run(cls_sparse_device *sparse, const cls_front_class *of) {
    CLS_TRY(sparse->cholesky ? run_cholesky(sparse, of) : run_lu(sparse, of));
    return take_outcome(sparse, of);
}

/* ---- L D L^T ---- */

int cls_front_engine_takes(const cls_sparse_device *sparse, const cls_front_class *of) {
    enum { FEW = 1 }; /* more are sooner done side by side */
    if (!sparse->ldl) return of->kind == CLS_LARGE && sparse->engine;
    return of->kind == CLS_BROAD && of->all <= FEW && sparse->engine && !sparse->engine->fails;
}

clsolve_status cls_front_engine_run_ldl(cls_sparse_device *sparse, const cls_front_class *of, cls_arg tiny,
                                        cls_arg zero) {
    cls_ldl *ldl = &sparse->engine->ldl;
    const cls_ldl_device *own = cls_ldl_own(ldl);
    const size_t local = (size_t)sparse->far_local;
    const cls_grid grid = {{local, 1, 1}, {local, 1, 1}};
    for (int64_t k = of->from; k < of->from + of->count; k++) {
        cls_front_class one = *of;
        one.from = k;
        const int64_t s = sparse->list[k], first = cls_front_of(sparse, s, CLS_FIRST);
        const int32_t f = (int32_t)cls_front_of(sparse, s, CLS_PIVOTS),
                      whole = cls_front_of(sparse, s, CLS_BORDER) == 0;
        const cls_arg args[] = {CLS_BUFFER(own->state),
                                CLS_VALUE(s),
                                CLS_VALUE(f),
                                CLS_VALUE(first),
                                CLS_VALUE(whole),
                                CLS_BUFFER(own->d),
                                CLS_BUFFER(own->e),
                                CLS_BUFFER(own->permutation),
                                tiny,
                                zero,
                                CLS_BUFFER(sparse->order),
                                CLS_BUFFER(sparse->replaced),
                                CLS_BUFFER(sparse->blocks),
                                CLS_BUFFER(sparse->ipiv),
                                CLS_VALUE(sparse->symbolic->tree.fronts)};
        ldl->n = f;
        ldl->A = view_of(sparse, &one, f);
        CLS_TRY(cls_ldl_device_enqueue(ldl));
        CLS_TRY(cls_launch(sparse->device, CLS_COMPUTE, sparse->outcome, &grid, CLS_ARGS(args)));
    }
    return CLSOLVE_OK;
}

void cls_front_engine_failed(cls_sparse_device *sparse) {
    if (!sparse->engine || sparse->cholesky) return;
    sparse->engine->fails = 1;
    if (!sparse->ldl) cls_panel_resident_failed(&sparse->engine->lu.panel);
}
