#include "api/door.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/context.h"
#include "api/expected.h"
#include "api/handle.h"
#include "base/process.h"
#include "device/programs.h"
#include "device/recall.h"
#include "device/staging.h"
#include "method/fetch.h"

clsolve_status cls_context_fail(clsolve_context *context, clsolve_status status, const char *format, ...) {
    va_list list;
    CLS_TRY(cls_enter(context));
    va_start(list, format);
    (void)vsnprintf(context->error.text, sizeof context->error.text, format, list);
    va_end(list);
    return cls_leave(context, status);
}

clsolve_status cls_context_is_own(clsolve_context *context) {
    return cls_process_is_own(context->generation, &context->error);
}

void cls_context_said(clsolve_context *context, char *text, size_t size) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
    const int entered = cls_enter(context) == CLSOLVE_OK;
    const char *said = context->error.text;
    size_t length = strspn(said, letters);
    if (strncmp(said, "clsolve_", 8) == 0 && strncmp(said + length, ": ", 2) == 0) said += length + 2;
    (void)snprintf(text, size, "%s", said);
    if (entered) (void)cls_leave(context, CLSOLVE_OK);
}

int cls_context_has_program(clsolve_context *context, const char *name) {
    if (cls_enter(context) != CLSOLVE_OK) return 0;
    const cls_program *program = context->device->programs;
    while (program && (program->build || strcmp(program->name, name) != 0)) program = program->next;
    (void)cls_leave(context, CLSOLVE_OK);
    return program != NULL;
}

int cls_context_wants(clsolve_context *context, const cls_task *task) {
    if (cls_enter(context) != CLSOLVE_OK) return 0;
    const int ready = cls_expected_wants(context, task);
    (void)cls_leave(context, CLSOLVE_OK);
    return ready;
}

/* The place of the number; NULL: it is not known, and there is no place left. A new place is filled by `number`. */
static cls_recalled *place_of(clsolve_context *context, const char *name, int *is_new) {
    *is_new = 0;
    for (int k = 0; k < context->recalled_count; ++k)
        if (strcmp(context->recalled[k].name, name) == 0) return &context->recalled[k];
    if (context->recalled_count == CLS_RECALLED || strlen(name) >= sizeof context->recalled[0].name) return NULL;
    cls_recalled *place = &context->recalled[context->recalled_count++];
    memcpy(place->name, name, strlen(name) + 1);
    *is_new = 1;
    return place;
}

int cls_context_recall(clsolve_context *context, const char *name) {
    int is_new;
    if (cls_enter(context) != CLSOLVE_OK) return 0;
    cls_recalled *place = place_of(context, name, &is_new);
    int number = place && !is_new ? place->number : cls_recall(context->device, name);
    if (place) place->number = number;
    (void)cls_leave(context, CLSOLVE_OK);
    return number;
}

void cls_context_remember(clsolve_context *context, const char *name, int number) {
    int is_new;
    if (cls_enter(context) != CLSOLVE_OK) return;
    cls_recalled *place = place_of(context, name, &is_new);
    if (place) place->number = number;
    cls_remember(context->device, name, number);
    (void)cls_leave(context, CLSOLVE_OK);
}

double cls_context_host_seconds(clsolve_context *context, const cls_task *task) {
    if (cls_enter(context) != CLSOLVE_OK) return 0;
    double seconds = cls_expected_host_seconds(context, task);
    (void)cls_leave(context, CLSOLVE_OK);
    return seconds;
}

void cls_context_run(clsolve_context *context, cls_job *job) {
    if (cls_enter(context) != CLSOLVE_OK) return;
    cls_pool_run(cls_device_pool(context->device), job);
    (void)cls_leave(context, CLSOLVE_OK);
}

int cls_context_begin(clsolve_context *context, cls_job *job) {
    if (cls_enter(context) != CLSOLVE_OK) return 0;
    cls_pool *pool = cls_device_pool(context->device);
    if (cls_pool_threads(pool) > 0) {
        job->patient = 1;
        cls_pool_post(pool, job);
        return 1;
    }
    (void)cls_leave(context, CLSOLVE_OK);
    return 0;
}

void cls_context_end(clsolve_context *context, cls_job *job) {
    cls_pool_wait(cls_device_pool(context->device), job);
    (void)cls_leave(context, CLSOLVE_OK);
}

int cls_context_is_symmetric_there(clsolve_context *context, const clsolve_matrix *A, clsolve_symmetry symmetry,
                                   int positive) {
    int found = 0;
    if (cls_enter(context) != CLSOLVE_OK) return 0;
    const cls_error said = context->error; /* a check that fails finds nothing, and is no failure of the call */
    if (!context->device->no_kernels)
        (void)cls_symmetric_check(context->device, A, symmetry, positive, &context->symmetric[A->type - CLSOLVE_F32],
                                  &found);
    context->error = said;
    (void)cls_leave(context, CLSOLVE_OK);
    return found;
}

double cls_context_grid_seconds(clsolve_context *context, clsolve_type type, int64_t unknowns) {
    if (cls_enter(context) != CLSOLVE_OK) return 0;
    double seconds = cls_expected_grid_seconds(context, type, unknowns);
    (void)cls_leave(context, CLSOLVE_OK);
    return seconds;
}

clsolve_status cls_door_factor(void *handle, const clsolve_matrix *A) {
    return cls_handle_factor(handle, CLSOLVE_LOWER, A);
}

clsolve_status cls_door_solve(void *handle, clsolve_op op, const clsolve_matrix *B) {
    return cls_handle_solve(handle, op, B);
}

clsolve_status cls_door_report(const void *handle, clsolve_report *report) {
    return cls_handle_report(handle, report);
}

void cls_door_destroy(void *handle) {
    cls_head_destroy(handle);
}

clsolve_status cls_context_fetch(clsolve_context *context, const clsolve_matrix *view, clsolve_matrix *there) {
    cls_fetched fetched;
    CLS_TRY(cls_enter(context));
    clsolve_status status = cls_fetch(context->device, view, &fetched);
    *there = fetched.view;
    return cls_leave(context, status);
}

clsolve_status cls_context_store(clsolve_context *context, const clsolve_matrix *there, const clsolve_matrix *view) {
    cls_fetched fetched = {*there, there->data != view->data ? there->data : NULL};
    CLS_TRY(cls_enter(context));
    return cls_leave(context, cls_store(context->device, &fetched, view));
}

clsolve_status cls_context_keep(clsolve_context *context, const clsolve_matrix *view, clsolve_matrix *kept,
                                struct cls_buffer **buffer) {
    CLS_TRY(cls_enter(context));
    return cls_leave(context, cls_keep(context->device, view, kept, buffer));
}

void cls_context_release(clsolve_context *context, struct cls_buffer *buffer) {
    if (cls_enter(context) != CLSOLVE_OK) return;
    cls_keep_release(context->device, buffer);
    (void)cls_leave(context, CLSOLVE_OK);
}
