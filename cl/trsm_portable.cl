/*
 * trsm_portable.cl: B = op(T)^-1 B for T of order m <= MOST_ROWS and B m x n, both column-major, in one launch, in
 * OpenCL C
 * 1.2 alone; trsm.cl does it with NVIDIA's instructions.
 *
 * All four cases are one forward substitution with a lower triangle W:
 *
 *     forward  (L x = b, U^T x = b)   W(i, j) = op(T)(i, j),              y(i) = b(i)
 *     backward (U x = b, L^T x = b)   W(i, j) = op(T)(m-1-i, m-1-j),      y(i) = b(m-1-i)
 *
 * in parts of 16 rows. Work-item c + SIDES p has part p of the columns c, c + SIDES ... of the group's, in registers
 * from the first step to the last. Step p:
 *
 *     part p         solves its 16 rows, on its own, and shows them in local memory
 *     barrier
 *     part p         stores them to B
 *     parts beyond   take them out of their rows; part p + 1 goes on to solve
 *
 * W's columns of step p + 1 come in during step p, into the other of two slots. Elements above the diagonal are
 * zeros there, and so are rows from m on.
 *
 * Work-groups: SIDES * MOST_ROWS / 16 work-items, which have SIDES * EACH columns of B; the global size is n divided
 * by that, rounded up, times the work-items. Local memory, in double with EACH = 2: 47 KB for 128 rows, 29 for 64; of
 * complex doubles with EACH = 1: 47 KB for 64 rows, 30 for 32.
 * Access: 16 neighbours read 16 neighbouring elements of a column of T, or of B; a part's work-items read the same two
 * elements of W as one. Odd pitches keep both directions through local memory free of bank conflicts.
 */
#ifndef EACH
#define EACH 1
#endif
#ifndef MOST_ROWS
#define MOST_ROWS 128
#endif
#define PART    16
#define PARTS   (MOST_ROWS / PART)
#define SIDES   32
#define ITEMS   (SIDES * PARTS)
#define COLUMNS (SIDES * EACH)
#define HELD    (MOST_ROWS * PART / ITEMS) /* elements of a step's W that a work-item brings */
#define FARS    (ITEMS / PART)
#define TURNS   (PART / FARS) /* such elements of a row of the slot */

/* The pitch of the slots of even and of odd steps; an even number, for pairs. Rows begin with the step's. */
#define PITCH(p)  (MOST_ROWS + 2 - PART * ((p) % 2))
#define SLOT_1    (PART * PITCH(0))
#define X_AT      (SLOT_1 + PART * PITCH(1))
#define X_PITCH   (COLUMNS + 1)
#define X_SIZE    ((PART * X_PITCH + 1) / 2 * 2)
#define PIVOTS_AT (X_AT + 2 * X_SIZE)
/* Columns of B on their way in lie where W and x will. */
#define IN_PITCH (MOST_ROWS + 1)

#include "triangle.clh"

/* A work-item's y, row i of its part, of its column e. */
#define Y(i, e) y[(i)*EACH + (e)]

#define FOR_PART                                                                                                       \
    UNROLL                                                                                                             \
    for (int i = 0; i < PART; ++i)
#define FOR_EACH                                                                                                       \
    UNROLL                                                                                                             \
    for (int e = 0; e < EACH; ++e)

/* W(i, k) lies at origin + i * along_i + k * along_k. */
typedef struct {
    const GLOBAL ELEMENT *origin;
    idx_t along_i, along_k;
    int m, trans, unit; /* trans 2: transposed and conjugate */
} triangle;

/* Element h of those that a work-item brings of a step: row i of the slot, column k. Neighbours go along T's
 * columns. */
#define ELEMENT_AT(h)                                                                                                  \
    const int near = lid % PART, far = lid / PART;                                                                     \
    const int i = w.trans ? far + (h)*FARS : near + (h) / TURNS * PART;                                                \
    const int k = w.trans ? near : far + (h) % TURNS * FARS;

/* Columns 16 p .. 16 p + 15 of W, the rows from 16 p on: all reads before the first is wanted. */
HELPER void fetch(const triangle w, int p, int lid, ELEMENT *held) {
    UNROLL
    for (int h = 0; h < HELD; ++h) {
        ELEMENT_AT(h)
        const int rows = MOST_ROWS - PART * p;
        const int wi = PART * p + i, wk = PART * p + k;
        const int there = i < rows && wi < w.m && wk < w.m && (wi > wk || (wi == wk && !w.unit));
        held[h] = there ? CONJUGATE_IF(w.trans == 2, w.origin[wi * w.along_i + wk * w.along_k]) : ZERO;
    }
}

HELPER void put(const triangle w, int p, int lid, const ELEMENT *held, LOCAL_PTR ELEMENT *slot) {
    UNROLL
    for (int h = 0; h < HELD; ++h) {
        ELEMENT_AT(h)
        if (i < MOST_ROWS - PART * p) slot[k * PITCH(p) + i] = held[h];
    }
}

/* z = W^-1 y for the part's own triangle, whose inverse pivots, or pivots where these `divide`, are `pivots`. */
HELPER void solve_part(const LOCAL_PTR ELEMENT *w, int pitch, const LOCAL_PTR ELEMENT *pivots, int unit, int divides,
                       ELEMENT *y) {
    UNROLL
    for (int k = 0; k < PART; ++k) {
        if (!unit) FOR_EACH Y(k, e) = divides ? OVER(Y(k, e), pivots[k]) : TIMES(Y(k, e), pivots[k]);
        UNROLL
        for (int i = k / 2 * 2; i < PART; i += 2) {
            const ELEMENT_PAIR l = PAIR(w + k * pitch + i);
            FOR_EACH {
                if (i > k) Y(i, e) = LESS_PRODUCT(Y(i, e), l.x, Y(k, e));
                if (i + 1 > k) Y(i + 1, e) = LESS_PRODUCT(Y(i + 1, e), l.y, Y(k, e));
            }
        }
    }
}

/* The part's rows less what the solved ones take. */
HELPER void take_out(const LOCAL_PTR ELEMENT *w, int pitch, const LOCAL_PTR ELEMENT *x, ELEMENT *y) {
#pragma unroll 4
    for (int k = 0; k < PART; ++k) {
        ELEMENT z[EACH];
        FOR_EACH z[e] = x[k * X_PITCH + e * SIDES];
        UNROLL
        for (int i = 0; i < PART; i += 2) {
            const ELEMENT_PAIR l = PAIR(w + k * pitch + i);
            FOR_EACH {
                Y(i, e) = LESS_PRODUCT(Y(i, e), l.x, z[e]);
                Y(i + 1, e) = LESS_PRODUCT(Y(i + 1, e), l.y, z[e]);
            }
        }
    }
}

KERNEL WORK_GROUP(ITEMS, 1, 1) void trsm_portable(int m, idx_t n, int backward, int trans, int unit,
                                                  const GLOBAL ELEMENT *RESTRICT t, idx_t t_offset, idx_t ldt,
                                                  GLOBAL ELEMENT *RESTRICT b, idx_t b_offset, idx_t ldb) {
    LOCAL_ARRAY(ELEMENT_PAIR, pairs, (PIVOTS_AT + MOST_ROWS) / 2);
    LOCAL_ARRAY(int, unsafe, 1);
    LOCAL_PTR ELEMENT *const w = (LOCAL_PTR ELEMENT *)pairs, *const pivots = w + PIVOTS_AT;
    const int lid = (int)LOCAL_ID(0), side = lid % SIDES, part = lid / SIDES;
    const idx_t first = GROUP_ID(0) * COLUMNS; /* the group's first column */
    const int columns = n - first < COLUMNS ? (int)(n - first) : COLUMNS;
    const GLOBAL ELEMENT *origin = t + t_offset + (backward ? (m - 1) * (1 + ldt) : 0);
    const idx_t along_i = (backward ? -1 : 1) * (trans ? ldt : 1), along_k = (backward ? -1 : 1) * (trans ? 1 : ldt);
    const int steps = (m + PART - 1) / PART;
    GLOBAL ELEMENT *const rows = b + b_offset + first * ldb; /* row 0 of the group's columns */
    const triangle of_t = {origin, along_i, along_k, m, trans, unit};
    ELEMENT y[PART * EACH], held[HELD];

    if (lid == 0) unsafe[0] = 0;
    for (int e = 0; e < EACH; ++e) { /* SIDES columns at a time */
        for (int q = lid; q < MOST_ROWS * SIDES; q += ITEMS) {
            const int i = q % MOST_ROWS, c = q / MOST_ROWS + e * SIDES;
            w[i + q / MOST_ROWS * IN_PITCH] = i < m && c < columns ? rows[(backward ? m - 1 - i : i) + c * ldb] : ZERO;
        }
        BARRIER();
        UNROLL
        for (int d = 0; d < EACH; ++d)
            if (d == e) FOR_PART Y(i, d) = w[part * PART + i + side * IN_PITCH];
        BARRIER();
    }
    fetch(of_t, 0, lid, held);
    put(of_t, 0, lid, held, w);
    if (!unit && lid < MOST_ROWS) {
        const ELEMENT pivot = lid < m ? CONJUGATE_IF(trans == 2, origin[lid * (along_i + along_k)]) : FROM_REAL(1);
        if (!IS_SAFE(pivot)) unsafe[0] = 1;
        pivots[lid] = pivot;
    }
    BARRIER();
    const int divides = unsafe[0];
    if (!unit && lid < MOST_ROWS && !divides) pivots[lid] = OVER(FROM_REAL(1), pivots[lid]);
    BARRIER();

    for (int p = 0; p < steps; ++p) {
        const LOCAL_PTR ELEMENT *const slot = w + p % 2 * SLOT_1;
        LOCAL_PTR ELEMENT *const x = w + X_AT + p % 2 * X_SIZE;
        if (part == p) {
            solve_part(slot, PITCH(p), pivots + PART * p, unit, divides, y);
            FOR_PART FOR_EACH x[i * X_PITCH + side + e * SIDES] = Y(i, e);
        }
        BARRIER(); /* x is there, and the other slot no longer read */
        if (p + 1 < steps) fetch(of_t, p + 1, lid, held);
        if (part == p) {
            const int near = side % PART, i = PART * p + near;
            for (int c = side / PART; c < columns; c += SIDES / PART)
                if (i < m) rows[(backward ? m - 1 - i : i) + c * ldb] = x[near * X_PITCH + c];
        }
        if (part > p) take_out(slot + PART * (part - p), PITCH(p), x + side, y);
        if (p + 1 < steps) put(of_t, p + 1, lid, held, w + (p + 1) % 2 * SLOT_1);
        BARRIER(); /* the next slot is there */
    }
}
