/*
 * band.h: LU factorization P A = L U of a band matrix, to solve A X = B or A^T X = B any number of times.
 *
 * Example, given clsolve_context *context, int64_t n, int64_t kl, int64_t ku, double *ab, double *b:
 *
 *     clsolve_band *band; // a(i,j) is ab[ku + i - j + j * (kl + ku + 1)]
 *     clsolve_matrix AB = clsolve_matrix_f64(kl + ku + 1, n, ab), B = clsolve_matrix_f64(n, 1, b);
 *     clsolve_status status = clsolve_band_create(context, n, kl, ku, CLSOLVE_F64, NULL, &band);
 *     if (status == CLSOLVE_OK) status = clsolve_band_factor(band, &AB);                   // P A = L U
 *     if (status == CLSOLVE_OK) status = clsolve_band_solve(band, CLSOLVE_NO_TRANS, &B);   // b holds x now
 *     if (status != CLSOLVE_OK) puts(clsolve_context_message(context));
 *     clsolve_band_destroy(band);
 *
 * A has kl diagonals below the main one and ku above: a(i,j) = 0 if i - j > kl or j - i > ku. The row swaps
 * of partial pivoting make U wider: U has kl + ku diagonals above the main one.
 *
 * Algorithm. The factorization is the blocked one of LAPACK's gbtrf. Its source is J. Du Croz, P. Mayes, G. Radicati,
 * Factorization of band matrices using level 3 BLAS, LAPACK Working Note 21, 1990. Each block of nb columns takes three
 * steps, all of them on dense blocks:
 *
 *   1. a pivoted panel of nb + kl rows
 *   2. a triangular solve on nb rows
 *   3. one matrix product of kl by kl + ku
 *
 * The hybrid mode is that of A. Yu. Baranov (2015): the host factors the panel while the device finishes the product of
 * the step before.
 *
 * Storage. The caller's band lies as LAPACK has it, in an array AB of n columns. Element (i,j), counted from 0, lies in
 * column j of AB at the row
 *
 *      ku + i - j            form CLSOLVE_BAND_PLAIN:  kl + ku + 1 rows, the diagonals of A and nothing else
 *      kl + ku + i - j       form CLSOLVE_BAND_GBTRF:  2 kl + ku + 1 rows, kl more on top, which are not read (gbtrf's)
 *
 *      n = 5, kl = 1, ku = 2, plain:        the same for gbtrf, and after it:
 *
 *                                               +   +   +   *   *           +   +   +  u03 u14
 *       *   *  a02 a13 a24                      +   +  a02 a13 a24          +   +  u02 u13 u24
 *       *  a01 a12 a23 a34                      +  a01 a12 a23 a34          +  u01 u12 u23 u34
 *      a00 a11 a22 a33 a44                     a00 a11 a22 a33 a44         u00 u11 u22 u33 u44
 *      a10 a21 a32 a43  *                      a10 a21 a32 a43  *          l10 l21 l32 l43  *
 *
 * Elements marked * and + are never read, and + is never written. The view of AB has this number of rows and n columns.
 * It is column-major with ld = ldab, as in LAPACK, or row-major with ld >= n.
 *
 * The multipliers of L stay in the order in which each column was eliminated: later swaps do not move them, as in
 * gbtrf. ipiv[j] counts from 1. Row j was swapped with row ipiv[j] at the moment when column j was eliminated.
 *
 * Memory. A band that fits is kept on the device: A goes up once, and all other transfers are O(n) bytes. A larger
 * band passes through a window on the device of about kl + ku + 3 nb columns, and the factors lie in the host's
 * memory. So only the host's memory bounds n. Each element of A then goes up once, and each factor comes down once,
 * overlapped with the computation. A solve brings the factors up again. docs/band.md has the rules and counts the
 * bytes.
 *
 * Threads. A handle with a window has up to six threads that copy on the host. So has a handle with a band of 32 MB or
 * more that it copies to the device. There is at most one thread for each core besides the caller's. The threads sleep
 * between calls.
 */
#ifndef CLSOLVE_BAND_H
#define CLSOLVE_BAND_H

#include <stdint.h>

#include <clsolve/context.h>
#include <clsolve/csr.h>
#include <clsolve/enqueue.h>
#include <clsolve/export.h>
#include <clsolve/factorization.h>
#include <clsolve/matrix.h>
#include <clsolve/report.h>
#include <clsolve/status.h>

typedef struct clsolve_band clsolve_band;

/* The storage of the caller's band, see above. */
typedef enum clsolve_band_form {
    CLSOLVE_BAND_PLAIN = 0, /* kl + ku + 1 rows */
    CLSOLVE_BAND_GBTRF = 1  /* 2 kl + ku + 1 rows; the first kl are not read */
} clsolve_band_form;

/* All zeros are the defaults. */
typedef struct clsolve_band_options {
    clsolve_band_form form;      /* of the matrices for clsolve_band_factor */
    clsolve_panel panel;         /* place where panels are factored; AUTO: by the cost model in docs/band.md */
    int32_t block;               /* columns in a block, nb; 0: chosen from n, kl, ku and the device */
    int64_t memory_limit;        /* bytes of device memory for the handle; 0: what is free (docs/accuracy.md) */
    int64_t slab_bytes;          /* bound on one device buffer of the matrix, in bytes; 0: the device's own */
    clsolve_progress progress;   /* called during the factorization (report.h); NULL: none */
    void *progress_user;         /* first argument of `progress` */
    clsolve_precision precision; /* AUTO means WORKING; MIXED: handles of doubles only, real or complex */
    /*
     * 1: each factorization estimates the condition number, by at most eleven solves. The report counts their transfers
     * with the factorization: a vector up and down each. With a window both halves of the factors go up each time too.
     * 2: CLSOLVE_RCOND_IF_ILL (factorization.h).
     */
    int32_t rcond;
    int32_t equilibrate; /* 1: scale rows and columns by powers of two where they differ much (LAPACK's gbequb) */
    int32_t refine;      /* 1: iterative refinement of each solution in the handle's type */
    clsolve_where where; /* on the device or on the host (factorization.h) */
    int32_t nonfinite;   /* of clsolve_band_factor_in_place alone: 1: NaN and Inf pass as in LAPACK; 0: refused */
    int64_t reserved[7]; /* zeros */
} clsolve_band_options;

CLSOLVE_BEGIN_DECLS

/*
 * Creates a handle for n x n band matrices: takes the memory and builds the kernels.
 *
 *   n         order of A, at least 0
 *   kl, ku    diagonals below and above the main one, at least 0; may be more than the matrix has
 *   type      of A, B and X: any clsolve_type, the complex ones too
 *   options   NULL: the defaults
 *   band      out: the handle; NULL on failure
 *
 *   status                       when
 *   ERROR_INVALID_ARGUMENT       an argument or an option is out of range
 *   ERROR_UNSUPPORTED            hybrid panels, or a copy of A, are larger than 32 bits count
 *   ERROR_UNSUPPORTED            the kernels fail their self-test on the device (context.h)
 *   ERROR_OUT_OF_MEMORY          the host has no room
 *   ERROR_OUT_OF_DEVICE_MEMORY   the device or memory_limit has no room for the smallest window: kl + ku and two blocks
 *                                of columns, and twice as many rows of a right-hand side; the message names the parts.
 *                                In a context of the host alone: for the band as a whole
 *   ERROR_BUILD                  a kernel did not build
 *   ERROR_DEVICE                 the driver failed
 *
 * Copy of A. The handle keeps a copy of A in the host's memory in these cases. It takes kl + ku + 1 doubles a column,
 * twice as many of a complex A:
 *
 *   - options refine or equilibrate
 *   - MIXED; a handle of doubles on a device without double precision is always MIXED, as with dense LU (lu.h)
 *
 * This handle computes residuals on the host. It scales a matrix of numbers
 * near the smallest by one power of two. MIXED takes the memory of the double factors only when it falls back to
 * them. If they have no room, a pivot that is zero in float alone is perturbed, and refinement corrects the solution.
 */
CLSOLVE_API clsolve_status clsolve_band_create(clsolve_context *context, int64_t n, int64_t kl, int64_t ku,
                                               clsolve_type type, const clsolve_band_options *options,
                                               clsolve_band **band);

/*
 * Factors A. The call may be repeated with new values, and takes no new memory then.
 *
 *   AB        in: kl + ku + 1 (PLAIN) or 2 kl + ku + 1 (GBTRF) rows by n columns, the handle's type, either layout
 *
 * A handle with refine, equilibrate or MIXED keeps its copy of A on the host: an AB on the device crosses to the host
 * once. Without a copy an AB on the device does not cross.
 *
 *   status                       when
 *   SINGULAR                     a pivot is exactly zero; the factorization is finished as LAPACK's, and the report's
 *                                info has the column
 *   OVERFLOW                     the factors hold NaN or Inf
 *   ERROR_NONFINITE              A holds NaN or Inf; with a window this is known only at the end
 *   ERROR_UNSUPPORTED            AB lies on the device, and the handle has a window
 *   ERROR_OUT_OF_DEVICE_MEMORY   the float factors of MIXED hold NaN or Inf, and double factors have no room
 *
 * Pivots are divided by. LAPACK's unblocked gbtf2 multiplies by the reciprocal of the pivot, and returns Inf for a
 * pivot whose reciprocal overflows.
 *
 * A band whose largest element is below the type's smallest normal number divided by epsilon is scaled by one power of
 * two (docs/accuracy.md). Solves with it go by way of the host.
 */
CLSOLVE_API clsolve_status clsolve_band_factor(clsolve_band *band, const clsolve_matrix *AB);

/*
 * Factors a sparse matrix whose rows and columns are renumbered into a band. No band is made in the host's memory: the
 * entries cross, and the device puts them into their places. Through a window, and with refine, equilibrate or MIXED,
 * the band is made on the host, column by column.
 *
 *   A              in: n x n on the host, any type, but complex for a complex handle alone; indices of 32 or 64 bits;
 *                  entries at one place are added
 *   rows, columns  in: entry (i, j) of A becomes element (rows[i], columns[j]) of the band; n numbers each, from 0;
 *                  NULL: i or j itself
 *
 * The factors are those of the renumbered matrix. So right-hand sides and solutions have its rows and its columns.
 *
 *   status                   when
 *   ERROR_INVALID_ARGUMENT   an entry comes to lie outside of the band; an array is not valid
 *   ERROR_NONFINITE          an entry is NaN or Inf; the message names its row and column in A
 *   others                   as of clsolve_band_factor
 */
CLSOLVE_API clsolve_status clsolve_band_factor_csr(clsolve_band *band, const clsolve_csr *A, const int64_t *rows,
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
 *   ERROR_UNSUPPORTED            B lies on the device, and the handle has a window
 *   ERROR_OUT_OF_DEVICE_MEMORY   there is no room for B, or for the double factors that MIXED needs
 *
 * If MIXED has no double factors, or no room for them, an answer stands whose backward error is at most max(n, 10)
 * epsilon. The call then returns OK.
 *
 * A B on the device crosses to the host and X back if the handle keeps a copy of A, or if memory_limit leaves no room
 * for all of B on the device.
 */
CLSOLVE_API clsolve_status clsolve_band_solve(clsolve_band *band, clsolve_op op, clsolve_matrix *B);

/*
 * Exports the factors as LAPACK's gbtrf leaves them, also after SINGULAR and OVERFLOW.
 *
 *   AFB       out: 2 kl + ku + 1 rows by n columns, either layout, any ld; NULL: not wanted. Its type is the handle's,
 *             or float while the report's precision is "mixed". Elements outside the matrix do not change. The host
 *             makes this form, so an AFB on the device crosses to the host and comes back.
 *   ipiv      out: the n pivots, counted from 1; NULL: not wanted
 *
 * The factors belong to A as it was scaled, if the report says that rows or columns were. The
 * factors of a tiny band, which is scaled as a whole, are A's own. ERROR_STATE: there are no factors.
 * ERROR_UNSUPPORTED: AFB lies on the device, and the handle has a window.
 */
CLSOLVE_API clsolve_status clsolve_band_factors(clsolve_band *band, clsolve_matrix *AFB, int64_t *ipiv);

/*
 * Takes factors from the caller, as LAPACK's gbtrf leaves them, in the place of clsolve_band_factor. All other calls on
 * the handle then work as after a factorization of A. In the report growth is 0 (not known), and rcond -1.
 *
 *   AFB       in: 2 kl + ku + 1 rows by n columns on the host, the handle's type, either layout, any ld. Elements
 *             outside the matrix are not read.
 *   ipiv      in: n pivots, counted from 1
 *
 *   status                   when
 *   SINGULAR                 an element on U's diagonal is zero; the report's info has its column, and the handle has
 *                            the factors
 *   ERROR_INVALID_ARGUMENT   a pivot ipiv[i], i from 0, lies outside i + 1 .. min(n, i + 1 + kl)
 *   ERROR_NONFINITE          AFB holds NaN or Inf; the handle has no factors then. The message has the place in AFB
 *   ERROR_UNSUPPORTED        AFB lies on the device, or the handle keeps a copy of A (clsolve_band_create)
 *   ERROR_UNSUPPORTED        n is 2^31 or more, and the handle has no window
 */
CLSOLVE_API clsolve_status clsolve_band_import(clsolve_band *band, const clsolve_matrix *AFB, const int64_t *ipiv);

/*
 * The reciprocal condition number 1 / (||A|| ||A^-1||) from the factors and a given norm of A, as LAPACK's gbcon, by
 * at most eleven solves, and rarely more than three times too large.
 *
 *   norm     the norm that is meant, on both sides
 *   norm_A   ||A|| in that norm, of A as it was given: finite, at least 0
 *   rcond    out: 1 if n is 0; 0 if a pivot is zero, norm_A is 0, or the inverse is too large; more than 1 if norm_A is
 *            less than the norm
 *
 * ERROR_STATE: there are no factors. ERROR_UNSUPPORTED: the factors in use are of float in a handle of doubles.
 */
CLSOLVE_API clsolve_status clsolve_band_condition(clsolve_band *band, clsolve_norm norm, double norm_A, double *rcond);

/* The calls that enqueue, for arrays on the device, and the call that returns their outcome (enqueue.h). */
CLSOLVE_API clsolve_status clsolve_band_factor_enqueue(clsolve_band *band, const clsolve_matrix *AB,
                                                       const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_band_solve_enqueue(clsolve_band *band, clsolve_op op, clsolve_matrix *B,
                                                      const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_band_status(clsolve_band *band);

/*
 * Writes into `report` how the last factorization and the last solve went (report.h). Its fields for bands:
 *
 *   lower, upper, block        the diagonals and columns that the factorization uses
 *   panel                      "native", "hybrid", "narrow" or "lapack"
 *   slab_columns, host_bytes   the columns of the window and the host memory of its factors; 0 without a window
 */
CLSOLVE_API clsolve_status clsolve_band_report(const clsolve_band *band, clsolve_report *report);

/*
 * Factors an m x n band in the caller's memory, in place, as LAPACK's gbtrf: P A = L U, with LAPACK's pivots. There is
 * no handle, and nothing is kept.
 *
 *     int64_t ipiv[3];
 *     double ab[(2 * 1 + 1 + 1) * 3];   // 5 x 3, kl = ku = 1
 *     clsolve_matrix AB = clsolve_matrix_f64(2 * 1 + 1 + 1, 3, ab);
 *     clsolve_status status = clsolve_band_factor_in_place(context, 5, 3, 1, 1, &AB, ipiv, NULL, NULL);
 *
 *   m, n      rows and columns of A, at least 0
 *   kl, ku    diagonals below and above the main one, at least 0; may be more than the matrix has
 *   AB        in: A in the form CLSOLVE_BAND_GBTRF, 2 kl + ku + 1 rows by n columns on the host, of any type,
 *             either layout, any ld; out: L and U as gbtrf leaves them. Elements outside the matrix are not written
 *   ipiv      out: min(m, n) pivots, counted from 1; may be NULL if min(m, n) is 0
 *   options   panel, block, slab_bytes, progress, memory_limit, where and nonfinite; `form` counts for nothing. NULL:
 *             the defaults
 *   report    out: how it went (report.h); n is the number of columns. NULL: not wanted
 *
 *   status                       when
 *   SINGULAR                     a pivot is exactly zero; the factorization is finished as LAPACK's, and the report's
 *                                info has the column
 *   OVERFLOW                     the factors hold NaN or Inf, as LAPACK's would; AB and ipiv hold them. Not with
 *                                nonfinite = 1
 *   ERROR_INVALID_ARGUMENT       an argument or an option is out of range
 *   ERROR_NONFINITE              A holds NaN or Inf, and nonfinite is 0
 *   ERROR_UNSUPPORTED            AB lies on the device, or an option is for handles alone
 *   ERROR_UNSUPPORTED            where is HOST, and an option is about the device
 *   ERROR_UNSUPPORTED            AB is of doubles, and the device has none
 *   ERROR_OUT_OF_MEMORY          the host has no room for pivots or for a copy of the band
 *   ERROR_OUT_OF_DEVICE_MEMORY   the device has no room for the smallest window, and where or an option excludes the
 *                                host
 *   ERROR_BUILD, ERROR_DEVICE    as clsolve_band_create
 *
 * After an error AB and ipiv are as they were, but for one case: if the device fails while the factors come back,
 * ERROR_DEVICE leaves AB undefined.
 *
 * A is factored as by a handle, on the host too, in memory of its own. If m is not n, zeros make a square of it, with
 * at most kl more columns or ku more rows. With nonfinite = 1, LAPACK on the host factors a band that holds NaN or Inf.
 */
CLSOLVE_API clsolve_status clsolve_band_factor_in_place(clsolve_context *context, int64_t m, int64_t n, int64_t kl,
                                                        int64_t ku, clsolve_matrix *AB, int64_t *ipiv,
                                                        const clsolve_band_options *options, clsolve_report *report);

/*
 * The time that the choice between device and host (CLSOLVE_WHERE_AUTO) expects of a factorization of an m x n band
 * with a solve, from the host's memory and back. It takes microseconds and no memory, and measures nothing. Arguments
 * and statuses as clsolve_lu_predict's.
 */
CLSOLVE_API clsolve_status clsolve_band_predict(clsolve_context *context, int64_t m, int64_t n, int64_t kl, int64_t ku,
                                                int64_t nrhs, clsolve_type type, double *device_seconds,
                                                double *host_seconds);

/*
 * Compiles and tests the device's kernels for bands of about these diagonals, without a band, and runs a small one
 * through them. Where AUTO compares device and host and has guesses alone, it measures both, once on a machine: what
 * clsolve_band_predict says next is of that. Kernels go by the diagonals and hardly by n.
 *
 *   n, kl, ku   as clsolve_band_create's; n = 0: nothing is done
 *
 * The call takes the device memory of such a band for a moment, and the context's lock for up to seconds. Call it in a
 * thread of its own, and clsolve_context_try_lock in others. Statuses as clsolve_band_create, clsolve_band_factor and
 * clsolve_band_solve.
 */
CLSOLVE_API clsolve_status clsolve_band_warm(clsolve_context *context, int64_t n, int64_t kl, int64_t ku,
                                             clsolve_type type);

/* 1: a handle of a band on the device has been made in this context, or clsolve_calibrate has measured the type, so its
 * kernels are compiled; 0: not yet. It takes no lock and waits for nobody. A context of the host alone is always
 * warm. */
CLSOLVE_API int clsolve_band_is_warm(const clsolve_context *context, clsolve_type type);

/* Releases the handle. `band` may be NULL. */
CLSOLVE_API void clsolve_band_destroy(clsolve_band *band);

CLSOLVE_END_DECLS

#endif
