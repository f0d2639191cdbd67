/*
 * ldl_exact.cl: columns of P^T A P = L D L^H with pivots that are looked for in whole columns: for those that
 * ldl_panel.cl finds no pivots for within its window. ^H is ^T for real elements, and with HERMITIAN 0.
 *
 * Rook pivoting (Ashcraft, Grimes, Lewis, SIAM J. Matrix Anal. Appl. 20 (1998), section 4) as in LAPACK's dlasyf_rk,
 * left-looking: W has a column before it is divided by D, and
 *
 *     W(:, t) = A(:, c) - L W(c, :)^H     for the columns of L since `top`, c the column that is looked at
 *
 * One work-group of LS work-items, neighbours at neighbouring rows; so a column costs what one compute unit needs to
 * read the columns before. A turn looks at one column:
 *
 *     first     column k: its diagonal element is the pivot, if ALPHA times the largest element below is no larger
 *     then      the column of that largest element: its diagonal element is the pivot, or with the column before it
 *               is a pivot of 2 x 2, if it has no larger element; else the turn after looks at that one's column
 *
 * With `partial` that turn is the last one, as in LAPACK's dlasyf: column k is a pivot of its own if its elements grow
 * no more than by ALPHA times the largest one of that column, else both columns are a pivot of 2 x 2.
 *
 * Local memory: LS keys and places. The turn's state is in local memory too, where one work-item writes it.
 */
#include "ldl_pivots.clh"

#ifndef LS
#define LS 64
#endif

/* Sizes in order; 0 is that of no element. */
HELPER wide_t whole_key_of(ELEMENT x) {
    return (wide_t)size_of(x) + 1;
}

/* The row of the largest key in keys[0] and rows[0]; of equals the first row. */
HELPER void find_largest(LOCAL_PTR wide_t *keys, LOCAL_PTR idx_t *rows) {
    const int item = (int)LOCAL_ID(0);
    for (int step = LS / 2; step > 0; step /= 2) {
        LOCAL_BARRIER();
        if (item < step) {
            const wide_t mine = keys[item], other = keys[item + step];
            if (other > mine || (other == mine && rows[item + step] < rows[item])) {
                keys[item] = other;
                rows[item] = rows[item + step];
            }
        }
    }
    LOCAL_BARRIER();
}

/* Element (i, c) of a hermitian or symmetric A, of which the lower triangle is there. */
HELPER ELEMENT element_at(const GLOBAL ELEMENT *a, idx_t ld, idx_t i, idx_t c) {
    return i >= c ? a[i + c * ld] : ADJOINT(a[c + i * ld]);
}

/* Rows and columns p < q change places, in the trailing triangle from `k` on and in the columns before. */
HELPER void exchange(GLOBAL ELEMENT *a, idx_t ld, idx_t n, idx_t k, idx_t p, idx_t q) {
    for (idx_t i = LOCAL_ID(0); i < n; i += LS) {
        if (i < k) { /* column i */
            const ELEMENT x = a[p + i * ld];
            a[p + i * ld] = a[q + i * ld];
            a[q + i * ld] = x;
        } else if (i < p) { /* a column of the trailing triangle */
            const ELEMENT x = a[p + i * ld];
            a[p + i * ld] = a[q + i * ld];
            a[q + i * ld] = x;
        } else if (i == p) {
            const ELEMENT x = a[p + p * ld];
            a[p + p * ld] = a[q + q * ld];
            a[q + q * ld] = x;
            a[q + p * ld] = ADJOINT(a[q + p * ld]);
        } else if (i < q) {
            const ELEMENT x = ADJOINT(a[i + p * ld]);
            a[i + p * ld] = ADJOINT(a[q + i * ld]);
            a[q + i * ld] = x;
        } else if (i > q) {
            const ELEMENT x = a[i + p * ld];
            a[i + p * ld] = a[i + q * ld];
            a[i + q * ld] = x;
        }
    }
}

/* Rows p and q of W's first `columns` columns, and of the numbers of rows. */
HELPER void exchange_rows(GLOBAL ELEMENT *w, idx_t w_ld, int columns, GLOBAL idx_t *permutation, idx_t p, idx_t q) {
    for (int s = (int)LOCAL_ID(0); s < columns; s += LS) {
        const ELEMENT x = w[p + s * w_ld];
        w[p + s * w_ld] = w[q + s * w_ld];
        w[q + s * w_ld] = x;
    }
    for (int s = (int)LOCAL_ID(0); s < 2; s += LS) { /* by halves: Intel's compiler crashes on whole numbers here */
        GLOBAL int *const halves = (GLOBAL int *)permutation;
        const int x = halves[2 * p + s];
        halves[2 * p + s] = halves[2 * q + s];
        halves[2 * q + s] = x;
    }
}

/*
 * Columns top .. top + done - 1 of the n of A, which all columns before have been taken out of; done <= most becomes
 * state[1]. Row and column numbers count from the first of A. `partial`: see above. w: `most` columns of n rows, which
 * become L D of these columns.
 */
KERNEL WORK_GROUP(LS, 1, 1) void ldl_exact(GLOBAL ELEMENT *A, idx_t offset, idx_t ld, idx_t n, idx_t top, int most,
                                           int partial, GLOBAL ELEMENT *W, idx_t w_offset, idx_t w_ld,
                                           GLOBAL ELEMENT *d, GLOBAL ELEMENT *e, GLOBAL idx_t *permutation,
                                           GLOBAL idx_t *state) {
    LOCAL_ARRAY(wide_t, keys, LS);
    LOCAL_ARRAY(idx_t, rows, LS);
    GLOBAL ELEMENT *const a = A + offset;
    GLOBAL ELEMENT *const w = W + w_offset;
    const int item = (int)LOCAL_ID(0);
    int t = 0, held = 0; /* columns done; column t of W has column `before` of A, whose largest element has `largest` */
    idx_t column = top, before = top;
    wide_t largest = 0;

    while (t < most) {
        const idx_t k = top + t;
        /* W's last column is for a pivot of 2 x 2 alone, but where A ends with it. */
        const int works = k < n && (t + 1 < most || k + 1 == n);
        const int slot = t + held;
        wide_t key = 0;
        idx_t at = n;
        for (idx_t i = k + item; i < n && works; i += LS) {
            ELEMENT x = element_at(a, ld, i, column);
            for (int s = 0; s < t; ++s) SUBTRACT_PRODUCT(x, a[i + (top + s) * ld], ADJOINT(w[column + s * w_ld]));
            if (i == column && HERMITIAN) x = FROM_REAL(REAL_PART(x));
            w[i + slot * w_ld] = x;
            if (i != column && whole_key_of(x) > key) {
                key = whole_key_of(x);
                at = i;
            }
        }
        keys[item] = key;
        rows[item] = at;
        find_largest(keys, rows);
        BARRIER(); /* the column is in W for all */
        key = keys[0];
        at = rows[0];
        const ELEMENT here = works ? w[column + slot * w_ld] : ZERO;
        const ELEMENT there = works && key > 1 ? w[at + slot * w_ld] : ZERO;
        const int alone = works && SIZE_1(here) >= ALPHA * SIZE_1(there);
        const int unknown = works && !(SIZE_1(here) == SIZE_1(here) && SIZE_1(there) == SIZE_1(there)); /* NaN */
        const int one = alone || unknown, second_turn = works && held && !one;
        const REAL link = second_turn ? SIZE_1(w[column + t * w_ld]) : 0;
        const REAL size = second_turn ? SIZE_1(w[before + t * w_ld]) : 0;
        const int back = second_turn && partial && size >= ALPHA * link * (link / SIZE_1(there));
        const int two = second_turn && !back && (partial || at == before || key <= largest);
        const int goes_on = works && !one && !back && !two;
        /* The column before gives way to this one: as the pivot, or because this one is larger. */
        const int moves = held && (one || goes_on);
        for (idx_t i = k + item; i < n && moves; i += LS) w[i + t * w_ld] = w[i + (t + 1) * w_ld];
        BARRIER();
        const idx_t first = one ? column : before, second = column;
        if ((one || two) && first != k) {
            exchange(a, ld, n, k, k, first);
            exchange_rows(w, w_ld, t + 1 + two, permutation, k, first);
        }
        BARRIER();
        /* Row k has gone to `first`; rounding may have made it the second one. */
        const idx_t partner = second == k ? first : second;
        if (two && partner != k + 1) {
            exchange(a, ld, n, k, k + 1, partner);
            exchange_rows(w, w_ld, t + 2, permutation, k + 1, partner);
        }
        BARRIER();
        if (one || back) {
            const ELEMENT pivot = w[k + t * w_ld];
            for (idx_t i = k + 1 + item; i < n; i += LS) {
                const ELEMENT x = w[i + t * w_ld];
                a[i + k * ld] = IS_ZERO_ELEMENT(pivot) ? x : OVER(x, pivot);
            }
            if (item == 0) {
                a[k + k * ld] = d[k] = pivot;
                e[k] = ZERO;
            }
        }
        if (two) {
            const ELEMENT p = w[k + t * w_ld], q = w[k + 1 + t * w_ld], r = w[k + 1 + (t + 1) * w_ld];
            const pair_t by = pair_of(p, q, r);
            for (idx_t i = k + 2 + item; i < n; i += LS) {
                const ELEMENT u = w[i + t * w_ld], v = w[i + (t + 1) * w_ld];
                a[i + k * ld] = first_of_row(u, v, by);
                a[i + (k + 1) * ld] = second_of_row(u, v, by);
            }
            if (item == 0) {
                a[k + k * ld] = d[k] = p;
                a[k + 1 + k * ld] = ZERO;
                a[k + 1 + (k + 1) * ld] = d[k + 1] = r;
                e[k] = q;
                e[k + 1] = ZERO;
            }
        }
        if (goes_on) {
            before = column;
            column = at;
            largest = key;
            held = 1;
        }
        if (one || back || two) {
            t += 1 + two;
            held = 0;
            column = before = top + t;
        }
        if (!works) {
            if (item == 0) state[1] = t;
            t = most;
        } else if (t == most && item == 0)
            state[1] = t;
        BARRIER();
    }
}
