/*
 * rows.c: the two models of Gauss-Jordan en GPU (COMTEL 2012) on (A|B), with a work-item an element and partial
 * pivoting.
 *
 *   two-pass   for k = 0 .. n-2: the rows below pivot k, columns k+1 .. and B     one-pass   for k = 0 .. n-1: all rows
 *              for k = n-1 .. 1: the rows above pivot k, only B: between lies                but the pivot's, columns
 *              nothing any more                                                             k+1 .. and B
 *
 * and at the end X_k = b_k / a_kk. The pivot's row keeps its values until then, so no launch writes what it reads.
 */
#include "method/gauss_jordan/gauss_jordan.h"

clsolve_status cls_gj_begin(cls_gj *gj) {
    cls_device *device = gj->device;
    /* Bytes of 0x7f make a number beyond any pivot's. */
    return device->ops->fill(device, CLS_COMPUTE, gj->place, 0, (size_t)gj->n * sizeof(int64_t), 0x7f);
}

clsolve_status cls_gj_choose(cls_gj *gj, int64_t k) {
    cls_device *device = gj->device;
    cls_ref P = cls_matrix_at(&gj->A, 0, k);
    int32_t pivoting = gj->pivoting;
    cls_grid grid = {{(size_t)gj->work_group, 1, 1}, {(size_t)gj->work_group, 1, 1}};
    cls_arg args[] = {CLS_BUFFER(P.buffer), CLS_VALUE(P.offset),   CLS_VALUE(gj->n),       CLS_VALUE(k),
                      CLS_VALUE(pivoting),  CLS_BUFFER(gj->place), CLS_BUFFER(gj->pivots), CLS_BUFFER(gj->panel.info)};
    return cls_launch(device, CLS_COMPUTE, gj->kernels.pivot, &grid, CLS_ARGS(args));
}

/* The columns first .. last-1 of M against pivot k. */
static clsolve_status eliminate(cls_gj *gj, const cls_matrix *M, int64_t first, int64_t last, int64_t k, int which) {
    cls_device *device = gj->device;
    cls_ref P = cls_matrix_at(&gj->A, 0, k);
    int32_t rows = which;

    for (int64_t c = first, width; c < last; c += width) {
        width = cls_matrix_run(M, c, last);
        cls_ref ref = cls_matrix_at(M, 0, c);
        cls_grid grid = cls_gj_grid(gj, gj->n, width);
        cls_arg args[] = {CLS_BUFFER(P.buffer), CLS_VALUE(P.offset),   CLS_REF(ref),
                          CLS_VALUE(width),     CLS_VALUE(gj->n),      CLS_VALUE(k),
                          CLS_VALUE(rows),      CLS_BUFFER(gj->place), CLS_BUFFER(gj->pivots)};
        CLS_TRY(cls_launch(device, CLS_COMPUTE, gj->kernels.rows, &grid, CLS_ARGS(args)));
    }
    return CLSOLVE_OK;
}

/* Slabs of A times slabs of B. */
static clsolve_status extract(cls_gj *gj, int64_t cols) {
    cls_device *device = gj->device;

    for (int64_t k = 0, width; k < gj->n; k += width) {
        width = cls_matrix_run(&gj->A, k, gj->n);
        cls_ref A = cls_matrix_at(&gj->A, 0, k);
        for (int64_t c = 0, run; c < cols; c += run) {
            /* B and X are alike, but X may hold more columns. */
            int64_t other = cls_matrix_run(&gj->X, c, cols);
            run = cls_matrix_run(&gj->B, c, cols);
            if (other < run) run = other;
            cls_ref B = cls_matrix_at(&gj->B, 0, c), X = cls_matrix_at(&gj->X, 0, c);
            int64_t items = gj->work_group, groups = (width + items - 1) / items;
            int64_t across = gj->groups > 0 ? 1 : run < 65535 ? run : 65535;
            cls_grid grid = {{(size_t)(groups * items), (size_t)across, 1}, {(size_t)items, 1, 1}};
            cls_arg args[] = {CLS_REF(A), CLS_VALUE(k),   CLS_VALUE(width),      CLS_REF(B),
                              CLS_REF(X), CLS_VALUE(run), CLS_BUFFER(gj->pivots)};
            CLS_TRY(cls_launch(device, CLS_COMPUTE, gj->kernels.extract, &grid, CLS_ARGS(args)));
        }
    }
    return CLSOLVE_OK;
}

/* One pivot's launches: choose, A right of it, B. */
static clsolve_status step(cls_gj *gj, int64_t cols, int64_t k, int which) {
    int64_t n = gj->n;
    double left = (double)(n - k - 1) / (double)n;

    CLS_TRY(cls_gj_choose(gj, k));
    CLS_TRY(eliminate(gj, &gj->A, k + 1, n, k, which));
    CLS_TRY(eliminate(gj, &gj->B, 0, cols, k, which));
    return k % 64 == 63 || k == n - 1 ? cls_gj_tell(gj, 1 - left * left) : CLSOLVE_OK;
}

clsolve_status cls_gj_two_pass(cls_gj *gj, int64_t cols) {
    CLS_TRY(cls_gj_begin(gj));
    for (int64_t k = 0; k < gj->n; ++k) CLS_TRY(step(gj, cols, k, CLS_GJ_BELOW));
    for (int64_t k = gj->n - 1; k > 0; --k) CLS_TRY(eliminate(gj, &gj->B, 0, cols, k, CLS_GJ_ABOVE));
    return extract(gj, cols);
}

clsolve_status cls_gj_one_pass(cls_gj *gj, int64_t cols) {
    CLS_TRY(cls_gj_begin(gj));
    for (int64_t k = 0; k < gj->n; ++k) CLS_TRY(step(gj, cols, k, CLS_GJ_BELOW | CLS_GJ_ABOVE));
    return extract(gj, cols);
}
