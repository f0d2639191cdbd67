/*
 * batch_host_element.h: one member of a batch; included by batch_host.c once for each type (method/elements_each.h).
 *
 *   factor_member   L of a member, by columns: four columns of L at a time are taken out of one, which is loaded and
 *                   stored once for them (G. Golub, C. Van Loan, Matrix Computations, 4th ed., section 4.2.5); its info
 *   solve_member    one column: L y = b column by column, L^H x = y by products of columns; 1: x has NaN or Inf
 *
 * A member with a tiny pivot is done once more as S A S, S = diag(s) of powers of two: its numbers, and those of its
 * solves, may be subnormal, and have few digits. L is that of A all the same; a solve scales it once more.
 */

/* The lower triangle of the member into L; 0 where there is NaN or Inf. */
static int NAME(gather)(const job *m, const ELEMENT *from, ELEMENT *L) {
    const int64_t n = m->n;
    REAL naught = 0;
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = j; i < n; ++i) {
            ELEMENT a = from[i * m->at.row + j * m->at.column];
            if (m->choice) a = CONJUGATE(a);
            if (i == j) a = FROM_REAL(REAL_PART(a));
            naught += NAUGHT(a);
            L[i + j * n] = a;
        }
    return naught == 0;
}

/* Element (i, j) of the lower triangle times 2^(rows[i] + columns[j]), once rounded; columns NULL: zeros. */
CLS_RARE
static void NAME(scale)(ELEMENT *L, int64_t n, const int *rows, const int *columns) {
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = j; i < n; ++i)
            for (int p = 0; p < PARTS; ++p) {
                REAL *const part = (REAL *)(L + i + j * n) + p;
                *part = (REAL)ldexp((double)*part, rows[i] + (columns ? columns[j] : 0));
            }
}

/* L of what is there; the first minor that is not positive, and *least, the smallest pivot before it. */
CLS_CLONES
static int32_t NAME(factor)(ELEMENT *L, int64_t n, REAL *least) {
    *least = (REAL)INFINITY;
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
        *least = d < *least ? d : *least;
        const REAL root = (REAL)sqrt((double)d);
        for (int64_t i = j + 1; i < n; ++i) c[i] = BY_REAL(c[i], 1 / root);
        c[j] = FROM_REAL(root);
    }
    return 0;
}

/* s(i)^2 a(i,i) in [1, 4). */
CLS_RARE
static int32_t NAME(factor_scaled)(ELEMENT *L, int64_t n) {
    int s[LARGEST];
    REAL least;
    for (int64_t i = 0; i < n; ++i) {
        const REAL d = REAL_PART(L[i + i * n]);
        s[i] = d > 0 ? -(int)floor(ilogb((double)d) / 2.0) : 0;
    }
    NAME(scale)(L, n, s, s);
    const int32_t info = NAME(factor)(L, n, &least);
    for (int64_t i = 0; i < n; ++i) s[i] = -s[i];
    NAME(scale)(L, n, s, NULL);
    return info;
}

static int32_t NAME(factor_member)(const job *m, int64_t member) {
    const int64_t n = m->n;
    ELEMENT L[LARGEST * LARGEST], *const to = (ELEMENT *)m->L + member * n * n;
    const ELEMENT *from = (const ELEMENT *)m->A + m->at.offset + member * m->at.member;
    REAL least;

    if (!NAME(gather)(m, from, L)) return -1;
    int32_t info = NAME(factor)(L, n, &least);
    if (least < TINY) {
        (void)NAME(gather)(m, from, L);
        info = NAME(factor_scaled)(L, n);
    }
    if (info != 0) return info;
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = j; i < n; ++i) to[i + j * n] = L[i + j * n];
    return 0;
}

CLS_CLONES
static int NAME(solve_column)(const ELEMENT *L, int64_t n, ELEMENT *restrict x) {
    REAL naught = 0;
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
    for (int64_t k = 0; k < n; ++k) naught += NAUGHT(x[k]);
    return naught == 0;
}

/* Is L that of a member with tiny pivots? */
static int NAME(is_tiny)(const ELEMENT *L, int64_t n) {
    const REAL least = (REAL)sqrt((double)TINY);
    int tiny = 0;
    for (int64_t k = 0; k < n; ++k) tiny |= REAL_PART(L[k + k * n]) < least;
    return tiny;
}

/* By S L, whose diagonal is about 1, and a right-hand side whose largest element is: x = S (S A S)^-1 S b. */
CLS_RARE
static int NAME(solve_column_scaled)(const ELEMENT *scaled, int64_t n, const int *s, ELEMENT *x) {
    int most = INT_MIN / 4;
    REAL naught = 0;
    for (int64_t i = 0; i < n; ++i)
        if (!IS_ZERO(x[i]) && ilogb((double)LARGER_PART(x[i])) + s[i] > most)
            most = ilogb((double)LARGER_PART(x[i])) + s[i];
    for (int64_t i = 0; i < n * PARTS; ++i) ((REAL *)x)[i] = (REAL)ldexp((double)((REAL *)x)[i], s[i / PARTS] - most);
    const int fine = NAME(solve_column)(scaled, n, x);
    for (int64_t i = 0; i < n * PARTS; ++i) ((REAL *)x)[i] = (REAL)ldexp((double)((REAL *)x)[i], s[i / PARTS] + most);
    for (int64_t i = 0; i < n; ++i) naught += NAUGHT(x[i]);
    return fine && naught == 0;
}

/* All columns; those of a member that fails are written too, and not handed on. `s`: L is S L, see above; else NULL. */
static inline int NAME(solve_columns)(const job *m, int64_t member, const ELEMENT *L, const int *s) {
    const int64_t n = m->n;
    ELEMENT x[LARGEST], *const B = (ELEMENT *)m->A + m->at.offset + member * m->at.member;
    int fine = 1;

    for (int64_t j = 0; j < m->rhs && fine; ++j) {
        REAL naught = 0;
        for (int64_t i = 0; i < n; ++i) {
            x[i] = m->choice ? FROM_REAL(i == j) : B[i * m->at.row + j * m->at.column];
            naught += NAUGHT(x[i]);
        }
        fine = naught == 0 && (s ? NAME(solve_column_scaled)(L, n, s, x) : NAME(solve_column)(L, n, x));
        if (m->choice) x[j] = FROM_REAL(REAL_PART(x[j]));
        for (int64_t i = 0; i < n; ++i)
            if (m->choice == 0 || (m->choice == 1 ? i >= j : i <= j)) B[i * m->at.row + j * m->at.column] = x[i];
    }
    return fine;
}

CLS_RARE
static int NAME(solve_member_scaled)(const job *m, int64_t member) {
    const int64_t n = m->n;
    const ELEMENT *L = (const ELEMENT *)m->L + member * n * n;
    ELEMENT scaled[LARGEST * LARGEST];
    int s[LARGEST];
    for (int64_t j = 0; j < n; ++j) {
        s[j] = -ilogb((double)REAL_PART(L[j + j * n]));
        for (int64_t i = j; i < n; ++i) scaled[i + j * n] = L[i + j * n];
    }
    NAME(scale)(scaled, n, s, NULL);
    return NAME(solve_columns)(m, member, scaled, s);
}

static int NAME(solve_member)(const job *m, int64_t member) {
    const ELEMENT *L = (const ELEMENT *)m->L + member * m->n * m->n;
    return NAME(is_tiny)(L, m->n) ? NAME(solve_member_scaled)(m, member) : NAME(solve_columns)(m, member, L, NULL);
}

static void NAME(out_member)(const job *m, int64_t member) {
    const int64_t n = m->n, row = m->choice ? m->at.row : m->at.column, column = m->choice ? m->at.column : m->at.row;
    const ELEMENT *L = (const ELEMENT *)m->L + member * n * n;
    ELEMENT *const F = (ELEMENT *)m->A + m->at.offset + member * m->at.member;
    for (int64_t k = 0; k < n; ++k)
        for (int64_t i = k; i < n; ++i) F[i * row + k * column] = m->choice ? L[i + k * n] : CONJUGATE(L[i + k * n]);
}

static void NAME(do_member)(const job *m, int64_t member) {
    if (m->what == FACTOR) m->infos[member] = NAME(factor_member)(m, member);
    if (m->what == FACTOR || m->infos[member] != 0) return;
    if (m->what == SOLVE) m->outcomes[member] = NAME(solve_member)(m, member) ? 0 : -1;
    if (m->what == OUT) NAME(out_member)(m, member);
}
