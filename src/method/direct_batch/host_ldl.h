/*
 * host_ldl.h: one member of a batch of LDL^T; included by host_element.h once for each type. The factors have the form
 * of cl/ldl_batch.cl, and pivots are looked for as LAPACK's sytf2_rook does it, which exchanges rows and columns.
 *
 *   ldl_member   L and D of a member, the order of its rows, and its info
 *   ldl_column   one right-hand side
 *   ldl_values   the determinant, or the inertia
 */

#define ADJOINT(m, a) ((m)->batch->symmetric ? (a) : CONJUGATE(a))

/* The largest element of column j but its own, of the rows from k on; *size: its size. */
static int64_t NAME(ldl_largest)(const ELEMENT *A, int64_t n, int64_t k, int64_t j, REAL *size) {
    int64_t at = j;
    *size = 0;
    for (int64_t i = k; i < j; ++i) {
        const REAL its = SIZE(A[j + i * n]);
        if (its > *size) *size = its, at = i;
    }
    for (int64_t i = j + 1; i < n; ++i) {
        const REAL its = SIZE(A[i + j * n]);
        if (its > *size) *size = its, at = i;
    }
    return at;
}

static void NAME(ldl_swap)(ELEMENT *a, ELEMENT *b) {
    const ELEMENT c = *a;
    *a = *b;
    *b = c;
}

/* Rows and columns p < q change places, in the columns of L too. */
static void NAME(ldl_exchange)(const job *m, ELEMENT *A, int64_t n, int64_t p, int64_t q, int *source) {
    const int row = source[p];
    if (p == q) return;
    source[p] = source[q];
    source[q] = row;
    for (int64_t j = 0; j < p; ++j) NAME(ldl_swap)(A + p + j * n, A + q + j * n);
    for (int64_t i = p + 1; i < q; ++i) {
        const ELEMENT c = ADJOINT(m, A[i + p * n]);
        A[i + p * n] = ADJOINT(m, A[q + i * n]);
        A[q + i * n] = c;
    }
    for (int64_t i = q + 1; i < n; ++i) NAME(ldl_swap)(A + i + p * n, A + i + q * n);
    NAME(ldl_swap)(A + p * (n + 1), A + q * (n + 1));
    A[q + p * n] = ADJOINT(m, A[q + p * n]);
}

/* Rook pivoting from row k on: *first and *second are the rows of the pivot; *second < 0: it has order 1,
 * else it is behind row k, because no row is looked at twice. */
static void NAME(ldl_search)(const ELEMENT *A, int64_t n, int64_t k, int64_t *first, int64_t *second) {
    const REAL alpha = (REAL)0.640388203202208;
    REAL size, next;
    int64_t p = k, at = NAME(ldl_largest)(A, n, k, p, &size);
    *first = k;
    *second = -1;
    if (SIZE(A[k * (n + 1)]) >= alpha * size) return;
    for (int64_t looked = 0;; ++looked) {
        const int64_t other = NAME(ldl_largest)(A, n, k, at, &next);
        if (SIZE(A[at * (n + 1)]) >= alpha * next) {
            *first = at;
            return;
        }
        if (other == p || !(next > size) || looked > n) {
            *first = p;
            *second = at;
            return;
        }
        p = at;
        at = other;
        size = next;
    }
}

/* Columns k and, of a pivot of order 2, k + 1 are taken out of those behind. u, v: L D of them, conjugated. */
CLS_CLONES
static void NAME(ldl_take_out)(ELEMENT *A, int64_t n, int64_t k, int64_t width, const ELEMENT *u, const ELEMENT *v) {
    for (int64_t j = k + width; j < n; ++j) {
        const ELEMENT *l = A + k * n, *l2 = l + n, a = u[j], b = v[j];
        ELEMENT *restrict c = A + j * n;
        if (width == 1)
            for (int64_t i = j; i < n; ++i) c[i] = LESS_PRODUCT(c[i], l[i], a);
        else
            for (int64_t i = j; i < n; ++i) {
                const ELEMENT x = LESS_PRODUCT(c[i], l[i], a);
                c[i] = LESS_PRODUCT(x, l2[i], b);
            }
    }
}

/* D^-1 (u; v), or with `row` 1 (u v) D^-1, for [a conj(b); b c]; b is the largest. */
static void NAME(ldl_divide)(const job *m, ELEMENT a, ELEMENT b, ELEMENT c, int row, ELEMENT *u, ELEMENT *v) {
    const ELEMENT size = FROM_REAL(LARGER_PART(b));
    const ELEMENT x = OVER(a, size), y = OVER(b, size), z = OVER(c, size), s = OVER(*u, size), t = OVER(*v, size);
    const ELEMENT xz = TIMES(x, z), w = ADJOINT(m, y), det = LESS_PRODUCT(xz, y, w), sz = TIMES(s, z), tx = TIMES(t, x);
    const ELEMENT first = row ? y : w, second = row ? w : y;
    *u = OVER(LESS_PRODUCT(sz, t, first), det);
    *v = OVER(LESS_PRODUCT(tx, s, second), det);
}

static int32_t NAME(ldl_eliminate)(const job *m, ELEMENT *A, int64_t n, int64_t k, int64_t width) {
    ELEMENT u[CLS_LU_HOST_SMALL_MOST], v[CLS_LU_HOST_SMALL_MOST], *l = A + k * n, *l2 = l + n;
    const ELEMENT d = l[k];
    if (width == 1 && IS_ZERO(d)) return (int32_t)(k + 1);
    if (width == 1 && !m->batch->symmetric) l[k] = FROM_REAL(REAL_PART(d));
    for (int64_t i = k + width; i < n; ++i) {
        u[i] = ADJOINT(m, l[i]);
        if (width == 1) {
            l[i] = OVER(l[i], d);
            continue;
        }
        v[i] = ADJOINT(m, l2[i]);
        NAME(ldl_divide)(m, d, l[k + 1], l2[k + 1], 1, &l[i], &l2[i]);
    }
    NAME(ldl_take_out)(A, n, k, width, u, v);
    for (int64_t i = k + width; i < n && !m->batch->symmetric; ++i)
        A[i * (n + 1)] = FROM_REAL(REAL_PART(A[i * (n + 1)]));
    if (width == 2) {
        A[k + (k + 1) * n] = l[k + 1];
        l[k + 1] = ZERO;
    }
    return 0;
}

/* A small member may lie where its factors come, in another layout. */
static int32_t NAME(ldl_member)(const job *m, int64_t member) {
    const int64_t n = cls_direct_batch_order(m->batch, member);
    ELEMENT A[CLS_LU_HOST_SMALL_MOST * CLS_LU_HOST_SMALL_MOST];
    ELEMENT *const F = (ELEMENT *)m->F + cls_direct_batch_factors_of(m->batch, member);
    int *const source = m->pivots + cls_direct_batch_rows_of(m->batch, member);
    int32_t info = 0;
    REAL most = 0;
    m->scales[member] = 0;
    for (int64_t i = 0; i < n; ++i) source[i] = (int)i;
    if (!NAME(gather_lower)(m, member, A)) return -1;
    for (int64_t j = 0; j < n; ++j) {
        const REAL its = NAME(largest)(A + j * (n + 1), n - j);
        most = its > most ? its : most;
        for (int64_t i = 0; i < j; ++i) A[i + j * n] = ZERO;
    }
    const int power = NAME(scale_for)(most);
    if (power != 0) NAME(scale)(A, n * n, power);
    m->scales[member] = 2 * power;
    for (int64_t k = 0, width; k < n; k += width) {
        int64_t first, second;
        NAME(ldl_search)(A, n, k, &first, &second);
        width = second < 0 ? 1 : 2;
        NAME(ldl_exchange)(m, A, n, k, first, source);
        if (width == 2) NAME(ldl_exchange)(m, A, n, k + 1, second, source);
        const int32_t zero = NAME(ldl_eliminate)(m, A, n, k, width);
        if (info == 0) info = zero;
    }
    memcpy(F, A, (size_t)(n * n) * sizeof *A);
    return info;
}

static int NAME(ldl_is_pair)(const ELEMENT *F, int64_t n, int64_t k) {
    return k + 1 < n && !IS_ZERO(F[k + (k + 1) * n]);
}

CLS_CLONES
static void NAME(ldl_triangles)(const job *m, const ELEMENT *F, int64_t n, ELEMENT *restrict x) {
    for (int64_t k = 0; k < n; ++k) {
        const ELEMENT *l = F + k * n, y = x[k];
        for (int64_t i = k + 1; i < n; ++i) x[i] = LESS_PRODUCT(x[i], l[i], y);
    }
    for (int64_t k = 0; k < n; ++k) {
        if (!NAME(ldl_is_pair)(F, n, k)) {
            x[k] = OVER(x[k], F[k * (n + 1)]);
            continue;
        }
        NAME(ldl_divide)(m, F[k * (n + 1)], F[k + (k + 1) * n], F[(k + 1) * (n + 1)], 0, &x[k], &x[k + 1]);
        ++k;
    }
    for (int64_t k = n - 1; k >= 0; --k) {
        const ELEMENT *l = F + k * n;
        ELEMENT sum = x[k];
        for (int64_t i = k + 1; i < n; ++i) {
            const ELEMENT its = ADJOINT(m, l[i]);
            sum = LESS_PRODUCT(sum, its, x[i]);
        }
        x[k] = sum;
    }
}

static void NAME(ldl_column)(const job *m, int64_t member, const ELEMENT *F, int64_t n, ELEMENT *x) {
    const int *source = m->pivots + cls_direct_batch_rows_of(m->batch, member);
    ELEMENT y[CLS_LU_HOST_SMALL_MOST];
    for (int64_t i = 0; i < n; ++i) y[i] = x[source[i]];
    NAME(ldl_triangles)(m, F, n, y);
    for (int64_t i = 0; i < n; ++i) x[source[i]] = y[i];
}

/* As ldl_batch_values. */
static void NAME(ldl_values)(const job *m, int64_t member, int inertia) {
    const int64_t n = cls_direct_batch_order(m->batch, member);
    const ELEMENT *F = (const ELEMENT *)m->F + cls_direct_batch_factors_of(m->batch, member);
    REAL *const to = (REAL *)m->numbers + 3 * member;
    int exponent = -(int)n * (m->scales[member] >> 1), positive = 0, negative = 0;
    ELEMENT product = ONE;
    for (int64_t k = 0; k < n; ++k) {
        const ELEMENT a = F[k * (n + 1)];
        if (!NAME(ldl_is_pair)(F, n, k)) {
            NAME(multiply)(&product, &exponent, a);
            positive += REAL_PART(a) > 0;
            negative += REAL_PART(a) < 0;
            continue;
        }
        const ELEMENT b = F[k + (k + 1) * n], c = F[(k + 1) * (n + 1)], w = ADJOINT(m, b);
        const ELEMENT over = OVER(a, b), by = OVER(c, w);
        ELEMENT rest = LESS_PRODUCT(TIMES(over, by), ONE, ONE);
        if (!m->batch->symmetric) rest = FROM_REAL(REAL_PART(rest));
        NAME(multiply)(&product, &exponent, b);
        NAME(multiply)(&product, &exponent, w);
        NAME(multiply)(&product, &exponent, rest);
        /* Two signs where the determinant is below zero; else both are that of the diagonal. */
        const REAL sign = REAL_PART(rest), diagonal = REAL_PART(a) + REAL_PART(c);
        positive += sign < 0 || diagonal > 0 ? 1 + (sign > 0) : 0;
        negative += sign < 0 || diagonal < 0 ? 1 + (sign > 0) : 0;
        ++k;
    }
    to[0] = inertia ? (REAL)positive : REAL_PART(product);
#if COMPLEX
    to[1] = inertia ? (REAL)negative : m->batch->symmetric ? product.y : 0;
#else
    to[1] = inertia ? (REAL)negative : 0;
#endif
    to[2] = inertia ? (REAL)(n - positive - negative) : (REAL)exponent;
}

#undef ADJOINT
