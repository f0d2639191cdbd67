/*
 * hybrid.c: LU whose panels the host factors by LAPACK. Where the device works in the host's memory the matrix stays mapped
 * and nothing travels. Elsewhere the panel goes down, is factored, and goes up again while the device is busy (lookahead
 * 1; S. Tomov, J. Dongarra, M. Baboulin, Towards dense linear algebra for hybrid GPU accelerated manycore systems, Parallel
 * Computing 36 (2010), section 4):
 *
 *      compute  moves | update block j+1 | update the rest . . . . . . . . | moves | ...
 *      down                               panel j+1
 *      host                                     LAPACK
 *      up                                             panel j+1, moves
 */
#include "method/lu/rbt.h"

#include <limits.h>

#include "base/memory.h"

clsolve_status cls_lu_host_state(cls_lu *lu, int64_t n, int64_t panel) {
    cls_device *device = lu->device;

    lu->host_pivots = cls_alloc((size_t)n, sizeof *lu->host_pivots);
    if (!lu->host_pivots) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for pivots");
    if (panel == 0) return CLSOLVE_OK;

    lu->host_sources = cls_alloc((size_t)(2 * n), sizeof *lu->host_sources);
    lu->host_targets = cls_alloc((size_t)(2 * n), sizeof *lu->host_targets);
    if (!lu->host_sources || !lu->host_targets)
        return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the moves of rows");
    return device->ops->pinned_create(device, (size_t)(panel * cls_type_size(lu->type)), &lu->pinned, &lu->panel);
}

clsolve_status cls_lu_hybrid_setup(cls_lu *lu) {
    int64_t n = lu->n;

    if (n > INT_MAX / 2 || lu->A.ld > INT_MAX)
        return cls_fail(lu->device->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "LAPACK counts in 32 bits, too few for n = %lld: use CLSOLVE_PANEL_NATIVE", (long long)n);
    int mapped = cls_in_place(lu->device);
    CLS_TRY(cls_lu_host_state(lu, n, mapped ? 0 : n * (lu->block < n ? lu->block : n)));
    return mapped ? cls_matrix_map(lu->device, &lu->A) : CLSOLVE_OK;
}

void cls_lu_hybrid_release(cls_lu *lu) {
    /* A panel may still be on its way. */
    (void)lu->device->ops->finish(lu->device, CLS_UP);
    (void)lu->device->ops->finish(lu->device, CLS_DOWN);
    lu->device->ops->pinned_destroy(lu->device, lu->pinned);
    cls_free(lu->host_pivots);
    cls_free(lu->host_sources);
    cls_free(lu->host_targets);
}

static void note_info(int64_t j, int64_t panel_info, int64_t *info) {
    if (panel_info > 0 && *info == 0) *info = j + panel_info;
}

/* LAPACK's pivots of the panel at j, counted over the whole matrix. */
static void shift_pivots(cls_lu *lu, int64_t j, int64_t width) {
    for (int64_t t = 0; t < width; ++t) lu->host_pivots[j + t] += (int)j;
}

/* ---- a mapped matrix ---- */

/* The panel at j; its pivots, where it has some, counted over the whole matrix. */
static void factor_panel(cls_lu *lu, int64_t j, int64_t width, int64_t *info) {
    void *A = cls_matrix_host(&lu->A, j, j);
    int64_t m = lu->n - j, ld = lu->A.ld;

    if (lu->rbt.on) {
        note_info(j, cls_lu_rbt_host_panel(lu->type, m, width, A, ld, lu->rbt.tiny), info);
        return;
    }
    note_info(j, cls_lu_host_panel(lu->type, m, width, A, ld, lu->host_pivots + j), info);
    shift_pivots(lu, j, width);
}

static clsolve_status factor_mapped(cls_lu *lu, int64_t begin, int64_t end, const clsolve_lu_options *options,
                                    int64_t *info) {
    int64_t n = lu->n;

    for (int64_t j = begin, width; j < end; j += width) {
        width = end - j < lu->block ? end - j : lu->block;
        factor_panel(lu, j, width, info);
        if (lu->rbt.on && *info > 0) break; /* nobody uses what would come of the rest */
        CLS_TRY(cls_lu_move_rows(lu, &lu->A, begin, end, j, width, j, j + width, 0));
        CLS_TRY(cls_lu_update(lu, j, width, j + width, end));
        if (options && options->progress) {
            double left = (double)(n - j - width) / (double)n;
            options->progress(options->progress_user, "factor", 1.0 - left * left * left);
        }
    }
    return CLSOLVE_OK;
}

/* ---- panels that travel ---- */

static cls_rect panel_rect(const cls_lu *lu, int64_t j, int64_t width, cls_ref *ref) {
    size_t size = (size_t)cls_type_size(lu->type), length = (size_t)(lu->n - j) * size;
    *ref = cls_matrix_at(&lu->A, j, j);
    cls_rect rect = {length, (size_t)width, (size_t)ref->offset * size, (size_t)ref->ld * size, length};
    return rect;
}

/*
 * The swaps of the columns c .. c+width-1 as a list of moves, as lu_leaf_swaps makes it: entry q of 2 * width, -1 where
 * nothing moves. `held[e]` is the row that stands at `row[e]` now; rows that no swap touches are not listed.
 */
static void list_moves(const int *pivots, int64_t c, int64_t width, int64_t *sources, int64_t *targets) {
    int64_t *row = targets, *held = sources;
    int64_t count = 0;

    for (int64_t t = 0; t < width; ++t) {
        int64_t pair[2] = {c + t, pivots[t] - 1}, at[2];
        for (int side = 0; side < 2; ++side) {
            int64_t e = 0;
            while (e < count && row[e] != pair[side]) ++e;
            if (e == count) row[count] = held[count] = pair[side], ++count;
            at[side] = e;
        }
        int64_t moved = held[at[0]];
        held[at[0]] = held[at[1]];
        held[at[1]] = moved;
    }
    for (int64_t e = 0; e < 2 * width; ++e)
        if (e >= count || row[e] == held[e]) row[e] = held[e] = -1;
}

void cls_lu_list_block_moves(const cls_lu *lu, const int *pivots, int64_t j, int64_t width, int64_t *sources,
                             int64_t *targets) {
    for (int64_t c = 0; c < width; c += lu->leaf)
        list_moves(pivots + c, j + c, width - c < lu->leaf ? width - c : lu->leaf, sources + 2 * c, targets + 2 * c);
}

/* Down, LAPACK, up. The device goes on with what it has; what is enqueued for it later waits for the panel. */
static clsolve_status travel(cls_lu *lu, int64_t j, int64_t width, cls_event *ready, int64_t *info) {
    cls_device *device = lu->device;
    const cls_device_ops *ops = device->ops;
    cls_wait wait = {ready ? 1 : 0, &ready};
    cls_event *down = NULL, *up = NULL;
    cls_ref ref;
    cls_rect rect = panel_rect(lu, j, width, &ref);

    CLS_TRY(ops->read(device, CLS_DOWN, ref.buffer, lu->panel, &rect, &wait, &down));
    clsolve_status status = ops->event_wait(device, down);
    ops->event_release(device, down);
    CLS_TRY(status);
    int64_t m = lu->n - j;
    note_info(j, cls_lu_host_panel(lu->type, m, width, lu->panel, m, lu->host_pivots + j), info);
    shift_pivots(lu, j, width);
    cls_lu_list_block_moves(lu, lu->host_pivots + j, j, width, lu->host_sources + 2 * j, lu->host_targets + 2 * j);

    size_t bytes = (size_t)(2 * width) * sizeof *lu->host_sources, from = (size_t)(2 * j) * sizeof *lu->host_sources;
    cls_rect moves = {bytes, 1, from, bytes, bytes};
    CLS_TRY(ops->write(device, CLS_UP, lu->sources, lu->host_sources + 2 * j, &moves, NULL, NULL));
    CLS_TRY(ops->write(device, CLS_UP, lu->targets, lu->host_targets + 2 * j, &moves, NULL, NULL));
    CLS_TRY(ops->write(device, CLS_UP, ref.buffer, lu->panel, &rect, NULL, &up));
    status = ops->queue_wait(device, CLS_COMPUTE, up);
    ops->event_release(device, up);
    return status;
}

static clsolve_status factor_travelling(cls_lu *lu, int64_t begin, int64_t end, const clsolve_lu_options *options,
                                        cls_event **ready, cls_event **told, int64_t *info) {
    const cls_device_ops *ops = lu->device->ops;

    /* The first panel may still be in work. */
    CLS_TRY(ops->mark(lu->device, CLS_COMPUTE, ready));
    for (int64_t j = begin, width; j < end; j += width) {
        width = end - j < lu->block ? end - j : lu->block;
        int64_t k = j + width, next = k + lu->block < end ? k + lu->block : end;
        CLS_TRY(travel(lu, j, width, *ready, info));
        ops->event_release(lu->device, *ready);
        *ready = NULL;
        CLS_TRY(cls_lu_move_rows(lu, &lu->A, begin, end, j, width, j, k, 0));
        CLS_TRY(cls_lu_update(lu, j, width, k, next));
        CLS_TRY(ops->mark(lu->device, CLS_COMPUTE, ready));
        CLS_TRY(cls_lu_update(lu, j, width, next, end));
        CLS_TRY(ops->flush(lu->device, CLS_COMPUTE));
        CLS_TRY(cls_lu_tell(lu, options, k, told));
    }
    return ops->finish(lu->device, CLS_COMPUTE);
}

clsolve_status cls_lu_hybrid_factor(cls_lu *lu, int64_t begin, int64_t end, const clsolve_lu_options *options,
                                    int64_t *info) {
    cls_event *ready = NULL, *told = NULL;

    if (lu->A.mapped) return factor_mapped(lu, begin, end, options, info);
    clsolve_status status = factor_travelling(lu, begin, end, options, &ready, &told, info);
    lu->device->ops->event_release(lu->device, ready);
    lu->device->ops->event_release(lu->device, told);
    return status;
}
