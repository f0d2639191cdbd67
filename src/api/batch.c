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
    (void)snprintf(call, sizeof call, "%s%s", family->kind.create, shape->orders ? "_ragged" : "");
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
                      .kind = family->members,
                      .order = shape->n,
                      .classes = family->classes && shape->orders ? family->classes(shape) : 0};
}

static int needs_kernels(const cls_batch_family *family, const cls_batch_shape *shape) {
    return family->kind.device_alone || shape->pivoting == CLSOLVE_PIVOTING_NONE;
}

static clsolve_status choose(const cls_batch_family *family, clsolve_context *context, const cls_batch_shape *shape,
                             cls_choice *choice) {
    const cls_task task = task_of(family, shape);
    *choice = (cls_choice){.device = context->device, .where = "device", .reason = family->kind.device_alone};
    if (family->kind.device_alone) return CLSOLVE_OK;
    return cls_where_choose(context, family->kind.create, &task, shape->where, !needs_kernels(family, shape), choice);
}

/* ---- handles ---- */

/* `dealt`: the choice for a handle over several devices; NULL: it is one on the context's own device, or on the
 * host. */
typedef struct batch_asked {
    const cls_batch_family *family;
    const cls_batch_shape *shape;
    const cls_choice *dealt;
} batch_asked;

clsolve_status cls_batch_check(clsolve_context *context, const void *asked) {
    const batch_asked *a = asked;
    return a->dealt ? CLSOLVE_OK : check(a->family, context, a->shape, 1);
}

static clsolve_status take_shape(cls_batch *batch, const cls_batch_shape *shape) {
    batch->shape = *shape;
    if (!shape->orders) return CLSOLVE_OK;
    batch->shape.orders = batch->orders = cls_alloc((size_t)shape->count, sizeof *shape->orders);
    if (!batch->orders)
        return cls_fail(&batch->head.context->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                        "no host memory for the orders of a batch");
    memcpy(batch->orders, shape->orders, (size_t)shape->count * sizeof *shape->orders);
    return CLSOLVE_OK;
}

static clsolve_status setup_one(cls_batch *batch) {
    const cls_batch_family *family = batch->family;
    const cls_batch_shape *shape = &batch->shape;
    cls_head *head = &batch->head;

    CLS_TRY(choose(family, head->context, shape, &head->choice));
    cls_head_count(head);
    CLS_TRY(cls_validate_double(head->choice.device, family->kind.create, shape->type));
    batch->infos = cls_alloc((size_t)shape->count, sizeof *batch->infos);
    batch->now = cls_alloc((size_t)shape->count, sizeof *batch->now);
    if (!batch->infos || !batch->now)
        return cls_fail(&head->context->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a batch's infos");
    return family->setup(batch);
}

void cls_batch_release(cls_head *head) {
    cls_batch *batch = (cls_batch *)head;
    batch->family->release(batch);
    cls_slices_release(&batch->slices, cls_batch_destroy);
    cls_free(batch->orders);
    cls_free(batch->infos);
    cls_free(batch->now);
}

/* ---- several devices ---- */

static clsolve_status make_slice(void *what, int64_t d) {
    cls_batch *batch = what;
    cls_slices *s = &batch->slices;
    clsolve_context *context = cls_context_of(s->context, d);
    cls_batch_shape part = batch->shape;
    cls_head *made = NULL;
    part.count = s->firsts[d + 1] - s->firsts[d];
    if (part.orders) part.orders += s->firsts[d];
    part.where = cls_slices_where(s, d, part.where);
    CLS_TRY(cls_enter(context));
    const clsolve_status status =
        cls_head_make(&batch->family->kind, context, &(batch_asked){batch->family, &part, NULL}, &made);
    s->handles[d] = (cls_batch *)made;
    return cls_leave(context, status);
}

/* Deals the members out, where they are worth it; batch->slices.devices is 0 afterwards where they are not. */
static clsolve_status deal(cls_batch *batch) {
    const cls_batch_family *family = batch->family;
    const cls_batch_shape *shape = &batch->shape;
    const cls_task task = task_of(family, shape);
    const char *call = family->kind.create;
    const double bytes = elements_of(family, shape) * (double)shape->count * (double)cls_type_size(shape->type);
    CLS_TRY(cls_slices_setup(&batch->slices, batch->head.context, call, &task, bytes, needs_kernels(family, shape)));
    return batch->slices.devices > 0 ? cls_slices_each(&batch->slices, call, make_slice, batch) : CLSOLVE_OK;
}

clsolve_status cls_batch_setup(cls_head *head, const void *asked) {
    const batch_asked *a = asked;
    cls_batch *batch = (cls_batch *)head;
    batch->family = a->family;
    CLS_TRY(take_shape(batch, a->shape));
    if (!a->dealt) return setup_one(batch);
    head->choice = *a->dealt;
    return deal(batch);
}

/* Where the host is faster than the lead, it is left to the host; else over all devices of the context. */
static clsolve_status make(const cls_batch_family *family, clsolve_context *context, const cls_batch_shape *shape,
                           cls_head **head) {
    batch_asked asked = {family, shape, NULL};
    cls_choice choice;
    if (clsolve_context_device_count(context) > 1) {
        CLS_TRY(check(family, context, shape, 0));
        CLS_TRY(choose(family, context, shape, &choice));
        if (choice.device == context->device) asked.dealt = &choice;
    }
    CLS_TRY(cls_head_make(&family->kind, context, &asked, head));
    if (!asked.dealt || ((cls_batch *)*head)->slices.devices > 0) return CLSOLVE_OK;
    cls_head_destroy(*head);
    *head = NULL;
    asked.dealt = NULL;
    return cls_head_make(&family->kind, context, &asked, head);
}

clsolve_status cls_batch_create(const cls_batch_family *family, clsolve_context *context, const cls_batch_shape *shape,
                                void *batch) {
    cls_head *made = NULL;
    if (batch) memcpy(batch, &made, sizeof made); /* pointers to structs of all families are alike */
    CLS_TRY(cls_enter_create(context, family->kind.create, "batch", batch));
    const clsolve_status status = make(family, context, shape, &made);
    memcpy(batch, &made, sizeof made);
    return cls_leave(context, status);
}

void cls_batch_destroy(cls_batch *batch) {
    cls_head_destroy((cls_head *)batch);
}

/* ---- report ---- */

clsolve_status cls_batch_report(const cls_batch *batch, clsolve_report *report) {
    if (!batch) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    const cls_batch_family *family = batch->family;
    const cls_head *head = &batch->head;
    CLS_TRY(cls_head_report_begin(head, batch->shape.type, batch->shape.n, report));
    report->nrhs = batch->nrhs;
    report->members = batch->shape.count;
    report->info = batch->info;
    report->member = batch->member;
    report->seconds = batch->seconds;
    report->seconds.build = head->build_seconds;
    report->seconds.total = head->seconds + (family->total_has_create ? head->create_seconds : 0);
    if (batch->whole == CLS_BATCH_FACTORS) report->seconds.factor = head->seconds;
    if (batch->whole == CLS_BATCH_SOLVES) report->seconds.solve = head->seconds;
    if (family->add_report) family->add_report(batch, report);
    cls_where_report(&head->choice, report);
    if (batch->slices.devices > 0) cls_slices_report(&batch->slices, cls_batch_report, report);
    return cls_leave(head->context, CLSOLVE_OK);
}
