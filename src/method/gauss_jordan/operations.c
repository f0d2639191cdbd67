/*
 * operations.c: Gauss-Jordan by its operations A to E, see cl/gj_operations.cl. For each pivot i the launches are the
 * classes A_i, then B_i and C_i merged; after the last pivot D, then E: the Foata normal form that `clsolve schedule`
 * derives. tests/gauss_jordan/test_schedule_launches.c records these launches and holds them against the dependences.
 */
#include "method/gauss_jordan/gauss_jordan.h"

static clsolve_status launch(cls_gj *gj, cls_kernel *kernel, int64_t rows, int64_t cols, cls_args args) {
    cls_grid grid = cls_gj_grid(gj, rows, cols);
    return cls_launch(gj->device, CLS_COMPUTE, kernel, &grid, args);
}

/* B(i,j,k) and C(i,j,k) for the columns first .. last-1 of M. */
static clsolve_status eliminate(cls_gj *gj, const cls_matrix *M, int64_t first, int64_t last, int64_t i) {
    for (int64_t k = first, width; k < last; k += width) {
        width = cls_matrix_run(M, k, last);
        cls_ref ref = cls_matrix_at(M, 0, k);
        cls_arg args[] = {CLS_REF(ref), CLS_VALUE(width),       CLS_VALUE(gj->n),
                          CLS_VALUE(i), CLS_BUFFER(gj->pivots), CLS_BUFFER(gj->multipliers)};
        CLS_TRY(launch(gj, gj->kernels.eliminate, gj->n, width, CLS_ARGS(args)));
    }
    return CLSOLVE_OK;
}

static clsolve_status pivot(cls_gj *gj, int64_t cols, int64_t i) {
    int64_t n = gj->n;
    cls_ref P = cls_matrix_at(&gj->A, 0, i);
    cls_arg multipliers[] = {CLS_BUFFER(P.buffer), CLS_VALUE(P.offset),    CLS_VALUE(n),
                             CLS_VALUE(i),         CLS_BUFFER(gj->pivots), CLS_BUFFER(gj->multipliers)};

    CLS_TRY(cls_gj_choose(gj, i));
    CLS_TRY(launch(gj, gj->kernels.multipliers, n, 1, CLS_ARGS(multipliers)));
    CLS_TRY(eliminate(gj, &gj->A, i + 1, n, i));
    CLS_TRY(eliminate(gj, &gj->B, 0, cols, i));
    CLS_TRY(launch(gj, gj->kernels.clear, n, 1, CLS_ARGS_BUT(multipliers, 1))); /* the same arguments but the last */
    double left = (double)(n - i - 1) / (double)n;
    return i % 64 == 63 || i == n - 1 ? cls_gj_tell(gj, 1 - left * left) : CLSOLVE_OK;
}

static clsolve_status reciprocals(cls_gj *gj) {
    for (int64_t i = 0, width; i < gj->n; i += width) {
        width = cls_matrix_run(&gj->A, i, gj->n);
        cls_ref M = cls_matrix_at(&gj->A, 0, i);
        cls_arg args[] = {CLS_REF(M),       CLS_VALUE(i),           CLS_VALUE(width),
                          CLS_VALUE(gj->n), CLS_BUFFER(gj->pivots), CLS_BUFFER(gj->diagonals)};
        CLS_TRY(launch(gj, gj->kernels.reciprocals, width, 1, CLS_ARGS(args)));
    }
    return CLSOLVE_OK;
}

static clsolve_status normalise(cls_gj *gj, int64_t cols) {
    for (int64_t k = 0, run; k < cols; k += run) {
        int64_t other = cls_matrix_run(&gj->X, k, cols);
        run = cls_matrix_run(&gj->B, k, cols);
        if (other < run) run = other;
        cls_ref B = cls_matrix_at(&gj->B, 0, k), X = cls_matrix_at(&gj->X, 0, k);
        cls_arg args[] = {CLS_REF(B),
                          CLS_REF(X),
                          CLS_VALUE(gj->n),
                          CLS_VALUE(run),
                          CLS_BUFFER(gj->pivots),
                          CLS_BUFFER(gj->diagonals)};
        CLS_TRY(launch(gj, gj->kernels.normalise, gj->n, run, CLS_ARGS(args)));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_gj_operations(cls_gj *gj, int64_t cols) {
    CLS_TRY(cls_gj_begin(gj));
    for (int64_t i = 0; i < gj->n; ++i) CLS_TRY(pivot(gj, cols, i));
    CLS_TRY(reciprocals(gj));
    return normalise(gj, cols);
}
