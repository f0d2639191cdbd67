/*
 * band_narrow_item.cl: the same as band_narrow.cl with a work-item a matrix: for large batches of very narrow ones on a
 * GPU, and for a CPU, where a work-item is a core's whole loop.
 *
 * Element e of matrix m's storage (gbtrf's: a(i,c) at e = top + i - c + c * ld) lies at AB[m * member + e * STEP]. On a
 * GPU member is 1 and STEP the number of matrices, so that neighbouring work-items read neighbouring words; on a CPU
 * matrices lie one behind the other and STEP is 1 (CONTIGUOUS). The same holds for pivots, n a matrix, and right-hand
 * sides.
 *
 * Factorization. With WINDOW rows j .. j+KL of the columns j .. j+KV are kept in private memory, and move up and left
 * by one with each column, so that every index into it is known when the kernel is compiled: each element of A is read
 * once, each of the factors written once. Without, all is done in place, which a CPU's cache and vector units like
 * better.
 *
 * Work-groups: LS in a row. No local memory.
 */
#ifndef KL
#define KL 1
#endif
#ifndef KU
#define KU 1
#endif
#ifndef LS
#define LS 64
#endif
#define KV (KL + KU)
#ifdef CONTIGUOUS
#define STEP ((void)step, (idx_t)1)
#else
#define STEP step
#endif

/* a(j + r, j + c) of this work-item's matrix. */
#define A(r, c) a[((r) - (c) + (j + (c)) * ld) * STEP]

#ifdef WINDOW
HELPER idx_t factor(GLOBAL ELEMENT *a, idx_t step, idx_t ld, idx_t n, idx_t begin, idx_t end, GLOBAL idx_t *pivots) {
    ELEMENT w[KL + 1][KV + 1], u[KV + 1];
    idx_t zero = 0, j = begin;

    UNROLL
    for (int r = 0; r <= KL; ++r) UNROLL
    for (int c = 0; c <= KV; ++c) {
        w[r][c] = ZERO;
        if (j + r < n && j + c < n) w[r][c] = A(r, c);
    }
#pragma unroll 1
    for (; j < end; ++j) {
        const idx_t below = n - 1 - j;
        REAL best = SIZE_1(w[0][0]);
        ELEMENT pivot = w[0][0];
        int p = 0;
        UNROLL
        for (int r = 1; r <= KL; ++r)
            if (SIZE_1(w[r][0]) > best) {
                best = SIZE_1(w[r][0]);
                pivot = w[r][0];
                p = r;
            }
        UNROLL
        for (int r = 1; r <= KL; ++r)
            if (r == p) UNROLL
        for (int c = 0; c <= KV; ++c) {
            const ELEMENT other = w[0][c];
            w[0][c] = w[r][c];
            w[r][c] = other;
        }
        pivots[j * STEP] = j + p + 1;
        if (IS_ZERO_ELEMENT(pivot) && zero == 0) zero = j + 1;
        UNROLL
        for (int c = 0; c <= KV; ++c) {
            u[c] = w[0][c];
            if (c <= below) A(0, c) = u[c];
        }
        UNROLL
        for (int r = 1; r <= KL; ++r) {
            const ELEMENT l = IS_NONZERO_ELEMENT(pivot) ? OVER(w[r][0], pivot) : w[r][0];
            if (r <= below) A(r, 0) = l;
            UNROLL
            for (int c = 1; c <= KV; ++c) w[r - 1][c - 1] = LESS_PRODUCT(w[r][c], l, u[c]);
        }
        /* Row j + KL + 1 comes in, and zeros above it in the last column. */
        UNROLL
        for (int r = 0; r < KL; ++r) w[r][KV] = ZERO;
        UNROLL
        for (int c = 0; c <= KV; ++c) {
            w[KL][c] = ZERO;
            if (KL < below && c < below) w[KL][c] = A(KL + 1, c + 1);
        }
    }
    UNROLL
    for (int r = 0; r <= KL; ++r) UNROLL
    for (int c = 0; c <= KV; ++c)
        if (end + r < n && end + c < n) A(r, c) = w[r][c];
    return zero;
}
#else
/* Column j, with `rows` rows and `columns` columns after it: constants wherever the matrix does not end so soon. 1: no
 * pivot. */
HELPER int eliminate(GLOBAL ELEMENT *a, idx_t step, idx_t ld, idx_t j, int rows, int columns, int *reach,
                     GLOBAL idx_t *pivots) {
    REAL best = SIZE_1(A(0, 0));
    int p = 0;
    for (int r = 1; r <= rows; ++r) {
        const REAL value = SIZE_1(A(r, 0));
        if (value > best) {
            best = value;
            p = r;
        }
    }
    pivots[j * STEP] = j + p + 1;
    const ELEMENT pivot = A(p, 0);
    if (p > 0) {
        A(p, 0) = A(0, 0);
        A(0, 0) = pivot;
    }
    if (IS_NONZERO_ELEMENT(pivot))
        for (int r = 1; r <= rows; ++r) DIVIDE(A(r, 0), pivot);
    *reach = *reach - 1 > KU + p ? *reach - 1 : KU + p; /* columns after j in which any row has something */
    const int last = columns < *reach ? columns : *reach;
    for (int c = 1; c <= last; ++c) {
        const ELEMENT upper = A(p, c);
        if (p > 0) {
            A(p, c) = A(0, c);
            A(0, c) = upper;
        }
        for (int r = 1; r <= rows; ++r) SUBTRACT_PRODUCT(A(r, c), A(r, 0), upper);
    }
    return IS_ZERO_ELEMENT(pivot);
}

HELPER idx_t factor(GLOBAL ELEMENT *a, idx_t step, idx_t ld, idx_t n, idx_t begin, idx_t end, GLOBAL idx_t *pivots) {
    idx_t zero = 0;
    int reach = KV;

    for (idx_t j = begin; j < end; ++j) {
        const idx_t below = n - 1 - j;
        const int none = below >= KV
                             ? eliminate(a, step, ld, j, KL, KV, &reach, pivots)
                             : eliminate(a, step, ld, j, KL < below ? KL : (int)below, (int)below, &reach, pivots);
        if (none && zero == 0) zero = j + 1;
    }
    return zero;
}
#endif

KERNEL WORK_GROUP(LS, 1, 1) void band_item_factor(GLOBAL ELEMENT *AB, idx_t top, idx_t ld, idx_t member, idx_t step,
                                                  idx_t n, idx_t begin, idx_t end, idx_t count, GLOBAL idx_t *ipiv,
                                                  idx_t pivot_member, GLOBAL idx_t *info) {
    const idx_t m = GROUP_ID(0) * LS + LOCAL_ID(0);
    if (m >= count) return;
    const idx_t zero = factor(AB + m * member + top * STEP, step, ld, n, begin, end, ipiv + m * pivot_member);
    if (zero != 0 && info[m] == 0) info[m] = zero;
}

/* The sweeps of band_narrow.cl, in place; GROUP_ID(1): the right-hand side. */
enum { SWEEP_L = 0, SWEEP_UT = 1, SWEEP_U = 2, SWEEP_LT = 3 };
#if CLS_COMPLEX /* 4 more: of the conjugates */
#define SWEEP_OF(which)   ((which)&3)
#define CONJUGATES(which) ((which) >> 2)
#else
#define SWEEP_OF(which)   (which)
#define CONJUGATES(which) 0
#endif
#define X(r) b[(j + (r)) * STEP]

KERNEL WORK_GROUP(LS, 1, 1) void band_item_sweep(int which, GLOBAL const ELEMENT *AB, idx_t top, idx_t ld, idx_t member,
                                                 idx_t step, idx_t n, idx_t begin, idx_t end, idx_t count,
                                                 GLOBAL const idx_t *ipiv, idx_t pivot_member, GLOBAL ELEMENT *B,
                                                 idx_t offset, idx_t ldb, idx_t b_member) {
    const idx_t m = GROUP_ID(0) * LS + LOCAL_ID(0);
    if (m >= count) return;
    GLOBAL const ELEMENT *a = AB + m * member + top * STEP;
    GLOBAL const idx_t *pivots = ipiv + m * pivot_member;
    GLOBAL ELEMENT *b = B + offset + m * b_member + GROUP_ID(1) * ldb * STEP;
    const int sweep = SWEEP_OF(which);
    const int down = sweep == SWEEP_L || sweep == SWEEP_UT;

    for (idx_t s = begin; s < end; ++s) {
        const idx_t j = down ? s : end - 1 - (s - begin), below = n - 1 - j;
        const int rows = KL < below ? KL : (int)below, columns = KV < below ? KV : (int)below;
        const int above = KV < j ? KV : (int)j;
        ELEMENT value = X(0);
        if (sweep == SWEEP_L) {
            const int p = (int)(pivots[j * STEP] - 1 - j);
            if (p > 0) {
                const ELEMENT other = X(p);
                X(p) = value;
                X(0) = value = other;
            }
            for (int r = 1; r <= rows; ++r) SUBTRACT_PRODUCT(X(r), A(r, 0), value);
        } else if (sweep == SWEEP_UT) {
            X(0) = value = OVER(value, CONJUGATE_IF(CONJUGATES(which), A(0, 0)));
            for (int c = 1; c <= columns; ++c) SUBTRACT_PRODUCT(X(c), CONJUGATE_IF(CONJUGATES(which), A(0, c)), value);
        } else if (sweep == SWEEP_U) {
            X(0) = value = OVER(value, A(0, 0));
            for (int r = 1; r <= above; ++r) SUBTRACT_PRODUCT(X(-r), A(-r, 0), value);
        } else {
            const int p = (int)(pivots[j * STEP] - 1 - j);
            for (int r = 1; r <= rows; ++r) SUBTRACT_PRODUCT(value, CONJUGATE_IF(CONJUGATES(which), A(r, 0)), X(r));
            if (p > 0) {
                const ELEMENT other = X(p);
                X(p) = value;
                value = other;
            }
            X(0) = value;
        }
    }
}
