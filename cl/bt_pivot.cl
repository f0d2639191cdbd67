/*
 * bt_pivot.cl: line factors made with row exchanges, and the half sweep of bt_sweep.cl with them: for lines on which
 * the Thomas algorithm meets a pivot that is zero or too small.
 *
 *     w = phi_0;   exchanged at k:  z_k = phi_{k+1},  w = s_k (w - l_k phi_{k+1}) else: z_k = w,  w = phi_{k+1} - l_k w
 *     y_k = d_k (z_k - u_k y_{k+1} - u2_k y_{k+2})
 *
 * and the lines solved with the transpose, by the transposes of these steps in reverse order:
 *
 *     z_k = d_k (phi_k - u_{k-1} z_{k-1} - u2_{k-2} z_{k-2});   w = z_{M-1}
 *     exchanged at k:  y_{k+1} = z_k - s_k l_k w,  w = s_k w     else:  y_{k+1} = w,  w = z_k - l_k w;     y_0 = w
 *
 * One work-item a line. Work-groups: W work-items, a panel; on a CPU one work-item (LS = 1) does the panel's lanes in
 * turn. The layout of vectors and coefficients is that of bt_sweep.cl, with two coefficients more.
 */
#include "bt_layout.clh"

#ifndef LS
#define LS W
#endif

/* The slot that this work-item's lane of a panel is. Lanes go LS at a time. */
#define PANEL_LANES(lane) for (idx_t lane = LOCAL_ID(0); lane < W; lane += LS)

/*
 * The factors of bt_factor.cl, but with partial pivoting (LAPACK's gttrf): row k is exchanged with row k + 1 where that
 * one is larger. d is 1 / pivot, u and u2 the superdiagonals. state[panel * W + lane]: ZERO_PIVOT(k), k
 * the row of the first pivot that is zero, or 0.
 *
 * The row that waits may shrink from exchange to exchange until it leaves the range and a pivot that is none becomes
 * zero. So it is scaled up by powers of two, its right-hand side with it: that is what swap holds, 1 where nothing is
 * to be scaled. Row k + 1 is compared with the unscaled row, so the pivots are those of gttrf. `diagonal`: as
 * in bt_factor.cl.
 */
#define SMALL 1e-6f
#if CLS_DOUBLE
#define SCALE_STEPS 60
#else
#define SCALE_STEPS 7
#endif

HELPER REAL scale_up(ELEMENT p, ELEMENT q, REAL most) {
    const REAL size = SIZE_1(p) > SIZE_1(q) ? SIZE_1(p) : SIZE_1(q);
    REAL scale = 1;
    if (!(size > 0)) return scale;
    for (int i = 0; i < SCALE_STEPS && size * scale < SMALL * most; ++i) scale *= 65536;
    return scale;
}

KERNEL WORK_GROUP(LS, 1, 1) void bt_factor_pivoted(GLOBAL ELEMENT *coef, idx_t size, idx_t panels, idx_t M,
                                                   int diagonal, GLOBAL int *state) {
    const idx_t rows = M * W, panel = GROUP_ID(0), colour = panel / panels;
    GLOBAL ELEMENT *base = coef + colour_at(panels, rows, (int)colour) + panel % panels * rows;
    PANEL_LANES(lane) {
        GLOBAL ELEMENT *t = base + lane;
        ELEMENT p = t[diagonal * size], q = t[Q_B * size]; /* the row that waits: its diagonal and superdiagonal */
        REAL shrunk = 1;                                   /* and what it is to be multiplied by to be what it was */
        int worst = 0;
        for (idx_t k = 0; k < M; ++k) {
            const idx_t o = k * W;
            const int last = k + 1 == M;
            const ELEMENT a = last ? ZERO : t[Q_A * size + o + W], c = last ? ZERO : t[diagonal * size + o + W];
            const ELEMENT b = last ? ZERO : t[Q_B * size + o + W];
            const int swap = SIZE_1(a) > SIZE_1(p) * shrunk;
            const ELEMENT pivot = swap ? a : p, l = IS_NONZERO_ELEMENT(pivot) ? OVER(swap ? p : a, pivot) : ZERO;
            if (IS_ZERO_ELEMENT(pivot) && worst == 0) worst = ZERO_PIVOT(k);
            t[Q_L * size + o] = l;
            t[Q_D * size + o] = IS_NONZERO_ELEMENT(pivot) ? OVER(ONE, pivot) : ZERO;
            t[Q_U * size + o] = swap ? c : q;
            t[Q_U2 * size + o] = swap ? b : ZERO;
            p = swap ? LESS_PRODUCT(q, l, c) : LESS_PRODUCT(c, l, q);
            q = swap ? TIMES(-l, b) : b;
            const REAL scale = swap ? scale_up(p, q, SIZE_1(a) > SIZE_1(b) ? SIZE_1(a) : SIZE_1(b)) : 1;
            t[Q_SWAP * size + o] = FROM_REAL(swap ? scale : 0);
            p = BY_REAL(p, scale);
            q = BY_REAL(q, scale);
            shrunk = swap ? shrunk / scale : 1;
        }
        state[panel * W + lane] = worst;
    }
}

/* One line: `t` its coefficients, `above` and `below` its neighbours. */
HELPER void solve_line(GLOBAL const ELEMENT *t, idx_t size, GLOBAL const ELEMENT *f, GLOBAL const ELEMENT *above,
                       GLOBAL const ELEMENT *below, GLOBAL ELEMENT *y, GLOBAL ELEMENT *z, idx_t M, int fresh, int write,
                       REAL omega) {
#define PHI(o) (f[o] - (fresh ? ZERO : TIMES(t[Q_UP * size + (o)], above[o]) + TIMES(t[Q_DOWN * size + (o)], below[o])))
    ELEMENT w = PHI(0), y1 = ZERO, y2 = ZERO;
    for (idx_t k = 0; k + 1 < M; ++k) {
        const idx_t o = k * W;
        const ELEMENT phi = PHI(o + W), l = t[Q_L * size + o];
        const REAL swap =
            REAL_PART(t[Q_SWAP * size + o]); /* not 0: what the row that waits was multiplied by, once exchanged */
        z[o] = swap != 0 ? phi : w;
        w = swap != 0 ? BY_REAL(LESS_PRODUCT(w, l, phi), swap) : LESS_PRODUCT(phi, l, w);
    }
    z[(M - 1) * W] = w;
    for (idx_t k = M - 1; k >= 0; --k) {
        const idx_t o = k * W;
        const ELEMENT x =
            TIMES(t[Q_D * size + o], LESS_PRODUCT(LESS_PRODUCT(z[o], t[Q_U * size + o], y1), t[Q_U2 * size + o], y2));
        y2 = y1;
        y1 = x;
        if (write) y[o] = omega == 1 ? x : y[o] + SCALED(omega, x - y[o]);
    }
#undef PHI
}

KERNEL WORK_GROUP(LS, 1, 1) void bt_sweep_pivoted(GLOBAL const ELEMENT *RESTRICT coef, idx_t coef_at, idx_t size,
                                                  GLOBAL const ELEMENT *RESTRICT F, idx_t f_at, idx_t f_stride,
                                                  GLOBAL ELEMENT *Y, idx_t y_at, idx_t y_stride,
                                                  GLOBAL ELEMENT *RESTRICT Z, idx_t z_stride, idx_t panels, idx_t M,
                                                  idx_t first, int colour, int fresh, int only, REAL omega,
                                                  GLOBAL const idx_t *RESTRICT control) {
    const idx_t r = GROUP_ID(1), panel = first + GROUP_ID(0), rows = M * W;
    const idx_t own = colour_at(panels, rows, colour) + panel * rows, other = colour_at(panels, rows, 1 - colour);
    idx_t up = other + panel * rows, down = up;
    if (control[0] != 0) return;
    if (colour == 0) up = panel > 0 ? up - rows : other + (panels - 1) * rows - 1;
    if (colour == 1) down = panel + 1 < panels ? down + rows : other + 1;
    F += f_at + r * f_stride;
    Y += y_at + r * y_stride;
    for (idx_t lane = LOCAL_ID(0); lane < W; lane += LS)
        solve_line(coef + coef_at + own + lane, size, F + own + lane, Y + up + lane, Y + down + lane, Y + own + lane,
                   Z + r * z_stride + panel * rows + lane, M, fresh, only < 0 || lane == only, omega);
}

/* The lines of one colour solved with the transpose; neighbouring lines count as zero. */
KERNEL WORK_GROUP(LS, 1, 1) void bt_sweep_transposed(GLOBAL const ELEMENT *RESTRICT coef, idx_t coef_at, idx_t size,
                                                     GLOBAL const ELEMENT *RESTRICT F, idx_t f_at, idx_t f_stride,
                                                     GLOBAL ELEMENT *RESTRICT Y, idx_t y_at, idx_t y_stride,
                                                     GLOBAL ELEMENT *RESTRICT Z, idx_t z_stride, idx_t panels, idx_t M,
                                                     idx_t first, int colour) {
    const idx_t r = GROUP_ID(1), panel = first + GROUP_ID(0), rows = M * W;
    const idx_t own = colour_at(panels, rows, colour) + panel * rows;
    PANEL_LANES(lane) {
        GLOBAL const ELEMENT *t = coef + coef_at + own + lane, *f = F + f_at + r * f_stride + own + lane;
        GLOBAL ELEMENT *y = Y + y_at + r * y_stride + own + lane, *z = Z + r * z_stride + panel * rows + lane;
        ELEMENT z1 = ZERO, z2 = ZERO, u1 = ZERO, v1 = ZERO, v2 = ZERO; /* z, u and u2 of the rows before */
        for (idx_t k = 0; k < M; ++k) {
            const idx_t o = k * W;
            const ELEMENT x = TIMES(t[Q_D * size + o], LESS_PRODUCT(LESS_PRODUCT(f[o], u1, z1), v2, z2));
            z[o] = x;
            z2 = z1;
            z1 = x;
            u1 = t[Q_U * size + o];
            v2 = v1;
            v1 = t[Q_U2 * size + o];
        }
        ELEMENT w = z1;
        for (idx_t k = M - 2; k >= 0; --k) {
            const idx_t o = k * W;
            const ELEMENT l = t[Q_L * size + o];
            const REAL swap = REAL_PART(t[Q_SWAP * size + o]);
            y[o + W] = swap != 0 ? LESS_PRODUCT(z[o], SCALED(swap, l), w) : w;
            w = swap != 0 ? SCALED(swap, w) : LESS_PRODUCT(z[o], l, w);
        }
        y[0] = w;
    }
}
