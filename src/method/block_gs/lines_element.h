/*
 * lines_element.h: LU with partial pivoting of one tridiagonal matrix, and solves with it; included by lines_host.c
 * once for each type, in the words of method/elements_words.h. Factors, exchanges and info are those of LAPACK's gttrf:
 * dl the multipliers, d, du and du2 the diagonals of U, swaps[i] 1 where row i was exchanged with the next.
 *
 * A division takes three times as long as a product, and in a solve each waits for the one before. So `inverse` has the
 * reciprocals of d, which no division waits for, and swaps[n] has CLS_LINE_PLAIN where all of them are normal numbers,
 * and no pivot is tiny: else solves divide. It has CLS_LINE_TINY where a pivot other than 0 is tiny.
 */

CLS_CLONES
static int64_t NAME(factor)(int64_t n, const cls_line *line) {
    ELEMENT *dl = line->dl, *d = line->d, *du = line->du, *du2 = line->du2, *inverse = line->inverse;
    int8_t *swaps = line->swaps;
    int64_t info = 0;
    int plain = CLS_LINE_PLAIN, tiny = 0;
    for (int64_t i = 0; i + 1 < n; ++i) {
        const int swap = !(SIZE(d[i]) >= SIZE(dl[i]));
        swaps[i] = (int8_t)swap;
        du2[i] = ZERO;
        if (!swap) {
            if (IS_ZERO(d[i])) continue;
            dl[i] = OVER(dl[i], d[i]);
            d[i + 1] = LESS_PRODUCT(d[i + 1], dl[i], du[i]);
            continue;
        }
        const ELEMENT factor = OVER(d[i], dl[i]), above = du[i], next = d[i + 1];
        d[i] = dl[i];
        dl[i] = factor;
        du[i] = next;
        d[i + 1] = LESS_PRODUCT(above, factor, next);
        if (i + 2 >= n) continue;
        du2[i] = du[i + 1];
        du[i + 1] = NEGATIVE_PRODUCT(factor, du[i + 1]);
    }
    for (int64_t i = n - 1; i >= 0; --i) {
        inverse[i] = OVER(ONE, d[i]);
        plain &= LARGER_PART(inverse[i]) >= LEAST && LARGER_PART(inverse[i]) <= 1 / TINY;
        if (IS_ZERO(d[i])) info = i + 1;
    }
    for (int64_t i = 0; i < n && !plain; ++i) tiny |= LARGER_PART(d[i]) < TINY && !IS_ZERO(d[i]);
    swaps[n] = (int8_t)(plain | (tiny ? CLS_LINE_TINY : 0));
    return info;
}

/* x becomes the solution. */
CLS_CLONES
static void NAME(solve)(int64_t n, const cls_line *line, void *values) {
    const ELEMENT *dl = line->dl, *d = line->d, *du = line->du, *du2 = line->du2, *inverse = line->inverse;
    const int8_t *swaps = line->swaps;
    ELEMENT *x = values;
    const int plain = swaps[n] & CLS_LINE_PLAIN;
    ELEMENT last = n > 0 ? x[0] : ZERO;
    for (int64_t i = 0; i + 1 < n; ++i) {
        const ELEMENT next = x[i + 1], own = swaps[i] ? next : last, other = swaps[i] ? last : next;
        x[i] = own;
        last = LESS_PRODUCT(other, dl[i], own);
    }
    if (n > 0) x[n - 1] = last;
    ELEMENT after = ZERO, behind = ZERO;
    for (int64_t i = n - 1; i >= 0; --i) {
        const ELEMENT one = LESS_PRODUCT_IF(i + 1 < n, x[i], du[i], after);
        const ELEMENT rest = LESS_PRODUCT_IF(i + 2 < n, one, du2[i], behind);
        behind = after;
        after = x[i] = plain ? TIMES(rest, inverse[i]) : OVER(rest, d[i]);
    }
}

CLS_CLONES
static void NAME(solve_transposed)(int64_t n, const cls_line *line, void *values) {
    const ELEMENT *dl = line->dl, *d = line->d, *du = line->du, *du2 = line->du2, *inverse = line->inverse;
    const int8_t *swaps = line->swaps;
    ELEMENT *x = values;
    const int plain = swaps[n] & CLS_LINE_PLAIN;
    ELEMENT before = ZERO, first = ZERO;
    for (int64_t i = 0; i < n; ++i) {
        const ELEMENT one = LESS_PRODUCT_IF(i > 0, x[i], du[i - 1], before);
        const ELEMENT rest = LESS_PRODUCT_IF(i > 1, one, du2[i - 2], first);
        first = before;
        before = x[i] = plain ? TIMES(rest, inverse[i]) : OVER(rest, d[i]);
    }
    for (int64_t i = n - 2; i >= 0; --i) {
        const ELEMENT own = x[i], next = x[i + 1];
        x[i + 1] = swaps[i] ? LESS_PRODUCT(own, dl[i], next) : next;
        x[i] = swaps[i] ? next : LESS_PRODUCT(own, dl[i], next);
    }
}

/* `count` numbers, `stride` apart; 0: NaN or Inf among them. Several sums, for an addition waits for the one before. */
CLS_CLONES
static int NAME(gather)(const void *array, int64_t at, int64_t stride, int64_t count, void *values) {
    const ELEMENT *from = (const ELEMENT *)array + at;
    ELEMENT *to = values;
    REAL sums[4] = {0}; /* of zeros, unless something is not finite */
    int64_t i = 0;
    if (stride == 1)
        for (; i + 4 <= count; i += 4)
            for (int s = 0; s < 4; ++s) {
                to[i + s] = from[i + s];
                sums[s] += NAUGHT(to[i + s]);
            }
    for (; i < count; ++i) {
        to[i] = from[i * stride];
        sums[i % 4] += NAUGHT(to[i]);
    }
    return sums[0] + sums[1] + sums[2] + sums[3] == 0;
}
