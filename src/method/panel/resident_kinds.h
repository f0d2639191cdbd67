/*
 * resident_kinds.h: the two kernels that factor a leaf of many rows in one launch, and what differs between them.
 */
#ifndef CLS_PANEL_RESIDENT_KINDS_H
#define CLS_PANEL_RESIDENT_KINDS_H

#include <stddef.h>
#include <stdint.h>

#include "method/panel/parts.h"

typedef struct cls_leaf_form {
    int rows, batches; /* its kernel's place in resident.kernel */
    int64_t groups;
} cls_leaf_form;

/* The differences between kinds. */
typedef struct cls_leaf_kind {
    const char *program, *kernel;
    int64_t work_group, most_groups, least_height;
    int64_t (*widest)(clsolve_type type);
    /* Rows of a group, for leaves of so many columns. */
    int64_t (*most_height)(const cls_device *device, clsolve_type type, int64_t width);
    /* Rows of a matrix from which on leaves are half as wide. */
    int64_t (*wide_rows)(const cls_device *device, clsolve_type type, int64_t most_groups);
    cls_leaf_form (*form_for)(const cls_panel *panel, int64_t most_groups, int64_t m);
    int64_t (*width_of)(int64_t leaf); /* of the kernel for such leaves */
    void (*options)(const cls_panel *panel, cls_leaf_form f, char *text, size_t size);
    int places;      /* places in which candidates are published */
    int updates;     /* 1: does what the leaf before has left (inner > 0 in cl/lu_together.cl) */
    int32_t missing; /* so many of the last arguments it does not have */
} cls_leaf_kind;

extern const cls_leaf_kind cls_leaf_by_lanes;    /* cl/lu_resident.cl, in NVIDIA's words */
extern const cls_leaf_kind cls_leaf_by_barriers; /* cl/lu_together.cl, in OpenCL C 1.2 */

/* Whether its leaves of that kind bring their columns up to the leaf before. */
int cls_leaf_updates(const cls_device *device, const cls_leaf_kind *kind);

#endif
