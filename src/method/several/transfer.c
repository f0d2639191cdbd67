/*
 * transfer.c: the caller's matrix to the devices and the factors back, each device its own columns; what is measured.
 */
#include "method/several/several.h"

#include <math.h>

#include "method/lu/direct.h"
#include "method/mapped.h"

/* A matrix that is packed as the device's is, from block column b on, as one whose columns begin with it. */
static cls_matrix columns_from(const cls_several_part *part, const cls_matrix *matrix, int64_t b) {
    return cls_matrix_from(matrix, -part->several->local[b]);
}

/* ---- A ---- */

clsolve_status cls_several_measure_part(cls_several_part *part, cls_check *check, const cls_matrix *matrix) {
    cls_lu *lu = &part->lu;
    cls_measures *m = &part->measures;
    const cls_several *several = part->several;

    *m = (cls_measures){.row = -1, .column = -1};
    if (part->cols == 0) return CLSOLVE_OK;
    CLS_TRY(cls_check_enqueue(lu->device, check, matrix, part->cols, CLS_CHECK_WHOLE));
    CLS_TRY(cls_check_read(lu->device, check, lu->n, m, NULL));
    if (m->row < 0) return CLSOLVE_OK;
    const int64_t here = m->column;
    CLS_SEVERAL_EACH_OWN(part, b)
    if (here >= several->local[b] && here < several->local[b] + cls_several_width(several, b))
        m->column = cls_several_column(several, b) + here - several->local[b];
    return CLSOLVE_OK;
}

clsolve_status cls_several_upload_part(cls_several_part *part, const clsolve_matrix *A, cls_transfer *transfer,
                                       const cls_matrix *to, cls_matrix *scratch) {
    const cls_several *several = part->several;
    cls_device *device = part->lu.device;

    if (!several->entries && A->layout == CLSOLVE_ROW_MAJOR && !to->mapped)
        CLS_TRY(cls_matrix_reserve(device, to->type, several->width, several->n, 0, 0, scratch));
    CLS_SEVERAL_EACH_OWN(part, b) {
        const cls_matrix columns = columns_from(part, to, b);
        const int64_t j = cls_several_column(several, b), width = cls_several_width(several, b);
        CLS_TRY(several->entries ? cls_entries_scatter(device, several->entries, j, width, &columns)
                                 : cls_upload(device, transfer, A, j, width, &columns, scratch));
    }
    return CLSOLVE_OK;
}

static clsolve_status upload(cls_several_part *part, void *what) {
    cls_lu *lu = &part->lu;

    CLS_TRY(cls_several_upload_part(part, what, &lu->transfer, &lu->A, &lu->scratch));
    return cls_several_measure_part(part, &lu->check, &lu->A);
}

void cls_several_join_measures(const cls_several *several, cls_measures *measures) {
    *measures = (cls_measures){.row = -1, .column = -1};
    for (int p = 0; p < several->count; ++p) {
        const cls_measures *m = &several->parts[p].measures;
        if (m->row >= 0 && (measures->row < 0 || m->column < measures->column)) {
            measures->row = m->row;
            measures->column = m->column;
        }
        measures->largest = fmax(measures->largest, m->largest);
        measures->norm1 = fmax(measures->norm1, m->norm1);
    }
}

clsolve_status cls_several_upload(cls_several *several, const clsolve_matrix *A, cls_measures *measures) {
    CLS_TRY(cls_several_run(several, upload, (void *)(uintptr_t)A));
    cls_several_join_measures(several, measures);
    return CLSOLVE_OK;
}

/* ---- L\U ---- */

/* The rows of L as later pivots move them: in a copy, because solves want them as they are. */
static clsolve_status export_block(cls_several_part *part, int64_t b, const clsolve_matrix *LU) {
    cls_lu *lu = &part->lu;
    cls_device *device = lu->device;
    const cls_several *several = part->several;
    const int64_t width = cls_several_width(several, b), j = cls_several_column(several, b),
                  size = cls_type_size(several->type);
    const cls_matrix window = cls_several_window(part, b);

    if (lu->panel.mapped) {
        for (int64_t c = 0; c < width; ++c) {
            const char *from = cls_matrix_host(&window, 0, j + c);
            char *to = cls_matrix_host(&lu->B, 0, c);
            for (int64_t k = 0; k < several->n * size; ++k) to[k] = from[k];
        }
    } else {
        const cls_ref from = cls_matrix_at(&window, 0, j), to = cls_matrix_at(&lu->B, 0, 0);
        const cls_span span = {(size_t)(several->n * size),  (size_t)width,
                               (size_t)(from.offset * size), (size_t)(from.ld * size),
                               (size_t)(to.offset * size),   (size_t)(to.ld * size)};
        CLS_TRY(device->ops->copy_rect(device, CLS_COMPUTE, from.buffer, to.buffer, &span));
    }
    if (j + width < several->n)
        CLS_TRY(cls_panel_move_rows(&lu->panel, CLS_COMPUTE, &lu->B, 0, width, width, 0, j + width, several->n, 0));
    return cls_download(device, &lu->transfer, &lu->B, width, LU, j, &lu->scratch);
}

static clsolve_status export_part(cls_several_part *part, void *what) {
    const clsolve_matrix *LU = what;
    cls_lu *lu = &part->lu;
    const cls_several *several = part->several;

    CLS_TRY(cls_matrix_reserve(lu->device, lu->type, several->n, several->width, 0, lu->panel.mapped, &lu->B));
    if (LU->layout == CLSOLVE_ROW_MAJOR && !lu->panel.mapped)
        CLS_TRY(cls_matrix_reserve(lu->device, lu->type, several->width, several->n, 0, 0, &lu->scratch));
    CLS_SEVERAL_EACH_OWN(part, b) CLS_TRY(export_block(part, b, LU));
    return CLSOLVE_OK;
}

static clsolve_status export_pivots(cls_several_part *part, void *what) {
    int64_t *ipiv = what;
    cls_lu *lu = &part->lu;
    const cls_several *several = part->several;

    CLS_SEVERAL_EACH_OWN(part, b) {
        const int64_t j = cls_several_column(several, b), width = cls_several_width(several, b);
        const size_t word = sizeof *ipiv, bytes = (size_t)width * word;
        const cls_rect rect = {bytes, 1, (size_t)j * word, bytes, bytes};
        for (int64_t t = 0; lu->panel.mapped && t < width; ++t) ipiv[j + t] = lu->panel.host_pivots[j + t];
        if (!lu->panel.mapped)
            CLS_TRY(lu->device->ops->read(lu->device, CLS_COMPUTE, lu->panel.ipiv, ipiv + j, &rect, NULL, NULL));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_several_export(cls_several *several, const clsolve_matrix *LU, int64_t *ipiv) {
    if (ipiv) CLS_TRY(cls_several_run(several, export_pivots, ipiv));
    return LU ? cls_several_run(several, export_part, (void *)(uintptr_t)LU) : CLSOLVE_OK;
}

/* ---- growth ---- */

/* The growth of a mapped matrix, column by column. */
static void growth_mapped(cls_several_part *part, int64_t b) {
    const cls_lu *lu = &part->lu;
    const cls_several *several = part->several;
    const int64_t parts = cls_type_parts(several->type), j = cls_several_column(several, b);
    const cls_matrix window = cls_several_window(part, b);
    cls_growth *growth = &part->growth;

    for (int64_t c = j; c < j + cls_several_width(several, b); ++c) {
        const void *column = cls_matrix_host(&window, 0, c);
        double sum, largest, below;
        cls_mapped_column(several->type, column, c + 1, &sum, &largest);
        cls_mapped_column(several->type, cls_matrix_host(&window, c, c), several->n - c, &below, &(double){0});
        growth->largest = fmax(growth->largest, largest);
        for (int64_t i = 0; !(isfinite(sum) && isfinite(below)) && i < several->n * parts && growth->row < 0; ++i)
            if (!isfinite(cls_type_get(several->type, column, i))) growth->row = i / parts, growth->column = c;
        const double sign = lu->panel.host_pivots[c] != c + 1 ? -1 : 1;
        const double re = sign * cls_type_get(several->type, column, c * parts);
        const double im = parts == 2 ? sign * cls_type_get(several->type, column, c * parts + 1) : 0;
        cls_growth_multiply(growth, cls_is_complex(several->type), re, im, 0);
    }
}

/* All block columns of the device in one wait. */
static clsolve_status growth_on_device(cls_several_part *part) {
    cls_lu *lu = &part->lu;
    const cls_several *several = part->several;
    const int64_t origin = lu->A.origin;
    clsolve_status status = CLSOLVE_OK;
    int more = 0;

    CLS_SEVERAL_EACH_OWN(part, b) {
        const int64_t j = cls_several_column(several, b);
        lu->A.origin = j - several->local[b];
        if (status == CLSOLVE_OK) status = cls_lu_growth_enqueue(lu, j, j + cls_several_width(several, b), more++ > 0);
    }
    lu->A.origin = origin;
    CLS_TRY(status);
    return more > 0 ? cls_lu_growth_read(lu, 1, &part->growth) : CLSOLVE_OK;
}

static clsolve_status growth_part(cls_several_part *part, void *what) {
    (void)what;
    part->growth = cls_growth_begin();
    if (!part->lu.panel.mapped) return growth_on_device(part);
    CLS_SEVERAL_EACH_OWN(part, b) growth_mapped(part, b);
    return CLSOLVE_OK;
}

clsolve_status cls_several_growth(cls_several *several, cls_growth *growth) {
    *growth = cls_growth_begin();
    CLS_TRY(cls_several_run(several, growth_part, NULL));
    for (int p = 0; p < several->count; ++p) {
        const cls_growth *g = &several->parts[p].growth;
        if (g->row >= 0 && (growth->row < 0 || g->column < growth->column)) {
            growth->row = g->row;
            growth->column = g->column;
        }
        growth->largest = fmax(growth->largest, g->largest);
        growth->sign *= g->sign;
        growth->log_abs_det += g->log_abs_det;
        growth->phase = remainder(growth->phase + g->phase, 2 * 3.14159265358979323846);
    }
    if (growth->sign == 0) growth->log_abs_det = -(double)INFINITY, growth->phase = 0;
    return CLSOLVE_OK;
}
