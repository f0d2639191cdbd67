/* host_small_element.h: one inverse; included by host_small.c once for each type (method/elements_each.h). */
#include "method/gauss_jordan/eliminate_element.h"

/* The largest sum of |a(i,j)| of a column; Inf or NaN where any element is. Four sums, because an addition waits for
 * the one before. */
static inline REAL NAME(norm)(const ELEMENT *A, int64_t n) {
    REAL most = 0, all = 0;
    for (int64_t j = 0; j < n; ++j) {
        const ELEMENT *a = A + j * n;
        REAL sums[4] = {0};
        int64_t i = 0;
        for (; i + 4 <= n; i += 4)
            for (int s = 0; s < 4; ++s) sums[s] += MODULUS(a[i + s]);
        for (; i < n; ++i) sums[0] += MODULUS(a[i]);
        const REAL sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        most = sum > most ? sum : most;
        all += 0 * sum;
    }
    return most + all;
}

/* In `room`, n x n. Norms far from either end of the type: nothing is tiny, and nothing has overflowed. */
CLS_CLONES
static int NAME(invert)(const ELEMENT *from, cls_gj_strides a, int64_t n, ELEMENT *room, int *pivots, double *rcond) {
    const REAL least = LEAST * 0x1p40f * (REAL)LARGEST, most = 1 / least;
    REAL pivot;
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) room[i + j * n] = from[i * a.row + j * a.column];
    const REAL norm_A = NAME(norm)(room, n);
    if (!(norm_A > least && norm_A < most) || NAME(eliminate)(room, n, NULL, 0, pivots, &pivot) != 0) return 0;
    const REAL norm_X = NAME(norm)(room, n);
    if (!(norm_X > least && norm_X < most)) return 0;
    NAME(order)(room, n, pivots);
    *rcond = 1 / (double)norm_A / (double)norm_X;
    return 1;
}
