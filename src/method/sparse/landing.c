/*
 * landing.c: the outcome of what was enqueued ahead (device_ahead.c). When the host looks at it, it does what the calls
 * that wait do between their steps.
 */
#include "method/sparse/engine.h"

/* The values were not those that the host expected, or a pivot was replaced: all is done as by a call that waits. */
static clsolve_status factor_again(cls_error *error, const char *call, cls_sparse *sparse) {
    clsolve_status status = cls_sparse_values_here(error, call, sparse);
    if (status == CLSOLVE_OK) status = cls_sparse_check_symmetry(error, call, sparse);
    if (status == CLSOLVE_OK) return cls_sparse_factor_taken(error, call, sparse);
    sparse->factored = 0;
    sparse->ended = CLSOLVE_ERROR_STATE;
    return status;
}

static clsolve_status land_solve(cls_error *error, const char *call, cls_sparse *sparse, const cls_ahead_found *found) {
    sparse->outcome = (cls_sparse_outcome){
        .backward_error = found->error, .first_error = found->first_error, .iterations = found->steps};
    if (found->sides_fail) return cls_fail(error, CLSOLVE_ERROR_NONFINITE, "%s: B holds NaN or Inf", call);
    if (!found->error_fails) {
        cls_sparse_learn_steps(sparse, cls_sparse_promised(sparse));
        return CLSOLVE_OK;
    }
    sparse->behind = 1;
    return cls_fail(error, CLSOLVE_NOT_CONVERGED,
                    "%s: the backward error %.2g of an enqueued solve is above %.2g: clsolve_sparse_solve may do "
                    "better",
                    call, found->error, cls_sparse_promised(sparse));
}

clsolve_status cls_sparse_land(cls_error *error, const char *call, cls_sparse *sparse, int factor, int solve) {
    cls_ahead_found found;
    clsolve_status status = cls_sparse_ahead_look(sparse, &found);
    if (status == CLSOLVE_OK && factor) status = cls_front_find_outcome(sparse->there);
    if (status != CLSOLVE_OK) {
        sparse->factored = 0;
        sparse->ended = CLSOLVE_ERROR_STATE;
        return status;
    }
    if (factor) sparse->analysis.replaced = sparse->there->replaced_pivots;
    if (!found.factors_fail) return solve ? land_solve(error, call, sparse, &found) : CLSOLVE_OK;
    CLS_TRY(factor_again(error, call, sparse));
    if (!solve) return CLSOLVE_OK;
    return cls_fail(error, CLSOLVE_NOT_CONVERGED,
                    "%s: the values had to be factored again after a solve was enqueued: solve again", call);
}
