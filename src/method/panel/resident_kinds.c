/* resident_kinds.c: sizes and options of the two kernels of resident_kinds.h. */
#include "method/panel/resident_kinds.h"

#include <stdio.h>
#include <string.h>

/* By lanes: cl/lu_resident.cl, in NVIDIA's words. */
enum { WAVES = 8, LANES = 32, LEAST_COLUMNS = 4, MOST_ROWS = 8, MOST_PLACES = 64, FEW_ROWS = 4096 };

/* Registers of an element, in doubles. */
static int64_t places_of(clsolve_type type) {
    return type == CLSOLVE_C64 ? 2 : 1;
}

static int64_t lanes_widest(clsolve_type type) {
    (void)type;
    return 128;
}

static int64_t lanes_height(const cls_device *device, clsolve_type type, int64_t width) {
    const int64_t columns = width > 64 ? 128 / WAVES : 64 / WAVES; /* of a wave; narrower ones have no more rows */
    (void)device;
    return LANES *
           (MOST_PLACES / places_of(type) / columns < MOST_ROWS ? MOST_PLACES / places_of(type) / columns : MOST_ROWS);
}

/* All that groups hold; of complex doubles half of it, because twice the groups would leave the trailing update none of
 * the device. */
static int64_t lanes_wide_rows(const cls_device *device, clsolve_type type, int64_t most_groups) {
    return type == CLSOLVE_C64 ? FEW_ROWS : most_groups * lanes_height(device, type, lanes_widest(type));
}

/*
 * A step is short with few rows a work-item, and with few groups, whose candidates the deciding wave reads at once.
 * Up to two rows, few groups count for more. Beyond, groups of half the device leave the other half to the trailing
 * update.
 */
static cls_leaf_form lanes_form(const cls_panel *panel, int64_t most_groups, int64_t m) {
    const int64_t most_rows = lanes_height(panel->device, panel->type, panel->leaf) / LANES;
    cls_leaf_form f = {0, 0, (m + LANES - 1) / LANES};
    while (1 << f.rows < most_rows &&
           (f.groups > most_groups || (f.rows < 1 && f.groups > LANES) || (f.rows < 2 && f.groups > 2 * LANES))) {
        f.rows++;
        f.groups = (f.groups + 1) / 2;
    }
    f.batches = f.rows > 1 || f.groups > 2 * LANES ? 2 : f.groups > LANES;
    return f;
}

static int64_t lanes_width(int64_t leaf) {
    int64_t columns = 128 / WAVES;
    while (columns > LEAST_COLUMNS && columns / 2 * WAVES >= leaf) columns /= 2;
    return columns * WAVES;
}

static void lanes_options(const cls_panel *panel, cls_leaf_form f, char *text, size_t size) {
    (void)snprintf(text, size, "%s -DCLS_UNIT=%d -DWAVES=%d -DROWS=%d -DCOLUMNS=%d -DBATCHES=%d",
                   cls_type_option(panel->type), panel->device->matrix_unit, (int)WAVES, 1 << f.rows,
                   (int)(lanes_width(panel->leaf) / WAVES), 1 << f.batches);
}

const cls_leaf_kind cls_leaf_by_lanes = {"lu_resident",
                                         "lu_leaf_resident",
                                         (WAVES + 1) * LANES,
                                         128,
                                         LANES,
                                         lanes_widest,
                                         lanes_height,
                                         lanes_wide_rows,
                                         lanes_form,
                                         lanes_width,
                                         lanes_options,
                                         3,
                                         0,
                                         3};

/* By barriers: cl/lu_together.cl, in OpenCL C 1.2. */
enum { ITEMS = 256, LEAST_HEIGHT = 64, MOST_HEIGHT = 256, FEW_GROUPS = 64, WIDE = 64, NARROW = 32 };

/* A CPU that is treated as a GPU is to compile soon: one kernel. Intel's compiler keeps taller ones in
 * memory (tests/vendors/README.md). */
static int64_t barriers_height(const cls_device *device, clsolve_type type, int64_t width) {
    (void)type, (void)width;
    if (device->rolled) return LEAST_HEIGHT;
    return strstr(device->info.vendor, "Intel") ? MOST_HEIGHT / 2 : MOST_HEIGHT;
}

static int64_t barriers_widest(clsolve_type type) {
    return type == CLSOLVE_C64 ? NARROW : WIDE;
}

static int64_t barriers_wide_rows(const cls_device *device, clsolve_type type, int64_t most_groups) {
    return most_groups * barriers_height(device, type, barriers_widest(type));
}

/* Few groups leave the rest of the device to the trailing update. */
static cls_leaf_form barriers_form(const cls_panel *panel, int64_t most_groups, int64_t m) {
    const int64_t most = barriers_height(panel->device, panel->type, panel->leaf);
    cls_leaf_form f = {0, 0, (m + LEAST_HEIGHT - 1) / LEAST_HEIGHT};
    while (LEAST_HEIGHT << f.rows < most && (f.groups > most_groups || f.groups > FEW_GROUPS)) {
        f.rows++;
        f.groups = (f.groups + 1) / 2;
    }
    return f;
}

static int64_t barriers_width(int64_t leaf) {
    return leaf > NARROW ? WIDE : NARROW;
}

/* Whether its leaves do nothing of what the leaf before has left. */
static int alone(const cls_device *device) {
    return strstr(device->info.vendor, "Intel") != NULL;
}

static void barriers_options(const cls_panel *panel, cls_leaf_form f, char *text, size_t size) {
    const int rows = LEAST_HEIGHT << f.rows;
    /* By the compilers' figures: AMD's would keep much of it in memory, and Intel's does so in any form. */
    const char *step0 = strstr(panel->device->info.vendor, "NVIDIA") ? " -DROOMY"
                        : alone(panel->device)                       ? " -DALONE"
                                                                     : "";
    (void)snprintf(text, size, "%s%s%s -DROWS=%d -DSETS=%d -DWIDTH=%d%s", cls_type_option(panel->type),
                   panel->device->whole_words ? " -DCLS_WHOLE_WORDS" : "", cls_sub_groups_option(panel->device), rows,
                   ITEMS / rows, (int)barriers_width(panel->leaf), step0);
}

const cls_leaf_kind cls_leaf_by_barriers = {"lu_together",
                                            "lu_leaf_together",
                                            ITEMS,
                                            256,
                                            LEAST_HEIGHT,
                                            barriers_widest,
                                            barriers_height,
                                            barriers_wide_rows,
                                            barriers_form,
                                            barriers_width,
                                            barriers_options,
                                            2,
                                            1,
                                            0};

int cls_leaf_updates(const cls_device *device, const cls_leaf_kind *kind) {
    return kind->updates && !alone(device);
}
