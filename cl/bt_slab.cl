/*
 * bt_slab.cl: lines from a vector of one grid to a vector of another, whose lines are other ones.
 *
 *     line t0 + i ts of `to` = line f0 + i fs of `from`,  i = 0 .. count - 1;     with `add` that is added to it,
 *                                                                                 with `conjugated` its conjugate
 *
 * Restriction takes every second line, prolongation adds to every second line, and a slab's lines have numbers of their
 * own on each level, so no formula for the coarse line under a lane suffices.
 *
 * Layout: bt_layout.clh. Work-groups: LS work-items, 1 on a CPU, no local memory. Group (g, h): panel g of both colours
 * of `to`, the h-th piece of ROWS_EACH rows, and so on. Neighbours write neighbouring words; they read from panels
 * apart.
 */
#include "bt_layout.clh"

#ifndef LS
#define LS 64
#endif

#define ROWS_EACH 256

KERNEL WORK_GROUP(LS, 1, 1) void bt_move_lines(GLOBAL const ELEMENT *from, idx_t from_at, idx_t from_panels, idx_t f0,
                                               idx_t fs, GLOBAL ELEMENT *to, idx_t to_at, idx_t to_panels, idx_t t0,
                                               idx_t ts, idx_t count, idx_t M, int add, int conjugated) {
    const idx_t rows = M * W, panel = GROUP_ID(0) % to_panels, colour = GROUP_ID(0) / to_panels;
    (void)conjugated; /* real elements are their conjugates */
    const idx_t at_panel = to_at + colour_at(to_panels, rows, (int)colour) + panel * rows;
    for (idx_t h = GROUP_ID(1) * ROWS_EACH; h < M; h += GROUPS(1) * ROWS_EACH) {
        const idx_t points = W * (M - h < ROWS_EACH ? M - h : ROWS_EACH);
        for (idx_t x = LOCAL_ID(0); x < points; x += LS) {
            const idx_t lane = x % W, o = (h + x / W) * W;
            const idx_t past = 2 * (lane * to_panels + panel) + colour - t0, i = past / ts;
            if (past < 0 || past % ts != 0 || i >= count) continue;
            const ELEMENT found = from[from_at + line_at(f0 + i * fs, from_panels, rows) + o];
            const ELEMENT value = CONJUGATE_IF(conjugated, found);
            GLOBAL ELEMENT *place = to + at_panel + o + lane;
            *place = add ? *place + value : value;
        }
    }
}
