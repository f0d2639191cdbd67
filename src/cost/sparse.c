#include "cost/sparse.h"

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
