/*
 * keep.h: the caller's band kept beside its factors, in double on the host: for residuals, for scaling, and for factors of
 * another type. A residual reads (kl + ku + 1) n numbers, little beside the factors, which have more.
 */
#ifndef CLS_BAND_KEEP_H
#define CLS_BAND_KEEP_H

#include "method/band/band.h"

struct cls_band_keep {
    cls_error *error;
    int64_t n, kl, ku, rows; /* rows = kl + ku + 1 of each column in `values`, tight; zeros outside of the matrix */
    double *values;
    double *r, *c;          /* n each: diag(r) A diag(c) is what is factored; both NULL: A itself */
    int scaled_r, scaled_c; /* whether they are anything but ones */
    double unit;            /* A is kept times this power of two, cls_scaling_lift's: of all below too */
    cls_measures measures;  /* of A as it is kept */
    double norm_inf;        /* times CLS_NORM_SCALE, as measures.norm1 */
    int empty_line;         /* a row or a column is all zeros */
};

/* Diagonals as the band has them, see cls_band. On failure the caller still calls cls_band_keep_release. */
clsolve_status cls_band_keep_setup(cls_error *error, const cls_band *band, cls_band_keep *keep);
void cls_band_keep_release(cls_band_keep *keep);

/*
 * Takes A in, measures it (measures.row >= 0: NaN or Inf, and it stops there), lifts a tiny one and finds scalings: `scale`
 * 0: none, 1: where it is worth it, 2: in any case (LAPACK's gbequb, and the rule of laqgb). The scalings are doubles whatever
 * the factors are of: a matrix of numbers that float has none for is brought to those that it has.
 */
void cls_band_keep_set(cls_band_keep *keep, const cls_band *band, const cls_band_source *source, int scale);
/* R = B - op(A) X, as cls_refine wants it; `self` is the cls_band_keep. */
clsolve_status cls_band_keep_residual(void *self, clsolve_op op, int64_t cols, const double *X, const double *B,
                                      double *R);

/* -log2 of the product of all factors, `unit` to the n among them: what the determinant of the scaled matrix lacks. */
int64_t cls_band_keep_exponent(const cls_band_keep *keep);

#endif
