/* symmetric_real.h: the comparisons of symmetric.c, included once for each type with REAL and NAME(x): of the columns
 * from .. to - 1 below the diagonal with the rows right of it. */

/* NaN is equal to nothing, so a matrix with NaN is not symmetric. */
static int NAME(is_symmetric)(int64_t n, int64_t from, int64_t to, const REAL *a, int64_t ld, int64_t *row,
                              int64_t *column) {
    for (int64_t j0 = from; j0 < to; j0 += BLOCK)
        for (int64_t i0 = j0; i0 < n; i0 += BLOCK)
            for (int64_t j = j0; j < j0 + BLOCK && j < to; ++j)
                for (int64_t i = i0 > j ? i0 : j + 1; i < i0 + BLOCK && i < n; ++i) {
                    if (a[i + j * ld] == a[j + i * ld]) continue;
                    *row = i;
                    *column = j;
                    return 0;
                }
    return 1;
}

/* The same of complex numbers, pairs of REAL: A(j, i) is the conjugate of A(i, j), and the diagonal real. */
static int NAME(is_hermitian)(int64_t n, int64_t from, int64_t to, const REAL *a, int64_t ld, int64_t *row,
                              int64_t *column) {
    for (int64_t j0 = from; j0 < to; j0 += BLOCK)
        for (int64_t i0 = j0; i0 < n; i0 += BLOCK)
            for (int64_t j = j0; j < j0 + BLOCK && j < to; ++j)
                for (int64_t i = i0 > j ? i0 : j; i < i0 + BLOCK && i < n; ++i) {
                    const REAL *below = a + 2 * (i + j * ld), *above = a + 2 * (j + i * ld);
                    if (below[0] == above[0] && below[1] == -above[1]) continue;
                    *row = i;
                    *column = j;
                    return 0;
                }
    return 1;
}

static int NAME(has_positive_diagonal)(int64_t n, const REAL *a, int64_t ld) {
    for (int64_t j = 0; j < n; ++j)
        if (!(a[j + j * ld] > 0)) return 0;
    return 1;
}
