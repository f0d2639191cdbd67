/*
 * methods.h: the seconds that each method takes for a sparse matrix, by the clock of rates.h, from the analysed system:
 * its size, its band, its grid. It computes and knows nothing else: no device, no context.
 *
 * Seconds of a method = start + work + layout + solve.
 *
 *   start    each kernel's compilation, if nothing is built; each program's loading, if an earlier process has built
 *            it; 0 where it is built on this context. Dense LU and bands in the host's memory have no kernels
 *   work     a call, and
 *              LU              n columns, 2/3 n^3 operations of size n
 *              Cholesky        n columns, 1/3 n^3 operations of size n
 *              band            n columns, 2 n kl (kl + ku + 1) operations of size kl
 *              band Cholesky   n columns, n kl (kl + 1) operations of size kl
 *              grid            40 iterations for a dominant matrix, 160 for any other, of log2(N) + 1 levels each
 *   layout   the bytes of the matrix, laid out by the host and sent; of a grid 12 numbers a row
 *   solve    of each right-hand side the bytes of the factors, read twice; of a grid 60 numbers a row an iteration
 *
 *     n, kl, ku, N   rows, diagonals of the band as it is factored, lines of the grid
 *
 * The model decides between methods that are far apart. docs/solve.md has the rules.
 */
#ifndef CLS_COST_METHODS_H
#define CLS_COST_METHODS_H

#include "cost/rates.h"

/* The most diagonals apart from the main one of a band that kernels for narrow bands take (clsolve/band.h). */
enum { CLS_NARROW_BAND = 64 };

/* The state of a method's kernels, as far as it is known. */
typedef enum cls_build_state {
    CLS_BUILD_UNKNOWN = 0, /* they may have to be compiled */
    CLS_BUILD_CACHED = 1,  /* an earlier process built them for this device and driver */
    CLS_BUILD_HERE = 2     /* this context has them */
} cls_build_state;

typedef struct cls_cost_system {
    int64_t n, kl, ku; /* of the band as it is factored */
    int64_t lines;     /* of a grid; 0: it is none */
    int dominant;      /* each diagonal element is the sum of the others at least */
    int64_t nrhs;
    clsolve_type type;
} cls_cost_system;

double cls_cost_lu(const cls_rates *m, const cls_cost_system *system, cls_build_state built);
double cls_cost_cholesky(const cls_rates *m, const cls_cost_system *system, cls_build_state built);
double cls_cost_band(const cls_rates *m, const cls_cost_system *system, cls_build_state built);
/* On the device; HUGE_VAL for a band that belongs to the host: CLS_NARROW_BAND diagonals on either side, or fewer. */
double cls_cost_band_cholesky(const cls_rates *m, const cls_cost_system *system, cls_build_state built);
/* By LAPACK, on a host without kernels. */
double cls_cost_band_cholesky_by_host(const cls_rates *m, const cls_cost_system *system);
double cls_cost_grid(const cls_rates *m, const cls_cost_system *system, cls_build_state built);

/* Operations of a band LU that pivots: n columns with kl rows below the pivot and kl + ku columns right of it. */
static inline double cls_band_work(int64_t n, int64_t kl, int64_t ku) {
    return 2.0 * (double)n * (double)kl * (double)(kl + ku + 1);
}

/* Bytes of host memory that the method takes at least. */
double cls_host_bytes_lu(const cls_cost_system *system);
double cls_host_bytes_band(const cls_cost_system *system);

#endif
