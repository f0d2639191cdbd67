/* outcome.c: what a factorization leaves: growth and determinant, and zero pivots. */
#include <float.h>
#include <math.h>

#include "method/band/stream.h"

enum { JOIN = 32 }; /* as in cl/measure.cl */

/* ---- growth and determinant ---- */

/* Where the pivots are the host's, so are the signs. */
static double sign_of_pivots(const cls_band *band) {
    const int64_t *streamed = cls_band_stream_pivots(band);
    double sign = 1;

    for (int64_t i = 0; band->panel.hybrid && i < band->n; ++i)
        if ((streamed ? streamed[i] : band->panel.host_pivots[i]) != i + 1) sign = -sign;
    return sign;
}

clsolve_status cls_band_growth(cls_band *band) {
    int64_t words[CLS_RECORD_WORDS];
    cls_measures measures;
    cls_growth *growth = &band->growth;

    if (!band->window.mapped) {
        CLS_TRY(cls_check_read(band->device, &band->after, band->top + 1, &measures, words));
        *growth = (cls_growth){
            .row = measures.row, .column = measures.column, .largest = measures.largest, .sign = 1, .known = 1};
        band->det_mantissa[0] = cls_check_real(&band->after, &words[CLS_RECORD_MANTISSA]);
        band->det_mantissa[1] = cls_check_imaginary(&band->after, &words[CLS_RECORD_MANTISSA]);
        band->det_exponent = words[CLS_RECORD_EXPONENT];
        if (growth->row >= 0) growth->row += growth->column - band->top;
    }
    const double sign = sign_of_pivots(band);
    cls_growth_multiply(growth, cls_is_complex(band->type), sign * band->det_mantissa[0], sign * band->det_mantissa[1],
                        (double)band->det_exponent);
    return CLSOLVE_OK;
}

/* ---- zero pivots ---- */

static void perturb_column(const cls_band *band, void *u, double value) {
    if (cls_type_is_zero(band->type, u)) cls_type_put(band->type, u, 0, value);
}

clsolve_status cls_band_perturb(cls_band *band, double largest) {
    cls_device *device = band->device;
    float value = (float)(FLT_EPSILON * largest);

    if (band->window.mapped || band->stream) {
        for (int64_t j = 0; j < band->n; ++j)
            perturb_column(band, band->stream ? cls_band_stream_element(band, j, j) : cls_band_host(band, j, j),
                           (double)value);
        return CLSOLVE_OK;
    }
    for (int64_t j = 0, run; j < band->n; j += run) {
        run = cls_band_run(band, j, band->n);
        cls_ref ref = cls_band_at(band, 0, j);
        cls_grid grid = {{(size_t)((run + JOIN - 1) / JOIN * JOIN), 1, 1}, {JOIN, 1, 1}};
        cls_arg args[] = {CLS_REF(ref), CLS_VALUE(j), CLS_VALUE(run), CLS_VALUE(value)};
        CLS_TRY(cls_launch(device, CLS_COMPUTE, band->mend, &grid, CLS_ARGS(args)));
    }
    return CLSOLVE_OK;
}
