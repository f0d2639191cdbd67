/*
 * host.c: panels that LAPACK factors where the matrix lies in the host's memory, and their moves of rows. For panels
 * that travel to the host and back, as a band's do, it has the memory and the lists of moves.
 */
#include "method/panel/parts.h"

#include <lapacke.h>

#include "base/blas_int.h"
#include "base/host_blas.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/stack.h"

/* ---- memory ---- */

clsolve_status cls_panel_take_host(cls_panel *panel, int64_t cols, int64_t elements) {
    cls_device *device = panel->device;

    panel->host_pivots = cls_alloc((size_t)cols, sizeof *panel->host_pivots);
    if (!panel->host_pivots) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for pivots");
    if (elements == 0) return CLSOLVE_OK;

    panel->host_sources = cls_alloc((size_t)(2 * cols), sizeof *panel->host_sources);
    panel->host_targets = cls_alloc((size_t)(2 * cols), sizeof *panel->host_targets);
    if (!panel->host_sources || !panel->host_targets)
        return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the moves of rows");
    return device->ops->pinned_create(device, (size_t)(elements * cls_type_size(panel->type)), &panel->pinned,
                                      &panel->staged);
}

void cls_panel_host_release(cls_panel *panel) {
    cls_device *device = panel->device;

    /* A panel may still be on its way. */
    (void)device->ops->finish(device, CLS_UP);
    (void)device->ops->finish(device, CLS_DOWN);
    device->ops->pinned_destroy(device, panel->pinned);
    cls_free(panel->host_pivots);
    cls_free(panel->host_sources);
    cls_free(panel->host_targets);
}

/* ---- in the host's memory ---- */

typedef struct getrf_call {
    clsolve_type type;
    lapack_int rows, cols, lda, info;
    void *A;
    int *pivots;
} getrf_call;

static void getrf(void *call) {
    getrf_call *c = call;
    c->info = CLS_LAPACKE(c->type, getrf, c->rows, c->cols, c->A, c->lda, c->pivots);
}

/* OpenBLAS takes several threads, and much stack with them, from about 5000 elements on (stack.h). */
int64_t cls_panel_lapack(clsolve_type type, int64_t m, int64_t n, void *A, int64_t ld, int *pivots) {
    enum { ONE_THREAD = 4096, STACK = 8 << 20 };
    if (m == 0 || n == 0) return 0;
    if (cls_panel_alone_suits(m, n)) return cls_panel_alone(type, m, n, A, ld, pivots);
    getrf_call call = {type, cls_blas_int(m), cls_blas_int(n), cls_blas_int(ld), 0, A, pivots};
    CLS_HOST_BLAS;
    if (m <= ONE_THREAD / n)
        getrf(&call);
    else
        cls_stack_run(STACK, getrf, &call);
    return call.info;
}

static void note_info(int64_t j, int64_t panel_info, int64_t *info) {
    if (panel_info > 0 && *info == 0) *info = j + panel_info;
}

/* The panel at j, its pivots counted over the whole matrix. */
static void factor_pivoted(cls_panel *panel, void *A, int64_t ld, int64_t j, int64_t rows, int64_t cols,
                           int64_t *info) {
    note_info(j, cls_panel_lapack(panel->type, rows, cols, A, ld, panel->host_pivots + j), info);
    for (int64_t t = 0; t < cols; ++t) panel->host_pivots[j + t] += (int)j;
}

void cls_panel_host_factor(cls_panel *panel, const cls_matrix *A, int64_t j, int64_t rows, int64_t cols,
                           int64_t *info) {
    void *at = cls_matrix_host(A, j, j);
    if (panel->unpivoted.on)
        note_info(j, cls_panel_unpivoted_host(panel->type, rows, cols, at, A->ld, panel->unpivoted.tiny), info);
    else
        factor_pivoted(panel, at, A->ld, j, rows, cols, info);
}

static void swap_rows(clsolve_type type, int64_t columns, void *A, int64_t lda, int64_t first, int64_t last,
                      const int *pivots, int order) {
    const lapack_int cols = cls_blas_int(columns), ld = cls_blas_int(lda), way = order;
    const lapack_int k1 = cls_blas_int(first), k2 = cls_blas_int(last);
    CLS_HOST_BLAS;
    CLS_LAPACKE(type, laswp, cols, A, ld, k1, k2, pivots, way);
}

void cls_panel_laswp(clsolve_type type, int64_t columns, void *A, int64_t lda, int64_t first, int64_t last,
                     const int *pivots, int order) {
    for (int64_t c = 0, run; c < columns; c += run) {
        run = cls_blas_run(columns - c);
        swap_rows(type, run, (char *)A + c * lda * cls_type_size(type), lda, first, last, pivots, order);
    }
}

void cls_panel_host_moves(const cls_panel *panel, const cls_matrix *matrix, int64_t first, int64_t last, int64_t begin,
                          int64_t end, int reverse) {
    for (int64_t c = first, run; c < last; c += run) {
        run = cls_matrix_run(matrix, c, last);
        void *A = cls_matrix_host(matrix, 0, c);
        cls_panel_laswp(matrix->type, run, A, matrix->ld, begin + 1, end, panel->host_pivots, reverse ? -1 : 1);
    }
}

/* ---- lists of moves ---- */

/*
 * The swaps of the columns c .. c+width-1 as a list of moves of the form that lu_leaf_swaps makes: 2 * width entries,
 * -1 where nothing moves. `held[e]` is the row that stands at `row[e]` now; rows that no swap touches are not listed.
 */
static void list_leaf(const int *pivots, int64_t c, int64_t width, int64_t *sources, int64_t *targets) {
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

void cls_panel_list_moves(const cls_panel *panel, const int *pivots, int64_t j, int64_t width, int64_t *sources,
                          int64_t *targets) {
    for (int64_t c = 0; c < width; c += panel->leaf)
        list_leaf(pivots + c, j + c, width - c < panel->leaf ? width - c : panel->leaf, sources + 2 * c,
                  targets + 2 * c);
}

clsolve_status cls_panel_send_moves(cls_panel *panel, int64_t j, int64_t width) {
    const cls_device_ops *ops = panel->device->ops;
    int64_t *sources = panel->host_sources + 2 * j, *targets = panel->host_targets + 2 * j;
    size_t bytes = (size_t)(2 * width) * sizeof *sources, from = (size_t)(2 * j) * sizeof *sources;
    cls_rect rect = {bytes, 1, from, bytes, bytes};

    cls_panel_list_moves(panel, panel->host_pivots + j, j, width, sources, targets);
    CLS_TRY(ops->write(panel->device, CLS_UP, panel->sources, sources, &rect, NULL, NULL));
    return ops->write(panel->device, CLS_UP, panel->targets, targets, &rect, NULL, NULL);
}
