/* batch.h: many narrow bands at once, see narrow.h. */
#ifndef CLS_BAND_BATCH_H
#define CLS_BAND_BATCH_H

#include <clsolve/batch.h>
#include <clsolve/report.h>

#include "method/band/narrow.h"

typedef struct cls_band_batch {
    cls_narrow narrow;
    cls_narrow_data data;         /* its memory is the batch's */
    int64_t rows;                 /* of a member's storage: 2 kl + ku + 1, of the diagonals that the matrix has */
    int64_t given_ku, given_rows; /* the caller's: its ku, and rows of its factors */
    int64_t above;                /* rows that the caller's factors have above the storage's */
    cls_buffer *tight, *B; /* members on their way, in the caller's layout; right-hand sides as the kernels take them */
    int64_t tight_bytes, B_bytes;
    cls_buffer *spoilt; /* two int32 a member, see cl/band_members.cl */
    int32_t *flags;     /* the same on the host */
    int *powers;        /* a number a member, which was multiplied by two to that; NULL: none was */
} cls_band_batch;

/* As many of the diagonals given on one side as the matrix has. */
int64_t cls_band_batch_diagonals(int64_t n, int64_t given);
/* `batch` is zeroed memory. On failure the caller still calls cls_band_batch_release. */
clsolve_status cls_band_batch_setup(cls_device *device, int64_t n, int64_t given_kl, int64_t given_ku, int64_t count,
                                    clsolve_type type, cls_band_batch *batch);
void cls_band_batch_release(cls_band_batch *batch);

/* As the public calls say; info of a member as theirs, `seconds` of the phases. They wait. Solve takes the
 * factorization's info in `info` and leaves its own there. */
clsolve_status cls_band_batch_factor(cls_band_batch *batch, const clsolve_batch *AB, int32_t *info,
                                     clsolve_seconds *seconds);
clsolve_status cls_band_batch_solve(cls_band_batch *batch, clsolve_op op, const clsolve_batch *B, int32_t *info,
                                    clsolve_seconds *seconds);
/* `none`: a 0 a member; `pivots`: n a member. Either of AFB and pivots may be NULL. */
clsolve_status cls_band_batch_factors(cls_band_batch *batch, const clsolve_batch *AFB, const int32_t *none,
                                      int64_t *pivots);

#endif
