/*
 * scaling.h: diag(r) A diag(c) with rows and columns of about the same size, powers of two so that nothing is rounded:
 * LAPACK's dgeequb and the rule of its dlaqge for when it is worth it. See cl/equilibrate.cl.
 */
#ifndef CLS_SCALING_H
#define CLS_SCALING_H

#include "device/matrix.h"

/* For matrices of one type on one device. A zeroed one is valid to destroy. */
typedef struct cls_scaling {
    clsolve_type type;
    int64_t n, lanes, sides, rows_at_once;
    cls_kernel *row_measures, *column_largest, *scale_to, *scale_rows, *row_residual;
    cls_buffer *r, *c;       /* n real numbers each, on the device */
    double *host_r, *host_c; /* the same on the host */
    int rows, cols;          /* whether r and c are anything but ones */
    double uniform;          /* the one number that all of r is, see cls_scaling_uniform; 1: not so */
    double norm_inf;         /* of A before it was scaled, times 2^-16 so that it is finite */
} cls_scaling;

/* For the largest |a| of each of n rows or columns, that power of two which brings it to about 1, as dgeequb chooses it
 * for elements of `type`; 1 for a row of zeros. Returns the ratio of the smallest row to the largest. */
double cls_scaling_factors(clsolve_type type, int64_t n, const double *largest, double *factor);

/* dlaqge's rule: is a matrix with that ratio, and for rows with this largest element, worth scaling? */
int cls_scaling_worth(clsolve_type type, double ratio, double largest, int rows);

/* Has a row of A numbers so small that x / r(i) loses digits of an x of about 1? A solve with the transpose has such
 * vectors. */
int cls_scaling_rows_tiny(const cls_scaling *scaling);

/* `into` is the type that cls_scaling_to writes; with `mapped` all matrices stay in the host's memory. */
clsolve_status cls_scaling_create(cls_device *device, int64_t n, clsolve_type type, clsolve_type into, int mapped,
                                  cls_scaling *scaling);
/* The kernels alone, of which _create makes use. */
clsolve_status cls_scaling_build(cls_device *device, clsolve_type type, clsolve_type into, cls_scaling *scaling);
void cls_scaling_destroy(cls_device *device, cls_scaling *scaling);

/*
 * Finds r and c of A, whose largest |a(i,j)| is `largest`, and norm_inf. `scale` 0: ones; 1: what is worth it; 2: in
 * any case. The n numbers of each pass come to the host, and r and c go back: O(n) bytes.
 */
clsolve_status cls_scaling_find(cls_device *device, cls_scaling *scaling, const cls_matrix *A, double largest,
                                int scale);

/*
 * The passes of it alone, of a matrix that may be some columns of the whole one. The first leaves each row's largest
 * |a(i,j)| in host_r, and its sum of |a(i,j)|, times 2^-16, in host_c. The second leaves the largest |r(i) a(i,j)| of
 * each of these columns in host_c, with the r of host_r. _send: host_r and host_c to where cls_scaling_to takes them
 * from.
 */
clsolve_status cls_scaling_find_rows(cls_device *device, cls_scaling *scaling, const cls_matrix *A);
clsolve_status cls_scaling_find_columns(cls_device *device, cls_scaling *scaling, const cls_matrix *A);
clsolve_status cls_scaling_send(cls_device *device, cls_scaling *scaling);

/*
 * The same of a symmetric matrix whose diagonal is in host_r: r = c = s with s(i)^2 a(i,i) in [1, 4), LAPACK's poequ
 * and laqsy by powers of two. A diagonal that is not positive is not scaled: the matrix is not positive definite.
 */
clsolve_status cls_scaling_symmetric(cls_device *device, cls_scaling *scaling, double largest, int scale);

/*
 * The same of a symmetric matrix of any signs: rows and columns by the root of their largest element, a few times over
 * (D. Ruiz, A scaling algorithm to equilibrate both rows and columns norms in matrices, RAL-TR-2001-034, by powers of
 * two). `largest_of` leaves the largest |r(i) a(i,j)| of each column in host_c, with the r of host_r.
 */
clsolve_status cls_scaling_indefinite(cls_device *device, cls_scaling *scaling, double largest, int scale,
                                      clsolve_status (*largest_of)(void *self), void *self);

/*
 * One power of two for a matrix so small that reciprocals of its pivots would overflow (dlaqge's rule: the largest
 * element below the smallest normal number over epsilon): brings the largest to about the root of the smallest normal
 * number, far from either end, by an even power, because the factor of Cholesky is multiplied by the root. A complex
 * matrix whose largest part is within a 256th of the type's range gets 2^-16. 1 where there is nothing to do, for a
 * matrix of zeros too. _tiny: the same for methods to which huge matrices are like any other.
 */
double cls_scaling_unit(clsolve_type type, double largest);
double cls_scaling_tiny(clsolve_type type, double largest);

/* r becomes `factor` everywhere, c ones; with 1 nothing is scaled, and a zeroed cls_scaling will do. */
clsolve_status cls_scaling_uniform(cls_device *device, cls_scaling *scaling, int mapped, double factor);

/* T = diag(r) A diag(c) in the columns that A has; T may be A. Enqueues. */
clsolve_status cls_scaling_to(cls_device *device, cls_scaling *scaling, const cls_matrix *A, const cls_matrix *T);

/* The first `cols` columns of B become diag(r) B (`rows`) or diag(c) B. Enqueues. */
clsolve_status cls_scaling_rows(cls_device *device, cls_scaling *scaling, const cls_matrix *B, int64_t cols, int rows);

/* -log2 of the product of all factors: what the determinant of the scaled matrix lacks. */
int64_t cls_scaling_exponent(const cls_scaling *scaling);

/* r = r - A x, of a vector and some columns of the matrix: a product's kernels have too few groups for it. Enqueues. */
clsolve_status cls_scaling_residual(cls_device *device, const cls_scaling *scaling, cls_ref A, int64_t cols, cls_ref x,
                                    cls_ref r);

#endif
