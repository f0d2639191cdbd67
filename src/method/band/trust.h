/* trust.h: band factors as an operator on the host's vectors; a band kept beside its factors, and what that is good for. */
#ifndef CLS_BAND_TRUST_H
#define CLS_BAND_TRUST_H

#include "method/band/keep.h"
#include "method/refine.h"

/* ---- operator.c ---- */

/* The factors are those of diag(r) A diag(c) where r and c (n each) are not NULL; `unit` as in method/lu/trust.h. */
typedef struct cls_band_operator {
    cls_band *band;
    const double *r, *c;
    double unit;
    int exponent; /* the result is taken times 2^exponent */
} cls_band_operator;

/* to = op(A)^-1 from, n x cols tight doubles; both may be the same. Not finite where the factors make it so. */
clsolve_status cls_band_apply_host(const cls_band_operator *factors, clsolve_op op, int64_t cols, const double *from,
                                   double *to);

/* norm1 is ||A||_1 times CLS_NORM_SCALE, as cls_measures has it, of A without r and c. */
clsolve_status cls_band_rcond(const cls_band_operator *factors, double norm1, double *rcond);

/* ---- refined.c ---- */

typedef struct cls_band_refined {
    cls_device *device; /* NULL: the handle keeps no copy of A */
    clsolve_type type;  /* of the caller's matrices */
    int mixed;          /* factors in float, answers in double */
    int refines;        /* else the copy is there for the scaling alone */
    int alone;          /* mixed, and there is nothing to fall back to: no double on the device, or no room for it */
    int equilibrate;
    cls_band_keep keep;
    cls_band_operator factors; /* the handle's own, or the double ones after falling back */
    cls_band *wide;            /* double factors, made when first needed */
    const char *fallback;      /* why they were; NULL: float does it */
} cls_band_refined;

/* `own`: the handle's factors. On failure the caller still calls the release. */
clsolve_status cls_band_refined_setup(cls_device *device, clsolve_type type, const clsolve_band_options *options,
                                      const cls_band *own, cls_band_refined *refined);
void cls_band_refined_release(cls_band_refined *refined);

/* Keeps A; what is to be factored is then the source {NULL, 0, &refined->keep}. keep.measures.row >= 0: NaN or Inf. */
void cls_band_refined_set(cls_band_refined *refined, cls_band *own, const cls_band_source *source);

/* Whether answers are double's and the factors float's. */
int cls_band_refined_in_float(const cls_band_refined *refined);
/* Whether there is nothing better than float factors, and a zero pivot of theirs does not mean that A is singular. */
int cls_band_refined_must_mend(const cls_band_refined *refined);
/* Whether there is something to fall back to. */
int cls_band_refined_can_widen(const cls_band_refined *refined);
/* Factors the kept matrix in double, for the reason `why` (a static string). On failure, for want of memory above all, the float
 * factors stay in use, nothing of the attempt is kept, and it can be made again. */
clsolve_status cls_band_refined_widen(cls_band_refined *refined, const cls_band *own,
                                      const clsolve_band_options *options, const char *why);

/* The condition number from float factors, which may be too ill-conditioned to tell: *bound then. */
clsolve_status cls_band_refined_rcond(cls_band_refined *refined, double *rcond, int *bound);

/* At most CLS_REFINE_COLUMNS columns of B solved into X, refined where that is asked for; tight doubles. */
clsolve_status cls_band_refined_solve(cls_band_refined *refined, clsolve_op op, int64_t cols, const double *B,
                                      double *X, cls_refined *result);

#endif
