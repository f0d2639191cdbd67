/*
 * copy.h: the caller's matrix, copied next to its factors: for residuals, for scaling, and for other factors of the
 * same A.
 *
 *     dense    on the device in the caller's type, also where the device does not compute in double: then integers read
 *              the doubles' bits (cl/double_bits.cl). On the host in double where the device has no room for it.
 *     band     on the host in double, kl + ku + 1 numbers of each column: fewer than the factors have
 *
 * A copy is taken (take, measure, find the scaling) and then written to where it is factored. Each form does that in a
 * file of its own, with a table: copy_device.c, copy_bits.c, and copy_host.c for dense copies and bands on the host.
 */
#ifndef CLS_COPY_H
#define CLS_COPY_H

#include "method/check.h"
#include "method/direct/scaling.h"
#include "method/symmetric.h"
#include "method/transfer.h"

enum { CLS_COPY_LINES = 64 }; /* brought to the type of the factors at a time */

/* The kernels that read a copy of doubles on a device that does not compute in double. */
typedef struct cls_bits {
    int on;
    int64_t lanes, sides;
    cls_kernel *residual[2], *measure[2]; /* across the columns of the copy's memory; along them */
    cls_kernel *scale;
    cls_buffer *powers[2];      /* n ints each: r and c as powers of two, or those that measure takes */
    cls_buffer *largest, *sums; /* n keys each */
} cls_bits;

typedef struct cls_copy cls_copy;

/* The functions of a form of copy: see cls_copy_take, _write, _write_plain and _residual. `take` of a band is NULL: its
 * family fills `values`. `residual` begins with B in R. */
typedef struct cls_copy_form {
    clsolve_status (*take)(cls_copy *copy, const clsolve_matrix *A, int scale);
    clsolve_status (*write)(cls_copy *copy, const cls_matrix *factors);
    clsolve_status (*write_plain)(cls_copy *copy, const cls_matrix *to);
    clsolve_status (*residual)(cls_copy *copy, clsolve_op op, int64_t cols, const double *X, double *R);
} cls_copy_form;
extern const cls_copy_form cls_copy_on_device, cls_copy_of_bits, cls_copy_on_host, cls_copy_of_band;

struct cls_copy {
    const cls_copy_form *form; /* NULL: it lies on several devices (spread) */
    cls_device *device;        /* NULL: there is no copy */
    clsolve_type type;         /* of the caller's matrix */
    int64_t n;

    /* On the device: A, and room for CLS_REFINE_COLUMNS vectors. */
    cls_matrix A, X, R;
    cls_transfer transfer;
    cls_check check;
    cls_scaling scaling; /* a copy on the host, or of bits, uses its numbers alone */
    cls_bits bits;       /* on: nobody computes with A, X and R as they are */

    /* On the host, in double, a complex element as two; else `values` is NULL. A dense copy has lines of n as the
     * caller's: columns, or rows with by_rows, as bits on the device have too. A line of a band is a column, in
     * LAPACK's band storage, with zeros outside of the matrix. */
    double *values;
    int64_t length; /* of a line, in elements */
    int64_t kl, ku; /* of a band; is_band is 0 else */
    int is_band;
    int by_rows;
    int empty_line;          /* a row or a column of A is all zeros */
    void *lines;             /* CLS_COPY_LINES of a dense copy on their way to the factors, in their type */
    cls_transfer to_factors; /* transposes matrices of that type on the device, for bits too */

    /* The caller gives one triangle of a symmetric A, in memory the upper one or not; the copy has both. */
    int symmetric, upper, conjugate; /* conjugate: as cls_symmetric_mirror's */
    int indefinite;                  /* a diagonal says nothing of the size of its rows */
    cls_symmetric mirror;

    void *spread; /* the family's own, of a copy that lies on several devices: here are its numbers alone */

    double unit;           /* A is copied times this power of two, cls_scaling_unit's: of all below too */
    cls_measures measures; /* of A as it is copied; row >= 0: it holds NaN or Inf, and no scaling was looked for */
    double norm_inf;       /* times CLS_NORM_SCALE, as measures.norm1 */
    const double *r, *c;   /* n each: diag(r) A diag(c) is what is factored; scaling's arrays. Both NULL: A itself */
};

/*
 * A dense one. `into` is the type of the factors, `mapped` whether they stay in the host's memory: A does then too.
 * `on_host`: A must lie there, in double. On failure the caller still calls cls_copy_release.
 */
clsolve_status cls_copy_setup(cls_device *device, int64_t n, clsolve_type type, clsolve_type into, int mapped,
                              int on_host, int64_t slab_bytes, cls_copy *copy);
/* A copy of a symmetric matrix, after cls_copy_setup: copy->upper and ->conjugate are set before each cls_copy_take,
 * and rows and columns are scaled alike. */
clsolve_status cls_copy_setup_symmetric(cls_copy *copy);
/* One that lies on several devices, of which the family takes care: what is here is r, c and what is measured. */
clsolve_status cls_copy_setup_spread(cls_device *device, int64_t n, clsolve_type type, void *spread, cls_copy *copy);
/* Announces the programs of a copy on the device. */
clsolve_status cls_copy_announce(cls_device *device, clsolve_type type, clsolve_type into);
/* One of a band with so many diagonals in use. Likewise. */
clsolve_status cls_copy_setup_band(cls_device *device, int64_t n, int64_t kl, int64_t ku, clsolve_type type,
                                   cls_copy *copy);
void cls_copy_release(cls_copy *copy);

/*
 * Takes a dense A in, measures it, scales a tiny one by `unit`, and finds r and c as cls_scaling_find's `scale` says.
 * With NaN or Inf in A it stops after the measuring.
 */
clsolve_status cls_copy_take(cls_copy *copy, const clsolve_matrix *A, int scale);

/* The same of a copy on the host whose `values` are there. */
void cls_copy_prepare(cls_copy *copy, int scale);

/* Dense copies: diag(r) A diag(c) into the matrix that is factored, as often as that is wanted. */
clsolve_status cls_copy_write(cls_copy *copy, const cls_matrix *factors);
/* A itself, without r and c, into a matrix on the device of the same type. */
clsolve_status cls_copy_write_plain(cls_copy *copy, const cls_matrix *to);

/* R = B - op(A) X, as cls_refine wants it; `self` is the cls_copy. */
clsolve_status cls_copy_residual(void *self, clsolve_op op, int64_t cols, const double *X, const double *B, double *R);

/* -log2 of the product of all factors, `unit` to the n among them: what the determinant of the scaled matrix lacks. */
int64_t cls_copy_exponent(const cls_copy *copy);
int64_t cls_copy_bytes(const cls_copy *copy); /* of matrices on the device */

/* ---- copy_scaling.c: for copies that cls_scaling_find does not know ---- */

/* Finds scaling's r and c as cls_scaling_find does. `largest` gives the largest |a(i,j)| of each row, or with `columns`
 * that of each column of diag(r) A; r NULL: ones. */
typedef clsolve_status cls_copy_largest(cls_copy *copy, int columns, const double *r, double *largest);
clsolve_status cls_copy_find_scaling(cls_copy *copy, int scale, cls_copy_largest *largest);

/* The same of a symmetric copy: diag(s) A diag(s) by its diagonal, as LAPACK's poequ; of an indefinite one by
 * `largest`. */
clsolve_status cls_copy_find_symmetric(cls_copy *copy, int scale, cls_copy_largest *largest);

/* ---- what each form makes; `mapped` and `into` as cls_copy_setup's ---- */

clsolve_status cls_copy_setup_device(cls_copy *copy, clsolve_type into, int mapped, int64_t slab_bytes);
clsolve_status cls_copy_setup_bits(cls_copy *copy, clsolve_type into, int64_t slab_bytes);
clsolve_status cls_copy_setup_host(cls_copy *copy, clsolve_type into, int mapped);
/* Room for n lines of `length` elements each on the host, and for r and c. */
clsolve_status cls_copy_setup_lines(cls_copy *copy, int64_t length);
/* Memory for A, X and R on the device. */
clsolve_status cls_copy_setup_matrices(cls_copy *copy, int64_t slab_bytes);
clsolve_status cls_copy_setup_numbers(cls_copy *copy);                  /* memory for r and c alone */
clsolve_status cls_copy_build_bits(cls_device *device, cls_bits *bits); /* the kernels */
void cls_copy_release_bits(cls_copy *copy);

#endif
