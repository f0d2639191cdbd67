/*
 * lu.h: dense LU factorization P A = L U, to solve A X = B or A^T X = B any number of times.
 *
 * Example, given clsolve_context *context, int64_t n, double *a, double *b:
 *
 *     clsolve_lu *lu;
 *     clsolve_matrix A = clsolve_host_f64(n, n, a), B = clsolve_host_f64(n, 1, b);     // by columns, ld = n
 *     clsolve_status status = clsolve_lu_create(context, n, CLSOLVE_F64, NULL, &lu);   // takes the memory
 *     if (status == CLSOLVE_OK) status = clsolve_lu_factor(lu, &A);                    // P A = L U
 *     if (status == CLSOLVE_OK) status = clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &B);   // b holds x now
 *     if (status != CLSOLVE_OK) puts(clsolve_context_message(context));
 *     clsolve_lu_destroy(lu);
 *
 * Algorithm. The factorization is the blocked right-looking LU of LAPACK's getrf. Its source is G. Golub, C. Van Loan,
 * Matrix Computations, 4th ed., algorithm 3.4.1 in its block form (section 3.2.11). Each block of columns takes four
 * steps:
 *
 *   1. factor the panel, the block's columns from the diagonal down, with pivoting
 *   2. apply the panel's row swaps to the other columns
 *   3. solve with the panel's lower triangle for the block row of U
 *   4. update the rest of the matrix by one matrix product
 *
 * Device kernels factor the panel, or LAPACK does on the host (clsolve_panel). If panels are factored concurrently
 * with step 4, the columns far from the panel are updated in Crout's order (LAPACK's SRC/VARIANTS/lu/CR). The pivots
 * come from partial pivoting or a tournament; random butterflies make pivots unnecessary (clsolve_pivoting).
 *
 * Storage after clsolve_lu_factor, as LAPACK's: L lies below the diagonal with an implied unit diagonal, U on and above
 * it.
 *
 *        u00 u01 u02        Row i was swapped with row ipiv[i], counted from 1, in the order i = 0, 1, ...
 *        l10 u11 u12
 *        l20 l21 u22
 *
 * Transfers between host and device:
 *
 *   A                  up once in each clsolve_lu_factor
 *   B and X            B up and X down once in each clsolve_lu_solve
 *   hybrid panels      down and up once each, only on a device with memory of its own
 *   with refinement    O(n) bytes for each step and right-hand side
 *   all else           O(n) bytes
 *
 * A matrix that does not fit on the device takes more transfers: see clsolve_lu_create.
 */
#ifndef CLSOLVE_LU_H
#define CLSOLVE_LU_H

#include <stdint.h>

#include <clsolve/context.h>
#include <clsolve/export.h>
#include <clsolve/matrix.h>
#include <clsolve/report.h>
#include <clsolve/status.h>

typedef struct clsolve_lu clsolve_lu;

/* The place where a panel is factored. A panel is the part of a block column that is being pivoted. */
typedef enum clsolve_panel {
    /* LU: hybrid on a device that works in the host's memory, if the pivoting allows it; else native. Bands: band.h. */
    CLSOLVE_PANEL_AUTO = 0,
    /* By device kernels: no panel crosses to the host. */
    CLSOLVE_PANEL_NATIVE = 1,
    /* On the host by LAPACK: panels cross down and up, overlapped with the trailing update. */
    CLSOLVE_PANEL_HYBRID = 2
} clsolve_panel;

/*
 * The precision in which a system of doubles is factored and solved.
 *
 *   WORKING   The factors and the solution have the handle's type.
 *   MIXED     The factors are in float, which most devices compute faster. Refinement with residuals in double then
 *             brings the solution to the accuracy of double.
 *
 * MIXED goes through these steps until the solution is accurate enough; docs/accuracy.md has the exact bounds:
 *
 *   1. factor in float
 *   2. refine plainly, to half of the bound at which LAPACK's dsgesv stops
 *   3. refine by GMRES, where the error stays above that half and above 4 epsilon
 *   4. factor in double; the best answer of the double factors stands, as with WORKING
 *
 * The report says which steps it took. By its normwise backward error (report.h), the answer is as good as with
 * WORKING. This error says little of rows much smaller than the largest row. If rows differ by more than 1e8:
 *
 *   - an element of x may have the digits of float only
 *   - an element of x that is 1e38 times smaller than the largest may be 0
 *
 * WORKING computes both to all their digits.
 *
 * On a device without double precision a handle of CLSOLVE_F64 is always MIXED:
 *
 *   - A stays in double on the host
 *   - there is no step 4: clsolve_lu_solve returns NOT_CONVERGED instead
 *   - a pivot that is zero in float alone is perturbed, and refinement corrects the solution
 *   - SINGULAR means that a row or a column of A is all zeros
 */
typedef enum clsolve_precision { CLSOLVE_PRECISION_WORKING = 0, CLSOLVE_PRECISION_MIXED = 1 } clsolve_precision;

/*
 * The way in which the factorization avoids division by small pivots.
 *
 *   PARTIAL      The largest element of a column becomes its pivot.
 *   TOURNAMENT   The pivots of several columns are chosen together, in rounds.
 *   RBT          Random butterfly transformations make pivots unnecessary for nearly every dense matrix.
 *
 * TOURNAMENT (L. Grigori, J. Demmel, H. Xiang, CALU: a communication optimal LU factorization algorithm, SIAM J. Matrix
 * Anal. Appl. 32 (2011)). Each group of rows chooses as many candidates as there are columns, by partial pivoting. The
 * candidates form new groups, until one group is left. All columns together take a few launches, and no column takes a
 * search over all rows.
 *
 *   - As soon as one group, of at least 128 rows, holds all rows that are left, the pivots are exactly PARTIAL's.
 *   - Growth is like that of PARTIAL in practice, and the report has it. Its bound is weaker: 2^(w h) for w columns and
 *     h rounds, where PARTIAL has 2^w.
 *   - Elements of L may be larger than 1.
 *   - Refinement, all other options and factorization out of core work as with PARTIAL.
 *   - Panels are native: clsolve_lu_create returns ERROR_INVALID_ARGUMENT with CLSOLVE_PANEL_HYBRID.
 *   - On a device whose work-groups have fewer than 64 work-items, clsolve_lu_create returns ERROR_UNSUPPORTED.
 *
 * RBT (Parker 1995, Baboulin, Dongarra, Herrmann and Tomov, ACM TOMS 39 (2013), sections 2 and 3, and Lindquist,
 * Luszczek and Dongarra 2020). The factors are L U = W^T A V, without pivots. W and V are random butterfly
 * transformations of depth 2 from options.seed. One pass over the matrix replaces each row by a combination of four
 * rows, and each column by a combination of four columns. There is no search for pivots and no exchange of rows. The
 * handle keeps a copy of A in its type, and refines every solution with this copy: plainly, then by GMRES.
 *
 * RBT makes pivoting unnecessary for nearly every dense matrix, but guarantees it for none. It usually fails for a
 * matrix of mostly zeros, like a permutation or a band. RBT then falls back to partial pivoting of the copy of A, in
 * the memory of the factors:
 *
 *   at factor   a pivot is nearly zero
 *   at factor   the elements of the factors grew too much
 *   at factor   the condition number that option rcond asks for is too large for refined solves
 *   at solve    refinement does not reach a backward error of max(sqrt(n), 4) epsilon, and the bound of MIXED
 *   at solve    X is so large that A must be close to singular
 *
 * The report gives the reason. From then on until the next factorization the handle works as with PARTIAL and `refine`.
 * So an answer is, by its backward error, as good as with PARTIAL.
 *
 * The outcome for a singular A may differ from that of PARTIAL:
 *
 *   - Usually clsolve_lu_solve returns SINGULAR, with the column that partial pivoting finds.
 *   - clsolve_lu_factor returns SINGULAR only where option rcond is set or the zero pivot shows.
 *   - A right-hand side in the range of a singular A may be solved, where PARTIAL refuses.
 *
 * RBT together with other features:
 *
 *   as with PARTIAL     transposed solves, any number and layout of right-hand sides, equilibrate, rcond,
 *                       the determinant (of A itself), growth (of the factors, relative to A's largest element)
 *   MIXED               RBT makes the float factors; they fall back to partial pivoting in float, then in double
 *   hybrid panels       the fallback uses them; the host also factors without pivots a matrix in the host's memory
 *   ERROR_UNSUPPORTED   export of RBT's factors, matrices on the device (as with all refinement), and a matrix
 *                       that must be factored out of core
 */
typedef enum clsolve_pivoting {
    CLSOLVE_PIVOTING_PARTIAL = 0,
    CLSOLVE_PIVOTING_RBT = 1,
    CLSOLVE_PIVOTING_TOURNAMENT = 2
} clsolve_pivoting;

/* All zeros are the defaults. */
typedef struct clsolve_lu_options {
    clsolve_panel panel;
    int32_t block;               /* columns in a block; 0: chosen for the device and n */
    int64_t slab_bytes;          /* bound on one device buffer of the matrix, in bytes; 0: the device's own */
    clsolve_progress progress;   /* called during the factorization (report.h); NULL: none */
    void *progress_user;         /* first argument of `progress` */
    clsolve_precision precision; /* MIXED: handles of CLSOLVE_F64 only */
    int32_t rcond;               /* 1: each factorization estimates the condition number, by at most eleven solves */
    int32_t equilibrate;  /* 1: scale rows and columns by powers of two where they differ much (LAPACK's geequb) */
    int32_t refine;       /* 1: iterative refinement of each solution in the handle's type; keeps a copy of A */
    int64_t memory_limit; /* bytes of device memory for the handle, right-hand sides included; 0: what is free */
    clsolve_pivoting pivoting;
    uint64_t seed; /* of the butterflies of RBT, any number; the same seed gives the same solution */
} clsolve_lu_options;

CLSOLVE_BEGIN_DECLS

/*
 * Creates a handle for n x n matrices: takes the device memory and builds the kernels.
 *
 *   n         order of A, at least 0
 *   type      of A, B and X
 *   options   NULL: the defaults
 *   lu        out: the handle; NULL on failure
 *
 *   status                       when
 *   ERROR_INVALID_ARGUMENT       an argument or an option is out of range, or two options exclude each other
 *   ERROR_UNSUPPORTED            the device or the size excludes the pivoting (clsolve_pivoting)
 *   ERROR_UNSUPPORTED            hybrid panels have more rows than LAPACK can count
 *   ERROR_UNSUPPORTED            the kernels fail their self-test on the device (context.h)
 *   ERROR_OUT_OF_MEMORY          the host has no room for the handle, or for a copy of A
 *   ERROR_OUT_OF_MEMORY          the host has no room for factors out of core, under a memory_limit
 *   ERROR_OUT_OF_DEVICE_MEMORY   the host has no room for factors out of core, without a memory_limit
 *   ERROR_OUT_OF_DEVICE_MEMORY   the device or memory_limit has no room for two panels of the smallest width
 *   ERROR_OUT_OF_DEVICE_MEMORY   memory_limit has no room for the copy of A
 *   ERROR_BUILD                  a kernel did not build
 *   ERROR_DEVICE                 the driver failed
 *
 * Copy of A. With the options refine, MIXED and RBT the handle keeps a copy of A and takes matrices on the host only.
 * The copy lies on the device. It lies on the host in double where the device has no double, or where the device or
 * memory_limit has no room. MIXED takes the memory of the double factors only when it falls back to them.
 *
 * Out of core. A matrix that does not fit into the free memory of the device, or into memory_limit, is factored out
 * of core (left-looking LU). The factors lie in the host's memory, n^2 elements that this call takes. Slabs of
 * columns pass through the device. Each factorization and each solve take more transfers; docs/accuracy.md counts
 * them. The report's host_bytes and slab_columns are not 0 then. All calls and options work and give the same pivots,
 * but for these:
 *
 *   matrices on the device       ERROR_UNSUPPORTED
 *   CLSOLVE_PIVOTING_RBT         this call returns ERROR_UNSUPPORTED
 *   MIXED                        has no double factors to fall back to; clsolve_lu_solve returns NOT_CONVERGED
 *   panels                       native on a device that works in the host's memory
 *
 * A matrix may fit into memory_limit where the right-hand sides of a solve do not: the solve then returns
 * ERROR_OUT_OF_DEVICE_MEMORY. The limit does not count the work space that the BLAS provider takes for itself.
 */
CLSOLVE_API clsolve_status clsolve_lu_create(clsolve_context *context, int64_t n, clsolve_type type,
                                             const clsolve_lu_options *options, clsolve_lu **lu);

/*
 * Factors A. The call may be repeated with new values, and takes no new memory then.
 *
 *   A         in: n x n, the handle's type, either layout, any ld
 *
 *   status                       when
 *   SINGULAR                     a pivot is exactly zero; the factorization is finished as LAPACK's, and the report's
 *                                info has the column
 *   OVERFLOW                     the factors hold NaN or Inf: scale A, or set option equilibrate
 *   ERROR_NONFINITE              A holds NaN or Inf
 *   ERROR_UNSUPPORTED            A lies on the device, and the handle keeps a copy of A or is out of core
 *   ERROR_OUT_OF_DEVICE_MEMORY   MIXED has no room for the double factors that it needs
 *
 * Tiny matrices. An in-core matrix is scaled by one power of two where its largest element is below the type's smallest
 * normal number divided by epsilon. The first tiny matrix takes memory for 2 n elements.
 */
CLSOLVE_API clsolve_status clsolve_lu_factor(clsolve_lu *lu, const clsolve_matrix *A);

/*
 * Solves op(A) X = B with the factors.
 *
 *   op        CLSOLVE_NO_TRANS: A X = B; CLSOLVE_TRANS: A^T X = B
 *   B         in: n x nrhs, the handle's type, either layout, any ld; out: X, or B as it was on any status but OK
 *
 *   status                       when
 *   SINGULAR                     the factorization found A singular, or the one to which this call fell back did
 *   NOT_CONVERGED                MIXED does not reach the accuracy of double, and has nothing to fall back to
 *   OVERFLOW                     the factors or X would hold NaN or Inf
 *   ERROR_NONFINITE              B holds NaN or Inf
 *   ERROR_STATE                  there are no factors
 *   ERROR_UNSUPPORTED            B lies on the device, and the handle keeps a copy of A or is out of core
 *   ERROR_OUT_OF_DEVICE_MEMORY   there is no room for B, or for the double factors that MIXED needs
 *
 * If MIXED has no double factors, or no room for them, an answer stands whose backward error is at most max(n, 10)
 * epsilon. The call then returns OK. Refinement never refuses or spoils an answer: if its own arithmetic leaves the
 * range of the type, the unrefined answer stands. The report's backward_error is -1 if it is not known.
 */
CLSOLVE_API clsolve_status clsolve_lu_solve(clsolve_lu *lu, clsolve_op op, clsolve_matrix *B);

/*
 * Exports the factors as LAPACK's getrf leaves them, also after SINGULAR and OVERFLOW.
 *
 *   LU        out: n x n, either layout, any ld; of the handle's type, or of float while the report's precision is
 *             "mixed"; NULL: not wanted
 *   ipiv      out: the n pivots, counted from 1; NULL: not wanted
 *
 *   the report says                           the exported factors belong to
 *   rows or columns were scaled, or "mixed"   A as it was scaled
 *   CLSOLVE_SCALED_UNIFORMLY                  A itself; ERROR_UNSUPPORTED for an LU on the device
 *   pivoting_used "rbt"                       not A: ERROR_UNSUPPORTED
 *   else                                      A itself
 *
 * ERROR_STATE: there are no factors. ERROR_UNSUPPORTED: LU lies on the device, and the handle keeps a copy of A or is
 * out of core.
 */
CLSOLVE_API clsolve_status clsolve_lu_factors(clsolve_lu *lu, clsolve_matrix *LU, int64_t *ipiv);

/* Writes into `report` how the last factorization and the last solve went (report.h). */
CLSOLVE_API clsolve_status clsolve_lu_report(const clsolve_lu *lu, clsolve_report *report);

/* Releases the handle. `lu` may be NULL. */
CLSOLVE_API void clsolve_lu_destroy(clsolve_lu *lu);

/*
 * Waits for the enqueued work (clsolve/opencl.h, clsolve/cuda.h) and returns its outcome, as the calls that wait return
 * it. This is the outcome of the factorization or, when that is OK, of the last of several solves.
 *
 *   - The call may be repeated. A call that was refused in between does not change the outcome.
 *   - clsolve_lu_solve and clsolve_lu_factors also wait for the enqueued work first; clsolve_lu_factor replaces it.
 *   - The report covers only work that has been waited for.
 */
CLSOLVE_API clsolve_status clsolve_lu_status(clsolve_lu *lu);

CLSOLVE_END_DECLS

#endif
