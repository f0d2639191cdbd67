/* band_trust.c: what a band handle does beyond factors and solves: scaling, refinement, mixed precision, what to report. */
#include <math.h>

#include "api/band.h"
#include "base/clock.h"
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
    const char *why = band->info > 0           ? "the single-precision factors have a zero pivot"
                      : band->verdict.row >= 0 ? "the single-precision factors left the range of float"
                                               : NULL;
    if (why && cls_band_refined_can_widen(&band->refined)) {
        clsolve_status status = widen(band, why);
        /* Without room for double factors those of float have to do, if they are any. */
        if (status != CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY || band->verdict.row >= 0) return status;
        band->refined.alone = 1;
    }
    if (band->info > 0 && cls_band_refined_must_mend(&band->refined)) {
        /* Two pivots that differ in double may be equal in float: that is no reason to give up, for refinement will
         * see whether the mended factors do. Of the determinant they say nothing. */
        CLS_TRY(cls_band_mend(&band->band, band->largest));
        band->info = 0;
        band->verdict.sign = 0;
        band->verdict.log_abs_det = 0;
    }
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
    band->costs.factor.upload = taken + upload;
    band->costs.factor.factor = cls_seconds() - start - band->costs.factor.upload;
    if (!refined->device) band->measures = band->band.measures;
    if (band->measures.row >= 0) return CLSOLVE_OK;
    CLS_TRY(examine(band));
    band->costs.factor.factor = cls_seconds() - start - band->costs.factor.upload;
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

static clsolve_status solve_part(void *handle, clsolve_op op, int64_t cols, const double *B, double *X) {
    clsolve_band *band = handle;
    return cls_band_refined_solve(&band->refined, op, cols, B, X, &band->steps);
}

static int is_done(const void *handle) {
    const clsolve_band *band = handle;
    int good = band->steps.converged && !band->steps.unsettled;
    return good || !cls_band_refined_can_widen(&band->refined);
}

static int in_float(const void *handle) {
    const clsolve_band *band = handle;
    return cls_band_refined_in_float(&band->refined);
}

static clsolve_status fall_back(void *handle) {
    clsolve_band *band = handle;
    CLS_TRY(widen(band, "refinement with single-precision factors did not converge"));
    CLS_TRY(cls_band_condition(band));
    if (band->info == 0) return CLSOLVE_OK;
    band->outcome = CLSOLVE_SINGULAR;
    return cls_singular(band->context, "clsolve_band_solve", band->info);
}

clsolve_status cls_band_solve_refined(clsolve_band *band, clsolve_op op, const clsolve_matrix *B) {
    cls_trusted how = {.context = band->context,
                       .type = band->type,
                       .X = "clsolve_band_solve: X",
                       .B = "clsolve_band_solve: B",
                       .steps = &band->steps,
                       .handle = band,
                       .solve = solve_part,
                       .done = is_done,
                       .fall_back = fall_back,
                       .in_float = in_float};
    double start = cls_seconds();
    clsolve_status status = cls_trusted_solve(&how, op, B);
    if (!band->refined.refines) band->steps.backward_error = -1;
    band->costs.solve.solve = cls_seconds() - start;
    return status;
}

/* ---- report ---- */

void cls_band_trust_report(const clsolve_band *band, clsolve_report *report) {
    const cls_band_refined *refined = &band->refined;
    const cls_band_keep *keep = &refined->keep;
    int64_t lacking = 0;

    cls_report_steps(&band->steps, refined->fallback, refined->mixed, band->type, report);
    report->rcond = band->rcond;
    report->rcond_is_bound = band->rcond_is_bound;
    if (!band->factored) return;
    if (refined->device) {
        int scaled = refined->fallback ? 0 : (keep->scaled_r != 0) + 2 * (keep->scaled_c != 0);
        report->equilibrated = scaled == 0 && keep->unit != 1 ? CLSOLVE_SCALED_UNIFORMLY : scaled;
        lacking = refined->fallback ? -keep->n * ilogb(keep->unit) : cls_band_keep_exponent(keep);
    }
    if (!band->verdict.known || band->verdict.row >= 0) return;
    if (band->n > 0) report->growth = band->largest > 0 ? band->verdict.largest / band->largest : 1;
    report->det_sign = band->verdict.sign;
    /* Mended factors say nothing of the determinant: neither does the scaling then. */
    int det_known = band->verdict.sign != 0 || band->info > 0;
    report->log_abs_det = det_known ? band->verdict.log_abs_det + (double)lacking * log(2) : 0;
    if (det_known)
        report->det_precision = band->refined.fallback || band->band.type == CLSOLVE_F64 ? "double" : "single";
}
