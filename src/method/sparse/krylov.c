/*
 * krylov.c: solutions by the factors as they are, and GMRES with them as its preconditioner (method/direct/refine.h),
 * for columns that plain refinement does not bring there: the device has replaced pivots, or its factors are in float.
 * The vectors are the host's, and the solves the device's.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "method/direct/refine.h"
#include "method/fronts_host/number.h"
#include "method/sparse/engine.h"

enum { BASIS = 10, CYCLES = 3 }; /* vectors of GMRES, and how often it starts anew */

static void multiply(double *x, int64_t count, int exponent) {
    for (int64_t k = 0; k < count; k++) x[k] = ldexp(x[k], exponent);
}

/* The host's factors are those of A times 2^-exponent. A column comes to the middle of the range, and goes back. */
static clsolve_status solve_scaled(cls_sparse *sparse, clsolve_op op, double *x, int64_t nrhs) {
    const int64_t count = sparse->A.n * sparse->A.parts;
    const int exponent = sparse->exponent;
    clsolve_status status = CLSOLVE_OK;
    sparse->exponent = 0;
    for (int64_t j = 0; j < nrhs && status == CLSOLVE_OK; j++) {
        double *column = x + j * count;
        const double most = largest(column, count, 1);
        int own = 0;
        if (isfinite(most)) (void)frexp(most, &own);
        multiply(column, count, -own);
        status = cls_sparse_solve_once(sparse, op, column, 1);
        multiply(column, count, own - exponent);
    }
    sparse->exponent = exponent;
    return status;
}

clsolve_status cls_sparse_solve_once(cls_sparse *sparse, clsolve_op op, double *x, int64_t nrhs) {
    if (sparse->exponent != 0 && !sparse->made_there && !sparse->klu) return solve_scaled(sparse, op, x, nrhs);
    const int64_t n = sparse->A.n, parts = sparse->A.parts;
    const int64_t *place = sparse->symbolic.tree.place;
    if (sparse->klu) return cls_klu_solve(sparse->klu, op, x, nrhs);
    double *y = cls_alloc((size_t)(n * nrhs) + 1, (size_t)parts * sizeof *y);
    if (!y) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    const int forward = op == CLSOLVE_NO_TRANS;
    const double *before = forward ? sparse->row_scale : sparse->col_scale,
                 *after = forward ? sparse->col_scale : sparse->row_scale;
    for (int64_t j = 0; j < nrhs; j++)
        for (int64_t i = 0; i < n; i++) {
            const int64_t to = place[forward && sparse->row_of ? sparse->row_of[i] : i];
            for (int64_t p = 0; p < parts; p++)
                y[(to + j * n) * parts + p] = x[(i + j * n) * parts + p] * (before ? before[i] : 1);
        }
    const int adjoint = forward ? 0 : op == CLSOLVE_TRANS ? 1 : 2;
    clsolve_status status = CLSOLVE_OK;
    if (sparse->made_there)
        status = cls_sparse_device_solve(sparse->there, adjoint, y, nrhs);
    else if (!cls_factors_solve(&sparse->factors, adjoint, y, nrhs, cls_sparse_factor_pool(sparse)))
        status = CLSOLVE_ERROR_OUT_OF_MEMORY;
    for (int64_t j = 0; j < nrhs; j++)
        for (int64_t i = 0; i < n; i++) {
            const int64_t from = place[!forward && sparse->row_of ? sparse->row_of[i] : i];
            for (int64_t p = 0; p < parts; p++)
                x[(i + j * n) * parts + p] = y[(from + j * n) * parts + p] * (after ? after[i] : 1);
        }
    cls_free(y);
    return status;
}

/* ---- GMRES ---- */

typedef struct krylov_run {
    cls_sparse *sparse;
    const double *zeros; /* a column */
} krylov_run;

static clsolve_status residual(void *self, clsolve_op op, int64_t cols, const double *X, const double *B, double *R) {
    const krylov_run *run = self;
    (void)cls_sparse_residual(run->sparse, op, B ? B : run->zeros, X, cols, R);
    return CLSOLVE_OK;
}

static clsolve_status precondition(void *self, clsolve_op op, int64_t cols, const double *R, double *D) {
    const krylov_run *run = self;
    const int64_t count = run->sparse->A.n * run->sparse->A.parts * cols;
    if (D != R) memcpy(D, R, (size_t)count * sizeof *D);
    return cls_sparse_solve_once(run->sparse, op, D, cols);
}

static double norm_2(const double *x, int64_t count) {
    double largest = 0, sum = 0;
    for (int64_t k = 0; k < count; k++) largest = fmax(largest, fabs(x[k]));
    for (int64_t k = 0; k < count && largest > 0; k++) sum += x[k] / largest * (x[k] / largest);
    return largest * sqrt(sum);
}

/* One column: x as long as it gets better; r is its residual, or room where `next` was not better. */
static clsolve_status improve(const cls_refine *problem, const double *b, double *x, double *r, double *next,
                              double *error, double enough, int64_t *taken) {
    const krylov_run *run = problem->self;
    const size_t bytes = (size_t)problem->n * sizeof *x;
    const int open = 1;
    for (int cycle = 0; cycle < CYCLES && !(*error <= enough); cycle++) {
        const double target = norm_2(r, problem->n) * (0.1 * enough / *error);
        int64_t steps = 0;
        memcpy(next, x, bytes);
        CLS_TRY(cls_gmres_cycle(problem, 1, &open, &target, r, next, &steps));
        *taken += steps;
        const double better = cls_sparse_residual(run->sparse, problem->op, b, next, 1, r);
        if (!(better < 0.5 * *error)) break;
        memcpy(x, next, bytes);
        *error = better;
    }
    return CLSOLVE_OK;
}

clsolve_status cls_sparse_krylov(cls_sparse *sparse, clsolve_op op, int64_t nrhs, const double *b, double *x, double *r,
                                 double enough) {
    const int64_t count = sparse->A.n * sparse->A.parts;
    double *room = cls_alloc((size_t)count + 1, 2 * sizeof *room), worst = 0;
    krylov_run run = {sparse, room};
    const cls_refine problem = {.error = sparse->arrays->error,
                                .n = count,
                                .op = op,
                                .basis = BASIS,
                                .self = &run,
                                .residual = residual,
                                .precondition = precondition};
    clsolve_status status = room ? CLSOLVE_OK : CLSOLVE_ERROR_OUT_OF_MEMORY;
    for (int64_t j = 0; j < nrhs && status == CLSOLVE_OK; j++) {
        const int64_t at = j * count;
        int64_t steps = 0;
        double error = cls_sparse_residual(sparse, op, b + at, x + at, 1, r + at);
        if (isfinite(error)) status = improve(&problem, b + at, x + at, r + at, room + count, &error, enough, &steps);
        sparse->outcome.gmres = steps > sparse->outcome.gmres ? steps : sparse->outcome.gmres;
        if (!(error <= worst) && !isnan(worst)) worst = error;
        if (!(error <= enough)) break;
    }
    cls_free(room);
    sparse->outcome.iterations += sparse->outcome.gmres;
    sparse->outcome.backward_error = worst;
    return status;
}
