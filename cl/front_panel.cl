/*
 * front_panel.cl: a panel of W columns of the PIVOT of each front, from row and column k on.
 *
 * LU: the pivot of a column is the largest element (by |re| + |im|) of the rows from it on, the first of equals. One of
 * size less than `tiny` is replaced by one of that size in the same direction and counted in replaced[s], which has the
 * bit VANISHED where one was less than `zero`. ipiv[first + k + c] is the row, counted from the front's first, with which
 * row k + c was exchanged: in the panel now, elsewhere by front_right.cl. Cholesky: replaced[s] is VANISHED where a pivot
 * is not positive.
 *
 * Work-groups: LS work-items, one group a front. A work-item has the rows LOCAL_ID(0), LOCAL_ID(0) + LS, ... Access:
 * neighbours on neighbouring rows. Local memory: LS REALs and LS ints, of Cholesky W REALs; with NEAR, for fronts of up
 * to NEAR rows, also the panel, which is in local memory from the first step to the last.
 */
#ifndef LS
#define LS 64
#endif
#ifndef W
#define W 32
#endif
#ifndef NEAR
#define NEAR 0
#endif

#include "front.clh"

#define VANISHED (1 << 30)

#if NEAR
#define AT(i, j) tile[(i) + (j)*NEAR]
#else
#define AT(i, j) p[(i) + (j)*ld]
#endif

KERNEL WORK_GROUP(LS, 1, 1) void front_panel(GLOBAL const idx_t *RESTRICT fronts, GLOBAL const int *RESTRICT list,
                                             idx_t from, int k, GLOBAL ELEMENT *arena, GLOBAL int *ipiv, REAL tiny,
                                             REAL zero, GLOBAL int *replaced) {
#if CHOLESKY
    LOCAL_ARRAY(REAL, root, W);
#else
    LOCAL_ARRAY(REAL, best, LS);
    LOCAL_ARRAY(int, place, LS);
    int count = 0, gone = 0;
#endif
#if NEAR
    LOCAL_ARRAY(ELEMENT, tile, NEAR * W);
#endif
    const idx_t s = list[from + GROUP_ID(0)];
    const int f = (int)FRONT(s, F_PIVOTS), lid = (int)LOCAL_ID(0);
    const int rows = f - k, w = rows < W ? rows : W;
    const idx_t ld = FRONT(s, F_LD);
    GLOBAL ELEMENT *const p = arena + FRONT(s, F_PIVOT) + k + k * ld;
    GLOBAL int *const pivots = ipiv + FRONT(s, F_FIRST) + k;
    if (rows <= 0) return;
#if CHOLESKY
    (void)tiny;
    (void)zero;
    (void)pivots;
#endif
#if NEAR
    for (int e = lid; e < rows * w; e += LS) AT(e % rows, e / rows) = p[e % rows + e / rows * ld];
#endif
    BARRIER();
    for (int c = 0; c < w; ++c) {
#if CHOLESKY
        /* Column c stays as it is, d times what it is to be: it is scaled when all are done. */
        const REAL d = REAL_PART(AT(c, c)), inverse = 1 / (d > 0 ? d : (REAL)1);
        for (int i = c + 1 + lid; i < rows; i += LS) {
            const ELEMENT l = BY_REAL(AT(i, c), inverse);
            for (int j = c + 1; j < w; ++j) /* also above the diagonal, which nobody reads */
                SUBTRACT_PRODUCT(AT(i, j), l, CONJUGATE_IF(1, AT(j, c)));
        }
        BARRIER();
#else
        REAL most = -1;
        int row = c;
        for (int i = c + lid; i < rows; i += LS) {
            const REAL size = SIZE_1(AT(i, c));
            if (size > most) {
                most = size;
                row = i;
            }
        }
        best[lid] = most;
        place[lid] = row;
        LOCAL_BARRIER();
        for (int step = LS / 2; step > 0; step /= 2) {
            if (lid < step &&
                (best[lid + step] > best[lid] || (best[lid + step] == best[lid] && place[lid + step] < place[lid]))) {
                best[lid] = best[lid + step];
                place[lid] = place[lid + step];
            }
            LOCAL_BARRIER();
        }
        row = place[0];
        if (lid == 0) pivots[c] = k + row;
        const int moved = row == c ? 0 : w;
        for (int j = lid; j < moved; j += LS) {
            const ELEMENT above = AT(c, j);
            AT(c, j) = AT(row, j);
            AT(row, j) = above;
        }
        BARRIER();
        ELEMENT d = AT(c, c);
        const REAL size = SIZE_1(d);
        const int small = size < tiny;
        if (small) d = size > 0 ? BY_REAL(d, tiny / size) : FROM_REAL(tiny);
        const ELEMENT quotient = INVERSE(d);
        for (int i = c + 1 + lid; i < rows; i += LS) {
            const ELEMENT l = TIMES(AT(i, c), quotient);
            AT(i, c) = l;
            for (int j = c + 1; j < w; ++j) SUBTRACT_PRODUCT(AT(i, j), l, AT(c, j));
        }
        BARRIER();
        if (small && lid == 0) AT(c, c) = d;
        count += small;
        if (size < zero) gone = VANISHED;
#endif
    }
#if CHOLESKY
    for (int c = lid; c < w; c += LS) {
        const REAL d = REAL_PART(AT(c, c));
        root[c] = d > 0 ? sqrt(d) : (REAL)-1; /* also of NaN */
    }
    BARRIER();
    for (int e = lid; e < rows * w; e += LS) {
        const int i = e % rows, j = e / rows;
        p[i + j * ld] = i == j ? FROM_REAL(root[j]) : BY_REAL(AT(i, j), 1 / root[j]);
    }
    if (lid == 0)
        for (int c = 0; c < w; ++c)
            if (root[c] < 0) replaced[s] = VANISHED;
#else
    BARRIER();
#if NEAR
    for (int e = lid; e < rows * w; e += LS) p[e % rows + e / rows * ld] = AT(e % rows, e / rows);
#endif
    if (lid == 0) replaced[s] = (replaced[s] + count) | gone;
#endif
}
