/* lu_trust.c: what an LU handle does beyond factors and solves: scaling, refinement, mixed precision, what to report. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "api/lu.h"
#include "base/clock.h"
#include "base/memory.h"
#include "method/vectors.h"

cls_lu *cls_lu_in_use(clsolve_lu *lu) {
    return lu->refined.factors.lu ? lu->refined.factors.lu : &lu->lu;
}

clsolve_status cls_lu_singular(clsolve_lu *lu, const char *call) {
    return cls_fail(&lu->context->error, CLSOLVE_SINGULAR,
                    "%s: A is singular: U(%lld,%lld), counted from 1, is exactly zero", call, (long long)lu->info,
                    (long long)lu->info);
}

/* The factors as an operator, with the scaling they were made with. */
static cls_lu_operator operator_of(clsolve_lu *lu) {
    if (lu->refined.device) return lu->refined.factors;
    cls_lu_operator plain = {&lu->lu, lu->scaling.host_r, lu->scaling.host_c, cls_vector_unit(lu->largest)};
    return plain;
}

clsolve_status cls_lu_trust_setup(clsolve_lu *lu) {
    cls_device *device = lu->context->device;

    int refines = lu->type != lu->lu.type || lu->options.refine;

    cls_lu_trust_forget(lu);
    if (lu->lu.out.slab > 0 && (refines || lu->options.equilibrate))
        return cls_fail(
            device->error, CLSOLVE_ERROR_UNSUPPORTED,
            "clsolve_lu_create: n = %lld does not fit into the device's memory, and out of core there is no "
            "equilibration, refinement or mixed precision",
            (long long)lu->lu.n);
    if (refines) return cls_lu_refined_setup(device, lu->type, &lu->options, &lu->lu, &lu->refined);
    if (lu->options.equilibrate)
        return cls_scaling_create(device, lu->lu.n, lu->type, lu->type, lu->lu.A.mapped != NULL, &lu->scaling);
    return CLSOLVE_OK;
}

void cls_lu_trust_release(clsolve_lu *lu) {
    cls_lu_refined_release(&lu->refined);
    cls_scaling_destroy(lu->context->device, &lu->scaling);
}

void cls_lu_trust_forget(clsolve_lu *lu) {
    lu->rcond = -1;
    lu->largest = 0;
    lu->verdict = (cls_lu_verdict){.row = -1};
    lu->steps = (cls_refined){.backward_error = -1};
}

/* ---- factor ---- */

/* What is factored is no longer A: its largest element is needed once more, for the growth. */
static clsolve_status measure_scaled(clsolve_lu *lu) {
    cls_lu *m = &lu->lu;
    cls_measures scaled;

    CLS_TRY(cls_check_enqueue(m->device, &m->check, &m->A, m->n, 0));
    CLS_TRY(cls_check_read(m->device, &m->check, m->n, &scaled, NULL));
    lu->largest = scaled.largest;
    return CLSOLVE_OK;
}

clsolve_status cls_lu_take(clsolve_lu *lu, const clsolve_matrix *A) {
    cls_lu *m = &lu->lu;
    const cls_scaling *scaling = lu->refined.device ? &lu->refined.keep.scaling : &lu->scaling;

    lu->measures = (cls_measures){.row = -1, .column = -1};
    if (m->n == 0) return lu->refined.device ? cls_lu_refined_set(&lu->refined, m, A) : CLSOLVE_OK;
    if (lu->refined.device) {
        CLS_TRY(cls_lu_refined_set(&lu->refined, m, A));
        lu->measures = lu->refined.keep.measures;
    } else {
        CLS_TRY(cls_upload_square(m->device, &m->transfer, A, &m->A));
        CLS_TRY(cls_check_enqueue(m->device, &m->check, &m->A, m->n, 0));
        CLS_TRY(cls_check_read(m->device, &m->check, m->n, &lu->measures, NULL));
    }
    lu->largest = lu->measures.largest;
    if (lu->measures.row >= 0) return CLSOLVE_OK;
    if (!lu->refined.device && lu->options.equilibrate) {
        CLS_TRY(cls_scaling_find(m->device, &lu->scaling, &m->A, lu->measures.largest, 1));
        if (scaling->rows || scaling->cols) CLS_TRY(cls_scaling_to(m->device, &lu->scaling, &m->A, &m->A));
    }
    return scaling->rows || scaling->cols ? measure_scaled(lu) : CLSOLVE_OK;
}

static clsolve_status widen(clsolve_lu *lu, const char *why) {
    CLS_TRY(cls_lu_refined_widen(&lu->refined, &lu->options, why, &lu->info, &lu->verdict));
    lu->largest = lu->measures.largest;
    return CLSOLVE_OK;
}

clsolve_status cls_lu_examine(clsolve_lu *lu) {
    CLS_TRY(cls_lu_judge(&lu->lu, &lu->verdict));
    if (lu->info > 0 && cls_lu_refined_must_mend(&lu->refined)) {
        /* Two pivots that differ in double may be equal in float: that is no reason to give up, for refinement will
         * see whether the mended factors do. Of the determinant they say nothing. */
        CLS_TRY(cls_lu_mend(&lu->lu, lu->largest));
        lu->info = 0;
        lu->verdict.sign = 0;
        lu->verdict.log_abs_det = 0;
    }
    if (!cls_lu_refined_can_widen(&lu->refined)) return CLSOLVE_OK;
    if (lu->info > 0) return widen(lu, "the single-precision factors have a zero pivot");
    if (lu->verdict.row >= 0) return widen(lu, "the single-precision factors left the range of float");
    return CLSOLVE_OK;
}

clsolve_status cls_lu_condition(clsolve_lu *lu) {
    if (!lu->options.rcond || lu->verdict.row >= 0) return CLSOLVE_OK;
    if (lu->info > 0) {
        lu->rcond = 0;
        return CLSOLVE_OK;
    }
    cls_lu_operator factors = operator_of(lu);
    return cls_lu_rcond(&factors, lu->measures.norm1, &lu->rcond);
}

/* ---- solve ---- */

/* X, all columns, from B; chunk by chunk through `part`. The caller's B is only read. */
static clsolve_status refine_all(clsolve_lu *lu, clsolve_op op, const clsolve_matrix *B, double *part, double *X) {
    int64_t n = B->rows;

    lu->steps = (cls_refined){.converged = 1};
    for (int64_t c = 0, cols; c < B->cols; c += cols) {
        cols = B->cols - c < CLS_REFINE_COLUMNS ? B->cols - c : CLS_REFINE_COLUMNS;
        cls_vectors_get(B, c, cols, part);
        for (int64_t k = 0; k < n * cols; ++k)
            if (!isfinite(part[k]))
                return cls_lu_nonfinite(lu, CLSOLVE_ERROR_NONFINITE, "clsolve_lu_solve: B", k % n, c + k / n);
        CLS_TRY(cls_lu_refined_solve(&lu->refined, op, cols, part, X + c * n, &lu->steps));
        if (!lu->steps.converged && cls_lu_refined_can_widen(&lu->refined)) return CLSOLVE_OK; /* all anew */
    }
    return CLSOLVE_OK;
}

static clsolve_status solve_columns(clsolve_lu *lu, clsolve_op op, const clsolve_matrix *B, double *part, double *X) {
    int64_t n = B->rows;

    CLS_TRY(refine_all(lu, op, B, part, X));
    if (!lu->steps.converged && cls_lu_refined_can_widen(&lu->refined)) {
        CLS_TRY(widen(lu, "refinement with single-precision factors did not converge"));
        CLS_TRY(cls_lu_condition(lu));
        if (lu->info > 0) {
            lu->outcome = CLSOLVE_SINGULAR;
            return cls_lu_singular(lu, "clsolve_lu_solve");
        }
        CLS_TRY(refine_all(lu, op, B, part, X));
    }
    if (!lu->steps.converged && lu->refined.mixed)
        return cls_fail(&lu->context->error, CLSOLVE_NOT_CONVERGED,
                        "clsolve_lu_solve: refinement came to a backward error of %.2g in %lld steps, not to that of "
                        "double: the matrix is too ill-conditioned for %s",
                        lu->steps.backward_error, (long long)lu->steps.iterations,
                        lu->refined.wide ? "double factors" : "single-precision factors");
    double most = lu->type == CLSOLVE_F32 ? (double)FLT_MAX : DBL_MAX;
    for (int64_t k = 0; k < n * B->cols; ++k)
        if (!(fabs(X[k]) <= most)) return cls_lu_nonfinite(lu, CLSOLVE_OVERFLOW, "clsolve_lu_solve: X", k % n, k / n);
    cls_vectors_put(B, 0, B->cols, X);
    return CLSOLVE_OK;
}

clsolve_status cls_lu_solve_refined(clsolve_lu *lu, clsolve_op op, const clsolve_matrix *B) {
    size_t rows = (size_t)B->rows;
    double *part = cls_alloc(rows * CLS_REFINE_COLUMNS, sizeof *part),
           *X = cls_alloc(rows, (size_t)B->cols * sizeof *X);
    double start = cls_seconds();
    clsolve_status status =
        part && X ? solve_columns(lu, op, B, part, X)
                  : cls_fail(&lu->context->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the solution");
    lu->solve_seconds.solve = cls_seconds() - start;
    cls_free(part);
    cls_free(X);
    return status;
}

/* ---- report ---- */

static const char *precision_of(const clsolve_lu *lu) {
    if (lu->refined.wide && lu->refined.fallback) return "double";
    if (lu->refined.mixed) return "mixed";
    return lu->type == CLSOLVE_F64 ? "double" : "single";
}

void cls_lu_trust_report(const clsolve_lu *lu, clsolve_report *report) {
    const cls_scaling *scaling = lu->refined.device ? &lu->refined.keep.scaling : &lu->scaling;
    int64_t lacking = 0;

    report->precision = precision_of(lu);
    report->fallback = lu->refined.fallback;
    report->rcond = lu->rcond;
    report->backward_error = lu->steps.backward_error;
    report->iterations = lu->steps.iterations;
    report->gmres_iterations = lu->steps.gmres;
    report->history_length = lu->steps.history_length;
    memcpy(report->history, lu->steps.history, sizeof report->history);
    if (!lu->factored) return;
    if (!lu->refined.fallback) {
        report->equilibrated = scaling->rows + 2 * scaling->cols;
        lacking = cls_scaling_exponent(scaling);
    }
    if (!lu->verdict.known) return;
    if (lu->lu.n > 0 && lu->verdict.row < 0) report->growth = lu->largest > 0 ? lu->verdict.largest / lu->largest : 1;
    if (lu->verdict.row < 0) {
        report->det_sign = lu->verdict.sign;
        report->log_abs_det = lu->verdict.log_abs_det + (double)lacking * log(2);
    }
}
