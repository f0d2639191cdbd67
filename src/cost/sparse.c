#include "cost/sparse.h"

#include <math.h>
#include <string.h>

/* One H200, an empty cache, LU of convection 64^3, 2026-11-29: 2.2 s through CUDA with 32 cores and 2.5 with 16; 9.3
 * through OpenCL. */
double cls_sparse_compile_seconds(const clsolve_device_info *info) {
    return strcmp(info->platform, "CUDA") == 0 ? 2.5 : 10;
}

/* How much sooner so many threads are done than one. LU of convection 64^3 took 2.5 s on 16 cores of an H200's host,
 * where 2.4 is expected so, and with all 16 counted 1.8. 2026-11-29. */
static double gain_of(int threads) {
    return threads <= 2 ? threads : 2 * pow(threads / 2.0, 0.8);
}

double cls_sparse_factor_seconds(const cls_sparse_rates *rates, const cls_sparse_counts *counts, int by_klu) {
    static const double shared = 1e8; /* operations: fewer leave threads nothing to share */
    const cls_work work = {.columns = counts->fronts,
                           .operations = counts->operations /
                                         (!by_klu && counts->operations > shared ? gain_of(counts->threads) : 1),
                           .size = 1,
                           .bytes = counts->entries};
    return cls_clock(by_klu ? &rates->klu : &rates->fronts, &work);
}

double cls_sparse_solve_seconds(const cls_sparse_rates *rates, const cls_sparse_counts *counts) {
    const cls_work work = {.columns = counts->rows, .bytes = counts->entries};
    return cls_clock(&rates->solve, &work);
}
