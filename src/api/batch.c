/* batch.c: handles of batches, of one device or of several: create, destroy, report. */
#include "api/batch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/validate.h"
#include "base/clock.h"
#include "base/memory.h"

/* ---- what a create is asked for ---- */

static clsolve_status check_squares(const cls_batch_family *family, cls_error *error, const cls_batch_shape *shape,
                                    const char *call) {
    if (shape->n > family->largest)
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED, "%s: %s is %lld; batches go up to %lld: use %s for each",
                        call, shape->orders ? "an order" : "n", (long long)shape->n, (long long)family->largest,
                        family->instead);
    return cls_validate_extent(error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, call, shape->count, shape->n * shape->n);
}

static clsolve_status check(const cls_batch_family *family, clsolve_context *context, const cls_batch_shape *shape,
                            int alone) {
    cls_error *error = &context->error;
    char call[64];
    (void)snprintf(call, sizeof call, "%s%s", family->create, shape->orders ? "_ragged" : "");
    if (shape->orders && shape->n < 0)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: orders is NULL, or holds a negative number", call);
    if (shape->n < 0 || shape->count < 0)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: n is %lld and count %lld: sizes start at 0", call,
                        (long long)shape->n, (long long)shape->count);
    CLS_TRY(cls_validate_type(error, call, "type", shape->type, CLS_ALL_TYPES));
    CLS_TRY(cls_validate_reserved(error, call, shape->reserved, shape->reserved_words));
    if (family->largest > 0) CLS_TRY(check_squares(family, error, shape, call));
    return family->check ? family->check(context, shape, alone) : CLSOLVE_OK;
}

/* The average, where each member has its own order. */
static double elements_of(const cls_batch_family *family, const cls_batch_shape *shape) {
    double sum = 0;
    if (family->elements) return family->elements(shape);
    if (!shape->orders) return (double)(shape->n * shape->n);
    for (int64_t m = 0; m < shape->count; ++m) sum += (double)shape->orders[m] * (double)shape->orders[m];
    return sum / (double)shape->count;
}

/* The order of as many members of one order that want as many operations, and no less memory. */
static int64_t order_of(const cls_batch_shape *shape) {
    double sum = 0;
    if (!shape->orders || shape->count == 0) return shape->n;
    for (int64_t m = 0; m < shape->count; ++m)
        sum += (double)shape->orders[m] * (double)shape->orders[m] * (double)shape->orders[m];
    return (int64_t)ceil(cbrt(sum / (double)shape->count));
}

static cls_task task_of(const cls_batch_family *family, const cls_batch_shape *shape) {
    return (cls_task){.family = family->model,
                      .type = shape->type,
                      .n = family->model_order ? family->model_order(shape)
                                               : (family->model_percent * order_of(shape) + 99) / 100,
                      .count = shape->count,
                      .kind = family->kind,
                      .order = shape->n,
                      .classes = family->classes && shape->orders ? family->classes(shape) : 0};
}

static int needs_kernels(const cls_batch_family *family, const cls_batch_shape *shape) {
    return family->device_alone || shape->pivoting == CLSOLVE_PIVOTING_NONE;
}

static clsolve_status choose(const cls_batch_family *family, clsolve_context *context, const cls_batch_shape *shape,
                             cls_choice *choice) {
    const cls_task task = task_of(family, shape);
    *choice = (cls_choice){.device = context->device, .where = "device", .reason = family->device_alone};
    if (family->device_alone) return CLSOLVE_OK;
    return cls_where_choose(context, family->create, &task, shape->where, !needs_kernels(family, shape), choice);
}

/* ---- one device ---- */

static void release(cls_batch *batch) {
    batch->family->release(batch);
    cls_slices_release(&batch->slices, cls_batch_destroy);
    cls_free(batch->orders);
    cls_free(batch->infos);
    cls_free(batch->now);
    cls_free(batch);
}

static clsolve_status new_handle(const cls_batch_family *family, clsolve_context *context, const cls_batch_shape *shape,
                                 cls_batch **batch) {
    *batch = cls_alloc(1, family->handle_bytes);
    if (!*batch)
        return cls_fail(&context->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a handle of %s matrices",
                        family->matrices);
    (*batch)->family = family;
    (*batch)->context = context;
    (*batch)->shape = *shape;
    if (!shape->orders) return CLSOLVE_OK;
    (*batch)->orders = cls_alloc((size_t)shape->count, sizeof *shape->orders);
    if (!(*batch)->orders) {
        cls_free(*batch);
        *batch = NULL;
        return cls_fail(&context->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the orders of a batch");
    }
    memcpy((*batch)->orders, shape->orders, (size_t)shape->count * sizeof *shape->orders);
    (*batch)->shape.orders = (*batch)->orders;
    return CLSOLVE_OK;
}

static clsolve_status setup(cls_batch *batch) {
    const cls_batch_family *family = batch->family;
    const cls_batch_shape *shape = &batch->shape;
    const double start = cls_seconds();

    CLS_TRY(choose(family, batch->context, shape, &batch->choice));
    cls_device *device = batch->choice.device;
    const int64_t bytes = device->counters.buffer_bytes;
    const double build = device->build_seconds;
    CLS_TRY(cls_validate_double(device, family->create, shape->type));
    batch->infos = cls_alloc((size_t)shape->count, sizeof *batch->infos);
    batch->now = cls_alloc((size_t)shape->count, sizeof *batch->now);
    if (!batch->infos || !batch->now)
        return cls_fail(&batch->context->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a batch's infos");
    CLS_TRY(family->setup(batch));
    batch->build_seconds = device->build_seconds - build;
    batch->device_bytes = device->counters.buffer_bytes - bytes;
    batch->create_seconds = cls_seconds() - start;
    return CLSOLVE_OK;
}

/* A handle that works on the context's own device, or on the host. */
static clsolve_status make_one(const cls_batch_family *family, clsolve_context *context, const cls_batch_shape *shape,
                               cls_batch **batch) {
    cls_batch *made = NULL;
    CLS_TRY(cls_enter(context));
    clsolve_status status = check(family, context, shape, 1);
    if (status == CLSOLVE_OK) status = new_handle(family, context, shape, &made);
    if (status != CLSOLVE_OK) return cls_leave(context, status);
    status = setup(made);
    if (status == CLSOLVE_OK)
        *batch = made;
    else
        release(made);
    return cls_leave(context, status);
}

/* ---- several devices ---- */

static clsolve_status make_slice(void *what, int64_t d) {
    cls_batch *batch = what;
    cls_slices *s = &batch->slices;
    cls_batch_shape part = batch->shape;
    part.count = s->firsts[d + 1] - s->firsts[d];
    if (part.orders) part.orders += s->firsts[d];
    part.where = cls_slices_where(s, d, part.where);
    return make_one(batch->family, cls_context_of(s->context, d), &part, &s->handles[d]);
}

/* Deals the members out, where they are worth it; batch->slices.devices is 0 afterwards where they are not. */
static clsolve_status deal(cls_batch *batch) {
    const cls_batch_family *family = batch->family;
    const cls_batch_shape *shape = &batch->shape;
    const cls_task task = task_of(family, shape);
    const double bytes = elements_of(family, shape) * (double)shape->count * (double)cls_type_size(shape->type);
    const double start = cls_seconds();
    CLS_TRY(
        cls_slices_setup(&batch->slices, batch->context, family->create, &task, bytes, needs_kernels(family, shape)));
    if (batch->slices.devices == 0) return CLSOLVE_OK;
    CLS_TRY(cls_slices_each(&batch->slices, family->create, make_slice, batch));
    batch->create_seconds = cls_seconds() - start;
    return CLSOLVE_OK;
}

/* Where the host is faster than the lead, it is left to the host; else over all devices of the context. */
static clsolve_status make(const cls_batch_family *family, clsolve_context *context, const cls_batch_shape *shape,
                           cls_batch **batch) {
    cls_choice choice;
    cls_batch *made = NULL;
    if (clsolve_context_device_count(context) == 1) return make_one(family, context, shape, batch);
    CLS_TRY(check(family, context, shape, 0));
    CLS_TRY(choose(family, context, shape, &choice));
    if (choice.device != context->device) return make_one(family, context, shape, batch);
    CLS_TRY(new_handle(family, context, shape, &made));
    made->choice = choice;
    const clsolve_status status = deal(made);
    const int dealt = made->slices.devices > 0;
    if (status == CLSOLVE_OK && dealt)
        *batch = made;
    else
        release(made);
    return status != CLSOLVE_OK || dealt ? status : make_one(family, context, shape, batch);
}

clsolve_status cls_batch_create(const cls_batch_family *family, clsolve_context *context, const cls_batch_shape *shape,
                                void *batch) {
    cls_batch *made = NULL;
    if (batch) memcpy(batch, &made, sizeof made); /* pointers to structs of all families are alike */
    CLS_TRY(cls_enter_create(context, family->create, "batch", batch));
    const clsolve_status status = make(family, context, shape, &made);
    memcpy(batch, &made, sizeof made);
    return cls_leave(context, status);
}

void cls_batch_destroy(cls_batch *batch) {
    if (!batch) return;
    clsolve_context *context = batch->context;
    if (cls_enter(context) != CLSOLVE_OK) return;
    release(batch);
    (void)cls_leave(context, CLSOLVE_OK);
}

/* ---- report ---- */

clsolve_status cls_batch_report(const cls_batch *batch, clsolve_report *report) {
    if (!batch) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    const cls_batch_family *family = batch->family;
    if (!report) return cls_refuse_no_report(batch->context, family->report);
    CLS_TRY(cls_enter(batch->context));
    *report = (clsolve_report){.status = batch->status,
                               .method = family->method,
                               .n = batch->shape.n,
                               .nrhs = batch->nrhs,
                               .members = batch->shape.count,
                               .info = batch->info,
                               .member = batch->member,
                               .seconds = batch->seconds,
                               .bytes_up = batch->moved.bytes_up,
                               .bytes_down = batch->moved.bytes_down,
                               .transfers_up = batch->moved.transfers_up,
                               .transfers_down = batch->moved.transfers_down,
                               .device_bytes = batch->device_bytes,
                               .direct.rcond = -1,
                               .refinement.backward_error = -1,
                               .precision = cls_is_double(batch->shape.type) ? "double" : "single"};
    report->seconds.build = batch->build_seconds;
    if (family->total_has_create) report->seconds.total += batch->create_seconds;
    if (family->add_report) family->add_report(batch, report);
    cls_where_report(&batch->choice, report);
    if (batch->slices.devices > 0) cls_slices_report(&batch->slices, cls_batch_report, report);
    return cls_leave(batch->context, CLSOLVE_OK);
}
