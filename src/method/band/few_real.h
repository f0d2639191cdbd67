/*
 * few_real.h: LU with partial pivoting of a band of few diagonals, column by column, and solves with it; included by few.c
 * once for each type, with REAL and NAME(x). The storage is that of LAPACK's gbtrf, with kv = kl + ku diagonals above the
 * main one: element (i, j) at ab[kv + i - j + j * ld]. Multipliers are quotients, so that a subnormal pivot, whose
 * reciprocal overflows, does no harm.
 *
 * Element (i, j) of the columns right of j lies at a step of ld - 1 in a row: rows are exchanged where they are updated.
 */

/* to[i] -= column[i] * to[0] for i = 1 .. below, after the exchange of to[0] and to[p]; in four columns at a step of ld - 1,
 * so that column is read once for all of them. */
static inline void NAME(update_four)(REAL *to, int64_t step, const REAL *restrict column, int64_t below, int64_t p) {
    REAL *restrict a = to, *restrict b = to + step, *restrict c = to + 2 * step, *restrict d = to + 3 * step;
    const REAL ua = a[p], ub = b[p], uc = c[p], ud = d[p];
    a[p] = a[0], b[p] = b[0], c[p] = c[0], d[p] = d[0];
    a[0] = ua, b[0] = ub, c[0] = uc, d[0] = ud;
    for (int64_t i = 1; i <= below; ++i) {
        const REAL l = column[i];
        a[i] -= l * ua;
        b[i] -= l * ub;
        c[i] -= l * uc;
        d[i] -= l * ud;
    }
}

static inline void NAME(update_one)(REAL *restrict to, const REAL *restrict column, int64_t below, int64_t p) {
    const REAL u = to[p];
    to[p] = to[0];
    to[0] = u;
    for (int64_t i = 1; i <= below; ++i) to[i] -= column[i] * u;
}

CLS_FEW_CLONES
int64_t NAME(cls_few_factor)(REAL *ab, int64_t ld, int64_t n, int64_t kl, int64_t kv, int32_t *pivots) {
    const int64_t step = ld - 1;
    int64_t info = 0, reach = 0; /* reach: the last column that an exchanged row has come to */
    for (int64_t j = 0; j < n; ++j) {
        REAL *column = ab + kv + j * ld; /* from the diagonal down */
        const int64_t below = kl < n - 1 - j ? kl : n - 1 - j;
        int64_t p = 0;
        for (int64_t i = 1; i <= below; ++i)
            if (ABSOLUTE(column[i]) > ABSOLUTE(column[p])) p = i;
        pivots[j] = (int32_t)(j + p) + 1;
        const REAL pivot = column[p];
        /* Row j + p reaches kl + ku - p columns to the right: kv is for p = kl. */
        const int64_t last = j + (kv - kl) + p < n - 1 ? j + (kv - kl) + p : n - 1;
        reach = last > reach ? last : reach;
        if (pivot == 0) {
            info = info ? info : j + 1;
            continue;
        }
        column[p] = column[0];
        column[0] = pivot;
        for (int64_t i = 1; i <= below; ++i) column[i] /= pivot;
        REAL *to = column;
        int64_t left = reach - j;
        for (; left >= 4; left -= 4, to += 4 * step) NAME(update_four)(to + step, step, column, below, p);
        for (; left > 0; --left, to += step) NAME(update_one)(to + step, column, below, p);
    }
    return info;
}

/* x becomes the solution of A x = b, or A^T x = b, for one right-hand side. */
CLS_FEW_CLONES
void NAME(cls_few_solve)(const REAL *ab, int64_t ld, int64_t n, int64_t kl, int64_t kv, const int32_t *pivots,
                         REAL *x) {
    for (int64_t j = 0; j < n && kl > 0; ++j) {
        const REAL *column = ab + kv + j * ld;
        const int64_t below = kl < n - 1 - j ? kl : n - 1 - j, p = pivots[j] - 1;
        const REAL value = x[p];
        x[p] = x[j];
        x[j] = value;
        for (int64_t i = 1; i <= below; ++i) x[j + i] -= column[i] * value;
    }
    for (int64_t j = n - 1; j >= 0; --j) {
        const REAL *column = ab + kv + j * ld;
        const int64_t above = kv < j ? kv : j;
        const REAL value = x[j] /= column[0];
        for (int64_t i = 1; i <= above; ++i) x[j - above + i - 1] -= column[i - 1 - above] * value;
    }
}

CLS_FEW_CLONES
void NAME(cls_few_solve_transposed)(const REAL *ab, int64_t ld, int64_t n, int64_t kl, int64_t kv,
                                    const int32_t *pivots, REAL *x) {
    for (int64_t j = 0; j < n; ++j) {
        const REAL *column = ab + kv + j * ld;
        const int64_t above = kv < j ? kv : j;
        REAL sum = x[j];
        for (int64_t i = 1; i <= above; ++i) sum -= column[-i] * x[j - i];
        x[j] = sum / column[0];
    }
    for (int64_t j = n - 1; j >= 0 && kl > 0; --j) {
        const REAL *column = ab + kv + j * ld;
        const int64_t below = kl < n - 1 - j ? kl : n - 1 - j, p = pivots[j] - 1;
        REAL sum = x[j];
        for (int64_t i = 1; i <= below; ++i) sum -= column[i] * x[j + i];
        x[j] = x[p];
        x[p] = sum;
    }
}
