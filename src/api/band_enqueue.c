/* band_enqueue.c: the enqueueing calls of bands, which work before they return; and the call for their outcome. */
#include "api/band.h"
#include "api/enqueue.h"
#include "api/validate.h"

clsolve_status clsolve_band_status(clsolve_band *band) {
    if (!band) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(band->context));
    return cls_leave(band->context, cls_enqueue_tell(band->context, band->status, &band->message));
}

clsolve_status clsolve_band_factor_enqueue(clsolve_band *band, const clsolve_matrix *AB, const clsolve_events *events) {
    const cls_enqueue how = cls_enqueue_as("clsolve_band_factor_enqueue", events);
    if (!band) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = band->context;
    CLS_TRY(cls_enter(context));
    clsolve_status status = cls_band_check_factor(band, how.call, AB);
    if (status == CLSOLVE_OK) status = cls_enqueue_check(context, &how);
    if (status == CLSOLVE_OK) status = cls_enqueue_check_place(context, &how, "AB", "matrix", AB->place);
    if (status != CLSOLVE_OK) return cls_leave(context, status);
    status = cls_enqueue_begin(context, &how);
    if (status == CLSOLVE_OK) status = cls_direct_factor(&band->direct, how.call, AB);
    return cls_leave(context, cls_enqueue_end(context, &how, status, &band->status, &band->message));
}

clsolve_status clsolve_band_solve_enqueue(clsolve_band *band, clsolve_op op, clsolve_matrix *B,
                                          const clsolve_events *events) {
    const cls_enqueue how = cls_enqueue_as("clsolve_band_solve_enqueue", events);
    if (!band) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = band->context;
    CLS_TRY(cls_enter(context));
    clsolve_status status = cls_band_check_solve(band, how.call, op, B);
    if (status == CLSOLVE_OK) status = cls_enqueue_check(context, &how);
    if (status == CLSOLVE_OK) status = cls_enqueue_check_place(context, &how, "B", "matrix", B->place);
    int nothing = cls_enqueue_is_outcome(band->direct.outcome);
    if (status == CLSOLVE_OK && !nothing) status = cls_validate_factors(&band->direct, how.call, "clsolve_band_factor");
    if (status != CLSOLVE_OK) return cls_leave(context, status);
    if (nothing)
        return cls_leave(context,
                         cls_enqueue_nothing(context, &how, band->direct.outcome, &band->status, &band->message));
    status = cls_enqueue_begin(context, &how);
    if (status == CLSOLVE_OK) status = cls_direct_solve(&band->direct, how.call, op, B);
    return cls_leave(context, cls_enqueue_end(context, &how, status, &band->status, &band->message));
}
