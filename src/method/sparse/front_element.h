/*
 * front_element.h: assembly and elimination of a front, included by front.c for real and for complex numbers.
 *
 * LU with threshold pivoting: the pivot of a column is the largest among the f fully summed rows, and is taken if it is
 * at least `threshold` times the largest of all m rows. A column without such a pivot goes to the end, and is tried
 * again after the others; what is left then is the parent's. Columns are eliminated in panels of FEW, these in blocks,
 * and blocks in larger ones, so that nearly all operations are in products of many columns.
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

/* at[i]: the row and column of the front for row i of the contribution, ascending but for the delayed ones. */
static void NAME(add_contribution)(const cls_contribution *from, const int64_t *at, int cholesky, const target *to) {
    const ELEMENT *x = from->data;
    ELEMENT *columns = to->columns, *rows = to->rows, *rest = to->rest;
    const int64_t n = from->size;
    int64_t split = 0;
    while (split < n && at[split] < to->f) split++;
    for (int64_t j = 0; j < n; j++, x += n) {
        if (at[j] < to->f) {
            ELEMENT *column = columns + at[j] * to->m;
            for (int64_t i = cholesky ? j : 0; i < n; i++) column[at[i]] += x[i];
            continue;
        }
        if (!cholesky) {
            ELEMENT *row = rows + (at[j] - to->f) * to->f;
            for (int64_t i = 0; i < split; i++) row[at[i]] += x[i];
        }
        ELEMENT *column = rest + (at[j] - to->f) * to->b - to->f;
        for (int64_t i = cholesky ? j : split; i < n; i++) column[at[i]] += x[i];
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

/* The row of an acceptable pivot in a column, from row k on; -1: there is none. */
static int64_t NAME(find_pivot)(const ELEMENT *column, int64_t k, int64_t f, int64_t m, double threshold) {
    const double largest = NAME(largest)(column, k, f);
    if (!(largest > 0) || largest < threshold * NAME(largest)(column, f, m)) return -1;
    while (SIZE(column[k]) != largest) k++;
    return k;
}

/* ---- LU ---- */

typedef struct NAME(panel) {
    const cls_front *front;
    int64_t left, begin, end, right; /* columns begin .. end - 1 of left .. right - 1 */
    int64_t k;                       /* begin .. k - 1 have pivots */
    int64_t *swap;                   /* step t has exchanged its row with row swap[t] */
    const target *to;
} NAME(panel);

/* The steps of the panel that column j has not seen. */
static void NAME(bring)(const NAME(panel) * p, int64_t *applied, int64_t j) {
    ELEMENT *A = p->front->columns;
    const int64_t m = p->front->m, begin = p->begin, k = p->k;
    ELEMENT *column = A + j * m;
    const int64_t seen = begin + applied[j - begin];
    for (int64_t l = seen; l < k; l++)
        PRODUCT(combine)(k - l - 1, 1, A + l + 1 + l * m, m, column + l, 1, column + l + 1);
    PRODUCT(combine)(m - k, k - seen, A + k + seen * m, m, column + seen, 1, column + k);
    applied[j - begin] = k - begin;
}

/* Column j with its pivot in this row becomes step k. */
static void NAME(take)(NAME(panel) * p, int64_t *applied, int64_t j, int64_t pivot) {
    ELEMENT *A = p->front->columns;
    const int64_t m = p->front->m, k = p->k;
    NAME(swap_columns)(m, A, m, j, k);
    NAME(swap_labels)(p->front->column, j, k);
    NAME(swap_labels)(applied - p->begin, j, k);
    NAME(swap_rows)(p->end - p->begin, A + p->begin * m, m, pivot, k);
    NAME(swap_labels)(p->front->row, pivot, k);
    p->swap[k] = pivot;
    ELEMENT *column = A + k * m;
    const ELEMENT divisor = column[k];
    if (SIZE(divisor) >= 1e-290) {
        const ELEMENT factor = QUOTIENT(1, divisor);
        for (int64_t i = k + 1; i < m; i++) column[i] *= factor;
    } else {
        for (int64_t i = k + 1; i < m; i++) column[i] = QUOTIENT(column[i], divisor);
    }
    p->k++;
}

/* A panel of FEW columns at most. */
static void NAME(eliminate_few)(const cls_front_run *run, NAME(panel) * p) {
    const int64_t m = p->front->m, f = p->front->f;
    int64_t applied[FEW] = {0}; /* steps of the panel that each column has seen */
    for (int64_t j = p->begin; j < p->end; j++) {
        NAME(bring)(p, applied, j);
        const int64_t pivot = NAME(find_pivot)((const ELEMENT *)p->front->columns + j * m, p->k, f, m, run->threshold);
        if (pivot >= 0) NAME(take)(p, applied, j, pivot);
    }
    for (int64_t j = p->k; j < p->end; j++) NAME(bring)(p, applied, j);
}

static void NAME(swap_strip)(const NAME(panel) * p, int64_t from, int64_t to) {
    ELEMENT *A = p->front->columns;
    for (int64_t j = from; j < to; j++) {
        ELEMENT *column = A + j * p->front->m;
        for (int64_t t = p->begin; t < p->k; t++) {
            const int64_t row = p->swap[t];
            const ELEMENT x = column[t];
            column[t] = column[row];
            column[row] = x;
        }
    }
}

/* The rows of U of the columns from .. to - 1. */
static void NAME(bring_rows)(const NAME(panel) * p, int64_t from, int64_t to) {
    ELEMENT *A = p->front->columns;
    const int64_t m = p->front->m, begin = p->begin;
    NAME(swap_strip)(p, from, to);
    PRODUCT(triangle)(0, CLS_PLAIN, 1, p->k - begin, to - from, A + begin + begin * m, m, A + begin + from * m, m);
}

/* Subtracts the panel's product from these rows and columns. */
static void NAME(subtract_panel)(const NAME(panel) * p, int64_t row, int64_t rows, int64_t from, int64_t to) {
    ELEMENT *A = p->front->columns;
    const int64_t m = p->front->m, begin = p->begin;
    PRODUCT(subtract)
    (CLS_PLAIN, CLS_PLAIN, rows, to - from, p->k - begin, A + row + begin * m, m, A + begin + from * m, m,
     A + row + from * m, m);
}

/* Columns right of the panel; the last part exchanges the rows of those left of it. */
static void NAME(update_columns)(void *what, int64_t part) {
    const NAME(panel) *p = what;
    const int64_t from = p->end + part * CLS_TILE, to = cls_least(from + CLS_TILE, p->right);
    if (from >= p->right) {
        NAME(swap_strip)(p, p->left, p->begin);
        return;
    }
    NAME(bring_rows)(p, from, to);
    NAME(subtract_panel)(p, p->k, p->front->m - p->k, from, to);
}

/* A strip of rows of all columns right of the panel. */
static void NAME(update_rows)(void *what, int64_t part) {
    const NAME(panel) *p = what;
    const int64_t row = p->k + part * STRIP;
    NAME(subtract_panel)(p, row, cls_least(STRIP, p->front->m - row), p->end, p->right);
}

/* Applies the panel to the columns left and right of it. */
static void NAME(apply)(NAME(panel) * p, cls_pool *pool) {
    const int64_t columns = p->right - p->end, rows = p->front->m - p->k;
    if (columns > 2 * CLS_TILE) {
        cls_job job = {.work = NAME(update_columns), .what = p, .parts = (columns + CLS_TILE - 1) / CLS_TILE + 1};
        cls_pool_run(pool, &job);
        return;
    }
    NAME(swap_strip)(p, p->left, p->begin);
    NAME(bring_rows)(p, p->end, p->right);
    cls_job job = {.work = NAME(update_rows), .what = p, .parts = (rows + STRIP - 1) / STRIP};
    if (columns > 0 && rows > 0) cls_pool_run(rows > 2 * STRIP ? pool : NULL, &job);
}

/* Columns of the panel without a pivot go behind those that were not tried. Returns the first of them. */
static int64_t NAME(put_back)(const NAME(panel) * p, int64_t tail) {
    ELEMENT *A = p->front->columns;
    for (int64_t j = p->end - 1; j >= p->k; j--) {
        tail--;
        NAME(swap_columns)(p->front->m, A, p->front->m, j, tail);
        NAME(swap_labels)(p->front->column, j, tail);
    }
    return tail;
}

/*
 * Eliminates columns begin .. end - 1, and moves labels along. Those without a pivot come last; `again`: after all
 * others they are tried once more. Rows are exchanged in these columns alone. Returns the end of those with pivots.
 */
static int64_t NAME(eliminate)(const cls_front_run *run, const cls_front *front, int64_t *swap, int64_t begin,
                               int64_t end, int again, cls_pool *pool) {
    const int64_t width = block_of(end - begin);
    int64_t k = begin, tail = end, progress = begin; /* columns from `tail` on have been refused */
    for (;;) {
        if (k == tail) {
            if (tail == end || progress == k || !again) return k; /* all are done, or none of those left has gained */
            progress = k;
            tail = end;
        }
        NAME(panel)
        p = {.front = front,
             .left = begin,
             .begin = k,
             .end = k + cls_least(width, tail - k),
             .right = end,
             .k = k,
             .swap = swap};
        if (width <= FEW)
            NAME(eliminate_few)(run, &p);
        else
            p.k = NAME(eliminate)(run, front, swap, p.begin, p.end, 0, pool);
        k = p.k;
        if (k > p.begin) NAME(apply)(&p, pool);
        tail = NAME(put_back)(&p, tail);
    }
}

/* A strip of the columns of the border: U12, and what the front leaves to its parent. */
static void NAME(border_strip)(void *what, int64_t part) {
    const NAME(panel) *p = what;
    const ELEMENT *A = p->front->columns;
    const int64_t m = p->front->m, f = p->front->f, k = p->k, b = p->to->b;
    const int64_t from = part * CLS_TILE, columns = cls_least(CLS_TILE, b - from);
    ELEMENT *rows = (ELEMENT *)p->front->rows + from * f, *rest = (ELEMENT *)p->to->rest + from * b;
    PRODUCT(triangle)(0, CLS_PLAIN, 1, k, columns, A, m, rows, f);
    PRODUCT(subtract)(CLS_PLAIN, CLS_PLAIN, f - k, columns, k, A + k, m, rows, f, rows + k, f);
    PRODUCT(subtract)(CLS_PLAIN, CLS_PLAIN, b, columns, k, A + f, m, rows, f, rest, b);
}

/*
 * Puts the rows of U right of the fully summed block into the order of the labels. `before`: the labels when the front
 * was assembled. `where`: of each position its row; fronts that are eliminated concurrently have no position in common.
 */
static int NAME(order_rows)(const cls_front *front, const int64_t *before, int64_t *where, int64_t b) {
    ELEMENT *rows = front->rows;
    const int64_t f = front->f;
    int moved = 0;
    for (int64_t i = 0; i < f; i++) moved |= before[i] != front->row[i];
    if (!moved) return 1;
    ELEMENT *column = malloc((size_t)f * sizeof *column);
    if (!column) return 0;
    for (int64_t i = 0; i < f; i++) where[before[i]] = i;
    for (int64_t j = 0; j < b; j++) {
        for (int64_t i = 0; i < f; i++) column[i] = rows[where[front->row[i]] + j * f];
        memcpy(rows + j * f, column, (size_t)f * sizeof *column);
    }
    free(column);
    return 1;
}

/* before: 2 f. */
static clsolve_status NAME(factor_lu)(const cls_front_run *run, cls_front *front, const target *to, int64_t *before,
                                      cls_pool *pool) {
    const int64_t f = front->f, b = to->b;
    memcpy(before, front->row, (size_t)f * sizeof *before);
    front->k = NAME(eliminate)(run, front, before + f, 0, f, 1, pool);
    if (b == 0) return CLSOLVE_OK;
    if (!NAME(order_rows)(front, before, run->factors->where, b)) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    NAME(panel) whole = {.front = front, .k = front->k, .to = to};
    cls_job job = {.work = NAME(border_strip), .what = &whole, .parts = (b + CLS_TILE - 1) / CLS_TILE};
    cls_pool_run(pool, &job);
    return CLSOLVE_OK;
}

/* ---- Cholesky ---- */

/*
 * These rows, which are below columns begin .. end - 1: X = X L^-H, by halves, so that products have many columns.
 */
static void NAME(solve_right)(ELEMENT *A, int64_t m, int64_t begin, int64_t end, int64_t row, int64_t rows) {
    if (end - begin > FEW) {
        const int64_t half = begin + half_of(end - begin);
        NAME(solve_right)(A, m, begin, half, row, rows);
        PRODUCT(subtract)
        (CLS_PLAIN, CLS_ADJOINT, rows, end - half, half - begin, A + row + begin * m, m, A + half + begin * m, m,
         A + row + half * m, m);
        NAME(solve_right)(A, m, half, end, row, rows);
        return;
    }
    for (int64_t j = begin; j < end; j++) {
        ELEMENT *column = A + row + j * m;
#if COMPLEX
        for (int64_t l = begin; l < j; l++) {
            const ELEMENT w = CONJUGATE(A[j + l * m]);
            PRODUCT(combine)(rows, 1, A + row + l * m, m, &w, 1, column);
        }
#else
        PRODUCT(combine)(rows, j - begin, A + row + begin * m, m, A + j + begin * m, m, column);
#endif
        const double root = REAL_PART(A[j + j * m]);
        for (int64_t i = 0; i < rows; i++) column[i] /= root;
    }
}

/* The triangle begin .. end - 1, by halves. Returns the column whose pivot is not positive; -1: none. */
static int64_t NAME(cholesky_block)(ELEMENT *A, int64_t m, int64_t begin, int64_t end) {
    if (end - begin > FEW) {
        const int64_t half = begin + half_of(end - begin), wrong = NAME(cholesky_block)(A, m, begin, half);
        if (wrong >= 0) return wrong;
        NAME(solve_right)(A, m, begin, half, half, end - half);
        PRODUCT(subtract)
        (CLS_PLAIN, CLS_ADJOINT, end - half, end - half, half - begin, A + half + begin * m, m, A + half + begin * m, m,
         A + half + half * m, m);
        return NAME(cholesky_block)(A, m, half, end);
    }
    for (int64_t j = begin; j < end; j++) {
        ELEMENT *column = A + j * m;
        for (int64_t l = begin; l < j; l++) {
            const ELEMENT w = CONJUGATE(A[j + l * m]);
            PRODUCT(combine)(end - j, 1, A + j + l * m, m, &w, 1, column + j);
        }
        const double pivot = REAL_PART(column[j]);
        if (!(pivot > 0) || !isfinite(pivot)) return j;
        const double root = sqrt(pivot);
        column[j] = root;
        for (int64_t i = j + 1; i < end; i++) column[i] /= root;
    }
    return -1;
}

/* Rows below the triangle: a strip of them. */
static void NAME(below_strip)(void *what, int64_t part) {
    const NAME(panel) *p = what;
    const int64_t m = p->front->m, from = p->end + part * STRIP;
    NAME(solve_right)(p->front->columns, m, p->begin, p->end, from, cls_least(STRIP, m - from));
}

/* A strip of columns right of the panel, from the diagonal down. */
static void NAME(lower_strip)(void *what, int64_t part) {
    const NAME(panel) *p = what;
    ELEMENT *A = p->front->columns;
    const int64_t m = p->front->m, from = p->end + part * CLS_TILE, columns = cls_least(CLS_TILE, p->front->f - from);
    PRODUCT(subtract)
    (CLS_PLAIN, CLS_ADJOINT, m - from, columns, p->end - p->begin, A + from + p->begin * m, m, A + from + p->begin * m,
     m, A + from + from * m, m);
}

/* A strip of the contribution, from the diagonal down. */
static void NAME(rest_strip)(void *what, int64_t part) {
    const NAME(panel) *p = what;
    const int64_t m = p->front->m, f = p->front->f, b = p->to->b, from = part * CLS_TILE;
    const ELEMENT *below = (const ELEMENT *)p->front->columns + f + from;
    PRODUCT(subtract)
    (CLS_PLAIN, CLS_ADJOINT, b - from, cls_least(CLS_TILE, b - from), f, below, m, below, m,
     (ELEMENT *)p->to->rest + from + from * b, b);
}

static clsolve_status NAME(factor_cholesky)(cls_front *front, const target *to, cls_pool *pool) {
    const int64_t f = front->f, m = front->m, b = to->b;
    const int64_t width = f > CLS_TILE ? block_of(f) : f;
    NAME(panel) panel = {.front = front, .to = to};
    for (panel.begin = 0; panel.begin < f; panel.begin = panel.end) {
        panel.end = panel.begin + cls_least(width, f - panel.begin);
        const int64_t wrong = NAME(cholesky_block)(front->columns, m, panel.begin, panel.end);
        if (wrong >= 0) {
            front->k = wrong;
            return CLSOLVE_NOT_POSITIVE_DEFINITE;
        }
        cls_job below = {.work = NAME(below_strip), .what = &panel, .parts = (m - panel.end + STRIP - 1) / STRIP};
        cls_job lower = {.work = NAME(lower_strip), .what = &panel, .parts = (f - panel.end + CLS_TILE - 1) / CLS_TILE};
        if (below.parts > 0) cls_pool_run(pool, &below);
        if (lower.parts > 0) cls_pool_run(pool, &lower);
    }
    front->k = f;
    cls_job rest = {.work = NAME(rest_strip), .what = &panel, .parts = (b + CLS_TILE - 1) / CLS_TILE};
    if (b > 0) cls_pool_run(pool, &rest);
    return CLSOLVE_OK;
}

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
        memcpy(data + j * n, upper, (size_t)d * sizeof *data);
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
    const int64_t b = symbolic->tree.rows[s] - own, f = own + delayed, m = f + b;
    if (front->owned) {
        cls_free(front->columns);
        cls_free(front->rows);
        cls_free(front->row);
    }
    *front = (cls_front){.f = f, .m = m, .owned = delayed > 0};
    if (delayed > 0) {
        front->columns = cls_alloc((size_t)(m * f), sizeof(ELEMENT));
        front->rows = cls_alloc((size_t)(f * b), sizeof(ELEMENT));
        front->row = cls_alloc((size_t)(2 * f), sizeof *front->row);
        front->column = front->row + f;
        if (!front->columns || !front->rows || !front->row) return 0;
    } else {
        ELEMENT *arena = (ELEMENT *)factors->arena;
        front->columns = arena + symbolic->columns_at[s];
        front->rows = arena + symbolic->columns_at[symbolic->tree.fronts] + symbolic->rows_at[s];
        front->row = factors->labels + symbolic->tree.first[s];
        front->column = factors->labels + symbolic->tree.n + symbolic->tree.first[s];
        memset(front->columns, 0, (size_t)(m * f) * sizeof(ELEMENT));
        if (!factors->cholesky) memset(front->rows, 0, (size_t)(f * b) * sizeof(ELEMENT));
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
        NAME(add_contribution)(from, at, run->factors->cholesky, to);
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
    int64_t *work = malloc((size_t)(most + 2 * front->f + 1) * sizeof *work);
    cls_contribution *out = &run->contribution[s];
    *out = (cls_contribution){to.rest, to.rest_bytes, to.b, 0};
    if (!work) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    NAME(label)(run, s, own);
    NAME(assemble)(run, s, own, delayed, work, &to);
    clsolve_status status =
        factors->cholesky ? NAME(factor_cholesky)(front, &to, pool) : NAME(factor_lu)(run, front, &to, work, pool);
    free(work);
    if (status == CLSOLVE_OK && front->k < front->f) {
        if (symbolic->tree.parent[s] < 0) return CLSOLVE_SINGULAR;
        if (!NAME(enlarge)(factors, front, out)) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    }
    return status;
}
