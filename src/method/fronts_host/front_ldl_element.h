/*
 * front_ldl_element.h: L D L^T or L D L^H of a front, included by front.c for real and for complex numbers.
 *
 * D has blocks of order 1 and 2. A pivot d is taken if |d| is at least u times the largest element of its column. Else
 * the column j joins with the row r of its largest fully summed element, if the block E of both is large enough:
 *
 *      |E^-1| (largest of column j, largest of column r)^T <= (1/u, 1/u)^T     without the rows j and r
 *
 * (I. S. Duff, J. K. Reid, ACM TOMS 22, 1996, section 2). A column without such a pivot goes to the end, and is tried
 * again after the others; what is left then is the parent's. With u < 0.5 a front without a border has a pivot as long
 * as it has an element, if sizes are moduli; those of complex numbers here are up to sqrt(2) larger, so such a front
 * goes on with u / 2.
 *
 *        begin    k       end        f
 *      +---------+---------+---------+
 *      | L and D |         |         |   begin   panel: each column lies there as a whole, from row k on, also what is
 *      |         |  those  |         |   k       above the diagonal
 *      |         |  tried  | lower   |   end     right of it: the lower triangle
 *      |    L    |         | triangle|
 *      +---------+---------+---------+   m
 *
 * Columns of a panel see a step when they are tried, or after FEW steps. V holds L D of the panel's rows, or for
 * L D L^H its conjugate, so that a step is a product with the transpose of V. If row r is outside, it joins the panel
 * as its last column. D(t,t+1) of a block of order 2 lies above the diagonal, where L has nothing; L(t+1,t) is 0.
 */

/* Exchanges rows and columns a < b, of the lower triangle and of L. */
static void NAME(exchange_lower)(const cls_front *front, int conjugated, int64_t a, int64_t b) {
    ELEMENT *A = front->columns;
    const int64_t m = front->m;
    if (a == b) return;
    NAME(swap_rows)(a, A, m, a, b);
    NAME(swap_labels)(front->column, a, b);
    for (int64_t i = a + 1; i < b; i++) {
        const ELEMENT x = A[i + a * m];
        A[i + a * m] = NAME(turn)(A[b + i * m], conjugated);
        A[b + i * m] = NAME(turn)(x, conjugated);
    }
    A[b + a * m] = NAME(turn)(A[b + a * m], conjugated);
    NAME(swap_columns)(m - b - 1, A + b + 1, m, a, b);
    const ELEMENT x = A[a + a * m];
    A[a + a * m] = A[b + b * m];
    A[b + b * m] = x;
}

/* ---- a panel ---- */

typedef struct NAME(ldl_panel) {
    const cls_front *front;
    clsolve_sparse_form form;
    double threshold;
    int whole;                   /* the front has no border */
    int64_t begin, k, end, room; /* as in the picture; columns that the panel may get */
    ELEMENT *V;                  /* row i, step t: V[i - begin + (t - begin) * room] */
    int64_t *applied;            /* steps that column begin + c has seen */
    int64_t (*exchanged)[2];     /* rows that have changed places, for L of the panels before */
    int64_t exchanges;
} NAME(ldl_panel);

/* Columns from .. end - 1 see all steps. */
static void NAME(level)(NAME(ldl_panel) * p, int64_t from) {
    ELEMENT *A = p->front->columns;
    const int64_t m = p->front->m, begin = p->begin, k = p->k;
    for (int64_t j = from, to; j < p->end; j = to) {
        const int64_t seen = begin + p->applied[j - begin];
        for (to = j; to < p->end && begin + p->applied[to - begin] == seen; to++) p->applied[to - begin] = k - begin;
        if (seen == k) continue;
        PRODUCT(subtract)
        (CLS_PLAIN, CLS_TRANSPOSED, m - k, to - j, k - seen, A + k + seen * m, m,
         p->V + j - begin + (seen - begin) * p->room, p->room, A + k + j * m, m);
    }
}

static void NAME(see)(NAME(ldl_panel) * p, int64_t j) {
    ELEMENT *A = p->front->columns;
    const int64_t m = p->front->m, begin = p->begin, k = p->k, seen = begin + p->applied[j - begin];
    PRODUCT(combine)
    (m - k, k - seen, A + k + seen * m, m, p->V + j - begin + (seen - begin) * p->room, p->room, A + k + j * m);
    p->applied[j - begin] = k - begin;
}

static void NAME(exchange_within)(NAME(ldl_panel) * p, int64_t a, int64_t b) {
    ELEMENT *A = p->front->columns;
    const int64_t m = p->front->m, begin = p->begin;
    if (a == b) return;
    NAME(swap_columns)(m - begin, A + begin, m, a, b);
    NAME(swap_rows)(p->end - begin, A + begin * m, m, a, b);
    NAME(swap_rows)(p->k - begin, p->V, p->room, a - begin, b - begin);
    NAME(swap_labels)(p->front->column, a, b);
    NAME(swap_labels)(p->applied, a - begin, b - begin);
    p->exchanged[p->exchanges][0] = a;
    p->exchanged[p->exchanges++][1] = b;
}

/* Column r from outside becomes the panel's last one. */
static void NAME(pull)(NAME(ldl_panel) * p, int64_t r) {
    const int conjugated = cls_form_conjugates(p->form);
    ELEMENT *A = p->front->columns;
    const int64_t m = p->front->m, begin = p->begin, k = p->k, last = p->end;
    NAME(exchange_lower)(p->front, conjugated, last, r);
    NAME(level)(p, k);
    NAME(weigh)(p->front, conjugated, last, 1, begin, k, p->V + last - begin, p->room);
    for (int64_t i = k; i < last; i++) A[i + last * m] = NAME(turn)(A[last + i * m], conjugated);
    PRODUCT(combine)
    (m - last, k - begin, A + last + begin * m, m, p->V + last - begin, p->room, A + last + last * m);
    p->applied[last - begin] = k - begin;
    p->end++;
}

/* ---- pivots ---- */

static void NAME(save_weighted)(const NAME(ldl_panel) * p, int64_t t, int64_t from) {
    const int conjugated = cls_form_conjugates(p->form);
    const ELEMENT *column = (const ELEMENT *)p->front->columns + t * p->front->m;
    ELEMENT *V = p->V + (t - p->begin) * p->room;
    for (int64_t i = from; i < p->end; i++) V[i - p->begin] = NAME(turn)(column[i], conjugated);
}

/* The diagonal of a hermitian matrix is real. */
static ELEMENT NAME(diagonal)(const NAME(ldl_panel) * p, int64_t j) {
    const ELEMENT d = ((const ELEMENT *)p->front->columns)[j + j * p->front->m];
    return cls_form_conjugates(p->form) ? REAL_PART(d) : d;
}

static void NAME(take_one)(NAME(ldl_panel) * p, int64_t j) {
    const int64_t m = p->front->m, k = p->k;
    NAME(exchange_within)(p, j, k);
    ELEMENT *column = (ELEMENT *)p->front->columns + k * m;
    column[k] = NAME(diagonal)(p, k);
    NAME(save_weighted)(p, k, k + 1);
    NAME(divide)(column, k, m);
    p->front->row[k] = p->front->column[k];
    p->k++;
}

/* The block of columns a and b. */
static void NAME(block_of_two)(const NAME(ldl_panel) * p, int64_t a, int64_t b, ELEMENT *E) {
    E[0] = NAME(diagonal)(p, a);
    E[1] = ((const ELEMENT *)p->front->columns)[b + a * p->front->m];
    E[2] = NAME(turn)(E[1], cls_form_conjugates(p->form));
    E[3] = NAME(diagonal)(p, b);
}

static void NAME(take_two)(NAME(ldl_panel) * p, int64_t j, int64_t r) {
    const int64_t m = p->front->m, k = p->k;
    ELEMENT E[4], inverse[4];
    NAME(exchange_within)(p, j, k);
    NAME(exchange_within)(p, r == k ? j : r, k + 1);
    NAME(block_of_two)(p, k, k + 1, E);
    (void)PRODUCT(invert_two)(E, inverse);
    NAME(save_weighted)(p, k, k + 2);
    NAME(save_weighted)(p, k + 1, k + 2);
    ELEMENT *a = (ELEMENT *)p->front->columns + k * m, *b = a + m;
    for (int64_t i = k + 2; i < m; i++) {
        const ELEMENT x = a[i], y = b[i];
        a[i] = x * inverse[0] + y * inverse[1];
        b[i] = x * inverse[2] + y * inverse[3];
    }
    a[k] = E[0];
    a[k + 1] = 0;
    b[k] = E[2];
    b[k + 1] = E[3];
    p->front->row[k] = p->front->column[k + 1];
    p->front->row[k + 1] = p->front->column[k];
    p->k += 2;
}

/* The largest of a column's rows from .. to - 1, without a and b, where a <= b. */
static double NAME(largest_but)(const ELEMENT *column, int64_t from, int64_t to, int64_t a, int64_t b) {
    const double before = NAME(largest)(column, from, a), after = NAME(largest)(column, b + 1, to);
    const double most = before > after ? before : after, between = NAME(largest)(column, a + 1, b);
    return between > most ? between : most;
}

static int NAME(two_are_good)(const NAME(ldl_panel) * p, int64_t j, int64_t r) {
    const int64_t m = p->front->m, low = j < r ? j : r, high = j < r ? r : j;
    const ELEMENT *A = p->front->columns;
    ELEMENT E[4], inverse[4];
    NAME(block_of_two)(p, j, r, E);
    if (!PRODUCT(invert_two)(E, inverse)) return 0;
    const double of_j = NAME(largest_but)(A + j * m, p->k, m, low, high),
                 of_r = NAME(largest_but)(A + r * m, p->k, m, low, high);
    return p->threshold * (SIZE(inverse[0]) * of_j + SIZE(inverse[1]) * of_r) <= 1 &&
           p->threshold * (SIZE(inverse[2]) * of_j + SIZE(inverse[3]) * of_r) <= 1;
}

/* Eliminates column j, alone or with another, if that is a good pivot. */
static void NAME(try_column)(NAME(ldl_panel) * p, int64_t j) {
    const int64_t m = p->front->m, f = p->front->f, k = p->k;
    const ELEMENT *column = (const ELEMENT *)p->front->columns + j * m;
    NAME(see)(p, j);
    const double size = SIZE(NAME(diagonal)(p, j)), within = NAME(largest_but)(column, k, f, j, j),
                 below = NAME(largest)(column, f, m);
    if (size > 0 && size >= p->threshold * within && size >= p->threshold * below) {
        NAME(take_one)(p, j);
        return;
    }
    int64_t r = k;
    if (!(within > 0)) return;
    while (r == j || SIZE(column[r]) != within) r++;
    if (r >= p->end) {
        if (p->end - p->begin == p->room) return;
        NAME(pull)(p, r);
        r = p->end - 1;
    }
    NAME(see)(p, r);
    if (NAME(two_are_good)(p, j, r)) NAME(take_two)(p, j, r);
}

static void NAME(eliminate_panel)(NAME(ldl_panel) * p) {
    const int conjugated = cls_form_conjugates(p->form);
    ELEMENT *A = p->front->columns;
    const int64_t m = p->front->m;
    for (int64_t j = p->begin; j < p->end; j++) {
        for (int64_t i = p->begin; i < j; i++) A[i + j * m] = NAME(turn)(A[j + i * m], conjugated);
        p->applied[j - p->begin] = 0;
    }
    for (int64_t j = p->begin; j < p->end;) {
        if (p->k - p->begin - p->applied[p->end - 1 - p->begin] >= FEW) NAME(level)(p, j);
        NAME(try_column)(p, j);
        j = j + 1 > p->k ? j + 1 : p->k;
    }
    NAME(level)(p, p->k);
}

/* ---- the front ---- */

/* A strip of columns right of the panel, from the diagonal down; the last part exchanges rows of L left of it. */
static void NAME(right_strip)(void *what, int64_t part) {
    const NAME(ldl_panel) *p = what;
    ELEMENT *A = p->front->columns;
    const int64_t m = p->front->m, from = p->end + part * CLS_TILE;
    if (from < p->front->f) {
        NAME(less_strip)
        (p->front, p->form, p->begin, p->k, from, cls_least(CLS_TILE, p->front->f - from), A + from + from * m, m);
        return;
    }
    for (int64_t j = 0; j < p->begin; j++)
        for (int64_t e = 0; e < p->exchanges; e++)
            NAME(swap_rows)(1, A + j * m, m, p->exchanged[e][0], p->exchanged[e][1]);
}

/* Columns of the panel without a pivot go behind those that were not tried. Returns the first of them. */
static int64_t NAME(put_last)(const NAME(ldl_panel) * p, int64_t tail) {
    if (tail < p->end) tail = p->end;
    for (int64_t j = p->end - 1; j >= p->k; j--)
        NAME(exchange_lower)(p->front, cls_form_conjugates(p->form), j, --tail);
    return tail;
}

/* Brings the largest element that is left to the front, with its row and its column. 0: nothing is left but zeros. */
static int NAME(largest_first)(const NAME(ldl_panel) * p) {
    const int64_t m = p->front->m, f = p->front->f, k = p->k;
    const int conjugated = cls_form_conjugates(p->form);
    const ELEMENT *A = p->front->columns;
    int64_t row = k, column = k;
    double most = 0;
    for (int64_t j = k; j < f; j++) {
        const double size = NAME(largest)(A + j * m, j, f);
        if (!(size > most)) continue;
        most = size;
        for (column = row = j; SIZE(A[row + j * m]) != size;) row++;
    }
    NAME(exchange_lower)(p->front, conjugated, k, column);
    if (row > k + 1) NAME(exchange_lower)(p->front, conjugated, k + 1, row);
    return most > 0;
}

/*
 * Columns from `tail` on have been refused, some of them before others were eliminated. So a front without a border
 * that has stalled begins anew with its largest element, which is a pivot, alone or with another. Returns how many
 * columns have pivots.
 */
static int64_t NAME(eliminate_symmetric)(NAME(ldl_panel) * p, int64_t width, cls_pool *pool) {
    const int64_t f = p->front->f;
    int64_t tail = f, progress = 0;
    int relaxed = 0, stalls = 0;
    for (p->k = 0;;) {
        if (p->k == tail) {
            stalls = progress == p->k ? stalls + 1 : 0;
            if (tail == f || (stalls > 0 && (!p->whole || stalls > RELAXED || !NAME(largest_first)(p)))) return p->k;
            if (stalls > 0 && relaxed++ < RELAXED) p->threshold /= 2;
            progress = p->k;
            tail = f;
        }
        p->begin = p->k;
        p->end = p->begin + cls_least(width, tail - p->begin);
        p->exchanges = 0;
        NAME(eliminate_panel)(p);
        cls_job job = {.work = NAME(right_strip), .what = p, .parts = (f - p->end + CLS_TILE - 1) / CLS_TILE + 1};
        if (p->k > p->begin) cls_pool_run(f - p->end > 2 * CLS_TILE ? pool : NULL, &job);
        tail = NAME(put_last)(p, tail);
    }
}

/* The columns without a pivot are the last ones. */
static clsolve_status NAME(eliminate_all)(cls_front *front, clsolve_sparse_form form, double threshold, int whole,
                                          cls_pool *pool) {
    enum { SMALL = 24 };
    const int64_t f = front->f, width = cls_least(f > 256 ? 64 : 32, f), room = cls_least(2 * width, f);
    ELEMENT of_small[SMALL * SMALL], *V = of_small;
    int64_t numbers_of_small[5 * SMALL], *numbers = numbers_of_small;
    if (room > SMALL) {
        V = malloc((size_t)(room * room) * sizeof *V + (size_t)(5 * room) * sizeof *numbers);
        if (!V) return CLSOLVE_ERROR_OUT_OF_MEMORY;
        numbers = (int64_t *)(V + room * room);
    }
    NAME(ldl_panel)
    panel = {.front = front,
             .form = form,
             .threshold = threshold,
             .whole = whole,
             .room = room,
             .V = V,
             .applied = numbers,
             .exchanged = (int64_t(*)[2])(numbers + room)};
    front->k = NAME(eliminate_symmetric)(&panel, width, pool);
    for (int64_t t = front->k; t < f; t++) front->row[t] = front->column[t];
    if (V != of_small) free(V);
    return CLSOLVE_OK;
}

static clsolve_status NAME(factor_ldl)(const cls_front_run *run, cls_front *front, const target *to, cls_pool *pool) {
    const clsolve_sparse_form form = run->factors->form;
    const clsolve_status status = NAME(eliminate_all)(front, form, run->threshold, front->m == front->f, pool);
    if (status == CLSOLVE_OK) NAME(reduce_rest)(front, form, to, pool);
    return status;
}
