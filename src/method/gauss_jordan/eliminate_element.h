/*
 * eliminate_element.h: elimination of one matrix of at most LARGEST rows on the host. batch_host.c and
 * host_small.c include it once for each type, in the words of method/elements_words.h. A matrix and its right-hand
 * sides lie column after column in a room.
 *
 *   gather, scatter   n x cols between a batch and a room; gather gives 0 where there is NaN or Inf
 *   swap_rows         of `cols` columns
 *   pivot_of          the row of the largest element of column k from row k on
 *   step              column k: its pivot row is divided, the other rows lose their multiples of it; in `cols` columns
 *                     of B too
 *   double_step       columns k and k + 1, whose multiples the other columns lose at once: half the loads and stores
 *   eliminate         all of A, which becomes its inverse with columns out of order, and B: 0, the first zero pivot,
 *                     or -1; *least: the smallest pivot before that, or 0 where it is tiny
 *   order             the inverse's columns in their order
 *   solve_system      B = A^-1 B by Gaussian elimination and back substitution, which is as stable as LU; info and
 *                     least as of eliminate
 */

/* Several sums of zeros, for an addition waits for the one before. */
static inline int NAME(finite)(const ELEMENT *elements, int64_t length) {
    const REAL *const a = (const REAL *)elements;
    const int64_t count = PARTS * length;
    REAL sums[4] = {0};
    int64_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (int s = 0; s < 4; ++s) sums[s] += 0 * a[i + s];
    for (; i < count; ++i) sums[0] += 0 * a[i];
    return sums[0] + sums[1] + sums[2] + sums[3] == 0;
}

static inline int NAME(gather)(const ELEMENT *data, cls_gj_strides s, int64_t n, int64_t cols, ELEMENT *to) {
    for (int64_t j = 0; j < cols; ++j)
        for (int64_t i = 0; i < n; ++i) to[i + j * n] = data[i * s.row + j * s.column];
#if COMPLEX
    for (int64_t k = 0; s.conjugate && k < n * cols; ++k) to[k].y = -to[k].y;
#endif
    return NAME(finite)(to, n * cols);
}

static inline void NAME(scatter)(ELEMENT *data, cls_gj_strides s, int64_t n, int64_t cols, const ELEMENT *from) {
    for (int64_t j = 0; j < cols; ++j)
        for (int64_t i = 0; i < n; ++i) data[i * s.row + j * s.column] = from[i + j * n];
}

static inline void NAME(swap_rows)(ELEMENT *A, int64_t n, int64_t cols, int64_t i, int64_t k) {
    for (int64_t j = 0; j < cols && i != k; ++j) {
        const ELEMENT kept = A[i + j * n];
        A[i + j * n] = A[k + j * n];
        A[k + j * n] = kept;
    }
}

static inline int64_t NAME(pivot_of)(const ELEMENT *a, int64_t n, int64_t k) {
    int64_t p = k;
    for (int64_t i = k + 1; i < n; ++i)
        if (SIZE(a[i]) > SIZE(a[p])) p = i;
    return p;
}

static inline void NAME(update)(ELEMENT *restrict c, const ELEMENT *restrict m, int64_t n, int64_t k, ELEMENT pivot) {
    const ELEMENT u = OVER(c[k], pivot);
    for (int64_t i = 0; i < n; ++i) c[i] = LESS_PRODUCT(c[i], m[i], u);
    c[k] = u;
}

/* Columns in fours, so that the multipliers are read once for all of them. */
static inline void NAME(update_all)(ELEMENT *C, const ELEMENT *restrict m, int64_t n, int64_t cols, int64_t k,
                                    ELEMENT pivot) {
    int64_t j = 0;
    for (; j + 4 <= cols; j += 4) {
        ELEMENT *restrict c0 = C + j * n, *restrict c1 = c0 + n, *restrict c2 = c1 + n, *restrict c3 = c2 + n;
        const ELEMENT u0 = OVER(c0[k], pivot), u1 = OVER(c1[k], pivot), u2 = OVER(c2[k], pivot),
                      u3 = OVER(c3[k], pivot);
        for (int64_t i = 0; i < n; ++i) {
            const ELEMENT l = m[i];
            c0[i] = LESS_PRODUCT(c0[i], l, u0);
            c1[i] = LESS_PRODUCT(c1[i], l, u1);
            c2[i] = LESS_PRODUCT(c2[i], l, u2);
            c3[i] = LESS_PRODUCT(c3[i], l, u3);
        }
        c0[k] = u0, c1[k] = u1, c2[k] = u2, c3[k] = u3;
    }
    for (; j < cols; ++j) NAME(update)(C + j * n, m, n, k, pivot);
}

static inline void NAME(step)(ELEMENT *A, int64_t n, int64_t k, ELEMENT *B, int64_t cols) {
    ELEMENT multipliers[LARGEST], *a = A + k * n, pivot = a[k];
    memcpy(multipliers, a, (size_t)n * sizeof *a);
    NAME(update_all)(A, multipliers, n, k, k, pivot);
    NAME(update_all)(a + n, multipliers, n, n - 1 - k, k, pivot);
    NAME(update_all)(B, multipliers, n, cols, k, pivot);
    for (int64_t i = 0; i < n; ++i) a[i] = OVER(NEGATED(multipliers[i]), pivot);
    a[k] = OVER(ONE, pivot);
}

/* Two pivots and their columns of multipliers, the second as the first step leaves it. */
typedef struct NAME(two) {
    int64_t k;
    ELEMENT first, second;
    ELEMENT m[LARGEST], l[LARGEST];
} NAME(two);

static inline void NAME(update_twice)(ELEMENT *restrict c, const NAME(two) * t, int64_t n) {
    const ELEMENT u = OVER(c[t->k], t->first), v = OVER(LESS_PRODUCT(c[t->k + 1], t->m[t->k + 1], u), t->second);
    for (int64_t i = 0; i < n; ++i) c[i] = LESS_PRODUCT(LESS_PRODUCT(c[i], t->m[i], u), t->l[i], v);
    c[t->k] = LESS_PRODUCT(u, t->l[t->k], v);
    c[t->k + 1] = v;
}

/* Columns in fours, as update_all. */
static inline void NAME(update_all_twice)(ELEMENT *C, const NAME(two) * t, int64_t n, int64_t cols) {
    const int64_t k = t->k;
    int64_t j = 0;
    for (; j + 4 <= cols; j += 4) {
        ELEMENT *restrict c[4] = {C + j * n, C + (j + 1) * n, C + (j + 2) * n, C + (j + 3) * n}, u[4], v[4];
        for (int q = 0; q < 4; ++q) {
            u[q] = OVER(c[q][k], t->first);
            v[q] = OVER(LESS_PRODUCT(c[q][k + 1], t->m[k + 1], u[q]), t->second);
        }
        ELEMENT *restrict c0 = c[0], *restrict c1 = c[1], *restrict c2 = c[2], *restrict c3 = c[3];
        for (int64_t i = 0; i < n; ++i) {
            const ELEMENT m = t->m[i], l = t->l[i];
            c0[i] = LESS_PRODUCT(LESS_PRODUCT(c0[i], m, u[0]), l, v[0]);
            c1[i] = LESS_PRODUCT(LESS_PRODUCT(c1[i], m, u[1]), l, v[1]);
            c2[i] = LESS_PRODUCT(LESS_PRODUCT(c2[i], m, u[2]), l, v[2]);
            c3[i] = LESS_PRODUCT(LESS_PRODUCT(c3[i], m, u[3]), l, v[3]);
        }
        for (int q = 0; q < 4; ++q) {
            c[q][k] = LESS_PRODUCT(u[q], t->l[k], v[q]);
            c[q][k + 1] = v[q];
        }
    }
    for (; j < cols; ++j) NAME(update_twice)(C + j * n, t, n);
}

/* Chooses the pivot of column k and moves its row: 0, k + 1 where it is zero, -1 where the column is not finite. */
static inline int32_t NAME(choose)(ELEMENT *A, int64_t n, int64_t k, ELEMENT *B, int64_t cols, int *pivots) {
    const int64_t p = NAME(pivot_of)(A + k * n, n, k);
    if (!NAME(finite)(A + k * n, n)) return -1;
    if (IS_ZERO(A[p + k * n])) return (int32_t)k + 1;
    pivots[k] = (int)p;
    NAME(swap_rows)(A, n, n, p, k);
    NAME(swap_rows)(B, n, cols, p, k);
    return 0;
}

/* The pivot of column k is chosen. Column k holds its multipliers until the second pivot is, so that they move with
 * their rows. */
static inline int32_t NAME(double_step)(ELEMENT *A, int64_t n, int64_t k, ELEMENT *B, int64_t cols, int *pivots) {
    ELEMENT *a = A + k * n, *b = a + n;
    NAME(two) t = {.k = k, .first = a[k]};
    memcpy(t.m, a, (size_t)n * sizeof *a);
    NAME(update)(b, t.m, n, k, t.first);
    const int32_t info = NAME(choose)(A, n, k + 1, B, cols, pivots);
    if (info != 0) return info;
    t.second = b[k + 1];
    memcpy(t.m, a, (size_t)n * sizeof *a);
    memcpy(t.l, b, (size_t)n * sizeof *b);
    NAME(update_all_twice)(A, &t, n, k);
    NAME(update_all_twice)(b + n, &t, n, n - 2 - k);
    NAME(update_all_twice)(B, &t, n, cols);
    for (int64_t i = 0; i < n; ++i) a[i] = OVER(NEGATED(t.m[i]), t.first);
    a[k] = OVER(ONE, t.first);
    NAME(update)(a, t.l, n, k + 1, t.second);
    for (int64_t i = 0; i < n; ++i) b[i] = OVER(NEGATED(t.l[i]), t.second);
    b[k + 1] = OVER(ONE, t.second);
    return 0;
}

static inline int32_t NAME(eliminate)(ELEMENT *A, int64_t n, ELEMENT *B, int64_t cols, int *pivots, REAL *least) {
    enum { PAIRS_FROM = 28, PAIRS_TO = 8 }; /* rows, and columns that are left: for fewer two steps are as good */
    REAL smallest = (REAL)INFINITY;
    int32_t info = 0;
    for (int64_t k = 0; k < n && info == 0;) {
        info = NAME(choose)(A, n, k, B, cols, pivots);
        if (info != 0) break;
        smallest = SIZE(A[k + k * n]) < smallest ? SIZE(A[k + k * n]) : smallest;
        const int twice = n >= PAIRS_FROM && n - k >= PAIRS_TO;
        if (twice)
            info = NAME(double_step)(A, n, k, B, cols, pivots);
        else
            NAME(step)(A, n, k, B, cols);
        /* The second pivot's reciprocal is on the diagonal. */
        if (twice && info == 0 && !(SIZE(A[(k + 1) * (n + 1)]) < 1 / TINY)) smallest = 0;
        k += twice ? 2 : 1;
    }
    *least = smallest;
    return info;
}

static inline void NAME(order)(ELEMENT *A, int64_t n, const int *pivots) {
    for (int64_t k = n - 1; k >= 0; --k)
        for (int64_t i = 0; i < n && pivots[k] != k; ++i) {
            const ELEMENT kept = A[i + k * n];
            A[i + k * n] = A[i + pivots[k] * n];
            A[i + pivots[k] * n] = kept;
        }
}

/* Columns right of column k lose their multiples of it below row k. */
static inline void NAME(step_down)(ELEMENT *C, const ELEMENT *restrict m, int64_t n, int64_t cols, int64_t k) {
    int64_t j = 0;
    for (; j + 4 <= cols; j += 4) {
        ELEMENT *restrict c0 = C + j * n, *restrict c1 = c0 + n, *restrict c2 = c1 + n, *restrict c3 = c2 + n;
        const ELEMENT u0 = c0[k], u1 = c1[k], u2 = c2[k], u3 = c3[k];
        for (int64_t i = k + 1; i < n; ++i) {
            const ELEMENT l = m[i];
            c0[i] = LESS_PRODUCT(c0[i], l, u0);
            c1[i] = LESS_PRODUCT(c1[i], l, u1);
            c2[i] = LESS_PRODUCT(c2[i], l, u2);
            c3[i] = LESS_PRODUCT(c3[i], l, u3);
        }
    }
    for (; j < cols; ++j) {
        ELEMENT *restrict c = C + j * n;
        const ELEMENT u = c[k];
        for (int64_t i = k + 1; i < n; ++i) c[i] = LESS_PRODUCT(c[i], m[i], u);
    }
}

static inline int32_t NAME(solve_system)(ELEMENT *A, int64_t n, ELEMENT *B, int64_t cols, int *pivots, REAL *least) {
    REAL smallest = (REAL)INFINITY;
    int32_t info = 0;
    for (int64_t k = 0; k < n && info == 0; ++k) {
        info = NAME(choose)(A, n, k, B, cols, pivots);
        if (info != 0) break;
        ELEMENT *a = A + k * n;
        const ELEMENT pivot = a[k];
        smallest = SIZE(pivot) < smallest ? SIZE(pivot) : smallest;
        for (int64_t i = k + 1; i < n; ++i) a[i] = OVER(a[i], pivot);
        NAME(step_down)(a + n, a, n, n - 1 - k, k);
        NAME(step_down)(B, a, n, cols, k);
    }
    *least = smallest;
    for (int64_t j = 0; j < cols && info == 0; ++j) {
        ELEMENT *restrict x = B + j * n;
        for (int64_t k = n - 1; k >= 0; --k) {
            const ELEMENT *restrict u = A + k * n;
            x[k] = OVER(x[k], u[k]);
            const ELEMENT solved = x[k];
            for (int64_t i = 0; i < k; ++i) x[i] = LESS_PRODUCT(x[i], u[i], solved);
        }
    }
    return info;
}
