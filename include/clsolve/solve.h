/*
 * solve.h: the front door: A X = B for a dense or a sparse matrix, by the method that suits it.
 *
 * Example, given clsolve_context *context, int64_t n, const int32_t *row_start, const int32_t *column,
 *                const double *values, double *b:
 *
 *     clsolve_solver *solver = NULL;
 *     clsolve_csr A = clsolve_csr_f64(n, row_start, column, values);
 *     clsolve_matrix B = clsolve_matrix_f64(n, 1, b);
 *     clsolve_status status = clsolve_solver_create_csr(context, &A, NULL, &solver);
 *     if (status == CLSOLVE_OK) status = clsolve_solver_factor_csr(solver, &A);
 *     if (status == CLSOLVE_OK) status = clsolve_solver_solve(solver, CLSOLVE_NO_TRANS, &B);
 *     clsolve_solver_destroy(solver);
 *
 * create analyses the pattern, factor takes the values, solve may be called many times, and so may factor.
 * clsolve_solve and clsolve_solve_csr do all of it in one call.
 *
 * The method AUTO. A dense matrix goes to dense LU, or, if it is symmetric, of complex elements hermitian, and its
 * diagonal is positive, to Cholesky (cholesky.h), in half the operations. So A is compared with its transpose:
 *
 *   A on the host, the device works in its memory   128 rows or more; by the host, first
 *   A on the host, a GPU                            512 rows or more, or 128 where Cholesky is expected to be faster;
 *                                                   by the host, most of it while Cholesky factors
 *   A on the device, a GPU                          512 rows or more; by a kernel, first
 *   else                                            not at all: LU
 *
 * A context of several devices with a GPU as the first takes LU. A matrix on the host whose diagonal is not positive,
 * or a complex one with A = A^T, goes to LDL^T (ldl.h), from 128 rows on, if that is expected to be faster than LU. If
 * Cholesky finds that A is not positive definite, the quicker of LDL^T and LU follows, at the cost of the columns done.
 * LU follows if A turns out not to be symmetric while it is factored. The report has the attempt. A matrix on the
 * device whose diagonal is not positive, or a complex one with A = A^T, goes to LU: ask for LDL by name.
 *
 * CHOLESKY and LDL by name compare A with its transpose first, wherever A lies: on a device by a kernel.
 *
 * For a sparse matrix the analysis finds
 *
 *   the band    how far entries lie from the diagonal, as given and after reverse Cuthill-McKee
 *   fill        entries of the factors and operations of sparse LU, Cholesky or LDL^T, in an order with little fill
 *               (sparse.h)
 *   a grid      nonzeros on the diagonals 0, +-1 and +-M only: block-tridiagonal with N lines of M unknowns
 *   symmetry    of the pattern and of the values
 *
 * A model of the time (docs/solve.md) takes the quickest method: dense LU (lu.h), Cholesky, band LU (band.h), sparse
 * LU, Cholesky or LDL^T (sparse.h). For grids there is the iteration too (block_gs.h). The model knows the device, the
 * host's memory, the number of right-hand sides, and whether the kernels are compiled already.
 *
 * AUTO on a sparse matrix is never less accurate than a direct method. After each solve it computes
 *
 *     backward error = ||b - op(A) x|| / (||op(A)|| ||x|| + ||b||)     (infinity norms)
 *
 * on the host. Above max(sqrt(n), 10) epsilon it corrects x with further solves. If that fails, a direct method
 * follows the iteration. The report names each method that was given up, and why. A direct method's answer stands even
 * above the bound, when its pivots grew too much for corrections. The report's backward_error then says so, and
 * CLSOLVE_PIVOTING_RBT may help.
 *
 * A grid all row sums of which are zero is singular. A tridiagonal matrix counts as a grid of one line here. The
 * iteration solves such a system where B is in the range of A, and the solution with mean 0 is corrected as above.
 * If B is not in the range, the call returns NOT_CONVERGED. An answer above the bound stands, and backward_error
 * says so.
 */
#ifndef CLSOLVE_SOLVE_H
#define CLSOLVE_SOLVE_H

#include <stdint.h>

#include <clsolve/block_gs.h>
#include <clsolve/context.h>
#include <clsolve/csr.h>
#include <clsolve/export.h>
#include <clsolve/gauss_jordan.h>
#include <clsolve/lu.h>
#include <clsolve/matrix.h>
#include <clsolve/report.h>
#include <clsolve/sparse.h>
#include <clsolve/status.h>

typedef enum clsolve_method {
    CLSOLVE_METHOD_AUTO = 0,            /* dense matrices: LU, Cholesky or LDL^T; sparse ones: see above */
    CLSOLVE_METHOD_LU = 1,              /* lu.h; a sparse matrix is spelled out */
    CLSOLVE_METHOD_GAUSS_JORDAN = 2,    /* gauss_jordan.h; a sparse matrix is spelled out */
    CLSOLVE_METHOD_BAND = 3,            /* band.h, reordered where that makes less work; sparse matrices only */
    CLSOLVE_METHOD_BLOCK_GS = 4,        /* block_gs.h; sparse matrices that are a grid only */
    CLSOLVE_METHOD_CHOLESKY = 5,        /* cholesky.h; symmetric or hermitian; band_cholesky.h for a small band */
    CLSOLVE_METHOD_SPARSE_LU = 6,       /* sparse.h; sparse matrices of any pattern */
    CLSOLVE_METHOD_SPARSE_CHOLESKY = 7, /* sparse.h; symmetric or hermitian, positive definite */
    CLSOLVE_METHOD_LDL = 8,       /* ldl.h; symmetric, complex too, or hermitian; a sparse matrix is spelled out */
    CLSOLVE_METHOD_SPARSE_LDL = 9 /* sparse.h; symmetric, complex too, or hermitian, definite or not */
} clsolve_method;

/*
 * Options of a solver and of the one-call forms. All zeros are the defaults: AUTO in the matrix's own precision. The
 * right column names the methods that have an option. AUTO then chooses among these methods, but never Gauss-Jordan.
 * With another method that is asked for by name the option must be 0, but for those that only "have an effect".
 */
typedef struct clsolve_solver_options {
    clsolve_method method;
    clsolve_progress progress; /* NULL: none */
    void *progress_user;
    int64_t nrhs; /* right-hand sides expected for each factorization, for the model of the time; 0: 1 */

    clsolve_panel panel;         /* where panels are factored             LU, CHOLESKY, LDL, BAND */
    int32_t block;               /* columns in a block; 0: chosen         LU, CHOLESKY, LDL, BAND, GAUSS_JORDAN */
    int64_t memory_limit;        /* bytes of device memory; 0: all        LU, CHOLESKY, LDL, BAND; of the host's memory:
                                                                          SPARSE_LU, _CHOLESKY, _LDL (sparse.h) */
    int64_t slab_bytes;          /* bound on one buffer; 0: the device's  has an effect on LU, CHOLESKY, LDL, BAND and
                                                                          GAUSS_JORDAN */
    clsolve_precision precision; /* MIXED: float factors, refined         LU, CHOLESKY, LDL, BAND; AUTO, WORKING: all */
    int32_t equilibrate;         /* 1: scale rows and columns             LU, CHOLESKY, LDL, BAND */
    int32_t refine;              /* 1: the method's own refinement        LU, CHOLESKY, LDL, BAND */
    int32_t rcond;               /* 1, CLSOLVE_RCOND_IF_ILL: estimate it   has an effect on LU, CHOLESKY, LDL, BAND,
                                                                          SPARSE_LU, SPARSE_CHOLESKY, SPARSE_LDL */
    clsolve_pivoting pivoting;   /* factorization.h                       RBT: LU;
                                                                          NONE: GAUSS_JORDAN, lines of BLOCK_GS;
                                                                          PARTIAL: all but CHOLESKY and LDL */
    uint64_t seed;               /* of CLSOLVE_PIVOTING_RBT               has an effect with RBT */

    clsolve_gauss_jordan_variant variant; /* has an effect on GAUSS_JORDAN */
    clsolve_block_gs_method iteration;    /* BLOCK_GS; see `tolerance` */
    double tolerance;                     /* BLOCK_GS: relative residual to stop at; 0: the method's default */
    int64_t max_iterations;               /* BLOCK_GS; 0: the method's default */

    clsolve_where where;        /* factorization.h      all but BLOCK_GS */
    clsolve_sparse_order order; /* of elimination                          SPARSE_LU, SPARSE_CHOLESKY, SPARSE_LDL */
    const int64_t *permutation; /* with order GIVEN, as in sparse.h; read until the first factorization */
    int64_t reserved[6];        /* zeros */
} clsolve_solver_options;
/*
 * With `iteration`, `tolerance` or `max_iterations` AUTO takes BLOCK_GS for every grid, and the iteration ends
 * as these options say: no accuracy is promised then. With `iteration` or `max_iterations` no other method follows
 * it.
 */

/* The most methods that AUTO gives up for one matrix. */
enum { CLSOLVE_SOLVER_ATTEMPTS = 4 };

/* A method that AUTO gave up. */
typedef struct clsolve_solver_attempt {
    clsolve_method method;
    clsolve_status status; /* OK: it ran to its end, but was not accurate enough */
    char text[512];        /* one sentence: why */
} clsolve_solver_attempt;

/* `name` is a static string. */
typedef struct clsolve_solve_report {
    clsolve_report report; /* of the method that ran last, all zeros before the first factor; times cover that method */
    clsolve_method method; /* the one that was chosen, or was gone on to; AUTO before the first factor */
    const char *name;      /* "lu", "cholesky", "band-lu", "band-cholesky" ...; NULL before the first factor */
    char reason[256];      /* one sentence: why */

    /* The analysis of a sparse matrix. */
    int64_t entries;                    /* after entries at the same place were added */
    int64_t lower, upper;               /* diagonals below and above the main one, as BAND would factor it */
    int64_t lower_before, upper_before; /* as given */
    int32_t reordered;                  /* 1: lower and upper are those after reverse Cuthill-McKee */
    int32_t symmetric_pattern;          /* 1: the pattern of A is that of its transpose */
    int32_t symmetric;                  /* 1: so are the values of the last factor */
    int64_t lines, line_length;         /* a grid: N and M; else 0 */

    /* The last solve. */
    double backward_error;      /* see above, the largest of all columns; -1: not known */
    int64_t corrections;        /* further solves that made it smaller */
    int32_t singular;           /* 1: a grid all row sums of which are zero: the solution with mean 0 */
    char iteration[64];         /* BLOCK_GS: what ran, "multigrid V(1,1)"; else "" */
    char iteration_reason[128]; /* and why */
    const double *history;      /* BLOCK_GS, given up too: relative residuals; the solver's until its next call */
    int64_t history_count;

    /* Seconds of wall time. */
    double seconds_analysis; /* create: pattern, band, order, grid */
    double seconds_factor;   /* the last factor, with what was given up in it */
    double seconds_solve;    /* the last solve, likewise */

    int64_t attempts_count;
    clsolve_solver_attempt attempts[CLSOLVE_SOLVER_ATTEMPTS]; /* given up since the last factor began, in this order */
    int64_t reserved[8];
} clsolve_solve_report;

typedef struct clsolve_solver clsolve_solver;

CLSOLVE_BEGIN_DECLS

/*
 * Solves op(A) X = B for a dense A in one call.
 *
 *   A         in: n x n, on the host or on the device, either layout, any ld
 *   B         in: n x nrhs, the type of A; out: X, or B as it was on any status but OK
 *   options   NULL: the defaults, AUTO: dense LU, Cholesky or LDL^T; GAUSS_JORDAN by name
 *   report    out: how it went, also after a failure; NULL: not wanted
 *
 * The statuses are those of the method's create, factor and solve, as clsolve_solver_factor lists them.
 *
 * The context keeps the handles of the last LU and of the last Cholesky for the next call, if they are small. On a
 * device with memory of its own each may take a thousandth of it, or 1 MB. clsolve_context_destroy gives it back.
 */
CLSOLVE_API clsolve_status clsolve_solve(clsolve_context *context, clsolve_op op, const clsolve_matrix *A,
                                         clsolve_matrix *B, const clsolve_solver_options *options,
                                         clsolve_solve_report *report);

/*
 * The same for a sparse A: create, factor, solve, report and destroy of a solver in one call. B is in the type of A, in
 * either layout, on the host or on the device.
 */
CLSOLVE_API clsolve_status clsolve_solve_csr(clsolve_context *context, clsolve_op op, const clsolve_csr *A,
                                             clsolve_matrix *B, const clsolve_solver_options *options,
                                             clsolve_solve_report *report);

/*
 * Makes a solver for n x n matrices of A's type. For a dense matrix only A's size and type count. For a sparse matrix
 * the call copies A's pattern and analyses it; A->values may be NULL. `options` may be NULL.
 *
 * Statuses other than OK, each with *solver NULL:
 *   ERROR_INVALID_ARGUMENT   a size, the pattern (with the row and the entry that is wrong), or an option, also one
 *                            that the method asked for does not have
 *   ERROR_UNSUPPORTED        a pivoting that the method does not have, or a type that the device does not have
 *   ERROR_OUT_OF_MEMORY
 */
CLSOLVE_API clsolve_status clsolve_solver_create(clsolve_context *context, const clsolve_matrix *A,
                                                 const clsolve_solver_options *options, clsolve_solver **solver);
CLSOLVE_API clsolve_status clsolve_solver_create_csr(clsolve_context *context, const clsolve_csr *A,
                                                     const clsolve_solver_options *options, clsolve_solver **solver);

/*
 * Takes the values of A and factors it. The first call chooses the method, takes its device memory and builds its
 * kernels. Later calls take new values for the same pattern, with the entries in the same order, and use the same
 * device memory. The solver keeps a copy of a sparse A, and with GAUSS_JORDAN of a dense one, on the device if A lies
 * there. A solver made from a dense matrix takes dense matrices only,
 * a solver made from a sparse matrix sparse ones only.
 *
 * Statuses are the method's own:
 *   SINGULAR                     the column is in report.info; for a reordered matrix it counts in the new order
 *   NOT_POSITIVE_DEFINITE        CHOLESKY or SPARSE_CHOLESKY, asked for by name. report.info has the order of the
 *                                minor, which counts in the new order for a reordered matrix. With SPARSE_CHOLESKY it
 *                                has the column
 *   OVERFLOW, ERROR_NONFINITE
 *   ERROR_OUT_OF_MEMORY          also when the host cannot hold the matrix as any method wants it
 *   ERROR_OUT_OF_DEVICE_MEMORY, ERROR_UNSUPPORTED, ERROR_BUILD, ERROR_DEVICE
 *   ERROR_INVALID_ARGUMENT       another size, type or pattern, or a matrix that the method asked for does not take:
 *                                a sparse one that is no grid, one that is not symmetric
 *
 * A view of another size, type or pattern is refused before anything is done: the factors before it stay. They also
 * stay where a sparse matrix has NaN or Inf. Any other failure leaves the solver without factors.
 */
CLSOLVE_API clsolve_status clsolve_solver_factor(clsolve_solver *solver, const clsolve_matrix *A);
CLSOLVE_API clsolve_status clsolve_solver_factor_csr(clsolve_solver *solver, const clsolve_csr *A);

/*
 * Takes values alone, for the pattern of clsolve_solver_create_csr.
 *
 *   values    in: as many rows as A had entries at create, in that order; one column without gaps, A's type. On the
 *             host, or in the caller's memory on the device (opencl.h, cuda.h)
 *
 * Values on the device go to the sparse method that has factored the matrix before, in double. They stay there if its
 * factors are there (clsolve_sparse_factor_values in sparse.h). Then the sparse method also takes B as it is, and its
 * own bound holds. AUTO looks at the values again only if they have no such factors. The report's `symmetric` is that
 * of the last values on the host.
 *
 * These values come to the host:
 *
 *   - values of the first factorization, and of another method
 *   - values of a float matrix, or of a complex one that Cholesky or L D L^H factors
 *   - values of a pattern that create had to sort, or with several entries at one place
 *
 * Statuses are those of clsolve_solver_factor_csr.
 */
CLSOLVE_API clsolve_status clsolve_solver_factor_values(clsolve_solver *solver, const clsolve_matrix *values);

/*
 * B (n x nrhs, any number of columns, either layout, on the host or on the device) becomes X with op(A) X = B. With a
 * sparse A, a B on the device crosses to the host and X back, because the residuals are taken there. It stays if the
 * factors of a sparse method are on the device in double. On any status but OK, B is unchanged: SINGULAR,
 * NOT_CONVERGED, OVERFLOW, ERROR_NONFINITE for NaN or Inf in B, ERROR_STATE without a factor that succeeded, and the
 * statuses of factor when another method follows. SINGULAR and NOT_POSITIVE_DEFINITE are also the statuses where the
 * last factor ended so.
 */
CLSOLVE_API clsolve_status clsolve_solver_solve(clsolve_solver *solver, clsolve_op op, clsolve_matrix *B);

/*
 * Reports what the last create, factor and solve found and did. Determinant, growth and inertia of a sparse method are
 * computed by this call. If the device has replaced pivots, the host factors A for them.
 */
CLSOLVE_API clsolve_status clsolve_solver_report(const clsolve_solver *solver, clsolve_solve_report *report);

/*
 * The findings of the analysis of SPARSE_LU, SPARSE_CHOLESKY and SPARSE_LDL (sparse.h). ERROR_STATE: the solver has
 * factored no matrix by these methods.
 */
CLSOLVE_API clsolve_status clsolve_solver_sparse_analysis(const clsolve_solver *solver,
                                                          clsolve_sparse_analysis *analysis);

/*
 * The order of elimination of the sparse methods, n numbers each, as clsolve_sparse_permutations writes it. It is the
 * order of the pivots, or, if the last factor by these methods failed, of its analysis. ERROR_STATE: the solver has
 * factored no matrix by these methods.
 */
CLSOLVE_API clsolve_status clsolve_solver_sparse_permutations(const clsolve_solver *solver, int64_t *rows,
                                                              int64_t *columns);

/* NULL is fine. */
CLSOLVE_API void clsolve_solver_destroy(clsolve_solver *solver);

CLSOLVE_END_DECLS

#endif
