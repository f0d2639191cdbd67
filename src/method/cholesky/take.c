/*
 * take.c: one triangle of A to where it is factored: measured, and scaled where that is asked for. Kernels factor the
 * lower triangle and read no other. So the other one is made only for a condition number and for scaling.
 */
#include <math.h>
#include <string.h>

#include "method/cholesky/direct.h"
#include "method/mapped.h"

static clsolve_status measure(cls_direct *direct, cls_check_part part) {
    cls_cholesky *c = direct->factors;

    CLS_TRY(cls_check_enqueue(c->device, &c->check, cls_cholesky_matrix(c), c->n, part));
    CLS_TRY(cls_check_read(c->device, &c->check, c->n, &direct->measures, NULL));
    direct->largest = direct->measures.largest;
    return CLSOLVE_OK;
}

/* By the diagonal, LAPACK's poequ; else a tiny matrix as a whole. */
static clsolve_status scale(cls_direct *direct) {
    cls_cholesky *c = direct->factors;
    cls_scaling *scaling = &direct->scaling;
    const cls_matrix *A = cls_cholesky_matrix(c);

    if (!direct->equilibrate) return cls_direct_scale_tiny(direct, &c->check, A);
    CLS_TRY(cls_symmetric_diagonal(c->device, A, scaling->host_r));
    CLS_TRY(cls_scaling_symmetric(c->device, scaling, direct->measures.largest, 1));
    return scaling->rows ? cls_scaling_to(c->device, scaling, A, A) : CLSOLVE_OK;
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
static void take_triangle(cls_direct *direct, const cls_triangle_view *from) {
    cls_cholesky *c = direct->factors;
    cls_measures *m = &direct->measures;
    cls_counters *counters = &direct->device->counters;
    const cls_matrix *A = cls_cholesky_matrix(c);
    const int64_t n = c->n, size = cls_type_size(c->type);
    const clsolve_matrix *view = &from->matrix;
    double sum, largest, all = 0;

    for (int64_t j = 0; j < n; ++j) {
        const int64_t first = from->upper ? 0 : j, rows = from->upper ? j + 1 : n - j;
        void *to = cls_matrix_host(A, first, j);
        memcpy(to, (const char *)view->data + (first + j * view->ld) * size, (size_t)(rows * size));
        cls_symmetric_column(c->type, to, first, rows, j, from->conjugate);
        cls_mapped_column(c->type, to, rows, &sum, &largest);
        all += 0 * sum; /* no number where one of them is none */
        m->largest = fmax(m->largest, largest);
    }
    if (c->out.slab == 0) { /* counted as the copy that it is; out of core its slabs are still to cross */
        counters->transfers_up++;
        counters->bytes_up += n * (n + 1) / 2 * size;
    }
    if (all != 0) find_nonfinite(A, from->upper, m);
    direct->largest = m->largest;
}

/* The rest of the way wants a whole matrix. */
static int wants_whole(const cls_direct *direct) {
    return direct->equilibrate || direct->wants_rcond || cls_scaling_unit(direct->type, direct->largest) != 1;
}

static clsolve_status take_mapped(cls_direct *direct, const cls_triangle_view *view) {
    cls_cholesky *c = direct->factors;
    int conjugate = view->conjugate;

    if (view->matrix.place == CLSOLVE_ON_HOST) {
        take_triangle(direct, view);
        if (direct->measures.row >= 0) return CLSOLVE_OK;
        /* The matrix before may have been tiny, and its scaling is not this one's. */
        if (!wants_whole(direct) && view->upper == c->upper)
            return cls_scaling_uniform(c->device, &direct->scaling, 1, 1);
        conjugate = 0; /* that is done */
    } else {
        CLS_TRY(cls_upload_square(c->device, &c->transfer, &view->matrix, cls_cholesky_matrix(c)));
    }
    CLS_TRY(cls_symmetric_mirror(c->device, &c->mirror, cls_cholesky_matrix(c), view->upper, conjugate));
    CLS_TRY(measure(direct, CLS_CHECK_WHOLE));
    return direct->measures.row >= 0 ? CLSOLVE_OK : scale(direct);
}

/* ---- on the device ---- */

/* The triangle above the diagonal, where it is wanted and not there. */
static clsolve_status make_whole(cls_direct *direct, int *whole) {
    cls_cholesky *c = direct->factors;

    if (*whole || !wants_whole(direct)) return CLSOLVE_OK;
    *whole = 1;
    return cls_symmetric_mirror(c->device, &c->mirror, &c->A, 0, 0);
}

/* The sums of columns are for the condition number. The first NaN of the lower triangle is that of the whole matrix
 * too, because of two equal elements it has the one in the first column. */
static clsolve_status take_there(cls_direct *direct, const cls_triangle_view *view) {
    cls_cholesky *c = direct->factors;
    int whole = view->upper;

    CLS_TRY(cls_symmetric_upload(c->device, &c->transfer, &view->matrix, view->upper, &c->A));
    CLS_TRY(cls_cholesky_lower(c, view));
    CLS_TRY(make_whole(direct, &whole));
    CLS_TRY(measure(direct, direct->wants_rcond ? CLS_CHECK_WHOLE : CLS_CHECK_LOWER));
    if (direct->measures.row >= 0) return CLSOLVE_OK;
    CLS_TRY(make_whole(direct, &whole));
    return scale(direct);
}

clsolve_status cls_cholesky_copy(cls_direct *direct, const clsolve_matrix *A, int scale_how) {
    cls_cholesky *c = direct->factors;
    const cls_triangle_view view = cls_symmetric_view(A, c->uplo);

    direct->copy.upper = view.upper;
    direct->copy.conjugate = view.conjugate;
    CLS_TRY(cls_copy_take(&direct->copy, &view.matrix, scale_how));
    cls_cholesky_name_place(c, &direct->copy.measures);
    return CLSOLVE_OK;
}

clsolve_status cls_cholesky_take_plainly(cls_direct *direct, const clsolve_matrix *A) {
    cls_cholesky *c = direct->factors;
    const cls_triangle_view view = cls_symmetric_view(A, c->uplo);

    CLS_TRY(cls_cholesky_matrix(c)->mapped ? take_mapped(direct, &view) : take_there(direct, &view));
    cls_cholesky_name_place(c, &direct->measures);
    return CLSOLVE_OK;
}

clsolve_status cls_cholesky_take(cls_direct *direct, const clsolve_matrix *A) {
    cls_cholesky *c = direct->factors;

    c->upper = c->A.mapped ? cls_symmetric_view(A, c->uplo).upper : 0;
    if (direct->copies) return cls_copy_write(&direct->copy, cls_cholesky_matrix(c)); /* it has both triangles */
    if (c->n == 0 || cls_cholesky_takes_while_factoring(direct, A)) return CLSOLVE_OK;
    return cls_cholesky_take_plainly(direct, A);
}
