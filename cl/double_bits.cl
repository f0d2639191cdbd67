/*
 * double_bits.cl: a matrix of doubles on a device that does not compute in double: integers read its bits.
 *
 *     residual_across     R(i,c) = R(i,c) - 2^exponent sum over j of A(i,j) X(j,c)
 *     residual_along      R(j,c) = R(j,c) - 2^exponent sum over i of A(i,j) X(i,c)
 *     measure_across      of each row i the largest |A(i,j)| 2^powers(j), and the sum of them
 *     measure_along       of each column j the largest |A(i,j)| 2^powers(i), and the sum of them
 *     scale_bits          T(i,j) = A(i,j) 2^(r(i) + c(j)), rounded to float
 *
 * A product keeps its 64 leading bits, 11 more than a double has. A sum has 128 bits: 64 below the leading bit of its
 * largest product, and 63 above it for carries. The sum is rounded once, to the nearest double. So R is as accurate as
 * arithmetic in double makes it, and mostly more. Nothing overflows or underflows on the way: exponents are integers.
 * An R that is Inf or NaN already stays so.
 * The compiler's treatment of float (contraction, flushed subnormal numbers) has no influence.
 *
 * Measures are keys: non-negative numbers as 12 bits of exponent and 52 of fraction, which compare as integers do and
 * hold sums that no double is large enough for. NOT_FINITE is the key of NaN and Inf. `keys` hold those of the slabs
 * before, or zeros.
 *
 * Barriers stand outside of branches: PoCL 3.1 mixes up the variables of work-items at a barrier in a branch of a loop.
 * Residuals and measures have LX x SIDES work-items. Across: neighbours are on neighbouring rows, and the sides share
 * the columns. Along: LX work-items share a column, and each side has its own. A work-item reads an element of A once
 * for COLUMNS columns of X. Local memory: 20 LX SIDES bytes, for the measures 28. In scale_bits ACROSS x 1 work-items
 * lie along rows, and a group goes on to column + GROUPS(1).
 *
 * The two residuals end alike and do not share that end: with it in a HELPER, Intel's compiler (ocloc 22.43, adl-s)
 * spills 2048 bytes of residual_along's registers, and nothing as it is.
 */
#ifndef LX
#define LX 32
#endif
#ifndef SIDES
#define SIDES 8
#endif
#ifndef COLUMNS
#define COLUMNS 4
#endif
#ifndef ACROSS
#define ACROSS 32
#endif

#define HIGHEST    ((wide_t)1 << 63)
#define NOT_FINITE (~(wide_t)0)
#define NOTHING    (-(1 << 20)) /* the exponent of zero: below all others, also of products */
#define KEY_BIAS   2048

/* m 2^(e - 64), with m >= 2^63, or m = 0 and e = NOTHING. */
typedef struct number {
    wide_t m;
    int e, negative;
} number;

/* The 128 bits of high and low, in two's complement, times 2^(top - 64). */
typedef struct sum {
    wide_t high, low;
    int top;
} sum;

#define NO_SUM(s)                                                                                                      \
    do {                                                                                                               \
        (s).high = (s).low = 0;                                                                                        \
        (s).top = 4 * NOTHING;                                                                                         \
    } while (0)

/* NaN and Inf are read as large numbers: callers keep them away. */
HELPER number number_of(wide_t bits) {
    const int field = (int)(bits >> 52) & 2047;
    number x;

    x.negative = (int)(bits >> 63);
    x.m = bits << 11; /* bit 63 is the exponent's last one */
    x.e = field - 1022;
    if (field > 0) {
        x.m |= HIGHEST;
    } else if ((x.m <<= 1) == 0) {
        x.e = NOTHING;
    } else {
        const int zeros = (int)LEADING_ZEROS(x.m);
        x.m <<= zeros;
        x.e -= zeros;
    }
    return x;
}

HELPER sum lowered(sum s, int by) {
    if (by >= 128) {
        s.high = s.low = 0;
    } else if (by >= 64) {
        s.low = (wide_t)((idx_t)s.high >> (by - 64));
        s.high = (wide_t)((idx_t)s.high >> 63);
    } else if (by > 0) {
        s.low = s.low >> by | s.high << (64 - by);
        s.high = (wide_t)((idx_t)s.high >> by);
    }
    s.top += by;
    return s;
}

/* s + m 2^(e - 64), or less that. */
HELPER sum with(sum s, wide_t m, int e, int negative) {
    if (e > s.top) s = lowered(s, e - s.top);
    const int down = s.top - e;
    const wide_t part = down < 64 ? m >> down : 0;
    const wide_t low = negative ? (wide_t)0 - part : part;
    s.low += low;
    s.high += (negative && part != 0 ? ~(wide_t)0 : 0) + (s.low < low ? 1 : 0);
    return s;
}

HELPER sum joined(sum a, sum b) {
    if (a.top < b.top)
        a = lowered(a, b.top - a.top);
    else
        b = lowered(b, a.top - b.top);
    a.low += b.low;
    a.high += b.high + (a.low < b.low ? 1 : 0);
    return a;
}

HELPER sum less_product(sum s, number a, number x) {
    return with(s, MUL_HIGH(a.m, x.m), a.e + x.e, a.negative == x.negative);
}

/* The 64 leading bits; *more: there are others. */
HELPER number leading(sum s, int *more) {
    number x;
    int zeros;

    x.negative = (idx_t)s.high < 0;
    if (x.negative) {
        s.low = (wide_t)0 - s.low;
        s.high = ~s.high + (s.low == 0 ? 1 : 0);
    }
    *more = 0;
    if (s.high == 0) { /* the low half moves up by 64 */
        s.high = s.low;
        s.low = 0;
        s.top -= 64;
    }
    x.m = s.high;
    x.e = NOTHING;
    if (x.m == 0) return x;
    zeros = (int)LEADING_ZEROS(x.m);
    if (zeros > 0) x.m = x.m << zeros | s.low >> (64 - zeros);
    *more = s.low << zeros != 0;
    x.e = s.top + 64 - zeros;
    return x;
}

/* The bits of |x| as a floating-point number of so many digits, rounded to nearest, ties to even. Exponents end before
 * `most`. */
HELPER wide_t rounded(number x, int more, int digits, int most) {
    int field = x.e - 1 + most / 2, drop = 64 - digits;
    wide_t kept, rest;

    if (x.m == 0) return 0;
    if (field >= most) return (wide_t)most << (digits - 1);
    if (field < 1) drop += 1 - field; /* a subnormal number */
    if (drop > 64) return 0;
    kept = drop < 64 ? x.m >> drop : 0;
    rest = drop < 64 ? x.m << (64 - drop) : x.m;
    if (rest > HIGHEST || (rest == HIGHEST && (more || kept % 2 == 1))) kept += 1;
    return field < 1 ? kept : kept + ((wide_t)(field - 1) << (digits - 1));
}

HELPER wide_t double_of(sum s) {
    int more;
    const number x = leading(s, &more);
    return rounded(x, more, 53, 2047) | (wide_t)x.negative << 63;
}

HELPER wide_t key_of(number x) {
    const int e = x.e + KEY_BIAS > 0 ? x.e + KEY_BIAS : 0; /* smaller numbers do not matter next to any other */
    return x.m == 0 ? 0 : (wide_t)e << 52 | x.m << 1 >> 12;
}

HELPER sum sum_of_key(wide_t key) {
    sum s;
    NO_SUM(s);
    if (key != 0) s = with(s, HIGHEST | key << 12 >> 1, (int)(key >> 52) - KEY_BIAS, 0);
    return s;
}

HELPER int is_finite(wide_t bits) {
    return ((int)(bits >> 52) & 2047) != 2047;
}

/* ---- residuals ---- */

/* The work-item's sums over one element of A and an element of each column of X. */
HELPER void take(wide_t bits, int exponent, GLOBAL const wide_t *X, idx_t x_ld, int count, sum *sums) {
    number a = number_of(bits);
    a.e += exponent;
    UNROLL
    for (int c = 0; c < COLUMNS; ++c)
        if (c < count) sums[c] = less_product(sums[c], a, number_of(X[c * x_ld]));
}

HELPER void put(sum s, idx_t lid, LOCAL_PTR wide_t *highs, LOCAL_PTR wide_t *lows, LOCAL_PTR int *tops) {
    highs[lid] = s.high;
    lows[lid] = s.low;
    tops[lid] = s.top;
}

HELPER sum got(idx_t lid, LOCAL_PTR const wide_t *highs, LOCAL_PTR const wide_t *lows, LOCAL_PTR const int *tops) {
    sum s;
    s.high = highs[lid];
    s.low = lows[lid];
    s.top = tops[lid];
    return s;
}

/* `begin` joined with the sums of work-items first, first + step, ..., so many of them, where they are this one's. */
HELPER sum gathered(sum begin, idx_t first, int step, int number_of_them, LOCAL_PTR const wide_t *highs,
                    LOCAL_PTR const wide_t *lows, LOCAL_PTR const int *tops) {
    for (int k = 0; k < number_of_them; ++k) begin = joined(begin, got(first + k * step, highs, lows, tops));
    return begin;
}

HELPER sum sum_of_double(wide_t bits) {
    const number x = number_of(bits);
    sum s;
    NO_SUM(s);
    return with(s, x.m, x.e, x.negative);
}

KERNEL WORK_GROUP(LX, SIDES, 1) void residual_across(GLOBAL const wide_t *A, idx_t offset, idx_t ld, idx_t rows,
                                                     idx_t cols, int exponent, GLOBAL const wide_t *X, idx_t x_offset,
                                                     idx_t x_ld, GLOBAL wide_t *R, idx_t r_offset, idx_t r_ld,
                                                     int count) {
    LOCAL_ARRAY(wide_t, highs, LX * SIDES);
    LOCAL_ARRAY(wide_t, lows, LX * SIDES);
    LOCAL_ARRAY(int, tops, LX *SIDES);
    const idx_t lx = LOCAL_ID(0), side = LOCAL_ID(1), i = GROUP_ID(0) * LX + lx;
    sum sums[COLUMNS];

    UNROLL
    for (int c = 0; c < COLUMNS; ++c) NO_SUM(sums[c]);
    if (i < rows)
        for (idx_t j = side; j < cols; j += SIDES)
            take(A[offset + i + j * ld], exponent, X + (x_offset + j), x_ld, count, sums);
    UNROLL
    for (int c = 0; c < COLUMNS; ++c) {
        LOCAL_BARRIER();
        put(sums[c], lx + side * LX, highs, lows, tops);
        LOCAL_BARRIER();
        if (side == 0 && i < rows && c < count) {
            GLOBAL wide_t *r = R + (r_offset + i + c * r_ld);
            if (is_finite(*r)) *r = double_of(gathered(sum_of_double(*r), lx, LX, SIDES, highs, lows, tops));
        }
    }
}

KERNEL WORK_GROUP(LX, SIDES, 1) void residual_along(GLOBAL const wide_t *A, idx_t offset, idx_t ld, idx_t rows,
                                                    idx_t cols, int exponent, GLOBAL const wide_t *X, idx_t x_offset,
                                                    idx_t x_ld, GLOBAL wide_t *R, idx_t r_offset, idx_t r_ld,
                                                    int count) {
    LOCAL_ARRAY(wide_t, highs, LX * SIDES);
    LOCAL_ARRAY(wide_t, lows, LX * SIDES);
    LOCAL_ARRAY(int, tops, LX *SIDES);
    const idx_t lx = LOCAL_ID(0), side = LOCAL_ID(1), j = GROUP_ID(0) * SIDES + side;
    sum sums[COLUMNS];

    UNROLL
    for (int c = 0; c < COLUMNS; ++c) NO_SUM(sums[c]);
    if (j < cols)
        for (idx_t i = lx; i < rows; i += LX)
            take(A[offset + i + j * ld], exponent, X + (x_offset + i), x_ld, count, sums);
    UNROLL
    for (int c = 0; c < COLUMNS; ++c) {
        LOCAL_BARRIER();
        put(sums[c], lx + side * LX, highs, lows, tops);
        LOCAL_BARRIER();
        if (lx == 0 && j < cols && c < count) {
            GLOBAL wide_t *r = R + (r_offset + j + c * r_ld);
            if (is_finite(*r)) *r = double_of(gathered(sum_of_double(*r), side * LX, 1, LX, highs, lows, tops));
        }
    }
}

/* ---- measures ---- */

HELPER number raised(wide_t bits, int power) {
    number a = number_of(bits);
    a.e += power;
    return a;
}

HELPER wide_t larger_key(wide_t key, wide_t bits, number a) {
    const wide_t other = is_finite(bits) ? key_of(a) : NOT_FINITE;
    return other > key ? other : key;
}

HELPER wide_t largest_key(wide_t key, idx_t first, int step, int number_of_them, LOCAL_PTR const wide_t *most) {
    for (int k = 0; k < number_of_them; ++k) key = most[first + k * step] > key ? most[first + k * step] : key;
    return key;
}

HELPER wide_t key_of_sum(sum s) {
    int more;
    return key_of(leading(s, &more));
}

KERNEL WORK_GROUP(LX, SIDES, 1) void measure_across(GLOBAL const wide_t *A, idx_t offset, idx_t ld, idx_t rows,
                                                    idx_t cols, GLOBAL const int *powers, idx_t first_column,
                                                    GLOBAL wide_t *largest, GLOBAL wide_t *sums) {
    LOCAL_ARRAY(wide_t, highs, LX * SIDES);
    LOCAL_ARRAY(wide_t, lows, LX * SIDES);
    LOCAL_ARRAY(wide_t, most, LX * SIDES);
    LOCAL_ARRAY(int, tops, LX *SIDES);
    const idx_t lx = LOCAL_ID(0), side = LOCAL_ID(1), i = GROUP_ID(0) * LX + lx;
    wide_t key = 0;
    sum s;

    NO_SUM(s);
    if (i < rows)
        for (idx_t j = side; j < cols; j += SIDES) {
            const wide_t bits = A[offset + i + j * ld];
            const number a = raised(bits, powers[first_column + j]);
            key = larger_key(key, bits, a);
            s = with(s, a.m, a.e, 0);
        }
    put(s, lx + side * LX, highs, lows, tops);
    most[lx + side * LX] = key;
    LOCAL_BARRIER();
    if (side == 0 && i < rows) {
        sums[i] = key_of_sum(gathered(sum_of_key(sums[i]), lx, LX, SIDES, highs, lows, tops));
        largest[i] = largest_key(largest[i], lx, LX, SIDES, most);
    }
}

KERNEL WORK_GROUP(LX, SIDES, 1) void measure_along(GLOBAL const wide_t *A, idx_t offset, idx_t ld, idx_t rows,
                                                   idx_t cols, GLOBAL const int *powers, idx_t first_column,
                                                   GLOBAL wide_t *largest, GLOBAL wide_t *sums) {
    LOCAL_ARRAY(wide_t, highs, LX * SIDES);
    LOCAL_ARRAY(wide_t, lows, LX * SIDES);
    LOCAL_ARRAY(wide_t, most, LX * SIDES);
    LOCAL_ARRAY(int, tops, LX *SIDES);
    const idx_t lx = LOCAL_ID(0), side = LOCAL_ID(1), j = GROUP_ID(0) * SIDES + side;
    wide_t key = 0;
    sum s;

    NO_SUM(s);
    if (j < cols)
        for (idx_t i = lx; i < rows; i += LX) {
            const wide_t bits = A[offset + i + j * ld];
            const number a = raised(bits, powers[i]);
            key = larger_key(key, bits, a);
            s = with(s, a.m, a.e, 0);
        }
    put(s, lx + side * LX, highs, lows, tops);
    most[lx + side * LX] = key;
    LOCAL_BARRIER();
    if (lx == 0 && j < cols) {
        const idx_t at = first_column + j;
        sums[at] = key_of_sum(gathered(sum_of_key(sums[at]), side * LX, 1, LX, highs, lows, tops));
        largest[at] = largest_key(largest[at], side * LX, 1, LX, most);
    }
}

/* ---- to float ---- */

KERNEL WORK_GROUP(ACROSS, 1, 1) void scale_bits(GLOBAL const wide_t *A, idx_t offset, idx_t ld, idx_t rows, idx_t cols,
                                                idx_t first_column, GLOBAL const int *r, GLOBAL const int *c,
                                                GLOBAL unsigned *T, idx_t t_offset, idx_t t_ld) {
    const idx_t i = GROUP_ID(0) * ACROSS + LOCAL_ID(0);
    if (i >= rows) return;
    for (idx_t j = GROUP_ID(1); j < cols; j += GROUPS(1)) {
        number a = number_of(A[offset + i + j * ld]);
        a.e += r[i] + c[first_column + j];
        T[t_offset + i + j * t_ld] = (unsigned)rounded(a, 0, 24, 255) | (unsigned)a.negative << 31;
    }
}
