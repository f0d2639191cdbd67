/*
 * bt_factor.cl: the factors l, d, u of bt_lines.clh: l_k = a_k d_{k-1}, d_k = 1 / p_k, u_k = b_k d_k with the pivots
 *
 *     p_k = c_k - g_k / p_{k-1},   g_k = a_k b_{k-1}
 *
 * On a CPU (P = 1) a work-item takes W lines side by side, row after row. On a GPU P work-items share a line, S rows each, a
 * tile at a time. A segment of rows is then the 2 x 2 matrix by which it turns p as a fraction; matrices are combined by
 * a scan, which gives the pivot entering each segment, with an error that grows with the matrices' condition. Newton's
 * method on the chain of segments takes that out: each runs its rows, and what leaves one and what had been
 * taken to enter the next differ by e; to first order the correction obeys x' = (product of g / p^2) x + e, once more a
 * scan. Then the rows are run in earnest, and what entered a segment is what left the one before.
 *
 * Work-groups as in bt_lines.clh. Local memory: 8 * LS words.
 */
#include "bt_lines.clh"

/*
 * Group g: panel g of both colours. state[panel * W + lane]: 0 good, 1 the line wants pivoting, ZERO_PIVOT(k) the first pivot
 * that is zero is in row k; 1 / pivot is 0 then. Lanes without a line say that of row 0. `diagonal`: the array that holds it, Q_C,
 * or Q_D where bt_pin has made a singular line regular.
 *
 * A line wants pivoting where g_k / p_{k-1}, what is taken from c_k, is more than `growth` times the row's own size: that is what
 * |L| |U| exceeds |C| by, and so the rounding error (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
 * section 9.6). Small pivots alone do no harm: beside a coupling of 10^6 they are small, and nothing grows.
 */
#define FACTOR_PARAMETERS                                                                                              \
    GLOBAL REAL *coef, idx_t coef_at, idx_t size, idx_t panels, idx_t M, REAL growth, int diagonal, GLOBAL int *state

/* From 1 / p_{k-1} to 1 / p_k, 0 for a pivot of zero; *worst notes what was met first, `zero` for such a pivot. */
HELPER REAL next_pivot(REAL a, REAL c, REAL b, REAL above, REAL before, REAL growth, int zero, int *worst) {
    const REAL taken = a * before * above, p = c - taken, side = ABS(a) + ABS(b);
    if (!(ABS(taken) <= growth * (side > ABS(c) ? side : ABS(c))) && *worst < 1) *worst = 1;
    if (ABS(p) > 0) return 1 / p;
    if (*worst < 2) *worst = zero;
    return 0;
}

/* u of a row: 0 where nothing couples it to the next, even if 1 / pivot has overflowed. The transposed solve of another panel
 * reads the u of the last row (bt_lines.clh). */
HELPER REAL upper_factor(REAL b, REAL d) {
    return b != 0 ? b * d : 0;
}

#if P == 1

KERNEL WORK_GROUP(LS, 1, 1) void bt_factor(FACTOR_PARAMETERS) {
    const idx_t rows = M * W, panel = GROUP_ID(0), colour = panel / panels;
    GLOBAL REAL *t = coef + coef_at + colour_at(panels, rows, (int)colour) + panel % panels * rows + LANE;
    REAL before[V], above[V];
    int worst[V];
    EACH_LANE before[v] = above[v] = 0;
    EACH_LANE worst[v] = 0;
    for (idx_t k = 0; k < M; ++k, t += W) {
        const int zero = ZERO_PIVOT(k);
        EACH_LANE {
            const REAL a = t[Q_A * size + v], b = t[Q_B * size + v];
            t[Q_L * size + v] = a * before[v];
            before[v] = next_pivot(a, t[diagonal * size + v], b, above[v], before[v], growth, zero, &worst[v]);
            t[Q_D * size + v] = before[v];
            t[Q_U * size + v] = upper_factor(b, before[v]);
            above[v] = b;
        }
    }
    EACH_LANE state[panel * W + LANE + v] = worst[v];
}

#else

/* Of a fraction p = x / y: (x, y) becomes (m00 x + m01 y, m10 x + m11 y), up to a factor. */
typedef struct turn {
    REAL m00, m01, m10, m11;
} turn;

/* `second` after `first`, scaled to a largest element of 1. */
HELPER void turn_twice(turn second, turn first, turn *to) {
    turn m = {second.m00 * first.m00 + second.m01 * first.m10, second.m00 * first.m01 + second.m01 * first.m11,
              second.m10 * first.m00 + second.m11 * first.m10, second.m10 * first.m01 + second.m11 * first.m11};
    REAL most = ABS(m.m00);
    if (ABS(m.m01) > most) most = ABS(m.m01);
    if (ABS(m.m10) > most) most = ABS(m.m10);
    if (ABS(m.m11) > most) most = ABS(m.m11);
    const REAL scale = most > 0 ? 1 / most : 1;
    m.m00 *= scale;
    m.m01 *= scale;
    m.m10 *= scale;
    m.m11 *= scale;
    *to = m;
}

HELPER REAL turned(turn m, REAL p) {
    const REAL above = m.m00 * p + m.m01, below = m.m10 * p + m.m11;
    return below != 0 ? above / below : 0;
}

HELPER void load_turn(LOCAL_PTR const REAL *from, idx_t at, turn *m) {
    m->m00 = from[at];
    m->m01 = from[LS + at];
    m->m10 = from[2 * LS + at];
    m->m11 = from[3 * LS + at];
}

HELPER void store_turn(LOCAL_PTR REAL *to, idx_t at, turn m) {
    to[at] = m.m00;
    to[LS + at] = m.m01;
    to[2 * LS + at] = m.m10;
    to[3 * LS + at] = m.m11;
}

/* As scan_parts. */
HELPER void scan_turns(turn own, turn *before, turn *total, LOCAL_PTR REAL *scan) {
    const idx_t at = LOCAL_ID(0), part = PART;
    idx_t at_half = 0;
    for (int step = 1; step < P; step *= 2) {
        store_turn(scan + at_half, at, own);
        BARRIER();
        if (part >= step) {
            turn first;
            load_turn(scan + at_half, at - step * W, &first);
            turn_twice(own, first, &own);
        }
        at_half = 4 * LS - at_half;
    }
    store_turn(scan + at_half, at, own);
    BARRIER();
    const turn none = {1, 0, 0, 1};
    *before = none;
    if (part > 0) load_turn(scan + at_half, at - W, before);
    load_turn(scan + at_half, (P - 1) * W + LANE, total);
    BARRIER();
}

/* One tile's rows in registers: those beyond the line are a = b = 0, c = 1, `above` is b of the row before. */
typedef struct tile_rows {
    REAL a[S], c[S], b[S], above;
} tile_rows;

/* Steps of Newton's method: beside a coupling 10^6 times the others one leaves an error in the fifth digit. */
#define NEWTON 2

/* Runs the rows: from the pivot `enters` to the one that leaves; *slope is the derivative. */
HELPER REAL run_rows(const tile_rows *t, REAL enters, REAL *slope) {
    REAL p = enters, before = enters != 0 ? 1 / enters : 0, above = t->above;
    *slope = 1;
    for (int j = 0; j < S; ++j) {
        *slope *= t->a[j] * above * before * before;
        p = t->c[j] - t->a[j] * before * above;
        before = p != 0 ? 1 / p : 0;
        above = t->b[j];
    }
    return p;
}

/* The pivot entering this work-item's rows, *carry that of the tile, and then the next one's. */
HELPER REAL find_entering(const tile_rows *t, REAL *carry, LOCAL_PTR REAL *scan) {
    turn own = {1, 0, 0, 1}, before, total;
    REAL above = t->above, slope;
    for (int j = 0; j < S; ++j) {
        const turn row = {t->c[j], -t->a[j] * above, 1, 0};
        turn_twice(row, own, &own);
        above = t->b[j];
    }
    scan_turns(own, &before, &total, scan);
    REAL enters = PART > 0 ? turned(before, *carry) : *carry, end = turned(total, *carry);
    for (int step = 0; step < NEWTON; ++step) {
        const REAL leaves = run_rows(t, enters, &slope);
        scan[LOCAL_ID(0)] = enters;
        BARRIER();
        const REAL taken = PART + 1 < P ? scan[LOCAL_ID(0) + W] : end;
        BARRIER();
        segment chain = {slope, leaves - taken}, error, all;
        scan_parts(chain, &error, &all, 0, scan);
        /* Beyond all bounds only where a pivot is next to zero: then the line is unsafe, and said to be. */
        if (ABS(all.value) <= ABS(end)) end += all.value;
        if (ABS(error.value) <= ABS(enters)) enters += error.value;
    }
    *carry = end;
    return enters;
}

#if CLS_DOUBLE
#define UNIT_STEPS 120
#define LOOSE      1e-12
#else
#define UNIT_STEPS 15
#define LOOSE      1e-4f
#endif

/* A power of two that brings the line's largest coefficient near 1: products of two coefficients stay in the range then. */
HELPER REAL unit_of_line(GLOBAL const REAL *base, idx_t size, idx_t M, LOCAL_PTR REAL *scan) {
    REAL most = 0, unit = 1;
    for (idx_t k = PART; k < M; k += P)
        for (int q = Q_A; q <= Q_B; ++q) most = ABS(base[q * size + k * W]) > most ? ABS(base[q * size + k * W]) : most;
    scan[LOCAL_ID(0)] = most;
    BARRIER();
    for (int part = 0; part < P; ++part)
        if (scan[part * W + LANE] > most) most = scan[part * W + LANE];
    BARRIER();
    for (int i = 0; i < UNIT_STEPS && most * unit > 256; ++i) unit *= (REAL)1 / 256;
    for (int i = 0; i < UNIT_STEPS && most > 0 && most * unit < (REAL)1 / 256; ++i) unit *= 256;
    return unit;
}

/* The last pivot of a segment, 1 / `own`, becomes what the next segment took it for: that perturbs its row's diagonal and no
 * more, and may by LOOSE times the row's size. */
HELPER void hand_over(const tile_rows *t, GLOBAL REAL *at, idx_t size, REAL taken, REAL own, REAL unit, int *worst) {
    const REAL side = ABS(t->a[S - 1]) + ABS(t->b[S - 1]), c = ABS(t->c[S - 1]), off = own != 0 ? taken - 1 / own : 0;
    if (!(taken != 0 && ABS(off) <= LOOSE * (side > c ? side : c)) && *worst < 1) *worst = 1;
    if (taken == 0 || own == 0) return; /* the line is unsafe */
    at[Q_D * size + (S - 1) * W] = unit / taken;
    at[Q_U * size + (S - 1) * W] = t->b[S - 1] / taken;
}

KERNEL WORK_GROUP(LS, 1, 1) void bt_factor(FACTOR_PARAMETERS) {
    LOCAL_ARRAY(REAL, scan, 8 * LS);
    const idx_t rows = M * W, panel = GROUP_ID(0), colour = panel / panels;
    GLOBAL REAL *base = coef + coef_at + colour_at(panels, rows, (int)colour) + panel % panels * rows + LANE;
    const REAL unit = unit_of_line(base, size, M, scan);
    REAL carry = 1;
    int worst = 0;
    for (idx_t begin = 0; begin < M; begin += P * S) {
        const idx_t k = begin + PART * S;
        GLOBAL REAL *at = base + k * W;
        tile_rows t;
        t.above = k > 0 && k <= M ? unit * at[Q_B * size - W] : 0;
        for (int j = 0; j < S; ++j) {
            const int inside = k + j < M;
            t.a[j] = inside ? unit * at[Q_A * size + j * W] : 0;
            t.c[j] = inside ? unit * at[diagonal * size + j * W] : 1;
            t.b[j] = inside ? unit * at[Q_B * size + j * W] : 0;
        }
        const REAL enters = find_entering(&t, &carry, scan);
        REAL before = enters != 0 ? 1 / enters : 0, above = t.above;
        for (int j = 0; j < S && k + j < M; ++j) {
            at[Q_L * size + j * W] = t.a[j] * before;
            before = next_pivot(t.a[j], t.c[j], t.b[j], above, before, growth, ZERO_PIVOT(k + j), &worst);
            at[Q_D * size + j * W] = before * unit;
            at[Q_U * size + j * W] = upper_factor(t.b[j], before);
            above = t.b[j];
        }
        scan[LOCAL_ID(0)] = enters;
        BARRIER();
        const REAL taken = PART + 1 < P ? scan[LOCAL_ID(0) + W] : carry;
        BARRIER();
        if (k + S < M) hand_over(&t, at, size, taken, before, unit, &worst);
    }
    /* In two halves, each of which a float holds exactly. */
    scan[LOCAL_ID(0)] = (REAL)(worst >> 16);
    scan[LS + LOCAL_ID(0)] = (REAL)(worst & 0xffff);
    BARRIER();
    if (PART > 0) return;
    for (int part = 1; part < P; ++part) {
        const int other = ((int)scan[part * W + LANE] << 16) | (int)scan[LS + part * W + LANE];
        if (worst < 2 ? other > worst : other > 1 && other < worst) worst = other;
    }
    state[panel * W + LANE] = worst;
}

#endif
