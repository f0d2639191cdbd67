/* factor.c: A's way: take, scale, factor, examine. */
#include "method/direct/direct.h"

#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "method/direct/failure.h"

static void drop_wide(cls_direct *direct) {
    if (direct->wide) direct->ops->release(direct->wide);
    cls_free(direct->wide);
    direct->wide = NULL;
    direct->fallback = CLSOLVE_FALLBACK_NONE;
}

void cls_direct_release(cls_direct *direct) {
    if (!direct->device) return;
    drop_wide(direct);
    cls_copy_release(&direct->copy);
    cls_scaling_destroy(direct->device, &direct->scaling);
}

void cls_direct_forget(cls_direct *direct) {
    cls_costs *costs = &direct->costs;

    direct->factored = direct->imported = 0;
    direct->outcome = CLSOLVE_OK;
    direct->info = direct->nrhs = 0;
    direct->measures = (cls_measures){.row = -1, .column = -1};
    direct->largest = 0;
    direct->growth = cls_growth_unknown();
    direct->rcond = -1;
    direct->rcond_is_bound = 0;
    direct->steps = (cls_refined){.backward_error = -1};
    direct->scaling.rows = direct->scaling.cols = 0; /* what a factorization before may have needed */
    direct->scaling.uniform = 1;
    memset(&costs->factor, 0, sizeof costs->factor);
    memset(&costs->solve, 0, sizeof costs->solve);
    memset(&costs->factor_moved, 0, sizeof costs->factor_moved);
    memset(&costs->solve_moved, 0, sizeof costs->solve_moved);
}

/* A copy, where there is one. Float has a tenth of double's exponents: there rows and columns are always brought to
 * size 1. */
static clsolve_status take_copy(cls_direct *direct, const clsolve_matrix *A) {
    drop_wide(direct); /* of the matrix before: its memory is for the new one */
    direct->alone = direct->only_float;
    direct->repivoted = NULL;
    direct->near_singular = 0;
    CLS_TRY(direct->ops->copy(direct, A, direct->mixed ? 2 : direct->equilibrate));
    direct->measures = direct->copy.measures;
    direct->largest = direct->measures.largest;
    return CLSOLVE_OK;
}

static clsolve_status take(cls_direct *direct, const clsolve_matrix *A) {
    direct->measures = (cls_measures){.row = -1, .column = -1};
    if (direct->copies) CLS_TRY(take_copy(direct, A));
    if (direct->measures.row >= 0 || !direct->ops->take) return CLSOLVE_OK;
    return direct->ops->take(direct, A);
}

static double now(const cls_direct *direct) {
    return direct->one_phase ? 0 : cls_seconds();
}

/* measures.row: the first NaN or Inf of A, and then nothing is factored; growth.row: that of its factors. */
static clsolve_status take_and_factor(cls_direct *direct, const clsolve_matrix *A) {
    clsolve_seconds *seconds = &direct->costs.factor;
    double start = now(direct);
    int again;

    do {
        double begin = now(direct);
        CLS_TRY(take(direct, A));
        seconds->upload += now(direct) - begin;
        if (direct->measures.row >= 0) return CLSOLVE_OK;
        CLS_TRY(direct->ops->factor(direct, A, &again));
    } while (again && direct->measures.row < 0); /* once at most */
    if (direct->measures.row < 0) CLS_TRY(cls_direct_examine(direct));
    seconds->factor = now(direct) - start - seconds->upload;
    return CLSOLVE_OK;
}

static clsolve_status factor(cls_direct *direct, const char *call, const clsolve_matrix *A) {
    cls_error *error = direct->device->error;

    CLS_TRY(take_and_factor(direct, A));
    if (direct->measures.row >= 0)
        return cls_nonfinite(error, CLSOLVE_ERROR_NONFINITE, call, "A", direct->measures.row, direct->measures.column);
    direct->factored = 1;
    CLS_TRY(cls_direct_condition(direct));
    if (direct->growth.row >= 0)
        return cls_factors_overflow(error, call, direct->ops->factors_name, direct->growth.row, direct->growth.column,
                                    direct->equilibrate || direct->mixed);
    return direct->info > 0 ? cls_direct_refuse(direct, call) : CLSOLVE_OK;
}

clsolve_status cls_direct_factor(cls_direct *direct, const char *call, const clsolve_matrix *A) {
    cls_counters before = direct->device->counters;
    double start = cls_seconds();

    cls_direct_forget(direct);
    direct->outcome = factor(direct, call, A);
    direct->costs.factor.total = cls_seconds() - start;
    if (direct->one_phase) direct->costs.factor.factor = direct->costs.factor.total;
    direct->costs.factor_moved = cls_counters_since(&direct->device->counters, &before);
    return direct->outcome;
}
