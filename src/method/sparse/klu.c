#include "method/sparse/klu.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include <suitesparse/klu.h>

#include "base/memory.h"

struct cls_klu {
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    int n, parts;
    int *start, *index; /* of A's rows, which are the columns of A^T */
};

int cls_klu_fits(const cls_csr *A) {
    return A->n < INT_MAX / 8 && A->entries < INT_MAX / 8;
}

/* Entry (i, j) below the diagonal takes the next entry of row j right of its diagonal, which has to be (j, i): rows are
 * sorted. next: n. */
static int is_symmetric(const cls_csr *A, int64_t *next) {
    for (int64_t i = 0; i < A->n; i++) {
        int64_t e = A->start[i];
        for (; e < A->start[i + 1] && A->column[e] < i; e++) {
            const int64_t j = A->column[e];
            if (next[j] == A->start[j + 1] || A->column[next[j]++] != i) return 0;
        }
        if (e == A->start[i + 1] || A->column[e] != i) return 0;
        next[i] = e + 1;
    }
    for (int64_t i = 0; i < A->n; i++)
        if (next[i] < A->start[i + 1]) return 0;
    return 1;
}

/*
 * Column k of L has c_k entries below the diagonal, and U as many. KLU counts 2 c_k^2 operations and more for them, and
 * the sum of c_k^2 is at least that of c_k times their mean. Without fill the mean is half of A's entries outside the
 * diagonal for each row; fill makes it larger.
 */
double cls_klu_least(const cls_csr *A) {
    int64_t *next = cls_alloc((size_t)A->n + 1, sizeof *next);
    const double least = next && is_symmetric(A, next) ? (double)(A->entries - A->n) / (2.0 * (double)A->n) : 0;
    cls_free(next);
    return least;
}

static int take_pattern(const cls_csr *A, cls_klu *klu) {
    klu->start = cls_alloc((size_t)A->n + 1, sizeof *klu->start);
    klu->index = cls_alloc((size_t)A->entries + 1, sizeof *klu->index);
    if (!klu->start || !klu->index) return 0;
    for (int64_t i = 0; i <= A->n; i++) klu->start[i] = (int)A->start[i];
    for (int64_t e = 0; e < A->entries; e++) klu->index[e] = (int)A->column[e];
    return 1;
}

static void analyse(cls_klu *klu, clsolve_sparse_order order, const int64_t *given) {
    klu_common *common = &klu->common;
    if (order == CLSOLVE_ORDER_AUTO || order == CLSOLVE_ORDER_AMD) {
        klu->symbolic = klu_analyze(klu->n, klu->start, klu->index, common);
        return;
    }
    int *columns = cls_alloc((size_t)klu->n + 1, sizeof *columns);
    for (int k = 0; k < klu->n && columns; k++) columns[k] = order == CLSOLVE_ORDER_GIVEN ? (int)given[k] : k;
    if (columns) klu->symbolic = klu_analyze_given(klu->n, klu->start, klu->index, columns, columns, common);
    cls_free(columns);
}

void cls_klu_analyse(const cls_csr *A, clsolve_sparse_order order, const int64_t *given, double most_steps,
                     cls_klu **klu, cls_klu_found *found) {
    cls_klu *made = cls_alloc(1, sizeof *made);
    *klu = NULL;
    if (!made) return;
    made->n = (int)A->n;
    made->parts = (int)A->parts;
    (void)klu_defaults(&made->common);
    made->common.maxwork = most_steps;
    if (take_pattern(A, made)) analyse(made, order, given);
    const klu_symbolic *symbolic = made->symbolic;
    if (!symbolic) {
        cls_klu_free(made);
        return;
    }
    *found = (cls_klu_found){.stopped = made->common.work < 0,
                             .rank = made->common.structural_rank,
                             .blocks = symbolic->nblocks,
                             .largest_block = symbolic->maxblock,
                             .entries = symbolic->lnz + symbolic->unz,
                             .operations = symbolic->est_flops,
                             .symmetry = symbolic->symmetry,
                             .order = symbolic->Q};
    for (int k = 0; k < made->n; k++) found->exchanged |= symbolic->P[k] != symbolic->Q[k];
    *klu = made;
}

/* The bytes of the patterns of A and of the blocks, which KLU's own count leaves out, or frees before it factors. */
static double pattern_bytes(const cls_klu *klu) {
    return sizeof(int) * ((double)klu->n + (double)klu->start[klu->n]);
}

/*
 * KLU begins each block with room for some more entries than it expects, or, if it expects nothing, with a multiple of
 * the entries of A. A block that wants more grows once, as a rule. Each row and column has its indices, its pivot and
 * scale, and room to work.
 */
double cls_klu_bytes(const cls_klu *klu, double entries) {
    const double parts = (double)klu->parts, entry = parts * sizeof(double) + sizeof(int), n = (double)klu->n;
    const double outside = (double)klu->symbolic->nzoff, inside = (double)klu->start[klu->n] - outside;
    double room = klu->common.initmem_amd * klu->common.memgrow * entries;
    if (klu->symbolic->lnz < 0) room = fmax(room, 2 * klu->common.initmem * inside);
    const double row = 12 * sizeof(int) + (6 + 5 * parts) * sizeof(double);
    return pattern_bytes(klu) + entry * (room + outside) + row * n;
}

double cls_klu_held(const cls_klu *klu) {
    return pattern_bytes(klu) + (double)klu->common.mempeak;
}

static void forget(cls_klu *klu) {
    if (!klu->numeric) return;
    if (klu->parts == 2)
        (void)klu_z_free_numeric(&klu->numeric, &klu->common);
    else
        (void)klu_free_numeric(&klu->numeric, &klu->common);
}

static int refactor(cls_klu *klu, const cls_csr *A) {
    const int done = klu->parts == 2
                         ? klu_z_refactor(klu->start, klu->index, A->value, klu->symbolic, klu->numeric, &klu->common)
                         : klu_refactor(klu->start, klu->index, A->value, klu->symbolic, klu->numeric, &klu->common);
    return done && klu->common.status == KLU_OK;
}

static int pivots_are_finite(const cls_klu *klu) {
    const double *pivot = klu->numeric->Udiag;
    for (int64_t k = 0; k < (int64_t)klu->n * klu->parts; k++)
        if (!isfinite(pivot[k])) return 0;
    return 1;
}

/* klu_refactor does not look at the pivots of blocks of one row. */
static int has_zero_pivot(const cls_klu *klu) {
    const double *pivot = klu->numeric->Udiag;
    for (int64_t k = 0; k < klu->n; k++)
        if (pivot[k * klu->parts] == 0 && pivot[(k + 1) * klu->parts - 1] == 0) return 1;
    return 0;
}

static void make_numeric(cls_klu *klu, const cls_csr *A) {
    forget(klu);
    klu->numeric = klu->parts == 2 ? klu_z_factor(klu->start, klu->index, A->value, klu->symbolic, &klu->common)
                                   : klu_factor(klu->start, klu->index, A->value, klu->symbolic, &klu->common);
}

/*
 * KLU tells the column of A^T where it stops. The row of A^T that would have had its pivot there is known if KLU goes
 * on behind it, so it does so once more. Without memory for that any column will do: 0.
 */
static void find_place(cls_klu *klu, const cls_csr *A, int64_t *row, int64_t *column) {
    *row = klu->common.singular_col;
    *column = 0;
    klu->common.halt_if_singular = 0;
    make_numeric(klu, A);
    klu->common.halt_if_singular = 1;
    for (int k = 0; k < klu->n && klu->numeric; k++)
        if (klu->symbolic->Q[k] == *row) *column = klu->numeric->Pnum[k];
    forget(klu);
}

static clsolve_status factor_anew(cls_klu *klu, const cls_csr *A, double threshold, int64_t *row, int64_t *column) {
    klu->common.tol = threshold;
    make_numeric(klu, A);
    if (klu->numeric && klu->common.status == KLU_OK) return pivots_are_finite(klu) ? CLSOLVE_OK : CLSOLVE_OVERFLOW;
    if (klu->common.status != KLU_SINGULAR) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    find_place(klu, A, row, column);
    return CLSOLVE_SINGULAR;
}

clsolve_status cls_klu_factor(cls_klu *klu, const cls_csr *A, double threshold, int again, int64_t *row,
                              int64_t *column) {
    if (again && klu->numeric && refactor(klu, A) && pivots_are_finite(klu) && !has_zero_pivot(klu)) return CLSOLVE_OK;
    return factor_anew(klu, A, threshold, row, column);
}

clsolve_status cls_klu_solve(cls_klu *klu, clsolve_op op, double *x, int64_t nrhs) {
    const int most = 1 << 20;
    int done = klu->numeric != NULL;
    if (klu->parts == 2 && op == CLSOLVE_CONJ_TRANS) /* conj(A^T) x = b */
        for (int64_t k = 0; k < klu->n * nrhs; k++) x[2 * k + 1] = -x[2 * k + 1];
    for (int64_t j = 0; j < nrhs && done; j += most) {
        const int columns = nrhs - j < most ? (int)(nrhs - j) : most;
        double *at = x + j * klu->n * klu->parts;
        if (klu->parts == 2)
            done = op == CLSOLVE_NO_TRANS
                       ? klu_z_tsolve(klu->symbolic, klu->numeric, klu->n, columns, at, 0, &klu->common)
                       : klu_z_solve(klu->symbolic, klu->numeric, klu->n, columns, at, &klu->common);
        else
            done = op == CLSOLVE_NO_TRANS ? klu_tsolve(klu->symbolic, klu->numeric, klu->n, columns, at, &klu->common)
                                          : klu_solve(klu->symbolic, klu->numeric, klu->n, columns, at, &klu->common);
    }
    if (klu->parts == 2 && op == CLSOLVE_CONJ_TRANS)
        for (int64_t k = 0; k < klu->n * nrhs; k++) x[2 * k + 1] = -x[2 * k + 1];
    return done ? CLSOLVE_OK : CLSOLVE_ERROR_OUT_OF_MEMORY;
}

double cls_klu_entries(const cls_klu *klu) {
    return (double)klu->numeric->lnz + (double)klu->numeric->unz + (double)klu->numeric->nzoff - (double)klu->n;
}

double cls_klu_operations(cls_klu *klu) {
    const int counted = klu->parts == 2 ? klu_z_flops(klu->symbolic, klu->numeric, &klu->common)
                                        : klu_flops(klu->symbolic, klu->numeric, &klu->common);
    return counted ? klu->common.flops : 0;
}

void cls_klu_pivot(const cls_klu *klu, int64_t k, double *pivot) {
    const double *diagonal = klu->numeric->Udiag;
    const double scale = klu->numeric->Rs ? klu->numeric->Rs[k] : 1;
    for (int p = 0; p < klu->parts; p++) pivot[p] = diagonal[k * klu->parts + p] * scale;
}

/* KLU has P A^T Q = L U: its columns are the rows of A. */
void cls_klu_order(const cls_klu *klu, int factored, int64_t *rows, int64_t *columns) {
    const int *pivots = factored ? klu->numeric->Pnum : klu->symbolic->P;
    for (int k = 0; k < klu->n; k++) {
        if (rows) rows[k] = klu->symbolic->Q[k];
        if (columns) columns[k] = pivots[k];
    }
}

void cls_klu_free(cls_klu *klu) {
    if (!klu) return;
    forget(klu);
    if (klu->symbolic) (void)klu_free_symbolic(&klu->symbolic, &klu->common);
    cls_free(klu->start);
    cls_free(klu->index);
    cls_free(klu);
}
