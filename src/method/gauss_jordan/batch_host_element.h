/* batch_host_element.h: one member of a batch; included by batch_host.c once for each type (method/elements_each.h). */
#include "method/gauss_jordan/eliminate_element.h"

/* Element (i, j) times 2^(rows[i] + columns[j]), once rounded. Either may be NULL: zeros. */
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

/* The inverse of r->A by rows and columns of size 1: A^-1 = C (R A C)^-1 R. */
static int32_t NAME(invert_scaled)(int64_t n, room *r) {
    ELEMENT *A = (ELEMENT *)(void *)r->A;
    REAL least;
    NAME(scale)(A, n, n, r->rows, r->columns);
    const int32_t info = NAME(eliminate)(A, n, NULL, 0, r->pivots, &least);
    if (info != 0) return info;
    NAME(order)(A, n, r->pivots);
    NAME(scale)(A, n, n, r->columns, r->rows);
    return 0;
}

/* The solutions likewise, of right-hand sides whose largest elements are brought to about 1. */
static int32_t NAME(solve_scaled)(int64_t n, int64_t cols, room *r) {
    ELEMENT *A = (ELEMENT *)(void *)r->A, *B = (ELEMENT *)(void *)r->B;
    int sizes[LARGEST];
    REAL least;
    for (int64_t j = 0; j < cols; ++j) {
        int most = NOTHING;
        for (int64_t i = 0; i < n; ++i) {
            const int e = NAME(exponent)(B[i + j * n]);
            most = e > NOTHING && e + r->rows[i] > most ? e + r->rows[i] : most;
        }
        sizes[j] = most > NOTHING ? -most : 0;
    }
    NAME(scale)(A, n, n, r->rows, r->columns);
    NAME(scale)(B, n, cols, r->rows, sizes);
    const int32_t info = NAME(eliminate)(A, n, B, cols, r->pivots, &least);
    for (int64_t j = 0; j < cols; ++j) sizes[j] = -sizes[j];
    if (info == 0) NAME(scale)(B, n, cols, r->columns, sizes);
    return info;
}

/* After a tiny pivot: is A better scaled? Then it is in r->A as it was, else what is there stays. */
static int NAME(needs_powers)(const members *m, int64_t at, room *r) {
    const ELEMENT *data = (const ELEMENT *)m->A + at;
    if (!NAME(find_powers)(data, m->a, m->batch->n, r->rows, r->columns)) return 0;
    return NAME(gather)(data, m->a, m->batch->n, m->batch->n, (ELEMENT *)(void *)r->A);
}

CLS_CLONES
static int32_t NAME(invert)(const members *m, int64_t at, room *r) {
    const int64_t n = m->batch->n;
    ELEMENT *A = (ELEMENT *)(void *)r->A, *data = (ELEMENT *)m->A + at;
    REAL least;
    if (!NAME(gather)(data, m->a, n, n, A)) return -1;
    int32_t info = NAME(eliminate)(A, n, NULL, 0, r->pivots, &least);
    if (info == 0) NAME(order)(A, n, r->pivots);
    if (least < TINY && NAME(needs_powers)(m, at, r)) info = NAME(invert_scaled)(n, r);
    if (info != 0) return info;
    if (!NAME(finite)(A, n * n)) return -1;
    NAME(scatter)(data, m->b, n, n, A);
    return 0;
}

CLS_CLONES
static int32_t NAME(columns)(const members *m, int64_t at, int64_t side, int64_t c, int deliver, room *r) {
    const int64_t n = m->batch->n, cols = m->rhs - c < LARGEST ? m->rhs - c : LARGEST;
    ELEMENT *A = (ELEMENT *)(void *)r->A, *B = (ELEMENT *)(void *)r->B,
            *data = (ELEMENT *)m->B + side + c * m->b.column;
    REAL least;
    const int finite = NAME(gather)((const ELEMENT *)m->A + at, m->a, n, n, A);
    if (!NAME(gather)(data, m->b, n, cols, B) || !finite) return -1;
    int32_t info = NAME(eliminate)(A, n, B, cols, r->pivots, &least);
    if (least < TINY && NAME(needs_powers)(m, at, r)) {
        (void)NAME(gather)(data, m->b, n, cols, B);
        info = NAME(solve_scaled)(n, cols, r);
    }
    if (info != 0) return info;
    if (!NAME(finite)(B, n * cols)) return -1;
    if (deliver) NAME(scatter)(data, m->b, n, cols, B);
    return 0;
}
