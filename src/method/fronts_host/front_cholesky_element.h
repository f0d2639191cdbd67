/* front_cholesky_element.h: Cholesky of a front, included by front_element.h, and products that L D L^T has too. */

/* ---- products ---- */

static ELEMENT NAME(turn)(ELEMENT x, int conjugated) {
    return conjugated ? CONJUGATE(x) : x;
}

/* V(i,t) for rows `row` .. and steps from .. to - 1, which divide no block of order 2. */
static void NAME(weigh)(const cls_front *front, int conjugated, int64_t row, int64_t rows, int64_t from, int64_t to,
                        ELEMENT *V, int64_t ldv) {
    const ELEMENT *A = front->columns;
    const int64_t m = front->m;
    for (int64_t t = from; t < to; t++, V += ldv) {
        const ELEMENT *l = A + row + t * m;
        const ELEMENT d = A[t + t * m];
        if (!cls_front_pairs(front, t)) {
            for (int64_t i = 0; i < rows; i++) V[i] = NAME(turn)(l[i] * d, conjugated);
            continue;
        }
        const ELEMENT upper = A[t + (t + 1) * m], lower = NAME(turn)(upper, conjugated), last = A[(t + 1) * (m + 1)];
        for (int64_t i = 0; i < rows; i++) {
            V[i] = NAME(turn)(l[i] * d + l[i + m] * lower, conjugated);
            V[i + ldv] = NAME(turn)(l[i] * upper + l[i + m] * last, conjugated);
        }
        V += ldv;
        t++;
    }
}

/* C -= L D L^T, or L L^H of Cholesky, of rows from .. m - 1 and the same columns, by steps begin .. end - 1. */
static void NAME(less_strip)(const cls_front *front, clsolve_sparse_form form, int64_t begin, int64_t end, int64_t from,
                             int64_t columns, ELEMENT *C, int64_t ldc) {
    enum { DEPTH = 128 * sizeof(double) / sizeof(ELEMENT) };
    const ELEMENT *A = front->columns;
    const int64_t m = front->m;
    ELEMENT V[CLS_TILE * DEPTH];
    if (!cls_form_is_ldl(form)) {
        PRODUCT(subtract)
        (CLS_PLAIN, CLS_ADJOINT, m - from, columns, end - begin, A + from + begin * m, m, A + from + begin * m, m, C,
         ldc);
        return;
    }
    for (int64_t t = begin, to; t < end; t = to) {
        to = cls_least(t + DEPTH, end);
        if (to < end && cls_front_pairs(front, to - 1) == 1) to--;
        NAME(weigh)(front, cls_form_conjugates(form), from, columns, t, to, V, CLS_TILE);
        PRODUCT(subtract)
        (CLS_PLAIN, CLS_TRANSPOSED, m - from, columns, to - t, A + from + t * m, m, V, CLS_TILE, C, ldc);
    }
}

typedef struct NAME(reduction) {
    const cls_front *front;
    clsolve_sparse_form form;
    const target *to;
} NAME(reduction);

/* A strip of the contribution, from the diagonal down. */
static void NAME(rest_strip)(void *what, int64_t part) {
    const NAME(reduction) *r = what;
    const int64_t b = r->to->b, from = part * CLS_TILE;
    NAME(less_strip)
    (r->front, r->form, 0, r->front->k, r->front->f + from, cls_least(CLS_TILE, b - from),
     (ELEMENT *)r->to->rest + from + from * b, b);
}

/* The contribution without what is eliminated. */
static void NAME(reduce_rest)(const cls_front *front, clsolve_sparse_form form, const target *to, cls_pool *pool) {
    NAME(reduction) reduction = {front, form, to};
    cls_job rest = {.work = NAME(rest_strip), .what = &reduction, .parts = (to->b + CLS_TILE - 1) / CLS_TILE};
    if (to->b > 0) cls_pool_run(pool, &rest);
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
    const int64_t m = p->front->m, from = p->end + part * CLS_TILE;
    NAME(less_strip)
    (p->front, CLSOLVE_SPARSE_POSITIVE_DEFINITE, p->begin, p->end, from, cls_least(CLS_TILE, p->front->f - from),
     A + from + from * m, m);
}

static clsolve_status NAME(factor_cholesky)(cls_front *front, const target *to, cls_pool *pool) {
    const int64_t f = front->f, m = front->m;
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
    NAME(reduce_rest)(front, CLSOLVE_SPARSE_POSITIVE_DEFINITE, to, pool);
    return CLSOLVE_OK;
}
