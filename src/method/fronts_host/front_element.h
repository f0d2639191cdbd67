/*
 * front_element.h: a front from its assembly to its contribution, included by front.c for real and for complex numbers.
 * It includes the eliminations of LU, Cholesky and L D L^T.
 *
 * The threads of the pool take strips of rows or columns that depend on the front's size alone: so the order of all
 * additions is the same for any number of them.
 */

/* ---- assembly ---- */

static void NAME(add_entries)(const cls_front_run *run, int64_t s, int64_t own, int64_t delayed, const target *to) {
    const cls_symbolic *symbolic = run->factors->symbolic;
    const ELEMENT *value = (const ELEMENT *)run->value;
    ELEMENT *columns = to->columns, *rows = to->rows;
    for (int64_t p = symbolic->placed_start[s]; p < symbolic->placed_start[s + 1]; p++) {
        const cls_placed *placed = &symbolic->placed[p];
        const int64_t row = placed->row < own ? placed->row : placed->row + delayed;
        const int64_t column = placed->column < own ? placed->column : placed->column + delayed;
        const ELEMENT x = placed->entry < 0 ? CONJUGATE(value[-1 - placed->entry]) : value[placed->entry];
        if (column < to->f)
            columns[row + column * to->m] += x;
        else
            rows[row + (column - to->f) * to->f] += x;
    }
}

/* Column j of a lower triangle, of a pivot that is delayed: rows of the border may come before it now. */
static void NAME(add_delayed)(const ELEMENT *x, const int64_t *at, int64_t j, int64_t n, int conjugated,
                              const target *to) {
    ELEMENT *columns = to->columns;
    for (int64_t i = j; i < n; i++) {
        if (at[i] >= at[j])
            columns[at[i] + at[j] * to->m] += x[i];
        else
            columns[at[j] + at[i] * to->m] += conjugated ? CONJUGATE(x[i]) : x[i];
    }
}

/* at[i]: the row and column of the front for row i of the contribution, ascending but for the delayed ones. */
static void NAME(add_contribution)(const cls_contribution *from, const int64_t *at, clsolve_sparse_form form,
                                   const target *to) {
    const int one_sided = cls_form_is_one_sided(form);
    const ELEMENT *x = from->data;
    ELEMENT *columns = to->columns, *rows = to->rows, *rest = to->rest;
    const int64_t n = from->size;
    int64_t split = 0;
    while (split < n && at[split] < to->f) split++;
    for (int64_t j = 0; j < n; j++, x += n) {
        if (one_sided && j < from->delayed) {
            NAME(add_delayed)(x, at, j, n, cls_form_conjugates(form), to);
            continue;
        }
        if (at[j] < to->f) {
            ELEMENT *column = columns + at[j] * to->m;
            for (int64_t i = one_sided ? j : 0; i < n; i++) column[at[i]] += x[i];
            continue;
        }
        if (!one_sided) {
            ELEMENT *row = rows + (at[j] - to->f) * to->f;
            for (int64_t i = 0; i < split; i++) row[at[i]] += x[i];
        }
        ELEMENT *column = rest + (at[j] - to->f) * to->b - to->f;
        for (int64_t i = one_sided ? j : split; i < n; i++) column[at[i]] += x[i];
    }
}

/* ---- elimination ---- */

static void NAME(swap_rows)(int64_t columns, ELEMENT *A, int64_t lda, int64_t a, int64_t b) {
    for (int64_t j = 0; j < columns && a != b; j++) {
        const ELEMENT x = A[a + j * lda];
        A[a + j * lda] = A[b + j * lda];
        A[b + j * lda] = x;
    }
}

static void NAME(swap_columns)(int64_t rows, ELEMENT *A, int64_t lda, int64_t a, int64_t b) {
    for (int64_t i = 0; i < rows && a != b; i++) {
        const ELEMENT x = A[i + a * lda];
        A[i + a * lda] = A[i + b * lda];
        A[i + b * lda] = x;
    }
}

static void NAME(swap_labels)(int64_t *labels, int64_t a, int64_t b) {
    const int64_t label = labels[a];
    labels[a] = labels[b];
    labels[b] = label;
}

static CLS_CLONES double NAME(largest)(const ELEMENT *column, int64_t from, int64_t to) {
    double most = 0;
    for (int64_t i = from; i < to; i++) {
        const double size = SIZE(column[i]);
        most = size > most ? size : most;
    }
    return most;
}

/* Rows below the pivot of step k become those of L. */
static void NAME(divide)(ELEMENT *column, int64_t k, int64_t m) {
    const ELEMENT divisor = column[k];
    if (SIZE(divisor) >= 1e-290) {
        const ELEMENT factor = QUOTIENT(1, divisor);
        for (int64_t i = k + 1; i < m; i++) column[i] *= factor;
    } else {
        for (int64_t i = k + 1; i < m; i++) column[i] = QUOTIENT(column[i], divisor);
    }
}

#include "method/fronts_host/front_lu_element.h"
#include "method/fronts_host/front_cholesky_element.h"
#include "method/fronts_host/front_ldl_element.h"

/* Delayed pivots: the contribution has f - k rows and columns more. */
static int NAME(enlarge)(cls_factors *factors, cls_front *front, cls_contribution *out) {
    const int64_t f = front->f, m = front->m, k = front->k, d = f - k, b = m - f, n = d + b;
    const ELEMENT *columns = front->columns, *rows = front->rows, *rest = out->data;
    const cls_block block = cls_blocks_take(&factors->blocks, (size_t)n * (size_t)n * sizeof(ELEMENT));
    ELEMENT *data = block.data;
    if (!data) return 0;
    for (int64_t j = 0; j < n; j++) {
        const ELEMENT *upper = j < d ? columns + k + (k + j) * m : rows + k + (j - d) * f;
        const ELEMENT *lower = j < d ? columns + f + (k + j) * m : rest + (j - d) * b;
        if (j < d || !cls_form_is_one_sided(factors->form)) memcpy(data + j * n, upper, (size_t)d * sizeof *data);
        memcpy(data + j * n + d, lower, (size_t)b * sizeof *data);
    }
    cls_contribution_free(factors, out);
    *out = (cls_contribution){data, block.bytes, n, d};
    return 1;
}

/* ---- a front ---- */

/* Memory of a front: in the arena where the analysis has foreseen its size. */
static int NAME(open)(cls_front_run *run, int64_t s, int64_t own, int64_t delayed, target *to) {
    cls_factors *factors = run->factors;
    const cls_symbolic *symbolic = factors->symbolic;
    cls_front *front = &factors->front[s];
    const int one_sided = cls_form_is_one_sided(factors->form);
    const int64_t b = symbolic->tree.rows[s] - own, f = own + delayed, m = f + b;
    if (front->owned) {
        cls_free(front->columns);
        cls_free(front->rows);
        cls_free(front->row);
    }
    *front = (cls_front){.f = f, .m = m, .owned = delayed > 0};
    if (delayed > 0) {
        front->columns = cls_alloc((size_t)(m * f), sizeof(ELEMENT));
        front->rows = one_sided ? NULL : cls_alloc((size_t)(f * b), sizeof(ELEMENT));
        front->row = cls_alloc((size_t)(2 * f), sizeof *front->row);
        front->column = front->row + f;
        if (!front->columns || (!front->rows && !one_sided) || !front->row) return 0;
    } else {
        ELEMENT *arena = (ELEMENT *)factors->arena;
        front->columns = arena + symbolic->columns_at[s];
        front->rows = arena + symbolic->columns_at[symbolic->tree.fronts] + symbolic->rows_at[s];
        front->row = factors->labels + symbolic->tree.first[s];
        front->column = factors->labels + symbolic->tree.n + symbolic->tree.first[s];
        memset(front->columns, 0, (size_t)(m * f) * sizeof(ELEMENT));
        if (!one_sided) memset(front->rows, 0, (size_t)(f * b) * sizeof(ELEMENT));
    }
    *to = (target){f, m, b, front->columns, front->rows, NULL, 0};
    if (b == 0) return 1;
    const cls_block rest = cls_blocks_take(&factors->blocks, (size_t)(b * b) * sizeof(ELEMENT));
    to->rest = rest.data;
    to->rest_bytes = rest.bytes;
    return to->rest != NULL;
}

/* Labels of the front's own positions, and of those that its children hand on. */
static void NAME(label)(const cls_front_run *run, int64_t s, int64_t own) {
    const cls_factors *factors = run->factors;
    const cls_symbolic *symbolic = factors->symbolic;
    cls_front *front = &factors->front[s];
    int64_t at = own;
    for (int64_t k = 0; k < own; k++) front->row[k] = front->column[k] = symbolic->tree.first[s] + k;
    for (int64_t c = symbolic->child_start[s]; c < symbolic->child_start[s + 1]; c++) {
        const cls_front *child = &factors->front[symbolic->child[c]];
        for (int64_t k = child->k; k < child->f; k++, at++) {
            front->row[at] = child->row[k];
            front->column[at] = child->column[k];
        }
    }
}

static void NAME(assemble)(cls_front_run *run, int64_t s, int64_t own, int64_t delayed, int64_t *at, const target *to) {
    const cls_symbolic *symbolic = run->factors->symbolic;
    int64_t handed = own;
    NAME(add_entries)(run, s, own, delayed, to);
    for (int64_t c = symbolic->child_start[s]; c < symbolic->child_start[s + 1]; c++) {
        const int64_t child = symbolic->child[c];
        cls_contribution *from = &run->contribution[child];
        const int32_t *relative = symbolic->relative + symbolic->border_start[child];
        if (!from->data) continue;
        for (int64_t k = 0; k < from->delayed; k++) at[k] = handed++;
        for (int64_t k = from->delayed; k < from->size; k++) {
            const int64_t place = relative[k - from->delayed];
            at[k] = place < own ? place : place + delayed;
        }
        NAME(add_contribution)(from, at, run->factors->form, to);
        cls_contribution_free(run->factors, from);
    }
}

static clsolve_status NAME(factor)(cls_front_run *run, int64_t s, cls_pool *pool) {
    cls_factors *factors = run->factors;
    const cls_symbolic *symbolic = factors->symbolic;
    const int64_t own = symbolic->tree.first[s + 1] - symbolic->tree.first[s];
    int64_t delayed = 0, most = 0;
    target to;
    for (int64_t c = symbolic->child_start[s]; c < symbolic->child_start[s + 1]; c++) {
        const cls_contribution *from = &run->contribution[symbolic->child[c]];
        delayed += from->delayed;
        if (from->size > most) most = from->size;
    }
    if (!NAME(open)(run, s, own, delayed, &to)) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    cls_front *front = &factors->front[s];
    int64_t few[SHORT_WORK], *work = few;
    if (most + 2 * front->f > SHORT_WORK) work = malloc((size_t)(most + 2 * front->f) * sizeof *work);
    cls_contribution *out = &run->contribution[s];
    *out = (cls_contribution){to.rest, to.rest_bytes, to.b, 0};
    if (!work) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    NAME(label)(run, s, own);
    NAME(assemble)(run, s, own, delayed, work, &to);
    clsolve_status status = cls_form_is_ldl(factors->form) ? NAME(factor_ldl)(run, front, &to, pool)
                            : factors->form == CLSOLVE_SPARSE_POSITIVE_DEFINITE
                                ? NAME(factor_cholesky)(front, &to, pool)
                                : NAME(factor_lu)(run, front, &to, work, pool);
    if (work != few) free(work);
    if (status == CLSOLVE_OK && front->k < front->f) {
        if (symbolic->tree.parent[s] < 0) return CLSOLVE_SINGULAR;
        if (!NAME(enlarge)(factors, front, out)) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    }
    return status;
}
