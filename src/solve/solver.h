/*
 * solver.h (private): what a clsolve_solver is, and the table of methods behind it.
 *
 *   handle.c    the public handle: arguments, factor, solve, report
 *   choose.c    which method, by the model of cost/methods.h, and why
 *   attempt.c   one method after the other, until one solves the system
 *   way_*.c     one method each: from the solver's own matrix to a public handle and back
 *   accuracy.c  the backward error, and corrections
 */
#ifndef CLS_SOLVE_SOLVER_H
#define CLS_SOLVE_SOLVER_H

#include <pthread.h>

#include <clsolve/band.h>
#include <clsolve/band_cholesky.h>
#include <clsolve/solve.h>

#include "base/error.h"
#include "solve/analysis.h"
#include "solve/half.h"
#include "cost/methods.h"
#include "cost/sparse.h"
#include "base/csr.h"

/* The handles of direct methods that a solver keeps: api/door.h has their calls. */
typedef enum cls_kept {
    CLS_NOT_KEPT,
    CLS_KEPT_LU,
    CLS_KEPT_BAND,
    CLS_KEPT_CHOLESKY,
    CLS_KEPT_LDL,
    CLS_KEPT_BAND_CHOLESKY,
    CLS_KEPT_HANDLES
} cls_kept;

/* One method, for sparse matrices. `x` is n x nrhs, column after column. */
typedef struct cls_way {
    clsolve_method method;
    const char *name; /* in reports */
    cls_kept kept;
    /* Takes the values of solver->A. Makes the handle at the first call. */
    clsolve_status (*factor)(clsolve_solver *solver);
    /* x holds B and becomes X; on failure it holds anything. NULL, as the next two: that of `kept`. */
    clsolve_status (*solve)(clsolve_solver *solver, clsolve_op op, double *x, int64_t nrhs);
    void (*report)(const clsolve_solver *solver, clsolve_report *report);
    void (*close)(clsolve_solver *solver);
} cls_way;

extern const cls_way cls_way_lu, cls_way_cholesky, cls_way_ldl, cls_way_gauss_jordan, cls_way_band,
    cls_way_band_cholesky, cls_way_grid, cls_way_sparse_lu, cls_way_sparse_cholesky, cls_way_sparse_ldl;

/* solve and report are those of solver->way. */
clsolve_status cls_way_solve(clsolve_solver *solver, clsolve_op op, double *x, int64_t nrhs);
void cls_way_report(const clsolve_solver *solver, clsolve_report *report);
/* The handle of the direct method solver->way, for B in the solver's type. */
clsolve_status cls_kept_apply(clsolve_solver *solver, clsolve_op op, clsolve_matrix *B);

void cls_way_close(clsolve_solver *solver, const cls_way *way);

/* The options of dense LU and of Gauss-Jordan among the solver's. */
clsolve_lu_options cls_lu_options_of(const clsolve_solver_options *options);
clsolve_gauss_jordan_options cls_gauss_jordan_options_of(const clsolve_solver_options *options);

/* Handles that are made at the first call: of dense LU, of Gauss-Jordan, of Cholesky or LDL^T, which is made anew for
 * another symmetry. */
clsolve_status cls_solver_make_lu(clsolve_solver *solver);
clsolve_status cls_solver_make_jordan(clsolve_solver *solver);
clsolve_status cls_solver_make_half(clsolve_solver *solver, const cls_half_family *half, void **handle);

/* Gives back the matrix that Gauss-Jordan keeps. */
void cls_dense_forget(clsolve_solver *solver);

/* The options that clsolve_solver_create takes for a matrix of `type`. */
clsolve_status cls_solver_check_options(cls_error *error, const char *call, const clsolve_solver_options *options,
                                        clsolve_type type, int sparse);

/* By the public number; NULL: AUTO, or no method. */
const cls_way *cls_way_of(clsolve_method method);

struct clsolve_solver {
    clsolve_context *context;
    pthread_mutex_t lock; /* held by every public call on this solver */
    clsolve_solver_options options;
    clsolve_type type;
    int64_t n;
    int sparse;

    cls_csr A;     /* sparse */
    double *spare; /* values while those of the factors have to stay; NULL until then */
    cls_analysis analysis;
    const cls_way *way; /* NULL: not chosen yet */
    unsigned tried;     /* bit 1 << method: given up since the last factor began */
    struct {
        const cls_way *way; /* NULL: none was given up */
        clsolve_status status;
        char text[1024];
        clsolve_solve_report report;
    } first; /* the first of these */
    int factored;
    int values_there; /* 1: the sparse handle took the values of the factors, and A has older ones */
    clsolve_status
        ended; /* how the last factor did, where that says that its matrix has no factors: SINGULAR and the like */

    /* Handles of the methods; NULL: not made yet. */
    void *kept[CLS_KEPT_HANDLES];
    clsolve_symmetry ldl_symmetry; /* for which that of LDL^T was made */
    clsolve_gauss_jordan *gauss_jordan;
    clsolve_matrix dense;            /* the matrix of Gauss-Jordan, which takes it at each solve; data NULL: none */
    struct cls_buffer *dense_buffer; /* of that matrix, where it lies on the device; NULL: on the host */
    clsolve_sparse *sparse_handle;
    const cls_way *sparse_way; /* which way has made it */
    clsolve_sparse_form sparse_form;
    double sparse_seconds;     /* of factorization and solves, expected */
    clsolve_block_gs *grid[2]; /* of A, and of its transpose */
    double aim;      /* of a correction by the iteration: the relative residual that it is to reach; 0: its own */
    int grid_set[2]; /* 1: it has the values of the last factor */

    clsolve_solve_report report;
    double *history; /* what report.history points to */
};

/* Cholesky of a dense matrix, of a band, or sparse. */
static inline int cls_is_cholesky(const cls_way *way) {
    return way->method == CLSOLVE_METHOD_CHOLESKY || way->method == CLSOLVE_METHOD_SPARSE_CHOLESKY;
}

static inline int cls_is_sparse_method(clsolve_method method) {
    return method == CLSOLVE_METHOD_SPARSE_LU || method == CLSOLVE_METHOD_SPARSE_CHOLESKY ||
           method == CLSOLVE_METHOD_SPARSE_LDL;
}

/* Options of the caller's that leave AUTO fewer methods. */
int cls_options_let_sparse(const clsolve_solver_options *options);
int cls_options_want_direct(const clsolve_solver_options *options);   /* what no iteration has */
int cls_options_set_iteration(const clsolve_solver_options *options); /* how an iteration goes or ends */

/* ---- way_sparse.c ---- */

/* The handle, with the analysis of this way, from the pattern and the values of A. */
clsolve_status cls_sparse_prepare(clsolve_solver *solver, const cls_way *way);
void cls_sparse_forget(clsolve_solver *solver);
/* New values in the caller's memory on the device go to the sparse handle that has the factors. *done 1: it has
 * factored them, or refused NaN and Inf and kept its factors. 0: the host has to take the values. */
clsolve_status cls_sparse_factor_device(clsolve_solver *solver, const clsolve_matrix *values, int *done);
/* B by the factors of a sparse method: from the device it crosses only where these are not there. B is as it was on any
 * status but OK. */
clsolve_status cls_sparse_solve_device(clsolve_solver *solver, clsolve_op op, clsolve_matrix *B);
/* Whether a sparse method, with its analysis, may pay where other methods take so many seconds. */
int cls_sparse_pays(const clsolve_solver *solver, const cls_way *way, double others);
/* Seconds of factorization and solves, by the analysis, which this call makes; HUGE_VAL where it fails. */
double cls_sparse_seconds(clsolve_solver *solver, const cls_way *way);

/* ---- choose.c ---- */

/* The method of the first factor; solver->analysis has the values' part. Sets way and the report's reason. */
clsolve_status cls_choose(clsolve_solver *solver, const char *call);
/* The quickest direct method that was not tried yet and that the host can hold; NULL: none. */
const cls_way *cls_choose_direct(clsolve_solver *solver);

/* A handle of this method was made: later processes load its kernels from the cache. */
void cls_remember_build(const clsolve_solver *solver, const cls_way *way);

/* ---- attempt.c ---- */

clsolve_status cls_attempt_factor(clsolve_solver *solver, const char *call);
/* b and x: n x nrhs elements in double, two of a complex one; b is only read. */
clsolve_status cls_attempt_solve(clsolve_solver *solver, clsolve_op op, const double *b, double *x, int64_t nrhs);

/* ---- accuracy.c ---- */

typedef struct cls_accuracy {
    double backward; /* ||b - op(A) x|| / (||op(A)|| ||x|| + ||b||), infinity norms, the largest of all columns */
    double relative; /* ||b - op(A) x|| / ||b||, 2-norms, likewise */
    double scaled;   /* ||B - op(A) X|| / (||op(A)|| ||X|| n epsilon), 1-norms: LAPACK's */
} cls_accuracy;

/* Unit roundoff of a type: 2^-53 or 2^-24. */
double cls_epsilon(clsolve_type type);
/* The bound on the backward error that AUTO promises: max(sqrt(n), 10) epsilon. */
double cls_accuracy_promised(const clsolve_solver *solver);
/* r (n x nrhs) becomes b - op(A) x. NaN in x gives NaN. */
void cls_measure(clsolve_solver *solver, clsolve_op op, const double *b, const double *x, int64_t nrhs, double *r,
                 cls_accuracy *accuracy);
/* A singular grid's solution is known up to a constant: the one with mean 0, as the iteration gives it. */
void cls_remove_means(int64_t n, int64_t nrhs, int64_t parts, double *x);
/* Corrects x by solves for its residual r, while that makes the backward error smaller and it is above what is
 * promised. */
void cls_correct(clsolve_solver *solver, clsolve_op op, const double *b, double *x, int64_t nrhs, double *r,
                 cls_accuracy *accuracy);

/* ---- stage.c: right-hand sides in the type of the handles ---- */

typedef clsolve_status (*cls_staged)(clsolve_solver *solver, clsolve_op op, clsolve_matrix *B);
/* Calls `solve` with x in the solver's type, row i at place[i] (`place` NULL: at i), and takes the result back into
 * x. */
clsolve_status cls_stage(clsolve_solver *solver, const int64_t *place, clsolve_op op, double *x, int64_t nrhs,
                         cls_staged solve);
/* rows x cols zeros of the solver's type, column-major; data NULL without memory. */
clsolve_matrix cls_stage_zeros(clsolve_type type, int64_t rows, int64_t cols);
/* Element `at` of the matrix, of one double or two. */
void cls_stage_put_element(const clsolve_matrix *matrix, int64_t at, const double *value);
void cls_stage_get_element(const clsolve_matrix *matrix, int64_t at, double *value);

/* The solver's matrix, for handles that take a sparse one. */
clsolve_csr cls_solver_view(const clsolve_solver *solver);

#endif
