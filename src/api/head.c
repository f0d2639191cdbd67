#include "api/head.h"

#include <string.h>

#include "api/validate.h"
#include "base/clock.h"
#include "base/memory.h"
#include "method/events.h"

/* ---- create, destroy ---- */

void cls_head_count(cls_head *head) {
    head->before = head->choice.device->counters;
    head->built = head->choice.device->build_seconds;
}

/* The device has done this since it was counted. */
static void account(cls_head *head) {
    const cls_device *device = head->choice.device;
    head->moved = cls_counters_since(&device->counters, &head->before);
    head->device_bytes += device->counters.buffer_bytes - head->before.buffer_bytes;
    head->build_seconds += device->build_seconds - head->built;
    head->seconds = cls_seconds() - head->start;
}

static void release(cls_head *head) {
    head->kind->release(head);
    cls_free(head);
}

clsolve_status cls_head_make(const cls_head_kind *kind, clsolve_context *context, const void *asked, cls_head **head) {
    const double start = cls_seconds();
    if (kind->check) CLS_TRY(kind->check(context, asked));
    cls_head *made = cls_alloc(1, kind->bytes);
    if (!made) return cls_fail(&context->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for %s", kind->handle);
    made->kind = kind;
    made->context = context;
    made->choice = (cls_choice){.device = context->device, .where = "device", .reason = kind->device_alone};
    cls_head_count(made);
    made->start = start;
    const clsolve_status status = kind->setup(made, asked);
    if (status != CLSOLVE_OK) {
        const cls_error first = context->error; /* what release waits for may overwrite it */
        release(made);
        context->error = first;
        return status;
    }
    account(made);
    made->create_seconds = made->seconds;
    made->moved = (cls_counters){0};
    made->seconds = 0;
    *head = made;
    return CLSOLVE_OK;
}

clsolve_status cls_head_create(const cls_head_kind *kind, clsolve_context *context, const void *asked, void *handle) {
    cls_head *made = NULL;
    if (handle) memcpy(handle, &made, sizeof made); /* pointers to structs of all families are alike */
    CLS_TRY(cls_enter_create(context, kind->create, kind->argument, handle));
    const clsolve_status status = cls_head_make(kind, context, asked, &made);
    memcpy(handle, &made, sizeof made);
    return cls_leave(context, status);
}

void cls_head_destroy(cls_head *head) {
    if (!head) return;
    clsolve_context *context = head->context;
    if (cls_enter(context) != CLSOLVE_OK) return;
    release(head);
    (void)cls_leave(context, CLSOLVE_OK);
}

/* ---- calls ---- */

clsolve_status cls_head_enter(cls_head *head) {
    if (!head) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    return cls_enter(head->context);
}

clsolve_status cls_head_begin(cls_head *head, const cls_enqueue *how) {
    head->began = 1;
    head->start = cls_seconds();
    cls_head_count(head);
    return how ? cls_events_before(head->context->device, &how->wait) : CLSOLVE_OK;
}

static clsolve_status keep(cls_head *head, clsolve_status status) {
    head->status = status;
    cls_enqueue_save(head->context, status, &head->message);
    return status;
}

/* Sends the work off, and gives the caller an event behind it. */
static clsolve_status send(cls_head *head, const cls_enqueue *how) {
    const clsolve_status status = cls_events_behind(head->context->device, how->done);
    return status == CLSOLVE_OK ? status : keep(head, status);
}

clsolve_status cls_head_end(cls_head *head, const cls_enqueue *how, clsolve_status status) {
    clsolve_context *context = head->context;
    const int began = head->began;
    if (!began && how) return cls_leave(context, status);
    head->began = 0;
    head->moved = (cls_counters){0};
    head->seconds = 0;
    if (began) account(head);
    if (how) {
        status = keep(head, status);
        if (status == CLSOLVE_OK || cls_enqueue_is_outcome(status)) status = send(head, how);
        return cls_leave(context, status);
    }
    head->status = status;
    head->message.text[0] = 0;
    return cls_leave(context, status);
}

clsolve_status cls_head_tell_outcome(cls_head *head, const cls_enqueue *how) {
    clsolve_status status = cls_events_before(head->context->device, &how->wait);
    if (status != CLSOLVE_OK) return cls_leave(head->context, keep(head, status));
    head->status = head->outcome;
    return cls_leave(head->context, send(head, how));
}

clsolve_status cls_head_status(cls_head *head) {
    CLS_TRY(cls_head_enter(head));
    return cls_leave(head->context, cls_enqueue_tell(head->context, head->status, &head->message));
}

/* ---- report ---- */

clsolve_status cls_head_report_begin(const cls_head *head, clsolve_type type, int64_t n, clsolve_report *report) {
    if (!report) return cls_refuse_no_report(head->context, head->kind->report);
    CLS_TRY(cls_enter(head->context));
    *report = (clsolve_report){.status = head->status,
                               .method = head->kind->method,
                               .n = n,
                               .bytes_up = head->moved.bytes_up,
                               .bytes_down = head->moved.bytes_down,
                               .transfers_up = head->moved.transfers_up,
                               .transfers_down = head->moved.transfers_down,
                               .device_bytes = head->device_bytes,
                               .seconds.build = head->build_seconds,
                               .direct.rcond = -1,
                               .refinement.backward_error = -1,
                               .precision = cls_is_double(type) ? "double" : "single"};
    return CLSOLVE_OK;
}

clsolve_status cls_head_report_end(const cls_head *head, clsolve_report *report) {
    cls_where_report(&head->choice, report);
    return cls_leave(head->context, CLSOLVE_OK);
}
