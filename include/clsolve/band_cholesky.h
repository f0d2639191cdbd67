/*
 * band_cholesky.h: Cholesky factorization A = L L^T of a symmetric positive definite band matrix, to solve A X = B any
 * number of times. For complex elements A is hermitian, and L^T here is L^H.
 *
 * Example, given clsolve_context *context, int64_t n, int64_t k, double *ab, double *b:
 *
 *     clsolve_band_cholesky *band; // a(i,j), i >= j, is ab[i - j + j * (k + 1)]
 *     clsolve_matrix AB = clsolve_matrix_f64(k + 1, n, ab), B = clsolve_matrix_f64(n, 1, b);
 *     clsolve_status status = clsolve_band_cholesky_create(context, n, k, CLSOLVE_F64, NULL, &band);
 *     if (status == CLSOLVE_OK) status = clsolve_band_cholesky_factor(band, CLSOLVE_LOWER, &AB);
 *     if (status == CLSOLVE_OK) status = clsolve_band_cholesky_solve(band, &B);   // b holds x now
 *     if (status != CLSOLVE_OK) puts(clsolve_context_message(context));
 *     clsolve_band_cholesky_destroy(band);
 *
 * A has k diagonals on either side of the main one. No pivot is looked for, so L has no more than k, and the
 * factorization takes n k^2 operations, where band LU takes from 2 to 4 n k^2.
 *
 * Algorithm. On a device the band is factored by blocks of columns, with the kernels and products of a dense matrix:
 * below a block only k rows have something in them. On the host it goes by columns for few diagonals, and by LAPACK's
 * pbtrf for many. The option `where` chooses. AUTO compares the two times, and takes the host for a band that does not
 * fit the device. A device that works in the host's memory goes the host's way.
 *
 * Storage. One triangle of the band lies as LAPACK's pbtrf has it, in an array AB of k + 1 rows and n columns:
 *
 *      CLSOLVE_LOWER: a(i,j) in column j at row i - j     CLSOLVE_UPPER: a(i,j) in column j at row k + i - j
 *
 *         a00 a11 a22 a33          n = 4, k = 2              *   *  a02 a13
 *         a10 a21 a32  *                                     *  a01 a12 a23
 *         a20 a31  *   *                                    a00 a11 a22 a33
 *
 * Elements marked * are neither read nor written. Imaginary parts on the diagonal count as zeros.
 */
#ifndef CLSOLVE_BAND_CHOLESKY_H
#define CLSOLVE_BAND_CHOLESKY_H

#include <stdint.h>

#include <clsolve/context.h>
#include <clsolve/export.h>
#include <clsolve/factorization.h>
#include <clsolve/matrix.h>
#include <clsolve/report.h>
#include <clsolve/status.h>

typedef struct clsolve_band_cholesky clsolve_band_cholesky;

/* All zeros are the defaults. */
typedef struct clsolve_band_cholesky_options {
    int32_t rcond;  /* 1: each factorization estimates the condition number, by at most eleven solves;
                       2: CLSOLVE_RCOND_IF_ILL (factorization.h) */
    int32_t refine; /* 1: iterative refinement of each solution; keeps a copy of A, 2 k + 1 doubles a column */
    clsolve_progress progress;   /* called during the factorization (report.h); NULL: none */
    void *progress_user;         /* first argument of `progress` */
    clsolve_precision precision; /* AUTO means WORKING; MIXED: handles of doubles only (factorization.h) */
    int32_t
        equilibrate; /* 1: scale rows and columns alike by powers of two, as LAPACK's pbequ and laqsb; keeps a copy */
    clsolve_where where; /* on the device or on the host (factorization.h) */
    int32_t block;       /* on a device: columns in a block; 0: chosen from k */
    int64_t slab_bytes;  /* on a device: bound on one buffer of the matrix, in bytes; 0: the device's own */
    int64_t
        memory_limit; /* on a device: bytes of its memory for the handle, right-hand sides included; 0: what is free */
    int64_t reserved[4]; /* zeros */
} clsolve_band_cholesky_options;

CLSOLVE_BEGIN_DECLS

/*
 * Creates a handle for n x n bands. On the host a column takes k + 1 elements. On a device it takes k + 1 and from two
 * to three blocks more, and the handle has room for some megabytes of columns on their way.
 *
 *   n         order of A, at least 0
 *   k         diagonals on either side of the main one, at least 0; may be more than the matrix has
 *   type      of A, B and X: any clsolve_type
 *   options   NULL: the defaults
 *   band      out: the handle; NULL on failure
 *
 *   status                       when
 *   ERROR_INVALID_ARGUMENT       an argument or an option is out of range
 *   ERROR_OUT_OF_MEMORY          the host has no room
 *   ERROR_OUT_OF_DEVICE_MEMORY   the device or memory_limit has no room for the band
 *   ERROR_UNSUPPORTED            the kernels fail their self-test on the device, or the host does not do what `where`
 *                                asks for
 *   ERROR_BUILD                  a kernel did not build
 *   ERROR_DEVICE                 the driver failed
 */
CLSOLVE_API clsolve_status clsolve_band_cholesky_create(clsolve_context *context, int64_t n, int64_t k,
                                                        clsolve_type type, const clsolve_band_cholesky_options *options,
                                                        clsolve_band_cholesky **band);

/*
 * Factors A. The call may be repeated with new values.
 *
 *   uplo      the triangle, and with it the form, of AB
 *   AB        in: k + 1 rows by n columns, the handle's type, either layout, any ld; on the host or on the device
 *
 *   status                       when
 *   NOT_POSITIVE_DEFINITE        a leading minor is not positive; the report's info has the first one's order, and
 *                                there are no factors
 *   ERROR_NONFINITE              the triangle holds NaN or Inf
 *
 * An AB on a device with memory of its own stays there where the handle works there. With rcond, refine, MIXED or
 * equilibrate it also crosses to the host once.
 */
CLSOLVE_API clsolve_status clsolve_band_cholesky_factor(clsolve_band_cholesky *band, clsolve_uplo uplo,
                                                        const clsolve_matrix *AB);

/*
 * Solves A X = B with the factors. A tiny A was scaled by one power of two (docs/accuracy.md): then this goes by way of
 * the host.
 *
 *   B         in: n x nrhs, the handle's type, either layout, any ld, on the host or on the device; out: X, or B as it
 *             was on any status but OK
 *
 *   status                       when
 *   NOT_POSITIVE_DEFINITE        the factorization found A so
 *   OVERFLOW                     X would hold NaN or Inf
 *   ERROR_NONFINITE              B holds NaN or Inf
 *   ERROR_STATE                  there are no factors
 *   NOT_CONVERGED                MIXED, and there was no room for double factors
 *   ERROR_OUT_OF_MEMORY          the host has no room for X
 *   ERROR_OUT_OF_DEVICE_MEMORY   the device or memory_limit has no room for B
 */
CLSOLVE_API clsolve_status clsolve_band_cholesky_solve(clsolve_band_cholesky *band, clsolve_matrix *B);

/*
 * Exports the factor as LAPACK's pbtrf leaves it.
 *
 *   uplo      CLSOLVE_LOWER: L with A = L L^T; CLSOLVE_UPPER: U with A = U^T U; whatever triangle of A was read
 *   F         out: k + 1 rows by n columns on the host, either layout, any ld; the handle's type, or with MIXED its
 *             single type, unless the report has a fallback
 *
 * Statuses as clsolve_band_cholesky_solve. OVERFLOW: factors in float, and that of A itself is beyond float's range.
 */
CLSOLVE_API clsolve_status clsolve_band_cholesky_factors(clsolve_band_cholesky *band, clsolve_uplo uplo,
                                                         clsolve_matrix *F);

/*
 * Takes a factor from the caller, as LAPACK's pbtrf leaves it, in the place of clsolve_band_cholesky_factor. All other
 * calls on the handle then work as after a factorization of A. In the report rcond is -1.
 *
 *   uplo      CLSOLVE_LOWER: F holds L; CLSOLVE_UPPER: F holds U
 *   F         in: k + 1 rows by n columns on the host, the handle's type, either layout, any ld
 *
 *   status                   when
 *   NOT_POSITIVE_DEFINITE    an element on the diagonal is zero; the report's info has its column
 *   ERROR_NONFINITE          the triangle holds NaN or Inf; the handle has no factors then
 *   ERROR_UNSUPPORTED        F lies on the device, or the handle keeps a copy of A (refine, MIXED, equilibrate)
 */
CLSOLVE_API clsolve_status clsolve_band_cholesky_import(clsolve_band_cholesky *band, clsolve_uplo uplo,
                                                        const clsolve_matrix *F);

/*
 * The reciprocal condition number 1 / (||A|| ||A^-1||) from the factors and a given norm of A, as LAPACK's pbcon: by at
 * most eleven solves, and rarely more than three times too large.
 *
 *   norm_A   ||A||_1 of A as it was given: finite, at least 0
 *   rcond    out: 1 if n is 0; 0 if norm_A is 0 or the inverse is too large
 *
 * ERROR_STATE: there are no factors. ERROR_UNSUPPORTED: they are of float (MIXED), which only bound it.
 */
CLSOLVE_API clsolve_status clsolve_band_cholesky_condition(clsolve_band_cholesky *band, double norm_A, double *rcond);

/* Writes into `report` how the last factorization and the last solve went (report.h). Its method is "band-cholesky". */
CLSOLVE_API clsolve_status clsolve_band_cholesky_report(const clsolve_band_cholesky *band, clsolve_report *report);

CLSOLVE_API void clsolve_band_cholesky_destroy(clsolve_band_cholesky *band); /* NULL is allowed */

CLSOLVE_END_DECLS

#endif
