/*
 * sub_groups.c: under which names the outcomes of panels' tests are kept. Kernels with sub-groups and without are other
 * programs, so an outcome of the ones says nothing of the others. On disk the outcomes have names of their own. In an
 * open device the names are the same, and outcomes are forgotten when sub-groups are found to be wrong.
 */
#include "method/panel/parts.h"

#include <stdio.h>

enum { LONGEST = 80 };

const char *cls_panel_test_fact(clsolve_type type, int resident) {
    static const char *const names[2][4] = {{"lu single", "lu double", "lu complex single", "lu complex double"},
                                            {"lu with resident leaves single", "lu with resident leaves double",
                                             "lu with resident leaves complex single",
                                             "lu with resident leaves complex double"}};
    return names[resident != 0][type - CLSOLVE_F32];
}

const char *cls_panel_resident_fact(clsolve_type type) {
    static const char *const names[] = {"lu resident single", "lu resident double", "lu resident complex single",
                                        "lu resident complex double"};
    return names[type - CLSOLVE_F32];
}

static const char *kept_name(const cls_device *device, const char *name, char text[LONGEST]) {
    if (device->sub_groups == CLS_SUB_GROUPS_NONE) return name;
    (void)snprintf(text, LONGEST, "%s by sub-groups", name);
    return text;
}

int cls_panel_recall(cls_device *device, const char *name) {
    char text[LONGEST];
    return device->ops->recall(device, kept_name(device, name, text));
}

void cls_panel_remember(cls_device *device, const char *name, int number) {
    char text[LONGEST];
    device->ops->remember(device, kept_name(device, name, text), number);
}

int cls_panel_recall_groups(cls_device *device, clsolve_type type) {
    char text[LONGEST];
    return cls_groups_recall(device, kept_name(device, cls_panel_resident_fact(type), text));
}

void cls_panel_remember_groups(cls_device *device, clsolve_type type, int found, int best) {
    char text[LONGEST];
    cls_groups_remember(device, kept_name(device, cls_panel_resident_fact(type), text), found, best);
}

void cls_panel_sub_groups_fail(cls_device *device) {
    cls_sub_groups_fail(device);
    for (int type = CLSOLVE_F32; type <= CLSOLVE_C64; type++) {
        const char *const names[] = {cls_panel_test_fact((clsolve_type)type, 0),
                                     cls_panel_test_fact((clsolve_type)type, 1),
                                     cls_panel_resident_fact((clsolve_type)type)};
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (cls_fact_get(device, names[k]) != 0) (void)cls_fact_set(device, names[k], 0); /* takes no memory */
    }
}
