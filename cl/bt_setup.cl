/*
 * bt_setup.cl: from the caller's arrays to panels (bt_layout.clh tells their layout) and back, what kind of matrix it
 * is, a singular system's last line, and the coarse operators.
 *
 * Coarse operators. Coarse line J is fine line 2 J + 1 (black). A red line between two black ones interpolates with
 * weights w (of the line above) and w' (of the one below), one number an unknown, and its residual is restricted with
 * v and v' in the same way (S. Schaffer, A Semicoarsening Multigrid Method for Elliptic Partial Differential Equations
 * with Highly Discontinuous and Anisotropic Coefficients, SIAM J. Sci. Comput. 20 (1998), section 3):
 *
 *     C w = -A e,  C w' = -B e,  C^T v = -(B of the line above),  C^T v' = -(A of the line below),  e = (1, ..., 1)
 *
 * The Galerkin product R (..) P then couples a coarse unknown to nine. Its corners are moved to the line itself, as a
 * mass matrix is lumped, which keeps row sums, and symmetry where there was one, and leaves five points:
 *
 *     along the line:   b_J(k) + sum over the red neighbours of  b_r(k) (v_k w_{k+1} + (v_k q_{k+1} + v_{k+1} q_k) / 2)
 *     across:           A_J(k) w(k),  B_J(k) w'(k);  the mean of both directions where the matrix is symmetric
 *     diagonal:         chosen so that the row sum is that of the exact product
 *
 * with w the weight of J itself on the red line r, q that of the other black line next to r.
 *
 * Work-groups: LS work-items; on a CPU LS is 1 and loops over lanes are what is vectorised. No local memory but that of
 * sums. KERNELS: which of them a program has: 1 those for the caller's arrays, 2 those for levels, 4 bt_pin, 8
 * bt_scale, or a sum of these.
 */
#include "bt_layout.clh"

#ifndef LS
#define LS 64
#endif
#ifndef KERNELS
#define KERNELS 15
#endif

/* The pieces of ROWS_EACH rows that are this group's, and in one from row h on its points (lane, k), `count` lanes:
 * lanes fastest. */
#define ROWS_EACH 256
#define PIECES(h) for (idx_t h = GROUP_ID(1) * ROWS_EACH; h < M; h += GROUPS(1) * ROWS_EACH)
#define POINTS(x, count, h)                                                                                            \
    for (idx_t x = LOCAL_ID(0); x < (count) * (M - (h) < ROWS_EACH ? M - (h) : ROWS_EACH); x += LS)

#if KERNELS & 1

/* ---- in and out ---- */

/*
 * The lines begin .. begin + count - 1 between a plain array (element (i, k) of right-hand side r at base + (i - begin)
 * * si + k * sk + r * sr) and vectors of `size` words. Group (g, h, r): panel g of both colours, the h-th piece of
 * ROWS_EACH rows, and so on; lanes first_lane .. first_lane + lanes - 1 hold all the lines in question. Lines and
 * unknowns outside the four bounds become 0 on the way in (couplings that do not exist).
 */
#define PACK_PLACE                                                                                                     \
    const idx_t panel = GROUP_ID(0) % panels, colour = GROUP_ID(0) / panels;                                           \
    const idx_t at_panel = colour_at(panels, M * W, (int)colour) + panel * M * W;                                      \
    base += GROUP_ID(2) * sr;                                                                                          \
    at += GROUP_ID(2) * size

KERNEL WORK_GROUP(LS, 1, 1) void bt_pack(GLOBAL const ELEMENT *plain, idx_t base, idx_t si, idx_t sk, idx_t begin,
                                         idx_t count, idx_t first_lane, idx_t lanes, GLOBAL ELEMENT *vector, idx_t at,
                                         idx_t sr, idx_t size, idx_t panels, idx_t M, idx_t first_line, idx_t last_line,
                                         idx_t first_k, idx_t last_k) {
    PACK_PLACE;
    PIECES(h) POINTS(x, lanes, h) {
        const idx_t lane = first_lane + x % lanes, k = h + x / lanes, to = at_panel + k * W + lane;
        const idx_t line = 2 * (lane * panels + panel) + colour;
        if (line < begin || line >= begin + count) continue;
        ELEMENT value = plain[base + (line - begin) * si + k * sk];
        if (line < first_line || line > last_line || k < first_k || k > last_k) value = ZERO;
        vector[at + to] = value;
    }
}

KERNEL WORK_GROUP(LS, 1, 1) void bt_unpack(GLOBAL ELEMENT *plain, idx_t base, idx_t si, idx_t sk, idx_t begin,
                                           idx_t count, idx_t first_lane, idx_t lanes, GLOBAL const ELEMENT *vector,
                                           idx_t at, idx_t sr, idx_t size, idx_t panels, idx_t M) {
    PACK_PLACE;
    PIECES(h) POINTS(x, lanes, h) {
        const idx_t lane = first_lane + x % lanes, k = h + x / lanes;
        const idx_t line = 2 * (lane * panels + panel) + colour;
        if (line < begin || line >= begin + count) continue;
        plain[base + (line - begin) * si + k * sk] = vector[at + at_panel + k * W + lane];
    }
}

/* ---- what kind of matrix is it? ---- */

/* Sums of rows are kept from overflowing. */
#if CLS_DOUBLE
#define BEYOND 1e300
#else
#define BEYOND 1e37f
#endif

#define IS_BAD        1 /* NaN or Inf */
#define ZERO_DIAG     2 /* a zero on the diagonal */
#define ASYMMETRIC    4
#define NOT_M         8 /* some off-diagonal element has the diagonal's sign */
#define NOT_DOMINANT  16
#define HAS_SUM       32 /* some row sum is not zero */
#define POSITIVE      64 /* some diagonal element is; some is not */
#define NEGATIVE      128
#define NOT_HERMITIAN 256 /* of complex elements; real ones are hermitian where they are symmetric */

/* The larger of `most` and |x|; -1 once there was a NaN or Inf. */
HELPER REAL larger_of(REAL most, ELEMENT x) {
    const REAL size = LARGER_PART(x);
    if (most < 0 || !(size - size == 0)) return -1;
    return size > most ? size : most;
}

HELPER int differ(ELEMENT x, ELEMENT y, REAL eps) {
    const REAL most = LARGER_PART(x) > LARGER_PART(y) ? LARGER_PART(x) : LARGER_PART(y);
    return LARGER_PART(x - y) > 8 * eps * most;
}

/*
 * flags[group]: the bits that hold in the group's rows; largest[group]: the largest coefficient, -1 where one is NaN or
 * Inf. A group takes pieces of ROWS_EACH rows of a panel, lanes fastest, every GROUPS(0)-th of all.
 */
KERNEL WORK_GROUP(LS, 1, 1) void bt_inspect(GLOBAL const ELEMENT *RESTRICT coef, idx_t size, idx_t lines, idx_t panels,
                                            idx_t M, REAL eps, GLOBAL idx_t *flags, GLOBAL REAL *largest) {
    LOCAL_ARRAY(idx_t, found, LS);
    LOCAL_ARRAY(REAL, sizes, LS);
    GLOBAL const ELEMENT *a = coef + Q_A * size, *c = coef + Q_C * size, *b = coef + Q_B * size,
                         *up = coef + Q_UP * size, *down = coef + Q_DOWN * size;
    const idx_t rows = M * W, lid = LOCAL_ID(0), pieces = (M + ROWS_EACH - 1) / ROWS_EACH;
    idx_t bits = 0;
    REAL most = 0;
    for (idx_t piece = GROUP_ID(0); piece < 2 * panels * pieces; piece += GROUPS(0)) {
        const idx_t panel = piece / pieces % panels, colour = piece / pieces / panels, h = piece % pieces * ROWS_EACH;
        POINTS(x, W, h) {
            const idx_t lane = x % W, k = h + x / W, i = 2 * (lane * panels + panel) + colour;
            if (i >= lines) continue;
            const idx_t o = line_at(i, panels, rows) + k * W;
            const ELEMENT sum = a[o] + b[o] + up[o] + down[o];
            const REAL sign = REAL_PART(c[o]) < 0 ? -1 : 1;
            const REAL size_ = MODULUS(a[o]) + MODULUS(b[o]) + MODULUS(up[o]) + MODULUS(down[o]);
            if (!(size_ + MODULUS(c[o]) <= BEYOND)) bits |= IS_BAD;
            most = larger_of(larger_of(larger_of(larger_of(larger_of(most, a[o]), b[o]), c[o]), up[o]), down[o]);
            if (IS_ZERO_ELEMENT(c[o])) bits |= ZERO_DIAG;
            bits |= REAL_PART(c[o]) > 0 ? POSITIVE : NEGATIVE;
            if (k + 1 < M && differ(b[o], a[o + W], eps)) bits |= ASYMMETRIC;
            if (i + 1 < lines && differ(down[o], up[line_at(i + 1, panels, rows) + k * W], eps)) bits |= ASYMMETRIC;
#if CLS_COMPLEX
            const ELEMENT after = k + 1 < M ? a[o + W] : ZERO;
            const ELEMENT below = i + 1 < lines ? up[line_at(i + 1, panels, rows) + k * W] : ZERO;
            if (differ(c[o], CONJUGATE_IF(1, c[o]), eps) || (k + 1 < M && differ(b[o], CONJUGATE_IF(1, after), eps)) ||
                (i + 1 < lines && differ(down[o], CONJUGATE_IF(1, below), eps)))
                bits |= NOT_HERMITIAN;
#endif
            if (sign * REAL_PART(a[o]) > 0 || sign * REAL_PART(b[o]) > 0 || sign * REAL_PART(up[o]) > 0 ||
                sign * REAL_PART(down[o]) > 0)
                bits |= NOT_M;
            if (MODULUS(c[o]) < size_ * (1 - 8 * eps)) bits |= NOT_DOMINANT;
            if (!(MODULUS(sum + c[o]) <= 8 * eps * (size_ + MODULUS(c[o])))) bits |= HAS_SUM;
        }
    }
    found[lid] = bits;
    sizes[lid] = most;
    BARRIER();
    for (int step = LS / 2; step > 0; step /= 2) {
        if (lid < step) found[lid] |= found[lid + step];
        if (lid < step) sizes[lid] = sizes[lid + step] < 0 ? -1 : larger_of(sizes[lid], FROM_REAL(sizes[lid + step]));
        BARRIER();
    }
    if (lid != 0) return;
    flags[GROUP_ID(0)] = found[0];
    largest[GROUP_ID(0)] = sizes[0];
}

#endif

#if KERNELS & 8

/* Rows divided by their diagonals, the reciprocals kept. Lines GROUP_ID(0), ... */
KERNEL WORK_GROUP(LS, 1, 1) void bt_scale(GLOBAL ELEMENT *coef, idx_t size, GLOBAL ELEMENT *scale, idx_t lines,
                                          idx_t panels, idx_t M) {
    for (idx_t i = GROUP_ID(0); i < lines; i += GROUPS(0)) {
        const idx_t at = line_at(i, panels, M * W);
        for (idx_t k = GROUP_ID(1) * LS + LOCAL_ID(0); k < M; k += GROUPS(1) * LS) {
            const idx_t o = at + k * W;
            const ELEMENT x = OVER(ONE, coef[Q_C * size + o]);
            scale[o] = x;
            for (int q = Q_A; q <= Q_DOWN; ++q) coef[q * size + o] = q == Q_C ? ONE : TIMES(coef[q * size + o], x);
        }
    }
}

#endif

#if KERNELS & 4

/* ---- the last line of a singular system ---- */

/*
 * A line whose row sums are all zero is singular: C e = 0. One equation is redundant. To double its diagonal sets its
 * unknown to zero, where F is in the range. The other equations replace equation j with an error of |y_k| / |y_j|,
 * where y C = 0 and y_k = y_{k-1} b_{k-1} / a_k. So j is where |y| is largest: a drift along the line makes y grow
 * like a power. Where a line falls apart, each part has one.
 *
 * One group. Each work-item takes a stretch of rows, and knows log |y| from its first row on; work-item 0 puts the
 * stretches together. The diagonal goes to Q_D, where the factors' kernels read it before they write there.
 * Couplings both below `apart` times the diagonal are none. Local memory: 3 * LS words, 3 * LS ints.
 */
#define NO_COUPLING 1e6f /* a step of log |y| that nothing makes up for */

/* Makes the line regular; the line may be one zero. */
HELPER void pin_here(GLOBAL ELEMENT *diagonal) {
    *diagonal = IS_NONZERO_ELEMENT(*diagonal) ? SCALED(2, *diagonal) : ONE;
}

/* From log |y_{k-1}| to log |y_k|. */
HELPER REAL rise_of(REAL before, REAL after) {
    if (before == 0 || after == 0) return before == 0 ? -NO_COUPLING : NO_COUPLING;
    return log(before) - log(after);
}

/*
 * Stretches 0 .. count - 1: each rises by rise[i], from its last cut on where it has one (cut[i] 1). most[i] is the
 * largest of its first part, most[LS + i] of its last one, where there was a cut; wins[] of either becomes 1 where it
 * is its part's. -1: the stretch begins with a cut.
 */
HELPER void join_stretches(LOCAL_PTR const REAL *rise, LOCAL_PTR const REAL *most, LOCAL_PTR const int *cut,
                           LOCAL_PTR int *wins, idx_t count) {
    REAL here = 0, highest = 0; /* log |y| where the stretch begins; at the candidate */
    idx_t candidate = -1;
    for (idx_t i = 0; i < count; ++i) {
        if (wins[i] >= 0 && (candidate < 0 || here + most[i] > highest)) {
            highest = here + most[i];
            candidate = i;
        }
        here += rise[i];
        if (!cut[i]) continue;
        wins[candidate] = 1;
        candidate = LS + i;
        highest = most[LS + i];
        here = rise[i];
    }
    wins[candidate] = 1;
}

KERNEL WORK_GROUP(LS, 1, 1) void bt_pin(GLOBAL ELEMENT *coef, idx_t coef_at, idx_t size, idx_t M, REAL apart) {
    LOCAL_ARRAY(REAL, rise, LS);
    LOCAL_ARRAY(REAL, most, 2 * LS);
    LOCAL_ARRAY(int, cut, LS);
    LOCAL_ARRAY(int, wins, 2 * LS);
    const idx_t lid = LOCAL_ID(0), share = (M + LS - 1) / LS, begin = lid * share;
    const idx_t end = begin + share < M ? begin + share : M;
    GLOBAL ELEMENT *line = coef + coef_at + W, *a = line + Q_A * size, *c = line + Q_C * size, *b = line + Q_B * size;
    GLOBAL ELEMENT *to = line + Q_D * size;
    REAL level = 0, best = 0, first_best = 0;
    idx_t at = -1, first_at = -1;
    int parts = 1;
    for (idx_t k = begin; k < end; ++k) {
        const REAL before = k > 0 ? MODULUS(b[(k - 1) * W]) : 1, after = k > 0 ? MODULUS(a[k * W]) : 1;
        const REAL least = apart * MODULUS(c[k * W]);
        to[k * W] = c[k * W];
        level += rise_of(before, after);
        if (before <= least && after <= least) {
            if (parts == 1) {
                first_best = best;
                first_at = at;
            } else {
                pin_here(to + at * W);
            }
            ++parts;
            level = 0;
            at = -1;
        }
        if (at >= 0 && !(level > best)) continue;
        best = level;
        at = k;
    }
    rise[lid] = level;
    cut[lid] = parts > 1;
    most[lid] = parts > 1 ? first_best : best;
    most[LS + lid] = best;
    wins[lid] = parts > 1 && first_at < 0 ? -1 : 0;
    wins[LS + lid] = 0;
    BARRIER();
    if (lid == 0) join_stretches(rise, most, cut, wins, (M + share - 1) / share);
    BARRIER();
    if (parts == 1) first_at = at;
    if (wins[lid] > 0) pin_here(to + first_at * W);
    if (wins[LS + lid] > 0) pin_here(to + at * W);
}

#endif

#if KERNELS & 2

/* ---- the next coarser level ---- */

/* `symmetric` where it says which kind; what the red lines make of J keeps it. */
#define HERMITIAN 2

/* The term that the red line with weights `own` (of J), `other` and `v_own` adds to J's coupling from k to n, where the
 * line's own coupling is c. */
HELPER ELEMENT along(GLOBAL const ELEMENT *own, GLOBAL const ELEMENT *other, GLOBAL const ELEMENT *v_own, idx_t k,
                     idx_t n, ELEMENT c, int symmetric) {
    (void)symmetric; /* of real elements both kinds are one */
    return TIMES(c, TIMES(v_own[k], own[n]) +
                        SCALED(0.5f, TIMES(v_own[k], other[n]) +
                                         CONJUGATE_IF(symmetric == HERMITIAN, TIMES(v_own[n], other[k]))));
}

/* The five coefficients of a coarse line at row k, o = k W. Pointers: the black line J itself, its red neighbours,
 * the black lines beyond these, and the weights -w, -w', -v, -v' of the red ones, `each` words apart. */
typedef struct coarse_line {
    GLOBAL const ELEMENT *own, *above, *below, *before, *after, *weights_above, *weights_below;
    idx_t each, size;
    int has_above, has_below, red_below, symmetric, singular;
} coarse_line;

HELPER void coarse_row(const coarse_line t, idx_t k, idx_t M, GLOBAL ELEMENT *to, idx_t to_size) {
    const idx_t o = k * W, each = t.each;
    const int hermitian = t.symmetric == HERMITIAN;
    GLOBAL const ELEMENT *wa = t.weights_above, *wb = t.weights_below;
    const ELEMENT up = -t.own[Q_UP * t.size + o], down = t.red_below ? -t.own[Q_DOWN * t.size + o] : ZERO;
    ELEMENT a = t.own[Q_A * t.size + o], b = t.own[Q_B * t.size + o];
    ELEMENT sum = a + b + t.own[Q_C * t.size + o] + TIMES(up, wa[o] + wa[each + o]);
    ELEMENT A = t.has_above ? TIMES(up, wa[o]) : ZERO, B = t.has_below ? TIMES(down, wb[each + o]) : ZERO;
    if (t.red_below) sum += TIMES(down, wb[o] + wb[each + o]);
    if (t.symmetric && t.has_above)
        A = SCALED(0.5f, A - CONJUGATE_IF(hermitian, TIMES(t.before[Q_DOWN * t.size + o], wa[each + o])));
    if (t.symmetric && t.has_below)
        B = SCALED(0.5f, B - CONJUGATE_IF(hermitian, TIMES(t.after[Q_UP * t.size + o], wb[o])));
    if (k > 0) {
        a += along(wa + each, wa, wa + 3 * each, o, o - W, t.above[Q_A * t.size + o], t.symmetric);
        if (t.red_below) a += along(wb, wb + each, wb + 2 * each, o, o - W, t.below[Q_A * t.size + o], t.symmetric);
    }
    if (k + 1 < M) {
        b += along(wa + each, wa, wa + 3 * each, o, o + W, t.above[Q_B * t.size + o], t.symmetric);
        if (t.red_below) b += along(wb, wb + each, wb + 2 * each, o, o + W, t.below[Q_B * t.size + o], t.symmetric);
    }
    if (t.singular) sum = ZERO;
    to[Q_A * to_size + o] = a;
    to[Q_B * to_size + o] = b;
    to[Q_UP * to_size + o] = A;
    to[Q_DOWN * to_size + o] = B;
    sum = sum - a - b - A - B;
    to[Q_C * to_size + o] = hermitian ? FROM_REAL(REAL_PART(sum)) : sum;
}

/*
 * The coarse lines under black panel g, the h-th piece of ROWS_EACH rows, and so on: group (g, h). The weights are four
 * solves with the red lines' factors (method/block_gs/hierarchy.c), as they come: with the sign turned. `singular`: all
 * row sums are zero, and stay so exactly.
 */
KERNEL WORK_GROUP(LS, 1, 1) void bt_coarsen(GLOBAL const ELEMENT *fine, idx_t fine_at, idx_t fine_size,
                                            GLOBAL const ELEMENT *weights, idx_t lines, idx_t panels, idx_t M,
                                            GLOBAL ELEMENT *coarse, idx_t coarse_begin, idx_t coarse_size,
                                            int symmetric, int singular) {
    const idx_t rows = M * W, panel = GROUP_ID(0);
    const idx_t own = colour_at(panels, rows, 1) + panel * rows, reds = colour_at(panels, rows, 0);
    PIECES(h) POINTS(x, W, h) {
        const idx_t lane = x % W, k = h + x / W, J = lane * panels + panel, count = lines / 2;
        if (J >= count) continue;
        const int first = panel == 0, last = panel + 1 == panels;
        /* Red lines J (above) and J + 1 (below), the latter J again where it does not exist. */
        const int red_below = 2 * J + 2 < lines;
        const idx_t above = reds + panel * rows + lane;
        const idx_t below = !red_below ? above : last ? reds + lane + 1 : above + rows;
        const idx_t before = first ? own + (panels - 1) * rows + lane - 1 : own - rows + lane;
        const idx_t after = last ? own - panel * rows + lane + 1 : own + rows + lane;
        const coarse_line t = {fine + fine_at + own + lane,
                               fine + fine_at + above,
                               fine + fine_at + below,
                               fine + fine_at + before,
                               fine + fine_at + after,
                               weights + above,
                               weights + below,
                               panels * rows,
                               fine_size,
                               J > 0,
                               J + 1 < count,
                               red_below,
                               symmetric,
                               singular};
        coarse_row(t, k, M, coarse + coarse_begin + coarse_at(panel, lane, panels, lines, rows), coarse_size);
    }
}

/* ---- losses ---- */

/*
 * Losses for a preconditioner of waves: where the diagonal lacks something of its row's couplings, `part` of what it
 * lacks goes to its imaginary part, with the sign of the row sum's. For Helmholtz's equation k^2 h^2 is
 * lacking: this is the shifted Laplacian (Y. A. Erlangga, C. W. Oosterlee, C. Vuik, A Novel Multigrid Based
 * Preconditioner for Heterogeneous Helmholtz Problems, SIAM J. Sci. Comput. 27 (2006)). Lines GROUP_ID(0), ... Only
 * complex elements need it.
 */
KERNEL WORK_GROUP(LS, 1, 1) void bt_damp(GLOBAL ELEMENT *coef, idx_t size, idx_t lines, idx_t panels, idx_t M,
                                         REAL part) {
    for (idx_t i = GROUP_ID(0); i < lines; i += GROUPS(0)) {
        const idx_t at = line_at(i, panels, M * W);
        for (idx_t k = GROUP_ID(1) * LS + LOCAL_ID(0); k < M; k += GROUPS(1) * LS) {
            GLOBAL ELEMENT *c = coef + Q_C * size + at + k * W;
            ELEMENT sum = *c;
            REAL lacks = -MODULUS(*c);
            for (int q = Q_A; q <= Q_DOWN; ++q) {
                if (q == Q_C) continue;
                sum += coef[q * size + at + k * W];
                lacks += MODULUS(coef[q * size + at + k * W]);
            }
            const REAL gain =
                REAL_PART(TIMES_I(sum)) > 0 ? -part : part; /* where the sum's imaginary part is below 0 */
            if (lacks > 0) *c += TIMES_I(FROM_REAL(gain * lacks));
        }
    }
}

#endif
