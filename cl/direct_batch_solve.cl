/*
 * direct_batch_solve.cl: op(A) X = B by the factors of a batch, or X = A^-1, for many members.
 *
 * With P A = L U, M below is L \ U; for the transpose it is (L \ U)^T, whose lower triangle has the pivots and whose
 * upper one has ones. With CHOLESKY it is L \ L^H, and both have the pivots. With LDL_BATCH both have
 * ones, and D (ldl_batch.cl) is solved for between them. Item x of a member has the rows x, x + LX, ... (HELD of them)
 * of SIDES right-hand sides. Blocks of BLOCK rows are solved one after the other, downwards by the lower triangle and
 * upwards by the upper one:
 *
 *     the items of the block's rows solve for them with its triangle; the results come to local memory
 *     every other row loses its product with them
 *
 * Where lanes run in step, the items of a block are lanes of one wave, which exchange what they have solved; all
 * work-items meet once a block. Elsewhere they meet at every row.
 *
 * Work-groups: LX x LY, a member for each LOCAL_ID(1); one behind the last runs along on a copy of the last and writes
 * nothing. With LY > 1 a member has one block. GROUP_ID(1): which SIDES columns. Access: neighbouring work-items on
 * neighbouring rows of a column, of the transpose on neighbouring columns. Local memory: LY * 2 * (BLOCK + 1) * SIDES
 * elements and LY * LX words.
 *
 * outcome[m]: -1 where B holds NaN or Inf, or X would. A group that has all columns of a member writes 0 elsewhere;
 * with several groups it is 0 before. A group whose columns are such, and one of a member whose info is not 0, writes
 * no X.
 */
#ifndef LX
#define LX 8
#endif
#ifndef LY
#define LY 4
#endif
#ifndef HELD
#define HELD 1
#endif
#ifndef SIDES
#define SIDES 1
#endif
#define BLOCK  (LX < 32 ? LX : 32)
#define BLOCKS (LX / BLOCK) /* of the rows that the work-items have at once */

#include "direct_batch.clh"
#ifdef LDL_BATCH
#include "ldl_pivots.clh"
#else
#include "divisor.clh"
#endif
#if defined(LDL_BATCH) && HELD * LX > 2 * BLOCK
#define SOLVED (HELD * LX) /* rows that local memory has room for */
#else
#define SOLVED (2 * BLOCK)
#endif

#ifdef LANES
#define GIVE(c)                                                                                                        \
    UNROLL                                                                                                             \
    for (int s = 0; s < SIDES; ++s) given[s] = LANES_GET_ELEMENT(value[s], first_of_lanes + (c));
#define BLOCK_STEPS(...)                                                                                               \
    if (of_block) {                                                                                                    \
        __VA_ARGS__                                                                                                    \
    }
#if LX <= LANES
#define ALL_LANES (LX == LANES ? 0xffffffffu : (1u << LX % LANES) - 1)
#define SYNC()    LANES_SYNC()
#else
#define SYNC() LOCAL_BARRIER()
#endif
#else
#define GIVE(c)                                                                                                        \
    if (of_block && lane == (c)) {                                                                                     \
        UNROLL                                                                                                         \
        for (int s = 0; s < SIDES; ++s) passing[(c) % 2 * SIDES + s] = value[s];                                       \
    }                                                                                                                  \
    LOCAL_BARRIER();                                                                                                   \
    UNROLL                                                                                                             \
    for (int s = 0; s < SIDES; ++s) given[s] = passing[(c) % 2 * SIDES + s];
#define BLOCK_STEPS(...) __VA_ARGS__
#define SYNC()           LOCAL_BARRIER()
#endif

/* Element (i, j) of M, in its lower triangle with `forward`. */
#if CHOLESKY
#define OF_M(i, j, forward) CONJUGATE_IF(!(forward), f[(forward) ? (i) + (j) * (idx_t)order : (j) + (i) * (idx_t)order])
#define HAS_ONES(forward)   0
#define ROW_OF_B(i)         (i)
#define ROW_OF_X(i)         (i)
#define EXPONENT_OF(i)      source[i]
#define IS_SCALED()         (scale != 0)
#define IS_REAL             CLS_COMPLEX /* the diagonal of the inverse */
#elif defined(LDL_BATCH)
#define OF_M(i, j, forward)                                                                                            \
    CONJUGATE_IF(HERMITIAN && !(forward), f[(forward) ? (i) + (j) * (idx_t)order : (j) + (i) * (idx_t)order])
#define HAS_ONES(forward) 1
#define ROW_OF_B(i)       source[i]
#define ROW_OF_X(i)       source[i]
#define EXPONENT_OF(i)    (scale >> 1)
#define IS_SCALED()       (scale >> 1 != 0 && inverse_of != 3)
#define IS_REAL           (CLS_COMPLEX && HERMITIAN)
#else
#define OF_M(i, j, forward) f[(i)*down + (j)*across]
#define HAS_ONES(forward)   ((forward) ? !transposes : transposes)
#define ROW_OF_B(i)         (transposes ? (i) : source[i])
#define ROW_OF_X(i)         (transposes ? source[i] : (i))
#define EXPONENT_OF(i)      (scale >> 1)
#define IS_SCALED()         (scale >> 1 != 0 && inverse_of != 2)
#define IS_REAL             0
#endif
#if CHOLESKY || defined(LDL_BATCH)
#define IS_WRITTEN(i, j) (inverse_of == 0 || (inverse_of == 1 ? (i) >= (j) : (i) <= (j)))
#else
#define IS_WRITTEN(i, j) 1
#endif

/* Row `at` of the block that begins with row `begin`: what it is multiplied by, beyond the matrix 0. */
#define LOAD_BLOCK(begin, forward)                                                                                     \
    UNROLL                                                                                                             \
    for (int c = 0; c < BLOCK; ++c)                                                                                    \
        held[c] = of_block && (begin) + lane < order && (begin) + c < order                                            \
                      ? OF_M((begin) + lane, (begin) + c, forward)                                                     \
                      : ZERO;

/* The block's rows of r[h], and on to `solved`. */
#define SOLVE_BLOCK(h, begin, forward, unit, solved)                                                                   \
    {                                                                                                                  \
        const int i = (begin) + lane;                                                                                  \
        const ELEMENT pivot = of_block && !(unit) && i < order ? f[i + (idx_t)i * order] : ONE;                        \
        const REAL_BITS size = size_of(pivot);                                                                         \
        const int divides = IS_TO_DIVIDE(size);                                                                        \
        const divisor_t divisor = divisor_of(pivot, divides);                                                          \
        ELEMENT held[BLOCK], value[SIDES], given[SIDES];                                                               \
        LOAD_BLOCK(begin, forward)                                                                                     \
        BLOCK_STEPS(UNROLL for (int q = 0; q < BLOCK; ++q) {                                                           \
            const int c = (forward) ? q : BLOCK - 1 - q, after = (forward) ? lane > c : lane < c;                      \
            UNROLL                                                                                                     \
            for (int s = 0; s < SIDES; ++s) value[s] = (unit) ? r[h][s] : quotient_of(r[h][s], divisor, divides);      \
            GIVE(c)                                                                                                    \
            UNROLL                                                                                                     \
            for (int s = 0; s < SIDES; ++s) {                                                                          \
                const ELEMENT l = of_block && after ? held[c] : ZERO;                                                  \
                SUBTRACT_PRODUCT(r[h][s], l, given[s]);                                                                \
            }                                                                                                          \
        })                                                                                                             \
        if (of_block) {                                                                                                \
            UNROLL                                                                                                     \
            for (int s = 0; s < SIDES; ++s) {                                                                          \
                if (!(unit)) r[h][s] = quotient_of(r[h][s], divisor, divides);                                         \
                solved[lane * SIDES + s] = r[h][s];                                                                    \
            }                                                                                                          \
        }                                                                                                              \
    }

/* The rows of r[g] that come later lose their products with the block's. */
#define UPDATE(g, begin, forward, solved)                                                                              \
    {                                                                                                                  \
        const int i = x + (g)*LX;                                                                                      \
        const int later = (forward) ? i >= (begin) + BLOCK : i < (begin);                                              \
        const int end = order - (begin) < BLOCK ? order - (begin) : BLOCK, steps = later && i < order ? end : 0;       \
        UNROLL_SOME                                                                                                    \
        for (int c = 0; c < steps; ++c) {                                                                              \
            const ELEMENT l = OF_M(i, (begin) + c, forward);                                                           \
            UNROLL                                                                                                     \
            for (int s = 0; s < SIDES; ++s) SUBTRACT_PRODUCT(r[g][s], l, solved[c * SIDES + s]);                       \
        }                                                                                                              \
    }

#ifdef LDL_BATCH
/* Row i of the member's D X = Y, of which local memory has all rows. `values` are that row's. */
INLINED void divide_row(ELEMENT values[SIDES], int i, int order, GLOBAL const ELEMENT *f,
                        LOCAL_PTR const ELEMENT *solved) {
    const idx_t n = order;
    ELEMENT before = ZERO, after = ZERO, own = ONE;
    if (i > 0 && i < order) before = f[i - 1 + i * n];
    if (i + 1 < order) after = f[i + (i + 1) * n];
    if (i < order) own = f[i + i * n];
    const int is_first = IS_NONZERO_ELEMENT(after), is_second = IS_NONZERO_ELEMENT(before);
    const int other = is_first ? i + 1 : is_second ? i - 1 : i;
    ELEMENT its = ONE;
    if (i < order) its = f[other + other * n];
    const int divides = IS_TO_DIVIDE(size_of(own));
    const divisor_t divisor = divisor_of(own, divides);
    const pair_t pair = pair_of(is_second ? its : own,
                                is_first    ? after
                                : is_second ? before
                                            : ONE,
                                is_second ? own : its);
    UNROLL
    for (int s = 0; s < SIDES; ++s) {
        const ELEMENT near = i < order ? solved[other * SIDES + s] : ZERO;
        if (is_first)
            values[s] = first_of_column(values[s], near, pair);
        else if (is_second)
            values[s] = second_of_column(near, values[s], pair);
        else
            values[s] = quotient_of(values[s], divisor, divides);
    }
}
#endif

/*
 * B as V, element (i, j) of member m; rhs columns, or with inverse_of not 0 as many as the member's order, and B is the
 * identity: Cholesky and LDL^T then write the lower triangle, or with 2 the upper one; LU with 2 writes the inverse of
 * what was factored, LDL^T with 3 the upper triangle of that. transposes, of LU: 0, 1 for A^T, 2 for A^H.
 */
KERNEL WORK_GROUP(LX, LY, 1) void direct_batch_solve(MEMBERS, GLOBAL const ELEMENT *RESTRICT F,
                                                     GLOBAL const int *RESTRICT rows, GLOBAL const int *RESTRICT scales,
                                                     GLOBAL const int *RESTRICT info, GLOBAL ELEMENT *V, VIEW_OF(v),
                                                     const idx_t rhs, const int transposes, const int inverse_of,
                                                     GLOBAL int *outcome) {
    LOCAL_ARRAY(ELEMENT, all_solved, LY * SOLVED * SIDES);
#if !defined(LANES) || LX > LANES
    LOCAL_ARRAY(int, spoilt, LY *LX);
#endif
#ifndef LANES
    LOCAL_ARRAY(ELEMENT, all_passing, LY * 2 * SIDES);
#endif
    const int x = (int)LOCAL_ID(0), y = (int)LOCAL_ID(1), lane = x % BLOCK,
              first_of_lanes = y * LX % 32 / BLOCK * BLOCK;
    const idx_t wanted = GROUP_ID(0) * LY + y, first = GROUP_ID(1) * SIDES;
    const int mine = wanted < count;
    const idx_t m = MEMBER(mine ? wanted : count - 1);
    const int order = ORDER_OF(m), scale = scales[m];
    const idx_t columns = inverse_of ? (idx_t)order : rhs;
#if !CHOLESKY && !defined(LDL_BATCH)
    const idx_t down = transposes ? (idx_t)order : 1, across = transposes ? 1 : (idx_t)order;
#endif
    GLOBAL const ELEMENT *const f = F + FACTORS_OF(m);
    GLOBAL const int *const source = rows + ROWS_OF(m);
    GLOBAL ELEMENT *const v = V + PLACE_OF(v, m);
    const idx_t row = STEP_OF(v, row, inverse_of ? order : columns), column = STEP_OF(v, column, order);
    LOCAL_PTR ELEMENT *const solved = all_solved + y * SOLVED * SIDES;
    const int blocks = LY > 1 ? 1 : (order + BLOCK - 1) / BLOCK;
    ELEMENT r[HELD][SIDES];
    int bad = 0;
    MEMBERS_TAKEN;
    VIEW_TAKEN(v);
#ifndef LANES
    LOCAL_PTR ELEMENT *const passing = all_passing + y * 2 * SIDES;
    (void)first_of_lanes;
#endif
    UNROLL
    for (int h = 0; h < HELD; ++h) {
        const int i = x + h * LX, at = i < order ? ROW_OF_B(i) : 0;
        UNROLL
        for (int s = 0; s < SIDES; ++s) {
            const idx_t j = first + s;
            ELEMENT value = ZERO;
            if (i < order && j < columns) value = inverse_of ? (at == j ? ONE : ZERO) : v[at * row + j * column];
            bad |= !IS_BOUNDED(value);
            if (IS_SCALED() && i < order) value = scaled_by(value, EXPONENT_OF(i));
            r[h][s] = CONJUGATE_IF(transposes == 2, value);
        }
    }
    UNROLL
    for (int h = 0; h < HELD; ++h) {
        const int here = blocks - h * BLOCKS < BLOCKS ? blocks - h * BLOCKS : BLOCKS;
        for (int w = 0; w < here; ++w) {
            const int b = h * BLOCKS + w, begin = b * BLOCK, of_block = x / BLOCK == w;
            LOCAL_PTR ELEMENT *const now = solved + b % 2 * BLOCK * SIDES;
            SOLVE_BLOCK(h, begin, 1, HAS_ONES(1), now)
            SYNC();
            UNROLL
            for (int g = h; g < HELD; ++g) UPDATE(g, begin, 1, now)
        }
    }
    LOCAL_BARRIER();
#ifdef LDL_BATCH
    UNROLL
    for (int h = 0; h < HELD; ++h) {
        UNROLL
        for (int s = 0; s < SIDES; ++s) solved[(x + h * LX) * SIDES + s] = r[h][s];
    }
    LOCAL_BARRIER();
    UNROLL
    for (int h = 0; h < HELD; ++h) divide_row(r[h], x + h * LX, order, f, solved);
    LOCAL_BARRIER();
#endif
    UNROLL
    for (int q = 0; q < HELD; ++q) {
        const int h = HELD - 1 - q;
        const int here = blocks - h * BLOCKS < BLOCKS ? blocks - h * BLOCKS : BLOCKS;
        for (int p = 0; p < here; ++p) {
            const int w = here - 1 - p, b = h * BLOCKS + w, begin = b * BLOCK, of_block = x / BLOCK == w;
            LOCAL_PTR ELEMENT *const now = solved + b % 2 * BLOCK * SIDES;
            SOLVE_BLOCK(h, begin, 0, HAS_ONES(0), now)
            SYNC();
            UNROLL
            for (int g = 0; g <= h; ++g) UPDATE(g, begin, 0, now)
        }
    }
    UNROLL
    for (int h = 0; h < HELD; ++h) {
        UNROLL
        for (int s = 0; s < SIDES; ++s) {
            const int i = x + h * LX;
#if CHOLESKY
            if (scale != 0 && i < order) r[h][s] = scaled_by(r[h][s], EXPONENT_OF(i));
#endif
            if (IS_REAL && inverse_of && i < order && ROW_OF_X(i) == first + s) r[h][s] = FROM_REAL(REAL_PART(r[h][s]));
            bad |= !IS_BOUNDED(r[h][s]);
        }
    }
#if defined(LANES) && LX <= LANES
    bad = (LANES_VOTE(bad != 0) >> first_of_lanes & ALL_LANES) != 0;
#elif defined(LANES)
    const unsigned votes = LANES_VOTE(bad != 0);
    if (x % LANES == 0) spoilt[x / LANES] = votes != 0;
    LOCAL_BARRIER();
    for (int q = 0; q < LX / LANES; ++q) bad |= spoilt[q];
#else
    spoilt[y * LX + x] = bad;
    LOCAL_BARRIER();
    for (int q = 0; q < LX; ++q) bad |= spoilt[y * LX + q];
#endif
    const int fails = bad & (info[m] == 0);
    if (mine && x == 0 && (fails | (GROUPS(1) == 1))) outcome[m] = fails ? -1 : 0;
    if (mine && info[m] == 0) {
        UNROLL
        for (int h = 0; h < HELD; ++h) {
            const int i = x + h * LX, at = i < order ? ROW_OF_X(i) : 0;
            UNROLL
            for (int s = 0; s < SIDES; ++s) {
                const idx_t j = first + s;
                if (!bad && i < order && j < columns && IS_WRITTEN(at, j))
                    v[at * row + j * column] = CONJUGATE_IF(transposes == 2, r[h][s]);
            }
        }
    }
}
