#include <clsolve/lu.h>

#include <math.h>
#include <string.h>

#include "api/context.h"
#include "api/lu.h"
#include "api/validate.h"
#include "base/clock.h"
#include "base/memory.h"
#include "method/lu/out_of_core.h"

/* ---- create, destroy ---- */

static clsolve_status validate_create(clsolve_context *context, int64_t n, clsolve_type type,
                                      const clsolve_lu_options *options) {
    cls_error *error = &context->error;

    if (n < 0)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "clsolve_lu_create: n is %lld: sizes start at 0",
                        (long long)n);
    if (type != CLSOLVE_F32 && type != CLSOLVE_F64)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "clsolve_lu_create: type is %d: give CLSOLVE_F32 or CLSOLVE_F64", (int)type);
    if (!options) return CLSOLVE_OK;
    if (options->pivoting < CLSOLVE_PIVOTING_PARTIAL || options->pivoting > CLSOLVE_PIVOTING_TOURNAMENT)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "clsolve_lu_create: pivoting is %d: see clsolve_pivoting", (int)options->pivoting);
    if (options->pivoting == CLSOLVE_PIVOTING_TOURNAMENT && options->panel == CLSOLVE_PANEL_HYBRID)
        return cls_fail(
            error, CLSOLVE_ERROR_INVALID_ARGUMENT,
            "clsolve_lu_create: hybrid panels are LAPACK's, which knows no tournament pivoting: choose another "
            "panel or another pivoting");
    return cls_validate_options(error, "clsolve_lu_create", options->panel, options->block, options->slab_bytes,
                                options->memory_limit, options->precision, type);
}

static clsolve_status create(clsolve_context *context, int64_t n, clsolve_type type, const clsolve_lu_options *options,
                             clsolve_lu *lu) {
    cls_device *device = context->device;
    double start = cls_seconds(), build = device->build_seconds;
    int64_t bytes = device->counters.buffer_bytes;

    lu->context = context;
    lu->type = type;
    if (options) lu->options = *options;
    /* Without double on the device the factors are of float, and refined. */
    int mixed = type == CLSOLVE_F64 && (lu->options.precision == CLSOLVE_PRECISION_MIXED || !device->info.fp64);
    CLS_TRY(cls_lu_setup(device, n, mixed ? CLSOLVE_F32 : type, &lu->options, &lu->lu));
    CLS_TRY(cls_lu_trust_setup(lu));
    int64_t taken = device->counters.buffer_bytes - bytes, limit = lu->options.memory_limit;
    if (limit > 0 && lu->refined.device && taken > limit)
        return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
                        "clsolve_lu_create: with the copy of A that refinement keeps, n = %lld takes %lld bytes of "
                        "device memory; memory_limit is %lld",
                        (long long)n, (long long)taken, (long long)limit);
    lu->costs.build = device->build_seconds - build;
    lu->state_bytes = device->counters.buffer_bytes - bytes - lu->lu.A.bytes - cls_lu_refined_bytes(&lu->refined);
    lu->costs.create = cls_seconds() - start;
    return CLSOLVE_OK;
}

clsolve_status clsolve_lu_create(clsolve_context *context, int64_t n, clsolve_type type,
                                 const clsolve_lu_options *options, clsolve_lu **lu) {
    if (lu) *lu = NULL;
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    cls_enter(context);
    if (!lu)
        return cls_leave(context, cls_fail(&context->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                                           "clsolve_lu_create: lu is NULL: give the address of a pointer"));
    clsolve_status status = validate_create(context, n, type, options);
    if (status != CLSOLVE_OK) return cls_leave(context, status);

    clsolve_lu *made = cls_alloc(1, sizeof *made);
    if (!made)
        return cls_leave(context,
                         cls_fail(&context->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for an LU handle"));
    status = create(context, n, type, options, made);
    if (status == CLSOLVE_OK) {
        *lu = made;
    } else {
        cls_lu_trust_release(made);
        cls_lu_release(&made->lu);
        cls_free(made);
    }
    return cls_leave(context, status);
}

void clsolve_lu_destroy(clsolve_lu *lu) {
    if (!lu) return;
    clsolve_context *context = lu->context;
    cls_enter(context);
    cls_lu_async_release(context->device, &lu->async);
    cls_lu_trust_release(lu);
    cls_lu_release(&lu->lu);
    cls_free(lu);
    (void)cls_leave(context, CLSOLVE_OK);
}

/* ---- factor ---- */

static clsolve_status upload(clsolve_lu *lu, const clsolve_matrix *A) {
    double start = cls_seconds();

    CLS_TRY(cls_lu_take(lu, A));
    lu->costs.factor.upload += cls_seconds() - start;
    return CLSOLVE_OK;
}

/* measures.row: the first NaN or Inf of A, and then nothing is factored; verdict.row: that of its factors. */
static clsolve_status factor_in_core(clsolve_lu *lu, const clsolve_matrix *A) {
    double start;
    int again;

    do {
        CLS_TRY(upload(lu, A));
        if (lu->measures.row >= 0) return CLSOLVE_OK;
        start = cls_seconds();
        CLS_TRY(cls_lu_factor(&lu->lu, &lu->options, &lu->info, &again));
    } while (again); /* once at most */
    CLS_TRY(cls_lu_examine(lu));
    lu->costs.factor.factor = cls_seconds() - start;
    return CLSOLVE_OK;
}

/* `measures` and `verdict` come with the slabs; what is staged has been measured before it was scaled. */
static clsolve_status factor_out_of_core(clsolve_lu *lu, const clsolve_matrix *A) {
    clsolve_seconds *seconds = &lu->costs.factor;
    int staged = cls_lu_stages(lu), again;
    double start = cls_seconds();
    cls_measures in;

    do {
        if (staged) CLS_TRY(upload(lu, A));
        if (staged && lu->measures.row >= 0) return CLSOLVE_OK;
        CLS_TRY(cls_lu_out_factor(&lu->lu, staged ? NULL : A, &lu->options, &seconds->upload, &in, &lu->verdict,
                                  &lu->info, &again));
    } while (again && in.row < 0); /* once at most */
    if (!staged) lu->measures = in;
    lu->largest = in.largest;
    if (in.row < 0) CLS_TRY(cls_lu_examine(lu));
    seconds->factor = cls_seconds() - start - seconds->upload;
    return CLSOLVE_OK;
}

static clsolve_status factor(clsolve_lu *lu, const clsolve_matrix *A) {
    CLS_TRY(lu->lu.out.slab > 0 ? factor_out_of_core(lu, A) : factor_in_core(lu, A));
    if (lu->measures.row >= 0)
        return cls_nonfinite(lu->context, CLSOLVE_ERROR_NONFINITE, "clsolve_lu_factor: A", lu->measures.row,
                             lu->measures.column);
    lu->factored = 1;
    CLS_TRY(cls_lu_condition(lu));
    if (lu->verdict.row >= 0)
        return cls_nonfinite(lu->context, CLSOLVE_OVERFLOW, "clsolve_lu_factor: L\\U", lu->verdict.row,
                             lu->verdict.column);
    if (lu->info > 0) return cls_singular(lu->context, "clsolve_lu_factor", lu->info);
    return CLSOLVE_OK;
}

/* Out of core the host's memory is where the factors are. */
clsolve_status cls_lu_validate_place(clsolve_lu *lu, const char *call, const clsolve_matrix *m) {
    if (m->place == CLSOLVE_ON_HOST) return CLSOLVE_OK;
    if (lu->lu.out.slab == 0 && !lu->refined.device) return cls_transfer_fits(lu->lu.device, m);
    if (lu->refined.device)
        return cls_fail(&lu->context->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: the matrix is on the device, and refinement, mixed precision and rbt take none: "
                        "give it on the "
                        "host",
                        call);
    return cls_fail(&lu->context->error, CLSOLVE_ERROR_UNSUPPORTED,
                    "%s: the matrix is on the device, and out of core the handle takes none: give it on the host",
                    call);
}

clsolve_status clsolve_lu_factor(clsolve_lu *lu, const clsolve_matrix *A) {
    if (!lu) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = lu->context;
    cls_enter(context);
    lu->told.text[0] = 0;

    clsolve_status status =
        cls_validate_matrix(&context->error, "clsolve_lu_factor", "A", A, lu->type, lu->lu.n, lu->lu.n);
    if (status == CLSOLVE_OK) status = cls_lu_validate_place(lu, "clsolve_lu_factor", A);
    if (status == CLSOLVE_OK) {
        cls_counters before = context->device->counters;
        double start = cls_seconds();
        lu->factored = lu->pending_factor = lu->pending_solve = 0;
        cls_lu_trust_forget(lu);
        lu->info = lu->nrhs = 0;
        memset(&lu->costs.factor, 0, sizeof lu->costs.factor);
        memset(&lu->costs.solve, 0, sizeof lu->costs.solve);
        memset(&lu->costs.solve_moved, 0, sizeof lu->costs.solve_moved);
        status = lu->outcome = factor(lu, A);
        lu->costs.factor.total = cls_seconds() - start;
        cls_count_moved(context->device, &before, &lu->costs.factor_moved);
    }
    lu->status = status;
    return cls_leave(context, status);
}

/* ---- solve ---- */

/* `in`: the first NaN or Inf of B, `out`: of X; then B is as it was. */
static clsolve_status solve_in_core(clsolve_lu *lu, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                                    cls_place *out) {
    cls_lu *m = &lu->lu;
    clsolve_seconds *seconds = &lu->costs.solve;
    int64_t cols = B->cols;
    double start = cls_seconds();

    CLS_TRY(cls_lu_reserve(m, cols, B->layout == CLSOLVE_ROW_MAJOR));
    CLS_TRY(cls_upload(m->device, &m->transfer, B, 0, cols, &m->B, &m->scratch));
    CLS_TRY(cls_check_finite(m->device, &m->check, &m->B, cols, &in->row, &in->column));
    seconds->upload = cls_seconds() - start;
    if (in->row >= 0) return CLSOLVE_OK;

    start = cls_seconds();
    /* One number for all of A may as well go into B for its transpose: a small B then has its digits in the solve. */
    int first = op == CLSOLVE_NO_TRANS || cls_lu_lifted(lu) != 1;
    CLS_TRY(cls_scaling_rows(m->device, &lu->scaling, &m->B, cols, first));
    CLS_TRY(cls_lu_apply(m, op, cols));
    CLS_TRY(cls_scaling_rows(m->device, &lu->scaling, &m->B, cols, !first));
    CLS_TRY(cls_check_finite(m->device, &m->check, &m->B, cols, &out->row, &out->column));
    seconds->solve = cls_seconds() - start;
    if (out->row >= 0) return CLSOLVE_OK;

    start = cls_seconds();
    CLS_TRY(cls_download(m->device, &m->transfer, &m->B, cols, B, 0, &m->scratch));
    seconds->download = cls_seconds() - start;
    return CLSOLVE_OK;
}

static clsolve_status solve(clsolve_lu *lu, clsolve_op op, const clsolve_matrix *B) {
    cls_place in = {-1, -1}, out = {-1, -1};

    if (lu->lu.n == 0 || B->cols == 0) return CLSOLVE_OK;
    if (lu->refined.device) return cls_lu_solve_refined(lu, op, B);
    if (cls_lu_stages(lu)) return cls_lu_solve_scaled(lu, op, B);
    CLS_TRY(lu->lu.out.slab > 0 ? cls_lu_out_solve(&lu->lu, op, B, &lu->costs.solve, &in, &out)
                                : solve_in_core(lu, op, B, &in, &out));
    if (in.row >= 0)
        return cls_nonfinite(lu->context, CLSOLVE_ERROR_NONFINITE, "clsolve_lu_solve: B", in.row, in.column);
    if (out.row >= 0) return cls_nonfinite(lu->context, CLSOLVE_OVERFLOW, "clsolve_lu_solve: X", out.row, out.column);
    return CLSOLVE_OK;
}

clsolve_status cls_lu_validate_state(clsolve_lu *lu, const char *call) {
    if (!lu->factored)
        return cls_fail(&lu->context->error, CLSOLVE_ERROR_STATE,
                        "%s: there are no factors: call clsolve_lu_factor, and let it succeed, first", call);
    if (lu->outcome == CLSOLVE_SINGULAR) return cls_singular(lu->context, call, lu->info);
    if (lu->outcome != CLSOLVE_OK)
        return cls_fail(&lu->context->error, lu->outcome, "%s: the factors hold NaN or Inf: scale the matrix", call);
    return CLSOLVE_OK;
}

clsolve_status clsolve_lu_solve(clsolve_lu *lu, clsolve_op op, clsolve_matrix *B) {
    if (!lu) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = lu->context;
    cls_enter(context);

    clsolve_status status = cls_validate_op(&context->error, "clsolve_lu_solve", op);
    if (status == CLSOLVE_OK)
        status = cls_validate_matrix(&context->error, "clsolve_lu_solve", "B", B, lu->type, lu->lu.n, -1);
    if (status == CLSOLVE_OK) status = cls_lu_validate_place(lu, "clsolve_lu_solve", B);
    if (status == CLSOLVE_OK) (void)cls_lu_settle(lu);
    lu->told.text[0] = 0;
    if (status == CLSOLVE_OK) status = cls_lu_validate_state(lu, "clsolve_lu_solve");
    if (status == CLSOLVE_OK) {
        cls_counters before = context->device->counters;
        double start = cls_seconds();
        memset(&lu->costs.solve, 0, sizeof lu->costs.solve);
        lu->nrhs = B->cols;
        status = solve(lu, op, B);
        lu->costs.solve.total = cls_seconds() - start;
        cls_count_moved(context->device, &before, &lu->costs.solve_moved);
    }
    lu->status = status;
    return cls_leave(context, status);
}

/* ---- factors, report ---- */

/* U of A itself, where A was factored times a power of two as a whole. */
static void unlift(const clsolve_matrix *LU, double factor) {
    int column = LU->layout == CLSOLVE_COLUMN_MAJOR, exponent = -ilogb(factor);
    int64_t n = LU->rows;
    for (int64_t j = 0; factor != 1 && j < n; ++j)
        for (int64_t i = 0; i <= j; ++i) {
            int64_t at = column ? i + j * LU->ld : i * LU->ld + j;
            if (LU->type == CLSOLVE_F64)
                ((double *)LU->data)[at] = ldexp(((double *)LU->data)[at], exponent);
            else
                ((float *)LU->data)[at] = ldexpf(((float *)LU->data)[at], exponent);
        }
}

/* *spoilt: the factors on the device are lost. */
static clsolve_status download_factors(cls_lu *m, const clsolve_matrix *LU, int *spoilt) {
    if (m->out.slab > 0) return cls_lu_out_export(m, LU);
    if (LU->layout == CLSOLVE_COLUMN_MAJOR || m->A.mapped)
        return cls_download(m->device, &m->transfer, &m->A, m->n, LU, 0, NULL);

    /* Transposed in place for the copy, and back. */
    clsolve_matrix lines = *LU;
    lines.layout = CLSOLVE_COLUMN_MAJOR;
    CLS_TRY(cls_transpose_square(m->device, &m->transfer, &m->A, spoilt));
    clsolve_status status = cls_download(m->device, &m->transfer, &m->A, m->n, &lines, 0, NULL);
    /* One failure may pass: the factors are worth a second try. */
    clsolve_status back = cls_transpose_square(m->device, &m->transfer, &m->A, spoilt);
    if (back != CLSOLVE_OK && !*spoilt) back = cls_transpose_square(m->device, &m->transfer, &m->A, spoilt);
    if (back != CLSOLVE_OK) *spoilt = 1;
    return status != CLSOLVE_OK ? status : back;
}

static clsolve_status factors(clsolve_lu *lu, const clsolve_matrix *LU, int64_t *ipiv) {
    cls_lu *m = cls_lu_in_use(lu);
    double lifted = cls_lu_lifted(lu);

    if (LU && lifted != 1 && LU->place == CLSOLVE_ON_DEVICE)
        return cls_fail(&lu->context->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "clsolve_lu_factors: a matrix so small was factored times a power of two, which the host takes "
                        "out of U: give LU on the host");
    if (m->rbt.on && m->n > 0)
        return cls_fail(
            &lu->context->error, CLSOLVE_ERROR_UNSUPPORTED,
            "clsolve_lu_factors: the factors are those of W^T A V, butterflies W and V, without pivots, and not "
            "A's: choose CLSOLVE_PIVOTING_PARTIAL for those");
    if (ipiv && m->n > 0) CLS_TRY(cls_lu_pivots(m, ipiv));
    if (!LU || m->n == 0) return CLSOLVE_OK;
    int spoilt = 0;
    clsolve_status status = download_factors(m, LU, &spoilt);
    if (spoilt) lu->factored = 0; /* later calls ask for a factorization, instead of giving wrong answers */
    if (status == CLSOLVE_OK) unlift(LU, lifted);
    return status;
}

clsolve_status clsolve_lu_factors(clsolve_lu *lu, clsolve_matrix *LU, int64_t *ipiv) {
    if (!lu) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = lu->context;
    cls_enter(context);

    clsolve_status status = CLSOLVE_OK;
    if (LU)
        status = cls_validate_matrix(&context->error, "clsolve_lu_factors", "LU", LU, cls_lu_in_use(lu)->type, lu->lu.n,
                                     lu->lu.n);
    if (status == CLSOLVE_OK && LU) status = cls_lu_validate_place(lu, "clsolve_lu_factors", LU);
    if (status == CLSOLVE_OK) (void)cls_lu_settle(lu);
    if (status == CLSOLVE_OK && !lu->factored) status = cls_lu_validate_state(lu, "clsolve_lu_factors");
    if (status == CLSOLVE_OK) status = factors(lu, LU, ipiv);
    return cls_leave(context, status);
}

clsolve_status clsolve_lu_report(const clsolve_lu *lu, clsolve_report *report) {
    if (!lu || !report) return CLSOLVE_ERROR_INVALID_ARGUMENT;

    cls_enter(lu->context);
    *report = (clsolve_report){.status = lu->status,
                               .method = "lu",
                               .n = lu->lu.n,
                               .nrhs = lu->nrhs,
                               .info = lu->info,
                               .device_bytes = lu->lu.A.bytes + lu->lu.B.bytes + lu->lu.scratch.bytes +
                                               lu->state_bytes + cls_lu_refined_bytes(&lu->refined),
                               .slab_columns = lu->lu.out.slab < lu->lu.n ? lu->lu.out.slab : lu->lu.n};
    report->slabs = lu->lu.A.slabs;
    if (lu->lu.out.slab > 0) report->slabs = (lu->lu.n + lu->lu.out.slab - 1) / lu->lu.out.slab;
    if (lu->lu.out.slab > 0) report->host_bytes = lu->lu.n * lu->lu.n * cls_type_size(lu->lu.type);
    cls_lu_trust_report(lu, report);
    cls_report_costs(&lu->costs, report);
    return cls_leave(lu->context, CLSOLVE_OK);
}
