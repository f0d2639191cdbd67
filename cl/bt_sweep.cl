/*
 * bt_sweep.cl: the line solves of a block-tridiagonal system, and the multigrid cycle made of them.
 *
 * The grid. N lines of M unknowns; line i solves C_i Y_i = F_i - A_i Y_{i-1} - B_i Y_{i+1} with C_i tridiagonal. Even
 * lines are red (colour 0), odd ones black (1); line i is slot i/2 of its colour. Slots are dealt to panels of W lanes,
 * slot s to lane s / panels of panel s % panels, so that the neighbour of a whole panel is a whole panel:
 *
 *     row k of a panel:   [ lane 0 | lane 1 | ... | lane W-1 ]   W words, row k + 1 right behind it
 *     a vector:           W words of padding, red panels, W words of padding, black panels, W words of padding
 *
 * Only the panels at the ends find their neighbours one lane further, in the last or the first panel; where there is
 * none, the coupling is zero and the word read is padding or another line's.
 *
 * The factors. C = (I + L) D^-1 (I + U), l_k = a_k d_{k-1}, d_k = 1 / (c_k - l_k b_{k-1}), u_k = b_k d_k, so that
 *
 *     z_k = phi_k - l_k z_{k-1}          forward, phi built on the way
 *     y_k = d_k z_k - u_k y_{k+1}        backward
 *
 * Coefficients of a level: eight arrays of `size` words, in the order of the Q_ names below.
 *
 * Work-groups. On a GPU W * P work-items, P of them on each line, each with S unknowns in registers: both recurrences are
 * of first order, so a segment is a pair (product of its factors, its value from zero) and pairs are combined by a scan
 * in local memory (H. S. Stone, An Efficient Parallel Algorithm for the Solution of a Tridiagonal Linear System of
 * Equations, J. ACM 20 (1973), section 3; the cutting into segments is that of H. H. Wang, ACM TOMS 7 (1981)). Longer
 * lines are taken P * S unknowns at a time, z waiting in Z. On a CPU one work-item (LS = 1) does W lines side by side,
 * the loop over lanes being what is vectorised. Local memory: 4 * LS words.
 *
 * control[0] is not zero once the iteration is over: then nothing is done.
 */
#ifndef W
#define W 4
#endif
#ifndef P
#define P 8
#endif
#ifndef S
#define S 4
#endif
#ifndef LS
#define LS (W * P)
#endif

#define Q_A    0 /* coupling to k - 1 */
#define Q_C    1 /* diagonal */
#define Q_B    2 /* coupling to k + 1 */
#define Q_UP   3 /* coupling to line i - 1 */
#define Q_DOWN 4 /* coupling to line i + 1 */
#define Q_L    5
#define Q_D    6
#define Q_U    7

/* V lanes are this work-item's, from lane LANE on. */
#if LS == 1
#define V    W
#define LANE ((idx_t)0)
#define PART ((idx_t)0)
#else
#define V    1
#define LANE (LOCAL_ID(0) % W)
#define PART (LOCAL_ID(0) / W)
#endif
#undef LANES /* the dialect's */
#define LANES for (int v = 0; v < V; ++v)

/* Where the panels of a colour begin in a vector, and where the neighbours above and below a panel do. */
HELPER idx_t colour_at(idx_t panels, idx_t rows, int colour) {
    return W + colour * (panels * rows + W);
}

HELPER idx_t above_at(idx_t panels, idx_t rows, int colour, idx_t panel) {
    const idx_t other = colour_at(panels, rows, 1 - colour);
    if (colour == 1) return other + panel * rows;
    return panel > 0 ? other + (panel - 1) * rows : other + (panels - 1) * rows - 1;
}

HELPER idx_t below_at(idx_t panels, idx_t rows, int colour, idx_t panel) {
    const idx_t other = colour_at(panels, rows, 1 - colour);
    if (colour == 0) return other + panel * rows;
    return panel + 1 < panels ? other + (panel + 1) * rows : other + 1;
}

/* Where line `line`, 0 .. lines - 1 of a level, begins in its vectors. */
HELPER idx_t line_at(idx_t line, idx_t panels, idx_t rows) {
    const idx_t slot = line / 2;
    return colour_at(panels, rows, (int)(line % 2)) + slot % panels * rows + slot / panels;
}

HELPER idx_t panels_of(idx_t lines) {
    idx_t panels = ((lines + 1) / 2 + W - 1) / W;
    if (panels >= 64) panels = (panels + 7) / 8 * 8;
    return panels;
}

/* A line's arrays, from the panel's first lane on. */
typedef struct line_arrays {
    GLOBAL const REAL *a, *c, *b, *up, *down, *l, *d, *u; /* coefficients */
    GLOBAL const REAL *f, *above, *below;                 /* right-hand side, the lines beside */
    GLOBAL REAL *y, *z;
} line_arrays;

HELPER line_arrays arrays_of(GLOBAL const REAL *coef, idx_t size, GLOBAL const REAL *F, GLOBAL REAL *Y, GLOBAL REAL *Z,
                             idx_t panels, idx_t M, int colour, idx_t panel) {
    const idx_t rows = M * W, lane = LANE, at = colour_at(panels, rows, colour) + panel * rows + lane;
    GLOBAL const REAL *own = coef + at;
    const line_arrays t = {own + Q_A * size,  own + Q_C * size, own + Q_B * size,
                           own + Q_UP * size, own + Q_DOWN * size,
                           own + Q_L * size,  own + Q_D * size, own + Q_U * size,
                           F + at,
                           Y + above_at(panels, rows, colour, panel) + lane,
                           Y + below_at(panels, rows, colour, panel) + lane,
                           Y + at,
                           Z + panel * rows + lane};
    return t;
}

/* ---- one panel: its lines solved ---- */

#if P == 1

/* `fresh`: the lines beside count as zero. `only`: the one lane to be written, or -1. */
HELPER void solve_panel(const line_arrays t, idx_t M, int fresh, int only, REAL omega, LOCAL_PTR REAL *scan) {
    REAL z[V], y[V], phi[V];
    LANES z[v] = 0;
    for (idx_t k = 0; k < M; ++k) {
        const idx_t o = k * W;
        LANES phi[v] = t.f[o + v];
        if (!fresh) LANES phi[v] -= t.up[o + v] * t.above[o + v] + t.down[o + v] * t.below[o + v];
        LANES z[v] = phi[v] - t.l[o + v] * z[v];
        LANES t.z[o + v] = z[v];
    }
    LANES y[v] = 0;
    for (idx_t k = M - 1; k >= 0; --k) {
        const idx_t o = k * W;
        LANES y[v] = t.d[o + v] * t.z[o + v] - t.u[o + v] * y[v];
        if (only < 0 && omega == 1) {
            LANES t.y[o + v] = y[v];
        } else {
            LANES if (only < 0 || LANE + v == only) t.y[o + v] += omega * (y[v] - t.y[o + v]);
        }
    }
    (void)scan;
}

#else

/*
 * Work-item (lane, part) gives the pair (product, value) of its segment and gets the value that enters the segment, where
 * `carry` enters the first; *carry becomes what leaves the last. Parts follow each other upwards, or with `down` downwards.
 */
HELPER REAL scan_parts(REAL product, REAL value, REAL *carry, int down, LOCAL_PTR REAL *scan) {
    const idx_t lane = LANE, part = down ? P - 1 - PART : PART;
    LOCAL_PTR REAL *from = scan, *to = scan + 2 * LS;
    for (int step = 1; step < P; step *= 2) {
        from[part * W + lane] = product;
        from[LS + part * W + lane] = value;
        BARRIER();
        if (part >= step) {
            const idx_t before = (part - step) * W + lane;
            value += product * from[LS + before];
            product *= from[before];
        }
        LOCAL_PTR REAL *other = from;
        from = to;
        to = other;
    }
    from[part * W + lane] = product;
    from[LS + part * W + lane] = value;
    BARRIER();
    REAL enters = *carry;
    if (part > 0) enters = from[LS + (part - 1) * W + lane] + from[(part - 1) * W + lane] * enters;
    *carry = from[LS + (P - 1) * W + lane] + from[(P - 1) * W + lane] * *carry;
    BARRIER();
    return enters;
}

/* Forward over the unknowns k .. k + S - 1 of this work-item: z[] becomes the recurrence's values. */
HELPER void forward_tile(const line_arrays t, idx_t k, idx_t M, int fresh, REAL *carry, REAL *z, LOCAL_PTR REAL *scan) {
    REAL value = 0, product = 1;
#pragma unroll
    for (int j = 0; j < S; ++j) {
        const idx_t o = (k + j) * W;
        REAL phi = 0, l = 0;
        if (k + j < M) {
            phi = t.f[o];
            l = t.l[o];
            if (!fresh) phi -= t.up[o] * t.above[o] + t.down[o] * t.below[o];
        }
        z[j] = phi;
        value = phi - l * value;
        product *= -l;
    }
    value = scan_parts(product, value, carry, 0, scan);
#pragma unroll
    for (int j = 0; j < S; ++j) {
        value = z[j] - (k + j < M ? t.l[(k + j) * W] : 0) * value;
        z[j] = value;
    }
}

/* Backward over the same: y is written. */
HELPER void backward_tile(const line_arrays t, idx_t k, idx_t M, int only, REAL omega, REAL *carry, REAL *z,
                          LOCAL_PTR REAL *scan) {
    REAL value = 0, product = 1;
#pragma unroll
    for (int j = S - 1; j >= 0; --j) {
        REAL u = 0;
        if (k + j < M) {
            u = t.u[(k + j) * W];
            z[j] *= t.d[(k + j) * W];
        }
        value = z[j] - u * value;
        product *= -u;
    }
    value = scan_parts(product, value, carry, 1, scan);
#pragma unroll
    for (int j = S - 1; j >= 0; --j) {
        const idx_t o = (k + j) * W;
        if (k + j >= M) continue;
        value = z[j] - t.u[o] * value;
        if (only >= 0 && LANE != only) continue;
        t.y[o] = omega == 1 ? value : t.y[o] + omega * (value - t.y[o]);
    }
}

HELPER void solve_panel(const line_arrays t, idx_t M, int fresh, int only, REAL omega, LOCAL_PTR REAL *scan) {
    const idx_t tiles = (M + P * S - 1) / (P * S), mine = PART * S;
    REAL z[S], carry = 0;
    for (idx_t tile = 0; tile < tiles; ++tile) {
        const idx_t k = tile * (P * S) + mine;
        forward_tile(t, k, M, fresh, &carry, z, scan);
        if (tile + 1 < tiles)
            for (int j = 0; j < S; ++j) t.z[(k + j) * W] = z[j];
    }
    carry = 0;
    for (idx_t tile = tiles - 1; tile >= 0; --tile) {
        const idx_t k = tile * (P * S) + mine;
        if (tile + 1 < tiles)
            for (int j = 0; j < S; ++j) z[j] = t.z[(k + j) * W];
        backward_tile(t, k, M, only, omega, &carry, z, scan);
    }
}

#endif

/*
 * Half a sweep: the lines of one colour. Group (g, r): panel first + g of right-hand side r. With omega other than 1 the
 * new line is y + omega (solved - y).
 */
KERNEL WORK_GROUP(LS, 1, 1) void bt_sweep(GLOBAL const REAL *RESTRICT coef, idx_t coef_at, idx_t size,
                                          GLOBAL const REAL *RESTRICT F, idx_t f_at, idx_t f_stride, GLOBAL REAL *Y,
                                          idx_t y_at, idx_t y_stride, GLOBAL REAL *RESTRICT Z, idx_t z_stride,
                                          idx_t panels, idx_t M, idx_t first, int colour, int fresh, int only,
                                          REAL omega, GLOBAL const idx_t *RESTRICT control) {
    LOCAL_ARRAY(REAL, scan, 4 * LS);
    const idx_t r = GROUP_ID(1);
    if (control[0] != 0) M = 0; /* no return: every work-item comes to every barrier */
    const line_arrays t = arrays_of(coef + coef_at, size, F + f_at + r * f_stride, Y + y_at + r * y_stride,
                                    Z + r * z_stride, panels, M, colour, first + GROUP_ID(0));
    solve_panel(t, M, fresh, only, omega, scan);
}

/* ---- residuals ---- */

/* A y at row k. */
#define ROW_PRODUCT(t, o, k, M)                                                                                        \
    ((t).up[o] * (t).above[o] + (t).down[o] * (t).below[o] + (t).c[o] * (t).y[o] +                                     \
     ((k) > 0 ? (t).a[o] * (t).y[(o)-W] : 0) + ((k) + 1 < (M) ? (t).b[o] * (t).y[(o) + W] : 0))

/* The rows of a panel that this work-item takes: neighbours on neighbouring words. */
#define ROWS(k, begin, end) for (idx_t k = (begin) + PART; k < (end); k += P)

/* Group (g, r): right-hand side r, rows begin .. end - 1 of a panel, no rows once the iteration is over. */
#define PIECE                                                                                                          \
    const idx_t r = GROUP_ID(1), g = GROUP_ID(0), panel = g / splits, share = (M + splits - 1) / splits;               \
    const idx_t begin = g % splits * share, stop = begin + share < M ? begin + share : M;                              \
    const idx_t end = control[0] != 0 ? begin : stop

/* The sum of every work-item's value; the answer is work-item 0's. */
HELPER REAL sum_of_group(REAL value, LOCAL_PTR REAL *scratch) {
    const idx_t lid = LOCAL_ID(0);
    scratch[lid] = value;
    BARRIER();
    for (int step = LS / 2; step > 0; step /= 2) {
        if (lid < step) scratch[lid] += scratch[lid + step];
        BARRIER();
    }
    return scratch[0];
}

/*
 * R = F - A Y on the panels of one colour (2: of both) and the sum of its squares, a partial sum a group; R may be no
 * more than a place for nothing (store 0). With `product` R = A Y. Group (g, r): panel g / splits, the g % splits-th part
 * of its rows.
 */
KERNEL WORK_GROUP(LS, 1, 1) void bt_residual(GLOBAL const REAL *RESTRICT coef, idx_t coef_at, idx_t size,
                                             GLOBAL const REAL *F, idx_t f_at, idx_t f_stride, GLOBAL REAL *Y,
                                             idx_t y_at, idx_t y_stride, GLOBAL REAL *R, idx_t r_stride, idx_t panels,
                                             idx_t M, idx_t splits, int colour, int store, int product,
                                             GLOBAL REAL *RESTRICT partial, GLOBAL const idx_t *RESTRICT control) {
    LOCAL_ARRAY(REAL, scratch, LS);
    PIECE;
    REAL sum[V];
    LANES sum[v] = 0;
    const int own = colour == 2 ? (int)(panel / panels) : colour;
    const line_arrays t = arrays_of(coef + coef_at, size, F + f_at + r * f_stride, Y + y_at + r * y_stride, R, panels,
                                    M, own, panel % panels);
    GLOBAL REAL *out = R + r * r_stride + colour_at(panels, M * W, own) + panel % panels * M * W + LANE;
    ROWS(k, begin, end) {
        const idx_t o = k * W;
        REAL x[V];
        LANES x[v] = ROW_PRODUCT(t, o + v, k, M);
        if (!product) LANES x[v] = t.f[o + v] - x[v];
        LANES sum[v] += x[v] * x[v];
        if (store) LANES out[o + v] = x[v];
    }
    for (int v = 1; v < V; ++v) sum[0] += sum[v];
    const REAL total = sum_of_group(sum[0], scratch);
    if (LOCAL_ID(0) == 0) partial[r * GROUPS(0) + g] = total;
}

/* ---- between levels: coarse line J is black slot J, fine line 2 J + 1 ---- */

/* Where the coarse line under lane `lane` of black panel `panel` begins; -1: no such line. */
HELPER idx_t coarse_at(idx_t panel, idx_t lane, idx_t panels, idx_t lines, idx_t rows) {
    const idx_t J = lane * panels + panel, coarse = lines / 2;
    return J < coarse ? line_at(J, panels_of(coarse), rows) : -1;
}

/* The coarse right-hand side is the residual on black lines: that of the red ones, swept last, is zero. */
HELPER REAL restrict_panel(const line_arrays t, GLOBAL REAL *coarse_f, idx_t panel, idx_t panels, idx_t lines, idx_t M,
                           idx_t begin, idx_t end) {
    REAL sum = 0;
    idx_t to[V];
    LANES to[v] = coarse_at(panel, LANE + v, panels, lines, M * W);
    ROWS(k, begin, end) {
        const idx_t o = k * W;
        REAL x[V];
        LANES x[v] = t.f[o + v] - ROW_PRODUCT(t, o + v, k, M);
        LANES sum += x[v] * x[v];
        LANES if (to[v] >= 0) coarse_f[to[v] + o] = x[v];
    }
    return sum;
}

KERNEL WORK_GROUP(LS, 1, 1) void bt_restrict(GLOBAL const REAL *RESTRICT coef, idx_t coef_at, idx_t size,
                                             GLOBAL const REAL *F, idx_t f_at, idx_t f_stride, GLOBAL REAL *Y,
                                             idx_t y_at, idx_t y_stride, GLOBAL REAL *C, idx_t c_at, idx_t c_stride,
                                             idx_t lines, idx_t panels, idx_t M, idx_t splits,
                                             GLOBAL REAL *RESTRICT partial, GLOBAL const idx_t *RESTRICT control) {
    LOCAL_ARRAY(REAL, scratch, LS);
    PIECE;
    const line_arrays t = arrays_of(coef + coef_at, size, F + f_at + r * f_stride, Y + y_at + r * y_stride, C, panels,
                                    M, 1, panel);
    const REAL sum = restrict_panel(t, C + c_at + r * c_stride, panel, panels, lines, M, begin, end);
    const REAL total = sum_of_group(sum, scratch);
    if (LOCAL_ID(0) == 0) partial[r * GROUPS(0) + g] = total;
}

/* The coarse solution is added to the black lines; the red ones are solved from them next. */
HELPER void correct_panel(GLOBAL REAL *Y, GLOBAL const REAL *coarse_y, idx_t panel, idx_t panels, idx_t lines, idx_t M,
                          idx_t begin, idx_t end) {
    GLOBAL REAL *y = Y + colour_at(panels, M * W, 1) + panel * M * W + LANE;
    idx_t from[V];
    LANES from[v] = coarse_at(panel, LANE + v, panels, lines, M * W);
    ROWS(k, begin, end) {
        const idx_t o = k * W;
        LANES if (from[v] >= 0) y[o + v] += coarse_y[from[v] + o];
    }
}

KERNEL WORK_GROUP(LS, 1, 1) void bt_correct(GLOBAL REAL *Y, idx_t y_at, idx_t y_stride, GLOBAL const REAL *C,
                                            idx_t c_at, idx_t c_stride, idx_t lines, idx_t panels, idx_t M,
                                            idx_t splits, GLOBAL const idx_t *RESTRICT control) {
    PIECE;
    correct_panel(Y + y_at + r * y_stride, C + c_at + r * c_stride, panel, panels, lines, M, begin, end);
}

/*
 * The V-cycle from a level of `lines` lines down, all of it in one group a right-hand side: for levels with one panel a
 * colour (lines <= 2 W). The levels lie one behind the other in coef, F and Y. `fresh` as for a sweep.
 *
 * One loop over all half sweeps of the cycle: `before` times black, red on each level on the way down, red on the last
 * level, `after` times red, black on each level on the way up.
 */
KERNEL WORK_GROUP(LS, 1, 1) void bt_coarse(GLOBAL const REAL *RESTRICT coef, idx_t coef_at, GLOBAL REAL *F,
                                           GLOBAL REAL *Y, idx_t at, idx_t stride, GLOBAL REAL *RESTRICT Z,
                                           idx_t z_stride, idx_t lines, idx_t M, int fresh, int before, int after,
                                           GLOBAL const idx_t *RESTRICT control) {
    LOCAL_ARRAY(REAL, scan, 4 * LS);
    const idx_t size = 2 * M * W + 3 * W;
    int last = 0;
    while ((lines >> (last + 1)) > 0) ++last;
    const int down = 2 * before * last, steps = control[0] != 0 ? 0 : down + 1 + 2 * after * last;
    F += GROUP_ID(0) * stride + at;
    Y += GROUP_ID(0) * stride + at;

    for (int step = 0; step < steps; ++step) {
        const int up = step - down - 1;
        const int level = step < down ? step / (2 * before) : up < 0 ? last : last - 1 - up / (2 * after);
        const int nth = step < down ? step % (2 * before) : up < 0 ? 0 : up % (2 * after);
        const int colour = step < down ? 1 - nth % 2 : up < 0 ? 0 : nth % 2;
        const line_arrays t = arrays_of(coef + coef_at + 8 * size * level, size, F + size * level, Y + size * level,
                                        Z + GROUP_ID(0) * z_stride, 1, M, colour, 0);
        if (up >= 0 && nth == 0)
            correct_panel(Y + size * level, Y + size * (level + 1), 0, 1, lines >> level, M, 0, M);
        BARRIER();
        solve_panel(t, M, up == -1 || (step < down && nth == 0 && (fresh || level > 0)), -1, 1, scan);
        BARRIER();
        const line_arrays black = arrays_of(coef + coef_at + 8 * size * level, size, F + size * level, Y + size * level,
                                            Z, 1, M, 1, 0);
        if (step < down && nth == 2 * before - 1)
            restrict_panel(black, F + size * (level + 1), 0, 1, lines >> level, M, 0, M);
        BARRIER();
    }
}
