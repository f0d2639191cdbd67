/* product_element.h: included by product.c for real and for complex numbers. */

int NAME(invert_two)(const ELEMENT E[4], ELEMENT inverse[4]) {
    double scale = 0;
    for (int k = 0; k < 4; k++) scale = SIZE(E[k]) > scale ? SIZE(E[k]) : scale;
    if (!(scale > 0)) return 0;
    const ELEMENT a = E[0] / scale, b = E[1] / scale, c = E[2] / scale, d = E[3] / scale, det = a * d - b * c;
    if (det == 0) return 0;
    inverse[0] = QUOTIENT(d, det) / scale;
    inverse[1] = -QUOTIENT(b, det) / scale;
    inverse[2] = -QUOTIENT(c, det) / scale;
    inverse[3] = QUOTIENT(a, det) / scale;
    return 1;
}

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
    const int lanes = form_a == CLS_PLAIN ? cls_product_lanes() : 0;
    if (m * n * k <= (lanes > 0 ? SHORT_PRODUCT : SHORT_OF_BLAS) || k < 4 || n < 4) {
        NAME(subtract_short)(form_a, form_b, m, n, k, A, lda, B, ldb, C, ldc);
        return;
    }
    const int64_t down = form_b == CLS_PLAIN ? 1 : ldb, across = form_b == CLS_PLAIN ? ldb : 1;
    if (NAME(subtract_wide)(lanes, m, n, k, A, lda, B, down, across, form_b == CLS_ADJOINT, C, ldc)) return;
    for (int64_t l = 0; l < k; l += CLS_TILE)
        for (int64_t j = 0; j < n; j += CLS_TILE)
            for (int64_t i = 0; i < m; i += CLS_TILE) BLAS(gemm)
    (CblasColMajor, form_of(form_a), form_of(form_b), (int)cls_least(CLS_TILE, m - i), (int)cls_least(CLS_TILE, n - j),
     (int)cls_least(CLS_TILE, k - l), SCALAR(-1), form_a == CLS_PLAIN ? A + i + l * lda : A + l + i * lda, (int)lda,
     form_b == CLS_PLAIN ? B + l + j * ldb : B + j + l * ldb, (int)ldb, SCALAR(1), C + i + j * ldc, (int)ldc);
}

/* A triangle of BLOCK rows at most; one column of B after the other. */
static void NAME(solve_column)(int lower, int form, int unit, int64_t k, const ELEMENT *T, int64_t ldt, ELEMENT *x) {
    for (int64_t s = 0; s < k; s++) {
        const int64_t l = lower ? s : k - 1 - s; /* in the order of the solution */
        const ELEMENT *t = T + l * ldt;
        if (form != CLS_PLAIN) { /* row l of op(T) is column l of T */
            const int64_t begin = lower ? 0 : l + 1, end = lower ? l : k;
            NAME(project)(end - begin, 1, t + begin, ldt, form == CLS_ADJOINT, x + begin, x + l);
        }
        if (!unit) x[l] = QUOTIENT(x[l], form == CLS_ADJOINT ? CONJUGATE(t[l]) : t[l]);
        if (form == CLS_PLAIN) {
            const int64_t begin = lower ? l + 1 : 0, end = lower ? k : l;
            NAME(combine)(end - begin, 1, t + begin, ldt, x + l, 1, x + begin);
        }
    }
}

/* The same for TOGETHER columns, whose elements of a row lie behind each other meanwhile. */
static CLS_CLONES void NAME(solve_columns)(int lower, int form, int unit, int64_t k, const ELEMENT *T, int64_t ldt,
                                           ELEMENT *B, int64_t ldb) {
    const int64_t down = form == CLS_PLAIN ? 1 : ldt, across = form == CLS_PLAIN ? ldt : 1;
    ELEMENT x[BLOCK][TOGETHER];
    for (int64_t c = 0; c < TOGETHER; c++)
        for (int64_t i = 0; i < k; i++) x[i][c] = B[i + c * ldb];
    for (int64_t s = 0; s < k; s++) {
        const int64_t l = lower ? s : k - 1 - s;
        const ELEMENT pivot = T[l * (down + across)];
        for (int c = 0; c < TOGETHER && !unit; c++)
            x[l][c] = QUOTIENT(x[l][c], form == CLS_ADJOINT ? CONJUGATE(pivot) : pivot);
        for (int64_t i = lower ? l + 1 : 0; i < (lower ? k : l); i++) {
            const ELEMENT t = T[i * down + l * across], factor = form == CLS_ADJOINT ? CONJUGATE(t) : t;
            for (int c = 0; c < TOGETHER; c++) x[i][c] -= factor * x[l][c];
        }
    }
    for (int64_t c = 0; c < TOGETHER; c++)
        for (int64_t i = 0; i < k; i++) B[i + c * ldb] = x[i][c];
}

/* By halves, so that products have many columns. `lower`: op(T) is a lower triangle, solved from its first row on. */
void NAME(triangle)(int upper, int form, int unit, int64_t k, int64_t n, const ELEMENT *T, int64_t ldt, ELEMENT *B,
                    int64_t ldb) {
    const int lower = upper ? form != CLS_PLAIN : form == CLS_PLAIN;
    if (k > BLOCK) {
        const int64_t half = (k / 2 + BLOCK - 1) / BLOCK * BLOCK, from = lower ? 0 : half, to = lower ? half : 0;
        NAME(triangle)(upper, form, unit, lower ? half : k - half, n, T + from * (ldt + 1), ldt, B + from, ldb);
        NAME(subtract)
        (form, CLS_PLAIN, lower ? k - half : half, n, lower ? half : k - half,
         form == CLS_PLAIN ? T + to + from * ldt : T + from + to * ldt, ldt, B + from, ldb, B + to, ldb);
        NAME(triangle)(upper, form, unit, lower ? k - half : half, n, T + to * (ldt + 1), ldt, B + to, ldb);
        return;
    }
    int64_t j = 0;
    for (; j + TOGETHER <= n; j += TOGETHER) NAME(solve_columns)(lower, form, unit, k, T, ldt, B + j * ldb, ldb);
    for (; j < n; j++) NAME(solve_column)(lower, form, unit, k, T, ldt, B + j * ldb);
}
