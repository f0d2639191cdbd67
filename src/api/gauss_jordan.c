#include "api/gauss_jordan.h"
#include "api/validate.h"
#include "base/memory.h"

/* ---- create, destroy ---- */

static clsolve_status validate_create(clsolve_context *context, int64_t n, clsolve_type type,
                                      const clsolve_gauss_jordan_options *options) {
    cls_error *error = &context->error;
    const char *call = "clsolve_gauss_jordan_create";

    if (n < 0)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: n is %lld: sizes start at 0", call, (long long)n);
    CLS_TRY(cls_validate_type(error, call, "type", type, CLS_ALL_TYPES));
    CLS_TRY(cls_validate_extent(error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, call, n, n));
    if (options && (options->variant < CLSOLVE_GAUSS_JORDAN_AUTO || options->variant > CLSOLVE_GAUSS_JORDAN_BLOCKED))
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: there is no variant %d", call,
                        (int)options->variant);
    if (options && (options->block < 0 || options->slab_bytes < 0))
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "%s: block is %d and slab_bytes %lld: 0 means chosen, less than 0 nothing", call,
                        (int)options->block, (long long)options->slab_bytes);
    if (options) CLS_TRY(CLS_VALIDATE_RESERVED(error, call, options->reserved));
    if (options) CLS_TRY(cls_validate_pivoting(error, call, options->pivoting, CLS_PIVOTINGS_OF_ROWS));
    return CLSOLVE_OK;
}

/* The host has no options about the device, or about pivots that LAPACK does not choose. */
static int host_can(const clsolve_gauss_jordan_options *o) {
    return o->variant == CLSOLVE_GAUSS_JORDAN_AUTO && o->block == 0 && o->slab_bytes == 0 &&
           o->pivoting != CLSOLVE_PIVOTING_NONE;
}

static clsolve_status create(clsolve_context *context, int64_t n, clsolve_type type,
                             const clsolve_gauss_jordan_options *options, clsolve_gauss_jordan *handle) {
    static const clsolve_gauss_jordan_options defaults = {0};
    cls_task task = {.family = CLS_FAMILY_INVERSE, .type = type, .n = n};
    double start = cls_seconds();

    if (!options) options = &defaults;
    handle->context = context;
    handle->last.rcond = -1;
    CLS_TRY(cls_where_choose(context, "clsolve_gauss_jordan_create", &task, options->where, host_can(options),
                             &handle->choice));
    cls_device *device = handle->choice.device;
    double build = device->build_seconds;
    int64_t bytes = device->counters.buffer_bytes;
    CLS_TRY(cls_validate_double(device, "clsolve_gauss_jordan_create", type));
    CLS_TRY(cls_gj_setup(device, n, type, options, &handle->gj));
    cls_where_built(context, &handle->choice);
    handle->build_seconds = device->build_seconds - build;
    handle->device_bytes = device->counters.buffer_bytes - bytes;
    handle->create_seconds = cls_seconds() - start;
    return CLSOLVE_OK;
}

clsolve_status clsolve_gauss_jordan_create(clsolve_context *context, int64_t n, clsolve_type type,
                                           const clsolve_gauss_jordan_options *options, clsolve_gauss_jordan **handle) {
    if (handle) *handle = NULL;
    CLS_TRY(cls_enter_create(context, "clsolve_gauss_jordan_create", "handle", handle));
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
    if (cls_enter(context) != CLSOLVE_OK) return;
    cls_gj_release(&handle->gj);
    cls_free(handle);
    (void)cls_leave(context, CLSOLVE_OK);
}

void cls_gauss_jordan_begin(clsolve_gauss_jordan *handle) {
    handle->last = (cls_gj_outcome){.rcond = -1};
    handle->nrhs = 0;
    handle->before = handle->choice.device->counters;
    handle->start = cls_seconds();
}

void cls_gauss_jordan_account(clsolve_gauss_jordan *handle) {
    const cls_counters *now = &handle->choice.device->counters, *before = &handle->before;

    handle->moved = cls_counters_since(now, before);
    handle->device_bytes += now->buffer_bytes - before->buffer_bytes;
    handle->last.seconds.total = cls_seconds() - handle->start;
    if (handle->last.one_phase) handle->last.seconds.factor = handle->last.seconds.total;
}

static clsolve_status end_call(clsolve_gauss_jordan *handle, clsolve_status status) {
    cls_gauss_jordan_account(handle);
    handle->status = status;
    handle->message.text[0] = 0;
    return cls_leave(handle->context, status);
}

/* ---- solve, invert ---- */

clsolve_status cls_gauss_jordan_check_solve(clsolve_gauss_jordan *handle, const char *call, clsolve_op op,
                                            const clsolve_matrix *A, const clsolve_matrix *B) {
    const cls_gj *gj = &handle->gj;
    cls_error *error = &handle->context->error;
    CLS_TRY(cls_validate_op(error, call, op));
    CLS_TRY(cls_validate_matrix(error, call, "A", A, gj->type, gj->n, gj->n));
    return cls_validate_matrix(error, call, "B", B, gj->type, gj->n, -1);
}

clsolve_status cls_gauss_jordan_solve_now(clsolve_gauss_jordan *handle, clsolve_op op, const clsolve_matrix *A,
                                          const clsolve_matrix *B) {
    clsolve_matrix matrix = *A;
    handle->nrhs = B->cols;
    /* A square matrix read along its other lines is its transpose. */
    if (op != CLSOLVE_NO_TRANS)
        matrix.layout = A->layout == CLSOLVE_ROW_MAJOR ? CLSOLVE_COLUMN_MAJOR : CLSOLVE_ROW_MAJOR;
    return cls_gj_system(&handle->gj, &matrix, op == CLSOLVE_CONJ_TRANS, B, &handle->last);
}

clsolve_status clsolve_gauss_jordan_solve(clsolve_gauss_jordan *handle, clsolve_op op, const clsolve_matrix *A,
                                          clsolve_matrix *B) {
    if (!handle) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(handle->context));
    cls_gauss_jordan_begin(handle);
    clsolve_status status = cls_gauss_jordan_check_solve(handle, "clsolve_gauss_jordan_solve", op, A, B);
    if (status == CLSOLVE_OK) status = cls_gauss_jordan_solve_now(handle, op, A, B);
    return end_call(handle, status);
}

clsolve_status cls_gauss_jordan_check_invert(clsolve_gauss_jordan *handle, const char *call, const clsolve_matrix *A,
                                             const clsolve_matrix *X) {
    const cls_gj *gj = &handle->gj;
    cls_error *error = &handle->context->error;
    CLS_TRY(cls_validate_matrix(error, call, "A", A, gj->type, gj->n, gj->n));
    return cls_validate_matrix(error, call, "X", X, gj->type, gj->n, gj->n);
}

clsolve_status cls_gauss_jordan_invert_now(clsolve_gauss_jordan *handle, const clsolve_matrix *A,
                                           const clsolve_matrix *X) {
    handle->nrhs = handle->gj.n;
    return cls_gj_inverse(&handle->gj, A, X, &handle->last);
}

clsolve_status clsolve_gauss_jordan_invert(clsolve_gauss_jordan *handle, const clsolve_matrix *A, clsolve_matrix *X) {
    if (!handle) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(handle->context));
    cls_gauss_jordan_begin(handle);
    clsolve_status status = cls_gauss_jordan_check_invert(handle, "clsolve_gauss_jordan_invert", A, X);
    if (status == CLSOLVE_OK) status = cls_gauss_jordan_invert_now(handle, A, X);
    return end_call(handle, status);
}

clsolve_status clsolve_gauss_jordan_report(const clsolve_gauss_jordan *handle, clsolve_report *report) {
    if (!handle) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    if (!report) return cls_refuse_no_report(handle->context, "clsolve_gauss_jordan_report");
    CLS_TRY(cls_enter(handle->context));
    *report = (clsolve_report){.status = handle->status,
                               .method = "gauss-jordan",
                               .n = handle->gj.n,
                               .nrhs = handle->nrhs,
                               .info = handle->last.info,
                               .seconds = handle->last.seconds,
                               .bytes_up = handle->moved.bytes_up,
                               .bytes_down = handle->moved.bytes_down,
                               .transfers_up = handle->moved.transfers_up,
                               .transfers_down = handle->moved.transfers_down,
                               .device_bytes = handle->device_bytes,
                               .direct.rcond = handle->last.rcond,
                               .refinement.backward_error = -1,
                               .precision = cls_is_double(handle->gj.type) ? "double" : "single"};
    report->seconds.build = handle->build_seconds;
    report->seconds.total += handle->create_seconds;
    cls_where_report(&handle->choice, report);
    return cls_leave(handle->context, CLSOLVE_OK);
}
