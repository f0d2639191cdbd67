/*
 * The text of cl/gemm_mfma.cl behind the words of cl/dialect.clh as the emulator has them, and behind the emulated
 * instruction, whose lanes wait for the 64 of their wave alone; compiled once for each form, with CLS_DOUBLE, BM, WM,
 * TRANS_A, TRANS_B.
 */
#include "kernels/gemm_mma_form.h"

#define BN             BM
#define WN             WM
#define ITEMS_OF_GROUP (BM / WM * (BN / WN) * 64)
#include "kernels/emulator_dialect.h"

#if CLS_DOUBLE
typedef double double2 __attribute__((vector_size(16)));
typedef double double4 __attribute__((vector_size(32)));
#else
typedef float float4 __attribute__((vector_size(16)));
#endif
enum { SIZE = sizeof(REAL) };

static gemm_mma_product *product;

static int is_element(const REAL *e, const REAL *first, int64_t ld, int64_t rows, int64_t cols) {
    const int64_t at = ((int64_t)(uintptr_t)e - (int64_t)(uintptr_t)first) / SIZE;
    return at >= 0 && at % ld < rows && at / ld < cols;
}

/* What is not there of A and B is not to be read. */
static const REAL *looked_at(const REAL *first, int count) {
    const REAL *A = product->A, *B = product->B;
    gemm_mma_product *p = product;
    for (const REAL *e = first; e < first + count; e++)
        if (!is_element(e, A + p->A_offset, p->A_ld, TRANS_A ? p->k : p->m, TRANS_A ? p->m : p->k) &&
            !is_element(e, B + p->B_offset, p->B_ld, TRANS_B ? p->n : p->k, TRANS_B ? p->k : p->n))
            p->outside = 1;
    return first;
}

#define WORD_FROM(p)    (*(const loose_word_t *)looked_at(p, PER))
#define ELEMENT_FROM(p) (*looked_at(p, 1))
#define MFMA_BARRIER()  emulator_barrier(1 + lid / 64, 64)
#include "kernels/mfma_emulated.clh"

#include "../../cl/gemm_mfma.cl"

static void run(void *arguments) {
    gemm_mma_product *p = arguments;
    product = p;
    gemm_mfma(p->m, p->n, p->k, (REAL)p->alpha, p->A, p->A_offset, p->A_ld, p->B, p->B_offset, p->B_ld, (REAL)p->beta,
              p->C, p->C_offset, p->C_ld, p->lower);
}

EMULATOR_FORM(gemm_mma_form, CLS_DOUBLE, BM, BN, ITEMS_OF_GROUP, BK, TRANS_A, TRANS_B, 1, run)
