/*
 * band_element.h: Cholesky of a band on the host, and solves with it; included by band_table.c once for each type
 * (method/elements_each.h). L has k + 1 rows: element (j + d, j) is L[d + j (k + 1)], and 0 beyond the matrix.
 */

/* The caller's triangle; -1, or the place in L of the first NaN or Inf. Widens *largest. */
static int64_t NAME(take)(const triangle *from, int64_t n, int64_t k, ELEMENT *L, double *largest) {
    int64_t wild = -1;
    REAL most = 0;
    for (int64_t j = 0; j < n; ++j) {
        const int64_t below = n - 1 - j < k ? n - 1 - j : k;
        const ELEMENT *a = (const ELEMENT *)from->data + from->first + j * from->column;
        ELEMENT *l = L + j * (k + 1);
        REAL naught = 0;
        for (int64_t d = 0; d <= below; ++d) {
            l[d] = a[d * from->down];
            if (from->conjugate) l[d] = CONJUGATE(l[d]);
            if (d == 0) l[d] = FROM_REAL(REAL_PART(l[d]));
            naught += NAUGHT(l[d]);
            most = LARGER_PART(l[d]) > most ? LARGER_PART(l[d]) : most;
        }
        for (int64_t d = below + 1; d <= k; ++d) l[d] = ZERO;
        for (int64_t d = 0; wild < 0 && naught != 0 && d <= below; ++d)
            if (!(NAUGHT(l[d]) == 0)) wild = d + j * (k + 1);
    }
    *largest = (double)most;
    return wild;
}

/*
 * By columns: column j loses its products with the k columns before it, four of them at a time, for which it is loaded
 * and stored once. Returns LAPACK's info.
 */
CLS_CLONES
static int64_t NAME(factor)(int64_t n, int64_t k, ELEMENT *L) {
    const int64_t step = k; /* from an element to the one right of it, but for one */
    for (int64_t j = 0; j < n; ++j) {
        ELEMENT *restrict c = L + j * (k + 1);
        int64_t p = j < k ? 0 : j - k;
        for (; p + 4 <= j; p += 4) {
            const ELEMENT *l0 = L + p * (k + 1) + (j - p), *l1 = l0 + step, *l2 = l1 + step, *l3 = l2 + step;
            const ELEMENT u0 = CONJUGATE(l0[0]), u1 = CONJUGATE(l1[0]), u2 = CONJUGATE(l2[0]), u3 = CONJUGATE(l3[0]);
            const int64_t all = p + k - j + 1; /* rows that the first of the four has */
            for (int64_t i = 0; i < all; ++i) c[i] = LESS_PRODUCTS(c[i], l, u, i);
            c[all] = LESS_PRODUCT(c[all], l1[all], u1);
            for (int64_t i = all; i < all + 2; ++i) c[i] = LESS_PRODUCT(c[i], l2[i], u2);
            for (int64_t i = all; i < all + 3; ++i) c[i] = LESS_PRODUCT(c[i], l3[i], u3);
        }
        for (; p < j; ++p) {
            const ELEMENT *l = L + p * (k + 1) + (j - p), u = CONJUGATE(l[0]);
            for (int64_t i = 0; i <= p + k - j; ++i) c[i] = LESS_PRODUCT(c[i], l[i], u);
        }
        const REAL d = REAL_PART(c[0]);
        if (!(d > 0)) return j + 1; /* NaN too */
        const REAL root = (REAL)sqrt((double)d);
        for (int64_t i = 1; i <= k; ++i) c[i] = BY_REAL(c[i], 1 / root);
        c[0] = FROM_REAL(root);
    }
    return 0;
}

CLS_CLONES
static void NAME(solve)(int64_t n, int64_t k, const ELEMENT *L, ELEMENT *restrict x) {
    for (int64_t j = 0; j < n; ++j) {
        const int64_t below = n - 1 - j < k ? n - 1 - j : k;
        const ELEMENT *l = L + j * (k + 1), y = BY_REAL(x[j], 1 / REAL_PART(l[0]));
        x[j] = y;
        for (int64_t d = 1; d <= below; ++d) x[j + d] = LESS_PRODUCT(x[j + d], l[d], y);
    }
    for (int64_t j = n - 1; j >= 0; --j) {
        const int64_t below = n - 1 - j < k ? n - 1 - j : k;
        const ELEMENT *l = L + j * (k + 1);
        ELEMENT sum = x[j];
        for (int64_t d = 1; d <= below; ++d) sum = LESS_PRODUCT(sum, CONJUGATE(l[d]), x[j + d]);
        x[j] = BY_REAL(sum, 1 / REAL_PART(l[0]));
    }
}
