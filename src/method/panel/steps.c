/*
 * steps.c: a leaf by cl/lu_panel.cl, with a launch a column or, when few rows are left, in one launch. Rows stay
 * where they are while the columns are factored, and move after that.
 */
#include "method/panel/parts.h"

#include <stdio.h>

/* A CPU runs a work-group on one core, so a group is one work-item with a long loop, and there are as many groups as
 * cores. A GPU works best with neighbouring work-items on neighbouring rows. */
void cls_panel_steps_choose(cls_panel *panel, int by_steps) {
    const clsolve_device_info *info = &panel->device->info;
    cls_panel_steps *s = &panel->steps;
    cls_panel_moves *moves = &panel->moves;

    if (info->type == CLSOLVE_DEVICE_CPU) {
        s->work_group = moves->x = moves->y = 1;
        s->rows_at_once = 256;
        s->groups = info->compute_units > 0 ? info->compute_units : 1;
        s->whole_rows = 4096; /* a leaf of that many rows fits the cache of one core */
    } else {
        s->work_group = cls_work_group(panel->device, 256);
        s->rows_at_once = 1;
        s->whole_rows = 2 * s->work_group;
        s->groups = panel->rows / s->work_group + (panel->rows % s->work_group != 0);
        moves->x = cls_work_group(panel->device, 2 * panel->leaf);
        moves->y = cls_work_group(panel->device, 256) / moves->x;
    }
    if (s->groups < 1) s->groups = 1;
    if (by_steps) s->whole_rows = 0;
}

clsolve_status cls_panel_steps_take(cls_panel *panel) {
    cls_device *device = panel->device;
    const cls_device_ops *ops = device->ops;
    cls_panel_steps *s = &panel->steps;
    const size_t word = sizeof(int64_t);

    CLS_TRY(ops->buffer_create(device, (size_t)panel->rows * word, &s->positions));
    CLS_TRY(ops->buffer_create(device, (size_t)(2 * s->groups * cls_type_size(panel->type)), &s->values));
    CLS_TRY(ops->buffer_create(device, (size_t)(2 * s->groups) * word, &s->rows));
    CLS_TRY(ops->buffer_create(device, (size_t)(2 * s->groups) * word, &s->places));
    return ops->buffer_create(device, (size_t)panel->leaf * word, &s->pivots);
}

clsolve_status cls_panel_steps_build(cls_panel *panel) {
    cls_device *device = panel->device;
    cls_panel_steps *s = &panel->steps;
    cls_program *program;
    char options[160];

    (void)snprintf(options, sizeof options, "%s%s -DLS=%d -DROWS=%d -DWIDTH=%d", cls_type_option(panel->type),
                   s->work_group > 1 ? cls_sub_groups_option(device) : "", (int)s->work_group, (int)s->rows_at_once,
                   (int)panel->leaf);
    CLS_TRY(device->ops->program_get(device, "lu_panel", options, &program));
    CLS_TRY(device->ops->kernel_create(device, program, "lu_leaf_begin", &s->begin));
    CLS_TRY(device->ops->kernel_create(device, program, "lu_leaf_step", &s->step));
    CLS_TRY(device->ops->kernel_create(device, program, "lu_leaf_whole", &s->whole));
    return device->ops->kernel_create(device, program, "lu_leaf_swaps", &s->swaps);
}

void cls_panel_steps_drop(cls_panel *panel) {
    cls_panel_steps *s = &panel->steps;
    cls_kernel **kernels[] = {&s->begin, &s->step, &s->whole, &s->swaps};

    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; ++k) {
        panel->device->ops->kernel_destroy(panel->device, *kernels[k]);
        *kernels[k] = NULL;
    }
}

void cls_panel_steps_release(cls_panel *panel) {
    const cls_device_ops *ops = panel->device->ops;
    cls_panel_steps *s = &panel->steps;
    cls_buffer *buffers[] = {s->positions, s->values, s->rows, s->places, s->pivots};

    for (size_t b = 0; b < sizeof buffers / sizeof *buffers; ++b) ops->buffer_destroy(panel->device, buffers[b]);
    cls_panel_steps_drop(panel);
}

/* One launch to begin and one a column, of many groups each. */
static clsolve_status factor_by_steps(cls_panel *panel, cls_ref A, int64_t j, int64_t m, int64_t width) {
    cls_device *device = panel->device;
    cls_panel_steps *s = &panel->steps;

    /* Each group has at least a full pass of rows: few rows are not worth many groups. */
    int64_t pass = s->work_group * s->rows_at_once;
    int64_t groups = (m + pass - 1) / pass;
    if (groups > s->groups) groups = s->groups;
    int64_t chunk = (m + groups - 1) / groups;
    chunk = (chunk + 7) / 8 * 8;

    cls_grid grid = {{(size_t)(groups * s->work_group), 1, 1}, {(size_t)s->work_group, 1, 1}};
    cls_arg begin[] = {CLS_BUFFER(A.buffer),     CLS_VALUE(A.offset),   CLS_VALUE(m),        CLS_VALUE(chunk),
                       CLS_BUFFER(s->positions), CLS_BUFFER(s->values), CLS_BUFFER(s->rows), CLS_BUFFER(s->places)};
    CLS_TRY(cls_launch(device, CLS_COMPUTE, s->begin, &grid, CLS_ARGS(begin)));
    for (int64_t t = 0; t < width; ++t) {
        cls_arg step[] = {CLS_REF(A),
                          CLS_VALUE(m),
                          CLS_VALUE(width),
                          CLS_VALUE(t),
                          CLS_VALUE(chunk),
                          CLS_VALUE(j),
                          CLS_BUFFER(s->positions),
                          CLS_BUFFER(s->values),
                          CLS_BUFFER(s->rows),
                          CLS_BUFFER(s->places),
                          CLS_BUFFER(s->pivots),
                          CLS_BUFFER(panel->ipiv),
                          CLS_BUFFER(panel->info)};
        CLS_TRY(cls_launch(device, CLS_COMPUTE, s->step, &grid, CLS_ARGS(step)));
    }
    return CLSOLVE_OK;
}

static clsolve_status factor_whole(cls_panel *panel, cls_ref A, int64_t j, int64_t m, int64_t width) {
    cls_panel_steps *s = &panel->steps;
    cls_grid one = {{(size_t)s->work_group, 1, 1}, {(size_t)s->work_group, 1, 1}};
    cls_arg args[] = {CLS_REF(A),
                      CLS_VALUE(m),
                      CLS_VALUE(width),
                      CLS_VALUE(j),
                      CLS_BUFFER(s->positions),
                      CLS_BUFFER(s->pivots),
                      CLS_BUFFER(panel->ipiv),
                      CLS_BUFFER(panel->info)};
    return cls_launch(panel->device, CLS_COMPUTE, s->whole, &one, CLS_ARGS(args));
}

clsolve_status cls_panel_steps_leaf(cls_panel *panel, const cls_matrix *A, int64_t j, int64_t m, int64_t width) {
    cls_device *device = panel->device;
    cls_panel_steps *s = &panel->steps;
    cls_ref at = cls_matrix_at(A, j, j);

    CLS_TRY(m <= s->whole_rows ? factor_whole(panel, at, j, m, width) : factor_by_steps(panel, at, j, m, width));
    cls_grid one = {{(size_t)s->work_group, 1, 1}, {(size_t)s->work_group, 1, 1}};
    cls_arg swaps[] = {CLS_BUFFER(s->positions),   CLS_BUFFER(s->pivots),     CLS_VALUE(width), CLS_VALUE(j),
                       CLS_BUFFER(panel->sources), CLS_BUFFER(panel->targets)};
    CLS_TRY(cls_launch(device, CLS_COMPUTE, s->swaps, &one, CLS_ARGS(swaps)));
    return cls_panel_move_rows(panel, CLS_COMPUTE, A, j, j + width, j + width, 0, j, j + width, 0);
}
