/*
 * ldl.h: factorization P^T A P = L D L^T of a symmetric indefinite matrix, to solve A X = B any number of times, and
 * its inertia, in about half the operations of LU. D has blocks of order 1 and 2. Complex matrices are hermitian, with
 * L^H in the place of L^T, or by an option symmetric.
 *
 * Example, given clsolve_context *context, int64_t n, double *a, double *b:
 *
 *     clsolve_ldl *ldl;
 *     clsolve_inertia inertia;
 *     clsolve_matrix A = clsolve_matrix_f64(n, n, a), B = clsolve_matrix_f64(n, 1, b);     // by columns, ld = n
 *     clsolve_status status = clsolve_ldl_create(context, n, CLSOLVE_F64, NULL, &ldl);     // takes the memory
 *     if (status == CLSOLVE_OK) status = clsolve_ldl_factor(ldl, CLSOLVE_LOWER, &A);       // P^T A P = L D L^T
 *     if (status == CLSOLVE_OK) status = clsolve_ldl_solve(ldl, &B);                       // b holds x now
 *     if (status == CLSOLVE_OK) status = clsolve_ldl_inertia(ldl, &inertia);               // signs of eigenvalues
 *     if (status != CLSOLVE_OK) puts(clsolve_context_message(context));
 *     clsolve_ldl_destroy(ldl);
 *
 * Algorithm. Each pivot is an element of the diagonal or a 2 x 2 block that is large next to its row and its column, so
 * no element of L exceeds 8, of complex matrices 12.
 *
 *   on a device            within windows of 64 columns, by rook pivoting: C. Ashcraft, R. G. Grimes, J. G. Lewis,
 *                          Accurate symmetric indefinite linear equation solvers, SIAM J. Matrix Anal. Appl. 20 (1998),
 *                          section 4. L is checked afterwards, and whole columns are searched where it is too large: I.
 *                          Duff, J. Hogg, F. Lopez, A new sparse LDL^T solver using a posteriori threshold pivoting,
 *                          SIAM J. Sci. Comput. 42 (2020), sections 3 and 4
 *   in the host's memory   doubles by threshold pivoting: I. S. Duff, J. K. Reid, ACM Trans. Math. Softw. 22 (1996),
 *                          section 2; floats by LAPACK's sytrf_rk or hetrf_rk, which is rook pivoting
 *
 * Inertia. By Sylvester's law D has as many positive, negative and zero eigenvalues as A. The counts are exact for a
 * matrix within rounding of A (a backward error of a few n epsilon), so an eigenvalue that small may be counted with
 * either sign. So rounding decides how a zero eigenvalue of a singular A counts.
 *
 * Triangles. A call that reads A names the triangle; the other one is neither read nor written. A triangle includes the
 * diagonal. Imaginary parts on the diagonal of a hermitian matrix count as zeros. The factors are always L, in the
 * lower triangle.
 *
 * Transfers between host and device:
 *
 *   A                  up once in each clsolve_ldl_factor: one triangle
 *   B and X            B up and X down once in each clsolve_ldl_solve
 *   with refinement    O(n) bytes for each step and right-hand side
 *   all else           O(n) bytes
 *
 * The factors lie on the device: nothing goes out of core.
 */
#ifndef CLSOLVE_LDL_H
#define CLSOLVE_LDL_H

#include <stdint.h>

#include <clsolve/context.h>
#include <clsolve/enqueue.h>
#include <clsolve/export.h>
#include <clsolve/factorization.h>
#include <clsolve/matrix.h>
#include <clsolve/report.h>
#include <clsolve/status.h>

typedef struct clsolve_ldl clsolve_ldl;

/*
 * The pivots.
 *
 *   AUTO      as above; the factors have sytrf_rook's form
 *   ROOK      the same, but doubles in the host's memory by LAPACK's sytrf_rk or hetrf_rk: no element of L exceeds 2.8
 *             there. For programs that have LAPACK's sytrf_rook
 *   PARTIAL   those of J. R. Bunch, L. Kaufman, Some stable methods for calculating inertia and solving symmetric
 *             linear systems, Math. Comp. 31 (1977), algorithm A: the first row of a 2 x 2 pivot stays, so the factors
 *             can be sytrf's. L can be large then. For programs that have LAPACK's sytrf, sytrs or sytri
 */
typedef enum clsolve_ldl_pivots {
    CLSOLVE_LDL_PIVOTS_AUTO = 0,
    CLSOLVE_LDL_PIVOTS_PARTIAL = 1,
    CLSOLVE_LDL_PIVOTS_ROOK = 2
} clsolve_ldl_pivots;

/* All zeros are the defaults. */
typedef struct clsolve_ldl_options {
    /* AUTO: the host on a device that works in its memory, else NATIVE; NATIVE: by device kernels; HYBRID: by the
     * host, on such a device alone */
    clsolve_panel panel;
    int32_t block;               /* columns in a block; 0: chosen for the device */
    int64_t slab_bytes;          /* bound on one device buffer of the matrix, in bytes; 0: the device's own */
    clsolve_progress progress;   /* called during the factorization (report.h); NULL: none */
    void *progress_user;         /* first argument of `progress` */
    clsolve_precision precision; /* AUTO, WORKING, or for handles of doubles MIXED (factorization.h) */
    int32_t rcond;               /* 1: each factorization estimates the condition number, by at most eleven solves;
                                    2: CLSOLVE_RCOND_IF_ILL (factorization.h) */
    int32_t equilibrate;         /* 1: scale rows and columns alike by powers of two, largest elements near 1 */
    int32_t refine;              /* 1: iterative refinement of each solution in the handle's type; keeps a copy of A */
    int64_t memory_limit;        /* bytes of device memory for the handle, right-hand sides included; 0: what is free */
    clsolve_where where;         /* on the device or on the host (factorization.h) */
    clsolve_symmetry symmetry;   /* of complex matrices: HERMITIAN or TRANSPOSE (factorization.h) */
    clsolve_ldl_pivots pivots;   /* AUTO, ROOK or PARTIAL */
    int32_t reserved_number;     /* zero */
    int64_t reserved[7];         /* zeros */
} clsolve_ldl_options;

CLSOLVE_BEGIN_DECLS

/*
 * Creates a handle for n x n matrices: takes the device memory and builds the kernels.
 *
 *   n          order of A, at least 0
 *   type       of A, B and X
 *   options    NULL: the defaults
 *   ldl        out: the handle; NULL on failure
 *
 *   status                       when
 *   ERROR_INVALID_ARGUMENT       an argument or an option is out of range
 *   ERROR_UNSUPPORTED            the device excludes the panel, or LAPACK cannot count the rows
 *   ERROR_UNSUPPORTED            on the device the matrix is larger than one buffer, or than slab_bytes
 *   ERROR_UNSUPPORTED            the kernels fail their self-test on the device (context.h)
 *   ERROR_OUT_OF_MEMORY          the host has no room for the handle, or for a copy of A
 *   ERROR_OUT_OF_DEVICE_MEMORY   the device or memory_limit has no room for A, or for its copy
 *   ERROR_BUILD                  a kernel did not build
 *   ERROR_DEVICE                 the driver failed
 *
 * With the options refine and MIXED the handle keeps a copy of A, as clsolve_lu does (lu.h). On a device without double
 * precision a handle of CLSOLVE_F64 or CLSOLVE_C64 is always MIXED. With WORKING and `where` AUTO it is on the host
 * then, and its factors are of double.
 */
CLSOLVE_API clsolve_status clsolve_ldl_create(clsolve_context *context, int64_t n, clsolve_type type,
                                              const clsolve_ldl_options *options, clsolve_ldl **ldl);

/*
 * Factors A. The call may be repeated with new values, and takes no new memory then.
 *
 *   uplo      the triangle of A that is read
 *   A         in: n x n, the handle's type, either layout, any ld, on the host or on the device
 *
 *   status                       when
 *   SINGULAR                     a pivot is exactly zero; the report's info has the first one's column. The factors and
 *                                the inertia can be had; nothing can be solved with them
 *   OVERFLOW                     the factors hold NaN or Inf
 *   ERROR_NONFINITE              the triangle holds NaN or Inf
 *   ERROR_OUT_OF_DEVICE_MEMORY   MIXED has no room for the double factors that it needs
 */
CLSOLVE_API clsolve_status clsolve_ldl_factor(clsolve_ldl *ldl, clsolve_uplo uplo, const clsolve_matrix *A);

/*
 * Solves A X = B with the factors.
 *
 *   B         in: n x nrhs, the handle's type, either layout, any ld; out: X, or B as it was on any status but OK
 *
 *   status                       when
 *   SINGULAR                     the factorization found A so, or the one to which this call fell back did
 *   NOT_CONVERGED                MIXED does not reach the accuracy of double, and has nothing to fall back to
 *   OVERFLOW                     X would hold NaN or Inf
 *   ERROR_NONFINITE              B holds NaN or Inf
 *   ERROR_STATE                  there are no factors
 *   ERROR_OUT_OF_DEVICE_MEMORY   there is no room for B, or for the double factors that MIXED needs
 */
CLSOLVE_API clsolve_status clsolve_ldl_solve(clsolve_ldl *ldl, clsolve_matrix *B);

/*
 * The signs of the eigenvalues of A, from D: of a singular A too. The report has the same numbers.
 *
 *   inertia   out: the sum is n
 *
 *   status              when
 *   ERROR_STATE         there are no factors
 *   ERROR_UNSUPPORTED   A is complex with A = A^T, whose eigenvalues have no signs; or the factors in use are of float
 *                       in a handle of doubles (MIXED). If AUTO took MIXED, A is factored in double first
 *   OVERFLOW            the factors hold NaN or Inf
 */
CLSOLVE_API clsolve_status clsolve_ldl_inertia(clsolve_ldl *ldl, clsolve_inertia *inertia);

/*
 * Exports the factors as LAPACK's sytrf_rook with UPLO = 'L' leaves them, of a hermitian A hetrf_rook: those of A
 * itself, also where A was scaled. LAPACK's sytrs_rook, sycon_rook and sytri_rook take them.
 *
 *   F         out: the lower triangle of an n x n matrix on the host, either layout, any ld; of the type as for
 *             clsolve_cholesky_factors. It holds D's diagonal, L below it, and D(k+1,k) in the place of L(k+1,k)
 *   ipiv      out: n numbers from 1. ipiv[k] > 0: a 1 x 1 pivot; row and column k + 1 were exchanged with ipiv[k].
 *             ipiv[k] < 0 and ipiv[k+1] < 0: a 2 x 2 pivot; k + 1 was exchanged with -ipiv[k], then k + 2 with
 *             -ipiv[k+1]. As LAPACK's, the exchanges are not applied to the columns of L before them
 *
 * With CLSOLVE_LDL_PIVOTS_PARTIAL they are sytrf's or hetrf's, for sytrs, sycon and sytri: of a 2 x 2 pivot ipiv[k] and
 * ipiv[k+1] are equal, and k + 2 was exchanged with -ipiv[k].
 *
 * Statuses as clsolve_ldl_solve, but for SINGULAR: such factors are exported. OVERFLOW: factors in float, and those of
 * A itself are beyond float's range.
 */
CLSOLVE_API clsolve_status clsolve_ldl_factors(clsolve_ldl *ldl, clsolve_matrix *F, int64_t *ipiv);

/*
 * Takes factors from the caller in the place of clsolve_ldl_factor, as LAPACK's sytrf_rook or hetrf_rook leaves them
 * for the lower triangle. With CLSOLVE_LDL_PIVOTS_PARTIAL they are those of sytrf or hetrf. All other calls on the
 * handle then work as after a factorization of A. In the report rcond is -1.
 *
 *   F         in: n x n on the host, the handle's type, either layout, any ld
 *   ipiv      in: n pivots, as clsolve_ldl_factors writes them
 *
 *   status                   when
 *   SINGULAR                 a block of D is singular; the report's info has its first column
 *   ERROR_INVALID_ARGUMENT   a pivot is out of range, a 2 x 2 block has one pivot, or PARTIAL has two different ones
 *   ERROR_NONFINITE          the triangle holds NaN or Inf; the handle has no factors then
 *   ERROR_UNSUPPORTED        the handle keeps a copy of A (refine, MIXED, also where AUTO took it)
 */
CLSOLVE_API clsolve_status clsolve_ldl_import(clsolve_ldl *ldl, const clsolve_matrix *F, const int64_t *ipiv);

/*
 * The reciprocal condition number 1 / (||A|| ||A^-1||) from the factors and a given norm of A, as LAPACK's sycon_rook:
 * by at most eleven solves, and rarely more than three times too large.
 *
 *   norm_A   ||A||_1 of A as it was given: finite, at least 0
 *   rcond    out: 1 if n is 0; 0 if A is singular, norm_A is 0 or the inverse is too large
 *
 * ERROR_STATE: there are no factors. ERROR_UNSUPPORTED: the factors in use are of float in a handle of doubles.
 */
CLSOLVE_API clsolve_status clsolve_ldl_condition(clsolve_ldl *ldl, double norm_A, double *rcond);

/*
 * One triangle of the inverse of A from the factors: LAPACK's sytri_3 on the host, solves for the identity on the
 * device. It takes room for n^2 elements more on the host.
 *
 *   uplo      the triangle of X that is written, whatever triangle of A was read
 *   X         out: n x n on the host, either layout, any ld; unchanged on any status but OK
 *
 * With MIXED A is factored in double first, because an inverse by float factors takes longer. Without double, or the
 * room for it, each column is refined by itself, and one triangle is taken. Then elements are as accurate as with
 * WORKING, but A X - I may be larger by the condition number.
 *
 * Statuses as clsolve_ldl_solve; OVERFLOW: the inverse would hold NaN or Inf.
 */
CLSOLVE_API clsolve_status clsolve_ldl_inverse(clsolve_ldl *ldl, clsolve_uplo uplo, clsolve_matrix *X);

/*
 * The time that the choice between device and host (CLSOLVE_WHERE_AUTO) expects of a factorization with a solve, as
 * clsolve_lu_predict; HUGE_VAL: AUTO never takes that side. Status: ERROR_INVALID_ARGUMENT, ERROR_OUT_OF_MEMORY.
 */
CLSOLVE_API clsolve_status clsolve_ldl_predict(clsolve_context *context, int64_t n, int64_t nrhs, clsolve_type type,
                                               double *device_seconds, double *host_seconds);

/* Compiles and tests the device's kernels, and measures both sides where AUTO has guesses alone, as clsolve_lu_warm. */
CLSOLVE_API clsolve_status clsolve_ldl_warm(clsolve_context *context, int64_t n, clsolve_type type);

/* 1: a handle on the device has been made in this context, or clsolve_calibrate has measured the type, so its kernels
 * are compiled; 0: not yet. It takes no lock. */
CLSOLVE_API int clsolve_ldl_is_warm(const clsolve_context *context, clsolve_type type);

/* The calls that enqueue, for arrays on the device, and the call that returns their outcome (enqueue.h). */
CLSOLVE_API clsolve_status clsolve_ldl_factor_enqueue(clsolve_ldl *ldl, clsolve_uplo uplo, const clsolve_matrix *A,
                                                      const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_ldl_solve_enqueue(clsolve_ldl *ldl, clsolve_matrix *B, const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_ldl_status(clsolve_ldl *ldl);

/* Writes into `report` how the last factorization and the last solve went (report.h). Its method is "ldl"; growth is
 * max |d(i,j)| / max |a(i,j)|. */
CLSOLVE_API clsolve_status clsolve_ldl_report(const clsolve_ldl *ldl, clsolve_report *report);

CLSOLVE_API void clsolve_ldl_destroy(clsolve_ldl *ldl); /* NULL is allowed */

CLSOLVE_END_DECLS

#endif
