/* report.h: what a handle did: outcome, how far the answer can be trusted, time by phase, what crossed the bus. */
#ifndef CLSOLVE_REPORT_H
#define CLSOLVE_REPORT_H

#include <stdint.h>

#include <clsolve/status.h>

/* Seconds of wall time, as the host sees them. */
typedef struct clsolve_seconds {
    double build;  /* compiling kernels, or fetching them from the cache */
    double upload; /* matrix and right-hand sides to the device */
    double factor;
    double solve;    /* the triangular solves, on the device */
    double download; /* the solution, back */
    double total;    /* all of it, the gaps between the phases too */
} clsolve_seconds;

enum { CLSOLVE_SCALED_UNIFORMLY = 4 }; /* a report's `equilibrated`: the whole matrix, by one power of two */
enum { CLSOLVE_HISTORY = 32 };         /* the most backward errors that a report holds */

/*
 * The determinant is det_sign * exp(log_abs_det), so that it neither overflows nor vanishes. Norms are 1-norms:
 * ||A|| = max over j of sum over i of |a(i,j)|.
 */
typedef struct clsolve_report {
    clsolve_status status;
    const char *method; /* "lu", "gauss-jordan"; a static string */
    int64_t n, nrhs;
    int64_t info;            /* LAPACK's: k > 0 where the pivot of column k, counted from 1, is exactly zero; else 0 */
    int64_t iterations;      /* of refinement, before a fallback too, or of an iterative method; 0 for a direct one */
    clsolve_seconds seconds; /* of the last factor and the last solve */
    int64_t bytes_up, bytes_down;         /* host to device and back, in the last factor and the last solve */
    int64_t transfers_up, transfers_down; /* how many copies that took */
    int64_t device_bytes;                 /* device memory that the handle holds */
    int64_t host_bytes;                   /* host memory that holds the factors when the device cannot; else 0 */
    int64_t slab_columns;                 /* columns of the slabs that then pass through the device; else 0 */
    int64_t slabs; /* of dense LU: slabs of columns that the factors lie in, each a buffer on the device, or out of core
                      (slab_columns is not 0) one that passes through it */

    /* Of the last factor. */
    double rcond; /* 1 / (||A|| ||A^-1||): estimated, where the option asked; of an explicit inverse as it is. 0:
                               a pivot was exactly zero, or the inverse too large; -1: not known */
    int32_t rcond_is_bound; /* 1: rcond is at most that: the factors, which are single, tell no more; the matrix may be
                               singular to working precision */
    double growth;          /* max |u(i,j)| / max |a(i,j)| of the matrix as factored; 0: not known */
    double log_abs_det;     /* natural logarithm of |det A|; -Inf when singular, 0 when not known */
    int32_t det_sign;       /* -1, 1; 0 when singular or not known */
    const char *det_precision; /* of the factors that growth and the determinant come from: "double", or "single", and
                                  then they have no more digits than float leaves of them: with a condition beyond 1e7
                                  log_abs_det is rough and even the sign unsure; NULL: not known; a static string */
    int32_t equilibrated;  /* 1: rows were scaled, 2: columns, 3: both; CLSOLVE_SCALED_UNIFORMLY: all by one number */
    const char *precision; /* of the factors that the last call used: "double", "single", or "mixed": single factors
                              and double residuals; a static string */
    const char *fallback;  /* why mixed precision went on in double; NULL: it did not; a static string */

    const char *pivoting;      /* of dense LU, as the handle was asked for it: "partial", "rbt" or "tournament"; else
                                      NULL */
    const char *pivoting_used; /* that of the factors that the last call used, likewise; a static string, as both */
    const char *pivoting_fallback; /* why rbt went on with partial pivoting; NULL: it did not; a static string */
    uint64_t seed;                 /* of rbt's butterflies; 0 without them */

    /* Of the last solve, when it was refined (options refine, mixed and rbt). */
    double backward_error;           /* ||b - op(A) x|| / (||op(A)|| ||x|| + ||b||), the largest of all columns;
                                        -1: not known, never NaN */
    int64_t gmres_iterations;        /* how many of `iterations` were GMRES's */
    int64_t history_length;          /* entries in history */
    double history[CLSOLVE_HISTORY]; /* the backward error of the first solution, and after each step of refinement
                                        and each cycle of GMRES; the largest of all columns; -1: not known. After
                                        a fallback those with the double factors */

    /* Of a band matrix; else 0 and NULL. */
    int64_t lower, upper; /* diagonals below and above the main one, no more than the matrix has */
    int64_t block;        /* columns in a block of its factorization */
    const char *panel;    /* how its panels were factored: "native", "hybrid", or "narrow"; a static string */
} clsolve_report;

/*
 * Called now and then from the calling thread while long work runs; `fraction` grows from 0 to 1. It must not
 * call back into the library.
 */
typedef void (*clsolve_progress)(void *user, const char *phase, double fraction);

#endif
