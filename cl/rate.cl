/*
 * rate.cl: how fast a device adds products, in float or in double. Every work-item has CHAINS chains of multiply and
 * add in registers, each of `count` steps. Nothing is read, and a work-item writes one number, so that no compiler
 * leaves the chains out. A work-group has GROUP work-items and no local memory.
 */
#ifndef GROUP
#define GROUP 64
#endif
#define CHAINS 8

KERNEL WORK_GROUP(GROUP, 1, 1) void rate(int count, GLOBAL REAL *out) {
    const idx_t item = GROUP_ID(0) * GROUP + LOCAL_ID(0);
    const REAL shrink = (REAL)0.5f, step = (REAL)(item % 7 + 1);
    REAL x[CHAINS], sum = 0;

    UNROLL
    for (int k = 0; k < CHAINS; ++k) x[k] = (REAL)k;
    for (int s = 0; s < count; ++s) {
        UNROLL
        for (int k = 0; k < CHAINS; ++k) x[k] = x[k] * shrink + step;
    }
    UNROLL
    for (int k = 0; k < CHAINS; ++k) sum += x[k];
    out[item] = sum;
}
