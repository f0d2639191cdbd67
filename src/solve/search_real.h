/* search_real.h: the comparisons of search.c, included once for each type with REAL and NAME(x). NaN is equal to
 * nothing. */

/* Whether a pair of elements differs: columns j0 .. j1 - 1, rows i0 .. i1 - 1 below the diagonal, and their mirrors. No
 * comparison waits for the one before, so that loads overlap. */
static int NAME(differs_real)(int64_t j0, int64_t j1, int64_t i0, int64_t i1, const void *data, int64_t ld, int sign) {
    const REAL *a = data;
    int differs = 0;
    (void)sign;
    for (int64_t j = j0; j < j1; ++j)
        for (int64_t i = i0 > j ? i0 : j + 1; i < i1; ++i) differs |= !(a[i + j * ld] == a[j + i * ld]);
    return differs;
}

/* The same of complex numbers, pairs of REAL. sign -1: A(j, i) is the conjugate of A(i, j), and the diagonal real; 1:
 * A(j, i) is A(i, j). */
static int NAME(differs_complex)(int64_t j0, int64_t j1, int64_t i0, int64_t i1, const void *data, int64_t ld,
                                 int sign) {
    const REAL *a = data, turned = (REAL)sign;
    int differs = 0;
    for (int64_t j = j0; j < j1; ++j)
        for (int64_t i = i0 > j ? i0 : j; i < i1; ++i) {
            const REAL *below = a + 2 * (i + j * ld), *above = a + 2 * (j + i * ld);
            differs |= !(below[0] == above[0]) | !(below[1] == turned * above[1]);
        }
    return differs;
}

/* `step`: numbers from one element of the diagonal to the next. */
static int NAME(is_positive)(int64_t n, const void *data, int64_t step) {
    const REAL *a = data;
    for (int64_t j = 0; j < n; ++j)
        if (!(a[j * step] > 0)) return 0;
    return 1;
}
