/*
 * front_inverse.cl: triangles of PIVOT as whole inverses, by way of scratch memory. front_invert (front_right.cl) has
 * made inverses of the blocks on the diagonal, and front_double (front_product.cl) makes larger ones of them.
 *
 *   front_unfold   L and U of PIVOT, of Cholesky L, as matrices of their own, zero beyond their triangles; `back`: from
 *                  there to PIVOT
 *   front_take     UP with its rows in the order of the pivots, or LOW as it is, of the front list[from], to element
 *                  `at` of scratch
 *
 * Scratch: as in front_double. Work-groups: LS work-items; dimension 0 over columns, dimension 1 over fronts. Access:
 * neighbours on neighbouring rows. Local memory: none.
 */
#ifndef LS
#define LS 64
#endif

#include "front.clh"

KERNEL WORK_GROUP(LS, 1, 1) void front_unfold(GLOBAL const idx_t *RESTRICT fronts, GLOBAL const int *RESTRICT list,
                                              idx_t from, int back, GLOBAL ELEMENT *arena, GLOBAL ELEMENT *scratch,
                                              idx_t apart) {
    const idx_t s = list[from + GROUP_ID(1)];
    const int f = (int)FRONT(s, F_PIVOTS), j = (int)GROUP_ID(0);
    const idx_t ld = SCRATCH_LD(f);
    GLOBAL ELEMENT *const low = scratch + GROUP_ID(1) * apart + j * ld;
    GLOBAL ELEMENT *const high = low + 2 * ld * f;
    GLOBAL ELEMENT *const p = arena + FRONT(s, F_PIVOT) + j * FRONT(s, F_LD);
    const int rows = j < f ? f : 0;
    for (int i = (int)LOCAL_ID(0); i < rows; i += LS) {
        if (back) {
            if (i > j || hermitian())
                p[i] = low[i];
            else
                p[i] = high[i];
        } else {
            const ELEMENT value = p[i];
            ELEMENT of_low = ZERO;
            if (i > j || (i == j && hermitian())) of_low = value;
            if (i == j && !hermitian()) of_low = ONE;
            low[i] = of_low;
            if (!hermitian()) high[i] = i <= j ? value : ZERO;
        }
    }
}

KERNEL WORK_GROUP(LS, 1, 1) void front_take(GLOBAL const idx_t *RESTRICT fronts, GLOBAL const int *RESTRICT list,
                                            idx_t from, int low, GLOBAL const int *RESTRICT order,
                                            GLOBAL const ELEMENT *RESTRICT arena, GLOBAL ELEMENT *scratch, idx_t at) {
    const idx_t s = list[from], j = GROUP_ID(0);
    const int f = (int)FRONT(s, F_PIVOTS);
    GLOBAL const ELEMENT *const x = arena + (low ? FRONT(s, F_LOW) : FRONT(s, F_UP)) + j * FRONT(s, F_LD);
    GLOBAL const int *const rows = order + FRONT(s, F_FIRST);
    GLOBAL ELEMENT *const to = scratch + at + j * SCRATCH_LD(f);
    for (int i = (int)LOCAL_ID(0); i < f; i += LS) to[i] = x[low ? i : rows[i]];
}
