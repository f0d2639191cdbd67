/*
 * bt_sweep.cl: half sweeps: the lines of one colour solved (bt_lines.clh has the recurrences, bt_layout.clh the
 * layout).
 *
 * Two ways. bt_sweep: a panel is one work-group's. Where panels are too few to fill the device and lines are longer
 * than a tile, each tile is a work-group's, in two launches (the partition method of H. H. Wang between groups):
 * bt_sweep_begin leaves for each tile what it makes of an unknown entering from the left, z, and from the right, y:
 *
 *     z leaving = P z + V        y leaving = P' y + V' + Q z
 *
 * and bt_sweep_end finds what does enter, by scans over the tiles, and solves. phi waits in Z between the two. Each
 * group of a line scans all of its tiles, so where these are many bt_sweep_join does it between the two, once a line.
 * Groups wait for each other nowhere.
 *
 * control[0] is not zero once the iteration is over: then nothing is done.
 *
 * Lines that are not coupled may be solved in one launch, those of both colours (BOTH). Their panels follow each other,
 * red before black, and z waits in Y itself, which nobody reads then. With EXAMINED each line whose solution holds NaN
 * or Inf is flagged as bt_members.cl says.
 *
 * KERNELS: which of them a program has: 1 bt_sweep, 2 bt_sweep_begin and bt_sweep_join, 4 bt_sweep_end, or a sum of
 * these. They compile in as long as the longest takes where several programs are compiled at once.
 */
#include "bt_lines.clh"

#ifndef KERNELS
#define KERNELS 7
#endif

#define BOTH     2  /* in the place of a colour */
#define EXAMINED 32 /* a bit of mode */

/*
 * Half a sweep: the lines of one colour. Group (g, r): panel first + g of right-hand side r. `only`, `omega`: see
 * solve_panel. C: the next level's solution, where mode says CORRECTED. flags: where it says EXAMINED.
 */
#define SWEEP_PARAMETERS                                                                                               \
    GLOBAL const ELEMENT *RESTRICT coef, idx_t coef_at, idx_t size, GLOBAL const ELEMENT *F, idx_t f_at,               \
        idx_t f_stride, GLOBAL ELEMENT *Y, idx_t y_at, idx_t y_stride, GLOBAL ELEMENT *RESTRICT Z, idx_t z_stride,     \
        GLOBAL const ELEMENT *C, idx_t c_at, idx_t c_stride, idx_t lines, idx_t panels, idx_t M, idx_t first,          \
        int colour, int mode, int only, REAL omega, GLOBAL int *flags, GLOBAL const idx_t *RESTRICT control

#define SWEEP_ARGUMENTS                                                                                                \
    coef + coef_at, size, F + f_at + r *f_stride, Y + y_at + r *y_stride, Z + r *z_stride, C + c_at + r *c_stride,     \
        lines, panels, M, colour, mode

HELPER void arrays_for_sweep(line_arrays *t, GLOBAL const ELEMENT *coef, idx_t size, GLOBAL const ELEMENT *F,
                             GLOBAL ELEMENT *Y, GLOBAL ELEMENT *Z, GLOBAL const ELEMENT *C, idx_t lines, idx_t panels,
                             idx_t M, int colour, int mode, idx_t panel) {
    const int both = colour == BOTH;
    if (both) {
        colour = panel >= panels;
        panel -= colour * panels;
    }
    find_arrays(t, coef, size, F, Y, Z, panels, M, colour, panel);
    if (both) t->z = t->y;
    if (mode & CORRECTED) correct_from(t, C, panel, panels, lines, M);
    if (mode & TRANSPOSED) transpose_factors(t);
    if (mode & FROM_ABOVE) t->f = F + above_at(panels, M * W, colour, panel) + LANE;
    if (mode & FROM_BELOW) t->f = F + below_at(panels, M * W, colour, panel) + LANE;
}

/* Rows begin .. end - 1 of the lines of panel `panel` of BOTH, which this work-item has written. */
HELPER void examine_rows(const line_arrays t, idx_t begin, idx_t end, idx_t panel, idx_t panels, idx_t lines,
                         GLOBAL int *flags) {
    EACH_LANE {
        const idx_t lane = LANE + v, line = 2 * (lane * panels + panel % panels) + panel / panels;
        ELEMENT off = ZERO; /* as long as all numbers are finite */
        for (idx_t k = begin; k < end; ++k) off += t.y[k * W + v] - t.y[k * W + v];
        if (!IS_ZERO_ELEMENT(off) && line < lines) {
            flags[1 + panel * W + lane] = 1;
            flags[0] = 1;
        }
    }
}

#if KERNELS & 1
KERNEL WORK_GROUP(LS, 1, 1) void bt_sweep(SWEEP_PARAMETERS) {
    SCAN_ARRAY(scan);
    const idx_t r = GROUP_ID(1), panel = first + GROUP_ID(0), each = P == 1 ? M : S;
    line_arrays t;
    arrays_for_sweep(&t, SWEEP_ARGUMENTS, panel);
    /* No return: every work-item comes to every barrier. */
    solve_panel(t, control[0] != 0 ? 0 : M, mode, only, omega, scan);
    if (mode & EXAMINED)
        for (idx_t k = PART * each; k < M; k += P * each)
            examine_rows(t, k, k + each < M ? k + each : M, panel, panels, lines, flags);
}
#endif

#if P > 1

#define TILE (P * S)
/* The five numbers of tile `tile` of line `lane`, panel g and right-hand side r; J_ names which. */
#define JOINT(tile, j) joints[(((r * groups + g) * tiles + (tile)) * 5 + (j)) * W + LANE]
#define J_P            0
#define J_V            1
#define J_PB           2
#define J_VB           3
#define J_Q            4

/* Group (g tiles + tile, r). */
#if KERNELS & 2
KERNEL WORK_GROUP(LS, 1, 1) void bt_sweep_begin(SWEEP_PARAMETERS, idx_t tiles, GLOBAL ELEMENT *RESTRICT joints) {
    LOCAL_ARRAY(ELEMENT, scan, 4 * LS);
    const idx_t r = GROUP_ID(1), g = GROUP_ID(0) / tiles, tile = GROUP_ID(0) % tiles, groups = GROUPS(0) / tiles;
    const idx_t k = tile * TILE + PART * S;
    line_arrays t;
    arrays_for_sweep(&t, SWEEP_ARGUMENTS, first + g);
    ELEMENT z[S], h[S], carry = ZERO;
    segment before, total, back;
    if (control[0] != 0) M = 0; /* the work-items go on to every barrier, for nothing */
    tile_right_side(t, k, M, mode, z);
    for (int j = 0; j < S; ++j)
        if (k + j < M) t.z[(k + j) * W] = z[j];
    ELEMENT grown = forward_tile(t, k, M, &carry, z, scan);
    HELD(factor);
    backward_segments(t, k, M, z, &before, &back, scan FACTOR_ARGUMENT);
    /* The result of a 1 that enters from the left. */
    for (int j = 0; j < S; ++j) h[j] = MULTIPLY_BY(grown, k + j < M ? -t.l[(k + j) * W] : ONE);
    backward_segments(t, k, M, h, &before, &total, scan FACTOR_ARGUMENT);
    if (M > 0) {
        if (PART == P - 1) JOINT(tile, J_P) = grown;
        if (PART == 0) {
            JOINT(tile, J_V) = carry;
            JOINT(tile, J_PB) = back.product;
            JOINT(tile, J_VB) = back.value;
            JOINT(tile, J_Q) = total.value;
        }
    }
    (void)only;
    (void)omega;
    (void)flags;
}
#endif

#if KERNELS & 4
/* Work-item (lane, part) takes the tiles part * share .. of its line, in both directions; what enters tile `tile` of
 * each line goes to enters[lane] (z) and enters[W + lane] (y). */
HELPER void find_entering(GLOBAL const ELEMENT *joints, idx_t r, idx_t g, idx_t groups, idx_t tile, idx_t tiles,
                          LOCAL_PTR ELEMENT *scan, LOCAL_PTR ELEMENT *enters) {
    const idx_t share = (tiles + P - 1) / P, begin = PART * share;
    const idx_t end = begin + share < tiles ? begin + share : tiles;
    segment own = {ONE, ZERO}, before, total, back = {ONE, ZERO}, behind = {ONE, ZERO};
    for (idx_t j = begin; j < end; ++j) {
        own.value = TIMES(JOINT(j, J_P), own.value) + JOINT(j, J_V);
        MULTIPLY_BY(own.product, JOINT(j, J_P));
    }
    scan_parts(own, &before, &total, 0, scan);
    ELEMENT z = before.value;
    /* `behind`: only the tiles that follow `tile`. */
    for (idx_t j = begin; j < end; ++j) {
        const ELEMENT value = JOINT(j, J_VB) + TIMES(JOINT(j, J_Q), z);
        if (j == tile) enters[LANE] = z;
        back.value += TIMES(back.product, value);
        MULTIPLY_BY(back.product, JOINT(j, J_PB));
        if (j > tile) {
            behind.value += TIMES(behind.product, value);
            MULTIPLY_BY(behind.product, JOINT(j, J_PB));
        }
        z = TIMES(JOINT(j, J_P), z) + JOINT(j, J_V);
    }
    scan_parts(back, &before, &total, 1, scan);
    if (tile >= begin && tile < end) enters[W + LANE] = through(behind, before.value);
    BARRIER();
}
#endif

/*
 * Group (g, r): panel g. The numbers that enter tile j of each line take the place of J_V (z) and J_VB (y). Work-item
 * (lane, part) takes the tiles part * share ...
 */
#if KERNELS & 2
KERNEL WORK_GROUP(LS, 1, 1) void bt_sweep_join(GLOBAL ELEMENT *joints, idx_t tiles,
                                               GLOBAL const idx_t *RESTRICT control) {
    LOCAL_ARRAY(ELEMENT, scan, 4 * LS);
    const idx_t r = GROUP_ID(1), g = GROUP_ID(0), groups = GROUPS(0);
    const idx_t share = (tiles + P - 1) / P, begin = PART * share;
    const idx_t stop = begin + share < tiles ? begin + share : tiles, end = control[0] != 0 ? begin : stop;
    segment own = {ONE, ZERO}, before, total, back = {ONE, ZERO};
    for (idx_t j = begin; j < end; ++j) {
        own.value = TIMES(JOINT(j, J_P), own.value) + JOINT(j, J_V);
        MULTIPLY_BY(own.product, JOINT(j, J_P));
    }
    scan_parts(own, &before, &total, 0, scan);
    ELEMENT z = before.value;
    for (idx_t j = begin; j < end; ++j) {
        const ELEMENT enters = z, value = JOINT(j, J_VB) + TIMES(JOINT(j, J_Q), z);
        z = TIMES(JOINT(j, J_P), z) + JOINT(j, J_V);
        JOINT(j, J_V) = enters;
        JOINT(j, J_Q) = value;
        back.value += TIMES(back.product, value);
        MULTIPLY_BY(back.product, JOINT(j, J_PB));
    }
    scan_parts(back, &before, &total, 1, scan);
    ELEMENT y = before.value;
    for (idx_t j = end - 1; j >= begin; --j) {
        const ELEMENT enters = y;
        y = JOINT(j, J_Q) + TIMES(JOINT(j, J_PB), y);
        JOINT(j, J_VB) = enters;
    }
}
#endif

/* The same groups as of bt_sweep_begin. `joined`: bt_sweep_join has been there. */
#if KERNELS & 4
KERNEL WORK_GROUP(LS, 1, 1) void bt_sweep_end(SWEEP_PARAMETERS, idx_t tiles, GLOBAL const ELEMENT *RESTRICT joints,
                                              int joined) {
    LOCAL_ARRAY(ELEMENT, scan, 4 * LS);
    LOCAL_ARRAY(ELEMENT, enters, 2 * W);
    const idx_t r = GROUP_ID(1), g = GROUP_ID(0) / tiles, tile = GROUP_ID(0) % tiles, groups = GROUPS(0) / tiles;
    const idx_t k = tile * TILE + PART * S;
    line_arrays t;
    arrays_for_sweep(&t, SWEEP_ARGUMENTS, first + g);
    ELEMENT z[S];
    if (control[0] != 0) M = 0;
    if (!joined) find_entering(joints, r, g, groups, tile, tiles, scan, enters);
    ELEMENT left = joined ? JOINT(tile, J_V) : enters[LANE], right = joined ? JOINT(tile, J_VB) : enters[W + LANE];
    t.f = t.z;
    tile_right_side(t, k, M, FRESH, z);
    (void)forward_tile(t, k, M, &left, z, scan);
    backward_tile(t, k, M, only, omega, &right, z, scan);
    if (mode & EXAMINED) examine_rows(t, k, k + S < M ? k + S : M, first + g, panels, lines, flags);
}
#endif

#endif
