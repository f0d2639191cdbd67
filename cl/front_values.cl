/*
 * front_values.cl: values of A that lie in the caller's memory on the device, in the order of the entries.
 *
 *   values_check   the largest part of R A C, which is NaN or Inf where an entry is, and whether A is its own transpose
 *                  or conjugate transpose
 *   values_take    R A C / 2^less, for front_move.cl and front_residual.cl
 *
 * With `marked`, mark[e] = 4 k + bits: entry e is multiplied by 2^k. With the bit UNREAD it counts as zero, with
 * REAL_ALONE its imaginary part does. With `paired` AS_CONJUGATES or AS_THEY_ARE, twin[e] is the entry on the other
 * side of the diagonal, below 0 none; a pair is compared at its first entry, to 2^-46 of both.
 *
 * Work-groups: LS work-items, as many groups as fill the device. Each group of values_check writes its two maxima to
 * places of its own. Access: neighbours on neighbouring entries; twins lie apart. Local memory: LS REALs.
 */
#ifndef LS
#define LS 64
#endif
#define UNREAD     1
#define REAL_ALONE 2
#define CLOSE      ldexp((REAL)1, -46)
/* `paired` */
#define AS_CONJUGATES 1
#define AS_THEY_ARE   2

#include "front_most.clh"

HELPER ELEMENT value_of(GLOBAL const ELEMENT *given, idx_t e, GLOBAL const int *mark, int marked, int less) {
    const int m = marked ? mark[e] : 0, bits = m & 3;
    ELEMENT value = given[e];
    if (bits & UNREAD) return ZERO;
    if (bits & REAL_ALONE) value = FROM_REAL(REAL_PART(value));
    return EACH_PART(ldexp, value, (m - bits) / 4 - less);
}

HELPER int are_paired(ELEMENT a, ELEMENT b, int paired) {
    const ELEMENT apart = MINUS(a, CONJUGATE_IF(paired == AS_CONJUGATES, b));
    (void)paired;
    return IS_ZERO_ELEMENT(apart) || MODULUS(apart) <= CLOSE * (MODULUS(a) + MODULUS(b));
}

KERNEL WORK_GROUP(LS, 1, 1) void values_check(GLOBAL const ELEMENT *RESTRICT given, idx_t first, idx_t count,
                                              GLOBAL const int *RESTRICT mark, int marked,
                                              GLOBAL const int *RESTRICT twin, int paired, GLOBAL REAL *partial) {
    LOCAL_ARRAY(REAL, sizes, LS);
    const int lid = (int)LOCAL_ID(0);
    GLOBAL const ELEMENT *const A = given + first;
    REAL most = 0, apart = 0;
    for (idx_t e = GROUP_ID(0) * LS + lid; e < count; e += GROUPS(0) * LS) {
        const ELEMENT value = value_of(A, e, mark, marked, 0);
        const int other = paired ? twin[e] : (int)e;
        most = larger(most, LARGER_PART(value));
        if (paired && (other < 0 || other > e))
            if (!are_paired(value, other < 0 ? ZERO : value_of(A, other, mark, marked, 0), paired)) apart = 1;
    }
    put_most(sizes, most, partial + 2 * GROUP_ID(0), lid);
    put_most(sizes, apart, partial + 2 * GROUP_ID(0) + 1, lid);
}

KERNEL WORK_GROUP(LS, 1, 1) void values_take(GLOBAL const ELEMENT *RESTRICT given, idx_t count,
                                             GLOBAL const int *RESTRICT mark, int marked, int less,
                                             GLOBAL ELEMENT *value) {
    for (idx_t e = GROUP_ID(0) * LS + LOCAL_ID(0); e < count; e += GROUPS(0) * LS)
        value[e] = value_of(given, e, mark, marked, less);
}
