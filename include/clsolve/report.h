/*
 * report.h: the report of a handle: outcome, accuracy of the answer, time by phase, transfers between host and device.
 *
 * A report describes the last factorization and the last solve. Norms in this file are 1-norms unless they say
 * otherwise: ||A|| = max over j of the sum over i of |a(i,j)|. docs/accuracy.md explains the fields about accuracy.
 * Texts are static strings: the caller never frees them, and they stay valid after the handle is destroyed. The
 * texts of the part block_gs are the handle's.
 */
#ifndef CLSOLVE_REPORT_H
#define CLSOLVE_REPORT_H

#include <stdint.h>

#include <clsolve/status.h>

/* Seconds of wall time, as the host measures them. Where a call on the host takes about as long as a read of its clock,
 * `factor` and `solve` are all of the call. */
typedef struct clsolve_seconds {
    double build;    /* compiling the kernels, or fetching them from the cache */
    double upload;   /* copying the matrix and the right-hand sides to the device; of a matrix that is copied while it
                        is factored, what the factorization waited for it */
    double factor;   /* the factorization */
    double solve;    /* the triangular solves on the device */
    double download; /* copying the solution back */
    double total;    /* all of it, with the gaps between the phases */
} clsolve_seconds;

enum { CLSOLVE_SCALED_UNIFORMLY = 4 }; /* value of `equilibrated`: the whole matrix was scaled by one power of two */
enum { CLSOLVE_REPORT_HISTORY = 32 };  /* the largest number of backward errors in a report */

/* Why MIXED continued with double factors. LAPACK's dsgesv tells the first three by its ITER: -3, -2 and -31. */
typedef enum clsolve_fallback {
    CLSOLVE_FALLBACK_NONE = 0,
    CLSOLVE_FALLBACK_SINGULAR = 1,      /* the float factors have a zero pivot */
    CLSOLVE_FALLBACK_OVERFLOW = 2,      /* the float factors left the range of float */
    CLSOLVE_FALLBACK_NOT_CONVERGED = 3, /* refinement with them did not converge */
    CLSOLVE_FALLBACK_CONDITION = 4,     /* the condition number was asked for, and they only bound it */
    CLSOLVE_FALLBACK_FACTORS = 5        /* double factors were asked for */
} clsolve_fallback;

/* How many eigenvalues of a symmetric or hermitian matrix are above, below and equal to zero, by the signs of D in its
 * LDL^T. The sum is n; if it is not, the inertia is not known. */
typedef struct clsolve_inertia {
    int64_t positive, negative, zero;
} clsolve_inertia;

/* The last factorization of dense LU, of a band, or of the inverse. */
typedef struct clsolve_report_direct {
    /*
     * The reciprocal condition number 1 / (||A|| ||A^-1||): estimated with option rcond, exact with an inverse.
     * It is 0 if a pivot was exactly zero or the inverse was too large. It is -1 if it is not known: before the first
     * factorization, without option rcond (also if a pivot was exactly zero), and of a batch. With
     * CLSOLVE_RCOND_IF_ILL it is -1 for a well-conditioned matrix.
     */
    double rcond;
    int32_t rcond_is_bound; /* 1: rcond is an upper bound (float factors); A may be singular to working precision */
    double growth;          /* max |u(i,j)| / max |a(i,j)| of the matrix as factored; of LDL^T D stands in U's place; 0:
                               not known */
    double log_abs_det;     /* natural logarithm of |det A|, -Inf if A is singular; 0: not known */
    int32_t det_sign;       /* -1 or 1: det A = det_sign exp(log_abs_det); 0: singular or not known. For a complex A
                               it is 1, and det_phase has the rest */
    /*
     * The precision of the factors that growth and the determinant come from: "double" or "single"; NULL: not known.
     * With "single" both have the digits of float only: log_abs_det is rough, and det_sign may be wrong, if the
     * condition number is above 1e7.
     */
    const char *det_precision;
    int32_t equilibrated; /* 1: rows were scaled, 2: columns, 3: both, CLSOLVE_SCALED_UNIFORMLY; 0: none */
    const char *fallback; /* why MIXED continued with double factors; NULL: it did not */

    /*
     * As asked for: "partial" or "rbt" of dense LU; "auto", "partial" or "none" of a batch of tridiagonal matrices;
     * else NULL. pivoting_used is that of the factors in use, never "auto"; NULL: there are none.
     */
    const char *pivoting;
    const char *pivoting_used;
    const char *pivoting_fallback; /* why RBT continued with partial pivoting; NULL: it did not */
    uint64_t seed;                 /* of RBT's butterflies; 0 without RBT */

    clsolve_fallback fallback_reason; /* the same as `fallback`, for programs */
    double det_phase;                 /* of a complex A: det A = exp(log_abs_det + i det_phase), -pi to pi; else 0 */
    int64_t devices;         /* dense LU: devices that hold a part of the factors; 0: not known, or no dense LU */
    clsolve_inertia inertia; /* of LDL^T, of a singular matrix too */
    int64_t reserved[2];
} clsolve_report_direct;

/* The last solve, if it was refined (options refine, MIXED and RBT). */
typedef struct clsolve_report_refinement {
    double backward_error;    /* largest ||b - op(A) x|| / (||op(A)|| ||x|| + ||b||) of all columns; -1: not known */
    int64_t gmres_iterations; /* number of `iterations` that were steps of GMRES */
    int64_t history_length;   /* number of entries in history */
    /*
     * The backward errors of the first solution, after each step of refinement, and after each cycle of GMRES. Each is
     * the largest of all columns; -1: not known. After a fallback these are the errors with the double factors.
     */
    double history[CLSOLVE_REPORT_HISTORY];
    int64_t reserved[8];
} clsolve_report_refinement;

/* Band matrices; else 0 and NULL. */
typedef struct clsolve_report_band {
    int64_t lower, upper; /* diagonals below and above the main one, at most n - 1 each */
    int64_t block;        /* columns in a block of the factorization */
    const char *panel;    /* how the panels were factored: "native", "hybrid", "narrow" or "lapack" */
    int64_t reserved[8];
} clsolve_report_band;

/* Block Gauss-Seidel on grids; else 0 and NULL. The texts and the history are the handle's, until its next solve. After
 * clsolve_solve_csr they are NULL. */
typedef struct clsolve_report_block_gs {
    const char *method;       /* the method that ran: "multigrid V(1,1)", "cg + multigrid" */
    const char *reason;       /* why it ran: "asked for", "auto: symmetric, and the diagonal dominates" */
    double relative_residual; /* largest ||F - A Y||_2 / ||F||_2 of all right-hand sides */
    /*
     * The relative residuals at the stop tests, each the largest of all right-hand sides. history[0] is that of the
     * initial guess. If the right-hand sides were solved in several portions, this is the history of the last portion.
     */
    const double *history;
    int64_t history_count; /* number of entries in history */
    double omega;          /* of SOR at the end; other methods: 0 */
    int32_t symmetric;     /* 1: the matrix is symmetric, or complex and hermitian */
    /*
     * 1: all row sums are zero, so Y is known up to a constant. The guess is used without its mean, and the solution
     * with mean 0 is returned. Method SWEEPS does neither.
     */
    int32_t singular;
    int32_t pivoted;      /* 1: the line factors of the last factorization have row exchanges */
    int64_t levels;       /* of multigrid; 0: none set up */
    int64_t failed;       /* number of right-hand sides that did not converge */
    int64_t first_failed; /* the first of them, counted from 1; 0: none */
    int64_t reserved[8];
} clsolve_report_block_gs;

/*
 * Every family has the first part. `info` has one meaning, LAPACK's:
 *
 *    0   nothing to tell
 *   k>0  pivot k, counted from 1, is exactly zero; of Cholesky: the leading minor of order k is not positive
 *   -1   a member of a batch holds NaN or Inf, or its solution would
 *
 * It is that of the matrix. In a batch, and for the lines of a grid, it is that of one member: the first without a
 * solution, which `member` names. The pivot within a line of a grid is not known: `info` is 0 there.
 */
typedef struct clsolve_report {
    clsolve_status status; /* of the last call */
    const char *method;    /* "lu", "cholesky", "ldl", "gauss-jordan", "band-lu", "block-gs", "tridiagonal", ... */
    int64_t n, nrhs;       /* order of the matrix; number of right-hand sides */
    int64_t members;       /* number of matrices in a batch; else 0 */
    int64_t info, member;  /* see above; member counts from 1, 0: none */
    int64_t iterations;    /* steps of an iterative method, or of refinement (before a fallback too); 0: none */
    clsolve_seconds seconds;
    int64_t bytes_up, bytes_down;         /* bytes copied from host to device, and back */
    int64_t transfers_up, transfers_down; /* number of these copies */
    int64_t device_bytes;                 /* bytes of device memory that the handle holds */
    int64_t host_bytes;    /* bytes of host memory with the factors, where the device cannot hold them; else 0 */
    int64_t slab_columns;  /* columns of the slabs (band: of the window) that then pass through the device; else 0 */
    int64_t slabs;         /* dense LU: slabs of columns that hold the factors; each is or passes through one buffer */
    const char *precision; /* of the factors in use: "double", "single" or "mixed"; before them as asked for */

    clsolve_report_direct direct;
    clsolve_report_refinement refinement;
    clsolve_report_band band;
    clsolve_report_block_gs block_gs;

    /* The handle works on the "device" or on the "host" (clsolve_where), and why; NULL: not known. */
    const char *where, *where_reason;
    double expected_host, expected_device; /* seconds that were compared for the choice; 0: none were */
    const char *precision_reason; /* dense LU and bands: why the factors were begun in that precision; else NULL */
    int64_t reserved[3];
} clsolve_report;

/*
 * A function that the library calls now and then during long work, in the calling thread.
 *
 *   user       the caller's pointer, from the options
 *   phase      name of the phase
 *   fraction   part of the work that is done; it grows from 0 to 1
 *
 * The function must not call the library.
 */
typedef void (*clsolve_progress)(void *user, const char *phase, double fraction);

#endif
