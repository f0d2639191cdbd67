/*
 * methods.h: a model of the time that each method takes for a sparse matrix: seconds of the analysed system, from its
 * size, its band, its grid and a few numbers for the device. It computes and knows nothing else: no device, no context.
 *
 * Seconds of a method = start + work. A method counts its pivots, its operations, and the bytes of its matrix and of a
 * solve; one clock for all makes seconds of them.
 *
 *   start    kernels c                 nothing is built: c seconds for each kernel's compilation
 *            programs l                built by an earlier process: l seconds to load each program
 *            0                         built on this context
 *
 *   LU       f + n p + 2/3 n^3 (1 + h/n) / R + n^2 s (1/B + 1/H) + k (2 n^2 s / M)
 *   Cholesky f + n p / 4 + 1/3 n^3 (1 + h/n) / R + the rest of LU's
 *   band     f + n q + W (1/r) + n (kl + ku + 1) s (1/B + 1/H) + k (2 n (2 kl + ku + 1) s / M)
 *            W = 2 n kl (kl + ku + 1);  r = R/4, or R kl / (kl + h) if that is more: narrow products are slow;
 *            in the host's memory by LAPACK, which multiplies blocks too small for more than one core: R and M are
 *            those of one core, and r = R kl / (kl + h)
 *   band Cholesky, on the device: f + n p / 4 + n kl (kl + 1) (1/r) + n (kl + 1) s (1/B + 1/H) + k (2 n (kl + 1) s / M)
 *            on a host without kernels q / 2 for p / 4, and r / 2 for r
 *   grid     f + i (levels L + k n 60 s / M) + 12 n s (1/B + 1/H)
 *            i = 40 iterations for a dominant matrix, 160 for any other; levels = log2(N)
 *
 *     n, kl, ku, N   rows, diagonals of the band as it is factored, lines of the grid; s: bytes of an element
 *     k              right-hand sides
 *     R, h           rate of a large product, operations a second, and the size at which half of it is reached
 *     p, q           seconds of one pivot column: of dense LU, of a band
 *     M, H, B        bytes a second: the device's memory, the host's, the bus (none in the host's memory)
 *     L              seconds of the launches for one level of the grid in one cycle
 *     f              seconds that a call takes whatever its size
 *
 * The numbers are orders of magnitude for a CPU and for a GPU, scaled with compute units and clock (docs/performance.md
 * has the measurements that they agree with, of one H200 and of two cores of an EPYC); they decide between
 * methods that are far apart. docs/solve.md has examples.
 */
#ifndef CLS_COST_METHODS_H
#define CLS_COST_METHODS_H

#include <clsolve/context.h>
#include <clsolve/matrix.h>

/* The most diagonals apart from the main one of a band that kernels for narrow bands take (clsolve/band.h). */
enum { CLS_NARROW_BAND = 64 };

/* Seconds. A grid that a direct method solves in less, its kernels built, goes to the direct method. */
#define CLS_MOMENT 0.1
/* The same where the kernels for grids are built too. */
#define CLS_SHORT_MOMENT 0.005

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

typedef struct cls_cost_machine {
    double rate, half;                   /* R, h */
    double memory, host, bus;            /* M, H, B; bus 0: none */
    double pivot, pivot_of_narrow;       /* p; q with kl + ku up to 64, and in the host's memory; else q = p;
                                      in the host's memory twice as long for complex numbers */
    double rate_of_band, memory_of_band; /* R and M of a band */
    double least_of_band;                /* r / R, at least */
    double launches;                     /* L */
    double fixed_lu, fixed;              /* f of dense LU; of others */
    double compile, load;                /* c, l */
    int in_place;                        /* dense LU and bands work in the host's memory, without kernels */
} cls_cost_machine;

cls_cost_machine cls_cost_machine_of(const clsolve_device_info *info, clsolve_type type);

double cls_cost_lu(const cls_cost_machine *m, const cls_cost_system *system, cls_build_state built);
double cls_cost_cholesky(const cls_cost_machine *m, const cls_cost_system *system, cls_build_state built);
double cls_cost_band(const cls_cost_machine *m, const cls_cost_system *system, cls_build_state built);
/* On the device; HUGE_VAL for a band that belongs to the host: CLS_NARROW_BAND diagonals on either side, or fewer. */
double cls_cost_band_cholesky(const cls_cost_machine *m, const cls_cost_system *system, cls_build_state built);
/* By LAPACK, on a host without kernels. */
double cls_cost_band_cholesky_by_host(const cls_cost_machine *m, const cls_cost_system *system);
double cls_cost_grid(const cls_cost_machine *m, const cls_cost_system *system, cls_build_state built);

/* Operations of a band LU that pivots: n columns with kl rows below the pivot and kl + ku columns right of it. */
static inline double cls_band_work(int64_t n, int64_t kl, int64_t ku) {
    return 2.0 * (double)n * (double)kl * (double)(kl + ku + 1);
}

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

/* Bytes of host memory that the method takes at least. */
double cls_host_bytes_lu(const cls_cost_system *system);
double cls_host_bytes_band(const cls_cost_system *system);

#endif
