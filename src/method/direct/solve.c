/* solve.c: B's way: solve, refine, and with better factors once more. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "method/direct/direct.h"
#include "method/direct/failure.h"
#include "method/direct/vectors.h"
#include "method/fetch.h"

/* One call on a handle that has a copy of A. */
typedef struct refined_solve {
    cls_direct *direct;
    const char *call;
    clsolve_op op;
    const clsolve_matrix *B;
    double *part, *X; /* a chunk of B; all of X */
} refined_solve;

/* Does the answer do, or is there nothing to fall back to? With no room for better factors (`last`) an acceptable
 * answer stands * (refine.h). */
static int is_done(const cls_direct *direct, int last) {
    const cls_refined *steps = &direct->steps;
    if (steps->converged && !steps->unsettled && !direct->near_singular) return 1;
    if (!cls_direct_is_unpivoted(direct) && !cls_direct_can_widen(direct)) return 1;
    return last && steps->converged;
}

/* X, all columns, chunk by chunk. The caller's B is only read. */
static clsolve_status solve_all(const refined_solve *s, const cls_refined *before, int last) {
    cls_direct *direct = s->direct;
    const clsolve_matrix *B = s->B;
    const int64_t parts = cls_type_parts(B->type), n = B->rows * parts; /* real numbers in a column */

    /* The steps of factors that were given up count. */
    direct->steps = (cls_refined){.converged = 1, .iterations = before->iterations, .gmres = before->gmres};
    for (int64_t c = 0, cols; c < B->cols; c += cols) {
        cols = B->cols - c < CLS_REFINE_COLUMNS ? B->cols - c : CLS_REFINE_COLUMNS;
        cls_vectors_get(B, c, cols, s->part);
        for (int64_t k = 0; k < n * cols; ++k)
            if (!isfinite(s->part[k]))
                return cls_nonfinite(direct->device->error, CLSOLVE_ERROR_NONFINITE, s->call, "B", k % n / parts,
                                     c + k / n);
        CLS_TRY(cls_direct_refine(direct, s->op, cols, s->part, s->X + c * n));
        if (!is_done(direct, last)) return CLSOLVE_OK; /* all anew */
    }
    return CLSOLVE_OK;
}

static clsolve_status not_converged(const refined_solve *s) {
    const cls_refined *steps = &s->direct->steps;
    return cls_fail(s->direct->device->error, CLSOLVE_NOT_CONVERGED,
                    "%s: refinement came to a backward error of %.2g in %lld steps, not to that of double: "
                    "the matrix is too ill-conditioned for single-precision factors",
                    s->call, steps->backward_error, (long long)steps->iterations);
}

static clsolve_status solve_columns(const refined_solve *s) {
    cls_direct *direct = s->direct;
    const clsolve_matrix *B = s->B;
    const int64_t parts = cls_type_parts(B->type), n = B->rows * parts;
    cls_refined before = {0};
    int last = 0;

    CLS_TRY(solve_all(s, &before, last));
    while (!is_done(direct, last)) {
        before = direct->steps;
        clsolve_status status = cls_direct_fall_back(direct, s->call);
        last = status == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY && before.converged && before.unsettled;
        if (status != CLSOLVE_OK && !last) return status;
        CLS_TRY(solve_all(s, &before, last));
    }
    /* With factors of the working precision the best answer stands, as it would without refinement. */
    if (!direct->steps.converged && !direct->steps.overflowed && cls_direct_in_float(direct)) return not_converged(s);
    double most = cls_type_most(direct->type);
    for (int64_t k = 0; k < n * B->cols; ++k)
        if (!(fabs(s->X[k]) <= most))
            return cls_nonfinite(direct->device->error, CLSOLVE_OVERFLOW, s->call, "X", k % n / parts, k / n);
    cls_vectors_put(B, 0, B->cols, s->X);
    return CLSOLVE_OK;
}

/* `B` lies in the host's memory, where refinement works. */
static clsolve_status solve_there(cls_direct *direct, const char *call, clsolve_op op, const clsolve_matrix *B) {
    size_t rows = (size_t)(B->rows * cls_type_parts(B->type));
    refined_solve s = {.direct = direct, .call = call, .op = op, .B = B};

    s.part = cls_alloc(rows * CLS_REFINE_COLUMNS, sizeof *s.part);
    s.X = cls_alloc(rows, (size_t)B->cols * sizeof *s.X);
    clsolve_status status =
        s.part && s.X ? solve_columns(&s)
                      : cls_fail(direct->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the solution");
    cls_free(s.part);
    cls_free(s.X);
    return status;
}

/* Right-hand sides on the device cross once to the host and, solved, once back. */
static clsolve_status solve_refined(cls_direct *direct, const char *call, clsolve_op op, const clsolve_matrix *B) {
    double start = cls_seconds();
    cls_fetched there;

    CLS_TRY(cls_fetch(direct->device, B, &there));
    clsolve_status status = solve_there(direct, call, op, &there.view);
    if (status == CLSOLVE_OK) status = cls_store(direct->device, &there, B);
    cls_fetched_free(&there);
    if (!direct->refines) direct->steps.backward_error = -1;
    direct->costs.solve.solve = cls_seconds() - start;
    return status;
}

static clsolve_status solve_unrefined(cls_direct *direct, const char *call, clsolve_op op, const clsolve_matrix *B) {
    cls_error *error = direct->device->error;
    cls_place in = {-1, -1}, out = {-1, -1};
    /* A was multiplied by a power of two as it was taken (cls_direct_set_unit). */
    const int by_unit = direct->scaling.uniform != 1 && !direct->scaling.rows;

    CLS_TRY(by_unit ? cls_direct_solve_staged(direct, op, B, &in, &out)
                    : direct->ops->solve_unrefined(direct, op, B, &in, &out));
    if (in.row >= 0) return cls_nonfinite(error, CLSOLVE_ERROR_NONFINITE, call, "B", in.row, in.column);
    return out.row >= 0 ? cls_nonfinite(error, CLSOLVE_OVERFLOW, call, "X", out.row, out.column) : CLSOLVE_OK;
}

static clsolve_status solve(cls_direct *direct, const char *call, clsolve_op op, const clsolve_matrix *B) {
    if (direct->n == 0 || B->cols == 0) return CLSOLVE_OK;
    return direct->copies ? solve_refined(direct, call, op, B) : solve_unrefined(direct, call, op, B);
}

clsolve_status cls_direct_solve(cls_direct *direct, const char *call, clsolve_op op, const clsolve_matrix *B) {
    cls_counters before = direct->device->counters;
    double start = cls_seconds();

    memset(&direct->costs.solve, 0, sizeof direct->costs.solve);
    direct->nrhs = B->cols;
    clsolve_status status = solve(direct, call, op, B);
    clsolve_seconds *seconds = &direct->costs.solve;
    seconds->total = cls_seconds() - start;
    if (direct->one_phase && seconds->upload + seconds->solve == 0) seconds->solve = seconds->total;
    direct->costs.solve_moved = cls_counters_since(&direct->device->counters, &before);
    return status;
}
