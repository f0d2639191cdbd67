/*
 * bt_lift.cl: independent lines brought into the middle of the type's range, each by a power of two of its own: systems
 * of one batch may differ by all of that range. Each is divided, matrix and right-hand side alike, so the solution
 * stays.
 *
 * Layout: bt_layout.clh. Work-groups: LS work-items, LS a multiple of W or 1 (on a CPU); a group takes whole panels.
 */
#include "bt_layout.clh"

#ifndef LS
#define LS 64
#endif

/* The work-item's lanes, and its rows of them: lanes are dealt first, so that neighbours read neighbouring words. */
#define LIFT_LANES(lane) for (idx_t lane = LOCAL_ID(0) % W; lane < W; lane += LS)
#define ROWS(k)          for (idx_t k = LOCAL_ID(0) / W; k < M; k += (LS > W ? LS / W : 1))

/* The larger of `most` and |x|; -1 once there was a NaN or Inf. */
HELPER REAL larger(REAL most, ELEMENT x) {
    const REAL size = LARGER_PART(x);
    if (most < 0 || !(size - size == 0)) return -1;
    return size > most ? size : most;
}

/* The power of 256 that x > 0 is near to, where it is at least `comfort` of them from 1; else 0. */
HELPER int power_of(REAL x, int comfort) {
    int e = 0;
    if (!(x > 0)) return 0;
    for (; e < 256 && x > 256; ++e) x *= (REAL)1 / 256;
    for (; e > -256 && x < (REAL)1 / 256; --e) x *= 256;
    return e >= comfort || e <= -comfort ? e : 0;
}

/* 256^e, in the range where e is half of one that power_of gives. */
HELPER REAL power(int e) {
    const REAL by = e > 0 ? 256 : (REAL)1 / 256;
    REAL x = 1;
    for (int i = e > 0 ? e : -e; i > 0; --i) x *= by;
    return x;
}

/*
 * The largest of each line's a, c, b is brought near 1. `lifts[panel * W + lane]` is the power of 256 that the line was
 * divided by. A line that holds NaN or Inf gets BAD_LINE, and becomes the identity. any[group]: bit 1 where one of the
 * group's is not 0, bit 2 where one is BAD_LINE. Group g: panels g, g + GROUPS(0), ... of both colours. Local memory:
 * LS words, or W.
 */
#define BAD_LINE (1 << 20)
KERNEL WORK_GROUP(LS, 1, 1) void bt_lift(GLOBAL ELEMENT *coef, idx_t size, idx_t panels, idx_t M, int comfort,
                                         GLOBAL int *lifts, GLOBAL idx_t *any) {
    LOCAL_ARRAY(REAL, scratch, W > LS ? W : LS);
    const idx_t rows = M * W, lid = LOCAL_ID(0);
    idx_t found = 0;
    for (idx_t panel = GROUP_ID(0); panel < 2 * panels; panel += GROUPS(0)) {
        GLOBAL ELEMENT *base = coef + colour_at(panels, rows, (int)(panel / panels)) + panel % panels * rows;
        LIFT_LANES(lane) {
            REAL most = 0;
            ROWS(k) for (int q = Q_A; q <= Q_B; ++q) most = larger(most, base[q * size + k * W + lane]);
            scratch[LS > W ? lid : lane] = most;
        }
        BARRIER();
        for (idx_t lane = lid; lane < W; lane += LS) {
            for (idx_t i = lane + W; i < LS; i += W)
                scratch[lane] = scratch[i] < 0 ? -1 : larger(scratch[lane], FROM_REAL(scratch[i]));
            lifts[panel * W + lane] = scratch[lane] < 0 ? BAD_LINE : power_of(scratch[lane], comfort);
        }
        BARRIER();
        for (idx_t lane = 0; lane < W && lid == 0; ++lane)
            found |= scratch[lane] < 0 ? 2 : power_of(scratch[lane], comfort) != 0;
        LIFT_LANES(lane) {
            const int e = power_of(scratch[lane], comfort);
            const REAL first = power(-e / 2), second = power(-e + e / 2);
            const int bad = scratch[lane] < 0;
            if (e == 0 && !bad) continue;
            ROWS(k) for (int q = Q_A; q <= Q_B; ++q) {
                const idx_t o = q * size + k * W + lane;
                base[o] = bad ? FROM_REAL(q == Q_C) : BY_REAL(BY_REAL(base[o], first), second);
            }
        }
        BARRIER();
    }
    if (lid == 0) any[GROUP_ID(0)] = found;
}

/* The lines of right-hand side r divided in the same way: group (panel of both colours, r). */
KERNEL WORK_GROUP(LS, 1, 1) void bt_lift_right(GLOBAL ELEMENT *F, idx_t size, idx_t panels, idx_t M,
                                               GLOBAL const int *RESTRICT lifts) {
    const idx_t rows = M * W, panel = GROUP_ID(0);
    GLOBAL ELEMENT *base =
        F + GROUP_ID(1) * size + colour_at(panels, rows, (int)(panel / panels)) + panel % panels * rows;
    LIFT_LANES(lane) {
        const int e = lifts[panel * W + lane];
        if (e == 0 || e == BAD_LINE) continue;
        const REAL first = power(-e / 2), second = power(-e + e / 2);
        ROWS(k) base[k * W + lane] = BY_REAL(BY_REAL(base[k * W + lane], first), second);
    }
}
