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
 * Cholesky has the rows k .. k + W - 1 of L, conjugated, in the place of X.
 *
 * Rows of LU are not moved: `place` says where a row is by now, and F has rows in A's order until all panels are done.
 * Then each column of F is brought to the order of the places. Scaling, `rows`, `scales` and `info` are as
 * direct_batch.clh says. F must not be A.
 *
 * Work-groups: LS work-items, one a member of up to LS * PER rows; in waves where there are lanes. Access: neighbours
 * on neighbouring rows of a column. Local memory: 2 W ROOM_PITCH elements, of LU also LS * PER (W - 1) / 2, as
 * direct_batch_held.clh and front_step.clh, LS words, of Cholesky LS * PER ints.
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

KERNEL WORK_GROUP(LS, 1, 1) void direct_batch_whole(MEMBERS, GLOBAL const ELEMENT *A, VIEW_OF(a), GLOBAL ELEMENT *F,
                                                    GLOBAL int *rows, GLOBAL int *scales, GLOBAL int *info,
                                                    const int conjugate) {
    STEP_ARRAYS;
    LOCAL_PAIRS(pairs_of_rooms, rooms, W * ROOM_PITCH);
    STAGE_ARRAY;
    LOCAL_ARRAY(int, roots, MOST_ROWS);
    LOCAL_ARRAY(unsigned, words, LS);
    const int lid = (int)LOCAL_ID(0);
    const idx_t m = MEMBER(GROUP_ID(0));
    const int order = ORDER_OF(m);
    const idx_t ld = order, row = STEP_OF(a, row, order), column = STEP_OF(a, column, order);
    GLOBAL const ELEMENT *const from_a = A + PLACE_OF(a, m);
    GLOBAL ELEMENT *const f = F + FACTORS_OF(m);
    ELEMENT y[PER][W];
    int place[PER], told = 0;
    unsigned extreme = 0, spoilt = 0;
    HELD_ARRAYS;
    (void)conjugate;
    MEMBERS_TAKEN;
    VIEW_TAKEN(a);
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
        outcome of = no_outcome();
        EACH_ROW place[R] = lid + R * LS < order ? lid + R * LS : -1;
        FIND_PLACES;
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
        for (int p = 0; p < k; p += W) {
            LOCAL_PTR ELEMENT *const room = rooms + p / W % 2 * (W * ROOM_PITCH); /* the other one may be read yet */
            EACH_ROW {
                const int i = lid + R * LS, r = i - k;
                UNROLL
                for (int c = 0; c < W; ++c)
                    if (r >= 0 && r < W)
                        room[c * ROOM_PITCH + r] = i < order ? CONJUGATE_IF(1, f[i + (p + c) * ld]) : ZERO;
            }
            LOCAL_BARRIER();
            TAKE_OUT(k, f + p * ld, room);
        }
        TO_ROWS;
        EACH_ROW place[R] -= place[R] < 0 ? FAR_ABOVE : k; /* in this panel, or less than 0 */
        for (int c = 0; c < w; ++c) eliminate(y, place, c, STEP_ROOM, &of);
        store_panel(y, f, ld, k, w, k, order, lid);
        if (of.gone && told == 0) told = k + of.gone;
        BARRIER(); /* others read what a work-item has stored */
    }
    spoilt = largest_of_group(spoilt, words, lid);
    if (lid == 0) {
        scales[m] = is_scaled;
        info[m] = spoilt ? -1 : told;
    }
}

#endif
