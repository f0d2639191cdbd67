#include "cost/sparse.h"

#include <string.h>

/* One H200 and 32 cores, an empty cache, 2026-11-29: 3.2 and 4.6 s through CUDA, 12 through OpenCL. */
double cls_sparse_compile_seconds(const clsolve_device_info *info) {
    return strcmp(info->platform, "CUDA") == 0 ? 4 : 12;
}

double cls_sparse_factor_seconds(const cls_sparse_rates *rates, const cls_sparse_counts *counts, int by_klu) {
    static const double shared = 1e8; /* operations: fewer leave threads nothing to share */
    const cls_work work = {.columns = counts->fronts,
                           .operations =
                               counts->operations / (!by_klu && counts->operations > shared ? counts->threads : 1),
                           .size = 1,
                           .bytes = counts->entries};
    return cls_clock(by_klu ? &rates->klu : &rates->fronts, &work);
}

double cls_sparse_solve_seconds(const cls_sparse_rates *rates, const cls_sparse_counts *counts) {
    const cls_work work = {.columns = counts->rows, .bytes = counts->entries};
    return cls_clock(&rates->solve, &work);
}
