/* band_trust.c: what a band handle does beyond factors and solves: scaling, refinement, mixed precision, what to report. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "api/band.h"
#include "base/clock.h"
#include "base/memory.h"
#include "method/vectors.h"

cls_band *cls_band_in_use(clsolve_band *band) {
    return band->refined.factors.band ? band->refined.factors.band : &band->band;
}

clsolve_status cls_band_trust_setup(clsolve_band *band) {
    const clsolve_band_options *options = &band->options;

    cls_band_trust_forget(band);
    if (band->type == band->band.type && !options->refine && !options->equilibrate) return CLSOLVE_OK;
    return cls_band_refined_setup(band->context->device, band->type, options, &band->band, &band->refined);
}

void cls_band_trust_release(clsolve_band *band) {
    cls_band_refined_release(&band->refined);
}

void cls_band_trust_forget(clsolve_band *band) {
    band->rcond = -1;
    band->rcond_is_bound = 0;
    band->largest = 0;
    band->measures = (cls_measures){.row = -1, .column = -1};
    band->verdict = (cls_band_verdict){.row = -1, .column = -1};
    band->steps = (cls_refined){.backward_error = -1};
}

/* ---- factor ---- */

/* What the factorization of `b` left. */
static void learn(clsolve_band *band, const cls_band *b) {
    band->info = b->info;
    band->verdict = b->verdict;
    band->largest = b->measures.largest;
}

static clsolve_status widen(clsolve_band *band, const char *why) {
    CLS_TRY(cls_band_refined_widen(&band->refined, &band->band, &band->options, why));
    learn(band, band->refined.wide);
    return CLSOLVE_OK;
}

static clsolve_status examine(clsolve_band *band) {
    learn(band, &band->band);
    if (band->info > 0 && cls_band_refined_must_mend(&band->refined)) {
        /* Two pivots that differ in double may be equal in float: that is no reason to give up, for refinement will
         * see whether the mended factors do. Of the determinant they say nothing. */
        CLS_TRY(cls_band_mend(&band->band, band->largest));
        band->info = 0;
        band->verdict.sign = 0;
        band->verdict.log_abs_det = 0;
    }
    if (!cls_band_refined_can_widen(&band->refined)) return CLSOLVE_OK;
    if (band->info > 0) return widen(band, "the single-precision factors have a zero pivot");
    if (band->verdict.row >= 0) return widen(band, "the single-precision factors left the range of float");
    return CLSOLVE_OK;
}

clsolve_status cls_band_take_and_factor(clsolve_band *band, const cls_band_source *source) {
    cls_band_refined *refined = &band->refined;
    cls_band_source kept = {NULL, 0, &refined->keep};
    double start = cls_seconds(), upload = 0;

    if (refined->device) {
        cls_band_refined_set(refined, &band->band, source);
        band->measures = refined->keep.measures;
        if (band->measures.row >= 0) return CLSOLVE_OK;
        source = &kept;
    }
    double taken = cls_seconds() - start;
    CLS_TRY(cls_band_factor(&band->band, source, &band->options, &upload));
    band->factor_seconds.upload = taken + upload;
    band->factor_seconds.factor = cls_seconds() - start - band->factor_seconds.upload;
    if (!refined->device) band->measures = band->band.measures;
    if (band->measures.row >= 0) return CLSOLVE_OK;
    CLS_TRY(examine(band));
    band->factor_seconds.factor = cls_seconds() - start - band->factor_seconds.upload;
    return CLSOLVE_OK;
}

clsolve_status cls_band_condition(clsolve_band *band) {
    if (!band->options.rcond || band->verdict.row >= 0) return CLSOLVE_OK;
    if (band->info > 0) {
        band->rcond = 0;
        return CLSOLVE_OK;
    }
    if (band->refined.mixed && !band->refined.wide)
        return cls_band_refined_rcond(&band->refined, &band->rcond, &band->rcond_is_bound);
    cls_band_operator plain = {&band->band, NULL, NULL, cls_vector_unit(band->largest), 0};
    band->rcond_is_bound = 0;
    return cls_band_rcond(band->refined.device ? &band->refined.factors : &plain, band->measures.norm1, &band->rcond);
}

/* ---- solve ---- */

static clsolve_status solve_part(clsolve_band *band, clsolve_op op, int64_t cols, const double *B, double *X) {
    if (band->refined.refines) return cls_band_refined_solve(&band->refined, op, cols, B, X, &band->steps);
    return cls_band_apply_host(&band->refined.factors, op, cols, B, X);
}

/* X, all columns, from B; chunk by chunk through `part`. The caller's B is only read. */
static clsolve_status solve_all(clsolve_band *band, clsolve_op op, const clsolve_matrix *B, double *part, double *X) {
    int64_t n = B->rows;

    band->steps = (cls_refined){.converged = 1, .backward_error = band->refined.refines ? 0 : -1};
    for (int64_t c = 0, cols; c < B->cols; c += cols) {
        cols = B->cols - c < CLS_REFINE_COLUMNS ? B->cols - c : CLS_REFINE_COLUMNS;
        cls_vectors_get(B, c, cols, part);
        for (int64_t k = 0; k < n * cols; ++k)
            if (!isfinite(part[k]))
                return cls_band_nonfinite(band, CLSOLVE_ERROR_NONFINITE, "clsolve_band_solve: B", k % n, c + k / n);
        CLS_TRY(solve_part(band, op, cols, part, X + c * n));
        if (!band->steps.converged && cls_band_refined_can_widen(&band->refined)) return CLSOLVE_OK; /* all anew */
    }
    return CLSOLVE_OK;
}

static clsolve_status solve_columns(clsolve_band *band, clsolve_op op, const clsolve_matrix *B, double *part,
                                    double *X) {
    int64_t n = B->rows;

    CLS_TRY(solve_all(band, op, B, part, X));
    if (!band->steps.converged && cls_band_refined_can_widen(&band->refined)) {
        CLS_TRY(widen(band, "refinement with single-precision factors did not converge"));
        CLS_TRY(cls_band_condition(band));
        if (band->info > 0) {
            band->outcome = CLSOLVE_SINGULAR;
            return cls_band_singular(band, "clsolve_band_solve");
        }
        CLS_TRY(solve_all(band, op, B, part, X));
    }
    if (!band->steps.converged && band->refined.mixed)
        return cls_fail(&band->context->error, CLSOLVE_NOT_CONVERGED,
                        "clsolve_band_solve: refinement came to a backward error of %.2g in %lld steps, not to that of "
                        "double: the matrix is too ill-conditioned for %s",
                        band->steps.backward_error, (long long)band->steps.iterations,
                        band->refined.wide ? "double factors" : "single-precision factors");
    double most = band->type == CLSOLVE_F32 ? (double)FLT_MAX : DBL_MAX;
    for (int64_t k = 0; k < n * B->cols; ++k)
        if (!(fabs(X[k]) <= most))
            return cls_band_nonfinite(band, CLSOLVE_OVERFLOW, "clsolve_band_solve: X", k % n, k / n);
    cls_vectors_put(B, 0, B->cols, X);
    return CLSOLVE_OK;
}

clsolve_status cls_band_solve_refined(clsolve_band *band, clsolve_op op, const clsolve_matrix *B) {
    size_t rows = (size_t)B->rows;
    double *part = cls_alloc(rows * CLS_REFINE_COLUMNS, sizeof *part);
    double *X = cls_alloc(rows, (size_t)B->cols * sizeof *X);
    double start = cls_seconds();
    clsolve_status status =
        part && X ? solve_columns(band, op, B, part, X)
                  : cls_fail(&band->context->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the solution");
    band->solve_seconds.solve = cls_seconds() - start;
    cls_free(part);
    cls_free(X);
    return status;
}

/* ---- report ---- */

static const char *precision_of(const clsolve_band *band) {
    if (band->refined.wide && band->refined.fallback) return "double";
    if (band->refined.mixed) return "mixed";
    return band->type == CLSOLVE_F64 ? "double" : "single";
}

void cls_band_trust_report(const clsolve_band *band, clsolve_report *report) {
    const cls_band_keep *keep = &band->refined.keep;
    int64_t lacking = 0;

    report->precision = precision_of(band);
    report->fallback = band->refined.fallback;
    report->rcond = band->rcond;
    report->rcond_is_bound = band->rcond_is_bound;
    report->backward_error = band->steps.backward_error;
    report->iterations = band->steps.iterations;
    report->gmres_iterations = band->steps.gmres;
    report->history_length = band->steps.history_length;
    memcpy(report->history, band->steps.history, sizeof report->history);
    if (!band->factored) return;
    if (band->refined.device) {
        report->equilibrated = (keep->scaled_r != 0) + 2 * (keep->scaled_c != 0);
        lacking = cls_band_keep_exponent(keep);
    }
    if (!band->verdict.known || band->verdict.row >= 0) return;
    if (band->n > 0) report->growth = band->largest > 0 ? band->verdict.largest / band->largest : 1;
    report->det_sign = band->verdict.sign;
    report->log_abs_det = band->verdict.log_abs_det + (double)lacking * log(2);
    /* Of mended factors it is not known. */
    if (band->verdict.sign != 0 || band->info > 0)
        report->det_precision = band->refined.fallback || band->band.type == CLSOLVE_F64 ? "double" : "single";
}
