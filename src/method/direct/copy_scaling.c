/* copy_scaling.c: r and c of a copy of A whose largest elements come by a function. */
#include "base/memory.h"
#include "method/direct/copy.h"

clsolve_status cls_copy_setup_numbers(cls_copy *copy) {
    cls_scaling *s = &copy->scaling;

    s->n = copy->n;
    s->type = copy->type;
    s->host_r = cls_alloc((size_t)copy->n, sizeof(double));
    s->host_c = cls_alloc((size_t)copy->n, sizeof(double));
    if (s->host_r && s->host_c) return CLSOLVE_OK;
    return cls_fail(copy->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the scaling of %lld rows",
                    (long long)copy->n);
}

static int any_zero(int64_t n, const double *v) {
    int any = 0;
    for (int64_t i = 0; i < n; ++i) any = any || v[i] == 0;
    return any;
}

static void set_ones(int64_t n, double *v) {
    for (int64_t i = 0; i < n; ++i) v[i] = 1;
}

/* r and c are doubles whatever the factors are of: numbers that float does not have are brought to those that it has.
 * The columns of a band are those of the matrix as its rows will be. */
clsolve_status cls_copy_find_scaling(cls_copy *copy, int scale, cls_copy_largest *largest) {
    int64_t n = copy->n;
    cls_scaling *s = &copy->scaling;
    double *r = s->host_r, *c = s->host_c;

    if (copy->symmetric) return cls_copy_find_symmetric(copy, scale, largest);
    s->rows = s->cols = copy->empty_line = 0;
    if (scale) { /* the two passes of dgeequb: columns of what the rows' factors leave, used or not */
        CLS_TRY(largest(copy, 0, NULL, r));
        copy->empty_line = any_zero(n, r);
        double ratio = cls_scaling_factors(copy->type, n, r, r);
        s->rows = scale == 2 || cls_scaling_worth(copy->type, ratio, copy->measures.largest, 1);
        CLS_TRY(largest(copy, 1, copy->is_band && !s->rows ? NULL : r, c));
        copy->empty_line = copy->empty_line || any_zero(n, c);
        ratio = cls_scaling_factors(copy->type, n, c, c);
        s->cols = scale == 2 || cls_scaling_worth(copy->type, ratio, copy->measures.largest, 0);
    }
    if (!s->rows) set_ones(n, r);
    if (!s->cols) set_ones(n, c);
    return CLSOLVE_OK;
}

/* ---- rows and columns alike ---- */

static clsolve_status read_diagonal(cls_copy *copy, double *diagonal) {
    const int64_t n = copy->n;
    const double more = copy->bits.on ? copy->unit : 1; /* what else copies are multiplied by */

    const int64_t first = copy->is_band ? copy->ku : 0, step = copy->is_band ? copy->length : n + 1;

    if (copy->values)
        for (int64_t i = 0; i < n; ++i) diagonal[i] = copy->values[(first + i * step) * cls_type_parts(copy->type)];
    else
        CLS_TRY(cls_symmetric_diagonal(copy->device, &copy->A, diagonal));
    for (int64_t i = 0; i < n; ++i) diagonal[i] *= more;
    return CLSOLVE_OK;
}

typedef struct measured {
    cls_copy *copy;
    cls_copy_largest *largest;
} measured;

static clsolve_status measure_columns(void *self) {
    const measured *m = self;
    return m->largest(m->copy, 1, m->copy->scaling.host_r, m->copy->scaling.host_c);
}

clsolve_status cls_copy_find_symmetric(cls_copy *copy, int scale, cls_copy_largest *largest) {
    cls_scaling *s = &copy->scaling;
    measured m = {copy, largest};

    copy->empty_line = 0;
    if (copy->n == 0) return CLSOLVE_OK;
    if (copy->indefinite)
        return cls_scaling_indefinite(copy->device, s, copy->measures.largest, scale, measure_columns, &m);
    CLS_TRY(read_diagonal(copy, s->host_r));
    return cls_scaling_symmetric(copy->device, s, copy->measures.largest, scale);
}
