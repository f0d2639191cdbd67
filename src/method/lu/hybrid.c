/* hybrid.c: LU in the host's memory, where the matrix stays mapped and LAPACK factors the panels in place. */
#include "method/lu/lu.h"

#include <limits.h>

clsolve_status cls_lu_hybrid_setup(cls_lu *lu) {
    int64_t n = lu->rows;

    if (n > INT_MAX / 2 || lu->A.ld > INT_MAX)
        return cls_fail(lu->device->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "LAPACK counts in 32 bits, too few for n = %lld: use CLSOLVE_PANEL_NATIVE", (long long)n);
    CLS_TRY(cls_panel_take_host(&lu->panel, lu->n, 0));
    return cls_matrix_map(lu->device, &lu->A);
}

int cls_lu_suits_hybrid(const cls_lu *lu) {
    return cls_panel_on_host(&lu->panel);
}

static clsolve_status factor_mapped(cls_lu *lu, int64_t begin, int64_t end, const clsolve_lu_options *options,
                                    int64_t *info) {
    for (int64_t j = begin, width; j < end; j += width) {
        width = end - j < lu->block ? end - j : lu->block;
        cls_panel_host_factor(&lu->panel, &lu->A, j, lu->rows - j, width, info);
        if (lu->rbt.on && *info > 0) break; /* nobody uses what would come of the rest */
        CLS_TRY(cls_panel_move_rows(&lu->panel, CLS_COMPUTE, &lu->A, begin, end, j, width, j, j + width, 0));
        CLS_TRY(cls_lu_update(lu, CLS_COMPUTE, j, width, j + width, end));
        if (options && options->progress) {
            double left = (double)(lu->n - j - width) / (double)lu->n;
            options->progress(options->progress_user, "factor", 1.0 - left * left * left);
        }
    }
    return CLSOLVE_OK;
}

clsolve_status cls_lu_factor_hybrid(cls_lu *lu, int64_t begin, int64_t end, const clsolve_lu_options *options,
                                    int64_t *info) {
    return factor_mapped(lu, begin, end, options, info);
}
