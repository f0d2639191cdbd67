/* band.h (private): what a clsolve_band is, and what band_trust.c and band_solve.c do for band.c. */
#ifndef CLS_API_BAND_H
#define CLS_API_BAND_H

#include <clsolve/band.h>

#include "api/context.h"
#include "api/trust.h"
#include "method/band/trust.h"

struct clsolve_band {
    clsolve_context *context;
    clsolve_band_options options;
    clsolve_type type; /* of the caller's matrices; band.type is that of the factors */
    int64_t n, kl, ku; /* as the caller gave them: the shape of their arrays */
    cls_band band;
    cls_band_refined refined; /* in use where it has a device */
    int factored;             /* band holds the factors of the last matrix, whatever `outcome` says of them */
    clsolve_status outcome;   /* of the last factorization */
    clsolve_status status;    /* of the last call */
    int64_t info, nrhs;
    cls_costs costs;

    cls_measures measures; /* of A as the caller gave it */
    double largest;        /* max |a(i,j)| of what was factored */
    cls_band_verdict verdict;
    double rcond; /* -1: not known */
    int rcond_is_bound;
    cls_refined steps; /* of the last solve */
};

/* The factors in use: band->band, or the double ones after falling back. */
cls_band *cls_band_in_use(clsolve_band *band);

/* ---- band_trust.c ---- */

/* At create, after cls_band_setup; and at destroy, before cls_band_release. */
clsolve_status cls_band_trust_setup(clsolve_band *band);
void cls_band_trust_release(clsolve_band *band);
/* Before a factorization nothing is known. */
void cls_band_trust_forget(clsolve_band *band);

/* Takes A and factors it; measures.row >= 0: it holds NaN or Inf. Float factors that are no use are replaced. */
clsolve_status cls_band_take_and_factor(clsolve_band *band, const cls_band_source *source);
clsolve_status cls_band_condition(clsolve_band *band);

/* The solve of a handle that refines. */
clsolve_status cls_band_solve_refined(clsolve_band *band, clsolve_op op, const clsolve_matrix *B);
void cls_band_trust_report(const clsolve_band *band, clsolve_report *report);

/* ---- band_solve.c ---- */

/* The solve of one that does not. */
clsolve_status cls_band_solve_plain(clsolve_band *band, clsolve_op op, const clsolve_matrix *B);

#endif
