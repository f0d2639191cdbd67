/*
 * lu.h: dense LU factorization P A = L U, to solve A X = B or A^T X = B any number of times.
 *
 * Example, given clsolve_context *context, int64_t n, double *a, double *b:
 *
 *     clsolve_lu *lu;
 *     clsolve_matrix A = clsolve_matrix_f64(n, n, a), B = clsolve_matrix_f64(n, 1, b);     // by columns, ld = n
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
 * come from partial pivoting; random butterflies make pivots unnecessary (clsolve_pivoting).
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
 *   with refinement    O(n) bytes for each step and right-hand side
 *   with rcond         up to n = 64 on NVIDIA's GPUs the factors down, once in each clsolve_lu_factor
 *   all else           O(n) bytes
 *
 * A matrix that does not fit on the device takes more transfers: see clsolve_lu_create.
 */
#ifndef CLSOLVE_LU_H
#define CLSOLVE_LU_H

#include <stdint.h>

#include <clsolve/context.h>
#include <clsolve/csr.h>
#include <clsolve/enqueue.h>
#include <clsolve/export.h>
#include <clsolve/factorization.h>
#include <clsolve/matrix.h>
#include <clsolve/report.h>
#include <clsolve/status.h>

typedef struct clsolve_lu clsolve_lu;

/* All zeros are the defaults. */
typedef struct clsolve_lu_options {
    clsolve_panel panel;
    int32_t block;               /* columns in a block; 0: chosen for the device and n */
    int64_t slab_bytes;          /* bound on one device buffer of the matrix, in bytes; 0: the device's own */
    clsolve_progress progress;   /* called during the factorization (report.h); NULL: none */
    void *progress_user;         /* first argument of `progress` */
    clsolve_precision precision; /* AUTO, WORKING, or for handles of doubles MIXED (factorization.h) */
    int32_t rcond;               /* 1: each factorization estimates the condition number, by at most eleven solves;
                                    2: CLSOLVE_RCOND_IF_ILL (factorization.h) */
    int32_t equilibrate;       /* 1: scale rows and columns by powers of two where they differ much (LAPACK's geequb) */
    int32_t refine;            /* 1: iterative refinement of each solution in the handle's type; keeps a copy of A */
    int64_t memory_limit;      /* bytes of device memory for the handle, right-hand sides included; 0: what is free */
    clsolve_pivoting pivoting; /* AUTO means PARTIAL */
    uint64_t seed;             /* of the butterflies of RBT, any number; the same seed gives the same solution */
    clsolve_where where;       /* on the device or on the host (factorization.h) */
    int32_t nonfinite;         /* of clsolve_lu_factor_in_place alone: 1: NaN and Inf pass as in LAPACK; 0: refused */
    int64_t reserved[7];       /* zeros */
} clsolve_lu_options;

CLSOLVE_BEGIN_DECLS

/*
 * Creates a handle for n x n matrices: takes the device memory and builds the kernels.
 *
 *   n         order of A, at least 0
 *   type      of A, B and X: any clsolve_type, the complex ones too
 *   options   NULL: the defaults
 *   lu        out: the handle; NULL on failure
 *
 *   status                       when
 *   ERROR_INVALID_ARGUMENT       an argument or an option is out of range, or two options exclude each other
 *   ERROR_UNSUPPORTED            dense LU does not have the pivoting, or the size excludes it (clsolve_pivoting)
 *   ERROR_UNSUPPORTED            hybrid panels are asked of a device with memory of its own, or have more rows than
 *                                LAPACK can count
 *   ERROR_UNSUPPORTED            the kernels fail their self-test on the device (context.h)
 *   ERROR_OUT_OF_MEMORY          the host has no room for the handle, or for a copy of A
 *   ERROR_OUT_OF_MEMORY          the host has no room for factors out of core, under a memory_limit
 *   ERROR_OUT_OF_DEVICE_MEMORY   the host has no room for factors out of core, without a memory_limit
 *   ERROR_OUT_OF_DEVICE_MEMORY   the device or memory_limit has no room for two panels of the smallest width
 *   ERROR_OUT_OF_DEVICE_MEMORY   memory_limit has no room for the copy of A
 *   ERROR_OUT_OF_DEVICE_MEMORY   the context is of the host alone, and memory_limit has no room for A in core
 *   ERROR_BUILD                  a kernel did not build
 *   ERROR_DEVICE                 the driver failed
 *
 * Several devices. On a context of several devices (context.h) a handle works on all of them with `where` DEVICE. With
 * AUTO it does so if all are GPUs: from n = 4096 on through CUDA, from 16384 on within one OpenCL platform, else from
 * 32768 on. Block columns are dealt out by the devices' shares, so that the factors have the memory of all devices. The
 * report's direct.devices counts the devices that have some. One device does the work, the first, in these cases:
 *
 *   - the pivoting is RBT, or there is a memory_limit
 *   - the devices together have no room for A; it is then factored out of core
 *   - clsolve_lu_factor_in_place
 *
 * A handle over several devices takes matrices on the host alone, and no factors of the caller's. For the others
 * clsolve_lu_factor, clsolve_lu_solve and clsolve_lu_import return ERROR_UNSUPPORTED. The devices' copies of A lie on
 * them. An inverse, and solves of more than 256 right-hand sides, take all devices. For fewer right-hand sides the
 * first device on which n x n elements take at most half of the free memory has all factors. Without one B goes from
 * device to device.
 *
 * Copy of A. With the options refine, MIXED and RBT the handle keeps a copy of A. The copy lies on the device, also
 * where the device does not compute in double. It lies on the host in double in these cases:
 *
 *   - the device or memory_limit has no room for it
 *   - the handle is out of core
 *   - the device works in the host's memory and does not compute in double
 *
 * An A on the device crosses to the host only where its copy lies there. Refinement works on the host's vectors: a B on
 * the device crosses once to the host, and X once back. MIXED takes the memory of the double factors only when it falls
 * back to them.
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
 *   panels                       native, on every device
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
 *   ERROR_UNSUPPORTED            A lies on the device, and the handle is out of core
 *   ERROR_OUT_OF_DEVICE_MEMORY   MIXED has no room for the double factors that it needs
 *
 * Tiny matrices. An in-core matrix is scaled by one power of two where its largest element is below the type's smallest
 * normal number divided by epsilon. The first tiny matrix takes memory for 2 n elements. In the host's memory columns
 * of such numbers are scaled likewise, if a pivot is tiny.
 */
CLSOLVE_API clsolve_status clsolve_lu_factor(clsolve_lu *lu, const clsolve_matrix *A);

/*
 * Factors a sparse matrix, its rows and columns renumbered, as a dense one. No dense matrix is made but the one that is
 * factored: the entries cross, and each device puts them into their places. In these cases the host makes a dense
 * matrix besides, n^2 elements:
 *
 *   - the handle is out of core, or n is so small that one kernel or plain loops do all
 *   - the handle is on one device and keeps a copy of A (refine, MIXED, RBT)
 *   - the entries take more bytes than the dense matrix
 *
 *   A              in: n x n on the host, any type, but complex for a complex handle alone; indices of 32 or 64 bits;
 *                  entries at one place are added
 *   rows, columns  in: entry (i, j) of A becomes element (rows[i], columns[j]); n numbers each, from 0; NULL: i or j
 *                  itself
 *
 * The factors are those of the renumbered matrix. So right-hand sides and solutions have its rows and its columns.
 *
 *   status                   when
 *   ERROR_INVALID_ARGUMENT   an array is not valid
 *   ERROR_NONFINITE          an entry is NaN or Inf in the handle's type; the message names its row and column in A.
 *                            Where entries of one place add up to Inf it names that place after `rows` and `columns`,
 *                            counted from 1, and the handle has no factors then
 *   ERROR_OUT_OF_MEMORY      the host has no room for the entries by columns, or for the dense matrix
 *   others                   as of clsolve_lu_factor
 */
CLSOLVE_API clsolve_status clsolve_lu_factor_csr(clsolve_lu *lu, const clsolve_csr *A, const int64_t *rows,
                                                 const int64_t *columns);

/*
 * Solves op(A) X = B with the factors.
 *
 *   op        CLSOLVE_NO_TRANS: A X = B; CLSOLVE_TRANS: A^T X = B; CLSOLVE_CONJ_TRANS: A^H X = B
 *   B         in: n x nrhs, the handle's type, either layout, any ld; out: X, or B as it was on any status but OK
 *
 *   status                       when
 *   SINGULAR                     the factorization found A singular, or the one to which this call fell back did
 *   NOT_CONVERGED                MIXED does not reach the accuracy of double, and has nothing to fall back to
 *   OVERFLOW                     the factors or X would hold NaN or Inf
 *   ERROR_NONFINITE              B holds NaN or Inf
 *   ERROR_STATE                  there are no factors
 *   ERROR_UNSUPPORTED            B lies on the device, and the handle is out of core
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
 *             "mixed". If AUTO took MIXED, both will do: with an LU of doubles the handle factors in double first.
 *             NULL: not wanted
 *   ipiv      out: the n pivots, counted from 1; NULL: not wanted
 *
 *   the report says                           the exported factors belong to
 *   rows or columns were scaled, or "mixed"   A as it was scaled
 *   CLSOLVE_SCALED_UNIFORMLY                  A itself; the host scales U, so an LU on the device crosses both ways
 *   pivoting_used "rbt"                       not A: ERROR_UNSUPPORTED
 *   else                                      A itself
 *
 * ERROR_STATE: there are no factors. ERROR_UNSUPPORTED: LU lies on the device, and the handle is out of core. OVERFLOW:
 * A was scaled uniformly, and elements of its U are beyond the type's largest number; nothing is written.
 */
CLSOLVE_API clsolve_status clsolve_lu_factors(clsolve_lu *lu, clsolve_matrix *LU, int64_t *ipiv);

/*
 * Takes factors from the caller, as LAPACK's getrf leaves them, in the place of clsolve_lu_factor. All other calls on
 * the handle then work as after a factorization of A. In the report growth is 0 (not known), and rcond -1.
 *
 *   LU        in: n x n on the host, the handle's type, either layout, any ld
 *   ipiv      in: n pivots, counted from 1
 *
 *   status                   when
 *   SINGULAR                 an element on U's diagonal is zero; the report's info has its column, and the handle has
 *                            the factors
 *   ERROR_INVALID_ARGUMENT   a pivot ipiv[i], i from 0, lies outside i + 1 .. n
 *   ERROR_NONFINITE          LU holds NaN or Inf; the handle has no factors then
 *   ERROR_UNSUPPORTED        the handle keeps a copy of A (refine, MIXED, also where AUTO took it, RBT) or is out of
 *                            core
 */
CLSOLVE_API clsolve_status clsolve_lu_import(clsolve_lu *lu, const clsolve_matrix *LU, const int64_t *ipiv);

/*
 * The reciprocal condition number 1 / (||A|| ||A^-1||) from the factors and a given norm of A, as LAPACK's gecon: by
 * at most eleven solves, and rarely more than three times too large.
 *
 *   norm     the norm that is meant, on both sides
 *   norm_A   ||A|| in that norm, of A as it was given: finite, at least 0
 *   rcond    out: 1 if n is 0; 0 if a pivot is zero, norm_A is 0, or the inverse is too large. More than 1 if norm_A
 *            is less than the norm: norm_A = 1 gives 1 / ||A^-1||
 *
 * ERROR_STATE: there are no factors. ERROR_UNSUPPORTED: the factors in use are of float in a handle of doubles, or
 * without pivots.
 */
CLSOLVE_API clsolve_status clsolve_lu_condition(clsolve_lu *lu, clsolve_norm norm, double norm_A, double *rcond);

/*
 * The inverse of A from the factors: LAPACK's getri on the host, a solve for the identity on the device. It takes room
 * for n^2 elements more, on the device where it has that, else on the host. With MIXED A is factored in double first,
 * where there is double and the room for it.
 *
 *   X   out: n x n on the host, either layout, any ld; unchanged on any status but OK and ERROR_DEVICE, which may
 *       come while X does. It may be the array that clsolve_lu_import has read
 *
 * Statuses as clsolve_lu_solve; OVERFLOW: the inverse would hold NaN or Inf.
 */
CLSOLVE_API clsolve_status clsolve_lu_inverse(clsolve_lu *lu, clsolve_matrix *X);

/*
 * Refines a given solution X of op(A) X = B by the factors and bounds its error, as LAPACK's gerfs. It takes at most
 * five steps for each column, until the componentwise backward error is epsilon or no longer halved. Residuals are
 * computed on the host.
 *
 *   A         in: n x n, the matrix that was factored
 *   B         in: n x nrhs
 *   X         in: an approximate solution, n x nrhs; out: the refined one
 *   ferr      out: nrhs bounds of max |x(i) - exact x(i)| / max |x(i)|; NULL: not wanted
 *   berr      out: nrhs backward errors, max |b - op(A) x|(i) / (|op(A)| |x| + |b|)(i); NULL: not wanted
 *
 * All matrices lie on the host, have the handle's type, either layout, and any ld. X, ferr and berr are unchanged on
 * any status but OK. Statuses as clsolve_lu_solve; ERROR_NONFINITE: A, B, X or their products hold NaN or Inf. For
 * complex numbers |z| is |re| + |im| here, as in LAPACK's zgerfs.
 */
CLSOLVE_API clsolve_status clsolve_lu_refine(clsolve_lu *lu, clsolve_op op, const clsolve_matrix *A,
                                             const clsolve_matrix *B, clsolve_matrix *X, double *ferr, double *berr);

/* The calls that enqueue, for arrays on the device, and the call that returns their outcome (enqueue.h). */
CLSOLVE_API clsolve_status clsolve_lu_factor_enqueue(clsolve_lu *lu, const clsolve_matrix *A,
                                                     const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_lu_solve_enqueue(clsolve_lu *lu, clsolve_op op, clsolve_matrix *B,
                                                    const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_lu_status(clsolve_lu *lu);

/* Writes into `report` how the last factorization and the last solve went (report.h). */
CLSOLVE_API clsolve_status clsolve_lu_report(const clsolve_lu *lu, clsolve_report *report);

/*
 * Factors an m x n matrix in the caller's memory, in place, as LAPACK's getrf: P A = L U, with LAPACK's pivots. There
 * is no handle, and nothing is kept. The work is m n^2 - n^3 / 3 operations for m >= n, and LAPACK's for m < n.
 *
 *     int64_t ipiv[3];
 *     double a[5 * 3];
 *     clsolve_matrix A = clsolve_matrix_f64(5, 3, a);
 *     clsolve_status status = clsolve_lu_factor_in_place(context, &A, ipiv, NULL, NULL);   // a holds L and U now
 *
 *   A         in: m x n on the host, any type, either layout, any ld; out: L below the diagonal, U on and
 *             above it
 *   ipiv      out: min(m, n) pivots, counted from 1; may be NULL if min(m, n) is 0
 *   options   panel, block, slab_bytes, progress, memory_limit, where and nonfinite; pivoting is AUTO or PARTIAL.
 *             NULL: the defaults
 *   report    out: how it went (report.h); n is the number of columns. NULL: not wanted
 *
 *   status                       when
 *   SINGULAR                     a pivot is exactly zero; the factorization is finished as LAPACK's, and the report's
 *                                info has the column
 *   OVERFLOW                     the factors hold NaN or Inf, as LAPACK's would; A and ipiv hold them. Not with
 *                                nonfinite = 1
 *   ERROR_INVALID_ARGUMENT       an argument or an option is out of range
 *   ERROR_NONFINITE              A holds NaN or Inf, and nonfinite is 0
 *   ERROR_UNSUPPORTED            A lies on the device, or an option is for handles alone
 *   ERROR_UNSUPPORTED            where is HOST, and an option is about the device
 *   ERROR_OUT_OF_MEMORY          the host has no room for pivots, or for a copy of a row-major or tiny matrix
 *   ERROR_OUT_OF_DEVICE_MEMORY   the device has no room for A, m is not n, and where or an option excludes the host
 *   ERROR_BUILD, ERROR_DEVICE    as clsolve_lu_create
 *
 * After an error A and ipiv are as they were, but for one case: if the device fails while the factors come back,
 * ERROR_DEVICE leaves A undefined.
 *
 * On the host this is LAPACK's getrf on the caller's memory; a row-major or a tiny matrix (clsolve_lu_factor) takes a
 * copy. On the device A crosses up and down once. A square matrix is factored as by a handle, also out of core.
 * With nonfinite = 1, LAPACK on the host factors a matrix that holds NaN or Inf.
 */
CLSOLVE_API clsolve_status clsolve_lu_factor_in_place(clsolve_context *context, clsolve_matrix *A, int64_t *ipiv,
                                                      const clsolve_lu_options *options, clsolve_report *report);

/*
 * The time that the choice between device and host (CLSOLVE_WHERE_AUTO) expects of a factorization of an m x n matrix
 * with a solve, from the host's memory and back. It takes microseconds and no memory, and measures nothing.
 *
 *   nrhs             right-hand sides of the solve, at least 0
 *   device_seconds   out: on the device, with the time that its kernels still take to be compiled or loaded;
 *                    HUGE_VAL: AUTO never takes the device, because it works in the host's memory or is the host
 *   host_seconds     out: on the host by LAPACK; HUGE_VAL: AUTO never takes the host
 *
 * Status: ERROR_INVALID_ARGUMENT, ERROR_OUT_OF_MEMORY.
 */
CLSOLVE_API clsolve_status clsolve_lu_predict(clsolve_context *context, int64_t m, int64_t n, int64_t nrhs,
                                              clsolve_type type, double *device_seconds, double *host_seconds);

/*
 * Compiles and tests the device's kernels for matrices of about this size, without a matrix, and runs a small system
 * through them. Where AUTO compares device and host and has guesses alone, it measures both, once on a machine: what
 * clsolve_lu_predict says next is of that. It takes the device memory of such a matrix for a moment, and the context's
 * lock for up to seconds. Call it in a thread of its own, and clsolve_context_try_lock in others. Statuses as
 * clsolve_lu_create, clsolve_lu_factor and clsolve_lu_solve.
 */
CLSOLVE_API clsolve_status clsolve_lu_warm(clsolve_context *context, int64_t m, int64_t n, clsolve_type type);

/* 1: a handle of dense LU on the device has been made in this context, or clsolve_calibrate has measured the type, so
 * its kernels are compiled; 0: not yet. It takes no lock and waits for nobody. A context of the host alone is always
 * warm. */
CLSOLVE_API int clsolve_lu_is_warm(const clsolve_context *context, clsolve_type type);

/*
 * 1: with `where` AUTO the host would solve a system of n rows now, only because a thread of the library still compiles
 * the device's kernels for it; the question begins that. 0: otherwise, for wrong arguments too. It is for programs that
 * have a faster LAPACK than the library's until then. It waits for the context's lock, and for no compiler.
 */
CLSOLVE_API int clsolve_lu_is_compiling(clsolve_context *context, int64_t n, clsolve_type type);

/* Releases the handle. `lu` may be NULL. */
CLSOLVE_API void clsolve_lu_destroy(clsolve_lu *lu);

CLSOLVE_END_DECLS

#endif
