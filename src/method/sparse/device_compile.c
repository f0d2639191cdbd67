/*
 * device_compile.c: kernels of sparse factors without factors: which are wanted, whether this machine has compiled them
 * before, and their compilation by a thread while the host factors.
 */
#include "method/sparse/device_compile.h"

#include <stdio.h>
#include <string.h>

#include "base/type.h"
#include "cost/where.h"
#include "method/direct/precision.h"
#include "method/sparse/device_vectors.h"

/* The dense engine has other leaves and blocks for larger fronts. */
static int size_of_largest(const cls_front_class *large) {
    enum { MOST = 15 };
    const cls_task task = {.family = CLS_FAMILY_LU, .n = large->most_pivots};
    const int64_t size = large->most_pivots > 0 ? cls_task_shape(&task) : 0;
    return size < MOST ? (int)size : MOST;
}

/* Counts become 1 or 0, of several devices for all. */
static void name_kinds(cls_front_shape *shape) {
    for (int kind = 0; kind < CLS_FRONT_KINDS; kind++) {
        shape->whole[kind].count = shape->whole[kind].most_rows > 0;
        shape->kinds |= (int)shape->whole[kind].count << kind;
    }
    if (shape->whole[CLS_SMALL].most_rows > CLS_MOST_TINY) shape->kinds |= 1 << CLS_FRONT_KINDS;
    if (shape->whole[CLS_LARGE].count > 0)
        shape->kinds |= 1 << (CLS_FRONT_KINDS + 1 + size_of_largest(&shape->whole[CLS_LARGE]));
}

cls_front_shape cls_front_shape_of(const cls_sparse_device *sparse) {
    cls_front_shape shape = {.type = sparse->type, .form = sparse->form};
    memcpy(shape.whole, sparse->whole, sizeof shape.whole);
    name_kinds(&shape);
    return shape;
}

/* All kinds up to that of the largest front; L D L^T has no LARGE one. */
cls_front_shape cls_front_shape_foreseen(clsolve_type type, clsolve_sparse_form form, int64_t pivots) {
    const struct {
        cls_front_kind kind;
        int64_t above, most; /* pivots: more than `above` */
    } kinds[] = {{CLS_SMALL, 0, cls_type_size(type) > 8 ? CLS_MOST_TINY : CLS_MOST_SMALL},
                 {CLS_NEAR, 0, CLS_MOST_NEAR},
                 {CLS_FAR, CLS_MOST_NEAR, CLS_MOST_FAR},
                 {CLS_WIDE, CLS_MOST_FAR, CLS_MOST_FAR},
                 {CLS_MIDDLE, CLS_MOST_FAR, CLS_MOST_MIDDLE},
                 {CLS_BROAD, CLS_MOST_MIDDLE, CLS_FRONT_BLOCK},
                 {CLS_LARGE, CLS_FRONT_BLOCK, pivots}};
    cls_front_shape shape = {.type = type, .form = form};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        const cls_front_kind kind = kinds[k].kind;
        const int64_t border = kind == CLS_SMALL ? 0 : pivots;
        if (pivots <= kinds[k].above || (kind == CLS_LARGE && cls_form_is_ldl(form))) continue;
        shape.whole[kind] = (cls_front_class){
            .kind = kind, .most_pivots = kinds[k].most, .most_border = border, .most_rows = kinds[k].most + border};
    }
    name_kinds(&shape);
    return shape;
}

/* ---- what the folder has ---- */

static void name_kernels(const cls_front_shape *shape, char name[64]) {
    (void)snprintf(name, 64, "sparse %s %d", cls_type_name(shape->type), (int)shape->form);
}

int cls_front_recall(cls_device *device, const cls_front_shape *shape) {
    char name[64];
    name_kernels(shape, name);
    return (device->ops->recall(device, name) & shape->kinds) == shape->kinds;
}

void cls_front_remember(cls_device *device, const cls_front_shape *shape) {
    char name[64];
    name_kernels(shape, name);
    const int known = device->ops->recall(device, name), kinds = known | shape->kinds;
    if (kinds != known) device->ops->remember(device, name, kinds);
}

/* ---- without factors ---- */

void cls_front_announce(cls_device *device, const cls_front_shape *shape) {
    cls_sparse_device sparse = cls_front_begin(device, shape->type, shape->form);
    const cls_error before = *device->error;
    memcpy(sparse.whole, shape->whole, sizeof sparse.whole);
    if (cls_front_announce_kernels(&sparse) == CLSOLVE_OK && cls_is_double(shape->type))
        (void)cls_vectors_announce(device, shape->type);
    *device->error = before; /* who asks for the kernels is told */
}

int cls_front_is_compiled(cls_device *device, const cls_front_shape *shape) {
    cls_sparse_device sparse = cls_front_begin(device, shape->type, shape->form);
    const cls_error before = *device->error;
    memcpy(sparse.whole, shape->whole, sizeof sparse.whole);
    device->ahead = 2;
    const clsolve_status status = cls_front_announce_kernels(&sparse);
    device->ahead = 0;
    *device->error = before;
    return status == CLSOLVE_OK;
}

static clsolve_status get_all(cls_sparse_device *sparse) {
    if (cls_is_double(sparse->type)) CLS_TRY(cls_vectors_announce(sparse->device, sparse->type));
    CLS_TRY(cls_front_announce_kernels(sparse));
    CLS_TRY(cls_front_engine_open(sparse));
    return cls_front_get_kernels(sparse);
}

/* For AUTO's next handles, whose calls do not wait for it. Without it double is not slow. */
static void measure_double(cls_device *device) {
    const cls_error before = *device->error;
    int unused;
    if (cls_double_ratio(device, &unused) != CLSOLVE_OK) *device->error = before;
}

/* First the compilers begin with all; then all is waited for, and products too, of which no kernels are made here. */
clsolve_status cls_front_compile(cls_device *device, const cls_front_shape *shape) {
    clsolve_status status = CLSOLVE_OK;
    for (int waits = 0; waits < 2 && status == CLSOLVE_OK; waits++) {
        cls_sparse_device sparse = cls_front_begin(device, shape->type, shape->form);
        memcpy(sparse.whole, shape->whole, sizeof sparse.whole);
        device->ahead = waits;
        status = get_all(&sparse);
        device->ahead = 0;
        cls_front_engine_close(&sparse);
        cls_front_drop_kernels(&sparse);
    }
    if (status == CLSOLVE_OK) cls_front_remember(device, shape);
    if (status == CLSOLVE_OK && device->info.type != CLSOLVE_DEVICE_CPU) measure_double(device);
    return status;
}
