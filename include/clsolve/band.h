/*
 * band.h: LU with partial pivoting of a band matrix: P A = L U, then A X = B or A^T X = B, again and again.
 *
 * A is n x n with kl diagonals below the main one and ku above it: a(i,j) = 0 where i - j > kl or j - i > ku. Row swaps
 * make U wider: it has kl + ku diagonals above the main one. The algorithm is the blocked one of LAPACK's gbtrf (J. Du Croz,
 * P. Mayes, G. Radicati, Factorization of band matrices using level 3 BLAS, LAPACK Working Note 21, 1990): for each block of
 * nb columns a pivoted panel of nb + kl rows, a triangular solve on nb rows and one matrix product of kl by kl + ku, all
 * of them on dense blocks. The hybrid mode is that of A. Yu. Baranov (2015): the panel on the host while the device finishes
 * the product before.
 *
 * Storage. The caller's band lies as LAPACK has it, in an array AB of `n` columns: element (i,j), counted from 0, in column
 * j of AB at row
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
 * * and + are never read, nor is + ever written. Either layout: the view of AB is that of a matrix of so many rows
 * and n columns, column-major with ld = ldab as in LAPACK, or row-major with ld >= n.
 *
 * The multipliers of L stay in the order in which each column was eliminated: later swaps do not touch them, as in gbtrf.
 * ipiv[j], counted from 1: row j was swapped with row ipiv[j], at the moment when column j was eliminated.
 *
 * Where the band lies while it is worked on. It is kept on the device where it fits with room for 34 right-hand sides (16 and one,
 * each also transposed) and 256 KiB besides: then A goes up once and nothing else but O(n) bytes does. Where it does not, or `memory_limit` says so, only a window of the columns in use, about
 * kl + ku + 3 nb of them, is on the device: each element of A goes up once, each factor comes down once, into memory of
 * the host that the handle holds, under the computation; a solve streams the factors up again, each half of them once for
 * as many right-hand sides as fit. Hybrid panels, (kl + nb) nb elements a block column, come down and go up besides, except where the device
 * works in the host's memory. Pivots and swaps travel with the factors, and right-hand sides that would take more than a
 * quarter of the memory pass through a window of their own, up and down twice. So nothing on the device is of n numbers: the
 * host's memory is the bound on n. A handle with a window, or with a band of 32 MB or more that it copies to the device, has up
 * to six threads for copies on the host, as many as there are cores beside the caller's; they sleep between calls.
 */
#ifndef CLSOLVE_BAND_H
#define CLSOLVE_BAND_H

#include <stdint.h>

#include <clsolve/context.h>
#include <clsolve/export.h>
#include <clsolve/lu.h>
#include <clsolve/matrix.h>
#include <clsolve/report.h>
#include <clsolve/status.h>

typedef struct clsolve_band clsolve_band;

/* How the caller's band lies in its array, see above. */
typedef enum clsolve_band_form {
    CLSOLVE_BAND_PLAIN = 0, /* kl + ku + 1 rows */
    CLSOLVE_BAND_GBTRF = 1  /* 2 kl + ku + 1 rows, the first kl of them not read */
} clsolve_band_form;

typedef struct clsolve_band_options {
    clsolve_band_form form; /* of the matrices that clsolve_band_factor gets */
    clsolve_panel
        panel;     /* where the columns being pivoted are factored, see clsolve/lu.h; AUTO: docs/band.md's model says */
    int32_t block; /* columns in a block, nb; 0: chosen from n, kl, ku and the device */
    int64_t memory_limit;      /* bytes of device memory that the handle may take; 0: what is free, see clsolve/lu.h */
    int64_t slab_bytes;        /* bound on one device buffer of the matrix; 0: the device's own */
    clsolve_progress progress; /* NULL: none */
    void *progress_user;
    clsolve_precision precision; /* MIXED: handles of CLSOLVE_F64 only */
    /* 1: estimate the condition number in each factor, by at most eleven more solves, which count as the factorization's
     * transfers: a vector up and down each, and for a window both halves of the factors up each time. */
    int32_t rcond;
    int32_t equilibrate; /* 1: scale rows and columns by powers of two where they differ much (LAPACK's gbequb) */
    int32_t refine;      /* 1: iterative refinement of each solution in the handle's type */
} clsolve_band_options;

CLSOLVE_BEGIN_DECLS

/*
 * Takes the memory for an n x n matrix of `type` with kl lower and ku upper diagonals and builds the kernels. n = 0 is
 * fine, and so are kl = 0, ku = 0 and more diagonals than the matrix has. `options` may be NULL.
 *
 * refine, equilibrate, MIXED and a device without double precision keep a copy of A, kl + ku + 1 doubles a column, in the
 * host's memory, and compute residuals there; such handles take matrices on the host only. As with dense LU, a handle of
 * CLSOLVE_F64 on a device without double is MIXED by itself, and a handle that keeps a copy scales a matrix of numbers near
 * the smallest by itself, by one power of two. Falling back from MIXED takes the memory for double factors then and only then;
 * where memory_limit leaves none, a zero pivot in float alone is mended and refined over.
 *
 * Errors: INVALID_ARGUMENT; OUT_OF_MEMORY; OUT_OF_DEVICE_MEMORY when not even the smallest window, kl + ku and two blocks of
 * columns, fits, and twice as many rows of a right-hand side beside it: the message has the parts; BUILD; DEVICE; UNSUPPORTED.
 * On failure *band is NULL.
 */
CLSOLVE_API clsolve_status clsolve_band_create(clsolve_context *context, int64_t n, int64_t kl, int64_t ku,
                                               clsolve_type type, const clsolve_band_options *options,
                                               clsolve_band **band);

/*
 * Factors the band AB (of options.form: kl + ku + 1 or 2 kl + ku + 1 rows, n columns, the handle's type); AB is only read.
 * May be called again with new values: nothing is allocated for it. Returns SINGULAR with the factorization
 * finished as LAPACK's and the column in the report's info; ERROR_NONFINITE when A holds NaN or Inf; OVERFLOW when the
 * factors do. A view on the device (clsolve/opencl.h) is taken while the band is kept there, column-major; else UNSUPPORTED.
 * A window on a larger band is checked for NaN and Inf while it passes, so that status then comes at the end.
 *
 * A pivot so small that its reciprocal overflows is divided by, not multiplied by its reciprocal: LAPACK's unblocked gbtf2
 * gives Inf there.
 */
CLSOLVE_API clsolve_status clsolve_band_factor(clsolve_band *band, const clsolve_matrix *AB);

/*
 * B (n x nrhs, either layout) becomes X with op(A) X = B. On any status but OK, B is as it was: SINGULAR after a singular
 * factor, ERROR_STATE without a factor, ERROR_NONFINITE for NaN or Inf in B, OVERFLOW when X would hold them,
 * NOT_CONVERGED when mixed precision did not reach the accuracy of double and has nothing to fall back to, and
 * OUT_OF_DEVICE_MEMORY when it has no room for double factors either; an answer with a backward error of at most
 * max(n, 10) epsilon stands then.
 */
CLSOLVE_API clsolve_status clsolve_band_solve(clsolve_band *band, clsolve_op op, clsolve_matrix *B);

/*
 * The factors as LAPACK's gbtrf leaves them: AFB (2 kl + ku + 1 x n, on the host, either layout, any ld) and the pivots,
 * counted from 1, into ipiv[0 .. n-1]. Either may be NULL. Elements of AFB outside the matrix are not written. AFB is of
 * the type of the factors: the handle's, or float while the report says "mixed"; they are those of A as it was scaled, when
 * the report says so.
 */
CLSOLVE_API clsolve_status clsolve_band_factors(clsolve_band *band, clsolve_matrix *AFB, int64_t *ipiv);

/* What the last factor and the last solve did. slab_columns and host_bytes are those of a window, 0 where the band is kept on
 * the device as a whole; lower, upper and block are the diagonals and columns used, panel is "native", "hybrid" or "narrow". */
CLSOLVE_API clsolve_status clsolve_band_report(const clsolve_band *band, clsolve_report *report);

/* NULL is fine. */
CLSOLVE_API void clsolve_band_destroy(clsolve_band *band);

CLSOLVE_END_DECLS

#endif
