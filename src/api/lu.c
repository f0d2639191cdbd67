#include <clsolve/lu.h>

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
    if (options && (options->panel < CLSOLVE_PANEL_AUTO || options->panel > CLSOLVE_PANEL_HYBRID))
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "clsolve_lu_create: panel is %d: see clsolve_panel",
                        (int)options->panel);
    if (options && (options->block < 0 || options->slab_bytes < 0 || options->memory_limit < 0))
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "clsolve_lu_create: block is %d, slab_bytes %lld, memory_limit %lld: 0 means chosen, less than "
                        "0 nothing",
                        (int)options->block, (long long)options->slab_bytes, (long long)options->memory_limit);
    if (type == CLSOLVE_F64 && !context->device->info.fp64)
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                        "clsolve_lu_create: %s does not compute in double: use CLSOLVE_F32 or another device",
                        context->device->info.name);
    return CLSOLVE_OK;
}

static clsolve_status create(clsolve_context *context, int64_t n, clsolve_type type, const clsolve_lu_options *options,
                             clsolve_lu *lu) {
    cls_device *device = context->device;
    double start = cls_seconds(), build = device->build_seconds;
    int64_t bytes = device->counters.buffer_bytes;

    lu->context = context;
    if (options) lu->options = *options;
    CLS_TRY(cls_lu_setup(device, n, type, &lu->options, &lu->lu));
    lu->build_seconds = device->build_seconds - build;
    lu->state_bytes = device->counters.buffer_bytes - bytes - lu->lu.A.bytes;
    lu->create_seconds = cls_seconds() - start;
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
    cls_lu_release(&lu->lu);
    cls_free(lu);
    (void)cls_leave(context, CLSOLVE_OK);
}

/* ---- factor ---- */

clsolve_status cls_lu_nonfinite(clsolve_lu *lu, clsolve_status status, const char *what, int64_t row, int64_t column) {
    return cls_fail(&lu->context->error, status, "%s(%lld,%lld), counted from 1, is NaN or Inf%s", what,
                    (long long)row + 1, (long long)column + 1,
                    status == CLSOLVE_OVERFLOW ? ": the matrix leaves the range of the type; scale it" : "");
}

/* `in`: the first NaN or Inf of A, `out`: of its factors. */
static clsolve_status factor_in_core(clsolve_lu *lu, const clsolve_matrix *A, cls_place *in, cls_place *out) {
    cls_lu *m = &lu->lu;
    clsolve_seconds *seconds = &lu->factor_seconds;
    double start;
    int again;

    do {
        start = cls_seconds();
        CLS_TRY(cls_upload_square(m->device, &m->transfer, A, &m->A));
        CLS_TRY(cls_check_finite(m->device, &m->check, &m->A, m->n, &in->row, &in->column));
        seconds->upload += cls_seconds() - start;
        if (in->row >= 0) return CLSOLVE_OK;
        start = cls_seconds();
        CLS_TRY(cls_lu_factor(m, &lu->options, &lu->info, &again));
    } while (again); /* once at most */
    CLS_TRY(cls_check_finite(m->device, &m->check, &m->A, m->n, &out->row, &out->column));
    seconds->factor = cls_seconds() - start;
    return CLSOLVE_OK;
}

static clsolve_status factor_out_of_core(clsolve_lu *lu, const clsolve_matrix *A, cls_place *in, cls_place *out) {
    clsolve_seconds *seconds = &lu->factor_seconds;
    double start = cls_seconds();

    CLS_TRY(cls_lu_out_factor(&lu->lu, A, &lu->options, &seconds->upload, in, out, &lu->info));
    seconds->factor = cls_seconds() - start - seconds->upload;
    return CLSOLVE_OK;
}

static clsolve_status factor(clsolve_lu *lu, const clsolve_matrix *A) {
    cls_place in = {-1, -1}, out = {-1, -1};

    CLS_TRY(lu->lu.out.slab > 0 ? factor_out_of_core(lu, A, &in, &out) : factor_in_core(lu, A, &in, &out));
    if (in.row >= 0) return cls_lu_nonfinite(lu, CLSOLVE_ERROR_NONFINITE, "clsolve_lu_factor: A", in.row, in.column);
    lu->factored = 1;
    if (out.row >= 0) return cls_lu_nonfinite(lu, CLSOLVE_OVERFLOW, "clsolve_lu_factor: L\\U", out.row, out.column);
    if (lu->info > 0)
        return cls_fail(&lu->context->error, CLSOLVE_SINGULAR,
                        "clsolve_lu_factor: A is singular: U(%lld,%lld), counted from 1, is exactly zero",
                        (long long)lu->info, (long long)lu->info);
    return CLSOLVE_OK;
}

static void count(const cls_device *device, const cls_counters *before, cls_counters *moved) {
    moved->bytes_up = device->counters.bytes_up - before->bytes_up;
    moved->bytes_down = device->counters.bytes_down - before->bytes_down;
    moved->transfers_up = device->counters.transfers_up - before->transfers_up;
    moved->transfers_down = device->counters.transfers_down - before->transfers_down;
}

/* Out of core the host's memory is where the factors are. */
static clsolve_status validate_place(clsolve_lu *lu, const char *call, const clsolve_matrix *m) {
    if (m->place == CLSOLVE_ON_HOST || lu->lu.out.slab == 0) return CLSOLVE_OK;
    return cls_fail(&lu->context->error, CLSOLVE_ERROR_UNSUPPORTED,
                    "%s: the matrix is on the device, and out of core the handle takes none: give it on the host",
                    call);
}

clsolve_status clsolve_lu_factor(clsolve_lu *lu, const clsolve_matrix *A) {
    if (!lu) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = lu->context;
    cls_enter(context);

    clsolve_status status =
        cls_validate_matrix(&context->error, "clsolve_lu_factor", "A", A, lu->lu.type, lu->lu.n, lu->lu.n);
    if (status == CLSOLVE_OK) status = validate_place(lu, "clsolve_lu_factor", A);
    if (status == CLSOLVE_OK) {
        cls_counters before = context->device->counters;
        double start = cls_seconds();
        lu->factored = lu->pending_factor = lu->pending_solve = 0;
        lu->info = lu->nrhs = 0;
        memset(&lu->factor_seconds, 0, sizeof lu->factor_seconds);
        memset(&lu->solve_seconds, 0, sizeof lu->solve_seconds);
        memset(&lu->solve_counts, 0, sizeof lu->solve_counts);
        status = lu->outcome = factor(lu, A);
        lu->factor_seconds.total = cls_seconds() - start;
        count(context->device, &before, &lu->factor_counts);
    }
    lu->status = status;
    return cls_leave(context, status);
}

/* ---- solve ---- */

/* `in`: the first NaN or Inf of B, `out`: of X; then B is as it was. */
static clsolve_status solve_in_core(clsolve_lu *lu, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                                    cls_place *out) {
    cls_lu *m = &lu->lu;
    clsolve_seconds *seconds = &lu->solve_seconds;
    int64_t cols = B->cols;
    double start = cls_seconds();

    CLS_TRY(cls_lu_reserve(m, cols, B->layout == CLSOLVE_ROW_MAJOR));
    CLS_TRY(cls_upload(m->device, &m->transfer, B, 0, cols, &m->B, &m->scratch));
    CLS_TRY(cls_check_finite(m->device, &m->check, &m->B, cols, &in->row, &in->column));
    seconds->upload = cls_seconds() - start;
    if (in->row >= 0) return CLSOLVE_OK;

    start = cls_seconds();
    CLS_TRY(cls_lu_apply(m, op, cols));
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
    CLS_TRY(lu->lu.out.slab > 0 ? cls_lu_out_solve(&lu->lu, op, B, &lu->solve_seconds, &in, &out)
                                : solve_in_core(lu, op, B, &in, &out));
    if (in.row >= 0) return cls_lu_nonfinite(lu, CLSOLVE_ERROR_NONFINITE, "clsolve_lu_solve: B", in.row, in.column);
    if (out.row >= 0) return cls_lu_nonfinite(lu, CLSOLVE_OVERFLOW, "clsolve_lu_solve: X", out.row, out.column);
    return CLSOLVE_OK;
}

clsolve_status cls_lu_validate_state(clsolve_lu *lu, const char *call) {
    if (!lu->factored)
        return cls_fail(&lu->context->error, CLSOLVE_ERROR_STATE,
                        "%s: there are no factors: call clsolve_lu_factor, and let it succeed, first", call);
    if (lu->outcome == CLSOLVE_SINGULAR)
        return cls_fail(&lu->context->error, CLSOLVE_SINGULAR,
                        "%s: A is singular: U(%lld,%lld), counted from 1, is exactly zero", call, (long long)lu->info,
                        (long long)lu->info);
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
        status = cls_validate_matrix(&context->error, "clsolve_lu_solve", "B", B, lu->lu.type, lu->lu.n, -1);
    if (status == CLSOLVE_OK) status = validate_place(lu, "clsolve_lu_solve", B);
    if (status == CLSOLVE_OK) (void)cls_lu_settle(lu);
    if (status == CLSOLVE_OK) status = cls_lu_validate_state(lu, "clsolve_lu_solve");
    if (status == CLSOLVE_OK) {
        cls_counters before = context->device->counters;
        double start = cls_seconds();
        memset(&lu->solve_seconds, 0, sizeof lu->solve_seconds);
        lu->nrhs = B->cols;
        status = solve(lu, op, B);
        lu->solve_seconds.total = cls_seconds() - start;
        count(context->device, &before, &lu->solve_counts);
    }
    lu->status = status;
    return cls_leave(context, status);
}

/* ---- factors, report ---- */

static clsolve_status factors(clsolve_lu *lu, const clsolve_matrix *LU, int64_t *ipiv) {
    cls_lu *m = &lu->lu;

    if (ipiv && m->n > 0) CLS_TRY(cls_lu_pivots(m, ipiv));
    if (!LU || m->n == 0) return CLSOLVE_OK;
    if (m->out.slab > 0) return cls_lu_out_export(m, LU);
    if (LU->layout == CLSOLVE_COLUMN_MAJOR || m->A.mapped)
        return cls_download(m->device, &m->transfer, &m->A, m->n, LU, 0, NULL);

    /* Transposed in place for the copy, and back. */
    clsolve_matrix lines = *LU;
    lines.layout = CLSOLVE_COLUMN_MAJOR;
    CLS_TRY(cls_transpose_square(m->device, &m->transfer, &m->A));
    clsolve_status status = cls_download(m->device, &m->transfer, &m->A, m->n, &lines, 0, NULL);
    clsolve_status back = cls_transpose_square(m->device, &m->transfer, &m->A);
    return status != CLSOLVE_OK ? status : back;
}

clsolve_status clsolve_lu_factors(clsolve_lu *lu, clsolve_matrix *LU, int64_t *ipiv) {
    if (!lu) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = lu->context;
    cls_enter(context);

    clsolve_status status = CLSOLVE_OK;
    if (LU)
        status = cls_validate_matrix(&context->error, "clsolve_lu_factors", "LU", LU, lu->lu.type, lu->lu.n, lu->lu.n);
    if (status == CLSOLVE_OK && LU) status = validate_place(lu, "clsolve_lu_factors", LU);
    if (status == CLSOLVE_OK) (void)cls_lu_settle(lu);
    if (status == CLSOLVE_OK && !lu->factored) status = cls_lu_validate_state(lu, "clsolve_lu_factors");
    if (status == CLSOLVE_OK) status = factors(lu, LU, ipiv);
    return cls_leave(context, status);
}

clsolve_status clsolve_lu_report(const clsolve_lu *lu, clsolve_report *report) {
    if (!lu || !report) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    const clsolve_seconds *f = &lu->factor_seconds, *s = &lu->solve_seconds;
    const cls_counters *a = &lu->factor_counts, *b = &lu->solve_counts;

    cls_enter(lu->context);
    *report = (clsolve_report){.status = lu->status,
                               .method = "lu",
                               .n = lu->lu.n,
                               .nrhs = lu->nrhs,
                               .info = lu->info,
                               .bytes_up = a->bytes_up + b->bytes_up,
                               .bytes_down = a->bytes_down + b->bytes_down,
                               .transfers_up = a->transfers_up + b->transfers_up,
                               .transfers_down = a->transfers_down + b->transfers_down,
                               .device_bytes = lu->lu.A.bytes + lu->lu.B.bytes + lu->lu.scratch.bytes + lu->state_bytes,
                               .slab_columns = lu->lu.out.slab < lu->lu.n ? lu->lu.out.slab : lu->lu.n};
    if (lu->lu.out.slab > 0) report->host_bytes = lu->lu.n * lu->lu.n * cls_type_size(lu->lu.type);
    report->seconds = (clsolve_seconds){.build = lu->build_seconds,
                                        .upload = f->upload + s->upload,
                                        .factor = f->factor,
                                        .solve = s->solve,
                                        .download = s->download,
                                        .total = lu->create_seconds + f->total + s->total};
    return cls_leave(lu->context, CLSOLVE_OK);
}
