/*
 * band_triangle.cl: one triangle of a symmetric band, as LAPACK's pbtrf takes it, to the lower form of a band's storage
 * on the device. The upper form of a hermitian band has the conjugates; imaginary parts on the diagonal become zeros.
 *
 *      lower: element (c + d, c) is at (d, c), row c + d < n      upper: element (c - d, c), c - d >= 0, is there
 *
 * Work-groups: LS work-items, neighbours having neighbouring diagonals d; groups (x, y) have diagonals and columns. In
 * a column-major array neighbours read neighbours, and of the lower form write them too. No local memory.
 */
#ifndef LS
#define LS 64
#endif

/*
 * (d, c) lies at from[offset + d * down + c * across], for the columns c of the caller's from `begin` on, `cols` of
 * them. Column j of the storage, `first` <= j < `end`, has its diagonal at to[to_offset + (j - first) * ld]. Elements
 * of other columns are left out.
 */
KERNEL WORK_GROUP(LS, 1, 1) void band_triangle(GLOBAL const ELEMENT *RESTRICT from, idx_t offset, idx_t down,
                                               idx_t across, idx_t begin, idx_t cols, GLOBAL ELEMENT *to,
                                               idx_t to_offset, idx_t ld, idx_t first, idx_t end, idx_t n, idx_t k,
                                               int upper) {
    const idx_t d = GROUP_ID(0) * LS + LOCAL_ID(0);

    if (d > k) return;
    for (idx_t c = begin + GROUP_ID(1); c < begin + cols; c += GROUPS(1)) {
        const idx_t j = upper ? c - d : c;
        if (j < first || j >= end || j + d >= n) continue;
        const ELEMENT a = CONJUGATE_IF(upper, from[offset + d * down + c * across]);
        to[to_offset + d + (j - first) * ld] = d == 0 ? FROM_REAL(REAL_PART(a)) : a;
    }
}
