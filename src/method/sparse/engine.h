/*
 * engine.h (private): a sparse matrix from its analysis to its solutions; what api/sparse.c is made of.
 *
 *      analyse.c        fronts or KLU, and the analysis as a whole (method/analysis); pairing.c when rows are paired
 *      open.c           the pattern
 *      factorization.c  factors, on the host (method/fronts_host, klu.c) or on the device (method/fronts_device)
 *      solution.c       solves with the promised accuracy; accuracy.c residuals; krylov.c one solve, and GMRES
 *      run.c            what a handle calls; failure.c what it says; pivots.c determinant, inertia, order
 *      arrays.c         arrays in the caller's memory on a device
 *
 * With factors on the device:
 *
 *      device_engine.c   whether they are made there; device_compile.c their kernels without factors
 *      device_refine.c   solves whose vectors stay there while they are refined; device_pattern.c the matrix for that
 *      device_values.c   values of A that lie in the caller's memory there
 *      device_ahead.c    factorizations and solves that are enqueued, and not waited for; landing.c what came of them
 */
#ifndef CLS_SPARSE_ENGINE_H
#define CLS_SPARSE_ENGINE_H

#include "base/type.h"
#include "method/fronts_device/device.h"
#include "method/fronts_host/fronts.h"
#include "method/sparse/klu.h"

typedef struct cls_sparse_outcome {
    double backward_error; /* -1: not known */
    double first_error;    /* of the solution before refinement */
    int64_t iterations;    /* steps of refinement */
    int64_t gmres;         /* how many of them were GMRES's */
    int stricter;          /* times that the matrix was factored again with stricter pivots */
} cls_sparse_outcome;

typedef struct cls_sparse {
    clsolve_type type;
    clsolve_sparse_options options; /* part: LOWER or UPPER where one triangle is read; for WHOLE of Cholesky LOWER */
    int64_t *given;                 /* the caller's order; NULL: none */
    cls_csr A;
    int32_t *twin;  /* of each entry: that on the other side of the diagonal, -1: none; NULL until it is wanted */
    double *spare;  /* values while those of the factors have to stay; NULL until then */
    int paired_now; /* the matching is of the values that were factored last */
    int rematched;  /* rows were paired anew for these values, because they failed without */
    int pairs;      /* 1: the analysis pairs rows with columns, however large the diagonal is */
    int whole;      /* both triangles are in A */
    int analysed, factored;
    clsolve_status ended; /* how the last factorization ended */
    clsolve_sparse_analysis analysis;

    cls_sparse_company company;         /* the devices of the context; none: the host alone */
    cls_device *arrays;                 /* the first, whose memory arrays of the caller may lie in */
    cls_device *device;                 /* the same; NULL: the host alone */
    cls_sparse_device *there;           /* the device's factors; NULL: none so far */
    int made_there;                     /* the factors in use are the device's */
    struct cls_sparse_vectors *vectors; /* device_refine.c; NULL: refinement is the host's */
    struct cls_sparse_values *values;   /* device_values.c; NULL: all values came from the host */
    int values_there;                   /* the values are there, and A.value is stale */
    struct cls_sparse_ahead *ahead;     /* device_ahead.c; NULL: nothing was enqueued ahead */
    int32_t ahead_steps;                /* of refinement, in solves that are enqueued ahead */
    int behind;                         /* one of them was not good enough: the next calls wait */
    int remembered;                     /* the cache knows the kernels of these fronts */
    cls_front_built built;              /* as the last factorization has found its kernels */
    double asked;                       /* when a thread was asked for them first, by clock.h; 0: it was not */
    double waited;                      /* seconds that calls have waited for them */
    int stalled;                        /* refinement there has just failed for the next B */
    int host_alone;                     /* 1: the device's factors of these values are not good enough */
    int settled;                        /* 1: for their determinant, inertia or rcond */

    cls_klu *klu;                  /* NULL: fronts */
    int64_t *row_of;               /* vertex of each row; NULL: its own */
    char *weak;                    /* while a symmetric matrix is analysed: columns with a small diagonal; NULL: none */
    int64_t *partner;              /* of columns of a symmetric matrix, see pairs.c; NULL: there are no pairs */
    double *row_scale, *col_scale; /* NULL: none */
    cls_symbolic symbolic;
    double stack; /* elements of contributions at once, as the analysis expects it */
    cls_factors factors;
    double *scaled; /* values with these scales; on the host times 2^-exponent too. NULL: A's own */
    int exponent;   /* of the host's factors: they are those of A, scaled, times 2^-exponent, an even number */
    double *work;   /* 2 n */

    cls_pool *pool;
    int threads;
    double threshold;        /* of the factors in use */
    int kept;                /* 1: KLU has kept the pivots of other values */
    double norm_1, norm_inf; /* of A; below 0: not known */
    double rcond;
    int64_t info; /* as in a report */
    double log_abs_det, det_phase;
    int det_sign;
    double growth;
    clsolve_inertia inertia; /* of the host's factors, of a singular matrix too; all zeros: not known */
    cls_sparse_outcome outcome;
} cls_sparse;

/* Takes the pattern, and analyses it unless that needs values that are not there. Frees all on failure. company NULL:
 * the host alone. */
clsolve_status cls_sparse_open(cls_error *error, const char *call, const cls_sparse_company *company,
                               const clsolve_csr *A, const clsolve_sparse_options *options, cls_sparse *sparse);
/* The values of A, whose pattern is that of the handle. */
static inline clsolve_status cls_sparse_read_values(cls_error *error, const char *call, const clsolve_csr *A,
                                                    cls_sparse *sparse) {
    return cls_csr_take_values(error, call, A, sparse->whole ? CLSOLVE_SPARSE_WHOLE : sparse->options.part,
                               cls_form_conjugates(sparse->options.form), &sparse->A);
}
/* Checks and takes the values and factors. */
clsolve_status cls_sparse_factor(cls_error *error, const char *call, const clsolve_csr *A, cls_sparse *sparse);
/* Its two steps: the first takes the values of a view, of which only type and values are read. Values that are refused
 * leave the factors of before. */
clsolve_status cls_sparse_take_values(cls_error *error, const char *call, const clsolve_csr *A, cls_sparse *sparse);
clsolve_status cls_sparse_factor_taken(cls_error *error, const char *call, cls_sparse *sparse);
/* sparse->rcond, of factors that are there. */
clsolve_status cls_sparse_estimate(cls_error *error, const char *call, cls_sparse *sparse);
/* ERROR_INVALID_ARGUMENT where A, given whole, is to be its own transpose or conjugate transpose and is not. */
clsolve_status cls_sparse_check_symmetry(cls_error *error, const char *call, cls_sparse *sparse);
/* Growth and determinant are those of no factorization. */
static inline void cls_sparse_forget_measures(cls_sparse *sparse) {
    sparse->log_abs_det = sparse->det_phase = sparse->growth = 0;
    sparse->det_sign = 0;
}
/* Forgets the factors of before. */
static inline void cls_sparse_begin_factors(cls_sparse *sparse) {
    sparse->factored = 0;
    sparse->host_alone = sparse->settled = sparse->behind = 0;
    sparse->built = CLS_FRONT_BUILT;
    sparse->ended = CLSOLVE_ERROR_STATE;
    sparse->rcond = -1;
    sparse->info = 0;
    sparse->inertia = (clsolve_inertia){0};
    cls_sparse_forget_measures(sparse);
    sparse->norm_1 = sparse->norm_inf = -1;
    sparse->outcome = (cls_sparse_outcome){.backward_error = -1};
    sparse->rematched = 0;
    sparse->paired_now = 0;
}

/* ---- factorization.c ---- */

/* These factor the values that are there: once; or where values fail with another matching, or with a matching at once,
 * if cls_sparse_may_pair. threshold 0: the usual one. `again`: KLU may keep its pivots. */
clsolve_status cls_sparse_factor_with(cls_error *error, const char *call, cls_sparse *sparse, double threshold,
                                      int again);
clsolve_status cls_sparse_factor_or_pair(cls_error *error, const char *call, cls_sparse *sparse, double threshold,
                                         int again);
clsolve_status cls_sparse_pair_again(cls_error *error, const char *call, cls_sparse *sparse);
int cls_sparse_may_pair(const cls_sparse *sparse);

/* ---- solution.c ---- */

/* There are factors to solve with; else why not. */
clsolve_status cls_sparse_check_factors(cls_error *error, const char *call, const cls_sparse *sparse);
/* x (n x nrhs elements of double, column-major, tight) holds B and becomes X; on failure it holds B, but where the
 * device fails while X comes down. */
clsolve_status cls_sparse_solve(cls_error *error, const char *call, cls_sparse *sparse, clsolve_op op, double *x,
                                int64_t nrhs);
/* The device has replaced pivots. If a right-hand side tells that A is singular, or these factors of no use, the host
 * factors. */
clsolve_status cls_sparse_probe(cls_error *error, const char *call, cls_sparse *sparse);

void cls_sparse_close(cls_sparse *sparse);
/* Factors anew, on the host, where KLU has kept the pivots of other values or the device has replaced pivots. With
 * these, solutions are checked, but a determinant may have no correct digit. `in_double`: also where the factors of a
 * matrix in double are in float. */
void cls_sparse_settle(cls_sparse *sparse, int in_double);
/* The factors of a matrix in double are in float: signs of pivots, and a small rcond, are not those of A. */
static inline int cls_sparse_is_rough(const cls_sparse *sparse) {
    return sparse->made_there && cls_is_double(sparse->type) && !cls_is_double(sparse->there->type);
}

/* ---- failure.c ---- */

clsolve_status cls_sparse_no_memory(cls_error *error, const char *call);

/* These write the report's info and a message, and return the status. */

/* The fronts left a row and a column without a pivot. */
clsolve_status cls_sparse_fail_front(cls_error *error, const char *call, cls_sparse *sparse, clsolve_status status);
/* KLU left a row of A without a pivot; the column is the nearest. */
clsolve_status cls_sparse_fail_row(cls_error *error, const char *call, cls_sparse *sparse, int64_t row, int64_t column);
/* The structural rank is below n. ERROR_OUT_OF_MEMORY: there is no room to look for a row. */
clsolve_status cls_sparse_fail_rank(cls_error *error, const char *call, cls_sparse *sparse);

/* ---- factorization.c ---- */

/* The values as the host has factored them. */
static inline const double *cls_sparse_factored_values(const cls_sparse *sparse) {
    return sparse->row_scale || sparse->exponent != 0 ? sparse->scaled : sparse->A.value;
}

/* ---- krylov.c ---- */

/* x (n x nrhs) by the factors, once. ERROR_OUT_OF_MEMORY without a message; a failure of the device has one. */
clsolve_status cls_sparse_solve_once(cls_sparse *sparse, clsolve_op op, double *x, int64_t nrhs);
/* Columns of x whose error is above `enough` get better by GMRES where they can. The norm is known; r: n x nrhs. Writes
 * the outcome. Fails as cls_sparse_solve_once. */
clsolve_status cls_sparse_krylov(cls_sparse *sparse, clsolve_op op, int64_t nrhs, const double *b, double *x, double *r,
                                 double enough);

/* ---- arrays.c ---- */

/* The values of the caller's entries, which follow each other without gaps, on the host or in a buffer. */
clsolve_status cls_sparse_factor_array(cls_error *error, const char *call, const clsolve_matrix *values,
                                       cls_sparse *sparse);
/* Solves where B and the factors are on the device. There are factors. *done 0, and OK: B is as it was, and
 * cls_sparse_solve has to solve for a copy on the host. */
clsolve_status cls_sparse_solve_array(cls_sparse *sparse, clsolve_op op, const clsolve_matrix *B, int *done);

/* ---- analyse.c ---- */

/* Chooses engine, matching and order. The values of A count where they are there. */
clsolve_status cls_sparse_analyse(cls_error *error, const char *call, cls_sparse *sparse);
/* The same once more, with a matching of the values that are there now; factors of before are given back. */
clsolve_status cls_sparse_analyse_again(cls_error *error, const char *call, cls_sparse *sparse);
/* The threads of a factorization: small ones have one. */
int cls_sparse_threads(const cls_sparse *sparse);
/* The threads of the handle, made when they are wanted first. NULL: it has one thread. */
cls_pool *cls_sparse_pool(cls_sparse *sparse);
/* The threads of a factorization and of what comes after it. NULL: the caller alone. */
cls_pool *cls_sparse_factor_pool(cls_sparse *sparse);

/* ---- pairing.c ---- */

/* Pairs rows with columns, or columns of a symmetric matrix with each other, where that is wanted; and finds the
 * structural rank, unless it is known. 0: no memory. */
int cls_sparse_pair(cls_sparse *sparse);
/* Makes scales of a symmetric matrix that has none. 0: no memory, and there are none. */
int cls_sparse_equilibrate(cls_sparse *sparse);
/* Finds the structural rank of the pattern. 0: no memory. */
int cls_sparse_find_rank(cls_sparse *sparse);
/* As cls_structural_rank, of both triangles. */
int64_t cls_sparse_structural_rank(const cls_sparse *sparse, int64_t *row);

/* ---- accuracy.c ---- */

/* r = b - op(A) x of n x nrhs; returns the largest backward error of all columns, in infinity norms. The norm is
 * known. */
double cls_sparse_residual(const cls_sparse *sparse, clsolve_op op, const double *b, const double *x, int64_t nrhs,
                           double *r);
/* The backward error of solutions, at most. */
double cls_sparse_promised(const cls_sparse *sparse);
/* ||A|| ||x|| / ||b||, at most, for a solution by factors with replaced pivots; 0: no bound. A singular matrix has
 * solutions with small backward errors too, if they are large enough. The host refuses them. */
double cls_sparse_most_growth(const cls_sparse *sparse);
/* The norm of A that residuals with op(A) want, unless it is known. */
void cls_sparse_find_norm(cls_sparse *sparse, clsolve_op op);
/* Makes `twin`. 0: no memory. */
int cls_sparse_make_twins(cls_sparse *sparse);
/* Whether A is its transpose, or where its form conjugates its conjugate transpose; else the place of an entry that
 * differs. The pool of A helps. */
int cls_sparse_is_symmetric(cls_sparse *sparse, int64_t *row, int64_t *column);

/* ---- device_engine.c ---- */

/* The next factors are made on the device. Else a thread compiles its kernels meanwhile, if these alone are missed. */
int cls_sparse_goes_there(cls_sparse *sparse);
/* The same before a factorization, as it is expected: nothing begins. */
int cls_sparse_may_go_there(const cls_sparse *sparse);
/* `of` is a cls_sparse. Nested dissection goes on behind a first separator of so many rows: compilers begin with the
 * kernels that factors will want there. On the thread that drives the device. */
void cls_sparse_foresee(void *of, int64_t separator);
/* Why they are made on the host, where the options leave the choice; a static string. */
const char *cls_sparse_here_reason(const cls_sparse *sparse);
/* New values that lie in the caller's memory on the device may stay there: the next factors are made there, in
 * double. */
int cls_sparse_values_may(cls_sparse *sparse, const clsolve_matrix *values);
/* Writes into the analysis what the device will hold, if factors are made there, with kernels that may come later. */
void cls_sparse_expect_there(cls_sparse *sparse);
/* Memory and kernels, unless they are there. */
clsolve_status cls_sparse_open_there(cls_sparse *sparse);
/* value: entries of A, scaled; NULL: of cls_sparse_values_take. A status of the device's. */
clsolve_status cls_sparse_factor_there(cls_sparse *sparse, const double *value);
/* A pivot of these factors was as good as zero, or not positive: the host has to say what the matrix is, because it
 * computes in double and delays pivots. */
int cls_sparse_is_vague(const cls_sparse *sparse);
/* The device's pivots of all positions, of Cholesky their roots, and the positions of their rows. They are those of
 * A times 2^-exponent of the device's factors. 0: the device failed. */
int cls_sparse_pivots_there(const cls_sparse *sparse, double *pivot, int64_t *row);

/* ---- device_values.c ---- */

typedef struct cls_sparse_values cls_sparse_values;

/* Takes values that may stay. *taken 0: the host has to look at them, and those of before are as they were. A failure
 * is one of the device's, and leaves the same, but for one after *taken has become 1. */
clsolve_status cls_sparse_values_take(cls_sparse *sparse, const clsolve_matrix *values, int *taken);
/* A.value holds the values: they come down where they are stale. */
clsolve_status cls_sparse_values_here(cls_error *error, const char *call, cls_sparse *sparse);
void cls_sparse_values_close(cls_sparse *sparse); /* before the factors are closed */

/* The same without a look at the values, whose range is that of those before: enqueues the check, whose maxima of
 * `groups` groups come to *partial. *taken 0: kernels may not read the buffer. */
clsolve_status cls_sparse_values_enqueue(cls_sparse *sparse, const clsolve_matrix *values, cls_buffer **partial,
                                         int64_t *groups, int *taken);

/* ---- device_ahead.c ---- */

typedef struct cls_sparse_ahead cls_sparse_ahead;

/* The call need not wait: these values become factors in double on the device, in its memory alone; the last factors
 * known had no replaced pivot. */
int cls_sparse_may_factor_ahead(cls_sparse *sparse, const clsolve_matrix *values);
/* Enqueues all. *taken 0: nothing was done, and the call has to wait. */
clsolve_status cls_sparse_factor_ahead(cls_sparse *sparse, const clsolve_matrix *values, int *taken);
/* The same of a solve. B becomes X if nothing goes wrong. */
int cls_sparse_may_solve_ahead(const cls_sparse *sparse, const clsolve_matrix *B);
clsolve_status cls_sparse_solve_ahead(cls_sparse *sparse, clsolve_op op, const clsolve_matrix *B, double enough,
                                      int *taken);

typedef struct cls_ahead_found {
    int factors_fail, sides_fail, error_fails; /* in this order: what comes behind a failure means nothing */
    double first_error, error;                 /* of the last solve */
    int64_t steps;
} cls_ahead_found;
/* Waits. A failure of the factors is forgotten by the device, because the caller makes others. */
clsolve_status cls_sparse_ahead_look(cls_sparse *sparse, cls_ahead_found *found);
void cls_sparse_ahead_close(cls_sparse *sparse); /* before the factors are closed */

/* ---- landing.c ---- */

/* Waits, and returns what came of the factorization, or if that is well of the last solve. Where the device was not
 * enough, the factorization is what a call that waits makes of the values. */
clsolve_status cls_sparse_land(cls_error *error, const char *call, cls_sparse *sparse, int factor, int solve);

/* ---- device_refine.c, device_pattern.c ---- */

typedef struct cls_sparse_vectors cls_sparse_vectors;

enum { CLS_SPARSE_STEPS = 6 }; /* of refinement, at most */

/* For factors in double; of others there is nothing to open. The kernels may be announced before. */
clsolve_status cls_sparse_vectors_announce(cls_sparse *sparse);
clsolve_status cls_sparse_vectors_open(cls_sparse *sparse);
void cls_sparse_vectors_close(cls_sparse *sparse); /* before the factors are closed */
/* Solutions with the factors in use are refined on the device. */
int cls_sparse_vectors_may(const cls_sparse *sparse);
/* The values have changed. */
void cls_sparse_vectors_renew(cls_sparse *sparse);

/* Columns of B, which become X: tight on the host, or in a buffer, where element (i, j) is number
 * first + i * down + j * across. */
typedef struct cls_sparse_sides {
    double *host; /* NULL: in the buffer */
    cls_buffer *buffer;
    int64_t first, down, across; /* across: for the host in doubles */
} cls_sparse_sides;

/* As cls_sparse_solve, and writes the outcome. B becomes X only if its backward error is at most `enough`. *finite 0: B
 * has NaN, Inf or an element whose size is beyond the range. Waits. */
clsolve_status cls_sparse_refine_there(cls_sparse *sparse, clsolve_op op, const cls_sparse_sides *B, int64_t nrhs,
                                       double enough, int *finite);

/* The outcome is that of a solve on the device: the next ones ahead take so many steps. */
void cls_sparse_learn_steps(cls_sparse *sparse, double enough);

/* ---- pivots.c ---- */

/* The order of elimination: that of the pivots, without factors that of the analysis. NULL: not wanted. */
void cls_sparse_order(const cls_sparse *sparse, int64_t *rows, int64_t *columns);
/* Determinant and growth of the factors. */
void cls_sparse_measure(cls_sparse *sparse);
/* The inertia of the factors in use, or of a singular matrix; all zeros: not known. */
clsolve_inertia cls_sparse_inertia(const cls_sparse *sparse);

#endif
