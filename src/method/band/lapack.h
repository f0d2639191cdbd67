/* lapack.h: bands of few diagonals in the host's memory, factored as LAPACK's gbtrf does: a way of clsolve_band. */
#ifndef CLS_BAND_LAPACK_H
#define CLS_BAND_LAPACK_H

#include "method/band/band.h"

/* kl + ku up to which few.c was measured to be faster than gbtrf and than blocks (docs/findings/bands.md). */
enum { CLS_LAPACK_DIAGONALS = 256 };

/* Is the band, of kl and ku as used, factored that way where the caller asks for no other? */
int cls_band_lapack_fits(const cls_band *band);
/* Allocates the pivots that this way keeps, in band->own. */
clsolve_status cls_band_lapack_setup(cls_band *band);
/* Pivots that have come into band->panel.host_pivots from the caller. */
void cls_band_lapack_set_pivots(cls_band *band);
extern const cls_band_way cls_band_lapack;

#endif
