#include "method/band/entries.h"

#include <string.h>

int cls_band_entries_are_few(const cls_band *band, const cls_entries *entries) {
    return cls_entries_are_few(entries, band->type, band->n * (band->kl + band->ku + 1));
}

void cls_band_entries_pack(const cls_band *band, const cls_entries *entries, int64_t j, int64_t first, int64_t end,
                           void *to) {
    const size_t size = (size_t)cls_type_size(band->type);
    memset((char *)to + (size_t)first * size, 0, (size_t)(end - first) * size);
    for (int64_t e = entries->start[j]; e < entries->start[j + 1]; ++e)
        cls_entries_put(entries, e, band->type, to, band->ku + entries->row[e] - j);
}

/* Columns j .. j+run-1, which lie side by side. */
static clsolve_status scatter_run(cls_band *band, const cls_entries *entries, int64_t j, int64_t run,
                                  cls_passage *passage) {
    const cls_matrix m = cls_band_physical(band, j, run, 0, band->window.rows);
    for (int64_t c = j; c < j + run; ++c)
        for (int64_t e = entries->start[c]; e < entries->start[c + 1]; ++e)
            CLS_TRY(cls_passage_put(passage, entries, e, m.slab[0],
                                    m.offset + (c - j) * m.ld + band->top + entries->row[e] - c));
    return cls_passage_cross(passage, m.slab[0]);
}

clsolve_status cls_band_entries_scatter(cls_band *band, const cls_entries *entries) {
    cls_passage passage;

    if (entries->start[entries->n] == 0) return CLSOLVE_OK;
    clsolve_status status = cls_passage_open(band->device, band->type, entries->start[entries->n], &passage);
    for (int64_t j = 0, run; j < band->n && status == CLSOLVE_OK; j += run) {
        run = cls_band_run(band, j, band->n);
        status = scatter_run(band, entries, j, run, &passage);
    }
    cls_passage_close(&passage);
    return status;
}
