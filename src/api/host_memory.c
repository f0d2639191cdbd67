/* host_memory.c: pinned memory for callers. */
#include "api/context.h"
#include "base/memory.h"

typedef struct cls_callers_memory {
    cls_pinned *pinned;
    void *memory;
    struct cls_callers_memory *next;
} cls_callers_memory;

static clsolve_status take(clsolve_context *context, size_t bytes, void **memory) {
    cls_callers_memory *made = cls_alloc(1, sizeof *made);

    if (!made) return cls_fail(&context->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "clsolve_host_alloc: no host memory");
    clsolve_status status = cls_pinned_create(context->device, bytes > 0 ? bytes : 1, &made->pinned, &made->memory);
    if (status != CLSOLVE_OK) {
        cls_free(made);
        return status;
    }
    made->next = context->memory;
    context->memory = made;
    *memory = made->memory;
    return CLSOLVE_OK;
}

clsolve_status clsolve_host_alloc(clsolve_context *context, size_t bytes, void **memory) {
    if (memory) *memory = NULL;
    CLS_TRY(cls_enter_create(context, "clsolve_host_alloc", "memory", memory));
    return cls_leave(context, take(context, bytes, memory));
}

/* The first of the list at `link`. */
static void give_back(clsolve_context *context, cls_callers_memory **link) {
    cls_callers_memory *gone = *link;

    *link = gone->next;
    cls_pinned_destroy(context->device, gone->pinned);
    cls_free(gone);
}

clsolve_status clsolve_host_free(clsolve_context *context, void *memory) {
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    if (!memory) return CLSOLVE_OK;
    CLS_TRY(cls_enter(context));
    cls_callers_memory **link = &context->memory;
    while (*link && (*link)->memory != memory) link = &(*link)->next;
    if (!*link)
        return cls_leave(context, cls_fail(&context->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                                           "clsolve_host_free: the memory is not from clsolve_host_alloc of this "
                                           "context, or was given back before"));
    give_back(context, link);
    return cls_leave(context, CLSOLVE_OK);
}

void cls_callers_memory_release(clsolve_context *context) {
    while (context->memory) give_back(context, &context->memory);
}
