/*
 * product_wide.c: products by wide vectors of x86-64. OpenBLAS packs both factors again for each tile, and its versions
 * for AVX-512 wait for CPUs that it knows (docs/findings/sparse-host.md).
 */
#include "method/fronts_host/product_wide.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)

/* Columns of A that are packed at once: a packed strip of 24 rows takes 24 KB. */
enum { DEPTH = 128 };

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Before a loop whose number of turns is known and small: it becomes straight code, so that sums are in registers. */
#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 24")
#endif

#define LANES   8
#define COLUMNS 8
#define TARGET  __attribute__((target("avx512f")))

#define ELEMENT double
#define PARTS   1
#define NAME(x) x##_real_8
#include "method/fronts_host/product_wide_element.h"
#undef ELEMENT
#undef PARTS
#undef NAME

#define ELEMENT double complex
#define PARTS   2
#define NAME(x) x##_complex_8
#include "method/fronts_host/product_wide_element.h"
#undef ELEMENT
#undef PARTS
#undef NAME

#undef LANES
#undef COLUMNS
#undef TARGET
#define LANES   4
#define COLUMNS 4
#define TARGET  __attribute__((target("avx2,fma")))

#define ELEMENT double
#define PARTS   1
#define NAME(x) x##_real_4
#include "method/fronts_host/product_wide_element.h"

int cls_product_lanes(void) {
    if (__builtin_cpu_supports("avx512f")) return 8;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 4 : 0;
}

int cls_subtract_wide_real(int lanes, int64_t m, int64_t n, int64_t k, const double *A, int64_t lda, const double *B,
                           int64_t down, int64_t across, int conjugated, double *C, int64_t ldc) {
    if (lanes == 0) return 0;
    (lanes == 8 ? subtract_real_8 : subtract_real_4)(m, n, k, A, lda, B, down, across, conjugated, C, ldc);
    return 1;
}

/* Vectors of four leave too few registers for a complex tile. */
int cls_subtract_wide_complex(int lanes, int64_t m, int64_t n, int64_t k, const double complex *A, int64_t lda,
                              const double complex *B, int64_t down, int64_t across, int conjugated, double complex *C,
                              int64_t ldc) {
    if (lanes < 8) return 0;
    subtract_complex_8(m, n, k, A, lda, B, down, across, conjugated, C, ldc);
    return 1;
}

#else

int cls_product_lanes(void) {
    return 0;
}

#define NOTHING                                                                                                        \
    (void)lanes, (void)m, (void)n, (void)k, (void)A, (void)lda, (void)B, (void)down, (void)across, (void)conjugated,   \
        (void)C, (void)ldc

int cls_subtract_wide_real(int lanes, int64_t m, int64_t n, int64_t k, const double *A, int64_t lda, const double *B,
                           int64_t down, int64_t across, int conjugated, double *C, int64_t ldc) {
    NOTHING;
    return 0;
}

int cls_subtract_wide_complex(int lanes, int64_t m, int64_t n, int64_t k, const double complex *A, int64_t lda,
                              const double complex *B, int64_t down, int64_t across, int conjugated, double complex *C,
                              int64_t ldc) {
    NOTHING;
    return 0;
}

#endif
