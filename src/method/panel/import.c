/* import.c: pivots that come from the caller, as a factorization would have left them. */
#include "base/memory.h"
#include "method/panel/parts.h"

static clsolve_status send(const cls_panel *panel, cls_buffer *to, const int64_t *words, int64_t count) {
    const size_t bytes = (size_t)count * sizeof *words;
    cls_rect rect = {bytes, 1, 0, bytes, bytes};
    return panel->device->ops->write(panel->device, CLS_COMPUTE, to, words, &rect, NULL, NULL);
}

/* The lists of moves, and those of whole blocks. Waits, because the host's lists go away. */
static clsolve_status send_lists(cls_panel *panel, int64_t n, const int64_t *ipiv, const int64_t *sources,
                                 const int64_t *targets) {
    cls_device *device = panel->device;
    clsolve_status status = send(panel, panel->ipiv, ipiv, n);

    if (status == CLSOLVE_OK) status = send(panel, panel->sources, sources, 2 * n);
    if (status == CLSOLVE_OK) status = send(panel, panel->targets, targets, 2 * n);
    clsolve_status done = device->ops->finish(device, CLS_COMPUTE);
    return status != CLSOLVE_OK ? status : done;
}

clsolve_status cls_panel_set_pivots(cls_panel *panel, int64_t n, const int64_t *ipiv, int64_t width) {
    int *pivots = panel->host_pivots;

    panel->moves.done = 0;
    if (n == 0) return CLSOLVE_OK;
    if (pivots)
        for (int64_t k = 0; k < n; ++k) pivots[k] = (int)ipiv[k];
    if (panel->mapped) return CLSOLVE_OK;
    int *own = pivots ? NULL : cls_alloc((size_t)n, sizeof *own);
    int64_t *sources = cls_alloc((size_t)(4 * n), sizeof *sources);
    clsolve_status status = CLSOLVE_OK;
    if (!sources || (!pivots && !own)) {
        status = cls_fail(panel->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the moves of rows");
    } else {
        for (int64_t k = 0; own && k < n; ++k) own[k] = (int)ipiv[k];
        for (int64_t j = 0; j < n; j += width) /* leaves begin anew with each panel */
            cls_panel_list_moves(panel, (own ? own : pivots) + j, j, n - j < width ? n - j : width, sources + 2 * j,
                                 sources + 2 * n + 2 * j);
        status = send_lists(panel, n, ipiv, sources, sources + 2 * n);
    }
    cls_free(own);
    cls_free(sources);
    /* The kernels of moves are not there where another kernel moves rows. */
    for (int64_t j = 0; status == CLSOLVE_OK && panel->moves.merge && j < n; j += panel->block)
        status = cls_panel_merge_moves(panel, CLS_COMPUTE, j, n - j < panel->block ? n - j : panel->block);
    return status;
}
