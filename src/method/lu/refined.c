#include <float.h>

#include "base/memory.h"
#include "method/lu/trust.h"
#include "method/vectors.h"

clsolve_status cls_lu_refined_setup(cls_device *device, clsolve_type type, const clsolve_lu_options *options,
                                    cls_lu *own, cls_lu_refined *refined) {
    refined->device = device;
    refined->type = type;
    refined->n = own->n;
    refined->mixed = type != own->type;
    refined->equilibrate = options->equilibrate;
    refined->slab_bytes = options->slab_bytes;
    return cls_keep_setup(device, own->n, type, own->type, own->A.mapped != NULL, options->slab_bytes, &refined->keep);
}

static void drop_wide(cls_lu_refined *refined) {
    if (refined->wide) cls_lu_release(refined->wide);
    cls_free(refined->wide);
    refined->wide = NULL;
    refined->fallback = NULL;
}

void cls_lu_refined_release(cls_lu_refined *refined) {
    if (!refined->device) return;
    drop_wide(refined);
    cls_keep_release(&refined->keep);
    *refined = (cls_lu_refined){0};
}

int64_t cls_lu_refined_bytes(const cls_lu_refined *refined) {
    const cls_lu *wide = refined->wide;
    if (!refined->device) return 0;
    return cls_keep_bytes(&refined->keep) + (wide ? wide->A.bytes + wide->B.bytes : 0);
}

clsolve_status cls_lu_refined_set(cls_lu_refined *refined, cls_lu *own, const clsolve_matrix *A) {
    cls_keep *keep = &refined->keep;

    drop_wide(refined); /* of the matrix before: its memory is for the new one */
    /* Float has a tenth of double's exponents: there rows and columns are always brought to size 1. */
    CLS_TRY(cls_keep_set(keep, A, refined->mixed ? 2 : refined->equilibrate, &own->A));
    int scaled = keep->scaling.rows || keep->scaling.cols;
    refined->factors = (cls_lu_operator){own, keep->r, keep->c, scaled ? 1 : cls_vector_unit(keep->measures.largest)};
    return CLSOLVE_OK;
}

int cls_lu_refined_must_mend(const cls_lu_refined *refined) {
    return refined->mixed && !refined->device->info.fp64 && !refined->keep.empty_line;
}

int cls_lu_refined_can_widen(const cls_lu_refined *refined) {
    return refined->mixed && !refined->wide && refined->device->info.fp64;
}

clsolve_status cls_lu_refined_widen(cls_lu_refined *refined, const clsolve_lu_options *options, const char *why,
                                    int64_t *info, cls_lu_verdict *verdict) {
    cls_lu *wide = cls_alloc(1, sizeof *wide);
    clsolve_lu_options quiet = *options;

    quiet.progress = NULL; /* the caller has seen it reach 1 */
    if (!wide)
        return cls_fail(refined->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the double factors");
    refined->wide = wide; /* from here on the release takes care of it */
    CLS_TRY(cls_lu_setup(refined->device, refined->n, CLSOLVE_F64, &quiet, wide));
    if (wide->out.slab > 0)
        return cls_fail(refined->device->error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
                        "float factors do not do, and there is no device memory for double ones beside them: n = %lld",
                        (long long)refined->n);
    int again = 1;
    for (int round = 0; round < 2 && again; ++round) {
        CLS_TRY(cls_keep_copy(&refined->keep, &wide->A));
        CLS_TRY(cls_lu_factor(wide, &quiet, info, &again));
    }
    CLS_TRY(cls_lu_judge(wide, verdict));
    refined->factors = (cls_lu_operator){wide, NULL, NULL, cls_vector_unit(refined->keep.measures.largest)};
    refined->fallback = why;
    return CLSOLVE_OK;
}

static clsolve_status precondition(void *self, clsolve_op op, int64_t cols, const double *R, double *D) {
    const cls_lu_refined *refined = self;
    return cls_lu_apply_host(&refined->factors, op, cols, R, D);
}

static clsolve_status residual(void *self, clsolve_op op, int64_t cols, const double *X, const double *B, double *R) {
    cls_lu_refined *refined = self;
    return cls_keep_residual(&refined->keep, op, cols, X, B, R);
}

/*
 * GMRES reads two matrices a step. Where it can fall back to double factors, 2/3 n^3 operations, more than a few dozen
 * steps are not worth it; where it cannot, it is all there is.
 */
clsolve_status cls_lu_refined_solve(cls_lu_refined *refined, clsolve_op op, int64_t cols, const double *B, double *X,
                                    cls_refined *result) {
    int single = refined->type == CLSOLVE_F32, alone = refined->mixed && !refined->device->info.fp64;
    cls_refine problem = {.error = refined->device->error,
                          .n = refined->n,
                          .op = op,
                          .norm = op == CLSOLVE_NO_TRANS ? refined->keep.measures.norm1 : refined->keep.norm_inf,
                          .epsilon = single ? (double)FLT_EPSILON / 2 : DBL_EPSILON / 2,
                          .single = single,
                          .gmres = refined->mixed,
                          .basis = alone ? 100 : 40,
                          .cycles = alone ? 20 : 2,
                          .self = refined,
                          .residual = residual,
                          .precondition = precondition};
    return cls_refine_solve(&problem, cols, B, X, result);
}
