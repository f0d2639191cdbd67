/*
 * lines_real.h: LU with partial pivoting of one tridiagonal matrix, and solves with it; included by lines_host.c once for
 * each type, with REAL, LEAST (the smallest normal number) and NAME(x). Factors, exchanges and info are those of LAPACK's
 * gttrf: dl the multipliers, d, du and du2 the diagonals of U, swaps[i] 1 where row i was exchanged with the next.
 *
 * A division takes three times as long as a product, and in a solve each waits for the one before. So `inverse` has the
 * reciprocals of d, which no division waits for, and swaps[n] says whether all of them are normal numbers: where one
 * is not, solves divide.
 */

CLS_CLONES
static int64_t NAME(factor)(int64_t n, REAL *dl, REAL *d, REAL *du, REAL *du2, REAL *inverse, int8_t *swaps) {
    int64_t info = 0;
    int plain = 1;
    for (int64_t i = 0; i + 1 < n; ++i) {
        const int swap = !(ABSOLUTE(d[i]) >= ABSOLUTE(dl[i]));
        swaps[i] = (int8_t)swap;
        du2[i] = 0;
        if (!swap) {
            if (d[i] == 0) continue;
            dl[i] /= d[i];
            d[i + 1] -= dl[i] * du[i];
            continue;
        }
        const REAL factor = d[i] / dl[i], above = du[i], next = d[i + 1];
        d[i] = dl[i];
        dl[i] = factor;
        du[i] = next;
        d[i + 1] = above - factor * next;
        if (i + 2 >= n) continue;
        du2[i] = du[i + 1];
        du[i + 1] = -factor * du[i + 1];
    }
    for (int64_t i = n - 1; i >= 0; --i) {
        inverse[i] = 1 / d[i];
        plain &= ABSOLUTE(inverse[i]) >= LEAST && ABSOLUTE(inverse[i]) <= 1 / LEAST;
        if (d[i] == 0) info = i + 1;
    }
    swaps[n] = (int8_t)plain;
    return info;
}

/* x becomes the solution. */
CLS_CLONES
static void NAME(solve)(int64_t n, const REAL *dl, const REAL *d, const REAL *du, const REAL *du2, const REAL *inverse,
                        const int8_t *swaps, REAL *x) {
    const int plain = swaps[n];
    REAL last = n > 0 ? x[0] : 0;
    for (int64_t i = 0; i + 1 < n; ++i) {
        const REAL next = x[i + 1], own = swaps[i] ? next : last, other = swaps[i] ? last : next;
        x[i] = own;
        last = other - dl[i] * own;
    }
    if (n > 0) x[n - 1] = last;
    REAL after = 0, behind = 0;
    for (int64_t i = n - 1; i >= 0; --i) {
        const REAL rest = x[i] - (i + 1 < n ? du[i] * after : 0) - (i + 2 < n ? du2[i] * behind : 0);
        behind = after;
        after = x[i] = plain ? rest * inverse[i] : rest / d[i];
    }
}

CLS_CLONES
static void NAME(solve_transposed)(int64_t n, const REAL *dl, const REAL *d, const REAL *du, const REAL *du2,
                                   const REAL *inverse, const int8_t *swaps, REAL *x) {
    const int plain = swaps[n];
    REAL before = 0, first = 0;
    for (int64_t i = 0; i < n; ++i) {
        const REAL rest = x[i] - (i > 0 ? du[i - 1] * before : 0) - (i > 1 ? du2[i - 2] * first : 0);
        first = before;
        before = x[i] = plain ? rest * inverse[i] : rest / d[i];
    }
    for (int64_t i = n - 2; i >= 0; --i) {
        const REAL own = x[i], next = x[i + 1];
        x[i + 1] = swaps[i] ? own - dl[i] * next : next;
        x[i] = swaps[i] ? next : own - dl[i] * next;
    }
}

/* `count` numbers, `stride` apart; 0: NaN or Inf among them. Several sums, for an addition waits for the one before. */
CLS_CLONES
static int NAME(gather)(const REAL *from, int64_t stride, int64_t count, REAL *to) {
    REAL sums[4] = {0}; /* of zeros, unless something is not finite */
    int64_t i = 0;
    if (stride == 1)
        for (; i + 4 <= count; i += 4)
            for (int s = 0; s < 4; ++s) {
                to[i + s] = from[i + s];
                sums[s] += 0 * to[i + s];
            }
    for (; i < count; ++i) {
        to[i] = from[i * stride];
        sums[i % 4] += 0 * to[i];
    }
    return sums[0] + sums[1] + sums[2] + sums[3] == 0;
}
