/*
 * keep.h: the caller's matrix kept beside its factors, for residuals: on the device, or on the host in double where the
 * device has no room for it or no double.
 */
#ifndef CLS_KEEP_H
#define CLS_KEEP_H

#include "method/check.h"
#include "method/scaling.h"
#include "method/transfer.h"

typedef struct cls_keep {
    cls_device *device;
    clsolve_type type; /* of the caller's matrix */
    int64_t n;
    cls_matrix A, X, R; /* on the device: A, and room for CLS_REFINE_COLUMNS vectors */
    cls_transfer transfer;
    cls_check check;
    cls_scaling scaling;

    double *host; /* NULL: on the device. Lines of n as the caller's, in double: columns, or rows with by_rows */
    int by_rows;
    int empty_line;          /* a row or a column of A on the host is all zeros */
    void *lines;             /* a few lines on their way to the factors, in their type */
    cls_transfer to_factors; /* transposes matrices of that type on the device */

    double unit;           /* A is kept times this power of two, cls_scaling_lift's: of all below too */
    cls_measures measures; /* of A as it is kept */
    double norm_inf;       /* times CLS_NORM_SCALE, as measures.norm1 */
    const double *r, *c;   /* n each: diag(r) A diag(c) was handed to the factorization; scaling's arrays */
} cls_keep;

/*
 * `into` is the type of the factors, `mapped` whether they stay in the host's memory: A does then too. `on_host`: A must
 * lie there, in double. On failure the caller still calls cls_keep_release.
 */
clsolve_status cls_keep_setup(cls_device *device, int64_t n, clsolve_type type, clsolve_type into, int mapped,
                              int on_host, int64_t slab_bytes, cls_keep *keep);
void cls_keep_release(cls_keep *keep);

/*
 * Takes A in, measures it, finds scalings as cls_scaling_find's `scale` says, and writes diag(r) A diag(c) into
 * `factors`. With NaN or Inf in A (measures.row >= 0) it stops after the measuring.
 */
clsolve_status cls_keep_set(cls_keep *keep, const clsolve_matrix *A, int scale, const cls_matrix *factors);

/* diag(r) A diag(c) of the last cls_keep_set into `factors` once more. */
clsolve_status cls_keep_again(cls_keep *keep, const cls_matrix *factors);

/* A itself, unscaled, into a matrix on the device of the same type. */
clsolve_status cls_keep_copy(cls_keep *keep, const cls_matrix *to);

/* R = B - op(A) X, as cls_refine wants it; `self` is the cls_keep. */
clsolve_status cls_keep_residual(void *self, clsolve_op op, int64_t cols, const double *X, const double *B, double *R);

int64_t cls_keep_bytes(const cls_keep *keep); /* of matrices on the device */

#endif
