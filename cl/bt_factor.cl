/*
 * bt_factor.cl: the factors l, d, u of bt_lines.clh: l_k = a_k d_{k-1}, d_k = 1 / p_k, u_k = b_k d_k with the pivots
 *
 *     p_k = c_k - g_k / p_{k-1},   g_k = a_k b_{k-1}
 *
 * On a CPU (P = 1) a work-item takes W lines side by side, row after row. On a GPU P work-items share a line, S rows
 * each, a tile at a time. A segment of rows is then the 2 x 2 matrix by which it turns p as a fraction; matrices are
 * combined by a scan, which gives the pivot entering each segment, with an error that grows with the matrices'
 * condition. Newton's method on the chain of segments takes that out: each runs its rows, and what leaves one and what
 * had been taken to enter the next differ by e; to first order the correction obeys x' = (product of g / p^2) x + e,
 * once more a scan. Then the rows are run in earnest, and what entered a segment is what left the one before.
 *
 * Work-groups as in bt_lines.clh. Local memory: 8 * LS words. Loops that have no loads to wait for stay loops,
 * but those over a tile's rows, for the compiler's time.
 */
#include "bt_lines.clh"

/*
 * Group g: panel g of both colours. state[panel * W + lane]: 0 good, 1 the line wants pivoting, ZERO_PIVOT(k) the first
 * pivot that is zero is in row k; 1 / pivot is 0 then. Lanes without a line say that of row 0. `diagonal`: the array
 * that holds it, Q_C, or Q_D where bt_pin has made a singular line regular.
 *
 * A line wants pivoting where g_k / p_{k-1}, what is taken from c_k, is more than `growth` times the row's own size:
 * that is what |L| |U| exceeds |C| by, and so the rounding error (N. J. Higham, Accuracy and Stability of Numerical
 * Algorithms, 2nd ed., section 9.6). Small pivots alone do no harm: next to a coupling of 10^6 they are small, and
 * nothing grows.
 */
#define FACTOR_PARAMETERS                                                                                              \
    GLOBAL ELEMENT *coef, idx_t coef_at, idx_t size, idx_t panels, idx_t M, REAL growth, int diagonal, GLOBAL int *state

/* From 1 / p_{k-1} to 1 / p_k, 0 for a pivot of zero; *worst notes what was met first, `zero` for such a pivot. */
HELPER ELEMENT next_pivot(ELEMENT a, ELEMENT c, ELEMENT b, ELEMENT above, ELEMENT before, REAL growth, int zero,
                          int *worst) {
    const ELEMENT taken = TIMES(TIMES(a, before), above), p = c - taken;
    const REAL side = SIZE_1(a) + SIZE_1(b);
    if (!(SIZE_1(taken) <= growth * (side > SIZE_1(c) ? side : SIZE_1(c))) && *worst < 1) *worst = 1;
    /* Lanes divide together, those without a line too. A divisor of zero becomes 1, and its quotient 0, by arithmetic:
     * for a choice between quotients compilers divide by p in every lane. */
    const REAL regular = SIZE_1(p) > 0;
    if (regular == 0 && *worst < 2) *worst = zero;
    return BY_REAL(OVER(ONE, p + FROM_REAL(1 - regular)), regular);
}

/* u of a row: 0 where nothing couples it to the next, even if 1 / pivot has overflowed. The transposed solve of another
 * panel reads the u of the last row (bt_lines.clh). */
HELPER ELEMENT upper_factor(ELEMENT b, ELEMENT d) {
    return IS_NONZERO_ELEMENT(b) ? TIMES(b, d) : ZERO;
}

#if P == 1

KERNEL WORK_GROUP(LS, 1, 1) void bt_factor(FACTOR_PARAMETERS) {
    const idx_t rows = M * W, panel = GROUP_ID(0), colour = panel / panels;
    GLOBAL ELEMENT *t = coef + coef_at + colour_at(panels, rows, (int)colour) + panel % panels * rows + LANE;
    ELEMENT before[V], above[V];
    int worst[V];
    EACH_LANE before[v] = above[v] = ZERO;
    EACH_LANE worst[v] = 0;
    for (idx_t k = 0; k < M; ++k, t += W) {
        const int zero = ZERO_PIVOT(k);
        EACH_LANE {
            const ELEMENT a = t[Q_A * size + v], b = t[Q_B * size + v];
            t[Q_L * size + v] = TIMES(a, before[v]);
            before[v] = next_pivot(a, t[diagonal * size + v], b, above[v], before[v], growth, zero, &worst[v]);
            t[Q_D * size + v] = before[v];
            t[Q_U * size + v] = upper_factor(b, before[v]);
            above[v] = b;
        }
    }
    EACH_LANE state[panel * W + LANE + v] = worst[v];
}

#else

/* A turn of a fraction p = x / y: (x, y) becomes (m00 x + m01 y, m10 x + m11 y), up to a factor. */
typedef struct turn {
    ELEMENT m00, m01, m10, m11;
} turn;

/* `second` after `first`, scaled to a largest element of 1. */
HELPER void turn_twice(turn second, turn first, turn *to) {
    turn m = {TIMES(second.m00, first.m00) + TIMES(second.m01, first.m10),
              TIMES(second.m00, first.m01) + TIMES(second.m01, first.m11),
              TIMES(second.m10, first.m00) + TIMES(second.m11, first.m10),
              TIMES(second.m10, first.m01) + TIMES(second.m11, first.m11)};
    REAL most = LARGER_PART(m.m00);
    if (LARGER_PART(m.m01) > most) most = LARGER_PART(m.m01);
    if (LARGER_PART(m.m10) > most) most = LARGER_PART(m.m10);
    if (LARGER_PART(m.m11) > most) most = LARGER_PART(m.m11);
    const REAL scale = most > 0 ? 1 / most : 1;
    m.m00 = BY_REAL(m.m00, scale);
    m.m01 = BY_REAL(m.m01, scale);
    m.m10 = BY_REAL(m.m10, scale);
    m.m11 = BY_REAL(m.m11, scale);
    *to = m;
}

HELPER ELEMENT turned(turn m, ELEMENT p) {
    const ELEMENT above = TIMES(m.m00, p) + m.m01, below = TIMES(m.m10, p) + m.m11;
    return IS_NONZERO_ELEMENT(below) ? OVER(above, below) : ZERO;
}

HELPER void load_turn(LOCAL_PTR const ELEMENT *from, idx_t at, turn *m) {
    m->m00 = from[at];
    m->m01 = from[LS + at];
    m->m10 = from[2 * LS + at];
    m->m11 = from[3 * LS + at];
}

HELPER void store_turn(LOCAL_PTR ELEMENT *to, idx_t at, turn m) {
    to[at] = m.m00;
    to[LS + at] = m.m01;
    to[2 * LS + at] = m.m10;
    to[3 * LS + at] = m.m11;
}

/* As scan_parts. */
HELPER void scan_turns(turn own, turn *before, turn *total, LOCAL_PTR ELEMENT *scan) {
    const idx_t at = LOCAL_ID(0), part = PART;
    idx_t at_half = 0;
#pragma unroll 1
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
    const turn none = {ONE, ZERO, ZERO, ONE};
    *before = none;
    if (part > 0) load_turn(scan + at_half, at - W, before);
    load_turn(scan + at_half, (P - 1) * W + LANE, total);
    BARRIER();
}

/* One tile's rows in registers: those beyond the line are a = b = 0, c = 1, `above` is b of the row before. */
typedef struct tile_rows {
    ELEMENT a[S], c[S], b[S], above;
} tile_rows;

/* Steps of Newton's method: next to a coupling 10^6 times the others one leaves an error in the fifth digit. */
#define NEWTON 2

/* Runs the rows: from the pivot `enters` to the one that leaves; *slope is the derivative. */
HELPER ELEMENT run_rows(const tile_rows *t, ELEMENT enters, ELEMENT *slope) {
    ELEMENT p = enters, before = IS_NONZERO_ELEMENT(enters) ? OVER(ONE, enters) : ZERO, above = t->above;
    *slope = ONE;
    for (int j = 0; j < S; ++j) {
        MULTIPLY_BY(*slope, TIMES(TIMES(TIMES(t->a[j], above), before), before));
        p = t->c[j] - TIMES(TIMES(t->a[j], before), above);
        before = IS_NONZERO_ELEMENT(p) ? OVER(ONE, p) : ZERO;
        above = t->b[j];
    }
    return p;
}

/* The pivot entering this work-item's rows, *carry that of the tile, and then the next one's. */
HELPER ELEMENT find_entering(const tile_rows *t, ELEMENT *carry, LOCAL_PTR ELEMENT *scan) {
    turn own = {ONE, ZERO, ZERO, ONE}, before, total;
    ELEMENT above = t->above, slope;
    for (int j = 0; j < S; ++j) {
        const turn row = {t->c[j], TIMES(-t->a[j], above), ONE, ZERO};
        turn_twice(row, own, &own);
        above = t->b[j];
    }
    scan_turns(own, &before, &total, scan);
    ELEMENT enters = PART > 0 ? turned(before, *carry) : *carry, end = turned(total, *carry);
#pragma unroll 1
    for (int step = 0; step < NEWTON; ++step) {
        const ELEMENT leaves = run_rows(t, enters, &slope);
        scan[LOCAL_ID(0)] = enters;
        BARRIER();
        const ELEMENT taken = PART + 1 < P ? scan[LOCAL_ID(0) + W] : end;
        BARRIER();
        segment chain = {slope, leaves - taken}, error, all;
        scan_parts(chain, &error, &all, 0, scan);
        /* Beyond all bounds only where a pivot is next to zero: then the line is unsafe, and said to be. */
        if (SIZE_1(all.value) <= SIZE_1(end)) end += all.value;
        if (SIZE_1(error.value) <= SIZE_1(enters)) enters += error.value;
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

/* A power of two that brings the line's largest coefficient near 1: products of two coefficients stay in the range
 * then. */
HELPER REAL unit_of_line(GLOBAL const ELEMENT *base, idx_t size, idx_t M, LOCAL_PTR ELEMENT *scan) {
    REAL most = 0, unit = 1;
    for (idx_t k = PART; k < M; k += P)
        for (int q = Q_A; q <= Q_B; ++q)
            most = LARGER_PART(base[q * size + k * W]) > most ? LARGER_PART(base[q * size + k * W]) : most;
    scan[LOCAL_ID(0)] = FROM_REAL(most);
    BARRIER();
#pragma unroll 8
    for (int part = 0; part < P; ++part)
        if (REAL_PART(scan[part * W + LANE]) > most) most = REAL_PART(scan[part * W + LANE]);
    BARRIER();
#pragma unroll 1
    for (int i = 0; i < UNIT_STEPS && most * unit > 256; ++i) unit *= (REAL)1 / 256;
#pragma unroll 1
    for (int i = 0; i < UNIT_STEPS && most > 0 && most * unit < (REAL)1 / 256; ++i) unit *= 256;
    return unit;
}

/* The last pivot of a segment, 1 / `own`, becomes what the next segment took it for: that perturbs its row's diagonal
 * and no more, and may by LOOSE times the row's size. */
HELPER void hand_over(const tile_rows *t, GLOBAL ELEMENT *at, idx_t size, ELEMENT taken, ELEMENT own, REAL unit,
                      int *worst) {
    const REAL side = SIZE_1(t->a[S - 1]) + SIZE_1(t->b[S - 1]), c = SIZE_1(t->c[S - 1]);
    const ELEMENT off = IS_NONZERO_ELEMENT(own) ? taken - OVER(ONE, own) : ZERO;
    if (!(IS_NONZERO_ELEMENT(taken) && SIZE_1(off) <= LOOSE * (side > c ? side : c)) && *worst < 1) *worst = 1;
    if (IS_ZERO_ELEMENT(taken) || IS_ZERO_ELEMENT(own)) return; /* the line is unsafe */
    at[Q_D * size + (S - 1) * W] = OVER(FROM_REAL(unit), taken);
    at[Q_U * size + (S - 1) * W] = OVER(t->b[S - 1], taken);
}

KERNEL WORK_GROUP(LS, 1, 1) void bt_factor(FACTOR_PARAMETERS) {
    LOCAL_ARRAY(ELEMENT, scan, 8 * LS);
    const idx_t rows = M * W, panel = GROUP_ID(0), colour = panel / panels;
    GLOBAL ELEMENT *base = coef + coef_at + colour_at(panels, rows, (int)colour) + panel % panels * rows + LANE;
    const REAL unit = unit_of_line(base, size, M, scan);
    ELEMENT carry = ONE;
    int worst = 0;
    for (idx_t begin = 0; begin < M; begin += P * S) {
        const idx_t k = begin + PART * S;
        GLOBAL ELEMENT *at = base + k * W;
        tile_rows t;
        t.above = k > 0 && k <= M ? SCALED(unit, at[Q_B * size - W]) : ZERO;
        for (int j = 0; j < S; ++j) {
            const int inside = k + j < M;
            t.a[j] = inside ? SCALED(unit, at[Q_A * size + j * W]) : ZERO;
            t.c[j] = inside ? SCALED(unit, at[diagonal * size + j * W]) : ONE;
            t.b[j] = inside ? SCALED(unit, at[Q_B * size + j * W]) : ZERO;
        }
        const ELEMENT enters = find_entering(&t, &carry, scan);
        ELEMENT before = IS_NONZERO_ELEMENT(enters) ? OVER(ONE, enters) : ZERO, above = t.above;
        for (int j = 0; j < S && k + j < M; ++j) {
            at[Q_L * size + j * W] = TIMES(t.a[j], before);
            before = next_pivot(t.a[j], t.c[j], t.b[j], above, before, growth, ZERO_PIVOT(k + j), &worst);
            at[Q_D * size + j * W] = BY_REAL(before, unit);
            at[Q_U * size + j * W] = upper_factor(t.b[j], before);
            above = t.b[j];
        }
        scan[LOCAL_ID(0)] = enters;
        BARRIER();
        const ELEMENT taken = PART + 1 < P ? scan[LOCAL_ID(0) + W] : carry;
        BARRIER();
        if (k + S < M) hand_over(&t, at, size, taken, before, unit, &worst);
    }
    /* In two halves, each of which a float holds exactly. */
    scan[LOCAL_ID(0)] = FROM_REAL(worst >> 16);
    scan[LS + LOCAL_ID(0)] = FROM_REAL(worst & 0xffff);
    BARRIER();
    if (PART > 0) return;
#pragma unroll 8
    for (int part = 1; part < P; ++part) {
        const int other = ((int)REAL_PART(scan[part * W + LANE]) << 16) | (int)REAL_PART(scan[LS + part * W + LANE]);
        if (worst < 2 ? other > worst : other > 1 && other < worst) worst = other;
    }
    state[panel * W + LANE] = worst;
}

#endif
