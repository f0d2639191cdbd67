#include "api/trust.h"

#include <float.h>
#include <math.h>

#include "base/memory.h"
#include "method/vectors.h"

/* ---- failures ---- */

clsolve_status cls_nonfinite(clsolve_context *context, clsolve_status status, const char *what, int64_t row,
                             int64_t column) {
    return cls_fail(&context->error, status, "%s(%lld,%lld), counted from 1, is NaN or Inf%s", what, (long long)row + 1,
                    (long long)column + 1,
                    status == CLSOLVE_OVERFLOW ? ": the matrix leaves the range of the type; scale it" : "");
}

clsolve_status cls_singular(clsolve_context *context, const char *call, int64_t info) {
    return cls_fail(&context->error, CLSOLVE_SINGULAR,
                    "%s: A is singular: U(%lld,%lld), counted from 1, is exactly zero", call, (long long)info,
                    (long long)info);
}

void cls_count_moved(const cls_device *device, const cls_counters *before, cls_counters *moved) {
    moved->bytes_up = device->counters.bytes_up - before->bytes_up;
    moved->bytes_down = device->counters.bytes_down - before->bytes_down;
    moved->transfers_up = device->counters.transfers_up - before->transfers_up;
    moved->transfers_down = device->counters.transfers_down - before->transfers_down;
}

/* ---- solve ---- */

/* With no room for better factors (`last`) an acceptable answer stands (method/refine.h). */
static int is_done(const cls_trusted *how, int last) {
    return how->done(how->handle) || (last && how->steps->converged);
}

/* X, all columns, from B; chunk by chunk through `part`. The caller's B is only read. */
static clsolve_status solve_all(const cls_trusted *how, clsolve_op op, const clsolve_matrix *B,
                                const cls_refined *before, int last, double *part, double *X) {
    int64_t n = B->rows;

    /* What factors took before they were given up counts. */
    *how->steps = (cls_refined){.converged = 1, .iterations = before->iterations, .gmres = before->gmres};
    for (int64_t c = 0, cols; c < B->cols; c += cols) {
        cols = B->cols - c < CLS_REFINE_COLUMNS ? B->cols - c : CLS_REFINE_COLUMNS;
        cls_vectors_get(B, c, cols, part);
        for (int64_t k = 0; k < n * cols; ++k)
            if (!isfinite(part[k]))
                return cls_nonfinite(how->context, CLSOLVE_ERROR_NONFINITE, how->B, k % n, c + k / n);
        CLS_TRY(how->solve(how->handle, op, cols, part, X + c * n));
        if (!is_done(how, last)) return CLSOLVE_OK; /* all anew */
    }
    return CLSOLVE_OK;
}

static clsolve_status not_converged(const cls_trusted *how) {
    int call = 0; /* what stands before ": X" */
    while (how->X[call] != '\0' && how->X[call] != ':') ++call;
    return cls_fail(&how->context->error, CLSOLVE_NOT_CONVERGED,
                    "%.*s: refinement came to a backward error of %.2g in %lld steps, not to that of double: "
                    "the matrix is too ill-conditioned for single-precision factors",
                    call, how->X, how->steps->backward_error, (long long)how->steps->iterations);
}

static clsolve_status solve_columns(const cls_trusted *how, clsolve_op op, const clsolve_matrix *B, double *part,
                                    double *X) {
    int64_t n = B->rows;
    cls_refined before = {0};
    int last = 0;

    CLS_TRY(solve_all(how, op, B, &before, last, part, X));
    while (!is_done(how, last)) {
        before = *how->steps;
        clsolve_status status = how->fall_back(how->handle);
        last = status == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY && before.converged && before.unsettled;
        if (status != CLSOLVE_OK && !last) return status;
        CLS_TRY(solve_all(how, op, B, &before, last, part, X));
    }
    /* Of factors of the working precision the best answer stands, as it would without refinement. */
    if (!how->steps->converged && !how->steps->overflowed && how->in_float(how->handle)) return not_converged(how);
    double most = how->type == CLSOLVE_F32 ? (double)FLT_MAX : DBL_MAX;
    for (int64_t k = 0; k < n * B->cols; ++k)
        if (!(fabs(X[k]) <= most)) return cls_nonfinite(how->context, CLSOLVE_OVERFLOW, how->X, k % n, k / n);
    cls_vectors_put(B, 0, B->cols, X);
    return CLSOLVE_OK;
}

clsolve_status cls_trusted_solve(const cls_trusted *how, clsolve_op op, const clsolve_matrix *B) {
    size_t rows = (size_t)B->rows;
    double *part = cls_alloc(rows * CLS_REFINE_COLUMNS, sizeof *part);
    double *X = cls_alloc(rows, (size_t)B->cols * sizeof *X);
    clsolve_status status =
        part && X ? solve_columns(how, op, B, part, X)
                  : cls_fail(&how->context->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the solution");
    cls_free(part);
    cls_free(X);
    return status;
}

/* ---- report ---- */

static double known(double error) {
    return isfinite(error) ? error : -1;
}

void cls_report_steps(const cls_refined *steps, const char *fallback, int mixed, clsolve_type type,
                      clsolve_report *report) {
    report->precision = mixed && !fallback ? "mixed" : type == CLSOLVE_F64 ? "double" : "single";
    report->fallback = fallback;
    report->backward_error = known(steps->backward_error);
    report->iterations = steps->iterations;
    report->gmres_iterations = steps->gmres;
    report->history_length = steps->history_length;
    for (int64_t k = 0; k < steps->history_length; ++k) report->history[k] = known(steps->history[k]);
}

void cls_report_costs(const cls_costs *costs, clsolve_report *report) {
    const clsolve_seconds *f = &costs->factor, *s = &costs->solve;
    const cls_counters *a = &costs->factor_moved, *b = &costs->solve_moved;

    report->bytes_up = a->bytes_up + b->bytes_up;
    report->bytes_down = a->bytes_down + b->bytes_down;
    report->transfers_up = a->transfers_up + b->transfers_up;
    report->transfers_down = a->transfers_down + b->transfers_down;
    report->seconds = (clsolve_seconds){.build = costs->build,
                                        .upload = f->upload + s->upload,
                                        .factor = f->factor,
                                        .solve = s->solve,
                                        .download = s->download,
                                        .total = costs->create + f->total + s->total};
}
