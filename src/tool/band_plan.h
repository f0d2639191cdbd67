/* band_plan.h: how a matrix from a file becomes a band: its diagonals, and where rows and columns go if that makes fewer. */
#ifndef CLS_TOOL_BAND_PLAN_H
#define CLS_TOOL_BAND_PLAN_H

#include <clsolve/matrix.h>

#include "io/matrix_market.h"
#include "order/order.h"
#include "tool/outcome.h"

typedef struct band_plan {
    int made;
    order_band before, after; /* the same where nothing is reordered */
    int64_t *place;           /* where row and column i go, for free(); NULL: where they are */
} band_plan;

/* Zeros that the file has count for nothing. Reverse Cuthill-McKee is tried where less than half of the band is filled, and
 * taken where the band then takes less work. Makes a plan once only. `what` begins the message. */
exit_code band_plan_make(const char *what, const mm_matrix *A, band_plan *plan, outcome *out);

/* Operations of an LU with partial pivoting, of a band and of a dense matrix. */
double band_plan_work(int64_t n, order_band band);
double band_plan_dense_work(int64_t n);

/* Does the host have the memory for the band and what the library keeps beside it? */
exit_code band_plan_check(const char *what, int64_t n, const band_plan *plan, outcome *out);

/* A's band as a column-major array of kl + ku + 1 rows, in `type`; its memory is for free(). Refuses what float cannot hold;
 * counts into *lost what becomes zero in it. */
exit_code band_plan_fill(const char *what, const mm_matrix *A, const band_plan *plan, clsolve_type type,
                         clsolve_matrix *AB, int64_t *lost, outcome *out);

/* Right-hand sides (rows permuted) into an array for the library to overwrite, and solutions back. */
exit_code band_plan_scatter(const char *what, const mm_matrix *B, const band_plan *plan, clsolve_type type,
                            clsolve_matrix *view, outcome *out);
void band_plan_gather(const clsolve_matrix *view, const band_plan *plan, mm_matrix *X);

void band_plan_free(band_plan *plan);

#endif
