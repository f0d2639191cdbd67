/* product_element.h: included by product.c for real and for complex numbers. */

CLS_CLONES void NAME(combine)(int64_t rows, int64_t k, const ELEMENT *A, int64_t lda, const ELEMENT *w, int64_t step,
                              ELEMENT *restrict y) {
    int64_t l = 0;
    for (; l + 4 <= k; l += 4) {
        const ELEMENT *a = A + l * lda, *b = a + lda, *c = b + lda, *d = c + lda;
        const ELEMENT wa = w[l * step], wb = w[(l + 1) * step], wc = w[(l + 2) * step], wd = w[(l + 3) * step];
        for (int64_t i = 0; i < rows; i++) y[i] -= (a[i] * wa + b[i] * wb) + (c[i] * wc + d[i] * wd);
    }
    for (; l < k; l++) {
        const ELEMENT *a = A + l * lda;
        const ELEMENT wa = w[l * step];
        for (int64_t i = 0; i < rows; i++) y[i] -= a[i] * wa;
    }
}

/* Four sums a column, so that none waits for the one before. */
CLS_CLONES void NAME(project)(int64_t rows, int64_t k, const ELEMENT *A, int64_t lda, int conjugated, const ELEMENT *x,
                              ELEMENT *restrict y) {
    for (int64_t j = 0; j < k; j++) {
        const ELEMENT *a = A + j * lda;
        ELEMENT sum[4] = {0, 0, 0, 0};
        int64_t i = 0;
        for (; i + 4 <= rows; i += 4)
            for (int p = 0; p < 4; p++) sum[p] += (conjugated ? CONJUGATE(a[i + p]) : a[i + p]) * x[i + p];
        for (; i < rows; i++) sum[0] += (conjugated ? CONJUGATE(a[i]) : a[i]) * x[i];
        y[j] -= (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}

/* Column by column. */
static void NAME(subtract_short)(int form_a, int form_b, int64_t m, int64_t n, int64_t k, const ELEMENT *A, int64_t lda,
                                 const ELEMENT *B, int64_t ldb, ELEMENT *C, int64_t ldc) {
    for (int64_t j = 0; j < n; j++) {
        const ELEMENT *w = form_b == CLS_PLAIN ? B + j * ldb : B + j;
        const int64_t step = form_b == CLS_PLAIN ? 1 : ldb;
        if (form_a != CLS_PLAIN) {
            NAME(project)(k, m, A, lda, form_a == CLS_ADJOINT, w, C + j * ldc); /* op(B) is plain there */
            continue;
        }
        if (form_b != CLS_ADJOINT) {
            NAME(combine)(m, k, A, lda, w, step, C + j * ldc);
            continue;
        }
        for (int64_t l = 0; l < k; l++) {
            const ELEMENT conjugated = CONJUGATE(w[l * step]);
            NAME(combine)(m, 1, A + l * lda, lda, &conjugated, 1, C + j * ldc);
        }
    }
}

void NAME(subtract)(int form_a, int form_b, int64_t m, int64_t n, int64_t k, const ELEMENT *A, int64_t lda,
                    const ELEMENT *B, int64_t ldb, ELEMENT *C, int64_t ldc) {
    if (m <= 0 || n <= 0 || k <= 0) return;
    if (m * n * k <= SHORT_PRODUCT || k < 6 || n < 4) {
        NAME(subtract_short)(form_a, form_b, m, n, k, A, lda, B, ldb, C, ldc);
        return;
    }
    for (int64_t l = 0; l < k; l += CLS_TILE)
        for (int64_t j = 0; j < n; j += CLS_TILE)
            for (int64_t i = 0; i < m; i += CLS_TILE) BLAS(gemm)
    (CblasColMajor, form_of(form_a), form_of(form_b), (int)cls_least(CLS_TILE, m - i), (int)cls_least(CLS_TILE, n - j),
     (int)cls_least(CLS_TILE, k - l), SCALAR(-1), form_a == CLS_PLAIN ? A + i + l * lda : A + l + i * lda, (int)lda,
     form_b == CLS_PLAIN ? B + l + j * ldb : B + j + l * ldb, (int)ldb, SCALAR(1), C + i + j * ldc, (int)ldc);
}

/* The diagonal block from .. to - 1. */
static void NAME(solve_block)(int lower, int form, int unit, int64_t from, int64_t to, int64_t n, const ELEMENT *T,
                              int64_t ldt, ELEMENT *B, int64_t ldb) {
    for (int64_t j = 0; j < n; j++) {
        ELEMENT *x = B + j * ldb;
        for (int64_t s = from; s < to; s++) {
            const int64_t l = lower ? s : from + to - 1 - s; /* in the order of the solution */
            const ELEMENT *t = T + l * ldt;
            if (form != CLS_PLAIN) { /* row l of op(T) is column l of T */
                const int64_t begin = lower ? from : l + 1, end = lower ? l : to;
                NAME(project)(end - begin, 1, t + begin, ldt, form == CLS_ADJOINT, x + begin, x + l);
            }
            if (!unit) x[l] = QUOTIENT(x[l], form == CLS_ADJOINT ? CONJUGATE(t[l]) : t[l]);
            if (form == CLS_PLAIN) {
                const int64_t begin = lower ? l + 1 : from, end = lower ? to : l;
                NAME(combine)(end - begin, 1, t + begin, ldt, x + l, 1, x + begin);
            }
        }
    }
}

/* `lower`: op(T) is a lower triangle, which is solved from its first row on. */
void NAME(triangle)(int upper, int form, int unit, int64_t k, int64_t n, const ELEMENT *T, int64_t ldt, ELEMENT *B,
                    int64_t ldb) {
    const int lower = upper ? form != CLS_PLAIN : form == CLS_PLAIN;
    const int64_t blocks = (k + BLOCK - 1) / BLOCK;
    for (int64_t s = 0; s < blocks; s++) {
        const int64_t block = lower ? s : blocks - 1 - s;
        const int64_t from = block * BLOCK, to = cls_least(from + BLOCK, k);
        NAME(solve_block)(lower, form, unit, from, to, n, T, ldt, B, ldb);
        const int64_t begin = lower ? to : 0, rows = lower ? k - to : from;
        NAME(subtract)
        (form, CLS_PLAIN, rows, n, to - from, form == CLS_PLAIN ? T + begin + from * ldt : T + from + begin * ldt, ldt,
         B + from, ldb, B + begin, ldb);
    }
}
