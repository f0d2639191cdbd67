/*
 * scatter.cl: the elements of a sparse matrix to their places in a dense one or in a band, which is zero elsewhere:
 * to[place[e]] = value[e], each place once.
 *
 * Work-groups: LS work-items, as many groups as fill the device. Neighbours read neighbouring elements; what they write
 * lies apart, a column's elements not far. No local memory.
 */
#ifndef LS
#define LS 64
#endif

KERNEL WORK_GROUP(LS, 1, 1) void scatter(GLOBAL const idx_t *RESTRICT place, GLOBAL const REAL *RESTRICT value,
                                         idx_t count, GLOBAL REAL *to) {
    for (idx_t e = GROUP_ID(0) * LS + LOCAL_ID(0); e < count; e += GROUPS(0) * LS) to[place[e]] = value[e];
}
