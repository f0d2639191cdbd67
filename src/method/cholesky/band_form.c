/* band_form.c: the caller's forms of a band, and the copy of A that refinement and scaling keep. */
#include <string.h>

#include "base/type.h"
#include "method/cholesky/band.h"
#include "method/fetch.h"
#include "method/symmetric.h"

cls_band_triangle cls_band_triangle_of(const cls_band_cholesky *band, clsolve_uplo uplo, const clsolve_matrix *m) {
    const int by_column = m->layout == CLSOLVE_COLUMN_MAJOR;
    const int64_t row = by_column ? 1 : m->ld, column = by_column ? m->ld : 1;
    /* Upper form: a(j, j + d) is in column j + d at row given - d. */
    if (uplo == CLSOLVE_UPPER) return (cls_band_triangle){m->data, band->given * row, column, column - row, 1};
    return (cls_band_triangle){m->data, 0, column, row, 0};
}

/* ---- the copy of A: both triangles, for residuals ---- */

static void fill_copy(const cls_band_cholesky *b, const clsolve_matrix *A, cls_copy *copy) {
    const cls_band_triangle from = cls_band_triangle_of(b, b->uplo, A);
    const int64_t parts = cls_type_parts(A->type), k = b->k, length = copy->length;

    memset(copy->values, 0, (size_t)(b->n * length * parts) * sizeof *copy->values);
    for (int64_t j = 0; j < b->n; ++j)
        for (int64_t d = 0; d <= k && j + d < b->n; ++d)
            for (int64_t part = 0; part < parts; ++part) {
                const int64_t at = parts * (from.first + j * from.column + d * from.down) + part;
                const double given = d == 0 && part ? 0 : cls_type_get(A->type, from.data, at);
                const double value = part && from.conjugate ? -given : given;
                copy->values[parts * (k - d + (j + d) * length) + part] = part ? -value : value;
                copy->values[parts * (k + d + j * length) + part] = value;
            }
}

clsolve_status cls_band_cholesky_copy(cls_direct *direct, const clsolve_matrix *A, int scale) {
    const cls_band_cholesky *b = direct->factors;
    cls_measures *measures = &direct->copy.measures;
    cls_fetched there; /* the copy lies on the host */

    CLS_TRY(cls_fetch(direct->device, A, &there));
    fill_copy(b, &there.view, &direct->copy);
    cls_fetched_free(&there);
    cls_copy_prepare(&direct->copy, scale);
    if (measures->row < 0) return CLSOLVE_OK;
    const cls_place place = cls_symmetric_place(b->uplo, measures->row, measures->column);
    measures->row = place.row;
    measures->column = place.column;
    return CLSOLVE_OK;
}

void cls_band_cholesky_pack(const cls_band_cholesky *band, const cls_copy *copy, int64_t begin, int64_t cols,
                            void *to) {
    const int64_t parts = cls_type_parts(band->type), n = band->n, k = band->k;

    for (int64_t j = begin; j < begin + cols; ++j)
        for (int64_t d = 0; d <= k; ++d)
            for (int64_t part = 0; part < parts; ++part) {
                const double value = j + d < n ? copy->values[parts * (k + d + j * copy->length) + part] *
                                                     (copy->r ? copy->r[j + d] * copy->c[j] : 1)
                                               : 0;
                cls_type_put(band->type, to, parts * (d + (j - begin) * (k + 1)) + part, value);
            }
}
