/*
 * bt_setup.cl: from the caller's arrays to panels (bt_sweep.cl tells their layout) and back, the factors of the lines, and
 * the coarse operators.
 *
 * Coarse operators. Coarse line J is fine line 2 J + 1 (black). A red line between two black ones interpolates with
 * weights w (of the line above) and w' (of the one below), one number an unknown, and its residual is restricted with
 * v and v' in the same way (S. Schaffer, A Semicoarsening Multigrid Method for Elliptic Partial Differential Equations
 * with Highly Discontinuous and Anisotropic Coefficients, SIAM J. Sci. Comput. 20 (1998), section 3):
 *
 *     C w = -A e,  C w' = -B e,  C^T v = -(B of the line above),  C^T v' = -(A of the line below),  e = (1, ..., 1)
 *
 * The Galerkin product R (..) P then couples a coarse unknown to nine. Its corners are moved to the line itself, as a mass
 * matrix is lumped, which keeps row sums, and symmetry where there was one, and leaves five points:
 *
 *     along the line:   b_J(k) + sum over the red lines beside of  b_r(k) (v_k w_{k+1} + (v_k q_{k+1} + v_{k+1} q_k) / 2)
 *     across:           A_J(k) w(k),  B_J(k) w'(k);  the mean of both directions where the matrix is symmetric
 *     diagonal:         what makes the row sum that of the exact product
 *
 * with w the weight of J itself on the red line r, q that of the other black line beside r.
 *
 * Work-groups: LS work-items; on a CPU LS is 1 and loops over lanes are what is vectorised. No local memory but that of
 * sums.
 */
#ifndef W
#define W 4
#endif
#ifndef LS
#define LS 64
#endif

#define Q_A    0
#define Q_C    1
#define Q_B    2
#define Q_UP   3
#define Q_DOWN 4
#define Q_L    5
#define Q_D    6
#define Q_U    7
#define Q_U2   8 /* pivoted factors only: second superdiagonal, and 1 where rows were exchanged */
#define Q_SWAP 9

HELPER idx_t colour_at(idx_t panels, idx_t rows, int colour) {
    return W + colour * (panels * rows + W);
}

HELPER idx_t line_at(idx_t line, idx_t panels, idx_t rows) {
    const idx_t slot = line / 2;
    return colour_at(panels, rows, (int)(line % 2)) + slot % panels * rows + slot / panels;
}

/* ---- in and out ---- */

/*
 * The lines begin .. begin + count - 1 between a plain array (element (i, k) at (i - begin) * si + k * sk) and a vector.
 * `keep_from`, `keep_to`: unknowns k outside become 0 on the way in; likewise for lines (couplings that don't exist).
 * With a scale (may be the vector itself when not wanted: scaled 0) each element is multiplied by scale's.
 */
KERNEL WORK_GROUP(LS, 1, 1) void bt_pack(GLOBAL const REAL *plain, idx_t si, idx_t sk, idx_t begin, idx_t count,
                                         GLOBAL REAL *vector, idx_t at, idx_t panels, idx_t M, idx_t first_line,
                                         idx_t last_line, idx_t first_k, idx_t last_k, GLOBAL const REAL *scale,
                                         int scaled) {
    for (idx_t i = GROUP_ID(0); i < count; i += GROUPS(0)) {
        const idx_t line = begin + i, to = line_at(line, panels, M * W);
        for (idx_t k = GROUP_ID(1) * LS + LOCAL_ID(0); k < M; k += GROUPS(1) * LS) {
            REAL x = plain[i * si + k * sk];
            if (line < first_line || line > last_line || k < first_k || k > last_k) x = 0;
            if (scaled) x *= scale[to + k * W];
            vector[at + to + k * W] = x;
        }
    }
}

KERNEL WORK_GROUP(LS, 1, 1) void bt_unpack(GLOBAL REAL *plain, idx_t si, idx_t sk, idx_t begin, idx_t count,
                                           GLOBAL const REAL *vector, idx_t at, idx_t panels, idx_t M) {
    for (idx_t i = GROUP_ID(0); i < count; i += GROUPS(0)) {
        const idx_t from = line_at(begin + i, panels, M * W);
        for (idx_t k = GROUP_ID(1) * LS + LOCAL_ID(0); k < M; k += GROUPS(1) * LS)
            plain[i * si + k * sk] = vector[at + from + k * W];
    }
}

/* Rows divided by their diagonals, the reciprocals kept. Lines GROUP_ID(0), ... */
KERNEL WORK_GROUP(LS, 1, 1) void bt_scale(GLOBAL REAL *coef, idx_t size, GLOBAL REAL *scale, idx_t lines, idx_t panels,
                                          idx_t M) {
    for (idx_t i = GROUP_ID(0); i < lines; i += GROUPS(0)) {
        const idx_t at = line_at(i, panels, M * W);
        for (idx_t k = GROUP_ID(1) * LS + LOCAL_ID(0); k < M; k += GROUPS(1) * LS) {
            const idx_t o = at + k * W;
            const REAL x = 1 / coef[Q_C * size + o];
            scale[o] = x;
            for (int q = Q_A; q <= Q_DOWN; ++q) coef[q * size + o] = q == Q_C ? 1 : coef[q * size + o] * x;
        }
    }
}

/* ---- what kind of matrix is it? ---- */

/* Sums of rows are kept from overflowing. */
#if CLS_DOUBLE
#define BEYOND 1e300
#else
#define BEYOND 1e37f
#endif

#define IS_BAD      1  /* NaN or Inf */
#define ZERO_DIAG   2  /* a zero on the diagonal */
#define ASYMMETRIC  4
#define NOT_M       8  /* some off-diagonal element has the diagonal's sign */
#define NOT_DOMINANT 16
#define HAS_SUM     32 /* some row sum is not zero */

HELPER int differ(REAL x, REAL y, REAL eps) {
    const REAL most = ABS(x) > ABS(y) ? ABS(x) : ABS(y);
    return ABS(x - y) > 8 * eps * most;
}

/* flags[group]: the bits that hold in the group's rows. */
KERNEL WORK_GROUP(LS, 1, 1) void bt_inspect(GLOBAL const REAL *RESTRICT coef, idx_t size, idx_t lines, idx_t panels,
                                            idx_t M, REAL eps, GLOBAL idx_t *flags) {
    LOCAL_ARRAY(idx_t, found, LS);
    GLOBAL const REAL *a = coef + Q_A * size, *c = coef + Q_C * size, *b = coef + Q_B * size, *up = coef + Q_UP * size,
                      *down = coef + Q_DOWN * size;
    const idx_t rows = M * W, lid = LOCAL_ID(0);
    idx_t bits = 0;
    for (idx_t i = GROUP_ID(0); i < lines; i += GROUPS(0)) {
        const idx_t at = line_at(i, panels, rows), next = i + 1 < lines ? line_at(i + 1, panels, rows) : at;
        for (idx_t k = lid; k < M; k += LS) {
            const idx_t o = at + k * W;
            const REAL sum = a[o] + b[o] + up[o] + down[o], sign = c[o] < 0 ? -1 : 1;
            const REAL size_ = ABS(a[o]) + ABS(b[o]) + ABS(up[o]) + ABS(down[o]);
            if (!(size_ + ABS(c[o]) <= BEYOND)) bits |= IS_BAD;
            if (c[o] == 0) bits |= ZERO_DIAG;
            if (k + 1 < M && differ(b[o], a[o + W], eps)) bits |= ASYMMETRIC;
            if (i + 1 < lines && differ(down[o], up[next + k * W], eps)) bits |= ASYMMETRIC;
            if (sign * a[o] > 0 || sign * b[o] > 0 || sign * up[o] > 0 || sign * down[o] > 0) bits |= NOT_M;
            if (ABS(c[o]) < size_ * (1 - 8 * eps)) bits |= NOT_DOMINANT;
            if (!(ABS(sum + c[o]) <= 8 * eps * (size_ + ABS(c[o])))) bits |= HAS_SUM;
        }
    }
    found[lid] = bits;
    BARRIER();
    for (int step = LS / 2; step > 0; step /= 2) {
        if (lid < step) found[lid] |= found[lid + step];
        BARRIER();
    }
    if (lid == 0) flags[GROUP_ID(0)] = found[0];
}

/* ---- factors ---- */

/* The slot that this work-item's lane of a panel is. Lanes go LS at a time. */
#define PANEL_LANES(lane) for (idx_t lane = LOCAL_ID(0); lane < W; lane += LS)

/*
 * l, d, u of the lines of both colours. state[panel * W + lane], panels of both colours: 0 good, 1 a pivot so small that
 * the line wants pivoting (below `safe` times the row's largest), 2 a pivot that is zero. Pivots below `zero` times the
 * diagonal count as zero, and 1 / pivot becomes 0: a singular line's unknown is set to 0. Lanes without a line say 2.
 */
KERNEL WORK_GROUP(LS, 1, 1) void bt_factor(GLOBAL REAL *coef, idx_t coef_at, idx_t size, idx_t panels, idx_t M,
                                           REAL safe, REAL zero, GLOBAL int *state) {
    const idx_t rows = M * W, panel = GROUP_ID(0), colour = panel / panels;
    const idx_t at = coef_at + colour_at(panels, rows, (int)colour) + panel % panels * rows;
    GLOBAL REAL *a = coef + at + Q_A * size, *c = coef + at + Q_C * size, *b = coef + at + Q_B * size;
    GLOBAL REAL *l = coef + at + Q_L * size, *d = coef + at + Q_D * size, *u = coef + at + Q_U * size;
    PANEL_LANES(lane) {
        REAL before = 0, above = 0; /* d and b of row k - 1 */
        int worst = 0;
        for (idx_t k = 0; k < M; ++k) {
            const idx_t o = k * W + lane;
            const REAL x = a[o] * before, pivot = c[o] - x * above, side = ABS(a[o]) + ABS(b[o]);
            if (!(ABS(pivot) > safe * (side > ABS(c[o]) ? side : ABS(c[o]))) && worst < 1) worst = 1;
            if (!(ABS(pivot) > zero * ABS(c[o]))) {
                before = 0;
                worst = 2;
            } else {
                before = 1 / pivot;
            }
            above = b[o];
            l[o] = x;
            d[o] = before;
            u[o] = above * before;
        }
        state[panel * W + lane] = worst;
    }
}

/*
 * The same with partial pivoting (LAPACK's gttrf): row k is exchanged with row k + 1 where that one is larger. d is
 * 1 / pivot, u and u2 the superdiagonals. state: 2 where a pivot is zero.
 */
KERNEL WORK_GROUP(LS, 1, 1) void bt_factor_pivoted(GLOBAL REAL *coef, idx_t size, idx_t panels, idx_t M,
                                                   GLOBAL int *state) {
    const idx_t rows = M * W, panel = GROUP_ID(0), colour = panel / panels;
    GLOBAL REAL *base = coef + colour_at(panels, rows, (int)colour) + panel % panels * rows;
    PANEL_LANES(lane) {
        GLOBAL REAL *t = base + lane;
        REAL p = t[Q_C * size], q = t[Q_B * size]; /* the row that waits: its diagonal and superdiagonal */
        int worst = 0;
        for (idx_t k = 0; k < M; ++k) {
            const idx_t o = k * W;
            const int last = k + 1 == M;
            const REAL a = last ? 0 : t[Q_A * size + o + W], c = last ? 0 : t[Q_C * size + o + W];
            const REAL b = last ? 0 : t[Q_B * size + o + W];
            const int swap = ABS(a) > ABS(p);
            const REAL pivot = swap ? a : p, l = pivot != 0 ? (swap ? p : a) / pivot : 0;
            if (pivot == 0) worst = 2;
            t[Q_L * size + o] = l;
            t[Q_D * size + o] = pivot != 0 ? 1 / pivot : 0;
            t[Q_U * size + o] = swap ? c : q;
            t[Q_U2 * size + o] = swap ? b : 0;
            t[Q_SWAP * size + o] = swap;
            p = swap ? q - l * c : c - l * q;
            q = swap ? -l * b : b;
        }
        state[panel * W + lane] = worst;
    }
}

/* ---- the next coarser level ---- */

/* The weights of the red lines into four vectors behind each other, red panels only, rows * panels words each. */
KERNEL WORK_GROUP(LS, 1, 1) void bt_weights(GLOBAL const REAL *RESTRICT coef, idx_t coef_at, idx_t size, idx_t lines,
                                            idx_t panels, idx_t M, GLOBAL REAL *weights) {
    const idx_t rows = M * W, panel = GROUP_ID(0), each = panels * rows;
    const idx_t red = colour_at(panels, rows, 0) + panel * rows, black = colour_at(panels, rows, 1);
    PANEL_LANES(lane) {
        GLOBAL const REAL *t = coef + coef_at + red + lane;
        /* Black slots s - 1 above and s below this red slot s; where there is none, its word is multiplied by 0. */
        const idx_t s = lane * panels + panel;
        const REAL has_above = s > 0, has_below = 2 * s + 1 < lines;
        const idx_t up = black + (s > 0 ? (s - 1) % panels * rows + (s - 1) / panels : 0);
        GLOBAL const REAL *above = coef + coef_at + Q_DOWN * size + up;
        GLOBAL const REAL *below = coef + coef_at + Q_UP * size + black + panel * rows + lane;
        GLOBAL REAL *to = weights + panel * rows + lane;
        REAL w = 0, x = 0, v = 0, y = 0, u = 0;
        for (idx_t k = 0; k < M; ++k) {
            const idx_t o = k * W;
            const REAL l = t[Q_L * size + o];
            to[o] = w = -t[Q_UP * size + o] - l * w;
            to[each + o] = x = -t[Q_DOWN * size + o] - l * x;
            to[2 * each + o] = v = -has_above * above[o] - u * v;
            to[3 * each + o] = y = -has_below * below[o] - u * y;
            u = t[Q_U * size + o];
        }
        w = x = v = y = 0;
        REAL l = 0; /* of row k + 1 */
        for (idx_t k = M - 1; k >= 0; --k) {
            const idx_t o = k * W;
            const REAL d = t[Q_D * size + o], un = t[Q_U * size + o];
            to[o] = w = d * to[o] - un * w;
            to[each + o] = x = d * to[each + o] - un * x;
            to[2 * each + o] = v = d * to[2 * each + o] - l * v;
            to[3 * each + o] = y = d * to[3 * each + o] - l * y;
            l = t[Q_L * size + o];
        }
    }
}

/* What the red line with weights `own` (of J), `other` and `v_own` adds to J's coupling from k to n, where the
 * line's own coupling is c. */
HELPER REAL along(GLOBAL const REAL *own, GLOBAL const REAL *other, GLOBAL const REAL *v_own, idx_t k,
                  idx_t n, REAL c) {
    return c * (v_own[k] * own[n] + 0.5f * (v_own[k] * other[n] + v_own[n] * other[k]));
}

/* One coarse line a group: its five coefficients. `singular`: all row sums are zero, and stay so exactly. */
KERNEL WORK_GROUP(LS, 1, 1) void bt_coarsen(GLOBAL const REAL *fine, idx_t fine_at, idx_t fine_size,
                                            GLOBAL const REAL *weights, idx_t lines, idx_t panels, idx_t M,
                                            GLOBAL REAL *coarse, idx_t coarse_at, idx_t coarse_size,
                                            idx_t coarse_panels, int symmetric, int singular) {
    const idx_t rows = M * W, each = panels * rows, J = GROUP_ID(0), count = lines / 2;
    GLOBAL const REAL *t = fine + fine_at + line_at(2 * J + 1, panels, rows);
    GLOBAL REAL *to = coarse + coarse_at + line_at(J, coarse_panels, rows);
    const int has_above = J > 0, has_below = J + 1 < count, red_below = 2 * J + 2 < lines;
    /* Red lines J (above) and J + 1 (below), the latter J again where it does not exist. */
    const idx_t R = red_below ? J + 1 : J;
    const idx_t a_at = line_at(2 * J, panels, rows), b_at = line_at(2 * R, panels, rows);
    GLOBAL const REAL *above = fine + fine_at + a_at, *below = fine + fine_at + b_at;
    GLOBAL const REAL *wa = weights + a_at - W, *wb = weights + b_at - W; /* weights have no padding in front */
    GLOBAL const REAL *before = fine + fine_at + line_at(has_above ? 2 * J - 1 : 2 * J + 1, panels, rows);
    GLOBAL const REAL *after = fine + fine_at + line_at(has_below ? 2 * J + 3 : 2 * J + 1, panels, rows);

    for (idx_t k = LOCAL_ID(0); k < M; k += LS) {
        const idx_t o = k * W;
        const REAL up = t[Q_UP * fine_size + o], down = red_below ? t[Q_DOWN * fine_size + o] : 0;
        REAL a = t[Q_A * fine_size + o], b = t[Q_B * fine_size + o];
        REAL sum = a + b + t[Q_C * fine_size + o] + up * (wa[o] + wa[each + o]) + down * (wb[o] + wb[each + o]);
        REAL A = has_above ? up * wa[o] : 0, B = has_below ? down * wb[each + o] : 0;
        if (symmetric && has_above)
            A = 0.5f * (A + before[Q_DOWN * fine_size + o] * wa[each + o]);
        if (symmetric && has_below) B = 0.5f * (B + after[Q_UP * fine_size + o] * wb[o]);
        if (k > 0) {
            a += along(wa + each, wa, wa + 3 * each, o, o - W, above[Q_A * fine_size + o]);
            if (red_below) a += along(wb, wb + each, wb + 2 * each, o, o - W, below[Q_A * fine_size + o]);
        }
        if (k + 1 < M) {
            b += along(wa + each, wa, wa + 3 * each, o, o + W, above[Q_B * fine_size + o]);
            if (red_below) b += along(wb, wb + each, wb + 2 * each, o, o + W, below[Q_B * fine_size + o]);
        }
        if (singular) sum = 0;
        to[Q_A * coarse_size + o] = a;
        to[Q_B * coarse_size + o] = b;
        to[Q_UP * coarse_size + o] = A;
        to[Q_DOWN * coarse_size + o] = B;
        to[Q_C * coarse_size + o] = sum - a - b - A - B;
    }
}
