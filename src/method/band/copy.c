/* copy.c: the caller's band into a copy of A. */
#include <string.h>

#include "method/band/direct.h"

/* As cls_band_pack, but the caller's numbers become double whatever the factors are. */
static void take(cls_copy *copy, const cls_band *band, const cls_band_source *source) {
    cls_band plain = *band; /* its shape, with the caller's type */
    plain.unit = 1;
    plain.type = source->entries ? cls_double_type(band->type) : source->view->type;
    const int64_t numbers = copy->length * cls_type_parts(plain.type); /* of a column */
    if (cls_is_double(plain.type)) {
        cls_band_pack(&plain, source, 0, copy->n, copy->values, copy->length);
        return;
    }
    /* Into the far half of each column's room, then forward: no number is overwritten before it is read. */
    for (int64_t j = 0; j < copy->n; ++j) {
        double *column = copy->values + j * numbers;
        float *singles = (float *)column + numbers;
        cls_band_pack(&plain, source, j, 1, singles, copy->length);
        for (int64_t r = 0; r < numbers; ++r) {
            float value;
            memcpy(&value, singles + r, sizeof value);
            double wide = (double)value;
            memcpy(column + r, &wide, sizeof wide);
        }
    }
}

void cls_band_copy_take(cls_copy *copy, const cls_band *band, const cls_band_source *source, int scale) {
    take(copy, band, source);
    cls_copy_prepare(copy, scale);
}
