/*
 * ldl_batch_values.cl: what D says of the members of a batch of L D L^H (ldl_batch.cl), three numbers each in values:
 *
 *     inertia 0   det A_m = (values[3 m] + i values[3 m + 1]) 2^values[3 m + 2]
 *     inertia 1   how many eigenvalues are positive, negative and zero (Sylvester's law)
 *
 * A pivot of 2 x 2 has the determinant b conj(b) ((a / b) (c / conj(b)) - 1), whose factors are far from the ends of
 * the range, unlike the squares. Work-groups: LS, a work-item a member. Local memory: none.
 */
#ifndef LS
#define LS 64
#endif

#include "direct_batch.clh"
#include "ldl_pivots.clh"

KERNEL WORK_GROUP(LS, 1, 1) void ldl_batch_values(MEMBERS, GLOBAL const ELEMENT *RESTRICT F,
                                                  GLOBAL const int *RESTRICT scales, GLOBAL REAL *values,
                                                  const int inertia) {
    const idx_t k = GROUP_ID(0) * LS + LOCAL_ID(0);
    MEMBERS_TAKEN;
    if (k >= count) return;
    const idx_t m = MEMBER(k);
    const int order = ORDER_OF(m);
    GLOBAL const ELEMENT *const f = F + FACTORS_OF(m);
    int positive = 0, negative = 0;
    product_t p;
    p.mantissa = ONE;
    p.exponent = -order * (scales[m] >> 1);
    for (int j = 0; j < order;) {
        const ELEMENT a = f[j + (idx_t)j * order];
        ELEMENT b = ZERO, c = ZERO;
        if (j + 1 < order) b = f[j + (idx_t)(j + 1) * order];
        if (IS_ZERO_ELEMENT(b)) {
            p = multiplied(p, a);
            positive += REAL_PART(a) > 0;
            negative += REAL_PART(a) < 0;
            j += 1;
        } else {
            c = f[j + 1 + (idx_t)(j + 1) * order];
            ELEMENT rest = LESS_PRODUCT(TIMES(OVER(a, b), OVER(c, ADJOINT(b))), ONE, ONE);
            if (HERMITIAN) rest = FROM_REAL(REAL_PART(rest));
            p = multiplied(multiplied(multiplied(p, b), ADJOINT(b)), rest);
            /* Two signs where the determinant is below zero; else both are that of the diagonal. */
            const REAL sign = REAL_PART(rest), diagonal = REAL_PART(a) + REAL_PART(c);
            positive += sign < 0 || diagonal > 0 ? 1 + (sign > 0) : 0;
            negative += sign < 0 || diagonal < 0 ? 1 + (sign > 0) : 0;
            j += 2;
        }
        if (HERMITIAN) p.mantissa = FROM_REAL(REAL_PART(p.mantissa));
    }
    values[3 * m] = inertia ? (REAL)positive : REAL_PART(p.mantissa);
#if CLS_COMPLEX
    values[3 * m + 1] = inertia ? (REAL)negative : p.mantissa.y;
#else
    values[3 * m + 1] = inertia ? (REAL)negative : 0;
#endif
    values[3 * m + 2] = inertia ? (REAL)(order - positive - negative) : (REAL)p.exponent;
}
