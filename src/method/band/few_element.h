/*
 * few_element.h: LU with partial pivoting of a band of few diagonals, column by column, and solves with it; few.c
 * includes it once for each type, in the words of method/elements_words.h.
 *
 * The storage is that of LAPACK's gbtrf, with kv = kl + ku diagonals above the main one, at most n - 1: element (i, j)
 * at ab[kv + i - j + j * ld]. Multipliers are quotients, so that a subnormal pivot, whose reciprocal overflows, does no
 * harm.
 *
 * Element (i, j) of the columns right of j lies at a step of ld - 1 in a row: rows are exchanged where they are
 * updated.
 */

/* to[i] -= column[i] * to[0] for i = 1 .. below, after the exchange of to[0] and to[p]; in four columns at a step of
 * ld - 1, so that column is read once for all of them. */
static inline void NAME(update_four)(ELEMENT *to, int64_t step, const ELEMENT *restrict column, int64_t below,
                                     int64_t p) {
    ELEMENT *restrict a = to, *restrict b = to + step, *restrict c = to + 2 * step, *restrict d = to + 3 * step;
    const ELEMENT ua = a[p], ub = b[p], uc = c[p], ud = d[p];
    a[p] = a[0], b[p] = b[0], c[p] = c[0], d[p] = d[0];
    a[0] = ua, b[0] = ub, c[0] = uc, d[0] = ud;
    for (int64_t i = 1; i <= below; ++i) {
        const ELEMENT l = column[i];
        a[i] = LESS_PRODUCT(a[i], l, ua);
        b[i] = LESS_PRODUCT(b[i], l, ub);
        c[i] = LESS_PRODUCT(c[i], l, uc);
        d[i] = LESS_PRODUCT(d[i], l, ud);
    }
}

static inline void NAME(update_one)(ELEMENT *restrict to, const ELEMENT *restrict column, int64_t below, int64_t p) {
    const ELEMENT u = to[p];
    to[p] = to[0];
    to[0] = u;
    for (int64_t i = 1; i <= below; ++i) to[i] = LESS_PRODUCT(to[i], column[i], u);
}

/* The column from its diagonal down, `below` elements under it: its pivot, 0 .. below, and multipliers. A column of
 * zeros stays, and *info is set. */
static inline int64_t NAME(take_pivot)(ELEMENT *column, int64_t below, int64_t j, int64_t *info) {
    int64_t p = 0;
    for (int64_t i = 1; i <= below; ++i)
        if (SIZE(column[i]) > SIZE(column[p])) p = i;
    const ELEMENT pivot = column[p];
    if (IS_ZERO(pivot)) {
        *info = *info ? *info : j + 1;
        return 0;
    }
    column[p] = column[0];
    column[0] = pivot;
    for (int64_t i = 1; i <= below; ++i) column[i] = OVER(column[i], pivot);
    return p;
}

/* A panel of four columns from j on. */
typedef struct NAME(panel) {
    int64_t rows;                       /* from row j on: all that its columns change */
    int64_t p[CLS_FEW_PANEL];           /* pivots, from row j + t */
    int64_t reach[CLS_FEW_PANEL];       /* the last column that the rows exchanged so far come to */
    ELEMENT *restrict l[CLS_FEW_PANEL]; /* multipliers from row j on, all exchanges done, zeros elsewhere */
} NAME(panel);

/* Multipliers stay in the band as gbtrf has them, without the exchanges that come after. */
static inline void NAME(gather)(NAME(panel) * panel, const ELEMENT *ab, int64_t step, int64_t kl) {
    for (int64_t t = 0; t < CLS_FEW_PANEL; ++t) {
        ELEMENT *restrict l = panel->l[t];
        const ELEMENT *column = ab + t * (step + 1);
        const int64_t last = t + kl < panel->rows - 1 ? t + kl : panel->rows - 1;
        for (int64_t i = 0; i <= t; ++i) l[i] = ZERO;
        for (int64_t i = t + 1; i <= last; ++i) l[i] = column[i - t];
        for (int64_t i = last + 1; i < panel->rows; ++i) l[i] = ZERO;
        for (int64_t s = t + 1; s < CLS_FEW_PANEL; ++s) {
            const ELEMENT kept = l[s];
            l[s] = l[s + panel->p[s]];
            l[s + panel->p[s]] = kept;
        }
    }
}

/* The panel's exchanges and the triangle on top of its multipliers, in the column whose row j is a[0]. */
static inline void NAME(top)(const NAME(panel) * panel, ELEMENT *a) {
    for (int64_t t = 0; t < CLS_FEW_PANEL; ++t) {
        const ELEMENT u = a[t + panel->p[t]];
        a[t + panel->p[t]] = a[t];
        a[t] = u;
    }
    for (int64_t t = 1; t < CLS_FEW_PANEL; ++t)
        for (int64_t s = 0; s < t; ++s) a[t] = LESS_PRODUCT(a[t], panel->l[s][t], a[s]);
}

/* Two columns at a time: their numerators and the multipliers stay in registers. */
static inline void NAME(below_two)(const NAME(panel) * panel, ELEMENT *restrict a, ELEMENT *restrict b) {
    const ELEMENT *restrict l0 = panel->l[0], *restrict l1 = panel->l[1];
    const ELEMENT *restrict l2 = panel->l[2], *restrict l3 = panel->l[3];
    const ELEMENT a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3], b0 = b[0], b1 = b[1], b2 = b[2], b3 = b[3];
    for (int64_t i = CLS_FEW_PANEL; i < panel->rows; ++i) {
        a[i] = LESS_PRODUCTS(a[i], l, a, i);
        b[i] = LESS_PRODUCTS(b[i], l, b, i);
    }
}

static inline void NAME(below_one)(const NAME(panel) * panel, ELEMENT *restrict a) {
    const ELEMENT *restrict l0 = panel->l[0], *restrict l1 = panel->l[1];
    const ELEMENT *restrict l2 = panel->l[2], *restrict l3 = panel->l[3];
    const ELEMENT a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
    for (int64_t i = CLS_FEW_PANEL; i < panel->rows; ++i) a[i] = LESS_PRODUCTS(a[i], l, a, i);
}

/* The columns right of the panel. Beyond reach[0] the first rows of the panel have no elements, not even zeros. */
static inline void NAME(update_right)(const NAME(panel) * panel, ELEMENT *ab, int64_t step, int64_t j, int64_t kl) {
    const int64_t both = panel->reach[0] - j, all = panel->reach[CLS_FEW_PANEL - 1] - j;
    int64_t c = CLS_FEW_PANEL;
    for (; c < both; c += 2) {
        ELEMENT *a = ab + c * step;
        NAME(top)(panel, a);
        NAME(top)(panel, a + step);
        NAME(below_two)(panel, a, a + step);
    }
    for (; c <= both; ++c) {
        NAME(top)(panel, ab + c * step);
        NAME(below_one)(panel, ab + c * step);
    }
    for (; c <= all; ++c)
        for (int64_t t = 0; t < CLS_FEW_PANEL; ++t) {
            const int64_t below = kl < panel->rows - 1 - t ? kl : panel->rows - 1 - t;
            if (panel->reach[t] - j < c) continue;
            NAME(update_one)(ab + c * step + t, ab + t * (step + 1), below, panel->p[t]);
        }
}

/* One column, in the columns up to `end` and not beyond. */
static inline void NAME(update_some)(ELEMENT *column, int64_t step, int64_t below, int64_t p, int64_t end) {
    ELEMENT *to = column;
    for (; end >= 4; end -= 4, to += 4 * step) NAME(update_four)(to + step, step, column, below, p);
    for (; end > 0; --end, to += step) NAME(update_one)(to + step, column, below, p);
}

/* Columns that are updated soon, into the cache. They are wanted a few rows at a time, a step of ld - 1 from one column
 * to the next, which no cache foresees. */
static inline void NAME(fetch)(const ELEMENT *ab, int64_t ld, int64_t rows, int64_t columns) {
    const int64_t line = 64 / (int64_t)sizeof *ab;
    for (int64_t c = 0; c < columns; ++c)
        for (int64_t r = 0; r < rows; r += line) __builtin_prefetch(ab + c * ld + r, 1, 2);
}

CLS_FEW_CLONES
static int64_t NAME(factor)(void *elements, int64_t ld, int64_t n, int64_t kl, int64_t ku, int64_t kv, int32_t *pivots,
                            int64_t *above) {
    ELEMENT *ab = elements;
    const int64_t step = ld - 1, by_panels = kl >= CLS_FEW_PANELS_FROM && kl <= CLS_FEW_PANELS_TO;
    ELEMENT room[CLS_FEW_PANEL][CLS_FEW_PANELS_TO + CLS_FEW_PANEL];
    const int fetches = kl >= CLS_FEW_FETCHES_FROM && n * ld * (int64_t)sizeof *ab > CLS_FEW_CACHE;
    int64_t info = 0, reach = 0;
    *above = 0;
    for (int64_t j = 0, width; j < n; j += width) {
        NAME(panel) panel = {.l = {room[0], room[1], room[2], room[3]}};
        ELEMENT *first = ab + kv + j * ld; /* element (j, j) */
        width = by_panels && n - j > 2 * CLS_FEW_PANEL ? CLS_FEW_PANEL : 1;
        panel.rows = kl + width < n - j ? kl + width : n - j;
        for (int64_t t = 0; t < width; ++t) {
            const int64_t k = j + t, below = kl < n - 1 - k ? kl : n - 1 - k;
            const int64_t p = NAME(take_pivot)(first + t * ld, below, k, &info);
            const int64_t last =
                k + ku + p < n - 1 ? k + ku + p : n - 1; /* row k + p reaches ku columns beyond its own */
            pivots[k] = (int32_t)(k + p) + 1;
            reach = last > reach ? last : reach;
            *above = reach - k > *above ? reach - k : *above;
            panel.p[t] = p;
            panel.reach[t] = reach;
            const int64_t end = width > 1 && reach > j + width - 1 ? j + width - 1 : reach;
            NAME(update_some)(first + t * ld, step, below, p, end - k);
        }
        if (width == 1) continue;
        if (fetches && reach + 2 * width < n) NAME(fetch)(ab + kl + (reach + 1 + width) * ld, ld, kv + 1, width);
        NAME(gather)(&panel, first, step, kl);
        NAME(update_right)(&panel, first, step, j, kl);
    }
    return info;
}

/* Several maxima, so that no comparison waits for the one before. */
CLS_FEW_CLONES
static double NAME(largest_of)(const void *elements, int64_t ld, int64_t n, int64_t kv, int64_t above) {
    const ELEMENT *ab = elements;
    REAL most[4] = {0}, rest[2] = {0};
    for (int64_t j = 0; j < n; ++j) {
        const int64_t up = above < j ? above : j;
        const ELEMENT *u = ab + kv - up + j * ld;
        int64_t i = 0;
        for (; i + 4 <= up + 1; i += 4)
            for (int q = 0; q < 4; ++q) most[q] = LARGER_PART(u[i + q]) > most[q] ? LARGER_PART(u[i + q]) : most[q];
        for (; i < up; i += 2)
            for (int q = 0; q < 2; ++q) rest[q] = LARGER_PART(u[i + q]) > rest[q] ? LARGER_PART(u[i + q]) : rest[q];
        if (i == up) rest[0] = LARGER_PART(u[i]) > rest[0] ? LARGER_PART(u[i]) : rest[0];
    }
    for (int q = 0; q < 2; ++q) most[q] = rest[q] > most[q] ? rest[q] : most[q];
    for (int q = 1; q < 4; ++q) most[0] = most[q] > most[0] ? most[q] : most[0];
    return (double)most[0];
}

/* x becomes the solution of A x = b, or A^T x = b. `most`: the diagonals of U above its own. */
CLS_FEW_CLONES
static void NAME(solve)(const void *elements, int64_t ld, int64_t n, int64_t kl, int64_t kv, int64_t most,
                        const int32_t *pivots, void *values) {
    const ELEMENT *ab = elements;
    ELEMENT *x = values;
    for (int64_t j = 0; j < n && kl > 0; ++j) {
        const ELEMENT *column = ab + kv + j * ld;
        const int64_t below = kl < n - 1 - j ? kl : n - 1 - j, p = pivots[j] - 1;
        const ELEMENT value = x[p];
        x[p] = x[j];
        x[j] = value;
        for (int64_t i = 1; i <= below; ++i) x[j + i] = LESS_PRODUCT(x[j + i], column[i], value);
    }
    for (int64_t j = n - 1; j >= 0; --j) {
        const ELEMENT *column = ab + kv + j * ld;
        const int64_t above = most < j ? most : j;
        const ELEMENT value = x[j] = OVER(x[j], column[0]);
        for (int64_t i = 1; i <= above; ++i)
            x[j - above + i - 1] = LESS_PRODUCT(x[j - above + i - 1], column[i - 1 - above], value);
    }
}

CLS_FEW_CLONES
static void NAME(solve_transposed)(const void *elements, int64_t ld, int64_t n, int64_t kl, int64_t kv, int64_t most,
                                   const int32_t *pivots, void *values) {
    const ELEMENT *ab = elements;
    ELEMENT *x = values;
    for (int64_t j = 0; j < n; ++j) {
        const ELEMENT *column = ab + kv + j * ld;
        const int64_t above = most < j ? most : j;
        ELEMENT sum = x[j];
        for (int64_t i = 1; i <= above; ++i) sum = LESS_PRODUCT(sum, column[-i], x[j - i]);
        x[j] = OVER(sum, column[0]);
    }
    for (int64_t j = n - 1; j >= 0 && kl > 0; --j) {
        const ELEMENT *column = ab + kv + j * ld;
        const int64_t below = kl < n - 1 - j ? kl : n - 1 - j, p = pivots[j] - 1;
        ELEMENT sum = x[j];
        for (int64_t i = 1; i <= below; ++i) sum = LESS_PRODUCT(sum, column[i], x[j + i]);
        x[j] = x[p];
        x[p] = sum;
    }
}
