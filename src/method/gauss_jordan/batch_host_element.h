/* batch_host_element.h: one member of a batch; included by batch_host.c once for each type (method/elements_each.h). */
#include "method/gauss_jordan/eliminate_element.h"

/* Element (i, j) times 2^(rows[i] + columns[j]), once rounded. Either may be NULL: zeros. */
CLS_RARE
static void NAME(scale)(ELEMENT *A, int64_t n, int64_t cols, const int *rows, const int *columns) {
    for (int64_t j = 0; j < cols; ++j)
        for (int64_t i = 0; i < n; ++i) {
            REAL *const parts = (REAL *)(A + i + j * n);
            const int exponent = (rows ? rows[i] : 0) + (columns ? columns[j] : 0);
            for (int p = 0; p < PARTS; ++p) parts[p] = (REAL)ldexp((double)parts[p], exponent);
        }
}

static inline int NAME(exponent)(ELEMENT a) {
    return IS_ZERO(a) ? NOTHING : ilogb((double)LARGER_PART(a));
}

/*
 * The powers of two that bring each row's largest element to about 1, and then each column's; 0: no row and no column
 * is tiny, and there is nothing to scale. A row or column of zeros has the power 0.
 */
CLS_RARE
static int NAME(find_powers)(const ELEMENT *A, cls_gj_strides s, int64_t n, int *rows, int *columns) {
    const int tiny = ilogb((double)TINY);
    int any = 0;
    for (int64_t i = 0; i < n; ++i) {
        int most = NOTHING;
        for (int64_t j = 0; j < n; ++j) {
            const int e = NAME(exponent)(A[i * s.row + j * s.column]);
            most = e > most ? e : most;
        }
        rows[i] = most > NOTHING ? -most : 0;
        any |= most > NOTHING && most < tiny;
    }
    for (int64_t j = 0; j < n; ++j) {
        int most = NOTHING, plain = NOTHING;
        for (int64_t i = 0; i < n; ++i) {
            const int e = NAME(exponent)(A[i * s.row + j * s.column]);
            plain = e > plain ? e : plain;
            most = e > NOTHING && e + rows[i] > most ? e + rows[i] : most;
        }
        columns[j] = most > NOTHING ? -most : 0;
        any |= plain > NOTHING && plain < tiny;
    }
    return any;
}

/* Once more after a tiny pivot? `scaled`: it was; 1: with the powers that are in the room now, which it has not been;
 * 2. */
static inline int NAME(next)(const members *m, int64_t at, int scaled, REAL least, room *r) {
    if (scaled || !(least < TINY)) return 2 * scaled;
    return NAME(find_powers)((const ELEMENT *)m->A + at, m->a, m->batch->n, r->rows, r->columns);
}

/* A^-1 = C (R A C)^-1 R, where R and C are powers of two. */
CLS_CLONES
static int32_t NAME(invert)(const members *m, int64_t at, room *r) {
    const int64_t n = m->batch->n;
    ELEMENT *A = (ELEMENT *)(void *)r->A, *data = (ELEMENT *)m->A + at;
    int scaled = 0;
    int32_t info;
    REAL least;
    do {
        if (!NAME(gather)(data, m->a, n, n, A)) return -1;
        if (scaled) NAME(scale)(A, n, n, r->rows, r->columns);
        info = NAME(eliminate)(A, n, NULL, 0, r->pivots, &least);
        scaled = NAME(next)(m, at, scaled, least, r);
    } while (scaled == 1);
    if (info != 0) return info;
    NAME(order)(A, n, r->pivots);
    if (scaled) NAME(scale)(A, n, n, r->columns, r->rows);
    if (!NAME(finite)(A, n * n)) return -1;
    NAME(scatter)(data, m->b, n, n, A);
    return 0;
}

/* A, and right-hand sides whose largest elements are brought to about 1: x = C (R A C)^-1 R b. */
CLS_RARE
static void NAME(scale_system)(ELEMENT *A, ELEMENT *B, int64_t n, int64_t cols, room *r) {
    for (int64_t j = 0; j < cols; ++j) {
        int most = NOTHING;
        for (int64_t i = 0; i < n; ++i) {
            const int e = NAME(exponent)(B[i + j * n]);
            most = e > NOTHING && e + r->rows[i] > most ? e + r->rows[i] : most;
        }
        r->sizes[j] = most > NOTHING ? -most : 0;
    }
    NAME(scale)(A, n, n, r->rows, r->columns);
    NAME(scale)(B, n, cols, r->rows, r->sizes);
    for (int64_t j = 0; j < cols; ++j) r->sizes[j] = -r->sizes[j];
}

CLS_CLONES
static int32_t NAME(columns)(const members *m, int64_t at, int64_t side, int64_t c, int deliver, room *r) {
    const int64_t n = m->batch->n, cols = m->rhs - c < LARGEST ? m->rhs - c : LARGEST;
    ELEMENT *A = (ELEMENT *)(void *)r->A, *B = (ELEMENT *)(void *)r->B,
            *data = (ELEMENT *)m->B + side + c * m->b.column;
    int scaled = 0;
    int32_t info;
    REAL least;
    do {
        const int finite = NAME(gather)((const ELEMENT *)m->A + at, m->a, n, n, A);
        if (!NAME(gather)(data, m->b, n, cols, B) || !finite) return -1;
        if (scaled) NAME(scale_system)(A, B, n, cols, r);
        info = NAME(solve_system)(A, n, B, cols, r->pivots, &least);
        scaled = NAME(next)(m, at, scaled, least, r);
    } while (scaled == 1);
    if (info != 0) return info;
    if (scaled) NAME(scale)(B, n, cols, r->columns, r->sizes);
    if (!NAME(finite)(B, n * cols)) return -1;
    if (deliver) NAME(scatter)(data, m->b, n, cols, B);
    return 0;
}
