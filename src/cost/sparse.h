/*
 * sparse.h: the seconds of sparse factorizations and solves on the host, by the clock of rates.h, and the borders
 * between engines, orders and places. It computes and knows nothing else.
 */
#ifndef CLS_COST_SPARSE_H
#define CLS_COST_SPARSE_H

#include "cost/rates.h"

/* The way that a sparse method goes as a rule. LU by fronts follows an analysis by KLU. FULLER: more entries in a row
 * than a plane grid has. */
typedef enum cls_sparse_kind {
    CLS_SPARSE_BY_KLU,
    CLS_SPARSE_CHOLESKY,
    CLS_SPARSE_FULLER_CHOLESKY,
    CLS_SPARSE_LU,
    CLS_SPARSE_MATCHED_LU
} cls_sparse_kind;

/*
 * The least time of a sparse method, for each entry: about half of it is the analysis, and factorization and solve in
 * new memory take as long again. Systems that another method solves sooner are not analysed. A matching is what a weak
 * diagonal asks for.
 */
static inline double cls_sparse_least_seconds(double entries, cls_sparse_kind kind) {
    static const double fixed[] = {250e-6, 50e-6, 50e-6, 50e-6, 50e-6};
    static const double each[] = {0.15e-6, 0.12e-6, 0.18e-6, 0.2e-6, 0.5e-6};
    return fixed[kind] + each[kind] * entries;
}

/* KLU computes with single entries, fronts with blocks. Fewer operations for each entry of the factors than this, and
 * KLU is the quicker one (measured on both sides: docs/sparse.md). A block whose pattern is not symmetric gets more
 * entries in KLU than it expects, because pivots leave the diagonal. */
static inline double cls_sparse_klu_border(double symmetry) {
    return symmetry >= 0.8 ? 45 : 30;
}

/* From so many operations for each entry before any fill, fronts take a matrix without KLU's analysis, which would be
 * of no use. Below the border for all that are matrices with next to no fill alone: dense bands of 30 to 45 entries on
 * each side, which fronts factor quicker too. */
#define CLS_SPARSE_KLU_HOPELESS 30.0

/* AUTO: a system with fewer operations is factored by the host sooner than the device starts. One H200 and 16 cores:
 * docs/sparse.md. */
#define CLS_SPARSE_DEVICE_OPERATIONS 5e8

/* Seconds to compile the kernels of a first factorization. */
double cls_sparse_compile_seconds(const clsolve_device_info *info);

/* Less work than this is done sooner by one thread. */
#define CLS_SPARSE_THREADED_OPERATIONS 2e7

/* Nested dissection by two threads takes so many seconds for each neighbour, and saves this part of AMD's operations as
 * a rule. However many threads there are, the choice is to be the same. `rate`: of the factorization. */
static inline int cls_sparse_nested_pays(double neighbours, double operations, double rate) {
    return 0.6e-6 * neighbours < 0.5 * operations / rate;
}

/* The counts of an analysis. */
typedef struct cls_sparse_counts {
    double rows, entries, operations, fronts; /* entries: numbers of the factors; fronts 0: KLU */
    int threads;
} cls_sparse_counts;

double cls_sparse_factor_seconds(const cls_sparse_rates *rates, const cls_sparse_counts *counts, int by_klu);
double cls_sparse_solve_seconds(const cls_sparse_rates *rates, const cls_sparse_counts *counts);

#endif
