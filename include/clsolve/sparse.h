/*
 * sparse.h: direct solution of A X = B for a sparse matrix A of any pattern, any number of times.
 *
 * Example, given clsolve_context *context, int64_t n, const int32_t *row_start, const int32_t *column,
 *                const double *values, double *b:
 *
 *     clsolve_csr A = clsolve_csr_f64(n, row_start, column, values);
 *     clsolve_matrix B = clsolve_matrix_f64(n, 1, b);
 *     clsolve_sparse *sparse;
 *     clsolve_status status = clsolve_sparse_create_csr(context, &A, NULL, &sparse);       // analysis of the pattern
 *     if (status == CLSOLVE_OK) status = clsolve_sparse_factor_csr(sparse, &A);            // numbers
 *     if (status == CLSOLVE_OK) status = clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &B); // b holds x now
 *     if (status != CLSOLVE_OK) puts(clsolve_context_message(context));
 *     clsolve_sparse_destroy(sparse);
 *
 * Algorithm. The analysis has these steps:
 *
 *   1. a matching with scaling: rows are paired with columns so that large entries come onto the diagonal (I. S. Duff,
 *      J. Koster, On algorithms for permuting large entries to the diagonal of a sparse matrix, SIMAX 22, 2001). A
 *      matrix with a large diagonal keeps its rows. L D L^T exchanges no rows: if many pivots are delayed, it takes the
 *      scales, and orders columns that the matching exchanges in pairs (I. S. Duff, S. Pralet, SIMAX 27, 2005).
 *   2. an order with little fill: approximate minimum degree (SuiteSparse's AMD), or nested dissection by threads for
 *      large problems of three dimensions, whichever makes analysis and factorization shorter
 *   3. elimination tree, column counts, supernodes and amalgamation (J. W. H. Liu, SIAM Review 34, 1992; J. R. Gilbert,
 *      E. G. Ng, B. W. Peyton, SIMAX 15, 1994)
 *
 * The factorization is multifrontal (I. S. Duff, J. K. Reid, ACM TOMS 9, 1983): all arithmetic is done in dense fronts
 * by LAPACK and BLAS. LU looks for pivots by threshold in the fully summed block. A pivot that is too small goes up to
 * the parent front (a delayed pivot), so no pivot is perturbed. L D L^T takes pivots of order 1 and 2 by the same rule
 * (I. S. Duff, J. K. Reid, ACM TOMS 22, 1996). Circuits and power networks have tiny fronts: for these
 * KLU of SuiteSparse factors the blocks of the block triangular form (T. A. Davis, E. Palamadai Natarajan, ACM TOMS 37,
 * 2010).
 *
 * Accuracy. Each solution has a backward error ||b - op(A) x|| / (||op(A)|| ||x|| + ||b||) in infinity norms of at most
 * max(sqrt(n), 10) epsilon, or the call returns NOT_CONVERGED. Iterative refinement is used where it is needed. Then
 * the matrix is factored once more with stricter pivots where that is needed too. Numbers are computed in double, for
 * float matrices also.
 *
 * On the host all threads that the process may use take part. The results do not depend on their number. With
 * options.where DEVICE the numbers are computed on the device, by levels of the tree. Pivots are chosen within a front
 * there, those of L D L^T within some columns of it. A pivot that is too small is replaced and counted (static
 * pivoting: X. S. Li, J. W. Demmel, ACM TOMS 29, 2003). Solutions are refined in double, by GMRES with these factors
 * where plain refinement stalls. Where that is not enough, the host factors the matrix. Factors are in float where the
 * device has no double or a much slower one, and for float matrices.
 *
 * Float factors of a matrix in double. The report's precision and det_precision are "single". Solutions keep the
 * promise, but the determinant has the digits of float (report.h), and the report has no inertia. A Cholesky
 * factorization that succeeds in float does not prove that A is positive definite: an eigenvalue of the size of float's
 * rounding errors may be negative. clsolve_sparse_inertia factors on the host, in double, and so does a factorization
 * with option rcond whose rcond is below 1e-5 in float. Solves go by these factors from then on. Ask for where HOST if
 * such facts are needed of each factorization.
 *
 * Singular matrices. A factorization that has replaced pivots solves for a right-hand side of its own. If this solution
 * is not accurate, or so large that A may be singular, the host factors A, and its status is that of the call. A solve
 * does the same with its own right-hand sides. So SINGULAR means on a device what it means on the host: a pivot that
 * delays could not save was zero in double. A matrix that rounding alone makes regular has no such pivot. Its
 * solutions keep the promise, and option rcond tells. Likewise rounding decides whether a singular semidefinite A is
 * NOT_POSITIVE_DEFINITE: its last pivot may be a small positive number on the device, and zero on the host.
 *
 * On a context of several devices of one kind, subtrees of the tree of fronts are dealt out (G. A. Geist, E. Ng, Int.
 * J. Parallel Programming 18, 1989) if that saves time, or memory that one device does not have. The first device has
 * the fronts above the subtrees. Solutions have the same bits as on one device whose memory suffices.
 * clsolve_context_share_at says which part of the operations each device had.
 */
#ifndef CLSOLVE_SPARSE_H
#define CLSOLVE_SPARSE_H

#include <stdint.h>

#include <clsolve/context.h>
#include <clsolve/csr.h>
#include <clsolve/enqueue.h>
#include <clsolve/export.h>
#include <clsolve/factorization.h>
#include <clsolve/matrix.h>
#include <clsolve/report.h>
#include <clsolve/status.h>

typedef struct clsolve_sparse clsolve_sparse;

/* The form of A. */
typedef enum clsolve_sparse_form {
    CLSOLVE_SPARSE_GENERAL = 0,           /* LU */
    CLSOLVE_SPARSE_POSITIVE_DEFINITE = 1, /* Cholesky; A is symmetric, of complex values hermitian */
    CLSOLVE_SPARSE_SYMMETRIC = 2,         /* L D L^T; A = A^T, definite or not, complex values too */
    CLSOLVE_SPARSE_HERMITIAN = 3          /* L D L^H; A = A^H; the same for real values */
} clsolve_sparse_form;

/* The entries of A that are read, of all forms but GENERAL. Imaginary parts on the diagonal of a positive definite or
 * hermitian A count as zeros. */
typedef enum clsolve_sparse_part {
    CLSOLVE_SPARSE_WHOLE = 0, /* all; A is refused if it is not of its form to 2^-46 of each entry */
    CLSOLVE_SPARSE_LOWER = 1, /* those on the diagonal and below it; the others are not read */
    CLSOLVE_SPARSE_UPPER = 2  /* those on the diagonal and above it */
} clsolve_sparse_part;

/* The order in which columns are eliminated. */
typedef enum clsolve_sparse_order {
    CLSOLVE_ORDER_AUTO = 0,    /* AMD, or nested dissection where the factorization gains more than that costs */
    CLSOLVE_ORDER_AMD = 1,     /* approximate minimum degree */
    CLSOLVE_ORDER_METIS = 2,   /* nested dissection by METIS, on one thread */
    CLSOLVE_ORDER_NATURAL = 3, /* as the columns stand */
    CLSOLVE_ORDER_NESTED = 4,  /* nested dissection by threads */
    CLSOLVE_ORDER_GIVEN = 5    /* options.permutation */
} clsolve_sparse_order;

/* The engine that factors: see above. */
typedef enum clsolve_sparse_engine {
    CLSOLVE_SPARSE_AUTO = 0,
    CLSOLVE_SPARSE_MULTIFRONTAL = 1,
    CLSOLVE_SPARSE_KLU = 2 /* GENERAL alone */
} clsolve_sparse_engine;

/* A step that may be left out. */
typedef enum clsolve_choice { CLSOLVE_CHOICE_AUTO = 0, CLSOLVE_CHOICE_ON = 1, CLSOLVE_CHOICE_OFF = 2 } clsolve_choice;

/* All zeros are the defaults. */
typedef struct clsolve_sparse_options {
    clsolve_sparse_form form;
    clsolve_sparse_part part;
    clsolve_sparse_order order;
    const int64_t *permutation; /* GIVEN: column permutation[k] is eliminated k-th, from 0; copied by create */
    clsolve_sparse_engine engine;
    clsolve_choice matching;     /* LU, L D L^T. AUTO: LU where the diagonal is not large, L D L^T if many pivots are
                                  * delayed. ON: not KLU */
    clsolve_choice amalgamation; /* AUTO, ON: small fronts are joined; OFF: fundamental supernodes alone */
    double threshold;            /* pivots are at least this times the largest of their column; 0: 0.01; at most 1,
                                  * for L D L^T at most 0.5 */
    int32_t threads;             /* of the factorization, at most; 0: as many as the process may use */
    int32_t rcond;               /* 1: each factorization estimates the condition number, by at most eleven solves */
    int64_t memory_limit;        /* most bytes of the host's memory for host_bytes, see below; 0: what the host has */
    clsolve_where where;         /* DEVICE: the devices of the context. AUTO: a GPU with memory of its own from 5e8
                                  * operations on; the host meanwhile, if it is done before the compiler */
    clsolve_progress progress;   /* called by create and factor (report.h); NULL: none */
    void *progress_user;         /* first argument of `progress` */
    int64_t device_memory_limit; /* most bytes of each device's memory; 0: what is free. Factors beyond it go to other
                                  * devices of the context, else they stay in the host's memory */
    int64_t reserved[7];         /* zeros */
} clsolve_sparse_options;

/* The findings of the analysis. Texts are static strings. */
typedef struct clsolve_sparse_analysis {
    int64_t n, entries;      /* entries of A, after entries at one place were added */
    int64_t structural_rank; /* rows that can be paired with columns; less than n: A is singular for all values */
    const char *engine;      /* "multifrontal" or "klu" */
    const char *order;       /* "amd", "nested", "metis", "natural" or "given" */
    int32_t matched;         /* 1: rows were exchanged and scaled by the matching */
    int64_t blocks;          /* diagonal blocks of the block triangular form; 0: not looked for */
    int64_t largest_block;   /* rows of the largest of them */
    double factor_entries;   /* of L and U, the diagonal once; before the first factorization without delayed pivots */
    double operations;       /* additions, multiplications and divisions of the factorization, likewise */
    int64_t fronts;          /* 0 with KLU */
    int64_t largest_front;   /* its rows */
    int64_t levels;          /* of the tree of fronts */
    double host_bytes;       /* the most that a factorization holds: factors and contributions; before the first one
                                without delayed pivots, with KLU without pivots that leave the diagonal */
    int64_t delayed;         /* pivots that went up to a parent front in the last factorization */
    double seconds;          /* of the analysis */
    double expected_factor;  /* seconds that a factorization is expected to take */
    double expected_solve;   /* and a solve with one right-hand side */
    double device_bytes;     /* of device memory, on all devices: factors, contributions and what else the handle takes
                                there. Before the first factorization there as expected; 0: nothing is computed there */
    int64_t replaced;        /* pivots that were too small and were replaced in the last factorization there */
    double streamed_bytes;   /* of factors that the device has no room for: they lie in the host's memory and cross in
                                each factorization and each solve. Before the first factorization as expected */
    int64_t devices;         /* of the context that take part, likewise; 0: the host alone */
    double first_device_bytes; /* of device_bytes: what the first device takes, */
    double other_device_bytes; /* and the most that another one takes */
    int64_t reserved[2];
} clsolve_sparse_analysis;

CLSOLVE_BEGIN_DECLS

/*
 * Creates a handle: copies the pattern of A and analyses it.
 *
 *   A         in: n x n on the host, any type, either index. The matching looks at the values. If A->values is NULL, a
 *             matrix that may be matched, of any form but POSITIVE_DEFINITE, is analysed by the first
 *             clsolve_sparse_factor_csr
 *   options   NULL: the defaults
 *   sparse    out: the handle; NULL on failure
 *
 *   status                       when
 *   ERROR_INVALID_ARGUMENT       the pattern is wrong (the message names row and column), an option is out of range, or
 *                                the permutation is none
 *   ERROR_NONFINITE              a value is NaN or Inf
 *   ERROR_UNSUPPORTED            where is DEVICE, and the device has no kernels or the engine is KLU; KLU for another
 *                                form than GENERAL, in the order NESTED or METIS, or with matching ON; more than
 *                                2^31 - 2 rows
 *   ERROR_OUT_OF_MEMORY          the host or memory_limit has no room; the message says how much is wanted
 */
CLSOLVE_API clsolve_status clsolve_sparse_create_csr(clsolve_context *context, const clsolve_csr *A,
                                                     const clsolve_sparse_options *options, clsolve_sparse **sparse);

/*
 * Factors A. The call may be repeated with new values for the same pattern, with the entries in the same order.
 *
 *   status                       when
 *   SINGULAR                     no pivot is left for a column: the message has the column and the nearest row, and the
 *                                report's info the column, counted from 1. Or the structural rank is below n, of any
 *                                form but POSITIVE_DEFINITE. Then the message has a row without a column, and info
 *                                this rank plus 1
 *   NOT_POSITIVE_DEFINITE        POSITIVE_DEFINITE, and a pivot is not positive; info has its column, counted from 1
 *   OVERFLOW                     the factors hold NaN or Inf
 *   ERROR_NONFINITE              a value is NaN or Inf; the message names its row and column
 *   ERROR_INVALID_ARGUMENT       another size, type or pattern than at create, or A is not symmetric or not hermitian,
 *                                as its form wants
 *   ERROR_OUT_OF_MEMORY          the host or memory_limit has no room
 *   ERROR_OUT_OF_DEVICE_MEMORY   where is DEVICE, and the device or device_memory_limit has no room for the largest
 *                                front and the contributions that wait for it
 *   ERROR_DEVICE, ERROR_BUILD    a call of the driver failed
 *
 * Values that are refused, by ERROR_INVALID_ARGUMENT or ERROR_NONFINITE, change nothing but the report's status and
 * times. Solve, inertia, permutations and the rest of the report go by the factorization before, and return what they
 * returned before this call. So it is on the host and on devices, for all forms and engines, and for
 * clsolve_sparse_factor_values. After values that were enqueued it is otherwise (enqueue.h). After all other failures
 * there are no factors.
 */
CLSOLVE_API clsolve_status clsolve_sparse_factor_csr(clsolve_sparse *sparse, const clsolve_csr *A);

/*
 * Does the same with values alone, which may lie on the device: those of the entries in the order of create's A.
 *
 *   values    in: as many rows as A has entries, one column without gaps, A's type. On the host, or in the caller's
 *             memory on the device (opencl.h, cuda.h)
 *
 * Values on the device stay there if the factors are made there in double: the device checks, scales and copies them,
 * and the host reads some numbers. These cross to the host once:
 *
 *   - values of the first factorization, if create analysed nothing without values
 *   - values of a handle of float, or of factors in float
 *   - values of a pattern that create had to sort, or with several entries at one place
 *   - all values with option rcond, and where the host factors A after the device
 *
 * ERROR_INVALID_ARGUMENT comes also if `values` has gaps or another number of elements, reaches beyond its buffer, or
 * lies in memory that is not the context's.
 */
CLSOLVE_API clsolve_status clsolve_sparse_factor_values(clsolve_sparse *sparse, const clsolve_matrix *values);

/*
 * Solves op(A) X = B with the factors. B on the device is read and X is written there if the factors are there in
 * double. Else both cross once.
 *
 *   op        NO_TRANS, TRANS or CONJ_TRANS
 *   B         in: n x nrhs on the host or on the device, A's type, either layout, any ld; out: X, or B as it was on any
 *             status but OK
 *
 *   status                       when
 *   SINGULAR, NOT_POSITIVE_DEFINITE   the factorization ended so, or the one with stricter pivots that this call made
 *   NOT_CONVERGED                the backward error stays above max(sqrt(n), 10) epsilon, with the strictest pivots too
 *                                Or a column of X has nothing but numbers too small for the type
 *   OVERFLOW                     X would hold NaN or Inf
 *   ERROR_NONFINITE              B holds NaN or Inf
 *   ERROR_STATE                  there are no factors
 *   ERROR_OUT_OF_MEMORY          the host has no room
 *   ERROR_DEVICE                 a call of the driver failed
 */
CLSOLVE_API clsolve_status clsolve_sparse_solve(clsolve_sparse *sparse, clsolve_op op, clsolve_matrix *B);

/* Writes what the analysis found. ERROR_STATE: A had no values at create and was not factored yet. */
CLSOLVE_API clsolve_status clsolve_sparse_get_analysis(clsolve_sparse *sparse, clsolve_sparse_analysis *analysis);

/*
 * Writes the order of elimination: `columns[k]` is the column that is eliminated k-th, and `rows[k]` the row of its
 * pivot, from 0; n numbers each. NULL: not wanted.
 *
 *   with factors      the pivots as they were taken
 *   without factors   the order of the analysis. Each column has the row that the matching or the block triangular form
 *                     pairs with it, else the row of the same number
 *
 * ERROR_STATE: A had no values at create and was not factored yet.
 */
CLSOLVE_API clsolve_status clsolve_sparse_permutations(clsolve_sparse *sparse, int64_t *rows, int64_t *columns);

/*
 * Counts the eigenvalues of A by their signs, as the blocks of D have them (J. J. Sylvester's law of inertia). Forms
 * POSITIVE_DEFINITE, SYMMETRIC of real values, and HERMITIAN. If the device has replaced pivots, or has factored a
 * matrix in double in float, the host factors A.
 *
 *   inertia   out: positive, negative and zero ones, n in all. After SINGULAR `zero` is what was left without a pivot;
 *             without a failure it is 0. Eigenvalues near to rounding errors of A may count on either side: an
 *             exactly singular A may return OK, with signs for its zeros
 *
 *   status               when
 *   NOT_POSITIVE_DEFINITE  POSITIVE_DEFINITE: the factors were in float, and the host finds the matrix not positive
 *                        definite in double. There are no factors then
 *   ERROR_STATE          there are no factors; or the structural rank of A is below n, and fewer rows than it says were
 *                        left without a pivot, because rounding errors became pivots: the counts are not known
 *   ERROR_UNSUPPORTED    GENERAL, or SYMMETRIC with complex values
 */
CLSOLVE_API clsolve_status clsolve_sparse_inertia(clsolve_sparse *sparse, clsolve_inertia *inertia);

/* The calls that enqueue, for arrays on the device, and the call that returns their outcome (enqueue.h). */
CLSOLVE_API clsolve_status clsolve_sparse_factor_values_enqueue(clsolve_sparse *sparse, const clsolve_matrix *values,
                                                                const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_sparse_solve_enqueue(clsolve_sparse *sparse, clsolve_op op, clsolve_matrix *B,
                                                        const clsolve_events *events);
CLSOLVE_API clsolve_status clsolve_sparse_status(clsolve_sparse *sparse);

/*
 * Writes into `report` how the last factorization and the last solve went (report.h). Its method is "sparse-lu",
 * "sparse-cholesky" or "sparse-ldl". direct.growth, log_abs_det, det_sign and det_phase are those of the last
 * factorization, and direct.det_precision is "single" where its factors are in float. refinement.backward_error is that
 * of the last solve, iterations its steps of refinement, and refinement.gmres_iterations those of them that were
 * GMRES's: of several columns the most.
 */
CLSOLVE_API clsolve_status clsolve_sparse_report(const clsolve_sparse *sparse, clsolve_report *report);

CLSOLVE_API void clsolve_sparse_destroy(clsolve_sparse *sparse); /* NULL is allowed */

CLSOLVE_END_DECLS

#endif
