/*
 * trsm.cl: B = op(T)^-1 B for T of order m <= MOST_ROWS and B m x n, both column-major, in one launch.
 *
 * All four cases are one forward substitution with a lower triangle W:
 *
 *     forward  (L x = b, U^T x = b)   W(i, j) = op(T)(i, j),              y(i) = b(i)
 *     backward (U x = b, L^T x = b)   W(i, j) = op(T)(m-1-i, m-1-j),      y(i) = b(m-1-i)
 *
 * Rows from m on are zeros. A work-group has COLUMNS = 8 EACH SETS columns of B and ITEMS = 128 SETS work-items; the
 * global size is n / COLUMNS rounded up, times ITEMS. Only for devices with LANES: trsm_portable.cl is for others.
 *
 * In steps of 8 rows, a part. Step p solves part p and takes it out of the rows below it:
 *
 *     for k = 8 p .. 8 p + 7:   y(k) = y(k) / W(k, k);   y(i) = y(i) - W(i, k) y(k)  for i > k
 *
 * A set of 4 waves of 32 work-items has 8 EACH columns, a wave of it 32 rows: work-item c + 8 g has of columns c, c + 8
 * ... the rows 2 g and 2 g + 1 of each of 4 parts, in registers from the first step to the last. The waves of odd sets
 * have their rows in the opposite order, for the lower ones have more to do and waves that are a multiple of 4 apart
 * share a part of the device.
 *
 * The wave whose part it is gathers the part's 8 rows into each of its work-items, who all solve all of it: so the
 * chain of dependent operations has one exchange in 8 rows. It leaves the solution in local memory, behind the step's
 * barrier the waves below take it out of their rows, and the next part is being solved meanwhile.
 *
 * Local memory: SLOTS steps' columns of W, which come in while earlier steps are computed where the device copies by
 * itself (COPIES_AHEAD); two steps' solved rows of B; the pivots. In double 47 KB with EACH = 2, SETS = 2, and without
 * such copies 29. Access: of a column of W a work-item reads two rows as one, its 8 neighbours the same two; of a
 * column of B two solved rows as one. Both pitches, in twos, keep neighbours in different banks, and so does W's where
 * it comes in transposed.
 */
#ifndef EACH
#define EACH 1
#endif
#ifndef SETS
#define SETS 1
#endif
#define MOST_ROWS 128
#define WAVE      32
#define ITEMS     (MOST_ROWS * SETS)
#define COLUMNS   (8 * EACH * SETS) /* of B, of a work-group */

#ifdef LANES

#define PART    8 /* rows of a step */
#define PARTS   4 /* of a wave's rows */
#define SIDES   8 /* columns next to each other in a wave */
#define X_PITCH (PART + 2)

/* The columns of step p are p % SLOTS-th in local memory, from row 8 p on; the first SLOTS of them are the longest. */
#ifdef COPIES_AHEAD
#define SLOTS 6
#else
#define SLOTS 3
#endif
#define PITCH(p)   (MOST_ROWS + 2 - PART * (p))
#define SLOT_AT(s) (PART * ((s)*PITCH(0) - PART / 2 * (s) * ((s)-1)))

#include "triangle.clh"

/* A work-item's y, row e of its two of a part, of its column c. */
#define Y(part, e, c) y[((part)*2 + (e)) * EACH + (c)]

/* Columns 8 p .. 8 p + 7 of W, the wave's rows of them; W(i, k) is at origin + i * along_i + k * along_k. `whole`: all
 * of it lies below the diagonal and above row m. */
HELPER void copy_rows(LOCAL_BASE w, int at, int p, int block, int set, int lane, int m, int trans, int whole,
                      const GLOBAL REAL *origin, idx_t along_i, idx_t along_k) {
    const int i = WAVE * block + (trans ? lane / PART : lane), k = PART * p + (trans ? lane % PART : 0);
    const GLOBAL REAL *from = origin + i * along_i + k * along_k;
    const idx_t by = trans ? WAVE / PART * along_i : along_k;
    const int to = at + i - PART * p + (k - PART * p) * PITCH(p);
    const int to_by = trans ? WAVE / PART : PITCH(p);

    UNROLL
    for (int v = 0; v < PART / SETS; ++v) {
        const int u = set + v * SETS;
        const int ui = i + (trans ? WAVE / PART * u : 0), uk = k + (trans ? 0 : u);
        const int there = whole || (ui > uk && ui < m);
        LOCAL_COPY(w, to + u * to_by, there ? from + u * by : origin, there, whole || ui >= PART * p);
    }
}

/* Brings the work-item's part of step p. */
HELPER void copy_step(LOCAL_BASE w, int p, int block, int set, int lane, int m, int trans, const GLOBAL REAL *origin,
                      idx_t along_i, idx_t along_k) {
    const int top = WAVE * block;
    if (PART * p >= m || top + WAVE <= PART * p) return;
    if (top >= PART * (p + 1) && top + WAVE <= m)
        copy_rows(w, SLOT_AT(p % SLOTS), p, block, set, lane, m, trans, 1, origin, along_i, along_k);
    else
        copy_rows(w, SLOT_AT(p % SLOTS), p, block, set, lane, m, trans, 0, origin, along_i, along_k);
}

/* All rows of the work-items' first part, to each of them: by way of x, which is free for the solution behind the next
 * LANES_SYNC. Exchanges between lanes would be 16 a column in double. */
HELPER void gather(LOCAL_PTR REAL *x, int g, const REAL *y, REAL *z) {
    UNROLL
    for (int c = 0; c < EACH; ++c) {
        REAL2 own;
        own.x = Y(0, 0, c), own.y = Y(0, 1, c);
        *(LOCAL_PTR REAL2 *)(x + c * SIDES * X_PITCH + 2 * g) = own;
    }
    LANES_SYNC();
    UNROLL
    for (int k = 0; k < PART; k += 2) UNROLL
    for (int c = 0; c < EACH; ++c) {
        const REAL2 rows = PAIR(x + c * SIDES * X_PITCH + k);
        z[c * PART + k] = rows.x, z[c * PART + k + 1] = rows.y;
    }
}

HELPER void store_part(LOCAL_PTR REAL *x, const REAL *z) {
    UNROLL
    for (int c = 0; c < EACH; ++c) UNROLL
    for (int k = 0; k < PART; ++k) x[c * SIDES * X_PITCH + k] = z[c * PART + k];
}

/* z: the part's 8 rows of each column. Each is taken out of the next part, whose W is `next` rows down, as soon as it
 * is known. W is read at once, during the exchange: nothing but arithmetic depends on the row before. `pivots`,
 * where there are any, holds their inverses. */
HELPER void solve_part(const LOCAL_PTR REAL *w, int pitch, int next, const LOCAL_PTR REAL *pivots, int unit, REAL *z,
                       REAL *y) {
    REAL2 l[PART * PART / 2], below[PART], pivot[PART / 2];

#if EACH > 1 /* with more waves there is less room, and less need, for reads ahead */
    LANES_SYNC();
#endif
    UNROLL
    for (int k = 0; k < PART; ++k) {
        UNROLL
        for (int i = (k + 1) / 2; i < PART / 2; ++i) l[k * PART / 2 + i] = PAIR(w + k * pitch + 2 * i);
        below[k] = PAIR(w + k * pitch + next);
        if (!unit && k % 2 == 0) pivot[k / 2] = PAIR(pivots + k);
    }
#if EACH == 1 /* the reads stay before this */
    LANES_SYNC();
#endif
    UNROLL
    for (int k = 0; k < PART; ++k) {
        UNROLL
        for (int c = 0; c < EACH; ++c) {
            if (!unit) z[c * PART + k] *= k % 2 ? pivot[k / 2].y : pivot[k / 2].x;
            UNROLL
            for (int i = (k + 1) / 2; i < PART / 2; ++i) {
                if (2 * i > k) z[c * PART + 2 * i] -= l[k * PART / 2 + i].x * z[c * PART + k];
                z[c * PART + 2 * i + 1] -= l[k * PART / 2 + i].y * z[c * PART + k];
            }
            Y(1, 0, c) -= below[k].x * z[c * PART + k];
            Y(1, 1, c) -= below[k].y * z[c * PART + k];
        }
    }
}

/* The same with divisions, row by row in local memory: seldom, so short. */
HELPER void divide_part(const LOCAL_PTR REAL *w, int pitch, int next, const LOCAL_PTR REAL *pivots, int g,
                        LOCAL_PTR REAL *x, REAL *y) {
    for (int c = 0; c < EACH; ++c) {
        x[c * SIDES * X_PITCH + 2 * g] = Y(0, 0, c);
        x[c * SIDES * X_PITCH + 2 * g + 1] = Y(0, 1, c);
    }
#pragma unroll 1
    for (int k = 0; k < PART; ++k) {
        const REAL2 l = PAIR(w + k * pitch + 2 * g), below = PAIR(w + k * pitch + next);
        LANES_SYNC();
        UNROLL
        for (int c = 0; c < EACH; ++c) {
            LOCAL_PTR REAL *const rows = x + c * SIDES * X_PITCH;
            const REAL z = rows[k] / pivots[k];
            LANES_SYNC();
            if (2 * g >= k) rows[2 * g] = 2 * g == k ? z : rows[2 * g] - l.x * z;
            if (2 * g + 1 >= k) rows[2 * g + 1] = 2 * g + 1 == k ? z : rows[2 * g + 1] - l.y * z;
            Y(1, 0, c) -= below.x * z;
            Y(1, 1, c) -= below.y * z;
        }
    }
}

/* Takes the solved x out of parts from .. to - 1 of y, whose rows of W begin at w. */
HELPER void take_out(const LOCAL_PTR REAL *w, int pitch, const LOCAL_PTR REAL *x, int from, int to, REAL *y) {
    UNROLL
    for (int k = 0; k < PART; k += 2) {
        REAL2 z[EACH];
        UNROLL
        for (int c = 0; c < EACH; ++c) z[c] = PAIR(x + c * SIDES * X_PITCH + k);
        UNROLL
        for (int t = from; t < to; ++t) {
            const REAL2 l = PAIR(w + k * pitch + t * PART), r = PAIR(w + (k + 1) * pitch + t * PART);
            UNROLL
            for (int c = 0; c < EACH; ++c) {
                Y(t, 0, c) -= l.x * z[c].x;
                Y(t, 1, c) -= l.y * z[c].x;
                Y(t, 0, c) -= r.x * z[c].y;
                Y(t, 1, c) -= r.y * z[c].y;
            }
        }
    }
}

/* The pivot of the work-item's row i, or its inverse where those of all the wave's rows are safe: unless the result is
 * 1. */
HELPER int choose_pivot(int i, int m, const GLOBAL REAL *origin, idx_t along, REAL *pivot) {
    *pivot = i < m ? origin[i * along] : (REAL)1;
    const unsigned unsafe = !IS_SAFE(*pivot);
    const int divides = LANES_VOTE(unsafe) != 0; /* the same for all lanes */
    if (!divides) *pivot = 1 / *pivot;
    return divides;
}

KERNEL WORK_GROUP(ITEMS, 1, 1) void trsm(int m, idx_t n, int backward, int trans, int unit,
                                         const GLOBAL REAL *RESTRICT t, idx_t t_offset, idx_t ldt,
                                         GLOBAL REAL *RESTRICT b, idx_t b_offset, idx_t ldb) {
    /* One array, so that one address is kept: W; x, row k of a part at column * X_PITCH + k, every second step; the
     * pivots. */
    LOCAL_ARRAY(REAL2, pairs, (SLOT_AT(SLOTS) + 2 * COLUMNS * X_PITCH + MOST_ROWS) / 2);
    LOCAL_PTR REAL *const w = (LOCAL_PTR REAL *)pairs, *const xs = w + SLOT_AT(SLOTS);
    LOCAL_PTR REAL *const pivots = xs + 2 * COLUMNS * X_PITCH, *step = w;
    LOCAL_BASE copied = LOCAL_BASE_OF(w);
    const int lane = (int)LOCAL_ID(0) % WAVE, wave = (int)LOCAL_ID(0) / WAVE, set = wave / PARTS;
    const int block = set % 2 ? PARTS - 1 - wave % PARTS : wave % PARTS;
    const int g = lane / SIDES, side = set * SIDES * EACH + lane % SIDES;
    const idx_t column = GROUP_ID(0) * COLUMNS + side; /* the first; SIDES apart */
    const GLOBAL REAL *origin = t + t_offset + (backward ? (m - 1) * (1 + ldt) : 0);
    const idx_t along_i = (backward ? -1 : 1) * (trans ? ldt : 1), along_k = (backward ? -1 : 1) * (trans ? 1 : ldt);
    const int steps = (m + PART - 1) / PART;
    int divides = 0, slot = 0, left = PARTS,
        top = WAVE * block + 2 * g; /* parts that are not solved, the first's own rows */
    REAL y[PARTS * 2 * EACH], z[EACH * PART];

    UNROLL
    for (int q = 0; q < PARTS * 2; ++q) {
        const int i = top + q / 2 * PART + q % 2;
        UNROLL
        for (int c = 0; c < EACH; ++c)
            Y(q / 2, q % 2, c) = i < m && column + c * SIDES < n
                                     ? b[b_offset + (backward ? m - 1 - i : i) + (column + c * SIDES) * ldb]
                                     : (REAL)0;
    }
    for (int p = 0; p < SLOTS; ++p) {
        copy_step(copied, p, block, set, lane, m, trans, origin, along_i, along_k);
        LOCAL_COPY_COMMIT();
    }
    if (!unit) {
        REAL pivot;
        divides = choose_pivot(WAVE * block + lane, m, origin, along_i + along_k, &pivot);
        if (set == 0) pivots[WAVE * block + lane] = pivot;
    }
    LOCAL_COPY_WAIT(SLOTS - 1);
    LOCAL_BARRIER();

    for (int p = 0; p < steps; ++p) {
        LOCAL_PTR REAL *const x = xs + (p % 2 * COLUMNS + side) * X_PITCH;
        const int solves = p / PARTS == block, below = block > p / PARTS;
        const int stores = block == (p / PARTS + PARTS - 1) % PARTS; /* has least to do, or has time */

        if (solves) {
            const int next = left > 1 ? PART + 2 * g : 0; /* without a next part, take any */
            if (divides)
                divide_part(step, PITCH(p), next, pivots + PART * p, g, x, y);
            else {
                gather(x, g, y, z);
                if (unit)
                    solve_part(step, PITCH(p), next, pivots, 1, z, y);
                else
                    solve_part(step, PITCH(p), next, pivots + PART * p, 0, z, y);
                if (g == 0) store_part(x, z);
            }
            UNROLL
            for (int q = 0; q < (PARTS - 1) * 2 * EACH; ++q) y[q] = y[q + 2 * EACH];
            left -= 1;
        }
        LOCAL_COPY_WAIT(SLOTS - 3);
        LOCAL_BARRIER(); /* step p's x is there, step p + 1's W; step p - 1's is no longer read */
        if (below) take_out(step + top - PART * p, PITCH(p), x, 0, PARTS, y);
        if (solves) {
            if (left > 2)
                take_out(step + PART + 2 * g, PITCH(p), x, 1, 3, y);
            else if (left > 1)
                take_out(step + PART + 2 * g, PITCH(p), x, 1, 2, y);
        }
        if (stores) {
            UNROLL
            for (int c = 0; c < EACH; ++c) {
                const int i = PART * p + 2 * g;
                const idx_t to = b_offset + (column + c * SIDES) * ldb;
                const REAL2 solved = PAIR(x + c * SIDES * X_PITCH + 2 * g);
                if (i < m && column + c * SIDES < n) b[to + (backward ? m - 1 - i : i)] = solved.x;
                if (i + 1 < m && column + c * SIDES < n) b[to + (backward ? m - 2 - i : i + 1)] = solved.y;
            }
        }
        if (p > 0) {
            copy_step(copied, p - 1 + SLOTS, block, set, lane, m, trans, origin, along_i, along_k);
            LOCAL_COPY_COMMIT();
        }
        slot = slot + 1 < SLOTS ? slot + 1 : 0;
        step = w + SLOT_AT(slot);
    }
}

#endif
