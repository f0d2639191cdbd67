#include <float.h>
#include <math.h>

#include "base/memory.h"
#include "method/lu/out_of_core.h"
#include "method/lu/rbt.h"
#include "method/lu/trust.h"
#include "method/vectors.h"

/* Whether the caller's limit leaves room for A beside its factors, and for what else refinement takes. */
static int fits_beside(const cls_lu *own, clsolve_type type) {
    enum { LITTLE = 128 * 1024 }; /* more than the buffers of a few kernels */
    int64_t size = cls_type_size(type), column = cls_matrix_ld(own->n, size) * size;
    int64_t left = own->memory_limit - own->base_bytes - LITTLE;
    /* X and R in the caller's type, the factors' right-hand sides in theirs, and the two vectors of scaling */
    return own->memory_limit == 0 || (left > 0 && own->n + 3 * CLS_REFINE_COLUMNS + 2 <= left / column);
}

clsolve_status cls_lu_refined_setup(cls_device *device, clsolve_type type, const clsolve_lu_options *options,
                                    cls_lu *own, cls_lu_refined *refined) {
    int out_of_core = own->out.slab > 0, on_host = out_of_core || !fits_beside(own, type);
    int64_t bytes = device->counters.buffer_bytes;

    refined->device = device;
    refined->type = type;
    refined->n = own->n;
    refined->mixed = type != own->type;
    refined->alone = refined->mixed && (out_of_core || !device->info.fp64);
    refined->equilibrate = options->equilibrate;
    refined->slab_bytes = options->slab_bytes;
    CLS_TRY(cls_keep_setup(device, own->n, type, own->type, out_of_core || own->A.mapped, on_host, options->slab_bytes,
                           &refined->keep));
    own->base_bytes += device->counters.buffer_bytes - bytes; /* what right-hand sides then leave of a limit */
    return CLSOLVE_OK;
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
    return cls_keep_bytes(&refined->keep) + (wide ? wide->base_bytes + wide->B.bytes : 0);
}

clsolve_status cls_lu_refined_set(cls_lu_refined *refined, cls_lu *own, const clsolve_matrix *A) {
    cls_keep *keep = &refined->keep;

    drop_wide(refined); /* of the matrix before: its memory is for the new one */
    cls_lu_rbt_end(own);
    refined->repivoted = NULL;
    refined->near_singular = 0;
    /* Float has a tenth of double's exponents: there rows and columns are always brought to size 1. */
    cls_matrix to = own->out.slab > 0 ? cls_lu_out_matrix(own) : own->A;
    CLS_TRY(cls_keep_set(keep, A, refined->mixed ? 2 : refined->equilibrate, &to));
    int scaled = keep->scaling.rows || keep->scaling.cols;
    refined->factors = (cls_lu_operator){.lu = own,
                                         .r = keep->r,
                                         .c = keep->c,
                                         .unit = scaled ? 1 : cls_vector_unit(keep->measures.largest),
                                         .plain = !refined->mixed};
    return CLSOLVE_OK;
}

int cls_lu_refined_must_mend(const cls_lu_refined *refined) {
    return refined->alone && !refined->keep.empty_line;
}

int cls_lu_refined_can_widen(const cls_lu_refined *refined) {
    return refined->mixed && !refined->wide && !refined->alone;
}

/* ---- from no pivots to partial pivoting ---- */

int cls_lu_refined_unpivoted(const cls_lu_refined *refined) {
    return refined->factors.lu && refined->factors.lu->rbt.on;
}

const char *cls_lu_refined_doubt(const cls_lu_refined *refined, int64_t info, const cls_lu_verdict *verdict,
                                 double largest) {
    double epsilon = refined->factors.lu->type == CLSOLVE_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    const double most = 1.0 / 64; /* of the matrix, that the rounding of the largest element may be */

    if (info > 0) return "a pivot is zero or nearly so";
    if (verdict->row >= 0) return "the factors left the range of their type";
    return verdict->largest * epsilon > most * largest ? "the elements of the factors grew too much" : NULL;
}

/* lu->A becomes what it was and is factored, twice where the device asks for it. */
static clsolve_status factor_pivoted(cls_lu_refined *refined, const clsolve_lu_options *options, cls_lu *lu,
                                     clsolve_status (*set)(cls_keep *keep, const cls_matrix *to), int64_t *info) {
    clsolve_lu_options quiet = *options;
    int again = 1;

    quiet.progress = NULL; /* the caller has seen it reach 1 */
    for (int round = 0; round < 2 && again; ++round) {
        CLS_TRY(set(&refined->keep, &lu->A));
        CLS_TRY(cls_lu_factor(lu, &quiet, info, &again));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_lu_refined_repivot(cls_lu_refined *refined, const clsolve_lu_options *options, const char *why,
                                      int64_t *info, cls_lu_verdict *verdict) {
    cls_lu *lu = refined->factors.lu;

    cls_lu_rbt_end(lu);
    refined->repivoted = why;
    CLS_TRY(factor_pivoted(refined, options, lu, cls_keep_again, info));
    return cls_lu_judge(lu, verdict);
}

/* ---- from float to double ---- */

static clsolve_status factor_wide(cls_lu_refined *refined, const clsolve_lu_options *options, cls_lu *wide,
                                  int64_t *info, cls_lu_verdict *verdict) {
    const cls_lu *own = refined->factors.lu;
    clsolve_lu_options pivoted = *options;

    if (pivoted.pivoting == CLSOLVE_PIVOTING_RBT) pivoted.pivoting = CLSOLVE_PIVOTING_PARTIAL;
    wide->in_core_only = 1;
    wide->beside = own->base_bytes + own->B.bytes + own->scratch.bytes;
    CLS_TRY(cls_lu_setup(refined->device, refined->n, CLSOLVE_F64, &pivoted, wide));
    CLS_TRY(factor_pivoted(refined, options, wide, cls_keep_copy, info));
    return cls_lu_judge(wide, verdict);
}

clsolve_status cls_lu_refined_widen(cls_lu_refined *refined, const clsolve_lu_options *options, const char *why,
                                    int64_t *info, cls_lu_verdict *verdict) {
    cls_lu_verdict judged;
    int64_t found = 0;

    refined->wide = cls_alloc(1, sizeof *refined->wide);
    if (!refined->wide)
        return cls_fail(refined->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the double factors");
    clsolve_status status = factor_wide(refined, options, refined->wide, &found, &judged);
    if (status != CLSOLVE_OK) { /* the float factors are still there, and the next solve may have more memory */
        drop_wide(refined);
        return status;
    }
    *info = found;
    *verdict = judged;
    refined->factors =
        (cls_lu_operator){.lu = refined->wide, .unit = cls_vector_unit(refined->keep.measures.largest), .plain = 1};
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
 * GMRES reads two matrices a step. Where it can fall back to other factors, 2/3 n^3 operations, more than a few dozen
 * steps are not worth it, and from factors without pivots fewer, for those of pivots that were too small are few; where it
 * cannot, it is all there is.
 */
static cls_refine problem_of(cls_lu_refined *refined, clsolve_op op) {
    int single = refined->type == CLSOLVE_F32, unpivoted = cls_lu_refined_unpivoted(refined);
    int alone = refined->alone && !unpivoted, few = unpivoted && !refined->mixed;
    cls_refine problem = {.error = refined->device->error,
                          .n = refined->n,
                          .op = op,
                          .norm = op == CLSOLVE_NO_TRANS ? refined->keep.measures.norm1 : refined->keep.norm_inf,
                          .norm_inf = op == CLSOLVE_NO_TRANS ? refined->keep.norm_inf : refined->keep.measures.norm1,
                          .epsilon = single ? (double)FLT_EPSILON / 2 : DBL_EPSILON / 2,
                          .single = single,
                          .gmres = refined->mixed || unpivoted,
                          .working = refined->wide != NULL,
                          .strict = unpivoted,
                          .basis = alone ? 100
                                   : few ? 16
                                         : 40,
                          .cycles = alone ? 20
                                    : few ? 1
                                          : 2,
                          .self = refined,
                          .residual = residual,
                          .precondition = precondition};
    return problem;
}

static double norm_1(int64_t n, const double *x) {
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += fabs(x[i]) / (double)n;
    return sum;
}

/*
 * ||A|| ||x|| / ||b|| is what the condition of A is at the least. Factors without pivots meet no exact zero where A is
 * singular, but x then is of the size of 1 / epsilon: partial pivoting is to say what A is.
 */
static int looks_singular(const cls_refine *problem, double unit, int64_t cols, const double *B, const double *X) {
    for (int64_t c = 0; c < cols; ++c) {
        double x = norm_1(problem->n, X + c * problem->n), b = norm_1(problem->n, B + c * problem->n);
        if (b > 0 && !(problem->norm / CLS_NORM_SCALE / unit * (x / b) * problem->epsilon < 0.01)) return 1;
    }
    return 0;
}

clsolve_status cls_lu_refined_solve(cls_lu_refined *refined, clsolve_op op, int64_t cols, const double *B, double *X,
                                    cls_refined *result) {
    cls_refine problem = problem_of(refined, op);
    double unit = refined->keep.unit;
    CLS_TRY(cls_refine_solve_lifted(&problem, unit, cols, B, X, result));
    refined->near_singular = cls_lu_refined_unpivoted(refined) && looks_singular(&problem, unit, cols, B, X);
    return CLSOLVE_OK;
}

clsolve_status cls_lu_refined_rcond(cls_lu_refined *refined, double *rcond, int *bound) {
    cls_refine plain = problem_of(refined, CLSOLVE_NO_TRANS), transposed = problem_of(refined, CLSOLVE_TRANS);
    return cls_refine_rcond(&plain, &transposed, refined->keep.measures.norm1, rcond, bound);
}
