#include "api/gauss_jordan.h"

#include <math.h>
#include <string.h>

#include "api/validate.h"
#include "base/memory.h"
#include "method/direct/scaling.h"

/* ---- create, destroy ---- */

static clsolve_status validate_create(clsolve_context *context, int64_t n, clsolve_type type,
                                      const clsolve_gauss_jordan_options *options) {
    cls_error *error = &context->error;
    const char *call = "clsolve_gauss_jordan_create";

    if (n < 0)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: n is %lld: sizes start at 0", call, (long long)n);
    if (type != CLSOLVE_F32 && type != CLSOLVE_F64)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: type is %d: give CLSOLVE_F32 or CLSOLVE_F64", call,
                        (int)type);
    if (options && (options->variant < CLSOLVE_GAUSS_JORDAN_AUTO || options->variant > CLSOLVE_GAUSS_JORDAN_BLOCKED))
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: there is no variant %d", call,
                        (int)options->variant);
    if (options && (options->block < 0 || options->slab_bytes < 0))
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: block is %d and slab_bytes %lld: 0 means chosen, less than 0 nothing", call,
                        (int)options->block, (long long)options->slab_bytes);
    if (options) CLS_TRY(cls_validate_reserved(error, call, options->reserved));
    if (options) CLS_TRY(cls_validate_pivoting(error, call, options->pivoting, CLS_PIVOTINGS_OF_ROWS));
    if (type == CLSOLVE_F64 && !context->device->info.fp64)
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: %s does not compute in double: use CLSOLVE_F32 or another device", call,
                        context->device->info.name);
    return CLSOLVE_OK;
}

static clsolve_status create(clsolve_context *context, int64_t n, clsolve_type type,
                             const clsolve_gauss_jordan_options *options, clsolve_gauss_jordan *handle) {
    cls_device *device = context->device;
    double start = cls_seconds(), build = device->build_seconds;
    int64_t bytes = device->counters.buffer_bytes;

    handle->context = context;
    CLS_TRY(cls_gj_setup(device, n, type, options, &handle->gj));
    handle->build_seconds = device->build_seconds - build;
    handle->device_bytes = device->counters.buffer_bytes - bytes;
    handle->create_seconds = cls_seconds() - start;
    return CLSOLVE_OK;
}

clsolve_status clsolve_gauss_jordan_create(clsolve_context *context, int64_t n, clsolve_type type,
                                           const clsolve_gauss_jordan_options *options, clsolve_gauss_jordan **handle) {
    if (handle) *handle = NULL;
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    cls_enter(context);
    if (!handle)
        return cls_leave(context,
                         cls_fail(&context->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                                  "clsolve_gauss_jordan_create: handle is NULL: give the address of a pointer"));
    clsolve_status status = validate_create(context, n, type, options);
    if (status != CLSOLVE_OK) return cls_leave(context, status);

    clsolve_gauss_jordan *made = cls_alloc(1, sizeof *made);
    if (!made)
        return cls_leave(context, cls_fail(&context->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                                           "no host memory for a Gauss-Jordan handle"));
    status = create(context, n, type, options, made);
    if (status == CLSOLVE_OK) {
        *handle = made;
    } else {
        cls_gj_release(&made->gj);
        cls_free(made);
    }
    return cls_leave(context, status);
}

void clsolve_gauss_jordan_destroy(clsolve_gauss_jordan *handle) {
    if (!handle) return;
    clsolve_context *context = handle->context;
    cls_enter(context);
    cls_gj_release(&handle->gj);
    cls_free(handle);
    (void)cls_leave(context, CLSOLVE_OK);
}

void cls_gauss_jordan_begin(clsolve_gauss_jordan *handle) {
    handle->info = handle->nrhs = 0;
    handle->rcond = -1; /* not known */
    memset(&handle->seconds, 0, sizeof handle->seconds);
    handle->before = handle->context->device->counters;
    handle->start = cls_seconds();
}

clsolve_status cls_gauss_jordan_end(clsolve_gauss_jordan *handle, clsolve_status status) {
    const cls_counters *now = &handle->context->device->counters, *before = &handle->before;

    handle->moved = cls_counters_since(now, before);
    handle->device_bytes += now->buffer_bytes - before->buffer_bytes;
    handle->seconds.total = cls_seconds() - handle->start;
    handle->status = status;
    return cls_leave(handle->context, status);
}

/* ---- solve, invert ---- */

static clsolve_status nonfinite(clsolve_gauss_jordan *handle, clsolve_status status, const char *what, int64_t row,
                                int64_t column) {
    return cls_fail(&handle->context->error, status, "%s(%lld,%lld), counted from 1, is NaN or Inf%s", what,
                    (long long)row + 1, (long long)column + 1,
                    status == CLSOLVE_OVERFLOW ? ": the matrix leaves the range of the type; scale it" : "");
}

static clsolve_status measure(cls_gj *gj, cls_measures *measures) {
    CLS_TRY(cls_check_enqueue(gj->device, &gj->check, &gj->A, gj->n, 0));
    return cls_check_read(gj->device, &gj->check, gj->n, measures, NULL);
}

/* A tiny matrix is brought to a size at which reciprocals of pivots do not overflow: *lift A is what the device has. */
static clsolve_status upload(clsolve_gauss_jordan *handle, const char *what, const clsolve_matrix *A, double *lift) {
    cls_gj *gj = &handle->gj;
    cls_measures measures;

    CLS_TRY(cls_upload_square(gj->device, &gj->transfer, A, &gj->A));
    CLS_TRY(measure(gj, &measures));
    if (measures.row >= 0) return nonfinite(handle, CLSOLVE_ERROR_NONFINITE, what, measures.row, measures.column);
    *lift = cls_scaling_unit(gj->type, measures.largest);
    if (*lift == 1) return CLSOLVE_OK;
    CLS_TRY(cls_gj_scale(&handle->gj, &gj->A, gj->n, *lift));
    return measure(gj, &measures); /* for its norm */
}

/* What the elimination gave: a solution, or why not. */
static clsolve_status judge(clsolve_gauss_jordan *handle, const char *call, const cls_matrix *result, int64_t cols) {
    cls_gj *gj = &handle->gj;
    int64_t row, column;

    if (handle->info < 0) {
        row = -handle->info;
        handle->info = 0;
        return cls_fail(&handle->context->error, CLSOLVE_OVERFLOW,
                        "%s: the elimination came to NaN or Inf in column %lld, counted from 1: the matrix leaves the "
                        "range of the type; scale it",
                        call, (long long)row);
    }
    if (handle->info > 0 && handle->gj.pivoting) handle->rcond = 0; /* else other pivots might have done */
    if (handle->info > 0)
        return cls_fail(&handle->context->error, CLSOLVE_SINGULAR,
                        handle->gj.pivoting
                            ? "%s: A is singular: the pivot of column %lld, counted from 1, is exactly zero"
                            : "%s: without pivoting, the pivot of column %lld, counted from 1, is exactly zero",
                        call, (long long)handle->info);
    CLS_TRY(cls_check_finite(gj->device, &gj->check, result, cols, &row, &column));
    return row < 0 ? CLSOLVE_OK : nonfinite(handle, CLSOLVE_OVERFLOW, call, row, column);
}

static clsolve_status solve(clsolve_gauss_jordan *handle, const clsolve_matrix *A, const clsolve_matrix *B) {
    cls_gj *gj = &handle->gj;
    const cls_matrix *result;
    int64_t row, column, cols = B->cols;
    double start = cls_seconds(), lift;

    if (gj->n == 0 || cols == 0) return CLSOLVE_OK;
    CLS_TRY(cls_gj_reserve(gj, cols, B->layout == CLSOLVE_ROW_MAJOR));
    CLS_TRY(upload(handle, "clsolve_gauss_jordan_solve: A", A, &lift));
    CLS_TRY(cls_upload(gj->device, &gj->transfer, B, 0, cols, &gj->B, &gj->scratch));
    CLS_TRY(cls_check_finite(gj->device, &gj->check, &gj->B, cols, &row, &column));
    handle->seconds.upload = cls_seconds() - start;
    if (row >= 0) return nonfinite(handle, CLSOLVE_ERROR_NONFINITE, "clsolve_gauss_jordan_solve: B", row, column);

    start = cls_seconds();
    if (lift != 1) CLS_TRY(cls_gj_scale(gj, &gj->B, cols, lift));
    CLS_TRY(cls_gj_solve(gj, cols, &result, &handle->info));
    clsolve_status status = judge(handle, "clsolve_gauss_jordan_solve: X", result, cols);
    handle->seconds.factor = cls_seconds() - start;
    CLS_TRY(status);

    start = cls_seconds();
    CLS_TRY(cls_download(gj->device, &gj->transfer, result, cols, B, 0, &gj->scratch));
    handle->seconds.download = cls_seconds() - start;
    return CLSOLVE_OK;
}

clsolve_status clsolve_gauss_jordan_solve(clsolve_gauss_jordan *handle, clsolve_op op, const clsolve_matrix *A,
                                          clsolve_matrix *B) {
    if (!handle) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = handle->context;
    const cls_gj *gj = &handle->gj;
    cls_error *error = &context->error;
    const char *call = "clsolve_gauss_jordan_solve";
    cls_enter(context);
    cls_gauss_jordan_begin(handle);

    clsolve_status status = cls_validate_op(error, call, op);
    if (status == CLSOLVE_OK) status = cls_validate_matrix(error, call, "A", A, gj->type, gj->n, gj->n);
    if (status == CLSOLVE_OK) status = cls_validate_matrix(error, call, "B", B, gj->type, gj->n, -1);
    if (status == CLSOLVE_OK) {
        clsolve_matrix matrix = *A;
        handle->nrhs = B->cols;
        /* A square matrix read along its other lines is its transpose. */
        if (op == CLSOLVE_TRANS)
            matrix.layout = A->layout == CLSOLVE_ROW_MAJOR ? CLSOLVE_COLUMN_MAJOR : CLSOLVE_ROW_MAJOR;
        status = solve(handle, &matrix, B);
    }
    return cls_gauss_jordan_end(handle, status);
}

/* rcond, of norms times powers of 2: 1 / (a x) may leave the type's range where rcond does not. */
static double reciprocal_condition(double norm_A, double norm_X, int exponent) {
    return norm_A > 0 && norm_X > 0 ? ldexp(1 / norm_A / norm_X, -exponent) : 0;
}

static clsolve_status invert(clsolve_gauss_jordan *handle, const clsolve_matrix *A, const clsolve_matrix *X) {
    cls_gj *gj = &handle->gj;
    const cls_matrix *result;
    double norm_A, norm_X, lift, start = cls_seconds();
    int exponent_A, exponent_X;

    handle->rcond = 1; /* of a matrix without elements, as LAPACK has it */
    if (gj->n == 0) return CLSOLVE_OK;
    handle->rcond = -1;
    CLS_TRY(upload(handle, "clsolve_gauss_jordan_invert: A", A, &lift));
    CLS_TRY(cls_gj_norm(gj, &gj->A, &norm_A, &exponent_A));
    handle->seconds.upload = cls_seconds() - start;

    start = cls_seconds();
    CLS_TRY(cls_gj_invert(gj, &result, &handle->info));
    CLS_TRY(judge(handle, "clsolve_gauss_jordan_invert: X", result, gj->n));
    CLS_TRY(cls_gj_norm(gj, result, &norm_X, &exponent_X));
    if (lift != 1) { /* X is the inverse of lift A */
        CLS_TRY(cls_gj_scale(gj, result, gj->n, lift));
        CLS_TRY(judge(handle, "clsolve_gauss_jordan_invert: X", result, gj->n));
    }
    handle->rcond = reciprocal_condition(norm_A, norm_X, exponent_A + exponent_X);
    handle->seconds.factor = cls_seconds() - start;

    start = cls_seconds();
    clsolve_matrix lines = *X;
    if (X->layout == CLSOLVE_ROW_MAJOR && !result->mapped) { /* else the copy transposes */
        lines.layout = CLSOLVE_COLUMN_MAJOR;
        CLS_TRY(cls_transpose_square(gj->device, &gj->transfer, result, NULL));
    }
    CLS_TRY(cls_download(gj->device, &gj->transfer, result, gj->n, &lines, 0, NULL));
    handle->seconds.download = cls_seconds() - start;
    return CLSOLVE_OK;
}

clsolve_status clsolve_gauss_jordan_invert(clsolve_gauss_jordan *handle, const clsolve_matrix *A, clsolve_matrix *X) {
    if (!handle) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = handle->context;
    const cls_gj *gj = &handle->gj;
    const char *call = "clsolve_gauss_jordan_invert";
    cls_enter(context);
    cls_gauss_jordan_begin(handle);

    clsolve_status status = cls_validate_matrix(&context->error, call, "A", A, gj->type, gj->n, gj->n);
    if (status == CLSOLVE_OK) status = cls_validate_matrix(&context->error, call, "X", X, gj->type, gj->n, gj->n);
    handle->nrhs = gj->n;
    if (status == CLSOLVE_OK) status = invert(handle, A, X);
    return cls_gauss_jordan_end(handle, status);
}

clsolve_status clsolve_gauss_jordan_report(const clsolve_gauss_jordan *handle, clsolve_report *report) {
    if (!handle || !report) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    cls_enter(handle->context);
    *report = (clsolve_report){.status = handle->status,
                               .method = "gauss-jordan",
                               .n = handle->gj.n,
                               .nrhs = handle->nrhs,
                               .info = handle->info,
                               .seconds = handle->seconds,
                               .bytes_up = handle->moved.bytes_up,
                               .bytes_down = handle->moved.bytes_down,
                               .transfers_up = handle->moved.transfers_up,
                               .transfers_down = handle->moved.transfers_down,
                               .device_bytes = handle->device_bytes,
                               .direct.rcond = handle->rcond,
                               .refinement.backward_error = -1,
                               .precision = handle->gj.type == CLSOLVE_F64 ? "double" : "single"};
    report->seconds.build = handle->build_seconds;
    report->seconds.total += handle->create_seconds;
    return cls_leave(handle->context, CLSOLVE_OK);
}
