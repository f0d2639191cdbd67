/*
 * host_small_element.h: LU with partial pivoting of a matrix of few rows, column by column, and solves with it, for
 * each type: host_small.c includes it by elements_each.h. The algorithm is right-looking (G. Golub, C. Van Loan, Matrix
 * Computations, 4th ed., algorithm 3.4.1). The matrix is tight, n x n, column after column. Multipliers are quotients,
 * so that a subnormal pivot, whose reciprocal overflows, does no harm; complex ones are products with the pivot's
 * reciprocal where that is safe.
 *
 * Rows are taken in groups of WIDE from row 0 on, whichever row a step begins with, and rows are exchanged within the
 * groups: a load waits long for a store that it overlaps in part. Rows that come before the step have multipliers of 0.
 * A group is LANES real numbers, a complex element two neighbours of them.
 *
 *          k
 *    | 0 0 0 l | l l l l | l l      the multipliers of column k: a group, a group, and the last rows one by one
 */
typedef REAL NAME(lanes) __attribute__((vector_size(32)));
typedef BITS NAME(masks) __attribute__((vector_size(32)));

#define LANES (32 / (int64_t)sizeof(REAL))
#define WIDE  (LANES / PARTS)

/* Column k, its pivot in row p. */
typedef struct NAME(step) {
    int64_t n, k, p;
    int64_t whole;            /* rows in groups that are whole */
    int64_t k_group, p_group; /* the first rows of the groups with k and p */
    NAME(masks) k_lane, p_lane, below;
    ELEMENT multipliers[CLS_LU_HOST_BLOCKED_MOST];
} NAME(step);

static inline void NAME(load)(const ELEMENT *a, NAME(lanes) * x) {
    memcpy(x, a, sizeof *x);
}

static inline void NAME(store)(ELEMENT *a, const NAME(lanes) * x) {
    memcpy(a, x, sizeof *x);
}

/* All elements of a group the same. */
static inline void NAME(spread)(ELEMENT value, NAME(lanes) * all) {
#if COMPLEX
    static const BITS odd[8] = {0, -1, 0, -1, 0, -1, 0, -1};
    const NAME(lanes) x = (NAME(lanes)){0} + value.x, y = (NAME(lanes)){0} + value.y;
    NAME(masks) second;
    memcpy(&second, odd, sizeof second);
    *all = (NAME(lanes))(((NAME(masks))x & ~second) | ((NAME(masks))y & second));
#else
    *all = (NAME(lanes)){0} + value;
#endif
}

static inline void NAME(put)(NAME(lanes) * x, const NAME(masks) * lane, ELEMENT value) {
    NAME(lanes) all;
    NAME(spread)(value, &all);
    *x = (NAME(lanes))(((NAME(masks)) * x & ~*lane) | ((NAME(masks))all & *lane));
}

/* i x, for the product with an imaginary part; of real numbers there is none. */
static inline void NAME(turn)(const NAME(lanes) * x, NAME(lanes) * turned) {
#if COMPLEX
    static const BITS neighbour[8] = {1, 0, 3, 2, 5, 4, 7, 6};
    static const REAL sign[8] = {-1, 1, -1, 1, -1, 1, -1, 1};
    NAME(masks) neighbours;
    NAME(lanes) signs;
    memcpy(&neighbours, neighbour, sizeof neighbours);
    memcpy(&signs, sign, sizeof signs);
#ifdef __clang__
    for (int64_t k = 0; k < LANES; ++k) (*turned)[k] = (*x)[k ^ 1];
#else
    *turned = __builtin_shuffle(*x, neighbours);
#endif
    *turned *= signs;
#else
    *turned = *x;
#endif
}

/* x -= by u, `turned` as `turn` makes it of `by`. */
static inline void NAME(subtract)(NAME(lanes) * x, const NAME(lanes) * by, const NAME(lanes) * turned, ELEMENT u) {
#if COMPLEX
    *x -= *by * u.x;
    *x -= *turned * u.y;
#else
    (void)turned;
    *x -= *by * u;
#endif
}

/* Ones in all bits of one element, or of all elements behind it. */
static inline void NAME(lane_at)(int64_t at, NAME(masks) * lane) {
    static const BITS one[16] = {0, 0, 0, 0, 0, 0, 0, -1, 1 - PARTS};
    memcpy(lane, one + 7 - PARTS * at, sizeof *lane);
}

static inline void NAME(lanes_behind)(int64_t at, NAME(masks) * lanes) {
    static const BITS many[16] = {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1};
    memcpy(lanes, many + 8 - PARTS * (at + 1), sizeof *lanes);
}

static inline int64_t NAME(pivot_of)(const ELEMENT *a, int64_t n, int64_t k) {
    int64_t p = k;
    REAL most = SIZE(a[k]);
    for (int64_t i = k + 1; i < n; ++i) {
        const REAL x = SIZE(a[i]);
        p = x > most ? i : p;
        most = x > most ? x : most;
    }
    return p;
}

static inline void NAME(begin)(NAME(step) * s, int64_t k, int64_t p) {
    s->k = k;
    s->p = p;
    s->k_group = k / WIDE * WIDE;
    s->p_group = p / WIDE * WIDE;
    NAME(lane_at)(k - s->k_group, &s->k_lane);
    NAME(lane_at)(p - s->p_group, &s->p_lane);
    NAME(lanes_behind)(k - s->k_group, &s->below);
}

#if COMPLEX
/* x / pivot, or where the reciprocal is safe its product with x. */
static inline void NAME(divide_lanes)(NAME(lanes) * x, ELEMENT pivot, ELEMENT inverse) {
    NAME(lanes) quotient = {0}, turned;
    if (!IS_ZERO(inverse)) {
        NAME(turn)(x, &turned);
        NAME(subtract)(&quotient, x, &turned, NEGATED(inverse));
    } else {
        for (int64_t k = 0; k < LANES; k += 2) {
            const ELEMENT of = OVER(((ELEMENT){(*x)[k], (*x)[k + 1]}), pivot);
            quotient[k] = of.x;
            quotient[k + 1] = of.y;
        }
    }
    *x = quotient;
}
#define DIVIDE_LANES(x) NAME(divide_lanes)(&(x), pivot, inverse)
#define IS_SAFE_SIZE(x) ((x) > sqrt(sqrt((double)LEAST)) && (x) < 1 / sqrt(sqrt((double)LEAST)))
#define SAFE_INVERSE(x) (IS_SAFE_SIZE(LARGER_PART(x)) ? OVER(ONE, x) : ZERO)
#define QUOTIENT(x)     (IS_ZERO(inverse) ? OVER(x, pivot) : TIMES(x, inverse))
#else
#define DIVIDE_LANES(x) ((x) /= pivot)
#define QUOTIENT(x)     ((x) / pivot)
#endif

/* Column k becomes the multipliers below its pivot. */
static inline void NAME(divide)(NAME(step) * s, ELEMENT *a) {
    const ELEMENT pivot = a[s->p], first = a[s->k];
#if COMPLEX
    const ELEMENT inverse = SAFE_INVERSE(pivot);
#endif
    const int64_t g = s->k_group;
    ELEMENT *l = s->multipliers;
    for (int64_t i = g; i < s->whole; i += WIDE) {
        NAME(lanes) above, x;
        NAME(load)(a + i, &above);
        x = above;
        if (i == s->p_group) NAME(put)(&x, &s->p_lane, first);
        DIVIDE_LANES(x);
        if (i == g) x = (NAME(lanes))((NAME(masks))x & s->below);
        NAME(store)(l + i, &x);
        if (i == g) {
            x = (NAME(lanes))((NAME(masks))x | ((NAME(masks))above & ~s->below));
            NAME(put)(&x, &s->k_lane, pivot);
        }
        NAME(store)(a + i, &x);
    }
    for (int64_t i = s->whole > s->k ? s->whole : s->k; i < s->n; ++i) {
        const ELEMENT of = i == s->p ? first : a[i], x = QUOTIENT(of);
        a[i] = i == s->k ? pivot : x;
        l[i] = i == s->k ? ZERO : x;
    }
}

/* `cols` columns lose their multiples of column k, after the exchange of rows k and p. Returns the largest number that
 * comes to row k, or `most`. Each caller gives its number of columns as a constant. */
static inline REAL NAME(update)(const NAME(step) * s, ELEMENT *c, int cols, REAL most) {
    const int64_t n = s->n, k = s->k, p = s->p;
    const ELEMENT *l = s->multipliers;
    ELEMENT u[4], first[4];
    for (int v = 0; v < cols; ++v) {
        u[v] = c[p + v * n];
        first[v] = c[k + v * n];
        most = LARGER_PART(u[v]) > most ? LARGER_PART(u[v]) : most;
    }
    for (int64_t i = s->k_group; i < s->whole; i += WIDE) {
        NAME(lanes) by, turned;
        NAME(load)(l + i, &by);
        NAME(turn)(&by, &turned);
        for (int v = 0; v < cols; ++v) {
            NAME(lanes) x;
            NAME(load)(c + i + v * n, &x);
            if (i == s->p_group) NAME(put)(&x, &s->p_lane, first[v]);
            if (i == s->k_group) NAME(put)(&x, &s->k_lane, u[v]);
            NAME(subtract)(&x, &by, &turned, u[v]);
            NAME(store)(c + i + v * n, &x);
        }
    }
    for (int64_t i = s->whole > k ? s->whole : k; i < n; ++i)
        for (int v = 0; v < cols; ++v) {
            const ELEMENT x = i == k ? u[v] : i == p ? first[v] : c[i + v * n];
            c[i + v * n] = LESS_PRODUCT(x, l[i], u[v]);
        }
    return most;
}

/* The steps begin .. end - 1, in the columns of the same numbers. Pivots from 1. Returns LAPACK's info; *most becomes
 * no less than |u(i,j)| of these columns from row `begin` on, of complex ones than the larger part. */
static inline __attribute__((always_inline)) int64_t NAME(steps)(ELEMENT *A, int64_t n, int64_t begin, int64_t end,
                                                                 int *pivots, REAL *largest) {
    NAME(step) s;
    REAL most = *largest;
    int64_t info = 0;
    s.n = n;
    s.whole = n / WIDE * WIDE;
    for (int64_t k = begin; k < end; ++k) {
        ELEMENT *a = A + k * n, *c = a + n;
        const int64_t p = NAME(pivot_of)(a, n, k);
        int64_t left = end - 1 - k;
        pivots[k] = (int)p + 1;
        most = LARGER_PART(a[p]) > most ? LARGER_PART(a[p]) : most;
        if (IS_ZERO(a[p])) { /* so are all below: nothing moves */
            info = info ? info : k + 1;
            for (; left > 0; --left, c += n) most = LARGER_PART(c[k]) > most ? LARGER_PART(c[k]) : most;
            continue;
        }
        for (int64_t j = begin; j < k && p != k; ++j) {
            const ELEMENT l = A[p + j * n];
            A[p + j * n] = A[k + j * n];
            A[k + j * n] = l;
        }
        NAME(begin)(&s, k, p);
        NAME(divide)(&s, a);
        for (; left >= 4; left -= 4, c += 4 * n) most = NAME(update)(&s, c, 4, most);
        for (; left > 0; --left, c += n) most = NAME(update)(&s, c, 1, most);
    }
    *largest = most;
    return info;
}

CLS_CLONES
static int64_t NAME(factor)(ELEMENT *A, int64_t n, int *pivots, double *largest) {
    REAL most = 0;
    const int64_t info = NAME(steps)(A, n, 0, n, pivots, &most);
    *largest = (double)most;
    return info;
}

/* x -= a u in the rows k+1 .. n-1. */
static inline void NAME(subtract_below)(ELEMENT *restrict x, const ELEMENT *restrict a, int64_t n, int64_t k,
                                        ELEMENT u) {
    const int64_t g = k / WIDE * WIDE;
    int64_t i = g;
    for (; i + WIDE <= n; i += WIDE) {
        NAME(lanes) to, l, turned;
        NAME(load)(x + i, &to);
        NAME(load)(a + i, &l);
        if (i == g) {
            NAME(masks) below;
            NAME(lanes_behind)(k - g, &below);
            l = (NAME(lanes))((NAME(masks))l & below);
        }
        NAME(turn)(&l, &turned);
        NAME(subtract)(&to, &l, &turned, u);
        NAME(store)(x + i, &to);
    }
    for (i = i > k ? i : k + 1; i < n; ++i) x[i] = LESS_PRODUCT(x[i], a[i], u);
}

/* The same in the rows 0 .. k-1: their last group one by one, if it is not whole. */
static inline void NAME(subtract_above)(ELEMENT *restrict x, const ELEMENT *restrict a, int64_t k, ELEMENT u) {
    int64_t i = 0;
    for (; i + WIDE <= k; i += WIDE) {
        NAME(lanes) to, l, turned;
        NAME(load)(x + i, &to);
        NAME(load)(a + i, &l);
        NAME(turn)(&l, &turned);
        NAME(subtract)(&to, &l, &turned, u);
        NAME(store)(x + i, &to);
    }
    for (; i < k; ++i) x[i] = LESS_PRODUCT(x[i], a[i], u);
}

/*
 * x becomes the solution of A x = b. A division takes three times as long as a product, and each waits for the one
 * before. So the reciprocals of the pivots come first, which wait for nothing; unless one of them is no normal number.
 */
CLS_CLONES
static void NAME(solve)(const ELEMENT *A, int64_t n, const int *pivots, ELEMENT *restrict x) {
    ELEMENT inverse[CLS_LU_HOST_BLOCKED_MOST];
    int plain = 1;
    for (int64_t k = 0; k < n; ++k) {
        inverse[k] = OVER(ONE, A[k + k * n]);
        plain &= LARGER_PART(inverse[k]) >= LEAST && LARGER_PART(inverse[k]) <= 1 / LEAST;
    }
    for (int64_t k = 0; k < n; ++k) {
        const ELEMENT value = x[pivots[k] - 1];
        x[pivots[k] - 1] = x[k];
        x[k] = value;
    }
    for (int64_t k = 0; k + 1 < n; ++k) NAME(subtract_below)(x, A + k * n, n, k, x[k]);
    for (int64_t k = n - 1; k >= 0; --k) {
        x[k] = plain ? TIMES(x[k], inverse[k]) : OVER(x[k], A[k + k * n]);
        NAME(subtract_above)(x, A + k * n, k, x[k]);
    }
}

/* Four sums, because an addition waits for the one before. */
static inline ELEMENT NAME(dot)(const ELEMENT *restrict a, const ELEMENT *restrict x, int64_t begin, int64_t end) {
    ELEMENT sums[4] = {ZERO, ZERO, ZERO, ZERO};
    int64_t i = begin;
    for (; i + 4 <= end; i += 4)
        for (int s = 0; s < 4; ++s) sums[s] = PLUS_PRODUCT(sums[s], a[i + s], x[i + s]);
    for (; i < end; ++i) sums[0] = PLUS_PRODUCT(sums[0], a[i], x[i]);
    const ELEMENT even = PLUS(sums[0], sums[1]), odd = PLUS(sums[2], sums[3]);
    return PLUS(even, odd);
}

/* x becomes the solution of A^T x = b. */
CLS_CLONES
static void NAME(solve_transposed)(const ELEMENT *A, int64_t n, const int *pivots, ELEMENT *x) {
    for (int64_t k = 0; k < n; ++k) {
        const ELEMENT sum = NAME(dot)(A + k * n, x, 0, k), rest = MINUS(x[k], sum);
        x[k] = OVER(rest, A[k + k * n]);
    }
    for (int64_t k = n - 2; k >= 0; --k) {
        const ELEMENT sum = NAME(dot)(A + k * n, x, k + 1, n);
        x[k] = MINUS(x[k], sum);
    }
    for (int64_t k = n - 1; k >= 0; --k) {
        const ELEMENT value = x[k];
        x[k] = x[pivots[k] - 1];
        x[pivots[k] - 1] = value;
    }
}

/* rows x cols elements from or to steps of `row` and `column` in the caller's memory. */
static void NAME(gather)(const ELEMENT *from, int64_t row, int64_t column, int64_t rows, int64_t cols, ELEMENT *to) {
    for (int64_t j = 0; j < cols; ++j)
        for (int64_t i = 0; i < rows; ++i) to[i + j * rows] = from[i * row + j * column];
}

static void NAME(scatter)(ELEMENT *to, int64_t row, int64_t column, int64_t rows, int64_t cols, const ELEMENT *from) {
    for (int64_t j = 0; j < cols; ++j)
        for (int64_t i = 0; i < rows; ++i) to[i * row + j * column] = from[i + j * rows];
}

/* The first that is NaN or Inf; -1: none. */
static int64_t NAME(nonfinite)(const ELEMENT *x, int64_t count) {
    REAL sums[4] = {0};
    int64_t k = 0;
    for (; k + 4 <= count; k += 4)
        for (int s = 0; s < 4; ++s) sums[s] += NAUGHT(x[k + s]);
    for (; k < count; ++k) sums[0] += NAUGHT(x[k]);
    const int finite = sums[0] + sums[1] + sums[2] + sums[3] == 0;
    for (k = 0; k < count && !finite; ++k)
        if (!(NAUGHT(x[k]) == 0)) return k;
    return -1;
}

/* The conjugates, for the conjugate transpose of A, which is not conjugated itself. */
static void NAME(conjugate)(ELEMENT *x, int64_t count) {
    for (int64_t k = 0; PARTS == 2 && k < count; ++k) x[k] = CONJUGATE(x[k]);
}

/* Columns, tight, become their solutions. */
static void NAME(columns)(clsolve_op op, const ELEMENT *A, int64_t n, const int *pivots, ELEMENT *x, int64_t cols) {
    if (op == CLSOLVE_CONJ_TRANS) NAME(conjugate)(x, n * cols);
    for (int64_t c = 0; c < cols; ++c)
        (op != CLSOLVE_NO_TRANS ? NAME(solve_transposed) : NAME(solve))(A, n, pivots, x + c * n);
    if (op == CLSOLVE_CONJ_TRANS) NAME(conjugate)(x, n * cols);
}

/* op(A)^-1 of the caller's right-hand sides, in `room`. */
static void NAME(sides)(const cls_lu *lu, clsolve_op op, const clsolve_matrix *B, ELEMENT *room, cls_place *in,
                        cls_place *out) {
    const int by_column = B->layout == CLSOLVE_COLUMN_MAJOR;
    const int64_t n = lu->n, cols = B->cols, row = by_column ? 1 : B->ld, column = by_column ? B->ld : 1;
    const ELEMENT *A = cls_matrix_host(&lu->A, 0, 0);
    NAME(gather)(B->data, row, column, n, cols, room);
    int64_t bad = NAME(nonfinite)(room, n * cols);
    if (bad >= 0) {
        *in = (cls_place){bad % n, bad / n};
        return;
    }
    NAME(columns)(op, A, n, lu->panel.host_pivots, room, cols);
    bad = NAME(nonfinite)(room, n * cols);
    if (bad >= 0)
        *out = (cls_place){bad % n, bad / n};
    else
        NAME(scatter)(B->data, row, column, n, cols, room);
}
#include "method/lu/host_block_element.h"
#undef WIDE
#undef LANES
#undef DIVIDE_LANES
#undef IS_SAFE_SIZE
#undef SAFE_INVERSE
#undef QUOTIENT
