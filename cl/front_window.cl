/*
 * front_window.cl: L D L^T of the PIVOT of each front, window after window of W columns. As front_panel.cl, a launch
 * does two things at once: what the pivots of the window before do to the other columns, by strips of W columns
 * (front_strip.clh), and the steps of the next window (front_pair.clh), whose rows are in registers then. Strips left
 * of the window before have their rows exchanged.
 *
 *               before  k  reach              before, reach: the window before. Its columns before .. k - 1 have become
 *                  |    |    |                pivots; k .. reach - 1 have been put off, with the pivots applied.
 *      +-----------+----+----+--------+
 *      |  left     | L  |    |        |       The next window has columns k .. k + W - 1, or those that are left.
 *      |  rows are |    +----+--------+
 *      |  exchanged|    | next window |...    Strips on its right have their rows from the diagonal on.
 *      +-----------+----+----+--------+
 *
 * A window that is not the last makes NEED pivots at least, so `launches` of them are enough: see device_factor.c.
 * starts[4 s + t % 3] is where window t of front s begins; WINDOW and PAIR as in front.clh. order[first + i] is the
 * row, counted from the front's first, that is i-th now; replaced[s] as in front_panel.cl.
 *
 * Launches with t = 0, 1, 2, ... Work-groups: LS work-items, for fronts of up to LS * PER rows. Dimension 0 over
 * strips, the window first, then those right of it, then those left; dimension 1 over fronts. Access: neighbours on
 * neighbouring rows. Local memory: as front_pair.clh, and W * (W + 2) ELEMENTs.
 */
#ifndef LS
#define LS 64
#endif
#ifndef W
#define W 32
#endif
#ifndef LDL
#define LDL 2
#endif

#include "front.clh"
#include "front_step.clh"
#include "front_strip.clh"

#define NEED            (W - W / 4)
#define STRIPS(columns) ((columns) > 0 ? ((columns) + W - 1) / W : 0)
#define START(t)        starts[4 * s + (t) % 3]

/* Each row has been turned by the number of its pivots, c. */
#define STORE_WINDOW                                                                                                   \
    EACH_ROW {                                                                                                         \
        UNROLL                                                                                                         \
        for (int j = 0; j < W; ++j) {                                                                                  \
            const int column = j < W - made.c ? made.c + j : j - (W - made.c);                                         \
            if (place[R] >= 0 && column < w) pivot[k + place[R] + (k + column) * ld] = y[R][j];                        \
        }                                                                                                              \
        if (place[R] >= 0 && (place[R] < w || t == 0)) {                                                               \
            order[k + place[R]] = row[R];                                                                              \
            WINDOW(k + was[R], t % 2) = k + place[R];                                                                  \
        }                                                                                                              \
    }                                                                                                                  \
    if (lid == 0) {                                                                                                    \
        START(t + 1) = k + made.c;                                                                                     \
        TELL_PIVOTS                                                                                                    \
    }

KERNEL WORK_GROUP(LS, 1, 1) void front_window(GLOBAL const idx_t *RESTRICT fronts, GLOBAL const int *RESTRICT list,
                                              idx_t from, int t, GLOBAL ELEMENT *arena, GLOBAL int *starts,
                                              GLOBAL int *orders, REAL tiny, REAL zero,
                                              GLOBAL int *replaced FACTORS_D) {
    STEP_ARRAYS;
    LOCAL_ARRAY(ELEMENT, room, W * STRIP_PITCH);
    const idx_t s = list[from + GROUP_ID(1)], ld = FRONT(s, F_LD), first = FRONT(s, F_FIRST);
    const int f = (int)FRONT(s, F_PIVOTS), lid = (int)LOCAL_ID(0), group = (int)GROUP_ID(0);
    const int k = t > 0 ? START(t) : 0, before = t > 1 ? START(t - 1) : 0;
    const int reach = t == 0 ? 0 : before + W < f ? before + W : f, rows = f - before;
    const int right = t > 0 ? STRIPS(f - k - W) : 0, is_left = group > right;
    const int column = is_left ? (group - right - 1) * W : k + group * W;
    const int end = is_left ? before : f, w = group > 0 || k >= f ? 0 : f - k < W ? f - k : W;
    GLOBAL ELEMENT *const pivot = arena + FRONT(s, F_PIVOT);
    GLOBAL int *const order = orders + first;
    ELEMENT y[PER][W];
    int place[PER], was[PER], row[PER];
    outcome of = no_outcome();
    panel_view panel;
    window made;
    if (group == 0 && lid == 0 && k >= f) START(t + 1) = f;
    if (rows <= 0 || column >= end) return;
    blocks += first * OF_BLOCK;
    pivots += first * OF_POSITION;
    panel.t = pivot + before + before * ld;
    panel.down = 1;
    panel.across = ld;
    panel.unit = 1;
    panel.w = is_left ? 0 : k - before;
    EACH_ROW {
        const int i = lid + R * LS, is_upper = group > 0 && !is_left && before + i < column;
        place[R] = i < rows && !is_upper ? i : -1;
        row[R] = before + i;
        if (w > 0 && t > 0 && i < rows) row[R] = order[before + i];
        UNROLL
        for (int j = 0; j < W; ++j) {
            const int mirrored = w > 0 && before + i < column + j && before + i >= column;
            ELEMENT value = ZERO;
            if (i < rows && column + j < end)
                value = mirrored ? CONJUGATE_IF(conjugating(), pivot[column + j + (before + i) * ld])
                                 : pivot[before + i + (column + j) * ld];
            y[R][j] = value;
        }
    }
    /* D L^T of the strip's columns, but for those that have the pivots applied. */
    for (int e = lid; e < W * W; e += LS) {
        const int j = e % W, c = e / W;
        ELEMENT value = ZERO;
        if (c < panel.w && column + j < f && column + j >= reach) {
            GLOBAL const ELEMENT *const l = panel.t + (column - before + j);
            GLOBAL const ELEMENT *const d = blocks + (before + c) * OF_BLOCK;
            const int pair = PAIR(before + c);
            value = TIMES(d[0], CONJUGATE_IF(conjugating(), l[c * ld]));
            if (pair != 0) ADD_PRODUCT(value, d[1], CONJUGATE_IF(conjugating(), l[(c + pair) * ld]));
        }
        room[c * STRIP_PITCH + j] = value;
    }
    if (is_left) {
        EACH_ROW if (place[R] >= 0 && place[R] < reach - before) place[R] =
            WINDOW(before + place[R], (t + 1) % 2) - before;
    }
    BARRIER(); /* others write what has been read */
    EACH_ROW {
        was[R] = place[R]; /* rows that have been put off have the pivots applied */
        if (place[R] < reach - before) place[R] = -1;
    }
    subtract_panel(y, place, 0, room, panel);
    EACH_ROW {
        const int i = was[R], behind = i - (k - before), moved = i != lid + R * LS;
        const int stores = i >= 0 && (is_left ? moved : group > 0);
        UNROLL
        for (int j = 0; j < W; ++j)
            if (stores && column + j < end) pivot[before + i + (column + j) * ld] = y[R][j];
        place[R] = behind < 0 ? -1 : behind;
        was[R] = place[R];
    }
    made.c = made.forced = 0;
    made.open = made.w = w;
    made.target = k + w == f ? w : NEED;
    made.whole = FRONT(s, F_BORDER) == 0 && k + w == f;
    for (int goes_on = w > 0; goes_on;) {
        goes_on = eliminate(y, place, &made, STEP_ROOM, blocks + k * OF_BLOCK, pivots + k * OF_POSITION, &of);
#ifdef CLS_ROLLED /* see front_panel.cl */
        if (!goes_on) {
            STORE_WINDOW
        }
#endif
    }
#ifndef CLS_ROLLED
    if (w > 0) {
        STORE_WINDOW
    }
#endif
}
