/* growth.c: what passes over A and over U find: NaN and Inf, the largest elements, the product of the pivots. */
#include <math.h>

#include "method/band/band.h"
#include "method/mapped.h"

enum { JOIN = 32 }; /* as in cl/measure.cl */

/* ---- a mapped window ---- */

/* Physical rows first .. end-1 of a column, and of those the ones of the matrix. Joins into the three. */
static void measure_column(const cls_band *band, int64_t j, int64_t first, int64_t end, cls_measures *m) {
    double sum, largest;
    int64_t least = band->top - j, most = band->top + band->n - j;
    if (first < least) first = least;
    if (end > most) end = most;
    const void *a = cls_matrix_host(&band->window, first, j);
    const int64_t parts = cls_type_parts(band->type);

    cls_mapped_column(band->type, a, end - first, &sum, &largest);
    if (largest > m->largest) m->largest = largest;
    if (isfinite(sum)) {
        if (parts == 2) sum = cls_mapped_moduli(band->type, a, end - first, largest);
        if (sum > m->norm1) m->norm1 = sum;
        return;
    }
    for (int64_t k = 0; k < parts * (end - first) && m->row < 0; ++k)
        if (!isfinite(cls_type_get(band->type, a, k))) {
            m->row = first + k / parts - band->top + j;
            m->column = j;
        }
}

/* Columns one behind the other, whose rows outside of the matrix are zero. */
static void measure_columns(const cls_band *band, int64_t j, int64_t cols, int64_t first, int64_t end,
                            cls_measures *m) {
    double norm, largest;

    if (cls_is_complex(band->type)) { /* the norm of a block is not that of moduli */
        for (int64_t c = j; c < j + cols && m->row < 0; ++c) measure_column(band, c, first, end, m);
        return;
    }
    cls_mapped_block(band->type, cls_matrix_host(&band->window, first, j), band->window.ld, end - first, cols, &norm,
                     &largest);
    if (largest > m->largest) m->largest = largest;
    if (isfinite(norm) && norm > m->norm1) m->norm1 = norm;
    for (int64_t c = j; !isfinite(norm) && c < j + cols && m->row < 0; ++c) measure_column(band, c, first, end, m);
}

static void measure_mapped(cls_band *band, int64_t j, int64_t cols) {
    if (j == 0) band->measures = (cls_measures){.row = -1, .column = -1};
    for (int64_t c = j, run; c < j + cols && band->measures.row < 0; c += run) {
        run = cls_matrix_run(&band->window, c, j + cols);
        measure_columns(band, c, run, band->top - band->ku, band->top + band->kl + 1, &band->measures);
    }
}

static int is_middling(double x) {
    return fabs(x) > 0x1p-500 && fabs(x) < 0x1p500;
}

/* Multiplies the determinant by the diagonal of `count` columns; that of the first lies at `first`. */
static void multiply_diagonal(cls_band *band, const void *first, int64_t count) {
    const int64_t step = band->window.ld * cls_type_parts(band->type);
    for (int64_t k = 0; k < count; ++k) {
        const double u[2] = {cls_type_get(band->type, first, k * step),
                             cls_is_complex(band->type) ? cls_type_get(band->type, first, k * step + 1) : 0};
        const double product = band->det_mantissa[0] * u[0]; /* of a real band: as a rule that is all */
        if (u[1] == 0 && band->det_mantissa[1] == 0 && is_middling(u[0]) && is_middling(product)) {
            band->det_mantissa[0] = product;
            continue;
        }
        cls_mapped_multiply(cls_is_complex(band->type), u, band->det_mantissa, &band->det_exponent);
    }
}

static void look_at_mapped(cls_band *band, int64_t j, int64_t cols) {
    cls_growth *growth = &band->growth;

    if (j == 0) {
        *growth = cls_growth_begin();
        band->det_mantissa[0] = 1;
        band->det_mantissa[1] = 0;
        band->det_exponent = 0;
    }
    cls_measures m = {.row = growth->row, .column = growth->column, .largest = growth->largest};
    /* Column by column nothing is touched outside of the matrix; products of blocks may leave something there. */
    for (int64_t c = j, run; c < j + cols; c += run) {
        run = band->block == 1 ? cls_matrix_run(&band->window, c, j + cols) : 1;
        if (m.row < 0 && band->block == 1) measure_columns(band, c, run, band->top - band->above, band->top + 1, &m);
        if (m.row < 0 && band->block != 1) measure_column(band, c, band->top - band->above, band->top + 1, &m);
        multiply_diagonal(band, cls_band_host(band, c, c), run);
    }
    growth->row = m.row;
    growth->column = m.column;
    growth->largest = m.largest;
}

/* ---- on the device ---- */

clsolve_status cls_band_measure(cls_band *band, int64_t j, int64_t cols) {
    if (band->window.mapped) {
        measure_mapped(band, j, cols);
        return CLSOLVE_OK;
    }
    for (int64_t c = j, run; c < j + cols; c += run) {
        run = cls_band_run(band, c, j + cols);
        cls_matrix view = cls_band_physical(band, c, run, 0, band->window.rows);
        CLS_TRY(cls_check_accumulate(band->device, &band->check, CLS_COMPUTE, &view, c, run, CLS_CHECK_WHOLE, c > 0));
    }
    return CLSOLVE_OK;
}

static clsolve_status enqueue_det(cls_band *band, int64_t j, int64_t cols) {
    cls_device *device = band->device;
    const cls_panel *panel = &band->panel;
    /* The kernel looks at offset + first + c + c * ld. */
    int64_t lead = cls_band_lead(band, j), first = j - lead;
    cls_ref ref = cls_band_at(band, lead, j);
    int32_t more = j > 0, swapped = !panel->hybrid;
    cls_grid one = {{JOIN, 1, 1}, {JOIN, 1, 1}};
    cls_arg args[] = {CLS_REF(ref),
                      CLS_VALUE(first),
                      CLS_VALUE(cols),
                      CLS_BUFFER(panel->ipiv),
                      CLS_VALUE(swapped),
                      CLS_VALUE(more),
                      CLS_BUFFER(band->after.record)};
    return cls_launch(device, CLS_COMPUTE, band->det, &one, CLS_ARGS(args));
}

clsolve_status cls_band_look_at(cls_band *band, int64_t j, int64_t cols) {
    if (band->window.mapped) {
        look_at_mapped(band, j, cols);
        return CLSOLVE_OK;
    }
    for (int64_t c = j, run; c < j + cols; c += run) {
        run = cls_band_run(band, c, j + cols);
        cls_matrix view = cls_band_physical(band, c, run, 0, band->top + 1);
        CLS_TRY(cls_check_accumulate(band->device, &band->after, CLS_COMPUTE, &view, c, run, CLS_CHECK_WHOLE, c > 0));
        CLS_TRY(enqueue_det(band, c, run));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_band_measured(cls_band *band) {
    cls_measures *m = &band->measures;
    if (band->window.mapped) return CLSOLVE_OK;
    CLS_TRY(cls_check_read(band->device, &band->check, band->window.rows, m, NULL));
    if (m->row >= 0) m->row += m->column - band->top;
    return CLSOLVE_OK;
}
