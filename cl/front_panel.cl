/*
 * front_panel.cl: panel after panel of the PIVOT of each front, W columns each. A launch does two things at once: what
 * the panel of columns k - W .. k - 1 does to the others, by strips of W columns (front_strip.clh), and in the strip
 * right of it, columns k .. k + W - 1, the steps of the next panel (front_step.clh), whose rows are in registers then.
 * Strips left of the panel have their rows exchanged (LU).
 *
 * All rows from k on are candidates for its pivots. ipiv[first + k + c] is the row, counted from the front's first,
 * with which row k + c was exchanged. replaced[s] counts replaced pivots, and has the bit VANISHED where one was as
 * good as zero. With EXACT it is the info of LAPACK's getrf (front_step.clh).
 *
 * With ALONE a block has one panel, and a launch makes it: there are no strips.
 *
 * Launches with k = begin, begin + W, ..., of LU until the last panel has been applied to those left of it. They touch
 * the columns begin .. end - 1 alone, and what is left of `begin` has been applied to these: a batch goes by blocks of
 * columns (direct_batch_block.cl), a front is one block. Work-groups: LS work-items, for fronts of up to LS * PER rows.
 * Dimension 0 over strips, that of the next panel first, then those right of it, then those left; dimension 1 over
 * fronts. Access: neighbours on neighbouring rows. Local memory: as front_step.clh and front_strip.clh, and W ints.
 */
#ifndef LS
#define LS 64
#endif
#ifndef W
#define W 32
#endif

#include "front.clh"
#include "front_step.clh"
#include "front_strip.clh"

#ifdef ALONE
#define MAY_APPLY 0
#else
#define MAY_APPLY 1
#endif
#define STRIPS(columns) ((columns) > 0 ? ((columns) + W - 1) / W : 0)

/* Each row has been turned w times. */
#define STORE_PANEL                                                                                                    \
    EACH_ROW {                                                                                                         \
        UNROLL                                                                                                         \
        for (int j = 0; j < W; ++j)                                                                                    \
            if (place[R] >= 0 && j >= W - w) pivot[k + place[R] + (k + j - (W - w)) * ld] = y[R][j];                   \
    }

KERNEL WORK_GROUP(LS, 1, 1) void front_panel(GLOBAL const idx_t *RESTRICT fronts, GLOBAL const int *RESTRICT list,
                                             idx_t from, int k, int begin, int end, GLOBAL ELEMENT *arena,
                                             GLOBAL int *ipiv, REAL tiny, REAL zero, GLOBAL int *replaced) {
    STEP_ARRAYS;
#ifndef ALONE
    LOCAL_ARRAY(ELEMENT, room, STRIP_ROOM);
#if !CHOLESKY
    LOCAL_ARRAY(int, with, W);
#endif
    panel_view panel;
#endif
    const idx_t s = list[from + GROUP_ID(1)], ld = FRONT(s, F_LD);
    const int f = (int)FRONT(s, F_PIVOTS), lid = (int)LOCAL_ID(0), group = (int)GROUP_ID(0);
    const int applies = MAY_APPLY && k > begin, most = f < end ? f : end;
    const int before = applies ? k - W : k, rows = f - before; /* of the panel that is applied, and below */
    const int right = applies ? STRIPS(most - k - W) : 0, is_left = group > right;
    const int column = is_left ? begin + (group - right - 1) * W : k + group * W;
    const int last = is_left ? before : most;
    GLOBAL ELEMENT *const pivot = arena + FRONT(s, F_PIVOT);
    GLOBAL int *const pivots = ipiv + FRONT(s, F_FIRST);
    const int candidates = f - k, w = group > 0 || candidates < 0 ? 0 : candidates < W ? candidates : W;
    ELEMENT y[PER][W];
    int place[PER];
    outcome of = no_outcome();
    if (rows <= 0 || column >= last) return;
    (void)tiny;
    (void)zero;
    (void)pivots;
#ifndef ALONE
    panel.t = pivot + before + before * ld;
    panel.down = 1;
    panel.across = ld;
    panel.unit = 1;
    panel.w = applies && !is_left ? W : 0;
#endif
    EACH_ROW {
        const int i = lid + R * LS;
        const int is_upper = one_sided() && before + i < column;
        place[R] = i < rows && !is_upper ? i : -1;
        UNROLL
        for (int j = 0; j < W; ++j)
            y[R][j] = i < rows && column + j < last ? pivot[before + i + (column + j) * ld] : ZERO;
    }
#ifndef ALONE
#if CHOLESKY
    for (int e = lid; e < W * W; e += LS) {
        const int j = e % W, c = e / W;
        ELEMENT value = ZERO;
        if (panel.w > 0 && column + j < f) value = CONJUGATE_IF(1, panel.t[column - before + j + c * ld]);
        room[c * STRIP_PITCH + j] = value;
    }
    LOCAL_BARRIER();
    subtract_panel(y, place, 0, room, panel);
#else
    const int exchanges = !applies ? 0 : W < rows ? W : rows;
    if (lid < exchanges) with[lid] = pivots[before + lid] - before;
    LOCAL_BARRIER();
    EACH_ROW if (place[R] >= 0) place[R] = after_exchanges(place[R], with, exchanges);
    apply_panel(y, place, 0, room, panel, lid);
#endif
    EACH_ROW {
        const int i = place[R], behind = i - (k - before), moved = i != lid + R * LS;
        const int stores = i >= 0 && (is_left ? moved : group > 0 || behind < 0);
        UNROLL
        for (int j = 0; j < W; ++j)
            if (stores && column + j < last) pivot[before + i + (column + j) * ld] = y[R][j];
        place[R] = behind < 0 ? -1 : behind;
    }
#endif
    for (int c = 0; c < w; ++c) {
#if CHOLESKY
        eliminate(y, place, c, STEP_ROOM, &of);
#else
        const int at = eliminate(y, place, c, STEP_ROOM, &of);
        if (lid == 0) pivots[k + c] = k + at;
#endif
#ifdef CLS_ROLLED /* behind the loop PoCL's compiler loses work-items without optimization */
        if (c == w - 1) STORE_PANEL
#endif
    }
#ifndef CLS_ROLLED /* within it, compilers for GPUs want more registers than there are */
    STORE_PANEL
#endif
    tell(replaced + s, of, k, lid);
}
