/*
 * The text of cl/gemm_mma.cl behind the words of cl/dialect.clh as the emulator has them; compiled once for each form, with
 * CLS_DOUBLE, BM, WM, TRANS_A, TRANS_B, VECTOR.
 */
#include "kernels/gemm_mma_form.h"

#define CLS_UNIT       90
#define BN             64
#define WN             32
#define STAGES         4
#define ITEMS_OF_GROUP (BM / WM * (BN / WN) * 32)
#include "kernels/emulator_dialect.h"

#if CLS_DOUBLE
typedef REAL2 double2;
#else
typedef struct float4 {
    float x, y, z, w;
} float4;
#endif
enum { SIZE = sizeof(REAL) };
#define FLOAT_TO_BITS(x) to_bits(x)
#define BITS_TO_FLOAT(x) from_bits(x)

static gemm_mma_product *product;

static int is_element(const REAL *e, const REAL *first, int64_t ld, int64_t rows, int64_t cols) {
    const int64_t at = ((int64_t)(uintptr_t)e - (int64_t)(uintptr_t)first) / SIZE;
    return at >= 0 && at % ld < rows && at / ld < cols;
}

/* What is not there of A and B is not to be read. */
static void look_at(const REAL *e) {
    const REAL *A = product->A, *B = product->B;
    gemm_mma_product *p = product;
    if (!is_element(e, A + p->A_offset, p->A_ld, TRANS_A ? p->k : p->m, TRANS_A ? p->m : p->k) &&
        !is_element(e, B + p->B_offset, p->B_ld, TRANS_B ? p->n : p->k, TRANS_B ? p->k : p->n))
        p->outside = 1;
}

static inline void copy_there(unsigned to, const REAL *from, unsigned bytes) {
    unsigned char *at = emulator_local_at(to);
    for (unsigned k = 0; k < bytes / SIZE; k++) look_at(from + k);
    if (bytes > 0) emulator_copy(at, from, bytes);
    if (bytes < SIZE * VECTOR) emulator_copy(at + bytes, NULL, SIZE * VECTOR - bytes);
}

#define COPY_ASYNC(to, from, bytes) copy_there(to, from, bytes)
#define COPY_ASYNC_WHOLE(to, from)  copy_there(to, from, SIZE *VECTOR)
#define COPY_COMMIT()               emulator_copy_commit()
#define COPY_WAIT(count)            emulator_copy_wait(count)

/* mma.m16n8k8: lane 4 g + t has of A the rows g and g + 8 and of A and B the inner indices t and t + 4, of B the column g, and of
 * C the rows g and g + 8 and the columns 2 t and 2 t + 1 (NVIDIA, PTX ISA, "matrix fragments for mma.m16n8k8"). */
#if CLS_DOUBLE
static REAL number(double x) {
    return x;
}
#else
/* tf32: the upper 19 bits of a float. */
static REAL number(unsigned x) {
    return BITS_TO_FLOAT(x & 0xffffe000u);
}
#endif
#define MMA(c, a, b)                                                                                                   \
    {                                                                                                                  \
        const REAL as[4] = {number(a[0]), number(a[1]), number(a[2]), number(a[3])};                                   \
        const REAL bs[2] = {number(b[0]), number(b[1])};                                                               \
        multiply_lanes(c, as, bs);                                                                                     \
    }
static void multiply_lanes(REAL *c, const REAL *a, const REAL *b) {
    const unsigned lane = (unsigned)(emulator_item() % EMULATOR_LANES), g = lane / 4, t = lane % 4;
    for (unsigned l = 0; l < 4; l++) {
        REAL of_a[4], of_b[2][2];
        for (int q = 0; q < 4; q++)
            of_a[q] = get_real(a[q], 4 * g + l); /* rows g, g + 8, inner l; the same, inner l + 4 */
        for (int q = 0; q < 2; q++)
            for (unsigned column = 0; column < 2; column++) of_b[q][column] = get_real(b[q], 4 * (2 * t + column) + l);
        for (int q = 0; q < 4; q++) c[q] += of_a[q / 2] * of_b[0][q % 2] + of_a[2 + q / 2] * of_b[1][q % 2];
    }
}

#include "../../cl/gemm_mma.cl"

/* The last step reads fragments of a slice that was never filled, and does not use them: they are no numbers. */
static void spoil(void) {
    REAL *all = emulator_local("slices", STAGES * SLICE);
    for (int64_t e = emulator_item(); e < STAGES * SLICE / SIZE; e += ITEMS_OF_GROUP) all[e] = (REAL)NAN;
    BARRIER();
}

static void run(void *arguments) {
    gemm_mma_product *p = arguments;
    product = p;
    spoil();
    gemm_mma(p->m, p->n, p->k, (REAL)p->alpha, p->A, p->A_offset, p->A_ld, p->B, p->B_offset, p->B_ld, (REAL)p->beta,
             p->C, p->C_offset, p->C_ld, p->lower);
}

EMULATOR_FORM(gemm_mma_form, CLS_DOUBLE, BM, BN, ITEMS_OF_GROUP, BK, TRANS_A, TRANS_B, VECTOR, run)
