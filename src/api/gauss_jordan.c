#include "api/gauss_jordan.h"

#include "api/validate.h"

/* ---- create, destroy ---- */

typedef struct gj_asked {
    int64_t n;
    clsolve_type type;
    const clsolve_gauss_jordan_options *options;
} gj_asked;

static clsolve_status check_create(clsolve_context *context, const void *asked) {
    const gj_asked *form = asked;
    const clsolve_gauss_jordan_options *options = form->options;
    const clsolve_type type = form->type;
    const int64_t n = form->n;
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

static clsolve_status setup(cls_head *head, const void *asked) {
    static const clsolve_gauss_jordan_options defaults = {0};
    clsolve_gauss_jordan *handle = (clsolve_gauss_jordan *)head;
    const gj_asked *form = asked;
    const clsolve_gauss_jordan_options *options = form->options ? form->options : &defaults;
    const cls_task task = {.family = CLS_FAMILY_INVERSE, .type = form->type, .n = form->n};

    handle->last.rcond = -1;
    CLS_TRY(
        cls_where_choose(head->context, head->kind->create, &task, options->where, host_can(options), &head->choice));
    cls_head_count(head);
    CLS_TRY(cls_validate_double(head->choice.device, head->kind->create, form->type));
    CLS_TRY(cls_gj_setup(head->choice.device, form->n, form->type, options, &handle->gj));
    cls_where_built(head->context, &head->choice);
    return CLSOLVE_OK;
}

static void release(cls_head *head) {
    cls_gj_release(&((clsolve_gauss_jordan *)head)->gj);
}

static const cls_head_kind kind = {
    CLS_HEAD_KIND(gauss_jordan), .argument = "handle",  .handle = "a Gauss-Jordan handle",
    .method = "gauss-jordan",    .check = check_create, .setup = setup,
    .release = release};

clsolve_status clsolve_gauss_jordan_create(clsolve_context *context, int64_t n, clsolve_type type,
                                           const clsolve_gauss_jordan_options *options, clsolve_gauss_jordan **handle) {
    return cls_head_create(&kind, context, &(gj_asked){n, type, options}, handle);
}

void clsolve_gauss_jordan_destroy(clsolve_gauss_jordan *handle) {
    cls_head_destroy((cls_head *)handle);
}

/* ---- solve, invert ---- */

/* A call with A and B, or with `inverse` with A and X. */
typedef struct gj_call {
    const char *name;
    int inverse;
    clsolve_op op;
    const clsolve_matrix *A, *M;
} gj_call;

static clsolve_status check(clsolve_gauss_jordan *handle, const gj_call *call, const cls_enqueue *how) {
    const cls_gj *gj = &handle->gj;
    const char *const names[] = {"A", call->inverse ? "X" : "B"};
    const clsolve_matrix *const views[] = {call->A, call->M};
    clsolve_context *context = handle->head.context;

    CLS_TRY(cls_validate_op(&context->error, call->name, call->op));
    CLS_TRY(cls_validate_matrix(&context->error, call->name, "A", call->A, gj->type, gj->n, gj->n));
    CLS_TRY(cls_validate_matrix(&context->error, call->name, names[1], call->M, gj->type, gj->n,
                                call->inverse ? gj->n : -1));
    const clsolve_place places[] = {call->A->place, call->M->place};
    CLS_TRY(cls_enqueue_check(context, how, "matrix", 2, names, places));
    for (int v = 0; v < 2 && how; ++v) CLS_TRY(cls_transfer_fits(handle->head.choice.device, views[v]));
    return CLSOLVE_OK;
}

static void forget(clsolve_gauss_jordan *handle) {
    handle->last = (cls_gj_outcome){.rcond = -1};
    handle->nrhs = 0;
}

static clsolve_status work(clsolve_gauss_jordan *handle, const gj_call *call) {
    clsolve_matrix A = *call->A;
    handle->nrhs = call->M->cols;
    if (call->inverse) return cls_gj_inverse(&handle->gj, &A, call->M, &handle->last);
    /* A square matrix read along its other lines is its transpose. */
    if (call->op != CLSOLVE_NO_TRANS)
        A.layout = A.layout == CLSOLVE_ROW_MAJOR ? CLSOLVE_COLUMN_MAJOR : CLSOLVE_ROW_MAJOR;
    return cls_gj_system(&handle->gj, &A, call->op == CLSOLVE_CONJ_TRANS, call->M, &handle->last);
}

static clsolve_status make_call(clsolve_gauss_jordan *handle, const gj_call *call, const cls_enqueue *how) {
    CLS_TRY(cls_head_enter((cls_head *)handle));
    clsolve_status status = check(handle, call, how);
    if (status == CLSOLVE_OK || !how) forget(handle);
    if (status == CLSOLVE_OK) status = cls_head_begin(&handle->head, how);
    if (status == CLSOLVE_OK) status = work(handle, call);
    return cls_head_end(&handle->head, how, status);
}

clsolve_status clsolve_gauss_jordan_solve(clsolve_gauss_jordan *handle, clsolve_op op, const clsolve_matrix *A,
                                          clsolve_matrix *B) {
    return make_call(handle, &(gj_call){"clsolve_gauss_jordan_solve", 0, op, A, B}, NULL);
}

clsolve_status clsolve_gauss_jordan_invert(clsolve_gauss_jordan *handle, const clsolve_matrix *A, clsolve_matrix *X) {
    return make_call(handle, &(gj_call){"clsolve_gauss_jordan_invert", 1, CLSOLVE_NO_TRANS, A, X}, NULL);
}

clsolve_status clsolve_gauss_jordan_solve_enqueue(clsolve_gauss_jordan *handle, clsolve_op op, const clsolve_matrix *A,
                                                  clsolve_matrix *B, const clsolve_events *events) {
    const cls_enqueue how = cls_enqueue_as("clsolve_gauss_jordan_solve_enqueue", events);
    return make_call(handle, &(gj_call){how.call, 0, op, A, B}, &how);
}

clsolve_status clsolve_gauss_jordan_invert_enqueue(clsolve_gauss_jordan *handle, const clsolve_matrix *A,
                                                   clsolve_matrix *X, const clsolve_events *events) {
    const cls_enqueue how = cls_enqueue_as("clsolve_gauss_jordan_invert_enqueue", events);
    return make_call(handle, &(gj_call){how.call, 1, CLSOLVE_NO_TRANS, A, X}, &how);
}

clsolve_status clsolve_gauss_jordan_status(clsolve_gauss_jordan *handle) {
    return cls_head_status((cls_head *)handle);
}

/* ---- report ---- */

clsolve_status clsolve_gauss_jordan_report(const clsolve_gauss_jordan *handle, clsolve_report *report) {
    if (!handle) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    const cls_head *head = &handle->head;
    const cls_gj_outcome *last = &handle->last;
    CLS_TRY(cls_head_report_begin(head, handle->gj.type, handle->gj.n, report));
    report->nrhs = handle->nrhs;
    report->info = last->info;
    report->direct.rcond = last->rcond;
    report->seconds = last->seconds;
    report->seconds.build = head->build_seconds;
    report->seconds.total = head->create_seconds + head->seconds;
    if (last->one_phase) report->seconds.factor = head->seconds;
    return cls_head_report_end(head, report);
}
