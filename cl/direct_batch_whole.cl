/*
 * direct_batch_whole.cl: members of a batch that one work-group factors in one launch, panel after panel of W columns:
 * P A = L U, or with CHOLESKY A = L L^H. A panel takes from the panels on its left what they do to it, and then its own
 * steps (left-looking: G. Golub, C. Van Loan, Matrix Computations, 4th ed., section 3.2.9):
 *
 *            p   p+W     k   k+W
 *      +-----+----+------+----+
 *      |     |  T |      |  X |     X becomes T^-1 X, T the unit lower triangle of panel p
 *      |     +----+      +----+
 *      |     |  L |      |  Y |     Y becomes Y - L X, p = 0, W, ..., k - W; then the steps of panel k (front_step.clh)
 *      +-----+----+------+----+
 *
 * Cholesky has the rows k .. k + W - 1 of L, conjugated, in the place of X, of CHUNK columns at once. Its own steps are
 * those of a corner of W rows, by one wave, and a solve of the rows below (section 4.2.5 there).
 *
 * Rows of LU are not moved: `place` says where a row is by now, and F has rows in A's order until all panels are done.
 * Then each column of F is brought to the order of the places. Scaling, `rows`, `scales` and `info` are as
 * direct_batch.clh says. F must not be A.
 *
 * Work-groups: LS work-items, one a member of up to LS * PER rows; in waves where there are lanes. Access: neighbours
 * on neighbouring rows of a column. Local memory, in elements: of LU 2 W ROOM_PITCH + LS * PER (W - 1) / 2, as
 * direct_batch_held.clh and front_step.clh, and LS words; of Cholesky the larger of CHUNK ROOM_PITCH and
 * LS STAGE_PITCH, and W (W + 1), and LS * PER ints.
 */
#ifndef LS
#define LS 64
#endif
#ifndef W
#define W 16
#endif
#ifndef PER
#define PER 1
#endif
#ifndef EXACT
#define EXACT
#endif
#define MOST_ROWS         (LS * PER)
#define FAR_ABOVE         (1 << 20) /* a panel */
#define IN_PANEL(r)       ((r) >= 0 && (r) < W)
#define TRIANGLE          (W * (W - 1) / 2) /* elements below the diagonal of T, column after column */
#define IN_TRIANGLE(r, c) ((c)*W - (c) * ((c) + 1) / 2 + (r) - (c)-1)

#include "direct_batch.clh"
#include "front.clh"
#include "front_step.clh"
#include "direct_batch_held.clh"
#ifndef CHUNK
#define CHUNK (LS < 128 ? LS : 128) /* columns of earlier panels whose rows are in local memory at once */
#endif
#define ROOM (CHUNK * ROOM_PITCH > LS * STAGE_PITCH ? CHUNK * ROOM_PITCH : LS * STAGE_PITCH)

/* The largest value of the group. `words` may be written again then. */
HELPER unsigned largest_of_group(unsigned value, LOCAL_PTR unsigned *words, int lid) {
    words[lid] = value;
    LOCAL_BARRIER();
    for (int apart = LS / 2; apart > 0; apart /= 2) {
        if (lid < apart && words[lid + apart] > words[lid]) words[lid] = words[lid + apart];
        LOCAL_BARRIER();
    }
    const unsigned largest = words[0];
    LOCAL_BARRIER();
    return largest;
}

/* y, whose elements have been turned `w` times, to columns k .. k + w - 1. */
INLINED void store_panel(ELEMENT y[PER][W], GLOBAL ELEMENT *f, idx_t ld, int k, int w, int first, int order, int lid) {
    EACH_ROW {
        const int i = lid + R * LS;
        UNROLL
        for (int j = 0; j < W; ++j)
            if (i >= first && i < order && j >= W - w) f[i + (k + j - (W - w)) * ld] = y[R][j];
    }
}

#if !CHOLESKY

/* x = T^-1 x for the W columns of `room`, a column a work-item. */
INLINED void solve_columns(LOCAL_PTR ELEMENT *room, LOCAL_PTR const ELEMENT *triangle, int lid) {
    if (lid < W) {
        ELEMENT x[W];
        UNROLL
        for (int r = 0; r < W; ++r) x[r] = room[r * ROOM_PITCH + lid];
        UNROLL
        for (int c = 0; c < W; ++c) {
            UNROLL
            for (int r = c + 1; r < W; ++r) SUBTRACT_PRODUCT(x[r], triangle[IN_TRIANGLE(r, c)], x[c]);
        }
        UNROLL
        for (int r = 0; r < W; ++r) room[r * ROOM_PITCH + lid] = x[r];
    }
}

/* The leading bits of the largest number of the work-item's rows. */
INLINED unsigned most_of_rows(GLOBAL const ELEMENT *a, idx_t row, idx_t column, int order, int lid) {
    unsigned most = 0;
    EACH_ROW {
        const int i = lid + R * LS, columns = i < order ? order : 0;
        UNROLL_SOME
        for (int j = 0; j < columns; ++j) {
            const unsigned bits = leading_of(a[i * row + j * column]);
            most = bits > most ? bits : most;
        }
    }
    return most;
}

/* Rows of F come to their places, W columns at a time. */
INLINED void order_rows(GLOBAL ELEMENT *f, const int place[PER], int order, int lid) {
    const idx_t ld = order;
    for (int k = 0; k < order; k += W) {
        ELEMENT y[PER][W];
        EACH_ROW {
            const int i = lid + R * LS;
            UNROLL
            for (int j = 0; j < W; ++j) y[R][j] = i < order && k + j < order ? f[i + (k + j) * ld] : ZERO;
        }
        BARRIER();
        EACH_ROW {
            const int i = lid + R * LS;
            UNROLL
            for (int j = 0; j < W; ++j)
                if (i < order && k + j < order && place[R] != i) f[place[R] + (k + j) * ld] = y[R][j];
        }
    }
}

KERNEL WORK_GROUP(LS, 1, 1) void direct_batch_whole(MEMBERS, GLOBAL const ELEMENT *A, VIEW_OF(a), GLOBAL ELEMENT *F,
                                                    GLOBAL int *rows, GLOBAL int *scales, GLOBAL int *info,
                                                    const int conjugate) {
    STEP_ARRAYS;
    LOCAL_ARRAY(ELEMENT, triangles, MOST_ROWS / W * TRIANGLE);
    LOCAL_PAIRS(pairs_of_rooms, rooms, W * ROOM_PITCH);
    STAGE_ARRAY;
    LOCAL_ARRAY(unsigned, words, LS);
    const int lid = (int)LOCAL_ID(0);
    const idx_t m = MEMBER(GROUP_ID(0));
    const int order = ORDER_OF(m);
    const idx_t ld = order, row = STEP_OF(a, row, order), column = STEP_OF(a, column, order);
    GLOBAL const ELEMENT *const from_a = A + PLACE_OF(a, m);
    GLOBAL ELEMENT *const f = F + FACTORS_OF(m);
    const unsigned most = largest_of_group(most_of_rows(from_a, row, column, order, lid), words, lid);
    const int scale = scale_for(most);
    const REAL tiny = 0, zero = 0;
    ELEMENT y[PER][W];
    int place[PER], told = 0, odd = 0;
    HELD_ARRAYS;
    HELD_PLACES;
    (void)conjugate;
    MEMBERS_TAKEN;
    VIEW_TAKEN(a);
    EACH_ROW place[R] = lid + R * LS < order ? lid + R * LS : -1;
    for (int k = 0; k < order; k += W) {
        const int candidates = order - k, w = candidates < W ? candidates : W;
        outcome of = no_outcome();
        FIND_PLACES;
        GLOBAL const ELEMENT *const near = from_a + FIRST_ROW * row + (k + FIRST_COLUMN) * column;
        FOR_HELD {
            HELD_ELEMENT = ZERO;
            if (FIRST_ROW + DOWN < order && FIRST_COLUMN + ACROSS < w)
                HELD_ELEMENT = near[DOWN * row + ACROSS * column];
        }
        if (scale != 0) FOR_HELD HELD_ELEMENT = scaled_by(HELD_ELEMENT, scale);
        for (int p = 0; p < k; p += W) {
            LOCAL_PTR ELEMENT *const room = rooms + p / W % 2 * (W * ROOM_PITCH); /* the other one may be read yet */
            FOR_HELD if (IN_PANEL(HELD_PLACE - p)) room[(HELD_PLACE - p) * ROOM_PITCH + FIRST_COLUMN + ACROSS] =
                HELD_ELEMENT;
            LOCAL_BARRIER();
            solve_columns(room, triangles + p / W * TRIANGLE, lid);
            LOCAL_BARRIER();
            FOR_HELD if (IN_PANEL(HELD_PLACE - p)) HELD_ELEMENT =
                room[(HELD_PLACE - p) * ROOM_PITCH + FIRST_COLUMN + ACROSS];
            TAKE_OUT(p + W, f + p * ld, room);
        }
        TO_ROWS;
        EACH_ROW place[R] -= place[R] < k ? FAR_ABOVE : k; /* in this panel, or less than 0 */
        for (int c = 0; c < w; ++c) odd ^= eliminate(y, place, c, STEP_ROOM, &of) != c;
        store_panel(y, f, ld, k, w, 0, order, lid);
        EACH_ROW {
            const int r = place[R];
            place[R] += r < 0 ? FAR_ABOVE : k;
            UNROLL
            for (int j = 0; j < W; ++j)
                if (w == W && r > j && r < W) triangles[k / W * TRIANGLE + IN_TRIANGLE(r, j)] = y[R][j];
        }
        if (of.gone && told == 0) told = k + of.gone;
        if (of.count) told = -1;
        BARRIER(); /* others read what a work-item has stored */
    }
    order_rows(f, place, order, lid);
    EACH_ROW if (lid + R * LS < order) rows[ROWS_OF(m) + place[R]] = lid + R * LS;
    if (lid == 0) {
        scales[m] = 2 * scale + odd;
        info[m] = most >= NO_NUMBER ? -1 : told;
    }
}

#else

/*
 * FACTOR_PANEL: y becomes rows of L, and goes to F. One wave has the rows k .. k + W - 1, the corner, whose triangle
 * comes to local memory, column after column, with the inverses of its diagonal. The rows below wait for that once, and
 * then solve with the triangle alone. Without waves all work-items take each step together (front_step.clh).
 */
#if defined(LANES) && PER == 1 && LANES % W == 0

#define CORNER_ARRAYS                                                                                                  \
    LOCAL_ARRAY(ELEMENT, corner, W *W);                                                                                \
    LOCAL_ARRAY(REAL, inverses, W);                                                                                    \
    LOCAL_ARRAY(int, gone, 1)

/* By the wave of the corner; returns the first column, from 1, whose pivot is not positive, or 0. No pivot is
 * subnormal, because diagonals are scaled that might be (direct_batch.clh). */
INLINED int factor_corner(ELEMENT y[W], int place, int w, LOCAL_PTR ELEMENT *corner, LOCAL_PTR REAL *inverses) {
    int bad = 0;
    UNROLL
    for (int c = 0; c < W; ++c) {
        LOCAL_PTR ELEMENT *const column = corner + c * W;
        if (place >= c && place < W) column[place] = y[c];
        LANES_SYNC();
        const REAL d = REAL_PART(column[c]);
        const int fine = d > 0; /* not of NaN */
        const REAL inverse = fine ? RSQRT(d) : (REAL)1;
        if (!fine && c < w && bad == 0) bad = c + 1;
        if (place >= c && place < W) y[c] = place == c ? FROM_REAL(d * inverse) : BY_REAL(y[c], inverse);
        if (place == c) inverses[c] = inverse;
        const ELEMENT mine = BY_REAL(y[c], inverse);
        if (place > c && place < W) {
            UNROLL
            for (int j = c + 1; j < W; ++j) SUBTRACT_PRODUCT(y[j], mine, CONJUGATE_IF(1, column[j]));
        }
    }
    LANES_SYNC();
    UNROLL
    for (int c = 0; c < W; ++c)
        if (place >= c && place < W) corner[c * W + place] = CONJUGATE_IF(1, y[c]);
    return bad;
}

/* A row below. */
INLINED void solve_row(ELEMENT y[W], LOCAL_PTR const ELEMENT *corner, LOCAL_PTR const REAL *inverses) {
    UNROLL
    for (int c = 0; c < W; ++c) {
        y[c] = BY_REAL(y[c], inverses[c]);
        UNROLL
        for (int j = c + 1; j < W; ++j) SUBTRACT_PRODUCT(y[j], y[c], corner[c * W + j]);
    }
}

#define FACTOR_PANEL                                                                                                   \
    do {                                                                                                               \
        if (lid / LANES == k / LANES) {                                                                                \
            const int bad = factor_corner(y[0], lid - k, w, corner, inverses);                                         \
            if (lid == k && bad && gone[0] == 0) gone[0] = k + bad;                                                    \
        }                                                                                                              \
        LOCAL_BARRIER();                                                                                               \
        if (lid >= k + W) solve_row(y[0], corner, inverses);                                                           \
        UNROLL                                                                                                         \
        for (int j = 0; j < W; ++j)                                                                                    \
            if (lid >= k && lid < order && j < w) f[lid + (k + j) * ld] = y[0][j];                                     \
    } while (0)

#else

#define CORNER_ARRAYS                                                                                                  \
    STEP_ARRAYS;                                                                                                       \
    LOCAL_ARRAY(int, gone, 1);                                                                                         \
    int place[PER]
#define FACTOR_PANEL                                                                                                   \
    do {                                                                                                               \
        outcome of = no_outcome();                                                                                     \
        EACH_ROW place[R] = lid + R * LS < order && lid + R * LS >= k ? lid + R * LS - k : -1;                         \
        for (int c = 0; c < w; ++c) eliminate(y, place, c, STEP_ROOM, &of);                                            \
        if (lid == 0 && of.gone && gone[0] == 0) gone[0] = k + of.gone;                                                \
        store_panel(y, f, ld, k, w, k, order, lid);                                                                    \
    } while (0)

#endif

KERNEL WORK_GROUP(LS, 1, 1) void direct_batch_whole(MEMBERS, GLOBAL const ELEMENT *A, VIEW_OF(a), GLOBAL ELEMENT *F,
                                                    GLOBAL int *rows, GLOBAL int *scales, GLOBAL int *info,
                                                    const int conjugate) {
    CORNER_ARRAYS;
    LOCAL_PAIRS(pairs_of_rooms, rooms, ROOM / 2);
    LOCAL_ARRAY(int, roots, MOST_ROWS);
    LOCAL_PTR unsigned *const words = (LOCAL_PTR unsigned *)rooms;
    LOCAL_PTR ELEMENT *const stage = rooms;
    const int lid = (int)LOCAL_ID(0);
    const idx_t m = MEMBER(GROUP_ID(0));
    const int order = ORDER_OF(m);
    const idx_t ld = order, row = STEP_OF(a, row, order), column = STEP_OF(a, column, order);
    GLOBAL const ELEMENT *const from_a = A + PLACE_OF(a, m);
    GLOBAL ELEMENT *const f = F + FACTORS_OF(m);
    ELEMENT y[PER][W];
    unsigned extreme = 0, spoilt = 0;
    HELD_ARRAYS;
    (void)conjugate;
    MEMBERS_TAKEN;
    VIEW_TAKEN(a);
    if (lid == 0) gone[0] = 0;
    EACH_ROW {
        const int i = lid + R * LS;
        REAL d = 1;
        if (i < order) d = REAL_PART(from_a[i * (row + column)]);
        roots[i] = root_scale_of(d);
        if (i < order) rows[ROWS_OF(m) + i] = roots[i];
        if (is_extreme(d)) extreme = 1;
    }
    const int is_scaled = (int)largest_of_group(extreme, words, lid);
    for (int k = 0; k < order; k += W) {
        const int candidates = order - k, w = candidates < W ? candidates : W;
        GLOBAL const ELEMENT *const near = from_a + FIRST_ROW * row + (k + FIRST_COLUMN) * column;
        FOR_HELD {
            const int i = FIRST_ROW + DOWN, c = k + FIRST_COLUMN + ACROSS;
            ELEMENT value = ZERO;
            if (i < order && c <= i) value = CONJUGATE_IF(conjugate, near[DOWN * row + ACROSS * column]);
            if (c == i) value = FROM_REAL(REAL_PART(value));
            if (!IS_BOUNDED(value)) spoilt = 1;
            if (is_scaled && i < order && c <= i) value = scaled_by(value, roots[i] + roots[c]);
            HELD_ELEMENT = value;
        }
        for (int q = 0; q < k; q += CHUNK) {
            const int columns = k - q < CHUNK ? k - q : CHUNK;
            if (q > 0) LOCAL_BARRIER();
            for (int e = lid; e < columns * W; e += LS) {
                const int r = e % W, c = e / W;
                rooms[c * ROOM_PITCH + r] = r < w ? CONJUGATE_IF(1, f[k + r + (q + c) * ld]) : ZERO;
            }
            LOCAL_BARRIER();
            TAKE_OUT_COLUMNS(k, f + q * ld, rooms, columns);
        }
        if (k > 0) LOCAL_BARRIER();
        TO_ROWS;
        FACTOR_PANEL;
        BARRIER(); /* others read what a work-item has stored */
    }
    (void)stage;
    spoilt = largest_of_group(spoilt, words, lid);
    if (lid == 0) {
        scales[m] = is_scaled;
        info[m] = spoilt ? -1 : gone[0];
    }
}

#endif
