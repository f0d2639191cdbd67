/*
 * export.c: the factor as LAPACK's potrf leaves it, to the caller and from him.
 *
 * The factored matrix is S A S, with S = diag(s) of powers of two, or a power of two times A. Its factor is S L, or the
 * root of that number times L: the host takes both out again, so that the caller always has L of A itself.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "method/cholesky/direct.h"
#include "method/mapped.h"

int cls_cholesky_holds(clsolve_type type, double value, int on_diagonal) {
    return fabs(value) <= cls_type_most(type) && (!on_diagonal || value >= cls_type_least(type));
}

clsolve_status cls_cholesky_out_of_range(const cls_direct *direct, const char *call) {
    return cls_fail(direct->device->error, CLSOLVE_OVERFLOW,
                    "%s: the factor of A leaves the range of float: choose CLSOLVE_PRECISION_WORKING, or scale A",
                    call);
}

/* 0: the type does not hold the product. */
static int multiply(clsolve_type type, void *values, int64_t k, double by, int on_diagonal) {
    const int64_t parts = cls_type_parts(type);
    int holds = 1;

    for (int64_t p = 0; p < parts; ++p) {
        const double product = cls_type_get(type, values, k * parts + p) * by;
        holds &= cls_cholesky_holds(type, product, on_diagonal && p == 0);
        cls_type_put(type, values, k * parts + p, product);
    }
    return holds;
}

/* `upper`: the triangle of T that has the factor, whose row i, or column i of U, was multiplied by s(i). 0: the type
 * does not hold the factor of A itself, which may be with factors in float of a matrix of doubles. */
static int unscale(const cls_direct *direct, clsolve_type type, int64_t n, int upper, void *T) {
    const cls_scaling *scaling = cls_direct_scaling(direct);
    const int lines = cls_direct_scaled_lines(direct) != 0;
    const double uniform = direct->copies ? direct->copy.unit : cls_direct_uniform(direct);
    int holds = 1;

    if (!lines && uniform == 1) return 1;
    const double root = 1 / sqrt(uniform);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = upper ? 0 : j; i < (upper ? j + 1 : n); ++i)
            holds &= multiply(type, T, i + j * n, lines ? root / scaling->host_r[upper ? j : i] : root, i == j);
    return holds;
}

/* The factor, or its triangle alone. Out of core it is in the host's memory already. */
static clsolve_status get(cls_cholesky *c, const clsolve_matrix *T) {
    if (c->out.slab == 0) return cls_symmetric_download(c->device, &c->transfer, &c->A, c->upper, T);
    memcpy(T->data, c->out.host, (size_t)(c->n * c->n * cls_type_size(c->type)));
    return CLSOLVE_OK;
}

clsolve_status cls_cholesky_export(cls_direct *direct, const char *call, clsolve_uplo uplo, const clsolve_matrix *F) {
    cls_cholesky *c = cls_direct_in_use(direct);
    const int64_t n = c->n;
    const cls_triangle_view view = cls_symmetric_view(F, uplo);
    clsolve_matrix T = *F;

    if (n == 0) return CLSOLVE_OK;
    T.layout = CLSOLVE_COLUMN_MAJOR;
    T.ld = n;
    T.data = cls_alloc((size_t)n, (size_t)(n * cls_type_size(T.type)));
    if (!T.data)
        return cls_fail(direct->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                        "%s: no host memory for a factor of order %lld", call, (long long)n);
    clsolve_status status = get(c, &T);
    if (status == CLSOLVE_OK && !unscale(direct, T.type, n, c->upper, T.data))
        status = cls_cholesky_out_of_range(direct, call);
    if (status == CLSOLVE_OK) cls_symmetric_copy(n, T.data, c->upper, &view);
    cls_free(T.data);
    return status;
}

/* ---- from the caller ---- */

/* Looks for NaN and Inf in the triangle, and for the first element of the diagonal that no factor has. */
static void inspect(const cls_triangle_view *from, cls_growth *growth, int64_t *info) {
    const clsolve_matrix *view = &from->matrix;
    const int64_t n = view->rows, parts = cls_type_parts(view->type);

    *growth = cls_growth_begin();
    *info = 0;
    for (int64_t j = 0; j < n; ++j) {
        const int64_t first = from->upper ? 0 : j, end = from->upper ? j + 1 : n;
        for (int64_t k = first * parts; k < end * parts; ++k) {
            const double value = cls_type_get(view->type, view->data, j * view->ld * parts + k);
            const int64_t i = k / parts;
            if (i == j && k % parts == 1) continue; /* a diagonal is real */
            growth->largest = fmax(growth->largest, fabs(value));
            if (!isfinite(value) && growth->row < 0) {
                growth->row = i;
                growth->column = j;
            }
            if (i == j && value == 0 && *info == 0) *info = j + 1;
        }
    }
}

/* The triangle of `view` to where the factor is. */
static clsolve_status put(cls_cholesky *c, const cls_triangle_view *view) {
    const int64_t n = c->n, size = cls_type_size(c->type);
    const clsolve_matrix *from = &view->matrix;

    if (c->out.slab == 0) return cls_symmetric_upload(c->device, &c->transfer, from, view->upper, &c->A);
    for (int64_t j = 0; j < n; ++j) {
        const int64_t first = view->upper ? 0 : j, rows = view->upper ? j + 1 : n - j;
        memcpy(cls_matrix_host(&c->whole, first, j), (const char *)from->data + (first + j * from->ld) * size,
               (size_t)(rows * size));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_cholesky_import(cls_direct *direct, const clsolve_matrix *F, const int64_t *ipiv) {
    cls_cholesky *c = direct->factors;
    const cls_triangle_view view = cls_symmetric_view(F, c->uplo);
    const cls_matrix *A = cls_cholesky_matrix(c);

    (void)ipiv;
    inspect(&view, &direct->growth, &direct->info);
    if (direct->growth.row >= 0) {
        const cls_place place = cls_symmetric_place(c->uplo, direct->growth.row, direct->growth.column);
        direct->growth.row = place.row;
        direct->growth.column = place.column;
        return CLSOLVE_OK;
    }
    c->upper = c->A.mapped ? view.upper : 0;
    CLS_TRY(put(c, &view));
    if ((view.upper && !c->A.mapped) || cls_is_complex(c->type)) /* U^H is L, and diagonals are real */
        CLS_TRY(cls_symmetric_mirror(c->device, &c->mirror, A, view.upper, view.conjugate));
    CLS_TRY(cls_scaling_uniform(c->device, &direct->scaling, A->mapped != NULL, 1)); /* of the matrix before */
    if (direct->info > 0) {
        direct->growth = cls_growth_unknown();
        return CLSOLVE_OK;
    }
    return cls_cholesky_determinant(c, &direct->growth);
}
