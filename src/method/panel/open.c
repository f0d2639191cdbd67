/* open.c: a panel's kernels, of which the self-test says that they are right on this device. */
#include "method/panel/parts.h"

static clsolve_status refuse(const cls_panel *panel) {
    const cls_device *device = panel->device;
    return cls_fail(device->error, CLSOLVE_ERROR_UNSUPPORTED,
                    "the kernels of LU in %s give wrong results on %s with driver %s, a fault of its compiler as a "
                    "rule: use another device or driver",
                    panel->type == CLSOLVE_F64 ? "double" : "single", device->info.name, device->info.driver);
}

static clsolve_status announce(cls_panel *panel) {
    CLS_TRY(cls_panel_build(panel));
    CLS_TRY(cls_panel_self_test_announce(panel->device, panel->type, panel->leaf));
    return panel->hybrid ? CLSOLVE_OK : cls_panel_resident_announce(panel);
}

clsolve_status cls_panel_open(cls_panel *panel) {
    cls_panel_kernels form;

    if (panel->mapped) return CLSOLVE_OK;
    if (panel->device->announcing) return announce(panel);
    CLS_TRY(cls_panel_build(panel));
    CLS_TRY(cls_panel_self_test(panel->device, panel->type, panel->leaf, &form));
    if (form == CLS_PANEL_KERNELS_WRONG) return refuse(panel);
    if (form == CLS_PANEL_KERNELS_NO_WHOLE) panel->steps.whole_rows = 0;
    return panel->hybrid ? CLSOLVE_OK : cls_panel_resident_setup(panel);
}
