/* enter.c: the beginning and the end of every call on a context. */
#include "api/context.h"

#include "base/process.h"

clsolve_status cls_enter(clsolve_context *context) {
    CLS_TRY(cls_process_is_own(context->generation, &context->error)); /* its lock may be held by a lost thread */
    (void)pthread_mutex_lock(&context->lock);
    if (context->depth++ == 0) cls_guard_begin(&context->guard);
    return CLSOLVE_OK;
}

clsolve_status cls_leave(clsolve_context *context, clsolve_status status) {
    const int outermost = --context->depth == 0;
    const cls_guard guard = context->guard;
    (void)pthread_mutex_unlock(&context->lock);
    if (outermost) cls_guard_end(&guard);
    return status;
}

clsolve_status cls_enter_create(clsolve_context *context, const char *call, const char *name, const void *handle) {
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    if (handle) return CLSOLVE_OK;
    return cls_leave(context, cls_fail(&context->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                                       "%s: %s is NULL: give the address of a pointer", call, name));
}

clsolve_status cls_refuse_no_report(clsolve_context *context, const char *call) {
    CLS_TRY(cls_enter(context));
    return cls_leave(context, cls_fail(&context->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                                       "%s: report is NULL: give the address of a report", call));
}
