/*
 * band_members.cl: the members of a batch of narrow bands into the storage of band_narrow.cl or
 * band_narrow_item.cl, and back. A file of its own, because nothing here depends on the diagonals: one program
 * serves the batches of every band.
 *
 * Members lie in T one behind the other, element (r, c) at m * t_member + r * t_row + c * t_column, and go to (or
 * come from) m * member + (top + r + c * ld) * step of W. Element (r, c) is that of row c + r - diagonal; only
 * those inside 0 .. n-1 are looked at: diagonal = ku of a band, and for right-hand sides `band` is 0. On the way
 * out W has the rows top .. top + held - 1 of T, the others are 0. spoilt[m] counts member m's columns with NaN or
 * Inf; of a band spoilt[count + m] those that are not zero and have tiny numbers alone.
 *
 * Work-groups: LS in a row, GROUP_ID(0) * LS + LOCAL_ID(0) the member, GROUP_ID(1) the column. No local memory. A
 * work-item goes along its member's column; neighbouring work-items have neighbouring members.
 */
#ifndef LS
#define LS 64
#endif
#if CLS_DOUBLE
#define TINY 1.0020841800044864e-292 /* the smallest normal number by the distance from 1 to the next */
#else
#define TINY 9.8607613152626476e-32f
#endif

KERNEL WORK_GROUP(LS, 1, 1) void band_item_in(GLOBAL const ELEMENT *T, idx_t t_row, idx_t t_column, idx_t t_member,
                                              idx_t rows, idx_t columns, idx_t n, idx_t count, int band, idx_t diagonal,
                                              GLOBAL ELEMENT *W, idx_t top, idx_t ld, idx_t member, idx_t step,
                                              GLOBAL int *spoilt) {
    const idx_t m = GROUP_ID(0) * LS + LOCAL_ID(0);
    int bad = 0;
    if (m >= count) return;
    for (idx_t c = GROUP_ID(1); c < columns; c += GROUPS(1)) {
        REAL most = 0;
        for (idx_t r = 0; r < rows; ++r) {
            const idx_t row = c + r - diagonal;
            if (band && (row < 0 || row >= n)) continue;
            const ELEMENT value = T[m * t_member + r * t_row + c * t_column];
            const REAL size = LARGER_PART(value);
            bad |= !(size < (REAL)INFINITY);
            most = size > most ? size : most;
            W[m * member + (top + r + c * ld) * step] = value;
        }
        if (band && most > 0 && most < TINY) ATOMIC_INC(&spoilt[count + m]);
    }
    if (bad) ATOMIC_INC(&spoilt[m]);
}

KERNEL WORK_GROUP(LS, 1, 1) void band_item_out(GLOBAL ELEMENT *T, idx_t t_row, idx_t t_column, idx_t t_member,
                                               idx_t rows, idx_t columns, idx_t count, GLOBAL const ELEMENT *W,
                                               idx_t top, idx_t held, idx_t ld, idx_t member, idx_t step,
                                               GLOBAL int *spoilt) {
    const idx_t m = GROUP_ID(0) * LS + LOCAL_ID(0);
    int bad = 0;
    if (m >= count) return;
    for (idx_t c = GROUP_ID(1); c < columns; c += GROUPS(1))
        for (idx_t r = 0; r < rows; ++r) {
            const idx_t row = r - top;
            const ELEMENT value = row >= 0 && row < held ? W[m * member + (row + c * ld) * step] : ZERO;
            bad |= !(LARGER_PART(value) < (REAL)INFINITY);
            T[m * t_member + r * t_row + c * t_column] = value;
        }
    if (bad) ATOMIC_INC(&spoilt[m]);
}
