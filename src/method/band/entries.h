/* entries.h: the way of a sparse matrix's entries into a band and its window. Only they cross, never the band's
 * zeros. */
#ifndef CLS_BAND_ENTRIES_H
#define CLS_BAND_ENTRIES_H

#include "method/band/band.h"
#include "method/entries.h"

/* Do they take fewer bytes than the band they are in? */
int cls_band_entries_are_few(const cls_band *band, const cls_entries *entries);

/* Packs rows first .. end-1 of column j, of kl + ku + 1, in the band's type; other rows of it are zero already or
 * become it. */
void cls_band_entries_pack(const cls_band *band, const cls_entries *entries, int64_t j, int64_t first, int64_t end,
                           void *to);

/* All of them into the window, which is zero (cls_band_clear). Waits. */
clsolve_status cls_band_entries_scatter(cls_band *band, const cls_entries *entries);

#endif
