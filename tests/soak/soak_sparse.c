/* soak_sparse.c: sparse systems: patterns, forms, orders, engines, host and device; factors again and again, solves. */
#include <clsolve/sparse.h>

#include "base/type.h"
#include "soak/soak.h"

typedef enum spoil { GOOD, ZERO_ROW, INDEFINITE, NONFINITE } spoil;

typedef struct sparse_task {
    soak *s;
    int64_t n, entries, rounds;
    clsolve_type type;
    clsolve_sparse_options o;
    clsolve_sparse *handle;
    clsolve_csr A;
    int64_t *row_start, *column;
    double *dense; /* tight, column-major */
    void *values;  /* of A */
    clsolve_matrix b;
    clsolve_op op;
} sparse_task;

static int is_positive(const sparse_task *t) {
    return t->o.form == CLSOLVE_SPARSE_POSITIVE_DEFINITE;
}

/* ---- draws ---- */

static void draw_options(soak *s, sparse_task *t) {
    t->o.form = soak_one_in(s, 2) ? CLSOLVE_SPARSE_POSITIVE_DEFINITE : CLSOLVE_SPARSE_GENERAL;
    t->o.order = (clsolve_sparse_order)soak_between(s, CLSOLVE_ORDER_AUTO, CLSOLVE_ORDER_NESTED);
    t->o.where = (clsolve_where)soak_between(s, 0, 2);
    const int dissects = t->o.order == CLSOLVE_ORDER_METIS || t->o.order == CLSOLVE_ORDER_NESTED;
    if (!is_positive(t) && !dissects && t->o.where != CLSOLVE_WHERE_DEVICE && soak_one_in(s, 3))
        t->o.engine = CLSOLVE_SPARSE_KLU;
    t->o.rcond = soak_one_in(s, 5);
    soak_say(s, " form %d order %d where %d engine %d rcond %d;", (int)t->o.form, (int)t->o.order, (int)t->o.where,
             (int)t->o.engine, (int)t->o.rcond);
}

/* A diagonal, two bands as of a grid, and some entries anywhere; symmetric where the form is. */
static int is_entry(const sparse_task *t, int64_t i, int64_t j, int64_t wide, uint64_t use) {
    const int64_t low = i < j ? i : j, high = i < j ? j : i;
    const int64_t a = is_positive(t) ? low : i, b = is_positive(t) ? high : j;
    const uint64_t mixed = ((uint64_t)a * 2654435761U + (uint64_t)b * 40503U + use) * 0x9e3779b97f4a7c15U;
    return i == j || high - low == 1 || high - low == wide || mixed >> 58 == 0;
}

static void draw_pattern(soak *s, sparse_task *t) {
    const int64_t n = t->n, wide = soak_between(s, 2, 20);
    const uint64_t use = test_random_bits(&s->random);
    t->row_start = calloc((size_t)n + 1, sizeof *t->row_start);
    t->column = calloc((size_t)(n * n) + 1, sizeof *t->column);
    if (!t->row_start || !t->column) abort();
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < n; ++j)
            if (is_entry(t, i, j, wide, use)) t->column[t->entries++] = j;
        t->row_start[i + 1] = t->entries;
    }
    soak_say(s, " entries %d", (int)t->entries);
}

/* Dominant; of a general matrix perhaps with rows in another order, so that it wants a matching. */
static spoil draw_values(soak *s, sparse_task *t) {
    const spoil how = t->n == 0 || !soak_one_in(s, 4) ? GOOD
                      : soak_one_in(s, 2)             ? NONFINITE
                      : is_positive(t)                ? INDEFINITE
                                                      : ZERO_ROW;
    const int64_t n = t->n, at = n > 0 ? soak_between(s, 0, n - 1) : 0;
    SCRATCH double *drawn = soak_elements(t->type, t->entries);
    soak_fill(s, t->type, drawn, t->entries);
    memset(t->dense, 0, (size_t)(n * n * cls_type_parts(t->type)) * sizeof *t->dense);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t e = t->row_start[i]; e < t->row_start[i + 1]; ++e) {
            const int64_t j = t->column[e], to = soak_index(t->type, i + j * n);
            for (int64_t p = 0; p < cls_type_parts(t->type); ++p) t->dense[to + p] = drawn[soak_index(t->type, e) + p];
            if (is_positive(t) && j < i) soak_put_conjugate(t->type, t->dense, j + i * n, i + j * n);
            if (j == i) t->dense[to] = 2 * (double)(t->row_start[i + 1] - t->row_start[i]) + 4;
            if (j == i && cls_is_complex(t->type)) t->dense[to + 1] = 0;
            if (how == ZERO_ROW && i == at) memset(&t->dense[to], 0, (size_t)cls_type_parts(t->type) * sizeof(double));
        }
    if (how == INDEFINITE) t->dense[soak_index(t->type, at * (n + 1))] = -1;
    if (how == NONFINITE) t->dense[soak_index(t->type, at * (n + 1))] = (double)NAN;
    soak_say(s, " values %d", (int)how);
    return how;
}

static void put_values(sparse_task *t) {
    for (int64_t i = 0; i < t->n; ++i)
        for (int64_t e = t->row_start[i]; e < t->row_start[i + 1]; ++e)
            for (int64_t p = 0; p < cls_type_parts(t->type); ++p) {
                const double value = t->dense[soak_index(t->type, i + t->column[e] * t->n) + p];
                if (cls_is_double(t->type))
                    ((double *)t->values)[soak_index(t->type, e) + p] = value;
                else
                    ((float *)t->values)[soak_index(t->type, e) + p] = (float)value;
            }
}

/* ---- calls ---- */

static clsolve_status call_create(void *task) {
    sparse_task *t = task;
    clsolve_status status = clsolve_sparse_create_csr(t->s->context, &t->A, &t->o, &t->handle);
    if (status == CLSOLVE_ERROR_UNSUPPORTED && t->o.where == CLSOLVE_WHERE_DEVICE) { /* it has no such kernels */
        t->o.where = CLSOLVE_WHERE_AUTO;
        status = clsolve_sparse_create_csr(t->s->context, &t->A, &t->o, &t->handle);
    }
    if (status != CLSOLVE_OK && t->handle) soak_wrong(t->s, "create failed and left a handle");
    return status;
}

SOAK_CALL(call_factor, sparse_task, clsolve_sparse_factor_csr(t->handle, &t->A))
SOAK_CALL(call_solve, sparse_task, clsolve_sparse_solve(t->handle, t->op, &t->b))

/* ---- the family ---- */

static void *begin(soak *s) {
    sparse_task *t = soak_task(s, sizeof *t);
    t->type = soak_type(s);
    t->n = soak_size(s, 300);
    t->rounds = soak_between(s, 1, 4);
    soak_say(s, " n %d", (int)t->n);
    draw_options(s, t);
    draw_pattern(s, t);
    t->dense = soak_elements(t->type, t->n * t->n);
    t->values = calloc((size_t)t->entries + 1, (size_t)cls_type_size(t->type));
    if (!t->values) abort();
    t->A = (clsolve_csr){.type = t->type,
                         .index = CLSOLVE_I64,
                         .rows = t->n,
                         .cols = t->n,
                         .row_start = t->row_start,
                         .column = t->column};
    soak_expect(s, "create", soak_call(s, "create", call_create, t), CLSOLVE_OK, CLSOLVE_OK);
    t->A.values = t->values;
    return t;
}

static int step(soak *s, void *task) {
    static const clsolve_status due[] = {CLSOLVE_OK, CLSOLVE_SINGULAR, CLSOLVE_NOT_POSITIVE_DEFINITE,
                                         CLSOLVE_ERROR_NONFINITE};
    sparse_task *t = task;
    if (!t->handle || s->wrong[0]) return 0;
    const spoil how = draw_values(s, t);
    put_values(t);
    const clsolve_status status = soak_call(s, "factor", call_factor, t);
    soak_expect(s, "factor", status, due[how], due[how]);
    for (int64_t k = soak_between(s, 1, 3); k > 0 && !s->wrong[0] && how == GOOD; --k) {
        t->op = is_positive(t) ? CLSOLVE_NO_TRANS : soak_op(s, t->type);
        soak_solve_for(s, t->type, t->op, t->n, t->dense, status, &t->b, call_solve, t);
    }
    return --t->rounds > 0;
}

static void end(soak *s, void *task) {
    SCRATCH sparse_task *t = task;
    (void)s;
    clsolve_sparse_destroy(t->handle);
    free(t->row_start);
    free(t->column);
    free(t->dense);
    free(t->values);
}

const soak_family soak_sparse = {"sparse", begin, step, end};
