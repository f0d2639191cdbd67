/*
 * divide.h: a triangular solve with quotients, included by openblas.c once for each type, with ELEMENT, WIDE (in which
 * sums are made), CONJUGATE(x) and NAME(x).
 */

/* B = op(U)^-1 B, plainly. */
static void NAME(divide_upper)(clsolve_op op, int64_t m, int64_t n, const ELEMENT *U, int64_t ldu, ELEMENT *B,
                               int64_t ldb) {
    const int plain = op == CLSOLVE_NO_TRANS, conjugate = op == CLSOLVE_CONJ_TRANS;
    for (int64_t c = 0; c < n; c++)
        for (int64_t s = 0; s < m; s++) {
            const int64_t i = plain ? m - 1 - s : s;
            WIDE x = B[i + c * ldb];
            for (int64_t k = plain ? i + 1 : 0; k < (plain ? m : i); k++) {
                const WIDE u = U[plain ? i + k * ldu : k + i * ldu];
                x -= (conjugate ? CONJUGATE(u) : u) * (WIDE)B[k + c * ldb];
            }
            const WIDE pivot = U[i + i * ldu];
            B[i + c * ldb] = (ELEMENT)(x / (conjugate ? CONJUGATE(pivot) : pivot));
        }
}
