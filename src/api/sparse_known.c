/* sparse_known.c: what is known of a sparse system: analysis, orders, inertia, report. */
#include <math.h>

#include "api/door.h"
#include "api/sparse.h"
#include "api/validate.h"

static clsolve_status check_analysed(clsolve_sparse *sparse, const char *call) {
    if (sparse->engine.analysed) return CLSOLVE_OK;
    return cls_fail(&sparse->head.context->error, CLSOLVE_ERROR_STATE,
                    "%s: create had no values to analyse: call clsolve_sparse_factor_csr first", call);
}

clsolve_status clsolve_sparse_get_analysis(clsolve_sparse *sparse, clsolve_sparse_analysis *analysis) {
    static const char call[] = "clsolve_sparse_get_analysis";
    CLS_TRY(cls_head_enter((cls_head *)sparse));
    clsolve_status status = cls_validate_pointer(&sparse->head.context->error, call, "analysis", analysis);
    if (status == CLSOLVE_OK) status = check_analysed(sparse, call);
    if (status == CLSOLVE_OK) {
        cls_sparse_settle_pending(sparse);
        *analysis = sparse->engine.analysis;
    }
    return cls_leave(sparse->head.context, status);
}

clsolve_status clsolve_sparse_permutations(clsolve_sparse *sparse, int64_t *rows, int64_t *columns) {
    CLS_TRY(cls_head_enter((cls_head *)sparse));
    const clsolve_status status = check_analysed(sparse, "clsolve_sparse_permutations");
    if (status == CLSOLVE_OK) {
        cls_sparse_settle_pending(sparse);
        cls_sparse_order(&sparse->engine, rows, columns);
    }
    return cls_leave(sparse->head.context, status);
}

static clsolve_status inertia_of(clsolve_sparse *sparse, clsolve_inertia *inertia) {
    static const char call[] = "clsolve_sparse_inertia";
    cls_error *error = &sparse->head.context->error;
    cls_sparse *engine = &sparse->engine;
    CLS_TRY(cls_validate_pointer(error, call, "inertia", inertia));
    if (engine->options.form == CLSOLVE_SPARSE_GENERAL ||
        (engine->options.form == CLSOLVE_SPARSE_SYMMETRIC && engine->A.parts == 2))
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: eigenvalues have signs if A is real and symmetric, or hermitian: create the handle with "
                        "that form",
                        call);
    cls_sparse_settle_pending(sparse);
    const int factored = engine->factored;
    if (factored) cls_sparse_settle(engine, 1);
    if (factored && engine->ended == CLSOLVE_NOT_POSITIVE_DEFINITE)
        return cls_fail(error, engine->ended,
                        "%s: the device's factors were in float; in double the matrix is not positive definite", call);
    *inertia = cls_sparse_inertia(engine);
    if (inertia->positive + inertia->negative + inertia->zero == engine->A.n && engine->ended != CLSOLVE_ERROR_STATE)
        return CLSOLVE_OK;
    return cls_fail(error, CLSOLVE_ERROR_STATE, "%s: there are no factors whose pivots are all known", call);
}

clsolve_status clsolve_sparse_inertia(clsolve_sparse *sparse, clsolve_inertia *inertia) {
    CLS_TRY(cls_head_enter((cls_head *)sparse));
    return cls_leave(sparse->head.context, inertia_of(sparse, inertia));
}

static const char *there_reason(const cls_sparse *engine) {
    const int asked = engine->options.where == CLSOLVE_WHERE_DEVICE;
    if (engine->there && engine->there->others)
        return asked ? "asked for; subtrees are dealt out over the devices of the context"
                     : "the factorization has many operations; subtrees are dealt out over the devices of the context";
    if (engine->there && engine->company.count > 1)
        return asked ? "asked for; on one device, because others would gain too little"
                     : "the factorization has many operations; on one device, because others would gain too little";
    return asked ? "asked for" : "the factorization has many operations";
}

/* The factors in use are the device's or, where there are none, the next ones will be. */
static int is_there(const cls_sparse *engine) {
    return engine->made_there || (!engine->factored && cls_sparse_may_go_there(engine));
}

static const char *where_reason(const cls_sparse *engine) {
    if (!engine->device) return "the device had no room for the factors, or failed";
    if (engine->settled)
        return engine->analysis.replaced > 0
                   ? "pivots were replaced on the device, so the host has factored for the determinant, and solves "
                     "since"
                   : "the device's factors were in float, so the host has factored for inertia or rcond, and solves "
                     "since";
    if (engine->host_alone)
        return "the device's factors were not accurate enough, so the host has factored the matrix, and solves since";
    if (is_there(engine)) return there_reason(engine);
    return engine->options.where == CLSOLVE_WHERE_HOST ? "asked for" : cls_sparse_here_reason(engine);
}

static void fill_report(clsolve_sparse *sparse, clsolve_report *report, int measured) {
    cls_sparse *engine = &sparse->engine;
    const clsolve_sparse_form form = engine->options.form;
    const int cholesky = form == CLSOLVE_SPARSE_POSITIVE_DEFINITE;
    if (measured && engine->factored && engine->det_sign == 0) {
        cls_sparse_settle(engine, 0);
        cls_sparse_measure(engine);
    }
    const char *precision = engine->made_there && !cls_is_double(engine->there->type) ? "single" : "double";
    *report = (clsolve_report){.status = sparse->head.status,
                               .method = cholesky                ? "sparse-cholesky"
                                         : cls_form_is_ldl(form) ? "sparse-ldl"
                                                                 : "sparse-lu",
                               .n = engine->A.n,
                               .nrhs = sparse->nrhs,
                               .info = engine->info,
                               .iterations = engine->outcome.iterations,
                               .host_bytes = (int64_t)engine->analysis.host_bytes,
                               .device_bytes = engine->made_there ? (int64_t)engine->analysis.device_bytes : 0,
                               .precision = precision,
                               .where = is_there(engine) ? "device" : "host",
                               .where_reason = where_reason(engine)};
    report->bytes_up = sparse->factored.bytes_up + sparse->solved.bytes_up;
    report->bytes_down = sparse->factored.bytes_down + sparse->solved.bytes_down;
    report->transfers_up = sparse->factored.transfers_up + sparse->solved.transfers_up;
    report->transfers_down = sparse->factored.transfers_down + sparse->solved.transfers_down;
    report->seconds =
        (clsolve_seconds){.build = sparse->build_seconds,
                          .factor = sparse->factor_seconds,
                          .solve = sparse->solve_seconds,
                          .total = sparse->build_seconds + sparse->factor_seconds + sparse->solve_seconds};
    report->direct =
        (clsolve_report_direct){.rcond = engine->rcond,
                                .growth = engine->growth,
                                .log_abs_det = engine->ended == CLSOLVE_SINGULAR ? -HUGE_VAL : engine->log_abs_det,
                                .det_sign = engine->det_sign,
                                .det_phase = engine->det_phase,
                                .det_precision = engine->factored ? precision : NULL,
                                .equilibrated = engine->row_scale ? 3 : 0,
                                .pivoting = "partial",
                                .pivoting_used = engine->factored && !cholesky ? "partial" : NULL};
    if (cholesky) report->direct.pivoting = NULL;
    if (measured) report->direct.inertia = cls_sparse_inertia(engine);
    report->refinement.backward_error = engine->outcome.backward_error;
    report->refinement.gmres_iterations = engine->outcome.gmres;
    if (engine->outcome.backward_error >= 0) {
        report->refinement.history[0] = engine->outcome.first_error;
        report->refinement.history[1] = engine->outcome.backward_error;
        report->refinement.history_length = engine->outcome.iterations > 0 ? 2 : 1;
    }
}

clsolve_status clsolve_sparse_report(const clsolve_sparse *sparse, clsolve_report *report) {
    CLS_TRY(cls_head_enter((cls_head *)sparse));
    clsolve_sparse *mine =
        (clsolve_sparse *)sparse; /* determinant and growth are computed when they are first asked for */
    const clsolve_status status =
        cls_validate_pointer(&sparse->head.context->error, "clsolve_sparse_report", "report", report);
    if (status == CLSOLVE_OK) {
        cls_sparse_settle_pending(mine);
        fill_report(mine, report, 1);
    }
    return cls_leave(sparse->head.context, status);
}

void cls_sparse_glance(clsolve_sparse *sparse, clsolve_report *report) {
    if (cls_enter(sparse->head.context) != CLSOLVE_OK) return;
    fill_report(sparse, report, 0);
    (void)cls_leave(sparse->head.context, CLSOLVE_OK);
}
