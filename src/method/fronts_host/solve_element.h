/* solve_element.h: substitution, included by solve.c for real and for complex numbers. */

static void NAME(gather)(const passage *p, const ELEMENT *from, const int64_t *at, int64_t count, ELEMENT *to,
                         int64_t ld) {
    const int64_t n = p->factors->symbolic->tree.n;
    for (int64_t j = 0; j < p->nrhs; j++)
        for (int64_t i = 0; i < count; i++) to[i + j * ld] = from[at[i] + j * n];
}

static void NAME(scatter)(const passage *p, const ELEMENT *from, int64_t ld, const int64_t *at, int64_t count,
                          ELEMENT *to) {
    const int64_t n = p->factors->symbolic->tree.n;
    for (int64_t j = 0; j < p->nrhs; j++)
        for (int64_t i = 0; i < count; i++) to[at[i] + j * n] = from[i + j * ld];
}

/* Rows that are eliminated in the front (`labels`) and those below: what was not eliminated, and the border. */
static void NAME(gather_outer)(const passage *p, const cls_front *front, int64_t s, const int64_t *labels,
                               const ELEMENT *from) {
    const cls_symbolic *symbolic = p->factors->symbolic;
    const int64_t d = front->f - front->k, b = front->m - front->f, ld = d + b;
    ELEMENT *outer = p->outer;
    NAME(gather)(p, from, labels + front->k, d, outer, ld);
    NAME(gather)(p, from, symbolic->border + symbolic->border_start[s], b, outer + d, ld);
}

static void NAME(scatter_outer)(const passage *p, const cls_front *front, int64_t s, const int64_t *labels,
                                ELEMENT *to) {
    const cls_symbolic *symbolic = p->factors->symbolic;
    const int64_t d = front->f - front->k, b = front->m - front->f, ld = d + b;
    ELEMENT *outer = p->outer;
    NAME(scatter)(p, outer, ld, labels + front->k, d, to);
    NAME(scatter)(p, outer + d, ld, symbolic->border + symbolic->border_start[s], b, to);
}

/* y = L^-1 y, whose labels are those of rows or of columns. `unit`: L has ones on its diagonal. */
static void NAME(through_lower)(const passage *p, int by_row, int unit) {
    ELEMENT *inner = p->inner, *outer = p->outer;
    for (int64_t s = 0; s < p->factors->symbolic->tree.fronts; s++) {
        const cls_front *front = &p->factors->front[s];
        const int64_t k = front->k, below = front->m - k, *labels = by_row ? front->row : front->column;
        const ELEMENT *L = front->columns;
        NAME(gather)(p, p->y, labels, k, inner, k);
        PRODUCT(triangle)(0, CLS_PLAIN, unit, k, p->nrhs, L, front->m, inner, k);
        NAME(scatter)(p, inner, k, labels, k, p->y);
        if (below == 0 || k == 0) continue;
        NAME(gather_outer)(p, front, s, labels, p->y);
        PRODUCT(subtract)(CLS_PLAIN, CLS_PLAIN, below, p->nrhs, k, L + k, front->m, inner, k, outer, below);
        NAME(scatter_outer)(p, front, s, labels, p->y);
    }
}

/* P A Q = L U: y = L^-1 y, then x = U^-1 y. y has row labels, x column labels. */
static void NAME(plain)(const passage *p) {
    const int64_t fronts = p->factors->symbolic->tree.fronts, nrhs = p->nrhs;
    ELEMENT *inner = p->inner, *outer = p->outer;
    NAME(through_lower)(p, 1, 1);
    for (int64_t s = fronts - 1; s >= 0; s--) {
        const cls_front *front = &p->factors->front[s];
        const int64_t k = front->k, f = front->f, d = f - k, b = front->m - f;
        const ELEMENT *U = front->columns, *rows = front->rows;
        NAME(gather)(p, p->y, front->row, k, inner, k);
        if (d + b > 0) {
            NAME(gather_outer)(p, front, s, front->column, p->x);
            PRODUCT(subtract)(CLS_PLAIN, CLS_PLAIN, k, nrhs, d, U + k * front->m, front->m, outer, d + b, inner, k);
            PRODUCT(subtract)(CLS_PLAIN, CLS_PLAIN, k, nrhs, b, rows, f, outer + d, d + b, inner, k);
        }
        PRODUCT(triangle)(1, CLS_PLAIN, 0, k, nrhs, U, front->m, inner, k);
        NAME(scatter)(p, inner, k, front->column, k, p->x);
    }
}

/* The same for A^T or A^H: y = U^-T y with column labels, then x = L^-T y with row labels. */
static void NAME(adjoint)(const passage *p, int conjugated) {
    const int64_t fronts = p->factors->symbolic->tree.fronts, nrhs = p->nrhs;
    const int form = conjugated ? CLS_ADJOINT : CLS_TRANSPOSED;
    ELEMENT *inner = p->inner, *outer = p->outer;
    for (int64_t s = 0; s < fronts; s++) {
        const cls_front *front = &p->factors->front[s];
        const int64_t k = front->k, f = front->f, d = f - k, b = front->m - f;
        const ELEMENT *U = front->columns, *rows = front->rows;
        NAME(gather)(p, p->y, front->column, k, inner, k);
        PRODUCT(triangle)(1, form, 0, k, nrhs, U, front->m, inner, k);
        NAME(scatter)(p, inner, k, front->column, k, p->y);
        if (d + b == 0 || k == 0) continue;
        NAME(gather_outer)(p, front, s, front->column, p->y);
        PRODUCT(subtract)(form, CLS_PLAIN, d, nrhs, k, U + k * front->m, front->m, inner, k, outer, d + b);
        PRODUCT(subtract)(form, CLS_PLAIN, b, nrhs, k, rows, f, inner, k, outer + d, d + b);
        NAME(scatter_outer)(p, front, s, front->column, p->y);
    }
    for (int64_t s = fronts - 1; s >= 0; s--) {
        const cls_front *front = &p->factors->front[s];
        const int64_t k = front->k, below = front->m - k;
        const ELEMENT *L = front->columns;
        NAME(gather)(p, p->y, front->column, k, inner, k);
        if (below > 0) {
            NAME(gather_outer)(p, front, s, front->row, p->x);
            PRODUCT(subtract)(form, CLS_PLAIN, k, nrhs, below, L + k, front->m, outer, below, inner, k);
        }
        PRODUCT(triangle)(0, form, 1, k, nrhs, L, front->m, inner, k);
        NAME(scatter)(p, inner, k, front->row, k, p->x);
    }
}

/* X = D^-1 X, of k x nrhs. */
static void NAME(divide_blocks)(const passage *p, const cls_front *front, ELEMENT *x) {
    const int conjugated = cls_form_conjugates(p->factors->form);
    const int64_t k = front->k, m = front->m;
    for (int64_t t = 0; t < k; t++) {
        const ELEMENT *d = (const ELEMENT *)front->columns + t * (m + 1);
        ELEMENT inverse[4];
        if (!cls_front_pairs(front, t)) {
            for (int64_t j = 0; j < p->nrhs; j++) x[t + j * k] = QUOTIENT(x[t + j * k], d[0]);
            continue;
        }
        const ELEMENT E[4] = {d[0], conjugated ? CONJUGATE(d[m]) : d[m], d[m], d[m + 1]};
        (void)PRODUCT(invert_two)(E, inverse);
        for (int64_t j = 0; j < p->nrhs; j++) {
            ELEMENT *both = x + t + j * k;
            const ELEMENT above = both[0], below = both[1];
            both[0] = inverse[0] * above + inverse[2] * below;
            both[1] = inverse[1] * above + inverse[3] * below;
        }
        t++;
    }
}

/* A = L L^H, L D L^H or L D L^T. */
static void NAME(symmetric)(const passage *p) {
    const clsolve_sparse_form of = p->factors->form;
    const int64_t fronts = p->factors->symbolic->tree.fronts, nrhs = p->nrhs;
    const int unit = cls_form_is_ldl(of), form = cls_form_conjugates(of) ? CLS_ADJOINT : CLS_TRANSPOSED;
    ELEMENT *inner = p->inner, *outer = p->outer;
    NAME(through_lower)(p, 0, unit);
    for (int64_t s = fronts - 1; s >= 0; s--) {
        const cls_front *front = &p->factors->front[s];
        const int64_t k = front->k, below = front->m - k;
        const ELEMENT *L = front->columns;
        NAME(gather)(p, p->y, front->column, k, inner, k);
        if (unit) NAME(divide_blocks)(p, front, inner);
        if (below > 0) {
            NAME(gather_outer)(p, front, s, front->column, p->x);
            PRODUCT(subtract)(form, CLS_PLAIN, k, nrhs, below, L + k, front->m, outer, below, inner, k);
        }
        PRODUCT(triangle)(0, form, unit, k, nrhs, L, front->m, inner, k);
        NAME(scatter)(p, inner, k, front->column, k, p->x);
    }
}
