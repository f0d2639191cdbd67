/*
 * gauss_jordan.h: Gauss-Jordan elimination for the explicit inverse, and for A X = B with many right-hand sides.
 *
 * Example, given clsolve_context *context, int64_t n, double *a:
 *
 *     clsolve_gauss_jordan *handle;
 *     clsolve_report report = {0};
 *     clsolve_matrix A = clsolve_matrix_f64(n, n, a); // by columns, ld = n
 *     clsolve_status status = clsolve_gauss_jordan_create(context, n, CLSOLVE_F64, NULL, &handle);
 *     if (status == CLSOLVE_OK) status = clsolve_gauss_jordan_invert(handle, &A, &A); // a holds the inverse now
 *     if (status == CLSOLVE_OK) status = clsolve_gauss_jordan_report(handle, &report);
 *     if (status == CLSOLVE_OK) printf("condition number %g\n", 1 / report.direct.rcond);
 *     clsolve_gauss_jordan_destroy(handle);
 *
 * Gauss-Jordan eliminates above and below each pivot in one sweep, without triangular phases. It suits:
 *
 *   - the explicit inverse, made in place with one large matrix product a step
 *   - about as many right-hand sides as unknowns
 *
 * For a few right-hand sides dense LU (lu.h) does a third less work. For thousands of small matrices see
 * gauss_jordan_batch.h.
 *
 * Variants (docs/gauss-jordan.md has pictures of them):
 *
 *   TWO_PASS     down to an upper triangle, then up, a launch a pivot
 *   ONE_PASS     rows above and below the pivot in one launch
 *   OPERATIONS   multipliers, elimination, reciprocals and normalisation as separate kernels, in the stable form
 *   BLOCKED      a panel of columns, then one matrix product on all the rest
 *
 * Sources of the variants:
 *
 *   TWO_PASS     Gauss-Jordan en GPU, COMTEL 2012, model 1
 *   ONE_PASS     the same paper, model 2
 *   OPERATIONS   S. Tasior, Parallel Gauss-Jordan elimination through trace theory (2025)
 *   BLOCKED      E. S. Quintana-Orti, G. Quintana-Orti, X. Sun, R. van de Geijn, A note on parallel matrix inversion,
 *                SIAM J. Sci. Comput. 22 (2001), section 4
 *
 * All variants pivot partially, but with pivoting NONE: the pivot of column k is its largest element in the rows that
 * have not been pivots. Complex elements are compared by |re| + |im|, as in LAPACK.
 *
 * Accuracy. The residual of a solution is usually as small as LU's. It may be larger for a very ill-conditioned matrix,
 * because Gauss-Jordan is forward stable, not backward stable. See N. J. Higham, Accuracy and Stability of
 * Numerical Algorithms, section 14.4.
 */
#ifndef CLSOLVE_GAUSS_JORDAN_H
#define CLSOLVE_GAUSS_JORDAN_H

#include <stdint.h>

#include <clsolve/context.h>
#include <clsolve/enqueue.h>
#include <clsolve/export.h>
#include <clsolve/factorization.h>
#include <clsolve/matrix.h>
#include <clsolve/report.h>
#include <clsolve/status.h>

typedef struct clsolve_gauss_jordan clsolve_gauss_jordan;

typedef enum clsolve_gauss_jordan_variant {
    CLSOLVE_GAUSS_JORDAN_AUTO =
        0, /* ONE_PASS for n up to 96, or 8 where one launch factors a panel, on a device; else BLOCKED */
    CLSOLVE_GAUSS_JORDAN_TWO_PASS = 1,
    CLSOLVE_GAUSS_JORDAN_ONE_PASS = 2,
    CLSOLVE_GAUSS_JORDAN_OPERATIONS = 3,
    CLSOLVE_GAUSS_JORDAN_BLOCKED = 4
} clsolve_gauss_jordan_variant;

/* All zeros are the defaults. */
typedef struct clsolve_gauss_jordan_options {
    clsolve_gauss_jordan_variant variant;
    clsolve_pivoting pivoting; /* PARTIAL or NONE (factorization.h); AUTO means PARTIAL */
    int32_t block;             /* BLOCKED: columns in a panel; 0: chosen for the device and n */
    int64_t slab_bytes;        /* bound on one device buffer of the matrix, in bytes; 0: the device's own */
    clsolve_progress progress; /* called during the elimination (report.h); NULL: none */
    void *progress_user;       /* first argument of `progress` */
    clsolve_where where;       /* on the device or on the host (factorization.h) */
    int64_t reserved[7];       /* zeros */
} clsolve_gauss_jordan_options;

CLSOLVE_BEGIN_DECLS

/*
 * Creates a handle for n x n matrices: takes the device memory and builds the kernels of the variant.
 *
 *   n         order of A, at least 0
 *   type      of A, B and X: any clsolve_type, the complex ones too
 *   options   NULL: the defaults
 *   handle    out: the handle; NULL on failure
 *
 *   status                       when
 *   ERROR_INVALID_ARGUMENT       an argument or an option is out of range
 *   ERROR_UNSUPPORTED            the pivoting is of another family (factorization.h)
 *   ERROR_UNSUPPORTED            the type is CLSOLVE_F64 or CLSOLVE_C64, and the device has no double precision
 *   ERROR_UNSUPPORTED            the kernels fail their self-test on the device (context.h)
 *   ERROR_OUT_OF_MEMORY          the host has no room
 *   ERROR_OUT_OF_DEVICE_MEMORY   the device cannot hold the matrix; dense LU (lu.h) streams it through the device
 *   ERROR_BUILD                  a kernel did not build
 *   ERROR_DEVICE                 the driver failed
 *
 * Device memory in elements, besides the n^2 of A:
 *
 *   BLOCKED                                                          2 n block
 *   BLOCKED, n >= 2048, with panels overlapped (NVIDIA's GPUs)       3 n block
 *   BLOCKED on a device that works in the host's memory              n block
 *   other variants                                                   2 n nrhs for B and X, or 2 n^2 for an inverse
 */
CLSOLVE_API clsolve_status clsolve_gauss_jordan_create(clsolve_context *context, int64_t n, clsolve_type type,
                                                       const clsolve_gauss_jordan_options *options,
                                                       clsolve_gauss_jordan **handle);

/*
 * Solves op(A) X = B. The call may be repeated with new values.
 *
 *   op        CLSOLVE_NO_TRANS: A X = B; CLSOLVE_TRANS: A^T X = B; CLSOLVE_CONJ_TRANS: A^H X = B
 *   A         in: n x n, the handle's type, either layout, any ld
 *   B         in: n x nrhs, any nrhs, the handle's type, either layout, any ld; out: X, or B as it was on any status
 *             but OK
 *
 *   status                       when
 *   SINGULAR                     a pivot is exactly zero; the report's info has the first one's column. With pivoting
 *                                NONE the matrix may be regular
 *   OVERFLOW                     X would hold NaN or Inf
 *   OVERFLOW                     the elimination met NaN or Inf before any zero pivot; a scaled A may have a solution
 *   ERROR_NONFINITE              A or B holds NaN or Inf
 *   ERROR_DEVICE                 the driver failed; B may hold X in part if the driver failed while X was copied back
 *
 * Tiny matrices. A matrix of numbers near the smallest is multiplied by a power of two on the device. So the
 * reciprocals of its pivots do not overflow. BLOCKED computes these reciprocals. A pivot below the smallest normal
 * number in a matrix of larger elements may be OVERFLOW with BLOCKED, where the other variants solve the system.
 */
CLSOLVE_API clsolve_status clsolve_gauss_jordan_solve(clsolve_gauss_jordan *handle, clsolve_op op,
                                                      const clsolve_matrix *A, clsolve_matrix *B);

/*
 * Computes the inverse of A.
 *
 *   A         in: n x n, the handle's type, either layout, any ld
 *   X         out: n x n, the inverse, or X as it was on any status but OK; may be A's own memory in A's layout
 *
 * The call returns the same statuses as clsolve_gauss_jordan_solve. The report's rcond is then:
 *
 *   OK           1 / (||A||_1 ||X||_1), up to rounding the exact reciprocal condition number in the 1-norm; 1 for n = 0
 *   SINGULAR     0 (also after clsolve_gauss_jordan_solve), or -1 with pivoting NONE
 *   otherwise    -1; also after a solve
 *
 * If rcond is below the type's epsilon, no digit of X is sure.
 */
CLSOLVE_API clsolve_status clsolve_gauss_jordan_invert(clsolve_gauss_jordan *handle, const clsolve_matrix *A,
                                                       clsolve_matrix *X);

/* The calls that enqueue, for arrays on the device, and the call that returns their outcome (enqueue.h). */
CLSOLVE_API clsolve_status clsolve_gauss_jordan_solve_enqueue(clsolve_gauss_jordan *handle, clsolve_op op,
                                                              const clsolve_matrix *A, clsolve_matrix *B,
                                                              const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_gauss_jordan_invert_enqueue(clsolve_gauss_jordan *handle, const clsolve_matrix *A,
                                                               clsolve_matrix *X, const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_gauss_jordan_status(clsolve_gauss_jordan *handle);

/*
 * Writes into `report` how the last call went (report.h). nrhs is n for an inverse. seconds.factor covers the
 * elimination, right-hand sides included; seconds.solve is 0.
 */
CLSOLVE_API clsolve_status clsolve_gauss_jordan_report(const clsolve_gauss_jordan *handle, clsolve_report *report);

/* Releases the handle. `handle` may be NULL. */
CLSOLVE_API void clsolve_gauss_jordan_destroy(clsolve_gauss_jordan *handle);

CLSOLVE_END_DECLS

#endif
