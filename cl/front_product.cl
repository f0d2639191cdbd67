/*
 * front_product.cl: products within fronts.
 *
 *   front_double     inverses of triangles, twice as wide (front_inverse.cl)
 *   front_rest       rest less LOW^T UP, of Cholesky LOW^H LOW, of L D L^T LOW^T D LOW or LOW^H D LOW; without children
 *                    rest is minus the product, whatever it was
 *
 * Work-groups: LX x LX work-items have a tile of TILE x TILE elements of the result, PER x PER each, LX apart.
 * Dimension 0 over tiles of a front, rows first, dimension 1 over fronts; groups beyond a front's tiles end at once.
 * DEPTH columns of the one factor and rows of the other are in local memory at a time: 2 * DEPTH * (TILE + 1) elements.
 */
#ifndef LX
#define LX 8
#endif
#ifndef PER
#define PER 4
#endif
#ifndef DEPTH
#define DEPTH 16
#endif
#define TILE  (LX * PER)
#define PITCH (TILE + 1)

#include "front.clh"

/* A factor: element (l, i) is at[l * down + i * across], or its conjugate. */
typedef struct {
    GLOBAL const ELEMENT *at;
    idx_t down, across;
    int conjugate;
#if LDL
    GLOBAL const ELEMENT *blocks; /* its rows are multiplied by D; 0: they are not */
    GLOBAL const int *pivots;
#endif
} factor;

#if LDL
HELPER ELEMENT element_with(factor of, int l, int i) {
    GLOBAL const ELEMENT *const x = of.at + i * of.across;
    if (!of.blocks) return CONJUGATE_IF(of.conjugate, x[l * of.down]);
    GLOBAL const int *const pivots = of.pivots;
    const int pair = PAIR(l);
    ELEMENT result;
    D_TIMES(result, of.blocks + l * OF_BLOCK, pair, x, l, of.down)
    return result;
}
#define ELEMENT_OF(of, l, i) element_with(of, l, i)
#else
#define ELEMENT_OF(of, l, i) CONJUGATE_IF((of).conjugate, (of).at[(l) * (of).down + (i) * (of).across])
#endif

#define EACH (DEPTH * TILE / (LX * LX)) /* elements that a work-item brings of a factor at a time */

/* Element e of those that are brought at a time: neighbours are on neighbouring elements of whichever way is
 * contiguous. */
#define ROW_OF(of, e)    ((of).down == 1 ? (e) % DEPTH : (e) / TILE)
#define COLUMN_OF(of, e) ((of).down == 1 ? (e) / DEPTH : (e) % TILE)

/* Rows l0 .. l0 + DEPTH - 1 of a factor of `columns` columns come into registers; rows from `depth` on are zero. */
INLINED void fetch(ELEMENT held[EACH], factor of, int l0, int depth, int columns, int lid) {
    UNROLL
    for (int q = 0; q < EACH; ++q) {
        const int e = lid + q * LX * LX, l = l0 + ROW_OF(of, e), i = COLUMN_OF(of, e);
        held[q] = l < depth && i < columns ? ELEMENT_OF(of, l, i) : ZERO;
    }
}

/* And go on to near[l * PITCH + i]. */
INLINED void put(LOCAL_PTR ELEMENT *near, const ELEMENT held[EACH], factor of, int lid) {
    UNROLL
    for (int q = 0; q < EACH; ++q) {
        const int e = lid + q * LX * LX;
        near[ROW_OF(of, e) * PITCH + COLUMN_OF(of, e)] = held[q];
    }
}

/* While the work-items compute, the next rows come. */
INLINED void sum_up(ELEMENT sum[PER][PER], LOCAL_PTR ELEMENT *near_a, LOCAL_PTR ELEMENT *near_b, factor a, factor b,
                    int depth, int rows, int columns, int x, int y) {
    ELEMENT next_a[EACH], next_b[EACH];
    const int lid = x + y * LX;
    fetch(next_a, a, 0, depth, rows, lid);
    fetch(next_b, b, 0, depth, columns, lid);
    for (int l0 = 0; l0 < depth; l0 += DEPTH) {
        put(near_a, next_a, a, lid);
        put(near_b, next_b, b, lid);
        LOCAL_BARRIER();
        fetch(next_a, a, l0 + DEPTH, depth, rows, lid);
        fetch(next_b, b, l0 + DEPTH, depth, columns, lid);
        for (int l = 0; l < DEPTH; ++l) {
            ELEMENT u[PER], v[PER];
            UNROLL
            for (int i = 0; i < PER; ++i) u[i] = near_a[l * PITCH + x + i * LX];
            UNROLL
            for (int j = 0; j < PER; ++j) v[j] = near_b[l * PITCH + y + j * LX];
            UNROLL
            for (int j = 0; j < PER; ++j) {
                UNROLL
                for (int i = 0; i < PER; ++i) ADD_PRODUCT(sum[j][i], u[i], v[j]);
            }
        }
        LOCAL_BARRIER();
    }
}

#define CLEAR(sum)                                                                                                     \
    UNROLL                                                                                                             \
    for (int j = 0; j < PER; ++j) {                                                                                    \
        UNROLL                                                                                                         \
        for (int i = 0; i < PER; ++i) sum[j][i] = ZERO;                                                                \
    }

#define TILES(n) (((n) + TILE - 1) / TILE)

KERNEL WORK_GROUP(LX, LX, 1) void front_rest(GLOBAL const idx_t *RESTRICT fronts, GLOBAL const int *RESTRICT list,
                                             idx_t from, GLOBAL const ELEMENT *arena, GLOBAL ELEMENT *here USES_D) {
    LOCAL_ARRAY(ELEMENT, near_a, DEPTH * PITCH);
    LOCAL_ARRAY(ELEMENT, near_b, DEPTH * PITCH);
    const idx_t s = list[from + GROUP_ID(1)];
    const int f = (int)FRONT(s, F_PIVOTS), b = (int)FRONT(s, F_BORDER), fresh = FRONT(s, F_CHILDREN) == 0;
    const idx_t ld = FRONT(s, F_LD);
    const int tiles = TILES(b), x = (int)LOCAL_ID(0), y = (int)LOCAL_ID(1);
    ELEMENT sum[PER][PER];
    if (GROUP_ID(0) >= (idx_t)tiles * tiles) return;
    const int i0 = (int)(GROUP_ID(0) % tiles) * TILE, j0 = (int)(GROUP_ID(0) / tiles) * TILE;
    if (one_sided() && j0 > i0) return;
    factor left, above;
    left.at = arena + FRONT(s, F_LOW) + i0 * ld;
    above.at = arena + (one_sided() ? FRONT(s, F_LOW) : FRONT(s, F_UP)) + j0 * ld;
    left.down = above.down = 1;
    left.across = above.across = ld;
    left.conjugate = conjugating();
    above.conjugate = 0;
#if LDL
    left.blocks = 0;
    left.pivots = pivots;
    above.blocks = blocks + FRONT(s, F_FIRST) * OF_BLOCK;
    above.pivots = pivots + FRONT(s, F_FIRST) * OF_POSITION;
#endif
    CLEAR(sum)
    sum_up(sum, near_a, near_b, left, above, f, b - i0, b - j0, x, y);
    GLOBAL ELEMENT *const rest = here + FRONT(s, F_REST);
    for (int j = 0; j < PER; ++j)
        for (int i = 0; i < PER; ++i) {
            const int row = i0 + x + i * LX, column = j0 + y + j * LX;
            if (row >= b || column >= b || (one_sided() && column > row)) continue;
            GLOBAL ELEMENT *const at = rest + row + (idx_t)column * b;
            *at = fresh ? NEGATED(sum[j][i]) : MINUS(*at, sum[j][i]);
        }
}

/*
 * Two triangles on the diagonal that are inverse already, A of `size` columns and B behind it, and the block C between
 * them become the inverse of the three: C becomes -B C A below the diagonal, -A C B above it (R. A. van de Geijn, E. S.
 * Quintana-Orti, The Science of Programming Matrix Computations, 2008). In two steps, by way of T: with `last` 0
 * T = C A or T = C B, with 1 C = -B T or C = -A T. Matrices are f x f at `scratch` + GROUP_ID(1) * apart, one behind
 * the other: L^-1, T, and of LU U^-1. They are zero beyond their triangles. Dimension 0 over tiles of a pair, pairs,
 * and below and above.
 */
KERNEL WORK_GROUP(LX, LX, 1) void front_double(GLOBAL const idx_t *RESTRICT fronts, GLOBAL const int *RESTRICT list,
                                               idx_t from, int size, int last, GLOBAL ELEMENT *scratch, idx_t apart) {
    LOCAL_ARRAY(ELEMENT, near_a, DEPTH * PITCH);
    LOCAL_ARRAY(ELEMENT, near_b, DEPTH * PITCH);
    const idx_t s = list[from + GROUP_ID(1)];
    const int f = (int)FRONT(s, F_PIVOTS), x = (int)LOCAL_ID(0), y = (int)LOCAL_ID(1);
    const idx_t ld = SCRATCH_LD(f);
    const int tiles = TILES(size), group = (int)GROUP_ID(0), tile = group % (tiles * tiles);
    const int sides = one_sided() ? 1 : 2, part = group / (tiles * tiles), above = part % sides;
    const int a = part / sides * 2 * size, b = a + size, rest = f - b < size ? f - b : size;
    const int m = above ? size : rest, n = above ? rest : size;
    const int i0 = tile % tiles * TILE, j0 = tile / tiles * TILE;
    GLOBAL ELEMENT *const low = scratch + GROUP_ID(1) * apart;
    GLOBAL ELEMENT *const through = low + ld * f;
    GLOBAL ELEMENT *const matrix = above ? through + ld * f : low;
    ELEMENT sum[PER][PER];
    if (rest <= 0 || i0 >= m || j0 >= n) return;
    const int row = above ? a : b, column = above ? b : a; /* of C */
    /* The triangle is zero before or behind these columns of C, or rows of T. */
    int begin = 0, end = last ? m : n;
    if (above && last) begin = i0;
    if (!above && !last) begin = j0;
    if (above && !last) end = j0 + TILE < n ? j0 + TILE : n;
    if (!above && last) end = i0 + TILE < m ? i0 + TILE : m;
    factor left, right;
    left.conjugate = right.conjugate = 0;
#if LDL
    left.blocks = right.blocks = 0;
    left.pivots = right.pivots = 0;
#endif
    left.down = ld;
    left.across = 1;
    right.down = 1;
    right.across = ld;
    if (last) {
        left.at = matrix + row + i0 + (row + begin) * ld;
        right.at = through + row + begin + (column + j0) * ld;
    } else {
        left.at = matrix + row + i0 + (column + begin) * ld;
        right.at = matrix + column + begin + (column + j0) * ld;
    }
    CLEAR(sum)
    sum_up(sum, near_a, near_b, left, right, end - begin, m - i0, n - j0, x, y);
    GLOBAL ELEMENT *const to = (last ? matrix : through) + row + i0 + (column + j0) * ld;
    for (int j = 0; j < PER; ++j)
        for (int i = 0; i < PER; ++i)
            if (i0 + x + i * LX < m && j0 + y + j * LX < n)
                to[x + i * LX + (y + j * LX) * ld] = last ? NEGATED(sum[j][i]) : sum[j][i];
}
