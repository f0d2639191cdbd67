/*
 * scale.cl: C = beta C, the matrix product whose inner size is 0. With beta = 0 C is set to zero, NaN and Inf in it
 * too, as BLAS wants it.
 *
 * Work-group: 64 x 1 work-items; dimension 0 runs over rows, a work-item each, dimension 1 over columns, and a group
 * goes on to column + number of groups until there are no more. Local memory: none. Access: neighbouring work-items
 * read and write neighbouring rows of one column.
 */
KERNEL WORK_GROUP(64, 1, 1) void scale(idx_t m, idx_t n, REAL beta, GLOBAL ELEMENT *RESTRICT c, idx_t offset,
                                       idx_t ld) {
    idx_t row = GROUP_ID(0) * 64 + LOCAL_ID(0);
    if (row >= m) return;
    for (idx_t column = GROUP_ID(1); column < n; column += GROUPS(1)) {
        GLOBAL ELEMENT *at = c + (offset + row + column * ld);
        *at = beta == (REAL)0 ? ZERO : BY_REAL(*at, beta);
    }
}
