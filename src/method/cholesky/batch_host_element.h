/*
 * batch_host_element.h: one member of a batch; included by batch_host.c once for each type (method/elements_each.h).
 *
 *   factor_member   L of a member, by columns: four columns of L at a time are taken out of one, which is loaded and stored
 *                   once for them (G. Golub, C. Van Loan, Matrix Computations, 4th ed., section 4.2.5); its info
 *   solve_member    one column: L y = b column by column, L^H x = y by products of columns; 1: x has NaN or Inf
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

CLS_CLONES
static int32_t NAME(factor_member)(const job *m, int64_t member) {
    const int64_t n = m->n;
    ELEMENT L[LARGEST * LARGEST], *const to = (ELEMENT *)m->L + member * n * n;
    const ELEMENT *from = (const ELEMENT *)m->A + m->at.offset + member * m->at.member;

    if (!NAME(gather)(m, from, L)) return -1;
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

/* All columns; those of a member that fails are written too, and not handed on. */
static int NAME(solve_member)(const job *m, int64_t member) {
    const int64_t n = m->n;
    const ELEMENT *L = (const ELEMENT *)m->L + member * n * n;
    ELEMENT x[LARGEST], *const B = (ELEMENT *)m->A + m->at.offset + member * m->at.member;
    int fine = 1;

    for (int64_t j = 0; j < m->rhs && fine; ++j) {
        REAL naught = 0;
        for (int64_t i = 0; i < n; ++i) {
            x[i] = m->choice ? FROM_REAL(i == j) : B[i * m->at.row + j * m->at.column];
            naught += NAUGHT(x[i]);
        }
        fine = naught == 0 && NAME(solve_column)(L, n, x);
        if (m->choice) x[j] = FROM_REAL(REAL_PART(x[j]));
        for (int64_t i = 0; i < n; ++i)
            if (m->choice == 0 || (m->choice == 1 ? i >= j : i <= j)) B[i * m->at.row + j * m->at.column] = x[i];
    }
    return fine;
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
