/* host.c: what LAPACK does for the hybrid mode, on panels and matrices in the host's memory. */
#include "method/lu/lu.h"

#include <lapacke.h>

int64_t cls_lu_host_panel(clsolve_type type, int64_t m, int64_t n, void *A, int64_t ld, int *pivots) {
    if (m == 0 || n == 0) return 0;
    if (type == CLSOLVE_F64)
        return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, (lapack_int)m, (lapack_int)n, A, (lapack_int)ld, pivots);
    return LAPACKE_sgetrf_work(LAPACK_COL_MAJOR, (lapack_int)m, (lapack_int)n, A, (lapack_int)ld, pivots);
}

void cls_lu_host_moves(const cls_lu *lu, const cls_matrix *matrix, int64_t first, int64_t last, int64_t begin,
                       int64_t end, int reverse) {
    lapack_int k1 = (lapack_int)begin + 1, k2 = (lapack_int)end, ld = (lapack_int)matrix->ld, way = reverse ? -1 : 1;

    for (int64_t c = first, run; c < last; c += run) {
        run = cls_matrix_run(matrix, c, last);
        void *A = cls_matrix_host(matrix, 0, c);
        if (matrix->type == CLSOLVE_F64)
            LAPACKE_dlaswp_work(LAPACK_COL_MAJOR, (lapack_int)run, A, ld, k1, k2, lu->host_pivots, way);
        else
            LAPACKE_slaswp_work(LAPACK_COL_MAJOR, (lapack_int)run, A, ld, k1, k2, lu->host_pivots, way);
    }
}
