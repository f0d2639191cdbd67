/*
 * front_lu_element.h: LU of a front, included by front_element.h.
 *
 * LU with threshold pivoting: the pivot of a column is the largest among the f fully summed rows, and is taken if it is
 * at least `threshold` times the largest of all m rows. A column without such a pivot goes to the end, and is tried
 * again after the others; what is left then is the parent's. Columns are eliminated in panels of FEW, these in blocks,
 * and blocks in larger ones, so that nearly all operations are in products of many columns.
 */

/* The row of an acceptable pivot in a column, from row k on; -1: there is none. */
static int64_t NAME(find_pivot)(const ELEMENT *column, int64_t k, int64_t f, int64_t m, double threshold) {
    const double largest = NAME(largest)(column, k, f);
    if (!(largest > 0) || largest < threshold * NAME(largest)(column, f, m)) return -1;
    while (SIZE(column[k]) != largest) k++;
    return k;
}

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
    NAME(divide)(A + k * m, k, m);
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
