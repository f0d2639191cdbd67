/* unpivoted.c: leaves without pivots, for matrices that are randomised first: two launches (cl/lu_rbt.cl), and no row
 * moves. */
#include "method/panel/parts.h"

#include <stdio.h>

clsolve_status cls_panel_unpivoted_setup(cls_panel *panel) {
    cls_device *device = panel->device;
    cls_panel_unpivoted *u = &panel->unpivoted;
    cls_program *program;
    char options[128];

    u->lanes = cls_work_group(device, 128);
    (void)snprintf(options, sizeof options, "%s -DLS=%d -DWIDTH=%d", cls_type_option(panel->type), (int)u->lanes,
                   (int)panel->leaf);
    CLS_TRY(device->ops->program_get(device, "lu_rbt", options, &program));
    CLS_TRY(device->ops->kernel_create(device, program, "lu_rbt_diagonal", &u->diagonal));
    return device->ops->kernel_create(device, program, "lu_rbt_rows", &u->rows);
}

void cls_panel_unpivoted_release(cls_panel *panel) {
    panel->device->ops->kernel_destroy(panel->device, panel->unpivoted.diagonal);
    panel->device->ops->kernel_destroy(panel->device, panel->unpivoted.rows);
}

void cls_panel_without_pivots(cls_panel *panel, double tiny) {
    panel->unpivoted.on = 1;
    panel->unpivoted.tiny = tiny;
}

void cls_panel_with_pivots(cls_panel *panel) {
    panel->unpivoted.on = 0;
}

clsolve_status cls_panel_unpivoted_leaf(cls_panel *panel, const cls_matrix *A, int64_t j, int64_t m, int64_t width) {
    cls_device *device = panel->device;
    cls_panel_unpivoted *u = &panel->unpivoted;
    size_t lanes = (size_t)u->lanes;
    int64_t below = m - width;
    float tiny = (float)u->tiny;
    cls_ref at = cls_matrix_at(A, j, j);

    cls_grid one = {{lanes, 1, 1}, {lanes, 1, 1}},
             all = {{((size_t)below + lanes - 1) / lanes * lanes, 1, 1}, {lanes, 1, 1}};
    cls_arg diagonal[] = {CLS_REF(at), CLS_VALUE(width), CLS_VALUE(j), CLS_VALUE(tiny), CLS_BUFFER(panel->info)};
    if (cls_is_double(panel->type)) diagonal[5] = (cls_arg)CLS_VALUE(u->tiny);
    cls_arg rows[] = {CLS_REF(at), CLS_VALUE(below), CLS_VALUE(width)};
    CLS_TRY(cls_launch(device, CLS_COMPUTE, u->diagonal, &one, CLS_ARGS(diagonal)));
    return below == 0 ? CLSOLVE_OK : cls_launch(device, CLS_COMPUTE, u->rows, &all, CLS_ARGS(rows));
}
