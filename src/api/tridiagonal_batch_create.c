/* tridiagonal_batch_create.c: handles of batches of tridiagonal matrices, of one device or of several. */
#include "api/tridiagonal_batch.h"

#include "api/validate.h"
#include "base/memory.h"

/* ---- create, destroy ---- */

static clsolve_status validate_create(clsolve_context *context, int64_t n, int64_t count, clsolve_type type,
                                      const clsolve_tridiagonal_batch_options *options) {
    enum { LONGEST = INT32_MAX - 16 }; /* a kernel's int holds the row of a zero pivot */
    cls_error *error = &context->error;
    const char *call = "clsolve_tridiagonal_batch_create";

    if (n < 0 || count < 0)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: n is %lld and count %lld: sizes start at 0", call,
                        (long long)n, (long long)count);
    CLS_TRY(cls_validate_extent(error, CLSOLVE_ERROR_INVALID_ARGUMENT, call, n, count));
    CLS_TRY(cls_validate_type(error, call, "type", type, CLS_ALL_TYPES));
    if (options) {
        CLS_TRY(CLS_VALIDATE_RESERVED(error, call, options->reserved));
        CLS_TRY(cls_validate_pivoting(error, call, options->pivoting, CLS_PIVOTINGS_OF_ROWS));
    }
    if (n > LONGEST)
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED, "%s: n is %lld; members go up to %lld unknowns", call,
                        (long long)n, (long long)LONGEST);
    return CLSOLVE_OK;
}

static const char create_call[] = "clsolve_tridiagonal_batch_create";

static clsolve_status create(clsolve_context *context, clsolve_tridiagonal_batch *batch) {
    const char *call = create_call;
    cls_task task = {.family = CLS_FAMILY_LINES, .type = batch->type, .n = batch->n, .count = batch->count};

    batch->context = context;
    if (batch->pivoting == CLSOLVE_PIVOTING_NONE && (batch->where == CLSOLVE_WHERE_HOST || context->device->no_kernels))
        return cls_fail(&context->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: without row exchanges lines are solved by kernels, and the host has none: with "
                        "CLSOLVE_PIVOTING_AUTO it "
                        "solves them",
                        call);
    CLS_TRY(
        cls_where_choose(context, call, &task, batch->where, batch->pivoting != CLSOLVE_PIVOTING_NONE, &batch->choice));
    cls_device *device = batch->choice.device;
    double build = device->build_seconds;
    int64_t bytes = device->counters.buffer_bytes;
    CLS_TRY(cls_validate_double(device, call, batch->type));
    batch->infos = cls_alloc((size_t)batch->count, sizeof *batch->infos);
    batch->now = cls_alloc((size_t)batch->count, sizeof *batch->now);
    if (!batch->infos || !batch->now)
        return cls_fail(&context->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a batch's infos");
    if (!cls_lines_are_empty(batch) && cls_lines_on_host(batch))
        CLS_TRY(cls_host_lines_setup(device, batch->n, batch->count, batch->type, &batch->host));
    else if (!cls_lines_are_empty(batch))
        CLS_TRY(cls_bt_members_setup(device, batch->n, batch->count, batch->type, batch->pivoting, &batch->work));
    cls_where_built(context, &batch->choice, CLS_FAMILY_LINES, batch->type);
    batch->build_seconds = device->build_seconds - build;
    batch->device_bytes = device->counters.buffer_bytes - bytes;
    return CLSOLVE_OK;
}

static void destroy_one(void *handle) {
    clsolve_tridiagonal_batch_destroy(handle);
}

static void release(clsolve_tridiagonal_batch *batch) {
    cls_slices_release(&batch->slices, destroy_one);
    cls_bt_members_release(&batch->work);
    cls_host_lines_release(&batch->host);
    cls_free(batch->infos);
    cls_free(batch->now);
    cls_free(batch);
}

/* A handle of `count` members that works on the context's own device; the rest is as `like` has it. */
static clsolve_status make_one(clsolve_context *context, const clsolve_tridiagonal_batch *like, int64_t count,
                               clsolve_where where, clsolve_tridiagonal_batch **batch) {
    CLS_TRY(cls_enter(context));
    clsolve_tridiagonal_batch *made = cls_alloc(1, sizeof *made);
    if (!made)
        return cls_leave(context, cls_fail(&context->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                                           "no host memory for a handle of tridiagonal matrices"));
    made->n = like->n;
    made->count = count;
    made->type = like->type;
    made->pivoting = like->pivoting;
    made->where = where;
    clsolve_status status = create(context, made);
    if (status == CLSOLVE_OK)
        *batch = made;
    else
        release(made);
    return cls_leave(context, status);
}

/* ---- several devices ---- */

static clsolve_status make_slice(void *what, int64_t d) {
    clsolve_tridiagonal_batch *like = what;
    cls_slices *s = &like->slices;
    clsolve_context *context = cls_context_of(s->context, d);
    clsolve_tridiagonal_batch *made = NULL;
    CLS_TRY(make_one(context, like, s->firsts[d + 1] - s->firsts[d], cls_slices_where(s, d, like->where), &made));
    s->handles[d] = made;
    return CLSOLVE_OK;
}

/* Over all devices of the context, where they are worth it. */
static clsolve_status make(clsolve_context *context, const clsolve_tridiagonal_batch *like,
                           clsolve_tridiagonal_batch **batch) {
    const cls_task task = {.family = CLS_FAMILY_LINES, .type = like->type, .n = like->n, .count = like->count};
    const double bytes = 4.0 * (double)like->n * (double)like->count * (double)cls_type_size(like->type);
    cls_choice choice;
    if (clsolve_context_device_count(context) == 1) return make_one(context, like, like->count, like->where, batch);
    CLS_TRY(
        cls_where_choose(context, create_call, &task, like->where, like->pivoting != CLSOLVE_PIVOTING_NONE, &choice));
    if (choice.device != context->device) return make_one(context, like, like->count, like->where, batch);
    clsolve_tridiagonal_batch *made = cls_alloc(1, sizeof *made);
    if (!made)
        return cls_fail(&context->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                        "no host memory for a handle of tridiagonal matrices");
    *made = *like;
    made->context = context;
    made->choice = choice;
    clsolve_status status =
        cls_slices_setup(&made->slices, context, create_call, &task, bytes, like->pivoting == CLSOLVE_PIVOTING_NONE);
    const int dealt = made->slices.devices > 0;
    if (status == CLSOLVE_OK && dealt) status = cls_slices_each(&made->slices, create_call, make_slice, made);
    if (status == CLSOLVE_OK && dealt)
        *batch = made;
    else
        release(made);
    return status != CLSOLVE_OK || dealt ? status : make_one(context, like, like->count, like->where, batch);
}

clsolve_status clsolve_tridiagonal_batch_create(clsolve_context *context, int64_t n, int64_t count, clsolve_type type,
                                                const clsolve_tridiagonal_batch_options *options,
                                                clsolve_tridiagonal_batch **batch) {
    if (batch) *batch = NULL;
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    if (!batch)
        return cls_leave(context,
                         cls_fail(&context->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                                  "clsolve_tridiagonal_batch_create: batch is NULL: give the address of a pointer"));
    clsolve_status status = validate_create(context, n, count, type, options);
    if (status != CLSOLVE_OK) return cls_leave(context, status);

    const clsolve_tridiagonal_batch like = {.n = n,
                                            .count = count,
                                            .type = type,
                                            .pivoting = options ? options->pivoting : CLSOLVE_PIVOTING_AUTO,
                                            .where = options ? options->where : CLSOLVE_WHERE_AUTO};
    return cls_leave(context, make(context, &like, batch));
}

void clsolve_tridiagonal_batch_destroy(clsolve_tridiagonal_batch *batch) {
    if (!batch) return;
    clsolve_context *context = batch->context;
    if (cls_enter(context) != CLSOLVE_OK) return;
    release(batch);
    (void)cls_leave(context, CLSOLVE_OK);
}
