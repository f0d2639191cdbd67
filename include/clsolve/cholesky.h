/*
 * cholesky.h: Cholesky factorization A = L L^T of a symmetric positive definite matrix, to solve A X = B any number of
 * times, in half the operations of LU. For complex elements A is hermitian, and L^T here is L^H, the conjugate
 * transpose.
 *
 * Example, given clsolve_context *context, int64_t n, double *a, double *b:
 *
 *     clsolve_cholesky *cholesky;
 *     clsolve_matrix A = clsolve_matrix_f64(n, n, a), B = clsolve_matrix_f64(n, 1, b);   // by columns, ld = n
 *     clsolve_status status = clsolve_cholesky_create(context, n, CLSOLVE_F64, NULL, &cholesky);   // takes the memory
 *     if (status == CLSOLVE_OK) status = clsolve_cholesky_factor(cholesky, CLSOLVE_LOWER, &A);     // A = L L^T
 *     if (status == CLSOLVE_OK) status = clsolve_cholesky_solve(cholesky, &B);                     // b holds x now
 *     if (status != CLSOLVE_OK) puts(clsolve_context_message(context));
 *     clsolve_cholesky_destroy(cholesky);
 *
 * Algorithm. The factorization is the blocked right-looking one of LAPACK's potrf. Its source is G. Golub, C. Van Loan,
 * Matrix Computations, 4th ed., section 4.2.8. Each block of columns takes two steps:
 *
 *   1. factor the panel, the block's columns from the diagonal down: A11 = L11 L11^T, L21 = A21 L11^-T
 *   2. update one triangle of the rest by matrix products: A22 = A22 - L21 L21^T
 *
 * There are no pivots. A matrix that is not positive definite shows itself: a column's leading minor is not positive.
 * Where the device works in the host's memory LAPACK's potrf does it all, in place.
 *
 * Triangles. Each call names the triangle that it reads or writes, in the caller's layout; the other one is neither
 * read nor written. A triangle includes the diagonal:
 *
 *        CLSOLVE_LOWER                       CLSOLVE_UPPER
 *        a00  .   .        A = L L^T         a00 a01 a02        A = U^T U
 *        a10 a11  .                           .  a11 a12
 *        a20 a21 a22                          .   .  a22
 *
 * Imaginary parts on the diagonal of a hermitian matrix count as zeros, whatever they are, as in LAPACK's potrf. In a
 * factor and in an inverse they are zeros.
 *
 * Transfers between host and device:
 *
 *   A                  up once in each clsolve_cholesky_factor: one triangle, in slabs of columns
 *   B and X            B up and X down once in each clsolve_cholesky_solve
 *   with refinement    O(n) bytes for each step and right-hand side
 *   all else           O(n) bytes; from n = 2048 on, 8192 on NVIDIA's GPUs, or with a progress function, 8 bytes for
 *                      each block
 *
 * Where the device or memory_limit does not hold A, it is factored out of core. The factor then lies in the host's
 * memory, and a slab of s columns is on the device at a time. A triangle goes up and down once, and about n^3 / (6 s)
 * elements of L go up besides. A solve takes L up twice for each s right-hand sides. Such a handle takes matrices on
 * the host alone.
 */
#ifndef CLSOLVE_CHOLESKY_H
#define CLSOLVE_CHOLESKY_H

#include <stdint.h>

#include <clsolve/context.h>
#include <clsolve/enqueue.h>
#include <clsolve/export.h>
#include <clsolve/factorization.h>
#include <clsolve/matrix.h>
#include <clsolve/report.h>
#include <clsolve/status.h>

typedef struct clsolve_cholesky clsolve_cholesky;

/* All zeros are the defaults. */
typedef struct clsolve_cholesky_options {
    /* AUTO: LAPACK on a device that works in the host's memory, else NATIVE; NATIVE: by device kernels; HYBRID: by
     * LAPACK, on such a device alone */
    clsolve_panel panel;
    int32_t block;               /* columns in a block; 0: chosen for the device */
    int64_t slab_bytes;          /* bound on one device buffer of the matrix, in bytes; 0: the device's own */
    clsolve_progress progress;   /* called during the factorization (report.h); NULL: none */
    void *progress_user;         /* first argument of `progress` */
    clsolve_precision precision; /* AUTO, WORKING, or for handles of doubles MIXED (factorization.h) */
    int32_t rcond;               /* 1: each factorization estimates the condition number, by at most eleven solves;
                                    2: CLSOLVE_RCOND_IF_ILL (factorization.h) */
    int32_t equilibrate;         /* 1: scale rows and columns alike by powers of two, as LAPACK's poequ and laqsy */
    int32_t refine;              /* 1: iterative refinement of each solution in the handle's type; keeps a copy of A */
    int64_t memory_limit;        /* bytes of device memory for the handle, right-hand sides included; 0: what is free. A
                                    matrix that does not fit is factored out of core */
    clsolve_where where;         /* on the device or on the host (factorization.h) */
    int64_t reserved[8];         /* zeros */
} clsolve_cholesky_options;

CLSOLVE_BEGIN_DECLS

/*
 * Creates a handle for n x n matrices: takes the device memory and builds the kernels.
 *
 *   n          order of A, at least 0
 *   type       of A, B and X
 *   options    NULL: the defaults
 *   cholesky   out: the handle; NULL on failure
 *
 *   status                       when
 *   ERROR_INVALID_ARGUMENT       an argument or an option is out of range
 *   ERROR_UNSUPPORTED            the device excludes the panel, or LAPACK cannot count the rows
 *   ERROR_UNSUPPORTED            the kernels fail their self-test on the device (context.h)
 *   ERROR_OUT_OF_MEMORY          the host has no room for the handle, or for a copy of A
 *   ERROR_OUT_OF_DEVICE_MEMORY   the device or memory_limit has no room for two panels, or for the copy of A
 *   ERROR_BUILD                  a kernel did not build
 *   ERROR_DEVICE                 the driver failed
 *
 * With the options refine and MIXED the handle keeps a copy of A, as clsolve_lu does (lu.h). On a device without double
 * precision a handle of CLSOLVE_F64 or CLSOLVE_C64 is always MIXED. A matrix that is positive definite in double and
 * not in float is NOT_POSITIVE_DEFINITE there.
 */
CLSOLVE_API clsolve_status clsolve_cholesky_create(clsolve_context *context, int64_t n, clsolve_type type,
                                                   const clsolve_cholesky_options *options,
                                                   clsolve_cholesky **cholesky);

/*
 * Factors A. The call may be repeated with new values, and takes no new memory then.
 *
 *   uplo      the triangle of A that is read
 *   A         in: n x n, the handle's type, either layout, any ld, on the host or on the device
 *
 *   status                       when
 *   NOT_POSITIVE_DEFINITE        a leading minor is not positive; the report's info has the first one's order, and
 *                                there are no factors
 *   ERROR_NONFINITE              the triangle holds NaN or Inf
 *   ERROR_OUT_OF_DEVICE_MEMORY   MIXED has no room for the double factors that it needs
 *   ERROR_UNSUPPORTED            A is on the device, and the handle is out of core
 */
CLSOLVE_API clsolve_status clsolve_cholesky_factor(clsolve_cholesky *cholesky, clsolve_uplo uplo,
                                                   const clsolve_matrix *A);

/*
 * Solves A X = B with the factors.
 *
 *   B         in: n x nrhs, the handle's type, either layout, any ld; out: X, or B as it was on any status but OK
 *
 *   status                       when
 *   NOT_POSITIVE_DEFINITE        the factorization found A so, or the one to which this call fell back did
 *   NOT_CONVERGED                MIXED does not reach the accuracy of double, and has nothing to fall back to
 *   OVERFLOW                     X would hold NaN or Inf
 *   ERROR_NONFINITE              B holds NaN or Inf
 *   ERROR_STATE                  there are no factors
 *   ERROR_OUT_OF_DEVICE_MEMORY   there is no room for B, or for the double factors that MIXED needs
 */
CLSOLVE_API clsolve_status clsolve_cholesky_solve(clsolve_cholesky *cholesky, clsolve_matrix *B);

/*
 * Exports the factor as LAPACK's potrf leaves it: that of A itself, also where A was scaled.
 *
 *   uplo      CLSOLVE_LOWER: L with A = L L^T; CLSOLVE_UPPER: U with A = U^T U. Either one, whatever triangle of A was
 *             read
 *   F         out: the triangle of an n x n matrix on the host, either layout, any ld; of the handle's type, or of its
 *             type in float while the report's precision is "mixed". If AUTO took MIXED, both will do, as for
 *             clsolve_lu_factors
 *
 * Statuses as clsolve_cholesky_solve. OVERFLOW: factors in float, and that of A itself is beyond float's range.
 */
CLSOLVE_API clsolve_status clsolve_cholesky_factors(clsolve_cholesky *cholesky, clsolve_uplo uplo, clsolve_matrix *F);

/*
 * Takes a factor from the caller, as LAPACK's potrf leaves it, in the place of clsolve_cholesky_factor. All other calls
 * on the handle then work as after a factorization of A. In the report rcond is -1.
 *
 *   uplo      CLSOLVE_LOWER: F holds L; CLSOLVE_UPPER: F holds U
 *   F         in: n x n on the host, the handle's type, either layout, any ld
 *
 *   status                   when
 *   NOT_POSITIVE_DEFINITE    an element on the diagonal is zero; the report's info has its column
 *   ERROR_NONFINITE          the triangle holds NaN or Inf; the handle has no factors then
 *   ERROR_UNSUPPORTED        the handle keeps a copy of A (refine, MIXED, also where AUTO took it)
 */
CLSOLVE_API clsolve_status clsolve_cholesky_import(clsolve_cholesky *cholesky, clsolve_uplo uplo,
                                                   const clsolve_matrix *F);

/*
 * The reciprocal condition number 1 / (||A|| ||A^-1||) from the factors and a given norm of A, as LAPACK's pocon: by at
 * most eleven solves, and rarely more than three times too large. The 1-norm of a symmetric matrix is its infinity
 * norm.
 *
 *   norm_A   ||A||_1 of A as it was given: finite, at least 0
 *   rcond    out: 1 if n is 0; 0 if norm_A is 0 or the inverse is too large
 *
 * ERROR_STATE: there are no factors. ERROR_UNSUPPORTED: the factors in use are of float in a handle of doubles.
 */
CLSOLVE_API clsolve_status clsolve_cholesky_condition(clsolve_cholesky *cholesky, double norm_A, double *rcond);

/*
 * One triangle of the inverse of A from the factors: LAPACK's potri on the host, solves for the identity on the device.
 * It takes room for n^2 elements more on the host.
 *
 *   uplo      the triangle of X that is written, whatever triangle of A was read
 *   X         out: n x n on the host, either layout, any ld; unchanged on any status but OK
 *
 * With MIXED A is factored in double first, because an inverse by float factors takes longer. Without double, or the
 * room for it, each column is refined by itself, and one triangle is taken. Then elements are as accurate as with
 * WORKING, but A X - I may be larger by the condition number.
 *
 * Statuses as clsolve_cholesky_solve; OVERFLOW: the inverse would hold NaN or Inf.
 */
CLSOLVE_API clsolve_status clsolve_cholesky_inverse(clsolve_cholesky *cholesky, clsolve_uplo uplo, clsolve_matrix *X);

/*
 * The time that the choice between device and host (CLSOLVE_WHERE_AUTO) expects of a factorization with a solve, as
 * clsolve_lu_predict; HUGE_VAL: AUTO never takes that side. Status: ERROR_INVALID_ARGUMENT, ERROR_OUT_OF_MEMORY.
 */
CLSOLVE_API clsolve_status clsolve_cholesky_predict(clsolve_context *context, int64_t n, int64_t nrhs,
                                                    clsolve_type type, double *device_seconds, double *host_seconds);

/* Compiles and tests the device's kernels, and measures both sides where AUTO has guesses alone, as clsolve_lu_warm. */
CLSOLVE_API clsolve_status clsolve_cholesky_warm(clsolve_context *context, int64_t n, clsolve_type type);

/* 1: a handle on the device has been made in this context, or clsolve_calibrate has measured the type, so its kernels
 * are compiled; 0: not yet. It takes no lock. */
CLSOLVE_API int clsolve_cholesky_is_warm(const clsolve_context *context, clsolve_type type);

/* The calls that enqueue, for arrays on the device, and the call that returns their outcome (enqueue.h). */
CLSOLVE_API clsolve_status clsolve_cholesky_factor_enqueue(clsolve_cholesky *cholesky, clsolve_uplo uplo,
                                                           const clsolve_matrix *A, const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_cholesky_solve_enqueue(clsolve_cholesky *cholesky, clsolve_matrix *B,
                                                          const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_cholesky_status(clsolve_cholesky *cholesky);

/* Writes into `report` how the last factorization and the last solve went (report.h). Its method is "cholesky"; growth
 * is not known, because elements of L never exceed the root of A's largest one. */
CLSOLVE_API clsolve_status clsolve_cholesky_report(const clsolve_cholesky *cholesky, clsolve_report *report);

CLSOLVE_API void clsolve_cholesky_destroy(clsolve_cholesky *cholesky); /* NULL is allowed */

CLSOLVE_END_DECLS

#endif
