/* open.c: a panel's kernels, of which the self-test says that they are right on this device. */
#include "device/use.h"
#include "method/panel/parts.h"

static clsolve_status refuse(const cls_panel *panel) {
    return cls_fail_test(panel->device, "the kernels of LU", panel->type);
}

static clsolve_status open_steps(cls_panel *panel) {
    cls_device *device = panel->device;
    const cls_error before = *device->error;
    cls_panel_kernels form;
    clsolve_status status;

    for (;;) {
        /* First, because the test may find that the kernels have to do without sub-groups. */
        CLS_TRY(cls_panel_self_test(device, panel->type, panel->leaf, 0, &form));
        if (form == CLS_PANEL_KERNELS_WRONG) return refuse(panel);
        status = cls_panel_steps_build(panel);
        if (status != CLSOLVE_ERROR_BUILD || device->sub_groups == CLS_SUB_GROUPS_NONE) break;
        /* A compiler may refuse in this shape what it took in the test's. */
        *device->error = before;
        cls_panel_steps_drop(panel);
        cls_panel_sub_groups_fail(device);
    }
    if (form == CLS_PANEL_KERNELS_NO_WHOLE) panel->steps.whole_rows = 0;
    return status;
}

/* Panels without pivots have kernels of their own, but fall back to leaves with pivots. */
static int steps_can_wait(const cls_panel *panel) {
    return !panel->hybrid && cls_panel_resident_alone(panel);
}

static clsolve_status announce(cls_panel *panel) {
    const int resident = steps_can_wait(panel);

    if (!panel->hybrid) CLS_TRY(cls_panel_resident_announce(panel, 0));
    CLS_TRY(resident ? cls_panel_moves_build(panel) : cls_panel_build(panel));
    return cls_panel_self_test_announce(panel->device, panel->type, panel->leaf, resident);
}

/* *alone: resident leaves do all. */
static clsolve_status open_resident(cls_panel *panel, int *alone) {
    cls_panel_kernels form;

    CLS_TRY(cls_panel_resident_setup(panel));
    const cls_sub_groups had = panel->device->sub_groups;
    *alone = *alone && panel->resident.rows >= panel->rows;
    if (!*alone) return CLSOLVE_OK;
    CLS_TRY(cls_panel_self_test(panel->device, panel->type, panel->leaf, 1, &form));
    if (panel->device->sub_groups != had) { /* this panel's kernels have them still */
        cls_panel_resident_drop(panel);
        CLS_TRY(cls_panel_resident_setup(panel));
        *alone = panel->resident.rows >= panel->rows;
        if (!*alone) return CLSOLVE_OK;
    }
    if (form == CLS_PANEL_KERNELS_RIGHT) return CLSOLVE_OK;
    cls_panel_resident_failed(panel);
    *alone = 0;
    return CLSOLVE_OK;
}

clsolve_status cls_panel_open(cls_panel *panel) {
    int alone = 0;

    if (panel->mapped) return CLSOLVE_OK;
    if (panel->device->announcing) return announce(panel);
    CLS_TRY(cls_panel_moves_build(panel));
    alone = steps_can_wait(panel);
    if (alone) CLS_TRY(open_resident(panel, &alone));
    if (alone) return CLSOLVE_OK;
    CLS_TRY(open_steps(panel));
    return panel->hybrid || panel->resident.rows > 0 ? CLSOLVE_OK : cls_panel_resident_setup(panel);
}

clsolve_status cls_panel_start(cls_panel *panel, cls_panel_repeat repeat) {
    const int resident = repeat == CLS_PANEL_REPEATABLE && panel->resident.rows >= panel->rows;

    if (!panel->steps.begin && !resident && !cls_panel_on_host(panel) && !panel->mapped) CLS_TRY(open_steps(panel));
    return cls_panel_begin(panel, repeat);
}
