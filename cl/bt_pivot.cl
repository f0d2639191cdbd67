/*
 * bt_pivot.cl: line factors made with row exchanges, and the half sweep of bt_sweep.cl with them: for lines on which the
 * Thomas algorithm meets a pivot that is zero or too small.
 *
 *     w = phi_0;   exchanged at k:  z_k = phi_{k+1},  w = s_k (w - l_k phi_{k+1})     else:  z_k = w,  w = phi_{k+1} - l_k w
 *     y_k = d_k (z_k - u_k y_{k+1} - u2_k y_{k+2})
 *
 * and the lines solved with the transpose, by the transposes of these steps in reverse order:
 *
 *     z_k = d_k (phi_k - u_{k-1} z_{k-1} - u2_{k-2} z_{k-2});   w = z_{M-1}
 *     exchanged at k:  y_{k+1} = z_k - s_k l_k w,  w = s_k w     else:  y_{k+1} = w,  w = z_k - l_k w;     y_0 = w
 *
 * One work-item a line. Work-groups: W work-items, a panel; on a CPU one work-item (LS = 1) does the panel's lanes in turn.
 * The layout of vectors and coefficients is that of bt_sweep.cl, with two coefficients more.
 */
#include "bt_layout.clh"

#ifndef LS
#define LS W
#endif

/* The slot that this work-item's lane of a panel is. Lanes go LS at a time. */
#define PANEL_LANES(lane) for (idx_t lane = LOCAL_ID(0); lane < W; lane += LS)

/*
 * The factors of bt_factor.cl, but with partial pivoting (LAPACK's gttrf): row k is exchanged with row k + 1 where that one
 * is larger. d is 1 / pivot, u and u2 the superdiagonals. state[panel * W + lane]: ZERO_PIVOT(k), k
 * the row of the first pivot that is zero, or 0.
 *
 * The row that waits may shrink from exchange to exchange until it leaves the range and a pivot that is none becomes zero. So
 * it is scaled up by powers of two, its right-hand side with it: that is what swap holds, 1 where nothing is to be
 * scaled. What is compared with row k + 1 is the row unscaled, so the pivots are those of gttrf. `diagonal`: as in
 * bt_factor.cl.
 */
#define SMALL 1e-6f
#if CLS_DOUBLE
#define SCALE_STEPS 60
#else
#define SCALE_STEPS 7
#endif

HELPER REAL scale_up(REAL p, REAL q, REAL most) {
    const REAL size = ABS(p) > ABS(q) ? ABS(p) : ABS(q);
    REAL scale = 1;
    if (!(size > 0)) return scale;
    for (int i = 0; i < SCALE_STEPS && size * scale < SMALL * most; ++i) scale *= 65536;
    return scale;
}

KERNEL WORK_GROUP(LS, 1, 1) void bt_factor_pivoted(GLOBAL REAL *coef, idx_t size, idx_t panels, idx_t M, int diagonal,
                                                   GLOBAL int *state) {
    const idx_t rows = M * W, panel = GROUP_ID(0), colour = panel / panels;
    GLOBAL REAL *base = coef + colour_at(panels, rows, (int)colour) + panel % panels * rows;
    PANEL_LANES(lane) {
        GLOBAL REAL *t = base + lane;
        REAL p = t[diagonal * size], q = t[Q_B * size]; /* the row that waits: its diagonal and superdiagonal */
        REAL shrunk = 1;                                /* and what it is to be multiplied by to be what it was */
        int worst = 0;
        for (idx_t k = 0; k < M; ++k) {
            const idx_t o = k * W;
            const int last = k + 1 == M;
            const REAL a = last ? 0 : t[Q_A * size + o + W], c = last ? 0 : t[diagonal * size + o + W];
            const REAL b = last ? 0 : t[Q_B * size + o + W];
            const int swap = ABS(a) > ABS(p) * shrunk;
            const REAL pivot = swap ? a : p, l = pivot != 0 ? (swap ? p : a) / pivot : 0;
            if (pivot == 0 && worst == 0) worst = ZERO_PIVOT(k);
            t[Q_L * size + o] = l;
            t[Q_D * size + o] = pivot != 0 ? 1 / pivot : 0;
            t[Q_U * size + o] = swap ? c : q;
            t[Q_U2 * size + o] = swap ? b : 0;
            p = swap ? q - l * c : c - l * q;
            q = swap ? -l * b : b;
            const REAL scale = swap ? scale_up(p, q, ABS(a) > ABS(b) ? ABS(a) : ABS(b)) : 1;
            t[Q_SWAP * size + o] = swap ? scale : 0;
            p *= scale;
            q *= scale;
            shrunk = swap ? shrunk / scale : 1;
        }
        state[panel * W + lane] = worst;
    }
}

/* One line: `t` its coefficients, `above` and `below` the lines beside it. */
HELPER void solve_line(GLOBAL const REAL *t, idx_t size, GLOBAL const REAL *f, GLOBAL const REAL *above,
                       GLOBAL const REAL *below, GLOBAL REAL *y, GLOBAL REAL *z, idx_t M, int fresh, int write,
                       REAL omega) {
#define PHI(o) (f[o] - (fresh ? 0 : t[Q_UP * size + (o)] * above[o] + t[Q_DOWN * size + (o)] * below[o]))
    REAL w = PHI(0), y1 = 0, y2 = 0;
    for (idx_t k = 0; k + 1 < M; ++k) {
        const idx_t o = k * W;
        const REAL phi = PHI(o + W), l = t[Q_L * size + o];
        const REAL swap = t[Q_SWAP * size + o]; /* not 0: what the row that waits was multiplied by, once exchanged */
        z[o] = swap != 0 ? phi : w;
        w = swap != 0 ? (w - l * phi) * swap : phi - l * w;
    }
    z[(M - 1) * W] = w;
    for (idx_t k = M - 1; k >= 0; --k) {
        const idx_t o = k * W;
        const REAL x = t[Q_D * size + o] * (z[o] - t[Q_U * size + o] * y1 - t[Q_U2 * size + o] * y2);
        y2 = y1;
        y1 = x;
        if (write) y[o] = omega == 1 ? x : y[o] + omega * (x - y[o]);
    }
#undef PHI
}

KERNEL WORK_GROUP(LS, 1, 1) void bt_sweep_pivoted(GLOBAL const REAL *RESTRICT coef, idx_t coef_at, idx_t size,
                                                  GLOBAL const REAL *RESTRICT F, idx_t f_at, idx_t f_stride,
                                                  GLOBAL REAL *Y, idx_t y_at, idx_t y_stride, GLOBAL REAL *RESTRICT Z,
                                                  idx_t z_stride, idx_t panels, idx_t M, idx_t first, int colour,
                                                  int fresh, int only, REAL omega,
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

/* The lines of one colour solved with the transpose; the lines beside count as zero. */
KERNEL WORK_GROUP(LS, 1, 1) void bt_sweep_transposed(GLOBAL const REAL *RESTRICT coef, idx_t coef_at, idx_t size,
                                                     GLOBAL const REAL *RESTRICT F, idx_t f_at, idx_t f_stride,
                                                     GLOBAL REAL *RESTRICT Y, idx_t y_at, idx_t y_stride,
                                                     GLOBAL REAL *RESTRICT Z, idx_t z_stride, idx_t panels, idx_t M,
                                                     idx_t first, int colour) {
    const idx_t r = GROUP_ID(1), panel = first + GROUP_ID(0), rows = M * W;
    const idx_t own = colour_at(panels, rows, colour) + panel * rows;
    PANEL_LANES(lane) {
        GLOBAL const REAL *t = coef + coef_at + own + lane, *f = F + f_at + r * f_stride + own + lane;
        GLOBAL REAL *y = Y + y_at + r * y_stride + own + lane, *z = Z + r * z_stride + panel * rows + lane;
        REAL z1 = 0, z2 = 0, u1 = 0, v1 = 0, v2 = 0; /* z, u and u2 of the rows before */
        for (idx_t k = 0; k < M; ++k) {
            const idx_t o = k * W;
            const REAL x = t[Q_D * size + o] * (f[o] - u1 * z1 - v2 * z2);
            z[o] = x;
            z2 = z1;
            z1 = x;
            u1 = t[Q_U * size + o];
            v2 = v1;
            v1 = t[Q_U2 * size + o];
        }
        REAL w = z1;
        for (idx_t k = M - 2; k >= 0; --k) {
            const idx_t o = k * W;
            const REAL l = t[Q_L * size + o], swap = t[Q_SWAP * size + o];
            y[o + W] = swap != 0 ? z[o] - swap * l * w : w;
            w = swap != 0 ? swap * w : z[o] - l * w;
        }
        y[0] = w;
    }
}
