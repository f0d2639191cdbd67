/* rbt_host.c: the butterflies of cl/lu_rbt.cl, for a device that works in the host's memory. */
#include "method/lu/rbt_host.h"

/* One group of four, in the arithmetic of the matrix; see cl/lu_rbt.cl. */
#define MIX(REAL, name)                                                                                                \
    static void mix_##name(REAL x[4], const double *inner, const double *outer, int64_t q) {                           \
        REAL a = (x[0] + x[1]) * (REAL)inner[0], b = (x[0] - x[1]) * (REAL)inner[q];                                   \
        REAL c = (x[2] + x[3]) * (REAL)inner[2 * q], d = (x[2] - x[3]) * (REAL)inner[3 * q];                           \
        x[0] = (a + c) * (REAL)outer[0];                                                                               \
        x[1] = (b + d) * (REAL)outer[q];                                                                               \
        x[2] = (a - c) * (REAL)outer[2 * q];                                                                           \
        x[3] = (b - d) * (REAL)outer[3 * q];                                                                           \
    }                                                                                                                  \
    static void mix_back_##name(REAL x[4], const double *inner, const double *outer, int64_t q) {                      \
        REAL a = (REAL)outer[0] * x[0] + (REAL)outer[2 * q] * x[2];                                                    \
        REAL c = (REAL)outer[0] * x[0] - (REAL)outer[2 * q] * x[2];                                                    \
        REAL b = (REAL)outer[q] * x[1] + (REAL)outer[3 * q] * x[3];                                                    \
        REAL d = (REAL)outer[q] * x[1] - (REAL)outer[3 * q] * x[3];                                                    \
        x[0] = (REAL)inner[0] * a + (REAL)inner[q] * b;                                                                \
        x[1] = (REAL)inner[0] * a - (REAL)inner[q] * b;                                                                \
        x[2] = (REAL)inner[2 * q] * c + (REAL)inner[3 * q] * d;                                                        \
        x[3] = (REAL)inner[2 * q] * c - (REAL)inner[3 * q] * d;                                                        \
    }                                                                                                                  \
    /* Numbers are real, so parts of elements, of which each has `parts`, are mixed one by one. */                     \
    static void column_##name(REAL *x, int64_t n, int64_t parts, const double *levels, int back) {                     \
        int64_t q = (n + 3) / 4;                                                                                       \
        for (int64_t e = 0; e < q * parts; ++e) {                                                                      \
            const double *inner = levels + e / parts, *outer = inner + 4 * q;                                          \
            REAL four[4] = {0};                                                                                        \
            for (int64_t r = 0; r < 4 && e / parts + r * q < n; ++r) four[r] = x[e + r * q * parts];                   \
            if (back)                                                                                                  \
                mix_back_##name(four, inner, outer, q);                                                                \
            else                                                                                                       \
                mix_##name(four, inner, outer, q);                                                                     \
            for (int64_t r = 0; r < 4 && e / parts + r * q < n; ++r) x[e + r * q * parts] = four[r];                   \
        }                                                                                                              \
    }                                                                                                                  \
    /* Columns j, j + q, ... at x[0 .. members-1]. */                                                                  \
    static void columns_##name(REAL *const x[4], int members, int64_t n, int64_t parts, const double *levels,          \
                               int64_t j) {                                                                            \
        int64_t q = (n + 3) / 4;                                                                                       \
        for (int64_t i = 0; i < n * parts; ++i) {                                                                      \
            REAL four[4] = {0};                                                                                        \
            for (int k = 0; k < members; ++k) four[k] = x[k][i];                                                       \
            mix_##name(four, levels + j, levels + 4 * q + j, q);                                                       \
            for (int k = 0; k < members; ++k) x[k][i] = four[k];                                                       \
        }                                                                                                              \
    }

MIX(double, f64)
MIX(float, f32)

void cls_lu_rbt_host_vectors(const cls_matrix *B, int64_t cols, const double *diagonals, int64_t begin, int back) {
    const int64_t parts = cls_type_parts(B->type);
    for (int64_t c = 0; c < cols; ++c) {
        if (cls_is_double(B->type))
            column_f64(cls_matrix_host(B, 0, c), B->rows, parts, diagonals + begin, back);
        else
            column_f32(cls_matrix_host(B, 0, c), B->rows, parts, diagonals + begin, back);
    }
}

void cls_lu_rbt_host_matrix(const cls_matrix *A, const double *diagonals) {
    int64_t n = A->rows, q = (n + 3) / 4, parts = cls_type_parts(A->type);

    for (int64_t j = 0; j < q; ++j) {
        void *x[4] = {NULL};
        int members = 0;
        for (int64_t c = j; c < n && members < 4; c += q) x[members++] = cls_matrix_host(A, 0, c);
        double *const f64[4] = {x[0], members > 1 ? x[1] : NULL, members > 2 ? x[2] : NULL, members > 3 ? x[3] : NULL};
        float *const f32[4] = {x[0], members > 1 ? x[1] : NULL, members > 2 ? x[2] : NULL, members > 3 ? x[3] : NULL};
        if (cls_is_double(A->type))
            columns_f64(f64, members, n, parts, diagonals + 8 * q, j);
        else
            columns_f32(f32, members, n, parts, diagonals + 8 * q, j);
    }
    cls_lu_rbt_host_vectors(A, n, diagonals, 0, 0);
}
