/*
 * bt_cycle.cl: residuals, the way from a level to the next coarser one, and the levels that one work-group does alone.
 * Layout and work-groups are those of bt_lines.clh. Local memory: LS words, bt_coarse 4 * LS. KERNELS, as in
 * bt_sweep.cl: 1 bt_residual, 2 bt_coarse, 4 bt_restrict.
 */
#include "bt_dot.clh"
#include "bt_lines.clh"

#ifndef KERNELS
#define KERNELS 7
#endif

/* A y at row k. */
#define ROW_PRODUCT(t, o, k, M)                                                                                        \
    (TIMES((t).up[o], (t).above[o]) + TIMES((t).down[o], (t).below[o]) + TIMES((t).c[o], (t).y[o]) +                   \
     ((k) > 0 ? TIMES((t).a[o], (t).y[(o)-W]) : ZERO) + ((k) + 1 < (M) ? TIMES((t).b[o], (t).y[(o) + W]) : ZERO))

/* The rows of a panel that this work-item takes: neighbours on neighbouring words. */
#define ROWS(k, begin, end) for (idx_t k = (begin) + PART; k < (end); k += P)

/* Group (g, r): right-hand side r, rows begin .. end - 1 of a panel, no rows once the iteration is over. */
#define PIECE                                                                                                          \
    const idx_t r = GROUP_ID(1), g = GROUP_ID(0), panel = g / splits, share = (M + splits - 1) / splits;               \
    const idx_t begin = g % splits * share, stop = begin + share < M ? begin + share : M;                              \
    const idx_t end = control[0] != 0 ? begin : stop

#if KERNELS & 5

/* The sum of every work-item's value; the answer is work-item 0's. */
HELPER ELEMENT sum_of_items(ELEMENT value, LOCAL_PTR ELEMENT *scratch) {
    const idx_t lid = LOCAL_ID(0);
    scratch[lid] = value;
    BARRIER();
    for (int step = LS / 2; step > 0; step /= 2) {
        if (lid < step) scratch[lid] += scratch[lid + step];
        BARRIER();
    }
    return scratch[0];
}

#endif

#if KERNELS & 1

/*
 * R = F - A Y on the panels of both colours, and the sum of its squares, a partial sum a group; R may be no more than a
 * place for nothing (store 0). With `product` R = A Y, and the sum is that of Y . A Y. Group (g, r): panel g / splits,
 * the g % splits-th part of its rows.
 */
KERNEL WORK_GROUP(LS, 1, 1) void bt_residual(GLOBAL const ELEMENT *RESTRICT coef, idx_t coef_at, idx_t size,
                                             GLOBAL const ELEMENT *F, idx_t f_at, idx_t f_stride, GLOBAL ELEMENT *Y,
                                             idx_t y_at, idx_t y_stride, GLOBAL ELEMENT *R, idx_t r_stride,
                                             idx_t panels, idx_t M, idx_t splits, int store, int product,
                                             GLOBAL ELEMENT *RESTRICT partial,
                                             GLOBAL const idx_t *RESTRICT control CONJUGATED) {
    LOCAL_ARRAY(ELEMENT, scratch, LS);
    PIECE;
    ELEMENT sum[V];
    EACH_LANE sum[v] = ZERO;
    const int own = (int)(panel / panels);
    line_arrays t;
    find_arrays(&t, coef + coef_at, size, F + f_at + r * f_stride, Y + y_at + r * y_stride, R, panels, M, own,
                panel % panels);
    GLOBAL ELEMENT *out = R + r * r_stride + colour_at(panels, M * W, own) + panel % panels * M * W + LANE;
    ROWS(k, begin, end) {
        const idx_t o = k * W;
        ELEMENT x[V];
        EACH_LANE x[v] = ROW_PRODUCT(t, o + v, k, M);
        if (product) {
            EACH_LANE sum[v] += TIMES(x[v], CONJUGATE_IF(conjugated, t.y[o + v]));
        } else {
            EACH_LANE x[v] = t.f[o + v] - x[v];
            EACH_LANE sum[v] += FROM_REAL(SQUARE(x[v]));
        }
        if (store) EACH_LANE out[o + v] = x[v];
    }
    for (int v = 1; v < V; ++v) sum[0] += sum[v];
    const ELEMENT total = sum_of_items(sum[0], scratch);
    if (LOCAL_ID(0) == 0) partial[r * GROUPS(0) + g] = total;
}
#endif

/* ---- between levels ---- */

/*
 * The coarse right-hand side is the residual on black lines: that of the red ones, swept last, is zero. `first`: black
 * lines were solved from zero and the red ones once after them: then all that is left on black is what the red lines
 * have come to couple to it.
 */
HELPER ELEMENT restrict_panel(const line_arrays t, GLOBAL ELEMENT *coarse_f, idx_t panel, idx_t panels, idx_t lines,
                              idx_t M, int first, idx_t begin, idx_t end) {
    ELEMENT sum = ZERO;
    idx_t to[V];
    EACH_LANE to[v] = coarse_at(panel, LANE + v, panels, lines, M * W);
    ROWS(k, begin, end) {
        const idx_t o = k * W;
        ELEMENT x[V];
        if (first) {
            EACH_LANE x[v] = -(TIMES(t.up[o + v], t.above[o + v]) + TIMES(t.down[o + v], t.below[o + v]));
        } else {
            EACH_LANE x[v] = t.f[o + v] - ROW_PRODUCT(t, o + v, k, M);
        }
        EACH_LANE sum += FROM_REAL(SQUARE(x[v]));
        EACH_LANE if (to[v] >= 0) coarse_f[to[v] + o] = x[v];
    }
    return sum;
}

#if KERNELS & 4
KERNEL WORK_GROUP(LS, 1, 1) void bt_restrict(GLOBAL const ELEMENT *RESTRICT coef, idx_t coef_at, idx_t size,
                                             GLOBAL const ELEMENT *F, idx_t f_at, idx_t f_stride, GLOBAL ELEMENT *Y,
                                             idx_t y_at, idx_t y_stride, GLOBAL ELEMENT *C, idx_t c_at, idx_t c_stride,
                                             idx_t lines, idx_t panels, idx_t M, idx_t splits, int first,
                                             GLOBAL ELEMENT *RESTRICT partial, GLOBAL const idx_t *RESTRICT control) {
    LOCAL_ARRAY(ELEMENT, scratch, LS);
    PIECE;
    line_arrays t;
    find_arrays(&t, coef + coef_at, size, F + f_at + r * f_stride, Y + y_at + r * y_stride, C, panels, M, 1, panel);
    const ELEMENT sum = restrict_panel(t, C + c_at + r * c_stride, panel, panels, lines, M, first, begin, end);
    const ELEMENT total = sum_of_items(sum, scratch);
    if (LOCAL_ID(0) == 0) partial[r * GROUPS(0) + g] = total;
}
#endif

/*
 * The V-cycle from a level of `lines` lines down, all of it in one group a right-hand side: for levels with one panel a
 * colour (lines <= 2 W). The levels lie one behind the other in coef, F and Y. `fresh`: Y counts as zero.
 *
 * One loop over all half sweeps of the cycle: `before` times black, red on each level on the way down, red on the last
 * level, `after` times red, black on each level on the way up, the first red ones with the coarse correction. No
 * RESTRICT here: Oclgrind does not know what LLVM makes of it.
 */
#if KERNELS & 2
KERNEL WORK_GROUP(LS, 1, 1) void bt_coarse(GLOBAL const ELEMENT *coef, idx_t coef_at, GLOBAL ELEMENT *F,
                                           GLOBAL ELEMENT *Y, idx_t at, idx_t stride, GLOBAL ELEMENT *Z, idx_t z_stride,
                                           idx_t lines, idx_t M, int fresh, int before, int after,
                                           GLOBAL const idx_t *control) {
    SCAN_ARRAY(scan);
    const idx_t size = 2 * M * W + 3 * W;
    int last = 0;
    while ((lines >> (last + 1)) > 0) ++last;
    const int down = 2 * before * last, steps = control[0] != 0 ? 0 : down + 1 + 2 * after * last;
    F += GROUP_ID(0) * stride + at;
    Y += GROUP_ID(0) * stride + at;
    Z += GROUP_ID(0) * z_stride;

    for (int step = 0; step < steps; ++step) {
        const int up = step - down - 1;
        const int level = step < down ? step / (2 * before) : up < 0 ? last : last - 1 - up / (2 * after);
        const int nth = step < down ? step % (2 * before) : up < 0 ? 0 : up % (2 * after);
        const int colour = step < down ? 1 - nth % 2 : up < 0 ? 0 : nth % 2;
        const int zero = fresh || level > 0, corrected = up >= 0 && nth == 0;
        const int mode = up == -1 || (step < down && nth == 0 && zero) ? FRESH : corrected ? CORRECTED : 0;
        GLOBAL const ELEMENT *own = coef + coef_at + 8 * size * level;
        GLOBAL ELEMENT *f = F + size * level, *y = Y + size * level;
        line_arrays t, black;
        find_arrays(&t, own, size, f, y, Z, 1, M, colour, 0);
        if (corrected) correct_from(&t, y + size, 0, 1, lines >> level, M);
        solve_panel(t, M, mode, -1, 1, scan);
        BARRIER();
        find_arrays(&black, own, size, f, y, Z, 1, M, 1, 0);
        if (step < down && nth == 2 * before - 1)
            restrict_panel(black, f + size, 0, 1, lines >> level, M, zero && before == 1, 0, M);
        BARRIER();
    }
}
#endif
