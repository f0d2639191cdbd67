/* judge.c: is A finite, and how large; is U, what is its determinant, how much has it grown? */
#include <float.h>
#include <math.h>

#include "method/band/stream.h"
#include "method/mapped.h"

enum { JOIN = 32 }; /* as in cl/lu_det.cl */

/* ---- a mapped window ---- */

/* Physical rows first .. end-1 of a column, and of those the ones of the matrix. Joins into the three. */
static void measure_column(const cls_band *band, int64_t j, int64_t first, int64_t end, cls_measures *m) {
    double sum, largest;
    int64_t least = band->top - j, most = band->top + band->n - j;
    if (first < least) first = least;
    if (end > most) end = most;
    const char *a = cls_matrix_host(&band->window, first, j);

    cls_mapped_column(band->type, a, end - first, &sum, &largest);
    if (largest > m->largest) m->largest = largest;
    if (isfinite(sum)) {
        if (sum > m->norm1) m->norm1 = sum;
        return;
    }
    for (int64_t r = first; r < end && m->row < 0; ++r, a += cls_type_size(band->type))
        if (!isfinite(band->type == CLSOLVE_F64 ? *(const double *)a : (double)*(const float *)a)) {
            m->row = r - band->top + j;
            m->column = j;
        }
}

static void measure_mapped(cls_band *band, int64_t j, int64_t cols) {
    if (j == 0) band->measures = (cls_measures){.row = -1, .column = -1};
    for (int64_t c = j; c < j + cols && band->measures.row < 0; ++c)
        measure_column(band, c, band->top - band->ku, band->top + band->kl + 1, &band->measures);
}

static void look_at_mapped(cls_band *band, int64_t j, int64_t cols) {
    cls_band_verdict *v = &band->verdict;

    if (j == 0) *v = (cls_band_verdict){.row = -1, .column = -1, .known = 1, .mantissa = 1};
    cls_measures m = {.row = v->row, .column = v->column, .largest = v->largest};
    for (int64_t c = j; c < j + cols; ++c) {
        int own, more;
        if (m.row < 0) measure_column(band, c, band->top - band->kv, band->top + 1, &m);
        const void *diagonal = cls_band_host(band, c, c);
        double u =
            frexp(band->type == CLSOLVE_F64 ? *(const double *)diagonal : (double)*(const float *)diagonal, &own);
        v->mantissa = frexp(v->mantissa * u, &more);
        v->exponent += own + more;
    }
    v->row = m.row;
    v->column = m.column;
    v->largest = m.largest;
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
        CLS_TRY(cls_check_accumulate(band->device, &band->check, &view, c, run, c > 0));
    }
    return CLSOLVE_OK;
}

static clsolve_status enqueue_det(cls_band *band, int64_t j, int64_t cols) {
    cls_device *device = band->device;
    cls_lu *panel = &band->panel;
    /* The kernel looks at offset + first + c + c * ld. */
    int64_t lead = cls_band_lead(band, j), first = j - lead;
    cls_ref ref = cls_band_at(band, lead, j);
    int32_t more = j > 0, swapped = !panel->hybrid;
    cls_grid one = {{JOIN, 1, 1}, {JOIN, 1, 1}};
    cls_arg args[] = {CLS_BUFFER(ref.buffer), CLS_VALUE(ref.offset), CLS_VALUE(ref.ld),
                      CLS_VALUE(first),       CLS_VALUE(cols),       CLS_BUFFER(panel->ipiv),
                      CLS_VALUE(swapped),     CLS_VALUE(more),       CLS_BUFFER(panel->check.record)};
    return device->ops->launch(device, CLS_COMPUTE, panel->det, &one, args, 9, NULL, NULL);
}

clsolve_status cls_band_look_at(cls_band *band, int64_t j, int64_t cols) {
    if (band->window.mapped) {
        look_at_mapped(band, j, cols);
        return CLSOLVE_OK;
    }
    for (int64_t c = j, run; c < j + cols; c += run) {
        run = cls_band_run(band, c, j + cols);
        cls_matrix view = cls_band_physical(band, c, run, 0, band->top + 1);
        CLS_TRY(cls_check_accumulate(band->device, &band->panel.check, &view, c, run, c > 0));
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

/* Where the pivots are the host's, so are the signs. */
static void turn_sign(cls_band *band) {
    const int64_t *streamed = cls_band_stream_pivots(band);

    if (!band->panel.hybrid) return;
    for (int64_t i = 0; i < band->n; ++i)
        if ((streamed ? streamed[i] : band->panel.host_pivots[i]) != i + 1) band->verdict.sign = -band->verdict.sign;
}

clsolve_status cls_band_judged(cls_band *band) {
    int64_t words[CLS_RECORD_WORDS];
    cls_measures measures;
    cls_band_verdict *v = &band->verdict;

    if (!band->window.mapped) {
        CLS_TRY(cls_check_read(band->device, &band->panel.check, band->top + 1, &measures, words));
        *v =
            (cls_band_verdict){.row = measures.row, .column = measures.column, .largest = measures.largest, .known = 1};
        v->mantissa = cls_check_real(&band->panel.check, &words[CLS_RECORD_MANTISSA]);
        v->exponent = words[CLS_RECORD_EXPONENT];
        if (v->row >= 0) v->row += v->column - band->top;
    }
    v->sign = (v->mantissa > 0) - (v->mantissa < 0);
    v->log_abs_det = log(fabs(v->mantissa)) + (double)v->exponent * log(2);
    turn_sign(band);
    if (v->sign == 0) v->log_abs_det = -(double)INFINITY;
    return CLSOLVE_OK;
}

/* ---- mending ---- */

static void mend_column(const cls_band *band, void *u, double value) {
    if (band->type == CLSOLVE_F64 && *(double *)u == 0) *(double *)u = value;
    if (band->type == CLSOLVE_F32 && *(float *)u == 0) *(float *)u = (float)value;
}

clsolve_status cls_band_mend(cls_band *band, double largest) {
    cls_device *device = band->device;
    float value = (float)(FLT_EPSILON * largest);

    if (band->window.mapped || band->stream) {
        for (int64_t j = 0; j < band->n; ++j)
            mend_column(band, band->stream ? cls_band_stream_element(band, j, j) : cls_band_host(band, j, j),
                        (double)value);
        return CLSOLVE_OK;
    }
    for (int64_t j = 0, run; j < band->n; j += run) {
        run = cls_band_run(band, j, band->n);
        cls_ref ref = cls_band_at(band, 0, j);
        cls_grid grid = {{(size_t)((run + JOIN - 1) / JOIN * JOIN), 1, 1}, {JOIN, 1, 1}};
        cls_arg args[] = {CLS_BUFFER(ref.buffer), CLS_VALUE(ref.offset), CLS_VALUE(ref.ld),
                          CLS_VALUE(j),           CLS_VALUE(run),        CLS_VALUE(value)};
        CLS_TRY(device->ops->launch(device, CLS_COMPUTE, band->panel.mend, &grid, args, 6, NULL, NULL));
    }
    return CLSOLVE_OK;
}
