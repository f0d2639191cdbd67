/*
 * substitute.cl: one step of op(T) x = b for a few right-hand sides, in place, T a triangle of order n cut into blocks
 * of BLOCK. A launch is a step, all of whose groups have their own part of b and wait for none:
 *
 *     forward, T lower:     before  block  open
 *                         [   .                ]   x(before)   solved by the launch before this one
 *                         [   #       \        ]   y(block)    the first groups, one a right-hand side: take x(before)
 *                         [   #              . ]               out of the block's rows, solve the triangle
 *                                                  b(open)     the others, ROWS rows each: take x(before) out of them
 *
 * So the triangle, a chain that cannot be shortened, runs concurrently with what the block before it left to do, and
 * nothing is done twice. Backward the block lies above the one before it and the open rows above that. `trans`:
 * op(T)(i, k) is T(k, i). If it is 2, op(T) is the conjugate transpose, conj(T)^T conj(x) = conj(T^T x): so x and b are
 * conjugated as they come and go, and T is not.
 *
 * The triangle. Backward it is turned round, so that it is always a lower one, W. In parts of 8 rows; step p:
 *
 *     x(k) = y(k) / W(k, k), y(i) -= W(i, k) x(k)   for the part's i, k;   sum(i) += W(i, k) x(k)   for rows below
 *
 * Work-item i + BLOCK h is one of PER = 4 that share row i: it has the parts h, h + 4 ... of the row in registers since
 * before the first step, so that only arithmetic depends on the step before. There is one barrier a step. The
 * work-items of the part solve all of it, each for itself, from local memory: y and the part's small triangle, its
 * pivots inverted beforehand. Rows of the next part are final then: the sums of the row's other work-items, earlier by
 * a step at least, wait in local memory. Rows far below take the part out a step later, from the solution in local
 * memory, which is less to read. Work-items that are WAVE apart and more are not taken to run in step.
 *
 * Work-group: 4 BLOCK items, one dimension; the global size is that times the right-hand sides plus the open rows'
 * groups, or without the former in `triangles` those alone.
 * Local memory: 2760 elements; of complex doubles, which have 32 open rows a group, 1800.
 * Access: WAVE neighbours read WAVE elements of a column, of T in groups of 8 where it comes in transposed for the
 * triangle; a work-item has 16 loads and more under way. The odd pitches keep both directions through local memory free
 * of bank conflicts. Only the triangle of use is read.
 */
#ifndef BLOCK
#define BLOCK 64
#endif
#define SIDES   4 /* right-hand sides, at most */
#define PER     4 /* work-items of a row of the triangle */
#define ITEMS   (PER * BLOCK)
#define PART    8 /* rows of a step */
#define PARTS   (BLOCK / PART)
#define ROUNDS  (PARTS / PER) /* parts of a work-item */
#define WAVE    32
#define WAVES   (ITEMS / WAVE)
#define ROWS    (CLS_COMPLEX && CLS_DOUBLE ? 32 : 64) /* of a group */
#define SHARES  (ITEMS / ROWS)                        /* work-items of an open row */
#define EACH    (BLOCK / SHARES)
#define PITCH   (WAVE + 1)
#define P_PITCH (PART + 1)
#define STAGED  2 /* of a row's work-items, whose parts are turned at once */

/* Local memory, in elements. ROOM: what is there by turns. */
#define SMALL (PARTS * PART * PART)
#define ROOM  (STAGED * BLOCK * P_PITCH > ROWS * PITCH ? STAGED * BLOCK * P_PITCH : ROWS * PITCH)
#define WORDS (SMALL + 2 * BLOCK + PARTS + ROOM)

#include "triangle.clh"

/* ---- the triangle ---- */

/* W(i, k) is at origin + i * along_i + k * along_k. The triangles of 8 rows, W(8 p + i, 8 p + k) at 64 p + 8 k + i, on
 * the diagonal 1 / W(k, k), or 0 where that is not safe. */
HELPER void bring_small(LOCAL_PTR ELEMENT *small, LOCAL_PTR ELEMENT *pivots, int item, int m, int trans, int unit,
                        const GLOBAL ELEMENT *origin, idx_t along_i, idx_t along_k) {
    UNROLL
    for (int q = 0; q < SMALL / ITEMS; ++q) {
        const int e = item + q * ITEMS, fast = e % PART, slow = e / PART % PART, p = e / (PART * PART);
        const int i = trans ? slow : fast, k = trans ? fast : slow, row = PART * p + i;
        ELEMENT v = i == k ? ONE : ZERO;
        if (row < m && (i > k || (i == k && !unit))) v = origin[row * along_i + (PART * p + k) * along_k];
        if (i == k) {
            pivots[row] = v;
            v = IS_SAFE(v) ? OVER(ONE, v) : ZERO;
        }
        small[PART * PART * p + PART * k + i] = v;
    }
}

/* The work-item's parts of its row: w[8 u + k] = W(i, 8 (4 u + h) + k), of those left of the row's own part. Here one
 * of them, p. */
HELPER void bring_part(ELEMENT *w, int i, int p, int m, const GLOBAL ELEMENT *origin, idx_t along_i, idx_t along_k) {
    const int there = i < m && i / PART > p;
    UNROLL
    for (int k = 0; k < PART; ++k) w[k] = there ? origin[i * along_i + (PART * p + k) * along_k] : ZERO;
}

/* All of them, where neighbours are in a row of W: 8 work-items read a row's 8 elements of a part, by way of local
 * memory. */
HELPER void bring_parts_turned(ELEMENT *w, int i, int h, int m, const GLOBAL ELEMENT *origin, idx_t along_i,
                               idx_t along_k, LOCAL_PTR ELEMENT *room) {
    const int k = i % PART, first = i / WAVE * WAVE + i % WAVE / PART;
    LOCAL_PTR ELEMENT *const mine = room + h % STAGED * BLOCK * P_PITCH;

    UNROLL
    for (int u = 0; u < ROUNDS; ++u) UNROLL
    for (int v = 0; v < PART; ++v) {
        const int p = PER * u + h, row = first + WAVE / PART * v;
        w[PART * u + v] = row < m && row / PART > p ? origin[row * along_i + (PART * p + k) * along_k] : ZERO;
    }
    UNROLL
    for (int u = 0; u < ROUNDS; ++u)
        for (int turn = 0; turn < PER; turn += STAGED) {
            const int now = h / STAGED * STAGED == turn;
            if (now) {
                UNROLL
                for (int v = 0; v < PART; ++v) mine[(first + WAVE / PART * v) * P_PITCH + k] = w[PART * u + v];
            }
            LOCAL_BARRIER();
            if (now) {
                UNROLL
                for (int v = 0; v < PART; ++v) w[PART * u + v] = mine[i * P_PITCH + v];
            }
            LOCAL_BARRIER();
        }
}

/* z: the part's y, then its x, which is taken out of the work-item's row as it comes. The elements that are read do
 * not depend on y. */
HELPER ELEMENT solve_part(const LOCAL_PTR ELEMENT *small, int unit, ELEMENT *z, const ELEMENT *w, ELEMENT sum) {
    UNROLL
    for (int k = 0; k < PART; ++k) {
        ELEMENT_PAIR l[PART / 2];
        UNROLL
        for (int i = k / 2; i < PART / 2; ++i) l[i] = PAIR(small + k * PART + 2 * i);
        if (!unit) MULTIPLY_BY(z[k], k % 2 ? l[k / 2].y : l[k / 2].x);
        UNROLL
        for (int i = k + 1; i < PART; ++i) SUBTRACT_PRODUCT(z[i], i % 2 ? l[i / 2].y : l[i / 2].x, z[k]);
        ADD_PRODUCT(sum, w[k], z[k]);
    }
    return sum;
}

/* The same with divisions: seldom. */
HELPER ELEMENT divide_part(const LOCAL_PTR ELEMENT *small, const LOCAL_PTR ELEMENT *pivots, ELEMENT *z,
                           const ELEMENT *w, ELEMENT sum) {
    UNROLL
    for (int k = 0; k < PART; ++k) {
        DIVIDE(z[k], pivots[k]);
        UNROLL
        for (int i = k + 1; i < PART; ++i) SUBTRACT_PRODUCT(z[i], small[k * PART + i], z[k]);
        ADD_PRODUCT(sum, w[k], z[k]);
    }
    return sum;
}

/* The products of x(before) in the block's rows, shared by each row's work-items: the sum of this one's. `back`:
 * the last row, where rows count from the end; else -1. Row r's element of column k is at `beside + r + k ld`, or with
 * `trans` at `beside + k + r ld`. */
HELPER ELEMENT beside_sum(int i, int h, int m, int before, int back, const LOCAL_PTR ELEMENT *known,
                          const GLOBAL ELEMENT *beside, idx_t ld) {
    const GLOBAL ELEMENT *const from = beside + (back < 0 ? i : back - i);
    const int first = h * (BLOCK / PER);
    ELEMENT held[BLOCK / PER], sum = ZERO;

    UNROLL
    for (int q = 0; q < BLOCK / PER; ++q) held[q] = i < m && first + q < before ? from[(first + q) * ld] : ZERO;
    LOCAL_BARRIER(); /* `known` is there */
    UNROLL
    for (int q = 0; q < BLOCK / PER; ++q) ADD_PRODUCT(sum, held[q], known[first + q]);
    return sum;
}

/* A wave's work-items are neighbours in a column of T, which is a row here; each ends with an eighth of the sums of a
 * quarter of them. */
HELPER ELEMENT beside_sum_turned(int item, int m, int before, int back, const LOCAL_PTR ELEMENT *known,
                                 const GLOBAL ELEMENT *beside, idx_t ld, LOCAL_PTR ELEMENT *room) {
    const int lane = item % WAVE, wave = item / WAVE, i = item % BLOCK, h = item / BLOCK;
    ELEMENT held[BLOCK / PER], sum = ZERO;

    UNROLL
    for (int q = 0; q < BLOCK / WAVES; ++q) {
        const int row = wave + WAVES * q;
        const GLOBAL ELEMENT *const from = beside + (back < 0 ? row : back - row) * ld;
        UNROLL
        for (int s = 0; s < BLOCK / WAVE; ++s) {
            const int k = lane + WAVE * s;
            held[q * (BLOCK / WAVE) + s] = row < m && k < before ? from[k] : ZERO;
        }
    }
    LOCAL_BARRIER();
    UNROLL
    for (int pass = 0; pass < BLOCK / ROWS; ++pass) {
        UNROLL
        for (int q = 0; q < ROWS / WAVES; ++q) {
            ELEMENT part = ZERO;
            UNROLL
            for (int s = 0; s < BLOCK / WAVE; ++s)
                ADD_PRODUCT(part, held[(pass * (ROWS / WAVES) + q) * (BLOCK / WAVE) + s], known[lane + WAVE * s]);
            room[(wave + WAVES * q) * PITCH + lane] = part;
        }
        LOCAL_BARRIER();
        if (i / ROWS == pass)
            for (int e = 0; e < WAVE / PER; ++e) ADD(sum, room[i % ROWS * PITCH + WAVE / PER * h + e]);
        LOCAL_BARRIER();
    }
    return sum;
}

/* t: the block's own triangle; b: its right-hand side, x: that before it. */
HELPER void solve_block(LOCAL_PTR ELEMENT *words, int m, int before, int backward, int trans, int unit,
                        const GLOBAL ELEMENT *t, const GLOBAL ELEMENT *beside, idx_t ld, GLOBAL ELEMENT *b,
                        const GLOBAL ELEMENT *x) {
    LOCAL_PTR ELEMENT *const small = words, *const pivots = small + SMALL, *const known = pivots + BLOCK;
    LOCAL_PTR ELEMENT *const multiplies = known + BLOCK, *const room = multiplies + PARTS;
    LOCAL_PTR ELEMENT *const sums = room, *const ys = sums + PER * BLOCK, *const xs = ys + BLOCK;
    const int item = (int)LOCAL_ID(0), i = item % BLOCK, h = item / BLOCK, part = i / PART;
    const int first = i / WAVE * (WAVE / PART); /* part of the wave */
    const int back = backward ? m - 1 : -1, row = backward ? m - 1 - i : i;
    const GLOBAL ELEMENT *const origin = t + (backward ? (m - 1) * (1 + ld) : 0);
    const idx_t along_i = (backward ? -1 : 1) * (trans ? ld : 1), along_k = (backward ? -1 : 1) * (trans ? 1 : ld);
    ELEMENT w[ROUNDS * PART], z[PART], sum = ZERO;

    /* -b is in the sum of who stores the row: so no other work-item reads what it writes. */
    if (i < m && h == part % PER) sum = NEGATED(CONJUGATE_IF(trans == 2, b[row]));
    if (item < BLOCK) known[item] = item < before ? CONJUGATE_IF(trans == 2, x[item]) : ZERO;
    bring_small(small, pivots, item, m, trans, unit, origin, along_i, along_k);
    if (trans) {
        if (before > 0) {
            const ELEMENT beside_all = beside_sum_turned(item, m, before, back, known, beside, ld, room);
            ADD(sum, beside_all);
        }
        bring_parts_turned(w, i, h, m, origin, along_i, along_k, room);
    } else { /* the later half comes in while there are steps: registers are short */
        UNROLL
        for (int u = 0; u < ROUNDS / 2; ++u) bring_part(w + PART * u, i, PER * u + h, m, origin, along_i, along_k);
        if (before > 0) {
            const ELEMENT beside_all = beside_sum(i, h, m, before, back, known, beside, ld);
            ADD(sum, beside_all);
        }
        UNROLL
        for (int u = ROUNDS / 2; u < ROUNDS; ++u) bring_part(w + PART * u, i, PER * u + h, m, origin, along_i, along_k);
    }
    sums[h * BLOCK + i] = sum;
    LOCAL_BARRIER();
    if (item < PARTS) {
        int all = 1;
        for (int k = 0; k < PART; ++k) all &= IS_NONZERO_ELEMENT(small[PART * PART * item + (PART + 1) * k]);
        multiplies[item] = FROM_REAL((REAL)all);
    }
    if (part == 0 && h == PER - 1) {
        for (int g = 0; g < PER - 1; ++g) ADD(sum, sums[g * BLOCK + i]);
        ys[i] = NEGATED(sum);
    }

    for (int p = 0; p * PART < m; ++p) {
        LOCAL_BARRIER(); /* the part's y are there, and the solution of the part before it */
        if (h == p % PER && part >= p && first <= p + 2) {
            const LOCAL_PTR ELEMENT *const l = small + PART * PART * p;
            ELEMENT others = ZERO;
            if (part == p + 1)
                for (int g = 1; g < PER; ++g) ADD(others, sums[(h + g) % PER * BLOCK + i]);
            UNROLL
            for (int k = 0; k < PART; k += 2) {
                const ELEMENT_PAIR y = PAIR(ys + PART * p + k);
                z[k] = y.x, z[k + 1] = y.y;
            }
            if (unit)
                sum = solve_part(l, 1, z, w, sum);
            else if (IS_NONZERO_ELEMENT(multiplies[p]))
                sum = solve_part(l, 0, z, w, sum);
            else
                sum = divide_part(l, pivots + PART * p, z, w, sum);
            if (part == p) {
                ELEMENT own = z[0];
                UNROLL
                for (int k = 1; k < PART; ++k) own = PICK(i % PART == k, z[k], own);
                xs[i] = own;
                if (i < m) b[row] = CONJUGATE_IF(trans == 2, own);
            } else if (part == p + 1) {
                ys[i] = NEGATED(PLUS(others, sum));
            } else {
                sums[h * BLOCK + i] = sum;
            }
        }
        if (p > 0 && h == (p - 1) % PER) {
            if (first > p + 1) { /* the part before: from the solution */
                UNROLL
                for (int k = 0; k < PART; ++k) ADD_PRODUCT(sum, w[k], xs[PART * (p - 1) + k]);
                sums[h * BLOCK + i] = sum;
            }
            UNROLL
            for (int k = 0; k < PART * (ROUNDS - 1); ++k) w[k] = w[k + PART];
        }
    }
}

/* ---- the open rows ---- */

/* Row r's sums of the group's right-hand sides, from those of its work-items. */
HELPER void open_plain(int item, int there, int before, int cols, const LOCAL_PTR ELEMENT *known,
                       const GLOBAL ELEMENT *open, idx_t ld, GLOBAL ELEMENT *b, idx_t ldb, LOCAL_PTR ELEMENT *room) {
    const int r = item % ROWS, h = item / ROWS, adds = item < cols * ROWS && r < there;
    const GLOBAL ELEMENT *const from = open + r + h * EACH * ld;
    ELEMENT held[EACH], rest = ZERO;

    UNROLL
    for (int q = 0; q < EACH; ++q) held[q] = r < there && h * EACH + q < before ? from[q * ld] : ZERO;
    if (adds) rest = b[r + h * ldb];
    LOCAL_BARRIER();
    for (int c = 0; c < cols; ++c) {
        ELEMENT sum = ZERO;
        UNROLL
        for (int q = 0; q < EACH; ++q) ADD_PRODUCT(sum, held[q], known[c * BLOCK + h * EACH + q]);
        room[(c * SHARES + h) * ROWS + r] = sum;
    }
    LOCAL_BARRIER();
    if (adds) {
        ELEMENT sum = ZERO;
        UNROLL
        for (int s = 0; s < SHARES; ++s) ADD(sum, room[(h * SHARES + s) * ROWS + r]);
        b[r + h * ldb] = MINUS(rest, sum);
    }
}

HELPER void open_turned(int item, int there, int before, int cols, int conjugated, const LOCAL_PTR ELEMENT *known,
                        const GLOBAL ELEMENT *open, idx_t ld, GLOBAL ELEMENT *b, idx_t ldb, LOCAL_PTR ELEMENT *room) {
    const int lane = item % WAVE, wave = item / WAVE;
    ELEMENT held[EACH];
    (void)conjugated; /* by complex elements alone */

    UNROLL
    for (int q = 0; q < ROWS / WAVES; ++q) UNROLL
    for (int s = 0; s < BLOCK / WAVE; ++s) {
        const int r = wave + WAVES * q, k = lane + WAVE * s;
        held[q * (BLOCK / WAVE) + s] = r < there && k < before ? open[k + r * ld] : ZERO;
    }
    for (int c = 0; c < cols; ++c) {
        LOCAL_BARRIER(); /* `known` is there; the sums of the column before are read */
        UNROLL
        for (int q = 0; q < ROWS / WAVES; ++q) {
            ELEMENT sum = ZERO;
            UNROLL
            for (int s = 0; s < BLOCK / WAVE; ++s)
                ADD_PRODUCT(sum, held[q * (BLOCK / WAVE) + s], known[c * BLOCK + lane + WAVE * s]);
            room[(wave + WAVES * q) * PITCH + lane] = sum;
        }
        LOCAL_BARRIER();
        if (item < there) {
            ELEMENT sums[4] = {ZERO, ZERO, ZERO, ZERO};
            UNROLL
            for (int e = 0; e < WAVE; ++e) ADD(sums[e % 4], room[item * PITCH + e]);
            const ELEMENT all = PLUS(PLUS(sums[0], sums[1]), PLUS(sums[2], sums[3]));
            b[item + c * ldb] = MINUS(b[item + c * ldb], CONJUGATE_IF(conjugated, all));
        }
    }
}

/*
 * m: rows of the block, 1 .. BLOCK; before: of the one before it, 0 for none; rows: open ones; triangles: cols, or 0.
 * t: from t_offset on the triangle; u: from beside_offset on op(T)(block, before), from open_offset on op(T)(open,
 * before); b: from b_offset on the block, from x_offset on the one before it, from open_b on the open rows.
 */
KERNEL WORK_GROUP(ITEMS, 1, 1) void substitute(int m, int before, int cols, int triangles, idx_t rows, int backward,
                                               int trans, int unit, const GLOBAL ELEMENT *RESTRICT t, idx_t t_offset,
                                               const GLOBAL ELEMENT *RESTRICT u, idx_t beside_offset, idx_t open_offset,
                                               idx_t ld, GLOBAL ELEMENT *RESTRICT b, idx_t b_offset, idx_t x_offset,
                                               idx_t open_b, idx_t ldb) {
    LOCAL_PAIRS(pairs, words, WORDS / 2);
    const idx_t group = GROUP_ID(0);

    if (group < triangles) {
        solve_block(words, m, before, backward, trans, unit, t + t_offset, u + beside_offset, ld,
                    b + b_offset + group * ldb, b + x_offset + group * ldb);
    } else {
        const idx_t first = (group - triangles) * ROWS;
        const int item = (int)LOCAL_ID(0), there = (int)(rows - first < ROWS ? rows - first : ROWS);
        LOCAL_PTR ELEMENT *const room = words + SIDES * BLOCK;
        for (int e = item; e < SIDES * BLOCK; e += ITEMS)
            words[e] = e % BLOCK < before && e / BLOCK < cols
                           ? CONJUGATE_IF(trans == 2, b[x_offset + e % BLOCK + e / BLOCK * ldb])
                           : ZERO;
        if (trans)
            open_turned(item, there, before, cols, trans == 2, words, u + open_offset + first * ld, ld,
                        b + open_b + first, ldb, room);
        else
            open_plain(item, there, before, cols, words, u + open_offset + first, ld, b + open_b + first, ldb, room);
    }
}
