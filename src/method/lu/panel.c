/*
 * panel.c: LU of a tall panel by halving (S. Toledo, Locality of Reference in LU Decomposition with Partial Pivoting,
 * SIAM J. Matrix Anal. Appl. 18 (1997), section 2), down to leaves that cl/lu_panel.cl factors: with a
 * launch a column, or, when few rows are left, in one.
 */
#include "method/lu/rbt.h"
#include "method/lu/tournament.h"

/* Begin, and a step a column, many groups together. */
static clsolve_status factor_by_steps(cls_lu *lu, int64_t j, int64_t width) {
    cls_device *device = lu->device;
    cls_ref A = cls_matrix_at(&lu->A, j, j);
    int64_t m = lu->n - j;

    /* Few rows are not worth many groups: at least a full pass of rows each. */
    int64_t pass = lu->work_group * lu->rows_at_once;
    int64_t groups = (m + pass - 1) / pass;
    if (groups > lu->groups) groups = lu->groups;
    int64_t chunk = (m + groups - 1) / groups;
    chunk = (chunk + 7) / 8 * 8;

    cls_grid grid = {{(size_t)(groups * lu->work_group), 1, 1}, {(size_t)lu->work_group, 1, 1}};
    cls_arg begin[] = {CLS_BUFFER(A.buffer),      CLS_VALUE(A.offset),    CLS_VALUE(m),         CLS_VALUE(chunk),
                       CLS_BUFFER(lu->positions), CLS_BUFFER(lu->values), CLS_BUFFER(lu->rows), CLS_BUFFER(lu->places)};
    CLS_TRY(device->ops->launch(device, CLS_COMPUTE, lu->leaf_begin, &grid, begin, 8, NULL, NULL));
    for (int64_t t = 0; t < width; ++t) {
        cls_arg step[] = {CLS_BUFFER(A.buffer),   CLS_VALUE(A.offset),  CLS_VALUE(A.ld),
                          CLS_VALUE(m),           CLS_VALUE(width),     CLS_VALUE(t),
                          CLS_VALUE(chunk),       CLS_VALUE(j),         CLS_BUFFER(lu->positions),
                          CLS_BUFFER(lu->values), CLS_BUFFER(lu->rows), CLS_BUFFER(lu->places),
                          CLS_BUFFER(lu->pivots), CLS_BUFFER(lu->ipiv), CLS_BUFFER(lu->info)};
        CLS_TRY(device->ops->launch(device, CLS_COMPUTE, lu->leaf_step, &grid, step, 15, NULL, NULL));
    }
    return CLSOLVE_OK;
}

static clsolve_status factor_whole(cls_lu *lu, int64_t j, int64_t width) {
    cls_ref A = cls_matrix_at(&lu->A, j, j);
    int64_t m = lu->n - j;
    cls_grid one = {{(size_t)lu->work_group, 1, 1}, {(size_t)lu->work_group, 1, 1}};
    cls_arg args[] = {CLS_BUFFER(A.buffer), CLS_VALUE(A.offset), CLS_VALUE(A.ld),           CLS_VALUE(m),
                      CLS_VALUE(width),     CLS_VALUE(j),        CLS_BUFFER(lu->positions), CLS_BUFFER(lu->pivots),
                      CLS_BUFFER(lu->ipiv), CLS_BUFFER(lu->info)};
    return lu->device->ops->launch(lu->device, CLS_COMPUTE, lu->leaf_whole, &one, args, 10, NULL, NULL);
}

static clsolve_status factor_leaf(cls_lu *lu, int64_t j, int64_t width) {
    cls_device *device = lu->device;

    int64_t m = lu->n - j;

    if (lu->rbt.on) return cls_lu_rbt_leaf(lu, j, width);
    /* These move their rows and list the moves themselves. */
    if (lu->tournament.on) return cls_lu_tournament_leaf(lu, j, width);
    if (m <= lu->resident && m > lu->whole) return cls_lu_resident_leaf(lu, j, width);

    CLS_TRY(m <= lu->whole ? factor_whole(lu, j, width) : factor_by_steps(lu, j, width));
    cls_grid one = {{(size_t)lu->work_group, 1, 1}, {(size_t)lu->work_group, 1, 1}};
    cls_arg swaps[] = {CLS_BUFFER(lu->positions), CLS_BUFFER(lu->pivots), CLS_VALUE(width), CLS_VALUE(j),
                       CLS_BUFFER(lu->sources),   CLS_BUFFER(lu->targets)};
    CLS_TRY(device->ops->launch(device, CLS_COMPUTE, lu->leaf_swaps, &one, swaps, 6, NULL, NULL));
    return cls_lu_move_rows(lu, &lu->A, j, j + width, j + width, 0, j, j + width, 0);
}

clsolve_status cls_lu_panel(cls_lu *lu, int64_t j, int64_t width) {
    cls_device *device = lu->device;

    if (width <= lu->leaf) return factor_leaf(lu, j, width);

    /* [A1 A2]: factor A1, bring A2 up to it, factor what is left of A2, and let A1's rows follow. */
    int64_t leaves = (width + lu->leaf - 1) / lu->leaf;
    int64_t left = leaves / 2 * lu->leaf, right = width - left, k = j + left, end = j + width;
    CLS_TRY(cls_lu_panel(lu, j, left));
    CLS_TRY(cls_lu_move_rows(lu, &lu->A, k, end, end, 0, j, k, 0));
    CLS_TRY(device->blas->trsm(device, lu->type, CLS_LOWER_UNIT, CLSOLVE_NO_TRANS, left, right,
                               cls_matrix_at(&lu->A, j, j), cls_matrix_at(&lu->A, j, k)));
    CLS_TRY(device->blas->gemm(device, lu->type, CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, lu->n - k, right, left, -1.0,
                               cls_matrix_at(&lu->A, k, j), cls_matrix_at(&lu->A, j, k), 1.0,
                               cls_matrix_at(&lu->A, k, k)));
    CLS_TRY(cls_lu_panel(lu, k, right));
    return cls_lu_move_rows(lu, &lu->A, j, k, k, 0, k, end, 0);
}
