#include "api/built.h"

#include <stdio.h>

#include "base/memory.h"
#include "device/recall.h"

static const char *const family_names[CLS_FAMILIES] = {"lu",    "inverse", "cholesky", "band", "band-cholesky",
                                                       "batch", "lines",   "grid",     "ldl"};

void cls_built_name(const char *what, cls_family family, clsolve_type type, char name[64]) {
    (void)snprintf(name, 64, "%s.%s.%s", what, family_names[family], cls_type_name(type));
}

/* ---- what is built ---- */

/* The state of the task's kernels, as far as it is known; NULL: no memory. */
static cls_built *built_of(clsolve_context *context, const cls_task *task) {
    enum { STEP = 16 };
    cls_where_known *known = &context->where;
    const int64_t shape = cls_task_shape(task);
    for (cls_built *b = known->shapes; b < known->shapes + known->shape_count; ++b)
        if (b->family == task->family && b->type == task->type && b->shape == shape) return b;
    if (known->shape_count == known->shape_room) {
        cls_built *more = cls_alloc((size_t)(known->shape_room + STEP), sizeof *more);
        if (!more) return NULL;
        for (int k = 0; k < known->shape_count; ++k) more[k] = known->shapes[k];
        cls_free(known->shapes);
        known->shapes = more;
        known->shape_room += STEP;
    }
    cls_built *made = &known->shapes[known->shape_count++];
    *made = (cls_built){.family = task->family, .type = task->type, .shape = shape};
    return made;
}

static void name_of_built(const cls_built *built, char name[64]) {
    char begin[32];
    (void)snprintf(begin, sizeof begin, "built.%lld", (long long)built->shape);
    cls_built_name(begin, built->family, built->type, name);
}

/* The folder is looked into once: that takes longer than a system of few rows. */
static void look(clsolve_context *context, cls_built *built) {
    char name[64];
    if (built->looked) return;
    built->looked = 1;
    name_of_built(built, name);
    built->found = cls_recall(context->device, name) == 1;
}

cls_built_state cls_built_state_of(clsolve_context *context, const cls_task *task) {
    cls_built *built = built_of(context, task);
    if (!built) return CLS_BUILT_NOWHERE;
    if (built->here) return CLS_BUILT_HERE;
    look(context, built);
    return built->found ? CLS_BUILT_BEFORE : CLS_BUILT_NOWHERE;
}

void cls_built_mark(clsolve_context *context, const cls_task *task) {
    cls_built *built = built_of(context, task);
    char name[64];
    if (!built || built->here) return;
    built->here = 1;
    context->where.built[task->family][task->type - CLSOLVE_F32] = 1;
    look(context, built);
    if (built->found) return;
    name_of_built(built, name);
    built->found = 1;
    cls_remember(context->device, name, 1);
}

void cls_built_mark_samples(clsolve_context *context, cls_family family, clsolve_type type) {
    for (int s = 0; s < CLS_SAMPLES; ++s) {
        const int64_t k = cls_sample_diagonals[s], n = cls_sample_orders[s];
        cls_task task = {.family = family, .type = type, .n = n};
        if (family == CLS_FAMILY_BATCH) task.n = cls_sample_members[s];
        if (family == CLS_FAMILY_GRID) task.n = n * n;
        if (cls_family_is_band(family)) task.n = 4 * k, task.kl = task.ku = k;
        cls_built_mark(context, &task);
    }
}

double cls_built_seconds(const cls_device *device, cls_built_state state) {
    if (state == CLS_BUILT_HERE) return 0;
    return state == CLS_BUILT_BEFORE ? cls_rates_loaded_call() : cls_rates_first_call(&device->info);
}
