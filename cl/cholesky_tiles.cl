/*
 * cholesky_tiles.cl: a leaf of the Cholesky factorization A = L L^H, m <= LEAF columns, for devices whose lanes run in
 * step. For real elements L^H is L^T. cholesky.cl has the same for others.
 *
 *     [ L11     ]      cholesky_leaf: A11 = L11 L11^H, m x m, by one work-group
 *     [ L21     ]      cholesky_rows: L21 = A21 L11^-H, as many rows as there are below
 *                      cholesky_panel: both in one launch
 *
 * They read and write the lower triangle and what is below it alone. info is 0, or the number from 1 of the first
 * column whose leading minor is not positive: then nothing is done, or part of it, because no factor comes of it.
 *
 * They work on tiles of 16 x 16 elements (cholesky_tile.clh). In a step the tiles of one column of tiles become L, and
 * are taken out of those right of it. The elements of a tile that waits lie in registers of one wave.
 *
 * cholesky_leaf. FACTORS waves factor; as many as there are rows of tiles update, each with every TILES-th tile.
 *
 *     a wave that factors      its lanes 0 .. 15 have a row each of the tile on the diagonal, the other 16 lanes one of
 *                              a tile below, and with two SETS all have one of two tiles more. Each wave factors the
 *                              diagonal, and its own rows come along: nobody waits for anybody. More waves would be in
 *                              each other's way, for all read the column from local memory
 *     a wave that updates      takes the column of tiles before out of its tiles meanwhile; then the one that comes,
 *                              out of its tile in the next column, which it gives to local memory
 *
 * Within a tile a column's chain is short: lane i keeps its diagonal element, which is right as soon as the lane has
 * its own part of the column. Columns of tiles take turns in two places of local memory.
 *
 * cholesky_rows. A wave has 16 rows, and no other wave waits for it. In a step its tile goes by way of local memory to
 * 16 lanes, one row each, which solve for it with the tile on the diagonal of L11, and back. Columns of tiles of L11
 * come to local memory while the ones before are in use. A diagonal element of L11 is the root of a number of the type,
 * so that its reciprocal is in range.
 *
 * cholesky_panel. The rows come a column of tiles behind the leaf, instead of a launch behind it. Groups of them wait
 * for the first group alone, which is the first to run: it publishes L11 for them (offer.clh).
 *
 * KERNELS: which of them a program has: 1 cholesky_leaf, 2 cholesky_rows, 4 cholesky_panel, or a sum of these.
 *
 * The file is long because the three kernels share their steps.
 */
#ifndef LEAF
#define LEAF 128
#endif
#ifndef KERNELS
#define KERNELS 7
#endif

#ifdef LANES /* else there is nothing */

#include "cholesky_tile.clh"
#include "offer.clh"

#define KEPT    (TILES / 2) /* tiles of a wave that updates */
#define FACTORS 3           /* waves that factor; with SETS of rows they have all tiles below the diagonal */
#define SETS    (TILES > 4 ? 2 : 1)
#define ROWS    (LEAF / 2) /* of a work-group of cholesky_rows: a wave has 16, and a work-item brings a row of L11 */

#if CLS_DOUBLE
#define LEAST ((REAL)2.2250738585072014e-308) /* of the numbers whose root RSQRT finds */
#else
#define LEAST ((REAL)1.17549435e-38f)
#endif

/* ---- the leaf ---- */

/* The tile on the diagonal at `a` with `there` rows and columns; beyond them it is that of the unit matrix. */
INLINED void from_diagonal(ELEMENT *t, const GLOBAL ELEMENT *a, idx_t ld, int there, int lane) {
    UNROLL
    for (int e = 0; e < HELD; ++e) {
        const int i = ROW_OF(lane, e), j = COLUMN_OF(lane, e);
        t[e] = i < there && j <= i ? a[i + j * ld] : i == j ? ONE : ZERO;
    }
}

/* 1 over the root of a pivot, also where it is no normal number; where it is not positive, its column goes to
 * `failed`. */
HELPER REAL carefully(REAL pivot, int column, int *failed) {
    if (pivot > 0) return rsqrt(pivot);
    if (*failed == 0) *failed = column; /* NaN too */
    return 1;
}

/* Column k is taken out of what is right of it in a lane's row; the tile on the diagonal has it as `pairs`. */
INLINED void take_out_column(ELEMENT *x, int k, const ELEMENT_PAIR *pairs) {
    UNROLL
    for (int j = k + 1; j < TILE; ++j)
        x[j] = LESS_PRODUCT(x[j], x[k], CONJUGATE(j % 2 == 0 ? pairs[j / 2].x : pairs[j / 2].y));
}

/*
 * The tile on the diagonal and those below become L. Lane i < 16 has row i of the first in x[0 ..], all else are rows
 * below; `d` is the diagonal element of a lane's row. `column` has room for two columns. -1 comes back where a pivot is
 * no positive normal number, and 0 where all are; if `careful`, the number from 1 of the first column whose minor is
 * not positive, or 0.
 */
INLINED int factor_tiles(int careful, ELEMENT *x, REAL d, LOCAL_PTR ELEMENT_PAIR *column, int lane) {
    REAL own = 1, of_own = 1, pivot = LANES_GET_REAL(d, 0), inverse = RSQRT(pivot);
    int failed = 0;

    UNROLL
    for (int k = 0; k < TILE; ++k) {
        LOCAL_PTR ELEMENT_PAIR *const pairs = column + k % 2 * (TILE / 2);
        ELEMENT_PAIR coming[TILE / 2];
        if (careful)
            inverse = carefully(pivot, k + 1, &failed);
        else
            failed = pivot >= LEAST ? failed : -1;
        x[k] = BY_REAL(x[k], inverse);
        if (lane < TILE) ((LOCAL_PTR ELEMENT *)pairs)[lane] = x[k];
        own = lane == k ? pivot : own;
        of_own = lane == k ? inverse : of_own;
        d -= SQUARE(x[k]);
        LANES_SYNC();
        UNROLL
        for (int j = (k + 1) / 2; j < TILE / 2; ++j) coming[j] = pairs[j];
        if (SETS > 1) x[(SETS - 1) * TILE + k] = BY_REAL(x[(SETS - 1) * TILE + k], inverse);
        if (k + 1 < TILE) { /* before all else: the next column waits for it alone */
            pivot = LANES_GET_REAL(d, k + 1);
            inverse = RSQRT(pivot);
        }
        take_out_column(x, k, coming);
        if (SETS > 1) take_out_column(x + (SETS - 1) * TILE, k, coming);
    }
    /* A step of Newton's makes the root: a root by itself would be in every column's way. */
    const REAL root = own * of_own, better = root + (own - root * root) * of_own / 2;
    UNROLL
    for (int k = 0; k < TILE; ++k) x[k] = PICK(lane == k, FROM_REAL(better), x[k]);
    return failed;
}

/* Barriers of the leaf: among those who factor; a column of tiles has come; it is L. */
#define TAKEN() PART_BARRIER(1, FACTORS *LANES)
#define CAME()  PART_BARRIER(2, (FACTORS + TILES) * LANES)
#define DONE()  PART_BARRIER(3, (FACTORS + TILES) * LANES)

/* The place where step p has its column of tiles; the other place. */
#define HERE(p)  (places + (p) % 2 * TILE * PITCH)
#define THERE(p) HERE((p) + 1)

INLINED void take_row(ELEMENT *x, const LOCAL_PTR ELEMENT *row) {
    UNROLL
    for (int k = 0; k < TILE; ++k) x[k] = row[k * PITCH];
}

INLINED void put_row(LOCAL_PTR ELEMENT *row, const ELEMENT *x) {
    UNROLL
    for (int k = 0; k < TILE; ++k) row[k * PITCH] = x[k];
}

/* A lane's rows of a column of tiles, and its diagonal element. */
INLINED REAL take_rows(ELEMENT *x, const LOCAL_PTR ELEMENT *first, const LOCAL_PTR ELEMENT *second, int lane) {
    take_row(x, first);
    if (SETS > 1) take_row(x + (SETS - 1) * TILE, second);
    return REAL_PART(first[lane % TILE * PITCH]);
}

/* The work of wave w of those that factor. */
INLINED void factor(int m, idx_t first, GLOBAL idx_t *info, LOCAL_PTR ELEMENT *places, LOCAL_PTR ELEMENT_PAIR *column,
                    int w, int lane) {
    const int steps = (m + TILE - 1) / TILE;
    int tells = w == 0 && lane == 0 && info[0] == 0;
    for (int p = 0; p < steps; ++p) {
        const int one = lane < TILE ? p : p + 1 + w, two = p + 1 + FACTORS + 2 * w + lane / TILE; /* tiles */
        LOCAL_PTR ELEMENT *const first_row = HERE(p) + (one < steps ? one : p) * TILE + lane % TILE;
        LOCAL_PTR ELEMENT *const second_row = HERE(p) + (two < steps ? two : p) * TILE + lane % TILE;
        const int works = w == 0 || p + 1 + w < steps;
        ELEMENT x[SETS * TILE];
        int bad = 0;
        CAME();
        if (works) {
            bad = factor_tiles(0, x, take_rows(x, first_row, second_row, lane), column, lane);
            if (bad) bad = factor_tiles(1, x, take_rows(x, first_row, second_row, lane), column, lane);
        }
        TAKEN(); /* the others have their rows, also those that took them twice */
        if (lane < TILE ? w == 0 : one < steps) put_row(first_row, x);
        if (SETS > 1 && two < steps) put_row(second_row, x + (SETS - 1) * TILE);
        if (bad && tells) {
            tells = 0; /* the first column that failed counts */
            info[0] = first + p * TILE + bad;
        }
        DONE();
    }
}

/* The place where other groups read element (i, j) of L11. */
#define OFFER(offers, i, j) ((offers) + ((j)*LEAF + (i)) * OFFER_PAIRS)

/* The work of wave w of those that update: it brings A's tiles in, and L's out, also to `offers` if that is not 0. */
INLINED void update(GLOBAL ELEMENT *a, idx_t ld, int m, LOCAL_PTR ELEMENT *places, int w, int lane,
                    GLOBAL PAIR_OF_WORDS *offers, unsigned mark) {
    const int steps = (m + TILE - 1) / TILE;
    int row_of[KEPT], column_of[KEPT]; /* of a tile: where it is; no tile: column 0 */
    ELEMENT t[KEPT][HELD], now[HELD];

    if (w == 0)
        from_diagonal(now, a, ld, m, lane);
    else
        from_global(now, a + w * TILE, ld, m - w * TILE, m, lane);
    UNROLL
    for (int e = 0; e < KEPT; ++e) {
        int i = w + TILES * e, j = 1; /* tiles are counted column after column, from the second one on */
        while (j < steps && i >= steps - j) i -= steps - j++;
        row_of[e] = i + j;
        column_of[e] = j < steps ? j : 0;
        if (column_of[e] > 0) {
            const GLOBAL ELEMENT *const tile = a + (i + j) * TILE + j * TILE * ld;
            if (i == 0)
                from_diagonal(t[e], tile, ld, m - j * TILE, lane);
            else
                from_global(t[e], tile, ld, m - (i + j) * TILE, m - j * TILE, lane);
        }
    }
    if (w < steps) to_local(places + w * TILE, PITCH, now, lane);
    for (int p = 0; p <= steps; ++p) {
        const LOCAL_PTR ELEMENT *const before = THERE(p), *const here = HERE(p);
        if (p < steps) CAME();
        if (p > 0 && w >= p - 1) { /* L's tile in row w */
            const int i = w * TILE + lane % TILE, k = lane / TILE;
            const LOCAL_PTR ELEMENT *const from = before + i + k * PITCH;
            GLOBAL ELEMENT *const to = a + i + ((p - 1) * TILE + k) * ld;
            UNROLL
            for (int e = 0; e < TILE; e += 2)
                if (i < m && (p - 1) * TILE + k + e <= i) {
                    const ELEMENT l = from[e * PITCH];
                    if (offers) STORE_OFFER(OFFER(offers, i, (p - 1) * TILE + k + e), l, 0, 0, mark);
                    to[e * ld] = l;
                }
        }
        if (p > 0) {
            UNROLL
            for (int e = 0; e < KEPT; ++e)
                if (column_of[e] > p) {
                    const rows_of rows = rows_from(before + row_of[e] * TILE, PITCH, lane);
                    take_out(t[e], &rows, before + column_of[e] * TILE, lane);
                }
        }
        if (p < steps) DONE();
        if (p == steps) return;
        if (column_of[0] != p + 1) continue;
        const rows_of rows = rows_from(here + row_of[0] * TILE, PITCH, lane);
        take_out(t[0], &rows, here + column_of[0] * TILE, lane);
        to_local(THERE(p) + row_of[0] * TILE, PITCH, t[0], lane);
        UNROLL
        for (int e = 1; e < KEPT; ++e) {
            row_of[e - 1] = row_of[e];
            column_of[e - 1] = column_of[e];
            UNROLL
            for (int h = 0; h < HELD; ++h) t[e - 1][h] = t[e][h];
        }
        column_of[KEPT - 1] = 0;
    }
}

#if KERNELS & 1
/* The diagonal block is at `offset`; its first column is column `first` of the matrix, counted from 0. */
KERNEL WORK_GROUP((FACTORS + TILES) * LANES, 1, 1) void cholesky_leaf(GLOBAL ELEMENT *A, idx_t offset, idx_t ld, int m,
                                                                      idx_t first, GLOBAL idx_t *info) {
    LOCAL_ARRAY(ELEMENT, places, 2 * TILE * PITCH); /* of a column of tiles, element (i, k) at i + k * PITCH */
    LOCAL_ARRAY(ELEMENT_PAIR, columns, FACTORS * TILE);
    const int lane = (int)LOCAL_ID(0) % LANES, wave = (int)LOCAL_ID(0) / LANES;

    if (wave < FACTORS)
        factor(m, first, info, places, columns + wave * TILE, wave, lane);
    else
        update(A + offset, ld, m, places, wave - FACTORS, lane, 0, 0);
}
#endif

/* ---- the rows below ---- */

/* The column of tiles p of L11 is on its way to `to`, a row of it by each work-item; beyond column m there are
 * zeros. */
HELPER void bring(LOCAL_PTR ELEMENT *to, const GLOBAL ELEMENT *l, idx_t ld, int p, int m, int item) {
    enum { PARTS = 1 + CLS_COMPLEX };
    if (item >= p * TILE) {
        LOCAL_BASE base = LOCAL_BASE_OF((LOCAL_PTR REAL *)to + item * PARTS);
        const GLOBAL REAL *from = (const GLOBAL REAL *)(l + item + p * TILE * ld);
        UNROLL
        for (int k = 0; k < TILE; ++k, from += ld * PARTS) {
            UNROLL
            for (int part = 0; part < PARTS; ++part)
                LOCAL_COPY(base, k * PITCH * PARTS + part, from + part, item < m && p * TILE + k < m, 1);
        }
    }
    LOCAL_COPY_COMMIT();
}

/* A row of the wave's tile: x L^H = a, with the tile on the diagonal and the reciprocals of its diagonal. */
HELPER void solve_row(LOCAL_PTR ELEMENT *row, const LOCAL_PTR ELEMENT *tile, const LOCAL_PTR REAL *inverses) {
    ELEMENT x[TILE];

    UNROLL
    for (int k = 0; k < TILE; ++k) x[k] = row[k * NEAR];
    UNROLL
    for (int k = 0; k < TILE; ++k) {
        const LOCAL_PTR ELEMENT_PAIR *const pairs = (const LOCAL_PTR ELEMENT_PAIR *)(tile + k * PITCH);
        x[k] = BY_REAL(x[k], inverses[k]);
        UNROLL
        for (int j = k + 1; j < TILE; ++j) {
            const ELEMENT_PAIR pair = pairs[j / 2];
            x[j] = LESS_PRODUCT(x[j], x[k], CONJUGATE(j % 2 == 0 ? pair.x : pair.y));
        }
    }
    UNROLL
    for (int k = 0; k < TILE; ++k) row[k * NEAR] = x[k];
}

/*
 * The wave's rows in step p: their tile, which lies in `mine`, is solved for and stored at `a`, and taken out of those
 * right of it. `here` has the column of tiles p of L11.
 */
INLINED void step_of_rows(ELEMENT t[TILES][HELD], LOCAL_PTR ELEMENT *mine, const LOCAL_PTR ELEMENT *here,
                          const LOCAL_PTR REAL *inverses, GLOBAL ELEMENT *a, idx_t ld, idx_t left, int p, int m,
                          int steps, int lane) {
    if (lane < TILE) solve_row(mine + lane, here + p * TILE, inverses + p * TILE);
    LANES_SYNC();
    if (lane % TILE < left) {
        const int k = lane / TILE;
        const LOCAL_PTR ELEMENT *const from = mine + lane % TILE + k * NEAR;
        GLOBAL ELEMENT *to = a + lane % TILE + (p * TILE + k) * ld;
        UNROLL
        for (int e = 0; e < TILE; e += 2, to += 2 * ld)
            if (p * TILE + k + e < m) *to = from[e * NEAR];
    }
    const rows_of solved = rows_from(mine, NEAR, lane);
    UNROLL
    for (int j = 1; j < TILES; ++j) {
        if (p + j < steps) take_out(t[j], &solved, here + (p + j) * TILE, lane);
        UNROLL
        for (int e = 0; e < HELD; ++e) t[j - 1][e] = t[j][e];
    }
    LANES_SYNC(); /* the tile in `mine` is read */
}

#if KERNELS & 2
/* The diagonal block is at `offset`, the `rows` rows are those below it. */
KERNEL WORK_GROUP(LEAF, 1, 1) void cholesky_rows(GLOBAL ELEMENT *A, idx_t offset, idx_t ld, int m, idx_t rows,
                                                 const GLOBAL idx_t *info) {
    LOCAL_ARRAY(ELEMENT_PAIR, pairs, TILE * PITCH); /* of two columns of tiles, element (i, k) at i + k * PITCH */
    LOCAL_ARRAY(ELEMENT, own, LEAF / LANES * TILE * NEAR);
    LOCAL_ARRAY(REAL, inverses, LEAF);
    LOCAL_PTR ELEMENT *const places = (LOCAL_PTR ELEMENT *)pairs;
    const GLOBAL ELEMENT *const l = A + offset;
    const int item = (int)LOCAL_ID(0), lane = item % LANES, wave = item / LANES, steps = (m + TILE - 1) / TILE;
    const idx_t first = GROUP_ID(0) * ROWS + wave * TILE, left = rows - first;
    GLOBAL ELEMENT *const a = A + offset + m + first;
    LOCAL_PTR ELEMENT *const mine = own + wave * TILE * NEAR;
    ELEMENT t[TILES][HELD];

    bring(places, l, ld, 0, m, item);
    UNROLL
    for (int j = 0; j < TILES; ++j) from_global(t[j], a + j * TILE * ld, ld, left, m - j * TILE, lane);
    inverses[item] = item < m ? 1 / REAL_PART(l[item + item * ld]) : (REAL)1;
    const int bad = info[0] != 0;

    for (int p = 0; p < steps; ++p) {
        to_local(mine, NEAR, t[0], lane);
        LOCAL_COPY_WAIT(0);
        LOCAL_BARRIER(); /* whoever is here is done with the other place */
        if (p + 1 < steps) bring(THERE(p), l, ld, p + 1, m, item);
        step_of_rows(t, mine, HERE(p), inverses, a, ld, bad ? 0 : left, p, m, steps, lane);
    }
}
#endif

/* ---- both in one launch ---- */

#define SOLVERS  (LEAF / LANES)              /* waves of a group of rows that have rows, 16 each */
#define BRINGERS (FACTORS + TILES - SOLVERS) /* the others, which bring L11 */
#define STEP()   PART_BARRIER(4, (FACTORS + TILES) * LANES)

/* The column of tiles p of L11 by wave w of those that bring it, as soon as the first group has published it. They look
 * for its last element until that has come, and then for all. */
INLINED void bring_offers(LOCAL_PTR ELEMENT *to, LOCAL_PTR REAL *inverses, const GLOBAL PAIR_OF_WORDS *offers, int p,
                          int m, unsigned mark, int w, int lane) {
    enum { COLUMNS = (TILE + BRINGERS - 1) / BRINGERS, PIECES = LEAF / LANES };
    const int end = (p + 1) * TILE < m ? (p + 1) * TILE : m;
    offered_t x[COLUMNS * PIECES];
    unsigned missing;
    do {
        LOAD_OFFER(OFFER(offers, m - 1, end - 1), x[0]);
    } while (IS_MISSING(x[0], mark));
    do {
        missing = 0;
        UNROLL
        for (int e = 0; e < COLUMNS * PIECES; ++e) {
            const int j = p * TILE + e / PIECES * BRINGERS + w, i = e % PIECES * LANES + lane;
            if (j < end && i >= j && i < m) {
                LOAD_OFFER(OFFER(offers, i, j), x[e]);
                missing |= IS_MISSING(x[e], mark);
            }
        }
    } while (missing);
    LANES_SYNC();
    UNROLL
    for (int e = 0; e < COLUMNS * PIECES; ++e) {
        const int k = e / PIECES * BRINGERS + w, j = p * TILE + k, i = e % PIECES * LANES + lane;
        const int there = j < end && i >= j && i < m;
        const ELEMENT l = there ? ELEMENT_IN(x[e]) : ZERO;
        if (k < TILE && i >= p * TILE) to[i + k * PITCH] = l;
        if (k < TILE && i == j) inverses[i] = there ? 1 / REAL_PART(l) : (REAL)1;
    }
}

#if KERNELS & 4
/*
 * cholesky_leaf by the first group, and by each other one of ROWS rows what cholesky_rows does, a column of tiles
 * behind it: they wait for L11, and it waits for nobody. `offers` has room for LEAF * LEAF elements, in none
 * of which is `mark`, a multiple of 2^16. If a minor is not positive, the rows below it hold nothing of use.
 */
KERNEL WORK_GROUP((FACTORS + TILES) * LANES, 1, 1) void cholesky_panel(GLOBAL ELEMENT *A, idx_t offset, idx_t ld, int m,
                                                                       idx_t first, idx_t rows, GLOBAL idx_t *info,
                                                                       GLOBAL PAIR_OF_WORDS *offers, unsigned mark) {
    LOCAL_ARRAY(ELEMENT_PAIR, pairs, TILE * PITCH);
    LOCAL_ARRAY(ELEMENT, own, SOLVERS * TILE * NEAR); /* in the first group the columns of those that factor */
    LOCAL_ARRAY(REAL, inverses, LEAF);
    LOCAL_PTR ELEMENT *const places = (LOCAL_PTR ELEMENT *)pairs;
    const int lane = (int)LOCAL_ID(0) % LANES, wave = (int)LOCAL_ID(0) / LANES, steps = (m + TILE - 1) / TILE;

    if (GROUP_ID(0) == 0) {
        if (wave < FACTORS)
            factor(m, first, info, places, (LOCAL_PTR ELEMENT_PAIR *)own + wave * TILE, wave, lane);
        else
            update(A + offset, ld, m, places, wave - FACTORS, lane, offers, mark);
    } else if (wave >= SOLVERS) {
        for (int p = 0; p < steps; ++p) {
            bring_offers(HERE(p), inverses, offers, p, m, mark, wave - SOLVERS, lane);
            STEP(); /* whoever is here is done with the other place */
        }
    } else {
        const idx_t top = (GROUP_ID(0) - 1) * ROWS + wave * TILE, left = rows - top;
        GLOBAL ELEMENT *const a = A + offset + m + top;
        LOCAL_PTR ELEMENT *const mine = own + wave * TILE * NEAR;
        ELEMENT t[TILES][HELD];
        UNROLL
        for (int j = 0; j < TILES; ++j) from_global(t[j], a + j * TILE * ld, ld, left, m - j * TILE, lane);
        for (int p = 0; p < steps; ++p) {
            to_local(mine, NEAR, t[0], lane);
            STEP();
            step_of_rows(t, mine, HERE(p), inverses, a, ld, left, p, m, steps, lane);
        }
    }
}
#endif

#endif
