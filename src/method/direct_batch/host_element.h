/*
 * host_element.h: one member of a batch; included by host.c once for each type (method/elements_each.h).
 */

/* As direct_batch.clh has it; `most` is the largest part of an element. */
static int NAME(scale_for)(REAL most) {
    const int moderate = sizeof(REAL) == 8 ? 900 : 90, from_subnormal = sizeof(REAL) == 8 ? 1060 : 138;
    if (!(most <= (REAL)HUGE_VAL) || isinf(most)) return 0;
    if (most < LEAST) return from_subnormal;
    const int exponent = ilogb((double)most);
    return exponent < -moderate || exponent > moderate ? -exponent : 0;
}

CLS_RARE
static void NAME(scale)(ELEMENT *x, int64_t count, int power) {
    for (int64_t k = 0; k < PARTS * count; ++k) ((REAL *)x)[k] = (REAL)ldexp((double)((REAL *)x)[k], power);
}

/* A product is of size 1 times 2^*exponent. */
static void NAME(multiply)(ELEMENT *product, int *exponent, ELEMENT by) {
    int e = 0, of_product = 0;
    (void)frexp((double)LARGER_PART(by), &e);
    NAME(scale)(&by, 1, -e);
    *product = TIMES(*product, by);
    (void)frexp((double)LARGER_PART(*product), &of_product);
    NAME(scale)(product, 1, -of_product);
    *exponent += e + of_product;
}

/* The largest part of so many elements, or NaN where one is NaN or Inf: by their bits, whose order is that of the
 * numbers, in so many parts that compilers make several vectors of them. */
CLS_CLONES
static REAL NAME(largest)(const ELEMENT *x, int64_t count) {
    enum { LANES = 16 };
    const BITS all = (BITS)(sizeof(BITS) == 8 ? INT64_MAX : INT32_MAX), *bits = (const BITS *)x;
    const REAL infinity = (REAL)INFINITY;
    BITS most[LANES] = {0}, none;
    REAL largest;
    int64_t k = 0;
    for (; k + LANES <= PARTS * count; k += LANES)
        for (int q = 0; q < LANES; ++q) {
            const BITS size = bits[k + q] & all;
            most[q] = size > most[q] ? size : most[q];
        }
    for (; k < PARTS * count; ++k) most[0] = (bits[k] & all) > most[0] ? bits[k] & all : most[0];
    for (int q = 1; q < LANES; ++q) most[0] = most[q] > most[0] ? most[q] : most[0];
    memcpy(&none, &infinity, sizeof none);
    memcpy(&largest, &most[0], sizeof largest);
    return most[0] < none ? largest : (REAL)NAN;
}

/* Rows of `from` become columns of `to`, by squares of constant size, whose lines a cache holds at once. */
CLS_CLONES
static void NAME(transpose)(const ELEMENT *from, int64_t row, int64_t n, ELEMENT *restrict to) {
    enum { EDGE = 8 };
    const int64_t whole = n / EDGE * EDGE;
    for (int64_t b = 0; b < whole; b += EDGE)
        for (int64_t a = 0; a < whole; a += EDGE)
            for (int j = 0; j < EDGE; ++j)
                for (int i = 0; i < EDGE; ++i) to[a + i + (b + j) * n] = from[(a + i) * row + b + j];
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = i < whole ? whole : 0; j < n; ++j) to[i + j * n] = from[i * row + j];
}

/* The member, column after column, into `to`; its largest part. */
static REAL NAME(gather)(const job *m, int64_t member, ELEMENT *to) {
    const int64_t n = cls_direct_batch_order(m->batch, member);
    const ELEMENT *from = (const ELEMENT *)m->A + begin_of(m, member);
    const int64_t row = row_step(m, n), column = column_step(m, n);
    if (row != 1) NAME(transpose)(from, row, n, to);
    for (int64_t j = 0; j < n && row == 1; ++j) memmove(to + j * n, from + j * column, (size_t)n * sizeof *to);
    return NAME(largest)(to, n * n);
}

static int64_t NAME(decompose)(const job *m, int64_t n, ELEMENT *A, int *pivots) {
    double unused;
    if (m->by_lapack && n > CLS_LU_HOST_SMALL_MOST) return cls_panel_lapack(m->type, n, n, A, n, pivots);
    return cls_lu_host_one_factor(m->type, A, n, pivots, &unused);
}

static int32_t NAME(factor_member)(const job *m, int64_t member) {
    const int64_t n = cls_direct_batch_order(m->batch, member);
    ELEMENT *const F = factors_of(m, member);
    int *const pivots = pivots_of(m, member);
    REAL naught = 0;
    const REAL most = NAME(gather)(m, member, F);
    const int power = NAME(scale_for)(most);
    m->scales[member] = 2 * power;
    if (!(most == most)) return -1;
    if (power != 0) NAME(scale)(F, n * n, power);
    const int64_t info = NAME(decompose)(m, n, F, pivots);
    for (int64_t k = 0; k < n; ++k) {
        naught += NAUGHT(F[k + k * n]);
        m->scales[member] ^= pivots[k] != k + 1;
    }
    return naught == 0 ? (int32_t)info : -1;
}

#include "method/direct_batch/host_cholesky.h"
#include "method/direct_batch/host_ldl.h"

/* B becomes S B of a scaled member. Cholesky: X then becomes S X (`back`). */
static void NAME(scale_sides)(const job *m, int64_t member, int64_t n, int64_t cols, ELEMENT *x, int back) {
    const int scale = m->scales[member];
    const int *exponents = m->pivots + cls_direct_batch_rows_of(m->batch, member);
    const int cholesky = cls_direct_batch_is_cholesky(m->batch),
              of_factored = m->inverse_of == (cls_direct_batch_is_ldl(m->batch) ? 3 : 2);
    if (!cholesky && scale >> 1 != 0 && !back && !of_factored) NAME(scale)(x, n * cols, scale >> 1);
    for (int64_t k = 0; cholesky && scale != 0 && k < n * cols; ++k) NAME(scale)(x + k, 1, exponents[k % n]);
}

/* One triangle of the inverse is written of one that was read; a hermitian one has a real diagonal. */
static void NAME(write_sides)(const job *m, int64_t n, int64_t first, int64_t cols, const ELEMENT *x, ELEMENT *B,
                              int64_t row, int64_t column) {
    const int half = cls_direct_batch_is_half(m->batch) ? m->inverse_of : 0;
    for (int64_t c = 0; c < cols; ++c) {
        const int64_t j = first + c, begin = half == 1 ? j : 0, end = half >= 2 ? j + 1 : n;
        for (int64_t i = begin; i < end; ++i) B[i * row + j * column] = x[i + c * n];
        if (half && !m->batch->symmetric) B[j * (row + column)] = FROM_REAL(REAL_PART(x[j + c * n]));
    }
}

/* Columns first .. first + cols - 1 of the right-hand sides, solved in x, unless there is NaN or Inf. */
static int NAME(solve_columns)(const job *m, int64_t member, int64_t first, int64_t cols, ELEMENT *x) {
    const int64_t n = cls_direct_batch_order(m->batch, member);
    const ELEMENT *F = factors_of(m, member);
    ELEMENT *const B = (ELEMENT *)m->A + begin_of(m, member);
    const int64_t row = row_step(m, m->inverse_of ? n : m->rhs), column = column_step(m, n);
    REAL naught = 0;
    for (int64_t j = 0; j < cols; ++j)
        for (int64_t i = 0; i < n; ++i) {
            x[i + j * n] = m->inverse_of ? FROM_REAL(i == first + j) : B[i * row + (first + j) * column];
            naught += NAUGHT(x[i + j * n]);
        }
    if (!(naught == 0)) return 0;
    NAME(scale_sides)(m, member, n, cols, x, 0);
    if (cls_direct_batch_is_ldl(m->batch))
        for (int64_t j = 0; j < cols; ++j) NAME(ldl_column)(m, member, F, n, x + j * n);
    else if (cls_direct_batch_is_cholesky(m->batch) && (!m->by_lapack || n <= CLS_LU_HOST_SMALL_MOST))
        for (int64_t j = 0; j < cols; ++j) NAME(cholesky_column)(F, n, x + j * n);
    else
        solve_columns(m, n, F, pivots_of(m, member), x, cols);
    NAME(scale_sides)(m, member, n, cols, x, 1);
    for (int64_t k = 0; k < n * cols; ++k) naught += NAUGHT(x[k]);
    if (!(naught == 0)) return 0;
    NAME(write_sides)(m, n, first, cols, x, B, row, column);
    return 1;
}

/* A member that fails is written in part, and not handed on. */
static int NAME(solve_member)(const job *m, int64_t member) {
    ELEMENT x[4 * CLS_LU_HOST_BLOCKED_MOST];
    int fine = 1;
    const int64_t rhs = m->inverse_of ? cls_direct_batch_order(m->batch, member) : m->rhs;
    if (m->room) return NAME(solve_columns)(m, member, 0, rhs, m->room);
    for (int64_t j = 0; j < rhs && fine; j += 4) fine = NAME(solve_columns)(m, member, j, rhs - j < 4 ? rhs - j : 4, x);
    return fine;
}

static void NAME(out_member)(const job *m, int64_t member) {
    const int64_t n = cls_direct_batch_order(m->batch, member);
    const int power = m->scales[member] >> 1;
    const ELEMENT *F = (const ELEMENT *)m->F + cls_direct_batch_factors_of(m->batch, member);
    ELEMENT *const to = (ELEMENT *)m->A + begin_of(m, member);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) {
            ELEMENT value = F[i + j * n];
            if (power != 0 && i <= j) NAME(scale)(&value, 1, -power);
            to[i * row_step(m, n) + j * column_step(m, n)] = value;
        }
}

/* As direct_batch_det. */
static void NAME(det_member)(const job *m, int64_t member) {
    const int64_t n = cls_direct_batch_order(m->batch, member);
    const int scale = m->scales[member];
    const ELEMENT *F = (const ELEMENT *)m->F + cls_direct_batch_factors_of(m->batch, member);
    REAL *const to = (REAL *)m->numbers + 3 * member;
    ELEMENT product = FROM_REAL(scale % 2 != 0 ? -1 : 1);
    int exponent = -(int)n * (scale >> 1);
    for (int64_t j = 0; j < n; ++j) NAME(multiply)(&product, &exponent, F[j + j * n]);
    to[0] = REAL_PART(product);
#if COMPLEX
    to[1] = product.y;
#else
    to[1] = 0;
#endif
    to[2] = (REAL)exponent;
}

/* LDL^T reads the lower triangle alone. */
static ELEMENT NAME(element_of)(const job *m, const ELEMENT *A, int64_t row, int64_t column, int64_t i, int64_t j) {
    if (!cls_direct_batch_is_ldl(m->batch)) return A[i * row + j * column];
    const ELEMENT a = i > j ? A[i * row + j * column] : A[j * row + i * column];
    return i == j && !m->batch->symmetric ? FROM_REAL(REAL_PART(a)) : a;
}

static void NAME(norm_member)(const job *m, int64_t member) {
    const ELEMENT *A = (const ELEMENT *)m->A + begin_of(m, member);
    const int64_t n = cls_direct_batch_order(m->batch, member), row = row_step(m, n), column = column_step(m, n);
    REAL most = 0, largest = 0;
    for (int64_t j = 0; m->is_scaled && j < n; ++j)
        for (int64_t i = 0; i < n; ++i) {
            const REAL size = LARGER_PART(NAME(element_of)(m, A, row, column, i, j));
            largest = size > largest ? size : largest;
        }
    const int power = m->is_scaled ? NAME(scale_for)(largest) : 0;
    for (int64_t j = 0; j < n; ++j) {
        REAL sum = 0;
        for (int64_t i = 0; i < n; ++i) {
            ELEMENT a = NAME(element_of)(m, A, row, column, i, j);
            if (power != 0) NAME(scale)(&a, 1, power);
            sum += MODULUS(a);
        }
        if (!(sum <= most)) most = sum;
    }
    ((REAL *)m->numbers)[member] = most;
}

static void NAME(do_member)(const job *m, int64_t member) {
    switch (m->what) {
    case FACTOR:
        m->infos[member] = cls_direct_batch_is_ldl(m->batch)        ? NAME(ldl_member)(m, member)
                           : cls_direct_batch_is_cholesky(m->batch) ? NAME(cholesky_member)(m, member)
                                                                    : NAME(factor_member)(m, member);
        break;
    case SOLVE:
        if (m->infos[member] == 0) m->outcomes[member] = NAME(solve_member)(m, member) ? 0 : -1;
        break;
    case FACTOR_SOLVE: /* of parts alone */
        break;
    case OUT:
        if (cls_direct_batch_is_cholesky(m->batch) && m->infos[member] == 0) NAME(cholesky_out)(m, member);
        if (!cls_direct_batch_is_half(m->batch) && m->infos[member] >= 0) NAME(out_member)(m, member);
        break;
    case DET:
        if (m->infos[member] >= 0 && cls_direct_batch_is_ldl(m->batch)) NAME(ldl_values)(m, member, 0);
        if (m->infos[member] >= 0 && !cls_direct_batch_is_ldl(m->batch)) NAME(det_member)(m, member);
        break;
    case INERTIA:
        if (m->infos[member] >= 0) NAME(ldl_values)(m, member, 1);
        break;
    case NORM:
        NAME(norm_member)(m, member);
        break;
    }
}
