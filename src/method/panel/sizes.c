/* sizes.c: how many columns leaves and blocks have. docs/performance.md has the measurements. */
#include "method/panel/parts.h"

/* How many leaves of at most `leaf` columns a block has. */
static int64_t leaves_of(int64_t block, int64_t leaf) {
    return (block + leaf - 1) / leaf;
}

/* Block: wide enough for the trailing product to run at full rate. In the host's memory LAPACK's panel could be the
 * whole matrix; blocks end it for reports of progress and for slabs. */
static int64_t block_for(const cls_device *device, int64_t n, int hybrid) {
    if (device->info.host_memory) return !hybrid ? 128 : n <= 4096 ? (n + 15) / 16 * 16 : 1024;
    return n > 16384 ? 1024 : n >= 12288 ? 768 : n >= 6144 ? 512 : n >= 2048 ? 384 : 128;
}

/* The widest leaf of a launch a column. */
static int64_t leaf_by_steps(const cls_device *device) {
    return device->info.host_memory ? 16 : 32;
}

/*
 * Leaf. A GPU pays a launch a column whatever the leaf's width, so a wider leaf leaves less to the small matrix
 * products; leaves of one launch (resident.c) are the widest. A CPU is faster with narrow leaves and more matrix
 * products.
 */
cls_panel_sizes cls_panel_sizes_of(const cls_device *device, clsolve_type type, int64_t n, int hybrid, int wide,
                                   int64_t block) {
    cls_panel_sizes s;
    int64_t widest = wide && !hybrid && !device->info.host_memory ? cls_panel_resident_width(device, type, n) : 0;

    s.leaf = widest > 0 ? widest : leaf_by_steps(device);
    s.block = block > 0 ? block : block_for(device, n, hybrid);
    if (widest > 0 && s.block > 0)
        s.leaf = s.block / leaves_of(s.block, widest); /* as few leaves as can be, all alike */
    if (s.block < s.leaf) s.leaf = s.block > 0 ? s.block : 1;
    s.block -= s.block % s.leaf;
    if (s.block < 1) s.block = 1;
    return s;
}

int64_t cls_panel_leaf_of(const cls_device *device, clsolve_type type, int64_t rows, int64_t width, int hybrid) {
    int64_t widest = hybrid ? 0 : cls_panel_resident_width(device, type, rows);
    int64_t leaf = widest > 0 ? leaves_of(width, leaves_of(width, widest)) /* all about as wide */
                              : leaf_by_steps(device);
    return leaf < width ? leaf : width;
}

/* Short columns give no product that is long enough to hide a panel. Without queues of different priority a panel of
 * many launches waits for the product at each launch. */
int cls_panel_worth_ahead(const cls_panel *panel, int64_t n) {
    int few_launches = panel->leaf > 32 && cls_panel_resident_width(panel->device, panel->type, n) > 0;
    return !panel->hybrid && (panel->device->beside || few_launches) && n >= 2048;
}

int64_t cls_panel_strip(const cls_panel *panel, int64_t rows) {
    enum { STRIP = 128, WIDE = 256, LARGE = 16384 }; /* beyond LARGE rows products count for more than panels */
    const int64_t wanted = rows > LARGE ? WIDE : STRIP;
    return panel->leaf < wanted ? wanted / panel->leaf * panel->leaf : panel->leaf;
}
