/* device_panel.c: the launches of a panel: see cl/ldl_panel.cl, which has the steps of a window. */
#include "method/ldl/device.h"

enum { ROWS = 64, SETS = 4 }; /* as in the kernels */

static int64_t at_most(int64_t value, int64_t most) {
    return value < most ? value : most;
}

static size_t groups_of(int64_t count, int64_t of_group) {
    return (size_t)((count + of_group - 1) / of_group);
}

/* A window of the panel that begins with column k. */
typedef struct window {
    const cls_matrix *W;
    int64_t k, j;
    int32_t there, take; /* its candidates and pivots */
    int64_t turn;        /* its record */
} window;

static clsolve_status find_rows(cls_ldl *ldl, const window *w) {
    cls_ldl_device *own = cls_ldl_own(ldl);
    const cls_ref A = cls_matrix_at(&ldl->A, w->j, w->j), W = cls_matrix_at(w->W, w->j, w->j);
    const int64_t m = ldl->n - w->j;
    const cls_grid grid = {{groups_of(m - w->take, ROWS) * 2 * ROWS, 1, 1}, {2 * ROWS, 1, 1}};
    const cls_arg args[] = {CLS_REF(A),
                            CLS_VALUE(m),
                            CLS_VALUE(w->j),
                            CLS_BUFFER(own->record),
                            CLS_BUFFER(own->numbers),
                            CLS_VALUE(w->turn),
                            CLS_BUFFER(own->T),
                            CLS_BUFFER(own->R),
                            CLS_VALUE(own->strip_ld),
                            CLS_REF(W),
                            CLS_BUFFER(own->state)};
    return m > w->take ? cls_launch(ldl->device, CLS_COMPUTE, own->rows, &grid, CLS_ARGS(args)) : CLSOLVE_OK;
}

/* The rest of the work of the window `before`, if there is one, and the pivots of `w` behind it. At the end of a panel
 * `w` has none. */
static clsolve_status step(cls_ldl *ldl, const window *before, const window *w, int64_t end) {
    cls_ldl_device *own = cls_ldl_own(ldl);
    const cls_ref A = cls_matrix_at(&ldl->A, 0, 0), W = cls_matrix_at(w->W, 0, w->k);
    const int32_t there = before ? before->there : 0, take = before ? before->take : 0, partial = ldl->partial;
    const int64_t below = ldl->n - w->j - own->window, tall = below > 0 ? (int64_t)groups_of(below, own->window) : 0;
    const int64_t columns = before ? before->j + (before->j - w->k) : 0; /* of A and W before that window */
    const int64_t exchanges = before ? 1 + (int64_t)groups_of(columns, own->taken) : 0;
    const int64_t tiles = before && tall > 0 ? tall * (int64_t)groups_of(end - w->j, own->taken) : 0;
    const size_t items = (size_t)(own->window * SETS);
    const cls_grid grid = {{(size_t)(1 + exchanges + tiles) * items, 1, 1}, {items, 1, 1}};
    const cls_arg args[] = {CLS_REF(A),
                            CLS_VALUE(ldl->n),
                            CLS_VALUE(w->k),
                            CLS_VALUE(w->j),
                            CLS_VALUE(end),
                            CLS_VALUE(there),
                            CLS_VALUE(take),
                            CLS_VALUE(w->take),
                            CLS_VALUE(partial),
                            CLS_REF(W),
                            CLS_BUFFER(own->T),
                            CLS_BUFFER(own->R),
                            CLS_VALUE(own->strip_ld),
                            CLS_BUFFER(own->record),
                            CLS_BUFFER(own->numbers),
                            CLS_VALUE(w->turn),
                            CLS_BUFFER(own->d),
                            CLS_BUFFER(own->e),
                            CLS_BUFFER(own->permutation),
                            CLS_BUFFER(own->state),
                            CLS_VALUE(exchanges),
                            CLS_VALUE(tall)};
    return cls_launch(ldl->device, CLS_COMPUTE, own->step, &grid, CLS_ARGS(args));
}

clsolve_status cls_ldl_panel(cls_ldl *ldl, const cls_matrix *W, int64_t k, int64_t end) {
    const cls_ldl_device *own = cls_ldl_own(ldl);
    const int64_t reach = cls_ldl_reach(ldl, end);
    window w = {W, k, k, 0, 0, 0}, before = w;

    for (int64_t j = k; j < end; j += own->taken) {
        const int64_t m = ldl->n - j;
        w = (window){W, k, j, (int32_t)at_most(m, own->window), (int32_t)at_most(m, own->taken), 1 - before.turn};
        CLS_TRY(step(ldl, j > k ? &before : NULL, &w, reach));
        CLS_TRY(find_rows(ldl, &w));
        before = w;
    }
    w = (window){W, k, end, 0, 0, 1 - before.turn};
    return step(ldl, &before, &w, reach);
}

clsolve_status cls_ldl_exact(cls_ldl *ldl, const cls_matrix *W, int64_t k) {
    cls_ldl_device *own = cls_ldl_own(ldl);
    const cls_ref A = cls_matrix_at(&ldl->A, 0, 0), at = cls_matrix_at(W, 0, k);
    const int32_t most = (int32_t)own->taken, partial = ldl->partial;
    const size_t items = (size_t)own->exact_items;
    const cls_grid grid = {{items, 1, 1}, {items, 1, 1}};
    const cls_arg args[] = {CLS_REF(A),
                            CLS_VALUE(ldl->n),
                            CLS_VALUE(k),
                            CLS_VALUE(most),
                            CLS_VALUE(partial),
                            CLS_REF(at),
                            CLS_BUFFER(own->d),
                            CLS_BUFFER(own->e),
                            CLS_BUFFER(own->permutation),
                            CLS_BUFFER(own->state)};
    return cls_launch(ldl->device, CLS_COMPUTE, own->exact, &grid, CLS_ARGS(args));
}
