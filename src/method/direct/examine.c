/* examine.c: what new factors are worth: growth, determinant, condition; and better ones where they are worth too
 * little. */
#include <float.h>
#include <math.h>

#include "method/direct/direct.h"
#include "method/direct/failure.h"

static const char near_singular[] = "the matrix is close to a singular one";

/* ---- growth and determinant ---- */

/* Factors without pivots: what is wrong with them, a static string; NULL: nothing that they show themselves. */
static const char *doubt_of(const cls_direct *direct) {
    double epsilon = direct->mixed || !cls_is_double(direct->type) ? (double)FLT_EPSILON : DBL_EPSILON;
    const double most = 1.0 / 64; /* of the matrix, that the rounding of the largest element may be */

    if (direct->info > 0) return "a pivot is zero or nearly so";
    if (direct->growth.row >= 0) return "the factors left the range of their type";
    return cls_growth_ratio(&direct->growth, direct->largest) * epsilon > most
               ? "the elements of the factors grew too much"
               : NULL;
}

/* Whether there is nothing better than float factors, and a zero pivot of theirs does not mean that A is singular. */
static int must_perturb(const cls_direct *direct) {
    return direct->ops->perturb && cls_direct_in_float(direct) && direct->alone && !direct->copy.empty_line;
}

/*
 * Two pivots that differ in double may be equal in float: that is no reason to give up, because refinement will see
 * whether the perturbed factors do. They say nothing of the determinant.
 */
static clsolve_status perturb(cls_direct *direct) {
    CLS_TRY(direct->ops->perturb(direct->factors, direct->largest));
    direct->info = 0;
    direct->growth.sign = 0;
    direct->growth.log_abs_det = 0;
    return CLSOLVE_OK;
}

static clsolve_status examine_pivoted(cls_direct *direct) {
    const clsolve_fallback why = direct->info > 0          ? CLSOLVE_FALLBACK_SINGULAR
                                 : direct->growth.row >= 0 ? CLSOLVE_FALLBACK_OVERFLOW
                                                           : CLSOLVE_FALLBACK_NONE;
    if (why != CLSOLVE_FALLBACK_NONE && cls_direct_can_widen(direct)) {
        clsolve_status status = cls_direct_widen(direct, why);
        int no_room = status == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY && direct->ops->perturbs_for_room;
        if (!no_room || direct->growth.row >= 0) return status;
        direct->alone = 1;
    }
    return direct->info > 0 && must_perturb(direct) ? perturb(direct) : CLSOLVE_OK;
}

clsolve_status cls_direct_examine(cls_direct *direct) {
    if (cls_direct_is_unpivoted(direct)) {
        const char *doubt = doubt_of(direct);
        if (!doubt) return CLSOLVE_OK;
        CLS_TRY(cls_direct_repivot(direct, doubt));
    }
    return examine_pivoted(direct);
}

/* ---- condition ---- */

/* Factors whose elements have grown beyond what their digits hold are those of another matrix. */
static int has_outgrown(const cls_direct *direct) {
    int wide = direct->wide || (!direct->mixed && cls_is_double(direct->type));
    double epsilon = wide ? DBL_EPSILON : (double)FLT_EPSILON;

    if (!direct->ops->growth_limits_rcond || !direct->growth.known || direct->n == 0) return 0;
    return !(cls_growth_ratio(&direct->growth, direct->largest) * ((double)direct->n * epsilon) < 1);
}

/* Float factors that nobody asked for, and a condition that they only bound. */
static int owes_condition(const cls_direct *direct) {
    return direct->precision.automatic && direct->rcond_is_bound && cls_direct_can_widen(direct);
}

/*
 * CLSOLVE_RCOND_IF_ILL: whether rcond is at least 2 epsilon of double. In float a matrix of some hundred rows is too
 * near to that for the bound, and takes the estimate.
 */
static clsolve_status find_well(const cls_direct *direct, const cls_inverse *inverse, int *well) {
    const double enough = 2 * DBL_EPSILON;
    double least = 0;

    *well = 0;
    if (direct->n == 0 || !cls_is_double(direct->type) || has_outgrown(direct)) return CLSOLVE_OK;
    const clsolve_status status =
        cls_inverse_rcond_least(inverse, enough, direct->measures.norm1, CLS_NORM_SCALE, &least);
    *well = least >= enough;
    return status;
}

static clsolve_status condition_pivoted(cls_direct *direct) {
    if (cls_direct_in_float(direct)) {
        CLS_TRY(cls_direct_refine_rcond(direct));
        if (!owes_condition(direct)) return CLSOLVE_OK;
        clsolve_status status = cls_direct_widen(direct, CLSOLVE_FALLBACK_CONDITION);
        if (status == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY) return CLSOLVE_OK; /* the bound stands */
        CLS_TRY(status);
        direct->rcond = direct->info > 0 && !direct->ops->positive_definite ? 0 : -1;
    }
    direct->rcond_is_bound = 0;
    if (direct->growth.row >= 0 || direct->info > 0) return CLSOLVE_OK;
    cls_inverse inverse = cls_direct_inverse(direct);
    if (direct->wants_rcond == CLSOLVE_RCOND_IF_ILL) {
        int well;
        direct->rcond = -1;
        CLS_TRY(find_well(direct, &inverse, &well));
        if (well) return CLSOLVE_OK;
    }
    CLS_TRY(cls_inverse_rcond(&inverse, direct->measures.norm1, CLS_NORM_SCALE, &direct->rcond));
    direct->rcond = fmin(direct->rcond, 1); /* more is rounding */
    if (has_outgrown(direct)) direct->rcond = -1;
    return CLSOLVE_OK;
}

clsolve_status cls_direct_condition(cls_direct *direct) {
    if (!direct->wants_rcond || direct->growth.row >= 0) return CLSOLVE_OK;
    if (direct->info == 0 && cls_direct_is_unpivoted(direct)) {
        /* Solves with these factors are refined; what they do not get to is for partial pivoting to say. */
        CLS_TRY(cls_direct_refine_rcond(direct));
        if (direct->rcond >= 0 && !direct->rcond_is_bound) return CLSOLVE_OK;
        direct->rcond_is_bound = 0;
        CLS_TRY(cls_direct_repivot(direct, near_singular));
        CLS_TRY(examine_pivoted(direct));
        if (direct->growth.row >= 0) return CLSOLVE_OK;
    }
    if (direct->info == 0) return condition_pivoted(direct);
    if (!direct->ops->positive_definite) direct->rcond = 0;
    return CLSOLVE_OK;
}

/* ---- falling back from a solve ---- */

static clsolve_status replace(cls_direct *direct) {
    if (!cls_direct_is_unpivoted(direct)) return cls_direct_widen(direct, CLSOLVE_FALLBACK_NOT_CONVERGED);
    CLS_TRY(cls_direct_repivot(direct, direct->near_singular ? near_singular : "refinement did not converge"));
    return examine_pivoted(direct);
}

clsolve_status cls_direct_fall_back(cls_direct *direct, const char *call) {
    cls_error *error = direct->device->error;

    CLS_TRY(replace(direct));
    direct->near_singular = 0;
    CLS_TRY(cls_direct_condition(direct));
    if (direct->growth.row >= 0) {
        direct->outcome = CLSOLVE_OVERFLOW;
        return cls_factors_overflow(error, call, direct->ops->factors_name, direct->growth.row, direct->growth.column,
                                    direct->equilibrate || direct->mixed);
    }
    if (direct->info == 0) return CLSOLVE_OK;
    return direct->outcome = cls_direct_refuse(direct, call);
}
