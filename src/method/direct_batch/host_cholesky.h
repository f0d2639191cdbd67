/*
 * host_cholesky.h: one member of a batch of Cholesky; included by host_element.h once for each type.
 *
 *   cholesky_member   L of a member, and its info, by columns where LAPACK does not take it: four columns of L at a
 *                     time are taken out of one, which is loaded and stored once for them (G. Golub, C. Van Loan,
 *                     Matrix Computations, 4th ed., section 4.2.5)
 *   cholesky_column   one right-hand side: L y = b column by column, L^H x = y by products of columns
 *   cholesky_out      L or its conjugate to where the caller wants it
 */

/* The lower triangle of the member, or its conjugate, into `to`, where it may lie already; 0: it has NaN or Inf. */
static int NAME(gather_lower)(const job *m, int64_t member, ELEMENT *to) {
    const int64_t n = cls_direct_batch_order(m->batch, member);
    const ELEMENT *from = (const ELEMENT *)m->A + begin_of(m, member);
    const int64_t row = row_step(m, n), column = column_step(m, n);
    REAL naught = 0;
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = j; i < n; ++i) {
            ELEMENT a = from[i * row + j * column];
            if (m->conjugate) a = CONJUGATE(a);
            if (i == j && !m->batch->symmetric) a = FROM_REAL(REAL_PART(a));
            naught += NAUGHT(a);
            to[i + j * n] = a;
        }
    return naught == 0;
}

/* Is the member scaled? Then it becomes S A S. */
static int NAME(scale_lower)(ELEMENT *L, int64_t n, int *exponents) {
    const int moderate = sizeof(REAL) == 8 ? 900 : 90;
    int extreme = 0;
    for (int64_t i = 0; i < n; ++i) {
        const REAL d = REAL_PART(L[i + i * n]);
        const int exponent = d > 0 ? ilogb((double)d) : 0;
        exponents[i] = -(int)floor(exponent / 2.0);
        extreme |= exponent < -moderate || exponent > moderate;
    }
    for (int64_t j = 0; extreme && j < n; ++j)
        for (int64_t i = j; i < n; ++i) NAME(scale)(L + i + j * n, 1, exponents[i] + exponents[j]);
    return extreme;
}

/* L of what is there; the first minor, from 1, that is not positive. */
CLS_CLONES
static int32_t NAME(cholesky_columns)(ELEMENT *L, int64_t n) {
    for (int64_t j = 0; j < n; ++j) {
        ELEMENT *restrict c = L + j * n;
        int64_t k = 0;
        for (; k + 4 <= j; k += 4) {
            const ELEMENT *l0 = L + k * n, *l1 = l0 + n, *l2 = l1 + n, *l3 = l2 + n;
            const ELEMENT u0 = CONJUGATE(l0[j]), u1 = CONJUGATE(l1[j]), u2 = CONJUGATE(l2[j]), u3 = CONJUGATE(l3[j]);
            for (int64_t i = j; i < n; ++i) c[i] = LESS_PRODUCTS(c[i], l, u, i);
        }
        for (; k < j; ++k) {
            const ELEMENT *l = L + k * n, u = CONJUGATE(l[j]);
            for (int64_t i = j; i < n; ++i) c[i] = LESS_PRODUCT(c[i], l[i], u);
        }
        const REAL d = REAL_PART(c[j]);
        if (!(d > 0)) return (int32_t)(j + 1); /* NaN too */
        const REAL root = (REAL)sqrt((double)d);
        for (int64_t i = j + 1; i < n; ++i) c[i] = BY_REAL(c[i], 1 / root);
        c[j] = FROM_REAL(root);
    }
    return 0;
}

/* A small member may lie where its factor comes, in another layout. */
static int32_t NAME(cholesky_member)(const job *m, int64_t member) {
    const int64_t n = cls_direct_batch_order(m->batch, member);
    const int small = n <= CLS_LU_HOST_SMALL_MOST, order = cls_blas_int(n);
    ELEMENT room[CLS_LU_HOST_SMALL_MOST * CLS_LU_HOST_SMALL_MOST];
    ELEMENT *const F = (ELEMENT *)m->F + cls_direct_batch_factors_of(m->batch, member), *const L = small ? room : F;
    int *const exponents = m->pivots + cls_direct_batch_rows_of(m->batch, member);
    m->scales[member] = 0;
    if (!NAME(gather_lower)(m, member, L)) return -1;
    m->scales[member] = NAME(scale_lower)(L, n, exponents);
    if (m->by_lapack && !small) return (int32_t)CLS_LAPACKE(m->type, potrf, 'L', order, (void *)L, order);
    const int32_t info = NAME(cholesky_columns)(L, n);
    for (int64_t j = 0; small && info == 0 && j < n; ++j)
        for (int64_t i = j; i < n; ++i) F[i + j * n] = L[i + j * n];
    return info;
}

CLS_CLONES
static void NAME(cholesky_column)(const ELEMENT *L, int64_t n, ELEMENT *restrict x) {
    for (int64_t k = 0; k < n; ++k) {
        const ELEMENT *l = L + k * n, y = BY_REAL(x[k], 1 / REAL_PART(l[k]));
        x[k] = y;
        for (int64_t i = k + 1; i < n; ++i) x[i] = LESS_PRODUCT(x[i], l[i], y);
    }
    for (int64_t k = n - 1; k >= 0; --k) {
        const ELEMENT *l = L + k * n;
        ELEMENT sum = x[k];
        for (int64_t i = k + 1; i < n; ++i) sum = LESS_PRODUCT(sum, CONJUGATE(l[i]), x[i]);
        x[k] = BY_REAL(sum, 1 / REAL_PART(l[k]));
    }
}

static void NAME(cholesky_out)(const job *m, int64_t member) {
    const int64_t n = cls_direct_batch_order(m->batch, member), row = row_step(m, n), column = column_step(m, n);
    const int *exponents = m->pivots + cls_direct_batch_rows_of(m->batch, member);
    const ELEMENT *L = (const ELEMENT *)m->F + cls_direct_batch_factors_of(m->batch, member);
    ELEMENT *const to = (ELEMENT *)m->A + begin_of(m, member);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = j; i < n; ++i) {
            ELEMENT value = L[i + j * n];
            if (m->scales[member] != 0) NAME(scale)(&value, 1, -exponents[i]);
            to[i * row + j * column] = m->conjugate ? CONJUGATE(value) : value;
        }
}
