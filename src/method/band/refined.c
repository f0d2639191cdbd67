#include <float.h>
#include <math.h>

#include "base/memory.h"
#include "method/band/trust.h"
#include "method/vectors.h"

clsolve_status cls_band_refined_setup(cls_device *device, clsolve_type type, const clsolve_band_options *options,
                                      const cls_band *own, cls_band_refined *refined) {
    refined->device = device;
    refined->type = type;
    refined->mixed = type != own->type;
    refined->refines = refined->mixed || options->refine;
    refined->equilibrate = options->equilibrate;
    return cls_band_keep_setup(device->error, own, &refined->keep);
}

static void drop_wide(cls_band_refined *refined) {
    if (refined->wide) cls_band_release(refined->wide);
    cls_free(refined->wide);
    refined->wide = NULL;
    refined->fallback = NULL;
}

void cls_band_refined_release(cls_band_refined *refined) {
    if (!refined->device) return;
    drop_wide(refined);
    cls_band_keep_release(&refined->keep);
    *refined = (cls_band_refined){0};
}

static cls_band_operator operator_of(cls_band_refined *refined, cls_band *band) {
    const cls_band_keep *keep = &refined->keep;
    int scaled = keep->scaled_r || keep->scaled_c;
    cls_band_operator factors = {band, keep->r, keep->c, scaled ? 1 : cls_vector_unit(keep->measures.largest), 0};
    if (band == refined->wide)
        factors = (cls_band_operator){band, NULL, NULL, cls_vector_unit(keep->measures.largest), 0};
    return factors;
}

void cls_band_refined_set(cls_band_refined *refined, cls_band *own, const cls_band_source *source) {
    drop_wide(refined); /* of the matrix before: its memory is for the new one */
    /* Float has a tenth of double's exponents: there rows and columns are always brought to size 1. */
    cls_band_keep_set(&refined->keep, own, source, refined->mixed ? 2 : refined->equilibrate != 0);
    refined->factors = operator_of(refined, own);
    refined->alone = refined->mixed && !refined->device->info.fp64;
}

int cls_band_refined_in_float(const cls_band_refined *refined) {
    return refined->mixed && !refined->wide;
}

int cls_band_refined_must_mend(const cls_band_refined *refined) {
    return cls_band_refined_in_float(refined) && refined->alone && !refined->keep.empty_line;
}

int cls_band_refined_can_widen(const cls_band_refined *refined) {
    return cls_band_refined_in_float(refined) && !refined->alone;
}

static clsolve_status factor_wide(cls_band_refined *refined, const cls_band *own, const clsolve_band_options *options) {
    clsolve_band_options quiet = *options;
    cls_band_keep plain = refined->keep; /* without the scalings that float wanted */
    cls_band_source kept = {NULL, 0, &plain};
    double upload;

    plain.r = plain.c = NULL;
    quiet.progress = NULL; /* the caller has seen it reach 1 */
    if (quiet.memory_limit > 0) {
        quiet.memory_limit -= cls_band_bytes(own);
        if (quiet.memory_limit < 1) quiet.memory_limit = 1;
    }
    CLS_TRY(cls_band_setup(refined->device, own->n, own->kl, own->ku, CLSOLVE_F64, &quiet, refined->wide));
    return cls_band_factor(refined->wide, &kept, &quiet, &upload);
}

clsolve_status cls_band_refined_widen(cls_band_refined *refined, const cls_band *own,
                                      const clsolve_band_options *options, const char *why) {
    refined->wide = cls_alloc(1, sizeof *refined->wide);
    if (!refined->wide)
        return cls_fail(refined->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the double factors");
    clsolve_status status = factor_wide(refined, own, options);
    if (status != CLSOLVE_OK) { /* the float factors are still there, and the next solve may have more memory */
        cls_error first = *refined->device->error;
        drop_wide(refined);
        *refined->device->error = first;
        return status;
    }
    refined->factors = operator_of(refined, refined->wide);
    refined->fallback = why;
    return CLSOLVE_OK;
}

/* ---- solving ---- */

static clsolve_status precondition(void *self, clsolve_op op, int64_t cols, const double *R, double *D) {
    const cls_band_refined *refined = self;
    return cls_band_apply_host(&refined->factors, op, cols, R, D);
}

static clsolve_status residual(void *self, clsolve_op op, int64_t cols, const double *X, const double *B, double *R) {
    cls_band_refined *refined = self;
    return cls_band_keep_residual(&refined->keep, op, cols, X, B, R);
}

/* GMRES as with dense LU: a few dozen steps where double factors are there to fall back to, many where not. */
static cls_refine problem_of(cls_band_refined *refined, clsolve_op op) {
    int single = refined->type == CLSOLVE_F32, alone = refined->alone;
    cls_refine problem = {.error = refined->device->error,
                          .n = refined->keep.n,
                          .op = op,
                          .norm = op == CLSOLVE_NO_TRANS ? refined->keep.measures.norm1 : refined->keep.norm_inf,
                          .norm_inf = op == CLSOLVE_NO_TRANS ? refined->keep.norm_inf : refined->keep.measures.norm1,
                          .epsilon = single ? (double)FLT_EPSILON / 2 : DBL_EPSILON / 2,
                          .single = single,
                          .gmres = refined->mixed,
                          .working = refined->wide != NULL,
                          .basis = alone ? 100 : 40,
                          .cycles = alone ? 20 : 2,
                          .self = refined,
                          .residual = residual,
                          .precondition = precondition};
    return problem;
}

clsolve_status cls_band_refined_solve(cls_band_refined *refined, clsolve_op op, int64_t cols, const double *B,
                                      double *X, cls_refined *result) {
    cls_refine problem = problem_of(refined, op);
    cls_band_operator once = refined->factors;

    if (refined->refines) return cls_refine_solve_lifted(&problem, refined->keep.unit, cols, B, X, result);
    once.exponent += ilogb(refined->keep.unit);
    return cls_band_apply_host(&once, op, cols, B, X);
}

clsolve_status cls_band_refined_rcond(cls_band_refined *refined, double *rcond, int *bound) {
    cls_refine plain = problem_of(refined, CLSOLVE_NO_TRANS), transposed = problem_of(refined, CLSOLVE_TRANS);
    return cls_refine_rcond(&plain, &transposed, refined->keep.measures.norm1, rcond, bound);
}
