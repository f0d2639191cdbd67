#include "method/direct/half.h"

#include <math.h>
#include <string.h>

#include "method/mapped.h"

/* The caller's array as the triangle that it is in memory. */
static cls_triangle_view view_of(const cls_half *half, const clsolve_matrix *A) {
    cls_triangle_view view = cls_symmetric_view(A, half->uplo);
    if (half->transposes) view.conjugate = CLS_TRANSPOSES;
    return view;
}

void cls_half_name_place(clsolve_uplo uplo, cls_measures *measures) {
    const cls_place place = cls_symmetric_place(uplo, measures->row, measures->column);
    measures->row = place.row;
    measures->column = place.column;
}

clsolve_status cls_half_copy(cls_direct *direct, const cls_half *half, const clsolve_matrix *A, int scale) {
    const cls_triangle_view view = view_of(half, A);

    direct->copy.upper = view.upper;
    direct->copy.conjugate = view.conjugate;
    CLS_TRY(cls_copy_take(&direct->copy, &view.matrix, scale));
    cls_half_name_place(half->uplo, &direct->copy.measures);
    return CLSOLVE_OK;
}

static clsolve_status measure(cls_direct *direct, const cls_half *h, cls_check_part part) {
    CLS_TRY(cls_check_enqueue(direct->device, h->check, h->A, direct->n, part));
    CLS_TRY(cls_check_read(direct->device, h->check, direct->n, &direct->measures, NULL));
    direct->largest = direct->measures.largest;
    return CLSOLVE_OK;
}

typedef struct scaled {
    cls_device *device;
    cls_scaling *scaling;
    const cls_matrix *A;
} scaled;

static clsolve_status largest_of(void *self) {
    const scaled *s = self;
    return cls_scaling_find_columns(s->device, s->scaling, s->A);
}

/* A positive definite A by its diagonal, LAPACK's poequ; another one by its largest elements. Without the option a tiny
 * matrix as a whole. */
static clsolve_status scale(cls_direct *direct, const cls_half *h) {
    cls_scaling *scaling = &direct->scaling;
    const double largest = direct->measures.largest;
    scaled s = {direct->device, scaling, h->A};

    if (!direct->equilibrate) return cls_direct_scale_tiny(direct, h->check, h->A);
    if (direct->ops->positive_definite) {
        CLS_TRY(cls_symmetric_diagonal(direct->device, h->A, scaling->host_r));
        CLS_TRY(cls_scaling_symmetric(direct->device, scaling, largest, 1));
    } else {
        CLS_TRY(cls_scaling_indefinite(direct->device, scaling, largest, 1, largest_of, &s));
    }
    return scaling->rows ? cls_scaling_to(direct->device, scaling, h->A, h->A) : CLSOLVE_OK;
}

/* ---- in the host's memory: LAPACK factors the triangle as it is, or the matrix is larger than the device ---- */

/* The first NaN or Inf of one triangle, in memory. */
static void find_nonfinite(const cls_matrix *A, int upper, cls_measures *m) {
    const int64_t n = A->rows;

    for (int64_t j = 0; j < n && m->row < 0; ++j)
        for (int64_t i = upper ? 0 : j; i < (upper ? j + 1 : n) && m->row < 0; ++i) {
            const void *a = cls_matrix_host(A, i, j);
            const double imaginary = cls_is_complex(A->type) ? cls_type_get(A->type, a, 1) : 0;
            if (isfinite(cls_type_get(A->type, a, 0)) && isfinite(imaginary)) continue;
            m->row = i;
            m->column = j;
        }
}

/* The triangle of `view`, on the host, column by column, each measured while it is in the cache. */
static void take_triangle(cls_direct *direct, const cls_half *h, const cls_triangle_view *from) {
    cls_measures *m = &direct->measures;
    cls_counters *counters = &direct->device->counters;
    const cls_matrix *A = h->A;
    const int64_t n = direct->n, size = cls_type_size(A->type);
    const clsolve_matrix *view = &from->matrix;
    double sum, largest, all = 0;

    for (int64_t j = 0; j < n; ++j) {
        const int64_t first = from->upper ? 0 : j, rows = from->upper ? j + 1 : n - j;
        void *to = cls_matrix_host(A, first, j);
        memcpy(to, (const char *)view->data + (first + j * view->ld) * size, (size_t)(rows * size));
        cls_symmetric_column(A->type, to, first, rows, j, from->conjugate);
        cls_mapped_column(A->type, to, rows, &sum, &largest);
        all += 0 * sum; /* no number where one of them is none */
        m->largest = fmax(m->largest, largest);
    }
    if (h->crosses) { /* counted as the copy that it is; out of core its slabs are still to cross */
        counters->transfers_up++;
        counters->bytes_up += n * (n + 1) / 2 * size;
    }
    if (all != 0) find_nonfinite(A, from->upper, m);
    direct->largest = m->largest;
}

/* The mirror's `conjugate` for complex elements that are those of A. */
static int as_it_is(const cls_half *h) {
    return h->transposes ? CLS_TRANSPOSES : 0;
}

/* The rest of the way wants a whole matrix. */
static int wants_whole(const cls_direct *direct) {
    return direct->equilibrate || direct->wants_rcond || cls_scaling_unit(direct->type, direct->largest) != 1;
}

static clsolve_status take_mapped(cls_direct *direct, const cls_half *h, const cls_triangle_view *view) {
    int conjugate = view->conjugate;

    if (view->matrix.place == CLSOLVE_ON_HOST) {
        take_triangle(direct, h, view);
        if (direct->measures.row >= 0) return CLSOLVE_OK;
        /* The matrix before may have been tiny, and its scaling is not this one's. */
        if (!wants_whole(direct) && view->upper == h->upper)
            return cls_scaling_uniform(direct->device, &direct->scaling, 1, 1);
        conjugate = as_it_is(h); /* that is done */
    } else {
        CLS_TRY(cls_upload_square(direct->device, h->transfer, &view->matrix, h->A));
    }
    CLS_TRY(cls_symmetric_mirror(direct->device, h->mirror, h->A, view->upper, conjugate));
    CLS_TRY(measure(direct, h, CLS_CHECK_WHOLE));
    return direct->measures.row >= 0 ? CLSOLVE_OK : scale(direct, h);
}

/* ---- on the device ---- */

/* The triangle above the diagonal, where it is wanted and not there. */
static clsolve_status make_whole(cls_direct *direct, const cls_half *h, int *whole) {
    if (*whole || !wants_whole(direct)) return CLSOLVE_OK;
    *whole = 1;
    return cls_symmetric_mirror(direct->device, h->mirror, h->A, 0, as_it_is(h));
}

/* The sums of columns are for the condition number. The first NaN of the lower triangle is that of the whole matrix
 * too, because of two equal elements it has the one in the first column. */
static clsolve_status take_there(cls_direct *direct, const cls_half *h, const cls_triangle_view *view) {
    int whole = view->upper;

    CLS_TRY(cls_symmetric_upload(direct->device, h->transfer, &view->matrix, view->upper, h->A));
    CLS_TRY(cls_symmetric_to_lower(direct->device, h->mirror, h->A, view));
    CLS_TRY(make_whole(direct, h, &whole));
    CLS_TRY(measure(direct, h, direct->wants_rcond ? CLS_CHECK_WHOLE : CLS_CHECK_LOWER));
    if (direct->measures.row >= 0) return CLSOLVE_OK;
    CLS_TRY(make_whole(direct, h, &whole));
    return scale(direct, h);
}

clsolve_status cls_half_take(cls_direct *direct, const cls_half *half, const clsolve_matrix *A) {
    const cls_triangle_view view = view_of(half, A);

    CLS_TRY(half->A->mapped ? take_mapped(direct, half, &view) : take_there(direct, half, &view));
    cls_half_name_place(half->uplo, &direct->measures);
    return CLSOLVE_OK;
}

clsolve_status cls_half_measure_scaled(cls_direct *direct, const cls_half *half) {
    cls_measures scaled;

    if (!cls_direct_scaled_lines(direct)) return CLSOLVE_OK;
    CLS_TRY(cls_check_enqueue(direct->device, half->check, half->A, direct->n, CLS_CHECK_WHOLE));
    CLS_TRY(cls_check_read(direct->device, half->check, direct->n, &scaled, NULL));
    direct->largest = scaled.largest;
    return CLSOLVE_OK;
}
