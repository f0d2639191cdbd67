#include "api/door.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/context.h"
#include "device/programs.h"

clsolve_status cls_context_fail(clsolve_context *context, clsolve_status status, const char *format, ...) {
    va_list list;
    cls_enter(context);
    va_start(list, format);
    (void)vsnprintf(context->error.text, sizeof context->error.text, format, list);
    va_end(list);
    return cls_leave(context, status);
}

void cls_context_said(clsolve_context *context, char *text, size_t size) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
    cls_enter(context);
    const char *said = context->error.text;
    size_t length = strspn(said, letters);
    if (strncmp(said, "clsolve_", 8) == 0 && strncmp(said + length, ": ", 2) == 0) said += length + 2;
    (void)snprintf(text, size, "%s", said);
    (void)cls_leave(context, CLSOLVE_OK);
}

int cls_context_has_program(clsolve_context *context, const char *name) {
    cls_enter(context);
    const cls_program *program = context->device->programs;
    while (program && (program->build || strcmp(program->name, name) != 0)) program = program->next;
    (void)cls_leave(context, CLSOLVE_OK);
    return program != NULL;
}

int cls_context_recall(clsolve_context *context, const char *name) {
    cls_enter(context);
    int number = cls_recall(context->device, name);
    (void)cls_leave(context, CLSOLVE_OK);
    return number;
}

void cls_context_remember(clsolve_context *context, const char *name, int number) {
    cls_enter(context);
    cls_remember(context->device, name, number);
    (void)cls_leave(context, CLSOLVE_OK);
}
