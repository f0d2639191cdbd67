/*
 * host_block_element.h: LU with partial pivoting of a matrix of some hundred rows on the host, by blocks of BLOCK
 * columns, for each type: host_small.c includes it by elements_each.h, behind host_small_element.h, whose steps it
 * takes. The algorithm is left-looking (G. Golub, C. Van Loan, Matrix Computations, 4th ed., section 3.2.9):
 *
 *        p  p+DEEP      b       b+BLOCK
 *      +---+---+-------+-------+         the columns of a block have their rows exchanged as all before them;
 *      |   | T |       |   X   |         X becomes T^-1 X, Y becomes Y - L X for p = 0, DEEP, ..., b - DEEP;
 *      |   +---+       +-------+         then the block takes the steps of host_small_element.h,
 *      |   | L |       |   Y   |         and the columns left of it have their rows exchanged
 *      +---+---+-------+-------+
 *
 * so that the block stays in the nearest cache. Tiles of GROUPS groups of rows and 4 columns are in registers.
 */
enum { NAME(GROUPS) = PARTS == 2 ? 2 : 3 };

/* The tile at c, of `groups` groups of rows and `cols` columns, loses l u. Each caller gives both as constants. */
static inline __attribute__((always_inline)) void NAME(tile)(ELEMENT *c, const ELEMENT *l, const ELEMENT *u, int64_t n,
                                                             const int groups, const int cols) {
    NAME(lanes) x[3][4], by, turned;
#pragma GCC unroll 3
    for (int g = 0; g < groups; ++g)
#pragma GCC unroll 4
        for (int v = 0; v < cols; ++v) NAME(load)(c + g * WIDE + v * n, &x[g][v]);
#pragma GCC unroll 8
    for (int k = 0; k < DEEP; ++k)
#pragma GCC unroll 3
        for (int g = 0; g < groups; ++g) {
            NAME(load)(l + g * WIDE + k * n, &by);
            NAME(turn)(&by, &turned);
#pragma GCC unroll 4
            for (int v = 0; v < cols; ++v) NAME(subtract)(&x[g][v], &by, &turned, u[k + v * n]);
        }
#pragma GCC unroll 3
    for (int g = 0; g < groups; ++g)
#pragma GCC unroll 4
        for (int v = 0; v < cols; ++v) NAME(store)(c + g * WIDE + v * n, &x[g][v]);
}

/* Y - L X for `cols` columns and the rows p + DEEP .. n - 1. */
static inline __attribute__((always_inline)) void NAME(take_out)(ELEMENT *A, int64_t n, int64_t p, ELEMENT *c,
                                                                 const int cols) {
    const ELEMENT *l = A + p * n;
    int64_t i = p + DEEP;
    for (; i + NAME(GROUPS) * WIDE <= n; i += NAME(GROUPS) * WIDE)
        NAME(tile)(c + i, l + i, c + p, n, NAME(GROUPS), cols);
    for (; i + WIDE <= n; i += WIDE) NAME(tile)(c + i, l + i, c + p, n, 1, cols);
    for (; i < n; ++i)
        for (int v = 0; v < cols; ++v) {
            ELEMENT x = c[i + v * n];
            for (int k = 0; k < DEEP; ++k) x = LESS_PRODUCT(x, l[i + k * n], c[p + k + v * n]);
            c[i + v * n] = x;
        }
}

/* T^-1 X. */
static inline __attribute__((always_inline)) void NAME(solve_unit)(const ELEMENT *t, int64_t n, ELEMENT *c,
                                                                   const int cols) {
    for (int k = 0; k + 1 < DEEP; ++k)
        for (int r = k + 1; r < DEEP; ++r) {
            const ELEMENT factor = t[r + k * n];
#pragma GCC unroll 4
            for (int v = 0; v < cols; ++v) c[r + v * n] = LESS_PRODUCT(c[r + v * n], factor, c[k + v * n]);
        }
}

/* Rows of `cols` columns are exchanged as in the steps begin .. end - 1. */
static void NAME(exchange)(ELEMENT *c, int64_t n, int64_t cols, const int *pivots, int64_t begin, int64_t end) {
    for (int64_t v = 0; v < cols; ++v, c += n)
        for (int64_t k = begin; k < end; ++k) {
            const int64_t p = pivots[k] - 1;
            const ELEMENT x = c[k];
            c[k] = c[p];
            c[p] = x;
        }
}

/* The columns before `b` are taken out of `cols` columns from c on. */
static inline __attribute__((always_inline)) void NAME(bring)(ELEMENT *A, int64_t n, int64_t b, ELEMENT *c,
                                                              const int cols) {
    for (int64_t p = 0; p < b; p += DEEP) {
        NAME(solve_unit)(A + p + p * n, n, c + p, cols);
        NAME(take_out)(A, n, p, c, cols);
    }
}

/* As `factor` has it, of any number of rows up to CLS_LU_HOST_BLOCKED_MOST. */
CLS_CLONES
static int64_t NAME(factor_blocks)(ELEMENT *A, int64_t n, int *pivots, double *largest) {
    int64_t info = 0;
    REAL most = 0;
    for (int64_t b = 0; b < n; b += BLOCK) {
        const int64_t end = b + BLOCK < n ? b + BLOCK : n;
        NAME(exchange)(A + b * n, n, end - b, pivots, 0, b);
        int64_t j = b;
        for (; j + 4 <= end; j += 4) NAME(bring)(A, n, b, A + j * n, 4);
        for (; j < end; ++j) NAME(bring)(A, n, b, A + j * n, 1);
        for (j = b; j < end; ++j)
            for (int64_t i = 0; i < b; ++i) most = LARGER_PART(A[i + j * n]) > most ? LARGER_PART(A[i + j * n]) : most;
        const int64_t zero = NAME(steps)(A, n, b, end, pivots, &most);
        if (info == 0) info = zero;
        NAME(exchange)(A, n, b, pivots, b, end);
    }
    *largest = (double)most;
    return info;
}
